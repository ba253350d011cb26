//! The memory models: in which order the stores of a thread are committed. One small file each.
//!
//! A store that is run in a round gets a commit round, this one or a later one; after the last round the buffers drain. A
//! commit takes effect in the slot of its thread, after or before the thread's own steps there, which is the same for
//! everybody: the thread sees its own newest store either way. What the models have in common (what empties a buffer,
//! what a read sees) is in [`crate::encode`].
//!
//! How this relates to eTSO-SMA (lazysma-fmcad16, sections III and IV): there each store gets a timestamp, a future value
//! of a global clock that any access may move, and a store has expired, that is, has reached memory, once the clock has
//! passed its timestamp. Here the slots are the clock, and a timestamp is the number of a slot of the storing thread. Both
//! guess when a store is made when it will be committed; both need timestamps that do not decrease along a thread
//! (TSO) or along a thread's stores to one location (PSO). The paper's clock may move within a slot of any thread, so that
//! stores can be committed in the middle of another thread's slot, and some behaviours need fewer rounds there; here a
//! commit waits for a slot of its own thread, and the memory between two slots is a plain value per cell: no lists, no
//! timestamps to compare at each access. With enough rounds both have all behaviours of the machine.

pub mod pso;
pub mod sc;
pub mod tso;

use norn_logic::{Term, Terms};
use norn_symex::CellId;
use norn_verdict::model::Model;

/// Whether stores wait in a buffer.
pub fn buffers_stores(model: Model) -> bool {
    match model {
        Model::Sc => sc::BUFFERS_STORES,
        Model::Tso | Model::Pso => true,
    }
}

/// What a thread does that matters to the order of its commits, in program order.
pub enum Item {
    Store(Store),
    /// Later stores may not be committed before earlier ones, if this holds.
    StoreFence(Term),
}

/// A buffered store.
pub struct Store {
    /// By round, from 1: it has been committed by the end of that round.
    pub committed: Vec<Term>,
    /// The cells that it may go to, each with the condition under which it does and was executed.
    pub cells: Vec<(CellId, Term)>,
}

/// The conditions, as clauses, under which the commits of a thread are in order in one round (its number less one).
pub fn order(model: Model, terms: &mut Terms, items: &[Item], round: usize) -> Vec<Vec<Term>> {
    match model {
        Model::Sc => Vec::new(),
        Model::Tso => tso::order(items, round),
        Model::Pso => pso::order(terms, items, round),
    }
}

/// All of these stores have been committed by the end of a round (its number less one).
pub fn all_committed(model: Model, terms: &mut Terms, items: &[Item], round: usize) -> Term {
    match model {
        Model::Sc => Term::TRUE,
        Model::Tso => tso::all_committed(items, round),
        Model::Pso => pso::all_committed(terms, items, round),
    }
}

fn stores(items: &[Item]) -> impl DoubleEndedIterator<Item = &Store> {
    items.iter().filter_map(|item| match item {
        Item::Store(store) => Some(store),
        Item::StoreFence(_) => None,
    })
}
