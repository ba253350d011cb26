//! Values as C expressions. Registers are unsigned integers of fixed width, so `+`, `-`, `*` wrap as they should;
//! operations on signed numbers cast, and cast back. Compound expressions come in parentheses.

use crate::c_types::cell_type;
use crate::text::{digits, put};
use norn_ir::instr::{BinaryOp, CastOp, CompareOp, Const, InstrKind, Operand, RmwOp, UnaryOp};
use norn_ir::number::low_32;
use norn_ir::program::Function;
use norn_ir::types::{Target, Ty};

/// The C type of a register.
pub fn register_type(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool => "_Bool",
        Ty::F32 => "float",
        Ty::F64 => "double",
        _ => cell_type(ty),
    }
}

/// The signed integer as wide as a type.
fn signed_type(ty: Ty, target: Target) -> &'static str {
    match ty.size(target) {
        1 => "i8",
        2 => "i16",
        4 => "i32",
        _ => "i64",
    }
}

/// Adds a literal of an unsigned integer of so many bytes.
pub fn number(text: &mut String, bits: u64, size: u64) {
    let unused = 64 - 8 * size.min(8) as u32;
    let signed = ((bits << unused) as i64) >> unused;
    if (-4096..0).contains(&signed) {
        return put(text, format_args!("(u{}){signed}", size * 8));
    }
    digits(text, bits);
    match size {
        8 => text.push_str("ull"),
        4 => text.push('u'),
        _ => {}
    }
}

pub fn constant(text: &mut String, value: Const, target: Target) {
    let Const { ty, bits } = value;
    match ty {
        Ty::Bool => digits(text, bits),
        Ty::Ptr if bits == 0 => text.push_str("(address)0"),
        Ty::Ptr => put(text, format_args!("(address)(uptr){bits}ull")),
        Ty::F32 if f32::from_bits(low_32(bits)).is_finite() => {
            put(text, format_args!("{:?}f", f32::from_bits(low_32(bits))))
        }
        Ty::F64 if f64::from_bits(bits).is_finite() => put(text, format_args!("{:?}", f64::from_bits(bits))),
        Ty::F32 => put(text, format_args!("sma_f32({bits}u)")),
        Ty::F64 => put(text, format_args!("sma_f64({bits}ull)")),
        ty => number(text, bits, ty.size(target)),
    }
}

/// Adds an operand to a text.
pub type AddOperand<'a> = dyn FnMut(&mut String, Operand) + 'a;

/// Adds what an instruction without side effects computes; tells whether it is one. Each operand is asked for once, in
/// order.
pub fn value(
    text: &mut String,
    kind: &InstrKind,
    function: &Function,
    target: Target,
    operand: &mut AddOperand<'_>,
) -> bool {
    match *kind {
        InstrKind::Copy { src, .. } => operand(text, src),
        InstrKind::Binary { dst, op, lhs, rhs } => {
            let ty = function.ty(dst);
            match (sign_of(op, ty), ty.bits(target)) {
                (Some(sign), 32 | 64) => infix(text, "", lhs, sign, rhs, operand),
                (Some(sign @ ("&&" | "||" | "!=")), _) => infix(text, "", lhs, sign, rhs, operand),
                (Some(sign), _) => {
                    // Narrow operands are promoted to int, whose product might overflow.
                    text.extend(["(", register_type(ty), ")"]);
                    infix(text, "(u32)", lhs, sign, rhs, operand);
                }
                (None, _) => {
                    let (lhs, rhs) = (alone(lhs, operand), alone(rhs, operand));
                    divide_or_shift(text, op, ty, target, &lhs, &rhs);
                }
            }
        }
        InstrKind::Compare { op: op @ (CompareOp::LtSigned | CompareOp::LeSigned), ty, lhs, rhs, .. } => {
            let signed = &mut |text: &mut String, side: Operand| match side {
                Operand::Const(number) => signed_number(text, number.bits, ty, target),
                _ => {
                    text.extend(["(", signed_type(ty, target), ")"]);
                    operand(text, side);
                }
            };
            infix(text, "", lhs, compare_sign(op), rhs, signed);
        }
        InstrKind::Compare {
            op: op @ (CompareOp::LtUnsigned | CompareOp::LeUnsigned), ty: Ty::Ptr, lhs, rhs, ..
        } => {
            infix(text, "(uptr)", lhs, compare_sign(op), rhs, operand);
        }
        InstrKind::Compare { op, lhs, rhs, .. } => infix(text, "", lhs, compare_sign(op), rhs, operand),
        InstrKind::Unary { dst, op, src } => {
            let ty = function.ty(dst);
            let src = alone(src, operand);
            let (c, bits) = (register_type(ty), ty.bits(target));
            match op {
                UnaryOp::FNeg => put(text, format_args!("(-{src})")),
                UnaryOp::PopCount => put(text, format_args!("({c})sma_popcount({src})")),
                UnaryOp::LeadingZeros => put(text, format_args!("({c})sma_leading_zeros({src}, {bits})")),
                UnaryOp::TrailingZeros => put(text, format_args!("({c})sma_trailing_zeros({src}, {bits})")),
                UnaryOp::ByteSwap => put(text, format_args!("({c})sma_byte_swap({src}, {bits})")),
            }
        }
        InstrKind::Cast { dst, op, from, src } => cast(text, op, from, function.ty(dst), target, src, operand),
        InstrKind::Select { cond, then, otherwise, .. } => {
            text.push('(');
            operand(text, cond);
            text.push_str(" ? ");
            operand(text, then);
            text.push_str(" : ");
            operand(text, otherwise);
            text.push(')');
        }
        InstrKind::PtrAdd { base, index, scale, .. } => {
            text.push('(');
            operand(text, base);
            match index {
                Operand::Const(index) => {
                    let unused = 64 - Ty::Ptr.bits(target);
                    let by = (((index.bits << unused) as i64) >> unused).wrapping_mul(scale);
                    text.push_str(if by < 0 { " - " } else { " + " });
                    digits(text, by.unsigned_abs());
                    text.push(')');
                }
                _ => {
                    text.push_str(" + (iptr)");
                    operand(text, index);
                    put(text, format_args!(" * {scale})"));
                }
            }
        }
        InstrKind::PtrDiff { dst, lhs, rhs } => {
            text.extend(["(", register_type(function.ty(dst)), ")"]);
            infix(text, "", lhs, "-", rhs, operand);
        }
        _ => return false,
    }
    true
}

/// An operand as a text of its own.
fn alone(of: Operand, operand: &mut AddOperand<'_>) -> String {
    let mut text = String::new();
    operand(&mut text, of);
    text
}

/// `(a + b)`, each side with a cast before it.
fn infix(text: &mut String, cast: &str, lhs: Operand, sign: &str, rhs: Operand, operand: &mut AddOperand<'_>) {
    text.extend(["(", cast]);
    operand(text, lhs);
    text.extend([" ", sign, " ", cast]);
    operand(text, rhs);
    text.push(')');
}

/// The operator that C has for both signed and unsigned numbers, if it has.
fn sign_of(op: BinaryOp, ty: Ty) -> Option<&'static str> {
    Some(match op {
        BinaryOp::And if ty == Ty::Bool => "&&",
        BinaryOp::Or if ty == Ty::Bool => "||",
        BinaryOp::Xor if ty == Ty::Bool => "!=",
        BinaryOp::Add | BinaryOp::AddSigned | BinaryOp::FAdd => "+",
        BinaryOp::Sub | BinaryOp::SubSigned | BinaryOp::FSub => "-",
        BinaryOp::Mul | BinaryOp::MulSigned | BinaryOp::FMul => "*",
        BinaryOp::FDiv => "/",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        _ => return None,
    })
}

fn divide_or_shift(text: &mut String, op: BinaryOp, ty: Ty, target: Target, lhs: &str, rhs: &str) {
    let c = register_type(ty);
    let s = signed_type(ty, target);
    let width = ty.bits(target);
    let last = width - 1;
    match op {
        BinaryOp::DivUnsigned => put(text, format_args!("({c})({lhs} / {rhs})")),
        BinaryOp::RemUnsigned => put(text, format_args!("({c})({lhs} % {rhs})")),
        // The smallest number divided by -1 wraps here, but not in C.
        BinaryOp::DivSigned => {
            put(text, format_args!("({rhs} == ({c})-1 ? ({c})(0 - {lhs}) : ({c})(({s}){lhs} / ({s}){rhs}))"))
        }
        BinaryOp::RemSigned => put(text, format_args!("({rhs} == ({c})-1 ? ({c})0 : ({c})(({s}){lhs} % ({s}){rhs}))")),
        BinaryOp::Shl | BinaryOp::ShlSigned if width < 32 => {
            put(text, format_args!("({c})((u32){lhs} << ({rhs} & {last}))"))
        }
        BinaryOp::Shl | BinaryOp::ShlSigned => put(text, format_args!("({lhs} << ({rhs} & {last}))")),
        BinaryOp::ShrUnsigned => put(text, format_args!("({c})({lhs} >> ({rhs} & {last}))")),
        BinaryOp::ShrSigned => put(text, format_args!("({c})(({s}){lhs} >> ({rhs} & {last}))")),
        _ => {}
    }
}

fn compare_sign(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq | CompareOp::FEq => "==",
        CompareOp::Ne | CompareOp::FNe => "!=",
        CompareOp::LtSigned | CompareOp::LtUnsigned | CompareOp::FLt => "<",
        CompareOp::LeSigned | CompareOp::LeUnsigned | CompareOp::FLe => "<=",
    }
}

/// Adds a literal of a signed integer.
fn signed_number(text: &mut String, bits: u64, ty: Ty, target: Target) {
    let unused = 64 - ty.bits(target);
    let number = ((bits << unused) as i64) >> unused;
    match number {
        // C has no literals below zero: the smallest numbers would be taken for others.
        i64::MIN => put(text, format_args!("({}ll - 1)", i64::MIN + 1)),
        _ if i32::try_from(number).is_ok_and(|n| n != i32::MIN) => put(text, format_args!("{number}")),
        _ => put(text, format_args!("{number}ll")),
    }
}

fn cast(text: &mut String, op: CastOp, from: Ty, to: Ty, target: Target, src: Operand, operand: &mut AddOperand<'_>) {
    let c = register_type(to);
    match op {
        CastOp::ZeroExtend | CastOp::Truncate | CastOp::FloatToFloat | CastOp::UnsignedToFloat => {
            text.extend(["(", c, ")"]);
        }
        CastOp::SignExtend => {
            text.extend(["(", c, ")(", signed_type(to, target), ")(", signed_type(from, target), ")"]);
        }
        CastOp::PtrToInt | CastOp::IntToPtr => text.extend(["(", c, ")(uptr)"]),
        CastOp::SignedToFloat => text.extend(["(", c, ")(", signed_type(from, target), ")"]),
        // Out of range the result is the smallest number; in C anything may happen.
        CastOp::FloatToSigned | CastOp::FloatToUnsigned => {
            let src = alone(src, operand);
            let bits = to.bits(target);
            let (least, high, through) = match op {
                CastOp::FloatToSigned => {
                    let high = 2f64.powi(bits as i32 - 1);
                    let least = if bits < 64 { format!("-{high:?} - 1.0 <") } else { format!("-{high:?} <=") };
                    (least, high, signed_type(to, target))
                }
                _ => ("-1.0 <".to_owned(), 2f64.powi(bits as i32), c),
            };
            put(
                text,
                format_args!("({least} (double){src} && (double){src} < {high:?} ? ({c})({through}){src} : ({c})"),
            );
            number(text, 1 << (bits - 1), u64::from(bits / 8));
            text.push(')');
            return;
        }
    }
    operand(text, src);
}

/// Adds what a read-modify-write stores.
pub fn rmw(text: &mut String, op: RmwOp, ty: Ty, old: &str, operand: &str) {
    let c = cell_type(ty);
    let sign = rmw_sign(op);
    match (op, ty) {
        (RmwOp::Exchange, _) => text.push_str(operand),
        (RmwOp::Add | RmwOp::Sub, Ty::Ptr) => put(text, format_args!("({old} {sign} (iptr)(uptr){operand})")),
        (RmwOp::Nand, Ty::Ptr) => put(text, format_args!("(address)~((uptr){old} & (uptr){operand})")),
        (_, Ty::Ptr) => put(text, format_args!("(address)((uptr){old} {sign} (uptr){operand})")),
        (RmwOp::Nand, _) => put(text, format_args!("({c})~({old} & {operand})")),
        _ => put(text, format_args!("({c})({old} {sign} {operand})")),
    }
}

fn rmw_sign(op: RmwOp) -> &'static str {
    match op {
        RmwOp::Add => "+",
        RmwOp::Sub => "-",
        RmwOp::Or => "|",
        RmwOp::Xor => "^",
        RmwOp::And | RmwOp::Nand | RmwOp::Exchange => "&",
    }
}

/// Without the outermost parentheses.
pub fn top(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return text };
    let mut depth = 0i32;
    for c in inner.bytes() {
        depth += i32::from(c == b'(') - i32::from(c == b')');
        if depth < 0 {
            return text;
        }
    }
    inner
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outer_parentheses_go_only_if_they_match() {
        assert_eq!(top("(a + b)"), "a + b");
        assert_eq!(top("(a) + (b)"), "(a) + (b)");
        assert_eq!(top("((a) + (b))"), "(a) + (b)");
        assert_eq!(top("x"), "x");
    }

    #[test]
    fn numbers_say_their_width() {
        let number = |bits, size| {
            let mut text = String::new();
            number(&mut text, bits, size);
            text
        };
        let constant = |value| {
            let mut text = String::new();
            constant(&mut text, value, Target::Lp64);
            text
        };
        assert_eq!(number(5, 4), "5u");
        assert_eq!(number(0xffff_ffff, 4), "(u32)-1");
        assert_eq!(number(0xffff_ffff, 8), "4294967295ull");
        assert_eq!(number(255, 1), "(u8)-1");
        assert_eq!(constant(Const::NULL), "(address)0");
        assert_eq!(constant(Const { ty: Ty::F64, bits: 1.5f64.to_bits() }), "1.5");
    }
}
