//! Compatible and composite types (C11 6.2.7), and qualifiers.

use super::Checker;
use crate::ast::Qualifiers;
use crate::ctype::{ArrayLength, FloatType, FunctionType, QualType, Type, TypeId};

/// Types are trees with shared branches; walking two different ones side by side may take exponential time. After so
/// many steps they are taken as equal.
const MAX_STEPS: u32 = 100_000;

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
        self.same_qualified(a, b, &mut MAX_STEPS.clone())
    }

    /// Whether two unqualified types are compatible. What was already reported is compatible with everything.
    pub(crate) fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        self.same(a, b, &mut MAX_STEPS.clone())
    }

    fn same_qualified(&self, a: QualType, b: QualType, steps: &mut u32) -> bool {
        a.qualifiers.is_const == b.qualifiers.is_const
            && a.qualifiers.is_volatile == b.qualifiers.is_volatile
            && a.qualifiers.is_atomic == b.qualifiers.is_atomic
            && self.same(a.ty, b.ty, steps)
    }

    fn same(&self, a: TypeId, b: TypeId, steps: &mut u32) -> bool {
        if a == b || a == TypeId::ERROR || b == TypeId::ERROR || *steps == 0 {
            return true;
        }
        *steps -= 1;
        match (self.types.get(a), self.types.get(b)) {
            (Type::Enum(id), Type::Int(int)) | (Type::Int(int), Type::Enum(id)) => {
                self.types.enumeration(*id).underlying.is_none_or(|u| u == *int)
            }
            (Type::Pointer(a), Type::Pointer(b)) => self.same_qualified(*a, *b, steps),
            (Type::Array { element: a, length: m }, Type::Array { element: b, length: n }) => {
                let lengths = match (m, n) {
                    (ArrayLength::Known(m), ArrayLength::Known(n)) => m == n,
                    _ => true,
                };
                lengths && self.same_qualified(*a, *b, steps)
            }
            (Type::Function(f), Type::Function(g)) => self.same_functions(f, g, steps),
            _ => false,
        }
    }

    fn same_functions(&self, f: &FunctionType, g: &FunctionType, steps: &mut u32) -> bool {
        if !self.same(f.result.ty, g.result.ty, steps) {
            return false;
        }
        match (f.prototyped, g.prototyped) {
            (true, true) => {
                f.variadic == g.variadic
                    && f.params.len() == g.params.len()
                    && f.params.iter().zip(&g.params).all(|(p, q)| self.same(p.ty, q.ty, steps))
            }
            // A K&R definition's parameters are known, but compilers accept any prototype with as many.
            (true, false) => self.fits_unknown(f, g),
            (false, true) => self.fits_unknown(g, f),
            (false, false) => true,
        }
    }

    /// Whether a prototype agrees with a declaration without parameters: it must take what callers pass by default.
    fn fits_unknown(&self, prototype: &FunctionType, other: &FunctionType) -> bool {
        let is_promoted = |p: &QualType| match self.types.get(p.ty) {
            Type::Int(int) => int.size(self.target) >= 4,
            Type::Bool | Type::Float(FloatType::Float) => false,
            _ => true,
        };
        if other.params.is_empty() {
            !prototype.variadic && prototype.params.iter().all(is_promoted)
        } else {
            other.params.len() == prototype.params.len()
        }
    }

    /// The type that knows what both of two compatible types know.
    pub(super) fn composite(&mut self, a: TypeId, b: TypeId) -> TypeId {
        self.joined(a, b, &mut MAX_STEPS.clone())
    }

    fn joined(&mut self, a: TypeId, b: TypeId, steps: &mut u32) -> TypeId {
        if a == b || b == TypeId::ERROR || *steps == 0 {
            return a;
        }
        *steps -= 1;
        match (self.types.get(a).clone(), self.types.get(b).clone()) {
            (Type::Pointer(p), Type::Pointer(q)) => {
                let ty = self.joined(p.ty, q.ty, steps);
                self.types.intern(Type::Pointer(QualType { ty, qualifiers: p.qualifiers }))
            }
            (Type::Array { element: p, length: m }, Type::Array { element: q, length: n }) => {
                let length = match (m, n) {
                    (ArrayLength::Known(_), _) => m,
                    (_, ArrayLength::Known(_)) => n,
                    (ArrayLength::Unknown, _) => n,
                    _ => m,
                };
                let ty = self.joined(p.ty, q.ty, steps);
                let element = QualType { ty, qualifiers: p.qualifiers };
                self.types.intern(Type::Array { element, length })
            }
            (Type::Function(f), Type::Function(g)) => {
                let result = QualType::unqualified(self.joined(f.result.ty, g.result.ty, steps));
                let (known, other) = if f.prototyped { (f, g) } else { (g, f) };
                let mut params = known.params;
                if other.prototyped && other.params.len() == params.len() {
                    for (param, more) in params.iter_mut().zip(&other.params) {
                        param.ty = self.joined(param.ty, more.ty, steps);
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
