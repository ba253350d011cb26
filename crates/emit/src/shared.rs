//! Which objects go through the shared memory abstraction.
//!
//! Those that several threads can reach and that can change; and those that some access cannot tell from them, since
//! an access is translated one way or the other.

use crate::prepare::Prepared;
use norn_ir::ids::FuncId;
use norn_ir::instr::{InstrKind, Operand};
use norn_ir::program::{Program, Storage};
use norn_passes::points_to::Object;
use rustc_hash::{FxHashMap, FxHashSet};

pub struct Shared {
    objects: FxHashSet<Object>,
    /// What operands that are accessed may point to, without functions, and whether that is shared.
    targets: FxHashMap<(FuncId, Operand), (Vec<Object>, bool)>,
}

impl Shared {
    pub fn new(prepared: &Prepared) -> Shared {
        let program = prepared.program();
        let mut targets: FxHashMap<(FuncId, Operand), (Vec<Object>, bool)> = FxHashMap::default();
        for id in prepared.started() {
            let code = prepared.function(id);
            for &block in &code.order {
                for instr in &code.function.block(block).instrs {
                    let Some(addr) = accessed(&instr.kind) else { continue };
                    targets.entry((id, addr)).or_insert_with(|| {
                        let mut objects = match addr {
                            Operand::Global(global, _) => vec![Object::Global(global)],
                            Operand::Local(local, _) => vec![Object::Local(id, local)],
                            _ => prepared.points_to.targets(program, id, addr).objects,
                        };
                        objects.retain(|object| !matches!(object, Object::Function(_)));
                        (objects, false)
                    });
                }
            }
        }
        // Many operands may point to the same.
        let lists: FxHashSet<&[Object]> = targets.values().map(|(list, _)| list.as_slice()).collect();
        let mut lists: Vec<&[Object]> = lists.into_iter().collect();
        let mut objects: FxHashSet<Object> =
            lists.iter().flat_map(|list| list.iter()).copied().filter(|&object| is_shared(program, object)).collect();
        // Each turn takes what is mixed with shared objects to them, until there is no more.
        loop {
            let before = objects.len();
            lists.retain(|list| {
                let mixed = list.iter().any(|object| objects.contains(object));
                if mixed {
                    objects.extend(list.iter().copied());
                }
                !mixed
            });
            if objects.len() == before {
                break;
            }
        }
        // By now a list is shared as a whole or not at all.
        targets.values_mut().for_each(|(list, is_shared)| {
            *is_shared = list.first().is_some_and(|object| objects.contains(object));
        });
        Shared { objects, targets }
    }

    pub fn contains(&self, object: Object) -> bool {
        self.objects.contains(&object)
    }

    /// Whether an access goes through the abstraction.
    pub fn access(&self, function: FuncId, addr: Operand) -> bool {
        self.targets.get(&(function, addr)).is_some_and(|(_, is_shared)| *is_shared)
    }

    /// What an address that is accessed may point to.
    pub fn targets(&self, function: FuncId, addr: Operand) -> &[Object] {
        self.targets.get(&(function, addr)).map_or(&[], |(list, _)| list)
    }
}

/// The address that an instruction reads, writes or releases.
pub fn accessed(kind: &InstrKind) -> Option<Operand> {
    match *kind {
        InstrKind::Load { addr, .. }
        | InstrKind::Store { addr, .. }
        | InstrKind::Rmw { addr, .. }
        | InstrKind::CompareExchange { addr, .. }
        | InstrKind::Free { addr, .. } => Some(addr),
        _ => None,
    }
}

fn is_shared(program: &Program, object: Object) -> bool {
    match object {
        Object::Function(_) => false,
        Object::Global(id) => !program.global(id).private && program.global(id).storage != Storage::Constant,
        Object::Local(function, local) => !program.function(function).local(local).private,
        Object::Alloc(site) => {
            let instr = program.function(site.function).block(site.block).instrs.get(site.index as usize);
            !matches!(instr.map(|instr| &instr.kind), Some(InstrKind::Alloc { private: true, .. }))
        }
    }
}
