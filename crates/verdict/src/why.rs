//! Why an execution could come to its violation: stores that waited too long, or threads that came in between.

use crate::trace::EventIndex;
use norn_ir::instr::FenceKind;
use norn_ir::span::Span;
use serde::{Deserialize, Serialize};

/// What to say about an execution. All events are those of its trace.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Why {
    /// Stores that are in a buffer while another thread has its turn, those that matter most first.
    pub delays: Vec<Delay>,
    /// Where another thread came in between, if no store has to wait.
    pub between: Vec<Between>,
    /// A fence with which the execution is not possible, which was tried.
    pub fence: Option<Fence>,
}

/// A store that reaches memory late, or never.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Delay {
    pub store: EventIndex,
    /// An access of the same thread that comes after the store, but takes effect before it.
    pub past: Option<EventIndex>,
    /// A read of another thread that does not see the store.
    pub unseen_by: Option<EventIndex>,
}

/// Two accesses of a thread, and one of another thread that comes in between.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Between {
    pub before: EventIndex,
    pub other: EventIndex,
    pub after: EventIndex,
}

/// A fence right after a place in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fence {
    pub kind: FenceKind,
    pub after: Span,
}
