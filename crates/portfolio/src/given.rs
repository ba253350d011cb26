//! Which bounds the user gave. Only within those is a program safe: a bound that Norn chose by itself, or that a limit left,
//! says nothing that a build could rely on.

use crate::Task;
use norn_engine::GivenBounds;
use norn_ir::program::Origin;
use norn_verdict::outcome::{Bound, BoundKind, Outcome, Verdict};
use norn_verdict::undecided::{OwnBound, Undecided, Why};

/// Whether the user gave a bound of any kind.
fn is_given(task: &Task<'_>, bound: &Bound) -> bool {
    match bound.kind {
        BoundKind::Unwind(_) => task.given.is_given(bound),
        BoundKind::Rounds => task.options.rounds.rounds.is_some_and(|given| bound.value >= u64::from(given)),
        BoundKind::Executions => task.limits.executions.is_some_and(|given| bound.value >= given),
        BoundKind::Buffer | BoundKind::Depth | BoundKind::ObjectSize => false,
    }
}

/// The verdict, which is not safe if one of its bounds was not given.
pub fn within_given(task: &Task<'_>, mut verdict: Verdict) -> Verdict {
    if let Outcome::Safe { bounds } = &mut verdict.outcome
        && let Some(own) = bounds.iter().find(|bound| !bound.exhausted && !is_given(task, bound))
    {
        let undecided = Undecided::new(Why::OwnBound(own_bound(own)));
        verdict.outcome = Outcome::Limited { bounds: std::mem::take(bounds), undecided };
    }
    verdict
}

/// Why a search ended at a bound that nobody gave.
fn own_bound(own: &Bound) -> OwnBound {
    match &own.kind {
        BoundKind::Unwind(place) if place.origin == Origin::Library => OwnBound::LibraryLoops,
        BoundKind::Unwind(_) => OwnBound::Loops,
        BoundKind::Rounds => OwnBound::Rounds,
        BoundKind::Executions => OwnBound::Executions,
        BoundKind::Buffer => OwnBound::Buffer,
        BoundKind::Depth => OwnBound::Depth,
        BoundKind::ObjectSize => OwnBound::ObjectSize,
    }
}

/// Whether a safe verdict covers all that was asked, or all that is within the bounds on loops that were given.
pub fn covers_all(outcome: &Outcome, given: &GivenBounds) -> bool {
    match outcome {
        Outcome::Safe { bounds } => bounds.iter().all(|bound| bound.exhausted || given.is_given(bound)),
        Outcome::Unsafe(_) | Outcome::Limited { .. } | Outcome::Unknown(_) => false,
    }
}
