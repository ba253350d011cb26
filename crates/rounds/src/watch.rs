//! The limits, looked at now and then while a formula is built: memory of many cells makes formulas large.

use norn_verdict::limits::{Exceeded, Limits};

pub struct Watch<'l> {
    limits: &'l Limits,
    work: usize,
}

/// Terms to be built between two looks.
const EVERY: usize = 4096;

impl Watch<'_> {
    pub fn new(limits: &Limits) -> Watch<'_> {
        Watch { limits, work: 0 }
    }

    /// Some terms were built.
    pub fn note(&mut self, work: usize) -> Result<(), Exceeded> {
        self.work += work;
        if self.work < EVERY {
            return Ok(());
        }
        self.work = 0;
        self.limits.exceeded().map_or(Ok(()), Err)
    }
}
