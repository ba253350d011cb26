//! Fair executions that never end, among all states and steps of a tiny program: by trying which threads it is that go on
//! for ever.
//!
//! For every set of threads: the states in which no other thread can take a step, with the steps of these threads and the
//! commits. Of these states those are dropped that cannot reach, again and again, a step of each of the threads, and for each
//! store that may be pending a commit of it or a state in which it is not (the fixpoint of Emerson and Lei for strong
//! connectedness under fairness: νZ. ⋀ EX E[Z U (Z ∧ F)]). If any are left, a walk that visits what is demanded in turn comes
//! back to a state. This is slow and plain on purpose: engines look for the same in another way.

use super::{Finding, Link, Question, Script, Ways, taken};
use crate::liveness::{self, Pending};
use crate::machine::{Choice, Machine};
use crate::observe::Unobserved;
use crate::replay::{End, replay};
use crate::state::State;
use norn_verdict::schedule::Step;
use norn_verdict::trace::ThreadIndex;
use norn_verdict::undecided::{Undecided, Why};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A step that is possible.
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    pub choice: Choice,
    pub commits: Option<Pending>,
    /// It does not happen for ever.
    pub spurious: bool,
    pub inputs: Vec<u64>,
}

struct Node {
    state: State,
    may_go_on: bool,
    enabled: BTreeSet<ThreadIndex>,
    pending: BTreeSet<Pending>,
}

/// All states, by their numbers, and all steps.
#[derive(Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

/// What has to happen again and again.
enum Demand {
    /// The thread takes a step.
    Moves(ThreadIndex),
    /// The store reaches memory, or is not pending.
    Commits(Pending),
}

/// A program with more threads is not tiny.
const MOST_THREADS: usize = 10;

impl Graph {
    pub fn add(&mut self, machine: &Machine<'_>, state: &State) {
        self.nodes.push(Node {
            state: state.clone(),
            may_go_on: liveness::may_go_on(state),
            enabled: liveness::enabled(machine, state),
            pending: liveness::pending(state),
        });
    }

    /// An execution that never ends, if there is one.
    pub fn endless(
        &self,
        question: &Question<'_>,
        machine: &Machine<'_>,
        ways: &Ways,
    ) -> Result<Option<Finding>, Undecided> {
        let threads = self.nodes.iter().map(|node| node.state.threads.len()).max().unwrap_or(0);
        if threads > MOST_THREADS {
            return Err(Undecided::new(Why::too_large("too many threads to look for executions that never end")));
        }
        for set in 1u32..1 << threads {
            let members = ThreadIndex::all(threads).filter(|thread| set >> thread.index() & 1 == 1).collect();
            if let Some((start, edges)) = self.lasso(&members) {
                return Ok(Some(self.finding(question, machine, ways, start, &edges)));
            }
        }
        Ok(None)
    }

    fn satisfies(&self, edge: &Edge, demand: &Demand) -> bool {
        match demand {
            Demand::Moves(thread) => edge.choice == Choice::Run(*thread),
            Demand::Commits(store) => edge.commits == Some(*store) || !self.nodes[edge.from].pending.contains(store),
        }
    }

    /// A state and the steps from it back to it, if these threads can go on for ever while no other thread can.
    fn lasso(&self, members: &BTreeSet<ThreadIndex>) -> Option<(usize, Vec<usize>)> {
        let is_in = |node: &Node| node.may_go_on && node.enabled.is_subset(members);
        let mut alive: Vec<bool> = self.nodes.iter().map(is_in).collect();
        let is_taken = |edge: &Edge| {
            !edge.spurious && (matches!(edge.choice, Choice::Commit { .. }) || members.contains(&edge.choice.thread()))
        };
        let edges: Vec<usize> = (0..self.edges.len()).filter(|&edge| is_taken(&self.edges[edge])).collect();
        let all_pending: BTreeSet<Pending> = self.nodes.iter().flat_map(|node| node.pending.iter().copied()).collect();
        let moves = members.iter().map(|&thread| Demand::Moves(thread));
        let demands: Vec<Demand> = moves.chain(all_pending.into_iter().map(Demand::Commits)).collect();
        loop {
            let before = alive.iter().filter(|&&alive| alive).count();
            for demand in &demands {
                alive = self.reaching(&alive, &edges, demand);
            }
            let left = alive.iter().filter(|&&alive| alive).count();
            if left == 0 {
                return None;
            }
            if left == before {
                break;
            }
        }
        let mut here = alive.iter().position(|&alive| alive)?;
        let mut path = Vec::new();
        let mut begun: BTreeMap<usize, usize> = BTreeMap::new();
        loop {
            if let Some(&first) = begun.get(&here) {
                return Some((here, path.split_off(first)));
            }
            begun.insert(here, path.len());
            for demand in &demands {
                path.extend(self.walk(&alive, &edges, here, demand));
                here = path.last().map_or(here, |&edge| self.edges[edge].to);
            }
        }
    }

    /// Of the states that are alive those from which a step that satisfies the demand can be reached, all among them.
    fn reaching(&self, alive: &[bool], edges: &[usize], demand: &Demand) -> Vec<bool> {
        let inside: Vec<&Edge> = edges.iter().map(|&edge| &self.edges[edge]).collect();
        let inside: Vec<&Edge> = inside.into_iter().filter(|edge| alive[edge.from] && alive[edge.to]).collect();
        let mut reaching = vec![false; alive.len()];
        for edge in inside.iter().filter(|edge| self.satisfies(edge, demand)) {
            reaching[edge.from] = true;
        }
        loop {
            let mut changed = false;
            for edge in &inside {
                changed |= reaching[edge.to] && !reaching[edge.from];
                reaching[edge.from] |= reaching[edge.to];
            }
            if !changed {
                return reaching;
            }
        }
    }

    /// The shortest way to a step that satisfies the demand, with that step.
    fn walk(&self, alive: &[bool], edges: &[usize], from: usize, demand: &Demand) -> Vec<usize> {
        let mut came_by: BTreeMap<usize, usize> = BTreeMap::new();
        let mut waiting = VecDeque::from([from]);
        while let Some(node) = waiting.pop_front() {
            for &edge in edges.iter().filter(|&&edge| self.edges[edge].from == node && alive[self.edges[edge].to]) {
                let to = self.edges[edge].to;
                if self.satisfies(&self.edges[edge], demand) {
                    let mut way = vec![edge];
                    let mut at = node;
                    while at != from {
                        way.push(came_by[&at]);
                        at = self.edges[came_by[&at]].from;
                    }
                    way.reverse();
                    return way;
                }
                if to != from && !came_by.contains_key(&to) {
                    came_by.insert(to, edge);
                    waiting.push_back(to);
                }
            }
        }
        unreachable!("a step that satisfies the demand should be in reach")
    }

    /// The execution as a schedule, and what the replay says about it.
    fn finding(
        &self,
        question: &Question<'_>,
        machine: &Machine<'_>,
        ways: &Ways,
        start: usize,
        edges: &[usize],
    ) -> Finding {
        let mut schedule = ways.schedule(question, &Link { before: Some(start), step: None, inputs: Vec::new() });
        let mut inputs: BTreeMap<_, Vec<u64>> = schedule.inputs.into_iter().collect();
        let mut state = self.nodes[start].state.clone();
        // Which place in the buffer it is does not depend on how the state was reached; the number of the step does.
        for edge in edges.iter().map(|&edge| &self.edges[edge]) {
            let choice = self.nodes[edge.from].same_choice(edge.choice, &state);
            let step = taken(&state, choice);
            let (thread, number) = ((*step.thread).clone(), step.number);
            schedule.steps.push(match step.is_commit {
                true => Step::Commit { thread, step: number },
                false => Step::Run { thread, step: number },
            });
            let mut script = Script::new(edge.inputs.clone());
            let done = machine.step(&mut state, choice, &mut Unobserved, &mut script);
            assert!(done.is_ok(), "a step that was possible should be possible: {done:?}");
            for (thread, value) in script.taken {
                inputs.entry(thread).or_default().push(value);
            }
        }
        schedule.inputs = inputs.into_iter().collect();
        match replay(question.program, question.checks, &schedule).map(|replayed| replayed.end) {
            Ok(End::Violation(violation)) => Finding { violation, schedule },
            other => panic!("a fair loop should be one for the replay: {other:?}\n{schedule}"),
        }
    }
}

impl Node {
    /// The same choice in a state that was reached in another way.
    fn same_choice(&self, choice: Choice, state: &State) -> Choice {
        match choice {
            Choice::Run(_) => choice,
            Choice::Commit { thread, step } => {
                let place = self.state.threads[thread.index()].buffer.iter().position(|entry| entry.step == step);
                let place = place.expect("the store that is committed should be in the buffer");
                Choice::Commit { thread, step: state.threads[thread.index()].buffer[place].step }
            }
        }
    }
}
