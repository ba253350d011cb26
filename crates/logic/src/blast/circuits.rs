//! The circuits of the operations, bit by bit, the lowest bit first.

use super::Blaster;
use crate::clauses::{ClauseSink, Lit};
use crate::terms::{Node, Term, Terms};

impl<S: ClauseSink> Blaster<S> {
    /// The literal of a Boolean node whose operands are translated.
    pub(super) fn boolean_node(&mut self, terms: &Terms, node: Node) -> Lit {
        match node {
            Node::True => self.gates.truth,
            Node::Variable(_) => self.gates.sink.new_var(),
            Node::And(a, b) => {
                let (a, b) = (self.literal(a), self.literal(b));
                self.gates.and(a, b)
            }
            Node::Xor(a, b) => {
                let (a, b) = (self.literal(a), self.literal(b));
                self.gates.xor(a, b)
            }
            Node::Ite(condition, a, b) => {
                let (condition, a, b) = (self.literal(condition), self.literal(a), self.literal(b));
                self.gates.mux(condition, a, b)
            }
            Node::Eq(a, b) => {
                let (a, b, width) = (self.start(a), self.start(b), terms.width(a) as usize);
                let mut same = Vec::with_capacity(width + 1);
                for bit in 0..width {
                    same.push(!self.gates.xor(self.pool[a + bit], self.pool[b + bit]));
                }
                self.gates.and_all(&mut same)
            }
            Node::Ult(a, b) => {
                let (a, b) = self.without_copies(terms, a, b);
                self.less(&a, &b)
            }
            Node::Slt(a, b) => {
                let (mut a, mut b) = self.without_copies(terms, a, b);
                // With the sign bits exchanged, the order is the unsigned one.
                if let (Some(a), Some(b)) = (a.last_mut(), b.last_mut()) {
                    std::mem::swap(a, b);
                }
                self.less(&a, &b)
            }
            node => unreachable!("{node:?} should not be Boolean"),
        }
    }

    /// The bits of a bit-vector node whose operands are translated: where they begin in the pool.
    pub(super) fn vector_node(&mut self, terms: &Terms, term: Term, node: Node) -> u32 {
        let width = terms.width(term) as usize;
        match node {
            // Parts of what is there already.
            Node::Extract(a, low) => return position(self.start(a) + low as usize),
            Node::Udiv(a, b) => return self.division(terms, a, b).0,
            Node::Urem(a, b) => return self.division(terms, a, b).1,
            _ => {}
        }
        // Sums and products are built as wide as they need to be, and extended by copies of their sign.
        let needed = self.span(term).bits().min(width);
        let mut bits: Vec<Lit> = match node {
            Node::Variable(_) => (0..width).map(|_| self.gates.sink.new_var()).collect(),
            Node::Bits(value) => (0..width).map(|bit| self.gates.constant(value >> bit & 1 == 1)).collect(),
            Node::Ite(condition, a, b) => {
                let condition = self.literal(condition);
                self.bitwise(a, b, width, |gates, a, b| gates.mux(condition, a, b))
            }
            Node::BitAnd(a, b) => self.bitwise(a, b, width, |gates, a, b| gates.and(a, b)),
            Node::BitOr(a, b) => self.bitwise(a, b, width, |gates, a, b| gates.or(a, b)),
            Node::BitXor(a, b) => self.bitwise(a, b, width, |gates, a, b| gates.xor(a, b)),
            Node::BitNot(a) => self.vector(terms, a).iter().map(|&bit| !bit).collect(),
            Node::Add(a, b) => {
                let (a, b) = (self.lowest(a, needed), self.lowest(b, needed));
                self.sum(&a, &b, self.gates.constant(false))
            }
            Node::Sub(a, b) => {
                let (a, b) = (self.lowest(a, needed), self.lowest(b, needed));
                self.difference(&a, &b).0
            }
            Node::Mul(a, b) => match terms.as_bits(b) {
                Some(factor) => {
                    let a = self.lowest(a, needed);
                    self.product_with_constant(&a, factor)
                }
                None => {
                    let (a, b) = (self.lowest(a, needed), self.lowest(b, needed));
                    self.product(a, b)
                }
            },
            Node::Shl(a, by) => {
                let (mut a, by) = (self.vector(terms, a), self.vector(terms, by));
                // A shift to the left is one to the right of the mirrored bits.
                a.reverse();
                let mut shifted = self.shifted_right(a, &by, self.gates.constant(false));
                shifted.reverse();
                shifted
            }
            Node::Lshr(a, by) => {
                let (a, by) = (self.vector(terms, a), self.vector(terms, by));
                self.shifted_right(a, &by, self.gates.constant(false))
            }
            Node::Ashr(a, by) => {
                let (a, by) = (self.vector(terms, a), self.vector(terms, by));
                let sign = a[width - 1];
                self.shifted_right(a, &by, sign)
            }
            Node::Zext(a) => {
                let mut bits = self.vector(terms, a);
                bits.resize(width, self.gates.constant(false));
                bits
            }
            Node::Sext(a) => {
                let mut bits = self.vector(terms, a);
                bits.resize(width, bits[bits.len() - 1]);
                bits
            }
            Node::Concat(high, low) => {
                let mut bits = self.vector(terms, low);
                bits.extend(self.vector(terms, high));
                bits
            }
            Node::Float(op, a, b) => {
                let (a, b) = (self.vector(terms, a), self.vector(terms, b));
                self.float(op, &a, &b)
            }
            Node::Convert(conversion, a) => {
                let a = self.vector(terms, a);
                self.converted(conversion, &a, width)
            }
            node => unreachable!("{node:?} should not be a bit-vector with a circuit of its own"),
        };
        debug_assert!(bits.len() == width || bits.len() == needed);
        bits.resize(width, bits[bits.len() - 1]);
        self.store(&bits)
    }

    fn store(&mut self, bits: &[Lit]) -> u32 {
        let start = position(self.pool.len());
        self.pool.extend_from_slice(bits);
        start
    }

    /// A copy of the bits of a term that is translated.
    fn vector(&self, terms: &Terms, term: Term) -> Vec<Lit> {
        let start = self.start(term);
        self.pool[start..start + terms.width(term) as usize].to_vec()
    }

    /// A copy of the lowest bits of a term that is translated.
    fn lowest(&self, term: Term, count: usize) -> Vec<Lit> {
        let start = self.start(term);
        self.pool[start..start + count].to_vec()
    }

    fn bitwise(
        &mut self,
        a: Term,
        b: Term,
        width: usize,
        mut gate: impl FnMut(&mut crate::gates::Gates<S>, Lit, Lit) -> Lit,
    ) -> Vec<Lit> {
        let (a, b) = (self.start(a), self.start(b));
        (0..width).map(|bit| gate(&mut self.gates, self.pool[a + bit], self.pool[b + bit])).collect()
    }

    pub(super) fn sum(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> Vec<Lit> {
        let mut carry = carry;
        let last = a.len() - 1;
        let mut sum = Vec::with_capacity(a.len());
        for (bit, (&a, &b)) in a.iter().zip(b).enumerate() {
            sum.push(self.gates.xor3(a, b, carry));
            if bit < last {
                carry = self.gates.majority(a, b, carry);
            }
        }
        sum
    }

    /// `a - b`, and whether there was no borrow, which is `a >= b`.
    pub(super) fn difference(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Lit) {
        let mut carry = self.gates.constant(true);
        let mut difference = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            difference.push(self.gates.xor3(a, !b, carry));
            carry = self.gates.majority(a, !b, carry);
        }
        (difference, carry)
    }

    /// The bits of two terms but for copies of their highest: they say nothing about either order.
    fn without_copies(&self, terms: &Terms, a: Term, b: Term) -> (Vec<Lit>, Vec<Lit>) {
        let (mut a, mut b) = (self.vector(terms, a), self.vector(terms, b));
        let is_copied = |bits: &[Lit]| matches!(bits, [.., below, last] if below == last);
        while is_copied(&a) && is_copied(&b) {
            a.pop();
            b.pop();
        }
        (a, b)
    }

    pub(super) fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut not_less = self.gates.constant(true);
        for (&a, &b) in a.iter().zip(b) {
            not_less = self.gates.majority(a, !b, not_less);
        }
        !not_less
    }

    pub(super) fn product(&mut self, a: Vec<Lit>, b: Vec<Lit>) -> Vec<Lit> {
        let width = a.len();
        // One row for each bit of the second factor that is not known to be 0.
        let zero = self.gates.constant(false);
        let rows = |factor: &[Lit]| factor.iter().filter(|&&bit| bit != zero).count();
        let (a, b) = if rows(&a) < rows(&b) { (b, a) } else { (a, b) };
        let mut total = vec![zero; width];
        for (shift, &bit) in b.iter().enumerate() {
            if bit == zero {
                continue;
            }
            let row: Vec<Lit> = a[..width - shift].iter().map(|&other| self.gates.and(other, bit)).collect();
            let sum = self.sum(&total[shift..], &row, zero);
            total[shift..].copy_from_slice(&sum);
        }
        total
    }

    /// Adds and subtracts shifted copies, by the factor's signed digits of which no two neighbours are used.
    fn product_with_constant(&mut self, a: &[Lit], factor: u64) -> Vec<Lit> {
        let width = a.len();
        let zero = self.gates.constant(false);
        let mut total = vec![zero; width];
        let mut rest = u128::from(factor);
        for shift in 0..width {
            if rest & 1 == 1 {
                let row = &a[..width - shift];
                // Two ones in a row begin a run of ones: subtract here, and add once behind the run.
                let sum = if rest & 3 == 3 {
                    rest += 1;
                    self.difference(&total[shift..], row).0
                } else {
                    rest -= 1;
                    self.sum(&total[shift..], row, zero)
                };
                total[shift..].copy_from_slice(&sum);
            }
            rest >>= 1;
        }
        total
    }

    /// Long division; quotient and remainder. A divisor of 0 gives 0 and the dividend.
    fn division(&mut self, terms: &Terms, a: Term, b: Term) -> (u32, u32) {
        if let Some(&found) = self.divisions.get(&(a, b)) {
            return found;
        }
        let (dividend, divisor) = (self.vector(terms, a), self.vector(terms, b));
        let width = dividend.len();
        let zero = self.gates.constant(false);
        // By position: no bit of the divisor is 1 from there on.
        let mut none_above = vec![self.gates.truth; width + 1];
        for bit in (0..width).rev() {
            none_above[bit] = self.gates.and(none_above[bit + 1], !divisor[bit]);
        }
        let mut quotient = vec![zero; width];
        // As long as the part of the dividend that was used, so that half of the circuit is never built.
        let mut remainder = Vec::with_capacity(width);
        for bit in (0..width).rev() {
            remainder.insert(0, dividend[bit]);
            let length = remainder.len();
            let (difference, not_less) = self.difference(&remainder, &divisor[..length]);
            let fits = self.gates.and(not_less, none_above[length]);
            quotient[bit] = self.gates.and(fits, !none_above[0]);
            for (kept, &reduced) in remainder.iter_mut().zip(&difference) {
                *kept = self.gates.mux(fits, reduced, *kept);
            }
        }
        let found = (self.store(&quotient), self.store(&remainder));
        self.divisions.insert((a, b), found);
        found
    }

    /// Shifts in stages of 1, 2, 4, …; an amount of the width or more shifts everything out.
    fn shifted_right(&mut self, mut bits: Vec<Lit>, by: &[Lit], fill: Lit) -> Vec<Lit> {
        let width = bits.len();
        let mut too_far = Vec::new();
        for (stage, &shifts) in by.iter().enumerate() {
            if stage >= 32 || 1 << stage >= width {
                too_far.push(shifts);
                continue;
            }
            let distance = 1 << stage;
            for bit in 0..width {
                let from = if bit + distance < width { bits[bit + distance] } else { fill };
                bits[bit] = self.gates.mux(shifts, from, bits[bit]);
            }
        }
        let too_far = self.gates.or_all(&mut too_far);
        bits.into_iter().map(|bit| self.gates.mux(too_far, fill, bit)).collect()
    }
}

fn position(index: usize) -> u32 {
    u32::try_from(index).expect("there should be fewer than 2^32 bits of terms")
}
