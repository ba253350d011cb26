//! Which write a read may read from: every pair that has to become a variable, and none that cannot happen.
//!
//! A pair is left out if the read is fixed before the write, if the two are never executed together on the same cell, or
//! if another write always comes between them.

use crate::fixed_order::{FixedOrder, implies, same_cell};
use crate::order::{Node, OrderGraph};
use norn_logic::{Term, Terms};
use norn_symex::{CellId, Event, EventId, EventKind, Symbolic};
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::pace::Pace;

/// Where a read may take its value from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// What was there before all writes.
    Initial,
    Write(EventId),
}

/// A read with all that has to be known about it.
#[derive(Clone, Debug)]
pub struct Read {
    pub event: EventId,
    /// Each with the condition under which both are to the same cell (besides the guards).
    pub sources: Vec<(Source, Term)>,
    /// Writes that may be to the same cell, with the condition under which they are and are executed. Those that
    /// come after the read in any case are left out.
    pub rivals: Vec<(EventId, Term)>,
}

#[derive(Clone, Default, Debug)]
pub struct Pairs {
    pub reads: Vec<Read>,
    /// Pairs on the same cell, before pruning.
    pub candidates: usize,
    pub kept: usize,
}

/// How two events are ordered whatever happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fixed {
    Before,
    After,
    Open,
}

/// What is fixed about the order of accesses.
pub struct Facts<'a> {
    pub fixed: &'a FixedOrder,
    /// With the fixed edges only; without it nothing is known between threads.
    pub graph: Option<&'a OrderGraph>,
}

impl Facts<'_> {
    /// Of two writes to one cell, in the order of memory.
    pub fn writes(&self, symbolic: &Symbolic, a: EventId, b: EventId) -> Fixed {
        if symbolic.event(a).thread == symbolic.event(b).thread {
            return if a < b { Fixed::Before } else { Fixed::After };
        }
        self.nodes(self.fixed.node(a), self.fixed.node(b))
    }

    /// Whether a read comes before a write to the same cell: of the own thread by program order, even where the
    /// write may wait in a buffer, since the read would see it there.
    pub fn read_write(&self, symbolic: &Symbolic, read: EventId, write: EventId) -> Fixed {
        if symbolic.event(read).thread == symbolic.event(write).thread {
            return if read < write { Fixed::Before } else { Fixed::After };
        }
        self.nodes(self.fixed.node(read), self.fixed.node(write))
    }

    pub fn nodes(&self, a: Node, b: Node) -> Fixed {
        match self.graph {
            Some(graph) if a != b && graph.reaches(a, b) => Fixed::Before,
            Some(graph) if a != b && graph.reaches(b, a) => Fixed::After,
            _ => Fixed::Open,
        }
    }
}

impl Pairs {
    /// Many reads of many writes take long: the limits are looked at now and then.
    pub fn new(symbolic: &mut Symbolic, facts: &Facts<'_>, limits: &Limits) -> Result<Pairs, Exceeded> {
        let mut pace = Pace::by_clock();
        let mut writes: Vec<Vec<EventId>> = vec![Vec::new(); symbolic.cells.len()];
        for id in symbolic.event_ids() {
            let event = symbolic.event(id);
            if event.guard != Term::FALSE && matches!(event.kind, EventKind::Write { .. }) {
                event.targets().iter().for_each(|&(cell, _)| writes[cell.index()].push(id));
            }
        }
        let overwritten_by = next_writes(symbolic, &writes);
        let mut pairs = Pairs::default();
        for id in symbolic.event_ids() {
            let event = symbolic.event(id);
            if event.guard != Term::FALSE && matches!(event.kind, EventKind::Read { .. }) {
                let read = pairs.read(symbolic, facts, &writes, &overwritten_by, id);
                pairs.kept += read.sources.len();
                pairs.reads.push(read);
                pace.look(limits)?;
            }
        }
        Ok(pairs)
    }

    fn read(
        &mut self,
        symbolic: &mut Symbolic,
        facts: &Facts<'_>,
        writes: &[Vec<EventId>],
        overwritten_by: &[Option<EventId>],
        read: EventId,
    ) -> Read {
        let targets = symbolic.event(read).targets().to_vec();
        let guard = symbolic.event(read).guard;
        let mut near: Vec<EventId> =
            targets.iter().flat_map(|&(cell, _)| writes[cell.index()].iter().copied()).collect();
        near.sort_unstable();
        near.dedup();
        self.candidates += near.len() + 1;

        let mut sources = Vec::new();
        let mut rivals = Vec::new();
        // Writes that are to the same cell and executed whenever the read is, and that it cannot look past.
        let mut certain = Vec::new();
        for write in near {
            let Event { guard: executed, .. } = *symbolic.event(write);
            let Symbolic { terms, events, .. } = &mut *symbolic;
            let same = same_cell(terms, &targets, events[write.index()].targets());
            let meets = terms.and(executed, same);
            if terms.and(meets, guard) == Term::FALSE {
                continue;
            }
            let order = facts.read_write(symbolic, read, write);
            if order == Fixed::Before {
                continue;
            }
            rivals.push((write, meets));
            sources.push((Source::Write(write), same));
            let prunes = facts.graph.is_some();
            if prunes && order == Fixed::After && same == Term::TRUE && implies(&mut symbolic.terms, guard, executed) {
                certain.push(write);
            }
        }
        // Of the certain ones only the last count: of each thread, then of all.
        certain.dedup_by(|later, earlier| {
            let same_thread = symbolic.event(*later).thread == symbolic.event(*earlier).thread;
            if same_thread {
                *earlier = *later;
            }
            same_thread
        });
        let last: Vec<EventId> = certain
            .iter()
            .copied()
            .filter(|&a| !certain.iter().any(|&b| a != b && facts.writes(symbolic, a, b) == Fixed::Before))
            .collect();
        sources.retain(|&(source, same)| {
            let Source::Write(write) = source else { return true };
            let is_past = |later: EventId| write != later && facts.writes(symbolic, write, later) == Fixed::Before;
            let overwritten = last.iter().any(|&later| is_past(later));
            // The next write of its own thread, if the read has to see that one.
            let hidden = facts.graph.is_some()
                && same == Term::TRUE
                && overwritten_by[write.index()]
                    .is_some_and(|later| facts.read_write(symbolic, read, later) == Fixed::After);
            !overwritten && !hidden
        });
        rivals.retain(|&(write, _)| {
            !last.iter().any(|&later| write != later && facts.writes(symbolic, write, later) == Fixed::Before)
        });
        if last.is_empty() {
            sources.push((Source::Initial, Term::TRUE));
        }
        Read { event: read, sources, rivals }
    }
}

impl Pairs {
    /// Reads with their sources and other writes: about as many clauses as those would need.
    pub fn triples(&self) -> usize {
        self.reads.iter().map(|read| read.sources.len() * read.rivals.len()).sum()
    }
}

/// For each write to one certain cell the next one of its thread to the same cell that is executed if it is.
fn next_writes(symbolic: &mut Symbolic, writes: &[Vec<EventId>]) -> Vec<Option<EventId>> {
    let mut next = vec![None; symbolic.events.len()];
    for list in writes {
        let certain = |event: &Event, cell: CellId| matches!(event.targets(), &[(only, Term::TRUE)] if only == cell);
        for (i, &write) in list.iter().enumerate() {
            let &[(cell, Term::TRUE)] = symbolic.event(write).targets() else { continue };
            let (thread, guard) = (symbolic.event(write).thread, symbolic.event(write).guard);
            let later = list[i + 1..].iter().take_while(|&&later| symbolic.event(later).thread == thread);
            let later: Vec<EventId> = later.copied().filter(|&later| certain(symbolic.event(later), cell)).collect();
            const LOOK: usize = 8;
            next[write.index()] = later.into_iter().take(LOOK).find(|&later| {
                let executed = symbolic.event(later).guard;
                implies(&mut symbolic.terms, guard, executed)
            });
        }
    }
    next
}

/// The value that a read of what was there before all writes gets.
pub fn initial_value(symbolic: &mut Symbolic, read: EventId) -> Term {
    let targets = symbolic.event(read).targets().to_vec();
    let Some((&(first, _), rest)) = targets.split_first() else {
        unreachable!("a read should have a cell to read");
    };
    let Symbolic { terms, cells, .. } = symbolic;
    let start = cells[first.index()].initial;
    rest.iter().fold(start, |value, &(cell, is_this)| choose(terms, is_this, cells[cell.index()].initial, value))
}

fn choose(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Term {
    terms.ite(condition, then, otherwise)
}
