//! Accesses that are taken together with the step after them, because nobody else has a part in them.
//!
//! Threads write nodes before they publish them, and read what others have published: memory that others access too, but
//! never at the same time. Whether that is so cannot be told beforehand, so it is assumed of each access until an
//! execution shows otherwise. The accesses that a thread stands before, up to the first that is *marked* or is no access, wait
//! for the step behind them: they are taken along with it, and nothing of other threads is tried in between. If another
//! thread touches such memory while they wait, and one of the two writes, the assumption was wrong: both accesses are marked,
//! and the search begins anew. Marks are never taken away, and each new search has more of them, so this ends.
//!
//! **Why nothing is missed.** Every step of a search is a sequence of steps of the program, so what it finds is real. The other
//! direction concerns searches that found no conflict. Let s be a state of such a search and w an execution of single
//! steps from s that ends in a violation, a deadlock or the end of the program. By induction over the length of w the search
//! reaches that end.
//!
//! - *Everything is tried in s.* Let f be the first step in w that does not wait in s. The steps before it all wait, so each
//!   of them was executed when it was found out what waits, and is always possible. Of two of different threads neither disturbs
//!   the other, and none disturbs f: the search tries f, and each thread with all that waits, in s, and looks at what they
//!   touch, also where a step turns out not to be possible. So what f waits for can be moved to the front, then f, then the
//!   rest: a step of the search, and a shorter execution from where it leads.
//! - *There is no such f.* Then no violation is left in w, since a step with one does not wait, nor the end of the program. If w
//!   ends in a deadlock, all that waits has been taken, and the steps behind it are not possible, or spurious wake-ups only: in
//!   both cases the search takes what waits without them.
//! - *One step is enough in s* ([`crate::reduce`]). It is a single step, of a thread without accesses that wait, and does not
//!   depend on anything that others may do before it, accesses that wait included. So it can be moved to the front of w, or put
//!   there. Which accesses of others wait stays the same, until a state in which everything is tried: there is one on each loop.
//!
//! What waits in a state may depend on how the search came there first (on who may still end the program). The argument needs only
//! that something was fixed when the state was looked at.
//!
//! *Commits.* A store to memory that is not marked reaches memory as soon as it is at the front of its buffer. In w that may be
//! later. Until then nobody else may touch the memory: otherwise, the other access and the commit could have come in either
//! order. So the commit is kept, as a part of the state, until a step of its thread, tried where everything is, that comes after
//! it in every w: one for which the buffer has to be empty, or, under TSO, the commit of a later store. A fence
//! behind which the thread stands already, because its buffer was empty too early, is noticed with the step that came
//! before it; it is the thread's next step that comes after the commit then. A store that waits counts as its commit, which may come
//! before the step that it waits for, but not after the thread has ended the program: who may do so does not let stores
//! wait. A store to marked memory is a step to wait for, since others may see it before the thread goes on. Other
//! own commits can be moved in front of what waits: a load finds the same value in buffer and memory. A load depends on its
//! memory also where the own buffer has the value, as it may come after the commit.
//!
//! - *Sections, awaits, fences, updates* wait for nothing and are steps to wait for, except that an update of memory that is not
//!   marked is an access like others. Where one needs an empty buffer that is not, it is not possible.
//! - *Lives.* The beginning and the end of an object's life are steps that touch all of it. Objects made while accesses wait are
//!   unknown to others.
//! - *Creation and join.* Who joins a thread or is created by it comes after all that the thread did before. So each commit that is
//!   kept knows which threads come after it; they have no conflict with it. What no other thread may access any more is not kept.
//! - *Data races.* Accesses that race touch the same memory, and a rearranged execution orders the same accesses by
//!   synchronisation, which goes through memory, creation and join.
//! - *The end of the program* depends on everything: while another thread may end it, nothing waits and no commit is kept.
//! - *Nondeterministic values.* A step that asks for one is a step to wait for.
//! - *Threads that an assumption or a bound stops* stand before nothing; what waits before that is taken alone.
//! - *Loops.* One access to one place waits once, so a loop is left after one round.
//! - *Bounds on buffers.* A store that does not fit does not wait.
//!
//! The argument says nothing of executions that never end, nor of memory that is given out again, where an allocation touches memory
//! that is not known beforehand: for both, nothing is absorbed.

use crate::future::{Future, Futures, Places};
use norn_engine::Prepared;
use norn_exec::memory::Kind;
use norn_exec::op::{Code, Op};
use norn_exec::{Effect, Executor, Status, ThreadIdentity};
use norn_ir::instr::Order;
use norn_verdict::model::Model;
use norn_verdict::trace::ThreadIndex;
use std::collections::{BTreeMap, BTreeSet};

/// An access that waits, or a commit that was taken along, as long as another access may conflict with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub object: u32,
    /// In the executor's flat memory.
    pub at: u32,
    pub size: u32,
    pub writes: bool,
    /// A commit that the thread's later steps need not come after.
    pub is_loose: bool,
    /// The threads that come after it, as bits.
    pub known: u64,
    name: Name,
}

/// What may be marked: an operation, or [`COMMIT`] for a store that goes through a buffer; the object, or its kind; and the
/// place in the object.
type Name = (u32, u32, u32);

const COMMIT: u32 = u32::MAX;

/// So many accesses wait, and so many commits are kept.
const MOST_WAITING: usize = 24;
/// With so many elements marked, all of the object are.
const MOST_MARKED: u32 = 4;

/// What is not absorbed: operations with the places that they access.
#[derive(Clone, Default, Debug)]
pub struct Marks {
    places: BTreeSet<Name>,
    /// How many places of an object are marked for an operation.
    counts: BTreeMap<(u32, u32), u32>,
    /// How many conflicts this search has found.
    conflicts: u64,
    /// This search has marked something that was not marked before.
    grew: bool,
}

impl Marks {
    /// A search begins.
    pub fn begin(&mut self) {
        (self.conflicts, self.grew) = (0, false);
    }

    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    /// Whether a search that begins anew absorbs less than this one.
    pub fn grew(&self) -> bool {
        self.grew
    }

    fn has(&self, (pc, object, offset): Name) -> bool {
        self.counts
            .get(&(pc, object))
            .is_some_and(|&count| count > MOST_MARKED || self.places.contains(&(pc, object, offset)))
    }

    fn add(&mut self, name: Name) {
        self.grew |= !self.has(name);
        if self.places.insert(name) {
            *self.counts.entry((name.0, name.1)).or_default() += 1;
        }
    }
}

/// What a thread takes along with its next step.
#[derive(Clone, Default, Debug)]
struct Waiting {
    accesses: Vec<Access>,
    /// How many of the thread's steps these are.
    steps: usize,
}

enum Old {
    Kept(Vec<Access>),
    Waiting(Waiting),
}

/// Follows the walk.
pub struct Absorber<'a> {
    program: &'a Prepared,
    code: &'a Code,
    model: Model,
    /// So many stores may be in a buffer.
    buffer: usize,
    futures: &'a Futures,
    pub marks: Marks,
    /// By number of thread: commits that were taken along.
    kept: Vec<Vec<Access>>,
    /// By number of thread: the accesses that wait.
    waiting: Vec<Waiting>,
    /// What was there before.
    trail: Vec<(usize, Old)>,
    /// Some thread may end the program.
    ends: bool,
    /// What each thread may still do, if that was asked for.
    ahead: Vec<Future>,
    /// Accesses and commits that were taken along so far.
    pub along: u64,
}

fn bit(number: ThreadIndex) -> u64 {
    1u64.checked_shl(number.0).unwrap_or(0)
}

impl<'a> Absorber<'a> {
    pub fn new(
        program: &'a Prepared,
        code: &'a Code,
        futures: &'a Futures,
        (model, buffer): (Model, usize),
    ) -> Absorber<'a> {
        let ends = futures.any_exits();
        let (marks, kept, trail, ahead) = (Marks::default(), Vec::new(), Vec::new(), Vec::new());
        Absorber {
            program,
            code,
            model,
            buffer,
            futures,
            marks,
            kept,
            waiting: Vec::new(),
            trail,
            ends,
            ahead,
            along: 0,
        }
    }

    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    pub fn undo_to(&mut self, mark: usize) {
        while self.trail.len() > mark {
            if let Some((thread, old)) = self.trail.pop() {
                match old {
                    Old::Kept(kept) => self.kept[thread] = kept,
                    Old::Waiting(waiting) => self.waiting[thread] = waiting,
                }
            }
        }
    }

    /// The commits that are kept, with the numbers of their threads.
    pub fn kept(&self) -> impl Iterator<Item = (usize, &Access)> {
        self.kept.iter().enumerate().flat_map(|(thread, kept)| kept.iter().map(move |access| (thread, access)))
    }

    fn change(&mut self, thread: usize, kept: Vec<Access>) {
        let old = std::mem::replace(&mut self.kept[thread], kept);
        self.trail.push((thread, Old::Kept(old)));
    }

    /// How many accesses the thread takes along with its next step.
    pub fn waiting(&self, number: ThreadIndex) -> usize {
        self.waiting.get(number.index()).map_or(0, |waiting| waiting.steps)
    }

    /// Whether the access that the thread stands before, and takes along, has been marked since.
    pub fn is_marked(&self, executor: &Executor<'_>, number: ThreadIndex) -> bool {
        self.marks.conflicts > 0 && self.may_wait(executor, number).is_none()
    }

    /// Makes room for all threads, and looks at who may end the program.
    pub fn look_ahead(&mut self, executor: &Executor<'_>) {
        if self.ends {
            self.look_at_futures(executor);
        }
        self.make_room(executor);
    }

    /// What each thread may still do.
    fn look_at_futures(&mut self, executor: &Executor<'_>) {
        self.ahead.clear();
        for number in executor.numbers() {
            self.ahead.push(self.futures.ahead(self.program, executor, number));
        }
    }

    fn make_room(&mut self, executor: &Executor<'_>) {
        let room = self.kept.len().max(executor.thread_count());
        self.kept.resize(room, Vec::new());
        self.waiting.resize(room, Waiting::default());
    }

    /// Finds out which accesses of a thread wait, by taking and undoing them.
    pub fn collect(&mut self, executor: &mut Executor<'_>, number: ThreadIndex) {
        let thread = executor.identity(number);
        let start = executor.mark();
        let objects = executor.memory().objects.len();
        let mut waiting = Waiting::default();
        // Operations with the addresses that they are given. One that comes again does not wait behind itself.
        let mut seen: Vec<(u32, u32)> = Vec::new();
        while waiting.steps < MOST_WAITING
            && let Some((name, from)) = self.may_wait(executor, number)
            && !seen.contains(&(name.0, from))
        {
            if executor.step(thread).is_err() {
                break;
            }
            waiting.steps += 1;
            seen.push((name.0, from));
            let (visible, _) = executor.split_effects();
            for effect in visible {
                let (object, at, size, writes) = match *effect {
                    Effect::Read { object, at, size, .. } => (object, at, size, false),
                    Effect::Write { object, at, size, .. } | Effect::Store { object, at, size, .. } => {
                        (object, at, size, true)
                    }
                    _ => continue,
                };
                // What is allocated on the way is unknown to others.
                if (object as usize) >= objects {
                    continue;
                }
                let size = u32::from(size);
                waiting.accesses.push(Access { object, at, size, writes, is_loose: false, known: 0, name });
            }
        }
        executor.undo_to(start);
        let old = &mut self.waiting[number.index()];
        if old.steps > 0 || waiting.steps > 0 {
            let old = std::mem::replace(old, waiting);
            self.trail.push((number.index(), Old::Waiting(old)));
        }
    }

    /// Whether another thread may end the program.
    fn may_end(&self, number: ThreadIndex) -> bool {
        self.ends && self.ahead.iter().enumerate().any(|(other, future)| other != number.index() && future.exits)
    }

    fn name(executor: &Executor<'_>, pc: u32, object: u32, at: u32) -> Name {
        let info = &executor.memory().objects[object as usize];
        let name = match info.kind {
            Kind::Global | Kind::Constant => object,
            Kind::Thread => u32::MAX,
            Kind::Local => u32::MAX - 1,
            Kind::Heap => u32::MAX - 2,
            Kind::Stack => u32::MAX - 3,
        };
        (pc, name, at - info.start)
    }

    /// The name of the access that the thread stands before, if it may wait, and where in memory it is.
    fn may_wait(&self, executor: &Executor<'_>, number: ThreadIndex) -> Option<(Name, u32)> {
        let thread = executor.identity(number);
        let owner = executor.thread(thread);
        if owner.status != Status::Ready || self.may_end(number) {
            return None;
        }
        let (addr, pc) = match self.code.ops[owner.pc as usize] {
            Op::Store { addr, order, .. } if self.model != Model::Sc && order != Order::SeqCst => {
                // It may reach memory before the thread ends the program, or not.
                let may_end = self.ends && self.ahead[number.index()].exits;
                if may_end || owner.buffer.len() >= self.buffer {
                    return None;
                }
                (addr, COMMIT)
            }
            Op::Load { addr, .. } | Op::Store { addr, .. } => (addr, owner.pc),
            Op::Rmw { addr, .. } | Op::CompareExchange { addr, .. } => (addr, owner.pc),
            _ => return None,
        };
        let pointer = executor.peek(thread, addr);
        let info = executor.memory().objects.get(pointer.object as usize)?;
        let offset = pointer.bits.wrapping_sub(info.base);
        let offset = u32::try_from(offset).ok().filter(|&offset| offset < info.size)?;
        let name = Self::name(executor, pc, pointer.object, info.start + offset);
        (!self.marks.has(name)).then_some((name, info.start + offset))
    }

    /// A store in the thread's buffer whose commit may be absorbed.
    pub fn commit(&self, executor: &Executor<'_>, number: ThreadIndex) -> Option<usize> {
        let thread = executor.identity(number);
        let buffer = &executor.thread(thread).buffer;
        if buffer.is_empty() || self.ahead.iter().any(|future| self.ends && future.exits) {
            return None;
        }
        let kept = &self.kept[number.index()];
        (0..buffer.len()).find(|&index| {
            let entry = &buffer[index];
            let is_free = || !self.marks.has(Self::name(executor, COMMIT, entry.object, entry.at));
            executor.can_commit(thread, entry.step) && (entry.moot || kept.len() < MOST_WAITING && is_free())
        })
    }

    /// Looks at what the thread's last step or commit did. `along`: it was taken along with another. `enough`: it
    /// was the only one that was tried. `pc`: the operation, unless it was a commit. Whether all is well: what would follow
    /// on a conflict is better looked at when the search has begun anew.
    pub fn follow(
        &mut self,
        executor: &Executor<'_>,
        number: ThreadIndex,
        pc: Option<u32>,
        (along, enough): (bool, bool),
    ) -> bool {
        self.make_room(executor);
        if self.look_for_conflicts(executor, pc.unwrap_or(COMMIT)) {
            return false;
        }
        let (visible, silent) = executor.split_effects();
        let is_drained = visible.iter().any(|effect| matches!(effect, Effect::Drained { .. }));
        let mine = number.index();
        if !along && !enough && !self.kept[mine].is_empty() {
            let stays = |access: &&Access| match pc {
                Some(_) => access.is_loose && !is_drained,
                None => !access.is_loose || self.model == Model::Pso,
            };
            let kept: Vec<Access> = self.kept[mine].iter().filter(stays).copied().collect();
            if kept.len() < self.kept[mine].len() {
                self.change(mine, kept);
            }
        }
        if along && let [Effect::Commit { object, at, size, moot: false, .. }] = *visible {
            let mut kept = self.kept[mine].clone();
            let (size, known) = (u32::from(size), bit(number));
            let name = Self::name(executor, COMMIT, object, at);
            kept.push(Access { object, at, size, writes: true, is_loose: true, known, name });
            self.change(mine, kept);
        }
        for effect in visible.iter().chain(silent) {
            match *effect {
                Effect::Drained { thread } => self.fasten(executor, thread),
                Effect::Spawn { thread, child } => self.tell(executor, thread, child),
                Effect::Join { thread, other } => self.tell(executor, other, thread),
                _ => {}
            }
        }
        true
    }

    /// What the thread does from now on comes after its commits.
    fn fasten(&mut self, executor: &Executor<'_>, thread: ThreadIdentity) {
        let number = executor.thread(thread).number.index();
        if self.kept[number].iter().any(|access| access.is_loose) {
            let fast = self.kept[number].iter().map(|&access| Access { is_loose: false, ..access });
            let fast = fast.collect();
            self.change(number, fast);
        }
    }

    /// What `other` does from now on comes after all that `thread` did, and what that came after.
    fn tell(&mut self, executor: &Executor<'_>, thread: ThreadIdentity, other: ThreadIdentity) {
        let (from, to) = (executor.thread(thread).number, executor.thread(other).number);
        for number in 0..self.kept.len() {
            let learns = |access: &Access| number == from.index() || access.known & bit(from) != 0;
            if self.kept[number].iter().any(|access| learns(access) && access.known & bit(to) == 0) {
                let told = self.kept[number].iter().map(|&access| match learns(&access) {
                    true => Access { known: access.known | bit(to), ..access },
                    false => access,
                });
                let told = told.collect();
                self.change(number, told);
            }
        }
    }

    /// Marks what turns out to depend on the last step or attempt; whether there was something.
    pub fn look_for_conflicts(&mut self, executor: &Executor<'_>, pc: u32) -> bool {
        for effect in executor.effects() {
            let (thread, object, range, writes) = match *effect {
                Effect::Read { thread, object, at, size, .. } => (thread, object, (at, u32::from(size)), false),
                Effect::Write { thread, object, at, size }
                | Effect::Commit { thread, object, at, size, moot: false, .. } => {
                    (thread, object, (at, u32::from(size)), true)
                }
                Effect::Ends { thread, object } | Effect::Begins { thread, object } => {
                    let info = &executor.memory().objects[object as usize];
                    (thread, object, (info.start, info.size), true)
                }
                _ => continue,
            };
            let number = executor.thread(thread).number;
            for other in (0..self.kept.len()).filter(|&other| other != number.index()) {
                // In a search without a conflict nothing that is marked waits or is kept.
                let is_marked = |access: &Access| self.marks.conflicts > 0 && self.marks.has(access.name);
                let meets = |access: &Access| {
                    let overlaps = access.at < range.0 + range.1 && range.0 < access.at + access.size;
                    overlaps && (writes || access.writes) && access.known & bit(number) == 0
                };
                // Where one is marked by now, those before it may be over, and those behind it do not wait any more.
                let kept = self.kept[other].iter().find(|access| meets(access));
                let kept = kept.filter(|_| !self.kept[other].iter().any(is_marked));
                let waiting = self.waiting[other].accesses.iter().take_while(|access| !is_marked(access));
                if let Some(access) = kept.or_else(|| waiting.into_iter().find(|access| meets(access))) {
                    let names = [access.name, Self::name(executor, pc, object, range.0)];
                    names.into_iter().for_each(|name| self.marks.add(name));
                    self.marks.conflicts += 1;
                    return true;
                }
            }
        }
        false
    }

    /// Forgets what no other thread may touch any more.
    pub fn forget(&mut self, executor: &Executor<'_>) {
        if self.kept.iter().all(Vec::is_empty) {
            return;
        }
        self.look_at_futures(executor);
        for number in executor.numbers() {
            if self.kept[number.index()].is_empty() {
                continue;
            }
            let stays = |access: &&Access| {
                executor.numbers().any(|other| {
                    let comes_after = |thread: ThreadIndex| thread == number || access.known & bit(thread) != 0;
                    let waits = match executor.status(executor.identity(other)) {
                        Status::WaitsForThread(thread) => comes_after(executor.thread(thread).number),
                        _ => false,
                    };
                    let place = Places::of_object(executor.memory(), access.object);
                    let ahead = &self.ahead[other.index()];
                    !comes_after(other)
                        && !waits
                        && (place.meets(ahead.writes) || access.writes && place.meets(ahead.reads))
                })
            };
            let kept: Vec<Access> = self.kept[number.index()].iter().filter(stays).copied().collect();
            if kept.len() < self.kept[number.index()].len() {
                self.change(number.index(), kept);
            }
        }
    }
}
