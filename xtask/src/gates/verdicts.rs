//! Known verdicts. Of `tacas15`, under every model: the enumerator gets the algorithms for mutual exclusion with all their
//! fence variants, once with the bound on loops that the set gives, once without any; the engines `stateless`, `events`
//! and `rounds` get every row, with its bound; the engine `states` gets the rows with small programs without any bound, and has to prove what
//! is safe. Then `states` and `rounds` get SafeStack, and those tasks of `svcomp15` that are no litmus tests. Within a short time an
//! engine gives the known verdict, or says that it reached a limit (of SV-COMP's tasks, whatever it says; what has no violation
//! up to bounds that the engine chose is counted apart); anything else fails.

use super::Extent;
use crate::corpus::{self, Program};
use crate::norn::{Norn, Run};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What became of one run.
enum Answer {
    Right,
    /// A limit was reached first, with no violation of a safe program up to bounds that are named.
    Bounded,
    /// A limit was reached first.
    Undecided,
    Wrong(String),
}

/// How many runs ended how.
#[derive(Default)]
struct Tally {
    right: usize,
    bounded: Vec<String>,
    undecided: Vec<String>,
    wrong: Vec<String>,
    slowest: (Duration, String),
}

/// Which engine is asked, about what, and how.
struct Pass<'a> {
    title: &'a str,
    engine: &'a str,
    with_bound: bool,
    programs: Vec<&'a Program>,
    /// A safe program has to be proved safe, and every program decided.
    complete: bool,
    /// Not every program can be decided.
    open: bool,
    /// The engine makes its bounds grow: bugs may lie beyond them.
    may_miss: bool,
    /// At least so many have to be, or have no violation within bounds.
    least: usize,
    /// Seconds within which each decision has to come, by model.
    most: fn(&str) -> f64,
    /// The time limit, if it is not that of all passes.
    seconds: Option<u32>,
}

impl<'a> Pass<'a> {
    fn new(title: &'a str, engine: &'a str, with_bound: bool, programs: Vec<&'a Program>) -> Pass<'a> {
        let (complete, open, may_miss, least) = (false, false, false, 0);
        let most = |_: &str| f64::INFINITY;
        Pass { title, engine, with_bound, programs, complete, open, may_miss, least, most, seconds: None }
    }
}

pub fn run(norn: &Norn, corpus: &Path, extent: Extent) -> Result<usize, String> {
    // The last: how many tasks of svcomp15 have few enough states to be decided without a bound, and of how many `rounds`
    // says what is known.
    let (names, seconds, least, least_by_rounds): (&[&str], u32, usize, usize) = match extent {
        Extent::Full => (&["dekker.c", "peterson.c", "lamport.c", "szymanski.c"], 20, 19, 60),
        Extent::Sample => (&["dekker.c", "peterson.c"], 5, 1, 5),
    };
    let all = corpus::set(corpus, "tacas15")?;
    let exclusion = all.iter().filter(|p| names.contains(&p.file.as_str())).collect::<Vec<_>>();
    if exclusion.is_empty() {
        return Err("tacas15 should have programs for mutual exclusion".to_owned());
    }
    let bounded = exclusion.iter().copied().filter(|p| p.unwind.is_some()).collect();
    let every = match extent {
        Extent::Full => all.iter().collect(),
        Extent::Sample => exclusion.clone(),
    };
    // The rest of the set is one large library.
    let small = all.iter().filter(|p| !p.file.starts_with("apr_")).collect::<Vec<_>>();
    let mut safe_stack = corpus::files(corpus, "hard")?;
    safe_stack.retain(|p| p.file.starts_with("SafeStack"));
    for program in &mut safe_stack {
        program.expected = ["sc", "tso", "pso"].map(|model| (model, "unsafe".to_owned())).to_vec();
    }
    let mut tasks = corpus::set(corpus, "svcomp15")?;
    tasks.retain(|p| !p.file.contains("wmm"));
    let tasks = extent.of(tasks);
    let passes = [
        Pass::new("mutual exclusion, loops bounded", "enumerate", true, bounded),
        Pass::new("mutual exclusion, no bounds", "enumerate", false, exclusion),
        Pass::new("tacas15", "stateless", true, every.clone()),
        Pass::new("tacas15", "events", true, every.clone()),
        Pass::new("tacas15", "rounds", true, every),
        Pass { complete: true, most: |_| 2.0, ..Pass::new("tacas15, no bounds", "states", false, small) },
        Pass {
            complete: true,
            most: |model| if model == "sc" { 2.0 } else { 10.0 },
            ..Pass::new("SafeStack, no bounds", "states", false, safe_stack.iter().collect())
        },
        Pass { open: true, least, ..Pass::new("svcomp15, no bounds", "states", false, tasks.iter().collect()) },
        Pass {
            complete: true,
            seconds: Some(60),
            ..Pass::new("SafeStack, no bounds", "rounds", false, safe_stack.iter().collect())
        },
        Pass {
            open: true,
            may_miss: true,
            least: least_by_rounds,
            ..Pass::new("svcomp15, no bounds", "rounds", false, tasks.iter().collect())
        },
    ];
    let mut failures = 0;
    for pass in &passes {
        let start = Instant::now();
        let seconds = pass.seconds.unwrap_or(seconds);
        let tally = judge_all(norn, pass, seconds)?;
        println!(
            "{} by {}: {} decided, {} within bounds only, {} undecided, {} wrong; slowest decided {:.2} s ({}), all {:.0} s",
            pass.title,
            pass.engine,
            tally.right,
            tally.bounded.len(),
            tally.undecided.len(),
            tally.wrong.len(),
            tally.slowest.0.as_secs_f64(),
            tally.slowest.1,
            start.elapsed().as_secs_f64(),
        );
        if !tally.undecided.is_empty() {
            println!("  undecided after {seconds} s: {}", tally.undecided.join(", "));
        }
        for wrong in &tally.wrong {
            println!("FAILED  {wrong}");
        }
        if !tally.bounded.is_empty() {
            println!("  no violation within bounds: {}", tally.bounded.join(", "));
        }
        if tally.right + tally.bounded.len() < pass.least {
            println!(
                "FAILED  {} of {} should have been decided, or safe within bounds",
                pass.least,
                pass.programs.len()
            );
            failures += 1;
        }
        failures += tally.wrong.len();
    }
    Ok(failures)
}

/// Judges each program under each model, two at a time.
fn judge_all(norn: &Norn, pass: &Pass<'_>, seconds: u32) -> Result<Tally, String> {
    let tasks = pass.programs.iter().flat_map(|p| p.expected.iter().map(move |expected| (*p, expected)));
    let waiting = Mutex::new(tasks.collect::<Vec<_>>().into_iter());
    let work = || -> Result<Tally, String> {
        let mut tally = Tally::default();
        loop {
            let next = waiting.lock().expect("no worker should panic").next();
            let Some((program, (model, expected))) = next else { return Ok(tally) };
            // These sets ask about assertions and error functions.
            let mut args = ["check", "--only-assertions", "-e", pass.engine, "--memory", "4000", "-m", model]
                .map(str::to_owned)
                .to_vec();
            args.extend(["--timeout".to_owned(), seconds.to_string()]);
            if let (true, Some(bound)) = (pass.with_bound, &program.unwind) {
                args.extend(["--unwind".to_owned(), bound.clone()]);
            }
            args.extend_from_slice(&program.args);
            let run = norn.run(&args)?;
            let what = format!("{} {model}", program.name);
            match judge(&run, expected, pass) {
                Answer::Right if run.time.as_secs_f64() > (pass.most)(model) => {
                    tally.wrong.push(format!("{what}: decided after {:.2} s only", run.time.as_secs_f64()));
                }
                Answer::Right => {
                    tally.right += 1;
                    tally.slowest = tally.slowest.max((run.time, what));
                }
                Answer::Bounded => tally.bounded.push(what),
                Answer::Undecided => tally.undecided.push(what),
                Answer::Wrong(got) => tally.wrong.push(format!("{what}: expected {expected}, got {got}")),
            }
        }
    };
    std::thread::scope(|scope| {
        let workers = [scope.spawn(work), scope.spawn(work)];
        let mut total = Tally::default();
        for worker in workers {
            total.add(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        total.bounded.sort();
        total.undecided.sort();
        total.wrong.sort();
        Ok(total)
    })
}

/// The last line of the output is the verdict.
fn judge(run: &Run, expected: &str, pass: &Pass<'_>) -> Answer {
    let output = String::from_utf8_lossy(&run.output.stdout);
    let line = output.lines().last().unwrap_or_default();
    let verdict = line.strip_prefix("norn: ").and_then(|rest| rest.split_whitespace().next());
    match (verdict, run.output.status.code()) {
        (Some("safe"), Some(0)) if expected == "safe" && !(pass.complete && line.contains(" up to ")) => Answer::Right,
        (Some("unsafe"), Some(10)) if expected == "unsafe" => Answer::Right,
        (Some("unknown"), Some(5)) if expected == "safe" && pass.may_miss && line.contains(": no violation up to ") => {
            Answer::Bounded
        }
        (Some("unknown"), Some(5)) if pass.open => Answer::Undecided,
        (Some("unknown"), Some(5)) if !pass.complete && names_limit(line) => Answer::Undecided,
        (Some(_), _) => Answer::Wrong(line.to_owned()),
        (None, _) => Answer::Wrong(run.summary()),
    }
}

/// Whether a verdict says that a limit was reached: of time, of memory, or of what unwinding may make of a program.
fn names_limit(line: &str) -> bool {
    line.contains("limit was reached") || line.contains(": unwinding a function needs more than ")
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.right += other.right;
        self.bounded.extend(other.bounded);
        self.undecided.extend(other.undecided);
        self.wrong.extend(other.wrong);
        self.slowest = std::mem::take(&mut self.slowest).max(other.slowest);
    }
}
