//! `norn litmus`: is the outcome that a test asks about allowed?
//!
//! Models with a machine are asked of the engines ([`machine`]), those that are axioms of the enumerator of execution
//! graphs ([`axioms`]). [`workers`] runs many tests at a time, [`report`] shows what came out.

mod axioms;
mod machine;
mod report;
mod workers;

use crate::args::LitmusArgs;
use crate::exit::Exit;
use crate::expectations::Expectations;
use crate::input;
use crate::limits;
use crate::litmus_model::LitmusModel;
use crate::output;
use crate::watch;
pub use axioms::load;
use norn_engine::Prepared;
use norn_ir::diag::Diagnostic;
use norn_ir::program::Program;
use norn_ir::source::{Loc, SourceMap};
use norn_litmus::graph::GraphTest;
use norn_verdict::limits::{Exceeded, Limits};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use workers::Work;

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
struct TestResult {
    path: PathBuf,
    name: String,
    /// In the order of the models.
    answers: Vec<Answer>,
    /// Tables of final states and pictures of executions.
    shown: String,
    dot: String,
    /// Why the file could not be read as a test.
    problem: Option<(Vec<Diagnostic>, SourceMap)>,
    internal: Option<String>,
}

impl TestResult {
    /// Of a test that has not been run yet.
    fn new(path: &Path) -> TestResult {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        TestResult {
            path: path.to_owned(),
            name,
            answers: Vec::new(),
            shown: String::new(),
            dot: String::new(),
            problem: None,
            internal: None,
        }
    }

    fn given_up(path: &Path, models: usize) -> TestResult {
        let reason = Exceeded::Time.reason();
        TestResult { answers: vec![Answer::Unknown(reason.to_owned()); models], ..TestResult::new(path) }
    }
}

pub fn run(args: &LitmusArgs) -> Exit {
    let mut models = Vec::new();
    let mut sources = SourceMap::new();
    for model in args.models() {
        match axioms::load(&model, &mut sources) {
            Ok(axioms) => models.push((model, axioms)),
            Err(problem) => {
                output::show(&[problem], &sources);
                return Exit::BadInput;
            }
        }
    }
    let names: Vec<_> = models.iter().map(|(name, _)| name.clone()).collect();
    let expected = match args.expect.as_deref().map(|path| Expectations::read(path, &names)).transpose() {
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
    let results = workers::run_all(Work::new(args, models, files, &stop, limits::default_memory()));
    watch::end_task();
    report::report(&results, &names, expected.as_ref(), args.dot.as_deref(), &stop)
}

/// The litmus files among the paths, in the order given; folders are searched in the order of names.
fn find_tests(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
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

/// A test in the forms that the models need.
struct Forms {
    machine: Option<(norn_litmus::Test, Prepared)>,
    graph: Option<GraphTest>,
}

fn read_test(work: &Work, path: &Path, sources: &mut SourceMap) -> Result<Forms, Vec<Diagnostic>> {
    let shown = path.display().to_string();
    let text = input::read_litmus(path)
        .map_err(|error| vec![Diagnostic::error(Loc::NONE, format!("cannot read '{shown}': {error}"))])?;
    let mut forms = Forms { machine: None, graph: None };
    if work.models.iter().any(|(_, axioms)| axioms.is_none()) {
        let mut test = norn_litmus::parse(sources, &shown, text.clone())?;
        let program = Prepared::new(std::mem::replace(&mut test.program, Program::empty()));
        forms.machine = Some((test, program));
    }
    if work.models.iter().any(|(_, axioms)| axioms.is_some()) {
        let test = norn_litmus::graph::parse(sources, &shown, text)?;
        let axioms = work.models.iter().filter_map(|(name, axioms)| Some((name, axioms.as_ref()?)));
        let refusals = axioms.filter_map(|(name, axioms)| axioms::refuse_language(name, axioms, &test));
        let refusals: Vec<Diagnostic> = refusals.collect();
        if !refusals.is_empty() {
            return Err(refusals);
        }
        forms.graph = Some(test);
    }
    Ok(forms)
}

fn run_file(work: &Work, path: &Path) -> TestResult {
    let args = &work.args;
    let mut result = TestResult::new(path);
    let mut sources = SourceMap::new();
    let forms = match read_test(work, path, &mut sources) {
        Ok(forms) => forms,
        Err(problems) => {
            result.problem = Some((problems, sources));
            return result;
        }
    };
    for (name, axioms) in &work.models {
        let deadline = Instant::now().checked_add(args.timeout);
        let limits = Limits { deadline, memory: Some(work.memory), stop: work.stop.clone(), ..Limits::none() };
        match (name, axioms, &forms) {
            (LitmusModel::Machine(model), _, Forms { machine: Some((test, program)), .. }) => {
                match machine::answer(&test.name, program, *model, args, &limits) {
                    Ok(answer) => result.answers.push(answer),
                    Err(message) => result.internal = Some(message),
                }
                if args.states {
                    result.shown += &machine::final_states(program, test, *model, &limits);
                }
            }
            (_, Some(axioms), Forms { graph: Some(test), .. }) => {
                let states = || axioms::final_states(test, name, axioms, &limits);
                let states = if args.states { states() } else { Ok(String::new()) };
                match states.and_then(|states| Ok((states, axioms::answer(test, name, axioms, &limits)?))) {
                    Ok((states, found)) => {
                        result.answers.push(found.answer);
                        result.shown += &states;
                        if args.graph {
                            result.shown += &found.picture;
                        }
                        result.dot += &found.dot;
                    }
                    Err(message) => result.internal = Some(message),
                }
            }
            _ => unreachable!("a test should have been read in the form that '{name}' needs"),
        }
    }
    result
}
