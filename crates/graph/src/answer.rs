//! Is a final state that a test asks about allowed by a model? The enumerator of all execution graphs, as herd does
//! it, with early cuts.
//!
//! 1. [`crate::values`] finds all traces of each thread.
//! 2. One trace per thread is chosen. A choice is dropped as soon as the condition fails whatever the others do, or a
//!    read finds a value that nobody writes. The checks that look at the threads alone are evaluated.
//! 3. [`crate::cells`] finds, for each cell, who may read from whom and the orders of the writes. What the reads read
//!    from is chosen for all cells and the checks on it are evaluated, then the orders are.
//!
//! A graph that passes all checks is handed to [`crate::confirm`]; its word is the answer.

use std::collections::BTreeSet;

use norn_cat::{Evaluation, Model, Stage};
use norn_verdict::limits::Limits;

use crate::cells::{Choice, Demands, choices};
use crate::confirm::{Claim, EventId, Final, Mismatch, Witness, confirm};
use crate::graph::Graph;
use crate::judge::Known;
use crate::program::{Cell, Program, Reg};
use crate::run::{Kind, Trace};
use crate::test::{Condition, Test};
use crate::values;

/// Events of an execution that is looked at.
const MAX_EVENTS: usize = 5000;
/// What the evaluation of a model on it may take.
const MAX_BYTES: u64 = 256 << 20;

/// What a model says of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// An execution leads to a state that the test asks about.
    Allow(Box<Witness>),
    Forbid,
    /// Why it is not known.
    Unknown(String),
}

/// The final states that a model allows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Finals {
    /// The values of what the test observes, in its order.
    pub lines: BTreeSet<Vec<u64>>,
    /// Why there may be more.
    pub incomplete: Option<String>,
}

/// Whether `model` allows a final state that the test asks about.
pub fn ask(test: &Test, model: &Model, limits: &Limits) -> Result<Answer, Mismatch> {
    let wanted = test.wanted();
    let mut found = None;
    let incomplete = search(&test.program, model, &wanted, limits, &mut |graph| {
        found = Some(claim(graph));
        false
    });
    match (found, incomplete) {
        (Some(claim), _) => Ok(Answer::Allow(Box::new(confirm(&test.program, model, &wanted, claim)?))),
        (None, Some(reason)) => Ok(Answer::Unknown(reason)),
        (None, None) => Ok(Answer::Forbid),
    }
}

/// All final states that `model` allows, each confirmed.
pub fn states(test: &Test, model: &Model, limits: &Limits) -> Result<Finals, Mismatch> {
    let wanted = test.filter.clone().unwrap_or(Condition::True);
    let mut finals = Finals::default();
    let mut wrong = None;
    let lines = &mut finals.lines;
    let incomplete = search(&test.program, model, &wanted, limits, &mut |graph| {
        let last = Final(graph);
        let shown = test.observed.iter().map(|column| {
            let value = column.width.truncate(column.term.value(&last).unwrap_or(0));
            if column.signed { column.width.sign_extend(value) } else { value }
        });
        if lines.insert(shown.collect()) {
            wrong = confirm(&test.program, model, &wanted, claim(graph)).err();
        }
        wrong.is_none()
    });
    finals.incomplete = incomplete;
    wrong.map_or(Ok(finals), Err)
}

/// Shows `visit` all graphs that the model allows and whose final state satisfies `wanted`, until it says that it has
/// seen enough. The reason if some graphs were not looked at.
fn search(
    program: &Program,
    model: &Model,
    wanted: &Condition,
    limits: &Limits,
    visit: &mut dyn FnMut(&Graph<'_>) -> bool,
) -> Option<String> {
    let all = values::traces(program, wanted, model.ignores_lost_reads(), limits);
    if all.threads.len() != program.threads.len() {
        return all.incomplete;
    }
    let mut chosen = Chosen { traces: vec![None; program.threads.len()], cells: vec![None; program.cells.len()] };
    let mut candidates: Vec<Vec<&Trace>> = Vec::new();
    for (thread, traces) in all.threads.iter().enumerate() {
        let mut possible = Vec::new();
        for trace in traces {
            chosen.traces[thread] = Some(trace);
            if wanted.holds(&chosen) != Some(false) {
                possible.push(trace);
            }
        }
        chosen.traces[thread] = None;
        candidates.push(possible);
    }
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&thread| candidates[thread].len());
    let evaluation = Evaluation::new(model);
    let mut search = Search {
        program,
        candidates: &candidates,
        order,
        wanted,
        limits,
        demands: Demands::of(model),
        evaluation,
        visit,
        looked: 0,
        incomplete: None,
    };
    search.threads(&mut chosen, 0);
    search.incomplete.or(all.incomplete)
}

/// A part of an execution.
struct Chosen<'c> {
    traces: Vec<Option<&'c Trace>>,
    /// Final values.
    cells: Vec<Option<u64>>,
}

impl Known for Chosen<'_> {
    fn register(&self, thread: usize, reg: Reg) -> Option<u64> {
        let trace = (*self.traces.get(thread)?)?;
        trace.registers.get(reg.index()).copied()
    }

    fn cell(&self, cell: Cell) -> Option<u64> {
        self.cells.get(cell.index()).copied().flatten()
    }
}

struct Search<'s, 'm> {
    program: &'s Program,
    candidates: &'s [Vec<&'s Trace>],
    /// The threads with few candidates first.
    order: Vec<usize>,
    wanted: &'s Condition,
    limits: &'s Limits,
    demands: Demands,
    evaluation: Evaluation<'m>,
    visit: &'s mut dyn FnMut(&Graph<'_>) -> bool,
    /// Partial graphs.
    looked: usize,
    incomplete: Option<String>,
}

impl<'s> Search<'s, '_> {
    /// Whether to go on; looks at the limits now and then.
    fn tick(&mut self) -> bool {
        self.looked += 1;
        if self.looked.is_multiple_of(256)
            && let Some(exceeded) = self.limits.exceeded()
        {
            self.incomplete = Some(exceeded.reason().to_owned());
            return false;
        }
        true
    }

    /// Chooses traces for the threads from the `depth`-th on. Like the others: whether to go on.
    fn threads(&mut self, chosen: &mut Chosen<'s>, depth: usize) -> bool {
        let Some(&thread) = self.order.get(depth) else { return self.cells(chosen) };
        for &trace in &self.candidates[thread] {
            if !self.tick() {
                return false;
            }
            chosen.traces[thread] = Some(trace);
            if self.wanted.holds(chosen) != Some(false) && self.is_supported(chosen) && !self.threads(chosen, depth + 1)
            {
                return false;
            }
        }
        chosen.traces[thread] = None;
        true
    }

    /// Whether every value read may have been written.
    fn is_supported(&self, chosen: &Chosen<'_>) -> bool {
        let writes = |trace: &Trace, cell: Cell, value: u64| {
            let is_it = |kind, other, written| kind == Kind::Write && other == Some(cell) && written == value;
            trace.events.iter().any(|event| is_it(event.kind, event.cell, event.value))
        };
        let supported = |cell: Cell, value: u64| {
            let info = &self.program.cells[cell.index()];
            info.width.truncate(info.init) == value
                || chosen.traces.iter().zip(self.candidates).any(|(trace, candidates)| match trace {
                    Some(trace) => writes(trace, cell, value),
                    None => candidates.iter().any(|trace| writes(trace, cell, value)),
                })
        };
        let reads = chosen.traces.iter().flatten().flat_map(|trace| &trace.events);
        reads
            .filter(|event| event.kind == Kind::Read)
            .all(|event| event.cell.is_some_and(|cell| supported(cell, event.value)))
    }

    /// All traces are chosen.
    fn cells(&mut self, chosen: &mut Chosen<'s>) -> bool {
        let of_threads = || chosen.traces.iter().flatten().flat_map(|trace| &trace.events);
        let accessed: BTreeSet<Cell> = of_threads().filter_map(|event| event.cell).collect();
        let events = of_threads().count() + accessed.len();
        if events > MAX_EVENTS || self.evaluation.bytes(events) > MAX_BYTES {
            self.incomplete = Some("an execution has too many events".to_owned());
            return false;
        }
        let mut graph = Graph::new(self.program, chosen.traces.iter().flatten().copied().collect());
        let mut of_cells: Vec<(Cell, Vec<Choice>)> = Vec::new();
        for cell in (0..self.program.cells.len()).map(Cell::new) {
            if graph.initial(cell).is_none() {
                chosen.cells[cell.index()] = Some(graph.last_value(cell));
            }
        }
        for cell in (0..self.program.cells.len()).map(Cell::new) {
            if graph.initial(cell).is_none() {
                continue;
            }
            let accepts = |last: usize| {
                let mut cells = chosen.cells.clone();
                cells[cell.index()] = Some(graph.nodes[last].value);
                self.wanted.holds(&Chosen { traces: chosen.traces.clone(), cells }) != Some(false)
            };
            match choices(&graph, cell, self.demands, &accepts) {
                Some(choices) if choices.is_empty() => {
                    of_cells.clear();
                    break;
                }
                Some(choices) => of_cells.push((cell, choices)),
                None => {
                    self.incomplete = Some("a location is written to in too many orders".to_owned());
                    return false;
                }
            }
        }
        let accessed = (0..self.program.cells.len()).filter(|&cell| graph.initial(Cell::new(cell)).is_some()).count();
        let mut go_on = true;
        if of_cells.len() == accessed {
            self.evaluation.advance(Stage::Events, &graph);
            if self.evaluation.failure(Stage::Events).is_none() {
                of_cells.sort_by_key(|(_, choices)| choices.len());
                go_on = self.sources(&mut graph, &of_cells, &mut Vec::new());
            }
        }
        chosen.cells.fill(None);
        go_on
    }

    /// Chooses what reads read from.
    fn sources(
        &mut self,
        graph: &mut Graph<'s>,
        cells: &[(Cell, Vec<Choice>)],
        orders: &mut Vec<(Cell, Vec<Vec<usize>>)>,
    ) -> bool {
        if !self.tick() {
            return false;
        }
        let Some((cell, choices)) = cells.get(orders.len()) else {
            self.evaluation.advance(Stage::ReadsFrom, graph);
            if self.evaluation.failure(Stage::ReadsFrom).is_some() {
                return true;
            }
            return self.orders(graph, orders, 0);
        };
        for choice in choices {
            for &(read, write) in &choice.reads {
                graph.reads_from[read] = Some(write);
            }
            orders.push((*cell, choice.orders.clone()));
            let go_on = self.sources(graph, cells, orders);
            orders.pop();
            if !go_on {
                return false;
            }
        }
        true
    }

    /// Chooses the orders of the writes from the `depth`-th cell on.
    fn orders(&mut self, graph: &mut Graph<'s>, orders: &[(Cell, Vec<Vec<usize>>)], depth: usize) -> bool {
        if !self.tick() {
            return false;
        }
        let Some((cell, of_cell)) = orders.get(depth) else {
            if self.wanted.holds(&Final(graph)) != Some(true) {
                return true;
            }
            self.evaluation.advance(Stage::Coherence, graph);
            return self.evaluation.failure(Stage::Coherence).is_some() || (self.visit)(graph);
        };
        for order in of_cell {
            graph.coherence[cell.index()].clone_from(order);
            if !self.orders(graph, orders, depth + 1) {
                return false;
            }
        }
        true
    }
}

/// What was chosen in a graph.
fn claim(graph: &Graph<'_>) -> Claim {
    let id = |event: usize| graph.nodes[event].thread.map(|thread| EventId { thread, index: graph.nodes[event].index });
    let reads = graph.reads_from.iter().enumerate().filter_map(|(read, from)| Some((id(read)?, id((*from)?))));
    let coherence = graph.coherence.iter().map(|order| order.iter().filter_map(|&write| id(write)).collect());
    Claim {
        answers: graph.traces.iter().map(|trace| trace.answers.clone()).collect(),
        reads_from: reads.collect(),
        coherence: coherence.collect(),
    }
}
