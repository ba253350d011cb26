//! Calls: C11's functions and the kernel's, and what both need.

use norn_c::ast::{Expr as AstExpr, ExprKind, UnaryOp as AstUnary};
use norn_c::intern::Symbol;
use norn_graph::program::{BinaryOp, Expr, Instr, Reg, Tags, Width};
use norn_ir::diag::Diagnostic;
use norn_ir::number::narrow;
use norn_ir::source::Loc;

use super::expr::{Place, Value, converted, pointee};
use super::thread::{Done, Lowering};
use super::types::wrap;
use crate::ctype::CType;
use crate::graph::Language;

/// A call while it is lowered.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    pub name: &'c str,
    pub args: &'c [AstExpr],
    pub loc: Loc,
}

impl Call<'_> {
    pub fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.loc, message).covering(narrow(self.name.len()))
    }

    pub fn takes(&self, count: usize) -> Done<()> {
        if self.args.len() == count {
            return Ok(());
        }
        let (name, found) = (self.name, self.args.len());
        Err(self.error(format!("'{name}' takes {count} arguments, not {found}")))
    }
}

/// What a location is: its address, and the type of what is there.
#[derive(Clone)]
pub(super) struct Object {
    pub addr: Expr,
    pub ty: CType,
}

/// The tags of a read-modify-write: of its two events, and of the read that is left of a failed one.
#[derive(Clone)]
pub(super) struct RmwTags {
    pub read: Tags,
    pub write: Tags,
    pub failed: Tags,
}

/// The binary operations that both languages have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    Add,
    Sub,
    And,
    AndNot,
    Or,
    Xor,
}

impl Operation {
    pub fn named(name: &str) -> Option<Operation> {
        Some(match name {
            "add" => Operation::Add,
            "sub" => Operation::Sub,
            "and" => Operation::And,
            "andnot" => Operation::AndNot,
            "or" => Operation::Or,
            "xor" => Operation::Xor,
            _ => return None,
        })
    }

    pub fn of(self, old: Expr, operand: Expr, ty: CType) -> Expr {
        let (op, operand) = match self {
            Operation::Add => (BinaryOp::Add, operand),
            Operation::Sub => (BinaryOp::Sub, operand),
            Operation::And => (BinaryOp::And, operand),
            Operation::AndNot => (BinaryOp::And, Expr::unary(norn_graph::program::UnaryOp::Not, operand)),
            Operation::Or => (BinaryOp::Or, operand),
            Operation::Xor => (BinaryOp::Xor, operand),
        };
        wrap(ty, Expr::binary(op, old, operand))
    }
}

impl Lowering<'_> {
    pub fn call(&mut self, name: Symbol, args: &[AstExpr], loc: Loc) -> Done<Option<Value>> {
        let session = self.start.session;
        let call = Call { name: session.symbols.name(name), args, loc };
        if let Some(value) = self.c11(&call)? {
            return Ok(value);
        }
        if let Some(value) = self.kernel(&call)? {
            return Ok(value);
        }
        let message = format!("the function '{}' is not known", call.name);
        let help = "known are C11's atomics and the kernel's accesses, barriers, atomics, spinlocks and RCU";
        Err(Diagnostic::unsupported(loc, message).covering(narrow(call.name.len())).help(help))
    }

    /// Notes that the test uses a function of one of the two.
    pub fn speaks(&mut self, language: Language, call: &Call<'_>) -> Done<()> {
        if self.language != Language::C && self.language != language {
            let message = format!("'{}' is {}, but the test uses {}", call.name, of(language), of(self.language));
            return Err(Diagnostic::unsupported(call.loc, message).covering(narrow(call.name.len())));
        }
        self.language = language;
        Ok(())
    }

    /// What a pointer argument points to.
    pub fn object(&mut self, arg: &AstExpr) -> Done<Object> {
        let value = self.value(arg)?;
        Ok(Object { ty: pointee(value.ty), addr: value.expr })
    }

    /// The place that an argument such as the `*x` of `READ_ONCE(*x)` names.
    pub fn named_object(&mut self, arg: &AstExpr) -> Done<Object> {
        let inner = match &arg.kind {
            ExprKind::Cast(_, inner) => inner,
            _ => arg,
        };
        match self.place_of(inner)? {
            Place::Memory { addr, ty } => Ok(Object { addr, ty }),
            Place::Variable(_) => {
                let help = "such as '*x', where x is a parameter of the thread";
                Err(self.unsupported(arg.loc, "this is not a place in shared memory").help(help))
            }
        }
    }

    /// An argument as a value of the object's type.
    pub fn operand(&mut self, arg: &AstExpr, object: &Object) -> Done<Expr> {
        Ok(converted(self.value(arg)?, object.ty).expr)
    }

    pub fn fence(&mut self, tag: &str, loc: Loc) {
        self.push(Instr::Fence { addr: None, tags: Tags::of(&[tag]) }, loc);
    }

    /// What was there before.
    pub fn rmw(
        &mut self,
        object: &Object,
        tags: RmwTags,
        when: impl FnOnce(Reg) -> Option<Expr>,
        value: impl FnOnce(Reg) -> Expr,
        loc: Loc,
    ) -> Value {
        let old = self.fresh();
        let (when, value) = (when(old), value(old));
        let RmwTags { read, write, failed: otherwise } = tags;
        let addr = object.addr.clone();
        self.push(Instr::Rmw { old, addr, width: Width::W64, when, value, read, write, otherwise }, loc);
        Value { expr: Expr::Reg(old), ty: object.ty }
    }

    /// A compare-exchange whose expected value stands behind a pointer, where the value is put that was found if it
    /// was another. A weak one may fail for no reason. Whether the exchange was made.
    pub fn compare_exchange(
        &mut self,
        [object, expected, desired]: [&AstExpr; 3],
        is_weak: bool,
        tags: RmwTags,
        plain: &Tags,
        loc: Loc,
    ) -> Done<Value> {
        let object = self.object(object)?;
        let place = match &expected.kind {
            ExprKind::Unary(AstUnary::AddressOf, inner) => self.place_of(inner)?,
            _ => {
                let Object { addr, ty } = self.object(expected)?;
                Place::Memory { addr, ty }
            }
        };
        let before = match &place {
            Place::Memory { addr, ty } => self.load(addr.clone(), *ty, plain.clone(), loc),
            Place::Variable(name) => self.variable_value(*name),
        };
        let before = self.kept(converted(before, object.ty), loc).expr;
        let desired = self.operand(desired, &object)?;
        let choice = is_weak.then(|| self.fresh());
        if let Some(dst) = choice {
            self.push(Instr::Choose { dst }, loc);
        }
        let is_made = |old: Expr| {
            let same = Expr::binary(BinaryOp::Equal, old, before.clone());
            choice.map_or(same.clone(), |choice| Expr::binary(BinaryOp::And, same, Expr::Reg(choice)))
        };
        let found = self.rmw(&object, tags, |old| Some(is_made(Expr::Reg(old))), |_| desired, loc);
        let same = is_made(found.expr.clone());
        let same = self.kept(Value { expr: same, ty: CType::INT }, loc);
        match place {
            // Where the exchange was made, this changes nothing.
            Place::Variable(name) => drop(self.assign_variable(name, found, loc)?),
            Place::Memory { addr, ty } => {
                let end = self.fresh_label();
                let failed = Expr::unary(norn_graph::program::UnaryOp::IsZero, same.expr.clone());
                self.jump_unless(failed, end, end, loc);
                self.store(addr, converted(found, ty), plain.clone(), loc);
                self.place(end, loc);
            }
        }
        Ok(same)
    }
}

fn of(language: Language) -> &'static str {
    match language {
        Language::Kernel => "the kernel's",
        _ => "C11's",
    }
}
