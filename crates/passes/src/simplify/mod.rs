//! Constants and copies through a bounded function, and what nobody looks at: unwinding and inlining leave behind many copies of
//! arguments and comparisons with known results, which would hide the program from a reader and cost a verifier time.
//!
//! Control only moves forward, so one pass in topological order sees every value before its uses. Instructions keep
//! their places (analyses name them by index); those that are not needed are marked. For who asks about assertions only:
//! overflow, output and happens-before do not count.

mod evaluate;
mod facts;
mod propagate;

use crate::by_instr::ByInstr;
use facts::Facts;
use norn_ir::ids::{BlockId, Reg};
use norn_ir::instr::TerminatorKind;
use norn_ir::number::narrow;
use norn_ir::program::Function;
use norn_ir::types::Target;
use propagate::{Propagated, decide, propagate};

pub use evaluate::evaluate;

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

/// `keeps_result`: somebody asks what the function returns. Blocks should come before those that they jump to.
pub fn simplify(original: &Function, target: Target, keeps_result: bool) -> Simplified {
    let Propagated { function, mut facts, named_like } = propagate(original, target);
    let mut simplified = Simplified {
        needed: facts.with_all(false),
        uses: Vec::new(),
        defs: Vec::new(),
        is_local_to_blocks: Vec::new(),
        readers: facts.with_all(Readers::default()),
        order: function.reverse_postorder(),
        function,
    };
    let mut makers = Makers::default();
    simplified.find_needed(&facts, keeps_result, &mut makers);
    // A branch both of whose ways are one may leave its condition unread, and more blocks empty.
    for _ in 0..MOST_PASSES {
        if !simplified.skip_empty_blocks(&mut facts) {
            break;
        }
        simplified.find_needed(&facts, keeps_result, &mut makers);
    }
    simplified.name_registers(original, &named_like);
    simplified.find_readers(&facts);
    simplified
}

/// What a thread leaves behind at its end, or the program.
fn is_end(kind: &TerminatorKind) -> bool {
    matches!(kind, TerminatorKind::Return(_) | TerminatorKind::ThreadExit(_) | TerminatorKind::Exit(_))
}

/// Who assigns the registers.
#[derive(Default)]
struct Makers {
    /// An instruction, and the entry for the same register before this one.
    entries: Vec<(u32, u32)>,
    /// By register: the last entry.
    last: Vec<u32>,
}

impl Makers {
    const NONE: u32 = u32::MAX;

    fn clear(&mut self, registers: usize) {
        self.entries.clear();
        self.last.clear();
        self.last.resize(registers, Makers::NONE);
    }

    fn add(&mut self, reg: Reg, slot: usize) {
        let before = std::mem::replace(&mut self.last[reg.index()], narrow(self.entries.len()));
        self.entries.push((narrow(slot), before));
    }

    fn of(&self, reg: Reg) -> impl Iterator<Item = usize> + '_ {
        let entry = |at: u32| self.entries.get(at as usize);
        let all = std::iter::successors(entry(self.last[reg.index()]), move |&&(_, before)| entry(before));
        all.map(|&(slot, _)| slot as usize)
    }
}

impl Simplified {
    fn find_needed(&mut self, facts: &Facts, keeps_result: bool, makers: &mut Makers) {
        let count = self.function.registers.len();
        let (needed, uses, defs) = (&mut self.needed, &mut self.uses, &mut self.defs);
        needed.fill(false);
        uses.clear();
        uses.resize(count, 0);
        defs.clear();
        defs.resize(count, 0);
        makers.clear(count);
        let mut waiting: Vec<usize> = Vec::new();
        // Marks who assigns what is read.
        let read =
            |needed: &mut ByInstr<bool>, uses: &mut [u32], makers: &Makers, waiting: &mut Vec<usize>, reg: Reg| {
                uses[reg.index()] += 1;
                if uses[reg.index()] == 1 {
                    waiting.extend(makers.of(reg).filter(|&slot| !std::mem::replace(&mut needed[slot], true)));
                }
            };
        for &block in &self.order {
            for slot in facts.slots(block).0 {
                facts.defs(slot).iter().for_each(|&reg| makers.add(reg, slot));
                if !facts.fact(slot).is_pure {
                    needed[slot] = true;
                    waiting.push(slot);
                }
            }
        }
        for &block in &self.order {
            if keeps_result || !is_end(&self.function.block(block).terminator.kind) {
                let regs = facts.uses(facts.slots(block).1);
                regs.iter().for_each(|&reg| read(needed, uses, makers, &mut waiting, reg));
            }
        }
        while let Some(slot) = waiting.pop() {
            facts.defs(slot).iter().for_each(|reg| defs[reg.index()] += 1);
            // What is printed is nobody's business here.
            if !facts.fact(slot).is_silent {
                facts.uses(slot).iter().for_each(|&reg| read(needed, uses, makers, &mut waiting, reg));
            }
        }
    }

    /// Registers that nothing mentions need no name.
    fn name_registers(&mut self, original: &Function, named_like: &[Reg]) {
        for (index, register) in self.function.registers.iter_mut().enumerate() {
            if self.uses[index] > 0 || self.defs[index] > 0 {
                register.name.clone_from(&original.registers[named_like[index].index()].name);
            }
        }
    }

    /// Leads jumps past blocks that do nothing; tells whether a branch became a jump.
    fn skip_empty_blocks(&mut self, facts: &mut Facts) -> bool {
        let mut leads_to: Vec<BlockId> = self.function.block_ids().collect();
        for &block in self.order.iter().rev() {
            if let TerminatorKind::Goto(target) = self.function.block(block).terminator.kind
                && facts.slots(block).0.all(|slot| !self.needed[slot] || facts.fact(slot).is_silent)
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
            if !is_jump && matches!(kind, TerminatorKind::Goto(_)) {
                facts.forget_terminator(block);
                is_changed = true;
            }
        }
        self.order = self.function.reverse_postorder();
        is_changed
    }

    /// Follows each value to its readers in its block, and each register that is read to who assigns it there.
    fn find_readers(&mut self, facts: &Facts) {
        let count = self.function.registers.len();
        self.is_local_to_blocks = vec![true; count];
        // From the end of a block: who reads each register before it is assigned again. The block tells whether an entry counts.
        let mut later: Vec<(Option<BlockId>, Readers)> = vec![(None, Readers::default()); count];
        let mut open: Vec<Reg> = Vec::new();
        for &block in &self.order {
            let (slots, terminator) = facts.slots(block);
            let first = slots.start;
            for slot in slots.chain([terminator]).rev() {
                if slot != terminator && !self.needed[slot] {
                    continue;
                }
                for reg in facts.defs(slot) {
                    let (of, found) = &mut later[reg.index()];
                    self.readers[slot] = if *of == Some(block) { *found } else { Readers::default() };
                    *of = None;
                }
                for &reg in facts.uses(slot) {
                    let (of, found) = &mut later[reg.index()];
                    let mut count = found.count;
                    if *of != Some(block) {
                        count = 0;
                        open.push(reg);
                    }
                    *of = Some(block);
                    let compares = facts.fact(slot).is_comparison;
                    *found = Readers { count: count.saturating_add(1), first: narrow(slot - first), compares };
                }
            }
            for reg in open.drain(..) {
                self.is_local_to_blocks[reg.index()] &= later[reg.index()].0 != Some(block);
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
    use norn_ir::instr::{Const, InstrKind, Operand};
    use norn_ir::types::Ty;

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

    #[test]
    fn values_are_known_where_all_ways_agree() {
        let text = "norn-ir 1\ntarget lp64\nentry f0\ntype t0 = i32 signed\nglobal g0 \"x\": t0\n\
                    function f0 \"main\" () {\nr0, r1, r3: i32\nr2: bool\n\
                    b0:\nr3 = load g0\nr2 = eq i32 r3, 0\nbranch r2, b1, b2\n\
                    b1:\nr0 = copy 1\nr1 = copy 5\ngoto b3\nb2:\nr0 = copy 2\nr1 = copy 5\ngoto b3\n\
                    b3:\nstore i32 g0, r0\nstore i32 g0, r1\nreturn\n}\n";
        let program = norn_ir::parse::parse(text).expect("the program should parse");
        let simplified = simplify(program.function(program.entry), program.target, false);
        let stored = |index: usize| match simplified.function.blocks[3].instrs[index].kind {
            InstrKind::Store { value, .. } => value,
            _ => panic!("a store"),
        };
        assert_eq!(stored(0), Operand::Reg(Reg::new(0)));
        assert_eq!(stored(1), Operand::Const(Const { ty: Ty::I32, bits: 5 }));
        assert_eq!(needed(&simplified, 1), [true, false]);
    }
}
