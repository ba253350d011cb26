//! Bounds that grow: without hints, from small to large.
//!
//! Loops that count are followed to their end, and so are those that are cut on every path (their number of iterations is
//! fixed, though not by a constant in the code). For the others there are stages. Stage n follows each loop n times, in a
//! few rounds; before that, it tries each loop by itself n times and the others as often as the stage before, since a bug
//! often needs one loop to go round once more, and copies of several loops inside one another make formulas large. Each
//! question gets little time, which doubles from stage to stage: what is too hard is left to a later one.
//!
//! The verdict names the largest bounds that were done with, for all loops together.

use crate::engine::{Task, conclude, unknown, without_idle_iterations};
use crate::examine::{Examined, Examiner, Goal, sooner};
use crate::trips::trips;
use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_logic::Term;
use norn_machine::replay::ReplayMismatch;
use norn_passes::unwind::{BoundAt, Bounds};
use norn_symex::{Refusal, Symbolic, execute};
use norn_verdict::limits::Exceeded;
use norn_verdict::outcome::{Outcome, Stats, Verdict};
use std::collections::BTreeMap;
use std::time::Duration;

/// The verdict for loops that are followed further and further.
pub fn verdict(task: &Task<'_>) -> Result<Verdict, ReplayMismatch> {
    Growth::new(task).run()
}

/// Rounds of the first stage.
const FIRST_ROUNDS: u32 = 4;
/// For each question of the first stage.
const FIRST_PATIENCE: Duration = Duration::from_secs(1);
/// Beyond this, a loop that is cut on every path is left to grow.
const MOST_FIXED: u32 = 64;
/// Stages after something undefined was found, in which a violation may still turn up.
const AFTER_UNDEFINED: u32 = 2;

struct Growth<'a> {
    task: &'a Task<'a>,
    code: Program,
    /// Bounds of loops that need no guess.
    fixed: BTreeMap<Span, u32>,
    best: Option<Verdict>,
    undefined: Option<(u32, Verdict)>,
}

impl<'a> Growth<'a> {
    fn new(task: &'a Task<'a>) -> Growth<'a> {
        let code = without_idle_iterations(task);
        let mut fixed = BTreeMap::new();
        for (span, trips) in trips(&code) {
            let bound = fixed.entry(span).or_insert(trips);
            *bound = trips.max(*bound);
        }
        Growth { task, code, fixed, best: None, undefined: None }
    }

    fn run(mut self) -> Result<Verdict, ReplayMismatch> {
        for stage in 0.. {
            if let Some(verdict) = self.stage(stage)? {
                return Ok(verdict);
            }
            if self.undefined.as_ref().is_some_and(|(since, _)| stage >= since + AFTER_UNDEFINED) {
                break;
            }
        }
        Ok(self.give_up(Exceeded::Time.reason().to_owned(), None))
    }

    /// What is known so far.
    fn give_up(&mut self, reason: String, span: Option<Span>) -> Verdict {
        let undefined = self.undefined.take().map(|(_, verdict)| verdict);
        undefined.or(self.best.take()).unwrap_or_else(|| unknown(self.task, reason, span, Stats::default()))
    }

    /// The verdict, if this stage ends the search.
    fn stage(&mut self, stage: u32) -> Result<Option<Verdict>, ReplayMismatch> {
        let patience = FIRST_PATIENCE.saturating_mul(1 << stage.min(16));
        let rounds = self.task.rounds.unwrap_or(FIRST_ROUNDS + stage);
        if let Some(before) = stage.checked_sub(1) {
            let symbolic = match self.execute(before, None) {
                Ok(symbolic) => symbolic,
                Err(refusal) => return Ok(Some(self.give_up(refusal.reason, refusal.span))),
            };
            let mut open: Vec<Span> = open_cuts(&symbolic);
            drop(symbolic);
            // Inner loops come later in the code, and are cheaper to follow.
            open.reverse();
            for span in if open.len() > 1 { open } else { Vec::new() } {
                let Ok(symbolic) = self.execute(before, Some((span, stage))) else { continue };
                let goal = Goal { rounds, patience: Some(patience) };
                let mut examiner = Examiner::new(self.task, &symbolic);
                if let Examined::Unsafe(verdict) = examiner.examine(&goal)? {
                    return Ok(Some(*verdict));
                }
                if let Some(exceeded) = self.task.limits.exceeded() {
                    return Ok(Some(self.give_up(exceeded.reason().to_owned(), None)));
                }
            }
        }
        let symbolic = match self.execute(stage, None) {
            Ok(symbolic) => symbolic,
            Err(refusal) => return Ok(Some(self.give_up(refusal.reason, refusal.span))),
        };
        let mut examiner = Examiner::new(self.task, &symbolic);
        let is_straight = open_cuts(&symbolic).is_empty();
        let all = self.task.rounds.unwrap_or(u32::MAX).min(examiner.enough_rounds());
        let goal = match is_straight {
            true => Goal { rounds: all, patience: None },
            false => Goal { rounds: rounds.min(all), patience: Some(patience) },
        };
        let examined = examiner.examine(&goal)?;
        let exceeded = self.task.limits.exceeded();
        let no_more = match &examined {
            Examined::Unsafe(_) => true,
            Examined::Undefined { .. } => is_straight,
            // No loop goes on: only rounds are left to grow.
            Examined::Nothing { rounds, reached, .. } if !is_straight && *rounds > 0 && !reached.contains(&true) => {
                if *rounds < all && exceeded.is_none() {
                    let mut examiner = Examiner::new(self.task, &symbolic);
                    let examined = examiner.examine(&Goal { rounds: all, patience: None })?;
                    return Ok(Some(conclude(self.task, &symbolic.cuts, examined, examiner.stats())));
                }
                true
            }
            Examined::Nothing { .. } => is_straight,
        };
        let verdict = conclude(self.task, &symbolic.cuts, examined, examiner.stats());
        if no_more {
            return Ok(Some(verdict));
        }
        match verdict.outcome {
            Outcome::Safe { .. } => self.best = Some(verdict),
            // Only what has no meaning: a lack of time says nothing.
            Outcome::Unknown { ref span, .. } if span.is_some() && self.undefined.is_none() => {
                self.undefined = Some((stage, verdict));
            }
            _ => {}
        }
        Ok(exceeded.map(|exceeded| self.give_up(exceeded.reason().to_owned(), None)))
    }

    /// The event list for a bound on all loops, with another one for those at a place. Loops that are cut on every path
    /// get a larger bound for good.
    fn execute(&mut self, bound: u32, other: Option<(Span, u32)>) -> Result<Symbolic, Refusal> {
        loop {
            let bounds = self.bounds(bound, other);
            let symbolic = execute(&self.code, &bounds, self.task.checks, &sooner(self.task.limits, None))?;
            let mut grown = false;
            for cut in &symbolic.cuts {
                let is_certain = cut.guard == Term::TRUE || cut.guard == symbolic.thread(cut.thread).start;
                if is_certain && cut.guard != Term::FALSE && cut.bound < MOST_FIXED {
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
        bounds.at.extend(other.map(|(span, bound)| at(span, bound)));
        bounds.at.extend(self.fixed.iter().map(|(&span, &fixed)| at(span, fixed.max(bound))));
        bounds
    }
}

/// The places of loops that may be cut.
fn open_cuts(symbolic: &Symbolic) -> Vec<Span> {
    let open = symbolic.cuts.iter().filter(|cut| cut.guard != Term::FALSE);
    let mut spans: Vec<Span> = open.map(|cut| cut.span).collect();
    spans.sort_unstable();
    spans.dedup();
    spans
}
