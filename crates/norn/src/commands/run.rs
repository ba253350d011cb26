//! `norn run`: one execution, random or given.

use crate::args::RunArgs;
use crate::exit::Exit;
use crate::frontend::{self, Compiled, Decisions};
use crate::input;
use crate::limits;
use crate::output;
use crate::watch::{self, LastWords};
use norn_ir::instr::Stream;
use norn_machine::replay::{End, replay};
use norn_machine::run::{RunEnd, run as run_once};
use norn_machine::trace::Printed;
use norn_report::table;
use norn_report::visible::{visible, visible_lines};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Violation;
use norn_verdict::schedule::Schedule;
use norn_verdict::trace::Trace;
use std::io::{self, IsTerminal};
use std::path::Path;

pub fn run(args: &RunArgs) -> Exit {
    watch::limit(args.timeout, limits::default_memory());
    let model = args.model.unwrap_or(Model::Sc);
    watch::last_words(move |exceeded| LastWords {
        error: format!("norn: unknown ({model}): {}\n", exceeded.reason()),
        ..LastWords::default()
    });
    let compiled = match frontend::compile(&args.c, Decisions::Marked) {
        Ok(compiled) => compiled,
        Err(failure) => return failure.into(),
    };
    // As `check` does, so that its schedules fit.
    match &args.schedule {
        Some(path) => by_schedule(args, &compiled, path),
        None => by_seed(args, &compiled),
    }
}

fn by_seed(args: &RunArgs, compiled: &Compiled) -> Exit {
    let stop = watch::stop_token();
    let memory = limits::default_memory();
    let deadline = Some(watch::begin_task(args.timeout, memory));
    let limits = Limits { deadline, memory: Some(memory), stop: stop.clone(), ..Limits::none() };
    let model = args.model.unwrap_or(Model::Sc);
    let ran = run_once(&compiled.program, model, args.checks.checks(), args.seed, args.max_steps, &limits);
    watch::end_task();
    let printed = print_output(&ran.output);
    let exit = match ran.end {
        RunEnd::Done(end) => show_end(args, compiled, model, &end, &ran.trace),
        RunEnd::Unknown(open) => {
            let place = open.place.map(|s| compiled.with_sources(|sources| format!(" at {}", sources.place(s))));
            say(&format!("norn: unknown ({model}): {}{}", visible(&open.to_string()), place.unwrap_or_default()));
            if stop.is_stopped() { Exit::Interrupted } else { Exit::Unknown }
        }
    };
    if printed == Exit::Fine { exit } else { printed }
}

fn by_schedule(args: &RunArgs, compiled: &Compiled, path: &Path) -> Exit {
    let schedule = match read_schedule(path) {
        Ok(schedule) => schedule,
        Err(message) => return output::fail(&message, Exit::BadInput),
    };
    if let Some(model) = args.model.filter(|&model| model != schedule.model) {
        let message = format!("the schedule is one for {}, not for {model}", schedule.model);
        return output::fail(&message, Exit::BadInput);
    }
    match replay(&compiled.program, args.checks.checks(), &schedule) {
        Ok(replayed) => {
            watch::end_task();
            let printed = print_output(&replayed.output);
            let exit = show_end(args, compiled, schedule.model, &replayed.end, &replayed.trace);
            if printed == Exit::Fine { exit } else { printed }
        }
        Err(error) => output::fail(&format!("'{}' does not fit: {error}", path.display()), Exit::BadInput),
    }
}

pub fn read_schedule(path: &Path) -> Result<Schedule, String> {
    let shown = path.display();
    let text = input::read(path).map_err(|error| format!("cannot read '{shown}': {error}"))?;
    text.parse().map_err(|error| format!("'{shown}' is not a schedule: {error}"))
}

/// What the program wrote, each part to its stream: byte for byte, but on a terminal without what could repaint it. Norn's
/// own words come after it, on a line of their own.
fn print_output(output: &[Printed]) -> Exit {
    let on_terminal = [io::stdout().is_terminal(), io::stderr().is_terminal()];
    let shown = |text: &'_ str, on_terminal: bool| match on_terminal {
        true => visible_lines(text).into_owned(),
        false => text.to_owned(),
    };
    let mut exit = Exit::Fine;
    for printed in output {
        match printed.stream {
            Stream::Stdout if exit == Exit::Fine => exit = output::print(&shown(&printed.text, on_terminal[0])),
            Stream::Stdout => {}
            Stream::Stderr => output::say(&shown(&printed.text, on_terminal[1])),
        }
    }
    let ends_a_line = |stream: Stream| {
        let last = output.iter().rev().find(|p| p.stream == stream && !p.text.is_empty());
        last.is_none_or(|p| p.text.ends_with('\n'))
    };
    if !ends_a_line(Stream::Stderr) || !ends_a_line(Stream::Stdout) {
        say("");
    }
    exit
}

fn show_end(args: &RunArgs, compiled: &Compiled, model: Model, end: &End, trace: &Trace) -> Exit {
    if args.trace || matches!(end, End::Violation(_)) {
        say(compiled.with_sources(|sources| table::table(trace, sources, output::width())).trim_end());
    }
    match end {
        End::Violation(violation) => {
            say(&violation_line(compiled, model, violation));
            Exit::Unsafe
        }
        End::Ended { status: Some(status) } => {
            say(&format!("norn: the program ended with status {status} ({model})"));
            Exit::Fine
        }
        End::Ended { status: None } => {
            say(&format!("norn: the program was aborted ({model})"));
            Exit::Fine
        }
        End::Blocked => {
            say(&format!("norn: the execution is blocked: no thread can go on ({model})"));
            Exit::Fine
        }
        End::Unfinished => {
            say(&format!("norn: the schedule ends before the program does ({model})"));
            Exit::Fine
        }
    }
}

fn violation_line(compiled: &Compiled, model: Model, violation: &Violation) -> String {
    compiled.with_sources(|sources| {
        let message =
            if violation.message.is_empty() { String::new() } else { format!(": {}", visible(&violation.message)) };
        let phrase = violation.kind.phrase();
        format!("norn: unsafe ({model}): {phrase} at {}{message}", sources.place(violation.span))
    })
}

/// Norn's own words go to standard error: standard output is the program's.
fn say(text: &str) {
    output::say(&format!("{text}\n"));
}
