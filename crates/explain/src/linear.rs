//! The order with the fewest switches among those that do the same.
//!
//! Two steps depend on one another if they are of one thread, if they access the same bytes and one of them writes, if one
//! creates the other's thread or awaits its end, or if one ends the life of an object that the other uses. Any order that keeps dependent steps in
//! their order is an execution with the same values (Mazurkiewicz). Of a thread's own commits and steps only some depend on
//! one another: a commit comes after its store, in the order that the memory model keeps, and before a step that needs an
//! empty buffer.
//!
//! Only the steps that the violation depends on are kept. Among their orders the search goes by switches, breadth first
//! over sets of steps. A turn of a thread takes every step that is possible, and every commit of any thread: one that is taken
//! later could as well be taken now, and costs no switch. So the branches are the threads, not the steps, and the result is exact.

use crate::recorder::{Access, Done};
use norn_machine::hash::FastSet;
use norn_verdict::model::Model;
use norn_verdict::trace::ThreadIndex;
use std::collections::{BTreeMap, VecDeque};

/// A set of steps, by number.
type Set = Box<[u64]>;

fn empty(len: usize) -> Set {
    vec![0; len.div_ceil(64)].into_boxed_slice()
}

fn has(set: &Set, at: usize) -> bool {
    set[at / 64] >> (at % 64) & 1 == 1
}

fn put(set: &mut Set, at: usize) {
    set[at / 64] |= 1 << (at % 64);
}

/// For each step those before it that it depends on directly.
pub fn dependencies(done: &[Done], model: Model) -> Vec<Vec<usize>> {
    let mut before = vec![Vec::new(); done.len()];
    for later in 0..done.len() {
        for earlier in 0..later {
            if depends(&done[earlier], &done[later], model) {
                before[later].push(earlier);
            }
        }
    }
    before
}

fn depends(earlier: &Done, later: &Done, model: Model) -> bool {
    if earlier.thread == later.thread {
        return in_order(earlier, later, model);
    }
    let touches = |one: &Done, other: &Done| {
        one.others.contains(&other.thread)
            || one.created.contains(&other.thread)
            || one.joined.iter().any(|&(_, joined)| joined == other.thread)
    };
    let ends = |one: &Done, other: &Done| {
        one.ends.iter().any(|object| other.uses.contains(object) || other.ends.contains(object))
    };
    touches(earlier, later)
        || touches(later, earlier)
        || earlier.others.iter().any(|thread| later.others.contains(thread))
        || ends(earlier, later)
        || ends(later, earlier)
        || conflict(&earlier.accesses, &later.accesses)
        || (later.action.is_commit || !later.accesses.is_empty()) && conflict(&earlier.forwarded, &later.accesses)
}

fn conflict(ones: &[Access], others: &[Access]) -> bool {
    ones.iter().any(|one| others.iter().any(|other| one.conflicts(other)))
}

/// What a thread's own steps have to do with one another.
fn in_order(earlier: &Done, later: &Done, model: Model) -> bool {
    match (earlier.action.is_commit, later.action.is_commit) {
        (false, false) => true,
        (false, true) => {
            earlier.action.step == later.action.step
                // The life of what is stored to may end here.
                || earlier.ends.iter().any(|object| later.uses.contains(object))
        }
        (true, false) => {
            later.needs_empty
                || conflict(&earlier.accesses, &later.accesses)
                || later.ends.iter().any(|object| earlier.uses.contains(object))
        }
        // Under PSO a fence may order them, too; what is wrong is seen when it is tried.
        (true, true) => model != Model::Pso || conflict(&earlier.accesses, &later.accesses),
    }
}

/// Orders of the steps in which two that depend on one another, and nothing in between, change places: one for each such pair of
/// different threads. What came after the first of them comes after the second now.
pub fn reversals(done: &[Done], model: Model) -> Vec<Vec<usize>> {
    let before = dependencies(done, model);
    // For each step all those before it that it depends on.
    let mut past: Vec<Set> = Vec::with_capacity(done.len());
    for (at, direct) in before.iter().enumerate() {
        let mut set = empty(done.len());
        put(&mut set, at);
        for &earlier in direct {
            set.iter_mut().zip(&past[earlier]).for_each(|(word, other)| *word |= other);
        }
        past.push(set);
    }
    let mut orders = Vec::new();
    for later in 0..done.len() {
        for &earlier in &before[later] {
            let is_between = |&other: &usize| other != earlier && has(&past[other], earlier);
            if done[earlier].thread == done[later].thread || before[later].iter().any(is_between) {
                continue;
            }
            let follows = |&at: &usize| has(&past[at], earlier);
            let first = (0..later).filter(|at| !follows(at));
            let rest = (0..later).filter(follows);
            orders.push(first.chain([later]).chain(rest).chain(later + 1..done.len()).collect());
        }
    }
    orders
}

/// The steps that the target depends on, and itself.
fn cone(before: &[Vec<usize>], target: usize) -> Set {
    let mut set = empty(before.len());
    put(&mut set, target);
    for at in (0..=target).rev() {
        if has(&set, at) {
            before[at].iter().for_each(|&earlier| put(&mut set, earlier));
        }
    }
    set
}

/// An order with the fewest switches of the steps that the last one depends on; of all, if none may be left out. `None`: the
/// search became too large.
pub fn fewest_switches(done: &[Done], model: Model, keeps_all: bool) -> Option<Vec<usize>> {
    const MOST_NODES: usize = 50_000;
    let target = done.len().checked_sub(1)?;
    let before = dependencies(done, model);
    let wanted = if keeps_all {
        (0..done.len()).fold(empty(done.len()), |mut set, at| {
            put(&mut set, at);
            set
        })
    } else {
        cone(&before, target)
    };
    let mut steps: BTreeMap<ThreadIndex, Vec<usize>> = BTreeMap::new();
    let mut commits = Vec::new();
    for at in (0..done.len()).filter(|&at| has(&wanted, at)) {
        match done[at].action.is_commit {
            true => commits.push(at),
            false => steps.entry(done[at].thread).or_default().push(at),
        }
    }
    // Only steps that are wanted have to come before.
    let missing =
        |taken: &Set, at: usize| before[at].iter().any(|&earlier| has(&wanted, earlier) && !has(taken, earlier));
    let is_whole = |set: &Set| if keeps_all { *set == wanted } else { has(set, target) };
    // How each set was reached: from which, and by which steps.
    let mut ways: Vec<(usize, Vec<usize>)> = vec![(0, Vec::new())];
    let mut seen: FastSet<(Set, Option<ThreadIndex>)> = FastSet::default();
    let mut queue = VecDeque::from([(empty(done.len()), None::<ThreadIndex>, 0usize)]);
    while let Some((taken, last, way)) = queue.pop_front() {
        for (&thread, own) in &steps {
            if last == Some(thread) {
                continue;
            }
            let (mut next, mut turn) = (taken.clone(), Vec::new());
            // Commits need no turn, and come as soon as they can.
            while let Some(&at) = commits.iter().chain(own).find(|&&at| !has(&next, at) && !missing(&next, at)) {
                put(&mut next, at);
                turn.push(at);
            }
            if turn.iter().all(|&at| done[at].action.is_commit) && !is_whole(&next) {
                continue;
            }
            let is_done = is_whole(&next);
            ways.push((way, turn));
            let reached = ways.len() - 1;
            if is_done {
                return Some(order(&ways, reached, target, keeps_all));
            }
            if ways.len() > MOST_NODES {
                return None;
            }
            if seen.insert((next.clone(), Some(thread))) {
                queue.push_back((next, Some(thread), reached));
            }
        }
    }
    None
}

fn order(ways: &[(usize, Vec<usize>)], mut at: usize, target: usize, keeps_all: bool) -> Vec<usize> {
    let mut turns = Vec::new();
    while at != 0 {
        turns.push(&ways[at].1);
        at = ways[at].0;
    }
    let mut order = turns.into_iter().rev().flatten().copied().collect::<Vec<_>>();
    if !keeps_all && let Some(end) = order.iter().position(|&step| step == target) {
        order.truncate(end + 1);
    }
    order
}
