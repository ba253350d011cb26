//! Emits arithmetic, comparisons and conversions, and folds what is constant.
//!
//! A signed operation that overflows and a division by zero are not folded: they are violations when they are executed.

use super::function::FunctionBuilder;
use super::ir_types::Scalar;
use crate::tree;
use norn_ir::instr::{BinaryOp, CastOp, CompareOp, Const, InstrKind, Operand, UnaryOp};
use norn_ir::number::{low_32, narrow, nearest_f32};
use norn_ir::types::Ty;

impl FunctionBuilder<'_, '_> {
    pub fn constant(&self, ty: Ty, bits: u64) -> Operand {
        Operand::Const(Const { ty, bits: ty.truncate(bits, self.p.target) })
    }

    /// A constant as wide as a pointer.
    pub fn pointer_int(&self, value: i64) -> Operand {
        self.constant(self.p.target.pointer_int(), value as u64)
    }

    fn sign_extend(&self, ty: Ty, bits: u64) -> i64 {
        let unused = 64 - ty.bits(self.p.target);
        ((bits << unused) as i64) >> unused
    }

    pub fn binary(&mut self, op: BinaryOp, ty: Ty, lhs: Operand, rhs: Operand) -> Operand {
        if let (Operand::Const(a), Operand::Const(b)) = (lhs, rhs)
            && let Some(bits) = self.fold(op, ty, a.bits, b.bits)
        {
            return self.constant(ty, bits);
        }
        let dst = self.register(ty);
        self.emit(InstrKind::Binary { dst, op, lhs, rhs });
        Operand::Reg(dst)
    }

    fn fold(&self, op: BinaryOp, ty: Ty, a: u64, b: u64) -> Option<u64> {
        if ty == Ty::Bool {
            return match op {
                BinaryOp::And => Some(a & b),
                BinaryOp::Or => Some(a | b),
                BinaryOp::Xor => Some(a ^ b),
                _ => None,
            };
        }
        if !ty.is_int() {
            return None;
        }
        let (sa, sb) = (self.sign_extend(ty, a), self.sign_extend(ty, b));
        let fits = |value: Option<i64>| {
            value.filter(|&v| self.sign_extend(ty, ty.truncate(v as u64, self.p.target)) == v).map(|v| v as u64)
        };
        let shift = (b < u64::from(ty.bits(self.p.target))).then(|| narrow(b));
        match op {
            BinaryOp::Add => Some(a.wrapping_add(b)),
            BinaryOp::Sub => Some(a.wrapping_sub(b)),
            BinaryOp::Mul => Some(a.wrapping_mul(b)),
            BinaryOp::AddSigned => fits(sa.checked_add(sb)),
            BinaryOp::SubSigned => fits(sa.checked_sub(sb)),
            BinaryOp::MulSigned => fits(sa.checked_mul(sb)),
            BinaryOp::DivSigned => fits(sa.checked_div(sb)),
            BinaryOp::RemSigned => fits(sa.checked_rem(sb)),
            BinaryOp::DivUnsigned => a.checked_div(b),
            BinaryOp::RemUnsigned => a.checked_rem(b),
            BinaryOp::And => Some(a & b),
            BinaryOp::Or => Some(a | b),
            BinaryOp::Xor => Some(a ^ b),
            BinaryOp::Shl => shift.map(|n| a << n),
            BinaryOp::ShlSigned => {
                let exact = shift.filter(|_| sa >= 0).map(|n| i128::from(sa) << n);
                fits(exact.and_then(|n| i64::try_from(n).ok()))
            }
            BinaryOp::ShrUnsigned => shift.map(|n| a >> n),
            BinaryOp::ShrSigned => shift.map(|n| (sa >> n) as u64),
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv => None,
        }
    }

    /// An operator of C on two values of one scalar type.
    pub fn arithmetic(&mut self, op: tree::BinaryOp, scalar: Scalar, lhs: Operand, rhs: Operand) -> Operand {
        let op = if scalar.ty.is_float() {
            match op {
                tree::BinaryOp::Add => BinaryOp::FAdd,
                tree::BinaryOp::Sub => BinaryOp::FSub,
                tree::BinaryOp::Mul => BinaryOp::FMul,
                tree::BinaryOp::Div => BinaryOp::FDiv,
                _ => {
                    self.unsupported("a bitwise operator on floating-point numbers".to_owned());
                    return self.no_value(Some(scalar));
                }
            }
        } else {
            match (op, scalar.signed) {
                (tree::BinaryOp::Add, true) => BinaryOp::AddSigned,
                (tree::BinaryOp::Add, false) => BinaryOp::Add,
                (tree::BinaryOp::Sub, true) => BinaryOp::SubSigned,
                (tree::BinaryOp::Sub, false) => BinaryOp::Sub,
                (tree::BinaryOp::Mul, true) => BinaryOp::MulSigned,
                (tree::BinaryOp::Mul, false) => BinaryOp::Mul,
                (tree::BinaryOp::Div, true) => BinaryOp::DivSigned,
                (tree::BinaryOp::Div, false) => BinaryOp::DivUnsigned,
                (tree::BinaryOp::Rem, true) => BinaryOp::RemSigned,
                (tree::BinaryOp::Rem, false) => BinaryOp::RemUnsigned,
                (tree::BinaryOp::Shl, true) => BinaryOp::ShlSigned,
                (tree::BinaryOp::Shl, false) => BinaryOp::Shl,
                (tree::BinaryOp::Shr, true) => BinaryOp::ShrSigned,
                (tree::BinaryOp::Shr, false) => BinaryOp::ShrUnsigned,
                (tree::BinaryOp::And, _) => BinaryOp::And,
                (tree::BinaryOp::Or, _) => BinaryOp::Or,
                (tree::BinaryOp::Xor, _) => BinaryOp::Xor,
            }
        };
        self.binary(op, scalar.ty, lhs, rhs)
    }

    /// The amount of a shift, in the type of what is shifted. One that is too large in a wider type stays too large, with
    /// the same low bits.
    pub fn shift_amount(&mut self, from: Scalar, to: Scalar, amount: Operand) -> Operand {
        let converted = self.convert(from, to, amount);
        let (width, from_width) = (u64::from(to.ty.bits(self.p.target)), from.ty.bits(self.p.target));
        if !from.ty.is_int() || u64::from(from_width) <= width {
            return converted;
        }
        let (last, first_outside) = (self.constant(to.ty, width - 1), self.constant(to.ty, width));
        let most = self.constant(from.ty, width - 1);
        let inside = self.compare(CompareOp::LeUnsigned, from.ty, amount, most);
        if inside == Operand::Const(Const::TRUE) {
            return converted;
        }
        let low = self.binary(BinaryOp::And, to.ty, converted, last);
        let outside = self.binary(BinaryOp::Or, to.ty, low, first_outside);
        self.select(to.ty, inside, converted, outside)
    }

    pub fn unary(&mut self, op: UnaryOp, ty: Ty, src: Operand) -> Operand {
        let dst = self.register(ty);
        self.emit(InstrKind::Unary { dst, op, src });
        Operand::Reg(dst)
    }

    pub fn negate(&mut self, scalar: Scalar, value: Operand) -> Operand {
        match (scalar.ty.is_float(), value) {
            (true, Operand::Const(c)) => {
                let sign = 1 << (scalar.ty.bits(self.p.target) - 1);
                self.constant(scalar.ty, c.bits ^ sign)
            }
            (true, _) => self.unary(UnaryOp::FNeg, scalar.ty, value),
            (false, _) => {
                let zero = self.constant(scalar.ty, 0);
                self.arithmetic(tree::BinaryOp::Sub, scalar, zero, value)
            }
        }
    }

    pub fn compare(&mut self, op: CompareOp, ty: Ty, lhs: Operand, rhs: Operand) -> Operand {
        if let (Operand::Const(a), Operand::Const(b)) = (lhs, rhs)
            && !ty.is_float()
        {
            let (sa, sb) = (self.sign_extend(ty, a.bits), self.sign_extend(ty, b.bits));
            let holds = match op {
                CompareOp::Eq => a.bits == b.bits,
                CompareOp::Ne => a.bits != b.bits,
                CompareOp::LtSigned => sa < sb,
                CompareOp::LeSigned => sa <= sb,
                CompareOp::LtUnsigned => a.bits < b.bits,
                _ => a.bits <= b.bits,
            };
            return Operand::Const(if holds { Const::TRUE } else { Const::FALSE });
        }
        // The address of an object or function is never null.
        if ty == Ty::Ptr
            && matches!(lhs, Operand::Global(..) | Operand::Local(..) | Operand::Func(_))
            && rhs == Operand::Const(Const::NULL)
            && matches!(op, CompareOp::Eq | CompareOp::Ne)
        {
            return Operand::Const(if op == CompareOp::Ne { Const::TRUE } else { Const::FALSE });
        }
        let dst = self.register(Ty::Bool);
        self.emit(InstrKind::Compare { dst, op, ty, lhs, rhs });
        Operand::Reg(dst)
    }

    /// A comparison of C, or its opposite.
    pub fn comparison(
        &mut self,
        op: tree::CompareOp,
        negated: bool,
        scalar: Scalar,
        lhs: Operand,
        rhs: Operand,
    ) -> Operand {
        use tree::CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let ty = scalar.ty;
        if ty.is_float() {
            let (op, swapped) = match (op, negated) {
                (Eq, false) | (Ne, true) => (CompareOp::FEq, false),
                (Ne, false) | (Eq, true) => (CompareOp::FNe, false),
                (Lt, _) => (CompareOp::FLt, false),
                (Le, _) => (CompareOp::FLe, false),
                (Gt, _) => (CompareOp::FLt, true),
                (Ge, _) => (CompareOp::FLe, true),
            };
            let (lhs, rhs) = if swapped { (rhs, lhs) } else { (lhs, rhs) };
            let result = self.compare(op, ty, lhs, rhs);
            // The opposite of "less" is not "greater or equal", because of NaN.
            return if negated && matches!(op, CompareOp::FLt | CompareOp::FLe) { self.not(result) } else { result };
        }
        let op = match (op, negated) {
            (op, false) => op,
            (Eq, true) => Ne,
            (Ne, true) => Eq,
            (Lt, true) => Ge,
            (Le, true) => Gt,
            (Gt, true) => Le,
            (Ge, true) => Lt,
        };
        let (less, less_or_equal) = if scalar.signed {
            (CompareOp::LtSigned, CompareOp::LeSigned)
        } else {
            (CompareOp::LtUnsigned, CompareOp::LeUnsigned)
        };
        match op {
            Eq => self.compare(CompareOp::Eq, ty, lhs, rhs),
            Ne => self.compare(CompareOp::Ne, ty, lhs, rhs),
            Lt => self.compare(less, ty, lhs, rhs),
            Le => self.compare(less_or_equal, ty, lhs, rhs),
            Gt => self.compare(less, ty, rhs, lhs),
            Ge => self.compare(less_or_equal, ty, rhs, lhs),
        }
    }

    /// The opposite of a truth value.
    pub fn not(&mut self, cond: Operand) -> Operand {
        self.binary(BinaryOp::Xor, Ty::Bool, cond, Operand::Const(Const::TRUE))
    }

    /// Whether a scalar is not zero (or is, if negated).
    pub fn is_nonzero(&mut self, scalar: Scalar, value: Operand, negated: bool) -> Operand {
        if let Some(truth) = self.take_widened_truth(value) {
            return if negated { self.not(truth) } else { truth };
        }
        let zero = self.constant(scalar.ty, 0);
        self.comparison(tree::CompareOp::Ne, negated, scalar, value, zero)
    }

    pub fn cast(&mut self, op: CastOp, from: Ty, to: Ty, src: Operand) -> Operand {
        if let Operand::Const(c) = src {
            match op {
                CastOp::ZeroExtend | CastOp::Truncate | CastOp::PtrToInt | CastOp::IntToPtr => {
                    return self.constant(to, c.bits);
                }
                CastOp::SignExtend => {
                    let bits = self.sign_extend(from, c.bits) as u64;
                    return self.constant(to, bits);
                }
                CastOp::SignedToFloat | CastOp::UnsignedToFloat => {
                    let value = self.sign_extend(from, c.bits);
                    let signed = op == CastOp::SignedToFloat;
                    let bits = match (to, signed) {
                        (Ty::F32, true) => u64::from((value as f32).to_bits()),
                        (Ty::F32, false) => u64::from((c.bits as f32).to_bits()),
                        (_, true) => (value as f64).to_bits(),
                        (_, false) => (c.bits as f64).to_bits(),
                    };
                    return self.constant(to, bits);
                }
                CastOp::FloatToFloat => {
                    let bits = match to {
                        Ty::F32 => u64::from(nearest_f32(f64::from_bits(c.bits)).to_bits()),
                        _ => f64::from(f32::from_bits(low_32(c.bits))).to_bits(),
                    };
                    return self.constant(to, bits);
                }
                CastOp::FloatToSigned | CastOp::FloatToUnsigned => {}
            }
        }
        let dst = self.register(to);
        self.emit(InstrKind::Cast { dst, op, from, src });
        Operand::Reg(dst)
    }

    /// A truth value as an integer.
    pub fn bool_to(&mut self, ty: Ty, cond: Operand) -> Operand {
        self.cast(CastOp::ZeroExtend, Ty::Bool, ty, cond)
    }

    pub fn select(&mut self, ty: Ty, cond: Operand, then: Operand, otherwise: Operand) -> Operand {
        if let Operand::Const(c) = cond {
            return if c.bits != 0 { then } else { otherwise };
        }
        let dst = self.register(ty);
        self.emit(InstrKind::Select { dst, cond, then, otherwise });
        Operand::Reg(dst)
    }

    /// An integer in another width.
    pub fn resize(&mut self, from: Scalar, to: Ty, value: Operand) -> Operand {
        let (old, new) = (from.ty.bits(self.p.target), to.bits(self.p.target));
        match () {
            () if new < old => self.cast(CastOp::Truncate, from.ty, to, value),
            () if new == old => value,
            () if from.signed => self.cast(CastOp::SignExtend, from.ty, to, value),
            () => self.cast(CastOp::ZeroExtend, from.ty, to, value),
        }
    }

    /// A scalar of one type of C as one of another.
    pub fn convert(&mut self, from: Scalar, to: Scalar, value: Operand) -> Operand {
        let int = self.p.target.pointer_int();
        if to.is_bool {
            if from.is_bool {
                return value;
            }
            let cond = self.is_nonzero(from, value, false);
            return self.bool_to(Ty::I8, cond);
        }
        match (from.ty, to.ty) {
            (Ty::Ptr, Ty::Ptr) => value,
            (Ty::Ptr, _) if to.ty.is_int() => {
                let number = self.cast(CastOp::PtrToInt, Ty::Ptr, int, value);
                self.resize(Scalar { ty: int, signed: false, is_bool: false }, to.ty, number)
            }
            (_, Ty::Ptr) if from.ty.is_int() => {
                let number = self.resize(from, int, value);
                self.cast(CastOp::IntToPtr, int, Ty::Ptr, number)
            }
            (a, b) if a.is_int() && b.is_int() => self.resize(from, b, value),
            (a, b) if a.is_int() && b.is_float() => {
                let op = if from.signed { CastOp::SignedToFloat } else { CastOp::UnsignedToFloat };
                self.cast(op, a, b, value)
            }
            (a, b) if a.is_float() && b.is_int() => {
                let op = if to.signed { CastOp::FloatToSigned } else { CastOp::FloatToUnsigned };
                self.cast(op, a, b, value)
            }
            (a, b) if a.is_float() && b.is_float() && a != b => self.cast(CastOp::FloatToFloat, a, b, value),
            (a, b) if a == b => value,
            _ => {
                self.unsupported("a conversion between a pointer and a floating-point number".to_owned());
                self.no_value(Some(to))
            }
        }
    }

    /// An address some bytes further on.
    pub fn offset(&mut self, address: Operand, bytes: u64) -> Operand {
        let index = self.pointer_int(bytes as i64);
        self.pointer_add(address, index, 1)
    }

    pub fn pointer_add(&mut self, base: Operand, index: Operand, scale: i64) -> Operand {
        if let Operand::Const(c) = index {
            let bytes = self.sign_extend(c.ty, c.bits).wrapping_mul(scale);
            match base {
                _ if bytes == 0 => return base,
                Operand::Global(id, offset) => return Operand::Global(id, offset.wrapping_add(bytes)),
                Operand::Local(id, offset) => return Operand::Local(id, offset.wrapping_add(bytes)),
                Operand::Const(c) => return self.constant(Ty::Ptr, c.bits.wrapping_add(bytes as u64)),
                Operand::Reg(_) | Operand::Func(_) => {}
            }
        }
        let dst = self.register(Ty::Ptr);
        self.emit(InstrKind::PtrAdd { dst, base, index, scale });
        Operand::Reg(dst)
    }
}
