//! The search: optimal dynamic partial-order reduction with wakeup trees.
//!
//! Where two events of an execution race, a sequence that takes them in the other order is added to the wakeup tree of
//! the state before the first, unless a process that sleeps there already covers it. A process sleeps if it was
//! explored from an earlier state of the path and nothing that has happened since depends on it. Every sequence wakes
//! all sleepers, so no execution is begun in vain. What is covered at first may not be in the end: see `reversal`. Sections that
//! block and the end of the program need more: see `blocking`. A step without a meaning does not end the search: see `doubt`.

use crate::cells::Cells;
use crate::footprint::{Access, Footprint, Footprints, Process};
use crate::reversal::{Item, Open};
use crate::robust::Cycles;
use crate::trace::{EventNumber, Trace};
use crate::varying::{Varying, VaryingStep};
use crate::wakeup::{Forest, NO_NODE, NodeId};
use norn_exec::{Choice, Code, Executor, Request, Status, Stop, ThreadIdentity};
use norn_ir::number::narrow;
use norn_passes::Site;
use norn_passes::analysed::Analysed;
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Stats, Violation};
use norn_verdict::pace::{Due, Pace};
use norn_verdict::progress::Report;
use norn_verdict::schedule::{Schedule, Step, StepNumber, ThreadName, fingerprint};
use norn_verdict::undecided::{Undecided, Why};
use std::collections::BTreeMap;

/// What is explored, and within which limits.
pub struct Question<'a> {
    pub program: &'a Analysed,
    pub code: &'a Code,
    pub model: Model,
    pub checks: Checks,
    pub limits: &'a Limits,
    /// Whether all values that a thread asks for can be tried.
    pub can_try: &'a dyn Fn(&Request) -> bool,
}

/// What a search saw.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Counts {
    /// Executions in which every thread ended, or the program exited.
    pub complete: u64,
    /// Executions that came to rest with a thread stopped or waiting.
    pub blocked: u64,
    /// Executions that turned out to be covered by others.
    pub redundant: u64,
    pub events: u64,
    pub races: u64,
    /// Events that count as accesses to what they access in other executions only: where there are any, there may be more
    /// executions than traces.
    pub elsewhere: u64,
}

impl Counts {
    /// The executions that came to their end.
    pub fn executions(&self) -> u64 {
        self.complete + self.blocked
    }

    pub fn stats(&self) -> Stats {
        Stats(BTreeMap::from([
            ("executions", self.complete as f64),
            ("blocked", self.blocked as f64),
            ("redundant", self.redundant as f64),
            ("events", self.events as f64),
        ]))
    }

    pub fn add(&mut self, other: &Counts) {
        self.complete += other.complete;
        self.blocked += other.blocked;
        self.redundant += other.redundant;
        self.events += other.events;
        self.races += other.races;
        self.elsewhere += other.elsewhere;
    }
}

/// How a search ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Ended {
    Everything,
    Violation(Violation, Schedule),
    /// The thread asks for a value that the inputs do not have.
    NeedInput(ThreadName, Request),
    /// A cycle was found that is short enough.
    Cyclic,
    /// Cells fell apart, or steps turned out to access more: the search has to begin anew.
    LearntMore,
    /// A step has no meaning here.
    Unknown(Undecided),
    /// A limit was reached.
    Stopped(Exceeded),
    /// As many executions were explored as the user allows.
    Enough(Enough),
}

/// A search that ended after a number of executions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Enough {
    pub executions: u64,
    /// An estimate of the explored share of the search, in per cent.
    pub share: f64,
}

impl std::fmt::Display for Enough {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = if self.executions == 1 { "execution was" } else { "executions were" };
        write!(f, "{} {what} explored, an estimated {:.2} % of the search", self.executions, self.share)
    }
}

pub struct Search<'a> {
    pub(crate) question: &'a Question<'a>,
    inputs: &'a Inputs,
    pub executor: Executor<'a>,
    pub(crate) trace: Trace,
    pub(crate) cells: &'a mut Cells,
    pub(crate) varying: &'a mut Varying,
    pub(crate) footprints: &'a mut Footprints,
    pub(crate) forest: Forest,
    pub(crate) levels: Vec<Level>,
    /// The sleeping processes of all levels, one after the other.
    pub(crate) sleepers: Vec<(Process, Footprint)>,
    pub counts: Counts,
    /// Executions of earlier searches for the same answer.
    pub executions_before: u64,
    /// Present if the search looks for cycles.
    pub(crate) cycles: Option<Cycles>,
    /// The first step that had no meaning, and why.
    pub doubt: Option<Undecided>,
    pub(crate) races: Vec<EventNumber>,
    pub(crate) sequence: Vec<Item>,
    /// Reversals of events of the current execution that were covered, to be looked at again when more has happened.
    pub(crate) open: Vec<Open>,
    pub(crate) path: Vec<Process>,
    pub(crate) mask: Vec<u64>,
    pub(crate) last_row: Vec<u64>,
    pub(crate) past: Vec<u64>,
    /// What the last attempt at a step accessed.
    pub(crate) last_attempt: Vec<Access>,
}

/// A state on the current path.
#[derive(Clone, Copy, Default)]
pub(crate) struct Level {
    /// Where its sleeping processes begin; they end where those of the next level begin.
    pub(crate) sleep: usize,
    /// The first of the branches that are still to be explored.
    pub(crate) tree: Option<NodeId>,
    pub(crate) begun: bool,
    /// Branches that have been explored.
    pub(crate) done: u32,
}

/// Nondeterministic values by thread and position, there by the instruction that asks.
pub type Inputs = BTreeMap<ThreadName, Vec<Vec<Input>>>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    pub site: Option<Site>,
    pub value: u64,
    /// Of the values that are tried here, this is the first.
    pub is_first: bool,
}

/// Called at the end of each complete execution.
pub type AtEnd<'f> = dyn FnMut(&Executor<'_>) + 'f;

impl<'a> Search<'a> {
    pub fn new(
        question: &'a Question<'a>,
        inputs: &'a Inputs,
        cells: &'a mut Cells,
        varying: &'a mut Varying,
        footprints: &'a mut Footprints,
    ) -> Result<Search<'a>, Stop> {
        let mut executor = Executor::new(question.program, question.code, question.model, question.checks)?;
        let choices = |values: &Vec<Input>| values.iter().map(|input| Choice::At(input.site, input.value)).collect();
        let script = inputs.iter().map(|(name, values)| (name.clone(), values.iter().map(choices).collect()));
        executor.set_script(script.collect());
        executor.leave_values_open();
        cells.reserve_globals(&executor);
        if std::mem::take(&mut cells.changed) {
            // What is known of steps is known by the old cells.
            *varying = Varying::default();
        }
        varying.changed = false;
        Ok(Search {
            question,
            inputs,
            executor,
            trace: Trace::new(question.model),
            cells,
            varying,
            footprints,
            forest: Forest::default(),
            levels: vec![Level::default()],
            sleepers: Vec::new(),
            counts: Counts::default(),
            executions_before: 0,
            cycles: None,
            doubt: None,
            races: Vec::new(),
            sequence: Vec::new(),
            open: Vec::new(),
            path: Vec::new(),
            mask: Vec::new(),
            last_row: Vec::new(),
            past: Vec::new(),
            last_attempt: Vec::new(),
        })
    }

    pub fn run(&mut self, at_end: &mut AtEnd<'_>) -> Ended {
        const EVENTS_BETWEEN_REPORTS: u32 = 1 << 11;
        // Where many writes are read from, an event may take long.
        const FEW_EVENTS: u32 = 16;
        let mut pace = Pace::new(EVENTS_BETWEEN_REPORTS, FEW_EVENTS);
        if let Err(stop) = self.executor.start() {
            return self.stopped(stop);
        }
        self.trace.begin(&self.executor);
        let mut fresh = true;
        loop {
            let depth = self.trace.len();
            if let Some(process) = self.next(depth, fresh) {
                let due = if self.counts.events == 0 { Due::Report } else { pace.step() };
                if due == Due::Report {
                    self.report();
                }
                if due != Due::Nothing
                    && let Some(exceeded) = self.question.limits.exceeded()
                {
                    return Ended::Stopped(exceeded);
                }
                if (!fresh || depth == 0)
                    && let Some(enough) = self.executions_exceeded()
                {
                    return Ended::Enough(enough);
                }
                if let Err(stop) = self.step(process) {
                    let ended = self.stopped(stop);
                    let Some(ended) = self.go_on_beside(process, ended) else {
                        fresh = true;
                        continue;
                    };
                    return ended;
                }
                if self.cells.changed {
                    return Ended::LearntMore;
                }
                fresh = true;
                continue;
            }
            if fresh {
                if let Some(ended) = self.end_of_execution(at_end) {
                    return ended;
                }
                self.look_again();
            }
            fresh = false;
            if self.cells.changed || self.varying.changed {
                return Ended::LearntMore;
            }
            let Some(event) = self.trace.pop() else { return Ended::Everything };
            self.forget_reversals();
            self.executor.undo_to(event.mark);
            if let Some(level) = self.levels.pop() {
                self.sleepers.truncate(level.sleep);
            }
            if let Some(level) = self.levels.last_mut() {
                self.sleepers.push((event.process, event.footprint));
                level.done += 1;
            }
        }
    }

    fn report(&self) {
        let progress = &self.question.limits.progress;
        if !progress.is_watched() {
            return;
        }
        progress.report(&Report {
            engine: norn_engine::capabilities::STATELESS.name,
            count: ("executions", self.executions_before + self.counts.executions()),
            figures: &[("depth", self.trace.len() as u64)],
            // Searches with other inputs may follow.
            done: self.inputs.is_empty().then(|| self.share_done()),
        });
    }

    /// The share of the search that is done, if each branch of a state were as large as the others: the branches that
    /// are known, at each state of the current path, weighed by the branches of the states before. Branches that will
    /// only be found are missing, so it is an estimate, and can go down.
    fn share_done(&self) -> f64 {
        let (mut share, mut weight) = (0.0, 1.0);
        for level in &self.levels {
            let waiting = level.tree.map_or(0, |first| self.forest.siblings(first));
            let branches = f64::from(level.done) + 1.0 + waiting as f64;
            share += weight * f64::from(level.done) / branches;
            weight /= branches;
        }
        share
    }

    /// Whether the limit on the number of executions is reached, so that no other may begin.
    fn executions_exceeded(&self) -> Option<Enough> {
        let limit = self.question.limits.executions?;
        let executions = self.executions_before + self.counts.executions();
        (executions >= limit).then(|| Enough { executions, share: self.share_done() * 100.0 })
    }

    /// The process to explore next from the current state, if any.
    fn next(&mut self, depth: usize, fresh: bool) -> Option<Process> {
        if let Some(first) = self.levels[depth].tree {
            let node = self.forest.get(first);
            self.levels[depth].tree = (node.next != NO_NODE).then_some(node.next);
            self.levels[depth].begun = true;
            self.forest.release(first);
            self.path.clear();
            // The rest of the branch goes with the process.
            let below = (node.first != NO_NODE).then_some(node.first);
            self.levels.push(Level { tree: below, sleep: self.sleepers.len(), ..Level::default() });
            return Some(node.process);
        }
        if !fresh || self.levels[depth].begun {
            return None;
        }
        let process = self.choose(depth)?;
        self.levels[depth].begun = true;
        self.levels.push(Level { sleep: self.sleepers.len(), ..Level::default() });
        Some(process)
    }

    fn sleeps(&self, depth: usize, process: Process) -> bool {
        self.sleepers[self.asleep(depth)].iter().any(|sleeper| sleeper.0 == process)
    }

    /// Where the sleepers of a level are.
    pub(crate) fn asleep(&self, depth: usize) -> std::ops::Range<usize> {
        self.levels[depth].sleep..self.levels.get(depth + 1).map_or(self.sleepers.len(), |next| next.sleep)
    }

    /// Any process that is enabled and does not sleep: commits first, so that stores are seen early, and wake-ups that may be
    /// spurious last, so that all else has happened then.
    fn choose(&mut self, depth: usize) -> Option<Process> {
        for number in self.executor.numbers() {
            let thread = self.executor.identity(number);
            let commit = self.executor.commits(thread).map(|step| Process::commit(thread, step));
            let mut awake = commit.filter(|&process| !self.sleeps(depth, process));
            if let Some(process) = awake.next() {
                return Some(process);
            }
        }
        let mut waking = None;
        for number in self.executor.numbers() {
            let thread = self.executor.identity(number);
            let process = Process::run(thread);
            if !self.sleeps(depth, process) && self.executor.can_step(thread) {
                if !self.may_wake(process) {
                    return Some(process);
                }
                waking.get_or_insert(process);
            }
        }
        waking
    }

    fn is_anything_enabled(&mut self) -> bool {
        self.executor.numbers().any(|number| {
            let thread = self.executor.identity(number);
            self.executor.commits(thread).next().is_some() || self.executor.can_step(thread)
        })
    }

    /// Whether a process may be woken up spuriously, and that matters. Then it depends on everything, so that what would be a
    /// deadlock without it is met as it is, just before.
    pub(crate) fn may_wake(&self, process: Process) -> bool {
        self.question.checks.deadlock && process.is_thread() && self.executor.may_wake(process.thread)
    }

    /// Whether a thread can take a step that is no spurious wake-up, or could with a larger bound.
    fn goes_on_for_a_cause(&mut self) -> bool {
        self.executor.numbers().any(|number| {
            let thread = self.executor.identity(number);
            self.executor.can_step_for_a_cause(thread) || self.executor.is_cut(thread)
        })
    }

    /// Whether some thread would go on with a larger bound.
    fn is_anything_cut(&mut self) -> bool {
        self.executor.numbers().any(|number| self.executor.is_cut(self.executor.identity(number)))
    }

    pub(crate) fn execute(&mut self, process: Process) -> Result<(), Stop> {
        match process.step {
            StepNumber::NONE => self.executor.step(process.thread),
            step => self.executor.commit(process.thread, step),
        }
    }

    /// Carries a process out, with all that follows for the trees; its level has been made.
    fn step(&mut self, process: Process) -> Result<(), Stop> {
        let blocking = process.is_thread() && self.executor.may_block(process.thread);
        let varies = process.is_thread() && self.executor.accesses_vary(process.thread);
        if self.may_wake(process) && self.executor.could_deadlock() && !self.goes_on_for_a_cause() {
            return Err(Stop::Violation(Box::new(self.executor.deadlock())));
        }
        // The schedule of a violation ends with this step.
        self.carry_out(process)?;
        self.counts.events += 1;
        if self.cells.changed {
            return Ok(());
        }
        let number = self.trace.last_event();
        let footprint = self.trace.event(number).footprint;
        let ended = self.executor.exited().is_some();
        self.counts.elsewhere += u64::from(varies && self.footprints.is_elsewhere(footprint, ended));
        self.fall_asleep(number.index(), (process, footprint));
        if blocking {
            let past = self.trace.last_past().to_vec();
            self.reverse_blocking(process, footprint, &past, number);
        } else {
            let mut races = std::mem::take(&mut self.races);
            self.trace.races(&mut races);
            if !races.is_empty() {
                self.past.clear();
                self.past.extend_from_slice(self.trace.last_past());
            }
            for &race in &races {
                if varies {
                    self.reverse_varying(race, number);
                } else {
                    self.reverse(race, number);
                }
            }
            self.races = races;
        }
        if ended {
            self.branch_before_exit(process);
        }
        Ok(())
    }

    /// Executes a process and adds the event to the trace, also if it goes wrong.
    pub(crate) fn carry_out(&mut self, process: Process) -> Result<(), Stop> {
        let site = if process.is_thread() { VaryingStep::of(&self.executor, process.thread) } else { None };
        let wakes = self.may_wake(process);
        let (mark, objects) = (self.executor.mark(), self.executor.memory().objects.len());
        let result = self.execute(process);
        let site = site.map(|site| (site, narrow(objects)));
        self.trace.push(&self.executor, (process, site, wakes), mark, self.cells, self.varying, self.footprints);
        result
    }

    /// Keeps those asleep after the event that slept in the state before it, unless they depend on the event.
    fn fall_asleep(&mut self, depth: usize, event: (Process, Footprint)) {
        let executor = &self.executor;
        let reached = |thread: ThreadIdentity, step: StepNumber| {
            !executor.thread(thread).buffer.iter().any(|entry| entry.step == step)
        };
        for at in self.asleep(depth) {
            let sleeper = self.sleepers[at];
            if !self.footprints.depend(sleeper, event, reached) {
                self.sleepers.push(sleeper);
            }
        }
    }

    // Ends.

    fn end_of_execution(&mut self, at_end: &mut AtEnd<'_>) -> Option<Ended> {
        if self.executor.is_complete() {
            if !self.is_canonical() {
                return None;
            }
            self.counts.complete += 1;
            if let Some(violation) = self.executor.leak() {
                return Some(Ended::Violation(violation, self.schedule()));
            }
            at_end(&self.executor);
            return self.look_for_cycle();
        }
        if self.is_anything_enabled() {
            self.counts.redundant += 1;
            return None;
        }
        self.counts.blocked += u64::from(self.is_canonical());
        if self.question.checks.deadlock && self.executor.could_deadlock() && !self.is_anything_cut() {
            return Some(Ended::Violation(self.executor.deadlock(), self.schedule()));
        }
        for number in self.executor.numbers() {
            let thread = self.executor.identity(number);
            if self.executor.status(thread) != Status::Ready {
                continue;
            }
            self.executor.can_step(thread);
            let effects = self.executor.effects().to_vec();
            let accesses = self.accesses_of(&effects);
            let footprint = self.footprints.number(&accesses).exiting_if(self.may_wake(Process::run(thread)));
            let mut past = Vec::new();
            self.trace.past_of(thread, &mut past);
            self.reverse_blocking(Process::run(thread), footprint, &past, self.trace.next_event());
        }
        self.look_for_cycle()
    }

    /// Of the searches with different inputs in which this execution is seen, this is the one where it counts.
    fn is_canonical(&self) -> bool {
        self.inputs.iter().all(|(name, values)| {
            let thread = self.executor.threads().find(|&thread| self.executor.thread(thread).name == *name);
            let taken = thread.map_or(&[][..], |thread| self.executor.inputs_taken(thread));
            values.iter().enumerate().all(|(position, inputs)| {
                let asked = taken.get(position).map(|taken| taken.0);
                inputs.iter().all(|input| input.is_first || asked == Some(input.site))
            })
        })
    }

    fn stopped(&mut self, stop: Stop) -> Ended {
        match stop {
            Stop::Violation(violation) => Ended::Violation(*violation, self.schedule()),
            Stop::NeedInput(request) => {
                let name = self.executor.thread(request.thread).name.clone();
                Ended::NeedInput(name, request)
            }
            Stop::Undecided(open) => Ended::Unknown(*open),
            Stop::NotEnabled | Stop::Cut | Stop::Ends(_) => {
                Ended::Unknown(Undecided::new(Why::no_meaning("a step that was planned is not possible")))
            }
        }
    }

    pub(crate) fn schedule(&self) -> Schedule {
        let mut taken = vec![StepNumber::NONE; self.executor.identities()];
        let steps = self.trace.events.iter().map(|event| {
            let thread = self.executor.thread(event.process.thread).name.clone();
            match event.process.step {
                StepNumber::NONE => {
                    let step = &mut taken[event.process.thread.index()];
                    *step = step.next();
                    Step::Run { thread, step: *step }
                }
                step => Step::Commit { thread, step },
            }
        });
        let steps = steps.collect();
        let program = fingerprint(self.question.program);
        let inputs = self.executor.threads().map(|thread| {
            let values = self.executor.inputs_taken(thread).iter().map(|taken| taken.1).collect();
            (self.executor.thread(thread).name.clone(), values)
        });
        let mut inputs: Vec<_> = inputs.filter(|(_, values): &(ThreadName, Vec<u64>)| !values.is_empty()).collect();
        inputs.sort();
        Schedule { model: self.question.model, program, steps, inputs }
    }
}
