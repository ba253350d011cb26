//! Functions of the library for `__int128` that take too many instructions to be repeated: division, and conversion to
//! floating-point numbers. They are made directly in the IR and have no loops.
//!
//! Division is Knuth's algorithm D (The Art of Computer Programming, volume 2, section 4.3.1) with digits of 32 bits: the divisor is
//! shifted until its highest bit is set, then each digit of the quotient is estimated from above, at most 2 too large.

use super::function::{FunctionBuilder, Signature};
use super::helpers::Helper;
use super::ir_types::{Passing, Scalar};
use super::program::ProgramBuilder;
use super::wide::Wide;
use norn_ir::ids::FuncId;
use norn_ir::instr::{Access, BinaryOp, CastOp, CompareOp, Operand, UnaryOp};
use norn_ir::program::{Function, Origin};
use norn_ir::source::Loc;
use norn_ir::types::Ty;

const DIGIT: u64 = u32::MAX as u64;

impl ProgramBuilder<'_> {
    /// `(to, dividend, divisor)`, unsigned, the divisor not 0: stores the quotient, and behind it the remainder.
    pub fn wide_division(&mut self) -> FuncId {
        self.helper(Helper::Divide)
    }

    /// `(value)`, unsigned: the nearest number of the type.
    pub fn wide_to_float(&mut self, ty: Ty) -> FuncId {
        self.helper(if ty == Ty::F32 { Helper::ToFloat } else { Helper::ToDouble })
    }

    pub(super) fn wide_helper(&mut self, helper: Helper) -> Function {
        let (name, result) = match helper {
            Helper::ToFloat => ("__norn_wide_to_float", Some(Ty::F32)),
            Helper::ToDouble => ("__norn_wide_to_double", Some(Ty::F64)),
            _ => ("__norn_wide_divide", None),
        };
        let name = self.unique_function_name(name);
        let signature = Signature { result: None, params: Vec::new(), variadic: false, prototyped: true };
        let mut f = FunctionBuilder::new(self, name, signature, Loc::NONE);
        match result {
            Some(ty) => {
                f.result = Passing::Scalar(Scalar { ty, signed: true, is_bool: false });
                let value = f.wide_parameter("value");
                f.nearest_float(ty, value);
            }
            None => {
                let to = Operand::Reg(f.parameter(Ty::Ptr, "to"));
                let (dividend, divisor) = (f.wide_parameter("dividend"), f.wide_parameter("divisor"));
                f.division(to, dividend, divisor);
            }
        }
        f.finish(Origin::Library, Loc::NONE)
    }
}

impl FunctionBuilder<'_, '_> {
    fn wide_parameter(&mut self, name: &str) -> Wide {
        let low = Operand::Reg(self.parameter(Ty::I64, name));
        Wide { low, high: Operand::Reg(self.parameter(Ty::I64, &format!("{name}_high"))) }
    }

    fn word(&self, number: u64) -> Operand {
        self.constant(Ty::I64, number)
    }

    fn op(&mut self, op: BinaryOp, a: Operand, b: Operand) -> Operand {
        self.binary(op, Ty::I64, a, b)
    }

    fn is_zero(&mut self, value: Operand) -> Operand {
        let zero = self.word(0);
        self.compare(CompareOp::Eq, Ty::I64, value, zero)
    }

    fn division(&mut self, to: Operand, dividend: Wide, divisor: Wide) {
        let (small, large, long, short) = (self.new_block(), self.new_block(), self.new_block(), self.new_block());
        let fits = self.is_zero(divisor.high);
        self.branch_on(fits, small, large);

        self.start_branch(small);
        let fits = self.is_zero(dividend.high);
        self.branch_on(fits, short, long);

        self.start_branch(short);
        let zero = self.word(0);
        let quotient = self.op(BinaryOp::DivUnsigned, dividend.low, divisor.low);
        let remainder = self.op(BinaryOp::RemUnsigned, dividend.low, divisor.low);
        self.finish_division(to, Wide { low: quotient, high: zero }, Wide { low: remainder, high: zero });

        self.start_branch(long);
        let high = self.op(BinaryOp::DivUnsigned, dividend.high, divisor.low);
        let left = self.op(BinaryOp::RemUnsigned, dividend.high, divisor.low);
        let (low, remainder) = self.two_digits(Wide { high: left, ..dividend }, divisor.low);
        self.finish_division(to, Wide { low, high }, Wide { low: remainder, high: zero });

        self.start_branch(large);
        self.division_by_large(to, dividend, divisor);
    }

    /// The divisor has more than 64 bits, so the quotient has less. The highest 64 bits of the divisor give it, or one more, after
    /// half the dividend was divided by them; one less is tried first.
    fn division_by_large(&mut self, to: Operand, dividend: Wide, divisor: Wide) {
        let shift = self.unary(UnaryOp::LeadingZeros, Ty::I64, divisor.high);
        let (one, last) = (self.word(1), self.word(63));
        let rest = self.op(BinaryOp::Sub, last, shift);
        let top = self.op(BinaryOp::Shl, divisor.high, shift);
        let moved = self.op(BinaryOp::ShrUnsigned, divisor.low, one);
        let moved = self.op(BinaryOp::ShrUnsigned, moved, rest);
        let top = self.op(BinaryOp::Or, top, moved);
        let (half_high, kept) =
            (self.op(BinaryOp::ShrUnsigned, dividend.high, one), self.op(BinaryOp::ShrUnsigned, dividend.low, one));
        let moved = self.op(BinaryOp::Shl, dividend.high, last);
        let half = Wide { low: self.op(BinaryOp::Or, kept, moved), high: half_high };
        let (estimate, _) = self.two_digits(half, top);
        let estimate = self.op(BinaryOp::ShrUnsigned, estimate, rest);
        let none = self.is_zero(estimate);
        let some = self.not(none);
        let some = self.bool_to(Ty::I64, some);
        let quotient = self.op(BinaryOp::Sub, estimate, some);
        let taken = self.product_of_halves(quotient, divisor.low);
        let more = self.op(BinaryOp::Mul, quotient, divisor.high);
        let taken = Wide { high: self.op(BinaryOp::Add, taken.high, more), ..taken };
        let left = self.wide_difference(dividend, taken);
        let done = self.wide_less(false, left, divisor);
        let again = self.not(done);
        let once_more = self.bool_to(Ty::I64, again);
        let quotient = self.op(BinaryOp::Add, quotient, once_more);
        let less = self.wide_difference(left, divisor);
        let low = self.select(Ty::I64, again, less.low, left.low);
        let high = self.select(Ty::I64, again, less.high, left.high);
        let zero = self.word(0);
        self.finish_division(to, Wide { low: quotient, high: zero }, Wide { low, high });
    }

    fn finish_division(&mut self, to: Operand, quotient: Wide, remainder: Wide) {
        self.store_wide(to, quotient, Access::PLAIN);
        let behind = self.offset(to, 16);
        self.store_wide(behind, remainder, Access::PLAIN);
        self.return_value(None);
    }

    /// 128 bits by 64, where the quotient has 64: its two digits, and the remainder.
    fn two_digits(&mut self, dividend: Wide, divisor: Operand) -> (Operand, Operand) {
        let shift = self.unary(UnaryOp::LeadingZeros, Ty::I64, divisor);
        let (one, half, last) = (self.word(1), self.word(32), self.word(63));
        let rest = self.op(BinaryOp::Sub, last, shift);
        let divisor = self.op(BinaryOp::Shl, divisor, shift);
        let moved = self.op(BinaryOp::ShrUnsigned, dividend.low, one);
        let moved = self.op(BinaryOp::ShrUnsigned, moved, rest);
        let high = self.op(BinaryOp::Shl, dividend.high, shift);
        let high = self.op(BinaryOp::Or, high, moved);
        let low = self.op(BinaryOp::Shl, dividend.low, shift);
        let digit = self.word(DIGIT);
        let (next, last) = (self.op(BinaryOp::ShrUnsigned, low, half), self.op(BinaryOp::And, low, digit));
        let (first, left) = self.digit(high, next, divisor);
        let (second, left) = self.digit(left, last, divisor);
        let first = self.op(BinaryOp::Shl, first, half);
        (self.op(BinaryOp::Add, first, second), self.op(BinaryOp::ShrUnsigned, left, shift))
    }

    /// One digit of the quotient of `high` and the digit that follows it, and what is left.
    fn digit(&mut self, high: Operand, next: Operand, divisor: Operand) -> (Operand, Operand) {
        let (half, digit) = (self.word(32), self.word(DIGIT));
        let upper = self.op(BinaryOp::ShrUnsigned, divisor, half);
        let lower = self.op(BinaryOp::And, divisor, digit);
        let mut quotient = self.op(BinaryOp::DivUnsigned, high, upper);
        let mut left = self.op(BinaryOp::RemUnsigned, high, upper);
        for _ in 0..2 {
            // Too large, unless what is left has more than one digit.
            let beyond = self.compare(CompareOp::LtUnsigned, Ty::I64, digit, quotient);
            let product = self.op(BinaryOp::Mul, quotient, lower);
            let rest = self.op(BinaryOp::Shl, left, half);
            let rest = self.op(BinaryOp::Or, rest, next);
            let exceeds = self.compare(CompareOp::LtUnsigned, Ty::I64, rest, product);
            let wrong = self.binary(BinaryOp::Or, Ty::Bool, beyond, exceeds);
            let matters = self.compare(CompareOp::LeUnsigned, Ty::I64, left, digit);
            let wrong = self.binary(BinaryOp::And, Ty::Bool, wrong, matters);
            let one = self.bool_to(Ty::I64, wrong);
            quotient = self.op(BinaryOp::Sub, quotient, one);
            let zero = self.word(0);
            let back = self.select(Ty::I64, wrong, upper, zero);
            left = self.op(BinaryOp::Add, left, back);
        }
        let all = self.op(BinaryOp::Shl, high, half);
        let all = self.op(BinaryOp::Or, all, next);
        let taken = self.op(BinaryOp::Mul, quotient, divisor);
        (quotient, self.op(BinaryOp::Sub, all, taken))
    }

    /// The highest 64 bits, with the lowest of them set if anything follows: rounding them is rounding the number.
    fn nearest_float(&mut self, ty: Ty, value: Wide) {
        let (small, large) = (self.new_block(), self.new_block());
        let fits = self.is_zero(value.high);
        self.branch_on(fits, small, large);
        self.start_branch(small);
        let number = self.cast(CastOp::UnsignedToFloat, Ty::I64, ty, value.low);
        self.return_value(Some(number));
        self.start_branch(large);
        let shift = self.unary(UnaryOp::LeadingZeros, Ty::I64, value.high);
        let (one, last) = (self.word(1), self.word(63));
        let rest = self.op(BinaryOp::Sub, last, shift);
        let moved = self.op(BinaryOp::ShrUnsigned, value.low, one);
        let moved = self.op(BinaryOp::ShrUnsigned, moved, rest);
        let top = self.op(BinaryOp::Shl, value.high, shift);
        let top = self.op(BinaryOp::Or, top, moved);
        let below = self.op(BinaryOp::Shl, value.low, shift);
        let exact = self.is_zero(below);
        let inexact = self.not(exact);
        let sticky = self.bool_to(Ty::I64, inexact);
        let top = self.op(BinaryOp::Or, top, sticky);
        let number = self.cast(CastOp::UnsignedToFloat, Ty::I64, ty, top);
        let mut scaled = number;
        for bit in 0..6 {
            let mask = self.word(1 << bit);
            let set = self.op(BinaryOp::And, shift, mask);
            let clear = self.is_zero(set);
            let less = self.times_power(ty, scaled, -(1 << bit));
            scaled = self.select(ty, clear, scaled, less);
        }
        // Last, because numbers near 2^128 are beyond `float`.
        let scaled = self.times_power(ty, scaled, 64);
        self.return_value(Some(scaled));
    }

    fn times_power(&mut self, ty: Ty, value: Operand, power: i32) -> Operand {
        let bits = match ty {
            Ty::F32 => u64::from(2f32.powi(power).to_bits()),
            _ => 2f64.powi(power).to_bits(),
        };
        let factor = self.constant(ty, bits);
        self.binary(BinaryOp::FMul, ty, value, factor)
    }
}
