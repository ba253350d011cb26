//! Arithmetic on bits that are cut to the width of their type.

use crate::op::Scalar;
use norn_ir::instr::{BinaryOp, CastOp, CompareOp, RmwOp, UnaryOp};
use norn_ir::number::{low_32, nearest_f32, toward_zero};
use norn_ir::types::Ty;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    DivisionByZero,
    Overflow,
}

/// The bits as a signed number.
pub fn signed(bits: u64, width: u8) -> i64 {
    let unused = 64 - u32::from(width);
    ((bits << unused) as i64) >> unused
}

fn fits(number: i128, width: u8) -> bool {
    let half = 1i128 << (width - 1);
    (-half..half).contains(&number)
}

/// The result, and whether an overflow check would report it.
pub fn binary(op: BinaryOp, ty: Scalar, a: u64, b: u64) -> Result<(u64, bool), Fault> {
    use BinaryOp as O;
    let s = |bits: u64| signed(bits, ty.width);
    let plain = |bits: u64| Ok((ty.cut(bits), false));
    let checked = |bits: u64, exact: i128| Ok((ty.cut(bits), !fits(exact, ty.width)));
    if op.divides() && b == 0 {
        return Err(Fault::DivisionByZero);
    }
    let width = u64::from(ty.width);
    let (amount, too_far) = (b % width, b >= width);
    match op {
        O::Add => plain(a.wrapping_add(b)),
        O::Sub => plain(a.wrapping_sub(b)),
        O::Mul => plain(a.wrapping_mul(b)),
        O::AddSigned => checked(a.wrapping_add(b), i128::from(s(a)) + i128::from(s(b))),
        O::SubSigned => checked(a.wrapping_sub(b), i128::from(s(a)) - i128::from(s(b))),
        O::MulSigned => checked(a.wrapping_mul(b), i128::from(s(a)) * i128::from(s(b))),
        O::DivSigned => checked(s(a).wrapping_div(s(b)) as u64, i128::from(s(a)) / i128::from(s(b))),
        O::RemSigned => checked(s(a).wrapping_rem(s(b)) as u64, i128::from(s(a)) / i128::from(s(b))),
        O::DivUnsigned => plain(a / b),
        O::RemUnsigned => plain(a % b),
        O::And => plain(a & b),
        O::Or => plain(a | b),
        O::Xor => plain(a ^ b),
        O::Shl => Ok((ty.cut(a << amount), too_far)),
        O::ShlSigned => {
            let exact = i128::from(s(a)) << amount;
            Ok((ty.cut(a << amount), too_far || s(a) < 0 || !fits(exact, ty.width)))
        }
        O::ShrSigned => Ok((ty.cut((s(a) >> amount) as u64), too_far)),
        O::ShrUnsigned => Ok((a >> amount, too_far)),
        O::FAdd | O::FSub | O::FMul | O::FDiv => Ok((float(op, ty.ty, a, b), false)),
    }
}

fn float(op: BinaryOp, ty: Ty, a: u64, b: u64) -> u64 {
    macro_rules! apply {
        ($a:expr, $b:expr) => {
            match op {
                BinaryOp::FAdd => $a + $b,
                BinaryOp::FSub => $a - $b,
                BinaryOp::FMul => $a * $b,
                _ => $a / $b,
            }
        };
    }
    if ty == Ty::F32 {
        let result = apply!(f32::from_bits(low_32(a)), f32::from_bits(low_32(b)));
        if !result.is_nan() {
            return u64::from(result.to_bits());
        }
    } else {
        let result = apply!(f64::from_bits(a), f64::from_bits(b));
        if !result.is_nan() {
            return result.to_bits();
        }
    }
    // As on x86: the first NaN among the operands, or else the one that stands for no result.
    let nan = |bits: u64| double(ty, bits).is_nan();
    let (all_set, quiet) = if ty == Ty::F32 { (0xffc0_0000, 1 << 22) } else { (0xfff8 << 48, 1 << 51) };
    match (nan(a), nan(b)) {
        (true, _) => a | quiet,
        (_, true) => b | quiet,
        _ => all_set,
    }
}

fn double(ty: Ty, bits: u64) -> f64 {
    if ty == Ty::F32 { f64::from(f32::from_bits(low_32(bits))) } else { f64::from_bits(bits) }
}

pub fn compare(op: CompareOp, ty: Scalar, a: u64, b: u64) -> bool {
    use CompareOp as O;
    match op {
        O::Eq => a == b,
        O::Ne => a != b,
        O::LtSigned => signed(a, ty.width) < signed(b, ty.width),
        O::LeSigned => signed(a, ty.width) <= signed(b, ty.width),
        O::LtUnsigned => a < b,
        O::LeUnsigned => a <= b,
        O::FEq => double(ty.ty, a) == double(ty.ty, b),
        O::FNe => double(ty.ty, a) != double(ty.ty, b),
        O::FLt => double(ty.ty, a) < double(ty.ty, b),
        O::FLe => double(ty.ty, a) <= double(ty.ty, b),
    }
}

pub fn unary(op: UnaryOp, ty: Scalar, bits: u64) -> u64 {
    let width = u32::from(ty.width);
    match op {
        UnaryOp::FNeg => bits ^ (1 << (width - 1)),
        UnaryOp::PopCount => u64::from(bits.count_ones()),
        UnaryOp::LeadingZeros => u64::from(bits.leading_zeros() + width - 64),
        UnaryOp::TrailingZeros => u64::from(bits.trailing_zeros().min(width)),
        UnaryOp::ByteSwap => bits.swap_bytes() >> (64 - width),
    }
}

pub fn cast(op: CastOp, from: Scalar, to: Scalar, bits: u64) -> u64 {
    let float = |wide: f64, narrow: f32| match to.ty {
        Ty::F32 => u64::from(narrow.to_bits()),
        _ => wide.to_bits(),
    };
    match op {
        CastOp::ZeroExtend | CastOp::Truncate | CastOp::PtrToInt | CastOp::IntToPtr => to.cut(bits),
        CastOp::SignExtend => to.cut(signed(bits, from.width) as u64),
        CastOp::SignedToFloat => {
            let number = signed(bits, from.width);
            float(number as f64, number as f32)
        }
        CastOp::UnsignedToFloat => float(bits as f64, bits as f32),
        CastOp::FloatToFloat => {
            let number = double(from.ty, bits);
            match (number.is_nan(), to.ty) {
                (false, _) => float(number, nearest_f32(number)),
                // As on x86: a quiet NaN with the same sign and the highest bits of the fraction.
                (true, Ty::F32) => (bits >> 63) << 31 | 0x1ff << 22 | (bits << 13) >> 42,
                (true, _) => (bits >> 31) << 63 | 0xfff << 51 | (bits << 42) >> 13,
            }
        }
        CastOp::FloatToSigned | CastOp::FloatToUnsigned => {
            let number = double(from.ty, bits).trunc();
            let power = |exponent: u8| 2f64.powi(i32::from(exponent));
            let result = if op == CastOp::FloatToSigned {
                let half = power(to.width - 1);
                (-half..half).contains(&number).then_some(toward_zero::<i64>(number) as u64)
            } else {
                (0.0..power(to.width)).contains(&number).then_some(toward_zero(number))
            };
            // Out of range: the smallest value, as x86 has it.
            to.cut(result.unwrap_or(1 << (to.width - 1)))
        }
    }
}

/// The value that a read-modify-write leaves in memory.
pub fn modify(op: RmwOp, ty: Scalar, old: u64, operand: u64) -> u64 {
    ty.cut(match op {
        RmwOp::Exchange => operand,
        RmwOp::Add => old.wrapping_add(operand),
        RmwOp::Sub => old.wrapping_sub(operand),
        RmwOp::And => old & operand,
        RmwOp::Or => old | operand,
        RmwOp::Xor => old ^ operand,
        RmwOp::Nand => !(old & operand),
    })
}
