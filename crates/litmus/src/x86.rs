//! The instructions of X86 that litmus tests use.
//!
//! Two ways to write them: `MOV EAX,[x]` with the destination first (herd's X86), and `movl (x),%eax` with the
//! destination last (herd's X86_64); a `%` before a register or a size at the end of the name of a 64-bit test tells.
//! Flags are the two sides of a comparison. After `ADD`, `INC` and `DEC` only zero and sign are kept, and the sign is
//! not kept after comparisons: a thread that would need more is refused.

use norn_ir::diag::Diagnostic;
use norn_ir::instr::{BinaryOp, CompareOp, FenceKind, RmwOp};
use norn_ir::number::narrow;
use norn_ir::types::Ty;

use crate::Arch;
use crate::state::State;
use crate::step::{Code, MachineReg, Place, Step, Val};
use crate::token::{Cursor, Parsed, Token, TokenKind};

const NAMES: [&str; 8] = ["AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP"];

/// The name under which a register is known (its widest form) and the width that this name gives.
pub(crate) fn register_name(name: &str, arch: Arch) -> Option<(String, Ty)> {
    let upper = name.to_ascii_uppercase();
    let (prefix, rest) = upper.split_at_checked(1)?;
    let numbered = || {
        let digits = rest.trim_end_matches(['D', 'W', 'B']);
        let number = digits.parse::<u32>().ok().filter(|n| (8..16).contains(n))?;
        match &rest[digits.len()..] {
            "" => Some((format!("R{number}"), Ty::I64)),
            "D" => Some((format!("R{number}"), Ty::I32)),
            _ => None,
        }
    };
    match (prefix, arch) {
        ("E", Arch::X86) if NAMES.contains(&rest) => Some((upper, Ty::I32)),
        ("E", Arch::X86_64) if NAMES.contains(&rest) => Some((format!("R{rest}"), Ty::I32)),
        ("R", Arch::X86_64) if NAMES.contains(&rest) => Some((upper, Ty::I64)),
        ("R", Arch::X86_64) => numbered(),
        _ => None,
    }
}

pub(crate) fn instruction<'a>(
    cursor: &mut Cursor<'_, 'a>,
    arch: Arch,
    state: &mut State<'a>,
    code: &mut Code<'a>,
) -> Parsed<()> {
    let mut name = cursor.word("an instruction")?;
    let locked = name.text.eq_ignore_ascii_case("lock");
    if locked {
        cursor.eat(";");
        name = cursor.word("an instruction after 'LOCK'")?;
    }
    let word = if arch == Arch::X86 { Ty::I32 } else { Ty::I64 };
    let mut reader = Reader { cursor, arch, state, code, name, word, size: None };
    reader.instruction(locked)?;
    let uses = reader.code.flag_use;
    if uses.added && uses.needs_order || uses.compared && uses.needs_sign {
        let help = "carry and overflow are not kept after ADD, INC, DEC and XADD, the sign not after CMP and SUB";
        return Err(reader.unsupported("a jump of this thread needs a flag that is not kept").help(help));
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Operand {
    Reg(MachineReg, Ty),
    Memory(Place),
    Number(i64),
}

struct Reader<'r, 't, 'a> {
    cursor: &'r mut Cursor<'t, 'a>,
    arch: Arch,
    state: &'r mut State<'a>,
    code: &'r mut Code<'a>,
    name: Token<'a>,
    /// The width of registers.
    word: Ty,
    /// The width that the name of the instruction gives.
    size: Option<Ty>,
}

/// Which conditions the flags of a thread must support.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct FlagUse {
    /// Set by an addition: carry and overflow are not kept.
    pub added: bool,
    /// Set by a comparison or subtraction: the sign of the difference is not kept.
    pub compared: bool,
    /// Needs carry or overflow.
    pub needs_order: bool,
    pub needs_sign: bool,
}

impl<'a> Reader<'_, '_, 'a> {
    fn push(&mut self, step: Step) {
        self.code.push(step, self.name);
    }

    fn unsupported(&self, message: impl Into<String>) -> Diagnostic {
        self.cursor.file.unsupported_at(self.name, message)
    }

    fn instruction(&mut self, locked: bool) -> Parsed<()> {
        let upper = self.name.text.to_ascii_uppercase();
        if let Some(kind) = fence(&upper) {
            self.push(Step::Fence(kind));
            return Ok(());
        }
        if upper == "NOP" {
            return Ok(());
        }
        if let Some(condition) = upper.strip_prefix('J') {
            return self.jump(condition);
        }
        let (base, size) = split_size(&upper);
        if size == Some(Ty::I64) && self.word == Ty::I32 {
            return Err(self
                .unsupported(format!("'{upper}' needs registers of 64 bits"))
                .help("such tests begin with X86_64"));
        }
        self.size = size;
        let operands = self.operands(size.is_some())?;
        if locked && !matches!(operands.first(), Some(Operand::Memory(_))) {
            return Err(self.unsupported(format!("'LOCK {upper}' needs a location as its destination")));
        }
        match (base, operands.as_slice()) {
            ("MOV" | "MOVABS", &[dst, src]) if !locked => self.mov(dst, src),
            ("XCHG", &[a, b]) => self.exchange(a, b),
            ("UXCH" | "XCHG_UNLOCKED", &[a, b]) if !locked => self.unlocked_exchange(a, b),
            ("ADD", &[dst, src]) => self.arithmetic(BinaryOp::Add, RmwOp::Add, dst, src, locked),
            ("SUB", &[dst, src]) => self.arithmetic(BinaryOp::Sub, RmwOp::Sub, dst, src, locked),
            ("AND", &[dst, src]) => self.arithmetic(BinaryOp::And, RmwOp::And, dst, src, locked),
            ("OR", &[dst, src]) => self.arithmetic(BinaryOp::Or, RmwOp::Or, dst, src, locked),
            ("XOR", &[dst, src]) => self.arithmetic(BinaryOp::Xor, RmwOp::Xor, dst, src, locked),
            ("INC", &[dst]) => self.arithmetic(BinaryOp::Add, RmwOp::Add, dst, Operand::Number(1), locked),
            ("DEC", &[dst]) => self.count_down(dst, locked),
            ("CMP", &[lhs, rhs]) if !locked => self.compare(lhs, rhs),
            ("TEST", &[lhs, rhs]) if !locked => self.test(lhs, rhs),
            ("XADD", &[dst, src]) => self.exchange_add(dst, src, locked),
            ("CMPXCHG", &[dst, src]) => self.compare_exchange(dst, src, locked),
            _ => {
                let known = ["MOV", "XCHG", "ADD", "SUB", "AND", "OR", "XOR", "INC", "DEC", "CMP", "TEST", "XADD"];
                Err(if known.contains(&base) || base == "CMPXCHG" {
                    self.unsupported(format!("the instruction '{}' does not take these operands", self.name.text))
                } else {
                    self.unsupported(format!("the X86 instruction '{}' is not known", self.name.text))
                })
            }
        }
    }

    /// The operands with the destination first.
    fn operands(&mut self, sized: bool) -> Parsed<Vec<Operand>> {
        let mut found = Vec::new();
        let mut source_first = self.arch == Arch::X86_64 && sized;
        while !self.cursor.peek().is("|") && !self.cursor.peek().is(";") && !self.cursor.at_end() {
            if !found.is_empty() {
                self.cursor.expect(",", "between operands")?;
            }
            source_first |= self.cursor.peek().is("%") && self.arch == Arch::X86_64;
            found.push(self.operand()?);
        }
        if source_first {
            found.reverse();
        }
        Ok(found)
    }

    fn operand(&mut self) -> Parsed<Operand> {
        let token = self.cursor.peek();
        if self.cursor.eat("$") || token.kind == TokenKind::Number || token.is("-") {
            return Ok(Operand::Number(self.cursor.integer()?));
        }
        if self.cursor.eat("[") {
            let place = self.place("]")?;
            return Ok(Operand::Memory(place));
        }
        if self.cursor.eat("(") {
            let place = self.place(")")?;
            return Ok(Operand::Memory(place));
        }
        self.cursor.eat("%");
        let token = self.cursor.peek();
        match register_name(token.text, self.arch).filter(|_| token.kind == TokenKind::Word) {
            Some((name, width)) => {
                self.cursor.bump();
                Ok(Operand::Reg(self.code.register(&name), width))
            }
            None => {
                let what = "a register, a location such as '[x]' or a number";
                Err(self.cursor.unexpected(what).help("parts of registers such as AL or AX are not supported"))
            }
        }
    }

    /// What stands between brackets: a location or a register, perhaps with a number of bytes added.
    fn place(&mut self, close: &str) -> Parsed<Place> {
        self.cursor.eat("%");
        let token = self.cursor.word("a location or a register")?;
        let base = match register_name(token.text, self.arch) {
            Some((name, _)) => Val::Reg(self.code.register(&name)),
            None => Val::Address(self.state.mention(token)),
        };
        let mut offset = 0;
        if self.cursor.peek().is("+") || self.cursor.peek().is("-") {
            offset = self.cursor.integer()?;
        }
        self.cursor.expect(close, "after the address")?;
        Ok(Place { base, index: Val::Number(offset) })
    }

    /// The width at which an instruction works.
    fn width(&self, operands: [Operand; 2]) -> Ty {
        let of_register = operands.iter().find_map(|operand| match operand {
            Operand::Reg(_, width) => Some(*width),
            _ => None,
        });
        self.size.or(of_register).unwrap_or(Ty::I32)
    }

    /// The operand's value; memory is loaded.
    fn value(&mut self, operand: Operand, ty: Ty) -> Val {
        match operand {
            Operand::Reg(reg, _) => Val::Reg(reg),
            Operand::Number(n) => Val::Number(n),
            Operand::Memory(place) => {
                let dst = self.code.fresh();
                self.push(Step::Load { dst, place, ty, signed: false });
                Val::Reg(dst)
            }
        }
    }

    fn narrow_register(&self, ty: Ty) -> Diagnostic {
        let bits = if ty == Ty::I8 { 8 } else { 16 };
        self.unsupported(format!("writing {bits} bits of a register is not supported"))
    }

    /// Writes a value that has no more bits than `ty` into an operand.
    fn write(&mut self, dst: Operand, value: Val, ty: Ty) -> Parsed<()> {
        match dst {
            Operand::Reg(..) if matches!(ty, Ty::I8 | Ty::I16) => Err(self.narrow_register(ty)),
            Operand::Reg(dst, _) => {
                if ty == self.word {
                    self.push(Step::Set { dst, src: value });
                } else {
                    self.push(Step::Extend { dst, src: value, from: ty, signed: false });
                }
                Ok(())
            }
            Operand::Memory(place) => {
                self.push(Step::Store { place, value, ty });
                Ok(())
            }
            Operand::Number(_) => Err(self.unsupported("a number cannot be the destination of an instruction")),
        }
    }

    fn mov(&mut self, dst: Operand, src: Operand) -> Parsed<()> {
        let ty = self.width([dst, src]);
        match (dst, src) {
            (Operand::Memory(_), Operand::Memory(_)) => {
                Err(self.unsupported("no instruction moves from one location to another"))
            }
            (Operand::Reg(dst, _), Operand::Memory(place)) if !matches!(ty, Ty::I8 | Ty::I16) => {
                self.code.registers[dst.index()].wide |= ty == Ty::I64;
                self.push(Step::Load { dst, place, ty, signed: false });
                Ok(())
            }
            _ => {
                let value = self.value(src, ty);
                self.write(dst, value, ty)
            }
        }
    }

    /// `XCHG` with memory is atomic with and without `LOCK`.
    fn exchange(&mut self, a: Operand, b: Operand) -> Parsed<()> {
        let ty = self.width([a, b]);
        match (a, b) {
            (Operand::Memory(place), reg @ Operand::Reg(value, _))
            | (reg @ Operand::Reg(value, _), Operand::Memory(place)) => {
                let old = self.code.fresh();
                let value = Val::Reg(value);
                self.push(Step::Rmw { dst: old, op: RmwOp::Exchange, place, value, ty });
                self.write(reg, Val::Reg(old), ty)
            }
            (Operand::Reg(left, _), Operand::Reg(..)) => {
                let old = self.code.fresh();
                self.push(Step::Set { dst: old, src: Val::Reg(left) });
                let value = self.value(b, ty);
                self.write(a, value, ty)?;
                self.write(b, Val::Reg(old), ty)
            }
            _ => Err(self.unsupported("'XCHG' needs a register and a location or two registers")),
        }
    }

    fn unlocked_exchange(&mut self, a: Operand, b: Operand) -> Parsed<()> {
        let ty = self.width([a, b]);
        let old = self.code.fresh();
        let left = self.value(a, ty);
        self.push(Step::Set { dst: old, src: left });
        let right = self.value(b, ty);
        self.write(a, right, ty)?;
        self.write(b, Val::Reg(old), ty)
    }

    fn arithmetic(&mut self, op: BinaryOp, rmw: RmwOp, dst: Operand, src: Operand, locked: bool) -> Parsed<()> {
        let ty = self.width([dst, src]);
        if matches!((dst, src), (Operand::Memory(_), Operand::Memory(_))) {
            return Err(self.unsupported("at most one operand of an instruction is a location"));
        }
        if let (Operand::Reg(reg, _), BinaryOp::Xor | BinaryOp::Sub) = (dst, op)
            && dst == src
            && !matches!(ty, Ty::I8 | Ty::I16)
        {
            self.push(Step::Zero { dst: reg, on: Val::Reg(reg) });
            self.flags(Val::Reg(reg), Val::Number(0), ty);
            return Ok(());
        }
        let rhs = self.value(src, ty);
        let lhs = match dst {
            Operand::Memory(place) if locked => {
                let old = self.code.fresh();
                self.push(Step::Rmw { dst: old, op: rmw, place, value: rhs, ty });
                Val::Reg(old)
            }
            _ => self.value(dst, ty),
        };
        let result = self.code.fresh();
        self.push(Step::Compute { dst: result, op, ty, lhs, rhs });
        match op {
            // The flags of a subtraction are those of the comparison; `lhs` may be the register written below.
            BinaryOp::Sub => {
                self.code.flag_use.compared = true;
                self.flags(lhs, rhs, ty);
            }
            BinaryOp::Add => {
                self.code.flag_use.added = true;
                self.flags(Val::Reg(result), Val::Number(0), ty);
            }
            _ => self.flags(Val::Reg(result), Val::Number(0), ty),
        }
        if locked { Ok(()) } else { self.write(dst, Val::Reg(result), ty) }
    }

    /// `DEC` leaves the carry alone, so that its flags are those of an addition here: zero and sign.
    fn count_down(&mut self, dst: Operand, locked: bool) -> Parsed<()> {
        self.arithmetic(BinaryOp::Add, RmwOp::Add, dst, Operand::Number(-1), locked)
    }

    fn flag_registers(&mut self) -> (MachineReg, MachineReg) {
        (self.code.register("flags.left"), self.code.register("flags.right"))
    }

    /// Both sides are extended with their sign, which keeps the order of signed and of unsigned numbers.
    fn flags(&mut self, lhs: Val, rhs: Val, ty: Ty) {
        let (left, right) = self.flag_registers();
        for (dst, src) in [(left, lhs), (right, rhs)] {
            if ty == self.word {
                self.push(Step::Set { dst, src });
            } else {
                self.push(Step::Extend { dst, src, from: ty, signed: true });
            }
        }
    }

    fn compare(&mut self, lhs: Operand, rhs: Operand) -> Parsed<()> {
        let ty = self.width([lhs, rhs]);
        self.code.flag_use.compared = true;
        if lhs == rhs && matches!(lhs, Operand::Reg(..)) {
            let Operand::Reg(reg, _) = lhs else { return Ok(()) };
            let same = self.code.fresh();
            self.push(Step::Zero { dst: same, on: Val::Reg(reg) });
            self.flags(Val::Reg(same), Val::Number(0), ty);
            return Ok(());
        }
        let left = self.value(lhs, ty);
        let right = self.value(rhs, ty);
        self.flags(left, right, ty);
        Ok(())
    }

    fn test(&mut self, lhs: Operand, rhs: Operand) -> Parsed<()> {
        let ty = self.width([lhs, rhs]);
        let left = self.value(lhs, ty);
        let right = self.value(rhs, ty);
        let result = self.code.fresh();
        self.push(Step::Compute { dst: result, op: BinaryOp::And, ty, lhs: left, rhs: right });
        self.flags(Val::Reg(result), Val::Number(0), ty);
        Ok(())
    }

    fn exchange_add(&mut self, dst: Operand, src: Operand, locked: bool) -> Parsed<()> {
        let Operand::Reg(addend, _) = src else {
            return Err(self.unsupported("'XADD' needs a register as its second operand"));
        };
        let ty = self.width([dst, src]);
        let old = self.code.fresh();
        let result = self.code.fresh();
        let before = match dst {
            Operand::Memory(place) if locked => {
                self.push(Step::Rmw { dst: old, op: RmwOp::Add, place, value: Val::Reg(addend), ty });
                Val::Reg(old)
            }
            // Kept aside: `dst` and `src` may be the same register.
            _ => {
                let before = self.value(dst, ty);
                self.push(Step::Set { dst: old, src: before });
                Val::Reg(old)
            }
        };
        let (lhs, rhs) = (before, Val::Reg(addend));
        self.push(Step::Compute { dst: result, op: BinaryOp::Add, ty, lhs, rhs });
        self.code.flag_use.added = true;
        self.flags(Val::Reg(result), Val::Number(0), ty);
        self.write(src, Val::Reg(old), ty)?;
        if locked { Ok(()) } else { self.write(dst, Val::Reg(result), ty) }
    }

    fn compare_exchange(&mut self, dst: Operand, src: Operand, locked: bool) -> Parsed<()> {
        let (Operand::Memory(place), Operand::Reg(desired, _)) = (dst, src) else {
            return Err(self.unsupported("'CMPXCHG' needs a location and a register"));
        };
        let ty = self.width([dst, src]);
        let name = if self.arch == Arch::X86 { "EAX" } else { "RAX" };
        let accumulator = self.code.register(name);
        let expected = Val::Reg(accumulator);
        let old = self.code.fresh();
        self.code.flag_use.compared = true;
        if locked {
            let desired = Val::Reg(desired);
            self.push(Step::CompareExchange { dst: old, place, expected, desired, ty });
            self.flags(expected, Val::Reg(old), ty);
        } else {
            self.push(Step::Load { dst: old, place, ty, signed: false });
            self.flags(expected, Val::Reg(old), ty);
            let (left, right) = self.flag_registers();
            let failed = self.code.fresh_label();
            let (lhs, rhs) = (Val::Reg(left), Val::Reg(right));
            self.push(Step::Branch { op: CompareOp::Ne, lhs, rhs, target: failed });
            self.push(Step::Store { place, value: Val::Reg(desired), ty });
            self.push(Step::Label(failed));
        }
        // If it succeeded, the accumulator held that value already.
        self.write(Operand::Reg(accumulator, ty), Val::Reg(old), ty)
    }

    fn jump(&mut self, condition: &str) -> Parsed<()> {
        let (left, right) = self.flag_registers();
        let (left, right) = (Val::Reg(left), Val::Reg(right));
        let (op, lhs, rhs) = match condition {
            "MP" => {
                let label = self.cursor.word("a label")?;
                let target = self.code.label(label);
                self.push(Step::Jump(target));
                return Ok(());
            }
            "E" | "Z" => (CompareOp::Eq, left, right),
            "NE" | "NZ" => (CompareOp::Ne, left, right),
            "L" | "NGE" => (CompareOp::LtSigned, left, right),
            "GE" | "NL" => (CompareOp::LeSigned, right, left),
            "G" | "NLE" => (CompareOp::LtSigned, right, left),
            "LE" | "NG" => (CompareOp::LeSigned, left, right),
            "B" | "C" | "NAE" => (CompareOp::LtUnsigned, left, right),
            "AE" | "NC" | "NB" => (CompareOp::LeUnsigned, right, left),
            "A" | "NBE" => (CompareOp::LtUnsigned, right, left),
            "BE" | "NA" => (CompareOp::LeUnsigned, left, right),
            "S" => (CompareOp::LtSigned, left, Val::Number(0)),
            "NS" => (CompareOp::LeSigned, Val::Number(0), left),
            _ => return Err(self.unsupported(format!("the X86 instruction '{}' is not known", self.name.text))),
        };
        match condition {
            "E" | "Z" | "NE" | "NZ" => {}
            "S" | "NS" => self.code.flag_use.needs_sign = true,
            _ => self.code.flag_use.needs_order = true,
        }
        let label = self.cursor.word("a label")?;
        let target = self.code.label(label);
        self.push(Step::Branch { op, lhs, rhs, target });
        Ok(())
    }
}

fn fence(name: &str) -> Option<FenceKind> {
    match name {
        "MFENCE" => Some(FenceKind::Full),
        "SFENCE" => Some(FenceKind::StoreStore),
        "LFENCE" => Some(FenceKind::LoadLoad),
        _ => None,
    }
}

/// `MOVL` is `MOV` with 32 bits.
fn split_size(name: &str) -> (&str, Option<Ty>) {
    const SIZED: [&str; 13] =
        ["MOV", "XCHG", "ADD", "SUB", "AND", "OR", "XOR", "INC", "DEC", "CMP", "TEST", "XADD", "CMPXCHG"];
    let size = match name.as_bytes().last() {
        Some(b'B') => Ty::I8,
        Some(b'W') => Ty::I16,
        Some(b'L') => Ty::I32,
        Some(b'Q') => Ty::I64,
        _ => return (name, None),
    };
    let base = &name[..name.len() - 1];
    if SIZED.contains(&base) { (base, Some(size)) } else { (name, None) }
}

/// The place of a register in herd's order.
pub(crate) fn rank(name: &str) -> Option<u32> {
    let upper = name.to_ascii_uppercase();
    let rest = upper.strip_prefix(['E', 'R']).unwrap_or(&upper);
    NAMES.iter().position(|known| *known == rest).map(narrow)
}
