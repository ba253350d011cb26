//! What the instructions of AArch64 do. The destination comes first, the source last.
//!
//! Loads and stores order what the memory model lets them order: `stlr` and its kin are release stores, `ldar` and its kin acquire
//! loads, and a read-modify-write waits for the own store buffer under every model. A store-exclusive is a compare-exchange with what
//! the load-exclusive before it found, which it succeeds or fails like: a value that was changed and changed back does no harm,
//! because nothing but that value was read.

use super::flags::{Condition, Flags};
use super::instructions::operator;
use super::machine::{Machine, Memory, Value};
use super::template::{Instruction, Operand};
use crate::tree::{BinaryOp, Builtin, CompareOp, Expected, Expr};
use norn_ir::instr::{Order, RmwOp};

/// How an access orders others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ordering {
    acquire: bool,
    release: bool,
}

impl Ordering {
    fn of_update(self) -> Order {
        match (self.acquire, self.release) {
            (false, false) => Order::Relaxed,
            (true, false) => Order::Acquire,
            (false, true) => Order::Release,
            (true, true) => Order::AcqRel,
        }
    }
}

/// An access to memory that a mnemonic names. `width` is that of the letter at its end, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Access {
    kind: Kind,
    ordering: Ordering,
    width: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Load,
    Store,
    LoadExclusive,
    StoreExclusive,
    CompareExchange,
    /// `inverted`: the operand's complement takes part. `result`: the old value is wanted.
    Update {
        op: RmwOp,
        inverted: bool,
        result: bool,
    },
}

fn access(mnemonic: &str) -> Option<Access> {
    let make = |kind, acquire, release, width| Some(Access { kind, ordering: Ordering { acquire, release }, width });
    let sized = |rest: &str| match rest {
        "" => Some(None),
        "b" => Some(Some(1)),
        "h" => Some(Some(2)),
        _ => None,
    };
    // The longest names first, because some begin with others.
    let plain = [
        ("ldaxr", Kind::LoadExclusive, true, false),
        ("ldapr", Kind::Load, true, false),
        ("ldxr", Kind::LoadExclusive, false, false),
        ("ldar", Kind::Load, true, false),
        ("ldr", Kind::Load, false, false),
        ("stlxr", Kind::StoreExclusive, false, true),
        ("stxr", Kind::StoreExclusive, false, false),
        ("stlr", Kind::Store, false, true),
        ("str", Kind::Store, false, false),
    ];
    for (name, kind, acquire, release) in plain {
        if let Some(width) = mnemonic.strip_prefix(name).and_then(sized) {
            return make(kind, acquire, release, width);
        }
    }
    let update = |op, inverted, result| Kind::Update { op, inverted, result };
    let ordered = [
        ("cas", Kind::CompareExchange),
        ("swp", update(RmwOp::Exchange, false, true)),
        ("ldadd", update(RmwOp::Add, false, true)),
        ("ldclr", update(RmwOp::And, true, true)),
        ("ldset", update(RmwOp::Or, false, true)),
        ("ldeor", update(RmwOp::Xor, false, true)),
        ("stadd", update(RmwOp::Add, false, false)),
        ("stclr", update(RmwOp::And, true, false)),
        ("stset", update(RmwOp::Or, false, false)),
        ("steor", update(RmwOp::Xor, false, false)),
    ];
    for (name, kind) in ordered {
        let Some(rest) = mnemonic.strip_prefix(name) else { continue };
        let result = !matches!(kind, Kind::Update { result: false, .. });
        for (letters, acquire, release) in
            [("al", true, true), ("a", true, false), ("l", false, true), ("", false, false)]
        {
            if let Some(width) = rest.strip_prefix(letters).and_then(sized)
                && (result || !acquire)
            {
                return make(kind, acquire, release, width);
            }
        }
    }
    None
}

/// Whether a mnemonic belongs to AArch64 and to nothing else that is understood.
pub(super) fn is_unmistakable(mnemonic: &str) -> bool {
    let others = ["cbz", "cbnz", "b", "cset", "tst", "adds", "subs", "ands", "prfm", "eor", "orr", "mvn", "bic"];
    access(mnemonic).is_some() || mnemonic.starts_with("b.") || others.contains(&mnemonic)
}

/// A condition of a branch. The carry after a subtraction is the opposite of that of x86, so conditions that read it are
/// understood after comparisons only.
fn condition(name: &str, flags: Flags) -> Option<Condition> {
    let is_difference = matches!(flags, Flags::Difference { keeps_carry: false, .. });
    Condition::named(match name {
        "eq" => "e",
        "ne" => "ne",
        "mi" => "s",
        "pl" => "ns",
        "lt" => "l",
        "ge" => "ge",
        "le" => "le",
        "gt" => "g",
        "cs" | "hs" if is_difference => "ae",
        "cc" | "lo" if is_difference => "b",
        "hi" if is_difference => "a",
        "ls" if is_difference => "be",
        _ => return None,
    })
}

impl Machine<'_, '_> {
    /// Executes an instruction of AArch64; `None` if anything about it is not understood.
    pub fn execute_arm(&mut self, instruction: &Instruction) -> Option<()> {
        let Instruction { prefix: None, mnemonic, operands } = instruction else { return None };
        match access(mnemonic) {
            Some(access) => self.access_arm(access, operands)?,
            None => self.compute_arm(mnemonic, operands)?,
        }
        self.end_instruction(operands);
        Some(())
    }

    fn access_arm(&mut self, access: Access, operands: &[Operand]) -> Option<()> {
        let Access { kind, ordering, width } = access;
        let (address, values) = operands.split_last()?;
        // Of a byte or half word the register is named by its lower half.
        let printed = self.printed_width(values.last()?)?;
        if width.is_some() && printed != 4 {
            return None;
        }
        let width = width.unwrap_or(printed);
        let memory = self.memory(address)?;
        match (kind, values) {
            (Kind::Load | Kind::LoadExclusive, [target]) => {
                self.order = if ordering.acquire { Order::Acquire } else { Order::Relaxed };
                let value = self.load_memory(memory, width, true);
                self.order = Order::Relaxed;
                let value = value?;
                if kind == Kind::LoadExclusive {
                    self.exclusive = Some((address.clone(), value));
                }
                self.write_extended(target, value, printed)
            }
            (Kind::Store, [source]) => {
                let value = self.read_arm(source, printed)?;
                let value = self.part(value, width)?;
                self.order = if ordering.release { Order::Release } else { Order::Relaxed };
                let stored = self.store_memory(memory, value);
                self.order = Order::Relaxed;
                stored
            }
            (Kind::StoreExclusive, [status, source]) => {
                let value = self.read_arm(source, printed)?;
                let value = self.part(value, width)?;
                let (place, found) = self.exclusive.take()?;
                if place != *address || self.size(found) != width {
                    return None;
                }
                let weak = !self.is_tried_again(status);
                let failed = self.compare_exchange_arm(memory, found, value, (ordering, weak))?;
                self.write_register(status, failed)
            }
            (Kind::CompareExchange, [compared, source]) => {
                let expected = self.read_arm(compared, printed)?;
                let expected = self.part(expected, width)?;
                let value = self.read_arm(source, printed)?;
                let value = self.part(value, width)?;
                let old = self.old_of_exchange(memory, expected, value, ordering)?;
                self.write_extended(compared, old, printed)
            }
            (Kind::Update { op, inverted, result }, _) => {
                let (source, target) = match (values, result) {
                    ([source, target], true) => (source, Some(target)),
                    ([source], false) => (source, None),
                    _ => return None,
                };
                let value = self.read_arm(source, printed)?;
                let mut value = self.part(value, width)?;
                if inverted {
                    let ones = self.number(-1, width);
                    let ones = self.keep(ones)?;
                    let other = self.compute(BinaryOp::Xor, value, ones);
                    value = self.keep(other)?;
                }
                self.update_order = ordering.of_update();
                let natural = op == RmwOp::Exchange;
                let (pointer, ty) = self.access(memory, width, natural)?;
                let operand = self.load_as(value, ty);
                let old = self.update(op, memory, pointer, operand, ty)?;
                match target {
                    Some(Operand::Zero(_)) | None => Some(()),
                    Some(target) => self.write_extended(target, old, printed),
                }
            }
            _ => None,
        }
    }

    /// Writes a value that was read from memory; what is above it becomes 0.
    fn write_extended(&mut self, target: &Operand, value: Value, printed: u64) -> Option<()> {
        if self.size(value) == printed {
            return self.write_register(target, value);
        }
        let narrow = self.load_as(value, self.unsigned(self.size(value)));
        let whole = self.checker.converted(narrow, self.unsigned(printed));
        let whole = self.keep(whole)?;
        self.write_register(target, whole)
    }

    /// A source operand: a register, a constant, or the register that is 0.
    fn read_arm(&mut self, operand: &Operand, width: u64) -> Option<Value> {
        self.read_simple(operand, width)
    }

    /// Whether a store-exclusive is followed by a jump back to before its load if it fails, so that a failure for no reason
    /// is the same as none.
    fn is_tried_again(&self, status: &Operand) -> bool {
        let Some(next) = self.template.instructions.get(self.current + 1) else { return false };
        let [tested, target] = &next.operands[..] else { return false };
        if next.mnemonic != "cbnz" || tested != status {
            return false;
        }
        let is_labelled = self.template.labels.iter().any(|&(_, at)| at == self.current + 1);
        let Some((at, _)) = self.local_target(target) else { return false };
        // What is done again is only loading and computing.
        let again = self.template.instructions.get(at..self.current).unwrap_or_default();
        let is_harmless = |i: &Instruction| match access(&i.mnemonic) {
            Some(access) => matches!(access.kind, Kind::Load | Kind::LoadExclusive),
            None => true,
        };
        let loads = |i: &Instruction| access(&i.mnemonic).is_some_and(|access| access.kind == Kind::LoadExclusive);
        !is_labelled && again.iter().all(is_harmless) && again.iter().any(loads)
    }

    /// Whether the store failed, as a number of 4 bytes.
    fn compare_exchange_arm(
        &mut self,
        memory: Memory,
        expected: Value,
        desired: Value,
        (ordering, weak): (Ordering, bool),
    ) -> Option<Value> {
        let (pointer, expected, desired) = self.exchanged(memory, expected, desired)?;
        let int = self.checker.int_type();
        let builtin = Builtin::AtomicCompareExchange {
            pointer,
            expected: Expected::Value(expected),
            desired,
            success: ordering.of_update(),
            failure: Order::Relaxed,
            returns_success: true,
            weak,
        };
        let stored = self.checker.builtin(builtin, int, self.loc);
        let failed = self.checker.not(stored, self.loc);
        let failed = self.checker.converted(failed, self.unsigned(4));
        self.keep(failed)
    }

    fn old_of_exchange(
        &mut self,
        memory: Memory,
        expected: Value,
        desired: Value,
        ordering: Ordering,
    ) -> Option<Value> {
        let (pointer, expected, desired) = self.exchanged(memory, expected, desired)?;
        let ty = desired.ty;
        let builtin = Builtin::AtomicCompareExchange {
            pointer,
            expected: Expected::Value(expected),
            desired,
            success: ordering.of_update(),
            failure: if ordering.acquire { Order::Acquire } else { Order::Relaxed },
            returns_success: false,
            weak: false,
        };
        let old = self.checker.builtin(builtin, ty, self.loc);
        self.keep(old)
    }

    /// The operands of a compare-exchange, in the type of the memory.
    fn exchanged(&mut self, memory: Memory, expected: Value, desired: Value) -> Option<(Expr, Expr, Expr)> {
        let width = self.size(desired);
        self.may_read(memory)?;
        self.may_write(memory, width)?;
        self.accesses += 1;
        let (pointer, ty) = self.access(memory, width, true)?;
        Some((pointer, self.load_as(expected, ty), self.load_as(desired, ty)))
    }

    fn compute_arm(&mut self, mnemonic: &str, operands: &[Operand]) -> Option<()> {
        if let Some(name) = mnemonic.strip_prefix("b.") {
            let [target] = operands else { return None };
            let condition = condition(name, self.flags)?;
            let holds = self.condition(condition)?;
            return self.jump(Some(holds), target);
        }
        match (mnemonic, operands) {
            ("b", [target]) => self.jump(None, target),
            ("cbz" | "cbnz", [tested, target]) => {
                let width = self.printed_width(tested)?;
                let value = self.read_register(tested, width)?;
                let value = self.load_as(value, self.unsigned(width));
                let zero = self.number(0, width);
                let op = if mnemonic == "cbz" { CompareOp::Eq } else { CompareOp::Ne };
                let holds = self.checker.comparison(op, value, zero, self.loc);
                self.jump(Some(holds), target)
            }
            // A hint about memory.
            ("prfm", [Operand::Other(_), address]) => self.memory(address).map(|_| ()),
            ("mov", [target, source]) => {
                let width = self.printed_width(target)?;
                let value = self.read_arm(source, width)?;
                self.write_register(target, value)
            }
            ("mvn", [target, source]) => {
                let width = self.printed_width(target)?;
                let value = self.read_arm(source, width)?;
                let ones = self.number(-1, width);
                let ones = self.keep(ones)?;
                let result = self.compute(BinaryOp::Xor, value, ones);
                let result = self.keep(result)?;
                self.write_register(target, result)
            }
            ("cset", [target, Operand::Other(name)]) => {
                let width = self.printed_width(target)?;
                let condition = condition(name, self.flags)?;
                let holds = self.condition(condition)?;
                let holds = self.checker.converted(holds, self.unsigned(width));
                let holds = self.keep(holds)?;
                self.write_register(target, holds)
            }
            ("cmp" | "tst", [left, right]) => {
                let width = self.printed_width(left)?;
                let (left, right) = (self.read_arm(left, width)?, self.read_arm(right, width)?);
                let op = if mnemonic == "cmp" { RmwOp::Sub } else { RmwOp::And };
                self.flags = self.flags_of(op, left, right, false)?;
                Some(())
            }
            (_, [target, left, right]) => {
                let (op, sets_flags) = match mnemonic {
                    "add" => (RmwOp::Add, false),
                    "sub" => (RmwOp::Sub, false),
                    "and" | "bic" => (RmwOp::And, false),
                    "orr" => (RmwOp::Or, false),
                    "eor" => (RmwOp::Xor, false),
                    "adds" => (RmwOp::Add, true),
                    "subs" => (RmwOp::Sub, true),
                    "ands" => (RmwOp::And, true),
                    _ => return None,
                };
                let width = self.printed_width(target)?;
                let left = self.read_arm(left, width)?;
                let mut right = self.read_arm(right, width)?;
                if mnemonic == "bic" {
                    let ones = self.number(-1, width);
                    let ones = self.keep(ones)?;
                    let other = self.compute(BinaryOp::Xor, right, ones);
                    right = self.keep(other)?;
                }
                let result = self.compute(operator(op)?, left, right);
                let result = self.keep(result)?;
                if sets_flags {
                    self.flags = self.flags_of(op, left, right, false)?;
                }
                self.write_register(target, result)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_accesses_are_read() {
        let is = |name: &str, kind, acquire, release, width| {
            let ordering = Ordering { acquire, release };
            assert_eq!(access(name), Some(Access { kind, ordering, width }), "{name}");
        };
        let add = Kind::Update { op: RmwOp::Add, inverted: false, result: true };
        is("ldrb", Kind::Load, false, false, Some(1));
        is("ldaxrh", Kind::LoadExclusive, true, false, Some(2));
        is("stlxr", Kind::StoreExclusive, false, true, None);
        is("casalb", Kind::CompareExchange, true, true, Some(1));
        is("ldaddl", add, false, true, None);
        is("ldaddalh", add, true, true, Some(2));
        assert_eq!(access("stadd").map(|a| a.ordering), Some(Ordering { acquire: false, release: false }));
        for name in ["stadda", "ldp", "ldrsb", "caspal", "swpx", "ldxp", "st", "ldaddab1", "mov", "cast"] {
            assert_eq!(access(name), None, "{name}");
        }
        assert!(is_unmistakable("cbnz") && !is_unmistakable("mov") && !is_unmistakable("dmb"));
    }
}
