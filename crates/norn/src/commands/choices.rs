//! `norn sequentialize --for cc --choices-out FILE`: the choices with which the program that runs reaches a violation.
//!
//! The same translation, written for Norn, asks for the same choices in the same order. So the values that a counterexample
//! of `events` gives to its nondeterministic calls are what the running program has to read. The counterexample has been
//! replayed on the reference machine like any other.

use crate::args::{Reader, SequentializeArgs};
use crate::commands::sequentialize::{fail, translate};
use crate::exit::Exit;
use crate::limits;
use crate::output;
use crate::progress::ProgressLine;
use crate::watch::{self, LastWords};
use norn_c::driver::{Compiled, Input, compile};
use norn_engine::{Engine, Prepared, Query};
use norn_events::Events;
use norn_ir::program::Program;
use norn_machine::Reference;
use norn_passes::unwind::Bounds;
use norn_report::{Sources, line};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome, Verdict};
use std::fmt::Write;
use std::path::Path;

/// Numbers on a line.
const PER_LINE: usize = 20;

/// Looks for a violation of the sequential program and writes the choices that lead to it.
pub fn write(program: &Program, args: &SequentializeArgs, path: &Path) -> Exit {
    let name = "sequential.c".to_owned();
    let translated = translate(program, args.model, &args.unwind, &args.bounds, Reader::Norn, name.clone());
    let (text, unwind) = match translated {
        Ok(sequential) => (sequential.text(), sequential.unwind),
        Err(refusal) => return fail(program, &refusal),
    };
    let Compiled { program: compiled, diagnostics, sources, .. } =
        compile(norn_c::session::Options::default(), Some(program.target), vec![Input::Text { name, text }]);
    let Some(sequential) = compiled else {
        output::show(&diagnostics, &sources);
        return output::fail("internal error: the sequential program is not C", Exit::Internal);
    };
    let sequential = Prepared::new(sequential);
    let verdict = match check(&sequential, unwind, args) {
        Ok(verdict) => verdict,
        Err(exit) => return exit,
    };
    let sources = Sources { program: &sequential, line_text: &|_, _| None };
    let line = match verdict.outcome {
        // The bounds are those of the translation, which the verdict about its result knows nothing of.
        Outcome::Safe { .. } if verdict.remarks.assumptions.is_empty() => {
            let rounds = args.bounds.rounds;
            format!(
                "norn: no violation ({}) in {rounds} rounds, within the other bounds too; no choices written",
                args.model
            )
        }
        _ => line::verdict_line(&Verdict { model: args.model, ..verdict.clone() }, &sources),
    };
    let printed = output::print(&format!("{line}\n"));
    if printed != Exit::Fine {
        return printed;
    }
    match &verdict.outcome {
        Outcome::Unsafe(counterexample) => {
            let inputs = counterexample.schedule().inputs.iter().flat_map(|(_, values)| values);
            let values = inputs.copied().collect::<Vec<_>>();
            match output::write(path, &listed(&line, &values)) {
                Exit::Fine => Exit::Unsafe,
                failed => failed,
            }
        }
        Outcome::Safe { .. } if verdict.remarks.assumptions.is_empty() => Exit::Fine,
        Outcome::Safe { .. } | Outcome::Limited { .. } | Outcome::Unknown(_) => Exit::Unknown,
    }
}

fn check(program: &Prepared, unwind: u64, args: &SequentializeArgs) -> Result<Verdict, Exit> {
    let stop = watch::stop_token();
    let model = args.model;
    watch::last_words(move |exceeded| LastWords {
        output: format!("norn: unknown ({model}): {}\n", exceeded.reason()),
        ..LastWords::default()
    });
    let progress = ProgressLine::new();
    let limits = limits::limits(&args.limits, &stop, &progress);
    let bounds = Bounds { default: u32::try_from(unwind).unwrap_or(u32::MAX), ..Bounds::default() };
    let (model, checks) = (Model::Sc, Checks::default());
    let query = Query { program, model, checks, bounds: Some(&bounds), limits: &limits };
    let verdict = Events::default().run(&query, &Reference);
    watch::end_task();
    progress.clear();
    if stop.is_stopped() {
        return Err(Exit::Interrupted);
    }
    verdict.map_err(|mismatch| {
        let message = format!("internal error: a counterexample did not replay: {mismatch}");
        output::fail(&message, Exit::Internal)
    })
}

/// The form that the program reads: a comment, then the numbers.
fn listed(line: &str, values: &[u64]) -> String {
    let mut text = format!("# {line}\n");
    for (position, value) in values.iter().enumerate() {
        let is_last = (position + 1) % PER_LINE == 0 || position + 1 == values.len();
        write!(text, "{value}{}", if is_last { '\n' } else { ' ' }).expect("writing to a string should not fail");
    }
    text
}
