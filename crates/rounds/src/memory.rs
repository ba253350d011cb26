//! What reads see: the contents of cells from slot to slot.
//!
//! In each slot two chains run through the events of its thread. One is memory: the value that the slot before left, then
//! each write that is committed in this slot. The other is what the thread itself sees: its own stores take effect
//! at once, but those that were committed in earlier rounds may have been overwritten since, so they count through
//! memory only. (A read whose newest own store was committed in an earlier round sees the value on entry to the slot; own
//! stores to the cell that are committed in this slot come later.) They differ for buffered stores only.
//!
//! Only memory grows with the number of rounds, and not all of it:
//!
//! - Slots in which a cell is not written share its value.
//! - A cell that nobody writes after the prelude is a constant.
//! - A cell that one thread writes is not copied. That thread's reads see its last store, whatever the rounds. A read of
//!   another thread sees the last store that was committed before it: rounds decide only which of them were, one bit
//!   for each, and values are chosen once. What the solver learns about these bits holds for all rounds. This relies on the
//!   commits of stores to one cell being in program order, which every model says.
//!
//! All three rely on the event list naming every cell that an access may touch, and on nothing but the entry thread running
//! in the prelude.
//!
//! A read variable is made equal to the value that the round of the read selects. It is a variable, not a definition,
//! since rounds are not known beforehand and definitions would run in a circle. Reads that matter to no condition get no
//! equation ([`crate::needed`]).

use crate::encode::{Encoding, Formula};
use crate::needed::{Needed, limited_reads};
use crate::plan::UnitId;
use crate::watch::Watch;
use norn_ir::number::narrow;
use norn_logic::{Sort, Term, Terms};
use norn_symex::{CellId, EventId, EventKind, ThreadId};
use norn_verdict::limits::Exceeded;
use std::collections::{BTreeMap, BTreeSet};

pub struct Memory<'e, 'a> {
    encoding: &'e mut Encoding<'a>,
    /// The number of the last round.
    last: u32,
    /// Bits of the contents, by cell.
    widths: Vec<u32>,
    writes: BTreeMap<EventId, Write>,
    /// The writes after the prelude to each cell that only one thread writes then, in program order.
    single: BTreeMap<CellId, Vec<EventId>>,
    /// Whether a store is in memory when a unit is run, by the unit and by what says that the store is committed.
    before: BTreeMap<(UnitId, Vec<Term>), Term>,
    order: Vec<Vec<Term>>,
    /// What each read sees: without rounds, or by round.
    seen: BTreeMap<EventId, Seen>,
    /// The cells that are seen by round, by number.
    copied: Vec<bool>,
}

/// The parts of a write, built.
struct Write {
    /// The cells with the conditions under which it is executed and goes there.
    hits: Vec<(CellId, Term)>,
    value: Term,
}

enum Seen {
    Always(Term),
    ByRound(Vec<Term>),
}

/// Beyond this, a choice per round is the smaller one.
const MOST_CHOICES: usize = 16;

/// The contents of cells; what is not there is what it was before.
type Contents = BTreeMap<CellId, Term>;

impl<'e, 'a> Memory<'e, 'a> {
    pub fn new(encoding: &'e mut Encoding<'a>, last: u32) -> Memory<'e, 'a> {
        let symbolic = encoding.symbolic;
        let mut widths: Vec<u32> = Vec::with_capacity(symbolic.cells.len());
        for cell in &symbolic.cells {
            let initial = encoding.narrow.bits(cell.initial);
            widths.push(encoding.narrow.terms.width(initial));
        }
        let mut writes = BTreeMap::new();
        for id in symbolic.event_ids() {
            let event = symbolic.event(id);
            let EventKind::Write { targets, value, .. } = &event.kind else { continue };
            let (guard, value) = (encoding.narrow.bool(event.guard), encoding.narrow.bits(*value));
            let mut hits = Vec::with_capacity(targets.len());
            for &(cell, goes_there) in targets {
                let goes_there = encoding.narrow.bool(goes_there);
                hits.push((cell, encoding.narrow.terms.and(guard, goes_there)));
                let width = &mut widths[cell.index()];
                *width = (*width).max(encoding.narrow.terms.width(value));
            }
            writes.insert(id, Write { hits, value });
        }
        let single = single_writers(encoding, &writes);
        let (before, order, seen) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
        let copied = vec![false; widths.len()];
        Memory { encoding, last, widths, writes, single, before, order, seen, copied }
    }

    pub fn encode(mut self, formula: &mut Formula, watch: &mut Watch<'_>) -> Result<(), Exceeded> {
        let mut memory = self.initial();
        self.alone(ThreadId(0), &mut memory, true, watch)?;
        for thread in 0..self.encoding.symbolic.threads.len() {
            let mut own = memory.clone();
            self.alone(ThreadId::new(thread), &mut own, false, watch)?;
        }
        self.find_copied();
        for round in 1..=self.last {
            for &thread in self.encoding.order {
                self.slot(thread, round, &mut memory, watch)?;
            }
        }
        formula.clauses.append(&mut self.order);
        self.equations(formula, watch)
    }

    fn initial(&mut self) -> Contents {
        let cells = 0..narrow(self.encoding.symbolic.cells.len());
        cells
            .map(CellId)
            .map(|cell| {
                let initial = self.encoding.narrow.bits(self.encoding.symbolic.cell(cell).initial);
                (cell, self.encoding.narrow.resize(initial, self.widths[cell.index()]))
            })
            .collect()
    }

    /// Other cells need no copies.
    fn find_copied(&mut self) {
        let symbolic = self.encoding.symbolic;
        for id in symbolic.event_ids().filter(|id| !self.seen.contains_key(id)) {
            if let EventKind::Read { targets, .. } = &symbolic.event(id).kind {
                targets.iter().for_each(|target| self.copied[target.0.index()] = true);
            }
        }
    }

    /// What a thread sees of cells that nobody else writes: in the prelude, or of its own cells after it.
    fn alone(
        &mut self,
        thread: ThreadId,
        contents: &mut Contents,
        in_prelude: bool,
        watch: &mut Watch<'_>,
    ) -> Result<(), Exceeded> {
        let (symbolic, plan) = (self.encoding.symbolic, self.encoding.plan);
        for id in symbolic.thread(thread).events {
            if plan.is_prelude(id) != in_prelude {
                continue;
            }
            let event = symbolic.event(id);
            watch.note()?;
            let is_own = |cell: CellId| in_prelude || plan.is_own(cell, thread);
            match &event.kind {
                EventKind::Write { .. } => {
                    let write = &self.writes[&id];
                    for &(cell, hit) in write.hits.iter().filter(|hit| is_own(hit.0)) {
                        let value = self.encoding.narrow.resize(write.value, self.widths[cell.index()]);
                        let terms = &mut self.encoding.narrow.terms;
                        contents.insert(cell, terms.ite(hit, value, contents[&cell]));
                    }
                }
                EventKind::Read { targets, .. }
                    if targets.iter().all(|target| is_own(target.0) || self.single.contains_key(&target.0)) =>
                {
                    let mut view = Contents::new();
                    for &(cell, _) in targets.iter().filter(|target| !is_own(target.0)) {
                        let seen = self.written_by_another(id, cell, contents[&cell]);
                        view.insert(cell, seen);
                    }
                    let value = self.select(targets, &view, contents);
                    self.seen.insert(id, Seen::Always(value));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What a read sees of a cell that only one other thread writes: its last store that is in memory by then.
    fn written_by_another(&mut self, read: EventId, cell: CellId, at_first: Term) -> Term {
        let unit = self.encoding.plan.unit_of(read);
        let mut seen = at_first;
        for index in 0..self.single[&cell].len() {
            let write = self.single[&cell][index];
            let before = self.before(unit, write);
            let Write { hits, value } = &self.writes[&write];
            let value = self.encoding.narrow.resize(*value, self.widths[cell.index()]);
            for &(_, hit) in hits.iter().filter(|hit| hit.0 == cell) {
                let counts = self.encoding.narrow.terms.and(before, hit);
                seen = self.encoding.narrow.terms.ite(counts, value, seen);
            }
        }
        seen
    }

    /// The store is in memory when the unit of another thread is run, if both are executed. Two clauses per round
    /// say so: a unit that is run by the end of a round comes before what is not committed by then, and one that is not
    /// yet run comes after what is.
    fn before(&mut self, unit: UnitId, write: EventId) -> Term {
        let encoding = &*self.encoding;
        let (reader, writer) = (encoding.plan.units[unit.index()].thread, encoding.symbolic.event(write).thread);
        let slots = (1..=self.last).map(|round| encoding.last_slot_before(writer, reader, round));
        let committed: Vec<Term> = slots.map(|slot| encoding.committed(write, slot)).collect();
        if let Some(&before) = self.before.get(&(unit, committed.clone())) {
            return before;
        }
        let before = self.encoding.narrow.terms.fresh(Sort::Bool);
        for (round, &committed) in (1..).zip(&committed) {
            let (by, earlier) = (self.encoding.started(unit, round), self.encoding.started(unit, round - 1));
            self.order.push(vec![!by, committed, !before]);
            self.order.push(vec![earlier, !committed, before]);
        }
        self.before.insert((unit, committed), before);
        before
    }

    /// One slot: `memory` is what the slot before left, and then what this one leaves.
    fn slot(
        &mut self,
        thread: ThreadId,
        round: u32,
        memory: &mut Contents,
        watch: &mut Watch<'_>,
    ) -> Result<(), Exceeded> {
        let symbolic = self.encoding.symbolic;
        // What the thread sees, where that is not memory.
        let mut view = Contents::new();
        for id in symbolic.thread(thread).events {
            if self.encoding.plan.is_prelude(id) {
                continue;
            }
            watch.note()?;
            match &symbolic.event(id).kind {
                EventKind::Write { .. } => self.write(id, round, memory, &mut view),
                EventKind::Read { targets, .. } if !matches!(self.seen.get(&id), Some(Seen::Always(_))) => {
                    let value = self.select(targets, &view, memory);
                    let seen = self.seen.entry(id).or_insert_with(|| Seen::ByRound(Vec::new()));
                    if let Seen::ByRound(rounds) = seen {
                        rounds.push(value);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn write(&mut self, id: EventId, round: u32, memory: &mut Contents, view: &mut Contents) {
        let (by, before) = (self.encoding.committed(id, round), self.encoding.committed(id, round - 1));
        let is_buffered = self.encoding.plan.is_buffered(id);
        let write = &self.writes[&id];
        for &(cell, hit) in write.hits.iter().filter(|hit| self.copied[hit.0.index()]) {
            let value = self.encoding.narrow.resize(write.value, self.widths[cell.index()]);
            let terms: &mut Terms = &mut self.encoding.narrow.terms;
            let unless_earlier = terms.and(hit, !before);
            let in_memory = memory[&cell];
            if is_buffered || view.contains_key(&cell) {
                let seen = view.get(&cell).copied().unwrap_or(in_memory);
                view.insert(cell, terms.ite(unless_earlier, value, seen));
            }
            let now = terms.and(unless_earlier, by);
            memory.insert(cell, terms.ite(now, value, in_memory));
        }
    }

    /// The content of the cell that is accessed.
    fn select(&mut self, targets: &[(CellId, Term)], view: &Contents, memory: &Contents) -> Term {
        let width = targets.iter().map(|(cell, _)| self.widths[cell.index()]).max().unwrap_or(1);
        let mut selected: Option<Term> = None;
        for &(cell, is_this) in targets.iter().rev() {
            let content = view.get(&cell).copied().unwrap_or_else(|| memory[&cell]);
            let content = self.encoding.narrow.resize(content, width);
            let is_this = self.encoding.narrow.bool(is_this);
            selected = Some(match selected {
                // The last one needs no condition: an access is to one of its cells.
                None => content,
                Some(others) => self.encoding.narrow.terms.ite(is_this, content, others),
            });
        }
        selected.unwrap_or_else(|| self.encoding.narrow.terms.bits(1, 0))
    }

    /// Equations for the reads that the conditions depend on, which adds further reads.
    fn equations(&mut self, formula: &mut Formula, watch: &mut Watch<'_>) -> Result<(), Exceeded> {
        let symbolic = self.encoding.symbolic;
        let mut reader_of: BTreeMap<usize, Vec<EventId>> = BTreeMap::new();
        let mut roots: Vec<Term> = formula
            .clauses
            .iter()
            .flatten()
            .chain(&formula.checks)
            .chain(&formula.cuts)
            .chain(&formula.marks)
            .copied()
            .collect();
        for id in symbolic.event_ids() {
            let event = symbolic.event(id);
            // A schedule tells which steps there are, so all guards matter.
            roots.push(self.encoding.narrow.bool(event.guard));
            if let EventKind::Read { value, .. } = event.kind {
                let value = self.encoding.narrow.bits(value);
                for variable in self.encoding.narrow.terms.variables([value]) {
                    reader_of.entry(variable.index()).or_default().push(id);
                }
            }
        }
        for section in &symbolic.sections {
            roots.push(self.encoding.narrow.bool(section.guard));
        }
        let mut needed = Needed::default();
        needed.add(&self.encoding.narrow.terms, roots);
        let mut pending = limited_reads(symbolic, &self.encoding.narrow);
        let mut done: BTreeSet<EventId> = BTreeSet::new();
        loop {
            while let Some(id) = pending.pop() {
                if done.insert(id) {
                    self.see(id, formula, &mut needed);
                    watch.note()?;
                }
            }
            let Some(variable) = needed.variables.pop() else { return Ok(()) };
            pending = reader_of.remove(&variable.index()).unwrap_or_default();
        }
    }

    /// A read sees what memory holds, or cannot be executed because there is no value that it could have.
    fn see(&mut self, id: EventId, formula: &mut Formula, needed: &mut Needed) {
        let event = self.encoding.symbolic.event(id);
        let EventKind::Read { value, .. } = event.kind else { unreachable!("only reads have equations") };
        if self.encoding.narrow.is_impossible(value) {
            let guard = self.encoding.narrow.bool(event.guard);
            let started = self.encoding.started(self.encoding.plan.unit_of(id), self.last);
            needed.add(&self.encoding.narrow.terms, [guard, started]);
            formula.clauses.push(vec![!guard, !started]);
            return;
        }
        let equation = self.equation(id);
        let parts = [Some(equation.0), Some(equation.1), equation.2].into_iter().flatten();
        needed.add(&self.encoding.narrow.terms, parts);
        formula.equations.push(equation);
    }

    fn equation(&mut self, id: EventId) -> (Term, Term, Option<Term>) {
        let event = self.encoding.symbolic.event(id);
        let EventKind::Read { value, .. } = event.kind else { unreachable!("only reads have equations") };
        let unit = self.encoding.plan.unit_of(id);
        let seen = match self.seen.get(&id) {
            Some(Seen::Always(seen)) => *seen,
            Some(Seen::ByRound(rounds)) => {
                let last = *rounds.last().expect("there should be at least one round");
                let earlier = rounds.iter().enumerate().rev().skip(1);
                earlier.fold(last, |later, (round, &seen)| {
                    let started = self.encoding.started(unit, narrow(round) + 1);
                    self.encoding.narrow.terms.ite(started, seen, later)
                })
            }
            None => unreachable!("each read should see something"),
        };
        let value = self.encoding.narrow.bits(value);
        let terms = &self.encoding.narrow.terms;
        let (has, needs) = (terms.width(value), terms.width(seen));
        let width = has.max(needs);
        // A variable that cannot take all values must not forbid what is not executed.
        let condition = (needs > has).then(|| {
            let guard = self.encoding.narrow.bool(event.guard);
            let started = self.encoding.started(unit, self.last);
            self.encoding.narrow.terms.and(guard, started)
        });
        (self.encoding.narrow.resize(value, width), self.encoding.narrow.resize(seen, width), condition)
    }
}

/// The cells that one thread writes after the prelude, with its writes, unless they are too many: each read of the cell
/// chooses among all of them.
fn single_writers(encoding: &Encoding<'_>, writes: &BTreeMap<EventId, Write>) -> BTreeMap<CellId, Vec<EventId>> {
    let (symbolic, plan) = (encoding.symbolic, encoding.plan);
    let mut found: BTreeMap<CellId, Vec<EventId>> = BTreeMap::new();
    for (&id, write) in writes.iter().filter(|(id, _)| !plan.is_prelude(**id)) {
        for &(cell, _) in write.hits.iter().filter(|hit| plan.is_own(hit.0, symbolic.event(id).thread)) {
            found.entry(cell).or_default().push(id);
        }
    }
    found.retain(|_, writes| {
        writes.dedup();
        writes.len() <= MOST_CHOICES
    });
    found
}
