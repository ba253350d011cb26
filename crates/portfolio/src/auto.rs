//! The default engine: several take turns, until one says what counts.
//!
//! Unsafe counts at once, since it has been replayed; so does safe without a bound. Safe within bounds that the user
//! gave is all that was asked for. Safe within bounds that an engine chose is kept, and the others may find a bug beyond
//! them or prove that there is none; the last word is then the strongest that was said.
//!
//! `sample` comes first, for a moment: many bugs are shallow, and random executions find those whatever the loops and the
//! inputs. What they do not find means nothing. Then the others take turns ([`crate::race`]), in an order that depends on the
//! program ([`crate::order`]): each keeps what it has while others go on, and slices double, so that none waits for long and
//! few slices are needed. An engine that says for another reason than a limit that it does not know has left.
//!
//! Those that had to end since they needed more memory than their part are asked again when the others have ended
//! without an answer, one after the other, with the time and the memory that is left.
//!
//! Where memory is reused, `events` and `rounds` are not asked. With `--certify` only they are, which have proofs to check. Data
//! races, deadlocks and termination are decided by some engines only; the others are not asked.

use crate::attack::shallow;
use crate::cross_check::disagreement;
use crate::given::covers_all;
use crate::order::runners;
use crate::race::{Race, Runner, Told, race};
use crate::{Task, Who};
use norn_engine::GivenBounds;
use norn_verdict::claim::Mismatch;
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Outcome, Verdict};
use norn_verdict::undecided::Why;
use std::time::Instant;

/// The strongest verdict; or two that contradict one another, the unsafe one first.
pub fn verdicts(task: &Task<'_>, model: Model) -> Result<Vec<Verdict>, Mismatch> {
    if task.options.sampling
        && !task.options.proofs_only
        && let Some(found) = shallow(task, model)?
    {
        return Ok(vec![found]);
    }
    let Task { program, checks, given, options, .. } = *task;
    let ask = |who, limits: &Limits, heard: &dyn Fn(&Verdict)| {
        Task { program, checks, given, limits, options, heard }.ask(who, model)
    };
    take_turns(&runners(task, model), options.permits(), task.limits, given, task.heard, &ask)
}

fn take_turns(
    runners: &[Runner],
    permits: usize,
    all: &Limits,
    given: &GivenBounds,
    heard: &dyn Fn(&Verdict),
    ask: &crate::race::Ask<'_>,
) -> Result<Vec<Verdict>, Mismatch> {
    let is_answer = |said: &Verdict| is_answer(said, given);
    let Race { told, winner } = match runners {
        // Nobody waits for whoever is alone.
        [only] => {
            let start = Instant::now();
            let said = ask(only.who, all, heard)?;
            Race { told: vec![Told { who: only.who, said: Some(said), used: start.elapsed() }], winner: None }
        }
        several => race(several, permits, all, ask, &is_answer, heard)?,
    };
    let used = told.iter().map(|told| (seconds(told.who), told.used.as_secs_f64())).collect::<Vec<_>>();
    let mut said = told.into_iter().map(|told| (told.who, told.said)).collect::<Vec<_>>();
    if runners.len() > 1 && winner.is_none() {
        ask_again(&mut said, all, &is_answer, heard, ask)?;
    }
    let first = winner.and_then(|winner| said[winner].1.take());
    let mut verdicts = first.into_iter().chain(said.into_iter().filter_map(|(_, said)| said)).collect::<Vec<_>>();
    if let Some((violated, safe)) = disagreement(&verdicts, given) {
        return Ok(vec![violated.clone(), safe.clone()]);
    }
    // Of equals the first.
    verdicts.reverse();
    let best = verdicts.into_iter().max_by_key(strength);
    // Nobody was asked: not a thread is to be had, or the work was interrupted before.
    let mut best = match best {
        Some(best) => best,
        None => ask(runners[0].who, all, heard)?,
    };
    if all.exceeded() == Some(Exceeded::Interrupted) {
        name_interruption(&mut best.outcome);
    }
    best.stats.0.extend(used);
    Ok(vec![best])
}

/// Whether nobody else need be asked.
fn is_answer(said: &Verdict, given: &GivenBounds) -> bool {
    matches!(said.outcome, Outcome::Unsafe(_)) || covers_all(&said.outcome, given)
}

/// Asks those who had to end since there was too little memory for all, one after the other.
fn ask_again(
    said: &mut [(Who, Option<Verdict>)],
    all: &Limits,
    is_answer: &dyn Fn(&Verdict) -> bool,
    heard: &dyn Fn(&Verdict),
    ask: &crate::race::Ask<'_>,
) -> Result<(), Mismatch> {
    let is_cut_short =
        |said: &Option<Verdict>| said.as_ref().is_some_and(|said| ended_by(&said.outcome) == Some(Exceeded::Memory));
    let mut again = said.iter_mut().filter(|(_, said)| is_cut_short(said)).collect::<Vec<_>>();
    let count = again.len();
    for (at, (who, before)) in again.iter_mut().enumerate() {
        // What engines give back does not always return to the system, so the memory may be full.
        if all.exceeded().is_some_and(|exceeded| exceeded != Exceeded::Memory) {
            break;
        }
        let now = Instant::now();
        let part = |end: Instant| now + end.saturating_duration_since(now) / norn_ir::number::narrow(count - at);
        let limits = Limits { deadline: all.deadline.map(part), ..all.clone() };
        let verdict = ask(*who, &limits, heard)?;
        let has_answer = is_answer(&verdict);
        if before.as_ref().is_none_or(|before| strength(&verdict) >= strength(before)) {
            *before = Some(verdict);
        }
        if has_answer {
            break;
        }
    }
    Ok(())
}

/// The figure that says how long an engine had.
fn seconds(who: Who) -> &'static str {
    match who {
        Who::States => "seconds of states",
        Who::Stateless => "seconds of stateless",
        Who::Events => "seconds of events",
        Who::Rounds => "seconds of rounds",
        Who::Enumerate => "seconds of enumerate",
        Who::Sample => "seconds of sample",
    }
}

/// A search that was ended by its share of the time would have gone on without the interruption.
fn name_interruption(outcome: &mut Outcome) {
    if let Outcome::Unknown(open) | Outcome::Limited { undecided: open, .. } = outcome
        && let Why::Limit { limit, .. } = &mut open.why
    {
        *limit = Exceeded::Interrupted;
    }
}

/// The limit for which a search was ended, if it was.
pub fn ended_by(outcome: &Outcome) -> Option<Exceeded> {
    outcome.undecided()?.exceeded()
}

/// Which verdict says most: unsafe, a proof, a result within given bounds, one within others. Of the reasons not to know, what the program does wrong
/// says more than that time ran out, and that more than what an engine is not made for.
pub fn strength(verdict: &Verdict) -> u32 {
    match &verdict.outcome {
        Outcome::Unsafe(_) => 6,
        Outcome::Safe { .. } if verdict.outcome.is_complete() => 5,
        Outcome::Safe { .. } => 4,
        Outcome::Limited { .. } => 3,
        Outcome::Unknown(open) => open.why.weight(),
    }
}

/// The strength of a verdict that only says so.
pub(crate) const LIMIT_REACHED: u32 = 1;

#[cfg(test)]
mod tests;
