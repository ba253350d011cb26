//! A checked model: its definitions as one graph of operations without names, functions or repetition.
//!
//! Equal expressions are one node, and functions are gone: [`crate::compile`] puts their bodies in place. Nodes come
//! after their operands, but for recursion: there a [`Op::Variable`] stands for what is being defined, and [`Op::Fix`]
//! for the result.

use norn_ir::source::Loc;

use crate::tree::{Binary, Test, Unary};

norn_ir::ids! {
    /// An operation of a model.
    Node = "node ";
}

/// What must be known of an execution before a node has a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// The events of the threads and what the threads alone relate.
    Events,
    /// Which write each read reads from.
    ReadsFrom,
    /// The order of the writes to each cell.
    Coherence,
}

impl Stage {
    pub const ALL: [Stage; 3] = [Stage::Events, Stage::ReadsFrom, Stage::Coherence];
}

/// The relations that every execution has.
pub const RELATIONS: [(&str, Stage); 19] = [
    ("id", Stage::Events),
    ("int", Stage::Events),
    ("ext", Stage::Events),
    ("loc", Stage::Events),
    // Events of the same access, which may be of several cells.
    ("si", Stage::Events),
    ("po", Stage::Events),
    ("po-loc", Stage::Events),
    ("addr", Stage::Events),
    ("data", Stage::Events),
    ("ctrl", Stage::Events),
    ("rmw", Stage::Events),
    ("amo", Stage::Events),
    ("lxsx", Stage::Events),
    ("rf", Stage::ReadsFrom),
    ("rfi", Stage::ReadsFrom),
    ("rfe", Stage::ReadsFrom),
    ("co", Stage::Coherence),
    ("coi", Stage::Coherence),
    ("coe", Stage::Coherence),
];

/// Those made of others, for every model.
pub const FROM_READS: [&str; 3] = ["fr", "fri", "fre"];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    Set,
    Relation,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// A set of the execution, by its name.
    Set(String),
    /// A relation of the execution.
    Relation(String),
    EmptySet,
    EmptyRelation,
    AllEvents,
    Unary(Unary, Node),
    Binary(Binary, Node, Node),
    Domain(Node),
    Range(Node),
    /// What a recursive definition is about to define.
    Variable {
        group: usize,
        index: usize,
    },
    /// What it has defined.
    Fix {
        group: usize,
        index: usize,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NodeInfo {
    pub op: Op,
    pub ty: Type,
    pub stage: Stage,
    /// The recursive definition that it is inside of: it has no value of its own.
    pub inside: Option<usize>,
    /// Whether a check needs it.
    pub needed: bool,
}

/// Definitions by `let rec … and …`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Group {
    pub variables: Vec<Node>,
    pub bodies: Vec<Node>,
    /// All nodes that depend on the variables, operands first.
    pub inner: Vec<Node>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// Empty if the model gives none.
    pub name: String,
    pub test: Test,
    pub negated: bool,
    /// A flag says something of an execution and forbids nothing.
    pub flag: bool,
    pub stage: Stage,
    pub loc: Loc,
    pub(crate) node: Node,
}

/// A memory model, ready for evaluation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    pub title: String,
    /// The name by which Norn knows it, if it comes with Norn.
    pub builtin: Option<&'static str>,
    pub checks: Vec<Check>,
    pub(crate) nodes: Vec<NodeInfo>,
    pub(crate) groups: Vec<Group>,
}

impl Model {
    pub(crate) fn node(&self, node: Node) -> &NodeInfo {
        &self.nodes[node.index()]
    }

    /// Whether a check looks at that set of events.
    pub fn mentions(&self, set: &str) -> bool {
        self.nodes.iter().any(|info| info.needed && matches!(&info.op, Op::Set(name) if name == set))
    }

    /// Whether one of the checks by itself forbids every cycle of `po-loc`, `rf`, `co` and `fr`. Only the text of the
    /// check is looked at, so some models that do forbid them are missed.
    pub fn is_coherent(&self) -> bool {
        let forbids = |check: &Check| {
            let parts = self.parts(check.node);
            let has = |name: &str| parts.iter().any(|&part| self.is_relation(part, name));
            let whole = |all: &str, inner: &str, outer: &str| has(all) || has(inner) && has(outer);
            let in_order = has("po") || has("po-loc") || parts.iter().any(|&part| self.is_po_loc(part));
            check.test == Test::Acyclic
                && !check.negated
                && !check.flag
                && in_order
                && whole("rf", "rfi", "rfe")
                && whole("co", "coi", "coe")
                && whole("fr", "fri", "fre")
        };
        self.checks.iter().any(forbids)
    }

    /// Whether one of the checks forbids that another thread writes between the read and the write of an atomic step.
    /// Only the text of the check is looked at here, too.
    pub fn is_atomic(&self) -> bool {
        let is_any = |node, names: [&str; 2]| names.iter().any(|name| self.is_relation(node, name));
        let between = |node| match self.node(node).op {
            Op::Binary(Binary::Compose, before, after) => is_any(before, ["fre", "fr"]) && is_any(after, ["coe", "co"]),
            _ => false,
        };
        let forbids = |check: &Check| match self.node(check.node).op {
            Op::Binary(Binary::Intersection, lhs, rhs) => {
                let both = |a, b| self.is_relation(a, "rmw") && between(b);
                check.test == Test::Empty && !check.negated && !check.flag && (both(lhs, rhs) || both(rhs, lhs))
            }
            _ => false,
        };
        self.checks.iter().any(forbids)
    }

    /// What a union is made of.
    fn parts(&self, node: Node) -> Vec<Node> {
        let mut found = Vec::new();
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            if found.contains(&node) {
                continue;
            }
            found.push(node);
            if let Op::Binary(Binary::Union, lhs, rhs) = self.node(node).op {
                pending.extend([lhs, rhs]);
            }
        }
        found
    }

    pub(crate) fn is_relation(&self, node: Node, name: &str) -> bool {
        matches!(&self.node(node).op, Op::Relation(other) if other == name)
    }

    fn is_po_loc(&self, node: Node) -> bool {
        let Op::Binary(Binary::Intersection, lhs, rhs) = self.node(node).op else { return false };
        let both = |a, b| self.is_relation(a, "po") && self.is_relation(b, "loc");
        both(lhs, rhs) || both(rhs, lhs)
    }
}
