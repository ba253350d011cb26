//! Comparisons of products and sums with constants.
//!
//! The address of `array[i].field[j]` is `i * a + j * b + c`. To find out which cell that is, nothing need be
//! multiplied or added: where nothing wraps and `j * b` is less than `a`, the two indices are like the digits of a
//! number, and each index is compared with its own digit.

use super::arena::{Node, Term, Terms};
use super::compare::inverse;
use super::fold::mask;

impl Terms {
    /// `x * factor == value` as an equation of the lowest bits of `x`; no value makes it true if there is none.
    pub(super) fn equation_of_factor(&mut self, x: Term, factor: u64, value: u64) -> Option<(Term, u64)> {
        let shift = factor.trailing_zeros();
        if value.trailing_zeros() < shift {
            return None;
        }
        let low = self.extract(x, 0, self.width(x) - shift);
        Some((low, (value >> shift).wrapping_mul(inverse(factor >> shift)?)))
    }

    /// `a + b == value` as an equation for each, if one is a multiple of something that the other is less than.
    pub(super) fn eq_of_digits(&mut self, a: Term, b: Term, value: u64) -> Option<Term> {
        let width = self.width(a);
        for (coarse, fine) in [(a, b), (b, a)] {
            let Some((unit, most)) = self.unit(coarse) else { continue };
            let fine_most = self.known(fine).greatest(width);
            if fine_most >= unit || most.checked_add(fine_most).is_none_or(|sum| sum > mask(width)) {
                continue;
            }
            let rest = value % unit;
            let (high, low) = (self.bits(width, value - rest), self.bits(width, rest));
            let (high, low) = (self.eq(coarse, high), self.eq(fine, low));
            return Some(self.and(high, low));
        }
        None
    }

    /// A comparison with a constant, of a sum with a constant or of a product that does not wrap, without the operation.
    /// `is_below`: the term is to be less than the constant, else greater.
    pub(super) fn order_without_operation(&mut self, term: Term, constant: u64, is_below: bool) -> Option<Term> {
        let width = self.width(term);
        let (inner, bound) = match self.node(term) {
            Node::Add(x, k) => {
                let k = self.as_bits(k)?;
                let most = self.known(x).greatest(width).checked_add(k)?;
                if most > mask(width) {
                    return None;
                }
                match constant.checked_sub(k) {
                    Some(bound) => (x, bound),
                    // All sums are at least `k`.
                    None => return Some(self.bool(!is_below)),
                }
            }
            Node::Mul(x, _) => {
                let (unit, _) = self.unit(term)?;
                (x, if is_below { constant.div_ceil(unit) } else { constant / unit })
            }
            _ => return None,
        };
        let bound = self.bits(width, bound);
        Some(if is_below { self.ult(inner, bound) } else { self.ult(bound, inner) })
    }

    /// A number that the term is a multiple of, by a product that does not wrap or by its lowest bits, and the greatest value.
    fn unit(&self, term: Term) -> Option<(u64, u64)> {
        let width = self.width(term);
        if let Node::Mul(x, k) = self.node(term) {
            let factor = self.as_bits(k)?;
            let most = self.known(x).greatest(width).checked_mul(factor).filter(|&most| most <= mask(width))?;
            return Some((factor, most));
        }
        let known = self.known(term);
        let zeros = known.zeros.trailing_ones();
        (0 < zeros && zeros < width).then(|| (1 << zeros, known.greatest(width)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Memo, Sort};
    use super::*;

    /// Compares the term `i * a + j * b + c` with every constant, for indices of `index_bits` bits, and checks the
    /// results on numbers. Returns how many of the comparisons still add or multiply.
    fn left([a, b, c]: [u64; 3], index_bits: [u32; 2], width: u32) -> usize {
        let mut terms = Terms::new();
        let indices = index_bits.map(|bits| terms.fresh(Sort::Bits(bits)));
        let wide = indices.map(|index| terms.zext(index, width));
        let factors = [a, b, c].map(|factor| terms.bits(width, factor));
        let products = [terms.mul(wide[0], factors[0]), terms.mul(wide[1], factors[1])];
        let sum = terms.add(products[0], products[1]);
        let sum = terms.add(sum, factors[2]);
        let mut count = 0;
        for constant in 0..=mask(width) {
            let number = terms.bits(width, constant);
            let tests = [terms.eq(sum, number), terms.ult(sum, number), terms.ult(number, sum)];
            for i in 0..=mask(index_bits[0]) {
                for j in 0..=mask(index_bits[1]) {
                    let value = (i * a + j * b + c) & mask(width);
                    let expected = [value == constant, value < constant, constant < value];
                    let is = |variable: Term| if variable == indices[0] { i } else { j };
                    let found = tests.map(|test| terms.holds(test, &mut Memo::default(), &is));
                    assert_eq!(found, expected, "{i} * {a} + {j} * {b} + {c} and {constant} at {width} bits");
                }
            }
            count += usize::from(has_arithmetic(&terms, tests[0]));
        }
        count
    }

    fn has_arithmetic(terms: &Terms, term: Term) -> bool {
        let node = terms.node(term);
        matches!(node, Node::Add(..) | Node::Mul(..)) || node.operands().any(|operand| has_arithmetic(terms, operand))
    }

    #[test]
    fn digits_are_compared_one_by_one() {
        assert_eq!(left([12, 4, 0], [3, 1], 8), 0);
        assert_eq!(left([12, 4, 8], [3, 1], 8), 0);
        assert_eq!(left([24, 0, 3], [3, 1], 8), 0);
        assert_eq!(left([16, 4, 1], [3, 2], 8), 0);
        assert_eq!(left([72, 8, 0], [1, 3], 8), 0);
    }

    #[test]
    fn sums_that_overlap_or_wrap_mean_what_they_say() {
        for sizes in [[12, 4, 0], [12, 6, 250], [3, 5, 7], [40, 8, 200], [255, 2, 1], [96, 32, 5]] {
            left(sizes, [3, 2], 8);
            left(sizes, [2, 3], 8);
        }
    }
}
