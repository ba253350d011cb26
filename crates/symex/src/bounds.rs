//! The bounds within which an event list says everything.

use crate::event::{CutReached, Limited};
use norn_ir::program::Program;
use norn_verdict::outcome::{Bound, BoundKind, unwind_bounds};

/// The bounds that the cuts come from, each once. `reached` says of each cut whether some execution comes there.
pub fn bounds_of(program: &Program, cuts: &[CutReached], reached: &[bool]) -> Vec<Bound> {
    let of = |limited: Limited| cuts.iter().zip(reached).filter(move |(cut, _)| cut.limited == limited);
    let loops = of(Limited::Loop).map(|(cut, &reached)| (cut.span, cut.bound, reached));
    let mut bounds = unwind_bounds(program, loops);
    // The smallest of them limits what was looked at.
    let sizes = of(Limited::Size).filter(|(_, reached)| **reached).map(|(cut, _)| u64::from(cut.bound));
    bounds.extend(sizes.min().map(|value| Bound { kind: BoundKind::ObjectSize, value, exhausted: false }));
    bounds
}
