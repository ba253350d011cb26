//! Fewer turns by edits: threads and ends of threads are left out, and turns of a thread are put together.
//!
//! This is delta debugging (Zeller and Hildebrandt, TSE 2002) over turns. An edit changes what threads read, so most lead
//! nowhere; each is tried on the machine, and the first that makes the story shorter is kept.
//!
//! Where no edit helps, a longer search goes by way of stories that are no better. Its edits are also the reversals of races, as in dynamic
//! partial-order reduction (Flanagan and Godefroid, POPL 2005): by these every execution can be reached from every other.

use crate::linear::{fewest_switches, reversals};
use crate::player::{Action, Played, Player};
use norn_machine::hash::FastSet;
use norn_verdict::schedule::ThreadName;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What an edit should make smaller: switches, then steps that are no commits.
fn size(played: &Played) -> (u32, usize) {
    (played.switches, played.done.iter().filter(|done| !done.action.is_commit).count())
}

/// The same accesses in the order with the fewest switches, without what the violation does not depend on.
pub fn tidy(player: &Player<'_>, played: Played) -> Played {
    let keeps_all = player.is_about_rest();
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

/// The shortest story among those that edits lead to, one after the other, those with few switches first. No story on the way has more
/// than one switch more than the best, and at most `work` steps are tried.
pub fn wandered(player: &Player<'_>, played: Played, work: u64) -> Played {
    const MORE_SWITCHES: u32 = 1;
    let end = player.budget.left().saturating_sub(work);
    let mut best = played.clone();
    let mut seen: FastSet<Vec<(usize, bool)>> = FastSet::default();
    let mut waiting: BTreeMap<((u32, usize), usize), Played> = BTreeMap::new();
    let mut count = 0;
    waiting.insert((size(&played), count), played);
    while let Some((_, story)) = waiting.pop_first() {
        let word = story.word();
        let reversed = reversals(&story.done, player.machine.model).into_iter();
        let reversed = reversed.map(|order| order.into_iter().map(|at| word[at].clone()).collect::<Vec<_>>());
        let values = Rc::new(story.values.clone());
        for word in edits(&turns(&word)).into_iter().chain(reversed) {
            if player.budget.left() <= end {
                return best;
            }
            let Some(played) = player.play(&word, &values, last(&story)) else { continue };
            let played = tidy(player, played);
            if played.switches > best.switches + MORE_SWITCHES || !seen.insert(outline(&played)) {
                continue;
            }
            if size(&played) < size(&best) {
                best = played.clone();
                waiting.retain(|key, _| key.0.0 <= best.switches + MORE_SWITCHES);
            }
            count += 1;
            waiting.insert((size(&played), count), played);
        }
    }
    best
}

/// What tells one order of steps from another.
fn outline(played: &Played) -> Vec<(usize, bool)> {
    played.done.iter().map(|done| (done.thread.index(), done.action.is_commit)).collect()
}

/// A step with the number of the turn that it is in. Commits need no turn of their own.
type Numbered = (usize, Action);

fn turns(word: &[Action]) -> Vec<Numbered> {
    let mut numbered: Vec<Numbered> = Vec::with_capacity(word.len());
    let (mut turn, mut thread) = (0, None);
    for action in word {
        if !action.is_commit {
            turn += usize::from(thread.is_some_and(|last| last != &action.thread));
            thread = Some(&action.thread);
        }
        numbered.push((turn, action.clone()));
    }
    numbered
}

/// The words to try, those that promise most first.
fn edits(word: &[Numbered]) -> Vec<Vec<Action>> {
    let count = word.last().map_or(0, |last| last.0 + 1);
    let threads =
        (0..count).filter_map(|turn| word.iter().find(|(number, action)| *number == turn && !action.is_commit));
    let threads = threads.map(|(_, action)| action.thread.clone()).collect::<Vec<_>>();
    let mut edits = Vec::new();
    // A thread ends before one of its turns.
    for (turn, thread) in threads.iter().enumerate() {
        edits.push(kept(word, |number, action| number < turn || action.thread != *thread));
    }
    let pairs = |distance: usize| (0..threads.len().saturating_sub(distance)).map(move |at| (at, at + distance));
    let same = |&(earlier, later): &(usize, usize)| threads[earlier] == threads[later];
    for (earlier, later) in (2..threads.len()).flat_map(pairs).filter(same) {
        let is_own = |action: &Action| action.thread == threads[earlier];
        let is_run_of = |turn: usize| move |number: usize, action: &Action| number == turn && !action.is_commit;
        let between =
            |number: usize, action: &Action| action.is_commit && is_own(action) && (earlier..=later).contains(&number);
        // The later turn comes early, with or without the commits in between; or the earlier turn comes late, with those.
        let later_and_commits =
            |number: usize, action: &Action| between(number, action) || is_run_of(later)(number, action);
        let earlier_and_commits =
            |number: usize, action: &Action| between(number, action) || is_run_of(earlier)(number, action);
        edits.push(moved(word, later_and_commits, |number| number <= earlier));
        edits.push(moved(word, is_run_of(later), |number| number <= earlier));
        edits.push(moved(word, earlier_and_commits, |number| number < later));
    }
    edits
}

fn kept(word: &[Numbered], keeps: impl Fn(usize, &Action) -> bool) -> Vec<Action> {
    word.iter().filter(|(number, action)| keeps(*number, action)).map(|(_, action)| action.clone()).collect()
}

/// The word with some steps behind the turns that are `before` them.
fn moved(word: &[Numbered], moves: impl Fn(usize, &Action) -> bool, before: impl Fn(usize) -> bool) -> Vec<Action> {
    let first = kept(word, |number, action| before(number) && !moves(number, action));
    let middle = kept(word, &moves);
    let rest = kept(word, |number, action| !before(number) && !moves(number, action));
    [first, middle, rest].concat()
}
