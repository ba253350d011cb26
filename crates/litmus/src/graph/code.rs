//! The code of one thread of an assembly test while it is read.

use std::collections::HashMap;

use norn_graph::program::{Expr, Instr, Label, Reg, Thread, Width};
use norn_ir::diag::Diagnostic;

use crate::ctype::CType;
use crate::labels::Labels;
use crate::state::{LocationId, Value};
use crate::table::Column;
use crate::token::{File, Token};

/// What is known of a register beside its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Register {
    pub init: Value,
    pub declared: Option<CType>,
    /// Whether something of 64 bits is written there, so that its final value needs all of them.
    pub is_wide: bool,
}

#[derive(Default)]
pub(crate) struct Code<'a> {
    pub thread: Thread,
    /// As many as the thread has.
    pub registers: Vec<Register>,
    by_name: HashMap<String, Reg>,
    labels: Labels<'a>,
    pub flags: Flags,
    /// Whether a condition looks at more than equality.
    pub needs_order: bool,
}

/// What the instructions of a thread that set the flags have left there: the two sides of a comparison in some width.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Flags {
    #[default]
    Never,
    Compared(Width),
    /// The result of a logical operation and 0: nothing is carried.
    Logical(Width),
    /// A sum and 0: neither carry nor overflow is kept.
    Added(Width),
    /// Not all in the same way.
    Several,
}

impl<'a> Code<'a> {
    pub fn find(&self, name: &str) -> Option<Reg> {
        self.by_name.get(name).copied()
    }

    /// The register with that (canonical) name.
    pub fn register(&mut self, name: &str) -> Reg {
        if let Some(reg) = self.find(name) {
            return reg;
        }
        let reg = self.fresh_with(name, Value::Number(0));
        self.by_name.insert(name.to_owned(), reg);
        reg
    }

    /// A register that the test does not know.
    pub fn fresh(&mut self) -> Reg {
        self.fresh_with("", Value::Number(0))
    }

    fn fresh_with(&mut self, name: &str, init: Value) -> Reg {
        self.registers.push(Register { init, declared: None, is_wide: false });
        self.thread.register(name, 0)
    }

    /// The address of a location, which is known when all of them are.
    pub fn address(&mut self, location: LocationId) -> Expr {
        let name = format!("&{}", location.index());
        if let Some(reg) = self.find(&name) {
            return Expr::Reg(reg);
        }
        let reg = self.fresh_with("", Value::Address(location, 0));
        self.by_name.insert(name, reg);
        Expr::Reg(reg)
    }

    pub fn push(&mut self, instr: Instr, at: Token<'_>, file: &File<'_>) {
        self.thread.push(instr, file.loc(at.start as usize));
    }

    pub fn label(&mut self, token: Token<'a>) -> Label {
        Label::new(self.labels.mention(token).index())
    }
}

impl<'a> Column<'a> for Code<'a> {
    fn define_label(&mut self, token: Token<'a>, file: &File<'_>) -> Result<(), Diagnostic> {
        let id = self.labels.define(token, file)?;
        self.push(Instr::Label(Label::new(id.index())), token, file);
        Ok(())
    }

    fn labels(&self) -> &Labels<'a> {
        &self.labels
    }
}
