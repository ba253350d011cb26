//! `norn litmus`: is the outcome that a test asks about allowed?

use crate::args::LitmusArgs;
use crate::exit::Exit;
use crate::expectations::Expectations;
use crate::input;
use crate::limits;
use crate::output;
use crate::watch;
use norn_engine::{GivenBounds, Prepared};
use norn_ir::diag::Diagnostic;
use norn_ir::instr::InstrKind;
use norn_ir::number::{narrow, to_usize};
use norn_ir::program::Program;
use norn_ir::source::{Loc, SourceMap};
use norn_ir::types::{Display, Ty};
use norn_litmus::{Observed, Test};
use norn_machine::enumerate::{Question, states};
use norn_portfolio::{NOBODY_LISTENS, Options, Task};
use norn_report::visible::visible;
use norn_verdict::limits::{Exceeded, Limits, StopToken};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

/// How long a test may take beyond its time, to say how far it came.
const GRACE: Duration = Duration::from_millis(400);
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// More at the same time are of no use.
const MOST_JOBS: usize = 256;
/// Enough for tests as deep as the parser lets them be.
const STACK_BYTES: usize = 64 << 20;

/// What a test answers under one model.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Answer {
    Allow,
    Forbid,
    Unknown(String),
}

impl Answer {
    fn name(&self) -> &str {
        match self {
            Answer::Allow => "Allow",
            Answer::Forbid => "Forbid",
            Answer::Unknown(_) => "Unknown",
        }
    }
}

/// What became of one file.
struct Result {
    name: String,
    answers: Vec<(Model, Answer)>,
    states: String,
    /// Rendered already if the file could not be read as a test.
    problem: Option<(Vec<Diagnostic>, SourceMap)>,
    internal: Option<String>,
}

impl Result {
    /// Of a test that has not been run yet.
    fn new(path: &Path) -> Result {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Result { name, answers: Vec::new(), states: String::new(), problem: None, internal: None }
    }

    fn given_up(path: &Path, models: &[Model]) -> Result {
        let reason = Exceeded::Time.reason();
        let answers = models.iter().map(|&model| (model, Answer::Unknown(reason.to_owned()))).collect();
        Result { answers, ..Result::new(path) }
    }
}

pub fn run(args: &LitmusArgs) -> Exit {
    let expected = match args.expect.as_deref().map(Expectations::read).transpose() {
        Ok(expected) => expected,
        Err(message) => return output::fail(&message, Exit::BadInput),
    };
    let files = match find_tests(&args.paths) {
        Ok(files) => files,
        Err(message) => return output::fail(&message, Exit::BadInput),
    };
    // Each test has a time of its own.
    watch::limit(Duration::MAX, limits::default_memory());
    let stop = watch::stop_token();
    let results = run_all(args, files, &stop);
    watch::end_task();
    report(&results, expected.as_ref(), &stop)
}

/// The litmus files among the paths, in the order given; folders are searched in the order of names.
fn find_tests(paths: &[PathBuf]) -> std::result::Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut pending = vec![path.clone()];
        let mut found = Vec::new();
        while let Some(folder) = pending.pop() {
            let entries = fs::read_dir(&folder).map_err(|e| format!("cannot read '{}': {e}", folder.display()))?;
            for entry in entries {
                let entry = entry.map_err(|e| format!("cannot read '{}': {e}", folder.display()))?.path();
                if entry.is_dir() && !entry.is_symlink() {
                    pending.push(entry);
                } else if entry.extension().is_some_and(|e| e == "litmus") {
                    found.push(entry);
                }
            }
        }
        if found.is_empty() {
            return Err(format!("there are no .litmus files in '{}'", path.display()));
        }
        found.sort();
        files.extend(found);
    }
    Ok(files)
}

/// What all workers share.
struct Work {
    args: LitmusArgs,
    files: Vec<PathBuf>,
    next: AtomicUsize,
    stop: StopToken,
    memory: u64,
}

/// What a worker tells.
enum News {
    Began(usize),
    Done(usize, Box<Result>),
}

/// Runs the tests, several at a time; the results keep the order of the files. A test that does not end when its time does
/// is given up, and somebody else goes on with the next.
fn run_all(args: &LitmusArgs, files: Vec<PathBuf>, stop: &StopToken) -> Vec<Result> {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.map_or_else(processors, |jobs| usize::try_from(jobs).unwrap_or(usize::MAX));
    let jobs = jobs.min(files.len()).min(MOST_JOBS);
    let patience = args.timeout.saturating_mul(narrow(args.models.list().len())).saturating_add(GRACE);
    let memory = limits::default_memory();
    let work = Arc::new(Work { args: args.clone(), files, next: AtomicUsize::new(0), stop: stop.clone(), memory });
    let (tell, news) = mpsc::channel();
    (0..jobs).for_each(|_| hire(&work, &tell));
    let mut results = BTreeMap::new();
    let mut running = BTreeMap::new();
    let mut stopped: Option<Instant> = None;
    while results.len() < work.files.len() {
        match news.recv_timeout(BETWEEN_LOOKS) {
            Ok(News::Began(index)) => drop(running.insert(index, Instant::now())),
            // It may have been given up already.
            Ok(News::Done(index, result)) if running.remove(&index).is_some() => drop(results.insert(index, result)),
            Ok(News::Done(..)) | Err(_) => {}
        }
        let overdue = running.iter().filter(|(_, begun)| begun.elapsed() > patience).map(|(&index, _)| index);
        for index in overdue.collect::<Vec<_>>() {
            running.remove(&index);
            results.insert(index, Box::new(Result::given_up(&work.files[index], &args.models.list())));
            hire(&work, &tell);
        }
        if stop.is_stopped() && (running.is_empty() || stopped.get_or_insert_with(Instant::now).elapsed() > GRACE) {
            break;
        }
    }
    results.into_values().map(|result| *result).collect()
}

/// Starts a worker. Where no more threads are to be had, those that there are do the work.
fn hire(work: &Arc<Work>, tell: &Sender<News>) {
    let (work, tell) = (Arc::clone(work), tell.clone());
    let do_all = move || {
        loop {
            let index = work.next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = work.files.get(index).filter(|_| !work.stop.is_stopped()) else { return };
            // Nobody listens any more when the results are printed.
            let _ = tell.send(News::Began(index));
            let run = AssertUnwindSafe(|| run_file(&work, path));
            let result = catch_unwind(run).unwrap_or_else(|_| Result {
                internal: Some(format!("the test in '{}' could not be run", path.display())),
                ..Result::new(path)
            });
            let _ = tell.send(News::Done(index, Box::new(result)));
        }
    };
    let hired = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(do_all);
    if let Err(error) = hired {
        output::fail(&format!("cannot start a thread: {error}"), Exit::Internal);
    }
}

fn run_file(work: &Work, path: &Path) -> Result {
    let args = &work.args;
    let mut result = Result::new(path);
    let mut sources = SourceMap::new();
    let shown = path.display().to_string();
    let parsed = match input::read_litmus(path) {
        Ok(text) => norn_litmus::parse(&mut sources, &shown, text),
        Err(error) => Err(vec![Diagnostic::error(Loc::NONE, format!("cannot read '{shown}': {error}"))]),
    };
    let mut test = match parsed {
        Ok(test) => test,
        Err(problems) => {
            result.problem = Some((problems, sources));
            return result;
        }
    };
    let program = Prepared::new(std::mem::replace(&mut test.program, Program::empty()));
    for model in args.models.list() {
        let deadline = Instant::now().checked_add(args.timeout);
        let limits = Limits { deadline, memory: Some(work.memory), stop: work.stop.clone(), ..Limits::none() };
        match answer(&test.name, &program, model, args, &limits) {
            Ok(answer) => result.answers.push((model, answer)),
            Err(message) => result.internal = Some(message),
        }
        if args.states {
            result.states += &final_states(&program, &test, model, &limits);
        }
    }
    result
}

fn answer(
    name: &str,
    program: &Prepared,
    model: Model,
    args: &LitmusArgs,
    limits: &Limits,
) -> std::result::Result<Answer, String> {
    // To sample, or to certify, would cost more than the others need.
    let options = Options { proofs_only: args.events.certify, ..args.options() };
    let given = GivenBounds::default();
    let task =
        Task { program, checks: Checks::default(), given: &given, limits, options: &options, heard: NOBODY_LISTENS };
    match args.engine.ask(&task, model) {
        Ok(verdict) => Ok(match verdict.outcome {
            Outcome::Unsafe(_) => Answer::Allow,
            outcome if outcome.is_complete() && verdict.remarks.assumptions.is_empty() => Answer::Forbid,
            Outcome::Limited { undecided: reason, .. } | Outcome::Unknown(reason) => {
                Answer::Unknown(reason.to_string())
            }
            outcome if outcome.is_complete() => Answer::Unknown("an execution has no meaning".to_owned()),
            Outcome::Safe { .. } => Answer::Unknown("the search was bounded".to_owned()),
        }),
        Err(mismatch) => Err(format!("{name}: a counterexample did not replay: {mismatch}")),
    }
}

/// herd's table: every final state of the observed locations and registers.
fn final_states(program: &Program, test: &Test, model: Model, limits: &Limits) -> String {
    let mut program = program.clone();
    for block in program.functions.iter_mut().flat_map(|f| &mut f.blocks) {
        block.instrs.retain(|instr| !matches!(instr.kind, InstrKind::Assert { .. }));
    }
    let observed = test.observed.iter().map(|o| o.global).collect::<Vec<_>>();
    let question =
        Question { program: &program, model, checks: Checks::default(), limits, domain: None, observed: &observed };
    let explored = states::explore(&question);
    let show = |final_state: &Vec<Vec<u8>>| {
        let parts = test
            .observed
            .iter()
            .zip(final_state)
            .map(|(o, bytes)| format!("{}={};", visible(&o.label), value(o, bytes)));
        parts.collect::<Vec<_>>().join(" ")
    };
    let lines = explored.finals.iter().map(show).collect::<BTreeSet<_>>();
    let mut text = format!("Test {} ({model})\nStates {}\n", visible(&test.name), lines.len());
    for line in &lines {
        let _ = writeln!(text, "{line}");
    }
    if let Some(incomplete) = explored.incomplete {
        let _ = writeln!(text, "(not all: {})", visible(&incomplete.to_string()));
    }
    let _ = writeln!(text, "Condition {:?} ({})\n", test.quantifier, visible(&test.condition.to_string()));
    text
}

fn value(observed: &Observed, bytes: &[u8]) -> String {
    let size = match observed.ty {
        Ty::I8 | Ty::Bool => 1,
        Ty::I16 => 2,
        Ty::I32 | Ty::F32 => 4,
        Ty::I64 | Ty::F64 | Ty::Ptr => 8,
    };
    let part = bytes.iter().skip(to_usize(observed.offset)).take(size);
    let bits = part.enumerate().fold(0u64, |bits, (i, &byte)| bits | u64::from(byte) << (8 * i));
    match observed.display {
        Display::Signed => {
            let unused = 64 - 8 * narrow(size);
            (((bits << unused) as i64) >> unused).to_string()
        }
        Display::Pointer => format!("{bits:#x}"),
        _ => bits.to_string(),
    }
}

/// No test is called like Norn's own words.
fn test_name(name: &str) -> String {
    let shown = visible(name);
    if shown.starts_with("norn:") { format!("'{shown}'") } else { shown.into_owned() }
}

fn report(results: &[Result], expected: Option<&Expectations>, stop: &StopToken) -> Exit {
    let mut text = String::new();
    let (mut bad, mut internal, mut unknown, mut different, mut compared) = (0, 0, 0, 0, 0);
    for result in results {
        if let Some((diagnostics, sources)) = &result.problem {
            output::show(diagnostics, sources);
            bad += 1;
            continue;
        }
        if let Some(message) = &result.internal {
            output::fail(&format!("internal error: {message}"), Exit::Internal);
            internal += 1;
        }
        text += &result.states;
        let answers = result.answers.iter().map(|(model, answer)| format!("{model} {}", answer.name()));
        let answers = answers.collect::<Vec<_>>().join("  ");
        let mut line = format!("{}  {answers}", test_name(&result.name));
        let mut is_notable = false;
        for (model, answer) in &result.answers {
            if let Answer::Unknown(reason) = answer {
                unknown += 1;
                is_notable = true;
                let _ = write!(line, "  ({model}: {})", visible(reason));
            }
            let Some(expectations) = expected else { continue };
            match expectations.of(&result.name, *model) {
                Some(wanted) if wanted == answer.name() => compared += 1,
                Some(wanted) => {
                    compared += 1;
                    different += 1;
                    is_notable = true;
                    let _ = write!(line, "  DIFFERENT: {model} should be {wanted}");
                }
                None => {}
            }
        }
        // With a table to compare with, only what differs is worth a line.
        if expected.is_none() || is_notable {
            text += &line;
            text.push('\n');
        }
    }
    if expected.is_some() {
        let _ = writeln!(text, "norn: {compared} answers compared, {different} different, {unknown} unknown");
    }
    let printed = output::print(&text);
    let worst_first = [
        (printed != Exit::Fine, printed),
        (internal > 0, Exit::Internal),
        (stop.is_stopped(), Exit::Interrupted),
        (bad > 0, Exit::BadInput),
        (different > 0, Exit::Unsafe),
        (unknown > 0, Exit::Unknown),
    ];
    worst_first.into_iter().find(|&(holds, _)| holds).map_or(Exit::Fine, |(_, exit)| exit)
}
