//! Which step is enough: one that nothing which may happen before it depends on.
//!
//! A step of thread t may be taken alone if no other thread, from where it is, may write what the step reads or touch
//! what it writes, and neither may what waits in their buffers. Then whatever the others do first could as well be done
//! afterwards, with the same result. The own commits of t do not matter to its own step: a load sees its own newest
//! store in the buffer or in memory, and whatever needs an empty buffer cannot come before them.
//!
//! The commit of a store may be taken alone by the same rule; t itself may read what it wrote, before or after.
//!
//! The end of the program depends on everything. Threads that several threads create get their numbers in the order of
//! creation, so as long as two threads may create more, nothing is left out. Spurious wake-ups are never taken alone,
//! or a deadlock could be missed.

use crate::future::{ELSEWHERE, Future, Futures};
use crate::walk::{Choice, Walk};
use norn_exec::memory::{Kind, Memory};
use norn_exec::op::{Code, Op, Src};
use norn_exec::{Effect, Executor, Status};
use norn_ir::instr::Order;
use norn_ir::program::Program;
use norn_verdict::model::Model;

pub struct Reducer<'a> {
    program: &'a Program,
    code: &'a Code,
    futures: Futures,
    /// By number of thread: what it may still do, with the commits of its buffer.
    of_threads: Vec<Future>,
    /// What the others may do.
    others: Future,
    /// Places of one step, and whether it writes them.
    accesses: Vec<(u32, bool)>,
}

impl<'a> Reducer<'a> {
    /// `None` if the program is too large to look at.
    pub fn new(program: &'a Program, code: &'a Code) -> Option<Reducer<'a>> {
        let futures = Futures::new(program, code)?;
        let others = Future::nothing(futures.words());
        Some(Reducer { program, code, futures, of_threads: Vec::new(), others, accesses: Vec::new() })
    }

    /// A step that is enough in the current state, if one is found.
    pub fn choose(&mut self, walk: &mut Walk<'_>) -> Option<Choice> {
        let count = walk.executor.thread_count();
        if count < 2 || walk.executor.exited().is_some() {
            return None;
        }
        self.look_ahead(&walk.executor);
        if self.of_threads[..count].iter().filter(|future| future.spawns).count() > 1 {
            return None;
        }
        for number in 0..count {
            let thread = walk.executor.identity(number);
            let owner = walk.executor.thread(thread);
            let (ready, waiting) = (owner.status == Status::Ready, !owner.buffer.is_empty());
            if !ready && !waiting {
                continue;
            }
            self.others.clear();
            let others = self.of_threads[..count].iter().enumerate().filter(|&(other, _)| other != number);
            others.for_each(|(_, future)| self.others.add(future));
            if self.others.exits {
                continue;
            }
            if ready && !walk.is_full(thread) && self.is_enough(walk, number, thread) {
                return Some(Choice::Run(number as u32));
            }
            if waiting && !self.of_threads[number].exits {
                let buffer = &walk.executor.thread(thread).buffer;
                let free = (0..buffer.len()).find(|&index| {
                    let place = self.place(walk.executor.memory(), buffer[index].object);
                    walk.executor.can_commit(thread, buffer[index].step) && !self.conflicts(place, true)
                });
                if let Some(index) = free {
                    return Some(Choice::Commit(number as u32, index as u32));
                }
            }
        }
        None
    }

    fn look_ahead(&mut self, executor: &Executor<'_>) {
        let count = executor.thread_count();
        while self.of_threads.len() < count {
            self.of_threads.push(Future::nothing(self.futures.words()));
        }
        for number in 0..count {
            let owner = executor.thread(executor.identity(number));
            let mut future = std::mem::take(&mut self.of_threads[number]);
            future.clear();
            if !matches!(owner.status, Status::Ended | Status::Stopped) {
                self.futures.of_thread(self.program, owner, &mut future);
            }
            for entry in &owner.buffer {
                future.write(self.place(executor.memory(), entry.object));
            }
            self.of_threads[number] = future;
        }
    }

    fn place(&self, memory: &Memory, object: u32) -> u32 {
        // Global objects are made first, in the order of their numbers.
        let fixed = matches!(memory.objects[object as usize].kind, Kind::Global | Kind::Constant);
        if fixed && object < self.futures.places() { object + 1 } else { ELSEWHERE }
    }

    fn conflicts(&self, place: u32, writes: bool) -> bool {
        self.others.may_write(place) || writes && self.others.may_read(place)
    }

    /// Whether the thread may have a step left that conflicts with nobody's.
    fn is_hopeless(&self, number: usize) -> bool {
        let own = &self.of_threads[number];
        let free = |(((reads, writes), others_read), others_write): (((&u64, &u64), &u64), &u64)| {
            reads & !others_write | writes & !(others_read | others_write)
        };
        let words = own.reads.iter().zip(&own.writes).zip(&self.others.reads).zip(&self.others.writes);
        words.map(free).all(|word| word == 0)
    }

    fn is_enough(&mut self, walk: &mut Walk<'_>, number: usize, thread: u32) -> bool {
        let executor = &mut walk.executor;
        let owner = executor.thread(thread);
        let object = |executor: &Executor<'_>, addr: Src| executor.peek(thread, addr).object;
        let (addr, writes) = match self.code.ops[owner.pc as usize] {
            Op::Load { addr, .. } => (addr, false),
            // It only goes to the buffer, where nobody sees it.
            Op::Store { order, .. } if walk.setting.model != Model::Sc && order != Order::SeqCst => return true,
            Op::Store { addr, .. } | Op::Rmw { addr, .. } | Op::CompareExchange { addr, .. } => {
                if !owner.buffer.is_empty() {
                    return false;
                }
                (addr, true)
            }
            Op::SectionBegin { .. } => return !self.is_hopeless(number) && self.is_section_enough(executor, thread),
            Op::Free { .. } | Op::LocalExit(_) | Op::Return(_) | Op::ThreadExit(_) => {
                return !self.conflicts(ELSEWHERE, true);
            }
            _ => return false,
        };
        let object = object(executor, addr);
        let known = (object as usize) < executor.memory().objects.len();
        known && !self.conflicts(self.place(executor.memory(), object), writes)
    }

    fn is_section_enough(&mut self, executor: &mut Executor<'_>, thread: u32) -> bool {
        if executor.attempt_step(thread).is_err() || executor.was_spurious() {
            return false;
        }
        self.accesses.clear();
        for effect in executor.effects() {
            match *effect {
                Effect::Read { object, .. } => self.accesses.push((object, false)),
                Effect::Write { object, .. } | Effect::Ends { object, .. } => self.accesses.push((object, true)),
                Effect::Drained { .. } => {}
                Effect::Store { .. }
                | Effect::Commit { .. }
                | Effect::Spawn { .. }
                | Effect::Join { .. }
                | Effect::Exit => return false,
            }
        }
        let memory = executor.memory();
        // The executor may have made objects in the attempt that are gone now; only the thread itself knew them.
        let known = |object: u32| (object as usize) < memory.objects.len();
        self.accesses.iter().all(|&(object, writes)| !known(object) || !self.conflicts(self.place(memory, object), writes))
    }
}
