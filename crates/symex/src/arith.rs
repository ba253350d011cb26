//! Arithmetic as terms: the results of instructions without memory, and the condition under which an overflow check
//! reports one.

use norn_ir::instr::{BinaryOp, CastOp, CompareOp, RmwOp, UnaryOp};
use norn_ir::types::{Target, Ty};
use norn_logic::terms::{Conversion, FloatOp, Term, Terms};

/// The result, and the condition under which an overflow check reports it. The caller has to exclude division by zero.
pub fn binary(terms: &mut Terms, op: BinaryOp, ty: Ty, lhs: Term, rhs: Term) -> (Term, Term) {
    if ty == Ty::Bool {
        let result = match op {
            BinaryOp::And => terms.and(lhs, rhs),
            BinaryOp::Or => terms.or(lhs, rhs),
            BinaryOp::Xor => terms.xor(lhs, rhs),
            _ => unreachable!("validation should keep arithmetic to numbers"),
        };
        return (result, Term::FALSE);
    }
    let width = terms.width(lhs);
    let plain = |result: Term| (result, Term::FALSE);
    match op {
        BinaryOp::Add => plain(terms.add(lhs, rhs)),
        BinaryOp::Sub => plain(terms.sub(lhs, rhs)),
        BinaryOp::Mul => plain(terms.mul(lhs, rhs)),
        BinaryOp::AddSigned => {
            let result = terms.add(lhs, rhs);
            (result, add_overflows(terms, lhs, rhs, result))
        }
        BinaryOp::SubSigned => {
            let result = terms.sub(lhs, rhs);
            // lhs = rhs + result
            (result, add_overflows(terms, rhs, result, lhs))
        }
        BinaryOp::MulSigned => {
            let result = terms.mul(lhs, rhs);
            (result, mul_overflows(terms, lhs, rhs, result))
        }
        BinaryOp::DivSigned => (terms.sdiv(lhs, rhs), division_overflows(terms, lhs, rhs)),
        BinaryOp::RemSigned => (terms.srem(lhs, rhs), division_overflows(terms, lhs, rhs)),
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
                    return (result, terms.or(outside, wrong));
                }
                BinaryOp::ShrSigned => terms.ashr(lhs, amount),
                _ => terms.lshr(lhs, amount),
            };
            (result, outside)
        }
        BinaryOp::FAdd => plain(terms.float(FloatOp::Add, lhs, rhs)),
        BinaryOp::FSub => plain(terms.float(FloatOp::Sub, lhs, rhs)),
        BinaryOp::FMul => plain(terms.float(FloatOp::Mul, lhs, rhs)),
        BinaryOp::FDiv => plain(terms.float(FloatOp::Div, lhs, rhs)),
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
pub fn compare(terms: &mut Terms, op: CompareOp, ty: Ty, lhs: Term, rhs: Term) -> Term {
    match op {
        CompareOp::Eq if ty == Ty::Bool => terms.iff(lhs, rhs),
        CompareOp::Ne if ty == Ty::Bool => terms.xor(lhs, rhs),
        CompareOp::Eq => terms.eq(lhs, rhs),
        CompareOp::Ne => terms.ne(lhs, rhs),
        CompareOp::LtSigned => terms.slt(lhs, rhs),
        CompareOp::LeSigned => terms.sle(lhs, rhs),
        CompareOp::LtUnsigned => terms.ult(lhs, rhs),
        CompareOp::LeUnsigned => terms.ule(lhs, rhs),
        CompareOp::FEq => terms.float_eq(lhs, rhs),
        CompareOp::FNe => !terms.float_eq(lhs, rhs),
        CompareOp::FLt => terms.float_lt(lhs, rhs),
        CompareOp::FLe => terms.float_le(lhs, rhs),
    }
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
pub fn cast(terms: &mut Terms, op: CastOp, from: Ty, to: Ty, target: Target, src: Term) -> Term {
    let width = to.bits(target);
    let conversion = match op {
        CastOp::ZeroExtend if from == Ty::Bool => return terms.from_bool(src, width),
        CastOp::ZeroExtend | CastOp::Truncate | CastOp::PtrToInt | CastOp::IntToPtr => {
            return resize(terms, src, width);
        }
        CastOp::SignExtend => return terms.sext(src, width),
        CastOp::SignedToFloat => Conversion::SignedToFloat,
        CastOp::UnsignedToFloat => Conversion::UnsignedToFloat,
        CastOp::FloatToSigned => Conversion::FloatToSigned,
        CastOp::FloatToUnsigned => Conversion::FloatToUnsigned,
        CastOp::FloatToFloat => Conversion::FloatToFloat,
    };
    terms.convert(conversion, src, width)
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
