//! Instructions that compute in registers.

use norn_graph::program::{BinaryOp, Expr, UnaryOp, Width};

use super::{Operand, Reader, is_condition};
use crate::graph::code::Flags;
use crate::token::Parsed;

impl Reader<'_, '_, '_> {
    /// Whether this was one of them.
    pub(super) fn compute(&mut self, name: &str) -> Parsed<bool> {
        match name {
            "MOV" | "MVN" | "NEG" => {
                let dst = self.register()?;
                self.comma()?;
                let value = self.second(dst)?;
                let value = match name {
                    "MVN" => Expr::unary(UnaryOp::Not, value),
                    "NEG" => Expr::unary(UnaryOp::Negate, value),
                    _ => value,
                };
                self.set(dst, value);
            }
            "MOVZ" | "MOVN" | "MOVK" => self.move_part(name)?,
            "SXTW" | "SXTH" | "SXTB" | "UXTW" | "UXTH" | "UXTB" => {
                let dst = self.register()?;
                self.comma()?;
                let src = self.register()?;
                let value = extended(name, src);
                self.set(dst, value);
            }
            "CMP" | "CMN" | "TST" => {
                let lhs = self.register()?;
                self.comma()?;
                let rhs = self.second(lhs)?;
                self.flags(name, lhs, lhs.value(), rhs)?;
            }
            "CSEL" | "CSINC" | "CSINV" | "CSNEG" | "CSET" | "CSETM" | "CINC" | "CINV" | "CNEG" => self.choose(name)?,
            _ => return self.arithmetic(name),
        }
        Ok(true)
    }

    /// `ADD X0,X1,#2` and the like, with `S` at the end if it sets the flags.
    fn arithmetic(&mut self, name: &str) -> Parsed<bool> {
        let (plain, flags) = match name {
            "ADDS" => ("ADD", Some("CMN")),
            "SUBS" => ("SUB", Some("CMP")),
            "ANDS" => ("AND", Some("TST")),
            "BICS" => ("BIC", Some("TST")),
            other => (other, None),
        };
        let (op, inverted) = match plain {
            "ADD" => (BinaryOp::Add, false),
            "SUB" => (BinaryOp::Sub, false),
            "AND" => (BinaryOp::And, false),
            "ORR" => (BinaryOp::Or, false),
            "EOR" => (BinaryOp::Xor, false),
            "BIC" => (BinaryOp::And, true),
            "ORN" => (BinaryOp::Or, true),
            "EON" => (BinaryOp::Xor, true),
            "MUL" => (BinaryOp::Mul, false),
            "LSL" => (BinaryOp::ShiftLeft, false),
            "LSR" => (BinaryOp::ShiftRight, false),
            "ASR" => (BinaryOp::ShiftRightSigned, false),
            _ => return Ok(false),
        };
        let dst = self.register()?;
        self.comma()?;
        let lhs = self.register()?;
        self.comma()?;
        let mut rhs = self.second(dst)?;
        if inverted {
            rhs = Expr::unary(UnaryOp::Not, rhs);
        }
        let mut left = lhs.value();
        if matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightSigned) {
            // The amount counts by the size of the register.
            let mask = u64::from(dst.width().bits()) - 1;
            rhs = match rhs {
                Expr::Const(n) => Expr::Const(n & mask),
                rhs => Expr::binary(BinaryOp::And, rhs, Expr::Const(mask)),
            };
            if op == BinaryOp::ShiftRightSigned && !dst.is_wide {
                left = Expr::sign_extend(Width::W32, left);
            }
        }
        if let Some(flags) = flags {
            self.flags(flags, lhs, left.clone(), rhs.clone())?;
        }
        self.set(dst, Expr::binary(op, left, rhs));
        Ok(true)
    }

    fn flags(&mut self, name: &str, first: Operand, lhs: Expr, rhs: Expr) -> Parsed<()> {
        let width = first.width();
        let narrow = |value: Expr| if width == Width::W64 { value } else { Expr::truncate(width, value) };
        match name {
            "CMP" => self.set_flags(Flags::Compared(width), narrow(lhs), narrow(rhs)),
            "CMN" => self.set_flags(Flags::Added(width), narrow(Expr::binary(BinaryOp::Add, lhs, rhs)), Expr::Const(0)),
            _ => self.set_flags(Flags::Logical(width), narrow(Expr::binary(BinaryOp::And, lhs, rhs)), Expr::Const(0)),
        }
    }

    /// The last operand: a number, or a register that may be shifted or extended.
    fn second(&mut self, first: Operand) -> Parsed<Expr> {
        if self.at_number() {
            let number = self.number()?;
            let shift = self.shift_amount("LSL")?;
            return Ok(Expr::Const(first.width().truncate((number as u64) << shift)));
        }
        let operand = self.register()?;
        self.shifted(operand)
    }

    /// `, LSL #12` if it stands here.
    fn shift_amount(&mut self, name: &str) -> Parsed<u32> {
        if !self.cursor.peek().is(",") {
            return Ok(0);
        }
        self.comma()?;
        if !self.at_word(name) {
            return Err(self.cursor.unexpected(&format!("'{name}'")));
        }
        self.cursor.bump();
        self.amount()
    }

    /// The number after `LSL` and its like.
    pub(super) fn amount(&mut self) -> Parsed<u32> {
        let token = self.cursor.peek();
        let number = self.number()?;
        u32::try_from(number)
            .ok()
            .filter(|n| *n < 64)
            .ok_or_else(|| self.cursor.file.error_at(token, format!("a value cannot be shifted by {number}")))
    }

    /// The value of a register with the shift or extension that follows it.
    fn shifted(&mut self, operand: Operand) -> Parsed<Expr> {
        if !self.cursor.peek().is(",") {
            return Ok(operand.value());
        }
        self.comma()?;
        let token = self.cursor.word("how the register is shifted or extended")?;
        let name = token.text.to_ascii_uppercase();
        let op = match name.as_str() {
            "LSL" => BinaryOp::ShiftLeft,
            "LSR" => BinaryOp::ShiftRight,
            "ASR" => BinaryOp::ShiftRightSigned,
            "SXTW" | "SXTH" | "SXTB" | "SXTX" | "UXTW" | "UXTH" | "UXTB" | "UXTX" => {
                let amount = if self.at_number() { self.amount()? } else { 0 };
                return Ok(shifted_left(extended(&name, operand), amount));
            }
            _ => {
                let message = format!("'{}' is not a way to shift or extend", token.text);
                return Err(self.cursor.file.unsupported_at(token, message));
            }
        };
        let amount = self.amount()?;
        let value = match op {
            BinaryOp::ShiftRightSigned if !operand.is_wide => Expr::sign_extend(Width::W32, operand.value()),
            _ => operand.value(),
        };
        Ok(Expr::binary(op, value, Expr::Const(amount.into())))
    }

    /// 16 bits of a register, the others 0, 1 or as they were.
    fn move_part(&mut self, name: &str) -> Parsed<()> {
        let dst = self.register()?;
        self.comma()?;
        let number = self.number()? as u64;
        let shift = self.shift_amount("LSL")?;
        let part = (number & 0xFFFF) << shift;
        let value = match name {
            "MOVZ" => Expr::Const(part),
            "MOVN" => Expr::Const(!part),
            _ => {
                let kept = Expr::binary(BinaryOp::And, dst.value(), Expr::Const(!(0xFFFF << shift)));
                Expr::binary(BinaryOp::Or, kept, Expr::Const(part))
            }
        };
        self.set(dst, value);
        Ok(())
    }

    /// One of two values, by the flags.
    fn choose(&mut self, name: &str) -> Parsed<()> {
        let dst = self.register()?;
        self.comma()?;
        let (then, otherwise) = match name {
            "CSET" | "CSETM" => (Expr::Const(0), Expr::Const(0)),
            "CINC" | "CINV" | "CNEG" => {
                let value = self.register()?.value();
                self.comma()?;
                (value.clone(), value)
            }
            _ => {
                let then = self.register()?.value();
                self.comma()?;
                let otherwise = self.register()?.value();
                self.comma()?;
                (then, otherwise)
            }
        };
        let token = self.cursor.word("a condition such as EQ")?;
        let condition = token.text.to_ascii_uppercase();
        if !is_condition(&condition) {
            return Err(self.cursor.file.error_at(token, format!("'{}' is not a condition", token.text)));
        }
        let condition = self.flag_condition(&condition)?;
        let increased = |value: Expr| Expr::binary(BinaryOp::Add, value, Expr::Const(1));
        // The aliases with one source change the value where the condition holds, the others where it does not.
        let (then, otherwise) = match name {
            "CSET" => (Expr::Const(1), otherwise),
            "CSETM" => (Expr::Const(u64::MAX), otherwise),
            "CINC" => (increased(then), otherwise),
            "CINV" => (Expr::unary(UnaryOp::Not, then), otherwise),
            "CNEG" => (Expr::unary(UnaryOp::Negate, then), otherwise),
            "CSINC" => (then, increased(otherwise)),
            "CSINV" => (then, Expr::unary(UnaryOp::Not, otherwise)),
            "CSNEG" => (then, Expr::unary(UnaryOp::Negate, otherwise)),
            _ => (then, otherwise),
        };
        self.set(dst, Expr::select(condition, then, otherwise));
        Ok(())
    }
}

pub(super) fn shifted_left(value: Expr, amount: u32) -> Expr {
    match amount {
        0 => value,
        _ => Expr::binary(BinaryOp::ShiftLeft, value, Expr::Const(amount.into())),
    }
}

/// A register after `SXTW` and the like.
pub(super) fn extended(name: &str, operand: Operand) -> Expr {
    let width = match name.chars().last() {
        Some('B') => Width::W8,
        Some('H') => Width::W16,
        Some('W') => Width::W32,
        _ => Width::W64,
    };
    let value = operand.reg.map_or(Expr::Const(0), Expr::Reg);
    match (width, name.starts_with('S')) {
        (Width::W64, _) => value,
        (_, true) => Expr::sign_extend(width, value),
        (_, false) => Expr::truncate(width, value),
    }
}
