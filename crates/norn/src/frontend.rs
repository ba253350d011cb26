//! Runs the C front end for a command and shows what it found.

use crate::args::CArgs;
use crate::exit::Exit;
use crate::output::{fail, say, show};
use crate::system_headers;
use norn_c::driver::{self, StageTimes};
use norn_engine::Prepared;
use norn_ir::diag::Severity;
use norn_ir::source::SourceMap;
use norn_report::{Sources, visible};

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

pub fn compile(args: &CArgs, decisions: Decisions) -> Result<Compiled, Failure> {
    if !args.ignored.is_empty() {
        say(&format!("note: ignored, for compilers only: {}\n", visible::visible(&args.ignored.join(" "))));
    }
    let inputs = match args.system_headers {
        true => system_headers::preprocess(args).map_err(|failure| {
            fail(&failure.message, Exit::BadInput);
            // Indented, so that nothing in it looks like Norn's own words.
            let said = failure.said.lines().map(|line| format!("    {}\n", visible::visible(line)));
            say(&said.collect::<String>());
            Failure::BadInput
        })?,
        false => args.inputs(),
    };
    let driver::Compiled { program, diagnostics, sources, mut times } =
        driver::compile(args.options(), args.target(), inputs);
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
