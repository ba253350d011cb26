//! The confirmation of an execution of a C program: **the trusted core** for models that are axioms.
//!
//! Whoever found an execution hands over what was chosen and nothing else: who created which thread, what each read reads
//! from, the inputs, and the order of the writes. Here every thread runs again, alone; events, values and dependencies are
//! computed anew, and so are all relations. The execution is confirmed if every value is known and is that of the write
//! that was read, the orders are orders of all writes, all checks of the model hold, and the violation occurs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use norn_cat::{Evaluation, Model, Relation};
use norn_ir::span::Span;
use norn_verdict::outcome::{Checks, Violation, ViolationKind};

use crate::event::{Answer, Cell, End, Event, EventId, Kind, Source};
use crate::graph::{Graph, Node};
use crate::memory::Base;
use crate::order;
use crate::run::{Follow, Watch};
use crate::tables::Table;
use crate::world::{Told, World};

/// What was chosen in an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    pub told: Told,
    /// Per cell its writes in order, without the initial one.
    pub coherence: BTreeMap<Cell, Vec<EventId>>,
    pub violation: Violation,
}

/// Why a claimed execution is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch(pub String);

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The flag by which a model says that an execution has a data race.
pub const RACE: &str = "race";

/// An execution that has been confirmed: only this module makes one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confirmed {
    claim: Claim,
    table: Table,
    checks: Checks,
}

impl Confirmed {
    pub fn violation(&self) -> &Violation {
        &self.claim.violation
    }

    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// Shows the graph to `look`; `base` is of the program that it was confirmed for.
    pub fn show<T>(&self, base: &Base<'_>, look: impl FnOnce(&Graph<'_, '_>) -> T) -> T {
        let world = settled(base, self.table, self.checks, &self.claim.told).expect("a confirmed claim should settle");
        let graph = chosen(&world, &self.claim).expect("a confirmed claim should be a graph");
        look(&graph)
    }
}

fn wrong<T>(message: impl Into<String>) -> Result<T, Mismatch> {
    Err(Mismatch(message.into()))
}

/// Confirms that `claim` is an execution of the program that `model` allows, with the violation that it names.
pub fn confirm(base: &Base<'_>, model: &Model, checks: Checks, claim: Claim) -> Result<Confirmed, Mismatch> {
    let table = Table::of(model).map_err(Mismatch)?;
    let world = settled(base, table, checks, &claim.told)?;
    if let Some(doubt) = doubtful(&world) {
        return wrong(format!("the execution has no meaning: {}", doubt.1));
    }
    let graph = chosen(&world, &claim)?;
    let evaluation = match order::passes(&graph, model, |_| true) {
        Ok(evaluation) => evaluation,
        Err(check) => return wrong(format!("the model forbids the execution by its check '{check}'")),
    };
    let is_it =
        |violation: &Violation| violation.kind == claim.violation.kind && violation.span == claim.violation.span;
    let found = match claim.violation.kind {
        ViolationKind::DataRace => race(&graph, &evaluation).is_some_and(|violation| is_it(&violation)),
        _ => world.traces.iter().any(|trace| matches!(&trace.end, End::Violation(violation) if is_it(violation))),
    };
    if !found {
        return wrong("the execution does not end in the violation");
    }
    Ok(Confirmed { claim, table, checks })
}

/// All threads, each run alone with what it is told.
fn settled<'b>(base: &'b Base<'b>, table: Table, checks: Checks, told: &Told) -> Result<World<'b>, Mismatch> {
    let mut told = told.clone();
    if told.parents.len() != told.answers.len()
        || told.parents.len() != told.events.len()
        || told.parents.first() != Some(&None)
    {
        return wrong("the claim is not about threads");
    }
    for (thread, parent) in told.parents.iter().enumerate().skip(1) {
        let is_new = !told.parents[..thread].contains(parent);
        if !is_new || parent.is_none_or(|(parent, _)| parent >= told.parents.len()) {
            return wrong(format!("thread {thread} has no creator of its own"));
        }
    }
    let out_of_range = |answer: &Answer| match answer {
        Answer::Source(Some(Source::Event(id))) => id.thread >= told.parents.len(),
        _ => false,
    };
    if told.answers.iter().flatten().any(out_of_range) {
        return wrong("a read reads from a thread that is not there");
    }
    let follow = &mut || Box::new(Follow) as Box<dyn Watch>;
    let stale = vec![true; told.parents.len()];
    let world = World::new(base, table, &told).settle(checks, &mut told, stale, false, follow);
    world.map_err(|_| Mismatch("the threads do not settle".to_owned()))
}

/// The graph of a claim: all events, with what was chosen.
fn chosen<'g, 'b>(world: &'g World<'b>, claim: &Claim) -> Result<Graph<'g, 'b>, Mismatch> {
    for (thread, trace) in world.traces.iter().enumerate() {
        if trace.open_from < trace.events.len() {
            return wrong(format!("thread {thread} takes a step that it cannot take"));
        }
        if trace.events.iter().any(|event| event.kind != Kind::Fence && event.value.bits.is_none()) {
            return wrong(format!("thread {thread} has an event whose value is not known"));
        }
    }
    let told = &claim.told.answers;
    let mut graph = Graph::new(world, &|_, _| true, &|id, event| source(event, &told[id.thread]));
    for number in 0..graph.nodes.len() {
        if graph.kind(number) != Kind::Read {
            continue;
        }
        let Some(from) = graph.reads_from[number] else { return wrong("a read reads from nothing") };
        if graph.kind(from) != Kind::Write || graph.cell(from) != graph.cell(number) {
            return wrong("a read reads from what is no write of its place");
        }
        if let (Some(write), Some(read)) = (graph.event(from), graph.event(number))
            && write.value.bits != read.value.bits
        {
            return wrong("a read has another value than what it reads from");
        }
    }
    let mut co = Relation::empty(graph.nodes.len());
    for (cell, (writes, _)) in graph.cells() {
        let mut order: Vec<usize> = writes.iter().copied().filter(|&write| graph.event(write).is_none()).collect();
        for &id in claim.coherence.get(&cell).into_iter().flatten() {
            let Some(number) = graph.number(id) else { return wrong("the order has a write that is not there") };
            order.push(number);
        }
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if sorted != writes {
            return wrong("the order of the writes to a place is not one of all of them");
        }
        for (at, &earlier) in order.iter().enumerate() {
            order[at + 1..].iter().for_each(|&later| co.insert(earlier, later));
        }
    }
    graph.co = co;
    Ok(graph)
}

/// What a read reads from, by what its thread is told.
pub fn source(event: &Event, told: &[Answer]) -> Option<Source> {
    match (event.forced, event.asked) {
        (Some(from), _) => Some(Source::Event(from)),
        (None, Some(asked)) => match told.get(asked) {
            Some(Answer::Source(source)) => *source,
            _ => None,
        },
        (None, None) => None,
    }
}

/// Where the threads do something together that has no meaning here: accesses of several sizes; the end of the life of an
/// object that others access and that is not ordered with that; steps of the library that are about several places.
pub fn doubtful(world: &World<'_>) -> Option<(Span, &'static str)> {
    if let Some(span) = world.mixed_sizes() {
        return Some((span, "accesses of several sizes to one place"));
    }
    let events = || {
        world.traces.iter().enumerate().flat_map(|(thread, trace)| {
            trace.events.iter().enumerate().map(move |(index, event)| (EventId { thread, index }, event))
        })
    };
    if let Some(span) = several_places(world) {
        return Some((span, "a step of the library that is about several places"));
    }
    let deaths = || {
        world
            .traces
            .iter()
            .enumerate()
            .flat_map(|(thread, trace)| trace.deaths.iter().map(move |death| (thread, death)))
    };
    for (thread, death) in deaths() {
        if deaths().any(|(other, again)| other != thread && again.object == death.object) {
            return Some((death.span, "the life of an object that two threads end"));
        }
        let known = known_before(world, thread, death.after);
        for (id, event) in events() {
            let Some(Cell::Memory { object, .. }) = event.cell else { continue };
            if object == death.object && id.thread != thread && id.index >= known[id.thread] {
                let words = "the end of the life of an object that another thread accesses without having been joined";
                return Some((death.span, words));
            }
        }
    }
    None
}

/// A section that accesses several places of those that sections write.
fn several_places(world: &World<'_>) -> Option<Span> {
    let in_sections = || {
        world.traces.iter().flat_map(|trace| trace.events.iter().take(trace.open_from).filter(|event| event.in_section))
    };
    let written: BTreeSet<Cell> =
        in_sections().filter(|event| event.kind == Kind::Write).filter_map(|event| event.cell).collect();
    for trace in &world.traces {
        let mut places: BTreeMap<usize, Cell> = BTreeMap::new();
        for event in trace.events.iter().take(trace.open_from).filter(|event| event.in_section) {
            if let Some(cell) = event.cell.filter(|cell| written.contains(cell))
                && *places.entry(event.step).or_insert(cell) != cell
            {
                return Some(event.span);
            }
        }
    }
    None
}

/// How many events of each thread come before that one, by what creating and joining threads says.
fn known_before(world: &World<'_>, thread: usize, index: usize) -> Vec<usize> {
    let mut known = vec![0; world.traces.len()];
    let mut pending = vec![(thread, index)];
    while let Some((thread, count)) = pending.pop() {
        if count <= known[thread] {
            continue;
        }
        let from = known[thread];
        known[thread] = count;
        let events = &world.traces[thread].events;
        let forced = events.iter().take(count).skip(from).filter_map(|event| event.forced);
        pending.extend(forced.map(|id| (id.thread, id.index + 1)));
    }
    known
}

/// The data race that the model's flag shows.
pub fn race(graph: &Graph<'_, '_>, evaluation: &Evaluation<'_>) -> Option<Violation> {
    let raised = evaluation.raised();
    let failure = raised.iter().find(|failure| failure.check.name == RACE)?;
    let mut ends: Vec<&Event> = failure.events.iter().filter_map(|&number| graph.event(number)).collect();
    ends.sort_by_key(|event| event.span);
    let program = graph.world.base.program;
    let shown: Vec<String> = ends
        .iter()
        .map(|event| {
            let word = if event.kind == Kind::Write { "write" } else { "read" };
            format!("{word} at {}:{}:{}", program.file(event.span.file), event.span.line, event.span.column)
        })
        .collect();
    let span = ends.last().map_or(Span::NONE, |event| event.span);
    let message = format!("{} are not ordered", shown.join(" and "));
    Some(Violation { kind: ViolationKind::DataRace, span, message })
}

/// The order of the writes of a graph in which it is complete.
pub fn coherence(graph: &Graph<'_, '_>) -> BTreeMap<Cell, Vec<EventId>> {
    let mut orders = BTreeMap::new();
    for (cell, (writes, _)) in graph.cells() {
        let mut writes: Vec<usize> = writes.into_iter().filter(|&write| graph.event(write).is_some()).collect();
        writes.sort_by_key(|&write| graph.co.pairs().filter(|&(_, to)| to == write).count());
        let id = |&write: &usize| match graph.nodes[write] {
            Node::Event(id) => Some(id),
            Node::Initial(_) => None,
        };
        orders.insert(cell, writes.iter().filter_map(id).collect());
    }
    orders
}
