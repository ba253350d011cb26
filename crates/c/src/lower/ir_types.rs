//! Types of C as types of the IR: the scalar that a value is, and the layout of an object.

use crate::ctype::{self, ArrayLength, FloatType, IntType, Types};
use crate::intern::{Interner, Symbol};
use norn_ir::ids::TypeId;
use norn_ir::types::{BitRange, Display, Field, Record, Shape, Target, Ty, Type};
use rustc_hash::FxHashMap;

/// The name of the record that a `long double` is. Processors read and write 10 bytes of it, so nothing asks for its padding.
pub const EXTENDED: &str = "long double";

/// A scalar type of C: what its values are in registers, and how they convert.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scalar {
    pub ty: Ty,
    /// Of integers: whether widening keeps the sign.
    pub signed: bool,
    pub is_bool: bool,
}

/// How a value is passed to and from functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    Nothing,
    Scalar(Scalar),
    /// By the address of an object: structs, unions, `__int128`, `long double`, complex numbers, vectors.
    Memory,
    /// `_Float16`: not handled.
    Unsupported,
}

/// The layouts of a program, each once.
pub struct Layouts<'a> {
    pub types: &'a Types,
    target: Target,
    table: Vec<Type>,
    ids: FxHashMap<Type, TypeId>,
    known: FxHashMap<ctype::TypeId, TypeId>,
    /// The spellings of the records' tags and of their fields.
    names: Vec<(String, Vec<String>)>,
}

impl<'a> Layouts<'a> {
    pub fn new(types: &'a Types, target: Target, symbols: &Interner) -> Layouts<'a> {
        let spell = |name: Option<Symbol>| name.map_or(String::new(), |name| symbols.name(name).to_owned());
        let fields = |record: &ctype::Record| {
            record.body.iter().flat_map(|body| &body.fields).map(|field| spell(field.name)).collect()
        };
        let names = types.records.iter().map(|record| (spell(record.tag), fields(record))).collect();
        Layouts { types, target, table: Vec::new(), ids: FxHashMap::default(), known: FxHashMap::default(), names }
    }

    pub fn into_types(self) -> Vec<Type> {
        self.table
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.table[id.index()]
    }

    pub fn size_of(&mut self, ty: ctype::TypeId) -> u64 {
        let id = self.ir_type(ty);
        self.get(id).size
    }

    /// The scalar that values of a type are, if they are.
    pub fn scalar(&self, ty: ctype::TypeId) -> Option<Scalar> {
        let int = |ty, signed| Some(Scalar { ty, signed, is_bool: false });
        match self.types.get(ty) {
            ctype::Type::Bool => Some(Scalar { ty: Ty::I8, signed: false, is_bool: true }),
            ctype::Type::Int(kind) => {
                let (size, signed) = int_size(*kind, self.target);
                int(Ty::int_of_size(size)?, signed)
            }
            ctype::Type::Enum(id) => {
                let (size, signed) =
                    int_size(self.types.enumeration(*id).underlying.unwrap_or(IntType::UnsignedInt), self.target);
                int(Ty::int_of_size(size)?, signed)
            }
            ctype::Type::Float(FloatType::Float) => int(Ty::F32, true),
            ctype::Type::Float(FloatType::Double) => int(Ty::F64, true),
            ctype::Type::Pointer(_) => int(Ty::Ptr, false),
            _ => None,
        }
    }

    /// Whether an integer of 128 bits has a sign; `None` for other types.
    pub fn wide(&self, ty: ctype::TypeId) -> Option<bool> {
        match self.types.get(ty) {
            ctype::Type::Int(IntType::Int128) => Some(true),
            ctype::Type::Int(IntType::UnsignedInt128) => Some(false),
            _ => None,
        }
    }

    pub fn passing(&self, ty: ctype::TypeId) -> Passing {
        match self.types.get(ty) {
            ctype::Type::Void => Passing::Nothing,
            ctype::Type::Record(_) | ctype::Type::Array { .. } => Passing::Memory,
            ctype::Type::Float(FloatType::LongDouble) => Passing::Memory,
            ctype::Type::Int(IntType::Int128 | IntType::UnsignedInt128) => Passing::Memory,
            ctype::Type::Complex(part) | ctype::Type::Vector { element: part, .. } => match self.passing(*part) {
                Passing::Unsupported => Passing::Unsupported,
                _ => Passing::Memory,
            },
            _ => self.scalar(ty).map_or(Passing::Unsupported, Passing::Scalar),
        }
    }

    /// Whether the size of a type is known only at run time.
    pub fn is_variable(&self, mut ty: ctype::TypeId) -> bool {
        while let ctype::Type::Array { element, length } = self.types.get(ty) {
            if matches!(length, ArrayLength::Variable(_)) {
                return true;
            }
            ty = element.ty;
        }
        false
    }

    /// The innermost element of arrays.
    pub fn element(&self, mut ty: ctype::TypeId) -> ctype::TypeId {
        while let ctype::Type::Array { element, .. } = self.types.get(ty) {
            ty = element.ty;
        }
        ty
    }

    fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = TypeId::new(self.table.len());
        self.table.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    pub fn byte_array(&mut self, length: u64) -> TypeId {
        let byte = self.intern(Type { size: 1, align: 1, shape: Shape::Scalar { ty: Ty::I8, display: Display::Char } });
        self.array(byte, length)
    }

    /// The slots of variable arguments.
    pub fn slots(&mut self, count: u64) -> TypeId {
        let slot = self.intern(Type { size: 8, align: self.align_of(8), shape: Shape::Bytes });
        self.array(slot, count)
    }

    fn array(&mut self, element: TypeId, length: u64) -> TypeId {
        let Type { size, align, .. } = *self.get(element);
        self.intern(Type { size: size.saturating_mul(length), align, shape: Shape::Array { element, length } })
    }

    /// An object's type: that of its declaration, with its own alignment; an array of unknown length has one element.
    pub fn object_type(&mut self, ty: ctype::TypeId, align: u64) -> TypeId {
        let id = match self.types.get(ty) {
            ctype::Type::Array { element, length: ArrayLength::Unknown } => {
                let element = self.ir_type(element.ty);
                self.array(element, 1)
            }
            _ => self.ir_type(ty),
        };
        let found = self.get(id);
        if align <= found.align {
            return id;
        }
        let raised = Type { align, ..found.clone() };
        self.intern(raised)
    }

    /// The type itself, or bytes of the given size if it is smaller.
    pub fn at_least(&mut self, id: TypeId, size: u64) -> TypeId {
        let found = self.get(id);
        if found.size >= size {
            return id;
        }
        let align = found.align;
        self.intern(Type { size: size.next_multiple_of(align.max(1)), align, shape: Shape::Bytes })
    }

    /// The alignment of a scalar of a number of bytes.
    fn align_of(&self, size: u64) -> u64 {
        match self.target {
            Target::Ilp32 => size.min(4),
            Target::Lp64 => size,
        }
    }

    pub fn ir_type(&mut self, ty: ctype::TypeId) -> TypeId {
        if let Some(&id) = self.known.get(&ty) {
            return id;
        }
        let id = self.make_type(ty);
        self.known.insert(ty, id);
        id
    }

    fn make_type(&mut self, ty: ctype::TypeId) -> TypeId {
        let bytes = |size, align| Type { size, align, shape: Shape::Bytes };
        let types = self.types;
        let made = match types.get(ty) {
            ctype::Type::Void | ctype::Type::Function(_) | ctype::Type::Error => bytes(1, 1),
            ctype::Type::Half => bytes(2, 2),
            ctype::Type::Quad => bytes(16, 16),
            ctype::Type::Complex(part) => {
                let part = self.ir_type(*part);
                let Type { size, align, .. } = *self.get(part);
                let field = |name: &str, offset| Field { name: name.to_owned(), offset, ty: part, bits: None };
                let fields = vec![field("real", 0), field("imag", size)];
                let shape = Shape::Record(Record { name: "_Complex".to_owned(), is_union: false, fields });
                Type { size: size * 2, align, shape }
            }
            ctype::Type::Vector { element, length } => {
                let element = self.ir_type(*element);
                let size = self.get(element).size * length;
                Type { size, align: size, shape: Shape::Array { element, length: *length } }
            }
            ctype::Type::Int(kind @ (IntType::Int128 | IntType::UnsignedInt128)) => self.halves(*kind),
            ctype::Type::Float(FloatType::LongDouble) => self.extended(),
            ctype::Type::Array { element, length } => {
                let element = self.ir_type(element.ty);
                let length = match length {
                    ArrayLength::Known(n) => *n,
                    ArrayLength::Unknown | ArrayLength::Variable(_) => 0,
                };
                return self.array(element, length);
            }
            ctype::Type::Record(id) => self.record(*id),
            scalar => {
                let Some(Scalar { ty: scalar_ty, signed, is_bool }) = self.scalar(ty) else {
                    return self.intern(bytes(1, 1));
                };
                let display = match scalar {
                    ctype::Type::Int(IntType::Char) => Display::Char,
                    ctype::Type::Float(_) => Display::Float,
                    ctype::Type::Pointer(_) => Display::Pointer,
                    _ if is_bool => Display::Bool,
                    _ if signed => Display::Signed,
                    _ => Display::Unsigned,
                };
                let size = scalar_ty.size(self.target);
                Type { size, align: self.align_of(size), shape: Shape::Scalar { ty: scalar_ty, display } }
            }
        };
        self.intern(made)
    }

    /// A `long double` as a struct of its mantissa and the rest.
    fn extended(&mut self) -> Type {
        let mut part = |size, ty| {
            let align = self.align_of(size);
            self.intern(Type { size, align, shape: Shape::Scalar { ty, display: Display::Unsigned } })
        };
        let (mantissa, head) = (part(8, Ty::I64), part(2, Ty::I16));
        let field = |name: &str, offset, ty| Field { name: name.to_owned(), offset, ty, bits: None };
        let fields = vec![field("mantissa", 0, mantissa), field("head", 8, head)];
        let shape = Shape::Record(Record { name: EXTENDED.to_owned(), is_union: false, fields });
        match self.target {
            Target::Ilp32 => Type { size: 12, align: 4, shape },
            Target::Lp64 => Type { size: 16, align: 16, shape },
        }
    }

    /// An integer of 128 bits as a struct of two.
    fn halves(&mut self, kind: IntType) -> Type {
        let mut half = |display| {
            let (size, align) = (8, self.align_of(8));
            self.intern(Type { size, align, shape: Shape::Scalar { ty: Ty::I64, display } })
        };
        let (low, high) = match kind {
            IntType::Int128 => (half(Display::Unsigned), half(Display::Signed)),
            _ => (half(Display::Unsigned), half(Display::Unsigned)),
        };
        let field = |name: &str, offset, ty| Field { name: name.to_owned(), offset, ty, bits: None };
        let fields = vec![field("low", 0, low), field("high", 8, high)];
        let name = if kind == IntType::Int128 { "__int128" } else { "unsigned __int128" };
        let shape = Shape::Record(Record { name: name.to_owned(), is_union: false, fields });
        Type { size: 16, align: 16, shape }
    }

    fn record(&mut self, id: ctype::RecordId) -> Type {
        let types = self.types;
        let record = types.record(id);
        let name = self.names[id.0 as usize].0.clone();
        let Some(body) = &record.body else {
            let shape = Shape::Record(Record { name, is_union: record.is_union, fields: Vec::new() });
            return Type { size: 0, align: 1, shape };
        };
        let mut fields = Vec::with_capacity(body.fields.len());
        for (i, field) in body.fields.iter().enumerate() {
            let ty = match field.bits {
                None => self.ir_type(field.ty.ty),
                Some(bits) => {
                    let signed = self.scalar(field.ty.ty).is_some_and(|s| s.signed);
                    let display = if signed { Display::Signed } else { Display::Unsigned };
                    match Ty::int_of_size(bits.unit) {
                        Some(ty) => {
                            let align = self.align_of(bits.unit);
                            self.intern(Type { size: bits.unit, align, shape: Shape::Scalar { ty, display } })
                        }
                        None => self.byte_array(bits.unit),
                    }
                }
            };
            let bits = field.bits.map(|b| BitRange { start: b.start, width: b.width });
            let name = self.names[id.0 as usize].1[i].clone();
            fields.push(Field { name, offset: field.offset, ty, bits });
        }
        let shape = Shape::Record(Record { name, is_union: record.is_union, fields });
        Type { size: body.size, align: body.align, shape }
    }
}

/// Bytes, and whether it has a sign.
fn int_size(kind: IntType, target: Target) -> (u64, bool) {
    match kind {
        IntType::Char | IntType::SignedChar => (1, true),
        IntType::UnsignedChar => (1, false),
        IntType::Short => (2, true),
        IntType::UnsignedShort => (2, false),
        IntType::Int => (4, true),
        IntType::UnsignedInt => (4, false),
        IntType::Long => (target.pointer_size(), true),
        IntType::UnsignedLong => (target.pointer_size(), false),
        IntType::LongLong => (8, true),
        IntType::UnsignedLongLong => (8, false),
        IntType::Int128 => (16, true),
        IntType::UnsignedInt128 => (16, false),
    }
}
