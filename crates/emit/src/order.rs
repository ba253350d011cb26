//! Where labels stand: the points at which a thread can be left and resumed.
//!
//! A label stands before each visible statement: an access through the shared memory abstraction, an atomic section,
//! the creation and the joining of a thread, the end of a shared object's life and of the program; with store buffers
//! also before a full fence, so that a thread can be left with stores in its buffer. Inside a section there is none.
//!
//! A statement at which a thread may stop for ever (an assumption, a loop cut by its bound) has a label if something that
//! others can see was done since the last one: the simulation ends where an assumption fails, and what the thread did
//! before must be possible without reaching it. After a mere read the thread can be left before the read instead.

use crate::Model;
use crate::by_instr::ByInstr;
use crate::prepare::Prepared;
use crate::shared::Shared;
use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{FenceKind, InstrKind, TerminatorKind};
use norn_passes::points_to::Object;

/// Which statements of a thread's function have labels.
pub struct Labels(ByInstr<bool>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Others may see that it was executed.
    Changes,
    Reads,
    /// The thread may stop here.
    MayStop,
    Silent,
}

#[derive(Clone, Copy, Default)]
struct State {
    in_section: bool,
    /// Something was done since the last label that others can see.
    changed: bool,
}

impl Labels {
    pub fn new(prepared: &Prepared, shared: &Shared, model: Model, id: FuncId) -> Labels {
        let code = prepared.function(id);
        let function = &code.function;
        let mut labels = ByInstr::new(function, false);
        let mut at_entry = vec![State::default(); function.blocks.len()];
        for &block in &code.order {
            let mut state = at_entry[block.index()];
            let content = function.block(block);
            let kinds = content.instrs.iter().enumerate().map(|(index, instr)| match content.instrs.get(index + 1) {
                // A creation is a fence itself.
                Some(next) if is_fence(&instr.kind) && matches!(next.kind, InstrKind::Spawn { .. }) => Kind::Silent,
                _ => kind(&instr.kind, shared, model, id),
            });
            for (index, kind) in kinds.chain([end_kind(&content.terminator.kind)]).enumerate() {
                let is_visible = matches!(kind, Kind::Changes | Kind::Reads);
                let is_label = !state.in_section && (is_visible || kind == Kind::MayStop && state.changed);
                labels[(block, index)] = is_label;
                if is_label {
                    state.changed = false;
                }
                state.changed |= kind == Kind::Changes;
                match content.instrs.get(index).map(|instr| &instr.kind) {
                    Some(InstrKind::SectionBegin(_)) => state.in_section = true,
                    Some(InstrKind::SectionEnd) => state.in_section = false,
                    _ => {}
                }
            }
            for next in content.terminator.kind.successors() {
                let there = &mut at_entry[next.index()];
                there.in_section |= state.in_section;
                there.changed |= state.changed;
            }
        }
        Labels(labels)
    }

    /// Whether a label stands before an instruction, or before the terminator.
    pub fn at(&self, block: BlockId, index: usize) -> bool {
        self.0[(block, index)]
    }
}

fn is_fence(kind: &InstrKind) -> bool {
    matches!(kind, InstrKind::Fence(FenceKind::Full | FenceKind::Call))
}

fn kind(kind: &InstrKind, shared: &Shared, model: Model, function: FuncId) -> Kind {
    match *kind {
        InstrKind::Load { addr, .. } if shared.access(function, addr) => Kind::Reads,
        InstrKind::Store { addr, .. } | InstrKind::Rmw { addr, .. } | InstrKind::CompareExchange { addr, .. }
            if shared.access(function, addr) =>
        {
            Kind::Changes
        }
        InstrKind::Free { addr, .. } if shared.access(function, addr) => Kind::Changes,
        InstrKind::LocalExit(local) if shared.contains(Object::Local(function, local)) => Kind::Changes,
        _ if is_fence(kind) && model != Model::Sc => Kind::Changes,
        InstrKind::SectionBegin(_) | InstrKind::Spawn { .. } => Kind::Changes,
        InstrKind::Join { .. } => Kind::Reads,
        InstrKind::Assume { .. } => Kind::MayStop,
        _ => Kind::Silent,
    }
}

fn end_kind(kind: &TerminatorKind) -> Kind {
    match kind {
        TerminatorKind::Exit(_) | TerminatorKind::Abort => Kind::Changes,
        TerminatorKind::Stop => Kind::MayStop,
        _ => Kind::Silent,
    }
}
