//! Threads, frames and buffered stores.

use crate::memory::Value;
use crate::op::{NONE, Scalar};
use norn_ir::ids::FuncId;
use norn_ir::span::Span;
use norn_verdict::schedule::ThreadName;

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
    WaitsForThread(u32),
    /// It has stopped for ever.
    Stopped,
    Ended,
}

/// A thread. Its index in the executor's table is its identity: the same in every execution, unlike its number.
#[derive(Clone, PartialEq, Debug)]
pub struct Thread {
    pub name: ThreadName,
    /// The thread's number as the program sees it: threads count up in the order of creation.
    pub number: u32,
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
    pub counts: Counts,
    pub result: Value,
}

/// What a thread has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    pub steps: u32,
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
    pub step: u32,
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
            number: NONE,
            status: Status::Absent,
            pc: 0,
            base: 0,
            registers: Vec::new(),
            frames: Vec::new(),
            locals: Vec::new(),
            repeats: Vec::new(),
            allocations: Vec::new(),
            buffer: Vec::new(),
            counts: Counts::default(),
            result: Value::default(),
        }
    }

    pub fn is_over(&self) -> bool {
        self.status == Status::Ended && self.buffer.is_empty()
    }
}
