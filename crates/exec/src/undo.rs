//! The undo log: the old value of everything that changes. Undoing the changes, the last one first, restores a state
//! exactly.

use crate::executor::Executor;
use crate::memory::Value;
use crate::op::NONE;
use crate::state::{Counts, Entry, Frame, Status, Thread, ThreadIdentity};
use norn_ir::span::Span;
use norn_verdict::schedule::StepNumber;

/// A point to go back to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark(usize);

/// Something that was changed, without saying how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Where the thread is, its registers, frames or result; or it came to be.
    Thread(ThreadIdentity),
    Buffer(ThreadIdentity),
    /// Some bytes from this place of the flat memory on.
    Bytes(u32),
    /// The life of this object.
    Object(u32),
    /// A local has a new life: what points to its old one does so no more, wherever it is.
    Pointers,
    /// The program ended, or main returned.
    Exit,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Undo {
    Register {
        thread: ThreadIdentity,
        slot: u32,
        old: Value,
    },
    Control {
        thread: ThreadIdentity,
        pc: u32,
        base: u32,
        status: Status,
    },
    /// A visible step begins: the control and the number of steps before it.
    Step {
        thread: ThreadIdentity,
        pc: u32,
        base: u32,
        steps: StepNumber,
        status: Status,
    },
    Counts {
        thread: ThreadIdentity,
        old: Counts,
    },
    Memory {
        at: u32,
        size: u8,
        old: u64,
    },
    /// Which of the bytes were initialised, as a mask.
    Initialised {
        at: u32,
        size: u8,
        old: u8,
    },
    Provenance {
        index: u32,
        old: u64,
    },
    ProvenanceAdded {
        object: u32,
    },
    FramePushed {
        thread: ThreadIdentity,
    },
    /// The frame is on a stack of its own, its contents on theirs.
    FramePopped {
        thread: ThreadIdentity,
    },
    Local {
        thread: ThreadIdentity,
        slot: u32,
        old: u32,
    },
    Repeats {
        thread: ThreadIdentity,
        slot: u32,
        old: u32,
    },
    AllocationPushed {
        thread: ThreadIdentity,
    },
    AllocationRemoved {
        thread: ThreadIdentity,
        index: u32,
        depth: u32,
        object: u32,
    },
    BufferPushed {
        thread: ThreadIdentity,
    },
    BufferRemoved {
        thread: ThreadIdentity,
        index: u32,
    },
    Mooted {
        thread: ThreadIdentity,
        index: u32,
    },
    Withheld {
        thread: ThreadIdentity,
    },
    NotWithheld {
        thread: ThreadIdentity,
        index: u32,
        object: u32,
        step: StepNumber,
    },
    ObjectAdded {
        arena: u32,
        next: u64,
    },
    Alive {
        object: u32,
        old: bool,
    },
    /// With its life before.
    Renewed {
        object: u32,
        life: u32,
        dangles: bool,
    },
    /// With what was known of the object before; its bytes are kept if they were `cleared`.
    GivenAgain {
        object: u32,
        zeroed: bool,
        span: Span,
        cleared: bool,
    },
    /// With what there was before the objects of the thread.
    Spawned {
        thread: ThreadIdentity,
        objects: u32,
        bytes: u32,
        provenance: u32,
    },
    Result {
        thread: ThreadIdentity,
        old: Value,
    },
    Exited,
    MainReturned,
    /// The last change in what is known of data races.
    Race,
}

/// The log, and the stacks on which larger things are kept.
#[derive(Default, Debug)]
pub(crate) struct Log {
    pub changes: Vec<Undo>,
    pub values: Vec<Value>,
    pub words: Vec<u32>,
    pub frames: Vec<Frame>,
    pub entries: Vec<Entry>,
    pub bytes: Vec<u8>,
}

impl Executor<'_> {
    pub fn mark(&self) -> Mark {
        Mark(self.log.changes.len())
    }

    /// The number of changes in the log: roughly, the work that it took to come here.
    pub fn logged(&self) -> usize {
        self.log.changes.len()
    }

    /// What was changed since the mark; a thing may be named several times.
    pub fn changes_since(&self, mark: Mark) -> impl Iterator<Item = Change> + '_ {
        self.log.changes[mark.0..].iter().filter_map(|change| match *change {
            Undo::Register { thread, .. }
            | Undo::Control { thread, .. }
            | Undo::Step { thread, .. }
            | Undo::Counts { thread, .. }
            | Undo::FramePushed { thread }
            | Undo::FramePopped { thread }
            | Undo::Local { thread, .. }
            | Undo::Repeats { thread, .. }
            | Undo::AllocationPushed { thread }
            | Undo::AllocationRemoved { thread, .. }
            | Undo::Spawned { thread, .. }
            | Undo::Result { thread, .. } => Some(Change::Thread(thread)),
            Undo::BufferPushed { thread }
            | Undo::BufferRemoved { thread, .. }
            | Undo::Mooted { thread, .. }
            | Undo::Withheld { thread }
            | Undo::NotWithheld { thread, .. } => Some(Change::Buffer(thread)),
            Undo::Memory { at, .. } | Undo::Initialised { at, .. } => Some(Change::Bytes(at)),
            Undo::Renewed { dangles: true, .. } => Some(Change::Pointers),
            Undo::Alive { object, .. } | Undo::Renewed { object, .. } | Undo::GivenAgain { object, .. } => {
                Some(Change::Object(object))
            }
            Undo::Exited | Undo::MainReturned => Some(Change::Exit),
            // What points where changes with the bytes, and what was added is reached by something that changed.
            Undo::Provenance { .. } | Undo::ProvenanceAdded { .. } | Undo::ObjectAdded { .. } => None,
            // Who stores states looks at it after every step.
            Undo::Race => None,
        })
    }

    /// Takes back everything since the mark.
    pub fn undo_to(&mut self, mark: Mark) {
        while self.log.changes.len() > mark.0 {
            let Some(change) = self.log.changes.pop() else { return };
            self.undo(change);
        }
    }

    fn undo(&mut self, change: Undo) {
        match change {
            Undo::Register { thread, slot, old } => self.threads[thread.index()].registers[slot as usize] = old,
            Undo::Control { thread, pc, base, status } => {
                let thread = &mut self.threads[thread.index()];
                (thread.pc, thread.base, thread.status) = (pc, base, status);
            }
            Undo::Step { thread, pc, base, steps, status } => {
                let thread = &mut self.threads[thread.index()];
                (thread.pc, thread.base, thread.status, thread.counts.steps) = (pc, base, status, steps);
            }
            Undo::Counts { thread, old } => self.threads[thread.index()].counts = old,
            Undo::Memory { at, size, old } => {
                let range = at as usize..at as usize + usize::from(size);
                self.memory.bytes[range].copy_from_slice(&old.to_le_bytes()[..usize::from(size)]);
            }
            Undo::Initialised { at, size, old } => {
                for i in 0..size {
                    self.memory.initialised[at as usize + usize::from(i)] = old >> i & 1;
                }
            }
            Undo::Provenance { index, old } => self.memory.provenance[index as usize] = old,
            Undo::ProvenanceAdded { object } => {
                let object = &mut self.memory.objects[object as usize];
                self.memory.provenance.truncate(object.provenance as usize);
                object.provenance = NONE;
            }
            Undo::FramePushed { thread } => {
                let thread = &mut self.threads[thread.index()];
                if let Some(frame) = thread.frames.pop() {
                    thread.registers.truncate(frame.base as usize);
                    thread.locals.truncate(frame.locals as usize);
                    thread.repeats.truncate(frame.repeats as usize);
                }
            }
            Undo::FramePopped { thread } => {
                let thread = &mut self.threads[thread.index()];
                let Some(frame) = self.log.frames.pop() else { return };
                let function = &self.code.functions[frame.function as usize];
                let values = self.log.values.len() - function.register_types.len();
                thread.registers.extend(self.log.values.drain(values..));
                let repeats = self.log.words.len() - function.loops as usize;
                thread.repeats.extend(self.log.words.drain(repeats..));
                let locals = self.log.words.len() - function.locals.len();
                thread.locals.extend(self.log.words.drain(locals..));
                thread.frames.push(frame);
            }
            Undo::Local { thread, slot, old } => self.threads[thread.index()].locals[slot as usize] = old,
            Undo::Repeats { thread, slot, old } => self.threads[thread.index()].repeats[slot as usize] = old,
            Undo::AllocationPushed { thread } => {
                self.threads[thread.index()].allocations.pop();
            }
            Undo::AllocationRemoved { thread, index, depth, object } => {
                self.threads[thread.index()].allocations.insert(index as usize, (depth, object));
            }
            Undo::BufferPushed { thread } => {
                self.threads[thread.index()].buffer.pop();
            }
            Undo::BufferRemoved { thread, index } => {
                if let Some(entry) = self.log.entries.pop() {
                    self.threads[thread.index()].buffer.insert(index as usize, entry);
                }
            }
            Undo::Mooted { thread, index } => {
                self.threads[thread.index()].buffer[index as usize].moot = false;
            }
            Undo::Withheld { thread } => {
                self.threads[thread.index()].withheld.pop();
            }
            Undo::NotWithheld { thread, index, object, step } => {
                self.threads[thread.index()].withheld.insert(index as usize, (object, step));
            }
            Undo::ObjectAdded { arena, next } => self.memory.take_back(arena, next),
            Undo::Alive { object, old } => self.memory.objects[object as usize].alive = old,
            Undo::Renewed { object, life, .. } => {
                self.memory.objects[object as usize].life = life;
                let object = self.memory.objects[object as usize];
                let kept = self.log.bytes.len() - object.size as usize;
                let start = object.start as usize;
                self.memory.initialised[start..start + object.size as usize].copy_from_slice(&self.log.bytes[kept..]);
                self.log.bytes.truncate(kept);
            }
            Undo::GivenAgain { object, zeroed, span, cleared } => {
                let object = &mut self.memory.objects[object as usize];
                (object.zeroed, object.span) = (zeroed, span);
                if cleared {
                    let kept = self.log.bytes.len() - object.size as usize;
                    let start = object.start as usize;
                    self.memory.bytes[start..start + object.size as usize].copy_from_slice(&self.log.bytes[kept..]);
                    self.log.bytes.truncate(kept);
                }
            }
            Undo::Spawned { thread, objects, bytes, provenance } => {
                self.by_number.pop();
                self.memory.arenas.pop();
                self.memory.objects.truncate(objects as usize);
                self.memory.bytes.truncate(bytes as usize);
                self.memory.initialised.truncate(bytes as usize);
                self.memory.provenance.truncate(provenance as usize);
                let old = &mut self.threads[thread.index()];
                let name = std::mem::take(&mut old.name);
                *old = Thread::absent(name);
            }
            Undo::Result { thread, old } => self.threads[thread.index()].result = old,
            Undo::Exited => self.exited = None,
            Undo::MainReturned => self.main_returned = false,
            Undo::Race => {
                if let Some(races) = &mut self.races {
                    races.undo();
                }
            }
        }
    }
}
