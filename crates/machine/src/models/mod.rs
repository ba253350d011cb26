//! The memory models: when a store reaches memory. One small file each.
//!
//! Everything else is common to the models. A load looks at the newest own buffered store that overlaps it: if the
//! store covers the load, the load takes its value; if not, the load waits; if there is no such store, the load reads
//! memory. Read-modify-writes, sequentially consistent stores and atomic sections need an empty buffer and take effect
//! in memory at once. Full fences and creations wait for an empty buffer.

pub mod pso;
pub mod sc;
#[cfg(test)]
mod tests;
pub mod tso;

use crate::state::Entry;
use norn_verdict::model::Model;

/// Whether stores to shared objects wait in a buffer.
pub fn buffers_stores(model: Model) -> bool {
    match model {
        Model::Sc => sc::BUFFERS_STORES,
        Model::Tso => tso::BUFFERS_STORES,
        Model::Pso => pso::BUFFERS_STORES,
    }
}

/// Whether the store at `index` of a thread's buffer, oldest first, may reach memory now.
pub fn may_commit(model: Model, buffer: &[Entry], index: usize) -> bool {
    match model {
        Model::Sc => sc::may_commit(buffer, index),
        Model::Tso => tso::may_commit(buffer, index),
        Model::Pso => pso::may_commit(buffer, index),
    }
}

/// What a load sees of its own thread's buffer.
pub enum Forward<'a> {
    /// The newest overlapping store covers the load.
    From(&'a Entry),
    /// The newest overlapping store does not cover the load: the load waits.
    Wait,
    Memory,
}

pub fn forward(buffer: &[Entry], object: crate::memory::ObjectRef, offset: u64, size: u64) -> Forward<'_> {
    match buffer.iter().rfind(|entry| entry.overlaps(object, offset, size)) {
        Some(entry) if entry.covers(object, offset, size) => Forward::From(entry),
        Some(_) => Forward::Wait,
        None => Forward::Memory,
    }
}
