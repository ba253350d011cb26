//! Stores that reach memory at once, unless the violation needs the delay.

use crate::merge::last;
use crate::player::{Action, Played, Player};
use crate::recorder::delayed;
use std::rc::Rc;

/// The same story with as few delayed stores as possible, one store after the other, and without more switches.
pub fn at_once(player: &Player<'_>, played: Played) -> Played {
    let mut best = played;
    let improve = |best: &mut Played, word: Vec<Action>| {
        let tried = player.play(&word, &Rc::new(best.values.clone()), last(best));
        let better =
            tried.filter(|tried| tried.switches <= best.switches && delayed(&tried.done) < delayed(&best.done));
        let is_better = better.is_some();
        *best = better.unwrap_or_else(|| best.clone());
        is_better
    };
    if delayed(&best.done) == 0 {
        return best;
    }
    let everywhere = |best: &Played| {
        best.done.iter().enumerate().filter(|(_, done)| done.buffers.is_some()).map(|(at, _)| at).collect::<Vec<_>>()
    };
    let all = everywhere(&best);
    let word = with_commits(&best, &all);
    if improve(&mut best, word) && delayed(&best.done) == 0 {
        return best;
    }
    // Positions change with the word, stores keep their names.
    for at in everywhere(&best) {
        if player.budget.is_spent() {
            break;
        }
        let store = best.done.get(at).map(|done| done.action.clone());
        let Some(at) = store.and_then(|store| best.done.iter().position(|done| done.action == store)) else { continue };
        let word = with_commits(&best, &[at]);
        improve(&mut best, word);
    }
    best
}

/// The word with a commit right after each of these stores. Where it came before, there is nothing left to commit.
fn with_commits(played: &Played, stores: &[usize]) -> Vec<Action> {
    let mut word = Vec::with_capacity(played.done.len() + stores.len());
    for (at, done) in played.done.iter().enumerate() {
        word.push(done.action.clone());
        if stores.contains(&at) {
            word.push(Action { is_commit: true, ..done.action.clone() });
        }
    }
    word
}
