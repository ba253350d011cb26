//! Addition, subtraction, multiplication and division of floats.

use super::{Format, Outcome, Parts};
use crate::blast::Blaster;
use crate::clauses::{ClauseSink, Lit};
use crate::terms::FloatOp;

impl<S: ClauseSink> Blaster<S> {
    pub(in crate::blast) fn float(&mut self, op: FloatOp, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let format = Format::of(a.len());
        let (x, y) = (self.parts(a), self.parts(b));
        let outcome = match op {
            FloatOp::Add => self.float_sum(format, a, b, [&x, &y], y.sign),
            FloatOp::Sub => self.float_sum(format, a, b, [&x, &y], !y.sign),
            FloatOp::Mul => self.float_product(format, &x, &y),
            FloatOp::Div => self.float_quotient(format, &x, &y),
        };
        let is_nan = self.gates.or(x.is_nan, y.is_nan);
        let nan = (self.gates.mux(x.is_nan, x.sign, y.sign), self.chosen(x.is_nan, &x.fraction, &y.fraction));
        self.assembled(format, outcome, is_nan, nan)
    }

    /// The smaller magnitude is aligned with the larger one, then both are added or subtracted.
    fn float_sum(&mut self, format: Format, a: &[Lit], b: &[Lit], parts: [&Parts; 2], b_sign: Lit) -> Outcome {
        let [x, y] = parts;
        let magnitude = format.fraction + format.exponent;
        let is_less = self.less(&a[..magnitude], &b[..magnitude]);
        let subtracts = self.gates.xor(x.sign, b_sign);
        let (x_scale, y_scale) = (self.scale(x), self.scale(y));
        let (x_digits, y_digits) = (x.significand(), y.significand());
        let (large, small) = (self.chosen(is_less, &y_digits, &x_digits), self.chosen(is_less, &x_digits, &y_digits));
        let (scale, below) = (self.chosen(is_less, &y_scale, &x_scale), self.chosen(is_less, &x_scale, &y_scale));
        let distance = self.difference(&scale, &below).0;

        // Three bits below, of which the lowest is sticky, are enough: if more than one is lost, no more than one high bit
        // cancels. One bit above takes the carry.
        let zero = self.gates.constant(false);
        let with_room = |digits: &[Lit]| [&[zero; 3], digits, &[zero]].concat();
        let small = self.shifted_sticky(with_room(&small), &distance);
        let small: Vec<Lit> = small.into_iter().map(|bit| self.gates.xor(bit, subtracts)).collect();
        let sum = self.sum(&with_room(&large), &small, subtracts);

        let is_zero = !self.gates.or_all(&mut sum.clone());
        let (digits, scale) = self.normalised_within(sum, scale);
        let top = digits[digits.len() - 1];
        // What could not be made normal has come to the exponent of the smallest, which is written as 0.
        let zeros = self.number(0, format.exponent);
        let exponent = self.sum(&scale, &zeros, top);
        let exponent = self.all_and(&exponent, !is_zero);
        let too_large = self.gates.and_all(&mut exponent.clone());
        let (below, rest) = digits.split_at(4);
        let mut magnitude = rest[..format.fraction].to_vec();
        magnitude.extend_from_slice(&exponent);
        let magnitude = self.rounded_up(magnitude, below);
        let magnitude = self.infinite_if(format, too_large, magnitude);

        // A difference that is exactly zero is positive.
        let both_negative = self.gates.and(x.sign, b_sign);
        let sign = self.gates.mux(is_less, b_sign, x.sign);
        let sign = self.gates.mux(is_zero, both_negative, sign);
        let both_infinite = self.gates.and(x.is_infinite, y.is_infinite);
        Outcome {
            sign,
            magnitude,
            is_infinite: self.gates.or(x.is_infinite, y.is_infinite),
            is_invalid: self.gates.and(both_infinite, subtracts),
        }
    }

    /// Shifted to the left until the highest bit is 1, but by no more than `most`; and what is left of `most`.
    fn normalised_within(&mut self, mut bits: Vec<Lit>, mut most: Vec<Lit>) -> (Vec<Lit>, Vec<Lit>) {
        let width = bits.len();
        let stages = ((usize::BITS - (width - 1).leading_zeros()) as usize).min(most.len());
        for stage in (0..stages).rev() {
            let is_needed = !self.gates.or_all(&mut bits[width - (1 << stage)..].to_vec());
            let is_left = self.gates.or_all(&mut most[stage..].to_vec());
            let shifts = self.gates.and(is_needed, is_left);
            bits = self.shifted_left_if(shifts, bits, 1 << stage);
            let mut taken = self.number(0, most.len() - stage);
            taken[0] = shifts;
            let rest = self.difference(&most[stage..], &taken).0;
            most[stage..].copy_from_slice(&rest);
        }
        (bits, most)
    }

    fn float_product(&mut self, format: Format, x: &Parts, y: &Parts) -> Outcome {
        let (x_digits, x_scale) = self.normal(format, x);
        let (y_digits, y_scale) = self.normal(format, y);
        let length = 2 * (format.fraction + 1);
        let product = self.product(self.extended(&x_digits, length), self.extended(&y_digits, length));
        // From 1 to just below 4.
        let is_large = product[length - 1];
        let digits = self.shifted_left_if(!is_large, product, 1);
        let digits = self.with_sticky(&digits, format.fraction + 3);
        let minus_bias = self.number(format.bias().wrapping_neg(), format.wide());
        let zero = self.gates.constant(false);
        let exponent = self.sum(&x_scale, &y_scale, zero);
        let exponent = self.sum(&exponent, &minus_bias, is_large);
        let magnitude = self.rounded(format, &exponent, digits);
        let is_zero = self.gates.or(x.is_zero, y.is_zero);
        let is_infinite = self.gates.or(x.is_infinite, y.is_infinite);
        Outcome {
            sign: self.gates.xor(x.sign, y.sign),
            magnitude: self.all_and(&magnitude, !is_zero),
            is_infinite,
            is_invalid: self.gates.and(is_zero, is_infinite),
        }
    }

    fn float_quotient(&mut self, format: Format, x: &Parts, y: &Parts) -> Outcome {
        let (x_digits, x_scale) = self.normal(format, x);
        let (y_digits, y_scale) = self.normal(format, y);
        // From above a half to just below 2, with two bits below the significand of the smaller ones; the rest is sticky.
        let length = format.fraction + 3;
        let divisor = self.extended(&y_digits, format.fraction + 2);
        let mut rest = self.extended(&x_digits, format.fraction + 2);
        let mut quotient = vec![self.gates.constant(false); length];
        for digit in (0..length).rev() {
            let (difference, fits) = self.difference(&rest, &divisor);
            quotient[digit] = fits;
            rest = self.chosen(fits, &difference, &rest);
            // What is left is less than the divisor: its highest bit is 0.
            rest.pop();
            rest.insert(0, self.gates.constant(false));
        }
        let is_large = quotient[length - 1];
        let sticky = self.gates.or_all(&mut rest);
        let mut digits = vec![sticky];
        digits.extend(self.shifted_left_if(!is_large, quotient, 1));
        let digits = self.with_sticky(&digits, format.fraction + 3);
        // The bias, or one less where the quotient is less than 1.
        let almost_bias = self.number(format.bias() - 1, format.wide());
        let exponent = self.difference(&x_scale, &y_scale).0;
        let exponent = self.sum(&exponent, &almost_bias, is_large);
        let magnitude = self.rounded(format, &exponent, digits);
        let (both_zero, both_infinite) =
            (self.gates.and(x.is_zero, y.is_zero), self.gates.and(x.is_infinite, y.is_infinite));
        let is_zero = self.gates.or(x.is_zero, y.is_infinite);
        Outcome {
            sign: self.gates.xor(x.sign, y.sign),
            magnitude: self.all_and(&magnitude, !is_zero),
            is_infinite: self.gates.or(x.is_infinite, y.is_zero),
            is_invalid: self.gates.or(both_zero, both_infinite),
        }
    }

    /// The significand with its highest bit 1 (unless it is zero), and the exponent that goes with it, which is signed.
    pub(super) fn normal(&mut self, format: Format, parts: &Parts) -> (Vec<Lit>, Vec<Lit>) {
        let (digits, distance) = self.normalised(parts.significand());
        let scale = self.scale(parts);
        let (scale, distance) = (self.extended(&scale, format.wide()), self.extended(&distance, format.wide()));
        (digits, self.difference(&scale, &distance).0)
    }
}
