//! The numbers that a program knows: what it compares with, and what it computes with.
//!
//! Where inputs decide, they mostly do so by being equal to, below or above such a number.

use norn_exec::op::{Code, Op, Scalar, Src};
use norn_ir::number::low_32;
use norn_ir::program::Origin;
use norn_ir::types::Ty;
use std::collections::BTreeSet;

/// More would be drawn too seldom to matter.
const MOST: usize = 512;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Constants {
    /// Of comparisons and switches, with their signs.
    pub compared: Vec<u64>,
    /// Of everything else.
    pub others: Vec<u64>,
    /// The bits of `double`s.
    pub floats: Vec<u64>,
}

impl Constants {
    /// Those of the user's functions.
    pub fn of(code: &Code) -> Constants {
        let (mut compared, mut others, mut floats) = (Set::default(), Set::default(), Set::default());
        for (number, function) in code.functions.iter().enumerate() {
            if function.origin != Origin::User {
                continue;
            }
            let end = code.functions.get(number + 1).map_or(code.ops.len(), |next| next.start as usize);
            for op in &code.ops[function.start as usize..end] {
                match *op {
                    Op::Compare { ty, lhs, rhs, .. } if ty.ty.is_float() => {
                        [lhs, rhs].into_iter().for_each(|src| floats.add_float(ty.ty, src));
                    }
                    Op::Compare { ty, lhs, rhs, .. } if !ty.is_pointer() => {
                        [lhs, rhs].into_iter().for_each(|src| compared.add_src(ty, src));
                    }
                    Op::Binary { ty, lhs, rhs, .. } if ty.ty.is_float() => {
                        [lhs, rhs].into_iter().for_each(|src| floats.add_float(ty.ty, src));
                    }
                    Op::Binary { ty, lhs, rhs, .. } => {
                        [lhs, rhs].into_iter().for_each(|src| others.add_src(ty, src));
                    }
                    Op::Store { ty, value, .. } if ty.ty.is_int() => others.add_src(ty, value),
                    Op::Switch { table, .. } => {
                        for &(case, _) in &code.switches[table as usize].cases {
                            compared.add(case);
                            compared.add(low_32(case) as i32 as i64 as u64);
                        }
                    }
                    _ => {}
                }
            }
        }
        Constants { compared: compared.list, others: others.list, floats: floats.list }
    }
}

#[derive(Default)]
struct Set {
    list: Vec<u64>,
    known: BTreeSet<u64>,
}

impl Set {
    fn add(&mut self, value: u64) {
        if self.list.len() < MOST && self.known.insert(value) {
            self.list.push(value);
        }
    }

    /// With its sign, and without if that is another number.
    fn add_src(&mut self, ty: Scalar, src: Src) {
        if let Src::Imm(bits) = src {
            let shift = 64 - u32::from(ty.width.clamp(1, 64));
            self.add(((bits << shift) as i64 >> shift) as u64);
            self.add(ty.cut(bits));
        }
    }

    fn add_float(&mut self, ty: Ty, src: Src) {
        if let Src::Imm(bits) = src {
            self.add(if ty == Ty::F32 { f64::from(f32::from_bits(low_32(bits))).to_bits() } else { bits });
        }
    }
}
