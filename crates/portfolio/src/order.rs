//! Who takes turns, in which order, and how long their slices are.
//!
//! What a program looks like says who is likely to decide it:
//!
//! - Very much code: states and formulas are large, but often there are few traces. `stateless`.
//! - All loops count to a number, or wait: nothing goes on for ever, and a formula can hold all executions. `events` and
//!   `states`; under SC there are fewer states.
//! - Some loop may go on: where no formula holds all executions, states may repeat. `states`.
//!
//! Inputs need no rule: whoever cannot follow them says so at once, and leaves.
//!
//! Whoever is likely has about half of the time, so that the answer takes about twice as long as it would take
//! alone. The others have enough of it to be there soon where the guess is wrong.

use crate::race::Runner;
use crate::{Task, Who};
use norn_ir::program::{Origin, Program};
use norn_passes::loops::loops;
use norn_passes::trips::trips;
use norn_verdict::model::Model;
use std::time::Duration;

/// Where bounds were given, `events` and `rounds` try them at once, and smaller ones when half of their time is over: with little
/// time first, so that smaller ones have their turn soon.
const WITH_GIVEN_BOUNDS: &[Duration] = &[Duration::from_secs(3), Duration::from_secs(30)];

/// Those who look for what is asked, and can follow memory that is reused. Where no engine with proofs can, whoever is asked
/// says so.
pub fn runners(task: &Task<'_>, model: Model) -> Vec<Runner> {
    let mut order = order(task, model);
    let is_able = |&(who, _): &(Who, u32)| who.capabilities().unsought(task.checks).is_none();
    if order.iter().any(is_able) {
        order.retain(is_able);
    }
    if task.program.reuses_memory && !task.options.proofs_only {
        order.retain(|(who, _)| who.capabilities().reuses_memory);
    }
    let runner = |(who, weight)| {
        let tries_given = matches!(who, Who::Events | Who::Rounds) && !task.given.is_empty();
        Runner { who, weight, attempts: if tries_given { WITH_GIVEN_BOUNDS } else { &[] } }
    };
    order.into_iter().map(runner).collect()
}

/// More instructions are very much code.
const VERY_MANY: usize = 2500;

/// With the lengths of their slices.
fn order(task: &Task<'_>, model: Model) -> Vec<(Who, u32)> {
    use Who::{Events, Rounds, Stateless, States};
    let checks = task.checks;
    if task.options.proofs_only {
        vec![(Events, 2), (Rounds, 2)]
    } else if checks.termination {
        vec![(States, 4), (Events, 2)]
    } else if instructions(task.program) > VERY_MANY {
        vec![(Stateless, 6), (States, 2), (Events, 2), (Rounds, 1)]
    } else if goes_on(task.program.awaiting()) {
        vec![(States, 5), (Events, 3), (Stateless, 1), (Rounds, 1)]
    } else if model == Model::Sc {
        vec![(States, 4), (Events, 4), (Stateless, 1), (Rounds, 1)]
    } else {
        vec![(Events, 5), (Stateless, 2), (States, 2), (Rounds, 1)]
    }
}

fn instructions(program: &Program) -> usize {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    blocks.map(|block| block.instrs.len()).sum()
}

/// Whether some loop of the user's may go on, as far as its constants say.
fn goes_on(program: &Program) -> bool {
    let counted = trips(program);
    let own = program.functions.iter().filter(|function| function.origin == Origin::User);
    own.flat_map(|function| loops(function).loops).any(|found| !counted.contains_key(&found.span))
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
