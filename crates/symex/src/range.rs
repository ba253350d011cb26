//! Ranges of signed numbers, and the ranges of terms: enough to see how far a counter gets.
//!
//! `x = x + 1` has no range of its own. But each write of a bounded program happens at most once, and what a write adds to
//! a number that was read from a cell is a *step*: a number in a cell is at most the largest that came from elsewhere
//! plus all steps, on the path with the most of them in each thread. Where the number may have been read from: the
//! class of cells that is written to, or any cell, if all cells between which numbers flow are taken together. Either gives
//! a range, and both hold.

use norn_logic::terms::{Node, Term, Terms};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub low: i64,
    pub high: i64,
}

/// What is known about a term that is written: the numbers that it may be, and what it may add to a number that was read
/// from a cell. A term may be either, by path.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sources {
    pub from: Option<Range>,
    pub step: Option<Range>,
}

/// Nodes of a term that are looked at.
const MOST_NODES: u32 = 64;

impl Range {
    pub const ZERO: Range = Range { low: 0, high: 0 };
    pub const ALL: Range = Range { low: i64::MIN, high: i64::MAX };

    pub fn signed(bits: u32) -> Range {
        let half = if bits >= 64 { i64::MAX } else { (1 << (bits - 1)) - 1 };
        Range { low: -half - 1, high: half }
    }

    /// The range of sums; `None` if it does not fit into 64 bits.
    pub fn plus(self, other: Range) -> Option<Range> {
        Some(Range { low: self.low.checked_add(other.low)?, high: self.high.checked_add(other.high)? })
    }

    fn minus(self, other: Range) -> Option<Range> {
        Some(Range { low: self.low.checked_sub(other.high)?, high: self.high.checked_sub(other.low)? })
    }

    /// The numbers that lie in both ranges.
    pub fn meet(self, other: Range) -> Range {
        Range { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    pub fn join(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether all numbers of the range are signed numbers of `bits` bits.
    pub fn fits(self, bits: u32) -> bool {
        let whole = Range::signed(bits);
        whole.low <= self.low && self.high <= whole.high
    }

    /// Bits of the numbers, none of which is negative.
    pub fn unsigned_bits(self) -> u32 {
        64 - self.high.leading_zeros()
    }

    /// Bits of the numbers with their sign.
    pub fn signed_bits(self) -> u32 {
        let needs = |n: i64| 65 - (if n < 0 { !n } else { n }).leading_zeros();
        needs(self.low).max(needs(self.high))
    }
}

impl Sources {
    fn join(self, other: Sources) -> Sources {
        let either = |a: Option<Range>, b: Option<Range>| match (a, b) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (a, b) => a.or(b),
        };
        Sources { from: either(self.from, other.from), step: either(self.step, other.step) }
    }
}

/// What is known of the terms that were read from cells.
pub struct Ranges<'a> {
    pub terms: &'a Terms,
    pub read: &'a dyn Fn(Term) -> Option<Range>,
    /// Whether a term was read from a cell that steps may be added to.
    pub own: &'a dyn Fn(Term) -> bool,
    /// The read terms that steps were added to.
    pub origins: Vec<Term>,
}

impl Ranges<'_> {
    /// `None` if nothing is known.
    pub fn sources(&mut self, term: Term) -> Option<Sources> {
        self.sources_within(term, &mut MOST_NODES.clone())
    }

    fn sources_within(&mut self, term: Term, left: &mut u32) -> Option<Sources> {
        *left = left.checked_sub(1)?;
        let is_read = self.own;
        let (origin, step) = match self.terms.node(term) {
            _ if is_read(term) => (term, Range::ZERO),
            Node::Ite(_, a, b) => return Some(self.sources_within(a, left)?.join(self.sources_within(b, left)?)),
            Node::Add(a, b) if is_read(a) => (a, self.range(b, left)?),
            Node::Add(a, b) if is_read(b) => (b, self.range(a, left)?),
            Node::Sub(a, b) if is_read(a) => (a, Range::ZERO.minus(self.range(b, left)?)?),
            _ => return Some(Sources { from: Some(self.range(term, left)?), step: None }),
        };
        self.origins.push(origin);
        Some(Sources { from: None, step: Some(step) })
    }

    fn range(&self, term: Term, left: &mut u32) -> Option<Range> {
        *left = left.checked_sub(1)?;
        let width = self.terms.width(term);
        let whole = Range::signed(width);
        let read = (self.read)(term);
        let known = self.terms.known(term);
        let by_known = match (known.sign(width), i64::try_from(known.greatest(width)), i64::try_from(known.least())) {
            (Some(false), Ok(high), Ok(low)) => Some(Range { low, high }),
            _ => None,
        };
        let found = match self.terms.node(term) {
            Node::Bits(bits) => {
                let number = crate::value::sign_extended(bits, width);
                Some(Range { low: number, high: number })
            }
            _ if read.is_some() || by_known.is_some() => read.or(by_known),
            Node::Sext(inner) => Some(Range::signed(self.terms.width(inner))),
            Node::Ite(_, a, b) => Some(self.range(a, left)?.join(self.range(b, left)?)),
            Node::Add(a, b) => self.range(a, left)?.plus(self.range(b, left)?),
            Node::Sub(a, b) => self.range(a, left)?.minus(self.range(b, left)?),
            _ => None,
        };
        found.filter(|range| whole.low <= range.low && range.high <= whole.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use norn_logic::terms::Sort;

    #[test]
    fn bits_that_numbers_need() {
        let bits = |low, high| Range { low, high }.signed_bits();
        assert_eq!((bits(0, 0), bits(-1, 0), bits(-1, 1), bits(-2, 1), bits(-3, 3), bits(0, 127)), (1, 1, 2, 2, 3, 8));
        assert_eq!(Range { low: 0, high: 8 }.unsigned_bits(), 4);
        assert!(Range { low: -128, high: 127 }.fits(8) && !Range { low: 0, high: 128 }.fits(8));
        assert_eq!(Range::signed(3), Range { low: -4, high: 3 });
    }

    #[test]
    fn a_counter_steps() {
        let mut terms = Terms::new();
        let (own, small, cond) = (terms.fresh(Sort::Bits(32)), terms.fresh(Sort::Bits(2)), terms.fresh(Sort::Bool));
        let other = terms.sext(small, 32);
        let (one, minus, seven) = (terms.bits(32, 1), terms.bits(32, u64::MAX), terms.bits(32, 7));
        let (more, less, sum) = (terms.add(own, one), terms.add(own, minus), terms.add(own, other));
        let (far, either) = (terms.add(other, seven), terms.ite(cond, more, seven));
        let check = |term: Term, from: Option<(i64, i64)>, step: Option<(i64, i64)>| {
            let mut ranges = Ranges { terms: &terms, read: &|_| None, own: &|term| term == own, origins: Vec::new() };
            let range = |(low, high)| Range { low, high };
            assert_eq!(ranges.sources(term), Some(Sources { from: from.map(range), step: step.map(range) }));
            assert_eq!(ranges.origins.len(), usize::from(step.is_some()));
        };
        check(own, None, Some((0, 0)));
        check(more, None, Some((1, 1)));
        check(less, None, Some((-1, -1)));
        check(sum, None, Some((-2, 1)));
        check(far, Some((5, 8)), None);
        check(either, Some((7, 7)), Some((1, 1)));
    }
}
