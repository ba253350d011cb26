//! What the operations mean on numbers: the one definition that folding, evaluation and the tests of the simplifier use.
//!
//! Values are `u64` with the bits above the width clear. Division by zero gives 0 and leaves the dividend as remainder; a
//! shift by the width or more gives zeros, or copies of the sign.

pub mod float;

/// All bits of this width.
pub fn mask(width: u32) -> u64 {
    debug_assert!((1..=64).contains(&width));
    u64::MAX >> (64 - width)
}

/// The value as a signed number.
pub fn signed(width: u32, value: u64) -> i64 {
    ((value << (64 - width)) as i64) >> (64 - width)
}

/// The most negative number: the sign bit alone.
pub fn sign_bit(width: u32) -> u64 {
    1 << (width - 1)
}

pub fn udiv(a: u64, b: u64) -> u64 {
    a.checked_div(b).unwrap_or(0)
}

pub fn urem(a: u64, b: u64) -> u64 {
    a.checked_rem(b).unwrap_or(a)
}

pub fn sdiv(width: u32, a: u64, b: u64) -> u64 {
    match signed(width, b) {
        0 => 0,
        divisor => signed(width, a).wrapping_div(divisor) as u64 & mask(width),
    }
}

pub fn srem(width: u32, a: u64, b: u64) -> u64 {
    match signed(width, b) {
        0 => a,
        divisor => signed(width, a).wrapping_rem(divisor) as u64 & mask(width),
    }
}

pub fn shl(width: u32, a: u64, by: u64) -> u64 {
    if by >= u64::from(width) { 0 } else { (a << by) & mask(width) }
}

pub fn lshr(width: u32, a: u64, by: u64) -> u64 {
    if by >= u64::from(width) { 0 } else { a >> by }
}

pub fn ashr(width: u32, a: u64, by: u64) -> u64 {
    (signed(width, a) >> by.min(63)) as u64 & mask(width)
}
