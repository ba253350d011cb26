//! Instructions of x86 with fixed registers or two widths: `cmpxchg8b` and `cmpxchg16b`, `rdtsc`, `cpuid`, widening moves.

use super::flags::Flags;
use super::flow::Effect;
use super::machine::{Machine, Memory, Value};
use super::operands::Slot;
use super::template::Operand;
use crate::ctype::QualType;
use crate::tree::{BinaryOp, Builtin, CompareOp, Expected, Expr};
use norn_ir::instr::{FenceKind, Order};

impl Machine<'_, '_> {
    /// Executes an instruction whose mnemonic does not end in the letter of a width; `None` if it is no such instruction,
    /// `Some(None)` if anything about it is not understood.
    pub fn unsized_instruction(&mut self, mnemonic: &str, locked: bool, operands: &[Operand]) -> Option<Option<()>> {
        Some(match (mnemonic, operands) {
            ("cmpxchg8b", [target]) => self.compare_exchange_pair(target, 4, locked),
            ("cmpxchg16b", [target]) if self.checker.pointer_size() == 8 => {
                self.compare_exchange_pair(target, 8, locked)
            }
            ("rdtsc", []) if !locked => self.anything_into("rdtsc", &['a', 'd']),
            ("rdtscp", []) if !locked => self.anything_into("rdtscp", &['a', 'c', 'd']),
            ("cpuid", []) if !locked => self.identify(),
            (_, [source, target]) if !locked => {
                let (from, to, signed) = widening(mnemonic)?;
                self.widening_move(source, target, (from, to), signed)
            }
            _ => return None,
        })
    }

    /// The register of a letter, if the statement has it.
    fn lettered(&self, letter: char) -> Option<usize> {
        self.registers.iter().position(|r| r.letter == Some(letter))
    }

    /// Compares `edx:eax` with memory, and writes `ecx:ebx` if both are equal; else `edx:eax` receives what was found. Only the
    /// zero flag changes.
    fn compare_exchange_pair(&mut self, target: &Operand, half: u64, locked: bool) -> Option<()> {
        let [a, b, c, d] = ['a', 'b', 'c', 'd'].map(|letter| self.lettered(letter));
        let (a, b, c, d) = (a?, b?, c?, d?);
        let whole = self.unsigned(2 * half);
        let left = self.joined(a, d, half)?;
        let desired = self.joined(b, c, half)?;
        let memory = self.memory(target)?;
        self.may_read(memory)?;
        self.may_write(memory, 2 * half)?;
        let (pointer, _) = self.access(memory, 2 * half, false)?;
        let old = if locked {
            self.accesses += 1;
            let (expected, desired) = (self.load(left), self.load(desired));
            let builtin = Builtin::AtomicCompareExchange {
                pointer,
                expected: Expected::Value(expected),
                desired,
                success: Order::SeqCst,
                failure: Order::SeqCst,
                returns_success: false,
                weak: false,
            };
            let old = self.checker.builtin(builtin, whole, self.loc);
            self.keep(old)?
        } else {
            self.compare_exchange_unlocked(memory, left, desired, half)?
        };
        self.flags = Flags::Equal { left, right: old };
        let low = self.load_as(old, self.unsigned(half));
        let low = self.keep(low)?;
        let high = self.shifted(old, half, BinaryOp::Shr);
        let high = self.checker.converted(high, self.unsigned(half));
        let high = self.keep(high)?;
        self.write_register_number(a, low)?;
        self.write_register_number(d, high)
    }

    /// A load and a store, which writes back what was found if that is another value. 16 bytes are no single access then.
    fn compare_exchange_unlocked(&mut self, memory: Memory, left: Value, desired: Value, half: u64) -> Option<Value> {
        if half != 4 {
            return None;
        }
        let old = self.load_memory(memory, 8, false)?;
        let (found, wanted) = (self.load(old), self.load(left));
        let equal = self.checker.comparison(CompareOp::Eq, found, wanted, self.loc);
        let (new, same) = (self.load(desired), self.load(old));
        let stored = self.checker.choice(equal, new, same, self.loc);
        let stored = self.checker.converted(stored, self.unsigned(8));
        let stored = self.keep(stored)?;
        self.store_memory(memory, stored)?;
        Some(old)
    }

    /// Two registers as one number.
    fn joined(&mut self, low: usize, high: usize, half: u64) -> Option<Value> {
        let whole = self.unsigned(2 * half);
        let high = self.widened_register(high, half, whole)?;
        let high = self.keep(high)?;
        let high = self.shifted(high, half, BinaryOp::Shl);
        let low = self.widened_register(low, half, whole)?;
        let joined = self.checker.arithmetic(BinaryOp::Or, high, low, self.loc);
        self.keep(joined)
    }

    fn widened_register(&mut self, number: usize, half: u64, whole: QualType) -> Option<Expr> {
        let value = self.read_register_number(number, half)?;
        let value = self.load_as(value, self.unsigned(half));
        Some(self.checker.converted(value, whole))
    }

    fn shifted(&mut self, value: Value, half: u64, op: BinaryOp) -> Expr {
        let value = self.load(value);
        let amount = self.checker.int_constant(i128::from(half) * 8, self.checker.int_type(), self.loc);
        self.checker.arithmetic(op, value, amount, self.loc)
    }

    /// Registers receive any values of 32 bits. All of them have to be outputs or clobbered.
    fn anything_into(&mut self, source: &str, letters: &[char]) -> Option<()> {
        for &letter in letters {
            let number = self.lettered(letter)?;
            let any = Builtin::Nondet(source.to_owned());
            let any = self.checker.builtin(any, self.unsigned(4), self.loc);
            let any = self.keep(any)?;
            self.write_register_number(number, any)?;
        }
        Some(())
    }

    /// `cpuid` answers a question in `eax` (and `ecx`, for some questions), after everything before it is done.
    fn identify(&mut self) -> Option<()> {
        let question = self.lettered('a')?;
        self.read_register_number(question, 4)?;
        let void = self.checker.void_type();
        let fence = self.checker.builtin(Builtin::Fence(FenceKind::Full), void, self.loc);
        self.effects.push(Effect::Expr(fence));
        self.accesses += 1;
        self.anything_into("cpuid", &['a', 'b', 'c', 'd'])
    }

    /// `movzbl` and its kin.
    fn widening_move(
        &mut self,
        source: &Operand,
        target: &Operand,
        (from, to): (u64, u64),
        signed: bool,
    ) -> Option<()> {
        if to > self.checker.pointer_size() {
            return None;
        }
        let value = match self.memory(source) {
            Some(memory) => self.load_memory(memory, from, false)?,
            None => self.read_register(source, from)?,
        };
        let narrow = if signed { self.signed(from) } else { self.unsigned(from) };
        let value = self.load_as(value, narrow);
        let value = self.checker.converted(value, self.unsigned(to));
        let value = self.keep(value)?;
        self.write_register(target, value)
    }

    /// The operand of the statement that memory is.
    pub fn memory_slot(&self, operand: &Operand) -> Option<usize> {
        let Operand::Reference(reference) = operand else { return None };
        let number = self.bound(reference)?;
        matches!(self.operands[number].slot, Slot::Memory(_)).then_some(number)
    }
}

/// The widths of a move that widens, and whether it keeps the sign.
fn widening(mnemonic: &str) -> Option<(u64, u64, bool)> {
    let (signed, widths) = match mnemonic.strip_prefix("movz") {
        Some(widths) => (false, widths),
        None => (true, mnemonic.strip_prefix("movs")?),
    };
    let (from, to) = match widths {
        "bw" => (1, 2),
        "bl" => (1, 4),
        "bq" => (1, 8),
        "wl" => (2, 4),
        "wq" => (2, 8),
        "lq" if signed => (4, 8),
        _ => return None,
    };
    Some((from, to, signed))
}
