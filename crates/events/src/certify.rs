//! Whether a clause of the theory is right: if all its literals were false, the order would have a cycle. A plain search
//! that shares nothing with the graph of the theory.

use crate::from_reads::FromReads;
use crate::order::{Node, Skeleton};
use crate::theory::Edge;
use norn_logic::Lit;
use std::collections::BTreeMap;

pub struct Cycles<'a> {
    fixed: Vec<Vec<Node>>,
    labelled: BTreeMap<Lit, Vec<(Node, Node)>>,
    from_reads: &'a FromReads,
    truth: Lit,
}

impl<'a> Cycles<'a> {
    pub fn new(skeleton: &Skeleton, edges: &[Edge], from_reads: &'a FromReads, truth: Lit) -> Cycles<'a> {
        let mut fixed = vec![Vec::new(); skeleton.node_count()];
        for &(from, to) in skeleton.edges() {
            fixed[from.index()].push(to);
        }
        let mut labelled: BTreeMap<Lit, Vec<(Node, Node)>> = BTreeMap::new();
        for edge in edges {
            labelled.entry(edge.label).or_default().push((edge.from, edge.to));
        }
        Cycles { fixed, labelled, from_reads, truth }
    }

    pub fn forbidden_by(&self, clause: &[Lit]) -> bool {
        let holds = |literal: Lit| literal == self.truth || clause.contains(&!literal);
        let mut extra: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
        let labels = clause.iter().map(|&literal| !literal).chain([self.truth]);
        let labelled = labels.filter_map(|label| self.labelled.get(&label)).flatten().copied();
        let mut starts = Vec::new();
        for (from, to) in labelled.chain(self.from_reads.edges(&holds)) {
            extra.entry(from).or_default().push(to);
            starts.push((from, to));
        }
        // The fixed edges have no cycle: one has to go through an edge of the clause.
        starts.into_iter().any(|(from, to)| self.reaches(&extra, to, from))
    }

    fn reaches(&self, extra: &BTreeMap<Node, Vec<Node>>, from: Node, to: Node) -> bool {
        let mut seen = vec![false; self.fixed.len()];
        let mut waiting = vec![from];
        while let Some(node) = waiting.pop() {
            if node == to {
                return true;
            }
            if !std::mem::replace(&mut seen[node.index()], true) {
                waiting.extend(&self.fixed[node.index()]);
                waiting.extend(extra.get(&node).into_iter().flatten());
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cycles_are_forbidden() {
        let mut skeleton = Skeleton::default();
        let chains = [skeleton.new_chain(), skeleton.new_chain()];
        let [a, b, c] = [chains[0], chains[0], chains[1]].map(|chain| skeleton.new_node(chain));
        let [p, q, r, truth] = [1, 2, 3, 4].map(Lit::from_dimacs);
        let labelled = [Edge { from: b, to: c, label: p }, Edge { from: c, to: a, label: q }];
        let from_reads = FromReads::default();
        let cycles = Cycles::new(&skeleton, &labelled, &from_reads, truth);
        assert!(cycles.forbidden_by(&[!p, !q]) && cycles.forbidden_by(&[!q, r, !p]));
        assert!(!cycles.forbidden_by(&[!p]) && !cycles.forbidden_by(&[p, q]) && !cycles.forbidden_by(&[]));
    }
}
