//! From a model of a formula to a schedule that the machine can replay.
//!
//! An engine knows which events run and which stores are committed, in order; the values of variables tell the rest: which
//! events are executed at all, the number of each visible step, the names of threads, the inputs.

use std::collections::BTreeMap;

use norn_logic::terms::Memo;
use norn_logic::terms::Term;
use norn_verdict::model::Model;
use norn_verdict::schedule::{Schedule, Step, StepNumber, ThreadName};

use crate::event::{EventId, EventKind, EventRange, SectionId, Symbolic, ThreadId};

/// What happens next in an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// The event runs; with it, all of its section. Silent events may be mentioned, and the events of a section more than once.
    Run(EventId),
    /// A section without an event that is executed.
    RunSection(SectionId),
    /// The store of this event (or the group of stores that it belongs to) reaches memory.
    Commit(EventId),
}

/// Which events are executed under some values of the variables, and which visible steps they are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Steps {
    /// By event.
    pub executed: Vec<bool>,
    /// By event: the visible step that it is part of, if it is.
    pub numbers: Vec<Option<StepNumber>>,
    /// By section, likewise.
    pub sections: Vec<Option<StepNumber>>,
}

impl Symbolic {
    /// Which events are executed under these values of the variables, if every thread gets as far as it can.
    pub fn steps(&self, variable: &dyn Fn(Term) -> u64) -> Steps {
        let mut memo = Memo::default();
        let mut holds = |term: Term| self.terms.holds(term, &mut memo, variable);
        let executed: Vec<bool> = self.events.iter().map(|event| holds(event.guard)).collect();
        let mut numbers = vec![None; self.events.len()];
        let mut sections = vec![None; self.sections.len()];
        // Sections come in the order of their first events.
        let mut next_section = 0;
        for (index, thread) in self.threads.iter().enumerate() {
            let mut step = StepNumber::NONE;
            for event in EventRange::new(thread.events.start, thread.events.end.next()) {
                while let Some(section) = self.sections.get(next_section)
                    && section.thread == ThreadId::new(index)
                    && section.events.start == event
                {
                    if holds(section.guard) {
                        step = step.next();
                        sections[next_section] = Some(step);
                    }
                    next_section += 1;
                }
                if event == thread.events.end {
                    break;
                }
                let at = event.index();
                match self.events[at].section {
                    _ if !executed[at] || !self.events[at].visible => {}
                    Some(section) => numbers[at] = sections[section.index()],
                    None => {
                        step = step.next();
                        numbers[at] = Some(step);
                    }
                }
            }
        }
        Steps { executed, numbers, sections }
    }

    /// The names that threads have under these values of the variables; `None` for threads that do not come to be.
    pub fn names(&self, variable: &dyn Fn(Term) -> u64) -> Vec<Option<ThreadName>> {
        let mut memo = Memo::default();
        let mut names: Vec<Option<ThreadName>> = vec![None; self.threads.len()];
        names[0] = Some(ThreadName::main());
        let mut children = vec![0; self.threads.len()];
        for event in &self.events {
            let EventKind::Create(created) = &event.kind else { continue };
            if !self.terms.holds(event.guard, &mut memo, variable) {
                continue;
            }
            let creator = event.thread.0 as usize;
            let Some(name) = names[creator].clone() else { continue };
            for &(child, condition) in created {
                if self.terms.holds(condition, &mut memo, variable) {
                    children[creator] += 1;
                    names[child.0 as usize] = Some(name.child(children[creator]));
                }
            }
        }
        names
    }

    /// The schedule of an execution. Moves of events that are not executed are left out. `program` is the fingerprint of the
    /// program that was executed.
    pub fn schedule(&self, model: Model, program: u64, moves: &[Move], variable: &dyn Fn(Term) -> u64) -> Schedule {
        let steps = self.steps(variable);
        let names = self.names(variable);
        let mut taken = vec![StepNumber::NONE; self.threads.len()];
        let mut list = Vec::new();
        for &next in moves {
            let (thread, number) = match next {
                Move::Run(event) | Move::Commit(event) => (self.event(event).thread, steps.numbers[event.index()]),
                Move::RunSection(section) => (self.section(section).thread, steps.sections[section.index()]),
            };
            let (Some(name), Some(number)) = (&names[thread.0 as usize], number) else { continue };
            let thread_steps = &mut taken[thread.0 as usize];
            match next {
                Move::Commit(_) => list.push(Step::Commit { thread: name.clone(), step: number }),
                Move::Run(_) | Move::RunSection(_) if number > *thread_steps => {
                    *thread_steps = number;
                    list.push(Step::Run { thread: name.clone(), step: number });
                }
                Move::Run(_) | Move::RunSection(_) => {}
            }
        }
        let mut memo = Memo::default();
        let mut inputs: BTreeMap<ThreadName, Vec<u64>> = BTreeMap::new();
        for (thread, name) in self.threads.iter().zip(&names) {
            let Some(name) = name else { continue };
            for input in &thread.inputs {
                if self.terms.holds(input.guard, &mut memo, variable) {
                    let value = self.terms.evaluate(input.value, &mut memo, variable);
                    inputs.entry(name.clone()).or_default().push(value);
                }
            }
        }
        Schedule { model, program, steps: list, inputs: inputs.into_iter().collect() }
    }
}
