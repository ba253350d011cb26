//! From terms to clauses.
//!
//! A term is translated once and its literals are remembered. [`Blaster::lit`] and [`Blaster::bits`] give literals that
//! mean the term in both directions and can be used anywhere. An asserted term needs one direction only (Plaisted and
//! Greenbaum): its conjunctions are split, its disjunctions become clauses, an equation under a condition becomes two
//! clauses for each bit without a gate, and only the terms below these are translated in full. A model must therefore
//! be read from variables, with [`crate::terms::Terms::evaluate`] on top, not from the literals of asserted terms.
//!
//! Translation is iterative; terms may be deep.

mod circuits;
mod floats;
mod spans;
#[cfg(test)]
mod tests;

use crate::clauses::{ClauseSink, Lit};
use crate::gates::Gates;
use crate::sat::Sat;
use crate::terms::{Node, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use spans::Span;

/// How deep an asserted term is followed through alternating connectives before it is translated in full.
const ASSERTED_DEPTH: usize = 24;
/// A term with many clauses gets a literal of its own if more literals than this stand in front of each clause.
const CARRIED_LITERALS: usize = 3;

/// Translates the terms of one arena into the clauses of one sink.
pub struct Blaster<S> {
    gates: Gates<S>,
    /// By node: the literal of a Boolean term.
    booleans: Vec<Option<Lit>>,
    /// By node: where the bits of a bit-vector term begin in `pool`.
    vectors: Vec<Option<u32>>,
    /// By node: the numbers that a bit-vector term can be, once it is translated.
    spans: Vec<Option<Span>>,
    /// The bits of bit-vector terms, the lowest first.
    pool: Vec<Lit>,
    /// Quotient and remainder come out of one circuit.
    divisions: FxHashMap<(Term, Term), (u32, u32)>,
    /// Variables that stand for other terms.
    defined: FxHashMap<Term, Term>,
    /// Literals that imply their term, but need not hold where the term does.
    implying: FxHashMap<Term, Lit>,
}

impl<S: ClauseSink> Blaster<S> {
    pub fn new(sink: S) -> Blaster<S> {
        Blaster {
            gates: Gates::new(sink),
            booleans: Vec::new(),
            vectors: Vec::new(),
            spans: Vec::new(),
            pool: Vec::new(),
            divisions: FxHashMap::default(),
            defined: FxHashMap::default(),
            implying: FxHashMap::default(),
        }
    }

    pub fn sink(&self) -> &S {
        &self.gates.sink
    }

    pub fn sink_mut(&mut self) -> &mut S {
        &mut self.gates.sink
    }

    pub fn into_sink(self) -> S {
        self.gates.sink
    }

    /// The literal that is always true.
    pub fn truth(&self) -> Lit {
        self.gates.truth
    }

    /// A literal that holds iff both literals do.
    pub fn both(&mut self, a: Lit, b: Lit) -> Lit {
        self.gates.and(a, b)
    }

    /// The literal of a Boolean term.
    pub fn lit(&mut self, terms: &Terms, term: Term) -> Lit {
        assert!(terms.is_bool(term), "a literal should be asked for of a Boolean term");
        self.translate(terms, term);
        self.literal(term)
    }

    /// The bits of a bit-vector term, the lowest first.
    pub fn bits(&mut self, terms: &Terms, term: Term) -> &[Lit] {
        assert!(!terms.is_bool(term), "bits should be asked for of a bit-vector term");
        self.translate(terms, term);
        let start = self.start(term);
        &self.pool[start..start + terms.width(term) as usize]
    }

    /// Lets a variable, which is not translated yet, stand for a term of its sort: it gets that term's literals, and no
    /// clause is needed to make them equal. The term must not depend on the variable, not even through other
    /// definitions.
    pub fn define(&mut self, terms: &Terms, variable: Term, term: Term) {
        assert!(matches!(terms.node(variable), Node::Variable(_)), "only a variable should be defined");
        assert_eq!(terms.sort(variable), terms.sort(term), "a variable should have the sort of what it stands for");
        let is_translated = self.booleans.get(variable.index()).is_some_and(Option::is_some)
            || self.vectors.get(variable.index()).is_some_and(Option::is_some);
        assert!(!is_translated, "a variable should be defined before it is used");
        self.defined.insert(variable, term);
    }

    /// Makes sure that a variable has the value in the model that its definition gives it.
    pub fn mention(&mut self, terms: &Terms, term: Term) {
        self.translate(terms, term);
    }

    /// Makes a Boolean term true in every model.
    pub fn assert(&mut self, terms: &Terms, term: Term) {
        assert!(terms.is_bool(term), "only a Boolean term should be asserted");
        self.assert_unless(terms, &mut Vec::new(), term, 0);
    }

    /// Makes a Boolean term true in every model in which the literal is true.
    pub fn assert_if(&mut self, terms: &Terms, condition: Lit, term: Term) {
        assert!(terms.is_bool(term), "only a Boolean term should be asserted");
        if condition == self.gates.truth {
            return self.assert(terms, term);
        }
        self.assert_unless(terms, &mut vec![!condition], term, 0);
    }

    /// Makes two terms of one sort equal in every model in which all the literals are true.
    pub fn equal_if(&mut self, terms: &Terms, conditions: &[Lit], a: Term, b: Term) {
        assert_eq!(terms.sort(a), terms.sort(b), "what is made equal should have one sort");
        self.translate(terms, a);
        self.translate(terms, b);
        let mut clause: Vec<Lit> = conditions.iter().map(|&condition| !condition).collect();
        if terms.is_bool(a) {
            let (a, b) = (self.literal(a), self.literal(b));
            return self.equate(&mut clause, a, b);
        }
        let (left, right) = (self.start(a), self.start(b));
        for bit in 0..terms.width(a) as usize {
            let (a, b) = (self.pool[left + bit], self.pool[right + bit]);
            self.equate(&mut clause, a, b);
        }
    }

    /// The value of a variable, given the values of literals; 0 for a variable that no clause mentions.
    pub fn variable_value(&self, terms: &Terms, variable: Term, value: &dyn Fn(Lit) -> bool) -> u64 {
        debug_assert!(matches!(terms.node(variable), Node::Variable(_)));
        if terms.is_bool(variable) {
            let literal = self.booleans.get(variable.index()).copied().flatten();
            return u64::from(literal.is_some_and(value));
        }
        let Some(start) = self.vectors.get(variable.index()).copied().flatten() else { return 0 };
        let bits = &self.pool[start as usize..start as usize + terms.width(variable) as usize];
        bits.iter().rev().fold(0, |sum, &bit| sum << 1 | u64::from(value(bit)))
    }

    /// The literals that a variable has, the lowest bit first; none if no clause mentions it.
    pub fn variable_lits(&self, terms: &Terms, variable: Term) -> &[Lit] {
        debug_assert!(matches!(terms.node(variable), Node::Variable(_)));
        if terms.is_bool(variable) {
            return self.booleans.get(variable.index()).map_or(&[], |literal| literal.as_slice());
        }
        let start = self.vectors.get(variable.index()).copied().flatten().map(|start| start as usize);
        start.map_or(&[], |start| &self.pool[start..start + terms.width(variable) as usize])
    }

    /// Adds the clauses for `term`, each with the literals of `unless` in front.
    fn assert_unless(&mut self, terms: &Terms, unless: &mut Vec<Lit>, term: Term, depth: usize) {
        if term == Term::TRUE {
            return;
        }
        if self.has_literal(term) || depth > ASSERTED_DEPTH {
            let literal = self.lit(terms, term);
            return self.clause_with(unless, literal);
        }
        match terms.node(term) {
            Node::And(..) if unless.len() <= CARRIED_LITERALS => {
                for part in conjuncts(terms, term) {
                    self.assert_unless(terms, unless, part, depth + 1);
                }
            }
            Node::Not(inner) if matches!(terms.node(inner), Node::And(..)) => {
                self.assert_disjunction(terms, unless, term, depth);
            }
            Node::Ite(condition, a, b) if unless.len() <= CARRIED_LITERALS => {
                let condition = self.lit(terms, condition);
                self.assert_under(terms, unless, !condition, a, depth);
                self.assert_under(terms, unless, condition, b, depth);
            }
            Node::Not(inner) if unless.len() <= CARRIED_LITERALS && matches!(terms.node(inner), Node::Ite(..)) => {
                let Node::Ite(condition, a, b) = terms.node(inner) else { unreachable!("it was just seen") };
                let condition = self.lit(terms, condition);
                self.assert_under(terms, unless, !condition, !a, depth);
                self.assert_under(terms, unless, condition, !b, depth);
            }
            Node::Eq(a, b) if unless.len() <= CARRIED_LITERALS => {
                let conditions: Vec<Lit> = unless.iter().map(|&literal| !literal).collect();
                self.equal_if(terms, &conditions, a, b);
            }
            Node::And(..) | Node::Ite(..) | Node::Eq(..) => {
                let literal = self.implying(terms, term, depth);
                self.clause_with(unless, literal);
            }
            _ => {
                let literal = self.lit(terms, term);
                self.clause_with(unless, literal);
            }
        }
    }

    fn assert_under(&mut self, terms: &Terms, unless: &mut Vec<Lit>, literal: Lit, term: Term, depth: usize) {
        if literal == self.gates.truth {
            return;
        }
        unless.push(literal);
        self.assert_unless(terms, unless, term, depth + 1);
        unless.pop();
    }

    fn assert_disjunction(&mut self, terms: &Terms, unless: &mut Vec<Lit>, term: Term, depth: usize) {
        // A disjunction is a negated conjunction: its parts are the negations of the conjuncts.
        let parts = conjuncts(terms, !term);
        let length = unless.len();
        let mut last = None;
        for part in parts {
            // One part that has several clauses may stay; the others need a literal.
            if last.is_none() && !self.has_literal(part) && has_parts(terms, !part) {
                last = Some(!part);
                continue;
            }
            let literal = self.implying(terms, !part, depth);
            unless.push(literal);
        }
        if unless.contains(&self.gates.truth) {
            unless.truncate(length);
            return;
        }
        match last {
            Some(part) => self.assert_unless(terms, unless, part, depth + 1),
            None => self.add(unless),
        }
        unless.truncate(length);
    }

    /// A literal that implies the term: the term's own if it has one, or if one direction saves nothing.
    fn implying(&mut self, terms: &Terms, term: Term, depth: usize) -> Lit {
        if self.has_literal(term) || depth > ASSERTED_DEPTH || !has_parts(terms, term) {
            return self.lit(terms, term);
        }
        if let Some(&literal) = self.implying.get(&term) {
            return literal;
        }
        let literal = self.gates.sink.new_var();
        self.implying.insert(term, literal);
        self.assert_unless(terms, &mut vec![!literal], term, depth + 1);
        literal
    }

    fn clause_with(&mut self, unless: &mut Vec<Lit>, literal: Lit) {
        unless.push(literal);
        self.add(unless);
        unless.pop();
    }

    /// Clauses for the equality of two literals, with the literals of `clause` in front.
    fn equate(&mut self, clause: &mut Vec<Lit>, a: Lit, b: Lit) {
        if a == b {
            return;
        }
        if a == !b {
            return self.add(clause);
        }
        for (a, b) in [(!a, b), (a, !b)] {
            clause.extend([a, b]);
            self.add(clause);
            clause.truncate(clause.len() - 2);
        }
    }

    /// Adds a clause, without constants.
    fn add(&mut self, clause: &[Lit]) {
        let truth = self.gates.truth;
        if clause.contains(&truth) {
            return;
        }
        if clause.contains(&!truth) {
            let rest: Vec<Lit> = clause.iter().copied().filter(|&literal| literal != !truth).collect();
            return self.gates.sink.clause(&rest);
        }
        self.gates.sink.clause(clause);
    }

    /// Translates a term and everything below it.
    fn translate(&mut self, terms: &Terms, root: Term) {
        if self.booleans.len() < terms.len() {
            self.booleans.resize(terms.len(), None);
            self.vectors.resize(terms.len(), None);
            self.spans.resize(terms.len(), None);
        }
        if self.is_translated(root) {
            return;
        }
        let mut waiting = vec![root.positive()];
        while let Some(&top) = waiting.last() {
            if self.is_translated(top) {
                waiting.pop();
                continue;
            }
            let node = terms.node(top);
            let before = waiting.len();
            let definition = self.defined.get(&top).copied();
            let operands = node.operands().chain(definition).map(Term::positive);
            waiting.extend(operands.filter(|&operand| !self.is_translated(operand)));
            if waiting.len() > before {
                continue;
            }
            waiting.pop();
            if let Some(definition) = definition {
                match terms.is_bool(top) {
                    true => self.booleans[top.index()] = Some(self.literal(definition)),
                    false => {
                        self.vectors[top.index()] = self.vectors[definition.index()];
                        self.spans[top.index()] = self.spans[definition.index()];
                    }
                }
                continue;
            }
            if terms.is_bool(top) {
                let literal = self.boolean_node(terms, node);
                self.booleans[top.index()] = Some(literal);
            } else {
                self.spans[top.index()] = Some(spans::span(terms, top, &|operand| self.span(operand)));
                let start = self.vector_node(terms, top, node);
                self.vectors[top.index()] = Some(start);
            }
        }
    }

    /// Whether a Boolean term has its literal already.
    fn has_literal(&self, term: Term) -> bool {
        self.booleans.get(term.index()).is_some_and(Option::is_some)
    }

    fn is_translated(&self, term: Term) -> bool {
        self.booleans[term.index()].is_some() || self.vectors[term.index()].is_some()
    }

    /// The literal of a Boolean term that is translated.
    fn literal(&self, term: Term) -> Lit {
        let literal =
            self.booleans[term.index()].expect("a Boolean term should be translated before its literal is used");
        literal.negate_if(term.is_negated())
    }

    /// The numbers that a bit-vector term can be that is translated.
    fn span(&self, term: Term) -> Span {
        self.spans[term.index()].expect("a term should be translated before its numbers are asked for")
    }

    /// Where the bits of a bit-vector term that is translated begin.
    fn start(&self, term: Term) -> usize {
        self.vectors[term.index()].expect("a term should be translated before its bits are used") as usize
    }
}

impl<S: Sat> Blaster<S> {
    /// The value of a variable in the model that the solver has found.
    pub fn model_value(&self, terms: &Terms, variable: Term) -> u64 {
        self.variable_value(terms, variable, &|literal| self.sink().value(literal))
    }
}

/// Whether asserting the term gives several clauses, so that one direction of it saves a gate.
fn has_parts(terms: &Terms, term: Term) -> bool {
    match terms.node(term) {
        Node::And(..) | Node::Ite(..) => true,
        Node::Eq(a, _) => terms.width(a) > 1,
        Node::Not(inner) => matches!(terms.node(inner), Node::And(..) | Node::Ite(..)),
        _ => false,
    }
}

/// The conjuncts of nested conjunctions, each once, in order.
fn conjuncts(terms: &Terms, term: Term) -> Vec<Term> {
    let mut parts = Vec::new();
    let mut seen = FxHashSet::default();
    let mut waiting = vec![term];
    while let Some(term) = waiting.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.node(term) {
            Node::And(a, b) => waiting.extend([b, a]),
            _ => parts.push(term),
        }
    }
    parts
}
