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
