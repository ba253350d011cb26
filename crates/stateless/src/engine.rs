//! From a program to a verdict: inputs are enumerated around the search, bounds come from the executor's cuts.
//!
//! What is explored for a verdict is the program without the idle iterations of its spin loops
//! ([`norn_passes::spin`]); its steps have the same numbers, so counterexamples are replayed on the program itself. A load
//! through a pointer that is wrong happens at once there, but only with its step once it is part of an await: then the
//! machine sees a violation, or what has no meaning, earlier than the search, and its word counts.
//!
//! Nondeterministic truth values are tried both ways, other values if a few of them are enough
//! ([`norn_passes::inputs`]). The values are fixed before a search, per thread, position and instruction that asks, so an
//! execution that does not ask for all of them is seen more than once; it counts where the others are the first of those
//! that are tried.

use crate::cells::Cells;
use crate::doubt::too_many_values;
use crate::explore::{Counts, Ended, Enough, Input, Inputs, Question, Search};
use crate::footprint::Footprints;
use crate::robust::Cycles;
use norn_exec::{Executor, Request, Stop, compile};
use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_machine::replay::{End, ReplayError, ReplayMismatch, complete_inputs, confirm, replay};
use norn_passes::assumptions::await_assumptions;
use norn_passes::inputs::small_domains;
use norn_passes::spin::spin;
use norn_passes::unwind::Bounds;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{
    Assumption, Bound, BoundKind, Checks, Outcome, Reached, Stats, Verdict, Violation, unwind_bounds,
};
use norn_verdict::schedule::{Schedule, fingerprint};
use std::cell::OnceCell;
use std::collections::BTreeSet;

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
    /// A spurious wake-up happened.
    pub spurious: bool,
    /// What some execution met and is assumed not to happen.
    pub assumptions: BTreeSet<Assumption>,
    /// What executions came to.
    pub reached: Reached,
    /// The user's bound on executions ended the search.
    pub enough: Option<Enough>,
}

/// Explores everything, or up to the first violation. `at_end` sees the final state of each complete execution.
pub fn explore(task: &Task<'_>, at_end: &mut dyn FnMut(&Executor<'_>)) -> Explored {
    explore_with(task, at_end, false).0
}

/// The same, in search of an execution whose trace has a cycle if that is asked for: the length of the shortest and how
/// to get there.
pub(crate) fn explore_with(
    task: &Task<'_>,
    at_end: &mut dyn FnMut(&Executor<'_>),
    cycles: bool,
) -> (Explored, Option<(usize, Schedule)>) {
    let code = compile(task.program, task.bounds);
    let Task { program, model, checks, limits, .. } = *task;
    let domains = OnceCell::new();
    let both = vec![0, 1];
    let domain = |request: &Request| match (request.ty, request.site) {
        (Ty::Bool, _) => Some(&both),
        (_, Some(site)) => domains.get_or_init(|| small_domains(program)).get(&site),
        (_, None) => None,
    };
    let can_try = |request: &Request| domain(request).is_some();
    let question = Question { program, code: &code, model, checks, limits, can_try: &can_try };
    let mut cells = Cells::default();
    let mut explored = Explored::default();
    let mut reached = vec![false; code.cuts.len()];
    let mut waiting = vec![Inputs::new()];
    let mut cycles = cycles.then(Cycles::default);
    while let Some(inputs) = waiting.pop() {
        let ended = loop {
            match search(&question, &inputs, &mut cells, at_end, (&mut explored, &mut reached), &mut cycles) {
                Ended::CellsChanged => {}
                ended => break ended,
            }
        };
        match ended {
            Ended::Everything | Ended::CellsChanged => {}
            Ended::Cyclic => break,
            Ended::NeedInput(name, request) => {
                let Some(domain) = domain(&request) else {
                    // Before the first step: the others of the inputs so far may not ask for it.
                    let (reason, span) = too_many_values(&request);
                    explored.incomplete.get_or_insert(Incomplete { reason, span });
                    continue;
                };
                let Request { position, site, .. } = request;
                for (number, &value) in domain.iter().enumerate().rev() {
                    let mut longer = inputs.clone();
                    let values = longer.entry(name.clone()).or_default();
                    // Other positions may be reached with values that were left open, or by another thread's doing.
                    if values.len() <= position {
                        values.resize(position + 1, Vec::new());
                    }
                    values[position].push(Input { site, value, is_first: number == 0 });
                    waiting.push(longer);
                }
            }
            Ended::Violation(violation, schedule) => {
                explored.violation = Some((violation, schedule));
                break;
            }
            // Before the first step; other inputs may lead elsewhere.
            Ended::Unknown(reason, span) => {
                explored.incomplete.get_or_insert(Incomplete { reason, span });
            }
            Ended::Enough(enough) => {
                explored.enough = Some(enough);
                break;
            }
            Ended::Stopped(reason) => {
                explored.incomplete.get_or_insert(Incomplete { reason, span: None });
                break;
            }
        }
    }
    let places = code.cuts.iter().zip(&reached).map(|(cut, &reached)| (cut.span, cut.bound, reached));
    explored.bounds = places.collect();
    (explored, cycles.and_then(|cycles| cycles.shortest))
}

/// One search; what it counted is added unless it has to be begun anew.
fn search(
    question: &Question<'_>,
    inputs: &Inputs,
    cells: &mut Cells,
    at_end: &mut dyn FnMut(&Executor<'_>),
    (explored, reached): (&mut Explored, &mut [bool]),
    cycles: &mut Option<Cycles>,
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
    search.cycles = cycles.take();
    let ended = search.run(at_end);
    *cycles = search.cycles.take();
    if matches!(ended, Ended::NeedInput(..) | Ended::CellsChanged) {
        return ended;
    }
    if let Some((reason, span)) = search.doubt.take().or_else(|| search.executor.doubt()) {
        explored.incomplete.get_or_insert(Incomplete { reason, span });
    }
    explored.counts.add(&search.counts);
    explored.spurious |= search.spurious;
    explored.assumptions.extend(search.executor.assumptions());
    let now = search.executor.reached();
    explored.reached.checks.extend(now.checks);
    explored.reached.threads.extend(now.threads);
    search.executor.cuts().zip(reached).for_each(|(cut, reached)| *reached |= cut.1);
    ended
}

/// The program as it is explored for a verdict: with the same steps, but fewer executions in which a thread stops.
fn with_awaits(task: &Task<'_>) -> Program {
    // A thread that waits may be part of a deadlock, one that spins or has stopped is none.
    let may_wait = !task.checks.deadlock;
    let mut program = spin(task.program, may_wait).program;
    if may_wait {
        await_assumptions(&mut program);
    }
    program
}

/// The verdict. An error means that the search claimed what the machine could not replay.
pub fn verdict(task: &Task<'_>) -> Result<Verdict, ReplayMismatch> {
    if task.checks.data_race {
        let reason = "this engine does not look for data races".to_owned();
        let outcome = Outcome::Unknown { reason, span: None };
        return Ok(Verdict::new(task.model, ENGINE, outcome, Stats::default()));
    }
    let awaiting = with_awaits(task);
    verdict_of(task, explore(&Task { program: &awaiting, ..*task }, &mut |_| {}))
}

/// What an exploration of the task's program, or of one with the same steps, says about it: a violation counts only if
/// the machine sees it too.
pub fn verdict_of(task: &Task<'_>, explored: Explored) -> Result<Verdict, ReplayMismatch> {
    let unknown =
        |reason: String, span, stats| Ok(Verdict::new(task.model, ENGINE, Outcome::Unknown { reason, span }, stats));
    let stats = explored.counts.stats();
    if let Some((violation, mut schedule)) = explored.violation {
        schedule.program = fingerprint(task.program);
        let schedule = complete_inputs(task.program, task.checks, schedule);
        let steps = schedule.steps.len();
        return match replay(task.program, task.checks, &schedule).map(|replayed| (replayed.end, replayed.steps)) {
            Err(ReplayError::Stuck { reason, span }) => unknown(reason, Some(span), stats),
            Ok((End::Violation(seen), taken)) if taken < steps => {
                confirm(task.program, task.checks, schedule, &seen, ENGINE, stats)
            }
            _ => confirm(task.program, task.checks, schedule, &violation, ENGINE, stats),
        };
    }
    if let Some(Incomplete { reason, span }) = explored.incomplete {
        return unknown(reason, span, stats);
    }
    if task.checks.deadlock && explored.spurious {
        let reason = "with spurious wake-ups this engine does not decide deadlocks".to_owned();
        return unknown(reason, None, stats);
    }
    let mut bounds = unwind_bounds(task.program, explored.bounds);
    let mut notes = Vec::new();
    if let Some(enough) = explored.enough {
        bounds.push(Bound { kind: BoundKind::Executions, value: enough.executions, exhausted: false });
        notes.push(enough.to_string());
    }
    let mut verdict = Verdict::new(task.model, ENGINE, Outcome::Safe { bounds }, stats).assuming(explored.assumptions);
    verdict.remarks.notes = notes;
    verdict.remarks.reached = Some(Box::new(explored.reached));
    Ok(verdict)
}
