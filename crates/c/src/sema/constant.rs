//! Constant expressions: integers where the language asks for one, and what static initialisers may contain.
//!
//! Most constants are folded while the tree is built. What is left to evaluate here are operations that were not
//! folded so that later checks can see them, lazily evaluated branches, and addresses.

use super::Checker;
use super::fold::{float_operation, holds};
use crate::ast;
use crate::ctype::{FloatType, QualType, Type, TypeId};
use crate::tree::{BinaryOp, CompareOp, Expr, ExprKind, Function, FunctionId, ObjectId, Size};
use norn_ir::number::{low_64, toward_zero};
use norn_ir::source::Loc;

/// The value of a constant expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Value {
    /// The number, in the range of its type; of `unsigned __int128` its bits.
    Int(i128),
    Float(f64),
    Object(ObjectId, i64),
    Function(FunctionId),
}

/// Why an expression is not constant, and where.
#[derive(Debug)]
pub(crate) struct NotConstant {
    pub(crate) loc: Loc,
    pub(crate) message: String,
}

type Evaluated<T> = Result<T, NotConstant>;

fn not_constant<T>(loc: Loc, message: &str) -> Evaluated<T> {
    Err(NotConstant { loc, message: message.to_owned() })
}

impl Checker<'_> {
    /// The value of an integer constant expression; reports and returns `None` if it is none.
    pub(crate) fn required_int(&mut self, e: &ast::Expr, what: &str) -> Option<i128> {
        self.required_typed_int(e, what).map(|(value, _)| value)
    }

    /// The same, and the type of the expression.
    pub(super) fn required_typed_int(&mut self, e: &ast::Expr, what: &str) -> Option<(i128, QualType)> {
        let value = self.rvalue(e);
        if self.is_error(value.ty) {
            return None;
        }
        if !self.is_integer(value.ty) {
            let text = self.text(value.ty);
            self.error(e.loc, format!("{what} must be an integer, but has type {text}"));
            return None;
        }
        match self.evaluate_int(&value) {
            Ok(n) if i64::try_from(n).is_err() && u64::try_from(n).is_err() => {
                self.error(e.loc, format!("{what} does not fit into 64 bits"));
                None
            }
            Ok(n) => Some((n, value.ty)),
            Err(problem) => {
                self.error(problem.loc, format!("{what} must be constant: {}", problem.message));
                None
            }
        }
    }

    /// The value of an expression if it is an integer constant. Says nothing if it is not.
    pub(crate) fn constant_int(&mut self, e: &ast::Expr) -> Option<i128> {
        let value = self.unevaluated_expr(e);
        let value = self.value_of(value);
        self.evaluate_int(&value).ok()
    }

    pub(crate) fn evaluate_int(&self, e: &Expr) -> Evaluated<i128> {
        match self.evaluate(e)? {
            Value::Int(n) => Ok(n),
            _ => not_constant(e.loc, "this is not an integer"),
        }
    }

    /// The value of an expression that can be computed without running the program.
    pub(crate) fn evaluate(&self, e: &Expr) -> Evaluated<Value> {
        Evaluator { checker: self, reads_const_objects: false }.evaluate(e)
    }

    /// The same in the initialiser of a static object, where GNU C reads `const` objects, too.
    pub(super) fn evaluate_initialiser(&self, e: &Expr) -> Evaluated<Value> {
        Evaluator { checker: self, reads_const_objects: true }.evaluate(e)
    }

    /// Cuts a number to the width of its type.
    fn wrapped(&self, n: i128, ty: QualType) -> i128 {
        if self.is_wide(ty) { n } else { self.number_of(self.cut(low_64(n), ty), ty) }
    }
}

/// Evaluates expressions without running the program.
struct Evaluator<'c, 'a> {
    checker: &'c Checker<'a>,
    reads_const_objects: bool,
}

impl Evaluator<'_, '_> {
    fn evaluate_int(&self, e: &Expr) -> Evaluated<i128> {
        match self.evaluate(e)? {
            Value::Int(n) => Ok(n),
            _ => not_constant(e.loc, "this is not an integer"),
        }
    }

    fn evaluate(&self, e: &Expr) -> Evaluated<Value> {
        let (ty, loc) = (e.ty, e.loc);
        match &e.kind {
            ExprKind::Int(bits) => Ok(Value::Int(self.checker.number_of(*bits, ty))),
            ExprKind::Float(value) => Ok(Value::Float(*value)),
            ExprKind::Function(id) => Ok(Value::Function(*id)),
            ExprKind::AddressOf(place) => self.evaluate_address(place),
            ExprKind::Convert(inner) => {
                let value = self.evaluate(inner)?;
                self.converted_value(value, inner.ty, ty, loc)
            }
            ExprKind::Negate(inner) => match self.evaluate(inner)? {
                Value::Int(n) => Ok(Value::Int(self.checker.wrapped(n.wrapping_neg(), ty))),
                Value::Float(value) => Ok(Value::Float(-value)),
                _ => not_constant(loc, "an address cannot be negated"),
            },
            ExprKind::BitNot(inner) => Ok(Value::Int(self.checker.wrapped(!self.evaluate_int(inner)?, ty))),
            ExprKind::Not(inner) => Ok(Value::Int(i128::from(!self.evaluate_truth(inner)?))),
            ExprKind::Binary(op, l, r) => self.evaluate_binary(*op, l, r, ty, loc),
            ExprKind::Compare(op, l, r) => self.evaluate_comparison(*op, l, r, loc),
            ExprKind::PointerAdd { pointer, index, size: Size::Const(size), subtract } => {
                let index = self.evaluate_int(index)?;
                let bytes = index.saturating_mul(i128::from(*size)) * if *subtract { -1 } else { 1 };
                match self.evaluate(pointer)? {
                    Value::Int(n) => Ok(Value::Int(self.checker.wrapped(n.saturating_add(bytes), ty))),
                    Value::Object(id, offset) => Ok(Value::Object(id, offset.wrapping_add(low_64(bytes) as i64))),
                    _ if bytes == 0 => self.evaluate(pointer),
                    _ => not_constant(loc, "this address is not constant"),
                }
            }
            ExprKind::PointerDiff { lhs, rhs, size: Size::Const(size) } if *size > 0 => {
                match (self.evaluate(lhs)?, self.evaluate(rhs)?) {
                    (Value::Int(l), Value::Int(r)) => Ok(Value::Int((l - r) / i128::from(*size))),
                    (Value::Object(a, l), Value::Object(b, r)) if a == b => {
                        Ok(Value::Int((i128::from(l) - i128::from(r)) / i128::from(*size)))
                    }
                    _ => not_constant(loc, "the distance of these addresses is not constant"),
                }
            }
            ExprKind::And(l, r) => Ok(Value::Int(i128::from(self.evaluate_truth(l)? && self.evaluate_truth(r)?))),
            ExprKind::Or(l, r) => Ok(Value::Int(i128::from(self.evaluate_truth(l)? || self.evaluate_truth(r)?))),
            ExprKind::Conditional { condition, then, otherwise } => match self.evaluate_truth(condition)? {
                true => self.evaluate(then),
                false => self.evaluate(otherwise),
            },
            ExprKind::Load(place) if self.reads_const_objects => match self.checker.known_value(place) {
                Some(value) => Ok(value),
                None => not_constant(loc, "the value of an object is only known when the program runs"),
            },
            ExprKind::Load(_) => not_constant(loc, "the value of an object is only known when the program runs"),
            ExprKind::Call { .. } => not_constant(loc, "a function is called"),
            ExprKind::Assign(..) | ExprKind::Update { .. } => not_constant(loc, "an object is changed"),
            _ => not_constant(loc, "its value is only known when the program runs"),
        }
    }

    fn is_unsigned_wide(&self, ty: QualType) -> bool {
        self.checker.is_wide(ty) && !self.checker.is_signed(ty)
    }

    fn evaluate_truth(&self, e: &Expr) -> Evaluated<bool> {
        Ok(match self.evaluate(e)? {
            Value::Int(n) => n != 0,
            Value::Float(value) => value != 0.0,
            value if self.may_be_null(value) => return not_constant(e.loc, "a weak symbol may be null"),
            Value::Object(..) | Value::Function(_) => true,
        })
    }

    /// Whether a value is the address of a weak symbol.
    fn may_be_null(&self, value: Value) -> bool {
        match value {
            Value::Object(id, _) => self.checker.unit.objects[id.0 as usize].symbolic.weak,
            Value::Function(id) => self.checker.unit.functions[id.0 as usize].symbolic.weak,
            Value::Int(_) | Value::Float(_) => false,
        }
    }

    /// Whether two functions are the same, as far as their unit knows.
    fn is_same_function(&self, a: FunctionId, b: FunctionId) -> Option<bool> {
        let functions = &self.checker.unit.functions;
        let (f, g) = (&functions[a.0 as usize], &functions[b.0 as usize]);
        let is_certain = |f: &Function| !f.symbolic.weak && f.symbolic.alias.is_none();
        match a == b {
            true => Some(true),
            false => (is_certain(f) && is_certain(g) && f.name != g.name).then_some(false),
        }
    }

    /// The address of a place.
    fn evaluate_address(&self, place: &Expr) -> Evaluated<Value> {
        match &place.kind {
            ExprKind::Object(id) if self.checker.unit.objects[id.0 as usize].thread_local => {
                not_constant(place.loc, "every thread has its own instance of the object")
            }
            ExprKind::Object(id) => Ok(Value::Object(*id, 0)),
            ExprKind::Deref(pointer) => self.evaluate(pointer),
            ExprKind::Member { base, offset, .. } => match self.evaluate_address(base)? {
                Value::Object(id, start) => Ok(Value::Object(id, start.wrapping_add(*offset as i64))),
                Value::Int(n) => Ok(Value::Int(n + i128::from(*offset))),
                _ => not_constant(place.loc, "this address is not constant"),
            },
            _ => not_constant(place.loc, "the address of a local object is only known when the program runs"),
        }
    }

    fn converted_value(&self, value: Value, from: QualType, to: QualType, loc: Loc) -> Evaluated<Value> {
        let to_float = matches!(self.checker.kind(to), Type::Float(_));
        match value {
            Value::Int(n) if to.ty == TypeId::BOOL => Ok(Value::Int(i128::from(n != 0))),
            Value::Int(n) if to_float && self.is_unsigned_wide(from) => {
                let nearest = match self.checker.kind(to) {
                    Type::Float(FloatType::Float) => f64::from(n as u128 as f32),
                    _ => n as u128 as f64,
                };
                Ok(Value::Float(nearest))
            }
            Value::Int(n) if to_float => Ok(Value::Float(self.checker.round(n as f64, to))),
            Value::Int(n) if self.checker.is_scalar(to) => Ok(Value::Int(self.checker.wrapped(n, to))),
            Value::Float(v) if to.ty == TypeId::BOOL => Ok(Value::Int(i128::from(v != 0.0))),
            Value::Float(v) if to_float => Ok(Value::Float(self.checker.round(v, to))),
            Value::Float(v) if self.is_unsigned_wide(to) => Ok(Value::Int(toward_zero::<u128>(v) as i128)),
            Value::Float(v) if self.checker.is_integer(to) => Ok(Value::Int(self.checker.wrapped(toward_zero(v), to))),
            Value::Object(..) | Value::Function(_) if to.ty == TypeId::BOOL && self.may_be_null(value) => {
                not_constant(loc, "a weak symbol may be null")
            }
            Value::Object(..) | Value::Function(_) if to.ty == TypeId::BOOL => Ok(Value::Int(1)),
            Value::Object(..) | Value::Function(_)
                if self.checker.is_scalar(to)
                    && !to_float
                    && self.checker.size_of(to) >= self.checker.size_of(from) =>
            {
                Ok(value)
            }
            Value::Object(..) | Value::Function(_) => not_constant(loc, "an address does not fit into this type"),
            _ => not_constant(loc, "this conversion is not constant"),
        }
    }

    fn evaluate_binary(&self, op: BinaryOp, l: &Expr, r: &Expr, ty: QualType, loc: Loc) -> Evaluated<Value> {
        match (self.evaluate(l)?, self.evaluate(r)?) {
            (Value::Int(_), Value::Int(0)) if matches!(op, BinaryOp::Div | BinaryOp::Rem) => {
                not_constant(loc, "division by zero")
            }
            (Value::Int(l), Value::Int(r)) => match self.checker.int_operation(op, l, r, ty) {
                Some(n) => Ok(Value::Int(self.checker.wrapped(n, ty))),
                None => not_constant(loc, "a shift by more bits than the type has, or by a negative number"),
            },
            (Value::Float(l), Value::Float(r)) => match float_operation(op, l, r) {
                Some(value) => Ok(Value::Float(self.checker.round(value, ty))),
                None => not_constant(loc, "this operation is not for floating numbers"),
            },
            // An address that went through an integer of pointer width.
            (Value::Object(id, offset), Value::Int(n)) if op == BinaryOp::Add => {
                Ok(Value::Object(id, offset.wrapping_add(low_64(n) as i64)))
            }
            (Value::Int(n), Value::Object(id, offset)) if op == BinaryOp::Add => {
                Ok(Value::Object(id, offset.wrapping_add(low_64(n) as i64)))
            }
            (Value::Object(id, offset), Value::Int(n)) if op == BinaryOp::Sub => {
                Ok(Value::Object(id, offset.wrapping_sub(low_64(n) as i64)))
            }
            (Value::Object(a, l), Value::Object(b, r)) if op == BinaryOp::Sub && a == b => {
                Ok(Value::Int(i128::from(l) - i128::from(r)))
            }
            _ => not_constant(loc, "arithmetic with this address is not constant"),
        }
    }

    fn evaluate_comparison(&self, op: CompareOp, l: &Expr, r: &Expr, loc: Loc) -> Evaluated<Value> {
        let truth = match (self.evaluate(l)?, self.evaluate(r)?) {
            (Value::Int(a), Value::Int(b)) if self.is_unsigned_wide(l.ty) => holds(op, &(a as u128), &(b as u128)),
            (Value::Int(l), Value::Int(r)) => holds(op, &l, &r),
            (Value::Float(l), Value::Float(r)) => holds(op, &l, &r),
            (Value::Object(a, l), Value::Object(b, r)) if a == b => holds(op, &l, &r),
            (value @ (Value::Object(..) | Value::Function(_)), Value::Int(0))
            | (Value::Int(0), value @ (Value::Object(..) | Value::Function(_)))
                if matches!(op, CompareOp::Eq | CompareOp::Ne) && !self.may_be_null(value) =>
            {
                op == CompareOp::Ne
            }
            (Value::Function(a), Value::Function(b)) if matches!(op, CompareOp::Eq | CompareOp::Ne) => {
                match self.is_same_function(a, b) {
                    Some(same) => same == (op == CompareOp::Eq),
                    None => return not_constant(loc, "only linking tells whether these functions are the same"),
                }
            }
            _ => return not_constant(loc, "the order of these addresses is not constant"),
        };
        Ok(Value::Int(i128::from(truth)))
    }
}
