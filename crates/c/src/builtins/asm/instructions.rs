//! What the instructions do. Operands in AT&T order: the source first, the destination last.

use super::flags::{Condition, Flags};
use super::machine::{Machine, Memory, Value};
use super::template::{Instruction, Operand, Prefix};
use crate::ctype::QualType;
use crate::tree::{BinaryOp, Builtin, CompareOp, Expected, Expr, UpdateResult};
use norn_ir::instr::{Order, RmwOp};

/// The operations whose mnemonics may end in the letter of a width.
const SIZED: &[&str] = &[
    "mov", "xchg", "xadd", "cmpxchg", "add", "sub", "and", "or", "xor", "inc", "dec", "neg", "not", "cmp", "test",
    "bt", "bts", "btr", "btc", "sbb", "shl", "sal", "shr", "sar",
];

/// An operation of the list and the width that its mnemonic gives.
pub(super) fn sized<'o>(mnemonic: &str, operations: &[&'o str]) -> Option<(&'o str, Option<u64>)> {
    operations.iter().find_map(|&op| {
        let width = match mnemonic.strip_prefix(op)? {
            "" => None,
            "b" => Some(1),
            "w" => Some(2),
            "l" => Some(4),
            "q" => Some(8),
            _ => return None,
        };
        Some((op, width))
    })
}

impl Machine<'_, '_> {
    /// Executes an instruction; `None` if anything about it is not understood.
    pub fn execute(&mut self, instruction: &Instruction) -> Option<()> {
        let Instruction { prefix, mnemonic, operands } = instruction;
        let locked = match prefix {
            None => false,
            Some(Prefix::Lock) => true,
            Some(Prefix::Rep) => return None,
        };
        if !locked && mnemonic == "jmp" {
            let [target] = &operands[..] else { return None };
            self.jump(None, target)?;
        } else if let Some(condition) = mnemonic.strip_prefix('j').and_then(Condition::named) {
            let [target] = &operands[..] else { return None };
            if locked {
                return None;
            }
            let holds = self.condition(condition)?;
            self.jump(Some(holds), target)?;
        } else if let Some(found) = self.unsized_instruction(mnemonic, locked, operands) {
            found?;
        } else if let Some(condition) = mnemonic.strip_prefix("set").and_then(Condition::named) {
            let [target] = &operands[..] else { return None };
            if locked {
                return None;
            }
            self.set(condition, target)?;
        } else {
            let (op, suffix) = sized(mnemonic, SIZED)?;
            // The amount of a shift has a width of its own.
            let is_shift = matches!(op, "shl" | "sal" | "shr" | "sar");
            let same_width = if is_shift { operands.get(1..)? } else { operands };
            let width = self.width(suffix, same_width)?;
            self.sized_instruction(op, width, locked, operands)?;
        }
        self.end_instruction(operands);
        Some(())
    }

    /// The width of an instruction: all registers in it and the letter of its mnemonic agree.
    fn width(&self, suffix: Option<u64>, operands: &[Operand]) -> Option<u64> {
        let mut width = suffix;
        for operand in operands {
            if let Some(printed) = self.printed_width(operand)
                && *width.get_or_insert(printed) != printed
            {
                return None;
            }
        }
        width.filter(|&width| width <= self.checker.pointer_size())
    }

    fn sized_instruction(&mut self, op: &str, width: u64, locked: bool, operands: &[Operand]) -> Option<()> {
        match (op, operands) {
            ("shl" | "sal" | "shr" | "sar", [amount, target]) if !locked => self.shift(op, amount, target, width),
            ("xor" | "sub", [a, b]) if !locked && a == b && self.memory_slot(a).is_none() => self.clear(a, width),
            ("mov", [source, target]) if !locked => self.mov(source, target, width),
            ("xchg", [a, b]) => self.exchange(a, b, width),
            ("xadd", [register, target]) => self.exchange_add(register, target, width, locked),
            ("cmpxchg", [register, target]) => self.compare_exchange(register, target, width, locked),
            ("add", [source, target]) => self.arithmetic(RmwOp::Add, source, target, width, locked),
            ("sub", [source, target]) => self.arithmetic(RmwOp::Sub, source, target, width, locked),
            ("and", [source, target]) => self.arithmetic(RmwOp::And, source, target, width, locked),
            ("or", [source, target]) => self.arithmetic(RmwOp::Or, source, target, width, locked),
            ("xor", [source, target]) => self.arithmetic(RmwOp::Xor, source, target, width, locked),
            ("inc", [target]) => self.step(RmwOp::Add, target, width, locked),
            ("dec", [target]) => self.step(RmwOp::Sub, target, width, locked),
            ("not", [target]) => self.complement(target, width, locked),
            ("neg", [target]) if !locked => self.negate(target, width),
            ("cmp" | "test", [source, target]) if !locked => self.compare_only(op, source, target, width),
            ("bt" | "bts" | "btr" | "btc", [bit, target]) => self.bit(op, bit, target, width, locked),
            ("sbb", [a, b]) if !locked && a == b => self.spread_carry(a, width),
            _ => None,
        }
    }

    /// A register minus itself, or with its own bits flipped: 0, whatever it held.
    fn clear(&mut self, register: &Operand, width: u64) -> Option<()> {
        let zero = self.number(0, width);
        let result = self.keep(zero)?;
        self.flags = Flags::Logic { result };
        self.write_register(register, result)
    }

    /// By a number in the instruction or in `%cl`, of which only the low bits count. The flags after it are left alone.
    fn shift(&mut self, op: &str, amount: &Operand, target: &Operand, width: u64) -> Option<()> {
        let number = self.shift_amount(amount)?;
        let most = self.number(if width == 8 { 63 } else { 31 }, 1);
        let most = self.keep(most)?;
        let number = self.compute(BinaryOp::And, number, most);
        let number = self.keep(number)?;
        let memory = self.memory(target);
        let old = match memory {
            Some(memory) => self.load_memory(memory, width, false)?,
            None => self.read_register(target, width)?,
        };
        // Computed in 64 bits, where no amount is too large.
        let extended = if op == "sar" { self.signed(width) } else { self.unsigned(width) };
        let old = self.load_as(old, extended);
        let wide = if op == "sar" { self.signed(8) } else { self.unsigned(8) };
        let old = self.checker.converted(old, wide);
        let direction =
            if op.starts_with("sh") && op.ends_with('l') || op == "sal" { BinaryOp::Shl } else { BinaryOp::Shr };
        let number = self.load(number);
        let new = self.checker.arithmetic(direction, old, number, self.loc);
        let new = self.checker.converted(new, self.unsigned(width));
        let new = self.keep(new)?;
        self.flags = Flags::Unknown;
        match memory {
            Some(memory) => self.store_memory(memory, new),
            None => self.write_register(target, new),
        }
    }

    fn shift_amount(&mut self, amount: &Operand) -> Option<Value> {
        match self.printed_width(amount) {
            None => self.read_simple(amount, 1),
            Some(1) => {
                let number = self.register(amount, 1)?;
                (self.registers[number].letter == Some('c')).then_some(())?;
                self.read_register_number(number, 1)
            }
            Some(_) => None,
        }
    }

    /// Stores a condition in a byte.
    fn set(&mut self, condition: Condition, target: &Operand) -> Option<()> {
        let holds = self.condition(condition)?;
        let byte = self.checker.converted(holds, self.unsigned(1));
        let byte = self.keep(byte)?;
        match self.memory(target) {
            Some(memory) => self.store_memory(memory, byte),
            None => self.write_register(target, byte),
        }
    }

    fn mov(&mut self, source: &Operand, target: &Operand, width: u64) -> Option<()> {
        match (self.memory(source), self.memory(target)) {
            (Some(from), None) => {
                let value = self.load_memory(from, width, true)?;
                self.write_register(target, value)
            }
            (None, Some(to)) => {
                let value = self.read_simple(source, width)?;
                self.store_memory(to, value)
            }
            (None, None) => {
                let value = self.read_simple(source, width)?;
                self.write_register(target, value)
            }
            (Some(_), Some(_)) => None,
        }
    }

    /// With memory this is always one step.
    fn exchange(&mut self, a: &Operand, b: &Operand, width: u64) -> Option<()> {
        let (register, memory) = match (self.memory(a), self.memory(b)) {
            (Some(memory), None) => (b, memory),
            (None, Some(memory)) => (a, memory),
            (None, None) => {
                let (x, y) = (self.read_register(a, width)?, self.read_register(b, width)?);
                self.write_register(a, y)?;
                return self.write_register(b, x);
            }
            (Some(_), Some(_)) => return None,
        };
        let value = self.read_register(register, width)?;
        let (pointer, ty) = self.access(memory, width, true)?;
        let value = self.load_as(value, ty);
        let old = self.update(RmwOp::Exchange, memory, pointer, value, ty)?;
        self.write_register(register, old)
    }

    fn exchange_add(&mut self, register: &Operand, target: &Operand, width: u64, locked: bool) -> Option<()> {
        let right = self.read_register(register, width)?;
        let memory = self.memory(target)?;
        let left = self.combine(RmwOp::Add, memory, right, width, locked)?;
        self.flags = Flags::Sum { left, right, keeps_carry: false };
        self.write_register(register, left)
    }

    /// Compares the accumulator with memory; it receives what was found.
    fn compare_exchange(&mut self, register: &Operand, target: &Operand, width: u64, locked: bool) -> Option<()> {
        let accumulator = self.registers.iter().position(|r| r.letter == Some('a'))?;
        let expected = self.read_register_number(accumulator, width)?;
        let desired = self.read_register(register, width)?;
        let memory = self.memory(target)?;
        self.may_read(memory)?;
        self.may_write(memory, width)?;
        self.accesses += 1;
        let (pointer, ty) = self.access(memory, width, true)?;
        let left = self.load_as(expected, ty);
        let left = self.keep(left)?;
        let old = if locked {
            let (expected, desired) = (self.load(left), self.load_as(desired, ty));
            let builtin = Builtin::AtomicCompareExchange {
                pointer,
                expected: Expected::Value(expected),
                desired,
                success: Order::SeqCst,
                failure: Order::SeqCst,
                returns_success: false,
                weak: false,
            };
            let old = self.checker.builtin(builtin, ty, self.loc);
            self.keep(old)?
        } else {
            let old = self.load_memory(memory, width, true)?;
            let (found, wanted) = (self.load(old), self.load(left));
            let equal = self.checker.comparison(CompareOp::Eq, found, wanted, self.loc);
            let (new, same) = (self.load_as(desired, ty), self.load(old));
            let stored = self.checker.choice(equal, new, same, self.loc);
            let stored = self.checker.converted(stored, ty);
            let stored = self.keep(stored)?;
            self.store_memory(memory, stored)?;
            old
        };
        self.flags = Flags::Difference { left, right: old, keeps_carry: false };
        self.write_register_number(accumulator, old)
    }

    fn arithmetic(&mut self, op: RmwOp, source: &Operand, target: &Operand, width: u64, locked: bool) -> Option<()> {
        let right = match self.memory(source) {
            Some(memory) if !locked => self.load_memory(memory, width, false)?,
            Some(_) => return None,
            None => self.read_simple(source, width)?,
        };
        let left = match self.memory(target) {
            Some(memory) => self.combine(op, memory, right, width, locked)?,
            None if locked => return None,
            None => {
                let left = self.read_register(target, width)?;
                let result = self.compute(operator(op)?, left, right);
                let result = self.keep(result)?;
                self.write_register(target, result)?;
                left
            }
        };
        self.flags = self.flags_of(op, left, right, false)?;
        Some(())
    }

    /// `inc` and `dec` leave the carry alone.
    fn step(&mut self, op: RmwOp, target: &Operand, width: u64, locked: bool) -> Option<()> {
        let carry = self.flags;
        self.arithmetic(op, &Operand::Immediate(1), target, width, locked)?;
        self.flags = match self.flags {
            Flags::Sum { left, right, .. } => Flags::Sum { left, right, keeps_carry: true },
            Flags::Difference { left, right, .. } => Flags::Difference { left, right, keeps_carry: true },
            _ => carry,
        };
        Some(())
    }

    /// `not` sets no flags.
    fn complement(&mut self, target: &Operand, width: u64, locked: bool) -> Option<()> {
        let flags = self.flags;
        self.arithmetic(RmwOp::Xor, &Operand::Immediate(-1), target, width, locked)?;
        self.flags = flags;
        Some(())
    }

    fn negate(&mut self, target: &Operand, width: u64) -> Option<()> {
        let zero = self.number(0, width);
        let left = self.keep(zero)?;
        let memory = self.memory(target);
        let right = match memory {
            Some(memory) => self.load_memory(memory, width, false)?,
            None => self.read_register(target, width)?,
        };
        let result = self.compute(BinaryOp::Sub, left, right);
        let result = self.keep(result)?;
        self.flags = Flags::Difference { left, right, keeps_carry: false };
        match memory {
            Some(memory) => self.store_memory(memory, result),
            None => self.write_register(target, result),
        }
    }

    fn compare_only(&mut self, op: &str, source: &Operand, target: &Operand, width: u64) -> Option<()> {
        let (from, to) = (self.memory(source), self.memory(target));
        if from.is_some() && to.is_some() {
            return None;
        }
        let mut read = |operand, memory| match memory {
            Some(memory) => self.load_memory(memory, width, false),
            None => self.read_simple(operand, width),
        };
        let (right, left) = (read(source, from)?, read(target, to)?);
        self.flags = match op {
            "cmp" => Flags::Difference { left, right, keeps_carry: false },
            _ => {
                let result = self.compute(BinaryOp::And, left, right);
                Flags::Logic { result: self.keep(result)? }
            }
        };
        Some(())
    }

    /// `bt` and its kin: the carry becomes the bit as it was. With the number in a register, memory is a row of bits that
    /// goes on beyond the operand in both directions; a number in the instruction stays within the operand.
    fn bit(&mut self, op: &str, bit: &Operand, target: &Operand, width: u64, locked: bool) -> Option<()> {
        if width == 1 || (op == "bt" && locked) {
            return None;
        }
        let bits = i128::from(width) * 8;
        let is_number = self.printed_width(bit).is_none();
        let number = self.read_simple(bit, width)?;
        let (mut memory, mut shift) = (self.memory(target), number);
        if let Some(row) = memory
            && !is_number
        {
            let (pointer, ty) = self.access(row, width, false)?;
            let index = self.load_as(number, self.signed(width));
            let index = self.checker.converted(index, self.checker.ptrdiff_type());
            let amount = self.checker.int_constant(i128::from(bits.ilog2()), self.checker.int_type(), self.loc);
            let index = self.checker.arithmetic(BinaryOp::Shr, index, amount, self.loc);
            let pointer = self.checker.pointer_add(pointer, index, crate::tree::Size::Const(width), false, self.loc);
            debug_assert!(self.checker.size_of(ty) == Some(width), "an access has the width of its instruction");
            // The compiler knows of the operand only, so it has to expect more.
            self.may_read(row)?;
            self.may_write(row, 0)?;
            memory = Some(Memory::Pointer(self.keep(pointer)?));
        }
        let mask = self.number(bits - 1, width);
        let mask = self.keep(mask)?;
        shift = {
            let within = self.compute(BinaryOp::And, shift, mask);
            self.keep(within)?
        };
        let one = self.number(1, width);
        let one = self.keep(one)?;
        let selected = self.compute(BinaryOp::Shl, one, shift);
        let selected = self.keep(selected)?;
        let (rmw, operand) = match op {
            "bts" => (RmwOp::Or, selected),
            "btc" => (RmwOp::Xor, selected),
            _ => {
                let ones = self.number(-1, width);
                let ones = self.keep(ones)?;
                let others = self.compute(BinaryOp::Xor, selected, ones);
                (RmwOp::And, self.keep(others)?)
            }
        };
        let old = match (memory, op) {
            (Some(memory), "bt") => self.load_memory(memory, width, false)?,
            (Some(memory), _) => self.combine(rmw, memory, operand, width, locked)?,
            (None, _) if locked => return None,
            (None, "bt") => self.read_simple(target, width)?,
            (None, _) => {
                let old = self.read_register(target, width)?;
                let new = self.compute(operator(rmw)?, old, operand);
                let new = self.keep(new)?;
                self.write_register(target, new)?;
                old
            }
        };
        let bit = self.compute(BinaryOp::And, old, selected);
        self.flags = Flags::Bit { bit: self.keep(bit)? };
        Some(())
    }

    /// `sbb` of a register from itself: all ones if there was a carry, else 0, whatever the register held.
    fn spread_carry(&mut self, register: &Operand, width: u64) -> Option<()> {
        let carry = self.condition(Condition::CARRY)?;
        let carry = self.checker.converted(carry, self.unsigned(width));
        let right = self.keep(carry)?;
        let zero = self.number(0, width);
        let left = self.keep(zero)?;
        let result = self.compute(BinaryOp::Sub, left, right);
        let result = self.keep(result)?;
        self.flags = Flags::Difference { left, right, keeps_carry: false };
        self.write_register(register, result)
    }

    pub fn flags_of(&mut self, op: RmwOp, left: Value, right: Value, keeps_carry: bool) -> Option<Flags> {
        Some(match op {
            RmwOp::Add => Flags::Sum { left, right, keeps_carry },
            RmwOp::Sub => Flags::Difference { left, right, keeps_carry },
            _ => {
                let result = self.compute(operator(op)?, left, right);
                Flags::Logic { result: self.keep(result)? }
            }
        })
    }

    /// Memory becomes memory `op` value, in one step or two; what it was before.
    pub fn combine(&mut self, op: RmwOp, memory: Memory, value: Value, width: u64, locked: bool) -> Option<Value> {
        if locked {
            let (pointer, ty) = self.access(memory, width, false)?;
            let value = self.load_as(value, ty);
            return self.update(op, memory, pointer, value, ty);
        }
        let old = self.load_memory(memory, width, false)?;
        let new = self.compute(operator(op)?, old, value);
        let new = self.keep(new)?;
        self.store_memory(memory, new)?;
        Some(old)
    }

    pub fn update(&mut self, op: RmwOp, memory: Memory, pointer: Expr, operand: Expr, ty: QualType) -> Option<Value> {
        self.may_read(memory)?;
        self.may_write(memory, self.checker.size_of(ty)?)?;
        self.accesses += 1;
        let (order, result) = (self.update_order, UpdateResult::Old);
        let builtin = Builtin::AtomicUpdate { op, pointer, operand, order, result };
        let old = self.checker.builtin(builtin, ty, self.loc);
        self.keep(old)
    }
}

pub(super) fn operator(op: RmwOp) -> Option<BinaryOp> {
    Some(match op {
        RmwOp::Add => BinaryOp::Add,
        RmwOp::Sub => BinaryOp::Sub,
        RmwOp::And => BinaryOp::And,
        RmwOp::Or => BinaryOp::Or,
        RmwOp::Xor => BinaryOp::Xor,
        RmwOp::Exchange | RmwOp::Nand => return None,
    })
}
