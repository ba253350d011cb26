//! Assumptions about a value that was just read, as awaits.
//!
//! A thread that reads a value which its next assumption excludes stops for ever. Whatever the others do then, they can
//! do as well while the thread stands before the read: it changes nothing. So the read may wait until the assumption
//! holds, and an engine that explores executions one by one has none to explore for each way to fail.
//!
//! Only a read from a known, shared global object is changed: it is a step of its thread before and after, under the
//! same number. Not for questions about deadlocks (a thread that waits may be part of one, a stopped one is not), data
//! races (the read itself may be one), or traces (the read is part of them).

use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{BinaryOp, Callee, Instr, InstrKind, Operand, SectionKind};
use norn_ir::program::{Block, Function, Program, Storage};
use std::collections::BTreeSet;

/// Makes awaits of all assumptions that directly follow a read.
pub fn await_assumptions(program: &mut Program) {
    let shared: Vec<bool> = program.globals.iter().map(|g| g.storage == Storage::Static && !g.private).collect();
    let inside: Vec<Vec<bool>> = program.functions.iter().map(begins_inside).collect();
    let Some(called) = called_in_sections(program, &inside) else { return };
    for (number, function) in program.functions.iter_mut().enumerate() {
        if called.contains(&FuncId::new(number)) {
            continue;
        }
        for (block, &inside) in function.blocks.iter_mut().zip(&inside[number]) {
            // The last first: the positions before stay what they are.
            for (load, assume) in candidates(block, inside, &shared).into_iter().rev() {
                let InstrKind::Assume { cond } = block.instrs[assume].kind else { continue };
                let span = block.instrs[load].span;
                block.instrs[assume].kind = InstrKind::Await { cond, spurious: false };
                block.instrs.insert(assume + 1, Instr { kind: InstrKind::SectionEnd, span });
                block.instrs.insert(load, Instr { kind: InstrKind::SectionBegin(SectionKind::Read), span });
            }
        }
    }
}

/// Reads with the assumptions that follow them; nothing but computation is in between.
fn candidates(block: &Block, mut inside: bool, shared: &[bool]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut load = None;
    for (at, instr) in block.instrs.iter().enumerate() {
        match instr.kind {
            InstrKind::Load { addr: Operand::Global(id, _), .. } => {
                load = (!inside && shared[id.index()]).then_some(at)
            }
            InstrKind::Assume { .. } => found.extend(load.take().map(|load| (load, at))),
            InstrKind::Binary { op, .. } if !may_fault(op) => {}
            // Assumptions about what was read compare numbers; addresses are not looked for.
            InstrKind::Binary { .. } | InstrKind::PtrAdd { .. } | InstrKind::PtrDiff { .. } => load = None,
            _ if instr.kind.only_computes() => {}
            _ => load = None,
        }
        inside = after(&instr.kind, inside);
    }
    found
}

fn may_fault(op: BinaryOp) -> bool {
    !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
}

/// Whether control is in a section after an instruction.
fn after(kind: &InstrKind, inside: bool) -> bool {
    match kind {
        InstrKind::SectionBegin(_) => true,
        InstrKind::SectionEnd => false,
        _ => inside,
    }
}

/// For each block whether it begins inside a section: all ways to it agree on that.
fn begins_inside(function: &Function) -> Vec<bool> {
    let mut inside = vec![None; function.blocks.len()];
    inside[0] = Some(false);
    let mut work = vec![BlockId::new(0)];
    while let Some(id) = work.pop() {
        let block = function.block(id);
        let begins = inside[id.index()].unwrap_or(false);
        let ends = block.instrs.iter().fold(begins, |inside, instr| after(&instr.kind, inside));
        for next in block.terminator.kind.successors() {
            if inside[next.index()].is_none() {
                inside[next.index()] = Some(ends);
                work.push(next);
            }
        }
    }
    inside.into_iter().map(|inside| inside.unwrap_or(false)).collect()
}

/// The functions that may run inside a section, or `None` if that is not known.
fn called_in_sections(program: &Program, inside: &[Vec<bool>]) -> Option<BTreeSet<FuncId>> {
    let mut called = BTreeSet::new();
    let mut work = Vec::new();
    for (function, begins) in program.functions.iter().zip(inside) {
        for (block, &begins) in function.blocks.iter().zip(begins) {
            let mut inside = begins;
            for instr in &block.instrs {
                inside = after(&instr.kind, inside);
                if inside {
                    work.extend(callee(&instr.kind)?);
                }
            }
        }
    }
    while let Some(id) = work.pop() {
        if called.insert(id) {
            for instr in program.function(id).blocks.iter().flat_map(|block| &block.instrs) {
                work.extend(callee(&instr.kind)?);
            }
        }
    }
    Some(called)
}

/// `None`: any function may be called.
fn callee(kind: &InstrKind) -> Option<Option<FuncId>> {
    match kind {
        InstrKind::Call { callee: Callee::Direct(id), .. } => Some(Some(*id)),
        InstrKind::Call { .. } => None,
        _ => Some(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use norn_ir::parse::parse;
    use norn_ir::validate::validate;

    /// The instructions of the body after the pass.
    fn check(body: &str, expected: &str) {
        let text = format!(
            "norn-ir 1\ntarget lp64\nentry f0\ntype t0 = i32 signed\nglobal g0 \"x\": t0\n\
             global g1 \"y\": t0 private\nfunction f0 \"main\" () {{\nr0: i32\nr1: bool\nb0:\n{body}\n return\n}}\n"
        );
        let mut program = parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        await_assumptions(&mut program);
        assert_eq!(validate(&program), Ok(()), "{program}");
        let printed = program.to_string();
        let lines = printed.lines().skip_while(|line| *line != "b0:").skip(1);
        let lines = lines.map(|line| line.split("//").next().unwrap_or_default().trim());
        let lines = lines.take_while(|line| !line.starts_with("return")).collect::<Vec<_>>();
        assert_eq!(lines.join("; "), expected, "{printed}");
    }

    #[test]
    fn a_read_waits_for_its_assumption() {
        check(
            "r0 = load g0\nr1 = eq i32 r0, 0\nassume r1\nstore i32 g0, 1",
            "begin read; r0 = load g0; r1 = eq i32 r0, 0; await r1; end; store i32 g0, 1",
        );
    }

    #[test]
    fn other_assumptions_stay() {
        let stays = |body: &str| check(body, &body.replace('\n', "; "));
        stays("r0 = load g1\nr1 = eq i32 r0, 0\nassume r1");
        stays("r0 = load g0\nstore i32 g0, 1\nr1 = eq i32 r0, 0\nassume r1");
        stays("begin atomic\nr0 = load g0\nr1 = eq i32 r0, 0\nassume r1\nend");
        stays("r0 = load g0\nr0 = div.s 1, r0\nr1 = eq i32 r0, 0\nassume r1");
    }
}
