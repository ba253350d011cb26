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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Skeleton;
    use norn_logic::{Answer, Blaster, CaDiCaL, Sat};
    use norn_verdict::limits::Limits;

    /// What is fixed already is neither asked of the theory nor left open.
    #[test]
    fn a_condition_for_an_order_against_a_fixed_one_is_false() {
        let mut skeleton = Skeleton::default();
        let chains = [skeleton.new_chain(), skeleton.new_chain()];
        let [a, b] = [(); 2].map(|()| skeleton.new_node(chains[0]));
        let c = skeleton.new_node(chains[1]);
        let graph = OrderGraph::new(&skeleton).expect("chains have no cycle");
        let mut blaster = Blaster::new(CaDiCaL::default());
        let mut formula = Formula::new(&mut blaster);
        let mut variables = Variables::new(&graph);
        let [against, along, open, itself] = [(); 4].map(|()| formula.fresh());
        variables.order_if(&mut formula, against, b, a);
        variables.order_if(&mut formula, itself, c, c);
        variables.order_if(&mut formula, along, a, b);
        variables.order_if(&mut formula, open, b, c);
        assert_eq!(variables.edges.len(), 1, "only the order of the two threads is open");
        for (condition, expected) in
            [(against, Answer::Unsat), (itself, Answer::Unsat), (along, Answer::Sat), (open, Answer::Sat)]
        {
            assert_eq!(blaster.sink_mut().solve(&[condition], &Limits::none()), expected);
        }
    }
}
