//! The value of a term under values of its variables, and walking over terms: iterative, since terms can be deep.

use super::arena::{Node, Term, Terms};
use super::fold::{self, mask};

/// Values found so far, under one assignment of the variables. Use a new one for each assignment.
#[derive(Default)]
pub struct Memo {
    values: Vec<Option<u64>>,
}

impl Memo {
    fn get(&self, term: Term) -> Option<u64> {
        let value = self.values.get(term.index()).copied().flatten()?;
        Some(value ^ u64::from(term.is_negated()))
    }

    fn set(&mut self, positive: Term, value: u64) {
        if self.values.len() <= positive.index() {
            self.values.resize(positive.index() + 1, None);
        }
        self.values[positive.index()] = Some(value);
    }
}

impl Terms {
    /// The value of a term, given the values of variables (of Booleans: 0 or 1; bits above a variable's width are dropped).
    pub fn evaluate(&self, term: Term, memo: &mut Memo, variable: &dyn Fn(Term) -> u64) -> u64 {
        let mut waiting = vec![term.positive()];
        while let Some(&top) = waiting.last() {
            if memo.get(top).is_some() {
                waiting.pop();
                continue;
            }
            let node = self.node(top);
            let before = waiting.len();
            waiting.extend(node.operands().map(Term::positive).filter(|&operand| memo.get(operand).is_none()));
            if waiting.len() > before {
                continue;
            }
            waiting.pop();
            let of = |operand: Term| memo.get(operand).expect("operands should be evaluated first");
            let value = self.value_of(top, node, &of, variable);
            memo.set(top, value);
        }
        memo.get(term).expect("a term should have a value once its operands have")
    }

    /// Whether a Boolean term holds, given the values of variables.
    pub fn holds(&self, term: Term, memo: &mut Memo, variable: &dyn Fn(Term) -> u64) -> bool {
        debug_assert!(self.is_bool(term));
        self.evaluate(term, memo, variable) != 0
    }

    /// The variables in these terms, each once, in order of creation.
    pub fn variables(&self, roots: impl IntoIterator<Item = Term>) -> Vec<Term> {
        let mut found = Vec::new();
        let mut seen = vec![false; self.len()];
        let mut waiting: Vec<Term> = roots.into_iter().collect();
        while let Some(term) = waiting.pop() {
            if std::mem::replace(&mut seen[term.index()], true) {
                continue;
            }
            match self.node(term.positive()) {
                Node::Variable(_) => found.push(term.positive()),
                node => waiting.extend(node.operands()),
            }
        }
        found.sort_unstable();
        found
    }

    /// The bits that a value of the term can have.
    pub(super) fn mask_of(&self, term: Term) -> u64 {
        let width = self.width(term);
        if width == 0 { 1 } else { mask(width) }
    }

    /// The value of a node, given the values of its operands (of those that count).
    pub(super) fn value_of(
        &self,
        term: Term,
        node: Node,
        of: &dyn Fn(Term) -> u64,
        variable: &dyn Fn(Term) -> u64,
    ) -> u64 {
        let width = self.width(term);
        let signed = |operand: Term| fold::signed(self.width(operand), of(operand));
        let value = match node {
            Node::True => 1,
            Node::Variable(_) => variable(term),
            Node::Not(a) => of(a) ^ 1,
            Node::And(a, b) | Node::BitAnd(a, b) => of(a) & of(b),
            Node::Xor(a, b) | Node::BitXor(a, b) => of(a) ^ of(b),
            Node::Ite(condition, a, b) => of(if of(condition) != 0 { a } else { b }),
            Node::Eq(a, b) => u64::from(of(a) == of(b)),
            Node::Ult(a, b) => u64::from(of(a) < of(b)),
            Node::Slt(a, b) => u64::from(signed(a) < signed(b)),
            Node::Bits(value) => value,
            Node::Add(a, b) => of(a).wrapping_add(of(b)),
            Node::Sub(a, b) => of(a).wrapping_sub(of(b)),
            Node::Mul(a, b) => of(a).wrapping_mul(of(b)),
            Node::Udiv(a, b) => fold::udiv(of(a), of(b)),
            Node::Urem(a, b) => fold::urem(of(a), of(b)),
            Node::BitOr(a, b) => of(a) | of(b),
            Node::BitNot(a) => !of(a),
            Node::Shl(a, b) => fold::shl(width, of(a), of(b)),
            Node::Lshr(a, b) => fold::lshr(width, of(a), of(b)),
            Node::Ashr(a, b) => fold::ashr(width, of(a), of(b)),
            Node::Zext(a) => of(a),
            Node::Sext(a) => signed(a) as u64,
            Node::Extract(a, low) => of(a) >> low,
            Node::Concat(high, low) => of(high) << self.width(low) | of(low),
            Node::Float(op, a, b) => fold::float::binary(op, width, of(a), of(b)),
            Node::Convert(conversion, a) => fold::float::convert(conversion, self.width(a), width, of(a)),
        };
        value & self.mask_of(term)
    }
}
