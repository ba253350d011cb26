//! Sequential consistency: stores reach memory at once.

pub const HAS_BUFFERS: bool = false;

pub fn can_commit() -> bool {
    false
}
