//! How long and how large a search may become, how it is told to stop, and who watches it.

use crate::progress::Progress;
use crate::turns::Turns;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Asks a running search to stop; shared between threads and with the signal handler.
#[derive(Clone, Debug, Default)]
pub struct StopToken(Arc<AtomicBool>);

impl StopToken {
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why a search ended before it was done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Exceeded {
    Time,
    Memory,
    /// The user interrupted it.
    Interrupted,
}

impl Exceeded {
    /// The reason as a verdict gives it.
    pub fn reason(self) -> &'static str {
        match self {
            Exceeded::Time => "the time limit was reached",
            Exceeded::Memory => "the memory limit was reached",
            Exceeded::Interrupted => "interrupted",
        }
    }
}

/// The limits of one search. Searches ask [`Limits::exceeded`] now and then; it is cheap, but it may take long to return where
/// searches take turns.
#[derive(Clone, Debug)]
pub struct Limits {
    pub deadline: Option<Instant>,
    /// Of a search that takes turns: how much time it may have had, beside the deadline.
    pub allowance: Option<Duration>,
    /// Bytes of resident memory of the whole process.
    pub memory: Option<u64>,
    /// Executions, for an engine that counts them.
    pub executions: Option<u64>,
    pub stop: StopToken,
    pub progress: Progress,
    pub turns: Turns,
}

impl Limits {
    pub fn none() -> Limits {
        Limits {
            deadline: None,
            allowance: None,
            memory: None,
            executions: None,
            stop: StopToken::default(),
            progress: Progress::none(),
            turns: Turns::none(),
        }
    }

    pub fn for_seconds(seconds: f64) -> Limits {
        Limits { deadline: Some(Instant::now() + Duration::from_secs_f64(seconds)), ..Limits::none() }
    }

    /// The same, but for a second at most: for what is worth knowing only if it is quickly known.
    pub fn for_a_moment(&self) -> Limits {
        self.for_at_most(Duration::from_secs(1))
    }

    /// The same, but for so long at most. A search that takes turns has that time for itself.
    pub fn for_at_most(&self, time: Duration) -> Limits {
        match self.turns.used() {
            Some(used) => {
                let soon = used + time;
                Limits { allowance: Some(self.allowance.map_or(soon, |most| most.min(soon))), ..self.clone() }
            }
            None => {
                let soon = Instant::now() + time;
                Limits { deadline: Some(self.deadline.map_or(soon, |deadline| deadline.min(soon))), ..self.clone() }
            }
        }
    }

    /// The same with half of the time that is left, if time is limited.
    pub fn half(&self) -> Option<Limits> {
        if self.deadline.is_none() && self.allowance.is_none() {
            return None;
        }
        let now = Instant::now();
        let used = self.turns.used().unwrap_or_default();
        let deadline = self.deadline.map(|end| now + end.saturating_duration_since(now) / 2);
        let allowance = self.allowance.map(|most| used + most.saturating_sub(used) / 2);
        Some(Limits { deadline, allowance, ..self.clone() })
    }

    /// The limit that was reached, if any. Looks at the clock and at the process's memory, and waits for the search's turn
    /// where searches take turns: call it every millisecond or so, not at each step.
    pub fn exceeded(&self) -> Option<Exceeded> {
        if self.stop.is_stopped() {
            return Some(Exceeded::Interrupted);
        }
        if let Some(ended) = self.turns.pass() {
            return Some(ended);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Exceeded::Time);
        }
        if self.allowance.is_some_and(|most| self.turns.used().is_some_and(|used| used >= most)) {
            return Some(Exceeded::Time);
        }
        match (self.memory, resident_bytes()) {
            (Some(limit), Some(used)) if used > limit => Some(Exceeded::Memory),
            _ => None,
        }
    }
}

/// Resident memory of this process, where the system tells it.
pub fn resident_bytes() -> Option<u64> {
    memory_figure(1)
}

/// All addresses that this process has memory for, resident or not, where the system tells it.
pub fn virtual_bytes() -> Option<u64> {
    memory_figure(0)
}

/// One of the figures that Linux gives in pages.
fn memory_figure(position: usize) -> Option<u64> {
    const PAGE: u64 = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(position)?.parse().ok()?;
    Some(pages * PAGE)
}
