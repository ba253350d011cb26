//! A program together with where its pointers lead: found when it is first asked for, and kept.

use crate::points_to::PointsTo;
use crate::unwind::{Bounded, Bounds, TooLarge, unwind_with};
use norn_ir::program::Program;
use std::ops::Deref;
use std::sync::OnceLock;

pub struct Analysed {
    program: Program,
    points_to: OnceLock<PointsTo>,
}

impl Analysed {
    pub fn new(program: Program) -> Analysed {
        Analysed { program, points_to: OnceLock::new() }
    }

    pub fn points_to(&self) -> &PointsTo {
        self.points_to.get_or_init(|| PointsTo::new(&self.program))
    }

    /// The program without loops and calls, up to some bounds.
    pub fn unwound(&self, bounds: &Bounds) -> Result<Bounded, TooLarge> {
        unwind_with(&self.program, self.points_to(), bounds)
    }
}

impl Deref for Analysed {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}
