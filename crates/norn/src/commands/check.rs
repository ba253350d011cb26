//! `norn check`: is the program safe?

use crate::args::CheckArgs;
use crate::asking::{asked, given_bounds};
use crate::backend;
use crate::bundle;
use crate::commands::conclusion::{self, Conclusion, Part};
use crate::commands::graphs;
use crate::exit::Exit;
use crate::explaining;
use crate::frontend::{self, Compiled, Decisions, Failure};
use crate::limits;
use crate::loops;
use crate::output;
use crate::progress::ProgressLine;
use crate::tiles;
use crate::watch::{self, LastWords};
use norn_engine::capabilities::{self, Capabilities};
use norn_machine::nested::carried_over;
use norn_machine::run::first_violation;
use norn_portfolio::attack::{Attacked, attack};
use norn_portfolio::{Task, cross_check};
use norn_report::Sources;
use norn_verdict::claim::Mismatch;
use norn_verdict::limits::{Limits, StopToken};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome, Verdict, ViolationKind};
use norn_verdict::property::Property;
use norn_verdict::undecided::Why;
use std::path::Path;
use std::time::{Duration, Instant};

pub fn run(args: &CheckArgs) -> Exit {
    if let Some(message) = misplaced_option(args) {
        return output::fail(&message, Exit::Usage);
    }
    let elsewhere = args.cut();
    if let Some(message) = elsewhere.as_ref().and_then(|(cut, _)| tiles::cutting::misplaced(cut)) {
        return output::fail(&message, Exit::Usage);
    }
    watch::limit(args.limits.timeout, args.limits.memory());
    leave_last_words(args);
    let asked = match asked(args.property.as_deref(), &args.checks, &args.c.entry) {
        Ok(asked) => asked,
        Err(message) => return output::fail(&message, Exit::BadInput),
    };
    if !args.models.axioms().is_empty() && !args.show_loops {
        return graphs::run(args, asked.checks);
    }
    // Another verifier is given the program as it is.
    let decisions = if args.backend.is_some() { Decisions::Unmarked } else { Decisions::Marked };
    let compiled = match frontend::compile(&args.c, decisions) {
        Ok(compiled) => compiled,
        Err(Failure::Unsupported(reason)) => return unsupported(args, &reason),
        Err(failure) => return failure.into(),
    };
    if args.show_loops {
        return output::print(&loops::listing(&compiled.program));
    }
    if let Err(message) = loops::check_bounds(&compiled.program, &args.unwind) {
        return output::fail(&message, Exit::Usage);
    }
    if let Some((cut, place)) = &elsewhere {
        return tiles::elsewhere::run(args, (cut, place), &compiled);
    }
    let stop = watch::stop_token();
    if let Some(command) = &args.backend {
        return backend::run(args, command, &compiled.program, &stop);
    }
    match check(args, &asked, &compiled, &stop) {
        Ok(exit) | Err(exit) => exit,
    }
}

/// Checks one model after the other.
fn check(args: &CheckArgs, asked: &Property, compiled: &Compiled, stop: &StopToken) -> Result<Exit, Exit> {
    let models = args.models.list();
    let mut conclusion = Conclusion::new(args, asked, compiled, &models);
    let mut verdicts: Vec<Verdict> = Vec::new();
    let mut unwritten = false;
    for &model in &models {
        conclusion.leave_last_words(&verdicts)?;
        let is_last = verdicts.len() + 1 == models.len();
        let carried = carried_over(&compiled.program, asked.checks, &verdicts, model);
        let (verdict, limits) = match carried {
            Some(verdict) => (verdict, None),
            None => {
                // If time runs out while others are asked, what is known by then is said.
                let heard = |best: &Verdict| {
                    let _ = conclusion.leave_last_words(&[&verdicts[..], std::slice::from_ref(best)].concat());
                };
                let checked = check_model(args, asked, compiled, model, stop, is_last, &heard);
                checked.map(|(verdict, own)| (verdict, Some(own)))?
            }
        };
        // What shows the fewest steps is not made any shorter.
        let verdict = match &verdict.outcome {
            Outcome::Unsafe(_) if !args.no_explain && !args.shortest => {
                conclusion.leave_last_words(&[&verdicts[..], std::slice::from_ref(&verdict)].concat())?;
                explaining::shortened(verdict, &compiled.program, asked.checks, stop)
            }
            _ => verdict,
        };
        if let (Outcome::Unsafe(found), Some(path)) = (&verdict.outcome, &args.schedule_out) {
            unwritten |= output::write(path, &found.schedule().to_string()) != Exit::Fine;
        }
        verdicts.push(verdict);
        unwritten |= conclusion.write_files(&verdicts)? != Exit::Fine;
        // From here on the verdict is said if time runs out.
        conclusion.leave_last_words(&verdicts)?;
        let verdict = verdicts.last_mut().expect("one was just added");
        if let Some(limits) = limits
            && matches!(verdict.outcome, Outcome::Safe { .. })
            && !asked.checks.data_race
        {
            let note = compiled.with_sources(|sources| race_note(model, sources, &limits));
            verdict.remarks.notes.extend(note);
        }
        // What other models cannot change any more is shown as it comes.
        let is_final = |verdict: &Verdict| verdict.outcome.is_complete();
        conclusion.show(&verdicts, verdicts.iter().take_while(|verdict| is_final(verdict)).count())?;
        if stop.is_stopped() {
            break;
        }
    }
    watch::end_task();
    let exit = conclusion.show(&verdicts, models.len())?;
    Ok(match exit {
        _ if unwritten => Exit::Unwritten,
        _ if stop.is_stopped() => Exit::Interrupted,
        exit => exit,
    })
}

/// An option that the chosen engine would ignore: what it asks for would be missing from the verdict.
fn misplaced_option(args: &CheckArgs) -> Option<String> {
    if let Some(message) = graphs::misplaced_option(args) {
        return Some(message);
    }
    let is_for = |has: fn(&Capabilities) -> bool| args.engine.who().is_none_or(|who| has(who.capabilities()));
    let those = |has: fn(&Capabilities) -> bool| {
        let names = capabilities::ALL.iter().filter(|engine| has(engine)).map(|engine| format!("'{}'", engine.name));
        let names = names.collect::<Vec<_>>();
        format!("the engine{} {}", if names.len() == 1 { "" } else { "s" }, names.join(" and "))
    };
    if args.shortest && !is_for(|engine| engine.finds_shortest) {
        let those = those(|engine| engine.finds_shortest);
        return Some(format!("only {those} look for the shortest counterexample"));
    }
    if args.events.certify && (!is_for(|engine| engine.has_proofs) || args.cross_check || args.shortest) {
        return Some(format!("only {} have a proof to check", those(|engine| engine.has_proofs)));
    }
    let rounds = &args.rounds;
    let speaks_of_rounds = rounds.limit.is_some() || rounds.bits.is_some() || !rounds.thread_order.is_empty();
    let is_for_rounds = is_for(|engine| engine.counts_rounds) || args.cross_check;
    (speaks_of_rounds && !is_for_rounds).then(|| format!("only {} counts rounds", those(|engine| engine.counts_rounds)))
}

/// C that Norn cannot handle is unknown under every model.
fn unsupported(args: &CheckArgs, reason: &str) -> Exit {
    let parts = args.models.list().into_iter().map(Part::Open).collect::<Vec<_>>();
    let printed = output::print(&conclusion::output(&parts, &Why::no_meaning(reason.to_owned()), args.json));
    if printed == Exit::Fine { Exit::Unknown } else { printed }
}

/// If the work has to end before there is a program: all models are unknown.
fn leave_last_words(args: &CheckArgs) {
    let parts = args.models.list().into_iter().map(Part::Open).collect::<Vec<_>>();
    let as_json = args.json;
    watch::last_words(move |exceeded| LastWords {
        output: conclusion::output(&parts, &exceeded.into(), as_json),
        ..LastWords::default()
    });
}

/// The verdict under one model, and the limits within which it was found.
fn check_model(
    args: &CheckArgs,
    asked: &Property,
    compiled: &Compiled,
    model: Model,
    stop: &StopToken,
    is_last: bool,
    heard: &dyn Fn(&Verdict),
) -> Result<(Verdict, Limits), Exit> {
    let start = Instant::now();
    let line = ProgressLine::new();
    let limits = limits::limits(&args.limits, stop, &line);
    let (options, given) = (args.options(), given_bounds(&args.unwind));
    let (program, checks) = (&compiled.program, asked.checks);
    let task = Task { program, checks, given: &given, limits: &limits, options: &options, heard };
    let verdicts = match args.cross_check {
        true => cross_check::verdicts(&task, model),
        false => args.engine.verdicts(&task, model),
    };
    match is_last {
        true => watch::end_task_soon(),
        // The time of other models is not over when that of this one is.
        false => watch::end_task(),
    }
    line.clear();
    let verdicts = verdicts.map_err(|mismatch| report_mismatch(&task, &mismatch))?;
    if let Some((violated, safe)) = cross_check::disagreement(&verdicts, &given) {
        return Err(report_disagreement(&task, &verdicts, (violated.engine, safe.engine), Path::new(".")));
    }
    let mut verdict = cross_check::strongest(verdicts).expect("some engine should have been asked");
    if !args.no_attack {
        verdict = attacked(&task, verdict, start.elapsed(), Path::new("."))?;
    }
    verdict.stats.0.insert("seconds", start.elapsed().as_secs_f64());
    if args.stats {
        output::print_stats(&compiled.times, &verdict.stats);
    }
    Ok((verdict, limits))
}

/// What is to be shown, after an attack on what says safe. If it is wrong, a report goes into the folder.
pub fn attacked(task: &Task<'_>, verdict: Verdict, spent: Duration, folder: &Path) -> Result<Verdict, Exit> {
    match attack(task, verdict, spent).map_err(|mismatch| report_mismatch(task, &mismatch))? {
        Attacked::Shown(verdict) => Ok(*verdict),
        Attacked::Contradicted(both) => {
            let engines = (both[0].engine, both[1].engine);
            Err(report_disagreement(task, &both[..], engines, folder))
        }
    }
}

/// An engine contradicts the machine: nothing that it says is worth printing as a verdict.
pub fn report_mismatch(task: &Task<'_>, mismatch: &Mismatch) -> Exit {
    let Mismatch::LeftOut { reason, schedule } = mismatch else {
        let message = format!("internal error: a counterexample did not replay: {mismatch}");
        return output::fail(&message, Exit::Internal);
    };
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let command = words.collect::<Vec<_>>().join(" ");
    let written = match bundle::of_left_out(Path::new("."), task.program, reason, schedule, &command) {
        Ok(folder) => format!("please report the folder '{}'", folder.display()),
        Err(error) => format!("the report could not be written: {error}"),
    };
    output::fail(&format!("internal error: {mismatch}; {written}"), Exit::Internal)
}

/// Two engines contradict one another: nothing that either says is worth printing as a verdict.
fn report_disagreement(task: &Task<'_>, verdicts: &[Verdict], (violated, safe): (&str, &str), folder: &Path) -> Exit {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let command = words.collect::<Vec<_>>().join(" ");
    let written = match bundle::of_disagreement(folder, task.program, verdicts, &command) {
        Ok(folder) => format!("please report the folder '{}'", folder.display()),
        Err(error) => format!("the report could not be written: {error}"),
    };
    let message =
        format!("internal error: '{violated}' found a violation and replayed it, '{safe}' says safe; {written}");
    output::fail(&message, Exit::Internal)
}

/// A safe program may still have data races, and then C compilers may do with it what Norn did not look at. A few
/// random executions show most of them.
pub fn race_note(model: Model, sources: &Sources<'_>, limits: &Limits) -> Option<String> {
    const EXECUTIONS: u64 = 8;
    const STEPS: u64 = 2_000;
    let checks = Checks { data_race: true, ..Checks::default() };
    let soon = Limits::for_seconds(0.5);
    // Within the time limit, too.
    let limits = Limits { deadline: soon.deadline.min(limits.deadline.or(soon.deadline)), ..limits.clone() };
    let kind = ViolationKind::DataRace;
    let race = first_violation(sources.program, model, checks, kind, 0..EXECUTIONS, STEPS, &limits)?;
    Some(format!(
        "the program has data races (one is at {}). Plain accesses were taken as written, but C compilers may reorder \
         them; see --data-race",
        sources.place(race.span)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use norn_engine::{GivenBounds, Prepared};
    use norn_ir::program::Origin;
    use norn_portfolio::Options;
    use norn_verdict::outcome::{Bound, BoundKind, LoopPlace, Stats};
    use std::fs;

    fn program(source: &str) -> Prepared {
        norn_testing::prepare(&format!("#include <assert.h>\nextern int nondet_int(void);\n{source}"))
    }

    /// What becomes of a verdict that says safe within the bounds, by an engine that may be wrong; and what it leaves behind.
    fn claim_safe(source: &str, bounds: &[Bound], given: &GivenBounds) -> (Result<Verdict, Exit>, Vec<String>) {
        let program = program(source);
        let (limits, options) = (Limits::for_seconds(60.0), Options { sampling: true, ..Options::default() });
        let (program, checks) = (&program, Checks::default());
        let task =
            Task { program, checks, given, limits: &limits, options: &options, heard: norn_portfolio::NOBODY_LISTENS };
        let outcome = Outcome::Safe { bounds: bounds.to_vec() };
        let verdict = Verdict::new(Model::Sc, "events", outcome, Stats::default());
        let number = program.fingerprint();
        let folder = std::env::temp_dir().join(format!("norn-attack-{}-{number:x}", std::process::id()));
        fs::create_dir_all(&folder).expect("the folder should be writable");
        let became = attacked(&task, verdict, Duration::ZERO, &folder);
        let mut left = Vec::new();
        for entry in fs::read_dir(&folder).expect("the folder should be there") {
            let inside = fs::read_dir(entry.expect("an entry").path()).expect("the report should be a folder");
            left.extend(inside.map(|file| file.expect("a file").file_name().display().to_string()));
        }
        left.sort();
        fs::remove_dir_all(folder).expect("the folder should go");
        (became, left)
    }

    #[test]
    fn a_wrong_safe_is_an_internal_error_with_a_report() {
        let (became, left) =
            claim_safe("int main(void) { assert(nondet_int() != 123456); }", &[], &GivenBounds::default());
        assert_eq!(became.map(|verdict| verdict.engine), Err(Exit::Internal));
        assert_eq!(left, ["program.ir", "unsafe.schedule", "verdicts.txt"]);
    }

    #[test]
    fn a_right_safe_is_shown_with_the_cost_of_the_attack() {
        let (became, left) =
            claim_safe("int main(void) { assert(nondet_int() != 3 || 1); }", &[], &GivenBounds::default());
        let verdict = became.expect("it should stand");
        assert!(left.is_empty(), "{left:?}");
        assert!(matches!(verdict.outcome, Outcome::Safe { .. }));
        assert!(verdict.stats.0["attack executions"] >= 100.0, "{:?}", verdict.stats);
        assert!(verdict.stats.0["attack seconds"] >= 0.02, "{:?}", verdict.stats);
    }

    #[test]
    fn bounds_that_were_given_are_attacked_within() {
        let source = "int x; int main(void) { for (int i = 0; i < 10; i++) x++; assert(x != 10); }";
        let bound = |value| Bound {
            kind: BoundKind::Unwind(LoopPlace { file: "test.c".to_owned(), line: 3, origin: Origin::User }),
            value,
            exhausted: false,
        };
        let stands = claim_safe(source, &[bound(3)], &GivenBounds::of_all_loops(3)).0;
        assert!(matches!(stands.expect("it should stand").outcome, Outcome::Safe { .. }));
        let wrong = claim_safe(source, &[bound(10)], &GivenBounds::of_all_loops(10)).0;
        assert_eq!(wrong.map(|verdict| verdict.engine), Err(Exit::Internal));
    }

    #[test]
    fn a_violation_beyond_the_rounds_is_the_better_answer() {
        let source = "#include <pthread.h>\nint x; void *f(void *p) { int a = x; int b = x; assert(!(a == 1 && b == 2)); return 0; }\n\
            int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 1; x = 2; pthread_join(t, 0); }";
        let bound = Bound { kind: BoundKind::Rounds, value: 1, exhausted: false };
        let (became, left) = claim_safe(source, &[bound], &GivenBounds::default());
        assert!(left.is_empty(), "{left:?}");
        assert!(matches!(became.expect("nothing is contradicted").outcome, Outcome::Unsafe(_)));
    }
}
