//! Small values for what the program does not determine.

use crate::merge::last;
use crate::player::{Played, Player, Values};
use std::rc::Rc;

/// How large the values are: how many are not zero, and their binary digits. Numbers just below zero are small, too.
pub fn size(values: &Values) -> (usize, u32) {
    let all = values.values().flatten();
    (all.clone().filter(|&&value| value != 0).count(), all.map(|&value| digits(value)).sum())
}

fn digits(value: u64) -> u32 {
    let negated = [8, 16, 32, 64].map(|width: u32| value.wrapping_neg() & (u64::MAX >> (64 - width)));
    let length = |n: u64| 64 - n.leading_zeros();
    negated.into_iter().map(|n| length(n) + 1).chain([length(value)]).min().unwrap_or(0)
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
                let smaller = [0, 1, 2].into_iter().chain((1..=6).rev().map(|shift| value >> shift)).chain([value.wrapping_sub(1)]);
                let mut smaller = smaller.filter(|&other| digits(other) < digits(value));
                let found = smaller.find_map(|other| {
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
