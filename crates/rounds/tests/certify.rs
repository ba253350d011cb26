//! `--certify` on generated programs: the machine's executions are models of the formulas of safe verdicts, under
//! each model.
//!
//! `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.

use norn_engine::{Engine, Query};
use norn_ir::number::narrow;
use norn_machine::Reference;
use norn_passes::unwind::Bounds;
use norn_rounds::Rounds;
use norn_testing::programs::{self, Shape, pointers};
use norn_testing::{Random, checked, prepare, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Basic, Checks, Outcome};

/// How many executions were compared; the verdict is what it is without the comparison.
fn compared(text: &str, model: Model, rounds: u32, checks: Checks) -> f64 {
    let program = prepare(text);
    let bounds = Bounds { default: 2, ..Bounds::default() };
    let limits = Limits::for_seconds(20.0);
    let query = Query { program: &program, model, checks, bounds: Some(&bounds), limits: &limits };
    let verdict = |certify| Rounds { rounds: Some(rounds), certify, ..Rounds::default() }.run(&query, &Reference);
    let found = verdict(true).unwrap_or_else(|mismatch| panic!("{model} {rounds} {checks:?}: {mismatch}"));
    let plain = verdict(false).unwrap_or_else(|mismatch| panic!("{model}: {mismatch}"));
    let kind = |outcome: &Outcome| match outcome {
        Outcome::Safe { bounds } => format!("safe {bounds:?}"),
        Outcome::Unsafe(_) => "unsafe".to_owned(),
        Outcome::Limited { undecided: reason, .. } | Outcome::Unknown(reason) => reason.to_string(),
    };
    assert_eq!(kind(&found.outcome), kind(&plain.outcome), "{model} {rounds}");
    found.stats.0.get("executions checked").copied().unwrap_or(0.0)
}

fn checks(seed: u64) -> Checks {
    let basic = if seed % 4 == 1 { Basic::Assertions } else { Basic::All };
    let (memory_safety, overflow) = (seed.is_multiple_of(2), seed.is_multiple_of(3));
    Checks { basic, memory_safety, overflow, data_race: false, ..Checks::DEFAULT }
}

#[test]
fn generated_programs() {
    let (count, first) = (setting("NORN_TEST_PROGRAMS").unwrap_or(25), setting("NORN_TEST_SEED").unwrap_or(0));
    let mut executions = 0.0;
    for seed in first..first + count {
        let mut random = Random::new(seed);
        let shape = Shape {
            threads: (1, 3),
            statements: (1, 6),
            library: seed % 2 == 1,
            ends: seed.is_multiple_of(3),
            inputs: true,
        };
        let text = match seed % 4 {
            3 => pointers::program(&mut random),
            _ => programs::program(&mut random, shape),
        };
        for model in Model::ALL {
            let compared = |text: &str| compared(text, model, 1 + narrow(seed % 4), checks(seed));
            executions += checked(&format!("program {seed}"), &text, compared);
        }
    }
    assert!(executions > 100.0, "{executions} executions were compared");
}
