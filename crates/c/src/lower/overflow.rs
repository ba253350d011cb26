//! `__builtin_{add,sub,mul}_overflow`: the exact result does not fit into the type that receives it.

use super::function::FunctionBuilder;
use super::ir_types::Scalar;
use super::wide::Wide;
use crate::ctype::Type;
use crate::tree::{self, Expr};
use norn_ir::instr::{BinaryOp, CompareOp, Const, Operand};
use norn_ir::types::Ty;

impl<'a> FunctionBuilder<'_, 'a> {
    /// Stores the wrapped result and tells whether it wrapped. Operands and result are of one type, or all of at most
    /// 32 bits, where 64 bits hold the exact result (but for the product of two large unsigned numbers), or else computed in 128.
    pub fn overflow_arithmetic(
        &mut self,
        e: &'a Expr,
        op: tree::BinaryOp,
        lhs: &'a Expr,
        rhs: &'a Expr,
        result: &'a Expr,
    ) -> Operand {
        if self.is_wide(lhs.ty.ty) || self.is_wide(rhs.ty.ty) {
            self.set_loc(e.loc);
            self.unsupported("an overflow check of '__int128'".to_owned());
            return self.no_value(self.scalar_of(e));
        }
        let (a_type, b_type) = (self.expect_scalar(lhs), self.expect_scalar(rhs));
        let nothing = self.no_value(self.scalar_of(e));
        let to = match self.p.types().get(result.ty.ty) {
            Type::Pointer(to) => self.p.layouts.scalar(to.ty),
            _ => None,
        };
        let Some(to) = to.filter(|to| to.ty.is_int()) else {
            self.unsupported("an overflow check of this type".to_owned());
            return nothing;
        };
        let a = self.value(lhs);
        let a = self.hold(a);
        let b = self.value(rhs);
        let b = self.hold(b);
        let address = self.value(result);
        let (a, b) = (self.release(a), self.release(b));
        self.set_loc(e.loc);
        let narrow = |s: Scalar| s.ty.bits(self.p.target) <= 32;
        let signed_product = op != tree::BinaryOp::Mul || a_type.signed || b_type.signed;
        let (value, wrapped) = if narrow(a_type) && narrow(b_type) && narrow(to) && signed_product {
            self.exact_in_64_bits(op, (a_type, a), (b_type, b), to)
        } else if a_type == to && b_type == to {
            self.wrapping(op, to, a, b)
        } else {
            self.exact_in_128_bits(op, (a_type, a), (b_type, b), to)
        };
        self.store(to.ty, address, value);
        let scalar = self.expect_scalar(e);
        self.bool_to(scalar.ty, wrapped)
    }

    fn exact_in_64_bits(
        &mut self,
        op: tree::BinaryOp,
        (a_type, a): (Scalar, Operand),
        (b_type, b): (Scalar, Operand),
        to: Scalar,
    ) -> (Operand, Operand) {
        let (a, b) = (self.resize(a_type, Ty::I64, a), self.resize(b_type, Ty::I64, b));
        let exact = self.binary(wrapping_op(op), Ty::I64, a, b);
        let wide = Scalar { ty: Ty::I64, signed: true, is_bool: false };
        let value = self.resize(wide, to.ty, exact);
        let back = self.resize(to, Ty::I64, value);
        (value, self.compare(CompareOp::Ne, Ty::I64, back, exact))
    }

    fn exact_in_128_bits(
        &mut self,
        op: tree::BinaryOp,
        (a_type, a): (Scalar, Operand),
        (b_type, b): (Scalar, Operand),
        to: Scalar,
    ) -> (Operand, Operand) {
        let (a, b) = (self.widen(a_type, a, true), self.widen(b_type, b, true));
        let never = Operand::Const(Const::FALSE);
        let (exact, beyond) = match op {
            tree::BinaryOp::Add => (self.wide_sum(a, b), never),
            tree::BinaryOp::Sub => (self.wide_difference(a, b), never),
            _ => self.exact_product(a, b),
        };
        let half = Scalar { ty: Ty::I64, signed: false, is_bool: false };
        let value = self.resize(half, to.ty, exact.low);
        let back = self.widen(to, value, true);
        let difference = self.wide_bitwise(BinaryOp::Xor, back, exact);
        let differs = self.is_nonzero_wide(difference, false);
        (value, self.binary(BinaryOp::Or, Ty::Bool, differs, beyond))
    }

    /// The product of two values of at most 65 bits, and whether its magnitude needs more than 64.
    fn exact_product(&mut self, a: Wide, b: Wide) -> (Wide, Operand) {
        let (mask_a, mask_b) = (self.sign_mask(a), self.sign_mask(b));
        let (x, y) = (self.negate_if(mask_a, a), self.negate_if(mask_b, b));
        let magnitude = self.product_of_halves(x.low, y.low);
        let zero = self.constant(Ty::I64, 0);
        let beyond = self.compare(CompareOp::Ne, Ty::I64, magnitude.high, zero);
        let mask = self.binary(BinaryOp::Xor, Ty::I64, mask_a, mask_b);
        (self.negate_if(mask, magnitude), beyond)
    }

    fn sign_mask(&mut self, value: Wide) -> Operand {
        let last = self.constant(Ty::I64, 63);
        self.binary(BinaryOp::ShrSigned, Ty::I64, value.high, last)
    }

    fn wrapping(&mut self, op: tree::BinaryOp, scalar: Scalar, a: Operand, b: Operand) -> (Operand, Operand) {
        let ty = scalar.ty;
        let value = self.binary(wrapping_op(op), ty, a, b);
        let zero = self.constant(ty, 0);
        let wrapped = match (op, scalar.signed) {
            (tree::BinaryOp::Add, false) => self.compare(CompareOp::LtUnsigned, ty, value, a),
            (tree::BinaryOp::Sub, false) => self.compare(CompareOp::LtUnsigned, ty, a, b),
            (tree::BinaryOp::Add, true) => {
                // Both operands differ in sign from the result.
                let (x, y) = (self.binary(BinaryOp::Xor, ty, a, value), self.binary(BinaryOp::Xor, ty, b, value));
                let both = self.binary(BinaryOp::And, ty, x, y);
                self.compare(CompareOp::LtSigned, ty, both, zero)
            }
            (tree::BinaryOp::Sub, true) => {
                let (x, y) = (self.binary(BinaryOp::Xor, ty, a, b), self.binary(BinaryOp::Xor, ty, a, value));
                let both = self.binary(BinaryOp::And, ty, x, y);
                self.compare(CompareOp::LtSigned, ty, both, zero)
            }
            _ => self.product_wrapped(scalar, a, b, value),
        };
        (value, wrapped)
    }

    /// Dividing the product gives the other factor back, unless it wrapped. Factors for which the division itself would
    /// be wrong (0, and −1 of signed ones) are replaced by 1 and decided apart.
    fn product_wrapped(&mut self, scalar: Scalar, a: Operand, b: Operand, product: Operand) -> Operand {
        let ty = scalar.ty;
        let (zero, one) = (self.constant(ty, 0), self.constant(ty, 1));
        let mut special = self.compare(CompareOp::Eq, ty, a, zero);
        let minus_one = scalar.signed.then(|| {
            let ones = self.constant(ty, u64::MAX);
            self.compare(CompareOp::Eq, ty, a, ones)
        });
        if let Some(minus_one) = minus_one {
            special = self.binary(BinaryOp::Or, Ty::Bool, special, minus_one);
        }
        let divisor = self.select(ty, special, one, a);
        let divide = if scalar.signed { BinaryOp::DivSigned } else { BinaryOp::DivUnsigned };
        let quotient = self.binary(divide, ty, product, divisor);
        let differs = self.compare(CompareOp::Ne, ty, quotient, b);
        let ordinary = self.not(special);
        let wrapped = self.binary(BinaryOp::And, Ty::Bool, ordinary, differs);
        match minus_one {
            None => wrapped,
            Some(minus_one) => {
                let smallest = self.constant(ty, 1 << (ty.bits(self.p.target) - 1));
                let extreme = self.compare(CompareOp::Eq, ty, b, smallest);
                let both = self.binary(BinaryOp::And, Ty::Bool, minus_one, extreme);
                self.binary(BinaryOp::Or, Ty::Bool, wrapped, both)
            }
        }
    }
}

fn wrapping_op(op: tree::BinaryOp) -> BinaryOp {
    match op {
        tree::BinaryOp::Sub => BinaryOp::Sub,
        tree::BinaryOp::Mul => BinaryOp::Mul,
        _ => BinaryOp::Add,
    }
}
