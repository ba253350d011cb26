//! How far a search has come, for whoever watches it.
//!
//! An engine reports where it looks at its limits, a few times per second or more often; whoever shows the reports
//! leaves out what comes too fast. Nothing depends on a report: a search that nobody watches gives the same result.

use std::fmt;
use std::sync::Arc;

/// A moment of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Report<'a> {
    pub engine: &'static str,
    /// What is counted (`executions`, `states`, `conflicts`) and how many there have been. The one who shows it knows
    /// the time and can tell how many there are per second.
    pub count: (&'static str, u64),
    /// Other figures of the moment: the length of a frontier, the bound that is being tried.
    pub figures: &'a [(&'static str, u64)],
    /// The share of the search that is done, from 0 to 1, where it can be estimated.
    pub done: Option<f64>,
}

/// Where reports go.
pub trait Watcher: Send + Sync {
    fn see(&self, report: &Report<'_>);
}

/// The watcher of a search, if there is one.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Watcher>>);

impl Progress {
    /// Nobody watches.
    pub fn none() -> Progress {
        Progress(None)
    }

    pub fn to(watcher: Arc<dyn Watcher>) -> Progress {
        Progress(Some(watcher))
    }

    /// Reports, if somebody watches.
    pub fn report(&self, report: &Report<'_>) {
        if let Some(watcher) = &self.0 {
            watcher.see(report);
        }
    }

    /// For reports that take work to make.
    pub fn is_watched(&self) -> bool {
        self.0.is_some()
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_watched() { "Progress(watched)" } else { "Progress(unwatched)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Last(Mutex<Option<(u64, Option<f64>)>>);

    impl Watcher for Last {
        fn see(&self, report: &Report<'_>) {
            *self.0.lock().expect("nobody should panic") = Some((report.count.1, report.done));
        }
    }

    #[test]
    fn a_watcher_sees_reports() {
        let last = Arc::new(Last::default());
        let report = Report { engine: "test", count: ("states", 7), figures: &[], done: Some(0.5) };
        Progress::none().report(&report);
        let progress = Progress::to(last.clone());
        assert_eq!((Progress::none().is_watched(), progress.is_watched()), (false, true));
        progress.report(&report);
        assert_eq!(*last.0.lock().expect("nobody should panic"), Some((7, Some(0.5))));
    }
}
