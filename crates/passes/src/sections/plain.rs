//! Copies of functions for use inside a section: without sections and fences of their own, which change nothing there.

use super::callees;
use norn_ir::ids::FuncId;
use norn_ir::instr::{Callee, InstrKind, Terminator, TerminatorKind};
use norn_ir::program::{Function, Program};
use std::collections::BTreeMap;

pub struct PlainCopies {
    /// Functions that may not be called inside a section.
    unfit: Vec<bool>,
    copies: BTreeMap<FuncId, FuncId>,
}

impl PlainCopies {
    pub fn new(program: &Program) -> PlainCopies {
        let count = program.functions.len();
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut unfit = vec![false; count];
        let mut pending = Vec::new();
        for (i, function) in program.functions.iter().enumerate() {
            callees(function).for_each(|id| callers[id.index()].push(i));
            unfit[i] = is_unfit_itself(function);
            if unfit[i] {
                pending.push(i);
            }
        }
        while let Some(i) = pending.pop() {
            for &caller in &callers[i] {
                if !std::mem::replace(&mut unfit[caller], true) {
                    pending.push(caller);
                }
            }
        }
        PlainCopies { unfit, copies: BTreeMap::new() }
    }

    /// Whether a function may not be called inside a section as it is.
    pub fn is_unfit(&self, id: FuncId) -> bool {
        self.unfit.get(id.index()).copied().unwrap_or(false)
    }

    /// The copy of a function that may be called inside a section.
    pub fn of(&mut self, program: &mut Program, id: FuncId) -> FuncId {
        let first = self.reserve(program, id);
        let mut done = first.index();
        // Copies that a copy needs are appended, so going on to the end reaches them all.
        while done < program.functions.len() {
            let mut function = program.functions[done].clone();
            for block in &mut function.blocks {
                for instr in &mut block.instrs {
                    if let InstrKind::Call { callee: Callee::Direct(callee), .. } = &mut instr.kind
                        && self.is_unfit(*callee)
                    {
                        *callee = self.reserve(program, *callee);
                    }
                }
            }
            program.functions[done] = function;
            done += 1;
        }
        first
    }

    fn reserve(&mut self, program: &mut Program, id: FuncId) -> FuncId {
        if let Some(&copy) = self.copies.get(&id) {
            return copy;
        }
        let copy = FuncId::new(program.functions.len());
        let mut function = program.function(id).clone();
        let taken = |name: &str| program.functions.iter().any(|f| f.name == name);
        let mut name = format!("{}.plain", function.name);
        while taken(&name) {
            name.push('\'');
        }
        function.name = name;
        strip(&mut function);
        program.functions.push(function);
        self.copies.insert(id, copy);
        copy
    }
}

fn is_unfit_itself(function: &Function) -> bool {
    function.blocks.iter().any(|block| {
        matches!(block.terminator.kind, TerminatorKind::ThreadExit(_))
            || block.instrs.iter().any(|instr| {
                matches!(
                    instr.kind,
                    InstrKind::SectionBegin(_)
                        | InstrKind::SectionEnd
                        | InstrKind::Spawn { .. }
                        | InstrKind::Join { .. }
                        | InstrKind::Await { .. }
                )
            })
    })
}

fn strip(function: &mut Function) {
    for block in &mut function.blocks {
        block.instrs.retain(|instr| {
            !matches!(instr.kind, InstrKind::SectionBegin(_) | InstrKind::SectionEnd | InstrKind::Fence(_))
        });
        for instr in &mut block.instrs {
            // Inside a section both say that it is not enabled; an await without a section around it is not valid.
            if let InstrKind::Await { cond, .. } = instr.kind {
                instr.kind = InstrKind::Assume { cond };
            }
        }
        let stop = |kind: &InstrKind| matches!(kind, InstrKind::Spawn { .. } | InstrKind::Join { .. });
        if let Some(at) = block.instrs.iter().position(|instr| stop(&instr.kind)) {
            let reason = forbidden(&block.instrs[at].kind).to_owned();
            let span = block.instrs[at].span;
            block.instrs.truncate(at);
            block.terminator = Terminator { kind: TerminatorKind::Unsupported(reason), span };
        } else if matches!(block.terminator.kind, TerminatorKind::ThreadExit(_)) {
            let reason = "ending a thread inside an atomic section".to_owned();
            block.terminator.kind = TerminatorKind::Unsupported(reason);
        }
    }
}

/// What a section may not do.
pub fn forbidden(kind: &InstrKind) -> &'static str {
    match kind {
        InstrKind::Spawn { .. } => "creating a thread inside an atomic section",
        _ => "joining a thread inside an atomic section",
    }
}
