//! Traces: what happened in one execution, in order, with everything that a report wants to show.
//!
//! Locations and values are text already: the machine knows objects and types, a report does not.

use crate::schedule::ThreadName;
use norn_ir::instr::FenceKind;
use norn_ir::span::Span;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Trace {
    /// In the order of creation; events refer to them by index.
    pub threads: Vec<ThreadInfo>,
    pub events: Vec<Event>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ThreadInfo {
    pub name: ThreadName,
    /// The function it started in.
    pub function: String,
}

/// Something that a thread did, or that happened to its store buffer.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    pub thread: usize,
    /// The number of the visible step that it is or belongs to; events of one section share it. `None` for what is no
    /// step: calls of the library, starts and ends of threads, inputs.
    pub step: Option<u32>,
    /// The place in the user's code.
    pub span: Span,
    /// The library function in whose model it happened, if the user only called that.
    pub library: Option<String>,
    pub kind: EventKind,
}

/// Where a read value came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadFrom {
    /// The object's initial value, or bytes of several writes.
    Initial,
    /// The write that is this event of the trace. `forwarded`: from the thread's own store buffer.
    Event { event: usize, forwarded: bool },
}

#[derive(Clone, PartialEq, Debug)]
pub enum EventKind {
    Read {
        location: String,
        value: String,
        from: ReadFrom,
    },
    /// `buffered`: it has not reached memory yet; a `Commit` tells when it does.
    Write {
        location: String,
        value: String,
        buffered: bool,
    },
    /// A read-modify-write. A failed compare-and-exchange has no `new`.
    Update {
        location: String,
        old: String,
        new: Option<String>,
        from: ReadFrom,
    },
    /// The write that is event `write` reaches memory.
    Commit {
        location: String,
        value: String,
        write: usize,
    },
    Fence(FenceKind),
    /// A thread was created, by index.
    Create {
        thread: usize,
    },
    Join {
        thread: usize,
    },
    /// A wait ended although what it waited for had not happened, as in a spurious wake-up.
    WakesUp,
    /// The call of a library function with a model.
    Call {
        function: String,
    },
    Free {
        location: String,
    },
    /// A nondeterministic value: what asked for it, and the value.
    Input {
        source: String,
        value: String,
    },
    /// The thread ended, or stopped because an assumption failed.
    End {
        stopped: bool,
    },
    /// The whole program ended (`exit`, `abort`).
    Exit {
        status: Option<i32>,
    },
}
