//! From a program to a verdict: one formula per bound on loops, and a few questions about each.
//!
//! First whether something is violated in an execution that meets nothing undefined; then whether something undefined
//! is met; then which bounds are reached. Data races have a formula of their own, which is asked before. Bounds grow until none is reached or a limit is.

use crate::question::{Asked, Formulated, Question};
use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_machine::replay::{End, ReplayError, ReplayMismatch, complete_inputs, confirm, replay};
use norn_passes::spin::{spin, spin_for_races};
use norn_passes::unwind::Bounds;
use norn_symex::{Finding, Refusal, Symbolic};
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Bound, Checks, Outcome, Stats, Verdict, Violation, ViolationKind, unwind_bounds};
use norn_verdict::schedule::Schedule;
use std::collections::BTreeMap;
use std::time::Instant;

pub const ENGINE: &str = "events";

/// A program and what is asked about it.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// Valid, with its private objects marked.
    pub program: &'a Program,
    pub model: Model,
    pub checks: Checks,
    pub bounds: &'a Bounds,
    /// Raise the default bound step by step instead.
    pub grow: bool,
    pub limits: &'a Limits,
    pub encoding: Encoding,
    /// Check the proof of a safe verdict.
    pub certify: bool,
}

/// How the order of events is put into clauses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Encoding {
    /// Order variables, with a propagator that forbids cycles.
    #[default]
    Order,
    /// The clocks of walcyrie-ppopp16.
    Clocks,
}

/// What came of one bound.
enum Step {
    Unsafe(Box<Verdict>),
    Unknown {
        reason: String,
        span: Option<Span>,
    },
    /// Nothing is violated within these bounds.
    Safe(Vec<Bound>),
    Stopped(Exceeded),
    /// Nothing was asked.
    TooSoon,
}

/// Whether some loop is certain to go on beyond a small bound: then, as long as that is cheap, a larger one is tried
/// before anything is asked.
fn goes_on_anyway(symbolic: &Symbolic, bound: u32) -> bool {
    const SMALL_BOUND: u32 = 6;
    const FEW_EVENTS: usize = 60;
    let is_certain = symbolic.cuts.iter().any(|cut| cut.guard == norn_logic::Term::TRUE);
    bound < SMALL_BOUND && symbolic.events.len() < FEW_EVENTS && is_certain
}

/// The bounds that are tried in turn.
fn growing() -> impl Iterator<Item = u32> {
    [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64].into_iter().chain((7..24).map(|power| 1 << power))
}

/// The verdict. An error means that the solver's model is no execution of the machine.
pub fn verdict(task: &Task<'_>) -> Result<Verdict, ReplayMismatch> {
    let mut figures = Figures::default();
    let outcome =
        |outcome, figures: Figures| Ok(Verdict { model: task.model, engine: ENGINE, outcome, stats: Stats(figures.0) });
    if let Some(reason) = undecidable(task.checks) {
        return outcome(Outcome::Unknown { reason: reason.to_owned(), span: None }, figures);
    }
    // What waits in a loop needs no bound; the steps that are left have the same numbers, so replay is none the wiser.
    let code = if task.checks.data_race { spin_for_races(task.program) } else { spin(task.program, true) }.program;
    let mut best: Option<Vec<Bound>> = None;
    let bounds: Box<dyn Iterator<Item = u32>> =
        if task.grow { Box::new(growing()) } else { Box::new(std::iter::once(task.bounds.default)) };
    for bound in bounds {
        let bounds = Bounds { default: bound, ..task.bounds.clone() };
        figures.set("unwind", bound as f64);
        let step = step(task, &code, &bounds, &mut figures)?;
        match (step, best.take()) {
            (Step::Unsafe(verdict), _) => return Ok(*verdict),
            (Step::Safe(bounds), _) if bounds.iter().all(|bound| bound.exhausted) => {
                return outcome(Outcome::Safe { bounds }, figures);
            }
            (Step::Safe(bounds), _) => best = Some(bounds),
            (Step::TooSoon, before) => best = before,
            // What a larger bound leads to is no reason to forget what is known.
            (Step::Unknown { .. } | Step::Stopped(_), Some(bounds)) => {
                return outcome(Outcome::Safe { bounds }, figures);
            }
            (Step::Unknown { reason, span }, None) => return outcome(Outcome::Unknown { reason, span }, figures),
            (Step::Stopped(exceeded), None) => {
                let reason = exceeded.reason().to_owned();
                return outcome(Outcome::Unknown { reason, span: None }, figures);
            }
        }
    }
    let bounds = best.expect("at least one bound should have been tried");
    outcome(Outcome::Safe { bounds }, figures)
}

fn undecidable(checks: Checks) -> Option<&'static str> {
    if checks.deadlock {
        return Some("this engine does not look for deadlocks");
    }
    checks.leaks.then_some("this engine does not look for memory leaks")
}

/// One bound. `code` is the task's program without the idle iterations of its spin loops.
fn step(task: &Task<'_>, code: &Program, bounds: &Bounds, figures: &mut Figures) -> Result<Step, ReplayMismatch> {
    let start = Instant::now();
    let symbolic = norn_symex::execute(code, bounds, task.checks, task.limits);
    figures.add("symex seconds", start.elapsed().as_secs_f64());
    let mut symbolic = match symbolic {
        Ok(symbolic) => symbolic,
        Err(Refusal { reason, span }) => return Ok(Step::Unknown { reason, span }),
    };
    if let Some(exceeded) = task.limits.exceeded() {
        return Ok(Step::Stopped(exceeded));
    }
    if task.grow && goes_on_anyway(&symbolic, bounds.default) {
        return Ok(Step::TooSoon);
    }
    let start = Instant::now();
    let Task { model, encoding, certify, limits, .. } = *task;
    let races = task.checks.data_race.then(|| Formulated::with_races(&mut symbolic, model, encoding, certify, limits));
    let formulas = races
        .transpose()
        .and_then(|races| Ok((races, Formulated::new(&mut symbolic, model, encoding, certify, limits)?)));
    let (mut races, mut formula) = match formulas {
        Ok(formulas) => formulas,
        Err(exceeded) => return Ok(Step::Stopped(exceeded)),
    };
    figures.add("encode seconds", start.elapsed().as_secs_f64());
    formula.figures(&symbolic, figures);

    let start = Instant::now();
    let found = races.as_mut().and_then(|races| ask_for_race(task, &symbolic, races));
    let found = found.unwrap_or_else(|| ask(task, &symbolic, &mut formula));
    // There may be a race before anything undefined is met; replay will tell.
    let early = match (&found, &mut races) {
        (Found::Step(Step::Unknown { .. }), Some(races)) => early_race(task, &symbolic, races),
        _ => None,
    };
    figures.add("solve seconds", start.elapsed().as_secs_f64());
    formula.figures(&symbolic, figures);
    if let Some(schedule) = early
        && let Ok(step @ Step::Unsafe(_)) = unsafe_verdict(task, &symbolic, schedule, figures)
    {
        return Ok(step);
    }
    match found {
        Found::Violation(schedule) => unsafe_verdict(task, &symbolic, schedule, figures),
        Found::Step(step) => Ok(step),
    }
}

enum Found {
    Violation(Schedule),
    Step(Step),
}

/// Nothing, if there is no data race in an execution that meets nothing undefined.
fn ask_for_race(task: &Task<'_>, symbolic: &Symbolic, races: &mut Formulated) -> Option<Found> {
    match races.ask(symbolic, &Question::Race { in_any_case: false }, task.limits) {
        Asked::Yes => Some(Found::Violation(races.schedule(task.program, task.model, symbolic))),
        Asked::No => None,
        Asked::Stopped(exceeded) => Some(Found::Step(Step::Stopped(exceeded))),
        Asked::NotProved(reason) => Some(Found::Step(Step::Unknown { reason, span: None })),
    }
}

/// A schedule that may run into a race, or into something undefined before.
fn early_race(task: &Task<'_>, symbolic: &Symbolic, races: &mut Formulated) -> Option<Schedule> {
    match races.ask(symbolic, &Question::Race { in_any_case: true }, task.limits) {
        Asked::Yes => Some(races.schedule(task.program, task.model, symbolic)),
        Asked::No | Asked::Stopped(_) | Asked::NotProved(_) => None,
    }
}

fn ask(task: &Task<'_>, symbolic: &Symbolic, formula: &mut Formulated) -> Found {
    let stopped = |exceeded| Found::Step(Step::Stopped(exceeded));
    let unproved = |reason: String| Found::Step(Step::Unknown { reason, span: None });
    match formula.ask(symbolic, &Question::Violated, task.limits) {
        Asked::Yes => return Found::Violation(formula.schedule(task.program, task.model, symbolic)),
        Asked::No => {}
        Asked::Stopped(exceeded) => return stopped(exceeded),
        Asked::NotProved(reason) => return unproved(reason),
    }
    match formula.ask(symbolic, &Question::Undefined, task.limits) {
        Asked::Yes => {
            let undefined = formula.true_checks().find_map(|check| match &symbolic.checks[check].what {
                Finding::Undefined(reason) => Some((reason.clone(), symbolic.checks[check].span)),
                Finding::Violation(_) => None,
            });
            let (reason, span) = undefined.expect("what was asked for should be in the model");
            return Found::Step(Step::Unknown { reason, span: Some(span) });
        }
        Asked::No => {}
        Asked::Stopped(exceeded) => return stopped(exceeded),
        Asked::NotProved(reason) => return unproved(reason),
    }
    let reached = match reached_cuts(task, symbolic, formula) {
        Ok(reached) => reached,
        Err(reason) => return unproved(reason),
    };
    let cuts = symbolic.cuts.iter().zip(&reached).map(|(cut, &reached)| (cut.span, cut.bound, reached));
    Found::Step(Step::Safe(unwind_bounds(task.program, cuts)))
}

/// Which cuts are reached. Where time runs out those that are open count as reached, which is always right to say.
fn reached_cuts(task: &Task<'_>, symbolic: &Symbolic, formula: &mut Formulated) -> Result<Vec<bool>, String> {
    let mut reached = vec![false; symbolic.cuts.len()];
    loop {
        let open: Vec<usize> = (0..reached.len()).filter(|&cut| !reached[cut]).collect();
        match formula.ask(symbolic, &Question::Cut(open.clone()), task.limits) {
            Asked::Yes => {
                let found = open.into_iter().filter(|&cut| formula.is_cut(cut)).collect::<Vec<_>>();
                assert!(!found.is_empty(), "a cut that is asked for should be in the model");
                // One reached copy is as good as all of its loop.
                for cut in found {
                    let of_same_loop = |other: &usize| {
                        let (a, b) = (&symbolic.cuts[cut], &symbolic.cuts[*other]);
                        (a.span, a.bound) == (b.span, b.bound)
                    };
                    (0..reached.len()).filter(of_same_loop).for_each(|other| reached[other] = true);
                }
            }
            Asked::No => return Ok(reached),
            Asked::Stopped(_) => {
                open.into_iter().for_each(|cut| reached[cut] = true);
                return Ok(reached);
            }
            Asked::NotProved(reason) => return Err(reason),
        }
    }
}

/// Replays the schedule. The violation is the one that the replay meets first: there may be several in one execution.
fn unsafe_verdict(
    task: &Task<'_>,
    symbolic: &Symbolic,
    schedule: Schedule,
    figures: &Figures,
) -> Result<Step, ReplayMismatch> {
    let schedule = complete_inputs(task.program, task.checks, schedule);
    let met = match replay(task.program, task.checks, &schedule) {
        Ok(replayed) => match replayed.end {
            End::Violation(violation) => Ok(violation),
            found => {
                let expected = symbolic.checks.iter().find_map(|check| match &check.what {
                    Finding::Violation(violation) => Some(violation.clone()),
                    Finding::Undefined(_) => None,
                });
                let expected = expected.unwrap_or_else(|| Violation {
                    kind: ViolationKind::DataRace,
                    span: symbolic.events.first().map_or(Span::NONE, |event| event.span),
                    message: String::new(),
                });
                Err(ReplayMismatch::Other { expected, found })
            }
        },
        // What a thread does silently beyond where the model stops it may have no meaning.
        Err(ReplayError::Stuck { reason, span }) => return Ok(Step::Unknown { reason, span: Some(span) }),
        Err(error) => Err(ReplayMismatch::Refused(error)),
    };
    match met {
        Ok(violation) => {
            let stats = Stats(figures.0.clone());
            let verdict = confirm(task.program, task.checks, schedule, &violation, ENGINE, stats)?;
            Ok(Step::Unsafe(Box::new(verdict)))
        }
        Err(mismatch) => match symbolic.watches_addresses {
            // Addresses are not always those of the machine.
            Some(span) => {
                let reason = "the program looks at an address as a number".to_owned();
                Ok(Step::Unknown { reason, span: Some(span) })
            }
            None => Err(mismatch),
        },
    }
}

/// Figures for `--stats`.
#[derive(Clone, Default)]
pub struct Figures(BTreeMap<&'static str, f64>);

impl Figures {
    pub fn set(&mut self, name: &'static str, value: f64) {
        self.0.insert(name, value);
    }

    pub fn add(&mut self, name: &'static str, value: f64) {
        *self.0.entry(name).or_default() += value;
    }
}
