//! `norn check`: is the program safe?

use crate::args::{CheckArgs, Engine};
use crate::backend;
use crate::engines::{self, Task, cross_check};
use crate::exit::Exit;
use crate::frontend::{self, Compiled, Failure};
use crate::loops;
use crate::progress::ProgressLine;
use crate::watch::{self, LastWords};
use norn_ir::program::Program;
use norn_machine::run::{RunEnd, run as run_once};
use norn_report::{Sources, json, line, table};
use norn_verdict::limits::{Limits, StopToken};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome, Stats, Verdict, ViolationKind};
use serde_json::Value;
use std::path::Path;
use std::time::Instant;

pub fn run(args: &CheckArgs) -> Exit {
    if let Some(message) = misplaced_option(args) {
        return frontend::fail(message, Exit::Usage);
    }
    watch::limit(args.limits.timeout, args.limits.memory());
    leave_last_words(args, args.models.list(), Vec::new());
    let compiled = match frontend::compile(&args.c) {
        Ok(compiled) => compiled,
        Err(Failure::Unsupported(reason)) => return unsupported(args, &reason),
        Err(failure) => return failure.into(),
    };
    if args.show_loops {
        return frontend::print(&loops::listing(&compiled.program));
    }
    if let Err(message) = loops::check_bounds(&compiled.program, &args.unwind) {
        return frontend::fail(&message, Exit::Usage);
    }
    let stop = watch::stop_token();
    if let Some(command) = &args.backend {
        return backend::run(args, command, &compiled.program, &stop);
    }
    let mut verdicts = Vec::new();
    let mut values = Vec::new();
    let mut unwritten = false;
    let models = args.models.list();
    for (done, &model) in models.iter().enumerate() {
        leave_last_words(args, models[done..].to_vec(), values.clone());
        let verdict = match check_model(args, &compiled, model, &stop) {
            Ok((verdict, written)) => {
                unwritten |= !written;
                verdict
            }
            Err(exit) => return exit,
        };
        if args.json {
            values.push(compiled.with_sources(|sources| json::verdict(&verdict, sources)));
        }
        verdicts.push(verdict);
        if stop.is_stopped() {
            break;
        }
    }
    if args.json {
        let exit = frontend::print_json(values);
        if exit != Exit::Fine {
            return exit;
        }
    }
    if unwritten {
        return Exit::Unwritten;
    }
    if stop.is_stopped() {
        return Exit::Interrupted;
    }
    overall(&verdicts, args.require_proof)
}

/// An option that the chosen engine would ignore: what it asks for would be missing from the verdict.
fn misplaced_option(args: &CheckArgs) -> Option<&'static str> {
    let is_for_shortest = matches!(args.engine, Engine::Auto | Engine::States | Engine::Enumerate);
    let is_for_proofs = matches!(args.engine, Engine::Auto | Engine::Events) && !args.cross_check && !args.shortest;
    if args.shortest && !is_for_shortest {
        return Some("only the engines 'states' and 'enumerate' look for the shortest counterexample");
    }
    if args.events.certify && !is_for_proofs {
        return Some("only the engine 'events' has a proof to check");
    }
    let is_for_rounds = matches!(args.engine, Engine::Auto | Engine::Rounds) || args.cross_check;
    let rounds = &args.rounds;
    let speaks_of_rounds = rounds.limit.is_some() || rounds.bits.is_some() || !rounds.thread_order.is_empty();
    (speaks_of_rounds && !is_for_rounds).then_some("only the engine 'rounds' counts rounds")
}

/// C that Norn cannot handle is unknown under every model.
fn unsupported(args: &CheckArgs, reason: &str) -> Exit {
    let printed = frontend::print(&unknown(&args.models.list(), reason, args.json, Vec::new()));
    if printed == Exit::Fine { Exit::Unknown } else { printed }
}

/// What is printed if the models get no verdict for a reason that has no place; those before them have been given, as
/// `values` if JSON is asked for.
fn unknown(models: &[Model], reason: &str, as_json: bool, mut values: Vec<Value>) -> String {
    let nothing = Program::empty();
    let sources = Sources { program: &nothing, line_text: &|_, _| None };
    let verdicts = models.iter().map(|&model| Verdict {
        model,
        engine: "none",
        outcome: Outcome::Unknown { reason: reason.to_owned(), span: None },
        stats: Stats::default(),
    });
    if as_json {
        values.extend(verdicts.map(|v| json::verdict(&v, &sources)));
        return frontend::json_text(values);
    }
    verdicts.map(|v| line::verdict_line(&v, &sources) + "\n").collect()
}

/// If the work has to end: the models that are left are unknown.
fn leave_last_words(args: &CheckArgs, models: Vec<Model>, values: Vec<Value>) {
    let as_json = args.json;
    watch::last_words(move |exceeded| LastWords {
        output: unknown(&models, exceeded.reason(), as_json, values.clone()),
        ..LastWords::default()
    });
}

/// The verdict under one model, shown as it comes unless JSON is asked for, and whether the schedule could be written.
fn check_model(args: &CheckArgs, compiled: &Compiled, model: Model, stop: &StopToken) -> Result<(Verdict, bool), Exit> {
    let start = Instant::now();
    let line = ProgressLine::new();
    let limits = frontend::limits(&args.limits, stop, &line);
    let checks = args.checks.checks();
    let task = Task {
        program: &compiled.program,
        checks,
        unwind: &args.unwind,
        shortest: args.shortest,
        limits: &limits,
        events: args.events,
        rounds: &args.rounds,
    };
    let verdicts = match args.cross_check {
        true => cross_check::verdicts(&task, model),
        false => engines::verdict(&task, model, args.engine).map(|verdict| vec![verdict]),
    };
    watch::end_task();
    line.clear();
    let verdicts = verdicts.map_err(|mismatch| {
        let message = format!("internal error: a counterexample did not replay: {mismatch}");
        frontend::fail(&message, Exit::Internal)
    })?;
    if let Some((violated, safe)) = cross_check::disagreement(&verdicts, &args.unwind) {
        return Err(report_disagreement(&task, &verdicts, (violated.engine, safe.engine)));
    }
    let mut verdict = cross_check::strongest(verdicts).expect("some engine should have been asked");
    verdict.stats.0.insert("seconds", start.elapsed().as_secs_f64());
    let written = match (&verdict.outcome, &args.schedule_out) {
        (Outcome::Unsafe(found), Some(path)) => frontend::write(path, &found.schedule().to_string()) == Exit::Fine,
        _ => true,
    };
    if args.stats {
        frontend::print_stats(&compiled.times, &verdict.stats);
    }
    if !args.json {
        let text = compiled.with_sources(|sources| text(&verdict, sources, checks, &limits));
        let exit = frontend::print(&text);
        if exit != Exit::Fine {
            return Err(exit);
        }
    }
    Ok((verdict, written))
}

/// Two engines contradict one another: nothing that either says is worth printing as a verdict.
fn report_disagreement(task: &Task<'_>, verdicts: &[Verdict], (violated, safe): (&str, &str)) -> Exit {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let command = words.collect::<Vec<_>>().join(" ");
    let written = match cross_check::write_bundle(Path::new("."), task, verdicts, &command) {
        Ok(folder) => format!("please report the folder '{}'", folder.display()),
        Err(error) => format!("the report could not be written: {error}"),
    };
    let message =
        format!("internal error: '{violated}' found a violation and replayed it, '{safe}' says safe; {written}");
    frontend::fail(&message, Exit::Internal)
}

fn text(verdict: &Verdict, sources: &Sources<'_>, checks: Checks, limits: &Limits) -> String {
    let mut text = String::new();
    match &verdict.outcome {
        Outcome::Unsafe(counterexample) => {
            text = table::counterexample(counterexample, sources, frontend::width());
            text.push('\n');
        }
        Outcome::Safe { .. } if !checks.data_race => text.extend(race_note(verdict, sources, limits)),
        _ => {}
    }
    text + &line::verdict_line(verdict, sources) + "\n"
}

/// A safe program may still have data races, and then C compilers may do with it what Norn did not look at. A few
/// random executions show most of them.
fn race_note(verdict: &Verdict, sources: &Sources<'_>, limits: &Limits) -> Option<String> {
    const EXECUTIONS: u64 = 8;
    const STEPS: u64 = 2_000;
    let checks = Checks { data_race: true, ..Checks::default() };
    let soon = Limits::for_seconds(0.5);
    // Within the time limit, too.
    let limits = Limits { deadline: soon.deadline.min(limits.deadline.or(soon.deadline)), ..limits.clone() };
    (0..EXECUTIONS).find_map(|seed| {
        let ran = run_once(sources.program, verdict.model, checks, seed, STEPS, &limits);
        match ran.end {
            RunEnd::Done(norn_machine::End::Violation(violation)) if violation.kind == ViolationKind::DataRace => {
                Some(format!(
                    "note: the program has data races (one is at {}). Plain accesses were taken as written, but C \
                     compilers may reorder them; see --data-race.\n",
                    sources.place(violation.span)
                ))
            }
            _ => None,
        }
    })
}

/// The status that says most: unsafe, then unknown, then safe.
fn overall(verdicts: &[Verdict], require_proof: bool) -> Exit {
    let is_open = |v: &Verdict| match &v.outcome {
        Outcome::Unknown { .. } => true,
        outcome => require_proof && !outcome.is_complete(),
    };
    if verdicts.iter().any(|v| matches!(v.outcome, Outcome::Unsafe(_))) {
        Exit::Unsafe
    } else if verdicts.iter().any(is_open) {
        Exit::Unknown
    } else {
        Exit::Fine
    }
}
