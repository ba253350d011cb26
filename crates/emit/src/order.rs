//! Where labels stand: the points at which a thread can be left and resumed.
//!
//! A label stands before each visible statement: an access through the shared memory abstraction, an atomic section,
//! the creation and the joining of a thread, the end of a shared object's life and of the program; with store buffers
//! also before a full fence, so that a thread can be left with stores in its buffer. Inside a section there is none.
//!
//! A statement at which a thread may stop for ever (an assumption, a loop cut by its bound) has a label if something that
//! others can see was done since the last one: the simulation ends where an assumption fails, and what the thread did
//! before must be possible without reaching it. After a mere read the thread can be left before the read instead.
//!
//! The papers have a label before every access to a shared variable. Two kinds of statements need none, since what
//! others do before them could as well be done after: those of the first thread while it is alone, and reads of what no
//! other thread writes. Such a read joins the statement before it; it finds the same value there.

use crate::prepare::Prepared;
use crate::regions::Regions;
use crate::shared::Shared;
use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{FenceKind, InstrKind, TerminatorKind};
use norn_passes::by_instr::ByInstr;
use norn_passes::points_to::Object;
use norn_verdict::model::Model;

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

impl Labels {
    pub fn new(prepared: &Prepared, shared: &Shared, regions: &Regions, model: Model, id: FuncId) -> Labels {
        let code = prepared.function(id);
        let function = &code.function;
        let mut labels = ByInstr::new(function, false);
        // By block: whether something was done since the last label that others can see.
        let mut changed_at_entry = vec![false; function.blocks.len()];
        for &block in &code.order {
            let mut changed = changed_at_entry[block.index()];
            let content = function.block(block);
            let kinds = content.instrs.iter().enumerate().map(|(index, instr)| match content.instrs.get(index + 1) {
                // A creation is a fence itself.
                Some(next) if is_fence(&instr.kind) && matches!(next.kind, InstrKind::Spawn { .. }) => Kind::Silent,
                _ => kind(&instr.kind, shared, model, id),
            });
            for (index, kind) in kinds.chain([end_kind(&content.terminator.kind)]).enumerate() {
                let region = regions.at(block, index);
                let is_visible = matches!(kind, Kind::Changes | Kind::Reads);
                let is_label =
                    !region.in_section && !region.is_alone && (is_visible || kind == Kind::MayStop && changed);
                labels[(block, index)] = is_label;
                changed = changed && !is_label || kind == Kind::Changes;
            }
            for next in content.terminator.kind.successors() {
                changed_at_entry[next.index()] |= changed;
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
        InstrKind::Load { addr, .. } if shared.is_written_by_others(function, addr) => Kind::Reads,
        InstrKind::Store { addr, .. } | InstrKind::Rmw { addr, .. } | InstrKind::CompareExchange { addr, .. }
            if shared.is_visible(function, addr) =>
        {
            Kind::Changes
        }
        InstrKind::Free { addr, .. } if shared.is_visible(function, addr) => Kind::Changes,
        InstrKind::LocalExit(local) if shared.is_visible_object(Object::Local(function, local)) => Kind::Changes,
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
