//! Circuits against plain arithmetic, through the solver.

use super::Blaster;
use crate::cadical::CaDiCaL;
use crate::clauses::Lit;
use crate::sat::{Answer, Sat};
use crate::terms::tests::{COMPARISONS, Garden, OPERATIONS, value};
use crate::terms::{Memo, Sort, Term, Terms, fold};
use norn_ir::number::to_usize;
use norn_testing::Random;
use norn_verdict::limits::Limits;

/// All operations on two variables of one width, and the literals of what they give.
struct Bench {
    blaster: Blaster<CaDiCaL>,
    inputs: Vec<Lit>,
    outputs: Vec<(usize, Vec<Lit>)>,
    width: u32,
}

impl Bench {
    /// `constant` is the right operand, where it should not be a variable.
    fn new(width: u32, constant: Option<u64>) -> Bench {
        let mut terms = Terms::new();
        let mut blaster = Blaster::new(CaDiCaL::new());
        let x = terms.fresh(Sort::Bits(width));
        let y = match constant {
            Some(value) => terms.bits(width, value),
            None => terms.fresh(Sort::Bits(width)),
        };
        let mut inputs = blaster.bits(&terms, x).to_vec();
        inputs.extend_from_slice(blaster.bits(&terms, y));
        let mut outputs = Vec::new();
        for (index, (_, build, _)) in OPERATIONS.iter().chain(COMPARISONS).enumerate() {
            let term = build(&mut terms, x, y);
            let literals =
                if terms.is_bool(term) { vec![blaster.lit(&terms, term)] } else { blaster.bits(&terms, term).to_vec() };
            outputs.push((index, literals));
        }
        Bench { blaster, inputs, outputs, width }
    }

    fn check(&mut self, a: u64, b: u64) {
        let bit = |number: usize| {
            let width = self.width as usize;
            if number < width { a >> number & 1 == 1 } else { b >> (number - width) & 1 == 1 }
        };
        let mut assumptions: Vec<Lit> =
            self.inputs.iter().enumerate().map(|(number, input)| input.negate_if(!bit(number))).collect();
        let expected: Vec<(usize, u64)> = OPERATIONS
            .iter()
            .chain(COMPARISONS)
            .map(|(_, _, meaning)| meaning(self.width, a, b) & fold::mask(self.width))
            .enumerate()
            .collect();
        let solver = self.blaster.sink_mut();
        assert_eq!(solver.solve(&assumptions, &Limits::none()), Answer::Sat);
        for ((index, value), (_, output)) in expected.iter().zip(&self.outputs) {
            let (name, ..) = OPERATIONS.iter().chain(COMPARISONS).nth(*index).unwrap();
            let found = output.iter().rev().fold(0, |sum, &bit| sum << 1 | u64::from(solver.value(bit)));
            assert_eq!(found, *value, "{name} of {a} and {b} at {} bits", self.width);
        }
        // No other result is possible: the inputs decide every output.
        for ((index, value), (_, output)) in expected.iter().zip(&self.outputs) {
            let bit = to_usize(a ^ b) % output.len();
            let wrong = output[bit].negate_if(value >> bit & 1 == 1);
            assumptions.push(wrong);
            assert_eq!(solver.solve(&assumptions, &Limits::none()), Answer::Unsat, "operation {index}");
            assumptions.pop();
        }
    }
}

#[test]
fn circuits_compute_at_four_bits() {
    let mut bench = Bench::new(4, None);
    for a in 0..16 {
        for b in 0..16 {
            bench.check(a, b);
        }
    }
}

#[test]
fn circuits_with_constants_compute_at_four_bits() {
    for b in 0..16 {
        let mut bench = Bench::new(4, Some(b));
        for a in 0..16 {
            bench.check(a, b);
        }
    }
}

#[test]
fn circuits_compute_at_other_widths() {
    let mut random = Random::new(7);
    for width in [1, 2, 3, 5, 8, 13, 16, 32, 64] {
        let constant = value(&mut random, width);
        let mut bench = Bench::new(width, None);
        let mut with_constant = Bench::new(width, Some(constant));
        for _ in 0..12 {
            let (a, b) = (value(&mut random, width), value(&mut random, width));
            let b = if random.index(2) == 0 { b % u64::from(width) } else { b };
            bench.check(a, b);
            with_constant.check(a, constant);
        }
    }
}

/// The assignment with this number, of three Booleans and vectors of two widths.
fn assignment(number: u64, index: usize, terms: &Terms, variables: &[Term]) -> u64 {
    let shift: u32 = variables[..index].iter().map(|&variable| terms.width(variable).max(1)).sum();
    number >> shift & fold::mask(terms.width(variables[index]).max(1))
}

#[test]
fn what_is_asserted_has_exactly_its_models() {
    let mut satisfiable = 0;
    for seed in 0..300 {
        let mut garden = Garden::new(Random::new(seed), vec![2, 3]);
        for _ in 0..40 {
            garden.grow();
        }
        let terms = &mut garden.terms;
        let variables: Vec<Term> = (0..7).map(|index| terms.at(index + 1)).collect();
        let width: u32 = variables.iter().map(|&variable| terms.width(variable).max(1)).sum();
        let claims: Vec<Term> = garden.booleans.iter().rev().take(2).map(|(term, _)| *term).collect();
        for claim in [claims[0], !claims[0], terms.and(claims[0], !claims[1]), terms.or(claims[0], claims[1])] {
            let expected = (0..1u64 << width).any(|number| {
                let value = |variable: Term| {
                    let index = variables.iter().position(|&other| other == variable).unwrap();
                    assignment(number, index, terms, &variables)
                };
                terms.holds(claim, &mut Memo::default(), &value)
            });
            let mut blaster = Blaster::new(CaDiCaL::new());
            // What has a literal in full must go together with what is asserted in one direction.
            let literal = (seed % 3 == 0).then(|| blaster.lit(terms, claims[1]));
            blaster.assert(terms, claim);
            let after = (seed % 3 == 1).then(|| blaster.lit(terms, claims[1]));
            let answer = blaster.sink_mut().solve(&[], &Limits::none());
            assert_eq!(answer == Answer::Sat, expected, "seed {seed}");
            if answer == Answer::Sat {
                satisfiable += 1;
                let mut memo = Memo::default();
                let value = |variable: Term| blaster.model_value(terms, variable);
                assert!(
                    terms.holds(claim, &mut memo, &value),
                    "seed {seed}: the model should satisfy what was asserted"
                );
                if let Some(literal) = literal.or(after) {
                    let found = blaster.sink().value(literal);
                    assert_eq!(found, terms.holds(claims[1], &mut memo, &value), "seed {seed}");
                }
            }
        }
    }
    assert!((200..1100).contains(&satisfiable), "both answers should be common, but {satisfiable} were satisfiable");
}

#[test]
fn conditions_guard_what_they_assert() {
    let mut terms = Terms::new();
    let mut blaster = Blaster::new(CaDiCaL::new());
    let (x, y) = (terms.fresh(Sort::Bits(8)), terms.fresh(Sort::Bits(8)));
    let condition = terms.fresh(Sort::Bool);
    let condition = blaster.lit(&terms, condition);
    let differ = terms.ne(x, y);
    blaster.equal_if(&terms, &[condition], x, y);
    blaster.assert_if(&terms, !condition, differ);
    let differ = blaster.lit(&terms, differ);
    let solver = blaster.sink_mut();
    assert_eq!(solver.solve(&[condition, differ], &Limits::none()), Answer::Unsat);
    assert!(solver.failed(condition) && solver.failed(differ));
    assert_eq!(solver.solve(&[!condition, !differ], &Limits::none()), Answer::Unsat);
    assert_eq!(solver.solve(&[condition], &Limits::none()), Answer::Sat);
    assert_eq!(blaster.model_value(&terms, x), blaster.model_value(&terms, y));
}

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let mut terms = Terms::new();
    let (mut sum, mut parity) = (terms.fresh(Sort::Bits(2)), terms.fresh(Sort::Bool));
    for _ in 0..50_000 {
        let (vector, boolean) = (terms.fresh(Sort::Bits(2)), terms.fresh(Sort::Bool));
        sum = terms.add(sum, vector);
        parity = terms.xor(parity, boolean);
        parity = terms.or(parity, boolean);
        let mixed = terms.bit_xor(sum, vector);
        sum = terms.ite(boolean, mixed, sum);
    }
    let one = terms.bits(2, 1);
    let equal = terms.eq(sum, one);
    let claim = terms.and(equal, parity);
    let mut blaster = Blaster::new(CaDiCaL::new());
    blaster.assert(&terms, claim);
    assert_eq!(blaster.sink_mut().solve(&[], &Limits::none()), Answer::Sat);
    let value = |variable: Term| blaster.model_value(&terms, variable);
    assert!(terms.holds(claim, &mut Memo::default(), &value));
}

#[test]
fn a_counter_needs_few_bits() {
    const STEPS: u32 = 10;
    let mut terms = Terms::new();
    let mut count = terms.bits(32, 0);
    let one = terms.bits(32, 1);
    for _ in 0..STEPS {
        let (up, down) = (terms.fresh(Sort::Bool), terms.fresh(Sort::Bool));
        let (more, less) = (terms.add(count, one), terms.sub(count, one));
        let changed = terms.ite(up, more, less);
        count = terms.ite(down, changed, count);
    }
    let mut blaster = Blaster::new(CaDiCaL::new());
    let distinct: std::collections::BTreeSet<Lit> = blaster.bits(&terms, count).iter().copied().collect();
    assert!(distinct.len() <= 5, "-10 to 10 should need five bits, not {}", distinct.len());
    let minimum = terms.bits(32, (STEPS as u64).wrapping_neg());
    let below = terms.slt(count, minimum);
    let above = terms.eq(count, minimum);
    let (below, above) = (blaster.lit(&terms, below), blaster.lit(&terms, above));
    assert_eq!(blaster.sink_mut().solve(&[below], &Limits::none()), Answer::Unsat);
    assert_eq!(blaster.sink_mut().solve(&[above], &Limits::none()), Answer::Sat);
}
