//! Sets of points that are closed under happens-before.
//!
//! A point in the program order of a thread is in the set or not, and what follows a point of the set is in it, too. So a
//! thread needs a new literal only where an edge of happens-before may come in. Along with it go two sets of the same
//! kind: what an acquire fence would take over from earlier relaxed reads, and what the last release fence gives to later
//! relaxed writes. Each write that others may synchronise with has a literal for its message, each release of a lock one
//! for what it gives. All clauses say what has to be in the set; whether something else is in it does not matter.

use super::candidates::Candidate;
use super::edges::{Edges, acquires, collected, messages, released, releases};
use super::sequences::heads;
use super::{Context, rarely};
use crate::encode::Formula;
use norn_ir::instr::{FenceKind, SyncKind};
use norn_logic::{ClauseSink, Lit};
use norn_symex::{Accessed, EventId, EventKind, MomentId, MomentKind, Symbolic, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// The edges of happens-before, which are the same for both sides.
pub struct Witness<'c> {
    candidates: &'c [Candidate],
    /// By thread: its moments, creations and joins, in program order.
    threads: Vec<Vec<Point>>,
    /// By moment that reads: the moments that it may get messages from, each with the literals that have to hold.
    messages: Edges,
    /// For some of the moments that read, what is to be taken instead of the messages.
    collected: Edges,
    /// By moment that acquires a lock: the moments of other threads that may release it before.
    released: Edges,
    /// By moment that stores: the earlier moments of its thread whose own messages it may carry.
    heads: Edges,
}

#[derive(Clone, Copy)]
enum Point {
    Moment(MomentId),
    Create(EventId),
    Join(EventId),
}

impl<'c> Witness<'c> {
    pub fn new<S: ClauseSink>(
        formula: &mut Formula<'_, S>,
        context: &mut Context<'_, S>,
        candidates: &'c [Candidate],
    ) -> Witness<'c> {
        let threads = points(context.symbolic);
        let messages = messages(context);
        let collected = collected(formula, context);
        let released = released(formula, context);
        let heads = heads(formula, context);
        Witness { candidates, threads, messages, collected, released, heads }
    }

    /// The set of one side: it contains what is selected by the first selectors, and nothing that the others select.
    pub fn grow<S: ClauseSink>(
        &mut self,
        formula: &mut Formula<'_, S>,
        context: &Context<'_, S>,
        [inside, outside]: [&[Lit]; 2],
    ) {
        let symbolic = &*context.symbolic;
        let mut selected: BTreeMap<MomentId, Vec<(Lit, Lit)>> = BTreeMap::new();
        for (candidate, (&inside, &outside)) in self.candidates.iter().zip(inside.iter().zip(outside)) {
            selected.entry(candidate.moment).or_default().push((inside, outside));
        }
        let mut given: BTreeMap<MomentId, Lit> = BTreeMap::new();
        for edges in [&self.messages, &self.collected, &self.released] {
            for &(moment, _) in edges.values().flatten() {
                given.entry(moment).or_insert_with(|| rarely(formula));
            }
        }
        let starts: Vec<Lit> = symbolic
            .threads
            .iter()
            .map(|thread| if thread.creator.is_some() { rarely(formula) } else { !formula.truth })
            .collect();
        let ends: Vec<Lit> = symbolic.threads.iter().map(|_| rarely(formula)).collect();
        let begins = self.heads.values().flatten().map(|head| head.0).collect();
        let side = Side { symbolic, witness: self, selected, given, starts, ends, begins };
        for thread in 0..symbolic.threads.len() {
            side.thread(formula, ThreadId::new(thread));
        }
    }
}

/// Moments with the creations and joins between them.
fn points(symbolic: &Symbolic) -> Vec<Vec<Point>> {
    let mut threads: Vec<Vec<(EventId, u32, Point)>> = vec![Vec::new(); symbolic.threads.len()];
    for id in symbolic.event_ids() {
        let event = symbolic.event(id);
        let point = match event.kind {
            EventKind::Create(_) => Point::Create(id),
            EventKind::Join(_) => Point::Join(id),
            _ => continue,
        };
        threads[event.thread.index()].push((id, u32::MAX, point));
    }
    for id in symbolic.moment_ids() {
        let moment = symbolic.moment(id);
        threads[moment.thread.index()].push((moment.position, id.0, Point::Moment(id)));
    }
    let in_order = |mut list: Vec<(EventId, u32, Point)>| {
        list.sort_by_key(|&(position, number, _)| (position, number));
        list.into_iter().map(|(_, _, point)| point).collect()
    };
    threads.into_iter().map(in_order).collect()
}

/// One of the two sets while it is put together.
struct Side<'a> {
    symbolic: &'a Symbolic,
    witness: &'a Witness<'a>,
    /// By moment: what is in the set if selected, and what is not.
    selected: BTreeMap<MomentId, Vec<(Lit, Lit)>>,
    /// By moment: what it gives to other threads is in the set.
    given: BTreeMap<MomentId, Lit>,
    starts: Vec<Lit>,
    ends: Vec<Lit>,
    /// Moments that later stores of their threads may carry on from.
    begins: BTreeSet<MomentId>,
}

/// The points of a thread so far, as one literal that is made when it is asked for.
struct Growing {
    literal: Lit,
    /// Conjunctions of literals, each of which puts the points from here on into the set.
    reasons: Vec<Vec<Lit>>,
}

impl Growing {
    fn new(literal: Lit) -> Growing {
        Growing { literal, reasons: Vec::new() }
    }

    fn because(&mut self, reason: Vec<Lit>) {
        self.reasons.push(reason);
    }

    fn now<S: ClauseSink>(&mut self, formula: &mut Formula<'_, S>) -> Lit {
        let never = !formula.truth;
        self.reasons.retain(|reason| !reason.contains(&never));
        if !self.reasons.is_empty() {
            let literal = rarely(formula);
            formula.clause(&[!self.literal, literal]);
            for reason in self.reasons.drain(..) {
                imply(formula, &reason, literal);
            }
            self.literal = literal;
        }
        self.literal
    }
}

fn imply<S: ClauseSink>(formula: &mut Formula<'_, S>, reason: &[Lit], conclusion: Lit) {
    let mut clause: Vec<Lit> = reason.iter().map(|&literal| !literal).collect();
    clause.push(conclusion);
    formula.clause(&clause);
}

/// Where a thread is.
struct Walk {
    happened: Growing,
    /// Selectors of own accesses since the last point that somebody else could know of. No selector of the other side is in
    /// the same thread, so nobody asks before that.
    own: Vec<Lit>,
    unacquired: Growing,
    fenced: Growing,
    /// By moment that later stores of the thread may carry on from: its own message.
    begun: BTreeMap<MomentId, Lit>,
}

impl Walk {
    /// What the thread gives away here.
    fn release<S: ClauseSink>(&mut self, formula: &mut Formula<'_, S>) -> Lit {
        self.own.drain(..).for_each(|selected| self.happened.reasons.push(vec![selected]));
        self.happened.now(formula)
    }
}

impl Side<'_> {
    fn thread<S: ClauseSink>(&self, formula: &mut Formula<'_, S>, thread: ThreadId) {
        let index = thread.index();
        let never = !formula.truth;
        let mut walk = Walk {
            happened: Growing::new(self.starts[index]),
            own: Vec::new(),
            unacquired: Growing::new(never),
            fenced: Growing::new(never),
            begun: BTreeMap::new(),
        };
        for &point in &self.witness.threads[index] {
            match point {
                Point::Create(event) => {
                    let EventKind::Create(created) = &self.symbolic.event(event).kind else { continue };
                    let given = walk.release(formula);
                    for &(child, _) in created {
                        formula.clause(&[!given, self.starts[child.index()]]);
                    }
                }
                Point::Join(event) => {
                    let EventKind::Join(joined) = &self.symbolic.event(event).kind else { continue };
                    let executed = formula.lit(self.symbolic, self.symbolic.event(event).guard);
                    for &(child, condition) in joined {
                        let condition = formula.lit(self.symbolic, condition);
                        walk.happened.because(vec![executed, condition, self.ends[child.index()]]);
                    }
                }
                Point::Moment(moment) => self.moment(formula, &mut walk, moment),
            }
        }
        let end = walk.release(formula);
        formula.clause(&[!end, self.ends[index]]);
    }

    fn moment<S: ClauseSink>(&self, formula: &mut Formula<'_, S>, walk: &mut Walk, moment: MomentId) {
        let executed = |formula: &mut Formula<'_, S>| formula.lit(self.symbolic, self.symbolic.moment(moment).guard);
        match &self.symbolic.moment(moment).what {
            MomentKind::Access(access) => self.access(formula, walk, moment, access),
            MomentKind::Free { .. } => self.select(formula, walk, moment),
            &MomentKind::Fence(kind) => {
                let executed = executed(formula);
                if matches!(kind, FenceKind::Acquire | FenceKind::AcqRel | FenceKind::Full) {
                    let taken = walk.unacquired.now(formula);
                    walk.happened.because(vec![executed, taken]);
                }
                if matches!(kind, FenceKind::Release | FenceKind::AcqRel | FenceKind::Full) {
                    let given = walk.release(formula);
                    walk.fenced.because(vec![executed, given]);
                }
            }
            MomentKind::Sync { kind: SyncKind::Release, .. } => {
                if let Some(&given) = self.given.get(&moment) {
                    let executed = executed(formula);
                    let released = walk.release(formula);
                    imply(formula, &[executed, released], given);
                }
            }
            MomentKind::Sync { kind: SyncKind::Acquire, .. } => {
                let executed = executed(formula);
                for (release, conditions) in self.witness.released.get(&moment).into_iter().flatten() {
                    let mut reason = vec![executed, self.given[release]];
                    reason.extend(conditions);
                    walk.happened.because(reason);
                }
            }
        }
    }

    /// If it is selected, it is in the one set and not in the other.
    fn select<S: ClauseSink>(&self, formula: &mut Formula<'_, S>, walk: &mut Walk, moment: MomentId) {
        for &(inside, outside) in self.selected.get(&moment).into_iter().flatten() {
            let known = walk.happened.now(formula);
            formula.clause(&[!outside, !known]);
            walk.own.push(inside);
        }
    }

    fn access<S: ClauseSink>(
        &self,
        formula: &mut Formula<'_, S>,
        walk: &mut Walk,
        moment: MomentId,
        access: &Accessed,
    ) {
        self.select(formula, walk, moment);
        let reasons = |edges: &Edges| -> Option<Vec<Vec<Lit>>> {
            let edges = edges.get(&moment)?.iter();
            Some(edges.map(|(write, conditions)| [&conditions[..], &[self.given[write]]].concat()).collect())
        };
        let messages = reasons(&self.witness.messages).unwrap_or_default();
        let taken = reasons(&self.witness.collected).unwrap_or_else(|| messages.clone());
        for message in &taken {
            let in_any_case = access.unless.is_none_or(|(_, failed)| acquires(failed) == acquires(access.order));
            match access.unless {
                Some((success, failed)) if !in_any_case => {
                    let success = formula.lit(self.symbolic, success);
                    let when = if acquires(failed) { !success } else { success };
                    walk.happened.because([&message[..], &[when]].concat());
                    // Where it acquires, there is no harm in this.
                    walk.unacquired.because(message.clone());
                }
                _ if acquires(access.order) => walk.happened.because(message.clone()),
                _ => walk.unacquired.because(message.clone()),
            }
        }
        // The message of a write that nobody gets is not written down.
        let given = self.given.get(&moment);
        if access.writes.is_empty() || (given.is_none() && !self.begins.contains(&moment)) {
            return;
        }
        let own = if releases(access.order) { walk.release(formula) } else { walk.fenced.now(formula) };
        walk.begun.insert(moment, own);
        let Some(&given) = given else { return };
        for (head, conditions) in self.witness.heads.get(&moment).into_iter().flatten() {
            imply(formula, &[&conditions[..], &[walk.begun[head]]].concat(), given);
        }
        formula.clause(&[!own, given]);
        messages.iter().for_each(|message| imply(formula, message, given));
    }
}
