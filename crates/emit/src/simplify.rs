//! Constants and copies through a thread's function, and what nobody looks at: unwinding and inlining leave behind many copies of
//! arguments and comparisons with known results, which would hide the program from a reader and cost a verifier time.
//!
//! Control only moves forward, so one pass in topological order sees every value before its uses. Instructions keep
//! their places (analyses name them by index); those that are not needed are marked.

use crate::by_instr::ByInstr;
use norn_ir::ids::{BlockId, Reg};
use norn_ir::instr::{BinaryOp, CastOp, CompareOp, Const, InstrKind, Operand, TerminatorKind};
use norn_ir::program::Function;
use norn_ir::types::{Target, Ty};
use rustc_hash::FxHashMap;

/// A value that is read within so many instructions is read soon.
const NEAR: usize = 64;

/// How often jumps are led past blocks that do nothing.
const MOST_PASSES: usize = 3;

/// A simplified function.
pub struct Simplified {
    pub function: Function,
    /// The blocks that control can reach, in topological order.
    pub order: Vec<BlockId>,
    /// Whether an instruction is needed.
    pub needed: ByInstr<bool>,
    /// By register: how often what is needed reads and assigns it.
    pub uses: Vec<u32>,
    pub defs: Vec<u32>,
    /// By register: every block that reads it assigns it first.
    is_local_to_blocks: Vec<bool>,
    /// For instructions that assign one register.
    readers: ByInstr<Readers>,
}

/// Who reads a value in the block that assigns it, before the register is assigned again.
#[derive(Clone, Copy, Default)]
struct Readers {
    count: u32,
    /// The first of them.
    first: u32,
    /// Whether that is a comparison.
    compares: bool,
}

/// `keeps_result`: somebody asks what the function returns.
pub fn simplify(original: &Function, target: Target, keeps_result: bool) -> Simplified {
    let mut function = original.clone();
    let defs = count_defs(&function);
    propagate(&mut function, &defs, target);
    let order = function.reverse_postorder();
    let mut simplified = Simplified {
        needed: ByInstr::new(&function, false),
        uses: Vec::new(),
        defs: Vec::new(),
        is_local_to_blocks: Vec::new(),
        readers: ByInstr::new(&function, Readers::default()),
        order,
        function,
    };
    simplified.find_needed(keeps_result);
    // A branch both of whose ways are one may leave its condition unread, and more blocks empty.
    for _ in 0..MOST_PASSES {
        if !simplified.skip_empty_blocks() {
            break;
        }
        simplified.find_needed(keeps_result);
    }
    simplified.is_local_to_blocks = simplified.find_local();
    simplified.find_readers();
    simplified
}

fn count_defs(function: &Function) -> Vec<u32> {
    let mut defs = vec![0; function.registers.len()];
    function.params.iter().for_each(|param| defs[param.index()] += 1);
    let instrs = function.blocks.iter().flat_map(|block| &block.instrs);
    instrs.flat_map(|instr| instr.kind.defs()).for_each(|reg| defs[reg.index()] += 1);
    defs
}

/// What registers are known to hold at some point.
type Known = FxHashMap<Reg, Operand>;

fn propagate(function: &mut Function, defs: &[u32], target: Target) {
    let order = function.reverse_postorder();
    // Registers with one assignment hold the same wherever they are read; the others depend on the point.
    let mut fixed: Vec<Option<Operand>> = vec![None; function.registers.len()];
    let mut names: Vec<(Reg, Reg)> = Vec::new();
    let mut at_entry: Vec<Option<Known>> = vec![None; function.blocks.len()];
    at_entry[Function::ENTRY.index()] = Some(Known::default());
    for block in order {
        // A block that no executable edge leads to is not looked at.
        let Some(mut varying) = at_entry[block.index()].take() else { continue };
        let registers = &function.registers;
        let code = &mut function.blocks[block.index()];
        for instr in &mut code.instrs {
            let lookup = |operand: Operand| known(operand, &fixed, &varying);
            instr.kind.map_operands(lookup);
            let value = evaluate(&instr.kind, |reg: Reg| registers[reg.index()].ty, target);
            // Copies are read where they come from if neither changes later.
            if let InstrKind::Copy { dst, src: Operand::Reg(src) } = instr.kind
                && defs[dst.index()] == 1
                && defs[src.index()] == 1
            {
                fixed[dst.index()] = Some(Operand::Reg(src));
                names.push((src, dst));
                continue;
            }
            for reg in instr.kind.defs() {
                match value {
                    Some(value) if defs[reg.index()] == 1 => fixed[reg.index()] = Some(value),
                    Some(value) => {
                        varying.insert(reg, value);
                    }
                    None => {
                        varying.remove(&reg);
                    }
                }
            }
        }
        code.terminator.kind.map_operands(|operand| known(operand, &fixed, &varying));
        decide(&mut code.terminator.kind);
        for next in code.terminator.kind.successors() {
            match &mut at_entry[next.index()] {
                there @ None => *there = Some(varying.clone()),
                Some(there) => there.retain(|reg, value| varying.get(reg) == Some(value)),
            }
        }
    }
    // The name that the source has for the value.
    for (src, dst) in names {
        if function.registers[src.index()].name.is_empty() {
            function.registers[src.index()].name = function.registers[dst.index()].name.clone();
        }
    }
}

fn known(operand: Operand, fixed: &[Option<Operand>], varying: &Known) -> Operand {
    let Operand::Reg(reg) = operand else { return operand };
    fixed[reg.index()].or_else(|| varying.get(&reg).copied()).unwrap_or(operand)
}

/// A branch whose way is known becomes a jump.
fn decide(kind: &mut TerminatorKind) {
    let goto = match kind {
        TerminatorKind::Branch { cond: Operand::Const(cond), then, otherwise } => {
            Some(if cond.bits != 0 { *then } else { *otherwise })
        }
        TerminatorKind::Branch { then, otherwise, .. } if then == otherwise => Some(*then),
        TerminatorKind::Switch { value: Operand::Const(value), cases, default, .. } => {
            Some(cases.iter().find(|case| case.0 == value.bits).map_or(*default, |case| case.1))
        }
        _ => None,
    };
    if let Some(goto) = goto {
        *kind = TerminatorKind::Goto(goto);
    }
}

/// What an instruction assigns, if that is a constant or a fixed address.
pub fn evaluate(kind: &InstrKind, ty_of: impl Fn(Reg) -> Ty, target: Target) -> Option<Operand> {
    let constant = |ty: Ty, bits: u64| Some(Operand::Const(Const { ty, bits: ty.truncate(bits, target) }));
    match *kind {
        InstrKind::Copy { src, .. } if src.reg().is_none() => Some(src),
        InstrKind::Binary { dst, op, lhs: Operand::Const(lhs), rhs: Operand::Const(rhs) } => {
            let ty = ty_of(dst);
            let bits = binary(op, ty, target, lhs.bits, rhs.bits)?;
            constant(ty, bits)
        }
        InstrKind::Compare { op, ty, lhs, rhs, .. } => {
            let holds = compare(op, ty, target, lhs, rhs)?;
            constant(Ty::Bool, u64::from(holds))
        }
        InstrKind::Cast { dst, op, from, src: Operand::Const(src) } => match op {
            CastOp::ZeroExtend | CastOp::Truncate => constant(ty_of(dst), src.bits),
            CastOp::SignExtend => constant(ty_of(dst), signed(src.bits, from.bits(target)) as u64),
            _ => None,
        },
        InstrKind::Select { cond: Operand::Const(cond), then, otherwise, .. } => {
            Some(if cond.bits != 0 { then } else { otherwise }).filter(|value| value.reg().is_none())
        }
        InstrKind::PtrAdd { base, index: Operand::Const(index), scale, .. } => {
            let by = signed(index.bits, Ty::Ptr.bits(target)).checked_mul(scale)?;
            match base {
                Operand::Global(global, offset) => Some(Operand::Global(global, offset.checked_add(by)?)),
                Operand::Local(local, offset) => Some(Operand::Local(local, offset.checked_add(by)?)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((bits << unused) as i64) >> unused
}

fn binary(op: BinaryOp, ty: Ty, target: Target, lhs: u64, rhs: u64) -> Option<u64> {
    if ty.is_float() {
        return None;
    }
    let width = u64::from(ty.bits(target));
    Some(match op {
        BinaryOp::Add | BinaryOp::AddSigned => lhs.wrapping_add(rhs),
        BinaryOp::Sub | BinaryOp::SubSigned => lhs.wrapping_sub(rhs),
        BinaryOp::Mul | BinaryOp::MulSigned => lhs.wrapping_mul(rhs),
        BinaryOp::And => lhs & rhs,
        BinaryOp::Or => lhs | rhs,
        BinaryOp::Xor => lhs ^ rhs,
        BinaryOp::Shl => lhs << (rhs % width),
        BinaryOp::ShrUnsigned => lhs >> (rhs % width),
        BinaryOp::ShrSigned => (signed(lhs, width as u32) >> (rhs % width)) as u64,
        BinaryOp::DivUnsigned if rhs != 0 => lhs / rhs,
        BinaryOp::RemUnsigned if rhs != 0 => lhs % rhs,
        BinaryOp::DivSigned if rhs != 0 => signed(lhs, width as u32).wrapping_div(signed(rhs, width as u32)) as u64,
        BinaryOp::RemSigned if rhs != 0 => signed(lhs, width as u32).wrapping_rem(signed(rhs, width as u32)) as u64,
        _ => return None,
    })
}

fn compare(op: CompareOp, ty: Ty, target: Target, lhs: Operand, rhs: Operand) -> Option<bool> {
    let is_address = |operand: Operand| matches!(operand, Operand::Global(..) | Operand::Local(..) | Operand::Func(_));
    let is_null = |operand: Operand| matches!(operand, Operand::Const(Const { bits: 0, .. }));
    let equal = match (lhs, rhs) {
        (Operand::Const(lhs), Operand::Const(rhs)) if !ty.is_float() => {
            let width = ty.bits(target);
            let (a, b) = (signed(lhs.bits, width), signed(rhs.bits, width));
            return Some(match op {
                CompareOp::Eq => lhs.bits == rhs.bits,
                CompareOp::Ne => lhs.bits != rhs.bits,
                CompareOp::LtSigned => a < b,
                CompareOp::LeSigned => a <= b,
                CompareOp::LtUnsigned => lhs.bits < rhs.bits,
                CompareOp::LeUnsigned => lhs.bits <= rhs.bits,
                _ => return None,
            });
        }
        // C compilers warn about comparisons whose result they know.
        (Operand::Func(lhs), Operand::Func(rhs)) => lhs == rhs,
        (Operand::Global(a, x), Operand::Global(b, y)) if a == b => x == y,
        (Operand::Local(a, x), Operand::Local(b, y)) if a == b => x == y,
        (a, b) if is_address(a) && is_null(b) || is_address(b) && is_null(a) => false,
        (Operand::Func(_), b) if is_address(b) => false,
        (a, Operand::Func(_)) if is_address(a) => false,
        (Operand::Reg(a), Operand::Reg(b)) if a == b && !ty.is_float() => {
            return Some(!matches!(op, CompareOp::Ne | CompareOp::LtSigned | CompareOp::LtUnsigned));
        }
        _ => return unsigned_with_zero(op, lhs, rhs),
    };
    match op {
        CompareOp::Eq => Some(equal),
        CompareOp::Ne => Some(!equal),
        _ => None,
    }
}

/// Nothing is below zero.
fn unsigned_with_zero(op: CompareOp, lhs: Operand, rhs: Operand) -> Option<bool> {
    match (op, lhs, rhs) {
        (CompareOp::LtUnsigned, _, Operand::Const(Const { bits: 0, .. })) => Some(false),
        (CompareOp::LeUnsigned, Operand::Const(Const { bits: 0, .. }), _) => Some(true),
        _ => None,
    }
}

/// What a thread leaves behind at its end, or the program.
fn is_end(kind: &TerminatorKind) -> bool {
    matches!(kind, TerminatorKind::Return(_) | TerminatorKind::ThreadExit(_) | TerminatorKind::Exit(_))
}

/// What the translation does not say.
fn is_silent(kind: &InstrKind) -> bool {
    matches!(kind, InstrKind::Print { .. } | InstrKind::Sync { .. } | InstrKind::Await { spurious: true, .. })
}

/// Whether nobody would miss the instruction if its results were not read.
fn is_pure(kind: &InstrKind) -> bool {
    match kind {
        InstrKind::Binary { op, rhs, .. } => {
            let divides =
                matches!(op, BinaryOp::DivSigned | BinaryOp::DivUnsigned | BinaryOp::RemSigned | BinaryOp::RemUnsigned);
            !divides || matches!(rhs, Operand::Const(Const { bits: 1.., .. }))
        }
        InstrKind::Copy { .. }
        | InstrKind::Compare { .. }
        | InstrKind::Unary { .. }
        | InstrKind::Cast { .. }
        | InstrKind::Select { .. }
        | InstrKind::PtrAdd { .. }
        | InstrKind::PtrDiff { .. }
        | InstrKind::Nondet { .. }
        | InstrKind::ThreadSelf { .. } => true,
        _ => false,
    }
}

impl Simplified {
    fn find_needed(&mut self, keeps_result: bool) {
        let function = &self.function;
        let count = function.registers.len();
        let mut needed = ByInstr::new(function, false);
        // Who assigns the registers: the last of each, and with each the one before.
        let mut makers: Vec<(BlockId, usize, Option<usize>)> = Vec::with_capacity(count);
        let mut last_maker: Vec<Option<usize>> = vec![None; count];
        let mut uses = vec![0u32; count];
        let mut waiting: Vec<(BlockId, usize)> = Vec::new();
        let mut read: Vec<Reg> = Vec::new();
        for &block in &self.order {
            let code = function.block(block);
            for (index, instr) in code.instrs.iter().enumerate() {
                for reg in instr.kind.defs() {
                    let before = last_maker[reg.index()].replace(makers.len());
                    makers.push((block, index, before));
                }
                if !is_pure(&instr.kind) {
                    needed[(block, index)] = true;
                    waiting.push((block, index));
                }
            }
            if keeps_result || !is_end(&code.terminator.kind) {
                code.terminator.kind.for_each_use(|reg| read.push(reg));
            }
        }
        loop {
            for reg in read.drain(..) {
                uses[reg.index()] += 1;
                if uses[reg.index()] == 1 {
                    let mut maker = last_maker[reg.index()];
                    while let Some((block, index, before)) = maker.map(|maker| makers[maker]) {
                        if !std::mem::replace(&mut needed[(block, index)], true) {
                            waiting.push((block, index));
                        }
                        maker = before;
                    }
                }
            }
            let Some((block, index)) = waiting.pop() else { break };
            // What is printed is nobody's business here.
            if !is_silent(&function.block(block).instrs[index].kind) {
                function.block(block).instrs[index].kind.for_each_use(|reg| read.push(reg));
            }
        }
        let mut defs = vec![0u32; count];
        for &block in &self.order {
            for (index, instr) in function.block(block).instrs.iter().enumerate() {
                if needed[(block, index)] {
                    instr.kind.defs().for_each(|reg| defs[reg.index()] += 1);
                }
            }
        }
        (self.needed, self.uses, self.defs) = (needed, uses, defs);
    }

    /// Leads jumps past blocks that do nothing; tells whether a branch became a jump.
    fn skip_empty_blocks(&mut self) -> bool {
        let mut leads_to: Vec<BlockId> = self.function.block_ids().collect();
        for &block in self.order.iter().rev() {
            let code = self.function.block(block);
            let mut instrs = code.instrs.iter().enumerate();
            let is_empty = instrs.all(|(index, instr)| !self.needed[(block, index)] || is_silent(&instr.kind));
            if let TerminatorKind::Goto(target) = code.terminator.kind
                && is_empty
            {
                leads_to[block.index()] = leads_to[target.index()];
            }
        }
        let mut is_changed = false;
        for &block in &self.order {
            let kind = &mut self.function.blocks[block.index()].terminator.kind;
            kind.map_successors(|target| leads_to[target.index()]);
            let is_jump = matches!(kind, TerminatorKind::Goto(_));
            decide(kind);
            is_changed |= !is_jump && matches!(kind, TerminatorKind::Goto(_));
        }
        self.order = self.function.reverse_postorder();
        is_changed
    }

    fn find_local(&self) -> Vec<bool> {
        let mut is_local = vec![true; self.function.registers.len()];
        // The block that last assigned each register.
        let mut assigned = vec![None; is_local.len()];
        for &block in &self.order {
            let code = self.function.block(block);
            for (_, instr) in code.instrs.iter().enumerate().filter(|&(index, _)| self.needed[(block, index)]) {
                instr.kind.for_each_use(|reg| is_local[reg.index()] &= assigned[reg.index()] == Some(block));
                instr.kind.defs().for_each(|reg| assigned[reg.index()] = Some(block));
            }
            code.terminator.kind.for_each_use(|reg| is_local[reg.index()] &= assigned[reg.index()] == Some(block));
        }
        is_local
    }

    /// Follows each value to its readers in its block.
    fn find_readers(&mut self) {
        // From the end of a block: who reads each register before it is assigned again. The block tells whether an entry counts.
        let mut later: Vec<(Option<BlockId>, Readers)> =
            vec![(None, Readers::default()); self.function.registers.len()];
        for &block in &self.order {
            let code = self.function.block(block);
            let read = |later: &mut [(Option<BlockId>, Readers)], reg: Reg, at: usize, compares: bool| {
                let (of, found) = &mut later[reg.index()];
                let count = if *of == Some(block) { found.count } else { 0 };
                (*of, *found) = (Some(block), Readers { count: count.saturating_add(1), first: at as u32, compares });
            };
            code.terminator.kind.for_each_use(|reg| read(&mut later, reg, code.instrs.len(), false));
            for (index, instr) in code.instrs.iter().enumerate().rev() {
                if !self.needed[(block, index)] {
                    continue;
                }
                for reg in instr.kind.defs() {
                    let (of, found) = &mut later[reg.index()];
                    self.readers[(block, index)] = if *of == Some(block) { *found } else { Readers::default() };
                    *of = None;
                }
                let compares = matches!(instr.kind, InstrKind::Compare { .. });
                instr.kind.for_each_use(|reg| read(&mut later, reg, index, compares));
            }
        }
    }

    /// Whether the next reader of a value compares it.
    pub fn is_compared_next(&self, block: BlockId, index: usize) -> bool {
        self.readers[(block, index)].compares
    }

    /// Whether the value that an instruction assigns is read exactly once, soon and in its block.
    pub fn is_used_once_soon(&self, dst: Reg, block: BlockId, index: usize) -> bool {
        let is_single = self.defs[dst.index()] == 1 && self.uses[dst.index()] == 1;
        let found = self.readers[(block, index)];
        (is_single || self.is_local_to_blocks[dst.index()]) && found.count == 1 && found.first as usize - index <= NEAR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which instructions of a block are needed.
    fn needed(simplified: &Simplified, block: usize) -> Vec<bool> {
        let block = BlockId::new(block);
        let count = simplified.function.block(block).instrs.len();
        (0..count).map(|index| simplified.needed[(block, index)]).collect()
    }

    #[test]
    fn copies_and_blocks_that_do_nothing_go() {
        let text = "norn-ir 1\ntarget lp64\nentry f0\ntype t0 = i32 signed\nglobal g0 \"x\": t0\n\
                    function f0 \"main\" () {\nr0, r3: i32\nr1: i32 \"seen\"\nr2: bool\n\
                    b0:\nr0 = load g0\nr1 = copy r0\nr2 = eq i32 r1, 2\nbranch r2, b1, b2\n\
                    b1:\ngoto b3\nb2:\ngoto b3\nb3:\nr3 = copy r1\nstore i32 g0, r3\nreturn\n}\n";
        let program = norn_ir::parse::parse(text).expect("the program should parse");
        let simplified = simplify(program.function(program.entry), program.target, false);
        assert_eq!(simplified.order, [0, 3].map(BlockId::new));
        assert_eq!(needed(&simplified, 0), [true, false, false]);
        let InstrKind::Store { value, .. } = simplified.function.blocks[3].instrs[1].kind else { panic!("a store") };
        assert_eq!(value, Operand::Reg(Reg::new(0)));
        assert_eq!(simplified.function.registers[0].name, "seen");
    }

    #[test]
    fn known_branches_and_unread_values_go() {
        let text = "norn-ir 1\ntarget lp64\nentry f0\ntype t0 = i32 signed\nglobal g0 \"x\": t0\n\
                    function f0 \"main\" () {\nr0, r1, r3: i32\nr2: bool\n\
                    b0:\nr0 = copy 1\ngoto b1\nb1:\nr0 = add r0, 1\nr2 = eq i32 r0, 2\nr1 = load g0\nr3 = add r1, r0\n\
                    branch r2, b2, b3\nb2:\nstore i32 g0, r0\nreturn\nb3:\nstore i32 g0, 9\nreturn\n}\n";
        let program = norn_ir::parse::parse(text).expect("the program should parse");
        let simplified = simplify(program.function(program.entry), program.target, false);
        assert_eq!(simplified.order, [0, 1, 2].map(BlockId::new));
        assert_eq!(needed(&simplified, 1), [false, false, true, false]);
        let InstrKind::Store { value, .. } = simplified.function.blocks[2].instrs[0].kind else { panic!("a store") };
        assert_eq!(value, Operand::Const(Const { ty: Ty::I32, bits: 2 }));
    }
}
