//! The lives of local and allocated objects. The end of a shared object's life is a visible step; the thread's own pending
//! stores to the object are moot from then on. If memory is reused, an allocation on the heap is a visible step too.

use crate::compile::scalar;
use crate::effect::Effect;
use crate::executor::{Done, Executor, Mode, Stop};
use crate::memory::{Declared, Kind, Plan};
use crate::op::{NONE, Src};
use crate::run::Flow;
use crate::state::{Entry, Thread, ThreadIdentity};
use crate::undo::Undo;
use norn_ir::address::alignment;
use norn_ir::ids::LocalId;
use norn_ir::instr::NondetSource;
use norn_ir::number::narrow;
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_verdict::outcome::{Assumption, Treatment, ViolationKind};
use norn_verdict::schedule::StepNumber;

impl Executor<'_> {
    pub(crate) fn enter_local(&mut self, thread: ThreadIdentity, local: u32) -> Done<()> {
        let owner = &self.threads[thread.index()];
        let depth = narrow(owner.frames.len() - 1);
        let frame = owner.frames[depth as usize];
        let arena = owner.number.0 + 1;
        let key = (depth, frame.function, local);
        let info = self.code.functions[frame.function as usize].locals[local as usize];
        let object = match self.memory.arenas[arena as usize].slots.get(&key) {
            Some(&object) => {
                self.renew(object, info.dangles);
                object
            }
            None => {
                let plan = Plan {
                    size: info.size,
                    align: info.align,
                    kind: Kind::Local,
                    private: info.private,
                    zeroed: false,
                    span: Span::NONE,
                    declared: Declared::Local(self.code.functions[frame.function as usize].id, LocalId(local)),
                };
                let object = self.add_object(thread, arena, plan)?;
                self.memory.arenas[arena as usize].slots.insert(key, object);
                object
            }
        };
        self.set_local(thread, frame.locals + local, object);
        Ok(())
    }

    fn add_object(&mut self, thread: ThreadIdentity, arena: u32, plan: Plan) -> Done<u32> {
        let (object, next) = self.memory.add(arena, plan).map_err(|words| self.too_large(thread, words))?;
        self.log.changes.push(Undo::ObjectAdded { arena, next });
        Ok(object)
    }

    /// The scope of an object that has been there before begins again: nothing in it is initialised. Somebody may still
    /// point to the old one if it `dangles`.
    fn renew(&mut self, object: u32, dangles: bool) {
        let info = self.memory.objects[object as usize];
        let range = info.start as usize..(info.start + info.size) as usize;
        self.log.bytes.extend_from_slice(&self.memory.initialised[range.clone()]);
        self.log.changes.push(Undo::Renewed { object, life: info.life, dangles });
        self.memory.objects[object as usize].life += u32::from(dangles);
        self.memory.initialised[range].fill(0);
        self.set_alive(object, true);
        if info.provenance != NONE {
            for index in info.provenance..info.provenance + info.size {
                let old = std::mem::replace(&mut self.memory.provenance[index as usize], 0);
                if old != 0 {
                    self.log.changes.push(Undo::Provenance { index, old });
                }
            }
        }
    }

    fn set_alive(&mut self, object: u32, alive: bool) {
        let old = std::mem::replace(&mut self.memory.objects[object as usize].alive, alive);
        self.log.changes.push(Undo::Alive { object, old });
    }

    fn set_local(&mut self, thread: ThreadIdentity, slot: u32, object: u32) {
        let old = std::mem::replace(&mut self.threads[thread.index()].locals[slot as usize], object);
        self.log.changes.push(Undo::Local { thread, slot, old });
    }

    pub(crate) fn leave_local(&mut self, thread: ThreadIdentity, local: u32) -> Done<Flow> {
        let owner = &self.threads[thread.index()];
        let frame = owner.frames.last().expect("a running thread should have a frame");
        let slot = frame.locals + local;
        let object = owner.locals[slot as usize];
        if object == NONE {
            return Ok(Flow::Next);
        }
        if self.mode == Mode::Silent && self.memory.objects[object as usize].shared {
            return Ok(Flow::Visible);
        }
        self.end_object(thread, object)?;
        self.set_local(thread, slot, NONE);
        Ok(Flow::Next)
    }

    pub(crate) fn allocate(
        &mut self,
        thread: ThreadIdentity,
        dst: u32,
        (size, align): (Src, Src),
        (zeroed, heap, private): (bool, bool, bool),
    ) -> Done<Flow> {
        let reuses = heap && self.program.reuses_memory;
        if reuses && self.mode == Mode::Silent {
            return Ok(Flow::Visible);
        }
        let size = self.value(thread, size).bits;
        let align = alignment(self.value(thread, align).bits);
        let arena = self.threads[thread.index()].number.0 + 1;
        let kind = if heap { Kind::Heap } else { Kind::Stack };
        let span = self.place(thread).span;
        if reuses {
            self.effects.push(Effect::Allocates { thread });
            if let Some(object) = self.choose_freed(thread, size, align)? {
                self.give_again(thread, object, zeroed, span);
                self.set(thread, dst, self.memory.pointer(object, 0));
                return Ok(Flow::Next);
            }
        }
        let site = self.code.allocation_at(self.threads[thread.index()].pc).expect("an allocation should have a site");
        let declared = Declared::Alloc(site);
        let plan = Plan { size, align, kind, private: private && !reuses, zeroed, span, declared };
        let object = self.add_object(thread, arena, plan)?;
        if !heap {
            let owner = &mut self.threads[thread.index()];
            let depth = narrow(owner.frames.len() - 1);
            owner.allocations.push((depth, object));
            self.log.changes.push(Undo::AllocationPushed { thread });
        }
        let pointer = self.memory.pointer(object, 0);
        self.set(thread, dst, pointer);
        Ok(Flow::Next)
    }

    // Memory that is given out again.

    /// The freed object whose memory an allocation gets: for each that it could get the thread asks for a truth value. `None`: new
    /// memory.
    fn choose_freed(&mut self, thread: ThreadIdentity, size: u64, align: u64) -> Done<Option<u32>> {
        let bool = scalar(Ty::Bool, self.memory.target());
        for object in self.memory.freed(size, align) {
            let has = |other: ThreadIdentity| self.threads[other.index()].withheld.iter().any(|w| w.0 == object);
            let is_withheld = self.threads().any(|other| other != thread && has(other));
            if is_withheld {
                continue;
            }
            let source = NondetSource::Input("the reuse of memory".to_owned());
            if self.input(thread, bool, &source)?.bits != 0 {
                return Ok(Some(object));
            }
        }
        Ok(None)
    }

    fn give_again(&mut self, thread: ThreadIdentity, object: u32, zeroed: bool, span: Span) {
        self.effects.push(Effect::Begins { thread, object });
        self.race_given_again(thread, object);
        self.stop_withholding(thread, |withheld, _| withheld.0 == object);
        let info = self.memory.objects[object as usize];
        let range = info.start as usize..(info.start + info.size) as usize;
        if zeroed {
            self.log.bytes.extend_from_slice(&self.memory.bytes[range.clone()]);
        }
        self.log.changes.push(Undo::GivenAgain { object, zeroed: info.zeroed, span: info.span, cleared: zeroed });
        self.renew(object, false);
        if zeroed {
            self.memory.bytes[range.clone()].fill(0);
            self.memory.initialised[range].fill(1);
        }
        let info = &mut self.memory.objects[object as usize];
        (info.zeroed, info.span) = (zeroed, span);
    }

    /// Other threads get memory that was freed once the older stores of the thread that freed it are in memory.
    fn withhold(&mut self, thread: ThreadIdentity, object: u32) {
        self.race_withhold(thread, object);
        let owner = &mut self.threads[thread.index()];
        if !owner.buffer.is_empty() {
            owner.withheld.push((object, owner.counts.steps));
            self.log.changes.push(Undo::Withheld { thread });
        }
    }

    /// A store has left the thread's buffer.
    pub(crate) fn release_withheld(&mut self, thread: ThreadIdentity) {
        self.stop_withholding(thread, |&(_, freed), buffer| buffer.iter().all(|entry| entry.step > freed));
    }

    fn stop_withholding(&mut self, thread: ThreadIdentity, which: impl Fn(&(u32, StepNumber), &[Entry]) -> bool) {
        let Thread { withheld, buffer, .. } = &mut self.threads[thread.index()];
        for index in (0..withheld.len()).rev() {
            if which(&withheld[index], buffer) {
                let (object, step) = withheld.remove(index);
                self.log.changes.push(Undo::NotWithheld { thread, index: narrow(index), object, step });
            }
        }
    }

    pub(crate) fn free(&mut self, thread: ThreadIdentity, addr: Src, heap: bool) -> Done<Flow> {
        let pointer = self.passed(thread, addr);
        if pointer.bits == 0 {
            return Ok(Flow::Next);
        }
        if self.is_visible(pointer) {
            return Ok(Flow::Visible);
        }
        let kind = if heap { Kind::Heap } else { Kind::Stack };
        let wrong = match self.memory.objects.get(pointer.object as usize) {
            None => Some((ViolationKind::BadFree, "there is no such object")),
            Some(object) if object.kind != kind => Some((ViolationKind::BadFree, "the object was not allocated")),
            Some(object) if object.base != pointer.bits => {
                Some((ViolationKind::BadFree, "the pointer is not the beginning of its object"))
            }
            Some(object) if !object.alive => Some((ViolationKind::DoubleFree, "the object was freed before")),
            Some(_) => None,
        };
        if let Some((kind, message)) = wrong {
            if kind == ViolationKind::DoubleFree && self.memory.objects[pointer.object as usize].shared {
                self.effects.push(Effect::Ends { thread, object: pointer.object });
            }
            return Err(self.violation(thread, kind, message.to_owned()));
        }
        if heap && self.races.is_some() {
            let freed = pointer.object;
            if let Some(store) = self.pending_elsewhere(thread, freed) {
                self.effects.push(Effect::Ends { thread, object: freed });
                return Err(store);
            }
            self.race_free(thread, freed)?;
        }
        self.end_object(thread, pointer.object)?;
        if heap && self.program.reuses_memory {
            self.withhold(thread, pointer.object);
        }
        let owner = &mut self.threads[thread.index()];
        if !heap && let Some(index) = owner.allocations.iter().position(|a| a.1 == pointer.object) {
            let (depth, object) = owner.allocations.remove(index);
            self.log.changes.push(Undo::AllocationRemoved { thread, index: narrow(index), depth, object });
        }
        Ok(Flow::Next)
    }

    pub(crate) fn object_size(&self, thread: ThreadIdentity, addr: Src) -> Done<u64> {
        let pointer = self.passed(thread, addr);
        match self.memory.objects.get(pointer.object as usize) {
            Some(object) if object.kind == Kind::Heap => Ok(u64::from(object.size)),
            _ => {
                let message = "the pointer is not to allocated memory".to_owned();
                Err(self.violation(thread, ViolationKind::InvalidPointer, message))
            }
        }
    }

    // The ends of frames.

    /// The objects of the frames from the given depth on.
    fn frame_objects(&self, thread: ThreadIdentity, depth: usize) -> impl Iterator<Item = u32> + '_ {
        let owner = &self.threads[thread.index()];
        let first = owner.frames.get(depth).map_or(owner.locals.len(), |frame| frame.locals as usize);
        let locals = owner.locals[first..].iter().copied().filter(|&object| object != NONE);
        let allocated = owner.allocations.iter().filter(move |allocation| allocation.0 as usize >= depth);
        locals.chain(allocated.map(|allocation| allocation.1))
    }

    pub(crate) fn any_shared(&self, thread: ThreadIdentity, depth: usize) -> bool {
        self.frame_objects(thread, depth).any(|object| {
            let object = &self.memory.objects[object as usize];
            object.alive && object.shared
        })
    }

    /// Ends the lives of the objects of the frames from the given depth on.
    pub(crate) fn end_frames(&mut self, thread: ThreadIdentity, depth: usize) -> Done<()> {
        if self.frame_objects(thread, depth).next().is_none() {
            return Ok(());
        }
        let objects: Vec<u32> = self.frame_objects(thread, depth).collect();
        for object in objects {
            self.end_object(thread, object)?;
        }
        while let Some(&(at, object)) = self.threads[thread.index()].allocations.last()
            && at as usize >= depth
        {
            self.threads[thread.index()].allocations.pop();
            let index = narrow(self.threads[thread.index()].allocations.len());
            self.log.changes.push(Undo::AllocationRemoved { thread, index, depth: at, object });
        }
        Ok(())
    }

    /// The thread-local objects that end with a thread; main's do not.
    fn thread_locals(&self, thread: ThreadIdentity) -> impl Iterator<Item = u32> + '_ {
        let arena = &self.memory.arenas[self.threads[thread.index()].number.index() + 1];
        let own = arena.objects.iter().copied().take(if thread == ThreadIdentity::MAIN { 0 } else { usize::MAX });
        own.take_while(|&object| self.memory.objects[object as usize].kind == Kind::Thread)
    }

    pub(crate) fn any_thread_local_shared(&self, thread: ThreadIdentity) -> bool {
        self.thread_locals(thread).any(|object| self.memory.objects[object as usize].shared)
    }

    pub(crate) fn end_thread_locals(&mut self, thread: ThreadIdentity) -> Done<()> {
        let objects: Vec<u32> = self.thread_locals(thread).collect();
        objects.into_iter().try_for_each(|object| self.end_object(thread, object))
    }

    /// Where another thread's store would reach the object after its end, and that is assumed not to happen.
    fn pending_elsewhere(&self, ending: ThreadIdentity, object: u32) -> Option<Stop> {
        let kind = ViolationKind::UseAfterFree;
        if self.checks.treatment(kind) != Treatment::Assumption {
            return None;
        }
        let others = self.threads().filter(|&thread| thread != ending);
        let mut pending = others.flat_map(|thread| &self.threads[thread.index()].buffer);
        let store = pending.find(|entry| entry.object == object && !entry.moot)?;
        Some(Stop::Ends(Some(Assumption { span: store.place.span, kind })))
    }

    fn end_object(&mut self, thread: ThreadIdentity, object: u32) -> Done<()> {
        let info = self.memory.objects[object as usize];
        if !info.alive {
            return Ok(());
        }
        if info.shared {
            self.effects.push(Effect::Ends { thread, object });
            if let Some(store) = self.pending_elsewhere(thread, object) {
                return Err(store);
            }
        }
        for (index, entry) in self.threads[thread.index()].buffer.iter_mut().enumerate() {
            if entry.object == object && !entry.moot {
                entry.moot = true;
                self.log.changes.push(Undo::Mooted { thread, index: narrow(index) });
            }
        }
        self.race_end(object);
        self.set_alive(object, false);
        Ok(())
    }
}
