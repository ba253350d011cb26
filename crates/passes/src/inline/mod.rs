//! Inlines the calls of unrolled functions into the start function of a thread.
//!
//! Each call gets a copy of the callee with registers and local objects of its own. A return becomes: the copy of its
//! value, the end of the scopes that are open there, the release of what `Alloc` with [`AllocKind::Stack`] made, a jump
//! behind the call. An indirect call compares the pointer with the functions that it may point to; if it is none of
//! them, or one that cannot be called so, Norn cannot say what happens.
//!
//! Callees are expanded one by one, each completely before its caller goes on, on an explicit stack; code that is only
//! reached through a cut or a call that does not return is left out.

mod frame;

use norn_ir::number::narrow;
use std::rc::Rc;

use norn_ir::ids::{BlockId, FuncId, Reg};
use norn_ir::instr::{AllocKind, Callee, CompareOp, Const, Instr, InstrKind, Operand, Terminator, TerminatorKind};
use norn_ir::program::{Block, Function, Program, Register};
use norn_ir::span::Span;
use norn_ir::types::Ty;

use frame::{Advance, After, Call, Frame, Position, Storage, Waiting};

use crate::Site;
use crate::loops::{LoopForest, loops};
use crate::points_to::PointsTo;
use crate::unroll::{CopyOf, TooMany, Unrolled, topological_order, unroll};
use crate::unwind::{
    BlockOrigin, Bounds, Context, ContextId, Cut, CutCause, FunctionOrigins, Iterations, TooLarge, TooLargeCause,
};

/// Room for so many copies of each function is made at once: memory that is never written to costs nothing, and lists
/// that grow are copied. Not more than this is made for one thread, of which there may be many.
const EXPECTED_COPIES: usize = 8;
const MOST_EXPECTED: usize = 1 << 16;

fn expected(count: usize) -> usize {
    count.saturating_mul(EXPECTED_COPIES).min(MOST_EXPECTED)
}

/// How many registers and local objects may be declared per instruction that is allowed.
const DECLARED_PER_INSTRUCTION: usize = 4;

pub(crate) struct Inliner<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    bounds: &'a Bounds,
    unrolled: Vec<Option<Rc<Source>>>,
    contexts: Vec<Context>,
    /// The counts of the loops around blocks of unrolled functions.
    iterations: Vec<u32>,
    cuts: Vec<Cut>,
    /// How many the functions of the program have, all together.
    blocks: usize,
    registers: usize,
    /// Instructions made so far, in all and by the function that they come from.
    size: usize,
    size_of: Vec<usize>,
}

/// An unrolled function.
struct Source {
    unrolled: Unrolled,
    forest: LoopForest,
    /// By block.
    iterations: Vec<Iterations>,
    /// How often it makes stack memory.
    stack_allocations: usize,
}

impl<'a> Inliner<'a> {
    pub fn new(program: &'a Program, points_to: &'a PointsTo, bounds: &'a Bounds) -> Inliner<'a> {
        let count = program.functions.len();
        Inliner {
            program,
            points_to,
            bounds,
            unrolled: (0..count).map(|_| None).collect(),
            contexts: Vec::new(),
            iterations: Vec::new(),
            cuts: Vec::new(),
            blocks: program.functions.iter().map(|function| function.blocks.len()).sum(),
            registers: program.functions.iter().map(|function| function.registers.len()).sum(),
            size: 0,
            size_of: vec![0; count],
        }
    }

    /// The bounded form of a function that threads start with.
    pub fn build(&mut self, root: FuncId) -> Result<(Function, FunctionOrigins), TooLarge> {
        let original = self.program.function(root);
        let mut build = Build {
            function: Function {
                name: original.name.clone(),
                params: original.params.clone(),
                result: original.result,
                registers: Vec::with_capacity(expected(self.registers)),
                locals: Vec::new(),
                blocks: Vec::with_capacity(expected(self.blocks)),
                origin: original.origin,
                span: original.span,
            },
            origins: FunctionOrigins {
                blocks: Vec::with_capacity(expected(self.blocks)),
                indices: Vec::with_capacity(expected(self.blocks)),
            },
            cuts: Vec::new(),
            root,
            args: Vec::new(),
            spare: Vec::new(),
            inliner: self,
        };
        let start = build.add_block();
        let storage = build.add_storage(root)?;
        let mut stack = vec![build.frame(root, None, None, start, storage)?];
        while let Some(frame) = stack.last_mut() {
            match build.advance(frame)? {
                Advance::Call(callee) => stack.push(callee),
                Advance::More => {}
                Advance::Done => {
                    let returned = frame.returned;
                    if let Some(Frame { blocks, .. }) = stack.pop() {
                        build.spare.push(blocks);
                    }
                    if let Some(caller) = stack.last_mut() {
                        caller.callee_returned |= returned;
                    }
                }
            }
        }
        Ok(build.finish())
    }

    /// The contexts, the counts of iterations, and the cuts.
    pub fn finish(self) -> (Vec<Context>, Vec<u32>, Vec<Cut>) {
        (self.contexts, self.iterations, self.cuts)
    }

    fn unroll(&mut self, id: FuncId, root: FuncId) -> Result<Rc<Source>, TooLarge> {
        if let Some(known) = &self.unrolled[id.index()] {
            return Ok(Rc::clone(known));
        }
        let function = self.program.function(id);
        let forest = loops(function);
        let bound = |l| self.bounds.of(self.program, forest.get(l).span, function.origin);
        match unroll(function, &forest, bound, self.bounds.max_instructions) {
            Ok(unrolled) => {
                let iterations =
                    unrolled.copies.iter().map(|copy| add_iterations(&mut self.iterations, copy)).collect();
                let instrs = unrolled.blocks.iter().flat_map(|block| &block.instrs);
                let is_stack = |instr: &&Instr| matches!(instr.kind, InstrKind::Alloc { kind: AllocKind::Stack, .. });
                let stack_allocations = instrs.filter(is_stack).count();
                let source = Rc::new(Source { unrolled, forest, iterations, stack_allocations });
                self.unrolled[id.index()] = Some(Rc::clone(&source));
                Ok(source)
            }
            Err(TooMany(Some(l))) => {
                let (cause, span) = (TooLargeCause::Loop(id, l), forest.get(l).span);
                Err(TooLarge { limit: self.bounds.max_instructions, root, cause, span })
            }
            Err(TooMany(None)) => Err(self.too_large(root, id)),
        }
    }

    fn too_large(&self, root: FuncId, function: FuncId) -> TooLarge {
        let span = self.program.function(function).span;
        TooLarge { limit: self.bounds.max_instructions, root, cause: TooLargeCause::Function(function), span }
    }

    /// How often the function is active in a chain of calls.
    fn active(&self, function: FuncId, mut context: ContextId) -> u32 {
        let mut count = 0;
        loop {
            let Context { function: f, caller } = &self.contexts[context.0 as usize];
            count += u32::from(*f == function);
            match caller {
                Some((parent, ..)) => context = *parent,
                None => return count,
            }
        }
    }
}

fn add_iterations(all: &mut Vec<u32>, copy: &CopyOf) -> Iterations {
    let first = narrow(all.len());
    all.extend_from_slice(&copy.iterations);
    Iterations { first, count: narrow(copy.iterations.len()) }
}

/// A function under construction.
struct Build<'i, 'a> {
    inliner: &'i mut Inliner<'a>,
    root: FuncId,
    function: Function,
    origins: FunctionOrigins,
    cuts: Vec<Cut>,
    /// Room for the arguments of a call.
    args: Vec<Operand>,
    /// What frames that are done had for their blocks.
    spare: Vec<Vec<Option<BlockId>>>,
}

impl Build<'_, '_> {
    fn add_block(&mut self) -> BlockId {
        let terminator = Terminator { kind: TerminatorKind::Unreachable, span: Span::NONE };
        self.function.blocks.push(Block { instrs: Vec::new(), terminator });
        let (context, block, iterations) = (ContextId(0), BlockId(0), Iterations::default());
        self.origins.blocks.push(BlockOrigin { context, block, iterations, first_index: 0 });
        BlockId::new(self.function.blocks.len() - 1)
    }

    fn frame(
        &mut self,
        id: FuncId,
        caller: Option<(ContextId, Site, Iterations)>,
        call: Option<Call>,
        start: BlockId,
        storage: Storage,
    ) -> Result<Frame, TooLarge> {
        let source = self.inliner.unroll(id, self.root)?;
        let context = ContextId::new(self.inliner.contexts.len());
        self.inliner.contexts.push(Context { function: id, caller });
        let mut blocks = self.spare.pop().unwrap_or_default();
        blocks.clear();
        blocks.resize(source.unrolled.blocks.len(), None);
        blocks[0] = Some(start);
        let mut frame = Frame {
            id,
            source,
            context,
            storage,
            in_section: call.is_some_and(|call| call.in_section),
            after: call.map(|call| call.after),
            stack_memory: Vec::new(),
            stack_used: 0,
            blocks,
            next_block: 0,
            at: None,
            waiting: Vec::new(),
            callee_returned: false,
            returned: false,
        };
        if frame.after.is_some() {
            self.prepare_stack_memory(&mut frame);
        }
        Ok(frame)
    }

    fn add_storage(&mut self, id: FuncId) -> Result<Storage, TooLarge> {
        let original = self.inliner.program.function(id);
        let storage = Storage {
            first_reg: narrow(self.function.registers.len()),
            first_local: narrow(self.function.locals.len()),
        };
        self.function.registers.extend(original.registers.iter().cloned());
        self.function.locals.extend(original.locals.iter().cloned());
        // A copy may end after few instructions; what it declares takes room all the same.
        let declared = self.function.registers.len() + self.function.locals.len();
        if declared / DECLARED_PER_INSTRUCTION > self.inliner.bounds.max_instructions {
            return Err(self.inliner.too_large(self.root, id));
        }
        Ok(storage)
    }

    fn prepare_stack_memory(&mut self, frame: &mut Frame) {
        for _ in 0..frame.source.stack_allocations {
            let reg = self.add_register(Ty::Ptr);
            frame.stack_memory.push(reg);
        }
    }

    fn add_register(&mut self, ty: Ty) -> Reg {
        self.function.registers.push(Register { ty, name: String::new() });
        Reg::new(self.function.registers.len() - 1)
    }

    /// Goes on with a frame until something is left to others or its current block ends.
    fn advance(&mut self, frame: &mut Frame) -> Result<Advance, TooLarge> {
        if let Some(Waiting { callee, call, start, storage }) = frame.waiting.pop() {
            let at = frame.at.as_ref().expect("a call should have a place");
            let site = Site::new(frame.id, frame.copy_of(at.source).block, at.index - 1);
            let caller = (frame.context, site, frame.source.iterations[at.source]);
            return Ok(Advance::Call(self.frame(callee, Some(caller), Some(call), start, storage)?));
        }
        if let Some(at) = &mut frame.at
            && let Some(behind) = at.call.take()
        {
            let returned = std::mem::take(&mut frame.callee_returned);
            if returned {
                at.to = behind;
                let (source, to) = (at.source, at.to);
                self.describe(frame, source, to);
            } else {
                frame.at = None;
            }
        }
        if frame.at.is_none() {
            let Some(position) = self.next_block(frame) else { return Ok(Advance::Done) };
            frame.at = Some(position);
        }
        self.copy_block(frame)?;
        Ok(Advance::More)
    }

    fn next_block(&mut self, frame: &mut Frame) -> Option<Position> {
        while frame.next_block < frame.blocks.len() {
            let source = frame.next_block;
            frame.next_block += 1;
            let Some(to) = frame.blocks[source] else { continue };
            self.describe(frame, source, to);
            let copy = frame.copy_of(source);
            let in_section = frame.in_section || copy.in_section;
            if let Some(l) = copy.cut {
                let cause = CutCause::Loop(frame.id, l);
                let span = frame.source.forest.get(l).span;
                self.cut(frame.id, to, cause, span);
            }
            return Some(Position { source, index: 0, to, in_section, call: None });
        }
        None
    }

    fn cut(&mut self, id: FuncId, block: BlockId, cause: CutCause, span: Span) {
        let inliner = &*self.inliner;
        let bound = inliner.bounds.of(inliner.program, span, inliner.program.function(id).origin);
        self.cuts.push(Cut { function: self.root, block, cause, bound, span });
    }

    /// Records where the new block `to` comes from.
    fn describe(&mut self, frame: &Frame, source: usize, to: BlockId) {
        let (context, block, iterations) =
            (frame.context, frame.copy_of(source).block, frame.source.iterations[source]);
        self.origins.blocks[to.index()] = BlockOrigin { context, block, iterations, first_index: 0 };
    }

    /// Copies instructions up to the next call or the end of the block.
    fn copy_block(&mut self, frame: &mut Frame) -> Result<(), TooLarge> {
        let Some(Position { source, mut index, to, mut in_section, .. }) = frame.at.take() else { return Ok(()) };
        if source == 0 && index == 0 {
            for &reg in &frame.stack_memory {
                let src = Operand::Const(Const::NULL);
                self.emit(frame, to, 0, InstrKind::Copy { dst: reg, src }, Span::NONE)?;
            }
        }
        let code = Rc::clone(&frame.source);
        let code = &code.unrolled.blocks[source];
        self.function.blocks[to.index()].instrs.reserve_exact(emitted_until_call(&code.instrs[index..]));
        while let Some(instr) = code.instrs.get(index) {
            let span = instr.span;
            if let InstrKind::Call { dst, callee, args } = &instr.kind {
                let (dst, callee) = (dst.map(|dst| frame.storage.reg(dst)), frame.storage.callee(*callee));
                let mut renamed = std::mem::take(&mut self.args);
                renamed.clear();
                renamed.extend(args.iter().map(|&arg| frame.storage.operand(arg)));
                let behind = self.add_block();
                let call = Call { after: After { dst, block: behind }, in_section };
                frame.at = Some(Position { source, index: index + 1, to, in_section, call: Some(behind) });
                let called = self.call(frame, to, call, callee, &renamed, span);
                self.args = renamed;
                return called;
            }
            let mut kind = instr.kind.clone();
            frame.storage.rename(&mut kind);
            if frame.in_section && is_unfit_for_section(&kind) {
                let reason = "a section, spawn or join in a function called inside an atomic section";
                let kind = TerminatorKind::Unsupported(reason.to_owned());
                return self.end(frame, to, index, Terminator { kind, span });
            }
            match kind {
                InstrKind::SectionBegin(_) => in_section = true,
                InstrKind::SectionEnd => in_section = false,
                _ => {}
            }
            let freed = match kind {
                InstrKind::Free { kind: AllocKind::Stack, addr } => Some(addr),
                _ => None,
            };
            let made = match kind {
                InstrKind::Alloc { kind: AllocKind::Stack, dst, .. } => Some(dst),
                _ => None,
            };
            self.emit(frame, to, index, kind, span)?;
            if let Some(dst) = made
                && let Some(&reg) = frame.stack_memory.get(frame.stack_used)
            {
                frame.stack_used += 1;
                self.emit(frame, to, index, InstrKind::Copy { dst: reg, src: Operand::Reg(dst) }, span)?;
            }
            if let Some(addr) = freed {
                self.forget_stack_memory(frame, to, index, addr, span)?;
            }
            index += 1;
        }
        self.copy_terminator(frame, source, &code.terminator, index, to)
    }

    /// What was released must not be released again by the return.
    fn forget_stack_memory(
        &mut self,
        frame: &Frame,
        to: BlockId,
        index: usize,
        addr: Operand,
        span: Span,
    ) -> Result<(), TooLarge> {
        for &reg in &frame.stack_memory {
            let same = self.add_register(Ty::Bool);
            let (lhs, otherwise) = (addr, Operand::Reg(reg));
            let compare = InstrKind::Compare { dst: same, op: CompareOp::Eq, ty: Ty::Ptr, lhs, rhs: otherwise };
            self.emit(frame, to, index, compare, span)?;
            let (cond, then) = (Operand::Reg(same), Operand::Const(Const::NULL));
            self.emit(frame, to, index, InstrKind::Select { dst: reg, cond, then, otherwise }, span)?;
        }
        Ok(())
    }

    fn copy_terminator(
        &mut self,
        frame: &mut Frame,
        source: usize,
        terminator: &Terminator,
        index: usize,
        to: BlockId,
    ) -> Result<(), TooLarge> {
        let mut terminator = terminator.clone();
        terminator.kind.map_operands(|operand| frame.storage.operand(operand));
        let span = terminator.span;
        match (&terminator.kind, frame.after) {
            (TerminatorKind::Return(value), Some(after)) => {
                frame.returned = true;
                if let (Some(dst), Some(src)) = (after.dst, *value) {
                    self.emit(frame, to, index, InstrKind::Copy { dst, src }, span)?;
                }
                for &local in &frame.copy_of(source).open_at_end {
                    let kind = InstrKind::LocalExit(frame.storage.local(local));
                    self.emit(frame, to, index, kind, span)?;
                }
                for &reg in &frame.stack_memory {
                    let kind = InstrKind::Free { addr: Operand::Reg(reg), kind: AllocKind::Stack };
                    self.emit(frame, to, index, kind, span)?;
                }
                terminator.kind = TerminatorKind::Goto(after.block);
            }
            (TerminatorKind::ThreadExit(_), _) if frame.in_section => {
                let reason = "the end of the thread in a function called inside an atomic section";
                terminator.kind = TerminatorKind::Unsupported(reason.to_owned());
            }
            _ => terminator.kind.map_successors(|next| match frame.blocks[next.index()] {
                Some(known) => known,
                None => {
                    let new = self.add_block();
                    frame.blocks[next.index()] = Some(new);
                    new
                }
            }),
        }
        self.end(frame, to, index, terminator)
    }

    /// Ends the block `to` with the call; its callees wait for their turn.
    fn call(
        &mut self,
        frame: &mut Frame,
        to: BlockId,
        call: Call,
        callee: Callee,
        args: &[Operand],
        span: Span,
    ) -> Result<(), TooLarge> {
        let Some(&Position { source, index, .. }) = frame.at.as_ref() else { return Ok(()) };
        let index = index - 1;
        let pointer = match callee {
            Callee::Direct(target) => return self.enter(frame, to, call, target, args, index, span),
            Callee::Indirect(pointer) => pointer,
        };
        let site = Site::new(frame.id, frame.copy_of(source).block, index);
        let mut to = to;
        for target in self.inliner.points_to.callees(site) {
            if !self.can_call(target, call.after.dst, args) {
                continue;
            }
            let same = self.add_register(Ty::Bool);
            let rhs = Operand::Func(target);
            let compare = InstrKind::Compare { dst: same, op: CompareOp::Eq, ty: Ty::Ptr, lhs: pointer, rhs };
            self.emit(frame, to, index, compare, span)?;
            let enter = self.add_block();
            self.describe(frame, source, enter);
            let next = self.add_block();
            let cond = Operand::Reg(same);
            let kind = TerminatorKind::Branch { cond, then: enter, otherwise: next };
            self.end(frame, to, index, Terminator { kind, span })?;
            self.describe(frame, source, next);
            to = next;
            self.enter(frame, enter, call, target, args, index, span)?;
        }
        // Whether there is a function at all is asked by what is left of the call.
        let rest = InstrKind::Call { dst: None, callee, args: Vec::new() };
        self.emit(frame, to, index, rest, span)?;
        let reason = "a call through a pointer to no function that could be called so";
        let kind = TerminatorKind::Unsupported(reason.to_owned());
        self.end(frame, to, index, Terminator { kind, span })?;
        // The callees wait on a stack: the first comes last.
        frame.waiting.reverse();
        Ok(())
    }

    /// Ends the block `to` by passing the arguments and jumping to a copy of the callee, or by a cut.
    #[expect(clippy::too_many_arguments, reason = "the parts of one call")]
    fn enter(
        &mut self,
        frame: &mut Frame,
        to: BlockId,
        call: Call,
        callee: FuncId,
        args: &[Operand],
        index: usize,
        span: Span,
    ) -> Result<(), TooLarge> {
        let body = self.inliner.program.function(callee);
        let bound = self.inliner.bounds.of(self.inliner.program, body.span, body.origin);
        if self.inliner.active(callee, frame.context) > bound {
            self.cut(callee, to, CutCause::Recursion(callee), body.span);
            return self.end(frame, to, index, Terminator { kind: TerminatorKind::Stop, span });
        }
        let start = self.add_block();
        let storage = self.add_storage(callee)?;
        frame.waiting.push(Waiting { callee, call, start, storage });
        for (&param, &src) in body.params.iter().zip(args) {
            let dst = storage.reg(param);
            self.emit(frame, to, index, InstrKind::Copy { dst, src }, span)?;
        }
        self.end(frame, to, index, Terminator { kind: TerminatorKind::Goto(start), span })
    }

    /// Whether a call through a pointer passes what the function takes and takes what it returns.
    fn can_call(&self, function: FuncId, dst: Option<Reg>, args: &[Operand]) -> bool {
        let body = self.inliner.program.function(function);
        let takes = body.params.iter().map(|&param| body.ty(param));
        let passes = args.iter().map(|&arg| self.function.operand_ty(arg));
        takes.eq(passes) && dst.is_none_or(|dst| body.result == Some(self.function.ty(dst)))
    }

    fn emit(&mut self, frame: &Frame, to: BlockId, index: usize, kind: InstrKind, span: Span) -> Result<(), TooLarge> {
        self.function.blocks[to.index()].instrs.push(Instr { kind, span });
        self.count(frame, index)
    }

    fn end(&mut self, frame: &Frame, to: BlockId, index: usize, terminator: Terminator) -> Result<(), TooLarge> {
        let block = &mut self.function.blocks[to.index()];
        block.terminator = terminator;
        // A block is filled without a break, so that its indices are the last.
        self.origins.blocks[to.index()].first_index = narrow(self.origins.indices.len() - block.instrs.len());
        self.count(frame, index)
    }

    fn count(&mut self, frame: &Frame, index: usize) -> Result<(), TooLarge> {
        self.origins.indices.push(narrow(index));
        let inliner = &mut *self.inliner;
        inliner.size += 1;
        inliner.size_of[frame.id.index()] += 1;
        if inliner.size <= inliner.bounds.max_instructions {
            return Ok(());
        }
        let sizes = &inliner.size_of;
        let largest = (0..sizes.len()).max_by_key(|&f| (sizes[f], std::cmp::Reverse(f))).map(FuncId::new);
        Err(inliner.too_large(self.root, largest.unwrap_or(self.root)))
    }

    /// Sorts the blocks so that control only moves forward.
    fn finish(self) -> (Function, FunctionOrigins) {
        let Build { inliner, mut function, mut origins, cuts, .. } = self;
        let order = topological_order(&function.blocks);
        let mut position = vec![None; function.blocks.len()];
        for (new, old) in order.iter().enumerate() {
            position[old.index()] = Some(BlockId::new(new));
        }
        // What control does not reach goes behind the rest, and away.
        let mut behind = order.len()..;
        let mut places: Vec<usize> =
            position.iter().filter_map(|at| at.map(BlockId::index).or_else(|| behind.next())).collect();
        for at in 0..places.len() {
            while places[at] != at {
                let to = places[at];
                places.swap(at, to);
                function.blocks.swap(at, to);
                origins.blocks.swap(at, to);
            }
        }
        function.blocks.truncate(order.len());
        origins.blocks.truncate(order.len());
        for block in &mut function.blocks {
            block.terminator.kind.map_successors(|to| position[to.index()].unwrap_or(to));
        }
        let reached = |cut: Cut| position[cut.block.index()].map(|block| Cut { block, ..cut });
        inliner.cuts.extend(cuts.into_iter().filter_map(reached));
        (function, origins)
    }
}

/// How many instructions are made of these without a break, if calls are direct.
fn emitted_until_call(instrs: &[Instr]) -> usize {
    let mut count = 0;
    for instr in instrs {
        match &instr.kind {
            InstrKind::Call { args, .. } => return count + args.len(),
            _ => count += 1,
        }
    }
    count
}

fn is_unfit_for_section(kind: &InstrKind) -> bool {
    matches!(kind, InstrKind::SectionBegin(_) | InstrKind::Spawn { .. } | InstrKind::Join { .. })
}
