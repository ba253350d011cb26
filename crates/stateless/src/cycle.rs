//! Whether the trace of Shasha and Snir of the current execution has a cycle, and how short one is.
//!
//! The chronological trace ([`crate::trace`]) never has a cycle, because a store and its commit are two events there.
//! Here they are one node, whose value other threads read and overwrite. The steps of one thread are in program order
//! under every model.
//!
//! The search asks at the end of every execution. So the first question is whether there is a cycle at all, and it is
//! answered with as few edges as possible. The reference machine finds the cycle again, in its own trace.

use crate::cells::CellId;
use crate::footprint::{Footprints, STORED};
use crate::trace::{EventNumber, Trace};
use norn_exec::ThreadIdentity;
use norn_verdict::schedule::StepNumber;

/// What is known about the accesses of one cell.
#[derive(Default)]
struct Cell {
    /// Nodes in the order in which their writes reached memory.
    writes: Vec<EventNumber>,
    /// The nodes that read, each with what it saw.
    reads: Vec<(EventNumber, Seen)>,
}

/// What a read saw of its cell.
#[derive(Clone, Copy)]
enum Seen {
    /// The last of this many writes that had reached memory.
    Writes(usize),
    /// A buffered store of the own thread, by its node.
    Own(EventNumber),
}

/// Nodes are visible steps, numbered as the events of the trace (where commits have no node). Kept from one execution
/// to the next for its memory only.
#[derive(Default)]
pub struct CycleFinder {
    cells: Vec<Cell>,
    touched: Vec<CellId>,
    clocks: Vec<Vec<StepNumber>>,
    /// For each node and thread: the last of the thread's steps that comes before it by program order, creation and join.
    before: Vec<StepNumber>,
    /// By node: its thread and step.
    names: Vec<(ThreadIdentity, StepNumber)>,
    successors: Vec<Vec<EventNumber>>,
    open: Vec<u32>,
    free: Vec<EventNumber>,
}

const NO_NODE: (ThreadIdentity, StepNumber) = (ThreadIdentity(u32::MAX), StepNumber::NONE);

impl CycleFinder {
    /// The number of steps of a shortest cycle, if there is one.
    pub fn shortest(&mut self, trace: &Trace, footprints: &Footprints, threads: usize) -> Option<usize> {
        self.order_threads(trace, threads);
        self.order_accesses(trace, footprints);
        let candidates = self.on_cycles(trace, threads);
        if candidates.is_empty() {
            return None;
        }
        self.measure(&candidates, threads)
    }

    /// Program order, creations and joins.
    fn order_threads(&mut self, trace: &Trace, threads: usize) {
        self.clocks.resize(threads, Vec::new());
        for clock in &mut self.clocks {
            clock.clear();
            clock.resize(threads, StepNumber::NONE);
        }
        self.before.clear();
        self.names.clear();
        let mut links = trace.links.iter().peekable();
        for (number, event) in trace.events.iter().enumerate() {
            while let Some(link) = links.next_if(|link| link.events <= number) {
                let earlier = std::mem::take(&mut self.clocks[link.before.index()]);
                let later = &mut self.clocks[link.after.index()];
                later.iter_mut().zip(&earlier).for_each(|(own, &other)| *own = (*own).max(other));
                self.clocks[link.before.index()] = earlier;
            }
            let clock = &mut self.clocks[event.process.thread.index()];
            self.before.extend_from_slice(clock);
            if event.process.is_thread() {
                let step = &mut clock[event.process.thread.index()];
                *step = step.next();
                self.names.push((event.process.thread, *step));
            } else {
                self.names.push(NO_NODE);
            }
        }
    }

    fn order_accesses(&mut self, trace: &Trace, footprints: &Footprints) {
        for &cell in &self.touched {
            self.cells[cell.index()].writes.clear();
            self.cells[cell.index()].reads.clear();
        }
        self.touched.clear();
        for number in EventNumber::all(trace.len()) {
            let event = trace.event(number);
            let thread = event.process.thread;
            let node = match event.process.step {
                StepNumber::NONE => number,
                step => trace.step_of(thread, step),
            };
            for access in
                footprints.accesses(event.footprint).iter().filter(|access| access.happened && access.cell != STORED)
            {
                if self.cells.len() <= access.cell.index() {
                    self.cells.resize_with(access.cell.index() + 1, Cell::default);
                }
                let cell = &mut self.cells[access.cell.index()];
                if cell.writes.is_empty() && cell.reads.is_empty() {
                    self.touched.push(access.cell);
                }
                match (access.writes, access.own) {
                    (true, _) => cell.writes.push(node),
                    (false, StepNumber::NONE) => cell.reads.push((node, Seen::Writes(cell.writes.len()))),
                    (false, own) => cell.reads.push((node, Seen::Own(trace.step_of(thread, own)))),
                }
            }
        }
        for &cell in &self.touched {
            let Cell { writes, reads } = &mut self.cells[cell.index()];
            reads.retain_mut(|(_, seen)| {
                let Seen::Own(own) = *seen else { return true };
                // A store that the end of the program kept from memory is in no order.
                let at = writes.iter().position(|&write| write == own);
                at.inspect(|&at| *seen = Seen::Writes(at + 1)).is_some()
            });
        }
    }

    /// The nodes that are left when those without predecessors are taken away, again and again, and then those without
    /// successors: none if there is no cycle.
    fn on_cycles(&mut self, trace: &Trace, threads: usize) -> Vec<EventNumber> {
        let nodes = self.names.len();
        self.successors.resize_with(self.successors.len().max(nodes), Vec::new);
        self.successors[..nodes].iter_mut().for_each(Vec::clear);
        self.open.clear();
        self.open.resize(nodes, 0);
        let (successors, open) = (&mut self.successors, &mut self.open);
        let mut edge = |from: EventNumber, to: EventNumber| {
            if from != to {
                successors[from.index()].push(to);
                open[to.index()] += 1;
            }
        };
        for node in EventNumber::all(nodes).filter(|node| self.names[node.index()] != NO_NODE) {
            let before = &self.before[node.index() * threads..(node.index() + 1) * threads];
            for (thread, &steps) in
                ThreadIdentity::all(threads).zip(before).filter(|(_, steps)| **steps > StepNumber::NONE)
            {
                edge(trace.step_of(thread, steps), node);
            }
        }
        // Neighbours are enough here.
        for &cell in &self.touched {
            let Cell { writes, reads } = &self.cells[cell.index()];
            writes.windows(2).for_each(|pair| edge(pair[0], pair[1]));
            for &(read, seen) in reads {
                let Seen::Writes(count) = seen else { continue };
                if let Some(&write) = count.checked_sub(1).and_then(|at| writes.get(at)) {
                    edge(write, read);
                }
                if let Some(&write) = writes.get(count) {
                    edge(read, write);
                }
            }
        }
        self.free.clear();
        self.free.extend(EventNumber::all(nodes).filter(|node| self.open[node.index()] == 0));
        let mut left = nodes;
        while let Some(node) = self.free.pop() {
            left -= 1;
            self.open[node.index()] = u32::MAX;
            for &next in &self.successors[node.index()] {
                self.open[next.index()] -= 1;
                if self.open[next.index()] == 0 {
                    self.free.push(next);
                }
            }
        }
        if left == 0 {
            return Vec::new();
        }
        let mut candidates: Vec<EventNumber> =
            EventNumber::all(nodes).filter(|node| self.open[node.index()] != u32::MAX).collect();
        loop {
            let length = candidates.len();
            let has_next =
                |node: EventNumber| self.successors[node.index()].iter().any(|next| candidates.contains(next));
            candidates = candidates.iter().copied().filter(|&node| has_next(node)).collect();
            if candidates.len() == length {
                return candidates;
            }
        }
    }

    /// The shortest cycle through these nodes, or through the first of them if they are very many.
    fn measure(&self, candidates: &[EventNumber], threads: usize) -> Option<usize> {
        const MOST_STARTS: usize = 64;
        let place = |node: EventNumber| candidates.iter().position(|&candidate| candidate == node);
        let mut edges = vec![vec![false; candidates.len()]; candidates.len()];
        for (at, &earlier) in candidates.iter().enumerate() {
            let (thread, step) = self.names[earlier.index()];
            for (to, &later) in candidates.iter().enumerate() {
                edges[at][to] = self.before[later.index() * threads + thread.index()] >= step;
            }
        }
        let mut edge = |from: EventNumber, to: EventNumber| {
            if let (true, Some(from), Some(to)) = (from != to, place(from), place(to)) {
                edges[from][to] = true;
            }
        };
        for &cell in &self.touched {
            let Cell { writes, reads } = &self.cells[cell.index()];
            for (at, &write) in writes.iter().enumerate() {
                writes[at + 1..].iter().for_each(|&later| edge(write, later));
            }
            for &(read, seen) in reads {
                let Seen::Writes(count) = seen else { continue };
                let (earlier, later) = writes.split_at(count);
                earlier.last().into_iter().for_each(|&write| edge(write, read));
                later.iter().for_each(|&write| edge(read, write));
            }
        }
        (0..candidates.len().min(MOST_STARTS)).filter_map(|start| way_back(&edges, start)).min()
    }
}

/// The number of edges on a shortest way from a node back to itself.
fn way_back(edges: &[Vec<bool>], start: usize) -> Option<usize> {
    let mut reached = vec![false; edges.len()];
    let mut wave = vec![start];
    let mut length = 0;
    while !wave.is_empty() {
        length += 1;
        let mut next = Vec::new();
        for node in wave {
            for (to, _) in edges[node].iter().enumerate().filter(|(_, edge)| **edge) {
                if !std::mem::replace(&mut reached[to], true) {
                    next.push(to);
                }
            }
        }
        if reached[start] {
            return Some(length);
        }
        wave = next;
    }
    None
}
