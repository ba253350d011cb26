//! The parts of a state as bytes. Two states whose parts have the same bytes go on in the same ways.
//!
//! Numbers of steps and of inputs are left out: they only name things. Epochs are numbered anew from 0. With renaming, a
//! pointer to a local object says whose local of which call it is, and a pointer to an allocated object says only its
//! offset; the object itself goes to a list of references, which [`crate::vector`] turns into names in order of first
//! reach. Without renaming, objects are known by their addresses, and all of them count, whether or not something
//! points to them.

use crate::live::Live;
use norn_exec::memory::{Kind, Memory, OPEN, Object, Value};
use norn_exec::op::{Code, NONE, UNKNOWN};
use norn_exec::state::{Entry, Thread};
use norn_exec::{Executor, Status, ThreadIdentity};
use norn_ir::number::{low_8, narrow, narrow_to};
use norn_verdict::model::Model;

/// What is encoded, and how.
pub struct Encoder<'c> {
    live: Live<'c>,
    code: &'c Code,
    /// Dead registers are left out.
    pub live_only: bool,
    /// Local and allocated objects are renamed.
    pub rename: bool,
    /// Store-store fences matter.
    epochs: bool,
    /// Contents are copied here while pointers are taken out of them.
    scratch: Vec<u8>,
}

/// Bytes, and the allocated objects that they refer to in this order.
#[derive(Default)]
pub struct Part {
    pub bytes: Vec<u8>,
    pub references: Vec<u32>,
}

impl Part {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.references.clear();
    }

    /// In groups of 7 bits.
    pub fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.bytes.push(low_8(n) | 0x80);
            n >>= 7;
        }
        self.bytes.push(low_8(n));
    }
}

mod tag {
    pub const NUMBER: u8 = 0;
    pub const UNKNOWN: u8 = 1;
    pub const FIXED: u8 = 2;
    pub const LOCAL: u8 = 3;
    pub const ALLOCATED: u8 = 4;
    pub const ADDRESS: u8 = 5;
    /// Of a local whose place is another's now.
    pub const OLD_LOCAL: u8 = 6;
    pub const ADDRESS_OF_OLD: u8 = 7;
    /// Of a byte that was left open when it was written.
    pub const OPEN: u8 = 8;
}

impl<'c> Encoder<'c> {
    pub fn new(code: &'c Code, model: Model, live_only: bool, rename: bool) -> Encoder<'c> {
        let epochs = model == Model::Pso || !live_only;
        Encoder { live: Live::new(code), code, live_only, rename, epochs, scratch: Vec::new() }
    }

    /// Where a thread is: its status, frames and registers.
    pub fn control(&mut self, executor: &Executor<'_>, thread: ThreadIdentity, out: &mut Part) {
        let owner = executor.thread(thread);
        let memory = executor.memory();
        match owner.status {
            Status::Absent => out.bytes.push(0),
            Status::Fresh => out.bytes.push(1),
            Status::Ready => out.bytes.push(2),
            Status::WaitsForBuffer => out.bytes.push(3),
            Status::WaitsForThread(other) => {
                out.bytes.push(4);
                out.number(u64::from(executor.thread(other).number.0));
            }
            Status::Stopped => return out.bytes.push(5),
            Status::Circling => return out.bytes.push(7),
            Status::Ended => {
                out.bytes.push(6);
                self.value(memory, owner.result, out);
            }
        }
        if !self.live_only {
            out.number(u64::from(owner.counts.children));
        }
        if owner.status == Status::Ended {
            return;
        }
        out.number(owner.frames.len() as u64);
        for (depth, frame) in owner.frames.iter().enumerate() {
            let inner = owner.frames.get(depth + 1);
            let pc = inner.map_or(owner.pc, |inner| inner.call);
            out.number(u64::from(frame.function));
            out.number(u64::from(pc));
            let registers = &owner.registers[frame.base as usize..];
            if self.live_only {
                let live = match inner {
                    None => self.live.before(frame.function, pc),
                    Some(_) => self.live.during(frame.function, pc),
                };
                for &register in live {
                    value(memory, self.rename, registers[register as usize], out);
                }
            } else {
                let count = self.code.functions[frame.function as usize].register_types.len();
                for &content in &registers[..count] {
                    self.value(memory, content, out);
                }
            }
            let loops = self.code.functions[frame.function as usize].loops;
            for number in 0..loops {
                out.number(u64::from(owner.repeats[(frame.repeats + number) as usize]));
            }
        }
        for &object in &owner.locals {
            out.bytes.push(u8::from(object != NONE));
        }
        for &(depth, object) in &owner.allocations {
            out.number(u64::from(depth) + 1);
            self.value(memory, memory.pointer(object, 0), out);
        }
    }

    /// The stores that have not reached memory.
    pub fn buffer(&self, memory: &Memory, owner: &Thread, out: &mut Part) {
        if !owner.withheld.is_empty() {
            self.withheld(memory, owner, out);
        }
        let mut rank = 0;
        let mut before: Option<&Entry> = None;
        for entry in &owner.buffer {
            if self.epochs {
                // Epochs never fall along a buffer.
                rank += u64::from(before.is_some_and(|before| before.epoch < entry.epoch));
                out.number(rank);
            }
            out.bytes.push(u8::from(entry.moot));
            before = Some(entry);
            if entry.moot {
                continue;
            }
            let start = memory.objects[entry.object as usize].start;
            let place = memory.pointer(entry.object, i64::from(entry.at - start));
            self.value(memory, Value { life: entry.life, ..place }, out);
            out.bytes.push(entry.ty.ty as u8);
            self.value(memory, entry.value, out);
        }
        if self.epochs
            && let Some(last) = before
        {
            out.bytes.push(u8::from(last.epoch < owner.counts.epoch));
        }
    }

    /// What the thread has freed and others do not get yet, with the number of stores that they wait for.
    fn withheld(&self, memory: &Memory, owner: &Thread, out: &mut Part) {
        // No buffer begins like this.
        out.bytes.push(2);
        let older = |freed| owner.buffer.iter().filter(|entry| entry.step < freed).count() as u64;
        let mut withheld: Vec<(u64, u64, u32)> = owner
            .withheld
            .iter()
            .map(|&(object, freed)| (older(freed), memory.objects[object as usize].base, object))
            .collect();
        withheld.sort_unstable();
        out.number(withheld.len() as u64);
        for (older, _, object) in withheld {
            out.number(older);
            self.value(memory, memory.pointer(object, 0), out);
        }
    }

    /// The objects of a thread's own: all, or, with renaming, those that are not allocated and alive.
    pub fn own_objects(&mut self, memory: &Memory, owner: &Thread, out: &mut Part) {
        let arena = &memory.arenas[owner.number.index() + 1];
        if !self.rename {
            for &object in &arena.objects {
                let info = &memory.objects[object as usize];
                let kind = match info.kind {
                    Kind::Constant => continue,
                    Kind::Global => 0,
                    Kind::Thread => 1,
                    Kind::Local => 2,
                    Kind::Heap => 3,
                    Kind::Stack => 4,
                };
                out.bytes.push(kind);
                out.number(info.base);
                out.number(u64::from(info.size));
                let whole = is_whole(memory, info);
                out.bytes.push(u8::from(whole) << 2 | u8::from(info.shared) << 1 | u8::from(info.alive));
                if info.alive {
                    self.object(memory, object, out);
                }
            }
            return;
        }
        let fixed = arena.objects.iter().take_while(|&&object| memory.objects[object as usize].kind == Kind::Thread);
        for &object in fixed {
            let alive = memory.objects[object as usize].alive;
            out.bytes.push(u8::from(alive));
            if alive {
                self.object(memory, object, out);
            }
        }
        for &object in owner.locals.iter().filter(|&&object| object != NONE) {
            let alive = memory.objects[object as usize].alive;
            out.bytes.push(u8::from(alive));
            if alive {
                self.object(memory, object, out);
            }
        }
    }

    /// An allocated object that something points to.
    pub fn allocated(&mut self, memory: &Memory, object: u32, out: &mut Part) {
        let info = &memory.objects[object as usize];
        let flags = [info.kind == Kind::Heap, is_whole(memory, info), info.shared, info.alive];
        out.bytes.push(flags.iter().fold(0, |byte, &flag| byte << 1 | u8::from(flag)));
        out.number(u64::from(info.size));
        if info.alive {
            self.object(memory, object, out);
        }
    }

    fn object(&mut self, memory: &Memory, object: u32, out: &mut Part) {
        let size = memory.objects[object as usize].size;
        self.content(memory, object, (0, size), out);
    }

    /// The bytes of an object from one offset to another.
    pub fn content(&mut self, memory: &Memory, object: u32, (from, to): (u32, u32), out: &mut Part) {
        let info = &memory.objects[object as usize];
        let range = (info.start + from) as usize..(info.start + to) as usize;
        let mut bytes = std::mem::take(&mut self.scratch);
        bytes.clear();
        bytes.extend_from_slice(&memory.bytes[range.clone()]);
        if !is_whole(memory, info) {
            let initialised = &memory.initialised[range];
            bytes.iter_mut().zip(initialised).for_each(|(byte, &flag)| *byte *= flag);
            let pack = |chunk: &[u8]| chunk.iter().rev().fold(0, |byte, &flag| byte << 1 | flag);
            out.bytes.extend(initialised.chunks(8).map(pack));
        }
        let start = out.bytes.len();
        let mut pointers = 0u64;
        if info.provenance != NONE {
            let pointer_size = narrow(memory.target().pointer_size());
            out.bytes.push(0);
            // A pointer that begins before the range may reach into it.
            for offset in from.saturating_sub(pointer_size - 1)..to {
                match memory.provenance[(info.provenance + offset) as usize] {
                    0 => continue,
                    OPEN => {
                        if offset >= from {
                            pointers += 1;
                            bytes[(offset - from) as usize] = 0;
                            out.number(u64::from(offset - from) + 1);
                            out.bytes.push(tag::OPEN);
                        }
                        continue;
                    }
                    _ => {}
                }
                for at in offset.max(from)..(offset + pointer_size).min(to) {
                    bytes[(at - from) as usize] = 0;
                }
                if offset >= from {
                    pointers += 1;
                    out.number(u64::from(offset - from) + 1);
                    self.value(memory, self.pointer_at(memory, info, offset), out);
                }
            }
        }
        if pointers == 0 {
            // Whether there was a pointer once does not matter.
            out.bytes.truncate(start);
            out.bytes.push(0);
        } else {
            out.bytes[start] = 1;
            out.number(0);
        }
        out.bytes.extend_from_slice(&bytes);
        self.scratch = bytes;
    }

    fn pointer_at(&self, memory: &Memory, info: &Object, offset: u32) -> Value {
        let size = narrow_to(memory.target().pointer_size());
        let known = memory.provenance[(info.provenance + offset) as usize];
        Memory::marked(memory.bits(info.start + offset, size), known)
    }

    /// A pointer to an object that is not allocated, or where nothing is renamed to any.
    pub fn pointer(&self, memory: &Memory, pointer: Value, out: &mut Part) {
        self.value(memory, pointer, out);
    }

    fn value(&self, memory: &Memory, content: Value, out: &mut Part) {
        value(memory, self.rename, content, out);
    }
}

/// Whether nothing of the object is known to be indeterminate. The same memory of the heap may be cleared in one life and not in
/// another.
fn is_whole(memory: &Memory, info: &Object) -> bool {
    let initialised = || &memory.initialised[info.start as usize..(info.start + info.size) as usize];
    match info.kind {
        Kind::Heap => info.alive && (info.zeroed || !initialised().contains(&0)),
        _ => info.zeroed,
    }
}

fn value(memory: &Memory, rename: bool, Value { bits, object, life }: Value, out: &mut Part) {
    let Some(info) = memory.objects.get(object as usize) else {
        out.bytes.push(if object == UNKNOWN { tag::UNKNOWN } else { tag::NUMBER });
        return out.number(bits);
    };
    let offset = bits.wrapping_sub(info.base);
    // A life that is over for good is not told from others.
    let replaced = life != info.life;
    match info.kind {
        _ if !rename => {
            out.bytes.push(if replaced { tag::ADDRESS_OF_OLD } else { tag::ADDRESS });
            out.number(bits);
            return out.number(info.base);
        }
        Kind::Global | Kind::Constant | Kind::Thread => {
            out.bytes.push(tag::FIXED);
            out.number(info.base);
        }
        Kind::Local => {
            out.bytes.push(if replaced { tag::OLD_LOCAL } else { tag::LOCAL });
            let arena = memory.arena_of(info.base).unwrap_or_default();
            out.number(u64::from(arena));
            let slots = &memory.arenas[arena as usize].slots;
            let name = slots.iter().find(|&(_, &slot)| slot == object).map(|(&name, _)| name);
            let (depth, function, local) = match name {
                Some((depth, function, local)) => (depth, function, u64::from(local)),
                None => (NONE, NONE, info.base),
            };
            out.number(u64::from(depth));
            out.number(u64::from(function));
            out.number(local);
        }
        Kind::Heap | Kind::Stack => {
            out.bytes.push(tag::ALLOCATED);
            out.references.push(object);
        }
    }
    // Small offsets to either side are short.
    out.number((offset as i64).wrapping_shl(1) as u64 ^ ((offset as i64) >> 63) as u64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_form() {
        let encode = |n: u64| {
            let mut part = Part::default();
            part.number(n);
            part.bytes
        };
        assert_eq!(encode(0), [0]);
        assert_eq!(encode(0x7f), [0x7f]);
        assert_eq!(encode(0x80), [0x80, 1]);
        assert_eq!(encode(u64::MAX).len(), 10);
    }
}
