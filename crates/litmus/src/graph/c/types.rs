//! Types of C, as far as litmus tests need them: integers and pointers.

use norn_c::ast::{BasicType, Declarator, Derivation, FunctionDefinition, Parameters, Specifiers, TypeSpecifier};
use norn_c::session::Session;
use norn_graph::program::{Expr, Width};
use norn_ir::types::Ty;

use crate::ctype::{self, CType};
use crate::graph::widths;

/// The types of a thread's parameters, where they can be told.
pub(super) fn params(session: &Session, function: &FunctionDefinition) -> Vec<Option<CType>> {
    match function.declarator.derivations.last() {
        Some(Derivation::Function(Parameters::Prototype { params, .. })) => {
            params.iter().map(|param| declared(session, &param.specifiers, &param.declarator)).collect()
        }
        _ => Vec::new(),
    }
}

/// The type of a declared name, or that in a cast. Pointers to something opaque point to a `long`.
pub(super) fn declared(session: &Session, specifiers: &Specifiers, declarator: &Declarator) -> Option<CType> {
    let is_pointer = matches!(declarator.derivations.first(), Some(Derivation::Pointer(_)));
    let mut ty = base(session, &specifiers.ty, is_pointer)?;
    for derivation in &declarator.derivations {
        ty = match derivation {
            Derivation::Pointer(_) | Derivation::Array { .. } => ty.pointer_to(),
            Derivation::Function(_) => return None,
        };
    }
    Some(ty)
}

fn base(session: &Session, ty: &TypeSpecifier, is_pointer: bool) -> Option<CType> {
    let (base, signed) = match ty {
        TypeSpecifier::Basic(basic) => match basic {
            BasicType::Bool => (Ty::I8, false),
            BasicType::Char | BasicType::SignedChar => (Ty::I8, true),
            BasicType::UnsignedChar => (Ty::I8, false),
            BasicType::Short => (Ty::I16, true),
            BasicType::UnsignedShort => (Ty::I16, false),
            BasicType::Int => (Ty::I32, true),
            BasicType::UnsignedInt => (Ty::I32, false),
            BasicType::Void | BasicType::Long | BasicType::LongLong => (Ty::I64, true),
            BasicType::UnsignedLong | BasicType::UnsignedLongLong => (Ty::I64, false),
            _ => return None,
        },
        TypeSpecifier::Typedef(name) => {
            let name = session.symbols.name(*name);
            match ctype::named(name) {
                Some(known) => known,
                None if name == "memory_order" => (Ty::I32, true),
                None => return None,
            }
        }
        TypeSpecifier::Atomic(inner) => return declared(session, &inner.specifiers, &inner.declarator),
        TypeSpecifier::Enum(_) | TypeSpecifier::ImplicitInt => (Ty::I32, true),
        // Nothing is known of it but where it is, as of a `struct srcu_struct`.
        TypeSpecifier::Record(record) if record.members.is_none() && is_pointer => (Ty::I64, true),
        _ => return None,
    };
    Some(CType::integer(base, signed))
}

/// A number as a value of that type, extended to 64 bits.
pub(super) fn wrapped(ty: CType, value: u64) -> u64 {
    let width = widths::of_type(ty);
    if ty.is_signed() { width.sign_extend(value) } else { width.truncate(value) }
}

/// The same of an expression.
pub(super) fn wrap(ty: CType, value: Expr) -> Expr {
    match (widths::of_type(ty), value) {
        (Width::W64, value) => value,
        (_, Expr::Const(n)) => Expr::Const(wrapped(ty, n)),
        (width, value) if ty.is_signed() => Expr::sign_extend(width, value),
        (width, value) => Expr::truncate(width, value),
    }
}

/// Whether every value of the one type is one of the other.
pub(super) fn fits(from: CType, into: CType) -> bool {
    let (from_width, into_width) = (widths::of_type(from), widths::of_type(into));
    into_width == Width::W64
        || from_width < into_width && (into.is_signed() || !from.is_signed())
        || from_width == into_width && from.is_signed() == into.is_signed()
}

/// The type in which two operands of arithmetic meet.
pub(super) fn common(lhs: CType, rhs: CType) -> CType {
    if lhs.is_pointer() {
        return lhs;
    }
    if rhs.is_pointer() {
        return rhs;
    }
    let (lhs, rhs) = (promoted(lhs), promoted(rhs));
    let (left, right) = (widths::of_type(lhs), widths::of_type(rhs));
    match left.cmp(&right) {
        std::cmp::Ordering::Less => rhs,
        std::cmp::Ordering::Greater => lhs,
        std::cmp::Ordering::Equal if lhs.is_signed() => rhs,
        std::cmp::Ordering::Equal => lhs,
    }
}

/// Nothing is computed in less than an `int`.
pub(super) fn promoted(ty: CType) -> CType {
    if !ty.is_pointer() && widths::of_type(ty) < Width::W32 { CType::INT } else { ty }
}
