//! Which accesses others can see, and which objects go through the shared memory abstraction.
//!
//! Visible are the objects that several threads can reach and that can change. Under SC all of them go through the
//! abstraction. Under TSO and PSO those do to which some store may wait in a store buffer; what is only written in atomic
//! sections, by read-modify-writes or sequentially consistent stores, or before there are other threads, is in memory
//! at once, and memory is a C object. Locks and their kin are such.
//!
//! An access is translated one way or the other, so what some access cannot tell from an object is treated as that is.

use crate::Model;
use crate::prepare::Prepared;
use crate::regions::{Region, Regions};
use norn_ir::ids::FuncId;
use norn_ir::instr::{InstrKind, Operand, Order};
use norn_ir::program::{Program, Storage};
use norn_passes::points_to::Object;
use rustc_hash::{FxHashMap, FxHashSet};

pub struct Shared {
    visible: FxHashSet<Object>,
    /// Those that go through the abstraction.
    abstracted: FxHashSet<Object>,
    /// The operands that are accessed.
    targets: FxHashMap<(FuncId, Operand), Target>,
    /// Who writes a visible object, and who while there are several threads; nobody if nothing is said.
    writers: FxHashMap<Object, Writer>,
    later_writers: FxHashMap<Object, Writer>,
}

#[derive(Default)]
struct Target {
    /// What it may point to, without functions.
    objects: Vec<Object>,
    is_visible: bool,
    is_abstracted: bool,
    is_written: bool,
    /// Something is written there while there are several threads.
    is_written_later: bool,
    /// Something is written there that may wait in a store buffer.
    is_delayed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Writer {
    /// The one thread that starts with this function.
    One(FuncId),
    Several,
}

impl Shared {
    pub fn new(prepared: &Prepared, regions: &FxHashMap<FuncId, Regions>, model: Model) -> Shared {
        let program = prepared.program();
        let mut targets: FxHashMap<(FuncId, Operand), Target> = FxHashMap::default();
        for id in prepared.started() {
            let code = prepared.function(id);
            for &block in &code.order {
                for (index, instr) in code.function.block(block).instrs.iter().enumerate() {
                    let Some(addr) = accessed(&instr.kind) else { continue };
                    let target = targets.entry((id, addr)).or_insert_with(|| {
                        let mut objects = match addr {
                            Operand::Global(global, _) => vec![Object::Global(global)],
                            Operand::Local(local, _) => vec![Object::Local(id, local)],
                            _ => prepared.points_to.targets(id, addr).objects,
                        };
                        objects.retain(|object| !matches!(object, Object::Function(_)));
                        Target { objects, ..Target::default() }
                    });
                    let region = regions[&id].at(block, index);
                    let is_write = !matches!(instr.kind, InstrKind::Load { .. });
                    target.is_written |= is_write;
                    target.is_written_later |= is_write && !region.is_alone;
                    target.is_delayed |= is_delayed(&instr.kind, region);
                }
            }
        }
        // Many operands may point to the same.
        let lists: FxHashSet<&[Object]> = targets.values().map(|target| target.objects.as_slice()).collect();
        let lists: Vec<&[Object]> = lists.into_iter().collect();
        let shared = lists.iter().flat_map(|list| list.iter()).copied().filter(|&object| is_shared(program, object));
        let visible = closure(shared.collect(), &lists);
        let delayed = targets.values().filter(|target| target.is_delayed).flat_map(|target| &target.objects);
        let abstracted = match model {
            Model::Sc => visible.clone(),
            _ => closure(delayed.copied().filter(|object| visible.contains(object)).collect(), &lists),
        };
        let (writers, later_writers) = (
            who_writes(prepared, &visible, &targets, |target| target.is_written),
            who_writes(prepared, &visible, &targets, |target| target.is_written_later),
        );
        // By now a list is visible, or abstracted, as a whole or not at all.
        targets.values_mut().for_each(|target| {
            target.is_visible = target.objects.first().is_some_and(|object| visible.contains(object));
            target.is_abstracted = target.objects.first().is_some_and(|object| abstracted.contains(object));
        });
        Shared { visible, abstracted, targets, writers, later_writers }
    }

    /// Whether an object goes through the abstraction.
    pub fn contains(&self, object: Object) -> bool {
        self.abstracted.contains(&object)
    }

    /// Whether an access goes through the abstraction.
    pub fn access(&self, function: FuncId, addr: Operand) -> bool {
        self.targets.get(&(function, addr)).is_some_and(|target| target.is_abstracted)
    }

    /// Whether others can see an access, or change what it finds.
    pub fn is_visible(&self, function: FuncId, addr: Operand) -> bool {
        self.targets.get(&(function, addr)).is_some_and(|target| target.is_visible)
    }

    pub fn is_visible_object(&self, object: Object) -> bool {
        self.visible.contains(&object)
    }

    /// Whether others than the thread that reads may write there while there are several threads.
    pub fn is_written_by_others(&self, function: FuncId, addr: Operand) -> bool {
        is_by_others(&self.later_writers, function, self.targets(function, addr))
    }

    /// Whether a thread that reads finds its own last write, or the initial value.
    pub fn is_own(&self, function: FuncId, addr: Operand) -> bool {
        !is_by_others(&self.writers, function, self.targets(function, addr))
    }

    /// What an address that is accessed may point to.
    pub fn targets(&self, function: FuncId, addr: Operand) -> &[Object] {
        self.targets.get(&(function, addr)).map_or(&[], |target| &target.objects)
    }
}

fn who_writes(
    prepared: &Prepared,
    visible: &FxHashSet<Object>,
    targets: &FxHashMap<(FuncId, Operand), Target>,
    is_written: impl Fn(&Target) -> bool,
) -> FxHashMap<Object, Writer> {
    let mut writers: FxHashMap<Object, Writer> = FxHashMap::default();
    for (&(id, _), target) in targets.iter().filter(|(_, target)| is_written(target)) {
        let writer = if prepared.instances(id) == 1 { Writer::One(id) } else { Writer::Several };
        for &object in target.objects.iter().filter(|object| visible.contains(object)) {
            let known = writers.entry(object).or_insert(writer);
            if *known != writer {
                *known = Writer::Several;
            }
        }
    }
    writers
}

fn is_by_others(writers: &FxHashMap<Object, Writer>, function: FuncId, objects: &[Object]) -> bool {
    objects.iter().any(|object| writers.get(object).is_some_and(|&writer| writer != Writer::One(function)))
}

/// These objects, and those that some list mixes with them.
fn closure(mut objects: FxHashSet<Object>, lists: &[&[Object]]) -> FxHashSet<Object> {
    let mut lists = lists.to_vec();
    // Each turn takes what is mixed with the objects to them, until there is no more.
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
            return objects;
        }
    }
}

/// Whether a write may wait in a store buffer while others look.
fn is_delayed(kind: &InstrKind, region: Region) -> bool {
    let InstrKind::Store { access, .. } = kind else { return false };
    access.order != Order::SeqCst && !region.in_section && !region.is_alone
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
