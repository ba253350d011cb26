//! Fair executions that never end, among the states and steps that a search has seen.
//!
//! What *fair* means is defined in `norn_machine`, which confirms what is found here: a thread that can take a step again
//! and again takes one again and again, every store reaches memory, nothing happens spuriously for ever. A set of states
//! that is strongly connected by steps that are not spurious holds a fair loop if
//!
//! - every thread that can take a step in one of its states takes one between two of them, and
//! - every store that is pending in all of its states has a store to the same bytes committed between two of them:
//!
//! the loop goes round through all of it. So strongly connected components are computed (Tarjan). In one in which a thread
//! starves, a fair loop can only lead through states in which that thread cannot take a step, so the search goes on among
//! these (as for Streett's condition). In one in which a store never reaches memory there is no fair loop.
//!
//! **Why the reductions of the search hide nothing.** Let σ be a fair execution from a state in which only one step `a` of
//! thread t is tried, or in which `a`, a store to t's buffer, was merged into the step before. No other thread may ever
//! conflict with `a`, so `a` stays possible, and t takes it in σ (a commit happens since every store reaches memory). Moved
//! to the front it leads to the same states later on: what is left of σ is a fair execution from the state after `a`. Going
//! on like this, we take a step of σ in its place wherever everything is tried, and bring one forward elsewhere. Every cycle
//! of the reduced graph has a state in which everything is tried (the proviso of the search; merging is bounded by the
//! buffers), so every step of σ is taken some time, and nothing else is: a permutation ρ of σ. It is fair, too. A thread u that
//! goes on for ever in σ does so in ρ. If it does not, it stands before the same step in both, and whether it can take it depends
//! on memory that the step reads, on its own buffer, and on whether a thread has ended. The latter two only change once after
//! u's last step. Memory that u reads is never written by a step that was brought forward, since such a step conflicts with
//! nothing that another thread may do; so the writes to it have the same order in ρ as in σ, and u is as often able to go on.
//! The states of ρ are finitely many: some strongly connected set of them is visited for ever, and is fair by the above.
//! The names of threads do not matter, and dead registers do not: neither is looked at by a step. Objects are not renamed
//! when loops are looked for: the reference machine compares addresses.

use crate::walk::Choice;
use norn_ir::number::narrow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// At most this many threads have a bit in a set.
pub const MOST_THREADS: usize = 64;

/// The bytes that a store of a thread goes to: thread, first byte, size.
pub type Store = (u32, u32, u8);

/// What is known about a state.
struct Node {
    /// The program has not ended there, and no thread has stopped.
    may_go_on: bool,
    /// The threads that can take a step, as bits.
    enabled: u64,
    /// The number of the set of its pending stores.
    pending: u32,
}

/// A step between two states.
pub struct Edge {
    pub from: u32,
    pub to: u32,
    pub choice: Choice,
    /// The threads that took a step, as bits: stores are merged into the steps before them.
    pub moved: u64,
    pub commits: Option<Store>,
    /// It does not happen for ever.
    pub spurious: bool,
    /// The values that it asked for.
    pub inputs: Box<[u64]>,
}

/// The states by number, and the steps between them.
#[derive(Default)]
pub struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// The states in which the program may begin, with the values that it asked for.
    starts: Vec<(u32, Box<[u64]>)>,
    pending: Vec<BTreeSet<Store>>,
    numbers: BTreeMap<BTreeSet<Store>, u32>,
}

/// A way to an execution that never ends.
pub struct Lasso<'g> {
    /// The values that the start of the program asks for.
    pub start: &'g [u64],
    pub stem: Vec<&'g Edge>,
    pub round: Vec<&'g Edge>,
}

impl Graph {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A state; they come in the order of their numbers.
    pub fn add_state(&mut self, may_go_on: bool, enabled: u64, pending: BTreeSet<Store>) {
        let next = narrow(self.pending.len());
        let number = match self.numbers.get(&pending) {
            Some(&known) => known,
            None => {
                self.numbers.insert(pending.clone(), next);
                self.pending.push(pending);
                next
            }
        };
        self.nodes.push(Node { may_go_on, enabled, pending: number });
    }

    pub fn add_start(&mut self, state: u32, inputs: Box<[u64]>) {
        self.starts.push((state, inputs));
    }

    pub fn add_edge(&mut self, edge: Edge) {
        self.edges.push(edge);
    }

    /// A thread turned out to be able to take a step.
    pub fn can_step(&mut self, state: u32, thread: usize) {
        self.nodes[state as usize].enabled |= 1 << thread;
    }

    /// A fair execution that never ends, if there is one.
    pub fn endless(&self) -> Option<Lasso<'_>> {
        let steps = Steps::new(self);
        let all: Vec<u32> = (0..narrow(self.nodes.len())).filter(|&node| self.nodes[node as usize].may_go_on).collect();
        let mut waiting = vec![all];
        let mut part = vec![0u32; self.nodes.len()];
        let mut parts = 0;
        while let Some(states) = waiting.pop() {
            parts += 1;
            states.iter().for_each(|&state| part[state as usize] = parts);
            for component in steps.components(&states, &part) {
                parts += 1;
                component.iter().for_each(|&state| part[state as usize] = parts);
                match self.judge(&steps, &component, &part) {
                    Judgement::Fair => return Some(self.lasso(&steps, &component, &part)),
                    Judgement::Starving(threads) => {
                        let fed = component.into_iter().filter(|&s| self.nodes[s as usize].enabled & threads == 0);
                        waiting.push(fed.collect());
                    }
                    Judgement::Never => {}
                }
            }
        }
        None
    }

    fn pending(&self, state: u32) -> &BTreeSet<Store> {
        &self.pending[self.nodes[state as usize].pending as usize]
    }

    fn judge(&self, steps: &Steps<'_>, component: &[u32], part: &[u32]) -> Judgement {
        let (mut moved, mut enabled) = (0, 0);
        let mut committed = BTreeSet::new();
        let mut is_connected = false;
        for edge in component.iter().flat_map(|&state| steps.within(state, part)) {
            is_connected = true;
            moved |= edge.moved;
            committed.extend(edge.commits);
        }
        if !is_connected {
            return Judgement::Never;
        }
        let mut always: Option<BTreeSet<Store>> = None;
        for &state in component {
            enabled |= self.nodes[state as usize].enabled;
            always = Some(match always {
                None => self.pending(state).clone(),
                Some(always) => always.intersection(self.pending(state)).copied().collect(),
            });
        }
        if always.is_some_and(|always| !always.is_subset(&committed)) {
            return Judgement::Never;
        }
        match enabled & !moved {
            0 => Judgement::Fair,
            starving => Judgement::Starving(starving),
        }
    }

    /// A way into the component, and one through it that does all that fairness demands.
    fn lasso<'g>(&'g self, steps: &Steps<'g>, component: &[u32], part: &[u32]) -> Lasso<'g> {
        let everywhere = vec![0; self.nodes.len()];
        let (start, stem) = self.stem(steps, component[0], &everywhere);
        let first = component[0];
        let inside: Vec<&Edge> = component.iter().flat_map(|&state| steps.within(state, part)).collect();
        let moved = inside.iter().fold(0, |moved, edge| moved | edge.moved);
        let mut demands: Vec<Demand> = Vec::new();
        for thread in (0..MOST_THREADS).filter(|thread| moved >> thread & 1 == 1) {
            demands.push(Box::new(move |edge: &Edge| edge.moved >> thread & 1 == 1));
        }
        for &store in self.pending(first) {
            demands.push(Box::new(move |edge: &Edge| edge.commits == Some(store)));
        }
        let mut round: Vec<&Edge> = Vec::new();
        let mut here = first;
        for demand in &demands {
            if round.iter().any(|edge| demand(edge)) {
                continue;
            }
            round.extend(steps.way(here, part, demand));
            here = round.last().map_or(first, |edge| edge.to);
        }
        if here != first || round.is_empty() {
            round.extend(steps.way(here, part, &|edge: &Edge| edge.to == first));
        }
        Lasso { start, stem, round }
    }

    fn stem<'g>(&'g self, steps: &Steps<'g>, to: u32, everywhere: &[u32]) -> (&'g [u64], Vec<&'g Edge>) {
        if let Some((_, inputs)) = self.starts.iter().find(|start| start.0 == to) {
            return (inputs, Vec::new());
        }
        let ways = self.starts.iter().filter_map(|(start, inputs)| {
            let way = steps.search(*start, everywhere, true, &|edge: &Edge| edge.to == to)?;
            Some((&**inputs, way))
        });
        ways.min_by_key(|(_, way)| way.len()).expect("every state should have been reached from a first one")
    }
}

/// What a loop has to do.
type Demand = Box<dyn Fn(&Edge) -> bool>;

/// Whether there is a fair loop through all of a component.
enum Judgement {
    Fair,
    /// These threads, as bits, can take a step in it and never do.
    Starving(u64),
    Never,
}

/// The steps of a graph by the states that they lead from.
struct Steps<'g> {
    edges: Vec<&'g Edge>,
    /// By state, where its steps begin.
    first: Vec<u32>,
}

impl<'g> Steps<'g> {
    fn new(graph: &'g Graph) -> Steps<'g> {
        let mut edges: Vec<&Edge> = graph.edges.iter().collect();
        edges.sort_by_key(|edge| edge.from);
        let mut first = vec![0; graph.nodes.len() + 1];
        edges.iter().for_each(|edge| first[edge.from as usize + 1] += 1);
        for state in 0..graph.nodes.len() {
            first[state + 1] += first[state];
        }
        Steps { edges, first }
    }

    fn of(&self, state: u32) -> &[&'g Edge] {
        &self.edges[self.first[state as usize] as usize..self.first[state as usize + 1] as usize]
    }

    /// The steps that are not spurious and stay in the part of the state.
    fn within(&self, state: u32, part: &[u32]) -> impl Iterator<Item = &'g Edge> {
        let own = part[state as usize];
        self.of(state).iter().copied().filter(move |edge| !edge.spurious && part[edge.to as usize] == own)
    }

    /// The strongly connected components of states that make one part, by Tarjan's algorithm without recursion.
    fn components(&self, states: &[u32], part: &[u32]) -> Vec<Vec<u32>> {
        const NEW: u32 = u32::MAX;
        let mut index: Vec<u32> = vec![NEW; part.len()];
        let mut low: Vec<u32> = vec![0; part.len()];
        let mut open = vec![false; part.len()];
        let (mut next, mut stack, mut found) = (0, Vec::new(), Vec::new());
        for &root in states.iter() {
            if index[root as usize] != NEW {
                continue;
            }
            let mut calls: Vec<(u32, usize)> = vec![(root, 0)];
            while let Some((state, at)) = calls.last_mut() {
                let here = *state as usize;
                if *at == 0 && index[here] == NEW {
                    (index[here], low[here], open[here]) = (next, next, true);
                    next += 1;
                    stack.push(*state);
                }
                let own = part[here];
                let edge = self.of(*state).get(*at).copied();
                *at += 1;
                match edge {
                    Some(edge) if edge.spurious || part[edge.to as usize] != own => {}
                    Some(edge) if index[edge.to as usize] == NEW => calls.push((edge.to, 0)),
                    Some(edge) if open[edge.to as usize] => low[here] = low[here].min(index[edge.to as usize]),
                    Some(_) => {}
                    None => {
                        calls.pop();
                        if let Some(&(caller, _)) = calls.last() {
                            low[caller as usize] = low[caller as usize].min(low[here]);
                        }
                        if low[here] == index[here] {
                            let begin = stack.iter().rposition(|&s| s as usize == here).unwrap_or(0);
                            let component = stack.split_off(begin);
                            component.iter().for_each(|&s| open[s as usize] = false);
                            found.push(component);
                        }
                    }
                }
            }
        }
        found
    }

    /// The shortest way to a step that is wanted, with that step, within the part of a state.
    fn way(&self, from: u32, part: &[u32], wanted: &dyn Fn(&Edge) -> bool) -> Vec<&'g Edge> {
        let way = self.search(from, part, false, wanted);
        way.expect("what is strongly connected should have a way to each of its steps")
    }

    fn search(&self, from: u32, part: &[u32], spurious: bool, wanted: &dyn Fn(&Edge) -> bool) -> Option<Vec<&'g Edge>> {
        let own = part[from as usize];
        let mut came_by: BTreeMap<u32, &'g Edge> = BTreeMap::new();
        let mut waiting = VecDeque::from([from]);
        while let Some(state) = waiting.pop_front() {
            let may = |edge: &&&'g Edge| (spurious || !edge.spurious) && part[edge.to as usize] == own;
            for &edge in self.of(state).iter().filter(may) {
                if wanted(edge) {
                    let mut way = vec![edge];
                    let mut at = state;
                    while at != from {
                        way.push(came_by[&at]);
                        at = came_by[&at].from;
                    }
                    way.reverse();
                    return Some(way);
                }
                if edge.to != from && !came_by.contains_key(&edge.to) {
                    came_by.insert(edge.to, edge);
                    waiting.push_back(edge.to);
                }
            }
        }
        None
    }
}
