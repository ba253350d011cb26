//! The effects of a step that other threads can notice, in order. A step includes the silent runs that it sets off, of
//! its own thread and of threads that waited for it.

use crate::state::ThreadIdentity;
use norn_verdict::schedule::StepNumber;
/// One effect of a step. `at` is the index of a byte in the executor's flat memory, sizes are in bytes, `object` is the
/// executor's number for the object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// `own`: the number of the thread's visible step whose buffered store was read; [`StepNumber::NONE`]
    /// if memory was read.
    Read {
        thread: ThreadIdentity,
        object: u32,
        at: u32,
        size: u8,
        own: StepNumber,
    },
    /// A write that took effect in memory at once.
    Write {
        thread: ThreadIdentity,
        object: u32,
        at: u32,
        size: u8,
    },
    /// A store went into the buffer. `epoch`: the number of store-store fences that its thread had passed.
    Store {
        thread: ThreadIdentity,
        object: u32,
        at: u32,
        size: u8,
        step: StepNumber,
        epoch: u32,
    },
    /// The store that the thread made with its visible step `step` reached memory. A `moot` one changed nothing.
    Commit {
        thread: ThreadIdentity,
        object: u32,
        at: u32,
        size: u8,
        step: StepNumber,
        epoch: u32,
        moot: bool,
    },
    /// The thread's own buffer was empty here, and had to be.
    Drained {
        thread: ThreadIdentity,
    },
    Spawn {
        thread: ThreadIdentity,
        child: ThreadIdentity,
    },
    Join {
        thread: ThreadIdentity,
        other: ThreadIdentity,
    },
    /// A shared object's life ended.
    Ends {
        thread: ThreadIdentity,
        object: u32,
    },
    /// Memory of the heap was allocated, and freed memory may be given out again: it depends on what is free.
    Allocates {
        thread: ThreadIdentity,
    },
    /// The object that was freed came back to life as another one.
    Begins {
        thread: ThreadIdentity,
        object: u32,
    },
    Exit,
}

impl Effect {
    /// The object that is touched, if one is.
    pub fn object(&self) -> Option<u32> {
        match *self {
            Effect::Read { object, .. }
            | Effect::Write { object, .. }
            | Effect::Store { object, .. }
            | Effect::Commit { object, .. }
            | Effect::Begins { object, .. }
            | Effect::Ends { object, .. } => Some(object),
            Effect::Drained { .. }
            | Effect::Spawn { .. }
            | Effect::Join { .. }
            | Effect::Allocates { .. }
            | Effect::Exit => None,
        }
    }
}
