//! Gates over literals: each becomes clauses once (structural hashing), unless it folds to a literal that is there already.
//!
//! Every gate is defined in both directions, so that its literal may be used in either polarity. A multiplexer is four clauses,
//! without the two redundant ones over both branches.

use crate::clauses::{ClauseSink, Lit};
use rustc_hash::FxHashMap;

pub(crate) struct Gates<S> {
    pub(crate) sink: S,
    pub(crate) truth: Lit,
    hashed: FxHashMap<(Kind, Lit, Lit, Lit), Lit>,
    conjunctions: FxHashMap<Box<[Lit]>, Lit>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    And,
    Xor,
    Mux,
    Xor3,
    Majority,
}

impl<S: ClauseSink> Gates<S> {
    pub(crate) fn new(mut sink: S) -> Gates<S> {
        let truth = sink.new_var();
        sink.clause(&[truth]);
        Gates { sink, truth, hashed: FxHashMap::default(), conjunctions: FxHashMap::default() }
    }

    pub(crate) fn constant(&self, value: bool) -> Lit {
        self.truth.negate_if(!value)
    }

    pub(crate) fn is_constant(&self, literal: Lit) -> bool {
        literal.variable() == self.truth.variable()
    }

    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        if a == self.truth || a == b {
            return b;
        }
        if b == self.truth {
            return a;
        }
        if a == !self.truth || b == !self.truth || a == !b {
            return !self.truth;
        }
        let (a, b) = (a.min(b), a.max(b));
        self.gate((Kind::And, a, b, self.truth), |sink, out| {
            sink.clause(&[!out, a]);
            sink.clause(&[!out, b]);
            sink.clause(&[out, !a, !b]);
        })
    }

    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// The conjunction of all literals; true if there are none. The order of the literals is not kept.
    pub(crate) fn and_all(&mut self, literals: &mut Vec<Lit>) -> Lit {
        literals.sort_unstable_by_key(|literal| (literal.variable(), literal.is_negative()));
        literals.dedup();
        literals.retain(|&literal| literal != self.truth);
        let opposite = literals.windows(2).any(|pair| pair[0] == !pair[1]);
        if opposite || literals.contains(&!self.truth) {
            return !self.truth;
        }
        match literals[..] {
            [] => self.truth,
            [a] => a,
            [a, b] => self.and(a, b),
            _ => {
                if let Some(&out) = self.conjunctions.get(&literals[..]) {
                    return out;
                }
                let out = self.sink.new_var();
                self.conjunctions.insert(literals.clone().into_boxed_slice(), out);
                for &literal in literals.iter() {
                    self.sink.clause(&[!out, literal]);
                }
                for literal in literals.iter_mut() {
                    *literal = !*literal;
                }
                literals.push(out);
                self.sink.clause(literals);
                out
            }
        }
    }

    pub(crate) fn or_all(&mut self, literals: &mut Vec<Lit>) -> Lit {
        for literal in literals.iter_mut() {
            *literal = !*literal;
        }
        !self.and_all(literals)
    }

    pub(crate) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let negate = a.is_negative() != b.is_negative();
        let (a, b) = (a.negate_if(a.is_negative()), b.negate_if(b.is_negative()));
        let out = if a == b {
            !self.truth
        } else if a == self.truth {
            !b
        } else if b == self.truth {
            !a
        } else {
            let (a, b) = (a.min(b), a.max(b));
            self.gate((Kind::Xor, a, b, self.truth), |sink, out| {
                sink.clause(&[!out, a, b]);
                sink.clause(&[!out, !a, !b]);
                sink.clause(&[out, !a, b]);
                sink.clause(&[out, a, !b]);
            })
        };
        out.negate_if(negate)
    }

    /// `a` where the condition holds, else `b`.
    pub(crate) fn mux(&mut self, condition: Lit, a: Lit, b: Lit) -> Lit {
        if self.is_constant(condition) {
            return if condition == self.truth { a } else { b };
        }
        let (condition, a, b) = if condition.is_negative() { (!condition, b, a) } else { (condition, a, b) };
        if a == b {
            return a;
        }
        if a == !b {
            return !self.xor(condition, a);
        }
        if a == self.truth || a == condition {
            return self.or(condition, b);
        }
        if a == !self.truth || a == !condition {
            return self.and(!condition, b);
        }
        if b == self.truth || b == !condition {
            return self.or(!condition, a);
        }
        if b == !self.truth || b == condition {
            return self.and(condition, a);
        }
        let negate = a.is_negative();
        let (a, b) = (a.negate_if(negate), b.negate_if(negate));
        let out = self.gate((Kind::Mux, condition, a, b), |sink, out| {
            sink.clause(&[!condition, !a, out]);
            sink.clause(&[!condition, a, !out]);
            sink.clause(&[condition, !b, out]);
            sink.clause(&[condition, b, !out]);
        });
        out.negate_if(negate)
    }

    /// The sum bit of a full adder.
    pub(crate) fn xor3(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        let negate = inputs.iter().filter(|input| input.is_negative()).count() % 2 == 1;
        for input in &mut inputs {
            *input = input.negate_if(input.is_negative());
        }
        inputs.sort_unstable_by_key(|&input| (!self.is_constant(input), input));
        let [a, b, c] = inputs;
        let out = if a == b {
            c
        } else if b == c {
            a
        } else if a == self.truth {
            !self.xor(b, c)
        } else {
            self.gate((Kind::Xor3, a, b, c), |sink, out| {
                for signs in 0..8u32 {
                    let sign = |literal: Lit, bit: u32| literal.negate_if(signs >> bit & 1 == 1);
                    let odd = signs.count_ones() % 2 == 1;
                    // Forbids inputs of which the sign says that they are true, with the output that they do not have.
                    sink.clause(&[sign(a, 0), sign(b, 1), sign(c, 2), out.negate_if(!odd)]);
                }
            })
        };
        out.negate_if(negate)
    }

    /// The carry bit of a full adder.
    pub(crate) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable_by_key(|&input| (!self.is_constant(input), input.variable()));
        let [a, b, c] = inputs;
        if a == b || b == !c {
            return a;
        }
        if b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if a == self.truth {
            return self.or(b, c);
        }
        if a == !self.truth {
            return self.and(b, c);
        }
        // The majority of negations is the negation of the majority.
        let negate = inputs.iter().filter(|input| input.is_negative()).count() >= 2;
        let [a, b, c] = inputs.map(|input| input.negate_if(negate));
        let out = self.gate((Kind::Majority, a, b, c), |sink, out| {
            for [x, y] in [[a, b], [a, c], [b, c]] {
                sink.clause(&[!x, !y, out]);
                sink.clause(&[x, y, !out]);
            }
        });
        out.negate_if(negate)
    }

    fn gate(&mut self, key: (Kind, Lit, Lit, Lit), define: impl FnOnce(&mut S, Lit)) -> Lit {
        if let Some(&out) = self.hashed.get(&key) {
            return out;
        }
        let out = self.sink.new_var();
        self.hashed.insert(key, out);
        define(&mut self.sink, out);
        out
    }
}
