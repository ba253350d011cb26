//! Bits that spread over a graph of blocks from where they arise to where they are stopped, and no further.
//!
//! A function may be one long unwound thread with tens of thousands of blocks and registers. Most registers and
//! objects matter in a few of the blocks only, so what is asked about them should cost as much as those blocks.

use crate::ids::BlockId;

/// Bits of one group.
pub(super) type Word = u128;
pub(super) const GROUP: usize = Word::BITS as usize;

/// The room for spreading, used again for each group.
pub(super) struct Flood {
    seeds: Vec<Word>,
    stops: Vec<Word>,
    arrived: Vec<Word>,
    touched: Vec<BlockId>,
    waiting: Vec<bool>,
    work: Vec<BlockId>,
}

impl Flood {
    pub fn new(blocks: usize) -> Flood {
        let empty = vec![0; blocks];
        Flood {
            seeds: empty.clone(),
            stops: empty.clone(),
            arrived: empty,
            touched: Vec::new(),
            waiting: vec![false; blocks],
            work: Vec::new(),
        }
    }

    /// Bits leave each block of `seeds` towards its neighbours, and go on from each block that does not stop them.
    /// `arrive` hears of every bit that comes to a block once: the block, all the new bits, and those that go on.
    pub fn run<I: Iterator<Item = BlockId>>(
        &mut self,
        seeds: &[(BlockId, Word)],
        stops: &[(BlockId, Word)],
        neighbours: impl Fn(BlockId) -> I,
        mut arrive: impl FnMut(BlockId, Word, Word),
    ) {
        for &(block, bits) in stops {
            self.stops[block.index()] |= bits;
        }
        for &(block, bits) in seeds {
            self.seeds[block.index()] |= bits;
            self.wait(block);
        }
        while let Some(block) = self.work.pop() {
            let i = block.index();
            self.waiting[i] = false;
            let leaving = self.seeds[i] | (self.arrived[i] & !self.stops[i]);
            for next in neighbours(block) {
                let new = leaving & !self.arrived[next.index()];
                if new == 0 {
                    continue;
                }
                if self.arrived[next.index()] == 0 {
                    self.touched.push(next);
                }
                self.arrived[next.index()] |= new;
                let passing = new & !self.stops[next.index()];
                arrive(next, new, passing);
                if passing != 0 {
                    self.wait(next);
                }
            }
        }
        seeds.iter().for_each(|(block, _)| self.seeds[block.index()] = 0);
        stops.iter().for_each(|(block, _)| self.stops[block.index()] = 0);
        self.touched.drain(..).for_each(|block| self.arrived[block.index()] = 0);
    }

    fn wait(&mut self, block: BlockId) {
        if !self.waiting[block.index()] {
            self.waiting[block.index()] = true;
            self.work.push(block);
        }
    }
}
