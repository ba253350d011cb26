//! Exhaustive exploration of tiny programs: the oracle that engines are compared with.
//!
//! Three modes, all exact: [`states`] visits every reachable state, and looks for loops among them if termination is asked
//! about (`endless`); [`traces`] every execution up to the equivalence of
//! Shasha and Snir; [`rounds`] what K round-robin rounds can reach. No reduction of any kind, so that there is little
//! to get wrong. A search that ends early, or meets something that it cannot decide, says so in [`Incomplete`].

mod endless;
#[cfg(test)]
mod random_tests;
pub mod rounds;
pub mod states;
#[cfg(test)]
mod tests;
pub mod traces;

use crate::machine::{Choice, Inputs, Machine, Request, Stop};
use crate::state::State;
use norn_ir::address::NOWHERE;
use norn_ir::ids::GlobalId;
use norn_ir::program::Program;
use norn_ir::types::{Target, Ty};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Violation};
use norn_verdict::progress::Report;
use norn_verdict::schedule::{Schedule, Step, StepNumber, ThreadName, fingerprint};
use norn_verdict::trace::ThreadIndex;
use norn_verdict::undecided::{Undecided, Why};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What to explore, and within which limits.
#[derive(Clone)]
pub struct Question<'a> {
    pub program: &'a Program,
    pub model: Model,
    pub checks: Checks,
    pub limits: &'a Limits,
    /// The values to try for each nondeterministic value; a `Bool` is always tried both ways. Without a domain, a
    /// program that asks for other nondeterministic values is not decided. With one, the exploration is complete for
    /// these values only.
    pub domain: Option<&'a [u64]>,
    /// Objects whose final contents are of interest.
    pub observed: &'a [GlobalId],
}

/// A violation and the way to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    pub violation: Violation,
    pub schedule: Schedule,
}

/// Contents of the observed objects, in the order of the question.
pub type Final = Vec<Vec<u8>>;

impl Question<'_> {
    /// Calls `attempt` with every sequence of inputs that it asks for, and gives each result to `each`.
    fn with_all_inputs<T>(
        &self,
        mut attempt: impl FnMut(&mut Script) -> Result<T, Stop>,
        mut each: impl FnMut(Result<T, Stop>, Vec<(ThreadName, u64)>),
    ) -> Tried {
        let mut tried = Tried::default();
        let mut waiting: Vec<Vec<u64>> = vec![Vec::new()];
        let mut attempts = 0u64;
        while let Some(values) = waiting.pop() {
            attempts += 1;
            if let Some(why) = self.too_many(attempts) {
                tried.incomplete = Some(Undecided::new(why));
                break;
            }
            let mut script = Script::new(values);
            match attempt(&mut script) {
                Err(Stop::NeedInput(request)) => match domain(&request, self.domain, self.program.target) {
                    Some(domain) => {
                        tried.sampled |= request.ty != Ty::Bool;
                        waiting.extend(domain.into_iter().rev().map(|value| {
                            let mut longer = script.values.clone();
                            longer.push(value);
                            longer
                        }));
                    }
                    None => {
                        use norn_ir::instr::NondetSource::{Input, Uninitialised};
                        let (Input(name) | Uninitialised(name)) = &request.source;
                        let why = Why::TooManyValues { source: name.clone() };
                        tried.incomplete = Some(Undecided::new(why));
                        // A pointer that was never set need not point anywhere.
                        if request.ty == Ty::Ptr && matches!(request.source, Uninitialised(_)) {
                            script.values.push(NOWHERE);
                            waiting.push(script.values);
                        }
                    }
                },
                result => each(result, script.taken),
            }
        }
        tried
    }

    /// A loop that asks for an input at each turn never runs out of them.
    fn too_many(&self, attempts: u64) -> Option<Why> {
        const MOST: u64 = 1 << 20;
        if attempts > MOST {
            return Some(Why::too_large("one step asks for too many nondeterministic values"));
        }
        let exceeded = if attempts.is_multiple_of(1024) { self.limits.exceeded() } else { None };
        exceeded.map(Why::from)
    }

    /// What is read of the observed objects.
    fn observe(&self, machine: &Machine<'_>, state: &State) -> Final {
        let content =
            |&id: &GlobalId| state.memory.object(machine.globals.object(id, ThreadIndex::MAIN)).bytes().to_vec();
        self.observed.iter().map(content).collect()
    }
}

fn domain(request: &Request, given: Option<&[u64]>, target: Target) -> Option<BTreeSet<u64>> {
    match request.ty {
        Ty::Bool => Some(BTreeSet::from([0, 1])),
        ty => given.map(|values| values.iter().map(|&value| ty.truncate(value, target)).collect()),
    }
}

/// What came of trying inputs.
#[derive(Default)]
struct Tried {
    incomplete: Option<Undecided>,
    /// Values were taken from the domain of the question, which is not everything.
    sampled: bool,
}

/// Remembers when to look at the limits again: not at each state, but before large states fill the memory.
#[derive(Default)]
struct Patience {
    states: usize,
    bytes: usize,
}

impl Patience {
    /// To be called for each state, with the bytes that it took to store the last ones.
    fn exceeded(&mut self, limits: &Limits) -> Option<Undecided> {
        const STATES: usize = 1024;
        const BYTES: usize = 1 << 24;
        let is_time = self.states.is_multiple_of(STATES) || self.bytes > BYTES;
        self.states += 1;
        if !is_time {
            return None;
        }
        self.bytes = 0;
        let exceeded = limits.exceeded();
        let count = ("states", self.states as u64);
        limits.progress.report(&Report { engine: "enumerate", count, figures: &[], done: None });
        exceeded.map(Undecided::limit)
    }
}

/// Inputs from a list, in the order in which they are asked for.
struct Script {
    values: Vec<u64>,
    taken: Vec<(ThreadName, u64)>,
    /// A value does not come for ever.
    is_spurious: bool,
}

impl Script {
    fn new(values: Vec<u64>) -> Script {
        Script { values, taken: Vec::new(), is_spurious: false }
    }
}

impl Inputs for Script {
    fn next(&mut self, name: &ThreadName, request: &Request) -> Option<u64> {
        let value = *self.values.get(self.taken.len())?;
        self.is_spurious |= request.source.is_spurious(value);
        self.taken.push((name.clone(), value));
        Some(value)
    }
}

/// How each state was reached first.
#[derive(Default)]
struct Ways(Vec<Link>);

struct Link {
    before: Option<usize>,
    /// `None` if it took no step, only inputs.
    step: Option<Taken>,
    inputs: Vec<(ThreadName, u64)>,
}

struct Taken {
    thread: Rc<ThreadName>,
    number: StepNumber,
    is_commit: bool,
}

impl Ways {
    fn add(&mut self, link: Link) -> usize {
        self.0.push(link);
        self.0.len() - 1
    }

    fn schedule(&self, question: &Question<'_>, last: &Link) -> Schedule {
        let mut links = vec![last];
        while let Some(before) = links.last().and_then(|link| link.before) {
            links.push(&self.0[before]);
        }
        let mut steps = Vec::new();
        let mut inputs: BTreeMap<ThreadName, Vec<u64>> = BTreeMap::new();
        for link in links.into_iter().rev() {
            if let Some(Taken { thread, number, is_commit }) = &link.step {
                let (thread, step) = ((**thread).clone(), *number);
                steps.push(if *is_commit { Step::Commit { thread, step } } else { Step::Run { thread, step } });
            }
            for (thread, value) in &link.inputs {
                inputs.entry(thread.clone()).or_default().push(*value);
            }
        }
        let program = fingerprint(question.program);
        Schedule { model: question.model, program, steps, inputs: inputs.into_iter().collect() }
    }
}

/// The step of a schedule that a choice is in this state.
fn taken(state: &State, choice: Choice) -> Taken {
    let thread = &state.threads[choice.thread().index()];
    let name = thread.name.clone();
    match choice {
        Choice::Run(_) => Taken { thread: name, number: thread.steps.next(), is_commit: false },
        Choice::Commit { step, .. } => Taken { thread: name, number: step, is_commit: true },
    }
}
