//! Follows a witness: is there an execution that it describes, and that goes wrong where it says?
//!
//! What a witness leaves open is searched for among the executions of the reference machine, which also confirms what is found. A
//! witness is refuted only if none of the executions that it allows goes wrong, and all of them were looked at.
//!
//! A thread of the machine runs silently as soon as it can, but nothing makes it do so at a certain time. So what it comes to in a
//! silent run may be counted as happening at any time until its next visible step ([`watch`]). And an execution need not
//! take an edge of the witness at the first place that fits. So what is searched is never less than what the witness means.
//!
//! - [`search`]: the executions, those first that are furthest along in the witness
//! - [`watch`]: what an execution comes to, of what the witness asks about
//! - [`guards`]: which lines of the program the places of the witness are
//! - [`evaluate`]: constraints on a state

pub mod evaluate;
pub mod guards;
pub mod search;
pub mod watch;

use crate::guards::Guards;
use crate::watch::Watch;
use norn_ir::program::Program;
use norn_machine::Choice;
use norn_machine::{Inputs, Machine, Request, Stop};
use norn_verdict::outcome::{Checks, Counterexample, ViolationKind};
use norn_verdict::schedule::{Schedule, Step, ThreadName};
use norn_witness::automaton::Automaton;
use norn_witness::story::Blame;
use norn_witness::text::Texts;
use std::collections::BTreeMap;

/// A witness of a violation, and the program that it is about.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    pub program: &'a Program,
    pub texts: &'a Texts,
    pub checks: Checks,
    /// The violations that the witness may mean.
    pub kinds: &'a [ViolationKind],
    pub automaton: &'a Automaton,
}

/// The inputs of a schedule; where it has none, zeros.
pub(crate) struct Given<'a> {
    schedule: &'a Schedule,
    pub taken: BTreeMap<ThreadName, usize>,
}

impl<'a> Given<'a> {
    pub fn new(schedule: &'a Schedule, taken: BTreeMap<ThreadName, usize>) -> Given<'a> {
        Given { schedule, taken }
    }
}

impl Inputs for Given<'_> {
    fn next(&mut self, name: &ThreadName, _request: &Request) -> Option<u64> {
        let taken = self.taken.entry(name.clone()).or_default();
        let given = self.schedule.inputs.iter().filter(|(thread, _)| thread == name).flat_map(|(_, values)| values);
        let value = given.copied().nth(*taken).unwrap_or(0);
        *taken += 1;
        Some(value)
    }
}

/// Who is to blame for the violation of a counterexample: the thread that it happens in, and of a data race both threads.
pub fn blames(program: &Program, checks: Checks, found: &Counterexample) -> Vec<Blame> {
    let nobody = vec![Blame { thread: None, span: found.violation().span }];
    let mut machine = Machine::new(program, found.schedule().model, checks);
    machine.goes_on_beside = true;
    let mut inputs = Given::new(found.schedule(), BTreeMap::new());
    let (automaton, texts) = (Automaton::default(), Texts::default());
    let guards = Guards::new(program, &texts, &automaton);
    let mut watch = Watch::new(&guards, &[]);
    let mut stopped = None;
    match machine.initial(&mut watch, &mut inputs) {
        Ok(mut state) => {
            for step in &found.schedule().steps {
                let (Step::Run { thread, .. } | Step::Commit { thread, .. }) = step;
                let Some(index) = state.thread_named(thread) else { return nobody };
                let choice = match *step {
                    Step::Run { .. } => Choice::Run(index),
                    Step::Commit { step, .. } => Choice::Commit { thread: index, step },
                };
                if let Err(stop) = machine.step(&mut state, choice, &mut watch, &mut inputs) {
                    stopped = Some(stop);
                    break;
                }
            }
        }
        Err(stop) => stopped = Some(stop),
    }
    match stopped {
        Some(Stop::Violation(violation)) if violation == *found.violation() => {
            let thread = watch.last().map(|(thread, _)| thread);
            let own = Blame { thread, span: violation.span };
            let other = watch.race().map(|(thread, span)| Blame { thread: Some(thread), span });
            other.into_iter().chain([own]).collect()
        }
        _ => nobody,
    }
}
