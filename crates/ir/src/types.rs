//! Types: the scalars that registers hold, and the layout of objects in memory.
//!
//! Instructions know scalars only ([`Ty`]). Layouts ([`Type`]) tell how large an object is and what stands at which
//! offset, so that a trace can say `stack.array[1].next` and a symbolic engine can split an object into cells.

use crate::ids::TypeId;
use crate::number::narrow;
use serde::{Deserialize, Serialize};

/// The data model: ILP32 or LP64. Both are little endian.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Target {
    Ilp32,
    #[default]
    Lp64,
}

impl Target {
    /// Bytes of a pointer, of `long` and of `size_t`.
    pub fn pointer_size(self) -> u64 {
        match self {
            Target::Ilp32 => 4,
            Target::Lp64 => 8,
        }
    }

    /// The integer as wide as a pointer.
    pub fn pointer_int(self) -> Ty {
        match self {
            Target::Ilp32 => Ty::I32,
            Target::Lp64 => Ty::I64,
        }
    }
}

/// What a register holds. Integers have no sign: operations do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Ty {
    /// A truth value. Lives in registers only; `_Bool` is `I8` in memory.
    Bool,
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
    /// An address that knows its object (provenance), or a number taken as an address.
    Ptr,
}

impl Ty {
    pub const ALL: [Ty; 8] = [Ty::Bool, Ty::I8, Ty::I16, Ty::I32, Ty::I64, Ty::F32, Ty::F64, Ty::Ptr];

    pub fn is_int(self) -> bool {
        matches!(self, Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64)
    }

    pub fn is_float(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }

    /// Width of the value in bits.
    pub fn bits(self, target: Target) -> u32 {
        match self {
            Ty::Bool => 1,
            Ty::I8 => 8,
            Ty::I16 => 16,
            Ty::I32 | Ty::F32 => 32,
            Ty::I64 | Ty::F64 => 64,
            Ty::Ptr => narrow(target.pointer_size()) * 8,
        }
    }

    /// Bytes that a load or store of this type touches. A `Bool` is not stored.
    pub fn size(self, target: Target) -> u64 {
        u64::from(self.bits(target).div_ceil(8))
    }

    /// `bits` cut to the width of this type; constants are kept in this form.
    pub fn truncate(self, bits: u64, target: Target) -> u64 {
        match self.bits(target) {
            64 => bits,
            width => bits & ((1 << width) - 1),
        }
    }

    /// The integer of the given number of bytes.
    pub fn int_of_size(bytes: u64) -> Option<Ty> {
        match bytes {
            1 => Some(Ty::I8),
            2 => Some(Ty::I16),
            4 => Some(Ty::I32),
            8 => Some(Ty::I64),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Ty::Bool => "bool",
            Ty::I8 => "i8",
            Ty::I16 => "i16",
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::F32 => "f32",
            Ty::F64 => "f64",
            Ty::Ptr => "ptr",
        }
    }
}

/// How a person writes a scalar's value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Display {
    Signed,
    Unsigned,
    /// `_Bool`, stored as 0 or 1 in an `I8`.
    Bool,
    /// A character type.
    Char,
    Float,
    Pointer,
}

/// A type with layout.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    pub size: u64,
    pub align: u64,
    pub shape: Shape,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// One value of `ty` at offset 0. `long double` is an `F64` in a larger slot.
    Scalar {
        ty: Ty,
        display: Display,
    },
    Array {
        element: TypeId,
        length: u64,
    },
    Record(Record),
    /// Bytes of which nothing is known.
    Bytes,
}

/// A struct or union.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Record {
    /// The tag, or empty.
    pub name: String,
    pub is_union: bool,
    pub fields: Vec<Field>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// Empty for an anonymous struct or union member.
    pub name: String,
    /// Byte offset; for a bit-field that of its storage unit.
    pub offset: u64,
    /// For a bit-field the type of its storage unit: an integer, or an array of bytes where the field is accessed byte by
    /// byte.
    pub ty: TypeId,
    pub bits: Option<BitRange>,
}

/// The bits of a storage unit that a bit-field occupies, counted from the least significant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BitRange {
    pub start: u32,
    pub width: u32,
}
