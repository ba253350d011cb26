//! Asks an engine for a verdict.

pub mod attack;
mod auto;
pub mod cross_check;
pub mod given;
pub mod left_out;
pub mod reach;

use crate::args::{Encoding, Engine, EventsArgs, RoundsArgs, Unwind};
use norn_ir::program::Program;
use norn_machine::enumerate::{Incomplete, Question, states};
use norn_machine::replay::{End, ReplayMismatch, confirm, replay};
use norn_passes::unwind::{BoundAt, Bounds, unwind};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome, Stats, Verdict, Violation, unwind_bounds};
use norn_verdict::schedule::{Schedule, fingerprint};
use std::collections::BTreeMap;

/// A program and what is asked about it.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub program: &'a Program,
    pub checks: Checks,
    pub unwind: &'a [Unwind],
    /// A counterexample should have as few steps as possible.
    pub shortest: bool,
    pub limits: &'a Limits,
    /// What a SAT solver says is safe is checked.
    pub certify: bool,
    pub events: EventsArgs,
    pub rounds: &'a RoundsArgs,
    /// Random executions come first in `auto`.
    pub sampling: bool,
}

/// The verdict of the chosen engine. An error means that an engine claimed what the machine could not replay.
pub fn verdict(task: &Task<'_>, model: Model, engine: Engine) -> Result<Verdict, ReplayMismatch> {
    let said = match engine {
        // The enumerator always goes breadth first.
        Engine::Auto if task.shortest && task.checks.data_race => enumerate(task, model),
        Engine::Auto if task.shortest => by_states(task, model),
        Engine::Auto => auto::verdict(task, model),
        Engine::Enumerate => enumerate(task, model),
        Engine::Stateless => stateless(task, model),
        Engine::States => by_states(task, model),
        Engine::Events => events(task, model),
        Engine::Rounds => rounds(task, model),
        Engine::Sample => attack::sample(task, model),
    };
    said.map(|verdict| given::within_given(task, verdict))
}

/// One execution per trace: of the program as it is or, where a bound is given, with its loops cut.
fn stateless(task: &Task<'_>, model: Model) -> Result<Verdict, ReplayMismatch> {
    let bounds = given_bounds(task.unwind);
    norn_stateless::verdict(&norn_stateless::Task {
        program: task.program,
        model,
        checks: task.checks,
        bounds: bounds.as_ref(),
        limits: task.limits,
    })
}

/// Every state once: of the program as it is or, where a bound is given, with its loops cut.
fn by_states(task: &Task<'_>, model: Model) -> Result<Verdict, ReplayMismatch> {
    let bounds = given_bounds(task.unwind);
    norn_states::verdict(&norn_states::Task {
        program: task.program,
        model,
        checks: task.checks,
        bounds: bounds.as_ref(),
        limits: task.limits,
        reductions: norn_states::Reductions::ALL,
        shortest: task.shortest,
    })
}

/// Every bounded execution at once.
fn events(task: &Task<'_>, model: Model) -> Result<Verdict, ReplayMismatch> {
    norn_events::verdict(&norn_events::Task {
        program: task.program,
        model,
        checks: task.checks,
        bounds: &bounds(task.unwind),
        grow: task.unwind.is_empty(),
        limits: task.limits,
        encoding: match task.events.encoding {
            Encoding::Order => norn_events::Encoding::Order,
            Encoding::Clocks => norn_events::Encoding::Clocks,
        },
        certify: task.certify,
    })
}

/// Few rounds of all threads; without a bound, loops are followed further and further.
fn rounds(task: &Task<'_>, model: Model) -> Result<Verdict, ReplayMismatch> {
    let bounds = given_bounds(task.unwind);
    norn_rounds::verdict(&norn_rounds::Task {
        program: task.program,
        model,
        checks: task.checks,
        bounds: bounds.as_ref(),
        rounds: task.rounds.limit,
        thread_order: &task.rounds.thread_order,
        bits: task.rounds.bits,
        certify: task.certify,
        limits: task.limits,
    })
}

const ENUMERATE: &str = "enumerate";

/// All reachable states: of the program as it is or, where a bound is given, of the program with its loops unrolled.
fn enumerate(task: &Task<'_>, model: Model) -> Result<Verdict, ReplayMismatch> {
    let question =
        |program| Question { program, model, checks: task.checks, limits: task.limits, domain: None, observed: &[] };
    if task.unwind.is_empty() {
        return states::verdict(&question(task.program));
    }
    let unknown =
        |reason: String, stats| Verdict::new(model, ENUMERATE, Outcome::Unknown { reason, span: None }, stats);
    let bounded = match unwind(task.program, &bounds(task.unwind)) {
        Ok(bounded) => bounded,
        Err(too_large) => {
            let reason = format!("the unrolled program would have more than {} instructions", too_large.limit);
            return Ok(unknown(reason, Stats::default()));
        }
    };
    let found = states::explore(&question(&bounded.program));
    let stats = Stats(BTreeMap::from([("states", found.states as f64), ("transitions", found.transitions as f64)]));
    if let Some(finding) = found.violation {
        // The steps of the unrolled program are those of the program itself.
        let mut schedule = finding.schedule;
        schedule.program = fingerprint(task.program);
        let expected = in_the_program(task, &schedule, finding.violation);
        return confirm(task.program, task.checks, schedule, &expected, ENUMERATE, stats);
    }
    if let Some(Incomplete { reason, .. }) = found.incomplete {
        return Ok(unknown(reason, stats));
    }
    let cuts = bounded.cuts.iter().map(|cut| (cut.span, cut.bound, found.stops.contains(&(cut.function, cut.block))));
    let bounds = unwind_bounds(task.program, cuts);
    Ok(Verdict::new(model, ENUMERATE, Outcome::Safe { bounds }, stats)
        .assuming(found.noted.assumptions)
        .reaching(Some(found.noted.reached)))
}

/// A violation of the unrolled program, as the program itself has it: what happens in a library function is shown where
/// the user called it, which the unrolled program cannot tell.
fn in_the_program(task: &Task<'_>, schedule: &Schedule, found: Violation) -> Violation {
    match replay(task.program, task.checks, schedule).map(|replayed| replayed.end) {
        Ok(End::Violation(violation)) if violation.kind == found.kind => violation,
        _ => found,
    }
}

/// The bounds of the command line, if there are any; without, loops are followed for ever or further and further.
pub fn given_bounds(unwind: &[Unwind]) -> Option<Bounds> {
    (!unwind.is_empty()).then(|| bounds(unwind))
}

/// The bounds of the command line as the pass wants them; the last default counts.
pub fn bounds(unwind: &[Unwind]) -> Bounds {
    let mut bounds =
        Bounds { default: u32::MAX, library: LIBRARY_BOUND, at: Vec::new(), max_instructions: MAX_INSTRUCTIONS };
    for bound in unwind {
        match bound {
            Unwind::Default(n) => bounds.default = *n,
            Unwind::At { file, line, bound } => {
                bounds.at.push(BoundAt { file: file.clone(), line: *line, bound: *bound });
            }
        }
    }
    if bounds.default == u32::MAX {
        // Only single loops were given: the others get a bound that small programs exhaust.
        bounds.default = LIBRARY_BOUND;
    }
    bounds
}

/// Loops of the library are not the user's business, but must end.
const LIBRARY_BOUND: u32 = 64;
const MAX_INSTRUCTIONS: usize = 5_000_000;
