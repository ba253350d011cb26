//! Inline assembly of x86 and AArch64, as far as concurrent programs use it: fences, hints, loads and stores,
//! read-modify-writes with and without `lock`, exclusive accesses, jumps, and the flags that decide about these. Everything has its exact meaning or is unsupported where it is
//! reached: an operand, constraint, modifier, width, clobber or instruction that is not understood is never passed over.
//!
//! A statement is executed in the checker, instruction by instruction, on registers whose contents are made-up variables
//! ([`machine`]); what comes out is an expression or a block. Instructions of x86 are read in AT&T syntax, as compilers take it by default
//! ([`template`]): `lock; xaddl %0, %1` adds register 0 to memory 1 and leaves the old value in it.
//!
//! - The letter at the end of a mnemonic is the width. `incb` on an `int` in memory acts on its first byte. A register is
//!   written as the compiler prints it, by the size of its operand or by a modifier (`%b0`, `%w0`, `%k0`, `%q0`), and has
//!   to fit the width, else the assembler would refuse it.
//! - Writing the low byte or word of a register keeps the rest, writing 32 of its 64 bits clears the others. What is above
//!   the width of its contents at first is not known, and an output that needs it is unsupported.
//! - A register that the text names (`%%eax`) is that of an operand, or one that is clobbered.
//! - An output without `&` may share its register with an input: an instruction that reads an input after such an output was
//!   written is unsupported.
//! - An instruction without `lock` that reads and writes memory is a load and a store, two steps. `xchg` with memory is always locked.
//!   A `cmpxchg` without `lock` that finds another value writes that back, as the hardware does.
//! - Memory that an instruction reads though it is only an output (`"=m"`), or writes though it is only an input, is fine
//!   if `"memory"` is among the clobbers; else a compiler may have kept it elsewhere.
//! - A store that covers only a part of an output (`"=m"`) is unsupported, unless `"memory"` is clobbered: the compiler takes
//!   what was there for dead.
//! - Where the compiler may choose between a register and memory (`"=rm"`), the operand is taken for a register; unsupported if
//!   others can see the place, and the statement has further accesses or fences.
//! - Accesses are atomic and relaxed: assembly takes no part in C's data races, and what x86 orders is left to the model.
//!
//! - Where instructions jump, inside of the statement or by `asm goto`, the statement becomes a block with labels ([`flow`]).
//! - The time (`rdtsc`) and what `cpuid` tells may be anything.
//! - On AArch64 ([`arm`]) a pair of exclusive accesses is a load and a compare-exchange. It may fail for no reason, unless the
//!   statement then tries again.
//!
//! Left out: addresses with an index, the second bytes of registers (`%ah`), vectors, the parity flag.

mod arm;
mod constraint;
mod flags;
mod flow;
mod instructions;
mod machine;
mod operands;
mod pairs;
mod registers;
mod template;

use crate::ast::{AsmStatement, StringLiteral};
use crate::sema::Checker;
use crate::tree::{Builtin, StmtKind};
use flags::Flags;
use flow::Effect;
use machine::Machine;
use norn_ir::instr::FenceKind;
use norn_ir::source::Loc;
use template::{Instruction, Operand, Prefix, Template};

/// What an `asm` statement does.
pub(crate) fn asm(checker: &mut Checker<'_>, asm: &AsmStatement, loc: Loc) -> StmtKind {
    check_operands(checker, asm, loc);
    let text = text_of(&asm.template);
    match meaning(checker, asm, &text, loc) {
        Some(kind) => kind,
        None => {
            let shown = text.split_whitespace().collect::<Vec<_>>().join(" ");
            StmtKind::Unsupported(format!("inline assembly '{shown}'"))
        }
    }
}

fn meaning(checker: &mut Checker<'_>, asm: &AsmStatement, text: &str, loc: Loc) -> Option<StmtKind> {
    let template = template::read(text)?;
    let Template { is_arm, instructions, labels } = &template;
    let clobber = |clobber: &StringLiteral| Clobber::read(&text_of(clobber), *is_arm);
    let clobbers = asm.clobbers.iter().map(clobber).collect::<Option<Vec<_>>>()?;
    let has_operands = !asm.outputs.is_empty() || !asm.inputs.is_empty();
    let word = checker.pointer_size();
    let fence = |instruction: &Instruction| fence(instruction, &clobbers, has_operands, word);
    let fences = instructions.iter().map(fence).collect::<Option<Vec<_>>>();
    if let (Some(fences), false) = (&fences, has_operands || !labels.is_empty()) {
        let fences = fences.iter().copied().filter(|&fence| fence != FenceKind::Compiler).collect::<Vec<_>>();
        match fences[..] {
            [] => return Some(StmtKind::Fence(FenceKind::Compiler)),
            [only] => return Some(StmtKind::Fence(only)),
            _ => {}
        }
    }
    let mut machine = Machine::new(checker, asm, &template, &clobbers, loc)?;
    for (number, instruction) in instructions.iter().enumerate() {
        machine.arrive(number);
        match fence(instruction) {
            Some(FenceKind::Compiler) => {}
            Some(kind) => {
                let void = machine.checker.void_type();
                let fence = machine.checker.builtin(Builtin::Fence(kind), void, loc);
                machine.effects.push(Effect::Expr(fence));
                machine.accesses += 1;
                if instruction.prefix.is_some() {
                    machine.flags = Flags::Unknown;
                }
            }
            None if *is_arm => machine.execute_arm(instruction)?,
            None => machine.execute(instruction)?,
        }
    }
    machine.arrive(instructions.len());
    let effects = machine.finish()?;
    let statement = flow::statement(effects, |before, next| checker.comma(before, next), loc);
    Some(statement.unwrap_or(StmtKind::Fence(FenceKind::Compiler)))
}

/// Says what a compiler refuses about the operands, whatever the instructions are.
fn check_operands(checker: &mut Checker<'_>, asm: &AsmStatement, loc: Loc) {
    for output in &asm.outputs {
        if !text_of(&output.constraint).contains(['=', '+']) {
            checker.error(output.constraint.loc, "the constraint of an output needs '=' or '+'");
        }
    }
    let operands: Vec<_> = asm.outputs.iter().chain(&asm.inputs).filter_map(|operand| operand.name).collect();
    for input in &asm.inputs {
        let text = text_of(&input.constraint);
        if text.contains(['=', '+', '&']) {
            checker.error(input.constraint.loc, "the constraint of an input cannot have '=', '+' or '&'");
        }
        let digits = &text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())];
        if digits.parse::<usize>().is_ok_and(|tied| tied >= asm.outputs.len()) {
            checker.error(input.constraint.loc, format!("there is no output {digits}"));
        }
        if let Some(name) = text.strip_prefix('[').and_then(|name| name.strip_suffix(']'))
            && !operands.iter().any(|&known| checker.name(known) == name)
        {
            checker.error(input.constraint.loc, format!("there is no operand named '{name}'"));
        }
    }
    let labels: Vec<_> = asm.labels.iter().map(|&(label, _)| label).collect();
    for name in template::names(&text_of(&asm.template)) {
        if !operands.iter().chain(&labels).any(|&known| checker.name(known) == name) {
            checker.error(loc, format!("there is no operand named '{name}'"));
        }
    }
}

/// Whether assembly outside of functions means nothing to the program: comments, notes, versions of symbols.
pub(crate) fn is_asm_without_effect(text: &StringLiteral) -> bool {
    let text = text_of(text);
    let is_harmless = |code: &str| {
        let mut words = code.split_whitespace();
        match words.next() {
            None | Some("nop" | ".ident" | ".symver") => true,
            Some(".section") => words.next().is_some_and(|name| name.starts_with(".note.GNU-stack")),
            Some(_) => false,
        }
    };
    text.lines().all(|line| line.split('#').next().unwrap_or_default().split(';').all(is_harmless))
}

fn text_of(literal: &StringLiteral) -> String {
    literal.units.iter().map(|&unit| char::from_u32(unit).unwrap_or('\u{fffd}')).collect()
}

/// What a statement changes besides its outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Clobber {
    Memory,
    Flags,
    /// By the letter that the constraint for it has, or another name.
    Register(char),
}

impl Clobber {
    fn read(name: &str, is_arm: bool) -> Option<Clobber> {
        let name = name.trim_start_matches('%');
        let register = match name {
            "memory" => return Some(Clobber::Memory),
            "cc" => return Some(Clobber::Flags),
            _ if is_arm => registers::of_arm(name),
            _ => registers::of_x86(name),
        };
        register.map(|(name, _)| Clobber::Register(name.0))
    }
}

/// The fence that an instruction is, if it does nothing else; hints are compiler fences, which order nothing at run time.
fn fence(instruction: &Instruction, clobbers: &[Clobber], has_operands: bool, word: u64) -> Option<FenceKind> {
    let Instruction { prefix, mnemonic, operands } = instruction;
    let option = match &operands[..] {
        [] => "",
        [Operand::Other(option)] => option.as_str(),
        _ => "?",
    };
    match (prefix, mnemonic.as_str(), option) {
        (None, "mfence" | "sync" | "hwsync", "") => Some(FenceKind::Full),
        (None, "sfence" | "lwsync" | "eieio", "") => Some(FenceKind::StoreStore),
        (None, "lfence" | "isync" | "isb", "") | (None, "isb", "sy") => Some(FenceKind::LoadLoad),
        (None, "dmb" | "dsb", "" | "sy" | "ish" | "osh" | "nsh") => Some(FenceKind::Full),
        (None, "dmb" | "dsb", "st" | "ishst" | "oshst" | "nshst") => Some(FenceKind::StoreStore),
        (None, "dmb" | "dsb", "ld" | "ishld" | "oshld" | "nshld") => Some(FenceKind::LoadLoad),
        (None | Some(Prefix::Rep), "nop", "") | (None, "pause" | "yield", "") => Some(FenceKind::Compiler),
        // A wait for an event may end at any time.
        (None, "wfe" | "sev" | "sevl", "") => Some(FenceKind::Compiler),
        // It orders like a full fence, and overwrites four registers.
        (None, "cpuid", "") => {
            let all = ['a', 'b', 'c', 'd'].iter().all(|&r| clobbers.contains(&Clobber::Register(r)));
            (all && !has_operands).then_some(FenceKind::Full)
        }
        // Adding nothing to the top of the stack is the old way to write a full fence.
        (Some(Prefix::Lock), op, _) if matches!(operands[..], [Operand::Immediate(0), Operand::Stack]) => {
            let op = instructions::sized(op, &["add", "or", "xor", "sub"])?;
            op.1.filter(|&width| width <= word).map(|_| FenceKind::Full)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_fence(text: &str, expected: Option<FenceKind>) {
        let read = template::read(text).expect("instructions");
        let [instruction] = &read.instructions[..] else { panic!("{text} is one instruction") };
        assert_eq!(fence(instruction, &[], false, 8), expected, "{text}");
    }

    #[test]
    fn fences_are_recognised() {
        check_fence("mfence", Some(FenceKind::Full));
        check_fence("MFENCE\n", Some(FenceKind::Full));
        check_fence("sfence", Some(FenceKind::StoreStore));
        check_fence("lfence", Some(FenceKind::LoadLoad));
        check_fence("lock; addl $0,0(%%rsp)", Some(FenceKind::Full));
        check_fence("lock orq $0x0, -8(%%rsp)", Some(FenceKind::Full));
        check_fence("lwsync", Some(FenceKind::StoreStore));
        check_fence("dmb ish", Some(FenceKind::Full));
        check_fence("dmb ishst", Some(FenceKind::StoreStore));
        check_fence("dmb ishld", Some(FenceKind::LoadLoad));
        check_fence("pause", Some(FenceKind::Compiler));
        check_fence("rep; nop", Some(FenceKind::Compiler));
    }

    #[test]
    fn other_instructions_are_no_fences() {
        for text in [
            "movl %eax, %ebx",
            "lock; addl $1,0(%%rsp)",
            "addl $0,0(%%rsp)",
            "lock; andl $0,0(%%rsp)",
            "lock; mfence",
            "rep; movsb",
            "mfence %0",
            "dmb 7",
            "cpuid",
        ] {
            check_fence(text, None);
        }
    }
}
