//! Reversals: sequences that take two events of an execution in the other order, and what covers them already.
//!
//! The sequence of a race between e and e' is what happened after e and does not follow from it, and then e'. It is put into the
//! wakeup tree of the state before e, unless a process covers it that sleeps there or begins a branch: one that could come
//! first in it (a *weak initial*). "Optimal Dynamic Partial Order Reduction" (POPL 2014) looks for races when an execution has
//! come to its end. Here it is done as soon as e' has happened, so that each race is looked at once, not again in every execution
//! that begins alike. The sequence then lacks what comes after e'. That makes no difference where the process that covers it is
//! one of the sequence: it remains an initial of every longer one, which is all that the proof of completeness (theorem 2
//! there) needs. But a process that is not in the sequence covers it only because nothing in it depends on that process; what comes
//! later may. For example, `p` sleeps, which writes x, and a race of two other threads is reversed: `p` covers that. If one of
//! them reads x later and does not follow from e, an execution is lost in which it does so before `p`. So these reversals stay
//! *open*, and are looked at again, with the whole sequence, at the end of each execution that contains them.

use crate::bits;
use crate::explore::Search;
use crate::footprint::{Footprint, Process};
use crate::trace::EventNumber;
use crate::wakeup::NO_NODE;
use norn_exec::ThreadIdentity;
use norn_verdict::schedule::StepNumber;

/// A member of a wakeup sequence that is being inserted.
#[derive(Clone, Copy)]
pub(crate) struct Item {
    pub process: Process,
    pub footprint: Footprint,
    /// `None` for the last member, whose row is kept apart.
    pub event: Option<EventNumber>,
}

/// A reversal that was covered by a process which is not part of it.
pub(crate) struct Open {
    earlier: EventNumber,
    later: EventNumber,
    step: (Process, Footprint),
    /// What the step follows, whatever it accesses.
    past: Box<[u64]>,
}

/// What became of a sequence.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inserted {
    /// It, or something that covers every longer sequence too, is explored.
    ForGood,
    /// It is covered, but a longer sequence need not be.
    SoFar,
}

impl Search<'_> {
    /// The last event (`later`) should also come before `earlier`.
    pub(crate) fn reverse(&mut self, earlier: EventNumber, later: EventNumber) {
        let event = *self.trace.event(later);
        let past = std::mem::take(&mut self.past);
        self.reverse_step(earlier, later, (event.process, event.footprint), &past);
        self.past = past;
    }

    /// A step that may be event `later`, or may not have happened yet, should also come before `earlier`.
    pub(crate) fn reverse_step(
        &mut self,
        earlier: EventNumber,
        later: EventNumber,
        step: (Process, Footprint),
        past: &[u64],
    ) {
        self.counts.races += 1;
        self.collect(earlier, later);
        let inserted = self.insert_before(earlier, step, past);
        let happened = later.index() < self.trace.len();
        if inserted == Inserted::SoFar && happened {
            self.open.push(Open { earlier, later, step, past: past.into() });
        }
    }

    /// At the end of an execution: looks at the open reversals again, with all that has happened.
    pub(crate) fn look_again(&mut self) {
        let open = std::mem::take(&mut self.open);
        for Open { earlier, later, step, past } in &open {
            let before = self.collect(*earlier, *later);
            for number in later.until(self.trace.next_event()) {
                if !self.trace.happens_before(*earlier, number) && !self.trace.happens_before(*later, number) {
                    self.add(number);
                }
            }
            if self.sequence.len() > before {
                self.insert_before(*earlier, *step, past);
            }
        }
        self.open = open;
    }

    /// Forgets the open reversals of events that were taken back.
    pub(crate) fn forget_reversals(&mut self) {
        let events = self.trace.len();
        while self.open.last().is_some_and(|open| open.later.index() >= events) {
            self.open.pop();
        }
    }

    /// Begins a sequence with the events after `earlier` and before `end` that do not follow from `earlier`; how many there are.
    fn collect(&mut self, earlier: EventNumber, end: EventNumber) -> usize {
        self.sequence.clear();
        self.path.clear();
        self.mask.clear();
        self.mask.resize(self.trace.words(), 0);
        for number in earlier.until(end) {
            if !self.trace.happens_before(earlier, number) {
                self.add(number);
            }
        }
        self.sequence.len()
    }

    fn add(&mut self, number: EventNumber) {
        let event = self.trace.event(number);
        let (process, footprint) = (event.process, event.footprint);
        self.sequence.push(Item { process, footprint, event: Some(number) });
        bits::add(&mut self.mask, number.index());
    }

    /// Ends the sequence with a step, and puts it into the tree of the state before `earlier`.
    fn insert_before(&mut self, earlier: EventNumber, step: (Process, Footprint), past: &[u64]) -> Inserted {
        let (process, footprint) = step;
        self.follow_in_sequence(step, past, earlier.index());
        self.sequence.push(Item { process, footprint, event: None });
        self.insert(earlier.index())
    }

    /// Puts the sequence into the tree of a level, unless it is covered.
    pub(crate) fn insert(&mut self, depth: usize) -> Inserted {
        self.path.clear();
        let mut covered = None;
        for at in self.asleep(depth) {
            match self.is_weak_initial(depth, self.sleepers[at]) {
                Some(Some(_)) => return Inserted::ForGood,
                Some(None) => covered = Some(Inserted::SoFar),
                None => {}
            }
        }
        if let Some(covered) = covered {
            return covered;
        }
        let mut inserted = None;
        let mut parent = None;
        let mut first = self.levels[depth].tree;
        loop {
            let mut found = None;
            let mut at = first;
            while let Some(id) = at {
                let node = self.forest.get(id);
                if let Some(position) = self.is_weak_initial(depth, (node.process, node.footprint)) {
                    found = Some((id, position));
                    break;
                }
                at = (node.next != NO_NODE).then_some(node.next);
            }
            let Some((id, position)) = found else { break };
            // It matters which process comes first; below it, all that remains is found from there.
            let by = if position.is_some() { Inserted::ForGood } else { Inserted::SoFar };
            let by = *inserted.get_or_insert(by);
            let node = self.forest.get(id);
            if let Some(position) = position {
                let item = self.sequence.remove(position);
                if let Some(event) = item.event {
                    bits::remove(&mut self.mask, event.index());
                }
            }
            self.path.push(node.process);
            if node.first == NO_NODE || self.sequence.is_empty() {
                return by;
            }
            parent = Some(id);
            first = Some(node.first);
        }
        let added = self.forest.chain(self.sequence.iter().map(|item| (item.process, item.footprint)));
        let list = self.forest.append(first.unwrap_or(NO_NODE), added);
        match parent {
            Some(parent) => self.forest.set_children(parent, list),
            None => self.levels[depth].tree = Some(list),
        }
        inserted.unwrap_or(Inserted::ForGood)
    }

    /// Whether a process could come first: `Some(Some(position))` as this member of the sequence, `Some(None)` because
    /// nothing in the sequence depends on it.
    fn is_weak_initial(&self, depth: usize, (process, footprint): (Process, Footprint)) -> Option<Option<usize>> {
        if let Some(position) = self.sequence.iter().position(|item| item.process == process) {
            let alone = match self.sequence[position].event {
                Some(event) => {
                    let event = event.index();
                    let row = self.trace.clocks.row(event);
                    row.iter().zip(&self.mask).enumerate().all(|(word, (row, mask))| {
                        let own = if event / 64 == word { 1 << (event % 64) } else { 0 };
                        row & mask & !own == 0
                    })
                }
                None => bits::disjoint(&self.last_row, &self.mask),
            };
            return alone.then_some(Some(position));
        }
        for (position, item) in self.sequence.iter().enumerate() {
            let reached = |thread: ThreadIdentity, step: StepNumber| self.has_reached(depth, position, thread, step);
            if self.footprints.depend((process, footprint), (item.process, item.footprint), reached) {
                return None;
            }
        }
        Some(None)
    }

    /// What the last member of a sequence follows. It may be less than in the trace: without an own store that has
    /// reached memory, a read of that store is not ordered with the writes of others.
    fn follow_in_sequence(&mut self, (process, footprint): (Process, Footprint), past: &[u64], depth: usize) {
        self.last_row.clear();
        self.last_row.extend_from_slice(past);
        self.last_row.resize(self.trace.words(), 0);
        for (position, item) in self.sequence.iter().enumerate() {
            let reached = |thread: ThreadIdentity, step: StepNumber| self.has_reached(depth, position, thread, step);
            let depends = self.footprints.depend((item.process, item.footprint), (process, footprint), reached);
            if let Some(event) = item.event
                && depends
            {
                bits::join(&mut self.last_row, self.trace.clocks.row(event.index()));
            }
        }
    }

    /// Whether a store is in memory at a position of the sequence, which begins at the given level.
    fn has_reached(&self, depth: usize, position: usize, thread: ThreadIdentity, step: StepNumber) -> bool {
        let commit = Process::commit(thread, step);
        self.trace.commit_of(thread, step).is_some_and(|event| event.index() < depth)
            || self.path.contains(&commit)
            || self.sequence[..position].iter().any(|earlier| earlier.process == commit)
    }
}
