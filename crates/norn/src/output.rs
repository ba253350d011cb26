//! What commands write: to standard output, to files, and Norn's own words to standard error.

use crate::exit::Exit;
use crate::json_output;
use crate::render::render;
use crate::watch;
use norn_c::driver::StageTimes;
use norn_ir::diag::{Diagnostic, Severity};
use norn_ir::source::{Loc, SourceMap};
use norn_verdict::outcome::Stats;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

/// Bytes that are written at once.
const BUFFER: usize = 1 << 16;

/// Writes to standard output. What cannot be written is an exit status of its own: a verdict must not get lost.
pub fn print(text: &str) -> Exit {
    print_by(|out| out.write_all(text.as_bytes()))
}

/// The same for a text that something else writes.
pub fn print_by(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    let _speaking = watch::speak();
    print_now_by(write)
}

/// For who speaks already.
pub fn print_now(text: &str) -> Exit {
    print_now_by(|out| out.write_all(text.as_bytes()))
}

fn print_now_by(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Ok(()) => Exit::Fine,
        // A reader that has seen enough (`norn … | head`) needs no words.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Unwritten,
        Err(error) => fail(&format!("cannot write the output: {error}"), Exit::Unwritten),
    }
}

/// Writes a file that the user asked for.
pub fn write(path: &Path, text: &str) -> Exit {
    write_by(path, |out| out.write_all(text.as_bytes()))
}

/// The same for a text that something else writes.
pub fn write_by(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    let _speaking = watch::speak();
    let written = File::create(path).and_then(|file| {
        let mut out = BufWriter::with_capacity(BUFFER, file);
        write(&mut out).and_then(|()| out.flush())
    });
    match written {
        Ok(()) => Exit::Fine,
        Err(error) => fail(&format!("cannot write '{}': {error}", path.display()), Exit::Unwritten),
    }
}

/// Says what went wrong where no source line is to blame.
pub fn fail(message: &str, exit: Exit) -> Exit {
    show(&[Diagnostic::error(Loc::NONE, message)], &SourceMap::new());
    exit
}

/// Norn's own words beside what it prints, as they are.
pub fn say(text: &str) {
    // Nothing can be done when standard error is closed.
    let mut err = io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

pub fn show(diagnostics: &[Diagnostic], sources: &SourceMap) {
    diagnostics.iter().for_each(|diagnostic| json_output::note(diagnostic, sources));
    let colour = has_styles();
    let mut shown = diagnostics.iter().collect::<Vec<_>>();
    // Errors last, where a reader looks first.
    shown.sort_by_key(|d| d.severity == Severity::Error);
    let text = shown.into_iter().map(|diagnostic| render(diagnostic, sources, colour) + "\n\n").collect::<String>();
    say(&text);
}

/// One line per stage and the sum, on standard error.
pub fn print_times(times: &StageTimes) {
    let total: Duration = times.0.iter().map(|&(_, time)| time).sum();
    let lines = times.0.iter().copied().chain([("total", total)]);
    let lines = lines.map(|(stage, time)| format!("{stage:12} {:9.3} ms\n", time.as_secs_f64() * 1e3));
    say(&lines.collect::<String>());
}

/// How long things took and what was counted, on standard error.
pub fn print_stats(times: &StageTimes, stats: &Stats) {
    print_times(times);
    let figures = stats.0.iter().map(|(name, value)| format!("{name:26} {value:14.3}\n"));
    say(&figures.collect::<String>());
}

/// Whether standard error is a terminal that understands escape sequences and is meant to get them.
pub fn has_styles() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stderr().is_terminal() && !is_dumb && !is_set("NO_COLOR")
}

/// Columns to write in: the terminal's, or what `COLUMNS` says within reason, or 100.
pub fn width() -> usize {
    const SENSIBLE: std::ops::RangeInclusive<usize> = 20..=1000;
    let from_environment = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let width = from_environment.or_else(|| terminal_size::terminal_size().map(|(w, _)| usize::from(w.0)));
    width.unwrap_or(100).clamp(*SENSIBLE.start(), *SENSIBLE.end())
}
