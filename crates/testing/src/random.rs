//! Random numbers that depend on a seed only: xorshift64* (Marsaglia 2003, Vigna 2016).

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// Any number of 64 bits.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: u64) -> u64 {
        (self.number() >> 16) % n
    }

    /// An index into something of this length; 0 if it is empty.
    pub fn index(&mut self, length: usize) -> usize {
        norn_ir::number::to_usize(self.below(length.max(1) as u64))
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.index(list.len())].clone()
    }
}
