//! Something about each instruction and each terminator of a function, in one piece of memory: functions have many
//! small blocks.

use norn_ir::ids::BlockId;
use norn_ir::program::Function;
use std::ops::{Index, IndexMut, Range};

/// By block and index; the terminator comes behind the instructions. Or by slot: the number of an instruction or
/// terminator among all.
pub struct ByInstr<T> {
    all: Vec<T>,
    /// By block: where its first instruction is. The number of slots comes last.
    first: Vec<u32>,
}

impl<T: Clone> ByInstr<T> {
    pub fn new(function: &Function, value: T) -> ByInstr<T> {
        let mut count = 0;
        let mut first = Vec::with_capacity(function.blocks.len() + 1);
        first.push(0);
        for block in &function.blocks {
            count += block.instrs.len() + 1;
            first.push(u32::try_from(count).expect("the number of instructions should fit into 32 bits"));
        }
        ByInstr { all: vec![value; count], first }
    }

    pub fn fill(&mut self, value: T) {
        self.all.fill(value);
    }
}

impl<T> ByInstr<T> {
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// The same value for all instructions and terminators of the function.
    pub fn with_all<U: Clone>(&self, value: U) -> ByInstr<U> {
        ByInstr { all: vec![value; self.all.len()], first: self.first.clone() }
    }

    /// The slots of a block's instructions, and that of its terminator.
    pub fn slots(&self, block: BlockId) -> (Range<usize>, usize) {
        let terminator = self.first[block.index() + 1] as usize - 1;
        (self.first[block.index()] as usize..terminator, terminator)
    }
}

impl<T> Index<usize> for ByInstr<T> {
    type Output = T;

    fn index(&self, slot: usize) -> &T {
        &self.all[slot]
    }
}

impl<T> IndexMut<usize> for ByInstr<T> {
    fn index_mut(&mut self, slot: usize) -> &mut T {
        &mut self.all[slot]
    }
}

impl<T> Index<(BlockId, usize)> for ByInstr<T> {
    type Output = T;

    fn index(&self, (block, index): (BlockId, usize)) -> &T {
        &self.all[self.first[block.index()] as usize + index]
    }
}

impl<T> IndexMut<(BlockId, usize)> for ByInstr<T> {
    fn index_mut(&mut self, (block, index): (BlockId, usize)) -> &mut T {
        &mut self.all[self.first[block.index()] as usize + index]
    }
}
