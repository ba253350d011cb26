//! Execution graphs: the events of all threads or of a part of them, what each read reads from, and the order of the
//! writes to each cell, as far as it is known.
//!
//! Events are numbered: the initial writes first, one per cell that is accessed, then the events of each thread in program
//! order.

use std::collections::BTreeMap;

use norn_cat::{Execution, Relation, Set};

use crate::event::{Cell, Event, EventId, Kind, Source, Trace};
use crate::value::Taint;
use crate::world::World;

/// An event of a graph: an initial write, or one of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    Initial(Cell),
    Event(EventId),
}

pub struct Graph<'g, 'b> {
    pub world: &'g World<'b>,
    pub nodes: Vec<Node>,
    numbers: BTreeMap<EventId, usize>,
    initial: BTreeMap<Cell, usize>,
    /// Per event, what it reads from.
    pub reads_from: Vec<Option<usize>>,
    pub po: Relation,
    loc: Relation,
    int: Relation,
    /// Read and write of one step.
    pub steps: Vec<(usize, usize)>,
    /// Transitive; not all writes to a cell need to be in order.
    pub co: Relation,
}

impl<'g, 'b> Graph<'g, 'b> {
    /// The graph of the events that are `wanted`. `source` is what a read reads from; what a read that is wanted reads
    /// from should be wanted, too. The order of the writes is that of the initial ones before all others.
    pub fn new(
        world: &'g World<'b>,
        wanted: &dyn Fn(EventId, &Event) -> bool,
        source: &dyn Fn(EventId, &Event) -> Option<Source>,
    ) -> Graph<'g, 'b> {
        let mut events: Vec<EventId> = Vec::new();
        for (thread, trace) in world.traces.iter().enumerate() {
            let all = trace.events.iter().enumerate().map(|(index, event)| (EventId { thread, index }, event));
            events.extend(all.filter(|(id, event)| wanted(*id, event)).map(|(id, _)| id));
        }
        let cell_of = |id: EventId| world.traces[id.thread].events[id.index].cell;
        let mut nodes: Vec<Node> = Vec::new();
        let mut initial = BTreeMap::new();
        for cell in events.iter().filter_map(|&id| cell_of(id)).filter(|cell| matches!(cell, Cell::Memory { .. })) {
            initial.entry(cell).or_insert(0);
        }
        for (cell, number) in &mut initial {
            *number = nodes.len();
            nodes.push(Node::Initial(*cell));
        }
        let numbers = events.iter().enumerate().map(|(at, &id)| (id, nodes.len() + at)).collect();
        nodes.extend(events.into_iter().map(Node::Event));
        let count = nodes.len();
        let empty = || Relation::empty(count);
        let mut graph = Graph {
            world,
            nodes,
            numbers,
            initial,
            reads_from: vec![None; count],
            po: empty(),
            loc: empty(),
            int: empty(),
            steps: Vec::new(),
            co: empty(),
        };
        graph.relate();
        for number in 0..count {
            let Node::Event(id) = graph.nodes[number] else { continue };
            let event = &world.traces[id.thread].events[id.index];
            if event.kind == Kind::Read {
                graph.reads_from[number] = source(id, event).and_then(|source| graph.source(source, event));
            }
        }
        graph
    }

    /// The number of what a read reads from, if it is in the graph.
    fn source(&self, source: Source, read: &Event) -> Option<usize> {
        match source {
            Source::Initial => self.initial.get(&read.cell?).copied(),
            Source::Event(id) => self.numbers.get(&id).copied(),
        }
    }

    /// What depends on the events alone.
    fn relate(&mut self) {
        let about = |number: usize| {
            let thread = match self.nodes[number] {
                Node::Initial(_) => None,
                Node::Event(id) => Some(id.thread),
            };
            (thread, self.cell(number), self.kind(number))
        };
        let all: Vec<_> = (0..self.nodes.len()).map(about).collect();
        for (a, (first, cell, _)) in all.iter().enumerate() {
            for (b, (second, other, kind)) in all.iter().enumerate() {
                if first == second {
                    self.int.insert(a, b);
                    if first.is_some() && a < b {
                        self.po.insert(a, b);
                    }
                }
                if cell.is_some() && cell == other {
                    self.loc.insert(a, b);
                    if first.is_none() && a != b && *kind == Kind::Write {
                        self.co.insert(a, b);
                    }
                }
            }
        }
        for (thread, trace) in self.world.traces.iter().enumerate() {
            for &(read, write) in trace.amo.iter().chain(&trace.lxsx) {
                let number = |index| self.numbers.get(&EventId { thread, index }).copied();
                if let (Some(read), Some(write)) = (number(read), number(write)) {
                    self.steps.push((read, write));
                }
            }
        }
    }

    pub fn number(&self, id: EventId) -> Option<usize> {
        self.numbers.get(&id).copied()
    }

    /// The event of a thread with that number.
    pub fn event(&self, number: usize) -> Option<&'g Event> {
        match self.nodes[number] {
            Node::Initial(_) => None,
            Node::Event(id) => Some(&self.world.traces[id.thread].events[id.index]),
        }
    }

    pub fn cell(&self, number: usize) -> Option<Cell> {
        match self.nodes[number] {
            Node::Initial(cell) => Some(cell),
            Node::Event(_) => self.event(number)?.cell,
        }
    }

    pub fn kind(&self, number: usize) -> Kind {
        self.event(number).map_or(Kind::Write, |event| event.kind)
    }

    /// The cells that are accessed, each with its writes and its reads.
    pub fn cells(&self) -> BTreeMap<Cell, (Vec<usize>, Vec<usize>)> {
        let mut cells: BTreeMap<Cell, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for number in 0..self.nodes.len() {
            let Some(cell) = self.cell(number) else { continue };
            let (writes, reads) = cells.entry(cell).or_default();
            if self.kind(number) == Kind::Write { writes } else { reads }.push(number);
        }
        cells
    }

    fn rf(&self) -> Relation {
        let pairs = self.reads_from.iter().enumerate().filter_map(|(read, from)| Some(((*from)?, read)));
        Relation::of(self.nodes.len(), pairs)
    }

    fn fr(&self) -> Relation {
        self.rf().inverse().compose(&self.co)
    }

    fn dependencies(&self, of: impl Fn(&Trace) -> &[Taint]) -> Relation {
        let mut relation = Relation::empty(self.nodes.len());
        for (&EventId { thread, index }, &to) in &self.numbers {
            let sources = of(&self.world.traces[thread])[index];
            for source in (0..index).filter(|bit| sources >> bit & 1 == 1) {
                if let Some(&from) = self.numbers.get(&EventId { thread, index: source }) {
                    relation.insert(from, to);
                }
            }
        }
        relation
    }

    fn pairs(&self, of: impl Fn(&Trace) -> &[(usize, usize)]) -> Relation {
        let mut relation = Relation::empty(self.nodes.len());
        for (thread, trace) in self.world.traces.iter().enumerate() {
            for &(read, write) in of(trace) {
                let number = |index| self.numbers.get(&EventId { thread, index });
                if let (Some(&read), Some(&write)) = (number(read), number(write)) {
                    relation.insert(read, write);
                }
            }
        }
        relation
    }
}

impl Execution for Graph<'_, '_> {
    fn events(&self) -> usize {
        self.nodes.len()
    }

    fn set(&self, name: &str) -> Set {
        let of = |belongs: &dyn Fn(usize) -> bool| {
            Set::of(self.nodes.len(), (0..self.nodes.len()).filter(|&number| belongs(number)))
        };
        match name {
            "R" => of(&|number| self.kind(number) == Kind::Read),
            "W" => of(&|number| self.kind(number) == Kind::Write),
            "M" => of(&|number| self.kind(number) != Kind::Fence),
            "F" => of(&|number| self.kind(number) == Kind::Fence),
            "IW" => of(&|number| self.event(number).is_none()),
            tag => of(&|number| self.event(number).is_some_and(|event| event.tags.contains(&tag))),
        }
    }

    fn relation(&self, name: &str) -> Relation {
        match name {
            // Every access is one event.
            "id" | "si" => Relation::identity(self.nodes.len()),
            "int" => self.int.clone(),
            "ext" => self.int.complement(),
            "loc" => self.loc.clone(),
            "po" => self.po.clone(),
            "po-loc" => self.po.intersection(&self.loc),
            "addr" => self.dependencies(|trace| &trace.addr),
            "data" => self.dependencies(|trace| &trace.data),
            "ctrl" => self.dependencies(|trace| &trace.ctrl),
            "amo" => self.pairs(|trace| &trace.amo),
            "lxsx" => self.pairs(|trace| &trace.lxsx),
            "rmw" => Relation::of(self.nodes.len(), self.steps.iter().copied()),
            "rf" => self.rf(),
            "rfi" => self.rf().intersection(&self.int),
            "rfe" => self.rf().difference(&self.int),
            "co" => self.co.clone(),
            "coi" => self.co.intersection(&self.int),
            "coe" => self.co.difference(&self.int),
            "fr" => self.fr(),
            "fri" => self.fr().intersection(&self.int),
            "fre" => self.fr().difference(&self.int),
            other => unreachable!("'{other}' should be one of the relations of executions"),
        }
    }
}
