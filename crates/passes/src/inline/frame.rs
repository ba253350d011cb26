//! How far the expansion of a copy of a function has come.

use std::rc::Rc;

use norn_ir::ids::{BlockId, FuncId, LocalId, Reg};
use norn_ir::instr::{Callee, InstrKind, Operand};

use super::Source;
use crate::unroll::CopyOf;
use crate::unwind::ContextId;

/// A copy of a function that is being expanded.
pub(super) struct Frame {
    pub id: FuncId,
    pub source: Rc<Source>,
    pub context: ContextId,
    pub storage: Storage,
    /// Whether the call is inside a section.
    pub in_section: bool,
    /// Where a return goes; `None` in the root.
    pub after: Option<After>,
    /// One register per `Alloc` of stack memory in an inlined function: its address, null until the `Alloc` is passed.
    /// Unrolled code passes each at most once.
    pub stack_memory: Vec<Reg>,
    /// How many of them are taken.
    pub stack_used: usize,
    /// The new blocks of the unrolled function's blocks that have been reached.
    pub blocks: Vec<Option<BlockId>>,
    pub next_block: usize,
    /// The block that is being copied.
    pub at: Option<Position>,
    /// Callees of the current call that have not been expanded, with the block where each starts.
    pub waiting: Vec<Waiting>,
    pub callee_returned: bool,
    pub returned: bool,
}

impl Frame {
    pub fn copy_of(&self, source: usize) -> &CopyOf {
        &self.source.unrolled.copies[source]
    }
}

/// The registers and local objects of a copy of a function.
#[derive(Clone, Copy)]
pub(super) struct Storage {
    pub first_reg: u32,
    pub first_local: u32,
}

#[derive(Clone, Copy)]
pub(super) struct Waiting {
    pub callee: FuncId,
    pub call: Call,
    pub start: BlockId,
    pub storage: Storage,
}

#[derive(Clone, Copy)]
pub(super) struct After {
    pub dst: Option<Reg>,
    pub block: BlockId,
}

pub(super) struct Position {
    pub source: usize,
    /// The next instruction.
    pub index: usize,
    pub to: BlockId,
    pub in_section: bool,
    /// If the instruction before is a call that is being expanded: where it returns to.
    pub call: Option<BlockId>,
}

#[derive(Clone, Copy)]
pub(super) struct Call {
    pub after: After,
    pub in_section: bool,
}

pub(super) enum Advance {
    More,
    Call(Frame),
    Done,
}

impl Storage {
    pub fn reg(self, reg: Reg) -> Reg {
        Reg(self.first_reg + reg.0)
    }

    pub fn local(self, local: LocalId) -> LocalId {
        LocalId(self.first_local + local.0)
    }

    pub fn operand(self, operand: Operand) -> Operand {
        match operand {
            Operand::Reg(reg) => Operand::Reg(self.reg(reg)),
            Operand::Local(local, offset) => Operand::Local(self.local(local), offset),
            Operand::Const(_) | Operand::Global(..) | Operand::Func(_) => operand,
        }
    }

    pub fn callee(self, callee: Callee) -> Callee {
        match callee {
            Callee::Direct(_) => callee,
            Callee::Indirect(pointer) => Callee::Indirect(self.operand(pointer)),
        }
    }

    pub fn rename(self, kind: &mut InstrKind) {
        kind.map_operands(|operand| self.operand(operand));
        kind.map_defs(|reg| self.reg(reg));
        if let InstrKind::LocalEnter(local) | InstrKind::LocalExit(local) = kind {
            *local = self.local(*local);
        }
    }
}
