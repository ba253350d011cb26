//! Calls, threads and ends.

use crate::effect::Effect;
use crate::executor::{Done, Executor, Exited, Mode};
use crate::memory::Value;
use crate::op::{NONE, Src, Target, UNKNOWN};
use crate::run::Flow;
use crate::state::{Status, ThreadIdentity};
use crate::undo::Undo;
use norn_ir::address::function_at;
use norn_ir::instr::NondetSource;
use norn_ir::types::Ty;
use norn_verdict::outcome::ViolationKind;

const DEEPEST_CALLS: usize = 10_000;

impl Executor<'_> {
    pub(crate) fn call(&mut self, thread: ThreadIdentity, call: u32) -> Done<Flow> {
        let code = self.code;
        let call = &code.calls[call as usize];
        let function = self.callee(thread, call.callee)?;
        let owner = &self.threads[thread.index()];
        if owner.frames.len() >= DEEPEST_CALLS {
            return Err(self.too_large(thread, format!("calls more than {DEEPEST_CALLS} deep")));
        }
        if let Some((bound, cut)) = code.functions[function as usize].recursion {
            let active = owner.frames.iter().filter(|frame| frame.function == function).count();
            if active > bound as usize {
                return self.cut(Some(cut));
            }
        }
        let pc = owner.pc;
        let caller_base = owner.base;
        self.check_arguments(thread, function, call.args.len())?;
        self.save_control(thread);
        self.push_frame(thread, function, pc, call.dst);
        self.pass(thread, function, &call.args, (thread, caller_base))?;
        Ok(Flow::Jumped(code.functions[function as usize].start))
    }

    fn callee(&self, thread: ThreadIdentity, callee: Target) -> Done<u32> {
        let pointer = match callee {
            Target::Direct(function) => return Ok(function),
            Target::Indirect(pointer) => self.passed(thread, pointer).bits,
        };
        function_at(pointer, self.code.functions.len()).map(|function| function.0).ok_or_else(|| {
            let (kind, message) = match pointer {
                0 => (ViolationKind::NullPointer, "the function pointer is null".to_owned()),
                _ => (ViolationKind::InvalidPointer, format!("there is no function at {pointer:#x}")),
            };
            self.violation(thread, kind, message)
        })
    }

    fn check_arguments(&self, thread: ThreadIdentity, function: u32, given: usize) -> Done<()> {
        match given < self.code.functions[function as usize].params.len() {
            true => Err(self.no_meaning(thread, "a function is called with too few arguments")),
            false => Ok(()),
        }
    }

    /// Puts arguments into a new frame. C programs cast function pointers, so there may be more than the function takes,
    /// and of other widths.
    fn pass(
        &mut self,
        to: ThreadIdentity,
        function: u32,
        args: &[(Src, Ty)],
        (from, from_base): (ThreadIdentity, u32),
    ) -> Done<()> {
        let code = self.code;
        for (&(register, ty), &(arg, given)) in code.functions[function as usize].params.iter().zip(args) {
            // The caller's frame is not the innermost any more.
            let value = match arg {
                Src::Reg(register) => self.threads[from.index()].registers[(from_base + register) as usize],
                Src::Local(index) if from == to => {
                    let (local, offset) = code.local_pointers[index as usize];
                    let owner = &self.threads[from.index()];
                    let caller = owner.frames[owner.frames.len() - 2];
                    self.memory.pointer(owner.locals[(caller.locals + local) as usize], offset)
                }
                arg => self.passed(from, arg),
            };
            let bits = ty.cut(value.bits);
            let value = match (given, ty.ty) {
                _ if value.object == UNKNOWN => {
                    self.used_unknown.set(self.used_unknown.get() || (given == Ty::Ptr) != (ty.ty == Ty::Ptr));
                    value
                }
                (Ty::Ptr, Ty::Ptr) => value,
                (_, Ty::Ptr) => self.made_of(to, bits, ty, register)?,
                _ => {
                    self.observe(value);
                    Value::int(bits)
                }
            };
            let owner = &mut self.threads[to.index()];
            let slot = owner.base + register;
            // The frame is new: undoing takes it away as a whole.
            owner.registers[slot as usize] = value;
        }
        Ok(())
    }

    pub(crate) fn ret(&mut self, thread: ThreadIdentity, value: Option<Src>) -> Done<Flow> {
        let value = value.map(|value| self.passed(thread, value));
        let owner = &self.threads[thread.index()];
        if owner.frames.len() == 1 {
            return self.end_thread(thread, value.unwrap_or_default(), true);
        }
        let depth = owner.frames.len() - 1;
        if self.mode == Mode::Silent && self.any_shared(thread, depth) {
            return Ok(Flow::Visible);
        }
        self.end_frames(thread, depth)?;
        self.save_control(thread);
        let Some(callee) = self.pop_frame(thread) else { return Ok(Flow::Over) };
        let owner = &mut self.threads[thread.index()];
        let caller = *owner.frames.last().expect("a function that returns should have a caller");
        owner.base = caller.base;
        owner.pc = callee.call;
        if callee.result != NONE {
            let code = self.code;
            let function = &code.functions[callee.function as usize];
            let wanted = code.functions[caller.function as usize].register_types[callee.result as usize];
            let value = match (value, function.result) {
                (Some(value), Some(given)) if given == wanted.ty => value,
                (Some(value), given) if value.object == UNKNOWN => {
                    let is_pointer = given == Some(Ty::Ptr);
                    self.used_unknown.set(self.used_unknown.get() || is_pointer != wanted.is_pointer());
                    value
                }
                (Some(value), _) => {
                    self.observe(value);
                    let bits = wanted.cut(value.bits);
                    self.made_of(thread, bits, wanted, callee.result)?
                }
                (None, _) => self.input(thread, wanted, &NondetSource::Uninitialised("result".to_owned()))?,
            };
            self.set(thread, callee.result, value);
        }
        Ok(Flow::Jumped(callee.call + 1))
    }

    pub(crate) fn spawn(&mut self, thread: ThreadIdentity, call: u32) -> Done<Flow> {
        let code = self.code;
        let call = &code.calls[call as usize];
        let function = self.callee(thread, call.callee)?;
        match self.mode {
            Mode::Silent => return Ok(Flow::Visible),
            Mode::Section(_) => return Err(self.no_meaning(thread, "a section that creates a thread")),
            Mode::Step => self.needs_empty_buffer(thread)?,
        }
        self.check_arguments(thread, function, call.args.len())?;
        self.save_counts(thread);
        self.threads[thread.index()].counts.children += 1;
        let child = self.child(thread, self.threads[thread.index()].counts.children);
        self.create(child).map_err(|words| self.too_large(thread, words))?;
        self.race_create(child, Some(thread));
        self.effects.push(Effect::Drained { thread });
        self.effects.push(Effect::Spawn { thread, child });
        self.started[function as usize] = true;
        self.push_frame(child, function, NONE, NONE);
        self.threads[child.index()].pc = code.functions[function as usize].start;
        let base = self.threads[thread.index()].base;
        self.pass(child, function, &call.args, (thread, base))?;
        let number = self.threads[child.index()].number;
        self.set(thread, call.dst, Value::int(u64::from(number.0)));
        Ok(Flow::Next)
    }

    pub(crate) fn join(&mut self, thread: ThreadIdentity, dst: u32, other: Src) -> Done<Flow> {
        if self.mode != Mode::Silent {
            return Err(self.no_meaning(thread, "a section that joins a thread"));
        }
        let number = self.value(thread, other).bits;
        let Some(&other) = usize::try_from(number).ok().and_then(|n| self.by_number.get(n)) else {
            let message = format!("there is no thread {number} to join");
            return Err(self.violation(thread, ViolationKind::Misuse, message));
        };
        if !self.threads[other.index()].is_over() {
            return Ok(Flow::Waits(Status::WaitsForThread(other)));
        }
        self.race_join(thread, other);
        self.effects.push(Effect::Join { thread, other });
        if dst != NONE {
            let result = self.threads[other.index()].result;
            self.set(thread, dst, result);
        }
        Ok(Flow::Next)
    }

    /// All frames and the thread's thread-local objects end, but those of main's outermost frame and of main live on.
    pub(crate) fn end_thread(&mut self, thread: ThreadIdentity, result: Value, by_return: bool) -> Done<Flow> {
        if matches!(self.mode, Mode::Section(_)) {
            return Err(self.no_meaning(thread, "a section in which the thread ends"));
        }
        let kept = usize::from(thread == ThreadIdentity::MAIN);
        if self.mode == Mode::Silent && (self.any_shared(thread, kept) || self.any_thread_local_shared(thread)) {
            return Ok(Flow::Visible);
        }
        self.end_frames(thread, kept)?;
        self.end_thread_locals(thread)?;
        self.save_control(thread);
        let owner = &mut self.threads[thread.index()];
        let old = std::mem::replace(&mut owner.result, result);
        owner.status = Status::Ended;
        self.log.changes.push(Undo::Result { thread, old });
        if by_return && thread == ThreadIdentity::MAIN {
            self.main_returned = true;
            self.log.changes.push(Undo::MainReturned);
        }
        Ok(Flow::Over)
    }

    pub(crate) fn exit(&mut self, status: Option<i32>) -> Flow {
        if self.mode == Mode::Silent {
            return Flow::Visible;
        }
        self.effects.push(Effect::Exit);
        self.exited = Some(Exited { status });
        self.log.changes.push(Undo::Exited);
        Flow::Over
    }
}
