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
//! - [`why()`]: which stores waited, who came in between, and which fence excludes that

mod commits;
mod inputs;
mod linear;
mod merge;
pub mod player;
mod recorder;
mod search;
mod why;

pub use why::why;

use norn_ir::program::Program;
use norn_machine::confirm;
use norn_machine::state::Thread;
use norn_verdict::claim::{Claim, Expected, Ruling};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Counterexample, ViolationKind};
use norn_verdict::schedule::{Schedule, Step};
use player::{Action, Budget, Played, Player, Values};
use std::collections::BTreeSet;
use std::rc::Rc;

/// As many steps of the machine as are worth it for most programs.
pub const USUAL_STEPS: u64 = 500_000;

/// A shorter story.
#[derive(Clone, Debug)]
pub struct Shortened {
    pub counterexample: Counterexample,
    /// No execution with these inputs has fewer switches before this violation.
    pub is_fewest: bool,
    /// What it cost, in steps of the machine.
    pub steps: u64,
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
    let strong = Player::new(program, Model::Sc, checks, expected, &budget);
    let first = as_under_sc(&strong, &player, first);
    let (mut best, mut is_fewest) = (first, false);
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
        Ruling::Holds(counterexample) if counterexample.trace().switches() <= found.trace().switches() => {
            Some(Shortened { counterexample: *counterexample, is_fewest, steps: steps - budget.left() })
        }
        _ => None,
    }
}

/// If no store has to wait, the story is one of sequential consistency, too, where there are fewer others to look at. There may be one
/// even if stores wait in this one.
fn as_under_sc(strong: &Player<'_>, player: &Player<'_>, story: Played) -> Played {
    if player.machine.model == Model::Sc {
        return story;
    }
    let values = Rc::new(story.values.clone());
    let story = commits::at_once(player, merge::tidy(player, story));
    let runs = story.word().into_iter().filter(|action| !action.is_commit).collect::<Vec<_>>();
    let same = strong.play(&runs, &values, merge::last(&story)).filter(|_| recorder::delayed(&story.done) == 0);
    let shorter = match same {
        Some(same) => Some(pass(strong, same).0),
        None => {
            let searched = search::search(strong, &values, &[], story.switches, player.budget.share(1, 4), None);
            searched.word.and_then(|word| strong.play(&word, &values, None))
        }
    };
    let Some(shorter) = shorter else { return story };
    let word = shorter.word().into_iter().flat_map(|run| [run.clone(), Action { is_commit: true, ..run }]);
    let values = Rc::new(shorter.values.clone());
    match player.play(&word.collect::<Vec<_>>(), &values, merge::last(&shorter)) {
        Some(found) if size(&found) <= size(&story) => found,
        _ => story,
    }
}

/// What a shorter story has less of, the most important first.
fn size(played: &Played) -> (u32, usize, usize, usize, (usize, u128)) {
    let runs = played.done.iter().filter(|done| !done.action.is_commit).count();
    (played.switches, recorder::delayed(&played.done), runs, played.done.len(), inputs::size(&played.values))
}

/// One attempt to make a story shorter, and whether there are none with fewer switches.
fn pass(player: &Player<'_>, played: Played) -> (Played, bool) {
    let merged = inputs::small(player, merge::merged(player, commits::at_once(player, played.clone())));
    let values = Rc::new(merged.values.clone());
    let play = |word: Option<Vec<Action>>| Some(merge::tidy(player, player.play(&word?, &values, None)?));
    let merged = like(player, &played, merged);
    let searched = search::search(player, &values, &[], merged.switches, player.budget.share(2, 3), None);
    let is_fewest = searched.is_complete;
    let found = play(searched.word);
    // Where not all executions could be looked at, one leads to another.
    let merged = match is_fewest {
        true => merged,
        false => {
            let merged = other_ends(player, merged);
            let work = player.budget.share(1, 2);
            merge::wandered(player, merged, work)
        }
    };
    let all = [found, Some(merged)];
    let all = all.into_iter().flatten().map(|story| commits::at_once(player, story));
    let best = all.min_by_key(size).unwrap_or(played);
    (best, is_fewest)
}

/// Stories in which turns end where they end in those that are known: of the same threads, then of any.
fn like(player: &Player<'_>, first: &Played, story: Played) -> Played {
    let points =
        [first, &story].into_iter().flat_map(|story| recorder::switch_points(&story.done)).collect::<BTreeSet<_>>();
    let values = Rc::new(story.values.clone());
    let mut best = story;
    let ends_here = |thread: &Thread| points.contains(&(thread.name.clone(), recorder::point(thread)));
    let ends_in_any = |thread: &Thread| points.iter().any(|(_, point)| *point == recorder::point(thread));
    for (may_end, share) in [(&ends_here as &dyn Fn(&Thread) -> bool, 8), (&ends_in_any, 8)] {
        let Some(few) = best.switches.checked_sub(1) else { break };
        let searched = search::search(player, &values, &[], few, player.budget.share(1, share), Some(may_end));
        let found =
            searched.word.and_then(|word| player.play(&word, &values, None)).map(|found| merge::tidy(player, found));
        best = found.filter(|found| found.switches < best.switches).unwrap_or(best);
    }
    best
}

/// Stories that begin in the same way, but come to the violation with fewer switches from there.
fn other_ends(player: &Player<'_>, story: Played) -> Played {
    let mut best = story;
    let values = Rc::new(best.values.clone());
    let mut work = player.budget.share(1, 3);
    'again: while best.switches > 2 {
        let word = best.word();
        // Where turns begin, the last first.
        let begins = (1..word.len()).rev().filter(|&at| !word[at].is_commit && word[at].thread != word[at - 1].thread);
        for begin in begins {
            let before = player.budget.left();
            let searched = search::search(player, &values, &word[..begin], best.switches - 1, work, None);
            work = work.saturating_sub(before - player.budget.left());
            let found = searched
                .word
                .and_then(|word| player.play(&word, &values, None))
                .map(|found| merge::tidy(player, found));
            if let Some(found) = found.filter(|found| found.switches < best.switches) {
                best = found;
                continue 'again;
            }
            if work == 0 {
                break 'again;
            }
        }
        break;
    }
    best
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
