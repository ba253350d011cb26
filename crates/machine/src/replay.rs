//! Replay: a schedule and a program determine an execution. Here, and nowhere else, a verdict becomes unsafe.

use crate::cycle::confirm_cycle;
use crate::liveness::{self, Turn};
use crate::machine::{Choice, Inputs, Machine, NoInputs, Request, Stop};
use crate::observe::{Happening, Observer, Scene, Unobserved};
use crate::state::State;
use crate::trace::{Printed, TraceBuilder};
use norn_ir::number::low_32;
use norn_ir::program::Program;
use norn_verdict::claim::{Claim, Mismatch, Referee, Ruling};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Counterexample, Violation, ViolationKind};
use norn_verdict::robustness::CyclicTrace;
use norn_verdict::schedule::{Schedule, Step, ThreadName, fingerprint};
use norn_verdict::trace::{EventIndex, ThreadIndex, Trace};
use norn_verdict::undecided::Undecided;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

#[derive(Clone, PartialEq, Debug)]
pub struct Replayed {
    pub end: End,
    /// Steps of the schedule that were taken; a violation ends the replay.
    pub steps: usize,
    pub trace: Trace,
    pub output: Vec<Printed>,
}

/// In which way an execution came to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    Violation(Violation),
    /// Every thread has ended, or the program has exited, with this status unless it was aborted.
    Ended {
        status: Option<i32>,
    },
    /// Nothing can happen any more, but some threads were stopped or wait.
    Blocked,
    /// More could happen.
    Unfinished,
}

/// Why a schedule is not one of this program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayError {
    OtherProgram {
        expected: u64,
        found: u64,
    },
    /// `index` counts steps of the schedule from 0.
    NoSuchThread {
        index: usize,
        thread: ThreadName,
    },
    /// The thread's next step has another number, or it has no pending store of that number.
    WrongNumber {
        index: usize,
        step: Step,
    },
    NotEnabled {
        index: usize,
        step: Step,
    },
    MissingInput {
        thread: ThreadName,
        source: String,
    },
    /// The machine cannot go on, for this reason.
    Stuck(Undecided),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |step: &Step| match step {
            Step::Run { thread, step } => format!("run {thread} {step}"),
            Step::Commit { thread, step } => format!("commit {thread} {step}"),
        };
        match self {
            ReplayError::OtherProgram { expected, found } => {
                write!(f, "the schedule is of program {found:016x}, this is program {expected:016x}")
            }
            ReplayError::NoSuchThread { index, thread } => write!(f, "step {}: there is no thread {thread}", index + 1),
            ReplayError::WrongNumber { index, step } => {
                write!(f, "step {}: '{}' is not the next of its thread", index + 1, line(step))
            }
            ReplayError::NotEnabled { index, step } => {
                write!(f, "step {}: '{}' cannot happen here", index + 1, line(step))
            }
            ReplayError::MissingInput { thread, source } => write!(f, "no value is left for '{source}' in {thread}"),
            ReplayError::Stuck(undecided) => write!(f, "the execution cannot go on: {undecided}"),
        }
    }
}

impl std::error::Error for ReplayError {}

/// The nondeterministic values of a schedule.
#[derive(Clone)]
pub struct Queue {
    values: BTreeMap<ThreadName, std::vec::IntoIter<u64>>,
    /// A value was given since this was looked at that does not come for ever.
    is_spurious: bool,
}

impl Queue {
    pub fn new(schedule: &Schedule) -> Queue {
        let mut values: BTreeMap<ThreadName, Vec<u64>> = BTreeMap::new();
        for (thread, list) in &schedule.inputs {
            values.entry(thread.clone()).or_default().extend(list);
        }
        let values = values.into_iter().map(|(thread, list)| (thread, list.into_iter())).collect();
        Queue { values, is_spurious: false }
    }
}

impl Inputs for Queue {
    fn next(&mut self, name: &ThreadName, request: &Request) -> Option<u64> {
        let value = self.values.get_mut(name)?.next()?;
        self.is_spurious |= request.source.is_spurious(value);
        Some(value)
    }
}

/// Runs a schedule to its end or to the first violation.
pub fn replay(program: &Program, checks: Checks, schedule: &Schedule) -> Result<Replayed, ReplayError> {
    replay_with(program, checks, schedule, Parked::Wrong, &mut |_, _, _| {})
}

/// Sees what happens, with the number of the event that it will be in the trace, if it becomes one.
pub(crate) type Onlooker<'a> = dyn FnMut(&Scene<'_>, &Happening<'_>, EventIndex) + 'a;

struct Watched<'a> {
    builder: TraceBuilder,
    onlooker: &'a mut Onlooker<'a>,
}

impl Observer for Watched<'_> {
    fn happened(&mut self, scene: &Scene<'_>, what: &Happening<'_>) {
        (self.onlooker)(scene, what, EventIndex::new(self.builder.trace.events.len()));
        self.builder.happened(scene, what);
    }
}

/// What to make of threads that stay where they are at the end, since their silent runs have no meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Parked {
    /// The schedule should have said more: it was to lead to a violation, or to the end of the program.
    Wrong,
    /// What happened before is all that is asked about.
    Fine,
}

/// Replays while somebody looks on.
pub(crate) fn replay_with<'a>(
    program: &Program,
    checks: Checks,
    schedule: &Schedule,
    parked: Parked,
    onlooker: &'a mut Onlooker<'a>,
) -> Result<Replayed, ReplayError> {
    replay_on(program, checks, schedule, parked, onlooker, None)
}

/// The same; with `further` the execution goes on after the schedule, all threads in turn, until it is seen never to end.
/// The steps are added to the list.
fn replay_on<'a>(
    program: &Program,
    checks: Checks,
    schedule: &Schedule,
    parked: Parked,
    onlooker: &'a mut Onlooker<'a>,
    further: Option<&mut Vec<Step>>,
) -> Result<Replayed, ReplayError> {
    let expected = fingerprint(program);
    if schedule.program != expected {
        return Err(ReplayError::OtherProgram { expected, found: schedule.program });
    }
    let machine = Machine::new(program, schedule.model, checks);
    let trace = Watched { builder: TraceBuilder::new(&machine), onlooker };
    let state = match machine.unsettled() {
        Ok(state) => state,
        Err(stop) => return ended_by(stop, 0, trace.builder, None),
    };
    let mut replay = Replay::new(&machine, state, schedule, trace);
    if let Err(stop) = replay.settle(ThreadIndex::MAIN) {
        return replay.ended_by(stop, 0, None);
    }
    for (index, step) in schedule.steps.iter().enumerate() {
        let choice = match choice_of(&replay.state, index, step) {
            Ok(choice) => choice,
            Err(error) => return Err(replay.parked_error().unwrap_or(error)),
        };
        if let Err(stop) = replay.step(choice, step) {
            return replay.ended_by(stop, index + 1, Some((index, step)));
        }
    }
    let mut steps = schedule.steps.len();
    if let Some(further) = further {
        let went_on = replay.go_on(further);
        steps += further.len();
        if let Err(stop) = went_on {
            let last = further.last().map(|step| (steps - 1, step));
            return replay.ended_by(stop, steps, last);
        }
    }
    if parked == Parked::Wrong
        && let Some(error) = replay.parked_error()
    {
        return Err(error);
    }
    let endless = replay.loop_at_the_end();
    let end = match end_of(&machine, &replay.state) {
        End::Violation(violation) => End::Violation(violation),
        _ if endless.is_some() => {
            let (event, violation) = endless.unwrap_or_else(|| unreachable!("it was looked at"));
            replay.trace.builder.trace.repeats_from = Some(event);
            End::Violation(violation)
        }
        end => end,
    };
    let TraceBuilder { trace, output, .. } = replay.trace.builder;
    Ok(Replayed { end, steps, trace, output })
}

/// Follows a schedule of SC under a weaker model, with each store committed right after the step that made it: the
/// schedule that does so, up to the first violation.
pub(crate) fn with_commits_at_once(
    program: &Program,
    checks: Checks,
    schedule: &Schedule,
    model: Model,
) -> Result<Schedule, Stop> {
    let machine = Machine::new(program, model, checks);
    let mut nobody = |_: &Scene<'_>, _: &Happening<'_>, _: EventIndex| {};
    let trace = Watched { builder: TraceBuilder::new(&machine), onlooker: &mut nobody };
    let mut replay = Replay::new(&machine, machine.unsettled()?, schedule, trace);
    let mut steps = Vec::new();
    match replay.commit_at_once(schedule, &mut steps) {
        Ok(()) | Err(Stop::Violation(_)) => Ok(Schedule { model, steps, ..schedule.clone() }),
        Err(stop) => Err(stop),
    }
}

/// A replay under way.
///
/// As in every execution of the machine a thread runs silently as soon as it can. But a schedule need not say how a
/// thread goes on after its last step in the schedule. An engine that follows a loop to a bound stops the thread there;
/// beyond, the thread may ask for values that nobody chose, or run into something that the machine cannot execute. Such
/// a thread is *parked*: it stays before its silent run, and the other threads go on. This is an execution of the
/// program all the same, since nothing makes a thread go on at a certain time. If the replay comes to no violation, the
/// schedule is wrong, and the reason is what kept the first parked thread from going on.
struct Replay<'a, 'w> {
    machine: &'a Machine<'a>,
    state: State,
    trace: Watched<'w>,
    inputs: Queue,
    /// By thread, the visible steps that are still to come.
    to_come: BTreeMap<&'a ThreadName, usize>,
    parked: Vec<(ThreadIndex, Stop)>,
    /// The steps so far, where termination is checked.
    turns: Option<Vec<Turn>>,
}

impl<'a, 'w> Replay<'a, 'w> {
    fn new(machine: &'a Machine<'a>, state: State, schedule: &'a Schedule, trace: Watched<'w>) -> Replay<'a, 'w> {
        let mut to_come: BTreeMap<&ThreadName, usize> = BTreeMap::new();
        for step in &schedule.steps {
            if let Step::Run { thread, .. } = step {
                *to_come.entry(thread).or_default() += 1;
            }
        }
        let turns = machine.checks.termination.then(Vec::new);
        Replay { machine, state, trace, inputs: Queue::new(schedule), to_come, parked: Vec::new(), turns }
    }
}

impl Replay<'_, '_> {
    fn step(&mut self, choice: Choice, step: &Step) -> Result<(), Stop> {
        if let Step::Run { thread, .. } = step
            && let Some(count) = self.to_come.get_mut(thread)
        {
            *count = count.saturating_sub(1);
        }
        let event = EventIndex::new(self.trace.builder.trace.events.len());
        let before = self.turns.is_some().then(|| self.state.clone());
        self.inputs.is_spurious = false;
        let taken = self.machine.act(&mut self.state, choice, &mut self.trace, &mut self.inputs)?;
        self.settle(choice.thread())?;
        if let (Some(turns), Some(before)) = (&mut self.turns, before) {
            let spurious = taken.spurious || self.inputs.is_spurious;
            turns.push(Turn { before, choice, spurious, event });
        }
        Ok(())
    }

    /// A fair loop in which the execution ends: its first event, and the violation that it is.
    fn loop_at_the_end(&self) -> Option<(EventIndex, Violation)> {
        let turns = self.turns.as_ref().filter(|_| self.parked.is_empty())?;
        let first = liveness::loop_of(self.machine, turns, &self.state)?;
        let moved = turns[first..].iter().filter_map(|turn| match turn.choice {
            Choice::Run(thread) => Some(thread),
            Choice::Commit { .. } => None,
        });
        let moved = moved.collect();
        Some((turns[first].event, liveness::violation(self.machine, &turns[first].before, &moved)))
    }

    /// Lets the threads go on in turn, after all stores have reached memory, until the execution is seen never to end, or
    /// to end, or for a while.
    fn go_on(&mut self, steps: &mut Vec<Step>) -> Result<(), Stop> {
        const MOST_ROUNDS: usize = 100;
        for _ in 0..MOST_ROUNDS {
            let before = steps.len();
            if self.loop_at_the_end().is_some() {
                break;
            }
            for thread in self.state.indices() {
                let oldest = |state: &State| state.threads[thread.index()].buffer.first().map(|entry| entry.step);
                while let Some(step) = oldest(&self.state) {
                    self.further(Choice::Commit { thread, step }, steps)?;
                }
                if liveness::can_step(self.machine, &self.state, thread) {
                    self.further(Choice::Run(thread), steps)?;
                }
            }
            if steps.len() == before {
                break;
            }
        }
        Ok(())
    }

    fn further(&mut self, choice: Choice, steps: &mut Vec<Step>) -> Result<(), Stop> {
        let owner = &self.state.threads[choice.thread().index()];
        let thread = (*owner.name).clone();
        let step = match choice {
            Choice::Run(_) => Step::Run { thread, step: owner.steps.next() },
            Choice::Commit { step, .. } => Step::Commit { thread, step },
        };
        steps.push(step.clone());
        self.step(choice, &step)
    }

    fn commit_at_once(&mut self, schedule: &Schedule, steps: &mut Vec<Step>) -> Result<(), Stop> {
        self.settle(ThreadIndex::MAIN)?;
        for (index, step) in schedule.steps.iter().enumerate() {
            let choice = choice_of(&self.state, index, step).map_err(|_| Stop::NotEnabled)?;
            steps.push(step.clone());
            self.step(choice, step)?;
            let thread = choice.thread();
            while let Some(entry) = self.state.threads[thread.index()].buffer.first() {
                let (name, number) = ((*self.state.threads[thread.index()].name).clone(), entry.step);
                let commit = Step::Commit { thread: name, step: number };
                steps.push(commit.clone());
                self.step(Choice::Commit { thread, step: number }, &commit)?;
            }
        }
        Ok(())
    }

    /// Lets every thread go on that can: the given one, then others in the order of creation.
    fn settle(&mut self, first: ThreadIndex) -> Result<(), Stop> {
        let mut next = self.can_go_on(first).then_some(first);
        loop {
            next = next.or_else(|| self.state.indices().find(|&thread| self.can_go_on(thread)));
            let Some(thread) = next.take() else { break };
            if !self.has_steps_to_come(thread)
                && let Some(stop) = self.could_not_go_on(thread)
            {
                self.parked.push((thread, stop));
                continue;
            }
            self.machine.settle(&mut self.state, thread, &mut self.trace, &mut self.inputs)?;
        }
        Ok(())
    }

    fn can_go_on(&self, thread: ThreadIndex) -> bool {
        let is_parked = self.parked.iter().any(|parked| parked.0 == thread);
        !is_parked && self.machine.can_go_on(&self.state, thread)
    }

    fn has_steps_to_come(&self, thread: ThreadIndex) -> bool {
        self.to_come.get(&*self.state.threads[thread.index()].name).is_some_and(|&count| count > 0)
    }

    /// What keeps a thread from going on silently, other than a violation.
    fn could_not_go_on(&self, thread: ThreadIndex) -> Option<Stop> {
        let (mut state, mut inputs) = (self.state.clone(), self.inputs.clone());
        match self.machine.settle(&mut state, thread, &mut Unobserved, &mut inputs) {
            Ok(()) | Err(Stop::Violation(_)) => None,
            Err(stop) => Some(stop),
        }
    }

    fn parked_error(&mut self) -> Option<ReplayError> {
        if self.parked.is_empty() {
            return None;
        }
        let (_, stop) = self.parked.swap_remove(0);
        error_of(stop, &self.trace.builder, None)
    }

    fn ended_by(mut self, stop: Stop, steps: usize, at: Option<(usize, &Step)>) -> Result<Replayed, ReplayError> {
        if !matches!(stop, Stop::Violation(_))
            && let Some(error) = self.parked_error()
        {
            return Err(error);
        }
        ended_by(stop, steps, self.trace.builder, at)
    }
}

/// How things stand in a state; a deadlock is a violation if it is checked for.
pub(crate) fn end_of(machine: &Machine<'_>, state: &State) -> End {
    if machine.checks.deadlock && machine.is_deadlock(state) {
        return End::Violation(machine.deadlock(state));
    }
    if let Some(leak) = machine.leak(state) {
        return End::Violation(leak);
    }
    if machine.checks.termination && liveness::is_stuck(machine, state) {
        return End::Violation(liveness::violation(machine, state, &BTreeSet::new()));
    }
    if state.is_complete() {
        let returned = if state.main_returned { low_32(state.threads[0].result.bits) as i32 } else { 0 };
        return End::Ended { status: state.exited.map_or(Some(returned), |exit| exit.status) };
    }
    let can_happen = |choice: Choice| {
        let mut copy = state.clone();
        let tried = machine.step(&mut copy, choice, &mut Unobserved, &mut NoInputs);
        !matches!(tried, Err(Stop::NotEnabled | Stop::Cut { .. }))
    };
    if machine.candidates(state).into_iter().any(can_happen) { End::Unfinished } else { End::Blocked }
}

fn choice_of(state: &State, index: usize, step: &Step) -> Result<Choice, ReplayError> {
    let (Step::Run { thread: name, .. } | Step::Commit { thread: name, .. }) = step;
    let Some(thread) = state.thread_named(name) else {
        return Err(ReplayError::NoSuchThread { index, thread: name.clone() });
    };
    let found = &state.threads[thread.index()];
    let (choice, fits) = match *step {
        Step::Run { step, .. } => (Choice::Run(thread), step.follows(found.steps)),
        Step::Commit { step, .. } => {
            (Choice::Commit { thread, step }, found.buffer.iter().any(|entry| entry.step == step))
        }
    };
    if fits { Ok(choice) } else { Err(ReplayError::WrongNumber { index, step: step.clone() }) }
}

fn ended_by(
    stop: Stop,
    steps: usize,
    trace: TraceBuilder,
    at: Option<(usize, &Step)>,
) -> Result<Replayed, ReplayError> {
    match stop {
        Stop::Violation(violation) => {
            Ok(Replayed { end: End::Violation(violation), steps, trace: trace.trace, output: trace.output })
        }
        stop => Err(error_of(stop, &trace, at).expect("what is no violation should be an error")),
    }
}

/// What is wrong with a schedule if its execution stops like this; `None` for a violation.
fn error_of(stop: Stop, trace: &TraceBuilder, at: Option<(usize, &Step)>) -> Option<ReplayError> {
    Some(match stop {
        Stop::Violation(_) => return None,
        Stop::NotEnabled | Stop::Cut { .. } => {
            let (index, step) = at.expect("a silent run should be enabled");
            ReplayError::NotEnabled { index, step: step.clone() }
        }
        Stop::NeedInput(Request { thread, source, .. }) => {
            use norn_ir::instr::NondetSource::{Input, Uninitialised};
            let (Input(source) | Uninitialised(source)) = source;
            ReplayError::MissingInput { thread: trace.trace.threads[thread.index()].name.clone(), source }
        }
        Stop::Undecided(undecided) => ReplayError::Stuck(undecided),
        Stop::Ends(_) => unreachable!("the machine should stop a thread that ends"),
    })
}

/// Adds zeros for inputs that a schedule lacks, and replays it. A replay that comes to no violation lets every thread run
/// silently as far as it can, so that it may ask for values which a method that runs threads later has not chosen yet.
/// With `further` it may go on after its end, to show that its execution never ends.
fn replay_completed(
    program: &Program,
    checks: Checks,
    schedule: &mut Schedule,
    further: bool,
) -> Result<Replayed, ReplayError> {
    const MOST: usize = 1000;
    let mut added = 0;
    loop {
        let mut steps = Vec::new();
        let more = further.then_some(&mut steps);
        match replay_on(program, checks, schedule, Parked::Wrong, &mut |_, _, _| {}, more) {
            Ok(replayed) => {
                schedule.steps.append(&mut steps);
                return Ok(replayed);
            }
            Err(ReplayError::MissingInput { thread, .. }) if added < MOST => {
                added += 1;
                match schedule.inputs.iter_mut().find(|(name, _)| *name == thread) {
                    Some((_, values)) => values.push(0),
                    None => {
                        schedule.inputs.push((thread, vec![0]));
                        schedule.inputs.sort();
                    }
                }
            }
            replayed => return replayed,
        }
    }
}

/// The schedule with zeros for the inputs that a replay would lack.
pub(crate) fn complete_inputs(program: &Program, checks: Checks, mut schedule: Schedule) -> Schedule {
    let _ = replay_completed(program, checks, &mut schedule, false);
    schedule
}

/// The one place where a verdict becomes unsafe: the schedule is replayed, and has to end in an expected violation. Steps
/// after the violation are dropped.
pub fn confirm(program: &Program, checks: Checks, claim: Claim) -> Ruling {
    let Claim { mut schedule, expected } = claim;
    let is_endless = checks.termination && expected.iter().any(|one| one.kind == ViolationKind::Nontermination);
    match replay_completed(program, checks, &mut schedule, is_endless) {
        Err(ReplayError::Stuck(undecided)) => Ruling::Open(undecided),
        Err(error) => Ruling::Fails(Mismatch::Refused(error.to_string())),
        Ok(Replayed { end: End::Violation(violation), steps, trace, .. })
            if expected.iter().any(|one| one.fits(&violation)) =>
        {
            schedule.steps.truncate(steps);
            Ruling::Holds(Box::new(Counterexample::replayed(violation, schedule, trace)))
        }
        Ok(Replayed { end, .. }) => {
            let found = match &end {
                End::Violation(violation) => violation.kind.phrase(),
                End::Ended { .. } => "an execution without a violation",
                End::Blocked => "a blocked execution without a violation",
                End::Unfinished => "an unfinished execution without a violation",
            };
            Ruling::Fails(Mismatch::Other { expected, found: found.to_owned() })
        }
    }
}

/// The machine, for engines.
pub struct Reference;

impl Referee for Reference {
    fn rule(&self, program: &Program, checks: Checks, claim: Claim) -> Ruling {
        confirm(program, checks, claim)
    }

    fn rule_on_cycle(&self, program: &Program, checks: Checks, schedule: Schedule) -> Result<CyclicTrace, Mismatch> {
        confirm_cycle(program, checks, complete_inputs(program, checks, schedule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{NONE, function, text, threads, violation};
    use norn_ir::ids::{GlobalId, TypeId};
    use norn_ir::span::Span;
    use norn_ir::types::{Display, Ty};
    use norn_verdict::outcome::ViolationKind;
    use norn_verdict::place::{Location, Object, ObjectKind, Value};
    use norn_verdict::trace::{EventKind, ReadFrom};

    /// Store buffering: fails where both loads read 0.
    fn program() -> Program {
        threads(
            "x y seen",
            &[
                "store i32 g0, 1\nr0 = load g1\nr0 = xor r0, 1\nstore i32 g2, r0",
                "store i32 g1, 1\nr0 = load g0\nr0 = xor r0, 1\nr1 = load g2\nr0 = and r0, r1\n\
                 r4 = eq i32 r0, 0\nassert r4 assertion \"not both\"",
            ],
        )
    }

    fn schedule(program: &Program, lines: &str) -> Schedule {
        let lines: String = lines.split(", ").filter(|l| !l.is_empty()).map(|line| format!("{line}\n")).collect();
        let text = format!("norn-schedule 1\nmodel tso\nprogram {:016x}\n{lines}end\n", fingerprint(program));
        text.parse().expect("it should be a schedule")
    }

    fn replayed(lines: &str) -> Result<End, String> {
        let program = program();
        replay(&program, NONE, &schedule(&program, lines)).map(|r| r.end).map_err(|error| error.to_string())
    }

    const BUG: &str = "run main 1, run main 2, run main.2 1, run main.2 2, run main.1 1, run main.1 2, run main.1 3, commit main.1 1, \
                       commit main.1 3, run main.2 3";

    #[test]
    fn a_schedule_runs_to_its_violation() {
        assert!(matches!(replayed(BUG), Ok(End::Violation(v)) if v.kind == ViolationKind::Assertion));
        let committed = "run main 1, run main.1 1, commit main.1 1, run main 2, run main.1 2, run main.1 3, run main.2 1, run main.2 2, run main.2 3";
        assert_eq!(replayed(committed), Ok(End::Unfinished));
        let all = format!("{committed}, commit main.1 3, commit main.2 1");
        assert_eq!(replayed(&all), Ok(End::Ended { status: Some(0) }));
    }

    #[test]
    fn a_wrong_schedule_is_refused() {
        let check = |lines: &str, part: &str| {
            let error = replayed(lines).expect_err("it should be refused");
            assert!(error.contains(part), "{error}");
        };
        check("run main.3 1", "there is no thread main.3");
        check("run main.1 1", "there is no thread main.1");
        check("run main 1, run main.1 2", "step 2: 'run main.1 2' is not the next of its thread");
        check("run main 1, run main.1 1, run main.1 1", "step 3: 'run main.1 1' is not the next");
        check("run main 1, commit main.1 1", "'commit main.1 1' is not the next");
        check(
            "run main 1, run main.1 1, run main.1 2, run main.1 3, commit main.1 3",
            "step 5: 'commit main.1 3' cannot happen here",
        );
        check("run main 1, run main 2, run main 3", "'run main 3' cannot happen here");
        let mut other = schedule(&program(), BUG);
        other.program ^= 1;
        assert!(matches!(replay(&program(), NONE, &other), Err(ReplayError::OtherProgram { .. })));
    }

    #[test]
    fn inputs_come_from_the_schedule() {
        let program = threads("x", &["r0 = nondet input \"rand\"\nr4 = eq i32 r0, 7\nassert r4 assertion \"\""]);
        let end = |lines: &str| replay(&program, NONE, &schedule(&program, lines)).map(|r| r.end);
        let missing = ReplayError::MissingInput { thread: ThreadName::main().child(1), source: "rand".to_owned() };
        assert_eq!(end(""), Ok(End::Unfinished));
        assert_eq!(end("run main 1"), Err(missing));
        assert_eq!(end("input main.1 7, run main 1"), Ok(End::Ended { status: Some(0) }));
        assert!(matches!(end("input main.1 8, run main 1"), Ok(End::Violation(_))));
    }

    #[test]
    fn a_creation_is_a_step_that_waits_for_the_own_stores() {
        let program = text(&format!(
            "global g0 \"x\": t0\n{}{}",
            function(0, "main", "store i32 g0, 1\nr7 = spawn f1()"),
            function(1, "t", "r0 = load g0\nr4 = eq i32 r0, 0\nassert r4 assertion \"\"")
        ));
        let end = |lines: &str| replay(&program, NONE, &schedule(&program, lines)).map(|r| r.end);
        let too_soon = "run main 1, run main 2";
        assert!(matches!(end(too_soon), Err(ReplayError::NotEnabled { index: 1, .. })));
        assert_eq!(end("run main 1, commit main 1, run main 2"), Ok(End::Unfinished));
        assert!(matches!(end("run main 1, commit main 1, run main 2, run main.1 1"), Ok(End::Violation(_))));
    }

    #[test]
    fn a_thread_that_the_schedule_leaves_need_not_go_on() {
        // What main does after its last step in the schedule is not for the schedule to know.
        let asks = "r0 = nondet input \"rand\"\nr4 = eq i32 r0, 7\nassert r4 assertion \"main\"";
        let endless = "b0:\nr8 = spawn f1()\nr7 = copy 0\ngoto b1\nb1:\nr7 = add r7, 1\ngoto b1";
        let unsupported = "b0:\nr8 = spawn f1()\nunsupported \"setjmp\"";
        let stores = "store i32 g0, 1\nassert false error_call \"\"";
        for main in [&format!("r7 = spawn f1()\n{asks}"), endless, unsupported] {
            let program =
                text(&format!("global g0 \"x\": t0\n{}{}", function(0, "main", main), function(1, "t", stores)));
            let end = |lines: &str| replay(&program, NONE, &schedule(&program, lines)).map(|r| r.end);
            let found = end("run main 1, run main.1 1");
            assert!(matches!(&found, Ok(End::Violation(v)) if v.kind == ViolationKind::ErrorCall), "{found:?}");
            // Without a violation it does matter.
            assert!(matches!(end("run main 1"), Err(ReplayError::MissingInput { .. } | ReplayError::Stuck(_))));
        }
        // What it can do, it does.
        let program = text(&format!(
            "global g0 \"x\": t0\n{}{}",
            function(0, "main", &format!("r7 = spawn f1()\n{asks}")),
            function(1, "t", stores)
        ));
        let found = replay(&program, NONE, &schedule(&program, "input main 3, run main 1, run main.1 1"));
        assert!(matches!(found.map(|r| r.end), Ok(End::Violation(v)) if v.kind == ViolationKind::Assertion));
    }

    #[test]
    fn only_what_replays_is_confirmed() {
        let program = program();
        let finding = violation(&program, Model::Tso, NONE).expect("TSO shows it");
        assert_eq!(violation(&program, Model::Sc, NONE), None);
        let rule = |lines: &str, expected: &Violation| {
            let claim = Claim { schedule: schedule(&program, lines), expected: vec![expected.into()] };
            Reference.rule(&program, NONE, claim)
        };
        let longer = format!("{BUG}, commit main.2 1");
        match rule(&longer, &finding.violation) {
            Ruling::Holds(found) => {
                assert_eq!(found.schedule().steps.len(), 10, "steps after the violation should be dropped");
                assert_eq!(*found.violation(), finding.violation);
            }
            other => panic!("{other:?}"),
        }
        let other = Violation { kind: ViolationKind::Deadlock, ..finding.violation.clone() };
        let elsewhere = Violation { span: Span { line: 77, ..finding.violation.span }, ..finding.violation.clone() };
        for expected in [&other, &elsewhere] {
            assert!(matches!(rule(BUG, expected), Ruling::Fails(Mismatch::Other { .. })));
        }
        assert!(matches!(rule("run main 1", &finding.violation), Ruling::Fails(Mismatch::Other { .. })));
        assert!(matches!(rule("run main.1 2", &finding.violation), Ruling::Fails(Mismatch::Refused(_))));
    }

    #[test]
    fn a_trace_tells_where_values_came_from() {
        let program = threads("x a", &["store i32 g0, 1\nr0 = load g0\nstore i32 g1, r0", "r0 = load g0"]);
        let lines = "run main 1, run main 2, run main.1 1, run main.1 2, commit main.1 1, run main.2 1";
        let trace = replay(&program, NONE, &schedule(&program, lines)).expect("it should run").trace;
        let names: Vec<String> = trace.threads.iter().map(|t| format!("{} {}", t.name, t.function)).collect();
        assert_eq!(names, ["main main", "main.1 thread1", "main.2 thread2"]);
        let accesses: Vec<&EventKind> = trace
            .events
            .iter()
            .map(|event| &event.kind)
            .filter(|kind| matches!(kind, EventKind::Read { .. } | EventKind::Write { .. } | EventKind::Commit { .. }))
            .collect();
        let write = trace.events.iter().position(|e| matches!(e.kind, EventKind::Write { .. })).expect("a write");
        let kind = ObjectKind::Global(GlobalId(0));
        let object = Object { kind, owner: ThreadIndex::MAIN, ty: Some(TypeId(0)), size: 4, made_at: Span::NONE };
        let location = Location { object, offset: 0, size: 4 };
        let value = Value::Number { ty: Ty::I32, display: Display::Signed, bits: 1 };
        let read = |forwarded: bool| EventKind::Read {
            location,
            value,
            from: ReadFrom::Event { event: EventIndex::new(write), forwarded },
        };
        let written = EventKind::Write { location, value, buffered: true };
        let commit = EventKind::Commit { location, value, write: EventIndex::new(write) };
        assert_eq!(accesses, [&written, &read(true), &commit, &read(false)]);
    }
}
