//! One execution on the fast executor: begun from the initial state, taken back afterwards.
//!
//! A step that asked for values and then met an assumption that does not hold is taken back and tried with other values. What is
//! not enabled is found out by trying. A step that has no meaning here (something unsupported, a run without end) is taken back,
//! and its thread stays before it.

use crate::commits::Commits;
use crate::random::Random;
use crate::schedules::Chooser;
use crate::values::Values;
use norn_exec::{Effect, Executor, Mark, Status, Stop, ThreadIdentity};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Violation};
use norn_verdict::schedule::{Schedule, Step, StepNumber};
use norn_verdict::undecided::Undecided;
use std::cell::RefCell;
use std::rc::Rc;

/// How often other values are tried where an assumption fails, without getting any farther.
const TRIES: u32 = 32;
/// So often with the last value only, then with the last two, and so on.
const TRIES_EACH: u32 = 12;
/// After this many vain tries at one place there are no more.
const VAIN_TRIES: u32 = 1000;
/// A step that wakes up spuriously is taken back, but for one in so many.
const SPURIOUS: usize = 8;

/// Something that happens in an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    Start,
    Run(ThreadIdentity),
    /// The store that the thread made with its step of this number.
    Commit(ThreadIdentity, StepNumber),
}

/// An act, with the number of the step: what a schedule needs.
pub type Taken = (Act, StepNumber);

#[derive(Clone, PartialEq, Debug)]
pub enum Ended {
    /// Nothing can happen any more, or nothing that has a meaning.
    Over,
    /// It was too long.
    Cut,
    Violation(Violation),
}

/// How long an execution may be.
#[derive(Clone, Copy, Debug)]
pub struct Lengths {
    pub steps: u64,
    /// A creation beyond is not taken.
    pub threads: usize,
    /// Operations without a visible step.
    pub run: u64,
    /// Changes in all.
    pub changes: usize,
}

/// Tries one execution after another.
pub struct Runner<'c> {
    pub executor: Executor<'c>,
    checks: Checks,
    values: Rc<RefCell<Values>>,
    base: Mark,
    /// What has happened in this execution.
    pub acts: Vec<Taken>,
    /// The largest number of stores in a buffer.
    pub longest_buffer: usize,
    /// By thread: whether its step was tried in vain in this state.
    waits: Vec<Waits>,
    /// A step was not enabled with values that were drawn, or because of a bound; it might be.
    doubtful: bool,
    /// Vain tries by position in the code.
    vain: Vec<u32>,
    /// Something that has no meaning here, the first in any execution.
    pub met: Option<Undecided>,
    /// Changes that were taken back and made anew.
    again: usize,
    most_threads: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Waits {
    No,
    Yes,
    ForBuffer,
    UnlessSpurious,
    /// In this execution.
    ForEver,
}

struct Choices {
    random: Random,
    chooser: Chooser,
    commits: Commits,
}

impl<'c> Runner<'c> {
    /// With a fresh executor that asks for these values, of a program with so many operations.
    pub fn new(executor: Executor<'c>, checks: Checks, values: Rc<RefCell<Values>>, operations: usize) -> Runner<'c> {
        let base = executor.mark();
        Runner {
            executor,
            checks,
            values,
            base,
            acts: Vec::new(),
            longest_buffer: 0,
            waits: Vec::new(),
            doubtful: false,
            vain: vec![0; operations],
            met: None,
            again: 0,
            most_threads: usize::MAX,
        }
    }

    /// Back to before the start.
    pub fn reset(&mut self) {
        self.executor.undo_to(self.base);
        self.acts.clear();
        self.waits.clear();
        self.doubtful = false;
        self.longest_buffer = 0;
        self.again = 0;
    }

    /// What this execution has cost, in changes of the state.
    pub fn work(&self) -> u64 {
        // Each step looks at each thread.
        let steps = self.acts.len() * (1 + self.executor.thread_count() / 4);
        (self.executor.logged() + self.again + steps + self.executor.memory().bytes.len() / 64) as u64
    }

    /// The execution of this number; the state is left as it is at its end. Earlier ones had up to `length` steps.
    pub fn execute(&mut self, number: u64, seed: u64, length: u64, most: Lengths) -> Ended {
        self.reset();
        let mut random = Random::for_execution(seed, number);
        self.values.borrow_mut().begin(number, Random::new(random.number()));
        let chooser = Chooser::new(number, Random::new(random.number()), length);
        let commits = Commits::new(number, Random::new(random.number()));
        let mut choices = Choices { random, chooser, commits };
        self.executor.set_longest_run(most.run);
        self.most_threads = most.threads;
        let mut ended = self.take(Act::Start, &mut choices);
        let mut threads = Vec::new();
        loop {
            if let Some(ended) = ended {
                return ended;
            }
            if self.executor.exited().is_some() {
                return self.over();
            }
            if self.acts.len() as u64 >= most.steps || self.executor.logged() >= most.changes {
                return Ended::Cut;
            }
            ended = match self.next(&mut choices, &mut threads) {
                Ok(Some(act)) => self.take(act, &mut choices),
                Ok(None) => Some(self.over()),
                Err(violation) => Some(Ended::Violation(violation)),
            };
        }
    }

    /// Nothing can happen any more; lost memory is a violation.
    fn over(&self) -> Ended {
        self.executor.leak().map_or(Ended::Over, Ended::Violation)
    }

    /// What is to happen, if anything can; a deadlock is a violation.
    fn next(&mut self, choices: &mut Choices, threads: &mut Vec<ThreadIdentity>) -> Result<Option<Act>, Violation> {
        let now = self.acts.len() as u64;
        if let Some(commit) = self.due_commit(choices, now) {
            return Ok(Some(commit));
        }
        threads.clear();
        threads.extend(self.executor.threads().filter(|&t| self.can_be_next(t, choices.commits.drains)));
        if !threads.is_empty() {
            let thread = choices.chooser.pick(threads, now);
            if choices.chooser.changed && choices.commits.hurries {
                choices.commits.hurry(now);
                if let Some(commit) = self.due_commit(choices, now) {
                    return Ok(Some(commit));
                }
            }
            let runs = self.executor.status(thread) == Status::Ready && self.waits(thread) == Waits::No;
            return Ok(if runs { Some(Act::Run(thread)) } else { self.commit_of(thread, &mut choices.random) });
        }
        threads.extend(self.executor.threads().filter(|&thread| self.executor.commits(thread).next().is_some()));
        if let Some(thread) = choices.random.pick(threads) {
            return Ok(self.commit_of(thread, &mut choices.random));
        }
        let is_certain = !self.doubtful && !self.waits.contains(&Waits::ForEver);
        if self.checks.deadlock && is_certain && self.executor.could_deadlock() {
            return Err(self.executor.deadlock());
        }
        threads.extend(self.executor.threads().filter(|&thread| self.waits(thread) == Waits::UnlessSpurious));
        Ok(choices.random.pick(threads).map(Act::Run))
    }

    fn due_commit(&self, choices: &Choices, now: u64) -> Option<Act> {
        let mut due = choices.commits.due(now);
        let (thread, step) = due.find(|&(thread, step)| self.executor.can_commit(thread, step))?;
        Some(Act::Commit(thread, step))
    }

    fn can_be_next(&self, thread: ThreadIdentity, drains: bool) -> bool {
        match self.executor.status(thread) {
            Status::Ready => match self.waits(thread) {
                Waits::No => true,
                Waits::ForBuffer => drains,
                Waits::Yes | Waits::UnlessSpurious | Waits::ForEver => false,
            },
            Status::WaitsForBuffer => drains,
            _ => false,
        }
    }

    /// Any store of the thread that may reach memory.
    fn commit_of(&self, thread: ThreadIdentity, random: &mut Random) -> Option<Act> {
        let count = self.executor.commits(thread).count();
        self.executor.commits(thread).nth(random.below(count)).map(|step| Act::Commit(thread, step))
    }

    fn waits(&self, thread: ThreadIdentity) -> Waits {
        self.waits.get(thread.index()).copied().unwrap_or(Waits::No)
    }

    fn set_waits(&mut self, thread: ThreadIdentity, waits: Waits) {
        let at = thread.index();
        if self.waits.len() <= at {
            self.waits.resize(at + 1, Waits::No);
        }
        self.waits[at] = waits;
    }

    /// Makes it happen, if it can. Returns how the execution ends, if it does.
    fn take(&mut self, act: Act, choices: &mut Choices) -> Option<Ended> {
        let mark = self.executor.mark();
        let asked = self.values.borrow().asked;
        match self.try_values(act) {
            Ok(()) => {}
            Err(Stop::Violation(violation)) => {
                self.note(act);
                return Some(Ended::Violation(*violation));
            }
            Err(stop) => {
                self.again += self.executor.logged();
                self.executor.undo_to(mark);
                self.again -= self.executor.logged();
                let waits = match stop {
                    Stop::NotEnabled | Stop::Cut => {
                        self.doubtful |= stop == Stop::Cut || self.values.borrow().asked != asked;
                        match act {
                            Act::Run(thread) if !self.executor.thread(thread).buffer.is_empty() => Waits::ForBuffer,
                            _ => Waits::Yes,
                        }
                    }
                    Stop::Undecided(open) => {
                        self.met.get_or_insert(*open);
                        Waits::ForEver
                    }
                    Stop::Violation(_) | Stop::NeedInput(_) | Stop::Ends(_) => Waits::ForEver,
                };
                let Act::Run(thread) = act else { return Some(Ended::Over) };
                self.set_waits(thread, waits);
                return None;
            }
        }
        if let Act::Run(thread) = act
            && self.executor.thread_count() > self.most_threads
        {
            self.executor.undo_to(mark);
            self.set_waits(thread, Waits::ForEver);
            return None;
        }
        if let Act::Run(thread) = act
            && self.executor.was_spurious()
            && self.waits(thread) != Waits::UnlessSpurious
            && !choices.random.one_in(SPURIOUS)
        {
            self.executor.undo_to(mark);
            self.set_waits(thread, Waits::UnlessSpurious);
            return None;
        }
        self.note(act);
        self.waits.iter_mut().filter(|waits| **waits != Waits::ForEver).for_each(|waits| *waits = Waits::No);
        self.tell(act, choices);
        None
    }

    /// Does it, again with other values where an assumption on those that it asked for failed. The last value is drawn anew
    /// first, then more of them: an assumption mostly follows what it is about.
    fn try_values(&mut self, act: Act) -> Result<(), Stop> {
        let (mark, logged) = (self.executor.mark(), self.executor.logged());
        let point = self.values.borrow().point();
        let stopped = self.stopped();
        let place = match act {
            Act::Start => 0,
            Act::Run(thread) | Act::Commit(thread, _) => self.executor.thread(thread).pc as usize,
        };
        // Tries since as many values as never before were taken.
        let (mut farthest, mut tries) = (0, 0);
        loop {
            let result = self.perform(act);
            let asked = self.values.borrow().since(point);
            let failed = match &result {
                Ok(()) => self.stopped() > stopped,
                Err(stop) => matches!(stop, Stop::NotEnabled | Stop::Cut),
            };
            if asked > farthest {
                (farthest, tries) = (asked, 0);
            }
            tries += 1;
            if !failed || asked == 0 || tries > TRIES || self.vain[place] >= VAIN_TRIES {
                if !failed {
                    self.vain[place] = 0;
                }
                self.values.borrow_mut().go_on();
                return result;
            }
            self.vain[place] += 1;
            self.again += self.executor.logged() - logged;
            self.executor.undo_to(mark);
            let kept = asked.saturating_sub(tries.div_ceil(TRIES_EACH) as usize);
            self.values.borrow_mut().take_back(point, kept, tries > 2);
        }
    }

    fn stopped(&self) -> usize {
        self.executor.threads().filter(|&thread| self.executor.status(thread) == Status::Stopped).count()
    }

    pub(crate) fn perform(&mut self, act: Act) -> Result<(), Stop> {
        match act {
            Act::Start => self.executor.start(),
            Act::Run(thread) => self.executor.step(thread),
            Act::Commit(thread, step) => self.executor.commit(thread, step),
        }
    }

    pub(crate) fn note(&mut self, act: Act) {
        match act {
            Act::Start => {}
            Act::Run(thread) => {
                self.acts.push((act, self.executor.thread(thread).counts.steps));
                self.longest_buffer = self.longest_buffer.max(self.executor.thread(thread).buffer.len());
            }
            Act::Commit(_, step) => self.acts.push((act, step)),
        }
    }

    /// Tells those who choose what has happened.
    fn tell(&mut self, act: Act, choices: &mut Choices) {
        let now = self.acts.len() as u64;
        match act {
            Act::Start => {}
            Act::Commit(thread, step) => choices.commits.committed(thread, step),
            Act::Run(thread) => {
                let mut wrote = false;
                for effect in self.executor.effects() {
                    match *effect {
                        Effect::Store { thread, step, at, .. } => {
                            choices.commits.stored(thread, step, at, now);
                            wrote = true;
                        }
                        Effect::Read { .. } | Effect::Drained { .. } => {}
                        _ => wrote = true,
                    }
                }
                if choices.chooser.took(thread, wrote) {
                    choices.commits.hurry(now);
                }
            }
        }
    }

    /// This execution so far, as a schedule of the program with this fingerprint.
    pub fn schedule(&self, model: Model, program: u64) -> Schedule {
        let name = |thread: ThreadIdentity| self.executor.thread(thread).name.clone();
        let step = |&(act, step): &Taken| match act {
            Act::Start => None,
            Act::Run(thread) => Some(Step::Run { thread: name(thread), step }),
            Act::Commit(thread, _) => Some(Step::Commit { thread: name(thread), step }),
        };
        let steps = self.acts.iter().filter_map(step).collect();
        let values =
            |thread: ThreadIdentity| self.executor.inputs_taken(thread).iter().map(|taken| taken.1).collect::<Vec<_>>();
        let inputs = self.executor.threads().map(|thread| (name(thread), values(thread)));
        let mut inputs: Vec<_> = inputs.filter(|(_, values)| !values.is_empty()).collect();
        inputs.sort();
        Schedule { model, program, steps, inputs }
    }
}
