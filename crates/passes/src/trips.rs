//! Loops that count: how often their back edges are taken at most, where the code says so by constants.
//!
//! Recognised is the usual `for (i = 0; i < 10; i++)`: a branch out of the loop that compares a register with a constant, one
//! place in the loop that changes the register, by a constant, and constants that it is set to before. Anything else is
//! left to grow. A wrong guess would do no harm: bounds are part of the verdict.

use crate::loops::{LoopForest, LoopId, loops};
use crate::unwind::command_line;
use norn_ir::ids::{BlockId, Reg};
use norn_ir::instr::{BinaryOp, CompareOp, Const, InstrKind, Operand, TerminatorKind};
use norn_ir::program::{Function, Program};
use norn_ir::span::Span;
use norn_ir::types::{Target, Ty};
use std::collections::BTreeMap;

/// Longer loops are not worth to be followed to their end at once.
const MOST: u32 = 64;

/// The loops of a program that count, with the number of times that they go back.
pub fn trips(program: &Program) -> BTreeMap<Span, u32> {
    let mut found = BTreeMap::new();
    for function in &program.functions {
        let forest = loops(function);
        for index in 0..forest.loops.len() {
            let id = LoopId::new(index);
            let counted = Counted { function, forest: &forest, id, target: program.target };
            let span = forest.get(id).span;
            if let Some(trips) = counted.trips().filter(|_| command_line(program, span).is_none()) {
                let most = found.entry(span).or_insert(trips);
                *most = trips.max(*most);
            }
        }
    }
    found
}

struct Counted<'a> {
    function: &'a Function,
    forest: &'a LoopForest,
    id: LoopId,
    target: Target,
}

impl Counted<'_> {
    fn trips(&self) -> Option<u32> {
        let header = self.forest.get(self.id).header;
        let latches = &self.forest.get(self.id).latches;
        [header].iter().chain(latches).find_map(|&block| self.trips_by(block))
    }

    fn contains(&self, block: BlockId) -> bool {
        self.forest.around(block).any(|id| id == self.id)
    }

    /// The trips that the branch at the end of a block allows.
    fn trips_by(&self, block: BlockId) -> Option<u32> {
        let code = self.function.block(block);
        let TerminatorKind::Branch { cond: Operand::Reg(cond), then, otherwise } = code.terminator.kind else {
            return None;
        };
        let stays = match (self.contains(then), self.contains(otherwise)) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        let compared = code.instrs.iter().rev().find_map(|instr| match instr.kind {
            InstrKind::Compare { dst, op, ty, lhs, rhs } if dst == cond => Some((op, ty, lhs, rhs)),
            _ => None,
        })?;
        let (op, ty, lhs, rhs) = compared;
        let (counter, constant, swapped) = match (lhs, rhs) {
            (Operand::Reg(counter), Operand::Const(constant)) => (counter, constant, false),
            (Operand::Const(constant), Operand::Reg(counter)) => (counter, constant, true),
            _ => return None,
        };
        let step = self.step(counter)?;
        let starts = self.starts(counter)?;
        let trips = starts.into_iter().map(|start| {
            let mut value = start.bits;
            (0..=MOST).find(|_| {
                let holds = compare(op, ty, self.target, value, constant, swapped);
                value = ty.truncate(value.wrapping_add(step), self.target);
                holds != Some(stays)
            })
        });
        trips.collect::<Option<Vec<u32>>>()?.into_iter().max()
    }

    /// What the loop adds to the register, if it changes it in one place only.
    fn step(&self, counter: Reg) -> Option<u64> {
        let mut steps = Vec::new();
        for block in self.function.block_ids().filter(|&block| self.contains(block)) {
            let instrs = &self.function.block(block).instrs;
            for (index, instr) in instrs.iter().enumerate() {
                match instr.kind {
                    InstrKind::Copy { dst, src: Operand::Reg(source) } if dst == counter => {
                        let made = instrs[..index].iter().rev().find_map(|instr| added(&instr.kind, source));
                        steps.push(made.filter(|&(from, _)| from == counter).map(|(_, step)| step));
                    }
                    _ if writes(&instr.kind, counter) => {
                        let made = added(&instr.kind, counter).filter(|&(from, _)| from == counter);
                        steps.push(made.map(|(_, step)| step));
                    }
                    _ => {}
                }
            }
        }
        match steps[..] {
            [step] => step,
            _ => None,
        }
    }

    /// The constants that the register has when the loop is entered: what it was set to last on each way there.
    fn starts(&self, counter: Reg) -> Option<Vec<Const>> {
        const FURTHEST: usize = 16;
        let before = self.function.predecessors();
        let of = |block: BlockId| before[block.index()].clone();
        let mut pending: Vec<BlockId> = of(self.forest.get(self.id).header);
        pending.retain(|&block| !self.contains(block));
        let mut seen = Vec::new();
        let mut starts = Vec::new();
        while let Some(block) = pending.pop() {
            if seen.contains(&block) {
                continue;
            }
            seen.push(block);
            let instrs = self.function.block(block).instrs.iter().rev();
            match instrs.map(|instr| &instr.kind).find(|kind| writes(kind, counter)) {
                Some(InstrKind::Copy { src: Operand::Const(constant), .. }) => starts.push(*constant),
                Some(_) => return None,
                None if of(block).is_empty() || seen.len() > FURTHEST => return None,
                None => pending.extend(of(block)),
            }
        }
        (!starts.is_empty()).then_some(starts)
    }
}

fn writes(kind: &InstrKind, reg: Reg) -> bool {
    kind.defs().any(|defined| defined == reg)
}

/// `dst = from + constant`: the register and the constant.
fn added(kind: &InstrKind, wanted: Reg) -> Option<(Reg, u64)> {
    match *kind {
        InstrKind::Binary { dst, op, lhs: Operand::Reg(from), rhs: Operand::Const(by) } if dst == wanted => match op {
            BinaryOp::Add | BinaryOp::AddSigned => Some((from, by.bits)),
            BinaryOp::Sub | BinaryOp::SubSigned => Some((from, by.bits.wrapping_neg())),
            _ => None,
        },
        _ => None,
    }
}

fn compare(op: CompareOp, ty: Ty, target: Target, counter: u64, constant: Const, swapped: bool) -> Option<bool> {
    let (a, b) = if swapped { (constant.bits, counter) } else { (counter, constant.bits) };
    let width = ty.bits(target);
    let unused = u64::BITS - width;
    let signed = |value: u64| (value << unused).cast_signed() >> unused;
    match op {
        CompareOp::Eq => Some(a == b),
        CompareOp::Ne => Some(a != b),
        CompareOp::LtSigned => Some(signed(a) < signed(b)),
        CompareOp::LeSigned => Some(signed(a) <= signed(b)),
        CompareOp::LtUnsigned => Some(a < b),
        CompareOp::LeUnsigned => Some(a <= b),
        _ => None,
    }
}
