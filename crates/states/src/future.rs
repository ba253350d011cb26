//! Which memory a thread may still access from where it stands: computed for the whole program, before it runs.
//!
//! Places are coarse: each global object is one, everything else together is one more; where there are more than fit
//! into a set, several objects share one. Sets are closed under calls, and under the threads that a thread may create.
//! Where a pointer may be any number, it may point to every place.

use norn_engine::Prepared;
use norn_exec::memory::{Kind, Memory};
use norn_exec::op::Code;
use norn_exec::state::Thread;
use norn_exec::{Executor, Status};
use norn_ir::ids::{BlockId, FuncId, GlobalId};
use norn_ir::instr::{AllocKind, InstrKind, Operand, Property, TerminatorKind};
use norn_ir::number::narrow;
use norn_ir::program::{Global, Program, Storage};
use norn_passes::Site;
use norn_passes::points_to::{Object, PointsTo};
use norn_verdict::trace::ThreadIndex;
use std::cell::Cell;

/// The place of everything that is not a global object.
const ELSEWHERE: Places = Places(1);

/// A set of places.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Places(pub u128);

impl Places {
    const EVERYWHERE: Places = Places(u128::MAX);

    /// Where an object of the executor is: global objects are made first, in the order of their numbers.
    pub fn of_object(memory: &Memory, object: u32) -> Places {
        match memory.objects[object as usize].kind {
            Kind::Global | Kind::Constant => Places::of_global(object),
            Kind::Thread | Kind::Local | Kind::Heap | Kind::Stack => ELSEWHERE,
        }
    }

    /// Of a global object by its number among those that are not thread-local.
    fn of_global(number: u32) -> Places {
        Places(2 << (number % 127))
    }

    pub fn elsewhere() -> Places {
        ELSEWHERE
    }

    pub fn meets(self, other: Places) -> bool {
        self.0 & other.0 != 0
    }

    pub fn add(&mut self, other: Places) {
        self.0 |= other.0;
    }
}

/// Places that may be read and written, and what else may happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Future {
    pub reads: Places,
    pub writes: Places,
    pub spawns: bool,
    pub exits: bool,
}

impl Future {
    pub fn add(&mut self, other: &Future) {
        self.reads.add(other.reads);
        self.writes.add(other.writes);
        self.spawns |= other.spawns;
        self.exits |= other.exits;
    }
}

pub struct Futures {
    /// By function and block: from its beginning on.
    blocks: Vec<Vec<Future>>,
    /// By function and block: where its code begins.
    starts: Vec<Vec<u32>>,
    /// By position, as far as it has been asked for.
    at: Vec<Cell<Option<Future>>>,
    /// By function, block and instruction.
    effects: Vec<Vec<Vec<Effect>>>,
}

/// What an instruction may do.
#[derive(Clone, Debug)]
enum Effect {
    Nothing,
    /// The execution ends in a violation.
    Ends,
    Does(Future),
    /// With the functions that may run then.
    Calls(Vec<FuncId>, bool),
}

/// A larger program is not worth it.
const MOST_INSTRUCTIONS: usize = 1 << 20;

impl Futures {
    /// `None` if the program is too large.
    pub fn new(program: &Prepared, code: &Code) -> Option<Futures> {
        let instructions: usize = program.functions.iter().flat_map(|f| &f.blocks).map(|b| b.instrs.len() + 1).sum();
        if instructions > MOST_INSTRUCTIONS {
            return None;
        }
        let mut places = Vec::with_capacity(program.globals.len());
        let mut number = 0;
        for global in &program.globals {
            if global.storage == Storage::Thread {
                places.push(ELSEWHERE);
            } else {
                places.push(Places::of_global(number));
                number += 1;
            }
        }
        let maker = Maker { program, points_to: program.code().points_to(), places };
        let effects: Vec<Vec<Vec<Effect>>> =
            (0..program.functions.len()).map(|f| maker.function(FuncId::new(f))).collect();
        let mut starts = Vec::new();
        for (f, function) in program.functions.iter().enumerate() {
            let mut at = code.functions[f].start;
            let of_block = function.blocks.iter().map(|block| {
                let start = at;
                at += narrow(block.instrs.len()) + 1;
                start
            });
            starts.push(of_block.collect());
        }
        let empty = |f: &norn_ir::program::Function| vec![Future::default(); f.blocks.len()];
        let blocks = program.functions.iter().map(empty).collect();
        let at = vec![Cell::new(None); code.ops.len()];
        let mut futures = Futures { blocks, starts, at, effects };
        futures.iterate(program);
        Some(futures)
    }

    fn iterate(&mut self, program: &Program) {
        let mut changed = true;
        while changed {
            changed = false;
            for f in (0..program.functions.len()).rev() {
                for block in (0..program.functions[f].blocks.len()).rev() {
                    let future = self.from(program, f, block, 0);
                    if self.blocks[f][block] != future {
                        self.blocks[f][block] = future;
                        changed = true;
                    }
                }
            }
        }
    }

    /// From an instruction of a block on.
    fn from(&self, program: &Program, f: usize, block: usize, index: usize) -> Future {
        let mut future = Future::default();
        for effect in &self.effects[f][block][index..] {
            match effect {
                Effect::Nothing => {}
                Effect::Ends => return future,
                Effect::Does(what) => future.add(what),
                Effect::Calls(functions, spawn) => {
                    future.spawns |= spawn;
                    for function in functions {
                        future.add(&self.blocks[function.index()][0]);
                    }
                }
            }
        }
        for next in program.functions[f].blocks[block].terminator.kind.successors() {
            future.add(&self.blocks[f][next.index()]);
        }
        future
    }

    /// Whether some function may end the program.
    pub fn any_exits(&self) -> bool {
        self.blocks.iter().flatten().any(|future| future.exits)
    }

    /// What a thread may still do, with the commits of its buffer.
    pub fn ahead(&self, program: &Program, executor: &Executor<'_>, number: ThreadIndex) -> Future {
        let owner = executor.thread(executor.identity(number));
        let mut future = Future::default();
        if !matches!(owner.status, Status::Ended | Status::Stopped | Status::Circling) {
            self.of_thread(program, owner, &mut future);
        }
        for entry in &owner.buffer {
            future.writes.add(Places::of_object(executor.memory(), entry.object));
        }
        // Its commits will give memory back for others to allocate.
        if !owner.withheld.is_empty() {
            future.writes.add(Places::elsewhere());
        }
        future
    }

    /// Adds what the thread may still do, commits of its buffer not included.
    fn of_thread(&self, program: &Program, thread: &Thread, future: &mut Future) {
        for (depth, frame) in thread.frames.iter().enumerate() {
            let pc = thread.frames.get(depth + 1).map_or(thread.pc, |inner| inner.call + 1);
            let known = self.at[pc as usize].get();
            let from = known.unwrap_or_else(|| self.at_position(program, frame.function as usize, pc));
            self.at[pc as usize].set(Some(from));
            future.add(&from);
        }
    }

    fn at_position(&self, program: &Program, f: usize, pc: u32) -> Future {
        let block = self.starts[f].partition_point(|&start| start <= pc) - 1;
        let index = (pc - self.starts[f][block]) as usize;
        // Jumps that were added for loops come after all blocks; nobody stands there, but it must not matter.
        let known = index < self.effects[f][block].len();
        if known { self.from(program, f, block, index) } else { self.everything(f) }
    }

    fn everything(&self, f: usize) -> Future {
        let mut future = Future::default();
        self.blocks[f].iter().for_each(|block| future.add(block));
        future
    }
}

struct Maker<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    /// Of each global.
    places: Vec<Places>,
}

impl Maker<'_> {
    fn function(&self, f: FuncId) -> Vec<Vec<Effect>> {
        let function = self.program.function(f);
        let shares = function.locals.iter().any(|local| !local.private);
        let allocates = |kind: &InstrKind| matches!(kind, InstrKind::Alloc { .. });
        let shares = shares || function.blocks.iter().flat_map(|b| &b.instrs).any(|i| allocates(&i.kind));
        // A thread that ends takes its thread-local objects with it.
        let is_own = |global: &Global| global.storage == Storage::Thread && !global.private;
        let shares = shares || self.program.globals.iter().any(is_own);
        let mut blocks = Vec::with_capacity(function.blocks.len());
        for (b, block) in function.blocks.iter().enumerate() {
            let site = |index: usize| Site::new(f, BlockId::new(b), index);
            let mut effects: Vec<Effect> =
                block.instrs.iter().enumerate().map(|(i, instr)| self.instr(f, site(i), &instr.kind)).collect();
            effects.push(match block.terminator.kind {
                TerminatorKind::Exit(_) | TerminatorKind::Abort => {
                    Effect::Does(Future { exits: true, ..Future::default() })
                }
                // The objects of frames end.
                TerminatorKind::Return(_) | TerminatorKind::ThreadExit(_) if shares => self.writes_elsewhere(),
                TerminatorKind::ThreadExit(_) => self.writes_elsewhere(),
                _ => Effect::Nothing,
            });
            blocks.push(effects);
        }
        blocks
    }

    fn writes_elsewhere(&self) -> Effect {
        Effect::Does(Future { writes: ELSEWHERE, ..Future::default() })
    }

    fn instr(&self, f: FuncId, site: Site, kind: &InstrKind) -> Effect {
        match *kind {
            InstrKind::Load { addr, .. } | InstrKind::ObjectSize { addr, .. } => self.access(f, addr, false),
            InstrKind::Store { addr, .. }
            | InstrKind::Rmw { addr, .. }
            | InstrKind::CompareExchange { addr, .. }
            | InstrKind::Free { addr, .. } => self.access(f, addr, true),
            InstrKind::LocalExit(local) if !self.program.function(f).locals[local.index()].private => {
                self.writes_elsewhere()
            }
            // What it may give depends on what is freed and allocated.
            InstrKind::Alloc { kind: AllocKind::Heap, .. } if self.program.reuses_memory => self.writes_elsewhere(),
            InstrKind::Call { .. } => Effect::Calls(self.points_to.callees(site), false),
            InstrKind::Spawn { .. } => Effect::Calls(self.points_to.spawned(site), true),
            // A label is passed where nobody asks about it.
            InstrKind::Assert { cond: Operand::Const(constant), property, .. }
                if constant.bits == 0 && property != Property::ErrorLabel =>
            {
                Effect::Ends
            }
            InstrKind::Copy { .. }
            | InstrKind::Binary { .. }
            | InstrKind::Compare { .. }
            | InstrKind::Unary { .. }
            | InstrKind::Cast { .. }
            | InstrKind::Select { .. }
            | InstrKind::PtrAdd { .. }
            | InstrKind::PtrDiff { .. }
            | InstrKind::Fence(_)
            | InstrKind::SectionBegin(_)
            | InstrKind::SectionEnd
            | InstrKind::Await { .. }
            | InstrKind::Assume { .. }
            | InstrKind::Assert { .. }
            | InstrKind::Nondet { .. }
            | InstrKind::Join { .. }
            | InstrKind::ThreadSelf { .. }
            | InstrKind::LocalEnter(_)
            | InstrKind::LocalExit(_)
            | InstrKind::Alloc { .. }
            | InstrKind::Sync { .. }
            | InstrKind::Print { .. } => Effect::Nothing,
        }
    }

    fn access(&self, f: FuncId, addr: Operand, writes: bool) -> Effect {
        let mut places = Places::default();
        match addr {
            Operand::Global(global, _) => places.add(self.place(global)),
            Operand::Local(..) => places.add(ELSEWHERE),
            _ => {
                let targets = self.points_to.targets(f, addr);
                if targets.number {
                    places = Places::EVERYWHERE;
                }
                for object in targets.objects {
                    match object {
                        Object::Global(global) => places.add(self.place(global)),
                        Object::Local(..) | Object::Alloc(_) => places.add(ELSEWHERE),
                        Object::Function(_) => {}
                    }
                }
            }
        }
        let nothing = Future::default();
        Effect::Does(if writes { Future { writes: places, ..nothing } } else { Future { reads: places, ..nothing } })
    }

    fn place(&self, global: GlobalId) -> Places {
        self.places[global.index()]
    }
}
