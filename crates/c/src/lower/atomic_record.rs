//! Atomic accesses to structs, unions and `__int128`: one step on all members.
//!
//! A load is a step that only reads, and fences nothing. The others are atomic sections and with that fences, as the locked
//! instructions and the locks are that compilers make of them. A store that need not be a fence is one store of an integer, which
//! waits in the store buffer like any other; one of more than 8 bytes is not supported, nor is an object of very many members.
//! Compare-exchange looks at the bytes in C, so it is for objects without padding.

use super::function::FunctionBuilder;
use super::ir_types::Scalar;
use super::pieces::Piece;
use super::wide::Wide;
use crate::tree::{Builtin, Expected, Expr, UpdateResult};
use norn_ir::ids::TypeId;
use norn_ir::instr::{Access, BinaryOp, CompareOp, Const, InstrKind, NondetSource, Operand, Order, RmwOp, SectionKind};
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
            Builtin::AtomicUpdate { op, pointer, operand, result, .. } => {
                let addr = self.as_pointer(pointer);
                let addr = self.hold(addr);
                let pieces = self.atomic_pieces(ty)?;
                let operand = self.pieces_of(&pieces, operand);
                let addr = self.release(addr);
                self.set_loc(e.loc);
                let (before, after) = self.section(|f| {
                    let before = f.load_pieces(&pieces, addr, Order::Plain);
                    let after = f.updated_pieces(*op, &before, operand);
                    f.store_pieces(&pieces, addr, &after);
                    (before, after)
                });
                let value = self.temporary_record(ty);
                self.store_pieces(&pieces, value, if *result == UpdateResult::Old { &before } else { &after });
                Some(value)
            }
            Builtin::AtomicCompareExchange { pointer, expected, desired, weak, .. } => {
                let (_, found) = self.atomic_record_compare_exchange(e, (pointer, expected, desired), *weak)?;
                let value = self.temporary_record(ty);
                let pieces = self.atomic_pieces(ty)?;
                self.store_pieces(&pieces, value, &found);
                Some(value)
            }
            _ => None,
        }
    }

    /// What an update of 128 bits leaves in memory; a struct or union can only be exchanged.
    fn updated_pieces(&mut self, op: RmwOp, before: &[Operand], operand: Vec<Operand>) -> Vec<Operand> {
        let (&[low, high], &[by_low, by_high]) = (before, &operand[..]) else { return operand };
        let (old, by) = (Wide { low, high }, Wide { low: by_low, high: by_high });
        let new = match op {
            RmwOp::Exchange => by,
            RmwOp::Add => self.wide_sum(old, by),
            RmwOp::Sub => self.wide_difference(old, by),
            RmwOp::And => self.wide_bitwise(BinaryOp::And, old, by),
            RmwOp::Or => self.wide_bitwise(BinaryOp::Or, old, by),
            RmwOp::Xor => self.wide_bitwise(BinaryOp::Xor, old, by),
            RmwOp::Nand => {
                let both = self.wide_bitwise(BinaryOp::And, old, by);
                let ones = self.wide_constant(u128::MAX);
                self.wide_bitwise(BinaryOp::Xor, both, ones)
            }
        };
        vec![new.low, new.high]
    }

    pub fn atomic_record_store(&mut self, e: &'a Expr, pointer: &'a Expr, value: &'a Expr, order: Order) {
        let ty = self.p.layouts.ir_type(value.ty.ty);
        let addr = self.as_pointer(pointer);
        let addr = self.hold(addr);
        let Some(pieces) = self.atomic_pieces(ty) else { return };
        let values = self.pieces_of(&pieces, value);
        let addr = self.release(addr);
        self.set_loc(e.loc);
        if order == Order::SeqCst {
            self.section(|f| f.store_pieces(&pieces, addr, &values));
            return;
        }
        match self.as_one(ty, &pieces, &values) {
            Some((ty, value)) => self.store_at(ty, addr, value, Access { order, volatile: false }),
            None => {
                let reason = "an atomic store of more than 8 bytes that is not sequentially consistent";
                self.unsupported(reason.to_owned());
            }
        }
    }

    /// All members of an object of 1, 2, 4 or 8 bytes as one scalar, which is stored in one step. What lies between them is 0.
    fn as_one(&mut self, ty: TypeId, pieces: &[Piece], values: &[Operand]) -> Option<(Ty, Operand)> {
        let size = self.p.layouts.get(ty).size;
        if let (&[piece], &[value]) = (pieces, values)
            && piece.ty.size(self.p.target) == size
        {
            return Some((piece.ty, value));
        }
        let whole = Ty::int_of_size(size)?;
        if pieces.iter().any(|piece| !piece.ty.is_int()) {
            return None;
        }
        let mut all = self.constant(whole, 0);
        for (piece, &value) in pieces.iter().zip(values) {
            let from = Scalar { ty: piece.ty, signed: false, is_bool: false };
            let value = self.resize(from, whole, value);
            let amount = self.constant(whole, piece.offset * 8);
            let moved = self.binary(BinaryOp::Shl, whole, value, amount);
            all = self.binary(BinaryOp::Or, whole, all, moved);
        }
        Some((whole, all))
    }

    /// Whether the values were equal and the new one was written (`Bool`), and what was found.
    pub fn atomic_record_compare_exchange(
        &mut self,
        e: &'a Expr,
        (pointer, expected, desired): (&'a Expr, &'a Expected, &'a Expr),
        weak: bool,
    ) -> Option<(Operand, Vec<Operand>)> {
        let ty = self.p.layouts.ir_type(desired.ty.ty);
        let pieces = self.atomic_pieces(ty)?;
        let addr = self.as_pointer(pointer);
        let addr = self.hold(addr);
        let (at, given) = match expected {
            Expected::Pointer(expected) => {
                let at = self.as_pointer(expected);
                (Some(self.hold(at)), None)
            }
            Expected::Value(expected) => (None, Some(self.pieces_of(&pieces, expected))),
        };
        let desired_values = self.pieces_of(&pieces, desired);
        let (addr, at) = (self.release(addr), at.map(|at| self.release(at)));
        self.set_loc(e.loc);
        let size: u64 = pieces.iter().map(|piece| piece.ty.size(self.p.target)).sum();
        if size != self.p.layouts.size_of(desired.ty.ty) || pieces.iter().any(|piece| piece.ty.is_float()) {
            let reason = "compare-exchange of a struct or union with padding or floating-point members";
            self.unsupported(reason.to_owned());
            return None;
        }
        let desired = desired_values;
        let expected = match (given, at) {
            (None, Some(at)) => self.load_pieces(&pieces, at, Order::Plain),
            (given, _) => given.unwrap_or_default(),
        };
        let (equal, swap, kept) = (self.register(Ty::Bool), self.new_block(), self.new_block());
        let (failed, end) = (self.new_block(), self.new_block());
        let source = NondetSource::Input(NondetSource::SPURIOUS_FAILURE.to_owned());
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
        if let Some(at) = at {
            self.store_pieces(&pieces, at, &found);
        }
        self.start(end);
        Some((Operand::Reg(equal), found))
    }

    /// The pieces of the value of an expression.
    fn pieces_of(&mut self, pieces: &[Piece], e: &'a Expr) -> Vec<Operand> {
        if self.is_wide(e.ty.ty) {
            let Wide { low, high } = self.wide(e);
            return vec![low, high];
        }
        let from = self.aggregate(e);
        self.set_loc(e.loc);
        self.load_pieces(pieces, from, Order::Plain)
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
