//! Tidies the control-flow graph of a function: empty blocks are skipped, straight lines become
//! one block, what cannot be reached goes away. The blocks that remain stand in the order of the source, roughly.
//!
//! The head of a loop keeps its block even if it is empty, so that nested loops do not become one.

use norn_ir::ids::{BlockId, Reg};
use norn_ir::instr::{Operand, TerminatorKind};
use norn_ir::program::Function;

/// `loop_heads` tells which blocks are heads of loops, before and after.
pub fn tidy(function: &mut Function, loop_heads: &mut Vec<bool>) {
    fold_branches(function);
    thread_jumps(function, loop_heads);
    fold_branches(function);
    let order = layout(function);
    merge(function, &order);
    let order = layout(function);
    renumber(function, &order);
    *loop_heads = order.iter().map(|id| loop_heads[id.index()]).collect();
}

/// Drops the registers that nothing mentions.
pub fn drop_unused_registers(function: &mut Function) {
    let mut used = vec![false; function.registers.len()];
    function.params.iter().for_each(|reg| used[reg.index()] = true);
    for block in &function.blocks {
        for instr in &block.instrs {
            instr.kind.defs().for_each(|reg| used[reg.index()] = true);
            instr.kind.for_each_use(|reg| used[reg.index()] = true);
        }
        block.terminator.kind.for_each_use(|reg| used[reg.index()] = true);
    }
    let mut next = 0;
    let mut number = Vec::with_capacity(used.len());
    for &used in &used {
        number.push(Reg(next));
        next += u32::from(used);
    }
    let mut keep = used.iter();
    function.registers.retain(|_| *keep.next().unwrap_or(&true));
    let operand = |operand: Operand| operand.reg().map_or(operand, |reg| Operand::Reg(number[reg.index()]));
    function.params.iter_mut().for_each(|reg| *reg = number[reg.index()]);
    for block in &mut function.blocks {
        for instr in &mut block.instrs {
            instr.kind.map_defs(|reg| number[reg.index()]);
            instr.kind.map_operands(operand);
        }
        block.terminator.kind.map_operands(operand);
    }
}

/// Branches that go one way only become jumps.
fn fold_branches(function: &mut Function) {
    for block in &mut function.blocks {
        let kind = &mut block.terminator.kind;
        let target = match kind {
            TerminatorKind::Branch { then, otherwise, .. } if then == otherwise => *then,
            TerminatorKind::Branch { cond: Operand::Const(c), then, otherwise } => {
                if c.bits != 0 {
                    *then
                } else {
                    *otherwise
                }
            }
            TerminatorKind::Switch { cases, default, .. } if cases.iter().all(|case| case.1 == *default) => *default,
            _ => continue,
        };
        *kind = TerminatorKind::Goto(target);
    }
}

/// Jumps to an empty block go where that one goes.
fn thread_jumps(function: &mut Function, loop_heads: &[bool]) {
    let count = function.blocks.len();
    let step: Vec<Option<BlockId>> = (0..count)
        .map(|i| match &function.blocks[i].terminator.kind {
            TerminatorKind::Goto(target) if function.blocks[i].instrs.is_empty() && !loop_heads[i] && i != 0 => {
                Some(*target)
            }
            _ => None,
        })
        .collect();
    let mut final_target: Vec<Option<BlockId>> = vec![None; count];
    let mut path = Vec::new();
    for start in 0..count {
        path.clear();
        let mut at = BlockId::new(start);
        // Empty blocks that only jump among themselves have no final target; the limit ends the walk.
        let end = loop {
            match (final_target[at.index()], step[at.index()]) {
                (Some(known), _) => break known,
                (None, Some(next)) if path.len() <= count => {
                    path.push(at);
                    at = next;
                }
                _ => break at,
            }
        };
        path.iter().for_each(|b| final_target[b.index()] = Some(end));
    }
    for block in &mut function.blocks {
        block.terminator.kind.map_successors(|b| final_target[b.index()].unwrap_or(b));
    }
}

/// The reachable blocks, each before its successors except along back edges; the first successor comes first.
fn layout(function: &Function) -> Vec<BlockId> {
    let mut order = Vec::with_capacity(function.blocks.len());
    let mut state = vec![false; function.blocks.len()];
    // The blocks on the way to the current one, each with the length of `pending` below its successors.
    let mut path = Vec::new();
    // Successors of the blocks on the way that are still to be visited.
    let mut pending = vec![Function::ENTRY];
    loop {
        // Visiting the last successor first puts the first one first in reverse postorder.
        let below = path.last().map_or(0, |&(_, below)| below);
        if pending.len() > below {
            let Some(next) = pending.pop() else { break };
            if !std::mem::replace(&mut state[next.index()], true) {
                path.push((next, pending.len()));
                pending.extend(function.block(next).terminator.kind.successors());
            }
        } else {
            let Some((id, _)) = path.pop() else { break };
            order.push(id);
        }
    }
    order.reverse();
    order
}

/// Appends to each block the one that only it continues at.
fn merge(function: &mut Function, order: &[BlockId]) {
    let mut predecessors = vec![0u32; function.blocks.len()];
    for &id in order {
        for next in function.block(id).terminator.kind.successors() {
            predecessors[next.index()] += 1;
        }
    }
    let mut merged = vec![false; function.blocks.len()];
    for &id in order {
        if merged[id.index()] {
            continue;
        }
        while let TerminatorKind::Goto(next) = function.block(id).terminator.kind
            && predecessors[next.index()] == 1
            && next != id
            && next != Function::ENTRY
        {
            merged[next.index()] = true;
            let instrs = std::mem::take(&mut function.blocks[next.index()].instrs);
            let terminator = function.blocks[next.index()].terminator.clone();
            let block = &mut function.blocks[id.index()];
            block.instrs.extend(instrs);
            block.terminator = terminator;
        }
    }
}

fn renumber(function: &mut Function, order: &[BlockId]) {
    if order.len() == function.blocks.len() && order.is_sorted() {
        return;
    }
    let mut number = vec![BlockId(0); function.blocks.len()];
    for (i, id) in order.iter().enumerate() {
        number[id.index()] = BlockId::new(i);
    }
    let mut blocks: Vec<Option<_>> = std::mem::take(&mut function.blocks).into_iter().map(Some).collect();
    function.blocks.reserve_exact(order.len());
    for id in order {
        if let Some(mut block) = blocks[id.index()].take() {
            block.terminator.kind.map_successors(|b| number[b.index()]);
            function.blocks.push(block);
        }
    }
}
