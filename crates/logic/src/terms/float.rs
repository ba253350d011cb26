//! Floating point: IEEE 754 numbers of 32 and 64 bits, held in bit-vectors of that width and rounded to nearest, ties to even.
//!
//! Arithmetic and conversions are nodes, which have circuits of their own ([`crate::blast`]). Comparisons are made of
//! integer comparisons of the bits, so that comparisons with constants are intervals like any other.
//!
//! A NaN is what x86 makes of it: the first operand that is one, made quiet; else, if the operation has no result, the
//! quiet NaN with its sign set and nothing else. So operations are functions of their bits, but not commutative.

use super::arena::{Node, Term, Terms, checked_width};
use super::fold::{self, mask, sign_bit};

/// Arithmetic on two floats of one width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
}

/// Conversions from and to floats. Floats become integers by truncation towards zero; what has no place in the integer
/// becomes the sign bit alone, as on x86.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Conversion {
    SignedToFloat,
    UnsignedToFloat,
    FloatToSigned,
    FloatToUnsigned,
    FloatToFloat,
}

/// Up to how many pairs of constants an operation is computed on, instead of having a circuit.
const COMPUTED_LEAVES: u32 = 64;

impl Terms {
    pub fn float(&mut self, op: FloatOp, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "operands should have one sort");
        let width = self.width(a);
        assert_float(width);
        let ((left, left_open), (right, right_open)) = (self.leaves(a), self.leaves(b));
        if left_open == 0 && right_open == 0 && u32::from(left) * u32::from(right) <= COMPUTED_LEAVES {
            return self.map_pairs(a, b, &mut |terms, a, b| {
                let value = fold::float::binary(op, width, terms.known(a).least(), terms.known(b).least());
                terms.bits(width, value)
            });
        }
        // Only a NaN may change when one is multiplied or divided by, or a zero that has no say in the sign is added.
        let neutral = match op {
            FloatOp::Mul | FloatOp::Div => fold::float::one(width),
            FloatOp::Add => sign_bit(width),
            FloatOp::Sub => 0,
        };
        if self.as_bits(b) == Some(neutral) {
            return self.float_quiet(a);
        }
        if matches!(op, FloatOp::Add | FloatOp::Mul) && self.as_bits(a) == Some(neutral) {
            return self.float_quiet(b);
        }
        self.intern_like(Node::Float(op, a, b), a)
    }

    /// The result has `width` bits.
    pub fn convert(&mut self, conversion: Conversion, a: Term, width: u32) -> Term {
        let from = self.width(a);
        match conversion {
            Conversion::SignedToFloat | Conversion::UnsignedToFloat => assert_float(width),
            Conversion::FloatToSigned | Conversion::FloatToUnsigned => assert_float(from),
            Conversion::FloatToFloat => {
                assert!(from != width, "a float should be converted to one of another width");
                assert_float(from);
                assert_float(width);
            }
        }
        let (leaves, open) = self.leaves(a);
        if open == 0 && u32::from(leaves) <= COMPUTED_LEAVES {
            return self.map_leaves(a, &mut |terms, leaf| {
                let value = fold::float::convert(conversion, from, width, terms.known(leaf).least());
                terms.bits(width, value)
            });
        }
        self.intern(Node::Convert(conversion, a), checked_width(width))
    }

    /// Whether two floats are equal: zeros are, NaNs are not.
    pub fn float_eq(&mut self, a: Term, b: Term) -> Term {
        let same = self.eq(a, b);
        // The same bits are NaNs both or neither.
        let is_nan = self.float_is_nan(if self.as_bits(b).is_some() { b } else { a });
        let same = self.and(same, !is_nan);
        let zeros = self.both_zero(a, b);
        self.or(same, zeros)
    }

    pub fn float_lt(&mut self, a: Term, b: Term) -> Term {
        let ordered = self.ordered(a, b);
        let below = self.below(a, b);
        self.and(ordered, below)
    }

    pub fn float_le(&mut self, a: Term, b: Term) -> Term {
        let ordered = self.ordered(a, b);
        let above = self.below(b, a);
        self.and(ordered, !above)
    }

    pub fn float_is_nan(&mut self, a: Term) -> Term {
        let width = self.width(a);
        assert_float(width);
        let magnitude = self.extract(a, 0, width - 1);
        let infinity = self.bits(width - 1, fold::float::infinity(width));
        self.ult(infinity, magnitude)
    }

    /// The float, but a NaN is quiet.
    fn float_quiet(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let is_nan = self.float_is_nan(a);
        let quiet = self.bits(width, fold::float::quiet_bit(width));
        let quieted = self.bit_or(a, quiet);
        self.ite(is_nan, quieted, a)
    }

    fn float_is_zero(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let magnitude = self.extract(a, 0, width - 1);
        let zero = self.bits(width - 1, 0);
        self.eq(magnitude, zero)
    }

    fn both_zero(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.float_is_zero(a), self.float_is_zero(b));
        self.and(a, b)
    }

    fn ordered(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.float_is_nan(a), self.float_is_nan(b));
        self.and(!a, !b)
    }

    /// Whether `a < b`, if neither is a NaN.
    fn below(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let is_zero = |terms: &Terms, term: Term| terms.as_bits(term).is_some_and(|bits| bits << 1 & mask(width) == 0);
        // Below zero is below both zeros, and likewise above.
        let a = if is_zero(self, a) { self.bits(width, 0) } else { a };
        let b = if is_zero(self, b) { self.bits(width, sign_bit(width)) } else { b };
        let has_constant = self.as_bits(a).is_some() || self.as_bits(b).is_some();
        let (left, right) = (self.in_order(a), self.in_order(b));
        let below = self.slt(left, right);
        if has_constant {
            return below;
        }
        let zeros = self.both_zero(a, b);
        self.and(below, !zeros)
    }

    /// A signed number that grows with the float; the negative zero is just below the positive one.
    fn in_order(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let sign = self.extract(a, width - 1, 1);
        let negative = self.to_bool(sign);
        let magnitude = self.bits(width, mask(width) >> 1);
        let turned = self.bit_xor(a, magnitude);
        self.ite(negative, turned, a)
    }
}

fn assert_float(width: u32) {
    assert!(width == 32 || width == 64, "a float should have 32 or 64 bits, not {width}");
}
