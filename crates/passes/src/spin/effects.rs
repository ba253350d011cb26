//! What functions may do, and whether an access is a visible step.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use norn_ir::ids::{FuncId, LocalId};
use norn_ir::instr::{Callee, CastOp, InstrKind, Operand, Order, TerminatorKind};
use norn_ir::program::{Function, Program, Storage};
use norn_ir::types::Ty;

use super::calls::Inlined;
use crate::points_to::{Object, PointsTo};

/// Whether an access to an address is a visible step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    Visible,
    Silent,
    /// Sometimes, or who knows.
    Unclear,
}

pub struct Effects<'a> {
    /// As it was before any change.
    pub program: &'a Program,
    /// For each function, whether a call that returns may have changed anything.
    writes: Vec<bool>,
    /// For each function, whether it may be called inside a section.
    in_section: Vec<bool>,
    /// Addresses are seen as numbers: then the order in which objects came to be may matter.
    addresses_matter: bool,
    points_to: OnceCell<PointsTo>,
    /// Objects that some instruction accesses as if nobody else could.
    plainly_accessed: OnceCell<BTreeSet<Object>>,
}

impl<'a> Effects<'a> {
    pub fn new(program: &'a Program) -> Effects<'a> {
        let is_number = |kind: &InstrKind| matches!(kind, InstrKind::Cast { op: CastOp::PtrToInt, .. });
        let mut instrs = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instrs);
        let mut effects = Effects {
            program,
            writes: Vec::new(),
            in_section: Vec::new(),
            addresses_matter: instrs.any(|instr| is_number(&instr.kind)),
            points_to: OnceCell::new(),
            plainly_accessed: OnceCell::new(),
        };
        effects.writes = effects.writing_functions();
        effects.in_section = effects.functions_in_sections();
        effects
    }

    fn writing_functions(&self) -> Vec<bool> {
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); self.program.functions.len()];
        let mut writes = vec![false; self.program.functions.len()];
        for (caller, function) in self.program.functions.iter().enumerate() {
            let plain = plain_locals(function);
            for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
                match instr.kind {
                    InstrKind::Call { callee: Callee::Direct(callee), .. } => callers[callee.index()].push(caller),
                    ref kind => writes[caller] |= self.changes_something(kind, &plain),
                }
            }
        }
        let mut work: Vec<usize> = (0..writes.len()).filter(|&f| writes[f]).collect();
        while let Some(callee) = work.pop() {
            for &caller in &callers[callee] {
                if !std::mem::replace(&mut writes[caller], true) {
                    work.push(caller);
                }
            }
        }
        writes
    }

    /// Whether an instruction may leave a trace of itself outside of registers and plain locals. Calls are judged by
    /// [`Effects::call_writes`].
    pub fn changes_something(&self, kind: &InstrKind, plain: &[bool]) -> bool {
        match *kind {
            _ if kind.only_computes() => false,
            InstrKind::Load { .. }
            | InstrKind::Fence(_)
            | InstrKind::SectionBegin(_)
            | InstrKind::SectionEnd
            | InstrKind::Await { .. }
            | InstrKind::Assume { .. }
            | InstrKind::Assert { .. }
            | InstrKind::Nondet { .. }
            | InstrKind::ThreadSelf { .. }
            | InstrKind::ObjectSize { .. }
            | InstrKind::Sync { .. }
            | InstrKind::Print { .. } => false,
            InstrKind::Store { addr, .. } => !addr.local().is_some_and(|local| plain[local.index()]),
            InstrKind::LocalEnter(local) | InstrKind::LocalExit(local) => {
                self.addresses_matter || !plain[local.index()]
            }
            _ => true,
        }
    }

    pub fn call_writes(&self, callee: Callee) -> bool {
        match callee {
            Callee::Direct(id) => self.writes[id.index()],
            Callee::Indirect(_) => true,
        }
    }

    fn functions_in_sections(&self) -> Vec<bool> {
        let mut work: Vec<Callee> = Vec::new();
        for function in &self.program.functions {
            let states = section_states(function);
            for (block, &state) in function.blocks.iter().zip(&states) {
                let mut inside = state;
                for instr in &block.instrs {
                    match instr.kind {
                        InstrKind::SectionBegin(_) => inside = true,
                        InstrKind::SectionEnd => inside = false,
                        InstrKind::Call { callee, .. } if inside => work.push(callee),
                        _ => {}
                    }
                }
            }
        }
        let mut found = vec![false; self.program.functions.len()];
        while let Some(callee) = work.pop() {
            let Callee::Direct(id) = callee else {
                // Any function could be meant.
                return vec![true; found.len()];
            };
            if !std::mem::replace(&mut found[id.index()], true) {
                work.extend(callees(self.program.function(id)));
            }
        }
        found
    }

    /// For each block of a function (which may have been changed) whether it may begin inside a section.
    pub fn sections(&self, id: FuncId, function: &Function) -> Vec<bool> {
        match self.in_section[id.index()] {
            true => vec![true; function.blocks.len()],
            false => section_states(function),
        }
    }

    /// Whether an access through the operand of a function is a visible step.
    pub fn visibility(&self, id: FuncId, function: &Function, operand: Operand, inlined: &Inlined) -> Visibility {
        let visible = |shared: bool| if shared { Visibility::Visible } else { Visibility::Silent };
        match operand {
            Operand::Global(global, _) => visible(self.is_shared(Object::Global(global))),
            Operand::Local(local, _) => visible(!function.local(local).private),
            Operand::Const(_) | Operand::Func(_) => Visibility::Unclear,
            Operand::Reg(reg) => {
                let (id, reg) = inlined.origin(reg).unwrap_or((id, reg));
                let known = self.program.function(id);
                if reg.index() >= known.registers.len() || known.ty(reg) != Ty::Ptr {
                    return Visibility::Unclear;
                }
                let targets = self.points_to().targets(id, Operand::Reg(reg));
                let mut kinds = targets.objects.iter().map(|&object| self.is_shared(object));
                match kinds.next() {
                    Some(first) if !targets.number && kinds.all(|kind| kind == first) => visible(first),
                    _ => Visibility::Unclear,
                }
            }
        }
    }

    fn points_to(&self) -> &PointsTo {
        self.points_to.get_or_init(|| PointsTo::new(self.program))
    }

    /// Whether all accesses to what an operand of a function points to are atomic, in the whole program.
    pub fn is_always_atomic(&self, id: FuncId, operand: Operand) -> bool {
        let Some(targets) = self.targets(id, operand) else { return false };
        let plain = self.plainly_accessed.get_or_init(|| self.plain_accesses());
        !targets.is_empty() && !targets.iter().any(|object| plain.contains(object))
    }

    fn plain_accesses(&self) -> BTreeSet<Object> {
        let mut plain = BTreeSet::new();
        for (index, function) in self.program.functions.iter().enumerate() {
            for instr in function.blocks.iter().flat_map(|block| &block.instrs) {
                if let InstrKind::Load { addr, access, .. } | InstrKind::Store { addr, access, .. } = instr.kind
                    && access.order == Order::Plain
                {
                    plain.extend(self.points_to().targets(FuncId::new(index), addr).objects);
                }
            }
        }
        plain
    }

    /// What an operand points to, if that is certain to be objects.
    fn targets(&self, id: FuncId, operand: Operand) -> Option<Vec<Object>> {
        if let Operand::Reg(reg) = operand
            && reg.index() >= self.program.function(id).registers.len()
        {
            return None;
        }
        let targets = self.points_to().targets(id, operand);
        (!targets.number).then_some(targets.objects)
    }

    fn is_shared(&self, object: Object) -> bool {
        match object {
            Object::Function(_) => false,
            Object::Global(id) => {
                let global = self.program.global(id);
                !global.private && global.storage != Storage::Constant
            }
            Object::Local(function, local) => !self.program.function(function).local(local).private,
            Object::Alloc(site) => {
                let block = self.program.function(site.function).block(site.block);
                let instr = block.instrs.get(site.index as usize);
                !matches!(instr.map(|instr| &instr.kind), Some(InstrKind::Alloc { private: true, .. }))
            }
        }
    }
}

fn callees(function: &Function) -> impl Iterator<Item = Callee> + '_ {
    function.blocks.iter().flat_map(|b| &b.instrs).filter_map(|instr| match instr.kind {
        InstrKind::Call { callee, .. } => Some(callee),
        _ => None,
    })
}

/// The locals that are like registers: private, and used in no other way than being loaded from and stored to, whole and
/// with one type.
pub fn plain_locals(function: &Function) -> Vec<bool> {
    let mut types: Vec<Option<Ty>> = vec![None; function.locals.len()];
    let mut plain: Vec<bool> = function.locals.iter().map(|local| local.private).collect();
    let mut access = |plain: &mut Vec<bool>, local: LocalId, offset: i64, ty: Ty| {
        let known = types[local.index()].get_or_insert(ty);
        plain[local.index()] &= offset == 0 && *known == ty;
    };
    let other = |plain: &mut Vec<bool>, operand: Operand| {
        if let Operand::Local(local, _) = operand {
            plain[local.index()] = false;
        }
    };
    for block in &function.blocks {
        for instr in &block.instrs {
            match instr.kind {
                InstrKind::Load { dst, addr: Operand::Local(local, offset), .. } => {
                    access(&mut plain, local, offset, function.ty(dst));
                }
                InstrKind::Store { ty, addr: Operand::Local(local, offset), value, .. } => {
                    access(&mut plain, local, offset, ty);
                    other(&mut plain, value);
                }
                ref kind => kind.for_each_operand(|operand| other(&mut plain, operand)),
            }
        }
        block.terminator.kind.for_each_operand(|operand| other(&mut plain, operand));
    }
    plain
}

/// For each block whether it begins inside a section that the function itself began. Paths agree in a valid program.
fn section_states(function: &Function) -> Vec<bool> {
    let mut states = vec![false; function.blocks.len()];
    for id in function.reverse_postorder() {
        let block = function.block(id);
        let mut inside = states[id.index()];
        for instr in &block.instrs {
            match instr.kind {
                InstrKind::SectionBegin(_) => inside = true,
                InstrKind::SectionEnd => inside = false,
                _ => {}
            }
        }
        if inside && !matches!(block.terminator.kind, TerminatorKind::Return(_)) {
            block.terminator.kind.successors().for_each(|next| states[next.index()] = true);
        }
    }
    states
}
