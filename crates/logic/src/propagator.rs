//! Constraints that are code instead of clauses: a [`Propagator`] sees the solver's search and adds what follows.
//!
//! This is CaDiCaL's external propagator (Fazekas and others, "IPASIR-UP: User Propagators for CDCL", SAT 2023) with an interface
//! that cannot be misused: the adapter here keeps the trail, so that a propagator sees every assignment exactly once (CaDiCaL
//! repeats those at level 0); it takes whole clauses instead of single literals; it checks that clauses are over observed variables
//! and that a reason contains what it explains, where CaDiCaL would abort the process; and it carries a panic of the propagator past
//! the C++ code, where it would abort, too.

use crate::clauses::Lit;
use crate::proof::Checker;
use cadical_sys::ExternalPropagator;
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

#[cfg(test)]
mod tests;

/// A constraint over observed variables.
///
/// Assignments form a stack: [`Propagator::new_level`] opens a level, [`Propagator::backtrack`] takes away all
/// assignments of the levels above the one that it names. The solver calls [`Propagator::propagate`] until it gives no
/// literal, then [`Propagator::add_clause`] until it gives no clause, and goes on with its search.
pub trait Propagator {
    /// These observed literals have become true, in this order.
    fn assigned(&mut self, literals: &[Lit]);

    /// Literals that are assigned from now on belong to a new level.
    fn new_level(&mut self);

    /// Every assignment above this level is undone. The assignments of level 0 always hold.
    fn backtrack(&mut self, level: usize);

    /// A literal that follows from the assignment, if there is one. It may be false already: that is a conflict.
    fn propagate(&mut self) -> Option<Lit> {
        None
    }

    /// Writes the clause by which [`Propagator::propagate`] found the literal: the literal itself, and literals that
    /// were false at that time. The solver asks for it at any time until the literal is unassigned, possibly after
    /// other assignments, or never.
    fn reason(&mut self, literal: Lit, clause: &mut Vec<Lit>) {
        let _ = clause;
        unreachable!("a propagator that propagates {literal:?} should have a reason for it");
    }

    /// Writes a clause that must hold, if there is a new one. Returns whether it wrote one.
    fn add_clause(&mut self, clause: &mut Vec<Lit>) -> bool;

    /// The literal to decide on next. If there is none, or if it is assigned already, the solver chooses.
    fn decide(&mut self) -> Option<Lit> {
        None
    }

    /// Whether a complete assignment of the observed variables is right. If not, [`Propagator::add_clause`] must give a clause that
    /// it violates.
    fn accepts(&mut self, model: &[Lit]) -> bool;

    /// Whether the solver may forget the clauses of this propagator; it asks again for those that it needs.
    fn may_forget(&self) -> bool {
        false
    }
}

/// Lets the engine keep its propagator, to read what it counted.
impl<P: Propagator> Propagator for Rc<RefCell<P>> {
    fn assigned(&mut self, literals: &[Lit]) {
        self.borrow_mut().assigned(literals);
    }

    fn new_level(&mut self) {
        self.borrow_mut().new_level();
    }

    fn backtrack(&mut self, level: usize) {
        self.borrow_mut().backtrack(level);
    }

    fn propagate(&mut self) -> Option<Lit> {
        self.borrow_mut().propagate()
    }

    fn reason(&mut self, literal: Lit, clause: &mut Vec<Lit>) {
        self.borrow_mut().reason(literal, clause);
    }

    fn add_clause(&mut self, clause: &mut Vec<Lit>) -> bool {
        self.borrow_mut().add_clause(clause)
    }

    fn decide(&mut self) -> Option<Lit> {
        self.borrow_mut().decide()
    }

    fn accepts(&mut self, model: &[Lit]) -> bool {
        self.borrow_mut().accepts(model)
    }

    fn may_forget(&self) -> bool {
        self.borrow().may_forget()
    }
}

/// A panic in a callback, kept until the solver has returned.
pub(crate) type Panic = Rc<RefCell<Option<Box<dyn Any + Send>>>>;

/// What the solver calls.
pub(crate) struct Adapter {
    propagator: Box<dyn Propagator>,
    panic: Panic,
    checker: Option<Rc<RefCell<Checker>>>,
    state: Rc<RefCell<Observed>>,
    /// The clause that is being handed over, backwards.
    clause: Vec<Lit>,
    is_handing_over: bool,
    scratch: Vec<Lit>,
}

/// Which variables are observed, and the assignment that the propagator knows.
#[derive(Default)]
pub(crate) struct Observed {
    /// By variable.
    is_observed: Vec<bool>,
    /// By variable: the literal that is true.
    assigned: Vec<Option<Lit>>,
    trail: Vec<Lit>,
    /// The length of the trail where each level begins.
    levels: Vec<usize>,
}

impl Observed {
    pub(crate) fn add(&mut self, literal: Lit) -> bool {
        let variable = literal.variable() as usize;
        if self.is_observed.len() <= variable {
            self.is_observed.resize(variable + 1, false);
            self.assigned.resize(variable + 1, None);
        }
        !std::mem::replace(&mut self.is_observed[variable], true)
    }

    fn is_observed(&self, literal: Lit) -> bool {
        self.is_observed.get(literal.variable() as usize).copied().unwrap_or(false)
    }

    fn check(&self, literal: Lit) {
        assert!(self.is_observed(literal), "a propagator should only use observed variables, not {literal:?}");
    }
}

impl Adapter {
    pub(crate) fn new(
        propagator: Box<dyn Propagator>,
        state: Rc<RefCell<Observed>>,
        panic: Panic,
        checker: Option<Rc<RefCell<Checker>>>,
    ) -> Adapter {
        Adapter { propagator, panic, checker, state, clause: Vec::new(), is_handing_over: false, scratch: Vec::new() }
    }

    /// Calls the propagator; once it has panicked, nothing is called any more and the search ends.
    fn call<T>(&mut self, nothing: T, callback: impl FnOnce(&mut Adapter) -> T) -> T {
        if self.panic.borrow().is_some() {
            return nothing;
        }
        match catch_unwind(AssertUnwindSafe(|| callback(self))) {
            Ok(result) => result,
            Err(payload) => {
                *self.panic.borrow_mut() = Some(payload);
                nothing
            }
        }
    }

    /// Gets the clause ready for handing over.
    fn begin_clause(&mut self) {
        for &literal in &self.clause {
            self.state.borrow().check(literal);
        }
        if let Some(checker) = &self.checker {
            checker.borrow_mut().expect_from_propagator(&self.clause);
        }
        self.clause.reverse();
        self.is_handing_over = true;
    }

    /// The next literal of the clause that is handed over, or the 0 that ends it.
    fn next_literal(&mut self) -> i32 {
        match self.clause.pop() {
            Some(literal) => literal.dimacs(),
            None => {
                self.is_handing_over = false;
                0
            }
        }
    }
}

impl ExternalPropagator for Adapter {
    fn are_reasons_forgettable(&mut self) -> bool {
        self.propagator.may_forget()
    }

    fn notify_assignment(&mut self, literals: &[i32]) {
        self.call((), |adapter| {
            adapter.scratch.clear();
            {
                let mut state = adapter.state.borrow_mut();
                for &literal in literals {
                    let literal = Lit::from_dimacs(literal);
                    // A variable that is fixed for good may come under the name of another one; it was seen before.
                    if !state.is_observed(literal) {
                        continue;
                    }
                    let value = &mut state.assigned[literal.variable() as usize];
                    match *value {
                        Some(before) => assert_eq!(before, literal, "an assignment should be undone before it changes"),
                        None => {
                            *value = Some(literal);
                            state.trail.push(literal);
                            adapter.scratch.push(literal);
                        }
                    }
                }
            }
            if !adapter.scratch.is_empty() {
                adapter.propagator.assigned(&adapter.scratch);
            }
        });
    }

    fn notify_new_decision_level(&mut self) {
        self.call((), |adapter| {
            {
                let mut state = adapter.state.borrow_mut();
                let length = state.trail.len();
                state.levels.push(length);
            }
            adapter.propagator.new_level();
        });
    }

    fn notify_backtrack(&mut self, level: usize) {
        self.call((), |adapter| {
            {
                let mut state = adapter.state.borrow_mut();
                let Some(&length) = state.levels.get(level) else { return };
                state.levels.truncate(level);
                let undone = state.trail.split_off(length);
                for literal in undone {
                    state.assigned[literal.variable() as usize] = None;
                }
            }
            adapter.propagator.backtrack(level);
        });
    }

    fn cb_check_found_model(&mut self, model: &[i32]) -> bool {
        self.call(true, |adapter| {
            let model: Vec<Lit> = model.iter().map(|&literal| Lit::from_dimacs(literal)).collect();
            adapter.propagator.accepts(&model)
        })
    }

    fn cb_decide(&mut self) -> i32 {
        self.call(0, |adapter| {
            let Some(literal) = adapter.propagator.decide() else { return 0 };
            let state = adapter.state.borrow();
            state.check(literal);
            if state.assigned[literal.variable() as usize].is_some() { 0 } else { literal.dimacs() }
        })
    }

    fn cb_propagate(&mut self) -> i32 {
        self.call(0, |adapter| match adapter.propagator.propagate() {
            Some(literal) => {
                adapter.state.borrow().check(literal);
                literal.dimacs()
            }
            None => 0,
        })
    }

    fn cb_add_reason_clause_lit(&mut self, propagated: i32) -> i32 {
        // The solver needs a clause with this literal in it, whatever has happened.
        let literal = Lit::from_dimacs(propagated);
        if !self.is_handing_over {
            self.clause.clear();
            self.call((), |adapter| {
                let mut clause = std::mem::take(&mut adapter.clause);
                adapter.propagator.reason(literal, &mut clause);
                assert!(clause.contains(&literal), "a reason should contain the literal {literal:?} that it explains");
                adapter.clause = clause;
                adapter.begin_clause();
            });
            if !self.is_handing_over {
                self.clause = vec![literal];
                self.is_handing_over = true;
            }
        }
        self.next_literal()
    }

    fn cb_has_external_clause(&mut self, is_forgettable: &mut bool) -> bool {
        self.call(false, |adapter| {
            *is_forgettable = adapter.propagator.may_forget();
            adapter.clause.clear();
            let mut clause = std::mem::take(&mut adapter.clause);
            let is_new = adapter.propagator.add_clause(&mut clause);
            adapter.clause = clause;
            if is_new {
                adapter.begin_clause();
            }
            is_new
        })
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        self.next_literal()
    }
}
