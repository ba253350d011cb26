//! The engine `rounds`: Table I of lazysma-fmcad16 with the paper's bounds and its times beside ours, the growth of the
//! formula with the number of rounds, and SafeStack.

use super::events::verdict_and_cpu;
use super::growth;
use crate::corpus;
use crate::norn::{Norn, root};
use std::path::Path;

/// A row of the paper's table: unwinding and rounds, the verdict, seconds of LazySMA, CBMC and Nidhugg under TSO and PSO (none:
/// out of time), and the most milliseconds of processor time that it may take here.
struct Row {
    name: &'static str,
    unwind: u32,
    rounds: u32,
    verdict: &'static str,
    tso: [Option<f64>; 3],
    pso: [Option<f64>; 3],
    limit: f64,
}

const fn row(
    name: &'static str,
    bounds: (u32, u32),
    verdict: &'static str,
    tso: [Option<f64>; 3],
    pso: [Option<f64>; 3],
    limit: f64,
) -> Row {
    Row { name, unwind: bounds.0, rounds: bounds.1, verdict, tso, pso, limit }
}

const fn took(lazysma: f64, cbmc: f64, nidhugg: f64) -> [Option<f64>; 3] {
    [Some(lazysma), Some(cbmc), Some(nidhugg)]
}

const TABLE: [Row; 8] = [
    row("dekker", (1, 2), "unsafe", took(0.77, 0.29, 0.04), took(0.75, 0.25, 0.05), 50.0),
    row("lamport", (1, 2), "unsafe", took(0.88, 0.31, 0.05), took(0.88, 0.29, 0.05), 50.0),
    row("peterson", (1, 2), "unsafe", took(0.66, 0.26, 0.04), took(0.65, 0.25, 0.04), 50.0),
    row("szymanski", (1, 2), "unsafe", took(0.81, 0.34, 0.07), took(0.80, 0.32, 0.04), 50.0),
    row("fib_longer_unsafe", (6, 6), "unsafe", took(6.47, 8.19, 94.84), took(6.51, 1.69, 135.45), 5000.0),
    row("fib_longer_safe", (6, 6), "safe", [Some(9.78), Some(22.5), None], [Some(8.82), Some(31.8), None], 5000.0),
    row("parker", (1, 2), "unsafe", took(1.68, 0.31, 0.05), took(2.19, 0.28, 0.05), 50.0),
    row("stack_unsafe", (2, 2), "unsafe", took(1.50, 0.41, 0.05), took(1.49, 0.35, 0.05), 50.0),
];

pub fn run(norn: &Norn, corpus: Option<&Path>) -> Result<usize, String> {
    println!(
        "\n{:<28}{:>5}{:>7}{:>8}{:>6}{:>10}{:>10}{:>12}{:>9}{:>11}",
        "lazysma-fmcad16, Table I",
        "model",
        "unwind",
        "rounds",
        "",
        "cpu ms",
        "limit ms",
        "LazySMA s",
        "CBMC s",
        "Nidhugg s"
    );
    let mut missed = 0;
    for row in &TABLE {
        for (name, args) in sources(row.name, corpus) {
            for (model, paper) in [("tso", row.tso), ("pso", row.pso)] {
                missed += line(norn, row, &name, &args, model, paper)?;
            }
        }
    }
    if let Some(corpus) = corpus {
        litmus(norn, corpus)?;
    }
    println!();
    growth::print();
    if let Some(corpus) = corpus {
        missed += safe_stack(norn, corpus)?;
    }
    Ok(missed)
}

/// The programs for a row: those of the corpus, if it is here, and our own.
fn sources(name: &str, corpus: Option<&Path>) -> Vec<(String, Vec<String>)> {
    let path = |path: std::path::PathBuf| path.display().to_string();
    if let Some(kind) = name.strip_prefix("fib_longer_") {
        let program = path(root().join("crates/rounds/benches/programs/fibonacci.c"));
        // The largest value that can be reached is 377.
        let limit = if kind == "safe" { 378 } else { 377 };
        return vec![(name.to_owned(), vec![format!("-DLIMIT={limit}"), program])];
    }
    let mut found = Vec::new();
    if let Some(corpus) = corpus {
        found.push((format!("{name}, tacas15"), vec![path(corpus.join("tacas15").join(format!("{name}.c")))]));
    }
    let ours = root().join("examples").join(format!("{name}.c"));
    if ours.is_file() {
        found.push((format!("{name}, examples"), vec![path(ours)]));
    }
    found
}

fn line(
    norn: &Norn,
    row: &Row,
    name: &str,
    program: &[String],
    model: &str,
    paper: [Option<f64>; 3],
) -> Result<usize, String> {
    let bounds = ["--unwind".to_owned(), row.unwind.to_string(), "--rounds".to_owned(), row.rounds.to_string()];
    let args = [&check_args("rounds", model), &bounds[..], program].concat();
    // The clock of the system is coarse.
    let runs = if row.limit < 1000.0 { 5 } else { 1 };
    let (verdict, cpu) = mean(norn, &args, runs)?;
    let is_missed = verdict != row.verdict || cpu > row.limit;
    let [lazysma, cbmc, nidhugg] = paper.map(|time| time.map_or("t.o.".to_owned(), |time| format!("{time:.2}")));
    println!(
        "{name:<28}{model:>5}{:>7}{:>8}{verdict:>8}{cpu:>8.1}{:>10.1}{lazysma:>12}{cbmc:>9}{nidhugg:>11}{}",
        row.unwind,
        row.rounds,
        row.limit,
        mark(is_missed)
    );
    Ok(usize::from(is_missed))
}

/// The last two rows of the table: the means over litmus tests, here of every eighth, without bounds. The paper's are over
/// 5,803 tests with 2 rounds.
fn litmus(norn: &Norn, corpus: &Path) -> Result<(), String> {
    let folder = corpus.join("litmus-ppc");
    let table = folder.join("expected.tsv");
    let text = std::fs::read_to_string(&table).map_err(|e| format!("cannot read {}: {e}", table.display()))?;
    let paper = [
        ("tso", 2, "Forbid", "safe", "1.26     0.17       2.35"),
        ("tso", 2, "Allow", "unsafe", "1.27     0.16       3.86"),
        ("pso", 3, "Forbid", "safe", "1.22     0.15       6.65"),
        ("pso", 3, "Allow", "unsafe", "1.26     0.12       1.58"),
    ];
    for (model, column, answer, verdict, times) in paper {
        let rows = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let is_one = |row: &Vec<&str>| row.get(column) == Some(&answer);
        let tests: Vec<String> = rows.filter(is_one).step_by(8).map(|row| row[0].to_owned()).collect();
        let files = tests.iter().map(|test| folder.join(format!("{test}.litmus")).display().to_string());
        let args =
            ["litmus", "-e", "rounds", "-m", model].map(str::to_owned).into_iter().chain(files).collect::<Vec<_>>();
        let (_, cpu) = mean(norn, &args, 1)?;
        let name = format!("litmus, mean of {}", tests.len());
        println!("{name:<28}{model:>5}{:>23}{:>8.1}{:>42}", verdict, cpu / tests.len().max(1) as f64, times);
    }
    Ok(())
}

/// The bug that needs four rounds: with the bounds that show it, and without any hint.
fn safe_stack(norn: &Norn, corpus: &Path) -> Result<usize, String> {
    let programs = corpus::files(corpus, "hard")?;
    let program = programs.into_iter().find(|p| p.file.starts_with("SafeStack")).ok_or("hard should have SafeStack")?;
    println!("\n{:<44} {:>8} {:>12} {:>12}", "SafeStack, whole process", "verdict", "cpu ms", "limit ms");
    let hints: &[&str] = &["--unwind", "3", "--rounds", "4"];
    let cases = [
        ("rounds", "sc", hints, 20e3),
        ("rounds", "tso", hints, 30e3),
        ("rounds", "pso", hints, 30e3),
        ("rounds", "tso", &[], 60e3),
        ("auto", "tso", &[], 60e3),
    ];
    let mut missed = 0;
    for (engine, model, bounds, limit) in cases {
        let bounds: Vec<String> = bounds.iter().map(|&word| word.to_owned()).collect();
        let timeout = ["--timeout".to_owned(), "600".to_owned()];
        let args = [&check_args(engine, model), &timeout[..], &bounds, &program.args].concat();
        let (verdict, cpu) = mean(norn, &args, 1)?;
        let is_missed = verdict != "unsafe" || cpu > limit;
        missed += usize::from(is_missed);
        let what = format!("{engine} {model} {}", bounds.join(" "));
        println!("{what:<44} {verdict:>8} {cpu:>12.1} {limit:>12.1}{}", mark(is_missed));
    }
    Ok(missed)
}

/// The verdict, and the mean of the milliseconds that it took.
fn mean(norn: &Norn, args: &[String], runs: u32) -> Result<(String, f64), String> {
    let (mut verdict, mut total) = (String::new(), 0.0);
    for _ in 0..runs {
        let (said, seconds) = verdict_and_cpu(norn, args)?;
        verdict = said;
        total += seconds;
    }
    Ok((verdict, total * 1e3 / f64::from(runs)))
}

fn check_args(engine: &str, model: &str) -> Vec<String> {
    ["check", "--no-attack", "-e", engine, "--json", "-m", model].map(str::to_owned).to_vec()
}

fn mark(is_missed: bool) -> &'static str {
    if is_missed { "  MISSED" } else { "" }
}
