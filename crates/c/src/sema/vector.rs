//! GNU vectors: an operator works on each element; a comparison gives a vector of 0 and -1; a number beside a vector stands for each
//! element. Elements are not promoted, so that a sum of characters is a character.

use super::Checker;
use super::convert::is_place;
use super::operators::{OpKind, kind_of};
use crate::ast;
use crate::ctype::{IntType, QualType, Type, TypeId};
use crate::tree::{BinaryOp, CompareOp, Expr, ExprKind, Size};
use norn_ir::source::Loc;

impl Checker<'_> {
    pub(crate) fn is_vector(&self, ty: QualType) -> bool {
        matches!(self.kind(ty), Type::Vector { .. })
    }

    /// An operator of which an operand is a vector.
    pub(super) fn vector_operator(&mut self, op: ast::BinaryOp, l: Expr, r: Expr, loc: Loc) -> Expr {
        let Some((l, r)) = self.vector_operands(op, l, r, loc) else { return self.error_expr(loc) };
        let ty = l.ty;
        let (Some((element, length)), Some(comparison)) = (self.elements_of(ty), self.comparison_type(ty)) else {
            return self.error_expr(loc);
        };
        let result = if matches!(kind_of(op), OpKind::Comparison(_)) { comparison } else { ty };
        if let Some(what) = self.unsupported_values(ty).or(self.unsupported_values(r.ty)) {
            return self.unsupported(what, result, loc);
        }
        let (Some(l), Some(r)) = (self.taken_apart(l), self.taken_apart(r)) else { return self.error_expr(loc) };
        let elements = (0..length).map(|i| {
            let (a, b) = (self.element_at(&l, i), self.element_at(&r, i));
            match kind_of(op) {
                OpKind::Comparison(compare) => self.element_comparison(compare, a, b, result, loc),
                OpKind::Arithmetic(arithmetic) => self.element_arithmetic(arithmetic, a, b, element, loc),
                OpKind::Logical(_) => self.error_expr(loc),
            }
        });
        let elements = elements.collect();
        let value = self.composed(elements, result, loc);
        self.after([l, r], value)
    }

    /// Both operands with as many elements; a number is converted to the type of the other operand's elements.
    fn vector_operands(&mut self, op: ast::BinaryOp, l: Expr, r: Expr, loc: Loc) -> Option<(Expr, Expr)> {
        let (lt, rt) = (l.ty, r.ty);
        let arithmetic = match kind_of(op) {
            OpKind::Arithmetic(arithmetic) => Some(arithmetic),
            OpKind::Comparison(_) => None,
            OpKind::Logical(_) => {
                self.invalid_operands(op, lt, rt, loc);
                return None;
            }
        };
        let is_shift = matches!(arithmetic, Some(BinaryOp::Shl | BinaryOp::Shr));
        let (l, r) = match (self.elements_of(lt), self.elements_of(rt)) {
            (Some((_, m)), Some((_, n))) if m == n && self.size_of(lt) == self.size_of(rt) => (l, r),
            (Some((element, _)), None) if self.is_arithmetic(rt) => {
                let to = if is_shift { self.promoted_type(&r) } else { element };
                (l, self.converted(r, to))
            }
            (None, Some((element, length))) if self.is_arithmetic(lt) => {
                let number = self.converted(l, element);
                let operand = self.taken_apart(number)?;
                let elements = (0..length).map(|i| self.element_at(&operand, i)).collect();
                let vector = self.composed(elements, rt, loc);
                (self.after([operand], vector), r)
            }
            _ => {
                self.invalid_operands(op, lt, rt, loc);
                return None;
            }
        };
        let element = |c: &Self, ty: QualType| c.elements_of(ty).map_or(ty, |(element, _)| element);
        let (le, re) = (element(self, l.ty), element(self, r.ty));
        let integers = self.is_integer(le) && self.is_integer(re);
        let floats_allowed =
            matches!(arithmetic, None | Some(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div));
        let same_floats = floats_allowed && le.ty == re.ty;
        if !integers && !same_floats {
            self.invalid_operands(op, lt, rt, loc);
            return None;
        }
        Some((l, r))
    }

    /// The type of a comparison of vectors: integers with a sign, as wide as the elements.
    fn comparison_type(&mut self, ty: QualType) -> Option<QualType> {
        let (element, length) = self.elements_of(ty)?;
        let int = match self.size_of(element)? {
            1 => IntType::SignedChar,
            2 => IntType::Short,
            4 => IntType::Int,
            8 if self.target.pointer_size() == 8 => IntType::Long,
            8 => IntType::LongLong,
            _ => IntType::Int128,
        };
        let element = TypeId::of_int(int);
        Some(QualType::unqualified(self.types.intern(Type::Vector { element, length })))
    }

    fn element_comparison(&mut self, op: CompareOp, a: Expr, b: Expr, result: QualType, loc: Loc) -> Expr {
        let holds = self.comparison(op, a, b, loc);
        let minus = self.negation(holds, loc);
        let element = self.elements_of(result).map_or(result, |(element, _)| element);
        self.converted(minus, element)
    }

    /// An operation on two elements. Those narrower than `int` are computed without a sign where `int` could overflow.
    fn element_arithmetic(&mut self, op: BinaryOp, a: Expr, b: Expr, element: QualType, loc: Loc) -> Expr {
        let is_narrow = self.is_integer(element) && self.size_of(element).is_some_and(|size| size < 4);
        let wraps = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl);
        let compute = match (is_narrow, wraps) {
            (true, true) => QualType::unqualified(TypeId::UNSIGNED_INT),
            (true, false) => self.int_type(),
            (false, _) => element,
        };
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let a = self.converted(a, compute);
        let b = if is_shift { self.promoted(b) } else { self.converted(b, compute) };
        let value = self.arithmetic(op, a, b, loc);
        self.converted(value, element)
    }

    /// `-v`, `~v` and `+v`.
    pub(super) fn vector_unary(&mut self, op: ast::UnaryOp, e: Expr, loc: Loc) -> Expr {
        let ty = e.ty;
        let Some((element, length)) = self.elements_of(ty) else { return e };
        if op == ast::UnaryOp::BitNot && !self.is_integer(element) {
            let text = self.text(ty);
            self.error(loc, format!("'~' cannot be applied to a value of type {text}"));
            return self.error_expr(loc);
        }
        let Some(operand) = self.taken_apart(e) else { return self.error_expr(loc) };
        let elements = (0..length).map(|i| {
            let value = self.element_at(&operand, i);
            let value = self.promoted(value);
            let value = match op {
                ast::UnaryOp::Minus => self.negation(value, loc),
                ast::UnaryOp::BitNot => self.complement(value, loc),
                _ => value,
            };
            self.converted(value, element)
        });
        let elements = elements.collect();
        let value = self.composed(elements, ty, loc);
        self.after([operand], value)
    }

    /// `v[i]`: a place if `v` is one.
    pub(super) fn vector_element(&mut self, vector: Expr, index: Expr, loc: Loc) -> Expr {
        let Some((element, _)) = self.elements_of(vector.ty) else { return self.error_expr(loc) };
        if !self.is_integer(index.ty) {
            let text = self.text(index.ty);
            self.error(index.loc, format!("an index must be an integer, but this has type {text}"));
            return self.error_expr(loc);
        }
        let was_place = is_place(&vector);
        let element = self.inherit(element, vector.ty.qualifiers);
        let place = self.materialised(vector);
        if self.is_error(place.ty) {
            return place;
        }
        let pointer = self.pointer_to(element);
        let first = self.address(place, pointer, loc);
        let size = Size::Const(self.size_of(element).unwrap_or(1));
        let ty = self.ptrdiff_type();
        let index = self.converted(index, ty);
        let address = self.pointer_add(first, index, size, false, loc);
        let found = self.dereferenced(address, loc);
        if was_place { found } else { self.value_of(found) }
    }

    /// The same bits as another type of the same size, which at least one of the two being a vector allows.
    pub(super) fn same_bits(&mut self, e: Expr, to: QualType) -> Expr {
        let loc = e.loc;
        if let Some(what) = self.unsupported_values(to).or(self.unsupported_values(e.ty)) {
            return self.unsupported(what, to, loc);
        }
        if self.function.is_none() {
            return self.unsupported("a vector taken as another type outside of functions", to, loc);
        }
        let place = self.materialised_value(e);
        if self.is_error(place.ty) {
            return place;
        }
        let kind = ExprKind::Member { base: Box::new(place), offset: 0, bits: None };
        let ty = QualType::unqualified(to.ty);
        self.load(Expr { kind, ty, loc })
    }

    /// A temporary in memory with a value.
    fn materialised_value(&mut self, e: Expr) -> Expr {
        let place = match e.kind {
            ExprKind::Load(place) if !place.ty.qualifiers.is_volatile && !place.ty.qualifiers.is_atomic => *place,
            kind => self.materialised(Expr { kind, ..e }),
        };
        let pointer = self.pointer_to(place.ty);
        let loc = place.loc;
        let address = self.address(place, pointer, loc);
        self.dereferenced(address, loc)
    }

    /// Whether a value of one type can be had as another, bit by bit.
    pub(super) fn have_same_bits(&self, from: QualType, to: QualType) -> bool {
        let fits = |ty| self.is_vector(ty) || self.is_integer(ty);
        (self.is_vector(from) || self.is_vector(to)) && fits(from) && fits(to) && self.size_of(from) == self.size_of(to)
    }

    /// `__builtin_shuffle(a, mask)` and `__builtin_shuffle(a, b, mask)`.
    pub(crate) fn shuffled(&mut self, vectors: Vec<Expr>, mask: Expr, loc: Loc) -> Expr {
        let invalid = |c: &mut Self| {
            c.error(loc, "'__builtin_shuffle' takes one or two vectors of a type, and a vector of as many integers");
            c.error_expr(loc)
        };
        let Some(ty) = vectors.first().map(|v| v.ty) else { return invalid(self) };
        let (Some((_, length)), Some((index, count))) = (self.elements_of(ty), self.elements_of(mask.ty)) else {
            return invalid(self);
        };
        if length != count || !self.is_integer(index) || !vectors.iter().all(|v| v.ty.ty == ty.ty && self.is_vector(ty))
        {
            return invalid(self);
        }
        let total = vectors.len() as u64 * length;
        let Some(mask) = self.taken_apart(mask) else { return self.error_expr(loc) };
        // A place for each vector: its elements are chosen by a number that only running tells.
        let mut places = Vec::new();
        let mut fills = Vec::new();
        for vector in vectors {
            let Some(var) = self.temporary(ty, loc) else { return self.error_expr(loc) };
            fills.push(self.assignment(self.var(var, loc), vector, loc));
            places.push(var);
        }
        let mut elements = Vec::new();
        for i in 0..length {
            let number = |c: &mut Self, bits: u64| {
                let chosen = c.element_at(&mask, i);
                let bits = c.int_constant(i128::from(bits), index, loc);
                let (chosen, bits) = c.usual_conversions(chosen, bits);
                c.arithmetic(BinaryOp::And, chosen, bits, loc)
            };
            let from = |c: &mut Self, which: usize| {
                let at = number(c, length - 1);
                let place = c.var(places[which], loc);
                let element = c.vector_element(place, at, loc);
                c.value_of(element)
            };
            let first = from(self, 0);
            elements.push(if places.len() == 1 {
                first
            } else {
                let chosen = number(self, total - 1);
                let bound = self.int_constant(i128::from(length), chosen.ty, loc);
                let condition = self.comparison(CompareOp::Lt, chosen, bound, loc);
                let second = from(self, 1);
                let ty = first.ty;
                let (condition, then, otherwise) = (Box::new(condition), Box::new(first), Box::new(second));
                Expr { kind: ExprKind::Conditional { condition, then, otherwise }, ty, loc }
            });
        }
        let value = self.composed(elements, ty, loc);
        let value = self.after([mask], value);
        fills.into_iter().rev().fold(value, |rest, fill| self.comma(fill, rest))
    }
}
