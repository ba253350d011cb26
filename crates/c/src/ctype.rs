//! The types of C, interned: equal types have equal ids, so comparing types is comparing numbers.
//!
//! Structs, unions and enums are nominal: each definition (or forward declaration) has an id of its own, also across
//! translation units; linking compares them by structure. One [`Types`] serves all units of a session.

use crate::ast::Qualifiers;
use crate::intern::Symbol;
use norn_ir::source::Loc;
use std::collections::HashMap;

/// An unqualified type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);

/// A type with its qualifiers. Arrays carry the qualifiers on their element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QualType {
    pub ty: TypeId,
    pub qualifiers: Qualifiers,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RecordId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EnumId(pub u32);

/// One dimension of a variable-length array type, as evaluated where its declaration was reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VlaId(pub u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Void,
    Bool,
    Int(IntType),
    Float(FloatType),
    Pointer(QualType),
    Array {
        element: QualType,
        length: ArrayLength,
    },
    Function(FunctionType),
    Record(RecordId),
    Enum(EnumId),
    /// Parsed, but not supported where its values are used.
    Complex,
    /// The type of something that was already reported; silences what would follow from it.
    Error,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IntType {
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    /// Parsed and laid out; values are unsupported.
    Int128,
    UnsignedInt128,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatType {
    Float,
    Double,
    /// Has the size of the x87 format and the values of `double`.
    LongDouble,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayLength {
    Known(u64),
    /// `[]`: an incomplete type, or a flexible member.
    Unknown,
    Variable(VlaId),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    pub result: QualType,
    /// Adjusted: arrays and functions have become pointers, top-level qualifiers are dropped.
    pub params: Vec<QualType>,
    pub variadic: bool,
    /// False for `f()`: arguments are passed with the default promotions.
    pub prototyped: bool,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    pub tag: Option<Symbol>,
    pub is_union: bool,
    /// `None` while only declared.
    pub body: Option<RecordBody>,
    pub loc: Loc,
}

#[derive(Clone, Debug)]
pub struct RecordBody {
    pub fields: Vec<RecordField>,
    pub size: u64,
    pub align: u64,
}

#[derive(Clone, Debug)]
pub struct RecordField {
    /// `None` for an anonymous struct or union member (unnamed bit-fields are not kept).
    pub name: Option<Symbol>,
    pub ty: QualType,
    /// Byte offset; for a bit-field that of its storage unit.
    pub offset: u64,
    pub bits: Option<BitField>,
    pub loc: Loc,
}

/// The part of a storage unit that a bit-field occupies.
///
/// The unit is the naturally sized integer (1, 2, 4 or 8 bytes) that is accessed for the field; it never reaches
/// beyond the record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BitField {
    /// Bytes of the storage unit.
    pub unit: u64,
    /// First bit, counted from the least significant one of the unit.
    pub start: u32,
    pub width: u32,
}

#[derive(Clone, Debug)]
pub struct Enum {
    pub tag: Option<Symbol>,
    /// The integer type that it is compatible with; `None` while only declared.
    pub underlying: Option<IntType>,
    pub loc: Loc,
}

/// All types of a session.
#[derive(Debug)]
pub struct Types {
    ids: HashMap<Type, TypeId>,
    types: Vec<Type>,
    pub records: Vec<Record>,
    pub enums: Vec<Enum>,
    /// How many [`VlaId`]s have been given out.
    pub vlas: u32,
}

impl Default for Types {
    fn default() -> Types {
        Types::new()
    }
}

impl Types {
    pub fn new() -> Types {
        Types { ids: HashMap::new(), types: Vec::new(), records: Vec::new(), enums: Vec::new(), vlas: 0 }
    }

    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = TypeId(u32::try_from(self.types.len()).expect("types should be numbered with 32 bits"));
        self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    pub fn enumeration(&self, id: EnumId) -> &Enum {
        &self.enums[id.0 as usize]
    }
}

impl QualType {
    pub fn unqualified(ty: TypeId) -> QualType {
        QualType { ty, qualifiers: Qualifiers::default() }
    }
}
