//! The engines that explore agree with the enumerator on each litmus test. `stateless` explores each trace once: as many executions as
//! the enumerator counts, the same final states, and a test is robust if and only if it has as many traces as under SC. `states` has
//! the same final states and, without reductions, as many states.

use super::Extent;
use crate::corpus;
use norn_engine::{Prepared, Query};
use norn_ir::instr::InstrKind;
use norn_ir::source::SourceMap;
use norn_machine::Reference;
use norn_machine::enumerate::{Question, states, traces};
use norn_stateless::{explore, robustness};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use norn_verdict::robustness::Robustness;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

pub fn run(corpus: &Path, extent: Extent) -> Result<usize, String> {
    let mut failures = 0;
    for set in ["litmus-ppc", "litmus-x86"] {
        let start = Instant::now();
        let files = extent.of(corpus::files_ending(&corpus.join(set), &["litmus"])?);
        let count = files.len();
        let waiting = Mutex::new(files.into_iter());
        let work = || {
            let (mut executions, mut wrong) = (0, Vec::new());
            loop {
                let next = waiting.lock().expect("no worker should panic").next();
                let Some(file) = next else { return (executions, wrong) };
                match check(&file) {
                    Ok(count) => executions += count,
                    Err(message) => wrong.push(format!("{}: {message}", file.display())),
                }
            }
        };
        let (executions, wrong) = std::thread::scope(|scope| {
            let workers = [scope.spawn(work), scope.spawn(work)];
            let results = workers.map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            let [(a, mut wrong), (b, others)] = results;
            wrong.extend(others);
            wrong.sort();
            (a + b, wrong)
        });
        println!(
            "traces of {set}: {count} tests under three models, {executions} executions, {} different; {:.1} s",
            wrong.len(),
            start.elapsed().as_secs_f64()
        );
        wrong.iter().for_each(|message| println!("FAILED  {message}"));
        failures += wrong.len();
    }
    Ok(failures)
}

/// The number of executions under all models, or what is different.
fn check(path: &PathBuf) -> Result<u64, String> {
    let text = fs::read(path).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let parsed = norn_litmus::parse(&mut SourceMap::new(), &path.display().to_string(), text);
    let mut test = parsed.map_err(|_| "it is not read as a test".to_owned())?;
    for block in test.program.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        block.instrs.retain(|instr| !matches!(instr.kind, InstrKind::Assert { .. }));
    }
    states_agree(&test)?;
    let prepared = Prepared::new(test.program.clone());
    let (program, checks) = (&prepared, Checks::default());
    let observed = test.observed.iter().map(|observed| observed.global).collect::<Vec<_>>();
    let mut executions = 0;
    let mut under_sc = 0;
    for model in Model::ALL {
        let limits = Limits::for_seconds(60.0);
        let question = Question { program, model, checks, limits: &limits, domain: None, observed: &observed };
        let (counted, states) = (traces::count(&question), states::explore(&question));
        let query = Query { program, model, checks, bounds: None, limits: &limits };
        let mut finals = BTreeSet::new();
        let found = explore(&query, &mut |executor| {
            finals.insert(observed.iter().map(|&id| executor.global(id).to_vec()).collect::<Vec<_>>());
        });
        let incomplete = [&counted.incomplete, &states.incomplete].into_iter().flatten().next();
        if let Some(incomplete) = incomplete {
            return Err(format!("{model}: the enumerator gave up: {}", incomplete));
        }
        let numbers = (found.counts.complete, found.counts.blocked, found.counts.redundant);
        if numbers != (counted.complete as u64, counted.blocked as u64, 0) {
            return Err(format!("{model}: {:?}, not {} and {}", found.counts, counted.complete, counted.blocked));
        }
        if finals != states.finals {
            return Err(format!("{model}: the final states differ"));
        }
        executions += found.counts.executions();
        if model == Model::Sc {
            under_sc = found.counts.executions();
            continue;
        }
        let robust = match robustness(&query, &Reference).map_err(|mismatch| format!("{model}: {mismatch}"))?.outcome {
            Robustness::Robust { .. } => true,
            Robustness::NotRobust(_) => false,
            Robustness::Unknown(reason) => return Err(format!("{model}: {reason}")),
        };
        if robust != (found.counts.executions() == under_sc) {
            return Err(format!("{model}: robust is {robust}, with {under_sc} traces under sc: {:?}", found.counts));
        }
    }
    Ok(executions)
}

/// The engine `states` has the enumerator's final states, with all reductions; without any it has as many states and
/// transitions. Nothing is marked private: the machine's states remember who touched such objects.
fn states_agree(test: &norn_litmus::Test) -> Result<(), String> {
    let (program, checks) = (&Prepared::without_marks(test.program.clone()), Checks::default());
    let observed = test.observed.iter().map(|observed| observed.global).collect::<Vec<_>>();
    for model in Model::ALL {
        let limits = Limits::for_seconds(60.0);
        let question = Question { program, model, checks, limits: &limits, domain: None, observed: &observed };
        let query = Query { program, model, checks, bounds: None, limits: &limits };
        let expected = states::explore(&question);
        for reductions in [norn_states::Reductions::ALL, norn_states::Reductions::NONE] {
            let engine = norn_states::States { reductions, shortest: false };
            let mut finals = BTreeSet::new();
            let found = norn_states::explore(engine, &query, &mut |executor| {
                finals.insert(observed.iter().map(|&id| executor.global(id).to_vec()).collect::<Vec<_>>());
            });
            if finals != expected.finals {
                return Err(format!("{model}: the final states of 'states' differ"));
            }
            let counts = (found.found.counts.states, found.found.counts.transitions);
            let all = (expected.states as u64, expected.transitions as u64);
            if reductions == norn_states::Reductions::NONE && counts != all {
                return Err(format!("{model}: 'states' counts {counts:?} states and transitions, not {all:?}"));
            }
        }
    }
    Ok(())
}
