//! What is asked of a program, and what shows that the answer is no.

use norn_engine::{GivenBounds, Prepared, Query};
use norn_ir::program::Program;
use norn_machine::{End, Reference, ReplayError, Replayed, replay};
use norn_portfolio::attack::{Attacked, attack};
use norn_portfolio::{NOBODY_LISTENS, Options, Task, Who};
use norn_stateless::{robustness, without_assertions};
use norn_verdict::claim::{Mismatch, Referee};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Bound, Checks, Outcome, Verdict, Violation};
use norn_verdict::robustness::Robustness;
use norn_verdict::schedule::{Schedule, Step, fingerprint};
use norn_verdict::trace::Trace;
use norn_verdict::undecided::Undecided;
use std::time::Instant;

/// What must not be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// A violation.
    Safe(Checks),
    /// An execution that sequential consistency does not have.
    Robust,
}

/// What is asked of each candidate, under which model, and how long the answer may take.
#[derive(Clone)]
pub struct Question<'a> {
    pub model: Model,
    pub asked: Asked,
    pub given: &'a GivenBounds,
    pub options: &'a Options,
    pub limits: Limits,
}

/// What is known about a program.
pub enum Said {
    /// It is as it should be, within the bounds that are not exhausted.
    Fine {
        engine: &'static str,
        bounds: Vec<Bound>,
    },
    /// It is not: the execution that shows it.
    Wrong {
        engine: &'static str,
        schedule: Schedule,
    },
    Open {
        undecided: Undecided,
        bounds: Vec<Bound>,
    },
}

/// An execution that shows what must not be.
#[derive(Clone)]
pub struct Shown {
    pub trace: Trace,
    /// The steps that it takes.
    pub schedule: Schedule,
    /// `None`: sequential consistency does not have it.
    pub violation: Option<Violation>,
}

impl Question<'_> {
    fn checks(&self) -> Checks {
        match self.asked {
            Asked::Safe(checks) => checks,
            Asked::Robust => Checks::usual(),
        }
    }

    /// Asks the engines in turn, or one of them. The private objects of the program have been marked.
    pub fn ask(&self, program: Program, who: Option<Who>) -> Result<Said, Mismatch> {
        let prepared = Prepared::without_marks(program);
        match self.asked {
            Asked::Safe(checks) => self.ask_safe(&prepared, checks, who),
            Asked::Robust => self.ask_robust(&prepared),
        }
    }

    fn ask_safe(&self, program: &Prepared, checks: Checks, who: Option<Who>) -> Result<Said, Mismatch> {
        let (limits, options, given) = (&self.limits, self.options, self.given);
        let task = Task { program, checks, given, limits, options, heard: NOBODY_LISTENS };
        let start = Instant::now();
        let verdict = match who {
            Some(who) => task.ask(who, self.model)?,
            None => task.ask_in_turn(self.model)?,
        };
        let said = match attack(&task, verdict, start.elapsed())? {
            Attacked::Shown(verdict) => verdict,
            Attacked::Contradicted(both) => {
                let [_, safe] = *both;
                let found = format!("'{}' says safe, and a random execution violates it", safe.engine);
                return Err(Mismatch::Refused(found));
            }
        };
        let Verdict { engine, outcome, .. } = said;
        Ok(match outcome {
            Outcome::Safe { bounds } => Said::Fine { engine, bounds },
            Outcome::Limited { bounds, undecided } => Said::Open { undecided, bounds },
            Outcome::Unknown(undecided) => Said::Open { undecided, bounds: Vec::new() },
            Outcome::Unsafe(found) => Said::Wrong { engine, schedule: found.schedule().clone() },
        })
    }

    fn ask_robust(&self, program: &Prepared) -> Result<Said, Mismatch> {
        let bounds = self.given.bounds();
        let query =
            Query { program, model: self.model, checks: self.checks(), bounds: bounds.as_ref(), limits: &self.limits };
        let verdict = robustness(&query, &Reference)?;
        let engine = verdict.engine;
        Ok(match verdict.outcome {
            Robustness::Robust { bounds } => Said::Fine { engine, bounds },
            Robustness::NotRobust(cyclic) => Said::Wrong { engine, schedule: cyclic.schedule().clone() },
            Robustness::Unknown(undecided) => Said::Open { undecided, bounds: Vec::new() },
        })
    }

    /// Whether the program, too, has this execution, and it shows there what must not be. A store that the program does not
    /// buffer is in memory when it is made: so the schedule may commit it right afterwards only.
    pub fn shows(&self, program: &Program, schedule: &Schedule) -> Option<Shown> {
        let stopping;
        let program = match self.asked {
            Asked::Safe(_) => program,
            Asked::Robust => {
                stopping = without_assertions(program);
                &stopping
            }
        };
        let mut schedule = Schedule { program: fingerprint(program), ..schedule.clone() };
        loop {
            match replay(program, self.checks(), &schedule) {
                Ok(Replayed { end, steps, trace, .. }) => {
                    if matches!(self.asked, Asked::Safe(_)) {
                        let End::Violation(violation) = end else { return None };
                        schedule.steps.truncate(steps);
                        return Some(Shown { trace, schedule, violation: Some(violation) });
                    }
                    let cyclic = Reference.rule_on_cycle(program, self.checks(), schedule.clone()).ok()?;
                    return Some(Shown { trace: cyclic.trace().clone(), schedule, violation: None });
                }
                Err(ReplayError::WrongNumber { index, step: Step::Commit { thread, step } })
                    if index > 0 && schedule.steps[index - 1] == (Step::Run { thread: thread.clone(), step }) =>
                {
                    schedule.steps.remove(index);
                }
                Err(_) => return None,
            }
        }
    }
}
