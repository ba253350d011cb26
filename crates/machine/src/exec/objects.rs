//! The lives of local and allocated objects.
//!
//! The end of a shared object's life is a visible step. It does not wait for the thread's own pending stores to the object,
//! as no processor does: they are moot from then on, and reach memory that nobody may look at. (A store that another thread
//! has pending is a use after free when it reaches memory.)

use super::{Done, Exec, Flow, Mode};
use crate::eval::Value;
use crate::machine::Stop;
use crate::memory::{Info, ObjectKind, ObjectRef};
use crate::observe::Happening;
use norn_ir::ids::{LocalId, Reg, TypeId};
use norn_ir::instr::{AllocKind, Operand};
use norn_ir::number::narrow;
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
        size: Operand,
        kind: AllocKind,
        zeroed: bool,
        ty: Option<TypeId>,
        private: bool,
    ) -> Done<()> {
        let size = self.value(size).bits;
        let is_heap = kind == AllocKind::Heap;
        // Kind and address are the allocator's to say.
        let info = Info { kind: ObjectKind::Heap { number: 0 }, base: 0, size, private, ty, span: self.place().span };
        let allocated = self.state.memory.allocate(self.thread, is_heap, info, zeroed);
        let object = allocated.map_err(|full| self.full(full))?;
        if !is_heap {
            self.frame_mut().allocations.push(object);
        }
        self.set(dst, self.state.memory.pointer_to(object, 0));
        Ok(())
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
        if kind == AllocKind::Stack {
            // Its scope may be that of a caller's block only if it was passed on, which a front end does not do.
            self.frame_mut().allocations.retain(|&allocation| allocation != object);
        }
        Ok(Flow::Next)
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
        let store = pending.find(|entry| objects.contains(&entry.object))?;
        Some(Stop::Ends(Some(Assumption { span: store.place.span, kind })))
    }

    fn is_heap(&self, object: ObjectRef) -> bool {
        matches!(self.object(object).info.kind, ObjectKind::Heap { .. })
    }
}
