//! Builders for nodes of the typed tree. They fold constants where that hides nothing from later checks.

use super::Checker;
use crate::ctype::{FloatType, QualType, Type, TypeId};
use crate::tree::{BinaryOp, Builtin, CompareOp, Expr, ExprKind, Size, VarId};
use norn_ir::number::{low_64, nearest_f32};
use norn_ir::source::Loc;

impl Checker<'_> {
    pub(crate) fn error_expr(&self, loc: Loc) -> Expr {
        Expr { kind: ExprKind::Int(0), ty: QualType::unqualified(TypeId::ERROR), loc }
    }

    /// A constant of integer, `_Bool` or pointer type. One of 128 bits is a conversion of 64 bits, or put together of two.
    pub(crate) fn int_constant(&self, value: i128, ty: QualType, loc: Loc) -> Expr {
        if self.is_wide(ty) {
            return self.wide_constant(value, QualType::unqualified(ty.ty), loc);
        }
        let bits = self.cut(low_64(value), ty);
        Expr { kind: ExprKind::Int(bits), ty: QualType::unqualified(ty.ty), loc }
    }

    fn wide_constant(&self, value: i128, ty: QualType, loc: Loc) -> Expr {
        let convert = |value: i128, from: TypeId| {
            let number = self.int_constant(value, QualType::unqualified(from), loc);
            Expr { kind: ExprKind::Convert(Box::new(number)), ty, loc }
        };
        if i64::try_from(value).is_ok() {
            return convert(value, TypeId::LONG_LONG);
        }
        let low = convert(value & i128::from(u64::MAX), TypeId::UNSIGNED_LONG_LONG);
        if u64::try_from(value).is_ok() {
            return low;
        }
        let high = convert(value >> 64, TypeId::LONG_LONG);
        let bits = self.int_constant(64, self.int_type(), loc);
        let high = Expr { kind: ExprKind::Binary(BinaryOp::Shl, Box::new(high), Box::new(bits)), ty, loc };
        Expr { kind: ExprKind::Binary(BinaryOp::Or, Box::new(high), Box::new(low)), ty, loc }
    }

    pub(crate) fn unsupported(&self, what: impl Into<String>, ty: QualType, loc: Loc) -> Expr {
        let kind = ExprKind::Builtin(Box::new(Builtin::Unsupported(what.into())));
        Expr { kind, ty: QualType::unqualified(ty.ty), loc }
    }

    pub(crate) fn builtin(&self, builtin: Builtin, ty: QualType, loc: Loc) -> Expr {
        Expr { kind: ExprKind::Builtin(Box::new(builtin)), ty, loc }
    }

    /// Bits of a value of a scalar type.
    pub(super) fn width(&self, ty: QualType) -> u32 {
        match self.kind(ty) {
            Type::Bool => 1,
            _ if self.is_wide(ty) => 128,
            _ => (self.size_of(ty).unwrap_or(8) * 8).min(64) as u32,
        }
    }

    pub(super) fn is_signed(&self, ty: QualType) -> bool {
        match self.kind(ty) {
            Type::Bool | Type::Pointer(_) => false,
            _ => self.types.int_type(ty.ty).is_some_and(|int| int.is_signed()),
        }
    }

    /// `bits` cut to the width of the type.
    pub(super) fn cut(&self, bits: u64, ty: QualType) -> u64 {
        match self.width(ty) {
            64.. => bits,
            width => bits & ((1 << width) - 1),
        }
    }

    /// The number that the bits of a constant of this type stand for; no constant has 128 bits.
    pub(crate) fn number_of(&self, bits: u64, ty: QualType) -> i128 {
        let width = self.width(ty).min(64);
        if self.is_signed(ty) && bits >> (width - 1) & 1 == 1 {
            i128::from(bits) - (1 << width)
        } else {
            i128::from(bits)
        }
    }

    pub(super) fn fits(&self, value: i128, ty: QualType) -> bool {
        let width = self.width(ty);
        match self.is_signed(ty) {
            _ if width == 128 => true,
            true => value >= -(1 << (width - 1)) && value < 1 << (width - 1),
            false => value >= 0 && value < 1 << width,
        }
    }

    pub(crate) fn var(&self, var: VarId, loc: Loc) -> Expr {
        let ty = self.function.as_ref().map_or(QualType::unqualified(TypeId::ERROR), |f| f.vars[var.0 as usize].ty);
        Expr { kind: ExprKind::Var(var), ty, loc }
    }

    pub(crate) fn load(&self, place: Expr) -> Expr {
        let (ty, loc) = (QualType::unqualified(place.ty.ty), place.loc);
        if let Some(what) = self.unsupported_values(ty) {
            return self.unsupported(what, ty, loc);
        }
        Expr { kind: ExprKind::Load(Box::new(place)), ty, loc }
    }

    /// What a pointer points to.
    pub(crate) fn deref(&self, pointer: Expr, loc: Loc) -> Expr {
        let ty = self.pointee(pointer.ty).unwrap_or(QualType::unqualified(TypeId::ERROR));
        Expr { kind: ExprKind::Deref(Box::new(pointer)), ty, loc }
    }

    /// The address of a place as a value of the given pointer type.
    pub(crate) fn address(&mut self, place: Expr, ty: QualType, loc: Loc) -> Expr {
        self.mark_address_taken(&place);
        if let Some(bits) = constant_place(&place) {
            return self.int_constant(i128::from(bits), ty, loc);
        }
        match place.kind {
            ExprKind::Deref(pointer) => Expr { ty, ..*pointer },
            kind => {
                let place = Box::new(Expr { kind, ..place });
                Expr { kind: ExprKind::AddressOf(place), ty, loc }
            }
        }
    }

    fn mark_address_taken(&mut self, place: &Expr) {
        if self.unevaluated > 0 {
            return;
        }
        let mut place = place;
        loop {
            match &place.kind {
                ExprKind::Member { base, .. } => place = base,
                ExprKind::Var(var) | ExprKind::CompoundLiteral(var, _) => {
                    if let Some(function) = &mut self.function {
                        function.vars[var.0 as usize].address_taken = true;
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    pub(crate) fn comma(&self, first: Expr, second: Expr) -> Expr {
        let (ty, loc) = (second.ty, second.loc);
        Expr { kind: ExprKind::Comma(Box::new(first), Box::new(second)), ty, loc }
    }

    pub(crate) fn assignment(&self, place: Expr, value: Expr, loc: Loc) -> Expr {
        let ty = QualType::unqualified(place.ty.ty);
        Expr { kind: ExprKind::Assign(Box::new(place), Box::new(value)), ty, loc }
    }

    /// An arithmetic operation in the type of the left operand.
    pub(crate) fn arithmetic(&self, op: BinaryOp, lhs: Expr, rhs: Expr, loc: Loc) -> Expr {
        let ty = lhs.ty;
        if let Some(what) = self.unsupported_values(ty).or(self.unsupported_values(rhs.ty)) {
            return self.unsupported(what, ty, loc);
        }
        if self.is_long_double(ty) {
            return self.long_double_arithmetic(op, lhs, rhs, loc);
        }
        if let Some(kind) = self.fold_arithmetic(op, &lhs, &rhs) {
            return Expr { kind, ty, loc };
        }
        Expr { kind: ExprKind::Binary(op, Box::new(lhs), Box::new(rhs)), ty, loc }
    }

    fn fold_arithmetic(&self, op: BinaryOp, lhs: &Expr, rhs: &Expr) -> Option<ExprKind> {
        match (&lhs.kind, &rhs.kind) {
            (&ExprKind::Int(l), &ExprKind::Int(r)) => {
                let (ty, l, r) = (lhs.ty, self.number_of(l, lhs.ty), self.number_of(r, rhs.ty));
                let exact = self.int_operation(op, l, r, ty)?;
                // What overflows is left to be executed, and reported, where it stands.
                if self.is_signed(ty) && (!self.fits(exact, ty) || (op == BinaryOp::Shl && l < 0)) {
                    return None;
                }
                Some(ExprKind::Int(self.cut(low_64(exact), ty)))
            }
            (&ExprKind::Float(l), &ExprKind::Float(r)) => {
                Some(ExprKind::Float(self.round(float_operation(op, l, r)?, lhs.ty)))
            }
            _ => None,
        }
    }

    /// The exact result, before it is cut to its type (in 128 bits: its bits); `None` where C gives it no meaning.
    pub(super) fn int_operation(&self, op: BinaryOp, l: i128, r: i128, ty: QualType) -> Option<i128> {
        let is_unsigned = self.is_wide(ty) && !self.is_signed(ty);
        let (large_l, large_r) = (l as u128, r as u128);
        Some(match op {
            BinaryOp::Add => l.wrapping_add(r),
            BinaryOp::Sub => l.wrapping_sub(r),
            BinaryOp::Mul => l.wrapping_mul(r),
            BinaryOp::Div if is_unsigned => large_l.checked_div(large_r)? as i128,
            BinaryOp::Rem if is_unsigned => large_l.checked_rem(large_r)? as i128,
            BinaryOp::Shr if is_unsigned && (0..128).contains(&r) => (large_l >> r) as i128,
            BinaryOp::Div => l.checked_div(r)?,
            BinaryOp::Rem => l.checked_rem(r)?,
            BinaryOp::And => l & r,
            BinaryOp::Or => l | r,
            BinaryOp::Xor => l ^ r,
            BinaryOp::Shl | BinaryOp::Shr if r < 0 || r >= i128::from(self.width(ty)) => return None,
            BinaryOp::Shl => l << r,
            BinaryOp::Shr => l >> r,
        })
    }

    /// `float` constants have the precision of `float`.
    pub(super) fn round(&self, value: f64, ty: QualType) -> f64 {
        match self.kind(ty) {
            Type::Float(FloatType::Float) => f64::from(nearest_f32(value)),
            _ => value,
        }
    }

    /// A comparison of two operands of one type.
    pub(crate) fn comparison(&self, op: CompareOp, lhs: Expr, rhs: Expr, loc: Loc) -> Expr {
        let ty = self.int_type();
        if let Some(what) = self.unsupported_values(lhs.ty).or(self.unsupported_values(rhs.ty)) {
            return self.unsupported(what, ty, loc);
        }
        let folded = match (&lhs.kind, &rhs.kind) {
            (&ExprKind::Int(l), &ExprKind::Int(r)) => {
                Some(holds(op, &self.number_of(l, lhs.ty), &self.number_of(r, rhs.ty)))
            }
            (ExprKind::Float(l), ExprKind::Float(r)) => Some(holds(op, l, r)),
            _ => None,
        };
        if let Some(truth) = folded {
            return self.int_constant(i128::from(truth), ty, loc);
        }
        if self.is_long_double(lhs.ty) {
            return self.long_double_comparison(op, lhs, rhs, loc);
        }
        Expr { kind: ExprKind::Compare(op, Box::new(lhs), Box::new(rhs)), ty, loc }
    }

    pub(super) fn negation(&self, operand: Expr, loc: Loc) -> Expr {
        let ty = operand.ty;
        if let Some(what) = self.unsupported_values(ty) {
            return self.unsupported(what, ty, loc);
        }
        match operand.kind {
            ExprKind::Float(value) => Expr { kind: ExprKind::Float(-value), ty, loc },
            ExprKind::Int(bits) if !self.is_signed(ty) || self.fits(-self.number_of(bits, ty), ty) => {
                self.int_constant(-self.number_of(bits, ty), ty, loc)
            }
            _ if self.is_long_double(ty) => self.long_double_negation(operand, loc),
            _ => Expr { kind: ExprKind::Negate(Box::new(operand)), ty, loc },
        }
    }

    pub(super) fn complement(&self, operand: Expr, loc: Loc) -> Expr {
        let ty = operand.ty;
        if let Some(what) = self.unsupported_values(ty) {
            return self.unsupported(what, ty, loc);
        }
        match operand.kind {
            ExprKind::Int(bits) => self.int_constant(!self.number_of(bits, ty), ty, loc),
            _ => Expr { kind: ExprKind::BitNot(Box::new(operand)), ty, loc },
        }
    }

    /// `!operand`.
    pub(crate) fn not(&self, operand: Expr, loc: Loc) -> Expr {
        let ty = self.int_type();
        match truth(&operand) {
            Some(truth) => self.int_constant(i128::from(!truth), ty, loc),
            None => Expr { kind: ExprKind::Not(Box::new(operand)), ty, loc },
        }
    }

    /// `pointer ± index * size`; the index is `ptrdiff_t`.
    pub(crate) fn pointer_add(&self, pointer: Expr, index: Expr, size: Size, subtract: bool, loc: Loc) -> Expr {
        let ty = pointer.ty;
        if let (&ExprKind::Int(address), &ExprKind::Int(i), Size::Const(size)) = (&pointer.kind, &index.kind, &size) {
            let bytes = self.number_of(i, index.ty) * i128::from(*size) * if subtract { -1 } else { 1 };
            return self.int_constant(i128::from(address) + bytes, ty, loc);
        }
        let (pointer, index) = (Box::new(pointer), Box::new(index));
        Expr { kind: ExprKind::PointerAdd { pointer, index, size, subtract }, ty, loc }
    }
}

/// Whether a constant is true in a condition.
pub(super) fn truth(e: &Expr) -> Option<bool> {
    match e.kind {
        ExprKind::Int(bits) => Some(bits != 0),
        ExprKind::Float(value) => Some(value != 0.0),
        _ => None,
    }
}

/// The address of a place that is reached from a constant address, as in `&((struct s *)0)->member`.
fn constant_place(place: &Expr) -> Option<u64> {
    let mut place = place;
    let mut sum = 0u64;
    loop {
        match &place.kind {
            ExprKind::Member { base, offset, .. } => {
                sum = sum.wrapping_add(*offset);
                place = base;
            }
            ExprKind::Deref(pointer) => match pointer.kind {
                ExprKind::Int(bits) => return Some(bits.wrapping_add(sum)),
                _ => return None,
            },
            _ => return None,
        }
    }
}

pub(super) fn float_operation(op: BinaryOp, l: f64, r: f64) -> Option<f64> {
    Some(match op {
        BinaryOp::Add => l + r,
        BinaryOp::Sub => l - r,
        BinaryOp::Mul => l * r,
        BinaryOp::Div => l / r,
        _ => return None,
    })
}

pub(super) fn holds<T: PartialOrd>(op: CompareOp, l: &T, r: &T) -> bool {
    match op {
        CompareOp::Eq => l == r,
        CompareOp::Ne => l != r,
        CompareOp::Lt => l < r,
        CompareOp::Le => l <= r,
        CompareOp::Gt => l > r,
        CompareOp::Ge => l >= r,
    }
}
