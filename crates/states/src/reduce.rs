//! When one step is enough in a state: it is independent of everything that may happen before it.
//!
//! A step of thread t may be taken alone if no other thread, from where it is, may write what the step reads or touch
//! what it writes, and no store in another thread's buffer may do so either. Then all steps that the others take first
//! could as well be taken afterwards, with the same result. The own commits of t do not matter to its own step: a load
//! sees its own newest store in the buffer or in memory, and a step that needs an empty buffer cannot come before
//! them.
//!
//! The commit of a store may be taken alone by the same rule; t itself may read what it wrote, before or after. A store to an
//! object whose life t itself has ended reaches no object: nothing depends on its commit. While there is
//! only one thread, its commits come first: nobody sees when they happen, and a creation waits for all of them.
//! Otherwise a loop of main that initialises an array would fill its buffer.
//!
//! Where memory is reused, an allocation depends on other allocations and frees, and on the commits after which other
//! threads may have the freed memory. Commits and frees only add to the memory that may be allocated, and new memory may
//! always be had: so it does no harm if they come first.
//!
//! A creation is enough by itself. A loop that creates threads for ever never comes back to a state, so it could put
//! off the steps of others for ever. But there is room for a limited number of threads only. Where the room is used
//! up, the search begins anew, with more room or with creations held.
//!
//! The end of the program depends on everything. Threads that several threads create get their numbers in the order of
//! creation, so as long as two threads may create more, nothing is left out. Spurious wake-ups are never taken alone,
//! or a deadlock could be missed.

use crate::future::{Future, Futures, Places};
use crate::walk::{Choice, Walk};
use norn_engine::Prepared;
use norn_exec::op::{Code, Op};
use norn_exec::{Effect, Executor, Status, ThreadIdentity};
use norn_ir::instr::Order;
use norn_ir::number::narrow;
use norn_verdict::model::Model;
use norn_verdict::trace::ThreadIndex;

pub struct Reducer<'a> {
    program: &'a Prepared,
    code: &'a Code,
    futures: &'a Futures,
    /// By number of thread: what it may still do, with the commits of its buffer.
    of_threads: Vec<Future>,
    /// What the others may do.
    others: Future,
}

impl<'a> Reducer<'a> {
    pub fn new(program: &'a Prepared, code: &'a Code, futures: &'a Futures) -> Reducer<'a> {
        Reducer { program, code, futures, of_threads: Vec::new(), others: Future::default() }
    }

    /// A step that is enough in the current state, if one is found.
    pub fn choose(&mut self, walk: &mut Walk<'_>) -> Option<Choice> {
        let count = walk.executor.thread_count();
        if walk.executor.exited().is_some() {
            return None;
        }
        if count < 2 {
            return only_commit(&walk.executor);
        }
        self.look_ahead(&walk.executor);
        if self.of_threads[..count].iter().filter(|future| future.spawns).count() > 1 {
            return None;
        }
        if let Some(commit) = moot_commit(&walk.executor) {
            return Some(commit);
        }
        for number in ThreadIndex::all(count) {
            let thread = walk.executor.identity(number);
            let owner = walk.executor.thread(thread);
            let (ready, waiting) = (owner.status == Status::Ready, !owner.buffer.is_empty());
            if !ready && !waiting {
                continue;
            }
            self.others = Future::default();
            let others = self.of_threads[..count].iter().enumerate().filter(|&(other, _)| other != number.index());
            others.for_each(|(_, future)| self.others.add(future));
            // The program may end before a step. Nobody can tell whether a creation was before that.
            let is_alone = !self.others.exits || self.is_creation(walk, thread);
            // What waits is taken along with a step anyway.
            let waits = walk.absorber.as_ref().is_some_and(|absorber| absorber.waiting(number) > 0);
            if ready && is_alone && !waits && !walk.is_bounded(thread) && self.is_enough(walk, number, thread) {
                return Some(Choice::Run(number));
            }
            if waiting && !self.others.exits && !self.of_threads[number.index()].exits {
                let buffer = &walk.executor.thread(thread).buffer;
                let free = (0..buffer.len()).find(|&index| {
                    let place = Places::of_object(walk.executor.memory(), buffer[index].object);
                    walk.executor.can_commit(thread, buffer[index].step) && !self.conflicts(place, true)
                });
                if let Some(index) = free {
                    return Some(Choice::Commit(number, narrow(index)));
                }
            }
        }
        None
    }

    fn look_ahead(&mut self, executor: &Executor<'_>) {
        self.of_threads.clear();
        for number in executor.numbers() {
            self.of_threads.push(self.futures.ahead(self.program, executor, number));
        }
    }

    fn conflicts(&self, place: Places, writes: bool) -> bool {
        place.meets(self.others.writes) || writes && place.meets(self.others.reads)
    }

    /// Whether every step that the thread has left may conflict with somebody's.
    fn is_hopeless(&self, number: ThreadIndex) -> bool {
        let (own, others) = (&self.of_threads[number.index()], &self.others);
        own.reads.0 & !others.writes.0 | own.writes.0 & !(others.reads.0 | others.writes.0) == 0
    }

    fn is_creation(&self, walk: &Walk<'_>, thread: ThreadIdentity) -> bool {
        matches!(self.code.ops[walk.executor.thread(thread).pc as usize], Op::Spawn(_))
    }

    fn is_enough(&self, walk: &mut Walk<'_>, number: ThreadIndex, thread: ThreadIdentity) -> bool {
        let executor = &mut walk.executor;
        let owner = executor.thread(thread);
        let (addr, writes) = match self.code.ops[owner.pc as usize] {
            Op::Load { addr, .. } => (addr, false),
            // It only goes to the buffer, where nobody sees it.
            Op::Store { addr, order, .. } if walk.setting.model != Model::Sc && order != Order::SeqCst => {
                if !walk.setting.stores_may_fail() {
                    return true;
                }
                (addr, false)
            }
            Op::Store { addr, .. } | Op::Rmw { addr, .. } | Op::CompareExchange { addr, .. } => {
                if !owner.buffer.is_empty() {
                    return false;
                }
                (addr, true)
            }
            Op::SectionBegin { .. } => return !self.is_hopeless(number) && self.is_section_enough(executor, thread),
            // Nobody sees when it happens, and who else may create was asked already.
            Op::Spawn(_) => return owner.buffer.is_empty(),
            Op::Alloc { .. } | Op::Free { .. } | Op::LocalExit(_) | Op::Return(_) | Op::ThreadExit(_) => {
                return !self.conflicts(Places::elsewhere(), true);
            }
            _ => return false,
        };
        let object = executor.peek(thread, addr).object;
        let known = (object as usize) < executor.memory().objects.len();
        known && !self.conflicts(Places::of_object(executor.memory(), object), writes)
    }

    fn is_section_enough(&self, executor: &mut Executor<'_>, thread: ThreadIdentity) -> bool {
        if executor.attempt_step(thread).is_err() || executor.was_spurious() {
            return false;
        }
        let memory = executor.memory();
        let place = |object: u32| Places::of_object(memory, object);
        executor.effects().iter().all(|effect| match *effect {
            Effect::Read { object, .. } => !self.conflicts(place(object), false),
            Effect::Write { object, .. } | Effect::Ends { object, .. } => !self.conflicts(place(object), true),
            Effect::Allocates { .. } | Effect::Begins { .. } => !self.conflicts(Places::elsewhere(), true),
            Effect::Drained { .. } => true,
            Effect::Store { .. }
            | Effect::Commit { .. }
            | Effect::Spawn { .. }
            | Effect::Join { .. }
            | Effect::Exit => false,
        })
    }
}

/// A commit that reaches no object.
fn moot_commit(executor: &Executor<'_>) -> Option<Choice> {
    executor.numbers().find_map(|number| {
        let thread = executor.identity(number);
        let buffer = &executor.thread(thread).buffer;
        let is_free = |index: &usize| buffer[*index].moot && executor.can_commit(thread, buffer[*index].step);
        let index = (0..buffer.len()).find(is_free)?;
        Some(Choice::Commit(number, narrow(index)))
    })
}

/// A commit of the only thread there is.
fn only_commit(executor: &Executor<'_>) -> Option<Choice> {
    let thread = executor.identity(ThreadIndex::MAIN);
    let buffer = &executor.thread(thread).buffer;
    let index = (0..buffer.len()).find(|&index| executor.can_commit(thread, buffer[index].step))?;
    Some(Choice::Commit(ThreadIndex::MAIN, narrow(index)))
}
