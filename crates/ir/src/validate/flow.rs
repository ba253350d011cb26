//! Invariants 12 to 16: what depends on the path.
//!
//! All of them are unions over paths of one bit per register, object or state: "may be unassigned", "may be inside",
//! "may be outside". One solver treats 128 of these bits at a time; a block's bits only ever grow, so that a group
//! costs at most 128 visits per edge and in practice one or two.
//!
//! That is still the number of groups times the number of blocks. So registers and objects are first asked a question
//! that costs less, whether anything is wrong with the group at all ([`super::flood`]), and only if so the solver
//! tells where.

use std::collections::VecDeque;

use super::flood::{Flood, Word};
use super::{Findings, Reason, Site, registers, scopes};
use crate::ids::{BlockId, FuncId};
use crate::instr::{Callee, InstrKind, SectionKind, TerminatorKind};
use crate::program::{Function, Program};

/// `unfit` tells which functions may not be called inside a section.
pub(super) fn check(program: &Program, id: FuncId, unfit: &[bool], findings: &mut Findings) {
    let site = Site { program, id, function: program.function(id) };
    let paths = Paths { order: site.function.reverse_postorder(), predecessors: site.function.predecessors() };
    let mut flood = Flood::new(site.function.blocks.len());
    registers::check(site, &paths, &mut flood, findings);
    scopes::check(site, &paths, &mut flood, findings);
    check_sections(site, &paths.order, unfit, findings);
}

/// The graph of a function.
pub(super) struct Paths {
    /// The blocks that are reached.
    pub order: Vec<BlockId>,
    pub predecessors: Vec<Vec<BlockId>>,
}

/// How a block changes a group: the bits that it sets and those that it clears.
#[derive(Clone, Copy, Default)]
pub(super) struct Transfer {
    pub set: Word,
    pub clear: Word,
}

/// For each block the bits that may hold where it begins; `start` holds where the function begins. Blocks that are not
/// in `order` stay empty.
pub(super) fn solve(function: &Function, order: &[BlockId], start: Word, transfer: &[Transfer]) -> Vec<Word> {
    let mut before = vec![0; function.blocks.len()];
    before[Function::ENTRY.index()] = start;
    let mut queue: VecDeque<BlockId> = order.iter().copied().collect();
    let mut queued = vec![false; function.blocks.len()];
    order.iter().for_each(|id| queued[id.index()] = true);
    while let Some(id) = queue.pop_front() {
        queued[id.index()] = false;
        let Transfer { set, clear } = transfer[id.index()];
        let after = (before[id.index()] & !clear) | set;
        for next in function.block(id).terminator.kind.successors() {
            if after & !before[next.index()] != 0 {
                before[next.index()] |= after;
                if !queued[next.index()] {
                    queued[next.index()] = true;
                    queue.push_back(next);
                }
            }
        }
    }
    before
}

/// The states that a point can be in, one bit each.
const OUTSIDE: Word = 1;
const IN_ATOMIC: Word = 2;
const IN_LIBRARY: Word = 4;
const IN_READ: Word = 8;
const ANY: Word = OUTSIDE | IN_ATOMIC | IN_LIBRARY | IN_READ;

fn state_after_begin(kind: SectionKind) -> Word {
    match kind {
        SectionKind::Atomic => IN_ATOMIC,
        SectionKind::Library => IN_LIBRARY,
        SectionKind::Read => IN_READ,
    }
}

fn check_sections(site: Site<'_>, order: &[BlockId], unfit: &[bool], findings: &mut Findings) {
    let function = site.function;
    let mut transfer = vec![Transfer::default(); function.blocks.len()];
    for &id in order {
        for instr in &function.block(id).instrs {
            let state = match instr.kind {
                InstrKind::SectionBegin(kind) => state_after_begin(kind),
                InstrKind::SectionEnd => OUTSIDE,
                _ => continue,
            };
            transfer[id.index()] = Transfer { set: state, clear: ANY };
        }
    }
    let before = solve(function, order, OUTSIDE, &transfer);
    for &id in order {
        let mut state = before[id.index()];
        let block = function.block(id);
        if !state.is_power_of_two() {
            let first = if block.instrs.is_empty() { site.terminator(id) } else { site.instr(id, 0) };
            findings.add(first, Reason::SectionUnclear);
            continue;
        }
        for (i, instr) in block.instrs.iter().enumerate() {
            if let Some(reason) = section_violation(&instr.kind, state, unfit) {
                findings.add(site.instr(id, i), reason);
            }
            match instr.kind {
                InstrKind::SectionBegin(kind) => state = state_after_begin(kind),
                InstrKind::SectionEnd => state = OUTSIDE,
                _ => {}
            }
        }
        let leaves = matches!(block.terminator.kind, TerminatorKind::Return(_) | TerminatorKind::ThreadExit(_));
        if leaves && state != OUTSIDE {
            findings.add(site.terminator(id), Reason::SectionLeftOpen);
        }
    }
}

fn section_violation(kind: &InstrKind, state: Word, unfit: &[bool]) -> Option<Reason> {
    let outside = state == OUTSIDE;
    let reading = state == IN_READ;
    match kind {
        InstrKind::SectionBegin(_) => (!outside).then_some(Reason::SectionNested),
        InstrKind::SectionEnd => outside.then_some(Reason::SectionNotOpen),
        InstrKind::Await { .. } => outside.then_some(Reason::AwaitOutsideSection),
        InstrKind::Spawn { .. } => (!outside).then_some(Reason::SpawnInSection),
        InstrKind::Join { .. } => (!outside).then_some(Reason::JoinInSection),
        InstrKind::Store { .. }
        | InstrKind::Rmw { .. }
        | InstrKind::CompareExchange { .. }
        | InstrKind::Fence(_)
        | InstrKind::Alloc { .. }
        | InstrKind::Free { .. } => reading.then_some(Reason::NotARead),
        InstrKind::Call { .. } if reading => Some(Reason::NotARead),
        InstrKind::Call { callee: Callee::Direct(id), .. } => {
            (!outside && unfit[id.index()]).then_some(Reason::CallInSection(*id))
        }
        _ => None,
    }
}
