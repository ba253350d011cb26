//! `__int128`: the IR has no type for it, so its values are two 64-bit halves in registers, and objects in memory are passed
//! and returned like structs of two integers. An access that is not atomic is two accesses, as it is on hardware.
//!
//! Signed arithmetic wraps like that of the other types. Where overflow is checked, it is found by a signed addition that
//! overflows exactly if the operation does; division by zero, and of the smallest number by -1, by such a division of 64 bits.

use super::function::{FunctionBuilder, Held};
use super::ir_types::{Passing, Scalar};
use crate::ctype;
use crate::tree::{self, Builtin, Expr, ExprKind, Update, UpdateResult};
use norn_ir::instr::{Access, BinaryOp, CastOp, CompareOp, Const, InstrKind, NondetSource, Operand, Order, UnaryOp};
use norn_ir::number::halves;
use norn_ir::types::Ty;

/// The halves of a value, of type `I64`.
#[derive(Clone, Copy)]
pub struct Wide {
    pub low: Operand,
    pub high: Operand,
}

/// The operand of an update, evaluated.
#[derive(Clone, Copy)]
pub enum UpdateOperand {
    /// With the number of bytes that an index counts.
    Scalar(Operand, i64),
    Wide(Wide),
}

const HALF: Scalar = Scalar { ty: Ty::I64, signed: false, is_bool: false };

impl<'a> FunctionBuilder<'_, 'a> {
    /// Whether values of a type have 128 bits.
    pub fn is_wide(&self, ty: ctype::TypeId) -> bool {
        self.p.layouts.wide(ty).is_some()
    }

    fn is_signed_wide(&self, ty: ctype::TypeId) -> bool {
        self.p.layouts.wide(ty) == Some(true)
    }

    /// The value of an expression of 128 bits.
    pub fn wide(&mut self, e: &'a Expr) -> Wide {
        self.deeper(e, |f| f.wide_inner(e), |f| f.wide_constant(0))
    }

    fn wide_inner(&mut self, e: &'a Expr) -> Wide {
        let signed = self.is_signed_wide(e.ty.ty);
        match &e.kind {
            ExprKind::Load(place) | ExprKind::Assign(place, _) | ExprKind::Update { place, .. }
                if is_bit_field(place) =>
            {
                self.set_loc(e.loc);
                self.unsupported(WIDE_BIT_FIELD.to_owned());
                self.wide_constant(0)
            }
            ExprKind::Convert(inner) => self.widened(e, inner),
            ExprKind::Negate(inner) => {
                let value = self.wide(inner);
                self.set_loc(e.loc);
                let zero = self.wide_constant(0);
                self.wide_arithmetic(tree::BinaryOp::Sub, signed, zero, value)
            }
            ExprKind::BitNot(inner) => {
                let value = self.wide(inner);
                self.set_loc(e.loc);
                let ones = self.wide_constant(u128::MAX);
                self.wide_bitwise(BinaryOp::Xor, value, ones)
            }
            ExprKind::Binary(op @ (tree::BinaryOp::Shl | tree::BinaryOp::Shr), lhs, rhs) => {
                let left = self.wide(lhs);
                let left = self.hold_wide(left);
                let amount = self.wide_shift_amount(rhs);
                let left = self.release_wide(left);
                self.set_loc(e.loc);
                self.wide_shift(*op, signed, left, amount)
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let left = self.wide(lhs);
                let left = self.hold_wide(left);
                let right = self.wide(rhs);
                let left = self.release_wide(left);
                self.set_loc(e.loc);
                self.wide_arithmetic(*op, signed, left, right)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let (low, high) = (self.register(Ty::I64), self.register(Ty::I64));
                let (yes, no, end) = (self.new_block(), self.new_block(), self.new_block());
                self.branch(condition, yes, no);
                for (block, value) in [(yes, then), (no, otherwise)] {
                    self.start_branch(block);
                    let value = self.wide(value);
                    self.emit(InstrKind::Copy { dst: low, src: value.low });
                    self.emit(InstrKind::Copy { dst: high, src: value.high });
                    self.goto(end);
                }
                self.start_branch(end);
                Wide { low: Operand::Reg(low), high: Operand::Reg(high) }
            }
            ExprKind::Comma(a, b) => {
                self.discard(a);
                self.wide(b)
            }
            ExprKind::Assign(place, value) => self.wide_assignment(e, place, value),
            ExprKind::Update { place, update, result } => self.wide_update(e, place, update, *result),
            ExprKind::Builtin(builtin) if let Builtin::Nondet(name) = &**builtin => {
                self.set_loc(e.loc);
                let low = self.nondet(HALF, NondetSource::Input(name.clone()));
                let high = self.nondet(HALF, NondetSource::Input(name.clone()));
                Wide { low, high }
            }
            ExprKind::Builtin(builtin) if matches!(**builtin, Builtin::Unsupported(_)) => {
                self.builtin(e, builtin);
                self.wide_constant(0)
            }
            ExprKind::Load(place) if !place.ty.qualifiers.is_atomic => {
                let from = self.address(place);
                self.set_loc(e.loc);
                self.load_wide(from, Access { order: Order::Plain, volatile: place.ty.qualifiers.is_volatile })
            }
            _ => {
                let from = self.aggregate(e);
                self.set_loc(e.loc);
                self.load_wide(from, Access::PLAIN)
            }
        }
    }

    /// Whether a value is computed in registers, rather than found in an object.
    pub fn is_computed_wide(&self, e: &Expr) -> bool {
        let is_computed = match &e.kind {
            ExprKind::Convert(_)
            | ExprKind::Negate(_)
            | ExprKind::BitNot(_)
            | ExprKind::Binary(..)
            | ExprKind::Conditional { .. }
            | ExprKind::Assign(..)
            | ExprKind::Update { .. } => true,
            ExprKind::Builtin(builtin) => matches!(**builtin, Builtin::Nondet(_) | Builtin::Unsupported(_)),
            ExprKind::Load(place) => is_bit_field(place),
            _ => false,
        };
        is_computed && self.is_wide(e.ty.ty)
    }

    /// The address of a new object with a value that is computed.
    pub fn spill_wide(&mut self, e: &'a Expr) -> Operand {
        let value = self.wide(e);
        let ty = self.p.layouts.ir_type(e.ty.ty);
        let to = Operand::Local(self.function_temporary("temporary", ty), 0);
        self.store_wide(to, value, Access::PLAIN);
        to
    }

    pub fn load_wide(&mut self, from: Operand, access: Access) -> Wide {
        let low = self.load_at(Ty::I64, from, access);
        let upper = self.offset(from, 8);
        Wide { low, high: self.load_at(Ty::I64, upper, access) }
    }

    pub fn store_wide(&mut self, to: Operand, value: Wide, access: Access) {
        self.store_at(Ty::I64, to, value.low, access);
        let upper = self.offset(to, 8);
        self.store_at(Ty::I64, upper, value.high, access);
    }

    pub fn wide_constant(&self, bits: u128) -> Wide {
        let (low, high) = halves(bits);
        Wide { low: self.constant(Ty::I64, low), high: self.constant(Ty::I64, high) }
    }

    fn hold_wide(&self, value: Wide) -> [Held; 2] {
        [self.hold(value.low), self.hold(value.high)]
    }

    fn release_wide(&mut self, [low, high]: [Held; 2]) -> Wide {
        Wide { low: self.release(low), high: self.release(high) }
    }

    fn wide_assignment(&mut self, e: &'a Expr, place: &'a Expr, value: &'a Expr) -> Wide {
        let to = self.address(place);
        let to = self.hold(to);
        let value = self.wide(value);
        let to = self.release(to);
        self.set_loc(e.loc);
        self.write_wide(to, place, value);
        value
    }

    fn write_wide(&mut self, to: Operand, place: &Expr, value: Wide) {
        let access = Access { order: Order::Plain, volatile: place.ty.qualifiers.is_volatile };
        match place.ty.qualifiers.is_atomic {
            true => self.section(|f| f.store_wide(to, value, access)),
            false => self.store_wide(to, value, access),
        }
    }

    /// `op=`, `++` and `--` of a place of 128 bits.
    fn wide_update(&mut self, e: &'a Expr, place: &'a Expr, update: &'a Update, result: UpdateResult) -> Wide {
        let to = self.address(place);
        let to = self.hold(to);
        let operand = self.update_operand(update);
        let to = self.release(to);
        self.set_loc(e.loc);
        let access = Access { order: Order::Plain, volatile: place.ty.qualifiers.is_volatile };
        let step = |f: &mut Self| {
            let old = f.load_wide(to, access);
            let new = f.wide_updated(place.ty.ty, old, update, operand);
            f.store_wide(to, new, access);
            if result == UpdateResult::Old { old } else { new }
        };
        if place.ty.qualifiers.is_atomic { self.section(step) } else { step(self) }
    }

    /// The operand of an update that is computed in 128 bits; the amount of a shift has a type of its own.
    pub fn wide_operand(&mut self, e: &'a Expr) -> Wide {
        if self.is_wide(e.ty.ty) {
            return self.wide(e);
        }
        let from = self.expect_scalar(e);
        let value = self.value(e);
        self.widen(from, value, true)
    }

    /// What an update makes of the old value of a place of 128 bits.
    fn wide_updated(&mut self, place: ctype::TypeId, old: Wide, update: &Update, operand: UpdateOperand) -> Wide {
        let Update::Arithmetic { op, compute, .. } = update else { return old };
        match (operand, self.p.layouts.passing(compute.ty)) {
            (UpdateOperand::Wide(right), _) => {
                let signed = self.is_signed_wide(compute.ty);
                self.wide_operation(*op, signed, old, right)
            }
            // A floating-point number.
            (UpdateOperand::Scalar(right, _), Passing::Scalar(to)) => {
                let left = self.narrowed(old, self.is_signed_wide(place), to);
                let new = self.arithmetic(*op, to, left, right);
                let signed = self.is_signed_wide(place);
                self.widen(to, new, signed)
            }
            _ => old,
        }
    }

    /// An operator on two values; the right one of a shift is its amount.
    pub fn wide_operation(&mut self, op: tree::BinaryOp, signed: bool, left: Wide, right: Wide) -> Wide {
        match op {
            tree::BinaryOp::Shl | tree::BinaryOp::Shr => {
                let amount = self.amount_of(right);
                self.wide_shift(op, signed, left, amount)
            }
            _ => self.wide_arithmetic(op, signed, left, right),
        }
    }

    // ---- conversions

    fn widened(&mut self, e: &'a Expr, inner: &'a Expr) -> Wide {
        match self.p.layouts.passing(inner.ty.ty) {
            Passing::Scalar(from) => {
                let value = self.value(inner);
                self.set_loc(e.loc);
                let signed = self.is_signed_wide(e.ty.ty);
                self.widen(from, value, signed)
            }
            _ if self.is_wide(inner.ty.ty) => self.wide(inner),
            _ => {
                self.unsupported_type(inner);
                self.wide_constant(0)
            }
        }
    }

    /// A scalar as a value of 128 bits; `signed` is the sign of the result's type, which matters to floating-point numbers.
    pub fn widen(&mut self, from: Scalar, value: Operand, signed: bool) -> Wide {
        if from.ty.is_float() {
            return self.wide_from_float(from, value, signed);
        }
        let low = self.convert(from, HALF, value);
        let high = match from.signed {
            true => self.half(BinaryOp::ShrSigned, low, 63),
            false => self.constant(Ty::I64, 0),
        };
        Wide { low, high }
    }

    /// A value of 128 bits as a scalar.
    pub fn narrowed(&mut self, value: Wide, signed: bool, to: Scalar) -> Operand {
        if to.is_bool {
            let cond = self.is_nonzero_wide(value, false);
            return self.bool_to(to.ty, cond);
        }
        if to.ty.is_float() {
            return self.wide_to_float(value, signed, to);
        }
        self.convert(HALF, to, value.low)
    }

    /// The part above 64 bits by truncation, then what is left: both steps are exact.
    fn wide_from_float(&mut self, from: Scalar, value: Operand, signed: bool) -> Wide {
        let double = Scalar { ty: Ty::F64, signed: true, is_bool: false };
        let value = self.convert(from, double, value);
        let number = |f: &Self, x: f64| f.constant(Ty::F64, x.to_bits());
        let (unit, part) = (number(self, 2f64.powi(64)), number(self, 2f64.powi(-64)));
        let scaled = self.binary(BinaryOp::FMul, Ty::F64, value, part);
        let (to_int, to_float) = match signed {
            true => (CastOp::FloatToSigned, CastOp::SignedToFloat),
            false => (CastOp::FloatToUnsigned, CastOp::UnsignedToFloat),
        };
        let high = self.cast(to_int, Ty::F64, Ty::I64, scaled);
        let above = self.cast(to_float, Ty::I64, Ty::F64, high);
        let above = self.binary(BinaryOp::FMul, Ty::F64, above, unit);
        let rest = self.binary(BinaryOp::FSub, Ty::F64, value, above);
        let zero = number(self, 0.0);
        let is_negative = self.compare(CompareOp::FLt, Ty::F64, rest, zero);
        let magnitude = self.unary(UnaryOp::FNeg, Ty::F64, rest);
        let magnitude = self.select(Ty::F64, is_negative, magnitude, rest);
        let low = self.cast(CastOp::FloatToUnsigned, Ty::F64, Ty::I64, magnitude);
        let low = Wide { low, high: self.constant(Ty::I64, 0) };
        let mask = self.mask_of(is_negative);
        let low = self.negate_if(mask, low);
        let high = Wide { low: self.constant(Ty::I64, 0), high };
        self.wide_sum(high, low)
    }

    fn wide_to_float(&mut self, value: Wide, signed: bool, to: Scalar) -> Operand {
        let (magnitude, is_negative) = match signed {
            true => {
                let mask = self.half(BinaryOp::ShrSigned, value.high, 63);
                (self.negate_if(mask, value), Some(self.is_negative(value)))
            }
            false => (value, None),
        };
        let helper = self.p.wide_to_float(to.ty);
        let dst = self.register(to.ty);
        let args = vec![magnitude.low, magnitude.high];
        self.emit(InstrKind::Call { dst: Some(dst), callee: norn_ir::instr::Callee::Direct(helper), args });
        match is_negative {
            Some(is_negative) => {
                let opposite = self.unary(UnaryOp::FNeg, to.ty, Operand::Reg(dst));
                self.select(to.ty, is_negative, opposite, Operand::Reg(dst))
            }
            None => Operand::Reg(dst),
        }
    }

    // ---- conditions

    pub fn is_nonzero_wide(&mut self, value: Wide, negated: bool) -> Operand {
        let any = self.binary(BinaryOp::Or, Ty::I64, value.low, value.high);
        let zero = self.constant(Ty::I64, 0);
        let op = if negated { CompareOp::Eq } else { CompareOp::Ne };
        self.compare(op, Ty::I64, any, zero)
    }

    /// A comparison of two expressions of 128 bits, or its opposite.
    pub fn wide_comparison(
        &mut self,
        e: &'a Expr,
        (op, negated): (tree::CompareOp, bool),
        lhs: &'a Expr,
        rhs: &'a Expr,
    ) -> Operand {
        use tree::CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let left = self.wide(lhs);
        let left = self.hold_wide(left);
        let right = self.wide(rhs);
        let left = self.release_wide(left);
        self.set_loc(e.loc);
        let signed = self.is_signed_wide(lhs.ty.ty);
        let (holds, opposite) = match op {
            Eq | Ne => {
                let difference = self.wide_bitwise(BinaryOp::Xor, left, right);
                return self.is_nonzero_wide(difference, (op == Eq) != negated);
            }
            Lt => (self.wide_less(signed, left, right), false),
            Ge => (self.wide_less(signed, left, right), true),
            Gt => (self.wide_less(signed, right, left), false),
            Le => (self.wide_less(signed, right, left), true),
        };
        if opposite == negated { holds } else { self.not(holds) }
    }

    pub fn wide_less(&mut self, signed: bool, left: Wide, right: Wide) -> Operand {
        let op = if signed { CompareOp::LtSigned } else { CompareOp::LtUnsigned };
        let above = self.compare(op, Ty::I64, left.high, right.high);
        let same = self.compare(CompareOp::Eq, Ty::I64, left.high, right.high);
        let below = self.compare(CompareOp::LtUnsigned, Ty::I64, left.low, right.low);
        let decided = self.binary(BinaryOp::And, Ty::Bool, same, below);
        self.binary(BinaryOp::Or, Ty::Bool, above, decided)
    }

    fn is_negative(&mut self, value: Wide) -> Operand {
        let zero = self.constant(Ty::I64, 0);
        self.compare(CompareOp::LtSigned, Ty::I64, value.high, zero)
    }

    // ---- arithmetic

    pub fn wide_arithmetic(&mut self, op: tree::BinaryOp, signed: bool, a: Wide, b: Wide) -> Wide {
        match op {
            tree::BinaryOp::And => self.wide_bitwise(BinaryOp::And, a, b),
            tree::BinaryOp::Or => self.wide_bitwise(BinaryOp::Or, a, b),
            tree::BinaryOp::Xor => self.wide_bitwise(BinaryOp::Xor, a, b),
            tree::BinaryOp::Add => {
                let sum = self.wide_sum(a, b);
                if signed {
                    self.check_signs((a.high, sum.high), (b.high, sum.high));
                }
                sum
            }
            tree::BinaryOp::Sub => {
                let difference = self.wide_difference(a, b);
                if signed {
                    self.check_signs((a.high, b.high), (a.high, difference.high));
                }
                difference
            }
            tree::BinaryOp::Mul => {
                let product = self.wide_product(a, b);
                if signed {
                    let lost = self.product_overflows(a, b);
                    self.overflows_if(lost);
                }
                product
            }
            tree::BinaryOp::Div => self.wide_division(signed, a, b, true),
            tree::BinaryOp::Rem => self.wide_division(signed, a, b, false),
            // Their amounts are no values of this type; see `wide_operation`.
            tree::BinaryOp::Shl | tree::BinaryOp::Shr => a,
        }
    }

    pub fn wide_bitwise(&mut self, op: BinaryOp, a: Wide, b: Wide) -> Wide {
        Wide { low: self.binary(op, Ty::I64, a.low, b.low), high: self.binary(op, Ty::I64, a.high, b.high) }
    }

    pub fn wide_sum(&mut self, a: Wide, b: Wide) -> Wide {
        let low = self.binary(BinaryOp::Add, Ty::I64, a.low, b.low);
        let carry = self.compare(CompareOp::LtUnsigned, Ty::I64, low, a.low);
        let carry = self.bool_to(Ty::I64, carry);
        let high = self.binary(BinaryOp::Add, Ty::I64, a.high, b.high);
        Wide { low, high: self.binary(BinaryOp::Add, Ty::I64, high, carry) }
    }

    pub fn wide_difference(&mut self, a: Wide, b: Wide) -> Wide {
        let low = self.binary(BinaryOp::Sub, Ty::I64, a.low, b.low);
        let borrow = self.compare(CompareOp::LtUnsigned, Ty::I64, a.low, b.low);
        let borrow = self.bool_to(Ty::I64, borrow);
        let high = self.binary(BinaryOp::Sub, Ty::I64, a.high, b.high);
        Wide { low, high: self.binary(BinaryOp::Sub, Ty::I64, high, borrow) }
    }

    /// All 128 bits of the product of two halves, by products of 32 bits.
    pub fn product_of_halves(&mut self, a: Operand, b: Operand) -> Wide {
        let lower = |f: &mut Self, x| f.half(BinaryOp::And, x, u64::from(u32::MAX));
        let upper = |f: &mut Self, x| f.half(BinaryOp::ShrUnsigned, x, 32);
        let (a0, a1, b0, b1) = (lower(self, a), upper(self, a), lower(self, b), upper(self, b));
        let product = |f: &mut Self, x, y| f.binary(BinaryOp::Mul, Ty::I64, x, y);
        let sum = |f: &mut Self, x, y| f.binary(BinaryOp::Add, Ty::I64, x, y);
        let (p00, p01) = (product(self, a0, b0), product(self, a0, b1));
        let (p10, p11) = (product(self, a1, b0), product(self, a1, b1));
        let (x, y, z) = (upper(self, p00), lower(self, p01), lower(self, p10));
        let middle = sum(self, x, y);
        let middle = sum(self, middle, z);
        let (x, y, z) = (upper(self, p01), upper(self, p10), upper(self, middle));
        let high = sum(self, p11, x);
        let high = sum(self, high, y);
        Wide { low: product(self, a, b), high: sum(self, high, z) }
    }

    fn wide_product(&mut self, a: Wide, b: Wide) -> Wide {
        let product = self.product_of_halves(a.low, b.low);
        let x = self.binary(BinaryOp::Mul, Ty::I64, a.low, b.high);
        let y = self.binary(BinaryOp::Mul, Ty::I64, a.high, b.low);
        let high = self.binary(BinaryOp::Add, Ty::I64, product.high, x);
        Wide { high: self.binary(BinaryOp::Add, Ty::I64, high, y), ..product }
    }

    /// Whether the product of two signed values needs more than 128 bits: that of their magnitudes does, or is too large for
    /// the sign that it gets.
    fn product_overflows(&mut self, a: Wide, b: Wide) -> Operand {
        let is_zero = |f: &mut Self, x| {
            let zero = f.constant(Ty::I64, 0);
            f.compare(CompareOp::Eq, Ty::I64, x, zero)
        };
        let any = |f: &mut Self, x, y| f.binary(BinaryOp::Or, Ty::Bool, x, y);
        let signs = self.binary(BinaryOp::Xor, Ty::I64, a.high, b.high);
        let sign = self.half(BinaryOp::ShrSigned, signs, 63);
        let mask_a = self.half(BinaryOp::ShrSigned, a.high, 63);
        let mask_b = self.half(BinaryOp::ShrSigned, b.high, 63);
        let (a, b) = (self.negate_if(mask_a, a), self.negate_if(mask_b, b));
        let (a_fits, b_fits) = (is_zero(self, a.high), is_zero(self, b.high));
        let one_fits = any(self, a_fits, b_fits);
        let both_large = self.not(one_fits);
        let (cross_a, cross_b) = (self.product_of_halves(a.high, b.low), self.product_of_halves(a.low, b.high));
        let below = self.product_of_halves(a.low, b.low);
        let crossed = any_bit(self, cross_a.high, cross_b.high);
        let cross = self.binary(BinaryOp::Add, Ty::I64, cross_a.low, cross_b.low);
        let high = self.binary(BinaryOp::Add, Ty::I64, below.high, cross);
        let carried = self.compare(CompareOp::LtUnsigned, Ty::I64, high, cross);
        // A magnitude of 2^127 has its place among the negative numbers only.
        let least = self.constant(Ty::I64, 1 << 63);
        let beyond = self.compare(CompareOp::LtUnsigned, Ty::I64, least, high);
        let at_limit = self.compare(CompareOp::Eq, Ty::I64, high, least);
        let (nothing_below, is_positive) = (is_zero(self, below.low), is_zero(self, sign));
        let something_below = self.not(nothing_below);
        let more = any(self, something_below, is_positive);
        let just_beyond = self.binary(BinaryOp::And, Ty::Bool, at_limit, more);
        let mut lost = any(self, both_large, crossed);
        for more in [carried, beyond, just_beyond] {
            lost = any(self, lost, more);
        }
        lost
    }

    fn wide_division(&mut self, signed: bool, a: Wide, b: Wide, quotient: bool) -> Wide {
        // Division by zero is found by the instruction that knows about it.
        let any = self.binary(BinaryOp::Or, Ty::I64, b.low, b.high);
        self.binary(BinaryOp::DivUnsigned, Ty::I64, any, any);
        let zero = self.constant(Ty::I64, 0);
        let (mut mask_a, mut mask_b) = (zero, zero);
        let (mut dividend, mut divisor) = (a, b);
        if signed {
            let least = self.is_least(a);
            let ones = self.wide_constant(u128::MAX);
            let difference = self.wide_bitwise(BinaryOp::Xor, b, ones);
            let minus_one = self.is_nonzero_wide(difference, true);
            let lost = self.binary(BinaryOp::And, Ty::Bool, least, minus_one);
            self.divides_least_if(lost);
            mask_a = self.half(BinaryOp::ShrSigned, a.high, 63);
            mask_b = self.half(BinaryOp::ShrSigned, b.high, 63);
            (dividend, divisor) = (self.negate_if(mask_a, a), self.negate_if(mask_b, b));
        }
        let helper = self.p.wide_division();
        let ty = self.p.layouts.slots(4);
        let to = Operand::Local(self.function_temporary("temporary", ty), 0);
        let args = vec![to, dividend.low, dividend.high, divisor.low, divisor.high];
        self.emit(InstrKind::Call { dst: None, callee: norn_ir::instr::Callee::Direct(helper), args });
        let from = if quotient { to } else { self.offset(to, 16) };
        let result = self.load_wide(from, Access::PLAIN);
        if !signed {
            return result;
        }
        // The remainder has the sign of the dividend.
        let mask = if quotient { self.binary(BinaryOp::Xor, Ty::I64, mask_a, mask_b) } else { mask_a };
        self.negate_if(mask, result)
    }

    fn is_least(&mut self, value: Wide) -> Operand {
        let least = self.wide_constant(1 << 127);
        let difference = self.wide_bitwise(BinaryOp::Xor, value, least);
        self.is_nonzero_wide(difference, true)
    }

    /// The opposite of a value where the mask is all ones, the value itself where it is 0.
    pub fn negate_if(&mut self, mask: Operand, value: Wide) -> Wide {
        let mask = Wide { low: mask, high: mask };
        let flipped = self.wide_bitwise(BinaryOp::Xor, value, mask);
        self.wide_difference(flipped, mask)
    }

    fn mask_of(&mut self, cond: Operand) -> Operand {
        let (zero, one) = (self.constant(Ty::I64, 0), self.bool_to(Ty::I64, cond));
        self.binary(BinaryOp::Sub, Ty::I64, zero, one)
    }

    /// The amount of a shift: as an unsigned number of 64 bits, of which all that are too large stay so.
    fn wide_shift_amount(&mut self, e: &'a Expr) -> Operand {
        if self.is_wide(e.ty.ty) {
            let value = self.wide(e);
            return self.amount_of(value);
        }
        let from = self.expect_scalar(e);
        let value = self.value(e);
        self.convert(from, HALF, value)
    }

    /// A value of 128 bits as the amount of a shift.
    pub fn amount_of(&mut self, value: Wide) -> Operand {
        let zero = self.constant(Ty::I64, 0);
        let fits = self.compare(CompareOp::Eq, Ty::I64, value.high, zero);
        let outside = self.half(BinaryOp::Or, value.low, 1 << 63);
        self.select(Ty::I64, fits, value.low, outside)
    }

    fn wide_shift(&mut self, op: tree::BinaryOp, signed: bool, value: Wide, amount: Operand) -> Wide {
        let bound = self.constant(Ty::I64, 128);
        let inside = self.compare(CompareOp::LtUnsigned, Ty::I64, amount, bound);
        if inside != Operand::Const(Const::TRUE) {
            // An amount outside of the width is found by a shift of 64 bits that is outside of it, too.
            let (zero, outside) = (self.constant(Ty::I64, 0), self.constant(Ty::I64, 64));
            let tested = self.select(Ty::I64, inside, zero, outside);
            self.binary(BinaryOp::ShrUnsigned, Ty::I64, value.low, tested);
        }
        let shifted = self.shifted(op == tree::BinaryOp::Shl, signed, value, amount);
        if op == tree::BinaryOp::Shl && signed {
            let back = self.shifted(false, true, shifted, amount);
            let difference = self.wide_bitwise(BinaryOp::Xor, back, value);
            let changed = self.is_nonzero_wide(difference, false);
            let negative = self.is_negative(value);
            let lost = self.binary(BinaryOp::Or, Ty::Bool, changed, negative);
            self.overflows_if(lost);
        }
        shifted
    }

    /// Shifts by the amount modulo 128.
    fn shifted(&mut self, left: bool, signed: bool, value: Wide, amount: Operand) -> Wide {
        let within = self.half(BinaryOp::And, amount, 63);
        // 63 - within: the other half moves by one more bit than that, in two steps, because 64 would be too far.
        let rest = self.half(BinaryOp::Xor, within, 63);
        let far = self.half(BinaryOp::And, amount, 64);
        let zero = self.constant(Ty::I64, 0);
        let far = self.compare(CompareOp::Ne, Ty::I64, far, zero);
        let (near_low, near_high, far_low, far_high);
        if left {
            let moved = self.half(BinaryOp::ShrUnsigned, value.low, 1);
            let moved = self.binary(BinaryOp::ShrUnsigned, Ty::I64, moved, rest);
            let own = self.binary(BinaryOp::Shl, Ty::I64, value.high, within);
            near_high = self.binary(BinaryOp::Or, Ty::I64, own, moved);
            near_low = self.binary(BinaryOp::Shl, Ty::I64, value.low, within);
            (far_low, far_high) = (zero, near_low);
        } else {
            let op = if signed { BinaryOp::ShrSigned } else { BinaryOp::ShrUnsigned };
            let moved = self.half(BinaryOp::Shl, value.high, 1);
            let moved = self.binary(BinaryOp::Shl, Ty::I64, moved, rest);
            let own = self.binary(BinaryOp::ShrUnsigned, Ty::I64, value.low, within);
            near_low = self.binary(BinaryOp::Or, Ty::I64, own, moved);
            near_high = self.binary(op, Ty::I64, value.high, within);
            far_low = near_high;
            far_high = if signed { self.half(op, value.high, 63) } else { zero };
        }
        Wide { low: self.select(Ty::I64, far, far_low, near_low), high: self.select(Ty::I64, far, far_high, near_high) }
    }

    // ---- overflow

    /// Overflow is where both pairs of numbers differ in sign.
    fn check_signs(&mut self, (a, b): (Operand, Operand), (c, d): (Operand, Operand)) {
        let (x, y) = (self.binary(BinaryOp::Xor, Ty::I64, a, b), self.binary(BinaryOp::Xor, Ty::I64, c, d));
        let both = self.binary(BinaryOp::And, Ty::I64, x, y);
        let zero = self.constant(Ty::I64, 0);
        let lost = self.compare(CompareOp::LtSigned, Ty::I64, both, zero);
        self.overflows_if(lost);
    }

    /// A signed addition that overflows if the condition holds.
    fn overflows_if(&mut self, cond: Operand) {
        let (zero, one) = (self.constant(Ty::I64, 0), self.constant(Ty::I64, 1));
        let greatest = self.constant(Ty::I64, i64::MAX as u64);
        let tested = self.select(Ty::I64, cond, greatest, zero);
        self.binary(BinaryOp::AddSigned, Ty::I64, tested, one);
    }

    /// A signed division of the smallest number by -1 if the condition holds.
    fn divides_least_if(&mut self, cond: Operand) {
        let (zero, one) = (self.constant(Ty::I64, 0), self.constant(Ty::I64, 1));
        let (least, minus_one) = (self.constant(Ty::I64, 1 << 63), self.constant(Ty::I64, u64::MAX));
        let dividend = self.select(Ty::I64, cond, least, zero);
        let divisor = self.select(Ty::I64, cond, minus_one, one);
        self.binary(BinaryOp::DivSigned, Ty::I64, dividend, divisor);
    }

    fn half(&mut self, op: BinaryOp, value: Operand, number: u64) -> Operand {
        let number = self.constant(Ty::I64, number);
        self.binary(op, Ty::I64, value, number)
    }
}

/// Whether one of two numbers is not 0.
fn any_bit(f: &mut FunctionBuilder<'_, '_>, a: Operand, b: Operand) -> Operand {
    f.is_nonzero_wide(Wide { low: a, high: b }, false)
}

/// Why a bit-field of 128 bits is unsupported.
pub const WIDE_BIT_FIELD: &str = "a bit-field of '__int128'";

/// Its unit may have up to 17 bytes, of which no access knows.
fn is_bit_field(place: &Expr) -> bool {
    matches!(place.kind, ExprKind::Member { bits: Some(_), .. })
}
