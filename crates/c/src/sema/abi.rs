//! Sizes and alignments of types, as the System V ABIs for i386 (ILP32) and x86-64 (LP64) define them.
//!
//! The layout of records is computed once, where they are defined (`record`); this module reads it.

use crate::ctype::{ArrayLength, FloatType, IntType, QualType, RecordBody, Type, TypeId, Types};
use norn_ir::types::Target;

/// Objects are smaller than this, so that offsets fit into every type that holds one.
pub fn max_object_size(target: Target) -> u64 {
    match target {
        Target::Ilp32 => 0x7fff_ffff,
        Target::Lp64 => 0x7fff_ffff_ffff_ffff,
    }
}

impl Types {
    /// Bytes of an object of this type; `None` for functions, incomplete and variable-length types.
    pub fn size_of(&self, ty: TypeId, target: Target) -> Option<u64> {
        match self.get(ty) {
            Type::Void | Type::Function(_) => None,
            Type::Bool => Some(1),
            Type::Int(int) => Some(int.size(target)),
            Type::Float(float) => Some(float_size(*float, target)),
            Type::Pointer(_) => Some(target.pointer_size()),
            Type::Array { element, length: ArrayLength::Known(length) } => {
                self.size_of(element.ty, target)?.checked_mul(*length).filter(|&n| n <= max_object_size(target))
            }
            Type::Array { .. } => None,
            Type::Record(id) => self.record(*id).body.as_ref().map(|b| b.size),
            Type::Enum(id) => Some(self.enumeration(*id).underlying.unwrap_or(IntType::UnsignedInt).size(target)),
            Type::Complex(part) => Some(self.size_of(*part, target)? * 2),
            Type::Vector { element, length } => Some(self.size_of(*element, target)? * length),
            Type::Half => Some(2),
            Type::Quad => Some(16),
            Type::Error => Some(4),
        }
    }

    /// The alignment of an object of this type; 1 for what has none (functions, incomplete types).
    pub fn align_of(&self, ty: QualType, target: Target) -> u64 {
        let natural = match self.get(ty.ty) {
            Type::Void | Type::Function(_) => 1,
            Type::Array { element, .. } => self.align_of(*element, target),
            Type::Record(id) => self.record(*id).body.as_ref().map_or(1, |b| b.align),
            Type::Float(FloatType::LongDouble) if target == Target::Ilp32 => 4,
            Type::Complex(part) => self.align_of(QualType::plain(*part), target),
            _ => self.size_of(ty.ty, target).unwrap_or(1),
        };
        natural.max(self.atomic_align(ty, target))
    }

    /// What an atomic type asks for: that one instruction can access it, if there is one for its size.
    fn atomic_align(&self, ty: QualType, target: Target) -> u64 {
        let largest = 2 * target.pointer_size();
        let size = self.size_of(ty.ty, target).filter(|_| ty.qualifiers.is_atomic);
        size.filter(|&size| size.is_power_of_two() && size <= largest).unwrap_or(1)
    }

    /// The alignment of a member of this type: on i386, 8-byte scalars have 4 inside records and 8 elsewhere.
    pub fn member_align_of(&self, ty: QualType, target: Target) -> u64 {
        let natural = match self.get(ty.ty) {
            Type::Array { element, .. } => self.member_align_of(*element, target),
            Type::Complex(part) => self.member_align_of(QualType::plain(*part), target),
            Type::Int(IntType::LongLong | IntType::UnsignedLongLong)
            | Type::Float(FloatType::Double)
            | Type::Enum(_)
                if target == Target::Ilp32 =>
            {
                self.align_of(QualType::plain(ty.ty), target).min(4)
            }
            _ => self.align_of(ty, target),
        };
        natural.max(self.atomic_align(ty, target))
    }

    /// The integer type behind an integer, `_Bool` or enumerated type.
    pub fn int_type(&self, ty: TypeId) -> Option<IntType> {
        match self.get(ty) {
            Type::Bool => Some(IntType::UnsignedChar),
            Type::Int(int) => Some(*int),
            Type::Enum(id) => Some(self.enumeration(*id).underlying.unwrap_or(IntType::UnsignedInt)),
            _ => None,
        }
    }

    /// The body of a complete struct or union type.
    pub fn record_body(&self, ty: TypeId) -> Option<&RecordBody> {
        match self.get(ty) {
            Type::Record(id) => self.record(*id).body.as_ref(),
            _ => None,
        }
    }

    /// Whether the size of the type is computed at run time.
    pub fn is_vla(&self, ty: TypeId) -> bool {
        match self.get(ty) {
            Type::Array { length: ArrayLength::Variable(_), .. } => true,
            Type::Array { element, .. } => self.is_vla(element.ty),
            _ => false,
        }
    }
}

pub(crate) fn float_size(float: FloatType, target: Target) -> u64 {
    match (float, target) {
        (FloatType::Float, _) => 4,
        (FloatType::Double, _) => 8,
        (FloatType::LongDouble, Target::Ilp32) => 12,
        (FloatType::LongDouble, Target::Lp64) => 16,
    }
}
