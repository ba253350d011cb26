//! Limits that do not depend on the clock: a busy machine should compare the same programs as an idle one.

use norn_verdict::limits::{Limits, StopToken};
use norn_verdict::progress::{Progress, Report, Watcher};
use std::sync::Arc;

/// Stops a search that has come too far.
struct Patience {
    stop: StopToken,
    most: u64,
}

impl Watcher for Patience {
    fn see(&self, report: &Report<'_>) {
        if report.count.1 >= self.most {
            self.stop.stop();
        }
    }
}

/// Limits of a search that is stopped after so many states, executions or whatever it counts and reports.
pub fn at_most(most: u64) -> Limits {
    let stop = StopToken::default();
    let progress = Progress::to(Arc::new(Patience { stop: stop.clone(), most }));
    Limits { stop, progress, ..Limits::none() }
}
