//! When buffered stores reach memory, under TSO and PSO.
//!
//! A store is *due* at once, after some steps, or not before nothing else can happen. An execution has a policy: all
//! stores at once, none, each as it comes, or those to certain places late. What is due goes as soon as the model lets it. A thread that waits for its own buffer
//! either empties it when it is its turn, or waits until nobody else can move. Where a thread spins, and in
//! some executions where priorities change, late stores become due.

use crate::random::Random;
use norn_exec::ThreadIdentity;
use norn_verdict::schedule::StepNumber;

#[derive(Clone, Debug)]
pub struct Commits {
    random: Random,
    policy: Policy,
    /// A thread that waits for its buffer empties it itself.
    pub drains: bool,
    /// Where priorities change, a late store becomes due.
    pub hurries: bool,
    /// By thread: the steps of its buffered stores, oldest first, and when they are due.
    dues: Vec<Vec<(StepNumber, u64)>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Policy {
    Eager,
    Lazy,
    /// One in so many is late.
    SomeLate(usize),
    /// Those to one place in so many, by this number.
    LatePlaces(usize, u64),
    /// After up to so many steps.
    After(u64),
}

impl Commits {
    pub fn new(number: u64, mut random: Random) -> Commits {
        let policy = match random.below(9) {
            _ if number == 0 => Policy::Eager,
            0 => Policy::Eager,
            1 | 2 => Policy::Lazy,
            3 | 4 => Policy::SomeLate([2, 4, 8][random.below(3)]),
            5 | 6 => Policy::LatePlaces([2, 3, 6][random.below(3)], random.number()),
            _ => Policy::After([4, 16, 64][random.below(3)]),
        };
        let drains = number == 0 || !random.one_in(3);
        let hurries = random.one_in(2);
        Commits { random, policy, drains, hurries, dues: Vec::new() }
    }

    /// The thread has a buffered store more, to this place, made by this step.
    pub fn stored(&mut self, thread: ThreadIdentity, step: StepNumber, place: u32, now: u64) {
        let due = match self.policy {
            Policy::Eager => now,
            Policy::Lazy => u64::MAX,
            Policy::SomeLate(n) if self.random.one_in(n) => self.late(now),
            Policy::SomeLate(_) => now,
            Policy::LatePlaces(n, key) if Random::new(key ^ u64::from(place)).one_in(n) => self.late(now),
            Policy::LatePlaces(..) => now,
            Policy::After(most) => now + self.random.magnitude(most),
        };
        let at = thread.index();
        if self.dues.len() <= at {
            self.dues.resize(at + 1, Vec::new());
        }
        self.dues[at].push((step, due));
    }

    fn late(&mut self, now: u64) -> u64 {
        if self.random.one_in(2) { u64::MAX } else { now + self.random.magnitude(64) }
    }

    /// One of the stores that are late becomes due: somebody waits in a loop, maybe for it, or it is time for a change.
    pub fn hurry(&mut self, now: u64) {
        let threads = self.dues.len();
        let start = self.random.below(threads);
        let late = (0..threads).map(|i| (start + i) % threads).find(|&thread| !self.dues[thread].is_empty());
        if let Some(thread) = late {
            self.dues[thread][0].1 = now;
        }
    }

    pub fn committed(&mut self, thread: ThreadIdentity, step: StepNumber) {
        self.dues[thread.index()].retain(|store| store.0 != step);
    }

    /// The stores that are due, with their threads; whether the model lets them go is another question.
    pub fn due(&self, now: u64) -> impl Iterator<Item = (ThreadIdentity, StepNumber)> + '_ {
        let of = move |(thread, stores): (usize, &'_ Vec<(StepNumber, u64)>)| {
            let due = stores.iter().find(|store| store.1 <= now)?;
            Some((ThreadIdentity::new(thread), due.0))
        };
        self.dues.iter().enumerate().filter_map(of)
    }
}
