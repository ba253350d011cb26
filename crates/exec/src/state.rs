//! Threads, frames and buffered stores.

use crate::memory::Value;
use crate::op::{NONE, Scalar};
use norn_ir::ids::FuncId;
use norn_ir::span::Span;
use norn_verdict::schedule::{StepNumber, ThreadName};
use norn_verdict::trace::ThreadIndex;

/// Where a thread stands after its silent run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It has not been created in this execution.
    Absent,
    /// It has a silent run before it.
    Fresh,
    /// Before a visible step.
    Ready,
    /// Its own buffer has to be empty.
    WaitsForBuffer,
    /// The thread of this identity has to end and its buffer to be empty.
    WaitsForThread(ThreadIdentity),
    /// It has stopped for ever.
    Stopped,
    /// Where termination is checked: it runs silently for ever.
    Circling,
    Ended,
}

norn_ir::ids! {
    /// A thread, by its place in the executor's table: the same in every execution, unlike its number, which is its place
    /// in the order of creation.
    ThreadIdentity = "thread";
}

impl ThreadIdentity {
    pub const MAIN: ThreadIdentity = ThreadIdentity(0);
}

/// The number of a thread that has not been created.
pub const ABSENT: ThreadIndex = ThreadIndex(NONE);

/// A thread. [`ThreadIdentity`] is its index in the executor's table.
#[derive(Clone, PartialEq, Debug)]
pub struct Thread {
    pub name: ThreadName,
    /// The thread's number as the program sees it; [`ABSENT`] if it has not been created.
    pub number: ThreadIndex,
    pub status: Status,
    pub pc: u32,
    /// Where the registers of the innermost frame begin.
    pub base: u32,
    pub registers: Vec<Value>,
    pub frames: Vec<Frame>,
    /// The live local objects of all frames.
    pub locals: Vec<u32>,
    /// How often the loops of all frames have been repeated.
    pub repeats: Vec<u32>,
    /// Memory allocated on the stack, with the depth of its frame.
    pub allocations: Vec<(u32, u32)>,
    pub buffer: Vec<Entry>,
    /// The objects that it freed while older stores were in its buffer, with the steps that freed them: their memory is not free
    /// for other threads. Only if memory is reused.
    pub withheld: Vec<(u32, StepNumber)>,
    pub counts: Counts,
    pub result: Value,
}

/// What a thread has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// The number of its latest visible step.
    pub steps: StepNumber,
    pub children: u32,
    /// The number of store-store fences passed.
    pub epoch: u32,
    /// The number of nondeterministic values taken.
    pub inputs: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    pub function: u32,
    pub base: u32,
    pub locals: u32,
    pub repeats: u32,
    /// The operation of the caller that made the call.
    pub call: u32,
    pub result: u32,
}

/// A store that has not reached memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry {
    pub object: u32,
    /// The life of the object that the store was made to.
    pub life: u32,
    pub at: u32,
    pub size: u8,
    pub ty: Scalar,
    pub value: Value,
    pub epoch: u32,
    pub step: StepNumber,
    pub place: Place,
    /// Its own thread has ended the object's life since: it will reach no object.
    pub moot: bool,
}

impl Entry {
    pub fn overlaps(&self, at: u32, size: u8) -> bool {
        !self.moot && self.at < at + u32::from(size) && at < self.at + u32::from(self.size)
    }
}

/// A place in the user's code, with the library function that was called there if the library's code is running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub span: Span,
    pub library: Option<FuncId>,
}

impl Thread {
    pub fn absent(name: ThreadName) -> Thread {
        Thread {
            name,
            number: ABSENT,
            status: Status::Absent,
            pc: 0,
            base: 0,
            registers: Vec::new(),
            frames: Vec::new(),
            locals: Vec::new(),
            repeats: Vec::new(),
            allocations: Vec::new(),
            buffer: Vec::new(),
            withheld: Vec::new(),
            counts: Counts::default(),
            result: Value::default(),
        }
    }

    pub fn is_over(&self) -> bool {
        self.status == Status::Ended && self.buffer.is_empty()
    }
}
