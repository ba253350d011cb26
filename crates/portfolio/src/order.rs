//! Who takes turns, and in which order.
//!
//! What comes first has the first slices, and longer ones if it is what decides most programs of this kind.

use crate::race::Runner;
use crate::{Task, Who};
use norn_verdict::model::Model;
use std::time::Duration;

/// Where bounds were given, `events` and `rounds` try them at once, and smaller ones when half of their time is over: with little
/// time first, so that smaller ones have their turn soon.
const WITH_GIVEN_BOUNDS: &[Duration] = &[Duration::from_secs(3), Duration::from_secs(30)];

/// Those who look for what is asked, and can follow memory that is reused. Where no engine with proofs can, whoever is asked
/// says so.
pub fn runners(task: &Task<'_>, model: Model) -> Vec<Runner> {
    let mut order = order(task, model);
    let is_able = |who: &Who| who.capabilities().unsought(task.checks).is_none();
    if order.iter().any(is_able) {
        order.retain(is_able);
    }
    if task.program.reuses_memory && !task.options.proofs_only {
        order.retain(|who| who.capabilities().reuses_memory);
    }
    let runner = |who| {
        let tries_given = matches!(who, Who::Events | Who::Rounds) && !task.given.is_empty();
        Runner { who, weight: 1, attempts: if tries_given { WITH_GIVEN_BOUNDS } else { &[] } }
    };
    order.into_iter().map(runner).collect()
}

fn order(task: &Task<'_>, _model: Model) -> Vec<Who> {
    let checks = task.checks;
    if task.options.proofs_only {
        vec![Who::Events, Who::Rounds]
    } else if checks.termination {
        vec![Who::States]
    } else if checks.deadlock {
        vec![Who::States, Who::Stateless]
    } else {
        vec![Who::States, Who::Stateless, Who::Events, Who::Rounds]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use norn_engine::GivenBounds;
    use norn_verdict::limits::Limits;
    use norn_verdict::outcome::Checks;

    #[test]
    fn only_those_are_asked_who_can_decide() {
        let program = norn_testing::prepare("int main(void) { return 0; }");
        let (limits, given) = (Limits::none(), GivenBounds::default());
        for (deadlock, data_race, proofs_only) in [false, true]
            .into_iter()
            .flat_map(|a| [false, true].map(|b| (a, b)))
            .flat_map(|(a, b)| [false, true].map(|c| (a, b, c)))
        {
            let checks = Checks { deadlock, data_race, ..Checks::default() };
            let options = crate::Options { proofs_only, ..Default::default() };
            let task = Task {
                program: &program,
                checks,
                given: &given,
                limits: &limits,
                options: &options,
                heard: crate::NOBODY_LISTENS,
            };
            for runner in runners(&task, Model::Tso) {
                let able = runner.who.capabilities();
                // No engine with proofs looks for deadlocks: whoever is asked says so.
                assert!(able.unsought(checks).is_none() || proofs_only, "{:?} {checks:?}", runner.who);
                assert!(able.has_proofs || !proofs_only, "{:?} {checks:?}", runner.who);
            }
        }
    }
}
