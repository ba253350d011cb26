//! Small values for what the program does not determine.

use crate::merge::last;
use crate::player::{Played, Player, Values};
use std::rc::Rc;

/// How large the values are: how many are not zero, and their sum. Numbers just below zero are small, too.
pub fn size(values: &Values) -> (usize, u128) {
    let all = values.values().flatten();
    (all.clone().filter(|&&value| value != 0).count(), all.map(|&value| u128::from(magnitude(value))).sum())
}

/// The value without its sign, whatever its width is; a negative number is a little larger than the positive one.
fn magnitude(value: u64) -> u64 {
    let negated = [8, 16, 32, 64].map(|width: u32| value.wrapping_neg() & (u64::MAX >> (64 - width)));
    let negated = negated.into_iter().filter(|&n| n < 1 << 16).map(|n| n.saturating_mul(2));
    negated.chain([value.saturating_mul(2).saturating_sub(1)]).min().unwrap_or(0)
}

/// Values that are smaller, those that are best first.
fn smaller(value: u64) -> impl Iterator<Item = u64> {
    let halves = (1..=6).rev().map(move |shift| value >> shift);
    let less = (0..63).rev().filter_map(move |bit| value.checked_sub(1 << bit));
    [0, 1, 2].into_iter().chain(halves).chain(less).filter(move |&other| magnitude(other) < magnitude(value))
}

/// The same story with smaller values: all zero, or one after the other. It gets no more switches.
pub fn small(player: &Player<'_>, played: Played) -> Played {
    let mut best = played;
    let attempt = |best: &Played, values: Values| {
        let tried = player.play(&best.word(), &Rc::new(values), last(best))?;
        let is_better = tried.switches <= best.switches
            && tried.done.len() <= best.done.len()
            && size(&tried.values) < size(&best.values);
        is_better.then_some(tried)
    };
    if size(&best.values).0 == 0 {
        return best;
    }
    if let Some(zeros) = attempt(&best, Values::new()) {
        return zeros;
    }
    for (thread, count) in best.values.iter().map(|(thread, list)| (thread.clone(), list.len())).collect::<Vec<_>>() {
        for at in 0..count {
            while let Some(&value) = best.values.get(&thread).and_then(|list| list.get(at)) {
                let found = smaller(value).find_map(|other| {
                    let mut values = best.values.clone();
                    *values.get_mut(&thread)?.get_mut(at)? = other;
                    attempt(&best, values)
                });
                match found {
                    Some(found) => best = found,
                    None => break,
                }
                if player.budget.is_spent() {
                    return best;
                }
            }
        }
    }
    best
}
