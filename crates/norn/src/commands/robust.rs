//! `norn robust`: is every trace under TSO or PSO also one of SC?

use crate::args::RobustArgs;
use crate::engines;
use crate::exit::Exit;
use crate::frontend::{self, Compiled, Failure};
use crate::interrupt;
use crate::loops;
use crate::progress::ProgressLine;
use norn_ir::program::Program;
use norn_report::{Sources, robust};
use norn_stateless::{Task, robustness};
use norn_verdict::limits::StopToken;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Stats};
use norn_verdict::robustness::{Robustness, RobustnessVerdict};
use std::time::Instant;

pub fn run(args: &RobustArgs) -> Exit {
    let compiled = match frontend::compile(&args.c) {
        Ok(compiled) => compiled,
        Err(Failure::Unsupported(reason)) => return unsupported(args, &reason),
        Err(failure) => return failure.into(),
    };
    if let Err(message) = loops::check_bounds(&compiled.program, &args.unwind) {
        return frontend::fail(&message, Exit::Usage);
    }
    let stop = StopToken::default();
    interrupt::stop_on_interrupt(&stop);
    let mut verdicts = Vec::new();
    for model in args.models() {
        match ask(args, &compiled, model, &stop) {
            Ok(verdict) => verdicts.push(verdict),
            Err(exit) => return exit,
        }
        if stop.is_stopped() {
            break;
        }
    }
    let printed = match args.json {
        true => compiled.with_sources(|sources| print_json(&verdicts, sources)),
        false => Exit::Fine,
    };
    match printed {
        Exit::Fine if stop.is_stopped() => Exit::Interrupted,
        Exit::Fine => overall(&verdicts, args.require_proof),
        failed => failed,
    }
}

fn unsupported(args: &RobustArgs, reason: &str) -> Exit {
    let nothing = Program::empty();
    let sources = Sources { program: &nothing, line_text: &|_, _| None };
    let verdicts = args.models().into_iter().map(|model| RobustnessVerdict {
        model,
        engine: "none",
        outcome: Robustness::Unknown { reason: reason.to_owned(), span: None },
        stats: Stats::default(),
    });
    let verdicts = verdicts.collect::<Vec<_>>();
    let printed = match args.json {
        true => print_json(&verdicts, &sources),
        false => {
            let lines = verdicts.iter().map(|v| robust::verdict_line(v, &sources) + "\n");
            frontend::print(&lines.collect::<String>())
        }
    };
    if printed == Exit::Fine { Exit::Unknown } else { printed }
}

/// The answer under one model, shown as it comes unless JSON is asked for.
fn ask(args: &RobustArgs, compiled: &Compiled, model: Model, stop: &StopToken) -> Result<RobustnessVerdict, Exit> {
    let start = Instant::now();
    let line = ProgressLine::new();
    let limits = frontend::limits(&args.limits, stop, &line);
    let bounds = engines::given_bounds(&args.unwind);
    let verdict = robustness(&Task {
        program: &compiled.program,
        model,
        checks: Checks::default(),
        bounds: bounds.as_ref(),
        limits: &limits,
    });
    line.clear();
    let mut verdict = verdict.map_err(|mismatch| {
        frontend::fail(&format!("internal error: a cyclic trace did not replay: {mismatch}"), Exit::Internal)
    })?;
    verdict.stats.0.insert("seconds", start.elapsed().as_secs_f64());
    if args.stats {
        frontend::print_stats(&compiled.times, &verdict.stats);
    }
    if !args.json {
        let text = compiled.with_sources(|sources| text(&verdict, sources));
        let exit = frontend::print(&text);
        if exit != Exit::Fine {
            return Err(exit);
        }
    }
    Ok(verdict)
}

fn text(verdict: &RobustnessVerdict, sources: &Sources<'_>) -> String {
    let mut text = String::new();
    if let Robustness::NotRobust(cyclic) = &verdict.outcome {
        text = robust::cyclic_trace(cyclic, sources, frontend::width());
        text.push('\n');
    }
    text + &robust::verdict_line(verdict, sources) + "\n"
}

fn print_json(verdicts: &[RobustnessVerdict], sources: &Sources<'_>) -> Exit {
    let values = verdicts.iter().map(|v| robust::verdict(v, sources)).collect::<Vec<_>>();
    frontend::print_json(values)
}

/// The status that says most: not robust, then unknown, then robust.
fn overall(verdicts: &[RobustnessVerdict], require_proof: bool) -> Exit {
    let is_open = |v: &RobustnessVerdict| match &v.outcome {
        Robustness::Unknown { .. } => true,
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
