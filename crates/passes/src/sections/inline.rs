//! Inlining of small functions that open or close a section for their caller.

use norn_ir::ids::{BlockId, FuncId, Reg};
use norn_ir::instr::{Callee, Instr, InstrKind, Operand, Terminator, TerminatorKind};
use norn_ir::number::narrow;
use norn_ir::program::{Block, Function, Program};

/// Whether a function can become part of another: objects on its frame would have to end where it returns.
pub fn can_inline(function: &Function) -> bool {
    let on_stack = |i: &Instr| matches!(i.kind, InstrKind::Alloc { .. } | InstrKind::LocalEnter(_));
    function.locals.is_empty() && !function.blocks.iter().any(|b| b.instrs.iter().any(on_stack))
}

/// Replaces the calls that a function makes to those that `chosen` marks.
pub fn inline_calls(program: &mut Program, id: FuncId, chosen: &[bool]) {
    let mut caller = program.functions[id.index()].clone();
    let mut at = 0;
    // Blocks that are split off are appended and looked at later.
    while at < caller.blocks.len() {
        let call = caller.blocks[at].instrs.iter().position(|i| {
            matches!(i.kind, InstrKind::Call { callee: Callee::Direct(callee), .. }
                if chosen[callee.index()] && callee != id)
        });
        if let Some(index) = call
            && let InstrKind::Call { dst, callee: Callee::Direct(callee), args } =
                caller.blocks[at].instrs[index].kind.clone()
        {
            let span = caller.blocks[at].instrs[index].span;
            inline_one(&mut caller, BlockId::new(at), index, Site { dst, args, span }, program.function(callee));
        }
        at += 1;
    }
    program.functions[id.index()] = caller;
}

struct Site {
    dst: Option<Reg>,
    args: Vec<Operand>,
    span: norn_ir::span::Span,
}

fn inline_one(caller: &mut Function, block: BlockId, index: usize, site: Site, callee: &Function) {
    let registers = narrow(caller.registers.len());
    let reg = |r: Reg| Reg(r.0 + registers);
    let operand = |o: Operand| o.reg().map_or(o, |r| Operand::Reg(reg(r)));
    caller.registers.extend(callee.registers.iter().cloned());

    let after = caller.blocks[block.index()].instrs.split_off(index + 1);
    caller.blocks[block.index()].instrs.pop();
    let jump = |target| Terminator { kind: TerminatorKind::Goto(target), span: site.span };
    let first = BlockId::new(caller.blocks.len());
    let rest = BlockId::new(caller.blocks.len() + callee.blocks.len());
    let copies = callee
        .params
        .iter()
        .zip(site.args)
        .map(|(&param, src)| Instr { kind: InstrKind::Copy { dst: reg(param), src }, span: site.span });
    caller.blocks[block.index()].instrs.extend(copies);
    let terminator = std::mem::replace(&mut caller.blocks[block.index()].terminator, jump(first));
    for copied in &callee.blocks {
        let mut copied = copied.clone();
        for instr in &mut copied.instrs {
            instr.kind.map_defs(reg);
            instr.kind.map_operands(operand);
        }
        copied.terminator.kind.map_operands(operand);
        copied.terminator.kind.map_successors(|b| BlockId(b.0 + first.0));
        if let TerminatorKind::Return(value) = copied.terminator.kind {
            let span = copied.terminator.span;
            if let (Some(dst), Some(src)) = (site.dst, value) {
                copied.instrs.push(Instr { kind: InstrKind::Copy { dst, src }, span });
            }
            copied.terminator = jump(rest);
        }
        caller.blocks.push(copied);
    }
    caller.blocks.push(Block { instrs: after, terminator });
}
