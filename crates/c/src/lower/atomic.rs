//! Accesses to `_Atomic` places: sequentially consistent. An update is a read-modify-write where the IR has one, and an
//! atomic section around a load and a store where it has none.

use super::function::FunctionBuilder;
use super::place::{Place, Where};
use super::wide::UpdateOperand;
use crate::tree::{BinaryOp, Expr, Update, UpdateResult};
use norn_ir::instr::{self, InstrKind, Operand, Order, RmwOp, SectionKind};
use norn_ir::types::Ty;

impl<'a> FunctionBuilder<'_, 'a> {
    /// Runs `f` as one step.
    pub fn section<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        self.emit(InstrKind::SectionBegin(SectionKind::Atomic));
        let result = f(self);
        self.emit(InstrKind::SectionEnd);
        result
    }

    /// Writes a place; the load and the store of an atomic bit-field are one step.
    pub fn write_maybe_atomic(&mut self, place: Place, value: Operand) {
        match place.at {
            Where::Bits(..) if place.is_atomic() => self.section(|f| f.write(place, value)),
            _ => self.write(place, value),
        }
    }

    pub fn atomic_update(
        &mut self,
        e: &'a Expr,
        place: Place,
        update: &'a Update,
        result: UpdateResult,
        wanted: bool,
    ) -> Operand {
        let held = place.address().map(|address| self.hold(address));
        let operand = self.update_operand(update);
        let place = match held {
            Some(held) => {
                let address = self.release(held);
                place.with_address(address)
            }
            None => place,
        };
        self.set_loc(e.loc);
        if let Where::Memory(addr) = place.at
            && let Some((op, value)) = self.as_rmw(place, update, operand)
        {
            let dst = self.register(place.scalar.ty);
            self.emit(InstrKind::Rmw { dst, op, addr, value, order: Order::SeqCst });
            return match (wanted, result) {
                (true, UpdateResult::New) => self.after_rmw(op, place.scalar.ty, Operand::Reg(dst), value),
                _ => Operand::Reg(dst),
            };
        }
        let (old, new) = self.section(|f| {
            let old = f.read(place);
            let new = f.updated(place.scalar, old, update, operand);
            f.write(place, new);
            (old, new)
        });
        match (wanted, result) {
            (true, UpdateResult::New) => self.stored_value(place, new),
            _ => old,
        }
    }

    /// The read-modify-write that does what an update asks for: the low bits of these operators' results depend on
    /// the low bits of their operands only, so the place's own width will do.
    fn as_rmw(&mut self, place: Place, update: &'a Update, operand: UpdateOperand) -> Option<(RmwOp, Operand)> {
        let UpdateOperand::Scalar(operand, _) = operand else { return None };
        match update {
            Update::Arithmetic { op, compute, .. } => {
                let compute = self.p.layouts.scalar(compute.ty)?;
                if !compute.ty.is_int() || !place.scalar.ty.is_int() || place.scalar.is_bool {
                    return None;
                }
                let op = match op {
                    BinaryOp::Add => RmwOp::Add,
                    BinaryOp::Sub => RmwOp::Sub,
                    BinaryOp::And => RmwOp::And,
                    BinaryOp::Or => RmwOp::Or,
                    BinaryOp::Xor => RmwOp::Xor,
                    _ => return None,
                };
                Some((op, self.resize(compute, place.scalar.ty, operand)))
            }
            // The IR has none for pointers.
            Update::Pointer { .. } => None,
        }
    }

    /// What a read-modify-write left in memory, from what it found.
    pub fn after_rmw(&mut self, op: RmwOp, ty: Ty, old: Operand, value: Operand) -> Operand {
        match op {
            RmwOp::Exchange => value,
            RmwOp::Add => self.binary(instr::BinaryOp::Add, ty, old, value),
            RmwOp::Sub => self.binary(instr::BinaryOp::Sub, ty, old, value),
            RmwOp::And => self.binary(instr::BinaryOp::And, ty, old, value),
            RmwOp::Or => self.binary(instr::BinaryOp::Or, ty, old, value),
            RmwOp::Xor => self.binary(instr::BinaryOp::Xor, ty, old, value),
            RmwOp::Nand => {
                let both = self.binary(instr::BinaryOp::And, ty, old, value);
                let ones = self.constant(ty, u64::MAX);
                self.binary(instr::BinaryOp::Xor, ty, both, ones)
            }
        }
    }
}
