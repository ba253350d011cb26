//! What is asked of a program, and what shows that the answer is no.

use norn_engine::{GivenBounds, Prepared, Query};
use norn_ir::program::Program;
use norn_machine::{End, Reference, ReplayError, Replayed, replay};
use norn_portfolio::attack::{Attacked, attack};
use norn_portfolio::{NOBODY_LISTENS, Options, Task, Who};
use norn_stateless::{robustness, without_assertions};
use norn_verdict::claim::{Claim, Expected, Mismatch, Referee, Ruling};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Bound, Checks, Outcome, Stats, Verdict, Violation};
use norn_verdict::robustness::{Robustness, RobustnessVerdict};
use norn_verdict::schedule::{Schedule, Step, StepNumber, ThreadName, fingerprint};
use norn_verdict::trace::Trace;
use norn_verdict::undecided::Undecided;
use std::time::Instant;

/// Who shows executions for which levels are needed.
const NAME: &str = "repair";

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

/// An execution as the reference machine has ruled on it.
pub enum Evidence {
    Violation(Verdict),
    Cycle(RobustnessVerdict),
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

    pub fn looks_for_races(&self) -> bool {
        self.checks().data_race
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
            None => task.ask_in_turns(self.model)?,
        };
        let said = match attack(&task, verdict, start.elapsed())? {
            Attacked::Shown(verdict) => *verdict,
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

    /// The execution in a program, as a verdict.
    pub fn evidence(&self, program: &Program, schedule: &Schedule) -> Option<Evidence> {
        let Shown { schedule, violation, .. } = self.shows(program, schedule)?;
        let (model, stats) = (self.model, Stats::default());
        if let Some(violation) = violation {
            let claim = Claim { schedule, expected: vec![Expected::from(&violation)] };
            let Ruling::Holds(found) = Reference.rule(program, self.checks(), claim) else { return None };
            return Some(Evidence::Violation(Verdict::new(model, NAME, Outcome::Unsafe(found), stats)));
        }
        let cyclic = Reference.rule_on_cycle(&without_assertions(program), self.checks(), schedule).ok()?;
        let outcome = Robustness::NotRobust(Box::new(cyclic));
        Some(Evidence::Cycle(RobustnessVerdict { model, engine: NAME, outcome, stats }))
    }

    /// Whether the program, too, has this execution, and it shows there what must not be. A store that the program does not
    /// buffer is in memory when it is made: so it is made where the schedule commits it.
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
                // The machine waits until earlier stores are in memory, or did not buffer this one.
                Err(ReplayError::NotEnabled { index, step: Step::Run { thread, step } }) => {
                    make_where_it_commits(&mut schedule.steps, index, &thread, step)?;
                }
                Err(ReplayError::WrongNumber { index, step: Step::Commit { thread, step } }) => {
                    let run = Step::Run { thread: thread.clone(), step };
                    let made = schedule.steps[..index].iter().rposition(|other| *other == run)?;
                    if made + 1 == index {
                        schedule.steps.remove(index);
                    } else {
                        make_where_it_commits(&mut schedule.steps, made, &thread, step)?;
                    }
                }
                Err(_) => return None,
            }
        }
    }
}

/// A store that is made only when it reaches memory, in place of the store at `made` that waits in a buffer. `None`: its thread
/// does something in between, or it never gets there.
fn make_where_it_commits(steps: &mut Vec<Step>, made: usize, thread: &ThreadName, step: StepNumber) -> Option<()> {
    let commit = Step::Commit { thread: thread.clone(), step };
    let arrives = made + 1 + steps[made + 1..].iter().position(|other| *other == commit)?;
    let is_own = |other: &Step| matches!(other, Step::Run { thread: own, .. } if own == thread);
    if arrives == made + 1 || steps[made + 1..arrives].iter().any(is_own) {
        return None;
    }
    let run = steps.remove(made);
    // It stands right before its commit now.
    steps.insert(arrives - 1, run);
    Some(())
}
