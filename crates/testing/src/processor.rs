//! Time that does not depend on how busy the machine is.

use std::time::{Duration, Instant};

/// How long a process (its number, or `self`) has had a processor, to a hundredth of a second, where the system tells.
pub fn processor_time(process: &str) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name of the program, which may be anything: the state, ten others, the time of the program, of the system.
    let mut times = text.rsplit_once(')')?.1.split_whitespace().skip(11).map(str::parse::<u64>);
    Some(Duration::from_millis(10 * (times.next()?.ok()? + times.next()?.ok()?)))
}

/// What the work gives, and how long all threads of this process together had a processor meanwhile; by the clock where the
/// system does not tell.
pub fn measured<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let (start, before) = (Instant::now(), processor_time("self"));
    let result = work();
    let took = processor_time("self").zip(before).map(|(after, before)| after - before);
    (result, took.unwrap_or_else(|| start.elapsed()))
}
