//! Who of several searches may run: they take turns in slices that double, and keep what they have between slices.
//!
//! Each search has a thread of its own. Where it looks at its limits it passes its [`Seat`], which holds it while others have
//! their turn; so a slice ends at the first look after its time is over. With one permit no two searches ever run at the same
//! time, with several so many run side by side.
//!
//! A search's place is the round in which it is, and within a round its number: whoever has the first place of those who wait
//! goes on. Slices have a length in the time of the search itself, which is that of the processor where the system tells it:
//! a busy machine makes no difference. What a search has used beyond its slice counts: it waits until the others have caught up.
//! Whoever says that it is soon done has longer slices.
//!
//! Once a search has the answer, those with later places end at their next look. In the first rounds those with earlier
//! places come to the end of their slices before: whatever the number of permits, the answer is the one that turns one
//! after the other would have given. Later, where that would cost more than a moment, all others end at once.
//!
//! Memory is that of the process. Beyond a half of what is allowed, whoever made it grow most has to end, so that the others can
//! go on; each time that happens, half of what is still left is the next limit. The last one may have all.

use norn_verdict::limits::{Exceeded, Limits, resident_bytes};
use norn_verdict::turns::Gate;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The first slice of a search with weight 1.
const FIRST_SLICE: Duration = Duration::from_millis(5);
/// A search that has done so much of its work has slices that are so many times as long. The estimate is seldom right: the
/// others go on, too.
const SOON_DONE: f64 = 0.1;
const FAVOUR: u32 = 2;
/// Up to this round the order of searches decides whose answer counts.
const LAST_ORDERED_ROUND: u32 = 2;
/// Slices of later rounds are as long as those of this one.
const LONGEST_ROUND: u32 = 20;

/// The time that a thread has had, as it asks for it itself.
pub type Clock = fn() -> Duration;

/// The processor time of the thread, where the system tells it, or the time that goes by.
pub fn clock() -> Duration {
    #[cfg(target_os = "linux")]
    if let Ok(time) = nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID) {
        return time.into();
    }
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

pub struct Turnstile {
    permits: usize,
    /// Of all searches together: deadline, memory, and the token that stops them.
    limits: Limits,
    clock: Clock,
    resident: fn() -> Option<u64>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    searches: Vec<Search>,
    running: usize,
    /// Where the answer was found that counts, if there is one: searches at later places have to end.
    answer: Option<Place>,
    /// All have to end.
    over: Option<Exceeded>,
    /// The memory of the process when somebody looked last.
    resident: u64,
    /// Beyond this, somebody has to end.
    most_memory: Option<u64>,
}

/// A round, and in it the number of a search.
type Place = (u32, usize);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Waits,
    Runs,
    Done,
}

#[derive(Clone, Debug)]
struct Search {
    phase: Phase,
    /// How long its slices are, in first slices.
    weight: u32,
    /// It says that it has done much of its work.
    is_soon_done: bool,
    round: u32,
    used: Duration,
    /// What its clock said when `used` was right, if it has begun.
    since: Option<Duration>,
    /// By how much the process grew while it ran.
    grown: i64,
    /// It has to end, since it needs too much memory.
    is_too_large: bool,
}

impl Search {
    /// All the time that it has up to the end of its round.
    fn due(&self) -> Duration {
        let weight = if self.is_soon_done { FAVOUR * self.weight } else { self.weight };
        let longer = (1 << LONGEST_ROUND) * self.round.saturating_sub(LONGEST_ROUND);
        FIRST_SLICE * weight * ((2 << self.round.min(LONGEST_ROUND)) - 1 + longer)
    }
}

impl State {
    fn place(&self, number: usize) -> Place {
        (self.searches[number].round, number)
    }

    /// The first who waits.
    fn next(&self) -> Option<usize> {
        let waits = |number: &usize| self.searches[*number].phase == Phase::Waits;
        (0..self.searches.len()).filter(waits).min_by_key(|&number| self.place(number))
    }

    fn alive(&self) -> impl Iterator<Item = usize> {
        (0..self.searches.len()).filter(|&number| self.searches[number].phase != Phase::Done)
    }

    /// Whether somebody who has to end for the memory has not ended yet.
    fn is_shrinking(&self) -> bool {
        self.alive().any(|number| self.searches[number].is_too_large)
    }
}

impl Turnstile {
    /// For searches with these weights. The limits are those of all together.
    pub fn new(weights: &[u32], permits: usize, limits: &Limits) -> Arc<Turnstile> {
        Turnstile::with_clock(weights, permits, limits, clock, resident_bytes)
    }

    fn with_clock(
        weights: &[u32],
        permits: usize,
        limits: &Limits,
        clock: Clock,
        resident: fn() -> Option<u64>,
    ) -> Arc<Turnstile> {
        let search = |&weight: &u32| Search {
            phase: Phase::Waits,
            weight,
            is_soon_done: false,
            round: 0,
            used: Duration::ZERO,
            since: None,
            grown: 0,
            is_too_large: false,
        };
        let mut state = State {
            searches: weights.iter().map(search).collect(),
            running: 0,
            answer: None,
            over: None,
            resident: resident().unwrap_or(0),
            most_memory: limits.memory.map(|bytes| bytes / 2),
        };
        admit(&mut state, permits.max(1));
        let limits = limits.clone();
        let (state, changed) = (Mutex::new(state), Condvar::new());
        Arc::new(Turnstile { permits: permits.max(1), limits, clock, resident, state, changed })
    }

    /// Everybody ends at the next look.
    pub fn cancel(&self) {
        self.lock().over.get_or_insert(Exceeded::Interrupted);
        self.changed.notify_all();
    }

    /// A search has done this share of its work, as far as it can tell.
    pub fn has_done(&self, number: usize, share: f64) {
        self.lock().searches[number].is_soon_done = share >= SOON_DONE;
    }

    /// Whose answer counts.
    pub fn winner(&self) -> Option<usize> {
        self.lock().answer.map(|(_, number)| number)
    }

    /// The time that each search has had.
    pub fn used(&self) -> Vec<Duration> {
        self.lock().searches.iter().map(|search| search.used).collect()
    }

    /// A thread that panicked leaves nothing half done here.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pass(&self, number: usize) -> Option<Exceeded> {
        let now = (self.clock)();
        let mut state = self.lock();
        self.count(&mut state, number, now);
        self.give_way(&mut state, number);
        loop {
            if let Some(ended) = self.ended(&mut state, number) {
                return Some(ended);
            }
            if state.searches[number].phase == Phase::Runs {
                match self.look_at_memory(&mut state, number) {
                    Room::Enough => return None,
                    Room::None => return Some(Exceeded::Memory),
                    Room::Soon => {}
                }
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.searches[number].since = Some((self.clock)());
        }
    }

    /// Notes the time that a search has had.
    fn count(&self, state: &mut State, number: usize, now: Duration) {
        let search = &mut state.searches[number];
        if search.phase == Phase::Runs {
            search.used += now.saturating_sub(search.since.unwrap_or(now));
        }
        search.since = Some(now);
    }

    /// If the slice of a search is over, whoever is next goes on; that may be the same.
    fn give_way(&self, state: &mut State, number: usize) {
        let search = &mut state.searches[number];
        if search.phase != Phase::Runs || search.used < search.due() {
            return;
        }
        // Slices may be longer than they were.
        search.round = 0;
        while search.used >= search.due() {
            search.round += 1;
        }
        search.phase = Phase::Waits;
        state.running -= 1;
        admit(state, self.permits);
        if state.searches[number].phase == Phase::Waits {
            self.changed.notify_all();
        }
    }

    /// Why a search has to end.
    fn ended(&self, state: &mut State, number: usize) -> Option<Exceeded> {
        let reached = || {
            let is_late = || self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            match self.limits.stop.is_stopped() {
                true => Some(Exceeded::Interrupted),
                false => is_late().then_some(Exceeded::Time),
            }
        };
        if state.over.is_none() && reached().is_some() {
            state.over = reached();
            self.changed.notify_all();
        }
        let is_beaten = state.answer.is_some_and(|at| at.0 > LAST_ORDERED_ROUND || state.place(number) > at);
        let beaten = is_beaten.then_some(Exceeded::Interrupted);
        let too_large = state.searches[number].is_too_large.then_some(Exceeded::Memory);
        state.over.or(beaten).or(too_large)
    }

    /// Whether there is memory for a search to go on.
    fn look_at_memory(&self, state: &mut State, number: usize) -> Room {
        let (Some(all), Some(most), Some(now)) = (self.limits.memory, state.most_memory, (self.resident)()) else {
            return Room::Enough;
        };
        state.searches[number].grown += now as i64 - state.resident as i64;
        state.resident = now;
        let is_alone = state.alive().count() == 1;
        if now <= if is_alone { all } else { most } {
            return Room::Enough;
        }
        if is_alone {
            return Room::None;
        }
        if state.is_shrinking() {
            return if now <= all { Room::Enough } else { Room::Soon };
        }
        let largest = state.alive().max_by_key(|&other| state.searches[other].grown);
        let largest = largest.expect("the one who asks is there");
        state.searches[largest].is_too_large = true;
        self.changed.notify_all();
        match largest == number {
            true => Room::None,
            false => Room::Enough,
        }
    }

    /// A search has ended. With an answer the others need not go on.
    fn leave(&self, number: usize, has_answer: bool) {
        let now = (self.clock)();
        let mut state = self.lock();
        let state = &mut *state;
        self.count(state, number, now);
        if has_answer {
            let place = state.place(number);
            let is_ahead = |other: Place| place < other && place.0 <= LAST_ORDERED_ROUND;
            state.answer = state.answer.filter(|&other| !is_ahead(other)).or(Some(place));
        }
        let search = &mut state.searches[number];
        if search.phase == Phase::Runs {
            state.running -= 1;
        }
        let search = &mut state.searches[number];
        search.phase = Phase::Done;
        if search.is_too_large
            && let Some(all) = self.limits.memory
        {
            state.resident = (self.resident)().unwrap_or(state.resident);
            let (least, half) = (state.resident.min(all), all / 2);
            state.most_memory = Some(all - (all - least.max(half)) / 2);
        }
        admit(state, self.permits);
        self.changed.notify_all();
    }
}

/// Whether there is memory.
enum Room {
    Enough,
    /// When somebody else has ended.
    Soon,
    None,
}

/// Those who are next go on, as many as there are permits.
fn admit(state: &mut State, permits: usize) {
    while state.running < permits
        && let Some(next) = state.next()
    {
        state.searches[next].phase = Phase::Runs;
        state.running += 1;
    }
}

/// The place of one search. Whoever drops it has ended; after a panic, so have all.
pub struct Seat {
    turnstile: Arc<Turnstile>,
    number: usize,
    has_answer: bool,
}

impl Seat {
    pub fn new(turnstile: &Arc<Turnstile>, number: usize) -> Seat {
        Seat { turnstile: Arc::clone(turnstile), number, has_answer: false }
    }

    pub fn turnstile(&self) -> Arc<Turnstile> {
        Arc::clone(&self.turnstile)
    }

    /// What keeps the search at its limits.
    pub fn gate(&self) -> Arc<dyn Gate> {
        Arc::new(Keeper { turnstile: Arc::clone(&self.turnstile), number: self.number })
    }

    /// The search has ended, with the answer to the question or without.
    pub fn leave(mut self, has_answer: bool) {
        self.has_answer = has_answer;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.turnstile.cancel();
        }
        self.turnstile.leave(self.number, self.has_answer);
    }
}

struct Keeper {
    turnstile: Arc<Turnstile>,
    number: usize,
}

impl Gate for Keeper {
    fn pass(&self) -> Option<Exceeded> {
        self.turnstile.pass(self.number)
    }

    fn used(&self) -> Duration {
        let now = (self.turnstile.clock)();
        let mut state = self.turnstile.lock();
        self.turnstile.count(&mut state, self.number, now);
        state.searches[self.number].used
    }
}

#[cfg(test)]
mod tests;
