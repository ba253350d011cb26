//! Verdicts of random executions, and the attack on a verdict.

use crate::claim::{contains, loop_bounds};
use crate::hunt::{Budget, Found, Question, hunt};
use norn_engine::capabilities::{Capabilities, SAMPLE};
use norn_engine::{Engine, Query};
use norn_passes::unwind::Bounds;
use norn_verdict::claim::{Claim, Expected, Mismatch, Referee};
use norn_verdict::outcome::{Bound, Stats, Verdict, ViolationKind};
use norn_verdict::undecided::{Undecided, Why, Work};

/// The engine, with its options.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Another seed, other executions.
    pub seed: u64,
    pub budget: Budget,
}

impl Engine for Sample {
    fn capabilities(&self) -> &'static Capabilities {
        &SAMPLE
    }

    /// Unsafe, or unknown.
    fn run(&self, query: &Query<'_>, referee: &dyn Referee) -> Result<Verdict, Mismatch> {
        let mut hunted = hunt(&question(self, query, query.bounds), &self.budget);
        if let Some(found) = hunted.found.take() {
            return confirmed(query, found, hunted.stats(), referee);
        }
        let executions = hunted.executions;
        let open = match (hunted.exceeded, hunted.met.take()) {
            (Some(limit), _) => Undecided::new(Why::Limit { limit, after: Work::Samples(executions) }),
            (None, Some(Undecided { why, place })) => {
                Undecided { why: Why::Sampled { executions, left: Some(Box::new(why)) }, place }
            }
            (None, None) => Undecided::new(Why::Sampled { executions, left: None }),
        };
        Ok(query.unknown(SAMPLE.name, open, hunted.stats()))
    }
}

/// What became of a verdict that says safe.
#[derive(Clone, Debug)]
pub enum Attack {
    /// Nothing speaks against it.
    Stands(Stats),
    /// It is wrong: this lies within its bounds.
    Contradicted(Verdict),
    /// It is right, but beyond its bounds there is this.
    Surpassed(Verdict),
}

impl Sample {
    /// Looks for a violation within what a verdict says is safe: everything but what lies beyond the bounds that are not
    /// exhausted. `in_order`: threads take their turns in the usual order, if the bounds name rounds.
    pub fn attack(
        &self,
        query: &Query<'_>,
        claimed: &[Bound],
        in_order: bool,
        referee: &dyn Referee,
    ) -> Result<Attack, Mismatch> {
        let bounds = loop_bounds(claimed);
        let mut hunted = hunt(&question(self, query, bounds.as_ref()), &self.budget);
        let Some(found) = hunted.found.take() else { return Ok(Attack::Stands(hunted.stats())) };
        let contradicts = contains(claimed, in_order, &found);
        let verdict = confirmed(query, found, hunted.stats(), referee)?;
        Ok(if contradicts { Attack::Contradicted(verdict) } else { Attack::Surpassed(verdict) })
    }
}

fn question<'a>(engine: &Sample, query: &Query<'a>, bounds: Option<&'a Bounds>) -> Question<'a> {
    let Query { program, model, checks, limits, .. } = *query;
    Question { program, model, checks, bounds, limits, seed: engine.seed }
}

/// Only the machine makes it unsafe. A data race that it meets on the way is as good as what was found.
fn confirmed(query: &Query<'_>, found: Found, stats: Stats, referee: &dyn Referee) -> Result<Verdict, Mismatch> {
    let mut expected = vec![Expected::from(&found.violation)];
    if query.checks.data_race {
        expected.push(Expected::anywhere(ViolationKind::DataRace));
    }
    let claim = Claim { schedule: found.schedule, expected };
    referee.rule(query.program, query.checks, claim).verdict(query.model, SAMPLE.name, stats)
}
