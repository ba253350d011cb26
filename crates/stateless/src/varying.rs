//! Steps that access different cells in different executions: sections with branches, a compare-and-exchange of several
//! cells, an allocation that may reuse memory.
//!
//! The search is complete only if dependence is not undone by an independent step: where `t` and `c` depend on one another,
//! and `t` and `w` do not, `t` and `c` still depend on one another after `w` (the last condition on a happens-before
//! relation in "Optimal Dynamic Partial Order Reduction", POPL 2014, definition 3.3). A section `c` that writes `y` only
//! while `x` is 0 breaks this: `w` sets `x`, and then a read `t` of `y` does not depend on `c` any more. The order `t`, `c`,
//! `w` would be lost.
//!
//! So such a step counts as an access to all that the same step, by thread, number and instruction, has accessed in any
//! execution. What did not happen is marked as such ([`Access::happened`]). This is learnt: if a step accesses something new,
//! the search begins anew with what is known then. When nothing new is learnt any more, nothing is missing: among
//! executions in which all steps keep to what is known, accesses depend on the step alone, so that all traces of
//! those are explored. A first step that did not keep to it would follow such a trace, and what a step reads up to its
//! first new access is known; so this trace, and with it the new access, would have been seen.
//!
//! One case needs no such access: to a cell `y` that alone decides what the step does. Whoever changes `y` depends on all
//! other accesses of `y`. A cell decides only if the step reads it and others may change it at the same time; whether they do is learnt
//! in the same way. So a compare-and-exchange of one cell that fails is a read.

use crate::cells::CellId;
use crate::footprint::{Access, STORED};
use norn_exec::{Executor, ThreadIdentity};
use norn_verdict::schedule::StepNumber;
use std::collections::HashMap;

/// A step that may access something else in another execution, before it is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VaryingStep {
    thread: ThreadIdentity,
    /// How many steps the thread has taken before.
    steps: StepNumber,
    instruction: u32,
}

impl VaryingStep {
    /// The thread's next step, if its accesses vary.
    pub fn of(executor: &Executor<'_>, thread: ThreadIdentity) -> Option<VaryingStep> {
        let taking = executor.thread(thread);
        executor.accesses_vary(thread).then_some(VaryingStep {
            thread,
            steps: taking.counts.steps,
            instruction: taking.pc,
        })
    }
}

/// What is known of such steps from all executions so far.
#[derive(Default)]
pub struct Varying {
    known: HashMap<VaryingStep, Known>,
    /// By cell: threads access it concurrently, and one of them writes it.
    contested: Vec<bool>,
    /// By cell: that it is not contested was the reason to leave an access out.
    relied_on: Vec<bool>,
    /// What was known before was too little: the search has to begin anew.
    pub changed: bool,
}

/// What a step has accessed in some execution.
#[derive(Default)]
struct Known {
    accesses: Vec<(CellId, bool)>,
    exits: bool,
}

impl Varying {
    /// Two threads access the cell concurrently, and one of them writes it.
    pub fn contest(&mut self, cell: CellId) {
        if !is_set(&self.contested, cell) {
            set(&mut self.contested, cell);
            self.changed |= is_set(&self.relied_on, cell);
        }
    }

    /// Learns what the step accesses in this execution, of objects that were there before it, and whether it ends the
    /// program.
    pub fn learn(&mut self, site: VaryingStep, accesses: &[Access], exits: bool) {
        let is_new = !self.known.contains_key(&site);
        let known = self.known.entry(site).or_default();
        for access in accesses.iter().filter(|access| access.cell != STORED) {
            let access = (access.cell, access.writes);
            if !known.accesses.contains(&access) {
                known.accesses.push(access);
                self.changed |= !is_new;
            }
        }
        if exits && !known.exits {
            known.exits = true;
            self.changed |= !is_new;
        }
    }

    /// Whether the step ends the program in some execution.
    pub fn may_exit(&self, site: VaryingStep) -> bool {
        self.known.get(&site).is_some_and(|known| known.exits)
    }

    /// What the step accesses in other executions beside these accesses, as far as that matters.
    pub fn others(&mut self, site: VaryingStep, accesses: &[Access]) -> Vec<(CellId, bool)> {
        let Some(known) = self.known.get(&site) else { return Vec::new() };
        let happened = |&(cell, writes): &(CellId, bool)| {
            accesses.iter().any(|access| access.cell == cell && (access.writes || !writes))
        };
        let mut others: Vec<(CellId, bool)> = known.accesses.iter().copied().filter(|other| !happened(other)).collect();
        others.retain(|&(cell, _)| {
            let deciding =
                || accesses.iter().filter(|access| !access.writes && access.cell != cell && access.cell != STORED);
            let matters = deciding().any(|access| is_set(&self.contested, access.cell));
            if !matters {
                deciding().for_each(|access| set(&mut self.relied_on, access.cell));
            }
            matters
        });
        others
    }
}

fn is_set(cells: &[bool], cell: CellId) -> bool {
    cells.get(cell.index()) == Some(&true)
}

fn set(cells: &mut Vec<bool>, cell: CellId) {
    if cells.len() <= cell.index() {
        cells.resize(cell.index() + 1, false);
    }
    cells[cell.index()] = true;
}
