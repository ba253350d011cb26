//! Leaks: memory of the heap that nothing points to any more when the program has ended.
//!
//! The program has ended when every thread has, or when one has called `exit`. (What `abort` leaves behind is no leak.) Globals,
//! thread-local objects, what threads have returned and, at an `exit`, the registers, locals and buffered stores of
//! threads that were still running are there; main's locals are not, once it has returned. An object of the heap is not
//! lost if a number in one of these, or in another object that is not lost, is an address in it or just behind it:
//! pointers count wherever they point into the object, and also as integers, where they are stored at an aligned place.

use crate::machine::Machine;
use crate::memory::{Memory, ObjectKind, ObjectRef};
use crate::state::{State, Status};
use norn_ir::number::{narrow, to_usize};
use norn_verdict::outcome::{Violation, ViolationKind};
use std::collections::BTreeSet;

impl Machine<'_> {
    /// The violation, if the program has ended and memory is lost: of what is lost, what was allocated first in the text.
    pub fn leak(&self, state: &State) -> Option<Violation> {
        let aborted = state.exited.is_some_and(|exit| exit.status.is_none());
        if !self.checks.memory_leak || aborted || !state.is_complete() {
            return None;
        }
        let memory = &state.memory;
        let kept = kept(state, self.program.target.pointer_size());
        let lost = objects(memory).filter(|object| !kept.contains(object) && is_on_heap(memory, *object));
        let first = lost.min_by_key(|&object| (memory.object(object).info.span, object))?;
        let span = memory.object(first).info.span;
        let message = format!("nothing points to '{}' any more", self.object_name(state, first));
        Some(Violation { kind: ViolationKind::MemoryLeak, span, message })
    }
}

/// All objects that are alive.
fn objects(memory: &Memory) -> impl Iterator<Item = ObjectRef> + '_ {
    let arenas = memory.arenas.iter().enumerate();
    let all = arenas.flat_map(|(arena, found)| {
        let refs = found.objects.iter().enumerate();
        refs.map(move |(index, object)| ObjectRef { arena: narrow(arena), index: narrow(index), life: object.life })
    });
    all.filter(|&object| memory.object(object).alive)
}

fn is_on_heap(memory: &Memory, object: ObjectRef) -> bool {
    matches!(memory.object(object).info.kind, ObjectKind::Heap { .. })
}

/// The objects that are not lost.
fn kept(state: &State, pointer_size: u64) -> BTreeSet<ObjectRef> {
    let memory = &state.memory;
    let runs = |arena: u32| {
        let thread = arena.checked_sub(1).and_then(|thread| state.threads.get(thread as usize));
        thread.is_some_and(|thread| thread.status != Status::Ended)
    };
    let is_root = |object: &ObjectRef| match memory.object(*object).info.kind {
        ObjectKind::Global(_) | ObjectKind::Constant(_) | ObjectKind::ThreadLocal(_) => true,
        ObjectKind::Local { .. } | ObjectKind::Stack { .. } => runs(object.arena),
        ObjectKind::Heap { .. } => false,
    };
    let mut work: Vec<ObjectRef> = objects(memory).filter(is_root).collect();
    let mut kept: BTreeSet<ObjectRef> = work.iter().copied().collect();
    let mut found: Vec<u64> = Vec::new();
    for thread in &state.threads {
        found.push(thread.result.bits);
        found.extend(thread.buffer.iter().map(|entry| entry.value.bits));
        found.extend(thread.frames.iter().flat_map(|frame| frame.registers.iter().map(|register| register.bits)));
    }
    loop {
        for address in found.drain(..) {
            if let Some(object) = memory.pointer_from(address).object
                && is_on_heap(memory, object)
                && memory.is_alive(object)
                && kept.insert(object)
            {
                work.push(object);
            }
        }
        let Some(object) = work.pop() else { return kept };
        let words = memory.object(object).bytes().chunks_exact(to_usize(pointer_size));
        found.extend(words.map(|word| word.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))));
    }
}
