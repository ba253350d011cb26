//! `long double` literals: the number in the format of the x87 that is nearest, found with integers of any size.

use norn_ir::number::{halves, low_32, narrow, narrow_to};

/// A number in the format of the x87: mantissa, and exponent with sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extended {
    pub mantissa: u64,
    pub head: u16,
}

impl Extended {
    /// The same number as a `double`, if there is one.
    pub fn as_double(self) -> Option<f64> {
        let exponent = i64::from(self.head & 0x7fff) - 16383 + 1023;
        match self.mantissa {
            0 => Some(0.0),
            mantissa if mantissa << 53 == 0 && (1..2047).contains(&exponent) => {
                let fraction = mantissa << 1 >> 12;
                Some(f64::from_bits((exponent as u64) << 52 | fraction))
            }
            _ => None,
        }
    }

    /// In memory.
    pub fn bytes(self) -> [u8; 10] {
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&self.mantissa.to_le_bytes());
        bytes[8..].copy_from_slice(&self.head.to_le_bytes());
        bytes
    }
}

/// Longer literals would take long.
const MOST_DIGITS: usize = 1000;

/// The number that `mantissa` (digits with at most one point) times a power says: of 10, or of 2 if the digits are hexadecimal.
/// `None` if it has very many digits.
pub fn extended(mantissa: &str, exponent: &str, radix: u32) -> Option<Extended> {
    if mantissa.len() > MOST_DIGITS {
        return None;
    }
    let clamped = exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') { i64::MIN } else { i64::MAX });
    let mut exponent = clamped.clamp(-(1 << 20), 1 << 20);
    let per_digit = if radix == 16 { 4 } else { 1 };
    let mut number = Big::default();
    let mut is_fraction = false;
    for c in mantissa.chars() {
        match c.to_digit(radix) {
            Some(digit) => {
                number.times(radix);
                number.plus(digit);
                exponent -= if is_fraction { per_digit } else { 0 };
            }
            None => is_fraction = true,
        }
    }
    if number.bits() == 0 {
        return Some(Extended { mantissa: 0, head: 0 });
    }
    let mut divisor = Big(vec![1]);
    let mut binary = 0;
    if radix == 16 {
        binary = exponent;
    } else {
        // Beyond these powers the number is infinite or zero.
        let most = 5000 + MOST_DIGITS as i64;
        let power = exponent.clamp(-most, most);
        let scaled = if power > 0 { &mut number } else { &mut divisor };
        (0..power.abs()).for_each(|_| scaled.times(10));
    }
    Some(nearest(number, divisor, binary))
}

/// The number nearest to `number / divisor * 2^binary`.
fn nearest(mut number: Big, mut divisor: Big, binary: i64) -> Extended {
    // So scaled, the quotient has 66 or 67 bits before the point, two more than are kept.
    let shift = 66 - (number.bits() as i64 - divisor.bits() as i64);
    if shift > 0 {
        number.shift(narrow_to(shift))
    } else {
        divisor.shift(narrow_to(-shift))
    }
    let mut quotient: u128 = 0;
    divisor.shift(67);
    for _ in 0..68 {
        quotient <<= 1;
        if number.at_least(&divisor) {
            number.minus(&divisor);
            quotient |= 1;
        }
        number.shift(1);
    }
    let mut sticky = number.bits() > 0;
    // The value is the quotient * 2^scale.
    let scale = binary - shift;
    let width = i64::from(128 - quotient.leading_zeros());
    let drop = (width - 64).max(-16445 - scale);
    if drop > 127 {
        return Extended { mantissa: 0, head: 0 };
    }
    let drop = narrow(drop.max(0));
    let half = if drop > 0 { quotient >> (drop - 1) & 1 == 1 } else { false };
    sticky |= drop > 1 && quotient & ((1 << (drop - 1)) - 1) != 0;
    let mut kept = quotient >> drop;
    if half && (sticky || kept & 1 == 1) {
        kept += 1;
    }
    let mut scale = scale + i64::from(drop);
    let unused = kept.leading_zeros().saturating_sub(64).min(narrow((scale + 16445).max(0)));
    kept <<= unused;
    scale -= i64::from(unused);
    if kept >> 64 != 0 {
        kept >>= 1;
        scale += 1;
    }
    let exponent = scale + 63 + 16383;
    match halves(kept).0 {
        _ if exponent >= 0x7fff => Extended { mantissa: 1 << 63, head: 0x7fff },
        mantissa if mantissa >> 63 == 0 => Extended { mantissa, head: 0 },
        mantissa => Extended { mantissa, head: narrow_to(exponent) },
    }
}

/// An integer, its digits of 32 bits from the least significant one; without zeros at the end.
#[derive(Default)]
struct Big(Vec<u32>);

impl Big {
    fn bits(&self) -> usize {
        self.0.last().map_or(0, |last| self.0.len() * 32 - last.leading_zeros() as usize)
    }

    fn times(&mut self, factor: u32) {
        let mut carry = 0;
        for digit in &mut self.0 {
            let product = u64::from(*digit) * u64::from(factor) + carry;
            *digit = low_32(product);
            carry = product >> 32;
        }
        self.push(narrow(carry));
    }

    fn plus(&mut self, number: u32) {
        let mut carry = number;
        for digit in &mut self.0 {
            let (sum, overflows) = digit.overflowing_add(carry);
            *digit = sum;
            carry = u32::from(overflows);
        }
        self.push(carry);
    }

    fn push(&mut self, digit: u32) {
        if digit != 0 {
            self.0.push(digit);
        }
    }

    fn shift(&mut self, bits: usize) {
        if self.0.is_empty() {
            return;
        }
        self.times(1 << (bits % 32));
        self.0.splice(0..0, std::iter::repeat_n(0, bits / 32));
    }

    fn at_least(&self, other: &Big) -> bool {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev())).is_ge()
    }

    /// Takes away a number that is not larger.
    fn minus(&mut self, other: &Big) {
        let mut borrow = false;
        for (i, digit) in self.0.iter_mut().enumerate() {
            let (less, below) = digit.overflowing_sub(other.0.get(i).copied().unwrap_or(0));
            let (less, below_too) = less.overflowing_sub(u32::from(borrow));
            *digit = less;
            borrow = below || below_too;
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}
