//! Atomic accesses to structs and unions: one step on all members.
//!
//! A load is a step that only reads, and fences nothing. The others are atomic sections and with that fences, as the locked
//! instructions and the locks are that compilers make of them. A store that need not be a fence is not supported, nor is an object of
//! very many members. Compare-exchange looks at the bytes in C, so it is for objects without padding.

use super::function::FunctionBuilder;
use super::pieces::Piece;
use crate::tree::{Builtin, Expected, Expr};
use norn_ir::ids::TypeId;
use norn_ir::instr::{Access, CompareOp, Const, InstrKind, NondetSource, Operand, Order, SectionKind};
use norn_ir::types::Ty;

impl<'a> FunctionBuilder<'_, 'a> {
    /// Copies an object in one step; the address of the copy.
    pub fn atomic_record_load(&mut self, ty: TypeId, from: Operand, order: Order) -> Operand {
        let to = self.temporary_record(ty);
        if let Some(pieces) = self.atomic_pieces(ty) {
            self.emit(InstrKind::SectionBegin(SectionKind::Read));
            let values = self.load_pieces(&pieces, from, order);
            self.emit(InstrKind::SectionEnd);
            self.store_pieces(&pieces, to, &values);
        }
        to
    }

    /// Writes an object in one step, sequentially consistent, after what is written was read.
    pub fn atomic_record_assignment(&mut self, ty: TypeId, to: Operand, from: Operand) {
        if let Some(pieces) = self.atomic_pieces(ty) {
            let values = self.load_pieces(&pieces, from, Order::Plain);
            self.section(|f| f.store_pieces(&pieces, to, &values));
        }
    }

    /// The address of the value of `atomic_load` or `atomic_exchange`; `None` for another built-in.
    pub fn atomic_record_builtin(&mut self, e: &'a Expr, builtin: &'a Builtin) -> Option<Operand> {
        let ty = self.p.layouts.ir_type(e.ty.ty);
        match builtin {
            Builtin::AtomicLoad { pointer, order } => {
                let from = self.as_pointer(pointer);
                self.set_loc(e.loc);
                Some(self.atomic_record_load(ty, from, *order))
            }
            Builtin::AtomicUpdate { pointer, operand, .. } => {
                let addr = self.as_pointer(pointer);
                let addr = self.hold(addr);
                let from = self.aggregate(operand);
                let addr = self.release(addr);
                self.set_loc(e.loc);
                let old = self.temporary_record(ty);
                if let Some(pieces) = self.atomic_pieces(ty) {
                    let values = self.load_pieces(&pieces, from, Order::Plain);
                    let before = self.section(|f| {
                        let before = f.load_pieces(&pieces, addr, Order::Plain);
                        f.store_pieces(&pieces, addr, &values);
                        before
                    });
                    self.store_pieces(&pieces, old, &before);
                }
                Some(old)
            }
            _ => None,
        }
    }

    pub fn atomic_record_store(&mut self, e: &'a Expr, pointer: &'a Expr, value: &'a Expr, order: Order) {
        let ty = self.p.layouts.ir_type(value.ty.ty);
        let addr = self.as_pointer(pointer);
        let addr = self.hold(addr);
        let from = self.aggregate(value);
        let addr = self.release(addr);
        self.set_loc(e.loc);
        if order != Order::SeqCst {
            self.unsupported("an atomic store to a struct or union that is not sequentially consistent".to_owned());
        } else {
            self.atomic_record_assignment(ty, addr, from);
        }
    }

    /// Whether the values were equal and the new one was written (`Bool`).
    pub fn atomic_record_compare_exchange(
        &mut self,
        e: &'a Expr,
        (pointer, expected, desired): (&'a Expr, &'a Expected, &'a Expr),
        weak: bool,
    ) -> Operand {
        let nothing = Operand::Const(Const::FALSE);
        let Expected::Pointer(expected) = expected else { return nothing };
        let ty = self.p.layouts.ir_type(desired.ty.ty);
        let addr = self.as_pointer(pointer);
        let addr = self.hold(addr);
        let at = self.as_pointer(expected);
        let at = self.hold(at);
        let from = self.aggregate(desired);
        let (addr, at) = (self.release(addr), self.release(at));
        self.set_loc(e.loc);
        let Some(pieces) = self.atomic_pieces(ty) else { return nothing };
        let size: u64 = pieces.iter().map(|piece| piece.ty.size(self.p.target)).sum();
        if size != self.p.layouts.size_of(desired.ty.ty) || pieces.iter().any(|piece| piece.ty.is_float()) {
            let reason = "compare-exchange of a struct or union with padding or floating-point members";
            self.unsupported(reason.to_owned());
            return nothing;
        }
        let desired = self.load_pieces(&pieces, from, Order::Plain);
        let expected = self.load_pieces(&pieces, at, Order::Plain);
        let (equal, swap, kept) = (self.register(Ty::Bool), self.new_block(), self.new_block());
        let (failed, end) = (self.new_block(), self.new_block());
        let source = NondetSource::Input("spurious failure".to_owned());
        let fails = weak.then(|| self.register(Ty::Bool));
        if let Some(dst) = fails {
            self.emit(InstrKind::Nondet { dst, source });
        }
        self.emit(InstrKind::SectionBegin(SectionKind::Atomic));
        let found = self.load_pieces(&pieces, addr, Order::Plain);
        self.emit(InstrKind::Copy { dst: equal, src: Operand::Const(Const::FALSE) });
        if let Some(fails) = fails {
            let regular = self.new_block();
            self.branch_on(Operand::Reg(fails), kept, regular);
            self.start_branch(regular);
        }
        for ((piece, &found), &expected) in pieces.iter().zip(&found).zip(&expected) {
            let next = self.new_block();
            let same = self.register(Ty::Bool);
            let (ty, lhs, rhs) = (piece.ty, found, expected);
            self.emit(InstrKind::Compare { dst: same, op: CompareOp::Eq, ty, lhs, rhs });
            self.branch_on(Operand::Reg(same), next, kept);
            self.start_branch(next);
        }
        self.goto(swap);
        self.start_branch(swap);
        self.store_pieces(&pieces, addr, &desired);
        self.emit(InstrKind::Copy { dst: equal, src: Operand::Const(Const::TRUE) });
        self.start(kept);
        self.emit(InstrKind::SectionEnd);
        self.branch_on(Operand::Reg(equal), end, failed);
        self.start_branch(failed);
        self.store_pieces(&pieces, at, &found);
        self.start(end);
        Operand::Reg(equal)
    }

    fn atomic_pieces(&mut self, ty: TypeId) -> Option<Vec<Piece>> {
        let pieces = self.copied_pieces(ty);
        if pieces.is_none() {
            self.unsupported("an atomic access to a large struct or union".to_owned());
        }
        pieces
    }

    fn temporary_record(&mut self, ty: TypeId) -> Operand {
        Operand::Local(self.function_temporary("temporary", ty), 0)
    }

    fn load_pieces(&mut self, pieces: &[Piece], from: Operand, order: Order) -> Vec<Operand> {
        let access = Access { order, volatile: false };
        let mut load = |piece: &Piece| {
            let source = self.offset(from, piece.offset);
            self.load_at(piece.ty, source, access)
        };
        pieces.iter().map(&mut load).collect()
    }

    fn store_pieces(&mut self, pieces: &[Piece], to: Operand, values: &[Operand]) {
        for (piece, &value) in pieces.iter().zip(values) {
            let target = self.offset(to, piece.offset);
            self.store_at(piece.ty, target, value, Access::PLAIN);
        }
    }
}
