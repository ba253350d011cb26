//! The sequential programs: processor time of `norn check` on them beside Tables I and II of lazysma-fmcad16 with the
//! parameters given there, and the sizes of the formulas that the two abstractions lead to, beside those of `rounds`.
//!
//! The papers' figures are from another machine and another verifier (CBMC 5.3), and include the prototype's translation of
//! about half a second. Locations and allocated objects are all tracked; the papers track as few as show the bug.

use super::events::{figure, run_and_cpu};
use crate::corpus;
use crate::norn::{Norn, root};
use std::path::{Path, PathBuf};

/// The parameters of a row, and what the paper says.
struct Row {
    set: &'static str,
    file: &'static str,
    unwind: u32,
    nodes: u32,
    bits: u32,
    rounds: u32,
    timestamps: u32,
    /// Seconds of LazySMA under TSO and PSO.
    paper: [f64; 2],
    verdict: &'static str,
}

const fn row(
    (set, file): (&'static str, &'static str),
    [unwind, nodes, bits, rounds, timestamps]: [u32; 5],
    paper: [f64; 2],
    verdict: &'static str,
) -> Row {
    Row { set, file, unwind, nodes, bits, rounds, timestamps, paper, verdict }
}

const TABLE_1: [Row; 8] = [
    row(("tacas15", "dekker.c"), [1, 2, 4, 2, 2], [0.77, 0.75], "unsafe"),
    row(("tacas15", "lamport.c"), [1, 2, 4, 2, 2], [0.88, 0.88], "unsafe"),
    row(("tacas15", "peterson.c"), [1, 3, 4, 2, 2], [0.66, 0.65], "unsafe"),
    row(("tacas15", "szymanski.c"), [1, 3, 4, 2, 3], [0.81, 0.80], "unsafe"),
    row(("svcomp15", "pthread/fib_bench_longer_false-unreach-call.i"), [6, 2, 10, 6, 2], [6.47, 6.51], "unsafe"),
    row(("svcomp15", "pthread/fib_bench_longer_true-unreach-call.i"), [6, 2, 10, 6, 2], [9.78, 8.82], "safe"),
    row(("tacas15", "parker.c"), [1, 2, 4, 2, 3], [1.68, 2.19], "unsafe"),
    row(("tacas15", "stack_unsafe.c"), [2, 2, 5, 2, 2], [1.50, 1.49], "unsafe"),
];

/// SafeStack: timestamps, nodes, rounds, the paper's minutes under TSO and PSO, and its verdict.
const TABLE_2: [(u32, u32, u32, [f64; 2], &str); 11] = [
    (1, 2, 4, [10.3, 11.7], "unsafe"),
    (1, 2, 3, [12.0, 11.3], "safe"),
    (1, 3, 4, [13.8, 21.1], "unsafe"),
    (1, 3, 3, [12.8, 12.3], "safe"),
    (3, 2, 4, [26.9, 20.8], "unsafe"),
    (3, 2, 3, [24.6, 27.3], "safe"),
    (3, 3, 4, [74.4, 31.3], "unsafe"),
    (3, 3, 3, [62.4, 20.1], "unsafe"),
    (3, 3, 2, [12.2, 11.2], "safe"),
    (7, 2, 4, [47.3, 104.6], "unsafe"),
    (7, 2, 3, [35.1, 36.2], "safe"),
];

/// Seconds for a cell of Table II.
const PATIENCE: u32 = 600;
const MODELS: [&str; 2] = ["tso", "pso"];

pub fn run() -> Result<(), String> {
    let corpus = corpus::folder().ok_or("there is no corpus here")?;
    let norn = Norn::build()?;
    translations(&norn, &corpus)?;
    let mut wrong = 0;
    println!(
        "\n{:<44} {:>8} {:>8} {:>12} {:>12}",
        "Table I: norn check on the list", "model", "verdict", "cpu s", "paper s"
    );
    for row in &TABLE_1 {
        for (model, paper) in MODELS.into_iter().zip(row.paper) {
            let (verdict, seconds) = row.check(&norn, &corpus, model)?;
            let mark = if verdict == row.verdict { "" } else { "  WRONG" };
            wrong += usize::from(!mark.is_empty());
            println!("{:<44} {model:>8} {verdict:>8} {seconds:>12.2} {paper:>12.2}{mark}", row.file);
        }
    }
    println!(
        "\n{:<44} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "formulas under tso: variables, clauses", "list", "", "buffer", "", "rounds", ""
    );
    for row in &TABLE_1 {
        let sizes = row.sizes(&norn, &corpus)?;
        let shown = sizes.iter().map(|&size| match size {
            Some((variables, clauses)) => format!(" {variables:>10} {clauses:>10}"),
            None => format!(" {:>10} {:>10}", "too large", ""),
        });
        println!("{:<44}{}", row.file, shown.collect::<String>());
    }
    match wrong {
        0 => Ok(()),
        n => Err(format!("{n} verdicts differ from the paper's")),
    }
}

/// How long translation takes on the clock, for all C files of the corpus: the slowest, and the others together.
fn translations(norn: &Norn, corpus: &Path) -> Result<(), String> {
    const TRIES: usize = 5;
    const SHOWN: usize = 5;
    let output = root().join("target").join("sequentialize-bench.c").display().to_string();
    let mut rows = [corpus::set(corpus, "tacas15")?, corpus::set(corpus, "svcomp15")?].concat();
    rows.extend(corpus::files_ending(&corpus.join("hard"), &["c"])?.iter().map(|path| corpus::Program {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        args: vec![path.display().to_string()],
        ..corpus::Program::default()
    }));
    let mut times = Vec::new();
    for row in &rows {
        for model in ["sc", "tso", "pso"] {
            let mut args = ["sequentialize", "-m", model, "-o", &output].map(str::to_owned).to_vec();
            args.extend_from_slice(&row.args);
            let mut best: Option<f64> = None;
            let tries = if row.file.starts_with("apr") { TRIES } else { 1 };
            for _ in 0..tries {
                let run = norn.run(&args)?;
                let seconds = run.time.as_secs_f64();
                // What cannot be translated says so with 5.
                if run.output.status.code() == Some(0) && best.is_none_or(|best| seconds < best) {
                    best = Some(seconds);
                }
            }
            times.extend(best.map(|best| (best * 1e3, format!("{} {model}", row.name))));
        }
    }
    times.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("translation of {} programs and models: ms on the clock", times.len());
    for (milliseconds, name) in times.iter().take(SHOWN) {
        println!("{name:<64} {milliseconds:>8.1}");
    }
    let rest: f64 = times.iter().skip(SHOWN).map(|(milliseconds, _)| milliseconds).sum();
    println!("{:<64} {:>8.1}", "mean of the others", rest / times.len().saturating_sub(SHOWN).max(1) as f64);
    Ok(())
}

/// Table II, which takes hours.
pub fn safestack() -> Result<(), String> {
    let corpus = corpus::folder().ok_or("there is no corpus here")?;
    let norn = Norn::build()?;
    let file = corpus.join("hard").join("SafeStack_seqcst_forCSEQ_static.c");
    println!(
        "{:<44} {:>8} {:>8} {:>12} {:>12}",
        "Table II: SafeStack (K, N, rounds), 3 bits", "model", "verdict", "cpu min", "paper min"
    );
    let mut wrong = 0;
    for (timestamps, nodes, rounds, paper, expected) in TABLE_2 {
        for (model, paper) in MODELS.into_iter().zip(paper) {
            let options = [
                ("--unwind", 3),
                ("--nodes", nodes),
                ("--timestamps", timestamps),
                ("--rounds", rounds),
                ("--bits", 3),
            ];
            let mut args = vec!["-m".to_owned(), model.to_owned()];
            args.extend(options.iter().flat_map(|(name, value)| [(*name).to_owned(), value.to_string()]));
            args.push(file.display().to_string());
            let written = write(&norn, &args)?;
            let (verdict, seconds) = written.verdict_and_cpu(&norn)?;
            // Lists need fewer nodes here than in the paper: what is safe there for want of nodes need not be.
            let needs_less = expected == "safe" && timestamps > 1 && nodes == 2;
            let is_wrong = verdict != "unknown" && verdict != expected && !needs_less;
            wrong += usize::from(is_wrong);
            let mark = if is_wrong { "  WRONG" } else { "" };
            let cell = format!("{timestamps}, {nodes}, {rounds}");
            println!("{cell:<44} {model:>8} {verdict:>8} {:>12.1} {paper:>12.1}{mark}", seconds / 60.0);
        }
    }
    match wrong {
        0 => Ok(()),
        n => Err(format!("{n} verdicts differ from the paper's")),
    }
}

/// A sequential program, and the bound with which all of it is seen.
struct Written {
    path: PathBuf,
    unwind: String,
    is_32: bool,
}

impl Written {
    /// The verdict on all of it: what holds up to a smaller bound only is none.
    fn verdict_and_cpu(&self, norn: &Norn) -> Result<(String, f64), String> {
        let (verdict, seconds, json) = run_and_cpu(norn, &self.check(PATIENCE))?;
        let is_partial = verdict == "safe" && !json.contains("\"complete\": true");
        Ok((if is_partial { "unknown".to_owned() } else { verdict }, seconds))
    }

    fn check(&self, seconds: u32) -> Vec<String> {
        let mut args =
            ["check", "--no-attack", "-e", "events", "--json", "--unwind", &self.unwind].map(str::to_owned).to_vec();
        args.extend(["--timeout".to_owned(), seconds.to_string()]);
        args.extend(self.is_32.then(|| "--32".to_owned()));
        args.push(self.path.display().to_string());
        args
    }
}

fn write(norn: &Norn, options: &[String]) -> Result<Written, String> {
    let path = root().join("target").join("sequentialize-bench.c");
    let mut args = ["sequentialize", "--for", "norn", "-o"].map(str::to_owned).to_vec();
    args.push(path.display().to_string());
    args.extend_from_slice(options);
    let run = norn.run(&args)?;
    if run.output.status.code() != Some(0) {
        return Err(format!("norn {}: {}", args.join(" "), run.summary()));
    }
    let text = std::fs::read_to_string(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    // The head of the file says how to run it.
    let mut words = text.split_whitespace().skip_while(|word| *word != "--unwind");
    let unwind = words.nth(1).ok_or("the head should say with what bound to check it")?.to_owned();
    Ok(Written { path, unwind, is_32: options.iter().any(|option| option == "--32") })
}

impl Row {
    /// Options that name the program, the model and the bounds.
    fn options(&self, corpus: &Path, model: &str) -> Result<Vec<String>, String> {
        let programs = corpus::set(corpus, self.set)?;
        let program = programs.iter().find(|p| p.name == self.file);
        let program = program.ok_or_else(|| format!("{} should have {}", self.set, self.file))?;
        let mut args = vec!["-m".to_owned(), model.to_owned(), "--unwind".to_owned(), self.unwind.to_string()];
        args.extend(["--rounds".to_owned(), self.rounds.to_string()]);
        args.extend_from_slice(&program.args);
        Ok(args)
    }

    fn list(&self) -> Vec<String> {
        let options = [("--nodes", self.nodes), ("--timestamps", self.timestamps), ("--bits", self.bits)];
        options.iter().flat_map(|(name, value)| [(*name).to_owned(), value.to_string()]).collect()
    }

    fn check(&self, norn: &Norn, corpus: &Path, model: &str) -> Result<(String, f64), String> {
        let written = write(norn, &[self.list(), self.options(corpus, model)?].concat())?;
        written.verdict_and_cpu(norn)
    }

    /// Variables and clauses of the list, the buffers and the engine `rounds`; nothing where a formula is not even built.
    fn sizes(&self, norn: &Norn, corpus: &Path) -> Result<[Option<(f64, f64)>; 3], String> {
        const SECONDS: u32 = 20;
        let options = self.options(corpus, "tso")?;
        let size = |args: Vec<String>| -> Result<Option<(f64, f64)>, String> {
            let run = norn.run(&[args, vec!["--stats".to_owned()]].concat())?;
            let text = String::from_utf8_lossy(&run.output.stderr).into_owned();
            Ok(figure(&text, "variables").ok().zip(figure(&text, "clauses").ok()))
        };
        let list = size(write(norn, &[self.list(), options.clone()].concat())?.check(SECONDS))?;
        let buffer = vec!["--sma".to_owned(), "buffer".to_owned(), "--nodes".to_owned(), self.nodes.to_string()];
        let buffer = size(write(norn, &[buffer, options.clone()].concat())?.check(SECONDS))?;
        let rounds = ["check", "--no-attack", "-e", "rounds", "--json", "--timeout", "20"].map(str::to_owned).to_vec();
        Ok([list, buffer, size([rounds, options].concat())?])
    }
}
