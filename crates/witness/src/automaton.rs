//! What a violation witness says: an automaton whose edges executions have to take, in this order.
//!
//! Between two edges anything may happen. The witness of a format with segments is a chain.

use crate::constraint::Constraint;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Automaton {
    /// The names of the threads; edges name them by index.
    pub threads: Vec<String>,
    /// The thread that main is, if the format says so.
    pub main: Option<usize>,
    /// A call that creates a thread introduces the next name that is not known yet.
    pub named_in_order: bool,
    pub nodes: usize,
    pub start: usize,
    pub edges: Vec<Edge>,
    pub ends: Vec<End>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    pub from: usize,
    /// `None`: an execution that takes it while it stands at `from` is not meant.
    pub to: Option<usize>,
    pub guard: Guard,
}

/// Where an execution has to violate something: anywhere, or at these places, all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct End {
    pub at: usize,
    /// Of a data race, two.
    pub targets: Vec<Target>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    pub thread: Option<usize>,
    pub place: Place,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    pub thread: Option<usize>,
    pub place: Option<Place>,
    pub what: What,
    pub constraint: Option<Constraint>,
    /// The constraint may also hold only after what the edge is about.
    pub may_hold_after: bool,
}

/// A place as a witness has it. Columns are not looked at.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// Nothing if the witness names no file.
    pub file: Option<String>,
    pub line: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// The thread comes to the place.
    Reaches,
    /// It decides there; `None` if any way is meant.
    Decides(Option<bool>),
    /// It calls a function there.
    Calls,
    /// A call there returns.
    Returns,
    /// It enters the function of this name.
    Enters(String),
    /// It leaves it.
    Leaves(String),
    /// It creates the thread that the witness calls so.
    Creates(usize),
    /// Nothing: the edge can be taken at any time.
    Nothing,
}

impl Automaton {
    /// The index of a thread's name, which may be new.
    pub fn thread(&mut self, name: &str) -> usize {
        match self.threads.iter().position(|known| known == name) {
            Some(known) => known,
            None => {
                self.threads.push(name.to_owned());
                self.threads.len() - 1
            }
        }
    }

    pub fn add_node(&mut self) -> usize {
        self.nodes += 1;
        self.nodes - 1
    }

    /// By node, how many edges it takes at least to come to an end; `None` where none can be come to.
    pub fn distances(&self) -> Vec<Option<u32>> {
        let mut distances = vec![None; self.nodes];
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.nodes];
        for edge in &self.edges {
            if let Some(to) = edge.to {
                before[to].push(edge.from);
            }
        }
        let mut waiting = std::collections::VecDeque::new();
        for end in &self.ends {
            if distances[end.at].is_none() {
                distances[end.at] = Some(0);
                waiting.push_back(end.at);
            }
        }
        while let Some(node) = waiting.pop_front() {
            for &from in &before[node] {
                if distances[from].is_none() {
                    distances[from] = distances[node].map(|distance| distance + 1);
                    waiting.push_back(from);
                }
            }
        }
        distances
    }

    /// Numbers that constraints mention: telling inputs.
    pub fn numbers(&self) -> Vec<i128> {
        let constraints = self.edges.iter().filter_map(|edge| edge.guard.constraint.as_ref());
        let mut numbers = constraints.flat_map(Constraint::numbers).collect::<Vec<_>>();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}
