//! Inline assembly, as far as concurrent programs use it: fences, `lock`-prefixed read-modify-writes of x86, compiler
//! barriers and hints. Anything else is unsupported where it is reached.
//!
//! A template is read as a list of instructions. Operands are `%0`, `%1`, … or `%[name]`: outputs first, then inputs; an
//! input whose constraint is a number starts out in that output's place. An instruction is understood in AT&T syntax, as
//! compilers take it by default: `lock; xaddl %0, %1` adds register 0 to memory 1 and leaves the old value in it.

use crate::ast::{AsmOperand, AsmStatement, StringLiteral};
use crate::ctype::{QualType, TypeId};
use crate::sema::Checker;
use crate::tree::{Builtin, CompareOp, Expected, Expr, StmtKind, UpdateResult};
use norn_ir::instr::{FenceKind, Order, RmwOp};
use norn_ir::source::Loc;

/// What an `asm` statement does.
pub(crate) fn asm(checker: &mut Checker<'_>, asm: &AsmStatement, loc: Loc) -> StmtKind {
    let text = text_of(&asm.template);
    let instructions = split(&text);
    if asm.is_goto {
        return StmtKind::Unsupported("'asm goto'".to_owned());
    }
    let fence = fence_only(&instructions);
    let writes = asm.outputs.iter().any(|output| text_of(&output.constraint).starts_with('='));
    if let (Some(fence), false) = (fence, writes) {
        return StmtKind::Fence(fence);
    }
    let mut block = Asm { checker, asm, loc };
    let meaning = match fence {
        Some(FenceKind::Compiler) => block.hidden_values(),
        _ => block.read_modify_write(&instructions),
    };
    match meaning {
        Some(expr) => StmtKind::Expr(expr),
        None => {
            let shown = instructions.iter().map(|i| i.join(" ")).collect::<Vec<_>>().join("; ");
            StmtKind::Unsupported(format!("inline assembly '{shown}'"))
        }
    }
}

fn text_of(literal: &StringLiteral) -> String {
    literal.units.iter().map(|&unit| char::from_u32(unit).unwrap_or(' ')).collect()
}

/// The instructions of a template, each as mnemonic and operands. A `lock` or `rep` prefix stands as its own word.
fn split(template: &str) -> Vec<Vec<String>> {
    let mut instructions: Vec<Vec<String>> = Vec::new();
    let mut prefix = None;
    for line in template.split(['\n', ';']) {
        let line = line.split('#').next().unwrap_or_default().trim().to_ascii_lowercase();
        let mut words = line.split_whitespace();
        let Some(mut mnemonic) = words.next().map(str::to_owned) else { continue };
        let mut rest = words.collect::<Vec<_>>().join(" ");
        if matches!(mnemonic.as_str(), "lock" | "rep") {
            prefix = Some(mnemonic);
            let (next, operands) = rest.split_once(' ').unwrap_or((&rest, ""));
            if next.is_empty() {
                continue;
            }
            (mnemonic, rest) = (next.to_owned(), operands.to_owned());
        }
        let mut instruction = Vec::new();
        instruction.extend(prefix.take());
        instruction.push(mnemonic);
        instruction.extend(operands_of(&rest));
        instructions.push(instruction);
    }
    instructions.extend(prefix.map(|p| vec![p]));
    instructions
}

/// Operands are separated by commas outside of parentheses.
fn operands_of(text: &str) -> Vec<String> {
    let mut operands = vec![String::new()];
    let mut depth = 0;
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                operands.push(String::new());
                continue;
            }
            _ => {}
        }
        operands.last_mut().expect("there is always an operand").push(c);
    }
    operands.retain(|operand| !operand.is_empty());
    operands
}

/// The strongest fence among the instructions, if they do nothing but fence.
fn fence_only(instructions: &[Vec<String>]) -> Option<FenceKind> {
    let mut strongest = None;
    for instruction in instructions {
        let words = instruction.iter().map(String::as_str).collect::<Vec<_>>();
        let fence = match words.as_slice() {
            ["mfence"] | ["sync"] | ["hwsync"] | ["dmb" | "dsb", ..] | ["cpuid"] => FenceKind::Full,
            ["sfence"] | ["lwsync"] | ["eieio"] => FenceKind::StoreStore,
            ["lfence"] | ["isync"] | ["isb"] => FenceKind::LoadLoad,
            ["nop" | "pause" | "yield"] | ["rep", "nop"] | ["rep"] => continue,
            // Adding nothing to the top of the stack is the old way to write a full fence.
            ["lock", op, "$0" | "$0x0", place] if is_stack_place(place) && is_arithmetic(op) => FenceKind::Full,
            _ => return None,
        };
        strongest = Some(match strongest {
            Some(FenceKind::Full) => FenceKind::Full,
            Some(FenceKind::StoreStore) if fence == FenceKind::LoadLoad => FenceKind::StoreStore,
            _ => fence,
        });
    }
    Some(strongest.unwrap_or(FenceKind::Compiler))
}

fn is_stack_place(place: &str) -> bool {
    let inner = place.find('(').map_or("", |i| &place[i..]);
    matches!(inner, "(%%esp)" | "(%%rsp)" | "(%esp)" | "(%rsp)")
}

fn is_arithmetic(mnemonic: &str) -> bool {
    ["add", "or", "xor", "sub"].iter().any(|op| is_sized(mnemonic, op))
}

/// Whether a mnemonic is the operation, with or without the letter for its width.
fn is_sized(mnemonic: &str, op: &str) -> bool {
    mnemonic.strip_prefix(op).is_some_and(|width| matches!(width, "" | "b" | "w" | "l" | "q"))
}

/// Which condition a `setcc` instruction stores, as a comparison of the result with zero.
fn condition(mnemonic: &str) -> Option<CompareOp> {
    match mnemonic {
        "sete" | "setz" => Some(CompareOp::Eq),
        "setne" | "setnz" => Some(CompareOp::Ne),
        "sets" => Some(CompareOp::Lt),
        "setns" => Some(CompareOp::Ge),
        _ => None,
    }
}

struct Asm<'c, 'a, 'n> {
    checker: &'c mut Checker<'a>,
    asm: &'n AsmStatement,
    loc: Loc,
}

impl<'n> Asm<'_, '_, 'n> {
    /// An empty template whose outputs are tied to inputs hides values from the optimiser: plain assignments.
    fn hidden_values(&mut self) -> Option<Expr> {
        let mut result: Option<Expr> = None;
        for output in 0..self.asm.outputs.len() {
            if self.constraint(output)?.contains('+') {
                continue;
            }
            let value = self.input_value(output)?;
            let store = self.store(output, value)?;
            result = Some(match result {
                Some(before) => self.checker.comma(before, store),
                None => store,
            });
        }
        result
    }

    /// One atomic instruction, perhaps followed by one that stores a flag.
    fn read_modify_write(&mut self, instructions: &[Vec<String>]) -> Option<Expr> {
        let words = |i: usize| instructions.get(i).map(|i| i.iter().map(String::as_str).collect::<Vec<_>>());
        let first = words(0)?;
        let flag = match (words(1).as_deref(), instructions.len()) {
            (None, _) => None,
            (Some([set, place]), 2) => Some((condition(set)?, self.operand(place)?)),
            _ => return None,
        };
        match first.as_slice() {
            ["xchg" | "xchgb" | "xchgw" | "xchgl" | "xchgq", a, b] | ["lock", "xchg" | "xchgl" | "xchgq", a, b] => {
                let (register, memory) = self.register_and_memory(a, b)?;
                let value = self.input_value(register)?;
                let old = self.update(RmwOp::Exchange, memory, value, UpdateResult::Old)?;
                self.store(register, old)
            }
            ["lock", op, a, b] if is_sized(op, "xadd") => {
                let (register, memory) = self.register_and_memory(a, b)?;
                let value = self.input_value(register)?;
                let old = self.update(RmwOp::Add, memory, value, UpdateResult::Old)?;
                self.store(register, old)
            }
            ["lock", op, a, b] if is_sized(op, "cmpxchg") => self.compare_exchange(a, b, flag),
            ["lock", op, a] if is_sized(op, "inc") || is_sized(op, "dec") => {
                let op = if op.starts_with("inc") { RmwOp::Add } else { RmwOp::Sub };
                let memory = self.operand(a)?;
                let place = self.memory_place(memory)?;
                let one = self.checker.int_constant(1, place.ty, self.loc);
                self.arithmetic(op, memory, one, flag)
            }
            ["lock", op, a, b] => {
                let op = [
                    ("add", RmwOp::Add),
                    ("sub", RmwOp::Sub),
                    ("and", RmwOp::And),
                    ("or", RmwOp::Or),
                    ("xor", RmwOp::Xor),
                ]
                .into_iter()
                .find(|(name, _)| is_sized(op, name))?
                .1;
                let memory = self.operand(b)?;
                let value = self.operand_value(a, memory)?;
                self.arithmetic(op, memory, value, flag)
            }
            _ => None,
        }
    }

    /// A read-modify-write for its effect; with a flag, for whether its result is zero, negative, …
    fn arithmetic(&mut self, op: RmwOp, memory: usize, value: Expr, flag: Option<(CompareOp, usize)>) -> Option<Expr> {
        let new = self.update(op, memory, value, UpdateResult::New)?;
        let Some((condition, target)) = flag else { return Some(new) };
        let zero = self.checker.int_constant(0, new.ty, self.loc);
        let set = self.checker.comparison(condition, new, zero, self.loc);
        self.store(target, set)
    }

    /// `lock cmpxchg new, memory`: compares with the accumulator, which receives the old value.
    fn compare_exchange(&mut self, new: &str, memory: &str, flag: Option<(CompareOp, usize)>) -> Option<Expr> {
        let (new, memory) = self.register_and_memory(new, memory)?;
        let place = self.memory_place(memory)?;
        let ty = QualType::unqualified(place.ty.ty);
        let accumulator = self.accumulator()?;
        let value = self.input_value(accumulator)?;
        let expected = self.checker.converted(value, ty);
        let value = self.input_value(new)?;
        let desired = self.checker.converted(value, ty);
        let pointer_type = self.checker.pointer_to(place.ty);
        let pointer = self.checker.address(place, pointer_type, self.loc);
        let builtin = |expected, returns_success| Builtin::AtomicCompareExchange {
            pointer,
            expected,
            desired,
            success: Order::SeqCst,
            failure: Order::SeqCst,
            returns_success,
        };
        let output = (accumulator < self.asm.outputs.len()).then_some(accumulator).or(self.output_tied_to(accumulator));
        match (flag, output) {
            (None, Some(output)) => {
                let old = self.checker.builtin(builtin(Expected::Value(expected), false), ty, self.loc);
                self.store(output, old)
            }
            (None, None) => Some(self.checker.builtin(builtin(Expected::Value(expected), false), ty, self.loc)),
            (Some((CompareOp::Eq, target)), output) => {
                // The accumulator lives in a temporary: it receives the value found if that differs.
                let kept = self.checker.temporary(ty, self.loc)?;
                let place = self.checker.var(kept, self.loc);
                let fill = self.checker.assignment(place, expected, self.loc);
                let place = self.checker.var(kept, self.loc);
                let pointer_type = self.checker.pointer_to(ty);
                let address = self.checker.address(place, pointer_type, self.loc);
                let bool_type = QualType::unqualified(TypeId::BOOL);
                let done = self.checker.builtin(builtin(Expected::Pointer(address), true), bool_type, self.loc);
                let mut result = self.store(target, done)?;
                if let Some(output) = output.filter(|&o| o != target) {
                    let place = self.checker.var(kept, self.loc);
                    let old = self.checker.load(place);
                    let store = self.store(output, old)?;
                    result = self.checker.comma(result, store);
                }
                Some(self.checker.comma(fill, result))
            }
            _ => None,
        }
    }

    fn update(&mut self, op: RmwOp, memory: usize, value: Expr, result: UpdateResult) -> Option<Expr> {
        let place = self.memory_place(memory)?;
        let ty = QualType::unqualified(place.ty.ty);
        let operand = self.checker.converted(value, ty);
        let pointer_type = self.checker.pointer_to(place.ty);
        let pointer = self.checker.address(place, pointer_type, self.loc);
        let builtin = Builtin::AtomicUpdate { op, pointer, operand, order: Order::SeqCst, result };
        Some(self.checker.builtin(builtin, ty, self.loc))
    }

    /// Assigns to an output operand.
    fn store(&mut self, output: usize, value: Expr) -> Option<Expr> {
        let operand = self.asm.outputs.get(output).or_else(|| {
            let tied = self.output_tied_to(output)?;
            self.asm.outputs.get(tied)
        })?;
        let place = self.checker.place(&operand.expr)?;
        let value = self.checker.converted(value, place.ty);
        Some(self.checker.assignment(place, value, self.loc))
    }

    fn operands(&self) -> impl Iterator<Item = &'n AsmOperand> + use<'n> {
        self.asm.outputs.iter().chain(&self.asm.inputs)
    }

    /// The number of the operand that `%0`, `%b1` or `%[name]` stands for.
    fn operand(&self, text: &str) -> Option<usize> {
        let text = text.strip_prefix('%')?;
        if let Some(name) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
            return self
                .operands()
                .position(|o| o.name.is_some_and(|n| self.checker.name(n).eq_ignore_ascii_case(name)));
        }
        let number = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        number.parse().ok().filter(|&n: &usize| n < self.operands().count())
    }

    /// Both operands of an instruction, the memory one second, whichever order they were written in.
    fn register_and_memory(&self, a: &str, b: &str) -> Option<(usize, usize)> {
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        match (self.is_memory(a), self.is_memory(b)) {
            (false, true) => Some((a, b)),
            (true, false) => Some((b, a)),
            _ => None,
        }
    }

    fn constraint(&self, operand: usize) -> Option<String> {
        Some(text_of(&self.operands().nth(operand)?.constraint))
    }

    fn is_memory(&self, operand: usize) -> bool {
        self.constraint(operand).is_some_and(|c| c.contains('m') && !c.contains('r'))
    }

    fn memory_place(&mut self, operand: usize) -> Option<Expr> {
        if !self.is_memory(operand) {
            return None;
        }
        let operand = self.operands().nth(operand)?;
        let place = self.checker.place(&operand.expr)?;
        self.checker.is_scalar(place.ty).then_some(place)
    }

    /// The input whose constraint names this output's number, and the other way round.
    fn input_tied_to(&self, output: usize) -> Option<&'n AsmOperand> {
        let number = output.to_string();
        self.asm.inputs.iter().find(|input| text_of(&input.constraint).trim_start_matches('%') == number)
    }

    fn output_tied_to(&self, input: usize) -> Option<usize> {
        let input = input.checked_sub(self.asm.outputs.len())?;
        text_of(&self.asm.inputs.get(input)?.constraint).parse().ok()
    }

    /// What a register operand holds before the instruction.
    fn input_value(&mut self, operand: usize) -> Option<Expr> {
        let expr = if operand >= self.asm.outputs.len() {
            &self.operands().nth(operand)?.expr
        } else if let Some(input) = self.input_tied_to(operand) {
            &input.expr
        } else if self.constraint(operand)?.contains('+') {
            &self.asm.outputs[operand].expr
        } else {
            return None;
        };
        Some(self.checker.rvalue(expr))
    }

    /// A source operand: a number or a register.
    fn operand_value(&mut self, text: &str, memory: usize) -> Option<Expr> {
        match text.strip_prefix('$') {
            Some(number) => {
                let place = self.memory_place(memory)?;
                let number: i128 = number.parse().ok()?;
                Some(self.checker.int_constant(number, place.ty, self.loc))
            }
            None => {
                let operand = self.operand(text)?;
                if self.is_memory(operand) {
                    return None;
                }
                self.input_value(operand)
            }
        }
    }

    /// The operand that is bound to the accumulator: `"a"`, `"=a"`, `"+a"`, or an input tied to such an output.
    fn accumulator(&self) -> Option<usize> {
        self.operands().position(|o| text_of(&o.constraint).contains('a'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_split(template: &str, expected: &[&str]) {
        let shown = split(template).iter().map(|i| i.join(" ")).collect::<Vec<_>>();
        assert_eq!(shown, expected);
    }

    #[test]
    fn templates_are_read_as_instructions() {
        check_split("", &[]);
        check_split("mfence", &["mfence"]);
        check_split("lock; addl $0,0(%%esp)", &["lock addl $0 0(%%esp)"]);
        check_split("lock\n\tcmpxchgl %2, %1\n\tsete %0", &["lock cmpxchgl %2 %1", "sete %0"]);
        check_split("rep; nop", &["rep nop"]);
        check_split("LOCK XADDL %0,(%1,%2)", &["lock xaddl %0 (%1,%2)"]);
    }

    fn check_fence(template: &str, expected: Option<FenceKind>) {
        assert_eq!(fence_only(&split(template)), expected, "{template}");
    }

    #[test]
    fn fences_are_recognised() {
        check_fence("", Some(FenceKind::Compiler));
        check_fence("mfence", Some(FenceKind::Full));
        check_fence("MFENCE\n", Some(FenceKind::Full));
        check_fence("sfence; lfence", Some(FenceKind::StoreStore));
        check_fence("lfence; mfence", Some(FenceKind::Full));
        check_fence("lock; addl $0,0(%%rsp)", Some(FenceKind::Full));
        check_fence("lwsync", Some(FenceKind::StoreStore));
        check_fence("pause", Some(FenceKind::Compiler));
        check_fence("movl %eax, %ebx", None);
        check_fence("lock; addl $1,0(%%rsp)", None);
    }
}
