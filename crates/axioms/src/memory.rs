//! The bytes of objects that one thread has for itself, of constants, and of objects at the beginning.

use std::collections::BTreeMap;

use norn_ir::address::{GAP, LARGEST_OBJECT, function_address};
use norn_ir::ids::GlobalId;
use norn_ir::number::to_usize;
use norn_ir::program::{InitValue, Program, Storage};
use norn_ir::types::{Target, Ty};

use crate::value::{ObjectId, ObjectInfo, ObjectKind, Taint, Value};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Byte {
    Indeterminate,
    /// It will be known once some read is.
    Unknown,
    Known(u8),
}

/// The content of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content {
    bytes: Vec<Byte>,
    taints: Vec<Taint>,
    /// Offsets of whole pointers.
    pointers: BTreeMap<u64, ObjectId>,
    /// How often it was written to.
    writes: u64,
}

/// A byte that is read was never written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Indeterminate;

impl Content {
    pub fn new(info: &ObjectInfo) -> Content {
        let size = to_usize(info.size);
        let byte = if info.zeroed { Byte::Known(0) } else { Byte::Indeterminate };
        Content { bytes: vec![byte; size], taints: vec![0; size], pointers: BTreeMap::new(), writes: 0 }
    }

    /// The place should be inside.
    pub fn read(&self, offset: u64, ty: Ty, target: Target) -> Result<Value, Indeterminate> {
        let range = to_usize(offset)..to_usize(offset + ty.size(target));
        let mut bits = Some(0_u64);
        for (shift, byte) in self.bytes[range.clone()].iter().enumerate() {
            match byte {
                Byte::Indeterminate => return Err(Indeterminate),
                Byte::Unknown => bits = None,
                Byte::Known(byte) => bits = bits.map(|bits| bits | u64::from(*byte) << (8 * shift)),
            }
        }
        let taint = self.taints[range].iter().fold(0, |all, taint| all | taint);
        let object = if ty == Ty::Ptr { self.pointers.get(&offset).copied() } else { None };
        Ok(Value { bits, object, taint })
    }

    pub fn write(&mut self, offset: u64, ty: Ty, value: Value, target: Target) {
        let size = ty.size(target);
        self.writes += 1;
        for index in 0..size {
            let at = to_usize(offset + index);
            self.bytes[at] = match value.bits {
                Some(bits) => Byte::Known(bits.to_le_bytes()[to_usize(index)]),
                None => Byte::Unknown,
            };
            self.taints[at] = value.taint;
        }
        let pointer = target.pointer_size();
        self.pointers.retain(|&at, _| at + pointer <= offset || at >= offset + size);
        if let (Ty::Ptr, Some(object)) = (ty, value.object) {
            self.pointers.insert(offset, object);
        }
    }

    /// Whether a later state of the content is the same, whatever it depends on. What is not known is so if nobody has written.
    pub fn is_like(&self, later: &Content) -> bool {
        let is_known = || !self.bytes.contains(&Byte::Unknown);
        self.bytes == later.bytes && self.pointers == later.pointers && (self.writes == later.writes || is_known())
    }
}

/// A row of objects, each at the next place that fits.
#[derive(Clone, Debug)]
pub struct Arena {
    pub objects: Vec<ObjectInfo>,
    next: u64,
}

/// There is no room for an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

impl Arena {
    pub fn new(owner: u32, target: Target) -> Arena {
        Arena { objects: Vec::new(), next: target.arena_base(u64::from(owner)) }
    }

    pub fn add(&mut self, info: ObjectInfo, align: u64) -> Result<u32, Full> {
        const MOST: usize = 10_000;
        if info.size > LARGEST_OBJECT || self.objects.len() >= MOST {
            return Err(Full);
        }
        let base = self.next.checked_next_multiple_of(align.max(1)).ok_or(Full)?;
        self.next = base + info.size + GAP;
        self.objects.push(ObjectInfo { base, ..info });
        u32::try_from(self.objects.len() - 1).map_err(|_| Full)
    }
}

/// The object of a row that an address is in, or just behind.
pub fn find(objects: &[ObjectInfo], address: u64) -> Option<u32> {
    let after = objects.partition_point(|object| object.base <= address);
    let index = after.checked_sub(1)?;
    (address - objects[index].base <= objects[index].size).then(|| u32::try_from(index).ok()).flatten()
}

/// What all threads start from: the program and its objects.
pub struct Base<'p> {
    pub program: &'p Program,
    /// By the number of the global; thread-local ones have an instance here that nobody uses.
    pub objects: Vec<ObjectInfo>,
    contents: Vec<Content>,
}

impl<'p> Base<'p> {
    pub fn new(program: &'p Program) -> Result<Base<'p>, Full> {
        let mut arena = Arena::new(0, program.target);
        for (index, global) in program.globals.iter().enumerate() {
            let ty = program.ty(global.ty);
            let info = ObjectInfo {
                kind: ObjectKind::Global(GlobalId::new(index)),
                base: 0,
                size: ty.size,
                private: global.private,
                constant: global.storage == Storage::Constant,
                zeroed: true,
                ty: Some(global.ty),
                span: global.span,
            };
            arena.add(info, ty.align)?;
        }
        let mut base = Base { program, objects: arena.objects, contents: Vec::new() };
        for index in 0..program.globals.len() {
            let content = base.initial(GlobalId::new(index), &|global| ObjectId { owner: 0, index: global.0 });
            base.contents.push(content);
        }
        Ok(base)
    }

    /// The content that a global object has at first.
    pub fn content(&self, global: GlobalId) -> &Content {
        &self.contents[global.index()]
    }

    /// The initial content of an object; `instance` names the objects that it points to.
    pub fn initial(&self, global: GlobalId, instance: &dyn Fn(GlobalId) -> ObjectId) -> Content {
        let (program, target) = (self.program, self.program.target);
        let mut content = Content::new(&self.objects[global.index()]);
        for init in &program.global(global).init {
            match &init.value {
                InitValue::Const(constant) => {
                    content.write(init.offset, constant.ty, Value::int(constant.bits), target);
                }
                InitValue::Func(function) => {
                    content.write(init.offset, Ty::Ptr, Value::int(function_address(*function)), target);
                }
                InitValue::Global(other, offset) => {
                    let address = self.objects[other.index()].base.wrapping_add_signed(*offset);
                    let bits = Some(Ty::Ptr.truncate(address, target));
                    let value = Value { bits, object: Some(instance(*other)), taint: 0 };
                    content.write(init.offset, Ty::Ptr, value, target);
                }
                InitValue::Bytes(bytes) => {
                    for (at, &byte) in (init.offset..).zip(bytes) {
                        content.write(at, Ty::I8, Value::int(u64::from(byte)), target);
                    }
                }
            }
        }
        content
    }
}
