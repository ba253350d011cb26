//! Order variables: the default source of literals about the order. Each pair of nodes that has to be ordered one way or
//! the other has one variable; each read that may have to come before a write has one that says so. Their edges, and
//! those of the reads-from literals, go to the theory.

use crate::encode::{Formula, Orders};
use crate::order::{Node, OrderGraph};
use crate::theory::Edge;
use norn_logic::{ClauseSink, Lit};
use std::collections::BTreeMap;

pub struct Variables<'a> {
    /// What is fixed.
    graph: &'a OrderGraph,
    /// For nodes in this order: the first comes first.
    decided: BTreeMap<(Node, Node), Lit>,
    implied: BTreeMap<(Node, Node), Lit>,
    pub edges: Vec<Edge>,
}

impl<'a> Variables<'a> {
    pub fn new(graph: &'a OrderGraph) -> Variables<'a> {
        Variables { graph, decided: BTreeMap::new(), implied: BTreeMap::new(), edges: Vec::new() }
    }

    /// All literals about the order of two nodes: the first comes first.
    pub fn orders(&self) -> Vec<(Node, Node, Lit)> {
        let all = self.decided.iter().chain(&self.implied);
        all.map(|(&(first, second), &literal)| (first, second, literal)).collect()
    }

    fn known(&self, pair: (Node, Node)) -> Option<Lit> {
        let (first, second) = pair;
        match first < second {
            true => self.decided.get(&(first, second)).copied(),
            false => self.decided.get(&(second, first)).map(|&literal| !literal),
        }
    }
}

impl<S: ClauseSink> Orders<S> for Variables<'_> {
    fn decided(&mut self, formula: &mut Formula<'_, S>, first: Node, second: Node) -> Lit {
        if self.graph.reaches(first, second) {
            return formula.truth;
        }
        if self.graph.reaches(second, first) {
            return !formula.truth;
        }
        if let Some(literal) = self.known((first, second)) {
            return literal;
        }
        let literal = formula.fresh();
        self.edges.push(Edge { from: first, to: second, label: literal });
        self.edges.push(Edge { from: second, to: first, label: !literal });
        let (pair, stored) = if first < second { ((first, second), literal) } else { ((second, first), !literal) };
        self.decided.insert(pair, stored);
        literal
    }

    fn implied(&mut self, formula: &mut Formula<'_, S>, first: Node, second: Node) -> Lit {
        if self.graph.reaches(first, second) {
            return formula.truth;
        }
        if self.graph.reaches(second, first) {
            return !formula.truth;
        }
        if let Some(literal) = self.known((first, second)) {
            return literal;
        }
        *self.implied.entry((first, second)).or_insert_with(|| {
            let label = formula.fresh();
            self.edges.push(Edge { from: first, to: second, label });
            label
        })
    }

    fn order_if(&mut self, formula: &mut Formula<'_, S>, condition: Lit, first: Node, second: Node) {
        if condition == !formula.truth || (first != second && self.graph.reaches(first, second)) {
            return;
        }
        if self.graph.reaches(second, first) {
            formula.clause(&[!condition]);
            return;
        }
        self.edges.push(Edge { from: first, to: second, label: condition });
    }
}
