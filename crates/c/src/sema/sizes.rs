//! Sizes as the tree needs them: constants, or computed for variable-length arrays.

use super::Checker;
use crate::ctype::{ArrayLength, QualType, Type, TypeId, VlaId};
use crate::tree::{BinaryOp, Expr, Size};
use norn_ir::source::Loc;

impl Checker<'_> {
    /// The size of what a pointer in an arithmetic expression points to; GNU C counts `void` and functions as 1 byte.
    pub(super) fn pointee_size(&mut self, pointer: QualType, loc: Loc) -> Option<Size> {
        let pointee = self.pointee(pointer)?;
        self.step_size(pointee, loc)
    }

    /// The size of a complete object type, or 1 for `void` and functions; anything else is an error.
    pub(super) fn step_size(&mut self, ty: QualType, loc: Loc) -> Option<Size> {
        match self.kind(ty) {
            Type::Void | Type::Function(_) => return Some(Size::Const(1)),
            Type::Error => return None,
            _ => {}
        }
        if self.types.is_vla(ty.ty) {
            return Some(Size::Computed(Box::new(self.vla_size(ty, loc))));
        }
        match self.size_of(ty) {
            Some(size) => Some(Size::Const(size)),
            None => {
                let text = self.text(ty);
                self.error(loc, format!("the size of {text} is needed here, but the type is incomplete"));
                None
            }
        }
    }

    /// The size of a type as a value of type `size_t`.
    pub(super) fn size_value(&mut self, ty: QualType, loc: Loc) -> Expr {
        match self.step_size(ty, loc) {
            Some(Size::Const(size)) => self.int_constant(i128::from(size), self.size_type(), loc),
            Some(Size::Computed(size)) => *size,
            None => self.error_expr(loc),
        }
    }

    /// The size of a variable-length array, computed from the lengths that were stored where its type was declared.
    pub(super) fn vla_size(&mut self, ty: QualType, loc: Loc) -> Expr {
        let size_type = self.size_type();
        let Type::Array { element, length } = *self.kind(ty) else {
            return self.size_value(ty, loc);
        };
        let length = match length {
            ArrayLength::Known(n) => self.int_constant(i128::from(n), size_type, loc),
            ArrayLength::Variable(id) => self.vla_length(id, loc),
            ArrayLength::Unknown => {
                self.error(loc, "the size of an array of unknown length is needed here");
                return self.error_expr(loc);
            }
        };
        let element = self.vla_size(element, loc);
        if element.ty.ty == TypeId::ERROR {
            return element;
        }
        self.arithmetic(BinaryOp::Mul, length, element, loc)
    }

    fn vla_length(&mut self, id: VlaId, loc: Loc) -> Expr {
        let found = self.function.as_ref().and_then(|f| f.vla_vars.get(&id).copied());
        let outer = |c: &Self| (0..c.outer.len()).rev().find_map(|k| Some((k, c.outer[k].vla_vars.get(&id).copied()?)));
        match found {
            Some(var) => self.load(self.var(var, loc)),
            None if let Some((owner, var)) = outer(self) => {
                let length = self.captured(owner, var, loc);
                self.load(length)
            }
            None => self.unsupported("the length of an array that was never computed", self.size_type(), loc),
        }
    }

    /// The assignments of array lengths that stand before `e` is evaluated, and then `e`.
    pub(super) fn after_pending(&mut self, since: usize, e: Expr) -> Expr {
        let mut e = e;
        while self.pending.len() > since {
            if let Some(assignment) = self.pending.pop() {
                e = self.comma(assignment, e);
            }
        }
        e
    }
}
