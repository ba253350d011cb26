//! Fewer turns by edits: threads and ends of threads are left out, and turns of a thread are put together.
//!
//! This is delta debugging (Zeller and Hildebrandt, TSE 2002) over turns. An edit changes what threads read, so most lead
//! nowhere; each is tried on the machine, and the first that makes the story shorter is kept.

use crate::linear::fewest_switches;
use crate::player::{Action, Played, Player, Values};
use norn_verdict::outcome::ViolationKind;
use norn_verdict::schedule::ThreadName;
use std::rc::Rc;

/// What an edit should make smaller: switches, then steps that are no commits.
fn size(played: &Played) -> (u32, usize) {
    (played.switches, played.done.iter().filter(|done| !done.action.is_commit).count())
}

/// The same accesses in the order with the fewest switches, without what the violation does not depend on.
pub fn tidy(player: &Player<'_>, played: Played) -> Played {
    let keeps_all = player.expected.kind == ViolationKind::Deadlock;
    let Some(order) = fewest_switches(&played.done, player.machine.model, keeps_all) else { return played };
    let word = order.iter().map(|&at| played.done[at].action.clone()).collect::<Vec<_>>();
    match player.play(&word, &Rc::new(played.values.clone()), last(&played)) {
        Some(tidied) if size(&tidied) <= size(&played) => tidied,
        _ => played,
    }
}

/// The thread whose step was the last.
pub fn last(played: &Played) -> Option<&ThreadName> {
    played.done.last().map(|done| &*done.action.thread)
}

/// A story that no edit makes shorter.
pub fn merged(player: &Player<'_>, played: Played) -> Played {
    let mut best = tidy(player, played);
    'again: loop {
        let turns = turns(&best.word());
        let values = Rc::new(best.values.clone());
        for word in edits(&turns) {
            if player.budget.is_spent() {
                return best;
            }
            let Some(played) = player.play(&word, &values, last(&best)) else { continue };
            let played = tidy(player, played);
            if size(&played) < size(&best) {
                best = played;
                continue 'again;
            }
        }
        return best;
    }
}

type Turn = Vec<Action>;

fn turns(word: &[Action]) -> Vec<Turn> {
    word.chunk_by(|one, next| one.thread == next.thread).map(<[Action]>::to_vec).collect()
}

/// The words to try, those that promise most first.
fn edits(turns: &[Turn]) -> Vec<Vec<Action>> {
    let thread = |turn: &Turn| turn[0].thread.clone();
    let mut edits = Vec::new();
    // A thread ends before one of its turns.
    for at in 0..turns.len() {
        let rest = turns[at..].iter().filter(|turn| thread(turn) != thread(&turns[at]));
        edits.push(turns[..at].iter().chain(rest).flatten().cloned().collect());
    }
    let pairs = |distance: usize| (0..turns.len().saturating_sub(distance)).map(move |at| (at, at + distance));
    let same = |&(earlier, later): &(usize, usize)| thread(&turns[earlier]) == thread(&turns[later]);
    for (earlier, later) in (2..turns.len()).flat_map(pairs).filter(same) {
        let is_commit = |action: &&Action| action.is_commit;
        let is_run = |action: &&Action| !action.is_commit;
        let (commits, runs): (Turn, Turn) = turns[later].iter().cloned().partition(|action| action.is_commit);
        let early = turns[earlier].iter();
        // All of the later turn comes early, its commits only, or its steps only; or all of the earlier turn comes late, and so on.
        edits.push(with(turns, &[(earlier, [&turns[earlier][..], &turns[later]].concat()), (later, Vec::new())]));
        edits.push(with(turns, &[(earlier, Vec::new()), (later, [&turns[earlier][..], &turns[later]].concat())]));
        edits.push(with(turns, &[(earlier, [&turns[earlier][..], &commits].concat()), (later, runs.clone())]));
        edits.push(with(turns, &[(earlier, [&turns[earlier][..], &runs].concat()), (later, commits)]));
        let late_commits = early.clone().filter(is_commit).chain(&turns[later]).cloned().collect();
        edits.push(with(turns, &[(earlier, early.filter(is_run).cloned().collect()), (later, late_commits)]));
    }
    edits
}

/// The turns, with others in some places.
fn with(turns: &[Turn], others: &[(usize, Turn)]) -> Vec<Action> {
    let turn = |at: usize| others.iter().find(|other| other.0 == at).map_or(&turns[at], |other| &other.1);
    (0..turns.len()).flat_map(turn).cloned().collect()
}
