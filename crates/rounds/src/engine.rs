//! From a program to a verdict.

use crate::examine::{Examined, Examiner, Goal};
use norn_engine::capabilities::{Capabilities, ROUNDS};
use norn_engine::{Engine, Prepared, Query};
use norn_ir::program::Program;
use norn_passes::analysed::Analysed;
use norn_passes::unwind::Bounds;
use norn_symex::{Symbolic, bounds_of, execute};
use norn_tiles::Cube;
use norn_verdict::claim::{Mismatch, Referee};
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Bound, BoundKind, Checks, Outcome, Stats, Verdict};
use norn_verdict::undecided::{Undecided, Why};

/// Events of a program for which it pays to try smaller bounds first.
const LARGE: usize = 300;

/// The engine, with its options.
#[derive(Clone, Default, Debug)]
pub struct Rounds {
    /// The most rounds to look at; without it as many as there can be.
    pub rounds: Option<u32>,
    /// The threads whose slots come first in a round, by number in the order of creation; the others follow.
    pub thread_order: Vec<u32>,
    /// The width of integers to begin with.
    pub bits: Option<u32>,
    /// Check the proof of a safe verdict, and its formula against executions of the machine.
    pub certify: bool,
}

impl Engine for Rounds {
    fn capabilities(&self) -> &'static Capabilities {
        &ROUNDS
    }

    fn run(&self, query: &Query<'_>, referee: &dyn Referee) -> Result<Verdict, Mismatch> {
        if let Some(refused) = query.refused(&ROUNDS) {
            return Ok(refused);
        }
        let Query { program, model, checks, limits, .. } = *query;
        let Rounds { rounds, ref thread_order, bits, certify } = *self;
        let task = Task { program, model, checks, rounds, thread_order, bits, certify, tile: None, limits, referee };
        match query.bounds {
            Some(bounds) => towards(&task, bounds),
            None => crate::grow::verdict(&task),
        }
    }
}

/// A program and what is asked about it.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub program: &'a Prepared,
    pub model: Model,
    pub checks: Checks,
    pub rounds: Option<u32>,
    pub thread_order: &'a [u32],
    pub bits: Option<u32>,
    pub certify: bool,
    /// Only the schedules that belong to it, in as many rounds as it speaks of.
    pub tile: Option<&'a Cube>,
    pub limits: &'a Limits,
    pub referee: &'a dyn Referee,
}

/// The program as it is executed symbolically: what waits in a loop needs no bound there. The steps that are left have the
/// same numbers, in the same rounds or fewer.
pub fn without_idle_iterations<'a>(task: &Task<'a>) -> &'a Analysed {
    task.program.awaiting()
}

/// The verdict for fixed bounds on loops. If half of the time is not enough for one round of them, smaller bounds grow
/// towards them with the rest: the largest that is done with is the verdict, under its own name. Else the whole time is for
/// more rounds.
fn towards(task: &Task<'_>, given: &Bounds) -> Result<Verdict, Mismatch> {
    let most = given.largest();
    let Some(limits) = task.limits.half().filter(|_| most > 1) else { return within(task, given) };
    let code = without_idle_iterations(task);
    let verdict = match execute(code, given, task.checks, &limits) {
        Err(open) => unknown(task, open, Stats::default()),
        Ok(symbolic) => {
            if let Some(verdict) = hunted(task, given, &symbolic)? {
                return Ok(verdict);
            }
            let rounds = Some(task.rounds.unwrap_or(1).min(1));
            let first = examined(&Task { limits: &limits, rounds, ..*task }, code, &symbolic)?;
            match first.outcome {
                Outcome::Unsafe(_) => return Ok(first),
                Outcome::Unknown(ref open) if open.place.is_none() && limits.exceeded().is_some() => first,
                _ => return examined(task, code, &symbolic),
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
            Outcome::Safe { .. } if !verdict.outcome.is_complete() => {
                best = limited(verdict, Undecided::limit(Exceeded::Time))
            }
            Outcome::Limited { .. } => best = verdict,
            // What a larger bound leads to is no reason to forget what is known about smaller ones.
            Outcome::Unknown(_) if matches!(best.outcome, Outcome::Limited { .. }) => break,
            Outcome::Unknown(ref open) if open.place.is_none() => break,
            _ => return Ok(verdict),
        }
    }
    Ok(best)
}

/// A verdict within bounds that are not those that were asked for.
pub fn limited(mut verdict: Verdict, undecided: Undecided) -> Verdict {
    if let Outcome::Safe { bounds } = verdict.outcome {
        verdict.outcome = Outcome::Limited { bounds, undecided };
    }
    verdict
}

fn within(task: &Task<'_>, bounds: &Bounds) -> Result<Verdict, Mismatch> {
    let code = without_idle_iterations(task);
    let symbolic = match execute(code, bounds, task.checks, task.limits) {
        Ok(symbolic) => symbolic,
        Err(open) => return Ok(unknown(task, open, Stats::default())),
    };
    match hunted(task, bounds, &symbolic)? {
        Some(verdict) => Ok(verdict),
        None => examined(task, code, &symbolic),
    }
}

/// A violation with smaller bounds, where that is worth a search of its own.
fn hunted(task: &Task<'_>, bounds: &Bounds, symbolic: &Symbolic) -> Result<Option<Verdict>, Mismatch> {
    if symbolic.events.len() > LARGE { crate::grow::hunt(task, bounds) } else { Ok(None) }
}

fn examined(task: &Task<'_>, code: &Program, symbolic: &Symbolic) -> Result<Verdict, Mismatch> {
    let mut examiner = Examiner::new(task, code, symbolic);
    let rounds = task.rounds.unwrap_or(u32::MAX).min(examiner.enough_rounds());
    let examined = examiner.examine(&Goal { rounds, patience: None, only_violations: false })?;
    Ok(conclude(task, symbolic, examined, examiner.stats()))
}

/// What was examined, as a verdict.
pub fn conclude(task: &Task<'_>, symbolic: &Symbolic, examined: Examined, stats: Stats) -> Verdict {
    match examined {
        Examined::Unsafe(verdict) => *verdict,
        Examined::Undecided(open) => unknown(task, open, stats),
        Examined::Nothing { rounds: 0, stopped, .. } => {
            let why = stopped.map_or(Why::NothingTried("no rounds were asked for".into()), Why::from);
            unknown(task, Undecided::new(why), stats)
        }
        Examined::Nothing { rounds, is_all, reached, assumptions, marks, stopped } => {
            let mut bounds = vec![Bound { kind: BoundKind::Rounds, value: u64::from(rounds), exhausted: is_all }];
            bounds.extend(bounds_of(task.program, &symbolic.cuts, &reached));
            let outcome = match stopped {
                Some(exceeded) if !is_all => Outcome::Limited { bounds, undecided: Undecided::limit(exceeded) },
                _ => Outcome::Safe { bounds },
            };
            let verdict = Verdict::new(task.model, ROUNDS.name, outcome, stats).assuming(assumptions).reaching(marks);
            verdict.with_own_addresses(symbolic.watches_addresses.is_some())
        }
    }
}

pub fn unknown(task: &Task<'_>, open: Undecided, stats: Stats) -> Verdict {
    Verdict::new(task.model, ROUNDS.name, Outcome::Unknown(open), stats)
}
