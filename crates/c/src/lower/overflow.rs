//! `__builtin_{add,sub,mul}_overflow`: the exact result does not fit into the type that receives it.

use super::function::FunctionBuilder;
use super::ir_types::Scalar;
use crate::ctype::Type;
use crate::tree::{self, Expr};
use norn_ir::instr::{BinaryOp, CompareOp, Operand};
use norn_ir::types::Ty;

impl<'a> FunctionBuilder<'_, 'a> {
    /// Stores the wrapped result and tells whether it wrapped. Operands and result must be of one type, or all of at
    /// most 32 bits, where 64 bits hold the exact result (but for the product of two large unsigned numbers).
    pub fn overflow_arithmetic(
        &mut self,
        e: &'a Expr,
        op: tree::BinaryOp,
        lhs: &'a Expr,
        rhs: &'a Expr,
        result: &'a Expr,
    ) -> Operand {
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
            self.unsupported("an overflow check of operands with different types".to_owned());
            return nothing;
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
