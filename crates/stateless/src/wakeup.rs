//! Wakeup trees: sequences of processes that are still to be explored from a state, as trees in one arena.

use crate::footprint::{Footprint, Process};
use norn_ir::number::narrow;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeId(u32);

pub const NO_NODE: NodeId = NodeId(u32::MAX);

#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub process: Process,
    pub footprint: Footprint,
    /// Children in the order of their exploration.
    pub first: NodeId,
    pub next: NodeId,
}

/// All trees of a search.
#[derive(Default)]
pub struct Forest {
    nodes: Vec<Node>,
    free: Vec<NodeId>,
}

impl Forest {
    pub fn get(&self, id: NodeId) -> Node {
        self.nodes[id.0 as usize]
    }

    fn make(&mut self, process: Process, footprint: Footprint) -> NodeId {
        let node = Node { process, footprint, first: NO_NODE, next: NO_NODE };
        match self.free.pop() {
            Some(id) => {
                self.nodes[id.0 as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                NodeId(narrow(self.nodes.len() - 1))
            }
        }
    }

    /// The node is gone; its children are the caller's.
    pub fn release(&mut self, id: NodeId) {
        self.free.push(id);
    }

    /// A chain of nodes, to be hung up somewhere.
    pub fn chain(&mut self, sequence: impl DoubleEndedIterator<Item = (Process, Footprint)>) -> NodeId {
        let mut below = NO_NODE;
        for (process, footprint) in sequence.rev() {
            let id = self.make(process, footprint);
            self.nodes[id.0 as usize].first = below;
            below = id;
        }
        below
    }

    /// Adds a last sibling to a list whose first node is given; the list's first node then.
    pub fn append(&mut self, first: NodeId, added: NodeId) -> NodeId {
        if first == NO_NODE {
            return added;
        }
        let mut last = first;
        while self.get(last).next != NO_NODE {
            last = self.get(last).next;
        }
        self.nodes[last.0 as usize].next = added;
        first
    }

    /// How many nodes a list has.
    pub fn siblings(&self, first: NodeId) -> usize {
        std::iter::successors(Some(first), |&id| Some(self.get(id).next).filter(|&next| next != NO_NODE)).count()
    }

    pub fn set_children(&mut self, id: NodeId, first: NodeId) {
        self.nodes[id.0 as usize].first = first;
    }
}
