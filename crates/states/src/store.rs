//! Exact sets: byte strings and pairs of numbers, each known by a number from 0 on in the order of arrival.
//!
//! A state is stored as a tree: its parts are byte strings ([`Leaves`]), an inner node is a pair of numbers of parts or
//! nodes ([`Pairs`]). Two states of the same shape have the same root if and only if all their parts are the same, so
//! nothing is lost; and as most parts are common to very many states, a state costs little more than its root.
//!
//! Both are hash tables with open addressing over a growing array; hashes only say where to look.

use norn_ir::number::{halves, to_usize};

/// No number.
pub const NOTHING: u32 = u32::MAX;

/// There is no number left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

fn mix(a: u64, b: u64) -> u64 {
    let (low, high) = halves(u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03));
    low ^ high
}

fn hash_bytes(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut hash = bytes.len() as u64;
    for &word in words {
        hash = mix(hash, u64::from_le_bytes(word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(hash, u64::from_le_bytes(last))
}

/// The numbers of things by their hashes.
struct Index {
    slots: Vec<u32>,
    used: usize,
}

impl Default for Index {
    fn default() -> Index {
        Index { slots: vec![NOTHING; 64], used: 0 }
    }
}

impl Index {
    /// The number of the thing for which `same` holds, or the slot where it belongs.
    fn find(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut at = to_usize(hash) & mask;
        loop {
            match self.slots[at] {
                NOTHING => return Err(at),
                number if same(number) => return Ok(number),
                _ => at = (at + 1) & mask,
            }
        }
    }

    fn insert(&mut self, slot: usize, number: u32, hash_of: impl Fn(u32) -> u64) {
        self.slots[slot] = number;
        self.used += 1;
        if self.used * 4 <= self.slots.len() * 3 {
            return;
        }
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![NOTHING; mask + 1];
        for number in self.slots.iter().copied().filter(|&number| number != NOTHING) {
            let mut at = to_usize(hash_of(number)) & mask;
            while slots[at] != NOTHING {
                at = (at + 1) & mask;
            }
            slots[at] = number;
        }
        self.slots = slots;
    }

    fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
    }
}

/// Byte strings.
#[derive(Default)]
pub struct Leaves {
    bytes: Vec<u8>,
    /// Where each one ends.
    ends: Vec<u64>,
    index: Index,
}

fn range(ends: &[u64], number: u32) -> std::ops::Range<usize> {
    let start = number.checked_sub(1).map_or(0, |before| to_usize(ends[before as usize]));
    start..to_usize(ends[number as usize])
}

impl Leaves {
    /// The number of a byte string, and whether it is new.
    pub fn add(&mut self, content: &[u8]) -> Result<(u32, bool), Full> {
        let Leaves { bytes, ends, index } = self;
        match index.find(hash_bytes(content), |number| &bytes[range(ends, number)] == content) {
            Ok(number) => Ok((number, false)),
            Err(slot) => {
                let number = u32::try_from(ends.len()).ok().filter(|&number| number != NOTHING).ok_or(Full)?;
                bytes.extend_from_slice(content);
                ends.push(bytes.len() as u64);
                index.insert(slot, number, |number| hash_bytes(&bytes[range(ends, number)]));
                Ok((number, true))
            }
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The memory that it takes.
    pub fn size(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<u64>() + self.index.bytes()
    }
}

/// Pairs of numbers.
#[derive(Default)]
pub struct Pairs {
    pairs: Vec<(u32, u32)>,
    index: Index,
}

fn hash_pair(pair: (u32, u32)) -> u64 {
    mix(u64::from(pair.0) << 32 | u64::from(pair.1), 0x2545_f491_4f6c_dd1d)
}

impl Pairs {
    /// The number of a pair, and whether it is new.
    pub fn add(&mut self, pair: (u32, u32)) -> Result<(u32, bool), Full> {
        let Pairs { pairs, index } = self;
        match index.find(hash_pair(pair), |number| pairs[number as usize] == pair) {
            Ok(number) => Ok((number, false)),
            Err(slot) => {
                let number = u32::try_from(pairs.len()).ok().filter(|&number| number != NOTHING).ok_or(Full)?;
                pairs.push(pair);
                index.insert(slot, number, |number| hash_pair(pairs[number as usize]));
                Ok((number, true))
            }
        }
    }

    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The memory that it takes.
    pub fn size(&self) -> usize {
        self.pairs.capacity() * size_of::<(u32, u32)>() + self.index.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_things_have_one_number() {
        let mut pairs = Pairs::default();
        let mut leaves = Leaves::default();
        for round in 0..2 {
            for i in 0..10_000u32 {
                assert_eq!(pairs.add((i / 100, i % 100)), Ok((i, round == 0)));
                assert_eq!(
                    leaves.add(&i.to_le_bytes()[..1 + i as usize % 4]).map(|(_, new)| new && round > 0),
                    Ok(false)
                );
            }
        }
        assert_eq!(pairs.len(), 10_000);
        let next = norn_ir::number::narrow(leaves.len());
        assert_eq!(leaves.add(&[]), Ok((next, true)));
        assert_eq!(leaves.add(&[0]).map(|(_, new)| new), Ok(false));
        assert_eq!(leaves.add(&[0, 0, 0, 0, 0, 0, 0, 0]).map(|(_, new)| new), Ok(true));
        assert_eq!(leaves.add(&[0, 0, 0, 0, 0, 0, 0]).map(|(_, new)| new), Ok(true));
    }
}
