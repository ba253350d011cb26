//! Runs the C front end for a command and shows what it found; writes what commands say.

use crate::args::{CArgs, LimitArgs};
use crate::exit::Exit;
use crate::progress::ProgressLine;
use crate::render::render;
use crate::system_headers;
use norn_c::driver::{self, StageTimes};
use norn_ir::diag::{Diagnostic, Severity};
use norn_ir::program::Program;
use norn_ir::source::{Loc, SourceMap};
use norn_report::Sources;
use norn_verdict::limits::{Limits, StopToken};
use norn_verdict::outcome::Stats;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Bytes that are written at once.
const BUFFER: usize = 1 << 16;

/// A program that was read, with the texts it came from.
pub struct Compiled {
    pub program: Program,
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

pub fn compile(args: &CArgs) -> Result<Compiled, Failure> {
    let inputs = match args.system_headers {
        true => system_headers::preprocess(args).map_err(|message| {
            fail(&message, Exit::BadInput);
            Failure::BadInput
        })?,
        false => args.inputs(),
    };
    let driver::Compiled { program, diagnostics, sources, mut times } =
        driver::compile(args.options(), args.target(), inputs);
    show(&diagnostics, &sources);
    match program {
        Some(mut program) => {
            times.measure("escape", || norn_passes::escape::mark_private(&mut program));
            Ok(Compiled { program, times, sources })
        }
        None => match diagnostics.into_iter().max_by_key(|d| d.severity) {
            Some(worst) if worst.severity == Severity::Unsupported => Err(Failure::Unsupported(worst.message)),
            _ => Err(Failure::BadInput),
        },
    }
}

/// Says what went wrong where no source line is to blame.
pub fn fail(message: &str, exit: Exit) -> Exit {
    show(&[Diagnostic::error(Loc::NONE, message)], &SourceMap::new());
    exit
}

/// Writes to standard output. A reader that has seen enough (`norn … | head`) is no error.
pub fn print(text: &str) -> Exit {
    print_by(|out| out.write_all(text.as_bytes()))
}

/// The same for a text that something else writes.
pub fn print_by(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            fail(&format!("cannot write the output: {error}"), Exit::Internal)
        }
        _ => Exit::Fine,
    }
}

/// Writes a file that the user asked for.
pub fn write(path: &Path, text: &str) -> Exit {
    write_by(path, |out| out.write_all(text.as_bytes()))
}

/// The same for a text that something else writes.
pub fn write_by(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    let written = File::create(path).and_then(|file| {
        let mut out = BufWriter::with_capacity(BUFFER, file);
        write(&mut out).and_then(|()| out.flush())
    });
    match written {
        Ok(()) => Exit::Fine,
        Err(error) => fail(&format!("cannot write '{}': {error}", path.display()), Exit::BadInput),
    }
}

pub fn show(diagnostics: &[Diagnostic], sources: &SourceMap) {
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

/// How long things took and what was counted, on standard error.
pub fn print_stats(times: &StageTimes, stats: &Stats) {
    print_times(times);
    let figures = stats.0.iter().map(|(name, value)| format!("{name:26} {value:14.3}\n"));
    let _ = io::stderr().write_all(figures.collect::<String>().as_bytes());
}

/// One value as it is, several as a list.
pub fn print_json(mut values: Vec<serde_json::Value>) -> Exit {
    let value = if values.len() == 1 { values.remove(0) } else { serde_json::Value::Array(values) };
    print(&format!("{value:#}\n"))
}

/// The limits of a search that begins now.
pub fn limits(args: &LimitArgs, stop: &StopToken, line: &ProgressLine) -> Limits {
    Limits {
        deadline: Some(Instant::now() + Duration::from_secs(args.timeout)),
        memory: Some(args.memory.map_or_else(default_memory, |mb| mb << 20)),
        executions: args.executions,
        stop: stop.clone(),
        progress: line.progress(),
    }
}

/// Columns to write in: the terminal's, or what `COLUMNS` says, or 100.
pub fn width() -> usize {
    let from_environment = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    from_environment.or_else(|| terminal_size::terminal_size().map(|(w, _)| usize::from(w.0))).unwrap_or(100)
}

/// Three quarters of the memory that is free now, where the system tells it.
pub fn default_memory() -> u64 {
    const FALLBACK: u64 = 4 << 30;
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.map_or(FALLBACK, |kb| kb / 4 * 3 * 1024)
}
