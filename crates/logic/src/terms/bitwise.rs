//! Operations on bits, and shifts.

use super::arena::{Node, Term, Terms};
use super::fold::{self, mask};
use norn_ir::number::narrow;

impl Terms {
    pub fn bit_and(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "operands should have one sort");
        let width = self.width(a);
        if let Some(folded) = self.folded(a, b, |_, a, b| a & b) {
            return folded;
        }
        let (a, b) = self.constant_right(a, b);
        if a == b || self.known(b).ones | self.known(a).zeros == mask(width) {
            return a;
        }
        if self.known(a).ones | self.known(b).zeros == mask(width) {
            return b;
        }
        if self.are_opposite(a, b) {
            return self.bits(width, 0);
        }
        let Some(kept) = self.as_bits(b) else {
            return self.intern_like(Node::BitAnd(a, b), a);
        };
        if kept == 0 {
            return b;
        }
        if let Node::BitAnd(x, k) = self.node(a)
            && let Some(inner) = self.as_bits(k)
        {
            let both = self.bits(width, kept & inner);
            return self.bit_and(x, both);
        }
        let (low, count) = (kept.trailing_zeros(), kept.count_ones());
        if kept == mask(count) << low {
            // One run of bits: an extract with zeros around it.
            let run = self.extract(a, low, count);
            let run = self.zext(run, width - low);
            return self.above_zeros(run, low);
        }
        self.intern_like(Node::BitAnd(a, b), a)
    }

    pub fn bit_or(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "operands should have one sort");
        let width = self.width(a);
        if let Some(folded) = self.folded(a, b, |_, a, b| a | b) {
            return folded;
        }
        let (a, b) = self.constant_right(a, b);
        if a == b || self.known(a).ones | self.known(b).zeros == mask(width) {
            return a;
        }
        if self.known(b).ones | self.known(a).zeros == mask(width) {
            return b;
        }
        if self.are_opposite(a, b) {
            return self.bits(width, mask(width));
        }
        for (high, low) in [(a, b), (b, a)] {
            // Parts that do not overlap are put side by side.
            let border = 64 - self.known(low).greatest(width).leading_zeros();
            if border > 0 && border < width && self.known(high).zeros & mask(border) == mask(border) {
                let (upper, lower) = (self.extract(high, border, width - border), self.extract(low, 0, border));
                return self.concat(upper, lower);
            }
        }
        if let (Node::BitOr(x, k), Some(set)) = (self.node(a), self.as_bits(b))
            && let Some(inner) = self.as_bits(k)
        {
            let both = self.bits(width, set | inner);
            return self.bit_or(x, both);
        }
        self.intern_like(Node::BitOr(a, b), a)
    }

    pub fn bit_xor(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "operands should have one sort");
        let width = self.width(a);
        if let Some(folded) = self.folded(a, b, |_, a, b| a ^ b) {
            return folded;
        }
        let (a, b) = self.constant_right(a, b);
        if a == b {
            return self.bits(width, 0);
        }
        match (self.node(a), self.node(b)) {
            (_, Node::Bits(0)) => return a,
            (_, Node::Bits(value)) if value == mask(width) => return self.bit_not(a),
            (Node::BitNot(x), Node::Bits(value)) => {
                let inverted = self.bits(width, !value);
                return self.bit_xor(x, inverted);
            }
            (Node::BitNot(x), Node::BitNot(y)) => return self.bit_xor(x, y),
            (Node::BitNot(x), _) => {
                let inner = self.bit_xor(x, b);
                return self.bit_not(inner);
            }
            (_, Node::BitNot(y)) => {
                let inner = self.bit_xor(a, y);
                return self.bit_not(inner);
            }
            (Node::BitXor(x, y), _) if x == b => return y,
            (Node::BitXor(x, y), _) if y == b => return x,
            (_, Node::BitXor(x, y)) if x == a => return y,
            (_, Node::BitXor(x, y)) if y == a => return x,
            (Node::BitXor(x, k), Node::Bits(_)) if self.as_bits(k).is_some() => {
                let both = self.bit_xor(k, b);
                return self.bit_xor(x, both);
            }
            _ => {}
        }
        self.intern_like(Node::BitXor(a, b), a)
    }

    pub fn bit_not(&mut self, a: Term) -> Term {
        let width = self.width(a);
        if self.has_constant_leaves(a) {
            return self.map_leaves(a, &mut |terms, leaf| terms.bit_not(leaf));
        }
        match self.node(a) {
            Node::Bits(value) => self.bits(width, !value),
            Node::BitNot(x) => x,
            _ => self.intern_like(Node::BitNot(a), a),
        }
    }

    /// Shifts to the left; a shift by the width or more gives 0.
    pub fn shl(&mut self, a: Term, by: Term) -> Term {
        self.shift(a, by, fold::shl, Terms::shl_constant, Node::Shl)
    }

    /// Shifts zeros in from the left; a shift by the width or more gives 0.
    pub fn lshr(&mut self, a: Term, by: Term) -> Term {
        self.shift(a, by, fold::lshr, Terms::lshr_constant, Node::Lshr)
    }

    /// Shifts copies of the sign in; a shift by the width or more gives only these.
    pub fn ashr(&mut self, a: Term, by: Term) -> Term {
        if self.known(a).sign(self.width(a)) == Some(false) {
            return self.lshr(a, by);
        }
        self.shift(a, by, fold::ashr, Terms::ashr_constant, Node::Ashr)
    }

    fn shift(
        &mut self,
        a: Term,
        by: Term,
        fold: fn(u32, u64, u64) -> u64,
        shift_constant: fn(&mut Terms, Term, u32) -> Term,
        node: fn(Term, Term) -> Node,
    ) -> Term {
        assert_eq!(self.sort(a), self.sort(by), "a shift should be as wide as what is shifted");
        let width = self.width(a);
        if let Some(folded) = self.folded(a, by, fold) {
            return folded;
        }
        if self.as_bits(a) == Some(0) {
            return a;
        }
        match self.as_bits(by) {
            Some(by) => shift_constant(self, a, narrow(by.min(u64::from(width)))),
            None => self.intern_like(node(a, by), a),
        }
    }

    pub(super) fn shl_constant(&mut self, a: Term, by: u32) -> Term {
        let width = self.width(a);
        if by >= width {
            return self.bits(width, 0);
        }
        if let Node::Add(x, k) = self.node(a)
            && let Some(summand) = self.as_bits(k)
        {
            // The constant stays where others can meet it: addresses are made like this.
            let (shifted, summand) = (self.shl_constant(x, by), self.bits(width, summand << by));
            return self.add(shifted, summand);
        }
        let kept = self.extract(a, 0, width - by);
        self.above_zeros(kept, by)
    }

    pub(super) fn lshr_constant(&mut self, a: Term, by: u32) -> Term {
        let width = self.width(a);
        if by >= width {
            return self.bits(width, 0);
        }
        let kept = self.extract(a, by, width - by);
        self.zext(kept, width)
    }

    fn ashr_constant(&mut self, a: Term, by: u32) -> Term {
        let width = self.width(a);
        let by = by.min(width - 1);
        let kept = self.extract(a, by, width - by);
        self.sext(kept, width)
    }

    /// The term with this many zeros below it.
    fn above_zeros(&mut self, a: Term, count: u32) -> Term {
        if count == 0 {
            return a;
        }
        let zeros = self.bits(count, 0);
        self.concat(a, zeros)
    }

    fn are_opposite(&self, a: Term, b: Term) -> bool {
        matches!(self.node(a), Node::BitNot(x) if x == b) || matches!(self.node(b), Node::BitNot(x) if x == a)
    }
}
