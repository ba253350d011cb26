//! Loads, stores and read-modify-writes.
//!
//! Each access is checked when it is executed: it has to lie within a live object that may be changed if it writes.
//! Whether it is aligned does not matter. An invalid access is a violation if memory safety is checked; if not, it is
//! assumed not to happen, and the thread stops. It is never ignored. An access without an object is invalid no matter
//! what other threads do, so it is found invalid silently.

use super::{Done, Exec, Flow, Mode};
use crate::eval::{self, Value};
use crate::machine::Stop;
use crate::memory::ObjectRef;
use crate::models::{self, Forward};
use crate::observe::{Happening, Spot};
use crate::race::{Accessed, Follows};
use crate::state::{Entry, Place};
use norn_ir::address::NULL_PAGE;
use norn_ir::ids::Reg;
use norn_ir::instr::{NondetSource, Order, RmwOp, SectionKind};
use norn_ir::types::Ty;
use norn_verdict::outcome::ViolationKind;
use std::rc::Rc;

impl Exec<'_, '_> {
    pub(super) fn load(&mut self, dst: Reg, pointer: Value, order: Order) -> Done<Flow> {
        if self.is_visible(pointer) {
            return Ok(Flow::Visible);
        }
        let ty = self.function().ty(dst);
        let spot = self.spot(pointer, ty, false)?;
        let value = if self.is_private(spot)? { self.read_memory(spot)? } else { self.load_shared(spot, order)? };
        self.set(dst, value);
        Ok(Flow::Next)
    }

    fn load_shared(&mut self, spot: Spot, order: Order) -> Done<Value> {
        let found = match models::forward(&self.thread().buffer, spot.object, spot.offset, spot.size) {
            Forward::Wait => return Err(Stop::NotEnabled),
            Forward::From(entry) => Some(entry.clone()),
            Forward::Memory => None,
        };
        let order = self.order_in_mode(order);
        self.check_race(spot, false, order)?;
        let (value, forwarded) = match found {
            Some(entry) => (self.part_of(&entry, spot), Some(entry.step)),
            None => {
                let value = self.read_memory(spot)?;
                if let Some(races) = &mut self.state.races {
                    Rc::make_mut(races).read(self.thread, order, range(spot));
                }
                (value, None)
            }
        };
        self.tell(Happening::Read { spot, value, forwarded });
        Ok(value)
    }

    /// The bytes of a buffered store that a load it covers reads.
    fn part_of(&mut self, entry: &Entry, spot: Spot) -> Value {
        if entry.ty == spot.ty {
            return entry.value;
        }
        let shifted = entry.value.bits >> ((spot.offset - entry.offset) * 8);
        let bits = spot.ty.truncate(shifted, self.machine.program.target);
        self.made_of(spot.ty, bits)
    }

    pub(super) fn store(&mut self, ty: Ty, pointer: Value, value: Value, order: Order) -> Done<Flow> {
        if self.is_visible(pointer) {
            return Ok(Flow::Visible);
        }
        let spot = self.spot(pointer, ty, true)?;
        if self.is_private(spot)? {
            self.state.memory.write((spot.object, spot.offset), ty, value);
            return Ok(Flow::Next);
        }
        let in_section = matches!(self.mode, Mode::Section(_));
        let has_buffered = !self.thread().buffer.is_empty();
        let direct = in_section || order == Order::SeqCst || !models::buffers_stores(self.machine.model);
        if direct && has_buffered {
            // An atomic section began with an empty buffer, a read section does not store.
            return Err(Stop::NotEnabled);
        }
        let order = self.order_in_mode(order);
        self.check_race(spot, true, order)?;
        let message = self.state.races.as_mut().and_then(|r| Rc::make_mut(r).message(self.thread, order));
        // Where nobody asks, states do not differ by it.
        let is_followed = order != Order::Plain && self.state.races.is_some();
        let follows = if is_followed { Follows::Own } else { Follows::Breaks };
        self.tell(Happening::Write { spot, value, buffered: !direct });
        if direct {
            if let Some(races) = &mut self.state.races {
                Rc::make_mut(races).store(range(spot), self.thread, follows, message);
            }
            self.state.memory.write((spot.object, spot.offset), ty, value);
            return Ok(Flow::Next);
        }
        if order == Order::Release {
            self.raise_epoch();
        }
        let place = self.place();
        let thread = self.thread_mut();
        if thread.buffer.is_empty() {
            thread.epoch = 0;
        }
        let Spot { object, offset, size, .. } = spot;
        let (epoch, step) = (thread.epoch, thread.steps);
        let moot = false;
        thread.buffer.push(Entry { object, offset, ty, size, value, epoch, step, place, message, follows, moot });
        Ok(Flow::Next)
    }

    pub(super) fn rmw(&mut self, dst: Reg, op: RmwOp, pointer: Value, operand: Value, order: Order) -> Done<Flow> {
        if self.is_visible(pointer) {
            return Ok(Flow::Visible);
        }
        let ty = self.function().ty(dst);
        let spot = self.spot(pointer, ty, true)?;
        self.needs_empty_buffer(spot)?;
        let old = self.read_memory(spot)?;
        let bits = eval::rmw(op, ty, self.machine.program.target, old.bits, operand.bits);
        let new = match (ty, op) {
            (Ty::Ptr, RmwOp::Exchange) => operand,
            // Arithmetic on a pointer keeps the object that it points into.
            (Ty::Ptr, _) => Value { bits, object: old.object.or(operand.object) },
            _ => Value::int(bits),
        };
        self.update(spot, old, Some(new), order)?;
        self.set(dst, old);
        Ok(Flow::Next)
    }

    pub(super) fn compare_exchange(
        &mut self,
        (dst, success): (Reg, Reg),
        pointer: Value,
        expected: Value,
        desired: Value,
        (order, failure): (Order, Order),
    ) -> Done<Flow> {
        if self.is_visible(pointer) {
            return Ok(Flow::Visible);
        }
        let ty = self.function().ty(dst);
        let spot = self.spot(pointer, ty, true)?;
        self.needs_empty_buffer(spot)?;
        let old = self.read_memory(spot)?;
        let equal = old.bits == expected.bits;
        self.update(spot, old, equal.then_some(desired), if equal { order } else { failure })?;
        self.set(dst, old);
        self.set(success, Value::bool(equal));
        Ok(Flow::Next)
    }

    fn needs_empty_buffer(&self, spot: Spot) -> Done<()> {
        let waits = self.object(spot.object).is_shared() && !self.thread().buffer.is_empty();
        if waits { Err(Stop::NotEnabled) } else { Ok(()) }
    }

    /// The effect of a read-modify-write in memory; without a new value it only read.
    fn update(&mut self, spot: Spot, old: Value, new: Option<Value>, order: Order) -> Done<()> {
        if !self.is_private(spot)? {
            // It is atomic whatever its order.
            let order = self.order_in_mode(order.join(Order::Relaxed));
            self.check_race(spot, new.is_some(), order)?;
            if let Some(races) = &mut self.state.races {
                let races = Rc::make_mut(races);
                races.read(self.thread, order, range(spot));
                if new.is_some() {
                    let message = races.message(self.thread, order);
                    races.store(range(spot), self.thread, Follows::All, message);
                }
            }
            self.tell(Happening::Update { spot, old, new });
        }
        if let Some(new) = new {
            self.state.memory.write((spot.object, spot.offset), spot.ty, new);
        }
        Ok(())
    }

    /// Whether an access through this pointer is a visible step that is not being taken now.
    pub(super) fn is_visible(&self, pointer: Value) -> bool {
        self.mode == Mode::Silent && pointer.object.is_some_and(|object| self.object(object).is_shared())
    }

    /// Whether the object is private or constant, so that the access is no step. Asserts that one thread only touches a
    /// private object, unless a pointer to it was made of a number: who marks objects does not follow numbers through
    /// branches.
    fn is_private(&mut self, spot: Spot) -> Done<bool> {
        let object = self.object(spot.object);
        if object.info.private {
            let thread = self.thread;
            match object.toucher {
                Some(toucher) if toucher == thread => {}
                Some(_) if object.made_of_number => {
                    return Err(self.no_meaning("a pointer that branches put together from numbers"));
                }
                Some(_) => panic!(
                    "the private object '{}' should be touched by one thread only",
                    self.machine.object_name(self.state, spot.object)
                ),
                None => self.state.memory.object_mut(spot.object).toucher = Some(thread),
            }
        }
        Ok(!self.object(spot.object).is_shared())
    }

    /// A number as a value of this type.
    pub(super) fn made_of(&mut self, ty: Ty, bits: u64) -> Value {
        if ty != Ty::Ptr {
            return Value::int(bits);
        }
        let value = self.state.memory.pointer_from(bits);
        if let Some(object) = value.object
            && self.object(object).info.private
            && !self.object(object).made_of_number
        {
            self.state.memory.object_mut(object).made_of_number = true;
        }
        value
    }

    /// The place that a pointer points to, if a value of type `ty` can be accessed there.
    fn spot(&self, pointer: Value, ty: Ty, is_write: bool) -> Done<Spot> {
        let size = ty.size(self.machine.program.target);
        let wrong = |kind: ViolationKind, message: String| Err(self.violation_at(kind, message, self.place()));
        let Some(object) = pointer.object else {
            let address = pointer.bits;
            return match address {
                0 => wrong(ViolationKind::NullPointer, "the pointer is null".to_owned()),
                1..NULL_PAGE => wrong(ViolationKind::NullPointer, format!("the pointer is null plus {address}")),
                _ => wrong(ViolationKind::InvalidPointer, format!("there is no object at {address:#x}")),
            };
        };
        let found = self.object(object);
        let offset = pointer.bits.wrapping_sub(found.info.base);
        let name = || self.machine.object_name(self.state, object);
        if !self.state.memory.is_alive(object) {
            return wrong(ViolationKind::UseAfterFree, format!("the life of '{}' has ended", name()));
        }
        if offset.checked_add(size).is_none_or(|end| end > found.info.size) {
            let offset = offset as i64;
            let message = format!("offset {offset} of '{}', which has {} bytes", name(), found.info.size);
            return wrong(ViolationKind::OutOfBounds, message);
        }
        if is_write && found.is_constant() {
            return wrong(ViolationKind::WriteToConstant, format!("'{}' is constant", name()));
        }
        Ok(Spot { object, offset, ty, size })
    }

    /// Bytes that are not initialised are part of an input, at each read anew.
    fn read_memory(&mut self, spot: Spot) -> Done<Value> {
        match self.state.memory.read((spot.object, spot.offset), spot.ty) {
            Some(value) if spot.ty == Ty::Ptr && !self.object(spot.object).holds_pointer(spot.offset) => {
                Ok(self.made_of(spot.ty, value.bits))
            }
            Some(value) => Ok(value),
            None => {
                let name = self.machine.location(self.state, spot.object, spot.offset, spot.size);
                let open = self.input(spot.ty, &NondetSource::Uninitialised(name))?;
                let bits = self.state.memory.read_open((spot.object, spot.offset), spot.ty, open.bits).bits;
                Ok(self.made_of(spot.ty, bits))
            }
        }
    }

    /// What an access counts as for data races.
    fn order_in_mode(&self, order: Order) -> Order {
        match self.mode {
            Mode::Section(SectionKind::Atomic) => order.join(Order::SeqCst),
            Mode::Section(SectionKind::Library) => order.join(Order::Relaxed),
            Mode::Section(SectionKind::Read) | Mode::Silent | Mode::Step => order,
        }
    }

    fn check_race(&mut self, spot: Spot, is_write: bool, order: Order) -> Done<()> {
        if self.state.races.is_none() {
            return Ok(());
        }
        let place = self.place();
        let kind = (is_write, self.mode == Mode::Section(SectionKind::Library));
        let races = self.state.races.as_mut().map(Rc::make_mut);
        match races.and_then(|r| r.access(range(spot), self.thread, kind, order, place)) {
            Some(earlier) => Err(self.race(range(spot), &earlier, access_word(is_write, order != Order::Plain))),
            None => Ok(()),
        }
    }

    /// To free an object is to write all of it.
    pub(super) fn check_race_with_free(&mut self, object: ObjectRef) -> Done<()> {
        if self.mode == Mode::Section(SectionKind::Library) {
            return Ok(());
        }
        let order = self.order_in_mode(Order::Plain);
        match self.state.races.as_ref().and_then(|r| r.race_with_free(object, self.thread, order)) {
            Some((range, earlier)) => Err(self.race(range, &earlier, "free")),
            None => Ok(()),
        }
    }

    fn race(&mut self, (object, offset, size): (ObjectRef, u64, u64), earlier: &Accessed, word: &str) -> Stop {
        self.observer.races(&super::scene(self.machine, self.state, self.thread, self.mode), earlier);
        let place = self.place();
        let program = self.machine.program;
        let at = |Place { span, .. }: Place| format!("{}:{}:{}", program.file(span.file), span.line, span.column);
        let message = format!(
            "{} of '{}' by {} at {} and {} by {} at {} are not ordered",
            access_word(earlier.is_write, earlier.is_atomic),
            self.machine.location(self.state, object, offset, size),
            self.state.threads[earlier.thread.index()].name,
            at(earlier.place),
            word,
            self.thread().name,
            at(place),
        );
        self.violation(ViolationKind::DataRace, message)
    }
}

fn access_word(is_write: bool, is_atomic: bool) -> &'static str {
    match (is_write, is_atomic) {
        (true, true) => "atomic write",
        (true, false) => "write",
        (false, true) => "atomic read",
        (false, false) => "read",
    }
}

fn range(spot: Spot) -> (ObjectRef, u64, u64) {
    (spot.object, spot.offset, spot.size)
}
