//! Sequential consistency: a store is in memory when it has been run.

pub const BUFFERS_STORES: bool = false;
