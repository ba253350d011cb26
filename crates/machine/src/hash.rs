//! A fast hash for short keys, and the random numbers of `run`. The hash is not made against adversaries: a bad case
//! only makes a search slower.

use norn_ir::number::to_usize;
use std::hash::{BuildHasherDefault, Hasher};

pub type FastMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<FastHasher>>;
pub type FastSet<K> = std::collections::HashSet<K, BuildHasherDefault<FastHasher>>;

const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Multiplies and rotates, eight bytes at a time.
#[derive(Clone, Copy, Default)]
pub struct FastHasher(u64);

impl FastHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(ODD);
    }
}

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.add(u64::from_le_bytes(chunk.try_into().expect("a chunk should have 8 bytes")));
        }
        let rest = chunks.remainder();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add(u64::from_le_bytes(last));
        self.add(bytes.len() as u64);
    }

    fn write_u8(&mut self, n: u8) {
        self.add(u64::from(n));
    }

    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }

    fn finish(&self) -> u64 {
        mix(self.0)
    }
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 32)).wrapping_mul(ODD);
    x ^ (x >> 29)
}

/// Random numbers that depend on a seed only.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(ODD);
        mix(mix(self.0))
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        to_usize(self.number() % n as u64)
    }
}
