//! Which accesses may be part of a data race: what is fixed by who accesses what, and by creations and joins, is left out
//! before it becomes a variable.

use crate::fixed_order::implies;
use norn_ir::instr::{FenceKind, Order};
use norn_logic::Term;
use norn_symex::{CellId, EventId, EventKind, EventRange, Moment, MomentId, MomentKind, Symbolic, ThreadId};
use std::collections::BTreeMap;

/// An access that may be one half of a race. A compare-and-exchange is two: it writes, or it only reads.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// Of [`Symbolic::moments`].
    pub moment: MomentId,
    pub thread: ThreadId,
    pub position: EventId,
    pub guard: Term,
    pub is_write: bool,
    pub is_atomic: bool,
    /// It frees what it writes.
    pub frees: bool,
    /// In a section of the library: it does not race with what frees.
    pub by_library: bool,
    /// All bytes together.
    pub targets: Vec<(CellId, Term)>,
}

/// With more pairs to one cell than this, they are not looked at one by one.
const MANY_PAIRS: usize = 1 << 20;

pub fn candidates(symbolic: &mut Symbolic) -> Vec<Candidate> {
    let joins = certain_joins(symbolic);
    let all = distinct(symbolic);
    let mut by_cell: BTreeMap<CellId, Vec<usize>> = BTreeMap::new();
    for (index, candidate) in all.iter().enumerate() {
        candidate.targets.iter().for_each(|&(cell, _)| by_cell.entry(cell).or_default().push(index));
    }
    let mut has_partner = vec![false; all.len()];
    for list in by_cell.values() {
        let many = list.len().saturating_mul(list.len()) > MANY_PAIRS;
        for (at, &a) in list.iter().enumerate() {
            for &b in &list[at + 1..] {
                if has_partner[a] && has_partner[b] || !conflict(&all[a], &all[b]) {
                    continue;
                }
                if many || !is_ordered(symbolic, &joins, &all[a], &all[b]) {
                    has_partner[a] = true;
                    has_partner[b] = true;
                }
            }
        }
    }
    let mut has_partner = has_partner.into_iter();
    all.into_iter().filter(|_| has_partner.next() == Some(true)).collect()
}

fn conflict(a: &Candidate, b: &Candidate) -> bool {
    let is_exempt = |a: &Candidate, b: &Candidate| a.frees && (b.frees || b.by_library);
    a.thread != b.thread
        && (a.is_write || b.is_write)
        && !(a.is_atomic && b.is_atomic)
        && !is_exempt(a, b)
        && !is_exempt(b, a)
}

/// Accesses between which nothing begins or ends that orders them with other threads are as good as one another: of
/// those to the same place, one that is executed whenever the other is, and that conflicts with as much, is enough.
fn distinct(symbolic: &mut Symbolic) -> Vec<Candidate> {
    let mut kept: Vec<Candidate> = Vec::new();
    let mut stretch: BTreeMap<Vec<(CellId, Term)>, Vec<usize>> = BTreeMap::new();
    let mut dropped: Vec<bool> = Vec::new();
    let mut thread = ThreadId(0);
    let mut links = symbolic.event_ids().filter(|&id| is_link(symbolic, id)).collect::<Vec<_>>().into_iter().peekable();
    for moment in symbolic.moment_ids() {
        let Moment { thread: own, position, ref what, .. } = *symbolic.moment(moment);
        let passed = links.next_if(|&link| link < position).is_some();
        while links.next_if(|&link| link < position).is_some() {}
        if passed || own != thread {
            stretch.clear();
        }
        thread = own;
        let ends = ends_stretch(what);
        for new in halves(symbolic, moment) {
            let alike = stretch.entry(new.targets.clone()).or_default();
            let covers = |symbolic: &mut Symbolic, a: &Candidate, b: &Candidate| {
                a.is_write >= b.is_write
                    && a.is_atomic <= b.is_atomic
                    && a.frees <= b.frees
                    && a.by_library <= b.by_library
                    && implies(&mut symbolic.terms, b.guard, a.guard)
            };
            if alike.iter().any(|&old| covers(symbolic, &kept[old], &new)) {
                continue;
            }
            alike.retain(|&old| {
                let covered = covers(symbolic, &new, &kept[old]);
                dropped[old] |= covered;
                !covered
            });
            alike.push(kept.len());
            kept.push(new);
            dropped.push(false);
        }
        if ends {
            stretch.clear();
        }
    }
    let mut dropped = dropped.into_iter();
    kept.retain(|_| dropped.next() == Some(false));
    kept
}

fn is_link(symbolic: &Symbolic, id: EventId) -> bool {
    matches!(symbolic.event(id).kind, EventKind::Create(_) | EventKind::Join(_))
}

/// Whether something that happens before, or after, in another thread may be different behind this moment.
fn ends_stretch(what: &MomentKind) -> bool {
    match what {
        MomentKind::Access(access) => {
            access.order.synchronises() || access.unless.is_some_and(|(_, order)| order.synchronises())
        }
        MomentKind::Fence(kind) => {
            matches!(kind, FenceKind::Full | FenceKind::Acquire | FenceKind::Release | FenceKind::AcqRel)
        }
        MomentKind::Sync { .. } => true,
        MomentKind::Free { .. } => false,
    }
}

/// An access as what can be part of a race: as a write, or where it does not write.
fn halves(symbolic: &mut Symbolic, moment: MomentId) -> Vec<Candidate> {
    let Moment { thread, position, ref what, .. } = *symbolic.moment(moment);
    let access = match what.clone() {
        MomentKind::Access(access) => access,
        MomentKind::Free { event, order } => return freeing(symbolic, moment, event, order).into_iter().collect(),
        MomentKind::Fence(_) | MomentKind::Sync { .. } => return Vec::new(),
    };
    let mut half = |events: EventRange, is_write: bool| {
        let guard = symbolic.events.get(events.start.index()).filter(|_| !events.is_empty())?.guard;
        let mut targets: BTreeMap<CellId, Term> = BTreeMap::new();
        for event in events {
            let event = &symbolic.events[event.index()];
            for &(cell, condition) in event.targets() {
                let slot = targets.entry(cell).or_insert(Term::FALSE);
                *slot = symbolic.terms.or(*slot, condition);
            }
        }
        let (targets, is_atomic) = (targets.into_iter().collect(), access.order != Order::Plain);
        let (frees, by_library) = (false, access.by_library);
        let candidate = Candidate { moment, thread, position, guard, is_write, is_atomic, frees, by_library, targets };
        (guard != Term::FALSE).then_some(candidate)
    };
    let write = half(access.writes, true);
    let read = half(access.reads, false);
    // A read-modify-write that always writes is a write.
    let read = read.filter(|read| write.as_ref().is_none_or(|write| write.guard != read.guard));
    write.into_iter().chain(read).collect()
}

/// Whatever is freed is written.
fn freeing(symbolic: &Symbolic, moment: MomentId, event: EventId, order: Order) -> Option<Candidate> {
    let Moment { thread, position, .. } = *symbolic.moment(moment);
    let event = symbolic.event(event);
    let EventKind::EndLife(objects) = &event.kind else { return None };
    let mut targets: Vec<(CellId, Term)> = Vec::new();
    for cell in CellId::all(symbolic.cells.len()) {
        let of = symbolic.cell(cell).object;
        targets.extend(objects.iter().find(|object| object.0 == of).map(|&(_, freed)| (cell, freed)));
    }
    let (guard, is_atomic) = (event.guard, order != Order::Plain);
    let (is_write, frees, by_library) = (true, true, false);
    let candidate = Candidate { moment, thread, position, guard, is_write, is_atomic, frees, by_library, targets };
    (guard != Term::FALSE).then_some(candidate)
}

/// By thread: who waits for its end, where and when, if that is certain to be this thread.
fn certain_joins(symbolic: &Symbolic) -> BTreeMap<ThreadId, Vec<(ThreadId, EventId, Term)>> {
    let mut joins: BTreeMap<ThreadId, Vec<(ThreadId, EventId, Term)>> = BTreeMap::new();
    for id in symbolic.event_ids() {
        let event = symbolic.event(id);
        if let EventKind::Join(joined) = &event.kind
            && let &[(thread, Term::TRUE)] = &joined[..]
        {
            joins.entry(thread).or_default().push((event.thread, id, event.guard));
        }
    }
    joins
}

/// Whether one of the two happens before the other by creation or by a join, if both are executed.
fn is_ordered(
    symbolic: &mut Symbolic,
    joins: &BTreeMap<ThreadId, Vec<(ThreadId, EventId, Term)>>,
    a: &Candidate,
    b: &Candidate,
) -> bool {
    [(a, b), (b, a)].into_iter().any(|(first, second)| {
        // The creation of the thread, or of an ancestor, by the thread of the first.
        let mut created = second.thread;
        while let Some((creator, event)) = symbolic.thread(created).creator {
            if creator == first.thread {
                return first.position < event;
            }
            created = creator;
        }
        let waits = joins.get(&first.thread).into_iter().flatten();
        waits
            .filter(|wait| wait.0 == second.thread && wait.1 < second.position)
            .any(|&(_, _, guard)| implies(&mut symbolic.terms, second.guard, guard))
    })
}
