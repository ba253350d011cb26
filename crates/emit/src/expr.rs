//! Values as C expressions. Registers are unsigned integers of fixed width, so `+`, `-`, `*` wrap as they should;
//! operations on signed numbers cast, and cast back. Compound expressions come in parentheses.

use crate::layout::cell_type;
use norn_ir::instr::{BinaryOp, CastOp, CompareOp, Const, InstrKind, Operand, RmwOp, UnaryOp};
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

/// A literal of an unsigned integer of so many bytes.
pub fn number(bits: u64, size: u64) -> String {
    let unused = 64 - 8 * size.min(8) as u32;
    let signed = ((bits << unused) as i64) >> unused;
    match size {
        _ if (-4096..0).contains(&signed) => format!("(u{}){signed}", size * 8),
        8 => format!("{bits}ull"),
        4 => format!("{bits}u"),
        _ => format!("{bits}"),
    }
}

pub fn constant(value: Const, target: Target) -> String {
    match value.ty {
        Ty::Bool => value.bits.to_string(),
        Ty::Ptr if value.bits == 0 => "(address)0".to_owned(),
        Ty::Ptr => format!("(address)(uptr){}ull", value.bits),
        Ty::F32 if f32::from_bits(value.bits as u32).is_finite() => format!("{:?}f", f32::from_bits(value.bits as u32)),
        Ty::F64 if f64::from_bits(value.bits).is_finite() => format!("{:?}", f64::from_bits(value.bits)),
        Ty::F32 => format!("sma_f32({}u)", value.bits),
        Ty::F64 => format!("sma_f64({}ull)", value.bits),
        ty => number(value.bits, ty.size(target)),
    }
}

/// What an instruction without side effects computes.
pub fn value(
    kind: &InstrKind,
    function: &Function,
    target: Target,
    operand: &mut dyn FnMut(Operand) -> String,
) -> Option<String> {
    Some(match *kind {
        InstrKind::Copy { src, .. } => operand(src),
        InstrKind::Binary { dst, op, lhs, rhs } => {
            let ty = function.ty(dst);
            let (lhs, rhs) = (operand(lhs), operand(rhs));
            binary(op, ty, target, &lhs, &rhs)
        }
        InstrKind::Compare { op: op @ (CompareOp::LtSigned | CompareOp::LeSigned), ty, lhs, rhs, .. } => {
            let mut signed = |side: Operand| match side {
                Operand::Const(number) => signed_number(number.bits, ty, target),
                _ => format!("({}){}", signed_type(ty, target), operand(side)),
            };
            let (lhs, rhs) = (signed(lhs), signed(rhs));
            format!("({lhs} {} {rhs})", if op == CompareOp::LtSigned { "<" } else { "<=" })
        }
        InstrKind::Compare { op, ty, lhs, rhs, .. } => {
            let (lhs, rhs) = (operand(lhs), operand(rhs));
            compare(op, ty, &lhs, &rhs)
        }
        InstrKind::Unary { dst, op, src } => {
            let ty = function.ty(dst);
            let src = operand(src);
            let bits = ty.bits(target);
            match op {
                UnaryOp::FNeg => format!("(-{src})"),
                UnaryOp::PopCount => format!("({})sma_popcount({src})", register_type(ty)),
                UnaryOp::LeadingZeros => format!("({})sma_leading_zeros({src}, {bits})", register_type(ty)),
                UnaryOp::TrailingZeros => format!("({})sma_trailing_zeros({src}, {bits})", register_type(ty)),
                UnaryOp::ByteSwap => format!("({})sma_byte_swap({src}, {bits})", register_type(ty)),
            }
        }
        InstrKind::Cast { dst, op, from, src } => cast(op, from, function.ty(dst), target, &operand(src)),
        InstrKind::Select { cond, then, otherwise, .. } => {
            let (cond, then, otherwise) = (operand(cond), operand(then), operand(otherwise));
            format!("({cond} ? {then} : {otherwise})")
        }
        InstrKind::PtrAdd { base, index, scale, .. } => {
            let base = operand(base);
            match index {
                Operand::Const(index) => {
                    let unused = 64 - Ty::Ptr.bits(target);
                    let by = (((index.bits << unused) as i64) >> unused).wrapping_mul(scale);
                    if by < 0 { format!("({base} - {})", by.unsigned_abs()) } else { format!("({base} + {by})") }
                }
                _ => format!("({base} + (iptr){} * {scale})", operand(index)),
            }
        }
        InstrKind::PtrDiff { dst, lhs, rhs } => {
            let (lhs, rhs) = (operand(lhs), operand(rhs));
            format!("({})({lhs} - {rhs})", register_type(function.ty(dst)))
        }
        _ => return None,
    })
}

fn binary(op: BinaryOp, ty: Ty, target: Target, lhs: &str, rhs: &str) -> String {
    let c = register_type(ty);
    let width = ty.bits(target);
    // Narrow operands are promoted to int, whose product might overflow.
    let plain = |sign: &str| match width {
        32 | 64 => format!("({lhs} {sign} {rhs})"),
        _ => format!("({c})((u32){lhs} {sign} (u32){rhs})"),
    };
    let amount = || format!("({rhs} & {})", width - 1);
    match op {
        BinaryOp::And if ty == Ty::Bool => format!("({lhs} && {rhs})"),
        BinaryOp::Or if ty == Ty::Bool => format!("({lhs} || {rhs})"),
        BinaryOp::Xor if ty == Ty::Bool => format!("({lhs} != {rhs})"),
        BinaryOp::Add | BinaryOp::AddSigned | BinaryOp::FAdd => plain("+"),
        BinaryOp::Sub | BinaryOp::SubSigned | BinaryOp::FSub => plain("-"),
        BinaryOp::Mul | BinaryOp::MulSigned | BinaryOp::FMul => plain("*"),
        BinaryOp::FDiv => format!("({lhs} / {rhs})"),
        BinaryOp::And => plain("&"),
        BinaryOp::Or => plain("|"),
        BinaryOp::Xor => plain("^"),
        BinaryOp::DivUnsigned => format!("({c})({lhs} / {rhs})"),
        BinaryOp::RemUnsigned => format!("({c})({lhs} % {rhs})"),
        // The smallest number divided by -1 wraps here, but not in C.
        BinaryOp::DivSigned => {
            let s = signed_type(ty, target);
            format!("({rhs} == ({c})-1 ? ({c})(0 - {lhs}) : ({c})(({s}){lhs} / ({s}){rhs}))")
        }
        BinaryOp::RemSigned => {
            let s = signed_type(ty, target);
            format!("({rhs} == ({c})-1 ? ({c})0 : ({c})(({s}){lhs} % ({s}){rhs}))")
        }
        BinaryOp::Shl if width < 32 => format!("({c})((u32){lhs} << {})", amount()),
        BinaryOp::Shl => format!("({lhs} << {})", amount()),
        BinaryOp::ShrUnsigned => format!("({c})({lhs} >> {})", amount()),
        BinaryOp::ShrSigned => format!("({c})(({}){lhs} >> {})", signed_type(ty, target), amount()),
    }
}

fn compare(op: CompareOp, ty: Ty, lhs: &str, rhs: &str) -> String {
    let sign = match op {
        CompareOp::Eq | CompareOp::FEq => "==",
        CompareOp::Ne | CompareOp::FNe => "!=",
        CompareOp::LtSigned | CompareOp::LtUnsigned | CompareOp::FLt => "<",
        CompareOp::LeSigned | CompareOp::LeUnsigned | CompareOp::FLe => "<=",
    };
    match (ty, op) {
        (Ty::Ptr, CompareOp::LtUnsigned | CompareOp::LeUnsigned) => format!("((uptr){lhs} {sign} (uptr){rhs})"),
        _ => format!("({lhs} {sign} {rhs})"),
    }
}

/// A literal of a signed integer.
fn signed_number(bits: u64, ty: Ty, target: Target) -> String {
    let unused = 64 - ty.bits(target);
    let number = ((bits << unused) as i64) >> unused;
    match number {
        // C has no literals below zero: the smallest numbers would be taken for others.
        i64::MIN => format!("({}ll - 1)", i64::MIN + 1),
        _ if i32::try_from(number).is_ok_and(|n| n != i32::MIN) => number.to_string(),
        _ => format!("{number}ll"),
    }
}

fn cast(op: CastOp, from: Ty, to: Ty, target: Target, src: &str) -> String {
    let c = register_type(to);
    match op {
        CastOp::ZeroExtend | CastOp::Truncate | CastOp::FloatToFloat | CastOp::UnsignedToFloat => format!("({c}){src}"),
        CastOp::SignExtend => format!("({c})({})({}){src}", signed_type(to, target), signed_type(from, target)),
        CastOp::PtrToInt => format!("({c})(uptr){src}"),
        CastOp::IntToPtr => format!("({c})(uptr){src}"),
        CastOp::SignedToFloat => format!("({c})({}){src}", signed_type(from, target)),
        // Out of range the result is the smallest number; in C anything may happen.
        CastOp::FloatToSigned | CastOp::FloatToUnsigned => {
            let bits = to.bits(target);
            let (low, high, through) = match op {
                CastOp::FloatToSigned => {
                    (format!("-{:?}", 2f64.powi(bits as i32 - 1)), 2f64.powi(bits as i32 - 1), signed_type(to, target))
                }
                _ => ("0.0".to_owned(), 2f64.powi(bits as i32), c),
            };
            let outside = number(1 << (bits - 1), u64::from(bits / 8));
            let least =
                if op == CastOp::FloatToSigned && bits < 64 { format!("{low} - 1.0 <") } else { format!("{low} <=") };
            let least = if op == CastOp::FloatToUnsigned { "-1.0 <".to_owned() } else { least };
            format!("({least} (double){src} && (double){src} < {high:?} ? ({c})({through}){src} : ({c}){outside})")
        }
    }
}

/// What a read-modify-write stores.
pub fn rmw(op: RmwOp, ty: Ty, old: &str, operand: &str) -> String {
    let c = cell_type(ty);
    if ty == Ty::Ptr && op != RmwOp::Exchange {
        let sign = rmw_sign(op);
        return match op {
            RmwOp::Add | RmwOp::Sub => format!("({old} {sign} (iptr)(uptr){operand})"),
            RmwOp::Nand => format!("(address)~((uptr){old} & (uptr){operand})"),
            _ => format!("(address)((uptr){old} {sign} (uptr){operand})"),
        };
    }
    match op {
        RmwOp::Exchange => operand.to_owned(),
        RmwOp::Nand => format!("({c})~({old} & {operand})"),
        _ => format!("({c})({old} {} {operand})", rmw_sign(op)),
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
    for c in inner.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
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
        assert_eq!(number(5, 4), "5u");
        assert_eq!(number(0xffff_ffff, 4), "(u32)-1");
        assert_eq!(number(0xffff_ffff, 8), "4294967295ull");
        assert_eq!(number(255, 1), "(u8)-1");
        assert_eq!(constant(Const::NULL, Target::Lp64), "(address)0");
        assert_eq!(constant(Const { ty: Ty::F64, bits: 1.5f64.to_bits() }, Target::Lp64), "1.5");
    }
}
