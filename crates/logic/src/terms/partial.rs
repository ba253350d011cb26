//! The value of a term under values of some of its variables. It is known as soon as no other variable can change it,
//! as far as conjunctions with a false part and chosen branches show that.

use super::arena::{Node, Term, Terms};

/// Values of variables, given one after the other, and of the terms that they decide. What is known stays so.
#[derive(Clone, Default)]
pub struct Partial {
    values: Vec<Option<u64>>,
    /// By term: how many variables had values when it was found to be open.
    open: Vec<u32>,
    /// One more than the number of variables that have values.
    given: u32,
}

impl Partial {
    pub fn new() -> Partial {
        Partial { given: 1, ..Partial::default() }
    }

    /// The value of a term, if it was given or found out before.
    pub fn known(&self, term: Term) -> Option<u64> {
        let value = self.values.get(term.index()).copied().flatten()?;
        Some(value ^ u64::from(term.is_negated()))
    }

    fn is_open(&self, term: Term) -> bool {
        self.open.get(term.index()) == Some(&self.given)
    }

    fn note_open(&mut self, term: Term) {
        if self.open.len() <= term.index() {
            self.open.resize(term.index() + 1, 0);
        }
        self.open[term.index()] = self.given;
    }

    fn note(&mut self, term: Term, value: u64) {
        if self.values.len() <= term.index() {
            self.values.resize(term.index() + 1, None);
        }
        self.values[term.index()] = Some(value);
    }
}

impl Terms {
    /// Gives a value to a variable that has none yet; bits above its width are dropped.
    pub fn give(&self, partial: &mut Partial, variable: Term, value: u64) {
        debug_assert!(matches!(self.node(variable), Node::Variable(_)), "only a variable should be given a value");
        debug_assert!(partial.known(variable).is_none(), "a variable should be given one value");
        partial.note(variable, value & self.mask_of(variable));
        partial.given += 1;
    }

    /// The value of a term, if the values of the variables so far decide it.
    pub fn decided(&self, term: Term, partial: &mut Partial) -> Option<u64> {
        let mut waiting = vec![term.positive()];
        while let Some(&top) = waiting.last() {
            if partial.known(top).is_some() || partial.is_open(top) {
                waiting.pop();
                continue;
            }
            match self.look(top, partial) {
                Look::Value(value) => partial.note(top, value),
                Look::Open => partial.note_open(top),
                Look::Needs(operand) => waiting.push(operand.positive()),
            }
        }
        partial.known(term)
    }

    fn look(&self, term: Term, partial: &Partial) -> Look {
        let node = self.node(term);
        let is_new = |operand: &Term| partial.known(*operand).is_none() && !partial.is_open(*operand);
        let of = |operand: Term| partial.known(operand);
        match node {
            Node::Variable(_) => return Look::Open,
            Node::And(a, b) if of(a) == Some(0) || of(b) == Some(0) => return Look::Value(0),
            Node::Ite(condition, a, b) => {
                if is_new(&condition) {
                    return Look::Needs(condition);
                }
                if let Some(value) = of(condition) {
                    let chosen = if value != 0 { a } else { b };
                    return match of(chosen) {
                        Some(value) => Look::Value(value),
                        None if is_new(&chosen) => Look::Needs(chosen),
                        None => Look::Open,
                    };
                }
                if let (Some(a), Some(b)) = (of(a), of(b))
                    && a == b
                {
                    return Look::Value(a);
                }
            }
            _ => {}
        }
        if let Some(operand) = node.operands().find(is_new) {
            return Look::Needs(operand);
        }
        match node.operands().all(|operand| of(operand).is_some()) {
            true => Look::Value(self.value_of(term, node, &|operand| of(operand).unwrap_or(0), &|_| 0)),
            false => Look::Open,
        }
    }
}

enum Look {
    Value(u64),
    Open,
    /// The value of this one first.
    Needs(Term),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::Sort;

    #[test]
    fn what_is_decided_needs_no_more() {
        let mut terms = Terms::new();
        let (p, q) = (terms.fresh(Sort::Bool), terms.fresh(Sort::Bool));
        let (x, y) = (terms.fresh(Sort::Bits(8)), terms.fresh(Sort::Bits(8)));
        let both = terms.and(p, q);
        let chosen = terms.ite(p, x, y);
        let sum = terms.add(chosen, y);
        let mut partial = Partial::new();
        assert_eq!(terms.decided(both, &mut partial), None);
        terms.give(&mut partial, q, 0);
        assert_eq!((terms.decided(both, &mut partial), terms.decided(!both, &mut partial)), (Some(0), Some(1)));
        terms.give(&mut partial, x, 0x105);
        assert_eq!(terms.decided(chosen, &mut partial), None);
        terms.give(&mut partial, p, 1);
        assert_eq!(terms.decided(chosen, &mut partial), Some(5), "the other branch is not asked for");
        assert_eq!(terms.decided(sum, &mut partial), None);
        terms.give(&mut partial, y, 255);
        assert_eq!(terms.decided(sum, &mut partial), Some(4));
    }
}
