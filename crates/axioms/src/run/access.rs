//! Accesses to memory, and the lives of objects.

use norn_ir::address::{NULL_PAGE, alignment};
use norn_ir::ids::{LocalId, Reg, TypeId};
use norn_ir::instr::{AllocKind, FenceKind, Order, RmwOp};
use norn_ir::program::Storage;
use norn_ir::types::Ty;
use norn_machine::eval;
use norn_verdict::outcome::ViolationKind;

use super::{Done, Origins, Run};
use crate::event::{Answer, Cell, Death, End, Kind, Question};
use crate::memory::{Content, Full, Indeterminate};
use crate::tables::Access;
use crate::value::{ObjectId, ObjectInfo, ObjectKind, Taint, Value};

/// Where an access goes.
pub(super) enum Spot {
    /// To memory that only this thread touches, or that never changes.
    Own {
        object: ObjectId,
        offset: u64,
    },
    Shared(Cell),
}

impl Run<'_, '_> {
    /// The object that an address is in.
    pub(super) fn object_at(&self, address: u64) -> Option<ObjectId> {
        let owner = (address >> self.world.base.program.target.arena_bits()).checked_sub(1)?;
        let owner = u32::try_from(owner).ok()?;
        let objects = match owner as usize == self.thread + 1 {
            true => &self.arena.objects,
            false => self.world.objects(owner)?,
        };
        crate::memory::find(objects, address).map(|index| ObjectId { owner, index })
    }

    /// The place that a pointer points to. All that goes wrong here ends the run.
    fn spot(&mut self, pointer: Value, ty: Ty, writes: bool) -> Done<Spot> {
        let Some(address) = pointer.bits else {
            self.control |= pointer.taint;
            return Err(End::NeedsValue);
        };
        let size = ty.size(self.world.base.program.target);
        let Some(object) = pointer.object.or_else(|| self.object_at(address)) else {
            let (kind, message) = match address {
                0 => (ViolationKind::NullPointer, "the pointer is null".to_owned()),
                1..NULL_PAGE => (ViolationKind::NullPointer, format!("the pointer is null plus {address}")),
                _ => (ViolationKind::InvalidPointer, format!("there is no object at {address:#x}")),
            };
            return self.invalid(pointer, kind, message);
        };
        let Some(info) = self.info(object).cloned() else {
            return Err(self.doubt("a pointer to an object that was not made"));
        };
        if self.dead.contains(&object) {
            return self.invalid(pointer, ViolationKind::UseAfterFree, "its life has ended".to_owned());
        }
        let offset = address.wrapping_sub(info.base);
        if offset.checked_add(size).is_none_or(|end| end > info.size) {
            let message = format!("offset {} of an object of {} bytes", offset as i64, info.size);
            return self.invalid(pointer, ViolationKind::OutOfBounds, message);
        }
        if info.constant && writes {
            return self.invalid(pointer, ViolationKind::WriteToConstant, "the object is constant".to_owned());
        }
        if info.private || info.constant {
            // Processors order what comes after an access by its address, as they do what comes after a branch.
            self.control |= pointer.taint;
            return Ok(Spot::Own { object, offset });
        }
        Ok(Spot::Shared(Cell::Memory { object, offset, size }))
    }

    fn invalid(&mut self, pointer: Value, kind: ViolationKind, message: String) -> Done<Spot> {
        self.control |= pointer.taint;
        self.wrong(kind, message)?;
        Err(End::Stopped)
    }

    fn content(&mut self, object: ObjectId) -> Done<&mut Content> {
        if !self.private.contains_key(&object) {
            let Some(info) = self.info(object).cloned() else {
                return Err(self.doubt("a pointer to an object that was not made"));
            };
            let content = match info.kind {
                ObjectKind::Global(global) => self.world.base.content(global).clone(),
                ObjectKind::ThreadLocal(global) => self.world.base.initial(global, &|id| self.instance(id)),
                ObjectKind::Local { .. } | ObjectKind::Heap { .. } | ObjectKind::Stack { .. } => Content::new(&info),
            };
            let owner = object.owner as usize;
            if owner != 0 && owner != self.thread + 1 {
                return Err(self.doubt("an object of another thread that should be its own"));
            }
            self.private.insert(object, content);
        }
        Ok(self.private.get_mut(&object).expect("it was just made"))
    }

    fn read_own(&mut self, (object, offset): (ObjectId, u64), ty: Ty) -> Done<Value> {
        let target = self.world.base.program.target;
        match self.content(object)?.read(offset, ty, target) {
            Ok(value) => Ok(value),
            Err(Indeterminate) => self.input(ty, "memory that was not initialised".to_owned()),
        }
    }

    pub(super) fn load(&mut self, dst: Reg, pointer: Value, order: Order) -> Done<()> {
        let ty = self.function().ty(dst);
        let value = match self.spot(pointer, ty, false)? {
            Spot::Own { object, offset } => self.read_own((object, offset), ty)?.with(pointer.taint),
            Spot::Shared(cell) if self.section.is_some() => self.read_in_section(cell, ty, pointer.taint)?,
            Spot::Shared(cell) => {
                let Access { before, tags, after } = self.world.table.load(order);
                self.fence_event(before, order)?;
                let read = self.read_event(cell, ty, (order, tags), pointer.taint)?;
                self.fence_event(after, order)?;
                self.read_value(read)
            }
        };
        self.set(dst, value);
        Ok(())
    }

    pub(super) fn store(&mut self, ty: Ty, pointer: Value, value: Value, order: Order) -> Done<()> {
        let target = self.world.base.program.target;
        match self.spot(pointer, ty, true)? {
            Spot::Own { object, offset } => {
                self.content(object)?.write(offset, ty, value.with(pointer.taint), target);
            }
            Spot::Shared(cell) if self.section.is_some() => self.write_in_section(cell, ty, value, pointer.taint),
            Spot::Shared(cell) => {
                let Access { before, tags, after } = self.world.table.store(order);
                self.fence_event(before, order)?;
                let origins = Origins { addr: pointer.taint, data: value.taint };
                self.event(Kind::Write, Some(cell), (ty, value.bare()), (order, tags), origins)?;
                self.fence_event(after, order)?;
            }
        }
        Ok(())
    }

    pub(super) fn rmw(&mut self, dst: Reg, op: RmwOp, pointer: Value, operand: Value, order: Order) -> Done<()> {
        let ty = self.function().ty(dst);
        let target = self.world.base.program.target;
        let new = |old: Value| {
            let bits = old.bits.zip(operand.bits).map(|(old, operand)| eval::rmw(op, ty, target, old, operand));
            let taint = old.taint | operand.taint;
            match (ty, op) {
                (Ty::Ptr, RmwOp::Exchange) => operand,
                (_, RmwOp::Exchange) => Value { object: None, ..operand },
                (Ty::Ptr, _) => Value { bits, object: old.object.or(operand.object), taint },
                _ => Value { bits, object: None, taint },
            }
        };
        let old = match self.spot(pointer, ty, true)? {
            Spot::Own { object, offset } => {
                let old = self.read_own((object, offset), ty)?;
                self.content(object)?.write(offset, ty, new(old), target);
                old.with(pointer.taint)
            }
            Spot::Shared(cell) if self.section.is_some() => {
                let old = self.read_in_section(cell, ty, pointer.taint)?;
                self.write_in_section(cell, ty, new(old), pointer.taint);
                old
            }
            Spot::Shared(cell) => {
                let update = self.world.table.update(order, false);
                let read = self.read_event(cell, ty, (order, update.read), pointer.taint)?;
                let old = self.read_value(read);
                self.write_half(read, (cell, ty), new(old), (order, update), pointer.taint)?;
                old
            }
        };
        self.set(dst, old);
        Ok(())
    }

    /// The write of a step whose read has been made.
    fn write_half(
        &mut self,
        read: usize,
        (cell, ty): (Cell, Ty),
        new: Value,
        (order, update): (Order, crate::tables::Update),
        addr: Taint,
    ) -> Done<()> {
        let origins = Origins { addr, data: new.taint };
        // A step is there as a whole or not at all.
        let write = self.event(Kind::Write, Some(cell), (ty, new.bare()), (order, update.write), origins);
        let write = match write {
            Err(End::Given) => return Err(self.doubt("a step that was given in part")),
            write => write?,
        };
        self.trace.events[write].step = read;
        if update.exclusive { &mut self.trace.lxsx } else { &mut self.trace.amo }.push((read, write));
        Ok(())
    }

    pub(super) fn compare_exchange(
        &mut self,
        (dst, success): (Reg, Reg),
        pointer: Value,
        (expected, desired): (Value, Value),
        (order, failure): (Order, Order),
    ) -> Done<()> {
        let ty = self.function().ty(dst);
        let target = self.world.base.program.target;
        let cell = match self.spot(pointer, ty, true)? {
            Spot::Shared(cell) if self.section.is_none() => cell,
            spot => {
                let old = match spot {
                    Spot::Own { object, offset } => self.read_own((object, offset), ty)?,
                    Spot::Shared(cell) => self.read_in_section(cell, ty, pointer.taint)?,
                };
                let (Some(is), Some(wanted)) = (old.bits, expected.bits) else {
                    self.control |= old.taint | expected.taint;
                    return Err(End::NeedsValue);
                };
                let taint = old.taint | expected.taint | pointer.taint;
                if is == wanted {
                    match spot {
                        Spot::Own { object, offset } => {
                            self.content(object)?.write(offset, ty, desired.with(taint), target);
                        }
                        Spot::Shared(cell) => self.write_in_section(cell, ty, desired.with(taint), pointer.taint),
                    }
                }
                self.set(dst, old.with(pointer.taint));
                self.set(success, Value { bits: Some(u64::from(is == wanted)), object: None, taint });
                return Ok(());
            }
        };
        let update = self.world.table.update(order, true);
        let read = self.read_event(cell, ty, (order, update.read), pointer.taint)?;
        let old = self.read_value(read);
        let succeeds = match self.ask(Question::Success) {
            Some(Answer::Value(bits)) => bits != 0,
            Some(Answer::Source(_)) => return Err(End::Disabled),
            None => return Err(End::NeedsAnswer),
        };
        if let (Some(is), Some(wanted)) = (old.bits, expected.bits)
            && (is == wanted) != succeeds
        {
            return Err(End::Disabled);
        }
        let mut found = old;
        if succeeds {
            // What is compared decides whether anything is written.
            self.write_half(read, (cell, ty), desired.with(expected.taint), (order, update), pointer.taint)?;
            found.bits = old.bits.or(expected.bits);
        } else {
            let event = &mut self.trace.events[read];
            event.tags = self.world.table.failed(order, failure).to_vec();
            event.order = failure;
        }
        self.set(dst, found);
        let taint = old.taint | expected.taint;
        self.set(success, Value { bits: Some(u64::from(succeeds)), object: None, taint });
        Ok(())
    }

    pub(super) fn fence(&mut self, kind: FenceKind) -> Done<()> {
        let order = match kind {
            FenceKind::Acquire | FenceKind::LoadLoad => Order::Acquire,
            FenceKind::Release | FenceKind::StoreStore => Order::Release,
            FenceKind::AcqRel => Order::AcqRel,
            FenceKind::Full | FenceKind::Call | FenceKind::Compiler => Order::SeqCst,
        };
        match self.world.table.fence(kind) {
            // A section is one step.
            Ok(_) if self.section.is_some() => Ok(()),
            Ok(tags) => self.fence_event(tags, order),
            Err(words) => Err(self.doubt(words)),
        }
    }

    // Lives.

    pub(super) fn make_thread_locals(&mut self) -> Done<()> {
        let program = self.world.base.program;
        for (index, global) in program.globals.iter().enumerate() {
            if global.storage == Storage::Thread {
                let id = norn_ir::ids::GlobalId::new(index);
                let info = ObjectInfo { kind: ObjectKind::ThreadLocal(id), ..self.world.base.objects[index].clone() };
                let object = self.make(info, program.ty(global.ty).align)?;
                self.thread_locals.insert(id, object);
            }
        }
        Ok(())
    }

    fn make(&mut self, info: ObjectInfo, align: u64) -> Done<ObjectId> {
        let owner = norn_ir::number::narrow(self.thread + 1);
        match self.arena.add(info, align) {
            Ok(index) => Ok(ObjectId { owner, index }),
            Err(Full) => Err(self.too_large("a thread has too many objects, or too large ones")),
        }
    }

    pub(super) fn enter_local(&mut self, local: LocalId) -> Done<()> {
        let program = self.world.base.program;
        let function = self.frame().function;
        let Some(what) = self.function().locals.get(local.index()) else {
            return Err(self.doubt("a local that is not there"));
        };
        let ty = program.ty(what.ty);
        let info = ObjectInfo {
            kind: ObjectKind::Local { function, local },
            base: 0,
            size: ty.size,
            private: what.private,
            constant: false,
            zeroed: false,
            ty: Some(what.ty),
            span: what.span,
        };
        let object = self.make(info, ty.align)?;
        if let Some(before) = self.local(local).replace(object) {
            self.end_object(before);
        }
        Ok(())
    }

    pub(super) fn allocate(
        &mut self,
        dst: Reg,
        (size, align): (Value, Value),
        (kind, zeroed, ty, private): (AllocKind, bool, Option<TypeId>, bool),
    ) -> Done<()> {
        let size = self.decided(size)?;
        let align = alignment(self.decided(align)?);
        let (span, _) = self.place();
        let site = self.site();
        let kind = match kind {
            AllocKind::Heap => {
                self.heap += 1;
                ObjectKind::Heap { number: self.heap, site }
            }
            AllocKind::Stack => {
                self.stack += 1;
                ObjectKind::Stack { number: self.stack, site }
            }
        };
        let info = ObjectInfo { kind, base: 0, size, private, constant: false, zeroed, ty, span };
        let object = self.make(info, align)?;
        if matches!(kind, ObjectKind::Stack { .. }) {
            self.frame_mut().allocations.push(object);
        }
        self.set(dst, self.pointer_to(object, 0));
        Ok(())
    }

    pub(super) fn free(&mut self, pointer: Value, kind: AllocKind) -> Done<()> {
        let address = self.decided(pointer)?;
        if address == 0 {
            return Ok(());
        }
        let found = pointer.object.or_else(|| self.object_at(address));
        let found = found.and_then(|object| Some((object, self.info(object)?.clone())));
        let Some((object, info)) = found else {
            return self.ends_badly(ViolationKind::BadFree, format!("there is no object at {address:#x}"));
        };
        let fits = match info.kind {
            ObjectKind::Heap { .. } => kind == AllocKind::Heap,
            ObjectKind::Stack { .. } => kind == AllocKind::Stack,
            _ => false,
        };
        if !fits || info.base != address {
            return self.ends_badly(ViolationKind::BadFree, "it is not the beginning of what was allocated".to_owned());
        }
        if self.dead.contains(&object) {
            return self.ends_badly(ViolationKind::DoubleFree, "it was freed before".to_owned());
        }
        self.end_object(object);
        Ok(())
    }

    fn ends_badly(&mut self, kind: ViolationKind, message: String) -> Done<()> {
        self.wrong(kind, message)?;
        Err(End::Stopped)
    }

    pub(super) fn object_size(&mut self, dst: Reg, pointer: Value) -> Done<()> {
        let address = self.decided(pointer)?;
        let object = pointer.object.or_else(|| self.object_at(address));
        match object.and_then(|object| self.info(object)) {
            Some(info) if matches!(info.kind, ObjectKind::Heap { .. }) => {
                let size = info.size;
                self.set(dst, Value::int(size));
                Ok(())
            }
            _ => self.ends_badly(ViolationKind::InvalidPointer, "it is not allocated memory".to_owned()),
        }
    }

    pub(super) fn end_object(&mut self, object: ObjectId) {
        if !self.dead.insert(object) {
            return;
        }
        self.private.remove(&object);
        if self.info(object).is_some_and(|info| !info.private) {
            let (span, _) = self.place();
            self.trace.deaths.push(Death { object, after: self.trace.events.len(), span });
        }
    }
}
