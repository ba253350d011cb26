//! The constraint graph: nodes hold sets of objects, an edge says that one node's set is part of another's.
//!
//! Only what is new in a node's set travels along its edges. Nodes on a cycle of edges have equal sets and are merged.
//! A flow that changes nothing between nodes with equal sets hints at a cycle (lazy cycle detection: Hardekopf and Lin,
//! "The ant and the grasshopper", 2007); cycles are looked for, everywhere at once, when hints have added up.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use super::{ObjectId, Value};
use crate::sparse_set::SparseSet;

norn_ir::ids! {
    Node = "node";
}

/// What to do with each object that turns up in a node's set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Use {
    /// The node is an address: what the object contains flows to the given node.
    Load(Node),
    /// The node is an address: the given node flows into what the object contains.
    Store(Node),
    /// The node is the base of an address; if it may be a mere number, the index decides what is meant.
    Index { index: Value, dst: Node },
    /// The node is what a call or spawn (by its number) calls.
    Call(u32),
}

#[derive(Default)]
pub(super) struct Graph {
    nodes: Vec<NodeData>,
    queue: VecDeque<Node>,
    /// Uses that have not seen what has travelled from their node.
    late: Vec<(Node, Use)>,
    /// The edges between nodes that are not merged, so that none is added twice.
    known_edges: HashSet<(Node, Node), BuildHasherDefault<EdgeHasher>>,
    /// Hints at cycles since the last search, and how many make the next.
    hints: usize,
    hints_needed: usize,
    /// Room for what a step takes along.
    travelling: SparseSet,
    objects: Vec<ObjectId>,
}

#[derive(Default)]
struct NodeData {
    /// The node that this one was merged into.
    merged: Option<Node>,
    set: SparseSet,
    /// The part of the set that has not travelled yet.
    fresh: SparseSet,
    queued: bool,
    /// Whether some of the set has travelled.
    has_travelled: bool,
    edges: Vec<Node>,
    uses: Vec<Use>,
    /// What its uses `Load` and `Store` name.
    loaded: Option<Node>,
    stored: Option<Node>,
}

/// The uses of a node, and objects that are new to them, ascending (they may come more than once).
pub(super) struct Step {
    /// Whose uses these are all.
    node: Option<Node>,
    pub uses: Vec<Use>,
    pub objects: Vec<ObjectId>,
}

/// Fewer hints are not worth a search for cycles.
const FEWEST_HINTS: usize = if cfg!(test) { 2 } else { 64 };

impl Graph {
    pub fn node(&mut self) -> Node {
        self.nodes.push(NodeData::default());
        Node(u32::try_from(self.nodes.len() - 1).expect("the number of nodes should fit into 32 bits"))
    }

    pub fn set(&self, node: Node) -> &SparseSet {
        &self.nodes[self.find(node).index()].set
    }

    pub fn add_element(&mut self, node: Node, element: u32) {
        let node = self.find(node);
        let data = &mut self.nodes[node.index()];
        if data.set.insert(element) {
            data.fresh.insert(element);
            self.enqueue(node);
        }
    }

    pub fn add_edge(&mut self, from: Node, to: Node) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.known_edges.insert((from, to)) {
            return;
        }
        self.nodes[from.index()].edges.push(to);
        if self.nodes[from.index()].has_travelled {
            let set = std::mem::take(&mut self.nodes[from.index()].set);
            self.flow(&set, to);
            self.nodes[from.index()].set = set;
        }
    }

    pub fn add_use(&mut self, node: Node, what: Use) {
        let node = self.find(node);
        self.nodes[node.index()].uses.push(what);
        if self.nodes[node.index()].has_travelled {
            self.late.push((node, what));
        }
    }

    /// What is found at an address.
    pub fn loaded(&mut self, addr: Node) -> Node {
        let addr = self.find(addr);
        if let Some(node) = self.nodes[addr.index()].loaded {
            return node;
        }
        let node = self.node();
        self.nodes[addr.index()].loaded = Some(node);
        self.add_use(addr, Use::Load(node));
        node
    }

    /// What is put at an address.
    pub fn stored(&mut self, addr: Node) -> Node {
        let addr = self.find(addr);
        if let Some(node) = self.nodes[addr.index()].stored {
            return node;
        }
        let node = self.node();
        self.nodes[addr.index()].stored = Some(node);
        self.add_use(addr, Use::Store(node));
        node
    }

    /// Lets what is new in one node travel; tells whom it may concern. `None` when nothing changes any more. The step
    /// should be given back.
    pub fn step(&mut self) -> Option<Step> {
        let mut objects = std::mem::take(&mut self.objects);
        objects.clear();
        if let Some((node, what)) = self.late.pop() {
            objects.extend(self.set(node).iter().map(ObjectId));
            return Some(Step { node: None, uses: vec![what], objects });
        }
        if self.hints >= self.hints_needed.max(FEWEST_HINTS) {
            self.merge_cycles();
        }
        let node = self.queue.pop_front()?;
        let mut fresh = std::mem::take(&mut self.travelling);
        let data = &mut self.nodes[node.index()];
        data.queued = false;
        data.has_travelled = true;
        std::mem::swap(&mut data.fresh, &mut fresh);
        let edges = std::mem::take(&mut data.edges);
        for &to in &edges {
            let to = self.find(to);
            if to != node && !self.flow(&fresh, to) && self.nodes[to.index()].set == self.nodes[node.index()].set {
                self.hints += 1;
            }
        }
        let data = &mut self.nodes[node.index()];
        data.edges = edges;
        let uses = std::mem::take(&mut data.uses);
        if !uses.is_empty() {
            objects.extend(fresh.iter().map(ObjectId));
        }
        fresh.clear();
        self.travelling = fresh;
        Some(Step { node: Some(node), uses, objects })
    }

    pub fn done(&mut self, step: Step) {
        self.objects = step.objects;
        if let Some(node) = step.node {
            let added = std::mem::replace(&mut self.nodes[node.index()].uses, step.uses);
            self.nodes[node.index()].uses.extend(added);
        }
    }

    /// The node that stands for this one and all that were merged with it.
    pub fn find(&self, mut node: Node) -> Node {
        while let Some(next) = self.nodes[node.index()].merged {
            node = next;
        }
        node
    }

    /// Whether it changes anything.
    fn flow(&mut self, set: &SparseSet, to: Node) -> bool {
        let data = &mut self.nodes[to.index()];
        let grows = data.set.union(set, &mut data.fresh);
        if grows {
            self.enqueue(to);
        }
        grows
    }

    fn enqueue(&mut self, node: Node) {
        let data = &mut self.nodes[node.index()];
        if !data.queued {
            data.queued = true;
            self.queue.push_back(node);
        }
    }

    /// Finds the strongly connected components (Tarjan, without recursion) and makes one node of each.
    fn merge_cycles(&mut self) {
        const UNSEEN: u32 = u32::MAX;
        let count = self.nodes.len();
        let mut order = vec![UNSEEN; count];
        let mut low = vec![0u32; count];
        let mut on_stack = vec![false; count];
        let mut stack = Vec::new();
        let mut next = 0;
        let (mut live, mut merged) = (0, 0);
        let mut merged_into = None;
        let mut path: Vec<(Node, usize)> = Vec::new();
        for start in 0..count {
            if order[start] != UNSEEN || self.nodes[start].merged.is_some() {
                continue;
            }
            path.push((Node::new(start), 0));
            while let Some(&mut (node, ref mut at)) = path.last_mut() {
                let n = node.index();
                if *at == 0 {
                    live += 1;
                    order[n] = next;
                    low[n] = next;
                    next += 1;
                    stack.push(node);
                    on_stack[n] = true;
                }
                let successor = self.nodes[n].edges.get(*at).map(|&to| self.find(to));
                *at += 1;
                match successor {
                    Some(to) if order[to.index()] == UNSEEN => path.push((to, 0)),
                    Some(to) if on_stack[to.index()] => low[n] = low[n].min(order[to.index()]),
                    Some(_) => {}
                    None => {
                        path.pop();
                        if let Some(&(parent, _)) = path.last() {
                            low[parent.index()] = low[parent.index()].min(low[n]);
                        }
                        if low[n] == order[n] {
                            while let Some(member) = stack.pop() {
                                on_stack[member.index()] = false;
                                if member == node {
                                    break;
                                }
                                self.merge(member, node);
                                merged += 1;
                                merged_into = Some(node);
                            }
                            if let Some(into) = merged_into.take() {
                                self.start_over(into);
                            }
                        }
                    }
                }
            }
        }
        self.known_edges.clear();
        for n in 0..count {
            let mut edges = std::mem::take(&mut self.nodes[n].edges);
            edges.iter_mut().for_each(|to| *to = self.find(*to));
            edges.retain(|to| to.index() != n);
            edges.sort_unstable();
            edges.dedup();
            self.known_edges.extend(edges.iter().map(|&to| (Node::new(n), to)));
            self.nodes[n].edges = edges;
            let mut uses = std::mem::take(&mut self.nodes[n].uses);
            uses.iter_mut().for_each(|what| *what = self.simplify(*what));
            uses.sort_unstable();
            uses.dedup();
            self.nodes[n].uses = uses;
        }
        // A search costs about as much as the graph is large; it should be worth it.
        self.hints = 0;
        self.hints_needed = if merged * 8 > live { FEWEST_HINTS } else { (self.hints_needed * 2).max(live / 8) };
    }

    fn simplify(&self, what: Use) -> Use {
        match what {
            Use::Load(dst) => Use::Load(self.find(dst)),
            Use::Store(value) => Use::Store(self.find(value)),
            Use::Index { index: Value::Node(index), dst } => {
                Use::Index { index: Value::Node(self.find(index)), dst: self.find(dst) }
            }
            Use::Index { index, dst } => Use::Index { index, dst: self.find(dst) },
            Use::Call(_) => what,
        }
    }

    fn merge(&mut self, member: Node, into: Node) {
        let data = std::mem::take(&mut self.nodes[member.index()]);
        self.nodes[member.index()].merged = Some(into);
        let rep = &mut self.nodes[into.index()];
        rep.set.union(&data.set, &mut SparseSet::default());
        rep.edges.extend(data.edges);
        rep.uses.extend(data.uses);
        rep.loaded = rep.loaded.or(data.loaded);
        rep.stored = rep.stored.or(data.stored);
    }

    /// After a merge either side's edges and uses may not have seen the other side's objects.
    fn start_over(&mut self, node: Node) {
        let data = &mut self.nodes[node.index()];
        data.fresh = data.set.clone();
        data.has_travelled = false;
        if !data.set.is_empty() {
            self.enqueue(node);
        }
    }
}

/// Edges are looked up more often than anything else, and nobody outside chooses their numbers.
#[derive(Default)]
struct EdgeHasher(u64);

impl Hasher for EdgeHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(u32::from(byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        // The table takes its position from the low bits, where a product is weak.
        self.0 ^ (self.0 >> 32)
    }
}
