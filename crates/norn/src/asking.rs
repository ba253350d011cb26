//! From the options of the command line to those who are asked.

use crate::args::{CheckArgs, CheckedArgs, Encoding, Engine, EventsArgs, LitmusArgs, RoundsArgs, Unwind};
use crate::input;
use norn_engine::GivenBounds;
use norn_passes::unwind::BoundAt;
use norn_portfolio::{Options, Task, Who};
use norn_rounds::Rounds;
use norn_verdict::claim::Mismatch;
use norn_verdict::model::Model;
use norn_verdict::outcome::Verdict;
use norn_verdict::property::{self, Property};
use std::num::NonZeroUsize;
use std::path::Path;

impl Engine {
    /// The engine, if it is a single one.
    pub fn who(self) -> Option<Who> {
        match self {
            Engine::Auto => None,
            Engine::Enumerate => Some(Who::Enumerate),
            Engine::Stateless => Some(Who::Stateless),
            Engine::States => Some(Who::States),
            Engine::Events => Some(Who::Events),
            Engine::Rounds => Some(Who::Rounds),
            Engine::Sample => Some(Who::Sample),
        }
    }

    pub fn ask(self, task: &Task<'_>, model: Model) -> Result<Verdict, Mismatch> {
        match self.who() {
            Some(who) => task.ask(who, model),
            None => task.ask_in_turns(model),
        }
    }

    /// The same, or two verdicts that contradict one another.
    pub fn verdicts(self, task: &Task<'_>, model: Model) -> Result<Vec<Verdict>, Mismatch> {
        match self.who() {
            Some(who) => task.ask(who, model).map(|verdict| vec![verdict]),
            None => task.verdicts_in_turns(model),
        }
    }
}

/// What the options of single engines say.
fn engine_options(events: EventsArgs, rounds: &RoundsArgs) -> Options {
    let RoundsArgs { limit, ref thread_order, bits, .. } = *rounds;
    Options {
        encoding: match events.encoding {
            Encoding::Order => norn_events::Encoding::Order,
            Encoding::Clocks => norn_events::Encoding::Clocks,
        },
        rounds: Rounds { rounds: limit, thread_order: thread_order.clone(), bits, certify: false },
        ..Options::default()
    }
}

impl CheckArgs {
    pub fn options(&self) -> Options {
        Options {
            shortest: self.shortest,
            certify: self.events.certify || self.require_proof,
            proofs_only: self.events.certify,
            sampling: !self.no_attack,
            jobs: Some(jobs(self.jobs)),
            ..engine_options(self.events, &self.rounds)
        }
    }
}

impl LitmusArgs {
    pub fn options(&self) -> Options {
        engine_options(self.events, &self.rounds)
    }
}

/// What the options and the property file ask.
pub fn asked(property: Option<&Path>, checks: &CheckedArgs, entry: &str) -> Result<Property, String> {
    let Some(path) = property else {
        return Ok(Property { checks: checks.checks(), entry: entry.to_owned() });
    };
    let shown = path.display();
    let text = input::read(path).map_err(|reason| format!("'{shown}': {reason}"))?;
    let property = property::parse(&text).map_err(|reason| format!("'{shown}': {reason}"))?;
    match property.entry == entry {
        true => Ok(property),
        false => Err(format!("'{shown}' is about '{}': give --entry {}", property.entry, property.entry)),
    }
}

/// How many at a time: as told, or as many as the process may use processors.
pub fn jobs(told: Option<NonZeroUsize>) -> NonZeroUsize {
    told.unwrap_or_else(|| std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

/// The bounds of the command line together.
pub fn given_bounds(unwind: &[Unwind]) -> GivenBounds {
    let mut given = GivenBounds::default();
    for bound in unwind {
        match bound {
            Unwind::Default(bound) => given.default = Some(*bound),
            Unwind::At { file, line, bound } => {
                given.at.push(BoundAt { file: file.clone(), line: *line, bound: *bound });
            }
        }
    }
    given
}
