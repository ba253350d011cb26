//! What tests of stories share: violations found at random, and their stories.

use norn_explain::{Shortened, USUAL_STEPS, shorten};
use norn_ir::program::Program;
use norn_machine::run::{RunEnd, run};
use norn_machine::{End, confirm};
use norn_verdict::claim::{Claim, Ruling};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Counterexample};

/// The counterexample of the first random execution that violates something.
pub fn found(program: &Program, model: Model, checks: Checks, seeds: std::ops::Range<u64>) -> Option<Counterexample> {
    const MOST_STEPS: u64 = 400;
    for seed in seeds {
        let ran = run(program, model, checks, seed, MOST_STEPS, &Limits::none());
        if let RunEnd::Done(End::Violation(violation)) = ran.end {
            let claim = Claim { schedule: ran.schedule, expected: vec![(&violation).into()] };
            match confirm(program, checks, claim) {
                Ruling::Holds(found) => return Some(*found),
                other => panic!("{other:?}"),
            }
        }
    }
    None
}

pub fn shortened(program: &Program, checks: Checks, found: &Counterexample) -> Shortened {
    let shorter = shorten(program, checks, found, USUAL_STEPS, &Limits::none());
    shorter.unwrap_or_else(|| panic!("there should be a story of {:?}\n{}", found.violation(), found.schedule()))
}
