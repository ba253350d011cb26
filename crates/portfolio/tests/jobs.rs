//! Verdicts do not depend on how many engines run at the same time.

use norn_engine::{GivenBounds, Prepared};
use norn_portfolio::{NOBODY_LISTENS, Options, Task};
use norn_testing::programs::{Shape, joined, program};
use norn_testing::{Random, checked, prepare};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome, Verdict};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

fn ask(program: &Prepared, model: Model, jobs: usize) -> Verdict {
    let (limits, given, checks) = (Limits::for_seconds(60.0), GivenBounds::default(), Checks::default());
    let options = Options { jobs: NonZeroUsize::new(jobs), ..Options::default() };
    let task = Task { program, checks, given: &given, limits: &limits, options: &options, heard: NOBODY_LISTENS };
    task.ask_in_turns(model).expect("no engine should claim what does not replay, and none contradict another")
}

fn word(verdict: &Verdict) -> &'static str {
    match &verdict.outcome {
        Outcome::Unsafe(_) => "unsafe",
        Outcome::Safe { .. } => "safe",
        Outcome::Limited { .. } | Outcome::Unknown(_) => "unknown",
    }
}

#[test]
fn verdicts_on_generated_programs_do_not_depend_on_jobs() {
    const PROGRAMS: u64 = 40;
    let shape = Shape { threads: (2, 3), statements: (2, 4), library: true, ends: true, inputs: true };
    let words = RefCell::new(BTreeMap::new());
    for seed in 0..PROGRAMS {
        let text = joined(&program(&mut Random::new(seed), shape), "assert(x != 1);");
        checked(&format!("seed {seed}"), &text, |text| {
            let program = prepare(text);
            for model in Model::ALL {
                let alone = ask(&program, model, 1);
                for jobs in [2, 4] {
                    let beside = ask(&program, model, jobs);
                    assert_eq!(word(&alone), word(&beside), "{model:?}, {jobs} jobs: {alone:?}\n{beside:?}");
                }
                *words.borrow_mut().entry(word(&alone)).or_insert(0) += 1;
            }
        });
    }
    let words = words.into_inner();
    assert!(["safe", "unsafe"].iter().all(|word| words.get(word) > Some(&10)), "{words:?}");
}
