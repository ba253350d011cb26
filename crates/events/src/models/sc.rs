//! Sequential consistency: program order is kept.

use super::Relaxed;

pub const RELAXED: Relaxed = Relaxed { store_load: false, store_store: false };
