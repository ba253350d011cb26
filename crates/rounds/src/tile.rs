//! One question in pieces ([`norn_tiles`]): which choices there are, and the answer to a part of them.
//!
//! The choices are where context switches stand: how many units of each thread have begun by the end of each round, which
//! is what the variables `started(u, r)` of the formula say. A piece is the formula with the literals of its cube as clauses,
//! over the same variables. So each model of the formula is one of exactly one piece's, for every way of cutting
//! ([`norn_tiles::cube`] says why), and the pieces together are satisfiable iff the formula is. The order of
//! the threads in a round and the rounds of commits are not cut: each piece has all of them.
//!
//! A question about pieces has fixed bounds and one number of rounds; nothing grows. Units that are run as soon as
//! their thread begins are not counted: no switch can stand before them.
//!
//! *The same formula everywhere.* A literal names a unit by its number, so whoever answers has to build the formula that was
//! cut. [`shape`] describes it: event list, units, order of threads, all by their numbers. If the description differs,
//! there is no answer.

use crate::engine::{Rounds, Task, without_idle_iterations};
use crate::examine::{Examined, Examiner, Goal, thread_order};
use crate::plan::Plan;
use norn_engine::capabilities::ROUNDS;
use norn_engine::{Prepared, Query};
use norn_ir::number::narrow;
use norn_passes::unwind::Bounds;
use norn_symex::{Symbolic, ThreadId, bounds_of, execute};
use norn_tiles::answer::Safe;
use norn_tiles::fingerprint::fingerprint;
use norn_tiles::{Cube, Said, Shape, Space};
use norn_verdict::claim::{Expected, Mismatch, Referee};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Bound, BoundKind, Outcome, Stats};
use norn_verdict::undecided::{Undecided, Why};
use std::fmt::Write;

#[cfg(test)]
mod tests;

/// What became of a piece.
#[derive(Debug)]
pub enum Answered {
    Said(Said, Stats),
    /// The formula is another one than that which was cut.
    OtherShape,
}

/// The choices of a question.
pub fn shape(query: &Query<'_>, bounds: &Bounds, options: &Rounds) -> Result<Shape, Undecided> {
    if let Some(unsought) = query.unsought(&ROUNDS) {
        return Err(Undecided::new(Why::NotLookedFor(unsought)));
    }
    let symbolic = execute(query.program.awaiting(), bounds, query.checks, query.limits)?;
    Ok(Cut::new(&symbolic, query.model, options).shape(query.program))
}

/// What the engine says of the schedules of a cube, if they are cut from this shape.
pub fn answer(
    query: &Query<'_>,
    bounds: &Bounds,
    options: &Rounds,
    (cube, shape): (&Cube, &Shape),
    referee: &dyn Referee,
) -> Result<Answered, Mismatch> {
    let open = |undecided| Ok(Answered::Said(Said::Unknown(undecided), Stats::default()));
    if let Some(unsought) = query.unsought(&ROUNDS) {
        return open(Undecided::new(Why::NotLookedFor(unsought)));
    }
    let Query { program, model, checks, limits, .. } = *query;
    let Rounds { rounds, ref thread_order, bits, .. } = *options;
    let tile = Some(cube);
    let task = Task { program, model, checks, rounds, thread_order, bits, certify: false, tile, limits, referee };
    let code = without_idle_iterations(&task);
    let symbolic = match execute(code, bounds, checks, limits) {
        Ok(symbolic) => symbolic,
        Err(undecided) => return open(undecided),
    };
    let cut = Cut::new(&symbolic, model, options);
    if cut.shape(program) != *shape || !cube.fits(&shape.space) {
        return Ok(Answered::OtherShape);
    }
    let mut examiner = Examiner::new(&task, code, &symbolic);
    let examined = examiner.examine(&Goal { rounds: cut.rounds, patience: None, only_violations: false })?;
    let mut stats = examiner.stats();
    let said = match examined {
        Examined::Unsafe(verdict) => {
            stats = verdict.stats;
            let Outcome::Unsafe(found) = verdict.outcome else { unreachable!("a violation should be unsafe") };
            let (schedule, expected) = (found.schedule().to_string(), vec![Expected::from(found.violation())]);
            Said::Unsafe { schedule, expected }
        }
        Examined::Undecided(undecided) => Said::Unknown(undecided),
        Examined::Nothing { stopped: Some(exceeded), .. } => Said::Unknown(Undecided::limit(exceeded)),
        Examined::Nothing { rounds, is_all, reached, assumptions, marks, stopped: None } => {
            let mut bounds = vec![Bound { kind: BoundKind::Rounds, value: u64::from(rounds), exhausted: is_all }];
            bounds.extend(bounds_of(program, &symbolic.cuts, &reached));
            let own_addresses = symbolic.watches_addresses.is_some();
            let assumptions = assumptions.into_iter().collect();
            Said::Safe(Box::new(Safe { bounds, assumptions, reached: marks, own_addresses }))
        }
    };
    Ok(Answered::Said(said, stats))
}

/// Where the formula of a question can be cut.
struct Cut<'a> {
    symbolic: &'a Symbolic,
    model: Model,
    plan: Plan,
    order: Vec<ThreadId>,
    /// As many as were asked for, or as there can be.
    rounds: u32,
}

impl<'a> Cut<'a> {
    fn new(symbolic: &'a Symbolic, model: Model, options: &Rounds) -> Cut<'a> {
        let plan = Plan::new(symbolic, model);
        let order = thread_order(symbolic, &options.thread_order);
        let rounds = options.rounds.unwrap_or(u32::MAX).min(plan.enough_rounds(&order));
        Cut { symbolic, model, plan, order, rounds }
    }

    fn shape(&self, program: &Prepared) -> Shape {
        let Cut { symbolic, model, plan, order, rounds } = self;
        let units = plan.threads.iter().map(|thread| narrow(thread.units.iter().count() - 1)).collect();
        let mut text = format!("{:016x} {model} {order:?} {rounds} {:?}\n", program.fingerprint(), plan.units);
        for id in symbolic.event_ids() {
            let event = symbolic.event(id);
            writeln!(text, "{:?} {:?} {:?}", plan.unit_of(id), event.thread, event).expect("a text should grow");
        }
        write!(text, "{:?} {:?}", symbolic.sections, symbolic.cuts).expect("a text should grow");
        Shape { space: Space { units, last: rounds + 1 }, meaning: fingerprint(&text) }
    }
}
