//! Where threads may be interrupted.
//!
//! The events of a thread are grouped into *atoms* (a section, or one event) and these into *units*. A thread runs whole
//! units: a context switch stands only before an atom that another thread can notice, or that depends on another thread.
//! The others are moved, which no other thread can notice, and which changes neither the values that are read nor the
//! number of rounds:
//!
//! - to the left, right behind the atom before it: what touches only cells that no thread which may run at that time
//!   accesses (a read: writes); under TSO and PSO a buffered store, since only its commit is noticed, and that has a
//!   round of its own; a creation, which lets the new thread begin earlier; a fence that no own store waits for. Read-only
//!   and atomic sections likewise, if nothing in them is noticed.
//! - to the right, right before the atom after it: a full fence (the stores have more time to be committed) and a join.
//!
//! What is checked for accesses to objects whose life another thread ends is never moved.
//!
//! The unit with number 0 of a thread holds what is executed as soon as the thread begins. For the entry thread that
//! includes everything before its first creation: nobody else is there to notice. The writes there are the *prelude*:
//! they are in memory before the first round.
//!
//! Which threads may run at a time: those whose creation, or that of an ancestor, does not come later in the own thread,
//! and that have not been joined on every path to here.

use crate::models;
use norn_ir::instr::FenceKind;
use norn_ir::number::narrow;
use norn_logic::{Node, Term, Terms};
use norn_symex::{
    CellId, Condition, Event, EventId, EventKind, EventRange, SectionId, SectionKind, Symbolic, ThreadId,
};
use norn_verdict::model::Model;
use std::collections::{BTreeMap, BTreeSet};

norn_ir::ids! {
    /// An index into [`Plan::units`].
    UnitId = "unit";
}

/// Neighbours in [`Plan::units`], from `start` to before `end`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnitRange {
    pub start: UnitId,
    pub end: UnitId,
}

impl UnitRange {
    pub fn iter(self) -> impl DoubleEndedIterator<Item = UnitId> {
        (self.start.0..self.end.0).map(UnitId)
    }

    /// The last unit of a range that has one.
    pub fn last(self) -> UnitId {
        UnitId::new(self.end.index() - 1)
    }
}

/// One step of a thread or something silent: a section, or an event outside of sections.
#[derive(Clone, Debug)]
pub struct Atom {
    pub section: Option<SectionId>,
    /// Of the event list; only a section's may be empty or have more than one.
    pub events: EventRange,
    /// It is executed iff this holds.
    pub guard: Term,
    pub unit: UnitId,
}

/// Atoms that are run in one round.
#[derive(Clone, Debug)]
pub struct Unit {
    pub thread: ThreadId,
    /// Number 0 of its thread: run as soon as the thread begins.
    pub is_first: bool,
}

/// The units of a program.
pub struct Plan {
    pub units: Vec<Unit>,
    pub threads: Vec<ThreadPlan>,
    /// By event.
    unit_of: Vec<UnitId>,
    /// Stores that go to a buffer, by event.
    buffered: Vec<bool>,
    /// The writes of the entry thread that come before every other thread: events below this number.
    prelude: EventId,
    /// The threads that access each cell after the prelude, and those that write it.
    accessors: Vec<BTreeSet<ThreadId>>,
    writers: Vec<BTreeSet<ThreadId>>,
}

pub struct ThreadPlan {
    /// In program order.
    pub atoms: Vec<Atom>,
    /// Of [`Plan::units`].
    pub units: UnitRange,
}

impl Plan {
    pub fn new(symbolic: &Symbolic, model: Model) -> Plan {
        let beginnings = Beginnings::new(symbolic);
        let prelude = beginnings.prelude(symbolic);
        let mut plan = Plan {
            units: Vec::new(),
            threads: Vec::new(),
            unit_of: vec![UnitId(0); symbolic.events.len()],
            buffered: symbolic.event_ids().map(|id| is_buffered(symbolic, model, id)).collect(),
            prelude,
            accessors: vec![BTreeSet::new(); symbolic.cells.len()],
            writers: vec![BTreeSet::new(); symbolic.cells.len()],
        };
        for id in symbolic.event_ids().filter(|&id| id >= prelude) {
            let event = symbolic.event(id);
            for &(cell, _) in event.targets() {
                plan.accessors[cell.index()].insert(event.thread);
                if matches!(event.kind, EventKind::Write { .. }) {
                    plan.writers[cell.index()].insert(event.thread);
                }
            }
        }
        let watched = watched(symbolic);
        for thread in 0..symbolic.threads.len() {
            let planner = Planner {
                symbolic,
                model,
                watched: &watched,
                beginnings: &beginnings,
                thread: ThreadId::new(thread),
                joined: BTreeMap::new(),
                pending: Vec::new(),
            };
            planner.plan(&mut plan);
        }
        plan
    }

    /// A fault for tests: as if nobody wrote anything after the prelude.
    #[cfg(test)]
    pub fn forget_writers(&mut self) {
        self.writers.iter_mut().for_each(BTreeSet::clear);
    }

    pub fn unit_of(&self, event: EventId) -> UnitId {
        self.unit_of[event.index()]
    }

    /// A store that is committed at some time after it was run.
    pub fn is_buffered(&self, event: EventId) -> bool {
        self.buffered[event.index()] && !self.is_prelude(event)
    }

    /// A store that the machine buffers; if it is in the prelude, it may as well be committed at once.
    pub fn has_commit(&self, event: EventId) -> bool {
        self.buffered[event.index()]
    }

    /// In memory before the first round.
    pub fn is_prelude(&self, event: EventId) -> bool {
        event < self.prelude
    }

    /// No other thread writes the cell after the prelude.
    pub fn is_own(&self, cell: CellId, thread: ThreadId) -> bool {
        self.writers[cell.index()].iter().all(|&writer| writer == thread)
    }

    /// As many rounds as every execution can be done in, with the threads in this order. A round ends where the next step
    /// belongs to a thread that comes earlier in the order: not to the last one, and after a step of one that is not the
    /// first. If the entry thread comes last, then the first round begins with a step of another one, too. Steps are the
    /// units and the commits.
    pub fn enough_rounds(&self, order: &[ThreadId]) -> u32 {
        let mut steps = vec![0u32; self.threads.len()];
        for unit in &self.units {
            steps[unit.thread.0 as usize] += u32::from(!unit.is_first || unit.thread.0 != 0);
        }
        for (thread, steps) in self.threads.iter().zip(&mut steps) {
            let events = thread.atoms.iter().flat_map(|atom| atom.events);
            *steps += narrow(events.filter(|&event| self.is_buffered(event)).count());
        }
        let without = |left_out: Option<&ThreadId>| -> u32 {
            order.iter().filter(|&thread| Some(thread) != left_out).map(|thread| steps[thread.0 as usize]).sum()
        };
        let begin_rounds = without(order.last());
        let is_entry_last = order.last().is_some_and(|thread| thread.0 == 0);
        let by_beginnings = if is_entry_last { begin_rounds.max(1) } else { begin_rounds + 1 };
        by_beginnings.min(1 + without(order.first()))
    }
}

/// Whether a store goes to a buffer under this model.
fn is_buffered(symbolic: &Symbolic, model: Model, id: EventId) -> bool {
    let event = symbolic.event(id);
    let is_direct = event.section.is_some_and(|section| fences(symbolic.section(section).kind));
    matches!(event.kind, EventKind::Write { .. }) && models::buffers_stores(model) && !is_direct
}

/// Whether a section needs empty buffers and takes effect in memory.
pub fn fences(kind: SectionKind) -> bool {
    match kind {
        SectionKind::Atomic | SectionKind::Rmw => true,
        SectionKind::Read | SectionKind::Group => false,
    }
}

/// Whether own stores have to be in memory before this, for other reasons than a section.
pub fn empties_buffer(event: &Event) -> bool {
    matches!(event.kind, EventKind::Fence(FenceKind::Full | FenceKind::Call) | EventKind::Create(_))
}

/// The events that are checked for lives that ended, and those that end them.
fn watched(symbolic: &Symbolic) -> BTreeSet<EventId> {
    let mut watched = BTreeSet::new();
    for check in &symbolic.checks {
        if let Condition::AfterEnd { access, end, .. } = check.violated {
            watched.extend([access, end]);
        }
    }
    watched
}

/// From which event of a thread on another thread may run.
struct Beginnings(BTreeMap<(ThreadId, ThreadId), EventId>);

impl Beginnings {
    fn new(symbolic: &Symbolic) -> Beginnings {
        let mut found = BTreeMap::new();
        for thread in ThreadId::all(symbolic.threads.len()) {
            let mut ancestor = symbolic.thread(thread).creator;
            while let Some((creator, event)) = ancestor {
                found.insert((creator, thread), event);
                ancestor = symbolic.thread(creator).creator;
            }
        }
        Beginnings(found)
    }

    fn may_run(&self, other: ThreadId, thread: ThreadId, at: EventId) -> bool {
        self.0.get(&(thread, other)).is_none_or(|&creation| creation <= at)
    }

    /// The first event of the entry thread at which another thread may run.
    fn prelude(&self, symbolic: &Symbolic) -> EventId {
        let end = symbolic.threads.first().map_or(EventId(0), |main| main.events.end);
        self.0.iter().filter(|((creator, _), _)| creator.0 == 0).map(|(_, &event)| event).min().unwrap_or(end)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Move {
    Left,
    Right,
    Stays,
}

/// Groups the events of one thread.
struct Planner<'a> {
    symbolic: &'a Symbolic,
    model: Model,
    watched: &'a BTreeSet<EventId>,
    beginnings: &'a Beginnings,
    thread: ThreadId,
    /// The threads that were joined, with the guards of the joins.
    joined: BTreeMap<ThreadId, Vec<Term>>,
    /// Stores that may still be buffered.
    pending: Vec<Pending>,
}

struct Pending {
    store: Term,
    /// The guards of what has emptied the buffer since.
    emptied: Vec<Term>,
}

impl Planner<'_> {
    fn plan(mut self, plan: &mut Plan) {
        let first = UnitId::new(plan.units.len());
        plan.units.push(Unit { thread: self.thread, is_first: true });
        let mut atoms = self.atoms();
        let mut before = Move::Left;
        for atom in &mut atoms {
            let EventRange { start, end } = atom.events;
            let is_prelude = self.thread.0 == 0 && end <= plan.prelude && start < plan.prelude;
            let movement = if is_prelude { Move::Left } else { self.movement(atom, plan) };
            if movement != Move::Left && before != Move::Right {
                plan.units.push(Unit { thread: self.thread, is_first: false });
            }
            before = movement;
            atom.unit = UnitId::new(plan.units.len() - 1);
            for event in atom.events {
                plan.unit_of[event.index()] = atom.unit;
            }
            self.note(atom, plan);
        }
        plan.threads.push(ThreadPlan { atoms, units: UnitRange { start: first, end: UnitId::new(plan.units.len()) } });
    }

    /// Sections and single events, in program order; a section without events stands before the event of its position.
    fn atoms(&self) -> Vec<Atom> {
        let events = self.symbolic.thread(self.thread).events;
        let own = |section: &SectionId| self.symbolic.section(*section).thread == self.thread;
        let mut sections: Vec<SectionId> = SectionId::all(self.symbolic.sections.len()).filter(own).collect();
        sections.sort_by_key(|&id| (self.symbolic.section(id).events.start, id));
        let mut sections = sections.into_iter().peekable();
        let mut atoms = Vec::new();
        let mut next = events.start;
        loop {
            if let Some(&id) = sections.peek()
                && (self.symbolic.section(id).events.start <= next || next >= events.end)
            {
                sections.next();
                let section = self.symbolic.section(id);
                next = next.max(section.events.end);
                let (events, guard) = (section.events, section.guard);
                atoms.push(Atom { section: Some(id), events, guard, unit: UnitId(0) });
            } else if next < events.end {
                let guard = self.symbolic.event(next).guard;
                atoms.push(Atom { section: None, events: EventRange::one(next), guard, unit: UnitId(0) });
                next = next.next();
            } else {
                return atoms;
            }
        }
    }

    fn movement(&self, atom: &Atom, plan: &Plan) -> Move {
        let events = || atom.events.into_iter();
        if events().any(|id| self.watched.contains(&id)) {
            return Move::Stays;
        }
        let emptied = |store: &Pending| store.emptied.iter().any(|&by| implies(&self.symbolic.terms, atom.guard, by));
        let pending = models::buffers_stores(self.model) && !self.pending.iter().all(emptied);
        if let Some(section) = atom.section {
            // A load of several cells may have to wait for own stores to some of them.
            let kind = self.symbolic.section(section).kind;
            let loads = || events().any(|id| matches!(self.symbolic.event(id).kind, EventKind::Read { .. }));
            let waits = pending && (fences(kind) || (kind == SectionKind::Group && loads()));
            return if !waits && events().all(|id| self.is_unnoticed(id, plan)) { Move::Left } else { Move::Stays };
        }
        let id = atom.events.start;
        let event = self.symbolic.event(id);
        match &event.kind {
            EventKind::Read { .. } | EventKind::Write { .. } => {
                if self.is_unnoticed(id, plan) {
                    Move::Left
                } else {
                    Move::Stays
                }
            }
            EventKind::Fence(_) if pending && empties_buffer(event) => Move::Right,
            EventKind::Fence(_) | EventKind::Step | EventKind::EndLife(_) => Move::Left,
            EventKind::Create(_) => {
                if pending {
                    Move::Stays
                } else {
                    Move::Left
                }
            }
            EventKind::Join(_) => Move::Right,
        }
    }

    /// No thread that may run at this time sees or changes what the event does.
    fn is_unnoticed(&self, id: EventId, plan: &Plan) -> bool {
        let event = self.symbolic.event(id);
        let threads = match event.kind {
            EventKind::Write { .. } if plan.is_buffered(id) => return true,
            EventKind::Write { .. } => &plan.accessors,
            _ => &plan.writers,
        };
        let may_run = |&other: &ThreadId| {
            other != self.thread
                && self.beginnings.may_run(other, self.thread, id)
                && !self.joined.get(&other).is_some_and(|joins| self.follows_one(event.guard, joins))
        };
        event.targets().iter().all(|(cell, _)| !threads[cell.index()].iter().any(may_run))
    }

    /// Whether what is executed under this guard comes after one of the joins on every path.
    fn follows_one(&self, guard: Term, joins: &[Term]) -> bool {
        joins.iter().any(|&join| implies(&self.symbolic.terms, guard, join))
    }

    /// Remembers joins and stores for the atoms that follow.
    fn note(&mut self, atom: &Atom, plan: &Plan) {
        for id in atom.events {
            let event = self.symbolic.event(id);
            if let EventKind::Join(targets) = &event.kind
                && let [(other, Term::TRUE)] = targets[..]
            {
                self.joined.entry(other).or_default().push(event.guard);
            }
        }
        let empties = match atom.section {
            Some(section) => fences(self.symbolic.section(section).kind),
            None => empties_buffer(self.symbolic.event(atom.events.start)),
        };
        if empties {
            // What was stored under a guard that implies this one is in memory now.
            let terms = &self.symbolic.terms;
            self.pending.retain(|pending| !implies(terms, pending.store, atom.guard));
            self.pending.iter_mut().for_each(|pending| pending.emptied.push(atom.guard));
        }
        let stores = atom.events.into_iter().filter(|&id| plan.is_buffered(id));
        self.pending.extend(stores.map(|id| Pending { store: self.symbolic.event(id).guard, emptied: Vec::new() }));
    }
}

/// Whether one Boolean term implies another for a reason that shows: it is one of the terms that it is a conjunction of.
pub fn implies(terms: &Terms, term: Term, other: Term) -> bool {
    const PATIENCE: usize = 256;
    if other == Term::TRUE {
        return true;
    }
    let mut pending = vec![term];
    for _ in 0..PATIENCE {
        match pending.pop() {
            None => return false,
            Some(found) if found == other || found == Term::FALSE => return true,
            Some(found) => {
                if let Node::And(a, b) = terms.node(found) {
                    pending.extend([a, b]);
                }
            }
        }
    }
    false
}
