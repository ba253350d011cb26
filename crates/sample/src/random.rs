//! Numbers from a seed: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).

#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// For the execution of this number: neighbours have nothing in common.
    pub fn for_execution(seed: u64, number: u64) -> Random {
        let mut random = Random(seed ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93));
        Random(random.number())
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, or 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        norn_ir::number::to_usize(self.number() % (n as u64).max(1))
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// From 1 to `most`; small numbers as often as large ones.
    pub fn magnitude(&mut self, most: u64) -> u64 {
        let bits = 64 - most.max(1).leading_zeros() as usize;
        let below = 1u64.checked_shl(norn_ir::number::narrow(self.below(bits)) + 1).unwrap_or(u64::MAX);
        (1 + self.number() % below).min(most.max(1))
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        if list.is_empty() { None } else { Some(list[self.below(list.len())]) }
    }
}
