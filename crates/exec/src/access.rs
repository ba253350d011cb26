//! Loads, stores and read-modify-writes. Each access is checked when it is executed.

use crate::arith;
use crate::effect::Effect;
use crate::executor::{Done, Executor, Mode, Stop};
use crate::memory::{Kind, Memory, OPEN, Value};
use crate::models::{self, Source};
use crate::op::{NONE, Scalar, Src, UNKNOWN};
use crate::run::Flow;
use crate::state::{Entry, ThreadIdentity};
use crate::undo::Undo;
use norn_ir::address::NULL_PAGE;
use norn_ir::instr::{NondetSource, Order, RmwOp};
use norn_ir::number::narrow;
use norn_ir::types::Ty;
use norn_verdict::outcome::ViolationKind;
use norn_verdict::schedule::StepNumber;

/// A place that may be accessed.
#[derive(Clone, Copy)]
struct Spot {
    object: u32,
    at: u32,
    shared: bool,
}

impl Executor<'_> {
    pub(crate) fn load(&mut self, thread: ThreadIdentity, dst: u32, ty: Scalar, order: Order, addr: Src) -> Done<Flow> {
        let pointer = self.passed(thread, addr);
        if self.is_visible(pointer) {
            return Ok(Flow::Visible);
        }
        let spot = self.spot(thread, pointer, ty, false)?;
        let Spot { object, at, shared } = spot;
        let source = match shared {
            true => models::source(&self.threads[thread.index()].buffer, at, ty.size),
            false => Source::Memory,
        };
        if shared && source != Source::Waits {
            // Who reorders steps has to know of the access that races.
            let own = StepNumber::NONE;
            self.race_load(thread, (at, ty.size), order, source == Source::Memory).inspect_err(|_| {
                self.effects.push(Effect::Read { thread, object, at, size: ty.size, own });
            })?;
        }
        let (value, own) = match source {
            Source::Waits => return Err(Stop::NotEnabled),
            Source::Memory => (self.read(thread, spot, ty, dst)?, StepNumber::NONE),
            Source::Buffer(index) => {
                let entry = self.threads[thread.index()].buffer[index];
                (self.part(thread, &entry, at, ty, dst)?, entry.step)
            }
        };
        if shared {
            self.effects.push(Effect::Read { thread, object, at, size: ty.size, own });
        }
        self.set(thread, dst, value);
        Ok(Flow::Next)
    }

    /// The bytes of a buffered store that a load which it covers reads.
    fn part(&self, thread: ThreadIdentity, entry: &Entry, at: u32, ty: Scalar, dst: u32) -> Done<Value> {
        if entry.ty.ty == ty.ty {
            return Ok(entry.value);
        }
        self.observe(entry.value);
        self.used_unknown.set(self.used_unknown.get() || entry.value.object == UNKNOWN);
        let bits = ty.cut(entry.value.bits >> ((at - entry.at) * 8));
        self.made_of(thread, bits, ty, dst)
    }

    pub(crate) fn store(
        &mut self,
        thread: ThreadIdentity,
        ty: Scalar,
        order: Order,
        addr: Src,
        value: Src,
    ) -> Done<Flow> {
        let pointer = self.passed(thread, addr);
        if self.is_visible(pointer) {
            return Ok(Flow::Visible);
        }
        let value = self.passed(thread, value);
        let Spot { object, at, shared } = self.spot(thread, pointer, ty, true)?;
        let life = pointer.life;
        if !shared {
            self.write_memory(object, at, ty, value);
            return Ok(Flow::Next);
        }
        let in_section = matches!(self.mode, Mode::Section(_));
        let direct = in_section || order == Order::SeqCst || !models::has_buffers(self.model);
        if direct {
            self.needs_empty_buffer(thread)?;
        }
        let buffered = (!direct).then(|| self.threads[thread.index()].counts.steps);
        self.race_store(thread, (at, ty.size), order, buffered)?;
        if direct {
            if order == Order::SeqCst {
                self.effects.push(Effect::Drained { thread });
            }
            self.effects.push(Effect::Write { thread, object, at, size: ty.size });
            self.write_memory(object, at, ty, value);
            return Ok(Flow::Next);
        }
        if order == Order::Release {
            self.raise_epoch(thread);
        }
        let place = self.place(thread);
        let owner = &mut self.threads[thread.index()];
        let (epoch, step) = (owner.counts.epoch, owner.counts.steps);
        owner.buffer.push(Entry { object, life, at, size: ty.size, ty, value, epoch, step, place, moot: false });
        self.log.changes.push(Undo::BufferPushed { thread });
        self.effects.push(Effect::Store { thread, object, at, size: ty.size, step, epoch });
        Ok(Flow::Next)
    }

    pub(crate) fn modify(
        &mut self,
        thread: ThreadIdentity,
        dst: u32,
        (op, order): (RmwOp, Order),
        ty: Scalar,
        (addr, operand): (Src, Src),
    ) -> Done<Flow> {
        let pointer = self.passed(thread, addr);
        if self.is_visible(pointer) {
            return Ok(Flow::Visible);
        }
        let operand = self.value(thread, operand);
        let spot = self.spot(thread, pointer, ty, true)?;
        let old = self.read_for_update(thread, spot, ty, dst)?;
        if spot.shared {
            self.race_update(thread, (spot.at, ty.size), order, true)?;
        }
        self.observe_update(op, ty, old, operand);
        let bits = arith::modify(op, ty, old.bits, operand.bits);
        let new = match (ty.is_pointer(), op) {
            (true, RmwOp::Exchange) => operand,
            (true, _) if old.object == NONE => Value { bits, ..operand },
            (true, _) => Value { bits, ..old },
            (false, _) => Value::int(bits),
        };
        self.update(thread, spot, ty, new);
        self.set(thread, dst, old);
        Ok(Flow::Next)
    }

    pub(crate) fn compare_exchange(
        &mut self,
        thread: ThreadIdentity,
        dst: u32,
        ty: Scalar,
        (addr, expected): (Src, Src),
        more: u32,
    ) -> Done<Flow> {
        let pointer = self.passed(thread, addr);
        if self.is_visible(pointer) {
            return Ok(Flow::Visible);
        }
        let (success, desired, order, failure) = self.code.exchanges[more as usize];
        let (expected, desired) = (self.value(thread, expected), self.value(thread, desired));
        let spot = self.spot(thread, pointer, ty, true)?;
        let old = self.read_for_update(thread, spot, ty, dst)?;
        if ty.is_pointer() {
            self.observe_pair(true, old, expected);
        }
        let equal = old.bits == expected.bits;
        if spot.shared {
            self.race_update(thread, (spot.at, ty.size), if equal { order } else { failure }, equal)?;
        }
        if equal {
            self.update(thread, spot, ty, desired);
        }
        self.set(thread, dst, old);
        self.set(thread, success, Value::int(u64::from(equal)));
        Ok(Flow::Next)
    }

    pub(crate) fn needs_empty_buffer(&self, thread: ThreadIdentity) -> Done<()> {
        if self.threads[thread.index()].buffer.is_empty() { Ok(()) } else { Err(Stop::NotEnabled) }
    }

    /// A value that was never set cannot be updated: what comes of it is not known.
    fn read_for_update(&mut self, thread: ThreadIdentity, spot: Spot, ty: Scalar, dst: u32) -> Done<Value> {
        if spot.shared {
            self.needs_empty_buffer(thread)?;
            self.effects.push(Effect::Drained { thread });
        }
        let old = self.read(thread, spot, ty, dst)?;
        self.used_unknown.set(self.used_unknown.get() || old.object == UNKNOWN);
        if spot.shared {
            self.effects.push(Effect::Read {
                thread,
                object: spot.object,
                at: spot.at,
                size: ty.size,
                own: StepNumber::NONE,
            });
        }
        Ok(old)
    }

    fn update(&mut self, thread: ThreadIdentity, Spot { object, at, shared }: Spot, ty: Scalar, new: Value) {
        if shared {
            self.effects.push(Effect::Write { thread, object, at, size: ty.size });
        }
        self.write_memory(object, at, ty, new);
    }

    /// Whether an access through this pointer is a visible step that is not being taken now.
    pub(crate) fn is_visible(&self, pointer: Value) -> bool {
        // What is not known to point to an object has a number that no object has.
        self.mode == Mode::Silent
            && self.memory.objects.get(pointer.object as usize).is_some_and(|object| object.shared)
    }

    fn spot(&mut self, thread: ThreadIdentity, pointer: Value, ty: Scalar, writes: bool) -> Done<Spot> {
        if let Some(object) = self.memory.objects.get(pointer.object as usize) {
            let offset = pointer.bits.wrapping_sub(object.base);
            let inside = offset.checked_add(u64::from(ty.size)).is_some_and(|end| end <= u64::from(object.size));
            if object.alive && object.life == pointer.life && inside && !(writes && object.kind == Kind::Constant) {
                return Ok(Spot { object: pointer.object, at: object.start + narrow(offset), shared: object.shared });
            }
        }
        self.note_bad_access(thread, pointer, ty, writes);
        Err(self.bad_access(thread, pointer))
    }

    /// Whether an access is valid depends on who ends the object's life, and when: it depends on others as if it were.
    #[cold]
    fn note_bad_access(&mut self, thread: ThreadIdentity, pointer: Value, ty: Scalar, writes: bool) {
        let number = pointer.object;
        let Some(object) = self.memory.objects.get(number as usize) else { return };
        if !object.shared || object.size == 0 {
            return;
        }
        let offset = pointer.bits.wrapping_sub(object.base);
        let inside = offset.checked_add(u64::from(ty.size)).is_some_and(|end| end <= u64::from(object.size));
        let (at, size) = if inside { (object.start + narrow(offset), ty.size) } else { (object.start, 1) };
        self.effects.push(match writes {
            true => Effect::Write { thread, object: number, at, size },
            false => Effect::Read { thread, object: number, at, size, own: StepNumber::NONE },
        });
    }

    #[cold]
    fn bad_access(&self, thread: ThreadIdentity, pointer: Value) -> Stop {
        let (kind, message) = match self.memory.objects.get(pointer.object as usize) {
            None if pointer.object == UNKNOWN => {
                (ViolationKind::InvalidPointer, "the pointer was never set".to_owned())
            }
            None if pointer.bits < NULL_PAGE => (ViolationKind::NullPointer, "the pointer is null".to_owned()),
            None => (ViolationKind::InvalidPointer, format!("there is no object at {:#x}", pointer.bits)),
            Some(object) if !object.alive || object.life != pointer.life => {
                (ViolationKind::UseAfterFree, "the life of the object has ended".to_owned())
            }
            Some(object) => {
                let offset = pointer.bits.wrapping_sub(object.base);
                // A constant object is written only within its bounds, or it would not be known as the reason.
                if object.kind == Kind::Constant && offset < u64::from(object.size) && self.fits(thread, object, offset)
                {
                    (ViolationKind::WriteToConstant, "the object is constant".to_owned())
                } else {
                    let message = format!("offset {} of an object of {} bytes", offset as i64, object.size);
                    (ViolationKind::OutOfBounds, message)
                }
            }
        };
        self.violation(thread, kind, message)
    }

    /// Whether the access that the thread is about to make stays inside of the object.
    fn fits(&self, thread: ThreadIdentity, object: &crate::memory::Object, offset: u64) -> bool {
        use crate::op::Op;
        let size = match self.code.ops[self.threads[thread.index()].pc as usize] {
            Op::Store { ty, .. } | Op::Rmw { ty, .. } | Op::CompareExchange { ty, .. } => ty.size,
            _ => return false,
        };
        offset + u64::from(size) <= u64::from(object.size)
    }

    fn read(&mut self, thread: ThreadIdentity, spot: Spot, ty: Scalar, dst: u32) -> Done<Value> {
        let Spot { object, at, .. } = spot;
        self.observe_bytes(object, at, ty);
        match self.memory.read(object, at, ty) {
            Some(_) if self.memory.is_open(object, at, ty.size) => {
                self.used_unknown.set(self.used_unknown.get() || ty.is_pointer());
                Ok(Value { bits: 0, object: UNKNOWN, life: 0 })
            }
            Some(value) => {
                // Where no pointer was stored, a number may still be an address.
                if ty.is_pointer() && !self.memory.is_pointer(object, at) {
                    return self.made_of(thread, value.bits, ty, dst);
                }
                Ok(value)
            }
            // Bytes that are not initialised are part of an input, at each read anew.
            None => {
                let open = self.input(thread, ty, &NondetSource::Uninitialised("memory".to_owned()))?;
                let known = self.memory.known_bits(at, ty.size);
                if open.object == UNKNOWN || known == 0 {
                    return Ok(open);
                }
                let bits = self.memory.bits(at, ty.size) & known | open.bits & !known;
                self.made_of(thread, bits, ty, dst)
            }
        }
    }

    pub(crate) fn write_memory(&mut self, object: u32, at: u32, ty: Scalar, value: Value) {
        let size = ty.size;
        let old = self.memory.bits(at, size);
        self.log.changes.push(Undo::Memory { at, size, old });
        let range = at as usize..at as usize + usize::from(size);
        self.memory.bytes[range.clone()].copy_from_slice(&value.bits.to_le_bytes()[..usize::from(size)]);
        let info = self.memory.objects[object as usize];
        if !info.zeroed {
            let flags = &mut self.memory.initialised[range];
            let old = flags.iter().rev().fold(0, |mask, &flag| mask << 1 | flag);
            flags.fill(1);
            self.log.changes.push(Undo::Initialised { at, size, old });
        }
        let mark = match ty.ty {
            _ if value.object == NONE => 0,
            Ty::Ptr => Memory::mark_of(value),
            _ if value.object == UNKNOWN => OPEN,
            _ => 0,
        };
        if mark != 0 || info.provenance != NONE {
            self.write_provenance(object, at, size, mark);
        }
    }

    /// Pointers that the write touches are forgotten, what it wrote is remembered: a pointer where it begins, of a number that
    /// was left open each byte.
    fn write_provenance(&mut self, object: u32, at: u32, size: u8, new: u64) {
        if self.memory.provenance_of(object) {
            self.log.changes.push(Undo::ProvenanceAdded { object });
        }
        let info = self.memory.objects[object as usize];
        let pointer_size = narrow(self.memory.target().pointer_size());
        let first = (at - info.start).saturating_sub(pointer_size - 1);
        for offset in first..at - info.start + u32::from(size) {
            let index = info.provenance + offset;
            let is_before = offset < at - info.start;
            let value = if offset == at - info.start || new == OPEN && !is_before { new } else { 0 };
            let mark = &mut self.memory.provenance[index as usize];
            if *mark == OPEN && is_before {
                continue;
            }
            let old = std::mem::replace(mark, value);
            if old != value {
                self.log.changes.push(Undo::Provenance { index, old });
            }
        }
    }
}
