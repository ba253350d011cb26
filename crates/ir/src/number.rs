//! Conversions to narrower numbers, each with a name that says what is meant. `as` says neither whether a number must
//! fit nor whether its high bits are to go, so the lint `cast_possible_truncation` keeps it out of the product.
//!
//! - A count, an index or a width must fit: [`narrow`] and [`narrow_to`] check that it does, in release builds too.
//! - Arithmetic of C, hashing and encoding cut numbers on purpose: [`low_8`], [`low_32`], [`low_64`],
//!   [`halves`].
//! - Floating numbers are rounded: [`nearest_f32`], [`toward_zero`].

#![expect(clippy::cast_possible_truncation, reason = "the one place where numbers are cut")]

use std::any::type_name;
use std::fmt::Display;

/// Norn keeps whole state spaces in memory: it runs on 64-bit machines only.
const _: () = assert!(usize::BITS == 64, "Norn needs a 64-bit machine");

/// The same number in 32 bits: a count, an index or a size that is known to fit.
///
/// # Panics
///
/// If it does not fit.
#[inline]
#[track_caller]
pub fn narrow<Wide: Copy + Display + TryInto<u32>>(number: Wide) -> u32 {
    narrow_to(number)
}

/// The same number in a narrower type, of which it is known to be one.
///
/// # Panics
///
/// If it does not fit.
///
/// ```
/// let width: u8 = norn_ir::number::narrow_to(64u32);
/// assert_eq!(width, 64);
/// ```
#[inline]
#[track_caller]
pub fn narrow_to<Narrow>(number: impl Copy + Display + TryInto<Narrow>) -> Narrow {
    match number.try_into() {
        Ok(narrow) => narrow,
        Err(_) => too_large(&number, type_name::<Narrow>()),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn too_large(number: &dyn Display, narrow: &str) -> ! {
    panic!("the number {number} should fit into {narrow}")
}

/// The same number, as an index or a length. It loses nothing: `usize` has 64 bits.
#[inline]
pub const fn to_usize(number: u64) -> usize {
    number as usize
}

/// The low 8 bits.
#[inline]
pub const fn low_8(number: u64) -> u8 {
    number as u8
}

/// The low 32 bits.
#[inline]
pub const fn low_32(number: u64) -> u32 {
    number as u32
}

/// The low 64 bits of a number in two's complement.
#[inline]
pub const fn low_64(number: i128) -> u64 {
    number as u64
}

/// The low and the high 64 bits.
#[inline]
pub const fn halves(number: u128) -> (u64, u64) {
    (number as u64, (number >> 64) as u64)
}

/// The nearest number of single precision; if there are two, the even one.
#[inline]
pub const fn nearest_f32(number: f64) -> f32 {
    number as f32
}

/// A type of integers that floating numbers are converted to.
pub trait TowardZero {
    /// See [`toward_zero`].
    fn toward_zero(number: f64) -> Self;
}

macro_rules! toward_zero {
    ($($integer:ty)*) => {$(
        impl TowardZero for $integer {
            #[inline]
            fn toward_zero(number: f64) -> $integer {
                number as $integer
            }
        }
    )*};
}

toward_zero! { i64 u64 i128 u128 }

/// The number without its fraction. What is too large or too small becomes the largest or the smallest integer, and
/// not-a-number becomes 0.
#[inline]
pub fn toward_zero<Integer: TowardZero>(number: f64) -> Integer {
    Integer::toward_zero(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_fit_stay_the_same() {
        assert_eq!(narrow(u32::MAX as usize), u32::MAX);
        assert_eq!(narrow_to::<u64>(i128::from(u64::MAX)), u64::MAX);
        assert_eq!(narrow_to::<i64>(i128::from(i64::MIN)), i64::MIN);
        assert_eq!(to_usize(u64::MAX), usize::MAX);
    }

    #[test]
    #[should_panic(expected = "the number 4294967296 should fit into u32")]
    fn a_count_that_is_too_large_is_told() {
        narrow(1usize << 32);
    }

    #[test]
    #[should_panic(expected = "the number -1 should fit into u64")]
    fn a_negative_number_is_no_count() {
        narrow_to::<u64>(-1i128);
    }

    #[test]
    fn cutting_keeps_the_low_bits() {
        let number = 0x1122_3344_5566_7788;
        assert_eq!((low_8(number), low_32(number)), (0x88, 0x5566_7788));
        assert_eq!(low_64(-1), u64::MAX);
        assert_eq!(low_64(1 << 64 | 5), 5);
        assert_eq!(halves(7 << 64 | 5), (5, 7));
    }

    #[test]
    fn floating_numbers_are_rounded() {
        assert_eq!(nearest_f32(0.1), 0.1f32);
        assert_eq!(toward_zero::<i64>(-2.9), -2);
        assert_eq!(toward_zero::<u64>(-2.9), 0);
        assert_eq!(toward_zero::<i128>(f64::INFINITY), i128::MAX);
        assert_eq!(toward_zero::<u128>(f64::NAN), 0);
    }
}
