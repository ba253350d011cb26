//! From a program to a verdict: inputs are enumerated around the search, bounds come from the executor's cuts.
//!
//! What is explored for a verdict is the program without the idle iterations of its spin loops
//! ([`norn_passes::spin`]); its steps have the same numbers, so counterexamples are replayed on the program itself. A load
//! through a pointer that is wrong happens at once there, but only with its step once it is part of an await: then the
//! machine sees a violation, or what has no meaning, earlier than the search, and its word counts.
//!
//! Nondeterministic truth values are tried both ways, other values if a few of them are enough
//! ([`norn_passes::inputs`]). The values are fixed before a search, per thread, position and instruction that asks, so
//! an execution that does not ask for all of them is seen more than once. It counts in the one search in which each
//! value that it does not ask for is the first that is tried.

use crate::cells::Cells;
use crate::doubt::too_many_values;
use crate::explore::{Counts, Ended, Enough, Input, Inputs, Question, Search};
use crate::footprint::Footprints;
use crate::robust::Cycles;
use crate::varying::Varying;
use norn_engine::capabilities::{Capabilities, STATELESS};
use norn_engine::{Engine, Query};
use norn_exec::{Executor, Request, Stop, compile};
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_passes::analysed::Analysed;
use norn_passes::inputs::small_domains;
use norn_verdict::claim::{Claim, Expected, Mismatch, Referee};
use norn_verdict::outcome::{
    Assumption, Bound, BoundKind, Checks, Outcome, Reached, Verdict, Violation, unwind_bounds,
};
use norn_verdict::schedule::Schedule;
use norn_verdict::undecided::{Undecided, Why};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// The engine. It has no options.
#[derive(Clone, Copy, Default, Debug)]
pub struct Stateless;

impl Engine for Stateless {
    fn capabilities(&self) -> &'static Capabilities {
        &STATELESS
    }

    fn run(&self, query: &Query<'_>, referee: &dyn Referee) -> Result<Verdict, Mismatch> {
        match query.refused(&STATELESS) {
            Some(refused) => Ok(refused),
            None => verdict_of(query, explore_program(query, with_awaits(query), &mut |_| {}), referee),
        }
    }
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Explored {
    pub counts: Counts,
    pub violation: Option<(Violation, Schedule)>,
    pub incomplete: Option<Undecided>,
    /// Loops and recursions with their bounds, and whether some execution was cut there.
    pub bounds: Vec<(Span, u32, bool)>,
    /// What some execution met and is assumed not to happen.
    pub assumptions: BTreeSet<Assumption>,
    /// What executions came to.
    pub reached: Reached,
    /// The user's bound on executions ended the search.
    pub enough: Option<Enough>,
}

/// Explores everything, or up to the first violation. `at_end` sees the final state of each complete execution.
pub fn explore(query: &Query<'_>, at_end: &mut dyn FnMut(&Executor<'_>)) -> Explored {
    explore_program(query, query.program.code(), at_end)
}

/// The same for a program in the place of the one that is asked about.
fn explore_program(query: &Query<'_>, program: &Analysed, at_end: &mut dyn FnMut(&Executor<'_>)) -> Explored {
    explore_with(query, program, at_end, false).0
}

/// The same, in search of an execution whose trace has a cycle if that is asked for: the length of the shortest and how
/// to get there.
pub(crate) fn explore_with(
    query: &Query<'_>,
    program: &Analysed,
    at_end: &mut dyn FnMut(&Executor<'_>),
    cycles: bool,
) -> (Explored, Option<(usize, Schedule)>) {
    let code = compile(program, query.bounds);
    let Query { model, checks, limits, .. } = *query;
    let domains = OnceCell::new();
    let both = vec![0, 1];
    let domain = |request: &Request| match (request.ty, request.site) {
        (Ty::Bool, _) => Some(&both),
        (_, Some(site)) => domains.get_or_init(|| small_domains(program)).get(&site),
        (_, None) => None,
    };
    let can_try = |request: &Request| domain(request).is_some();
    let question = Question { program, code: &code, model, checks, limits, can_try: &can_try };
    let (mut cells, mut varying) = (Cells::default(), Varying::default());
    let mut explored = Explored::default();
    let mut reached = vec![false; code.cuts.len()];
    let mut waiting = vec![Inputs::new()];
    let mut cycles = cycles.then(Cycles::default);
    while let Some(inputs) = waiting.pop() {
        let ended = loop {
            match search(
                &question,
                &inputs,
                (&mut cells, &mut varying),
                at_end,
                (&mut explored, &mut reached),
                &mut cycles,
            ) {
                Ended::LearntMore => {}
                ended => break ended,
            }
        };
        match ended {
            Ended::Everything | Ended::LearntMore => {}
            Ended::Cyclic => break,
            Ended::NeedInput(name, request) => {
                let Some(domain) = domain(&request) else {
                    // Before the first step: the others of the inputs so far may not ask for it.
                    explored.incomplete.get_or_insert(too_many_values(&request));
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
            Ended::Unknown(open) => {
                explored.incomplete.get_or_insert(open);
            }
            Ended::Enough(enough) => {
                explored.enough = Some(enough);
                break;
            }
            Ended::Stopped(exceeded) => {
                explored.incomplete.get_or_insert(Undecided::limit(exceeded));
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
    (cells, varying): (&mut Cells, &mut Varying),
    at_end: &mut dyn FnMut(&Executor<'_>),
    (explored, reached): (&mut Explored, &mut [bool]),
    cycles: &mut Option<Cycles>,
) -> Ended {
    let mut footprints = Footprints::default();
    let mut search = match Search::new(question, inputs, cells, varying, &mut footprints) {
        Ok(search) => search,
        Err(Stop::Undecided(open)) => return Ended::Unknown(*open),
        Err(_) => return Ended::Unknown(Undecided::new(Why::no_meaning("the program cannot begin"))),
    };
    search.executions_before = explored.counts.executions();
    search.cycles = cycles.take();
    let ended = search.run(at_end);
    *cycles = search.cycles.take();
    if matches!(ended, Ended::NeedInput(..) | Ended::LearntMore) {
        return ended;
    }
    if let Some(open) = search.doubt.take().or_else(|| search.executor.doubt().cloned()) {
        explored.incomplete.get_or_insert(open);
    }
    explored.counts.add(&search.counts);
    explored.assumptions.extend(search.executor.assumptions());
    let now = search.executor.reached();
    explored.reached.checks.extend(now.checks);
    explored.reached.threads.extend(now.threads);
    search.executor.cuts().zip(reached).for_each(|(cut, reached)| *reached |= cut.1);
    ended
}

/// The program as it is explored for a verdict: with the same steps, but fewer executions in which a thread stops.
fn with_awaits<'a>(query: &Query<'a>) -> &'a Analysed {
    // An idle iteration may race. A thread that waits may be part of a deadlock, one that spins or has stopped is none.
    match query.checks {
        Checks { data_race: true, .. } => query.program.racing(),
        Checks { deadlock: true, .. } => query.program.stopping(),
        _ => query.program.assuming(),
    }
}

/// What an exploration of the query's program, or of one with the same steps, says about it: a violation counts only if
/// the machine sees it too.
pub fn verdict_of(query: &Query<'_>, explored: Explored, referee: &dyn Referee) -> Result<Verdict, Mismatch> {
    let unknown = |open, stats| Ok(query.unknown(STATELESS.name, open, stats));
    let stats = explored.counts.stats();
    if let Some((violation, mut schedule)) = explored.violation {
        schedule.program = query.program.fingerprint();
        let expected = std::iter::once(Expected::from(&violation)).chain(Expected::invalid_loads()).collect();
        let claim = Claim { schedule, expected };
        return referee.rule(query.program, query.checks, claim).verdict(query.model, STATELESS.name, stats);
    }
    if let Some(open) = explored.incomplete {
        return unknown(open, stats);
    }
    let mut bounds = unwind_bounds(query.program, explored.bounds);
    let mut notes = Vec::new();
    if let Some(enough) = explored.enough {
        bounds.push(Bound { kind: BoundKind::Executions, value: enough.executions, exhausted: false });
        notes.push(enough.to_string());
    }
    let mut verdict =
        Verdict::new(query.model, STATELESS.name, Outcome::Safe { bounds }, stats).assuming(explored.assumptions);
    verdict.remarks.notes = notes;
    verdict.remarks.reached = Some(Box::new(explored.reached));
    Ok(verdict)
}
