//! Bounds that grow: without hints, from small to large.
//!
//! Loops that count are followed to their end, and so are those that are cut on every path (their number of iterations is
//! fixed, though not by a constant in the code). For the others there are stages. Stage n follows each loop n times, in a
//! few rounds; before that, it tries each loop by itself n times and the others as often as the stage before, since a bug
//! often needs one loop to go round once more, and copies of several loops inside one another make formulas large. Each
//! question gets few conflicts, twice as many from stage to stage: what is too hard is left to a later one.
//!
//! The verdict names the largest bounds that were done with, for all loops together.

use crate::engine::{Task, conclude, limited, unknown, without_idle_iterations};
use crate::examine::{Examined, Examiner, Goal};
use norn_ir::program::Origin;
use norn_ir::span::Span;
use norn_logic::Term;
use norn_passes::analysed::Analysed;
use norn_passes::trips::trips;
use norn_passes::unwind::{BoundAt, Bounds, command_line};
use norn_symex::{Limited, Symbolic, execute};
use norn_verdict::claim::Mismatch;
use norn_verdict::limits::Exceeded;
use norn_verdict::outcome::{Outcome, Stats, Verdict};
use norn_verdict::undecided::{Undecided, Why};
use std::collections::BTreeMap;

/// The verdict for loops that are followed further and further.
pub fn verdict(task: &Task<'_>) -> Result<Verdict, Mismatch> {
    Growth::new(task).run()
}

/// Looks for a violation with smaller bounds than those given, where a formula for all of them would be large. What is
/// found is within the bounds; finding nothing means nothing.
pub fn hunt(task: &Task<'_>, bounds: &Bounds) -> Result<Option<Verdict>, Mismatch> {
    let mut growth = Growth::new(task);
    growth.most = Some(bounds);
    for stage in 0..bounds.default.min(HUNTING_STAGES) {
        if let Some(verdict) = growth.stage(stage)?
            && matches!(verdict.outcome, Outcome::Unsafe(_))
        {
            return Ok(Some(verdict));
        }
    }
    Ok(None)
}

/// Stages of a search for violations only.
const HUNTING_STAGES: u32 = 3;
/// Rounds of the first stage.
const FIRST_ROUNDS: u32 = 4;
/// Conflicts for each question of the first stage.
const FIRST_PATIENCE: u32 = 15_000;
/// Beyond this, a loop that is cut on every path is left to grow.
const MOST_FIXED: u32 = 64;
/// Stages after something undefined was found, in which a violation may still turn up.
const AFTER_UNDEFINED: u32 = 6;

struct Growth<'a> {
    task: &'a Task<'a>,
    code: &'a Analysed,
    /// Not to be exceeded; then only violations are of interest.
    most: Option<&'a Bounds>,
    /// Bounds of loops that need no guess.
    fixed: BTreeMap<Span, u32>,
    best: Option<Verdict>,
    undefined: Option<(u32, Verdict)>,
}

impl<'a> Growth<'a> {
    fn new(task: &'a Task<'a>) -> Growth<'a> {
        let code = without_idle_iterations(task);
        Growth { task, code, most: None, fixed: trips(code), best: None, undefined: None }
    }

    fn run(mut self) -> Result<Verdict, Mismatch> {
        for stage in 0.. {
            if let Some(verdict) = self.stage(stage)? {
                return Ok(verdict);
            }
            if self.undefined.as_ref().is_some_and(|(since, _)| stage >= since + AFTER_UNDEFINED) {
                break;
            }
        }
        Ok(self.give_up(Undecided::limit(Exceeded::Time)))
    }

    /// What is known so far.
    fn give_up(&mut self, open: Undecided) -> Verdict {
        let undefined = self.undefined.take().map(|(_, verdict)| verdict);
        let best = self.best.take().map(|best| limited(best, open.clone()));
        undefined.or(best).unwrap_or_else(|| unknown(self.task, open, Stats::default()))
    }

    /// The verdict, if this stage ends the search.
    fn stage(&mut self, stage: u32) -> Result<Option<Verdict>, Mismatch> {
        let patience = FIRST_PATIENCE << stage.min(16);
        let rounds = self.task.rounds.unwrap_or(FIRST_ROUNDS + stage);
        if let Some(before) = stage.checked_sub(1) {
            let symbolic = match self.execute(before, None) {
                Ok(symbolic) => symbolic,
                Err(open) => return Ok(Some(self.give_up(open))),
            };
            let mut open: Vec<Span> = open_cuts(&symbolic);
            drop(symbolic);
            // Inner loops come later in the code, and are cheaper to follow.
            open.reverse();
            for span in if open.len() > 1 { open } else { Vec::new() } {
                let Ok(symbolic) = self.execute(before, Some((span, stage))) else { continue };
                let goal = Goal { rounds, patience: Some(patience), only_violations: true };
                let mut examiner = Examiner::new(self.task, self.code, &symbolic);
                if let Examined::Unsafe(verdict) = examiner.examine(&goal)? {
                    return Ok(Some(*verdict));
                }
                if let Some(exceeded) = self.task.limits.exceeded() {
                    return Ok(Some(self.give_up(Undecided::limit(exceeded))));
                }
            }
        }
        let symbolic = match self.execute(stage, None) {
            Ok(symbolic) => symbolic,
            Err(open) => return Ok(Some(self.give_up(open))),
        };
        let mut examiner = Examiner::new(self.task, self.code, &symbolic);
        let is_straight = open_cuts(&symbolic).is_empty();
        let all = self.task.rounds.unwrap_or(u32::MAX).min(examiner.enough_rounds());
        let only_violations = self.most.is_some();
        let goal = match is_straight && !only_violations {
            true => Goal { rounds: all, patience: None, only_violations },
            false => Goal { rounds: rounds.min(all), patience: Some(patience), only_violations },
        };
        let examined = examiner.examine(&goal)?;
        let exceeded = self.task.limits.exceeded();
        let no_more = match &examined {
            Examined::Unsafe(_) => true,
            Examined::Undecided(open) => is_straight || matches!(open.why, Why::NotProved(_)),
            // No loop goes on: only rounds are left to grow.
            Examined::Nothing { rounds, reached, .. }
                if !is_straight && !only_violations && *rounds > 0 && !reached.contains(&true) =>
            {
                if *rounds < all && exceeded.is_none() {
                    let mut examiner = Examiner::new(self.task, self.code, &symbolic);
                    let examined = examiner.examine(&Goal { rounds: all, patience: None, only_violations: false })?;
                    return Ok(Some(conclude(self.task, &symbolic, examined, examiner.stats())));
                }
                true
            }
            Examined::Nothing { .. } => is_straight,
        };
        let verdict = conclude(self.task, &symbolic, examined, examiner.stats());
        if no_more {
            return Ok(Some(verdict));
        }
        match verdict.outcome {
            Outcome::Safe { .. } | Outcome::Limited { .. } => self.best = Some(verdict),
            // Only what has no meaning: a lack of time says nothing.
            Outcome::Unknown(ref open) if open.place.is_some() && self.undefined.is_none() => {
                self.undefined = Some((stage, verdict));
            }
            _ => {}
        }
        Ok(exceeded.map(|exceeded| self.give_up(Undecided::limit(exceeded))))
    }

    /// The event list for a bound on all loops, with another one for those at a place. Loops that are cut on every path
    /// get a larger bound for good.
    fn execute(&mut self, bound: u32, other: Option<(Span, u32)>) -> Result<Symbolic, Undecided> {
        loop {
            let bounds = self.bounds(bound, other);
            let symbolic = execute(self.code, &bounds, self.task.checks, self.task.limits)?;
            let mut grown = false;
            for cut in symbolic.cuts.iter().filter(|cut| cut.limited == Limited::Loop) {
                let is_certain = cut.guard == Term::TRUE || cut.guard == symbolic.thread(cut.thread).start;
                let most = self.most.map_or(MOST_FIXED, |most| most.of(self.task.program, cut.span, Origin::User));
                let may_grow = command_line(self.code, cut.span).is_none();
                if may_grow && is_certain && cut.guard != Term::FALSE && cut.bound < most.min(MOST_FIXED) {
                    let fixed = self.fixed.entry(cut.span).or_insert(0);
                    grown |= *fixed <= cut.bound;
                    *fixed = (*fixed).max((cut.bound * 2).clamp(cut.bound + 1, MOST_FIXED));
                }
            }
            if !grown {
                return Ok(symbolic);
            }
        }
    }

    fn bounds(&self, bound: u32, other: Option<(Span, u32)>) -> Bounds {
        let program = self.task.program;
        let at = |span: Span, bound: u32| BoundAt { file: program.file(span.file).to_owned(), line: span.line, bound };
        let mut bounds = Bounds { default: bound, ..Bounds::default() };
        let others = other.into_iter().chain(self.fixed.iter().map(|(&span, &fixed)| (span, fixed.max(bound))));
        match self.most {
            None => bounds.at.extend(others.map(|(span, bound)| at(span, bound))),
            Some(most) => {
                bounds.default = bound.min(most.default);
                bounds.library = most.library;
                bounds.max_instructions = most.max_instructions;
                bounds.at.extend(most.at.iter().map(|at| BoundAt { bound: at.bound.min(bound), ..at.clone() }));
                let within = |span: Span, bound: u32| bound.min(most.of(program, span, Origin::User));
                bounds.at.extend(others.map(|(span, bound)| at(span, within(span, bound))));
            }
        }
        bounds
    }
}

/// The places of loops that may be cut.
fn open_cuts(symbolic: &Symbolic) -> Vec<Span> {
    let open = symbolic.cuts.iter().filter(|cut| cut.limited == Limited::Loop && cut.guard != Term::FALSE);
    let mut spans: Vec<Span> = open.map(|cut| cut.span).collect();
    spans.sort_unstable();
    spans.dedup();
    spans
}
