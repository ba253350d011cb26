//! Traces: what happened in one execution, in order, with everything that a report wants to show.
//!
//! A trace belongs to a program: its places, values and functions are ids of that program.

use crate::place::{Location, Object, Value};
use crate::schedule::{StepNumber, ThreadName};
use norn_ir::instr::FenceKind;
use norn_ir::span::Span;
use serde::{Deserialize, Serialize};

norn_ir::ids! {
    /// A thread of one execution, in the order of creation; main is 0.
    ThreadIndex = "thread";
    /// An index into [`Trace::events`].
    EventIndex = "event";
}

impl ThreadIndex {
    pub const MAIN: ThreadIndex = ThreadIndex(0);
}

impl EventIndex {
    /// As reports number events: from 1.
    pub fn number(self) -> usize {
        self.index() + 1
    }
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Trace {
    /// By [`ThreadIndex`].
    pub threads: Vec<ThreadInfo>,
    /// By [`EventIndex`].
    pub events: Vec<Event>,
    /// The events from this one on are repeated for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats_from: Option<EventIndex>,
}

impl Trace {
    pub fn thread(&self, thread: ThreadIndex) -> Option<&ThreadInfo> {
        self.threads.get(thread.index())
    }

    /// The name of a thread.
    pub fn name(&self, thread: ThreadIndex) -> Option<ThreadName> {
        self.thread(thread).map(|thread| thread.name.clone())
    }

    pub fn event(&self, event: EventIndex) -> Option<&Event> {
        self.events.get(event.index())
    }

    /// How often what is shown goes from one thread to another. A store that reaches memory is no turn of its thread.
    pub fn switches(&self) -> usize {
        let threads = self.events.iter().filter(|event| event.kind.is_turn()).map(|event| event.thread);
        threads.clone().zip(threads.skip(1)).filter(|(one, next)| one != next).count()
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ThreadInfo {
    pub name: ThreadName,
    /// The function it started in.
    pub function: String,
}

/// Something that a thread did, or that happened to its store buffer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Event {
    pub thread: ThreadIndex,
    /// The number of the visible step that it is or belongs to; events of one section share it. `None` for what is no
    /// step: calls of the library, starts and ends of threads, inputs.
    pub step: Option<StepNumber>,
    /// The place in the user's code.
    pub span: Span,
    /// The library function in whose model it happened, if the user only called that.
    pub library: Option<String>,
    pub kind: EventKind,
}

/// Where a read value came from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ReadFrom {
    /// The object's initial value, or bytes of several writes.
    Initial,
    /// The write that is this event of the trace. `forwarded`: from the thread's own store buffer.
    Event { event: EventIndex, forwarded: bool },
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum EventKind {
    Read {
        location: Location,
        value: Value,
        from: ReadFrom,
    },
    /// `buffered`: it has not reached memory yet; a `Commit` tells when it does.
    Write {
        location: Location,
        value: Value,
        buffered: bool,
    },
    /// A read-modify-write. A failed compare-and-exchange has no `new`.
    Update {
        location: Location,
        old: Value,
        new: Option<Value>,
        from: ReadFrom,
    },
    /// The write that is event `write` reaches memory.
    Commit {
        location: Location,
        value: Value,
        write: EventIndex,
    },
    Fence(FenceKind),
    /// A thread was created.
    Create {
        thread: ThreadIndex,
    },
    Join {
        thread: ThreadIndex,
    },
    /// A wait ended although what it waited for had not happened, as in a spurious wake-up.
    WakesUp,
    /// The call of a library function with a model.
    Call {
        function: String,
    },
    Free {
        object: Object,
    },
    /// A nondeterministic value: what asked for it, and the value.
    Input {
        source: String,
        value: Value,
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

impl EventKind {
    /// Whether readers see it. What a call does besides (calling, having an empty store buffer) they do not.
    pub fn is_shown(&self) -> bool {
        !matches!(self, EventKind::Call { .. } | EventKind::Fence(FenceKind::Call | FenceKind::Compiler))
    }

    /// Whether its thread has the turn then: it does something itself, and readers see it.
    pub fn is_turn(&self) -> bool {
        self.is_shown() && !matches!(self, EventKind::Commit { .. })
    }
}
