//! Running a thread: the visible step, sections, and the silent run to the next visible step.

use crate::arith::{self, Fault};
use crate::effect::Effect;
use crate::executor::{Done, Executor, Mode, Stop};
use crate::memory::{Memory, OPEN, Value};
use crate::op::Op;
use crate::state::{Status, Thread, ThreadIdentity};
use crate::undo::Undo;
use norn_ir::instr::{FenceKind, SectionKind};
use norn_ir::number::low_32;
use norn_verdict::outcome::{Treatment, ViolationKind};

/// Backward jumps before states are compared.
const JUMPS_BEFORE_LOOKING: u64 = 64;

/// How control goes on.
pub(crate) enum Flow {
    Next,
    Jumped(u32),
    /// Backwards.
    Back(u32),
    /// Nothing was done: it is a visible step.
    Visible,
    /// Nothing was done: it has to wait.
    Waits(Status),
    SectionEnds,
    /// The thread or the program has ended.
    Over,
    /// The thread stops for ever.
    Stops,
}

impl Executor<'_> {
    /// The visible step that the thread stands before; what it changes first has been saved.
    pub(crate) fn visible(&mut self, thread: ThreadIdentity) -> Done<()> {
        let pc = self.threads[thread.index()].pc;
        if let Op::SectionBegin { kind, .. } = self.code.ops[pc as usize] {
            return self.section(thread, kind);
        }
        self.mode = Mode::Step;
        let flow = self.execute(thread, self.code.ops[pc as usize])?;
        self.go(thread, &flow);
        Ok(())
    }

    fn go(&mut self, thread: ThreadIdentity, flow: &Flow) {
        match *flow {
            Flow::Next => self.threads[thread.index()].pc += 1,
            Flow::Jumped(to) | Flow::Back(to) => self.threads[thread.index()].pc = to,
            _ => {}
        }
    }

    fn section(&mut self, thread: ThreadIdentity, kind: SectionKind) -> Done<()> {
        if kind != SectionKind::Read {
            if !self.threads[thread.index()].buffer.is_empty() {
                return Err(Stop::NotEnabled);
            }
            self.effects.push(Effect::Drained { thread });
        }
        self.mode = Mode::Section(kind);
        self.threads[thread.index()].pc += 1;
        let mut watch = Watch::default();
        loop {
            let op = self.code.ops[self.threads[thread.index()].pc as usize];
            let flow = self.execute(thread, op)?;
            self.go(thread, &flow);
            match flow {
                Flow::Next | Flow::Jumped(_) => {}
                Flow::Back(_) => {
                    if watch.repeats(self, thread) {
                        return Err(Stop::NotEnabled);
                    }
                }
                Flow::SectionEnds => {
                    self.threads[thread.index()].pc += 1;
                    return Ok(());
                }
                Flow::Stops => return Err(Stop::NotEnabled),
                Flow::Over => return Ok(()),
                Flow::Visible | Flow::Waits(_) => return Err(self.no_meaning(thread, "a section that waits inside")),
            }
            watch.count(self, thread)?;
        }
    }

    /// Runs silently until a visible step, a wait or the end.
    pub(crate) fn settle(&mut self, thread: ThreadIdentity) -> Done<()> {
        self.save_control(thread);
        self.settle_saved(thread)
    }

    /// The same, where the thread's control has been saved since the last point to go back to. Where the run comes to
    /// something that has no meaning here, the thread stops: nobody saw it run, so that the others may go on beside it.
    pub(crate) fn settle_saved(&mut self, thread: ThreadIdentity) -> Done<()> {
        match self.settle_on(thread) {
            Err(Stop::Undecided(undecided)) => {
                self.doubt.get_or_insert(*undecided);
                self.threads[thread.index()].status = Status::Stopped;
                Ok(())
            }
            done => done,
        }
    }

    fn settle_on(&mut self, thread: ThreadIdentity) -> Done<()> {
        self.threads[thread.index()].status = Status::Fresh;
        let mut watch = Watch::default();
        loop {
            let op = self.code.ops[self.threads[thread.index()].pc as usize];
            let flow = match self.execute(thread, op) {
                Err(Stop::Ends(assumption)) => {
                    self.assume(assumption);
                    Flow::Stops
                }
                flow => flow?,
            };
            let status = match flow {
                Flow::Next => {
                    self.threads[thread.index()].pc += 1;
                    watch.count(self, thread)?;
                    continue;
                }
                Flow::Jumped(to) => {
                    self.threads[thread.index()].pc = to;
                    watch.count(self, thread)?;
                    continue;
                }
                Flow::Back(to) => {
                    self.threads[thread.index()].pc = to;
                    watch.count(self, thread)?;
                    if !watch.repeats(self, thread) {
                        continue;
                    }
                    if self.checks.termination { Status::Circling } else { Status::Stopped }
                }
                Flow::Over => return Ok(()),
                Flow::Visible => Status::Ready,
                Flow::Waits(status) => status,
                Flow::Stops => Status::Stopped,
                Flow::SectionEnds => {
                    return Err(self.no_meaning(thread, "the end of a section that did not begin"));
                }
            };
            self.threads[thread.index()].status = status;
            return Ok(());
        }
    }

    /// Executes one operation in the current mode. What it changes is logged, but for the position.
    fn execute(&mut self, thread: ThreadIdentity, op: Op) -> Done<Flow> {
        let result = self.operate(thread, op);
        if self.used_unknown.replace(false) {
            return Err(self.no_meaning(thread, "what happens depends on a value that was never set"));
        }
        result
    }

    fn operate(&mut self, thread: ThreadIdentity, op: Op) -> Done<Flow> {
        match op {
            Op::Copy { dst, src } => {
                let value = self.passed(thread, src);
                self.set(thread, dst, value);
            }
            Op::Binary { dst, op, ty, lhs, rhs } => {
                let (lhs, rhs) = (self.value(thread, lhs), self.value(thread, rhs));
                if ty.is_pointer() {
                    self.observe(lhs);
                    self.observe(rhs);
                }
                match arith::binary(op, ty, lhs.bits, rhs.bits) {
                    Err(Fault::DivisionByZero | Fault::Overflow) => {
                        return Err(self.violation(thread, ViolationKind::DivisionByZero, String::new()));
                    }
                    Ok((_, true)) if self.checks.overflow => {
                        return Err(self.violation(thread, ViolationKind::Overflow, String::new()));
                    }
                    Ok((_, true)) if op.divides() => {
                        return Err(self.violation(thread, ViolationKind::DivisionOverflow, String::new()));
                    }
                    Ok((bits, _)) => self.set(thread, dst, Value::int(bits)),
                }
            }
            Op::Compare { dst, op, ty, lhs, rhs } => {
                let (lhs, rhs) = (self.value(thread, lhs), self.value(thread, rhs));
                let holds = self.observe_compare(op, ty, lhs, rhs);
                self.tell_compared(ty, lhs.bits, rhs.bits);
                self.set(thread, dst, Value::int(u64::from(holds)));
            }
            Op::Unary { dst, op, ty, src } => {
                let bits = arith::unary(op, ty, self.value(thread, src).bits);
                self.set(thread, dst, Value::int(bits));
            }
            Op::Cast { dst, op, from, to, src } => {
                let value = self.value(thread, src);
                if from.is_pointer() {
                    self.observe(value);
                }
                let bits = arith::cast(op, from, to, value.bits);
                let value = self.made_of(thread, bits, to, dst)?;
                self.set(thread, dst, value);
            }
            Op::Select { dst, cond, then, otherwise } => {
                let holds = self.value(thread, cond).bits != 0;
                let chosen = if holds { then } else { self.code.selects[otherwise as usize] };
                let value = self.passed(thread, chosen);
                self.set(thread, dst, value);
            }
            Op::PtrAdd { dst, base, index, scale } => {
                let base = self.passed(thread, base);
                let pointer = crate::compile::scalar(norn_ir::types::Ty::Ptr, self.memory.target());
                let index = arith::signed(self.value(thread, index).bits, pointer.width);
                let bits = base.bits.wrapping_add_signed(index.wrapping_mul(self.code.scales[scale as usize]));
                // A pointer that is not known stays one.
                self.set(thread, dst, Value { bits: pointer.cut(bits), ..base });
            }
            Op::PtrDiff { dst, lhs, rhs } => {
                let pointer = crate::compile::scalar(norn_ir::types::Ty::Ptr, self.memory.target());
                let (lhs, rhs) = (self.value(thread, lhs), self.value(thread, rhs));
                self.observe_pair(false, lhs, rhs);
                let bits = lhs.bits.wrapping_sub(rhs.bits);
                self.set(thread, dst, Value::int(pointer.cut(bits)));
            }
            Op::Load { dst, ty, order, addr } => return self.load(thread, dst, ty, order, addr),
            Op::Store { ty, order, addr, value } => return self.store(thread, ty, order, addr, value),
            Op::Rmw { dst, op, ty, order, addr, value } => {
                return self.modify(thread, dst, (op, order), ty, (addr, value));
            }
            Op::CompareExchange { dst, ty, addr, expected, more } => {
                return self.compare_exchange(thread, dst, ty, (addr, expected), more);
            }
            Op::Fence(kind) => return Ok(self.fence(thread, kind)),
            Op::SectionBegin { .. } => match self.mode {
                Mode::Silent => return Ok(Flow::Visible),
                _ => return Err(self.no_meaning(thread, "a section inside a section")),
            },
            Op::SectionEnd => return Ok(Flow::SectionEnds),
            Op::Await { cond, spurious } => {
                if !matches!(self.mode, Mode::Section(_)) {
                    return Err(self.no_meaning(thread, "an await outside of a section"));
                }
                if self.value(thread, cond).bits == 0 {
                    if !spurious {
                        return Ok(Flow::Stops);
                    }
                    self.spurious = true;
                }
            }
            Op::Assume { cond } => {
                if self.value(thread, cond).bits == 0 {
                    return Ok(Flow::Stops);
                }
            }
            Op::Assert { cond, message } => {
                self.checked[message as usize] = true;
                if self.value(thread, cond).bits == 0 {
                    let (kind, message) = &self.code.messages[message as usize];
                    if self.checks.treatment(*kind) != Treatment::Ignored {
                        return Err(self.violation(thread, *kind, message.clone()));
                    }
                }
            }
            Op::Nondet { dst, ty, source } => {
                let source = &self.code.sources[source as usize];
                let value = self.input(thread, ty, source)?;
                self.set(thread, dst, value);
            }
            Op::Call(call) => return self.call(thread, call),
            Op::Spawn(call) => return self.spawn(thread, call),
            Op::Join { dst, thread: other } => return self.join(thread, dst, other),
            Op::ThreadSelf { dst } => {
                let number = self.threads[thread.index()].number;
                self.set(thread, dst, Value::int(u64::from(number.0)));
            }
            Op::LocalEnter(local) => self.enter_local(thread, local)?,
            Op::LocalExit(local) => return self.leave_local(thread, local),
            Op::Alloc { dst, size, align, zeroed, heap, private } => {
                return self.allocate(thread, dst, (size, align), (zeroed, heap, private));
            }
            Op::Free { addr, heap } => return self.free(thread, addr, heap),
            Op::ObjectSize { dst, addr } => {
                let size = self.object_size(thread, addr)?;
                self.set(thread, dst, Value::int(size));
            }
            Op::Sync { kind, addr } => self.race_sync(thread, kind, addr)?,
            Op::Nothing => {}
            Op::Jump(to) => return Ok(Flow::Jumped(to)),
            Op::JumpBack(to) => return Ok(Flow::Back(to)),
            Op::Branch { cond, then, otherwise } => {
                return Ok(Flow::Jumped(if self.value(thread, cond).bits != 0 { then } else { otherwise }));
            }
            Op::Switch { value, table } => {
                let bits = self.value(thread, value).bits;
                let switch = &self.code.switches[table as usize];
                let case = switch.cases.binary_search_by_key(&bits, |case| case.0);
                return Ok(Flow::Jumped(case.map_or(switch.default, |at| switch.cases[at].1)));
            }
            Op::Return(value) => return self.ret(thread, value),
            Op::ThreadExit(value) => {
                let value = self.passed(thread, value);
                return self.end_thread(thread, value, false);
            }
            Op::Exit(status) => {
                let status = low_32(self.value(thread, status).bits) as i32;
                return Ok(self.exit(Some(status)));
            }
            Op::Abort => return Ok(self.exit(None)),
            Op::Stop => return self.cut(None),
            Op::Unsupported(reason) => return Err(self.no_meaning(thread, self.code.reasons[reason as usize].clone())),
            Op::LoopEnters(number) => {
                let slot = self.repeats_slot(thread, number);
                self.set_repeats(thread, slot, 0);
            }
            Op::LoopRepeats { number, bound, cut } => {
                let slot = self.repeats_slot(thread, number);
                let count = self.threads[thread.index()].repeats[slot as usize] + 1;
                if count > bound {
                    return self.cut(Some(cut));
                }
                self.set_repeats(thread, slot, count);
            }
        }
        Ok(Flow::Next)
    }

    fn repeats_slot(&self, thread: ThreadIdentity, number: u32) -> u32 {
        let frame = self.threads[thread.index()].frames.last().expect("a running thread should have a frame");
        frame.repeats + number
    }

    fn set_repeats(&mut self, thread: ThreadIdentity, slot: u32, count: u32) {
        let old = std::mem::replace(&mut self.threads[thread.index()].repeats[slot as usize], count);
        self.log.changes.push(Undo::Repeats { thread, slot, old });
    }

    /// A bound stops the thread. A section in which that would happen is not enabled: nobody may see half of it.
    pub(crate) fn cut(&mut self, cut: Option<u32>) -> Done<Flow> {
        if let Some(cut) = cut {
            self.reach(cut);
        }
        if matches!(self.mode, Mode::Section(_)) { Err(Stop::Cut) } else { Ok(Flow::Stops) }
    }

    fn fence(&mut self, thread: ThreadIdentity, kind: FenceKind) -> Flow {
        let in_read_section = self.mode == Mode::Section(SectionKind::Read);
        match kind {
            FenceKind::Full | FenceKind::Call if !in_read_section => {
                if !self.threads[thread.index()].buffer.is_empty() {
                    return Flow::Waits(Status::WaitsForBuffer);
                }
                self.effects.push(Effect::Drained { thread });
            }
            FenceKind::Release | FenceKind::AcqRel | FenceKind::StoreStore => self.raise_epoch(thread),
            FenceKind::Full | FenceKind::Call | FenceKind::Acquire | FenceKind::LoadLoad | FenceKind::Compiler => {}
        }
        self.race_fence(thread, kind);
        Flow::Next
    }

    pub(crate) fn raise_epoch(&mut self, thread: ThreadIdentity) {
        self.save_counts(thread);
        self.threads[thread.index()].counts.epoch += 1;
    }
}

#[cold]
fn too_long(executor: &Executor<'_>, thread: ThreadIdentity) -> Stop {
    executor.too_large(thread, format!("more than {} instructions without a visible step", executor.longest_run))
}

/// Looks for a thread that runs in a circle without a visible step, at growing distances.
#[derive(Default)]
struct Watch {
    operations: u64,
    jumps: u64,
    next_save: u64,
    saved: Option<Box<(Thread, Memory)>>,
}

impl Watch {
    #[inline]
    fn count(&mut self, executor: &Executor<'_>, thread: ThreadIdentity) -> Done<()> {
        self.operations += 1;
        if self.operations > executor.longest_run { Err(too_long(executor, thread)) } else { Ok(()) }
    }

    /// To be asked at each jump backwards.
    fn repeats(&mut self, executor: &Executor<'_>, thread: ThreadIdentity) -> bool {
        self.jumps += 1;
        if self.jumps < JUMPS_BEFORE_LOOKING {
            return false;
        }
        let (current, memory) = (&executor.threads[thread.index()], &executor.memory);
        if let Some(saved) = &mut self.saved {
            // How many inputs and fences there were does not matter for what follows.
            saved.0.counts = current.counts;
            let same_numbers = || saved.0.registers.iter().zip(&current.registers).all(|(a, b)| a.bits == b.bits);
            if saved.0.pc == current.pc
                && same_numbers()
                && saved.1.bytes == memory.bytes
                && **saved == without_lives(current, memory)
            {
                return true;
            }
        }
        if self.jumps >= self.next_save {
            self.saved = Some(Box::new(without_lives(current, memory)));
            self.next_save = self.jumps * 2;
        }
        false
    }
}

/// A copy in which lives are not numbered: a pointer only tells whether its object is still the same one.
fn without_lives(thread: &Thread, memory: &Memory) -> (Thread, Memory) {
    let (mut thread, mut copy) = (thread.clone(), memory.clone());
    let is_old = |object: u32, life: u32| {
        u32::from(memory.objects.get(object as usize).is_some_and(|object| object.life != life))
    };
    let forget = |value: &mut Value| value.life = is_old(value.object, value.life);
    thread.registers.iter_mut().for_each(forget);
    forget(&mut thread.result);
    for entry in &mut thread.buffer {
        forget(&mut entry.value);
        entry.life = is_old(entry.object, entry.life);
    }
    for mark in copy.provenance.iter_mut().filter(|mark| !matches!(**mark, 0 | OPEN)) {
        let mut pointer = Memory::marked(0, *mark);
        forget(&mut pointer);
        *mark = Memory::mark_of(pointer);
    }
    copy.objects.iter_mut().for_each(|object| object.life = 0);
    (thread, copy)
}
