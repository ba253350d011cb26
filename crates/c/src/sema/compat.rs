//! Compatible and composite types (C11 6.2.7), and qualifiers.

use super::Checker;
use crate::ast::Qualifiers;
use crate::ctype::{ArrayLength, FunctionType, QualType, Type, TypeId};

impl Checker<'_> {
    /// The type with more qualifiers; those of an array go to its element.
    pub(crate) fn qualified(&mut self, ty: QualType, added: Qualifiers) -> QualType {
        if added == Qualifiers::default() {
            return ty;
        }
        if let Type::Array { element, length } = *self.kind(ty) {
            let element = self.qualified(element, added);
            return QualType::unqualified(self.types.intern(Type::Array { element, length }));
        }
        QualType { ty: ty.ty, qualifiers: union(ty.qualifiers, added) }
    }

    pub(super) fn compatible_qualified(&self, a: QualType, b: QualType) -> bool {
        a.qualifiers.is_const == b.qualifiers.is_const
            && a.qualifiers.is_volatile == b.qualifiers.is_volatile
            && a.qualifiers.is_atomic == b.qualifiers.is_atomic
            && self.compatible(a.ty, b.ty)
    }

    /// Whether two unqualified types are compatible. What was already reported is compatible with everything.
    pub(crate) fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        if a == b || a == TypeId::ERROR || b == TypeId::ERROR {
            return true;
        }
        match (self.types.get(a), self.types.get(b)) {
            (Type::Enum(id), Type::Int(int)) | (Type::Int(int), Type::Enum(id)) => {
                self.types.enumeration(*id).underlying.is_none_or(|u| u == *int)
            }
            (Type::Pointer(a), Type::Pointer(b)) => self.compatible_qualified(*a, *b),
            (Type::Array { element: a, length: m }, Type::Array { element: b, length: n }) => {
                let lengths = match (m, n) {
                    (ArrayLength::Known(m), ArrayLength::Known(n)) => m == n,
                    _ => true,
                };
                lengths && self.compatible_qualified(*a, *b)
            }
            (Type::Function(f), Type::Function(g)) => self.compatible_functions(f, g),
            _ => false,
        }
    }

    fn compatible_functions(&self, f: &FunctionType, g: &FunctionType) -> bool {
        if !self.compatible(f.result.ty, g.result.ty) {
            return false;
        }
        match (f.prototyped, g.prototyped) {
            (true, true) => {
                f.variadic == g.variadic
                    && f.params.len() == g.params.len()
                    && f.params.iter().zip(&g.params).all(|(p, q)| self.compatible(p.ty, q.ty))
            }
            (true, false) => self.fits_promoted(f, g),
            (false, true) => self.fits_promoted(g, f),
            (false, false) => true,
        }
    }

    /// Whether a prototype describes calls of a function without one. A K&R definition's parameters are known, but
    /// compilers accept any prototype whose parameters have those types, promoted or not.
    fn fits_promoted(&self, prototype: &FunctionType, old: &FunctionType) -> bool {
        old.params.is_empty() || old.params.len() == prototype.params.len()
    }

    /// The type that knows what both of two compatible types know.
    pub(super) fn composite(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if a == b || b == TypeId::ERROR {
            return a;
        }
        match (self.types.get(a).clone(), self.types.get(b).clone()) {
            (Type::Pointer(p), Type::Pointer(q)) => {
                let ty = self.composite(p.ty, q.ty);
                self.types.intern(Type::Pointer(QualType { ty, qualifiers: p.qualifiers }))
            }
            (Type::Array { element: p, length: m }, Type::Array { element: q, length: n }) => {
                let length = match (m, n) {
                    (ArrayLength::Known(_), _) => m,
                    (_, ArrayLength::Known(_)) => n,
                    (ArrayLength::Unknown, _) => n,
                    _ => m,
                };
                let ty = self.composite(p.ty, q.ty);
                let element = QualType { ty, qualifiers: p.qualifiers };
                self.types.intern(Type::Array { element, length })
            }
            (Type::Function(f), Type::Function(g)) => {
                let result = QualType::unqualified(self.composite(f.result.ty, g.result.ty));
                let (known, other) = if f.prototyped { (f, g) } else { (g, f) };
                let mut params = known.params;
                if other.prototyped && other.params.len() == params.len() {
                    for (param, more) in params.iter_mut().zip(&other.params) {
                        param.ty = self.composite(param.ty, more.ty);
                    }
                }
                let (variadic, prototyped) = (known.variadic, known.prototyped);
                self.types.intern(Type::Function(FunctionType { result, params, variadic, prototyped }))
            }
            _ => a,
        }
    }
}

pub(super) fn union(a: Qualifiers, b: Qualifiers) -> Qualifiers {
    Qualifiers {
        is_const: a.is_const || b.is_const,
        is_volatile: a.is_volatile || b.is_volatile,
        is_restrict: a.is_restrict || b.is_restrict,
        is_atomic: a.is_atomic || b.is_atomic,
    }
}
