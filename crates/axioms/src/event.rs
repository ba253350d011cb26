//! The events of a thread, and what its run tells about it.

use norn_ir::instr::Order;
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_passes::Site;
use norn_verdict::outcome::{Assumption, Violation};
use norn_verdict::undecided::Undecided;

use crate::value::{ObjectId, ObjectInfo, Taint, Value};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    Read,
    Write,
    Fence,
}

/// A piece of memory that is accessed as a whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cell {
    Memory {
        object: ObjectId,
        offset: u64,
        size: u64,
    },
    /// That a thread has been created: its creator writes it, its first event reads it.
    Start(usize),
    /// That a thread has ended: its last event writes it, who joins it reads it.
    End(usize),
}

/// An event of a thread, by its number there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId {
    pub thread: usize,
    pub index: usize,
}

/// What a read reads from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Source {
    Initial,
    Event(EventId),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    pub kind: Kind,
    /// `None` for fences.
    pub cell: Option<Cell>,
    pub ty: Ty,
    pub value: Value,
    /// The sets of the model that it belongs to.
    pub tags: Vec<&'static str>,
    /// What the program says of it, for people.
    pub order: Order,
    pub in_section: bool,
    /// The first event of the step that it is a part of.
    pub step: usize,
    /// Of a read, the question to which its source is the answer; `None` if it can read from one write only.
    pub asked: Option<usize>,
    /// That write.
    pub forced: Option<EventId>,
    /// In the user's code.
    pub span: Span,
    /// The library's function that it is in.
    pub library: Option<norn_ir::ids::FuncId>,
}

/// What a thread cannot know by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// What the read with that number reads from.
    Read(usize),
    /// Whether a compare-exchange finds what it expects: 1 or 0.
    Success,
    Input {
        site: Site,
        ty: Ty,
        name: String,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// `None`: nobody has said yet.
    Source(Option<Source>),
    Value(u64),
}

/// A thread that was created.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spawn {
    pub function: norn_ir::ids::FuncId,
    pub args: Vec<(Ty, Value)>,
    /// The event that starts it, once it has a number.
    pub event: Option<usize>,
}

/// The end of the life of an object that others can reach.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Death {
    pub object: ObjectId,
    /// How many events the thread had before.
    pub after: usize,
    pub span: Span,
}

/// Why a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The thread has ended.
    Done,
    /// It stops for ever: an assumption does not hold, or the program ends.
    Stopped,
    /// It goes on when a value is known.
    NeedsValue,
    /// It goes on when its last question has an answer.
    NeedsAnswer,
    /// It goes on when that thread has ended.
    WaitsFor(usize),
    /// What it was told cannot be: a step waits for something else.
    Disabled,
    Violation(Violation),
    /// What comes next has no meaning here.
    Doubt(Undecided),
    /// It would go round a loop more often than is looked at.
    Cut,
    /// It went round a loop and nothing changed.
    Idle,
    /// It has had as many events as it was given.
    Given,
}

impl End {
    /// Whether it may have more events when others have.
    pub fn is_open(&self) -> bool {
        matches!(self, End::NeedsValue | End::NeedsAnswer | End::WaitsFor(_))
    }
}

/// What a thread did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    pub events: Vec<Event>,
    /// Per event, the earlier ones that its address, its value and its being executed depend on.
    pub addr: Vec<Taint>,
    pub data: Vec<Taint>,
    pub ctrl: Vec<Taint>,
    /// Read and write of one step.
    pub amo: Vec<(usize, usize)>,
    /// Read and write of a pair of exclusive accesses.
    pub lxsx: Vec<(usize, usize)>,
    pub questions: Vec<Question>,
    /// Events from this one on belong to a section that is not over.
    pub open_from: usize,
    /// The objects that the thread made.
    pub objects: Vec<ObjectInfo>,
    pub spawns: Vec<Spawn>,
    pub deaths: Vec<Death>,
    pub assumptions: Vec<Assumption>,
    pub result: Value,
    pub end: End,
}

impl Trace {
    /// Of a thread that has not begun.
    pub fn nothing() -> Trace {
        Trace {
            events: Vec::new(),
            addr: Vec::new(),
            data: Vec::new(),
            ctrl: Vec::new(),
            amo: Vec::new(),
            lxsx: Vec::new(),
            questions: Vec::new(),
            open_from: usize::MAX,
            objects: Vec::new(),
            spawns: Vec::new(),
            deaths: Vec::new(),
            assumptions: Vec::new(),
            result: Value::default(),
            end: End::NeedsValue,
        }
    }
}
