//! Random small programs: `sc.cat`, `tso.cat` and `pso.cat` allow the final states that the reference machine reaches, and
//! no others.
//!
//! `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.

mod support;

use std::collections::BTreeSet;

use norn_axioms::answer::{Outcome, Question};
use norn_engine::{GivenBounds, Prepared};
use norn_ir::ids::GlobalId;
use norn_machine::enumerate::{self, states};
use norn_testing::programs::{Shape, joined, program};
use norn_testing::{Random, at_most, prepare, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;

/// Final values of x, y, a and what the threads saw.
type Final = [i32; 5];

fn finals(program: &Prepared, model: Model) -> Option<BTreeSet<Final>> {
    let global = |name: &str| {
        let found = program.globals.iter().position(|global| global.name == name);
        GlobalId::new(found.expect("the generator should declare it"))
    };
    let observed = ["x", "y", "a", "seen"].map(global);
    let limits = at_most(1 << 17);
    let checks = Checks::default();
    let question = enumerate::Question { program, model, checks, limits: &limits, domain: None, observed: &observed };
    let found = states::explore(&question);
    if found.incomplete.is_some() || found.violation.is_some() {
        return None;
    }
    let number = |bytes: &[u8]| i32::from_le_bytes(bytes[..4].try_into().expect("an int should have four bytes"));
    let state = |state: &Vec<Vec<u8>>| {
        [number(&state[0]), number(&state[1]), number(&state[2]), number(&state[3]), number(&state[3][4..])]
    };
    Some(found.finals.iter().map(state).collect())
}

fn is(state: Final) -> String {
    let [x, y, a, s0, s1] = state;
    format!("(x == {x} && y == {y} && a == {a} && seen[0] == {s0} && seen[1] == {s1})")
}

/// Whether the assertion can fail; nothing if that is not known.
fn fails(text: &str, claim: &str, model: Model) -> Option<bool> {
    let program = prepare(&joined(text, claim));
    let axioms = support::model(model.name());
    let (given, limits) = (GivenBounds::default(), Limits::for_seconds(600.0));
    let question =
        Question { program: &program, model: &axioms, checks: Checks::default(), given: &given, limits: &limits };
    let answer = question.answer().unwrap_or_else(|mismatch| panic!("{model}: {mismatch}\n{text}"));
    match answer.outcome {
        Outcome::Unsafe(_) => Some(true),
        Outcome::Safe { .. } => Some(false),
        Outcome::Limited { .. } | Outcome::Unknown(_) => None,
    }
}

#[test]
fn axioms_allow_what_the_machine_does() {
    let mut random = Random::new(setting("NORN_TEST_SEED").unwrap_or(1));
    let shape = Shape { threads: (2, 2), statements: (1, 3), library: false, ends: false, inputs: false };
    let wanted = setting("NORN_TEST_PROGRAMS").unwrap_or(10);
    let mut decided = 0;
    let mut tried = 0;
    while decided < wanted {
        tried += 1;
        assert!(tried < 20 * wanted, "most programs should be decided");
        let text = program(&mut random, shape);
        let plain = prepare(&joined(&text, ""));
        let Some(weakest) = finals(&plain, Model::Pso) else { continue };
        if weakest.len() > 8 {
            continue;
        }
        let mut all_decided = true;
        for model in Model::ALL {
            let reached = finals(&plain, model).expect("a stronger model has fewer states");
            let others = reached.iter().map(|&state| is(state)).collect::<Vec<_>>().join(" || ");
            let more = fails(&text, &format!("assert({others});"), model);
            assert_ne!(more, Some(true), "{model} allows more than the machine:\n{text}\n{others}");
            all_decided &= more.is_some();
            for &state in weakest.iter().take_while(|_| more.is_some()) {
                let found = fails(&text, &format!("assert(!{});", is(state)), model);
                let expected = reached.contains(&state);
                assert!(found == Some(expected), "{model} says {found:?}, not {expected}, of {}:\n{text}", is(state));
            }
        }
        decided += u64::from(all_decided);
    }
}
