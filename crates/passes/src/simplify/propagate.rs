//! A copy of a function in which operands are replaced by what they are known to hold.

use super::evaluate::evaluate;
use super::facts::Facts;
use norn_ir::ids::{BlockId, Reg};
use norn_ir::instr::{Instr, InstrKind, Operand, Terminator, TerminatorKind};
use norn_ir::program::{Block, Function, Register};
use norn_ir::types::Target;

pub struct Propagated {
    /// Its registers have no names yet; blocks that cannot be reached have no instructions.
    pub function: Function,
    /// Of what can be reached.
    pub facts: Facts,
    /// By register: the one whose name it should have.
    pub named_like: Vec<Reg>,
}

/// Blocks should come before those that they jump to.
pub fn propagate(original: &Function, target: Target) -> Propagated {
    let count = original.registers.len();
    let mut values = Values {
        assigned: count_assignments(original),
        held: vec![None; count],
        varying: Vec::new(),
        varies: vec![false; count],
    };
    let arrivals = count_arrivals(original);
    let mut named_like: Vec<Reg> = (0..count).map(Reg::new).collect();
    let mut facts = Facts::new(original);
    let mut at_entry: Vec<Option<Entry>> = vec![None; original.blocks.len()];
    at_entry[Function::ENTRY.index()] = Some(Entry::Continues);
    let mut blocks = Vec::with_capacity(original.blocks.len());
    for (block, code) in original.block_ids().zip(&original.blocks) {
        // A block that no executable edge leads to is not looked at.
        let Some(entry) = at_entry[block.index()].take() else {
            let terminator = Terminator { kind: TerminatorKind::Unreachable, span: code.terminator.span };
            blocks.push(Block { instrs: Vec::new(), terminator });
            continue;
        };
        if let Entry::Known(known) = entry {
            known.into_iter().for_each(|(reg, value)| values.assign(reg, Some(value)));
        }
        let mut instrs = Vec::with_capacity(code.instrs.len());
        for (index, instr) in code.instrs.iter().enumerate() {
            let mut kind = instr.kind.clone();
            kind.map_operands(|operand| values.known(operand));
            facts.enter(block, index, &kind);
            // Copies are read where they come from if neither changes later.
            if let InstrKind::Copy { dst, src: Operand::Reg(src) } = kind
                && values.is_fixed(dst)
                && values.is_fixed(src)
            {
                values.assign(dst, Some(Operand::Reg(src)));
                // The name that the source has for the value.
                if original.registers[named_like[src.index()].index()].name.is_empty() {
                    named_like[src.index()] = named_like[dst.index()];
                }
            } else {
                let value = evaluate(&kind, |reg: Reg| original.ty(reg), target);
                kind.defs().for_each(|reg| values.assign(reg, value));
            }
            instrs.push(Instr { kind, span: instr.span });
        }
        let mut terminator = code.terminator.clone();
        terminator.kind.map_operands(|operand| values.known(operand));
        decide(&mut terminator.kind);
        facts.enter_terminator(block, instrs.len(), &terminator.kind);
        values.leave(block, &terminator.kind, &arrivals, &mut at_entry);
        blocks.push(Block { instrs, terminator });
    }
    let unnamed = |register: &Register| Register { ty: register.ty, name: String::new() };
    let function = Function {
        name: original.name.clone(),
        params: original.params.clone(),
        result: original.result,
        registers: original.registers.iter().map(unnamed).collect(),
        locals: original.locals.clone(),
        blocks,
        origin: original.origin,
        span: original.span,
    };
    Propagated { function, facts, named_like }
}

/// A branch whose way is known becomes a jump.
pub fn decide(kind: &mut TerminatorKind) {
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

fn count_assignments(function: &Function) -> Vec<Assigned> {
    let mut assigned = vec![Assigned::Never; function.registers.len()];
    let mut assign = |reg: Reg| {
        let assigned = &mut assigned[reg.index()];
        *assigned = if *assigned == Assigned::Never { Assigned::Once } else { Assigned::More };
    };
    function.params.iter().for_each(|&param| assign(param));
    let instrs = function.blocks.iter().flat_map(|block| &block.instrs);
    instrs.for_each(|instr| instr.kind.defs().for_each(&mut assign));
    assigned
}

/// By block: how many edges lead there.
fn count_arrivals(function: &Function) -> Vec<u32> {
    let mut arrivals = vec![0; function.blocks.len()];
    for block in &function.blocks {
        block.terminator.kind.successors().for_each(|next| arrivals[next.index()] += 1);
    }
    arrivals
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Assigned {
    Never,
    Once,
    More,
}

/// What registers with several assignments hold where a block begins.
#[derive(Clone)]
enum Entry {
    /// What they hold at the end of the block before it, from where alone it is reached.
    Continues,
    /// These; in no order.
    Known(Vec<(Reg, Operand)>),
}

/// What registers hold. Those with one assignment hold the same wherever they are read; the others depend on the point.
struct Values {
    assigned: Vec<Assigned>,
    held: Vec<Option<Operand>>,
    /// The registers with several assignments that may hold something here, each once.
    varying: Vec<Reg>,
    /// By register: whether it is one of them.
    varies: Vec<bool>,
}

impl Values {
    fn is_fixed(&self, reg: Reg) -> bool {
        self.assigned[reg.index()] == Assigned::Once
    }

    fn known(&self, operand: Operand) -> Operand {
        operand.reg().and_then(|reg| self.held[reg.index()]).unwrap_or(operand)
    }

    fn assign(&mut self, reg: Reg, value: Option<Operand>) {
        self.held[reg.index()] = value;
        if value.is_some() && !self.is_fixed(reg) && !std::mem::replace(&mut self.varies[reg.index()], true) {
            self.varying.push(reg);
        }
    }

    /// Takes what varies from a block to those that come next; what two do not agree on is not known there.
    fn leave(&mut self, from: BlockId, kind: &TerminatorKind, arrivals: &[u32], at_entry: &mut [Option<Entry>]) {
        let behind = from.index() + 1;
        let mut continues = false;
        for next in kind.successors().map(BlockId::index) {
            assert!(next >= behind, "blocks should come before those that they jump to");
            if next == behind && arrivals[next] == 1 {
                continues = true;
                at_entry[next] = Some(Entry::Continues);
            } else if let Some(Entry::Known(there)) = &mut at_entry[next] {
                there.retain(|&(reg, value)| self.held[reg.index()] == Some(value));
            } else {
                let known = self.varying.iter().filter_map(|&reg| Some((reg, self.held[reg.index()]?)));
                at_entry[next] = Some(Entry::Known(known.collect()));
            }
        }
        if !continues {
            for reg in self.varying.drain(..) {
                self.held[reg.index()] = None;
                self.varies[reg.index()] = false;
            }
        }
    }
}
