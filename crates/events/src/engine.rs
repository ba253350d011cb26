//! From a program to a verdict: one formula per bound on loops, and a few questions about each.
//!
//! First whether something is violated in an execution that meets nothing undefined; then whether something undefined
//! is met; then which bounds are reached. Data races have a formula of their own, which is asked before. Bounds grow
//! until none is reached or a limit is.
//!
//! *Doubts.* Where something undefined is met but nothing is violated, larger bounds may still show a violation, so a few more
//! are tried, unless no bound is reached. A doubt stays one with larger bounds: after it no bound is said to be safe.
//!
//! *Given bounds with a time limit.* They are tried at once with half of the time, or with all of it where one thread alone runs
//! to its end: there smaller bounds mean little. If that is not enough, smaller bounds grow
//! towards them with the rest, and the largest that was done with is the verdict, under its own name.

use crate::question::{Asked, Form, Formulated, Question};
use norn_engine::capabilities::{Capabilities, EVENTS};
use norn_engine::{Engine, GivenBounds, Prepared, Query};
use norn_follow::campaign::{self, Effort};
use norn_follow::{Followed, Form as Schedules, Setting};
use norn_ir::program::{Origin, Program};
use norn_ir::span::Span;
use norn_logic::satisfied::Clauses;
use norn_passes::analysed::Analysed;
use norn_passes::trips::trips;
use norn_passes::unwind::{BoundAt, Bounds};
use norn_symex::{CutReached, Finding, Limited, Symbolic, bounds_of};
use norn_verdict::claim::{Claim, Expected, Mismatch, Referee, Ruling};
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Assumption, Bound, BoundKind, Checks, Outcome, Reached, Stats, Verdict, ViolationKind};
use norn_verdict::undecided::{Undecided, Why};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// The engine, with its options.
#[derive(Clone, Copy, Default, Debug)]
pub struct Events {
    pub encoding: Encoding,
    /// Check the proof of a safe verdict, and its formula against executions of the machine.
    pub certify: bool,
}

impl Engine for Events {
    fn capabilities(&self) -> &'static Capabilities {
        &EVENTS
    }

    fn run(&self, query: &Query<'_>, referee: &dyn Referee) -> Result<Verdict, Mismatch> {
        if let Some(refused) = query.refused(&EVENTS) {
            return Ok(refused);
        }
        let usual = GivenBounds::default().or_usual();
        let Query { program, model, checks, bounds, limits } = *query;
        let (grow, bounds) = (bounds.is_none(), bounds.unwrap_or(&usual));
        let Events { encoding, certify } = *self;
        verdict(&Task { program, model, checks, bounds, grow, limits, encoding, certify, referee })
    }
}

/// A program and what is asked about it.
#[derive(Clone, Copy)]
struct Task<'a> {
    program: &'a Prepared,
    model: Model,
    checks: Checks,
    bounds: &'a Bounds,
    /// Raise the default bound step by step instead.
    grow: bool,
    limits: &'a Limits,
    encoding: Encoding,
    certify: bool,
    referee: &'a dyn Referee,
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

/// The result of one bound.
enum Step {
    Unsafe(Box<Verdict>),
    /// There is nothing to ask at this bound, nor at larger ones.
    Unknown(Undecided),
    /// Something without a meaning is reached, and no violation without that.
    Doubt {
        open: Undecided,
        /// Loops may go on, and lead to a violation elsewhere.
        goes_on: bool,
    },
    /// Nothing is violated within these bounds, if these assumptions hold.
    Safe(Within),
    Stopped(Exceeded),
}

/// Nothing is violated within some bounds.
struct Within {
    bounds: Vec<Bound>,
    assumptions: Vec<Assumption>,
    reached: Option<Reached>,
    own_addresses: bool,
}

/// Loops of the library end by themselves, most often with the object that they run through. Their bound grows by this factor,
/// up to here.
const LIBRARY_GROWTH: u32 = 8;
const MOST_LIBRARY: u32 = 1 << 15;

/// Loops that go round more often grow like those that do not count.
const MOST_TRIPS: u32 = 16;
/// With more events, loops that count are not followed to their end at once.
const MANY_EVENTS: usize = 500;

/// The loops that count, with the bounds that they need.
fn counted_loops(program: &Program) -> Vec<BoundAt> {
    let short = trips(program).into_iter().filter(|&(_, trips)| trips <= MOST_TRIPS);
    let at = |(span, bound): (Span, u32)| BoundAt { file: program.file(span.file).to_owned(), line: span.line, bound };
    short.map(at).collect()
}

/// With fewer events nothing takes long.
const FEW_EVENTS: usize = 60;

/// Whether some loop is certain to go on beyond a small bound: then, as long as that is cheap, a larger one is tried
/// before anything is asked.
fn goes_on_anyway(symbolic: &Symbolic, bound: u32) -> bool {
    const SMALL_BOUND: u32 = 6;
    let goes_on = |cut: &CutReached| cut.limited == Limited::Loop && cut.guard == norn_logic::Term::TRUE;
    let is_certain = symbolic.cuts.iter().any(goes_on);
    bound < SMALL_BOUND && symbolic.events.len() < FEW_EVENTS && is_certain
}

/// The bounds that are tried in turn.
fn growing() -> impl Iterator<Item = u32> {
    [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64].into_iter().chain((7..24).map(|power| 1 << power))
}

/// The bounds that are tried where those given take too long: all of a few, then as they grow.
fn growing_towards(most: u32) -> impl Iterator<Item = u32> {
    const FEW: u32 = 8;
    (1..=FEW).chain(growing().filter(|&bound| bound > FEW)).take_while(move |&bound| bound < most)
}

/// The largest bound that is tried once something undefined was met.
const LAST_AFTER_DOUBT: u32 = 16;

/// The verdict. An error means that the solver's model is no execution of the machine.
fn verdict(task: &Task<'_>) -> Result<Verdict, Mismatch> {
    // What waits in a loop needs no bound; the steps that are left have the same numbers, so replay is none the wiser.
    let code = match task.checks {
        // An await has no idle iterations, in which there may be a race; a thread that stops goes on for ever no more.
        Checks { termination: true, data_race: true, .. } => task.program.code(),
        Checks { termination: true, .. } => task.program.lasting(),
        Checks { data_race: true, .. } => task.program.racing(),
        Checks { deadlock: true, .. } => task.program.stopping(),
        _ => task.program.awaiting(),
    };
    let counted = if task.grow { counted_loops(code) } else { Vec::new() };
    let (best, doubt, skipped, figures) = (None, None, None, Figures::default());
    let library = task.bounds.library;
    let mut search = Search { task, code, best, doubt, skipped, counted, library, figures };
    let done = if task.grow { search.grow(growing())? } else { search.towards_given()? };
    Ok(done.unwrap_or_else(|| search.best_known(None)))
}

/// What is known after some bounds.
struct Search<'a> {
    task: &'a Task<'a>,
    code: &'a Analysed,
    /// The bounds that were done with last.
    best: Option<Within>,
    /// The first thing that was met without a meaning.
    doubt: Option<Undecided>,
    /// The last bounds about which nothing was asked.
    skipped: Option<Bounds>,
    /// Loops that count, where bounds grow: they are followed to their end at once.
    counted: Vec<BoundAt>,
    /// The bound on loops of the library: it grows where nothing else is in the way.
    library: u32,
    figures: Figures,
}

impl Search<'_> {
    fn verdict(&self, outcome: Outcome) -> Verdict {
        Verdict::new(self.task.model, EVENTS.name, outcome, Stats(self.figures.0.clone()))
    }

    /// What a larger bound leads to is no reason to forget what is known about smaller ones.
    fn best_known(&mut self, stopped: Option<Exceeded>) -> Verdict {
        // What a larger bound leads to, or that there was no time for it.
        let doubt = self.doubt.take().or_else(|| stopped.map(Undecided::limit));
        let Some(Within { bounds, assumptions, reached, own_addresses }) = self.best.take() else {
            let open = doubt.unwrap_or_else(|| Undecided::new(Why::NothingTried("no bound was tried".into())));
            return self.verdict(Outcome::Unknown(open));
        };
        let outcome = match doubt {
            Some(undecided) => Outcome::Limited { bounds, undecided },
            None => Outcome::Safe { bounds },
        };
        self.verdict(outcome).assuming(assumptions).reaching(reached).with_own_addresses(own_addresses)
    }

    /// The verdict, unless all bounds were done with and more could be said.
    fn grow(&mut self, bounds: impl Iterator<Item = u32>) -> Result<Option<Verdict>, Mismatch> {
        for bound in bounds {
            if self.doubt.is_some() && bound > LAST_AFTER_DOUBT {
                break;
            }
            let given = self.task.bounds;
            let bounds = match self.task.grow {
                true => self.growing_to(bound),
                false => given.at_most(bound),
            };
            if let Some(verdict) = self.step(&bounds, self.task.limits)? {
                return Ok(Some(verdict));
            }
        }
        Ok(None)
    }

    /// All loops up to a bound, and those that count to their end.
    fn growing_to(&self, bound: u32) -> Bounds {
        let at = self.counted.iter().map(|at| BoundAt { bound: at.bound.max(bound), ..at.clone() });
        Bounds { default: bound, library: self.library, at: at.collect(), ..self.task.bounds.clone() }
    }

    /// The given bounds at once; if they take too long, smaller ones.
    fn towards_given(&mut self) -> Result<Option<Verdict>, Mismatch> {
        let task = self.task;
        let most = task.bounds.largest();
        if growing_towards(most).next().is_none() {
            return self.step(task.bounds, task.limits);
        }
        let limits = task.limits.half().unwrap_or_else(|| task.limits.clone());
        let halved = Task { limits: &limits, ..*task };
        let symbolic = executed(&halved, self.code, task.bounds, &mut self.figures);
        if symbolic.as_ref().is_ok_and(is_sequential_to_the_end) {
            return self.solve(task, task.bounds, symbolic);
        }
        let verdict = self.solve(&halved, task.bounds, symbolic)?;
        let is_limited = limits.exceeded().is_some() && task.limits.exceeded().is_none();
        match verdict {
            Some(Verdict { outcome: Outcome::Unknown(_), .. }) if is_limited && self.doubt.is_none() => {}
            verdict => return Ok(verdict),
        }
        let verdict = self.grow(growing_towards(most))?;
        let time = task.limits.exceeded().unwrap_or(Exceeded::Time);
        Ok(Some(verdict.unwrap_or_else(|| self.best_known(Some(time)))))
    }

    /// One bound; a verdict if that ends the search.
    fn step(&mut self, bounds: &Bounds, limits: &Limits) -> Result<Option<Verdict>, Mismatch> {
        let task = Task { limits, ..*self.task };
        let symbolic = executed(&task, self.code, bounds, &mut self.figures);
        if !self.counted.is_empty() && symbolic.as_ref().is_ok_and(|symbolic| symbolic.events.len() > MANY_EVENTS) {
            // There may be something to be found soon. These loops grow like the others.
            self.counted.clear();
            return self.step(&self.growing_to(bounds.default), limits);
        }
        if task.grow
            && let Ok(symbolic) = &symbolic
        {
            if goes_on_anyway(symbolic, bounds.default) {
                self.skipped = Some(bounds.clone());
                return Ok(None);
            }
            // This may take too long; then what was skipped is worth knowing.
            if symbolic.events.len() >= FEW_EVENTS
                && let Some(skipped) = self.skipped.take()
            {
                let smaller = executed(&task, self.code, &skipped, &mut self.figures);
                if let Some(verdict) = self.solve(&task, &skipped, smaller)? {
                    return Ok(Some(verdict));
                }
            }
        }
        self.solve(&task, bounds, symbolic)
    }

    fn solve(
        &mut self,
        task: &Task<'_>,
        bounds: &Bounds,
        symbolic: Result<Symbolic, Step>,
    ) -> Result<Option<Verdict>, Mismatch> {
        self.figures.set("unwind", bounds.default as f64);
        let step = match symbolic {
            Ok(symbolic) => step(task, self.code, bounds, symbolic, &mut self.figures)?,
            Err(step) => step,
        };
        Ok(match step {
            Step::Unsafe(verdict) => Some(*verdict),
            Step::Safe(within) if self.doubt.is_none() => {
                let is_loop = |bound: &Bound| matches!(bound.kind, BoundKind::Unwind(_));
                let is_counted = |value: u64| bounds.at.iter().any(|at| u64::from(at.bound) == value);
                let grows = |bound: &Bound| {
                    let is_own = bound.value == u64::from(bounds.default) || is_counted(bound.value);
                    is_loop(bound) && !bound.exhausted && is_own
                };
                let is_complete = within.bounds.iter().all(|bound| bound.exhausted);
                let is_of_library = |bound: &Bound| {
                    let named = matches!(&bound.kind, BoundKind::Unwind(place) if place.origin == Origin::Library);
                    named && bound.value == u64::from(bounds.library)
                };
                let goes_on = within.bounds.iter().any(grows);
                let is_last = is_complete || (self.task.grow && !goes_on);
                let is_largest = if self.task.grow { !goes_on } else { bounds.default == self.task.bounds.default };
                let undecided = Undecided::limit(Exceeded::Time);
                let so_far = Outcome::Limited { bounds: within.bounds.clone(), undecided };
                let waits_for_library = within.bounds.iter().any(|bound| !bound.exhausted && is_of_library(bound));
                self.best = Some(within);
                if is_largest && waits_for_library && bounds.library < MOST_LIBRARY {
                    self.library = bounds.library.saturating_mul(LIBRARY_GROWTH).min(MOST_LIBRARY);
                    let bounds = Bounds { library: self.library, ..bounds.clone() };
                    let symbolic = executed(task, self.code, &bounds, &mut self.figures);
                    return self.solve(task, &bounds, symbolic);
                }
                if is_last {
                    return Ok(Some(self.best_known(None)));
                }
                self.task.referee.hear(&self.verdict(so_far));
                None
            }
            // What was met before with smaller bounds is still there.
            Step::Safe(_) => None,
            Step::Doubt { open, goes_on } => {
                self.doubt.get_or_insert(open);
                (!goes_on).then(|| self.best_known(None))
            }
            Step::Unknown(open) => {
                self.doubt.get_or_insert(open);
                Some(self.best_known(None))
            }
            Step::Stopped(exceeded) => Some(self.best_known(Some(exceeded))),
        })
    }
}

/// Whether one thread runs alone and no bound cuts it short: smaller bounds would leave out its end, and mean little.
fn is_sequential_to_the_end(symbolic: &Symbolic) -> bool {
    symbolic.events.is_empty() && symbolic.cuts.is_empty()
}

/// The event list for a bound. `code` is the task's program without the idle iterations of its spin loops.
fn executed(task: &Task<'_>, code: &Analysed, bounds: &Bounds, figures: &mut Figures) -> Result<Symbolic, Step> {
    let start = Instant::now();
    let symbolic = norn_symex::execute(code, bounds, task.checks, task.limits);
    figures.add("symex seconds", start.elapsed().as_secs_f64());
    match task.limits.exceeded() {
        Some(exceeded) => Err(Step::Stopped(exceeded)),
        None => symbolic.map_err(Step::Unknown),
    }
}

/// One bound.
fn step(
    task: &Task<'_>,
    code: &Analysed,
    bounds: &Bounds,
    mut symbolic: Symbolic,
    figures: &mut Figures,
) -> Result<Step, Mismatch> {
    let start = Instant::now();
    let Task { model, encoding, certify, limits, .. } = *task;
    let mut formulated = |races| Formulated::new(&mut symbolic, model, Form { encoding, races, certify }, limits);
    let races = task.checks.data_race.then(|| formulated(true)).transpose();
    let formulas = races.and_then(|races| Ok((races, formulated(false)?)));
    let (mut races, mut formula) = match formulas {
        Ok(formulas) => formulas,
        Err(exceeded) => return Ok(Step::Stopped(exceeded)),
    };
    figures.add("encode seconds", start.elapsed().as_secs_f64());
    formula.figures(&symbolic, figures);

    let solving = Instant::now();
    let found = races.as_mut().and_then(|races| ask_for_race(task, &symbolic, races));
    let found = found.unwrap_or_else(|| ask(task, &symbolic, &mut formula));
    figures.add("solve seconds", solving.elapsed().as_secs_f64());
    formula.figures(&symbolic, figures);
    match found {
        Found::Safe(reached, assumptions) => {
            if certify {
                let is_last = !task.grow || !reached.contains(&true);
                let effort = Effort::after(start.elapsed(), is_last);
                for formula in races.iter().chain([&formula]) {
                    compare_with_machine(task, code, &symbolic, formula, &reached, effort, figures)?;
                }
            }
            let bounds = bounds_of(task.program, &symbolic.cuts, &reached);
            let is_open = bounds.iter().any(|bound| !bound.exhausted);
            let reached = if is_open { reached_marks(task, &symbolic, &mut formula) } else { None };
            let own_addresses = symbolic.watches_addresses.is_some();
            Ok(Step::Safe(Within { bounds, assumptions, reached, own_addresses }))
        }
        Found::Violation(claim) => unsafe_verdict(task, &symbolic, claim, figures),
        Found::Step(doubt @ Step::Doubt { .. }) => {
            drop((races, formula));
            beside_doubt(task, code, bounds, doubt, figures)
        }
        Found::Step(step) => Ok(step),
    }
}

/// Executions of the machine have to be models of the formula that was refuted, and end before the bounds that are not reached.
fn compare_with_machine(
    task: &Task<'_>,
    code: &Program,
    symbolic: &Symbolic,
    formula: &Formulated,
    reached: &[bool],
    effort: Effort,
    figures: &mut Figures,
) -> Result<(), Mismatch> {
    figures.add("proof steps", formula.proved as f64);
    let Some(given) = formula.blaster.sink().given() else { return Ok(()) };
    let clauses = Clauses::new(given);
    let setting = Setting { program: code, symbolic, model: task.model, checks: task.checks };
    let ordered = formula.ordered_threads();
    let mut is_model = |followed: &Followed| {
        if let Some(cut) = followed.cuts.iter().find(|&&cut| !reached[cut]) {
            let found = &symbolic.cuts[*cut];
            return Err(format!("the bound {} of line {} is reached", found.bound, found.span.line));
        }
        formula.is_model(symbolic, &clauses, followed).map(|_| ())
    };
    let done = campaign::run(setting, Schedules::Free { ordered: &ordered }, effort, task.limits, &mut is_model);
    let done = done.map_err(|found| task.program.left_out(found.reason, found.schedule))?;
    figures.add("executions checked", done.executions as f64);
    figures.add("executions not usable", done.useless as f64);
    figures.add("check seconds", done.seconds);
    Ok(())
}

/// Something undefined is met in some execution, and no violation is found in those that do not meet it. In all of them each
/// thread goes as far as it can; so a violation may be missing that comes before a step of another thread which leads
/// to something undefined in any case. It is there if threads may stop.
fn beside_doubt(
    task: &Task<'_>,
    code: &Analysed,
    bounds: &Bounds,
    doubt: Step,
    figures: &mut Figures,
) -> Result<Step, Mismatch> {
    let Ok(mut symbolic) = norn_symex::execute_stopping(code, bounds, task.checks, task.limits) else {
        return Ok(doubt);
    };
    let start = Instant::now();
    let mut claim = None;
    let both = [(true, Question::Race), (false, Question::Violated)];
    for (races, question) in both.into_iter().filter(|&(races, _)| task.checks.data_race || !races) {
        let form = Form { encoding: task.encoding, races, certify: false };
        let Ok(mut formula) = Formulated::new(&mut symbolic, task.model, form, task.limits) else { return Ok(doubt) };
        claim = violating(task, &symbolic, &mut formula, &question);
        if claim.is_some() {
            break;
        }
    }
    figures.add("solve seconds", start.elapsed().as_secs_f64());
    let Some(claim) = claim else { return Ok(doubt) };
    Ok(match unsafe_verdict(task, &symbolic, claim, figures)? {
        found @ Step::Unsafe(_) => found,
        _ => doubt,
    })
}

/// An execution in which what was asked for happens, if there is one.
fn violating(task: &Task<'_>, symbolic: &Symbolic, formula: &mut Formulated, question: &Question) -> Option<Claim> {
    match formula.ask(symbolic, question, task.limits) {
        Asked::Yes => Some(claim(task, symbolic, formula)),
        Asked::No | Asked::Stopped(_) | Asked::NotProved(_) => None,
    }
}

enum Found {
    Violation(Claim),
    /// By cut: whether it is reached; and what is assumed.
    Safe(Vec<bool>, Vec<Assumption>),
    Step(Step),
}

/// Nothing, if there is no data race in an execution that meets nothing undefined.
fn ask_for_race(task: &Task<'_>, symbolic: &Symbolic, races: &mut Formulated) -> Option<Found> {
    match races.ask(symbolic, &Question::Race, task.limits) {
        Asked::Yes => Some(Found::Violation(claim(task, symbolic, races))),
        Asked::No => None,
        Asked::Stopped(exceeded) => Some(Found::Step(Step::Stopped(exceeded))),
        Asked::NotProved(words) => Some(Found::Step(unproved(words))),
    }
}

/// A proof, which was asked for, is missing.
fn unproved(words: String) -> Step {
    Step::Unknown(Undecided::new(Why::NotProved(words.into())))
}

fn ask(task: &Task<'_>, symbolic: &Symbolic, formula: &mut Formulated) -> Found {
    let stopped = |exceeded| Found::Step(Step::Stopped(exceeded));
    let unproved = |words| Found::Step(unproved(words));
    match formula.ask(symbolic, &Question::Violated, task.limits) {
        Asked::Yes => return Found::Violation(claim(task, symbolic, formula)),
        Asked::No => {}
        Asked::Stopped(exceeded) => return stopped(exceeded),
        Asked::NotProved(reason) => return unproved(reason),
    }
    match formula.ask(symbolic, &Question::Undefined, task.limits) {
        Asked::Yes => {
            let undefined = formula.true_checks().find_map(|check| match &symbolic.checks[check].what {
                Finding::Undefined(why) => Some(Undecided::at(why.clone(), symbolic.checks[check].span)),
                Finding::Violation(_) | Finding::Assumed { .. } => None,
            });
            let open = undefined.expect("what was asked for should be in the model");
            let goes_on = task.grow && reached_cuts(task, symbolic, formula).is_ok_and(|cuts| cuts.contains(&true));
            return Found::Step(Step::Doubt { open, goes_on });
        }
        Asked::No => {}
        Asked::Stopped(exceeded) => return stopped(exceeded),
        Asked::NotProved(reason) => return unproved(reason),
    }
    let reached = match reached_cuts(task, symbolic, formula) {
        Ok(reached) => reached,
        Err(reason) => return unproved(reason),
    };
    match assumptions(task, symbolic, formula) {
        Ok(assumptions) => Found::Safe(reached, assumptions),
        Err(reason) => unproved(reason),
    }
}

/// What is assumed not to happen, and would happen in some execution. Where time runs out all that is open is named, which
/// is always right to say.
fn assumptions(task: &Task<'_>, symbolic: &Symbolic, formula: &mut Formulated) -> Result<Vec<Assumption>, String> {
    let mut needed: BTreeSet<Assumption> = BTreeSet::new();
    for excluded in [false, true] {
        loop {
            let is_open = |check: &usize| {
                let what = &symbolic.checks[*check].what;
                what.is_excluded() == excluded && what.assumption().is_some_and(|one| !needed.contains(&one))
            };
            let open: Vec<usize> = (0..symbolic.checks.len()).filter(is_open).collect();
            let of = |check: &usize| symbolic.checks[*check].what.assumption();
            match formula.ask(symbolic, &Question::Assumed(open.clone()), task.limits) {
                Asked::Yes => {
                    let before = needed.len();
                    needed.extend(open.iter().filter(|&&check| formula.is_true_check(check)).filter_map(of));
                    assert!(needed.len() > before, "an assumption that is asked for should be in the model");
                }
                Asked::No => break,
                Asked::Stopped(_) => {
                    needed.extend(open.iter().filter_map(of));
                    break;
                }
                Asked::NotProved(reason) => return Err(reason),
            }
        }
    }
    Ok(needed.into_iter().collect())
}

/// What executions come to, unless that takes long.
fn reached_marks(task: &Task<'_>, symbolic: &Symbolic, formula: &mut Formulated) -> Option<Reached> {
    let limits = task.limits.for_a_moment();
    let mut reached = Reached::default();
    loop {
        let open: Vec<usize> = (0..symbolic.marks.len()).filter(|&m| !symbolic.marks[m].is_in(&reached)).collect();
        match formula.ask(symbolic, &Question::Mark(open.clone()), &limits) {
            Asked::Yes => {
                open.into_iter().filter(|&m| formula.is_mark(m)).for_each(|m| symbolic.marks[m].note(&mut reached));
            }
            Asked::No => return Some(reached),
            Asked::Stopped(_) | Asked::NotProved(_) => return None,
        }
    }
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

/// The execution of the solver's model. There may be several violations in it: those that the event list foresees there,
/// data races wherever they are, and what the machine may see earlier because spin loops were made one step.
fn claim(task: &Task<'_>, symbolic: &Symbolic, formula: &Formulated) -> Claim {
    let mut expected: Vec<Expected> = formula.violations(symbolic).into_iter().map(Expected::from).collect();
    if task.checks.data_race {
        expected.push(Expected::anywhere(ViolationKind::DataRace));
    }
    // Who waits first depends on the order in which threads were created.
    if task.checks.deadlock {
        expected.push(Expected::anywhere(ViolationKind::Deadlock));
    }
    if task.checks.termination {
        expected.push(Expected::anywhere(ViolationKind::Nontermination));
    }
    expected.extend(Expected::invalid_loads());
    let schedule = formula.schedule(task.program.fingerprint(), task.model, symbolic);
    Claim { schedule, expected }
}

/// What the machine makes of a claim.
fn unsafe_verdict(task: &Task<'_>, symbolic: &Symbolic, claim: Claim, figures: &Figures) -> Result<Step, Mismatch> {
    match task.referee.rule(task.program, task.checks, claim) {
        Ruling::Holds(found) => {
            let stats = Stats(figures.0.clone());
            Ok(Step::Unsafe(Box::new(Verdict::new(task.model, EVENTS.name, Outcome::Unsafe(found), stats))))
        }
        // What a thread does silently beyond where the model stops it may have no meaning.
        Ruling::Open(open) => Ok(Step::Doubt { open, goes_on: true }),
        Ruling::Fails(mismatch) => {
            let open = symbolic.may_not_replay().ok_or(mismatch)?;
            Ok(Step::Doubt { open, goes_on: true })
        }
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
