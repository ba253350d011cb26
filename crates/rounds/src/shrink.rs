//! Counterexamples with fewer context switches.
//!
//! A model of the formula may hold steps that have nothing to do with the violation. Here steps are left out and
//! brought together as long as the machine, replaying the schedule, still meets the same violation. Each attempt is a
//! replay, and the number of steps that are replayed is limited: a result that is found quickly is good enough.

use crate::engine::Task;
use norn_verdict::claim::{Claim, Ruling};
use norn_verdict::outcome::Counterexample;
use norn_verdict::schedule::{Schedule, Step, ThreadName};

/// Steps to be replayed, in all attempts together.
const PATIENCE: usize = 60_000;

/// A counterexample to the same, with as few context switches as were found.
pub fn shrink(task: &Task<'_>, found: Box<Counterexample>) -> Box<Counterexample> {
    let mut shrinker = Shrinker { task, best: found, patience: PATIENCE };
    while shrinker.patience > 0 && (shrinker.leave_out() | shrinker.bring_together()) {}
    shrinker.best
}

pub fn context_switches(steps: &[Step]) -> usize {
    steps.windows(2).filter(|pair| thread_of(&pair[0]) != thread_of(&pair[1])).count()
}

fn thread_of(step: &Step) -> &ThreadName {
    match step {
        Step::Run { thread, .. } | Step::Commit { thread, .. } => thread,
    }
}

struct Shrinker<'a> {
    task: &'a Task<'a>,
    best: Box<Counterexample>,
    patience: usize,
}

impl Shrinker<'_> {
    /// Takes these steps if they lead to the violation and are better.
    fn attempt(&mut self, steps: Vec<Step>) -> bool {
        if self.patience == 0 {
            return false;
        }
        self.patience = self.patience.saturating_sub(steps.len() + 1);
        let schedule = Schedule { steps, ..self.best.schedule().clone() };
        let claim = Claim { schedule, expected: vec![self.best.violation().into()] };
        let Task { program, checks, referee, .. } = *self.task;
        let Ruling::Holds(found) = referee.rule(program, checks, claim) else { return false };
        let cost = |steps: &[Step]| (context_switches(steps), steps.len());
        let is_better = cost(&found.schedule().steps) < cost(self.steps());
        if is_better {
            self.best = found;
        }
        is_better
    }

    fn steps(&self) -> &[Step] {
        &self.best.schedule().steps
    }

    /// The stretches of one thread's steps, as ranges.
    fn blocks(&self) -> Vec<std::ops::Range<usize>> {
        let steps = self.steps();
        let mut blocks = Vec::new();
        let mut start = 0;
        for end in 1..=steps.len() {
            if end == steps.len() || thread_of(&steps[end]) != thread_of(&steps[start]) {
                blocks.push(start..end);
                start = end;
            }
        }
        blocks
    }

    /// Lets threads stop earlier: without a block, its second half or its last step, and all that the thread did later.
    fn leave_out(&mut self) -> bool {
        let mut improved = false;
        let mut from_end = 0;
        while self.patience > 0 {
            let blocks = self.blocks();
            let Some(index) = blocks.len().checked_sub(1 + from_end) else { return improved };
            let block = blocks[index].clone();
            let kept = [0, block.len() / 2, block.len() - 1];
            let shorter = kept.into_iter().any(|kept| {
                let steps = self.steps();
                let thread = thread_of(&steps[block.start]);
                let stays = |(at, step): &(usize, &Step)| *at < block.start + kept || thread_of(step) != thread;
                let steps = steps.iter().enumerate().filter(stays).map(|(_, step)| step.clone()).collect();
                self.attempt(steps)
            });
            improved |= shorter;
            if !shorter {
                from_end += 1;
            }
        }
        improved
    }

    /// Moves a block next to the one of the same thread before it or after it.
    fn bring_together(&mut self) -> bool {
        let mut improved = false;
        let mut first = 0;
        while self.patience > 0 {
            let blocks = self.blocks();
            if first >= blocks.len() {
                return improved;
            }
            let steps = self.steps();
            let own = |block: &std::ops::Range<usize>| {
                thread_of(&steps[block.start]) == thread_of(&steps[blocks[first].start])
            };
            let next = blocks.iter().enumerate().skip(first + 1).find(|(_, block)| own(block)).map(|(next, _)| next);
            let Some(next) = next else {
                first += 1;
                continue;
            };
            let (here, there) = (blocks[first].clone(), blocks[next].clone());
            let between = here.end..there.start;
            let joined = |parts: [std::ops::Range<usize>; 5]| -> Vec<Step> {
                parts.into_iter().flat_map(|part| steps[part].to_vec()).collect()
            };
            let rest = there.end..steps.len();
            let earlier = joined([0..here.end, there.clone(), between.clone(), rest.clone(), 0..0]);
            let later = joined([0..here.start, between, here, there, rest]);
            if self.attempt(earlier) || self.attempt(later) {
                improved = true;
            } else {
                first += 1;
            }
        }
        improved
    }
}
