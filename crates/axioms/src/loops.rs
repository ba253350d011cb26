//! How far loops are followed: up to their bounds, and not through idle rounds.
//!
//! A round is idle if the thread comes back to the head of the loop with nothing changed: it has done nothing but read, its
//! own memory is as before, and no register holds another value that matters. The execution without that round is one, too,
//! with the same outcome, under a model that allows what loses reads ([`norn_cat::Model::ignores_lost_reads`]); and fences, which
//! some tables put around reads. Updates that write what was there may be part of it, too ([`crate::updates`]). Where the
//! model speaks of data races, that is so only if no access of the round can be part of one ([`crate::beside`]). If no read has decided that the thread came round, it goes round
//! for ever, and stops where others are concerned.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use norn_ir::ids::{FuncId, Reg};
use norn_ir::instr::Order;
use norn_ir::program::Function;
use norn_ir::span::Span;
use norn_passes::analysed::Analysed;
use norn_passes::loops::{LoopForest, LoopId, loops};
use norn_passes::points_to::Object;
use norn_passes::unwind::Bounds;

use crate::beside::{Beside, Does};
use crate::event::{Cell, Event, Kind};
use crate::memory::Content;
use crate::run::{Jump, Verdict, Watch, has_decided};
use crate::updates;
use crate::value::{ObjectId, ObjectKind, Value};

/// What is known of the loops of a program.
pub struct Loops<'p> {
    program: &'p Analysed,
    beside: OnceCell<Beside>,
    forests: RefCell<BTreeMap<FuncId, Rc<Shape>>>,
}

struct Shape {
    forest: LoopForest,
    /// Per block the registers that may be read before they are assigned.
    live: Vec<Vec<bool>>,
}

impl<'p> Loops<'p> {
    pub fn new(program: &'p Analysed) -> Loops<'p> {
        Loops { program, beside: OnceCell::new(), forests: RefCell::default() }
    }

    /// Whether an access may race with one of another thread.
    fn may_race(&self, jump: &Jump<'_>, cell: Option<Cell>, does: Does) -> bool {
        let Some(Cell::Memory { object, .. }) = cell else { return false };
        let beside = self.beside.get_or_init(|| Beside::new(self.program));
        let declared = match (jump.kind_of)(object) {
            Some(ObjectKind::Global(global) | ObjectKind::ThreadLocal(global)) => Object::Global(global),
            Some(ObjectKind::Local { function, local }) => Object::Local(function, local),
            Some(ObjectKind::Heap { site, .. } | ObjectKind::Stack { site, .. }) => Object::Alloc(site),
            None => return true,
        };
        beside.may_race(does, declared)
    }

    fn shape(&self, function: FuncId) -> Rc<Shape> {
        let make = || {
            let code = self.program.function(function);
            Rc::new(Shape { forest: loops(code), live: live(code) })
        };
        Rc::clone(self.forests.borrow_mut().entry(function).or_insert_with(make))
    }
}

fn live(function: &Function) -> Vec<Vec<bool>> {
    let none = vec![false; function.registers.len()];
    let mut live = vec![none.clone(); function.blocks.len()];
    loop {
        let mut grew = false;
        for (index, block) in function.blocks.iter().enumerate().rev() {
            let mut after = none.clone();
            for next in block.terminator.kind.successors() {
                after.iter_mut().zip(&live[next.index()]).for_each(|(all, &one)| *all |= one);
            }
            let uses = |after: &mut Vec<bool>, reg: Reg| after[reg.index()] = true;
            block.terminator.kind.for_each_use(|reg| uses(&mut after, reg));
            for instr in block.instrs.iter().rev() {
                instr.kind.defs().for_each(|reg| after[reg.index()] = false);
                instr.kind.for_each_use(|reg| uses(&mut after, reg));
            }
            grew |= after != live[index];
            live[index] = after;
        }
        if !grew {
            return live;
        }
    }
}

/// Where loops were met: place and bound, and whether the bound was reached.
pub type Met = Rc<RefCell<BTreeMap<(Span, u32), bool>>>;

/// What is asked of loops.
#[derive(Clone)]
pub struct Policy<'w> {
    pub bounds: &'w Bounds,
    /// Whether rounds that only read may be left out.
    pub skips_idle: bool,
    /// Whether these may have fences, too.
    pub skips_fences: bool,
    /// Whether these may have updates that write what was there.
    pub skips_updates: bool,
    /// Whether plain reads may be part of a data race.
    pub races: bool,
    pub met: Met,
}

/// Follows the loops of one run.
pub struct LoopWatch<'w> {
    loops: Rc<Loops<'w>>,
    policy: Policy<'w>,
    /// By frame and loop.
    rounds: BTreeMap<(usize, LoopId), Rounds>,
}

struct Rounds {
    taken: u32,
    last: Snapshot,
}

struct Snapshot {
    /// With how often they were assigned.
    registers: Vec<(Value, u32)>,
    private: BTreeMap<ObjectId, Content>,
    /// Events that are more than waiting, and reads that may race.
    others: usize,
    /// All events.
    events: usize,
}

impl<'w> LoopWatch<'w> {
    pub fn new(loops: Rc<Loops<'w>>, policy: Policy<'w>) -> LoopWatch<'w> {
        LoopWatch { loops, policy, rounds: BTreeMap::new() }
    }

    fn snapshot(&self, jump: &Jump<'_>, live: &[bool]) -> Snapshot {
        let all = jump.frame.registers.iter().copied().zip(jump.frame.assigned.iter().copied());
        let registers = all.zip(live).filter(|(_, live)| **live).map(|(register, _)| register);
        let Policy { races, skips_fences, skips_updates, .. } = self.policy;
        let may_race = |event: &Event, does: Does| races && self.loops.may_race(jump, event.cell, does);
        let waits = |index: usize, write: &Event| {
            let read = jump.amo.iter().find(|pair| pair.1 == index).map(|pair| &jump.events[pair.0]);
            read.is_some_and(|read| updates::waits(jump.thread, jump.answers, read, write))
        };
        let counts = |&(index, event): &(usize, &Event)| match event.kind {
            Kind::Read if event.order == Order::Plain => may_race(event, Does::LoadsPlainly),
            Kind::Read => may_race(event, Does::Loads),
            Kind::Fence => !skips_fences,
            Kind::Write => !(skips_updates && waits(index, event)) || may_race(event, Does::Stores),
        };
        Snapshot {
            registers: registers.collect(),
            private: jump.private.clone(),
            others: jump.events.iter().enumerate().filter(counts).count(),
            events: jump.events.len(),
        }
    }
}

impl Snapshot {
    fn is_like(&self, other: &Snapshot) -> bool {
        // What is not known is the same if it is what it was.
        let same = |((a, before), (b, after)): (&(Value, u32), &(Value, u32))| {
            a.bits == b.bits && a.object == b.object && (a.bits.is_some() || before == after)
        };
        self.others == other.others
            && self.registers.iter().zip(&other.registers).all(same)
            && self.private.len() == other.private.len()
            && self.private.iter().zip(&other.private).all(|((a, x), (b, y))| a == b && x.is_like(y))
    }
}

impl Watch for LoopWatch<'_> {
    fn jump(&mut self, jump: &Jump<'_>) -> Verdict {
        let function = jump.frame.function;
        let shape = self.loops.shape(function);
        let Some(id) = shape.forest.innermost(jump.target) else { return Verdict::Go };
        let target = shape.forest.get(id);
        if target.header != jump.target {
            return Verdict::Go;
        }
        let now = self.snapshot(jump, &shape.live[jump.target.index()]);
        let key = (jump.frame.number, id);
        if shape.forest.back_edge(jump.frame.block, jump.target).is_none() {
            self.rounds.insert(key, Rounds { taken: 0, last: now });
            return Verdict::Go;
        }
        let program = self.loops.program;
        let bound = self.policy.bounds.of(program, target.span, program.function(function).origin);
        let Some(rounds) = self.rounds.get_mut(&key) else {
            // The loop was entered beside its header.
            self.rounds.insert(key, Rounds { taken: 1, last: now });
            return Verdict::Go;
        };
        if rounds.last.is_like(&now) {
            let from = rounds.last.events;
            if from == now.events {
                return Verdict::Circles;
            }
            if self.policy.skips_idle {
                let decided = has_decided(jump.events, from, jump.control);
                return if decided { Verdict::Idle } else { Verdict::Circles };
            }
        }
        rounds.taken += 1;
        rounds.last = now;
        let is_cut = rounds.taken > bound;
        *self.policy.met.borrow_mut().entry((target.span, bound)).or_default() |= is_cut;
        if is_cut { Verdict::Cut } else { Verdict::Go }
    }
}
