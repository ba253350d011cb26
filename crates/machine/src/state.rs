//! The state of a program between two steps: memory, threads and their store buffers.
//!
//! States are cheap to copy: what two of them have in common is shared until one changes it.

use crate::eval::Value;
use crate::memory::{Memory, ObjectRef};
use crate::race::{Clock, Follows, Races};
use norn_ir::ids::{BlockId, FuncId, Reg};
use norn_ir::program::{Function, Program};
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_verdict::schedule::{StepNumber, ThreadName};
use norn_verdict::trace::ThreadIndex;
use norn_verdict::undecided::Undecided;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub struct State {
    pub memory: Memory,
    /// In the order of creation: a thread's index is its number.
    pub threads: Vec<Rc<Thread>>,
    /// `exit` or `abort` was called: nothing happens any more.
    pub exited: Option<Exit>,
    /// `main` came to its end by a return, which ends a C program: what waits from now on need not wait for ever.
    pub main_returned: bool,
    /// Only if data races are checked.
    pub races: Option<Rc<Races>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exit {
    /// `None`: `abort`.
    pub status: Option<i32>,
}

#[derive(Clone, Debug)]
pub struct Thread {
    pub name: Rc<ThreadName>,
    /// The function it started in.
    pub start: FuncId,
    /// The calls that are active, the innermost last.
    pub frames: Vec<Frame>,
    pub status: Status,
    /// Stores that have not reached memory, oldest first. Always empty under SC.
    pub buffer: Vec<Entry>,
    /// What it has freed while its buffer was not empty, with the steps that freed it: no other thread gets that memory
    /// before the older stores have reached memory. Only if the program reuses memory.
    pub withheld: Vec<(ObjectRef, StepNumber)>,
    /// The epoch of the next store; see [`crate::models::pso`].
    pub epoch: u32,
    /// The number of its latest visible step.
    pub steps: StepNumber,
    /// The number of threads that it has created.
    pub children: u32,
    /// What it returned, once it has ended.
    pub result: Value,
    /// The block whose terminator `Stop` stopped it: a bound. Not part of what a state is, only of how it came about.
    pub cut_at: Option<(FuncId, BlockId)>,
    /// What has no meaning here and stopped it; likewise.
    pub doubt: Option<Undecided>,
}

/// Where a thread stands after it was settled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Not settled yet.
    Fresh,
    /// Before a visible step.
    Ready,
    /// Before a fence: its own buffer has to be empty.
    WaitsForBuffer,
    /// Before a join: the thread of this number has to end and to have an empty buffer.
    WaitsForThread(ThreadIndex),
    /// Stopped for ever: an assumption failed, a bound was reached, or its local state repeats.
    Stopped,
    /// Its local state repeats, where termination is checked: it runs silently for ever.
    Circling,
    Ended,
}

#[derive(Clone, Debug)]
pub struct Frame {
    pub function: FuncId,
    pub block: BlockId,
    /// The instruction of the block that comes next; in a caller, the call. Past the last: the terminator.
    pub index: u32,
    pub registers: Box<[Value]>,
    /// The live instances of the local objects.
    pub locals: Box<[Option<ObjectRef>]>,
    /// Memory allocated on the stack.
    pub allocations: Vec<ObjectRef>,
    /// Where the caller wants the result.
    pub result: Option<Reg>,
}

impl Frame {
    pub fn new(program: &Program, function: FuncId) -> Frame {
        let code = program.function(function);
        Frame {
            function,
            block: Function::ENTRY,
            index: 0,
            registers: vec![Value::default(); code.registers.len()].into_boxed_slice(),
            locals: vec![None; code.locals.len()].into_boxed_slice(),
            allocations: Vec::new(),
            result: None,
        }
    }

    /// The objects whose lives end with it.
    pub fn objects(&self) -> impl Iterator<Item = ObjectRef> + '_ {
        self.locals.iter().copied().flatten().chain(self.allocations.iter().copied())
    }

    /// Whether two frames have the same position and numbers in registers: what tells most states of a loop apart.
    pub(crate) fn is_at_the_same_point(&self, other: &Frame) -> bool {
        (self.function, self.block, self.index) == (other.function, other.block, other.index)
            && self.registers.iter().zip(&other.registers).all(|(a, b)| a.bits == b.bits)
    }

    /// The source of the instruction that comes next.
    pub fn span(&self, program: &Program) -> Span {
        let block = program.function(self.function).block(self.block);
        block.instrs.get(self.index as usize).map_or(block.terminator.span, |instr| instr.span)
    }
}

/// A store that has not reached memory.
#[derive(Clone, Debug)]
pub struct Entry {
    pub object: ObjectRef,
    pub offset: u64,
    pub ty: Ty,
    pub size: u64,
    pub value: Value,
    /// Under PSO: it may not commit before earlier stores with a smaller one.
    pub epoch: u32,
    /// The visible step that made it.
    pub step: StepNumber,
    /// For messages.
    pub place: Place,
    /// What a read of it acquires, if data races are checked.
    pub message: Option<Rc<Clock>>,
    pub follows: Follows,
    /// The thread itself has ended the object's life since: the store will reach no object.
    pub moot: bool,
}

impl Entry {
    pub fn overlaps(&self, object: ObjectRef, offset: u64, size: u64) -> bool {
        !self.moot && self.object == object && self.offset < offset + size && offset < self.offset + self.size
    }

    pub fn covers(&self, object: ObjectRef, offset: u64, size: u64) -> bool {
        self.object == object && self.offset <= offset && offset + size <= self.offset + self.size
    }
}

/// A place in the user's code, with the library function that was called there if the library's code is running.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    pub span: Span,
    pub library: Option<FuncId>,
}

impl State {
    pub fn indices(&self) -> impl Iterator<Item = ThreadIndex> + use<> {
        ThreadIndex::all(self.threads.len())
    }

    pub fn thread_mut(&mut self, thread: ThreadIndex) -> &mut Thread {
        Rc::make_mut(&mut self.threads[thread.index()])
    }

    pub fn thread_named(&self, name: &ThreadName) -> Option<ThreadIndex> {
        self.indices().find(|&thread| *self.threads[thread.index()].name == *name)
    }

    /// Whether every thread has ended (not just stopped) and every store has reached memory, or the program has exited.
    pub fn is_complete(&self) -> bool {
        let done = |thread: &Rc<Thread>| thread.status == Status::Ended && thread.buffer.is_empty();
        self.exited.is_some() || self.threads.iter().all(done)
    }
}

impl Thread {
    pub fn frame(&self) -> &Frame {
        self.frames.last().expect("a running thread should have a frame")
    }

    pub fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a running thread should have a frame")
    }

    pub fn has_ended_and_drained(&self) -> bool {
        self.status == Status::Ended && self.buffer.is_empty()
    }

    /// Where it is in the user's code.
    pub fn place(&self, program: &Program) -> Place {
        use norn_ir::program::Origin;
        let is_user = |frame: &&Frame| program.function(frame.function).origin == Origin::User;
        let Some(top) = self.frames.last() else {
            return Place { span: program.function(self.start).span, library: None };
        };
        if is_user(&top) {
            return Place { span: top.span(program), library: None };
        }
        // The library function that the user called is the one just above the innermost user's frame.
        match self.frames.iter().rposition(|frame| is_user(&frame)) {
            Some(user) => {
                Place { span: self.frames[user].span(program), library: Some(self.frames[user + 1].function) }
            }
            None => Place { span: top.span(program), library: Some(self.frames[0].function) },
        }
    }
}
