//! The machine: which steps are possible in a state, and what they do.
//!
//! A *visible step* of a thread is one of: a load, store, read-modify-write or compare-and-exchange of an object that is
//! neither private nor constant; a whole section; the creation of a thread; the end of a shared object's life by `free`,
//! by the end of its scope or by the return of its function; an allocation on the heap, if memory is reused; `exit` and
//! `abort`. Everything else is *silent* and belongs
//! to the visible step before it: after each step, and when it is created, a thread is *settled*, that is, it runs
//! silently until it stands before a visible step, waits, is stopped or has ended. Full fences (the own buffer has to be
//! empty) and joins (the joined thread has to have ended, with an empty buffer) are silent too; a thread that waits there
//! goes on as soon as the condition holds. So a commit, and the end of a thread, may let other threads run silently.
//!
//! A creation is a step although nobody can tell when it happens: a loop that creates threads for ever would be one
//! endless silent run otherwise, in which no other thread ever gets its turn.
//!
//! The end of a thread ends the lives of its instances of thread-local objects; it is a visible step if one is shared.
//!
//! Assertions are silent: what they assert is in registers.
//!
//! A section in which a bound would stop the thread is not enabled ([`Stop::Cut`]): nobody may see half of it.
//!
//! An error that is not checked for ([`norn_verdict::outcome::Treatment`]) stops its thread for ever just before it,
//! and is reported as an assumption. If the error is in a visible step, the step counts but changes nothing, also if it
//! is a section. The other threads go on: a thread may be slow in any execution, so nothing is seen that could not be
//! seen before the thread does it. A store that would reach an object after the end of its life is foreseen: the thread
//! that would end the life stops.

use crate::exec::Exec;
use crate::memory::{Full, Globals, Memory};
use crate::models;
use crate::observe::{Observer, Unobserved};
use crate::race::Races;
use crate::state::{Frame, Place, State, Status, Thread};
use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::NondetSource;
use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Assumption, Checks, Violation, ViolationKind};
use norn_verdict::schedule::{StepNumber, ThreadName};
use norn_verdict::trace::ThreadIndex;
use norn_verdict::undecided::{Undecided, Why};
use std::fmt::Write;
use std::rc::Rc;

pub struct Machine<'p> {
    pub program: &'p Program,
    pub model: Model,
    pub checks: Checks,
    pub patience: Patience,
    /// If set, a thread that comes silently to something without a meaning stops, and the other threads go on: for a
    /// search, which has to look at [`Thread::doubt`] then. If not, the execution ends there.
    pub goes_on_beside: bool,
    pub(crate) globals: Globals,
    globals_in_memory: Result<Memory, Full>,
}

/// How long a thread may run without a visible step, or in a section: at most `instructions` instructions, and within
/// `limits`, which are looked at now and then. A search or a replay should not depend on the clock, so by default there
/// are no limits but the number of instructions.
#[derive(Clone, Debug)]
pub struct Patience {
    pub instructions: u64,
    pub limits: Limits,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { instructions: 10_000_000, limits: Limits::none() }
    }
}

/// What may happen next: a visible step of a thread, or a commit of the store that it made with one of its steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Choice {
    Run(ThreadIndex),
    Commit { thread: ThreadIndex, step: StepNumber },
}

impl Choice {
    pub fn thread(self) -> ThreadIndex {
        match self {
            Choice::Run(thread) | Choice::Commit { thread, .. } => thread,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// A spurious wake-up: possible, but it does not count when looking for deadlocks.
    pub spurious: bool,
}

/// Why a step was not taken to its end. The state is half changed then and must be dropped.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// The step cannot happen in this state.
    NotEnabled,
    Violation(Violation),
    /// The inputs are used up. The step is to be tried again with one more input.
    NeedInput(Request),
    /// The step, a section, cannot happen because of a bound: it comes to this block, which stops the thread.
    Cut {
        function: FuncId,
        block: BlockId,
    },
    /// What happens next has no meaning that the machine knows, or would take too long or too much memory.
    Undecided(Undecided),
    /// What is assumed not to happen would happen, or something that ends the program. Only inside of the machine: the
    /// thread stops there.
    Ends(Option<Assumption>),
}

/// A nondeterministic value that is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub thread: ThreadIndex,
    pub ty: Ty,
    pub source: NondetSource,
}

/// Where nondeterministic values come from.
pub trait Inputs {
    /// The next value for the thread, cut to the width of its type. `None`: there is no value, or none any more.
    fn next(&mut self, name: &ThreadName, request: &Request) -> Option<u64>;
}

/// Every request stops the step.
pub struct NoInputs;

impl Inputs for NoInputs {
    fn next(&mut self, _name: &ThreadName, _request: &Request) -> Option<u64> {
        None
    }
}

/// Inputs that are all 0, for finding out whether a step is enabled.
struct Zeros;

impl Inputs for Zeros {
    fn next(&mut self, _name: &ThreadName, _request: &Request) -> Option<u64> {
        Some(0)
    }
}

impl<'p> Machine<'p> {
    /// The program should be valid.
    pub fn new(program: &'p Program, model: Model, checks: Checks) -> Machine<'p> {
        let globals = Globals::new(program);
        let globals_in_memory = Memory::new(program, &globals);
        Machine {
            program,
            model,
            checks,
            patience: Patience::default(),
            goes_on_beside: false,
            globals,
            globals_in_memory,
        }
    }

    /// The state in which the entry function has run to just before its first visible step.
    pub fn initial(&self, observer: &mut dyn Observer, inputs: &mut dyn Inputs) -> Result<State, Stop> {
        let mut state = self.unsettled()?;
        self.settle_all(&mut state, observer, inputs)?;
        Ok(state)
    }

    /// The state before anything ran.
    pub fn unsettled(&self) -> Result<State, Stop> {
        let entry = self.program.entry;
        let span = self.program.function(entry).span;
        let limit = |full: Full| Stop::Undecided(Undecided::at(Why::too_large(full.0), span));
        let mut memory = self.globals_in_memory.clone().map_err(limit)?;
        memory.add_thread(self.program, &self.globals).map_err(limit)?;
        let main = Thread {
            name: Rc::new(ThreadName::main()),
            start: entry,
            frames: vec![Frame::new(self.program, entry)],
            status: Status::Fresh,
            buffer: Vec::new(),
            withheld: Vec::new(),
            epoch: 0,
            steps: StepNumber::NONE,
            children: 0,
            result: Default::default(),
            cut_at: None,
            doubt: None,
        };
        let races = self.checks.data_race.then(|| {
            let mut races = Races::default();
            races.create(None);
            Rc::new(races)
        });
        Ok(State { memory, threads: vec![Rc::new(main)], exited: None, main_returned: false, races })
    }

    /// What may happen next. A step of a thread may turn out not to be enabled when it is tried.
    pub fn candidates(&self, state: &State) -> Vec<Choice> {
        let mut choices = Vec::new();
        self.for_each_candidate(state, |choice| choices.push(choice));
        choices
    }

    pub fn for_each_candidate(&self, state: &State, mut f: impl FnMut(Choice)) {
        if state.exited.is_some() {
            return;
        }
        for (i, thread) in state.indices().zip(&state.threads) {
            if thread.status == Status::Ready {
                f(Choice::Run(i));
            }
            for (at, entry) in thread.buffer.iter().enumerate() {
                if models::may_commit(self.model, &thread.buffer, at) {
                    f(Choice::Commit { thread: i, step: entry.step });
                }
            }
        }
    }

    /// Takes a step. After an error the state is half changed and must be dropped.
    pub fn step(
        &self,
        state: &mut State,
        choice: Choice,
        observer: &mut dyn Observer,
        inputs: &mut dyn Inputs,
    ) -> Result<Taken, Stop> {
        let taken = self.step_alone(state, choice, observer, inputs)?;
        self.settle_all(state, observer, inputs)?;
        Ok(taken)
    }

    /// Takes a step and settles its own thread only: others that could go on silently now do not, and threads that it
    /// created have not begun.
    pub fn step_alone(
        &self,
        state: &mut State,
        choice: Choice,
        observer: &mut dyn Observer,
        inputs: &mut dyn Inputs,
    ) -> Result<Taken, Stop> {
        let taken = self.act(state, choice, observer, inputs)?;
        self.settle(state, choice.thread(), observer, inputs)?;
        Ok(taken)
    }

    /// The visible part of a step, without what follows it silently.
    pub(crate) fn act(
        &self,
        state: &mut State,
        choice: Choice,
        observer: &mut dyn Observer,
        inputs: &mut dyn Inputs,
    ) -> Result<Taken, Stop> {
        if state.exited.is_some() || choice.thread().index() >= state.threads.len() {
            return Err(Stop::NotEnabled);
        }
        let mut exec = Exec::new(self, state, choice.thread(), observer, inputs);
        match choice {
            Choice::Run(_) => exec.run(),
            Choice::Commit { step, .. } => exec.commit(step).map(|()| Taken { spurious: false }),
        }
    }

    /// Whether a thread has a silent run before it that nothing holds up.
    pub(crate) fn can_go_on(&self, state: &State, thread: ThreadIndex) -> bool {
        let thread = &state.threads[thread.index()];
        state.exited.is_none()
            && match thread.status {
                Status::Fresh => true,
                Status::WaitsForBuffer => thread.buffer.is_empty(),
                Status::WaitsForThread(other) => state.threads[other.index()].has_ended_and_drained(),
                Status::Ready | Status::Stopped | Status::Circling | Status::Ended => false,
            }
    }

    /// Settles a thread if it can go on silently.
    pub fn settle(
        &self,
        state: &mut State,
        thread: ThreadIndex,
        observer: &mut dyn Observer,
        inputs: &mut dyn Inputs,
    ) -> Result<(), Stop> {
        if self.can_go_on(state, thread) {
            Exec::new(self, state, thread, observer, inputs).settle()?;
        }
        Ok(())
    }

    fn settle_all(&self, state: &mut State, observer: &mut dyn Observer, inputs: &mut dyn Inputs) -> Result<(), Stop> {
        while let Some(thread) = state.indices().find(|&thread| self.can_go_on(state, thread)) {
            Exec::new(self, state, thread, observer, inputs).settle()?;
        }
        Ok(())
    }

    /// Whether some thread waits for ever: main has not returned (it may have ended by `pthread_exit`), no thread was
    /// stopped, and nothing can happen but spurious wake-ups.
    pub fn is_deadlock(&self, state: &State) -> bool {
        let stops = |status: Status| matches!(status, Status::Stopped | Status::Circling);
        let excused = |thread: &Rc<Thread>| stops(thread.status) || !thread.buffer.is_empty();
        if state.is_complete() || state.main_returned || state.threads.iter().any(excused) {
            return false;
        }
        let is_enabled = |thread: ThreadIndex| {
            let mut copy = state.clone();
            match self.act(&mut copy, Choice::Run(thread), &mut Unobserved, &mut Zeros) {
                Ok(taken) => !taken.spurious,
                Err(stop) => stop != Stop::NotEnabled,
            }
        };
        // A section that only a bound keeps from being taken is no reason to wait for ever.
        !state.indices().any(|t| state.threads[t.index()].status == Status::Ready && is_enabled(t))
    }

    /// What would keep the visible part of a step from happening, with 0 for every input.
    pub(crate) fn could_act(&self, state: &State, choice: Choice) -> Option<Stop> {
        self.act(&mut state.clone(), choice, &mut Unobserved, &mut Zeros).err()
    }

    /// The violation that a deadlocked state is.
    pub fn deadlock(&self, state: &State) -> Violation {
        let mut message = String::new();
        let waiting = state.threads.iter().filter(|thread| thread.status != Status::Ended);
        let mut span = None;
        for thread in waiting {
            let Place { span: at, library } = thread.place(self.program);
            span.get_or_insert(at);
            let separator = if message.is_empty() { "" } else { ", " };
            let within = library.map_or(String::new(), |f| format!(" in '{}'", self.program.function(f).name));
            let file = self.program.file(at.file);
            write!(message, "{separator}{} waits at {file}:{}{within}", thread.name, at.line)
                .expect("writing to a string should not fail");
        }
        Violation { kind: ViolationKind::Deadlock, span: span.unwrap_or(Span::NONE), message }
    }
}
