//! Running a thread: visible steps, commits, and the silent run to the next visible step.
//!
//! One function executes an instruction in all three modes. In the silent mode it does not execute an instruction that
//! is visible or has to wait, and reports it instead.
//!
//! A silent loop that never ends must not hang the machine: when a thread jumps backwards for the 64th time in one
//! silent run, its state is remembered (by Brent's method, at growing distances), and a thread that comes back to a
//! remembered state is stopped for ever; a section that does so is not enabled. A run that is too long for other
//! reasons is a limit.

mod access;
mod control;
mod instr;
mod objects;
#[cfg(test)]
mod tests;

use crate::eval::Value;
use crate::machine::{Inputs, Machine, Patience, Request, Stop, Taken};
use crate::memory::{Full, Object, ObjectRef};
use crate::models;
use crate::observe::{Happening, Observer, Scene, Spot, Unobserved};
use crate::state::{Frame, Place, State, Status, Thread};
use norn_ir::address::function_address;
use norn_ir::ids::Reg;
use norn_ir::instr::{InstrKind, NondetSource, Operand, SectionKind, TerminatorKind};
use norn_ir::program::Function;
use norn_ir::types::Ty;
use norn_verdict::outcome::{Assumption, Treatment, Violation, ViolationKind};
use norn_verdict::schedule::{StepNumber, ThreadName};
use norn_verdict::trace::ThreadIndex;
use norn_verdict::undecided::{Undecided, Why};
use std::borrow::Cow;
use std::rc::Rc;

/// Instructions between two looks at the limits.
const LOOK_AT_LIMITS: u64 = 1 << 18;
/// Backward jumps before states are compared.
const JUMPS_BEFORE_LOOKING: u64 = 64;
pub(crate) const DEEPEST_CALLS: usize = 10_000;

pub(crate) struct Exec<'a, 'p> {
    machine: &'a Machine<'p>,
    state: &'a mut State,
    thread: ThreadIndex,
    observer: &'a mut dyn Observer,
    inputs: &'a mut dyn Inputs,
    mode: Mode,
    spurious: bool,
    /// The last jump went backwards (or to its own block).
    jumped_back: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Silent,
    /// This one instruction is the visible step.
    Step,
    Section(SectionKind),
}

/// How control goes on after an instruction.
enum Flow {
    /// With the next instruction.
    Next,
    /// The position is set already.
    Jumped,
    /// Nothing was done: it is a visible step.
    Visible,
    /// Nothing was done: it has to wait.
    Waits(Status),
    SectionEnds,
    /// The thread stopped or ended, or the program did.
    Over,
    /// An assumption failed.
    Stops,
}

type Done<T> = Result<T, Stop>;

impl<'a, 'p> Exec<'a, 'p> {
    pub fn new(
        machine: &'a Machine<'p>,
        state: &'a mut State,
        thread: ThreadIndex,
        observer: &'a mut dyn Observer,
        inputs: &'a mut dyn Inputs,
    ) -> Exec<'a, 'p> {
        Exec { machine, state, thread, observer, inputs, mode: Mode::Silent, spurious: false, jumped_back: false }
    }

    /// The visible step that the thread stands before.
    pub fn run(&mut self) -> Done<Taken> {
        if self.thread().status != Status::Ready {
            return Err(Stop::NotEnabled);
        }
        let thread = self.thread_mut();
        thread.steps = thread.steps.next();
        thread.status = Status::Fresh;
        let done = match self.section_kind() {
            Some(kind) if self.machine.checks.assumes() => self.section_if_it_is_valid(kind),
            Some(kind) => self.section(kind),
            None => {
                self.mode = Mode::Step;
                self.execute().map(|flow| self.follow(&flow))
            }
        };
        match done {
            Err(Stop::Ends(assumption)) => self.stop_before(assumption),
            done => done?,
        }
        self.mode = Mode::Silent;
        Ok(Taken { spurious: self.spurious })
    }

    /// A section in which something is assumed not to happen changes nothing if it would: so it is tried first.
    fn section_if_it_is_valid(&mut self, kind: SectionKind) -> Done<()> {
        let mut state = self.state.clone();
        let mut inputs = Recorded { inputs: self.inputs, values: Vec::new() };
        let mut nobody = Unobserved;
        Exec::new(self.machine, &mut state, self.thread, &mut nobody, &mut inputs).section(kind)?;
        let mut again = Again(inputs.values.into_iter());
        let mut taken = Exec::new(self.machine, self.state, self.thread, self.observer, &mut again);
        let done = taken.section(kind);
        self.spurious = taken.spurious;
        done
    }

    /// The thread stops for ever before what is assumed not to happen.
    fn stop_before(&mut self, assumption: Option<Assumption>) {
        if let Some(assumption) = assumption {
            self.tell(Happening::Assumed(assumption));
        }
        self.stop_thread();
    }

    fn section_kind(&self) -> Option<SectionKind> {
        let frame = self.frame();
        let block = self.function().block(frame.block);
        match block.instrs.get(frame.index as usize)?.kind {
            InstrKind::SectionBegin(kind) => Some(kind),
            _ => None,
        }
    }

    fn section(&mut self, kind: SectionKind) -> Done<()> {
        if kind != SectionKind::Read && !self.thread().buffer.is_empty() {
            return Err(Stop::NotEnabled);
        }
        self.mode = Mode::Section(kind);
        self.follow(&Flow::Next);
        let mut watch = Watch::default();
        loop {
            let flow = self.execute()?;
            self.follow(&flow);
            match flow {
                Flow::Next | Flow::Jumped => {}
                Flow::SectionEnds => {
                    self.follow(&Flow::Next);
                    return Ok(());
                }
                Flow::Stops => return Err(Stop::NotEnabled),
                Flow::Over => return Ok(()),
                Flow::Visible => unreachable!("within a section everything should be executed"),
                Flow::Waits(_) => return Err(self.no_meaning("a section that waits inside")),
            }
            if watch.repeats(self)? {
                return Err(Stop::NotEnabled);
            }
        }
    }

    /// Runs silently until a visible step, a wait or the end.
    pub fn settle(&mut self) -> Done<()> {
        match self.settle_on() {
            Err(Stop::Undecided(undecided)) if self.machine.goes_on_beside => {
                self.stop_thread();
                self.thread_mut().doubt = Some(undecided);
                Ok(())
            }
            done => done,
        }
    }

    fn settle_on(&mut self) -> Done<()> {
        let mut watch = Watch::default();
        self.thread_mut().status = Status::Fresh;
        loop {
            let flow = match self.execute() {
                Err(Stop::Ends(assumption)) => {
                    self.stop_before(assumption);
                    return Ok(());
                }
                flow => flow?,
            };
            self.follow(&flow);
            match flow {
                Flow::Next | Flow::Jumped => {}
                Flow::Over => return Ok(()),
                Flow::Visible => {
                    self.thread_mut().status = Status::Ready;
                    return Ok(());
                }
                Flow::Waits(status) => {
                    self.thread_mut().status = status;
                    return Ok(());
                }
                Flow::Stops => {
                    self.stop_thread();
                    return Ok(());
                }
                Flow::SectionEnds => return Err(self.no_meaning("the end of a section that did not begin")),
            }
            if watch.repeats(self)? {
                if self.machine.checks.termination {
                    self.thread_mut().status = Status::Circling;
                } else {
                    self.stop_thread();
                }
                return Ok(());
            }
        }
    }

    fn follow(&mut self, flow: &Flow) {
        if matches!(flow, Flow::Next) {
            self.frame_mut().index += 1;
        }
    }

    /// Executes the next instruction or terminator in the current mode.
    fn execute(&mut self) -> Done<Flow> {
        self.observer.comes_to(&scene(self.machine, self.state, self.thread, self.mode));
        let frame = self.frame();
        let block = self.function().block(frame.block);
        match block.instrs.get(frame.index as usize) {
            Some(instr) => self.instr(&instr.kind),
            None => self.terminator(&block.terminator.kind),
        }
    }

    /// A store that the thread made reaches memory.
    pub fn commit(&mut self, step: StepNumber) -> Done<()> {
        let buffer = &self.thread().buffer;
        let Some(at) = buffer.iter().position(|entry| entry.step == step) else { return Err(Stop::NotEnabled) };
        if !models::may_commit(self.machine.model, buffer, at) {
            return Err(Stop::NotEnabled);
        }
        let thread = self.thread_mut();
        let entry = thread.buffer.remove(at);
        let Thread { buffer, withheld, .. } = thread;
        withheld.retain(|&(_, freed)| buffer.iter().any(|older| older.step < freed));
        let spot = Spot { object: entry.object, offset: entry.offset, ty: entry.ty, size: entry.size };
        self.tell(Happening::Commit { spot, value: entry.value, step });
        if entry.moot {
            return Ok(());
        }
        if !self.state.memory.is_alive(entry.object) {
            let name = self.machine.location(self.state, entry.object, entry.offset, entry.size);
            let message = format!("a buffered store reaches '{name}' after the end of its life");
            return Err(match self.violation_at(ViolationKind::UseAfterFree, message, entry.place) {
                // The thread that would have ended the life has stopped instead.
                Stop::Ends(_) => Stop::NotEnabled,
                violation => violation,
            });
        }
        if let Some(races) = &mut self.state.races {
            let range = (entry.object, entry.offset, entry.size);
            Rc::make_mut(races).store(range, self.thread, entry.follows, entry.message);
        }
        self.state.memory.write((entry.object, entry.offset), entry.ty, entry.value);
        Ok(())
    }

    fn stop_thread(&mut self) {
        self.tell(Happening::ThreadEnds { stopped: true });
        let frame = self.frame();
        let block = self.function().block(frame.block);
        let is_cut = frame.index as usize == block.instrs.len() && block.terminator.kind == TerminatorKind::Stop;
        let cut_at = is_cut.then_some((frame.function, frame.block));
        let thread = self.thread_mut();
        thread.status = Status::Stopped;
        thread.cut_at = cut_at;
        thread.frames = Vec::new();
    }

    // What is at hand.

    fn thread(&self) -> &Thread {
        &self.state.threads[self.thread.index()]
    }

    fn thread_mut(&mut self) -> &mut Thread {
        self.state.thread_mut(self.thread)
    }

    fn frame(&self) -> &Frame {
        self.thread().frame()
    }

    fn frame_mut(&mut self) -> &mut Frame {
        self.thread_mut().frame_mut()
    }

    fn function(&self) -> &'p Function {
        self.machine.program.function(self.frame().function)
    }

    fn object(&self, object: ObjectRef) -> &Object {
        self.state.memory.object(object)
    }

    fn value(&self, operand: Operand) -> Value {
        let frame = self.frame();
        match operand {
            Operand::Reg(reg) => frame.registers[reg.index()],
            Operand::Const(constant) => Value::int(constant.bits),
            Operand::Global(id, offset) => {
                let object = self.machine.globals.object(id, self.thread);
                self.state.memory.pointer_to(object, offset)
            }
            Operand::Local(id, offset) => {
                let object = frame.locals[id.index()].expect("a local that is mentioned should be alive");
                self.state.memory.pointer_to(object, offset)
            }
            Operand::Func(function) => Value::int(function_address(function)),
        }
    }

    fn set(&mut self, reg: Reg, value: Value) {
        self.frame_mut().registers[reg.index()] = value;
    }

    fn input(&mut self, ty: Ty, source: &NondetSource) -> Done<Value> {
        let request = Request { thread: self.thread, ty, source: source.clone() };
        let name = self.state.threads[self.thread.index()].name.clone();
        let Some(bits) = self.inputs.next(&name, &request) else { return Err(Stop::NeedInput(request)) };
        let bits = ty.truncate(bits, self.machine.program.target);
        self.tell(Happening::Input { source, ty, value: bits });
        Ok(self.made_of(ty, bits))
    }

    fn tell(&mut self, what: Happening<'_>) {
        self.observer.happened(&scene(self.machine, self.state, self.thread, self.mode), &what);
    }

    // What goes wrong.

    fn place(&self) -> Place {
        self.thread().place(self.machine.program)
    }

    fn violation(&self, kind: ViolationKind, message: String) -> Stop {
        self.violation_at(kind, message, self.place())
    }

    /// Something went wrong: a violation if it is checked for, else assumed not to happen.
    fn violation_at(&self, kind: ViolationKind, message: String, place: Place) -> Stop {
        match self.machine.checks.treatment(kind) {
            Treatment::Violation => {}
            Treatment::Assumption => return Stop::Ends(Some(Assumption { span: place.span, kind })),
            Treatment::Stop | Treatment::Ignored => return Stop::Ends(None),
        }
        let message = match place.library {
            Some(function) => {
                let name = &self.machine.program.function(function).name;
                if message.is_empty() { format!("in '{name}'") } else { format!("{message} (in '{name}')") }
            }
            None => message,
        };
        Stop::Violation(Violation { kind, span: place.span, message })
    }

    fn undecided(&self, why: Why) -> Stop {
        Stop::Undecided(Undecided::at(why, self.place().span))
    }

    fn no_meaning(&self, words: impl Into<Cow<'static, str>>) -> Stop {
        self.undecided(Why::no_meaning(words))
    }

    fn too_large(&self, words: String) -> Stop {
        self.undecided(Why::too_large(words))
    }

    fn full(&self, full: Full) -> Stop {
        self.too_large(full.0)
    }
}

fn scene<'a>(machine: &'a Machine<'a>, state: &'a State, thread: ThreadIndex, mode: Mode) -> Scene<'a> {
    let step = (mode != Mode::Silent).then(|| state.threads[thread.index()].steps);
    Scene { machine, state, thread, step }
}

/// Inputs that are remembered, to be taken once more.
struct Recorded<'a> {
    inputs: &'a mut dyn Inputs,
    values: Vec<u64>,
}

impl Inputs for Recorded<'_> {
    fn next(&mut self, name: &ThreadName, request: &Request) -> Option<u64> {
        let value = self.inputs.next(name, request)?;
        self.values.push(value);
        Some(value)
    }
}

struct Again(std::vec::IntoIter<u64>);

impl Inputs for Again {
    fn next(&mut self, _name: &ThreadName, _request: &Request) -> Option<u64> {
        self.0.next()
    }
}

/// Looks for a thread that runs in a circle without a visible step.
#[derive(Default)]
struct Watch {
    instructions: u64,
    jumps: u64,
    /// The innermost frame and the whole state, as they were at some backward jump.
    saved: Option<(Frame, Vec<u8>)>,
    next_save: u64,
}

impl Watch {
    /// To be asked after each instruction.
    fn repeats(&mut self, exec: &mut Exec<'_, '_>) -> Done<bool> {
        self.instructions += 1;
        if self.instructions.is_multiple_of(LOOK_AT_LIMITS) || self.instructions > exec.machine.patience.instructions {
            self.is_too_long(exec)?;
        }
        if !std::mem::take(&mut exec.jumped_back) {
            return Ok(false);
        }
        self.jumps += 1;
        if self.jumps < JUMPS_BEFORE_LOOKING {
            return Ok(false);
        }
        let whole = |exec: &Exec<'_, '_>| {
            let mut bytes = Vec::new();
            exec.machine.encode(exec.state, &mut bytes);
            bytes
        };
        // Most of the time a glance at the innermost frame is enough.
        if let Some((frame, saved)) = &self.saved
            && frame.is_at_the_same_point(exec.frame())
            && *saved == whole(exec)
        {
            return Ok(true);
        }
        if self.jumps >= self.next_save {
            self.saved = Some((exec.frame().clone(), whole(exec)));
            self.next_save = self.jumps * 2;
        }
        Ok(false)
    }

    fn is_too_long(&self, exec: &Exec<'_, '_>) -> Done<()> {
        let Patience { instructions, limits } = &exec.machine.patience;
        if self.instructions > *instructions {
            return Err(exec.too_large(format!("more than {instructions} instructions without a visible step")));
        }
        match limits.exceeded() {
            Some(exceeded) => Err(exec.undecided(exceeded.into())),
            None => Ok(()),
        }
    }
}
