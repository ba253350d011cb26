//! Executions that never end are found where the reference enumeration finds them by trying all sets of threads, with any of the
//! reductions, under all models.
//!
//! `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.

#![allow(clippy::print_stdout, reason = "how much was compared is worth knowing")]

use norn_engine::{Engine, Prepared, Query};
use norn_machine::Reference;
use norn_machine::enumerate::{Question, states};
use norn_states::{Reductions, States};
use norn_testing::programs::endless;
use norn_testing::{Random, at_most, checked, prepare, setting};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome, ViolationKind};

const CHECKS: Checks = Checks { termination: true, memory_safety: true, ..Checks::DEFAULT };

/// By model: whether some execution never ends, if the enumeration knows.
fn check(program: &Prepared, name: &str) -> Vec<Option<bool>> {
    let of_model = |model: Model| {
        let limits = at_most(3 << 10);
        let question = Question { program, model, checks: CHECKS, limits: &limits, domain: None, observed: &[] };
        let expected = states::explore(&question);
        if expected.incomplete.is_some() && expected.violation.is_none() {
            return None;
        }
        let is_wrong = expected.violation.is_some();
        let all = Reductions::ALL;
        let variants = [
            ("all", all),
            ("none", Reductions::NONE),
            ("not live", Reductions { live_only: false, ..all }),
            ("not collapsed", Reductions { collapse: false, ..all }),
            ("not merged", Reductions { merge_stores: false, ..all }),
            ("not persistent", Reductions { persistent: false, ..all }),
        ];
        for (variant, reductions) in variants {
            let what = format!("{name} {model} {variant}");
            let limits = at_most(1 << 15);
            let query = Query { program, model, checks: CHECKS, bounds: None, limits: &limits };
            let engine = States { reductions, shortest: false };
            let verdict = engine.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{what}: {mismatch}"));
            match verdict.outcome {
                Outcome::Unsafe(_) => assert!(is_wrong, "{what}: every execution ends"),
                Outcome::Safe { .. } => assert!(!is_wrong, "{what}: missed {:?}", expected.violation),
                // A buffer that grows without bound is never seen to be empty again within one.
                Outcome::Limited { .. } => assert!(!is_wrong, "{what}: missed {:?}", expected.violation),
                Outcome::Unknown(open) => assert!(variant != "all", "{what}: {open}"),
            }
        }
        Some(is_wrong)
    };
    Model::ALL.into_iter().map(of_model).collect()
}

/// Many programs; most should be comparable, and neither answer rare.
#[test]
fn random_programs() {
    let (count, first) = (setting("NORN_TEST_PROGRAMS").unwrap_or(40), setting("NORN_TEST_SEED").unwrap_or(0));
    let (mut endless, mut ending) = (0, 0);
    for seed in first..first + count {
        let text = endless::program(&mut Random::new(seed));
        let name = format!("program {seed}");
        let found = checked(&name, &text, |text| check(&prepare(text), &name));
        endless += found.iter().flatten().filter(|wrong| **wrong).count() as u64;
        ending += found.iter().flatten().filter(|wrong| !**wrong).count() as u64;
    }
    println!("{endless} with and {ending} without an execution that never ends, of {} questions", count * 3);
    assert!(count < 20 || endless * 2 > count && ending * 2 > count, "{endless} {ending}");
}

/// Locks and queues with and without a bug of this kind. The first line of a file has the verdicts under SC, TSO and PSO, the
/// next lines say why.
#[test]
fn locks_and_queues() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/liveness");
    let mut count = 0;
    let mut wrong = Vec::new();
    for (path, text) in norn_testing::golden::inputs(folder, "c") {
        let name = norn_testing::golden::name(&path);
        let program = prepare(&text);
        let line = text.lines().next().and_then(|line| line.strip_prefix("// ")).expect("a line of verdicts");
        let expected: Vec<&str> = line.split(", ").collect();
        let found = Model::ALL.map(|model| {
            let limits = at_most(1 << 20);
            let query = Query { program: &program, model, checks: CHECKS, bounds: None, limits: &limits };
            let verdict = States::default().run(&query, &Reference);
            match verdict.unwrap_or_else(|mismatch| panic!("{name} {model}: {mismatch}")).outcome {
                Outcome::Unsafe(found) => {
                    assert_eq!(found.violation().kind, ViolationKind::Nontermination, "{name} {model}");
                    "never".to_owned()
                }
                Outcome::Safe { .. } => "ends".to_owned(),
                open => format!("{:?}", open.undecided()),
            }
        });
        if found != expected[..] {
            wrong.push(format!("{name}: expected {line}, found {found:?}"));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 30, "{count}");
}
