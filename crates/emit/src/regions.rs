//! Where a thread stands in an atomic section, and where it is alone: before the first thread is created nobody sees what
//! the first one does, and its writes are in memory by the time that somebody does, since a creation is a fence.

use crate::prepare::Prepared;
use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::InstrKind;
use norn_passes::by_instr::ByInstr;

/// What holds before an instruction or a terminator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    pub in_section: bool,
    pub is_alone: bool,
}

/// The regions of a thread's function.
pub struct Regions(ByInstr<Region>);

impl Regions {
    pub fn new(prepared: &Prepared, id: FuncId) -> Regions {
        let code = prepared.function(id);
        let function = &code.function;
        let is_alone = id == prepared.program().entry && prepared.instances(id) == 1;
        let start = Region { in_section: false, is_alone };
        let mut regions = ByInstr::new(function, start);
        let mut at_entry = vec![start; function.blocks.len()];
        for &block in &code.order {
            let mut region = at_entry[block.index()];
            let content = function.block(block);
            for (index, instr) in content.instrs.iter().enumerate() {
                regions[(block, index)] = region;
                match instr.kind {
                    InstrKind::SectionBegin(_) => region.in_section = true,
                    InstrKind::SectionEnd => region.in_section = false,
                    InstrKind::Spawn { .. } => region.is_alone = false,
                    _ => {}
                }
            }
            regions[(block, content.instrs.len())] = region;
            for next in content.terminator.kind.successors() {
                let there = &mut at_entry[next.index()];
                there.in_section |= region.in_section;
                there.is_alone &= region.is_alone;
            }
        }
        Regions(regions)
    }

    /// What holds before an instruction, or before the terminator.
    pub fn at(&self, block: BlockId, index: usize) -> Region {
        self.0[(block, index)]
    }
}
