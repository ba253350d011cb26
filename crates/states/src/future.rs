//! What a thread may still access from where it is, for the whole program and before it runs.
//!
//! Places are coarse: each global object is one, everything else together is one more. Sets are closed under calls, and
//! under the threads that a thread may create. Where a pointer may be any number, it may point to every place.

use norn_exec::op::Code;
use norn_exec::state::Thread;
use norn_ir::ids::{BlockId, FuncId, GlobalId};
use norn_ir::instr::{InstrKind, Operand, TerminatorKind};
use norn_ir::program::{Program, Storage};
use norn_passes::Site;
use norn_passes::points_to::{Object, PointsTo};

/// Everything that is no global object.
pub const ELSEWHERE: u32 = 0;

/// Places that may be read and written, and what else may happen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Future {
    pub reads: Vec<u64>,
    pub writes: Vec<u64>,
    pub spawns: bool,
    pub exits: bool,
}

impl Future {
    pub fn nothing(words: usize) -> Future {
        Future { reads: vec![0; words], writes: vec![0; words], spawns: false, exits: false }
    }

    pub fn clear(&mut self) {
        self.reads.fill(0);
        self.writes.fill(0);
        (self.spawns, self.exits) = (false, false);
    }

    pub fn add(&mut self, other: &Future) {
        self.reads.iter_mut().zip(&other.reads).for_each(|(word, more)| *word |= more);
        self.writes.iter_mut().zip(&other.writes).for_each(|(word, more)| *word |= more);
        self.spawns |= other.spawns;
        self.exits |= other.exits;
    }

    pub fn write(&mut self, place: u32) {
        self.writes[place as usize / 64] |= 1 << (place % 64);
    }

    pub fn may_read(&self, place: u32) -> bool {
        self.reads[place as usize / 64] >> (place % 64) & 1 != 0
    }

    pub fn may_write(&self, place: u32) -> bool {
        self.writes[place as usize / 64] >> (place % 64) & 1 != 0
    }
}

pub struct Futures {
    words: usize,
    /// By function and block: from its beginning on.
    blocks: Vec<Vec<Future>>,
    /// By function and block: where its code begins.
    starts: Vec<Vec<u32>>,
    /// By position, as far as it has been asked for.
    at: Vec<Option<Box<Future>>>,
    /// By number among the global objects that are not thread-local.
    places: u32,
    /// By function, block and instruction.
    effects: Vec<Vec<Vec<Effect>>>,
}

/// What an instruction may do.
#[derive(Clone, Debug)]
enum Effect {
    Nothing,
    /// The execution ends in a violation.
    Ends,
    Does(Box<Future>),
    /// With the functions that may run then.
    Calls(Vec<FuncId>, bool),
}

/// More words than this for one program are not worth it.
const MOST_WORDS: usize = 1 << 22;

impl Futures {
    /// `None` if the program is too large.
    pub fn new(program: &Program, code: &Code) -> Option<Futures> {
        let statics: Vec<bool> = program.globals.iter().map(|g| g.storage != Storage::Thread).collect();
        let places = statics.iter().filter(|&&is| is).count() as u32;
        let words = (places as usize + 1).div_ceil(64);
        let blocks: usize = program.functions.iter().map(|f| f.blocks.len()).sum();
        let instructions: usize = program.functions.iter().flat_map(|f| &f.blocks).map(|b| b.instrs.len() + 1).sum();
        if (blocks + instructions) * words > MOST_WORDS {
            return None;
        }
        let mut numbers = vec![ELSEWHERE; program.globals.len()];
        let mut next = 0;
        for (global, is_static) in statics.into_iter().enumerate() {
            if is_static {
                next += 1;
                numbers[global] = next;
            }
        }
        let points_to = PointsTo::new(program);
        let maker = Maker { program, points_to: &points_to, numbers, words, places };
        let effects: Vec<Vec<Vec<Effect>>> = (0..program.functions.len()).map(|f| maker.function(FuncId::new(f))).collect();
        let mut starts = Vec::new();
        for (f, function) in program.functions.iter().enumerate() {
            let mut at = code.functions[f].start;
            let of_block = function.blocks.iter().map(|block| {
                let start = at;
                at += block.instrs.len() as u32 + 1;
                start
            });
            starts.push(of_block.collect());
        }
        let empty = |f: &norn_ir::program::Function| vec![Future::nothing(words); f.blocks.len()];
        let blocks = program.functions.iter().map(empty).collect();
        let at = std::iter::repeat_with(|| None).take(code.ops.len()).collect();
        let mut futures = Futures { words, blocks, starts, at, places, effects };
        futures.iterate(program);
        Some(futures)
    }

    pub fn words(&self) -> usize {
        self.words
    }

    pub fn places(&self) -> u32 {
        self.places
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
        let mut future = Future::nothing(self.words);
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

    /// Adds what the thread may still do, commits of its buffer not included.
    pub fn of_thread(&mut self, program: &Program, thread: &Thread, future: &mut Future) {
        for (depth, frame) in thread.frames.iter().enumerate() {
            let pc = thread.frames.get(depth + 1).map_or(thread.pc, |inner| inner.call + 1);
            if self.at[pc as usize].is_none() {
                let f = frame.function as usize;
                let block = self.starts[f].partition_point(|&start| start <= pc) - 1;
                let index = (pc - self.starts[f][block]) as usize;
                // Jumps that were added for loops come after all blocks; nobody stands there, but it must not matter.
                let known = index < self.effects[f][block].len();
                let from = if known { self.from(program, f, block, index) } else { self.everything(f) };
                self.at[pc as usize] = Some(Box::new(from));
            }
            if let Some(from) = &self.at[pc as usize] {
                future.add(from);
            }
        }
    }

    fn everything(&self, f: usize) -> Future {
        let mut future = Future::nothing(self.words);
        self.blocks[f].iter().for_each(|block| future.add(block));
        future
    }
}

struct Maker<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    /// The place of each global.
    numbers: Vec<u32>,
    words: usize,
    places: u32,
}

impl Maker<'_> {
    fn function(&self, f: FuncId) -> Vec<Vec<Effect>> {
        let function = self.program.function(f);
        let shares = function.locals.iter().any(|local| !local.private);
        let allocates = |kind: &InstrKind| matches!(kind, InstrKind::Alloc { .. });
        let shares = shares || function.blocks.iter().flat_map(|b| &b.instrs).any(|i| allocates(&i.kind));
        let mut blocks = Vec::with_capacity(function.blocks.len());
        for (b, block) in function.blocks.iter().enumerate() {
            let site = |index: usize| Site::new(f, BlockId::new(b), index);
            let mut effects: Vec<Effect> =
                block.instrs.iter().enumerate().map(|(i, instr)| self.instr(f, site(i), &instr.kind)).collect();
            effects.push(match block.terminator.kind {
                TerminatorKind::Exit(_) | TerminatorKind::Abort => {
                    Effect::Does(Box::new(Future { exits: true, ..Future::nothing(self.words) }))
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
        let mut future = Future::nothing(self.words);
        future.write(ELSEWHERE);
        Effect::Does(Box::new(future))
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
            InstrKind::Call { .. } => Effect::Calls(self.points_to.callees(site), false),
            InstrKind::Spawn { .. } => Effect::Calls(self.points_to.spawned(site), true),
            InstrKind::Assert { cond: Operand::Const(constant), .. } if constant.bits == 0 => Effect::Ends,
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
        let mut future = Future::nothing(self.words);
        let set = if writes { &mut future.writes } else { &mut future.reads };
        let mut touch = |place: u32| set[place as usize / 64] |= 1 << (place % 64);
        match addr {
            Operand::Global(global, _) => touch(self.place(global)),
            Operand::Local(..) => touch(ELSEWHERE),
            _ => {
                let targets = self.points_to.targets(self.program, f, addr);
                if targets.number {
                    (0..=self.places).for_each(touch);
                } else {
                    for object in targets.objects {
                        match object {
                            Object::Global(global) => touch(self.place(global)),
                            Object::Local(..) | Object::Alloc(_) => touch(ELSEWHERE),
                            Object::Function(_) => {}
                        }
                    }
                }
            }
        }
        Effect::Does(Box::new(future))
    }

    fn place(&self, global: GlobalId) -> u32 {
        self.numbers[global.index()]
    }
}
