//! Invariant 12: a register is assigned before it is read.
//!
//! Only a read that no earlier instruction of its block provides for depends on the path; most registers have none.

use super::flood::{Flood, GROUP, Word};
use super::flow::{Paths, Transfer, solve};
use super::{Findings, LIMIT, Place, Reason, Site};
use crate::ids::{BlockId, Reg};
use crate::program::Function;

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
    assigned: Vec<(BlockId, Word)>,
}

pub(super) fn check(site: Site<'_>, paths: &Paths, flood: &mut Flood, findings: &mut Findings) {
    const UNTRACKED: usize = usize::MAX;
    const PARAMETER: usize = usize::MAX - 1;
    let function = site.function;
    let reads = exposed_reads(site, &paths.order);
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
    for &id in &paths.order {
        for reg in function.block(id).instrs.iter().flat_map(|instr| instr.kind.defs()) {
            let n = number[reg.index()];
            if n < count {
                groups[n / GROUP].assigned.push((id, 1 << (n % GROUP)));
            }
        }
    }
    let mut wrong = Vec::new();
    for group in &groups {
        let bit = |index: usize| -> Word { 1 << (number[reads[index].reg.index()] % GROUP) };
        let exposed: Vec<(BlockId, Word)> = group.reads.iter().map(|&index| (reads[index].block, bit(index))).collect();
        if wrong.len() < LIMIT && reaches_start(paths, flood, &exposed, &group.assigned) {
            let mut transfer = vec![Transfer::default(); function.blocks.len()];
            for &(id, bits) in &group.assigned {
                transfer[id.index()].clear |= bits;
            }
            let unassigned = solve(function, &paths.order, Word::MAX, &transfer);
            let is_wrong = |&index: &usize| unassigned[reads[index].block.index()] & bit(index) != 0;
            wrong.extend(group.reads.iter().copied().filter(is_wrong));
        }
    }
    wrong.sort_unstable();
    for index in wrong {
        findings.add(reads[index].place, Reason::Unassigned(reads[index].reg));
    }
}

/// Whether going back from an exposed read one can come to the function's start without an assignment.
fn reaches_start(paths: &Paths, flood: &mut Flood, exposed: &[(BlockId, Word)], assigned: &[(BlockId, Word)]) -> bool {
    let mut reached = exposed.iter().any(|&(block, _)| block == Function::ENTRY);
    let back = |block: BlockId| paths.predecessors[block.index()].iter().copied();
    flood.run(exposed, assigned, back, |block, _, passing| reached |= block == Function::ENTRY && passing != 0);
    reached
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
