//! Puts small functions in the place of their calls in a loop: `while (get() == 0);`, `sched_yield()`.
//!
//! Only functions of one block without memory of their own: then nothing can tell, for registers are new and places in
//! the source stay. Of the library's functions only those that cannot go wrong, because a violation inside of them is
//! shown where they are called.

use std::collections::BTreeMap;

use norn_ir::ids::{FuncId, Reg};
use norn_ir::instr::{Callee, Instr, InstrKind, Operand, TerminatorKind};
use norn_ir::program::{Function, Origin};

use super::body::Body;

/// Calls that are put in place per loop, and instructions of each.
const MOST_CALLS: usize = 32;
const MOST_INSTRUCTIONS: usize = 32;

/// Which registers came with functions that were put in place of their calls.
#[derive(Default)]
pub struct Inlined {
    origins: BTreeMap<Reg, (FuncId, Reg)>,
}

impl Inlined {
    pub fn origin(&self, reg: Reg) -> Option<(FuncId, Reg)> {
        self.origins.get(&reg).copied()
    }
}

/// Does so in the blocks of a loop, with functions as they are in `functions`.
pub fn inline(functions: &[Function], function: &mut Function, body: &Body, inlined: &mut Inlined) {
    let mut left = MOST_CALLS;
    for &block in &body.blocks {
        let mut at = 0;
        while let Some(instr) = function.block(block).instrs.get(at) {
            let replacement = match instr.kind {
                InstrKind::Call { dst, callee: Callee::Direct(id), ref args } if left > 0 => {
                    let call = Call { dst, callee: id, args: args.clone(), instr: instr.clone() };
                    in_place(functions, function, &call, inlined)
                }
                _ => None,
            };
            match replacement {
                Some(instrs) => {
                    left -= 1;
                    // What came in may call, too: it is looked at next.
                    function.blocks[block.index()].instrs.splice(at..=at, instrs);
                }
                None => at += 1,
            }
        }
    }
}

struct Call {
    dst: Option<Reg>,
    callee: FuncId,
    args: Vec<Operand>,
    instr: Instr,
}

fn in_place(functions: &[Function], function: &mut Function, call: &Call, inlined: &mut Inlined) -> Option<Vec<Instr>> {
    let callee = &functions[call.callee.index()];
    let [block] = &callee.blocks[..] else { return None };
    let TerminatorKind::Return(result) = block.terminator.kind else { return None };
    let fits = callee.params.len() == call.args.len()
        && callee.params.iter().zip(&call.args).all(|(&param, &arg)| callee.ty(param) == function.operand_ty(arg))
        && (call.dst.is_none() || result.is_some())
        && callee.locals.is_empty()
        && block.instrs.len() <= MOST_INSTRUCTIONS
        && block.instrs.iter().all(|instr| is_simple(&instr.kind, callee.origin));
    if !fits {
        return None;
    }
    let base = function.registers.len();
    let renamed = |reg: Reg| Reg::new(base + reg.index());
    let operand = |operand: Operand| operand.reg().map_or(operand, |reg| Operand::Reg(renamed(reg)));
    for (index, register) in callee.registers.iter().enumerate() {
        inlined.origins.insert(Reg::new(base + index), (call.callee, Reg::new(index)));
        function.registers.push(register.clone());
    }
    let copy = |dst: Reg, src: Operand| Instr { kind: InstrKind::Copy { dst, src }, span: call.instr.span };
    let mut instrs: Vec<Instr> =
        callee.params.iter().zip(&call.args).map(|(&param, &arg)| copy(renamed(param), arg)).collect();
    for instr in &block.instrs {
        let mut instr = instr.clone();
        instr.kind.map_defs(renamed);
        instr.kind.map_operands(operand);
        instrs.push(instr);
    }
    if let (Some(dst), Some(result)) = (call.dst, result) {
        instrs.push(copy(dst, operand(result)));
    }
    Some(instrs)
}

fn is_simple(kind: &InstrKind, origin: Origin) -> bool {
    match kind {
        InstrKind::ThreadSelf { .. } => true,
        InstrKind::Binary { .. }
        | InstrKind::PtrDiff { .. }
        | InstrKind::Load { .. }
        | InstrKind::Fence(_)
        | InstrKind::Assert { .. }
        | InstrKind::Call { callee: Callee::Direct(_), .. } => origin == Origin::User,
        _ => kind.only_computes(),
    }
}
