//! What every stage may take for granted about a program. Front ends and passes are checked against it; nothing
//! behind `validate` checks again.
//!
//! The program as a whole
//!  1. Every id refers to something. A place with a line names a file of the program.
//!  2. Types are in order: elements and fields have smaller ids. Sizes fit: a scalar into its slot, an array's
//!     elements exactly, fields and bit-fields into their record. Alignments are powers of two. No `Bool` in memory.
//!  3. Names of globals are unique, and so are names of functions.
//!  4. A global's initial values come in order, do not overlap and lie inside the object.
//!  5. The entry function takes no parameters.
//!
//! Each function, block by block
//!  6. It has a block; no block jumps to the first; its parameters are different registers.
//!  7. Operands and destinations have the types that the instruction asks for: conditions are `Bool`, addresses
//!     `Ptr`, thread numbers, sizes and indices as wide as a pointer; casts go between types that they are made for.
//!  8. Constants and the cases of a switch are cut to their width; the cases are different.
//!  9. A `Bool` is neither loaded nor stored.
//! 10. A direct call passes values of the types of the callee's parameters and takes a result of the callee's type; a
//!     return gives a value of that type.
//! 11. Atomic accesses have orders that such an access can have.
//!
//! Each function, along every path from its start
//! 12. A register is assigned before it is read.
//! 13. A local object is mentioned only between its enter and its leave, which alternate.
//! 14. Each point is inside a section or outside, however it is reached. Sections do not nest and are closed before
//!     the function returns or the thread ends. An await is inside.
//! 15. Inside a section nothing spawns or joins, directly or in a function that is called directly; such a function
//!     has no section and does not end the thread either.
//! 16. A `Read` section only reads: no store, read-modify-write, fence, allocation, release of memory or call.
//!
//! Paths are those of the control-flow graph; conditions of branches are not evaluated. Blocks that no path reaches are
//! not checked for 12 to 16.
//!
//! Left out: what an indirect call or a spawn really calls (C lets programs cast function pointers, so the machine
//! decides), whether an access stays inside its object, and everything about values.

mod flood;
mod flow;
mod instrs;
mod objects;
mod reason;
mod registers;
mod scopes;
#[cfg(test)]
mod tests;

use crate::ids::{BlockId, FuncId};
use crate::instr::{Callee, InstrKind, TerminatorKind};
use crate::program::{Function, Program};
pub use reason::{AnyId, Expected, Invalid, Place, Reason};

/// Everything that is wrong with a program; flow is looked at only in functions that are right block by block, and the
/// list ends after [`LIMIT`] findings.
pub fn validate(program: &Program) -> Result<(), Vec<Invalid>> {
    let mut findings = Findings::default();
    objects::check(program, &mut findings);
    let mut sound = Vec::with_capacity(program.functions.len());
    for id in (0..program.functions.len()).map(FuncId::new) {
        let before = findings.list.len();
        instrs::check(program, id, &mut findings);
        sound.push(findings.list.len() == before && !findings.is_full());
    }
    let unfit = unfit_for_sections(program);
    for id in (0..program.functions.len()).map(FuncId::new) {
        if sound[id.index()] && !findings.is_full() {
            flow::check(program, id, &unfit, &mut findings);
        }
    }
    if findings.list.is_empty() { Ok(()) } else { Err(findings.list) }
}

/// The most findings that are listed: more than anyone would read.
pub const LIMIT: usize = 1000;

#[derive(Default)]
struct Findings {
    list: Vec<Invalid>,
}

impl Findings {
    fn add(&mut self, place: Place, reason: Reason) {
        if !self.is_full() {
            self.list.push(Invalid { place, reason });
        }
    }

    fn is_full(&self) -> bool {
        self.list.len() >= LIMIT
    }
}

/// For each function whether it, or one that it calls directly, has a section, spawns, joins or ends its thread.
fn unfit_for_sections(program: &Program) -> Vec<bool> {
    let mut unfit = vec![false; program.functions.len()];
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); program.functions.len()];
    for (i, function) in program.functions.iter().enumerate() {
        for block in &function.blocks {
            unfit[i] |= matches!(block.terminator.kind, TerminatorKind::ThreadExit(_));
            for instr in &block.instrs {
                match instr.kind {
                    InstrKind::SectionBegin(_) | InstrKind::Spawn { .. } | InstrKind::Join { .. } => unfit[i] = true,
                    InstrKind::Call { callee: Callee::Direct(id), .. } => {
                        if let Some(callers) = callers.get_mut(id.index())
                            && callers.last() != Some(&i)
                        {
                            callers.push(i);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    let mut work: Vec<usize> = (0..unfit.len()).filter(|&i| unfit[i]).collect();
    while let Some(i) = work.pop() {
        for &caller in &callers[i] {
            if !unfit[caller] {
                unfit[caller] = true;
                work.push(caller);
            }
        }
    }
    unfit
}

/// A function and where in it we are.
#[derive(Clone, Copy)]
struct Site<'a> {
    program: &'a Program,
    id: FuncId,
    function: &'a Function,
}

impl Site<'_> {
    fn instr(&self, block: BlockId, index: usize) -> Place {
        Place::Instr { function: self.id, block, index }
    }

    fn terminator(&self, block: BlockId) -> Place {
        Place::Terminator { function: self.id, block }
    }
}
