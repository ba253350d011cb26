//! Total store order: a thread's stores are committed in program order.
//!
//! One chain over all of them, whether they are executed or not: one that is not executed can always be given the commit
//! round of its neighbour.

use super::{Item, stores};
use norn_logic::Term;

pub fn order(items: &[Item], round: usize) -> Vec<Vec<Term>> {
    let next = stores(items).skip(1);
    stores(items).zip(next).map(|(earlier, later)| vec![!later.committed[round], earlier.committed[round]]).collect()
}

/// The last store has been committed, and so all of them.
pub fn all_committed(items: &[Item], round: usize) -> Term {
    stores(items).next_back().map_or(Term::TRUE, |last| last.committed[round])
}
