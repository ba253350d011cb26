//! Pictures of a confirmed execution: as text, and as a graph for Graphviz.

use std::fmt::Write;

use crate::confirm::Witness;
use crate::graph::Graph;
use crate::program::Program;
use crate::run::{Kind, Part};
use crate::test::Test;

/// The threads one after the other, each event with what it reads from and depends on; then the orders of the writes
/// and the final values that the test looks at.
pub fn text(test: &Test, witness: &Witness) -> String {
    let graph = witness.graph(&test.program);
    let mut text = String::new();
    for thread in 0..test.program.threads.len() {
        let _ = writeln!(text, "P{thread}");
        for (event, node) in graph.nodes.iter().enumerate().filter(|(_, node)| node.thread == Some(thread)) {
            let _ = write!(text, "  {}: {}", name(&graph, event), action(&graph, event));
            if let Some(from) = graph.reads_from[event] {
                let _ = match graph.nodes[from].thread {
                    None => write!(text, ", the initial value"),
                    Some(_) => write!(text, ", from {}", name(&graph, from)),
                };
            }
            let trace = graph.traces[thread];
            for (what, sources) in [("address", &trace.addr), ("value", &trace.data), ("control", &trace.ctrl)] {
                let sources = sources[node.index];
                let on = (0..node.index).filter(|bit| sources >> bit & 1 == 1);
                let on: Vec<String> = on.map(|index| name(&graph, graph.number(thread, index))).collect();
                if !on.is_empty() {
                    let _ = write!(text, "; {what} by {}", on.join(", "));
                }
            }
            if let Some((read, _)) = trace.amo.iter().chain(&trace.lxsx).find(|(_, write)| *write == node.index) {
                let _ = write!(text, "; one step with {}", name(&graph, graph.number(thread, *read)));
            }
            text.push('\n');
        }
    }
    let _ = writeln!(text, "order of writes");
    for (cell, order) in test.program.cells.iter().zip(&graph.coherence).filter(|(_, order)| !order.is_empty()) {
        let shown = order.iter().map(|&write| match graph.nodes[write].thread {
            None => format!("initial {}", value(&test.program, graph.nodes[write].value)),
            Some(_) => format!("{} = {}", name(&graph, write), value(&test.program, graph.nodes[write].value)),
        });
        let _ = writeln!(text, "  {}: {}", cell.name, shown.collect::<Vec<_>>().join(", "));
    }
    let last = crate::confirm::Final(&graph);
    let finals = test.observed.iter().map(|column| {
        let found = column.width.truncate(column.term.value(&last).unwrap_or(0));
        let found = if column.signed { column.width.sign_extend(found) } else { found };
        format!("{} = {}", column.label, value(&test.program, found))
    });
    let _ = writeln!(text, "finally\n  {}", finals.collect::<Vec<_>>().join(", "));
    if !witness.flags().is_empty() {
        let _ = writeln!(text, "flags\n  {}", witness.flags().join(", "));
    }
    text
}

/// In the language of Graphviz: a column per thread; `rf`, `co` and `fr` between, and the dependencies.
pub fn dot(title: &str, test: &Test, witness: &Witness) -> String {
    let graph = witness.graph(&test.program);
    let mut text = format!("digraph {} {{\n  label={0}; labelloc=t; node [shape=box];\n", quoted(title));
    let mut threads: Vec<Option<usize>> = vec![None];
    threads.extend((0..test.program.threads.len()).map(Some));
    for thread in threads {
        let of_thread: Vec<usize> =
            (0..graph.nodes.len()).filter(|&event| graph.nodes[event].thread == thread).collect();
        if let Some(thread) = thread {
            let _ = writeln!(text, "  subgraph cluster{thread} {{ label=\"P{thread}\";");
        }
        for &event in &of_thread {
            let label = match thread {
                None => action(&graph, event),
                Some(_) => format!("{}: {}", name(&graph, event), action(&graph, event)),
            };
            let _ = writeln!(text, "    e{event} [label={}];", quoted(&label));
        }
        if thread.is_some() {
            for pair in of_thread.windows(2) {
                let _ = writeln!(text, "    e{} -> e{} [label=\"po\"];", pair[0], pair[1]);
            }
            text.push_str("  }\n");
        }
    }
    let mut edge = |from: usize, to: usize, label: &str, colour: &str| {
        let _ = writeln!(
            text,
            "  e{from} -> e{to} [label=\"{label}\", color={colour}, fontcolor={colour}, constraint=false];"
        );
    };
    for (read, from) in graph.reads_from.iter().enumerate() {
        let Some(from) = *from else { continue };
        edge(from, read, "rf", "red");
        let order = graph.nodes[from].cell.map_or(&[][..], |cell| &graph.coherence[cell.index()][..]);
        if let Some(&next) = order.iter().skip_while(|&&write| write != from).nth(1) {
            edge(read, next, "fr", "orange");
        }
    }
    for pair in graph.coherence.iter().flat_map(|order| order.windows(2)) {
        edge(pair[0], pair[1], "co", "blue");
    }
    for (thread, trace) in graph.traces.iter().enumerate() {
        for (kind, sources) in [("addr", &trace.addr), ("data", &trace.data), ("ctrl", &trace.ctrl)] {
            for (index, sources) in sources.iter().enumerate() {
                for bit in (0..index).filter(|bit| sources >> bit & 1 == 1) {
                    edge(graph.number(thread, bit), graph.number(thread, index), kind, "purple");
                }
            }
        }
        for &(read, write) in trace.amo.iter().chain(&trace.lxsx) {
            edge(graph.number(thread, read), graph.number(thread, write), "rmw", "brown");
        }
    }
    text.push_str("}\n");
    text
}

/// `a`, `b`, …, `z`, `ba`, …: the events of threads in order.
fn name(graph: &Graph<'_>, event: usize) -> String {
    let initial = graph.nodes.iter().filter(|node| node.thread.is_none()).count();
    let mut rest = event - initial.min(event);
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b"abcdefghijklmnopqrstuvwxyz"[rest % 26]));
        rest /= 26;
        if rest == 0 {
            return letters.iter().rev().collect();
        }
    }
}

/// `write x = 1 (REL)`.
fn action(graph: &Graph<'_>, event: usize) -> String {
    let node = &graph.nodes[event];
    let cell = node.cell.map_or("", |cell| graph.program.cells[cell.index()].name.as_str());
    let mut text = match node.kind {
        Kind::Read => format!("read {cell} = {}", value(graph.program, node.value)),
        Kind::Write => format!("write {cell} = {}", value(graph.program, node.value)),
        Kind::Fence if cell.is_empty() => "fence".to_owned(),
        Kind::Fence => format!("fence of {cell}"),
    };
    if let Some(thread) = node.thread {
        let event = &graph.traces[thread].events[node.index];
        let tags = &event.tags(&graph.program.threads[thread]).0;
        if !tags.is_empty() {
            let _ = write!(text, " ({})", tags.join(" "));
        }
        if event.part == Part::Failed {
            text.push_str(", writes nothing");
        }
    }
    text
}

/// A number, or the name of the cell whose address it is.
fn value(program: &Program, value: u64) -> String {
    match program.cell_at(value) {
        Some(cell) => format!("&{}", program.cells[cell.index()].name),
        None => (value as i64).to_string(),
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.extend(c.escape_default()),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
