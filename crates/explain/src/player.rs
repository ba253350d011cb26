//! Executions of the reference machine that follow a word of actions as far as they can, and stop at the violation.
//!
//! An edited word need not fit: a thread may have fewer steps than before, or a store may be gone. What cannot happen is
//! left out, and what did happen is told. So an edit only has to be promising; what comes of it is an execution in any case.

use crate::recorder::{Done, Recorder, point};
use norn_ir::program::Program;
use norn_ir::types::Target;
use norn_machine::observe::Observer;
use norn_machine::state::Status;
use norn_machine::{Choice, Inputs, Machine, Request, State, Stop};
use norn_verdict::claim::Expected;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, ViolationKind};
use norn_verdict::schedule::{Schedule, Step, StepNumber, ThreadName};
use norn_verdict::trace::ThreadIndex;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A step of a schedule: threads are named, since their numbers depend on the interleaving.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    pub thread: Rc<ThreadName>,
    /// Of a commit, the step that made the store.
    pub step: StepNumber,
    pub is_commit: bool,
}

/// Nondeterministic values by thread.
pub type Values = BTreeMap<ThreadName, Vec<u64>>;

/// Nondeterministic values: for each thread those that are given, then zeros.
#[derive(Clone)]
pub struct Tape {
    given: Rc<Values>,
    target: Target,
    /// How many each thread has taken, by its number.
    pub taken: Vec<u32>,
    /// What was taken, if that is of interest.
    log: Option<Values>,
}

impl Inputs for Tape {
    fn next(&mut self, name: &ThreadName, request: &Request) -> Option<u64> {
        let at = request.thread.index();
        if self.taken.len() <= at {
            self.taken.resize(at + 1, 0);
        }
        let value = self.given.get(name).and_then(|values| values.get(self.taken[at] as usize)).copied().unwrap_or(0);
        self.taken[at] += 1;
        let value = request.ty.truncate(value, self.target);
        if let Some(log) = &mut self.log {
            log.entry(name.clone()).or_default().push(value);
        }
        Some(value)
    }
}

/// Why an execution does not go on.
pub enum Halt {
    NotEnabled,
    /// What is looked for.
    Found,
    /// Something else that ends it.
    Other,
}

/// How much work there may be. It is counted in steps of the machine, so that the same question has the same answer; the clock is a
/// last resort.
pub struct Budget {
    steps: Cell<u64>,
    limits: Limits,
}

impl Budget {
    pub fn new(steps: u64, limits: Limits) -> Budget {
        Budget { steps: Cell::new(steps), limits }
    }

    /// A part of what is left.
    pub fn share(&self, numerator: u64, denominator: u64) -> u64 {
        self.steps.get() / denominator * numerator
    }

    pub fn left(&self) -> u64 {
        self.steps.get()
    }

    fn pay(&self) {
        const STEPS_BETWEEN_LOOKS: u64 = 256;
        let left = self.steps.get().saturating_sub(1);
        let is_over = left.is_multiple_of(STEPS_BETWEEN_LOOKS) && self.limits.exceeded().is_some();
        self.steps.set(if is_over { 0 } else { left });
    }

    pub fn is_spent(&self) -> bool {
        self.steps.get() == 0
    }
}

/// An execution that ends in the violation.
#[derive(Clone)]
pub struct Played {
    pub done: Vec<Done>,
    /// As a table counts them.
    pub switches: u32,
    /// The values that were asked for.
    pub values: Values,
}

impl Played {
    pub fn word(&self) -> Vec<Action> {
        self.done.iter().map(|done| done.action.clone()).collect()
    }

    pub fn schedule(&self, model: Model, program: u64) -> Schedule {
        let step = |done: &Done| {
            let Action { thread, step, is_commit } = &done.action;
            let (thread, step) = ((**thread).clone(), *step);
            if *is_commit { Step::Commit { thread, step } } else { Step::Run { thread, step } }
        };
        let steps = self.done.iter().map(step).collect();
        Schedule { model, program, steps, inputs: self.values.clone().into_iter().collect() }
    }
}

pub struct Player<'a> {
    pub machine: Machine<'a>,
    pub expected: Expected,
    pub budget: &'a Budget,
}

impl<'a> Player<'a> {
    pub fn new(
        program: &'a Program,
        model: Model,
        checks: Checks,
        expected: Expected,
        budget: &'a Budget,
    ) -> Player<'a> {
        let mut machine = Machine::new(program, model, checks);
        machine.goes_on_beside = true;
        Player { machine, expected, budget }
    }

    pub fn tape(&self, values: &Rc<Values>, logs: bool) -> Tape {
        let (given, target) = (values.clone(), self.machine.program.target);
        Tape { given, target, taken: Vec::new(), log: logs.then(Values::new) }
    }

    pub fn start(&self, tape: &mut Tape, observer: &mut dyn Observer) -> Result<State, Halt> {
        self.budget.pay();
        self.machine.initial(observer, tape).map_err(|stop| self.halt(stop))
    }

    /// The state after a step.
    pub fn after(
        &self,
        state: &State,
        choice: Choice,
        tape: &mut Tape,
        observer: &mut dyn Observer,
    ) -> Result<State, Halt> {
        self.budget.pay();
        let mut next = state.clone();
        match self.machine.step(&mut next, choice, observer, tape) {
            Ok(_) => Ok(next),
            Err(stop) => Err(self.halt(stop)),
        }
    }

    fn halt(&self, stop: Stop) -> Halt {
        match stop {
            Stop::Violation(violation) if self.expected.fits(&violation) => Halt::Found,
            Stop::NotEnabled | Stop::Cut { .. } => Halt::NotEnabled,
            _ => Halt::Other,
        }
    }

    /// Whether the violation is one of a state in which nothing happens any more, not of a step.
    pub fn is_about_rest(&self) -> bool {
        matches!(self.expected.kind, ViolationKind::Deadlock | ViolationKind::MemoryLeak)
    }

    /// Whether the violation is this state.
    pub fn is_found_at_rest(&self, state: &State) -> bool {
        let violation = match self.expected.kind {
            ViolationKind::Deadlock => self.machine.is_deadlock(state).then(|| self.machine.deadlock(state)),
            ViolationKind::MemoryLeak => self.machine.leak(state),
            _ => None,
        };
        violation.is_some_and(|violation| self.expected.fits(&violation))
    }

    /// Follows the word; then the thread goes on alone for a while.
    pub fn play(&self, word: &[Action], values: &Rc<Values>, last: Option<&ThreadName>) -> Option<Played> {
        const MOST_FURTHER: usize = 64;
        let mut run = Run { player: self, recorder: Recorder::default(), tape: self.tape(values, true), state: None };
        if run.begin() {
            return run.found();
        }
        for action in word {
            match run.follow(action) {
                Ok(()) => {}
                Err(Halt::Found) => return run.found(),
                Err(_) => return None,
            }
        }
        let state = run.state.as_ref()?;
        if self.is_found_at_rest(state) {
            return run.found();
        }
        let last = last?;
        for _ in 0..MOST_FURTHER {
            let state = run.state.as_ref()?;
            let steps = |state: &State| state.thread_named(last).map(|at| state.threads[at.index()].steps);
            let before = steps(state);
            let step = before?.next();
            match run.follow(&Action { thread: Rc::new(last.clone()), step, is_commit: false }) {
                Ok(()) if steps(run.state.as_ref()?) == before => break,
                Ok(()) => {}
                Err(Halt::Found) => return run.found(),
                Err(_) => return None,
            }
        }
        None
    }
}

/// A word that is being followed.
struct Run<'a> {
    player: &'a Player<'a>,
    recorder: Recorder,
    tape: Tape,
    state: Option<State>,
}

impl Run<'_> {
    /// Whether the violation comes before any step.
    fn begin(&mut self) -> bool {
        match self.player.start(&mut self.tape, &mut self.recorder) {
            Ok(state) => {
                self.state = Some(state);
                false
            }
            Err(halt) => matches!(halt, Halt::Found),
        }
    }

    fn found(self) -> Option<Played> {
        let switches = self.recorder.rows.switches;
        Some(Played { done: self.recorder.done, switches, values: self.tape.log.unwrap_or_default() })
    }

    /// Takes the action, or leaves it out if it is not possible. A step that needs an empty buffer gets it.
    fn follow(&mut self, action: &Action) -> Result<(), Halt> {
        if self.player.budget.is_spent() {
            return Err(Halt::Other);
        }
        let Some(state) = &self.state else { return Err(Halt::Other) };
        let Some(thread) = state.thread_named(&action.thread) else { return Ok(()) };
        if action.is_commit {
            let is_there = state.threads[thread.index()].buffer.iter().any(|entry| entry.step == action.step);
            let commit = Choice::Commit { thread, step: action.step };
            return if is_there { self.take(commit).map(drop) } else { Ok(()) };
        }
        if self.is_ready(thread) && self.take(Choice::Run(thread))? {
            return Ok(());
        }
        if self.buffered(thread) == 0 {
            return Ok(());
        }
        self.drain(thread)?;
        if self.is_ready(thread) {
            self.take(Choice::Run(thread))?;
        }
        Ok(())
    }

    fn is_ready(&self, thread: ThreadIndex) -> bool {
        self.state.as_ref().is_some_and(|state| state.threads[thread.index()].status == Status::Ready)
    }

    fn buffered(&self, thread: ThreadIndex) -> usize {
        self.state.as_ref().map_or(0, |state| state.threads[thread.index()].buffer.len())
    }

    fn drain(&mut self, thread: ThreadIndex) -> Result<(), Halt> {
        while let Some(step) =
            self.state.as_ref().and_then(|state| Some(state.threads[thread.index()].buffer.first()?.step))
        {
            if !self.take(Choice::Commit { thread, step })? {
                break;
            }
        }
        Ok(())
    }

    /// Whether the step was possible.
    fn take(&mut self, choice: Choice) -> Result<bool, Halt> {
        let Some(state) = &self.state else { return Err(Halt::Other) };
        let action = action_of(state, choice);
        let mut tape = self.tape.clone();
        self.recorder.begin(action, choice.thread());
        match self.player.after(state, choice, &mut tape, &mut self.recorder) {
            Ok(next) => {
                self.recorder.end(point(&next.threads[choice.thread().index()]));
                self.state = Some(next);
                self.tape = tape;
                Ok(true)
            }
            Err(Halt::NotEnabled) => {
                self.recorder.forget();
                Ok(false)
            }
            Err(halt) => {
                self.recorder.end(Default::default());
                self.tape = tape;
                Err(halt)
            }
        }
    }
}

/// The name of a step in this state.
pub fn action_of(state: &State, choice: Choice) -> Action {
    let thread = &state.threads[choice.thread().index()];
    match choice {
        Choice::Run(_) => Action { thread: thread.name.clone(), step: thread.steps.next(), is_commit: false },
        Choice::Commit { step, .. } => Action { thread: thread.name.clone(), step, is_commit: true },
    }
}
