//! Arithmetic on values: what the instructions without memory compute.

use crate::memory::ObjectRef;
use norn_ir::instr::{BinaryOp, CastOp, CompareOp, RmwOp, UnaryOp};
use norn_ir::number::{low_32, low_64, narrow, nearest_f32, toward_zero};
use norn_ir::types::{Target, Ty};

/// What a register holds: bits cut to the width of its type and, for a pointer, the object it points into.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Value {
    pub bits: u64,
    pub object: Option<ObjectRef>,
}

impl Value {
    pub fn int(bits: u64) -> Value {
        Value { bits, object: None }
    }

    pub fn bool(value: bool) -> Value {
        Value::int(u64::from(value))
    }

    pub fn is_true(self) -> bool {
        self.bits != 0
    }
}

/// What can go wrong in arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    DivisionByZero,
    Overflow,
}

/// The bits as a signed number of the given width.
pub fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((bits << unused) as i64) >> unused
}

/// The result, and the fault that an overflow check would report.
pub fn binary(op: BinaryOp, ty: Ty, target: Target, lhs: u64, rhs: u64) -> Result<(u64, Option<Fault>), Fault> {
    if ty.is_float() {
        return Ok((float_binary(op, ty, lhs, rhs), None));
    }
    let width = ty.bits(target);
    let (a, b) = (i128::from(signed(lhs, width)), i128::from(signed(rhs, width)));
    let cut = |wide: i128| ty.truncate(low_64(wide), target);
    let exact = |wide: i128| (cut(wide), (i128::from(signed(cut(wide), width)) != wide).then_some(Fault::Overflow));
    let wraps = |bits: u64| (ty.truncate(bits, target), None);
    let amount = narrow(rhs % u64::from(width));
    let outside = (rhs >= u64::from(width)).then_some(Fault::Overflow);
    Ok(match op {
        BinaryOp::Add => wraps(lhs.wrapping_add(rhs)),
        BinaryOp::Sub => wraps(lhs.wrapping_sub(rhs)),
        BinaryOp::Mul => wraps(lhs.wrapping_mul(rhs)),
        BinaryOp::AddSigned => exact(a + b),
        BinaryOp::SubSigned => exact(a - b),
        BinaryOp::MulSigned => exact(a * b),
        BinaryOp::DivSigned | BinaryOp::RemSigned | BinaryOp::DivUnsigned | BinaryOp::RemUnsigned if rhs == 0 => {
            return Err(Fault::DivisionByZero);
        }
        BinaryOp::DivSigned => exact(a / b),
        BinaryOp::RemSigned => (cut(a % b), exact(a / b).1),
        BinaryOp::DivUnsigned => wraps(lhs / rhs),
        BinaryOp::RemUnsigned => wraps(lhs % rhs),
        BinaryOp::And => wraps(lhs & rhs),
        BinaryOp::Or => wraps(lhs | rhs),
        BinaryOp::Xor => wraps(lhs ^ rhs),
        BinaryOp::Shl => (ty.truncate(lhs << amount, target), outside),
        BinaryOp::ShlSigned => {
            let (result, too_large) = exact(a << amount);
            (result, if a < 0 { Some(Fault::Overflow) } else { outside.or(too_large) })
        }
        BinaryOp::ShrSigned => (ty.truncate((signed(lhs, width) >> amount) as u64, target), outside),
        BinaryOp::ShrUnsigned => (lhs >> amount, outside),
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv => {
            unreachable!("validation should keep floating-point operations to floats")
        }
    })
}

/// NaNs are as x86 has them: the first operand that is one, made quiet; or the quiet one with its sign set and nothing
/// else, if the operation has no result.
fn float_binary(op: BinaryOp, ty: Ty, lhs: u64, rhs: u64) -> u64 {
    fn apply<T>(op: BinaryOp, a: T, b: T) -> T
    where
        T: std::ops::Add<Output = T>
            + std::ops::Sub<Output = T>
            + std::ops::Mul<Output = T>
            + std::ops::Div<Output = T>,
    {
        match op {
            BinaryOp::FAdd => a + b,
            BinaryOp::FSub => a - b,
            BinaryOp::FMul => a * b,
            BinaryOp::FDiv => a / b,
            _ => unreachable!("validation should keep integer operations to integers"),
        }
    }
    let quiet = match ty {
        Ty::F32 => 1 << 22,
        _ => 1 << 51,
    };
    for operand in [lhs, rhs] {
        if to_f64(ty, operand).is_nan() {
            return operand | quiet;
        }
    }
    let (result, indefinite) = match ty {
        Ty::F32 => {
            let result = apply(op, f32::from_bits(low_32(lhs)), f32::from_bits(low_32(rhs)));
            (u64::from(result.to_bits()), 0xffc0_0000)
        }
        _ => (apply(op, f64::from_bits(lhs), f64::from_bits(rhs)).to_bits(), 0xfff8_0000_0000_0000),
    };
    if to_f64(ty, result).is_nan() { indefinite } else { result }
}

pub fn compare(op: CompareOp, ty: Ty, target: Target, lhs: u64, rhs: u64) -> bool {
    let width = ty.bits(target);
    let (a, b) = (signed(lhs, width), signed(rhs, width));
    let (x, y) = (to_f64(ty, lhs), to_f64(ty, rhs));
    match op {
        CompareOp::Eq => lhs == rhs,
        CompareOp::Ne => lhs != rhs,
        CompareOp::LtSigned => a < b,
        CompareOp::LeSigned => a <= b,
        CompareOp::LtUnsigned => lhs < rhs,
        CompareOp::LeUnsigned => lhs <= rhs,
        CompareOp::FEq => x == y,
        CompareOp::FNe => x != y,
        CompareOp::FLt => x < y,
        CompareOp::FLe => x <= y,
    }
}

fn to_f64(ty: Ty, bits: u64) -> f64 {
    match ty {
        Ty::F32 => f64::from(f32::from_bits(low_32(bits))),
        _ => f64::from_bits(bits),
    }
}

pub fn unary(op: UnaryOp, ty: Ty, target: Target, bits: u64) -> u64 {
    let width = ty.bits(target);
    match op {
        UnaryOp::FNeg => bits ^ (1 << (width - 1)),
        UnaryOp::PopCount => u64::from(bits.count_ones()),
        UnaryOp::LeadingZeros => u64::from(bits.leading_zeros() - (64 - width)),
        UnaryOp::TrailingZeros => u64::from(bits.trailing_zeros().min(width)),
        UnaryOp::ByteSwap => bits.swap_bytes() >> (64 - width),
    }
}

pub fn cast(op: CastOp, from: Ty, to: Ty, target: Target, bits: u64) -> u64 {
    let number = signed(bits, from.bits(target));
    let result = match op {
        CastOp::ZeroExtend | CastOp::Truncate | CastOp::PtrToInt | CastOp::IntToPtr => bits,
        CastOp::SignExtend => number as u64,
        CastOp::SignedToFloat => return from_number(to, number as f64, number as f32),
        CastOp::UnsignedToFloat => return from_number(to, bits as f64, bits as f32),
        CastOp::FloatToSigned => float_to_int(to_f64(from, bits), to.bits(target), true),
        CastOp::FloatToUnsigned => float_to_int(to_f64(from, bits), to.bits(target), false),
        CastOp::FloatToFloat => {
            let x = to_f64(from, bits);
            if x.is_nan() {
                return resized_nan(to, bits);
            }
            return from_number(to, x, nearest_f32(x));
        }
    };
    to.truncate(result, target)
}

fn from_number(to: Ty, double: f64, single: f32) -> u64 {
    match to {
        Ty::F32 => u64::from(single.to_bits()),
        _ => double.to_bits(),
    }
}

/// A NaN of the other width: the sign and the highest bits of the fraction stay, and it is quiet.
fn resized_nan(to: Ty, bits: u64) -> u64 {
    match to {
        Ty::F32 => (bits >> 32 & 0x8000_0000) | 0x7fc0_0000 | (bits >> 29 & 0x003f_ffff),
        _ => (bits & 0x8000_0000) << 32 | 0x7ff8_0000_0000_0000 | (bits & 0x003f_ffff) << 29,
    }
}

/// Rounded towards zero; out of range the smallest value of the width, as x86 has it.
fn float_to_int(x: f64, width: u32, is_signed: bool) -> u64 {
    let x = x.trunc();
    let (low, high) = match is_signed {
        true => (-(2f64.powi(width as i32 - 1)), 2f64.powi(width as i32 - 1)),
        false => (0.0, 2f64.powi(width as i32)),
    };
    match is_signed {
        _ if !(low..high).contains(&x) => 1 << (width - 1),
        true => toward_zero::<i64>(x) as u64,
        false => toward_zero(x),
    }
}

/// The value that a read-modify-write leaves in memory.
pub fn rmw(op: RmwOp, ty: Ty, target: Target, old: u64, operand: u64) -> u64 {
    let new = match op {
        RmwOp::Exchange => operand,
        RmwOp::Add => old.wrapping_add(operand),
        RmwOp::Sub => old.wrapping_sub(operand),
        RmwOp::And => old & operand,
        RmwOp::Or => old | operand,
        RmwOp::Xor => old ^ operand,
        RmwOp::Nand => !(old & operand),
    };
    ty.truncate(new, target)
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Target = Target::Lp64;

    #[test]
    fn integers_wrap_and_overflow_is_told() {
        let add = |a: u64, b: u64| binary(BinaryOp::AddSigned, Ty::I8, T, a, b);
        assert_eq!(add(100, 27), Ok((127, None)));
        assert_eq!(add(127, 1), Ok((128, Some(Fault::Overflow))));
        assert_eq!(binary(BinaryOp::Add, Ty::I8, T, 255, 1), Ok((0, None)));
        assert_eq!(
            binary(BinaryOp::DivSigned, Ty::I32, T, 0x8000_0000, 0xffff_ffff),
            Ok((0x8000_0000, Some(Fault::Overflow)))
        );
        assert_eq!(binary(BinaryOp::RemSigned, Ty::I32, T, (-7i32) as u32 as u64, 2), Ok((0xffff_ffff, None)));
        assert_eq!(binary(BinaryOp::DivUnsigned, Ty::I64, T, 1, 0), Err(Fault::DivisionByZero));
        assert_eq!(binary(BinaryOp::Shl, Ty::I32, T, 1, 33), Ok((2, Some(Fault::Overflow))));
        assert_eq!(binary(BinaryOp::Shl, Ty::I32, T, 1, 31), Ok((1 << 31, None)));
        assert_eq!(binary(BinaryOp::ShlSigned, Ty::I32, T, 1, 30), Ok((1 << 30, None)));
        assert_eq!(binary(BinaryOp::ShlSigned, Ty::I32, T, 1, 31), Ok((1 << 31, Some(Fault::Overflow))));
        assert_eq!(binary(BinaryOp::ShlSigned, Ty::I32, T, 3, 31), Ok((1 << 31, Some(Fault::Overflow))));
        assert_eq!(binary(BinaryOp::ShlSigned, Ty::I32, T, 0, 31), Ok((0, None)));
        assert_eq!(binary(BinaryOp::ShlSigned, Ty::I32, T, 0, 32), Ok((0, Some(Fault::Overflow))));
        assert_eq!(binary(BinaryOp::ShlSigned, Ty::I32, T, 0xffff_ffff, 0), Ok((0xffff_ffff, Some(Fault::Overflow))));
        let lowest = 1 << 63;
        assert_eq!(binary(BinaryOp::ShlSigned, Ty::I64, T, 1, 63), Ok((lowest, Some(Fault::Overflow))));
        assert_eq!(binary(BinaryOp::ShlSigned, Ty::I64, T, 1, 62), Ok((1 << 62, None)));
        assert_eq!(binary(BinaryOp::ShrSigned, Ty::I16, T, 0x8000, 15), Ok((0xffff, None)));
        assert_eq!(binary(BinaryOp::MulSigned, Ty::I64, T, u64::MAX, u64::MAX), Ok((1, None)));
    }

    #[test]
    fn casts_keep_the_sign_where_asked() {
        assert_eq!(cast(CastOp::SignExtend, Ty::I8, Ty::I32, T, 0x80), 0xffff_ff80);
        assert_eq!(cast(CastOp::ZeroExtend, Ty::I8, Ty::I32, T, 0x80), 0x80);
        assert_eq!(cast(CastOp::Truncate, Ty::I64, Ty::I16, T, 0x12345), 0x2345);
        assert_eq!(cast(CastOp::FloatToSigned, Ty::F64, Ty::I32, T, (-2.9f64).to_bits()), 0xffff_fffe);
        assert_eq!(cast(CastOp::FloatToSigned, Ty::F64, Ty::I32, T, 3e9f64.to_bits()), 0x8000_0000);
        assert_eq!(cast(CastOp::FloatToUnsigned, Ty::F32, Ty::I64, T, u64::from(3e9f32.to_bits())), 3_000_000_000);
        assert_eq!(cast(CastOp::SignedToFloat, Ty::I32, Ty::F64, T, 0xffff_ffff), (-1f64).to_bits());
        assert_eq!(
            cast(CastOp::UnsignedToFloat, Ty::I64, Ty::F32, T, u64::MAX),
            u64::from((u64::MAX as f32).to_bits())
        );
    }

    #[test]
    fn bits_are_counted_within_the_width() {
        assert_eq!(unary(UnaryOp::LeadingZeros, Ty::I16, T, 1), 15);
        assert_eq!(unary(UnaryOp::TrailingZeros, Ty::I32, T, 0), 32);
        assert_eq!(unary(UnaryOp::ByteSwap, Ty::I32, T, 0x1122_3344), 0x4433_2211);
        assert_eq!(unary(UnaryOp::FNeg, Ty::F32, T, u64::from(1f32.to_bits())), u64::from((-1f32).to_bits()));
    }

    #[test]
    fn nans_are_those_of_x86() {
        let single = |op, a: u64, b: u64| binary(op, Ty::F32, T, a, b).unwrap().0;
        let (nan, other, signalling) = (0x7fc0_1234, 0xffc0_0001, 0x7f80_0001);
        assert_eq!(single(BinaryOp::FAdd, nan, other), nan);
        assert_eq!(single(BinaryOp::FMul, other, nan), other);
        assert_eq!(single(BinaryOp::FSub, 0, other), other, "a NaN that is subtracted keeps its sign");
        assert_eq!(single(BinaryOp::FDiv, signalling, other), 0x7fc0_0001);
        let (infinity, zero) = (0x7f80_0000, 0);
        assert_eq!(single(BinaryOp::FSub, infinity, infinity), 0xffc0_0000);
        assert_eq!(single(BinaryOp::FMul, zero, infinity), 0xffc0_0000);
        assert_eq!(binary(BinaryOp::FDiv, Ty::F64, T, 0, 0).unwrap().0, 0xfff8_0000_0000_0000);
        let wide = cast(CastOp::FloatToFloat, Ty::F32, Ty::F64, T, 0xff80_0401);
        assert_eq!(wide, 0xfff8_0080_2000_0000);
        assert_eq!(cast(CastOp::FloatToFloat, Ty::F64, Ty::F32, T, wide), 0xffc0_0401);
        assert_eq!(cast(CastOp::FloatToFloat, Ty::F64, Ty::F32, T, 0x7ff0_0000_0000_0001), 0x7fc0_0000);
    }

    #[test]
    fn floats_compare_with_nan() {
        let nan = f64::NAN.to_bits();
        assert!(!compare(CompareOp::FEq, Ty::F64, T, nan, nan));
        assert!(compare(CompareOp::FNe, Ty::F64, T, nan, nan));
        assert!(compare(CompareOp::LtSigned, Ty::I8, T, 0xff, 0));
        assert!(!compare(CompareOp::LtUnsigned, Ty::I8, T, 0xff, 0));
    }
}
