//! `norn work`: the answer to one piece.
//!
//! The answer appears when it is complete, so whoever ends this process before leaves none, and the piece can be asked again.
//! A limit that ends the search is an answer, too: it says that the piece is open, and is replaced when the piece is asked
//! again.

use crate::exit::Exit;
use crate::limits;
use crate::output;
use crate::progress::ProgressLine;
use crate::tiles::args::WorkArgs;
use crate::tiles::cutting::{bounds, engine, prepared};
use crate::tiles::folder::TileFolder;
use crate::watch::{self, LastWords};
use norn_engine::{Prepared, Query};
use norn_machine::Reference;
use norn_report::visible::visible;
use norn_rounds::tile::{Answered, answer};
use norn_tiles::{Answer, Piece, Said};
use norn_verdict::limits::Exceeded;
use norn_verdict::undecided::Undecided;
use std::collections::BTreeMap;
use std::time::Instant;

pub fn run(args: &WorkArgs) -> Exit {
    watch::limit(args.limits.timeout, args.limits.memory());
    let folder = TileFolder::new(&args.folder);
    let piece = match folder.piece(args.tile) {
        Ok(piece) => piece,
        Err(message) => return output::fail(&message, Exit::BadInput),
    };
    let program = match prepared(&piece.question.program) {
        Ok(program) => program,
        Err(reason) => return refuse(&piece, &reason, args),
    };
    if piece.question.engine != "rounds" {
        return refuse(&piece, "it is a question to an engine that cannot be asked in pieces", args);
    }
    // What is wrong with an older answer, if anything is, ends with a new one.
    if !args.again
        && let Ok(Some(before)) = folder.answered(args.tile, &piece.prints(), program.files.len())
        && !before.said.is_open()
    {
        return output::print(&line(&piece, &before.said, ", as was answered before"));
    }
    leave_last_words(&piece, args);
    let answer = match ask(&piece, &program, args) {
        Ok(answer) => answer,
        Err(exit) => return exit,
    };
    // From here on the answer is what is told, or that it could not be written.
    watch::end_task();
    let is_interrupted = matches!(&answer.said, Said::Unknown(open) if open.exceeded() == Some(Exceeded::Interrupted));
    if is_interrupted {
        return Exit::Interrupted;
    }
    match folder.write_answer(&answer) {
        Ok(()) => output::print(&line(&piece, &answer.said, "")),
        Err(error) => {
            let shown = args.folder.display();
            output::fail(&format!("cannot write the answer to '{shown}': {error}"), Exit::Unwritten)
        }
    }
}

fn refuse(piece: &Piece, reason: &str, args: &WorkArgs) -> Exit {
    output::fail(&format!("'{}/tile-{}.json': {reason}", args.folder.display(), piece.tile), Exit::BadInput)
}

/// What the engine says of the piece.
fn ask(piece: &Piece, program: &Prepared, args: &WorkArgs) -> Result<Answer, Exit> {
    let start = Instant::now();
    let (progress, stop) = (ProgressLine::new(), watch::stop_token());
    let limits = limits::limits(&args.limits, &stop, &progress);
    let question = &piece.question;
    let bounds = bounds(question).or_usual();
    let query =
        Query { program, model: question.model, checks: question.checks, bounds: Some(&bounds), limits: &limits };
    let answered = answer(&query, &bounds, &engine(question), (&piece.cube, &question.shape), &Reference);
    watch::end_task_soon();
    progress.clear();
    match answered {
        Ok(Answered::Said(said, stats)) => {
            let mut stats: BTreeMap<String, f64> =
                stats.0.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            stats.insert("seconds".to_owned(), start.elapsed().as_secs_f64());
            stats.extend(processor_seconds().map(|seconds| ("processor seconds".to_owned(), seconds)));
            Ok(Answer::new(piece, said, stats))
        }
        Ok(Answered::OtherShape) => {
            Err(refuse(piece, "this Norn makes another formula of it than the one that cut it", args))
        }
        Err(mismatch) => {
            let message = format!("internal error: a counterexample did not replay: {mismatch}");
            Err(output::fail(&message, Exit::Internal))
        }
    }
}

/// If the work has to end before there is an answer, that is the answer; not if somebody ended it, who may want to go on.
fn leave_last_words(piece: &Piece, args: &WorkArgs) {
    let (piece, path) = (piece.clone(), args.folder.clone());
    watch::last_words(move |exceeded| {
        if exceeded == Exceeded::Interrupted {
            return LastWords::default();
        }
        let said = Said::Unknown(Undecided::limit(exceeded));
        let answer = Answer::new(&piece, said, BTreeMap::new());
        let exit = match TileFolder::new(&path).write_answer(&answer) {
            Ok(()) => Exit::Fine,
            Err(_) => Exit::Unwritten,
        };
        LastWords { output: line(&piece, &answer.said, ""), exit: Some(exit), ..LastWords::default() }
    });
}

fn line(piece: &Piece, said: &Said, remark: &str) -> String {
    let word = match said {
        Said::Safe(_) => "no violation".to_owned(),
        Said::Unsafe { expected, .. } => {
            format!("a violation: {}", expected.first().map_or("", |expected| expected.kind.phrase()))
        }
        Said::Unknown(open) => format!("unknown: {}", visible(&open.to_string())),
    };
    format!("norn: tile {} of {} ({}): {word}{remark}\n", piece.tile, piece.tiles, piece.question.model)
}

/// Of this process, where the system tells it.
#[cfg(unix)]
fn processor_seconds() -> Option<f64> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    Some((usage.user_time() + usage.system_time()).num_microseconds() as f64 * 1e-6)
}

#[cfg(not(unix))]
fn processor_seconds() -> Option<f64> {
    None
}
