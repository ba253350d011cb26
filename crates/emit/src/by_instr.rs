//! Something about each instruction and each terminator of a function, in one piece of memory: functions have many
//! small blocks.

use norn_ir::ids::BlockId;
use norn_ir::program::Function;
use std::ops::{Index, IndexMut};

/// By block and index; the terminator comes behind the instructions.
pub struct ByInstr<T> {
    all: Vec<T>,
    /// By block: where its first instruction is.
    first: Vec<usize>,
}

impl<T: Clone> ByInstr<T> {
    pub fn new(function: &Function, value: T) -> ByInstr<T> {
        let mut count = 0;
        let mut first = Vec::with_capacity(function.blocks.len());
        for block in &function.blocks {
            first.push(count);
            count += block.instrs.len() + 1;
        }
        ByInstr { all: vec![value; count], first }
    }
}

impl<T> Index<(BlockId, usize)> for ByInstr<T> {
    type Output = T;

    fn index(&self, (block, index): (BlockId, usize)) -> &T {
        &self.all[self.first[block.index()] + index]
    }
}

impl<T> IndexMut<(BlockId, usize)> for ByInstr<T> {
    fn index_mut(&mut self, (block, index): (BlockId, usize)) -> &mut T {
        &mut self.all[self.first[block.index()] + index]
    }
}
