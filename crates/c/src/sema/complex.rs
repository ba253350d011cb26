//! Complex numbers, as GCC computes with them.
//!
//! A number that is not complex is not made one where that could be told from the result: `2 * z` multiplies both parts, and does
//! not add 0 times the other part, which may be infinite. A product of which both parts are not numbers is not supported: C's
//! Annex G has it repaired if an operand is infinite. Neither is the quotient of two complex floating numbers, which every version of
//! the compiler's library rounds in its own way.

use super::Checker;
use super::elements::Operand;
use crate::ctype::{QualType, Type, TypeId};
use crate::tree::{BinaryOp, CompareOp, Expr, ExprKind};
use norn_ir::number::to_usize;
use norn_ir::source::Loc;

impl Checker<'_> {
    pub(crate) fn is_complex(&self, ty: QualType) -> bool {
        matches!(self.kind(ty), Type::Complex(_))
    }

    /// The type of the parts of a complex number; other types are their own.
    pub(crate) fn part_type(&self, ty: QualType) -> QualType {
        match self.kind(ty) {
            Type::Complex(part) => QualType::unqualified(*part),
            _ => ty,
        }
    }

    pub(crate) fn complex_of(&mut self, part: QualType) -> QualType {
        QualType::unqualified(self.types.intern(Type::Complex(part.ty)))
    }

    /// The type of the parts of what an operation with a complex number results in. Parts are not promoted.
    fn common_part(&self, l: &Expr, r: &Expr) -> QualType {
        let part = |e: &Expr| if self.is_complex(e.ty) { self.part_type(e.ty) } else { self.promoted_type(e) };
        let (l, r) = (part(l), part(r));
        let rank = |ty: QualType| self.types.int_type(ty.ty).map(|int| int.rank());
        match (rank(l), rank(r)) {
            _ if l.ty == r.ty => l,
            (Some(a), Some(b)) if a.max(b) < 3 && a != b => {
                if a > b {
                    l
                } else {
                    r
                }
            }
            (Some(a), Some(b)) if a.max(b) < 3 => {
                if self.is_signed(l) {
                    r
                } else {
                    l
                }
            }
            _ => QualType::unqualified(self.common_type(l.ty, r.ty)),
        }
    }

    /// The type of a conditional expression with a branch that is complex.
    pub(super) fn complex_choice(&mut self, then: &Expr, otherwise: &Expr) -> Option<QualType> {
        if !self.with_complex(then.ty, otherwise.ty) {
            return None;
        }
        let part = self.common_part(then, otherwise);
        Some(self.complex_of(part))
    }

    /// `__real__ e` and `__imag__ e`.
    pub(crate) fn complex_part(&mut self, e: Expr, imaginary: bool, loc: Loc) -> Expr {
        if self.is_complex(e.ty) {
            let index = u64::from(imaginary);
            if let ExprKind::Elements(elements) = e.kind {
                let ty = e.ty;
                return match self.taken_apart(Expr { kind: ExprKind::Elements(elements), ty, loc }) {
                    Some(operand) => {
                        let part = self.element_at(&operand, index);
                        self.after([operand], part)
                    }
                    None => self.error_expr(loc),
                };
            }
            let part = self.element_place(e, index);
            return Expr { loc, ..part };
        }
        if !self.is_arithmetic(e.ty) {
            let text = self.text(e.ty);
            self.error(loc, format!("only numbers have a real and an imaginary part, not {text}"));
            return self.error_expr(loc);
        }
        if !imaginary {
            return e;
        }
        let value = self.value_of(e);
        let zero = self.int_constant(0, self.int_type(), loc);
        let zero = self.converted(zero, value.ty);
        match value.kind {
            ExprKind::Int(_) | ExprKind::Float(_) => zero,
            _ => self.comma(value, zero),
        }
    }

    /// A complex number as a number of another type, or any number as a complex one.
    pub(super) fn complex_conversion(&mut self, e: Expr, to: QualType) -> Expr {
        let loc = e.loc;
        if let Some(what) = self.unsupported_values(to).or(self.unsupported_values(e.ty))
            && !matches!(e.kind, ExprKind::Elements(_) | ExprKind::Int(_) | ExprKind::Float(_))
        {
            return self.unsupported(what, to, loc);
        }
        if !self.is_complex(to) {
            if to.ty == TypeId::BOOL {
                let truth = self.complex_truth(e);
                return self.converted(truth, to);
            }
            let real = self.complex_part(e, false, loc);
            let real = self.value_of(real);
            return self.converted(real, to);
        }
        let part = self.part_type(to);
        if !self.is_complex(e.ty) {
            let real = self.converted(e, part);
            let zero = self.int_constant(0, self.int_type(), loc);
            let imaginary = self.converted(zero, part);
            return self.composed(vec![real, imaginary], to, loc);
        }
        let Some(operand) = self.taken_apart(e) else { return self.error_expr(loc) };
        let parts = [0, 1].map(|i| {
            let part_value = self.element_at(&operand, i);
            self.converted(part_value, part)
        });
        let value = self.composed(parts.into(), to, loc);
        self.after([operand], value)
    }

    /// Whether a complex number is not zero, as an `int`.
    pub(super) fn complex_truth(&mut self, e: Expr) -> Expr {
        let zero = self.int_constant(0, self.int_type(), e.loc);
        let loc = e.loc;
        self.complex_comparison(CompareOp::Ne, e, zero, loc)
    }

    /// `==` and `!=` of which an operand is complex.
    pub(super) fn complex_comparison(&mut self, op: CompareOp, l: Expr, r: Expr, loc: Loc) -> Expr {
        let part = self.common_part(&l, &r);
        let common = self.complex_of(part);
        let (l, r) = (self.converted(l, common), self.converted(r, common));
        let (Some(l), Some(r)) = (self.taken_apart(l), self.taken_apart(r)) else { return self.error_expr(loc) };
        let [real, imaginary] = [0, 1].map(|i| {
            let (l, r) = (self.element_at(&l, i), self.element_at(&r, i));
            self.comparison(op, l, r, loc)
        });
        let both = self.logical(op == CompareOp::Ne, real, imaginary, loc);
        self.after([l, r], both)
    }

    /// `-z`, `~z` (the conjugate) and `+z`.
    pub(crate) fn complex_unary(&mut self, e: Expr, negates: [bool; 2], loc: Loc) -> Expr {
        let ty = e.ty;
        let Some(operand) = self.taken_apart(e) else { return self.error_expr(loc) };
        let parts = [0, 1].map(|i| {
            let part = self.element_at(&operand, i);
            if negates[to_usize(i)] { self.part_of(ty, |c| c.negation(part, loc)) } else { part }
        });
        let value = self.composed(parts.into(), ty, loc);
        self.after([operand], value)
    }

    fn part_of(&mut self, ty: QualType, compute: impl FnOnce(&Self) -> Expr) -> Expr {
        let value = compute(self);
        let part = self.part_type(ty);
        self.converted(value, part)
    }

    /// `+`, `-`, `*` and `/` of which an operand is complex.
    pub(super) fn complex_arithmetic(&mut self, op: BinaryOp, l: Expr, r: Expr, loc: Loc) -> Expr {
        let part = self.common_part(&l, &r);
        let ty = self.complex_of(part);
        if let Some(what) = self.unsupported_values(ty) {
            return self.unsupported(what, ty, loc);
        }
        let is_float = matches!(self.kind(part), Type::Float(_));
        let (l_complex, r_complex) = (self.is_complex(l.ty), self.is_complex(r.ty));
        let mixed = is_float && l_complex != r_complex && (op != BinaryOp::Div || l_complex);
        if is_float && op == BinaryOp::Div && !mixed {
            return self.unsupported("a division by a complex floating number", ty, loc);
        }
        let to = |is_complex: bool| if mixed && !is_complex { part } else { ty };
        let (l_type, r_type) = (to(l_complex), to(r_complex));
        let (l, r) = (self.converted(l, l_type), self.converted(r, r_type));
        let (Some(l), Some(r)) = (self.taken_apart(l), self.taken_apart(r)) else { return self.error_expr(loc) };
        let parts = Parts { checker: self, l: &l, r: &r, loc };
        let [real, imaginary] = match op {
            BinaryOp::Add | BinaryOp::Sub if mixed && l_complex => [parts.both(op, 0), parts.left(1)],
            BinaryOp::Add if mixed => [parts.both(op, 0), parts.right(1)],
            BinaryOp::Sub if mixed => [parts.both(op, 0), self.negation(self.element_at(&r, 1), loc)],
            BinaryOp::Add | BinaryOp::Sub => [parts.both(op, 0), parts.both(op, 1)],
            _ if mixed => [parts.both(op, 0), parts.both(op, 1)],
            BinaryOp::Mul => parts.product(),
            _ => return self.complex_quotient(l, r, ty, loc),
        };
        let (real, imaginary) = (self.converted(real, part), self.converted(imaginary, part));
        let value = self.composed(vec![real, imaginary], ty, loc);
        let value = if is_float && op == BinaryOp::Mul && !mixed { self.unless_nan(value, loc) } else { value };
        self.after([l, r], value)
    }

    /// A quotient of integers, by the larger part of the divisor as in Smith's method.
    fn complex_quotient(&mut self, l: Operand, r: Operand, ty: QualType, loc: Loc) -> Expr {
        let magnitude = |c: &Self, i| {
            let (value, zero) = (c.element_at(&r, i), c.int_constant(0, c.part_type(ty), loc));
            let is_negative = c.comparison(CompareOp::Lt, value, zero, loc);
            choice(is_negative, c.negation(c.element_at(&r, i), loc), c.element_at(&r, i))
        };
        let is_imaginary_larger = self.comparison(CompareOp::Lt, magnitude(self, 0), magnitude(self, 1), loc);
        let Some(swapped) = self.taken_apart(is_imaginary_larger) else { return self.error_expr(loc) };
        let is_swapped = |c: &Self| c.element_at(&swapped, 0);
        let larger = choice(is_swapped(self), self.element_at(&r, 1), self.element_at(&r, 0));
        let smaller = choice(is_swapped(self), self.element_at(&r, 0), self.element_at(&r, 1));
        let (Some(larger), Some(smaller)) = (self.taken_apart(larger), self.taken_apart(smaller)) else {
            return self.error_expr(loc);
        };
        let part = |c: &Self, operand: &Operand, i| c.element_at(operand, i);
        let ratio = self.arithmetic(BinaryOp::Div, part(self, &smaller, 0), part(self, &larger, 0), loc);
        let Some(ratio) = self.taken_apart(ratio) else { return self.error_expr(loc) };
        let times = |c: &Self, value: Expr| c.arithmetic(BinaryOp::Mul, value, part(c, &ratio, 0), loc);
        let divisor = times(self, part(self, &smaller, 0));
        let divisor = self.arithmetic(BinaryOp::Add, divisor, part(self, &larger, 0), loc);
        let Some(divisor) = self.taken_apart(divisor) else { return self.error_expr(loc) };
        let combined = |c: &Self, op, i: u64, scaled: u64| {
            let scaled = times(c, part(c, &l, scaled));
            c.arithmetic(op, scaled, part(c, &l, i), loc)
        };
        let swapped_real = combined(self, BinaryOp::Add, 1, 0);
        let real = combined(self, BinaryOp::Add, 0, 1);
        let swapped_imaginary = combined(self, BinaryOp::Sub, 0, 1);
        let imaginary = self.arithmetic(BinaryOp::Sub, part(self, &l, 1), times(self, part(self, &l, 0)), loc);
        let real = choice(is_swapped(self), swapped_real, real);
        let imaginary = choice(is_swapped(self), swapped_imaginary, imaginary);
        let parts =
            [real, imaginary].map(|value| self.arithmetic(BinaryOp::Div, value, part(self, &divisor, 0), loc)).into();
        let value = self.composed(parts, ty, loc);
        self.after([l, r, swapped, larger, smaller, ratio, divisor], value)
    }

    /// A product, unless neither of its parts is a number.
    fn unless_nan(&mut self, product: Expr, loc: Loc) -> Expr {
        let ty = product.ty;
        let Some(operand) = self.taken_apart(product) else { return self.error_expr(loc) };
        let [real, imaginary] = [0, 1].map(|i| {
            let (part, same) = (self.element_at(&operand, i), self.element_at(&operand, i));
            self.comparison(CompareOp::Ne, part, same, loc)
        });
        let parts = vec![self.element_at(&operand, 0), self.element_at(&operand, 1)];
        let product = self.composed(parts, ty, loc);
        let neither = self.logical(false, real, imaginary, loc);
        let value = match neither.kind {
            ExprKind::Int(0) => product,
            _ => {
                let otherwise = Box::new(product);
                let then = Box::new(self.unsupported("a complex product that is not a number", ty, loc));
                Expr { kind: ExprKind::Conditional { condition: Box::new(neither), then, otherwise }, ty, loc }
            }
        };
        self.after([operand], value)
    }
}

/// The parts of two operands of one operation.
struct Parts<'p, 'a> {
    checker: &'p Checker<'a>,
    l: &'p Operand,
    r: &'p Operand,
    loc: Loc,
}

impl Parts<'_, '_> {
    fn left(&self, i: u64) -> Expr {
        self.checker.element_at(self.l, i)
    }

    fn right(&self, i: u64) -> Expr {
        self.checker.element_at(self.r, i)
    }

    /// The operation on the parts at one place.
    fn both(&self, op: BinaryOp, i: u64) -> Expr {
        self.checker.arithmetic(op, self.left(i), self.right(i), self.loc)
    }

    fn times(&self, i: u64, j: u64) -> Expr {
        self.checker.arithmetic(BinaryOp::Mul, self.left(i), self.right(j), self.loc)
    }

    fn product(&self) -> [Expr; 2] {
        let real = self.checker.arithmetic(BinaryOp::Sub, self.times(0, 0), self.times(1, 1), self.loc);
        let imaginary = self.checker.arithmetic(BinaryOp::Add, self.times(0, 1), self.times(1, 0), self.loc);
        [real, imaginary]
    }
}

/// `condition ? then : otherwise` of two values of one type.
fn choice(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    let (ty, loc) = (then.ty, then.loc);
    match condition.kind {
        ExprKind::Int(0) => otherwise,
        ExprKind::Int(_) => then,
        _ => {
            let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
            Expr { kind: ExprKind::Conditional { condition, then, otherwise }, ty, loc }
        }
    }
}
