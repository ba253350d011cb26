//! Sequential consistency: a store reaches memory in the step that makes it.

use crate::state::Entry;

pub const BUFFERS_STORES: bool = false;

/// There are no buffered stores.
pub fn may_commit(_buffer: &[Entry], _index: usize) -> bool {
    false
}
