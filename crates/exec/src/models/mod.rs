//! The memory models: which buffered stores may reach memory, and what a load sees of its own thread's buffer.

mod pso;
mod sc;
mod tso;

use crate::state::Entry;
use norn_verdict::model::Model;

/// Whether stores to shared objects wait in a buffer.
pub fn has_buffers(model: Model) -> bool {
    match model {
        Model::Sc => sc::HAS_BUFFERS,
        Model::Tso => tso::HAS_BUFFERS,
        Model::Pso => pso::HAS_BUFFERS,
    }
}

/// Whether the store at `index` of its thread's buffer may reach memory now.
pub fn can_commit(model: Model, buffer: &[Entry], index: usize) -> bool {
    match model {
        Model::Sc => sc::can_commit(),
        Model::Tso => tso::can_commit(index),
        Model::Pso => pso::can_commit(buffer, index),
    }
}

/// Where a load takes its value from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    Memory,
    /// The own buffered store at this index.
    Buffer(usize),
    /// The load waits: own stores that it overlaps have to reach memory first.
    Waits,
}

pub fn source(buffer: &[Entry], at: u32, size: u8) -> Source {
    // The newest own store that shares a byte decides.
    for (index, entry) in buffer.iter().enumerate().rev() {
        if entry.overlaps(at, size) {
            let covers = entry.at <= at && at + u32::from(size) <= entry.at + u32::from(entry.size);
            return if covers { Source::Buffer(index) } else { Source::Waits };
        }
    }
    Source::Memory
}
