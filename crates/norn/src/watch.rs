//! Sees to it that every run ends: by the time limit, by the memory limit, by a signal.
//!
//! Engines look at their limits themselves, and then say how far they came. Other work (reading C, passes, preparing a
//! formula, a replay) does not look, or not often enough. So a thread looks at the clock, at the memory and at signals; when a
//! limit is exceeded and nothing has been said for a moment, it prints the command's last words (an `unknown` for each model
//! that has no verdict yet) and ends the process. Whoever prints holds [`speak`], so that only one verdict is ever heard.
//!
//! The first SIGINT, SIGTERM or SIGHUP asks the search to stop and print what it has reached; the second ends the process at
//! once. Either way what the process has started ends with it.

use crate::exit::Exit;
use crate::output;
use crate::owned;
use norn_verdict::limits::{Exceeded, StopToken, resident_bytes, virtual_bytes};
use std::process;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long an engine has, beyond a limit, to say what it reached.
const GRACE: Duration = Duration::from_millis(400);
/// How long the work after a late result may take.
const FOR_THE_REST: Duration = Duration::from_millis(100);
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// Beyond any use, and within what clocks can count.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// What is said if the work has to end now.
#[derive(Default)]
pub struct LastWords {
    /// For standard output.
    pub output: String,
    /// For standard error.
    pub error: String,
    /// With what status the process ends; unknown if nothing is said. Interrupted is interrupted.
    pub exit: Option<Exit>,
}

type MakeWords = Box<dyn Fn(Exceeded) -> LastWords + Send>;

struct Watch {
    stop: StopToken,
    start: Instant,
    state: Mutex<State>,
    speaking: Mutex<()>,
    /// The bytes of addresses that the system allows the process (`ulimit -v`), if that is limited.
    address_space: Option<u64>,
}

#[derive(Default)]
struct State {
    deadline: Option<Instant>,
    memory: Option<u64>,
    words: Option<MakeWords>,
    /// A task has begun, so that the next has a time of its own.
    has_begun: bool,
}

static WATCH: LazyLock<Watch> = LazyLock::new(|| Watch {
    stop: StopToken::default(),
    start: Instant::now(),
    state: Mutex::default(),
    speaking: Mutex::default(),
    address_space: address_space(),
});

#[cfg(unix)]
fn address_space() -> Option<u64> {
    use nix::sys::resource::{Resource, getrlimit};
    getrlimit(Resource::RLIMIT_AS).ok().map(|(soft, _)| soft).filter(|&soft| soft != nix::libc::RLIM_INFINITY)
}

#[cfg(not(unix))]
fn address_space() -> Option<u64> {
    None
}

/// Begins to watch, at the start of the process.
pub fn begin() {
    LazyLock::force(&WATCH);
    // Without a handler a signal ends the process, which is what it would do anyway.
    let _ = ctrlc::set_handler(|| {
        if WATCH.stop.is_stopped() {
            owned::end_all();
            process::exit(Exit::Interrupted as i32);
        }
        WATCH.stop.stop();
    });
    // Without a thread for it the engines still look themselves.
    let _ = thread::Builder::new().name("watch".to_owned()).spawn(look_again_and_again);
}

/// Stopped by the first signal.
pub fn stop_token() -> StopToken {
    WATCH.stop.clone()
}

/// The limits of all that is done until a first task begins: it begins when the process does.
pub fn limit(timeout: Duration, memory: u64) {
    let mut state = lock(&WATCH.state);
    state.deadline = Some(WATCH.start + timeout.min(LONGEST));
    state.memory = Some(memory);
}

/// A task begins, with a time limit of its own. The first has begun with the process: reading the program is part of it.
pub fn begin_task(timeout: Duration, memory: u64) -> Instant {
    let mut state = lock(&WATCH.state);
    let begun = if state.has_begun { Instant::now() } else { WATCH.start };
    let deadline = begun + timeout.min(LONGEST);
    *state = State { deadline: Some(deadline), memory: Some(memory), words: state.words.take(), has_begun: true };
    deadline
}

/// The task is done: what is left is to say so.
pub fn end_task() {
    lock(&WATCH.state).deadline = None;
}

/// The task has its result, and little is left to do: that may take a moment also if the engine was late.
pub fn end_task_soon() {
    let mut state = lock(&WATCH.state);
    let latest = (Instant::now() + FOR_THE_REST).checked_sub(GRACE);
    state.deadline = state.deadline.map(|deadline| latest.map_or(deadline, |latest| latest.max(deadline)));
}

/// What is to be said if the work has to end from now on.
pub fn last_words(words: impl Fn(Exceeded) -> LastWords + Send + 'static) {
    lock(&WATCH.state).words = Some(Box::new(words));
}

/// Held by who prints.
pub fn speak() -> MutexGuard<'static, ()> {
    lock(&WATCH.speaking)
}

/// A thread that panicked leaves nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn look_again_and_again() {
    // Since when a limit other than that of the time is exceeded.
    let mut over: Option<Instant> = None;
    loop {
        thread::sleep(BETWEEN_LOOKS);
        let Some((exceeded, deadline)) = WATCH.exceeded() else {
            over = None;
            continue;
        };
        let since = deadline.unwrap_or_else(|| *over.get_or_insert_with(Instant::now));
        if since.elapsed() >= GRACE {
            WATCH.end(exceeded);
        }
    }
}

/// Ends the process now, with its last words.
pub fn end(exceeded: Exceeded) -> ! {
    WATCH.end(exceeded)
}

impl Watch {
    /// The limit that is exceeded, and when the time was over if it is that.
    fn exceeded(&self) -> Option<(Exceeded, Option<Instant>)> {
        if self.stop.is_stopped() {
            return Some((Exceeded::Interrupted, None));
        }
        let state = lock(&self.state);
        if let Some(deadline) = state.deadline.filter(|&deadline| Instant::now() >= deadline) {
            return Some((Exceeded::Time, Some(deadline)));
        }
        let is_full = |limit: u64, used: Option<u64>| used.is_some_and(|used| used > limit);
        if state.memory.is_some_and(|limit| is_full(limit, resident_bytes())) {
            return Some((Exceeded::Memory, None));
        }
        // There the next allocation may fail, which would end the process without a word: nobody has time to speak.
        let is_nearly_full = self.address_space.is_some_and(|limit| is_full(limit - limit / 8, virtual_bytes()));
        is_nearly_full.then(|| (Exceeded::Memory, Instant::now().checked_sub(GRACE)))
    }

    fn end(&self, exceeded: Exceeded) -> ! {
        // Whoever is printing now has the verdict. Nobody speaks after this.
        let _speaking = speak();
        owned::end_all();
        let words = lock(&self.state).words.take();
        let LastWords { output, error, exit } = words.map_or_else(|| said_nothing(exceeded), |words| words(exceeded));
        // A line that shows progress would stay.
        let clear = if output::has_styles() { "\r\x1b[K" } else { "" };
        output::say(&format!("{clear}{error}"));
        let exit = match output::print_now(&output) {
            Exit::Fine if exceeded == Exceeded::Interrupted => Exit::Interrupted,
            Exit::Fine => exit.unwrap_or(Exit::Unknown),
            failed => failed,
        };
        process::exit(exit as i32)
    }
}

fn said_nothing(exceeded: Exceeded) -> LastWords {
    LastWords { error: format!("norn: {}\n", exceeded.reason()), ..LastWords::default() }
}
