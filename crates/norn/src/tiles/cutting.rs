//! From options to pieces, and from a piece to who answers it.
//!
//! The program is the one that engines are given: IR as text, with what the front end marked. It is read back and compared
//! before it is written, so that who answers has the same one.

use crate::asking::{asked, given_bounds};
use crate::exit::Exit;
use crate::frontend::Compiled;
use crate::output;
use crate::tiles::args::Cut;
use crate::watch;
use norn_engine::{GivenBounds, Prepared, Query};
use norn_ir::program::Program;
use norn_passes::unwind::BoundAt;
use norn_report::line;
use norn_rounds::{Rounds, tile};
use norn_tiles::split::split;
use norn_tiles::{LoopBound, Piece, Question, piece};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Outcome, Stats, Verdict};
use norn_verdict::undecided::Undecided;

/// Why a command line asks for nothing that could be cut, if it does so.
pub fn misplaced(cut: &Cut<'_>) -> Option<String> {
    let engine = cut.engine.who().map_or("auto", |who| who.capabilities().name);
    if engine != "rounds" {
        return Some(format!(
            "questions to '{engine}' cannot be cut into pieces: only those to 'rounds' can, see -e rounds"
        ));
    }
    if cut.models.list().len() != 1 || !cut.models.axioms().is_empty() {
        return Some("pieces are of one question: give one model, sc, tso or pso".to_owned());
    }
    if cut.rounds.limit.is_none() {
        return Some("pieces have fixed bounds: give --rounds N, the number of rounds to search".to_owned());
    }
    if given_bounds(cut.unwind).default.is_none() {
        return Some("pieces have fixed bounds: give --unwind N, a bound for all loops".to_owned());
    }
    cut.limits.executions.map(|_| "pieces are of 'rounds', which does not count executions".to_owned())
}

/// The pieces of a question, at least one. What cannot be cut has been said.
pub fn pieces(cut: &Cut<'_>, compiled: &Compiled, entry: &str) -> Result<Vec<Piece>, Exit> {
    let asked = asked(cut.property, cut.checks, entry).map_err(|message| output::fail(&message, Exit::BadInput))?;
    let [model] = cut.models.list()[..] else { return Err(Exit::Usage) };
    let given = given_bounds(cut.unwind);
    let program = &compiled.program;
    let text = program.to_string();
    // The numbers of a schedule, too, are those of this program.
    let is_same = prepared(&text).is_ok_and(|read| Program::eq(&read, program));
    if !is_same {
        return Err(output::fail("internal error: the program's text does not read back", Exit::Internal));
    }
    let rounds = Rounds {
        rounds: cut.rounds.limit,
        thread_order: cut.rounds.thread_order.clone(),
        bits: cut.rounds.bits,
        certify: false,
    };
    let limits = Limits {
        deadline: Some(watch::begin_task(cut.limits.timeout, cut.limits.memory())),
        memory: Some(cut.limits.memory()),
        stop: watch::stop_token(),
        ..Limits::none()
    };
    let bounds = given.or_usual();
    let query = Query { program, model, checks: asked.checks, bounds: Some(&bounds), limits: &limits };
    let shape = tile::shape(&query, &bounds, &rounds).map_err(|open| undecided(open, model, compiled))?;
    let question = Question {
        norn: piece::version().to_owned(),
        engine: "rounds".to_owned(),
        model,
        checks: asked.checks,
        rounds: cut.rounds.limit.unwrap_or_default(),
        thread_order: rounds.thread_order,
        bits: rounds.bits,
        unwind: given.default,
        unwind_at: given.at.iter().map(of_loop).collect(),
        shape,
        program: text,
        lines: compiled.lines(),
    };
    let cubes = split(&question.shape.space, norn_ir::number::to_usize(cut.tiles.into()));
    let tiles = norn_ir::number::narrow(cubes.len());
    Ok((0..).zip(cubes).map(|(tile, cube)| Piece { question: question.clone(), tile, tiles, cube }).collect())
}

fn of_loop(at: &BoundAt) -> LoopBound {
    LoopBound { file: at.file.clone(), line: at.line, bound: at.bound }
}

/// There is nothing to cut: that is the verdict.
fn undecided(open: Undecided, model: Model, compiled: &Compiled) -> Exit {
    let verdict = Verdict::new(model, "rounds", Outcome::Unknown(open), Stats::default());
    let text = compiled.with_sources(|sources| line::verdict_line(&verdict, sources) + "\n");
    match output::print(&text) {
        Exit::Fine => Exit::Unknown,
        failed => failed,
    }
}

/// The program of a question, which somebody else may have written.
pub fn prepared(text: &str) -> Result<Prepared, String> {
    let program = norn_ir::parse::parse(text).map_err(|error| format!("its program is none: {error}"))?;
    norn_ir::validate::validate(&program).map_err(|errors| match errors.first() {
        Some(error) => format!("its program is not valid: {error}"),
        None => "its program is not valid".to_owned(),
    })?;
    Ok(Prepared::new(program))
}

/// The options of the engine that a question asks.
pub fn engine(question: &Question) -> Rounds {
    let Question { rounds, ref thread_order, bits, .. } = *question;
    Rounds { rounds: Some(rounds), thread_order: thread_order.clone(), bits, certify: false }
}

/// The bounds of a question, as they were given.
pub fn bounds(question: &Question) -> GivenBounds {
    let at = |at: &LoopBound| BoundAt { file: at.file.clone(), line: at.line, bound: at.bound };
    GivenBounds { default: question.unwind, at: question.unwind_at.iter().map(at).collect() }
}
