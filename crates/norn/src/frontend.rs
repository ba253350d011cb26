//! Runs the C front end for a command and shows what it found.

use crate::args::CArgs;
use crate::compile_commands;
use crate::exit::Exit;
use crate::output::{fail, say, show};
use crate::system_headers;
use norn_c::driver::project::compile_project;
use norn_c::driver::{self, StageTimes};
use norn_c::session::{System, Target};
use norn_engine::Prepared;
use norn_ir::diag::Severity;
use norn_ir::program::{Block, Function, Origin};
use norn_ir::source::{SourceId, SourceMap};
use norn_ir::span::Span;
use norn_repair::{Code, Inputs};
use norn_report::{Sources, visible};
use norn_witness::text::{Line, Text, Texts};
use std::collections::BTreeMap;
use std::path::Path;

/// A program that was read, with the texts it came from.
pub struct Compiled {
    pub program: Prepared,
    pub times: StageTimes,
    sources: Lines,
}

/// By file and number.
pub type KeptLines = BTreeMap<String, BTreeMap<u32, String>>;

/// Where the text of a line comes from.
enum Lines {
    /// Files that were read.
    Read(SourceMap),
    /// Only some lines are there.
    Kept(KeptLines),
}

impl Compiled {
    pub fn with_sources<T>(&self, report: impl FnOnce(&Sources<'_>) -> T) -> T {
        let line_text = |file: &str, line: u32| match &self.sources {
            Lines::Read(sources) => sources.presumed_line_text(file, line).map(str::to_owned),
            Lines::Kept(lines) => lines.get(file)?.get(&line).cloned(),
        };
        report(&Sources { program: &self.program, line_text: &line_text })
    }

    /// A program that was compiled elsewhere, with lines of its texts.
    pub fn kept(program: Prepared, lines: KeptLines) -> Compiled {
        Compiled { program, times: StageTimes::default(), sources: Lines::Kept(lines) }
    }

    /// All lines that a report may show.
    pub fn lines(&self) -> KeptLines {
        let mut lines = KeptLines::new();
        self.with_sources(|sources| {
            for span in sources.program.functions.iter().flat_map(spans).filter(|span| span.line != 0) {
                let file = sources.program.file(span.file);
                if let Some(text) = (sources.line_text)(file, span.line) {
                    lines.entry(file.to_owned()).or_default().insert(span.line, text);
                }
            }
        });
        lines
    }

    /// The texts of the user's code, by the lines that they really have.
    pub fn texts(&self) -> Texts {
        let program = &self.program;
        let mut texts = Texts::default();
        let mut known: Vec<SourceId> = Vec::new();
        let Lines::Read(sources) = &self.sources else { return texts };
        for span in program.functions.iter().filter(|f| f.origin == Origin::User).flat_map(spans) {
            let key = (span.file, span.line);
            if span.line == 0 || texts.lines.contains_key(&key) {
                continue;
            }
            let Some((id, number)) = sources.line_presumed_as(program.file(span.file), span.line) else {
                continue;
            };
            let file = known.iter().position(|other| *other == id).unwrap_or_else(|| {
                let lines = sources.text(id).lines().map(str::to_owned).collect();
                texts.files.push(Text::new(sources.name(id).to_owned(), lines));
                known.push(id);
                known.len() - 1
            });
            texts.lines.insert(key, Line { file, number });
        }
        texts
    }
}

/// The places of a function's code.
fn spans(function: &Function) -> impl Iterator<Item = Span> + '_ {
    let of_block = |block: &'_ Block| {
        block.instrs.iter().map(|instr| instr.span).chain([block.terminator.span]).collect::<Vec<_>>()
    };
    function.blocks.iter().flat_map(of_block).chain([function.span])
}

/// Why there is no program. Its diagnostics have been shown.
pub enum Failure {
    /// Not C, or not to be read.
    BadInput,
    /// C that Norn cannot handle, for this reason.
    Unsupported(String),
}

impl From<Failure> for Exit {
    fn from(failure: Failure) -> Exit {
        match failure {
            Failure::BadInput => Exit::BadInput,
            Failure::Unsupported(_) => Exit::Unknown,
        }
    }
}

/// Whether a program gets marks where executions decide about errors, so that what none of them came to can be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decisions {
    Marked,
    Unmarked,
}

/// The files that a database of compile commands lists.
fn project(args: &CArgs, database: &Path) -> Result<compile_commands::Read, Failure> {
    let read = compile_commands::read(args, database).map_err(|message| {
        fail(&message, Exit::BadInput);
        Failure::BadInput
    })?;
    say(&read.notes.iter().map(|note| format!("note: {}\n", visible::visible(note))).collect::<String>());
    Ok(read)
}

/// What the compiler of the machine brings.
fn system(target: Option<Target>) -> Result<System, Failure> {
    system_headers::system(target).map_err(|failure| {
        fail(&failure.message, Exit::BadInput);
        // Indented, so that nothing in it looks like Norn's own words.
        let said = failure.said.lines().map(|line| format!("    {}\n", visible::visible(line)));
        say(&said.collect::<String>());
        Failure::BadInput
    })
}

/// What the command line says to read, and how.
pub fn code(args: &CArgs) -> Result<Code, Failure> {
    if !args.ignored.is_empty() {
        say(&format!("note: ignored, for compilers only: {}\n", visible::visible(&args.ignored.join(" "))));
    }
    let project = match &args.compile_commands {
        Some(database) => Some(project(args, database)?),
        None => None,
    };
    let target = project.as_ref().map_or_else(|| args.target(), |read| read.target);
    let mut options = args.options();
    options.header_help = Some(system_headers::help(std::env::args_os()));
    if args.system_headers {
        options.system = Some(system(target)?);
    }
    let inputs = match project {
        Some(read) => Inputs::Project(read.project),
        None => Inputs::Files(args.inputs()),
    };
    Ok(Code { options, target, inputs })
}

pub fn compile(args: &CArgs, decisions: Decisions) -> Result<Compiled, Failure> {
    compile_code(code(args)?, decisions)
}

pub fn compile_code(code: Code, decisions: Decisions) -> Result<Compiled, Failure> {
    let Code { options, target, inputs } = code;
    let driver::Compiled { program, diagnostics, sources, mut times } = match inputs {
        Inputs::Files(inputs) => driver::compile(options, target, inputs),
        Inputs::Project(project) => compile_project(options, target, project),
    };
    show(&diagnostics, &sources);
    match program {
        Some(mut program) => {
            let program = times.measure("escape", || {
                if decisions == Decisions::Marked {
                    norn_passes::points::mark_decisions(&mut program);
                }
                Prepared::new(program)
            });
            Ok(Compiled { program, times, sources: Lines::Read(sources) })
        }
        None => match diagnostics.into_iter().max_by_key(|d| d.severity) {
            Some(worst) if worst.severity == Severity::Unsupported => Err(Failure::Unsupported(worst.message)),
            _ => Err(Failure::BadInput),
        },
    }
}
