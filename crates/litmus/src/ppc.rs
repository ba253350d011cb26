//! The instructions of PPC that litmus tests use.
//!
//! Registers have 64 bits. Barriers: `sync` is a full fence; `lwsync` and `eieio` order stores with stores, `isync`
//! nothing, since no model of Norn reorders loads or delays them past stores.
//!
//! A pair `lwarx` … `stwcx.` is exact where only computations stand between the two. If the conditional store
//! succeeds, nothing has come between, so that the pair is one atomic section; if not, it was a load and nothing else.
//! Which of the two happens is open: hardware may lose a reservation at any time. In the usual retry loop the
//! failing rounds change nothing that lasts, so that only the success is kept. Other shapes are refused.

use norn_ir::instr::{BinaryOp, CompareOp, FenceKind};
use norn_ir::types::Ty;

use crate::step::{Code, LabelId, MachineReg, Pair, Place, Step, Val, symbolic_name};
use crate::token::{Cursor, Parsed, Token, TokenKind};

/// The name under which a register is known, if it is one.
pub(crate) fn register_name(name: &str) -> Option<String> {
    let number = name.strip_prefix(['r', 'R'])?;
    let canonical = number.parse::<u32>().ok().filter(|n| *n < 32 && (number == "0" || !number.starts_with('0')))?;
    Some(format!("r{canonical}"))
}

pub(crate) fn instruction<'a>(cursor: &mut Cursor<'_, 'a>, code: &mut Code<'a>) -> Parsed<()> {
    let name = cursor.word("an instruction")?;
    let mut reader = Reader { cursor, code, name };
    let (plain, record) = match name.text.strip_suffix('.') {
        Some(plain) => (plain, true),
        None => (name.text, false),
    };
    if record {
        match plain {
            "stwcx" => return reader.store_conditional(Ty::I32),
            "stdcx" => return reader.store_conditional(Ty::I64),
            _ => {}
        }
    }
    let computed = reader.compute(plain)?;
    if let Some(dst) = computed {
        if record {
            reader.compare_result(dst);
        }
        return Ok(());
    }
    if record {
        return Err(reader.unknown());
    }
    reader.other(plain)
}

struct Reader<'r, 't, 'a> {
    cursor: &'r mut Cursor<'t, 'a>,
    code: &'r mut Code<'a>,
    name: Token<'a>,
}

impl<'a> Reader<'_, '_, 'a> {
    fn push(&mut self, step: Step) {
        self.code.push(step, self.name);
    }

    fn unknown(&self) -> norn_ir::diag::Diagnostic {
        self.cursor.file.unsupported_at(self.name, format!("the PPC instruction '{}' is not known", self.name.text))
    }

    fn reg(&mut self) -> Parsed<MachineReg> {
        let symbolic = self.cursor.eat("%");
        let token = self.cursor.peek();
        match register_name(token.text).filter(|_| token.kind == TokenKind::Word) {
            Some(name) => {
                self.cursor.bump();
                Ok(self.code.register(&name))
            }
            None if symbolic && token.kind == TokenKind::Word => {
                self.cursor.bump();
                Ok(self.code.register(&symbolic_name(token.text)))
            }
            None => Err(self.cursor.unexpected("a register r0 to r31")),
        }
    }

    /// As a base address, `r0` and `0` stand for the number 0.
    fn base(&mut self) -> Parsed<Val> {
        let token = self.cursor.peek();
        if token.kind == TokenKind::Number {
            return Ok(Val::Number(self.cursor.integer()?));
        }
        let reg = self.reg()?;
        Ok(if token.text == "r0" { Val::Number(0) } else { Val::Reg(reg) })
    }

    fn comma(&mut self) -> Parsed<()> {
        self.cursor.expect(",", "between operands").map(drop)
    }

    /// dst, a register, a second value.
    fn three(&mut self, immediate: bool) -> Parsed<(MachineReg, Val, Val)> {
        let dst = self.reg()?;
        self.comma()?;
        let lhs = Val::Reg(self.reg()?);
        self.comma()?;
        let rhs = if immediate { Val::Number(self.cursor.integer()?) } else { Val::Reg(self.reg()?) };
        Ok((dst, lhs, rhs))
    }

    /// Instructions that compute in registers: the destination, if this was one.
    fn compute(&mut self, name: &str) -> Parsed<Option<MachineReg>> {
        let dst = match name {
            "li" | "lis" => {
                let dst = self.reg()?;
                self.comma()?;
                let value = self.cursor.integer()?;
                let value = if name == "lis" { value.wrapping_shl(16) } else { value };
                self.push(Step::Set { dst, src: Val::Number(value) });
                dst
            }
            "mr" => {
                let dst = self.reg()?;
                self.comma()?;
                let src = Val::Reg(self.reg()?);
                self.push(Step::Set { dst, src });
                dst
            }
            "neg" | "not" | "extsw" | "extsh" | "extsb" => {
                let dst = self.reg()?;
                self.comma()?;
                let src = Val::Reg(self.reg()?);
                let step = match name {
                    "neg" => Step::Compute { dst, op: BinaryOp::Sub, ty: Ty::I64, lhs: Val::Number(0), rhs: src },
                    "not" => Step::Compute { dst, op: BinaryOp::Xor, ty: Ty::I64, lhs: src, rhs: Val::Number(-1) },
                    "extsb" => Step::Extend { dst, src, from: Ty::I8, signed: true },
                    "extsh" => Step::Extend { dst, src, from: Ty::I16, signed: true },
                    _ => Step::Extend { dst, src, from: Ty::I32, signed: true },
                };
                self.push(step);
                dst
            }
            "addi" | "addis" | "subi" | "xori" | "ori" | "andi" | "mulli" | "slwi" | "srwi" | "srawi" | "sldi"
            | "srdi" | "clrldi" => {
                let (dst, lhs, rhs) = self.immediate_operands(name)?;
                self.binary(name, dst, lhs, rhs)
            }
            "add" | "sub" | "subf" | "xor" | "or" | "and" | "nor" | "nand" | "eqv" | "mullw" | "mulld" | "slw"
            | "srw" | "sraw" | "sld" | "srd" => {
                let (dst, lhs, rhs) = self.three(false)?;
                self.binary(name, dst, lhs, rhs)
            }
            _ => return Ok(None),
        };
        Ok(Some(dst))
    }

    fn immediate_operands(&mut self, name: &str) -> Parsed<(MachineReg, Val, Val)> {
        let dst = self.reg()?;
        self.comma()?;
        // `addi r1,r0,5` means `li r1,5`.
        let lhs = if matches!(name, "addi" | "addis" | "subi") { self.base()? } else { Val::Reg(self.reg()?) };
        self.comma()?;
        let number = self.cursor.integer()?;
        let rhs = if name == "addis" { number.wrapping_shl(16) } else { number };
        Ok((dst, lhs, Val::Number(rhs)))
    }

    fn binary(&mut self, name: &str, dst: MachineReg, lhs: Val, rhs: Val) -> MachineReg {
        let (op, ty, lhs, rhs) = match name {
            // Both are common ways to make a dependency: the result does not depend on the register's value.
            "xor" | "sub" | "subf" if lhs == rhs => {
                self.push(Step::Zero { dst, on: lhs });
                return dst;
            }
            "or" | "and" if lhs == rhs => {
                self.push(Step::Set { dst, src: lhs });
                return dst;
            }
            "addi" | "addis" | "add" => (BinaryOp::Add, Ty::I64, lhs, rhs),
            "sub" | "subi" => (BinaryOp::Sub, Ty::I64, lhs, rhs),
            "subf" => (BinaryOp::Sub, Ty::I64, rhs, lhs),
            "xori" | "xor" | "eqv" => (BinaryOp::Xor, Ty::I64, lhs, rhs),
            "ori" | "or" | "nor" => (BinaryOp::Or, Ty::I64, lhs, rhs),
            "andi" | "and" | "nand" => (BinaryOp::And, Ty::I64, lhs, rhs),
            // Clears that many bits from the top.
            "clrldi" => {
                let kept = match rhs {
                    Val::Number(n) => u64::MAX.checked_shr(n.clamp(0, 64) as u32).unwrap_or(0),
                    _ => u64::MAX,
                };
                (BinaryOp::And, Ty::I64, lhs, Val::Number(kept as i64))
            }
            "mulli" | "mulld" => (BinaryOp::Mul, Ty::I64, lhs, rhs),
            "mullw" => {
                let (left, right) = (self.signed_word(lhs), self.signed_word(rhs));
                (BinaryOp::Mul, Ty::I64, left, right)
            }
            "slw" | "slwi" => (BinaryOp::Shl, Ty::I32, lhs, rhs),
            "srw" | "srwi" => (BinaryOp::ShrUnsigned, Ty::I32, lhs, rhs),
            "sld" | "sldi" => (BinaryOp::Shl, Ty::I64, lhs, rhs),
            "srd" | "srdi" => (BinaryOp::ShrUnsigned, Ty::I64, lhs, rhs),
            // `sraw` and `srawi`
            _ => (BinaryOp::ShrSigned, Ty::I64, self.signed_word(lhs), rhs),
        };
        self.push(Step::Compute { dst, op, ty, lhs, rhs });
        if matches!(name, "nor" | "nand" | "eqv") {
            self.push(Step::Compute { dst, op: BinaryOp::Xor, ty, lhs: Val::Reg(dst), rhs: Val::Number(-1) });
        }
        dst
    }

    fn signed_word(&mut self, src: Val) -> Val {
        let dst = self.code.fresh();
        self.push(Step::Extend { dst, src, from: Ty::I32, signed: true });
        Val::Reg(dst)
    }

    /// The two sides of the last comparison that went into a condition register.
    fn condition_register(&mut self, number: u32) -> (MachineReg, MachineReg) {
        (self.code.register(&format!("cr{number}.left")), self.code.register(&format!("cr{number}.right")))
    }

    fn compare_result(&mut self, result: MachineReg) {
        let (left, right) = self.condition_register(0);
        self.push(Step::Set { dst: left, src: Val::Reg(result) });
        self.push(Step::Set { dst: right, src: Val::Number(0) });
    }

    /// `cr1,` before the operands.
    fn named_condition(&mut self) -> Parsed<u32> {
        let token = self.cursor.peek();
        let number = token.text.strip_prefix("cr").and_then(|n| n.parse().ok()).filter(|n: &u32| *n < 8);
        match number {
            Some(number) => {
                self.cursor.bump();
                self.comma()?;
                Ok(number)
            }
            None => Ok(0),
        }
    }

    fn compare(&mut self, name: &str) -> Parsed<()> {
        let number = self.named_condition()?;
        let lhs = Val::Reg(self.reg()?);
        self.comma()?;
        let rhs = if name.ends_with('i') { Val::Number(self.cursor.integer()?) } else { Val::Reg(self.reg()?) };
        let (left, right) = self.condition_register(number);
        if lhs == rhs {
            self.push(Step::Zero { dst: left, on: lhs });
            self.push(Step::Zero { dst: right, on: lhs });
            return Ok(());
        }
        for (dst, src) in [(left, lhs), (right, rhs)] {
            match name.trim_end_matches('i') {
                // The sides are compared as signed numbers of 64 bits: for unsigned words, zeros in front do it, for
                // unsigned double words the sign bit turned over.
                "cmpw" => self.push(Step::Extend { dst, src, from: Ty::I32, signed: true }),
                "cmplw" => self.push(Step::Extend { dst, src, from: Ty::I32, signed: false }),
                "cmpd" => self.push(Step::Set { dst, src }),
                _ => {
                    let rhs = Val::Number(i64::MIN);
                    self.push(Step::Compute { dst, op: BinaryOp::Xor, ty: Ty::I64, lhs: src, rhs });
                }
            }
        }
        Ok(())
    }

    fn target(&mut self) -> Parsed<LabelId> {
        let label = self.cursor.word("a label")?;
        Ok(self.code.label(label))
    }

    fn branch(&mut self, name: &str) -> Parsed<()> {
        if !self.cursor.eat("+") {
            self.cursor.eat("-");
        }
        let number = self.named_condition()?;
        let target = self.target()?;
        if name == "bne" && number == 0 && self.close_retry_loop(target) {
            return Ok(());
        }
        let (left, right) = self.condition_register(number);
        let (left, right) = (Val::Reg(left), Val::Reg(right));
        let (op, lhs, rhs) = match name {
            "beq" => (CompareOp::Eq, left, right),
            "bne" => (CompareOp::Ne, left, right),
            "blt" => (CompareOp::LtSigned, left, right),
            "bge" | "bnl" => (CompareOp::LeSigned, right, left),
            "bgt" => (CompareOp::LtSigned, right, left),
            // `ble` and `bng`
            _ => (CompareOp::LeSigned, left, right),
        };
        self.push(Step::Branch { op, lhs, rhs, target });
        Ok(())
    }

    /// `8(r2)`, or with `indexed` `r3,r2`.
    fn place(&mut self, indexed: bool) -> Parsed<Place> {
        if indexed {
            let base = self.base()?;
            self.comma()?;
            let index = Val::Reg(self.reg()?);
            return Ok(Place { base, index });
        }
        let offset = self.cursor.integer()?;
        self.cursor.expect("(", "after the offset")?;
        let base = self.base()?;
        self.cursor.expect(")", "after the register")?;
        Ok(Place { base, index: Val::Number(offset) })
    }

    fn memory(&mut self, access: Memory) -> Parsed<()> {
        let Memory { load, ty, signed, indexed, update } = access;
        let reg = self.reg()?;
        self.comma()?;
        let place = self.place(indexed)?;
        if load {
            self.code.registers[reg.index()].wide |= ty == Ty::I64;
            self.push(Step::Load { dst: reg, place, ty, signed });
        } else {
            self.push(Step::Store { place, value: Val::Reg(reg), ty });
        }
        if let (true, Val::Reg(dst)) = (update, place.base) {
            self.push(Step::Compute { dst, op: BinaryOp::Add, ty: Ty::I64, lhs: place.base, rhs: place.index });
        }
        Ok(())
    }

    fn other(&mut self, name: &str) -> Parsed<()> {
        match name {
            "sync" | "hwsync" => {
                // `sync 1` is another way to write `lwsync`.
                let light = self.cursor.peek().kind == TokenKind::Number && self.cursor.integer()? == 1;
                self.push(Step::Fence(if light { FenceKind::StoreStore } else { FenceKind::Full }));
            }
            "lwsync" | "eieio" => self.push(Step::Fence(FenceKind::StoreStore)),
            "isync" => self.push(Step::Fence(FenceKind::LoadLoad)),
            "nop" => {}
            "b" => {
                let target = self.target()?;
                self.push(Step::Jump(target));
            }
            "beq" | "bne" | "blt" | "bge" | "bgt" | "ble" | "bnl" | "bng" => self.branch(name)?,
            "cmpw" | "cmpwi" | "cmplw" | "cmplwi" | "cmpd" | "cmpdi" | "cmpld" | "cmpldi" => self.compare(name)?,
            "lwarx" => self.load_reserved(Ty::I32)?,
            "ldarx" => self.load_reserved(Ty::I64)?,
            _ => match Memory::named(name) {
                Some(access) => self.memory(access)?,
                None => return Err(self.unknown()),
            },
        }
        Ok(())
    }

    fn load_reserved(&mut self, ty: Ty) -> Parsed<()> {
        let dst = self.reg()?;
        self.comma()?;
        let place = self.place(true)?;
        self.code.registers[dst.index()].wide |= ty == Ty::I64;
        self.push(Step::Load { dst, place, ty, signed: false });
        self.code.reserved = Some(self.code.steps.len() - 1);
        Ok(())
    }

    /// Rewrites the steps from the `lwarx` on, see the head of this file.
    fn store_conditional(&mut self, ty: Ty) -> Parsed<()> {
        let value = Val::Reg(self.reg()?);
        self.comma()?;
        let place = self.place(true)?;
        let paired = self.code.reserved.take().filter(|&first| self.is_pair(first, place, ty));
        let Some(first) = paired else {
            let message = format!("this '{}' has no load with reservation of its own before it", self.name.text);
            let help = "only computations may stand between the two, and both must name the same address";
            return Err(self.cursor.file.unsupported_at(self.name, message).help(help));
        };
        let body = self.code.steps.split_off(first);
        let start = body.first().map_or(self.name.start, |&(_, start)| start);
        let (left, right) = self.condition_register(0);
        let at_load = Token { start, ..self.name };
        let (failure, done) = (self.code.fresh_label(), self.code.fresh_label());
        let choice = self.code.fresh();
        self.code.push(Step::Choose { dst: choice }, at_load);
        let (lhs, rhs) = (Val::Reg(choice), Val::Number(0));
        self.code.push(Step::Branch { op: CompareOp::Eq, lhs, rhs, target: failure }, at_load);
        let success_begin = self.code.steps.len();
        self.code.push(Step::SectionBegin, at_load);
        self.code.steps.extend(body.iter().cloned());
        self.push(Step::Store { place, value, ty });
        self.push(Step::SectionEnd);
        self.push(Step::Set { dst: left, src: Val::Number(0) });
        self.push(Step::Set { dst: right, src: Val::Number(0) });
        let success = success_begin..self.code.steps.len();
        let repeatable = is_repeatable(&body);
        self.push(Step::Jump(done));
        self.push(Step::Label(failure));
        self.code.steps.extend(body);
        self.push(Step::Set { dst: left, src: Val::Number(1) });
        self.push(Step::Set { dst: right, src: Val::Number(0) });
        self.push(Step::Label(done));
        self.code.pair = repeatable.then_some(Pair { first, success, end: self.code.steps.len() });
        Ok(())
    }

    /// At `bne target`: if that closes the retry loop of the pair just before, keeps the round that succeeds.
    fn close_retry_loop(&mut self, target: LabelId) -> bool {
        let Some(Pair { first, success, end }) = self.code.pair.take() else { return false };
        let before = first.checked_sub(1).and_then(|i| self.code.steps.get(i));
        let closes = end == self.code.steps.len() && matches!(before, Some((Step::Label(l), _)) if *l == target);
        if closes {
            let kept = self.code.steps[success].to_vec();
            self.code.steps.truncate(first);
            self.code.steps.extend(kept);
        }
        closes
    }

    fn is_pair(&self, first: usize, place: Place, ty: Ty) -> bool {
        let mut steps = self.code.steps[first..].iter().map(|(step, _)| step);
        let Some(Step::Load { dst, place: loaded, ty: loaded_ty, .. }) = steps.next() else { return false };
        let is_address = |reg: MachineReg| [place.base, place.index].contains(&Val::Reg(reg));
        *loaded == place
            && *loaded_ty == ty
            && !is_address(*dst)
            && steps.all(|step| step.is_local() && step.dst().is_none_or(|dst| !is_address(dst)))
    }
}

/// Whether a round that is run again computes the same as if it had been run once: nothing that it reads is left over
/// from itself.
fn is_repeatable(body: &[(Step, u32)]) -> bool {
    let mut written_later: Vec<MachineReg> = body.iter().filter_map(|(step, _)| step.dst()).collect();
    written_later.reverse();
    let mut written = Vec::new();
    body.iter().all(|(step, _)| {
        let leftover = |val: &Val| match val {
            Val::Reg(reg) => written_later.contains(reg) && !written.contains(reg),
            _ => false,
        };
        let fine = !step.reads().iter().any(leftover);
        written.extend(written_later.pop());
        fine
    })
}

/// An instruction that accesses memory.
struct Memory {
    load: bool,
    ty: Ty,
    signed: bool,
    indexed: bool,
    update: bool,
}

impl Memory {
    /// `l` or `st`, the size, `z` or `a` for the extension, `u` for update, `x` for indexed.
    fn named(name: &str) -> Option<Memory> {
        let (load, rest) = match name.strip_prefix("st") {
            Some(rest) => (false, rest),
            None => (true, name.strip_prefix('l')?),
        };
        let mut letters = rest.chars();
        let ty = match letters.next()? {
            'b' => Ty::I8,
            'h' => Ty::I16,
            'w' => Ty::I32,
            'd' => Ty::I64,
            _ => return None,
        };
        let mut rest = letters.as_str();
        let mut signed = false;
        if load && ty != Ty::I64 {
            signed = rest.starts_with('a');
            rest = rest.strip_prefix(['z', 'a']).filter(|_| !(signed && ty == Ty::I8))?;
        }
        let (update, indexed) = match rest {
            "" => (false, false),
            "u" => (true, false),
            "x" => (false, true),
            "ux" => (true, true),
            _ => return None,
        };
        Some(Memory { load, ty, signed, indexed, update })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_accesses() {
        let shown = |name: &str| Memory::named(name).map(|m| (m.load, m.ty, m.signed, m.indexed, m.update));
        assert_eq!(shown("lwz"), Some((true, Ty::I32, false, false, false)));
        assert_eq!(shown("lwax"), Some((true, Ty::I32, true, true, false)));
        assert_eq!(shown("lhzux"), Some((true, Ty::I16, false, true, true)));
        assert_eq!(shown("ldx"), Some((true, Ty::I64, false, true, false)));
        assert_eq!(shown("stbu"), Some((false, Ty::I8, false, false, true)));
        for unknown in ["lw", "lba", "stwz", "lmw", "l", "stq", "ldz"] {
            assert_eq!(shown(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn names_of_registers() {
        assert_eq!(register_name("r0").as_deref(), Some("r0"));
        assert_eq!(register_name("R31").as_deref(), Some("r31"));
        for unknown in ["r32", "r01", "r", "cr0", "x", "r-1"] {
            assert_eq!(register_name(unknown), None, "{unknown}");
        }
    }
}
