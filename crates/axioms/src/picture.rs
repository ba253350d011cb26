//! A confirmed execution as text, as a graph for Graphviz, and as data.

use std::collections::BTreeMap;
use std::fmt::Write;

use norn_ir::address::function_at;
use norn_ir::instr::Order;
use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_verdict::place;
use norn_verdict::schedule::ThreadName;
use norn_verdict::trace::ThreadIndex;

use crate::confirm::Confirmed;
use crate::event::{Cell, Event, EventId, Kind};
use crate::graph::{Graph, Node};
use crate::memory::Base;
use crate::value::{ObjectId, ObjectKind, Taint, Value};

/// An execution, ready to be shown.
pub struct Picture {
    pub threads: Vec<Thread>,
    /// In an order that explains values: an event comes after the earlier ones of its thread, and a read after what it
    /// reads from, where both is possible.
    pub events: Vec<Shown>,
    /// Per place that is written to more than once, its writes in their order.
    pub orders: Vec<(String, Vec<usize>)>,
}

pub struct Thread {
    pub name: String,
    /// The function that it started in.
    pub function: String,
}

/// An event. Events are named by their place in the list, from 1.
pub struct Shown {
    pub number: usize,
    pub thread: usize,
    pub kind: Kind,
    /// `write x = 1 (release)`.
    pub text: String,
    pub span: Span,
    /// The library's function that it is in.
    pub library: Option<String>,
    /// Of a read: `None` for the initial value.
    pub from: Option<Option<usize>>,
    /// The read of the step that it is the write of.
    pub step: Option<usize>,
    pub addr: Vec<usize>,
    pub data: Vec<usize>,
    pub ctrl: Vec<usize>,
}

/// The picture of an execution of the program that `base` is of.
pub fn picture(witness: &Confirmed, base: &Base<'_>) -> Picture {
    witness.show(base, |graph| Drawing::of(graph).picture())
}

struct Drawing<'d> {
    graph: &'d Graph<'d, 'd>,
    program: &'d Program,
    /// The events that are shown, in order.
    order: Vec<usize>,
    numbers: BTreeMap<usize, usize>,
}

impl<'d> Drawing<'d> {
    fn of(graph: &'d Graph<'d, 'd>) -> Drawing<'d> {
        let order = explaining(graph);
        let numbers = order.iter().enumerate().map(|(at, &event)| (event, at + 1)).collect();
        Drawing { graph, program: graph.world.base.program, order, numbers }
    }

    fn picture(&self) -> Picture {
        let threads = (0..self.graph.world.traces.len()).map(|thread| self.thread(thread)).collect();
        let events = self.order.iter().map(|&event| self.shown(event)).collect();
        let mut orders = Vec::new();
        for (cell, (writes, _)) in self.graph.cells() {
            let mut writes: Vec<usize> = writes.into_iter().filter(|write| self.numbers.contains_key(write)).collect();
            if writes.len() > 1 {
                writes.sort_by_key(|&write| self.graph.co.pairs().filter(|&(_, to)| to == write).count());
                orders.push((self.cell(cell), writes.iter().map(|write| self.numbers[write]).collect()));
            }
        }
        Picture { threads, events, orders }
    }

    fn name(&self, thread: usize) -> ThreadName {
        match self.graph.world.parent(thread) {
            None => ThreadName::main(),
            Some((parent, nth)) => self.name(parent).child(norn_ir::number::narrow(nth + 1)),
        }
    }

    fn thread(&self, thread: usize) -> Thread {
        let function = match self.graph.world.parent(thread) {
            None => self.program.entry,
            Some((parent, nth)) => self.graph.world.traces[parent].spawns[nth].function,
        };
        Thread { name: self.name(thread).to_string(), function: self.program.function(function).name.clone() }
    }

    fn shown(&self, event: usize) -> Shown {
        let (Node::Event(id), Some(what)) = (self.graph.nodes[event], self.graph.event(event)) else {
            unreachable!("initial writes are not shown")
        };
        let trace = &self.graph.world.traces[id.thread];
        let step = self.graph.steps.iter().find(|(_, write)| *write == event).map(|(read, _)| self.numbers[read]);
        let from = self.graph.reads_from[event].map(|from| self.numbers.get(&from).copied());
        Shown {
            number: self.numbers[&event],
            thread: id.thread,
            kind: what.kind,
            text: self.text(what),
            span: what.span,
            library: what.library.map(|function| self.program.function(function).name.clone()),
            from: if what.kind == Kind::Read { from } else { None },
            step,
            addr: self.sources(id, trace.addr[id.index]),
            data: self.sources(id, trace.data[id.index]),
            ctrl: self.sources(id, trace.ctrl[id.index]),
        }
    }

    fn sources(&self, id: EventId, taint: Taint) -> Vec<usize> {
        let source = |bit: &usize| taint >> *bit & 1 == 1;
        let number = |index| self.graph.number(EventId { thread: id.thread, index });
        let mut sources: Vec<usize> = (0..id.index)
            .filter(source)
            .filter_map(number)
            .filter_map(|event| self.numbers.get(&event).copied())
            .collect();
        sources.sort_unstable();
        sources
    }

    fn text(&self, event: &Event) -> String {
        let order = match event.order {
            Order::Plain => "",
            Order::Relaxed => " (relaxed)",
            Order::Acquire => " (acquire)",
            Order::Release => " (release)",
            Order::AcqRel => " (acq_rel)",
            Order::SeqCst => " (seq_cst)",
        };
        let value = || self.value(event.ty, event.value);
        match (event.kind, event.cell) {
            (Kind::Read, Some(Cell::Start(_))) => "begins".to_owned(),
            (Kind::Write, Some(Cell::Start(thread))) => format!("creates {}", self.name(thread)),
            (Kind::Read, Some(Cell::End(thread))) => format!("joins {}", self.name(thread)),
            (Kind::Write, Some(Cell::End(_))) => "ends".to_owned(),
            (Kind::Read, Some(cell)) => format!("read {} = {}{order}", self.cell(cell), value()),
            (Kind::Write, Some(cell)) => format!("write {} = {}{order}", self.cell(cell), value()),
            (Kind::Fence, _) | (_, None) => {
                let tags = if event.tags.is_empty() { String::new() } else { format!(" {}", event.tags.join(" ")) };
                format!("fence{tags}{order}")
            }
        }
    }

    fn cell(&self, cell: Cell) -> String {
        match cell {
            Cell::Memory { object, offset, size } => self.place(object, offset, size),
            Cell::Start(thread) => format!("start of {}", self.name(thread)),
            Cell::End(thread) => format!("end of {}", self.name(thread)),
        }
    }

    fn place(&self, object: ObjectId, offset: u64, size: u64) -> String {
        let Some(info) = self.graph.world.info(object) else { return "?".to_owned() };
        let kind = match info.kind {
            ObjectKind::Global(id) => place::ObjectKind::Global(id),
            ObjectKind::ThreadLocal(id) => place::ObjectKind::ThreadLocal(id),
            ObjectKind::Local { function, local } => place::ObjectKind::Local { function, local },
            ObjectKind::Heap { number, .. } => place::ObjectKind::Heap { number },
            ObjectKind::Stack { number, .. } => place::ObjectKind::Stack { number },
        };
        let owner = ThreadIndex(object.owner.saturating_sub(1));
        let object = place::Object { kind, owner, ty: info.ty, size: info.size, made_at: info.span };
        let name = |thread: ThreadIndex| Some(self.name(thread.index()));
        place::Location { object, offset, size }.written(self.program, &name)
    }

    fn value(&self, ty: Ty, value: Value) -> String {
        let Some(bits) = value.bits else { return "?".to_owned() };
        if ty != Ty::Ptr {
            let unused = 64 - ty.bits(self.program.target);
            return match ty {
                Ty::F64 => f64::from_bits(bits).to_string(),
                Ty::F32 => f32::from_bits(norn_ir::number::low_32(bits)).to_string(),
                _ => ((bits << unused).cast_signed() >> unused).to_string(),
            };
        }
        let object = value.object.and_then(|object| Some((object, self.graph.world.info(object)?)));
        match (bits, object) {
            (0, _) => "null".to_owned(),
            (_, Some((object, info))) => format!("&{}", self.place(object, bits.wrapping_sub(info.base), 0)),
            _ => match function_at(bits, self.program.functions.len()) {
                Some(function) => self.program.function(function).name.clone(),
                None => format!("{bits:#x}"),
            },
        }
    }
}

/// The events of threads, in an order that explains values.
fn explaining(graph: &Graph<'_, '_>) -> Vec<usize> {
    let mut open: Vec<usize> = (0..graph.nodes.len()).filter(|&event| graph.event(event).is_some()).collect();
    let mut order: Vec<usize> = Vec::new();
    while !open.is_empty() {
        let is_first = |event: usize| !open.iter().any(|&other| graph.po.has(other, event));
        let has_source = |event: usize| graph.reads_from[event].is_none_or(|from| !open.contains(&from));
        // What goes on where the last one was is easiest to follow.
        let last = order.last().copied();
        let goes_on = |event: usize| last.is_some_and(|last: usize| graph.po.has(last, event));
        let ready: Vec<usize> = open.iter().copied().filter(|&event| is_first(event)).collect();
        let next = ready.iter().copied().find(|&event| has_source(event) && goes_on(event));
        let next = next.or_else(|| ready.iter().copied().find(|&event| has_source(event)));
        // A read that comes before its source in all orders: loads were overtaken.
        let Some(next) = next.or_else(|| ready.first().copied()) else { break };
        open.retain(|&event| event != next);
        order.push(next);
    }
    order
}

impl Picture {
    /// A line for each event, then the orders of writes. `place` writes a place of the source.
    pub fn text(&self, place: &dyn Fn(Span) -> String) -> String {
        let mut rows: Vec<[String; 4]> = Vec::new();
        for event in &self.events {
            let mut what = event.text.clone();
            match event.from {
                Some(None) => what += ", the initial value",
                Some(Some(from)) if !what.starts_with("begins") => {
                    let _ =
                        write!(what, ", from {from}{}", if from > event.number { ", which comes later" } else { "" });
                }
                Some(Some(from)) => {
                    let _ = write!(what, ", by {from}");
                }
                None => {}
            }
            if let Some(step) = event.step {
                let _ = write!(what, ", one step with {step}");
            }
            for (word, sources) in [("address", &event.addr), ("value", &event.data), ("control", &event.ctrl)] {
                if !sources.is_empty() {
                    let sources = sources.iter().map(ToString::to_string).collect::<Vec<_>>();
                    let _ = write!(what, "; {word} by {}", sources.join(", "));
                }
            }
            let mut at = if event.span == Span::NONE { String::new() } else { place(event.span) };
            if let Some(library) = &event.library {
                let _ = write!(at, " {library}");
            }
            rows.push([event.number.to_string(), self.threads[event.thread].name.clone(), at, what]);
        }
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2)];
        let mut text = String::new();
        for [number, thread, at, what] in &rows {
            let [first, second, third] = widths;
            let _ = writeln!(text, "{number:>first$}  {thread:second$}  {at:third$}  {what}");
        }
        for (place, order) in &self.orders {
            let order = order.iter().map(ToString::to_string).collect::<Vec<_>>();
            let _ = writeln!(text, "order of the writes to {place}: {}", order.join(", "));
        }
        text
    }

    /// In the language of Graphviz: a column for each thread.
    pub fn dot(&self, title: &str, place: &dyn Fn(Span) -> String) -> String {
        let mut text = format!("digraph execution {{\n  label={}; labelloc=t; node [shape=box];\n", quoted(title));
        for (thread, info) in self.threads.iter().enumerate() {
            let label = quoted(&format!("{} ({})", info.name, info.function));
            let _ = writeln!(text, "  subgraph cluster_{thread} {{ label={label};");
            let own: Vec<&Shown> = self.events.iter().filter(|event| event.thread == thread).collect();
            for event in &own {
                let at = if event.span == Span::NONE { String::new() } else { format!("\n{}", place(event.span)) };
                let _ = writeln!(
                    text,
                    "    e{} [label={}];",
                    event.number,
                    quoted(&format!("{}: {}{at}", event.number, event.text))
                );
            }
            for pair in own.windows(2) {
                let _ = writeln!(text, "    e{} -> e{} [label=\"po\"];", pair[0].number, pair[1].number);
            }
            text.push_str("  }\n");
        }
        let mut edge = |from: usize, to: usize, label: &str, colour: &str| {
            let _ = writeln!(
                text,
                "  e{from} -> e{to} [label=\"{label}\", color={colour}, fontcolor={colour}, constraint=false];"
            );
        };
        for event in &self.events {
            if let Some(Some(from)) = event.from {
                edge(from, event.number, "rf", "red");
            }
            if let Some(read) = event.step {
                edge(read, event.number, "rmw", "brown");
            }
            for (label, sources) in [("addr", &event.addr), ("data", &event.data), ("ctrl", &event.ctrl)] {
                sources.iter().for_each(|&source| edge(source, event.number, label, "purple"));
            }
        }
        for (_, order) in &self.orders {
            order.windows(2).for_each(|pair| edge(pair[0], pair[1], "co", "blue"));
        }
        text.push_str("}\n");
        text
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.extend(c.escape_default()),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
