//! The symbolic execution of one thread: all its paths at once, block by block.
//!
//! Control only moves forward, so each block is executed once, after all blocks that jump to it, with what their states
//! have in common and a choice where they differ. Blocks inside a section come before all others, so that the events of a
//! section are next to each other.

use crate::execution::Execution;
use norn_ir::number::narrow;
use norn_verdict::undecided::{Undecided, Why};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use norn_ir::address::function_address;
use norn_ir::ids::{BlockId, FuncId, Reg};
use norn_ir::instr::{Instr, Operand, TerminatorKind};
use norn_ir::program::Function;
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_logic::terms::{Sort, Term};
use norn_passes::Site;
use norn_verdict::outcome::{Assumption, Treatment, Violation, ViolationKind};

use crate::code::{Code, UserPlace, user_place};
use crate::deadlock::Observed;
use crate::event::{
    CutReached, Event, EventId, EventKind, Finding, Input, Limited, Mark, ObjectId, SectionId, ThreadId,
};
use crate::facts::Slot;
use crate::guard::{Guard, Guards};
use crate::range::Range;
use crate::trie::Trie;
use crate::value::{Pointer, Value};

pub struct Run<'p, 'a> {
    pub exec: &'p mut Execution<'a>,
    pub thread: ThreadId,
    pub id: FuncId,
    pub function: &'a Function,
    code: &'a Code,
    pub guards: Guards,
    /// Where the execution is; `None` once nothing gets there.
    pub guard: Option<Guard>,
    pub state: State,
    pub site: Site,
    pub span: Span,
    /// The guards under which the thread ends, with what it returns.
    pub ends: Vec<(Guard, Value)>,
    /// Creations so far, with their guards.
    pub creations: Vec<(Guard, ThreadId)>,
    /// By slot: the most that is added to numbers on any way.
    pub steps: BTreeMap<Slot, [Range; 2]>,
    /// The observer of deadlocks runs a section of the thread.
    pub observed: Option<Observed>,
}

/// What a thread knows at a point, apart from where that is.
#[derive(Clone, Default)]
pub struct State {
    pub registers: Trie<Value>,
    /// By local: the object that its name stands for.
    pub locals: Trie<Pointer>,
    /// By slot: what private memory holds, if it was written.
    pub memory: Trie<Held>,
    /// By object: whether this thread has ended its life.
    pub ended: Trie<Term>,
    /// By slot: what was added to numbers in shared memory on the way here.
    pub steps: Trie<[Range; 2]>,
    pub section: Option<SectionId>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Held {
    pub value: Value,
    /// It has been written; else it is indeterminate.
    pub initialised: Term,
}

impl<'p, 'a> Run<'p, 'a> {
    pub fn new(exec: &'p mut Execution<'a>, thread: ThreadId, id: FuncId) -> Run<'p, 'a> {
        let function = exec.bounded.program.function(id);
        let start = exec.threads[thread.0 as usize].start;
        let code = &exec.code[&id];
        Run {
            exec,
            thread,
            id,
            function,
            code,
            guards: Guards::new(start),
            guard: Some(Guard::ROOT),
            state: State::default(),
            site: Site { function: id, block: Function::ENTRY, index: 0 },
            span: function.span,
            ends: Vec::new(),
            creations: Vec::new(),
            steps: BTreeMap::new(),
            observed: None,
        }
    }

    pub fn execute(mut self) -> Result<(), Undecided> {
        let args = std::mem::take(&mut self.exec.threads[self.thread.0 as usize].args);
        for (&param, arg) in self.function.params.iter().zip(args) {
            self.state.registers.set(param.0, arg);
        }
        let mut arrivals = self.code.arrivals.clone();
        let mut edges: Vec<Vec<(Guard, State)>> = Vec::new();
        edges.resize_with(self.function.blocks.len(), Vec::new);
        edges[0].push((Guard::ROOT, std::mem::take(&mut self.state)));
        // Outside of sections comes last, and before it where a section may end.
        let mut ready = BinaryHeap::from([Reverse((true, false, 0u32))]);
        while let Some(Reverse((_, _, number))) = ready.pop() {
            let block = BlockId(number);
            let incoming = std::mem::take(&mut edges[block.index()]);
            let outgoing = if incoming.is_empty() { Vec::new() } else { self.block(block, incoming)? };
            for (to, guard, state) in outgoing {
                edges[to.index()].push((guard, state));
            }
            for to in self.function.block(block).terminator.kind.successors() {
                arrivals[to.index()] -= 1;
                if arrivals[to.index()] == 0 {
                    let outside = edges[to.index()].first().is_none_or(|edge| edge.1.section.is_none());
                    ready.push(Reverse((outside, self.code.ends_section[to.index()], to.0)));
                }
            }
        }
        self.finish();
        Ok(())
    }

    /// Executes a block and gives where control goes from there.
    fn block(
        &mut self,
        block: BlockId,
        incoming: Vec<(Guard, State)>,
    ) -> Result<Vec<(BlockId, Guard, State)>, Undecided> {
        self.enter(block, incoming);
        let mut index = 0;
        let code: &'a [Instr] = &self.function.block(block).instrs;
        while index < code.len() && self.guard.is_some() {
            index += self.one_instr(block, code, index)?;
        }
        Ok(self.leave(block, index))
    }

    /// Takes over what is known on the ways into a block.
    pub fn enter(&mut self, block: BlockId, incoming: Vec<(Guard, State)>) {
        let guards: Vec<Guard> = incoming.iter().map(|edge| edge.0).collect();
        self.guard = self.guards.join(&mut self.exec.terms, &guards);
        self.state = self.merge(block, incoming);
    }

    /// Executes an instruction of a block; gives how many were executed.
    pub fn one_instr(&mut self, block: BlockId, code: &[Instr], index: usize) -> Result<usize, Undecided> {
        self.exec.instructions += 1;
        self.exec.pace.look(self.exec.limits).map_err(Undecided::limit)?;
        self.site = Site { function: self.id, block, index: narrow(index) };
        self.span = code[index].span;
        let executed = self.instr(code, index);
        self.look_for_strays();
        if std::mem::take(&mut self.exec.makes_numbers) {
            self.exec.watches_addresses.get_or_insert(code[index].span);
        }
        Ok(executed)
    }

    /// Where control goes after the last instruction of a block.
    pub fn leave(&mut self, block: BlockId, index: usize) -> Vec<(BlockId, Guard, State)> {
        if self.guard.is_none() {
            return Vec::new();
        }
        self.site = Site { function: self.id, block, index: narrow(index) };
        let terminator = &self.function.block(block).terminator;
        self.span = terminator.span;
        self.terminator(block, &terminator.kind)
    }

    fn merge(&mut self, block: BlockId, incoming: Vec<(Guard, State)>) -> State {
        let merge = self.guards.merge(&mut self.exec.terms, incoming);
        let exec = &mut *self.exec;
        let last_use = &self.code.last_use;
        let thread = self.thread;
        let choose = |condition: Term, a: State, b: State| {
            let registers = a.registers.merge(&b.registers, &mut |reg, x, y| {
                if last_use[reg as usize] < block.0 {
                    return None;
                }
                merge_values(exec, condition, x, y)
            });
            let locals = a.locals.merge(&b.locals, &mut |_, x, y| match (x, y) {
                (Some(x), Some(y)) => Some(Pointer::ite(&mut exec.terms, condition, x, y)),
                (x, y) => x.or(y).cloned(),
            });
            let memory = a.memory.merge(&b.memory, &mut |slot, x, y| exec.merge_held(condition, slot, x, y));
            let ended = a.ended.merge(&b.ended, &mut |object, x, y| {
                // What was not made on one side does not live there; only the end of the thread asks.
                let absent = exec.ended_by_default(crate::event::ObjectId(object), thread);
                let (x, y) = (x.copied().unwrap_or(absent), y.copied().unwrap_or(absent));
                Some(exec.terms.ite(condition, x, y))
            });
            let steps = a.steps.merge(&b.steps, &mut |_, x, y| {
                let (x, y) = (x.unwrap_or(&[Range::ZERO; 2]), y.unwrap_or(&[Range::ZERO; 2]));
                Some([x[0].join(y[0]), x[1].join(y[1])])
            });
            State { registers, locals, memory, ended, steps, section: a.section }
        };
        merge.with(choose).unwrap_or_default()
    }

    fn terminator(&mut self, block: BlockId, kind: &'a TerminatorKind) -> Vec<(BlockId, Guard, State)> {
        let Some(guard) = self.guard else { return Vec::new() };
        match *kind {
            TerminatorKind::Goto(to) => return vec![(to, guard, std::mem::take(&mut self.state))],
            TerminatorKind::Branch { cond, then, otherwise } => {
                let cond = self.bits(cond);
                return self.branch(cond, guard, then, otherwise);
            }
            TerminatorKind::Switch { ty, value, ref cases, default } => {
                let value = self.bits(value);
                return self.switch(ty, value, guard, cases, default);
            }
            TerminatorKind::Return(value) => {
                if self.thread.0 == 0 {
                    let here = self.guards.term(guard);
                    self.exec.main_returned = self.exec.terms.or(self.exec.main_returned, here);
                }
                let value = value.map(|value| self.value(value));
                self.end_thread(value);
            }
            TerminatorKind::ThreadExit(value) => {
                let value = self.value(value);
                self.end_thread(Some(value));
            }
            // Never taking that step is as good. Inside of a section the step is the section, whose accesses may race.
            TerminatorKind::Exit(_) | TerminatorKind::Abort => {
                if self.state.section.is_some() && self.observed.is_none() {
                    match self.exec.checks_wanted.data_race {
                        true => self.undefined("a section that ends the program", Term::TRUE),
                        false => self.wait_for(Term::FALSE),
                    }
                }
            }
            TerminatorKind::Stop => match self.code.cuts.get(&block) {
                Some(cut) => {
                    let guard = self.guards.term(guard);
                    self.reach_cut(Limited::Loop, guard, (cut.span, cut.bound));
                }
                None if self.state.section.is_some() => {
                    self.undefined("a section in which the thread stops", Term::TRUE)
                }
                None => {}
            },
            TerminatorKind::Unreachable => {
                self.undefined("a point was reached that the front end took for unreachable", Term::TRUE);
            }
            TerminatorKind::Unsupported(ref reason) => self.undefined(reason.clone(), Term::TRUE),
        }
        Vec::new()
    }

    /// A thread that gets here stops because of a bound.
    fn reach_cut(&mut self, limited: Limited, guard: Term, (span, bound): (Span, u32)) {
        if self.observed.is_some() {
            return;
        }
        let (thread, position) = (self.thread, self.exec.next_event());
        let in_section = self.state.section.is_some();
        self.exec.cuts.push(CutReached { limited, thread, guard, span, bound, position, in_section });
    }

    /// An allocation of more bytes than this is not looked at: the thread stops there.
    pub fn limit_size(&mut self, larger: Term, bound: u32) {
        let here = self.guard_term();
        let guard = self.exec.terms.and(here, larger);
        if guard != Term::FALSE {
            let span = self.user_place().span;
            self.reach_cut(Limited::Size, guard, (span, bound));
        }
        self.assume(!larger);
    }

    fn branch(&mut self, cond: Term, guard: Guard, then: BlockId, otherwise: BlockId) -> Vec<(BlockId, Guard, State)> {
        let yes = self.guards.and(&mut self.exec.terms, guard, cond);
        let no = self.guards.and(&mut self.exec.terms, guard, !cond);
        let state = std::mem::take(&mut self.state);
        match (yes, no) {
            (Some(yes), Some(no)) => vec![(then, yes, state.clone()), (otherwise, no, state)],
            (Some(yes), None) => vec![(then, yes, state)],
            (None, Some(no)) => vec![(otherwise, no, state)],
            (None, None) => Vec::new(),
        }
    }

    fn switch(
        &mut self,
        ty: Ty,
        value: Term,
        guard: Guard,
        cases: &[(u64, BlockId)],
        default: BlockId,
    ) -> Vec<(BlockId, Guard, State)> {
        let mut edges = Vec::new();
        let state = std::mem::take(&mut self.state);
        let mut rest = Some(guard);
        for &(number, to) in cases {
            let Some(guard) = rest else { break };
            let is_case = if ty == Ty::Bool {
                if number != 0 { value } else { !value }
            } else {
                let number = self.exec.terms.bits(self.exec.terms.width(value), number);
                self.exec.terms.eq(value, number)
            };
            if let Some(guard) = self.guards.and(&mut self.exec.terms, guard, is_case) {
                edges.push((to, guard, state.clone()));
            }
            rest = self.guards.and(&mut self.exec.terms, guard, !is_case);
        }
        if let Some(guard) = rest {
            edges.push((default, guard, state));
        }
        edges
    }

    /// The thread as a whole, once all its paths are known.
    fn finish(mut self) {
        let guards: Vec<Guard> = self.ends.iter().map(|end| end.0).collect();
        let ended = self.guards.join(&mut self.exec.terms, &guards);
        let ended = ended.map_or(Term::FALSE, |guard| self.guards.term(guard));
        let ends = std::mem::take(&mut self.ends);
        let merge = self.guards.merge(&mut self.exec.terms, ends);
        let exec = &mut *self.exec;
        let result = merge.with(|condition, a, b| merge_values(exec, condition, Some(&a), Some(&b)).unwrap_or(a));
        let result = result.map(|value| self.exec.encode_result(&value));
        for (&slot, &steps) in &self.steps {
            self.exec.facts.may_step(slot, steps);
        }
        let thread = &mut self.exec.threads[self.thread.0 as usize];
        thread.ended = ended;
        thread.result = result;
    }

    // What is at hand.

    pub fn guard_term(&self) -> Term {
        self.guard.map_or(Term::FALSE, |guard| self.guards.term(guard))
    }

    pub fn value(&mut self, operand: Operand) -> Value {
        let exec = &mut *self.exec;
        match operand {
            Operand::Reg(reg) => match self.state.registers.get(reg.0) {
                Some(value) => value.clone(),
                None => {
                    let ty = self.function.ty(reg);
                    exec.zero(ty)
                }
            },
            Operand::Const(constant) => match constant.ty {
                Ty::Bool => Value::Bits(exec.terms.bool(constant.bits != 0)),
                Ty::Ptr => Value::Pointer(Pointer::number(exec.terms.bits(exec.pointer_bits, constant.bits))),
                ty => Value::Bits(exec.terms.bits(ty.bits(exec.original.target), constant.bits)),
            },
            Operand::Global(id, offset) => {
                let object = exec.global(id, self.thread);
                Value::Pointer(Pointer::object(&mut exec.terms, exec.pointer_bits, object, offset as u64))
            }
            Operand::Local(id, offset) => {
                let base = self.state.locals.get(id.0).cloned();
                let base = base.unwrap_or_else(|| Pointer::number(exec.terms.bits(exec.pointer_bits, 0)));
                let bytes = exec.terms.bits(exec.pointer_bits, offset as u64);
                Value::Pointer(base.plus(&mut exec.terms, bytes, crate::value::Grid::constant(offset)))
            }
            Operand::Func(function) => {
                let address = function_address(function);
                Value::Pointer(Pointer::number(exec.terms.bits(exec.pointer_bits, address)))
            }
        }
    }

    /// An operand as bits; of a pointer, its address.
    pub fn bits(&mut self, operand: Operand) -> Term {
        match self.value(operand) {
            Value::Bits(term) => term,
            Value::Pointer(pointer) => self.exec.address(&pointer),
        }
    }

    pub fn pointer(&mut self, operand: Operand) -> Pointer {
        match self.value(operand) {
            Value::Pointer(pointer) => pointer,
            Value::Bits(term) => self.exec.pointer_from(term),
        }
    }

    pub fn set(&mut self, reg: Reg, value: Value) {
        self.state.registers.set(reg.0, value);
    }

    /// Goes on only where the condition holds.
    pub fn assume(&mut self, condition: Term) {
        if let Some(guard) = self.guard {
            self.guard = self.guards.and(&mut self.exec.terms, guard, condition);
        }
    }

    /// Before a visible step, where threads may stop.
    pub fn may_stop(&mut self) {
        if self.exec.may_stop && self.state.section.is_none() {
            let goes_on = self.exec.terms.fresh(Sort::Bool);
            self.assume(goes_on);
        }
    }

    pub fn user_place(&self) -> UserPlace {
        user_place(self.exec.original, self.exec.bounded, self.site, self.span)
    }

    /// Something must not happen here; the execution goes on where it does not.
    pub fn check(&mut self, what: Finding, violated: Term) {
        if self.observed.is_some() {
            return self.assume(!violated);
        }
        let here = self.guard_term();
        let mut violated_here = self.exec.terms.and(here, violated);
        if self.exec.may_stop && self.state.section.is_none() && matches!(what, Finding::Undefined(_)) {
            // The thread may stop just before it.
            let gets_there = self.exec.terms.fresh(Sort::Bool);
            violated_here = self.exec.terms.and(violated_here, gets_there);
        }
        let span = match &what {
            Finding::Violation(violation) => violation.span,
            Finding::Assumed { assumption: Some(assumption), .. } => assumption.span,
            Finding::Undefined(_) | Finding::Assumed { .. } => self.user_place().span,
        };
        self.exec.check(self.thread, what, span, violated_here);
        self.assume(!violated);
    }

    /// Notes that executions may come here, if this is the user's code.
    pub fn mark(&mut self) {
        let UserPlace { span, library } = self.user_place();
        let guard = self.guard_term();
        if library.is_none() && guard != Term::FALSE && self.observed.is_none() {
            let (thread, position) = (self.thread, self.exec.next_event());
            self.exec.marks.push(Mark { thread, guard, span, is_start: false, position });
        }
    }

    pub fn violation(&mut self, kind: ViolationKind, message: &str, violated: Term) {
        if violated == Term::FALSE {
            return;
        }
        let UserPlace { span, library } = self.user_place();
        match self.exec.checks_wanted.treatment(kind) {
            Treatment::Violation => {}
            Treatment::Assumption => return self.stop_where(Some(Assumption { span, kind }), violated),
            Treatment::Stop => return self.stop_where(None, violated),
            Treatment::Ignored => return,
        }
        let message = match library.map(|function| &self.exec.original.function(function).name) {
            Some(name) if message.is_empty() => format!("in '{name}'"),
            Some(name) => format!("{message} (in '{name}')"),
            None => message.to_owned(),
        };
        self.check(Finding::Violation(Violation { kind, span, message }), violated);
    }

    /// The thread stops where the condition holds. In a section that is too late: it stops before the section.
    fn stop_where(&mut self, assumption: Option<Assumption>, condition: Term) {
        let here = self.guard_term();
        if self.exec.terms.and(here, condition) == Term::FALSE {
            return self.assume(!condition);
        }
        let excluded = self.state.section.is_some();
        if excluded {
            self.section_may_stop();
        }
        match assumption {
            None if !excluded => self.assume(!condition),
            assumption => self.check(Finding::Assumed { assumption, excluded }, condition),
        }
    }

    fn section_may_stop(&mut self) {
        if let Some(section) = self.state.section
            && let Some(&begin) = self.exec.section_begins.get(&section.index())
        {
            self.exec.facts.may_stop_at(begin);
        }
    }

    /// Before a step that touches an object whose life another thread may end: if that is assumed not to happen, the thread
    /// has the choice to stop.
    pub fn may_stop_for(&mut self, objects: impl IntoIterator<Item = ObjectId>) {
        if !objects.into_iter().any(|object| self.exec.facts.ends_elsewhere(object)) {
            return;
        }
        match self.state.section {
            Some(_) => self.section_may_stop(),
            None => {
                let goes_on = self.exec.terms.fresh(Sort::Bool);
                self.assume(goes_on);
            }
        }
    }

    pub fn undefined(&mut self, words: impl Into<Cow<'static, str>>, violated: Term) {
        if violated != Term::FALSE {
            self.check(Finding::Undefined(Why::no_meaning(words)), violated);
        }
    }

    /// A nondeterministic value that is asked for where `asked` holds.
    pub fn input(&mut self, ty: Ty, asked: Term) -> Term {
        let sort = match ty {
            Ty::Bool => Sort::Bool,
            ty => Sort::Bits(ty.bits(self.exec.original.target)),
        };
        if self.observed.is_some() {
            return match sort {
                Sort::Bool => Term::FALSE,
                Sort::Bits(width) => self.exec.terms.bits(width, 0),
            };
        }
        let value = self.exec.terms.fresh(sort);
        let here = self.guard_term();
        let guard = self.exec.terms.and(here, asked);
        let position = self.exec.next_event();
        self.exec.threads[self.thread.0 as usize].inputs.push(Input { guard, value, position });
        value
    }

    pub fn event(&mut self, kind: EventKind, guard: Term, visible: bool) -> EventId {
        if self.leaves_out(&kind) {
            return self.exec.next_event();
        }
        let (thread, section) = (self.actor(&kind), self.state.section);
        let span = self.user_place().span;
        let visible = visible || section.is_some();
        let id = self.exec.event(Event { thread, kind, guard, section, visible, span });
        if let Some(section) = section {
            // Not all ways through a section come to its end.
            self.exec.end_section(section);
        }
        id
    }
}

/// The value of a register where paths meet.
pub fn merge_values(exec: &mut Execution<'_>, condition: Term, a: Option<&Value>, b: Option<&Value>) -> Option<Value> {
    Some(match (a, b) {
        (Some(a), Some(b)) if a == b => a.clone(),
        (Some(Value::Bits(a)), Some(Value::Bits(b))) => Value::Bits(exec.terms.ite(condition, *a, *b)),
        (Some(a), Some(b)) => {
            let (a, b) = (exec.pointer_of(a), exec.pointer_of(b));
            Value::Pointer(Pointer::ite(&mut exec.terms, condition, &a, &b))
        }
        (a, b) => a.or(b)?.clone(),
    })
}
