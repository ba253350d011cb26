//! The theory of the global order: a literal that becomes true adds its edges to the order graph; no cycle may arise.
//!
//! On a cycle the literals of its edges are a conflict. An edge that would close a cycle is ruled out as soon as the path
//! that it would close is there; the reason is that path, looked up when it is asked for. This is the theory solver of
//! Zord and Deagle, with the closure kept by clocks (see [`crate::order`]) instead of searched for.

use crate::order::{Added, Chain, Node, OrderGraph};
use norn_logic::{Lit, Propagator};
use std::collections::VecDeque;

/// An edge that is there if its label is true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    pub from: Node,
    pub to: Node,
    pub label: Lit,
}

/// The order under a partial assignment.
pub struct Theory {
    graph: OrderGraph,
    edges: Vec<Edge>,
    by_label: ByLiteral,
    /// By node, the labelled edges that leave it, by chain and position of where they go.
    leaving: Vec<Vec<(Chain, u32, u32)>>,
    /// By variable: what is assigned, as far as it was told.
    values: Vec<Option<bool>>,
    /// Assigned literals in order; those before `processed` have their edges in the graph.
    trail: Vec<Lit>,
    processed: usize,
    /// The graph's time before each processed literal.
    times: Vec<u32>,
    /// Length of the trail at the beginning of each decision level.
    levels: Vec<usize>,
    implied: VecDeque<Lit>,
    /// By variable: why it was implied to be false, an edge and the time at which its reverse path was there.
    reasons: Vec<(u32, u32)>,
    conflict: Option<Vec<Lit>>,
    pub counts: Counts,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    pub conflicts: u64,
    pub implied: u64,
    pub explained: u64,
}

/// Edges by label.
struct ByLiteral(Vec<Vec<u32>>);

impl ByLiteral {
    fn slot(literal: Lit) -> usize {
        literal.variable() as usize * 2 + usize::from(literal.is_negative())
    }

    fn get(&self, literal: Lit) -> &[u32] {
        self.0.get(ByLiteral::slot(literal)).map_or(&[], Vec::as_slice)
    }
}

impl Theory {
    /// `graph` holds what is always there.
    pub fn new(graph: OrderGraph, edges: Vec<Edge>) -> Theory {
        let variables = edges.iter().map(|edge| edge.label.variable() as usize + 1).max().unwrap_or(1);
        let mut by_label = ByLiteral(vec![Vec::new(); variables * 2]);
        let mut leaving = vec![Vec::new(); graph.node_count()];
        for (number, edge) in edges.iter().enumerate() {
            by_label.0[ByLiteral::slot(edge.label)].push(number as u32);
            let (chain, position) = graph.place(edge.to);
            leaving[edge.from.index()].push((chain, position, number as u32));
        }
        leaving.iter_mut().for_each(|list| list.sort_unstable());
        Theory {
            graph,
            edges,
            by_label,
            leaving,
            values: vec![None; variables],
            trail: Vec::new(),
            processed: 0,
            times: Vec::new(),
            levels: Vec::new(),
            implied: VecDeque::new(),
            reasons: vec![(0, 0); variables],
            conflict: None,
            counts: Counts::default(),
        }
    }

    /// Every literal that the theory wants to hear of, and its negation.
    pub fn observed(&self) -> Vec<Lit> {
        let positive = |label: Lit| label.negate_if(label.is_negative());
        let mut variables: Vec<Lit> = self.edges.iter().map(|edge| positive(edge.label)).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    fn assign(&mut self, literal: Lit) {
        let variable = literal.variable() as usize;
        if let Some(value) = self.values.get_mut(variable)
            && value.is_none()
        {
            *value = Some(!literal.is_negative());
            self.trail.push(literal);
        }
    }

    /// The clause that forbids an edge together with the path from its end to its beginning.
    fn cycle(&mut self, edge: Edge, time: u32) -> Vec<Lit> {
        let mut causes = Vec::new();
        self.graph.path(edge.to, edge.from, time, &mut causes);
        let mut clause: Vec<Lit> = causes.iter().map(|&cause| !self.edges[cause as usize].label).collect();
        clause.push(!edge.label);
        clause.sort_unstable();
        clause.dedup();
        clause
    }

    fn value(&self, literal: Lit) -> Option<bool> {
        self.values[literal.variable() as usize].map(|value| value != literal.is_negative())
    }

    fn process(&mut self, literal: Lit) {
        for i in 0..self.by_label.get(literal).len() {
            let number = self.by_label.get(literal)[i];
            let edge = self.edges[number as usize];
            match self.graph.add(edge.from, edge.to, number) {
                Added::Nothing => {}
                Added::Cycle => {
                    self.counts.conflicts += 1;
                    let time = self.graph.time();
                    self.conflict = Some(self.cycle(edge, time));
                    return;
                }
                Added::New => self.rule_out(),
            }
        }
    }

    /// Edges that would close a cycle with what has just become known cannot be.
    fn rule_out(&mut self) {
        let time = self.graph.time();
        for (node, chain, positions) in self.graph.news() {
            let leaving = &self.leaving[node.index()];
            let first = leaving.partition_point(|&(c, position, _)| (c, position) < (chain, positions.start));
            for &(c, position, number) in &leaving[first..] {
                if c != chain || position >= positions.end {
                    break;
                }
                let label = self.edges[number as usize].label;
                let variable = label.variable() as usize;
                if self.values[variable].is_none() {
                    self.reasons[variable] = (number, time);
                    self.implied.push_back(!label);
                }
            }
        }
    }
}

impl Propagator for Theory {
    fn assigned(&mut self, literals: &[Lit]) {
        literals.iter().for_each(|&literal| self.assign(literal));
    }

    fn new_level(&mut self) {
        self.levels.push(self.trail.len());
    }

    fn backtrack(&mut self, level: usize) {
        let Some(&length) = self.levels.get(level) else { return };
        self.levels.truncate(level);
        for literal in self.trail.drain(length..) {
            self.values[literal.variable() as usize] = None;
        }
        if self.processed > length {
            self.processed = length;
            self.graph.undo_to(self.times[length]);
            self.times.truncate(length);
        }
        self.implied.clear();
        self.conflict = None;
    }

    fn propagate(&mut self) -> Option<Lit> {
        loop {
            if self.conflict.is_some() {
                return None;
            }
            while let Some(literal) = self.implied.pop_front() {
                if self.value(literal).is_none() {
                    self.counts.implied += 1;
                    return Some(literal);
                }
            }
            if self.processed == self.trail.len() {
                return None;
            }
            let literal = self.trail[self.processed];
            self.times.push(self.graph.time());
            self.processed += 1;
            self.process(literal);
        }
    }

    fn reason(&mut self, literal: Lit, clause: &mut Vec<Lit>) {
        self.counts.explained += 1;
        let (number, time) = self.reasons[literal.variable() as usize];
        let edge = self.edges[number as usize];
        assert_eq!(edge.label, !literal, "only what was implied should be explained");
        clause.extend(self.cycle(edge, time));
    }

    fn add_clause(&mut self, clause: &mut Vec<Lit>) -> bool {
        match self.conflict.take() {
            Some(conflict) => {
                clause.extend(conflict);
                true
            }
            None => false,
        }
    }

    /// A complete assignment was propagated step by step.
    fn accepts(&mut self, _model: &[Lit]) -> bool {
        while self.propagate().is_some() {}
        self.conflict.is_none()
    }

    fn may_forget(&self) -> bool {
        true
    }
}
