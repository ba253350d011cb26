//! Jumps, calls, threads and ends.

use super::{DEEPEST_CALLS, Done, Exec, Flow, Mode};
use crate::eval::Value;
use crate::machine::Stop;
use crate::memory::ObjectRef;
use crate::observe::Happening;
use crate::state::{Exit, Frame, Status, Thread};
use norn_ir::address::function_at;
use norn_ir::ids::{BlockId, FuncId, Reg};
use norn_ir::instr::{Callee, NondetSource, Operand, TerminatorKind};
use norn_ir::number::low_32;
use norn_ir::program::Origin;
use norn_ir::types::Ty;
use norn_verdict::outcome::ViolationKind;
use norn_verdict::schedule::StepNumber;
use norn_verdict::trace::ThreadIndex;
use std::rc::Rc;

impl<'p> Exec<'_, 'p> {
    pub(super) fn terminator(&mut self, kind: &'p TerminatorKind) -> Done<Flow> {
        match *kind {
            TerminatorKind::Goto(target) => Ok(self.jump(target)),
            TerminatorKind::Branch { cond, then, otherwise } => {
                Ok(self.jump(if self.value(cond).is_true() { then } else { otherwise }))
            }
            TerminatorKind::Switch { value, ref cases, default, .. } => {
                let bits = self.value(value).bits;
                let case = cases.iter().find(|case| case.0 == bits);
                Ok(self.jump(case.map_or(default, |case| case.1)))
            }
            TerminatorKind::Return(value) => {
                let value = value.map(|value| self.value(value));
                if self.thread().frames.len() == 1 {
                    self.end_thread(value.unwrap_or_default(), true)
                } else {
                    self.ret(value)
                }
            }
            TerminatorKind::ThreadExit(value) => self.end_thread(self.value(value), false),
            TerminatorKind::Exit(status) => {
                let status = low_32(self.value(status).bits) as i32;
                Ok(self.exit(Some(status)))
            }
            TerminatorKind::Abort => Ok(self.exit(None)),
            TerminatorKind::Stop if matches!(self.mode, Mode::Section(_)) => {
                let frame = self.frame();
                Err(Stop::Cut { function: frame.function, block: frame.block })
            }
            TerminatorKind::Stop => Ok(Flow::Stops),
            TerminatorKind::Unreachable => {
                Err(self.no_meaning("a point was reached that the front end took for unreachable"))
            }
            TerminatorKind::Unsupported(ref reason) => Err(self.no_meaning(reason.clone())),
        }
    }

    fn jump(&mut self, target: BlockId) -> Flow {
        let frame = self.frame_mut();
        let back = target <= frame.block;
        frame.block = target;
        frame.index = 0;
        self.jumped_back = back;
        Flow::Jumped
    }

    fn exit(&mut self, status: Option<i32>) -> Flow {
        if self.mode == Mode::Silent {
            return Flow::Visible;
        }
        self.tell(Happening::Exit { status });
        self.state.exited = Some(Exit { status });
        Flow::Over
    }

    // Calls.

    pub(super) fn call(&mut self, dst: Option<Reg>, callee: Callee, args: &[Operand]) -> Done<Flow> {
        let callee = match callee {
            Callee::Direct(function) => function,
            Callee::Indirect(pointer) => self.function_behind(self.value(pointer))?,
        };
        if self.thread().frames.len() >= DEEPEST_CALLS {
            return Err(self.too_large(format!("calls more than {DEEPEST_CALLS} deep")));
        }
        let mut frame = self.frame_for(callee, args)?;
        frame.result = dst;
        let program = self.machine.program;
        if program.function(callee).origin == Origin::Library && self.function().origin == Origin::User {
            self.tell(Happening::Call { function: callee });
        }
        self.thread_mut().frames.push(frame);
        Ok(Flow::Jumped)
    }

    fn function_behind(&self, pointer: Value) -> Done<FuncId> {
        function_at(pointer.bits, self.machine.program.functions.len()).ok_or_else(|| {
            let (kind, message) = match pointer.bits {
                0 => (ViolationKind::NullPointer, "the function pointer is null".to_owned()),
                bits => (ViolationKind::InvalidPointer, format!("there is no function at {bits:#x}")),
            };
            self.violation_at(kind, message, self.place())
        })
    }

    /// A frame with its arguments. C programs cast function pointers, so the caller may pass more than the function
    /// takes, and values of other widths.
    fn frame_for(&mut self, function: FuncId, args: &[Operand]) -> Done<Frame> {
        let program = self.machine.program;
        let code = program.function(function);
        if args.len() < code.params.len() {
            return Err(self.no_meaning(format!("'{}' is called with too few arguments", code.name)));
        }
        let mut frame = Frame::new(program, function);
        for (&param, &arg) in code.params.iter().zip(args) {
            let value = self.value(arg);
            let ty = code.ty(param);
            let given = self.function().operand_ty(arg);
            let bits = ty.truncate(value.bits, program.target);
            frame.registers[param.index()] = match (given, ty) {
                (Ty::Ptr, Ty::Ptr) => value,
                _ => self.made_of(ty, bits),
            };
        }
        Ok(frame)
    }

    fn ret(&mut self, value: Option<Value>) -> Done<Flow> {
        let ending: Vec<ObjectRef> = self.frame().objects().collect();
        if self.mode == Mode::Silent && self.any_shared(&ending) {
            return Ok(Flow::Visible);
        }
        self.end_objects(&ending)?;
        let program = self.machine.program;
        let callee = self.thread_mut().frames.pop().expect("a function that returns should have a frame");
        if let Some(dst) = callee.result {
            let wanted = self.function().ty(dst);
            let given = program.function(callee.function).result;
            let value = match (value, given) {
                (Some(value), Some(given)) if given == wanted => value,
                (Some(value), _) => {
                    let bits = wanted.truncate(value.bits, program.target);
                    self.made_of(wanted, bits)
                }
                (None, _) => {
                    let name = program.function(callee.function).name.clone();
                    self.input(wanted, &NondetSource::Uninitialised(name))?
                }
            };
            self.set(dst, value);
        }
        Ok(Flow::Next)
    }

    fn any_shared(&self, objects: &[ObjectRef]) -> bool {
        objects.iter().any(|&object| self.state.memory.is_alive(object) && self.object(object).is_shared())
    }

    // Threads.

    pub(super) fn spawn(&mut self, dst: Reg, start: Operand, args: &[Operand]) -> Done<Flow> {
        // Without a function to start in it is wrong whatever other threads do, so that is found out silently.
        let function = self.function_behind(self.value(start))?;
        match self.mode {
            Mode::Silent => return Ok(Flow::Visible),
            Mode::Section(_) => return Err(self.no_meaning("a section that creates a thread")),
            Mode::Step if !self.thread().buffer.is_empty() => return Err(Stop::NotEnabled),
            Mode::Step => {}
        }
        let frame = self.frame_for(function, args)?;
        let added = self.state.memory.add_thread(self.machine.program, &self.machine.globals);
        added.map_err(|full| self.full(full))?;
        let creator = self.thread_mut();
        creator.children += 1;
        let name = Rc::new(creator.name.child(creator.children));
        let number = ThreadIndex::new(self.state.threads.len());
        self.state.threads.push(Rc::new(Thread {
            name,
            start: function,
            frames: vec![frame],
            status: Status::Fresh,
            buffer: Vec::new(),
            withheld: Vec::new(),
            epoch: 0,
            steps: StepNumber::NONE,
            children: 0,
            result: Value::default(),
            cut_at: None,
            doubt: None,
        }));
        if let Some(races) = &mut self.state.races {
            Rc::make_mut(races).create(Some(self.thread));
        }
        self.tell(Happening::Create { thread: number });
        self.set(dst, Value::int(u64::from(number.0)));
        Ok(Flow::Next)
    }

    pub(super) fn join(&mut self, dst: Option<Reg>, thread: Operand) -> Done<Flow> {
        if self.mode != Mode::Silent {
            return Err(self.no_meaning("a section that joins a thread"));
        }
        let number = self.value(thread).bits;
        let joined = u32::try_from(number).ok().map(ThreadIndex);
        let Some((joined, other)) = joined.and_then(|joined| Some((joined, self.state.threads.get(joined.index())?)))
        else {
            return Err(self.violation(ViolationKind::Misuse, format!("there is no thread {number} to join")));
        };
        if !other.has_ended_and_drained() {
            return Ok(Flow::Waits(Status::WaitsForThread(joined)));
        }
        let result = other.result;
        if let Some(races) = &mut self.state.races {
            Rc::make_mut(races).join(self.thread, joined);
        }
        self.tell(Happening::Join { thread: joined });
        if let Some(dst) = dst {
            self.set(dst, result);
        }
        Ok(Flow::Next)
    }

    /// All frames and the thread's own instances of thread-local objects end, but what belongs to main's outermost frame
    /// and to main as a thread lives on.
    fn end_thread(&mut self, result: Value, by_return: bool) -> Done<Flow> {
        if matches!(self.mode, Mode::Section(_)) {
            return Err(self.no_meaning("a section in which the thread ends"));
        }
        let kept = usize::from(self.thread == ThreadIndex::MAIN);
        let mut ending: Vec<ObjectRef> = self.thread().frames.iter().skip(kept).flat_map(Frame::objects).collect();
        if self.thread != ThreadIndex::MAIN {
            ending.extend(self.state.memory.thread_locals(self.thread));
        }
        if self.mode == Mode::Silent && self.any_shared(&ending) {
            return Ok(Flow::Visible);
        }
        self.end_objects(&ending)?;
        self.tell(Happening::ThreadEnds { stopped: false });
        self.state.main_returned |= by_return && self.thread == ThreadIndex::MAIN;
        let thread = self.thread_mut();
        thread.frames = Vec::new();
        thread.status = Status::Ended;
        thread.result = result;
        Ok(Flow::Over)
    }
}
