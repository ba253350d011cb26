//! The choices that remain when the events are known, cell by cell: who reads from whom, and in which order the writes
//! are.
//!
//! For a model that keeps all accesses to one cell coherent, the choices that are not are left out from the start. An
//! execution is coherent if `po-loc`, `rf`, `co` and `fr` have no cycle, and that is so exactly if it has none of the
//! shapes CoWW, CoWR, CoRW1, CoRW2 and CoRR (Alglave, Maranget and Tautschnig, "Herding cats", 2014, section 4.4), which are
//! about one cell each.

use std::collections::BTreeMap;

use norn_cat::Model;

use crate::graph::Graph;
use crate::program::Cell;
use crate::run::Kind;

/// What the reads of a cell read from, and the orders of its writes that go with that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Reads and the writes they read from.
    pub reads: Vec<(usize, usize)>,
    /// Each with the initial write first.
    pub orders: Vec<Vec<usize>>,
}

/// Orders of the writes to one cell that are looked at.
const MAX_ORDERS: usize = 50_000;

/// What a model is known to demand of each cell by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Demands {
    /// That its accesses are coherent.
    pub coherent: bool,
    /// That no other thread writes between the two halves of an atomic step.
    pub atomic: bool,
}

impl Demands {
    pub fn of(model: &Model) -> Demands {
        Demands { coherent: model.is_coherent(), atomic: model.is_atomic() }
    }
}

/// All choices for a cell; `None` if there are too many. `accepts` says whether the last write may be the last.
pub fn choices(
    graph: &Graph<'_>,
    cell: Cell,
    demands: Demands,
    accepts: &dyn Fn(usize) -> bool,
) -> Option<Vec<Choice>> {
    let of_kind = |kind: Kind| {
        let is_it = move |event: &usize| graph.nodes[*event].cell == Some(cell) && graph.nodes[*event].kind == kind;
        (0..graph.nodes.len()).filter(is_it).collect::<Vec<_>>()
    };
    let (writes, reads) = (of_kind(Kind::Write), of_kind(Kind::Read));
    let mut search = Search { graph, demands, reads: &reads, found: BTreeMap::new(), orders: 0 };
    let Some((&initial, others)) = writes.split_first() else { return Some(Vec::new()) };
    let mut order = vec![initial];
    let mut rest = others.to_vec();
    let complete = search.orders(&mut order, &mut rest, accepts);
    let choice = |(reads, orders)| Choice { reads, orders };
    complete.then(|| search.found.into_iter().map(choice).collect())
}

struct Search<'s, 'g> {
    graph: &'s Graph<'g>,
    demands: Demands,
    /// In program order within each thread.
    reads: &'s [usize],
    /// Orders by what the reads read from.
    found: BTreeMap<Vec<(usize, usize)>, Vec<Vec<usize>>>,
    orders: usize,
}

impl Search<'_, '_> {
    /// Whether one event is before another in the same thread.
    fn before(&self, earlier: usize, later: usize) -> bool {
        let (a, b) = (&self.graph.nodes[earlier], &self.graph.nodes[later]);
        a.thread.is_some() && a.thread == b.thread && a.index < b.index
    }

    fn orders(&mut self, order: &mut Vec<usize>, rest: &mut Vec<usize>, accepts: &dyn Fn(usize) -> bool) -> bool {
        if rest.is_empty() {
            self.orders += 1;
            if self.orders > MAX_ORDERS {
                return false;
            }
            if order.last().is_some_and(|&last| accepts(last)) {
                self.sources(order, &mut Vec::new());
            }
            return true;
        }
        for position in 0..rest.len() {
            let next = rest[position];
            // CoWW.
            if self.demands.coherent && rest.iter().any(|&other| self.before(other, next)) {
                continue;
            }
            if !self.may_follow(order, next) {
                continue;
            }
            rest.remove(position);
            order.push(next);
            let complete = self.orders(order, rest, accepts);
            order.pop();
            rest.insert(position, next);
            if !complete {
                return false;
            }
        }
        true
    }

    /// Whether a write may be next in the order: if it is one half of an atomic step, the other half reads from a write
    /// with no other thread's between.
    fn may_follow(&self, order: &[usize], write: usize) -> bool {
        let read = if self.demands.atomic { self.graph.read_of(write) } else { None };
        read.is_none_or(|read| self.may_read(order, order.len(), read).is_some())
    }

    /// The first place in the order from which the read of an atomic step may read, if there is one; its write comes at
    /// `end`.
    fn may_read(&self, order: &[usize], end: usize, read: usize) -> Option<usize> {
        let thread = self.graph.nodes[read].thread;
        let mut first = None;
        for position in (0..end).rev() {
            let write = order[position];
            if self.graph.nodes[write].value == self.graph.nodes[read].value {
                first = Some(position);
            }
            if self.graph.nodes[write].thread != thread {
                break;
            }
        }
        first
    }

    /// Gives each read a write, one read after the other.
    fn sources(&mut self, order: &[usize], chosen: &mut Vec<(usize, usize)>) {
        let Some(&read) = self.reads.get(chosen.len()) else {
            self.found.entry(chosen.clone()).or_default().push(order.to_vec());
            return;
        };
        let mut places = 0..order.len();
        if self.demands.atomic
            && let Some(write) = self.graph.write_of(read)
            && let Some(end) = order.iter().position(|&other| other == write)
        {
            places = self.may_read(order, end, read).map_or(0..0, |first| first..end);
        }
        for position in places {
            let write = order[position];
            if self.graph.nodes[write].value != self.graph.nodes[read].value {
                continue;
            }
            if self.demands.coherent && !self.is_coherent(order, chosen, read, position) {
                continue;
            }
            chosen.push((read, write));
            self.sources(order, chosen);
            chosen.pop();
        }
    }

    fn is_coherent(&self, order: &[usize], chosen: &[(usize, usize)], read: usize, position: usize) -> bool {
        // CoWR, CoRW1, CoRW2: no write before the read comes later in the order, none after it is the source or earlier.
        let writes = order.iter().enumerate().all(|(other, &write)| {
            !(self.before(write, read) && other > position || self.before(read, write) && other <= position)
        });
        // CoRR.
        let place = |write: usize| order.iter().position(|&other| other == write);
        let reads = chosen.iter().all(|&(earlier, write)| {
            !self.before(earlier, read) || place(write).is_some_and(|earlier| earlier <= position)
        });
        writes && reads
    }
}
