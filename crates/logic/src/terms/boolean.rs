//! Boolean connectives: constants, complements, absorption, and what comparisons with constants say about one another.

use super::arena::{Node, Sort, Term, Terms};
use super::fold::{mask, sign_bit};

/// How many conjuncts of a conjunction are looked at to simplify another one under it.
const CONJUNCTS_SEEN: usize = 12;

/// How deep one conjunction may be rebuilt for the sake of another.
const DEEPEST_REWRITE: u8 = 4;

impl Terms {
    pub fn not(&self, a: Term) -> Term {
        debug_assert_eq!(self.sort(a), Sort::Bool);
        !a
    }

    pub fn and(&mut self, a: Term, b: Term) -> Term {
        debug_assert!(self.is_bool(a) && self.is_bool(b), "a conjunction should be of Booleans");
        let (mut a, mut b) = (a, b);
        // Each round replaces an operand by a part of it.
        loop {
            if a == b || b == Term::TRUE {
                return a;
            }
            if a == Term::TRUE {
                return b;
            }
            if a == Term::FALSE || b == Term::FALSE || a == !b {
                return Term::FALSE;
            }
            match self.judge(a, b) {
                Judgement::Follows => return a,
                Judgement::Excluded => return Term::FALSE,
                Judgement::Open => {}
            }
            match self.judge(b, a) {
                Judgement::Follows => return b,
                Judgement::Excluded => return Term::FALSE,
                Judgement::Open => {}
            }
            if let Some(rest) = self.under(a, b) {
                b = rest;
            } else if let Some(rest) = self.under(b, a) {
                a = rest;
            } else if let Some(rest) = self.under_nested(a, b) {
                b = rest;
            } else if let Some(rest) = self.under_nested(b, a) {
                a = rest;
            } else {
                break;
            }
        }
        if let (Node::And(p, q), Node::And(r, s)) = (self.node(!a), self.node(!b)) {
            // (x or y) and (x or not y) is x.
            if (p == r && q == !s) || (p == s && q == !r) {
                return !p;
            }
            if (q == r && p == !s) || (q == s && p == !r) {
                return !q;
            }
        }
        self.intern(Node::And(a.min(b), a.max(b)), 0)
    }

    pub fn or(&mut self, a: Term, b: Term) -> Term {
        !self.and(!a, !b)
    }

    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        !self.and(a, !b)
    }

    pub fn iff(&mut self, a: Term, b: Term) -> Term {
        !self.xor(a, b)
    }

    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        debug_assert!(self.is_bool(a) && self.is_bool(b), "an exclusive disjunction should be of Booleans");
        let negate = a.is_negated() != b.is_negated();
        let (a, b) = (a.positive(), b.positive());
        let result = if a == b {
            Term::FALSE
        } else if a == Term::TRUE {
            !b
        } else if b == Term::TRUE {
            !a
        } else {
            match (self.node(a), self.node(b)) {
                (Node::Xor(p, q), _) if p == b => q,
                (Node::Xor(p, q), _) if q == b => p,
                (_, Node::Xor(p, q)) if p == a => q,
                (_, Node::Xor(p, q)) if q == a => p,
                _ => self.intern(Node::Xor(a.min(b), a.max(b)), 0),
            }
        };
        result.negate_if(negate)
    }

    /// The conjunction of all terms; true if there are none.
    pub fn all(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        terms.into_iter().fold(Term::TRUE, |all, term| self.and(all, term))
    }

    /// The disjunction of all terms; false if there are none.
    pub fn any(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        terms.into_iter().fold(Term::FALSE, |any, term| self.or(any, term))
    }

    /// `if condition then a else b` on Booleans.
    pub(super) fn ite_bool(&mut self, condition: Term, a: Term, b: Term) -> Term {
        debug_assert!(!condition.is_negated());
        if a == Term::TRUE || a == condition {
            return self.or(condition, b);
        }
        if a == Term::FALSE || a == !condition {
            return self.and(!condition, b);
        }
        if b == Term::TRUE || b == !condition {
            return self.or(!condition, a);
        }
        if b == Term::FALSE || b == condition {
            return self.and(condition, a);
        }
        if a == !b {
            return self.iff(condition, a);
        }
        match (self.judge(condition, a), self.judge(!condition, b)) {
            (Judgement::Follows, _) => return self.or(condition, b),
            (Judgement::Excluded, _) => return self.and(!condition, b),
            (_, Judgement::Follows) => return self.or(!condition, a),
            (_, Judgement::Excluded) => return self.and(condition, a),
            _ => {}
        }
        let negate = a.is_negated();
        self.intern(Node::Ite(condition, a.negate_if(negate), b.negate_if(negate)), 0).negate_if(negate)
    }

    /// What `context` says about `claim`, as far as its first conjuncts show.
    pub(super) fn judge(&self, context: Term, claim: Term) -> Judgement {
        let claimed = self.fact(claim);
        let mut waiting = [context; CONJUNCTS_SEEN];
        let (mut next, mut filled) = (0, 1);
        while next < filled {
            let conjunct = waiting[next];
            next += 1;
            if conjunct == claim {
                return Judgement::Follows;
            }
            if conjunct == !claim {
                return Judgement::Excluded;
            }
            match self.node(conjunct) {
                Node::And(p, q) => {
                    for part in [p, q] {
                        if filled < CONJUNCTS_SEEN {
                            waiting[filled] = part;
                            filled += 1;
                        }
                    }
                }
                _ => match (self.fact(conjunct), claimed) {
                    (Some(given), Some(claimed)) => match given.judge(claimed) {
                        Judgement::Open => {}
                        judgement => return judgement,
                    },
                    _ => continue,
                },
            }
        }
        Judgement::Open
    }

    /// What is left to say of `claim` where `context` holds, if that is less.
    fn under(&self, context: Term, claim: Term) -> Option<Term> {
        // A conjunct that follows can go; a disjunct that is excluded can go, and one that follows makes all true.
        let (parts, negated) = match (self.node(claim), self.node(!claim)) {
            (Node::And(p, q), _) => ([p, q], false),
            (_, Node::And(p, q)) => ([p, q], true),
            (Node::Ite(condition, p, q), _) => return self.branch_under(context, condition, p, q),
            (_, Node::Ite(condition, p, q)) => return self.branch_under(context, condition, !p, !q),
            _ => return None,
        };
        for (part, rest) in [(parts[0], parts[1]), (parts[1], parts[0])] {
            match self.judge(context, part) {
                Judgement::Follows => return Some(rest.negate_if(negated)),
                Judgement::Excluded => return Some(Term::FALSE.negate_if(negated)),
                Judgement::Open => {}
            }
        }
        None
    }

    /// What is left to say of `claim` where `context` holds, if less of one of its two parts is. Where branches meet, guards have this
    /// form: a condition that held before the branch is still in one of its arms.
    fn under_nested(&mut self, context: Term, claim: Term) -> Option<Term> {
        let (Node::And(p, q), negated) = (self.node(claim.positive()), claim.is_negated()) else { return None };
        if self.nesting >= DEEPEST_REWRITE {
            return None;
        }
        for (part, other) in [(p, q), (q, p)] {
            if matches!(self.node(part.positive()), Node::And(..))
                && let Some(rest) = self.under(context, part)
            {
                self.nesting += 1;
                let simpler = self.and(rest, other);
                self.nesting -= 1;
                return Some(simpler.negate_if(negated));
            }
        }
        None
    }

    fn branch_under(&self, context: Term, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
        match self.judge(context, condition) {
            Judgement::Follows => Some(then),
            Judgement::Excluded => Some(otherwise),
            Judgement::Open => None,
        }
    }

    /// The comparison that a term is, in a form in which comparisons can be compared.
    fn fact(&self, term: Term) -> Option<Fact> {
        let node = self.node(term.positive());
        let fact = match node {
            Node::Eq(a, b) => match self.as_bits(b) {
                Some(value) => Fact::Within { of: a, mask: mask(self.width(a)), from: value, length: 0 },
                None => Fact::Ordered { of: a, and: b, signed: None, relation: EQUAL },
            },
            Node::Ult(a, b) => self.order_fact(a, b, false),
            Node::Slt(a, b) => self.order_fact(a, b, true),
            _ => return None,
        };
        Some(if term.is_negated() { fact.negated() } else { fact })
    }

    fn order_fact(&self, a: Term, b: Term, signed: bool) -> Fact {
        let width = self.width(a);
        let mask = mask(width);
        let lowest = if signed { sign_bit(width) } else { 0 };
        // A comparison that no value satisfies, or every value, is a constant and not seen here.
        if let Some(value) = self.as_bits(b) {
            let length = value.wrapping_sub(lowest).wrapping_sub(1) & mask;
            return Fact::Within { of: a, mask, from: lowest, length };
        }
        if let Some(value) = self.as_bits(a) {
            let from = value.wrapping_add(1) & mask;
            return Fact::Within { of: b, mask, from, length: lowest.wrapping_sub(1).wrapping_sub(from) & mask };
        }
        if a < b {
            Fact::Ordered { of: a, and: b, signed: Some(signed), relation: LESS }
        } else {
            Fact::Ordered { of: b, and: a, signed: Some(signed), relation: GREATER }
        }
    }
}

/// What one condition says about another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Judgement {
    Follows,
    Excluded,
    Open,
}

const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;

/// A comparison.
#[derive(Clone, Copy)]
enum Fact {
    /// The term is one of `from`, `from + 1`, …, `from + length`, counted modulo the width. Equality, disequality and signed
    /// and unsigned comparison with a constant all have this form.
    Within { of: Term, mask: u64, from: u64, length: u64 },
    /// Of two terms, in order of creation, the first is less, equal or greater: a set of these. Equality has no sign.
    Ordered { of: Term, and: Term, signed: Option<bool>, relation: u8 },
}

impl Fact {
    fn negated(self) -> Fact {
        match self {
            Fact::Within { of, mask, from, length } => {
                let after = from.wrapping_add(length).wrapping_add(1) & mask;
                Fact::Within { of, mask, from: after, length: from.wrapping_sub(1).wrapping_sub(after) & mask }
            }
            Fact::Ordered { of, and, signed, relation } => {
                Fact::Ordered { of, and, signed, relation: (LESS | EQUAL | GREATER) & !relation }
            }
        }
    }

    fn judge(self, claim: Fact) -> Judgement {
        if self.implies(claim) {
            Judgement::Follows
        } else if self.implies(claim.negated()) {
            Judgement::Excluded
        } else {
            Judgement::Open
        }
    }

    fn implies(self, claim: Fact) -> bool {
        match (self, claim) {
            (Fact::Within { of: a, mask, from, length }, Fact::Within { of: b, from: start, length: room, .. }) => {
                let offset = from.wrapping_sub(start) & mask;
                a == b && offset <= room && length <= room - offset
            }
            (
                Fact::Ordered { of: a, and: b, signed, relation },
                Fact::Ordered { of: c, and: d, signed: other, relation: allowed },
            ) => {
                let comparable = signed.is_none() || other.is_none() || signed == other;
                a == c && b == d && comparable && relation & !allowed == 0
            }
            _ => false,
        }
    }
}
