//! Runs one thread alone, with what its reads read from given: its events, their values, and how they depend on one another.
//!
//! A read of which nobody has said what it reads from has a value that is not known; the run goes on with it as far as the
//! processor could, and ends where the value decides which events come next. So a run never guesses, and what it has found
//! stays as it is when more is known.
//!
//! Every value carries the set of events that it depends on by the text of the program, through registers and through
//! memory that only this thread touches. What depends on a branch for control is everything behind it, and so is what comes
//! after an access to such memory at an address that is not known before.

mod access;
mod compute;
mod control;
mod sections;

use std::collections::{BTreeMap, BTreeSet};

use norn_ir::address::function_address;
use norn_ir::ids::{BlockId, FuncId, LocalId, Reg};
use norn_ir::instr::{InstrKind, NondetSource, Operand, Order};
use norn_ir::program::{Function, Origin};
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_passes::Site;
use norn_verdict::outcome::{Assumption, Checks, Treatment, Violation, ViolationKind};
use norn_verdict::undecided::{Undecided, Why};

use crate::event::{Answer, Cell, End, Event, EventId, Kind, Question, Source, Trace};
use crate::memory::{Arena, Content};
use crate::tables::Tags;
use crate::value::{MAX_EVENTS, ObjectId, ObjectInfo, ObjectKind, Taint, Value};
use crate::world::World;

/// Instructions of one run.
const MAX_STEPS: usize = 200_000;
const DEEPEST_CALLS: usize = 300;

/// A call that is active.
pub struct Frame {
    pub function: FuncId,
    pub block: BlockId,
    index: usize,
    pub registers: Vec<Value>,
    /// How often each register was assigned.
    pub assigned: Vec<u32>,
    locals: Vec<Option<ObjectId>>,
    allocations: Vec<ObjectId>,
    result: Option<Reg>,
    /// No other frame of the run has it.
    pub number: usize,
}

/// A jump, before it is made.
pub struct Jump<'j> {
    pub frame: &'j Frame,
    pub target: BlockId,
    /// The memory that the thread has for itself.
    pub private: &'j BTreeMap<ObjectId, Content>,
    pub events: &'j [Event],
    /// The answers to the thread's questions.
    pub answers: &'j [Answer],
    pub thread: usize,
    /// Read and write of one step.
    pub amo: &'j [(usize, usize)],
    pub kind_of: &'j dyn Fn(ObjectId) -> Option<ObjectKind>,
    /// What all that follows depends on for control.
    pub control: Taint,
}

/// What becomes of a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Go,
    Cut,
    /// Nothing has changed since the thread was here. A read has decided that it came here; the thread might as well not have
    /// made it yet.
    Idle,
    /// Nothing has changed, and nothing ever will.
    Circles,
}

/// Whether one of the events from that one on is a read that was chosen and that what comes next depends on for control.
pub fn has_decided(events: &[Event], from: usize, control: Taint) -> bool {
    events.iter().enumerate().skip(from).any(|(bit, event)| event.asked.is_some() && control >> bit & 1 == 1)
}

/// Who looks at the jumps of a run.
pub trait Watch {
    fn jump(&mut self, jump: &Jump<'_>) -> Verdict;
}

/// Every jump is followed.
pub struct Follow;

impl Watch for Follow {
    fn jump(&mut self, _jump: &Jump<'_>) -> Verdict {
        Verdict::Go
    }
}

/// What a thread is told: answers to its questions in order, and how many events it has.
#[derive(Clone, Copy)]
pub struct Script<'s> {
    pub answers: &'s [Answer],
    pub events: usize,
}

/// Runs a thread of the world.
pub fn run(world: &World<'_>, checks: Checks, thread: usize, script: Script<'_>, watch: &mut dyn Watch) -> Trace {
    let owner = norn_ir::number::narrow(thread + 1);
    let mut run = Run {
        world,
        checks,
        thread,
        script,
        watch,
        frames: Vec::new(),
        frames_made: 0,
        arena: Arena::new(owner, world.base.program.target),
        heap: 0,
        stack: 0,
        thread_locals: BTreeMap::new(),
        private: BTreeMap::new(),
        dead: BTreeSet::new(),
        control: 0,
        section: None,
        trace: Trace::nothing(),
    };
    run.trace.end = run.all().err().unwrap_or(End::Done);
    run.trace.objects = run.arena.objects;
    if let Some(section) = &run.section {
        run.trace.open_from = section.first_event;
    }
    run.trace
}

/// A section that the thread is in.
struct OpenSection {
    kind: norn_ir::instr::SectionKind,
    first_event: usize,
    /// The event that read a place, and the value that the place has now.
    places: Vec<Place>,
    acquires: bool,
    releases: bool,
    /// A dependency of what it writes.
    addr: Taint,
}

struct Place {
    cell: Cell,
    ty: Ty,
    read: Option<usize>,
    value: Value,
    written: bool,
}

struct Run<'r, 'p> {
    world: &'r World<'p>,
    checks: Checks,
    thread: usize,
    script: Script<'r>,
    watch: &'r mut dyn Watch,
    frames: Vec<Frame>,
    frames_made: usize,
    arena: Arena,
    heap: u32,
    stack: u32,
    thread_locals: BTreeMap<norn_ir::ids::GlobalId, ObjectId>,
    private: BTreeMap<ObjectId, Content>,
    /// Objects whose life this thread has ended.
    dead: BTreeSet<ObjectId>,
    /// What all later events depend on for control.
    control: Taint,
    section: Option<OpenSection>,
    trace: Trace,
}

type Done<T> = Result<T, End>;

/// Where an event comes from, and what it depends on.
#[derive(Clone, Copy, Default)]
struct Origins {
    addr: Taint,
    data: Taint,
}

/// What is known of an object while a thread runs: its own objects are not part of the world yet.
fn info_of<'o>(world: &'o World<'_>, thread: usize, arena: &'o Arena, object: ObjectId) -> Option<&'o ObjectInfo> {
    if object.owner as usize == thread + 1 {
        return arena.objects.get(object.index as usize);
    }
    world.info(object)
}

impl<'p> Run<'_, 'p> {
    fn all(&mut self) -> Done<()> {
        let (function, args) = match self.world.parent(self.thread) {
            None => (self.world.base.program.entry, Vec::new()),
            Some((parent, nth)) => {
                let spawn = self.world.traces[parent].spawns.get(nth);
                let Some((spawn, index)) = spawn.and_then(|spawn| Some((spawn, spawn.event?))) else {
                    return Err(End::NeedsValue);
                };
                let (function, args) = (spawn.function, spawn.args.clone());
                self.begin(Cell::Start(self.thread), EventId { thread: parent, index })?;
                (function, args)
            }
        };
        self.make_thread_locals()?;
        let args: Vec<(Ty, Value)> = args.into_iter().map(|(ty, value)| (ty, value.bare())).collect();
        let frame = self.frame_for(function, &args)?;
        self.frames.push(frame);
        for _ in 0..MAX_STEPS {
            let frame = self.frame();
            let block = self.function().block(frame.block);
            match block.instrs.get(frame.index) {
                Some(instr) => {
                    self.instr(&instr.kind)?;
                    // A call goes on in another frame, which begins with its first instruction.
                    if !matches!(instr.kind, InstrKind::Call { .. }) {
                        self.frame_mut().index += 1;
                    }
                }
                None => {
                    if self.terminator(&block.terminator.kind)? {
                        return Ok(());
                    }
                }
            }
        }
        Err(self.too_large("a thread executes too many instructions"))
    }

    // What is at hand.

    fn frame(&self) -> &Frame {
        self.frames.last().expect("a thread that runs should have a frame")
    }

    fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a thread that runs should have a frame")
    }

    fn function(&self) -> &'p Function {
        self.world.base.program.function(self.frame().function)
    }

    fn site(&self) -> Site {
        let frame = self.frame();
        Site::new(frame.function, frame.block, frame.index)
    }

    fn span_of(&self, frame: &Frame) -> Span {
        let block = self.world.base.program.function(frame.function).block(frame.block);
        block.instrs.get(frame.index).map_or(block.terminator.span, |instr| instr.span)
    }

    /// Where the thread is in the user's code, and the library's function that it is in.
    fn place(&self) -> (Span, Option<FuncId>) {
        let is_user = |frame: &&Frame| self.world.base.program.function(frame.function).origin == Origin::User;
        let Some(at) = self.frames.iter().rposition(|frame| is_user(&frame)) else {
            return (self.frames.last().map_or(Span::NONE, |frame| self.span_of(frame)), None);
        };
        (self.span_of(&self.frames[at]), self.frames.get(at + 1).map(|frame| frame.function))
    }

    fn set(&mut self, reg: Reg, value: Value) {
        let frame = self.frame_mut();
        frame.registers[reg.index()] = value;
        frame.assigned[reg.index()] += 1;
    }

    fn info(&self, object: ObjectId) -> Option<&ObjectInfo> {
        info_of(self.world, self.thread, &self.arena, object)
    }

    fn pointer_to(&self, object: ObjectId, offset: i64) -> Value {
        let base = self.info(object).map_or(0, |info| info.base);
        let bits = Ty::Ptr.truncate(base.wrapping_add_signed(offset), self.world.base.program.target);
        Value { bits: Some(bits), object: Some(object), taint: 0 }
    }

    fn value(&self, operand: Operand) -> Value {
        let frame = self.frame();
        match operand {
            Operand::Reg(reg) => frame.registers[reg.index()],
            Operand::Const(constant) => Value::int(constant.bits),
            Operand::Global(id, offset) => self.pointer_to(self.instance(id), offset),
            Operand::Local(id, offset) => {
                let object = frame.locals[id.index()].expect("a local that is mentioned should be alive");
                self.pointer_to(object, offset)
            }
            Operand::Func(function) => Value::int(function_address(function)),
        }
    }

    /// The object that a global is in this thread.
    fn instance(&self, id: norn_ir::ids::GlobalId) -> ObjectId {
        self.thread_locals.get(&id).copied().unwrap_or(ObjectId { owner: 0, index: id.0 })
    }

    /// A value that decides what comes next: all that follows depends on it.
    fn decided(&mut self, value: Value) -> Done<u64> {
        self.control |= value.taint;
        value.bits.ok_or(End::NeedsValue)
    }

    // Questions.

    fn ask(&mut self, question: Question) -> Option<Answer> {
        let number = self.trace.questions.len();
        self.trace.questions.push(question);
        self.script.answers.get(number).copied()
    }

    fn input(&mut self, ty: Ty, name: String) -> Done<Value> {
        let site = self.site();
        match self.ask(Question::Input { site, ty, name }) {
            Some(Answer::Value(bits)) => Ok(Value::int(ty.truncate(bits, self.world.base.program.target))),
            Some(Answer::Source(_)) => Err(End::Disabled),
            None => Err(End::NeedsAnswer),
        }
    }

    fn nondet(&mut self, dst: Reg, source: &NondetSource) -> Done<()> {
        let (NondetSource::Input(name) | NondetSource::Uninitialised(name)) = source;
        let value = self.input(self.function().ty(dst), name.clone())?;
        self.set(dst, value);
        Ok(())
    }

    /// A step waits. If one of the reads from that event on has decided so, the thread might as well not have made it yet: what it
    /// was told is of no use. Else it waits for ever.
    fn waits(&self, from: usize) -> End {
        if has_decided(&self.trace.events, from, self.control) { End::Disabled } else { End::Stopped }
    }

    // Events.

    /// Makes an event; its number.
    fn event(
        &mut self,
        kind: Kind,
        cell: Option<Cell>,
        (ty, value): (Ty, Value),
        (order, tags): (Order, Tags),
        origins: Origins,
    ) -> Done<usize> {
        let number = self.trace.events.len();
        if number >= self.script.events {
            return Err(End::Given);
        }
        if number >= MAX_EVENTS {
            return Err(self.too_large("a thread has too many events"));
        }
        let (span, library) = self.place();
        let step = self.section.as_ref().map_or(number, |section| section.first_event);
        self.trace.events.push(Event {
            kind,
            cell,
            ty,
            value,
            tags: tags.to_vec(),
            order,
            in_section: self.section.is_some(),
            step,
            asked: None,
            forced: None,
            span,
            library,
        });
        self.trace.addr.push(origins.addr);
        self.trace.data.push(origins.data);
        self.trace.ctrl.push(self.control);
        Ok(number)
    }

    fn fence_event(&mut self, tags: Option<Tags>, order: Order) -> Done<()> {
        let Some(tags) = tags else { return Ok(()) };
        self.event(Kind::Fence, None, (Ty::Bool, Value::int(0)), (order, tags), Origins::default())?;
        Ok(())
    }

    /// A read whose source is asked for: its number. The value depends on the read alone.
    fn read_event(&mut self, cell: Cell, ty: Ty, (order, tags): (Order, Tags), addr: Taint) -> Done<usize> {
        let unknown = Value::unknown();
        let number = self.event(Kind::Read, Some(cell), (ty, unknown), (order, tags), Origins { addr, data: 0 })?;
        let asked = self.trace.questions.len();
        let source = match self.ask(Question::Read(number)) {
            Some(Answer::Source(source)) => source,
            Some(Answer::Value(_)) => return Err(End::Disabled),
            None => None,
        };
        self.trace.events[number].asked = Some(asked);
        let value = match source {
            None => Value::unknown(),
            Some(source) => self.found(source, cell, ty)?,
        };
        self.trace.events[number].value = value.bare();
        Ok(number)
    }

    /// What a read finds at its source.
    fn found(&self, source: Source, cell: Cell, ty: Ty) -> Done<Value> {
        let value = match source {
            Source::Event(EventId { thread, index }) => {
                let events = match thread == self.thread {
                    true => &self.trace.events,
                    false => &self.world.traces[thread].events,
                };
                match events.get(index) {
                    Some(event) if event.kind == Kind::Write && event.cell == Some(cell) => event.value,
                    // Nothing is there (yet); who judges the graph sees that.
                    _ => Value::unknown(),
                }
            }
            Source::Initial => {
                let info = match cell {
                    Cell::Memory { object, .. } => self.info(object),
                    Cell::Start(_) | Cell::End(_) => None,
                };
                let initial = self.world.initial(info, cell, ty);
                initial.ok_or_else(|| self.doubt("a read of memory that was not initialised"))?
            }
        };
        Ok(Value { object: if ty == Ty::Ptr { value.object } else { None }, ..value.bare() })
    }

    /// The value of a read, as the thread has it.
    fn read_value(&self, number: usize) -> Value {
        self.trace.events[number].value.with(1 << number)
    }

    /// The first event of a thread, or what joins one.
    fn begin(&mut self, cell: Cell, from: EventId) -> Done<()> {
        let told = self.world.table.told();
        self.fence_event(told.before, Order::SeqCst)?;
        let value = Value::int(1);
        let number =
            self.event(Kind::Read, Some(cell), (Ty::I8, value), (Order::Acquire, told.tags), Origins::default())?;
        self.trace.events[number].forced = Some(from);
        self.fence_event(told.after, Order::SeqCst)
    }

    /// Tells other threads that one has been created, or ends. The number of the event.
    fn tell(&mut self, cell: Cell) -> Done<usize> {
        let tell = self.world.table.tell();
        self.fence_event(tell.before, Order::SeqCst)?;
        let value = (Ty::I8, Value::int(1));
        self.event(Kind::Write, Some(cell), value, (Order::Release, tell.tags), Origins::default())
    }

    // What goes wrong.

    fn doubt(&self, words: &'static str) -> End {
        End::Doubt(Undecided::at(Why::no_meaning(words), self.place().0))
    }

    fn no_meaning(&self, words: String) -> End {
        End::Doubt(Undecided::at(Why::no_meaning(words), self.place().0))
    }

    fn too_large(&self, words: &'static str) -> End {
        End::Doubt(Undecided::at(Why::too_large(words), self.place().0))
    }

    /// Something went wrong: a violation if it is looked for, else what that means.
    fn wrong(&mut self, kind: ViolationKind, message: String) -> Done<()> {
        let (span, _) = self.place();
        match self.checks.treatment(kind) {
            Treatment::Violation => Err(End::Violation(Violation { kind, span, message })),
            Treatment::Assumption => {
                self.trace.assumptions.push(Assumption { span, kind });
                Err(End::Stopped)
            }
            Treatment::Stop => Err(End::Stopped),
            Treatment::Ignored => Ok(()),
        }
    }

    /// The object that a local of the innermost frame is now.
    fn local(&mut self, local: LocalId) -> &mut Option<ObjectId> {
        &mut self.frame_mut().locals[local.index()]
    }
}
