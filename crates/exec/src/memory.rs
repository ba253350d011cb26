//! Objects in one flat array of bytes.
//!
//! The addresses that a program sees (`norn_ir::address`) do not depend on the interleaving (but for the numbers of
//! threads that several threads create). The flat array is a stack: undoing a step takes its objects away again.
//!
//! A pointer knows its object, in registers, in buffers and, by a table that an object gets with the first pointer that
//! is stored in it, in memory. A local whose scope begins again has the memory that it had, but it is a new object to
//! every pointer that is left over from the old one: its lives are counted, and a pointer belongs to one of them. Memory of the
//! heap that is given out again has one life: pointers that are left over reach the new object.

use crate::compile::scalar;
use crate::op::{NONE, Scalar};
use norn_ir::address::{GAP, LARGEST_ARENA, LARGEST_OBJECT, MOST_OBJECTS, function_address};
use norn_ir::ids::GlobalId;
use norn_ir::number::{low_32, narrow, to_usize};
use norn_ir::program::{InitValue, Program, Storage};
use norn_ir::span::Span;
use norn_ir::types::{Target, Ty};
pub use norn_passes::points_to::Object as Declared;
use std::collections::BTreeMap;

/// What a register holds: bits cut to its width and, for a pointer, its object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    pub bits: u64,
    pub object: u32,
    /// Which life of the object; 0 if there is none.
    pub life: u32,
}

impl Default for Value {
    fn default() -> Value {
        Value::int(0)
    }
}

impl Value {
    pub fn int(bits: u64) -> Value {
        Value { bits, object: NONE, life: 0 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Global,
    Constant,
    Thread,
    Local,
    Heap,
    Stack,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Object {
    pub base: u64,
    pub size: u32,
    /// Its first byte in the flat array.
    pub start: u32,
    pub kind: Kind,
    /// Accesses to it are visible steps.
    pub shared: bool,
    pub alive: bool,
    /// The number of its current or last life.
    pub life: u32,
    /// All bytes of the object are initialised, so that nobody has to look at [`Memory::initialised`].
    pub zeroed: bool,
    /// Where the objects of its pointers are listed, one word per byte, or `NONE`.
    pub provenance: u32,
    /// Where it was allocated.
    pub span: Span,
    /// What declares or allocates it.
    pub declared: Declared,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Arena {
    /// By base address.
    pub objects: Vec<u32>,
    pub next: u64,
    end: u64,
    /// Local objects by call depth, function and local, in the order of creation within `objects`.
    pub slots: BTreeMap<(u32, u32, u32), u32>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Memory {
    pub bytes: Vec<u8>,
    /// 0 or 1 per byte.
    pub initialised: Vec<u8>,
    pub objects: Vec<Object>,
    pub arenas: Vec<Arena>,
    /// The object that a pointer which is stored there points to, see [`Memory::mark_of`]; 0 for no pointer, [`OPEN`]
    /// for a byte of a number that was left open.
    pub provenance: Vec<u64>,
    target: Target,
}

const MOST_BYTES: u64 = 1 << 31;
/// The mark of a byte that was written, but with something indeterminate.
pub const OPEN: u64 = u64::MAX;

/// What is needed to make an object.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub size: u64,
    pub align: u64,
    pub kind: Kind,
    pub private: bool,
    pub zeroed: bool,
    pub span: Span,
    pub declared: Declared,
}

impl Memory {
    pub fn new(target: Target) -> Memory {
        Memory {
            bytes: Vec::new(),
            initialised: Vec::new(),
            objects: Vec::new(),
            arenas: Vec::new(),
            provenance: Vec::new(),
            target,
        }
    }

    pub fn target(&self) -> Target {
        self.target
    }

    pub fn add_arena(&mut self) -> Result<(), String> {
        let limit = self.target.most_arenas();
        let number = self.arenas.len() as u64;
        if number >= limit {
            return Err(format!("there are more than {limit} threads"));
        }
        let base = self.target.arena_base(number);
        let end = base + LARGEST_ARENA.min(1 << self.target.arena_bits());
        self.arenas.push(Arena { objects: Vec::new(), next: base, end, slots: BTreeMap::new() });
        Ok(())
    }

    /// A new object at the end of an arena. The arena's old end is what undoing needs.
    pub fn add(&mut self, arena: u32, plan: Plan) -> Result<(u32, u64), String> {
        let Plan { size, align, kind, private, zeroed, span, declared } = plan;
        if size > LARGEST_OBJECT {
            return Err(format!("an object of {size} bytes is larger than {LARGEST_OBJECT} bytes"));
        }
        let arena = &mut self.arenas[arena as usize];
        if arena.objects.len() >= MOST_OBJECTS {
            return Err(format!("a thread has more than {MOST_OBJECTS} objects"));
        }
        let base = arena.next.checked_next_multiple_of(align.max(1));
        let next = base.and_then(|base| base.checked_add(size + GAP)).filter(|&next| next < arena.end);
        let full = || "the objects of a thread need too much memory".to_owned();
        let (Some(base), Some(next)) = (base, next) else { return Err(full()) };
        let start = self.bytes.len();
        if start as u64 + size > MOST_BYTES {
            return Err(full());
        }
        let old = std::mem::replace(&mut arena.next, next);
        let object = narrow(self.objects.len());
        arena.objects.push(object);
        self.bytes.resize(start + to_usize(size), 0);
        self.initialised.resize(start + to_usize(size), u8::from(zeroed));
        self.objects.push(Object {
            base,
            size: narrow(size),
            start: narrow(start),
            kind,
            shared: !private && kind != Kind::Constant,
            alive: true,
            life: 0,
            zeroed,
            provenance: NONE,
            span,
            declared,
        });
        Ok((object, old))
    }

    /// The last object that was added goes away.
    pub(crate) fn take_back(&mut self, arena: u32, next: u64) {
        let arena = &mut self.arenas[arena as usize];
        arena.next = next;
        arena.objects.pop();
        let Some(object) = self.objects.pop() else { return };
        self.bytes.truncate(object.start as usize);
        self.initialised.truncate(object.start as usize);
        if object.kind == Kind::Local {
            let gone = narrow(self.objects.len());
            arena.slots.retain(|_, &mut slot| slot != gone);
        }
    }

    /// The objects of a storage class with their initial values, in a new arena.
    pub fn add_globals(&mut self, program: &Program, thread: bool) -> Result<(), String> {
        self.add_arena()?;
        let arena = narrow(self.arenas.len() - 1);
        let all = || (0..program.globals.len()).map(GlobalId::new).map(|id| (id, program.global(id)));
        let wanted = || all().filter(|(_, global)| (global.storage == Storage::Thread) == thread);
        for (id, global) in wanted() {
            let ty = program.ty(global.ty);
            let kind = match global.storage {
                Storage::Static => Kind::Global,
                Storage::Thread => Kind::Thread,
                Storage::Constant => Kind::Constant,
            };
            let plan = Plan {
                size: ty.size,
                align: ty.align,
                kind,
                private: global.private,
                zeroed: true,
                span: global.span,
                declared: Declared::Global(id),
            };
            self.add(arena, plan)?;
        }
        // Initial values may be addresses, so all objects come first. Nothing has been logged yet that an undo could
        // meet: a thread's objects are taken away whole.
        for (number, (_, global)) in wanted().enumerate() {
            let object = self.arenas[arena as usize].objects[number];
            for init in &global.init {
                let start = self.objects[object as usize].start as usize + to_usize(init.offset);
                let (ty, value) = match &init.value {
                    InitValue::Const(constant) => (constant.ty, Value::int(constant.bits)),
                    InitValue::Func(f) => (Ty::Ptr, Value::int(function_address(*f))),
                    InitValue::Global(other, offset) => {
                        let is_thread = program.global(*other).storage == Storage::Thread;
                        let same = |g: &&norn_ir::program::Global| (g.storage == Storage::Thread) == is_thread;
                        let number = program.globals[..other.index()].iter().filter(same).count();
                        let object = self.arenas[if is_thread { arena as usize } else { 0 }].objects[number];
                        (Ty::Ptr, self.pointer(object, *offset))
                    }
                    InitValue::Bytes(bytes) => {
                        self.bytes[start..start + bytes.len()].copy_from_slice(bytes);
                        continue;
                    }
                };
                let size = usize::from(scalar(ty, self.target).size);
                self.bytes[start..start + size].copy_from_slice(&value.bits.to_le_bytes()[..size]);
                if value.object != NONE {
                    self.provenance_of(object);
                    let index = self.objects[object as usize].provenance as usize + to_usize(init.offset);
                    self.provenance[index] = Memory::mark_of(value);
                }
            }
        }
        Ok(())
    }

    /// Makes a table for the pointers in an object, unless it has one. Returns whether the table is new.
    pub fn provenance_of(&mut self, object: u32) -> bool {
        let object = &mut self.objects[object as usize];
        if object.provenance != NONE {
            return false;
        }
        object.provenance = narrow(self.provenance.len());
        self.provenance.resize(self.provenance.len() + object.size as usize, 0);
        true
    }

    /// An object and its life in the table of a pointer.
    pub fn mark_of(pointer: Value) -> u64 {
        u64::from(pointer.life) << 32 | u64::from(pointer.object + 1)
    }

    /// The pointer with these bits and this mark.
    pub fn marked(bits: u64, mark: u64) -> Value {
        Value { bits, object: low_32(mark) - 1, life: (mark >> 32) as u32 }
    }

    /// Whether the life of the object that the pointer points into goes on.
    pub fn is_alive(&self, object: u32, life: u32) -> bool {
        let object = &self.objects[object as usize];
        object.alive && object.life == life
    }

    /// Whether a pointer to an object was stored exactly here.
    pub fn is_pointer(&self, object: u32, at: u32) -> bool {
        let info = &self.objects[object as usize];
        info.provenance != NONE && !matches!(self.provenance[(info.provenance + (at - info.start)) as usize], 0 | OPEN)
    }

    /// Whether one of the bytes was left open when it was written.
    pub fn is_open(&self, object: u32, at: u32, size: u8) -> bool {
        let info = &self.objects[object as usize];
        let first = info.provenance.wrapping_add(at - info.start) as usize;
        info.provenance != NONE && self.provenance[first..first + usize::from(size)].contains(&OPEN)
    }

    pub fn pointer(&self, object: u32, offset: i64) -> Value {
        let address = self.objects[object as usize].base.wrapping_add_signed(offset);
        let life = self.objects[object as usize].life;
        Value { bits: Ty::Ptr.truncate(address, self.target), object, life }
    }

    /// The object that a byte of the flat memory belongs to.
    pub fn object_at(&self, at: u32) -> u32 {
        narrow(self.objects.partition_point(|object| object.start <= at).saturating_sub(1))
    }

    /// The number of the arena that an address would lie in.
    pub fn arena_of(&self, address: u64) -> Option<u32> {
        let arena = (address >> self.target.arena_bits()).checked_sub(1)?;
        (to_usize(arena) < self.arenas.len()).then(|| narrow(arena))
    }

    /// A number taken as an address: of the object that contains it or ends just before it.
    pub fn pointer_from(&self, address: u64) -> Value {
        let found = (address >> self.target.arena_bits()).checked_sub(1).and_then(|arena| {
            let arena = self.arenas.get(usize::try_from(arena).ok()?)?;
            let after = arena.objects.partition_point(|&o| self.objects[o as usize].base <= address);
            let object = *arena.objects.get(after.checked_sub(1)?)?;
            let Object { base, size, .. } = self.objects[object as usize];
            (address - base <= u64::from(size)).then_some(object)
        });
        let life = found.map_or(0, |object| self.objects[object as usize].life);
        Value { bits: address, object: found.unwrap_or(NONE), life }
    }

    pub fn bits(&self, at: u32, size: u8) -> u64 {
        let at = at as usize;
        match size {
            4 => u64::from(u32::from_le_bytes([
                self.bytes[at],
                self.bytes[at + 1],
                self.bytes[at + 2],
                self.bytes[at + 3],
            ])),
            _ => {
                let mut buffer = [0; 8];
                let size = usize::from(size);
                buffer[..size].copy_from_slice(&self.bytes[at..at + size]);
                u64::from_le_bytes(buffer)
            }
        }
    }

    /// The bits of those bytes that are initialised; for objects that are not initialised as a whole.
    pub fn known_bits(&self, at: u32, size: u8) -> u64 {
        let flags = &self.initialised[at as usize..at as usize + usize::from(size)];
        flags.iter().rev().fold(0, |known, &flag| known << 8 | if flag == 0 { 0 } else { 0xff })
    }

    /// The freed objects of the heap that have this size and alignment, by address.
    pub fn freed(&self, size: u64, align: u64) -> Vec<u32> {
        let is_freed = |&object: &u32| {
            let object = &self.objects[object as usize];
            let fits = u64::from(object.size) == size && object.base.is_multiple_of(align);
            object.kind == Kind::Heap && !object.alive && fits
        };
        self.arenas.iter().flat_map(|arena| &arena.objects).copied().filter(is_freed).collect()
    }

    /// The value at a place, which should be inside the object. `None` if a byte of it is not initialised.
    pub fn read(&self, object: u32, at: u32, ty: Scalar) -> Option<Value> {
        let info = &self.objects[object as usize];
        let end = at as usize + usize::from(ty.size);
        if !info.zeroed && self.initialised[at as usize..end].contains(&0) {
            return None;
        }
        let bits = self.bits(at, ty.size);
        if !ty.is_pointer() {
            return Some(Value::int(bits));
        }
        if info.provenance != NONE {
            let known = self.provenance[(info.provenance + (at - info.start)) as usize];
            if known != 0 && known != OPEN {
                return Some(Memory::marked(bits, known));
            }
        }
        Some(self.pointer_from(bits))
    }
}
