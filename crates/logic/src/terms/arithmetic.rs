//! Addition, subtraction, multiplication and division; counting of bits.

use super::arena::{Node, Term, Terms};
use super::fold::{self, mask};

impl Terms {
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "summands should have one sort");
        if let Some(folded) = self.folded(a, b, |_, a, b| a.wrapping_add(b)) {
            return folded;
        }
        let ((a, left), (b, right)) = (self.summands(a), self.summands(b));
        let constant = left.wrapping_add(right);
        match (a, b) {
            (None, None) => unreachable!("two constants should have been folded"),
            (Some(term), None) | (None, Some(term)) => self.plus_constant(term, constant),
            (Some(a), Some(b)) => {
                let sum = self.add_open(a, b);
                self.plus_constant(sum, constant)
            }
        }
    }

    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "both sides of a difference should have one sort");
        let width = self.width(a);
        if let Some(folded) = self.folded(a, b, |_, a, b| a.wrapping_sub(b)) {
            return folded;
        }
        let ((a, left), (b, right)) = (self.summands(a), self.summands(b));
        let constant = left.wrapping_sub(right);
        match (a, b) {
            (None, None) => unreachable!("two constants should have been folded"),
            (Some(a), None) => self.plus_constant(a, constant),
            (None, Some(b)) => match self.node(b) {
                Node::Sub(p, q) => {
                    let swapped = self.sub(q, p);
                    self.plus_constant(swapped, constant)
                }
                _ => {
                    let constant = self.bits(width, constant);
                    self.intern_like(Node::Sub(constant, b), b)
                }
            },
            (Some(a), Some(b)) => {
                let difference = self.sub_open(a, b);
                self.plus_constant(difference, constant)
            }
        }
    }

    pub fn neg(&mut self, a: Term) -> Term {
        let zero = self.bits(self.width(a), 0);
        self.sub(zero, a)
    }

    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "factors should have one sort");
        if let Some(folded) = self.folded(a, b, |_, a, b| a.wrapping_mul(b)) {
            return folded;
        }
        let (a, b) = self.constant_right(a, b);
        let width = self.width(a);
        let Some(factor) = self.as_bits(b) else {
            return self.intern_like(Node::Mul(a, b), a);
        };
        if factor == 0 {
            return b;
        }
        if factor.is_power_of_two() {
            return self.shl_constant(a, factor.trailing_zeros());
        }
        if factor == mask(width) {
            return self.neg(a);
        }
        match self.node(a) {
            Node::Mul(x, k) if self.as_bits(k).is_some() => {
                let factor = self.mul(k, b);
                self.mul(x, factor)
            }
            Node::Add(x, k) if self.as_bits(k).is_some() => {
                let (product, constant) = (self.mul(x, b), self.mul(k, b));
                self.add(product, constant)
            }
            Node::Sub(k, x) if self.as_bits(k).is_some() => {
                let (product, constant) = (self.mul(x, b), self.mul(k, b));
                self.sub(constant, product)
            }
            _ => self.intern_like(Node::Mul(a, b), a),
        }
    }

    /// Unsigned quotient; 0 if the divisor is 0.
    pub fn udiv(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "dividend and divisor should have one sort");
        let width = self.width(a);
        if let Some(folded) = self.folded(a, b, |_, a, b| fold::udiv(a, b)) {
            return folded;
        }
        if self.as_bits(b) == Some(0) || self.known(a).greatest(width) < self.known(b).least() {
            return self.bits(width, 0);
        }
        if let Some(divisor) = self.as_bits(b)
            && divisor.is_power_of_two()
        {
            return self.lshr_constant(a, divisor.trailing_zeros());
        }
        if let Some((x, y)) = self.without_high_zeros(a, b) {
            let quotient = self.udiv(x, y);
            return self.zext(quotient, width);
        }
        self.intern_like(Node::Udiv(a, b), a)
    }

    /// Unsigned remainder; the dividend if the divisor is 0.
    pub fn urem(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "dividend and divisor should have one sort");
        let width = self.width(a);
        if let Some(folded) = self.folded(a, b, |_, a, b| fold::urem(a, b)) {
            return folded;
        }
        if self.as_bits(b) == Some(0) || self.known(a).greatest(width) < self.known(b).least() {
            return a;
        }
        if let Some(divisor) = self.as_bits(b)
            && divisor.is_power_of_two()
        {
            let low = self.bits(width, divisor - 1);
            return self.bit_and(a, low);
        }
        if let Some((x, y)) = self.without_high_zeros(a, b) {
            let remainder = self.urem(x, y);
            return self.zext(remainder, width);
        }
        self.intern_like(Node::Urem(a, b), a)
    }

    /// Signed quotient, rounded towards 0; 0 if the divisor is 0. The most negative number divided by -1 is itself.
    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        let (a_negative, a) = self.sign_and_magnitude(a);
        let (b_negative, b) = self.sign_and_magnitude(b);
        let quotient = self.udiv(a, b);
        let negative = self.xor(a_negative, b_negative);
        self.negated_if(negative, quotient)
    }

    /// Signed remainder, with the sign of the dividend; the dividend if the divisor is 0.
    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        let (a_negative, a) = self.sign_and_magnitude(a);
        let (_, b) = self.sign_and_magnitude(b);
        let remainder = self.urem(a, b);
        self.negated_if(a_negative, remainder)
    }

    /// How many bits are 1, at the same width (modulo it, where the width is 1 or 2 and the number does not fit).
    pub fn popcount(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let mut counts: Vec<Term> = (0..width).map(|bit| self.extract(a, bit, 1)).collect();
        // Neighbours are added at a width that just holds their sum, so that the adders stay small.
        while counts.len() > 1 {
            let wider = (self.width(counts[0]) + 1).min(width);
            counts = counts
                .chunks(2)
                .map(|pair| {
                    let first = self.zext(pair[0], wider);
                    match pair.get(1) {
                        Some(&second) => {
                            let second = self.zext(second, wider);
                            self.add(first, second)
                        }
                        None => first,
                    }
                })
                .collect();
        }
        self.zext(counts[0], width)
    }

    /// How many zeros are above the highest 1, at the same width; the width itself if there is no 1.
    pub fn clz(&mut self, a: Term) -> Term {
        let width = self.width(a);
        self.first_one(a, (0..width).map(|bit| (bit, width - 1 - bit)))
    }

    /// How many zeros are below the lowest 1, at the same width; the width itself if there is no 1.
    pub fn ctz(&mut self, a: Term) -> Term {
        let width = self.width(a);
        self.first_one(a, (0..width).rev().map(|bit| (bit, bit)))
    }

    /// The number that goes with the last of these bits that is 1.
    fn first_one(&mut self, a: Term, bits: impl Iterator<Item = (u32, u32)>) -> Term {
        let width = self.width(a);
        let one = self.bits(1, 1);
        let mut result = self.bits(width, u64::from(width));
        for (bit, number) in bits {
            let bit = self.extract(a, bit, 1);
            let is_one = self.eq(bit, one);
            let number = self.bits(width, u64::from(number));
            result = self.ite(is_one, number, result);
        }
        result
    }

    /// A term as a sum of a term without a constant summand and a constant.
    fn summands(&self, a: Term) -> (Option<Term>, u64) {
        match self.node(a) {
            Node::Bits(value) => (None, value),
            Node::Add(x, k) => match self.as_bits(k) {
                Some(value) => (Some(x), value),
                None => (Some(a), 0),
            },
            _ => (Some(a), 0),
        }
    }

    fn plus_constant(&mut self, a: Term, constant: u64) -> Term {
        let width = self.width(a);
        let constant = constant & mask(width);
        if constant == 0 {
            return a;
        }
        if self.has_constant_leaves(a) {
            return self.map_leaves(a, &mut |terms, leaf| terms.plus_constant(leaf, constant));
        }
        match self.node(a) {
            Node::Bits(value) => self.bits(width, value.wrapping_add(constant)),
            Node::Add(x, k) if self.as_bits(k).is_some() => {
                let total = self.as_bits(k).unwrap_or(0).wrapping_add(constant);
                self.plus_constant(x, total)
            }
            Node::Sub(k, x) if self.as_bits(k).is_some() => {
                let total = self.as_bits(k).unwrap_or(0).wrapping_add(constant);
                let total = self.bits(width, total);
                self.intern_like(Node::Sub(total, x), x)
            }
            _ => {
                let constant = self.bits(width, constant);
                self.intern_like(Node::Add(a, constant), a)
            }
        }
    }

    /// A sum of terms without constant summands.
    fn add_open(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if a == b {
            return self.shl_constant(a, 1);
        }
        for (a, b) in [(a, b), (b, a)] {
            match self.node(a) {
                Node::Sub(x, y) if y == b => return x,
                Node::Sub(k, y) if self.as_bits(k).is_some() => {
                    let difference = self.sub(b, y);
                    return self.add(difference, k);
                }
                Node::BitNot(x) if x == b => return self.bits(width, mask(width)),
                _ => {}
            }
        }
        if self.known(a).zeros | self.known(b).zeros == mask(width) {
            return self.bit_or(a, b);
        }
        self.intern_like(Node::Add(a.min(b), a.max(b)), a)
    }

    /// A difference of terms without constant summands.
    fn sub_open(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.bits(self.width(a), 0);
        }
        match (self.node(a), self.node(b)) {
            (Node::Add(x, y), _) if x == b => y,
            (Node::Add(x, y), _) if y == b => x,
            (_, Node::Add(x, y)) if x == a => self.neg(y),
            (_, Node::Add(x, y)) if y == a => self.neg(x),
            (Node::Sub(x, y), _) if x == b => self.neg(y),
            (_, Node::Sub(x, y)) if x == a => y,
            (_, Node::Sub(k, y)) if self.as_bits(k).is_some() => {
                let sum = self.add(a, y);
                self.sub(sum, k)
            }
            _ => self.intern_like(Node::Sub(a, b), a),
        }
    }

    /// Both without the high bits that are zero in both, which dividing does not change.
    fn without_high_zeros(&mut self, a: Term, b: Term) -> Option<(Term, Term)> {
        let width = self.width(a);
        let most = self.known(a).greatest(width) | self.known(b).greatest(width);
        let needed = (64 - most.leading_zeros()).max(1);
        (needed < width).then(|| (self.extract(a, 0, needed), self.extract(b, 0, needed)))
    }

    fn sign_and_magnitude(&mut self, a: Term) -> (Term, Term) {
        let zero = self.bits(self.width(a), 0);
        let negative = self.slt(a, zero);
        (negative, self.negated_if(negative, a))
    }

    fn negated_if(&mut self, condition: Term, a: Term) -> Term {
        let negated = self.neg(a);
        self.ite(condition, negated, a)
    }
}
