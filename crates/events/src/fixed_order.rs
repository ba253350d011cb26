//! Where the events stand in the global order: nodes, and what program order, fences, creations and joins fix between
//! them.
//!
//! A read stands where it is done, a store where it reaches memory, a section is one node. Program order is kept by few
//! edges, linear in the number of events. A thread has a *main chain*: its reads, fences, sections, creations and joins
//! (and, under SC, its stores). Every store comes after the last main node before it; a fence is a main node that comes
//! after all earlier stores. Stores form a chain of their own under TSO. Under PSO those to one cell do, a
//! store-store fence is a node between the earlier and the later stores, and a *collector* stands for all stores so far.
//!
//! Nodes of events that are not executed stay: they only pass on an order that holds anyway. What holds only if
//! something is executed is a conditional edge. A total order on the executed nodes can always be extended to the
//! others, so that an order variable between any two nodes excludes nothing.

use crate::models::Relaxed;
use crate::order::{Chain, Node, Skeleton};
use norn_ir::instr::{FenceKind, Order};
use norn_logic::{Term, Terms};
use norn_symex::{CellId, EventId, EventKind, SectionId, SectionKind, Symbolic, ThreadId};
use std::collections::BTreeMap;
use std::ops::Range;

/// The nodes of all events, and the order between them that does not depend on who reads what.
#[derive(Default, Debug)]
pub struct FixedOrder {
    pub skeleton: Skeleton,
    /// Edges that are there iff their terms hold.
    pub conditional: Vec<(Node, Node, Term)>,
    /// By event; an event that orders nothing has no node.
    pub nodes: Vec<Option<Node>>,
    /// By section.
    pub sections: Vec<Option<Node>>,
    /// By thread, the numbers of its nodes.
    pub threads: Vec<Range<Node>>,
    /// The steps of each thread in program order.
    pub units: Vec<Vec<Unit>>,
    ends: Vec<Option<Node>>,
    starts: Vec<Option<Node>>,
}

/// An event or a section, with a place of its own in program order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    pub what: UnitKind,
    pub node: Option<Node>,
    /// It waits in a store buffer: its node is where it reaches memory.
    pub buffered: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnitKind {
    Event(EventId),
    Section(SectionId),
}

impl FixedOrder {
    pub fn new(symbolic: &mut Symbolic, relaxed: Relaxed) -> FixedOrder {
        let mut fixed = FixedOrder {
            nodes: vec![None; symbolic.events.len()],
            sections: vec![None; symbolic.sections.len()],
            ends: vec![None; symbolic.threads.len()],
            starts: vec![None; symbolic.threads.len()],
            ..FixedOrder::default()
        };
        for thread in ThreadId::all(symbolic.threads.len()) {
            let units = units_of(symbolic, thread);
            let first = fixed.skeleton.next_node();
            let mut walk = Walk::new(&mut fixed, symbolic, relaxed, &units);
            walk.all(thread, &units);
            let units = walk.done;
            fixed.units.push(units);
            fixed.threads.push(first..fixed.skeleton.next_node());
        }
        for (event, node) in symbolic.events.iter().zip(&mut fixed.nodes) {
            if let Some(section) = event.section {
                *node = fixed.sections[section.index()];
            }
        }
        fixed.link_threads(symbolic);
        fixed.link_observer(symbolic);
        fixed
    }

    pub fn node(&self, event: EventId) -> Node {
        self.nodes[event.index()].expect("an access should have a place in the order")
    }

    /// The observer comes after the ends of all threads, and so after all their stores.
    fn link_observer(&mut self, symbolic: &Symbolic) {
        let Some(observer) = symbolic.observer else { return };
        let Some(start) = self.starts[observer.index()] else { return };
        for (thread, &end) in self.ends.iter().enumerate() {
            if let Some(end) = end.filter(|_| thread != observer.index()) {
                self.skeleton.fix(end, start);
            }
        }
    }

    /// Creations come before the first steps, last steps before joins.
    fn link_threads(&mut self, symbolic: &mut Symbolic) {
        for id in symbolic.event_ids() {
            let event = &symbolic.events[id.index()];
            let guard = event.guard;
            match &event.kind {
                EventKind::Create(created) => {
                    for &(child, _) in created {
                        if let (Some(node), Some(start)) = (self.nodes[id.index()], self.starts[child.0 as usize]) {
                            self.skeleton.fix(node, start);
                        }
                    }
                }
                EventKind::Join(joined) => {
                    for (child, condition) in joined.clone() {
                        if let (Some(node), Some(end)) = (self.nodes[id.index()], self.ends[child.0 as usize]) {
                            let holds = symbolic.terms.and(guard, condition);
                            self.order_if(end, node, holds);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn order_if(&mut self, from: Node, to: Node, condition: Term) {
        match condition {
            Term::TRUE => self.skeleton.fix(from, to),
            Term::FALSE => {}
            _ => self.conditional.push((from, to, condition)),
        }
    }
}

/// Sections and the events outside of them, in program order.
fn units_of(symbolic: &Symbolic, thread: ThreadId) -> Vec<UnitKind> {
    let sections = symbolic.sections.iter().enumerate().filter(|(_, section)| section.thread == thread);
    let mut sections = sections.map(|(i, s)| (s.events.start, SectionId::new(i))).collect::<Vec<_>>();
    sections.sort_unstable();
    let mut sections = sections.into_iter().peekable();
    let mut units = Vec::new();
    for event in symbolic.thread(thread).events {
        while let Some((_, section)) = sections.next_if(|&(start, _)| start <= event) {
            units.push(UnitKind::Section(section));
        }
        if symbolic.event(event).section.is_none() {
            units.push(UnitKind::Event(event));
        }
    }
    units.extend(sections.map(|(_, section)| UnitKind::Section(section)));
    units
}

/// How a unit takes part in the order of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// A node of the main chain; if it fences, all earlier stores come before it.
    Main {
        fences: bool,
    },
    /// A store, with a store-store fence before it if it releases.
    Store {
        releases: bool,
    },
    StoreStoreFence,
    Nothing,
}

fn role(symbolic: &Symbolic, unit: UnitKind, relaxed: Relaxed) -> Role {
    let role = match unit {
        UnitKind::Section(id) => {
            let section = symbolic.section(id);
            let is_store = |event: EventId| matches!(symbolic.event(event).kind, EventKind::Write { .. });
            match section.kind {
                SectionKind::Atomic | SectionKind::Rmw => Role::Main { fences: true },
                SectionKind::Group if section.events.into_iter().any(is_store) => {
                    let releases = section.events.into_iter().any(|event| releases(symbolic, event));
                    Role::Store { releases }
                }
                SectionKind::Read | SectionKind::Group => Role::Main { fences: false },
            }
        }
        UnitKind::Event(id) => match &symbolic.event(id).kind {
            EventKind::Write { access, .. } if access.order == Order::SeqCst => Role::Main { fences: true },
            EventKind::Write { .. } => Role::Store { releases: releases(symbolic, id) },
            EventKind::Fence(FenceKind::Full | FenceKind::Call) => Role::Main { fences: true },
            EventKind::Fence(FenceKind::Release | FenceKind::AcqRel | FenceKind::StoreStore) => Role::StoreStoreFence,
            EventKind::Fence(FenceKind::Acquire | FenceKind::LoadLoad | FenceKind::Compiler) => Role::Nothing,
            EventKind::Create(_) => Role::Main { fences: true },
            EventKind::Read { .. } | EventKind::Join(_) | EventKind::EndLife(_) | EventKind::Step => {
                Role::Main { fences: false }
            }
        },
    };
    let is_fence = matches!(unit, UnitKind::Event(id) if matches!(symbolic.event(id).kind, EventKind::Fence(_)));
    match role {
        // Where stores are not buffered they are steps like any other, and fences order nothing.
        Role::StoreStoreFence if !relaxed.store_store => Role::Nothing,
        Role::Main { .. } if is_fence && !relaxed.store_load => Role::Nothing,
        Role::Store { .. } if !relaxed.store_load => Role::Main { fences: false },
        Role::Main { .. } if !relaxed.store_load => Role::Main { fences: false },
        _ => role,
    }
}

fn releases(symbolic: &Symbolic, event: EventId) -> bool {
    let EventKind::Write { access, .. } = &symbolic.event(event).kind else { return false };
    matches!(access.order, Order::Release | Order::AcqRel)
}

/// A walk along one thread.
struct Walk<'a> {
    fixed: &'a mut FixedOrder,
    symbolic: &'a mut Symbolic,
    relaxed: Relaxed,
    main: Chain,
    stores: Stores,
    /// Buffered stores so far, for reads that wait for some of them only.
    buffered: Vec<(UnitKind, Node)>,
    done: Vec<Unit>,
}

/// The nodes and guards of earlier stores that later stores are ordered with.
#[derive(Default)]
struct Stores {
    /// TSO.
    chain: Option<Chain>,
    /// PSO: since the last collector.
    loose: Vec<Node>,
    collectors: Option<Chain>,
    separators: Option<Chain>,
    /// PSO: by cell.
    cells: BTreeMap<CellId, Chain>,
    /// PSO: how many stores of the thread may be to a cell.
    counts: BTreeMap<CellId, u32>,
    /// Guards of fences since the last store: what they imply needs no further edge.
    fenced: Vec<Term>,
    any: bool,
}

impl<'a> Walk<'a> {
    fn new(fixed: &'a mut FixedOrder, symbolic: &'a mut Symbolic, relaxed: Relaxed, units: &[UnitKind]) -> Walk<'a> {
        let main = fixed.skeleton.new_chain();
        let mut stores = Stores::default();
        if relaxed.store_store {
            for &unit in units {
                if matches!(role(symbolic, unit, relaxed), Role::Store { .. }) {
                    for (cell, _) in cells_of(symbolic, unit) {
                        *stores.counts.entry(cell).or_default() += 1;
                    }
                }
            }
        }
        Walk { fixed, symbolic, relaxed, main, stores, buffered: Vec::new(), done: Vec::new() }
    }

    fn all(&mut self, thread: ThreadId, units: &[UnitKind]) {
        let start = self.fixed.skeleton.new_node(self.main);
        self.fixed.starts[thread.0 as usize] = Some(start);
        for &unit in units {
            let guard = self.guard_of(unit);
            let (node, buffered) = match role(self.symbolic, unit, self.relaxed) {
                Role::Nothing => (None, false),
                Role::StoreStoreFence => {
                    self.separate(guard);
                    (None, false)
                }
                Role::Main { fences } => {
                    let is_fence = matches!(unit, UnitKind::Event(id)
                        if matches!(self.symbolic.event(id).kind, EventKind::Fence(_)));
                    let orders = !is_fence || self.is_open(guard);
                    let node = orders.then(|| self.fixed.skeleton.new_node(self.main));
                    if let (Some(node), true) = (node, fences) {
                        self.fence(node, guard);
                    }
                    if let Some(node) = node {
                        self.wait_for_some(unit, node);
                    }
                    self.separate_inside(unit);
                    (node, false)
                }
                Role::Store { releases } => {
                    if releases && self.relaxed.store_store {
                        self.separate(guard);
                    }
                    let node = self.store(unit);
                    self.buffered.push((unit, node));
                    (Some(node), true)
                }
            };
            match unit {
                UnitKind::Event(id) => self.fixed.nodes[id.index()] = node,
                UnitKind::Section(id) => self.fixed.sections[id.index()] = node,
            }
            self.done.push(Unit { what: unit, node, buffered });
        }
        let end = self.fixed.skeleton.new_node(self.main);
        self.fence(end, Term::TRUE);
        self.fixed.ends[thread.0 as usize] = Some(end);
    }

    fn guard_of(&self, unit: UnitKind) -> Term {
        match unit {
            UnitKind::Event(id) => self.symbolic.event(id).guard,
            UnitKind::Section(id) => self.symbolic.section(id).guard,
        }
    }

    /// Whether a fence with this guard would order something that is not ordered already.
    fn is_open(&mut self, guard: Term) -> bool {
        self.stores.any && !self.stores.fenced.iter().any(|&fence| implies(&mut self.symbolic.terms, guard, fence))
    }

    /// All earlier stores come before this node, if the guard holds.
    fn fence(&mut self, node: Node, guard: Term) {
        if !self.is_open(guard) {
            return;
        }
        self.stores.fenced.push(guard);
        let last = match self.stores.chain {
            Some(chain) => self.fixed.skeleton.last_of(chain),
            None => self.collect(),
        };
        if let Some(last) = last {
            self.fixed.order_if(last, node, guard);
        }
    }

    /// A node after all stores so far.
    fn collect(&mut self) -> Option<Node> {
        let chain = self.stores.collectors;
        if self.stores.loose.is_empty() {
            return chain.and_then(|chain| self.fixed.skeleton.last_of(chain));
        }
        let chain = *self.stores.collectors.get_or_insert_with(|| self.fixed.skeleton.new_chain());
        let collector = self.fixed.skeleton.new_node(chain);
        for store in self.stores.loose.drain(..) {
            self.fixed.skeleton.fix(store, collector);
        }
        Some(collector)
    }

    /// A store-store fence: later stores come after earlier ones, if the guard holds.
    fn separate(&mut self, guard: Term) {
        if !self.is_open(guard) {
            return;
        }
        if let Some(collector) = self.collect() {
            let chain = *self.stores.separators.get_or_insert_with(|| self.fixed.skeleton.new_chain());
            let separator = self.fixed.skeleton.new_node(chain);
            self.fixed.order_if(collector, separator, guard);
        }
    }

    /// A section that only reads may hold store-store fences; in others no store is pending.
    fn separate_inside(&mut self, unit: UnitKind) {
        let UnitKind::Section(id) = unit else { return };
        if !self.relaxed.store_store || self.symbolic.section(id).kind != SectionKind::Read {
            return;
        }
        for event in self.symbolic.section(id).events {
            let event = self.symbolic.event(event);
            if let EventKind::Fence(FenceKind::Release | FenceKind::AcqRel | FenceKind::StoreStore) = event.kind {
                self.separate(event.guard);
            }
        }
    }

    fn store(&mut self, unit: UnitKind) -> Node {
        self.stores.any = true;
        self.stores.fenced.clear();
        let node = if self.relaxed.store_store {
            let node = self.store_by_cell(unit);
            if let Some(separator) = self.stores.separators.and_then(|chain| self.fixed.skeleton.last_of(chain)) {
                self.fixed.skeleton.fix(separator, node);
            }
            self.stores.loose.push(node);
            node
        } else {
            let chain = *self.stores.chain.get_or_insert_with(|| self.fixed.skeleton.new_chain());
            self.fixed.skeleton.new_node(chain)
        };
        let before = self.fixed.skeleton.last_of(self.main).expect("a thread should begin with a node");
        self.fixed.skeleton.fix(before, node);
        node
    }

    /// PSO: a store is ordered with the stores to the same cell. Where the cell is not certain, the chain of a cell
    /// has a point behind the store, which is tied to it if the cell is this one.
    fn store_by_cell(&mut self, unit: UnitKind) -> Node {
        let cells = cells_of(self.symbolic, unit);
        if let (UnitKind::Event(_), [(cell, Term::TRUE)]) = (unit, &cells[..]) {
            let chain = *self.stores.cells.entry(*cell).or_insert_with(|| self.fixed.skeleton.new_chain());
            return self.fixed.skeleton.new_node(chain);
        }
        let own = self.fixed.skeleton.new_chain();
        let node = self.fixed.skeleton.new_node(own);
        for (cell, condition) in cells {
            if self.stores.counts[&cell] < 2 {
                continue;
            }
            let chain = *self.stores.cells.entry(cell).or_insert_with(|| self.fixed.skeleton.new_chain());
            // Tied only if executed: else the order of others would depend on it.
            let holds = match unit {
                UnitKind::Event(id) => self.symbolic.terms.and(self.symbolic.events[id.index()].guard, condition),
                UnitKind::Section(_) => condition,
            };
            if let Some(earlier) = self.fixed.skeleton.last_of(chain) {
                self.fixed.order_if(earlier, node, holds);
            }
            let point = self.fixed.skeleton.new_node(chain);
            self.fixed.order_if(node, point, holds);
        }
        node
    }

    /// A read of several bytes waits for own stores to some of them, unless a later one covers it.
    fn wait_for_some(&mut self, unit: UnitKind, node: Node) {
        let UnitKind::Section(id) = unit else { return };
        if self.symbolic.section(id).kind != SectionKind::Group {
            return;
        }
        for (store, condition) in self.partial_stores(id) {
            self.fixed.order_if(store, node, condition);
        }
    }

    fn partial_stores(&mut self, read: SectionId) -> Vec<(Node, Term)> {
        let bytes: Vec<EventId> = self.symbolic.section(read).events.into_iter().collect();
        let guard = self.symbolic.section(read).guard;
        let mut not_covered_yet = guard;
        let mut waits = Vec::new();
        for &(store, node) in self.buffered.iter().rev() {
            let terms = &mut self.symbolic.terms;
            let events = &self.symbolic.events;
            let stored: Vec<EventId> = match store {
                UnitKind::Event(id) => vec![id],
                UnitKind::Section(id) => self.symbolic.sections[id.index()].events.into_iter().collect(),
            };
            let mut covers = Term::TRUE;
            let mut overlaps = Term::FALSE;
            for &byte in &bytes {
                let mut is_stored = Term::FALSE;
                for &other in &stored {
                    let same = same_cell(terms, events[byte.index()].targets(), events[other.index()].targets());
                    let same = terms.and(same, events[other.index()].guard);
                    is_stored = terms.or(is_stored, same);
                }
                covers = terms.and(covers, is_stored);
                overlaps = terms.or(overlaps, is_stored);
            }
            let partial = terms.and(overlaps, !covers);
            waits.push((node, terms.and(partial, not_covered_yet)));
            not_covered_yet = terms.and(not_covered_yet, !covers);
            if not_covered_yet == Term::FALSE {
                break;
            }
        }
        waits
    }
}

/// Every cell that the stores of a unit may be to, with the condition under which it is one of them. The condition
/// includes the guard for a unit of several events.
fn cells_of(symbolic: &mut Symbolic, unit: UnitKind) -> Vec<(CellId, Term)> {
    match unit {
        UnitKind::Event(id) => symbolic.event(id).targets().to_vec(),
        UnitKind::Section(id) => {
            let mut cells: BTreeMap<CellId, Term> = BTreeMap::new();
            for event in symbolic.section(id).events {
                let Event { guard, targets } = Event::of(symbolic, event);
                for (cell, condition) in targets {
                    let holds = symbolic.terms.and(guard, condition);
                    let slot = cells.entry(cell).or_insert(Term::FALSE);
                    *slot = symbolic.terms.or(*slot, holds);
                }
            }
            cells.into_iter().collect()
        }
    }
}

struct Event {
    guard: Term,
    targets: Vec<(CellId, Term)>,
}

impl Event {
    fn of(symbolic: &Symbolic, event: EventId) -> Event {
        let event = symbolic.event(event);
        Event { guard: event.guard, targets: event.targets().to_vec() }
    }
}

/// The condition under which two accesses are to the same cell.
pub fn same_cell(terms: &mut Terms, a: &[(CellId, Term)], b: &[(CellId, Term)]) -> Term {
    if let ([(one, Term::TRUE)], [(other, Term::TRUE)]) = (a, b) {
        return terms.bool(one == other);
    }
    let mut same = Term::FALSE;
    for &(cell, here) in a {
        if let Some(&(_, there)) = b.iter().find(|&&(other, _)| other == cell) {
            let both = terms.and(here, there);
            same = terms.or(same, both);
        }
    }
    same
}

/// Whether one guard implies another, as far as their conjunctions show.
pub fn implies(terms: &mut Terms, premise: Term, conclusion: Term) -> bool {
    const MOST: usize = 64;
    if premise == conclusion || conclusion == Term::TRUE || premise == Term::FALSE {
        return true;
    }
    let given = conjuncts(terms, premise, MOST);
    let wanted = conjuncts(terms, conclusion, MOST);
    wanted.iter().all(|&part| {
        // What was taken apart is implied by its parts.
        let is_split = matches!(terms.node(part), norn_logic::Node::And(..)) && wanted.len() < MOST;
        is_split || given.contains(&part) || terms.and(premise, !part) == Term::FALSE
    })
}

/// A term and the terms that it is the conjunction of, at any depth, as long as they are few.
fn conjuncts(terms: &Terms, term: Term, most: usize) -> Vec<Term> {
    let mut parts = vec![term];
    let mut next = 0;
    while next < parts.len() && parts.len() < most {
        if let norn_logic::Node::And(a, b) = terms.node(parts[next]) {
            parts.extend([a, b]);
        }
        next += 1;
    }
    parts
}
