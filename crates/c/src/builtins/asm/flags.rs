//! The flags that arithmetic instructions leave behind, and the conditions that read them.
//!
//! Flags are remembered as the operands and the result of the instruction that set them last; a condition is computed from
//! these when it is asked for. Conditions that need more than is remembered (parity, the carry before an `inc`) are unsupported.

use super::machine::{Machine, Value};
use crate::tree::{BinaryOp, CompareOp, Expr};

#[derive(Clone, Copy)]
pub(super) enum Flags {
    /// Before the first instruction, or after one that leaves some of them undefined.
    Unknown,
    /// `keeps_carry`: `inc` and `dec` do not touch the carry.
    Sum {
        left: Value,
        right: Value,
        keeps_carry: bool,
    },
    Difference {
        left: Value,
        right: Value,
        keeps_carry: bool,
    },
    /// Carry and overflow are clear.
    Logic {
        result: Value,
    },
    /// Only the carry is known: set if this is not 0.
    Bit {
        bit: Value,
    },
    /// Only the zero flag is known: set if both are equal.
    Equal {
        left: Value,
        right: Value,
    },
}

/// A condition of `setcc`, of a jump or of `=@cc…`: one of seven tests, perhaps negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Condition {
    test: Test,
    negated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Test {
    Zero,
    Sign,
    Carry,
    Overflow,
    BelowOrEqual,
    Less,
    LessOrEqual,
}

impl Condition {
    /// Parity is not read by anyone.
    pub fn named(name: &str) -> Option<Condition> {
        let (test, negated) = match name {
            "e" | "z" => (Test::Zero, false),
            "ne" | "nz" => (Test::Zero, true),
            "s" => (Test::Sign, false),
            "ns" => (Test::Sign, true),
            "o" => (Test::Overflow, false),
            "no" => (Test::Overflow, true),
            "c" | "b" | "nae" => (Test::Carry, false),
            "nc" | "ae" | "nb" => (Test::Carry, true),
            "be" | "na" => (Test::BelowOrEqual, false),
            "a" | "nbe" => (Test::BelowOrEqual, true),
            "l" | "nge" => (Test::Less, false),
            "ge" | "nl" => (Test::Less, true),
            "le" | "ng" => (Test::LessOrEqual, false),
            "g" | "nle" => (Test::LessOrEqual, true),
            _ => return None,
        };
        Some(Condition { test, negated })
    }

    pub const CARRY: Condition = Condition { test: Test::Carry, negated: false };
}

impl Machine<'_, '_> {
    /// Whether the condition holds, as an `int`.
    pub fn condition(&mut self, condition: Condition) -> Option<Expr> {
        let holds = self.test(condition.test)?;
        Some(if condition.negated { self.checker.not(holds, self.loc) } else { holds })
    }

    fn test(&mut self, test: Test) -> Option<Expr> {
        match (test, self.flags) {
            (_, Flags::Unknown) => None,
            (Test::Zero, Flags::Equal { left, right }) => {
                let (left, right) = (self.load(left), self.load(right));
                Some(self.checker.comparison(CompareOp::Eq, left, right, self.loc))
            }
            (_, Flags::Equal { .. }) => None,
            (Test::Zero, Flags::Difference { left, right, .. }) if left.ty == right.ty => {
                let (left, right) = (self.load(left), self.load(right));
                Some(self.checker.comparison(CompareOp::Eq, left, right, self.loc))
            }
            (Test::Carry, Flags::Bit { bit }) => self.with_zero(CompareOp::Ne, bit),
            (_, Flags::Bit { .. }) => None,
            (Test::Carry | Test::Overflow, Flags::Logic { .. }) => {
                let int = self.checker.int_type();
                Some(self.checker.int_constant(0, int, self.loc))
            }
            (Test::Zero | Test::BelowOrEqual, Flags::Logic { result }) => self.with_zero(CompareOp::Eq, result),
            (Test::Sign | Test::Less, Flags::Logic { result }) => self.with_zero(CompareOp::Lt, result),
            (Test::LessOrEqual, Flags::Logic { result }) => self.with_zero(CompareOp::Le, result),
            (Test::Zero, _) => {
                let result = self.result()?;
                self.with_zero(CompareOp::Eq, result)
            }
            (Test::Sign, _) => {
                let result = self.result()?;
                self.with_zero(CompareOp::Lt, result)
            }
            (Test::Carry, Flags::Sum { right, keeps_carry: false, .. }) => {
                let result = self.result()?;
                self.compare(CompareOp::Lt, result, right, false)
            }
            (Test::Overflow, Flags::Sum { left, right, .. }) => {
                // Both differ in sign from the sum.
                let result = self.result()?;
                self.both_differ((left, result), (right, result))
            }
            (Test::Overflow, Flags::Difference { left, right, .. }) => {
                let result = self.result()?;
                self.both_differ((left, right), (left, result))
            }
            (Test::Less, Flags::Sum { .. }) => {
                let (sign, overflow) = (self.test(Test::Sign)?, self.test(Test::Overflow)?);
                Some(self.checker.comparison(CompareOp::Ne, sign, overflow, self.loc))
            }
            (Test::LessOrEqual, Flags::Sum { .. }) => {
                let (less, zero) = (self.test(Test::Less)?, self.test(Test::Zero)?);
                Some(self.checker.arithmetic(BinaryOp::Or, less, zero, self.loc))
            }
            (Test::BelowOrEqual, Flags::Sum { .. }) => {
                let (carry, zero) = (self.test(Test::Carry)?, self.test(Test::Zero)?);
                Some(self.checker.arithmetic(BinaryOp::Or, carry, zero, self.loc))
            }
            (Test::Carry, Flags::Sum { .. }) => None,
            (Test::Less, Flags::Difference { left, right, .. }) => self.compare(CompareOp::Lt, left, right, true),
            (Test::LessOrEqual, Flags::Difference { left, right, .. }) => {
                self.compare(CompareOp::Le, left, right, true)
            }
            (_, Flags::Difference { keeps_carry: true, .. }) => None,
            (Test::Carry, Flags::Difference { left, right, .. }) => self.compare(CompareOp::Lt, left, right, false),
            (Test::BelowOrEqual, Flags::Difference { left, right, .. }) => {
                self.compare(CompareOp::Le, left, right, false)
            }
        }
    }

    /// The result of the sum or difference that set the flags.
    fn result(&mut self) -> Option<Value> {
        let (op, left, right) = match self.flags {
            Flags::Sum { left, right, .. } => (BinaryOp::Add, left, right),
            Flags::Difference { left, right, .. } => (BinaryOp::Sub, left, right),
            _ => return None,
        };
        let result = self.compute(op, left, right);
        self.keep(result)
    }

    /// Whether both pairs of numbers differ in sign.
    fn both_differ(&mut self, (a, b): (Value, Value), (c, d): (Value, Value)) -> Option<Expr> {
        let (x, y) = (self.compute(BinaryOp::Xor, a, b), self.compute(BinaryOp::Xor, c, d));
        let (x, y) = (self.keep(x)?, self.keep(y)?);
        let both = self.compute(BinaryOp::And, x, y);
        let both = self.keep(both)?;
        self.with_zero(CompareOp::Lt, both)
    }

    /// Compares a result with 0, as a signed number.
    fn with_zero(&mut self, op: CompareOp, result: Value) -> Option<Expr> {
        let signed = self.signed(self.size(result));
        let result = self.load_as(result, signed);
        let zero = self.checker.int_constant(0, signed, self.loc);
        Some(self.checker.comparison(op, result, zero, self.loc))
    }

    fn compare(&mut self, op: CompareOp, left: Value, right: Value, signed: bool) -> Option<Expr> {
        let size = self.size(left);
        let ty = if signed { self.signed(size) } else { self.unsigned(size) };
        let (left, right) = (self.load_as(left, ty), self.load_as(right, ty));
        Some(self.checker.comparison(op, left, right, self.loc))
    }
}
