//! The memory models, as axioms: which parts of program order are kept. One small file each.
//!
//! All else is common to them: `rf` from other threads, `co` and `fr` are kept, fences and sections order everything
//! before with everything behind, and a thread's own stores to one cell stay in order.

pub mod pso;
pub mod sc;
pub mod tso;

use norn_verdict::model::Model;

/// What of program order between accesses to different cells is given up. Reads are never overtaken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relaxed {
    /// A read may come before an earlier store.
    pub store_load: bool,
    /// A store may come before an earlier one.
    pub store_store: bool,
}

pub fn relaxed(model: Model) -> Relaxed {
    match model {
        Model::Sc => sc::RELAXED,
        Model::Tso => tso::RELAXED,
        Model::Pso => pso::RELAXED,
    }
}
