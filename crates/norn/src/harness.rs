//! Says where a safe verdict means little because of the harness: nothing is asserted, no execution comes to an assertion, a
//! thread function is never started.

use norn_ir::ids::FuncId;
use norn_ir::program::{Origin, Program};
use norn_ir::types::Ty;
use norn_passes::points::{Point, PointKind};
use norn_passes::points_to::PointsTo;
use norn_report::Sources;
use norn_report::visible::visible;
use norn_verdict::outcome::{Basic, Checks, Outcome, Verdict};

/// Adds to a safe verdict what is likely wrong with its harness.
pub fn note_harness<'p>(
    sources: &Sources<'_>,
    checks: Checks,
    points: impl FnOnce() -> &'p [Point],
    verdict: &mut Verdict,
) {
    if !matches!(verdict.outcome, Outcome::Safe { .. }) || !verdict.outcome.is_complete() {
        // Within bounds, what is not reached is said one by one.
        return;
    }
    let points = points();
    let is_check = |point: &&Point| !matches!(point.kind, PointKind::ThreadFunction(_));
    let has_threads = points.iter().any(|point| !is_check(&point));
    let mut asserted = points.iter().filter(is_check).peekable();
    let asks_for_more = checks.deadlock
        || checks.data_race
        || checks.overflow
        || checks.termination
        || checks.memory_leak
        || checks.basic != Basic::All;
    let notes = &mut verdict.remarks.notes;
    match (asserted.peek().is_some(), &verdict.remarks.reached) {
        (false, _) if has_threads && !asks_for_more => notes.push(
            "nothing is asserted: safe only means that no access is invalid, no mutex misused and nothing divided by zero"
                .to_owned(),
        ),
        (true, Some(reached)) if !asserted.any(|point| reached.checks.contains(&point.span)) => {
            notes.push("no execution comes to an assertion: does the harness keep all of them from it?".to_owned());
        }
        _ => {}
    }
    notes.extend(never_started(sources.program).into_iter().map(|id| {
        let function = sources.program.function(id);
        let (name, place) = (visible(&function.name), sources.place(function.span));
        format!("'{name}' ({place}) looks like a thread function, and nothing starts it")
    }));
}

/// Functions in the entry's file that take and return a pointer and that nothing leads to.
fn never_started(program: &Program) -> Vec<FuncId> {
    let points_to = PointsTo::new(program);
    let file = program.function(program.entry).span.file;
    let all = (0..program.functions.len()).map(FuncId::new);
    let is_forgotten = |&id: &FuncId| {
        let function = program.function(id);
        let takes_pointer = function.params.iter().map(|&param| function.registers[param.index()].ty);
        function.origin == Origin::User
            && function.span.file == file
            && function.result == Some(Ty::Ptr)
            && takes_pointer.eq([Ty::Ptr])
            && !points_to.reaches(id)
    };
    all.filter(is_forgotten).collect()
}
