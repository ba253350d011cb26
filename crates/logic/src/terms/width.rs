//! Operations that change the width: extension, extraction, concatenation.

use super::arena::{Node, Term, Terms, checked_width};
use super::fold::{mask, signed};

impl Terms {
    /// The term with zeros above it, `width` bits in all.
    pub fn zext(&mut self, a: Term, width: u32) -> Term {
        let narrow = self.width(a);
        assert!(narrow >= 1 && narrow <= width && width <= 64, "cannot extend {narrow} bits to {width}");
        if narrow == width {
            return a;
        }
        if self.has_constant_leaves(a) {
            return self.map_leaves(a, &mut |terms, leaf| terms.zext(leaf, width));
        }
        match self.node(a) {
            Node::Bits(value) => self.bits(width, value),
            Node::Zext(x) => self.intern(Node::Zext(x), checked_width(width)),
            _ => self.intern(Node::Zext(a), checked_width(width)),
        }
    }

    /// The term with copies of its highest bit above it, `width` bits in all.
    pub fn sext(&mut self, a: Term, width: u32) -> Term {
        let narrow = self.width(a);
        assert!(narrow >= 1 && narrow <= width && width <= 64, "cannot extend {narrow} bits to {width}");
        if narrow == width {
            return a;
        }
        if self.has_constant_leaves(a) {
            return self.map_leaves(a, &mut |terms, leaf| terms.sext(leaf, width));
        }
        match self.node(a) {
            Node::Bits(value) => self.bits(width, signed(narrow, value) as u64),
            Node::Sext(x) => self.intern(Node::Sext(x), checked_width(width)),
            _ if self.known(a).sign(narrow) == Some(false) => self.zext(a, width),
            _ => self.intern(Node::Sext(a), checked_width(width)),
        }
    }

    /// `width` bits from position `low` on.
    pub fn extract(&mut self, a: Term, low: u32, width: u32) -> Term {
        let whole = self.width(a);
        assert!(width >= 1 && low + width <= whole, "cannot take {width} bits at {low} out of {whole}");
        if width == whole {
            return a;
        }
        let (leaves, open) = self.leaves(a);
        if (2..=16).contains(&leaves) && open <= 1 {
            return self.map_leaves(a, &mut |terms, leaf| terms.extract(leaf, low, width));
        }
        match self.node(a) {
            Node::Bits(value) => self.bits(width, value >> low),
            Node::Extract(x, below) => self.extract(x, below + low, width),
            Node::Zext(x) => {
                let inner = self.width(x);
                if low >= inner {
                    self.bits(width, 0)
                } else {
                    let part = self.extract(x, low, width.min(inner - low));
                    self.zext(part, width)
                }
            }
            Node::Sext(x) => {
                let inner = self.width(x);
                let low = low.min(inner - 1);
                let part = self.extract(x, low, width.min(inner - low));
                self.sext(part, width)
            }
            Node::Concat(high, rest) => {
                let border = self.width(rest);
                if low >= border {
                    self.extract(high, low - border, width)
                } else if low + width <= border {
                    self.extract(rest, low, width)
                } else {
                    let upper = self.extract(high, 0, low + width - border);
                    let lower = self.extract(rest, low, border - low);
                    self.concat(upper, lower)
                }
            }
            node => self.extract_operation(a, node, low, width),
        }
    }

    /// `high` above `low`.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let (upper, border) = (self.width(high), self.width(low));
        let width = upper + border;
        assert!(upper >= 1 && border >= 1 && width <= 64, "cannot put {upper} bits above {border}");
        if self.have_constant_leaves(high, low) {
            return self.map_pairs(high, low, &mut |terms, high, low| {
                let by = terms.width(low);
                let value = terms.known(high).least() << by | terms.known(low).least();
                terms.bits(terms.width(high) + by, value)
            });
        }
        if self.as_bits(high) == Some(0) {
            return self.zext(low, width);
        }
        if let Some(joined) = self.joined(high, low) {
            return joined;
        }
        match (self.node(high), self.node(low)) {
            (Node::Zext(x), _) => {
                let inner = self.concat(x, low);
                self.zext(inner, width)
            }
            // Concatenations lean to the right, so that neighbours meet.
            (Node::Concat(top, middle), _) => {
                let rest = self.concat(middle, low);
                self.concat(top, rest)
            }
            (_, Node::Concat(middle, bottom)) => match self.joined(high, middle) {
                Some(top) => self.concat(top, bottom),
                None => self.intern(Node::Concat(high, low), checked_width(width)),
            },
            _ => self.intern(Node::Concat(high, low), checked_width(width)),
        }
    }

    /// Two neighbours as one term, if they are constants or neighbouring parts of one term.
    fn joined(&mut self, high: Term, low: Term) -> Option<Term> {
        let width = self.width(high) + self.width(low);
        match (self.node(high), self.node(low)) {
            (Node::Bits(upper), Node::Bits(lower)) => Some(self.bits(width, upper << self.width(low) | lower)),
            (Node::Extract(x, from), Node::Extract(y, start)) if x == y && from == start + self.width(low) => {
                Some(self.extract(x, start, width))
            }
            _ => None,
        }
    }

    /// Extraction from an operation, moved to its operands where that makes them smaller.
    fn extract_operation(&mut self, a: Term, node: Node, low: u32, width: u32) -> Term {
        if let Node::Add(x, k) = node
            && let Some(summand) = self.as_bits(k)
            && low > 0
            && self.known(x).zeros & mask(low) == mask(low)
        {
            // There is no carry out of the bits below.
            let (part, summand) = (self.extract(x, low, width), self.bits(width, summand >> low));
            return self.add(part, summand);
        }
        let operation: fn(&mut Terms, Term, Term) -> Term = match node {
            Node::BitAnd(..) => Terms::bit_and,
            Node::BitOr(..) => Terms::bit_or,
            Node::BitXor(..) => Terms::bit_xor,
            // The low bits of these depend on the low bits of the operands only.
            Node::Add(..) if low == 0 => Terms::add,
            Node::Sub(..) if low == 0 => Terms::sub,
            Node::Mul(..) if low == 0 => Terms::mul,
            _ => return self.intern(Node::Extract(a, low), checked_width(width)),
        };
        let operands: Vec<Term> = node.operands().collect();
        if !operands.iter().all(|&operand| self.extracts_well(operand, low, width)) {
            return self.intern(Node::Extract(a, low), checked_width(width));
        }
        let (left, right) = (self.extract(operands[0], low, width), self.extract(operands[1], low, width));
        operation(self, left, right)
    }

    /// Whether extraction from this term needs no new node but a constant or an extension.
    fn extracts_well(&self, a: Term, low: u32, width: u32) -> bool {
        match self.node(a) {
            Node::Bits(_) => true,
            Node::Zext(x) | Node::Sext(x) => low == 0 && self.width(x) <= width,
            Node::Concat(_, rest) => low == 0 && self.width(rest) == width,
            _ => false,
        }
    }
}
