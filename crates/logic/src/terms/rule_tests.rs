//! Simplifications that engines rely on: each line is one that must not get lost.

use super::{Sort, Term, Terms};

/// Variables to build with.
struct Names {
    terms: Terms,
    /// Booleans.
    c: Term,
    d: Term,
    e: Term,
    /// 32 bits.
    x: Term,
    y: Term,
    /// 8 bits.
    p: Term,
    q: Term,
}

impl Names {
    fn number(&mut self, value: u64) -> Term {
        self.terms.bits(32, value)
    }

    fn byte(&mut self, value: u64) -> Term {
        self.terms.bits(8, value)
    }

    fn flag(&mut self, condition: Term) -> Term {
        self.terms.from_bool(condition, 32)
    }
}

/// Both sides must be the very same term.
fn same(left: impl FnOnce(&mut Names) -> Term, right: impl FnOnce(&mut Names) -> Term) {
    let mut terms = Terms::new();
    let [c, d, e] = std::array::from_fn(|_| terms.fresh(Sort::Bool));
    let [x, y] = std::array::from_fn(|_| terms.fresh(Sort::Bits(32)));
    let [p, q] = std::array::from_fn(|_| terms.fresh(Sort::Bits(8)));
    let mut names = Names { terms, c, d, e, x, y, p, q };
    let (left, right) = (left(&mut names), right(&mut names));
    let terms = &names.terms;
    assert_eq!(left, right, "{:?} and {:?} should be one term", terms.node(left), terms.node(right));
}

#[test]
fn conditions_become_booleans_again() {
    same(
        |n| {
            let (flag, one) = (n.flag(n.c), n.number(1));
            n.terms.eq(flag, one)
        },
        |n| n.c,
    );
    same(
        |n| {
            let flag = n.flag(n.c);
            let wide = n.terms.sext(flag, 64);
            n.terms.to_bool(wide)
        },
        |n| n.c,
    );
    // !(a && b), as C computes it.
    same(
        |n| {
            let (left, right) = (n.flag(n.c), n.flag(n.d));
            let both = n.terms.bit_and(left, right);
            let zero = n.number(0);
            n.terms.eq(both, zero)
        },
        |n| {
            let both = n.terms.and(n.c, n.d);
            n.terms.not(both)
        },
    );
    // A state machine's next state, compared with one of its constants.
    same(
        |n| {
            let (one, two, three) = (n.number(1), n.number(2), n.number(3));
            let inner = n.terms.ite(n.d, two, three);
            let state = n.terms.ite(n.c, one, inner);
            n.terms.eq(state, two)
        },
        |n| n.terms.and(!n.c, n.d),
    );
    same(
        |n| {
            let (one, two) = (n.number(1), n.number(2));
            let state = n.terms.ite(n.c, one, n.x);
            n.terms.eq(state, two)
        },
        |n| {
            let two = n.number(2);
            let equal = n.terms.eq(n.x, two);
            n.terms.and(!n.c, equal)
        },
    );
    same(
        |n| {
            let (left, right) = (n.flag(n.c), n.flag(n.d));
            n.terms.eq(left, right)
        },
        |n| n.terms.iff(n.c, n.d),
    );
}

#[test]
fn guards_absorb_one_another() {
    same(
        |n| {
            let either = n.terms.or(n.c, n.d);
            n.terms.and(n.c, either)
        },
        |n| n.c,
    );
    same(
        |n| {
            let either = n.terms.or(!n.c, n.d);
            n.terms.and(n.c, either)
        },
        |n| n.terms.and(n.c, n.d),
    );
    same(
        |n| {
            let guard = n.terms.all([n.c, n.d, n.e]);
            n.terms.and(guard, n.d)
        },
        |n| n.terms.all([n.c, n.d, n.e]),
    );
    same(
        |n| {
            let guard = n.terms.all([n.c, n.d, n.e]);
            n.terms.and(guard, !n.c)
        },
        |_| Term::FALSE,
    );
    // Where two branches meet, what held before them holds again.
    same(
        |n| {
            let (then, otherwise) = (n.terms.and(n.c, n.d), n.terms.and(n.c, !n.d));
            n.terms.or(then, otherwise)
        },
        |n| n.c,
    );
    // The same, where only one of the branches went on under a condition that held before.
    same(
        |n| {
            let inner = n.terms.and(n.c, n.e);
            let either = n.terms.or(n.d, inner);
            n.terms.and(n.c, either)
        },
        |n| {
            let either = n.terms.or(n.d, n.e);
            n.terms.and(n.c, either)
        },
    );
    same(|n| n.terms.implies(n.c, n.c), |_| Term::TRUE);
    same(
        |n| {
            let different = n.terms.xor(n.c, n.d);
            n.terms.xor(different, n.c)
        },
        |n| n.d,
    );
    same(|n| n.terms.ite(n.c, Term::FALSE, Term::TRUE), |n| n.terms.not(n.c));
    same(|n| n.terms.ite(n.c, n.d, !n.d), |n| n.terms.iff(n.c, n.d));
}

#[test]
fn comparisons_know_one_another() {
    fn with(n: &mut Names, compare: fn(&mut Terms, Term, Term) -> Term, value: u64) -> Term {
        let value = n.number(value);
        compare(&mut n.terms, n.x, value)
    }
    same(
        |n| {
            let (one, two) = (with(n, Terms::eq, 1), with(n, Terms::eq, 2));
            n.terms.and(one, two)
        },
        |_| Term::FALSE,
    );
    same(
        |n| {
            let (one, two) = (with(n, Terms::eq, 1), with(n, Terms::ne, 2));
            n.terms.and(one, two)
        },
        |n| with(n, Terms::eq, 1),
    );
    same(
        |n| {
            let (five, three) = (with(n, Terms::ult, 5), with(n, Terms::ult, 3));
            n.terms.and(five, three)
        },
        |n| with(n, Terms::ult, 3),
    );
    same(
        |n| {
            let (negative, five) = (with(n, Terms::slt, 0), with(n, Terms::eq, 5));
            n.terms.and(negative, five)
        },
        |_| Term::FALSE,
    );
    same(
        |n| {
            let (less, greater) = (n.terms.slt(n.x, n.y), n.terms.slt(n.y, n.x));
            n.terms.and(less, greater)
        },
        |_| Term::FALSE,
    );
    same(
        |n| {
            let (less, different) = (n.terms.ult(n.x, n.y), n.terms.ne(n.x, n.y));
            n.terms.and(less, different)
        },
        |n| n.terms.ult(n.x, n.y),
    );
    // A byte is less than 256 and not negative.
    same(
        |n| {
            let (wide, bound, zero) = (n.terms.zext(n.p, 32), n.number(256), n.number(0));
            let (small, positive) = (n.terms.slt(wide, bound), n.terms.sle(zero, wide));
            n.terms.and(small, positive)
        },
        |_| Term::TRUE,
    );
    same(
        |n| {
            let (wide, bound) = (n.terms.sext(n.p, 32), n.number(5));
            n.terms.slt(wide, bound)
        },
        |n| {
            let bound = n.byte(5);
            n.terms.slt(n.p, bound)
        },
    );
}

#[test]
fn bounds_of_an_array_are_bounds_of_the_index() {
    // 28 < 8 * index + 4, on an address of 64 bits.
    same(
        |n| {
            let index = n.terms.sext(n.p, 64);
            let (eight, four, end) = (n.terms.bits(64, 8), n.terms.bits(64, 4), n.terms.bits(64, 28));
            let scaled = n.terms.mul(index, eight);
            let address = n.terms.add(scaled, four);
            n.terms.ult(end, address)
        },
        |n| {
            let three = n.byte(3);
            n.terms.ult(three, n.p)
        },
    );
    same(
        |n| {
            let index = n.terms.sext(n.p, 32);
            let (four, end) = (n.number(4), n.number(u64::MAX - 9));
            let scaled = n.terms.mul(index, four);
            n.terms.slt(scaled, end)
        },
        |n| {
            // 4 * index < -10 is index < -2.
            let bound = n.byte(u64::MAX - 1);
            n.terms.slt(n.p, bound)
        },
    );
}

#[test]
fn constants_are_collected() {
    same(
        |n| {
            let (three, four) = (n.number(3), n.number(4));
            let sum = n.terms.add(n.x, three);
            let sum = n.terms.add(n.y, sum);
            n.terms.sub(sum, four)
        },
        |n| {
            let minus_one = n.number(u64::MAX);
            let sum = n.terms.add(n.y, n.x);
            n.terms.add(sum, minus_one)
        },
    );
    same(
        |n| {
            let sum = n.terms.add(n.x, n.y);
            n.terms.sub(sum, n.x)
        },
        |n| n.y,
    );
    same(
        |n| {
            let negated = n.terms.neg(n.y);
            n.terms.add(n.x, negated)
        },
        |n| n.terms.sub(n.x, n.y),
    );
    same(
        |n| {
            let (three, ten) = (n.number(3), n.number(10));
            let sum = n.terms.add(n.x, three);
            n.terms.eq(sum, ten)
        },
        |n| {
            let seven = n.number(7);
            n.terms.eq(n.x, seven)
        },
    );
    same(
        |n| {
            let (one, three) = (n.number(1), n.number(3));
            let counter = n.terms.ite(n.c, one, three);
            n.terms.add(counter, one)
        },
        |n| {
            let (two, four) = (n.number(2), n.number(4));
            n.terms.ite(n.c, two, four)
        },
    );
    // The address of an element.
    same(
        |n| {
            let (one, eight) = (n.number(1), n.number(8));
            let next = n.terms.add(n.x, one);
            n.terms.mul(next, eight)
        },
        |n| {
            let (three, eight) = (n.number(3), n.number(8));
            let scaled = n.terms.shl(n.x, three);
            n.terms.add(scaled, eight)
        },
    );
    same(
        |n| {
            let (three, product) = (n.number(3), n.number(21));
            let tripled = n.terms.mul(n.x, three);
            n.terms.eq(tripled, product)
        },
        |n| {
            let seven = n.number(7);
            n.terms.eq(n.x, seven)
        },
    );
}

#[test]
fn parts_and_wholes() {
    // A word taken apart into bytes and put together with shifts, as C does it.
    same(
        |n| {
            let mut word = n.number(0);
            for byte in 0..4 {
                let part = n.terms.extract(n.x, 8 * byte, 8);
                let wide = n.terms.zext(part, 32);
                let by = n.number(u64::from(8 * byte));
                let shifted = n.terms.shl(wide, by);
                word = n.terms.bit_or(word, shifted);
            }
            word
        },
        |n| n.x,
    );
    // The low byte of a sum that was computed as int.
    same(
        |n| {
            let (left, right) = (n.terms.sext(n.p, 32), n.terms.zext(n.q, 32));
            let sum = n.terms.add(left, right);
            n.terms.extract(sum, 0, 8)
        },
        |n| n.terms.add(n.p, n.q),
    );
    same(
        |n| {
            let mask = n.number(0xff);
            let low = n.terms.bit_and(n.x, mask);
            n.terms.extract(low, 0, 8)
        },
        |n| n.terms.extract(n.x, 0, 8),
    );
    same(
        |n| {
            let (mask, zero) = (n.number(0xff00), n.number(0));
            let middle = n.terms.bit_and(n.x, mask);
            let low = n.terms.extract(middle, 0, 8);
            let wide = n.terms.zext(low, 32);
            n.terms.eq(wide, zero)
        },
        |_| Term::TRUE,
    );
    same(
        |n| {
            let (two, four) = (n.number(2), n.number(4));
            let odd = n.number(1);
            let scaled = n.terms.mul(n.x, four);
            let rest = n.terms.urem(scaled, two);
            n.terms.eq(rest, odd)
        },
        |_| Term::FALSE,
    );
    same(
        |n| {
            let (left, right) = (n.terms.zext(n.p, 32), n.terms.zext(n.q, 32));
            n.terms.sdiv(left, right)
        },
        |n| {
            let quotient = n.terms.udiv(n.p, n.q);
            n.terms.zext(quotient, 32)
        },
    );
}

#[test]
fn choices_merge() {
    same(
        |n| {
            let inner = n.terms.ite(n.c, n.x, n.y);
            let zero = n.number(0);
            n.terms.ite(n.c, inner, zero)
        },
        |n| {
            let zero = n.number(0);
            n.terms.ite(n.c, n.x, zero)
        },
    );
    same(
        |n| {
            let guard = n.terms.and(n.c, n.d);
            let inner = n.terms.ite(n.c, n.x, n.y);
            n.terms.ite(guard, inner, n.y)
        },
        |n| {
            let guard = n.terms.and(n.c, n.d);
            n.terms.ite(guard, n.x, n.y)
        },
    );
    same(
        |n| {
            let inner = n.terms.ite(n.d, n.x, n.y);
            n.terms.ite(n.c, n.x, inner)
        },
        |n| {
            let either = n.terms.or(n.c, n.d);
            n.terms.ite(either, n.x, n.y)
        },
    );
    same(
        |n| {
            let equal = n.terms.eq(n.x, n.y);
            n.terms.ite(equal, n.x, n.y)
        },
        |n| n.y,
    );
    same(
        |n| {
            let choice = n.terms.ite(n.c, n.x, n.y);
            n.terms.eq(choice, n.x)
        },
        |n| {
            let equal = n.terms.eq(n.x, n.y);
            n.terms.or(n.c, equal)
        },
    );
}
