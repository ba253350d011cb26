//! The theory of the global order: a literal that becomes true adds its edges to the order graph; no cycle may arise.
//!
//! On a cycle the literals of its edges are a conflict. An edge that would close a cycle is ruled out as soon as the path
//! that it would close is there; the reason is that path, looked up when it is asked for. This is the theory solver of
//! Zord and Deagle, with the closure kept by clocks (see [`crate::order`]) instead of searched for.
//!
//! Edges from reads are derived here where clauses would be too many (see [`crate::from_reads`]): if a read takes its
//! value from w, w' happens and w comes before w', then the read comes before w'; and if w' comes before the read, then
//! before w too.
//!
//! Decisions are left to the solver: deciding first who reads from whom took up to twice as long where it was measured.

use crate::from_reads::{FromReads, Index, ReadId, ReadSource, RivalId, SourceId, slot};
use crate::order::{Added, Cause, Chain, Node, OrderGraph};
use norn_ir::number::narrow;
use norn_logic::{Lit, Propagator};
use std::collections::VecDeque;

#[cfg(test)]
mod tests;

norn_ir::ids! {
    /// An edge with a label, by its place in the theory's list.
    EdgeId = "edge";
}

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
    from_reads: Index,
    /// By literal slot: the edges that it labels.
    by_label: Vec<Vec<EdgeId>>,
    /// By node, the labelled edges that leave it, by chain and position of where they go.
    leaving: Vec<Vec<(Chain, u32, EdgeId)>>,
    truth: Lit,
    /// By variable: what is assigned, as far as it was told.
    values: Vec<Option<bool>>,
    /// Assigned literals in order; those before `processed` have their edges in the graph.
    trail: Vec<Lit>,
    processed: usize,
    /// The lengths of the lists before each processed literal.
    marks: Vec<Mark>,
    /// Length of the trail at the beginning of each decision level.
    levels: Vec<usize>,
    /// The literals that brought about the edges from reads.
    derived: Vec<[Lit; 3]>,
    /// Reads with a source, in the order in which they got it, and by the number of the source.
    active: Vec<ReadSource>,
    /// By read: its source. (Two at once are a conflict, which the order finds.)
    source_of: Vec<Option<SourceId>>,
    /// By event: the reads that take their value from it.
    readers: Vec<Vec<ReadSource>>,
    implied: VecDeque<Lit>,
    /// By literal slot: why it was implied. (Both a literal and its negation may be; that is a conflict.)
    reasons: Vec<Reason>,
    conflict: Option<Vec<Lit>>,
    contradiction: bool,
    pub counts: Counts,
}

#[derive(Clone, Copy)]
struct Mark {
    time: u32,
    derived: u32,
    active: u32,
}

#[derive(Clone, Copy)]
enum Reason {
    /// The edge would close a cycle with a path that was there at this time.
    Edge { edge: EdgeId, time: u32 },
    /// A rival comes before the read (a path says so), so it comes before the read's source.
    Rival { read: ReadId, source: SourceId, rival: RivalId, time: u32 },
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    pub conflicts: u64,
    pub implied: u64,
    pub explained: u64,
}

impl Theory {
    /// `graph` holds the edges that are always there; `truth` is the literal that is always true.
    pub fn new(graph: OrderGraph, edges: Vec<Edge>, from_reads: FromReads, truth: Lit) -> Theory {
        let from_reads = Index::new(from_reads, &graph);
        let all = edges.iter().map(|edge| edge.label).chain(from_reads.literals()).chain([truth]);
        let variables = all.map(|literal| literal.variable() as usize + 1).max().unwrap_or(1);
        let events = from_reads.tables.reads.iter().flat_map(|read| &read.sources);
        let events = events.filter_map(|source| source.0).map(|event| event.index() + 1).max().unwrap_or(0);
        let reads = from_reads.tables.reads.len();
        let mut by_label = vec![Vec::new(); variables * 2];
        let mut leaving = vec![Vec::new(); graph.node_count()];
        for (id, edge) in EdgeId::all(edges.len()).zip(&edges) {
            by_label[slot(edge.label)].push(id);
            let (chain, position) = graph.place(edge.to);
            leaving[edge.from.index()].push((chain, position, id));
        }
        leaving.iter_mut().for_each(|list| list.sort_unstable());
        let mut theory = Theory {
            graph,
            edges,
            from_reads,
            by_label,
            leaving,
            truth,
            values: vec![None; variables],
            trail: Vec::new(),
            processed: 0,
            marks: Vec::new(),
            levels: Vec::new(),
            derived: Vec::new(),
            active: Vec::new(),
            source_of: vec![None; reads],
            readers: vec![Vec::new(); events],
            implied: VecDeque::new(),
            reasons: vec![Reason::Edge { edge: EdgeId(0), time: 0 }; variables * 2],
            conflict: None,
            contradiction: false,
            counts: Counts::default(),
        };
        // What the constant brings about is never taken back.
        theory.values[truth.variable() as usize] = Some(!truth.is_negative());
        theory.process(truth);
        theory.contradiction = theory.conflict.take().is_some();
        theory
    }

    /// The edges that are always there have a cycle: there is no model.
    pub fn is_contradiction(&self) -> bool {
        self.contradiction
    }

    /// Every variable that the theory wants to hear of.
    pub fn observed(&self) -> Vec<Lit> {
        let positive = |label: Lit| label.negate_if(label.is_negative());
        let labels = self.edges.iter().map(|edge| edge.label);
        let mut variables: Vec<Lit> = labels.chain(self.from_reads.literals()).map(positive).collect();
        variables.push(positive(self.truth));
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

    fn value(&self, literal: Lit) -> Option<bool> {
        self.values[literal.variable() as usize].map(|value| value != literal.is_negative())
    }

    fn is_true(&self, literal: Lit) -> bool {
        self.value(literal) == Some(true)
    }

    /// The clause that forbids an edge, which these literals bring about, together with the path from its end to its
    /// beginning.
    fn cycle(&mut self, from: Node, to: Node, time: u32, literals: &[Lit]) -> Vec<Lit> {
        let mut causes = Vec::new();
        self.graph.path(to, from, time, &mut causes);
        let mut clause: Vec<Lit> = literals.iter().map(|&literal| !literal).collect();
        for cause in causes {
            match self.edges.get(cause as usize) {
                Some(edge) => clause.push(!edge.label),
                None => {
                    let derived = self.derived[cause as usize - self.edges.len()];
                    clause.extend(derived.map(|literal| !literal));
                }
            }
        }
        clause.sort_unstable();
        clause.dedup();
        clause.retain(|&literal| literal != !self.truth);
        if clause.is_empty() {
            clause.push(!self.truth);
        }
        clause
    }

    fn process(&mut self, literal: Lit) {
        for i in 0..self.by_label.get(slot(literal)).map_or(0, Vec::len) {
            let edge = self.by_label[slot(literal)][i];
            let Edge { from, to, label } = self.edges[edge.index()];
            if !self.add(from, to, edge.0, &[label]) {
                return;
            }
        }
        let Some(triggers) = self.from_reads.triggers(literal) else { return };
        let counts = (triggers.sources.len(), triggers.rivals.len(), triggers.orders.len());
        for i in 0..counts.0 {
            let (read, source) = self.triggered(literal).sources[i];
            self.activate(read, source);
            for rival in RivalId::all(self.from_reads.read(read).rivals.len()) {
                if !self.consider(read, source, rival) {
                    return;
                }
            }
        }
        for i in 0..counts.1 {
            let (read, rival) = self.triggered(literal).rivals[i];
            if let Some(source) = self.source_of[read.index()]
                && !self.consider(read, source, rival)
            {
                return;
            }
        }
        for i in 0..counts.2 {
            let (first, second) = self.triggered(literal).orders[i];
            for reader in 0..self.readers.get(first.index()).map_or(0, Vec::len) {
                let (read, source) = self.readers[first.index()][reader];
                if let Some(rival) = self.from_reads.rival(read, second)
                    && !self.consider(read, source, rival)
                {
                    return;
                }
            }
        }
    }

    fn triggered(&self, literal: Lit) -> &crate::from_reads::Triggers {
        self.from_reads.triggers(literal).expect("a literal with triggers should have them")
    }

    fn activate(&mut self, read: ReadId, source: SourceId) {
        self.active.push((read, source));
        self.source_of[read.index()].get_or_insert(source);
        if let Some(write) = self.from_reads.read(read).sources[source.index()].0 {
            self.readers[write.index()].push((read, source));
        }
    }

    fn deactivate_to(&mut self, length: usize) {
        while self.active.len() > length {
            let (read, source) = self.active.pop().expect("there should be a read to take back");
            if self.source_of[read.index()] == Some(source) {
                self.source_of[read.index()] = None;
            }
            if let Some(write) = self.from_reads.read(read).sources[source.index()].0 {
                self.readers[write.index()].pop();
            }
        }
    }

    /// What follows for a read with this source and another write. False on a conflict.
    fn consider(&mut self, read: ReadId, source: SourceId, rival: RivalId) -> bool {
        let Some((happens, takes, order)) = self.premises(read, source, rival) else { return true };
        let info = self.from_reads.read(read);
        let (from, to) = (info.node, info.rivals[rival.index()].node);
        if order == self.truth || self.is_true(order) {
            let cause = narrow(self.edges.len() + self.derived.len());
            self.derived.push([happens, takes, order]);
            return self.add(from, to, cause, &[happens, takes, order]);
        }
        if self.value(order).is_none() && self.graph.reaches(to, from) {
            let time = self.graph.time();
            self.reasons[slot(!order)] = Reason::Rival { read, source, rival, time };
            self.implied.push_back(!order);
        }
        true
    }

    /// If the other write happens: the literals for that, for the source, and for the source coming before it.
    fn premises(&self, read: ReadId, source: SourceId, rival: RivalId) -> Option<(Lit, Lit, Lit)> {
        let info = self.from_reads.read(read);
        let (write, takes) = info.sources[source.index()];
        let other = info.rivals[rival.index()];
        if write == Some(other.write) || !self.is_true(other.happens) {
            return None;
        }
        let order = match write {
            None => self.truth,
            Some(write) => self.from_reads.tables.order(write, other.write, self.truth)?,
        };
        Some((other.happens, takes, order))
    }

    /// Adds an edge and what follows from it. False on a conflict.
    fn add(&mut self, from: Node, to: Node, cause: Cause, literals: &[Lit]) -> bool {
        if from == to {
            return true;
        }
        match self.graph.add(from, to, cause) {
            Added::Nothing => true,
            Added::Cycle => {
                self.counts.conflicts += 1;
                let time = self.graph.time();
                self.conflict = Some(self.cycle(from, to, time, literals));
                false
            }
            Added::New => {
                self.rule_out();
                true
            }
        }
    }

    /// Edges that would close a cycle with what has just become known cannot be, and writes that have just come to be
    /// before a read come before its source.
    fn rule_out(&mut self) {
        let time = self.graph.time();
        for (node, chain, positions) in self.graph.news() {
            let leaving = &self.leaving[node.index()];
            let first = leaving.partition_point(|&(c, position, _)| (c, position) < (chain, positions.start));
            for &(c, position, edge) in &leaving[first..] {
                if c != chain || position >= positions.end {
                    break;
                }
                let label = self.edges[edge.index()].label;
                let variable = label.variable() as usize;
                if self.values[variable].is_none() {
                    self.reasons[slot(!label)] = Reason::Edge { edge, time };
                    self.implied.push_back(!label);
                }
            }
            for &read in &self.from_reads.reads_at[node.index()] {
                let Some(source) = self.source_of[read.index()] else { continue };
                let rivals = &self.from_reads.rivals_by_place[read.index()];
                let first = rivals.partition_point(|&(c, position, _)| (c, position) < (chain, positions.start));
                for &(c, position, rival) in &rivals[first..] {
                    if c != chain || position >= positions.end {
                        break;
                    }
                    if let Some((_, _, order)) = self.premises(read, source, rival)
                        && self.value(order).is_none()
                    {
                        self.reasons[slot(!order)] = Reason::Rival { read, source, rival, time };
                        self.implied.push_back(!order);
                    }
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
            let Mark { time, derived, active } = self.marks[length];
            self.graph.undo_to(time);
            self.derived.truncate(derived as usize);
            self.deactivate_to(active as usize);
            self.marks.truncate(length);
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
            let (derived, active) = (narrow(self.derived.len()), narrow(self.active.len()));
            self.marks.push(Mark { time: self.graph.time(), derived, active });
            self.processed += 1;
            self.process(literal);
        }
    }

    fn reason(&mut self, literal: Lit, clause: &mut Vec<Lit>) {
        self.counts.explained += 1;
        let reason = match self.reasons[slot(literal)] {
            Reason::Edge { edge, time } => {
                let Edge { from, to, label } = self.edges[edge.index()];
                self.cycle(from, to, time, &[label])
            }
            Reason::Rival { read, source, rival, time } => {
                let info = self.from_reads.read(read);
                let (node, other) = (info.node, info.rivals[rival.index()]);
                let takes = info.sources[source.index()].1;
                self.cycle(node, other.node, time, &[takes, other.happens, !literal])
            }
        };
        assert!(reason.contains(&literal), "only what was implied should be explained");
        clause.extend(reason);
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
