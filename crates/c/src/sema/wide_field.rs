//! Arithmetic with bit-fields that are wider than `int`.
//!
//! C11 (6.7.2.1) leaves open which types beside `_Bool` and `int` a bit-field may have, and what type its value then has. Here it is
//! as in GCC: an integer type of exactly the field's width. It is promoted to no other type, and it loses the usual arithmetic
//! conversions against every wider type and wins them against every narrower one, so that `s.u40 << 8` loses its upper bits and
//! `s.u40 + 1` wraps at 2^40. (Clang computes with the declared type instead.)
//!
//! Such a value has the declared type, of 64 bits, in the tree; operands and results are cut to the width where they could
//! exceed it ([`ExprKind::Reduced`]).

use super::Checker;
use crate::ctype::{QualType, Type};
use crate::tree::{Expr, ExprKind};
use norn_ir::number::narrow;

/// What an operation computes with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OperationType {
    pub ty: QualType,
    /// The width that operands and result are cut to, if it is less than that of the type.
    pub width: Option<u32>,
}

impl Checker<'_> {
    /// The width of a value whose type is that of a bit-field and no standard type.
    pub(super) fn wide_field(&self, e: &Expr) -> Option<u32> {
        let (width, _) = self.bit_field_width(e)?;
        (width > 32 && u64::from(width) < self.size_of(e.ty)? * 8).then_some(width)
    }

    /// The type that the usual arithmetic conversions bring two arithmetic values to.
    pub(super) fn operation_type(&self, lhs: &Expr, rhs: &Expr) -> OperationType {
        let (l, r) = (self.promoted_type(lhs), self.promoted_type(rhs));
        let integers = self.is_integer(l) && self.is_integer(r);
        let (wide_l, wide_r) = (self.wide_field(lhs), self.wide_field(rhs));
        if !integers || (wide_l.is_none() && wide_r.is_none()) {
            return OperationType { ty: QualType::unqualified(self.common_type(l.ty, r.ty)), width: None };
        }
        let bits = |ty: QualType| self.size_of(ty).map_or(0, |size| narrow(size) * 8);
        let (width_l, width_r) = (wide_l.unwrap_or(bits(l)), wide_r.unwrap_or(bits(r)));
        let (ty, width, wide) = match width_l.cmp(&width_r) {
            std::cmp::Ordering::Less => (r, width_r, wide_r),
            std::cmp::Ordering::Greater => (l, width_l, wide_l),
            std::cmp::Ordering::Equal => (if self.is_signed(l) { r } else { l }, width_l, wide_l),
        };
        OperationType { ty, width: wide.map(|_| width) }
    }

    /// An operand of such an operation.
    pub(super) fn operand(&mut self, e: Expr, to: OperationType) -> Expr {
        let fits = self.wide_field(&e).is_some_and(|own| {
            let (signed, target) = (self.is_signed(e.ty), self.is_signed(to.ty));
            to.width.is_some_and(|width| (signed == target && own <= width) || (!signed && own < width))
        });
        let e = self.converted(e, to.ty);
        self.reduced(e, to.width.filter(|_| !fits))
    }

    /// A value cut to a width.
    pub(super) fn reduced(&self, e: Expr, width: Option<u32>) -> Expr {
        let Some(width) = width.filter(|_| !matches!(self.kind(e.ty), Type::Error)) else { return e };
        let (ty, loc) = (e.ty, e.loc);
        match e.kind {
            ExprKind::Int(bits) => {
                let unused = 64 - width;
                let kept = match self.is_signed(ty) {
                    true => ((bits << unused) as i64 >> unused) as u64,
                    false => bits << unused >> unused,
                };
                Expr { kind: ExprKind::Int(kept), ty, loc }
            }
            _ => Expr { kind: ExprKind::Reduced(Box::new(e), width), ty, loc },
        }
    }
}
