//! Assignments, `++` and `--`.

use super::Checker;
use super::convert::{Context, is_place};
use super::operators::{OpKind, kind_of};
use crate::ast;
use crate::ctype::{QualType, Type};
use crate::tree::{BinaryOp, Expr, ExprKind, Update, UpdateResult};
use norn_ir::source::Loc;

impl Checker<'_> {
    pub(super) fn assign(&mut self, place: &ast::Expr, value: &ast::Expr, loc: Loc) -> Expr {
        let place = self.modifiable(place, loc);
        let value = self.expr(value);
        let Some(place) = place else { return self.error_expr(loc) };
        let value = self.convert_to(value, place.ty, Context::Assigning);
        if self.is_error(value.ty) {
            return self.error_expr(loc);
        }
        self.assignment(place, value, loc)
    }

    /// A place that may be changed.
    fn modifiable(&mut self, e: &ast::Expr, loc: Loc) -> Option<Expr> {
        let place = self.expr(e);
        if self.is_error(place.ty) {
            return None;
        }
        if !is_place(&place) {
            self.error(loc, "what stands on the left does not denote an object that can be changed");
            return None;
        }
        if matches!(self.kind(place.ty), Type::Array { .. }) {
            self.error(loc, "an array cannot be assigned as a whole");
            return None;
        }
        if !matches!(self.kind(place.ty), Type::Void | Type::Function(_)) && self.size_of(place.ty).is_none() {
            let text = self.text(place.ty);
            self.error(loc, format!("an object of the incomplete type {text} cannot be changed"));
            return None;
        }
        if self.is_read_only(place.ty) {
            let object = match &e.kind {
                ast::ExprKind::Ident(name) => format!("'{}'", self.name(*name)),
                _ => "this object".to_owned(),
            };
            let why = match place.ty.qualifiers.is_const {
                true => "is const and cannot be changed",
                false => "has a const member and cannot be changed as a whole",
            };
            self.error(loc, format!("{object} {why}"));
            return None;
        }
        Some(place)
    }

    /// Whether an object or one of its members is const.
    pub(crate) fn is_read_only(&self, ty: QualType) -> bool {
        if ty.qualifiers.is_const {
            return true;
        }
        match self.kind(ty) {
            Type::Array { element, .. } => self.is_read_only(*element),
            Type::Record(id) => self.const_records.contains(id),
            _ => false,
        }
    }

    pub(super) fn compound_assign(
        &mut self,
        op: ast::BinaryOp,
        place: &ast::Expr,
        value: &ast::Expr,
        loc: Loc,
    ) -> Expr {
        let place = self.modifiable(place, loc);
        let value = self.rvalue(value);
        let Some(place) = place else { return self.error_expr(loc) };
        if self.is_error(value.ty) {
            return self.error_expr(loc);
        }
        let OpKind::Arithmetic(arithmetic) = kind_of(op) else { return self.error_expr(loc) };
        if self.is_pointer(place.ty) && matches!(arithmetic, BinaryOp::Add | BinaryOp::Sub) && self.is_integer(value.ty)
        {
            return self.pointer_update(place, value, arithmetic == BinaryOp::Sub, UpdateResult::New, loc);
        }
        if [place.ty, value.ty].iter().any(|&ty| self.elements_of(ty).is_some() || self.is_long_double(ty)) {
            return self.element_update(place, op, value, UpdateResult::New, loc);
        }
        let floats_allowed = matches!(arithmetic, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
        let fine = if floats_allowed {
            self.is_arithmetic(place.ty) && self.is_arithmetic(value.ty)
        } else {
            self.is_integer(place.ty) && self.is_integer(value.ty)
        };
        if !fine {
            return self.invalid_operands(op, place.ty, value.ty, loc);
        }
        self.arithmetic_update(place, arithmetic, value, UpdateResult::New, loc)
    }

    /// `++` and `--`.
    pub(super) fn step(&mut self, operand: &ast::Expr, subtract: bool, result: UpdateResult, loc: Loc) -> Expr {
        let Some(place) = self.modifiable(operand, loc) else { return self.error_expr(loc) };
        if self.is_pointer(place.ty) {
            let one = self.int_constant(1, self.int_type(), loc);
            return self.pointer_update(place, one, subtract, result, loc);
        }
        if self.elements_of(place.ty).is_some() || self.is_long_double(place.ty) {
            let one = self.int_constant(1, self.int_type(), loc);
            let op = if subtract { ast::BinaryOp::Sub } else { ast::BinaryOp::Add };
            return self.element_update(place, op, one, result, loc);
        }
        if !self.is_arithmetic(place.ty) {
            let (sign, text) = (if subtract { "--" } else { "++" }, self.text(place.ty));
            self.error(loc, format!("'{sign}' cannot be applied to an object of type {text}"));
            return self.error_expr(loc);
        }
        let one = self.int_constant(1, self.int_type(), loc);
        let op = if subtract { BinaryOp::Sub } else { BinaryOp::Add };
        self.arithmetic_update(place, op, one, result, loc)
    }

    /// An update of which the place or the operand is a complex number, a vector or a `long double`: `*(p = &place) = *p op value`.
    fn element_update(
        &mut self,
        place: Expr,
        op: ast::BinaryOp,
        operand: Expr,
        result: UpdateResult,
        loc: Loc,
    ) -> Expr {
        if matches!(place.kind, ExprKind::Member { bits: Some(_), .. }) || place.ty.qualifiers.is_atomic {
            let ty = QualType::unqualified(place.ty.ty);
            return self.unsupported(
                "an update of a bit-field or an atomic object by a complex number, a vector or a 'long double'",
                ty,
                loc,
            );
        }
        let OpKind::Arithmetic(arithmetic) = kind_of(op) else { return self.error_expr(loc) };
        let Some((fill, var, ty)) = self.place_once(place) else { return self.error_expr(loc) };
        let old = self.load(self.pointed_to(var, loc));
        let (before, old) = match result {
            UpdateResult::New => (None, old),
            UpdateResult::Old => {
                let Some(kept) = self.temporary(QualType::unqualified(ty.ty), loc) else {
                    return self.error_expr(loc);
                };
                let before = self.assignment(self.var(kept, loc), old, loc);
                (Some((before, kept)), self.load(self.var(kept, loc)))
            }
        };
        let new = match self.is_vector(old.ty) || self.is_vector(operand.ty) {
            true => self.vector_operator(op, old, operand, loc),
            false => self.arithmetic_operator(arithmetic, op, old, operand, loc),
        };
        let new = self.convert_to(new, ty, Context::Assigning);
        if self.is_error(new.ty) {
            return new;
        }
        let write = self.assignment(self.pointed_to(var, loc), new, loc);
        let updated = match before {
            None => write,
            Some((before, kept)) => {
                let old = self.load(self.var(kept, loc));
                let rest = self.comma(write, old);
                self.comma(before, rest)
            }
        };
        self.comma(fill, updated)
    }

    fn arithmetic_update(&mut self, place: Expr, op: BinaryOp, operand: Expr, result: UpdateResult, loc: Loc) -> Expr {
        let ty = QualType::unqualified(place.ty.ty);
        if let Some(what) = self.unsupported_values(ty).or(self.unsupported_values(operand.ty)) {
            return self.unsupported(what, ty, loc);
        }
        let (compute, operand) = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            (self.promoted_type(&place), self.promoted(operand))
        } else {
            // The result is cut to the width of the place in any case.
            let compute = self.operation_type(&place, &operand);
            (compute.ty, self.operand(operand, compute))
        };
        let update = Update::Arithmetic { op, operand: Box::new(operand), compute };
        Expr { kind: ExprKind::Update { place: Box::new(place), update, result }, ty, loc }
    }

    fn pointer_update(&mut self, place: Expr, operand: Expr, subtract: bool, result: UpdateResult, loc: Loc) -> Expr {
        let ty = QualType::unqualified(place.ty.ty);
        let Some(size) = self.pointee_size(ty, loc) else { return self.error_expr(loc) };
        let index_type = self.ptrdiff_type();
        let operand = Box::new(self.converted(operand, index_type));
        let update = Update::Pointer { operand, size, subtract };
        Expr { kind: ExprKind::Update { place: Box::new(place), update, result }, ty, loc }
    }
}
