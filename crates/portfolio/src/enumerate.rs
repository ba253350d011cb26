//! The exhaustive search of the reference machine, as an engine: every reachable state of the program as it is or, where
//! bounds are given, of the program with its loops unrolled.

use norn_engine::capabilities::{Capabilities, ENUMERATE};
use norn_engine::{Engine, Query};
use norn_machine::enumerate::{Question, states};
use norn_verdict::claim::{Claim, Expected, Mismatch, Referee};
use norn_verdict::outcome::{Outcome, Stats, Verdict, unwind_bounds};
use norn_verdict::undecided::{Undecided, Why};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Default, Debug)]
pub struct Enumerate;

impl Engine for Enumerate {
    fn capabilities(&self) -> &'static Capabilities {
        &ENUMERATE
    }

    fn run(&self, query: &Query<'_>, referee: &dyn Referee) -> Result<Verdict, Mismatch> {
        let Query { program, model, checks, limits, .. } = *query;
        let question = |program| Question { program, model, checks, limits, domain: None, observed: &[] };
        let Some(bounds) = query.bounds else { return states::verdict(&question(program)) };
        let bounded = match program.code().unwound(bounds) {
            Ok(bounded) => bounded,
            Err(too_large) => {
                let words = format!("the unrolled program would have more than {} instructions", too_large.limit);
                return Ok(query.unknown(ENUMERATE.name, Undecided::new(Why::too_large(words)), Stats::default()));
            }
        };
        let found = states::explore(&question(&bounded.program));
        let figures = [("states", found.states as f64), ("transitions", found.transitions as f64)];
        let stats = Stats(BTreeMap::from(figures));
        if let Some(finding) = found.violation {
            // The steps of the unrolled program are those of the program itself. What happens in a library function is
            // shown where the user called it, which the unrolled program cannot tell.
            let mut schedule = finding.schedule;
            schedule.program = program.fingerprint();
            let expected = vec![Expected::anywhere(finding.violation.kind)];
            return referee.rule(program, checks, Claim { schedule, expected }).verdict(model, ENUMERATE.name, stats);
        }
        if let Some(Undecided { why, .. }) = found.incomplete {
            return Ok(query.unknown(ENUMERATE.name, Undecided::new(why), stats));
        }
        let is_reached = |cut: &norn_passes::unwind::Cut| found.stops.contains(&(cut.function, cut.block));
        let cuts = bounded.cuts.iter().map(|cut| (cut.span, cut.bound, is_reached(cut)));
        let outcome = Outcome::Safe { bounds: unwind_bounds(program, cuts) };
        let verdict = Verdict::new(model, ENUMERATE.name, outcome, stats);
        Ok(verdict.assuming(found.noted.assumptions).reaching(Some(found.noted.reached)))
    }
}
