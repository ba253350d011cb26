//! Depth first. A stored state is on the stack or done.
//!
//! **Reduction.** Where [`crate::reduce`] names a step that is independent of everything that may happen before it, only
//! that step is taken, unless it leads back to a state on the stack: then all steps are taken, or a loop could put off
//! the steps of others for ever. This keeps every violation that a step commits, and every deadlock.

use crate::absorb::Marks;
use crate::fair::{Edge, Graph, Lasso, MOST_THREADS};
use crate::reduce::Reducer;
use crate::vector::Problem;
use crate::walk::{Ability, Choice, Chosen, Halt, Point, Setting, Walk, next_values};
use norn_engine::capabilities::STATES;
use norn_exec::{Executor, Stop};
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::outcome::{Assumption, Reached, Violation};
use norn_verdict::pace::{Due, Pace};
use norn_verdict::progress::Report;
use norn_verdict::schedule::Schedule;
use norn_verdict::undecided::{Undecided, Why};

/// Figures of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub states: u64,
    /// Steps that turned out to be possible.
    pub transitions: u64,
    /// Of the search stack.
    pub depth: u64,
    /// Bytes that the stored states take.
    pub bytes: u64,
    /// States in which one step was enough.
    pub reduced: u64,
}

/// How a search ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Ended {
    Everything,
    Violation(Violation, Schedule),
    /// A fair loop: schedules that go round once, twice, … The reference machine compares dead registers and memory that
    /// is gone, too, so that the first round may not come back to the same state.
    Endless(Vec<Schedule>),
    /// A limit was reached.
    Exceeded(Exceeded),
    /// States have to be stored otherwise.
    Problem(Problem),
}

/// What a search found out.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    pub ended: Ended,
    pub counts: Counts,
    /// The first thing that could not be decided.
    pub incomplete: Option<Undecided>,
    /// A store was cut because its buffer was full.
    pub buffer_full: bool,
    /// A thread was not created because there were enough.
    pub threads_full: bool,
    /// Whether some execution reached the cut, for each cut of the code.
    pub cuts: Vec<bool>,
    /// What some execution met and is assumed not to happen.
    pub assumptions: Vec<Assumption>,
    /// What executions came to.
    pub reached: Reached,
}

/// Called in the final state of each complete execution.
pub type AtEnd<'f> = dyn FnMut(&Executor<'_>) + 'f;

struct Frame {
    point: Point,
    state: u32,
    /// What was tried last.
    last: Option<Choice>,
    /// The values that the last choice was tried with, as far as there are others.
    chosen: Vec<Chosen>,
    /// The step that is enough.
    only: Option<Choice>,
    /// Everything has to be tried.
    full: bool,
    /// Something other than a spurious wake-up can happen.
    goes_on: bool,
}

pub struct Search<'a, 'f> {
    walk: Walk<'a>,
    limits: &'a Limits,
    reducer: Option<Reducer<'a>>,
    frames: Vec<Frame>,
    /// By state: whether it is on the stack.
    on_stack: Vec<bool>,
    counts: Counts,
    incomplete: Option<Undecided>,
    pace: Pace,
    /// With so many states the search ends, because it has to begin anew.
    last_state: u64,
    /// What is taken along was compared with what it costs.
    is_weighed: bool,
    /// Where termination is asked about.
    graph: Option<Looking>,
    at_end: &'f mut AtEnd<'f>,
}

/// All states and steps, and with how many states it is looked at them next.
struct Looking {
    seen: Graph,
    next_look: usize,
}

/// Reports come after so many steps. Steps of large states take long: after a few the clock is looked at.
pub fn pace() -> Pace {
    Pace::new(1024, 16)
}

/// So many states are looked at for loops first, then twice as many, and so on.
const FIRST_LOOK: usize = 1 << 10;
/// A search that has to begin anew goes on until it has so many states.
const FEWEST_STATES: u64 = 1 << 8;
/// With so many states it is asked whether it is worth while to take accesses along.
const STATES_TO_WEIGH: usize = 1 << 13;
/// It is if so many are taken along with so many steps.
const FEWEST_ALONG: (u64, u64) = (2, 5);
/// So often a schedule goes round in a loop at most.
const MOST_ROUNDS: usize = 3;

/// Searches all states of the setting.
pub fn search<'a, 'f>(setting: Setting<'a>, limits: &'a Limits, marks: &mut Marks, at_end: &'f mut AtEnd<'f>) -> Found {
    let mut walk = match Walk::new(setting) {
        Ok(walk) => walk,
        Err(halt) => return not_begun(halt, setting),
    };
    if let Some(absorber) = &mut walk.absorber {
        marks.begin();
        absorber.marks = std::mem::take(marks);
    }
    let futures = setting.futures.filter(|_| setting.reductions.persistent);
    let mut search = Search {
        walk,
        limits,
        reducer: futures.map(|futures| Reducer::new(setting.program, setting.code, futures)),
        frames: Vec::new(),
        on_stack: Vec::new(),
        counts: Counts::default(),
        incomplete: None,
        pace: pace(),
        last_state: u64::MAX,
        is_weighed: false,
        graph: setting.checks.termination.then(|| Looking { seen: Graph::default(), next_look: FIRST_LOOK }),
        at_end,
    };
    let mut ended = search.run();
    if matches!(ended, Ended::Everything | Ended::Exceeded(_))
        && let Some(endless) = search.endless()
    {
        ended = endless;
    }
    let Search { walk, mut counts, incomplete, .. } = search;
    let incomplete = incomplete.or_else(|| walk.executor.doubt().cloned());
    counts.states = walk.vector.states() as u64;
    counts.bytes = walk.vector.size() as u64;
    let cuts = walk.executor.cuts().map(|(_, reached)| reached).collect();
    let assumptions = walk.executor.assumptions().collect();
    let reached = walk.executor.reached();
    let Walk { buffer_full, threads_full, absorber, .. } = walk;
    if let Some(absorber) = absorber {
        *marks = absorber.marks;
    }
    Found { ended, counts, incomplete, buffer_full, threads_full, cuts, assumptions, reached }
}

/// Tells whoever watches how far the search has come.
pub fn report(limits: &Limits, states: u64, frontier: &'static str, length: u64) {
    if limits.progress.is_watched() {
        let figures = &[(frontier, length)];
        limits.progress.report(&Report { engine: STATES.name, count: ("states", states), figures, done: None });
    }
}

/// There was no room for the first state.
pub fn not_begun(halt: Halt, setting: Setting<'_>) -> Found {
    let mut found = Found {
        ended: Ended::Everything,
        counts: Counts::default(),
        incomplete: None,
        buffer_full: false,
        threads_full: false,
        cuts: vec![false; setting.code.cuts.len()],
        assumptions: Vec::new(),
        reached: Reached::default(),
    };
    match halt {
        Halt::Problem(problem) => found.ended = Ended::Problem(problem),
        halt => found.incomplete = Some(undecided(halt)),
    }
    found
}

/// Why something could not be decided.
pub fn undecided(halt: Halt) -> Undecided {
    match halt {
        Halt::Stop(Stop::Undecided(open)) => *open,
        Halt::Wide { name, span } => Undecided { why: Why::TooManyValues { source: name }, place: span },
        Halt::Stop(_) | Halt::Problem(_) => Undecided::new(Why::no_meaning("the program cannot begin")),
    }
}

impl Search<'_, '_> {
    fn run(&mut self) -> Ended {
        let point = self.walk.point();
        let root = Frame {
            point,
            state: 0,
            last: None,
            chosen: Vec::new(),
            only: Some(Choice::Start),
            full: false,
            goes_on: true,
        };
        self.frames.push(root);
        loop {
            let Some(choice) = self.next_choice() else {
                if let Some(ended) = self.finish() {
                    return ended;
                }
                if self.frames.is_empty() {
                    return match self.last_state {
                        u64::MAX => Ended::Everything,
                        _ => Ended::Problem(Problem::Conflict),
                    };
                }
                continue;
            };
            let due = self.pace.step();
            if due == Due::Report {
                report(self.limits, self.on_stack.len() as u64, "stack", self.frames.len() as u64);
            }
            if due != Due::Nothing
                && let Some(exceeded) = self.limits.exceeded()
            {
                return Ended::Exceeded(exceeded);
            }
            if let Some(ended) = self.take(choice) {
                return ended;
            }
            if self.has_to_begin_anew() {
                return Ended::Problem(Problem::Conflict);
            }
            if self.absorbs_little() {
                return Ended::Problem(Problem::NotWorthIt);
            }
        }
    }

    /// Whether so little is taken along that it costs more than it saves; asked once.
    fn absorbs_little(&mut self) -> bool {
        let Some(absorber) = self.walk.absorber.as_ref().filter(|_| !self.is_weighed) else { return false };
        if self.on_stack.len() < STATES_TO_WEIGH {
            return false;
        }
        self.is_weighed = true;
        let (along, steps) = FEWEST_ALONG;
        absorber.along * steps < self.counts.transitions * along
    }

    /// Whether something was absorbed that should not have been. The search goes on for a while to find more of that.
    fn has_to_begin_anew(&mut self) -> bool {
        let states = self.on_stack.len() as u64;
        if self.last_state == u64::MAX && self.walk.absorber.as_ref().is_some_and(|a| a.marks.conflicts() > 0) {
            self.last_state = (states * 2).max(FEWEST_STATES);
        }
        states >= self.last_state
    }

    /// What to try next in the topmost state, in which the walk is.
    fn next_choice(&mut self) -> Option<Choice> {
        let frame = self.frames.last_mut()?;
        if next_values(&mut frame.chosen) {
            return frame.last;
        }
        if let Some(only) = frame.only {
            if frame.last.is_none() {
                frame.last = Some(only);
                return Some(only);
            }
            if !frame.full {
                return None;
            }
            // From here on everything; the one step is tried once more, which changes nothing.
            (frame.last, frame.only) = (None, None);
        }
        let last = frame.last;
        let next = self.walk.next_candidate(last)?;
        self.frames.last_mut()?.last = Some(next);
        Some(next)
    }

    /// Tries a choice; whether that ends the search.
    fn take(&mut self, choice: Choice) -> Option<Ended> {
        let commits = self.graph.as_ref().and_then(|_| self.walk.store_of(choice));
        let frame = self.frames.last_mut()?;
        let (point, from) = (frame.point, frame.state);
        let enough = frame.only.is_some();
        match self.walk.step(choice, enough, &mut frame.chosen) {
            Ok(()) => {
                self.counts.transitions += u64::from(choice != Choice::Start);
                let was_spurious = self.walk.was_spurious;
                frame.goes_on |= !was_spurious;
                let inputs: Box<[u64]> = frame.chosen.iter().map(Chosen::value).collect();
                let spurious = was_spurious || frame.chosen.iter().any(Chosen::is_spurious);
                let moved = self.walk.moved_since(point);
                let to = match self.arrive() {
                    Ok(state) => state,
                    Err(ended) => return Some(ended),
                };
                let graph = self.graph.as_mut()?;
                match choice {
                    Choice::Start => graph.seen.add_start(to, inputs),
                    _ => graph.seen.add_edge(Edge { from, to, choice, moved, commits, spurious, inputs }),
                }
                if let (Choice::Run(thread), false) = (choice, was_spurious) {
                    graph.seen.can_step(from, thread.index());
                }
                return self.look();
            }
            Err(Halt::Stop(Stop::NotEnabled)) => {
                frame.full = true;
                // It may have been possible, but not looked at.
                frame.goes_on |= self.walk.absorber.as_ref().is_some_and(|a| a.marks.conflicts() > 0);
            }
            // With a larger bound it would go on.
            Err(Halt::Stop(Stop::Cut)) => (frame.full, frame.goes_on) = (true, true),
            Err(Halt::Stop(Stop::Violation(violation))) => {
                return Some(Ended::Violation(*violation, self.walk.schedule()));
            }
            Err(Halt::Problem(problem)) => return Some(Ended::Problem(problem)),
            Err(halt) => {
                frame.goes_on = true;
                frame.full = true;
                if matches!(halt, Halt::Wide { .. }) {
                    // The values chosen so far cannot be completed.
                    frame.chosen.clear();
                }
                self.incomplete.get_or_insert_with(|| undecided(halt));
            }
        }
        self.walk.back_to(point);
        None
    }

    /// The walk is in a state that may be new.
    fn arrive(&mut self) -> Result<u32, Ended> {
        let (state, new) = self.walk.state().map_err(Ended::Problem)?;
        if !new {
            if let Some(frame) = self.frames.last_mut() {
                frame.full |= self.on_stack[state as usize];
                self.walk.back_to(frame.point);
            }
            return Ok(state);
        }
        self.on_stack.push(true);
        if self.walk.executor.is_complete() {
            if let Some(violation) = self.walk.executor.leak() {
                return Err(Ended::Violation(violation, self.walk.schedule()));
            }
            (self.at_end)(&self.walk.executor);
        }
        let full = self.note_abilities();
        let only = self.reducer.as_mut().and_then(|reducer| reducer.choose(&mut self.walk)).filter(|_| !full);
        self.counts.reduced += u64::from(only.is_some());
        let point = self.walk.point();
        self.frames.push(Frame { point, state, last: None, chosen: Vec::new(), only, full: false, goes_on: false });
        self.counts.depth = self.counts.depth.max(self.frames.len() as u64);
        Ok(state)
    }

    /// Notes who can go on in the new state, where termination is asked about; whether only trying everything can tell.
    fn note_abilities(&mut self) -> bool {
        let Some(graph) = &mut self.graph else { return false };
        let (mut enabled, mut depends) = (0, false);
        for number in self.walk.executor.numbers() {
            let ability = self.walk.ability(self.walk.executor.identity(number));
            depends |= ability == Ability::Depends;
            if ability == Ability::Can && number.index() < MOST_THREADS {
                enabled |= 1 << number.index();
            }
        }
        if self.walk.executor.thread_count() > MOST_THREADS {
            let why = Why::too_large("there are too many threads to look for executions that never end");
            self.incomplete.get_or_insert_with(|| Undecided::new(why));
        }
        let may_go_on = self.walk.executor.may_go_on() && self.walk.executor.thread_count() <= MOST_THREADS;
        graph.seen.add_state(may_go_on, enabled, self.walk.pending());
        depends
    }

    /// Looks for a fair loop if there are many more states than when it was looked for last.
    fn look(&mut self) -> Option<Ended> {
        let graph = self.graph.as_mut()?;
        if graph.seen.len() < graph.next_look {
            return None;
        }
        graph.next_look *= 2;
        self.endless()
    }

    /// A fair loop among what was seen.
    fn endless(&self) -> Option<Ended> {
        let Lasso { start, stem, round } = self.graph.as_ref()?.seen.endless()?;
        let follow = |rounds: usize| {
            let mut walk = Walk::new(self.walk.setting)?;
            walk.repeat(Choice::Start, start)?;
            for edge in stem.iter().chain(std::iter::repeat_n(&round, rounds).flatten()) {
                walk.repeat(edge.choice, &edge.inputs)?;
            }
            Ok::<_, Halt>(walk.schedule())
        };
        let followed = (1..=MOST_ROUNDS).map(follow).collect::<Result<Vec<_>, _>>();
        Some(Ended::Endless(followed.expect("steps that were possible should be possible again")))
    }

    /// Everything was tried in the topmost state.
    fn finish(&mut self) -> Option<Ended> {
        let frame = self.frames.pop()?;
        if self.frames.is_empty() {
            return None;
        }
        if !frame.goes_on && self.walk.is_deadlock() {
            return Some(Ended::Violation(self.walk.executor.deadlock(), self.walk.schedule()));
        }
        if !frame.goes_on && self.walk.is_stuck() {
            return Some(Ended::Endless(vec![self.walk.schedule()]));
        }
        self.on_stack[frame.state as usize] = false;
        if let Some(below) = self.frames.last() {
            self.walk.back_to(below.point);
        }
        None
    }
}
