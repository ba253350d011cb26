//! Reading and writing bit-fields: by one access to their unit, or by one to each of its bytes (see `ctype::BitField`).
//!
//! A write keeps the other bits of what it accesses, so it reads first, unless there are none.

use super::function::FunctionBuilder;
use super::ir_types::Scalar;
use super::place::{Place, Where};
use crate::ctype::BitField;
use norn_ir::instr::{BinaryOp, Operand};
use norn_ir::number::narrow;
use norn_ir::types::Ty;

const BYTE: Scalar = Scalar { ty: Ty::I8, signed: false, is_bool: false };

impl FunctionBuilder<'_, '_> {
    pub fn read_bits(&mut self, address: Operand, bits: BitField, place: Place) -> Operand {
        if let Some(unit) = Ty::int_of_size(bits.unit) {
            let loaded = self.load_at(unit, address, place.access);
            return self.extract(loaded, bits, place.scalar);
        }
        let wide = wide_type(bits);
        let mut all = self.constant(wide, 0);
        for i in 0..bits.unit {
            let from = self.offset(address, i);
            let byte = self.load_at(Ty::I8, from, place.access);
            let byte = self.resize(BYTE, wide, byte);
            let moved = self.moved(wide, byte, i as i64 * 8 - i64::from(bits.start));
            all = if i == 0 { moved } else { self.binary(BinaryOp::Or, wide, all, moved) };
        }
        self.extract(all, BitField { unit: wide.size(self.p.target), start: 0, ..bits }, place.scalar)
    }

    pub fn write_bits(&mut self, address: Operand, bits: BitField, place: Place, value: Operand) {
        let end = bits.start + bits.width;
        if let Some(unit) = Ty::int_of_size(bits.unit) {
            let wide = self.resize(place.scalar, unit, value);
            let moved = self.moved(unit, wide, i64::from(bits.start));
            self.write_part(unit, address, place, moved, bits.start..end);
            return;
        }
        let wide = wide_type(bits);
        let value = self.resize(place.scalar, wide, value);
        for i in 0..bits.unit {
            let first = narrow(i) * 8;
            let moved = self.moved(wide, value, i64::from(bits.start) - i64::from(first));
            let byte = self.resize(Scalar { ty: wide, signed: false, is_bool: false }, Ty::I8, moved);
            let to = self.offset(address, i);
            self.write_part(Ty::I8, to, place, byte, bits.start.max(first) - first..end.min(first + 8) - first);
        }
    }

    /// Writes the given bits of an integer in memory; `value` has them in their place, and perhaps others.
    fn write_part(&mut self, ty: Ty, to: Operand, place: Place, value: Operand, bits: std::ops::Range<u32>) {
        if bits.end - bits.start == ty.bits(self.p.target) {
            self.store_at(ty, to, value, place.access);
            return;
        }
        let mask = mask(bits.end - bits.start) << bits.start;
        let wanted = self.constant(ty, mask);
        let cut = self.binary(BinaryOp::And, ty, value, wanted);
        let old = self.load_at(ty, to, place.access);
        let hole = self.constant(ty, !mask);
        let kept = self.binary(BinaryOp::And, ty, old, hole);
        let new = self.binary(BinaryOp::Or, ty, kept, cut);
        self.store_at(ty, to, new, place.access);
    }

    /// A value shifted left by a number of bits.
    fn moved(&mut self, ty: Ty, value: Operand, by: i64) -> Operand {
        let op = match by {
            0 => return value,
            1.. => BinaryOp::Shl,
            _ => BinaryOp::ShrUnsigned,
        };
        let amount = self.constant(ty, by.unsigned_abs());
        self.binary(op, ty, value, amount)
    }

    /// What a place holds after a value was written: of a bit-field, the bits that fit.
    pub fn stored_value(&mut self, place: Place, value: Operand) -> Operand {
        match place.at {
            Where::Bits(_, bits) => {
                let unit = unit_type(bits);
                let wide = self.resize(place.scalar, unit, value);
                let start = BitField { start: 0, ..bits };
                self.extract(wide, start, place.scalar)
            }
            _ => value,
        }
    }

    /// The value of a bit-field in its unit.
    pub fn extract(&mut self, loaded: Operand, bits: BitField, scalar: Scalar) -> Operand {
        let unit = unit_type(bits);
        let width = unit.bits(self.p.target);
        let signed = scalar.signed && !scalar.is_bool;
        let value = if signed {
            let left = self.constant(unit, u64::from(width - bits.start - bits.width));
            let right = self.constant(unit, u64::from(width - bits.width));
            let high =
                if bits.start + bits.width == width { loaded } else { self.binary(BinaryOp::Shl, unit, loaded, left) };
            if bits.width == width { high } else { self.binary(BinaryOp::ShrSigned, unit, high, right) }
        } else {
            let amount = self.constant(unit, u64::from(bits.start));
            let low = if bits.start == 0 { loaded } else { self.binary(BinaryOp::ShrUnsigned, unit, loaded, amount) };
            let mask = self.constant(unit, mask(bits.width));
            if bits.width == width { low } else { self.binary(BinaryOp::And, unit, low, mask) }
        };
        self.resize(Scalar { ty: unit, signed, is_bool: false }, scalar.ty, value)
    }
}

/// The integer that a bit-field's unit is; one that can hold the field if it has none.
fn unit_type(bits: BitField) -> Ty {
    Ty::int_of_size(bits.unit).unwrap_or(Ty::I64)
}

/// The integer that bytes are put together in.
fn wide_type(bits: BitField) -> Ty {
    if bits.width <= 32 { Ty::I32 } else { Ty::I64 }
}

fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}
