//! One execution after another, until something is found or the budget is spent.

use crate::constants::Constants;
use crate::execution::{Ended, Lengths, Runner};
use crate::shrink::shrink;
use crate::values::{Shared, Values};
use norn_engine::Prepared;
use norn_engine::capabilities::SAMPLE;
use norn_exec::{Code, Executor, Stop, compile};
use norn_ir::number::to_usize;
use norn_passes::unwind::Bounds;
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Stats, Violation};
use norn_verdict::progress::Report;
use norn_verdict::schedule::Schedule;
use norn_verdict::undecided::Undecided;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What an execution costs besides its changes.
const COST: u64 = 64;
/// Work between two looks at the clock.
const PATIENCE: u64 = 20_000;

/// How much is tried: this much work, and more as long as the time lasts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Roughly the operations that are executed.
    pub work: u64,
    pub time: Option<Duration>,
    /// The executions before this one were tried already.
    pub first: u64,
}

/// What executions are drawn from.
pub struct Question<'a> {
    pub program: &'a Prepared,
    pub model: Model,
    pub checks: Checks,
    pub bounds: Option<&'a Bounds>,
    pub limits: &'a Limits,
    pub seed: u64,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Hunted {
    pub executions: u64,
    pub steps: u64,
    pub found: Option<Found>,
    /// What had no meaning, the first.
    pub met: Option<Undecided>,
    pub exceeded: Option<Exceeded>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    pub violation: Violation,
    pub schedule: Schedule,
    /// The largest number of stores in a buffer.
    pub longest_buffer: usize,
}

impl Hunted {
    pub fn stats(&self) -> Stats {
        Stats(BTreeMap::from([("executions", self.executions as f64), ("steps", self.steps as f64)]))
    }
}

/// How long the execution of this number may be. Most are short: then many are tried where loops do not end, and a bug is
/// easier to follow. Few are long.
fn lengths(number: u64) -> Lengths {
    let (steps, run, threads) = match (number + 1).trailing_zeros() {
        0 | 1 => (512, 20_000, 8),
        2 | 3 => (4096, 50_000, 24),
        _ => (16_384, 200_000, 64),
    };
    Lengths { steps, threads, run, changes: to_usize(run) * 4 }
}

pub fn hunt(question: &Question<'_>, budget: &Budget) -> Hunted {
    let code = compile(question.program, question.bounds);
    let mut hunted = Hunted::default();
    match Hunt::new(question, &code) {
        Ok(mut hunt) => {
            hunt.run(budget, &mut hunted);
            hunted.met = hunt.runner.met.take();
        }
        Err(Stop::Undecided(open)) => hunted.met = Some(*open),
        Err(_) => {}
    }
    hunted
}

struct Hunt<'a, 'c> {
    question: &'a Question<'a>,
    runner: Runner<'c>,
}

impl<'a: 'c, 'c> Hunt<'a, 'c> {
    fn new(question: &'a Question<'a>, code: &'c Code) -> Result<Hunt<'a, 'c>, Stop> {
        let Question { program, model, checks, .. } = *question;
        let values = Rc::new(RefCell::new(Values::new(Constants::of(code))));
        let mut executor = Executor::new(program.code(), code, model, checks)?;
        executor.set_supplier(Box::new(Shared(Rc::clone(&values))));
        let runner = Runner::new(executor, checks, values, code.ops.len());
        Ok(Hunt { question, runner })
    }

    fn run(&mut self, budget: &Budget, hunted: &mut Hunted) {
        let limits = self.question.limits;
        let end = budget.time.map(|time| Instant::now() + time);
        let (mut work, mut next_look, mut length) = (0, PATIENCE, 0);
        let most = limits.executions.unwrap_or(u64::MAX);
        while hunted.executions < most {
            if work >= next_look {
                next_look = work + PATIENCE;
                hunted.exceeded = limits.exceeded();
                let count = ("executions", hunted.executions);
                limits.progress.report(&Report { engine: SAMPLE.name, count, figures: &[], done: None });
                if hunted.exceeded.is_some() {
                    break;
                }
            }
            if work >= budget.work && end.is_none_or(|end| Instant::now() >= end) {
                break;
            }
            let number = budget.first + hunted.executions;
            let ended = self.runner.execute(number, self.question.seed, length, lengths(number));
            let steps = self.runner.acts.len() as u64;
            hunted.executions += 1;
            hunted.steps += steps;
            length = steps.max(length - length / 8);
            work += self.runner.work() + COST;
            let found = match ended {
                Ended::Violation(violation) => Some(self.found(violation)),
                Ended::Over | Ended::Cut => None,
            };
            if found.is_some() {
                hunted.found = found;
                break;
            }
        }
        self.runner.reset();
    }

    fn schedule(&mut self) -> Schedule {
        self.runner.schedule(self.question.model, self.question.program.fingerprint())
    }

    fn found(&mut self, violation: Violation) -> Found {
        let (original, longest_buffer) = (self.schedule(), self.runner.longest_buffer);
        match shrink(&mut self.runner, &violation) {
            true => Found { violation, schedule: self.schedule(), longest_buffer: self.runner.longest_buffer },
            false => Found { violation, schedule: original, longest_buffer },
        }
    }
}
