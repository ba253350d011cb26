//! A cheapest set of choices that meets every clause: exact, by branch and bound.
//!
//! Branches on the clause that is not met and has the fewest choices; a choice that was tried is not tried again in later
//! branches. What is left costs at least the sum of the cheapest choices of clauses that have none in common.

use crate::site::Choice;
use norn_verdict::limits::Limits;
use std::collections::BTreeMap;

/// A set of choices and the sum of their costs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cheapest {
    pub chosen: Vec<Choice>,
    pub cost: u64,
}

/// A cheapest set; of several the one found first. `None`: a clause is empty, or time is over.
pub fn cheapest(clauses: &[Vec<Choice>], cost: &dyn Fn(Choice) -> u64, limits: &Limits) -> Option<Cheapest> {
    let mut items = clauses.iter().flatten().copied().collect::<Vec<_>>();
    items.sort();
    items.dedup();
    let numbers = items.iter().enumerate().map(|(number, &item)| (item, number)).collect::<BTreeMap<_, _>>();
    let mut sets =
        clauses.iter().map(|clause| clause.iter().map(|item| numbers[item]).collect()).collect::<Vec<Vec<_>>>();
    sets.iter_mut().for_each(|set| set.sort_unstable());
    sets.sort_by_key(Vec::len);
    let mut meets = vec![0_usize; items.len()];
    sets.iter().flatten().for_each(|&item| meets[item] += 1);
    let mut search = Search {
        cost: items.iter().map(|&item| cost(item)).collect(),
        meets,
        sets,
        state: vec![State::Free; items.len()],
        spent: 0,
        best: None,
        nodes: 0,
        limits,
        is_over: false,
    };
    search.branch();
    let Search { best, is_over, .. } = search;
    let (cost, chosen) = best.filter(|_| !is_over)?;
    Some(Cheapest { chosen: chosen.into_iter().map(|item| items[item]).collect(), cost })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Chosen,
    Excluded,
}

struct Search<'a> {
    cost: Vec<u64>,
    /// How many clauses have the choice.
    meets: Vec<usize>,
    sets: Vec<Vec<usize>>,
    state: Vec<State>,
    spent: u64,
    best: Option<(u64, Vec<usize>)>,
    nodes: u64,
    limits: &'a Limits,
    is_over: bool,
}

impl Search<'_> {
    fn branch(&mut self) {
        self.nodes += 1;
        if self.is_over || self.nodes.is_multiple_of(4096) && self.limits.exceeded().is_some() {
            self.is_over = true;
            return;
        }
        let Some(least) = self.least() else { return };
        if self.best.as_ref().is_some_and(|(best, _)| self.spent.saturating_add(least) >= *best) {
            return;
        }
        let open = self.sets.iter().filter(|set| !self.is_met(set));
        let Some(set) = open.min_by_key(|set| set.iter().filter(|&&item| self.state[item] == State::Free).count())
        else {
            let chosen = (0..self.state.len()).filter(|&item| self.state[item] == State::Chosen).collect();
            self.best = Some((self.spent, chosen));
            return;
        };
        let mut free = set.iter().copied().filter(|&item| self.state[item] == State::Free).collect::<Vec<_>>();
        // The cheapest first, and of those what meets most.
        free.sort_by_key(|&item| (self.cost[item], usize::MAX - self.meets[item], item));
        for &item in &free {
            self.state[item] = State::Chosen;
            self.spent = self.spent.saturating_add(self.cost[item]);
            self.branch();
            self.spent -= self.cost[item];
            self.state[item] = State::Excluded;
        }
        for item in free {
            self.state[item] = State::Free;
        }
    }

    fn is_met(&self, set: &[usize]) -> bool {
        set.iter().any(|&item| self.state[item] == State::Chosen)
    }

    /// What the clauses that are not met cost at least. `None`: one of them cannot be met.
    fn least(&self) -> Option<u64> {
        let mut used = vec![false; self.state.len()];
        let mut least = 0_u64;
        for set in self.sets.iter().filter(|set| !self.is_met(set)) {
            let free = set.iter().filter(|&&item| self.state[item] == State::Free);
            let cheapest = free.clone().map(|&item| self.cost[item]).min()?;
            if free.clone().all(|&item| !used[item]) {
                free.for_each(|&item| used[item] = true);
                least = least.saturating_add(cheapest);
            }
        }
        Some(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(site: usize) -> Choice {
        Choice { site, level: 0 }
    }

    #[track_caller]
    fn check(clauses: &[&[usize]], costs: &[u64], expected: Option<u64>) {
        let sets = clauses.iter().map(|set| set.iter().map(|&site| choice(site)).collect()).collect::<Vec<_>>();
        let found = cheapest(&sets, &|choice| costs[choice.site], &Limits::none());
        assert_eq!(found.as_ref().map(|found| found.cost), expected, "{clauses:?}");
        let Some(found) = found else { return };
        assert_eq!(found.chosen.iter().map(|choice| costs[choice.site]).sum::<u64>(), found.cost);
        assert!(sets.iter().all(|set| set.iter().any(|choice| found.chosen.contains(choice))));
    }

    #[test]
    fn the_cheapest_set_meets_every_clause() {
        check(&[], &[], Some(0));
        check(&[&[]], &[], None);
        check(&[&[0, 1], &[1, 2], &[2, 3]], &[1, 1, 1, 1], Some(2));
        check(&[&[0, 1], &[0, 2], &[0, 3]], &[4, 1, 1, 1], Some(3));
        check(&[&[0, 1], &[0, 2], &[0, 3]], &[2, 1, 1, 1], Some(2));
    }

    #[test]
    fn it_is_as_cheap_as_the_cheapest_of_all_sets() {
        let mut state = 7_u64;
        let mut below = |n: u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) % n
        };
        for _ in 0..300 {
            let count = 7;
            let costs = (0..count).map(|_| 1 + below(6)).collect::<Vec<_>>();
            let clauses = (0..1 + below(6))
                .map(|_| (0..count).filter(|_| below(3) == 0).collect::<Vec<usize>>())
                .filter(|clause| !clause.is_empty())
                .collect::<Vec<_>>();
            let meets = |set: usize| clauses.iter().all(|clause| clause.iter().any(|item| set >> item & 1 == 1));
            let cost = |set: usize| (0..count).filter(|item| set >> item & 1 == 1).map(|item| costs[item]).sum::<u64>();
            let best = (0..1_usize << count).filter(|&set| meets(set)).map(cost).min();
            check(&clauses.iter().map(Vec::as_slice).collect::<Vec<_>>(), &costs, best);
        }
    }
}
