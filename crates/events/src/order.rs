//! The order graph: which node comes before which, edge by edge, with undo.
//!
//! Instead of searching for cycles the graph keeps the transitive closure of its active edges, in the form that vector
//! clocks have: the nodes are divided into *chains* that fixed edges order (a thread's reads, its stores, …), and each
//! node knows, for each chain, how far it has come when the node does. Whether one node comes before another is then one
//! comparison, an edge that adds nothing new costs nothing, and the nodes whose clocks an edge changes are exactly those
//! for which something new is implied.
//!
//! Edges are taken back in the reverse order of their addition. An edge that was implied when it was added is never
//! stored: the edges that implied it are taken back later than it would be.

use norn_ir::number::narrow;
use std::collections::VecDeque;
use std::ops::Range;

norn_ir::ids! {
    /// A point of the global order.
    Node = "node";
    /// Nodes of one chain are ordered by fixed edges, in the order in which they were made.
    Chain = "chain";
}

/// The cause of an edge: a number that the caller chooses, smaller than [`FIXED`].
pub type Cause = u32;
/// The cause of an edge that is always there.
pub const FIXED: Cause = u32::MAX;

/// Nodes and fixed edges, from which an [`OrderGraph`] is made.
#[derive(Clone, Default, Debug)]
pub struct Skeleton {
    /// Of each node its chain and its position there.
    places: Vec<(Chain, u32)>,
    chain_ends: Vec<Option<Node>>,
    edges: Vec<(Node, Node)>,
}

impl Skeleton {
    pub fn new_chain(&mut self) -> Chain {
        self.chain_ends.push(None);
        Chain::new(self.chain_ends.len() - 1)
    }

    /// The node that will be made next.
    pub fn next_node(&self) -> Node {
        Node::new(self.places.len())
    }

    /// A node after all others of its chain.
    pub fn new_node(&mut self, chain: Chain) -> Node {
        let node = self.next_node();
        let end = &mut self.chain_ends[chain.0 as usize];
        let position = end.map_or(0, |last| self.places[last.index()].1 + 1);
        if let Some(last) = end.replace(node) {
            self.edges.push((last, node));
        }
        self.places.push((chain, position));
        node
    }

    pub fn last_of(&self, chain: Chain) -> Option<Node> {
        self.chain_ends[chain.0 as usize]
    }

    pub fn fix(&mut self, from: Node, to: Node) {
        self.edges.push((from, to));
    }

    pub fn node_count(&self) -> usize {
        self.places.len()
    }

    pub fn edges(&self) -> &[(Node, Node)] {
        &self.edges
    }
}

/// What adding an edge did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Added {
    /// It was implied.
    Nothing,
    New,
    /// It would close a cycle and was not added.
    Cycle,
}

#[derive(Clone, Copy, Debug)]
struct Incoming {
    from: Node,
    cause: Cause,
    /// When it was added; fixed edges were at 0.
    time: u32,
}

#[derive(Clone, Debug)]
pub struct OrderGraph {
    places: Vec<(Chain, u32)>,
    chains: usize,
    /// By node and chain: how many nodes of the chain come before the node or are the node.
    before: Vec<u32>,
    successors: Vec<Vec<Node>>,
    incoming: Vec<Vec<Incoming>>,
    /// Edges that were added and not taken back, from 1 on.
    added: Vec<(Node, Node)>,
    /// Changes of `before`, and how many there were when each edge was added.
    changes: Vec<(u32, u32)>,
    changes_before: Vec<u32>,
    waiting: Vec<Node>,
    is_waiting: Vec<bool>,
    search: Search,
}

/// Scratch space for looking for paths.
#[derive(Clone, Default, Debug)]
struct Search {
    round: u32,
    seen: Vec<u32>,
    next: Vec<(Node, Cause)>,
    queue: VecDeque<(Node, Node, Cause)>,
}

impl OrderGraph {
    /// `None` if the fixed edges have a cycle.
    pub fn new(skeleton: &Skeleton) -> Option<OrderGraph> {
        let nodes = skeleton.places.len();
        let chains = skeleton.chain_ends.len();
        let mut graph = OrderGraph {
            places: skeleton.places.clone(),
            chains,
            before: vec![0; nodes * chains],
            successors: vec![Vec::new(); nodes],
            incoming: vec![Vec::new(); nodes],
            added: Vec::new(),
            changes: Vec::new(),
            changes_before: Vec::new(),
            waiting: Vec::new(),
            is_waiting: vec![false; nodes],
            search: Search { seen: vec![0; nodes], next: vec![(Node(0), FIXED); nodes], ..Search::default() },
        };
        let mut open = vec![0u32; nodes];
        for &(from, to) in &skeleton.edges {
            graph.successors[from.index()].push(to);
            graph.incoming[to.index()].push(Incoming { from, cause: FIXED, time: 0 });
            open[to.index()] += 1;
        }
        let mut ready: Vec<usize> = (0..nodes).filter(|&node| open[node] == 0).collect();
        let mut done = 0;
        while let Some(node) = ready.pop() {
            done += 1;
            let (chain, position) = graph.places[node];
            let own = &mut graph.before[node * chains + chain.0 as usize];
            *own = (*own).max(position + 1);
            for i in 0..graph.successors[node].len() {
                let next = graph.successors[node][i].index();
                for chain in 0..chains {
                    let value = graph.before[node * chains + chain];
                    let slot = &mut graph.before[next * chains + chain];
                    *slot = (*slot).max(value);
                }
                open[next] -= 1;
                if open[next] == 0 {
                    ready.push(next);
                }
            }
        }
        (done == nodes).then_some(graph)
    }

    pub fn node_count(&self) -> usize {
        self.places.len()
    }

    /// Whether a node comes before another or is the same.
    pub fn reaches(&self, from: Node, to: Node) -> bool {
        let (chain, position) = self.places[from.index()];
        self.before[to.index() * self.chains + chain.0 as usize] > position
    }

    /// How many edges were added and not taken back; what [`OrderGraph::path`] takes as a time.
    pub fn time(&self) -> u32 {
        narrow(self.added.len())
    }

    /// What the last addition that was new implied: a node, and the positions in a chain of nodes that now come before
    /// it and did not. The same may be told more than once.
    pub fn news(&self) -> impl Iterator<Item = (Node, Chain, Range<u32>)> + '_ {
        let since = self.changes_before.last().map_or(self.changes.len(), |&mark| mark as usize);
        self.changes[since..].iter().map(|&(slot, old)| {
            let (node, chain) = (slot as usize / self.chains, slot as usize % self.chains);
            (Node::new(node), Chain::new(chain), old..self.before[slot as usize])
        })
    }

    pub fn place(&self, node: Node) -> (Chain, u32) {
        self.places[node.index()]
    }

    pub fn add(&mut self, from: Node, to: Node, cause: Cause) -> Added {
        if self.reaches(to, from) {
            return Added::Cycle;
        }
        if self.reaches(from, to) {
            return Added::Nothing;
        }
        self.changes_before.push(narrow(self.changes.len()));
        self.added.push((from, to));
        let time = self.time();
        self.successors[from.index()].push(to);
        self.incoming[to.index()].push(Incoming { from, cause, time });
        self.take_over(from, to);
        while let Some(node) = self.waiting.pop() {
            self.is_waiting[node.index()] = false;
            for i in 0..self.successors[node.index()].len() {
                let next = self.successors[node.index()][i];
                self.take_over(node, next);
            }
        }
        Added::New
    }

    /// What comes before `from` comes before `to`.
    fn take_over(&mut self, from: Node, to: Node) {
        let (a, b) = (from.index() * self.chains, to.index() * self.chains);
        let mut changed = false;
        for chain in 0..self.chains {
            let value = self.before[a + chain];
            let slot = b + chain;
            if value > self.before[slot] {
                self.changes.push((narrow(slot), self.before[slot]));
                self.before[slot] = value;
                changed = true;
            }
        }
        if changed && !self.is_waiting[to.index()] {
            self.is_waiting[to.index()] = true;
            self.waiting.push(to);
        }
    }

    /// Takes back the edges added after this time.
    pub fn undo_to(&mut self, time: u32) {
        while self.added.len() > time as usize {
            let (from, to) = self.added.pop().expect("there should be an edge to take back");
            self.successors[from.index()].pop();
            self.incoming[to.index()].pop();
            let changes = self.changes_before.pop().expect("each edge should have its mark");
            for (slot, old) in self.changes.drain(changes as usize..).rev() {
                self.before[slot as usize] = old;
            }
        }
    }

    /// The causes of the edges on a path of edges that were there at `time`, with as few causes as possible. There
    /// should be such a path.
    pub fn path(&mut self, from: Node, to: Node, time: u32, causes: &mut Vec<Cause>) {
        let mut search = std::mem::take(&mut self.search);
        search.round += 1;
        let round = search.round;
        search.queue.clear();
        search.queue.push_back((to, to, FIXED));
        // Breadth first from the end, fixed edges first: they need no cause.
        while let Some((node, towards, cause)) = search.queue.pop_front() {
            if search.seen[node.index()] == round {
                continue;
            }
            search.seen[node.index()] = round;
            search.next[node.index()] = (towards, cause);
            if node == from {
                break;
            }
            for edge in &self.incoming[node.index()] {
                if edge.time > time {
                    break;
                }
                if search.seen[edge.from.index()] == round || !self.reaches(from, edge.from) {
                    continue;
                }
                let found = (edge.from, node, edge.cause);
                if edge.cause == FIXED { search.queue.push_front(found) } else { search.queue.push_back(found) }
            }
        }
        assert!(search.seen[from.index()] == round, "a path that is asked for should be there");
        let mut node = from;
        while node != to {
            let (next, cause) = search.next[node.index()];
            if cause != FIXED {
                causes.push(cause);
            }
            node = next;
        }
        self.search = search;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two threads of three nodes each.
    fn two_chains() -> (OrderGraph, Vec<Node>) {
        let mut skeleton = Skeleton::default();
        let chains = [skeleton.new_chain(), skeleton.new_chain()];
        let nodes = chains.into_iter().flat_map(|chain| [chain; 3]).map(|chain| skeleton.new_node(chain)).collect();
        (OrderGraph::new(&skeleton).expect("chains have no cycle"), nodes)
    }

    #[test]
    fn edges_imply_others_and_close_cycles() {
        let (mut graph, n) = two_chains();
        assert!(graph.reaches(n[0], n[2]) && !graph.reaches(n[0], n[3]));
        assert_eq!(graph.add(n[1], n[4], 7), Added::New);
        assert_eq!(graph.news().collect::<Vec<_>>(), [(n[4], Chain(0), 0..2), (n[5], Chain(0), 0..2)]);
        assert_eq!(graph.add(n[0], n[5], 8), Added::Nothing);
        assert_eq!(graph.add(n[5], n[1], 9), Added::Cycle);
        assert_eq!(graph.add(n[3], n[1], 9), Added::New);
        graph.undo_to(0);
        assert_eq!(graph.add(n[5], n[0], 9), Added::New);
        assert!(graph.reaches(n[3], n[2]));
    }

    #[test]
    fn paths_name_their_causes() {
        let (mut graph, n) = two_chains();
        assert_eq!(graph.add(n[0], n[4], 1), Added::New);
        assert_eq!(graph.add(n[4], n[2], 2), Added::New);
        let mut causes = Vec::new();
        graph.path(n[0], n[5], 2, &mut causes);
        assert_eq!(causes, [1]);
        causes.clear();
        graph.path(n[3], n[2], 2, &mut causes);
        assert_eq!(causes, [2]);
    }

    #[test]
    fn fixed_cycles_are_seen() {
        let mut skeleton = Skeleton::default();
        let chains = [skeleton.new_chain(), skeleton.new_chain()];
        let (a, b) = (skeleton.new_node(chains[0]), skeleton.new_node(chains[1]));
        skeleton.fix(a, b);
        skeleton.fix(b, a);
        assert!(OrderGraph::new(&skeleton).is_none());
    }

    /// Against a search for paths, with additions and undos at random.
    #[test]
    fn clocks_agree_with_searching() {
        let mut numbers = norn_testing::Random::new(12345);
        let mut random = |n: u64| numbers.below(n);
        for _ in 0..50 {
            let mut skeleton = Skeleton::default();
            for _ in 0..4 {
                let chain = skeleton.new_chain();
                for _ in 0..4 {
                    skeleton.new_node(chain);
                }
            }
            let mut graph = OrderGraph::new(&skeleton).expect("chains have no cycle");
            let mut edges: Vec<(Node, Node, u32)> = Vec::new();
            let path_exists = |edges: &[(Node, Node, u32)], from: Node, to: Node| {
                let mut seen = [false; 16];
                let mut stack = vec![from];
                while let Some(node) = stack.pop() {
                    if std::mem::replace(&mut seen[node.index()], true) {
                        continue;
                    }
                    let fixed = skeleton.edges().iter().copied();
                    let all = fixed.chain(edges.iter().map(|&(a, b, _)| (a, b)));
                    stack.extend(all.filter(|&(a, _)| a == node).map(|(_, b)| b));
                }
                seen[to.index()]
            };
            for step in 0..200 {
                if random(8) == 0 {
                    let time = narrow(random(u64::from(graph.time()) + 1));
                    graph.undo_to(time);
                    edges.retain(|edge| edge.2 <= time);
                }
                let (from, to) = (Node(narrow(random(16))), Node(narrow(random(16))));
                let expected = match (path_exists(&edges, to, from), path_exists(&edges, from, to)) {
                    (true, _) => Added::Cycle,
                    (_, true) => Added::Nothing,
                    _ => Added::New,
                };
                assert_eq!(graph.add(from, to, step), expected);
                if expected == Added::New {
                    edges.push((from, to, graph.time()));
                }
            }
        }
    }
}
