//! CaDiCaL's proof, as the steps that the checker follows.

use crate::proof::Step;
use cadical_sys::ProofTracer;

/// Hands every step on.
pub(crate) struct Tracer<F>(pub(crate) F);

impl<F: FnMut(Step)> ProofTracer for Tracer<F> {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], restored: bool) {
        (self.0)(if restored { Step::Restored { id, clause } } else { Step::Original { id, clause } });
    }

    fn add_derived_clause(&mut self, id: i64, _redundant: bool, _witness: i32, clause: &[i32], hints: &[i64]) {
        (self.0)(Step::Derived { id, clause, hints });
    }

    fn delete_clause(&mut self, id: i64, _redundant: bool, _clause: &[i32]) {
        (self.0)(Step::Deleted { id });
    }

    fn weaken_minus(&mut self, id: i64, _clause: &[i32]) {
        (self.0)(Step::Weakened { id });
    }

    fn add_assumption_clause(&mut self, _id: i64, clause: &[i32], hints: &[i64]) {
        (self.0)(Step::Conclusion { clause, hints });
    }

    // The rest changes no clause, and the conclusion is checked by what was derived, not by what the solver says of it.
    fn strengthen(&mut self, _id: i64) {}
    fn finalize_clause(&mut self, _id: i64, _clause: &[i32]) {}
    fn add_assumption(&mut self, _literal: i32) {}
    fn add_constraint(&mut self, _clause: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn conclude_sat(&mut self, _conclusion: i32, _model: &[i32]) {}
    fn conclude_unsat(&mut self, _conclusion: i32, _ids: &[i64]) {}
    fn conclude_unknown(&mut self, _trail: &[i32]) {}
}
