//! Floating point against the processor: terms of constants, terms of variables, and circuits.
//!
//! Circuits are computed without a solver. The clauses of a gate say when its output is true and when it is false; that one of
//! both holds for all inputs is checked on the way. 64 inputs are computed at once.

use crate::blast::Blaster;
use crate::cadical::CaDiCaL;
use crate::clauses::{ClauseSink, Lit};
use crate::sat::{Answer, Sat};
use crate::terms::fold::{mask, signed};
use crate::terms::{Conversion, FloatOp, Memo, Sort, Term, Terms};
use norn_ir::number::{low_32, low_64, narrow, narrow_to, nearest_f32, toward_zero};
use norn_testing::Random;
use norn_verdict::limits::Limits;

/// Pairs of numbers for each operation.
const PAIRS: usize = 100_000;

type Build = dyn Fn(&mut Terms, Term, Term) -> Term;

/// An operation on one or two numbers of one width: how it is built, and what it means.
struct Operation {
    name: &'static str,
    width: u32,
    /// The second operand is not used.
    is_unary: bool,
    /// The operands are integers.
    of_integers: bool,
    build: Box<Build>,
    meaning: Box<dyn Fn(u64, u64) -> u64>,
}

fn operations() -> Vec<Operation> {
    let mut list = Vec::new();
    macro_rules! arithmetic {
        ($name:expr, $op:ident, $sign:tt) => {
            list.push(binary($name, 32, |terms, a, b| terms.float(FloatOp::$op, a, b), |a, b| {
                let (a, b) = (f32::from_bits(low_32(a)), f32::from_bits(low_32(b)));
                u64::from((a $sign b).to_bits())
            }));
            list.push(binary($name, 64, |terms, a, b| terms.float(FloatOp::$op, a, b), |a, b| {
                (f64::from_bits(a) $sign f64::from_bits(b)).to_bits()
            }));
        };
    }
    arithmetic!("add", Add, +);
    arithmetic!("sub", Sub, -);
    arithmetic!("mul", Mul, *);
    arithmetic!("div", Div, /);
    macro_rules! comparison {
        ($name:expr, $build:expr, $sign:tt) => {
            list.push(binary($name, 32, $build, |a, b| u64::from(f32::from_bits(low_32(a)) $sign f32::from_bits(low_32(b)))));
            list.push(binary($name, 64, $build, |a, b| u64::from(f64::from_bits(a) $sign f64::from_bits(b))));
        };
    }
    comparison!("eq", Terms::float_eq, ==);
    comparison!("ne", |terms, a, b| !terms.float_eq(a, b), !=);
    comparison!("lt", Terms::float_lt, <);
    comparison!("le", Terms::float_le, <=);
    comparison!("gt", |terms, a, b| terms.float_lt(b, a), >);
    comparison!("ge", |terms, a, b| terms.float_le(b, a), >=);

    let convert = |name, from, to, conversion, of_integers, meaning: fn(u64, u32, u32) -> u64| Operation {
        name,
        width: from,
        is_unary: true,
        of_integers,
        build: Box::new(move |terms, a, _| terms.convert(conversion, a, to)),
        meaning: Box::new(move |a, _| meaning(a, from, to)),
    };
    for float in [32, 64] {
        for integer in [8, 16, 32, 64] {
            list.push(convert("from signed", integer, float, Conversion::SignedToFloat, true, |a, from, to| {
                let number = signed(from, a);
                if to == 32 { u64::from((number as f32).to_bits()) } else { (number as f64).to_bits() }
            }));
            list.push(convert("from unsigned", integer, float, Conversion::UnsignedToFloat, true, |a, _, to| {
                if to == 32 { u64::from((a as f32).to_bits()) } else { (a as f64).to_bits() }
            }));
            list.push(convert("to signed", float, integer, Conversion::FloatToSigned, false, |a, from, to| {
                let x = number(from, a);
                // Every number that fits saturates to itself in a wider type; 128 bits hold all that matter.
                let wide = toward_zero(x);
                let fits = !x.is_nan() && wide >= -(1 << (to - 1)) && wide < 1 << (to - 1);
                if fits { low_64(wide) & mask(to) } else { 1 << (to - 1) }
            }));
            list.push(convert("to unsigned", float, integer, Conversion::FloatToUnsigned, false, |a, from, to| {
                let x = number(from, a);
                let wide = toward_zero(x);
                if !x.is_nan() && (0..1 << to).contains(&wide) { low_64(wide) } else { 1 << (to - 1) }
            }));
        }
    }
    list.push(convert("widen", 32, 64, Conversion::FloatToFloat, false, |a, _, _| {
        f64::from(f32::from_bits(low_32(a))).to_bits()
    }));
    list.push(convert("narrow", 64, 32, Conversion::FloatToFloat, false, |a, _, _| {
        u64::from(nearest_f32(f64::from_bits(a)).to_bits())
    }));
    list
}

fn binary(
    name: &'static str,
    width: u32,
    build: impl Fn(&mut Terms, Term, Term) -> Term + 'static,
    meaning: impl Fn(u64, u64) -> u64 + 'static,
) -> Operation {
    Operation { name, width, is_unary: false, of_integers: false, build: Box::new(build), meaning: Box::new(meaning) }
}

fn number(width: u32, bits: u64) -> f64 {
    if width == 32 { f64::from(f32::from_bits(low_32(bits))) } else { f64::from_bits(bits) }
}

/// Two numbers on which operations have to take care: special ones, neighbours of them, numbers of like exponents, numbers of
/// few digits, and any.
fn pair(random: &mut Random, operation: &Operation) -> (u64, u64) {
    let width = operation.width;
    if operation.of_integers {
        let number = random.number() >> random.below(64);
        let number = if random.one_in(2) { number.wrapping_neg() } else { number };
        return (number & mask(width), 0);
    }
    let fraction = if width == 32 { 23 } else { 52 };
    let exponent = width - 1 - fraction;
    let a = one(random, width, fraction);
    let b = match random.below(4) {
        // Close to the first, for sums that cancel, quotients near one and comparisons.
        0 => {
            let sign = random.below(2) << (width - 1);
            (a ^ sign).wrapping_add(random.below(5)).wrapping_sub(2) & mask(width)
        }
        // A like exponent, or one that brings the product to the ends of the format.
        1 => {
            let near =
                (a >> fraction).wrapping_add(random.below(2 * u64::from(fraction))).wrapping_sub(u64::from(fraction));
            let near = if random.one_in(3) { !near } else { near };
            (one(random, width, fraction) & !(mask(exponent) << fraction)) | (near & mask(exponent)) << fraction
        }
        _ => one(random, width, fraction),
    };
    (a, b)
}

fn one(random: &mut Random, width: u32, fraction: u32) -> u64 {
    let infinity = mask(width - 1 - fraction) << fraction;
    let sign = random.below(2) << (width - 1);
    let specials =
        [0, 1, 1 << fraction, infinity - 1, infinity, infinity | 1, infinity | 1 << (fraction - 1), infinity >> 1];
    let bits = match random.below(6) {
        0 => random.pick(&specials).wrapping_add(random.below(3)),
        // Integers up to the width and around, and their halves.
        1 => {
            let whole = random.number() >> random.below(64);
            let half = if random.one_in(3) { 0.5 } else { 0.0 };
            let x = whole as f64 + half;
            if width == 32 { u64::from((nearest_f32(x)).to_bits()) } else { x.to_bits() }
        }
        // Few digits, so that results are exact or half way.
        2 => random.number() & mask(width) & !(mask(fraction) >> random.below(u64::from(fraction))),
        // Subnormal.
        3 if random.one_in(2) => random.number() & mask(fraction) >> random.below(u64::from(fraction)),
        _ => random.number(),
    };
    (bits ^ sign) & mask(width)
}

/// Of NaNs, only that they are.
fn agree(width: u32, found: u64, expected: u64) -> bool {
    let is_nan = |bits: u64| (width == 32 || width == 64) && number(width, bits).is_nan();
    found == expected || is_nan(found) && is_nan(expected)
}

/// Keeps the clauses by the newest variable in them.
#[derive(Default)]
struct Definitions {
    by_variable: Vec<Vec<Vec<Lit>>>,
    clauses: usize,
}

impl ClauseSink for Definitions {
    fn new_var(&mut self) -> Lit {
        self.by_variable.push(Vec::new());
        Lit::from_dimacs(narrow_to(self.by_variable.len()))
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.clauses += 1;
        let newest = literals.iter().map(|literal| literal.variable()).max().unwrap();
        self.by_variable[newest as usize - 1].push(literals.to_vec());
    }
}

impl Definitions {
    /// The values of all variables under 64 assignments of the inputs, which are the variables without clauses.
    fn compute(&self, inputs: &dyn Fn(u32) -> u64) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::with_capacity(self.by_variable.len());
        for (index, clauses) in self.by_variable.iter().enumerate() {
            let variable = narrow(index) + 1;
            if clauses.is_empty() {
                values.push(inputs(variable));
                continue;
            }
            let (mut is_true, mut is_false) = (0, 0);
            for clause in clauses {
                let mut others_false = u64::MAX;
                let mut own = None;
                for &literal in clause {
                    if literal.variable() == variable {
                        own = Some(literal);
                    } else {
                        others_false &= !value(&values, literal);
                    }
                }
                match own.unwrap().is_negative() {
                    true => is_false |= others_false,
                    false => is_true |= others_false,
                }
            }
            assert_eq!(is_true, !is_false, "the clauses of a gate should give it exactly one value");
            values.push(is_true);
        }
        values
    }
}

fn value(values: &[u64], literal: Lit) -> u64 {
    let value = values[literal.variable() as usize - 1];
    if literal.is_negative() { !value } else { value }
}

/// An operation on variables, translated.
struct Circuit {
    blaster: Blaster<Definitions>,
    inputs: [Vec<Lit>; 2],
    output: Vec<Lit>,
    result: u32,
}

impl Circuit {
    fn new(operation: &Operation) -> Circuit {
        let mut terms = Terms::new();
        let mut blaster = Blaster::new(Definitions::default());
        let (x, y) = (terms.fresh(Sort::Bits(operation.width)), terms.fresh(Sort::Bits(operation.width)));
        let inputs = [blaster.bits(&terms, x).to_vec(), blaster.bits(&terms, y).to_vec()];
        let term = (operation.build)(&mut terms, x, y);
        let output =
            if terms.is_bool(term) { vec![blaster.lit(&terms, term)] } else { blaster.bits(&terms, term).to_vec() };
        Circuit { blaster, inputs, output, result: terms.width(term) }
    }

    fn check(&self, operation: &Operation, pairs: &[(u64, u64)]) {
        let first = self.inputs[0][0].variable();
        let width = operation.width;
        let inputs = |variable: u32| {
            let bit = variable - first;
            let of = |&(a, b): &(u64, u64)| if bit < width { a >> bit & 1 } else { b >> (bit - width) & 1 };
            pairs.iter().enumerate().fold(0, |word, (place, pair)| word | of(pair) << place)
        };
        let values = self.blaster.sink().compute(&inputs);
        for (place, &(a, b)) in pairs.iter().enumerate() {
            let bits = self.output.iter().enumerate();
            let found = bits.fold(0, |sum, (bit, &literal)| sum | (value(&values, literal) >> place & 1) << bit);
            let expected = (operation.meaning)(a, b);
            assert!(
                agree(self.result, found, expected),
                "circuit: {} of {a:#x} and {b:#x} at {width} to {} bits: {found:#x}, not {expected:#x}",
                operation.name,
                self.result
            );
        }
    }
}

fn check_circuits(chosen: impl Fn(&Operation) -> bool) {
    for (number, operation) in operations().iter().enumerate().filter(|(_, operation)| chosen(operation)) {
        let mut random = Random::new(number as u64 + 1);
        let circuit = Circuit::new(operation);
        for _ in 0..PAIRS.div_ceil(64) {
            let pairs: Vec<(u64, u64)> = (0..64).map(|_| pair(&mut random, operation)).collect();
            circuit.check(operation, &pairs);
        }
    }
}

#[test]
fn circuits_of_sums_compute_as_the_processor_does() {
    check_circuits(|operation| matches!(operation.name, "add" | "sub"));
}

#[test]
fn circuits_of_products_compute_as_the_processor_does() {
    check_circuits(|operation| operation.name == "mul");
}

#[test]
fn circuits_of_quotients_compute_as_the_processor_does() {
    check_circuits(|operation| operation.name == "div");
}

#[test]
fn other_circuits_compute_as_the_processor_does() {
    check_circuits(|operation| !matches!(operation.name, "add" | "sub" | "mul" | "div"));
}

#[test]
fn terms_mean_what_the_processor_computes() {
    const TERMS: usize = 200;
    for (number, operation) in operations().iter().enumerate() {
        let mut random = Random::new(number as u64 + 100);
        for _ in 0..PAIRS / TERMS {
            let mut terms = Terms::new();
            let (x, y) = (terms.fresh(Sort::Bits(operation.width)), terms.fresh(Sort::Bits(operation.width)));
            let open = (operation.build)(&mut terms, x, y);
            let result = terms.width(open);
            for _ in 0..TERMS {
                let (a, b) = pair(&mut random, operation);
                let expected = (operation.meaning)(a, b);
                let (left, right) = (terms.bits(operation.width, a), terms.bits(operation.width, b));
                let (half, other) = ((operation.build)(&mut terms, x, right), (operation.build)(&mut terms, left, y));
                let folded = (operation.build)(&mut terms, left, right);
                assert!(terms.as_bits(folded).is_some() || terms.as_bool(folded).is_some(), "constants should fold");
                for term in [open, half, other, folded] {
                    let value = |variable: Term| if variable == x { a } else { b };
                    let found = terms.evaluate(term, &mut Memo::default(), &value);
                    assert!(
                        agree(result, found, expected),
                        "{} of {a:#x} and {b:#x} at {} bits: {found:#x}, not {expected:#x}, of {:?}",
                        operation.name,
                        operation.width,
                        terms.node(term)
                    );
                }
            }
        }
    }
}

/// NaNs to the bit: circuits and terms agree with one another, and with the rule in the header of the terms.
#[test]
fn the_bits_of_a_nan_are_those_of_the_first() {
    for width in [32, 64] {
        let (sign, fraction) = (1u64 << (width - 1), if width == 32 { 23 } else { 52 });
        let infinity = mask(width - 1) >> fraction << fraction;
        let quiet = 1 << (fraction - 1);
        let numbers = [
            0,
            sign,
            number_one(width),
            infinity,
            infinity | sign,
            infinity | 1,
            infinity | sign | 5,
            infinity | quiet | 7,
            infinity | quiet | sign,
        ];
        let is_nan = |bits: u64| bits & !sign > infinity;
        for op in [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div] {
            let operation = binary("op", width, move |terms, a, b| terms.float(op, a, b), |_, _| 0);
            let circuit = Circuit::new(&operation);
            for a in numbers {
                for b in numbers {
                    let mut terms = Terms::new();
                    let (left, right) = (terms.bits(width, a), terms.bits(width, b));
                    let folded = terms.float(op, left, right);
                    let folded = terms.as_bits(folded).unwrap();
                    if is_nan(folded) {
                        let first = [a, b].into_iter().find(|&bits| is_nan(bits));
                        assert_eq!(folded, first.map_or(sign | infinity | quiet, |bits| bits | quiet));
                    }
                    let inputs = [a, b];
                    let first = circuit.inputs[0][0].variable();
                    let values = circuit.blaster.sink().compute(&|variable| {
                        let bit = variable - first;
                        inputs[(bit / width) as usize] >> (bit % width) & 1
                    });
                    let bits = circuit.output.iter().enumerate();
                    let found = bits.fold(0, |sum, (bit, &literal)| sum | (value(&values, literal) & 1) << bit);
                    assert_eq!(found, folded, "{op:?} of {a:#x} and {b:#x}");
                }
            }
        }
        let other = 96 - width;
        let operation = Operation {
            is_unary: true,
            ..binary("resize", width, move |terms, a, _| terms.convert(Conversion::FloatToFloat, a, other), |_, _| 0)
        };
        let circuit = Circuit::new(&operation);
        for a in numbers {
            let mut terms = Terms::new();
            let constant = terms.bits(width, a);
            let folded = terms.convert(Conversion::FloatToFloat, constant, other);
            let first = circuit.inputs[0][0].variable();
            let values = circuit.blaster.sink().compute(&|variable| a >> ((variable - first) % width) & 1);
            let bits = circuit.output.iter().enumerate();
            let found = bits.fold(0, |sum, (bit, &literal)| sum | (value(&values, literal) & 1) << bit);
            assert_eq!(Some(found), terms.as_bits(folded), "{a:#x} to {other} bits");
        }
    }
}

fn number_one(width: u32) -> u64 {
    if width == 32 { u64::from(1f32.to_bits()) } else { 1f64.to_bits() }
}

#[test]
fn the_solver_finds_the_same_results() {
    for (number, operation) in operations().iter().enumerate() {
        let mut random = Random::new(number as u64 + 200);
        let mut terms = Terms::new();
        let mut blaster = Blaster::new(CaDiCaL::new());
        let (x, y) = (terms.fresh(Sort::Bits(operation.width)), terms.fresh(Sort::Bits(operation.width)));
        let term = (operation.build)(&mut terms, x, y);
        let mut inputs = blaster.bits(&terms, x).to_vec();
        inputs.extend_from_slice(blaster.bits(&terms, y));
        let output =
            if terms.is_bool(term) { vec![blaster.lit(&terms, term)] } else { blaster.bits(&terms, term).to_vec() };
        for _ in 0..12 {
            let (a, b) = pair(&mut random, operation);
            let bits = (0..operation.width).map(|bit| a >> bit & 1).chain((0..operation.width).map(|bit| b >> bit & 1));
            let assumptions: Vec<Lit> = inputs.iter().zip(bits).map(|(input, bit)| input.negate_if(bit == 0)).collect();
            let solver = blaster.sink_mut();
            assert_eq!(solver.solve(&assumptions, &Limits::none()), Answer::Sat);
            let found = output.iter().rev().fold(0, |sum, &bit| sum << 1 | u64::from(solver.value(bit)));
            let expected = (operation.meaning)(a, b);
            let result = terms.width(term);
            assert!(agree(result, found, expected), "{} of {a:#x} and {b:#x}", operation.name);
        }
    }
}

/// From results to operands, which is what engines ask for.
#[test]
fn the_solver_finds_operands() {
    let mut random = Random::new(9);
    for op in [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div] {
        for _ in 0..6 {
            let mut terms = Terms::new();
            let operation = binary("op", 32, move |terms, a, b| terms.float(op, a, b), |_, _| 0);
            let (a, b) = pair(&mut random, &operation);
            let (x, y, left) = (terms.fresh(Sort::Bits(32)), terms.bits(32, b), terms.bits(32, a));
            let (open, wanted) = (terms.float(op, x, y), terms.float(op, left, y));
            let claim = terms.eq(open, wanted);
            let mut blaster = Blaster::new(CaDiCaL::new());
            blaster.assert(&terms, claim);
            assert_eq!(blaster.sink_mut().solve(&[], &Limits::none()), Answer::Sat, "{op:?} of {a:#x} and {b:#x}");
            let value = |variable: Term| blaster.model_value(&terms, variable);
            assert!(terms.holds(claim, &mut Memo::default(), &value), "{op:?} of {a:#x} and {b:#x}");
        }
    }
}

/// Clauses of each operation on variables. A circuit that grows makes every program with floats slower.
#[test]
fn circuits_stay_small() {
    let most = |name: &str, width: u32| match (name, width) {
        ("add" | "sub", 32) => 5_000,
        ("add" | "sub", _) => 12_000,
        ("mul", 32) => 14_000,
        ("mul", _) => 60_000,
        ("div", 32) => 18_000,
        ("div", _) => 70_000,
        ("eq" | "ne" | "lt" | "le" | "gt" | "ge", _) => 1_500,
        _ => 4_000,
    };
    for operation in operations() {
        let clauses = Circuit::new(&operation).blaster.sink().clauses;
        let (name, width) = (operation.name, operation.width);
        assert!(clauses <= most(name, width), "{name} of {width} bits has {clauses} clauses");
        assert!(operation.is_unary || clauses > 0);
    }
}
