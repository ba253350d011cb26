//! The simplifier against plain arithmetic: every operation on all values of four bits, on random values of other widths, and
//! on random terms that nest operations, where a second computation of the value runs along without any simplification.

use super::fold::{self, mask, signed};
use super::{Memo, Sort, Term, Terms};
use norn_ir::number::narrow;
use norn_testing::Random;

type Build = fn(&mut Terms, Term, Term) -> Term;
type Meaning = fn(u32, u64, u64) -> u64;
type Truth = fn(bool, bool) -> bool;

/// Operations on two bit-vectors of one width that give a bit-vector of that width.
pub(crate) const OPERATIONS: &[(&str, Build, Meaning)] = &[
    ("add", Terms::add, |_, a, b| a.wrapping_add(b)),
    ("sub", Terms::sub, |_, a, b| a.wrapping_sub(b)),
    ("mul", Terms::mul, |_, a, b| a.wrapping_mul(b)),
    ("udiv", Terms::udiv, |_, a, b| a.checked_div(b).unwrap_or(0)),
    ("urem", Terms::urem, |_, a, b| a.checked_rem(b).unwrap_or(a)),
    ("sdiv", Terms::sdiv, fold::sdiv),
    ("srem", Terms::srem, fold::srem),
    ("bit_and", Terms::bit_and, |_, a, b| a & b),
    ("bit_or", Terms::bit_or, |_, a, b| a | b),
    ("bit_xor", Terms::bit_xor, |_, a, b| a ^ b),
    ("bit_not", |terms, a, _| terms.bit_not(a), |_, a, _| !a),
    ("neg", |terms, a, _| terms.neg(a), |_, a, _| a.wrapping_neg()),
    ("shl", Terms::shl, fold::shl),
    ("lshr", Terms::lshr, fold::lshr),
    ("ashr", Terms::ashr, fold::ashr),
    ("popcount", |terms, a, _| terms.popcount(a), |_, a, _| u64::from(a.count_ones())),
    ("clz", |terms, a, _| terms.clz(a), |width, a, _| u64::from(a.leading_zeros() + width - 64)),
    ("ctz", |terms, a, _| terms.ctz(a), |width, a, _| u64::from(a.trailing_zeros().min(width))),
];

/// Comparisons of two bit-vectors of one width.
pub(crate) const COMPARISONS: &[(&str, Build, Meaning)] = &[
    ("eq", Terms::eq, |_, a, b| u64::from(a == b)),
    ("ne", Terms::ne, |_, a, b| u64::from(a != b)),
    ("ult", Terms::ult, |_, a, b| u64::from(a < b)),
    ("ule", Terms::ule, |_, a, b| u64::from(a <= b)),
    ("slt", Terms::slt, |width, a, b| u64::from(signed(width, a) < signed(width, b))),
    ("sle", Terms::sle, |width, a, b| u64::from(signed(width, a) <= signed(width, b))),
];

/// Connectives of two Booleans.
const CONNECTIVES: &[(Build, Truth)] = &[
    (Terms::and, |a, b| a && b),
    (Terms::or, |a, b| a || b),
    (Terms::xor, |a, b| a != b),
    (Terms::iff, |a, b| a == b),
    (Terms::implies, |a, b| !a || b),
];

/// A value of this width, often a special one.
pub(crate) fn value(random: &mut Random, width: u32) -> u64 {
    let special = [0, 1, 2, 3, u64::MAX, u64::MAX - 1, 1 << (width - 1), (1 << (width - 1)) - 1];
    let value = if random.one_in(3) { random.pick(&special) } else { random.number() };
    value & mask(width)
}

/// Builds an operation on constants, on variables, and on one of each, and compares their values.
fn check_operation(name: &str, build: Build, meaning: Meaning, width: u32, a: u64, b: u64, result: u64) {
    let mut terms = Terms::new();
    let (x, y) = (terms.fresh(Sort::Bits(width)), terms.fresh(Sort::Bits(width)));
    let (left, right) = (terms.bits(width, a), terms.bits(width, b));
    for (p, q) in [(left, right), (x, y), (left, y), (x, right)] {
        let term = build(&mut terms, p, q);
        let value = terms.evaluate(term, &mut Memo::default(), &|variable| if variable == x { a } else { b });
        let expected = meaning(width, a, b) & result;
        assert_eq!(
            value,
            expected,
            "{name} of {a} and {b} at {width} bits, with {:?} and {:?}",
            terms.node(p),
            terms.node(q)
        );
    }
}

#[test]
fn operations_mean_what_they_say_at_four_bits() {
    for a in 0..16 {
        for b in 0..16 {
            for (name, build, meaning) in OPERATIONS {
                check_operation(name, *build, *meaning, 4, a, b, mask(4));
            }
            for (name, build, meaning) in COMPARISONS {
                check_operation(name, *build, *meaning, 4, a, b, 1);
            }
        }
    }
}

#[test]
fn operations_mean_what_they_say_at_all_widths() {
    let mut random = Random::new(1);
    for width in 1..=64 {
        for _ in 0..40 {
            let (a, b) = (value(&mut random, width), value(&mut random, width));
            let b = if random.index(3) == 0 { b % u64::from(width) } else { b };
            for (name, build, meaning) in OPERATIONS {
                check_operation(name, *build, *meaning, width, a, b, mask(width));
            }
            for (name, build, meaning) in COMPARISONS {
                check_operation(name, *build, *meaning, width, a, b, 1);
            }
        }
    }
}

/// Terms under construction, each with its value under a few assignments, computed without any term.
pub(crate) struct Garden {
    pub(crate) terms: Terms,
    random: Random,
    widths: Vec<u32>,
    pub(crate) booleans: Vec<(Term, Vec<bool>)>,
    vectors: Vec<(Term, Vec<u64>)>,
}

const ASSIGNMENTS: usize = 24;

impl Garden {
    fn of_all_widths(seed: u64) -> Garden {
        let mut random = Random::new(seed);
        let first = 1 + narrow(random.index(6));
        let widths = vec![first, first + 1 + narrow(random.index(6)), [8, 16, 32, 64][random.index(4)]];
        Garden::new(random, widths)
    }

    pub(crate) fn new(mut random: Random, widths: Vec<u32>) -> Garden {
        let mut terms = Terms::new();
        let mut booleans = Vec::new();
        let mut vectors = Vec::new();
        for _ in 0..3 {
            let values = (0..ASSIGNMENTS).map(|_| random.index(2) == 0).collect();
            booleans.push((terms.fresh(Sort::Bool), values));
        }
        for &width in &widths {
            for _ in 0..2 {
                let values = (0..ASSIGNMENTS).map(|_| value(&mut random, width)).collect();
                vectors.push((terms.fresh(Sort::Bits(width)), values));
            }
        }
        Garden { terms, random, widths, booleans, vectors }
    }

    fn boolean(&mut self) -> (Term, Vec<bool>) {
        // Recent terms more often, so that terms grow deep.
        let recent = self.booleans.len().min(if self.random.index(2) == 0 { 6 } else { usize::MAX });
        let (term, values) = self.booleans[self.booleans.len() - 1 - self.random.index(recent)].clone();
        if self.random.index(2) == 0 { (term, values) } else { (!term, values.iter().map(|value| !value).collect()) }
    }

    fn vector(&mut self, width: u32) -> (Term, Vec<u64>) {
        if self.random.index(3) == 0 {
            let value = value(&mut self.random, width);
            return (self.terms.bits(width, value), vec![value; ASSIGNMENTS]);
        }
        let fitting: Vec<usize> =
            (0..self.vectors.len()).filter(|&index| self.terms.width(self.vectors[index].0) == width).collect();
        let recent = fitting.len().min(if self.random.index(2) == 0 { 6 } else { usize::MAX });
        self.vectors[fitting[fitting.len() - 1 - self.random.index(recent)]].clone()
    }

    fn width(&mut self) -> u32 {
        self.widths[self.random.index(self.widths.len())]
    }

    pub(crate) fn grow(&mut self) {
        let width = self.width();
        match self.random.index(12) {
            0..4 => {
                let (_, build, meaning) = OPERATIONS[self.random.index(OPERATIONS.len())];
                let ((a, left), (b, right)) = (self.vector(width), self.vector(width));
                let term = build(&mut self.terms, a, b);
                let values = left.iter().zip(&right).map(|(&a, &b)| meaning(width, a, b) & mask(width)).collect();
                self.vectors.push((term, values));
            }
            4..6 => {
                let (_, build, meaning) = COMPARISONS[self.random.index(COMPARISONS.len())];
                let ((a, left), (b, right)) = (self.vector(width), self.vector(width));
                let term = build(&mut self.terms, a, b);
                let values = left.iter().zip(&right).map(|(&a, &b)| meaning(width, a, b) != 0).collect();
                self.booleans.push((term, values));
            }
            6 | 7 => {
                let (build, meaning) = CONNECTIVES[self.random.index(CONNECTIVES.len())];
                let ((a, left), (b, right)) = (self.boolean(), self.boolean());
                let term = build(&mut self.terms, a, b);
                let values = left.iter().zip(&right).map(|(&a, &b)| meaning(a, b)).collect();
                self.booleans.push((term, values));
            }
            8 => {
                let (condition, choices) = self.boolean();
                let ((a, left), (b, right)) = (self.boolean(), self.boolean());
                let term = self.terms.ite(condition, a, b);
                let values = (0..ASSIGNMENTS).map(|n| if choices[n] { left[n] } else { right[n] }).collect();
                self.booleans.push((term, values));
            }
            9 | 10 => {
                let (condition, choices) = self.boolean();
                let ((a, left), (b, right)) = (self.vector(width), self.vector(width));
                let term = self.terms.ite(condition, a, b);
                let values = (0..ASSIGNMENTS).map(|n| if choices[n] { left[n] } else { right[n] }).collect();
                self.vectors.push((term, values));
            }
            _ => self.grow_width(width),
        }
    }

    fn grow_width(&mut self, width: u32) {
        let other = self.width();
        let (a, values) = self.vector(width);
        let (term, values): (Term, Vec<u64>) = if other > width && self.random.index(2) == 0 {
            (self.terms.zext(a, other), values)
        } else if other > width {
            let extend = |&value: &u64| signed(width, value) as u64 & mask(other);
            (self.terms.sext(a, other), values.iter().map(extend).collect())
        } else if other < width {
            let low = narrow(self.random.index((width - other + 1) as usize));
            let part = |&value: &u64| (value >> low) & mask(other);
            (self.terms.extract(a, low, other), values.iter().map(part).collect())
        } else {
            // Taken apart and put together again with another's low part.
            let border = narrow(self.random.index(width as usize));
            if border == 0 {
                return;
            }
            let (b, lows) = self.vector(width);
            let (high, low) = (self.terms.extract(a, border, width - border), self.terms.extract(b, 0, border));
            let join = |(&high, &low): (&u64, &u64)| high >> border << border | low & mask(border);
            (self.terms.concat(high, low), values.iter().zip(&lows).map(join).collect())
        };
        self.vectors.push((term, values));
    }

    fn check(&self, seed: u64) {
        for n in 0..ASSIGNMENTS {
            let mut memo = Memo::default();
            let value = |variable: Term| {
                let boolean = self.booleans[..3].iter().find(|(term, _)| *term == variable);
                let vector = self.vectors[..6].iter().find(|(term, _)| *term == variable);
                boolean.map(|(_, values)| u64::from(values[n])).or(vector.map(|(_, values)| values[n])).unwrap()
            };
            for (term, values) in &self.booleans {
                assert_eq!(
                    self.terms.holds(*term, &mut memo, &value),
                    values[n],
                    "seed {seed}: {:?}",
                    self.terms.node(*term)
                );
            }
            for (term, values) in &self.vectors {
                assert_eq!(
                    self.terms.evaluate(*term, &mut memo, &value),
                    values[n],
                    "seed {seed}: {:?}",
                    self.terms.node(*term)
                );
                let known = self.terms.known(*term);
                assert_eq!(known.zeros & values[n], 0, "seed {seed}: zeros of {:?}", self.terms.node(*term));
                assert_eq!(known.ones & !values[n], 0, "seed {seed}: ones of {:?}", self.terms.node(*term));
            }
        }
    }
}

#[test]
fn simplifying_never_changes_the_value() {
    for seed in 0..1500 {
        let mut garden = Garden::of_all_widths(seed);
        for _ in 0..80 {
            garden.grow();
        }
        garden.check(seed);
    }
}
