//! Benchmarks: one line per claim, so that two runs can be compared.

mod auto;
mod events;
mod explain;
mod growth;
mod repair;
mod rounds;
mod sequentialize;

use crate::corpus;
use crate::executions;
use crate::norn::{Norn, root};
use std::fmt::Write;
use std::fs;
use std::time::Duration;

pub fn run() -> Result<(), String> {
    let norn = Norn::build()?;
    println!("{:<44} {:>8} {:>12} {:>12}", "front end, whole process", "runs", "mean ms", "limit ms");
    let mut missed = 0;
    if let Some(corpus) = corpus::folder() {
        let svcomp = corpus::set(&corpus, "svcomp15")?;
        let args = svcomp.iter().map(|p| p.args.clone()).collect::<Vec<_>>();
        missed += line(&norn, "svcomp15, mean per file", &args, 1, 5.0)?;
        let apr = corpus::set(&corpus, "tacas15")?.into_iter().find(|p| p.name == "apr_1.c");
        if let Some(apr) = apr {
            missed += line(&norn, "tacas15/apr_1.c", &[apr.args], 10, 100.0)?;
        }
    }
    for lines in [25_000, 50_000, 100_000] {
        let file = root().join("target").join(format!("generated-{lines}.c"));
        fs::write(&file, generated(lines)).map_err(|e| format!("cannot write {}: {e}", file.display()))?;
        let args = vec![file.display().to_string()];
        missed += line(&norn, &format!("generated file of {lines} lines"), &[args], 3, 2000.0 * lines as f64 / 1e5)?;
    }
    if let Some(corpus) = corpus::folder() {
        missed += events::run(&norn, &corpus)?;
    }
    missed += rounds::run(&norn, corpus::folder().as_deref())?;
    missed += repair::run(&norn, corpus::folder().as_deref())?;
    said(missed)
}

/// Only the claims about the engine `rounds`.
pub fn rounds() -> Result<(), String> {
    said(rounds::run(&Norn::build()?, corpus::folder().as_deref())?)
}

fn said(missed: usize) -> Result<(), String> {
    match missed {
        0 => Ok(()),
        n => Err(format!("{n} limits missed")),
    }
}

/// Only `auto` beside single engines: the rows that are named so.
pub fn auto(only: &str) -> Result<(), String> {
    said(auto::run(&Norn::build()?, corpus::folder().as_deref(), only)?)
}

/// Only the lengths of stories.
pub fn explain() -> Result<(), String> {
    said(explain::run(&Norn::build()?, corpus::folder().as_deref())?)
}

/// Only what is claimed about repairs.
pub fn repair() -> Result<(), String> {
    said(repair::run(&Norn::build()?, corpus::folder().as_deref())?)
}

/// Only what is claimed about the engine `events`.
pub fn events() -> Result<(), String> {
    let corpus = corpus::folder().ok_or("there is no corpus here")?;
    match events::run(&Norn::build()?, &corpus)? {
        0 => Ok(()),
        n => Err(format!("{n} limits missed")),
    }
}

/// Executions, time and memory of the stateless engine.
pub fn executions() -> Result<(), String> {
    let corpus = corpus::folder().ok_or("there is no corpus here")?;
    executions::run(&Norn::build()?, &corpus)
}

/// The sequential programs beside the tables of the paper; SafeStack apart, since it takes hours.
pub fn sequentialize() -> Result<(), String> {
    sequentialize::run()
}

pub fn safestack() -> Result<(), String> {
    sequentialize::safestack()
}

/// Runs `norn ir` on each program `times` times and prints the mean; 1 if the limit is missed.
fn line(norn: &Norn, what: &str, programs: &[Vec<String>], times: usize, limit: f64) -> Result<usize, String> {
    let mut total = Duration::ZERO;
    for args in programs {
        let args = [vec!["ir".to_owned()], args.clone()].concat();
        for _ in 0..times {
            let run = norn.run(&args)?;
            if run.output.status.code() != Some(0) {
                return Err(format!("norn {}: {}", args.join(" "), run.summary()));
            }
            total += run.time;
        }
    }
    let runs = programs.len() * times;
    let mean = total.as_secs_f64() * 1e3 / runs as f64;
    println!("{what:<44} {runs:>8} {mean:>12.2} {limit:>12.2}{}", if mean > limit { "  MISSED" } else { "" });
    Ok(usize::from(mean > limit))
}

/// A program of about that many lines: many functions with loops, structs and shared variables, each called once.
fn generated(lines: usize) -> String {
    const LINES_PER_FUNCTION: usize = 20;
    let mut text = String::from("#include <pthread.h>\n#include <assert.h>\nstruct pair { int a; long b[4]; };\n");
    let functions = lines / LINES_PER_FUNCTION;
    for i in 0..functions {
        let _ = write!(
            text,
            "static struct pair shared_{i};\n\
             static int work_{i}(int n, struct pair *p)\n\
             {{\n    int sum = 0;\n    for (int k = 0; k < n; k++) {{\n        if (k % 3 == 0)\n            sum += p->a;\n        \
             else\n            p->b[k & 3] = sum - k;\n    }}\n    switch (sum & 3) {{\n    case 0: shared_{i}.a++; break;\n    \
             case 1: shared_{i}.b[1] += n; break;\n    default: shared_{i}.b[2] = sum;\n    }}\n    \
             assert(sum >= 0 || n < 0);\n    return sum + shared_{i}.a;\n}}\n\n"
        );
    }
    text.push_str("int main(void)\n{\n    struct pair p = { 1, { 2, 3 } };\n    int sum = 0;\n");
    for i in 0..functions {
        let _ = writeln!(text, "    sum += work_{i}({}, &p);", i % 7);
    }
    text.push_str("    return sum == 0;\n}\n");
    text
}
