//! Data races, by vector clocks along the executed schedule.
//!
//! Happens-before is that of C11: program order, creation, join, `Sync` instructions (locks and their kin) per address,
//! and release–acquire: a store carries a message, the clock of what happened before its release, through the store
//! buffer to memory; a load that acquires takes it over. The release sequence: a read-modify-write passes on the
//! messages that it finds in memory, and so does a later store of the thread that released, for its own message
//! (5.1.2.4p10; C23 dropped this); any other store breaks the sequence. A release fence gives its clock to later
//! relaxed stores, an acquire fence takes over the messages of earlier relaxed loads; a full fence is both. Accesses in
//! an atomic section of the user are sequentially consistent atomic accesses, those in a section of the library relaxed
//! ones (its `Sync` instructions synchronise).
//!
//! Two accesses race if they overlap, one of them writes, one of them is not atomic, they are of different threads and
//! neither happens before the other. For each thread the last access of each kind to each range of bytes is enough,
//! because earlier ones happen before it.
//!
//! To free an object is to write all of it: accesses of other threads have to happen before. Accesses in sections of
//! the library do not count here: the thread that has locked a mutex last may free it, although another thread's
//! `unlock` touched the mutex after its release.
//!
//! Left out: the total order of sequentially consistent operations beyond release and acquire (it adds no
//! happens-before between different locations), the ends of scopes as accesses (nothing is written, and an access after them is
//! another violation), messages between accesses of different sizes, which C does not have.

use crate::memory::ObjectRef;
use crate::state::Place;
use norn_ir::instr::{FenceKind, Order, SyncKind};
use norn_verdict::trace::ThreadIndex;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How much of each thread has happened before; by thread, absent ones are 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Clock(Vec<u32>);

impl Clock {
    fn get(&self, thread: ThreadIndex) -> u32 {
        self.0.get(thread.index()).copied().unwrap_or(0)
    }

    fn tick(&mut self, thread: ThreadIndex) {
        if self.0.len() <= thread.index() {
            self.0.resize(thread.index() + 1, 0);
        }
        self.0[thread.index()] += 1;
    }

    fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, &theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(theirs);
        }
    }
}

/// What is known of one thread.
#[derive(Clone, Debug, Default)]
struct ThreadClocks {
    now: Clock,
    /// Messages of relaxed loads, which an acquire fence would take over.
    unacquired: Clock,
    /// The clock of the last release fence.
    fenced: Option<Rc<Clock>>,
}

#[derive(Clone, Debug)]
pub struct Accessed {
    pub thread: ThreadIndex,
    pub is_write: bool,
    pub is_atomic: bool,
    /// In a section of the library.
    pub by_library: bool,
    pub place: Place,
    time: u32,
}

impl Accessed {
    fn is_same_kind(&self, other: &Accessed) -> bool {
        let kind = |a: &Accessed| (a.thread, a.is_write, a.is_atomic, a.by_library);
        kind(self) == kind(other)
    }
}

/// A message in memory: what was released, by the thread that did.
type Message = BTreeMap<ThreadIndex, Rc<Clock>>;

/// What a store is to the release sequence that it follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follows {
    Breaks,
    /// An atomic store.
    Own,
    /// A read-modify-write.
    All,
}

type Range = (ObjectRef, u64, u64);

#[derive(Clone, Debug, Default)]
pub struct Races {
    threads: Vec<ThreadClocks>,
    /// What locks and their kin pass on, by address.
    released: BTreeMap<u64, Clock>,
    /// What the stores that memory holds carry, by object, offset and size.
    messages: BTreeMap<Range, Message>,
    accesses: BTreeMap<Range, Vec<Accessed>>,
}

fn acquires(order: Order) -> bool {
    matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst)
}

fn releases(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcqRel | Order::SeqCst)
}

/// The keys of ranges that may overlap the given one: accesses are at most 8 bytes.
fn near((object, offset, size): Range) -> std::ops::Range<Range> {
    (object, offset.saturating_sub(7), 0)..(object, offset + size, 0)
}

fn overlap(a: Range, b: Range) -> bool {
    a.1 < b.1 + b.2 && b.1 < a.1 + a.2
}

impl Races {
    fn indices(&self) -> impl Iterator<Item = ThreadIndex> {
        ThreadIndex::all(self.threads.len())
    }

    /// A thread begins; `creator` is `None` for the first one.
    pub fn create(&mut self, creator: Option<ThreadIndex>) {
        let child = ThreadIndex::new(self.threads.len());
        let mut now = creator.map(|creator| self.release(creator)).unwrap_or_default();
        now.tick(child);
        self.threads.push(ThreadClocks { now, ..ThreadClocks::default() });
    }

    pub fn join(&mut self, thread: ThreadIndex, joined: ThreadIndex) {
        let clock = self.threads[joined.index()].now.clone();
        self.threads[thread.index()].now.join(&clock);
    }

    /// The clock to give away; what the thread does from now on is later.
    fn release(&mut self, thread: ThreadIndex) -> Clock {
        let given = self.threads[thread.index()].now.clone();
        self.threads[thread.index()].now.tick(thread);
        given
    }

    pub fn sync(&mut self, thread: ThreadIndex, kind: SyncKind, address: u64) {
        match kind {
            SyncKind::Release => {
                let clock = self.release(thread);
                self.released.entry(address).or_default().join(&clock);
            }
            SyncKind::Acquire => {
                if let Some(clock) = self.released.get(&address) {
                    self.threads[thread.index()].now.join(clock);
                }
            }
        }
    }

    /// The thread gets memory that was freed: what happened before the free happens before what it does now. Locks in that
    /// memory are new.
    pub fn given_again(&mut self, thread: ThreadIndex, base: u64) {
        if let Some(clock) = self.released.remove(&base) {
            self.threads[thread.index()].now.join(&clock);
        }
    }

    pub fn fence(&mut self, thread: ThreadIndex, kind: FenceKind) {
        if matches!(kind, FenceKind::Acquire | FenceKind::AcqRel | FenceKind::Full) {
            let unacquired = std::mem::take(&mut self.threads[thread.index()].unacquired);
            self.threads[thread.index()].now.join(&unacquired);
        }
        if matches!(kind, FenceKind::Release | FenceKind::AcqRel | FenceKind::Full) {
            let clock = self.release(thread);
            self.threads[thread.index()].fenced = Some(Rc::new(clock));
        }
    }

    /// A load takes over, or remembers, the message of the store that it reads from memory.
    pub fn read(&mut self, thread: ThreadIndex, order: Order, range: Range) {
        if order == Order::Plain {
            return;
        }
        if let Some(message) = self.messages.get(&range) {
            let clocks = &mut self.threads[thread.index()];
            let into = if acquires(order) { &mut clocks.now } else { &mut clocks.unacquired };
            message.values().for_each(|clock| into.join(clock));
        }
    }

    /// The message that a store carries, if it releases anything.
    pub fn message(&mut self, thread: ThreadIndex, order: Order) -> Option<Rc<Clock>> {
        match order {
            Order::Plain => None,
            order if releases(order) => Some(Rc::new(self.release(thread))),
            _ => self.threads[thread.index()].fenced.clone(),
        }
    }

    /// A store of the thread reaches memory.
    pub fn store(&mut self, range: Range, thread: ThreadIndex, follows: Follows, own: Option<Rc<Clock>>) {
        let mut message = match follows {
            Follows::Breaks => Message::new(),
            Follows::Own | Follows::All => self.messages.get(&range).cloned().unwrap_or_default(),
        };
        if follows == Follows::Own {
            message.retain(|&releaser, _| releaser == thread);
        }
        if let Some(own) = own {
            // A fence may be older than what the thread released last.
            let released = message.entry(thread).or_default();
            Rc::make_mut(released).join(&own);
        }
        let replaced: Vec<Range> =
            self.messages.range(near(range)).map(|(&key, _)| key).filter(|&key| overlap(key, range)).collect();
        for key in replaced {
            self.messages.remove(&key);
        }
        if !message.is_empty() {
            self.messages.insert(range, message);
        }
    }

    /// Records an access. Returns an earlier access that it races with, if there is one.
    pub fn access(
        &mut self,
        range: Range,
        thread: ThreadIndex,
        (is_write, by_library): (bool, bool),
        order: Order,
        place: Place,
    ) -> Option<Accessed> {
        let is_atomic = order != Order::Plain;
        let now = &self.threads[thread.index()].now;
        let conflicts = |earlier: &&Accessed| {
            earlier.thread != thread
                && (is_write || earlier.is_write)
                && !(is_atomic && earlier.is_atomic)
                && earlier.time > now.get(earlier.thread)
        };
        let overlapping = self.accesses.range(near(range)).filter(|(key, _)| overlap(**key, range));
        let race = overlapping.flat_map(|(_, list)| list).find(conflicts).cloned();
        let time = now.get(thread);
        let list = self.accesses.entry(range).or_default();
        let new = Accessed { thread, is_write, is_atomic, by_library, place, time };
        match list.iter_mut().find(|a| a.is_same_kind(&new)) {
            Some(old) => *old = new,
            None => list.push(new),
        }
        race
    }

    /// An earlier access that the freeing of an object races with, if there is one, and where it is.
    pub fn race_with_free(&self, object: ObjectRef, thread: ThreadIndex, order: Order) -> Option<(Range, Accessed)> {
        let is_atomic = order != Order::Plain;
        let now = &self.threads[thread.index()].now;
        let conflicts = |earlier: &&Accessed| {
            let is_open = earlier.thread != thread && earlier.time > now.get(earlier.thread);
            is_open && !earlier.by_library && !(is_atomic && earlier.is_atomic)
        };
        let of_it = self.accesses.range((object, 0, 0)..).take_while(|(range, _)| range.0 == object);
        of_it
            .flat_map(|(&range, list)| list.iter().map(move |a| (range, a)))
            .find(|(_, a)| conflicts(a))
            .map(|(range, a)| (range, a.clone()))
    }

    /// An object's life ends; its addresses may be used again.
    pub fn forget(&mut self, object: ObjectRef, base: u64, size: u64) {
        self.messages.retain(|key, _| key.0 != object);
        self.accesses.retain(|key, _| key.0 != object);
        self.released.retain(|&address, _| address < base || address >= base + size.max(1));
    }

    /// The part of a state's encoding. Clocks are only ever compared, thread by thread, so the times of each thread are
    /// numbered anew from 0; accesses that happen before everything that is still to come are left out.
    pub fn encode(&self, is_running: impl Fn(ThreadIndex) -> bool, buffered: &[&Clock], out: &mut Vec<u8>) {
        let can_race = |access: &Accessed| {
            let later = |t: ThreadIndex| self.threads[t.index()].now.get(access.thread) >= access.time;
            self.indices().any(|t| t != access.thread && is_running(t) && !later(t))
        };
        let mut clocks: Vec<&Clock> = Vec::new();
        for thread in &self.threads {
            clocks.extend([&thread.now, &thread.unacquired]);
            clocks.extend(thread.fenced.as_deref());
        }
        clocks.extend(self.released.values());
        clocks.extend(self.messages.values().flat_map(|message| message.values().map(|clock| clock.as_ref())));
        clocks.extend(buffered);
        let accesses: Vec<(Range, &Accessed)> = self
            .accesses
            .iter()
            .flat_map(|(&range, list)| list.iter().filter(|a| can_race(a)).map(move |a| (range, a)))
            .collect();
        let times: Vec<Vec<u32>> = self
            .indices()
            .map(|t| {
                let own = accesses.iter().filter(|(_, a)| a.thread == t).map(|(_, a)| a.time);
                let mut all: Vec<u32> = clocks.iter().map(|c| c.get(t)).chain(own).chain([0]).collect();
                all.sort_unstable();
                all.dedup();
                all
            })
            .collect();
        let rank = |t: ThreadIndex, time: u32| times[t.index()].partition_point(|&other| other < time) as u64;
        for clock in clocks {
            self.indices().for_each(|t| crate::encode::number(out, rank(t, clock.get(t))));
        }
        for thread in &self.threads {
            out.push(u8::from(thread.fenced.is_some()));
        }
        crate::encode::number(out, self.released.len() as u64);
        self.released.keys().for_each(|&address| crate::encode::number(out, address));
        crate::encode::number(out, self.messages.len() as u64);
        for (&range, message) in &self.messages {
            encode_range(range, out);
            crate::encode::number(out, message.len() as u64);
            message.keys().for_each(|&releaser| crate::encode::number(out, u64::from(releaser.0)));
        }
        crate::encode::number(out, accesses.len() as u64);
        // Accesses to one range are listed in the order of the first, which does not matter.
        let mut lines: Vec<Vec<u8>> = accesses
            .iter()
            .map(|&(range, access)| {
                let mut line = Vec::new();
                encode_range(range, &mut line);
                crate::encode::number(&mut line, u64::from(access.thread.0));
                let kind = [access.by_library, access.is_write, access.is_atomic];
                line.push(kind.into_iter().fold(0, |bits, bit| bits * 2 + u8::from(bit)));
                crate::encode::number(&mut line, rank(access.thread, access.time));
                line
            })
            .collect();
        lines.sort_unstable();
        lines.iter().for_each(|line| out.extend(line));
    }
}

fn encode_range((object, offset, size): Range, out: &mut Vec<u8>) {
    crate::encode::place(out, object);
    crate::encode::number(out, offset);
    crate::encode::number(out, size);
}
