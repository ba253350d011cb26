//! Variables that may be read before they are assigned.
//!
//! Lowering gives each variable in a register an indeterminate value wherever its scope is entered. Here those are
//! removed whose value nobody reads: what remains are the variables that may really be read uninitialised. Liveness is
//! followed backwards from the reads, one variable at a time, so the cost is the size of the live ranges. That is small
//! unless a huge function has many variables that really are live from its start; the search then ends at a limit and
//! keeps the values that it has not decided, which does no harm.

use norn_ir::ids::{BlockId, Reg};
use norn_ir::instr::{InstrKind, NondetSource};
use norn_ir::number::narrow;
use norn_ir::program::Function;
use rustc_hash::{FxHashMap, FxHashSet};

/// The search visits at most so many blocks per block of the function.
const VISITS_PER_BLOCK: usize = 256;

/// What a block does with one variable.
#[derive(Clone, Copy)]
struct Touch {
    block: BlockId,
    /// It reads the variable before assigning it.
    reads_first: bool,
    assigns: bool,
}

/// Removes the nondeterministic start values that no path reads.
pub fn remove_dead_nondets(function: &mut Function) {
    let mut slots: Vec<Option<u32>> = vec![None; function.registers.len()];
    // Per variable the blocks that give it a start value.
    let mut starts: Vec<Vec<BlockId>> = Vec::new();
    for id in function.block_ids() {
        for instr in &function.block(id).instrs {
            if let Some(reg) = start_value(&instr.kind) {
                let slot = *slots[reg.index()].get_or_insert_with(|| {
                    starts.push(Vec::new());
                    narrow(starts.len() - 1)
                });
                starts[slot as usize].push(id);
            }
        }
    }
    if starts.is_empty() {
        return;
    }
    let live = live_behind(function, &slots, &starts);
    let blocks: FxHashSet<BlockId> = starts.iter().flatten().copied().collect();
    for id in function.block_ids().filter(|id| blocks.contains(id)) {
        remove_in_block(function, id, &slots, &live);
    }
}

/// The variable that an instruction gives its start value.
fn start_value(kind: &InstrKind) -> Option<Reg> {
    match kind {
        InstrKind::Nondet { dst, source: NondetSource::Uninitialised(_) } => Some(*dst),
        _ => None,
    }
}

fn touches(function: &Function, slots: &[Option<u32>], count: usize) -> Vec<Vec<Touch>> {
    let mut touches: Vec<Vec<Touch>> = vec![Vec::new(); count];
    for id in function.block_ids() {
        let mut touch = |reg: Reg, assigns: bool| {
            let Some(slot) = slots[reg.index()] else { return };
            let list = &mut touches[slot as usize];
            match list.last_mut() {
                Some(last) if last.block == id => last.assigns |= assigns,
                _ => list.push(Touch { block: id, reads_first: !assigns, assigns }),
            }
        };
        let block = function.block(id);
        for instr in &block.instrs {
            instr.kind.for_each_use(|reg| touch(reg, false));
            instr.kind.defs().for_each(|reg| touch(reg, true));
        }
        block.terminator.kind.for_each_use(|reg| touch(reg, false));
    }
    touches
}

/// The pairs of a block with a start value and its variable for which the variable is live at the end of the block.
fn live_behind(function: &Function, slots: &[Option<u32>], starts: &[Vec<BlockId>]) -> FxHashSet<(BlockId, u32)> {
    let predecessors = function.predecessors();
    let mut found = FxHashSet::default();
    // Marks of the current variable are its number plus one, so nothing has to be cleared in between.
    let mut live = vec![0u32; function.blocks.len()];
    let mut assigned = vec![0u32; function.blocks.len()];
    let mut budget = VISITS_PER_BLOCK.saturating_mul(function.blocks.len() + 16);
    for (slot, touches) in touches(function, slots, starts.len()).iter().enumerate() {
        let mark = narrow(slot) + 1;
        let mut pending = Vec::new();
        for touch in touches {
            if touch.assigns {
                assigned[touch.block.index()] = mark;
            }
            if touch.reads_first {
                live[touch.block.index()] = mark;
                pending.push(touch.block);
            }
        }
        while let Some(block) = pending.pop() {
            budget = budget.saturating_sub(1);
            if budget == 0 {
                break;
            }
            for &before in &predecessors[block.index()] {
                if assigned[before.index()] != mark && live[before.index()] != mark {
                    live[before.index()] = mark;
                    pending.push(before);
                }
            }
        }
        for &start in &starts[slot] {
            let mut successors = function.block(start).terminator.kind.successors();
            if budget == 0 || successors.any(|next| live[next.index()] == mark) {
                found.insert((start, narrow(slot)));
            }
        }
    }
    found
}

fn remove_in_block(function: &mut Function, id: BlockId, slots: &[Option<u32>], live: &FxHashSet<(BlockId, u32)>) {
    let block = &function.blocks[id.index()];
    // Backwards: what is live behind each instruction, as far as it was touched in this block.
    let mut state: FxHashMap<u32, bool> = FxHashMap::default();
    block.terminator.kind.for_each_use(|reg| {
        slots[reg.index()].map(|slot| state.insert(slot, true));
    });
    let mut keep = vec![true; block.instrs.len()];
    for (i, instr) in block.instrs.iter().enumerate().rev() {
        for reg in instr.kind.defs() {
            let Some(slot) = slots[reg.index()] else { continue };
            if start_value(&instr.kind).is_some() {
                keep[i] = state.get(&slot).copied().unwrap_or_else(|| live.contains(&(id, slot)));
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
