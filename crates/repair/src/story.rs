//! Why a level is needed: an execution that only it excludes.

use crate::excluded::{Delay, delay_across};
use crate::question::{Evidence, Question};
use crate::search::{Execution, Repair};
use crate::site::{Choice, Problem};
use norn_ir::program::Program;

/// An execution that a program with all other levels has.
pub struct Story<'a> {
    pub execution: &'a Execution,
    /// What the level does not let happen. Of an order that has other effects, nothing can be said so shortly.
    pub delay: Option<Delay>,
}

/// What would happen without one of the levels that were found.
pub fn story<'a>(problem: &Problem, found: &'a Repair, choice: Choice) -> Option<Story<'a>> {
    let only = |execution: &&Execution| {
        let others = found.chosen.iter().copied().filter(|&other| other != choice).collect::<Vec<_>>();
        problem.meets(&[choice], &execution.clause) && !problem.meets(&others, &execution.clause)
    };
    let execution = found.executions.iter().find(only)?;
    Some(Story { execution, delay: delay_across(&execution.shown.trace, &problem.sites[choice.site].spans) })
}

/// The execution of a story, in the program without marks that has all other levels.
pub fn evidence(
    question: &Question<'_>,
    problem: &Problem,
    found: &Repair,
    choice: Choice,
) -> Option<(Evidence, Program)> {
    let Story { execution, .. } = story(problem, found, choice)?;
    let others = found.chosen.iter().copied().filter(|&other| other != choice).collect::<Vec<_>>();
    let program = problem.program(&others);
    Some((question.evidence(&program, &execution.shown.schedule)?, program))
}
