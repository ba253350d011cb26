//! The shortest story of a counterexample.
//!
//! Engines find violations in executions with many switches and delays that have nothing to do with them. Here such an
//! execution becomes one that a person can follow: with few switches between threads, with stores that reach memory at once
//! unless the violation needs the delay, without steps that it does not need, and with small inputs. Every candidate is
//! an execution of the reference machine that ends in the same kind of violation at the same place, and the result is
//! confirmed by a replay like any other.
//!
//! - [`player`]: follows a word of steps on the machine; `recorder`: what the steps did to one another
//! - `linear`: the best order of the same accesses
//! - `merge`: edits, tried one after the other
//! - `search`: all executions with few switches, where they are not too many
//! - `commits`, `inputs`: no needless delay, small values

mod commits;
mod inputs;
mod linear;
mod merge;
pub mod player;
mod recorder;
mod search;

use norn_ir::program::Program;
use norn_machine::confirm;
use norn_verdict::claim::{Claim, Expected, Ruling};
use norn_verdict::limits::Limits;
use norn_verdict::outcome::{Checks, Counterexample, ViolationKind};
use norn_verdict::schedule::{Schedule, Step};
use player::{Action, Budget, Played, Player, Values};
use std::rc::Rc;

/// As many steps of the machine as are worth it for most programs.
pub const USUAL_STEPS: u64 = 300_000;

/// A shorter story.
#[derive(Clone, Debug)]
pub struct Shortened {
    pub counterexample: Counterexample,
    /// No execution with these inputs has fewer switches before this violation.
    pub is_fewest: bool,
}

/// A story that is as short as can be found within the budget. `None`: the counterexample is as good, or it is one that has to stay
/// as it is.
pub fn shorten(
    program: &Program,
    checks: Checks,
    found: &Counterexample,
    steps: u64,
    limits: &Limits,
) -> Option<Shortened> {
    let violation = found.violation();
    if violation.kind == ViolationKind::Nontermination || found.schedule().steps.is_empty() {
        return None;
    }
    let schedule = found.schedule();
    let expected = Expected::from(violation);
    let budget = Budget::new(steps, limits.clone());
    let player = Player::new(program, schedule.model, checks, expected, &budget);
    let first = player.play(&word_of(schedule), &Rc::new(values_of(schedule)), None)?;
    let (mut best, mut is_fewest) = (first.clone(), false);
    loop {
        let (next, is_proved) = pass(&player, best.clone());
        is_fewest = is_proved || is_fewest && next.switches == best.switches;
        let is_better = size(&next) < size(&best);
        if is_better || size(&next) == size(&best) {
            best = next;
        }
        if !is_better || budget.is_spent() {
            break;
        }
    }
    let claim = Claim { schedule: best.schedule(schedule.model, schedule.program), expected: vec![expected] };
    match confirm(program, checks, claim) {
        Ruling::Holds(counterexample)
            if counterexample.trace().switches() <= found.trace().switches() =>
        {
            Some(Shortened { counterexample: *counterexample, is_fewest })
        }
        _ => None,
    }
}

/// What a shorter story has less of, the most important first.
fn size(played: &Played) -> (u32, usize, usize, usize, (usize, u32)) {
    let runs = played.done.iter().filter(|done| !done.action.is_commit).count();
    (played.switches, recorder::delayed(&played.done), runs, played.done.len(), inputs::size(&played.values))
}

/// One attempt to make a story shorter, and whether there are none with fewer switches.
fn pass(player: &Player<'_>, played: Played) -> (Played, bool) {
    let merged = inputs::small(player, merge::merged(player, played.clone()));
    let work = player.budget.share(3, 4);
    let searched = search::search(player, &Rc::new(merged.values.clone()), merged.switches, work);
    let is_fewest = searched.is_complete;
    let all = [
        searched.word.and_then(|word| player.play(&word, &Rc::new(merged.values.clone()), None)).map(|found| merge::tidy(player, found)),
        Some(merged),
    ];
    let all = all.into_iter().flatten().map(|story| commits::at_once(player, story));
    let best = all.min_by_key(size).unwrap_or(played);
    (best, is_fewest)
}

fn word_of(schedule: &Schedule) -> Vec<Action> {
    let action = |step: &Step| match step {
        Step::Run { thread, step } => Action { thread: Rc::new(thread.clone()), step: *step, is_commit: false },
        Step::Commit { thread, step } => Action { thread: Rc::new(thread.clone()), step: *step, is_commit: true },
    };
    schedule.steps.iter().map(action).collect()
}

fn values_of(schedule: &Schedule) -> Values {
    let mut values = Values::new();
    for (thread, list) in &schedule.inputs {
        values.entry(thread.clone()).or_default().extend(list);
    }
    values
}
