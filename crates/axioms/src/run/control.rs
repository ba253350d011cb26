//! Jumps, calls, threads and ends.

use norn_ir::address::function_at;
use norn_ir::ids::{BlockId, FuncId, Reg};
use norn_ir::instr::{Callee, Operand, TerminatorKind};
use norn_ir::types::Ty;
use norn_verdict::outcome::ViolationKind;
use norn_verdict::undecided::{Undecided, Why};

use super::{DEEPEST_CALLS, Done, Frame, Jump, Run, Verdict, info_of};
use crate::event::{Cell, End, EventId, Spawn};
use crate::value::{ObjectId, Value};

impl Run<'_, '_> {
    /// Whether the thread has ended.
    pub(super) fn terminator(&mut self, kind: &TerminatorKind) -> Done<bool> {
        match *kind {
            TerminatorKind::Goto(target) => self.jump(target)?,
            TerminatorKind::Branch { cond, then, otherwise } => {
                let cond = self.value(cond);
                let target = if self.decided(cond)? != 0 { then } else { otherwise };
                self.jump(target)?;
            }
            TerminatorKind::Switch { value, ref cases, default, .. } => {
                let value = self.value(value);
                let bits = self.decided(value)?;
                let case = cases.iter().find(|case| case.0 == bits);
                self.jump(case.map_or(default, |case| case.1))?;
            }
            TerminatorKind::Return(value) => {
                let value = value.map(|value| self.value(value));
                return self.ret(value);
            }
            TerminatorKind::ThreadExit(value) => {
                let value = self.value(value);
                self.end_thread(value)?;
                return Ok(true);
            }
            TerminatorKind::Exit(_) | TerminatorKind::Abort | TerminatorKind::Stop => return Err(End::Stopped),
            TerminatorKind::Unreachable => {
                return Err(self.doubt("a point was reached that the front end took for unreachable"));
            }
            TerminatorKind::Unsupported(ref reason) => {
                let why = Why::no_meaning(reason.clone());
                return Err(End::Doubt(Undecided::at(why, self.place().0)));
            }
        }
        Ok(false)
    }

    fn jump(&mut self, target: BlockId) -> Done<()> {
        let frame = self.frames.last().expect("a thread that runs should have a frame");
        let (private, events, control) = (&self.private, &self.trace.events[..], self.control);
        let (world, thread, arena) = (self.world, self.thread, &self.arena);
        let jump = Jump {
            frame,
            target,
            private,
            events,
            answers: self.script.answers,
            thread,
            amo: &self.trace.amo,
            kind_of: &|object| info_of(world, thread, arena, object).map(|info| info.kind),
            control,
        };
        match self.watch.jump(&jump) {
            Verdict::Go => {}
            // A section is one step, which is not taken.
            Verdict::Cut | Verdict::Idle | Verdict::Circles if self.section.is_some() => {
                return Err(self.too_large("a step of the library goes round a loop"));
            }
            Verdict::Cut => return Err(End::Cut),
            Verdict::Idle => return Err(End::Idle),
            Verdict::Circles => return Err(End::Stopped),
        }
        let frame = self.frame_mut();
        (frame.block, frame.index) = (target, 0);
        Ok(())
    }

    pub(super) fn frame_for(&mut self, function: FuncId, args: &[(Ty, Value)]) -> Done<Frame> {
        let program = self.world.base.program;
        let code = program.function(function);
        if args.len() < code.params.len() {
            return Err(self.no_meaning(format!("'{}' is called with too few arguments", code.name)));
        }
        let mut registers = vec![Value::unknown(); code.registers.len()];
        for (&param, &(given, value)) in code.params.iter().zip(args) {
            let ty = code.ty(param);
            let bits = value.bits.map(|bits| ty.truncate(bits, program.target));
            let object = if (given, ty) == (Ty::Ptr, Ty::Ptr) { value.object } else { None };
            registers[param.index()] = Value { bits, object, taint: value.taint };
        }
        self.frames_made += 1;
        Ok(Frame {
            function,
            block: norn_ir::program::Function::ENTRY,
            index: 0,
            assigned: vec![0; registers.len()],
            registers,
            locals: vec![None; code.locals.len()],
            allocations: Vec::new(),
            result: None,
            number: self.frames_made,
        })
    }

    fn args(&self, args: &[Operand]) -> Vec<(Ty, Value)> {
        args.iter().map(|&arg| (self.function().operand_ty(arg), self.value(arg))).collect()
    }

    fn function_behind(&mut self, pointer: Value) -> Done<FuncId> {
        let address = self.decided(pointer)?;
        match function_at(address, self.world.base.program.functions.len()) {
            Some(function) => Ok(function),
            None => {
                let message = format!("there is no function at {address:#x}");
                self.wrong(ViolationKind::InvalidPointer, message)?;
                Err(End::Stopped)
            }
        }
    }

    pub(super) fn call(&mut self, dst: Option<Reg>, callee: Callee, args: &[Operand]) -> Done<()> {
        let callee = match callee {
            Callee::Direct(function) => function,
            Callee::Indirect(pointer) => {
                let pointer = self.value(pointer);
                self.function_behind(pointer)?
            }
        };
        if self.frames.len() >= DEEPEST_CALLS {
            return Err(self.too_large("calls that are too deep"));
        }
        let args = self.args(args);
        let mut frame = self.frame_for(callee, &args)?;
        frame.result = dst;
        self.frames.push(frame);
        Ok(())
    }

    fn end_frame(&mut self) -> Frame {
        let frame = self.frames.pop().expect("a function that returns should have a frame");
        let ending: Vec<ObjectId> = frame.locals.iter().flatten().chain(&frame.allocations).copied().collect();
        for object in ending {
            self.end_object(object);
        }
        frame
    }

    fn ret(&mut self, value: Option<Value>) -> Done<bool> {
        if self.frames.len() == 1 {
            self.end_thread(value.unwrap_or(Value::int(0)))?;
            return Ok(true);
        }
        let callee = self.end_frame();
        if let Some(dst) = callee.result {
            let program = self.world.base.program;
            let wanted = self.function().ty(dst);
            let given = program.function(callee.function).result;
            let value = match value {
                Some(value) if given == Some(wanted) => value,
                Some(value) => {
                    let bits = value.bits.map(|bits| wanted.truncate(bits, program.target));
                    Value { bits, object: None, taint: value.taint }
                }
                None => self.input(wanted, program.function(callee.function).name.clone())?,
            };
            self.set(dst, value);
        }
        // The call is over.
        self.frame_mut().index += 1;
        Ok(false)
    }

    /// The objects of main's outermost frame live on.
    fn end_thread(&mut self, result: Value) -> Done<()> {
        let kept = usize::from(self.thread == 0);
        self.trace.result = result.bare();
        // What ends does so behind the last access, but its place is here.
        while self.frames.len() > kept.max(1) {
            self.end_frame();
        }
        if self.thread != 0 {
            let frame = self.frame();
            let ending: Vec<ObjectId> = frame.locals.iter().flatten().chain(&frame.allocations).copied().collect();
            ending.into_iter().for_each(|object| self.end_object(object));
            let locals: Vec<ObjectId> = self.thread_locals.values().copied().collect();
            locals.into_iter().for_each(|object| self.end_object(object));
            self.tell(Cell::End(self.thread))?;
        }
        Ok(())
    }

    pub(super) fn spawn(&mut self, dst: Reg, start: Operand, args: &[Operand]) -> Done<()> {
        if self.section.is_some() {
            return Err(self.doubt("a section that creates a thread"));
        }
        let start = self.value(start);
        let function = self.function_behind(start)?;
        let args = self.args(args);
        let nth = self.trace.spawns.len();
        self.trace.spawns.push(Spawn { function, args, event: None });
        let Some(child) = self.world.child(self.thread, nth) else { return Err(End::NeedsValue) };
        let event = self.tell(Cell::Start(child))?;
        self.trace.spawns[nth].event = Some(event);
        self.set(dst, Value::int(child as u64));
        Ok(())
    }

    pub(super) fn join(&mut self, dst: Option<Reg>, thread: Operand) -> Done<()> {
        if self.section.is_some() {
            return Err(self.doubt("a section that joins a thread"));
        }
        let thread = self.value(thread);
        let number = self.decided(thread)?;
        let joined = usize::try_from(number).ok().filter(|&joined| joined < self.world.traces.len());
        let Some(joined) = joined.filter(|&joined| joined != self.thread) else {
            self.wrong(ViolationKind::Misuse, format!("there is no thread {number} to join"))?;
            return Err(End::Stopped);
        };
        if joined == 0 {
            return Err(self.doubt("joining the first thread"));
        }
        let other = &self.world.traces[joined];
        if other.end != End::Done || other.events.is_empty() {
            return Err(End::WaitsFor(joined));
        }
        let (result, last) = (other.result, other.events.len() - 1);
        self.begin(Cell::End(joined), EventId { thread: joined, index: last })?;
        if let Some(dst) = dst {
            self.set(dst, result);
        }
        Ok(())
    }
}
