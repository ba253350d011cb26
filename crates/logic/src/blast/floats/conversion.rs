//! Conversions between integers and floats, and between floats of two widths.

use super::{Format, Outcome};
use crate::blast::Blaster;
use crate::clauses::{ClauseSink, Lit};
use crate::terms::Conversion;

impl<S: ClauseSink> Blaster<S> {
    pub(in crate::blast) fn converted(&mut self, conversion: Conversion, a: &[Lit], width: usize) -> Vec<Lit> {
        let sign = a[a.len() - 1];
        match conversion {
            Conversion::SignedToFloat => {
                let magnitude = self.negated_if(sign, a);
                self.integer_to_float(sign, magnitude, Format::of(width))
            }
            Conversion::UnsignedToFloat => {
                self.integer_to_float(self.gates.constant(false), a.to_vec(), Format::of(width))
            }
            Conversion::FloatToSigned => self.float_to_integer(a, width, true),
            Conversion::FloatToUnsigned => self.float_to_integer(a, width, false),
            Conversion::FloatToFloat if a.len() < width => self.widened(a, Format::of(width)),
            Conversion::FloatToFloat => self.narrowed(a, Format::of(width)),
        }
    }

    fn integer_to_float(&mut self, sign: Lit, magnitude: Vec<Lit>, format: Format) -> Vec<Lit> {
        let (width, significand) = (magnitude.len(), format.fraction + 1);
        let (mut digits, distance) = self.normalised(magnitude);
        let top = digits[width - 1];
        while digits.len() < significand {
            digits.insert(0, self.gates.constant(false));
        }
        let below = digits.len() - significand;
        // The highest bit has the weight of the width, less what it was shifted.
        let largest = self.number(format.bias() + width as u64 - 1, format.exponent);
        let distance = self.extended(&distance, format.exponent);
        let exponent = self.difference(&largest, &distance).0;
        let exponent = self.all_and(&exponent, top);
        let mut result = digits[below..below + format.fraction].to_vec();
        result.extend(exponent);
        let mut result = self.rounded_up(result, &digits[..below]);
        result.push(sign);
        result
    }

    fn float_to_integer(&mut self, a: &[Lit], width: usize, is_signed: bool) -> Vec<Lit> {
        let format = Format::of(a.len());
        let parts = self.parts(a);
        // The highest bits of the significand, at the top of the integer, are shifted down to where they belong.
        let mut digits = parts.significand();
        digits.reverse();
        digits.resize(width, self.gates.constant(false));
        digits.reverse();
        let bias = self.number(format.bias(), format.wide());
        let exponent = self.extended(&parts.exponent, format.wide());
        let exponent = self.difference(&exponent, &bias).0;
        let is_fraction = exponent[exponent.len() - 1];
        let highest = self.number(width as u64 - 1, format.wide());
        let (distance, _) = self.difference(&highest, &exponent);
        let exceeds = distance[distance.len() - 1];
        let is_highest = !self.gates.or_all(&mut distance.clone());
        let distance = &distance[..width.trailing_zeros() as usize];
        let shifted = self.shifted_down(digits, distance);
        let number = self.all_and(&shifted, !is_fraction);
        let is_outside = match is_signed {
            // The smallest number is what stands for all that is outside.
            true => self.gates.or(exceeds, is_highest),
            false => {
                let negative = self.gates.and(parts.sign, !is_fraction);
                self.gates.or(exceeds, negative)
            }
        };
        let number = if is_signed { self.negated_if(parts.sign, &number) } else { number };
        let mut result = self.all_and(&number, !is_outside);
        result[width - 1] = self.gates.or(result[width - 1], is_outside);
        result
    }

    /// Every number of the narrow format is a normal number of the wide one, or zero.
    fn widened(&mut self, a: &[Lit], to: Format) -> Vec<Lit> {
        let from = Format::of(a.len());
        let parts = self.parts(a);
        let (digits, scale) = self.normal(from, &parts);
        let mut exponent = scale;
        exponent.resize(to.exponent, exponent[exponent.len() - 1]);
        let rebias = self.number(to.bias() - from.bias(), to.exponent);
        let exponent = self.sum(&exponent, &rebias, self.gates.constant(false));
        let padding = self.number(0, to.fraction - from.fraction);
        let magnitude = [&padding[..], &digits[..from.fraction], &exponent].concat();
        let outcome = Outcome {
            sign: parts.sign,
            magnitude: self.all_and(&magnitude, !parts.is_zero),
            is_infinite: parts.is_infinite,
            is_invalid: self.gates.constant(false),
        };
        let nan = (parts.sign, [&padding[..], &parts.fraction].concat());
        self.assembled(to, outcome, parts.is_nan, nan)
    }

    /// A subnormal number of the wide format rounds to zero in the narrow one.
    fn narrowed(&mut self, a: &[Lit], to: Format) -> Vec<Lit> {
        let from = Format::of(a.len());
        let parts = self.parts(a);
        let digits = self.with_sticky(&parts.significand(), to.fraction + 3);
        let scale = self.extended(&parts.exponent, from.wide());
        let rebias = self.number(from.bias() - to.bias(), from.wide());
        let exponent = self.difference(&scale, &rebias).0;
        let outcome = Outcome {
            sign: parts.sign,
            magnitude: self.rounded(to, &exponent, digits),
            is_infinite: parts.is_infinite,
            is_invalid: self.gates.constant(false),
        };
        let nan = (parts.sign, parts.fraction[from.fraction - to.fraction..].to_vec());
        self.assembled(to, outcome, parts.is_nan, nan)
    }

    fn shifted_down(&mut self, mut bits: Vec<Lit>, by: &[Lit]) -> Vec<Lit> {
        let zero = self.gates.constant(false);
        for (stage, &shifts) in by.iter().enumerate() {
            for bit in 0..bits.len() {
                let from = bits.get(bit + (1 << stage)).copied().unwrap_or(zero);
                bits[bit] = self.gates.mux(shifts, from, bits[bit]);
            }
        }
        bits
    }

    fn negated_if(&mut self, condition: Lit, bits: &[Lit]) -> Vec<Lit> {
        let turned: Vec<Lit> = bits.iter().map(|&bit| self.gates.xor(bit, condition)).collect();
        let zero = self.number(0, bits.len());
        self.sum(&turned, &zero, condition)
    }
}
