//! Runs the C front end for a command and shows what it found.

use crate::args::CArgs;
use crate::exit::Exit;
use crate::render::render;
use crate::system_headers;
use norn_c::driver::{self, StageTimes};
use norn_ir::diag::{Diagnostic, Severity};
use norn_ir::program::Program;
use norn_ir::source::{Loc, SourceMap};
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// The program, or the status to exit with once its diagnostics have been shown.
pub fn compile(args: &CArgs) -> Result<(Program, StageTimes), Exit> {
    let inputs = match args.system_headers {
        true => system_headers::preprocess(args).map_err(|message| fail(&message, Exit::BadInput))?,
        false => args.inputs(),
    };
    let compiled = driver::compile(args.options(), args.target(), inputs);
    show(&compiled.diagnostics, &compiled.sources);
    match compiled.program {
        Some(mut program) => {
            let mut times = compiled.times;
            times.measure("escape", || norn_passes::escape::mark_private(&mut program));
            Ok((program, times))
        }
        None if compiled.diagnostics.iter().any(|d| d.severity == Severity::Error) => Err(Exit::BadInput),
        None => Err(Exit::Unknown),
    }
}

/// Says what went wrong where no source line is to blame.
pub fn fail(message: &str, exit: Exit) -> Exit {
    show(&[Diagnostic::error(Loc::NONE, message)], &SourceMap::new());
    exit
}

fn show(diagnostics: &[Diagnostic], sources: &SourceMap) {
    let stderr = io::stderr();
    let colour = stderr.is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut out = io::BufWriter::new(stderr.lock());
    let mut shown = diagnostics.iter().collect::<Vec<_>>();
    // Errors last, where a reader looks first.
    shown.sort_by_key(|d| d.severity == Severity::Error);
    for diagnostic in shown {
        // Nothing can be done when standard error is closed.
        let _ = writeln!(out, "{}\n", render(diagnostic, sources, colour));
    }
    let _ = out.flush();
}

/// One line per stage and the sum, on standard error.
pub fn print_times(times: &StageTimes) {
    let mut err = io::stderr().lock();
    let total: Duration = times.0.iter().map(|&(_, time)| time).sum();
    for (stage, time) in times.0.iter().copied().chain([("total", total)]) {
        let _ = writeln!(err, "{stage:12} {:9.3} ms", time.as_secs_f64() * 1e3);
    }
}
