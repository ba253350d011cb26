//! Which accesses others can see, and which objects go through the shared memory abstraction.
//!
//! Visible are the objects that several threads can reach and that can change. Under SC all of them go through the
//! abstraction. Under TSO and PSO those do to which some store may wait in a store buffer; what is only written in atomic
//! sections, by read-modify-writes or sequentially consistent stores, or before there are other threads, is in memory
//! at once, and memory is a C object. Locks and their kin are such.
//!
//! An access is translated one way or the other, so what some access cannot tell from an object is treated as that is.

use crate::prepare::Prepared;
use crate::regions::{Region, Regions};
use norn_ir::ids::FuncId;
use norn_ir::instr::{InstrKind, Operand, Order};
use norn_ir::program::{Program, Storage};
use norn_passes::points_to::{Object, SameTargets};
use norn_verdict::model::Model;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

pub struct Shared {
    visible: FxHashSet<Object>,
    /// Those that go through the abstraction.
    abstracted: FxHashSet<Object>,
    /// What the operands that are accessed may point to: a place in `lists`.
    targets: FxHashMap<(FuncId, Operand), usize>,
    lists: Vec<List>,
}

/// What some operands may point to, without functions. Many may point to the same.
struct List {
    objects: Arc<[Object]>,
    /// Visible, and abstracted, as a whole or not at all.
    is_visible: bool,
    is_abstracted: bool,
    /// Something is written by way of these operands that may wait in a store buffer.
    is_delayed: bool,
    /// Who writes these objects, in whatever way, if they are visible.
    writers: Writers,
}

impl List {
    fn of(objects: Arc<[Object]>) -> List {
        List { objects, is_visible: false, is_abstracted: false, is_delayed: false, writers: Writers::default() }
    }
}

/// Who writes, and who does while there are several threads.
#[derive(Clone, Copy, Default)]
struct Writers {
    ever: Writer,
    later: Writer,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Writer {
    #[default]
    Nobody,
    /// The one thread that starts with this function.
    One(FuncId),
    Several,
}

impl Writer {
    fn and(self, other: Writer) -> Writer {
        match (self, other) {
            (Writer::Nobody, writer) | (writer, Writer::Nobody) => writer,
            _ if self == other => self,
            _ => Writer::Several,
        }
    }

    fn is_other_than(self, function: FuncId) -> bool {
        self != Writer::Nobody && self != Writer::One(function)
    }
}

impl Writers {
    fn and(self, other: Writers) -> Writers {
        Writers { ever: self.ever.and(other.ever), later: self.later.and(other.later) }
    }
}

impl Shared {
    pub fn new(prepared: &Prepared, regions: &FxHashMap<FuncId, Regions>, model: Model) -> Shared {
        let program = prepared.program();
        let mut maker = Maker::new(prepared);
        for id in prepared.started() {
            maker.look_at(id, &regions[&id]);
        }
        let Maker { mut lists, targets, .. } = maker;
        let all: Vec<&[Object]> = lists.iter().map(|list| &*list.objects).collect();
        let shared = all.iter().flat_map(|list| list.iter()).copied().filter(|&object| is_shared(program, object));
        let visible = closure(shared.collect(), &all);
        let delayed = lists.iter().filter(|list| list.is_delayed).flat_map(|list| list.objects.iter());
        let abstracted = match model {
            Model::Sc => visible.clone(),
            _ => closure(delayed.copied().filter(|object| visible.contains(object)).collect(), &all),
        };
        // By now a list is visible, or abstracted, as a whole or not at all.
        for list in &mut lists {
            list.is_visible = list.objects.first().is_some_and(|object| visible.contains(object));
            list.is_abstracted = list.objects.first().is_some_and(|object| abstracted.contains(object));
        }
        let mut writers: FxHashMap<Object, Writers> = FxHashMap::default();
        for list in lists.iter().filter(|list| list.is_visible) {
            for &object in list.objects.iter() {
                let known = writers.entry(object).or_default();
                *known = known.and(list.writers);
            }
        }
        for list in &mut lists {
            let of_objects = list.objects.iter().filter_map(|object| writers.get(object));
            list.writers = of_objects.fold(Writers::default(), |all, &writers| all.and(writers));
        }
        Shared { visible, abstracted, targets, lists }
    }

    /// Whether an object goes through the abstraction.
    pub fn contains(&self, object: Object) -> bool {
        self.abstracted.contains(&object)
    }

    /// Whether an access goes through the abstraction.
    pub fn access(&self, function: FuncId, addr: Operand) -> bool {
        self.list(function, addr).is_some_and(|list| list.is_abstracted)
    }

    /// Whether others can see an access, or change what it finds.
    pub fn is_visible(&self, function: FuncId, addr: Operand) -> bool {
        self.list(function, addr).is_some_and(|list| list.is_visible)
    }

    pub fn is_visible_object(&self, object: Object) -> bool {
        self.visible.contains(&object)
    }

    /// Whether others than the thread that reads may write there while there are several threads.
    pub fn is_written_by_others(&self, function: FuncId, addr: Operand) -> bool {
        self.list(function, addr).is_some_and(|list| list.writers.later.is_other_than(function))
    }

    /// Whether a thread that reads finds its own last write, or the initial value.
    pub fn is_own(&self, function: FuncId, addr: Operand) -> bool {
        !self.list(function, addr).is_some_and(|list| list.writers.ever.is_other_than(function))
    }

    /// What an address that is accessed may point to.
    pub fn targets(&self, function: FuncId, addr: Operand) -> &[Object] {
        self.list(function, addr).map_or(&[], |list| &list.objects)
    }

    fn list(&self, function: FuncId, addr: Operand) -> Option<&List> {
        self.targets.get(&(function, addr)).map(|&at| &self.lists[at])
    }
}

/// Finds out what is accessed, and how.
struct Maker<'p> {
    prepared: &'p Prepared,
    lists: Vec<List>,
    targets: FxHashMap<(FuncId, Operand), usize>,
    /// The lists of operands that are known to point to the same.
    known: FxHashMap<SameTargets, usize>,
    by_objects: FxHashMap<Arc<[Object]>, usize>,
}

impl<'p> Maker<'p> {
    fn new(prepared: &'p Prepared) -> Maker<'p> {
        let (lists, targets, known, by_objects) = Default::default();
        Maker { prepared, lists, targets, known, by_objects }
    }

    fn look_at(&mut self, id: FuncId, regions: &Regions) {
        let code = self.prepared.function(id);
        let writer = if self.prepared.instances(id) == 1 { Writer::One(id) } else { Writer::Several };
        for &block in &code.order {
            for (index, instr) in code.function.block(block).instrs.iter().enumerate() {
                let Some(addr) = accessed(&instr.kind) else { continue };
                let at = self.list(id, addr);
                let list = &mut self.lists[at];
                if !matches!(instr.kind, InstrKind::Load { .. }) {
                    let region = regions.at(block, index);
                    let later = if region.is_alone { Writer::Nobody } else { writer };
                    list.writers = list.writers.and(Writers { ever: writer, later });
                    list.is_delayed |= is_delayed(&instr.kind, region);
                }
            }
        }
    }

    /// Where the list of what an operand may point to is.
    fn list(&mut self, id: FuncId, addr: Operand) -> usize {
        let Maker { prepared, lists, targets, known, by_objects } = self;
        let points_to = &prepared.points_to;
        let mut add = || {
            let mut objects = points_to.targets(id, addr).objects;
            objects.retain(|object| !matches!(object, Object::Function(_)));
            let objects: Arc<[Object]> = objects.into();
            *by_objects.entry(objects.clone()).or_insert_with(|| {
                lists.push(List::of(objects));
                lists.len() - 1
            })
        };
        *targets.entry((id, addr)).or_insert_with(|| match points_to.same_targets(id, addr) {
            Some(same) => *known.entry(same).or_insert_with(add),
            None => add(),
        })
    }
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
