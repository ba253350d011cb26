//! Inputs of sampled executions: small numbers, the ends of types, powers of two, the constants of the program, and what lies beside
//! them; sometimes anything.

use norn_ir::instr::{Operand, TerminatorKind};
use norn_ir::program::{Origin, Program};
use norn_ir::types::Ty;
use norn_machine::hash::Random;
use norn_machine::{Inputs, Request};
use norn_verdict::schedule::ThreadName;
use std::collections::{BTreeMap, BTreeSet};

/// The constants that the user's code mentions, in order.
pub fn constants(program: &Program) -> Vec<u64> {
    let mut found = BTreeSet::new();
    let mut note = |operand: Operand| {
        if let Operand::Const(constant) = operand {
            found.insert(constant.bits);
        }
    };
    let mut cases = BTreeSet::new();
    for function in program.functions.iter().filter(|function| function.origin == Origin::User) {
        for block in &function.blocks {
            block.instrs.iter().for_each(|instr| instr.kind.for_each_operand(&mut note));
            block.terminator.kind.for_each_operand(&mut note);
            if let TerminatorKind::Switch { cases: list, .. } = &block.terminator.kind {
                cases.extend(list.iter().map(|case| case.0));
            }
        }
    }
    found.extend(cases);
    found.into_iter().collect()
}

/// Remembers what it gave, so that a schedule can say it.
pub struct Sampling<'a> {
    random: Random,
    constants: &'a [u64],
    pub given: BTreeMap<ThreadName, Vec<u64>>,
}

impl<'a> Sampling<'a> {
    pub fn new(seed: u64, constants: &'a [u64]) -> Sampling<'a> {
        Sampling { random: Random::new(seed), constants, given: BTreeMap::new() }
    }

    fn number(&mut self) -> u64 {
        const SMALL: usize = 4;
        let near = |value: u64, how: usize| match how {
            0 => value.wrapping_sub(1),
            1 => value.wrapping_add(1),
            2 => value.wrapping_neg(),
            _ => value,
        };
        let how = self.random.below(6);
        match self.random.below(10) {
            0..4 => self.random.below(SMALL) as u64,
            4..7 if !self.constants.is_empty() => {
                let chosen = self.random.below(self.constants.len());
                near(self.constants[chosen], how)
            }
            4..8 => near(1 << self.random.below(64), how),
            8 => near(0, how),
            _ => self.random.number() >> self.random.below(64),
        }
    }
}

impl Inputs for Sampling<'_> {
    fn next(&mut self, name: &ThreadName, request: &Request) -> Option<u64> {
        let number = self.number();
        let value = match request.ty {
            Ty::Bool => number & 1,
            Ty::I8 => number & 0xff,
            Ty::I16 => number & 0xffff,
            Ty::I32 => number & 0xffff_ffff,
            Ty::F32 => u64::from((number as i64 as f32).to_bits()),
            Ty::F64 => (number as i64 as f64).to_bits(),
            Ty::I64 | Ty::Ptr => number,
        };
        self.given.entry(name.clone()).or_default().push(value);
        Some(value)
    }
}
