//! The circuits of floating point: IEEE 754, rounded to nearest with ties to even.
//!
//! A float is taken apart into its sign, its exponent and its significand with the hidden bit. Exponents are *biased* as in the
//! format, so that the smallest normal number has exponent 1; where they may leave the format, they are signed numbers
//! with two more bits. Bits that are lost to the right are gathered in the lowest bit that stays, the *sticky* bit,
//! which says whether what was lost is zero: with one more bit above it, this decides how to round. A magnitude, which
//! is exponent and fraction as one number, is rounded up by adding one: a carry goes into the exponent, up to infinity.
//!
//! Subnormal numbers are made normal before multiplication and division only. What is not a number follows the header
//! of `terms/float.rs`.

mod arithmetic;
mod conversion;
#[cfg(test)]
mod tests;

use super::Blaster;
use crate::clauses::{ClauseSink, Lit};

/// Where the parts of a float are, from the lowest bit on: fraction, exponent, sign.
#[derive(Clone, Copy)]
struct Format {
    fraction: usize,
    exponent: usize,
}

impl Format {
    fn of(width: usize) -> Format {
        match width {
            32 => Format { fraction: 23, exponent: 8 },
            64 => Format { fraction: 52, exponent: 11 },
            _ => unreachable!("a float should have 32 or 64 bits, not {width}"),
        }
    }

    /// The exponent of 1.
    fn bias(self) -> u64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The bits of a signed exponent that may be outside of the format.
    fn wide(self) -> usize {
        self.exponent + 2
    }
}

/// A float that is taken apart.
struct Parts {
    sign: Lit,
    fraction: Vec<Lit>,
    exponent: Vec<Lit>,
    /// The exponent is 0: zero or subnormal.
    is_small: Lit,
    is_zero: Lit,
    is_infinite: Lit,
    is_nan: Lit,
}

impl Parts {
    /// The fraction with the hidden bit.
    fn significand(&self) -> Vec<Lit> {
        let mut bits = self.fraction.clone();
        bits.push(!self.is_small);
        bits
    }
}

/// What an operation gives, NaNs aside.
struct Outcome {
    sign: Lit,
    /// Exponent and fraction of a finite result.
    magnitude: Vec<Lit>,
    is_infinite: Lit,
    /// There is no result.
    is_invalid: Lit,
}

impl<S: ClauseSink> Blaster<S> {
    fn parts(&mut self, bits: &[Lit]) -> Parts {
        let format = Format::of(bits.len());
        let (fraction, rest) = bits.split_at(format.fraction);
        let (exponent, sign) = rest.split_at(format.exponent);
        let is_extreme = self.gates.and_all(&mut exponent.to_vec());
        let is_small = !self.gates.or_all(&mut exponent.to_vec());
        let has_fraction = self.gates.or_all(&mut fraction.to_vec());
        Parts {
            sign: sign[0],
            fraction: fraction.to_vec(),
            exponent: exponent.to_vec(),
            is_small,
            is_zero: self.gates.and(is_small, !has_fraction),
            is_infinite: self.gates.and(is_extreme, !has_fraction),
            is_nan: self.gates.and(is_extreme, has_fraction),
        }
    }

    /// The exponent that the significand goes with: subnormal numbers have that of the smallest normal number.
    fn scale(&mut self, parts: &Parts) -> Vec<Lit> {
        let mut exponent = parts.exponent.clone();
        exponent[0] = self.gates.or(exponent[0], parts.is_small);
        exponent
    }

    /// The float of an outcome, or the NaN that was given. `nan` is its sign and its fraction.
    fn assembled(&mut self, format: Format, outcome: Outcome, is_nan: Lit, nan: (Lit, Vec<Lit>)) -> Vec<Lit> {
        let Outcome { sign, magnitude, is_infinite, is_invalid } = outcome;
        let (nan_sign, nan_fraction) = nan;
        let without_number = self.gates.or(is_nan, is_invalid);
        let is_special = self.gates.or(without_number, is_infinite);
        let is_empty = self.gates.or(is_invalid, is_infinite);
        let mut bits = Vec::with_capacity(magnitude.len() + 1);
        for (number, &bit) in magnitude.iter().enumerate() {
            bits.push(if number >= format.fraction {
                self.gates.or(bit, is_special)
            } else if number + 1 == format.fraction {
                let kept = self.gates.and(bit, !is_infinite);
                self.gates.or(kept, without_number)
            } else {
                let kept = self.gates.and(bit, !is_empty);
                self.gates.mux(is_nan, nan_fraction[number], kept)
            });
        }
        let sign = self.gates.or(sign, is_invalid);
        bits.push(self.gates.mux(is_nan, nan_sign, sign));
        bits
    }

    /// The magnitude of a significand with two more bits below it, the lower one of them sticky, and its exponent, which is
    /// signed. The highest bit of the significand must be 1, unless the exponent is so small that nothing is left.
    fn rounded(&mut self, format: Format, exponent: &[Lit], significand: Vec<Lit>) -> Vec<Lit> {
        debug_assert_eq!(significand.len(), format.fraction + 3);
        let sign = exponent[exponent.len() - 1];
        let is_nonzero = self.gates.or_all(&mut exponent.to_vec());
        let is_small = self.gates.or(sign, !is_nonzero);
        // Shifted right by one minus the exponent, where that is positive.
        let one = self.number(1, exponent.len());
        let distance = self.difference(&one, exponent).0;
        let distance: Vec<Lit> = distance.into_iter().map(|bit| self.gates.and(bit, is_small)).collect();
        let significand = self.shifted_sticky(significand, &distance);
        let mut magnitude = significand[2..2 + format.fraction].to_vec();
        magnitude.extend(exponent[..format.exponent].iter().map(|&bit| self.gates.and(bit, !is_small)));
        let magnitude = self.rounded_up(magnitude, &significand[..2]);
        // Infinite from the exponent above the largest on; by a carry, it is so already.
        let high = self.gates.or_all(&mut exponent[format.exponent..].to_vec());
        let extreme = self.gates.and_all(&mut exponent[..format.exponent].to_vec());
        let too_large = self.gates.or(high, extreme);
        let too_large = self.gates.and(too_large, !sign);
        self.infinite_if(format, too_large, magnitude)
    }

    fn infinite_if(&mut self, format: Format, condition: Lit, magnitude: Vec<Lit>) -> Vec<Lit> {
        let bits = magnitude.into_iter().enumerate();
        bits.map(|(number, bit)| match number < format.fraction {
            true => self.gates.and(bit, !condition),
            false => self.gates.or(bit, condition),
        })
        .collect()
    }

    /// One more if the bits below say so: more than half, or half and the number is odd.
    fn rounded_up(&mut self, magnitude: Vec<Lit>, below: &[Lit]) -> Vec<Lit> {
        let Some((&half, rest)) = below.split_last() else { return magnitude };
        let mut others = rest.to_vec();
        others.push(magnitude[0]);
        let others = self.gates.or_all(&mut others);
        let up = self.gates.and(half, others);
        let zero = self.number(0, magnitude.len());
        self.sum(&magnitude, &zero, up)
    }

    /// Shifted to the right; the lowest bit is 1 if it or a bit that was lost is.
    fn shifted_sticky(&mut self, mut bits: Vec<Lit>, by: &[Lit]) -> Vec<Lit> {
        let width = bits.len();
        let zero = self.gates.constant(false);
        let mut too_far = Vec::new();
        for (stage, &shifts) in by.iter().enumerate() {
            if stage >= 32 || 1 << stage >= width {
                too_far.push(shifts);
                continue;
            }
            let distance = 1 << stage;
            let sticky = self.gates.or_all(&mut bits[..=distance].to_vec());
            bits[0] = self.gates.mux(shifts, sticky, bits[0]);
            for bit in 1..width {
                let from = bits.get(bit + distance).copied().unwrap_or(zero);
                bits[bit] = self.gates.mux(shifts, from, bits[bit]);
            }
        }
        let too_far = self.gates.or_all(&mut too_far);
        let sticky = self.gates.or_all(&mut bits.clone());
        bits[0] = self.gates.mux(too_far, sticky, bits[0]);
        for bit in &mut bits[1..] {
            *bit = self.gates.and(*bit, !too_far);
        }
        bits
    }

    /// Shifted to the left until the highest bit is 1, and the distance. Only zero still has a highest bit of 0.
    fn normalised(&mut self, mut bits: Vec<Lit>) -> (Vec<Lit>, Vec<Lit>) {
        let width = bits.len();
        let stages = (usize::BITS - (width - 1).leading_zeros()) as usize;
        let mut distance = vec![self.gates.constant(false); stages];
        for stage in (0..stages).rev() {
            let shifts = !self.gates.or_all(&mut bits[width - (1 << stage)..].to_vec());
            bits = self.shifted_left_if(shifts, bits, 1 << stage);
            distance[stage] = shifts;
        }
        (bits, distance)
    }

    fn shifted_left_if(&mut self, condition: Lit, bits: Vec<Lit>, distance: usize) -> Vec<Lit> {
        let zero = self.gates.constant(false);
        let from = |bit: usize| if bit < distance { zero } else { bits[bit - distance] };
        (0..bits.len()).map(|bit| self.gates.mux(condition, from(bit), bits[bit])).collect()
    }

    /// The higher bits, with one more below that is 1 if one of the lower bits is; `count` bits in all.
    fn with_sticky(&mut self, bits: &[Lit], count: usize) -> Vec<Lit> {
        let border = bits.len() - (count - 1);
        let mut kept = vec![self.gates.or_all(&mut bits[..border].to_vec())];
        kept.extend_from_slice(&bits[border..]);
        kept
    }

    fn number(&self, value: u64, width: usize) -> Vec<Lit> {
        (0..width).map(|bit| self.gates.constant(bit < 64 && value >> bit & 1 == 1)).collect()
    }

    /// The bits with zeros above them.
    fn extended(&self, bits: &[Lit], width: usize) -> Vec<Lit> {
        let mut bits = bits.to_vec();
        bits.resize(width, self.gates.constant(false));
        bits
    }

    fn chosen(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        a.iter().zip(b).map(|(&a, &b)| self.gates.mux(condition, a, b)).collect()
    }

    fn all_and(&mut self, bits: &[Lit], condition: Lit) -> Vec<Lit> {
        bits.iter().map(|&bit| self.gates.and(bit, condition)).collect()
    }
}
