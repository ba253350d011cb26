//! What no execution within the bounds of a verdict came to.

use norn_passes::points::{Point, PointKind};
use norn_report::Sources;
use norn_verdict::outcome::{Unreached, Verdict};

/// Adds to a verdict within bounds what its executions never came to. Without bounds there is nothing to say: then it
/// cannot be reached at all, and the points of the program are not asked for.
pub fn note_unreached<'p>(sources: &Sources<'_>, points: impl FnOnce() -> &'p [Point], verdict: &mut Verdict) {
    let is_bounded = verdict.outcome.bounds().iter().any(|bound| !bound.exhausted);
    let Some(reached) = verdict.remarks.reached.as_ref().filter(|_| is_bounded) else { return };
    let mut notes = Vec::new();
    let mut unreached = Vec::new();
    for point in points() {
        let place = sources.place(point.span);
        let (is_reached, what, note) = match &point.kind {
            PointKind::ThreadFunction(name) => {
                let note = format!("thread function '{name}' ({place}) is never started within these bounds");
                (reached.threads.contains(&point.span), format!("thread function '{name}'"), note)
            }
            kind => {
                let what = match kind {
                    PointKind::Assertion => "the assertion",
                    PointKind::ErrorLabel => "the decision about the error label",
                    _ => "the decision about the error function",
                };
                let note = format!("no execution within these bounds reaches {what} at {place}");
                (reached.checks.contains(&point.span), what.to_owned(), note)
            }
        };
        if !is_reached {
            unreached.push(Unreached { span: point.span, what });
            notes.push(note);
        }
    }
    notes.dedup();
    verdict.remarks.unreached = unreached;
    verdict.remarks.notes.extend(notes);
}
