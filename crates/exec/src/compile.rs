//! From the IR to its dense form.
//!
//! With bounds, the edges of the control-flow graph that enter a loop or jump back in it carry operations that count:
//! all back edges of a loop share one count per entry, as in [`norn_passes::unwind`].

use crate::op::{Call, Code, Cut, Function, LocalInfo, NONE, Op, Scalar, Src, Switch, Target};
use norn_ir::address::function_address;
use norn_ir::ids::{BlockId, FuncId, GlobalId};
use norn_ir::instr::{AllocKind, Callee, InstrKind, NondetSource, Operand, Property, TerminatorKind};
use norn_ir::number::{narrow, narrow_to};
use norn_ir::program::{Function as IrFunction, Program, Storage};
use norn_ir::span::Span;
use norn_ir::types::{Target as DataModel, Ty};
use norn_passes::Site;
use norn_passes::leftover::leftover;
use norn_passes::loops::{LoopForest, loops};
use norn_passes::unwind::{Bounds, CutCause};
use norn_verdict::outcome::ViolationKind;

/// `program` should be valid. Without bounds loops and recursion are followed for ever.
pub fn compile(program: &Program, bounds: Option<&Bounds>) -> Code {
    let mut numbers = Vec::with_capacity(program.globals.len());
    let (mut shared, mut own) = (0, 0);
    for global in &program.globals {
        let count = if global.storage == Storage::Thread { &mut own } else { &mut shared };
        numbers.push(*count);
        *count += 1;
    }
    let leftover = leftover(program);
    let wakes = waking(program);
    let mut compiler = Compiler { program, bounds, numbers, leftover, wakes, code: Code::default() };
    for id in (0..program.functions.len()).map(FuncId::new) {
        compiler.function(id);
    }
    compiler.code.entry = program.entry.0;
    compiler.code
}

/// By function: a thread may wake up spuriously in it, or in what it calls.
fn waking(program: &Program) -> Vec<bool> {
    let mut wakes = vec![false; program.functions.len()];
    loop {
        let may_wake = |kind: &InstrKind| match kind {
            InstrKind::Await { spurious, .. } => *spurious,
            InstrKind::Call { callee: Callee::Direct(callee), .. } => wakes[callee.index()],
            InstrKind::Call { callee: Callee::Indirect(_), .. } => true,
            _ => false,
        };
        let found = |function: &IrFunction| function.blocks.iter().flat_map(|b| &b.instrs).any(|i| may_wake(&i.kind));
        let next: Vec<bool> = program.functions.iter().map(found).collect();
        if next == wakes {
            return wakes;
        }
        wakes = next;
    }
}

pub fn scalar(ty: Ty, target: DataModel) -> Scalar {
    Scalar { ty, width: narrow_to(ty.bits(target)), size: narrow_to(ty.size(target)) }
}

struct Compiler<'a> {
    program: &'a Program,
    bounds: Option<&'a Bounds>,
    /// By global: its number among the globals of the same storage.
    numbers: Vec<u32>,
    /// By function and local.
    leftover: Vec<Vec<bool>>,
    /// By function: a thread may wake up spuriously in it.
    wakes: Vec<bool>,
    code: Code,
}

impl Compiler<'_> {
    fn scalar(&self, ty: Ty) -> Scalar {
        scalar(ty, self.program.target)
    }

    fn push(&mut self, op: Op, span: Span) {
        self.code.ops.push(op);
        self.code.spans.push(span);
    }

    fn here(&self) -> u32 {
        narrow(self.code.ops.len())
    }

    fn function(&mut self, id: FuncId) {
        let program = self.program;
        let function = program.function(id);
        let forest = self.bounds.map(|_| loops(function));
        let recursion = self.bounds.map(|bounds| {
            let bound = bounds.of(program, function.span, function.origin);
            (bound, self.cut(Cut { cause: CutCause::Recursion(id), bound, span: function.span }))
        });
        let local = |(number, local): (usize, &norn_ir::program::Local)| {
            let ty = program.ty(local.ty);
            let dangles = self.leftover[id.index()][number];
            LocalInfo { size: ty.size, align: ty.align, private: local.private, dangles }
        };
        let compiled = Function {
            id,
            start: self.here(),
            params: function.params.iter().map(|&param| (param.0, self.scalar(function.ty(param)))).collect(),
            result: function.result,
            register_types: function.registers.iter().map(|register| self.scalar(register.ty)).collect(),
            locals: function.locals.iter().enumerate().map(local).collect(),
            loops: forest.as_ref().map_or(0, |forest| narrow(forest.loops.len())),
            origin: function.origin,
            recursion,
        };
        self.code.functions.push(compiled);
        let mut starts = Vec::with_capacity(function.blocks.len());
        let first = self.here();
        for block in &function.blocks {
            starts.push(self.here());
            for (index, instr) in block.instrs.iter().enumerate() {
                let site = Site::new(id, BlockId::new(starts.len() - 1), index);
                match instr.kind {
                    InstrKind::Nondet { .. } => self.code.inputs.push((self.here(), site)),
                    InstrKind::Alloc { .. } => self.code.allocations.push((self.here(), site)),
                    _ => {}
                }
                let op = self.instr(function, &instr.kind);
                self.push(op, instr.span);
            }
            self.terminator(&block.terminator.kind, block.terminator.span);
        }
        self.link(id, function, &starts, first, forest.as_ref());
        self.mark_sections(first);
    }

    /// Jumps name blocks so far: now they get their targets, by way of the operations that count the loops.
    fn link(&mut self, id: FuncId, function: &IrFunction, starts: &[u32], first: u32, forest: Option<&LoopForest>) {
        let end = self.here();
        let mut block = 0;
        for at in first..end {
            while block + 1 < starts.len() && starts[block + 1] <= at {
                block += 1;
            }
            let from = BlockId::new(block);
            let span = self.code.spans[at as usize];
            let op = self.code.ops[at as usize];
            let edge = |this: &mut Self, to: u32| this.edge(id, function, forest, (from, BlockId(to)), starts, span);
            let linked = match op {
                Op::Jump(to) => match (edge(self, to), to as usize <= block) {
                    (target, true) => Op::JumpBack(target),
                    (target, false) => Op::Jump(target),
                },
                // A branch backwards goes by way of a jump, so that the jump can be noticed.
                Op::Branch { cond, then, otherwise } => {
                    let way = |this: &mut Self, to: u32| {
                        let target = edge(this, to);
                        this.noticed(target, to as usize <= block, span)
                    };
                    Op::Branch { cond, then: way(self, then), otherwise: way(self, otherwise) }
                }
                Op::Switch { table, .. } => {
                    let mut switch = self.code.switches[table as usize].clone();
                    for target in switch.cases.iter_mut().map(|case| &mut case.1).chain([&mut switch.default]) {
                        let to = *target;
                        let linked = edge(self, to);
                        *target = self.noticed(linked, to as usize <= block, span);
                    }
                    switch.cases.sort_unstable();
                    self.code.switches[table as usize] = switch;
                    op
                }
                op => op,
            };
            self.code.ops[at as usize] = linked;
        }
    }

    fn noticed(&mut self, target: u32, back: bool, span: Span) -> u32 {
        if !back {
            return target;
        }
        self.push(Op::JumpBack(target), span);
        self.here() - 1
    }

    /// Where to go to get from one block to another.
    fn edge(
        &mut self,
        id: FuncId,
        function: &IrFunction,
        forest: Option<&LoopForest>,
        (from, to): (BlockId, BlockId),
        starts: &[u32],
        span: Span,
    ) -> u32 {
        let target = starts[to.index()];
        let (Some(forest), Some(bounds)) = (forest, self.bounds) else { return target };
        let start = self.here();
        if let Some(repeated) = forest.back_edge(from, to) {
            let place = forest.get(repeated).span;
            let bound = bounds.of(self.program, place, function.origin);
            let cut = self.cut(Cut { cause: CutCause::Loop(id, repeated), bound, span: place });
            self.push(Op::LoopRepeats { number: repeated.0, bound, cut }, span);
        }
        let entered: Vec<u32> =
            forest.around(to).filter(|&l| !forest.around(from).any(|around| around == l)).map(|l| l.0).collect();
        for number in entered {
            self.push(Op::LoopEnters(number), span);
        }
        if self.here() == start {
            return target;
        }
        self.push(Op::Jump(target), span);
        start
    }

    fn cut(&mut self, cut: Cut) -> u32 {
        let known = self.code.cuts.iter().position(|c| *c == cut);
        narrow(known.unwrap_or_else(|| {
            self.code.cuts.push(cut);
            self.code.cuts.len() - 1
        }))
    }

    /// Which sections may turn out not to be enabled, and in which a thread may wake up spuriously. A call could block.
    fn mark_sections(&mut self, first: u32) {
        for at in first..self.here() {
            if !matches!(self.code.ops[at as usize], Op::SectionBegin { .. }) {
                continue;
            }
            let mut seen = std::collections::BTreeSet::new();
            let mut work = vec![at + 1];
            let (mut blocks, mut wakes) = (false, false);
            while let Some(at) = work.pop() {
                if !seen.insert(at) {
                    continue;
                }
                match self.code.ops[at as usize] {
                    Op::SectionEnd
                    | Op::Return(_)
                    | Op::ThreadExit(_)
                    | Op::Exit(_)
                    | Op::Abort
                    | Op::Unsupported(_) => {}
                    Op::Await { spurious, .. } => {
                        (blocks, wakes) = (true, wakes || spurious);
                        work.push(at + 1);
                    }
                    Op::Call(call) => {
                        let callee = self.code.calls[call as usize].callee;
                        blocks = true;
                        wakes |= !matches!(callee, Target::Direct(callee) if !self.wakes[callee as usize]);
                        work.push(at + 1);
                    }
                    Op::Assume { .. } => {
                        blocks = true;
                        work.push(at + 1);
                    }
                    Op::Stop => blocks = true,
                    // A section that never ends is not enabled.
                    Op::JumpBack(_) => blocks = true,
                    Op::Jump(to) => work.push(to),
                    Op::Branch { then, otherwise, .. } => work.extend([then, otherwise]),
                    Op::Switch { table, .. } => {
                        let switch = &self.code.switches[table as usize];
                        work.extend(switch.cases.iter().map(|case| case.1).chain([switch.default]));
                    }
                    _ => work.push(at + 1),
                }
            }
            if let Op::SectionBegin { may_block, may_wake, .. } = &mut self.code.ops[at as usize] {
                (*may_block, *may_wake) = (blocks, wakes);
            }
        }
    }

    fn src(&mut self, operand: Operand) -> Src {
        match operand {
            Operand::Reg(reg) => Src::Reg(reg.0),
            Operand::Const(constant) => Src::Imm(constant.bits),
            Operand::Func(function) => Src::Imm(function_address(function)),
            Operand::Local(local, offset) => {
                self.code.local_pointers.push((local.0, offset));
                Src::Local(narrow(self.code.local_pointers.len() - 1))
            }
            Operand::Global(global, offset) => self.global(global, offset),
        }
    }

    fn global(&mut self, global: GlobalId, offset: i64) -> Src {
        let entry = (self.numbers[global.index()], offset);
        if self.program.global(global).storage == Storage::Thread {
            self.code.thread_pointers.push(entry);
            return Src::ThreadPointer(narrow(self.code.thread_pointers.len() - 1));
        }
        self.code.pointers.push(entry);
        Src::Pointer(narrow(self.code.pointers.len() - 1))
    }

    fn call(&mut self, function: &IrFunction, dst: u32, callee: Callee, args: &[Operand]) -> u32 {
        let callee = match callee {
            Callee::Direct(id) => Target::Direct(id.0),
            Callee::Indirect(operand) => Target::Indirect(self.src(operand)),
        };
        let args = args.iter().map(|&arg| (self.src(arg), function.operand_ty(arg))).collect();
        self.code.calls.push(Call { dst, callee, args });
        narrow(self.code.calls.len() - 1)
    }

    fn instr(&mut self, function: &IrFunction, kind: &InstrKind) -> Op {
        let register = |this: &Self, reg: norn_ir::ids::Reg| this.scalar(function.ty(reg));
        match *kind {
            InstrKind::Copy { dst, src } => Op::Copy { dst: dst.0, src: self.src(src) },
            InstrKind::Binary { dst, op, lhs, rhs } => {
                Op::Binary { dst: dst.0, op, ty: register(self, dst), lhs: self.src(lhs), rhs: self.src(rhs) }
            }
            InstrKind::Compare { dst, op, ty, lhs, rhs } => {
                Op::Compare { dst: dst.0, op, ty: self.scalar(ty), lhs: self.src(lhs), rhs: self.src(rhs) }
            }
            InstrKind::Unary { dst, op, src } => {
                Op::Unary { dst: dst.0, op, ty: register(self, dst), src: self.src(src) }
            }
            InstrKind::Cast { dst, op, from, src } => {
                Op::Cast { dst: dst.0, op, from: self.scalar(from), to: register(self, dst), src: self.src(src) }
            }
            InstrKind::Select { dst, cond, then, otherwise } => {
                let otherwise = self.src(otherwise);
                self.code.selects.push(otherwise);
                let at = narrow(self.code.selects.len() - 1);
                Op::Select { dst: dst.0, cond: self.src(cond), then: self.src(then), otherwise: at }
            }
            InstrKind::PtrAdd { dst, base, index, scale } => {
                self.code.scales.push(scale);
                let scale = narrow(self.code.scales.len() - 1);
                Op::PtrAdd { dst: dst.0, base: self.src(base), index: self.src(index), scale }
            }
            InstrKind::PtrDiff { dst, lhs, rhs } => Op::PtrDiff { dst: dst.0, lhs: self.src(lhs), rhs: self.src(rhs) },
            InstrKind::Load { dst, addr, access } => {
                Op::Load { dst: dst.0, ty: register(self, dst), order: access.order, addr: self.src(addr) }
            }
            InstrKind::Store { ty, addr, value, access } => {
                Op::Store { ty: self.scalar(ty), order: access.order, addr: self.src(addr), value: self.src(value) }
            }
            InstrKind::Rmw { dst, op, addr, value, order } => {
                let (addr, value) = (self.src(addr), self.src(value));
                Op::Rmw { dst: dst.0, op, ty: register(self, dst), order, addr, value }
            }
            InstrKind::CompareExchange { dst, success, addr, expected, desired, order, failure } => {
                let desired = self.src(desired);
                self.code.exchanges.push((success.0, desired, order, failure));
                Op::CompareExchange {
                    dst: dst.0,
                    ty: register(self, dst),
                    addr: self.src(addr),
                    expected: self.src(expected),
                    more: narrow(self.code.exchanges.len() - 1),
                }
            }
            InstrKind::Fence(kind) => Op::Fence(kind),
            InstrKind::SectionBegin(kind) => Op::SectionBegin { kind, may_block: true, may_wake: true },
            InstrKind::SectionEnd => Op::SectionEnd,
            InstrKind::Await { cond, spurious } => Op::Await { cond: self.src(cond), spurious },
            InstrKind::Assume { cond } => Op::Assume { cond: self.src(cond) },
            InstrKind::Assert { cond, property, ref message } => {
                let kind = match property {
                    Property::Assertion => ViolationKind::Assertion,
                    Property::ErrorCall => ViolationKind::ErrorCall,
                    Property::ErrorLabel => ViolationKind::ErrorLabel,
                    Property::Misuse => ViolationKind::Misuse,
                };
                self.code.messages.push((kind, message.clone()));
                Op::Assert { cond: self.src(cond), message: narrow(self.code.messages.len() - 1) }
            }
            InstrKind::Nondet { dst, ref source } => {
                Op::Nondet { dst: dst.0, ty: register(self, dst), source: self.source(source.clone()) }
            }
            InstrKind::Call { dst, callee, ref args } => {
                Op::Call(self.call(function, dst.map_or(NONE, |dst| dst.0), callee, args))
            }
            InstrKind::Spawn { dst, start, ref args } => {
                Op::Spawn(self.call(function, dst.0, Callee::Indirect(start), args))
            }
            InstrKind::Join { dst, thread } => {
                Op::Join { dst: dst.map_or(NONE, |dst| dst.0), thread: self.src(thread) }
            }
            InstrKind::ThreadSelf { dst } => Op::ThreadSelf { dst: dst.0 },
            InstrKind::LocalEnter(local) => Op::LocalEnter(local.0),
            InstrKind::LocalExit(local) => Op::LocalExit(local.0),
            InstrKind::Alloc { dst, size, align, zeroed, kind, private, .. } => {
                let (size, align, heap) = (self.src(size), self.src(align), kind == AllocKind::Heap);
                Op::Alloc { dst: dst.0, size, align, zeroed, heap, private }
            }
            InstrKind::Free { addr, kind } => Op::Free { addr: self.src(addr), heap: kind == AllocKind::Heap },
            InstrKind::ObjectSize { dst, addr } => Op::ObjectSize { dst: dst.0, addr: self.src(addr) },
            InstrKind::Sync { kind, addr } => Op::Sync { kind, addr: self.src(addr) },
            InstrKind::Print { .. } => Op::Nothing,
        }
    }

    fn source(&mut self, source: NondetSource) -> u32 {
        self.code.sources.push(source);
        narrow(self.code.sources.len() - 1)
    }

    fn terminator(&mut self, kind: &TerminatorKind, span: Span) {
        let op = match *kind {
            TerminatorKind::Goto(target) => Op::Jump(target.0),
            TerminatorKind::Branch { cond, then, otherwise } => {
                Op::Branch { cond: self.src(cond), then: then.0, otherwise: otherwise.0 }
            }
            TerminatorKind::Switch { value, ref cases, default, .. } => {
                let cases = cases.iter().map(|&(value, target)| (value, target.0)).collect();
                self.code.switches.push(Switch { cases, default: default.0 });
                Op::Switch { value: self.src(value), table: narrow(self.code.switches.len() - 1) }
            }
            TerminatorKind::Return(value) => Op::Return(value.map(|value| self.src(value))),
            TerminatorKind::ThreadExit(value) => Op::ThreadExit(self.src(value)),
            TerminatorKind::Exit(status) => Op::Exit(self.src(status)),
            TerminatorKind::Abort => Op::Abort,
            TerminatorKind::Stop => Op::Stop,
            TerminatorKind::Unreachable => {
                self.unsupported("a point was reached that the front end took for unreachable".to_owned())
            }
            TerminatorKind::Unsupported(ref reason) => self.unsupported(reason.clone()),
        };
        self.push(op, span);
    }

    fn unsupported(&mut self, reason: String) -> Op {
        self.code.reasons.push(reason);
        Op::Unsupported(narrow(self.code.reasons.len() - 1))
    }
}
