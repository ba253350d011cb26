//! Results that nobody looks at need no value.
//!
//! A thread's function that falls off its end, or returns what some `nondet()` gives, returns an indeterminate value. Most programs
//! never look at it: they join with a null pointer for the result. Such a value would still be a nondeterministic input
//! of 64 bits, and a search over concrete values would give up for nothing. So where no caller and no join can see the
//! result of a function, an indeterminate one becomes 0.
//!
//! Whether a join sees it depends on an argument of the model: a parameter of a library function that is the same constant in every call is
//! that constant, and then the code that would store the result goes away.

use crate::tidy::{drop_unused_registers, tidy};
use norn_ir::ids::{FuncId, Reg};
use norn_ir::instr::{Callee, CompareOp, Const, InstrKind, Operand, TerminatorKind};
use norn_ir::program::{Function, InitValue, Origin, Program};

/// `start` is the function that the program begins with; its result is the program's status.
pub fn drop_unused(program: &mut Program, start: FuncId) {
    let taken = address_taken(program);
    specialise(program, &taken);
    let seen = seen_results(program, start, &taken);
    for (function, seen) in program.functions.iter_mut().zip(seen) {
        if !seen {
            settle_indeterminate_returns(function);
        }
    }
}

/// The functions that may be called or started through a pointer.
fn address_taken(program: &Program) -> Vec<bool> {
    let mut taken = vec![false; program.functions.len()];
    let mut note = |operand: Operand| {
        if let Operand::Func(id) = operand {
            taken[id.index()] = true;
        }
    };
    for block in program.functions.iter().flat_map(|f| &f.blocks) {
        block.instrs.iter().for_each(|instr| instr.kind.for_each_operand(&mut note));
        block.terminator.kind.for_each_operand(&mut note);
    }
    for init in program.globals.iter().flat_map(|g| &g.init) {
        if let InitValue::Func(id) = init.value {
            note(Operand::Func(id));
        }
    }
    taken
}

/// Puts constants that every call passes into library functions.
fn specialise(program: &mut Program, taken: &[bool]) {
    let mut arguments: Vec<Option<Vec<Option<Const>>>> = vec![None; program.functions.len()];
    for instr in program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instrs) {
        let InstrKind::Call { callee: Callee::Direct(callee), args, .. } = &instr.kind else { continue };
        let constants = args.iter().map(|arg| match arg {
            Operand::Const(c) => Some(*c),
            _ => None,
        });
        match &mut arguments[callee.index()] {
            Some(known) => {
                known.iter_mut().zip(constants).for_each(|(known, c)| *known = known.filter(|k| Some(*k) == c))
            }
            none => *none = Some(constants.collect()),
        }
    }
    for ((function, arguments), &taken) in program.functions.iter_mut().zip(arguments).zip(taken) {
        if function.origin == Origin::Library && !taken {
            insert_constants(function, &arguments.unwrap_or_default());
        }
    }
}

fn insert_constants(function: &mut Function, arguments: &[Option<Const>]) {
    let mut value: Vec<Option<Const>> = vec![None; function.registers.len()];
    for (&param, &argument) in function.params.iter().zip(arguments) {
        value[param.index()] = argument;
    }
    let assigned = definitions(function);
    for (reg, value) in value.iter_mut().enumerate() {
        *value = value.filter(|_| assigned[reg] == 0);
    }
    if value.iter().all(Option::is_none) {
        return;
    }
    // A test of a pointer for null is all that has to be decided.
    for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
        if let InstrKind::Compare { dst, op: op @ (CompareOp::Eq | CompareOp::Ne), lhs, rhs, .. } = instr.kind
            && assigned[dst.index()] == 1
            && let (Some(lhs), Some(rhs)) = (known(lhs, &value), known(rhs, &value))
        {
            value[dst.index()] = Some(if (lhs == rhs) == (op == CompareOp::Eq) { Const::TRUE } else { Const::FALSE });
        }
    }
    let put = |operand: Operand| known(operand, &value).map_or(operand, Operand::Const);
    for block in &mut function.blocks {
        block.instrs.iter_mut().for_each(|instr| instr.kind.map_operands(put));
        block
            .instrs
            .retain(|instr| !matches!(instr.kind, InstrKind::Compare { dst, .. } if value[dst.index()].is_some()));
        block.terminator.kind.map_operands(put);
    }
    tidy(function, &mut vec![false; function.blocks.len()]);
    drop_unused_registers(function);
}

fn known(operand: Operand, value: &[Option<Const>]) -> Option<Const> {
    match operand {
        Operand::Const(c) => Some(c),
        Operand::Reg(reg) => value[reg.index()],
        _ => None,
    }
}

/// Whether something may look at the result of each function.
fn seen_results(program: &Program, start: FuncId, taken: &[bool]) -> Vec<bool> {
    let mut seen = vec![false; program.functions.len()];
    seen[start.index()] = true;
    seen[program.entry.index()] = true;
    let mut through_pointers = false;
    for function in &program.functions {
        let uses = uses(function);
        let is_used = |dst: Option<Reg>| dst.is_some_and(|reg| uses[reg.index()] > 0);
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            match instr.kind {
                InstrKind::Call { dst, callee: Callee::Direct(callee), .. } => seen[callee.index()] |= is_used(dst),
                InstrKind::Call { dst, callee: Callee::Indirect(_), .. } | InstrKind::Join { dst, .. } => {
                    through_pointers |= is_used(dst);
                }
                _ => {}
            }
        }
    }
    if through_pointers {
        seen.iter_mut().zip(taken).for_each(|(seen, taken)| *seen |= taken);
    }
    seen
}

/// Returns 0 instead of a value that comes straight from a `Nondet` and goes nowhere else.
fn settle_indeterminate_returns(function: &mut Function) {
    let Some(ty) = function.result else { return };
    let (uses, definitions) = (uses(function), definitions(function));
    for block in &mut function.blocks {
        let TerminatorKind::Return(Some(Operand::Reg(result))) = block.terminator.kind else { continue };
        let mut wanted = result;
        let mut dead = Vec::new();
        // Backwards through conversions to where the value is made.
        for (index, instr) in block.instrs.iter().enumerate().rev() {
            if !instr.kind.defs().eq([wanted]) {
                continue;
            }
            if uses[wanted.index()] != 1 || definitions[wanted.index()] != 1 {
                break;
            }
            dead.push(index);
            match instr.kind {
                InstrKind::Cast { src: Operand::Reg(src), .. } | InstrKind::Copy { src: Operand::Reg(src), .. } => {
                    wanted = src;
                }
                InstrKind::Nondet { .. } => {
                    dead.into_iter().for_each(|index| drop(block.instrs.remove(index)));
                    block.terminator.kind = TerminatorKind::Return(Some(Operand::Const(Const { ty, bits: 0 })));
                    break;
                }
                _ => break,
            }
        }
    }
    drop_unused_registers(function);
}

fn uses(function: &Function) -> Vec<u32> {
    let mut count = vec![0; function.registers.len()];
    for block in &function.blocks {
        block.instrs.iter().for_each(|instr| instr.kind.for_each_use(|reg| count[reg.index()] += 1));
        block.terminator.kind.for_each_use(|reg| count[reg.index()] += 1);
    }
    count
}

/// How often each register is assigned; parameters start at 0.
fn definitions(function: &Function) -> Vec<u32> {
    let mut count = vec![0; function.registers.len()];
    for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
        instr.kind.defs().for_each(|reg: Reg| count[reg.index()] += 1);
    }
    count
}
