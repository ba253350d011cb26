//! Which bounds the user gave. Only within those is a program safe: a bound that Norn chose by itself, or that a limit left,
//! says nothing that a build could rely on.

use super::{Task, bounds};
use crate::args::Unwind;
use norn_verdict::outcome::{Bound, BoundKind, Outcome, Verdict};

/// The folder that files of the library seem to be in.
const LIBRARY_FILES: &str = "<norn>/";

/// Whether a bound on a loop is one that the user gave. Where time runs out, engines may stop at smaller ones. Loops of the
/// library have bounds of their own.
pub fn is_given_unwind(unwind: &[Unwind], bound: &Bound) -> bool {
    let BoundKind::Unwind { place } = &bound.kind else { return false };
    // What the front end made itself (to set a large array) stands on no line.
    if place.starts_with(LIBRARY_FILES) || place.ends_with(":0") {
        return false;
    }
    let default = unwind.iter().rev().find_map(|bound| match bound {
        Unwind::Default(n) => Some(*n),
        Unwind::At { .. } => None,
    });
    let at = bounds(unwind).at.iter().rev().find(|at| at.names_place(place)).map(|at| at.bound);
    at.or(default).is_some_and(|given| bound.value >= u64::from(given))
}

/// Whether the user gave a bound of any kind.
fn is_given(task: &Task<'_>, bound: &Bound) -> bool {
    match bound.kind {
        BoundKind::Unwind { .. } => is_given_unwind(task.unwind, bound),
        BoundKind::Rounds => task.rounds.limit.is_some_and(|given| bound.value >= u64::from(given)),
        BoundKind::Executions => task.limits.executions.is_some_and(|given| bound.value >= given),
        BoundKind::Buffer | BoundKind::Depth => false,
    }
}

/// The verdict, which is not safe if one of its bounds was not given.
pub fn within_given(task: &Task<'_>, mut verdict: Verdict) -> Verdict {
    if let Outcome::Safe { bounds } = &mut verdict.outcome
        && let Some(own) = bounds.iter().find(|bound| !bound.exhausted && !is_given(task, bound))
    {
        let reason = reason(own).to_owned();
        verdict.outcome = Outcome::Limited { bounds: std::mem::take(bounds), reason, span: None };
    }
    verdict
}

/// Why a search ended at a bound that nobody gave.
fn reason(own: &Bound) -> &'static str {
    match &own.kind {
        BoundKind::Unwind { place } if place.starts_with(LIBRARY_FILES) => {
            "a loop of the library has a bound of its own"
        }
        BoundKind::Unwind { .. } => "larger bounds on loops were not tried",
        BoundKind::Rounds => "more rounds were not tried",
        BoundKind::Executions => "more executions were not tried",
        BoundKind::Buffer => "a store buffer keeps growing",
        BoundKind::Depth => "deeper executions were not tried",
    }
}

/// Whether a safe verdict covers all that was asked, or all that is within the bounds on loops that were given.
pub fn covers_all(outcome: &Outcome, unwind: &[Unwind]) -> bool {
    match outcome {
        Outcome::Safe { bounds } => bounds.iter().all(|bound| bound.exhausted || is_given_unwind(unwind, bound)),
        Outcome::Unsafe(_) | Outcome::Limited { .. } | Outcome::Unknown { .. } => false,
    }
}
