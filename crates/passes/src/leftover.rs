//! Locals to which a pointer may be left over when their scope begins again, in the same frame or in a later one in its place.
//!
//! Only for these does it matter that the new object is another one. For most locals it does not: their address is used
//! as an address, and passed to functions that do the same with it. Those functions have returned by then.
//!
//! A pointer is left over if it is stored anywhere, made a number, given to a thread or to a function that is not known, or
//! returned by the local's own function; or if a register that holds it is still read behind the point where the scope begins.
//! What functions do with their parameters is found by iteration. Flow matters for registers of the local's own function
//! only; all that is derived from an address there counts, whichever path it takes.

use norn_ir::ids::{BlockId, FuncId, LocalId, Reg};
use norn_ir::instr::{Callee, InstrKind, Operand, TerminatorKind};
use norn_ir::number::narrow;
use norn_ir::program::{Function, Program};

/// By function and local.
pub fn leftover(program: &Program) -> Vec<Vec<bool>> {
    let indices: Vec<Index> = program.functions.iter().map(Index::new).collect();
    let fates = fates_of_params(program, &indices);
    let of_function = |f: usize| {
        let function = &program.functions[f];
        let walk = Walk { function, index: &indices[f], fates: &fates };
        (0..function.locals.len()).map(|local| walk.is_left_over(LocalId::new(local))).collect()
    };
    (0..program.functions.len()).map(of_function).collect()
}

/// What becomes of an address.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Fate {
    /// It may be somewhere when the function has returned, but for the result.
    kept: bool,
    returned: bool,
}

/// Where registers and locals are mentioned: block and instruction, or the number of instructions for the terminator.
struct Index {
    registers: Vec<Vec<(u32, u32)>>,
    locals: Vec<Vec<(u32, u32)>>,
    /// Where the scopes of locals begin.
    begins: Vec<Vec<(u32, u32)>>,
}

impl Index {
    fn new(function: &Function) -> Index {
        let mut index = Index {
            registers: vec![Vec::new(); function.registers.len()],
            locals: vec![Vec::new(); function.locals.len()],
            begins: vec![Vec::new(); function.locals.len()],
        };
        for (b, block) in function.blocks.iter().enumerate() {
            for (i, instr) in block.instrs.iter().enumerate() {
                let at = (narrow(b), narrow(i));
                instr.kind.for_each_operand(|operand| index.mention(operand, at));
                if let InstrKind::LocalEnter(local) = instr.kind {
                    index.begins[local.index()].push(at);
                }
            }
            let end = (narrow(b), narrow(block.instrs.len()));
            block.terminator.kind.for_each_operand(|operand| index.mention(operand, end));
        }
        index
    }

    fn mention(&mut self, operand: Operand, at: (u32, u32)) {
        let list = match operand {
            Operand::Reg(reg) => &mut self.registers[reg.index()],
            Operand::Local(local, _) => &mut self.locals[local.index()],
            Operand::Const(_) | Operand::Global(..) | Operand::Func(_) => return,
        };
        if list.last() != Some(&at) {
            list.push(at);
        }
    }
}

/// By function and parameter.
fn fates_of_params(program: &Program, indices: &[Index]) -> Vec<Vec<Fate>> {
    let none = |function: &Function| vec![Fate::default(); function.params.len()];
    let mut fates: Vec<Vec<Fate>> = program.functions.iter().map(none).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (f, function) in program.functions.iter().enumerate() {
            for (p, &param) in function.params.iter().enumerate() {
                let walk = Walk { function, index: &indices[f], fates: &fates };
                let fate = walk.follow(Operand::Reg(param)).0;
                changed |= fates[f][p] != fate;
                fates[f][p] = fate;
            }
        }
    }
    fates
}

struct Walk<'a> {
    function: &'a Function,
    index: &'a Index,
    fates: &'a [Vec<Fate>],
}

impl Walk<'_> {
    fn is_left_over(&self, local: LocalId) -> bool {
        let (fate, registers) = self.follow(Operand::Local(local, 0));
        fate.kept
            || fate.returned
            || registers.iter().any(|&reg| {
                !self.is_short_lived(reg) && self.index.begins[local.index()].iter().any(|&at| self.is_read(reg, at))
            })
    }

    /// What becomes of an address, and the registers that may hold it.
    fn follow(&self, start: Operand) -> (Fate, Vec<Reg>) {
        let mut fate = Fate::default();
        let mut held = Vec::new();
        let mut seen = vec![false; self.function.registers.len()];
        let mut work = vec![start];
        while let Some(operand) = work.pop() {
            let mentions = match operand {
                Operand::Reg(reg) => &self.index.registers[reg.index()],
                Operand::Local(local, _) => &self.index.locals[local.index()],
                Operand::Const(_) | Operand::Global(..) | Operand::Func(_) => continue,
            };
            for &(block, index) in mentions {
                if fate.kept {
                    return (fate, held);
                }
                let block = &self.function.blocks[block as usize];
                let same = |other: Operand| match (operand, other) {
                    (Operand::Local(a, _), Operand::Local(b, _)) => a == b,
                    (a, b) => a == b,
                };
                let into = match block.instrs.get(index as usize) {
                    Some(instr) => self.instr(&instr.kind, same, &mut fate),
                    None => {
                        fate.returned |= matches!(block.terminator.kind, TerminatorKind::Return(_));
                        fate.kept |= !matches!(block.terminator.kind, TerminatorKind::Return(_));
                        None
                    }
                };
                if let Some(reg) = into
                    && !std::mem::replace(&mut seen[reg.index()], true)
                {
                    held.push(reg);
                    work.push(Operand::Reg(reg));
                }
            }
        }
        (fate, held)
    }

    /// What an instruction that mentions an address does with it; the register that holds it then.
    fn instr(&self, kind: &InstrKind, same: impl Fn(Operand) -> bool, fate: &mut Fate) -> Option<Reg> {
        match *kind {
            InstrKind::Copy { dst, .. } | InstrKind::Select { dst, .. } => return Some(dst),
            InstrKind::PtrAdd { dst, base, index, .. } => {
                fate.kept |= same(index);
                return same(base).then_some(dst);
            }
            InstrKind::Compare { .. }
            | InstrKind::PtrDiff { .. }
            | InstrKind::Load { .. }
            | InstrKind::Free { .. }
            | InstrKind::ObjectSize { .. }
            | InstrKind::Sync { .. }
            | InstrKind::Print { .. } => {}
            InstrKind::Store { value, .. } | InstrKind::Rmw { value, .. } => fate.kept |= same(value),
            InstrKind::CompareExchange { desired, .. } => fate.kept |= same(desired),
            InstrKind::Call { dst, callee: Callee::Direct(callee), ref args } => {
                return self.passed(dst, callee, args, same, fate);
            }
            _ => fate.kept = true,
        }
        None
    }

    fn passed(
        &self,
        dst: Option<Reg>,
        callee: FuncId,
        args: &[Operand],
        same: impl Fn(Operand) -> bool,
        fate: &mut Fate,
    ) -> Option<Reg> {
        let mut returned = false;
        for (position, _) in args.iter().enumerate().filter(|(_, arg)| same(**arg)) {
            // What the callee has no parameter for, it does not look at.
            let of_param = self.fates[callee.index()].get(position).copied().unwrap_or_default();
            fate.kept |= of_param.kept;
            returned |= of_param.returned;
        }
        dst.filter(|_| returned)
    }

    /// Whether each mention of a register follows an assignment in the same block, with no scope that begins in between.
    fn is_short_lived(&self, reg: Reg) -> bool {
        self.index.registers[reg.index()].iter().all(|&(block, index)| {
            let before = &self.function.blocks[block as usize].instrs[..index as usize];
            let end = before
                .iter()
                .rposition(|instr| defines(&instr.kind, reg) || matches!(instr.kind, InstrKind::LocalEnter(_)));
            end.is_some_and(|end| defines(&before[end].kind, reg))
        })
    }

    /// Whether a register may be read behind a place before it is assigned.
    fn is_read(&self, reg: Reg, (block, index): (u32, u32)) -> bool {
        let mut seen = vec![false; self.function.blocks.len()];
        let mut work = vec![(BlockId(block), index as usize + 1)];
        while let Some((block, from)) = work.pop() {
            let block = self.function.block(block);
            let mut assigned = false;
            for instr in &block.instrs[from..] {
                let mut reads = false;
                instr.kind.for_each_operand(|operand| reads |= operand == Operand::Reg(reg));
                if reads {
                    return true;
                }
                assigned = defines(&instr.kind, reg);
                if assigned {
                    break;
                }
            }
            if assigned {
                continue;
            }
            let mut reads = false;
            block.terminator.kind.for_each_operand(|operand| reads |= operand == Operand::Reg(reg));
            if reads {
                return true;
            }
            for next in block.terminator.kind.successors() {
                if !std::mem::replace(&mut seen[next.index()], true) {
                    work.push((next, 0));
                }
            }
        }
        false
    }
}

fn defines(kind: &InstrKind, reg: Reg) -> bool {
    kind.defs().any(|def| def == reg)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the only local of `f0`, which has this body; `f1` gives back what it is given, `f2` stores it.
    fn check(body: &str, expected: bool) {
        let text = format!(
            "norn-ir 1\ntarget lp64\nentry f0\ntype t0 = i32 signed\ntype t1 = ptr pointer\nglobal g0 \"g\": t1\n\
             function f0 \"main\" () {{\nr0: ptr\nr1: ptr\nr2: i32\nr3: bool\nl0: t0 \"x\"\n{body}}}\n\
             function f1 \"same\" (r0) -> ptr {{\nr0: ptr\nb0:\n store i32 r0, 1\n return r0\n}}\n\
             function f2 \"keep\" (r0) {{\nr0: ptr\nb0:\n store ptr g0, r0\n return\n}}\n"
        );
        let program = norn_ir::parse::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(norn_ir::validate::validate(&program), Ok(()), "{text}");
        assert_eq!(leftover(&program)[0][0], expected, "{body}");
    }

    #[test]
    fn an_address_that_is_only_used_as_one_is_not_left_over() {
        let uses = "store i32 l0, 1\n r0 = ptr_add l0, i64 1 * 4\n r2 = load r0";
        check(&format!("b0:\n enter l0\n {uses}\n leave l0\n goto b1\nb1:\n return\n"), false);
        check("b0:\n enter l0\n r0 = call f1(l0)\n r2 = load r0\n leave l0\n return\n", false);
        // Read in another block, but assigned anew in each round.
        let rounds = "b0:\n goto b1\nb1:\n enter l0\n r0 = copy l0\n goto b2\nb2:\n r2 = load r0\n leave l0\n \
                      r3 = nondet input \"more\"\n branch r3, b1, b3\nb3:\n return\n";
        check(rounds, false);
    }

    #[test]
    fn what_is_stored_returned_or_read_in_the_next_round_is_left_over() {
        check("b0:\n enter l0\n store ptr g0, l0\n leave l0\n return\n", true);
        check("b0:\n enter l0\n call f2(l0)\n leave l0\n return\n", true);
        check("b0:\n enter l0\n r0 = call f1(l0)\n call f2(r0)\n leave l0\n return\n", true);
        let rounds = "b0:\n r0 = copy null\n goto b1\nb1:\n enter l0\n r1 = copy r0\n r0 = copy l0\n r2 = load r1\n leave l0\n \
                      r3 = nondet input \"more\"\n branch r3, b1, b2\nb2:\n return\n";
        check(rounds, true);
    }
}
