//! Memory of the heap that nothing points to any more when the program has ended; what that means is told where the reference
//! machine finds it.

use crate::executor::Executor;
use crate::memory::Kind;
use crate::op::NONE;
use crate::state::Status;
use norn_ir::number::narrow_to;
use norn_verdict::outcome::{Violation, ViolationKind};

impl Executor<'_> {
    /// The violation, if leaks are looked for, the program has ended and memory is lost; its place is where the memory was
    /// allocated.
    pub fn leak(&self) -> Option<Violation> {
        let aborted = self.exited().is_some_and(|exited| exited.status.is_none());
        if !self.checks.memory_leak || aborted || !self.is_complete() {
            return None;
        }
        let memory = self.memory();
        let mut kept = vec![false; memory.objects.len()];
        let mut work: Vec<u32> = Vec::new();
        let mut keep = |object: u32, work: &mut Vec<u32>| {
            if !std::mem::replace(&mut kept[object as usize], true) {
                work.push(object);
            }
        };
        for (number, object) in (0..).zip(&memory.objects) {
            if object.alive && matches!(object.kind, Kind::Global | Kind::Constant | Kind::Thread) {
                keep(number, &mut work);
            }
        }
        let mut found: Vec<u64> = Vec::new();
        for identity in self.threads() {
            let thread = self.thread(identity);
            found.push(thread.result.bits);
            found.extend(thread.buffer.iter().map(|entry| entry.value.bits));
            if thread.status != Status::Ended {
                found.extend(thread.registers.iter().map(|register| register.bits));
                let allocated = thread.allocations.iter().map(|&(_, object)| object);
                for object in thread.locals.iter().copied().chain(allocated).filter(|&object| object != NONE) {
                    if memory.objects[object as usize].alive {
                        keep(object, &mut work);
                    }
                }
            }
        }
        let size = memory.target().pointer_size();
        loop {
            for address in found.drain(..) {
                let object = memory.pointer_from(address).object;
                if memory.objects.get(object as usize).is_some_and(|found| found.kind == Kind::Heap && found.alive) {
                    keep(object, &mut work);
                }
            }
            let Some(object) = work.pop() else { break };
            let object = &memory.objects[object as usize];
            let word = |number: u64| {
                let (at, size) = (object.start + narrow_to::<u32>(number * size), narrow_to(size));
                let known = if object.zeroed { u64::MAX } else { memory.known_bits(at, size) };
                memory.bits(at, size) & known
            };
            found.extend((0..u64::from(object.size) / size).map(word));
        }
        let lost = memory.objects.iter().zip(kept);
        let lost = lost.filter(|(object, kept)| object.kind == Kind::Heap && object.alive && !kept);
        let span = lost.map(|(object, _)| object.span).min()?;
        Some(Violation { kind: ViolationKind::MemoryLeak, span, message: String::new() })
    }
}
