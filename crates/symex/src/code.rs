//! What is known about the code of a bounded function before it is executed.

use norn_ir::number::narrow;
use std::collections::HashMap;

use norn_ir::ids::{BlockId, FuncId, LocalId, Reg};
use norn_ir::instr::{InstrKind, TerminatorKind};
use norn_ir::program::{Block, Function, Origin, Program};
use norn_ir::span::Span;
use norn_passes::Site;
use norn_passes::unwind::{Bounded, ContextId, Cut};

pub struct Code {
    /// By register: the last block that reads it. Where paths meet behind that, its value does not matter.
    pub last_use: Vec<u32>,
    /// By block: how many jumps lead to it.
    pub arrivals: Vec<u32>,
    /// By block: a section ends in it.
    pub ends_section: Vec<bool>,
    /// By block: the cut that it is.
    pub cuts: HashMap<BlockId, Cut>,
}

impl Code {
    pub fn new(bounded: &Bounded, id: FuncId) -> Code {
        let function = bounded.program.function(id);
        let mut last_use = vec![0; function.registers.len()];
        let mut arrivals = vec![0; function.blocks.len()];
        for (number, block) in function.blocks.iter().enumerate() {
            let mut read = |reg: Reg| last_use[reg.index()] = narrow(number);
            for instr in &block.instrs {
                instr.kind.for_each_use(&mut read);
            }
            block.terminator.kind.for_each_use(&mut read);
            block.terminator.kind.successors().for_each(|to| arrivals[to.index()] += 1);
        }
        let ends = |block: &Block| block.instrs.iter().any(|instr| instr.kind == InstrKind::SectionEnd);
        let ends_section = function.blocks.iter().map(ends).collect();
        let cuts = bounded.cuts.iter().filter(|cut| cut.function == id).map(|&cut| (cut.block, cut)).collect();
        Code { last_use, arrivals, ends_section, cuts }
    }

    /// Whether the section that begins at a place may not be enabled: an await, an assumption or a bound lies in it; or the end
    /// of the program, for which it is not taken either.
    pub fn section_waits(function: &Function, block: BlockId, index: usize) -> bool {
        let waits =
            |kind: &InstrKind| matches!(kind, InstrKind::Await { spurious: false, .. } | InstrKind::Assume { .. });
        Code::comes_to(function, (block, index), waits, true)
    }

    /// Whether a thread that waits for ever may do so between this place and the end of the section.
    pub fn section_may_wait(function: &Function, block: BlockId, index: usize) -> bool {
        let waits = |kind: &InstrKind| matches!(kind, InstrKind::Await { .. } | InstrKind::Assume { .. });
        Code::comes_to(function, (block, index), waits, false)
    }

    /// Whether control comes to such an instruction in the section, or to a bound or the end of the program if that counts.
    fn comes_to(
        function: &Function,
        (block, index): (BlockId, usize),
        wanted: impl Fn(&InstrKind) -> bool,
        bounds_count: bool,
    ) -> bool {
        let mut seen = vec![block];
        let mut work = vec![(block, index)];
        while let Some((block, from)) = work.pop() {
            let mut inside = true;
            for instr in function.block(block).instrs.get(from..).unwrap_or_default() {
                if wanted(&instr.kind) {
                    return true;
                }
                if instr.kind == InstrKind::SectionEnd {
                    inside = false;
                    break;
                }
            }
            if inside {
                let ends = matches!(
                    function.block(block).terminator.kind,
                    TerminatorKind::Stop | TerminatorKind::Exit(_) | TerminatorKind::Abort
                );
                if bounds_count && ends {
                    return true;
                }
                for next in function.block(block).terminator.kind.successors() {
                    if !seen.contains(&next) {
                        seen.push(next);
                        work.push((next, 0));
                    }
                }
            }
        }
        false
    }
}

/// A place in the user's code, and the function of the library that was called there if its code is running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UserPlace {
    pub span: Span,
    pub library: Option<FuncId>,
}

/// Where an instruction of a bounded program is in the user's code, as the machine tells it.
pub fn user_place(original: &Program, bounded: &Bounded, site: Site, span: Span) -> UserPlace {
    let mut context = bounded.origins.block(site.function, site.block).context;
    let mut at = UserPlace { span, library: None };
    loop {
        let found = bounded.origins.context(context);
        if original.function(found.function).origin == Origin::User {
            return at;
        }
        match &found.caller {
            // The innermost place stands for all if no user called it.
            None => return UserPlace { span, library: Some(found.function) },
            Some((caller, call, _)) => {
                at = UserPlace { span: span_of(original, *call), library: Some(found.function) };
                context = *caller;
            }
        }
    }
}

fn span_of(program: &Program, site: Site) -> Span {
    let block = program.function(site.function).block(site.block);
    block.instrs.get(site.index as usize).map_or(block.terminator.span, |instr| instr.span)
}

/// How deep in calls a block of a bounded function is.
pub fn depth(bounded: &Bounded, function: FuncId, block: BlockId) -> u32 {
    let mut context: ContextId = bounded.origins.block(function, block).context;
    let mut depth = 0;
    while let Some((caller, ..)) = &bounded.origins.context(context).caller {
        context = *caller;
        depth += 1;
    }
    depth
}

/// The local object of the original program that a scope is of: the machine keys its memory by that.
pub fn original_local(original: &Program, bounded: &Bounded, site: Site) -> Option<(FuncId, LocalId)> {
    let origin = bounded.origins.site(site);
    let block = original.function(origin.function).block(origin.block);
    match block.instrs.get(origin.index as usize)?.kind {
        InstrKind::LocalEnter(local) => Some((origin.function, local)),
        _ => None,
    }
}

/// Whether an instruction of a bounded program is part of what a return of the original program does.
pub fn is_return(original: &Program, bounded: &Bounded, site: Site) -> bool {
    let origin = bounded.origins.site(site);
    let block = original.function(origin.function).block(origin.block);
    origin.index as usize == block.instrs.len() && matches!(block.terminator.kind, TerminatorKind::Return(_))
}
