//! Release sequences that a thread goes on with itself: a later relaxed store of the thread that released carries what was
//! released, unless a store of another thread came between in memory. (Read-modify-writes break nothing, and what they
//! read they pass on as readers.)

use super::Context;
use super::edges::{Edges, access, releases};
use crate::encode::Formula;
use crate::fixed_order::implies;
use crate::pairs::Fixed;
use norn_ir::instr::{FenceKind, Order};
use norn_logic::{ClauseSink, Lit, Term};
use norn_symex::{Accessed, CellId, EventId, MomentId, MomentKind, Symbolic};
use std::collections::BTreeMap;

/// By moment that stores without a release: the earlier moments of its thread whose own messages it carries, each with the
/// literals that have to hold.
pub fn heads<S: ClauseSink>(formula: &mut Formula<'_, S>, context: &mut Context<'_, S>) -> Edges {
    let mut by_cell: BTreeMap<CellId, Vec<MomentId>> = BTreeMap::new();
    for moment in context.symbolic.moment_ids() {
        let Some(access) = access(context.symbolic, moment) else { continue };
        let mut cells: Vec<CellId> = written(context.symbolic, access).map(|target| target.0).collect();
        cells.sort_unstable();
        cells.dedup();
        cells.into_iter().for_each(|cell| by_cell.entry(cell).or_default().push(moment));
    }
    let mut found = Edges::new();
    for store in context.symbolic.moment_ids() {
        let Some(stored) = access(context.symbolic, store).filter(|access| is_relaxed_store(access)).cloned() else {
            continue;
        };
        let mut others: Vec<MomentId> =
            written(context.symbolic, &stored).flat_map(|target| by_cell[&target.0].iter().copied()).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|&other| other != store);
        let earlier: Vec<MomentId> = others.iter().rev().copied().filter(|&other| other < store).collect();
        for head in earlier {
            if !may_release(context.symbolic, head, store) {
                continue;
            }
            let is_enough = hides_earlier(context.symbolic, head, store);
            if let Some(conditions) = unbroken(formula, context, head, store, &others) {
                found.entry(store).or_default().push((head, conditions));
            }
            if is_enough {
                break;
            }
        }
    }
    found
}

fn is_relaxed_store(access: &Accessed) -> bool {
    access.reads.is_empty() && !access.writes.is_empty() && access.order != Order::Plain && !releases(access.order)
}

fn written<'a>(symbolic: &'a Symbolic, access: &Accessed) -> impl Iterator<Item = (CellId, Term)> + use<'a> {
    access.writes.into_iter().flat_map(|event| symbolic.event(event).targets().iter().copied())
}

/// Whether an earlier access of the same thread may have a message of its own: it releases, or follows a fence that does.
fn may_release(symbolic: &Symbolic, head: MomentId, store: MomentId) -> bool {
    let thread = symbolic.moment(store).thread;
    let Some(access) = access(symbolic, head).filter(|access| access.order != Order::Plain) else { return false };
    let mut before = symbolic.moments[..head.index()].iter().filter(|moment| moment.thread == thread);
    let is_fence =
        |what: &MomentKind| matches!(what, MomentKind::Fence(FenceKind::Release | FenceKind::AcqRel | FenceKind::Full));
    symbolic.moment(head).thread == thread && (releases(access.order) || before.any(|moment| is_fence(&moment.what)))
}

/// Whether whoever comes to the store has released there before, to the same cell: then nothing earlier adds anything.
fn hides_earlier(symbolic: &mut Symbolic, head: MomentId, store: MomentId) -> bool {
    let (Some(first), Some(second)) = (access(symbolic, head), access(symbolic, store)) else { return false };
    let certain = |access: &Accessed| written(symbolic, access).all(|target| target.1 == Term::TRUE);
    let cells = |access: &Accessed| written(symbolic, access).map(|target| target.0).collect::<Vec<_>>();
    let is_same = certain(first) && certain(second) && cells(first) == cells(second);
    let guard = |access: &Accessed| symbolic.event(access.writes.start).guard;
    let (before, after) = (guard(first), guard(second));
    is_same && releases(first.order) && implies(&mut symbolic.terms, after, before)
}

/// What has to hold for a store to carry on the sequence of an earlier one of its thread; nothing if it never does.
fn unbroken<S: ClauseSink>(
    formula: &mut Formula<'_, S>,
    context: &mut Context<'_, S>,
    head: MomentId,
    store: MomentId,
    others: &[MomentId],
) -> Option<Vec<Lit>> {
    let first = access(context.symbolic, head)?.clone();
    let second = access(context.symbolic, store)?.clone();
    let mut conditions =
        vec![executed(formula, context.symbolic, &first), executed(formula, context.symbolic, &second)];
    let same = same_bytes(context.symbolic, &first, &second);
    conditions.push(formula.lit(context.symbolic, same));
    let thread = context.symbolic.moment(store).thread;
    for &other in others.iter().filter(|&&other| other != head) {
        let Some(between) = access(context.symbolic, other).cloned() else { continue };
        let is_own = context.symbolic.moment(other).thread == thread;
        let is_update = !between.reads.is_empty();
        if is_update || (is_own && (between.order != Order::Plain || other < head || other > store)) {
            continue;
        }
        let overlap = overlap(context.symbolic, &between, &second);
        let mut breaks = formula.lit(context.symbolic, overlap);
        let happens = executed(formula, context.symbolic, &between);
        breaks = formula.both(breaks, happens);
        if !is_own {
            let node = |access: &Accessed| context.fixed.node(access.writes.start);
            for (from, to) in [(node(&first), node(&between)), (node(&between), node(&second))] {
                let order = match context.facts.nodes(from, to) {
                    Fixed::Before => formula.truth,
                    Fixed::After => !formula.truth,
                    Fixed::Open => context.orders.decided(formula, from, to),
                };
                breaks = formula.both(breaks, order);
            }
        }
        conditions.push(!breaks);
    }
    (!conditions.contains(&!formula.truth)).then_some(conditions)
}

fn executed<S: ClauseSink>(formula: &mut Formula<'_, S>, symbolic: &Symbolic, access: &Accessed) -> Lit {
    formula.lit(symbolic, symbolic.event(access.writes.start).guard)
}

/// Both write the same bytes, if they are executed.
fn same_bytes(symbolic: &mut Symbolic, a: &Accessed, b: &Accessed) -> Term {
    if a.writes.len() != b.writes.len() {
        return Term::FALSE;
    }
    let mut same = Term::TRUE;
    for (a, b) in a.writes.into_iter().zip(b.writes) {
        let byte = common(symbolic, a, b);
        same = symbolic.terms.and(same, byte);
    }
    same
}

/// Some byte is written by both.
fn overlap(symbolic: &mut Symbolic, a: &Accessed, b: &Accessed) -> Term {
    let mut any = Term::FALSE;
    for a in a.writes {
        for b in b.writes {
            let byte = common(symbolic, a, b);
            any = symbolic.terms.or(any, byte);
        }
    }
    any
}

fn common(symbolic: &mut Symbolic, a: EventId, b: EventId) -> Term {
    let targets = |event: EventId| symbolic.event(event).targets().to_vec();
    let (here, there) = (targets(a), targets(b));
    let mut any = Term::FALSE;
    for (cell, goes_here) in here {
        for &(_, goes_there) in there.iter().filter(|target| target.0 == cell) {
            let both = symbolic.terms.and(goes_here, goes_there);
            any = symbolic.terms.or(any, both);
        }
    }
    any
}
