//! `ite` on either sort, and moving operations into `ite` trees whose leaves are constants.

use super::arena::{Node, Term, Terms};
use super::boolean::Judgement;

/// Up to how many leaves a comparison with a constant is moved into a tree.
pub(super) const COMPARED_LEAVES: u8 = 32;
/// Up to how many leaves another operation with constants is moved into a tree.
const MAPPED_LEAVES: u8 = 16;
/// Up to how many pairs of leaves an operation on two trees is moved into both.
const PAIRED_LEAVES: u32 = 8;

impl Terms {
    /// `a` where the condition holds, else `b`; of either sort.
    pub fn ite(&mut self, condition: Term, a: Term, b: Term) -> Term {
        debug_assert!(self.is_bool(condition), "a condition should be Boolean");
        assert_eq!(self.sort(a), self.sort(b), "both branches should have one sort");
        let (mut condition, mut a, mut b) = (condition, a, b);
        // Each round takes an inner `ite` away.
        loop {
            if condition == Term::TRUE || a == b {
                return a;
            }
            if condition == Term::FALSE {
                return b;
            }
            if condition.is_negated() {
                (condition, a, b) = (!condition, b, a);
            }
            (a, b) = (self.chosen_under(condition, a), self.chosen_under(!condition, b));
            if a == b {
                return a;
            }
            if self.is_bool(a) {
                return self.ite_bool(condition, a, b);
            }
            if let Node::Eq(p, q) = self.node(condition)
                && ((p == a && q == b) || (p == b && q == a))
            {
                return b;
            }
            (condition, a, b) = match (self.node(a), self.node(b)) {
                (_, Node::Ite(inner, p, q)) if p == a => (self.or(condition, inner), a, q),
                (_, Node::Ite(inner, p, q)) if q == a => (self.or(condition, !inner), a, p),
                (Node::Ite(inner, p, q), _) if q == b => (self.and(condition, inner), p, b),
                (Node::Ite(inner, p, q), _) if p == b => (self.and(condition, !inner), q, b),
                _ => return self.intern_like(Node::Ite(condition, a, b), a),
            };
        }
    }

    /// 1 or 0, of `width` bits.
    pub fn from_bool(&mut self, condition: Term, width: u32) -> Term {
        let (one, zero) = (self.bits(width, 1), self.bits(width, 0));
        self.ite(condition, one, zero)
    }

    /// Whether a bit-vector is not 0.
    pub fn to_bool(&mut self, a: Term) -> Term {
        let zero = self.bits(self.width(a), 0);
        self.ne(a, zero)
    }

    /// The branch that a term which is an `ite` has where the condition holds, if the condition decides that.
    fn chosen_under(&self, condition: Term, mut term: Term) -> Term {
        while let Node::Ite(inner, a, b) = self.node(term.positive()) {
            let chosen = match self.judge(condition, inner) {
                Judgement::Follows => a,
                Judgement::Excluded => b,
                Judgement::Open => break,
            };
            term = chosen.negate_if(term.is_negated());
        }
        term
    }

    /// Whether an operation on this term should move into its leaves, which are all constants.
    pub(super) fn has_constant_leaves(&self, term: Term) -> bool {
        let (leaves, open) = self.leaves(term);
        (2..=MAPPED_LEAVES).contains(&leaves) && open == 0
    }

    /// Whether an operation on these two terms should move into the leaves of both; they may be constants themselves.
    pub(super) fn have_constant_leaves(&self, a: Term, b: Term) -> bool {
        let ((left, left_open), (right, right_open)) = (self.leaves(a), self.leaves(b));
        let most = if left == 1 || right == 1 { u32::from(MAPPED_LEAVES) } else { PAIRED_LEAVES };
        left_open == 0 && right_open == 0 && u32::from(left) * u32::from(right) <= most
    }

    /// An operation moved into the leaves of both operands and folded there, if they are constants and few.
    pub(super) fn folded(&mut self, a: Term, b: Term, fold: fn(u32, u64, u64) -> u64) -> Option<Term> {
        self.have_constant_leaves(a, b).then(|| {
            let width = self.width(a);
            self.map_pairs(a, b, &mut |terms, left, right| {
                let value = fold(width, terms.known(left).least(), terms.known(right).least());
                terms.bits(width, value)
            })
        })
    }

    /// The tree with each leaf replaced by what `leaf` makes of it. Only for trees whose size was checked.
    pub(super) fn map_leaves(&mut self, tree: Term, leaf: &mut dyn FnMut(&mut Terms, Term) -> Term) -> Term {
        match self.node(tree) {
            Node::Ite(condition, a, b) => {
                let (a, b) = (self.map_leaves(a, leaf), self.map_leaves(b, leaf));
                self.ite(condition, a, b)
            }
            _ => leaf(self, tree),
        }
    }

    /// The operation on each pair of leaves. Only for trees whose size was checked.
    pub(super) fn map_pairs(
        &mut self,
        a: Term,
        b: Term,
        operation: &mut dyn FnMut(&mut Terms, Term, Term) -> Term,
    ) -> Term {
        self.map_leaves(a, &mut |terms, left| terms.map_leaves(b, &mut |terms, right| operation(terms, left, right)))
    }
}
