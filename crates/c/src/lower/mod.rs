//! Lowering: from the typed trees of linked units to one program in the IR.
//!
//! - [`program`]: which functions and objects are needed, names, positions; [`layout`]: types; [`entry`]: the start
//! - [`function`]: registers and blocks of one function; [`scope`]: lifetimes and jumps
//! - `stmt`, `switch`; `expr`, `cond`, `arith`, `place`, `bits`; `aggregate`, `pieces`, `init`, [`helpers`]; `calls`, `builtin`, `printed`, `atomic`,
//!   `overflow`: what the tree's nodes become
//! - [`simplify`], [`uninit`]: tidying each function; [`results`], [`sections`], [`exits`], [`prune`]: the program as a whole
//!
//! Left out: nothing is optimised beyond folding constants and tidying control flow, because every access to memory and
//! every assertion is a step that engines count and traces show.
//!
//! The tree is followed recursively; the parser limits its depth. Run it on a thread with as large a stack as the parser's.

mod aggregate;
mod arith;
mod atomic;
mod atomic_record;
mod bits;
mod builtin;
mod calls;
mod cond;
mod entry;
mod exits;
mod expr;
mod function;
mod helpers;
mod init;
mod layout;
mod overflow;
mod pieces;
mod place;
mod printed;
mod program;
mod prune;
mod results;
mod scope;
mod sections;
mod simplify;
mod stmt;
mod switch;
mod uninit;
pub(crate) mod walk;

pub use entry::{ARGUMENT_MODELS, uses_arguments};

use crate::ctype::Types;
use crate::link::Linked;
use crate::session::Session;
use crate::tree::Linkage;
use norn_ir::program::Program;
use program::ProgramBuilder;
use prune::Roots;

/// Lowers a linked program. `None` if there is nothing to run, which has been reported. The caller validates, unless
/// errors have been reported.
pub fn lower(session: &mut Session, types: &Types, linked: &Linked) -> Option<Program> {
    let mut builder = ProgramBuilder::new(session, types, linked);
    let start = entry::find(&mut builder)?;
    let entry = entry::generate(&mut builder, start);
    let roots: Vec<_> = linked.function_ids().filter(|&id| linked.is_root(id)).collect();
    let functions = roots.into_iter().map(|id| builder.function(id)).collect();
    let kept = |id: &crate::link::LinkedObjectId| {
        let o = linked.object(*id);
        o.linkage == Linkage::External && !linked.is_library_unit(o.unit) && linked.is_defined_object(*id)
    };
    let globals = linked.object_ids().filter(kept).map(|id| builder.global(id)).collect();
    builder.drain();
    let start = builder.function(start);
    let mut program = builder.finish(entry);
    let mut roots = Roots { functions, globals };
    results::drop_unused(&mut program, start);
    sections::resolve(&mut program, &mut roots);
    entry::absorb(&mut program, start, &mut roots);
    for (id, function) in program.functions.iter_mut().enumerate() {
        let keeps_frame = id == entry.index() || id == start.index();
        exits::close_scopes(function, keeps_frame);
    }
    prune::prune(&mut program, &roots);
    Some(program)
}
