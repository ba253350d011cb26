//! Structs, unions and arrays: values of record type are known by the address of an object that holds them; copying and
//! clearing go member by member (see `pieces`). Large arrays are copied and cleared by calling a small loop (see
//! `helpers`).

use super::function::FunctionBuilder;
use super::helpers::Helper;
use super::init::InitValueRef;
use super::pieces::{Extent, Part, Piece, Purpose, parts, pieces, tail};
use crate::sema::x87_bytes;
use crate::tree::{Expr, ExprKind};
use norn_ir::ids::TypeId;
use norn_ir::instr::{Access, Callee, InstrKind, Operand, Order};
use norn_ir::types::Ty;

impl<'a> FunctionBuilder<'_, 'a> {
    /// The address of an object with the value of an expression of record type or of 128 bits. The object may be the one that the
    /// expression names, so it has to be copied before anything else is evaluated.
    pub fn aggregate(&mut self, e: &'a Expr) -> Operand {
        self.deeper(e, |f| f.aggregate_inner(e), |f| f.constant(Ty::Ptr, 0))
    }

    fn aggregate_inner(&mut self, e: &'a Expr) -> Operand {
        match &e.kind {
            _ if self.is_computed_wide(e) => self.spill_wide(e),
            ExprKind::Load(place) if place.ty.qualifiers.is_atomic => {
                let from = self.address(place);
                self.set_loc(e.loc);
                let ty = self.p.layouts.ir_type(e.ty.ty);
                self.atomic_record_load(ty, from, Order::SeqCst)
            }
            ExprKind::Load(place) => self.address(place),
            ExprKind::Convert(inner) => self.aggregate(inner),
            ExprKind::Elements(elements) => self.composed(e, elements),
            ExprKind::Float(value) => self.extended(e, *value),
            ExprKind::Call { callee, args } => {
                let ty = self.p.layouts.ir_type(e.ty.ty);
                let to = Operand::Local(self.function_temporary("result", ty), 0);
                self.call_into(e, callee, args, Some(to));
                to
            }
            ExprKind::Assign(place, value) => self.aggregate_assignment(e, place, value),
            ExprKind::Comma(a, b) => {
                self.discard(a);
                self.aggregate(b)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let dst = self.register(Ty::Ptr);
                let (yes, no, end) = (self.new_block(), self.new_block(), self.new_block());
                self.branch(condition, yes, no);
                self.start_branch(yes);
                let address = self.aggregate(then);
                self.assign(dst, address);
                self.goto(end);
                self.start_branch(no);
                let address = self.aggregate(otherwise);
                self.assign(dst, address);
                self.start(end);
                Operand::Reg(dst)
            }
            ExprKind::StatementExpr { block, value: Some(value) } => {
                // The object ends with the block, so its value moves out first.
                let ty = self.p.layouts.ir_type(e.ty.ty);
                let to = Operand::Local(self.function_temporary("temporary", ty), 0);
                self.statement_expr(block, |f| {
                    let from = f.aggregate(value);
                    f.copy_object(ty, to, from, false);
                });
                to
            }
            ExprKind::Builtin(builtin) => self.aggregate_builtin(e, builtin),
            ExprKind::Var(_)
            | ExprKind::Object(_)
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::CompoundLiteral(..) => self.address(e),
            _ => {
                self.unsupported_type(e);
                self.constant(Ty::Ptr, 0)
            }
        }
    }

    /// A new object with a `long double`.
    fn extended(&mut self, e: &'a Expr, value: f64) -> Operand {
        let ty = self.p.layouts.ir_type(e.ty.ty);
        let to = Operand::Local(self.function_temporary("temporary", ty), 0);
        let bytes = x87_bytes(value);
        let (mantissa, head) = bytes.split_at(8);
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
        let (mantissa, head) = (self.constant(Ty::I64, number(mantissa)), self.constant(Ty::I16, number(head)));
        self.store(Ty::I64, to, mantissa);
        let at = self.offset(to, 8);
        self.store(Ty::I16, at, head);
        to
    }

    /// A new object with a complex number or a vector of the given elements.
    fn composed(&mut self, e: &'a Expr, elements: &'a [Expr]) -> Operand {
        let ty = self.p.layouts.ir_type(e.ty.ty);
        let to = Operand::Local(self.function_temporary("temporary", ty), 0);
        let mut offset = 0;
        for element in elements {
            let at = self.offset(to, offset);
            self.store_part(at, element.ty, None, InitValueRef::Expr(element));
            offset += self.p.layouts.size_of(element.ty.ty);
        }
        to
    }

    pub fn aggregate_assignment(&mut self, e: &'a Expr, place: &'a Expr, value: &'a Expr) -> Operand {
        let to = self.address(place);
        let to = self.hold(to);
        let from = self.aggregate(value);
        let to = self.release(to);
        self.set_loc(e.loc);
        let ty = self.p.layouts.ir_type(place.ty.ty);
        let volatile = place.ty.qualifiers.is_volatile;
        let copy = |f: &mut Self| match self_overlap(to, from, f.p.layouts.get(ty).size) {
            true => f.move_object(ty, to, from),
            false => {
                f.copy_object(ty, to, from, volatile);
                f.touch_end(ty, to, volatile);
            }
        };
        if place.ty.qualifiers.is_atomic {
            self.atomic_record_assignment(ty, to, from);
        } else {
            copy(self);
        }
        to
    }

    /// Copies an object of the given type, member by member; `to` is known to have room for it.
    pub fn copy_object(&mut self, ty: TypeId, to: Operand, from: Operand, volatile: bool) {
        self.copy_parts(ty, to, from, volatile, Extent::Members);
        if let (Operand::Reg(_), Some(Piece { offset, ty })) = (from, tail(&self.p.layouts, ty)) {
            // All of the object has to be there, padding too.
            let tail = self.offset(from, offset);
            self.load_at(ty, tail, Access { order: Order::Plain, volatile });
        }
    }

    /// After a copy through a pointer: writes the padding at the end, because all of the object has to be there.
    fn touch_end(&mut self, ty: TypeId, to: Operand, volatile: bool) {
        if let (Operand::Reg(_), Some(Piece { offset, ty })) = (to, tail(&self.p.layouts, ty)) {
            let tail = self.offset(to, offset);
            let zero = self.constant(ty, 0);
            self.store_at(ty, tail, zero, Access { order: Order::Plain, volatile });
        }
    }

    pub fn copy_parts(&mut self, ty: TypeId, to: Operand, from: Operand, volatile: bool, extent: Extent) {
        let access = Access { order: Order::Plain, volatile };
        if let Some(pieces) = pieces(&self.p.layouts, self.p.target, ty, Purpose::Copy, extent) {
            for Piece { offset, ty } in pieces {
                let source = self.offset(from, offset);
                let value = self.load_at(ty, source, access);
                let target = self.offset(to, offset);
                self.store_at(ty, target, value, access);
            }
            return;
        }
        for part in parts(&mut self.p.layouts, ty, extent) {
            let (to, from) = (self.offset(to, part.offset()), self.offset(from, part.offset()));
            match part {
                Part::Piece(Piece { ty, .. }) => {
                    let value = self.load_at(ty, from, access);
                    self.store_at(ty, to, value, access);
                }
                Part::Object { ty, .. } => self.copy_parts(ty, to, from, volatile, extent),
                Part::Objects { ty, count, .. } => {
                    let helper = self.p.helper(Helper::Copy(ty, extent));
                    let count = self.pointer_int(count as i64);
                    let args = vec![to, from, count];
                    self.emit(InstrKind::Call { dst: None, callee: Callee::Direct(helper), args });
                }
            }
        }
    }

    /// What copying an object of the given type copies, or `None` if that is very much.
    pub fn copied_pieces(&self, ty: TypeId) -> Option<Vec<Piece>> {
        pieces(&self.p.layouts, self.p.target, ty, Purpose::Copy, Extent::Members)
    }

    /// `memmove` of an object: all of it is read before anything is written.
    pub fn move_object(&mut self, ty: TypeId, to: Operand, from: Operand) {
        let Some(pieces) = pieces(&self.p.layouts, self.p.target, ty, Purpose::Copy, Extent::Bytes) else {
            let between = Operand::Local(self.function_temporary("temporary", ty), 0);
            self.copy_parts(ty, between, from, false, Extent::Bytes);
            self.copy_parts(ty, to, between, false, Extent::Bytes);
            return;
        };
        let mut values = Vec::with_capacity(pieces.len());
        for piece in &pieces {
            let source = self.offset(from, piece.offset);
            values.push(self.load_at(piece.ty, source, Access::PLAIN));
        }
        for (Piece { offset, ty }, value) in pieces.into_iter().zip(values) {
            let target = self.offset(to, offset);
            self.store(ty, target, value);
        }
    }

    /// Sets an object of the given type to zero.
    pub fn clear_object(&mut self, ty: TypeId, to: Operand, extent: Extent) {
        if let Some(pieces) = self.clearing_pieces(ty, extent) {
            for Piece { offset, ty } in pieces {
                let target = self.offset(to, offset);
                let zero = self.constant(ty, 0);
                self.store(ty, target, zero);
            }
            return;
        }
        for part in parts(&mut self.p.layouts, ty, extent) {
            let to = self.offset(to, part.offset());
            match part {
                Part::Piece(Piece { ty, .. }) => {
                    let zero = self.constant(ty, 0);
                    self.store(ty, to, zero);
                }
                Part::Object { ty, .. } => self.clear_object(ty, to, extent),
                Part::Objects { ty, count, .. } => self.clear_many(ty, to, count, extent),
            }
        }
    }

    /// Sets several objects of one type to zero.
    pub fn clear_many(&mut self, element: TypeId, to: Operand, count: u64, extent: Extent) {
        let helper = self.p.helper(Helper::Clear(element, extent));
        let count = self.pointer_int(count as i64);
        self.emit(InstrKind::Call { dst: None, callee: Callee::Direct(helper), args: vec![to, count] });
    }

    /// The pieces that clear an object, if they are not too many.
    pub fn clearing_pieces(&self, ty: TypeId, extent: Extent) -> Option<Vec<Piece>> {
        pieces(&self.p.layouts, self.p.target, ty, Purpose::Clear, extent)
    }
}

/// Whether two places in one variable overlap, but are not the same.
fn self_overlap(to: Operand, from: Operand, size: u64) -> bool {
    let distance = match (to, from) {
        (Operand::Local(a, to), Operand::Local(b, from)) if a == b => to.abs_diff(from),
        (Operand::Global(a, to), Operand::Global(b, from)) if a == b => to.abs_diff(from),
        _ => 0,
    };
    distance > 0 && distance < size
}
