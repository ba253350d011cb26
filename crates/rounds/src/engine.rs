//! From a program to a verdict.

use crate::examine::{Examined, Examiner, Goal};
use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_machine::replay::ReplayMismatch;
use norn_passes::spin::spin;
use norn_passes::unwind::Bounds;
use norn_symex::{Symbolic, execute};
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Bound, BoundKind, Checks, Outcome, Stats, Verdict, unwind_bounds};
use std::time::Instant;

pub const ENGINE: &str = "rounds";

/// Events of a program for which it pays to try smaller bounds first.
const LARGE: usize = 300;

/// A program and what is asked about it.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// Valid, with its private objects marked.
    pub program: &'a Program,
    pub model: Model,
    pub checks: Checks,
    /// Without them loops are followed further and further.
    pub bounds: Option<&'a Bounds>,
    /// At most so many rounds; without it as many as there can be.
    pub rounds: Option<u32>,
    /// The threads whose slots come first in a round, by number in the order of creation; the others follow.
    pub thread_order: &'a [u32],
    /// The width of integers to begin with.
    pub bits: Option<u32>,
    /// Check the proof of a safe verdict, and its formula against executions of the machine.
    pub certify: bool,
    pub limits: &'a Limits,
}

/// The verdict. An error means that the search claimed what the machine could not replay.
pub fn verdict(task: &Task<'_>) -> Result<Verdict, ReplayMismatch> {
    if task.checks.data_race {
        let reason = "this engine does not look for data races".to_owned();
        return Ok(unknown(task, reason, None, Stats::default()));
    }
    match task.bounds {
        Some(bounds) => towards(task, bounds),
        None => crate::grow::verdict(task),
    }
}

/// The program as it is executed symbolically: what waits in a loop needs no bound there. The steps that are left have the
/// same numbers, in the same rounds or fewer.
pub fn without_idle_iterations(task: &Task<'_>) -> Program {
    spin(task.program, true).program
}

/// The verdict for fixed bounds on loops. If half of the time is not enough for one round of them, smaller bounds grow
/// towards them with the rest: the largest that is done with is the verdict, under its own name. Else the whole time is for
/// more rounds.
fn towards(task: &Task<'_>, given: &Bounds) -> Result<Verdict, ReplayMismatch> {
    let most = given.largest();
    let Some(end) = task.limits.deadline.filter(|_| most > 1) else { return within(task, given) };
    let now = Instant::now();
    let limits = Limits { deadline: Some(now + end.saturating_duration_since(now) / 2), ..task.limits.clone() };
    let code = without_idle_iterations(task);
    let verdict = match execute(&code, given, task.checks, &limits) {
        Err(refusal) => unknown(task, refusal.reason, refusal.span, Stats::default()),
        Ok(symbolic) => {
            if let Some(verdict) = hunted(task, given, &symbolic)? {
                return Ok(verdict);
            }
            let rounds = Some(task.rounds.unwrap_or(1).min(1));
            let first = examined(&Task { limits: &limits, rounds, ..*task }, &code, &symbolic)?;
            match first.outcome {
                Outcome::Unsafe(_) => return Ok(first),
                Outcome::Unknown { span: None, .. } if limits.exceeded().is_some() => first,
                _ => return examined(task, &code, &symbolic),
            }
        }
    };
    if limits.exceeded().is_none() {
        return Ok(verdict);
    }
    let mut best = verdict;
    for bound in 1..most {
        if task.limits.exceeded().is_some() {
            break;
        }
        let verdict = within(task, &given.at_most(bound))?;
        match verdict.outcome {
            Outcome::Safe { .. } if !verdict.outcome.is_complete() => best = limited(verdict, Exceeded::Time.reason()),
            Outcome::Limited { .. } => best = verdict,
            // What a larger bound leads to is no reason to forget what is known about smaller ones.
            Outcome::Unknown { .. } if matches!(best.outcome, Outcome::Limited { .. }) => break,
            Outcome::Unknown { span: None, .. } => break,
            _ => return Ok(verdict),
        }
    }
    Ok(best)
}

/// A verdict within bounds that are not those that were asked for.
pub fn limited(mut verdict: Verdict, reason: &str) -> Verdict {
    if let Outcome::Safe { bounds } = verdict.outcome {
        verdict.outcome = Outcome::Limited { bounds, reason: reason.to_owned(), span: None };
    }
    verdict
}

fn within(task: &Task<'_>, bounds: &Bounds) -> Result<Verdict, ReplayMismatch> {
    let code = without_idle_iterations(task);
    let symbolic = match execute(&code, bounds, task.checks, task.limits) {
        Ok(symbolic) => symbolic,
        Err(refusal) => return Ok(unknown(task, refusal.reason, refusal.span, Stats::default())),
    };
    match hunted(task, bounds, &symbolic)? {
        Some(verdict) => Ok(verdict),
        None => examined(task, &code, &symbolic),
    }
}

/// A violation with smaller bounds, where that is worth a search of its own.
fn hunted(task: &Task<'_>, bounds: &Bounds, symbolic: &Symbolic) -> Result<Option<Verdict>, ReplayMismatch> {
    if symbolic.events.len() > LARGE { crate::grow::hunt(task, bounds) } else { Ok(None) }
}

fn examined(task: &Task<'_>, code: &Program, symbolic: &Symbolic) -> Result<Verdict, ReplayMismatch> {
    let mut examiner = Examiner::new(task, code, symbolic);
    let rounds = task.rounds.unwrap_or(u32::MAX).min(examiner.enough_rounds());
    let examined = examiner.examine(&Goal { rounds, patience: None, only_violations: false })?;
    Ok(conclude(task, &symbolic.cuts, examined, examiner.stats()))
}

/// What was examined, as a verdict.
pub fn conclude(task: &Task<'_>, cuts: &[norn_symex::CutReached], examined: Examined, stats: Stats) -> Verdict {
    match examined {
        Examined::Unsafe(verdict) => *verdict,
        Examined::Undefined { reason, span } => unknown(task, reason, Some(span), stats),
        Examined::NotProved(reason) => unknown(task, reason, None, stats),
        Examined::Nothing { rounds: 0, stopped, .. } => {
            let reason = stopped.map_or("no rounds were asked for", |exceeded| exceeded.reason());
            unknown(task, reason.to_owned(), None, stats)
        }
        Examined::Nothing { rounds, is_all, reached, assumptions, marks, stopped } => {
            let cuts = cuts.iter().zip(reached).map(|(cut, reached)| (cut.span, cut.bound, reached));
            let mut bounds = vec![Bound { kind: BoundKind::Rounds, value: u64::from(rounds), exhausted: is_all }];
            bounds.extend(unwind_bounds(task.program, cuts));
            let outcome = match stopped {
                Some(exceeded) if !is_all => {
                    Outcome::Limited { bounds, reason: exceeded.reason().to_owned(), span: None }
                }
                _ => Outcome::Safe { bounds },
            };
            Verdict::new(task.model, ENGINE, outcome, stats).assuming(assumptions).reaching(marks)
        }
    }
}

pub fn unknown(task: &Task<'_>, reason: String, span: Option<Span>, stats: Stats) -> Verdict {
    Verdict::new(task.model, ENGINE, Outcome::Unknown { reason, span }, stats)
}
