//! The limits, looked at now and then while a formula is built: memory of many cells makes formulas large.

use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::pace::Pace;

pub struct Watch<'l> {
    limits: &'l Limits,
    pace: Pace,
}

impl Watch<'_> {
    pub fn new(limits: &Limits) -> Watch<'_> {
        Watch { limits, pace: Pace::by_clock() }
    }

    /// Something was built.
    pub fn note(&mut self) -> Result<(), Exceeded> {
        self.pace.look(self.limits)
    }
}
