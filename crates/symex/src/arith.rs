//! Arithmetic as terms: the results of instructions without memory, and the condition under which an overflow check
//! reports one.
//!
//! Floats are computed where they are known, also where they are one of a few known values. There is no symbolic
//! floating point: other operations on floats have no result here (`None`).

use norn_ir::instr::{BinaryOp, CastOp, CompareOp, RmwOp, UnaryOp};
use norn_ir::types::{Target, Ty};
use norn_logic::terms::{Node, Term, Terms};

/// Leaves of a tree of constants that a float operation looks at.
const MOST_LEAVES: usize = 64;

/// The result, and the condition under which an overflow check reports it. The caller has to exclude division by zero.
pub fn binary(terms: &mut Terms, op: BinaryOp, ty: Ty, lhs: Term, rhs: Term) -> Option<(Term, Term)> {
    if ty == Ty::Bool {
        let result = match op {
            BinaryOp::And => terms.and(lhs, rhs),
            BinaryOp::Or => terms.or(lhs, rhs),
            BinaryOp::Xor => terms.xor(lhs, rhs),
            _ => return None,
        };
        return Some((result, Term::FALSE));
    }
    if ty.is_float() {
        return float_binary(terms, op, ty, lhs, rhs).map(|result| (result, Term::FALSE));
    }
    let width = terms.width(lhs);
    let plain = |result: Term| Some((result, Term::FALSE));
    match op {
        BinaryOp::Add => plain(terms.add(lhs, rhs)),
        BinaryOp::Sub => plain(terms.sub(lhs, rhs)),
        BinaryOp::Mul => plain(terms.mul(lhs, rhs)),
        BinaryOp::AddSigned => {
            let result = terms.add(lhs, rhs);
            Some((result, add_overflows(terms, lhs, rhs, result)))
        }
        BinaryOp::SubSigned => {
            let result = terms.sub(lhs, rhs);
            // lhs = rhs + result
            Some((result, add_overflows(terms, rhs, result, lhs)))
        }
        BinaryOp::MulSigned => {
            let result = terms.mul(lhs, rhs);
            Some((result, mul_overflows(terms, lhs, rhs, result)))
        }
        BinaryOp::DivSigned => Some((terms.sdiv(lhs, rhs), division_overflows(terms, lhs, rhs))),
        BinaryOp::RemSigned => Some((terms.srem(lhs, rhs), division_overflows(terms, lhs, rhs))),
        BinaryOp::DivUnsigned => plain(terms.udiv(lhs, rhs)),
        BinaryOp::RemUnsigned => plain(terms.urem(lhs, rhs)),
        BinaryOp::And => plain(terms.bit_and(lhs, rhs)),
        BinaryOp::Or => plain(terms.bit_or(lhs, rhs)),
        BinaryOp::Xor => plain(terms.bit_xor(lhs, rhs)),
        BinaryOp::Shl | BinaryOp::ShlSigned | BinaryOp::ShrSigned | BinaryOp::ShrUnsigned => {
            let most = terms.bits(width, u64::from(width - 1));
            let outside = terms.ult(most, rhs);
            // Widths are powers of two.
            let amount = terms.bit_and(rhs, most);
            let result = match op {
                BinaryOp::Shl => terms.shl(lhs, amount),
                BinaryOp::ShlSigned => {
                    let result = terms.shl(lhs, amount);
                    // Shifted back, a number that is not negative comes out again if the result is one that fits.
                    let negative = sign(terms, lhs);
                    let back = terms.ashr(result, amount);
                    let lost = terms.ne(back, lhs);
                    let wrong = terms.or(negative, lost);
                    return Some((result, terms.or(outside, wrong)));
                }
                BinaryOp::ShrSigned => terms.ashr(lhs, amount),
                _ => terms.lshr(lhs, amount),
            };
            Some((result, outside))
        }
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv => None,
    }
}

fn sign(terms: &mut Terms, a: Term) -> Term {
    let bit = terms.extract(a, terms.width(a) - 1, 1);
    terms.to_bool(bit)
}

/// Both have the same sign and the sum has another.
fn add_overflows(terms: &mut Terms, a: Term, b: Term, sum: Term) -> Term {
    let (a, b, sum) = (sign(terms, a), sign(terms, b), sign(terms, sum));
    let same = terms.iff(a, b);
    let differs = terms.xor(a, sum);
    terms.and(same, differs)
}

fn mul_overflows(terms: &mut Terms, a: Term, b: Term, product: Term) -> Term {
    let width = terms.width(a);
    if width <= 32 {
        let (x, y) = (terms.sext(a, 2 * width), terms.sext(b, 2 * width));
        let (wide, expected) = (terms.mul(x, y), terms.sext(product, 2 * width));
        return terms.ne(wide, expected);
    }
    let (zero, minus_one) = (terms.bits(width, 0), terms.bits(width, u64::MAX));
    let least = terms.bits(width, 1 << (width - 1));
    let nonzero = terms.ne(a, zero);
    let back = terms.sdiv(product, a);
    let other = terms.ne(back, b);
    let (is_minus_one, is_least) = (terms.eq(a, minus_one), terms.eq(b, least));
    let special = terms.and(is_minus_one, is_least);
    let wrong = terms.or(other, special);
    terms.and(nonzero, wrong)
}

fn division_overflows(terms: &mut Terms, lhs: Term, rhs: Term) -> Term {
    let width = terms.width(lhs);
    let (least, minus_one) = (terms.bits(width, 1 << (width - 1)), terms.bits(width, u64::MAX));
    let (a, b) = (terms.eq(lhs, least), terms.eq(rhs, minus_one));
    terms.and(a, b)
}

/// The comparison of two numbers as a Boolean term; not for pointers.
pub fn compare(terms: &mut Terms, op: CompareOp, ty: Ty, lhs: Term, rhs: Term) -> Option<Term> {
    Some(match op {
        CompareOp::Eq if ty == Ty::Bool => terms.iff(lhs, rhs),
        CompareOp::Ne if ty == Ty::Bool => terms.xor(lhs, rhs),
        CompareOp::Eq => terms.eq(lhs, rhs),
        CompareOp::Ne => terms.ne(lhs, rhs),
        CompareOp::LtSigned => terms.slt(lhs, rhs),
        CompareOp::LeSigned => terms.sle(lhs, rhs),
        CompareOp::LtUnsigned => terms.ult(lhs, rhs),
        CompareOp::LeUnsigned => terms.ule(lhs, rhs),
        CompareOp::FEq | CompareOp::FNe | CompareOp::FLt | CompareOp::FLe => {
            let test = |a: u64, b: u64| {
                let (a, b) = (to_f64(ty, a), to_f64(ty, b));
                match op {
                    CompareOp::FEq => a == b,
                    CompareOp::FNe => a != b,
                    CompareOp::FLt => a < b,
                    _ => a <= b,
                }
            };
            return by_leaves(terms, lhs, &mut |terms, a| {
                by_leaves(terms, rhs, &mut |terms, b| Some(terms.bool(test(a, b))))
            });
        }
    })
}

pub fn unary(terms: &mut Terms, op: UnaryOp, src: Term) -> Term {
    let width = terms.width(src);
    match op {
        UnaryOp::FNeg => {
            let sign = terms.bits(width, 1 << (width - 1));
            terms.bit_xor(src, sign)
        }
        UnaryOp::PopCount => terms.popcount(src),
        UnaryOp::LeadingZeros => terms.clz(src),
        UnaryOp::TrailingZeros => terms.ctz(src),
        UnaryOp::ByteSwap => {
            let bytes: Vec<Term> = (0..width / 8).map(|i| terms.extract(src, i * 8, 8)).collect();
            let swapped = bytes.into_iter().reduce(|high, low| terms.concat(high, low));
            swapped.unwrap_or(src)
        }
    }
}

/// A cast between numbers; the caller handles `PtrToInt` and `IntToPtr`.
pub fn cast(terms: &mut Terms, op: CastOp, from: Ty, to: Ty, target: Target, src: Term) -> Option<Term> {
    let width = to.bits(target);
    Some(match op {
        CastOp::ZeroExtend if from == Ty::Bool => terms.from_bool(src, width),
        CastOp::ZeroExtend | CastOp::Truncate | CastOp::PtrToInt | CastOp::IntToPtr => resize(terms, src, width),
        CastOp::SignExtend => terms.sext(src, width),
        CastOp::SignedToFloat
        | CastOp::UnsignedToFloat
        | CastOp::FloatToSigned
        | CastOp::FloatToUnsigned
        | CastOp::FloatToFloat => {
            let from_width = from.bits(target);
            return by_leaves(terms, src, &mut |terms, bits| {
                let result = float_cast(op, from, to, from_width, width, bits);
                Some(terms.bits(width, result))
            });
        }
    })
}

/// Cut off, or filled up with zeros.
pub fn resize(terms: &mut Terms, src: Term, width: u32) -> Term {
    if terms.is_bool(src) {
        return terms.from_bool(src, width);
    }
    match terms.width(src).cmp(&width) {
        std::cmp::Ordering::Less => terms.zext(src, width),
        std::cmp::Ordering::Equal => src,
        std::cmp::Ordering::Greater => terms.extract(src, 0, width),
    }
}

/// The number that a read-modify-write leaves in memory.
pub fn rmw(terms: &mut Terms, op: RmwOp, old: Term, operand: Term) -> Term {
    match op {
        RmwOp::Exchange => operand,
        RmwOp::Add => terms.add(old, operand),
        RmwOp::Sub => terms.sub(old, operand),
        RmwOp::And => terms.bit_and(old, operand),
        RmwOp::Or => terms.bit_or(old, operand),
        RmwOp::Xor => terms.bit_xor(old, operand),
        RmwOp::Nand => {
            let both = terms.bit_and(old, operand);
            terms.bit_not(both)
        }
    }
}

/// Applies an operation to the constants that a term can be, if those are all and few.
fn by_leaves(terms: &mut Terms, term: Term, apply: &mut dyn FnMut(&mut Terms, u64) -> Option<Term>) -> Option<Term> {
    fn walk(
        terms: &mut Terms,
        term: Term,
        left: &mut usize,
        apply: &mut dyn FnMut(&mut Terms, u64) -> Option<Term>,
    ) -> Option<Term> {
        *left = left.checked_sub(1)?;
        match terms.node(term) {
            Node::Bits(bits) => apply(terms, bits),
            Node::Ite(condition, a, b) => {
                let (a, b) = (walk(terms, a, left, apply)?, walk(terms, b, left, apply)?);
                Some(terms.ite(condition, a, b))
            }
            _ => None,
        }
    }
    walk(terms, term, &mut (2 * MOST_LEAVES), apply)
}

fn float_binary(terms: &mut Terms, op: BinaryOp, ty: Ty, lhs: Term, rhs: Term) -> Option<Term> {
    let width = terms.width(lhs);
    let apply = |a: u64, b: u64| -> Option<u64> {
        Some(match ty {
            Ty::F32 => {
                let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
                let result = match op {
                    BinaryOp::FAdd => a + b,
                    BinaryOp::FSub => a - b,
                    BinaryOp::FMul => a * b,
                    BinaryOp::FDiv => a / b,
                    _ => return None,
                };
                u64::from(result.to_bits())
            }
            _ => {
                let (a, b) = (f64::from_bits(a), f64::from_bits(b));
                let result = match op {
                    BinaryOp::FAdd => a + b,
                    BinaryOp::FSub => a - b,
                    BinaryOp::FMul => a * b,
                    BinaryOp::FDiv => a / b,
                    _ => return None,
                };
                result.to_bits()
            }
        })
    };
    by_leaves(terms, lhs, &mut |terms, a| {
        by_leaves(terms, rhs, &mut |terms, b| apply(a, b).map(|bits| terms.bits(width, bits)))
    })
}

fn to_f64(ty: Ty, bits: u64) -> f64 {
    match ty {
        Ty::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

fn float_cast(op: CastOp, from: Ty, to: Ty, from_width: u32, width: u32, bits: u64) -> u64 {
    let unused = 64 - from_width;
    let number = ((bits << unused) as i64) >> unused;
    let float = |double: f64, single: f32| match to {
        Ty::F32 => u64::from(single.to_bits()),
        _ => double.to_bits(),
    };
    match op {
        CastOp::SignedToFloat => float(number as f64, number as f32),
        CastOp::UnsignedToFloat => float(bits as f64, bits as f32),
        CastOp::FloatToFloat => {
            let x = to_f64(from, bits);
            float(x, x as f32)
        }
        _ => {
            let x = to_f64(from, bits).trunc();
            let signed = op == CastOp::FloatToSigned;
            let (low, high) = if signed {
                (-(2f64.powi(width as i32 - 1)), 2f64.powi(width as i32 - 1))
            } else {
                (0.0, 2f64.powi(width as i32))
            };
            match (x >= low && x < high, signed) {
                (true, true) => x as i64 as u64,
                (true, false) => x as u64,
                // Out of range the smallest value of the width, as on x86.
                (false, _) => 1 << (width - 1),
            }
        }
    }
}
