//! The edges of happens-before between threads, besides creations and joins.
//!
//! A read gets the message of the write that it reads from. Some cells collect messages: whoever writes to them has read
//! them before in the same step, and so passes on what it got. Then a read gets the messages of all earlier writes, and
//! what matters is the order of steps instead of who reads from whom. That is much easier to reason with, and makes
//! locks that programs build of atomic sections as cheap as those of the library.

use super::{Context, same_place};
use crate::encode::Formula;
use crate::fixed_order::implies;
use crate::pairs::{Fixed, Source};
use norn_ir::instr::{Order, SyncKind};
use norn_logic::{ClauseSink, Lit, Term};
use norn_symex::{Accessed, CellId, EventId, EventRange, MomentId, MomentKind, SectionId, SectionKind, Symbolic};
use std::collections::BTreeMap;

/// By moment: the moments that it may get something from, each with the literals that have to hold.
pub type Edges = BTreeMap<MomentId, Vec<(MomentId, Vec<Lit>)>>;

pub fn acquires(order: Order) -> bool {
    matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst)
}

pub fn releases(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcqRel | Order::SeqCst)
}

/// The moments that write to cells which collect messages, by cell.
fn collecting(symbolic: &mut Symbolic) -> BTreeMap<CellId, Vec<MomentId>> {
    let mut writers: BTreeMap<CellId, Option<Vec<MomentId>>> = BTreeMap::new();
    for moment in symbolic.moment_ids() {
        let Some(access) = access(symbolic, moment).cloned() else { continue };
        let passes_on = passes_on(symbolic, moment, &access);
        for event in access.writes {
            for (cell, condition) in symbolic.event(event).targets().to_vec() {
                let list = writers.entry(cell).or_insert_with(|| Some(Vec::new()));
                match list {
                    Some(list) if passes_on && condition == Term::TRUE => list.push(moment),
                    _ => *list = None,
                }
            }
        }
    }
    writers.into_iter().filter_map(|(cell, list)| Some((cell, list?))).collect()
}

/// The one cell that some events are certain to be to, if they are one event.
fn only_cell(symbolic: &Symbolic, events: EventRange) -> Option<CellId> {
    match symbolic.events[events.indices()] {
        [ref event] => match event.targets() {
            &[(cell, Term::TRUE)] => Some(cell),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a write gives away all that its thread could know of the writes before it to the same cell.
fn passes_on(symbolic: &mut Symbolic, moment: MomentId, access: &Accessed) -> bool {
    let Some(cell) = only_cell(symbolic, access.writes) else { return false };
    if !access.reads.is_empty() {
        return true;
    }
    let write = symbolic.event(access.writes.start);
    let (guard, thread) = (write.guard, write.thread);
    let Some(section) = write.section.filter(|&section| symbolic.section(section).kind == SectionKind::Atomic) else {
        return false;
    };
    if !releases(access.order) {
        return false;
    }
    for earlier in MomentId::all(moment.index()).rev() {
        let Some(read) = self::access(symbolic, earlier) else { continue };
        let first = read.reads.start.index();
        let Some(event) = symbolic.events.get(first).filter(|event| event.section == Some(section)) else {
            return false;
        };
        let is_read = event.thread == thread
            && only_cell(symbolic, read.reads) == Some(cell)
            && read.unless.is_none()
            && acquires(read.order);
        let executed = event.guard;
        if is_read && implies(&mut symbolic.terms, guard, executed) {
            return true;
        }
    }
    false
}

/// What reads of cells that collect messages get, if they are certain to be of such a cell. The reads are executed then.
pub fn collected<S: ClauseSink>(formula: &mut Formula<'_, S>, context: &mut Context<'_, S>) -> Edges {
    let writers = collecting(context.symbolic);
    let mut edges = Edges::new();
    for moment in context.symbolic.moment_ids() {
        let symbolic = &*context.symbolic;
        let Some(read) = access(symbolic, moment).filter(|access| access.order != Order::Plain) else { continue };
        let Some(list) = only_cell(symbolic, read.reads).and_then(|cell| writers.get(&cell)) else { continue };
        let event = read.reads.start;
        let executed = formula.lit(symbolic, symbolic.event(event).guard);
        let mut got = Vec::new();
        for &writer in list {
            if symbolic.moment(writer).thread == symbolic.moment(moment).thread {
                continue;
            }
            let Some(written) = access(symbolic, writer) else { continue };
            let write = written.writes.start;
            let happens = formula.lit(symbolic, symbolic.event(write).guard);
            let (from, to) = (context.fixed.node(write), context.fixed.node(event));
            let order = match context.facts.nodes(from, to) {
                Fixed::Before => formula.truth,
                Fixed::After => continue,
                Fixed::Open => context.orders.decided(formula, from, to),
            };
            got.push((writer, vec![executed, happens, order]));
        }
        edges.insert(moment, got);
    }
    edges
}

pub fn access(symbolic: &Symbolic, moment: MomentId) -> Option<&Accessed> {
    match &symbolic.moment(moment).what {
        MomentKind::Access(access) => Some(access),
        _ => None,
    }
}

/// A read gets the message of a write if all its bytes are read from the bytes of that write, and it has no others.
/// What a thread wrote itself tells it nothing new, unless that passes on what another thread wrote.
pub fn messages<S: ClauseSink>(context: &Context<'_, S>) -> Edges {
    let symbolic = &*context.symbolic;
    let mut writers: BTreeMap<EventId, (MomentId, usize)> = BTreeMap::new();
    for moment in symbolic.moment_ids() {
        let Some(access) = access(symbolic, moment).filter(|access| access.order != Order::Plain) else { continue };
        for (byte, event) in access.writes.into_iter().enumerate() {
            writers.insert(event, (moment, byte));
        }
    }
    let sources: BTreeMap<EventId, &Vec<(Source, Lit)>> =
        context.sources.iter().map(|(read, sources)| (*read, sources)).collect();
    let mut messages = Edges::new();
    for moment in symbolic.moment_ids() {
        let Some(access) = access(symbolic, moment).filter(|access| access.order != Order::Plain) else { continue };
        let mut found: BTreeMap<MomentId, Vec<Lit>> = BTreeMap::new();
        for (byte, event) in access.reads.into_iter().enumerate() {
            for &(source, literal) in sources.get(&event).into_iter().copied().flatten() {
                let Source::Write(write) = source else { continue };
                match writers.get(&write) {
                    Some(&(writer, place)) if place == byte => found.entry(writer).or_default().push(literal),
                    _ => {}
                }
            }
        }
        found.retain(|&writer, literals| {
            let Some(written) = self::access(symbolic, writer) else { return false };
            let is_own = symbolic.moment(writer).thread == symbolic.moment(moment).thread;
            let passes_on = !written.reads.is_empty();
            literals.len() == access.reads.len() && written.writes.len() == access.reads.len() && (!is_own || passes_on)
        });
        if !found.is_empty() {
            messages.insert(moment, found.into_iter().collect());
        }
    }
    messages
}

/// Who acquires a lock gets what all earlier releases of it gave.
pub fn released<S: ClauseSink>(formula: &mut Formula<'_, S>, context: &mut Context<'_, S>) -> Edges {
    let mut syncs: [Vec<(MomentId, SectionId)>; 2] = Default::default();
    for moment in context.symbolic.moment_ids() {
        if let MomentKind::Sync { kind, section, .. } = context.symbolic.moment(moment).what {
            syncs[usize::from(kind == SyncKind::Release)].push((moment, section));
        }
    }
    let [acquiring, releasing] = syncs;
    let mut released = Edges::new();
    for &(acquire, later) in &acquiring {
        for &(release, earlier) in &releasing {
            if context.symbolic.moment(acquire).thread == context.symbolic.moment(release).thread {
                continue;
            }
            let places = |moment: MomentId| match &context.symbolic.moment(moment).what {
                MomentKind::Sync { at, .. } => at.clone(),
                _ => Vec::new(),
            };
            let (here, there) = (places(acquire), places(release));
            let same = same_place(context.symbolic, &here, &there);
            let same = formula.lit(context.symbolic, same);
            if same == !formula.truth {
                continue;
            }
            let node = |section: SectionId| context.fixed.sections[section.index()];
            let (Some(from), Some(to)) = (node(earlier), node(later)) else { continue };
            let order = match context.facts.nodes(from, to) {
                Fixed::Before => formula.truth,
                Fixed::After => continue,
                Fixed::Open => context.orders.decided(formula, from, to),
            };
            released.entry(acquire).or_default().push((release, vec![same, order]));
        }
    }
    released
}
