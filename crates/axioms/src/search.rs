//! Every execution of a program within bounds on its loops, step by step.
//!
//! A step chooses an input, or what one read reads from. All threads then run as far as they can (see [`crate::run`]): reads
//! that are not chosen yet do not hold up what does not need them. So an execution is built in an order that follows
//! dependencies and the reading of values, which every model without values out of thin air has. A read may also be left
//! for later: then it reads from none of the writes that are there now. So every execution is met once.
//!
//! A part of an execution that the model forbids is dropped ([`norn_cat::Model::holds_of_parts`]). A violation is looked at
//! as soon as it shows: the other threads then stop where they first need what is still open.

use std::rc::Rc;

use norn_cat::{Model, Stage};
use norn_ir::types::Ty;
use norn_passes::Site;
use norn_verdict::limits::{Exceeded, Limits};
use norn_verdict::outcome::{Assumption, Checks, Violation};
use norn_verdict::undecided::{Undecided, Why};
use std::collections::{BTreeMap, BTreeSet};

use crate::confirm::{self, Claim, Confirmed, Mismatch, confirm, doubtful};
use crate::event::{Answer, Cell, End, Event, EventId, Kind, Question, Source, Trace};
use crate::graph::Graph;
use crate::loops::{LoopWatch, Loops, Policy};
use crate::memory::Base;
use crate::order;
use crate::run::Watch;
use crate::tables::Table;
use crate::world::{Told, Unsettled, World};

/// What does not change during a search.
pub struct Setting<'q> {
    pub base: &'q Base<'q>,
    pub model: &'q Model,
    pub table: Table,
    pub checks: Checks,
    /// The values of inputs that are enough.
    pub domains: &'q BTreeMap<Site, Vec<u64>>,
    pub limits: &'q Limits,
}

/// What a search found.
#[derive(Default)]
pub struct Found {
    pub witness: Option<Confirmed>,
    pub doubt: Option<Undecided>,
    pub exceeded: Option<Exceeded>,
    pub assumptions: BTreeSet<Assumption>,
    /// Executions that are whole, and all that were looked at.
    pub executions: u64,
    pub steps: u64,
}

pub struct Search<'q> {
    setting: &'q Setting<'q>,
    loops: Rc<Loops<'q>>,
    policy: Policy<'q>,
    /// Whether the model says of executions that they have a data race.
    races: bool,
    found: Found,
}

/// A read of a thread, and the question that it asks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ask {
    thread: usize,
    question: usize,
}

/// What has been chosen, and what reads that are still open do not read from.
#[derive(Clone)]
struct State {
    told: Told,
    excluded: BTreeMap<Ask, BTreeSet<Source>>,
}

/// Why the search ends before it is done: it has found what it looks for, or a limit was reached.
struct Over;

impl<'q> Search<'q> {
    pub fn new(setting: &'q Setting<'q>, loops: Rc<Loops<'q>>, policy: Policy<'q>) -> Search<'q> {
        let races = setting.model.checks.iter().any(|check| check.flag && check.name == confirm::RACE);
        Search { setting, loops, policy, races, found: Found::default() }
    }

    pub fn run(mut self) -> Result<Found, Mismatch> {
        let state = State { told: Told::nothing(), excluded: BTreeMap::new() };
        let world = World::new(self.setting.base, self.setting.table, &state.told);
        match self.explore(state, world, 0) {
            Ok(()) | Err(Stop::Over(Over)) => Ok(self.found),
            Err(Stop::Wrong(mismatch)) => Err(mismatch),
        }
    }

    /// `before` is the world without the last choice, which was one for that thread.
    fn explore(&mut self, mut state: State, before: World<'q>, thread: usize) -> Result<(), Stop> {
        self.found.steps += 1;
        if let Some(exceeded) = self.setting.limits.exceeded() {
            self.found.exceeded = Some(exceeded);
            return Err(Stop::Over(Over));
        }
        let Setting { checks, model, .. } = *self.setting;
        let (loops, policy) = (Rc::clone(&self.loops), self.policy.clone());
        let mut watch = || Box::new(LoopWatch::new(Rc::clone(&loops), policy.clone())) as Box<dyn Watch + 'q>;
        let stale = (0..state.told.parents.len()).map(|other| other == thread).collect();
        let world = match before.settle(checks, &mut state.told, stale, true, &mut watch) {
            Ok(world) => world,
            Err(Unsettled::Dead) => return Ok(()),
            Err(Unsettled::TooMuch) => {
                self.doubt(Undecided::new(Why::too_large("an execution has too many threads, or does not settle")));
                return Ok(());
            }
        };
        for (answers, trace) in state.told.answers.iter_mut().zip(&world.traces) {
            for question in &trace.questions[answers.len().min(trace.questions.len())..] {
                match question {
                    Question::Read(_) => answers.push(Answer::Source(None)),
                    Question::Success | Question::Input { .. } => break,
                }
            }
        }
        if !self.is_possible(&world, &state.told) {
            return Ok(());
        }
        if let Some((span, words)) = doubtful(&world) {
            self.doubt(Undecided::at(Why::no_meaning(words), span));
            return Ok(());
        }
        for trace in &world.traces {
            self.found.assumptions.extend(&trace.assumptions);
            if let End::Doubt(undecided) = &trace.end {
                self.doubt(undecided.clone());
            }
        }
        for (thread, trace) in world.traces.iter().enumerate() {
            if let End::Violation(violation) = &trace.end {
                self.claim(&world, &state.told, Some((thread, violation)))?;
            }
        }
        self.choose(&world, state, model)
    }

    /// Whether what is chosen fits together, and the model may allow it.
    fn is_possible(&self, world: &World<'_>, told: &Told) -> bool {
        let mut fits = true;
        let pending = |id: EventId, event: &Event| {
            event.kind == Kind::Read && confirm::source(event, &told.answers[id.thread]).is_none()
        };
        let mut graph = Graph::new(
            world,
            &|id, event| id.index < world.traces[id.thread].open_from && !pending(id, event),
            &|id, event| confirm::source(event, &told.answers[id.thread]),
        );
        for number in 0..graph.nodes.len() {
            if graph.kind(number) == Kind::Read {
                fits &= graph.reads_from[number]
                    .is_some_and(|from| graph.kind(from) == Kind::Write && graph.cell(from) == graph.cell(number));
            }
        }
        fits && order::may_be_part(&mut graph, self.setting.model)
    }

    /// The next step, in all ways.
    fn choose(&mut self, world: &World<'q>, mut state: State, model: &Model) -> Result<(), Stop> {
        let asks = world.traces.iter().position(|trace| trace.end == End::NeedsAnswer && self.values(trace).is_some());
        if let Some(thread) = asks {
            for value in self.values(&world.traces[thread]).unwrap_or_default() {
                let mut next = state.clone();
                next.told.answers[thread].push(Answer::Value(value));
                self.explore(next, world.clone(), thread)?;
            }
            return Ok(());
        }
        for trace in world.traces.iter().filter(|trace| trace.end == End::NeedsAnswer) {
            if let Some(Question::Input { name, .. }) = trace.questions.last() {
                self.doubt(Undecided::new(Why::TooManyValues { source: name.clone() }));
            }
        }
        let mut open: Vec<(Ask, Vec<Source>)> = Vec::new();
        for (thread, trace) in world.traces.iter().enumerate() {
            for (index, event) in trace.events.iter().enumerate() {
                let Some(question) = event.asked else { continue };
                if state.told.answers[thread].get(question) != Some(&Answer::Source(None)) {
                    continue;
                }
                let ask = Ask { thread, question };
                let known = state.excluded.get(&ask);
                let mut sources = sources(world, EventId { thread, index }, event.cell);
                sources.retain(|source| known.is_none_or(|known| !known.contains(source)));
                if !sources.is_empty() {
                    open.push((ask, sources));
                }
            }
        }
        let Some((ask, sources)) = open.into_iter().min_by_key(|(_, sources)| sources.len()) else {
            return self.leaf(world, &state.told, model);
        };
        for &source in sources.iter().rev() {
            let mut next = state.clone();
            next.told.answers[ask.thread][ask.question] = Answer::Source(Some(source));
            next.excluded.remove(&ask);
            self.explore(next, world.clone(), ask.thread)?;
        }
        // Later writes come only from threads that are not at their end. Who waits for the end of the reading thread writes what
        // it cannot read.
        let may_write = |thread: usize| world.traces[thread].end.is_open() && !waits_for(world, thread, ask.thread);
        if (0..world.traces.len()).any(may_write) {
            state.excluded.entry(ask).or_default().extend(sources);
            return self.choose(world, state, model);
        }
        Ok(())
    }

    /// The values that answer the last question of a thread; `None`: too many.
    fn values(&self, trace: &Trace) -> Option<Vec<u64>> {
        match trace.questions.last()? {
            Question::Success => Some(vec![1, 0]),
            Question::Input { ty: Ty::Bool, .. } => Some(vec![0, 1]),
            Question::Input { site, .. } => self.setting.domains.get(site).cloned(),
            Question::Read(_) => None,
        }
    }

    /// Nothing is left to choose.
    fn leaf(&mut self, world: &World<'_>, told: &Told, _model: &Model) -> Result<(), Stop> {
        if self.races {
            self.claim(world, told, None)?;
        }
        let is_whole = |trace: &Trace| !trace.end.is_open();
        self.found.executions += u64::from(world.traces.iter().all(is_whole));
        Ok(())
    }

    /// Claims the violation of a thread, or a data race, if an execution shows it.
    fn claim(&mut self, world: &World<'_>, told: &Told, violated: Option<(usize, &Violation)>) -> Result<(), Stop> {
        let Some(told) = cut(world, told, violated.map(|(thread, _)| thread)) else { return Ok(()) };
        // Values out of thin air are not looked for.
        let is_unknown = |event: &Event| event.kind != Kind::Fence && event.value.bits.is_none();
        let kept = world.traces.iter().zip(&told.events).flat_map(|(trace, &count)| trace.events.iter().take(count));
        if kept.into_iter().any(is_unknown) {
            return Ok(());
        }
        let mut graph = Graph::new(world, &|id, _| id.index < told.events[id.thread], &|id, event| {
            confirm::source(event, &told.answers[id.thread])
        });
        let mut shown: Option<(Violation, _)> = None;
        // Then another order of the writes shows nothing else.
        let is_settled = |check: &&norn_cat::Check| check.name == confirm::RACE && check.stage < Stage::Coherence;
        let races_are_settled =
            self.setting.model.checks.iter().filter(|check| check.flag).any(|check| is_settled(&check));
        order::complete(&mut graph, self.setting.model, &mut |graph, evaluation| {
            let violation = match violated {
                Some((_, violation)) => Some(violation.clone()),
                None => confirm::race(graph, evaluation),
            };
            shown = violation.map(|violation| (violation, confirm::coherence(graph)));
            shown.is_some() || races_are_settled
        });
        let Some((violation, coherence)) = shown else { return Ok(()) };
        let claim = Claim { told, coherence, violation };
        let Setting { base, model, checks, .. } = *self.setting;
        self.found.witness = Some(confirm(base, model, checks, claim).map_err(Stop::Wrong)?);
        Err(Stop::Over(Over))
    }

    fn doubt(&mut self, undecided: Undecided) {
        let weight = |undecided: &Undecided| undecided.why.weight();
        if self.found.doubt.as_ref().is_none_or(|known| weight(known) < weight(&undecided)) {
            self.found.doubt = Some(undecided);
        }
    }
}

enum Stop {
    Over(Over),
    Wrong(Mismatch),
}

/// Whether a thread goes on only when another has ended, or is that one.
fn waits_for(world: &World<'_>, thread: usize, other: usize) -> bool {
    let next = |&thread: &usize| match world.traces[thread].end {
        End::WaitsFor(joined) => Some(joined),
        _ => None,
    };
    // Threads that wait for one another in a circle do not go on either.
    std::iter::successors(Some(thread), next).take(world.traces.len() + 1).any(|waits| waits == other)
}

/// What a read may read from among what is there.
fn sources(world: &World<'_>, read: EventId, cell: Option<Cell>) -> Vec<Source> {
    let mut sources = vec![Source::Initial];
    for (thread, trace) in world.traces.iter().enumerate() {
        for (index, event) in trace.events.iter().enumerate() {
            let is_later = thread == read.thread && index > read.index;
            if event.kind == Kind::Write && event.cell == cell && !is_later {
                sources.push(Source::Event(EventId { thread, index }));
            }
        }
    }
    sources
}

/// What threads are told so that each stops before its first read that is open, if nothing that happens needs more; the
/// thread that shows a violation comes to it.
fn cut(world: &World<'_>, told: &Told, violated: Option<usize>) -> Option<Told> {
    let mut cut = told.clone();
    for (thread, trace) in world.traces.iter().enumerate() {
        let is_open =
            |event: &Event| event.kind == Kind::Read && confirm::source(event, &told.answers[thread]).is_none();
        let open = trace.events.iter().position(is_open).unwrap_or(trace.events.len());
        let whole = step_of(trace, open.min(trace.open_from));
        cut.events[thread] = whole;
        if violated == Some(thread) && whole < trace.events.len() {
            return None;
        }
    }
    // What reads from an event that is gone goes as well.
    loop {
        let mut changed = false;
        for (thread, trace) in world.traces.iter().enumerate() {
            let count = cut.events[thread];
            let lacks = |event: &Event| match confirm::source(event, &told.answers[thread]) {
                Some(Source::Event(id)) => id.index >= cut.events[id.thread],
                _ => false,
            };
            let first = trace.events.iter().take(count).position(|event| event.kind == Kind::Read && lacks(event));
            if let Some(first) = first {
                if violated == Some(thread) {
                    return None;
                }
                cut.events[thread] = step_of(trace, first);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    Some(cut)
}

/// Where the step begins that an event is a part of.
fn step_of(trace: &Trace, event: usize) -> usize {
    trace.events.get(event).map_or(event, |event| event.step)
}
