//! Members and elements: `a.b`, `p->b`, `a[i]`, `offsetof`.

use super::Checker;
use super::suggest;
use crate::ast;
use crate::ctype::{BitField, QualType, Type, TypeId, Types};
use crate::intern::Symbol;
use crate::tree::{BinaryOp, Expr, ExprKind};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

/// A member found by name, possibly inside anonymous members.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) ty: QualType,
    pub(super) offset: u64,
    pub(super) bits: Option<BitField>,
}

/// Anonymous members nested deeper than this are not searched.
const MAX_ANONYMOUS_DEPTH: u32 = 256;

pub(super) fn find_member(types: &Types, record: TypeId, name: Symbol) -> Option<Found> {
    find(types, record, name, 0)
}

fn find(types: &Types, record: TypeId, name: Symbol, depth: u32) -> Option<Found> {
    let body = types.record_body(record)?;
    for field in &body.fields {
        if field.name == Some(name) {
            return Some(Found { ty: field.ty, offset: field.offset, bits: field.bits });
        }
        if field.name.is_none()
            && depth < MAX_ANONYMOUS_DEPTH
            && let Some(inner) = find(types, field.ty.ty, name, depth + 1)
        {
            return Some(Found { offset: field.offset + inner.offset, ..inner });
        }
    }
    None
}

impl Checker<'_> {
    /// `base.name`, where the base is a place or a value of record type.
    pub(super) fn member_of(&mut self, base: Expr, name: Symbol, loc: Loc) -> Expr {
        if self.is_error(base.ty) {
            return self.error_expr(loc);
        }
        if !self.is_record(base.ty) {
            let (text, field) = (self.text(base.ty), self.name(name).to_owned());
            let mut diagnostic =
                Diagnostic::error(loc, format!("'.{field}' needs a struct or union, but this has type {text}"));
            if self.pointee(base.ty).is_some_and(|p| self.is_record(p)) {
                diagnostic = diagnostic.help(format!("it is a pointer: write '->{field}'"));
            }
            self.report(diagnostic);
            return self.error_expr(loc);
        }
        match find_member(self.types, base.ty.ty, name) {
            Some(found) => {
                let ty = self.inherit(found.ty, base.ty.qualifiers);
                let kind = ExprKind::Member { base: Box::new(base), offset: found.offset, bits: found.bits };
                Expr { kind, ty, loc }
            }
            None => {
                self.no_member(base.ty, name, loc);
                self.error_expr(loc)
            }
        }
    }

    pub(super) fn no_member(&mut self, ty: QualType, name: Symbol, loc: Loc) {
        let (text, field) = (self.text(ty), self.name(name).to_owned());
        let Some(body) = self.types.record_body(ty.ty) else {
            self.error(loc, format!("{text} has no members here: it is an incomplete type"));
            return;
        };
        let names: Vec<&str> =
            body.fields.iter().filter_map(|f| f.name).map(|n| self.session.symbols.name(n)).collect();
        let similar = suggest::similar(&field, names.into_iter()).map(str::to_owned);
        let mut diagnostic = Diagnostic::error(loc, format!("{text} has no member '{field}'"));
        if let Some(similar) = similar {
            diagnostic = diagnostic.help(format!("did you mean '{similar}'?"));
        }
        self.report(diagnostic);
    }

    /// `base->name`.
    pub(super) fn arrow(&mut self, base: &ast::Expr, name: Symbol, loc: Loc) -> Expr {
        let pointer = self.rvalue(base);
        if self.is_error(pointer.ty) {
            return self.error_expr(loc);
        }
        if self.pointee(pointer.ty).is_none() {
            let (text, field) = (self.text(pointer.ty), self.name(name).to_owned());
            let mut diagnostic =
                Diagnostic::error(loc, format!("'->{field}' needs a pointer, but this has type {text}"));
            if self.is_record(pointer.ty) {
                diagnostic = diagnostic.help(format!("it is not a pointer: write '.{field}'"));
            }
            self.report(diagnostic);
            return self.error_expr(loc);
        }
        let base = self.dereferenced(pointer, loc);
        self.member_of(base, name, loc)
    }

    /// `a[i]`, in whichever order.
    pub(super) fn index(&mut self, base: &ast::Expr, index: &ast::Expr, loc: Loc) -> Expr {
        let base = self.expr(base);
        let base = if self.is_vector(base.ty) { base } else { self.value_of(base) };
        let index = self.rvalue(index);
        if self.is_error(base.ty) || self.is_error(index.ty) {
            return self.error_expr(loc);
        }
        if self.is_vector(base.ty) {
            return self.vector_element(base, index, loc);
        }
        let (pointer, index, swapped) =
            if self.is_pointer(base.ty) { (base, index, false) } else { (index, base, true) };
        if !self.is_pointer(pointer.ty) {
            let text = self.text(index.ty);
            self.error(loc, format!("only arrays and pointers can be indexed, not {text}"));
            return self.error_expr(loc);
        }
        if !self.is_integer(index.ty) {
            let text = self.text(index.ty);
            self.error(index.loc, format!("an index must be an integer, but this has type {text}"));
            return self.error_expr(loc);
        }
        let _ = swapped;
        let Some(size) = self.pointee_size(pointer.ty, loc) else { return self.error_expr(loc) };
        let ty = self.ptrdiff_type();
        let index = self.converted(index, ty);
        let sum = self.pointer_add(pointer, index, size, false, loc);
        self.dereferenced(sum, loc)
    }

    /// `__builtin_offsetof(type, .a.b[i])`.
    pub(super) fn offsetof(&mut self, ty: QualType, designators: &[ast::Designator], loc: Loc) -> Expr {
        let size_type = self.size_type();
        let mut ty = ty;
        let mut offset = self.int_constant(0, size_type, loc);
        for designator in designators {
            if self.is_error(ty) {
                return self.error_expr(loc);
            }
            let step = match designator {
                ast::Designator::Field(name, at) => match find_member(self.types, ty.ty, *name) {
                    Some(found) if found.bits.is_some() => {
                        self.error(*at, "a bit-field has no offset in bytes");
                        return self.error_expr(loc);
                    }
                    Some(found) => {
                        ty = found.ty;
                        self.int_constant(i128::from(found.offset), size_type, loc)
                    }
                    None => {
                        self.no_member(ty, *name, *at);
                        return self.error_expr(loc);
                    }
                },
                ast::Designator::Index(e) | ast::Designator::Range(e, _) => {
                    let Type::Array { element, .. } = *self.kind(ty) else {
                        let text = self.text(ty);
                        self.error(e.loc, format!("{text} is not an array"));
                        return self.error_expr(loc);
                    };
                    let index = self.rvalue(e);
                    if !self.is_integer(index.ty) {
                        return self.error_expr(loc);
                    }
                    ty = element;
                    let index = self.converted(index, size_type);
                    let size = self.size_value(element, loc);
                    self.arithmetic(BinaryOp::Mul, index, size, loc)
                }
            };
            offset = self.arithmetic(BinaryOp::Add, offset, step, loc);
        }
        offset
    }
}
