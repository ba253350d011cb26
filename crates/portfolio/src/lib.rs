//! Which engines are asked, in which order, for how long, and what their answers say together.
//!
//! - [`auto`]: several engines that take turns; [`order`]: which, and who comes first; [`race`]: their threads; [`turnstile`]: whose
//!   turn it is
//! - [`cross_check`]: all of them, which have to agree
//! - [`attack`]: random executions before the others, and against every verdict of safe
//! - [`enumerate`]: the reference machine's own search, as an engine
//! - [`given`]: which bounds were given: only within those is a program safe

pub mod attack;
pub mod auto;
pub mod cross_check;
pub mod enumerate;
pub mod given;
pub mod order;
pub mod race;
pub mod turnstile;

use attack::FULL_WORK;
use enumerate::Enumerate;
use norn_engine::{Capabilities, Engine, GivenBounds, Prepared, Query, capabilities};
use norn_events::{Encoding, Events};
use norn_ir::program::Program;
use norn_machine::Reference;
use norn_rounds::Rounds;
use norn_sample::{Budget, Sample};
use norn_stateless::Stateless;
use norn_states::States;
use norn_verdict::claim::{Claim, Mismatch, Referee, Ruling};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Verdict};
use norn_verdict::robustness::CyclicTrace;
use norn_verdict::schedule::Schedule;
use std::num::NonZeroUsize;

/// Who is asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Who {
    States,
    Stateless,
    Events,
    Rounds,
    Enumerate,
    Sample,
}

impl Who {
    pub fn capabilities(self) -> &'static Capabilities {
        match self {
            Who::States => &capabilities::STATES,
            Who::Stateless => &capabilities::STATELESS,
            Who::Events => &capabilities::EVENTS,
            Who::Rounds => &capabilities::ROUNDS,
            Who::Enumerate => &capabilities::ENUMERATE,
            Who::Sample => &capabilities::SAMPLE,
        }
    }
}

/// A program, what is asked about it, and how.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub program: &'a Prepared,
    pub checks: Checks,
    pub given: &'a GivenBounds,
    pub limits: &'a Limits,
    pub options: &'a Options,
    /// Hears the best answer so far, while others are still asked: whoever ends the work can say it.
    pub heard: &'a dyn Fn(&Verdict),
}

/// For those who only want the last word.
pub const NOBODY_LISTENS: &dyn Fn(&Verdict) = &|_| {};

/// How engines are to answer.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// A counterexample should have as few steps as possible.
    pub shortest: bool,
    /// What a SAT solver says is safe is checked.
    pub certify: bool,
    /// Only engines that have proofs are asked.
    pub proofs_only: bool,
    pub encoding: Encoding,
    /// Its `certify` is that of the options.
    pub rounds: Rounds,
    /// Random executions come first in `auto`.
    pub sampling: bool,
    /// How many engines of `auto` run at the same time; one unless it is given.
    pub jobs: Option<NonZeroUsize>,
}

impl Options {
    fn permits(&self) -> usize {
        self.jobs.map_or(1, usize::from)
    }
}

/// The reference machine, with somebody who hears what engines know so far.
struct Judge<'a> {
    heard: &'a dyn Fn(&Verdict),
}

impl Referee for Judge<'_> {
    fn rule(&self, program: &Program, checks: Checks, claim: Claim) -> Ruling {
        Reference.rule(program, checks, claim)
    }

    fn rule_on_cycle(&self, program: &Program, checks: Checks, schedule: Schedule) -> Result<CyclicTrace, Mismatch> {
        Reference.rule_on_cycle(program, checks, schedule)
    }

    fn hear(&self, so_far: &Verdict) {
        // Nobody hears of safe before it has been attacked.
        if so_far.outcome.undecided().is_some() {
            (self.heard)(so_far);
        }
    }
}

impl Task<'_> {
    fn engine(&self, who: Who) -> Box<dyn Engine> {
        let Options { shortest, certify, encoding, .. } = *self.options;
        match who {
            Who::States => Box::new(States { shortest, ..States::default() }),
            Who::Stateless => Box::new(Stateless),
            Who::Events => Box::new(Events { encoding, certify }),
            Who::Rounds => Box::new(Rounds { certify, ..self.options.rounds.clone() }),
            Who::Enumerate => Box::new(Enumerate),
            Who::Sample => {
                let work = if self.limits.executions.is_some() { u64::MAX } else { FULL_WORK };
                Box::new(Sample { seed: 0, budget: Budget { work, time: None, first: 0 } })
            }
        }
    }

    /// What one engine says. It is safe only within bounds that were given.
    pub fn ask(&self, who: Who, model: Model) -> Result<Verdict, Mismatch> {
        let bounds = self.given.bounds();
        let Task { program, checks, limits, .. } = *self;
        let query = Query { program, model, checks, bounds: bounds.as_ref(), limits };
        let said = self.engine(who).run(&query, &Judge { heard: self.heard })?;
        Ok(given::within_given(self, said))
    }

    /// What the engines that can help say, in turns: one verdict, or two that contradict one another.
    pub fn verdicts_in_turns(&self, model: Model) -> Result<Vec<Verdict>, Mismatch> {
        match self.options.shortest {
            true => self.ask(Who::States, model).map(|verdict| vec![verdict]),
            false => auto::verdicts(self, model),
        }
    }

    /// The same for those who have no report to write about a contradiction.
    pub fn ask_in_turns(&self, model: Model) -> Result<Verdict, Mismatch> {
        let mut verdicts = self.verdicts_in_turns(model)?;
        match &verdicts[..] {
            [violated, safe] => {
                let engines = (violated.engine, safe.engine);
                Err(Mismatch::Refused(format!("'{}' found a violation, '{}' says safe", engines.0, engines.1)))
            }
            _ => Ok(verdicts.remove(0)),
        }
    }
}
