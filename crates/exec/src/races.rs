//! Data races, by vector clocks along the steps of an execution; only if they are looked for.
//!
//! Happens-before is that of C11, as the reference machine defines it: program order, creation, join, `sync` instructions
//! per address, and release-acquire by messages, which stores carry through the buffer to memory. A release sequence is
//! the releasing store with the later stores of its thread and the read-modify-writes of all. Release fences give their
//! clock to later relaxed stores, acquire fences take over the messages of earlier relaxed loads. Accesses in sections of
//! the user are sequentially consistent atomic accesses, those in sections of the library relaxed ones. To free an object
//! is to write all of it; accesses in sections of the library do not count there.
//!
//! What a thread has done is compared by time: its own entry in its clock, which a release moves on. So another thread
//! knows of an access if the entry in its clock is not older than the access, and an access that was made since the last
//! release is known to nobody else.
//!
//! Everything is logged like the rest of a state. Happens-before is not a function of memory: engines that store states
//! store what [`Races::open`] tells, see there.

use crate::executor::{Done, Executor, Mode};
use crate::op::Src;
use crate::state::ThreadIdentity;
use crate::undo::Undo;
use crate::{Effect, Stop};
use norn_ir::instr::{FenceKind, Order, SectionKind, SyncKind};
use norn_ir::number::narrow;
use norn_verdict::outcome::ViolationKind;
use norn_verdict::schedule::StepNumber;
use std::collections::BTreeMap;
use std::rc::Rc;

/// By identity of threads; absent ones are 0.
pub(crate) type Clock = Rc<Vec<u32>>;

fn entry(clock: &Clock, thread: ThreadIdentity) -> u32 {
    clock.get(thread.index()).copied().unwrap_or(0)
}

fn covers(clock: &Clock, other: &Clock) -> bool {
    Rc::ptr_eq(clock, other) || other.iter().enumerate().all(|(i, &time)| time <= clock.get(i).copied().unwrap_or(0))
}

fn joined(clock: &Clock, other: &Clock) -> Clock {
    let mut both = Vec::clone(clock);
    both.resize(both.len().max(other.len()), 0);
    both.iter_mut().zip(other.iter()).for_each(|(mine, &theirs)| *mine = (*mine).max(theirs));
    Rc::new(both)
}

#[derive(Clone, Default, Debug)]
pub(crate) struct Clocks {
    pub now: Clock,
    /// Messages of relaxed loads, which an acquire fence would take over.
    pub unacquired: Clock,
    /// The clock of the last release fence.
    pub fenced: Option<Clock>,
}

/// What is known of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub thread: ThreadIdentity,
    pub is_write: bool,
    pub is_atomic: bool,
    /// In a section of the library.
    pub by_library: bool,
    pub time: u32,
}

impl Access {
    fn is_same_kind(&self, other: &Access) -> bool {
        let kind = |access: &Access| (access.thread, access.is_write, access.is_atomic, access.by_library);
        kind(self) == kind(other)
    }

    /// Whether what races with the other access of the same thread to the same bytes races with this one as well.
    pub fn stands_for(&self, other: &Access) -> bool {
        self.thread == other.thread
            && self.time >= other.time
            && self.is_write >= other.is_write
            && self.is_atomic <= other.is_atomic
            && self.by_library <= other.by_library
    }
}

/// A message in memory: what was released, and by whom; ascending.
pub(crate) type Message = Rc<Vec<(ThreadIdentity, Clock)>>;

/// What a store is to the release sequence that it follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Follows {
    /// A plain store.
    Breaks,
    /// An atomic store.
    Own,
    /// A read-modify-write.
    All,
}

/// Bytes of the flat memory: where they begin, and how many they are.
pub(crate) type Range = (u32, u8);

/// The keys of ranges that may overlap the given one: accesses are of at most 8 bytes.
fn near((at, size): Range) -> std::ops::Range<Range> {
    (at.saturating_sub(7), 0)..(at + u32::from(size), 0)
}

fn overlap(a: Range, b: Range) -> bool {
    a.0 < b.0 + u32::from(b.1) && b.0 < a.0 + u32::from(a.1)
}

/// An object and an offset in it.
pub(crate) type Spot = (u32, u32);

/// A buffered store, by its thread and step.
type Store = (ThreadIdentity, StepNumber);

/// What was there before a change.
#[derive(Debug)]
enum Old {
    Thread(ThreadIdentity, Clocks),
    Now(ThreadIdentity, Clock),
    Unacquired(ThreadIdentity, Clock),
    Fenced(ThreadIdentity, Option<Clock>),
    Released(Spot, Option<Clock>),
    Message(Range, Option<Message>),
    Carried(Store, Option<(Option<Clock>, Follows)>),
    /// An access took the place of another one, or was added.
    Access(Range, usize, Option<Access>),
    Accesses(Range, Vec<Access>),
}

#[derive(Default, Debug)]
pub struct Races {
    /// By identity.
    pub(crate) threads: Vec<Clocks>,
    /// What locks and their kin pass on.
    pub(crate) released: BTreeMap<Spot, Clock>,
    /// What the stores that memory holds carry.
    pub(crate) messages: BTreeMap<Range, Message>,
    /// What buffered stores carry, if anything, and what they are to what they follow.
    pub(crate) carried: BTreeMap<Store, (Option<Clock>, Follows)>,
    pub(crate) accesses: BTreeMap<Range, Vec<Access>>,
    log: Vec<Old>,
}

impl Races {
    /// How many changes there were.
    fn changes(&self) -> usize {
        self.log.len()
    }

    pub(crate) fn undo(&mut self) {
        let Some(old) = self.log.pop() else { return };
        fn restore<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, old: Option<V>) {
            match old {
                Some(old) => map.insert(key, old),
                None => map.remove(&key),
            };
        }
        match old {
            Old::Thread(thread, old) => self.threads[thread.index()] = old,
            Old::Now(thread, old) => self.threads[thread.index()].now = old,
            Old::Unacquired(thread, old) => self.threads[thread.index()].unacquired = old,
            Old::Fenced(thread, old) => self.threads[thread.index()].fenced = old,
            Old::Released(place, old) => restore(&mut self.released, place, old),
            Old::Message(range, old) => restore(&mut self.messages, range, old),
            Old::Carried(store, old) => restore(&mut self.carried, store, old),
            Old::Access(range, index, old) => {
                let Some(list) = self.accesses.get_mut(&range) else { return };
                match old {
                    Some(old) => list[index] = old,
                    None => {
                        list.pop();
                        if list.is_empty() {
                            self.accesses.remove(&range);
                        }
                    }
                }
            }
            Old::Accesses(range, old) => restore(&mut self.accesses, range, Some(old)),
        }
    }

    /// A thread begins; only the first one has no creator.
    fn create(&mut self, child: ThreadIdentity, creator: Option<ThreadIdentity>) {
        let given = creator.map(|creator| self.release(creator)).unwrap_or_default();
        if self.threads.len() <= child.index() {
            self.threads.resize(child.index() + 1, Clocks::default());
        }
        let mut now = Vec::clone(&given);
        now.resize(now.len().max(child.index() + 1), 0);
        now[child.index()] = 1;
        let clocks = Clocks { now: Rc::new(now), ..Clocks::default() };
        let old = std::mem::replace(&mut self.threads[child.index()], clocks);
        self.log.push(Old::Thread(child, old));
    }

    fn set_now(&mut self, thread: ThreadIdentity, clock: Clock) {
        let old = std::mem::replace(&mut self.threads[thread.index()].now, clock);
        self.log.push(Old::Now(thread, old));
    }

    /// The thread learns of what a clock knows.
    fn acquire(&mut self, thread: ThreadIdentity, clock: &Clock) {
        let now = &self.threads[thread.index()].now;
        if !covers(now, clock) {
            let both = joined(now, clock);
            self.set_now(thread, both);
        }
    }

    /// The clock to give away; what the thread does from now on is later.
    fn release(&mut self, thread: ThreadIdentity) -> Clock {
        let given = Rc::clone(&self.threads[thread.index()].now);
        let mut later = Vec::clone(&given);
        later[thread.index()] += 1;
        self.set_now(thread, Rc::new(later));
        given
    }

    fn join(&mut self, thread: ThreadIdentity, other: ThreadIdentity) {
        let clock = Rc::clone(&self.threads[other.index()].now);
        self.acquire(thread, &clock);
    }

    fn sync(&mut self, thread: ThreadIdentity, kind: SyncKind, place: Spot) {
        match kind {
            SyncKind::Release => {
                let given = self.release(thread);
                let before = self.released.get(&place);
                let clock = before.map_or_else(|| Rc::clone(&given), |before| joined(before, &given));
                let old = self.released.insert(place, clock);
                self.log.push(Old::Released(place, old));
            }
            SyncKind::Acquire => {
                if let Some(clock) = self.released.get(&place).cloned() {
                    self.acquire(thread, &clock);
                }
            }
        }
    }

    /// The thread gets memory that was freed: what happened before the free happens before what it does now.
    fn given_again(&mut self, thread: ThreadIdentity, place: Spot) {
        if let Some(clock) = self.released.remove(&place) {
            self.acquire(thread, &clock);
            self.log.push(Old::Released(place, Some(clock)));
        }
    }

    fn fence(&mut self, thread: ThreadIdentity, kind: FenceKind) {
        if matches!(kind, FenceKind::Acquire | FenceKind::AcqRel | FenceKind::Full) {
            let unacquired = Rc::clone(&self.threads[thread.index()].unacquired);
            self.acquire(thread, &unacquired);
        }
        if matches!(kind, FenceKind::Release | FenceKind::AcqRel | FenceKind::Full) {
            let given = self.release(thread);
            let old = self.threads[thread.index()].fenced.replace(given);
            self.log.push(Old::Fenced(thread, old));
        }
    }

    /// A load takes over, or remembers, the message of the store that it reads from memory.
    fn read(&mut self, thread: ThreadIdentity, order: Order, range: Range) {
        if order == Order::Plain {
            return;
        }
        let Some(message) = self.messages.get(&range).cloned() else { return };
        for (_, clock) in message.iter() {
            if matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst) {
                self.acquire(thread, clock);
            } else if !covers(&self.threads[thread.index()].unacquired, clock) {
                let both = joined(&self.threads[thread.index()].unacquired, clock);
                let old = std::mem::replace(&mut self.threads[thread.index()].unacquired, both);
                self.log.push(Old::Unacquired(thread, old));
            }
        }
    }

    /// The message that a store carries, if it releases anything.
    fn message(&mut self, thread: ThreadIdentity, order: Order) -> Option<Clock> {
        match order {
            Order::Plain => None,
            Order::Release | Order::AcqRel | Order::SeqCst => Some(self.release(thread)),
            Order::Relaxed | Order::Acquire => self.threads[thread.index()].fenced.clone(),
        }
    }

    /// A store goes into its thread's buffer.
    fn buffer(&mut self, store: Store, own: Option<Clock>, follows: Follows) {
        if own.is_some() || follows != Follows::Breaks {
            let old = self.carried.insert(store, (own, follows));
            self.log.push(Old::Carried(store, old));
        }
    }

    /// A buffered store reaches memory, or, without a range, no object.
    fn commit(&mut self, store: Store, range: Option<Range>) {
        let carried = self.carried.remove(&store);
        if carried.is_some() {
            self.log.push(Old::Carried(store, carried.clone()));
        }
        if let Some(range) = range {
            let (own, follows) = carried.unwrap_or((None, Follows::Breaks));
            self.store(range, store.0, follows, own);
        }
    }

    /// A store of the thread reaches memory.
    fn store(&mut self, range: Range, thread: ThreadIdentity, follows: Follows, own: Option<Clock>) {
        if own.is_none() && follows == Follows::Breaks && self.messages.is_empty() {
            return;
        }
        let mut message: Vec<(ThreadIdentity, Clock)> = match (follows, self.messages.get(&range)) {
            (Follows::Breaks, _) | (_, None) => Vec::new(),
            (Follows::Own, Some(before)) => before.iter().filter(|part| part.0 == thread).cloned().collect(),
            (Follows::All, Some(before)) => Vec::clone(before),
        };
        if let Some(own) = own {
            match message.binary_search_by_key(&thread, |part| part.0) {
                // A fence may be older than what the thread released last.
                Ok(at) => message[at].1 = joined(&message[at].1, &own),
                Err(at) => message.insert(at, (thread, own)),
            }
        }
        let replaced = self.messages.range(near(range)).map(|(&key, _)| key).filter(|&key| overlap(key, range));
        for key in replaced.collect::<Vec<_>>() {
            let old = self.messages.remove(&key);
            self.log.push(Old::Message(key, old));
        }
        if !message.is_empty() {
            let old = self.messages.insert(range, Rc::new(message));
            self.log.push(Old::Message(range, old));
        }
    }

    /// Notes an access, and whether it races with an earlier one.
    fn access(
        &mut self,
        range: Range,
        thread: ThreadIdentity,
        (is_write, by_library): (bool, bool),
        order: Order,
    ) -> Option<Access> {
        let is_atomic = order != Order::Plain;
        let now = &self.threads[thread.index()].now;
        let new = Access { thread, is_write, is_atomic, by_library, time: entry(now, thread) };
        // The same access again: nobody can have come in between without a race of his own.
        if self.accesses.get(&range).is_some_and(|list| list.contains(&new)) {
            return None;
        }
        let races = |earlier: &&Access| {
            earlier.thread != thread
                && (is_write || earlier.is_write)
                && !(is_atomic && earlier.is_atomic)
                && earlier.time > entry(now, earlier.thread)
        };
        let overlapping = self.accesses.range(near(range)).filter(|(key, _)| overlap(**key, range));
        let race = overlapping.flat_map(|(_, list)| list).find(races).copied();
        let list = self.accesses.entry(range).or_default();
        match list.iter().position(|access| access.is_same_kind(&new)) {
            Some(index) => {
                let old = std::mem::replace(&mut list[index], new);
                self.log.push(Old::Access(range, index, Some(old)));
            }
            None => {
                list.push(new);
                self.log.push(Old::Access(range, list.len() - 1, None));
            }
        }
        race
    }

    /// Whether the freeing of some bytes races with an earlier access.
    fn races_with_free(&self, bytes: std::ops::Range<u32>, thread: ThreadIdentity, order: Order) -> bool {
        let now = &self.threads[thread.index()].now;
        let races = |earlier: &Access| {
            let is_open = earlier.thread != thread && earlier.time > entry(now, earlier.thread);
            is_open && !earlier.by_library && !(order != Order::Plain && earlier.is_atomic)
        };
        self.accesses.range((bytes.start, 0)..(bytes.end, 0)).any(|(_, list)| list.iter().any(races))
    }

    /// An object's life ends.
    fn forget(&mut self, object: u32, bytes: std::ops::Range<u32>) {
        let whole = (bytes.start, 0)..(bytes.end, 0);
        for key in self.accesses.range(whole.clone()).map(|(&key, _)| key).collect::<Vec<_>>() {
            let old = self.accesses.remove(&key).unwrap_or_default();
            self.log.push(Old::Accesses(key, old));
        }
        for key in self.messages.range(whole).map(|(&key, _)| key).collect::<Vec<_>>() {
            let old = self.messages.remove(&key);
            self.log.push(Old::Message(key, old));
        }
        for place in self.released.range((object, 0)..(object + 1, 0)).map(|(&place, _)| place).collect::<Vec<_>>() {
            let old = self.released.remove(&place);
            self.log.push(Old::Released(place, old));
        }
    }
}

impl Executor<'_> {
    /// What is known of data races, if they are looked for.
    pub fn races(&self) -> Option<&Races> {
        self.races.as_deref()
    }

    /// A change, if data races are looked for.
    #[inline]
    fn in_races<T>(&mut self, change: impl FnOnce(&mut Races) -> T) -> Option<T> {
        let races = self.races.as_deref_mut()?;
        let before = races.changes();
        let result = change(races);
        let after = races.changes();
        self.log.changes.extend((before..after).map(|_| Undo::Race));
        Some(result)
    }

    pub(crate) fn race_create(&mut self, child: ThreadIdentity, creator: Option<ThreadIdentity>) {
        self.in_races(|races| races.create(child, creator));
    }

    pub(crate) fn race_join(&mut self, thread: ThreadIdentity, other: ThreadIdentity) {
        self.in_races(|races| races.join(thread, other));
    }

    pub(crate) fn race_fence(&mut self, thread: ThreadIdentity, kind: FenceKind) {
        self.in_races(|races| races.fence(thread, kind));
    }

    /// A `sync` instruction. Who reorders steps knows of it by the accesses of its section to the same object; should there
    /// be none, it counts as one.
    pub(crate) fn race_sync(&mut self, thread: ThreadIdentity, kind: SyncKind, addr: Src) -> Done<()> {
        if self.races.is_none() {
            return Ok(());
        }
        if !matches!(self.mode, Mode::Section(_)) {
            return Err(self.no_meaning(thread, "synchronisation outside of a section"));
        }
        let pointer = self.passed(thread, addr);
        let Some(object) = self.memory.objects.get(pointer.object as usize) else { return Ok(()) };
        let offset = pointer.bits.wrapping_sub(object.base);
        if offset >= u64::from(object.size) {
            return Ok(());
        }
        let (number, offset) = (pointer.object, narrow(offset));
        let at = object.start + offset;
        let touches = |effect: &Effect| matches!(effect, Effect::Read { object, .. } | Effect::Write { object, .. } if *object == number);
        if object.shared && !self.effects.iter().any(touches) {
            self.effects.push(Effect::Write { thread, object: number, at, size: 1 });
        }
        self.in_races(|races| races.sync(thread, kind, (number, offset)));
        Ok(())
    }

    /// What an access counts as.
    fn order_in_mode(&self, order: Order) -> Order {
        match self.mode {
            Mode::Section(SectionKind::Atomic) => order.join(Order::SeqCst),
            Mode::Section(SectionKind::Library) => order.join(Order::Relaxed),
            Mode::Section(SectionKind::Read) | Mode::Silent | Mode::Step => order,
        }
    }

    fn race_access(&mut self, thread: ThreadIdentity, range: Range, is_write: bool, order: Order) -> Done<()> {
        let kind = (is_write, self.mode == Mode::Section(SectionKind::Library));
        match self.in_races(|races| races.access(range, thread, kind, order)).flatten() {
            Some(_) => Err(self.violation(thread, ViolationKind::DataRace, String::new())),
            None => Ok(()),
        }
    }

    /// A load from a shared object.
    pub(crate) fn race_load(
        &mut self,
        thread: ThreadIdentity,
        range: Range,
        order: Order,
        from_memory: bool,
    ) -> Done<()> {
        if self.races.is_none() {
            return Ok(());
        }
        let order = self.order_in_mode(order);
        self.race_access(thread, range, false, order)?;
        if from_memory {
            self.in_races(|races| races.read(thread, order, range));
        }
        Ok(())
    }

    /// A store to a shared object: to memory, or to the buffer as that of a step.
    pub(crate) fn race_store(
        &mut self,
        thread: ThreadIdentity,
        range: Range,
        order: Order,
        buffered: Option<StepNumber>,
    ) -> Done<()> {
        if self.races.is_none() {
            return Ok(());
        }
        let order = self.order_in_mode(order);
        self.race_access(thread, range, true, order)?;
        let follows = if order == Order::Plain { Follows::Breaks } else { Follows::Own };
        self.in_races(|races| {
            let own = races.message(thread, order);
            match buffered {
                Some(step) => races.buffer((thread, step), own, follows),
                None => races.store(range, thread, follows, own),
            }
        });
        Ok(())
    }

    /// A read-modify-write of a shared object, which may turn out to be only a read.
    pub(crate) fn race_update(&mut self, thread: ThreadIdentity, range: Range, order: Order, writes: bool) -> Done<()> {
        if self.races.is_none() {
            return Ok(());
        }
        // It is atomic whatever its order.
        let order = self.order_in_mode(order.join(Order::Relaxed));
        self.race_access(thread, range, writes, order)?;
        self.in_races(|races| {
            races.read(thread, order, range);
            if writes {
                let own = races.message(thread, order);
                races.store(range, thread, Follows::All, own);
            }
        });
        Ok(())
    }

    /// A buffered store leaves the buffer; without a range it reaches no object.
    pub(crate) fn race_commit(&mut self, thread: ThreadIdentity, step: StepNumber, range: Option<Range>) {
        self.in_races(|races| races.commit((thread, step), range));
    }

    fn bytes_of(&self, object: u32) -> std::ops::Range<u32> {
        let info = &self.memory.objects[object as usize];
        info.start..info.start + info.size
    }

    /// To free an object is to write all of it.
    pub(crate) fn race_free(&self, thread: ThreadIdentity, object: u32) -> Result<(), Stop> {
        let Some(races) = &self.races else { return Ok(()) };
        if self.mode == Mode::Section(SectionKind::Library) {
            return Ok(());
        }
        let order = self.order_in_mode(Order::Plain);
        match races.races_with_free(self.bytes_of(object), thread, order) {
            true => Err(self.violation(thread, ViolationKind::DataRace, String::new())),
            false => Ok(()),
        }
    }

    /// The life of an object ends.
    pub(crate) fn race_end(&mut self, object: u32) {
        if self.races.is_some() {
            let bytes = self.bytes_of(object);
            self.in_races(|races| races.forget(object, bytes));
        }
    }

    /// Freed memory may be given out again.
    pub(crate) fn race_withhold(&mut self, thread: ThreadIdentity, object: u32) {
        self.in_races(|races| races.sync(thread, SyncKind::Release, (object, 0)));
    }

    pub(crate) fn race_given_again(&mut self, thread: ThreadIdentity, object: u32) {
        self.in_races(|races| races.given_again(thread, (object, 0)));
    }
}
