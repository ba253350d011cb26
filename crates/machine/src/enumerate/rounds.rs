//! What K round-robin rounds can reach.
//!
//! The papers give each thread one slot per round, the entry thread first, and the entry thread one more slot after the
//! last round: so K rounds are enough for K turns of the other threads between the work that the entry thread does
//! before and after them. Here the same slots are counted as a beginning of the entry thread alone, and K rounds in
//! which it comes last. Among the other threads a creator comes before the threads that it creates, and these come in
//! the order of their creations. This order does not depend on when threads are created. In a slot only that thread
//! acts: its visible steps, the commits of its buffer, and its silent run, so a thread that waits for another goes on
//! in its own slot only and a new thread begins in its first. After K rounds what is left in the buffers reaches
//! memory, in the order of slots, and nothing else happens. A node of the search is a state with the round and the
//! thread whose slot it is.

use super::traces::encode_name;
use super::{Final, Finding, Link, Patience, Question, Tried, Ways, taken};
use crate::hash::FastSet;
use crate::machine::{Choice, Machine, NoInputs, Stop};
use crate::observe::Unobserved;
use crate::replay::complete_inputs;
use crate::state::State;
use norn_verdict::schedule::ThreadName;
use norn_verdict::trace::ThreadIndex;
use norn_verdict::undecided::Undecided;
use std::collections::{BTreeSet, VecDeque};

/// What was found within the rounds.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Explored {
    pub violation: Option<Finding>,
    pub incomplete: Option<Undecided>,
    /// Nondeterministic values were tried with those of the domain only.
    pub sampled: bool,
    /// The number of nodes: pairs of a state and a slot.
    pub nodes: usize,
    /// The final contents of the executions in which every thread ended within the rounds.
    pub finals: BTreeSet<Final>,
}

/// Explores until the first violation.
pub fn explore(question: &Question<'_>, rounds: u32) -> Explored {
    let machine = Machine::new(question.program, question.model, question.checks);
    let mut search = Search {
        question,
        machine: &machine,
        rounds,
        seen: FastSet::default(),
        ways: Ways::default(),
        frontier: VecDeque::new(),
        found: Explored::default(),
        patience: Patience::default(),
    };
    search.run();
    search.found
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Slot {
    round: u32,
    thread: ThreadIndex,
}

/// The slot after this one. The entry thread, number 0, comes last in each round.
fn next_slot(state: &State, slot: Slot) -> Slot {
    let rank = |&thread: &ThreadIndex| {
        let name = &state.threads[thread.index()].name;
        (name.0.len(), &name.0)
    };
    let later = state.indices().filter(|other| rank(other) > rank(&slot.thread)).min_by_key(rank);
    let round = if slot.thread == ThreadIndex::MAIN { slot.round + 1 } else { slot.round };
    Slot { round, thread: later.unwrap_or(ThreadIndex::MAIN) }
}

struct Search<'a> {
    question: &'a Question<'a>,
    machine: &'a Machine<'a>,
    rounds: u32,
    seen: FastSet<Vec<u8>>,
    ways: Ways,
    frontier: VecDeque<(State, Slot, usize)>,
    found: Explored,
    patience: Patience,
}

impl Search<'_> {
    fn run(&mut self) {
        let (question, machine) = (self.question, self.machine);
        if self.rounds == 0 {
            return;
        }
        let first = Slot { round: 0, thread: ThreadIndex::MAIN };
        let tried = question.with_all_inputs(
            |script| {
                let mut state = machine.unsettled()?;
                machine.settle(&mut state, ThreadIndex::MAIN, &mut Unobserved, script)?;
                Ok(state)
            },
            |result, inputs| self.reached(result, first, Link { before: None, step: None, inputs }),
        );
        self.note(tried);
        while self.found.violation.is_none()
            && let Some((state, slot, way)) = self.frontier.pop_front()
        {
            if let Some(incomplete) = self.patience.exceeded(question.limits) {
                self.found.incomplete.get_or_insert(incomplete);
                break;
            }
            self.found.nodes += 1;
            self.expand(&state, slot, way);
        }
    }

    fn expand(&mut self, state: &State, slot: Slot, way: usize) {
        let machine = self.machine;
        if state.exited.is_some() {
            return self.finish(state, way);
        }
        machine.for_each_candidate(state, |choice| {
            if choice.thread() == slot.thread {
                self.attempt(state, slot, way, choice);
            }
        });
        self.look_for_deadlock(state, way);
        match next_slot(state, slot) {
            next if next.round > self.rounds => self.finish(state, way),
            next => self.enter(state, next, way),
        }
    }

    fn attempt(&mut self, state: &State, slot: Slot, way: usize, choice: Choice) {
        let (question, machine) = (self.question, self.machine);
        let tried = question.with_all_inputs(
            |script| {
                let mut next = state.clone();
                machine.step_alone(&mut next, choice, &mut Unobserved, script)?;
                Ok(next)
            },
            |result, inputs: Vec<(ThreadName, u64)>| {
                let link = Link { before: Some(way), step: Some(taken(state, choice)), inputs };
                self.reached(result, slot, link);
            },
        );
        self.note(tried);
    }

    /// A slot begins: its thread goes on silently if it can.
    fn enter(&mut self, state: &State, slot: Slot, way: usize) {
        let (question, machine) = (self.question, self.machine);
        let tried = question.with_all_inputs(
            |script| {
                let mut next = state.clone();
                machine.settle(&mut next, slot.thread, &mut Unobserved, script)?;
                Ok(next)
            },
            |result, inputs| self.reached(result, slot, Link { before: Some(way), step: None, inputs }),
        );
        self.note(tried);
    }

    fn look_for_deadlock(&mut self, state: &State, way: usize) {
        if !self.question.checks.deadlock || self.found.violation.is_some() {
            return;
        }
        // Threads that could go on silently in their slots are not waiting: the question is asked once all have.
        let mut settled = state.clone();
        let can_settle = |thread: ThreadIndex, settled: &mut State| {
            self.machine.settle(settled, thread, &mut Unobserved, &mut NoInputs).is_ok()
        };
        if !settled.indices().all(|thread| can_settle(thread, &mut settled)) {
            return;
        }
        if self.machine.is_deadlock(&settled) {
            let link = Link { before: Some(way), step: None, inputs: Vec::new() };
            let violation = self.machine.deadlock(&settled);
            self.report(Stop::Violation(violation), &link);
        }
    }

    /// The rounds are over: the buffers drain.
    fn finish(&mut self, state: &State, way: usize) {
        let machine = self.machine;
        let mut state = state.clone();
        let mut way = way;
        if state.exited.is_none() {
            let mut slot = Slot { round: 0, thread: ThreadIndex::MAIN };
            for _ in 0..state.threads.len() {
                slot = next_slot(&state, slot);
                let thread = slot.thread;
                while let Some(oldest) = state.threads[thread.index()].buffer.first() {
                    let choice = Choice::Commit { thread, step: oldest.step };
                    let link = Link { before: Some(way), step: Some(taken(&state, choice)), inputs: Vec::new() };
                    if let Err(stop) = machine.act(&mut state, choice, &mut Unobserved, &mut NoInputs) {
                        return self.report(stop, &link);
                    }
                    way = self.ways.add(link);
                }
            }
        }
        if state.is_complete() && !self.question.observed.is_empty() {
            self.found.finals.insert(self.question.observe(machine, &state));
        }
    }

    fn reached(&mut self, result: Result<State, Stop>, slot: Slot, link: Link) {
        match result {
            Ok(state) => {
                let mut bytes = Vec::new();
                crate::encode::number(&mut bytes, u64::from(slot.round));
                crate::encode::number(&mut bytes, u64::from(slot.thread.0));
                // The encoding of a state does not name its threads, the order of slots does.
                state.threads.iter().for_each(|thread| encode_name(&mut bytes, &thread.name));
                self.machine.encode(&state, &mut bytes);
                self.patience.bytes += bytes.len();
                if self.seen.insert(bytes) {
                    let way = self.ways.add(link);
                    self.frontier.push_back((state, slot, way));
                }
            }
            Err(stop) => self.report(stop, &link),
        }
    }

    fn report(&mut self, stop: Stop, link: &Link) {
        match stop {
            Stop::Violation(violation) if self.found.violation.is_none() => {
                // In a replay every thread runs silently as soon as it can, and may ask for inputs earlier than here.
                let schedule = self.ways.schedule(self.question, link);
                let schedule = complete_inputs(self.question.program, self.question.checks, schedule);
                self.found.violation = Some(Finding { violation, schedule });
            }
            Stop::Violation(_) | Stop::NotEnabled | Stop::Cut { .. } | Stop::NeedInput(_) | Stop::Ends(_) => {}
            Stop::Undecided(undecided) => {
                self.found.incomplete.get_or_insert(undecided);
            }
        }
    }

    fn note(&mut self, tried: Tried) {
        self.found.sampled |= tried.sampled;
        if let Some(incomplete) = tried.incomplete {
            self.found.incomplete.get_or_insert(incomplete);
        }
    }
}
