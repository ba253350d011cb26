//! Why a level is needed: an execution that only it excludes.

use crate::excluded::{Delay, delay_across};
use crate::search::{Execution, Repair};
use crate::site::{Choice, Problem};

/// An execution that a program with all other levels has.
pub struct Story<'a> {
    pub execution: &'a Execution,
    /// What the level does not let happen. Of an order that has other effects, nothing can be said so shortly.
    pub delay: Option<Delay>,
}

/// What would happen without one of the levels that were found.
pub fn story<'a>(problem: &Problem, found: &'a Repair, choice: Choice) -> Option<Story<'a>> {
    let only = |execution: &&Execution| {
        let mut excluded = execution.clause.iter().filter(|other| found.chosen.contains(other));
        excluded.next() == Some(&choice) && excluded.next().is_none()
    };
    let execution = found.executions.iter().find(only)?;
    Some(Story { execution, delay: delay_across(&execution.shown.trace, problem.sites[choice.site].span) })
}
