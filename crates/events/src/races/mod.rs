//! Data races: two conflicting accesses of different threads, neither of which happens before the other.
//!
//! What happens before what is decided by who reads from whom and by the order of sections, as the machine's `race`
//! module says; neither asks when a buffered store reaches memory except through what is read. So there is one answer
//! for all schedules of a model, and the schedule of a model with a race runs into it (or into another violation before).
//!
//! One literal, *race*, stands for "there is one", with selectors for the two accesses ([`candidates`] says which accesses
//! can be selected at all). That one does not happen before the other is shown by a set of points that contains the first, is
//! closed under happens-before, and does not contain the second: linear in the number of points and of edges, with no need
//! for the transitive closure ([`witness`]). There are two such sets, one for each access, so that nothing has to be said
//! about which of the two is executed first.

mod candidates;
mod edges;
mod sequences;
mod witness;

use crate::encode::{Formula, Orders};
use crate::fixed_order::FixedOrder;
use crate::pairs::{Facts, Source};
use candidates::{Candidate, candidates};
use norn_logic::{ClauseSink, Lit, Term};
use norn_symex::{CellId, EventId, Symbolic};
use std::collections::BTreeMap;
use witness::Witness;

/// What the rest of the formula says about the events.
pub struct Context<'a, S: ClauseSink> {
    pub symbolic: &'a mut Symbolic,
    pub fixed: &'a FixedOrder,
    pub facts: &'a Facts<'a>,
    /// For each read its sources.
    pub sources: &'a [(EventId, Vec<(Source, Lit)>)],
    pub orders: &'a mut dyn Orders<S>,
}

/// A literal that implies that there is a data race; whoever wants to know whether there is one assumes it.
pub fn encode<S: ClauseSink>(formula: &mut Formula<'_, S>, context: &mut Context<'_, S>) -> Lit {
    let candidates = candidates(context.symbolic);
    if candidates.is_empty() {
        return !formula.truth;
    }
    let race = formula.fresh();
    let selectors = select(formula, context, &candidates, race);
    let mut witness = Witness::new(formula, context, &candidates);
    for side in 0..2 {
        witness.grow(formula, context, [&selectors[side], &selectors[1 - side]]);
    }
    race
}

/// The selectors of the two accesses. If *race* holds, one of each is true, and whatever is selected on the two sides is
/// executed by different threads (those of the first side have smaller numbers), touches a common cell, and is a race if it
/// is not ordered.
fn select<S: ClauseSink>(
    formula: &mut Formula<'_, S>,
    context: &mut Context<'_, S>,
    candidates: &[Candidate],
    race: Lit,
) -> [Vec<Lit>; 2] {
    let cells: BTreeMap<CellId, Lit> = {
        let all = candidates.iter().flat_map(|candidate| &candidate.targets).map(|&(cell, _)| (cell, formula.truth));
        let mut cells: BTreeMap<CellId, Lit> = all.collect();
        cells.values_mut().for_each(|literal| *literal = rarely(formula));
        cells
    };
    at_most_one(formula, cells.values().copied());
    // Is true for the threads of the first side and false for those of the second.
    let threads: Vec<Lit> = context.symbolic.threads.iter().map(|_| formula.fresh()).collect();
    for pair in threads.windows(2) {
        formula.clause(&[!pair[1], pair[0]]);
    }
    let sides = [0, 1].map(|side| {
        let writes = rarely(formula);
        let plain = rarely(formula);
        let (frees, by_library) = (rarely(formula), rarely(formula));
        let mut selectors = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let selected = rarely(formula);
            let executed = formula.lit(context.symbolic, candidate.guard);
            formula.clause(&[!selected, executed]);
            let first = threads[candidate.thread.index()];
            formula.clause(&[!selected, if side == 0 { first } else { !first }]);
            if !candidate.is_write {
                formula.clause(&[!selected, !writes]);
            }
            if candidate.is_atomic {
                formula.clause(&[!selected, !plain]);
            }
            if candidate.frees {
                formula.clause(&[!selected, frees]);
            }
            if candidate.by_library {
                formula.clause(&[!selected, by_library]);
            }
            let mut touches = vec![!selected];
            for &(cell, condition) in &candidate.targets {
                let condition = formula.lit(context.symbolic, condition);
                touches.push(formula.both(cells[&cell], condition));
            }
            formula.clause(&touches);
            selectors.push(selected);
        }
        let mut some = vec![!race];
        some.extend(&selectors);
        formula.clause(&some);
        (selectors, [writes, plain], [frees, by_library])
    });
    let [(first, first_needs, first_is), (second, second_needs, second_is)] = sides;
    let ([first_writes, first_plain], [second_writes, second_plain]) = (first_needs, second_needs);
    let ([first_frees, first_by_library], [second_frees, second_by_library]) = (first_is, second_is);
    formula.clause(&[!race, first_writes, second_writes]);
    formula.clause(&[!race, first_plain, second_plain]);
    // What the library does with its own objects is no race with their end, and to free twice is another violation.
    formula.clause(&[!race, !first_frees, !second_by_library]);
    formula.clause(&[!race, !first_by_library, !second_frees]);
    formula.clause(&[!race, !first_frees, !second_frees]);
    [first, second]
}

/// A new literal that is better tried as false first, which the solver does with the negation of a variable.
fn rarely<S: ClauseSink>(formula: &mut Formula<'_, S>) -> Lit {
    !formula.fresh()
}

/// By a chain: "one of those so far".
fn at_most_one<S: ClauseSink>(formula: &mut Formula<'_, S>, literals: impl Iterator<Item = Lit>) {
    let mut before = !formula.truth;
    for literal in literals {
        formula.clause(&[!before, !literal]);
        let so_far = rarely(formula);
        formula.clause(&[!before, so_far]);
        formula.clause(&[!literal, so_far]);
        before = so_far;
    }
}

/// The condition under which two lists of places have one in common.
fn same_place(symbolic: &mut Symbolic, a: &[Place], b: &[Place]) -> Term {
    let terms = &mut symbolic.terms;
    let mut same = Term::FALSE;
    for &(object, offset, here) in a {
        for &(_, other, there) in b.iter().filter(|place| place.0 == object) {
            let equal = terms.eq(offset, other);
            let both = terms.all([equal, here, there]);
            same = terms.or(same, both);
        }
    }
    same
}

type Place = (norn_symex::ObjectId, Term, Term);
