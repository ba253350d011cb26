//! Conversions: from places to values, promotions, the usual arithmetic conversions, and as if by assignment.

use super::Checker;
use crate::ctype::{FloatType, IntType, QualType, Type, TypeId};
use crate::tree::{Builtin, CompareOp, Expr, ExprKind, Init, InitPart, InitValue};
use norn_ir::diag::Diagnostic;
use norn_ir::number::{low_64, toward_zero};
use norn_ir::source::Loc;

/// Why a value is converted; messages say so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Context {
    Assigning,
    Initialising,
    /// The argument of this number, from 1.
    Passing(usize),
    Returning,
}

impl Context {
    fn verb(self) -> String {
        match self {
            Context::Assigning => "assigning".to_owned(),
            Context::Initialising => "initialising".to_owned(),
            Context::Passing(n) => format!("passing argument {n}"),
            Context::Returning => "returning".to_owned(),
        }
    }
}

impl Checker<'_> {
    /// The value of an expression: places are loaded, arrays and functions become pointers.
    pub(crate) fn value_of(&mut self, e: Expr) -> Expr {
        let loc = e.loc;
        match *self.kind(e.ty) {
            Type::Array { element, .. } => {
                let ty = self.pointer_to(element);
                let place = self.materialised(e);
                self.address(place, ty, loc)
            }
            Type::Function(_) => {
                let ty = self.pointer_to(QualType::unqualified(e.ty.ty));
                match e.kind {
                    ExprKind::Function(id) if self.nested.contains_key(&id) => self.nested_pointer(id, ty, loc),
                    ExprKind::Deref(pointer) => Expr { ty, ..*pointer },
                    kind => Expr { kind, ty, loc },
                }
            }
            Type::Error => self.error_expr(loc),
            _ if !is_place(&e) => e,
            Type::Void => match e.kind {
                ExprKind::Deref(pointer) => Expr { kind: ExprKind::Convert(pointer), ty: self.void_type(), loc },
                kind => Expr { kind, ty: self.void_type(), loc },
            },
            Type::Record(_) if self.size_of(e.ty).is_none() => {
                let text = self.text(e.ty);
                self.error(loc, format!("a value of the incomplete type {text} is used"));
                self.error_expr(loc)
            }
            _ => self.load(e),
        }
    }

    /// A place that holds the given expression: itself, or a temporary if it (or what it is a member of) is a value.
    pub(super) fn materialised(&mut self, e: Expr) -> Expr {
        if is_place(&e) {
            return e;
        }
        match e.kind {
            ExprKind::Member { base, offset, bits } => {
                let base = Box::new(self.materialised(*base));
                Expr { kind: ExprKind::Member { base, offset, bits }, ..e }
            }
            _ => match self.temporary(QualType::unqualified(e.ty.ty), e.loc) {
                Some(var) => {
                    let (ty, loc) = (e.ty, e.loc);
                    Expr { kind: ExprKind::CompoundLiteral(var, Box::new(Init::Expr(e))), ty, loc }
                }
                None => self.error_expr(e.loc),
            },
        }
    }

    /// The integer promotions; other types stay as they are.
    pub(super) fn promoted(&mut self, e: Expr) -> Expr {
        let ty = self.promoted_type(&e);
        self.converted(e, ty)
    }

    pub(super) fn promoted_type(&self, e: &Expr) -> QualType {
        let Some(int) = self.types.int_type(e.ty.ty) else { return e.ty };
        if let Some((width, signed)) = self.bit_field_width(e) {
            // A bit-field whose values all fit into int becomes one, whatever type it was declared with.
            if width < 32 || (width == 32 && signed) {
                return self.int_type();
            }
            if width == 32 {
                return QualType::unqualified(TypeId::UNSIGNED_INT);
            }
        }
        QualType::unqualified(TypeId::of_int(promoted_int(int)))
    }

    pub(super) fn bit_field_width(&self, e: &Expr) -> Option<(u32, bool)> {
        let place = match &e.kind {
            ExprKind::Load(place) | ExprKind::Assign(place, _) | ExprKind::Update { place, .. } => place,
            ExprKind::Comma(_, second) => return self.bit_field_width(second),
            ExprKind::Reduced(_, width) => return Some((*width, self.is_signed(e.ty))),
            ExprKind::Member { .. } => e,
            _ => return None,
        };
        match place.kind {
            ExprKind::Member { bits: Some(bits), .. } => Some((bits.width, self.is_signed(place.ty))),
            _ => None,
        }
    }

    /// What an argument becomes when there is no parameter for it.
    pub(crate) fn default_promoted(&mut self, e: Expr) -> Expr {
        match self.kind(e.ty) {
            Type::Float(FloatType::Float) => self.converted(e, QualType::unqualified(TypeId::DOUBLE)),
            _ => self.promoted(e),
        }
    }

    /// The usual arithmetic conversions of two arithmetic values.
    pub(crate) fn usual_conversions(&mut self, lhs: Expr, rhs: Expr) -> (Expr, Expr) {
        let ty = self.operation_type(&lhs, &rhs);
        (self.operand(lhs, ty), self.operand(rhs, ty))
    }

    /// The common type of two promoted arithmetic types.
    pub(crate) fn common_type(&self, l: TypeId, r: TypeId) -> TypeId {
        for ty in [TypeId::ERROR, TypeId::QUAD, TypeId::HALF, TypeId::LONG_DOUBLE, TypeId::DOUBLE, TypeId::FLOAT] {
            if l == ty || r == ty {
                return ty;
            }
        }
        let (Some(l), Some(r)) = (self.types.int_type(l), self.types.int_type(r)) else { return TypeId::ERROR };
        let (l, r) = (promoted_int(l), promoted_int(r));
        let (high, low) = if l.rank() >= r.rank() { (l, r) } else { (r, l) };
        let int = if high.is_signed() == low.is_signed() || !high.is_signed() {
            high
        } else if high.rank() == low.rank() {
            low
        } else if high.size(self.target) > low.size(self.target) {
            high
        } else {
            high.to_unsigned()
        };
        TypeId::of_int(int)
    }

    /// A value in another arithmetic or pointer type, or as `void`. No constraints are checked.
    pub(crate) fn converted(&mut self, e: Expr, to: QualType) -> Expr {
        let to = QualType::unqualified(to.ty);
        if e.ty.ty == to.ty {
            return e;
        }
        if self.is_error(e.ty) || self.is_error(to) {
            return self.error_expr(e.loc);
        }
        let loc = e.loc;
        if to.ty != TypeId::VOID && (self.is_complex(to) || self.is_complex(e.ty)) {
            return self.complex_conversion(e, to);
        }
        if self.have_same_bits(e.ty, to) {
            return self.same_bits(e, to);
        }
        let e = self.with_element(e, to);
        if to.ty == TypeId::BOOL
            && let ExprKind::Builtin(builtin) = &e.kind
            && matches!(**builtin, Builtin::Nondet(_))
        {
            // Any number, taken as a truth value, is any truth value: two possibilities instead of 2^32.
            return Expr { ty: to, ..e };
        }
        // A constant that a double holds is the same number as a long double.
        if to.ty == TypeId::LONG_DOUBLE {
            let value = match e.kind {
                ExprKind::Float(value) => Some(value),
                ExprKind::Int(bits) => {
                    let number = self.number_of(bits, e.ty);
                    (number.abs() <= 1 << 53).then_some(number as f64)
                }
                _ => None,
            };
            if let Some(value) = value {
                return Expr { kind: ExprKind::Float(value), ty: to, loc };
            }
        }
        if to.ty != TypeId::VOID
            && let Some(what) = self.unsupported_values(to).or(self.unsupported_values(e.ty))
        {
            return self.unsupported(what, to, loc);
        }
        let involves = self.is_long_double(to) || self.is_long_double(e.ty);
        match self.fold_conversion(&e, to).filter(|_| !self.is_long_double(to)) {
            Some(kind) => Expr { kind, ty: to, loc },
            None if involves && to.ty != TypeId::VOID => self.long_double_conversion(e, to),
            None => Expr { kind: ExprKind::Convert(Box::new(e)), ty: to, loc },
        }
    }

    /// `(T *)malloc(…)`, by a cast or by assignment, tells what the memory is for.
    fn with_element(&self, mut e: Expr, to: QualType) -> Expr {
        if let ExprKind::Builtin(builtin) = &mut e.kind
            && let Builtin::Alloc { element: element @ None, .. } = &mut **builtin
            && let Some(pointee) = self.pointee(to)
            && self.size_of(pointee).is_some_and(|size| size > 0)
            && pointee.ty != TypeId::VOID
        {
            *element = Some(pointee);
        }
        e
    }

    fn fold_conversion(&self, e: &Expr, to: QualType) -> Option<ExprKind> {
        let to_float = matches!(self.kind(to), Type::Float(_));
        match e.kind {
            _ if to.ty == TypeId::VOID || self.is_wide(to) => None,
            ExprKind::Int(bits) if to.ty == TypeId::BOOL => Some(ExprKind::Int(u64::from(bits != 0))),
            ExprKind::Int(bits) if to_float => {
                let number = self.number_of(bits, e.ty);
                Some(ExprKind::Float(match self.kind(to) {
                    Type::Float(FloatType::Float) => f64::from(number as f32),
                    _ => number as f64,
                }))
            }
            ExprKind::Int(bits) => Some(ExprKind::Int(self.cut(low_64(self.number_of(bits, e.ty)), to))),
            ExprKind::Float(value) if to.ty == TypeId::BOOL => Some(ExprKind::Int(u64::from(value != 0.0))),
            ExprKind::Float(value) if to_float => Some(ExprKind::Float(self.round(value, to))),
            ExprKind::Float(value) => {
                let number = toward_zero(value);
                let exact = value.is_finite() && self.fits(number, to);
                exact.then(|| ExprKind::Int(self.cut(low_64(number), to)))
            }
            _ => None,
        }
    }

    /// A condition: any scalar value.
    pub(super) fn condition(&mut self, e: Expr, what: &str) -> Expr {
        let e = self.value_of(e);
        if self.is_complex(e.ty) {
            return self.complex_truth(e);
        }
        if self.is_long_double(e.ty) && !matches!(e.kind, ExprKind::Float(_)) {
            let zero = Expr { kind: ExprKind::Float(0.0), ty: e.ty, loc: e.loc };
            let loc = e.loc;
            return self.comparison(CompareOp::Ne, e, zero, loc);
        }
        if self.is_scalar(e.ty) || self.is_error(e.ty) {
            if let Some(what) = self.unsupported_values(e.ty) {
                return self.unsupported(what, self.int_type(), e.loc);
            }
            return e;
        }
        let text = self.text(e.ty);
        self.error(e.loc, format!("{what} must be a number or a pointer, but has type {text}"));
        self.error_expr(e.loc)
    }

    /// Whether a value is a null pointer constant.
    pub(crate) fn is_null_constant(&self, e: &Expr) -> bool {
        matches!(e.kind, ExprKind::Int(0))
            && (self.is_integer(e.ty) || self.pointee(e.ty).is_some_and(|p| p == QualType::unqualified(TypeId::VOID)))
    }

    /// A value converted as if by assignment to an object of type `to`.
    pub(crate) fn convert_to(&mut self, e: Expr, to: QualType, context: Context) -> Expr {
        let e = self.value_of(e);
        let (from, loc) = (e.ty, e.loc);
        if from.ty == to.ty {
            return e;
        }
        if self.is_error(from) || self.is_error(to) {
            return self.error_expr(loc);
        }
        let verb = context.verb();
        if from.ty == TypeId::VOID {
            self.error(loc, format!("{verb} needs a value, but this expression has type 'void'"));
            return self.error_expr(loc);
        }
        match (self.kind(from), self.kind(to)) {
            (Type::Pointer(p), Type::Pointer(q)) => {
                let (p, q) = (*p, *q);
                if !self.pointers_mix(p, q) && !self.is_null_constant(&e) {
                    let (from, to) = (self.text(from), self.text(to));
                    self.warn(loc, format!("{verb}: incompatible pointer types {from} and {to}"));
                }
            }
            (Type::Pointer(_), Type::Bool) => {}
            (Type::Pointer(_), _) if self.is_integer(to) => {
                let (from, to) = (self.text(from), self.text(to));
                self.warn(loc, format!("{verb}: pointer {from} becomes integer {to} without a cast"));
            }
            (_, Type::Pointer(_)) if self.is_integer(from) => {
                if !self.is_null_constant(&e) {
                    let (from, to) = (self.text(from), self.text(to));
                    self.warn(loc, format!("{verb}: integer {from} becomes pointer {to} without a cast"));
                }
            }
            (Type::Record(_), Type::Record(_)) if self.compatible(from.ty, to.ty) => return e,
            (_, Type::Record(id)) if matches!(context, Context::Passing(_)) && self.transparent_unions.contains(id) => {
                return self.transparent_argument(e, to);
            }
            _ if self.is_arithmetic(from) && self.is_arithmetic(to) => {}
            _ if self.with_complex(from, to) => {}
            _ if self.is_vector(from) && self.is_vector(to) && self.have_same_bits(from, to) => {}
            _ => {
                let (from, to) = (self.text(from), self.text(to));
                self.report(
                    Diagnostic::error(loc, format!("{verb}: a value of type {from} does not convert to {to}"))
                        .saying(format!("has type {from}")),
                );
                return self.error_expr(loc);
            }
        }
        self.converted(e, to)
    }

    /// Whether pointers to the two types may be mixed without a word. Qualifiers are not looked at.
    pub(super) fn pointers_mix(&self, p: QualType, q: QualType) -> bool {
        if p.ty == TypeId::VOID || q.ty == TypeId::VOID || self.compatible(p.ty, q.ty) {
            return true;
        }
        match (self.kind(p), self.kind(q)) {
            // Signedness is a matter of taste to compilers.
            (Type::Int(a), Type::Int(b)) => a.to_unsigned() == b.to_unsigned(),
            (Type::Pointer(p), Type::Pointer(q)) => {
                p.ty != TypeId::VOID && q.ty != TypeId::VOID && self.pointers_mix(*p, *q)
            }
            (Type::Array { element: p, .. }, Type::Array { element: q, .. }) => self.compatible(p.ty, q.ty),
            _ => false,
        }
    }

    /// An argument for a parameter whose type is a union with the attribute `transparent_union`: wraps the value in the
    /// union, as the member that it fits.
    fn transparent_argument(&mut self, e: Expr, to: QualType) -> Expr {
        let fields: Vec<QualType> =
            self.types.record_body(to.ty).map_or(Vec::new(), |b| b.fields.iter().map(|f| f.ty).collect());
        let from = e.ty;
        let fitting = fields.iter().copied().find(|&f| {
            self.compatible(f.ty, from.ty)
                || match (self.pointee(f), self.pointee(from)) {
                    (Some(p), Some(q)) => self.pointers_mix(p, q),
                    (Some(_), None) => self.is_null_constant(&e),
                    _ => false,
                }
        });
        let Some(ty) = fitting else {
            let (from, to) = (self.text(from), self.text(to));
            self.error(e.loc, format!("a value of type {from} fits no member of {to}"));
            return self.error_expr(e.loc);
        };
        let loc = e.loc;
        let value = self.converted(e, ty);
        let Some(var) = self.temporary(to, loc) else { return self.error_expr(loc) };
        let part = InitPart { offset: 0, bits: None, ty, value: InitValue::Expr(value) };
        let kind = ExprKind::CompoundLiteral(var, Box::new(Init::List(vec![part])));
        self.load(Expr { kind, ty: to, loc })
    }

    /// An explicit cast.
    pub(crate) fn cast(&mut self, e: Expr, to: QualType, loc: Loc) -> Expr {
        if to.ty == TypeId::VOID {
            let e = if is_place(&e) && (self.is_record(e.ty) || matches!(self.kind(e.ty), Type::Array { .. })) {
                // Nothing is read by `(void)s`.
                let ty = self.pointer_to(e.ty);
                let unmarked = self.unevaluated;
                self.unevaluated = 1;
                let e = self.address(e, ty, loc);
                self.unevaluated = unmarked;
                e
            } else {
                self.value_of(e)
            };
            return Expr { kind: ExprKind::Convert(Box::new(e)), ty: self.void_type(), loc };
        }
        let mut e = self.value_of(e);
        let from = e.ty;
        if self.is_error(from) || self.is_error(to) {
            return self.error_expr(loc);
        }
        let floats = |c: &Checker<'_>, t: QualType| matches!(c.kind(t), Type::Float(_) | Type::Half | Type::Quad);
        let fine = self.is_scalar(from)
            && self.is_scalar(to)
            && !(self.is_pointer(from) && floats(self, to))
            && !(self.is_pointer(to) && floats(self, from));
        if self.with_complex(from, to) || self.have_same_bits(from, to) || (from.ty == to.ty && self.is_vector(to)) {
            return self.converted(e, to);
        }
        if !fine {
            if from.ty == to.ty && self.is_record(to) {
                return e;
            }
            if let Type::Record(id) = *self.kind(to)
                && self.types.record(id).is_union
                && self.types.record_body(to.ty).is_some_and(|b| b.fields.iter().any(|f| f.ty.ty == from.ty))
            {
                return self.unsupported("a cast to a union type", to, loc);
            }
            let (from, to) = (self.text(from), self.text(to));
            self.error(loc, format!("a value of type {from} cannot be cast to {to}"));
            return self.error_expr(loc);
        }
        e.loc = loc;
        // After a cast to its own type a bit-field is no bit-field any more: it is promoted as that type.
        if from.ty == to.ty && self.bit_field_width(&e).is_some() {
            let ty = QualType::unqualified(to.ty);
            return Expr { kind: ExprKind::Convert(Box::new(e)), ty, loc };
        }
        self.converted(e, to)
    }
}

/// Whether an expression denotes an object.
pub(crate) fn is_place(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(_) | ExprKind::Object(_) | ExprKind::Deref(_) | ExprKind::CompoundLiteral(..) => true,
        ExprKind::Member { base, .. } => is_place(base),
        _ => false,
    }
}

fn promoted_int(int: IntType) -> IntType {
    if int.rank() < IntType::Int.rank() { IntType::Int } else { int }
}
