//! What C11's happens-before looks at in a thread besides creations and joins: accesses with their orders, fences, and the
//! `Sync` instructions of locks and their kin. Written down only if data races are looked for.
//!
//! The machine's `race` module says what each of them means. Orders are those that count there: an access in an atomic
//! section of the user is sequentially consistent, one in a section of the library at least relaxed, and a
//! read-modify-write is atomic, whichever order it names.

use std::collections::BTreeMap;

use norn_ir::instr::{self, FenceKind, Operand, Order, SyncKind};
use norn_logic::terms::Term;

use crate::event::{EventId, EventRange, ObjectId, SectionId, ThreadId};
use crate::run::Run;

/// A point in program order at which happens-before may begin, go on or be asked for.
#[derive(Clone, Debug)]
pub struct Moment {
    pub thread: ThreadId,
    /// The moment lies behind all events before this one. (An access is this event and those that follow it.)
    pub position: EventId,
    /// It is reached iff this holds; accesses have the guards of their events instead.
    pub guard: Term,
    pub what: MomentKind,
}

#[derive(Clone, Debug)]
pub enum MomentKind {
    Access(Accessed),
    Fence(FenceKind),
    /// The places that the synchronisation may be at, as an object and the offset in it, with conditions.
    Sync {
        kind: SyncKind,
        at: Vec<(ObjectId, Term, Term)>,
        section: SectionId,
    },
    /// An event that frees heap objects, which counts as a write to all of them, with this order.
    Free {
        event: EventId,
        order: Order,
    },
}

/// One access of the machine: the events of its bytes, or one event.
#[derive(Clone, Debug)]
pub struct Accessed {
    /// The events that read; empty if the access does not read.
    pub reads: EventRange,
    /// The events that write. If there are reads as well, the access is a read-modify-write.
    pub writes: EventRange,
    pub order: Order,
    /// The order counts only if the term holds; otherwise the access only reads, with this order.
    pub unless: Option<(Term, Order)>,
    /// The access is made in a section of the library.
    pub by_library: bool,
}

/// What is written down in one execution of all threads.
#[derive(Default)]
pub struct Moments {
    pub list: Vec<Moment>,
    /// The orders that accesses in sections have at least.
    least: BTreeMap<SectionId, Order>,
}

impl Run<'_, '_> {
    fn looks_for_races(&self) -> bool {
        self.exec.checks_wanted.data_race && self.observed.is_none()
    }

    fn moment(&mut self, position: EventId, what: MomentKind) {
        let (thread, guard) = (self.thread, self.guard_term());
        self.exec.moments.list.push(Moment { thread, position, guard, what });
    }

    /// A section of the program begins.
    pub fn note_section(&mut self, section: SectionId, kind: instr::SectionKind) {
        let least = match kind {
            _ if !self.looks_for_races() => return,
            instr::SectionKind::Atomic => Order::SeqCst,
            instr::SectionKind::Library => Order::Relaxed,
            instr::SectionKind::Read => return,
        };
        self.exec.moments.least.insert(section, least);
    }

    /// An access that begins with the event `first`, reads up to `middle` and then writes.
    pub fn note_access(&mut self, (first, middle): (EventId, EventId), order: Order, unless: Option<(Term, Order)>) {
        let end = self.exec.next_event();
        if !self.looks_for_races() || first == end {
            return;
        }
        let least = self.least_order();
        let by_library = least == Some(Order::Relaxed);
        let counts = |order: Order| order.join(least.unwrap_or(Order::Plain));
        let unless = unless.map(|(condition, order)| (condition, counts(order)));
        let (reads, writes) = (EventRange::new(first, middle), EventRange::new(middle, end));
        self.moment(first, MomentKind::Access(Accessed { reads, writes, order: counts(order), unless, by_library }));
    }

    /// What accesses in the section that the thread is in have at least.
    fn least_order(&self) -> Option<Order> {
        self.state.section.and_then(|section| self.exec.moments.least.get(&section).copied())
    }

    /// Objects of the heap are freed, by an event from this one on if they are shared. What the library frees is its own.
    pub fn note_free(&mut self, event: EventId) {
        let least = self.least_order();
        if self.looks_for_races() && event != self.exec.next_event() && least != Some(Order::Relaxed) {
            let order = least.unwrap_or(Order::Plain);
            self.moment(event, MomentKind::Free { event, order });
        }
    }

    pub fn note_fence(&mut self, kind: FenceKind) {
        let matters = match kind {
            FenceKind::Full | FenceKind::Release | FenceKind::AcqRel | FenceKind::Acquire => true,
            FenceKind::StoreStore | FenceKind::LoadLoad | FenceKind::Compiler | FenceKind::Call => false,
        };
        if matters && self.looks_for_races() {
            let position = self.exec.next_event();
            self.moment(position, MomentKind::Fence(kind));
        }
    }

    pub fn note_sync(&mut self, kind: SyncKind, addr: Operand) {
        if !self.looks_for_races() {
            return;
        }
        let Some(section) = self.state.section else {
            self.undefined("a synchronisation outside of a section", Term::TRUE);
            return;
        };
        let pointer = self.pointer(addr);
        let places = pointer.places().iter();
        let at = places.filter_map(|place| Some((place.object?, place.offset, place.condition))).collect();
        let position = self.exec.next_event();
        self.moment(position, MomentKind::Sync { kind, at, section });
    }
}
