//! The event list: everything that a bounded program can do, with every path at once and without a memory model.
//!
//! Each thread is a list of events in program order. On every path, the events that a thread executes are those whose
//! guards hold, in the order of the list. The value of a read is a fresh variable. A memory model decides which writes
//! the read may see, and everything else about order. Local computation has become terms.
//!
//! *Stopping.* A guard says "executed, if the thread gets that far". Threads may stop before any visible step; what is
//! true in every execution is in [`Symbolic::constraints`].
//!
//! *Cells.* An object that several threads can reach is split into cells, the scalars that are accessed. A cell is as
//! wide as the values that it can hold, not as the type: a flag has one bit, a pointer has a number for each place that
//! it can point to. The terms of reads and writes have the width of their cells; all cells of one access are equally
//! wide. A cell that may be indeterminate has a value of its own for that.

use norn_ir::number::to_usize;
use norn_verdict::undecided::{Undecided, Why};
use std::ops::Range;

use norn_ir::ids::FuncId;
use norn_ir::instr::{Access, FenceKind};
use norn_ir::span::Span;
use norn_logic::terms::{Term, Terms};
pub use norn_passes::threads::ThreadId;
use norn_verdict::outcome::{Assumption, Reached, Violation};

use crate::moment::Moment;

norn_ir::ids! {
    /// An index into [`Symbolic::events`].
    EventId = "event";
    /// An index into [`Symbolic::sections`].
    SectionId = "section";
    /// An index into [`Symbolic::cells`].
    CellId = "cell";
    /// An index into [`Symbolic::objects`].
    ObjectId = "object";
    /// An index into [`Symbolic::moments`].
    MomentId = "moment";
}

impl EventId {
    /// The event after this one.
    pub fn next(self) -> EventId {
        EventId(self.0 + 1)
    }
}

/// Neighbours in [`Symbolic::events`], from `start` to before `end`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventRange {
    pub start: EventId,
    pub end: EventId,
}

impl EventRange {
    pub const EMPTY: EventRange = EventRange { start: EventId(0), end: EventId(0) };

    pub fn new(start: EventId, end: EventId) -> EventRange {
        EventRange { start, end }
    }

    pub fn one(event: EventId) -> EventRange {
        EventRange { start: event, end: event.next() }
    }

    pub fn len(self) -> usize {
        self.indices().len()
    }

    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// The places of the events in the list of all.
    pub fn indices(self) -> Range<usize> {
        self.start.index()..self.end.index()
    }
}

impl IntoIterator for EventRange {
    type Item = EventId;
    type IntoIter = std::iter::Map<Range<u32>, fn(u32) -> EventId>;

    fn into_iter(self) -> Self::IntoIter {
        (self.start.0..self.end.0).map(EventId)
    }
}

/// A bounded program as guarded events.
pub struct Symbolic {
    pub terms: Terms,
    /// 0 is the entry thread.
    pub threads: Vec<Thread>,
    /// The events of one thread are contiguous and in program order.
    pub events: Vec<Event>,
    pub sections: Vec<Section>,
    pub cells: Vec<Cell>,
    pub objects: Vec<Object>,
    /// In the order of threads and positions.
    pub checks: Vec<Check>,
    /// Where bounds stop threads.
    pub cuts: Vec<CutReached>,
    pub marks: Vec<Mark>,
    /// Hold in every execution.
    pub constraints: Vec<Term>,
    /// The results of joins, by event. [`Symbolic::constraints`] equates them with the results of threads.
    pub joined: Vec<(EventId, Term)>,
    /// Where the program looks at an address as a number, if it does. Addresses here are not always those of the machine,
    /// so a counterexample may then fail to replay, which is no error in Norn but a reason to give up.
    pub watches_addresses: Option<Span>,
    /// A creation by one of several threads that create, if there is one. The number of such a thread depends on the order of
    /// creations; here it may be any number that no other thread has.
    pub guesses_number: Option<Span>,
    /// The thread that looks, after the ends of all others, whether they wait for ever; the last one, if it is there. It is
    /// none of the program's.
    pub observer: Option<ThreadId>,
    /// The points that data races depend on, in the order of threads and positions; empty unless data races are looked
    /// for.
    pub moments: Vec<Moment>,
    pub stats: Stats,
}

/// A thread that may come to be.
#[derive(Clone, Debug)]
pub struct Thread {
    pub function: FuncId,
    /// Who creates it, with which event; `None` for the entry thread.
    pub creator: Option<(ThreadId, EventId)>,
    /// The thread is created iff this holds.
    pub start: Term,
    /// Under this condition the thread runs to its end, if nothing stops it before; like all guards, a term over the
    /// values that it reads.
    pub ended: Term,
    /// Of [`Symbolic::events`].
    pub events: EventRange,
    /// Nondeterministic values, in the order in which the machine asks for them.
    pub inputs: Vec<Input>,
    /// The thread's number as the program sees it, as wide as a pointer. Where the order of creations decides, it is a
    /// variable that is constrained to be in range and to differ from the numbers of other threads.
    pub number: Term,
    /// The value that the thread returns if it ends, encoded like the results of joins.
    pub result: Option<Term>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    /// The value is asked for iff this holds.
    pub guard: Term,
    /// As wide as its type.
    pub value: Term,
    /// The value is asked for after the thread's earlier events and before this event (for a read: together with it).
    pub position: EventId,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub thread: ThreadId,
    pub kind: EventKind,
    /// The event is executed iff this holds. The guard implies that the thread is created and that every assumption
    /// before the event holds.
    pub guard: Term,
    pub section: Option<SectionId>,
    /// The event is a visible step, or part of one (then it has a section). Other events are silent: they belong to the
    /// visible step before them.
    pub visible: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum EventKind {
    /// The value is a variable or a term over one (a constant where only one value can be read).
    Read {
        targets: Vec<(CellId, Term)>,
        value: Term,
        access: Access,
    },
    Write {
        targets: Vec<(CellId, Term)>,
        value: Term,
        access: Access,
    },
    Fence(FenceKind),
    /// The threads that it may create, each with its condition (besides the guard).
    Create(Vec<(ThreadId, Term)>),
    /// The threads that it may wait for; likewise.
    Join(Vec<(ThreadId, Term)>),
    /// The lives of these shared objects end, each under its condition (besides the guard): `free`, or the end of a scope.
    EndLife(Vec<(ObjectId, Term)>),
    /// A visible step that touches no cell.
    Step,
}

/// Events that are one step together. Their guards may differ: they lie on several paths.
#[derive(Clone, Debug)]
pub struct Section {
    pub thread: ThreadId,
    pub kind: SectionKind,
    /// Of [`Symbolic::events`]; may be empty.
    pub events: EventRange,
    /// It is entered iff this holds, which is a visible step even if no event is executed.
    pub guard: Term,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SectionKind {
    /// An atomic section: own buffers are empty before and after.
    Atomic,
    /// Only reads, through the own buffers, and fences nothing.
    Read,
    /// A read-modify-write or a sequentially consistent store: fences like an atomic section. A failed
    /// compare-and-exchange does not execute its write.
    Rmw,
    /// The bytes of one plain access: they are read, or buffered and committed, as one, and fence nothing.
    Group,
}

/// A scalar place of a shared object.
#[derive(Clone, Debug)]
pub struct Cell {
    pub object: ObjectId,
    pub offset: u64,
    /// In bytes.
    pub size: u64,
    /// Bits of its values.
    pub width: u32,
    /// The value of the cell before all writes.
    pub initial: Term,
    /// What its values stand for.
    pub encoding: Encoding,
    /// The name of the cell, for people.
    pub name: String,
}

/// What the values of a cell stand for.
#[derive(Clone, PartialEq, Debug)]
pub enum Encoding {
    /// The bits that vary, packed, and the constant rest. With `indeterminate`, one more bit on top tells that the content
    /// is indeterminate (if all 64 vary, one of the values is that).
    Bits { varying: u64, ones: u64, indeterminate: bool },
    /// The lowest bits; all above are copies of the highest of them. With `indeterminate`, one more bit likewise.
    Signed { bits: u32, indeterminate: bool },
    /// The number of a pointer in a list. With `indeterminate`, the number after the last is that.
    Members { members: Vec<Member>, indeterminate: bool },
}

/// Something a pointer can be: an object and an offset, or a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Member {
    pub object: Option<ObjectId>,
    pub offset: u64,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub name: String,
    /// The thread that makes it; `None` for what is there from the beginning.
    pub maker: Option<ThreadId>,
    pub shared: bool,
}

/// Something that must not happen.
#[derive(Clone, Debug)]
pub struct Check {
    pub what: Finding,
    pub thread: ThreadId,
    /// The violating thread has executed its events before this one and none from it on. If that lies inside a section,
    /// the violation is part of the section's step.
    pub position: EventId,
    pub violated: Condition,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    Violation(Violation),
    /// What follows has no meaning that Norn knows, for this reason: reaching it makes the verdict unknown.
    Undefined(Why),
    /// It is assumed not to happen (`None`: it ends the program, which nobody asked about): the thread stops before it.
    /// In a section, and where other threads decide whether it happens, the thread has a Boolean for that, and an
    /// execution in which it goes on all the same is `excluded`: it is none.
    Assumed {
        assumption: Option<Assumption>,
        excluded: bool,
    },
}

impl Finding {
    pub fn is_undefined(&self) -> bool {
        matches!(self, Finding::Undefined(_))
    }

    /// Whether executions that meet the finding count for no question.
    pub fn is_excluded(&self) -> bool {
        matches!(self, Finding::Assumed { excluded: true, .. })
    }

    /// The assumption that a verdict names, if there is one.
    pub fn assumption(&self) -> Option<Assumption> {
        match self {
            Finding::Assumed { assumption, .. } => *assumption,
            Finding::Violation(_) | Finding::Undefined(_) => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    Term(Term),
    /// `access` touches a cell of `object` (see its targets) after `end`, of another thread, has ended the object's life;
    /// a buffered store also if it is committed after that. The position of the check is just behind the access.
    AfterEnd {
        access: EventId,
        end: EventId,
        object: ObjectId,
    },
}

/// A point in the user's code that executions should reach for a verdict to mean much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    pub thread: ThreadId,
    /// Reached iff this holds and the thread gets that far.
    pub guard: Term,
    pub span: Span,
    /// The point is the start of a thread function; otherwise it is an assertion, an error function or a decision about
    /// one.
    pub is_start: bool,
    /// The thread has executed its events before this one.
    pub position: EventId,
}

impl Mark {
    /// Notes that it was reached.
    pub fn note(&self, reached: &mut Reached) {
        let places = if self.is_start { &mut reached.threads } else { &mut reached.checks };
        places.insert(self.span);
    }

    pub fn is_in(&self, reached: &Reached) -> bool {
        let places = if self.is_start { &reached.threads } else { &reached.checks };
        places.contains(&self.span)
    }
}

/// What a bound limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limited {
    /// A loop or a recursion.
    Loop,
    /// The size in bytes of an object whose size is not known.
    Size,
}

/// A place where a thread stops because of a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CutReached {
    pub limited: Limited,
    pub thread: ThreadId,
    /// Reached iff this holds and the thread gets that far.
    pub guard: Term,
    /// Where the loop, the recursive function or the allocation stands.
    pub span: Span,
    pub bound: u32,
    /// The thread has executed its events before this one.
    pub position: EventId,
    /// The cut lies inside a section. The machine does not enter such a section, so an execution that comes here is not
    /// one of the machine; it only tells that there would be one with a larger bound.
    pub in_section: bool,
}

/// What it took.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    pub threads: usize,
    pub events: usize,
    pub reads: usize,
    pub writes: usize,
    pub cells: usize,
    pub terms: usize,
    pub instructions: usize,
    /// How often all threads were executed until everything about the contents of cells was known.
    pub passes: usize,
    pub micros: u64,
}

impl Symbolic {
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.index()]
    }

    pub fn section(&self, id: SectionId) -> &Section {
        &self.sections[id.index()]
    }

    pub fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id.index()]
    }

    pub fn thread(&self, id: ThreadId) -> &Thread {
        &self.threads[id.0 as usize]
    }

    /// Why a counterexample may fail to replay, though nothing is wrong with Norn: a reason to give up.
    pub fn may_not_replay(&self) -> Option<Undecided> {
        if let Some(span) = self.watches_addresses {
            return Some(Undecided::at(Why::Addresses("the program looks at an address as a number".into()), span));
        }
        let words = "a violation depends on the numbers of threads that several threads create";
        self.guesses_number.map(|span| Undecided::at(Why::NoMeaning(words.into()), span))
    }

    pub fn moment(&self, id: MomentId) -> &Moment {
        &self.moments[id.index()]
    }

    pub fn moment_ids(&self) -> impl Iterator<Item = MomentId> + use<> {
        MomentId::all(self.moments.len())
    }

    pub fn event_ids(&self) -> impl Iterator<Item = EventId> + use<> {
        EventId::all(self.events.len())
    }
}

impl Encoding {
    /// The bits that a value stands for, as a 64-bit number; `None` if it stands for a pointer or for indeterminate content.
    pub fn bits(&self, value: u64) -> Option<u64> {
        let (varying, ones, indeterminate) = match *self {
            Encoding::Bits { varying, ones, indeterminate } => (varying, ones, indeterminate),
            Encoding::Signed { bits, indeterminate } => {
                let is_number = !indeterminate || value >> bits & 1 == 0;
                return is_number.then(|| crate::value::sign_extended(value, bits) as u64);
            }
            Encoding::Members { .. } => return None,
        };
        if indeterminate && varying != u64::MAX && value >> varying.count_ones() & 1 == 1 {
            return None;
        }
        let (mut bits, mut taken) = (ones, 0);
        for bit in (0..64).filter(|bit| varying >> bit & 1 == 1) {
            bits |= (value >> taken & 1) << bit;
            taken += 1;
        }
        Some(bits)
    }

    /// The pointer that a value stands for.
    pub fn member(&self, value: u64) -> Option<Member> {
        match self {
            Encoding::Members { members, .. } => members.get(to_usize(value)).copied(),
            Encoding::Bits { .. } | Encoding::Signed { .. } => None,
        }
    }
}

impl Event {
    /// The cells that the event may access, each with the condition under which it does.
    pub fn targets(&self) -> &[(CellId, Term)] {
        match &self.kind {
            EventKind::Read { targets, .. } | EventKind::Write { targets, .. } => targets,
            _ => &[],
        }
    }
}
