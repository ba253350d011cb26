//! Whether threads store the identifiers of the threads that they create where other threads can look.
//!
//! POSIX leaves open when `pthread_create` stores the identifier. glibc does it before the new thread begins, and programs rely
//! on that. To wait for it is a step of the new thread, so it is done only where somebody could tell.

use norn_ir::ids::FuncId;
use norn_ir::instr::{InstrKind, Operand};
use norn_ir::program::{Origin, Program};
use norn_passes::escape::mark_private_with;
use norn_passes::points_to::{Object, PointsTo};

/// The models that create threads.
const CREATORS: [&str; 2] = ["pthread_create", "thrd_create"];

pub(super) fn are_shared(program: &Program) -> bool {
    let is_creator = |f: &FuncId| {
        let function = program.function(*f);
        function.origin == Origin::Library && CREATORS.contains(&&*function.name)
    };
    let creators: Vec<FuncId> = (0..program.functions.len()).map(FuncId::new).filter(is_creator).collect();
    if creators.is_empty() {
        return false;
    }
    let points_to = PointsTo::new(program);
    let mut marked = program.clone();
    mark_private_with(&mut marked, &points_to);
    let is_shared = |object: Object| match object {
        Object::Global(global) => !marked.global(global).private,
        Object::Local(function, local) => !marked.function(function).locals[local.index()].private,
        Object::Alloc(site) => {
            let block = &marked.functions[site.function.index()].blocks[site.block.index()];
            !matches!(block.instrs[site.index as usize].kind, InstrKind::Alloc { private: true, .. })
        }
        Object::Function(_) => false,
    };
    creators.into_iter().any(|f| {
        let mut instrs = program.function(f).blocks.iter().flat_map(|block| &block.instrs);
        instrs.any(|instr| match instr.kind {
            InstrKind::Store { addr: addr @ Operand::Reg(_), .. } => {
                let targets = points_to.targets(f, addr);
                targets.number || targets.objects.into_iter().any(is_shared)
            }
            _ => false,
        })
    })
}
