//! Execution graphs: the events of all threads, which write each read reads from, and the order of the writes to each
//! cell. All other relations are computed from these.
//!
//! Events are numbered: the initial writes first, one per cell that is accessed, then the events of each thread in program order.

use norn_cat::{Execution, Relation, Set};

use crate::program::{Cell, Program};
use crate::run::{Kind, Trace};

/// An event of an execution graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// `None` for an initial write.
    pub thread: Option<usize>,
    /// Among the events of the thread.
    pub index: usize,
    pub kind: Kind,
    pub cell: Option<Cell>,
    pub value: u64,
}

/// An execution graph.
pub struct Graph<'g> {
    pub program: &'g Program,
    /// One per thread.
    pub traces: Vec<&'g Trace>,
    pub nodes: Vec<Node>,
    /// The number of the first event of each thread.
    first: Vec<usize>,
    /// Per event, what it reads from, if it is a read and that is chosen.
    pub reads_from: Vec<Option<usize>>,
    /// Per cell, its writes in coherence order, the initial one first.
    pub coherence: Vec<Vec<usize>>,
    po: Relation,
    loc: Relation,
    int: Relation,
    si: Relation,
}

impl<'g> Graph<'g> {
    /// The graph of these traces. Who reads from whom and the coherence order are still to be chosen.
    pub fn new(program: &'g Program, traces: Vec<&'g Trace>) -> Graph<'g> {
        let mut nodes: Vec<Node> = Vec::new();
        let accessed = |cell: usize| {
            traces.iter().any(|trace| trace.events.iter().any(|event| event.cell == Some(Cell::new(cell))))
        };
        for (index, cell) in program.cells.iter().enumerate().filter(|(index, _)| accessed(*index)) {
            let value = cell.width.truncate(cell.init);
            nodes.push(Node { thread: None, index, kind: Kind::Write, cell: Some(Cell::new(index)), value });
        }
        let mut first = Vec::new();
        for (thread, trace) in traces.iter().enumerate() {
            first.push(nodes.len());
            for (index, event) in trace.events.iter().enumerate() {
                let (kind, cell, value) = (event.kind, event.cell, event.value);
                nodes.push(Node { thread: Some(thread), index, kind, cell, value });
            }
        }
        let count = nodes.len();
        let same = |a: usize, b: usize| nodes[a].thread == nodes[b].thread;
        let mut po = Relation::empty(count);
        let mut loc = Relation::empty(count);
        let mut int = Relation::empty(count);
        let mut si = Relation::identity(count);
        let access = |event: usize| {
            let Node { thread, index, .. } = nodes[event];
            thread.map(|thread| traces[thread].events[index].access)
        };
        for a in 0..count {
            for b in 0..count {
                if same(a, b) {
                    int.insert(a, b);
                    if nodes[a].thread.is_some() && access(a) == access(b) {
                        si.insert(a, b);
                    } else if a < b && nodes[a].thread.is_some() {
                        po.insert(a, b);
                    }
                }
                if nodes[a].cell.is_some() && nodes[a].cell == nodes[b].cell {
                    loc.insert(a, b);
                }
            }
        }
        let coherence = vec![Vec::new(); program.cells.len()];
        Graph { program, traces, nodes, first, reads_from: vec![None; count], coherence, po, loc, int, si }
    }

    /// The number of an event of a thread.
    pub fn number(&self, thread: usize, index: usize) -> usize {
        self.first[thread] + index
    }

    /// The initial write of a cell that is accessed.
    pub fn initial(&self, cell: Cell) -> Option<usize> {
        self.nodes.iter().position(|node| node.thread.is_none() && node.cell == Some(cell))
    }

    /// The value of a cell when all is done.
    pub fn last_value(&self, cell: Cell) -> u64 {
        let last = self.coherence[cell.index()].last();
        let info = &self.program.cells[cell.index()];
        last.map_or_else(|| info.width.truncate(info.init), |&write| self.nodes[write].value)
    }

    /// The write of the atomic step that the event is the read of.
    pub fn write_of(&self, read: usize) -> Option<usize> {
        self.other_half(read, |&(read, write)| (read, write))
    }

    /// The read of the atomic step that the event is the write of.
    pub fn read_of(&self, write: usize) -> Option<usize> {
        self.other_half(write, |&(read, write)| (write, read))
    }

    fn other_half(&self, event: usize, order: impl Fn(&(usize, usize)) -> (usize, usize)) -> Option<usize> {
        let node = &self.nodes[event];
        let thread = node.thread?;
        let mut steps = self.traces[thread].amo.iter().chain(&self.traces[thread].lxsx).map(order);
        let (_, other) = steps.find(|(this, _)| *this == node.index)?;
        Some(self.number(thread, other))
    }

    fn rf(&self) -> Relation {
        let read = self.reads_from.iter().enumerate();
        Relation::of(self.nodes.len(), read.filter_map(|(read, from)| from.map(|write| (write, read))))
    }

    fn co(&self) -> Relation {
        let mut co = Relation::empty(self.nodes.len());
        for order in &self.coherence {
            for (position, &earlier) in order.iter().enumerate() {
                order[position + 1..].iter().for_each(|&later| co.insert(earlier, later));
            }
        }
        co
    }

    fn fr(&self) -> Relation {
        let mut fr = Relation::empty(self.nodes.len());
        for (read, from) in self.reads_from.iter().enumerate() {
            let Some(from) = *from else { continue };
            let Some(cell) = self.nodes[from].cell else { continue };
            let order = &self.coherence[cell.index()];
            let after = order.iter().skip_while(|&&write| write != from).skip(1);
            after.for_each(|&later| fr.insert(read, later));
        }
        fr
    }

    fn dependencies(&self, of: impl Fn(&Trace) -> &[u128]) -> Relation {
        let mut relation = Relation::empty(self.nodes.len());
        for (thread, trace) in self.traces.iter().enumerate() {
            for (index, &sources) in of(trace).iter().enumerate() {
                let source = |bit: &usize| sources >> *bit & 1 == 1;
                for bit in (0..index).filter(source) {
                    relation.insert(self.number(thread, bit), self.number(thread, index));
                }
            }
        }
        relation
    }

    fn pairs(&self, of: impl Fn(&Trace) -> &[(usize, usize)]) -> Relation {
        let mut relation = Relation::empty(self.nodes.len());
        for (thread, trace) in self.traces.iter().enumerate() {
            for &(read, write) in of(trace) {
                relation.insert(self.number(thread, read), self.number(thread, write));
            }
        }
        relation
    }

    fn has_tag(&self, event: usize, name: &str) -> bool {
        let node = &self.nodes[event];
        node.thread.is_some_and(|thread| {
            let event = &self.traces[thread].events[node.index];
            event.tags(&self.program.threads[thread]).has(name)
        })
    }
}

impl Execution for Graph<'_> {
    fn events(&self) -> usize {
        self.nodes.len()
    }

    fn set(&self, name: &str) -> Set {
        let kind_is = |kinds: &[Kind]| {
            let members = self.nodes.iter().enumerate().filter(|(_, node)| kinds.contains(&node.kind));
            Set::of(self.nodes.len(), members.map(|(event, _)| event))
        };
        match name {
            "R" => kind_is(&[Kind::Read]),
            "W" => kind_is(&[Kind::Write]),
            "M" => kind_is(&[Kind::Read, Kind::Write]),
            "F" => kind_is(&[Kind::Fence]),
            "IW" => {
                let initial = (0..self.nodes.len()).filter(|&event| self.nodes[event].thread.is_none());
                Set::of(self.nodes.len(), initial)
            }
            tag => Set::of(self.nodes.len(), (0..self.nodes.len()).filter(|&event| self.has_tag(event, tag))),
        }
    }

    fn relation(&self, name: &str) -> Relation {
        match name {
            "id" => Relation::identity(self.nodes.len()),
            "int" => self.int.clone(),
            "ext" => self.int.complement(),
            "loc" => self.loc.clone(),
            "si" => self.si.clone(),
            "po" => self.po.clone(),
            "po-loc" => self.po.intersection(&self.loc),
            "addr" => self.dependencies(|trace| &trace.addr),
            "data" => self.dependencies(|trace| &trace.data),
            "ctrl" => self.dependencies(|trace| &trace.ctrl),
            "amo" => self.pairs(|trace| &trace.amo),
            "lxsx" => self.pairs(|trace| &trace.lxsx),
            "rmw" => self.pairs(|trace| &trace.amo).union(&self.pairs(|trace| &trace.lxsx)),
            "rf" => self.rf(),
            "rfi" => self.rf().intersection(&self.int),
            "rfe" => self.rf().difference(&self.int),
            "co" => self.co(),
            "coi" => self.co().intersection(&self.int),
            "coe" => self.co().difference(&self.int),
            "fr" => self.fr(),
            "fri" => self.fr().intersection(&self.int),
            "fre" => self.fr().difference(&self.int),
            other => unreachable!("'{other}' should be one of the relations of executions"),
        }
    }
}
