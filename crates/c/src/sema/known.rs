//! Objects whose value is known while a unit is checked: `const` ones that a constant initialises.
//!
//! GCC (since version 8) reads them in initialisers of static objects: whole objects, members, and elements of arrays by a constant index, but
//! not through pointers. Nowhere else are they constants.

use super::Checker;
use super::constant::Value;
use crate::ctype::{FloatType, QualType, Type, TypeId};
use crate::tree::{ConstInit, ConstValue, Definition, Expr, ExprKind, Init, Size, VarId};
use norn_ir::number::to_usize;

impl Checker<'_> {
    /// The value of a scalar part of such an object.
    pub(super) fn known_value(&self, place: &Expr) -> Option<Value> {
        if place.ty.qualifiers.is_atomic || place.ty.qualifiers.is_volatile || !self.is_scalar(place.ty) {
            return None;
        }
        if let ExprKind::Var(var) = &place.kind {
            return self.function.as_ref()?.known.get(var).copied();
        }
        if let ExprKind::Member { bits: Some(_), .. } = &place.kind {
            return None;
        }
        let (parts, offset) = self.known_parts(place)?;
        if self.is_wide(place.ty) {
            let half = |at| {
                let half = QualType::unqualified(TypeId::UNSIGNED_LONG_LONG);
                match self.known_part(parts, offset + at, half) {
                    Some(Value::Int(n)) => Some(n),
                    _ => None,
                }
            };
            return Some(Value::Int(half(8)? << 64 | half(0)?));
        }
        self.known_part(parts, offset, place.ty)
    }

    /// The scalar of a type at an offset in an object.
    fn known_part(&self, parts: &[ConstInit], offset: u64, ty: QualType) -> Option<Value> {
        let size = self.size_of(ty)?;
        let overlaps = |part: &&ConstInit| {
            part.offset < offset + size && offset < part.offset + part.value.size(self.target.pointer_size())
        };
        let Some(part) = parts.iter().find(overlaps) else { return self.known_bits(&[0; 8], ty) };
        match &part.value {
            ConstValue::Object(id, at) if part.offset == offset => Some(Value::Object(*id, *at)),
            ConstValue::Function(id) if part.offset == offset => Some(Value::Function(*id)),
            ConstValue::Float { size: known, value } if part.offset == offset && *known == size => {
                match self.kind(ty) {
                    Type::Float(FloatType::Float | FloatType::Double) => Some(Value::Float(*value)),
                    _ => None,
                }
            }
            ConstValue::Int { size: known, bits } if part.offset == offset && *known == size => {
                self.known_bits(&bits.to_le_bytes(), ty)
            }
            ConstValue::Bytes(bytes) if part.offset <= offset => {
                let bytes = bytes.get(to_usize(offset - part.offset)..)?.get(..to_usize(size))?;
                self.known_bits(bytes, ty)
            }
            _ => None,
        }
    }

    /// An integer, or another scalar that is zero, from its bytes.
    fn known_bits(&self, bytes: &[u8], ty: QualType) -> Option<Value> {
        let mut all = [0; 8];
        let count = bytes.len().min(8);
        all[..count].copy_from_slice(&bytes[..count]);
        let bits = u64::from_le_bytes(all);
        match self.kind(ty) {
            Type::Float(_) if bits == 0 => Some(Value::Float(0.0)),
            Type::Float(_) => None,
            _ if self.is_integer(ty) || bits == 0 => Some(Value::Int(self.number_of(self.cut(bits, ty), ty))),
            _ => None,
        }
    }

    /// The parts of the `const` object that a place lies in, and the place's offset in it.
    pub(super) fn known_parts(&self, place: &Expr) -> Option<(&[ConstInit], u64)> {
        match &place.kind {
            ExprKind::Object(id) => {
                let object = &self.unit.objects[id.0 as usize];
                match &object.definition {
                    Definition::Initialised(parts) if object.constant && object.name.is_some() => Some((parts, 0)),
                    _ => None,
                }
            }
            ExprKind::Member { base, offset, bits: None } => {
                let (parts, start) = self.known_parts(base)?;
                Some((parts, start + offset))
            }
            ExprKind::Deref(pointer) => {
                let ExprKind::PointerAdd { pointer, index, size: Size::Const(size), subtract: false } = &pointer.kind
                else {
                    return None;
                };
                let ExprKind::AddressOf(array) = &pointer.kind else { return None };
                let Type::Array { .. } = self.kind(array.ty) else { return None };
                let index = u64::try_from(self.evaluate_int(index).ok()?).ok()?;
                let (parts, start) = self.known_parts(array)?;
                let at = index.checked_mul(*size)?;
                let fits = at.checked_add(*size)? <= self.size_of(array.ty)?;
                fits.then_some((parts, start + at))
            }
            _ => None,
        }
    }

    /// The parts of a whole struct or union that is such an object or lies in one, by offset in it.
    pub(super) fn known_copy(&self, place: &Expr) -> Option<Vec<(u64, ConstValue)>> {
        let (parts, start) = self.known_parts(place)?;
        let end = start + self.size_of(place.ty)?;
        let pointer_size = self.target.pointer_size();
        let mut copied = Vec::new();
        for part in parts {
            let part_end = part.offset + part.value.size(pointer_size);
            if part_end <= start || part.offset >= end {
                continue;
            }
            // A part that is cut would be a string that lies in the struct only partly.
            if part.offset < start || part_end > end {
                return None;
            }
            copied.push((part.offset - start, part.value.clone()));
        }
        Some(copied)
    }

    /// Notes what a local `const` variable is initialised with, if that is a constant.
    pub(super) fn note_known(&mut self, var: VarId, init: &Init, ty: QualType) {
        if !self.is_constant_object(ty) || ty.qualifiers.is_atomic || !self.is_scalar(ty) {
            return;
        }
        if let Init::Expr(e) = init
            && let Ok(value) = self.evaluate_initialiser(e)
            && let Some(function) = &mut self.function
        {
            function.known.insert(var, value);
        }
    }
}
