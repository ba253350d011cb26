//! One execution of all threads, with the facts about the whole program that are known so far.
//!
//! Threads are executed in the order of their numbers; a creator comes before its children, so that what it passes to them
//! is known. What a child gives back to its creator (its end, its result) is connected when all have been executed.

use norn_ir::number::{narrow, to_usize};
use norn_verdict::undecided::{Undecided, Why};
use std::collections::{BTreeMap, HashMap, HashSet};

use norn_ir::address::function_address;
use norn_ir::ids::{FuncId, GlobalId};
use norn_ir::instr::FenceKind;
use norn_ir::program::{InitValue, Storage};
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_logic::terms::{Sort, Term, Terms};
use norn_passes::Site;
use norn_passes::analysed::Analysed;
use norn_passes::unwind::Bounded;
use norn_verdict::limits::Limits;
use norn_verdict::outcome::{Assumption, Checks, Treatment, Violation, ViolationKind};
use norn_verdict::pace::Pace;

use crate::code::Code;
use crate::deadlock::Waiting;
use crate::event::{
    Cell, CellId, Check, Condition, CutReached, Event, EventId, EventRange, Finding, Input, Mark, ObjectId, Section,
    SectionId, SectionKind, ThreadId,
};
use crate::facts::{Facts, Object, ObjectKind, Origin, Slot, SlotPlace, Slots};
use crate::moment::Moments;
use crate::range::Range;
use crate::run::Run;
use crate::strays::MadeOfNumber;
use crate::value::{Pointer, Value};

pub struct Execution<'a> {
    pub original: &'a Analysed,
    pub bounded: &'a Bounded,
    pub code: &'a HashMap<FuncId, Code>,
    pub checks_wanted: Checks,
    pub limits: &'a Limits,
    pub pace: Pace,
    pub facts: &'a mut Facts,
    pub pointer_bits: u32,
    pub terms: Terms,
    pub events: Vec<Event>,
    pub sections: Vec<Section>,
    /// Where sections of the program begin.
    pub section_begins: HashMap<usize, (ThreadId, Site)>,
    pub checks: Vec<Check>,
    pub cuts: Vec<CutReached>,
    pub marks: Vec<Mark>,
    pub constraints: Vec<Term>,
    pub threads: Vec<ThreadRun>,
    pub cells: Vec<Cell>,
    /// By slot.
    cell_ids: Vec<Option<CellId>>,
    /// Who waits where for whom, and the variable for the result.
    pub joins: Vec<PendingJoin>,
    pub joined: Vec<(EventId, Term)>,
    /// Inputs that stand for indeterminate pointers. Written to a cell, one makes the cell indeterminate: reading such
    /// a cell as a pointer has no meaning.
    pub indeterminate: HashSet<Term>,
    /// The sizes of objects that are not the same in all executions.
    sizes: BTreeMap<ObjectId, Term>,
    /// What was read from cells, as numbers.
    pub read: HashMap<Term, (Slot, Option<Range>)>,
    pub watches_addresses: Option<Span>,
    pub guesses_number: Option<Span>,
    /// The instruction that is executed makes a number of an address.
    pub makes_numbers: bool,
    /// The pointers to private objects that the instruction has made of numbers.
    pub made_of_numbers: Vec<MadeOfNumber>,
    /// Where threads may wait; empty unless deadlocks are looked for.
    pub waits: Vec<Waiting>,
    /// See [`crate::Symbolic`].
    pub observer: Option<ThreadId>,
    /// Main returns.
    pub main_returned: Term,
    /// Empty unless data races are looked for.
    pub moments: Moments,
    pub instructions: usize,
    /// Threads may stop before each step of theirs.
    pub may_stop: bool,
}

/// What is known about a thread during an execution.
#[derive(Clone, Debug)]
pub struct ThreadRun {
    pub function: Option<FuncId>,
    pub creator: Option<(ThreadId, EventId)>,
    pub start: Term,
    pub ended: Term,
    pub events: EventRange,
    pub inputs: Vec<Input>,
    /// Set when it is created, or before if the order of creations decides.
    pub number: Option<Term>,
    pub args: Vec<Value>,
    /// As a value of the class of results.
    pub result: Option<Term>,
}

impl ThreadRun {
    /// A thread of which nothing is known yet.
    pub fn waiting() -> ThreadRun {
        ThreadRun {
            function: None,
            creator: None,
            start: Term::FALSE,
            ended: Term::FALSE,
            events: EventRange::EMPTY,
            inputs: Vec::new(),
            number: None,
            args: Vec::new(),
            result: None,
        }
    }
}

pub struct PendingJoin {
    pub event: EventId,
    pub guard: Term,
    pub targets: Vec<(ThreadId, Term)>,
    /// A value of the class of results, if somebody looks at it.
    pub result: Option<Term>,
}

impl<'a> Execution<'a> {
    pub fn new(
        original: &'a Analysed,
        bounded: &'a Bounded,
        code: &'a HashMap<FuncId, Code>,
        checks_wanted: Checks,
        limits: &'a Limits,
        facts: &'a mut Facts,
    ) -> Execution<'a> {
        facts.begin();
        let mut terms = Terms::new();
        let pointer_bits = Ty::Ptr.bits(original.target);
        let mut threads = vec![ThreadRun::waiting(); facts.threads.len()];
        threads[0].function = Some(bounded.program.entry);
        threads[0].start = Term::TRUE;
        threads[0].number = Some(terms.bits(pointer_bits, 0));
        let numbers = facts.threads.len() as u64;
        for (index, thread) in threads.iter_mut().enumerate() {
            let by_main = facts.threads[index].is_none_or(|key| key.creator == ThreadId(0));
            if !by_main {
                let width = u64::BITS - numbers.leading_zeros();
                let number = terms.fresh(Sort::Bits(width));
                thread.number = Some(terms.zext(number, pointer_bits));
            }
        }
        Execution {
            original,
            bounded,
            code,
            checks_wanted,
            limits,
            // Most instructions are quick.
            pace: Pace::new(1 << 12, 16),
            facts,
            pointer_bits,
            terms,
            events: Vec::new(),
            sections: Vec::new(),
            section_begins: HashMap::new(),
            checks: Vec::new(),
            cuts: Vec::new(),
            marks: Vec::new(),
            constraints: Vec::new(),
            threads,
            cells: Vec::new(),
            cell_ids: Vec::new(),
            joins: Vec::new(),
            joined: Vec::new(),
            indeterminate: HashSet::new(),
            sizes: BTreeMap::new(),
            read: HashMap::new(),
            watches_addresses: None,
            guesses_number: None,
            makes_numbers: false,
            made_of_numbers: Vec::new(),
            waits: Vec::new(),
            observer: None,
            main_returned: Term::FALSE,
            moments: Moments::default(),
            instructions: 0,
            may_stop: false,
        }
    }

    /// Executes all threads.
    pub fn execute(&mut self, most_threads: usize) -> Result<(), Undecided> {
        let mut next = 0;
        while next < self.threads.len() {
            if next >= most_threads {
                let words = format!("the program creates more than {most_threads} threads");
                return Err(Undecided::new(Why::too_large(words)));
            }
            let first = self.next_event();
            if self.threads[next].start != Term::FALSE
                && let Some(function) = self.threads[next].function
            {
                Run::new(self, ThreadId::new(next), function).execute()?;
            }
            self.threads[next].events = EventRange::new(first, self.next_event());
            next += 1;
        }
        let waits = self.observe_waits()?;
        self.facts.end();
        if !self.facts.changed {
            self.connect_joins();
            self.number_threads();
            crate::lifetime::check_lifetimes(self);
            self.check_deadlock(waits);
        }
        Ok(())
    }

    /// A join is over only if the thread has ended, and gives the result of the thread.
    fn connect_joins(&mut self) {
        for join in std::mem::take(&mut self.joins) {
            self.joined.extend(join.result.map(|result| (join.event, result)));
            for (thread, condition) in join.targets {
                let here = self.terms.and(join.guard, condition);
                let ThreadRun { ended, result, .. } = self.threads[thread.0 as usize];
                let mut holds = ended;
                if let (Some(wanted), Some(given)) = (join.result, result) {
                    let same = self.terms.eq(wanted, given);
                    holds = self.terms.and(holds, same);
                }
                let constraint = self.terms.implies(here, holds);
                self.constrain(constraint);
            }
        }
    }

    /// Numbers that the order of creations decides on are in range and differ.
    fn number_threads(&mut self) {
        let count = self.threads.len() as u64;
        let open =
            |exec: &Execution<'_>, i: usize| exec.threads[i].number.is_some_and(|n| exec.terms.as_bits(n).is_none());
        for i in 1..self.threads.len() {
            let (Some(number), start) = (self.threads[i].number, self.threads[i].start) else { continue };
            if open(self, i) {
                let (zero, most) = (self.terms.bits(self.pointer_bits, 0), self.terms.bits(self.pointer_bits, count));
                let (low, high) = (self.terms.ult(zero, number), self.terms.ult(number, most));
                let inside = self.terms.and(low, high);
                let constraint = self.terms.implies(start, inside);
                self.constrain(constraint);
            }
            for j in 1..i {
                let (Some(other), other_start) = (self.threads[j].number, self.threads[j].start) else { continue };
                if open(self, i) || open(self, j) {
                    let both = self.terms.and(start, other_start);
                    let differ = self.terms.ne(number, other);
                    let constraint = self.terms.implies(both, differ);
                    self.constrain(constraint);
                }
            }
        }
    }

    pub fn constrain(&mut self, constraint: Term) {
        if constraint != Term::TRUE {
            self.constraints.push(constraint);
        }
    }

    // Events.

    pub fn next_event(&self) -> EventId {
        EventId::new(self.events.len())
    }

    pub fn add_section(&mut self, thread: ThreadId, kind: SectionKind, guard: Term, span: Span) -> SectionId {
        let id = SectionId::new(self.sections.len());
        let at = self.next_event();
        self.sections.push(Section { thread, kind, events: EventRange::new(at, at), guard, span });
        id
    }

    pub fn end_section(&mut self, section: SectionId) {
        self.sections[section.index()].events.end = self.next_event();
    }

    // Objects.

    pub fn global(&mut self, id: GlobalId, thread: ThreadId) -> ObjectId {
        let global = self.bounded.program.global(id);
        let is_thread_local = global.storage == Storage::Thread;
        let origin = if is_thread_local { Origin::ThreadLocal(id, thread) } else { Origin::Global(id) };
        let size = self.bounded.program.ty(global.ty).size;
        self.facts.object(origin, size, || Object {
            origin,
            kind: if global.storage == Storage::Constant { ObjectKind::Constant } else { ObjectKind::Static },
            size,
            private: global.private,
            zeroed: true,
            align: self.bounded.program.ty(global.ty).align,
            ty: Some(global.ty),
            name: global.name.clone(),
            sized_by_term: false,
            base: 0,
            place_of: None,
        })
    }

    /// The size of an object that is not the same in all executions, as wide as a pointer.
    pub fn size_term(&mut self, object: ObjectId) -> Option<Term> {
        if !self.facts.get(object).sized_by_term {
            return None;
        }
        let (terms, width) = (&mut self.terms, self.pointer_bits);
        Some(*self.sizes.entry(object).or_insert_with(|| terms.fresh(Sort::Bits(width))))
    }

    /// What a slot holds before anything is written; `None` if that is indeterminate.
    pub fn initial(&mut self, slot: Slot) -> Option<Value> {
        let place = self.facts.place(slot);
        let object = self.facts.get(place.object);
        let width = narrow(place.size) * 8;
        let (global, thread) = match object.origin {
            Origin::Global(global) => (global, ThreadId(0)),
            Origin::ThreadLocal(global, thread) => (global, thread),
            Origin::Made(..) if object.zeroed => return Some(Value::Bits(self.terms.bits(width, 0))),
            Origin::Made(..) => return None,
        };
        let program = &self.bounded.program;
        let (start, end) = (place.offset, place.offset + place.size);
        let init = &program.global(global).init;
        let mut bytes = [0u8; 8];
        // The entry before may reach into the place.
        let from = init.partition_point(|entry| entry.offset < start).saturating_sub(1);
        for entry in init[from..].iter().take_while(|entry| entry.offset < end) {
            let size = match &entry.value {
                InitValue::Const(constant) => constant.ty.size(program.target),
                InitValue::Bytes(bytes) => bytes.len() as u64,
                InitValue::Global(..) | InitValue::Func(_) => program.target.pointer_size(),
            };
            if entry.offset + size <= start {
                continue;
            }
            let content: Vec<u8> = match &entry.value {
                InitValue::Const(constant) => constant.bits.to_le_bytes()[..to_usize(size)].to_vec(),
                InitValue::Bytes(bytes) => bytes.clone(),
                InitValue::Func(function) => function_address(*function).to_le_bytes()[..to_usize(size)].to_vec(),
                &InitValue::Global(target, offset) => {
                    let object = self.global(target, thread);
                    if entry.offset == start && size == place.size {
                        let pointer = Pointer::object(&mut self.terms, self.pointer_bits, object, offset as u64);
                        return Some(Value::Pointer(pointer));
                    }
                    self.facts.expose(object);
                    let address = self.facts.get(object).base.wrapping_add_signed(offset);
                    address.to_le_bytes()[..to_usize(size)].to_vec()
                }
            };
            for (i, &byte) in content.iter().enumerate() {
                let at = entry.offset + i as u64;
                if at >= start && at < end {
                    bytes[to_usize(at - start)] = byte;
                }
            }
        }
        Some(Value::Bits(self.terms.bits(width, u64::from_le_bytes(bytes))))
    }

    /// The cell of a slot of a shared object.
    pub fn cell(&mut self, slot: Slot) -> CellId {
        if let Some(&Some(cell)) = self.cell_ids.get(slot.0 as usize) {
            return cell;
        }
        let content = self.initial(slot);
        let initial = match &content {
            None => {
                self.facts.may_hold(slot, &crate::class::Content::Indeterminate);
                let class = self.facts.class(slot);
                class.indeterminate(&mut self.terms)
            }
            Some(value) => self.encode(slot, value).0,
        };
        let place = self.facts.place(slot);
        let object = self.facts.get(place.object);
        let path = object.ty.map_or_else(
            || if place.offset == 0 { String::new() } else { format!("+{}", place.offset) },
            |ty| self.original.path_of(ty, place.offset, place.size),
        );
        let name = format!("{}{path}", object.name);
        let cell = CellId::new(self.cells.len());
        let class = self.facts.class(slot);
        let (width, encoding) = (class.width(), class.encoding().clone());
        let SlotPlace { object, offset, size } = place;
        self.cells.push(Cell { object, offset, size, width, initial, encoding, name });
        if self.cell_ids.len() <= slot.0 as usize {
            self.cell_ids.resize(slot.0 as usize + 1, None);
        }
        self.cell_ids[slot.0 as usize] = Some(cell);
        cell
    }

    // Findings.

    pub fn check(&mut self, thread: ThreadId, what: Finding, span: Span, violated: Term) {
        if violated != Term::FALSE {
            let position = self.next_event();
            self.checks.push(Check { what, thread, position, violated: Condition::Term(violated), span });
        }
    }

    /// An invalid use of memory for which other threads are to blame. Where the machine may see it otherwise, it has no
    /// meaning here.
    pub fn memory_finding(&self, kind: ViolationKind, message: &str, span: Span, replays: bool) -> Finding {
        if !replays {
            let words = format!("{}: {message}; there may be an object at the address", kind.phrase());
            return Finding::Undefined(Why::no_meaning(words));
        }
        match self.checks_wanted.treatment(kind) {
            Treatment::Violation => Finding::Violation(Violation { kind, span, message: message.to_owned() }),
            _ => Finding::Assumed { assumption: Some(Assumption { span, kind }), excluded: true },
        }
    }

    /// Whether a fence orders anything under some model.
    pub fn fence_matters(kind: FenceKind) -> bool {
        match kind {
            FenceKind::Full | FenceKind::Call | FenceKind::Release | FenceKind::AcqRel | FenceKind::StoreStore => true,
            FenceKind::Acquire | FenceKind::LoadLoad | FenceKind::Compiler => false,
        }
    }

    /// A write that is always the same depends on no read.
    pub fn note_write(&mut self, slot: Slot, value: Term, guard: Term) {
        if guard != Term::TRUE || self.terms.as_bits(value).is_none() {
            self.facts.chains.note_write(slot);
        }
    }

    pub fn event(&mut self, event: Event) -> EventId {
        let id = self.next_event();
        self.events.push(event);
        id
    }

    pub fn slots_of(&mut self, object: ObjectId, offset: u64, size: u64) -> Slots {
        self.facts.slots(object, offset, size)
    }
}
