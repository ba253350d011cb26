//! Fewer switches and fewer steps to the same violation, for those who read the counterexample.
//!
//! Everything is tried on the executor: what a thread does last is left out, what it does after a switch is done before it,
//! or the other way round, and values become 0. A change is kept if the execution is still possible and ends in the same
//! violation at the same place.

use crate::execution::{Act, Runner};
use norn_exec::{Choice, Script, Stop, ThreadIdentity};
use norn_verdict::outcome::{Violation, ViolationKind};

/// Steps that may be spent on it.
const MOST_STEPS: usize = 200_000;
/// Longer executions are left as they are.
const LONGEST: usize = 4000;

/// The runner is at the end of an execution that came to the violation. If so says the result, it is at the end of such
/// an execution again.
pub fn shrink(runner: &mut Runner<'_>, violation: &Violation) -> bool {
    let is_by_a_step =
        !matches!(violation.kind, ViolationKind::Deadlock | ViolationKind::DataRace | ViolationKind::MemoryLeak);
    if !is_by_a_step || runner.acts.is_empty() || runner.acts.len() > LONGEST {
        return false;
    }
    let best = runner.acts.iter().map(|taken| taken.0).collect();
    let script = script(runner);
    let mut shrinker = Shrinker { runner, violation, best, script, left: MOST_STEPS };
    shrinker.improve();
    let best = std::mem::take(&mut shrinker.best);
    let leads_there = shrinker.leads_there(&best);
    shrinker.runner.executor.set_script(Script::new());
    leads_there
}

struct Shrinker<'a, 'c> {
    runner: &'a mut Runner<'c>,
    violation: &'a Violation,
    best: Vec<Act>,
    script: Script,
    left: usize,
}

fn script(runner: &Runner<'_>) -> Script {
    let executor = &runner.executor;
    let values = |thread: ThreadIdentity| {
        executor.inputs_taken(thread).iter().map(|taken| vec![Choice::Anywhere(taken.1)]).collect::<Vec<_>>()
    };
    executor.threads().map(|thread| (executor.thread(thread).name.clone(), values(thread))).collect()
}

fn thread(act: Act) -> ThreadIdentity {
    match act {
        Act::Start => ThreadIdentity::MAIN,
        Act::Run(thread) | Act::Commit(thread, _) => thread,
    }
}

fn switches(acts: &[Act]) -> usize {
    acts.windows(2).filter(|pair| thread(pair[0]) != thread(pair[1])).count()
}

impl Shrinker<'_, '_> {
    fn improve(&mut self) {
        loop {
            let before = (switches(&self.best), self.best.len());
            self.drop_ends();
            self.join_turns();
            if (switches(&self.best), self.best.len()) >= before || self.left == 0 {
                break;
            }
        }
        self.zero_values();
    }

    /// Whether the acts lead to the violation; those after it are cut off.
    fn leads_there(&mut self, acts: &[Act]) -> bool {
        self.runner.executor.set_script(self.script.clone());
        self.runner.reset();
        let mut acts = acts.iter();
        let mut act = Act::Start;
        loop {
            match self.runner.perform(act) {
                Ok(()) => self.runner.note(act),
                Err(Stop::Violation(found)) => {
                    self.runner.note(act);
                    return found.kind == self.violation.kind && found.span == self.violation.span;
                }
                Err(_) => return false,
            }
            self.left = self.left.saturating_sub(1);
            match acts.next() {
                Some(next) => act = *next,
                None => return false,
            }
        }
    }

    fn keep_if_better(&mut self, acts: &[Act]) -> bool {
        if self.left == 0 || !self.leads_there(acts) {
            return false;
        }
        let taken: Vec<Act> = self.runner.acts.iter().map(|taken| taken.0).collect();
        let size = |acts: &[Act]| (switches(acts), acts.len());
        let is_better = size(&taken) < size(&self.best);
        if is_better {
            self.best = taken;
        }
        is_better
    }

    /// Without what threads do last: everything of a thread, then less.
    fn drop_ends(&mut self) {
        let mut threads: Vec<ThreadIdentity> = self.best.iter().map(|&act| thread(act)).collect();
        threads.sort_unstable();
        threads.dedup();
        for &t in threads.iter().rev() {
            let mut dropped = self.best.iter().filter(|&&act| thread(act) == t).count();
            while dropped > 0 && self.left > 0 {
                let count = self.best.iter().filter(|&&act| thread(act) == t).count();
                let mut seen = 0;
                let fewer: Vec<Act> = self
                    .best
                    .iter()
                    .copied()
                    .filter(|&act| {
                        seen += usize::from(thread(act) == t);
                        thread(act) != t || seen + dropped <= count
                    })
                    .collect();
                self.keep_if_better(&fewer);
                dropped /= 2;
            }
        }
    }

    /// A thread goes on before others do, or does later what it does now.
    fn join_turns(&mut self) {
        let mut at = 1;
        while at < self.best.len() && self.left > 0 {
            let t = thread(self.best[at - 1]);
            if thread(self.best[at]) == t || !(self.earlier(at, t) || self.later(at, t)) {
                at += 1;
            }
        }
    }

    /// The next turn of the thread comes at once.
    fn earlier(&mut self, at: usize, t: ThreadIdentity) -> bool {
        let Some(next) = (at..self.best.len()).find(|&i| thread(self.best[i]) == t) else { return false };
        let end = (next..self.best.len()).find(|&i| thread(self.best[i]) != t).unwrap_or(self.best.len());
        let mut acts = self.best.clone();
        acts[at..end].rotate_left(next - at);
        self.keep_if_better(&acts)
    }

    /// This turn of the thread comes just before its next one.
    fn later(&mut self, at: usize, t: ThreadIdentity) -> bool {
        let Some(next) = (at..self.best.len()).find(|&i| thread(self.best[i]) == t) else { return false };
        let start = (0..at).rev().find(|&i| thread(self.best[i]) != t).map_or(0, |i| i + 1);
        let mut acts = self.best.clone();
        acts[start..next].rotate_left(at - start);
        self.keep_if_better(&acts)
    }

    fn zero_values(&mut self) {
        const MOST_VALUES: usize = 64;
        let acts = self.best.clone();
        let positions = self.script.iter().flat_map(|(name, values)| (0..values.len()).map(move |i| (name.clone(), i)));
        let positions: Vec<_> = positions.take(MOST_VALUES).collect();
        for (name, position) in positions {
            let Some(value) = self.script.get_mut(&name).and_then(|values| values.get_mut(position)) else { continue };
            let old = std::mem::replace(value, vec![Choice::Anywhere(0)]);
            // With the same steps, or it would be another execution.
            let same = self.left > 0 && self.leads_there(&acts) && self.runner.acts.len() == acts.len();
            if !same && let Some(value) = self.script.get_mut(&name).and_then(|values| values.get_mut(position)) {
                *value = old;
            }
        }
    }
}
