//! A question, and who answers it.

use crate::capabilities::Capabilities;
use crate::prepared::Prepared;
use norn_passes::unwind::Bounds;
use norn_verdict::claim::{Mismatch, Referee};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome, Stats, Verdict};
use norn_verdict::undecided::{Undecided, Unsought, Why};

/// A program and what is asked about it.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    pub program: &'a Prepared,
    pub model: Model,
    pub checks: Checks,
    /// The bounds on loops that were given. Without them an engine follows loops for ever, or further and further.
    pub bounds: Option<&'a Bounds>,
    pub limits: &'a Limits,
}

impl Query<'_> {
    /// A verdict of an engine that stays undecided.
    pub fn unknown(&self, engine: &'static str, undecided: Undecided, stats: Stats) -> Verdict {
        Verdict::new(self.model, engine, Outcome::Unknown(undecided), stats)
    }

    /// What is asked for and the engine does not look for.
    pub fn unsought(&self, capabilities: &Capabilities) -> Option<Unsought> {
        if self.program.reuses_memory && !capabilities.reuses_memory {
            return Some(Unsought::ReusedMemory);
        }
        capabilities.unsought(self.checks)
    }

    /// The answer of an engine that does not look for what is asked.
    pub fn refused(&self, capabilities: &Capabilities) -> Option<Verdict> {
        let unsought = self.unsought(capabilities)?;
        let open = Undecided::new(Why::NotLookedFor(unsought));
        Some(self.unknown(capabilities.name, open, Stats::default()))
    }
}

/// One way of answering questions. An engine's own options are fields of the type that implements this.
pub trait Engine {
    fn capabilities(&self) -> &'static Capabilities;

    /// The verdict. Violations are claimed before the referee, who alone makes counterexamples. An error means that the
    /// engine contradicts the reference machine.
    fn run(&self, query: &Query<'_>, referee: &dyn Referee) -> Result<Verdict, Mismatch>;

    fn name(&self) -> &'static str {
        self.capabilities().name
    }
}
