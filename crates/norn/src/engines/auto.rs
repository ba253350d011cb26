//! The default engine: several in turn, within fixed shares of the time, until one says what counts.
//!
//! Unsafe counts at once, since it has been replayed; so does safe without a bound. Safe within bounds that the user
//! gave is all that was asked for. Safe within bounds that an engine chose is kept, and the others may find a bug beyond
//! them or prove that there is none; the last word is then the strongest that was said.
//!
//! The order, and why:
//!
//! 0. `sample`, for a moment: many bugs are shallow, and random executions find those whatever the loops and the inputs. What they do
//!    not find means nothing.
//! 1. `states`: decides loops for good. On programs with few states it needs milliseconds; on inputs with many values it
//!    says at once that it cannot.
//! 2. `stateless`, for a moment: programs with so much memory that states and formulas are large, but few traces.
//! 3. `events`: all bounded executions at once. Inputs do not matter to it, and most programs are decided here.
//! 4. `rounds`: bugs that need long loops but few context switches.
//! 5. `stateless` and `states` again with the time that is left.
//!
//! With `--certify` only `events` and `rounds` are asked, which have proofs to check. Data races, deadlocks and leaks are decided by some
//! engines only; the others are not asked. For data races that is `enumerate`, for a moment, since it needs no bounds where
//! the states are few; then `events`; then `enumerate` with the time that is left.

use super::attack::shallow;
use super::given::{covers_all, within_given};
use super::{Task, by_states, enumerate, events, rounds, stateless};
use norn_machine::replay::ReplayMismatch;
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Outcome, Verdict};
use std::time::{Duration, Instant};

/// One turn: who, the share of the time that is left then, and at most so long.
struct Turn {
    engine: fn(&Task<'_>, Model) -> Result<Verdict, ReplayMismatch>,
    share: f64,
    most: Duration,
}

const NO_CAP: Duration = Duration::from_secs(u64::MAX / 4);

fn turns(task: &Task<'_>) -> Vec<Turn> {
    let turn =
        |engine, share, most: Option<u64>| Turn { engine, share, most: most.map_or(NO_CAP, Duration::from_secs) };
    let checks = task.checks;
    if task.events.certify && checks.data_race {
        return vec![turn(events, 1.0, None)];
    }
    if task.events.certify {
        return vec![turn(events, 0.6, None), turn(rounds, 1.0, None)];
    }
    if checks.data_race && (checks.deadlock || checks.leaks) {
        return vec![turn(enumerate, 1.0, None)];
    }
    if checks.data_race {
        return vec![turn(enumerate, 0.1, Some(10)), turn(events, 0.6, None), turn(enumerate, 1.0, None)];
    }
    if checks.deadlock || checks.leaks {
        return vec![turn(by_states, 0.6, None), turn(stateless, 1.0, None)];
    }
    vec![
        turn(by_states, 0.15, Some(20)),
        turn(stateless, 0.06, Some(5)),
        turn(events, 0.4, None),
        turn(rounds, 0.4, None),
        turn(stateless, 0.3, None),
        turn(by_states, 1.0, None),
    ]
}

pub fn verdict(task: &Task<'_>, model: Model) -> Result<Verdict, ReplayMismatch> {
    if task.sampling
        && !task.events.certify
        && let Some(found) = shallow(task, model)?
    {
        return Ok(found);
    }
    let mut best: Option<Verdict> = None;
    for turn in turns(task) {
        let limits = limits(task.limits, &turn);
        let said = within_given(task, (turn.engine)(&Task { limits: &limits, ..*task }, model)?);
        let settled = matches!(said.outcome, Outcome::Unsafe(_)) || covers_all(&said.outcome, task.unwind);
        best = Some(match best {
            Some(best) if !settled && strength(&said) <= strength(&best) => best,
            _ => said,
        });
        if settled || task.limits.exceeded().is_some_and(|exceeded| exceeded != Exceeded::Memory) {
            break;
        }
    }
    Ok(best.expect("there should be at least one turn"))
}

/// Half of the memory for each: what one engine gives back does not always return to the system.
fn limits(all: &Limits, turn: &Turn) -> Limits {
    let now = Instant::now();
    let deadline = all.deadline.map(|end| {
        let left = end.saturating_duration_since(now);
        now + left.mul_f64(turn.share).min(turn.most)
    });
    let memory = all.memory.map(|bytes| if turn.share < 1.0 { bytes / 2 } else { bytes });
    Limits { deadline, memory, ..all.clone() }
}

/// Which verdict says most: unsafe, a proof, a result within given bounds, one within others. Of the reasons not to know, what the program does wrong
/// says more than that time ran out, and that more than what an engine is not made for.
pub fn strength(verdict: &Verdict) -> u32 {
    let limits = [Exceeded::Time, Exceeded::Memory, Exceeded::Interrupted].map(Exceeded::reason);
    match &verdict.outcome {
        Outcome::Unsafe(_) => 6,
        Outcome::Safe { .. } if verdict.outcome.is_complete() => 5,
        Outcome::Safe { .. } => 4,
        Outcome::Limited { .. } => 3,
        Outcome::Unknown { reason, .. } if limits.iter().any(|limit| reason.starts_with(limit)) => 1,
        Outcome::Unknown { .. } if [norn_events::ENGINE, norn_rounds::ENGINE].contains(&verdict.engine) => 2,
        Outcome::Unknown { .. } => 0,
    }
}
