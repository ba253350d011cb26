//! The limits of a search: those that were given, and what the machine has.

use crate::args::LimitArgs;
use crate::progress::ProgressLine;
use crate::watch;
use norn_verdict::limits::{Limits, StopToken};

/// The limits of a search that begins now; the first began with the process.
pub fn limits(args: &LimitArgs, stop: &StopToken, line: &ProgressLine) -> Limits {
    Limits {
        deadline: Some(watch::begin_task(args.timeout, args.memory())),
        memory: Some(args.memory()),
        executions: args.executions,
        stop: stop.clone(),
        progress: line.progress(),
        ..Limits::none()
    }
}

/// Three quarters of the memory that is free now, where the system tells it.
pub fn default_memory() -> u64 {
    const FALLBACK: u64 = 4 << 30;
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.map_or(FALLBACK, |kb| kb / 4 * 3 * 1024)
}
