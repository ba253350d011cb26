//! What a SAT solver can do for an engine.

use crate::clauses::{ClauseSink, Lit};
use norn_verdict::limits::{Exceeded, Limits};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model; [`Sat::value`] reads it.
    Sat,
    /// There is no model under the assumptions; [`Sat::failed`] says which of them were needed.
    Unsat,
    Stopped(Exceeded),
}

/// The size of the formula and the work done on it so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SatStats {
    pub variables: u64,
    /// Clauses as they were added, before the solver simplified them.
    pub clauses: u64,
    pub conflicts: u64,
    pub decisions: u64,
    pub propagations: u64,
}

/// An incremental SAT solver.
pub trait Sat: ClauseSink {
    /// Looks for a model in which all assumptions hold. Clauses can be added and other assumptions made afterwards.
    fn solve(&mut self, assumptions: &[Lit], limits: &Limits) -> Answer;

    /// The value of a literal in the model; only after [`Answer::Sat`], before anything is added.
    fn value(&self, literal: Lit) -> bool;

    /// Whether an assumption was needed to refute the formula; only after [`Answer::Unsat`], before anything is added.
    fn failed(&self, assumption: Lit) -> bool;

    fn stats(&self) -> SatStats;
}
