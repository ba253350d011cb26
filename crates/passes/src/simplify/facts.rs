//! What the passes over a function ask about its instructions, in little memory: the instructions themselves are many
//! times larger, and are read once for all passes.

use crate::by_instr::ByInstr;
use norn_ir::ids::{BlockId, Reg};
use norn_ir::instr::{InstrKind, TerminatorKind};
use norn_ir::number::{narrow, narrow_to};
use norn_ir::program::Function;
use std::ops::Range;

/// Nothing is known of what was not entered: it assigns and reads nothing.
pub struct Facts {
    by_instr: ByInstr<Fact>,
    /// The registers that instructions assign and read, those of one together.
    registers: Vec<Reg>,
}

#[derive(Clone, Copy, Default)]
pub struct Fact {
    /// Its first register; what it assigns comes before what it reads.
    first: u32,
    uses: u32,
    defs: u8,
    /// Nobody would miss it if its results were not read.
    pub is_pure: bool,
    /// Neither values nor memory depend on it.
    pub is_silent: bool,
    pub is_comparison: bool,
}

impl Facts {
    pub fn new(function: &Function) -> Facts {
        let by_instr = ByInstr::new(function, Fact::default());
        let registers = Vec::with_capacity(3 * by_instr.count());
        Facts { by_instr, registers }
    }

    pub fn enter(&mut self, block: BlockId, index: usize, kind: &InstrKind) {
        let first = self.registers.len();
        self.registers.extend(kind.defs());
        let defs = self.registers.len() - first;
        kind.for_each_use(|reg| self.registers.push(reg));
        self.by_instr[(block, index)] = Fact {
            first: narrow(first),
            uses: narrow(self.registers.len() - first - defs),
            defs: narrow_to(defs),
            is_pure: is_pure(kind),
            is_silent: is_silent(kind),
            is_comparison: matches!(kind, InstrKind::Compare { .. }),
        };
    }

    /// `index`: the number of instructions of the block.
    pub fn enter_terminator(&mut self, block: BlockId, index: usize, kind: &TerminatorKind) {
        let first = self.registers.len();
        kind.for_each_use(|reg| self.registers.push(reg));
        let uses = narrow(self.registers.len() - first);
        self.by_instr[(block, index)] = Fact { first: narrow(first), uses, ..Fact::default() };
    }

    /// Forgets what the terminator of a block reads.
    pub fn forget_terminator(&mut self, block: BlockId) {
        let (_, terminator) = self.slots(block);
        self.by_instr[terminator].uses = 0;
    }

    /// Where the instructions of a block are among all, and its terminator.
    pub fn slots(&self, block: BlockId) -> (Range<usize>, usize) {
        self.by_instr.slots(block)
    }

    pub fn fact(&self, slot: usize) -> Fact {
        self.by_instr[slot]
    }

    pub fn defs(&self, slot: usize) -> &[Reg] {
        let Fact { first, defs, .. } = self.by_instr[slot];
        &self.registers[first as usize..][..usize::from(defs)]
    }

    pub fn uses(&self, slot: usize) -> &[Reg] {
        let Fact { first, defs, uses, .. } = self.by_instr[slot];
        &self.registers[first as usize + usize::from(defs)..][..uses as usize]
    }

    /// The same value for all instructions and terminators.
    pub fn with_all<T: Clone>(&self, value: T) -> ByInstr<T> {
        self.by_instr.with_all(value)
    }
}

/// Whether neither values nor memory depend on the instruction.
fn is_silent(kind: &InstrKind) -> bool {
    matches!(kind, InstrKind::Print { .. } | InstrKind::Sync { .. } | InstrKind::Await { spurious: true, .. })
}

/// Whether nobody would miss the instruction if its results were not read.
fn is_pure(kind: &InstrKind) -> bool {
    match kind {
        InstrKind::Binary { op, rhs, .. } => !op.may_trap(*rhs),
        InstrKind::Nondet { .. } | InstrKind::ThreadSelf { .. } => true,
        _ => kind.only_computes(),
    }
}
