//! Random small programs: the modes have to agree with one another, and a weaker model shows at least what a stronger
//! one does.

use super::{Question, rounds, states, traces};
use crate::hash::Random;
use crate::replay::{End, replay};
use crate::run::{RunEnd, run};
use crate::testing::{function, text};
use norn_ir::ids::GlobalId;
use norn_ir::program::Program;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use std::collections::BTreeSet;

/// Threads of a few accesses to `x` and `y`; what they read goes to objects of their own.
fn program(random: &mut Random) -> Program {
    let count = 2 + random.below(2);
    let mut out = String::from("global g0 \"x\": t0\nglobal g1 \"y\": t0\n");
    let mut functions = String::new();
    let mut spawns = String::new();
    for thread in 0..count {
        let mut body = String::new();
        for register in 0..2 + random.below(2) {
            let place = format!("g{}", random.below(2));
            let value = 1 + thread * 4 + register;
            let line = match random.below(12) {
                0..=2 => format!("r{register} = load {place}"),
                3..=5 => format!("store i32 {place}, {value}"),
                6 => format!("store i32 {place}, {value} release"),
                7 => format!("store i8 {place}+{}, {value}", random.below(4)),
                8 => "fence full".to_owned(),
                9 => "fence store_store".to_owned(),
                10 => format!("r{register} = rmw add {place}, {value} relaxed"),
                _ => format!("begin atomic\nr{register} = load {place}\nstore i32 {place}, {value}\nend"),
            };
            body.push_str(&format!("{line}\n"));
            if line.contains('r') && (line.contains("load") || line.contains("rmw")) {
                let result = out.matches("global").count();
                out.push_str(&format!("global g{result} \"r{thread}{register}\": t0\n"));
                body.push_str(&format!("store i32 g{result}, r{register}\n"));
            }
        }
        spawns.push_str(&format!("r7 = spawn f{}()\n", thread + 1));
        functions.push_str(&function(thread + 1, &format!("thread{thread}"), &body));
    }
    text(&format!("{out}{}{functions}", function(0, "main", &spawns)))
}

#[test]
fn modes_and_models_agree() {
    let mut random = Random::new(7);
    let limits = Limits::none();
    for number in 0..25 {
        let program = program(&mut random);
        let observed: Vec<GlobalId> = (0..program.globals.len()).map(GlobalId::new).collect();
        let mut stronger = BTreeSet::new();
        for model in Model::ALL {
            let checks = Checks::default();
            let question =
                Question { program: &program, model, checks, limits: &limits, domain: None, observed: &observed };
            let found = states::explore(&question);
            assert_eq!((&found.violation, &found.incomplete), (&None, &None), "{number} {model}\n{program}");
            assert!(found.finals.is_superset(&stronger), "{number} {model}\n{program}");
            stronger = found.finals.clone();
            let enough = rounds::explore(&question, 16);
            assert_eq!(enough.finals, found.finals, "{number} {model}\n{program}");
            let counted = traces::count(&question);
            assert!(counted.complete >= found.finals.len() && counted.blocked == 0, "{number} {model}\n{program}");
            for seed in 0..3 {
                let ran = run(&program, model, checks, seed, 1000, &limits);
                assert_eq!(ran.end, RunEnd::Done(End::Ended { status: Some(0) }));
                assert_eq!(replay(&program, checks, &ran.schedule).map(|r| r.end), Ok(End::Ended { status: Some(0) }));
            }
        }
    }
}
