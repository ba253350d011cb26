//! The order of the writes to each cell: what coherence says of it once it is known who reads from whom, and the choice of
//! the rest.
//!
//! An execution is coherent if `po-loc`, `rf`, `co` and `fr` have no cycle, and that is so exactly if it has none of the
//! shapes CoWW, CoWR, CoRW1, CoRW2 and CoRR (Alglave, Maranget and Tautschnig, "Herding cats", 2014, section 4.4). Each
//! of them forbids one order of two writes, so it demands the other.

use norn_cat::{Evaluation, Model, Relation, Stage};

use crate::graph::Graph;

/// Adds to the graph's order of writes what must be. Whether there is such an order.
pub fn saturate(graph: &mut Graph<'_, '_>, atomic: bool) -> bool {
    let cells = graph.cells();
    loop {
        let mut demands: Vec<(usize, usize)> = Vec::new();
        let mut demand = |from: usize, to: usize| demands.push((from, to));
        for (writes, reads) in cells.values() {
            for &a in writes {
                for &b in writes {
                    if graph.po.has(a, b) {
                        demand(a, b);
                    }
                }
            }
            for &read in reads {
                let Some(source) = graph.reads_from[read] else { continue };
                if graph.po.has(read, source) {
                    return false;
                }
                for &write in writes.iter().filter(|&&write| write != source) {
                    if graph.po.has(write, read) {
                        demand(write, source);
                    }
                    if graph.po.has(read, write) {
                        demand(source, write);
                    }
                }
                for &later in reads {
                    if let Some(other) = graph.reads_from[later]
                        && other != source
                        && graph.po.has(read, later)
                    {
                        demand(source, other);
                    }
                }
            }
        }
        for &(read, write) in graph.steps.iter().filter(|_| atomic) {
            let Some(source) = graph.reads_from[read] else { continue };
            let Some(cell) = graph.cell(write) else { continue };
            demand(source, write);
            for &other in cells[&cell].0.iter().filter(|&&other| other != source && other != write) {
                if graph.co.has(source, other) {
                    demand(write, other);
                }
                if graph.co.has(other, write) {
                    demand(other, source);
                }
            }
        }
        let known = demands.iter().all(|&(from, to)| from != to && graph.co.has(from, to));
        if known {
            return true;
        }
        let wanted = graph.co.union(&Relation::of(graph.nodes.len(), demands)).closure();
        if !wanted.is_irreflexive() {
            return false;
        }
        graph.co = wanted;
    }
}

/// Whether the model may allow executions that the graph is a part of.
pub fn may_be_part(graph: &mut Graph<'_, '_>, model: &Model) -> bool {
    saturate(graph, model.is_atomic()) && passes(graph, model, |check| model.holds_of_parts(check)).is_ok()
}

/// The name of a check among the chosen ones that the graph does not pass.
pub fn passes<'m>(
    graph: &Graph<'_, '_>,
    model: &'m Model,
    chosen: impl Fn(&norn_cat::Check) -> bool,
) -> Result<Evaluation<'m>, &'m str> {
    let mut evaluation = Evaluation::new(model);
    for stage in Stage::ALL {
        evaluation.advance(stage, graph);
        if let Some(failure) = evaluation.failure_among(stage, &chosen) {
            return Err(&failure.check.name);
        }
    }
    Ok(evaluation)
}

/// Completes the order of writes so that the model allows the graph, and `accepts` it. Whether that can be done.
pub fn complete(
    graph: &mut Graph<'_, '_>,
    model: &Model,
    accepts: &mut dyn FnMut(&Graph<'_, '_>, &Evaluation<'_>) -> bool,
) -> bool {
    if !may_be_part(graph, model) {
        return false;
    }
    let cells = graph.cells();
    let pairs = cells.values().flat_map(|(writes, _)| {
        writes.iter().enumerate().flat_map(|(at, &a)| writes[at + 1..].iter().map(move |&b| (a, b)))
    });
    let open = pairs.into_iter().find(|&(a, b)| !graph.co.has(a, b) && !graph.co.has(b, a));
    let Some((a, b)) = open else {
        return passes(graph, model, |_| true).is_ok_and(|evaluation| accepts(graph, &evaluation));
    };
    let before = graph.co.clone();
    for (from, to) in [(a, b), (b, a)] {
        graph.co.insert(from, to);
        graph.co = graph.co.closure();
        if complete(graph, model, accepts) {
            return true;
        }
        graph.co = before.clone();
    }
    false
}
