//! The engine `events`: processor time of whole runs, and the size of its formulas beside those of the paper's encoding.

use crate::corpus::{self, Program};
use crate::norn::Norn;
use std::path::Path;

/// A row of the table.
struct Claim {
    file: &'static str,
    define: Option<&'static str>,
    model: &'static str,
    verdict: &'static str,
    /// The most milliseconds it may take.
    limit: f64,
    /// Seconds that others need, as far as they were measured: Deagle 4.1, and Walcyrie as its artefact says.
    deagle: &'static str,
    walcyrie: &'static str,
}

const fn claim(
    (file, define): (&'static str, Option<&'static str>),
    (model, verdict, limit): (&'static str, &'static str, f64),
    (deagle, walcyrie): (&'static str, &'static str),
) -> Claim {
    Claim { file, define, model, verdict, limit, deagle, walcyrie }
}

const TSO_FENCES: Option<&str> = Some("ENABLE_TSO_FENCES");
const PSO_FENCES: Option<&str> = Some("ENABLE_PSO_FENCES");

const CLAIMS: [Claim; 12] = [
    claim(("dekker.c", None), ("tso", "unsafe", 30.0), ("0.18", "1.7")),
    claim(("dekker.c", TSO_FENCES), ("tso", "safe", 30.0), ("0.18", "1.7")),
    claim(("dekker.c", PSO_FENCES), ("pso", "safe", 100.0), ("0.59", "-")),
    claim(("peterson.c", TSO_FENCES), ("tso", "safe", 20.0), ("0.14", "0.3")),
    claim(("lamport.c", TSO_FENCES), ("tso", "safe", 50.0), ("0.46", "6.7")),
    claim(("lamport.c", PSO_FENCES), ("pso", "safe", 300.0), ("2.8", "-")),
    claim(("parker.c", None), ("tso", "unsafe", 300.0), ("2.1 (safe)", "55 (safe)")),
    claim(("parker.c", None), ("pso", "unsafe", 300.0), ("4.8 (safe)", "-")),
    claim(("fib_bench_true.c", None), ("sc", "safe", 400.0), ("0.44", "2.0")),
    claim(("fib_bench_true.c", None), ("tso", "safe", 400.0), ("0.43", "-")),
    claim(("stack_safe.c", None), ("sc", "safe", 1000.0), ("1.5", "-")),
    claim(("stack_unsafe.c", None), ("tso", "unsafe", 1000.0), ("-", "-")),
];

/// Programs whose formulas are compared, all under TSO.
const SIZES: [(&str, &str); 4] = [
    ("tacas15", "peterson.c"),
    ("tacas15", "dekker.c"),
    ("svcomp15", "pthread/fib_bench_longer_true-unreach-call.i"),
    ("tacas15", "stack_safe.c"),
];

pub fn run(norn: &Norn, corpus: &Path) -> Result<usize, String> {
    let mut missed = 0;
    let tacas = corpus::set(corpus, "tacas15")?;
    println!(
        "\n{:<44} {:>8} {:>12} {:>12}   {:<12} {:<12}",
        "events, whole process", "verdict", "cpu ms", "limit ms", "deagle s", "walcyrie s"
    );
    for Claim { file, define, model, verdict, limit, deagle, walcyrie } in CLAIMS {
        let name = define.map_or_else(|| file.to_owned(), |d| format!("{file} -D{d}"));
        let program = tacas.iter().find(|p| p.name == name).ok_or_else(|| format!("tacas15 should have {name}"))?;
        let mut args = check_args(model, program.unwind.as_deref());
        args.extend_from_slice(&program.args);
        // The clock of the system is coarse.
        const RUNS: u32 = 5;
        let (mut found, mut seconds) = (String::new(), 0.0);
        for _ in 0..RUNS {
            let (verdict, time) = verdict_and_cpu(norn, &args)?;
            found = verdict;
            seconds += time / f64::from(RUNS);
        }
        let is_missed = found != verdict || seconds * 1e3 > limit;
        missed += usize::from(is_missed);
        let mark = if is_missed { "  MISSED" } else { "" };
        let row = format!("{name} {model}");
        let milliseconds = seconds * 1e3;
        println!("{row:<44} {found:>8} {milliseconds:>12.1} {limit:>12.1}   {deagle:<12} {walcyrie:<12}{mark}");
    }
    missed += wmm(norn, corpus)?;
    missed += sizes(norn, corpus)?;
    Ok(missed)
}

/// The mean over the tasks that are litmus tests coded into C.
fn wmm(norn: &Norn, corpus: &Path) -> Result<usize, String> {
    const LIMIT: f64 = 500.0;
    let set = corpus::set(corpus, "svcomp15")?;
    let tasks: Vec<&Program> = set.iter().filter(|p| p.file.starts_with("pthread-wmm/")).collect();
    let mut total = 0.0;
    for task in &tasks {
        let mut args = check_args("sc", Some("6"));
        args.extend_from_slice(&task.args);
        total += verdict_and_cpu(norn, &args)?.1;
    }
    let mean = total * 1e3 / tasks.len().max(1) as f64;
    let mark = if mean > LIMIT { "  MISSED" } else { "" };
    println!("{:<44} {:>8} {mean:>12.1} {LIMIT:>12.1}{mark}", "svcomp15 pthread-wmm, mean per task", tasks.len());
    Ok(usize::from(mean > LIMIT))
}

/// What is given to the solver before it runs. What the theory adds while it runs is told apart.
fn sizes(norn: &Norn, corpus: &Path) -> Result<usize, String> {
    let mut missed = 0;
    println!(
        "\n{:<44} {:>10} {:>10} {:>6} {:>10} {:>10} {:>6} {:>10}",
        "formulas under tso", "variables", "(clocks)", "share", "clauses", "(clocks)", "share", "theory"
    );
    for (set, file) in SIZES {
        let programs = corpus::set(corpus, set)?;
        let program = programs.iter().find(|p| p.file == file).ok_or_else(|| format!("{set} should have {file}"))?;
        let bound = program.unwind.as_deref().unwrap_or("6");
        let size = |encoding: &str| -> Result<[f64; 3], String> {
            let mut args = check_args("tso", Some(bound));
            args.extend(["--stats", "--timeout", "5", "--encoding", encoding].map(str::to_owned));
            args.extend_from_slice(&program.args);
            let run = norn.run(&args)?;
            let text = String::from_utf8_lossy(&run.output.stderr).into_owned();
            let theory = figure(&text, "clauses of the theory").unwrap_or(0.0);
            Ok([figure(&text, "variables")?, figure(&text, "clauses")?, theory])
        };
        let ([variables, clauses, theory], clocks) = (size("order")?, size("clocks")?);
        let shares = [variables / clocks[0], clauses / clocks[1]];
        let is_missed = shares.iter().any(|&share| share > 0.5);
        missed += usize::from(is_missed);
        let mark = if is_missed { "  MISSED" } else { "" };
        println!(
            "{file:<44} {variables:>10} {:>10} {:>6.2} {clauses:>10} {:>10} {:>6.2} {theory:>10}{mark}",
            clocks[0], shares[0], clocks[1], shares[1]
        );
    }
    Ok(missed)
}

fn check_args(model: &str, unwind: Option<&str>) -> Vec<String> {
    let mut args = ["check", "--no-attack", "-e", "events", "--json", "-m", model].map(str::to_owned).to_vec();
    if let Some(bound) = unwind {
        args.extend(["--unwind".to_owned(), bound.to_owned()]);
    }
    args
}

pub(super) fn figure(text: &str, name: &str) -> Result<f64, String> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)).filter(|rest| rest.starts_with(' '));
    let value = line.and_then(|rest| rest.trim().parse().ok());
    value.ok_or_else(|| format!("--stats should tell '{name}'"))
}

/// The verdict of a run and the processor time that it took.
pub(super) fn verdict_and_cpu(norn: &Norn, args: &[String]) -> Result<(String, f64), String> {
    run_and_cpu(norn, args).map(|(verdict, seconds, _)| (verdict, seconds))
}

/// The same, and what it wrote.
pub(super) fn run_and_cpu(norn: &Norn, args: &[String]) -> Result<(String, f64, String), String> {
    let before = children_seconds();
    let run = norn.run(args)?;
    let seconds = match (before, children_seconds()) {
        (Some(before), Some(after)) => after - before,
        _ => run.time.as_secs_f64(),
    };
    let verdict = match run.output.status.code() {
        Some(0) => "safe",
        Some(10) => "unsafe",
        Some(5) => "unknown",
        _ => return Err(format!("norn {}: {}", args.join(" "), run.summary())),
    };
    Ok((verdict.to_owned(), seconds, String::from_utf8_lossy(&run.output.stdout).into_owned()))
}

/// Processor time of all children that have ended, where the system tells it.
fn children_seconds() -> Option<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Fields after the name in parentheses: children's user and system time are the 14th and 15th of them.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(13)?.parse::<f64>().ok()? + fields.get(14)?.parse::<f64>().ok()?;
    Some(ticks / TICKS_PER_SECOND)
}
