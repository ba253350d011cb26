//! `--cross-check`: all engines are asked, and have to agree.
//!
//! Unsafe has been replayed, so a safe verdict that covers the same executions is wrong, and so is the engine that gave
//! it. Safe covers all executions if it is complete; if it is bounded by loops alone, and the user chose the bounds, it
//! covers what the others looked at, too. A result that is bounded otherwise (rounds, buffers, loops of an engine's own
//! choice) contradicts nothing.

use crate::auto::{ended_by, strength};
use crate::given::covers_all;
use crate::{Task, Who};
use norn_engine::GivenBounds;
use norn_ir::number::narrow;
use norn_verdict::claim::Mismatch;
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Outcome, Verdict};
use std::time::Instant;

/// All that can say safe.
const ENGINES: [Who; 5] = [Who::States, Who::Stateless, Who::Events, Who::Rounds, Who::Enumerate];

/// What all engines said, within equal shares of the time. The reasons of those that were stopped are among it. If none
/// settles the question, those that were ended by their shares are asked again with the time that the others left.
pub fn verdicts(task: &Task<'_>, model: Model) -> Result<Vec<Verdict>, Mismatch> {
    let mut all: Vec<(Who, Verdict)> = Vec::new();
    let mut turns = ENGINES.to_vec();
    while !turns.is_empty() {
        let mut again = Vec::new();
        for (asked, &engine) in turns.iter().enumerate() {
            let now = Instant::now();
            let left = turns.len() - asked;
            let deadline = task.limits.deadline.map(|end| now + end.saturating_duration_since(now) / narrow(left));
            let limits = Limits { deadline, ..task.limits.clone() };
            let said = Task { limits: &limits, ..*task }.ask(engine, model)?;
            // The last one had all the time that there was.
            if left > 1 && ended_by(&said.outcome) == Some(Exceeded::Time) {
                again.push(engine);
            }
            match all.iter_mut().find(|(other, _)| *other == engine) {
                Some((_, before)) if strength(before) > strength(&said) => {}
                Some((_, before)) => *before = said,
                None => all.push((engine, said)),
            }
            if task.limits.exceeded() == Some(Exceeded::Interrupted) {
                again.clear();
                break;
            }
        }
        let is_settled = |verdict: &Verdict| {
            matches!(verdict.outcome, Outcome::Unsafe(_)) || covers_all(&verdict.outcome, task.given)
        };
        let is_over = task.limits.exceeded().is_some() || all.iter().any(|(_, verdict)| is_settled(verdict));
        turns = if is_over { Vec::new() } else { again };
    }
    Ok(all.into_iter().map(|(_, verdict)| verdict).collect())
}

/// The verdict that says most.
pub fn strongest(verdicts: Vec<Verdict>) -> Option<Verdict> {
    verdicts.into_iter().rev().max_by_key(strength)
}

/// Two verdicts that cannot both be right, the unsafe one first. Where `events` and `rounds` put objects is not always where
/// the machine puts them: what depends on it is the machine's to say.
pub fn disagreement<'a>(verdicts: &'a [Verdict], given: &GivenBounds) -> Option<(&'a Verdict, &'a Verdict)> {
    let violated = verdicts.iter().find(|v| matches!(v.outcome, Outcome::Unsafe(_)))?;
    let covers = |v: &&Verdict| covers_all(&v.outcome, given) && !v.remarks.own_addresses;
    verdicts.iter().find(covers).map(|safe| (violated, safe))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use norn_engine::Prepared;
    use norn_ir::program::Origin;
    use norn_testing::prepare;
    use norn_verdict::outcome::{Bound, BoundKind, Checks, LoopPlace, Stats};

    fn safe(bounds: &[(BoundKind, bool)]) -> Verdict {
        let bounds =
            bounds.iter().map(|(kind, exhausted)| Bound { kind: kind.clone(), value: 2, exhausted: *exhausted });
        let outcome = Outcome::Safe { bounds: bounds.collect() };
        Verdict::new(Model::Sc, "events", outcome, Stats::default())
    }

    fn with_task<R>(program: &Prepared, ask: impl FnOnce(&Task<'_>) -> R) -> R {
        let limits = Limits::for_seconds(60.0);
        let (options, given, checks) = (Options::default(), GivenBounds::default(), Checks::default());
        ask(&Task { program, checks, given: &given, limits: &limits, options: &options, heard: crate::NOBODY_LISTENS })
    }

    /// A real counterexample against a safe verdict that an engine might have given.
    #[test]
    fn a_wrong_safe_verdict_is_noticed() {
        let program = prepare("#include <assert.h>\nint x; int main(void) { assert(x); }");
        with_task(&program, |task| {
            let violated = task.ask(Who::Enumerate, Model::Sc).expect("the replay should agree");
            let loops = || BoundKind::Unwind(LoopPlace { file: "test.c".to_owned(), line: 1, origin: Origin::User });
            let contradicts =
                |claim: Verdict, given: &GivenBounds| disagreement(&[claim, violated.clone()], given).is_some();
            let none = &GivenBounds::default();
            let (same, larger) = (&GivenBounds::of_all_loops(2), &GivenBounds::of_all_loops(3));
            assert!(contradicts(safe(&[]), none));
            assert!(contradicts(safe(&[(loops(), true)]), none));
            assert!(contradicts(safe(&[(loops(), false)]), same));
            assert!(!contradicts(safe(&[(loops(), false)]), larger), "a smaller bound than was given covers less");
            assert!(!contradicts(safe(&[(loops(), false)]), none));
            assert!(!contradicts(safe(&[(BoundKind::Rounds, false)]), same));
            assert!(!contradicts(safe(&[]).with_own_addresses(true), none));
        });
    }

    #[test]
    fn engines_agree_on_a_small_program() {
        let program = prepare("#include <assert.h>\nint x; int main(void) { x = 1; assert(x); }");
        with_task(&program, |task| {
            let all = verdicts(task, Model::Tso).expect("no engine should claim what does not replay");
            assert_eq!(all.len(), ENGINES.len());
            assert!(all.iter().all(|v| v.outcome.is_complete()), "{all:?}");
            assert_eq!(disagreement(&all, &GivenBounds::default()).map(|pair| pair.1.engine), None);
        });
    }
}
