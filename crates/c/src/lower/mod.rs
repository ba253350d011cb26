//! Lowering: from the typed trees of linked units to one program in the IR.
//!
//! - [`program`]: which functions and objects are needed, names, positions; [`ir_types`]: types; [`entry`]: the start
//! - [`function`]: registers and blocks of one function; [`scope`]: lifetimes and jumps
//! - `stmt`, `switch`; `expr`, `cond`, `arith`, `place`, `bits`; `aggregate`, `pieces`, `init`, [`helpers`]; `calls`, `builtin`, `printed`, `atomic`,
//!   `overflow`, `wide`, [`wide_helpers`]: what the tree's nodes become
//!
//! `norn_passes` tidies each function that comes out, and then brings the program as a whole into its final form.
//!
//! Left out: nothing is optimised beyond folding constants and tidying control flow, because every access to memory and
//! every assertion is a step that engines count and traces show.
//!
//! The tree is followed recursively; the parser limits its depth. Run it on a thread with as large a stack as the parser's.

mod aggregate;
mod alloc;
mod arith;
mod atomic;
mod atomic_record;
mod bits;
mod builtin;
mod calls;
mod cond;
mod entry;
mod expr;
mod function;
mod helpers;
mod init;
mod ir_types;
mod overflow;
mod pieces;
mod place;
mod printed;
mod program;
mod scope;
mod stmt;
mod switch;
mod wide;
mod wide_helpers;

pub use entry::{ARGUMENT_MODELS, uses_arguments};

use crate::ctype::Types;
use crate::link::Linked;
use crate::session::Session;
use norn_ir::program::Program;
use norn_passes::absorb::absorb;
use norn_passes::exits::close_scopes;
use norn_passes::prune::{Roots, prune};
use norn_passes::{sections, unused_results};
use program::ProgramBuilder;

/// Lowers a linked program. `None` if there is nothing to run, which has been reported. The caller validates, unless
/// errors have been reported.
pub fn lower(session: &mut Session, types: &Types, linked: &Linked) -> Option<Program> {
    let mut builder = ProgramBuilder::new(session, types, linked);
    let start = entry::find(&mut builder)?;
    let entry = entry::generate(&mut builder, start);
    let roots: Vec<_> = linked.function_ids().filter(|&id| linked.is_root(id)).collect();
    let functions = roots.into_iter().map(|id| builder.function(id)).collect();
    let globals = linked.object_ids().filter(|&id| linked.is_root_object(id)).map(|id| builder.global(id)).collect();
    builder.drain();
    let start = builder.function(start);
    let mut program = builder.finish(entry);
    let mut roots = Roots { functions, globals };
    unused_results::drop_unused(&mut program, start);
    sections::resolve(&mut program, &mut roots);
    let words = program.function_named(entry::ARGUMENTS);
    absorb(&mut program, start, words, &mut roots);
    for (id, function) in program.functions.iter_mut().enumerate() {
        let keeps_frame = id == entry.index() || id == start.index();
        close_scopes(function, keeps_frame);
    }
    prune(&mut program, &roots);
    Some(program)
}
