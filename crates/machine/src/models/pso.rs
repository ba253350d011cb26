//! Partial store order: stores of a thread may overtake one another unless they share a byte or a store-store fence
//! stands between them.
//!
//! A thread has an epoch, which a store-store fence raises and which a store takes with it into the buffer. A store
//! waits for every earlier one with a smaller epoch. So a buffer per location needs no list per location: one list in
//! program order is enough.

use crate::state::Entry;

pub const BUFFERS_STORES: bool = true;

pub fn may_commit(buffer: &[Entry], index: usize) -> bool {
    let entry = &buffer[index];
    let waits_for =
        |earlier: &Entry| earlier.epoch < entry.epoch || earlier.overlaps(entry.object, entry.offset, entry.size);
    !buffer[..index].iter().any(waits_for)
}
