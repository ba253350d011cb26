//! Who is next.
//!
//! - *Priorities* (PCT: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic guarantees of
//!   finding bugs", ASPLOS 2010): each thread has a random priority, the highest that can move does, and at d - 1 random
//!   steps the priority of who is about to move becomes the lowest. A bug of depth d is found with probability at least
//!   1/(n k^(d-1)) for n threads and k steps. Where the paper knows k, here it is drawn, up to the length of earlier
//!   executions, small numbers as often as large ones: programs with endless loops have no length.
//! - *Walks*: any thread that can move, or the same again with a certain probability.
//! - *Turns*: in the order of creation, each until it waits; at a few random steps the turn ends before.
//!
//! None of these is fair, and programs spin. A thread that has only read for some steps, or has moved for very many on end,
//! gives way: its priority becomes the lowest, its turn ends.

use crate::random::Random;
use norn_exec::ThreadIdentity;

/// At most so many changes of priority or turns that end early.
const MOST_CHANGES: usize = 5;

#[derive(Clone, Debug)]
pub struct Chooser {
    random: Random,
    plan: Plan,
    /// By thread. Larger is more urgent; 0: not seen yet.
    priorities: Vec<u64>,
    /// Below all that were given so far.
    lowest: u64,
    /// Steps at which something changes, the last first.
    changes: Vec<u64>,
    last: Option<ThreadIdentity>,
    /// The last thread should give way.
    turn_over: bool,
    /// Somebody had to give way when one was picked last.
    pub changed: bool,
    /// Steps of the last thread on end, and those of them that only read.
    on_end: u32,
    reads_on_end: u32,
    most_on_end: u32,
    most_reads_on_end: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plan {
    Priorities,
    /// Of 256 times, how often the same thread again.
    Walk {
        stays: usize,
    },
    Turns,
}

const MIDDLE: u64 = 1 << 62;

impl Chooser {
    /// For the execution of this number. Earlier ones had up to `length` steps. The first goes by plain turns.
    pub fn new(number: u64, mut random: Random, length: u64) -> Chooser {
        let plan = match random.below(8) {
            _ if number == 0 => Plan::Turns,
            0..5 => Plan::Priorities,
            5 => Plan::Turns,
            _ => Plan::Walk { stays: [0, 128, 224, 250][random.below(4)] },
        };
        let count = if number == 0 { 0 } else { random.below(MOST_CHANGES) };
        let among = random.magnitude(length.max(8));
        let mut changes: Vec<u64> = (0..count).map(|_| random.number() % among).collect();
        changes.sort_unstable_by(|a, b| b.cmp(a));
        let (most_on_end, most_reads_on_end) = ([64, 256, 1024][random.below(3)], [4, 16, 64][random.below(3)]);
        Chooser {
            random,
            plan,
            priorities: Vec::new(),
            lowest: MIDDLE,
            changes,
            last: None,
            turn_over: false,
            changed: false,
            on_end: 0,
            reads_on_end: 0,
            most_on_end,
            most_reads_on_end,
        }
    }

    /// One of the threads, which are in the order of creation and not none; `step` counts what has happened so far.
    pub fn pick(&mut self, threads: &[ThreadIdentity], step: u64) -> ThreadIdentity {
        let mut next = self.preferred(threads);
        self.changed = false;
        while self.changes.last().is_some_and(|&change| change <= step) {
            self.changes.pop();
            self.changed = true;
            self.put_last(next);
            next = self.preferred(threads);
        }
        self.turn_over = false;
        next
    }

    fn preferred(&mut self, threads: &[ThreadIdentity]) -> ThreadIdentity {
        let last = self.last.filter(|last| !self.turn_over && threads.contains(last));
        match self.plan {
            Plan::Priorities => {
                let mut best = (0, threads[0]);
                for &thread in threads {
                    best = best.max((self.priority(thread), thread));
                }
                best.1
            }
            Plan::Walk { stays } => match last {
                Some(last) if self.random.below(256) < stays => last,
                _ => threads[self.random.below(threads.len())],
            },
            Plan::Turns => match (last, self.last) {
                (Some(last), _) => last,
                // Identities are in the order of creation, nearly always.
                (None, Some(before)) => *threads.iter().find(|&&thread| thread > before).unwrap_or(&threads[0]),
                (None, None) => threads[0],
            },
        }
    }

    fn priority(&mut self, thread: ThreadIdentity) -> u64 {
        let at = thread.index();
        if self.priorities.len() <= at {
            self.priorities.resize(at + 1, 0);
        }
        if self.priorities[at] == 0 {
            self.priorities[at] = MIDDLE + self.random.number() % MIDDLE;
        }
        self.priorities[at]
    }

    fn put_last(&mut self, thread: ThreadIdentity) {
        self.priority(thread);
        self.lowest -= 1;
        self.priorities[thread.index()] = self.lowest;
        self.last = Some(thread);
        self.turn_over = true;
    }

    /// The thread has taken a step; `wrote`: others may notice it. Whether it gives way now.
    pub fn took(&mut self, thread: ThreadIdentity, wrote: bool) -> bool {
        if self.last != Some(thread) {
            (self.on_end, self.reads_on_end) = (0, 0);
        }
        self.last = Some(thread);
        self.on_end += 1;
        self.reads_on_end = if wrote { 0 } else { self.reads_on_end + 1 };
        let gives_way = self.on_end >= self.most_on_end || self.reads_on_end >= self.most_reads_on_end;
        if gives_way {
            (self.on_end, self.reads_on_end) = (0, 0);
            self.put_last(thread);
        }
        gives_way
    }
}
