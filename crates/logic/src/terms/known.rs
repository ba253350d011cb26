//! Known bits: which bits of a term are the same under all values of the variables.
//!
//! Computed once when a node is made, from what is known of its operands.

use super::arena::{Node, Term, Terms};
use super::float::Conversion;
use super::fold::mask;

/// Bits known to be 0 and bits known to be 1; the rest may be either. Bits above the width are in neither.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    pub zeros: u64,
    pub ones: u64,
}

impl Known {
    pub const NOTHING: Known = Known { zeros: 0, ones: 0 };

    fn constant(width: u32, value: u64) -> Known {
        Known { zeros: !value & mask(width), ones: value }
    }

    /// The smallest unsigned value.
    pub fn least(self) -> u64 {
        self.ones
    }

    /// The largest unsigned value.
    pub fn greatest(self, width: u32) -> u64 {
        !self.zeros & mask(width)
    }

    /// The value, if every bit is known.
    pub fn value(self, width: u32) -> Option<u64> {
        (self.zeros | self.ones == mask(width)).then_some(self.ones)
    }

    /// The sign bit, if it is known.
    pub fn sign(self, width: u32) -> Option<bool> {
        let sign = 1 << (width - 1);
        if self.ones & sign != 0 {
            Some(true)
        } else if self.zeros & sign != 0 {
            Some(false)
        } else {
            None
        }
    }

    /// Whether a term with these known bits and one with the other's must differ in some bit.
    pub fn conflicts(self, other: Known) -> bool {
        self.ones & other.zeros != 0 || self.zeros & other.ones != 0
    }

    fn inverted(self) -> Known {
        Known { zeros: self.ones, ones: self.zeros }
    }

    fn common(self, other: Known) -> Known {
        Known { zeros: self.zeros & other.zeros, ones: self.ones & other.ones }
    }

    /// How many of the highest bits are known to be zero.
    fn leading_zeros(self, width: u32) -> u32 {
        (self.greatest(width) << (64 - width)).leading_zeros().min(width)
    }

    /// How many of the lowest bits are known to be zero.
    fn trailing_zeros(self, width: u32) -> u32 {
        self.zeros.trailing_ones().min(width)
    }
}

impl Terms {
    /// What is known of a node from what is known of its operands.
    pub(super) fn known_of(&self, node: &Node, width: u32) -> Known {
        let of = |term: Term| self.known(term);
        match *node {
            Node::Bits(value) => Known::constant(width, value),
            Node::Ite(_, a, b) => of(a).common(of(b)),
            Node::Add(a, b) => sum(width, of(a), of(b), false),
            // a - b = a + !b + 1
            Node::Sub(a, b) => sum(width, of(a), of(b).inverted(), true),
            Node::Mul(a, b) => product(width, of(a), of(b)),
            Node::Udiv(a, _) => high_zeros(width, of(a).leading_zeros(width)),
            Node::Urem(a, b) => remainder(width, of(a), of(b)),
            Node::BitAnd(a, b) => Known { zeros: of(a).zeros | of(b).zeros, ones: of(a).ones & of(b).ones },
            Node::BitOr(a, b) => Known { zeros: of(a).zeros & of(b).zeros, ones: of(a).ones | of(b).ones },
            Node::BitXor(a, b) => exclusive(of(a), of(b)),
            Node::BitNot(a) => of(a).inverted(),
            Node::Shl(a, _) => low_zeros(width, of(a).trailing_zeros(width)),
            Node::Lshr(a, _) => high_zeros(width, of(a).leading_zeros(width)),
            Node::Ashr(a, _) => match of(a).sign(width) {
                Some(false) => high_zeros(width, of(a).leading_zeros(width)),
                Some(true) => high_zeros(width, of(a).inverted().leading_zeros(width)).inverted(),
                None => Known::NOTHING,
            },
            Node::Zext(a) => {
                let above = mask(width) & !mask(self.width(a));
                Known { zeros: of(a).zeros | above, ones: of(a).ones }
            }
            Node::Sext(a) => {
                let above = mask(width) & !mask(self.width(a));
                match of(a).sign(self.width(a)) {
                    Some(true) => Known { zeros: of(a).zeros, ones: of(a).ones | above },
                    Some(false) => Known { zeros: of(a).zeros | above, ones: of(a).ones },
                    None => of(a),
                }
            }
            Node::Extract(a, low) => {
                Known { zeros: (of(a).zeros >> low) & mask(width), ones: (of(a).ones >> low) & mask(width) }
            }
            Node::Concat(high, low) => {
                let by = self.width(low);
                Known { zeros: of(high).zeros << by | of(low).zeros, ones: of(high).ones << by | of(low).ones }
            }
            Node::Convert(Conversion::UnsignedToFloat, _) => high_zeros(width, 1),
            _ => Known::NOTHING,
        }
    }
}

fn exclusive(a: Known, b: Known) -> Known {
    Known { zeros: (a.zeros & b.zeros) | (a.ones & b.ones), ones: (a.zeros & b.ones) | (a.ones & b.zeros) }
}

/// Adds with a known carry in: a carry is known where the smallest and the largest sum agree on it.
fn sum(width: u32, a: Known, b: Known, carry: bool) -> Known {
    let carry_in = u64::from(carry);
    let least = a.ones.wrapping_add(b.ones).wrapping_add(carry_in);
    let most = a.greatest(width).wrapping_add(b.greatest(width)).wrapping_add(carry_in);
    let least_carries = least ^ a.ones ^ b.ones;
    let most_carries = most ^ a.greatest(width) ^ b.greatest(width);
    let operands = (a.zeros | a.ones) & (b.zeros | b.ones);
    let known = operands & !(least_carries ^ most_carries) & mask(width);
    Known { zeros: !least & known, ones: least & known }
}

fn product(width: u32, a: Known, b: Known) -> Known {
    let low = low_zeros(width, a.trailing_zeros(width) + b.trailing_zeros(width));
    let free = a.leading_zeros(width) + b.leading_zeros(width);
    // Operands of m and n bits have a product of at most m + n bits.
    let high = high_zeros(width, free.saturating_sub(width));
    Known { zeros: low.zeros | high.zeros, ones: 0 }
}

fn remainder(width: u32, a: Known, b: Known) -> Known {
    let dividend = a.leading_zeros(width);
    // Division by zero leaves the dividend, which may be larger than the divisor.
    let divisor = if b.ones != 0 { b.leading_zeros(width) } else { 0 };
    high_zeros(width, dividend.max(divisor))
}

fn high_zeros(width: u32, count: u32) -> Known {
    let rest = width - count.min(width);
    Known { zeros: if rest == 0 { mask(width) } else { mask(width) & !mask(rest) }, ones: 0 }
}

fn low_zeros(width: u32, count: u32) -> Known {
    Known { zeros: if count == 0 { 0 } else { mask(count.min(width)) }, ones: 0 }
}
