//! The corpus of programs with known verdicts, where there is one (`NORN_CORPUS`): programs with loops are decided
//! without any bound, and nothing gets a wrong verdict.
//!
//! Ignored unless asked for, because it takes a while:
//! `NORN_CORPUS=… cargo test --release -p norn-states --test corpus -- --ignored --nocapture`.

#![allow(clippy::print_stdout, reason = "a table for whoever asked for it")]

use norn_c::driver::{self, Input};
use norn_c::session::{MacroOption, Options, Target};
use norn_ir::program::Program;
use norn_states::{Reductions, Task, verdict};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome, Verdict};
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    std::env::var_os("NORN_CORPUS").map(PathBuf::from)
}

/// What this thread has had of the processor.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|first| first.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

fn compile(path: &Path, define: Option<&str>, target: Option<Target>) -> Program {
    let macros = define.map(|name| MacroOption::Define(name.to_owned())).into_iter().collect();
    let options = Options { macros, ..Options::default() };
    let compiled = driver::compile(options, target, vec![Input::File(path.to_owned())]);
    let mut program = compiled.program.unwrap_or_else(|| panic!("{}: {:?}", path.display(), compiled.diagnostics));
    norn_passes::escape::mark_private(&mut program);
    program
}

fn check(program: &Program, model: Model, seconds: f64) -> (Verdict, f64) {
    let limits = Limits { memory: Some(4 << 30), ..Limits::for_seconds(seconds) };
    let (checks, reductions) = (Checks::default(), Reductions::ALL);
    let task = Task { program, model, checks, bounds: None, limits: &limits, reductions, shortest: false };
    let start = processor_seconds();
    let verdict = verdict(&task).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    (verdict, processor_seconds() - start)
}

/// Prints a line; whether the verdict is the known one and holds for all executions.
fn is_right(name: &str, expected: &str, (verdict, seconds): &(Verdict, f64)) -> bool {
    let states = verdict.stats.0.get("states").copied().unwrap_or(0.0);
    let (found, reason) = match &verdict.outcome {
        Outcome::Safe { .. } if verdict.outcome.is_complete() => ("safe", ""),
        Outcome::Safe { .. } => ("safe up to a bound", ""),
        Outcome::Unsafe(_) => ("unsafe", ""),
        Outcome::Unknown { reason, .. } => ("unknown", reason.as_str()),
    };
    println!("{name:<70} {} {found:<8} {states:>9.0} {seconds:>8.3} s {reason}", verdict.model);
    assert!(found == expected || found == "unknown" || found.starts_with(expected), "{name}: not {expected}, {found}");
    found == expected
}

fn rows(folder: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(folder.join("expected.tsv")).expect("there should be a table");
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

#[test]
#[ignore = "needs the corpus"]
fn small_programs_of_tacas15_are_decided_without_bounds() {
    let Some(folder) = corpus().map(|corpus| corpus.join("tacas15")) else { return };
    for row in rows(&folder).iter().filter(|row| !row[0].starts_with("apr_")) {
        let define = Some(row[1].as_str()).filter(|define| *define != "-");
        let program = compile(&folder.join(&row[0]), define, None);
        for (model, expected) in Model::ALL.into_iter().zip(&row[3..]) {
            let name = format!("{} {}", row[0], define.unwrap_or_default());
            let found = check(&program, model, 600.0);
            assert!(is_right(&name, expected, &found), "{name} {model} should be decided");
            assert!(found.1 < 2.0 || cfg!(debug_assertions), "{name} {model} took {:.2} s", found.1);
        }
    }
}

#[test]
#[ignore = "needs the corpus"]
fn the_bug_of_safe_stack_is_found_without_bounds() {
    let Some(folder) = corpus().map(|corpus| corpus.join("hard")) else { return };
    let program = compile(&folder.join("SafeStack_seqcst_forCSEQ_static.c"), None, None);
    for (model, most) in Model::ALL.into_iter().zip([2.0, 10.0, 10.0]) {
        let found = check(&program, model, 600.0);
        assert!(is_right("SafeStack", "unsafe", &found), "{model}");
        assert!(found.1 < most || cfg!(debug_assertions), "{model} took {:.2} s", found.1);
    }
}

/// Most of these have inputs of any value or create threads for ever; none may get a wrong verdict.
#[test]
#[ignore = "needs the corpus"]
fn finite_tasks_of_svcomp15_are_decided_for_good() {
    let Some(folder) = corpus().map(|corpus| corpus.join("svcomp15")) else { return };
    let seconds = std::env::var("NORN_TEST_SECONDS").ok().and_then(|n| n.parse().ok()).unwrap_or(20.0);
    let (mut decided, mut all) = (0, 0);
    for row in rows(&folder).iter().filter(|row| !row[0].contains("wmm")) {
        let program = compile(&folder.join(&row[0]), None, Some(Target::Ilp32));
        all += 1;
        decided += u32::from(is_right(&row[0], &row[1], &check(&program, Model::Sc, seconds)));
    }
    println!("{decided} of {all} tasks decided");
    assert!(decided >= 19);
}
