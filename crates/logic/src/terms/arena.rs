//! The arena: term numbers, nodes and hash-consing.

use super::float::{Conversion, FloatOp};
use super::fold::mask;
use super::known::Known;
use norn_ir::number::{low_32, narrow, narrow_to};
use std::hash::{Hash, Hasher};
use std::ops::Not;

/// A term of the arena that made it: the number of a node, and whether it is negated (only Boolean terms are).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(u32);

impl Term {
    pub const TRUE: Term = Term(0);
    pub const FALSE: Term = Term(1);

    /// The number of the node, the same for a term and its negation: dense, for tables.
    pub fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether this Boolean term is the negation of its node.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The term without its negation.
    pub fn positive(self) -> Term {
        Term(self.0 & !1)
    }

    /// The term, negated if `negate` holds. Only for Boolean terms.
    pub(super) fn negate_if(self, negate: bool) -> Term {
        Term(self.0 ^ u32::from(negate))
    }
}

/// Negation of a Boolean term; [`Terms::not`] also checks the sort.
impl Not for Term {
    type Output = Term;

    fn not(self) -> Term {
        Term(self.0 ^ 1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    Bool,
    /// A bit-vector of 1 to 64 bits.
    Bits(u32),
}

/// What a term is made of. Constructors simplify: a node that is seen here is in normal form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    True,
    /// A free variable of the term's sort; the number counts the variables of the arena.
    Variable(u32),
    /// The node of a negated Boolean term. It is never stored: negation is a bit of the term's number.
    Not(Term),
    And(Term, Term),
    Xor(Term, Term),
    /// If-then-else of either sort; the condition is not negated.
    Ite(Term, Term, Term),
    Eq(Term, Term),
    Ult(Term, Term),
    Slt(Term, Term),
    Bits(u64),
    Add(Term, Term),
    Sub(Term, Term),
    Mul(Term, Term),
    Udiv(Term, Term),
    Urem(Term, Term),
    BitAnd(Term, Term),
    BitOr(Term, Term),
    BitXor(Term, Term),
    BitNot(Term),
    Shl(Term, Term),
    Lshr(Term, Term),
    Ashr(Term, Term),
    Zext(Term),
    Sext(Term),
    /// Bits of the operand from this position on, as many as the node is wide.
    Extract(Term, u32),
    /// The high part, then the low part.
    Concat(Term, Term),
    /// Arithmetic on floats.
    Float(FloatOp, Term, Term),
    /// A conversion from or to floats of the operand's width and the node's.
    Convert(Conversion, Term),
}

impl Node {
    /// The operands of the node, in order.
    pub fn operands(&self) -> impl Iterator<Item = Term> + use<> {
        use Node::*;
        let operands = match *self {
            True | Variable(_) | Bits(_) => [None; 3],
            Not(a) | BitNot(a) | Zext(a) | Sext(a) | Extract(a, _) | Convert(_, a) => [Some(a), None, None],
            And(a, b)
            | Xor(a, b)
            | Eq(a, b)
            | Ult(a, b)
            | Slt(a, b)
            | Add(a, b)
            | Sub(a, b)
            | Mul(a, b)
            | Udiv(a, b)
            | Urem(a, b)
            | BitAnd(a, b)
            | BitOr(a, b)
            | BitXor(a, b)
            | Shl(a, b)
            | Lshr(a, b)
            | Ashr(a, b)
            | Concat(a, b)
            | Float(_, a, b) => [Some(a), Some(b), None],
            Ite(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        operands.into_iter().flatten()
    }
}

/// What is stored for a node.
#[derive(Clone, Copy)]
struct Entry {
    node: Node,
    known: Known,
    /// 0 for Boolean terms.
    width: u8,
    /// How many leaves the tree of `ite`s at this node has, counted as a tree and up to 255; 1 for other nodes.
    leaves: u8,
    /// How many of them are no constants.
    open_leaves: u8,
}

/// The arena of all terms of one formula.
pub struct Terms {
    entries: Vec<Entry>,
    table: Table,
    variables: u32,
    /// How many conjunctions are being rebuilt inside one another.
    pub(super) nesting: u8,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    pub fn new() -> Terms {
        let mut terms = Terms { entries: Vec::with_capacity(1024), table: Table::new(), variables: 0, nesting: 0 };
        let constant = terms.intern(Node::True, 0);
        debug_assert_eq!(constant, Term::TRUE);
        terms
    }

    /// How many nodes there are; [`Term::index`] is below this.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Always false: the constants are there from the beginning.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// A new variable, different from every other term.
    pub fn fresh(&mut self, sort: Sort) -> Term {
        let width = match sort {
            Sort::Bool => 0,
            Sort::Bits(width) => checked_width(width),
        };
        self.variables += 1;
        self.push(Node::Variable(self.variables - 1), width)
    }

    /// A bit-vector constant; bits above the width are dropped.
    pub fn bits(&mut self, width: u32, value: u64) -> Term {
        self.intern(Node::Bits(value & mask(width)), checked_width(width))
    }

    pub fn bool(&self, value: bool) -> Term {
        if value { Term::TRUE } else { Term::FALSE }
    }

    pub fn sort(&self, term: Term) -> Sort {
        match self.entries[term.index()].width {
            0 => Sort::Bool,
            width => Sort::Bits(u32::from(width)),
        }
    }

    /// The width of a bit-vector term; 0 for a Boolean one.
    pub fn width(&self, term: Term) -> u32 {
        u32::from(self.entries[term.index()].width)
    }

    pub fn is_bool(&self, term: Term) -> bool {
        self.width(term) == 0
    }

    pub fn as_bits(&self, term: Term) -> Option<u64> {
        match self.entries[term.index()].node {
            Node::Bits(value) => Some(value),
            _ => None,
        }
    }

    pub fn as_bool(&self, term: Term) -> Option<bool> {
        match term {
            Term::TRUE => Some(true),
            Term::FALSE => Some(false),
            _ => None,
        }
    }

    /// What the term is made of.
    pub fn node(&self, term: Term) -> Node {
        if term.is_negated() { Node::Not(!term) } else { self.entries[term.index()].node }
    }

    /// Which bits of a bit-vector term are the same under all values of the variables, as far as is known.
    pub fn known(&self, term: Term) -> Known {
        self.entries[term.index()].known
    }

    /// The term of a node number, not negated.
    pub fn at(&self, index: usize) -> Term {
        assert!(index < self.entries.len(), "a term's index should be of this arena");
        Term(narrow(index << 1))
    }

    /// Leaves of the tree of `ite`s at this term, and how many of them are no constants.
    pub(super) fn leaves(&self, term: Term) -> (u8, u8) {
        let entry = &self.entries[term.index()];
        (entry.leaves, entry.open_leaves)
    }

    /// The term of this node, which must be in normal form.
    pub(super) fn intern(&mut self, node: Node, width: u8) -> Term {
        debug_assert!(!matches!(node, Node::Not(_)), "a negation should be a bit of the term");
        let hash = hash_of(&node, width);
        let entries = &self.entries;
        let same = |index: u32| {
            let entry = &entries[index as usize];
            entry.node == node && entry.width == width
        };
        let term = match self.table.find(hash, same) {
            Ok(index) => Term(index << 1),
            Err(slot) => {
                let term = self.push(node, width);
                let entries = &self.entries;
                self.table.insert(slot, hash, term.0 >> 1, |index| {
                    let entry = &entries[index as usize];
                    hash_of(&entry.node, entry.width)
                });
                term
            }
        };
        match node {
            Node::True | Node::Bits(_) => term,
            _ if width == 0 => term,
            // Every bit is known: the node stays behind, unused, and finds the constant again next time.
            _ => match self.known(term).value(u32::from(width)) {
                Some(value) => self.bits(u32::from(width), value),
                None => term,
            },
        }
    }

    /// The term of this node, as wide as `like`.
    pub(super) fn intern_like(&mut self, node: Node, like: Term) -> Term {
        self.intern(node, self.entries[like.index()].width)
    }

    fn push(&mut self, node: Node, width: u8) -> Term {
        let index = u32::try_from(self.entries.len()).ok().filter(|&index| index < u32::MAX / 2);
        let index = index.expect("there should be fewer than two thousand million terms");
        let (leaves, open_leaves) = match node {
            Node::Ite(_, a, b) if width > 0 => {
                let ((left, left_open), (right, right_open)) = (self.leaves(a), self.leaves(b));
                (left.saturating_add(right), left_open.saturating_add(right_open))
            }
            Node::Bits(_) => (1, 0),
            _ => (1, 1),
        };
        let known = if width == 0 { Known::NOTHING } else { self.known_of(&node, u32::from(width)) };
        self.entries.push(Entry { node, known, width, leaves, open_leaves });
        Term(index << 1)
    }
}

/// The width of a bit-vector as terms keep it.
pub(super) fn checked_width(width: u32) -> u8 {
    assert!((1..=64).contains(&width), "a bit-vector should have 1 to 64 bits, not {width}");
    narrow_to(width)
}

fn hash_of(node: &Node, width: u8) -> u32 {
    let mut hasher = rustc_hash::FxHasher::default();
    node.hash(&mut hasher);
    hasher.write_u8(width);
    let hash = hasher.finish();
    low_32(hash ^ (hash >> 32))
}

/// Open addressing over node numbers: the nodes themselves stay in the arena.
struct Table {
    /// Node number + 1, or 0 for a free slot; the length is a power of two.
    slots: Vec<u32>,
    used: usize,
}

impl Table {
    fn new() -> Table {
        Table { slots: vec![0; 2048], used: 0 }
    }

    /// The number that is `same`, or the slot where it belongs.
    fn find(&self, hash: u32, same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let last = self.slots.len() - 1;
        let mut slot = hash as usize & last;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                found if same(found - 1) => return Ok(found - 1),
                _ => slot = (slot + 1) & last,
            }
        }
    }

    fn insert(&mut self, slot: usize, hash: u32, index: u32, hash_at: impl Fn(u32) -> u32) {
        self.used += 1;
        if self.used * 2 <= self.slots.len() {
            self.slots[slot] = index + 1;
            return;
        }
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![0; old.len() * 4];
        for found in old.into_iter().filter(|&found| found != 0) {
            self.place(hash_at(found - 1), found - 1);
        }
        self.place(hash, index);
    }

    fn place(&mut self, hash: u32, index: u32) {
        let last = self.slots.len() - 1;
        let mut slot = hash as usize & last;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & last;
        }
        self.slots[slot] = index + 1;
    }
}
