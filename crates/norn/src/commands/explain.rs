//! `norn explain`: the counterexample that a schedule is, shown as `norn check` shows it.

use crate::args::ExplainArgs;
use crate::commands::conclusion;
use crate::commands::run::read_schedule;
use crate::exit::Exit;
use crate::explaining;
use crate::frontend::{self, Compiled, Decisions};
use crate::limits;
use crate::output;
use crate::watch::{self, LastWords};
use norn_machine::replay::{End, confirm, replay};
use norn_report::json;
use norn_report::visible::visible;
use norn_verdict::claim::{Claim, Ruling};
use norn_verdict::outcome::{Outcome, Stats, Verdict};
use norn_verdict::schedule::Schedule;

/// Who found the execution: that is not known any more.
const ENGINE: &str = "schedule";

pub fn run(args: &ExplainArgs) -> Exit {
    watch::limit(args.timeout, limits::default_memory());
    watch::last_words(|exceeded| LastWords {
        error: format!("norn: unknown: {}\n", exceeded.reason()),
        ..LastWords::default()
    });
    let schedule = match read_schedule(&args.schedule) {
        Ok(schedule) => schedule,
        Err(message) => return output::fail(&message, Exit::BadInput),
    };
    // As `check` does, so that its schedules fit.
    let compiled = match frontend::compile(&args.c, Decisions::Marked) {
        Ok(compiled) => compiled,
        Err(failure) => return failure.into(),
    };
    watch::begin_task(args.timeout, limits::default_memory());
    let verdict = match confirmed(args, &compiled, schedule) {
        Ok(verdict) => verdict,
        Err((message, exit)) => return output::fail(&message, exit),
    };
    let checks = args.checks.checks();
    let verdict = match args.shorten {
        Some(time) => explaining::shortened_within(verdict, &compiled.program, checks, &watch::stop_token(), time),
        None => verdict,
    };
    watch::end_task();
    show(args, &compiled, verdict)
}

/// The verdict that the schedule shows, or what is wrong with it.
fn confirmed(args: &ExplainArgs, compiled: &Compiled, schedule: Schedule) -> Result<Verdict, (String, Exit)> {
    let shown = visible(&args.schedule.display().to_string()).into_owned();
    let (program, checks) = (&compiled.program, args.checks.checks());
    let model = schedule.model;
    let does_not_fit = |error: String| (format!("'{shown}' does not fit: {error}"), Exit::BadInput);
    let replayed = replay(program, checks, &schedule).map_err(|error| does_not_fit(error.to_string()))?;
    let End::Violation(violation) = replayed.end else {
        let help = "`norn run --trace --schedule` shows its steps";
        return Err((format!("'{shown}' shows no violation of what is checked; {help}"), Exit::BadInput));
    };
    match confirm(program, checks, Claim { schedule, expected: vec![(&violation).into()] }) {
        Ruling::Holds(found) => Ok(Verdict::new(model, ENGINE, Outcome::Unsafe(found), Stats::default())),
        Ruling::Open(open) => Err((format!("'{shown}': {open}"), Exit::Unknown)),
        Ruling::Fails(mismatch) => Err(does_not_fit(mismatch.to_string())),
    }
}

fn show(args: &ExplainArgs, compiled: &Compiled, verdict: Verdict) -> Exit {
    let mut written = Exit::Fine;
    if let (Outcome::Unsafe(found), Some(path)) = (&verdict.outcome, &args.schedule_out) {
        written = output::write(path, &found.schedule().to_string());
    }
    let text = compiled.with_sources(|sources| match args.json {
        true => crate::json_output::text(vec![json::verdict(&verdict, sources)]),
        false => conclusion::text(&verdict, sources),
    });
    let verdicts = [verdict];
    let filed = args.files.write(&verdicts, args.checks.checks(), compiled);
    let printed = output::print(&text);
    [written, filed, printed].into_iter().find(|exit| *exit != Exit::Fine).unwrap_or(Exit::Unsafe)
}
