//! The function in which a program starts is usually called by the entry alone, and then becomes one with it.

use crate::prune::Roots;
use norn_ir::ids::{FuncId, LocalId, Reg};
use norn_ir::instr::{Callee, Instr, InstrKind, Operand, TerminatorKind};
use norn_ir::number::narrow;
use norn_ir::program::{Function, InitValue, Program};

/// Makes the start function the entry itself, if nothing else refers to it: its frame is then that of the main thread,
/// which outlives it. `words` is the model of the command line, if the program has one.
pub fn absorb(program: &mut Program, start: FuncId, words: Option<FuncId>, roots: &mut Roots) {
    let entry = program.entry;
    let caller = program.function(entry);
    let [block] = &caller.blocks[..] else { return };
    let is_start = |i: &Instr| matches!(&i.kind, InstrKind::Call { callee: Callee::Direct(id), .. } if *id == start);
    let Some(at) = block.instrs.iter().rposition(is_start) else { return };
    let InstrKind::Call { dst: result, ref args, .. } = block.instrs[at].kind else { return };
    if is_mentioned(program, entry, start) {
        return;
    }
    let mut merged = program.function(start).clone();
    let register_shift = narrow(merged.registers.len());
    let local_shift = narrow(merged.locals.len());
    let shift_reg = |reg: Reg| Reg(reg.0 + register_shift);
    let shift = |operand: Operand| match operand {
        Operand::Reg(reg) => Operand::Reg(shift_reg(reg)),
        Operand::Local(local, offset) => Operand::Local(LocalId(local.0 + local_shift), offset),
        other => other,
    };
    let mut prologue = block.instrs[..at].to_vec();
    let mut epilogue = block.instrs[at + 1..].to_vec();
    for instr in prologue.iter_mut().chain(&mut epilogue) {
        instr.kind.map_operands(shift);
        instr.kind.map_defs(shift_reg);
        if let InstrKind::LocalEnter(local) = &mut instr.kind {
            local.0 += local_shift;
        }
    }
    for (&dst, &arg) in merged.params.iter().zip(args) {
        prologue.push(Instr { kind: InstrKind::Copy { dst, src: shift(arg) }, span: merged.span });
    }
    if block.instrs.len() > 1 {
        merged.registers.extend(caller.registers.iter().cloned());
        merged.locals.extend(caller.locals.iter().cloned());
    }
    merged.params.clear();
    // What follows the call follows each return.
    for block in merged.blocks.iter_mut().filter(|_| !epilogue.is_empty()) {
        let TerminatorKind::Return(value) = block.terminator.kind else { continue };
        let span = block.terminator.span;
        if let (Some(value), Some(result)) = (value, result) {
            let kind = InstrKind::Copy { dst: shift_reg(result), src: value };
            block.instrs.push(Instr { kind, span });
        }
        block.instrs.extend(epilogue.iter().cloned().map(|instr| Instr { span, ..instr }));
    }
    merged.blocks[Function::ENTRY.index()].instrs.splice(0..0, prologue);
    if let Some(words) = words {
        call_where_used(&mut merged, words);
    }
    program.functions[entry.index()] = merged;
    roots.functions.retain(|&id| id != start);
}

/// Calls the model of the command line where its result is used instead of at the beginning, if the register that holds
/// it holds nothing else.
fn call_where_used(main: &mut Function, words: FuncId) {
    let is_call = |kind: &InstrKind| matches!(kind, InstrKind::Call { callee: Callee::Direct(id), .. } if *id == words);
    let prologue = &main.blocks[Function::ENTRY.index()].instrs;
    let Some(call) = prologue.iter().position(|instr| is_call(&instr.kind)) else { return };
    let InstrKind::Call { dst: Some(made), ref args, .. } = prologue[call].kind else { return };
    let (Some(copy), [Operand::Reg(count)]) = (
        prologue
            .iter()
            .position(|instr| matches!(instr.kind, InstrKind::Copy { src, .. } if src == Operand::Reg(made))),
        &args[..],
    ) else {
        return;
    };
    let (InstrKind::Copy { dst: argv, .. }, count) = (&prologue[copy].kind, *count) else { return };
    let argv = *argv;
    let definitions = |reg: Reg| {
        let kinds = main.blocks.iter().flat_map(|block| &block.instrs).map(|instr| &instr.kind);
        kinds.flat_map(|kind| kind.defs()).filter(|&defined| defined == reg).count()
    };
    if [argv, made, count].into_iter().any(|reg| definitions(reg) != 1) {
        return;
    }
    let call_here = |span| {
        let (dst, callee, args) = (Some(argv), Callee::Direct(words), vec![Operand::Reg(count)]);
        Instr { kind: InstrKind::Call { dst, callee, args }, span }
    };
    let removed = [call, copy];
    for (number, block) in main.blocks.iter_mut().enumerate() {
        let mut instrs = Vec::with_capacity(block.instrs.len());
        for (index, instr) in std::mem::take(&mut block.instrs).into_iter().enumerate() {
            if number == Function::ENTRY.index() && removed.contains(&index) {
                continue;
            }
            let mut is_used = false;
            instr.kind.for_each_operand(|operand| is_used |= operand == Operand::Reg(argv));
            instrs.extend(is_used.then(|| call_here(instr.span)));
            instrs.push(instr);
        }
        let mut is_used = false;
        block.terminator.kind.for_each_operand(|operand| is_used |= operand == Operand::Reg(argv));
        instrs.extend(is_used.then(|| call_here(block.terminator.span)));
        block.instrs = instrs;
    }
}

/// Whether any function but the entry, or any object, refers to the function.
fn is_mentioned(program: &Program, entry: FuncId, function: FuncId) -> bool {
    let in_objects = program.globals.iter().flat_map(|g| &g.init).any(|init| init.value == InitValue::Func(function));
    let mut mentioned = in_objects;
    for (_, code) in program.functions.iter().enumerate().filter(|&(id, _)| id != entry.index()) {
        for instr in code.blocks.iter().flat_map(|b| &b.instrs) {
            mentioned |=
                matches!(instr.kind, InstrKind::Call { callee: Callee::Direct(callee), .. } if callee == function);
            instr.kind.for_each_operand(|operand| mentioned |= operand == Operand::Func(function));
        }
        for block in &code.blocks {
            block.terminator.kind.for_each_operand(|operand| mentioned |= operand == Operand::Func(function));
        }
    }
    mentioned
}
