//! The types of C, interned: equal types have equal ids, so comparing types is comparing numbers.
//!
//! Structs, unions and enums are nominal: each definition (or forward declaration) has an id of its own, also across
//! translation units; linking compares them by structure. One [`Types`] serves all units of a session.

use crate::ast::Qualifiers;
use crate::intern::Symbol;
use norn_ir::source::Loc;
use norn_ir::types::Target;
use rustc_hash::FxHashMap;

norn_ir::ids! {
    /// An unqualified type.
    TypeId = "type";
}

/// A type with its qualifiers. Arrays carry the qualifiers on their element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QualType {
    pub ty: TypeId,
    pub qualifiers: Qualifiers,
}

norn_ir::ids! {
    RecordId = "record";
    EnumId = "enum";
    /// One dimension of a variable-length array type, as evaluated where its declaration was reached.
    VlaId = "vla";
}

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
    /// `_Complex` of an integer or floating type: two elements, the real part first.
    Complex(TypeId),
    /// GNU `vector_size`: so many elements of an integer or floating type.
    Vector {
        element: TypeId,
        length: u64,
    },
    /// `_Float16` and `_Float128`: parsed, but not supported where their values are used.
    Half,
    Quad,
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
    /// The format of the x87.
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
/// beyond the record, nor to a member that is not a neighbouring bit-field. If it can, it holds all neighbouring
/// bit-fields: they are one memory location. Where no such integer has room, the unit is
/// the 3, 5, 6, 7 or 9 bytes that hold the field, and each of them is accessed on its own.
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
    ids: FxHashMap<Type, TypeId>,
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
        let mut types =
            Types { ids: FxHashMap::default(), types: Vec::new(), records: Vec::new(), enums: Vec::new(), vlas: 0 };
        for (index, ty) in PREDEFINED.iter().enumerate() {
            let id = types.intern(ty.clone());
            assert_eq!(id.0 as usize, index, "predefined types should have their fixed ids");
        }
        types
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
    /// Without qualifiers, as a constant.
    pub const fn plain(ty: TypeId) -> QualType {
        let qualifiers = Qualifiers { is_const: false, is_volatile: false, is_restrict: false, is_atomic: false };
        QualType { ty, qualifiers }
    }

    pub fn unqualified(ty: TypeId) -> QualType {
        QualType { ty, qualifiers: Qualifiers::default() }
    }
}

/// The types that every [`Types`] knows from the start, in the order of their ids.
const PREDEFINED: [Type; 21] = [
    Type::Void,
    Type::Bool,
    Type::Int(IntType::Char),
    Type::Int(IntType::SignedChar),
    Type::Int(IntType::UnsignedChar),
    Type::Int(IntType::Short),
    Type::Int(IntType::UnsignedShort),
    Type::Int(IntType::Int),
    Type::Int(IntType::UnsignedInt),
    Type::Int(IntType::Long),
    Type::Int(IntType::UnsignedLong),
    Type::Int(IntType::LongLong),
    Type::Int(IntType::UnsignedLongLong),
    Type::Int(IntType::Int128),
    Type::Int(IntType::UnsignedInt128),
    Type::Float(FloatType::Float),
    Type::Float(FloatType::Double),
    Type::Float(FloatType::LongDouble),
    Type::Half,
    Type::Error,
    Type::Quad,
];

impl TypeId {
    pub const VOID: TypeId = TypeId(0);
    pub const BOOL: TypeId = TypeId(1);
    pub const CHAR: TypeId = TypeId(2);
    pub const UNSIGNED_CHAR: TypeId = TypeId(4);
    pub const UNSIGNED_SHORT: TypeId = TypeId(6);
    pub const INT: TypeId = TypeId(7);
    pub const UNSIGNED_INT: TypeId = TypeId(8);
    pub const LONG: TypeId = TypeId(9);
    pub const UNSIGNED_LONG: TypeId = TypeId(10);
    pub const LONG_LONG: TypeId = TypeId(11);
    pub const UNSIGNED_LONG_LONG: TypeId = TypeId(12);
    pub const FLOAT: TypeId = TypeId(15);
    pub const DOUBLE: TypeId = TypeId(16);
    pub const LONG_DOUBLE: TypeId = TypeId(17);
    pub const HALF: TypeId = TypeId(18);
    pub const ERROR: TypeId = TypeId(19);
    pub const QUAD: TypeId = TypeId(20);

    pub fn of_int(int: IntType) -> TypeId {
        TypeId(int as u32 + 2)
    }
}

impl IntType {
    pub fn size(self, target: Target) -> u64 {
        match self {
            IntType::Char | IntType::SignedChar | IntType::UnsignedChar => 1,
            IntType::Short | IntType::UnsignedShort => 2,
            IntType::Int | IntType::UnsignedInt => 4,
            IntType::Long | IntType::UnsignedLong => target.pointer_size(),
            IntType::LongLong | IntType::UnsignedLongLong => 8,
            IntType::Int128 | IntType::UnsignedInt128 => 16,
        }
    }

    pub fn is_signed(self) -> bool {
        !matches!(
            self,
            IntType::UnsignedChar
                | IntType::UnsignedShort
                | IntType::UnsignedInt
                | IntType::UnsignedLong
                | IntType::UnsignedLongLong
                | IntType::UnsignedInt128
        )
    }

    /// The conversion rank of C11 6.3.1.1.
    pub fn rank(self) -> u32 {
        match self {
            IntType::Char | IntType::SignedChar | IntType::UnsignedChar => 1,
            IntType::Short | IntType::UnsignedShort => 2,
            IntType::Int | IntType::UnsignedInt => 3,
            IntType::Long | IntType::UnsignedLong => 4,
            IntType::LongLong | IntType::UnsignedLongLong => 5,
            IntType::Int128 | IntType::UnsignedInt128 => 6,
        }
    }

    /// The unsigned type of the same rank.
    pub fn to_unsigned(self) -> IntType {
        match self {
            IntType::Char | IntType::SignedChar => IntType::UnsignedChar,
            IntType::Short => IntType::UnsignedShort,
            IntType::Int => IntType::UnsignedInt,
            IntType::Long => IntType::UnsignedLong,
            IntType::LongLong => IntType::UnsignedLongLong,
            IntType::Int128 => IntType::UnsignedInt128,
            unsigned => unsigned,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_types_have_predefined_ids() {
        let types = Types::new();
        assert_eq!(types.get(TypeId::of_int(IntType::UnsignedInt128)), &Type::Int(IntType::UnsignedInt128));
        assert_eq!(types.get(TypeId::of_int(IntType::Char)), &Type::Int(IntType::Char));
        assert_eq!(types.get(TypeId::UNSIGNED_LONG_LONG), &Type::Int(IntType::UnsignedLongLong));
        assert_eq!(types.get(TypeId::ERROR), &Type::Error);
    }
}
