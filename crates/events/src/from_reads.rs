//! From-reads: a read comes before every write that overwrites what it read. Where reads and writes are few this is a
//! clause for each read, source and other write; where they are many, these clauses would fill the formula. Then the
//! theory derives the edges from these tables and from the literals that are true.

use crate::order::{Chain, Node, OrderGraph};
use norn_logic::Lit;
use norn_symex::{EventId, ThreadId};
use rustc_hash::FxHashMap;

norn_ir::ids! {
    /// An index into [`FromReads::reads`].
    ReadId = "read";
    /// An index into the [`FromRead::sources`] of a read.
    SourceId = "source";
    /// An index into the [`FromRead::rivals`] of a read.
    RivalId = "rival";
}

/// A read, its sources, and the other writes that may come between.
#[derive(Clone, Debug)]
pub struct FromRead {
    pub node: Node,
    /// `None` is what was there before all writes. The literal: it is read from here.
    pub sources: Vec<(Option<EventId>, Lit)>,
    /// By event; the literal: it is executed and to the same cell.
    pub rivals: Vec<Rival>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rival {
    pub write: EventId,
    pub node: Node,
    pub happens: Lit,
}

/// All reads, and the order of writes that they depend on.
#[derive(Clone, Default, Debug)]
pub struct FromReads {
    pub reads: Vec<FromRead>,
    /// For writes of different threads: the literal for the first coming before the second.
    pub orders: FxHashMap<(EventId, EventId), Lit>,
    /// By event: its thread.
    pub threads: Vec<ThreadId>,
}

impl FromReads {
    /// The literal for the first write coming before the second, which is to the same cell.
    pub fn order(&self, first: EventId, second: EventId, truth: Lit) -> Option<Lit> {
        if self.threads[first.index()] == self.threads[second.index()] {
            return Some(truth.negate_if(first > second));
        }
        self.orders.get(&(first, second)).copied()
    }

    /// The edges that follow from the literals that hold.
    pub fn edges(&self, truth: Lit, holds: &dyn Fn(Lit) -> bool) -> Vec<(Node, Node)> {
        let mut edges = Vec::new();
        for read in &self.reads {
            let rivals: Vec<&Rival> = read.rivals.iter().filter(|rival| holds(rival.happens)).collect();
            for &(source, _) in read.sources.iter().filter(|source| holds(source.1)) {
                for rival in &rivals {
                    let is_later = match source {
                        None => true,
                        Some(write) => self.order(write, rival.write, truth).is_some_and(holds),
                    };
                    if is_later && source != Some(rival.write) && read.node != rival.node {
                        edges.push((read.node, rival.node));
                    }
                }
            }
        }
        edges
    }
}

/// A read and the source that it reads from.
pub type ReadSource = (ReadId, SourceId);

/// The entries of the tables that a literal concerns when it becomes true.
#[derive(Clone, Default, Debug)]
pub struct Triggers {
    /// Reads whose source it decides.
    pub sources: Vec<ReadSource>,
    /// Reads and rivals that it lets happen.
    pub rivals: Vec<(ReadId, RivalId)>,
    /// Pairs of writes that it orders.
    pub orders: Vec<(EventId, EventId)>,
}

/// The tables, with indices by literal, by node and by place.
pub struct Index {
    pub tables: FromReads,
    /// By literal slot.
    triggers: Vec<Triggers>,
    /// By node: the reads there.
    pub reads_at: Vec<Vec<ReadId>>,
    /// By read, its rivals by chain and position.
    pub rivals_by_place: Vec<Vec<(Chain, u32, RivalId)>>,
}

pub fn slot(literal: Lit) -> usize {
    literal.variable() as usize * 2 + usize::from(literal.is_negative())
}

impl Index {
    pub fn new(tables: FromReads, graph: &OrderGraph) -> Index {
        let mut triggers: Vec<Triggers> = Vec::new();
        let mut at = |literal: Lit| -> usize {
            let slot = slot(literal);
            if triggers.len() <= slot {
                triggers.resize(slot + 1, Triggers::default());
            }
            slot
        };
        let mut reads_at = vec![Vec::new(); graph.node_count()];
        let mut rivals_by_place = Vec::new();
        let mut sources: Vec<(usize, ReadSource)> = Vec::new();
        let mut rivals: Vec<(usize, (ReadId, RivalId))> = Vec::new();
        for (id, read) in ReadId::all(tables.reads.len()).zip(&tables.reads) {
            reads_at[read.node.index()].push(id);
            for (number, &(_, taken)) in SourceId::all(read.sources.len()).zip(&read.sources) {
                sources.push((at(taken), (id, number)));
            }
            let mut places = Vec::new();
            for (number, rival) in RivalId::all(read.rivals.len()).zip(&read.rivals) {
                rivals.push((at(rival.happens), (id, number)));
                let (chain, position) = graph.place(rival.node);
                places.push((chain, position, number));
            }
            places.sort_unstable();
            rivals_by_place.push(places);
        }
        let mut orders: Vec<((EventId, EventId), Lit)> = tables.orders.iter().map(|(&pair, &l)| (pair, l)).collect();
        orders.sort_unstable();
        let orders: Vec<(usize, (EventId, EventId))> = orders.into_iter().map(|(pair, l)| (at(l), pair)).collect();
        sources.into_iter().for_each(|(slot, source)| triggers[slot].sources.push(source));
        rivals.into_iter().for_each(|(slot, rival)| triggers[slot].rivals.push(rival));
        orders.into_iter().for_each(|(slot, pair)| triggers[slot].orders.push(pair));
        Index { tables, triggers, reads_at, rivals_by_place }
    }

    pub fn triggers(&self, literal: Lit) -> Option<&Triggers> {
        self.triggers.get(slot(literal))
    }

    pub fn read(&self, read: ReadId) -> &FromRead {
        &self.tables.reads[read.index()]
    }

    /// The rival of a read that this write is.
    pub fn rival(&self, read: ReadId, write: EventId) -> Option<RivalId> {
        let rivals = &self.read(read).rivals;
        rivals.binary_search_by_key(&write, |rival| rival.write).ok().map(RivalId::new)
    }

    /// Every literal that the tables mention.
    pub fn literals(&self) -> impl Iterator<Item = Lit> + '_ {
        let reads = self.tables.reads.iter();
        let of_read = |read: &FromRead| {
            let sources = read.sources.iter().map(|source| source.1);
            sources.chain(read.rivals.iter().map(|rival| rival.happens)).collect::<Vec<_>>()
        };
        // The order variables are labels of edges already.
        reads.flat_map(of_read)
    }
}
