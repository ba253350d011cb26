//! Data races are found where the reference enumeration finds them, one execution per trace, under all models.
//!
//! `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.

#![allow(clippy::print_stdout, reason = "how much was compared is worth knowing")]

use norn_engine::{Engine, Prepared, Query};
use norn_machine::Reference;
use norn_machine::enumerate::{Question, states};
use norn_passes::unwind::Bounds;
use norn_stateless::Stateless;
use norn_testing::programs::races;
use norn_testing::{Random, at_most, checked, prepare, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Basic, Checks, Outcome};

const CHECKS: Checks = Checks { data_race: true, ..Checks::DEFAULT };

/// By model: whether there is a violation, if both know.
fn check(program: &Prepared, checks: Checks, name: &str) -> Vec<Option<bool>> {
    let of_model = |model: Model| {
        let limits = at_most(1 << 19);
        let question = Question { program, model, checks, limits: &limits, domain: None, observed: &[] };
        let expected = states::explore(&question);
        if expected.incomplete.is_some() && expected.violation.is_none() {
            return None;
        }
        let is_wrong = expected.violation.is_some();
        let limits = Limits::for_seconds(60.0);
        let bounds = Bounds { default: 3, ..Bounds::default() };
        let query = Query { program, model, checks, bounds: Some(&bounds), limits: &limits };
        let verdict = Stateless.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{name} {model}: {mismatch}"));
        match verdict.outcome {
            Outcome::Unsafe(_) => assert!(is_wrong, "{name} {model}: the machine sees no violation"),
            Outcome::Safe { bounds } if bounds.iter().all(|bound| bound.exhausted) => {
                assert!(!is_wrong, "{name} {model}: missed {:?}", expected.violation);
            }
            _ => return None,
        }
        Some(is_wrong)
    };
    Model::ALL.into_iter().map(of_model).collect()
}

/// Many programs; most should be comparable, and neither answer rare.
fn check_many(make: fn(&mut Random) -> String, count: u64) {
    let (count, first) = (setting("NORN_TEST_PROGRAMS").unwrap_or(count), setting("NORN_TEST_SEED").unwrap_or(0));
    let (mut racy, mut fine) = (0, 0);
    for seed in first..first + count {
        let text = make(&mut Random::new(seed));
        let name = format!("program {seed}");
        let basic = if seed % 3 == 0 { Basic::All } else { Basic::Assertions };
        let checks = Checks { basic, memory_safety: basic == Basic::All, ..CHECKS };
        let found = checked(&name, &text, |text| check(&prepare(text), checks, &name));
        racy += found.iter().flatten().filter(|racy| **racy).count() as u64;
        fine += found.iter().flatten().filter(|racy| !**racy).count() as u64;
    }
    println!("{racy} with and {fine} without a violation, of {} questions", count * 3);
    assert!(count < 20 || racy * 10 > count && fine * 10 > count && racy + fine > count, "{racy} {fine}");
}

#[test]
fn random_programs() {
    check_many(races::program, 100);
}

#[test]
fn longer_programs() {
    check_many(races::longer, 40);
}
