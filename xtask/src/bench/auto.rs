//! How far `auto` is from the best single engine: processor time of whole runs, on a fixed list of programs and models. With
//! one job engines take turns, so that all of their time counts.

use crate::corpus::{self, Program};
use crate::norn::{Norn, root};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::path::Path;

/// For `auto`. What single engines take longer for than it is given is no measure for it.
const SECONDS: f64 = 6.0;
/// `auto` may take so many times what the best engine takes, and this much more.
const TIMES: f64 = 2.0;
const MORE: f64 = 0.050;

const ENGINES: [&str; 4] = ["states", "stateless", "events", "rounds"];

struct Row {
    name: String,
    model: &'static str,
    /// Bounds on loops, and the program.
    args: Vec<String>,
    /// Seconds that `auto` may take, whatever the others do.
    most: Option<f64>,
}

/// One answer.
struct Said {
    verdict: String,
    seconds: f64,
}

/// Rows whose names contain `only`.
pub fn run(norn: &Norn, corpus: Option<&Path>, only: &str) -> Result<usize, String> {
    let mut rows = rows(corpus)?;
    rows.retain(|row| format!("{} {}", row.name, row.model).contains(only));
    print!("\n{:<52}{:>5}{:>9}", "auto, one job, whole process, cpu seconds", "", "verdict");
    ENGINES.iter().for_each(|engine| print!("{engine:>10}"));
    println!("{:>10}{:>8}", "auto", "ratio");
    let (mut missed, mut ratios) = (0, Vec::new());
    for row in &rows {
        let auto = ask(norn, row, "auto", SECONDS)?;
        let mut best = auto.as_ref().map_or(SECONDS / TIMES, |auto| auto.seconds);
        let mut said: Vec<Option<Said>> = Vec::new();
        for engine in ENGINES {
            // Whoever takes longer than another is not the best.
            let answer = ask(norn, row, engine, best + MORE)?;
            best = answer.as_ref().map_or(best, |answer| answer.seconds.min(best));
            said.push(answer);
        }
        let most = row.most.unwrap_or(f64::INFINITY).min(TIMES * best + MORE);
        let mut verdicts = said.iter().chain([&auto]).flatten().map(|said| said.verdict.as_str()).collect::<Vec<_>>();
        verdicts.sort_unstable();
        verdicts.dedup();
        let is_decided = said.iter().any(Option::is_some);
        let is_late = auto.as_ref().map_or(is_decided, |auto| auto.seconds > most);
        let is_missed = verdicts.len() > 1 || is_late;
        missed += usize::from(is_missed);
        let time = |said: &Option<Said>| said.as_ref().map_or("-".to_owned(), |said| format!("{:.3}", said.seconds));
        let ratio = auto.as_ref().filter(|_| is_decided).map(|auto| auto.seconds / best);
        ratios.extend(ratio);
        let verdict = if verdicts.is_empty() { "unknown".to_owned() } else { verdicts.join("/") };
        print!("{:<52}{:>5}{verdict:>9}", row.name, row.model);
        said.iter().for_each(|said| print!("{:>10}", time(said)));
        let ratio = ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        println!("{:>10}{ratio:>8}{}", time(&auto), if is_missed { "  MISSED" } else { "" });
    }
    ratios.sort_by(f64::total_cmp);
    let at = |percent: usize| ratios.get(ratios.len() * percent / 100).copied().unwrap_or(f64::NAN);
    println!(
        "{} rows, {} decided; ratio to the best: median {:.2}, nine of ten below {:.2}; {missed} beyond {TIMES} × best + {:.0} ms",
        rows.len(),
        ratios.len(),
        at(50),
        at(90),
        MORE * 1e3
    );
    Ok(missed)
}

/// What an engine says within some seconds, and the processor time that it takes.
fn ask(norn: &Norn, row: &Row, engine: &str, seconds: f64) -> Result<Option<Said>, String> {
    let mut args = vec!["check".to_owned(), "-m".to_owned(), row.model.to_owned()];
    args.extend(["-e", engine, "--jobs", "1", "--timeout", &format!("{seconds:.3}")].map(str::to_owned));
    args.extend_from_slice(&row.args);
    let before = processor_time()?;
    let run = norn.run(&args)?;
    let seconds = processor_time()? - before;
    let verdict = match run.output.status.code() {
        Some(0) => "safe",
        Some(10) => "unsafe",
        Some(5) => return Ok(None),
        _ => return Err(format!("norn {}: {}", args.join(" "), run.summary())),
    };
    Ok(Some(Said { verdict: verdict.to_owned(), seconds }))
}

/// Seconds that all processes took that were started here and have ended.
fn processor_time() -> Result<f64, String> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| format!("cannot ask for processor time: {e}"))?;
    Ok((usage.user_time() + usage.system_time()).num_microseconds() as f64 * 1e-6)
}

fn rows(corpus: Option<&Path>) -> Result<Vec<Row>, String> {
    let folder = root().join("xtask/src/bench/auto");
    let own = |file: &str, number: u32, model, most| Row {
        name: format!("{file} {number}"),
        model,
        args: vec![format!("-DN={number}"), folder.join(format!("{file}.c")).display().to_string()],
        most,
    };
    let mut rows = vec![
        own("lastzero", 15, "sc", Some(0.1)),
        own("indexer", 15, "sc", Some(0.5)),
        own("counter", 8, "sc", Some(0.5)),
    ];
    for model in ["sc", "tso", "pso"] {
        rows.extend([5, 10].map(|number| own("lastzero", number, model, None)));
        rows.extend([8, 12].map(|number| own("indexer", number, model, None)));
        rows.extend([4, 6].map(|number| own("counter", number, model, None)));
    }
    let Some(corpus) = corpus else { return Ok(rows) };
    let row = |set: &str, program: &Program, model, unwind: Option<&str>| Row {
        name: format!("{set}/{}{}", short(&program.name), unwind.map_or(String::new(), |n| format!(" --unwind {n}"))),
        model,
        args: [unwind.map_or(Vec::new(), |n| vec!["--unwind".to_owned(), n.to_owned()]), program.args.clone()].concat(),
        most: None,
    };
    for program in corpus::set(corpus, "tacas15")? {
        rows.extend(["sc", "tso", "pso"].map(|model| row("tacas15", &program, model, None)));
        rows.extend(program.unwind.as_deref().map(|unwind| row("tacas15", &program, "tso", Some(unwind))));
    }
    let (litmus, tasks): (Vec<_>, Vec<_>) =
        corpus::set(corpus, "svcomp15")?.into_iter().partition(|program| program.file.contains("wmm"));
    rows.extend(tasks.iter().step_by(2).map(|program| row("svcomp15", program, "sc", None)));
    rows.extend(tasks.iter().skip(1).step_by(4).map(|program| row("svcomp15", program, "tso", None)));
    rows.extend(litmus.iter().step_by(20).map(|program| row("svcomp15", program, "sc", None)));
    rows.extend(corpus::set(corpus, "svcomp20")?.iter().step_by(2).map(|program| row("svcomp20", program, "sc", None)));
    Ok(rows)
}

/// The end of a long name.
fn short(name: &str) -> &str {
    const MOST: usize = 36;
    let file = name.rsplit('/').next().unwrap_or(name);
    let end = file.char_indices().rev().nth(MOST - 1).map_or(0, |(at, _)| at);
    &file[end..]
}
