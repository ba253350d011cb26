//! The formula: K rounds of a bounded program (lazycseq-cav14, with guarded events instead of re-simulated threads).
//!
//! *Rounds* are numbered from 1, and the first is not counted: only the entry thread has a slot in it. In the K rounds after it
//! every thread has one, the entry thread at last unless another order was asked for: it creates the others before they
//! run, and looks at what they did afterwards.
//!
//! `started(u, r)` says that unit u has been run by the end of round r: an integer in order encoding, increasing
//! in r and decreasing along the units of a thread. What a thread computes is encoded once, whatever the number of
//! rounds. A thread that another one creates begins in its first slot after that. A thread may stop before any unit.
//!
//! *Commits.* `committed(w, r)` says the same of the commit of a buffered store ([`crate::models`]); an unbuffered write is
//! committed when it is run. A step that needs an empty buffer in round r needs all earlier own stores to be committed
//! by then. A join in round r needs the joined thread to have ended, with an empty buffer, in an earlier slot.
//!
//! *Memory.* ([`crate::memory`]) A slot takes the value of each cell from the slot before it and hands it on, changed by the
//! writes that its thread commits in it.
//!
//! *Blocking.* A step that would have to wait is an assumption: an execution in which it waits is one in which the
//! thread is interrupted before it.
//!
//! Nothing says that a thread gets anywhere: a violation counts if its thread has run what comes before it.

use crate::memory::Memory;
use crate::models::{self, Item, Store};
use crate::narrow::Narrow;
use crate::plan::{Atom, Plan, UnitId, empties_buffer, fences};
use crate::ranges::Ranges;
use crate::watch::Watch;
use norn_ir::instr::{FenceKind, Order};
use norn_logic::{Sort, Term, Terms};
use norn_symex::{Condition, EventId, EventKind, Finding, ObjectId, SectionKind, Symbolic, ThreadId};
use norn_tiles::Cube;
use norn_verdict::limits::Exceeded;
use norn_verdict::model::Model;
use std::collections::BTreeMap;

/// What is encoded, and how.
pub struct Encoding<'a> {
    pub symbolic: &'a Symbolic,
    pub plan: &'a Plan,
    pub narrow: Narrow<'a>,
    model: Model,
    /// The threads in the order of their slots, and the place of each there.
    pub order: &'a [ThreadId],
    positions: Vec<usize>,
    /// By unit, of those that are not the first of their thread; then by round, from 1.
    started: Vec<Vec<Term>>,
    /// By the event that stands for the store; then by round, from 1.
    committed: BTreeMap<EventId, Vec<Term>>,
    /// What the schedules have in common, if only some of them are wanted.
    cube: Cube,
}

/// Conditions on an execution of K rounds.
pub struct Formula {
    /// The number of the last round, K + 1.
    pub last: u32,
    /// Each a disjunction.
    pub clauses: Vec<Vec<Term>>,
    /// Equal bit-vectors; with a condition, only if that holds.
    pub equations: Vec<(Term, Term, Option<Term>)>,
    /// By check.
    pub checks: Vec<Term>,
    /// By cut.
    pub cuts: Vec<Term>,
    pub marks: Vec<Term>,
}

impl<'a> Encoding<'a> {
    /// `limit`: the most bits of a variable's value.
    pub fn new(
        symbolic: &'a Symbolic,
        plan: &'a Plan,
        model: Model,
        order: &'a [ThreadId],
        limit: Option<u32>,
    ) -> Encoding<'a> {
        let ranges = Ranges::new(symbolic, limit);
        let mut positions = vec![0; symbolic.threads.len()];
        for (position, thread) in order.iter().enumerate() {
            positions[thread.0 as usize] = position;
        }
        Encoding {
            symbolic,
            plan,
            narrow: Narrow::new(&symbolic.terms, ranges),
            model,
            order,
            positions,
            started: vec![Vec::new(); plan.units.len()],
            committed: BTreeMap::new(),
            cube: Cube::default(),
        }
    }

    /// Only the schedules of a cube, from now on. It may speak of no more rounds than there are.
    pub fn narrow_to(&mut self, cube: &Cube) {
        self.cube = cube.clone();
    }

    /// The most bits of a variable's value.
    pub fn widest(&self) -> u32 {
        self.narrow.widest()
    }

    pub fn formula(&mut self, rounds: u32, watch: &mut Watch<'_>) -> Result<Formula, Exceeded> {
        let last = rounds + 1;
        self.make_variables(last);
        let mut formula = Formula {
            last,
            clauses: Vec::new(),
            equations: Vec::new(),
            checks: Vec::new(),
            cuts: Vec::new(),
            marks: Vec::new(),
        };
        for &constraint in &self.symbolic.constraints {
            let constraint = self.narrow.bool(constraint);
            formula.clauses.push(vec![constraint]);
        }
        for literal in &self.cube.0 {
            let first = self.plan.threads[literal.thread as usize].units.start;
            let begun = self.started(UnitId(first.0 + literal.unit), literal.round);
            formula.clauses.push(vec![if literal.begun { begun } else { !begun }]);
        }
        for round in 1..=last {
            self.order_of_units(round, &mut formula.clauses);
            for thread in 0..self.symbolic.threads.len() {
                self.order_of_commits(ThreadId::new(thread), round, &mut formula.clauses);
                watch.note()?;
            }
        }
        formula.checks = (0..self.symbolic.checks.len()).map(|check| self.check(check, last)).collect();
        let reached = |this: &mut Self, cut: usize| {
            let cut = this.symbolic.cuts[cut];
            let guard = this.narrow.bool(cut.guard);
            let reached = this.reached(cut.thread, cut.position, last);
            this.narrow.terms.and(guard, reached)
        };
        for mark in &self.symbolic.marks {
            let guard = self.narrow.bool(mark.guard);
            let reached = self.reached(mark.thread, mark.position, last);
            formula.marks.push(self.narrow.terms.and(guard, reached));
        }
        formula.cuts = (0..self.symbolic.cuts.len()).map(|cut| reached(self, cut)).collect();
        Memory::new(self, last).encode(&mut formula, watch)?;
        Ok(formula)
    }

    /// The unit has been run by the end of the round.
    pub fn started(&self, unit: UnitId, round: u32) -> Term {
        if round == 0 {
            return Term::FALSE;
        }
        let found = &self.plan.units[unit.index()];
        if !found.is_first {
            return self.started[unit.index()][round as usize - 1];
        }
        match self.symbolic.thread(found.thread).creator {
            None => Term::TRUE,
            Some(_) if round == 1 => Term::FALSE,
            Some((creator, event)) => {
                let slot = self.last_slot_before(creator, found.thread, round);
                self.started(self.plan.unit_of(event), slot)
            }
        }
    }

    /// The write has reached memory by the end of the round, if it is executed.
    pub fn committed(&self, write: EventId, round: u32) -> Term {
        if round == 0 {
            return Term::FALSE;
        }
        match self.committed.get(&self.store_of(write)) {
            Some(rounds) => rounds[round as usize - 1],
            None => self.started(self.plan.unit_of(write), round),
        }
    }

    /// The round in which `thread` has its last slot before the slot of `other` in this round.
    pub fn last_slot_before(&self, thread: ThreadId, other: ThreadId, round: u32) -> u32 {
        let position = |thread: ThreadId| self.positions[thread.0 as usize];
        if position(thread) < position(other) { round } else { round - 1 }
    }

    /// The event that stands for a store: the parts of one access are committed together.
    fn store_of(&self, write: EventId) -> EventId {
        match self.symbolic.event(write).section {
            Some(section) if self.symbolic.section(section).kind == SectionKind::Group => {
                self.symbolic.section(section).events.start
            }
            _ => write,
        }
    }

    /// Variables up to this round; those that are there already are kept.
    fn make_variables(&mut self, last: u32) {
        for (unit, started) in self.plan.units.iter().zip(&mut self.started) {
            if !unit.is_first {
                extend(started, last, unit.thread, &mut self.narrow.terms);
            }
        }
        for id in self.symbolic.event_ids().filter(|&id| self.plan.is_buffered(id)) {
            let committed = self.committed.entry(self.store_of(id)).or_default();
            extend(committed, last, self.symbolic.event(id).thread, &mut self.narrow.terms);
        }
    }

    fn order_of_units(&self, round: u32, clauses: &mut Vec<Vec<Term>>) {
        for (index, unit) in self.plan.units.iter().enumerate().filter(|(_, unit)| !unit.is_first) {
            debug_assert_eq!(self.plan.units[index - 1].thread, unit.thread);
            let started = |index: usize, round: u32| self.started(UnitId::new(index), round);
            clauses.push(vec![!started(index, round), started(index - 1, round)]);
            clauses.push(vec![!started(index, round - 1), started(index, round)]);
        }
        for (&store, _) in self.committed.iter().filter(|(_, rounds)| rounds.len() >= round as usize) {
            clauses.push(vec![!self.committed(store, round), self.started(self.plan.unit_of(store), round)]);
            clauses.push(vec![!self.committed(store, round - 1), self.committed(store, round)]);
        }
    }

    /// The commits of a thread in the order that the model wants, and what waits for them.
    fn order_of_commits(&mut self, thread: ThreadId, round: u32, clauses: &mut Vec<Vec<Term>>) {
        let plan = self.plan;
        let mut items = Vec::new();
        let at = round as usize - 1;
        for atom in &plan.threads[thread.0 as usize].atoms {
            self.waits(thread, atom, &items, round, clauses);
            let mut store: Option<Store> = None;
            for id in atom.events {
                let event = self.symbolic.event(id);
                let guard = self.narrow.bool(event.guard);
                match &event.kind {
                    EventKind::Fence(FenceKind::Release | FenceKind::AcqRel | FenceKind::StoreStore) => {
                        items.push(Item::StoreFence(guard));
                    }
                    EventKind::Write { access, .. } if plan.is_buffered(id) => {
                        if access.order == Order::Release {
                            items.push(Item::StoreFence(guard));
                        }
                        let committed = &self.committed[&self.store_of(id)];
                        let store =
                            store.get_or_insert_with(|| Store { committed: committed.clone(), cells: Vec::new() });
                        for &(cell, goes_there) in event.targets() {
                            let goes_there = self.narrow.bool(goes_there);
                            store.cells.push((cell, self.narrow.terms.and(guard, goes_there)));
                        }
                    }
                    _ => {}
                }
            }
            items.extend(store.map(Item::Store));
        }
        clauses.extend(models::order(self.model, &mut self.narrow.terms, &items, at));
    }

    /// What an atom has to wait for: own stores, or other threads.
    fn waits(&mut self, thread: ThreadId, atom: &Atom, items: &[Item], round: u32, clauses: &mut Vec<Vec<Term>>) {
        let started = self.started(atom.unit, round);
        let at = round as usize - 1;
        let empties = match atom.section {
            Some(section) => fences(self.symbolic.section(section).kind),
            None => empties_buffer(self.symbolic.event(atom.events.start)),
        };
        if empties {
            let all = models::all_committed(self.model, &mut self.narrow.terms, items, at);
            let guard = self.narrow.bool(atom.guard);
            clauses.push(vec![!started, !guard, all]);
        }
        if atom.section.is_some_and(|section| self.symbolic.section(section).kind == SectionKind::Group) {
            self.waits_for_parts(atom, items, round, clauses);
        }
        for id in atom.events {
            let event = self.symbolic.event(id);
            let EventKind::Join(targets) = &event.kind else { continue };
            let guard = self.narrow.bool(event.guard);
            for &(other, waits_for) in targets {
                let waits_for = self.narrow.bool(waits_for);
                let slot = self.last_slot_before(other, thread, round);
                let over = self.is_over(other, slot);
                clauses.push(vec![!started, !guard, !waits_for, over]);
            }
        }
    }

    /// A load of several cells whose newest own store writes only some of them waits for it, and for those before it. (A store
    /// that shares a cell with a later one is committed before that.)
    fn waits_for_parts(&mut self, atom: &Atom, items: &[Item], round: u32, clauses: &mut Vec<Vec<Term>>) {
        let started = self.started(atom.unit, round);
        let guard = self.narrow.bool(atom.guard);
        let mut covered_later = Term::FALSE;
        for item in items.iter().rev() {
            let Item::Store(store) = item else { continue };
            let (mut overlaps, mut covers) = (Term::FALSE, Term::TRUE);
            for id in atom.events {
                let EventKind::Read { targets, .. } = &self.symbolic.event(id).kind else { return };
                let mut shared = Term::FALSE;
                for &(cell, is_read) in targets {
                    let is_read = self.narrow.bool(is_read);
                    for &(_, goes_there) in store.cells.iter().filter(|found| found.0 == cell) {
                        let both = self.narrow.terms.and(is_read, goes_there);
                        shared = self.narrow.terms.or(shared, both);
                    }
                }
                overlaps = self.narrow.terms.or(overlaps, shared);
                covers = self.narrow.terms.and(covers, shared);
            }
            let partly = self.narrow.terms.and(overlaps, !covers);
            if partly != Term::FALSE {
                let committed = store.committed[round as usize - 1];
                clauses.push(vec![!started, !guard, !partly, covered_later, committed]);
            }
            covered_later = self.narrow.terms.or(covered_later, covers);
        }
    }

    /// The thread has ended and its buffer is empty by the end of the round.
    fn is_over(&mut self, thread: ThreadId, round: u32) -> Term {
        if round == 0 {
            return Term::FALSE;
        }
        let found = self.symbolic.thread(thread);
        let (start, ended) = (self.narrow.bool(found.start), self.narrow.bool(found.ended));
        let last = self.plan.threads[thread.index()].units.last();
        let mut all = self.narrow.terms.all([start, ended, self.started(last, round)]);
        for id in found.events.into_iter().filter(|&id| self.plan.is_buffered(id)) {
            let committed = self.committed(id, round);
            all = self.narrow.terms.and(all, committed);
        }
        all
    }

    /// The thread has executed everything before this position by the end of a round.
    fn reached(&self, thread: ThreadId, position: EventId, rounds: u32) -> Term {
        let plan = &self.plan.threads[thread.0 as usize];
        // Behind a violation nothing is executed, so it costs nothing to ask for the section that begins here: the
        // position may lie inside of it, before its first event.
        let here = |atom: &&Atom| {
            let begins_before = atom.events.start < position;
            begins_before || (atom.section.is_some() && atom.events.start == position)
        };
        let unit = plan.atoms.iter().rev().find(here).map_or(plan.units.start, |atom| atom.unit);
        self.started(unit, rounds)
    }

    fn check(&mut self, check: usize, rounds: u32) -> Term {
        let check = &self.symbolic.checks[check];
        match check.violated {
            Condition::Term(violated) => {
                let violated = self.narrow.bool(violated);
                let reached = self.reached(check.thread, check.position, rounds);
                self.narrow.terms.and(violated, reached)
            }
            Condition::AfterEnd { access, end, object } => self.after_end(access, end, object, rounds),
        }
    }

    /// An access that takes place, or a store that is committed, after the object's life has ended.
    fn after_end(&mut self, access: EventId, end: EventId, object: ObjectId, last: u32) -> Term {
        let (accessing, ending) = (self.symbolic.event(access), self.symbolic.event(end));
        let EventKind::EndLife(objects) = &ending.kind else {
            unreachable!("the life of an object should be ended by an event that does so")
        };
        let mut conditions = vec![self.narrow.bool(accessing.guard), self.narrow.bool(ending.guard)];
        let ends: Vec<Term> = objects.iter().filter(|found| found.0 == object).map(|found| found.1).collect();
        let touches: Vec<Term> = match &accessing.kind {
            // To end a life twice is wrong too.
            EventKind::EndLife(objects) => {
                objects.iter().filter(|found| found.0 == object).map(|found| found.1).collect()
            }
            _ => {
                let targets = accessing.targets().iter();
                let of_it = targets.filter(|(cell, _)| self.symbolic.cell(*cell).object == object);
                of_it.map(|target| target.1).collect()
            }
        };
        for alternatives in [ends, touches] {
            let alternatives: Vec<Term> = alternatives.into_iter().map(|term| self.narrow.bool(term)).collect();
            conditions.push(self.narrow.terms.any(alternatives));
        }
        let unit = self.plan.unit_of(access);
        conditions.push(self.started(unit, last));
        let mut late = Vec::new();
        for round in 1..=last + 1 {
            let slot = self.last_slot_before(ending.thread, accessing.thread, round).min(last);
            let ended = self.started(self.plan.unit_of(end), slot);
            let by = if round > last { Term::TRUE } else { self.committed(access, round) };
            let now = self.narrow.terms.and(by, !self.committed(access, round - 1));
            late.push(self.narrow.terms.and(now, ended));
        }
        conditions.push(self.narrow.terms.any(late));
        self.narrow.terms.all(conditions)
    }
}

/// A variable for each round up to the last one; nothing but the entry thread acts in the first.
fn extend(variables: &mut Vec<Term>, last: u32, thread: ThreadId, terms: &mut Terms) {
    while variables.len() < last as usize {
        let has_slot = thread.0 == 0 || !variables.is_empty();
        variables.push(if has_slot { terms.fresh(Sort::Bool) } else { Term::FALSE });
    }
}

impl Formula {
    /// Some violation happens, and no bound cuts a section in two.
    pub fn violation(&self, symbolic: &Symbolic, terms: &mut Terms) -> Term {
        self.any_check(symbolic, terms, |what| matches!(what, Finding::Violation(_)))
    }

    /// Something without a meaning happens; likewise.
    pub fn undefined(&self, symbolic: &Symbolic, terms: &mut Terms) -> Term {
        self.any_check(symbolic, terms, Finding::is_undefined)
    }

    /// Something is done that is assumed not to happen: this is no execution.
    pub fn excluded(&self, symbolic: &Symbolic, terms: &mut Terms) -> Term {
        self.any_check(symbolic, terms, Finding::is_excluded)
    }

    fn any_check(&self, symbolic: &Symbolic, terms: &mut Terms, wanted: fn(&Finding) -> bool) -> Term {
        let checks = symbolic.checks.iter().zip(&self.checks).filter(|(check, _)| wanted(&check.what));
        let terms_of: Vec<Term> = checks.map(|(_, &term)| term).collect();
        let any = terms.any(terms_of);
        let halved = symbolic.cuts.iter().zip(&self.cuts).filter(|(cut, _)| cut.in_section);
        let halved: Vec<Term> = halved.map(|(_, &term)| term).collect();
        let halved = terms.any(halved);
        terms.and(any, !halved)
    }
}
