//! Total store order: a store may wait while later reads are done.

use super::Relaxed;

pub const RELAXED: Relaxed = Relaxed { store_load: true, store_store: false };
