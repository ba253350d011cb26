//! What the answers in a folder say together, shown as `norn check` shows a verdict.
//!
//! Claims are replayed by the reference machine here, whoever made them; one that does not replay is a file that is wrong,
//! like one that cannot be read. A verdict of safe goes the way that it goes in a run without pieces: only bounds that were given
//! count, and random executions attack it.

use crate::commands::check::{attacked, race_note};
use crate::commands::conclusion::{self, Part};
use crate::exit::Exit;
use crate::explaining;
use crate::frontend::Compiled;
use crate::harness::note_harness;
use crate::json_output;
use crate::output;
use crate::reach::note_unreached;
use crate::tiles::args::Told;
use crate::tiles::cutting;
use crate::tiles::folder::TileFolder;
use crate::watch::{self, LastWords};
use norn_machine::Reference;
use norn_portfolio::{NOBODY_LISTENS, Options, Task, given};
use norn_report::json;
use norn_tiles::gather::{Count, Pieces, Together, gather};
use norn_tiles::{Answer, Question};
use norn_verdict::claim::{Referee, Ruling};
use norn_verdict::limits::Limits;
use norn_verdict::outcome::{Checks, Outcome, Stats, Verdict};
use norn_verdict::undecided::{Undecided, Why};
use serde_json::{Value, json};
use std::cell::OnceCell;
use std::path::Path;
use std::time::{Duration, Instant};

/// What was told.
pub struct Spoken {
    pub exit: Exit,
    /// Whether nothing is left to ask.
    pub is_decided: bool,
}

const ENGINE: &str = "rounds";

/// Gathers and shows. `note`: why pieces may be missing, if that is known.
pub fn tell(folder: &TileFolder, told: &Told<'_>, note: Option<&str>) -> Result<Spoken, Exit> {
    let start = Instant::now();
    let bad = |message: String| output::fail(&message, Exit::BadInput);
    let pieces = folder.pieces().map_err(bad)?;
    let question = &pieces.question;
    let as_json = told.json;
    let parts = [Part::Open(question.model)];
    watch::last_words(move |exceeded| LastWords {
        output: conclusion::output(&parts, &exceeded.into(), as_json),
        ..LastWords::default()
    });
    let wrong = |reason: String| bad(format!("'{}': {reason}", folder.path().display()));
    let program = cutting::prepared(&question.program).map_err(wrong)?;
    let answers = answers(folder, &pieces, program.files.len()).map_err(bad)?;
    let mut stats = figures(&answers);
    let (together, count) = gather(&pieces, answers).map_err(wrong)?;
    let compiled = Compiled::kept(program, question.lines.clone());

    let stop = watch::stop_token();
    let limits = Limits {
        deadline: Some(watch::begin_task(told.limits.timeout, told.limits.memory())),
        memory: Some(told.limits.memory()),
        stop: stop.clone(),
        ..Limits::none()
    };
    let (options, given) =
        (Options { rounds: cutting::engine(question), ..Options::default() }, cutting::bounds(question));
    let (program, checks) = (&compiled.program, question.checks);
    let task = Task { program, checks, given: &given, limits: &limits, options: &options, heard: NOBODY_LISTENS };
    let verdict = |outcome| Verdict::new(question.model, ENGINE, outcome, Stats::default());
    let mut verdict = match together {
        Together::Unsafe(claims) => replayed(folder, question, &compiled, &claims, verdict)?,
        Together::Unknown(undecided) => verdict(Outcome::Unknown(with_note(undecided, note, &count))),
        Together::Safe(safe) => {
            let safe_verdict = verdict(Outcome::Safe { bounds: safe.bounds })
                .assuming(safe.assumptions)
                .reaching(safe.reached)
                .with_own_addresses(safe.own_addresses);
            let within = given::within_given(&task, safe_verdict);
            let within = if told.no_attack { within } else { attacked(&task, within, Duration::ZERO, Path::new("."))? };
            noted(within, &compiled, checks, &limits)
        }
    };
    stats.0.insert("seconds", start.elapsed().as_secs_f64());
    verdict.stats.0.extend(std::mem::take(&mut stats.0));
    if told.stats {
        output::print_stats(&compiled.times, &verdict.stats);
    }
    if matches!(verdict.outcome, Outcome::Unsafe(_)) && !told.no_explain {
        verdict = explaining::shortened(verdict, program, checks, &stop);
    }
    watch::end_task();
    let unwritten = written(&verdict, checks, &compiled, told);
    let exit = shown(&verdict, &count, &compiled, told);
    let is_decided = !matches!(exit, Exit::Unknown | Exit::Unwritten);
    Ok(Spoken { exit: if unwritten { Exit::Unwritten } else { exit }, is_decided })
}

/// The answers that are there to pieces that are there.
pub fn answers(folder: &TileFolder, pieces: &Pieces, files: usize) -> Result<Vec<Answer>, String> {
    let mut answers = Vec::new();
    for tile in 0..pieces.tiles() {
        if let Some(prints) = pieces.prints(tile) {
            answers.extend(folder.answered(tile, prints, files)?);
        }
    }
    Ok(answers)
}

/// The verdict of the first claim that the machine confirms.
fn replayed(
    folder: &TileFolder,
    question: &Question,
    compiled: &Compiled,
    claims: &[Answer],
    verdict: impl Fn(Outcome) -> Verdict,
) -> Result<Verdict, Exit> {
    let mut open = None;
    for answer in claims {
        let wrong = |reason: String| {
            let shown = folder.path().display();
            output::fail(&format!("'{shown}/answer-{}.json': {reason}", answer.tile), Exit::BadInput)
        };
        let Some(claim) = answer.said.claim() else { continue };
        let claim = claim.map_err(wrong)?;
        if claim.schedule.model != question.model {
            return Err(wrong(format!("its schedule is one under {}", claim.schedule.model)));
        }
        match Reference.rule(&compiled.program, question.checks, claim) {
            Ruling::Holds(found) => return Ok(verdict(Outcome::Unsafe(found))),
            Ruling::Open(undecided) => open = open.or(Some(undecided)),
            Ruling::Fails(mismatch) => return Err(wrong(format!("its violation is none: {mismatch}"))),
        }
    }
    let nothing = || Undecided::new(Why::NothingTried("no claim could be replayed".into()));
    Ok(verdict(Outcome::Unknown(open.unwrap_or_else(nothing))))
}

fn with_note(undecided: Undecided, note: Option<&str>, count: &Count) -> Undecided {
    match (note, &undecided.why) {
        (Some(note), Why::EndedBy(words)) if !count.missing.is_empty() => {
            Undecided::new(Why::EndedBy(format!("{words}; {note}").into()))
        }
        _ => undecided,
    }
}

/// With what there is to say about a verdict of safe.
fn noted(mut verdict: Verdict, compiled: &Compiled, checks: Checks, limits: &Limits) -> Verdict {
    let (model, points) = (verdict.model, OnceCell::new());
    let points = || &points.get_or_init(|| norn_passes::points::points(&compiled.program))[..];
    if matches!(verdict.outcome, Outcome::Safe { .. }) && !checks.data_race {
        let note = compiled.with_sources(|sources| race_note(model, sources, limits));
        verdict.remarks.notes.extend(note);
    }
    compiled.with_sources(|sources| {
        note_unreached(sources, points, &mut verdict);
        note_harness(sources, checks, points, &mut verdict);
    });
    verdict
}

/// Sums over the answers.
fn figures(answers: &[Answer]) -> Stats {
    let of =
        |name: &str| answers.iter().filter_map(move |answer| answer.stats.get(name)).copied().collect::<Vec<f64>>();
    let mut stats = Stats::default();
    let seconds = of("processor seconds");
    stats.0.insert("tiles answered", answers.len() as f64);
    stats.0.insert("tile processor seconds", seconds.iter().sum());
    stats.0.insert("longest tile", seconds.iter().copied().fold(0.0, f64::max));
    stats.0.insert("conflicts", of("conflicts").iter().sum());
    stats
}

/// Writes the files that were asked for; whether one could not be written.
fn written(verdict: &Verdict, checks: Checks, compiled: &Compiled, told: &Told<'_>) -> bool {
    let mut unwritten = false;
    if let (Outcome::Unsafe(found), Some(path)) = (&verdict.outcome, told.schedule_out) {
        unwritten |= output::write(path, &found.schedule().to_string()) != Exit::Fine;
    }
    unwritten | (told.files.write(std::slice::from_ref(verdict), checks, compiled) != Exit::Fine)
}

/// Shows the verdict; the status that it has.
fn shown(verdict: &Verdict, count: &Count, compiled: &Compiled, told: &Told<'_>) -> Exit {
    let text = compiled.with_sources(|sources| match told.json {
        true => {
            let mut value = json::verdict(verdict, sources);
            if let Value::Object(keys) = &mut value {
                keys.insert("tiles".to_owned(), counted(count));
            }
            json_output::text(vec![value])
        }
        false => conclusion::text(verdict, sources),
    });
    let _speaking = watch::speak();
    output::say(&conclusion::help(std::iter::once(&verdict.outcome), told.json));
    match output::print_now(&text) {
        Exit::Fine => conclusion::overall(std::slice::from_ref(verdict)),
        failed => failed,
    }
}

fn counted(count: &Count) -> Value {
    json!({
        "number": count.tiles,
        "safe": count.safe,
        "unsafe": count.found,
        "open": count.open,
        "missing": count.missing,
    })
}
