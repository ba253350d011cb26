//! Verdicts of random executions, and the attack on a verdict.

use crate::claim::{contains, loop_bounds};
use crate::hunt::{Budget, Found, Question, hunt};
use norn_ir::program::Program;
use norn_machine::replay::{End, ReplayMismatch, complete_inputs, confirm, replay};
use norn_passes::unwind::Bounds;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Bound, Checks, Outcome, Stats, Verdict};

pub const ENGINE: &str = "sample";

/// A program and what is asked about it.
pub struct Task<'a> {
    /// Valid, with its private objects marked.
    pub program: &'a Program,
    pub model: Model,
    pub checks: Checks,
    /// Without them loops are followed for ever.
    pub bounds: Option<&'a Bounds>,
    pub limits: &'a Limits,
    /// Another seed, other executions.
    pub seed: u64,
    pub budget: Budget,
}

/// Unsafe, or unknown. An error means that the executor claimed what the machine could not replay.
pub fn verdict(task: &Task<'_>) -> Result<Verdict, ReplayMismatch> {
    let mut hunted = hunt(&question(task, task.bounds), &task.budget)?;
    if let Some(found) = hunted.found.take() {
        return confirmed(task, found, hunted.stats());
    }
    let tried = format!("no violation in {} sampled executions", hunted.executions);
    let (reason, span) = match (hunted.exceeded, &hunted.met) {
        (Some(exceeded), _) => (format!("{}, with {tried}", exceeded.reason()), None),
        (None, Some((met, span))) => (format!("{tried}; some were left: {met}"), Some(*span)),
        (None, None) => (tried, None),
    };
    let outcome = Outcome::Unknown { reason, span };
    Ok(Verdict::new(task.model, ENGINE, outcome, hunted.stats()))
}

/// What became of a verdict that says safe.
#[derive(Clone, Debug)]
pub enum Attack {
    /// Nothing speaks against it.
    Stands(Stats),
    /// It is wrong: this lies within its bounds.
    Contradicted(Verdict),
    /// It is right, but beyond its bounds there is this.
    Surpassed(Verdict),
}

/// Looks for a violation within what a verdict says is safe: everything but what lies beyond the bounds that are not
/// exhausted. `in_order`: threads take their turns in the usual order, if the bounds name rounds.
pub fn attack(task: &Task<'_>, claimed: &[Bound], in_order: bool) -> Result<Attack, ReplayMismatch> {
    let bounds = loop_bounds(claimed);
    let mut hunted = hunt(&question(task, bounds.as_ref()), &task.budget)?;
    let Some(found) = hunted.found.take() else { return Ok(Attack::Stands(hunted.stats())) };
    let contradicts = contains(claimed, in_order, &found);
    let stats = hunted.stats();
    let verdict = confirmed(task, found, stats)?;
    Ok(if contradicts { Attack::Contradicted(verdict) } else { Attack::Surpassed(verdict) })
}

fn question<'a>(task: &Task<'a>, bounds: Option<&'a Bounds>) -> Question<'a> {
    let Task { program, model, checks, limits, seed, .. } = *task;
    Question { program, model, checks, bounds, limits, seed }
}

/// Only the machine makes it unsafe. A data race that it meets on the way is as good as what was found.
fn confirmed(task: &Task<'_>, found: Found, stats: Stats) -> Result<Verdict, ReplayMismatch> {
    let Found { mut violation, schedule, .. } = found;
    let schedule = complete_inputs(task.program, task.checks, schedule);
    if task.checks.data_race
        && let Ok(End::Violation(seen)) = replay(task.program, task.checks, &schedule).map(|replayed| replayed.end)
    {
        violation = seen;
    }
    confirm(task.program, task.checks, schedule, &violation, ENGINE, stats)
}
