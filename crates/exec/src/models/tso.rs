//! Total store order: the oldest store of a thread reaches memory first.

pub const HAS_BUFFERS: bool = true;

pub fn can_commit(index: usize) -> bool {
    index == 0
}
