//! Random executions: as an engine of its own, for a moment before the others, and against every verdict of safe before it is
//! shown.
//!
//! What is printed must not depend on the speed of the machine, so the first two are measured in work. An attack lasts for
//! a share of the time that the verdict took, and at least for a certain work: it prints something only where the
//! verdict was wrong, or is surpassed.

use crate::Task;
use norn_engine::{Engine, Query};
use norn_machine::Reference;
use norn_sample::{Attack, Budget, Sample};
use norn_verdict::claim::Mismatch;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Bound, Outcome, Verdict};
use std::time::{Duration, Instant};

/// Of `-e sample`, unless the number of executions is given: some seconds.
pub(crate) const FULL_WORK: u64 = 200_000_000;
/// Before the other engines of `auto`: about 20 ms, in which hundreds of executions of small programs fit. What few thousand
/// of them do not find, ten times as many seldom do.
const FIRST_WORK: u64 = 500_000;
/// Against a verdict, at least; also where the machine is slow.
const LEAST_WORK: u64 = 200_000;
const LEAST_TIME: Duration = Duration::from_millis(20);
/// Of the time that the verdict took.
const SHARE: f64 = 0.05;
/// Where attacks begin to count: other executions than those that were tried first.
const ATTACK_FROM: u64 = 1 << 32;

/// A violation that is found in a moment.
pub(crate) fn shallow(task: &Task<'_>, model: Model) -> Result<Option<Verdict>, Mismatch> {
    let limits = Limits { executions: None, ..task.limits.clone() };
    let bounds = task.given.bounds();
    let Task { program, checks, .. } = *task;
    let query = Query { program, model, checks, bounds: bounds.as_ref(), limits: &limits };
    let engine = Sample { seed: 0, budget: Budget { work: FIRST_WORK, time: None, first: 0 } };
    let verdict = engine.run(&query, &Reference)?;
    Ok(matches!(verdict.outcome, Outcome::Unsafe(_)).then_some(verdict))
}

/// What becomes of a verdict.
pub enum Attacked {
    /// This is to be shown: the same, or a violation beyond the bounds of what was safe.
    Shown(Box<Verdict>),
    /// The violation, which comes first, lies within what the other calls safe.
    Contradicted(Box<[Verdict; 2]>),
}

/// Looks for an execution that contradicts a verdict of safe, which took so long to find. Others stay as they are.
pub fn attack(task: &Task<'_>, mut verdict: Verdict, spent: Duration) -> Result<Attacked, Mismatch> {
    let Outcome::Safe { bounds } = &verdict.outcome else { return Ok(Attacked::Shown(Box::new(verdict))) };
    let start = Instant::now();
    let found = look(task, verdict.model, bounds, spent.mul_f64(SHARE).max(LEAST_TIME))?;
    match found {
        Attack::Stands(stats) => {
            let figures = [("executions", "attack executions"), ("steps", "attack steps")];
            for (figure, name) in figures {
                verdict.stats.0.extend(stats.0.get(figure).map(|&value| (name, value)));
            }
            verdict.stats.0.insert("attack seconds", start.elapsed().as_secs_f64());
            Ok(Attacked::Shown(Box::new(verdict)))
        }
        Attack::Surpassed(better) => Ok(Attacked::Shown(Box::new(better))),
        // Where `events` and `rounds` put objects is not always where the machine puts them: what depends on it is the machine's to say.
        Attack::Contradicted(violated) if verdict.remarks.own_addresses => Ok(Attacked::Shown(Box::new(violated))),
        Attack::Contradicted(violated) => Ok(Attacked::Contradicted(Box::new([violated, verdict]))),
    }
}

fn look(task: &Task<'_>, model: Model, claimed: &[Bound], time: Duration) -> Result<Attack, Mismatch> {
    // Where no time is left there is a little.
    let least = Instant::now() + LEAST_TIME;
    let deadline = task.limits.deadline.map(|deadline| deadline.max(least));
    let limits = Limits { deadline, executions: None, ..task.limits.clone() };
    let Task { program, checks, .. } = *task;
    let query = Query { program, model, checks, bounds: None, limits: &limits };
    let engine = Sample { seed: 0, budget: Budget { work: LEAST_WORK, time: Some(time), first: ATTACK_FROM } };
    engine.attack(&query, claimed, task.options.rounds.thread_order.is_empty(), &Reference)
}
