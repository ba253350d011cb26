//! Conditions: truth values and branches on them, without making integers of them first.
//!
//! `a && b` becomes an `And` of two truth values when `b` may be computed in any case: it only looks at registers and
//! cannot violate anything (a signed `+` can, when overflow is checked). Otherwise it becomes control flow.

use super::function::FunctionBuilder;
use super::place::is_place;
use crate::tree::{BinaryOp, Builtin, CompareOp, Expr, ExprKind};
use norn_ir::ids::BlockId;
use norn_ir::instr::{self, Const, Operand};
use norn_ir::types::Ty;

impl<'a> FunctionBuilder<'_, 'a> {
    /// Ends the block with a jump to `then` if the scalar is not zero, else to `otherwise`.
    pub fn branch(&mut self, e: &'a Expr, then: BlockId, otherwise: BlockId) {
        self.deeper(e, |f| f.branch_inner(e, then, otherwise), |_| ());
    }

    fn branch_inner(&mut self, e: &'a Expr, then: BlockId, otherwise: BlockId) {
        let (inner, negated) = self.peel(e);
        let (then, otherwise) = if negated { (otherwise, then) } else { (then, otherwise) };
        match &inner.kind {
            ExprKind::And(a, b) if !self.is_straight(inner) => {
                let second = self.new_block();
                self.branch(a, second, otherwise);
                self.start_branch(second);
                self.branch(b, then, otherwise);
            }
            ExprKind::Or(a, b) if !self.is_straight(inner) => {
                let second = self.new_block();
                self.branch(a, then, second);
                self.start_branch(second);
                self.branch(b, then, otherwise);
            }
            ExprKind::Comma(a, b) => {
                self.discard(a);
                self.branch(b, then, otherwise);
            }
            ExprKind::Conditional { condition, then: yes, otherwise: no } if !self.is_straight(inner) => {
                let (first, second) = (self.new_block(), self.new_block());
                self.branch(condition, first, second);
                self.start_branch(first);
                self.branch(yes, then, otherwise);
                self.start_branch(second);
                self.branch(no, then, otherwise);
            }
            _ => {
                let cond = self.truth(inner, false);
                self.set_loc(e.loc);
                self.branch_on(cond, then, otherwise);
            }
        }
    }

    /// Whether a scalar is not zero (is zero, if negated), as a truth value.
    pub fn truth(&mut self, e: &'a Expr, negated: bool) -> Operand {
        self.deeper(e, |f| f.truth_inner(e, negated), |_| Operand::Const(Const::FALSE))
    }

    fn truth_inner(&mut self, e: &'a Expr, negated: bool) -> Operand {
        let (inner, flipped) = self.peel(e);
        let negated = negated != flipped;
        match &inner.kind {
            ExprKind::Compare(op, lhs, rhs) if self.is_wide(lhs.ty.ty) => {
                self.wide_comparison(inner, (*op, negated), lhs, rhs)
            }
            ExprKind::Compare(op, lhs, rhs) => {
                let scalar = self.expect_scalar(lhs);
                let left = self.value(lhs);
                let left = self.hold(left);
                let right = self.value(rhs);
                let left = self.release(left);
                self.set_loc(inner.loc);
                self.comparison(*op, negated, scalar, left, right)
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let is_and = matches!(inner.kind, ExprKind::And(..));
                if !self.is_pure(b) {
                    return self.truth_by_branching(inner, negated);
                }
                // De Morgan: negating both sides is free where they are comparisons.
                let left = self.truth(a, negated);
                let decided = Operand::Const(if is_and != negated { Const::FALSE } else { Const::TRUE });
                if left == decided {
                    return decided;
                }
                let right = self.truth(b, negated);
                self.set_loc(inner.loc);
                if matches!(left, Operand::Const(_)) {
                    return right;
                }
                let op = if is_and != negated { instr::BinaryOp::And } else { instr::BinaryOp::Or };
                self.binary(op, Ty::Bool, left, right)
            }
            ExprKind::Comma(a, b) => {
                self.discard(a);
                self.truth(b, negated)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                if !self.is_pure(then) || !self.is_pure(otherwise) {
                    return self.truth_by_branching(inner, negated);
                }
                let cond = self.truth(condition, false);
                let (yes, no) = (self.truth(then, negated), self.truth(otherwise, negated));
                self.select(Ty::Bool, cond, yes, no)
            }
            _ if self.is_wide(inner.ty.ty) => {
                let value = self.wide(inner);
                self.set_loc(e.loc);
                self.is_nonzero_wide(value, negated)
            }
            _ => {
                let scalar = self.expect_scalar(inner);
                let value = self.value(inner);
                self.set_loc(e.loc);
                self.is_nonzero(scalar, value, negated)
            }
        }
    }

    fn truth_by_branching(&mut self, e: &'a Expr, negated: bool) -> Operand {
        let dst = self.register(Ty::Bool);
        let (yes, no, end) = (self.new_block(), self.new_block(), self.new_block());
        self.branch(e, yes, no);
        for (block, holds) in [(yes, !negated), (no, negated)] {
            self.start_branch(block);
            self.assign(dst, Operand::Const(if holds { Const::TRUE } else { Const::FALSE }));
            self.goto(end);
        }
        self.start_branch(end);
        Operand::Reg(dst)
    }

    /// Takes off what does not change whether a scalar is zero, and negations, counting whether they are odd.
    fn peel(&self, mut e: &'a Expr) -> (&'a Expr, bool) {
        let mut negated = false;
        loop {
            match &e.kind {
                ExprKind::Not(inner) => {
                    negated = !negated;
                    e = inner;
                }
                ExprKind::Convert(inner) if self.keeps_zero(inner, e) => e = inner,
                ExprKind::Compare(op @ (CompareOp::Eq | CompareOp::Ne), lhs, rhs)
                    if is_zero(rhs) && self.is_boolean(lhs) =>
                {
                    negated ^= *op == CompareOp::Eq;
                    e = lhs;
                }
                _ => return (e, negated),
            }
        }
    }

    /// Whether a conversion maps zero and nothing else to zero.
    fn keeps_zero(&self, from: &Expr, to: &Expr) -> bool {
        let (Some(a), Some(b)) = (self.scalar_of(from), self.scalar_of(to)) else { return false };
        b.is_bool
            || (a.ty == Ty::Ptr && b.ty == Ty::Ptr)
            || (a.ty.is_int() && b.ty.is_int() && b.ty.bits(self.p.target) >= a.ty.bits(self.p.target))
    }

    /// Whether an expression is a truth value as an integer.
    fn is_boolean(&self, mut e: &'a Expr) -> bool {
        while let ExprKind::Convert(inner) = &e.kind {
            if !self.keeps_zero(inner, e) {
                return false;
            }
            e = inner;
        }
        matches!(e.kind, ExprKind::Not(_) | ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..))
    }

    /// Whether the truth of an expression takes no control flow.
    fn is_straight(&self, e: &'a Expr) -> bool {
        let mut e = self.peel(e).0;
        loop {
            match &e.kind {
                ExprKind::And(a, b) | ExprKind::Or(a, b) if self.is_pure(b) => e = self.peel(a).0,
                ExprKind::And(..) | ExprKind::Or(..) => return false,
                ExprKind::Conditional { condition, then, otherwise }
                    if self.is_pure(then) && self.is_pure(otherwise) =>
                {
                    e = self.peel(condition).0;
                }
                ExprKind::Conditional { .. } => return false,
                _ => return true,
            }
        }
    }

    /// Whether an expression only computes with registers and constants and cannot violate anything, so that it may be
    /// evaluated where C would not.
    pub fn is_pure(&self, e: &'a Expr) -> bool {
        let mut pending = vec![e];
        let mut budget = 32;
        while let Some(e) = pending.pop() {
            budget -= 1;
            if budget == 0 || !self.is_pure_node(e, &mut pending) {
                return false;
            }
        }
        true
    }

    fn is_pure_node(&self, e: &'a Expr, pending: &mut Vec<&'a Expr>) -> bool {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => self.scalar_of(e).is_some(),
            ExprKind::Load(place) => match &place.kind {
                ExprKind::Var(var) => {
                    matches!(self.homes[var.0 as usize], super::function::Home::Register(_))
                }
                _ => false,
            },
            ExprKind::AddressOf(place) => self.is_pure_address(place),
            ExprKind::Convert(inner) => {
                pending.push(inner);
                self.scalar_of(e).is_some() && self.scalar_of(inner).is_some()
            }
            ExprKind::BitNot(inner) | ExprKind::Not(inner) => {
                pending.push(inner);
                true
            }
            ExprKind::Binary(op, a, b) => {
                pending.extend([&**a, &**b]);
                let Some(scalar) = self.scalar_of(e) else { return false };
                match op {
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => true,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => !scalar.signed || scalar.ty.is_float(),
                    BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr => false,
                }
            }
            ExprKind::Compare(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                pending.extend([&**a, &**b]);
                self.scalar_of(a).is_some()
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                pending.extend([&**condition, &**then, &**otherwise]);
                self.scalar_of(e).is_some()
            }
            ExprKind::Builtin(builtin) => matches!(**builtin, Builtin::IsLinked(_)),
            _ => false,
        }
    }

    /// Whether the address of a place is a constant of the frame or program.
    fn is_pure_address(&self, place: &'a Expr) -> bool {
        let mut e = place;
        loop {
            match &e.kind {
                ExprKind::Object(_) => return true,
                ExprKind::Var(var) => {
                    return matches!(self.homes[var.0 as usize], super::function::Home::Local(_));
                }
                ExprKind::Member { base, .. } if is_place(base) => e = base,
                _ => return false,
            }
        }
    }

    /// The value of a condition that is constant, as far as that is cheap to see.
    pub fn constant_condition(&self, e: &'a Expr) -> Option<bool> {
        let (inner, negated) = self.peel(e);
        let value = match &inner.kind {
            ExprKind::Int(bits) => *bits != 0,
            ExprKind::Builtin(builtin) => match &**builtin {
                Builtin::IsLinked(name) => self.p.linked.is_linked(name),
                _ => return None,
            },
            _ => return None,
        };
        Some(value != negated)
    }
}

fn is_zero(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(0) => true,
        ExprKind::Convert(inner) => is_zero(inner),
        _ => false,
    }
}
