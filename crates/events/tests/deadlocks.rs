//! Random small programs whose threads wait for one another: the engine finds a deadlock, or an execution that never ends, where
//! exhaustive enumeration finds one, under every model and in both encodings.
//!
//! `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.

#![allow(clippy::print_stdout, reason = "how much was compared is worth knowing")]

use norn_engine::{Engine, Prepared, Query};
use norn_events::{Encoding, Events};
use norn_machine::Reference;
use norn_machine::enumerate::{Question, states};
use norn_passes::unwind::Bounds;
use norn_testing::programs::{blocking, endless};
use norn_testing::{Random, at_most, checked, prepare, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Basic, Checks, Outcome, ViolationKind};

fn outcome(program: &Prepared, model: Model, checks: Checks, encoding: Encoding) -> Outcome {
    let limits = Limits::for_seconds(60.0);
    let bounds = Bounds { default: 3, ..Bounds::default() };
    let query = Query { program, model, checks, bounds: Some(&bounds), limits: &limits };
    let events = Events { encoding, certify: true };
    events.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{model} {encoding:?}: {mismatch}")).outcome
}

/// What was found, by model: a deadlock, another violation, nothing. `None` where there is nothing to compare with.
fn check(text: &str, checks: Checks) -> [Option<Option<ViolationKind>>; 3] {
    let program = prepare(text);
    Model::ALL.map(|model| {
        // The whole graph is kept where termination is asked about.
        let limits = at_most(if checks.termination { 3 << 10 } else { 1 << 16 });
        let question = Question { program: &program, model, checks, limits: &limits, domain: None, observed: &[] };
        let found = states::explore(&question);
        let expected = found.violation.map(|finding| finding.violation.kind);
        if expected.is_none() && found.incomplete.is_some() {
            return None;
        }
        for encoding in [Encoding::Order, Encoding::Clocks] {
            match outcome(&program, model, checks, encoding) {
                Outcome::Unsafe(_) => assert!(expected.is_some(), "{model} {encoding:?}: there is no violation"),
                Outcome::Safe { bounds } if bounds.iter().all(|bound| bound.exhausted) => {
                    assert_eq!(expected, None, "{model} {encoding:?}: a violation is missed")
                }
                Outcome::Safe { .. } => return None,
                Outcome::Unknown(open) | Outcome::Limited { undecided: open, .. } => {
                    assert!(checks.termination, "{model} {encoding:?}: {open}");
                    return None;
                }
            }
        }
        Some(expected)
    })
}

#[test]
fn programs_that_wait() {
    let seed = setting("NORN_TEST_SEED").unwrap_or(0);
    let count = setting("NORN_TEST_PROGRAMS").unwrap_or(40);
    let (mut compared, mut deadlocks) = (0, 0);
    for number in seed..seed + count {
        let text = blocking::program(&mut Random::new(number), number % 3 == 0);
        // Misuse of a lock is a violation of its own, or stops the thread.
        let basic = if number % 2 == 0 { Basic::All } else { Basic::Assertions };
        let checks = Checks { basic, deadlock: true, ..Checks::default() };
        let found = checked(&format!("program {number}"), &text, |text| check(text, checks));
        compared += u64::from(found.iter().all(Option::is_some));
        deadlocks += u64::from(found.contains(&Some(Some(ViolationKind::Deadlock))));
    }
    println!("of {count} programs, {compared} were compared, {deadlocks} with a deadlock");
    assert!(compared * 2 > count && deadlocks * 5 > count, "{compared} compared, {deadlocks} with a deadlock");
}

#[test]
fn programs_that_may_never_end() {
    let seed = setting("NORN_TEST_SEED").unwrap_or(0);
    let count = setting("NORN_TEST_PROGRAMS").unwrap_or(60);
    let (mut compared, mut endless_ones) = (0, 0);
    for number in seed..seed + count {
        let text = endless::program(&mut Random::new(number));
        let checks = Checks { memory_safety: true, termination: true, ..Checks::default() };
        let found = checked(&format!("program {number}"), &text, |text| check(text, checks));
        compared += u64::from(found.iter().any(Option::is_some));
        endless_ones += u64::from(found.contains(&Some(Some(ViolationKind::Nontermination))));
    }
    println!("of {count} programs, {compared} were compared, {endless_ones} may never end");
    assert!(compared * 3 > count && endless_ones * 8 > count, "{compared} compared, {endless_ones} may never end");
}

/// Locks and queues with and without an execution that never ends (the first line of a file says under which models): most are
/// decided, and none wrong.
#[test]
fn locks_and_queues() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../states/tests/liveness");
    let checks = Checks { memory_safety: true, termination: true, ..Checks::default() };
    let (mut decided, mut count) = (0, 0);
    for (path, text) in norn_testing::golden::inputs(folder, "c") {
        let program = prepare(&text);
        let said =
            text.lines().next().and_then(|line| line.strip_prefix("// ")).expect("a line with verdicts").to_owned();
        for (model, said) in Model::ALL.into_iter().zip(said.split(", ")) {
            let may_never_end = said == "never";
            let what = format!("{} {model}", path.display());
            count += 1;
            match outcome(&program, model, checks, Encoding::Order) {
                Outcome::Unsafe(_) => assert!(may_never_end, "{what}"),
                Outcome::Safe { bounds } if bounds.iter().all(|bound| bound.exhausted) => {
                    assert!(!may_never_end, "{what}")
                }
                _ => continue,
            }
            decided += 1;
        }
    }
    assert!(decided * 2 > count, "{decided} of {count} are decided");
}
