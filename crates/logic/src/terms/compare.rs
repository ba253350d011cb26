//! Comparisons of bit-vectors.

use super::arena::{Node, Term, Terms};
use super::fold::{mask, sign_bit, signed};
use super::select::COMPARED_LEAVES;
use norn_ir::number::low_64;

impl Terms {
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "what is compared should have one sort");
        if self.is_bool(a) {
            return self.iff(a, b);
        }
        let (mut a, mut b) = self.constant_right(a, b);
        // Each round strips an operation from one side.
        loop {
            if a == b {
                return Term::TRUE;
            }
            if self.known(a).conflicts(self.known(b)) {
                return Term::FALSE;
            }
            if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b)) {
                return self.bool(x == y);
            }
            match self.simpler_equation(a, b) {
                Some((x, y)) => (a, b) = self.constant_right(x, y),
                None => break,
            }
        }
        if let Some(result) = self.eq_of_trees(a, b) {
            return result;
        }
        if let (Node::Concat(high, low), Some(value)) = (self.node(a), self.as_bits(b)) {
            let low_width = self.width(low);
            let (upper, lower) = (self.bits(self.width(high), value >> low_width), self.bits(low_width, value));
            let (upper, lower) = (self.eq(high, upper), self.eq(low, lower));
            return self.and(upper, lower);
        }
        if let (Node::Add(x, y), Some(value)) = (self.node(a), self.as_bits(b))
            && let Some(result) = self.eq_of_digits(x, y, value)
        {
            return result;
        }
        if self.width(a) == 1 && self.as_bits(b) == Some(0) {
            let one = self.bits(1, 1);
            return !self.intern(Node::Eq(a, one), 0);
        }
        self.intern(Node::Eq(a, b), 0)
    }

    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        !self.eq(a, b)
    }

    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "what is compared should have one sort");
        let width = self.width(a);
        let (left, right) = (self.known(a), self.known(b));
        if a == b || left.least() >= right.greatest(width) {
            return Term::FALSE;
        }
        if left.greatest(width) < right.least() {
            return Term::TRUE;
        }
        if self.as_bits(b) == Some(1) {
            let zero = self.bits(width, 0);
            return self.eq(a, zero);
        }
        if self.as_bits(a) == Some(0) || self.as_bits(b) == Some(mask(width)) {
            return self.ne(a, b);
        }
        if self.as_bits(a) == Some(mask(width) - 1) {
            let last = self.bits(width, mask(width));
            return self.eq(b, last);
        }
        if let Some((a, b)) = self.narrowed(a, b, false) {
            return self.ult(a, b);
        }
        let without = match (self.as_bits(a), self.as_bits(b)) {
            (None, Some(constant)) => self.order_without_operation(a, constant, true),
            (Some(constant), None) => self.order_without_operation(b, constant, false),
            _ => None,
        };
        if let Some(result) = without {
            return result;
        }
        if let Some(result) = self.order_of_high_bits(a, b, false) {
            return result;
        }
        if let Some(result) = self.order_of_trees(a, b, Terms::ult) {
            return result;
        }
        self.intern(Node::Ult(a, b), 0)
    }

    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        !self.ult(b, a)
    }

    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "what is compared should have one sort");
        let width = self.width(a);
        if a == b {
            return Term::FALSE;
        }
        match (self.known(a).sign(width), self.known(b).sign(width)) {
            (Some(true), Some(false)) => return Term::TRUE,
            (Some(false), Some(true)) => return Term::FALSE,
            (Some(_), Some(_)) => return self.ult(a, b),
            _ => {}
        }
        let (least, greatest) = (sign_bit(width), sign_bit(width) - 1);
        match (self.as_bits(a), self.as_bits(b)) {
            (Some(x), Some(y)) => return self.bool(signed(width, x) < signed(width, y)),
            (Some(x), _) if x == greatest => return Term::FALSE,
            (Some(x), _) if x == least => return self.ne(a, b),
            (_, Some(y)) if y == least => return Term::FALSE,
            (_, Some(y)) if y == greatest => return self.ne(a, b),
            (Some(x), _) if x.wrapping_add(1) == greatest => {
                let last = self.bits(width, greatest);
                return self.eq(b, last);
            }
            (_, Some(y)) if y == least.wrapping_add(1) & mask(width) => {
                let first = self.bits(width, least);
                return self.eq(a, first);
            }
            _ => {}
        }
        if let Some((a, b)) = self.narrowed(a, b, true) {
            return self.slt(a, b);
        }
        if let Some(result) = self.order_of_high_bits(a, b, true) {
            return result;
        }
        if let Some(result) = self.order_of_trees(a, b, Terms::slt) {
            return result;
        }
        self.intern(Node::Slt(a, b), 0)
    }

    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        !self.slt(b, a)
    }

    /// The operands of a commutative operation in normal order: a constant on the right, else by age.
    pub(super) fn constant_right(&self, a: Term, b: Term) -> (Term, Term) {
        match (self.as_bits(a), self.as_bits(b)) {
            (None, Some(_)) => (a, b),
            (Some(_), None) => (b, a),
            _ => (a.min(b), a.max(b)),
        }
    }

    /// An equation with fewer operations that holds under the same values. A constant is on the right.
    fn simpler_equation(&mut self, a: Term, b: Term) -> Option<(Term, Term)> {
        let width = self.width(a);
        if let Some(value) = self.as_bits(b) {
            let (inner, value) = match self.node(a) {
                Node::Add(x, k) => (x, value.wrapping_sub(self.as_bits(k)?)),
                Node::Sub(k, x) if self.as_bits(k).is_some() => (x, self.as_bits(k)?.wrapping_sub(value)),
                Node::Sub(x, y) if value == 0 => return Some((x, y)),
                Node::BitXor(x, k) if self.as_bits(k).is_some() => (x, value ^ self.as_bits(k)?),
                Node::BitXor(x, y) if value == 0 => return Some((x, y)),
                Node::BitNot(x) => (x, !value),
                Node::Mul(x, k) => match self.equation_of_factor(x, self.as_bits(k)?, value) {
                    Some(equation) => equation,
                    None => return self.never(width),
                },
                // The bits that the extension adds fit, or the equation had been found to conflict.
                Node::Zext(x) => (x, value),
                Node::Sext(x) => {
                    let narrow = self.width(x);
                    if signed(width, value) != signed(narrow, value & mask(narrow)) {
                        return self.never(width);
                    }
                    (x, value)
                }
                _ => return None,
            };
            let value = self.bits(self.width(inner), value);
            return Some((inner, value));
        }
        match (self.node(a), self.node(b)) {
            (Node::Zext(x), Node::Zext(y)) | (Node::Sext(x), Node::Sext(y)) if self.width(x) == self.width(y) => {
                Some((x, y))
            }
            (Node::BitNot(x), Node::BitNot(y)) => Some((x, y)),
            (Node::Add(x, p), Node::Add(y, q)) => self.without_common(x, p, y, q),
            (Node::Add(x, p), _) if x == b || p == b => self.zero_equation(if x == b { p } else { x }),
            (_, Node::Add(y, q)) if y == a || q == a => self.zero_equation(if y == a { q } else { y }),
            (Node::Sub(x, y), Node::Sub(p, q)) if x == p => Some((y, q)),
            (Node::Sub(x, y), Node::Sub(p, q)) if y == q => Some((x, p)),
            _ => None,
        }
    }

    /// `x + p == y + q` without a summand that both have, or with one constant instead of two.
    fn without_common(&mut self, x: Term, p: Term, y: Term, q: Term) -> Option<(Term, Term)> {
        if p == q {
            return Some((x, y));
        }
        if x == y {
            return Some((p, q));
        }
        if x == q {
            return Some((p, y));
        }
        if p == y {
            return Some((x, q));
        }
        let difference = self.as_bits(p)?.wrapping_sub(self.as_bits(q)?);
        let constant = self.bits(self.width(x), difference);
        Some((self.add(x, constant), y))
    }

    fn zero_equation(&mut self, a: Term) -> Option<(Term, Term)> {
        Some((a, self.bits(self.width(a), 0)))
    }

    /// An equation of constants that does not hold.
    fn never(&mut self, width: u32) -> Option<(Term, Term)> {
        Some((self.bits(width, 0), self.bits(width, 1)))
    }

    /// Equality moved into `ite`s, where that leaves less to compare.
    fn eq_of_trees(&mut self, a: Term, b: Term) -> Option<Term> {
        if self.as_bits(b).is_some() {
            return self.is_compared_by_leaf(a).then(|| self.map_leaves(a, &mut |terms, leaf| terms.eq(leaf, b)));
        }
        if self.have_constant_leaves(a, b) {
            return Some(self.map_pairs(a, b, &mut Terms::eq));
        }
        let (left, right) = (self.leaves(a).0, self.leaves(b).0);
        if left.max(right) > COMPARED_LEAVES {
            return None;
        }
        match (self.node(a), self.node(b)) {
            (Node::Ite(condition, x, y), Node::Ite(other, p, q)) if condition == other => {
                let (then, otherwise) = (self.eq(x, p), self.eq(y, q));
                Some(self.ite(condition, then, otherwise))
            }
            (Node::Ite(condition, x, y), _) if x == b || y == b => Some(self.eq_of_branch(condition, x, y, b)),
            (_, Node::Ite(condition, x, y)) if x == a || y == a => Some(self.eq_of_branch(condition, x, y, a)),
            _ => None,
        }
    }

    /// `ite(condition, x, y) == with`, where `with` is one of the branches.
    fn eq_of_branch(&mut self, condition: Term, x: Term, y: Term, with: Term) -> Term {
        let (then, otherwise) = (self.eq(x, with), self.eq(y, with));
        self.ite(condition, then, otherwise)
    }

    /// Order moved into `ite`s with constant leaves.
    fn order_of_trees(&mut self, a: Term, b: Term, mut less: fn(&mut Terms, Term, Term) -> Term) -> Option<Term> {
        if self.as_bits(b).is_some() && self.is_compared_by_leaf(a) {
            return Some(self.map_leaves(a, &mut |terms, leaf| less(terms, leaf, b)));
        }
        if self.as_bits(a).is_some() && self.is_compared_by_leaf(b) {
            return Some(self.map_leaves(b, &mut |terms, leaf| less(terms, a, leaf)));
        }
        self.have_constant_leaves(a, b).then(|| self.map_pairs(a, b, &mut less))
    }

    /// Whether comparing this term with a constant leaves at most one comparison.
    fn is_compared_by_leaf(&self, a: Term) -> bool {
        let (leaves, open) = self.leaves(a);
        (2..=COMPARED_LEAVES).contains(&leaves) && open <= 1
    }

    /// Both operands without the extension that they share, if their order does not depend on it.
    fn narrowed(&mut self, a: Term, b: Term, signed_order: bool) -> Option<(Term, Term)> {
        let inner = |node: Node| match node {
            // Sign extension keeps both orders; zero extension keeps the unsigned one, and makes the signed one unsigned, which
            // known sign bits have shown already.
            Node::Sext(x) => Some(x),
            Node::Zext(x) if !signed_order => Some(x),
            _ => None,
        };
        match (self.node(a), self.node(b)) {
            (Node::Zext(x), Node::Zext(y)) if !signed_order && self.width(x) == self.width(y) => Some((x, y)),
            (Node::Sext(x), Node::Sext(y)) if self.width(x) == self.width(y) => Some((x, y)),
            (left, Node::Bits(value)) => {
                let x = inner(left)?;
                Some((x, self.narrow_constant(left, x, value, self.width(b))?))
            }
            (Node::Bits(value), right) => {
                let x = inner(right)?;
                Some((self.narrow_constant(right, x, value, self.width(a))?, x))
            }
            _ => None,
        }
    }

    /// A comparison with a constant, of a term whose lowest bits are known: only the bits above them need to be compared. The bounds of
    /// an array are checked like this, on an address that is an index times a size.
    fn order_of_high_bits(&mut self, a: Term, b: Term, is_signed: bool) -> Option<Term> {
        let width = self.width(a);
        let number = |value: u64| if is_signed { i128::from(signed(width, value)) } else { i128::from(value) };
        let (term, constant, is_below) = match (self.as_bits(a), self.as_bits(b)) {
            (None, Some(constant)) => (a, number(constant), true),
            (Some(constant), None) => (b, number(constant), false),
            _ => return None,
        };
        let known = self.known(term);
        let count = (known.zeros | known.ones).trailing_ones();
        if count == 0 || count >= width {
            return None;
        }
        // The term is `high << count | low`.
        let low = i128::from(known.ones & mask(count));
        let high_width = width - count;
        let high = self.extract(term, count, high_width);
        let (least, most) = match is_signed {
            true => (i128::from(signed(high_width, sign_bit(high_width))), i128::from(mask(high_width) >> 1)),
            false => (0, i128::from(mask(high_width))),
        };
        // Below: high < bound, rounded up. Above: bound < high, rounded down.
        let bound = if is_below { (constant - low + (1 << count) - 1) >> count } else { (constant - low) >> count };
        if bound > most {
            return Some(self.bool(is_below));
        }
        if bound < least {
            return Some(self.bool(!is_below));
        }
        let bound = self.bits(high_width, low_64(bound));
        let (left, right) = if is_below { (high, bound) } else { (bound, high) };
        Some(if is_signed { self.slt(left, right) } else { self.ult(left, right) })
    }

    /// The constant at the width of `inner`, if extending it as `extension` does gives it back.
    fn narrow_constant(&mut self, extension: Node, inner: Term, value: u64, width: u32) -> Option<Term> {
        let narrow = self.width(inner);
        let low = value & mask(narrow);
        let extended = match extension {
            Node::Sext(_) => signed(narrow, low) as u64 & mask(width),
            _ => low,
        };
        (extended == value).then(|| self.bits(narrow, low))
    }
}

/// The number that multiplies an odd number to 1, modulo every power of two.
pub(super) fn inverse(odd: u64) -> Option<u64> {
    if odd & 1 == 0 {
        return None;
    }
    // Newton's iteration doubles the number of correct bits; 3 are correct at the start.
    let mut inverse = odd;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    Some(inverse)
}
