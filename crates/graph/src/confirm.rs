//! The confirmation of an execution graph: **the trusted core** for models that are axioms.
//!
//! Whoever found a graph hands over what was chosen and nothing else: the answers that each thread was given, what each
//! read reads from and the order of the writes. Here every thread runs again, alone, with these answers; events,
//! values and dependencies are computed anew, and so are all relations. The graph is confirmed if each read finds the
//! value of the write that it reads from, the orders are orders of all writes, the model's checks hold, and the final
//! state satisfies the condition.

use std::fmt;

use norn_cat::{Evaluation, Model, Stage};

use crate::graph::Graph;
use crate::judge::Known;
use crate::program::{Cell, Program, Reg};
use crate::run::{End, Kind, Loops, MAX_EVENTS, Trace, run};
use crate::test::Condition;

/// An event of a thread: the thread, and its number there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId {
    pub thread: usize,
    pub index: usize,
}

/// What was chosen in an execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claim {
    /// Per thread, what it was told whenever it asked.
    pub answers: Vec<Vec<u64>>,
    /// Reads and what they read from: `None` is the initial write.
    pub reads_from: Vec<(EventId, Option<EventId>)>,
    /// Per cell, its writes in order, without the initial one.
    pub coherence: Vec<Vec<EventId>>,
}

/// Why a claimed execution is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch(pub String);

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An execution that has been confirmed: only this module makes one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    claim: Claim,
    traces: Vec<Trace>,
    flags: Vec<String>,
}

impl Witness {
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// What the model says of it besides that it is allowed, such as that it shows a data race.
    pub fn flags(&self) -> &[String] {
        &self.flags
    }

    /// What each thread did.
    pub fn traces(&self) -> &[Trace] {
        &self.traces
    }

    /// The graph itself; `program` is the one that it was confirmed for.
    pub fn graph<'g>(&'g self, program: &'g Program) -> Graph<'g> {
        chosen(program, &self.traces, &self.claim).expect("a claim that was confirmed should be one")
    }
}

fn wrong<T>(message: String) -> Result<T, Mismatch> {
    Err(Mismatch(message))
}

/// Confirms that `claim` is an execution of `program` that `model` allows and whose final state satisfies `wanted`.
pub fn confirm(program: &Program, model: &Model, wanted: &Condition, claim: Claim) -> Result<Witness, Mismatch> {
    if claim.answers.len() != program.threads.len() || claim.coherence.len() != program.cells.len() {
        return wrong("the claim is about another program".to_owned());
    }
    let mut traces = Vec::new();
    for (thread, answers) in claim.answers.iter().enumerate() {
        let mut given = answers.iter();
        // A graph is finite, so a run of its threads is: no other bound on loops is needed.
        let trace = run(program, thread, Loops::ALL, &mut |_| given.next().copied());
        if trace.end != End::Done {
            return wrong(format!("thread {thread} does not end: {:?}", trace.end));
        }
        if given.next().is_some() || trace.events.len() > MAX_EVENTS {
            return wrong(format!("thread {thread} asks less than it is told"));
        }
        traces.push(trace);
    }
    let graph = chosen(program, &traces, &claim)?;
    let mut evaluation = Evaluation::new(model);
    for stage in Stage::ALL {
        evaluation.advance(stage, &graph);
        if let Some(failure) = evaluation.failure(stage) {
            return wrong(format!("the model forbids the execution by its check '{}'", failure.check.name));
        }
    }
    if wanted.holds(&Final(&graph)) != Some(true) {
        return wrong("the final state does not satisfy the condition".to_owned());
    }
    let flags = evaluation.flags().into_iter().map(str::to_owned).collect();
    drop(graph);
    Ok(Witness { claim, traces, flags })
}

/// The graph of these traces with what the claim chooses.
fn chosen<'g>(program: &'g Program, traces: &'g [Trace], claim: &Claim) -> Result<Graph<'g>, Mismatch> {
    let mut graph = Graph::new(program, traces.iter().collect());
    let number = |event: EventId| match traces.get(event.thread) {
        Some(trace) if event.index < trace.events.len() => Ok(event),
        _ => wrong(format!("there is no event {} of thread {}", event.index, event.thread)),
    };
    for &(read, from) in &claim.reads_from {
        let read = number(read)?;
        let read = graph.number(read.thread, read.index);
        let cell = graph.nodes[read].cell;
        let write = match (from, cell) {
            (None, Some(cell)) => graph.initial(cell),
            (Some(from), _) => {
                let from = number(from)?;
                Some(graph.number(from.thread, from.index))
            }
            (None, None) => None,
        };
        let Some(write) = write else { return wrong(format!("event {read} accesses no cell")) };
        let (source, target) = (&graph.nodes[write], &graph.nodes[read]);
        let fits = source.kind == Kind::Write && target.kind == Kind::Read;
        if !fits || source.cell != cell || source.value != target.value || graph.reads_from[read].is_some() {
            return wrong(format!("event {read} cannot read from event {write}"));
        }
        graph.reads_from[read] = Some(write);
    }
    let unread = (0..graph.nodes.len())
        .find(|&event| graph.nodes[event].kind == Kind::Read && graph.reads_from[event].is_none());
    if let Some(read) = unread {
        return wrong(format!("event {read} reads from nothing"));
    }
    for (index, order) in claim.coherence.iter().enumerate() {
        let cell = Cell::new(index);
        let mut writes: Vec<usize> = graph.initial(cell).into_iter().collect();
        for &event in order {
            let event = number(event)?;
            writes.push(graph.number(event.thread, event.index));
        }
        let is_write =
            |event: &usize| graph.nodes[*event].kind == Kind::Write && graph.nodes[*event].cell == Some(cell);
        let all: Vec<usize> = (0..graph.nodes.len()).filter(is_write).collect();
        let mut sorted = writes.clone();
        sorted.sort_unstable();
        if sorted != all {
            return wrong(format!(
                "the order of the writes to '{}' is not one of all of them",
                program.cells[index].name
            ));
        }
        graph.coherence[index] = writes;
    }
    Ok(graph)
}

/// The final state of a graph.
pub struct Final<'f, 'g>(pub &'f Graph<'g>);

impl Known for Final<'_, '_> {
    fn register(&self, thread: usize, reg: Reg) -> Option<u64> {
        self.0.traces.get(thread)?.registers.get(reg.index()).copied()
    }

    fn cell(&self, cell: Cell) -> Option<u64> {
        Some(self.0.last_value(cell))
    }
}
