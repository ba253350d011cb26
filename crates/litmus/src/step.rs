//! What the instructions of PPC and X86 come down to: a list of steps per thread over numbered machine registers.
//!
//! A step names machine registers without saying whether they hold a number or an address; [`crate::kinds`] finds
//! that out for each point of the program and [`crate::emit`] turns the steps into IR. Condition codes are two
//! registers, left and right side of the last comparison, so that a branch compares again.

use std::collections::HashMap;
use std::ops::Range;

use norn_ir::diag::Diagnostic;
use norn_ir::instr::{BinaryOp, CompareOp, FenceKind, RmwOp};
use norn_ir::types::Ty;

use crate::ctype::CType;
pub(crate) use crate::labels::LabelId;
use crate::labels::Labels;
use crate::state::{LocationId, Value};
use crate::table::Column;
use crate::token::{File, Token};
use crate::x86::FlagUse;

norn_ir::ids! {
    /// A register of a thread, made up ones for condition codes and intermediate values included.
    MachineReg = "register";
}

/// The name under which a register such as `%x` is known, which the test names without choosing one.
pub(crate) fn symbolic_name(name: &str) -> String {
    format!("%{name}")
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Val {
    Reg(MachineReg),
    Number(i64),
    Address(LocationId),
}

/// The sum of two values, one of which holds an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub base: Val,
    pub index: Val,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Step {
    Label(LabelId),
    Set {
        dst: MachineReg,
        src: Val,
    },
    /// Sets `dst` to 0, which by the text of the program depends on `on` (`xor r1,r2,r2`).
    Zero {
        dst: MachineReg,
        on: Val,
    },
    /// Computed in the width of `ty`, then extended with zeros to the register.
    Compute {
        dst: MachineReg,
        op: BinaryOp,
        ty: Ty,
        lhs: Val,
        rhs: Val,
    },
    /// The lower bits of `src`, extended to the register.
    Extend {
        dst: MachineReg,
        src: Val,
        from: Ty,
        signed: bool,
    },
    Load {
        dst: MachineReg,
        place: Place,
        ty: Ty,
        signed: bool,
    },
    Store {
        place: Place,
        value: Val,
        ty: Ty,
    },
    /// `dst` is the value before, extended with zeros.
    Rmw {
        dst: MachineReg,
        op: RmwOp,
        place: Place,
        value: Val,
        ty: Ty,
    },
    /// `dst` is the value before, extended with zeros.
    CompareExchange {
        dst: MachineReg,
        place: Place,
        expected: Val,
        desired: Val,
        ty: Ty,
    },
    Fence(FenceKind),
    Jump(LabelId),
    /// Jumps if the comparison of whole registers holds.
    Branch {
        op: CompareOp,
        lhs: Val,
        rhs: Val,
        target: LabelId,
    },
    /// 0 or 1, as it happens.
    Choose {
        dst: MachineReg,
    },
    SectionBegin,
    SectionEnd,
}

impl Step {
    /// Whether it does nothing but compute in registers.
    pub fn is_local(&self) -> bool {
        matches!(self, Step::Set { .. } | Step::Zero { .. } | Step::Compute { .. } | Step::Extend { .. })
    }

    pub fn dst(&self) -> Option<MachineReg> {
        match self {
            Step::Set { dst, .. }
            | Step::Zero { dst, .. }
            | Step::Compute { dst, .. }
            | Step::Extend { dst, .. }
            | Step::Load { dst, .. }
            | Step::Rmw { dst, .. }
            | Step::CompareExchange { dst, .. }
            | Step::Choose { dst } => Some(*dst),
            _ => None,
        }
    }

    /// The values that the result depends on.
    pub fn reads(&self) -> Vec<Val> {
        match self {
            Step::Set { src, .. } | Step::Extend { src, .. } => vec![*src],
            Step::Compute { lhs, rhs, .. } | Step::Branch { lhs, rhs, .. } => vec![*lhs, *rhs],
            Step::Load { place, .. } => vec![place.base, place.index],
            Step::Store { place, value, .. } | Step::Rmw { place, value, .. } => vec![place.base, place.index, *value],
            Step::CompareExchange { place, expected, desired, .. } => {
                vec![place.base, place.index, *expected, *desired]
            }
            _ => Vec::new(),
        }
    }
}

pub(crate) struct MachineRegister {
    /// Empty for made-up ones.
    pub name: String,
    pub init: Value,
    pub declared: Option<CType>,
    /// Whether a load of 64 bits goes there, so that its final value needs all of them.
    pub wide: bool,
}

/// The code of one thread.
#[derive(Default)]
pub(crate) struct Code<'a> {
    pub registers: Vec<MachineRegister>,
    by_name: HashMap<String, MachineReg>,
    temporaries: Vec<MachineReg>,
    temporaries_used: usize,
    /// With the byte offset of the instruction that each comes from.
    pub steps: Vec<(Step, u32)>,
    labels: Labels<'a>,
    /// The step of the last load with reservation.
    pub reserved: Option<usize>,
    pub flag_use: FlagUse,
    /// The last pair of a load with reservation and its store.
    pub pair: Option<Pair>,
}

/// Where the steps of a load with reservation and its conditional store are: from `first` to `end` both outcomes, in
/// `success` the one where the store was made.
pub(crate) struct Pair {
    pub first: usize,
    pub success: Range<usize>,
    pub end: usize,
}

impl<'a> Code<'a> {
    pub fn find(&self, name: &str) -> Option<MachineReg> {
        self.by_name.get(name).copied()
    }

    /// The register with that (canonical) name.
    pub fn register(&mut self, name: &str) -> MachineReg {
        if let Some(reg) = self.find(name) {
            return reg;
        }
        let reg = self.new_register(name);
        self.by_name.insert(name.to_owned(), reg);
        reg
    }

    /// A register for an intermediate value of the current instruction.
    pub fn fresh(&mut self) -> MachineReg {
        if self.temporaries_used == self.temporaries.len() {
            let reg = self.new_register("");
            self.temporaries.push(reg);
        }
        self.temporaries_used += 1;
        self.temporaries[self.temporaries_used - 1]
    }

    /// Intermediate values do not outlive their instruction: the next one uses the same registers again.
    pub fn begin_instruction(&mut self) {
        self.temporaries_used = 0;
    }

    fn new_register(&mut self, name: &str) -> MachineReg {
        let reg = MachineReg::new(self.registers.len());
        let (name, init) = (name.to_owned(), Value::Number(0));
        self.registers.push(MachineRegister { name, init, declared: None, wide: false });
        reg
    }

    pub fn push(&mut self, step: Step, at: Token<'_>) {
        self.steps.push((step, at.start));
    }

    pub fn label_count(&self) -> usize {
        self.labels.count()
    }

    pub fn fresh_label(&mut self) -> LabelId {
        self.labels.fresh()
    }

    pub fn label(&mut self, token: Token<'a>) -> LabelId {
        self.labels.mention(token)
    }
}

impl<'a> Column<'a> for Code<'a> {
    fn define_label(&mut self, token: Token<'a>, file: &File<'_>) -> Result<(), Diagnostic> {
        let id = self.labels.define(token, file)?;
        self.push(Step::Label(id), token);
        Ok(())
    }

    fn labels(&self) -> &Labels<'a> {
        &self.labels
    }
}
