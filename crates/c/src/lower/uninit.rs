//! Variables that may be read before they are assigned.
//!
//! Lowering gives each variable in a register an indeterminate value wherever its scope is entered. Here those are
//! removed whose value nobody reads: what remains are the variables that may really be read uninitialised. Liveness is
//! followed backwards from the reads, one variable at a time, so the cost is the size of the live ranges.

use norn_ir::ids::{BlockId, Reg};
use norn_ir::instr::{InstrKind, NondetSource};
use norn_ir::program::Function;
use std::collections::HashMap;

/// What a block does with one variable.
#[derive(Clone, Copy, Default)]
struct Touch {
    /// It reads the variable before assigning it.
    reads_first: bool,
    assigns: bool,
}

/// Removes the nondeterministic start values that no path reads.
pub fn remove_dead_nondets(function: &mut Function) {
    let mut slots: Vec<Option<u32>> = vec![None; function.registers.len()];
    let mut variables: Vec<Reg> = Vec::new();
    for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
        if let InstrKind::Nondet { dst, source: NondetSource::Uninitialised(_) } = instr.kind
            && slots[dst.index()].is_none()
        {
            slots[dst.index()] = Some(variables.len() as u32);
            variables.push(dst);
        }
    }
    if variables.is_empty() {
        return;
    }
    let live = live_at_entry(function, &slots, variables.len());
    for i in 0..function.blocks.len() {
        remove_in_block(function, BlockId::new(i), &slots, &live);
    }
}

/// Per variable, the blocks at whose start it is live.
struct Live {
    at: Vec<HashMap<BlockId, ()>>,
}

impl Live {
    fn contains(&self, slot: u32, block: BlockId) -> bool {
        self.at[slot as usize].contains_key(&block)
    }
}

fn live_at_entry(function: &Function, slots: &[Option<u32>], count: usize) -> Live {
    let mut touches: Vec<HashMap<BlockId, Touch>> = vec![HashMap::new(); count];
    let mut reads: Vec<Vec<BlockId>> = vec![Vec::new(); count];
    for id in function.block_ids() {
        let block = function.block(id);
        let mut read = |reg: Reg, touches: &mut Vec<HashMap<BlockId, Touch>>| {
            if let Some(slot) = slots[reg.index()] {
                let touch = touches[slot as usize].entry(id).or_default();
                if !touch.assigns && !touch.reads_first {
                    touch.reads_first = true;
                    reads[slot as usize].push(id);
                }
            }
        };
        for instr in &block.instrs {
            instr.kind.for_each_use(|reg| read(reg, &mut touches));
            for reg in instr.kind.defs() {
                if let Some(slot) = slots[reg.index()] {
                    touches[slot as usize].entry(id).or_default().assigns = true;
                }
            }
        }
        block.terminator.kind.for_each_use(|reg| read(reg, &mut touches));
    }
    let predecessors = function.predecessors();
    let mut at = Vec::with_capacity(count);
    for (touches, reads) in touches.iter().zip(reads) {
        let mut live: HashMap<BlockId, ()> = reads.iter().map(|&b| (b, ())).collect();
        let mut pending = reads;
        while let Some(block) = pending.pop() {
            for &before in &predecessors[block.index()] {
                let assigned = touches.get(&before).is_some_and(|t| t.assigns);
                if !assigned && live.insert(before, ()).is_none() {
                    pending.push(before);
                }
            }
        }
        at.push(live);
    }
    Live { at }
}

fn remove_in_block(function: &mut Function, id: BlockId, slots: &[Option<u32>], live: &Live) {
    let is_start = |kind: &InstrKind| matches!(kind, InstrKind::Nondet { source: NondetSource::Uninitialised(_), .. });
    let block = &function.blocks[id.index()];
    if !block.instrs.iter().any(|i| is_start(&i.kind)) {
        return;
    }
    // Backwards: what is live behind each instruction, as far as it was touched in this block.
    let mut state: HashMap<u32, bool> = HashMap::new();
    block.terminator.kind.for_each_use(|reg| {
        slots[reg.index()].map(|slot| state.insert(slot, true));
    });
    let successors: Vec<BlockId> = block.terminator.kind.successors().collect();
    let mut keep = vec![true; block.instrs.len()];
    for (i, instr) in block.instrs.iter().enumerate().rev() {
        for reg in instr.kind.defs() {
            let Some(slot) = slots[reg.index()] else { continue };
            if is_start(&instr.kind) {
                let behind = || successors.iter().any(|&s| live.contains(slot, s));
                keep[i] = state.get(&slot).copied().unwrap_or_else(behind);
            }
            state.insert(slot, false);
        }
        instr.kind.for_each_use(|reg| {
            slots[reg.index()].map(|slot| state.insert(slot, true));
        });
    }
    let mut keep = keep.into_iter();
    function.blocks[id.index()].instrs.retain(|_| keep.next().unwrap_or(true));
}
