//! From a program to a verdict: inputs are enumerated around the search, bounds come from the executor's cuts.
//!
//! What is explored for a verdict is the program without the idle iterations of its spin loops
//! ([`norn_passes::spin`]); its steps have the same numbers, so counterexamples are replayed on the program itself. A load
//! through a pointer that is wrong happens at once there, but only with its step once it is part of an await: then the
//! machine sees a violation, or what has no meaning, earlier than the search, and its word counts.
//!
//! Nondeterministic truth values are tried both ways. The values are fixed per thread and position before a search, so
//! an execution that does not ask for all of them is seen more than once; it counts where the others are all 0.

use crate::cells::Cells;
use crate::explore::{Counts, Ended, Inputs, Question, Search};
use crate::footprint::Footprints;
use norn_exec::{Executor, Request, Stop, compile};
use norn_ir::instr::NondetSource;
use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_machine::replay::{End, ReplayError, ReplayMismatch, complete_inputs, confirm, replay};
use norn_passes::spin::spin;
use norn_passes::unwind::Bounds;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome, Stats, Verdict, Violation, unwind_bounds};
use norn_verdict::schedule::{Schedule, fingerprint};
use std::collections::BTreeMap;

pub const ENGINE: &str = "stateless";

/// A program and what is asked about it.
pub struct Task<'a> {
    /// Valid, with its private objects marked.
    pub program: &'a Program,
    pub model: Model,
    pub checks: Checks,
    /// Without them loops are followed for ever.
    pub bounds: Option<&'a Bounds>,
    pub limits: &'a Limits,
}

/// Why not everything was explored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Incomplete {
    pub reason: String,
    pub span: Option<Span>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Explored {
    pub counts: Counts,
    pub violation: Option<(Violation, Schedule)>,
    pub incomplete: Option<Incomplete>,
    /// Loops and recursions with their bounds, and whether some execution was cut there.
    pub bounds: Vec<(Span, u32, bool)>,
    /// A spurious wake-up or timeout happened.
    pub spurious: bool,
}

/// Explores everything, or up to the first violation. `at_end` sees the final state of each complete execution.
pub fn explore(task: &Task<'_>, at_end: &mut dyn FnMut(&Executor<'_>)) -> Explored {
    let code = compile(task.program, task.bounds);
    let Task { program, model, checks, limits, .. } = *task;
    let question = Question { program, code: &code, model, checks, limits };
    let mut cells = Cells::default();
    let mut explored = Explored::default();
    let mut reached = vec![false; code.cuts.len()];
    let mut waiting = vec![Inputs::new()];
    while let Some(inputs) = waiting.pop() {
        let ended = loop {
            match search(&question, &inputs, &mut cells, at_end, (&mut explored, &mut reached)) {
                Ended::CellsChanged => {}
                ended => break ended,
            }
        };
        match ended {
            Ended::Everything | Ended::CellsChanged => {}
            Ended::NeedInput(name, Request { ty: Ty::Bool, position, .. }) => {
                for value in [1, 0] {
                    let mut longer = inputs.clone();
                    let values = longer.entry(name.clone()).or_default();
                    // Indeterminate values that were left open have positions too.
                    values.resize(position, 0);
                    values.push(value);
                    waiting.push(longer);
                }
            }
            Ended::NeedInput(_, Request { source, .. }) => {
                let (NondetSource::Input(name) | NondetSource::Uninitialised(name)) = source;
                let reason = format!("the value of '{name}' is nondeterministic, with too many possibilities");
                explored.incomplete = Some(Incomplete { reason, span: None });
                break;
            }
            Ended::Violation(violation, schedule) => {
                explored.violation = Some((violation, schedule));
                break;
            }
            Ended::Unknown(reason, span) => {
                explored.incomplete = Some(Incomplete { reason, span });
                break;
            }
        }
    }
    let places = code.cuts.iter().zip(&reached).map(|(cut, &reached)| (cut.span, cut.bound, reached));
    explored.bounds = places.collect();
    explored
}

/// One search; what it counted is added unless it has to be begun anew.
fn search(
    question: &Question<'_>,
    inputs: &Inputs,
    cells: &mut Cells,
    at_end: &mut dyn FnMut(&Executor<'_>),
    (explored, reached): (&mut Explored, &mut [bool]),
) -> Ended {
    let mut footprints = Footprints::default();
    let mut search = match Search::new(question, inputs, cells, &mut footprints) {
        Ok(search) => search,
        Err(Stop::Unsupported { reason, span } | Stop::Limit { reason, span }) => {
            return Ended::Unknown(reason, Some(span));
        }
        Err(_) => return Ended::Unknown("the program cannot begin".to_owned(), None),
    };
    search.executions_before = explored.counts.executions();
    let ended = search.run(at_end);
    if matches!(ended, Ended::NeedInput(..) | Ended::CellsChanged) {
        return ended;
    }
    explored.counts.add(&search.counts);
    explored.spurious |= search.spurious;
    search.executor.cuts().zip(reached).for_each(|(cut, reached)| *reached |= cut.1);
    ended
}

/// The verdict. An error means that the search claimed what the machine could not replay.
pub fn verdict(task: &Task<'_>) -> Result<Verdict, ReplayMismatch> {
    let unknown = |reason: String, span, stats| {
        Ok(Verdict { model: task.model, engine: ENGINE, outcome: Outcome::Unknown { reason, span }, stats })
    };
    if task.checks.data_race {
        let reason = "this engine does not look for data races".to_owned();
        return unknown(reason, None, Stats::default());
    }
    // A thread that waits may be part of a deadlock, one that spins is none.
    let spun = spin(task.program, !task.checks.deadlock);
    let explored = explore(&Task { program: &spun.program, ..*task }, &mut |_| {});
    let counts = &explored.counts;
    let stats = Stats(BTreeMap::from([
        ("executions", counts.complete as f64),
        ("blocked", counts.blocked as f64),
        ("redundant", counts.redundant as f64),
        ("events", counts.events as f64),
    ]));
    if let Some((violation, mut schedule)) = explored.violation {
        schedule.program = fingerprint(task.program);
        let schedule = complete_inputs(task.program, task.checks, schedule);
        return match replay(task.program, task.checks, &schedule).map(|replayed| replayed.end) {
            Err(ReplayError::Stuck { reason, span }) => unknown(reason, Some(span), stats),
            Ok(End::Violation(seen)) => confirm(task.program, task.checks, schedule, &seen, ENGINE, stats),
            _ => confirm(task.program, task.checks, schedule, &violation, ENGINE, stats),
        };
    }
    if let Some(Incomplete { reason, span }) = explored.incomplete {
        return unknown(reason, span, stats);
    }
    if task.checks.deadlock && explored.spurious {
        let reason = "with spurious wake-ups or timeouts this engine does not decide deadlocks".to_owned();
        return unknown(reason, None, stats);
    }
    let bounds = unwind_bounds(task.program, explored.bounds);
    Ok(Verdict { model: task.model, engine: ENGINE, outcome: Outcome::Safe { bounds }, stats })
}
