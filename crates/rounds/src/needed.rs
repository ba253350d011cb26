//! Which variables the conditions of a formula depend on.
//!
//! At full width it is enough to look at the terms as they were built: a range holds for whatever is executed, so what its
//! width decides needs no equation. A limit on the width cuts ranges, and a cut range holds only because the equation of the
//! read says so. With `x` either 0 or 1000 and a limit of 4 bits, `x >= 8` is built as false, and `x == 1000` too: the
//! variable is gone, but an execution that reads 1000 has to go with it. So for a limited read the terms of the event list
//! are asked, before anything was made smaller: each limited read that a condition depends on there gets its equation.

use crate::narrow::Narrow;
use norn_logic::{Node, Term, Terms};
use norn_symex::{EventId, EventKind, Symbolic};
use std::collections::BTreeMap;

/// The variables that some terms depend on.
#[derive(Default)]
pub struct Needed {
    seen: Vec<bool>,
    pub variables: Vec<Term>,
}

impl Needed {
    pub fn add(&mut self, terms: &Terms, roots: impl IntoIterator<Item = Term>) {
        self.seen.resize(terms.len(), false);
        let mut pending: Vec<Term> = roots.into_iter().collect();
        while let Some(term) = pending.pop() {
            if std::mem::replace(&mut self.seen[term.index()], true) {
                continue;
            }
            match terms.node(term.positive()) {
                Node::Variable(_) => self.variables.push(term.positive()),
                node => pending.extend(node.operands()),
            }
        }
    }
}

/// The limited reads whose values decide conditions that were built, by way of other reads or not.
pub fn limited_reads(symbolic: &Symbolic, narrow: &Narrow<'_>) -> Vec<EventId> {
    if !narrow.is_limited() {
        return Vec::new();
    }
    let mut readers: BTreeMap<usize, Vec<EventId>> = BTreeMap::new();
    let mut writers: Vec<Vec<Term>> = symbolic.cells.iter().map(|cell| vec![cell.initial]).collect();
    for id in symbolic.event_ids() {
        match &symbolic.event(id).kind {
            EventKind::Read { value, .. } => readers.entry(value.index()).or_default().push(id),
            EventKind::Write { targets, value, .. } => {
                targets.iter().for_each(|target| writers[target.0.index()].push(*value));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    let mut needed = Needed::default();
    needed.add(&symbolic.terms, narrow.conditions());
    while let Some(variable) = needed.variables.pop() {
        for id in readers.remove(&variable.index()).unwrap_or_default() {
            for &(cell, _) in symbolic.event(id).targets() {
                needed.add(&symbolic.terms, writers[cell.index()].drain(..));
            }
            if narrow.is_limited_variable(variable) {
                found.push(id);
            }
        }
    }
    found
}
