//! What the operations on floats mean: the numbers as the processor computes them, with NaNs as x86 has them.

use crate::terms::float::{Conversion, FloatOp};
use norn_ir::number::{low_32, nearest_f32, toward_zero};

/// The bits of 1.
pub fn one(width: u32) -> u64 {
    if width == 32 { u64::from(1f32.to_bits()) } else { 1f64.to_bits() }
}

/// The bits of the positive infinity: the exponent.
pub fn infinity(width: u32) -> u64 {
    if width == 32 { u64::from(f32::INFINITY.to_bits()) } else { f64::INFINITY.to_bits() }
}

/// The highest bit of the fraction.
pub fn quiet_bit(width: u32) -> u64 {
    if width == 32 { 1 << 22 } else { 1 << 51 }
}

/// What an operation without a result gives.
fn default_nan(width: u32) -> u64 {
    super::sign_bit(width) | infinity(width) | quiet_bit(width)
}

fn is_nan(width: u32, bits: u64) -> bool {
    bits & !super::sign_bit(width) > infinity(width)
}

pub fn binary(op: FloatOp, width: u32, a: u64, b: u64) -> u64 {
    macro_rules! apply {
        ($a:expr, $b:expr) => {
            match op {
                FloatOp::Add => $a + $b,
                FloatOp::Sub => $a - $b,
                FloatOp::Mul => $a * $b,
                FloatOp::Div => $a / $b,
            }
        };
    }
    if let Some(nan) = [a, b].into_iter().find(|&bits| is_nan(width, bits)) {
        return nan | quiet_bit(width);
    }
    let result = match width {
        32 => u64::from(apply!(f32::from_bits(low_32(a)), f32::from_bits(low_32(b))).to_bits()),
        _ => apply!(f64::from_bits(a), f64::from_bits(b)).to_bits(),
    };
    if is_nan(width, result) { default_nan(width) } else { result }
}

pub fn convert(conversion: Conversion, from: u32, to: u32, bits: u64) -> u64 {
    let float = |double: f64, single: f32| if to == 32 { u64::from(single.to_bits()) } else { double.to_bits() };
    let number = || if from == 32 { f64::from(f32::from_bits(low_32(bits))) } else { f64::from_bits(bits) };
    match conversion {
        Conversion::SignedToFloat => {
            let number = super::signed(from, bits);
            float(number as f64, number as f32)
        }
        Conversion::UnsignedToFloat => float(bits as f64, bits as f32),
        Conversion::FloatToFloat if is_nan(from, bits) => {
            // The sign and the highest bits of the fraction stay.
            let sign = bits >> (from - 1) << (to - 1);
            let moved = if to == 64 { bits << 29 } else { bits >> 29 };
            sign | infinity(to) | quiet_bit(to) | moved & (quiet_bit(to) - 1)
        }
        Conversion::FloatToFloat => float(number(), nearest_f32(number())),
        Conversion::FloatToSigned => {
            let (x, half) = (number().trunc(), 2f64.powi(to as i32 - 1));
            if -half <= x && x < half { toward_zero::<i64>(x) as u64 & super::mask(to) } else { super::sign_bit(to) }
        }
        Conversion::FloatToUnsigned => {
            let x = number().trunc();
            if 0.0 <= x && x < 2f64.powi(to as i32) { toward_zero(x) } else { super::sign_bit(to) }
        }
    }
}
