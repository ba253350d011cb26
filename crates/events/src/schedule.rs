//! From a model to a schedule of the reference machine.
//!
//! The model gives a linear order of the nodes. A read, section or other main step runs at its place. A store that waits
//! in a buffer reaches memory at its place and runs as late as possible: just before the next step of its thread that
//! runs, or before its own commit. All earlier main steps of its thread have run by then, because every store comes after
//! them in the order.

use crate::fixed_order::{FixedOrder, UnitKind};
use crate::order::Node;
use norn_symex::schedule::Move;
use norn_symex::{EventId, Symbolic};
use std::collections::{BTreeMap, BTreeSet};

/// What happens in an execution whose nodes are in this order, as the machine wants it. `executed` tells whether an event
/// is.
pub fn moves(symbolic: &Symbolic, fixed: &FixedOrder, order: &[Node], executed: &[bool]) -> Vec<Move> {
    let mut places: BTreeMap<Node, (usize, usize)> = BTreeMap::new();
    for (thread, units) in fixed.units.iter().enumerate() {
        for (index, unit) in units.iter().enumerate() {
            if let Some(node) = unit.node {
                places.insert(node, (thread, index));
            }
        }
    }
    let mut done = vec![0; fixed.units.len()];
    let mut moves = Vec::new();
    for node in order {
        let Some(&(thread, index)) = places.get(node) else { continue };
        let units = &fixed.units[thread];
        let is_executed = |event: &EventId| executed[event.index()];
        let first_of = |kind: UnitKind| match kind {
            UnitKind::Event(event) => Some(event).filter(is_executed),
            UnitKind::Section(section) => symbolic.section(section).events.into_iter().find(is_executed),
        };
        let unit = units[index];
        // A store that is not executed has no say in when others run.
        let is_due = !unit.buffered || first_of(unit.what).is_some();
        while is_due && done[thread] <= index {
            moves.push(match units[done[thread]].what {
                UnitKind::Event(event) => Move::Run(event),
                UnitKind::Section(section) => Move::RunSection(section),
            });
            done[thread] += 1;
        }
        if let (true, Some(event)) = (unit.buffered, first_of(unit.what)) {
            moves.push(Move::Commit(event));
        }
    }
    moves
}

/// A linear order of all nodes that respects the edges, and stays in one thread (whose nodes have neighbouring numbers)
/// as long as it can. `None` if there is a cycle.
pub fn linear_order(nodes: usize, edges: &[(Node, Node)], threads: &[std::ops::Range<Node>]) -> Option<Vec<Node>> {
    let mut open = vec![0u32; nodes];
    let mut successors = vec![Vec::new(); nodes];
    for &(from, to) in edges {
        open[to.index()] += 1;
        successors[from.index()].push(to);
    }
    let mut ready: BTreeSet<Node> = Node::all(nodes).filter(|node| open[node.index()] == 0).collect();
    let mut order = Vec::with_capacity(nodes);
    let mut current = Node(0)..Node(0);
    while let Some(&first) = ready.first() {
        let stay = ready.range(current.clone()).next().copied();
        let node = stay.unwrap_or(first);
        if stay.is_none() {
            let thread = threads.iter().find(|range| range.contains(&node));
            current = thread.cloned().unwrap_or(Node(0)..Node(0));
        }
        ready.remove(&node);
        order.push(node);
        for &next in &successors[node.index()] {
            open[next.index()] -= 1;
            if open[next.index()] == 0 {
                ready.insert(next);
            }
        }
    }
    (order.len() == nodes).then_some(order)
}
