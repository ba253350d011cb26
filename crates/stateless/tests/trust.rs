//! What the search claims and the machine does not see becomes an error, never a verdict.

use norn_engine::Query;
use norn_machine::Reference;
use norn_stateless::{Explored, explore, verdict_of};
use norn_testing::prepare;
use norn_verdict::claim::Mismatch;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome, Violation, ViolationKind};
use norn_verdict::schedule::{Schedule, Step};

/// Fails only where both stores are still buffered when the other thread reads.
const STORE_BUFFERING: &str = "#include <pthread.h>\n#include <assert.h>\nvolatile int x, y, seen;\n\
    void *t(void *arg) { y = 1; seen = x; return 0; }\n\
    int main(void) { pthread_t id; pthread_create(&id, 0, t, 0); x = 1; int r = y; pthread_join(id, 0);\n\
    assert(r == 1 || seen == 1); return 0; }";

/// What becomes of the engine's finding after `change`.
fn check(change: impl Fn(&mut Violation, &mut Schedule)) -> Result<Outcome, Mismatch> {
    let program = prepare(STORE_BUFFERING);
    let limits = Limits::none();
    let query =
        Query { program: &program, model: Model::Tso, checks: Checks::default(), bounds: None, limits: &limits };
    let Explored { violation, counts, .. } = explore(&query, &mut |_| {});
    let (mut violation, mut schedule) = violation.expect("TSO shows it");
    change(&mut violation, &mut schedule);
    let claim = Explored { counts, violation: Some((violation, schedule)), ..Explored::default() };
    verdict_of(&query, claim, &Reference).map(|verdict| verdict.outcome)
}

#[test]
fn a_true_finding_is_confirmed() {
    assert!(matches!(check(|_, _| {}), Ok(Outcome::Unsafe(_))));
}

#[test]
fn a_wrong_schedule_is_caught() {
    // Stores reach memory at once: the execution is one of SC, without a violation, and cannot be followed as planned.
    let at_once = check(|_, schedule| {
        let commits: Vec<Step> =
            schedule.steps.iter().filter(|step| matches!(step, Step::Commit { .. })).cloned().collect();
        schedule.steps.retain(|step| matches!(step, Step::Run { .. }));
        for commit in commits {
            let Step::Commit { thread: name, step: number } = &commit else { continue };
            let store = Step::Run { thread: name.clone(), step: *number };
            let at = schedule.steps.iter().position(|step| *step == store).expect("its store");
            schedule.steps.insert(at + 1, commit);
        }
    });
    assert!(matches!(at_once, Err(Mismatch::Other { .. })), "{at_once:?}");
    let short = check(|_, schedule| schedule.steps.truncate(1));
    assert!(matches!(short, Err(Mismatch::Other { .. })), "{short:?}");
    for at in 0..3 {
        let gap = check(|_, schedule| {
            schedule.steps.remove(at);
        });
        assert!(gap.is_err(), "without step {at}: {gap:?}");
    }
}

#[test]
fn a_wrong_violation_is_caught() {
    let other = check(|violation, _| violation.kind = ViolationKind::Deadlock);
    assert!(matches!(other, Err(Mismatch::Other { .. })), "{other:?}");
    let elsewhere = check(|violation, _| violation.span.line += 1);
    assert!(matches!(elsewhere, Err(Mismatch::Other { .. })), "{elsewhere:?}");
}
