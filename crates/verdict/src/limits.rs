//! How long and how large a search may become, how it is told to stop, and who watches it.

use crate::progress::Progress;
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

/// The limits of one search. Searches ask [`Limits::exceeded`] now and then; it is cheap.
#[derive(Clone, Debug)]
pub struct Limits {
    pub deadline: Option<Instant>,
    /// Bytes of resident memory of the whole process.
    pub memory: Option<u64>,
    /// Executions, for an engine that counts them.
    pub executions: Option<u64>,
    pub stop: StopToken,
    pub progress: Progress,
}

impl Limits {
    pub fn none() -> Limits {
        Limits {
            deadline: None,
            memory: None,
            executions: None,
            stop: StopToken::default(),
            progress: Progress::none(),
        }
    }

    pub fn for_seconds(seconds: f64) -> Limits {
        Limits { deadline: Some(Instant::now() + Duration::from_secs_f64(seconds)), ..Limits::none() }
    }

    /// The same, but for a second at most: for what is worth knowing only if it is quickly known.
    pub fn for_a_moment(&self) -> Limits {
        let soon = Instant::now() + Duration::from_secs(1);
        Limits { deadline: Some(self.deadline.map_or(soon, |deadline| deadline.min(soon))), ..self.clone() }
    }

    /// The limit that was reached, if any. Looks at the clock and at the process's memory: call it every few thousand
    /// steps, not at each.
    pub fn exceeded(&self) -> Option<Exceeded> {
        if self.stop.is_stopped() {
            return Some(Exceeded::Interrupted);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
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
