//! Atomic sections of the program as a whole: they must not nest, and each point of a function is inside one or not.
//!
//! C programs build sections from calls, so this is not given. In order:
//!
//! 1. A function that begins a section without ending it, or ends one that it did not begin (a program's own `lock()`
//!    around `__VERIFIER_atomic_begin`), is inlined into its callers, as long as that makes sense of it.
//! 2. Begins and ends inside another section are dropped. A point that one path reaches inside a section and another one
//!    outside, a section that is open when the function returns, and an end without a begin are not supported.
//! 3. A call from inside a section to a function with sections of its own (or that calls one) goes to a copy of that
//!    function without them. Creating and joining threads inside a section is not supported.
//!
//! Left out: calls through pointers. The machine sees what they call and refuses sections that nest.

mod inline;
mod plain;

use crate::prune::Roots;
use crate::tidy::tidy;
use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{Callee, Instr, InstrKind, Terminator, TerminatorKind};
use norn_ir::program::{Block, Function, Program};
use plain::PlainCopies;

/// Inlining goes this many levels up at most.
const ROUNDS: usize = 8;

/// How many sections are open.
type Depth = u32;

/// Brings the sections of a program into order. Functions that were inlined everywhere are no longer roots.
pub fn resolve(program: &mut Program, roots: &mut Roots) {
    if !program.functions.iter().any(has_section) {
        return;
    }
    inline_unbalanced(program, roots);
    for function in &mut program.functions {
        if has_section(function) {
            flatten(function);
            // Inlining and cutting leave blocks that are unreachable or in one line; loops keep their heads.
            let mut keep = vec![true; function.blocks.len()];
            tidy(function, &mut keep);
        }
    }
    let mut copies = PlainCopies::new(program);
    for id in (0..program.functions.len()).map(FuncId::new) {
        if has_section(program.function(id)) {
            redirect_calls(program, id, &mut copies);
        }
    }
}

fn has_section(function: &Function) -> bool {
    let is_mark = |i: &Instr| matches!(i.kind, InstrKind::SectionBegin(_) | InstrKind::SectionEnd);
    function.blocks.iter().any(|b| b.instrs.iter().any(is_mark))
}

/// For each block the number of sections open where it starts, as the first path to it says; `None` if unreachable.
fn depths(function: &Function) -> Vec<Option<Depth>> {
    let mut depths: Vec<Option<Depth>> = vec![None; function.blocks.len()];
    depths[0] = Some(0);
    let mut pending = vec![Function::ENTRY];
    while let Some(id) = pending.pop() {
        let Some(start) = depths[id.index()] else { continue };
        let end = depth_after(function.block(id), start);
        for next in function.block(id).terminator.kind.successors() {
            if depths[next.index()].is_none() {
                depths[next.index()] = Some(end);
                pending.push(next);
            }
        }
    }
    depths
}

fn depth_after(block: &Block, start: Depth) -> Depth {
    block.instrs.iter().fold(start, |depth, instr| match instr.kind {
        InstrKind::SectionBegin(_) => depth + 1,
        InstrKind::SectionEnd => depth.saturating_sub(1),
        _ => depth,
    })
}

/// Whether a function leaves a section open or ends one that it did not begin.
fn is_unbalanced(function: &Function) -> bool {
    let depths = depths(function);
    function.block_ids().any(|id| {
        let Some(mut depth) = depths[id.index()] else { return false };
        let block = function.block(id);
        for instr in &block.instrs {
            match instr.kind {
                InstrKind::SectionBegin(_) => depth += 1,
                InstrKind::SectionEnd if depth == 0 => return true,
                InstrKind::SectionEnd => depth -= 1,
                _ => {}
            }
        }
        depth > 0 && matches!(block.terminator.kind, TerminatorKind::Return(_))
    })
}

fn callees(function: &Function) -> impl Iterator<Item = FuncId> + '_ {
    function.blocks.iter().flat_map(|b| &b.instrs).filter_map(|i| match i.kind {
        InstrKind::Call { callee: Callee::Direct(id), .. } => Some(id),
        _ => None,
    })
}

fn inline_unbalanced(program: &mut Program, roots: &mut Roots) {
    for _ in 0..ROUNDS {
        let unbalanced: Vec<bool> = program.functions.iter().map(|f| has_section(f) && is_unbalanced(f)).collect();
        // Those that call others of the kind wait for their turn, when those have been inlined into them.
        let ready: Vec<bool> = (0..unbalanced.len())
            .map(|i| {
                let function = &program.functions[i];
                unbalanced[i] && inline::can_inline(function) && !callees(function).any(|id| unbalanced[id.index()])
            })
            .collect();
        let mut progress = false;
        for i in 0..program.functions.len() {
            if callees(&program.functions[i]).any(|id| ready[id.index()] && id.index() != i) {
                inline::inline_calls(program, FuncId::new(i), &ready);
                progress = true;
            }
        }
        roots.functions.retain(|id| !ready[id.index()]);
        if !progress {
            return;
        }
    }
}

/// Drops nested begins and ends, and marks what is unclear as unsupported.
fn flatten(function: &mut Function) {
    let depths = depths(function);
    let count = function.blocks.len();
    for i in 0..count {
        let Some(start) = depths[i] else { continue };
        let end = flatten_block(&mut function.blocks[i], start);
        let span = function.blocks[i].terminator.span;
        // Edges to a block that was found with another depth lead to a block of their own.
        let mut kind = std::mem::replace(&mut function.blocks[i].terminator.kind, TerminatorKind::Unreachable);
        kind.map_successors(|next| match depths[next.index()] {
            Some(depth) if Some(depth) != end => {
                let reason = "an atomic section that is open on one path and closed on another".to_owned();
                let terminator = Terminator { kind: TerminatorKind::Unsupported(reason), span };
                function.blocks.push(Block { instrs: Vec::new(), terminator });
                BlockId::new(function.blocks.len() - 1)
            }
            _ => next,
        });
        function.blocks[i].terminator.kind = kind;
    }
}

/// The depth at the end, or `None` if the end is not reached.
fn flatten_block(block: &mut Block, start: Depth) -> Option<Depth> {
    let mut depth = start;
    let mut kept = Vec::with_capacity(block.instrs.len());
    for instr in std::mem::take(&mut block.instrs) {
        let span = instr.span;
        match instr.kind {
            InstrKind::SectionBegin(_) => {
                depth += 1;
                if depth == 1 {
                    kept.push(instr);
                }
            }
            InstrKind::SectionEnd if depth == 0 => {
                let reason = "the end of an atomic section that was not begun".to_owned();
                block.instrs = kept;
                block.terminator = Terminator { kind: TerminatorKind::Unsupported(reason), span };
                return None;
            }
            InstrKind::SectionEnd => {
                depth -= 1;
                if depth == 0 {
                    kept.push(instr);
                }
            }
            _ => kept.push(instr),
        }
    }
    let span = block.terminator.span;
    match block.terminator.kind {
        TerminatorKind::Return(_) if depth > 0 => {
            let reason = "an atomic section that is still open when the function returns".to_owned();
            block.terminator.kind = TerminatorKind::Unsupported(reason);
        }
        // The step ends with its thread.
        TerminatorKind::ThreadExit(_) if depth > 0 => kept.push(Instr { kind: InstrKind::SectionEnd, span }),
        _ => {}
    }
    block.instrs = kept;
    Some(depth)
}

/// Inside sections, calls functions without sections, and nothing that has to do with other threads' lives.
fn redirect_calls(program: &mut Program, id: FuncId, copies: &mut PlainCopies) {
    let depths = depths(program.function(id));
    for (i, start) in depths.into_iter().enumerate() {
        let Some(mut depth) = start else { continue };
        let count = program.function(id).blocks[i].instrs.len();
        for at in 0..count {
            let instr = &program.function(id).blocks[i].instrs[at];
            let (kind, span) = (&instr.kind, instr.span);
            match kind {
                InstrKind::SectionBegin(_) => depth += 1,
                InstrKind::SectionEnd => depth = depth.saturating_sub(1),
                InstrKind::Call { callee: Callee::Direct(callee), .. } if depth > 0 && copies.is_unfit(*callee) => {
                    let copy = copies.of(program, *callee);
                    let instr = &mut program.functions[id.index()].blocks[i].instrs[at];
                    if let InstrKind::Call { callee, .. } = &mut instr.kind {
                        *callee = Callee::Direct(copy);
                    }
                }
                InstrKind::Spawn { .. } | InstrKind::Join { .. } if depth > 0 => {
                    let reason = plain::forbidden(kind).to_owned();
                    let block = &mut program.functions[id.index()].blocks[i];
                    block.instrs.truncate(at);
                    block.terminator = Terminator { kind: TerminatorKind::Unsupported(reason), span };
                    break;
                }
                _ => {}
            }
        }
    }
}
