//! How wide the locations of an assembly test are: as they are declared, else as they are accessed; and the parts into
//! which those are divided that are accessed in several sizes.
//!
//! Which locations an access may meet is found by following addresses through registers and memory, without regard to
//! the order of instructions. That only chooses widths: an access that meets no cell of its width is found when it is
//! made.

use std::collections::BTreeSet;

use norn_graph::program::{BinaryOp, Expr, Instr, Width};
use norn_ir::diag::Diagnostic;
use norn_ir::number::narrow;
use norn_ir::types::Ty;

use super::code::Code;
use crate::ctype::CType;
use crate::state::{State, Value};
use crate::token::File;

/// Addresses that go through more locations on their way are not followed.
const MAX_ROUNDS: usize = 16;

type Targets = BTreeSet<usize>;

pub(crate) fn of_type(ty: CType) -> Width {
    match ty.ty() {
        Ty::Bool | Ty::I8 => Width::W8,
        Ty::I16 => Width::W16,
        Ty::I32 | Ty::F32 => Width::W32,
        Ty::I64 | Ty::F64 | Ty::Ptr => Width::W64,
    }
}

/// How wide the elements of a location are, and the cells that they are divided into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size {
    pub element: Width,
    pub unit: Width,
}

/// The sizes of each location. One that is accessed in several widths is divided into parts as wide as the narrowest of
/// them, if that has a meaning (`divides`).
pub(crate) fn find(
    file: &File<'_>,
    state: &State<'_>,
    threads: &[Code<'_>],
    divides: bool,
) -> Result<Vec<Size>, Vec<Diagnostic>> {
    let accesses = accesses(state, threads);
    let mut findings = Vec::new();
    let mut sizes = Vec::new();
    for (location, found) in state.locations.iter().zip(&accesses) {
        let declared = location.declared.map(of_type);
        let holds_address = location.init.iter().any(|value| matches!(value, Value::Address(..)));
        let default = if holds_address { Width::W64 } else { Width::W32 };
        // Without a declaration a location is an int, unless an access is wider.
        let widest = found.last().map(|&widest| if divides { widest.max(default) } else { widest });
        let element = declared.or(widest).unwrap_or(default);
        let unit = found.first().copied().unwrap_or(element).min(element);
        let mut refuse = |message: &str, help: &str| {
            let at = file.unsupported_at_offset(location.start, message);
            findings.push(at.covering(narrow(location.name.len())).help(help));
        };
        if found.iter().any(|&other| other > element) && location.length.is_none() {
            let message = "an access to a location is larger than the location";
            refuse(message, "each location is a piece of memory of its own");
        } else if !divides && found.iter().any(|&other| other != element) {
            let message = "accesses of several sizes to one location are not supported";
            refuse(message, "under these models each location is read and written as a whole");
        }
        sizes.push(Size { element, unit });
    }
    if findings.is_empty() { Ok(sizes) } else { Err(findings) }
}

/// The widths in which each location may be accessed.
fn accesses(state: &State<'_>, threads: &[Code<'_>]) -> Vec<BTreeSet<Width>> {
    let mut flow = Flow {
        contents: vec![Targets::new(); state.locations.len()],
        accesses: vec![BTreeSet::new(); state.locations.len()],
        grew: false,
    };
    for (location, content) in state.locations.iter().zip(&mut flow.contents) {
        content.extend(location.init.iter().filter_map(|value| address_in(*value)));
    }
    let initial = |code: &Code<'_>| -> Vec<Targets> {
        code.registers.iter().map(|register| address_in(register.init).into_iter().collect()).collect()
    };
    let mut registers: Vec<Vec<Targets>> = threads.iter().map(initial).collect();
    for _ in 0..MAX_ROUNDS {
        flow.grew = false;
        for (code, registers) in threads.iter().zip(&mut registers) {
            code.thread.code.iter().for_each(|step| flow.step(&step.instr, registers));
        }
        if !flow.grew {
            break;
        }
    }
    flow.accesses
}

fn address_in(value: Value) -> Option<usize> {
    match value {
        Value::Address(id, _) => Some(id.index()),
        Value::Number(_) => None,
    }
}

struct Flow {
    /// The locations that the values in a location may point to.
    contents: Vec<Targets>,
    accesses: Vec<BTreeSet<Width>>,
    grew: bool,
}

impl Flow {
    fn step(&mut self, instr: &Instr, registers: &mut [Targets]) {
        match instr {
            Instr::Assign { dst, value } => {
                let found = targets(value, registers);
                self.join(&mut registers[dst.index()], &found);
            }
            Instr::Load { dst, addr, width, .. } => {
                let found = self.access(addr, *width, None, registers);
                self.join(&mut registers[dst.index()], &found);
            }
            Instr::Store { addr, value, width, .. } | Instr::StoreExclusive { addr, value, width, .. } => {
                self.access(addr, *width, Some(value), registers);
            }
            Instr::Rmw { old, addr, width, value, .. } => {
                let found = self.access(addr, *width, Some(value), registers);
                self.join(&mut registers[old.index()], &found);
            }
            _ => {}
        }
    }

    /// What may be found there.
    fn access(&mut self, addr: &Expr, width: Width, value: Option<&Expr>, registers: &[Targets]) -> Targets {
        let stored = value.map(|value| targets(value, registers));
        let mut found = Targets::new();
        for location in targets(addr, registers) {
            self.accesses[location].insert(width);
            if let Some(stored) = &stored {
                let before = self.contents[location].len();
                self.contents[location].extend(stored);
                self.grew |= self.contents[location].len() > before;
            }
            found.extend(&self.contents[location]);
        }
        found
    }

    fn join(&mut self, known: &mut Targets, found: &Targets) {
        let before = known.len();
        known.extend(found);
        self.grew |= known.len() > before;
    }
}

/// The locations that a value may point to.
fn targets(value: &Expr, registers: &[Targets]) -> Targets {
    match value {
        Expr::Reg(reg) => registers[reg.index()].clone(),
        Expr::Truncate(Width::W32 | Width::W64, inner) | Expr::SignExtend(Width::W32 | Width::W64, inner) => {
            targets(inner, registers)
        }
        // A dependency that does not change the value.
        Expr::Binary(BinaryOp::Xor | BinaryOp::Sub, lhs, rhs) if lhs == rhs => Targets::new(),
        Expr::Binary(BinaryOp::Add | BinaryOp::Or, lhs, rhs) => {
            let mut found = targets(lhs, registers);
            found.extend(targets(rhs, registers));
            found
        }
        Expr::Binary(BinaryOp::Sub, lhs, _) => targets(lhs, registers),
        Expr::Select(_, then, otherwise) => {
            let mut found = targets(then, registers);
            found.extend(targets(otherwise, registers));
            found
        }
        _ => Targets::new(),
    }
}
