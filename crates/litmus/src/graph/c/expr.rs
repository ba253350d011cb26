//! Expressions: memory is accessed in the order of the text, what remains is computed in registers.

use norn_c::ast::{BinaryOp as AstOp, Expr as AstExpr, ExprKind, UnaryOp as AstUnary};
use norn_c::intern::Symbol;
use norn_c::literal::{self, Number};
use norn_graph::program::{BinaryOp, Expr, Instr, Tags, UnaryOp, Width};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;
use norn_ir::types::Ty;

use super::thread::{Done, Lowering, Variable};
use super::types::{common, declared, fits, promoted, wrap};
use crate::ctype::CType;

/// The distance between elements: a cell has 64 bits.
const CELL_BYTES: u64 = 8;

/// A value, extended to 64 bits.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Value {
    pub expr: Expr,
    pub ty: CType,
}

/// What can be assigned.
pub(super) enum Place {
    Variable(Symbol),
    Memory { addr: Expr, ty: CType },
}

/// An access without function: both languages call it something.
fn plain() -> Tags {
    Tags::of(&["NA", "Plain"])
}

impl Lowering<'_> {
    /// The value of an expression that must have one.
    pub fn value(&mut self, e: &AstExpr) -> Done<Value> {
        match self.effect(e)? {
            Some(value) => Ok(value),
            None => Err(Diagnostic::error(e.loc, "this function returns no value")),
        }
    }

    /// What an expression does, and its value if it has one.
    pub fn effect(&mut self, e: &AstExpr) -> Done<Option<Value>> {
        Ok(Some(match &e.kind {
            ExprKind::Ident(name) => self.variable_value(*name),
            ExprKind::Number(spelling) => self.number(*spelling, e.loc)?,
            ExprKind::Unary(op, operand) => self.unary(*op, operand, e.loc)?,
            ExprKind::Binary(op @ (AstOp::And | AstOp::Or), lhs, rhs) => self.logical(*op, lhs, rhs, e.loc)?,
            ExprKind::Binary(op, lhs, rhs) => {
                let lhs = self.value(lhs)?;
                let rhs = self.value(rhs)?;
                self.binary(*op, lhs, rhs, e.loc)?
            }
            ExprKind::Index(..) => {
                let place = self.place_of(e)?;
                self.read(&place, e.loc)?
            }
            ExprKind::Assign(op, place, value) => self.assign(*op, place, value, e.loc)?,
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then.as_deref(), otherwise, e.loc)?
            }
            ExprKind::Comma(first, second) => {
                self.effect(first)?;
                return self.effect(second);
            }
            ExprKind::Cast(ty, operand) => {
                let Some(ty) = declared(self.start.session, &ty.specifiers, &ty.declarator) else {
                    return Err(self.unsupported(e.loc, "this type is not supported"));
                };
                let Some(value) = self.effect(operand)? else { return Ok(None) };
                converted(value, ty)
            }
            ExprKind::Call(callee, args) => match &callee.kind {
                ExprKind::Ident(name) => return self.call(*name, args, callee.loc),
                _ => return Err(self.unsupported(e.loc, "calls by way of pointers are not supported")),
            },
            ExprKind::Member(..) | ExprKind::Arrow(..) => {
                return Err(self.unsupported(e.loc, "structures are not supported in litmus tests"));
            }
            _ => return Err(self.unsupported(e.loc, "this kind of expression is not supported in litmus tests")),
        }))
    }

    fn number(&self, spelling: Symbol, loc: Loc) -> Done<Value> {
        let text = self.start.session.symbols.name(spelling);
        match literal::number(text) {
            Ok((Number::Int { value, unsigned, long_rank, .. }, false)) => {
                let is_int = long_rank == 0 && i32::try_from(value).is_ok();
                let base = if is_int { Ty::I32 } else { Ty::I64 };
                Ok(Value { expr: Expr::Const(value), ty: CType::integer(base, !unsigned) })
            }
            Ok(_) => Err(self.unsupported(loc, format!("'{text}' is not an integer"))),
            Err(message) => Err(Diagnostic::error(loc, message)),
        }
    }

    fn unary(&mut self, op: AstUnary, operand: &AstExpr, loc: Loc) -> Done<Value> {
        match op {
            AstUnary::Deref => {
                let value = self.value(operand)?;
                Ok(self.load(value.expr, pointee(value.ty), plain(), loc))
            }
            AstUnary::AddressOf => match self.place_of(operand)? {
                Place::Memory { addr, ty } => Ok(Value { expr: addr, ty: ty.pointer_to() }),
                Place::Variable(_) => Err(self.unsupported(loc, "addresses of variables are not supported here")),
            },
            AstUnary::PreIncrement | AstUnary::PreDecrement | AstUnary::PostIncrement | AstUnary::PostDecrement => {
                let place = self.place_of(operand)?;
                let before = self.read(&place, loc)?;
                // The variable is about to change.
                let before = self.kept(before, loc);
                let is_prefix = matches!(op, AstUnary::PreIncrement | AstUnary::PreDecrement);
                let op = match op {
                    AstUnary::PreIncrement | AstUnary::PostIncrement => AstOp::Add,
                    _ => AstOp::Sub,
                };
                let one = Value { expr: Expr::Const(1), ty: CType::INT };
                let after = self.binary(op, before.clone(), one, loc)?;
                let after = self.write(place, after, loc)?;
                Ok(if is_prefix { after } else { before })
            }
            AstUnary::Plus | AstUnary::Extension => self.value(operand),
            AstUnary::Minus | AstUnary::BitNot => {
                let value = self.value(operand)?;
                let ty = promoted(value.ty);
                let op = if op == AstUnary::Minus { UnaryOp::Negate } else { UnaryOp::Not };
                let expr = match (op, value.expr) {
                    (UnaryOp::Negate, Expr::Const(n)) => Expr::Const(n.wrapping_neg()),
                    (_, inner) => Expr::unary(op, inner),
                };
                Ok(Value { expr: wrap(ty, expr), ty })
            }
            AstUnary::Not => {
                let value = self.value(operand)?;
                Ok(Value { expr: Expr::unary(UnaryOp::IsZero, value.expr), ty: CType::INT })
            }
            AstUnary::Real | AstUnary::Imag => Err(self.unsupported(loc, "complex numbers are not supported")),
        }
    }

    pub fn binary(&self, op: AstOp, lhs: Value, rhs: Value, loc: Loc) -> Done<Value> {
        let ty = common(lhs.ty, rhs.ty);
        let signed = ty.is_signed();
        let compared = |op: BinaryOp, lhs: Value, rhs: Value| {
            let (lhs, rhs) = (converted(lhs, ty).expr, converted(rhs, ty).expr);
            Ok(Value { expr: Expr::binary(op, lhs, rhs), ty: CType::INT })
        };
        let less = if signed { BinaryOp::LessSigned } else { BinaryOp::Less };
        let less_equal = if signed { BinaryOp::LessEqualSigned } else { BinaryOp::LessEqual };
        let graph_op = match op {
            AstOp::Eq => return compared(BinaryOp::Equal, lhs, rhs),
            AstOp::Ne => return compared(BinaryOp::NotEqual, lhs, rhs),
            AstOp::Lt => return compared(less, lhs, rhs),
            AstOp::Gt => return compared(less, rhs, lhs),
            AstOp::Le => return compared(less_equal, lhs, rhs),
            AstOp::Ge => return compared(less_equal, rhs, lhs),
            AstOp::Add | AstOp::Sub => return Ok(self.sum(op, lhs, rhs, ty)),
            AstOp::Shl | AstOp::Shr => {
                let ty = promoted(lhs.ty);
                let op = match op {
                    AstOp::Shl => BinaryOp::ShiftLeft,
                    _ if ty.is_signed() => BinaryOp::ShiftRightSigned,
                    _ => BinaryOp::ShiftRight,
                };
                return Ok(Value { expr: wrap(ty, Expr::binary(op, lhs.expr, rhs.expr)), ty });
            }
            AstOp::Mul => BinaryOp::Mul,
            AstOp::BitAnd => BinaryOp::And,
            AstOp::BitOr => BinaryOp::Or,
            AstOp::BitXor => BinaryOp::Xor,
            AstOp::Div | AstOp::Rem => return Err(self.unsupported(loc, "division is not supported in litmus tests")),
            AstOp::And | AstOp::Or => return Err(self.unsupported(loc, "this operation is not supported here")),
        };
        // The result of an operation on addresses is a number.
        let ty = if ty.is_pointer() { CType::LONG } else { ty };
        Ok(Value { expr: wrap(ty, Expr::binary(graph_op, lhs.expr, rhs.expr)), ty })
    }

    /// Addition and subtraction; numbers that are added to addresses count elements.
    fn sum(&self, op: AstOp, lhs: Value, rhs: Value, ty: CType) -> Value {
        let graph_op = if op == AstOp::Add { BinaryOp::Add } else { BinaryOp::Sub };
        let bytes = |value: Value| match value.expr {
            Expr::Const(n) => Expr::Const(n.wrapping_mul(CELL_BYTES)),
            expr => Expr::binary(BinaryOp::Mul, expr, Expr::Const(CELL_BYTES)),
        };
        match (lhs.ty.is_pointer(), rhs.ty.is_pointer()) {
            (true, true) => {
                let bytes = Expr::binary(graph_op, lhs.expr, rhs.expr);
                let expr = Expr::binary(BinaryOp::ShiftRightSigned, bytes, Expr::Const(3));
                Value { expr, ty: CType::LONG }
            }
            (true, false) => Value { ty: lhs.ty, expr: Expr::binary(graph_op, lhs.expr, bytes(rhs)) },
            (false, true) => Value { ty: rhs.ty, expr: Expr::binary(graph_op, bytes(lhs), rhs.expr) },
            (false, false) => Value { expr: wrap(ty, Expr::binary(graph_op, lhs.expr, rhs.expr)), ty },
        }
    }

    /// `a && b`: the second is evaluated only if it matters, which shows if it accesses memory.
    fn logical(&mut self, op: AstOp, lhs: &AstExpr, rhs: &AstExpr, loc: Loc) -> Done<Value> {
        let truth = |value: Value| Expr::binary(BinaryOp::NotEqual, value.expr, Expr::Const(0));
        let first = truth(self.value(lhs)?);
        if is_pure(rhs) {
            let second = truth(self.value(rhs)?);
            let op = if op == AstOp::And { BinaryOp::And } else { BinaryOp::Or };
            return Ok(Value { expr: Expr::binary(op, first, second), ty: CType::INT });
        }
        let (result, end) = (self.fresh(), self.fresh_label());
        self.push(Instr::Assign { dst: result, value: first.clone() }, loc);
        let needed = if op == AstOp::And { first } else { Expr::unary(UnaryOp::IsZero, first) };
        self.jump_unless(needed, end, end, loc);
        let second = truth(self.value(rhs)?);
        self.push(Instr::Assign { dst: result, value: second }, loc);
        self.place(end, loc);
        Ok(Value { expr: Expr::Reg(result), ty: CType::INT })
    }

    fn conditional(
        &mut self,
        condition: &AstExpr,
        then: Option<&AstExpr>,
        otherwise: &AstExpr,
        loc: Loc,
    ) -> Done<Value> {
        let condition = self.value(condition)?;
        let condition = self.kept(condition, loc);
        if then.is_none_or(is_pure) && is_pure(otherwise) {
            let then = then.map_or(Ok(condition.clone()), |then| self.value(then))?;
            let otherwise = self.value(otherwise)?;
            let ty = common(then.ty, otherwise.ty);
            let (then, otherwise) = (converted(then, ty).expr, converted(otherwise, ty).expr);
            return Ok(Value { expr: Expr::select(condition.expr, then, otherwise), ty });
        }
        let (result, skip, end) = (self.fresh(), self.fresh_label(), self.fresh_label());
        self.jump_unless(condition.expr.clone(), skip, end, loc);
        let then = then.map_or(Ok(condition), |then| self.value(then))?;
        self.push(Instr::Assign { dst: result, value: then.expr }, loc);
        self.push(Instr::Jump(end), loc);
        self.place(skip, loc);
        let otherwise = self.value(otherwise)?;
        self.push(Instr::Assign { dst: result, value: otherwise.expr }, loc);
        self.place(end, loc);
        Ok(Value { expr: Expr::Reg(result), ty: common(then.ty, otherwise.ty) })
    }

    fn assign(&mut self, op: Option<AstOp>, place: &AstExpr, value: &AstExpr, loc: Loc) -> Done<Value> {
        let place = self.place_of(place)?;
        let value = match op {
            None => self.value(value)?,
            Some(op) => {
                let before = self.read(&place, loc)?;
                let value = self.value(value)?;
                self.binary(op, before, value, loc)?
            }
        };
        self.write(place, value, loc)
    }

    pub fn place_of(&mut self, e: &AstExpr) -> Done<Place> {
        match &e.kind {
            ExprKind::Ident(name) => Ok(Place::Variable(*name)),
            ExprKind::Unary(AstUnary::Deref, operand) => {
                let value = self.value(operand)?;
                Ok(Place::Memory { ty: pointee(value.ty), addr: value.expr })
            }
            ExprKind::Index(base, index) => {
                let base = self.value(base)?;
                let index = self.value(index)?;
                let ty = common(base.ty, index.ty);
                let sum = self.sum(AstOp::Add, base, index, ty);
                Ok(Place::Memory { ty: pointee(sum.ty), addr: sum.expr })
            }
            ExprKind::Member(..) | ExprKind::Arrow(..) => {
                Err(self.unsupported(e.loc, "structures are not supported in litmus tests"))
            }
            _ => Err(Diagnostic::error(e.loc, "this is neither a variable nor memory")),
        }
    }

    fn read(&mut self, place: &Place, loc: Loc) -> Done<Value> {
        match place {
            Place::Memory { addr, ty } => Ok(self.load(addr.clone(), *ty, plain(), loc)),
            Place::Variable(name) => Ok(self.variable_value(*name)),
        }
    }

    pub fn variable_value(&mut self, name: Symbol) -> Value {
        match self.variable(name) {
            Variable::Local(reg, ty) => Value { expr: Expr::Reg(reg), ty },
            Variable::Address(id, ty) => Value { expr: Expr::Const(self.start.address(id)), ty: ty.pointer_to() },
        }
    }

    /// Whether a name stands for an address.
    pub fn is_pointer(&mut self, name: Symbol) -> bool {
        self.variable_value(name).ty.is_pointer()
    }

    fn write(&mut self, place: Place, value: Value, loc: Loc) -> Done<Value> {
        match place {
            Place::Memory { addr, ty } => {
                let value = converted(value, ty);
                self.store(addr, value.clone(), plain(), loc);
                Ok(value)
            }
            Place::Variable(name) => self.assign_variable(name, value, loc),
        }
    }

    pub fn assign_variable(&mut self, name: Symbol, value: Value, loc: Loc) -> Done<Value> {
        match self.variable(name) {
            Variable::Local(dst, ty) => {
                let value = converted(value, ty).expr;
                self.push(Instr::Assign { dst, value }, loc);
                Ok(Value { expr: Expr::Reg(dst), ty })
            }
            Variable::Address(..) => Err(self.unsupported(loc, "assigning to a parameter is not supported")),
        }
    }

    /// A value that stays what it is when variables change.
    pub fn kept(&mut self, value: Value, loc: Loc) -> Value {
        if matches!(value.expr, Expr::Const(_)) {
            return value;
        }
        let dst = self.fresh();
        self.push(Instr::Assign { dst, value: value.expr }, loc);
        Value { expr: Expr::Reg(dst), ty: value.ty }
    }

    pub fn load(&mut self, addr: Expr, ty: CType, tags: Tags, loc: Loc) -> Value {
        let dst = self.fresh();
        self.push(Instr::Load { dst, addr, width: Width::W64, tags, exclusive: false }, loc);
        Value { expr: Expr::Reg(dst), ty }
    }

    /// `value` has the type of what is there.
    pub fn store(&mut self, addr: Expr, value: Value, tags: Tags, loc: Loc) {
        self.push(Instr::Store { addr, value: value.expr, width: Width::W64, tags }, loc);
    }
}

pub(super) fn converted(value: Value, ty: CType) -> Value {
    let expr = if fits(value.ty, ty) { value.expr } else { wrap(ty, value.expr) };
    Value { expr, ty }
}

/// What a value points to; addresses are also kept in integers.
pub(super) fn pointee(ty: CType) -> CType {
    ty.target().unwrap_or(CType::LONG)
}

/// Whether an expression only computes: no memory, no assignment.
fn is_pure(e: &AstExpr) -> bool {
    match &e.kind {
        ExprKind::Ident(_) | ExprKind::Number(_) => true,
        ExprKind::Unary(AstUnary::Plus | AstUnary::Minus | AstUnary::BitNot | AstUnary::Not, operand)
        | ExprKind::Cast(_, operand) => is_pure(operand),
        ExprKind::Binary(_, lhs, rhs) => is_pure(lhs) && is_pure(rhs),
        _ => false,
    }
}
