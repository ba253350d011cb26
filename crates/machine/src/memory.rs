//! Objects and their bytes.
//!
//! Objects live in arenas (`norn_ir::address`), one per thread, so their addresses do not depend on how the threads are
//! interleaved. Memory of the heap is used again only if the program says so ([`Program::reuses_memory`]): then a freed
//! object may come back to life as another one of the same size, and old pointers to it are pointers to the new one, as
//! on hardware. A local object has a slot that is keyed by call depth, function
//! and local, as on a real stack: entering its scope again gives the same addresses to a new object, with indeterminate
//! content. The lives of a slot are counted, and a pointer belongs to one of them: it stays dangling when the slot is
//! alive again.
//!
//! A pointer knows the object it points into (its provenance), in registers, in store buffers and in memory. A number
//! that becomes a pointer gets the object that contains the address, or ends just before it.
//!
//! Everything is shared between states until it is changed.

use crate::eval::Value;
use norn_ir::address::{GAP, LARGEST_ARENA, LARGEST_OBJECT, MOST_OBJECTS, function_address};
use norn_ir::ids::{FuncId, GlobalId, LocalId, TypeId};
use norn_ir::number::{narrow, to_usize};
use norn_ir::program::{InitValue, Program, Storage};
use norn_ir::span::Span;
use norn_ir::types::{Target, Ty};
use norn_verdict::trace::ThreadIndex;
use std::collections::BTreeMap;
use std::rc::Rc;

/// An object, by arena and by number within it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectRef {
    pub arena: u32,
    pub index: u32,
    /// Which life of a local's slot, from 0; always 0 for objects that are no locals.
    pub life: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectKind {
    Global(GlobalId),
    Constant(GlobalId),
    ThreadLocal(GlobalId),
    Local {
        depth: u32,
        function: FuncId,
        local: LocalId,
    },
    /// The `number`-th of its thread, from 1.
    Heap {
        number: u32,
    },
    /// A variable-length array or what `alloca` gave.
    Stack {
        number: u32,
    },
}

/// The properties of an object that never change.
#[derive(Clone, Debug)]
pub struct Info {
    pub kind: ObjectKind,
    pub base: u64,
    pub size: u64,
    /// Its accesses are no steps; only one thread may touch it.
    pub private: bool,
    pub ty: Option<TypeId>,
    /// Where it was allocated.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub info: Rc<Info>,
    pub alive: bool,
    /// The number of its current or last life.
    pub life: u32,
    /// The one thread that has touched the object, if it is private.
    pub toucher: Option<ThreadIndex>,
    /// Some thread has made a pointer to the object of a number, if it is private.
    pub made_of_number: bool,
    /// Bytes that were never written are 0 here; an object that is not alive has none.
    bytes: Vec<u8>,
    /// `None`: everything is initialised.
    initialised: Option<Initialised>,
    /// Offsets of whole pointers with the objects they point into, in order.
    pointers: Vec<(u64, ObjectRef)>,
}

#[derive(Clone, Debug)]
struct Initialised {
    flags: Vec<bool>,
    missing: u64,
}

impl Object {
    fn new(info: Info, zeroed: bool) -> Object {
        let mut object = Object {
            info: Rc::new(info),
            alive: true,
            life: 0,
            toucher: None,
            made_of_number: false,
            bytes: Vec::new(),
            initialised: None,
            pointers: Vec::new(),
        };
        object.renew(zeroed);
        object
    }

    /// Alive, with fresh content.
    fn renew(&mut self, zeroed: bool) {
        let size = to_usize(self.info.size);
        self.alive = true;
        self.toucher = None;
        self.made_of_number = false;
        self.bytes = vec![0; size];
        self.pointers.clear();
        self.initialised =
            (!zeroed && size > 0).then(|| Initialised { flags: vec![false; size], missing: self.info.size });
    }

    /// Whether a whole pointer was stored at this offset.
    pub fn holds_pointer(&self, offset: u64) -> bool {
        self.pointers.binary_search_by_key(&offset, |&(at, _)| at).is_ok()
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Which bytes are initialised; `None` if all are.
    pub fn initialised(&self) -> Option<&[bool]> {
        self.initialised.as_ref().map(|i| &i.flags[..])
    }

    pub fn pointers(&self) -> &[(u64, ObjectRef)] {
        &self.pointers
    }

    pub fn is_constant(&self) -> bool {
        matches!(self.info.kind, ObjectKind::Constant(_))
    }

    /// Whether accesses to it are visible steps.
    pub fn is_shared(&self) -> bool {
        !self.info.private && !self.is_constant()
    }

    /// The bits of `size` bytes, or `None` if one of them is not initialised. The place should be inside.
    fn bits(&self, offset: u64, size: u64) -> Option<u64> {
        let range = to_usize(offset)..to_usize(offset + size);
        if let Some(initialised) = &self.initialised
            && !initialised.flags[range.clone()].iter().all(|&f| f)
        {
            return None;
        }
        let mut buffer = [0; 8];
        buffer[..to_usize(size)].copy_from_slice(&self.bytes[range]);
        Some(u64::from_le_bytes(buffer))
    }

    /// The bits of the bytes that are initialised, and which those are. The place should be inside.
    fn known_bits(&self, offset: u64, size: u64) -> (u64, u64) {
        let (mut bits, mut known) = (0, 0);
        for i in 0..size {
            let at = to_usize(offset + i);
            if self.initialised.as_ref().is_none_or(|initialised| initialised.flags[at]) {
                bits |= u64::from(self.bytes[at]) << (i * 8);
                known |= 0xff << (i * 8);
            }
        }
        (bits, known)
    }

    fn write(&mut self, offset: u64, ty: Ty, value: Value, target: Target) {
        let size = ty.size(target);
        let range = to_usize(offset)..to_usize(offset + size);
        self.bytes[range.clone()].copy_from_slice(&value.bits.to_le_bytes()[..to_usize(size)]);
        if let Some(initialised) = &mut self.initialised {
            for flag in &mut initialised.flags[range] {
                initialised.missing -= u64::from(!*flag);
                *flag = true;
            }
            if initialised.missing == 0 {
                self.initialised = None;
            }
        }
        if !self.pointers.is_empty() {
            self.pointers.retain(|&(at, _)| at + target.pointer_size() <= offset || at >= offset + size);
        }
        if ty == Ty::Ptr
            && let Some(object) = value.object
        {
            let at = self.pointers.partition_point(|&(at, _)| at < offset);
            self.pointers.insert(at, (offset, object));
        }
    }
}

#[derive(Clone, Debug)]
pub struct Arena {
    /// By base address.
    pub objects: Vec<Rc<Object>>,
    next: u64,
    end: u64,
    /// Local objects by call depth, function and local.
    slots: Rc<BTreeMap<(u32, FuncId, LocalId), u32>>,
    heap_count: u32,
    stack_count: u32,
}

/// The memory has no room left, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Full(pub String);

impl Arena {
    fn new(number: u32, target: Target) -> Result<Arena, Full> {
        let limit = target.most_arenas();
        if u64::from(number) >= limit {
            return Err(Full(format!("there are more than {limit} threads")));
        }
        let base = target.arena_base(u64::from(number));
        let slots = Rc::new(BTreeMap::new());
        Ok(Arena {
            objects: Vec::new(),
            next: base,
            end: base + LARGEST_ARENA.min(1 << target.arena_bits()),
            slots,
            heap_count: 0,
            stack_count: 0,
        })
    }

    fn add(&mut self, mut info: Info, align: u64, zeroed: bool) -> Result<u32, Full> {
        let size = info.size;
        if size > LARGEST_OBJECT {
            return Err(Full(format!("an object of {size} bytes is larger than {LARGEST_OBJECT} bytes")));
        }
        if self.objects.len() >= MOST_OBJECTS {
            return Err(Full(format!("a thread has more than {MOST_OBJECTS} objects")));
        }
        let base = self.next.checked_next_multiple_of(align.max(1));
        let next = base.and_then(|base| base.checked_add(size)).and_then(|end| end.checked_add(GAP));
        let (Some(base), Some(next)) = (base, next.filter(|&next| next < self.end)) else {
            return Err(Full("the objects of a thread need too much memory".to_owned()));
        };
        info.base = base;
        self.next = next;
        let index = narrow(self.objects.len());
        self.objects.push(Rc::new(Object::new(info, zeroed)));
        Ok(index)
    }

    fn find(&self, address: u64) -> Option<u32> {
        let after = self.objects.partition_point(|object| object.info.base <= address);
        let index = after.checked_sub(1)?;
        let info = &self.objects[index].info;
        (address - info.base <= info.size).then_some(narrow(index))
    }
}

#[derive(Clone, Debug)]
pub struct Memory {
    pub arenas: Vec<Rc<Arena>>,
    target: Target,
}

impl Memory {
    /// The global objects with their initial values.
    pub fn new(program: &Program, globals: &Globals) -> Result<Memory, Full> {
        let mut memory = Memory { arenas: Vec::new(), target: program.target };
        memory.arenas.push(Rc::new(Arena::new(0, program.target)?));
        memory.add_globals(program, globals, 0, |storage| storage != Storage::Thread)?;
        Ok(memory)
    }

    /// The arena of a new thread, with its instances of the thread-local objects.
    pub fn add_thread(&mut self, program: &Program, globals: &Globals) -> Result<(), Full> {
        let number = narrow(self.arenas.len());
        self.arenas.push(Rc::new(Arena::new(number, self.target)?));
        self.add_globals(program, globals, number, |storage| storage == Storage::Thread)
    }

    fn add_globals(
        &mut self,
        program: &Program,
        globals: &Globals,
        arena: u32,
        wanted: impl Fn(Storage) -> bool,
    ) -> Result<(), Full> {
        let ids = (0..program.globals.len()).map(GlobalId::new);
        let mut added = Vec::new();
        for id in ids.filter(|&id| wanted(program.global(id).storage)) {
            let global = program.global(id);
            let ty = program.ty(global.ty);
            let kind = match global.storage {
                Storage::Static => ObjectKind::Global(id),
                Storage::Thread => ObjectKind::ThreadLocal(id),
                Storage::Constant => ObjectKind::Constant(id),
            };
            let info =
                Info { kind, base: 0, size: ty.size, private: global.private, ty: Some(global.ty), span: global.span };
            added.push((id, self.arena_mut(arena).add(info, ty.align, true)?));
        }
        // Initial values may be addresses, so all objects come first.
        for (id, index) in added {
            for init in &program.global(id).init {
                let (ty, value) = match &init.value {
                    InitValue::Const(c) => (c.ty, Value::int(c.bits)),
                    InitValue::Func(function) => (Ty::Ptr, Value::int(function_address(*function))),
                    InitValue::Global(other, offset) => {
                        let object = globals.object(*other, ThreadIndex(arena.saturating_sub(1)));
                        (Ty::Ptr, self.pointer_to(object, *offset))
                    }
                    InitValue::Bytes(bytes) => {
                        for (i, &byte) in bytes.iter().enumerate() {
                            let place = (ObjectRef { arena, index, life: 0 }, init.offset + i as u64);
                            self.write(place, Ty::I8, Value::int(u64::from(byte)));
                        }
                        continue;
                    }
                };
                self.write((ObjectRef { arena, index, life: 0 }, init.offset), ty, value);
            }
        }
        Ok(())
    }

    fn arena_mut(&mut self, arena: u32) -> &mut Arena {
        Rc::make_mut(&mut self.arenas[arena as usize])
    }

    /// The object, or the one that has its place now: see [`Memory::is_alive`].
    pub fn object(&self, object: ObjectRef) -> &Object {
        &self.arenas[object.arena as usize].objects[object.index as usize]
    }

    pub fn object_mut(&mut self, object: ObjectRef) -> &mut Object {
        Rc::make_mut(&mut self.arena_mut(object.arena).objects[object.index as usize])
    }

    pub fn is_alive(&self, object: ObjectRef) -> bool {
        let found = self.object(object);
        found.alive && found.life == object.life
    }

    /// Whether the object's place was given to another one.
    pub fn is_replaced(&self, object: ObjectRef) -> bool {
        self.object(object).life != object.life
    }

    /// The address `offset` bytes into an object.
    pub fn pointer_to(&self, object: ObjectRef, offset: i64) -> Value {
        let address = self.object(object).info.base.wrapping_add_signed(offset);
        Value { bits: Ty::Ptr.truncate(address, self.target), object: Some(object) }
    }

    /// A number taken as an address.
    pub fn pointer_from(&self, address: u64) -> Value {
        let arena = (address >> self.target.arena_bits()).checked_sub(1).and_then(|n| u32::try_from(n).ok());
        let object = arena.and_then(|arena| {
            let arena_found = self.arenas.get(arena as usize)?;
            let index = arena_found.find(address)?;
            Some(ObjectRef { arena, index, life: arena_found.objects[index as usize].life })
        });
        Value { bits: address, object }
    }

    /// The value at a place, which should be inside a live object. `None` if a byte of it is not initialised.
    pub fn read(&self, (object, offset): (ObjectRef, u64), ty: Ty) -> Option<Value> {
        let object = self.object(object);
        let bits = object.bits(offset, ty.size(self.target))?;
        if ty != Ty::Ptr {
            return Some(Value::int(bits));
        }
        match object.pointers.binary_search_by_key(&offset, |&(at, _)| at) {
            Ok(found) => Some(Value { bits, object: Some(object.pointers[found].1) }),
            Err(_) => Some(self.pointer_from(bits)),
        }
    }

    /// The value at a place where not all bytes are initialised, given a number that supplies the missing bytes. The
    /// place should be inside a live object.
    pub fn read_open(&self, (object, offset): (ObjectRef, u64), ty: Ty, open: u64) -> Value {
        let (bits, known) = self.object(object).known_bits(offset, ty.size(self.target));
        let bits = bits | open & !known;
        if ty == Ty::Ptr { self.pointer_from(bits) } else { Value::int(bits) }
    }

    /// The place should be inside a live object.
    pub fn write(&mut self, (object, offset): (ObjectRef, u64), ty: Ty, value: Value) {
        let target = self.target;
        self.object_mut(object).write(offset, ty, value, target);
    }

    /// The scope of a local begins.
    pub fn enter_local(
        &mut self,
        program: &Program,
        thread: ThreadIndex,
        key: (u32, FuncId, LocalId),
    ) -> Result<ObjectRef, Full> {
        let arena_number = arena_of(thread);
        let (depth, function, id) = key;
        let arena = self.arena_mut(arena_number);
        if let Some(&index) = arena.slots.get(&key) {
            let mut object = ObjectRef { arena: arena_number, index, life: 0 };
            let found = self.object_mut(object);
            found.renew(false);
            found.life += 1;
            object.life = found.life;
            return Ok(object);
        }
        let local = program.function(function).local(id);
        let ty = program.ty(local.ty);
        let kind = ObjectKind::Local { depth, function, local: id };
        let info = Info { kind, base: 0, size: ty.size, private: local.private, ty: Some(local.ty), span: local.span };
        let index = arena.add(info, ty.align, false)?;
        Rc::make_mut(&mut arena.slots).insert(key, index);
        Ok(ObjectRef { arena: arena_number, index, life: 0 })
    }

    /// New memory from `malloc` and its kin, or on the stack.
    pub fn allocate(
        &mut self,
        thread: ThreadIndex,
        heap: bool,
        mut info: Info,
        align: u64,
        zeroed: bool,
    ) -> Result<ObjectRef, Full> {
        let arena = self.arena_mut(arena_of(thread));
        info.kind = match heap {
            true => ObjectKind::Heap { number: arena.heap_count + 1 },
            false => ObjectKind::Stack { number: arena.stack_count + 1 },
        };
        let index = arena.add(info, align, zeroed)?;
        match heap {
            true => arena.heap_count += 1,
            false => arena.stack_count += 1,
        }
        Ok(ObjectRef { arena: arena_of(thread), index, life: 0 })
    }

    /// The freed objects of the heap that have this size and alignment, by address.
    pub fn freed(&self, size: u64, align: u64) -> Vec<ObjectRef> {
        let is_freed = |object: &Object| {
            let fits = object.info.size == size && object.info.base.is_multiple_of(align);
            !object.alive && fits && matches!(object.info.kind, ObjectKind::Heap { .. })
        };
        self.objects().filter(|(_, object)| is_freed(object)).map(|(found, _)| found).collect()
    }

    /// Memory that was freed is given out again.
    pub fn give_again(&mut self, object: ObjectRef, ty: Option<TypeId>, span: Span, zeroed: bool) {
        let object = self.object_mut(object);
        let info = Rc::make_mut(&mut object.info);
        (info.ty, info.span) = (ty, span);
        object.renew(zeroed);
    }

    /// The object's life ends.
    pub fn end(&mut self, object: ObjectRef) {
        let object = self.object_mut(object);
        object.alive = false;
        object.bytes = Vec::new();
        object.initialised = None;
        object.pointers = Vec::new();
    }

    /// A thread's own instances of the thread-local objects.
    pub fn thread_locals(&self, thread: ThreadIndex) -> impl Iterator<Item = ObjectRef> + '_ {
        let arena = arena_of(thread);
        let objects = self.arenas[arena as usize].objects.iter().enumerate();
        let own = objects.take_while(|(_, object)| matches!(object.info.kind, ObjectKind::ThreadLocal(_)));
        own.map(move |(index, _)| ObjectRef { arena, index: narrow(index), life: 0 })
    }

    /// All objects, with arenas and objects in order.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectRef, &Object)> {
        self.arenas.iter().enumerate().flat_map(|(arena, content)| {
            content.objects.iter().enumerate().map(move |(index, object)| {
                let found = ObjectRef { arena: narrow(arena), index: narrow(index), life: object.life };
                (found, object.as_ref())
            })
        })
    }

    /// The text that begins at an address, for output only: it ends at a 0, at the object's end or after `limit` bytes.
    pub fn text_at(&self, pointer: Value, limit: usize) -> Option<Vec<u8>> {
        let object = pointer.object.filter(|&object| self.is_alive(object))?;
        let object = self.object(object);
        let start = usize::try_from(pointer.bits.wrapping_sub(object.info.base)).ok()?;
        let bytes = object.bytes.get(start..)?;
        Some(bytes.iter().copied().take_while(|&b| b != 0).take(limit).collect())
    }

    /// What is in the 8-byte slots from the pointer to the end of its object, whether all of it was written or not.
    pub fn slots_at(&self, pointer: Value) -> Vec<Value> {
        let Some(object) = pointer.object.filter(|&object| self.is_alive(object)) else { return Vec::new() };
        let bytes = &self.object(object).bytes;
        let first = pointer.bits.wrapping_sub(self.object(object).info.base);
        let slot = |offset: u64| {
            let start = usize::try_from(offset).ok()?;
            let bits = u64::from_le_bytes(*bytes.get(start..)?.first_chunk()?);
            let pointed_to = self.read((object, offset), Ty::Ptr).and_then(|value| value.object);
            Some(Value { bits, object: pointed_to })
        };
        (0..).map_while(|number: u64| slot(first.checked_add(number * 8)?)).collect()
    }
}

/// The number of a thread's arena; 0 is that of the globals.
fn arena_of(thread: ThreadIndex) -> u32 {
    thread.0 + 1
}

/// Which object a global is.
#[derive(Clone, Debug)]
pub struct Globals(Vec<(Storage, u32)>);

impl Globals {
    pub fn new(program: &Program) -> Globals {
        let (mut shared, mut own) = (0, 0);
        let number = |global: &norn_ir::program::Global| {
            let count = if global.storage == Storage::Thread { &mut own } else { &mut shared };
            *count += 1;
            (global.storage, *count - 1)
        };
        Globals(program.globals.iter().map(number).collect())
    }

    /// The instance that `thread` means: its own if the object is thread-local.
    pub fn object(&self, id: GlobalId, thread: ThreadIndex) -> ObjectRef {
        let (storage, index) = self.0[id.index()];
        ObjectRef { arena: if storage == Storage::Thread { arena_of(thread) } else { 0 }, index, life: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        let text = "norn-ir 1\ntarget lp64\nentry f0\ntype t0 = i32 signed\ntype t1 = ptr pointer\n\
                    type t2 = array 2 * t1\nglobal g0 \"x\": t0 {\n0: i32 7\n}\nglobal g1 \"tl\": t0 thread\n\
                    global g2 \"p\": t2 {\n8: g0+4\n}\nfunction f0 \"main\" () {\nl0: t2 \"a\"\nb0:\n return\n}\n";
        let program = norn_ir::parse::parse(text).expect("the program should parse");
        let globals = Globals::new(&program);
        let mut memory = Memory::new(&program, &globals).expect("there should be room");
        memory.add_thread(&program, &globals).expect("there should be room");
        assert_eq!(globals.object(GlobalId(2), ThreadIndex::MAIN), P);
        assert_eq!(globals.object(GlobalId(1), ThreadIndex::MAIN), ObjectRef { arena: 1, index: 0, life: 0 });
        memory.enter_local(&program, ThreadIndex::MAIN, (0, FuncId(0), LocalId(0))).expect("there should be room");
        memory
    }

    const X: ObjectRef = ObjectRef { arena: 0, index: 0, life: 0 };
    const P: ObjectRef = ObjectRef { arena: 0, index: 1, life: 0 };
    const LOCAL: ObjectRef = ObjectRef { arena: 1, index: 1, life: 0 };

    #[test]
    fn initial_values_and_pointers_with_their_objects() {
        let memory = memory();
        assert_eq!(memory.read((X, 0), Ty::I32), Some(Value::int(7)));
        let pointer = memory.read((P, 8), Ty::Ptr).expect("globals are initialised");
        assert_eq!(pointer, memory.pointer_to(X, 4));
        assert_eq!(memory.pointer_from(pointer.bits), pointer);
        assert_eq!(memory.pointer_from(pointer.bits + 1).object, None);
        assert_eq!(memory.pointer_from(0).object, None);
    }

    #[test]
    fn a_write_into_a_pointer_forgets_its_object() {
        let mut memory = memory();
        let outside = Value { bits: 5, object: Some(X) };
        memory.write((LOCAL, 0), Ty::Ptr, outside);
        assert_eq!(memory.read((LOCAL, 0), Ty::Ptr), Some(outside));
        memory.write((LOCAL, 7), Ty::I8, Value::int(0));
        assert_eq!(memory.read((LOCAL, 0), Ty::Ptr), Some(Value::int(5)));
    }

    #[test]
    fn locals_begin_indeterminate_each_time() {
        let mut memory = memory();
        assert_eq!(memory.read((LOCAL, 0), Ty::I32), None);
        memory.write((LOCAL, 0), Ty::I32, Value::int(3));
        assert_eq!(memory.read((LOCAL, 0), Ty::I32), Some(Value::int(3)));
        assert_eq!(memory.read((LOCAL, 0), Ty::I64), None);
        let copy = memory.clone();
        memory.object_mut(LOCAL).renew(false);
        assert_eq!(memory.read((LOCAL, 0), Ty::I32), None);
        assert_eq!(copy.read((LOCAL, 0), Ty::I32), Some(Value::int(3)), "copies should not change");
    }
}
