//! Partial store order: a thread's stores to one cell are committed in program order, and so are stores with a store-store
//! fence between them.
//!
//! Stores that can only go to one cell form a chain, whether they are executed or not, as under TSO. Where a store may go
//! to several cells, it is in order with those that it meets in fact. With fences F1 … Fn in program order, "all before Fi
//! are committed" is built upon that of Fi−1, and so is "every fence before this store holds": the size is linear in the
//! number of stores and fences.

use super::{Item, Store, stores};
use norn_logic::{Term, Terms};
use norn_symex::CellId;
use std::collections::BTreeMap;

pub fn order(terms: &mut Terms, items: &[Item], round: usize) -> Vec<Vec<Term>> {
    let mut clauses = Vec::new();
    per_cell(items, round, &mut clauses);
    // All stores so far are committed; all fences so far are respected.
    let (mut all, mut respected) = (Term::TRUE, Term::TRUE);
    for item in items {
        match item {
            Item::Store(store) => {
                clauses.push(vec![!store.committed[round], respected]);
                all = terms.and(all, store.committed[round]);
            }
            Item::StoreFence(guard) => {
                let respects = terms.implies(*guard, all);
                respected = terms.and(respected, respects);
            }
        }
    }
    clauses
}

fn per_cell(items: &[Item], round: usize, clauses: &mut Vec<Vec<Term>>) {
    /// The last store that goes to the cell only, and those since that may go there.
    #[derive(Default)]
    struct Latest<'a> {
        only: Option<&'a Store>,
        maybe: Vec<(&'a Store, Term)>,
    }
    let mut latest: BTreeMap<CellId, Latest<'_>> = BTreeMap::new();
    for store in stores(items) {
        let is_certain = store.cells.len() == 1;
        for &(cell, goes_there) in &store.cells {
            let latest = latest.entry(cell).or_default();
            let mut clause = vec![!store.committed[round]];
            if !is_certain {
                clause.push(!goes_there);
            }
            if let Some(earlier) = latest.only {
                let mut clause = clause.clone();
                clause.push(earlier.committed[round]);
                clauses.push(clause);
            }
            for (earlier, went_there) in &latest.maybe {
                let mut clause = clause.clone();
                clause.extend([!*went_there, earlier.committed[round]]);
                clauses.push(clause);
            }
            if is_certain {
                *latest = Latest { only: Some(store), maybe: Vec::new() };
            } else {
                latest.maybe.push((store, goes_there));
            }
        }
    }
}

pub fn all_committed(terms: &mut Terms, items: &[Item], round: usize) -> Term {
    let committed: Vec<Term> = stores(items).map(|store| store.committed[round]).collect();
    committed.into_iter().fold(Term::TRUE, |all, committed| terms.and(all, committed))
}
