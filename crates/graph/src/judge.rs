//! Conditions on final states of which only a part is known yet.

use crate::program::{Cell, Reg};
use crate::test::{Condition, Term};

/// What is known of a final state.
pub trait Known {
    fn register(&self, thread: usize, reg: Reg) -> Option<u64>;
    fn cell(&self, cell: Cell) -> Option<u64>;
}

impl Term {
    pub fn value(self, known: &dyn Known) -> Option<u64> {
        match self {
            Term::Const(value) => Some(value),
            Term::Register { thread, reg } => known.register(thread, reg),
            Term::Cell(cell) => known.cell(cell),
            Term::Cells { first, count, unit } => {
                let part = |index| Some(known.cell(Cell::new(first.index() + index))? << unit.shift(index));
                (0..count).map(part).try_fold(0, |value, part| Some(value | part?))
            }
        }
    }
}

impl Condition {
    /// Whether the condition holds, if what is known decides it.
    pub fn holds(&self, known: &dyn Known) -> Option<bool> {
        match self {
            Condition::True => Some(true),
            Condition::False => Some(false),
            Condition::Equal(lhs, rhs, width) => {
                let (lhs, rhs) = (lhs.value(known)?, rhs.value(known)?);
                Some(width.truncate(lhs) == width.truncate(rhs))
            }
            Condition::Not(inner) => inner.holds(known).map(|holds| !holds),
            Condition::And(parts) => all(parts, known, true),
            Condition::Or(parts) => all(parts, known, false),
        }
    }
}

/// `wanted` if all parts are, the opposite if one is.
fn all(parts: &[Condition], known: &dyn Known, wanted: bool) -> Option<bool> {
    let mut decided = true;
    for part in parts {
        match part.holds(known) {
            Some(holds) if holds != wanted => return Some(!wanted),
            Some(_) => {}
            None => decided = false,
        }
    }
    decided.then_some(wanted)
}
