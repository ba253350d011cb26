//! CaDiCaL's proof, as the steps that the checker follows.

use crate::proof::{Checker, Step};
use cadical_sys::ProofTracer;
use std::cell::RefCell;
use std::rc::Rc;

/// Hands every step to the checker, which remembers the first damage.
pub(crate) struct Tracer(pub(crate) Rc<RefCell<Checker>>);

impl Tracer {
    fn step(&mut self, step: Step) {
        // Damage is asked for at the end: see `Checker::certificate`.
        let _ = self.0.borrow_mut().step(step);
    }
}

impl ProofTracer for Tracer {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], restored: bool) {
        self.step(if restored { Step::Restored { id, clause } } else { Step::Original { id, clause } });
    }

    fn add_derived_clause(&mut self, id: i64, _redundant: bool, _witness: i32, clause: &[i32], hints: &[i64]) {
        self.step(Step::Derived { id, clause, hints });
    }

    fn delete_clause(&mut self, id: i64, _redundant: bool, _clause: &[i32]) {
        self.step(Step::Deleted { id });
    }

    fn weaken_minus(&mut self, id: i64, _clause: &[i32]) {
        self.step(Step::Weakened { id });
    }

    fn add_assumption_clause(&mut self, _id: i64, clause: &[i32], hints: &[i64]) {
        self.step(Step::Conclusion { clause, hints });
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
