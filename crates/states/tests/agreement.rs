//! The engine agrees with the reference enumeration: in verdicts, in final states and, with every reduction off, in the
//! number of states.

#![allow(clippy::print_stdout, reason = "how much was compared is worth knowing")]

mod programs;

use norn_engine::{Engine, Prepared, Query};
use norn_ir::ids::GlobalId;
use norn_ir::program::Storage;
use norn_machine::Reference;
use norn_machine::enumerate::{Question, states};
use norn_states::{Ended, Explored, Reductions, States, explore};
use norn_testing::{Random, at_most, checked, compile_reusing, compile_unmarked, prepare, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Basic, Checks, Outcome};
use std::collections::BTreeSet;

/// Objects whose final contents are compared: not those with addresses, which renaming may change.
fn observed(program: &Prepared) -> Vec<GlobalId> {
    let shown = |id: &GlobalId| {
        let global = program.global(*id);
        global.storage == Storage::Static && ["x", "y", "z", "c", "u", "a", "seen"].contains(&global.name.as_str())
    };
    (0..program.globals.len()).map(GlobalId::new).filter(shown).collect()
}

/// Whether there are few enough states for the reference enumeration.
fn is_small(program: &Prepared, model: Model, checks: Checks) -> bool {
    let limits = at_most(6 * 1024);
    let reductions = Reductions::NONE;
    let query = Query { program, model, checks, bounds: None, limits: &limits };
    let engine = States { reductions, shortest: true };
    let found = explore(engine, &query, &mut |_| {}).found;
    !matches!(found.ended, Ended::Exceeded(_)) && !found.buffer_full
}

type Finals = BTreeSet<Vec<Vec<u8>>>;

fn run(engine: States, query: &Query<'_>, observed: &[GlobalId]) -> (Explored, Finals) {
    let mut finals = Finals::new();
    let explored = explore(engine, query, &mut |executor| {
        finals.insert(observed.iter().map(|&id| executor.global(id).to_vec()).collect());
    });
    (explored, finals)
}

/// How many of the models could be compared.
fn check(program: &Prepared, checks: Checks, name: &str) -> [bool; 3] {
    let observed = observed(program);
    Model::ALL.map(|model| {
        if !is_small(program, model, checks) {
            return false;
        }
        let limits = Limits::none();
        let question = Question { program, model, checks, limits: &limits, domain: None, observed: &observed };
        let expected = states::explore(&question);
        if expected.incomplete.is_some() && expected.violation.is_none() {
            return false;
        }
        let limits = Limits::none();
        let all = Reductions::ALL;
        let query = Query { program, model, checks, bounds: None, limits: &limits };
        let variants = [
            ("none", Reductions::NONE, false),
            ("all", all, false),
            ("not live", Reductions { live_only: false, ..all }, false),
            ("not renamed", Reductions { rename: false, ..all }, false),
            ("not collapsed", Reductions { collapse: false, ..all }, false),
            ("not merged", Reductions { merge_stores: false, ..all }, false),
            ("not persistent", Reductions { persistent: false, ..all }, false),
            ("shortest", all, true),
        ];
        for (variant, reductions, shortest) in variants {
            let what = format!("{name} {model} {variant}");
            let limits = at_most(1 << 20);
            let query = Query { limits: &limits, ..query };
            let engine = States { reductions, shortest };
            let (found, finals) = run(engine, &query, &observed);
            if let Some(wanted) = &expected.violation {
                // A thread that allocates for ever has new addresses for ever, which breadth first does not wait for.
                if !reductions.rename && !shortest && matches!(found.found.ended, Ended::Exceeded(_)) {
                    continue;
                }
                let Ended::Violation(violation, schedule) = &found.found.ended else {
                    panic!("{what}: a violation was missed: {wanted:?} {found:?}");
                };
                if shortest {
                    assert_eq!(schedule.steps.len(), wanted.schedule.steps.len(), "{what}: {violation:?} {schedule}");
                }
                let verdict = engine.run(&query, &Reference).unwrap_or_else(|mismatch| panic!("{what}: {mismatch}"));
                assert!(matches!(verdict.outcome, Outcome::Unsafe(_)), "{what}");
                continue;
            }
            assert_eq!(found.found.ended, Ended::Everything, "{what}");
            assert_eq!(found.found.incomplete, None, "{what}");
            assert!(!found.found.buffer_full, "{what}: a buffer was full");
            assert_eq!(finals, expected.finals, "{what}: the final states differ");
            assert!(found.found.counts.states <= expected.states as u64, "{what}: more states than there are");
        }
        true
    })
}

/// The numbers of states and transitions, with every reduction off. The program is one without marks for private objects:
/// the reference machine's states remember who touched those, the engine's do not.
fn check_counts(program: &Prepared, checks: Checks, name: &str) -> [bool; 3] {
    Model::ALL.map(|model| {
        if !is_small(program, model, checks) {
            return false;
        }
        let limits = Limits::none();
        let question = Question { program, model, checks, limits: &limits, domain: None, observed: &[] };
        let expected = states::explore(&question);
        if expected.incomplete.is_some() || expected.violation.is_some() {
            return false;
        }
        let reductions = Reductions::NONE;
        for shortest in [false, true] {
            let query = Query { program, model, checks, bounds: None, limits: &limits };
            let engine = States { reductions, shortest };
            let found = explore(engine, &query, &mut |_| {}).found;
            let counts = (found.counts.states, found.counts.transitions);
            assert_eq!(counts, (expected.states as u64, expected.transitions as u64), "{name} {model} {shortest}");
        }
        true
    })
}

/// Programs whose freed memory is given out again. What is not asked about stops a thread; else most would end soon.
#[test]
fn reused_memory() {
    let (count, first) = (setting("NORN_TEST_PROGRAMS").unwrap_or(60), setting("NORN_TEST_SEED").unwrap_or(0));
    let (mut compared, mut counted) = ([0; 3], [0; 3]);
    for seed in first..first + count {
        let text = norn_testing::programs::reuse::program(&mut Random::new(seed));
        let basic = if seed % 4 == 0 { Basic::All } else { Basic::Assertions };
        let checks = Checks { basic, memory_safety: basic == Basic::All, ..Checks::default() };
        let name = format!("program {seed}");
        let result = checked(&name, &text, |text| check(&Prepared::new(compile_reusing(text)), checks, &name));
        compared.iter_mut().zip(result).for_each(|(sum, one)| *sum += u64::from(one));
        let unmarked = |text: &str| Prepared::without_marks(compile_reusing(text));
        let result = checked(&name, &text, |text| check_counts(&unmarked(text), checks, &name));
        counted.iter_mut().zip(result).for_each(|(sum, one)| *sum += u64::from(one));
    }
    println!("of {count} programs, {compared:?} were compared under SC, TSO, PSO, and {counted:?} counted");
    let enough = compared.iter().all(|&n| 2 * n > count) && counted.iter().all(|&n| 4 * n > count);
    assert!(enough, "most should be comparable: {compared:?} and {counted:?} of {count}");
}

/// `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.
#[test]
fn random_programs() {
    let (count, first) = (setting("NORN_TEST_PROGRAMS").unwrap_or(40), setting("NORN_TEST_SEED").unwrap_or(0));
    let (mut compared, mut counted) = ([0; 3], [0; 3]);
    for seed in first..first + count {
        let text = programs::program(seed);
        let checks = Checks { deadlock: seed % 3 == 0, memory_safety: seed % 2 == 0, ..Checks::default() };
        let name = format!("program {seed}");
        let result = checked(&name, &text, |text| check(&prepare(text), checks, &name));
        compared.iter_mut().zip(result).for_each(|(sum, one)| *sum += u64::from(one));
        let result =
            checked(&name, &text, |text| check_counts(&Prepared::without_marks(compile_unmarked(text)), checks, &name));
        counted.iter_mut().zip(result).for_each(|(sum, one)| *sum += u64::from(one));
    }
    println!("of {count} programs, {compared:?} were compared under SC, TSO, PSO, and {counted:?} counted");
    let enough = compared.iter().all(|&n| 2 * n > count) && counted.iter().all(|&n| 4 * n > count);
    assert!(enough, "most should be comparable: {compared:?} and {counted:?} of {count}");
}
