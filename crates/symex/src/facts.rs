//! Facts about the whole program that hold under every schedule: which objects and threads there are, into which cells
//! objects are split, and which values each cell can hold.
//!
//! An execution of all threads needs these facts before it begins, and finds them out only while it runs. So the
//! threads are executed again and again: at first as if every cell held its initial value only, then with the values
//! that were written the time before, until nothing new is found. Then every value that a write can produce is among
//! those that a read expects: look at the first read of a real execution that finds something else; the writes before
//! it were foreseen.
//!
//! Cells that one access may touch have one *class*, so that they hold values of one shape.

use norn_ir::number::narrow;
use std::collections::{BTreeMap, HashMap, HashSet};

use norn_ir::address::GAP;
use norn_ir::ids::{FuncId, GlobalId, LocalId, TypeId};
use norn_ir::program::{Program, Storage};
use norn_ir::types::{Target, Ty};
use norn_passes::Site;

use crate::chains::{Chains, Found, Growth};
use crate::class::{Class, Content, News};
use crate::event::{ObjectId, ThreadId};
use crate::range::Range;

/// How an object comes to be; the same in every execution of the threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    Global(GlobalId),
    ThreadLocal(GlobalId, ThreadId),
    /// A scope that begins, or memory that is allocated, at a place of the bounded program: that happens once at most.
    Made(ThreadId, Site),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    Static,
    Constant,
    /// `outermost`: of the thread's start function.
    Local {
        outermost: bool,
    },
    Heap,
    Stack,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub origin: Origin,
    pub kind: ObjectKind,
    pub size: u64,
    pub private: bool,
    pub zeroed: bool,
    pub align: u64,
    pub ty: Option<TypeId>,
    pub name: String,
    /// Its size is a term; `size` is the largest.
    pub sized_by_term: bool,
    /// Its address, as far as the program can tell.
    pub base: u64,
    /// The first object that has its place on the stack, and so its addresses, if that is another one.
    pub place_of: Option<ObjectId>,
}

impl Object {
    pub fn is_shared(&self) -> bool {
        !self.private && self.kind != ObjectKind::Constant
    }

    pub fn maker(&self) -> Option<ThreadId> {
        match self.origin {
            Origin::Global(_) => None,
            Origin::ThreadLocal(_, thread) | Origin::Made(thread, _) => Some(thread),
        }
    }
}

norn_ir::ids! {
    /// A scalar place of an object, shared or not.
    Slot = "slot";
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SlotPlace {
    pub object: ObjectId,
    pub offset: u64,
    pub size: u64,
}

/// The slots of an access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Slots {
    One(Slot),
    /// A slot for each byte, from the lowest address on.
    Bytes(Vec<Slot>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadKey {
    pub creator: ThreadId,
    pub site: Site,
    pub start: FuncId,
}

pub struct Facts {
    pub objects: Vec<Object>,
    object_ids: HashMap<Origin, ObjectId>,
    slots: Vec<SlotPlace>,
    slot_ids: HashMap<SlotPlace, Slot>,
    /// By object: how its bytes are split, by offset.
    layouts: Vec<BTreeMap<u64, Extent>>,
    /// By slot: the class, or a slot whose class it is (a forest).
    parents: Vec<Slot>,
    classes: Vec<Class>,
    /// By slot: one with which numbers are exchanged (a forest).
    exchanges: Vec<Slot>,
    /// By slot: what was found about its class, and about all with which its class exchanges numbers.
    numbers: Vec<[Numbers; 2]>,
    /// What threads return.
    pub results: Class,
    /// The entry thread comes first and has no key.
    pub threads: Vec<Option<ThreadKey>>,
    thread_ids: HashMap<ThreadKey, ThreadId>,
    /// By thread: it creates others.
    pub creates: Vec<bool>,
    /// Objects whose address was made a number.
    pub exposed: Vec<ObjectId>,
    /// Something new was found.
    pub changed: bool,
    pub chains: Chains,
    /// The addresses of globals.
    global_bases: Vec<u64>,
    target: Target,
    /// The objects of scopes that use the same memory in the machine.
    same_memory: HashMap<(ThreadId, u32, FuncId, LocalId), ObjectId>,
    /// Sections in which something may happen that is assumed not to: their threads may stop before them.
    stopping: HashSet<(ThreadId, Site)>,
    /// Objects that one thread may touch after another has ended their lives, if that is assumed not to happen: a
    /// thread that touches them may stop before.
    ended_elsewhere: HashSet<ObjectId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Extent {
    size: u64,
    bytes: bool,
}

impl Facts {
    pub fn new(program: &Program) -> Facts {
        let target = program.target;
        let mut next = target.arena_base(0);
        let mut global_bases = Vec::new();
        for global in &program.globals {
            if global.storage == Storage::Thread {
                global_bases.push(0);
                continue;
            }
            let ty = program.ty(global.ty);
            let base = next.next_multiple_of(ty.align.max(1));
            global_bases.push(base);
            next = base.saturating_add(ty.size).saturating_add(GAP);
        }
        let mut results = Class::new(Ty::Ptr.bits(target));
        results.pointers = true;
        Facts {
            results,
            threads: vec![None],
            creates: vec![false],
            global_bases,
            target,
            objects: Vec::new(),
            object_ids: HashMap::new(),
            slots: Vec::new(),
            slot_ids: HashMap::new(),
            layouts: Vec::new(),
            parents: Vec::new(),
            classes: Vec::new(),
            exchanges: Vec::new(),
            numbers: Vec::new(),
            thread_ids: HashMap::new(),
            exposed: Vec::new(),
            changed: false,
            chains: Chains::default(),
            same_memory: HashMap::new(),
            stopping: HashSet::new(),
            ended_elsewhere: HashSet::new(),
        }
    }

    /// To be called before each execution.
    pub fn begin(&mut self) {
        self.changed = false;
        self.chains.begin();
        self.results.begin();
        self.classes.iter_mut().for_each(Class::begin);
        self.numbers.fill([Numbers::NONE; 2]);
        let mut next: Vec<u64> = (0..self.threads.len()).map(|t| self.target.arena_base(t as u64 + 1)).collect();
        for object in &mut self.objects {
            let Some(maker) = object.maker() else { continue };
            let next = &mut next[maker.0 as usize];
            object.base = next.next_multiple_of(object.align.max(1));
            *next = object.base.saturating_add(object.size).saturating_add(GAP);
        }
    }

    /// To be called after each execution.
    pub fn end(&mut self) {
        let slots = || Slot::all(self.classes.len());
        let ranges: Vec<Option<Range>> = slots().map(|slot| self.found_range(slot)).collect();
        let news: Vec<News> = slots().map(|slot| self.classes[slot.0 as usize].news(ranges[slot.0 as usize])).collect();
        let of_results = self.results.news(None);
        let grown: Vec<Slot> = slots().filter(|slot| news[slot.0 as usize] == News::More).collect();
        let others = self.changed || news.contains(&News::First) || of_results == News::First;
        let results_grown = of_results == News::More;
        let threads = self.threads.len();
        let found = Found { others, grown: &grown, results_grown, threads };
        let growth = self.chains.end(&found, |slot| root(&self.parents, slot));
        self.changed = others;
        if growth == Growth::Ignored {
            return;
        }
        self.changed |= results_grown || !grown.is_empty();
        let widen = growth == Growth::Widened;
        self.results.end(None, widen);
        for (class, range) in self.classes.iter_mut().zip(ranges) {
            class.end(range, widen);
        }
    }

    // Where threads may stop because of what is assumed not to happen.

    pub fn stops_at(&self, section: (ThreadId, Site)) -> bool {
        self.stopping.contains(&section)
    }

    pub fn may_stop_at(&mut self, section: (ThreadId, Site)) {
        self.changed |= self.stopping.insert(section);
    }

    pub fn ends_elsewhere(&self, object: ObjectId) -> bool {
        self.ended_elsewhere.contains(&object)
    }

    pub fn may_end_elsewhere(&mut self, object: ObjectId) {
        self.changed |= self.ended_elsewhere.insert(object);
    }

    /// The numbers that the cells of a class may hold, as far as an execution has found.
    fn found_range(&self, slot: Slot) -> Option<Range> {
        let exchanged = root(&self.exchanges, slot);
        let of_class = self.numbers[slot.0 as usize][0].range();
        let of_all = self.numbers[exchanged.0 as usize][1].range();
        match (of_class, of_all) {
            (Some(a), Some(b)) => Some(a.meet(b)),
            (a, b) => a.or(b),
        }
    }

    // Threads.

    pub fn thread(&mut self, key: ThreadKey) -> ThreadId {
        if let Some(&id) = self.thread_ids.get(&key) {
            return id;
        }
        let id = ThreadId::new(self.threads.len());
        self.threads.push(Some(key));
        self.creates.push(false);
        self.creates[key.creator.0 as usize] = true;
        self.thread_ids.insert(key, id);
        self.changed = true;
        id
    }

    // Objects.

    /// The object of this origin; `describe` is asked if it is new or if it has grown.
    pub fn object(&mut self, origin: Origin, size: u64, describe: impl FnOnce() -> Object) -> ObjectId {
        if let Some(&id) = self.object_ids.get(&origin) {
            let object = &mut self.objects[id.index()];
            if object.size != size {
                object.size = size;
                self.changed = true;
            }
            return id;
        }
        let id = ObjectId::new(self.objects.len());
        let mut object = describe();
        if let Origin::Global(global) = origin {
            object.base = self.global_bases[global.index()];
        }
        self.objects.push(object);
        self.layouts.push(BTreeMap::new());
        self.object_ids.insert(origin, id);
        // Addresses are given out between executions.
        self.changed |= !matches!(origin, Origin::Global(_));
        id
    }

    pub fn size_by_term(&mut self, object: ObjectId) {
        let is_new = !std::mem::replace(&mut self.objects[object.index()].sized_by_term, true);
        self.changed |= is_new;
    }

    pub fn get(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }

    pub fn expose(&mut self, object: ObjectId) {
        if let Err(at) = self.exposed.binary_search(&object) {
            self.exposed.insert(at, object);
            self.changed = true;
        }
    }

    /// Notes which memory of the machine an object on the stack uses.
    pub fn shares_memory(&mut self, object: ObjectId, memory: (ThreadId, u32, FuncId, LocalId)) {
        let first = *self.same_memory.entry(memory).or_insert(object);
        if first != object {
            self.objects[object.index()].place_of = Some(first);
        }
    }

    /// The address of an object as comparisons see it: that of its place.
    pub fn compared_base(&self, object: ObjectId) -> u64 {
        let found = self.get(object);
        found.place_of.map_or(found.base, |first| self.get(first).base)
    }

    /// The numbers from the first to the second may be addresses of objects.
    pub fn addresses(&self) -> (u64, u64) {
        (self.target.arena_base(0), self.target.arena_base(self.threads.len() as u64 + 1))
    }

    // Slots.

    /// How the object is split where an access touches it.
    pub fn slots(&mut self, object: ObjectId, offset: u64, size: u64) -> Slots {
        let end = offset + size;
        let layout = &mut self.layouts[object.index()];
        let before = layout.range(..=offset).next_back().filter(|(start, extent)| **start + extent.size > offset);
        let mut first = before.map_or(offset, |(&start, _)| start);
        let overlapping: Vec<(u64, Extent)> =
            layout.range(first..end).map(|(&start, &extent)| (start, extent)).collect();
        match overlapping[..] {
            [] => {
                layout.insert(offset, Extent { size, bytes: false });
                return Slots::One(self.slot(SlotPlace { object, offset, size }));
            }
            [(start, extent)] if !extent.bytes && start == offset && extent.size == size => {
                return Slots::One(self.slot(SlotPlace { object, offset, size }));
            }
            [(start, extent)] if extent.bytes && start + extent.size >= end && start <= offset => {}
            _ => {
                first = first.min(offset);
                let last = overlapping.iter().map(|(start, extent)| start + extent.size).fold(end, u64::max);
                overlapping.iter().for_each(|(start, _)| {
                    layout.remove(start);
                });
                layout.insert(first, Extent { size: last - first, bytes: true });
                self.changed = true;
            }
        }
        Slots::Bytes((offset..end).map(|offset| self.slot(SlotPlace { object, offset, size: 1 })).collect())
    }

    /// Makes an access find bytes there.
    pub fn split(&mut self, object: ObjectId, offset: u64, size: u64) {
        if let Slots::One(_) = self.slots(object, offset, size)
            && size > 1
        {
            self.layouts[object.index()].insert(offset, Extent { size, bytes: true });
            self.changed = true;
        }
    }

    fn slot(&mut self, place: SlotPlace) -> Slot {
        if let Some(&slot) = self.slot_ids.get(&place) {
            return slot;
        }
        let slot = Slot::new(self.slots.len());
        self.slots.push(place);
        self.slot_ids.insert(place, slot);
        self.parents.push(slot);
        self.classes.push(Class::new(narrow(place.size) * 8));
        self.exchanges.push(slot);
        self.numbers.push([Numbers::NONE; 2]);
        slot
    }

    pub fn place(&self, slot: Slot) -> SlotPlace {
        self.slots[slot.0 as usize]
    }

    // Classes.

    pub fn class(&self, slot: Slot) -> &Class {
        let root = root(&self.parents, slot);
        &self.classes[root.0 as usize]
    }

    pub fn class_mut(&mut self, slot: Slot) -> &mut Class {
        let root = root(&self.parents, slot);
        &mut self.classes[root.0 as usize]
    }

    /// One access may touch both.
    pub fn unite(&mut self, a: Slot, b: Slot) {
        let (a, b) = (root(&self.parents, a), root(&self.parents, b));
        if a == b {
            return;
        }
        let (a, b) = (a.min(b), a.max(b));
        self.parents[b.0 as usize] = a;
        let absorbed_numbers = self.numbers[b.0 as usize][0];
        self.numbers[a.0 as usize][0].absorb(absorbed_numbers);
        self.exchange(a, b);
        let absorbed = std::mem::replace(&mut self.classes[b.0 as usize], Class::new(8));
        self.changed |= self.classes[a.0 as usize].absorb(&absorbed);
    }

    /// The cells of this slot's class may hold this.
    pub fn may_hold(&mut self, slot: Slot, content: &Content) {
        self.changed |= self.class_mut(slot).add(content);
    }

    // Numbers.

    /// Numbers that are read from one may be written to the other.
    pub fn exchange(&mut self, a: Slot, b: Slot) {
        let (a, b) = (root(&self.exchanges, a), root(&self.exchanges, b));
        if a != b {
            let (a, b) = (a.min(b), a.max(b));
            self.exchanges[b.0 as usize] = a;
            let absorbed = self.numbers[b.0 as usize][1];
            self.numbers[a.0 as usize][1].absorb(absorbed);
        }
    }

    /// Numbers of these ranges are written, as seen by the class and by all with which it exchanges numbers.
    pub fn may_be(&mut self, slot: Slot, from: [Option<Range>; 2]) {
        self.found(slot, from.map(|from| Numbers { from, ..Numbers::NONE }));
    }

    /// So much is added to what was read, in all that a thread does; likewise.
    pub fn may_step(&mut self, slot: Slot, steps: [Range; 2]) {
        self.found(slot, steps.map(|steps| Numbers { from: None, steps }));
    }

    fn found(&mut self, slot: Slot, [of_class, of_all]: [Numbers; 2]) {
        let (class, all) = (root(&self.parents, slot), root(&self.exchanges, slot));
        self.numbers[class.0 as usize][0].absorb(of_class);
        self.numbers[all.0 as usize][1].absorb(of_all);
    }

    pub fn same_class(&self, a: Slot, b: Slot) -> bool {
        root(&self.parents, a) == root(&self.parents, b)
    }
}

/// The numbers that come into some cells from elsewhere, and what is added to those that they hold.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    from: Option<Range>,
    steps: Range,
}

impl Numbers {
    const NONE: Numbers = Numbers { from: None, steps: Range { low: 0, high: 0 } };

    fn range(self) -> Option<Range> {
        self.from?.plus(self.steps)
    }

    fn absorb(&mut self, other: Numbers) {
        self.from = match (self.from, other.from) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (a, b) => a.or(b),
        };
        match self.steps.plus(other.steps) {
            Some(steps) => self.steps = steps,
            None => self.from = Some(Range::ALL),
        }
    }
}

fn root(forest: &[Slot], slot: Slot) -> Slot {
    let mut at = slot;
    while forest[at.0 as usize] != at {
        at = forest[at.0 as usize];
    }
    at
}
