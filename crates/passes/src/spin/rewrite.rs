//! The two forms of a spin loop.

use std::collections::BTreeMap;

use norn_ir::ids::{BlockId, Reg};
use norn_ir::instr::{
    BinaryOp, CompareOp, Const, FenceKind, Instr, InstrKind, Operand, RmwOp, SectionKind, Terminator, TerminatorKind,
};
use norn_ir::program::{Block, Function, Register};
use norn_ir::span::Span;
use norn_ir::types::Ty;

use super::body::{Body, may_fail};
use super::effects::Visibility;

const TRUE: Operand = Operand::Const(Const::TRUE);
const FALSE: Operand = Operand::Const(Const::FALSE);

/// Stops the thread where an idle iteration jumps back.
pub fn to_once(function: &mut Function, body: &Body) {
    let span = function.block(body.latches[0]).terminator.span;
    let mut target = dead_end(function, InstrKind::Assume { cond: FALSE }, span);
    if let Some(changed) = note_changes(function, body) {
        let kind = TerminatorKind::Branch { cond: Operand::Reg(changed), then: body.header, otherwise: target };
        target = add_block(function, Vec::new(), kind, span);
    }
    for &latch in &body.latches {
        let terminator = &mut function.blocks[latch.index()].terminator.kind;
        terminator.map_successors(|next| if next == body.header { target } else { next });
    }
}

/// A register that tells at the end of an iteration whether it wrote something; `None` if it never does.
fn note_changes(function: &mut Function, body: &Body) -> Option<Reg> {
    let is_update = |instr: &Instr| matches!(instr.kind, InstrKind::Rmw { .. } | InstrKind::CompareExchange { .. });
    let updates = |function: &Function| body.blocks.iter().any(|&b| function.block(b).instrs.iter().any(is_update));
    if !updates(function) {
        return None;
    }
    let noted = add_register(function, Ty::Bool);
    for &block in &body.blocks {
        let instrs = std::mem::take(&mut function.blocks[block.index()].instrs);
        let mut longer = Vec::with_capacity(instrs.len() + 4);
        for instr in instrs {
            let (updates, span) = (is_update(&instr), instr.span);
            longer.push(instr);
            if updates {
                let update = longer[longer.len() - 1].kind.clone();
                let changed = add_register(function, Ty::Bool);
                longer.extend(has_changed(function, &update, changed).map(|kind| Instr { kind, span }));
                let kind = InstrKind::Select {
                    dst: noted,
                    cond: Operand::Reg(changed),
                    then: TRUE,
                    otherwise: Operand::Reg(noted),
                };
                longer.push(Instr { kind, span });
            }
        }
        function.blocks[block.index()].instrs = longer;
    }
    let header = &mut function.blocks[body.header.index()];
    let span = header.instrs.first().map_or(header.terminator.span, |instr| instr.span);
    header.instrs.insert(0, Instr { kind: InstrKind::Copy { dst: noted, src: FALSE }, span });
    Some(noted)
}

/// Instructions for after a read-modify-write: whether it changed memory.
fn has_changed(function: &mut Function, update: &InstrKind, changed: Reg) -> impl Iterator<Item = InstrKind> {
    let (first, second) = match *update {
        InstrKind::CompareExchange { success, .. } => {
            (None, InstrKind::Copy { dst: changed, src: Operand::Reg(success) })
        }
        InstrKind::Rmw { dst, op, value, .. } => {
            let ty = function.ty(dst);
            let old = Operand::Reg(dst);
            let combined = match op {
                RmwOp::And => Some(BinaryOp::And),
                RmwOp::Or => Some(BinaryOp::Or),
                _ => None,
            };
            let computed = combined.map(|op| (add_register(function, ty), op));
            let new = computed.map_or(value, |(reg, _)| Operand::Reg(reg));
            let first = computed.map(|(dst, op)| InstrKind::Binary { dst, op, lhs: old, rhs: value });
            (first, InstrKind::Compare { dst: changed, op: CompareOp::Ne, ty, lhs: old, rhs: new })
        }
        _ => (None, InstrKind::Copy { dst: changed, src: TRUE }),
    };
    first.into_iter().chain([second])
}

/// Makes the loop's one step an await, if there is one; otherwise nothing is changed. `visibility` tells whether an
/// access is visible.
pub fn to_await(function: &mut Function, body: &Body, visibility: &dyn Fn(&Function, Operand) -> Visibility) -> bool {
    let begins_section = |i: &Instr| matches!(i.kind, InstrKind::SectionBegin(_));
    let blocks = body.blocks.iter().map(|&id| (id, function.block(id)));
    let begins: Vec<BlockId> = blocks.filter(|(_, b)| b.instrs.iter().any(begins_section)).map(|(id, _)| id).collect();
    if !begins.is_empty() {
        return section_to_await(function, body, &begins, visibility);
    }
    let Some(event) = single_event(function, body, visibility) else { return false };
    let can_leave = body.can_leave(function);
    if body.can_avoid(function, event.block) || !can_leave[&event.block] {
        return false;
    }
    let region = region_after(function, body, event, &can_leave, &body.can_fail(function));
    let rest = function.block(event.block).instrs[event.index + 1..].iter();
    let mut instrs = rest.chain(region.iter().flat_map(|&id| &function.block(id).instrs));
    if !instrs.all(|instr| fits_section(&instr.kind, event.kind)) {
        return false;
    }
    enclose(function, body, event, &region);
    true
}

#[derive(Clone, Copy)]
struct Event {
    block: BlockId,
    index: usize,
    /// Of the section that it becomes.
    kind: SectionKind,
}

/// The only visible step of an iteration, if it is a load or a read-modify-write and clearly the only one.
fn single_event(
    function: &Function,
    body: &Body,
    visibility: &dyn Fn(&Function, Operand) -> Visibility,
) -> Option<Event> {
    let mut found = None;
    for &block in &body.blocks {
        for (index, instr) in function.block(block).instrs.iter().enumerate() {
            let (addr, kind) = match instr.kind {
                InstrKind::Load { addr, .. } => (addr, SectionKind::Read),
                InstrKind::Rmw { addr, .. } | InstrKind::CompareExchange { addr, .. } => (addr, SectionKind::Atomic),
                InstrKind::Call { .. } => return None,
                _ => continue,
            };
            match visibility(function, addr) {
                Visibility::Visible if found.is_none() => found = Some(Event { block, index, kind }),
                Visibility::Silent => {}
                Visibility::Visible | Visibility::Unclear => return None,
            }
        }
    }
    found
}

/// The blocks after an event and in the same iteration that have to be executed: if it only reads, those from which the
/// loop can be left, and those where something may go wrong; else all, because another iteration may follow.
fn region_after(
    function: &Function,
    body: &Body,
    event: Event,
    can_leave: &BTreeMap<BlockId, bool>,
    can_fail: &BTreeMap<BlockId, bool>,
) -> Vec<BlockId> {
    let mut region = Vec::new();
    let mut work = vec![event.block];
    while let Some(id) = work.pop() {
        for next in function.block(id).terminator.kind.successors() {
            let may = |blocks: &BTreeMap<BlockId, bool>| blocks.get(&next).copied().unwrap_or(false);
            let wanted = event.kind == SectionKind::Atomic || may(can_leave) || may(can_fail);
            let inside = next != body.header && body.contains(next) && wanted;
            if inside && !region.contains(&next) {
                region.push(next);
                work.push(next);
            }
        }
    }
    region
}

/// What may follow the event in its section. Anything else would be another step there, or wait, or ask for a value.
fn fits_section(kind: &InstrKind, section: SectionKind) -> bool {
    match kind {
        InstrKind::Load { .. }
        | InstrKind::Assert { .. }
        | InstrKind::ThreadSelf { .. }
        | InstrKind::LocalEnter(_)
        | InstrKind::LocalExit(_) => true,
        InstrKind::Store { .. } => section == SectionKind::Atomic,
        InstrKind::Fence(kind) => orders_nothing(*kind),
        _ => kind.only_computes(),
    }
}

fn orders_nothing(kind: FenceKind) -> bool {
    matches!(kind, FenceKind::Acquire | FenceKind::LoadLoad | FenceKind::Compiler)
}

/// Puts the event and what follows it up to the exits into a section. What follows is copied, because it may also be
/// reached around the event.
fn enclose(function: &mut Function, body: &Body, event: Event, region: &[BlockId]) {
    let Event { block, index, kind } = event;
    let span = function.block(block).instrs[index].span;
    let update = function.block(block).instrs[index].kind.clone();
    let mut idle = dead_end(function, InstrKind::Await { cond: FALSE, spurious: false }, span);
    let mut after = Vec::new();
    if kind == SectionKind::Atomic {
        let changed = add_register(function, Ty::Bool);
        after = has_changed(function, &update, changed).map(|kind| Instr { kind, span }).collect();
        let again = add_block(function, vec![section_end(span)], TerminatorKind::Goto(body.header), span);
        let kind = TerminatorKind::Branch { cond: Operand::Reg(changed), then: again, otherwise: idle };
        idle = add_block(function, Vec::new(), kind, span);
    }
    let first_copy = function.blocks.len();
    let copies: BTreeMap<BlockId, BlockId> =
        region.iter().enumerate().map(|(at, &id)| (id, BlockId::new(first_copy + at))).collect();
    function.blocks.extend(region.iter().map(|&id| function.blocks[id.index()].clone()).collect::<Vec<_>>());
    for &copy in copies.values() {
        function.blocks[copy.index()].instrs.retain(|i| !matches!(i.kind, InstrKind::Fence(_)));
        redirect(function, body, copy, &copies, idle);
    }
    let mut instrs = std::mem::take(&mut function.blocks[block.index()].instrs);
    let rest = instrs.split_off(index + 1);
    instrs.insert(index, Instr { kind: InstrKind::SectionBegin(kind), span });
    instrs.extend(after);
    instrs.extend(rest.into_iter().filter(|i| !matches!(i.kind, InstrKind::Fence(_))));
    function.blocks[block.index()].instrs = instrs;
    redirect(function, body, block, &copies, idle);
}

/// Successors of a block inside the section: a way out ends the section, a way back to the header leads to `idle`.
fn redirect(function: &mut Function, body: &Body, block: BlockId, copies: &BTreeMap<BlockId, BlockId>, idle: BlockId) {
    let Terminator { mut kind, span } = function.block(block).terminator.clone();
    kind.map_successors(|next| match copies.get(&next) {
        Some(&copy) => copy,
        None if body.contains(next) => idle,
        None => add_block(function, vec![section_end(span)], TerminatorKind::Goto(next), span),
    });
    function.blocks[block.index()].terminator.kind = kind;
}

/// A loop whose one step is a section already, which ends inside of the loop only to begin the next iteration.
fn section_to_await(
    function: &mut Function,
    body: &Body,
    begins: &[BlockId],
    visibility: &dyn Fn(&Function, Operand) -> Visibility,
) -> bool {
    let &[begin] = begins else { return false };
    let can_leave = body.can_leave(function);
    if body.can_avoid(function, begin) {
        return false;
    }
    // Paths agree on being inside; blocks come before their successors.
    let mut inside: BTreeMap<BlockId, bool> = BTreeMap::from([(body.header, false)]);
    let mut ends: Vec<(BlockId, usize)> = Vec::new();
    let mut sections = 0;
    for &id in &body.blocks {
        let mut open = inside.get(&id).copied().unwrap_or(false);
        let block = function.block(id);
        for (index, instr) in block.instrs.iter().enumerate() {
            match instr.kind {
                InstrKind::SectionBegin(_) => {
                    open = true;
                    sections += 1;
                }
                InstrKind::SectionEnd => {
                    open = false;
                    ends.push((id, index));
                }
                InstrKind::Rmw { .. } | InstrKind::CompareExchange { .. } => return false,
                InstrKind::Load { addr, .. } if !open && visibility(function, addr) != Visibility::Silent => {
                    return false;
                }
                InstrKind::Call { .. } if !open => return false,
                _ => {}
            }
        }
        block.terminator.kind.successors().for_each(|next| {
            inside.insert(next, open);
        });
    }
    let can_fail = body.can_fail(function);
    let fails_after = |&(id, index): &(BlockId, usize)| {
        let block = function.block(id);
        let mut successors = block.terminator.kind.successors().filter(|&next| next != body.header);
        block.instrs[index + 1..].iter().any(|instr| may_fail(&instr.kind)) || successors.any(|next| can_fail[&next])
    };
    if sections != 1 || ends.iter().any(|end| can_leave[&end.0] || fails_after(end)) {
        return false;
    }
    for (block, index) in ends {
        let block = &mut function.blocks[block.index()];
        let span = block.instrs[index].span;
        block.instrs.truncate(index);
        block.instrs.push(Instr { kind: InstrKind::Await { cond: FALSE, spurious: false }, span });
        block.terminator.kind = TerminatorKind::Unreachable;
    }
    true
}

fn section_end(span: Span) -> Instr {
    Instr { kind: InstrKind::SectionEnd, span }
}

/// A block that nothing comes out of.
fn dead_end(function: &mut Function, kind: InstrKind, span: Span) -> BlockId {
    add_block(function, vec![Instr { kind, span }], TerminatorKind::Unreachable, span)
}

fn add_block(function: &mut Function, instrs: Vec<Instr>, kind: TerminatorKind, span: Span) -> BlockId {
    function.blocks.push(Block { instrs, terminator: Terminator { kind, span } });
    BlockId::new(function.blocks.len() - 1)
}

fn add_register(function: &mut Function, ty: Ty) -> Reg {
    function.registers.push(Register { ty, name: String::new() });
    Reg::new(function.registers.len() - 1)
}
