//! The state of one execution, its steps and commits.

use crate::effect::Effect;
use crate::memory::{Memory, Value};
use crate::models::{self, Source};
use crate::op::{Code, Cut, NONE, Op, Scalar, Src, UNKNOWN};
use crate::races::Races;
use crate::state::{Frame, Place, Status, Thread, ThreadIdentity};
use crate::undo::{Log, Undo};
use norn_ir::address::NOWHERE;
use norn_ir::ids::GlobalId;
use norn_ir::instr::{NondetSource, Order, SectionKind};
use norn_ir::number::narrow;
use norn_ir::program::{Origin, Storage};
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_passes::Site;
use norn_passes::analysed::Analysed;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Assumption, Checks, Reached, Treatment, Violation, ViolationKind};
use norn_verdict::schedule::{StepNumber, ThreadName};
use norn_verdict::trace::ThreadIndex;
use norn_verdict::undecided::{Undecided, Why};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// The most operations in one silent run or section, unless [`Executor::set_longest_run`] sets another number.
const LONGEST_RUN: u64 = 10_000_000;

pub struct Executor<'c> {
    pub(crate) code: &'c Code,
    pub(crate) program: &'c Analysed,
    pub(crate) model: Model,
    pub(crate) checks: Checks,
    pub(crate) memory: Memory,
    /// By identity. Threads of other executions are absent.
    pub(crate) threads: Vec<Thread>,
    /// Identities by number.
    pub(crate) by_number: Vec<ThreadIdentity>,
    pub(crate) exited: Option<Exited>,
    /// Main has returned; `pthread_exit` does not count.
    pub(crate) main_returned: bool,
    pub(crate) log: Log,
    /// Only if data races are looked for.
    pub(crate) races: Option<Box<Races>>,
    pub(crate) effects: Vec<Effect>,
    /// How many of the effects are of the visible step or commit itself.
    visible_effects: usize,
    pub(crate) mode: Mode,
    pub(crate) spurious: bool,
    script: Script,
    supplier: Option<Box<dyn Supplier + 'c>>,
    pub(crate) longest_run: u64,
    /// The values that each thread got and where; those past its count are of other executions.
    taken: Vec<Vec<(Option<Site>, u64)>>,
    /// Indeterminate values are not asked for but left open until they are used.
    open_values: bool,
    /// The current operation has used such a value.
    pub(crate) used_unknown: Cell<bool>,
    /// The address of an object was observed as a number; not undone.
    pub(crate) observed: Cell<bool>,
    identities: BTreeMap<(ThreadIdentity, u32), ThreadIdentity>,
    /// Which cuts some execution has reached; not undone.
    reached: Vec<bool>,
    /// The first thing without a meaning that a silent run has come to; not undone.
    pub(crate) doubt: Option<Undecided>,
    /// What some execution met and is assumed not to happen; not undone.
    assumptions: BTreeSet<Assumption>,
    /// By message: whether some execution came to its assertion; not undone.
    pub(crate) checked: Vec<bool>,
    /// By function: whether some execution started a thread in it; not undone.
    pub(crate) started: Vec<bool>,
    /// The program has code that creates threads.
    pub(crate) may_create: bool,
}

/// How `exit` or `abort` ended the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exited {
    /// `None`: `abort`.
    pub status: Option<i32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Silent,
    /// This one operation is the visible step.
    Step,
    Section(SectionKind),
}

/// Why a step was not taken to its end. The changes that it has made so far can be undone.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    NotEnabled,
    /// The step is not enabled because a bound would stop the thread inside of a section.
    Cut,
    Violation(Box<Violation>),
    NeedInput(Request),
    /// What happens next has no meaning here, or would take too long or too much memory.
    Undecided(Box<Undecided>),
    /// What is assumed not to happen would happen, or something that ends the program. Only inside of the executor: the
    /// thread stops there.
    Ends(Option<Assumption>),
}

/// A nondeterministic value that the script does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub thread: ThreadIdentity,
    /// The number of values that the thread has taken before.
    pub position: usize,
    pub ty: Ty,
    pub source: NondetSource,
    /// The instruction that asks; `None` for a read of memory that is not initialised.
    pub site: Option<Site>,
    /// The place of the request in the user's code.
    pub span: Span,
}

/// The value that a thread gets at one position of its sequence of requests. Different executions may make that request
/// at different instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    Anywhere(u64),
    /// Only for a request with this site.
    At(Option<Site>, u64),
}

/// Choices by thread and position.
pub type Script = BTreeMap<ThreadName, Vec<Vec<Choice>>>;

pub(crate) type Done<T> = Result<T, Stop>;

/// A source of values that the script does not have, so that a step need not begin anew for each of them.
pub trait Supplier {
    /// A value for the instruction that asks; it is cut to the width of the type. `None` for the site: a read of memory that
    /// is not initialised.
    fn next(&mut self, ty: Ty, source: &NondetSource, site: Option<Site>) -> u64;

    /// Two numbers of this type have been compared.
    fn compared(&mut self, ty: Scalar, lhs: u64, rhs: u64);
}

impl<'c> Executor<'c> {
    /// The state before anything ran; `code` should be that of the program.
    pub fn new(program: &'c Analysed, code: &'c Code, model: Model, checks: Checks) -> Done<Executor<'c>> {
        let span = program.function(program.entry).span;
        let mut executor = Executor {
            code,
            program,
            model,
            checks,
            memory: Memory::new(program.target),
            threads: Vec::new(),
            by_number: Vec::new(),
            exited: None,
            main_returned: false,
            log: Log::default(),
            races: checks.data_race.then(Box::default),
            effects: Vec::new(),
            visible_effects: 0,
            mode: Mode::Silent,
            spurious: false,
            script: Script::new(),
            supplier: None,
            longest_run: LONGEST_RUN,
            taken: Vec::new(),
            open_values: false,
            used_unknown: Cell::new(false),
            observed: Cell::new(false),
            identities: BTreeMap::new(),
            reached: vec![false; code.cuts.len()],
            doubt: None,
            assumptions: BTreeSet::new(),
            checked: vec![false; code.messages.len()],
            started: vec![false; code.functions.len()],
            may_create: code.ops.iter().any(|op| matches!(op, Op::Spawn(_))),
        };
        let full = |words: String| Stop::Undecided(Box::new(Undecided::at(Why::too_large(words), span)));
        executor.memory.add_globals(program, false).map_err(full)?;
        executor.threads.push(Thread::absent(ThreadName::main()));
        executor.create(ThreadIdentity::MAIN).map_err(full)?;
        executor.race_create(ThreadIdentity::MAIN, None);
        let main = &code.functions[code.entry as usize];
        executor.push_frame(ThreadIdentity::MAIN, code.entry, NONE, NONE);
        executor.threads[0].pc = main.start;
        Ok(executor)
    }

    /// Runs the entry function to its first visible step. To be called once, before any step.
    pub fn start(&mut self) -> Done<()> {
        self.effects.clear();
        self.visible_effects = 0;
        self.settle_all()
    }

    /// Sets the nondeterministic values to use.
    pub fn set_script(&mut self, script: Script) {
        self.script = script;
    }

    /// Sets the source of values that the script does not have.
    pub fn set_supplier(&mut self, supplier: Box<dyn Supplier + 'c>) {
        self.supplier = Some(supplier);
    }

    /// How many operations a thread may execute without a visible step, or in one section.
    pub fn set_longest_run(&mut self, operations: u64) {
        self.longest_run = operations;
    }

    /// The nondeterministic values that a thread has got so far, and where it asked for them. Values that were left open
    /// are 0, or point nowhere.
    pub fn inputs_taken(&self, thread: ThreadIdentity) -> &[(Option<Site>, u64)] {
        let count = self.threads[thread.index()].counts.inputs as usize;
        self.taken.get(thread.index()).map_or(&[], |taken| &taken[..count.min(taken.len())])
    }

    /// Sets the value for the thread's request at this position. Values for later positions are forgotten.
    pub fn give_input(&mut self, thread: ThreadIdentity, position: usize, value: u64) {
        let name = &self.threads[thread.index()].name;
        if !self.script.contains_key(name) {
            self.script.insert(name.clone(), Vec::new());
        }
        if let Some(values) = self.script.get_mut(name) {
            // Indeterminate values that were left open have positions too.
            values.resize(position, Vec::new());
            values.push(vec![Choice::Anywhere(value)]);
        }
    }

    /// Forgets the values that the threads have not taken yet.
    pub fn forget_inputs(&mut self) {
        for thread in &self.threads {
            if let Some(values) = self.script.get_mut(&thread.name) {
                values.truncate(thread.counts.inputs as usize);
            }
        }
    }

    /// Indeterminate values (results that a function does not give, variables and memory that are not initialised) are
    /// not asked for. They may be passed on, also by way of memory; an access through such a pointer is invalid.
    /// A step that uses one otherwise is not supported.
    pub fn leave_values_open(&mut self) {
        self.open_values = true;
    }

    // What there is.

    /// The number of identities that have been given out so far; some threads may be absent from this execution.
    pub fn identities(&self) -> usize {
        self.threads.len()
    }

    pub fn thread_count(&self) -> usize {
        self.by_number.len()
    }

    /// The identity of the thread with the given number.
    pub fn identity(&self, number: ThreadIndex) -> ThreadIdentity {
        self.by_number[number.index()]
    }

    /// The numbers of the threads that have been created.
    pub fn numbers(&self) -> impl DoubleEndedIterator<Item = ThreadIndex> + Clone + use<> {
        ThreadIndex::all(self.by_number.len())
    }

    /// The threads that have been created, in the order of creation.
    pub fn threads(&self) -> impl Iterator<Item = ThreadIdentity> + '_ {
        self.by_number.iter().copied()
    }

    pub fn thread(&self, thread: ThreadIdentity) -> &Thread {
        &self.threads[thread.index()]
    }

    pub fn status(&self, thread: ThreadIdentity) -> Status {
        self.threads[thread.index()].status
    }

    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Whether freed memory may be given out again.
    pub fn reuses_memory(&self) -> bool {
        self.program.reuses_memory
    }

    pub fn exited(&self) -> Option<Exited> {
        self.exited
    }

    pub fn main_returned(&self) -> bool {
        self.main_returned
    }

    /// What stopped a thread in some execution so that nothing is known about what follows; its first reason.
    pub fn doubt(&self) -> Option<&Undecided> {
        self.doubt.as_ref()
    }

    /// The effects of the last step (or attempt).
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// The effects of the last step: those of its visible part, and those of the silent runs after it.
    pub fn split_effects(&self) -> (&[Effect], &[Effect]) {
        self.effects.split_at(self.visible_effects.min(self.effects.len()))
    }

    /// Whether the last step was a spurious wake-up.
    pub fn was_spurious(&self) -> bool {
        self.spurious
    }

    pub fn cuts(&self) -> impl Iterator<Item = (Cut, bool)> + '_ {
        self.code.cuts.iter().copied().zip(self.reached.iter().copied())
    }

    /// The assumptions that all executions so far rest on.
    pub fn assumptions(&self) -> impl Iterator<Item = Assumption> + '_ {
        self.assumptions.iter().copied()
    }

    /// The checks and thread functions that executions have reached so far.
    pub fn reached(&self) -> Reached {
        let is_checked = |op: &Op| matches!(op, Op::Assert { message, .. } if self.checked[*message as usize]);
        let ops = self.code.ops.iter().zip(&self.code.spans);
        let checks = ops.filter(|(op, _)| is_checked(op)).map(|(_, &span)| span).collect();
        let functions = self.code.functions.iter().zip(&self.started);
        let started = functions.filter(|(_, started)| **started);
        let threads = started.map(|(function, _)| self.program.function(function.id).span).collect();
        Reached { checks, threads }
    }

    /// The content of a global object that is not thread-local.
    pub fn global(&self, id: GlobalId) -> &[u8] {
        let same = |g: &&norn_ir::program::Global| g.storage != Storage::Thread;
        let number = self.program.globals[..id.index()].iter().filter(same).count();
        let object = &self.memory.objects[self.memory.arenas[0].objects[number] as usize];
        &self.memory.bytes[object.start as usize..(object.start + object.size) as usize]
    }

    // What may happen.

    /// The stores of a thread that may reach memory now, by the steps that made them.
    pub fn commits(&self, thread: ThreadIdentity) -> impl Iterator<Item = StepNumber> + '_ {
        let buffer = &self.threads[thread.index()].buffer;
        let over = self.exited.is_some();
        let may = move |&(at, _): &(usize, &crate::state::Entry)| !over && models::can_commit(self.model, buffer, at);
        buffer.iter().enumerate().filter(may).map(|(_, entry)| entry.step)
    }

    pub fn can_commit(&self, thread: ThreadIdentity, step: StepNumber) -> bool {
        let buffer = &self.threads[thread.index()].buffer;
        let at = buffer.iter().position(|entry| entry.step == step);
        self.exited.is_none() && at.is_some_and(|at| models::can_commit(self.model, buffer, at))
    }

    /// Whether the thread stands before a section that may not be enabled, depending on memory.
    pub fn may_block(&self, thread: ThreadIdentity) -> bool {
        let thread = &self.threads[thread.index()];
        thread.status == Status::Ready
            && matches!(self.code.ops[thread.pc as usize], Op::SectionBegin { may_block: true, .. })
    }

    /// Whether the thread's next step may be a spurious wake-up.
    pub fn may_wake(&self, thread: ThreadIdentity) -> bool {
        let thread = &self.threads[thread.index()];
        thread.status == Status::Ready
            && matches!(self.code.ops[thread.pc as usize], Op::SectionBegin { may_wake: true, .. })
    }

    /// Whether the thread can take a step that is no spurious wake-up.
    pub fn can_step_for_a_cause(&mut self, thread: ThreadIdentity) -> bool {
        self.spurious = false;
        self.can_step(thread) && !self.spurious
    }

    /// Whether the set of places that the thread's next step reads or writes depends on values that the step reads.
    pub fn accesses_vary(&self, thread: ThreadIdentity) -> bool {
        let thread = &self.threads[thread.index()];
        let reuses = self.program.reuses_memory;
        let varies = |op: Op| match op {
            Op::CompareExchange { .. } | Op::SectionBegin { .. } => true,
            Op::Alloc { .. } => reuses,
            _ => false,
        };
        thread.status == Status::Ready && varies(self.code.ops[thread.pc as usize])
    }

    /// Whether the thread can take a step. For a section that may block, this takes the step and undoes it; then
    /// [`Executor::effects`] has the places that it read.
    pub fn can_step(&mut self, thread: ThreadIdentity) -> bool {
        if self.exited.is_some() || self.status(thread) != Status::Ready {
            return false;
        }
        let waiting = &self.threads[thread.index()];
        let op = self.code.ops[waiting.pc as usize];
        if waiting.buffer.is_empty() && !matches!(op, Op::SectionBegin { may_block: true, .. }) {
            return true;
        }
        match op {
            Op::Load { ty, addr, .. } => {
                let pointer = self.passed(thread, addr);
                match self.place_of(pointer) {
                    Some(at) => models::source(&waiting.buffer, at, ty.size) != Source::Waits,
                    None => true,
                }
            }
            Op::Store { order, .. } => order != Order::SeqCst || waiting.buffer.is_empty(),
            Op::Spawn(_) => waiting.buffer.is_empty(),
            Op::SectionBegin { may_block, kind, .. } => {
                let blocked = kind != SectionKind::Read && !waiting.buffer.is_empty();
                !blocked && (!may_block || self.attempt(thread))
            }
            _ => self.attempt(thread),
        }
    }

    fn attempt(&mut self, thread: ThreadIdentity) -> bool {
        !matches!(self.attempt_step(thread), Err(Stop::NotEnabled | Stop::Cut))
    }

    /// Whether only a bound keeps the thread from taking its next step.
    pub fn is_cut(&mut self, thread: ThreadIdentity) -> bool {
        self.may_block(thread) && self.attempt_step(thread) == Err(Stop::Cut)
    }

    /// Takes the visible part of a step and undoes it. [`Executor::effects`] has its effects on objects that were there
    /// before; objects that the step made are gone, and no other thread knew them.
    pub fn attempt_step(&mut self, thread: ThreadIdentity) -> Done<()> {
        let mark = self.mark();
        let result = self.act(thread);
        self.undo_to(mark);
        let objects = self.memory.objects.len();
        self.effects.retain(|effect| effect.object().is_none_or(|object| (object as usize) < objects));
        self.visible_effects = self.effects.len();
        result
    }

    fn place_of(&self, pointer: Value) -> Option<u32> {
        let object = self.memory.objects.get(pointer.object as usize)?;
        let offset = pointer.bits.wrapping_sub(object.base);
        (offset <= u64::from(object.size)).then(|| object.start + narrow(offset))
    }

    /// Takes the visible step of a thread and runs silently what can run then.
    pub fn step(&mut self, thread: ThreadIdentity) -> Done<()> {
        self.act(thread)?;
        self.visible_effects = self.effects.len();
        if self.exited.is_none() && self.can_go_on(thread) {
            // What the silent run changes first was saved with the step.
            self.settle_saved(thread)?;
        }
        self.settle_all()
    }

    /// The visible part of a step only.
    fn act(&mut self, thread: ThreadIdentity) -> Done<()> {
        self.effects.clear();
        self.spurious = false;
        if self.exited.is_some() || self.status(thread) != Status::Ready {
            return Err(Stop::NotEnabled);
        }
        let mark = self.mark();
        self.begin_step(thread, Status::Fresh);
        let mut result = self.visible(thread);
        self.mode = Mode::Silent;
        if let Err(Stop::Ends(assumption)) = result {
            // The step counts, and depends on what it looked at, but changes nothing.
            self.undo_to(mark);
            self.begin_step(thread, Status::Stopped);
            self.assume(assumption);
            // What a section made or wrote itself is gone, and nobody else knew it. The last effect is what it failed at.
            let objects = self.memory.objects.len();
            let mut left = self.effects.len();
            self.effects.retain(|effect| {
                left -= 1;
                let is_there = effect.object().is_none_or(|object| (object as usize) < objects);
                is_there && (left == 0 || !matches!(effect, Effect::Write { .. }))
            });
            result = Ok(());
        }
        self.visible_effects = self.effects.len();
        result
    }

    fn begin_step(&mut self, thread: ThreadIdentity, status: Status) {
        let taking = &mut self.threads[thread.index()];
        let Thread { pc, base, status: old, .. } = *taking;
        self.log.changes.push(Undo::Step { thread, pc, base, steps: taking.counts.steps, status: old });
        taking.counts.steps = taking.counts.steps.next();
        taking.status = status;
    }

    /// A thread stops because of this.
    pub(crate) fn assume(&mut self, assumption: Option<Assumption>) {
        self.assumptions.extend(assumption);
    }

    /// The store that the thread made with the given step reaches memory.
    pub fn commit(&mut self, thread: ThreadIdentity, step: StepNumber) -> Done<()> {
        self.effects.clear();
        self.spurious = false;
        let buffer = &self.threads[thread.index()].buffer;
        let Some(index) = buffer.iter().position(|entry| entry.step == step) else { return Err(Stop::NotEnabled) };
        if self.exited.is_some() || !models::can_commit(self.model, buffer, index) {
            return Err(Stop::NotEnabled);
        }
        let entry = self.threads[thread.index()].buffer.remove(index);
        self.log.entries.push(entry);
        self.log.changes.push(Undo::BufferRemoved { thread, index: narrow(index) });
        let (object, at, size, epoch) = (entry.object, entry.at, entry.size, entry.epoch);
        self.effects.push(Effect::Commit { thread, object, at, size, step, epoch, moot: entry.moot });
        self.release_withheld(thread);
        if !entry.moot && !self.memory.is_alive(object, entry.life) {
            let message = "a buffered store reaches memory after the end of its object's life".to_owned();
            return Err(match self.violation_at(ViolationKind::UseAfterFree, message, entry.place) {
                // The thread that would have ended the life has stopped instead.
                Stop::Ends(_) => Stop::NotEnabled,
                violation => violation,
            });
        }
        self.race_commit(thread, step, (!entry.moot).then_some((at, size)));
        if !entry.moot {
            self.write_memory(object, at, entry.ty, entry.value);
        }
        self.visible_effects = self.effects.len();
        if self.exited.is_none() && self.can_go_on(thread) {
            self.settle(thread)?;
        }
        self.settle_all()
    }

    fn settle_all(&mut self) -> Done<()> {
        while self.exited.is_none() {
            let Some(&next) = self.by_number.iter().find(|&&thread| self.can_go_on(thread)) else { break };
            self.settle(next)?;
        }
        Ok(())
    }

    fn can_go_on(&self, thread: ThreadIdentity) -> bool {
        let thread = &self.threads[thread.index()];
        match thread.status {
            Status::Fresh => true,
            Status::WaitsForBuffer => thread.buffer.is_empty(),
            Status::WaitsForThread(other) => self.threads[other.index()].is_over(),
            Status::Absent | Status::Ready | Status::Stopped | Status::Circling | Status::Ended => false,
        }
    }

    /// Whether every thread has ended (not just stopped) and every store has reached memory, or the program has exited.
    pub fn is_complete(&self) -> bool {
        self.exited.is_some() || self.threads().all(|thread| self.threads[thread.index()].is_over())
    }

    /// Whether waiting for ever would be a deadlock here: main has not returned, no thread was stopped, nothing is
    /// buffered. The caller has to know whether some thread can take a step that is not spurious.
    pub fn could_deadlock(&self) -> bool {
        let excused = |thread: ThreadIdentity| {
            let thread = &self.threads[thread.index()];
            matches!(thread.status, Status::Stopped | Status::Circling) || !thread.buffer.is_empty()
        };
        !self.is_complete() && !self.main_returned && !self.threads().any(excused)
    }

    /// Whether the execution may be one that never ends: neither has the program ended nor has a thread stopped.
    pub fn may_go_on(&self) -> bool {
        !self.is_complete()
            && !self.main_returned
            && !self.threads().any(|thread| self.status(thread) == Status::Stopped)
    }

    /// The violation for a deadlock; its place is where the first thread waits.
    pub fn deadlock(&self) -> Violation {
        let waiting = self.threads().find(|&thread| self.status(thread) != Status::Ended);
        let span = waiting.map_or(Span::NONE, |thread| self.place(thread).span);
        Violation { kind: ViolationKind::Deadlock, span, message: String::new() }
    }

    // Threads and frames.

    /// Makes a thread present, with its thread-local objects; it still needs a frame.
    pub(crate) fn create(&mut self, thread: ThreadIdentity) -> Result<(), String> {
        let before = (self.memory.objects.len(), self.memory.bytes.len(), self.memory.provenance.len());
        let (objects, bytes, provenance) = (narrow(before.0), narrow(before.1), narrow(before.2));
        self.memory.add_globals(self.program, true)?;
        let number = ThreadIndex::new(self.by_number.len());
        self.by_number.push(thread);
        let created = &mut self.threads[thread.index()];
        created.number = number;
        created.status = Status::Fresh;
        self.log.changes.push(Undo::Spawned { thread, objects, bytes, provenance });
        Ok(())
    }

    /// The identity of the `n`-th child of a thread.
    pub(crate) fn child(&mut self, thread: ThreadIdentity, n: u32) -> ThreadIdentity {
        let next = ThreadIdentity::new(self.threads.len());
        let identity = *self.identities.entry((thread, n)).or_insert(next);
        if identity == next {
            let name = self.threads[thread.index()].name.child(n);
            self.threads.push(Thread::absent(name));
        }
        identity
    }

    pub(crate) fn push_frame(&mut self, thread: ThreadIdentity, function: u32, call: u32, result: u32) {
        let code = &self.code.functions[function as usize];
        let owner = &mut self.threads[thread.index()];
        let frame = Frame {
            function,
            base: narrow(owner.registers.len()),
            locals: narrow(owner.locals.len()),
            repeats: narrow(owner.repeats.len()),
            call,
            result,
        };
        owner.registers.resize(owner.registers.len() + code.register_types.len(), Value::default());
        owner.locals.resize(owner.locals.len() + code.locals.len(), NONE);
        owner.repeats.resize(owner.repeats.len() + code.loops as usize, 0);
        owner.frames.push(frame);
        owner.base = frame.base;
        self.log.changes.push(Undo::FramePushed { thread });
    }

    /// Pops the innermost frame and keeps what was in it for undoing. Position and base are the caller's to set.
    pub(crate) fn pop_frame(&mut self, thread: ThreadIdentity) -> Option<Frame> {
        let owner = &mut self.threads[thread.index()];
        let frame = owner.frames.pop()?;
        self.log.values.extend(owner.registers.drain(frame.base as usize..));
        self.log.words.extend(owner.locals.drain(frame.locals as usize..));
        self.log.words.extend(owner.repeats.drain(frame.repeats as usize..));
        self.log.frames.push(frame);
        self.log.changes.push(Undo::FramePopped { thread });
        Some(frame)
    }

    // Logged changes.

    pub(crate) fn save_control(&mut self, thread: ThreadIdentity) {
        let Thread { pc, base, status, .. } = self.threads[thread.index()];
        self.log.changes.push(Undo::Control { thread, pc, base, status });
    }

    pub(crate) fn save_counts(&mut self, thread: ThreadIdentity) {
        self.log.changes.push(Undo::Counts { thread, old: self.threads[thread.index()].counts });
    }

    pub(crate) fn set(&mut self, thread: ThreadIdentity, register: u32, value: Value) {
        let owner = &mut self.threads[thread.index()];
        let slot = owner.base + register;
        let old = std::mem::replace(&mut owner.registers[slot as usize], value);
        self.log.changes.push(Undo::Register { thread, slot, old });
    }

    /// An operand that is used.
    pub(crate) fn value(&self, thread: ThreadIdentity, src: Src) -> Value {
        let value = self.passed(thread, src);
        if value.object == UNKNOWN {
            self.used_unknown.set(true);
        }
        value
    }

    /// The value of an operand of the operation that a thread stands before.
    pub fn peek(&self, thread: ThreadIdentity, src: Src) -> Value {
        self.passed(thread, src)
    }

    /// An operand that is only passed on.
    #[inline]
    pub(crate) fn passed(&self, thread: ThreadIdentity, src: Src) -> Value {
        match src {
            Src::Reg(register) => {
                let owner = &self.threads[thread.index()];
                owner.registers[(owner.base + register) as usize]
            }
            Src::Imm(bits) => Value::int(bits),
            address => self.address(thread, address),
        }
    }

    /// An operand that is the address of an object.
    fn address(&self, thread: ThreadIdentity, src: Src) -> Value {
        let owner = &self.threads[thread.index()];
        match src {
            Src::Reg(_) | Src::Imm(_) => self.passed(thread, src),
            Src::Pointer(index) => {
                let (number, offset) = self.code.pointers[index as usize];
                self.memory.pointer(self.memory.arenas[0].objects[number as usize], offset)
            }
            Src::ThreadPointer(index) => {
                let (number, offset) = self.code.thread_pointers[index as usize];
                let arena = &self.memory.arenas[owner.number.index() + 1];
                self.memory.pointer(arena.objects[number as usize], offset)
            }
            Src::Local(index) => {
                let (local, offset) = self.code.local_pointers[index as usize];
                let frame = owner.frames.last().expect("a running thread should have a frame");
                self.memory.pointer(owner.locals[(frame.locals + local) as usize], offset)
            }
        }
    }

    pub(crate) fn input(&mut self, thread: ThreadIdentity, ty: Scalar, source: &NondetSource) -> Done<Value> {
        let position = self.threads[thread.index()].counts.inputs as usize;
        let site = self.code.input_at(self.threads[thread.index()].pc);
        if self.open_values && ty.ty != Ty::Bool && matches!(source, NondetSource::Uninitialised(_)) {
            let bits = if ty.is_pointer() { NOWHERE } else { 0 };
            self.take(thread, site, bits);
            return Ok(Value { bits, object: UNKNOWN, life: 0 });
        }
        let choices = self.script.get(&self.threads[thread.index()].name).and_then(|values| values.get(position));
        let given = choices.into_iter().flatten().find_map(|choice| match *choice {
            Choice::Anywhere(value) => Some(value),
            Choice::At(at, value) => (at == site).then_some(value),
        });
        let given = given.or_else(|| self.supplier.as_mut().map(|supplier| supplier.next(ty.ty, source, site)));
        let Some(bits) = given else {
            let span = self.place(thread).span;
            return Err(Stop::NeedInput(Request { thread, position, ty: ty.ty, source: source.clone(), site, span }));
        };
        let bits = ty.cut(bits);
        self.take(thread, site, bits);
        Ok(if ty.is_pointer() { self.pointer_from(bits) } else { Value::int(bits) })
    }

    #[inline]
    pub(crate) fn tell_compared(&mut self, ty: Scalar, lhs: u64, rhs: u64) {
        if let Some(supplier) = &mut self.supplier {
            supplier.compared(ty, lhs, rhs);
        }
    }

    fn take(&mut self, thread: ThreadIdentity, site: Option<Site>, bits: u64) {
        self.save_counts(thread);
        let counts = &mut self.threads[thread.index()].counts;
        let position = counts.inputs as usize;
        counts.inputs += 1;
        if self.taken.len() <= thread.index() {
            self.taken.resize(thread.index() + 1, Vec::new());
        }
        let taken = &mut self.taken[thread.index()];
        taken.truncate(position);
        taken.push((site, bits));
    }

    pub(crate) fn reach(&mut self, cut: u32) {
        self.reached[cut as usize] = true;
    }

    // What goes wrong.

    /// Where a thread is in the user's code.
    pub fn place(&self, thread: ThreadIdentity) -> Place {
        let owner = &self.threads[thread.index()];
        let is_user = |frame: &Frame| self.code.functions[frame.function as usize].origin == Origin::User;
        let id = |frame: &Frame| Some(self.code.functions[frame.function as usize].id);
        let span_at = |pc: u32| self.code.spans[pc as usize];
        let (Some(top), Some(bottom)) = (owner.frames.last(), owner.frames.first()) else {
            return Place { span: self.program.function(self.program.entry).span, library: None };
        };
        if is_user(top) {
            return Place { span: span_at(owner.pc), library: None };
        }
        match owner.frames.iter().rposition(is_user) {
            Some(user) => {
                let called = &owner.frames[user + 1];
                Place { span: span_at(called.call), library: id(called) }
            }
            None => Place { span: span_at(owner.pc), library: id(bottom) },
        }
    }

    pub(crate) fn violation(&self, thread: ThreadIdentity, kind: ViolationKind, message: String) -> Stop {
        self.violation_at(kind, message, self.place(thread))
    }

    /// Something went wrong: a violation if it is checked for, else assumed not to happen.
    pub(crate) fn violation_at(&self, kind: ViolationKind, message: String, place: Place) -> Stop {
        match self.checks.treatment(kind) {
            Treatment::Violation => Stop::Violation(Box::new(Violation { kind, span: place.span, message })),
            Treatment::Assumption => Stop::Ends(Some(Assumption { span: place.span, kind })),
            Treatment::Stop | Treatment::Ignored => Stop::Ends(None),
        }
    }

    pub(crate) fn no_meaning(&self, thread: ThreadIdentity, words: impl Into<Cow<'static, str>>) -> Stop {
        Stop::Undecided(Box::new(Undecided::at(Why::no_meaning(words), self.place(thread).span)))
    }

    pub(crate) fn too_large(&self, thread: ThreadIdentity, words: String) -> Stop {
        Stop::Undecided(Box::new(Undecided::at(Why::too_large(words), self.place(thread).span)))
    }
}
