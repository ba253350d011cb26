//! When a search looks at its limits: after a number of steps that is the same on every computer, and besides after a few
//! milliseconds, where steps take long. Whoever waits for its turn waits for such a look.

use crate::limits::{Exceeded, Limits};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_millis(2);

#[derive(Clone, Debug)]
pub struct Pace {
    steps: u32,
    /// So many steps until the next report.
    report: u32,
    /// The clock is looked at after so many.
    few: u32,
    looked: Instant,
}

/// What is to be done now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Due {
    Nothing,
    /// Look at the limits.
    Look,
    /// Report how far the search is, and look at the limits.
    Report,
}

impl Pace {
    /// Reports after so many steps; the clock counts after a few.
    pub fn new(report: u32, few: u32) -> Pace {
        Pace { steps: 0, report, few, looked: Instant::now() }
    }

    /// By the clock, for work with nothing to report, whose steps are not tiny.
    pub fn by_clock() -> Pace {
        Pace::new(u32::MAX, 1)
    }

    /// A step was made.
    pub fn step(&mut self) -> Due {
        self.steps += 1;
        if self.steps >= self.report {
            (self.steps, self.looked) = (0, Instant::now());
            return Due::Report;
        }
        if !self.steps.is_multiple_of(self.few) {
            return Due::Nothing;
        }
        let now = Instant::now();
        if now - self.looked < LONG {
            return Due::Nothing;
        }
        self.looked = now;
        Due::Look
    }

    /// A step was made that others need no report of: the limit that was reached, if it was time to look.
    pub fn look(&mut self, limits: &Limits) -> Result<(), Exceeded> {
        match self.step() {
            Due::Nothing => Ok(()),
            Due::Look | Due::Report => limits.exceeded().map_or(Ok(()), Err),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_counted_and_looks_are_timed() {
        let mut pace = Pace::new(100, 10);
        pace.looked += Duration::from_secs(3600);
        let due = (0..300).map(|_| pace.step()).collect::<Vec<_>>();
        let reports = due.iter().enumerate().filter(|(_, due)| **due == Due::Report).map(|(step, _)| step);
        // The first look lies in an hour.
        assert_eq!(reports.collect::<Vec<_>>(), [99, 199, 299]);
        let mut pace = Pace::new(100, 10);
        let due = (1..=35u32).map(|step| {
            std::thread::sleep(Duration::from_millis(u64::from(step % 10 == 9) * 3));
            pace.step()
        });
        let looks = due.enumerate().filter(|(_, due)| *due == Due::Look).map(|(step, _)| step + 1);
        assert_eq!(looks.collect::<Vec<_>>(), [10, 20, 30]);
    }

    #[test]
    fn slow_steps_see_the_limits_at_once() {
        let (limits, mut pace) = (Limits::for_seconds(0.0), Pace::by_clock());
        std::thread::sleep(LONG);
        assert_eq!(pace.look(&limits), Err(Exceeded::Time));
        assert_eq!(pace.look(&Limits::none()), Ok(()));
    }
}
