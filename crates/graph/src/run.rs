//! Runs one thread alone, with the values that its reads are given: its events, and how they depend on one another.
//!
//! Every register carries the set of events that its value depends on by the text of the program. A load's result
//! depends on the load alone; what it reads from an address that depends on another load is a dependency of the load,
//! not of its value.

use std::collections::HashMap;

use crate::live::{Heads, Live};
use crate::program::{BinaryOp, Cell, CellInfo, Expr, Instr, Label, Program, Reg, Tags, Thread, UnaryOp, Width};

/// Events that a thread may have: as many as a set of dependencies has bits.
pub const MAX_EVENTS: usize = 128;
/// Instructions that a thread may execute.
const MAX_STEPS: usize = 20_000;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    Read,
    Write,
    Fence,
}

/// Which tags of its instruction an event has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    Only,
    /// The read of an [`Instr::Rmw`] that wrote.
    Read,
    Write,
    /// The read of an [`Instr::Rmw`] that did not write.
    Failed,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Event {
    pub kind: Kind,
    /// `None` for most fences.
    pub cell: Option<Cell>,
    pub value: u64,
    /// The instruction, as an index into the code of the thread.
    pub step: usize,
    pub part: Part,
    /// The number of the access among those of the thread: an access of several cells is as many events.
    pub access: usize,
}

impl Event {
    pub fn tags<'t>(&self, thread: &'t Thread) -> &'t Tags {
        match (&thread.code[self.step].instr, self.part) {
            (Instr::Rmw { read, .. }, Part::Read) => read,
            (Instr::Rmw { write, .. }, Part::Write) => write,
            (Instr::Rmw { otherwise, .. }, _) => otherwise,
            (
                Instr::Load { tags, .. }
                | Instr::Store { tags, .. }
                | Instr::StoreExclusive { tags, .. }
                | Instr::Fence { tags, .. },
                _,
            ) => tags,
            (other, _) => unreachable!("{other:?} should make no event"),
        }
    }
}

/// Where a thread asks what happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ask {
    /// The value that a read finds.
    Read(Cell),
    /// Whether an exclusive store that may succeed does so: 1 or 0.
    Exclusive,
    /// 0 or 1.
    Choice,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Done,
    /// An assumption does not hold, or nobody answered.
    Stopped,
    /// It has more events, steps or rounds of loops than are looked at.
    Cut,
    /// It accesses a part of a cell.
    MixedSize,
    /// It accesses an address that no cell has.
    NoCell,
}

/// What a thread did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// In program order.
    pub events: Vec<Event>,
    /// Per event, the earlier events that its address, its value and its being executed depend on.
    pub addr: Vec<u128>,
    pub data: Vec<u128>,
    pub ctrl: Vec<u128>,
    /// Read and write of one instruction.
    pub amo: Vec<(usize, usize)>,
    /// Exclusive load and the exclusive store that belongs to it.
    pub lxsx: Vec<(usize, usize)>,
    /// The final values.
    pub registers: Vec<u64>,
    /// All answers given, in order.
    pub answers: Vec<u64>,
    pub end: End,
}

/// How loops are followed.
#[derive(Clone, Copy, Debug)]
pub struct Loops<'l> {
    /// No jump leads back more often.
    pub rounds: usize,
    /// A run stops when it comes back to one of these with nothing changed.
    pub heads: Option<&'l Heads>,
}

impl Loops<'_> {
    /// To their end.
    pub const ALL: Loops<'static> = Loops { rounds: usize::MAX, heads: None };
}

/// Runs `thread` of `program`. `ask` answers what the thread alone cannot know; without an answer it stops.
pub fn run(program: &Program, thread: usize, loops: Loops<'_>, ask: &mut dyn FnMut(Ask) -> Option<u64>) -> Trace {
    let code = &program.threads[thread];
    let mut run = Run {
        program,
        registers: code.registers.iter().map(|register| (register.init, 0)).collect(),
        control: 0,
        local_control: Vec::new(),
        reserved: None,
        accesses: 0,
        seen: HashMap::new(),
        trace: Trace {
            events: Vec::new(),
            addr: Vec::new(),
            data: Vec::new(),
            ctrl: Vec::new(),
            amo: Vec::new(),
            lxsx: Vec::new(),
            registers: Vec::new(),
            answers: Vec::new(),
            end: End::Done,
        },
        ask,
    };
    run.trace.end = run.all(code, loops).err().unwrap_or(End::Done);
    run.trace.registers = run.registers.iter().map(|(value, _)| *value).collect();
    run.trace
}

/// A value and the events it depends on.
type Tainted = (u64, u128);

/// What matters at the head of a loop.
#[derive(PartialEq)]
struct Snapshot {
    registers: Vec<u64>,
    reserved: Option<(usize, Span)>,
    /// Writes and fences so far.
    others: usize,
}

/// The cells of an access: `count` of the width `unit`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Span {
    first: Cell,
    count: usize,
    unit: Width,
}

impl Span {
    fn cell(self, index: usize) -> Cell {
        Cell::new(self.first.index() + index)
    }

    /// The part of a value that goes to one of the cells.
    fn part(self, value: u64, index: usize) -> u64 {
        self.unit.truncate(value >> self.unit.shift(index))
    }
}

/// The bits of that many events from the `first` on.
fn bits(first: usize, count: usize) -> u128 {
    (first..first + count).fold(0, |all, event| all | 1 << event)
}

struct Run<'r> {
    program: &'r Program,
    registers: Vec<Tainted>,
    /// What all later events depend on for control.
    control: u128,
    /// The same, up to a label.
    local_control: Vec<(Label, u128)>,
    /// The last exclusive load: its first event, and what it accesses.
    reserved: Option<(usize, Span)>,
    accesses: usize,
    /// How things were when the run last came to the head of a loop.
    seen: HashMap<usize, Snapshot>,
    trace: Trace,
    ask: &'r mut dyn FnMut(Ask) -> Option<u64>,
}

impl Run<'_> {
    fn all(&mut self, thread: &Thread, loops: Loops<'_>) -> Result<(), End> {
        let mut at = 0;
        let (mut steps, mut backward) = (0, 0);
        while let Some(step) = thread.code.get(at) {
            steps += 1;
            if steps > MAX_STEPS {
                return Err(End::Cut);
            }
            let target = match &step.instr {
                Instr::Jump(label) => Some(*label),
                Instr::Branch { condition, target, until } => {
                    let (value, taint) = self.value(condition);
                    match until {
                        None => self.control |= taint,
                        Some(end) => self.local_control.push((*end, taint)),
                    }
                    (value != 0).then_some(*target)
                }
                Instr::Label(label) => {
                    self.local_control.retain(|(end, _)| end != label);
                    if let Some(live) = loops.heads.and_then(|heads| heads.at(at)) {
                        self.come_to(at, live)?;
                    }
                    None
                }
                other => {
                    self.step(at, other)?;
                    None
                }
            };
            let next = match target {
                None => at + 1,
                Some(label) => place(thread, label),
            };
            // A jump over the end of a dependency ends it too.
            self.local_control.retain(|(end, _)| !(at + 1..next).contains(&place(thread, *end)));
            if next <= at {
                backward += 1;
                if backward > loops.rounds {
                    return Err(End::Cut);
                }
            }
            at = next;
        }
        Ok(())
    }

    /// Stops if nothing that matters has changed since the run was here before.
    fn come_to(&mut self, at: usize, live: &Live) -> Result<(), End> {
        let value = |reg: &Reg| self.registers[reg.index()].0;
        let now = Snapshot {
            registers: live.registers.iter().map(value).collect(),
            reserved: self.reserved.filter(|_| live.reservation),
            others: self.trace.events.iter().filter(|event| event.kind != Kind::Read).count(),
        };
        if self.seen.get(&at) == Some(&now) {
            return Err(End::Stopped);
        }
        self.seen.insert(at, now);
        Ok(())
    }

    fn step(&mut self, at: usize, instr: &Instr) -> Result<(), End> {
        match instr {
            Instr::Assign { dst, value } => {
                let value = self.value(value);
                self.set(*dst, value);
            }
            Instr::Load { dst, addr, width, exclusive, .. } => {
                let (span, taint) = self.span(addr, *width)?;
                let value = self.found(span)?;
                let first = self.access(Kind::Read, span, value, (at, Part::Only), (taint, 0))?;
                self.set(*dst, (value, bits(first, span.count)));
                if *exclusive {
                    self.reserved = Some((first, span));
                }
            }
            Instr::Store { addr, value, width, .. } => {
                let (span, taint) = self.span(addr, *width)?;
                let (value, data) = self.value(value);
                self.access(Kind::Write, span, value, (at, Part::Only), (taint, data))?;
            }
            Instr::StoreExclusive { status, addr, value, width, status_depends, .. } => {
                let (span, taint) = self.span(addr, *width)?;
                let (value, data) = self.value(value);
                let reserved = self.reserved.take().filter(|(_, other)| *other == span);
                let mut result = (1, 0);
                if let Some((load, _)) = reserved
                    && self.answer(Ask::Exclusive)? != 0
                {
                    let store = self.access(Kind::Write, span, value, (at, Part::Only), (taint, data))?;
                    self.trace.lxsx.extend((0..span.count).map(|index| (load + index, store + index)));
                    result = (0, if *status_depends { bits(store, span.count) } else { 0 });
                }
                self.set(*status, result);
            }
            Instr::Rmw { old, addr, width, when, value, .. } => {
                let (span, taint) = self.span(addr, *width)?;
                let found = self.found(span)?;
                // The events are made when it is known which tags they have; their numbers are known.
                let read = self.trace.events.len();
                if read + span.count > MAX_EVENTS {
                    return Err(End::Cut);
                }
                self.set(*old, (found, bits(read, span.count)));
                let writes = when.as_ref().is_none_or(|when| self.value(when).0 != 0);
                let part = if writes { Part::Read } else { Part::Failed };
                self.access(Kind::Read, span, found, (at, part), (taint, 0))?;
                if writes {
                    let (value, data) = self.value(value);
                    let write = self.access(Kind::Write, span, value, (at, Part::Write), (taint, data))?;
                    self.trace.amo.extend((0..span.count).map(|index| (read + index, write + index)));
                }
            }
            Instr::Fence { addr, .. } => {
                let (cell, taint) = match addr {
                    None => (None, 0),
                    Some(addr) => {
                        let (address, taint) = self.value(addr);
                        (Some(self.program.cell_at(address).ok_or(End::NoCell)?), taint)
                    }
                };
                self.accesses += 1;
                self.event(Kind::Fence, cell, 0, (at, Part::Only), (taint, 0))?;
            }
            Instr::Choose { dst } => {
                let value = self.answer(Ask::Choice)?;
                self.set(*dst, (value, 0));
            }
            Instr::Assume(condition) => {
                if self.value(condition).0 == 0 {
                    return Err(End::Stopped);
                }
            }
            Instr::Label(_) | Instr::Jump(_) | Instr::Branch { .. } => unreachable!("jumps are not steps"),
        }
        Ok(())
    }

    fn answer(&mut self, question: Ask) -> Result<u64, End> {
        let answer = (self.ask)(question).ok_or(End::Stopped)?;
        self.trace.answers.push(answer);
        Ok(answer)
    }

    /// The value that a read of these cells finds.
    fn found(&mut self, span: Span) -> Result<u64, End> {
        let mut value = 0;
        for index in 0..span.count {
            let part = self.answer(Ask::Read(span.cell(index)))?;
            value |= span.unit.truncate(part) << span.unit.shift(index);
        }
        Ok(value)
    }

    /// The events of an access, one per cell; the first of them.
    fn access(
        &mut self,
        kind: Kind,
        span: Span,
        value: u64,
        origin: (usize, Part),
        taints: (u128, u128),
    ) -> Result<usize, End> {
        let first = self.trace.events.len();
        self.accesses += 1;
        for index in 0..span.count {
            self.event(kind, Some(span.cell(index)), span.part(value, index), origin, taints)?;
        }
        Ok(first)
    }

    fn event(
        &mut self,
        kind: Kind,
        cell: Option<Cell>,
        value: u64,
        (step, part): (usize, Part),
        (addr, data): (u128, u128),
    ) -> Result<usize, End> {
        let trace = &mut self.trace;
        if trace.events.len() >= MAX_EVENTS {
            return Err(End::Cut);
        }
        trace.events.push(Event { kind, cell, value, step, part, access: self.accesses });
        trace.addr.push(addr);
        trace.data.push(data);
        trace.ctrl.push(self.local_control.iter().fold(self.control, |all, (_, taint)| all | taint));
        Ok(trace.events.len() - 1)
    }

    fn set(&mut self, reg: Reg, value: Tainted) {
        self.registers[reg.index()] = value;
    }

    /// The cells that an access covers: one, or several next to one another, none of them in part.
    fn span(&self, addr: &Expr, width: Width) -> Result<(Span, u128), End> {
        let (address, taint) = self.value(addr);
        let cells = &self.program.cells;
        let overlaps = |info: &CellInfo| {
            address.wrapping_sub(info.address) < info.width.bytes()
                || info.address.wrapping_sub(address) < width.bytes()
        };
        let Some(first) = cells.iter().position(overlaps) else { return Err(End::NoCell) };
        let covered: Vec<&CellInfo> = cells[first..].iter().take_while(|info| overlaps(info)).collect();
        let unit = covered[0].width;
        let span = Span { first: Cell::new(first), count: covered.len(), unit };
        let is_whole = covered[0].address == address
            && covered.iter().all(|info| info.width == unit)
            && covered.len() as u64 * unit.bytes() == width.bytes();
        if is_whole { Ok((span, taint)) } else { Err(End::MixedSize) }
    }

    fn value(&self, expr: &Expr) -> Tainted {
        match expr {
            Expr::Const(value) => (*value, 0),
            Expr::Reg(reg) => self.registers[reg.index()],
            Expr::Unary(op, inner) => {
                let (value, taint) = self.value(inner);
                let value = match op {
                    UnaryOp::Not => !value,
                    UnaryOp::Negate => value.wrapping_neg(),
                    UnaryOp::IsZero => u64::from(value == 0),
                };
                (value, taint)
            }
            Expr::Binary(op, lhs, rhs) => {
                let ((lhs, left), (rhs, right)) = (self.value(lhs), self.value(rhs));
                (binary(*op, lhs, rhs), left | right)
            }
            Expr::Truncate(width, inner) => {
                let (value, taint) = self.value(inner);
                (width.truncate(value), taint)
            }
            Expr::SignExtend(width, inner) => {
                let (value, taint) = self.value(inner);
                (width.sign_extend(value), taint)
            }
            Expr::Select(condition, then, otherwise) => {
                let ((chosen, first), (then, second)) = (self.value(condition), self.value(then));
                let (otherwise, third) = self.value(otherwise);
                (if chosen != 0 { then } else { otherwise }, first | second | third)
            }
        }
    }
}

fn binary(op: BinaryOp, lhs: u64, rhs: u64) -> u64 {
    let signed = (lhs as i64, rhs as i64);
    let shift = rhs & 63;
    match op {
        BinaryOp::Add => lhs.wrapping_add(rhs),
        BinaryOp::Sub => lhs.wrapping_sub(rhs),
        BinaryOp::Mul => lhs.wrapping_mul(rhs),
        BinaryOp::And => lhs & rhs,
        BinaryOp::Or => lhs | rhs,
        BinaryOp::Xor => lhs ^ rhs,
        BinaryOp::ShiftLeft => lhs << shift,
        BinaryOp::ShiftRight => lhs >> shift,
        BinaryOp::ShiftRightSigned => (signed.0 >> shift) as u64,
        BinaryOp::Equal => u64::from(lhs == rhs),
        BinaryOp::NotEqual => u64::from(lhs != rhs),
        BinaryOp::Less => u64::from(lhs < rhs),
        BinaryOp::LessEqual => u64::from(lhs <= rhs),
        BinaryOp::LessSigned => u64::from(signed.0 < signed.1),
        BinaryOp::LessEqualSigned => u64::from(signed.0 <= signed.1),
    }
}

/// Where a label stands; the end of the code if it does not.
fn place(thread: &Thread, label: Label) -> usize {
    let is_it = |instr: &Instr| matches!(instr, Instr::Label(other) if *other == label);
    thread.code.iter().position(|step| is_it(&step.instr)).unwrap_or(thread.code.len())
}
