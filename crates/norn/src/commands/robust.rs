//! `norn robust`: is every trace under TSO or PSO also one of SC?

use crate::args::RobustArgs;
use crate::asking::given_bounds;
use crate::exit::Exit;
use crate::frontend::{self, Compiled, Decisions, Failure};
use crate::json_output;
use crate::limits;
use crate::loops;
use crate::output;
use crate::progress::ProgressLine;
use crate::watch::{self, LastWords};
use norn_engine::Query;
use norn_ir::program::Program;
use norn_machine::Reference;
use norn_report::{Sources, robust};
use norn_stateless::robustness;
use norn_verdict::limits::{Exceeded, StopToken};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Stats};
use norn_verdict::robustness::{Robustness, RobustnessVerdict};
use norn_verdict::undecided::{Undecided, Why};
use serde_json::Value;
use std::time::Instant;

pub fn run(args: &RobustArgs) -> Exit {
    if args.c.reuse_memory {
        return output::fail("--reuse-memory: robustness is decided only where memory is not reused", Exit::Usage);
    }
    watch::limit(args.limits.timeout, args.limits.memory());
    leave_last_words(args, args.models(), Vec::new(), Exit::Unknown);
    let compiled = match frontend::compile(&args.c, Decisions::Unmarked) {
        Ok(compiled) => compiled,
        Err(Failure::Unsupported(reason)) => return unsupported(args, &reason),
        Err(failure) => return failure.into(),
    };
    if let Err(message) = loops::check_bounds(&compiled.program, &args.unwind) {
        return output::fail(&message, Exit::Usage);
    }
    let stop = watch::stop_token();
    let mut unwritten = false;
    let mut verdicts = Vec::new();
    let mut values = Vec::new();
    let models = args.models();
    for (done, &model) in models.iter().enumerate() {
        leave_last_words(args, models[done..].to_vec(), values.clone(), overall(&verdicts, args.require_proof));
        let verdict = match ask(args, &compiled, model, &stop) {
            Ok(verdict) => verdict,
            Err(exit) => return exit,
        };
        if args.json {
            values.push(compiled.with_sources(|sources| robust::verdict(&verdict, sources)));
        }
        verdicts.push(verdict);
        unwritten |= args.files.write_robust(&verdicts, &compiled) != Exit::Fine;
        if stop.is_stopped() {
            break;
        }
    }
    // Those that were not come to are told, too.
    let left = &models[verdicts.len()..];
    let printed = match args.json || !left.is_empty() {
        true => output::print(&unknown(left, &Exceeded::Interrupted.into(), args.json, values)),
        false => Exit::Fine,
    };
    match printed {
        Exit::Fine if unwritten => Exit::Unwritten,
        Exit::Fine if stop.is_stopped() => Exit::Interrupted,
        Exit::Fine => overall(&verdicts, args.require_proof),
        failed => failed,
    }
}

fn unsupported(args: &RobustArgs, reason: &str) -> Exit {
    let printed = output::print(&unknown(&args.models(), &Why::no_meaning(reason.to_owned()), args.json, Vec::new()));
    if printed == Exit::Fine { Exit::Unknown } else { printed }
}

/// What is printed if the models get no verdict for a reason that has no place; those before them have been given, as
/// `values` if JSON is asked for.
fn unknown(models: &[Model], why: &Why, as_json: bool, mut values: Vec<Value>) -> String {
    let nothing = Program::empty();
    let sources = Sources { program: &nothing, line_text: &|_, _| None };
    let verdicts = models.iter().map(|&model| RobustnessVerdict {
        model,
        engine: "none",
        outcome: Robustness::Unknown(Undecided::new(why.clone())),
        stats: Stats::default(),
    });
    if as_json {
        values.extend(verdicts.map(|v| robust::verdict(&v, &sources)));
        return json_output::text(values);
    }
    verdicts.map(|v| robust::verdict_line(&v, &sources) + "\n").collect()
}

/// If the work has to end: the models that are left are unknown. The others have this status.
fn leave_last_words(args: &RobustArgs, models: Vec<Model>, values: Vec<Value>, others: Exit) {
    let as_json = args.json;
    let exit = Some(if others == Exit::Unsafe { others } else { Exit::Unknown });
    watch::last_words(move |exceeded| LastWords {
        output: unknown(&models, &exceeded.into(), as_json, values.clone()),
        exit,
        ..LastWords::default()
    });
}

/// The answer under one model, shown as it comes unless JSON is asked for.
fn ask(args: &RobustArgs, compiled: &Compiled, model: Model, stop: &StopToken) -> Result<RobustnessVerdict, Exit> {
    let start = Instant::now();
    let line = ProgressLine::new();
    let limits = limits::limits(&args.limits, stop, &line);
    let bounds = given_bounds(&args.unwind).bounds();
    let (program, checks) = (&compiled.program, Checks::usual());
    let query = Query { program, model, checks, bounds: bounds.as_ref(), limits: &limits };
    let verdict = robustness(&query, &Reference);
    watch::end_task();
    line.clear();
    let mut verdict = verdict.map_err(|mismatch| {
        output::fail(&format!("internal error: a cyclic trace did not replay: {mismatch}"), Exit::Internal)
    })?;
    verdict.stats.0.insert("seconds", start.elapsed().as_secs_f64());
    if args.stats {
        output::print_stats(&compiled.times, &verdict.stats);
    }
    if !args.json {
        let text = compiled.with_sources(|sources| text(&verdict, sources));
        let exit = output::print(&text);
        if exit != Exit::Fine {
            return Err(exit);
        }
    }
    Ok(verdict)
}

fn text(verdict: &RobustnessVerdict, sources: &Sources<'_>) -> String {
    let mut text = String::new();
    if let Robustness::NotRobust(cyclic) = &verdict.outcome {
        text = robust::cyclic_trace(cyclic, sources, output::width());
        text.push('\n');
    }
    text + &robust::verdict_line(verdict, sources) + "\n"
}

/// The status that says most: not robust, then unknown, then robust.
fn overall(verdicts: &[RobustnessVerdict], require_proof: bool) -> Exit {
    let is_open = |v: &RobustnessVerdict| match &v.outcome {
        Robustness::Unknown(_) => true,
        outcome => require_proof && !outcome.is_complete(),
    };
    if verdicts.iter().any(|v| matches!(v.outcome, Robustness::NotRobust(_))) {
        Exit::Unsafe
    } else if verdicts.iter().any(is_open) {
        Exit::Unknown
    } else {
        Exit::Fine
    }
}
