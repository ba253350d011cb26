//! `norn litmus`: is the outcome that a test asks about allowed?

use crate::args::LitmusArgs;
use crate::engines::{self, Task};
use crate::exit::Exit;
use crate::expectations::Expectations;
use crate::frontend;
use crate::interrupt;
use norn_ir::diag::Diagnostic;
use norn_ir::instr::InstrKind;
use norn_ir::source::{Loc, SourceMap};
use norn_ir::types::{Display, Ty};
use norn_litmus::{Observed, Test};
use norn_machine::enumerate::{Question, states};
use norn_verdict::limits::{Limits, StopToken};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

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

pub fn run(args: &LitmusArgs) -> Exit {
    let expected = match args.expect.as_deref().map(Expectations::read).transpose() {
        Ok(expected) => expected,
        Err(message) => return frontend::fail(&message, Exit::BadInput),
    };
    let files = match find_tests(&args.paths) {
        Ok(files) => files,
        Err(message) => return frontend::fail(&message, Exit::BadInput),
    };
    let stop = StopToken::default();
    interrupt::stop_on_interrupt(&stop);
    let results = run_all(args, &files, &stop);
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

/// Runs the tests, several at a time; the results keep the order of the files.
fn run_all(args: &LitmusArgs, files: &[PathBuf], stop: &StopToken) -> Vec<Result> {
    let jobs = args.jobs.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1).max(1);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= files.len() || stop.is_stopped() {
                return done;
            }
            done.push((index, run_file(args, &files[index], stop)));
        }
    };
    let mut results = std::thread::scope(|scope| {
        let workers = (0..jobs).map(|_| scope.spawn(work)).collect::<Vec<_>>();
        workers.into_iter().flat_map(|w| w.join().unwrap_or_else(|p| std::panic::resume_unwind(p))).collect::<Vec<_>>()
    });
    results.sort_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn run_file(args: &LitmusArgs, path: &Path, stop: &StopToken) -> Result {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut result = Result { name, answers: Vec::new(), states: String::new(), problem: None, internal: None };
    let mut sources = SourceMap::new();
    let shown = path.display().to_string();
    let parsed = match fs::read(path) {
        Ok(bytes) => norn_litmus::parse(&mut sources, &shown, String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Err(vec![Diagnostic::error(Loc::NONE, format!("cannot read '{shown}': {error}"))]),
    };
    let mut test = match parsed {
        Ok(test) => test,
        Err(problems) => {
            result.problem = Some((problems, sources));
            return result;
        }
    };
    norn_passes::escape::mark_private(&mut test.program);
    for model in args.models.list() {
        let deadline = Some(Instant::now() + Duration::from_secs(args.timeout));
        let limits = Limits { deadline, stop: stop.clone(), ..Limits::none() };
        match answer(&test, model, args, &limits) {
            Ok(answer) => result.answers.push((model, answer)),
            Err(message) => result.internal = Some(message),
        }
        if args.states {
            result.states += &final_states(&test, model, &limits);
        }
    }
    result
}

fn answer(test: &Test, model: Model, args: &LitmusArgs, limits: &Limits) -> std::result::Result<Answer, String> {
    let task = Task {
        program: &test.program,
        checks: Checks::default(),
        unwind: &[],
        shortest: false,
        limits,
        events: args.events,
        rounds: &args.rounds,
    };
    match engines::verdict(&task, model, args.engine) {
        Ok(verdict) => Ok(match verdict.outcome {
            Outcome::Unsafe(_) => Answer::Allow,
            outcome if outcome.is_complete() => Answer::Forbid,
            Outcome::Unknown { reason, .. } => Answer::Unknown(reason),
            Outcome::Safe { .. } => Answer::Unknown("the search was bounded".to_owned()),
        }),
        Err(mismatch) => Err(format!("{}: a counterexample did not replay: {mismatch}", test.name)),
    }
}

/// herd's table: every final state of the observed locations and registers.
fn final_states(test: &Test, model: Model, limits: &Limits) -> String {
    let mut program = test.program.clone();
    for block in program.functions.iter_mut().flat_map(|f| &mut f.blocks) {
        block.instrs.retain(|instr| !matches!(instr.kind, InstrKind::Assert { .. }));
    }
    let observed = test.observed.iter().map(|o| o.global).collect::<Vec<_>>();
    let question =
        Question { program: &program, model, checks: Checks::default(), limits, domain: None, observed: &observed };
    let explored = states::explore(&question);
    let show = |final_state: &Vec<Vec<u8>>| {
        let parts = test.observed.iter().zip(final_state).map(|(o, bytes)| format!("{}={};", o.label, value(o, bytes)));
        parts.collect::<Vec<_>>().join(" ")
    };
    let lines = explored.finals.iter().map(show).collect::<BTreeSet<_>>();
    let mut text = format!("Test {} ({model})\nStates {}\n", test.name, lines.len());
    for line in &lines {
        let _ = writeln!(text, "{line}");
    }
    if let Some(incomplete) = explored.incomplete {
        let _ = writeln!(text, "(not all: {})", incomplete.reason);
    }
    let _ = writeln!(text, "Condition {:?} ({})\n", test.quantifier, test.condition);
    text
}

fn value(observed: &Observed, bytes: &[u8]) -> String {
    let size = match observed.ty {
        Ty::I8 | Ty::Bool => 1,
        Ty::I16 => 2,
        Ty::I32 | Ty::F32 => 4,
        Ty::I64 | Ty::F64 | Ty::Ptr => 8,
    };
    let part = bytes.iter().skip(observed.offset as usize).take(size);
    let bits = part.enumerate().fold(0u64, |bits, (i, &byte)| bits | u64::from(byte) << (8 * i));
    match observed.display {
        Display::Signed => {
            let unused = 64 - 8 * size as u32;
            (((bits << unused) as i64) >> unused).to_string()
        }
        Display::Pointer => format!("{bits:#x}"),
        _ => bits.to_string(),
    }
}

fn report(results: &[Result], expected: Option<&Expectations>, stop: &StopToken) -> Exit {
    let mut text = String::new();
    let (mut bad, mut internal, mut unknown, mut different, mut compared) = (0, 0, 0, 0, 0);
    for result in results {
        if let Some((diagnostics, sources)) = &result.problem {
            frontend::show(diagnostics, sources);
            bad += 1;
            continue;
        }
        if let Some(message) = &result.internal {
            frontend::fail(&format!("internal error: {message}"), Exit::Internal);
            internal += 1;
        }
        text += &result.states;
        let answers = result.answers.iter().map(|(model, answer)| format!("{model} {}", answer.name()));
        let answers = answers.collect::<Vec<_>>().join("  ");
        let mut line = format!("{}  {answers}", result.name);
        for (model, answer) in &result.answers {
            if let Answer::Unknown(reason) = answer {
                unknown += 1;
                let _ = write!(line, "  ({model}: {reason})");
            }
            let Some(expectations) = expected else { continue };
            match expectations.of(&result.name, *model) {
                Some(wanted) if wanted == answer.name() => compared += 1,
                Some(wanted) => {
                    compared += 1;
                    different += 1;
                    let _ = write!(line, "  DIFFERENT: {model} should be {wanted}");
                }
                None => {}
            }
        }
        // With a table to compare with, only what differs is worth a line.
        if expected.is_none() || line.contains("DIFFERENT") || line.contains("Unknown") {
            text += &line;
            text.push('\n');
        }
    }
    if expected.is_some() {
        let _ = writeln!(text, "norn: {compared} answers compared, {different} different, {unknown} unknown");
    }
    let printed = frontend::print(&text);
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
