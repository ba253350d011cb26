//! Whether two types of different units can mean the same thing.

use crate::ctype::{ArrayLength, Type, TypeId, Types};
use std::collections::HashSet;

/// Compares by structure. What is incomplete or unprototyped on one side fits everything of its kind.
pub fn compatible(types: &Types, a: TypeId, b: TypeId) -> bool {
    // Pairs that are being compared or were found equal: a circle through pointers is equal unless something differs.
    let mut seen = HashSet::new();
    let mut pending = vec![(a, b)];
    while let Some((a, b)) = pending.pop() {
        if a != b && seen.insert((a, b)) && !same_shape(types, a, b, &mut pending) {
            return false;
        }
    }
    true
}

/// Compares the outermost layer and leaves the inner types to `pending`.
fn same_shape(types: &Types, a: TypeId, b: TypeId, pending: &mut Vec<(TypeId, TypeId)>) -> bool {
    match (types.get(a), types.get(b)) {
        (Type::Error, _) | (_, Type::Error) => true,
        (Type::Pointer(a), Type::Pointer(b)) => {
            pending.push((a.ty, b.ty));
            true
        }
        (Type::Array { element: ea, length: la }, Type::Array { element: eb, length: lb }) => {
            pending.push((ea.ty, eb.ty));
            match (la, lb) {
                (ArrayLength::Known(a), ArrayLength::Known(b)) => a == b,
                _ => true,
            }
        }
        (Type::Function(a), Type::Function(b)) => {
            pending.push((a.result.ty, b.result.ty));
            if !a.prototyped || !b.prototyped {
                return true;
            }
            pending.extend(a.params.iter().zip(&b.params).map(|(a, b)| (a.ty, b.ty)));
            a.params.len() == b.params.len() && a.variadic == b.variadic
        }
        (Type::Record(a), Type::Record(b)) => {
            let (a, b) = (types.record(*a), types.record(*b));
            let (Some(x), Some(y)) = (&a.body, &b.body) else { return a.is_union == b.is_union };
            pending.extend(x.fields.iter().zip(&y.fields).map(|(f, g)| (f.ty.ty, g.ty.ty)));
            a.is_union == b.is_union
                && x.size == y.size
                && x.fields.len() == y.fields.len()
                && x.fields.iter().zip(&y.fields).all(|(f, g)| (f.offset, f.bits) == (g.offset, g.bits))
        }
        (Type::Enum(a), Type::Enum(b)) => types.enumeration(*a).underlying == types.enumeration(*b).underlying,
        (Type::Enum(e), Type::Int(i)) | (Type::Int(i), Type::Enum(e)) => {
            types.enumeration(*e).underlying.is_none_or(|u| u == *i)
        }
        (a, b) => a == b,
    }
}
