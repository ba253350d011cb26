//! What of the past can still be part of a data race: the part of a state that decides which steps race from here on.
//!
//! Times are only ever compared with the entries of clocks, and a step that is still to come has a time that nobody knows.
//! So of all clocks no more matters than which of the accesses so far they know, and of the accesses only those matter
//! that some running thread does not know (a thread that is created later knows what its creator knows, one that is
//! given a clock knows more than before). An access does not matter if a later one of the same thread to the same bytes
//! races with all that it races with. Accesses that the same clocks know form a class; classes of a thread are in the
//! order of time, and a clock knows the first few of them. The classes do not depend on how often anything was released.
//!
//! What nobody can reach any more nobody can access: the caller says which objects count.

use crate::executor::Executor;
use crate::races::{Access, Clock, Clocks, Follows, Races};
use crate::state::{Status, ThreadIdentity};
use norn_ir::number::narrow;
use norn_verdict::trace::ThreadIndex;
use std::rc::Rc;

/// An access that may be part of a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenAccess {
    pub object: u32,
    pub offset: u32,
    pub size: u8,
    pub thread: ThreadIndex,
    /// What kind of access it is, as bits.
    pub kind: u8,
    /// Its class among those of its thread, from 1.
    pub class: u32,
}

/// What has a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carrier {
    Thread(ThreadIndex),
    /// What a fence would acquire.
    Unacquired(ThreadIndex),
    /// What relaxed stores release.
    Fenced(ThreadIndex),
    /// The store at this place of the thread's buffer; whether it goes on with a release sequence.
    Buffered(ThreadIndex, u32, bool),
    /// A lock or the like, by object and offset.
    Lock(u32, u32),
    /// What the thread released by a store to these bytes: object, offset, size.
    Message(ThreadIndex, (u32, u32, u8)),
}

/// What a clock knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    pub carrier: Carrier,
    /// By number of thread: how many of its classes.
    pub classes: Vec<u32>,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Open {
    pub accesses: Vec<OpenAccess>,
    /// Those that know anything that is open.
    pub known: Vec<Known>,
}

struct Found {
    object: u32,
    offset: u32,
    size: u8,
    access: Access,
}

impl Races {
    /// What is open in the executor's state.
    pub fn open(&self, executor: &Executor<'_>, counts: impl Fn(u32) -> bool) -> Open {
        let found = self.open_accesses(executor, &counts);
        if found.is_empty() {
            return Open::default();
        }
        let carriers = self.carriers(executor, &counts);
        // By number of thread: the first time of each class.
        let classes: Vec<Vec<u32>> = executor.threads().map(|thread| classes(thread, &found, &carriers)).collect();
        let of = |number: usize, time: u32| narrow(classes[number].partition_point(|&first| first <= time));
        let accesses = found.iter().map(|&Found { object, offset, size, access }| {
            let thread = executor.thread(access.thread).number;
            let bits = [access.by_library, access.is_write, access.is_atomic];
            let kind = bits.into_iter().fold(0, |bits, bit| bits << 1 | u8::from(bit));
            OpenAccess { object, offset, size, thread, kind, class: of(thread.index(), access.time) }
        });
        let known = carriers.into_iter().filter_map(|(carrier, clock)| {
            let entries = executor.threads().enumerate().map(|(number, thread)| of(number, entry(&clock, thread)));
            let classes: Vec<u32> = entries.collect();
            let says_something =
                classes.iter().any(|&class| class > 0) || matches!(carrier, Carrier::Buffered(_, _, true));
            says_something.then_some(Known { carrier, classes })
        });
        Open { accesses: accesses.collect(), known: known.collect() }
    }

    fn open_accesses(&self, executor: &Executor<'_>, counts: impl Fn(u32) -> bool) -> Vec<Found> {
        let is_running = |thread: &ThreadIdentity| {
            !matches!(executor.status(*thread), Status::Ended | Status::Stopped | Status::Circling | Status::Absent)
        };
        let running: Vec<ThreadIdentity> = executor.threads().filter(is_running).collect();
        let is_open = |access: &Access| {
            let knows = |thread: ThreadIdentity| entry(&self.threads[thread.index()].now, access.thread) >= access.time;
            running.iter().any(|&thread| thread != access.thread && !knows(thread))
        };
        let memory = executor.memory();
        let mut found = Vec::new();
        for (&(at, size), list) in &self.accesses {
            for access in list.iter().filter(|access| is_open(access)) {
                if list.iter().any(|other| other != access && other.stands_for(access)) {
                    continue;
                }
                let object = memory.object_at(at);
                if counts(object) {
                    let offset = at - memory.objects[object as usize].start;
                    found.push(Found { object, offset, size, access: *access });
                }
            }
        }
        found
    }

    fn carriers(&self, executor: &Executor<'_>, counts: impl Fn(u32) -> bool) -> Vec<(Carrier, Clock)> {
        let number = |thread: ThreadIdentity| executor.thread(thread).number;
        let mut carriers = Vec::new();
        for thread in executor.threads() {
            let Clocks { now, unacquired, fenced } = &self.threads[thread.index()];
            match executor.status(thread) {
                Status::Absent | Status::Stopped | Status::Circling => continue,
                // A join takes over what it knew.
                Status::Ended => carriers.push((Carrier::Thread(number(thread)), Rc::clone(now))),
                _ => {
                    carriers.push((Carrier::Thread(number(thread)), Rc::clone(now)));
                    carriers.push((Carrier::Unacquired(number(thread)), Rc::clone(unacquired)));
                    let fenced = fenced.as_ref();
                    carriers.extend(fenced.map(|clock| (Carrier::Fenced(number(thread)), Rc::clone(clock))));
                }
            }
        }
        for (&(thread, step), (own, follows)) in &self.carried {
            let buffer = &executor.thread(thread).buffer;
            if let Some(index) = buffer.iter().position(|entry| entry.step == step) {
                let carrier = Carrier::Buffered(number(thread), narrow(index), *follows == Follows::Own);
                carriers.push((carrier, own.clone().unwrap_or_default()));
            }
        }
        for (&(object, offset), clock) in self.released.iter().filter(|(place, _)| counts(place.0)) {
            carriers.push((Carrier::Lock(object, offset), Rc::clone(clock)));
        }
        let memory = executor.memory();
        for (&(at, size), message) in &self.messages {
            let object = memory.object_at(at);
            if counts(object) {
                let range = (object, at - memory.objects[object as usize].start, size);
                let parts = message.iter().map(|(by, clock)| (Carrier::Message(number(*by), range), Rc::clone(clock)));
                carriers.extend(parts);
            }
        }
        carriers
    }
}

fn entry(clock: &Clock, thread: ThreadIdentity) -> u32 {
    clock.get(thread.index()).copied().unwrap_or(0)
}

/// The first times of the classes of a thread's open accesses.
fn classes(thread: ThreadIdentity, found: &[Found], carriers: &[(Carrier, Clock)]) -> Vec<u32> {
    let mut times: Vec<u32> = found.iter().filter(|f| f.access.thread == thread).map(|f| f.access.time).collect();
    times.sort_unstable();
    times.dedup();
    // Two times are one class unless a clock lies between them.
    let mut firsts: Vec<u32> = Vec::new();
    for time in times {
        let is_apart = |first: u32| carriers.iter().any(|(_, clock)| (first..time).contains(&entry(clock, thread)));
        if firsts.last().is_none_or(|&first| is_apart(first)) {
            firsts.push(time);
        }
    }
    firsts
}
