//! What the machine tells about an execution while it runs.

use crate::eval::Value;
use crate::machine::Machine;
use crate::memory::ObjectRef;
use crate::race::Accessed;
use crate::state::State;
use norn_ir::ids::FuncId;
use norn_ir::instr::{FenceKind, NondetSource, Stream};
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_verdict::outcome::{Assumption, Reached};
use norn_verdict::schedule::StepNumber;
use norn_verdict::trace::ThreadIndex;
use std::collections::BTreeSet;

/// A value's place in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    pub object: ObjectRef,
    pub offset: u64,
    pub ty: Ty,
    pub size: u64,
}

/// Something that happens in an execution. Of accesses, only those to shared memory are reported.
#[derive(Clone, Copy, Debug)]
pub enum Happening<'a> {
    /// `forwarded`: the step that made the own buffered store which was read; `None` if memory was read.
    Read {
        spot: Spot,
        value: Value,
        forwarded: Option<StepNumber>,
    },
    Write {
        spot: Spot,
        value: Value,
        buffered: bool,
    },
    /// A read-modify-write; a failed compare-and-exchange has no `new`.
    Update {
        spot: Spot,
        old: Value,
        new: Option<Value>,
    },
    /// The store that the thread made with its visible step `step` reaches memory.
    Commit {
        spot: Spot,
        value: Value,
        step: StepNumber,
    },
    Fence(FenceKind),
    Create {
        thread: ThreadIndex,
    },
    Join {
        thread: ThreadIndex,
    },
    /// A wait ends although what it waits for has not happened, as in a spurious wake-up.
    WakesUp,
    /// The user's code calls a function of the library.
    Call {
        function: FuncId,
    },
    /// A shared object's life ends, by `free` or with its scope.
    ObjectEnds {
        object: ObjectRef,
        by_free: bool,
    },
    Input {
        source: &'a NondetSource,
        ty: Ty,
        value: u64,
    },
    ThreadEnds {
        stopped: bool,
    },
    /// The thread comes to an assertion, an error function or an error label.
    Checks {
        span: Span,
    },
    /// The thread would do something that is assumed not to happen, and stops before it.
    Assumed(Assumption),
    Exit {
        status: Option<i32>,
    },
    Print {
        stream: Stream,
        format: Value,
        args: &'a [(Ty, Value)],
    },
}

/// When and where a [`Happening`] takes place. `step` is the number of the visible step that is being taken; `None`
/// while a thread runs silently.
pub struct Scene<'a> {
    pub machine: &'a Machine<'a>,
    pub state: &'a State,
    pub thread: ThreadIndex,
    pub step: Option<StepNumber>,
}

pub trait Observer {
    /// `scene.state` is the state just before, except that a thread that was created or a value that was read is there.
    fn happened(&mut self, scene: &Scene<'_>, what: &Happening<'_>);

    /// The thread comes to an instruction or to the end of a block. It may wait there, and come to it again.
    fn comes_to(&mut self, _scene: &Scene<'_>) {}

    /// What the thread is about to do races with an earlier access, and that is a violation.
    fn races(&mut self, _scene: &Scene<'_>, _earlier: &Accessed) {}
}

/// Collects the assumptions that executions rest on, and the checks and threads that they reach.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Noted {
    pub assumptions: BTreeSet<Assumption>,
    pub reached: Reached,
}

impl Observer for Noted {
    fn happened(&mut self, scene: &Scene<'_>, what: &Happening<'_>) {
        match *what {
            Happening::Assumed(assumption) => {
                self.assumptions.insert(assumption);
            }
            Happening::Checks { span } => {
                self.reached.checks.insert(span);
            }
            Happening::Create { thread } => {
                let start = scene.state.threads[thread.index()].start;
                self.reached.threads.insert(scene.machine.program.function(start).span);
            }
            _ => {}
        }
    }
}

impl Noted {
    pub fn add(&mut self, other: Noted) {
        self.assumptions.extend(other.assumptions);
        self.reached.checks.extend(other.reached.checks);
        self.reached.threads.extend(other.reached.threads);
    }
}

/// An observer that ignores everything.
pub struct Unobserved;

impl Observer for Unobserved {
    fn happened(&mut self, _scene: &Scene<'_>, _what: &Happening<'_>) {}
}
