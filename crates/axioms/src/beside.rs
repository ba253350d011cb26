//! What the program may access while several threads run.
//!
//! Under a model that speaks of data races a round of a loop that only waits must not be left out if it may be one side of a
//! race: that is so if some thread may access the same object at the same time, one of the two plainly. What is done before the first
//! thread is created comes before everything else, and counts for nothing.

use std::collections::BTreeSet;

use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{InstrKind, Operand, Order};
use norn_ir::program::Program;
use norn_passes::Site;
use norn_passes::analysed::Analysed;
use norn_passes::points_to::{Object, PointsTo};

/// The objects that may be accessed while several threads run, as the analysis of pointers knows them.
#[derive(Default, Debug)]
pub struct Beside {
    /// By plain stores.
    stored: Objects,
    /// By plain loads.
    loaded: Objects,
    /// By all that writes.
    written: Objects,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Does {
    LoadsPlainly,
    Loads,
    Stores,
}

#[derive(Default, Debug)]
struct Objects {
    known: BTreeSet<Object>,
    /// A pointer may be any number.
    any: bool,
}

/// How much of a function may run while there are several threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    Nothing,
    /// What comes after the creation of a thread.
    AfterCreation,
    Everything,
}

impl Beside {
    pub fn new(code: &Analysed) -> Beside {
        let points_to = code.points_to();
        let mut finder = Finder {
            program: code,
            points_to,
            creates: creators(code, points_to),
            parts: vec![Part::Nothing; code.functions.len()],
            beside: Beside::default(),
        };
        finder.note(code.entry, Part::AfterCreation);
        finder.find();
        finder.beside
    }

    /// Whether somebody may access the object so that it races with an access that does this.
    pub fn may_race(&self, does: Does, object: Object) -> bool {
        match does {
            Does::LoadsPlainly => self.written.may_have(object),
            Does::Loads => self.stored.may_have(object),
            Does::Stores => self.stored.may_have(object) || self.loaded.may_have(object),
        }
    }
}

impl Objects {
    fn may_have(&self, object: Object) -> bool {
        self.any || self.known.contains(&object)
    }
}

/// By function: it may create a thread, itself or by what it calls.
fn creators(program: &Program, points_to: &PointsTo) -> Vec<bool> {
    let sites = points_to.call_sites();
    let mut creates = vec![false; program.functions.len()];
    loop {
        let mut changed = false;
        for (site, spawn, targets) in &sites {
            if *spawn || targets.iter().any(|target| creates[target.index()]) {
                changed |= !std::mem::replace(&mut creates[site.function.index()], true);
            }
        }
        if !changed {
            return creates;
        }
    }
}

struct Finder<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    creates: Vec<bool>,
    parts: Vec<Part>,
    beside: Beside,
}

impl Finder<'_> {
    fn note(&mut self, function: FuncId, part: Part) -> bool {
        let known = &mut self.parts[function.index()];
        let grows = *known < part;
        *known = part.max(*known);
        grows
    }

    fn find(&mut self) {
        loop {
            let mut changed = false;
            for index in 0..self.parts.len() {
                if self.parts[index] != Part::Nothing {
                    changed |= self.function(FuncId::new(index), self.parts[index]);
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Whether more of some function may run beside others than was known.
    fn function(&mut self, id: FuncId, part: Part) -> bool {
        let after = match part {
            Part::Everything => vec![true; self.program.function(id).blocks.len()],
            Part::Nothing | Part::AfterCreation => self.after_creation(id),
        };
        let mut changed = false;
        let program = self.program;
        for block in program.function(id).block_ids() {
            let mut is_after = after[block.index()];
            for (index, instr) in program.function(id).block(block).instrs.iter().enumerate() {
                let site = Site::new(id, block, index);
                match instr.kind {
                    InstrKind::Spawn { .. } => {
                        is_after = true;
                        for start in self.points_to.spawned(site) {
                            changed |= self.note(start, Part::Everything);
                        }
                    }
                    InstrKind::Call { .. } => {
                        let part = if is_after { Part::Everything } else { Part::AfterCreation };
                        for callee in self.points_to.callees(site) {
                            changed |= self.note(callee, part);
                            is_after |= self.creates[callee.index()];
                        }
                    }
                    InstrKind::Store { addr, access, .. } if is_after => {
                        self.access(id, addr, |beside| &mut beside.written);
                        if access.order == Order::Plain {
                            self.access(id, addr, |beside| &mut beside.stored);
                        }
                    }
                    InstrKind::Rmw { addr, .. } | InstrKind::CompareExchange { addr, .. } if is_after => {
                        self.access(id, addr, |beside| &mut beside.written);
                    }
                    InstrKind::Load { addr, access, .. } if is_after && access.order == Order::Plain => {
                        self.access(id, addr, |beside| &mut beside.loaded);
                    }
                    _ => {}
                }
            }
        }
        changed
    }

    fn access(&mut self, function: FuncId, addr: Operand, how: fn(&mut Beside) -> &mut Objects) {
        let targets = self.points_to.targets(function, addr);
        let objects = how(&mut self.beside);
        objects.any |= targets.number;
        objects.known.extend(targets.objects);
    }

    /// By block of a function: whether a thread may have been created by it before.
    fn after_creation(&self, id: FuncId) -> Vec<bool> {
        let function = self.program.function(id);
        let creates = |block: BlockId| {
            function.block(block).instrs.iter().enumerate().any(|(index, instr)| match instr.kind {
                InstrKind::Spawn { .. } => true,
                InstrKind::Call { .. } => {
                    let callees = self.points_to.callees(Site::new(id, block, index));
                    callees.iter().any(|callee| self.creates[callee.index()])
                }
                _ => false,
            })
        };
        let mut after = vec![false; function.blocks.len()];
        let mut pending: Vec<BlockId> = Vec::new();
        let leave = |block: BlockId, pending: &mut Vec<BlockId>| {
            pending.extend(function.block(block).terminator.kind.successors());
        };
        function.block_ids().filter(|&block| creates(block)).for_each(|block| leave(block, &mut pending));
        while let Some(block) = pending.pop() {
            if !std::mem::replace(&mut after[block.index()], true) {
                leave(block, &mut pending);
            }
        }
        after
    }
}
