//! The stateless engine on every row of `tacas15`: executions, time and memory, as a table that can be compared with the
//! last one.
//!
//! The processor time is that of the search alone, the time that of the whole process: the best of a few runs, since
//! other work on the machine only ever adds to it.

use crate::corpus::{self, Program};
use crate::norn::Norn;
use norn_c::driver::{self, Input};
use norn_c::session::{MacroOption, Options};
use norn_engine::{Engine, Prepared, Query};
use norn_machine::Reference;
use norn_passes::unwind::Bounds;
use norn_stateless::Stateless;
use norn_verdict::limits::{Limits, resident_bytes};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use std::fs;
use std::path::Path;
use std::time::Instant;

const SECONDS: f64 = 60.0;
const RUNS: usize = 3;

pub fn run(norn: &Norn, corpus: &Path) -> Result<(), String> {
    println!(
        "\n{:<40} {:>5} {:>8} {:>12} {:>10} {:>10} {:>12} {:>8}",
        "stateless on tacas15", "model", "verdict", "executions", "blocked", "ms", "per CPU s", "MB"
    );
    for program in corpus::set(corpus, "tacas15")? {
        for model in Model::ALL {
            println!("{}", row(norn, &program, model)?);
        }
    }
    Ok(())
}

fn row(norn: &Norn, row: &Program, model: Model) -> Result<String, String> {
    let (file, options) = row.args.split_last().ok_or("a row should name a file")?;
    let macros = options.iter().filter_map(|option| option.strip_prefix("-D"));
    let macros = macros.map(|name| MacroOption::Define(name.to_owned())).collect();
    let compiled = driver::compile(Options { macros, ..Options::default() }, None, vec![Input::File(file.into())]);
    let program = Prepared::new(compiled.program.ok_or_else(|| format!("{} does not compile", row.name))?);
    let bound = row.unwind.as_deref().and_then(|bound| bound.parse().ok());
    let bounds = bound.map(|default| Bounds { default, ..Bounds::default() });
    let limits = Limits::for_seconds(SECONDS);
    let (program, checks) = (&program, Checks::default());
    let query = Query { program, model, checks, bounds: bounds.as_ref(), limits: &limits };
    let start = processor_seconds();
    let found = Stateless.run(&query, &Reference).map_err(|mismatch| format!("{}: {mismatch}", row.name))?;
    let seconds = processor_seconds() - start;
    let answer = match found.outcome {
        Outcome::Safe { .. } => "safe",
        Outcome::Unsafe(_) => "unsafe",
        Outcome::Limited { .. } | Outcome::Unknown(_) => "unknown",
    };
    let mut args = ["check", "--no-attack", "-e", "stateless", "-m", model.name()].map(str::to_owned).to_vec();
    args.extend(["--timeout".to_owned(), format!("{SECONDS:.0}")]);
    args.extend(row.unwind.iter().flat_map(|bound| ["--unwind".to_owned(), bound.clone()]));
    args.extend_from_slice(&row.args);
    // A run that took long is not repeated.
    let mut best = norn.run(&args)?.time.as_secs_f64();
    for _ in 1..if best < 1.0 { RUNS } else { 1 } {
        best = best.min(norn.run(&args)?.time.as_secs_f64());
    }
    let (executions, blocked) = (found.stats.0["executions"], found.stats.0["blocked"]);
    let rate = (executions + blocked) / seconds.max(1e-6);
    let memory = resident_bytes().unwrap_or(0) >> 20;
    Ok(format!(
        "{:<40} {model:>5} {answer:>8} {executions:>12.0} {blocked:>10.0} {:>10.1} {rate:>12.0} {memory:>8}",
        row.name,
        best * 1e3
    ))
}

/// Processor time of this thread, where the system tells it; else the time of day.
fn processor_seconds() -> f64 {
    thread_local!(static START: Instant = Instant::now());
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.with(|start| start.elapsed().as_secs_f64()), |n| n * 1e-9)
}
