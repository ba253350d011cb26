//! The paper's encoding (walcyrie-ppopp16, section 5): each event has a clock, a bit-vector. Kept for tests and for
//! comparison; the default are order variables.
//!
//! Its five groups of constraints are here:
//! - *ssa*: the terms of the symbolic execution themselves;
//! - *ext*: a match needs the guards, one match per read (`encode`), and the latest write, here as in the default one
//!   clause per match and other write;
//! - *succ*: clocks respect the preserved program order and the fences ([`Clocks::succ`]);
//! - *m2clk*: a match orders write and read ([`Orders::order_if`]), and the values agree;
//! - *unique*: writes to one cell have different clocks ([`Clocks::unique`]).
//!
//! Where it deviates: the published m2clk orders a read behind its own thread's write too, and latestw lets it look past
//! one that has not reached memory, so that forwarding from the store buffer is lost. Here matches within a thread order
//! nothing, and a read takes the newest own write or one that is later than it in memory. A section has one clock. No
//! pair is pruned, and nothing that is fixed is used.

use crate::encode::{Formula, Orders};
use crate::fixed_order::FixedOrder;
use crate::order::Node;
use norn_logic::{ClauseSink, Lit, Term};
use norn_symex::{EventKind, Symbolic, ThreadId};
use std::collections::BTreeMap;

pub struct Clocks {
    /// By node, least significant bit first.
    clocks: Vec<Vec<Lit>>,
    before: BTreeMap<(Node, Node), Lit>,
}

impl Clocks {
    pub fn new<S: ClauseSink>(formula: &mut Formula<'_, S>, fixed: &FixedOrder) -> Clocks {
        let nodes = fixed.skeleton.node_count();
        let width = usize::BITS - nodes.leading_zeros();
        let clocks = (0..nodes).map(|_| (0..width).map(|_| formula.fresh()).collect()).collect();
        Clocks { clocks, before: BTreeMap::new() }
    }

    /// The fixed part of the order; what is conditional comes with the encoding.
    pub fn succ<S: ClauseSink>(&mut self, formula: &mut Formula<'_, S>, fixed: &FixedOrder) {
        for &(from, to) in fixed.skeleton.edges() {
            let before = self.is_before(formula, from, to);
            formula.clause(&[before]);
        }
    }

    pub fn unique<S: ClauseSink>(&mut self, formula: &mut Formula<'_, S>, fixed: &FixedOrder, symbolic: &Symbolic) {
        let mut writes: Vec<Vec<(ThreadId, Node)>> = vec![Vec::new(); symbolic.cells.len()];
        for id in symbolic.event_ids() {
            let event = symbolic.event(id);
            if let (EventKind::Write { targets, .. }, true) = (&event.kind, event.guard != Term::FALSE) {
                targets.iter().for_each(|(cell, _)| writes[cell.index()].push((event.thread, fixed.node(id))));
            }
        }
        for list in writes {
            for (i, &(thread, a)) in list.iter().enumerate() {
                for &(other, b) in &list[i + 1..] {
                    if thread != other {
                        let (ab, ba) = (self.is_before(formula, a, b), self.is_before(formula, b, a));
                        formula.clause(&[ab, ba]);
                    }
                }
            }
        }
    }

    /// The paper's isBefore.
    fn is_before<S: ClauseSink>(&mut self, formula: &mut Formula<'_, S>, a: Node, b: Node) -> Lit {
        if a == b {
            return !formula.truth;
        }
        if let Some(&known) = self.before.get(&(a, b)) {
            return known;
        }
        // From the least significant bit on: less so far.
        let mut less = !formula.truth;
        for i in 0..self.clocks[a.index()].len() {
            let (x, y) = (self.clocks[a.index()][i], self.clocks[b.index()][i]);
            let next = formula.fresh();
            formula.clause(&[!next, !x, y]);
            formula.clause(&[next, x, !y]);
            formula.clause(&[!next, x, y, less]);
            formula.clause(&[!next, !x, !y, less]);
            formula.clause(&[next, x, y, !less]);
            formula.clause(&[next, !x, !y, !less]);
            less = next;
        }
        self.before.insert((a, b), less);
        less
    }

    /// The bits of the clocks, if each node has this place in the order.
    pub fn at(&self, places: &[u32]) -> impl Iterator<Item = (Lit, bool)> {
        let of_node = |(clock, &place): (&Vec<Lit>, &u32)| {
            let bits = clock.iter().enumerate().map(move |(bit, &literal)| (literal, place >> bit & 1 == 1));
            bits.collect::<Vec<_>>()
        };
        self.clocks.iter().zip(places).flat_map(of_node)
    }

    /// All nodes in the order of their clocks in a model.
    pub fn order(&self, value: &dyn Fn(Lit) -> bool) -> Vec<Node> {
        let time = |clock: &Vec<Lit>| clock.iter().rev().fold(0u64, |time, &bit| time << 1 | u64::from(value(bit)));
        let mut order: Vec<(u64, Node)> = self.clocks.iter().map(time).zip((0..).map(Node)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, node)| node).collect()
    }
}

impl<S: ClauseSink> Orders<S> for Clocks {
    fn decided(&mut self, formula: &mut Formula<'_, S>, first: Node, second: Node) -> Lit {
        self.is_before(formula, first, second)
    }

    fn implied(&mut self, formula: &mut Formula<'_, S>, first: Node, second: Node) -> Lit {
        self.is_before(formula, first, second)
    }

    fn order_if(&mut self, formula: &mut Formula<'_, S>, condition: Lit, first: Node, second: Node) {
        let before = self.is_before(formula, first, second);
        formula.clause(&[!condition, before]);
    }
}
