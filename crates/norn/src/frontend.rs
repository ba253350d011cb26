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
use norn_ir::source::SourceMap;
use norn_repair::{Code, Inputs};
use norn_report::{Sources, visible};
use std::path::Path;

/// A program that was read, with the texts it came from.
pub struct Compiled {
    pub program: Prepared,
    pub times: StageTimes,
    sources: SourceMap,
}

impl Compiled {
    pub fn with_sources<T>(&self, report: impl FnOnce(&Sources<'_>) -> T) -> T {
        let line_text = |file: &str, line: u32| self.sources.presumed_line_text(file, line).map(str::to_owned);
        report(&Sources { program: &self.program, line_text: &line_text })
    }
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
            Ok(Compiled { program, times, sources })
        }
        None => match diagnostics.into_iter().max_by_key(|d| d.severity) {
            Some(worst) if worst.severity == Severity::Unsupported => Err(Failure::Unsupported(worst.message)),
            _ => Err(Failure::BadInput),
        },
    }
}
