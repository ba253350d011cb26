//! Statements and expressions of a C thread → IR.

use std::collections::HashMap;

use norn_ir::diag::Diagnostic;
use norn_ir::ids::{BlockId, GlobalId, Reg};
use norn_ir::instr::{Access, BinaryOp, CastOp, CompareOp, Const, InstrKind, Operand, SectionKind, TerminatorKind};
use norn_ir::program::Function;
use norn_ir::types::{Target, Ty};

use super::ast::{Expr, ExprKind, Stmt, StmtKind, Thread};
use crate::build::FunctionBuilder;
use crate::ctype::CType;
use crate::emit::Home;
use crate::state::State;
use crate::token::{File, Parsed, Token};

pub(crate) struct Locations<'l, 'a> {
    pub file: &'l File<'a>,
    pub state: &'l State<'a>,
    pub types: &'l [CType],
    pub homes: &'l [Home],
}

/// A value and its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Typed {
    pub operand: Operand,
    pub ty: CType,
}

/// A thread that only lacks the stores of its final values.
pub(crate) struct Lowered<'a> {
    out: FunctionBuilder,
    variables: HashMap<&'a str, (Reg, CType)>,
    observed: Vec<(Reg, Ty, GlobalId)>,
}

impl Lowered<'_> {
    pub fn variable(&self, name: &str) -> Option<CType> {
        self.variables.get(name).map(|&(_, ty)| ty)
    }

    pub fn observe(&mut self, name: &str, global: GlobalId) {
        if let Some(&(reg, ty)) = self.variables.get(name) {
            self.observed.push((reg, ty.ty(), global));
        }
    }

    pub fn finish(mut self) -> Function {
        if !self.observed.is_empty() {
            self.out.push(InstrKind::SectionBegin(SectionKind::Atomic));
            for (reg, ty, global) in self.observed {
                let (addr, value) = (Operand::Global(global, 0), Operand::Reg(reg));
                self.out.push(InstrKind::Store { ty, addr, value, access: Access::PLAIN });
            }
            self.out.push(InstrKind::SectionEnd);
        }
        self.out.terminate(TerminatorKind::Return(None));
        self.out.finish()
    }
}

pub(crate) fn thread<'a>(locations: &Locations<'_, 'a>, number: usize, thread: &Thread<'a>) -> Parsed<Lowered<'a>> {
    let out = FunctionBuilder::new(&format!("P{number}"), None, locations.file.span(thread.token.start));
    let mut lower =
        Lower { locations, out, variables: HashMap::new(), params: HashMap::new(), loops: Vec::new(), end: BlockId(0) };
    for param in &thread.params {
        lower.parameter(param.name, param.ty)?;
    }
    lower.declare_all(&thread.body)?;
    let (start, end) = (lower.out.block(), lower.out.block());
    lower.end = end;
    lower.out.terminate(TerminatorKind::Goto(start));
    lower.out.go_on_in(start);
    lower.statements(&thread.body)?;
    lower.out.terminate(TerminatorKind::Goto(end));
    lower.out.go_on_in(end);
    Ok(Lowered { out: lower.out, variables: lower.variables, observed: Vec::new() })
}

pub(super) struct Lower<'l, 'a> {
    pub(super) locations: &'l Locations<'l, 'a>,
    pub(super) out: FunctionBuilder,
    variables: HashMap<&'a str, (Reg, CType)>,
    params: HashMap<&'a str, Typed>,
    /// Where `break` and `continue` go, innermost last.
    loops: Vec<(BlockId, BlockId)>,
    end: BlockId,
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn unsupported(&self, token: Token<'_>, message: impl Into<String>) -> Diagnostic {
        self.locations.file.unsupported_at(token, message)
    }

    fn address_of_location(&self, name: &str) -> Option<Typed> {
        let id = self.locations.state.find(name)?;
        let operand = Operand::Global(self.locations.homes[id.index()].global, 0);
        Some(Typed { operand, ty: self.locations.types[id.index()].pointer_to() })
    }

    fn parameter(&mut self, name: Token<'a>, ty: CType) -> Parsed<()> {
        let Some(address) = self.address_of_location(name.text) else { return Ok(()) };
        let size = |ty: CType| ty.target().map(|t| t.ty().size(Target::Lp64));
        if size(ty) != size(address.ty) {
            let message = format!("'{}' is declared with another size elsewhere", name.text);
            return Err(self.unsupported(name, message));
        }
        self.params.insert(name.text, Typed { operand: address.operand, ty });
        Ok(())
    }

    /// Variables are known in the whole thread, wherever they are declared.
    fn declare_all(&mut self, body: &[Stmt<'a>]) -> Parsed<()> {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Declare { ty, name, .. } => self.declare(*name, *ty)?,
                StmtKind::If { then, otherwise, .. } => {
                    self.declare_all(then)?;
                    self.declare_all(otherwise)?;
                }
                StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => self.declare_all(body)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn declare(&mut self, name: Token<'a>, ty: CType) -> Parsed<()> {
        if let Some(&(_, known)) = self.variables.get(name.text) {
            if known == ty {
                return Ok(());
            }
            return Err(self.unsupported(name, format!("'{}' is declared twice with different types", name.text)));
        }
        let reg = self.out.reg(ty.ty(), name.text);
        self.out.push(InstrKind::Copy { dst: reg, src: Operand::Const(Const { ty: ty.ty(), bits: 0 }) });
        self.variables.insert(name.text, (reg, ty));
        Ok(())
    }

    fn statements(&mut self, body: &[Stmt<'a>]) -> Parsed<()> {
        body.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn statement(&mut self, stmt: &Stmt<'a>) -> Parsed<()> {
        self.out.span = self.locations.file.span(stmt.token.start);
        match &stmt.kind {
            StmtKind::Declare { name, value: Some(value), .. } => {
                let value = self.value(value)?;
                self.assign_variable(name.text, value);
            }
            StmtKind::Declare { value: None, .. } => {}
            StmtKind::Assign { target, op, value } => self.assign(target, *op, value)?,
            StmtKind::Expr(expr) => drop(self.effect(expr)?),
            StmtKind::If { cond, then, otherwise } => {
                let [yes, no, after] = [self.out.block(), self.out.block(), self.out.block()];
                self.branch(cond, yes, no)?;
                self.out.go_on_in(yes);
                self.statements(then)?;
                self.out.terminate(TerminatorKind::Goto(after));
                self.out.go_on_in(no);
                self.statements(otherwise)?;
                self.out.terminate(TerminatorKind::Goto(after));
                self.out.go_on_in(after);
            }
            StmtKind::While { cond, body } => {
                let [head, inside, after] = [self.out.block(), self.out.block(), self.out.block()];
                self.out.terminate(TerminatorKind::Goto(head));
                self.out.go_on_in(head);
                self.branch(cond, inside, after)?;
                self.loop_body(body, inside, (after, head))?;
                self.out.terminate(TerminatorKind::Goto(head));
                self.out.go_on_in(after);
            }
            StmtKind::DoWhile { body, cond } => {
                let [inside, test, after] = [self.out.block(), self.out.block(), self.out.block()];
                self.out.terminate(TerminatorKind::Goto(inside));
                self.loop_body(body, inside, (after, test))?;
                self.out.terminate(TerminatorKind::Goto(test));
                self.out.go_on_in(test);
                self.branch(cond, inside, after)?;
                self.out.go_on_in(after);
            }
            StmtKind::Break | StmtKind::Continue => {
                let Some(&(after, again)) = self.loops.last() else {
                    let message = format!("'{}' outside of a loop", stmt.token.text);
                    return Err(self.locations.file.error_at(stmt.token, message));
                };
                let breaks = matches!(stmt.kind, StmtKind::Break);
                self.out.terminate(TerminatorKind::Goto(if breaks { after } else { again }));
            }
            StmtKind::Return => self.out.terminate(TerminatorKind::Goto(self.end)),
        }
        Ok(())
    }

    fn loop_body(&mut self, body: &[Stmt<'a>], inside: BlockId, exits: (BlockId, BlockId)) -> Parsed<()> {
        self.loops.push(exits);
        self.out.go_on_in(inside);
        self.statements(body)?;
        self.loops.pop();
        Ok(())
    }

    pub(super) fn variable(&self, name: &str) -> Option<(Reg, CType)> {
        self.variables.get(name).copied()
    }

    pub(super) fn assign_variable(&mut self, name: &str, value: Typed) {
        if let Some((dst, ty)) = self.variable(name) {
            let src = self.convert(value, ty);
            self.out.push(InstrKind::Copy { dst, src });
        }
    }

    fn assign(&mut self, target: &Expr<'a>, op: Option<&'a str>, value: &Expr<'a>) -> Parsed<()> {
        if matches!(target.kind, ExprKind::Name)
            && let Some((reg, ty)) = self.variable(target.token.text)
        {
            let mut result = self.value(value)?;
            if let Some(op) = op {
                let old = Typed { operand: Operand::Reg(reg), ty };
                result = self.arithmetic(op, old, result, target.token)?;
            }
            self.assign_variable(target.token.text, result);
            return Ok(());
        }
        let address = self.place(target)?;
        let mut result = self.value(value)?;
        if let Some(op) = op {
            let old = self.load(address, Access::PLAIN);
            result = self.arithmetic(op, old, result, target.token)?;
        }
        self.store(address, result, Access::PLAIN);
        Ok(())
    }

    /// The address that an expression such as `*x` stands for, with the type of the pointer.
    pub(super) fn place(&mut self, expr: &Expr<'a>) -> Parsed<Typed> {
        let address = match &expr.kind {
            ExprKind::Deref(pointer) => self.value(pointer)?,
            ExprKind::Element(pointer, index) => {
                let (pointer, index) = (self.value(pointer)?, self.value(index)?);
                self.element(pointer, index, expr.token)?
            }
            // A location that is used by its own name.
            ExprKind::Name
                if !self.params.contains_key(expr.token.text) && self.variable(expr.token.text).is_none() =>
            {
                self.address_of_location(expr.token.text).ok_or_else(|| self.unknown(expr.token))?
            }
            _ => {
                let message = format!("'{}' does not name a location", expr.token.text);
                return Err(self.locations.file.error_at(expr.token, message).help("write '*x' for the location 'x'"));
            }
        };
        if address.ty.is_pointer() {
            return Ok(address);
        }
        Err(self.unsupported(expr.token, "only pointers can be dereferenced"))
    }

    fn unknown(&self, token: Token<'_>) -> Diagnostic {
        let help = "locations are passed to a thread as parameters such as 'int *x'";
        self.locations.file.error_at(token, format!("there is no variable or location '{}'", token.text)).help(help)
    }

    fn element(&mut self, pointer: Typed, index: Typed, token: Token<'_>) -> Parsed<Typed> {
        let Some(target) = pointer.ty.target() else {
            return Err(self.unsupported(token, "only pointers have elements"));
        };
        let index = self.convert(index, CType::LONG);
        let dst = self.out.temporary(Ty::Ptr);
        let scale = target.ty().size(Target::Lp64) as i64;
        self.out.push(InstrKind::PtrAdd { dst, base: pointer.operand, index, scale });
        Ok(Typed { operand: Operand::Reg(dst), ty: pointer.ty })
    }

    /// What a pointer of this type points to.
    pub(super) fn pointee(address: Typed) -> CType {
        address.ty.target().unwrap_or(CType::INT)
    }

    pub(super) fn load(&mut self, address: Typed, access: Access) -> Typed {
        let ty = Self::pointee(address);
        let dst = self.out.temporary(ty.ty());
        self.out.push(InstrKind::Load { dst, addr: address.operand, access });
        Typed { operand: Operand::Reg(dst), ty }
    }

    pub(super) fn store(&mut self, address: Typed, value: Typed, access: Access) {
        let ty = Self::pointee(address);
        let value = self.convert(value, ty);
        self.out.push(InstrKind::Store { ty: ty.ty(), addr: address.operand, value, access });
    }

    pub(super) fn number(n: i64) -> Typed {
        let ty = if i32::try_from(n).is_ok() { CType::INT } else { CType::LONG };
        Typed { operand: Operand::Const(Const { ty: ty.ty(), bits: ty.ty().truncate(n as u64, Target::Lp64) }), ty }
    }

    pub(super) fn value(&mut self, expr: &Expr<'a>) -> Parsed<Typed> {
        match self.effect(expr)? {
            Some(value) => Ok(value),
            None => Err(self.locations.file.error_at(expr.token, format!("'{}' has no value", expr.token.text))),
        }
    }

    /// The value of an expression, unless it is a call that has none.
    fn effect(&mut self, expr: &Expr<'a>) -> Parsed<Option<Typed>> {
        let token = expr.token;
        let value = match &expr.kind {
            ExprKind::Number(n) => Self::number(*n),
            ExprKind::Name => self.name(token)?,
            ExprKind::Deref(_) | ExprKind::Element(..) => {
                let address = self.place(expr)?;
                self.load(address, Access::PLAIN)
            }
            ExprKind::AddressOf(inner) => self.place(inner)?,
            ExprKind::Negate(inner) => {
                let inner = self.value(inner)?;
                self.arithmetic("-", Self::number(0), inner, token)?
            }
            ExprKind::Complement(inner) => {
                let inner = self.value(inner)?;
                self.arithmetic("^", inner, Self::number(-1), token)?
            }
            ExprKind::Cast(ty, inner) => {
                let value = self.value(inner)?;
                Typed { operand: self.convert(value, *ty), ty: *ty }
            }
            ExprKind::Binary("&&" | "||", ..) => self.short_circuit(expr)?,
            ExprKind::Not(_) | ExprKind::Binary("==" | "!=" | "<" | ">" | "<=" | ">=", ..) => {
                let cond = self.condition(expr)?;
                self.truth(cond)
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let (lhs, rhs) = (self.value(lhs)?, self.value(rhs)?);
                self.arithmetic(op, lhs, rhs, token)?
            }
            ExprKind::Call(args) => return self.call(token, args),
        };
        Ok(Some(value))
    }

    fn name(&mut self, token: Token<'a>) -> Parsed<Typed> {
        if let Some((reg, ty)) = self.variable(token.text) {
            return Ok(Typed { operand: Operand::Reg(reg), ty });
        }
        match token.text {
            "NULL" | "false" => return Ok(Self::number(0)),
            "true" => return Ok(Self::number(1)),
            _ => {}
        }
        let param = self.params.get(token.text).copied();
        param.or_else(|| self.address_of_location(token.text)).ok_or_else(|| self.unknown(token))
    }

    /// A truth value as an `int`.
    pub(super) fn truth(&mut self, cond: Operand) -> Typed {
        let dst = self.out.temporary(Ty::I32);
        self.out.push(InstrKind::Cast { dst, op: CastOp::ZeroExtend, from: Ty::Bool, src: cond });
        Typed { operand: Operand::Reg(dst), ty: CType::INT }
    }

    fn short_circuit(&mut self, expr: &Expr<'a>) -> Parsed<Typed> {
        let [yes, no, after] = [self.out.block(), self.out.block(), self.out.block()];
        let dst = self.out.temporary(Ty::I32);
        self.branch(expr, yes, no)?;
        for (block, n) in [(yes, 1), (no, 0)] {
            self.out.go_on_in(block);
            self.out.push(InstrKind::Copy { dst, src: Self::number(n).operand });
            self.out.terminate(TerminatorKind::Goto(after));
        }
        self.out.go_on_in(after);
        Ok(Typed { operand: Operand::Reg(dst), ty: CType::INT })
    }

    /// Continues in one of two blocks.
    fn branch(&mut self, cond: &Expr<'a>, yes: BlockId, no: BlockId) -> Parsed<()> {
        match &cond.kind {
            ExprKind::Not(inner) => return self.branch(inner, no, yes),
            ExprKind::Binary(op @ ("&&" | "||"), lhs, rhs) => {
                let between = self.out.block();
                let (first_yes, first_no) = if *op == "&&" { (between, no) } else { (yes, between) };
                self.branch(lhs, first_yes, first_no)?;
                self.out.go_on_in(between);
                return self.branch(rhs, yes, no);
            }
            _ => {}
        }
        let cond = self.condition(cond)?;
        self.out.terminate(match cond {
            Operand::Const(c) => TerminatorKind::Goto(if c.bits != 0 { yes } else { no }),
            cond => TerminatorKind::Branch { cond, then: yes, otherwise: no },
        });
        Ok(())
    }

    /// Whether an expression is not 0, as a `Bool`.
    fn condition(&mut self, expr: &Expr<'a>) -> Parsed<Operand> {
        let (op, lhs, rhs) = match &expr.kind {
            ExprKind::Not(inner) => (CompareOp::Eq, self.value(inner)?, Self::number(0)),
            ExprKind::Binary("==", a, b) => (CompareOp::Eq, self.value(a)?, self.value(b)?),
            ExprKind::Binary("!=", a, b) => (CompareOp::Ne, self.value(a)?, self.value(b)?),
            ExprKind::Binary(op @ ("<" | ">" | "<=" | ">="), a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                let strict = !op.ends_with('=');
                let (lhs, rhs) = if op.starts_with('<') { (a, b) } else { (b, a) };
                let signed = common(lhs.ty, rhs.ty).is_signed();
                let op = match (strict, signed) {
                    (true, true) => CompareOp::LtSigned,
                    (true, false) => CompareOp::LtUnsigned,
                    (false, true) => CompareOp::LeSigned,
                    (false, false) => CompareOp::LeUnsigned,
                };
                (op, lhs, rhs)
            }
            _ => {
                let value = self.value(expr)?;
                if let Operand::Const(c) = value.operand {
                    return Ok(Operand::Const(if c.bits != 0 { Const::TRUE } else { Const::FALSE }));
                }
                (CompareOp::Ne, value, Self::number(0))
            }
        };
        Ok(self.compare(op, lhs, rhs))
    }

    pub(super) fn compare(&mut self, op: CompareOp, lhs: Typed, rhs: Typed) -> Operand {
        let ty = common(lhs.ty, rhs.ty);
        let (lhs, rhs) = (self.convert(lhs, ty), self.convert(rhs, ty));
        let dst = self.out.temporary(Ty::Bool);
        self.out.push(InstrKind::Compare { dst, op, ty: ty.ty(), lhs, rhs });
        Operand::Reg(dst)
    }

    pub(super) fn arithmetic(&mut self, op: &str, lhs: Typed, rhs: Typed, token: Token<'_>) -> Parsed<Typed> {
        match (op, lhs.ty.is_pointer(), rhs.ty.is_pointer()) {
            ("+", true, false) => return self.element(lhs, rhs, token),
            ("+", false, true) => return self.element(rhs, lhs, token),
            ("-", true, false) => {
                let negative = self.arithmetic("-", Self::number(0), rhs, token)?;
                return self.element(lhs, negative, token);
            }
            (_, false, false) => {}
            // Such as `x ^ x` on an address: computed on its number.
            (_, left, right) => {
                let as_number = |lower: &mut Self, value: Typed, is_pointer: bool| match is_pointer {
                    true => Typed { operand: lower.convert(value, CType::LONG), ty: CType::LONG },
                    false => value,
                };
                let lhs = as_number(self, lhs, left);
                let rhs = as_number(self, rhs, right);
                return self.arithmetic(op, lhs, rhs, token);
            }
        }
        let ty = common(lhs.ty, rhs.ty);
        let signed = ty.is_signed();
        // Overflow of signed numbers is not what a litmus test is about: everything wraps.
        let op = match op {
            "+" => BinaryOp::Add,
            "-" => BinaryOp::Sub,
            "*" => BinaryOp::Mul,
            "/" if signed => BinaryOp::DivSigned,
            "/" => BinaryOp::DivUnsigned,
            "%" if signed => BinaryOp::RemSigned,
            "%" => BinaryOp::RemUnsigned,
            "&" => BinaryOp::And,
            "|" => BinaryOp::Or,
            "^" => BinaryOp::Xor,
            "<<" => BinaryOp::Shl,
            ">>" if signed => BinaryOp::ShrSigned,
            ">>" => BinaryOp::ShrUnsigned,
            _ => return Err(self.unsupported(token, format!("the operator '{op}' is not supported"))),
        };
        let (lhs, rhs) = (self.convert(lhs, ty), self.convert(rhs, ty));
        let dst = self.out.temporary(ty.ty());
        self.out.push(InstrKind::Binary { dst, op, lhs, rhs });
        Ok(Typed { operand: Operand::Reg(dst), ty })
    }

    pub(super) fn convert(&mut self, value: Typed, ty: CType) -> Operand {
        let (from, to) = (value.ty.ty(), ty.ty());
        if from == to {
            return value.operand;
        }
        if let Operand::Const(c) = value.operand {
            let unused = 64 - from.bits(Target::Lp64);
            let extended = if value.ty.is_signed() { (((c.bits << unused) as i64) >> unused) as u64 } else { c.bits };
            return Operand::Const(Const { ty: to, bits: to.truncate(extended, Target::Lp64) });
        }
        match (from, to) {
            (Ty::Ptr, Ty::I64) => self.cast(CastOp::PtrToInt, from, to, value.operand),
            (Ty::Ptr, _) => {
                let number = self.cast(CastOp::PtrToInt, from, Ty::I64, value.operand);
                self.cast(CastOp::Truncate, Ty::I64, to, number)
            }
            (_, Ty::Ptr) => {
                let number = self.convert(value, CType::LONG);
                self.cast(CastOp::IntToPtr, Ty::I64, to, number)
            }
            _ if from.bits(Target::Lp64) > to.bits(Target::Lp64) => {
                self.cast(CastOp::Truncate, from, to, value.operand)
            }
            _ if value.ty.is_signed() => self.cast(CastOp::SignExtend, from, to, value.operand),
            _ => self.cast(CastOp::ZeroExtend, from, to, value.operand),
        }
    }

    fn cast(&mut self, op: CastOp, from: Ty, to: Ty, src: Operand) -> Operand {
        let dst = self.out.temporary(to);
        self.out.push(InstrKind::Cast { dst, op, from, src });
        Operand::Reg(dst)
    }
}

/// The type in which two values are brought together.
fn common(a: CType, b: CType) -> CType {
    if a.is_pointer() || b.is_pointer() {
        return if a.is_pointer() { a } else { b };
    }
    let bits = |ty: CType| ty.ty().bits(Target::Lp64);
    let promoted = |ty: CType| if bits(ty) < 32 { CType::INT } else { ty };
    let (a, b) = (promoted(a), promoted(b));
    match bits(a).cmp(&bits(b)) {
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Equal => {
            if a.is_signed() {
                b
            } else {
                a
            }
        }
    }
}
