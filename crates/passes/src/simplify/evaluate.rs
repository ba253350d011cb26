//! Instructions whose results are known: arithmetic and comparisons of constants and of fixed addresses.

use norn_ir::ids::Reg;
use norn_ir::instr::{BinaryOp, CastOp, CompareOp, Const, InstrKind, Operand};
use norn_ir::types::{Target, Ty};

/// What an instruction assigns, if that is a constant or a fixed address.
pub fn evaluate(kind: &InstrKind, ty_of: impl Fn(Reg) -> Ty, target: Target) -> Option<Operand> {
    let constant = |ty: Ty, bits: u64| Some(Operand::Const(Const { ty, bits: ty.truncate(bits, target) }));
    match *kind {
        InstrKind::Copy { src, .. } if src.reg().is_none() => Some(src),
        InstrKind::Binary { dst, op, lhs: Operand::Const(lhs), rhs: Operand::Const(rhs) } => {
            let ty = ty_of(dst);
            let bits = binary(op, ty, target, lhs.bits, rhs.bits)?;
            constant(ty, bits)
        }
        InstrKind::Compare { op, ty, lhs, rhs, .. } => {
            let holds = compare(op, ty, target, lhs, rhs)?;
            constant(Ty::Bool, u64::from(holds))
        }
        InstrKind::Cast { dst, op, from, src: Operand::Const(src) } => match op {
            CastOp::ZeroExtend | CastOp::Truncate => constant(ty_of(dst), src.bits),
            CastOp::SignExtend => constant(ty_of(dst), signed(src.bits, from.bits(target)) as u64),
            _ => None,
        },
        InstrKind::Select { cond: Operand::Const(cond), then, otherwise, .. } => {
            Some(if cond.bits != 0 { then } else { otherwise }).filter(|value| value.reg().is_none())
        }
        InstrKind::PtrAdd { base, index: Operand::Const(index), scale, .. } => {
            let by = signed(index.bits, Ty::Ptr.bits(target)).checked_mul(scale)?;
            match base {
                Operand::Global(global, offset) => Some(Operand::Global(global, offset.checked_add(by)?)),
                Operand::Local(local, offset) => Some(Operand::Local(local, offset.checked_add(by)?)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((bits << unused) as i64) >> unused
}

fn binary(op: BinaryOp, ty: Ty, target: Target, lhs: u64, rhs: u64) -> Option<u64> {
    if ty.is_float() {
        return None;
    }
    let bits = ty.bits(target);
    let width = u64::from(bits);
    Some(match op {
        BinaryOp::Add | BinaryOp::AddSigned => lhs.wrapping_add(rhs),
        BinaryOp::Sub | BinaryOp::SubSigned => lhs.wrapping_sub(rhs),
        BinaryOp::Mul | BinaryOp::MulSigned => lhs.wrapping_mul(rhs),
        BinaryOp::And => lhs & rhs,
        BinaryOp::Or => lhs | rhs,
        BinaryOp::Xor => lhs ^ rhs,
        BinaryOp::Shl | BinaryOp::ShlSigned => lhs << (rhs % width),
        BinaryOp::ShrUnsigned => lhs >> (rhs % width),
        BinaryOp::ShrSigned => (signed(lhs, bits) >> (rhs % width)) as u64,
        BinaryOp::DivUnsigned if rhs != 0 => lhs / rhs,
        BinaryOp::RemUnsigned if rhs != 0 => lhs % rhs,
        BinaryOp::DivSigned | BinaryOp::RemSigned => {
            let (a, b) = (signed(lhs, bits), signed(rhs, bits));
            // Processors trap a quotient that does not fit.
            let quotient = a.checked_div(b).filter(|&quotient| quotient != 1 << (width - 1))?;
            if op == BinaryOp::DivSigned { quotient as u64 } else { (a % b) as u64 }
        }
        _ => return None,
    })
}

fn compare(op: CompareOp, ty: Ty, target: Target, lhs: Operand, rhs: Operand) -> Option<bool> {
    let is_address = |operand: Operand| matches!(operand, Operand::Global(..) | Operand::Local(..) | Operand::Func(_));
    let is_null = |operand: Operand| matches!(operand, Operand::Const(Const { bits: 0, .. }));
    let equal = match (lhs, rhs) {
        (Operand::Const(lhs), Operand::Const(rhs)) if !ty.is_float() => {
            let width = ty.bits(target);
            let (a, b) = (signed(lhs.bits, width), signed(rhs.bits, width));
            return Some(match op {
                CompareOp::Eq => lhs.bits == rhs.bits,
                CompareOp::Ne => lhs.bits != rhs.bits,
                CompareOp::LtSigned => a < b,
                CompareOp::LeSigned => a <= b,
                CompareOp::LtUnsigned => lhs.bits < rhs.bits,
                CompareOp::LeUnsigned => lhs.bits <= rhs.bits,
                _ => return None,
            });
        }
        // C compilers warn about comparisons whose result they know.
        (Operand::Func(lhs), Operand::Func(rhs)) => lhs == rhs,
        (Operand::Global(a, x), Operand::Global(b, y)) if a == b => x == y,
        (Operand::Local(a, x), Operand::Local(b, y)) if a == b => x == y,
        (a, b) if is_address(a) && is_null(b) || is_address(b) && is_null(a) => false,
        (Operand::Func(_), b) if is_address(b) => false,
        (a, Operand::Func(_)) if is_address(a) => false,
        (Operand::Reg(a), Operand::Reg(b)) if a == b && !ty.is_float() => {
            return Some(!matches!(op, CompareOp::Ne | CompareOp::LtSigned | CompareOp::LtUnsigned));
        }
        _ => return unsigned_with_zero(op, lhs, rhs),
    };
    match op {
        CompareOp::Eq => Some(equal),
        CompareOp::Ne => Some(!equal),
        _ => None,
    }
}

/// Nothing is below zero.
fn unsigned_with_zero(op: CompareOp, lhs: Operand, rhs: Operand) -> Option<bool> {
    match (op, lhs, rhs) {
        (CompareOp::LtUnsigned, _, Operand::Const(Const { bits: 0, .. })) => Some(false),
        (CompareOp::LeUnsigned, Operand::Const(Const { bits: 0, .. }), _) => Some(true),
        _ => None,
    }
}
