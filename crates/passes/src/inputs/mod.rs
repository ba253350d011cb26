//! Nondeterministic values of which only a few matter.
//!
//! An input is followed from where it is taken, along every path, through copies, casts, comparisons with constants,
//! calls and (from a function that only fetches it, such as `rand`) returns. Conditions split the inputs into sets. Where
//! a path comes to a use that could tell every value from every other, all that are left in its set matter; where it
//! ends without one, any one of them will do; where the thread is stopped by an assumption before anything visible
//! has happened or could go wrong, none: the thread might as well not have come so far. Of a value that is only looked at as `x % n` or
//! `x & n`, with a small constant, one input per result matters. If that makes few inputs, exploring just these finds
//! every violation and every final state.
//!
//! Each execution takes one path from an input, so it is enough that on this path an input is like one that is tried.
//!
//! Left out: values that are stored or computed with before they are constrained; inputs that are compared with one
//! another or with anything that is not a constant; recursion and long ways (a limit on the steps that are followed).

mod form;
mod set;
mod walk;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use norn_ir::ids::{BlockId, FuncId, Reg};
use norn_ir::instr::{Callee, InstrKind, NondetSource, Operand};
use norn_ir::program::Program;
use norn_ir::types::Ty;

use crate::Site;

/// As many values as are worth trying one after the other.
pub const MOST_VALUES: usize = 64;

/// For the `Nondet` instructions of integers that need only a few values, these values, ascending. Those that are not
/// named have too many, or are truth values, which have two.
pub fn small_domains(program: &Program) -> BTreeMap<Site, Vec<u64>> {
    let mut found = BTreeMap::new();
    let sites = Sites::new(program);
    for (f, function) in program.functions.iter().enumerate() {
        for (b, block) in function.blocks.iter().enumerate() {
            for (i, instr) in block.instrs.iter().enumerate() {
                let InstrKind::Nondet { dst, source: NondetSource::Input(_) } = &instr.kind else { continue };
                if !matches!(function.ty(*dst), Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64) {
                    continue;
                }
                let site = Site::new(FuncId::new(f), BlockId::new(b), i);
                if let Some(values) = walk::domain(program, &sites, site, *dst) {
                    found.insert(site, values);
                }
            }
        }
    }
    found
}

/// Who calls whom, and who reads and assigns what.
struct Sites {
    /// Of each function the direct calls; `None` if it may be called in other ways.
    callers: Vec<Option<Vec<Site>>>,
    accesses: Vec<OnceCell<Accesses>>,
    /// The blocks where a register may still be read before it is assigned.
    live: RefCell<BTreeMap<(FuncId, Reg), BTreeSet<BlockId>>>,
}

struct Accesses {
    /// Of each register, in order, and whether it is a read.
    registers: Vec<Vec<(Site, bool)>>,
    predecessors: Vec<Vec<BlockId>>,
}

impl Accesses {
    fn new(program: &Program, id: FuncId) -> Accesses {
        let function = program.function(id);
        let mut registers = vec![Vec::new(); function.registers.len()];
        for (b, block) in function.blocks.iter().enumerate() {
            for (i, instr) in block.instrs.iter().enumerate() {
                let site = Site::new(id, BlockId::new(b), i);
                instr.kind.for_each_use(|reg| registers[reg.index()].push((site, true)));
                instr.kind.defs().for_each(|reg| registers[reg.index()].push((site, false)));
            }
            let site = Site::new(id, BlockId::new(b), block.instrs.len());
            block.terminator.kind.for_each_use(|reg| registers[reg.index()].push((site, true)));
        }
        Accesses { registers, predecessors: function.predecessors() }
    }
}

impl Sites {
    fn new(program: &Program) -> Sites {
        let mut callers = vec![Some(Vec::new()); program.functions.len()];
        callers[program.entry.index()] = None;
        for (f, function) in program.functions.iter().enumerate() {
            for (b, block) in function.blocks.iter().enumerate() {
                let mut other = |operand: Operand| {
                    if let Operand::Func(id) = operand {
                        callers[id.index()] = None;
                    }
                };
                block.instrs.iter().for_each(|instr| instr.kind.for_each_operand(&mut other));
                block.terminator.kind.for_each_operand(&mut other);
                for (i, instr) in block.instrs.iter().enumerate() {
                    if let InstrKind::Call { callee: Callee::Direct(id), .. } = instr.kind
                        && let Some(callers) = &mut callers[id.index()]
                    {
                        callers.push(Site::new(FuncId::new(f), BlockId::new(b), i));
                    }
                }
            }
        }
        for global in &program.globals {
            for init in &global.init {
                if let norn_ir::program::InitValue::Func(id) = init.value {
                    callers[id.index()] = None;
                }
            }
        }
        let accesses = program.functions.iter().map(|_| OnceCell::new()).collect();
        Sites { callers, accesses, live: RefCell::default() }
    }

    fn accesses(&self, program: &Program, function: FuncId) -> &Accesses {
        self.accesses[function.index()].get_or_init(|| Accesses::new(program, function))
    }

    /// Whether a register may be read from the given instruction of a block on, before it is assigned.
    fn is_read_from(&self, program: &Program, function: FuncId, (block, index): (BlockId, usize), reg: Reg) -> bool {
        let accesses = &self.accesses(program, function).registers[reg.index()];
        let start = accesses.partition_point(|access| (access.0.block, access.0.index as usize) < (block, index));
        match accesses.get(start).filter(|access| access.0.block == block) {
            Some(&(_, reads)) => reads,
            None => {
                let mut successors = program.function(function).block(block).terminator.kind.successors();
                successors.any(|next| self.is_live(program, function, next, reg))
            }
        }
    }

    /// Whether a register may be read after the beginning of a block, before it is assigned.
    fn is_live(&self, program: &Program, function: FuncId, block: BlockId, reg: Reg) -> bool {
        let mut known = self.live.borrow_mut();
        let live = known.entry((function, reg)).or_insert_with(|| {
            let Accesses { registers, predecessors } = self.accesses(program, function);
            let mut live = BTreeSet::new();
            let mut assigning = BTreeSet::new();
            let mut last = None;
            for &(site, reads) in &registers[reg.index()] {
                if last != Some(site.block) && reads {
                    live.insert(site.block);
                }
                if !reads {
                    assigning.insert(site.block);
                }
                last = Some(site.block);
            }
            let mut work: Vec<BlockId> = live.iter().copied().collect();
            while let Some(block) = work.pop() {
                for &before in &predecessors[block.index()] {
                    if !assigning.contains(&before) && live.insert(before) {
                        work.push(before);
                    }
                }
            }
            live
        });
        live.contains(&block)
    }
}
