//! The interval of signed numbers that a bit-vector can be, computed from the intervals of its operands.
//!
//! A counter of 32 bits that is increased ten times needs few of its bits. An adder is built for the bits that its sums
//! need; the others are copies of the sign bit. Copies of a literal stay copies in multiplexers and comparisons, since
//! gates are hashed. So a narrow adder makes the circuits behind it narrow, too.

use crate::terms::fold::{mask, signed};
use crate::terms::{Node, Term, Terms};
use norn_ir::number::narrow_to;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    low: i64,
    high: i64,
}

impl Span {
    /// All signed numbers of `width` bits.
    fn whole(width: u32) -> Span {
        let high = (mask(width) >> 1) as i64;
        Span { low: -high - 1, high }
    }

    /// The interval, if both ends are signed numbers of `width` bits: then no sum in it has wrapped.
    fn checked(low: i128, high: i128, width: u32) -> Option<Span> {
        let whole = Span::whole(width);
        let fits = i128::from(whole.low) <= low && high <= i128::from(whole.high);
        fits.then(|| Span { low: narrow_to(low), high: narrow_to(high) })
    }

    /// The bits that every number of the interval fits into, with the sign bit.
    pub(super) fn bits(self) -> usize {
        let bits = |number: i64| 65 - (if number < 0 { !number } else { number }).leading_zeros();
        bits(self.low).max(bits(self.high)) as usize
    }
}

/// The interval of a node, given the intervals of its operands.
pub(super) fn span(terms: &Terms, term: Term, of: &dyn Fn(Term) -> Span) -> Span {
    let width = terms.width(term);
    let wide = |term: Term| {
        let Span { low, high } = of(term);
        (i128::from(low), i128::from(high))
    };
    let found = match terms.node(term) {
        Node::Bits(value) => {
            let number = signed(width, value);
            Some(Span { low: number, high: number })
        }
        Node::Ite(_, a, b) => {
            let (a, b) = (of(a), of(b));
            Some(Span { low: a.low.min(b.low), high: a.high.max(b.high) })
        }
        Node::Add(a, b) => {
            let (a, b) = (wide(a), wide(b));
            Span::checked(a.0 + b.0, a.1 + b.1, width)
        }
        Node::Sub(a, b) => {
            let (a, b) = (wide(a), wide(b));
            Span::checked(a.0 - b.1, a.1 - b.0, width)
        }
        Node::Mul(a, b) => {
            let (a, b) = (wide(a), wide(b));
            let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            let low = corners.iter().copied().fold(i128::MAX, i128::min);
            Span::checked(low, corners.iter().copied().fold(i128::MIN, i128::max), width)
        }
        Node::Sext(a) => Some(of(a)),
        // A number that is negative there becomes a large one here, which what is known of the bits says.
        Node::Zext(a) => Some(of(a)).filter(|span| span.low >= 0),
        Node::Extract(a, 0) => {
            let (low, high) = wide(a);
            Span::checked(low, high, width)
        }
        Node::Concat(high, low) => {
            let (first, last) = wide(high);
            let by = terms.width(low);
            Span::checked(first << by, (last << by) + i128::from(mask(by)), width)
        }
        _ => None,
    };
    let found = found.unwrap_or_else(|| Span::whole(width));
    let known = terms.known(term);
    if known.sign(width) == Some(false) {
        let (least, greatest) = (known.least() as i64, known.greatest(width) as i64);
        return Span { low: found.low.max(least), high: found.high.min(greatest) };
    }
    found
}
