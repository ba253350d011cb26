//! Partial store order: a store may wait while later reads, and later stores to other cells, are done.

use super::Relaxed;

pub const RELAXED: Relaxed = Relaxed { store_load: true, store_store: true };
