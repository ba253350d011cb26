//! Initialisers of automatic variables. Initialising is a plain store, also of an `_Atomic` object.

use super::function::{FunctionBuilder, Home};
use super::helpers::Helper;
use super::ir_types::Passing;
use super::pieces::{Extent, Piece};
use super::place::{Place, Where};
use super::wide::WIDE_BIT_FIELD;
use crate::ctype::{self, QualType};
use crate::tree::{Init, InitPart, InitValue, VarId};
use norn_ir::ids::TypeId;
use norn_ir::instr::{Access, Callee, InstrKind, Operand, Order};
use norn_ir::number::to_usize;
use norn_ir::types::Ty;

/// Longer strings are copied from a constant object.
const STORED_BYTES: usize = 128;

impl<'a> FunctionBuilder<'_, 'a> {
    /// The declaration of a variable with an initialiser is reached.
    pub fn initialise(&mut self, var: VarId, init: &'a Init) {
        let span = self.span;
        let ty = self.var_type(var);
        if let Home::Register(reg) = self.homes[var.0 as usize] {
            let value = match init {
                Init::Expr(e) => self.value(e),
                Init::List(parts) => match parts.first() {
                    Some(InitPart { value: InitValue::Expr(e), .. }) => self.value(e),
                    _ => self.constant(self.register_ty(reg), 0),
                },
            };
            self.span = span;
            self.assign(reg, value);
            return;
        }
        let address = self.home_address(var);
        let body = self.body.expect("only functions with a body have variables");
        let qualified = body.vars[var.0 as usize].ty;
        match init {
            Init::Expr(e) => {
                let part = InitValueRef::Expr(e);
                self.store_part(address, qualified, None, part);
            }
            Init::List(parts) => {
                let ty = self.p.layouts.ir_type(ty);
                self.clear_rest(ty, address, parts);
                for part in parts {
                    let to = self.offset(address, part.offset);
                    let value = match &part.value {
                        InitValue::Expr(e) => InitValueRef::Expr(e),
                        InitValue::Bytes(bytes) => InitValueRef::Bytes(bytes),
                    };
                    self.store_part(to, part.ty, part.bits, value);
                }
            }
        }
    }

    /// Zeroes what the parts of an initialiser leave out.
    fn clear_rest(&mut self, ty: TypeId, address: Operand, parts: &'a [InitPart]) {
        let mut covered: Vec<(u64, u64)> = Vec::with_capacity(parts.len());
        for part in parts.iter().filter(|part| part.bits.is_none()) {
            covered.push((part.offset, part.offset + self.p.layouts.size_of(part.ty.ty)));
        }
        covered.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::with_capacity(covered.len());
        for (start, end) in covered {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        let size = self.p.layouts.get(ty).size;
        if merged.first().is_some_and(|&(start, end)| start == 0 && end >= size) {
            return;
        }
        let Some(pieces) = self.clearing_pieces(ty, Extent::Members) else {
            self.clear_object(ty, address, Extent::Members);
            return;
        };
        for Piece { offset, ty } in pieces {
            let end = offset + ty.size(self.p.target);
            let after = merged.partition_point(|&(start, _)| start <= offset);
            if after > 0 && merged[after - 1].1 >= end {
                continue;
            }
            let to = self.offset(address, offset);
            let zero = self.constant(ty, 0);
            self.store(ty, to, zero);
        }
    }

    pub fn store_part(&mut self, to: Operand, ty: QualType, bits: Option<ctype::BitField>, value: InitValueRef<'a>) {
        let access = Access { order: Order::Plain, volatile: ty.qualifiers.is_volatile };
        match (value, self.p.layouts.passing(ty.ty)) {
            (InitValueRef::Expr(e), Passing::Scalar(scalar)) => {
                let value = self.value(e);
                self.set_loc(e.loc);
                let at = bits.map_or(Where::Memory(to), |bits| Where::Bits(to, bits));
                self.write(Place { at, access, scalar }, value);
            }
            (InitValueRef::Expr(e), Passing::Memory) if self.is_wide(ty.ty) => {
                let value = self.wide(e);
                self.set_loc(e.loc);
                match bits {
                    Some(_) => self.unsupported(WIDE_BIT_FIELD.to_owned()),
                    None => self.store_wide(to, value, access),
                }
            }
            (InitValueRef::Expr(e), Passing::Memory) => {
                let from = self.aggregate(e);
                self.set_loc(e.loc);
                let ty = self.p.layouts.ir_type(ty.ty);
                self.copy_object(ty, to, from, access.volatile);
            }
            (InitValueRef::Expr(e), _) => self.unsupported_type(e),
            (InitValueRef::Bytes(bytes), _) => self.store_bytes(to, ty, bytes),
        }
    }

    /// A character array initialised by a string.
    fn store_bytes(&mut self, to: Operand, ty: QualType, bytes: &[u8]) {
        let size = self.p.layouts.size_of(ty.ty);
        let element = self.p.layouts.element(ty.ty);
        let unit = self.p.layouts.scalar(element).map_or(Ty::I8, |s| s.ty);
        let width = unit.size(self.p.target);
        let element = self.p.layouts.ir_type(element);
        let text_end = (bytes.len() as u64).next_multiple_of(width).min(size);
        let mut filled = 0;
        if bytes.len() > STORED_BYTES {
            let from = Operand::Global(self.p.constant_bytes(bytes.to_vec(), self.span), 0);
            let count = self.pointer_int((text_end / width) as i64);
            let helper = self.p.helper(Helper::Copy(element, Extent::Members));
            let args = vec![to, from, count];
            self.emit(InstrKind::Call { dst: None, callee: Callee::Direct(helper), args });
            filled = text_end;
        }
        while filled < text_end {
            let chunk = bytes[to_usize(filled)..].iter().take(to_usize(width));
            let value = chunk.rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
            let (target, value) = (self.offset(to, filled), self.constant(unit, value));
            self.store(unit, target, value);
            filled += width;
        }
        let rest = size.saturating_sub(filled) / width;
        let to = self.offset(to, filled);
        if rest > STORED_BYTES as u64 {
            self.clear_many(element, to, rest, Extent::Members);
            return;
        }
        for i in 0..rest {
            let (target, zero) = (self.offset(to, i * width), self.constant(unit, 0));
            self.store(unit, target, zero);
        }
    }
}

#[derive(Clone, Copy)]
pub enum InitValueRef<'a> {
    Expr(&'a crate::tree::Expr),
    Bytes(&'a [u8]),
}
