//! The lives of local and allocated objects.
//!
//! The end of a shared object's life is a visible step. It does not wait for the thread's own pending stores to the object,
//! as no processor does: they are moot from then on, and reach memory that nobody may look at. (A store that another thread
//! has pending is a use after free when it reaches memory, unless the memory was given out again meanwhile.)

use super::{Done, Exec, Flow, Mode};
use crate::eval::Value;
use crate::machine::Stop;
use crate::memory::{Info, ObjectKind, ObjectRef};
use crate::observe::Happening;
use norn_ir::address::alignment;
use norn_ir::ids::{LocalId, Reg, TypeId};
use norn_ir::instr::{AllocKind, NondetSource, Operand, SyncKind};
use norn_ir::number::narrow;
use norn_ir::types::Ty;
use norn_verdict::outcome::{Assumption, Treatment, ViolationKind};
use std::rc::Rc;

impl Exec<'_, '_> {
    pub(super) fn enter_local(&mut self, local: LocalId) -> Done<()> {
        let depth = narrow(self.thread().frames.len() - 1);
        let key = (depth, self.frame().function, local);
        let entered = self.state.memory.enter_local(self.machine.program, self.thread, key);
        let object = entered.map_err(|full| self.full(full))?;
        self.frame_mut().locals[local.index()] = Some(object);
        Ok(())
    }

    pub(super) fn leave_local(&mut self, local: LocalId) -> Done<Flow> {
        let Some(object) = self.frame().locals[local.index()] else { return Ok(Flow::Next) };
        if self.mode == Mode::Silent && self.object(object).is_shared() {
            return Ok(Flow::Visible);
        }
        self.end_objects(&[object])?;
        self.frame_mut().locals[local.index()] = None;
        Ok(Flow::Next)
    }

    pub(super) fn allocate(
        &mut self,
        dst: Reg,
        (size, align): (Operand, Operand),
        kind: AllocKind,
        zeroed: bool,
        ty: Option<TypeId>,
        private: bool,
    ) -> Done<Flow> {
        let size = self.value(size).bits;
        let align = alignment(self.value(align).bits);
        let is_heap = kind == AllocKind::Heap;
        let reuses = is_heap && self.machine.program.reuses_memory;
        // Where memory is reused, nobody has it for himself.
        let private = private && !reuses;
        if reuses {
            if self.mode == Mode::Silent {
                return Ok(Flow::Visible);
            }
            if let Some(object) = self.choose_freed(size, align)? {
                self.give_again(object, ty, zeroed);
                self.set(dst, self.state.memory.pointer_to(object, 0));
                return Ok(Flow::Next);
            }
        }
        // Kind and address are the allocator's to say.
        let info = Info { kind: ObjectKind::Heap { number: 0 }, base: 0, size, private, ty, span: self.place().span };
        let allocated = self.state.memory.allocate(self.thread, is_heap, info, align, zeroed);
        let object = allocated.map_err(|full| self.full(full))?;
        if !is_heap {
            self.frame_mut().allocations.push(object);
        }
        self.set(dst, self.state.memory.pointer_to(object, 0));
        Ok(Flow::Next)
    }

    /// The freed object whose memory an allocation gets, by a truth value for each that it could get; `None`: new memory.
    /// Deallocation synchronises with the next allocation of the memory (C17 7.22.3), so the thread that freed it should
    /// have no older store in its buffer, unless it gets its own memory.
    fn choose_freed(&mut self, size: u64, align: u64) -> Done<Option<ObjectRef>> {
        for object in self.state.memory.freed(size, align) {
            let others = self.state.threads.iter().enumerate().filter(|&(number, _)| number != self.thread.index());
            let mut withheld = others.flat_map(|(_, thread)| &thread.withheld);
            if withheld.any(|&(other, _)| other == object) {
                continue;
            }
            let source = format!("reuse of {}", self.machine.object_name(self.state, object));
            if self.input(Ty::Bool, &NondetSource::Input(source))?.bits != 0 {
                return Ok(Some(object));
            }
        }
        Ok(None)
    }

    fn give_again(&mut self, object: ObjectRef, ty: Option<TypeId>, zeroed: bool) {
        let (base, span) = (self.object(object).info.base, self.place().span);
        if let Some(races) = &mut self.state.races {
            Rc::make_mut(races).given_again(self.thread, base);
        }
        self.thread_mut().withheld.retain(|&(freed, _)| freed != object);
        self.state.memory.give_again(object, ty, span, zeroed);
    }

    pub(super) fn free(&mut self, pointer: Value, kind: AllocKind) -> Done<Flow> {
        if pointer.bits == 0 {
            return Ok(Flow::Next);
        }
        if self.is_visible(pointer) {
            return Ok(Flow::Visible);
        }
        let wrong = |kind: ViolationKind, message: String| Err(self.violation_at(kind, message, self.place()));
        let Some(object) = pointer.object else {
            return wrong(ViolationKind::BadFree, format!("there is no object at {:#x}", pointer.bits));
        };
        let found = self.object(object);
        let is_kind = match found.info.kind {
            ObjectKind::Heap { .. } => kind == AllocKind::Heap,
            ObjectKind::Stack { .. } => kind == AllocKind::Stack,
            _ => false,
        };
        let name = || self.machine.object_name(self.state, object);
        if !is_kind {
            return wrong(ViolationKind::BadFree, format!("'{}' was not allocated", name()));
        }
        if pointer.bits != found.info.base {
            return wrong(ViolationKind::BadFree, format!("the pointer is not the beginning of '{}'", name()));
        }
        if !found.alive {
            return wrong(ViolationKind::DoubleFree, format!("'{}' was freed before", name()));
        }
        self.pending_elsewhere(&[object]).map_or(Ok(()), Err)?;
        if kind == AllocKind::Heap {
            self.check_race_with_free(object)?;
        }
        self.end_objects(&[object])?;
        if kind == AllocKind::Heap && self.machine.program.reuses_memory {
            self.withhold(object);
        }
        if kind == AllocKind::Stack {
            // Its scope may be that of a caller's block only if it was passed on, which a front end does not do.
            self.frame_mut().allocations.retain(|&allocation| allocation != object);
        }
        Ok(Flow::Next)
    }

    /// Freed memory is there for everybody once the stores before the free are in memory.
    fn withhold(&mut self, object: ObjectRef) {
        let base = self.object(object).info.base;
        if let Some(races) = &mut self.state.races {
            Rc::make_mut(races).sync(self.thread, SyncKind::Release, base);
        }
        let thread = self.thread_mut();
        if !thread.buffer.is_empty() {
            thread.withheld.push((object, thread.steps));
        }
    }

    pub(super) fn object_size(&self, pointer: Value) -> Done<u64> {
        match pointer.object.map(|object| self.object(object)) {
            Some(object) if matches!(object.info.kind, ObjectKind::Heap { .. }) => Ok(object.info.size),
            _ => {
                let message = "the pointer is not to allocated memory".to_owned();
                Err(self.violation_at(ViolationKind::InvalidPointer, message, self.place()))
            }
        }
    }

    /// Ends lives, unless another thread's store is assumed not to come too late.
    pub(super) fn end_objects(&mut self, objects: &[ObjectRef]) -> Done<()> {
        self.pending_elsewhere(objects).map_or(Ok(()), Err)?;
        if self.thread().buffer.iter().any(|entry| objects.contains(&entry.object)) {
            let own = self.thread_mut().buffer.iter_mut();
            own.filter(|entry| objects.contains(&entry.object)).for_each(|entry| entry.moot = true);
        }
        for &object in objects {
            if !self.state.memory.is_alive(object) {
                continue;
            }
            let found = self.object(object);
            let (base, size, by_free) = (found.info.base, found.info.size, self.is_heap(object));
            if found.is_shared() {
                self.tell(Happening::ObjectEnds { object, by_free });
            }
            if let Some(races) = &mut self.state.races {
                Rc::make_mut(races).forget(object, base, size);
            }
            self.state.memory.end(object);
        }
        Ok(())
    }

    /// Where another thread's store would reach one of the objects after its end, and that is assumed not to happen.
    fn pending_elsewhere(&self, objects: &[ObjectRef]) -> Option<Stop> {
        let kind = ViolationKind::UseAfterFree;
        if self.machine.checks.treatment(kind) != Treatment::Assumption {
            return None;
        }
        let others = self.state.threads.iter().enumerate().filter(|&(number, _)| number != self.thread.index());
        let mut pending = others.flat_map(|(_, thread)| &thread.buffer);
        let store = pending.find(|entry| objects.contains(&entry.object) && !entry.moot)?;
        Some(Stop::Ends(Some(Assumption { span: store.place.span, kind })))
    }

    fn is_heap(&self, object: ObjectRef) -> bool {
        matches!(self.object(object).info.kind, ObjectKind::Heap { .. })
    }
}
