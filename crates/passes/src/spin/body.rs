//! The body of a loop whose iterations, where they jump back without having written anything, are idle.
//!
//! A *slot* is a register or a plain local (see [`plain_locals`]). Along every path from the header, a slot that the loop
//! assigns has to be assigned before it is read; and where the loop is left, such a slot is assigned on the way or not
//! read outside of the loop at all. So no iteration sees what an earlier one computed, nor does what follows the loop.
//! The second part does not ask whether a read outside of the loop can come after it, which would take the liveness of
//! the whole function.

use norn_ir::number::narrow;
use std::collections::BTreeMap;

use norn_ir::ids::{BlockId, Reg};
use norn_ir::instr::{Instr, InstrKind, Operand, RmwOp};
use norn_ir::program::Function;
use norn_ir::types::Ty;

use super::effects::{Effects, plain_locals};
use crate::loops::Loop;

/// What of a function every loop asks for.
pub struct Reads {
    plain: Vec<bool>,
    /// How often each slot is read.
    counts: Vec<u32>,
    /// Of each block in an order in which it comes before its successors, but for back edges.
    position: Vec<u32>,
}

impl Reads {
    pub fn new(function: &Function) -> Reads {
        let plain = plain_locals(function);
        let mut counts = vec![0; function.registers.len() + function.locals.len()];
        for block in &function.blocks {
            block.instrs.iter().for_each(|i| read_slots(function, &plain, i, |slot| counts[slot] += 1));
            block.terminator.kind.for_each_use(|reg| counts[slot_of(function, reg)] += 1);
        }
        let mut position = vec![0; function.blocks.len()];
        for (at, id) in function.reverse_postorder().into_iter().enumerate() {
            position[id.index()] = narrow(at);
        }
        Reads { plain, counts, position }
    }
}

/// A plain local, or past the locals a register: registers are added as loops change, locals are not.
type Slot = usize;

fn slot_of(function: &Function, reg: Reg) -> Slot {
    function.locals.len() + reg.index()
}

fn read_slots(function: &Function, plain: &[bool], instr: &Instr, mut each: impl FnMut(Slot)) {
    instr.kind.for_each_use(|reg: Reg| each(slot_of(function, reg)));
    if let InstrKind::Load { addr: Operand::Local(local, _), .. } = instr.kind
        && plain[local.index()]
    {
        each(local.index());
    }
}

fn assigned_slots(function: &Function, plain: &[bool], instr: &Instr, mut each: impl FnMut(Slot)) {
    instr.kind.defs().for_each(|reg| each(slot_of(function, reg)));
    let local = match instr.kind {
        InstrKind::Store { addr: Operand::Local(local, _), .. } => Some(local),
        InstrKind::LocalEnter(local) | InstrKind::LocalExit(local) => Some(local),
        _ => None,
    };
    if let Some(local) = local.filter(|local| plain[local.index()]) {
        each(local.index());
    }
}

pub struct Body {
    pub header: BlockId,
    /// Each before its successors, but for the header.
    pub blocks: Vec<BlockId>,
    sorted: Vec<BlockId>,
    pub latches: Vec<BlockId>,
}

impl Body {
    pub fn contains(&self, block: BlockId) -> bool {
        self.sorted.binary_search(&block).is_ok()
    }

    /// The body of an innermost, reducible loop, if its iterations are idle where they write nothing.
    pub fn idle(function: &Function, spin: &Loop, reads: &Reads, effects: &Effects<'_>) -> Option<Body> {
        let mut blocks = spin.blocks.clone();
        blocks.sort_by_key(|block| reads.position[block.index()]);
        let body = Body { header: spin.header, blocks, sorted: spin.blocks.clone(), latches: spin.latches.clone() };
        let instrs = || body.blocks.iter().flat_map(|&block| &function.block(block).instrs);
        let allowed = instrs().all(|instr| match instr.kind {
            InstrKind::Call { callee, .. } => !effects.call_writes(callee),
            InstrKind::Rmw { .. } | InstrKind::CompareExchange { .. } => can_compare(function, &instr.kind),
            ref kind => !effects.changes_something(kind, &reads.plain),
        });
        (allowed && body.forgets(function, reads)).then_some(body)
    }

    /// Whether no iteration, nor what follows the loop, sees what an earlier iteration assigned.
    fn forgets(&self, function: &Function, reads: &Reads) -> bool {
        let Reads { plain, counts, .. } = reads;
        let mut numbers: BTreeMap<Slot, usize> = BTreeMap::new();
        let mut inside: BTreeMap<Slot, u32> = BTreeMap::new();
        for &id in &self.blocks {
            let block = function.block(id);
            for instr in &block.instrs {
                assigned_slots(function, plain, instr, |slot| {
                    let number = numbers.len();
                    numbers.entry(slot).or_insert(number);
                });
                read_slots(function, plain, instr, |slot| *inside.entry(slot).or_default() += 1);
            }
            block.terminator.kind.for_each_use(|reg| *inside.entry(slot_of(function, reg)).or_default() += 1);
        }
        let words = numbers.len().div_ceil(64);
        let mut needed = vec![0u64; words];
        for (slot, &number) in &numbers {
            if counts[*slot] > inside.get(slot).copied().unwrap_or(0) {
                needed[number / 64] |= 1 << (number % 64);
            }
        }
        // What is assigned on every path from the header; `None` until a path is seen.
        let mut before: BTreeMap<BlockId, Vec<u64>> = BTreeMap::from([(self.header, vec![0; words])]);
        for &id in &self.blocks {
            let Some(mut assigned) = before.remove(&id) else { return false };
            let block = function.block(id);
            let mut sound = true;
            let has = |assigned: &[u64], slot: Slot| match numbers.get(&slot) {
                Some(&number) => assigned[number / 64] >> (number % 64) & 1 != 0,
                None => true,
            };
            for instr in &block.instrs {
                read_slots(function, plain, instr, |slot| sound &= has(&assigned, slot));
                assigned_slots(function, plain, instr, |slot| {
                    let number = numbers[&slot];
                    assigned[number / 64] |= 1 << (number % 64);
                });
            }
            block.terminator.kind.for_each_use(|reg| sound &= has(&assigned, slot_of(function, reg)));
            for next in block.terminator.kind.successors().filter(|&next| next != self.header) {
                if !self.contains(next) {
                    sound &= needed.iter().zip(&assigned).all(|(needed, assigned)| needed & !assigned == 0);
                    continue;
                }
                let known = before.entry(next).or_insert_with(|| assigned.clone());
                known.iter_mut().zip(&assigned).for_each(|(known, assigned)| *known &= assigned);
            }
            if !sound {
                return false;
            }
        }
        true
    }

    /// For each block, in the order of `blocks`, whether the loop can be left from there without jumping back.
    pub fn can_leave(&self, function: &Function) -> BTreeMap<BlockId, bool> {
        let mut found = BTreeMap::new();
        for &id in self.blocks.iter().rev() {
            let mut successors = function.block(id).terminator.kind.successors();
            let leaves = successors.any(|next| {
                next != self.header && (!self.contains(next) || found.get(&next).copied().unwrap_or(false))
            });
            found.insert(id, leaves);
        }
        found
    }

    /// For each block, whether something may go wrong from there to the end of the iteration. Where the loop is left does
    /// not count.
    pub fn can_fail(&self, function: &Function) -> BTreeMap<BlockId, bool> {
        let mut found = BTreeMap::new();
        for &id in self.blocks.iter().rev() {
            let block = function.block(id);
            let mut successors = block.terminator.kind.successors().filter(|&next| next != self.header);
            let fails = block.instrs.iter().any(|instr| may_fail(&instr.kind))
                || successors.any(|next| found.get(&next).copied().unwrap_or(false));
            found.insert(id, fails);
        }
        found
    }

    /// Whether an iteration can get around a block.
    pub fn can_avoid(&self, function: &Function, avoided: BlockId) -> bool {
        let mut seen = vec![self.header];
        let mut work = vec![self.header];
        while let Some(id) = work.pop().filter(|_| self.header != avoided) {
            if self.latches.contains(&id) {
                return true;
            }
            for next in function.block(id).terminator.kind.successors() {
                if next != avoided && self.contains(next) && !seen.contains(&next) {
                    seen.push(next);
                    work.push(next);
                }
            }
        }
        false
    }
}

/// Whether an instruction may be a violation, whatever is checked. Of accesses all may.
pub fn may_fail(kind: &InstrKind) -> bool {
    match kind {
        InstrKind::Binary { op, rhs, .. } => op.may_trap(*rhs) || op.may_overflow(),
        InstrKind::Fence(_)
        | InstrKind::Assume { .. }
        | InstrKind::Nondet { .. }
        | InstrKind::ThreadSelf { .. }
        | InstrKind::LocalEnter(_)
        | InstrKind::LocalExit(_) => false,
        _ => !kind.only_computes(),
    }
}

/// Whether it can be told after a read-modify-write that nothing has changed. Pointers are more than their numbers.
fn can_compare(function: &Function, kind: &InstrKind) -> bool {
    match *kind {
        InstrKind::Rmw { dst, op, value, .. } => {
            let same_bits = matches!(op, RmwOp::Exchange | RmwOp::And | RmwOp::Or);
            same_bits
                && value.reg() != Some(dst)
                && matches!(function.ty(dst), Ty::Bool | Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64)
        }
        InstrKind::CompareExchange { dst, success, .. } => dst != success,
        _ => false,
    }
}
