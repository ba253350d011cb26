//! Partial store order: a store waits for earlier own stores that share a byte with it or that a store-store fence
//! separates from it. Each store knows how many such fences its thread had passed.

use crate::state::Entry;

pub const HAS_BUFFERS: bool = true;

pub fn can_commit(buffer: &[Entry], index: usize) -> bool {
    let (earlier, later) = buffer.split_at(index);
    let store = &later[0];
    earlier.iter().all(|entry| entry.epoch == store.epoch && !entry.overlaps(store.at, store.size))
}
