//! When contents of cells that still grow are nevertheless known.
//!
//! `i += j` beside `j += i` grows with every execution of the threads, though each write of a bounded program happens at
//! most once. A value is the end of a *chain* of writes: each computed from what was read of the one before, the first
//! from what was there at the beginning (reads take their values from earlier writes, under every model: there is no
//! value out of thin air). All writes of a chain are different, and all but the first depend on a read. Only cells whose
//! contents grow have to be looked at: what the others hold does not depend on how long the chain is.
//!
//! The first execution foresees chains of one write, the second of two, and so on. If there were a chain longer than the
//! writes of an execution tell, that execution would have foreseen more writes of it than it has. So after as many
//! executions as there are such writes, and two, everything is foreseen, and one more execution is the last. Counting
//! begins anew where something else was found: a thread, an object, a pointer, the first content of a cell.
//!
//! Where chains may be long the contents are widened instead (see `class`).

use norn_ir::number::narrow;
use std::collections::{BTreeMap, BTreeSet};

use crate::facts::Slot;

/// Chains that may be longer are not waited for: most counters double with each execution.
const LONGEST: u32 = 40;

#[derive(Clone, Default, Debug)]
pub struct Chains {
    /// The classes of cells, by their first slots, that have grown since something else was found; and likewise the
    /// results of threads.
    growing: BTreeSet<Slot>,
    results_grow: bool,
    /// Executions since then.
    executions: u32,
    /// Writes of this execution that depend on a read.
    writes: BTreeMap<Slot, u32>,
    /// The next execution, or this one, has all the facts that it needs.
    is_last: bool,
}

/// What an execution of the threads found.
pub struct Found<'a> {
    /// Something besides more of what cells hold.
    pub others: bool,
    /// Classes of cells that hold more than was assumed, by their first slots.
    pub grown: &'a [Slot],
    pub results_grown: bool,
    pub threads: usize,
}

/// What to do about cells that hold more than was assumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Growth {
    /// What was found beyond the assumptions cannot happen.
    Ignored,
    Kept,
    Widened,
}

impl Chains {
    /// Before an execution.
    pub fn begin(&mut self) {
        self.writes.clear();
    }

    pub fn note_write(&mut self, slot: Slot) {
        *self.writes.entry(slot).or_default() += 1;
    }

    /// After an execution.
    pub fn end(&mut self, found: &Found<'_>, class_of: impl Fn(Slot) -> Slot) -> Growth {
        let was_last = std::mem::take(&mut self.is_last);
        if found.others {
            self.growing.clear();
            self.results_grow = false;
            self.executions = 0;
        } else if was_last {
            return Growth::Ignored;
        } else {
            self.executions += 1;
        }
        self.growing.extend(found.grown);
        self.results_grow |= found.results_grown;
        // Classes may have been united.
        let growing: BTreeSet<Slot> = self.growing.iter().map(|&slot| class_of(slot)).collect();
        let is_growing = |slot: Slot| growing.contains(&class_of(slot));
        let writes = self.writes.iter().filter(|&(&slot, _)| is_growing(slot)).map(|(_, count)| count).sum::<u32>();
        let results = if self.results_grow { narrow(found.threads) } else { 0 };
        let longest = 1 + writes + results;
        self.is_last = self.executions > longest;
        if longest > LONGEST { Growth::Widened } else { Growth::Kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of executions after which nothing can grow any more, given the number of writes that depend on a
    /// read.
    fn executions(writes: u32) -> Option<u32> {
        let mut chains = Chains::default();
        let first = Found { others: true, grown: &[], results_grown: false, threads: 1 };
        chains.end(&first, |slot| slot);
        (1..100).find(|_| {
            chains.begin();
            (0..writes).for_each(|_| chains.note_write(Slot(0)));
            chains.note_write(Slot(1));
            let found = Found { others: false, grown: &[Slot(0)], results_grown: false, threads: 1 };
            chains.end(&found, |slot| slot) == Growth::Ignored
        })
    }

    #[test]
    fn growth_ends_with_the_writes() {
        assert_eq!(executions(0), Some(3));
        assert_eq!(executions(5), Some(8));
    }

    #[test]
    fn something_else_begins_anew() {
        let mut chains = Chains::default();
        let grown = Found { others: false, grown: &[Slot(0)], results_grown: false, threads: 1 };
        let other = Found { others: true, ..grown };
        let found: Vec<Growth> =
            [&grown, &grown, &other, &grown, &grown, &grown].map(|found| chains.end(found, |slot| slot)).into();
        assert_eq!(found[..5], [Growth::Kept; 5]);
        assert_eq!(found[5], Growth::Ignored);
    }

    #[test]
    fn long_chains_are_widened() {
        let mut chains = Chains::default();
        (0..LONGEST).for_each(|_| chains.note_write(Slot(3)));
        let found = Found { others: false, grown: &[Slot(1)], results_grown: false, threads: 1 };
        assert_eq!(chains.end(&found, |slot| slot), Growth::Kept);
        // The slots are cells of one class.
        assert_eq!(chains.end(&found, |_| Slot(1)), Growth::Widened);
    }
}
