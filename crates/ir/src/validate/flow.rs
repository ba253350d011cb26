//! Invariants 13 to 17: what depends on the path.
//!
//! All of them are unions over paths of one bit per register, object or state: "may be unassigned", "may be inside",
//! "may be outside". One solver treats 128 of these bits at a time; a block's bits only ever grow, so that a group
//! costs at most 128 visits per edge and in practice one or two. Registers that no block reads before it assigns
//! them, which is most of them, never get that far.

use std::collections::VecDeque;

use super::{Findings, Place, Reason, Site};
use crate::ids::{BlockId, FuncId, LocalId, Reg};
use crate::instr::{Callee, InstrKind, Operand, SectionKind, TerminatorKind};
use crate::program::{Function, Program};

/// Bits of one group.
type Word = u128;
const GROUP: usize = Word::BITS as usize;

/// `unfit` tells which functions may not be called inside a section.
pub(super) fn check(program: &Program, id: FuncId, unfit: &[bool], findings: &mut Findings) {
    let site = Site { program, id, function: program.function(id) };
    let order = site.function.reverse_postorder();
    check_registers(site, &order, findings);
    check_locals(site, &order, findings);
    check_sections(site, &order, unfit, findings);
}

/// How a block changes a group: the bits that it sets and those that it clears.
#[derive(Clone, Copy, Default)]
struct Transfer {
    set: Word,
    clear: Word,
}

/// For each block the bits that may hold where it begins; `start` holds where the function begins. Blocks that are not
/// in `order` stay empty.
fn solve(function: &Function, order: &[BlockId], start: Word, transfer: &[Transfer]) -> Vec<Word> {
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

/// The first read of a register in a block that does not assign it earlier.
struct ExposedRead {
    reg: Reg,
    block: BlockId,
    place: Place,
}

/// Registers that are treated together.
#[derive(Default)]
struct Group {
    /// Their exposed reads, as indices.
    reads: Vec<usize>,
    /// Which blocks assign which of their bits.
    assigned: Vec<(BlockId, usize)>,
}

fn check_registers(site: Site<'_>, order: &[BlockId], findings: &mut Findings) {
    const UNTRACKED: usize = usize::MAX;
    const PARAMETER: usize = usize::MAX - 1;
    let function = site.function;
    let reads = exposed_reads(site, order);
    // The registers that matter, numbered in the order in which they were met.
    let mut number = vec![UNTRACKED; function.registers.len()];
    function.params.iter().for_each(|param| number[param.index()] = PARAMETER);
    let mut groups: Vec<Group> = Vec::new();
    let mut count = 0;
    for (index, read) in reads.iter().enumerate() {
        let n = &mut number[read.reg.index()];
        if *n == UNTRACKED {
            *n = count;
            count += 1;
            groups.resize_with(count.div_ceil(GROUP), Default::default);
        }
        if *n != PARAMETER {
            groups[*n / GROUP].reads.push(index);
        }
    }
    for &id in order {
        for reg in function.block(id).instrs.iter().flat_map(|instr| instr.kind.defs()) {
            let n = number[reg.index()];
            if n < count {
                groups[n / GROUP].assigned.push((id, n % GROUP));
            }
        }
    }
    let mut wrong = Vec::new();
    for group in &groups {
        let mut transfer = vec![Transfer::default(); function.blocks.len()];
        for &(id, bit) in &group.assigned {
            transfer[id.index()].clear |= 1 << bit;
        }
        let unassigned = solve(function, order, Word::MAX, &transfer);
        wrong.extend(group.reads.iter().copied().filter(|&index| {
            let read = &reads[index];
            unassigned[read.block.index()] & (1 << (number[read.reg.index()] % GROUP)) != 0
        }));
    }
    wrong.sort_unstable();
    for index in wrong {
        findings.add(reads[index].place, Reason::Unassigned(reads[index].reg));
    }
}

fn exposed_reads(site: Site<'_>, order: &[BlockId]) -> Vec<ExposedRead> {
    let function = site.function;
    let mut reads = Vec::new();
    // For each register the last block that assigned or read it: the order's index plus one.
    let mut seen = vec![0; function.registers.len()];
    for (index, &block) in order.iter().enumerate() {
        let mut read = |reg: Reg, place: Place, seen: &mut [usize]| {
            if seen[reg.index()] != index + 1 {
                seen[reg.index()] = index + 1;
                reads.push(ExposedRead { reg, block, place });
            }
        };
        for (i, instr) in function.block(block).instrs.iter().enumerate() {
            instr.kind.for_each_use(|reg| read(reg, site.instr(block, i), &mut seen));
            for reg in instr.kind.defs() {
                seen[reg.index()] = index + 1;
            }
        }
        let terminator = &function.block(block).terminator;
        terminator.kind.for_each_use(|reg| read(reg, site.terminator(block), &mut seen));
    }
    reads
}

/// What happens to a local object.
#[derive(Clone, Copy, PartialEq)]
enum Scope {
    Enter,
    Leave,
    Mention,
}

struct ScopeEvent {
    local: LocalId,
    what: Scope,
    block: BlockId,
    place: Place,
}

fn check_locals(site: Site<'_>, order: &[BlockId], findings: &mut Findings) {
    let function = site.function;
    // Two bits per object: it may be inside its scope, it may be outside.
    const PER_GROUP: usize = GROUP / 2;
    let groups = function.locals.len().div_ceil(PER_GROUP);
    let mut events: Vec<Vec<ScopeEvent>> = Vec::new();
    events.resize_with(groups, Vec::new);
    for_each_scope_event(site, order, |event| events[event.local.index() / PER_GROUP].push(event));
    let outside_everywhere = (Word::MAX / 3) << 1;
    for events in &events {
        let mut transfer = vec![Transfer::default(); function.blocks.len()];
        for event in events.iter().filter(|event| event.what != Scope::Mention) {
            let (inside, outside) = scope_bits(event.local);
            let (set, clear) = if event.what == Scope::Enter { (inside, outside) } else { (outside, inside) };
            let transfer = &mut transfer[event.block.index()];
            transfer.set = (transfer.set & !clear) | set;
            transfer.clear = (transfer.clear & !set) | clear;
        }
        let before = solve(function, order, outside_everywhere, &transfer);
        let mut at = None;
        let mut state = 0;
        for event in events {
            if at != Some(event.block) {
                at = Some(event.block);
                state = before[event.block.index()];
            }
            let (inside, outside) = scope_bits(event.local);
            match event.what {
                Scope::Enter => {
                    if state & inside != 0 {
                        findings.add(event.place, Reason::EnteredTwice(event.local));
                    }
                    state = (state & !outside) | inside;
                }
                Scope::Leave | Scope::Mention => {
                    if state & outside != 0 {
                        findings.add(event.place, Reason::NotEntered(event.local));
                    }
                    if event.what == Scope::Leave {
                        state = (state & !inside) | outside;
                    }
                }
            }
        }
    }
}

fn scope_bits(local: LocalId) -> (Word, Word) {
    let shift = local.index() * 2 % GROUP;
    (1 << shift, 2 << shift)
}

fn for_each_scope_event(site: Site<'_>, order: &[BlockId], mut f: impl FnMut(ScopeEvent)) {
    for &block in order {
        let mention = |operand: Operand, place: Place, f: &mut dyn FnMut(ScopeEvent)| {
            if let Some(local) = operand.local() {
                f(ScopeEvent { local, what: Scope::Mention, block, place });
            }
        };
        for (i, instr) in site.function.block(block).instrs.iter().enumerate() {
            let place = site.instr(block, i);
            match instr.kind {
                InstrKind::LocalEnter(local) => f(ScopeEvent { local, what: Scope::Enter, block, place }),
                InstrKind::LocalExit(local) => f(ScopeEvent { local, what: Scope::Leave, block, place }),
                _ => instr.kind.for_each_operand(|operand| mention(operand, place, &mut f)),
            }
        }
        let terminator = &site.function.block(block).terminator;
        terminator.kind.for_each_operand(|operand| mention(operand, site.terminator(block), &mut f));
    }
}

/// The states that a point can be in, one bit each.
const OUTSIDE: Word = 1;
const IN_ATOMIC: Word = 2;
const IN_READ: Word = 4;
const ANY: Word = OUTSIDE | IN_ATOMIC | IN_READ;

fn state_after_begin(kind: SectionKind) -> Word {
    match kind {
        SectionKind::Atomic => IN_ATOMIC,
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
