//! From files to a program: runs the stages of the front end in order and brings in the library models that the
//! program needs.
//!
//! Of a project only what the entry needs is linked, see [`project`].
//!
//! The stages recurse over trees whose depth the parser limits; they run on a thread with a stack made for that limit.

mod ids;
mod outline;
pub mod project;

use crate::ast::{Item, TranslationUnit};
use crate::builtins::is_body_to_ignore;
use crate::ctype::Types;
use crate::intern::Symbol;
use crate::link::{self, Extent, Linked};
use crate::session::{FileOptions, Options, Session, Target};
use crate::token::Token;
use crate::tree::Unit;
use crate::{library, lower, parse, pp, sema};
use norn_ir::diag::Diagnostic;
use norn_ir::program::Program;
use norn_ir::source::SourceMap;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The model by which a new thread waits until its identifier is stored.
const THREAD_IDS: &str = "thread_ids.c";

/// A text to compile.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file on disk; `.i` means that it is already preprocessed.
    File(PathBuf),
    /// A text in memory under the name to show for it; a name that ends in `.i` means the same.
    Text { name: String, text: String },
    /// A file on disk that is read with options of its own.
    Configured { path: PathBuf, options: FileOptions },
}

/// What became of the inputs: the program, unless there were errors, and all that was found on the way.
#[derive(Debug)]
pub struct Compiled {
    pub program: Option<Program>,
    pub diagnostics: Vec<Diagnostic>,
    pub sources: SourceMap,
    pub times: StageTimes,
}

/// How long each stage took, in the order of the stages.
#[derive(Clone, Debug, Default)]
pub struct StageTimes(pub Vec<(&'static str, Duration)>);

impl StageTimes {
    /// Runs a stage and adds its time to what the stage took before.
    pub fn measure<T>(&mut self, stage: &'static str, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = run();
        let took = start.elapsed();
        match self.0.iter_mut().find(|(name, _)| *name == stage) {
            Some((_, total)) => *total += took,
            None => self.0.push((stage, took)),
        }
        result
    }
}

/// Enough for every stage to recurse over a tree of `parse::MAX_DEPTH`, also in a debug build.
const STACK_BYTES: usize = 512 << 20;

/// Compiles and links the inputs into one program. Without a target, a preprocessed input decides by its `size_t`, and
/// LP64 is the default.
pub fn compile(options: Options, target: Option<Target>, inputs: Vec<Input>) -> Compiled {
    with_stack(move || Driver::new(options, target).run(&inputs))
}

/// The system has no memory left for the stack of a front end: what [`with_stack`] then unwinds with, since it has no
/// other answer. It is no fault of Norn's.
pub struct NoRoom;

/// Runs something on a thread with a stack on which [`compile`] can run. What compiles and goes on with the program does
/// well to run as a whole: memory that one thread gives back is not used again by another.
pub fn with_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    if HAS_STACK.get() {
        return run();
    }
    let run = || {
        HAS_STACK.set(true);
        run()
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("front end".to_owned()).stack_size(STACK_BYTES);
        let Ok(thread) = thread.spawn_scoped(scope, run) else { std::panic::resume_unwind(Box::new(NoRoom)) };
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

thread_local! {
    /// Whether the thread has a stack of `STACK_BYTES`.
    static HAS_STACK: Cell<bool> = const { Cell::new(false) };
}

struct Driver {
    session: Session,
    target: Option<Target>,
    types: Types,
    times: StageTimes,
}

impl Driver {
    fn new(options: Options, target: Option<Target>) -> Driver {
        Driver { session: Session::new(options), target, types: Types::new(), times: StageTimes::default() }
    }

    fn run(mut self, inputs: &[Input]) -> Compiled {
        let program = self.program(inputs);
        let Session { diagnostics, sources, .. } = self.session;
        Compiled { program, diagnostics, sources, times: self.times }
    }

    fn program(&mut self, inputs: &[Input]) -> Option<Program> {
        self.session.options.target = self.target.or_else(|| guess_target(inputs)).unwrap_or_default();
        let streams = inputs.iter().map(|input| self.preprocess(input)).collect::<Vec<_>>();
        if self.session.has_errors() {
            // What is missing here would only be missed again by the parser.
            return None;
        }
        let mut trees = Vec::new();
        for tokens in streams.iter().flatten() {
            trees.push(self.times.measure("parse", || parse::parse(&mut self.session, tokens)));
        }
        self.session.defined_functions = trees.iter().flat_map(|tree| defined_functions(&self.session, tree)).collect();
        let mut units = Vec::new();
        for tree in trees {
            units.push(self.check(tree));
        }
        // What was left out or cannot be expressed would make it another program.
        if self.session.has_errors() || self.session.has_unsupported() {
            return None;
        }
        let library_from = units.len();
        let linked = self
            .times
            .measure("link", || link::link(&mut self.session, &self.types, units, library_from, Extent::WholeFiles));
        let linked = self.add_models(linked)?;
        self.lower(linked, streams)
    }

    /// Lowers a linked program; `streams` are the tokens of which it was made.
    fn lower(&mut self, mut linked: Linked, streams: Vec<Option<Vec<Token>>>) -> Option<Program> {
        let mut program = self.times.measure("lower", || lower::lower(&mut self.session, &self.types, &linked))?;
        let is_sound = !self.session.has_errors() && !self.session.has_unsupported();
        if is_sound && self.times.measure("ids", || ids::are_shared(&program)) {
            let unit = self.model(THREAD_IDS);
            self.times.measure("link", || linked.add_library_units(&mut self.session, &self.types, vec![unit]));
            // What is to be said about the program has been said.
            let before = self.session.put_aside();
            let again = self.times.measure("lower", || lower::lower(&mut self.session, &self.types, &linked));
            self.session.take_up(before);
            program = again?;
        }
        // Giving back the memory of the trees takes time, and recurses over them: it happens in the background.
        let left = (linked, streams, std::mem::take(&mut self.types));
        let _ = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || drop(left));
        if self.session.has_errors() || self.session.has_unsupported() {
            return None;
        }
        let valid = self.times.measure("validate", || norn_ir::validate::validate(&program));
        if let Err(problems) = valid {
            let text = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            panic!("the front end should make valid IR: {text}");
        }
        Some(program)
    }

    fn preprocess(&mut self, input: &Input) -> Option<Vec<Token>> {
        let session = &mut self.session;
        self.times.measure("preprocess", || match input {
            Input::File(path) => pp::preprocess_file(session, path),
            Input::Text { name, text } => pp::preprocess_text(session, name, text.clone(), false),
            Input::Configured { path, options } => {
                let mut options = options.clone();
                session.options.swap(&mut options);
                let tokens = pp::preprocess_file(session, path);
                session.options.swap(&mut options);
                tokens
            }
        })
    }

    fn check(&mut self, tree: TranslationUnit) -> Unit {
        self.times.measure("check", || sema::check(&mut self.session, &mut self.types, tree))
    }

    /// Adds the models of the library functions that the program calls, and that those call in turn.
    fn add_models(&mut self, mut linked: Linked) -> Option<Linked> {
        let mut models = BTreeSet::new();
        let uses_arguments = lower::uses_arguments(&self.session, &self.types, &linked);
        let arguments = if uses_arguments { &lower::ARGUMENT_MODELS[..] } else { &[] };
        let at_exit = (!linked.destructors().is_empty()).then_some(link::AT_EXIT);
        while !self.session.has_errors() {
            let undefined = linked.undefined_names(&self.session);
            let wanted = undefined
                .into_iter()
                .chain(arguments.iter().copied())
                .chain(at_exit)
                .filter_map(library::model_of)
                .filter(|m| !models.contains(m))
                .collect::<BTreeSet<_>>();
            if wanted.is_empty() {
                return Some(linked);
            }
            let units = wanted.iter().map(|model| self.model(model)).collect();
            self.times.measure("link", || linked.add_library_units(&mut self.session, &self.types, units));
            models.extend(wanted);
        }
        None
    }

    fn model(&mut self, file: &'static str) -> Unit {
        let given = self.session.options.arguments.as_ref().filter(|_| file == library::COMMAND_LINE);
        let text = match given {
            Some(words) => library::command_line(words),
            None => library::model_text(file).expect("a model that is named should have a text").to_owned(),
        };
        let session = &mut self.session;
        let name = format!("<norn>/{file}");
        let tokens = self.times.measure("models", || pp::preprocess_text(session, &name, text, true));
        let tokens = tokens.expect("a model should be readable");
        let tree = self.times.measure("models", || parse::parse(session, &tokens));
        self.times.measure("models", || sema::check(&mut self.session, &mut self.types, tree))
    }
}

/// The data model that a preprocessed input was made for.
fn guess_target(inputs: &[Input]) -> Option<Target> {
    inputs.iter().find_map(|input| match input {
        Input::File(path) | Input::Configured { path, .. } if path.extension().is_some_and(|e| e == "i") => {
            pp::target_of_preprocessed(&pp::read_text(path).ok()?)
        }
        Input::Text { name, text } if name.ends_with(".i") => pp::target_of_preprocessed(text),
        _ => None,
    })
}

/// The functions that a unit gives a body.
fn defined_functions<'a>(session: &'a Session, unit: &'a TranslationUnit) -> impl Iterator<Item = Symbol> + 'a {
    unit.items.iter().filter_map(|item| match item {
        Item::Function(function) if !is_body_to_ignore(session, function) => function.declarator.name,
        _ => None,
    })
}
