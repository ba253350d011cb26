//! The constraint graph: nodes hold sets of objects, an edge says that one node's set is part of another's.
//!
//! Only what is new in a node's set travels along its edges. Nodes on a cycle of edges have equal sets and are merged;
//! cycles are looked for each time the number of edges has doubled, so that the search costs no more than the edges.

use std::collections::VecDeque;

use crate::sparse_set::SparseSet;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Node(u32);

/// What to do with each object that turns up in a node's set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Use {
    /// The node is an address: what the object contains flows to the given node.
    Load(Node),
    /// The node is an address: the given node flows into what the object contains.
    Store(Node),
    /// The node is the base of an address; if it may be a mere number, the index decides what is meant.
    Index { index: Node, dst: Node },
    /// The node is what a call or spawn (by its number) calls.
    Call(u32),
}

#[derive(Default)]
pub(super) struct Graph {
    nodes: Vec<NodeData>,
    queue: VecDeque<Node>,
    /// Uses that have not seen the set their node already had.
    late: Vec<(Node, Use)>,
    edges: usize,
    edges_at_merge: usize,
}

#[derive(Default)]
struct NodeData {
    /// The node that this one was merged into.
    merged: Option<Node>,
    set: SparseSet,
    /// The part of the set that has not travelled yet.
    fresh: SparseSet,
    queued: bool,
    edges: Vec<Node>,
    uses: Vec<Use>,
}

/// Fewer edges are not worth a search for cycles.
const FIRST_MERGE: usize = 256;

impl Graph {
    pub fn node(&mut self) -> Node {
        self.nodes.push(NodeData::default());
        Node(u32::try_from(self.nodes.len() - 1).expect("the number of nodes should fit into 32 bits"))
    }

    /// The first of `count` consecutive nodes.
    pub fn nodes(&mut self, count: usize) -> Node {
        let first = Node(self.nodes.len() as u32);
        for _ in 0..count {
            self.node();
        }
        first
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
        if from == to {
            return;
        }
        self.nodes[from.index()].edges.push(to);
        self.edges += 1;
        if !self.nodes[from.index()].set.is_empty() {
            let set = std::mem::take(&mut self.nodes[from.index()].set);
            self.flow(&set, to);
            self.nodes[from.index()].set = set;
        }
    }

    pub fn add_use(&mut self, node: Node, what: Use) {
        let node = self.find(node);
        self.nodes[node.index()].uses.push(what);
        if !self.nodes[node.index()].set.is_empty() {
            self.late.push((node, what));
        }
    }

    /// Lets sets travel until a use has something to do: the use and the objects that are new to it (objects may come
    /// more than once). `None` when nothing changes any more.
    pub fn step(&mut self, work: &mut Vec<(Use, SparseSet)>) -> bool {
        if let Some((node, what)) = self.late.pop() {
            work.push((what, self.set(node).clone()));
            return true;
        }
        if self.edges >= FIRST_MERGE.max(2 * self.edges_at_merge) {
            self.merge_cycles();
        }
        let Some(node) = self.queue.pop_front() else { return false };
        let data = &mut self.nodes[node.index()];
        data.queued = false;
        if data.merged.is_some() {
            return true;
        }
        let fresh = std::mem::take(&mut data.fresh);
        work.extend(data.uses.iter().map(|&what| (what, fresh.clone())));
        let edges = std::mem::take(&mut data.edges);
        for &to in &edges {
            let to = self.find(to);
            if to != node {
                self.flow(&fresh, to);
            }
        }
        self.nodes[node.index()].edges = edges;
        true
    }

    fn find(&self, mut node: Node) -> Node {
        while let Some(next) = self.nodes[node.index()].merged {
            node = next;
        }
        node
    }

    fn flow(&mut self, set: &SparseSet, to: Node) {
        let data = &mut self.nodes[to.index()];
        if data.set.union(set, &mut data.fresh) {
            self.enqueue(to);
        }
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
        let mut path: Vec<(Node, usize)> = Vec::new();
        for start in 0..count {
            if order[start] != UNSEEN || self.nodes[start].merged.is_some() {
                continue;
            }
            path.push((Node(start as u32), 0));
            while let Some(&mut (node, ref mut at)) = path.last_mut() {
                let n = node.index();
                if *at == 0 {
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
                            }
                        }
                    }
                }
            }
        }
        self.edges = 0;
        for n in 0..count {
            let mut edges = std::mem::take(&mut self.nodes[n].edges);
            edges.iter_mut().for_each(|to| *to = self.find(*to));
            edges.retain(|to| to.index() != n);
            edges.sort_unstable();
            edges.dedup();
            self.edges += edges.len();
            self.nodes[n].edges = edges;
        }
        self.edges_at_merge = self.edges;
    }

    fn merge(&mut self, member: Node, into: Node) {
        let data = std::mem::take(&mut self.nodes[member.index()]);
        self.nodes[member.index()].merged = Some(into);
        let rep = &mut self.nodes[into.index()];
        rep.set.union(&data.set, &mut SparseSet::default());
        rep.edges.extend(data.edges);
        rep.uses.extend(data.uses);
        rep.uses.sort_unstable();
        rep.uses.dedup();
        // Either side's edges and uses may not have seen the other side's objects.
        rep.fresh = rep.set.clone();
        if !rep.set.is_empty() {
            self.enqueue(into);
        }
    }
}

impl Node {
    /// The `offset`-th of consecutive nodes.
    pub fn plus(self, offset: usize) -> Node {
        Node(self.0 + offset as u32)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}
