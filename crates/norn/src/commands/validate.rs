//! `norn validate`: is there an execution that a witness describes?

use crate::args::{Engine, ValidateArgs};
use crate::asking::jobs;
use crate::commands::conclusion;
use crate::exit::Exit;
use crate::explaining;
use crate::frontend::{self, Compiled, Decisions};
use crate::input;
use crate::limits;
use crate::output;
use crate::progress::ProgressLine;
use crate::watch::{self, LastWords};
use norn_engine::GivenBounds;
use norn_portfolio::attack::{Attacked, attack};
use norn_portfolio::{NOBODY_LISTENS, Options, Task};
use norn_report::visible::visible;
use norn_validate::Question;
use norn_validate::guards::Guards;
use norn_validate::search::{Answer, Search};
use norn_verdict::claim::Mismatch;
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Counterexample, Outcome, Stats, Verdict, ViolationKind};
use norn_verdict::property;
use norn_verdict::undecided::{Undecided, Why};
use norn_witness::read::{Content, MOST_BYTES, Read, read};
use norn_witness::{sha256, specification};
use std::time::Instant;

/// Who followed the witness.
const ENGINE: &str = "witness";

/// The answer about a witness.
enum Said {
    Confirmed,
    Refuted,
    Unknown(Undecided),
}

pub fn run(args: &ValidateArgs) -> Exit {
    watch::limit(args.limits.timeout, args.limits.memory());
    watch::last_words(|exceeded| LastWords { output: unknown(exceeded), ..LastWords::default() });
    match validate(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn unknown(exceeded: Exceeded) -> String {
    format!("norn: unknown (sc): {}\n", exceeded.reason())
}

/// What is checked, and which violations are meant.
struct Asked {
    checks: Checks,
    kinds: Vec<ViolationKind>,
}

fn validate(args: &ValidateArgs) -> Result<Exit, Exit> {
    let witness = read_witness(args).map_err(|message| output::fail(&message, Exit::BadInput))?;
    let asked = asked(args, &witness).map_err(|message| output::fail(&message, Exit::BadInput))?;
    let compiled = frontend::compile(&args.c, Decisions::Marked)?;
    let notes = notes_on_files(args, &witness);
    match &witness.content {
        Content::Violation(automaton) => {
            let texts = compiled.texts();
            let Asked { checks, kinds } = &asked;
            let program = &compiled.program;
            let question = Question { program, texts: &texts, checks: *checks, kinds, automaton };
            let answer = follow(args, &compiled, question)?;
            let (said, found) = match answer {
                Answer::Confirmed(found) => (Said::Confirmed, Some(found)),
                Answer::Refuted => (Said::Refuted, None),
                Answer::Open(open) => (Said::Unknown(open), None),
            };
            let outcome = match (found, &said) {
                (Some(found), _) => Outcome::Unsafe(found),
                (None, Said::Unknown(open)) => Outcome::Unknown(open.clone()),
                (None, _) => Outcome::Unknown(Undecided::new(Why::NothingTried("the witness is refuted".into()))),
            };
            let verdict = Verdict::new(Model::Sc, ENGINE, outcome, Stats::default());
            let words = "no execution that the witness allows goes wrong where it says";
            conclude(args, &compiled, *checks, verdict, &said, words, notes)
        }
        Content::Correctness { invariants } => {
            let line = ProgressLine::new();
            let limits = limits::limits(&args.limits, &watch::stop_token(), &line);
            let verdict = check(args, &compiled, asked.checks, &limits)?;
            line.clear();
            watch::end_task();
            let said = match &verdict.outcome {
                Outcome::Unsafe(_) => Said::Refuted,
                Outcome::Safe { .. } if !is_proof(&verdict) => {
                    let words = "the program is safe only within the bounds that were given, or under assumptions";
                    Said::Unknown(Undecided::new(Why::NotProved(words.into())))
                }
                Outcome::Safe { .. } if *invariants > 0 => {
                    let words = "the program is safe, but invariants of witnesses are not supported";
                    Said::Unknown(Undecided::new(Why::NotProved(words.into())))
                }
                Outcome::Safe { .. } => Said::Confirmed,
                Outcome::Limited { undecided, .. } | Outcome::Unknown(undecided) => Said::Unknown(undecided.clone()),
            };
            conclude(args, &compiled, asked.checks, verdict, &said, "safe", notes)
        }
    }
}

fn read_witness(args: &ValidateArgs) -> Result<Read, String> {
    let shown = visible(&args.witness.display().to_string()).into_owned();
    let bytes = norn_ir::read::read(&args.witness, MOST_BYTES).map_err(|error| format!("'{shown}': {error}"))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("'{shown}': it is not UTF-8 text"))?;
    read(&text).map_err(|wrong| {
        let place = format!("{shown}:{}:{}", wrong.mark.line, wrong.mark.column);
        format!("{place}: {}", visible(&wrong.message))
    })
}

/// What the witness says, unless options say otherwise.
fn asked(args: &ValidateArgs, witness: &Read) -> Result<Asked, String> {
    let told = specification::read(&witness.header.specification);
    if let Some(path) = &args.property {
        let shown = visible(&path.display().to_string()).into_owned();
        let text = input::read(path).map_err(|reason| format!("'{shown}': {reason}"))?;
        let checks = property::parse(&text).map_err(|reason| format!("'{shown}': {reason}"))?.checks;
        let of_file = specification::read(&text).map_err(|reason| format!("'{shown}': {reason}"))?;
        return Ok(Asked { checks, kinds: of_file.kinds });
    }
    if args.checks.is_given() {
        let checks = args.checks.checks();
        // What else is found with these options may be what the witness means.
        let kinds = told.map_or_else(|_| specification::kinds(checks), |told| told.kinds);
        return Ok(Asked { checks, kinds });
    }
    let told = told.map_err(|reason| format!("the specification of the witness: {}", visible(&reason)))?;
    if told.entry != args.c.entry {
        let entry = visible(&told.entry).into_owned();
        return Err(format!("the witness is about '{entry}': give --entry {entry}"));
    }
    Ok(Asked { checks: told.checks, kinds: told.kinds })
}

/// Whether the files are those that the witness is about.
fn notes_on_files(args: &ValidateArgs, witness: &Read) -> Vec<String> {
    let mut hashes = Vec::new();
    for file in &args.c.files {
        match norn_ir::read::read(file, MOST_BYTES * 4) {
            Ok(bytes) => hashes.push(sha256::hex(&bytes)),
            Err(_) => return Vec::new(),
        }
    }
    let is_other = |(_, hash): &&(Option<String>, String)| !hashes.contains(hash);
    let other = witness.header.hashes.iter().filter(is_other).map(|(name, _)| match name {
        Some(name) => format!("the witness is about another version of '{name}'"),
        None => "the witness is about another version of the program".to_owned(),
    });
    other.map(|note| visible(&note).into_owned()).collect()
}

/// Follows the witness for half of the time. Then engines are asked: if the program is safe, nothing that the witness allows goes
/// wrong, and a counterexample may be one that the witness means. Then the search goes on.
fn follow(args: &ValidateArgs, compiled: &Compiled, question: Question<'_>) -> Result<Answer, Exit> {
    let line = ProgressLine::new();
    let limits = limits::limits(&args.limits, &watch::stop_token(), &line);
    let guards = Guards::new(question.program, question.texts, question.automaton);
    let mut search = Search::new(question, &guards);
    let is_about_loops = question.kinds == [ViolationKind::Nontermination];
    let first = limits.half().unwrap_or_else(|| limits.clone());
    let mut answer = match is_about_loops {
        true => {
            Answer::Open(Undecided::new(Why::no_meaning("executions that never end are not followed along witnesses")))
        }
        false => search.run(&first).map_err(|mismatch| mismatched(&mismatch))?,
    };
    if let Answer::Open(open) = &answer
        && limits.exceeded().is_none()
    {
        let may_go_on = open.exceeded().is_some();
        let verdict = check(args, compiled, question.checks, &limits.half().unwrap_or_else(|| limits.clone()))?;
        match &verdict.outcome {
            Outcome::Safe { .. } if is_proof(&verdict) => answer = Answer::Refuted,
            Outcome::Unsafe(found) if !is_about_loops => {
                if let Some(found) = fits(question, &guards, found, &limits)? {
                    answer = Answer::Confirmed(found);
                }
            }
            _ => {}
        }
        if may_go_on && matches!(answer, Answer::Open(_)) {
            answer = search.run(&limits).map_err(|mismatch| mismatched(&mismatch))?;
        }
    }
    line.clear();
    watch::end_task();
    Ok(answer)
}

/// Whether the verdict is about all executions, to their ends.
fn is_proof(verdict: &Verdict) -> bool {
    let Outcome::Safe { bounds } = &verdict.outcome else { return false };
    bounds.iter().all(|bound| bound.exhausted) && verdict.remarks.assumptions.is_empty()
}

/// A counterexample that somebody has found, if the witness means it.
fn fits(
    question: Question<'_>,
    guards: &Guards<'_>,
    found: &Counterexample,
    limits: &Limits,
) -> Result<Option<Box<Counterexample>>, Exit> {
    match Search::along(question, guards, found.schedule()).run(limits) {
        Ok(Answer::Confirmed(found)) => Ok(Some(found)),
        Ok(Answer::Refuted | Answer::Open(_)) => Ok(None),
        Err(mismatch) => Err(mismatched(&mismatch)),
    }
}

/// What the engines say about the program, whatever the witness says.
fn check(args: &ValidateArgs, compiled: &Compiled, checks: Checks, limits: &Limits) -> Result<Verdict, Exit> {
    let start = Instant::now();
    let given = GivenBounds::default();
    let options = Options { sampling: true, jobs: Some(jobs(None)), ..Options::default() };
    let task =
        Task { program: &compiled.program, checks, given: &given, limits, options: &options, heard: NOBODY_LISTENS };
    let verdict = Engine::Auto.ask(&task, Model::Sc).map_err(|mismatch| mismatched(&mismatch))?;
    if args.limits.timeout < start.elapsed() {
        return Ok(verdict);
    }
    match attack(&task, verdict, start.elapsed()).map_err(|mismatch| mismatched(&mismatch))? {
        Attacked::Shown(verdict) => Ok(*verdict),
        Attacked::Contradicted(_) => {
            Err(output::fail("internal error: two engines contradict one another", Exit::Internal))
        }
    }
}

fn mismatched(mismatch: &Mismatch) -> Exit {
    output::fail(&format!("internal error: a counterexample did not replay: {mismatch}"), Exit::Internal)
}

fn conclude(
    args: &ValidateArgs,
    compiled: &Compiled,
    checks: Checks,
    verdict: Verdict,
    said: &Said,
    words: &str,
    notes: Vec<String>,
) -> Result<Exit, Exit> {
    // The execution is that of the witness: only why it happens is added.
    let mut verdict = match &verdict.outcome {
        Outcome::Unsafe(_) => explaining::told(verdict, &compiled.program, checks),
        _ => verdict,
    };
    verdict.remarks.notes.extend(notes);
    let mut written = args.files.write(std::slice::from_ref(&verdict), checks, compiled);
    if let (Outcome::Unsafe(found), Some(path)) = (&verdict.outcome, &args.schedule_out)
        && written == Exit::Fine
    {
        written = output::write(path, &found.schedule().to_string());
    }
    let (word, about) = match said {
        Said::Confirmed => ("confirmed", None),
        Said::Refuted => ("refuted", None),
        Said::Unknown(open) => ("unknown", Some(open)),
    };
    let text = compiled.with_sources(|sources| {
        // The line of the verdict, with the word for the witness.
        let own = conclusion::text(&verdict, sources);
        let (before, _) = own.trim_end().rsplit_once('\n').map_or(("", ""), |(before, last)| (before, last));
        let what = match (&verdict.outcome, about) {
            (Outcome::Unsafe(found), _) => {
                let violation = found.violation();
                format!("{} at {}", violation.kind.phrase(), sources.place(violation.span))
            }
            (_, Some(open)) => {
                let place = open.place.map_or_else(String::new, |span| format!(" at {}", sources.place(span)));
                format!("{}{place}", visible(&open.to_string()))
            }
            (_, None) => words.to_owned(),
        };
        let line = format!("norn: {word} (sc): {what}");
        match before.is_empty() {
            true => line + "\n",
            false => format!("{before}\n{line}\n"),
        }
    });
    let printed = output::print(&text);
    let exit = match (&verdict.outcome, said) {
        (Outcome::Unsafe(_), _) => Exit::Unsafe,
        (_, Said::Unknown(_)) => Exit::Unknown,
        _ => Exit::Fine,
    };
    Ok([written, printed].into_iter().find(|exit| *exit != Exit::Fine).unwrap_or(exit))
}
