//! Values with elements: complex numbers and vectors. What is done to one is done to each of its elements, so that the rest of the
//! program meets nothing but numbers: `a + b` becomes `(s = a, t = b, { s.0 + t.0, s.1 + t.1 })`.

use super::Checker;
use crate::ctype::{QualType, Type};
use crate::tree::{Expr, ExprKind, VarId};
use norn_ir::diag::Diagnostic;
use norn_ir::number::to_usize;
use norn_ir::source::Loc;

/// An operand whose elements are needed, each any number of times.
pub(super) struct Operand {
    /// Evaluates the operand, where that is not done by mentioning its elements.
    fill: Option<Expr>,
    source: Source,
    loc: Loc,
}

enum Source {
    /// Numbers that are known.
    Constants(Vec<Expr>),
    /// A temporary that holds the operand.
    Kept(VarId),
    /// One number that stands for every element.
    Same(Expr),
    /// The same, in a temporary.
    KeptSame(VarId),
}

impl Checker<'_> {
    /// The type of the elements of a complex number or vector, and how many there are.
    pub(crate) fn elements_of(&self, ty: QualType) -> Option<(QualType, u64)> {
        match *self.kind(ty) {
            Type::Complex(part) => Some((QualType::unqualified(part), 2)),
            Type::Vector { element, length } => Some((QualType::unqualified(element), length)),
            _ => None,
        }
    }

    /// The value with the given elements.
    pub(crate) fn composed(&self, elements: Vec<Expr>, ty: QualType, loc: Loc) -> Expr {
        Expr { kind: ExprKind::Elements(elements), ty: QualType::unqualified(ty.ty), loc }
    }

    /// Takes a complex number or vector apart; a number stands for every element. `None` outside of functions, where only
    /// constants can be taken apart, which has been reported.
    pub(super) fn taken_apart(&mut self, e: Expr) -> Option<Operand> {
        let loc = e.loc;
        let with = |fill, source| Some(Operand { fill, source, loc });
        let has_elements = self.elements_of(e.ty).is_some();
        match e.kind {
            ExprKind::Elements(elements) if elements.iter().all(is_number) => with(None, Source::Constants(elements)),
            ExprKind::Int(_) | ExprKind::Float(_) if !has_elements => with(None, Source::Same(e)),
            _ => {
                if self.function.is_none() {
                    let message = "a complex number or a vector that is computed outside of functions";
                    self.report(Diagnostic::unsupported(loc, message));
                    return None;
                }
                let var = self.temporary(QualType::unqualified(e.ty.ty), loc)?;
                let place = self.var(var, loc);
                let fill = self.assignment(place, e, loc);
                with(Some(fill), if has_elements { Source::Kept(var) } else { Source::KeptSame(var) })
            }
        }
    }

    /// An element of an operand.
    pub(super) fn element_at(&self, operand: &Operand, index: u64) -> Expr {
        match &operand.source {
            Source::Constants(elements) => copied_number(&elements[to_usize(index)]),
            Source::Same(number) => copied_number(number),
            Source::KeptSame(var) => self.load(self.var(*var, operand.loc)),
            Source::Kept(var) => {
                let base = self.var(*var, operand.loc);
                self.load(self.element_place(base, index))
            }
        }
    }

    /// The place (or value) of one element of a place (or value) with elements, by a number that is within it.
    pub(super) fn element_place(&self, base: Expr, index: u64) -> Expr {
        let Some((element, _)) = self.elements_of(base.ty) else { return base };
        let qualifiers = crate::ast::Qualifiers { is_restrict: false, is_atomic: false, ..base.ty.qualifiers };
        let offset = index * self.size_of(element).unwrap_or(0);
        let loc = base.loc;
        let kind = ExprKind::Member { base: Box::new(base), offset, bits: None };
        Expr { kind, ty: QualType { qualifiers, ..element }, loc }
    }

    /// A value that needs operands to be evaluated first, from left to right.
    pub(super) fn after<const N: usize>(&self, operands: [Operand; N], value: Expr) -> Expr {
        operands.into_iter().rev().filter_map(|operand| operand.fill).fold(value, |rest, fill| self.comma(fill, rest))
    }

    /// A temporary with the address of a place, so that the place is evaluated once: the expression that fills it, and the place.
    pub(super) fn place_once(&mut self, place: Expr) -> Option<(Expr, VarId, QualType)> {
        let (ty, loc) = (place.ty, place.loc);
        let pointer = self.pointer_to(ty);
        let var = self.temporary(pointer, loc)?;
        let address = self.address(place, pointer, loc);
        let fill = self.assignment(self.var(var, loc), address, loc);
        Some((fill, var, ty))
    }

    /// The place that a temporary points to.
    pub(super) fn pointed_to(&self, var: VarId, loc: Loc) -> Expr {
        let pointer = self.load(self.var(var, loc));
        self.deref(pointer, loc)
    }
}

fn is_number(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Int(_) | ExprKind::Float(_))
}

/// A constant once more.
fn copied_number(e: &Expr) -> Expr {
    let kind = match e.kind {
        ExprKind::Int(bits) => ExprKind::Int(bits),
        ExprKind::Float(value) => ExprKind::Float(value),
        _ => unreachable!("only numbers are kept as constants"),
    };
    Expr { kind, ty: e.ty, loc: e.loc }
}
