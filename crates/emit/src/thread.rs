//! The function that simulates a thread.
//!
//! The blocks come in topological order, so control only jumps forwards. `L3: J(3, 4)` begins the statement with
//! label 3: if the thread was left behind this statement in an earlier round, or is to be left before it in this one,
//! control hops on to label 4. Registers that are used across labels are static variables, so that they keep their
//! values from round to round; values that are used once, and soon, are written where they are used.

mod access;
mod control;
mod values;

use crate::c_types::cell_type;
use crate::cells::Cells;
use crate::copies::Copies;
use crate::expr::{self, register_type, top};
use crate::names::Names;
use crate::objects::{Objects, View};
use crate::order::Labels;
use crate::prepare::Prepared;
use crate::regions::Regions;
use crate::shared::Shared;
use crate::template::Calls;
use crate::text::{Text, digits, put, quoted};
use crate::{Options, Refusal};
use norn_ir::ids::{BlockId, FuncId, Reg};
use norn_ir::instr::{Const, InstrKind, Operand, Property, SectionKind, TerminatorKind};
use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_passes::Site;
use norn_passes::points_to::Object;
use norn_passes::simplify::Simplified;
use norn_verdict::model::Model;
use rustc_hash::FxHashMap;
use values::{Spare, Variable, Waiting};

/// Text that an instruction becomes, about: many become nothing.
const BYTES_PER_INSTR: usize = 64;

/// Room for most statements and values.
const USUAL_LENGTH: usize = 100;

/// What all threads have in common.
pub struct Context<'p> {
    pub prepared: &'p Prepared,
    pub shared: &'p Shared,
    pub cells: Option<&'p Cells>,
    pub options: &'p Options,
    /// By file: its name as a C string literal.
    pub files: Vec<String>,
    /// Of the functions that threads start with.
    pub regions: FxHashMap<FuncId, Regions>,
    /// Whether some thread asks what another returned.
    pub results: bool,
}

/// The function of a thread, or of several that are alike.
#[derive(Debug)]
pub struct Written {
    pub copies: Copies,
    /// Of its variables.
    pub declarations: String,
    /// Its statements, marked for the copies, and how many lines they are.
    pub text: String,
    pub lines: usize,
    /// What they call.
    pub calls: String,
    /// The objects that they mention.
    pub mentions: Vec<Object>,
    /// The last label.
    pub size: u32,
    /// Writes to shared memory that the thread can make.
    pub stores: u32,
    /// Bytes of the largest object that is made indeterminate in a loop.
    pub largest: u64,
}

pub struct Writer<'c, 'p> {
    context: &'c Context<'p>,
    objects: View<'c, 'p>,
    copies: Copies,
    id: FuncId,
    code: &'p Simplified,
    labels: Labels,
    names: Names<'c>,
    /// By register: its variable, once it has one.
    registers: Vec<Option<Variable>>,
    /// The registers with variables.
    declared: Vec<Reg>,
    /// Variables for values within one statement.
    scratches: Vec<(&'static str, &'static str)>,
    waiting: Waiting,
    /// The registers that the operands written last read.
    read: Vec<Reg>,
    spare: Spare,
    /// What follows from the number of the thread, by copy.
    known: FxHashMap<Reg, Vec<Const>>,
    text: Text<'c>,
    calls: Calls,
    next_label: u32,
    /// The statement that comes next has a label.
    label_due: bool,
    stores: u32,
    largest: u64,
    /// By block: whether something jumps to it.
    is_target: Vec<bool>,
    jumps_to_end: bool,
    place: Span,
    site: Site,
}

/// The function of these threads, which start alike.
pub fn write(context: &Context<'_>, objects: &Objects<'_>, threads: &[usize]) -> Result<Written, Refusal> {
    let id = context.prepared.threads[threads[0]].start;
    let code = context.prepared.function(id);
    let instrs: usize = code.order.iter().map(|&block| code.function.block(block).instrs.len() + 1).sum();
    let mut writer = Writer {
        context,
        copies: Copies::of(threads.to_vec()),
        id,
        code,
        labels: Labels::new(context.prepared, context.shared, &context.regions[&id], context.options.model, id),
        // Static locals must not hide objects.
        names: Names::inside(&objects.names),
        registers: vec![None; code.function.registers.len()],
        declared: Vec::new(),
        scratches: Vec::new(),
        waiting: Waiting::default(),
        read: Vec::new(),
        spare: Spare::default(),
        known: FxHashMap::default(),
        text: Text::new(&context.files, instrs * BYTES_PER_INSTR),
        calls: Calls::default(),
        next_label: 0,
        label_due: false,
        stores: 0,
        largest: 0,
        is_target: vec![false; code.function.blocks.len()],
        jumps_to_end: false,
        place: Span::NONE,
        site: Site::new(id, BlockId(0), 0),
        objects: View::new(objects, threads[0]),
    };
    writer.function()?;
    let declarations = writer.declarations();
    let Writer { copies, text, calls, objects, next_label, stores, largest, .. } = writer;
    let (text, lines) = text.finish();
    let calls = calls.into_words();
    let mentions = objects.into_mentions();
    Ok(Written { copies, declarations, text, lines, calls, mentions, size: next_label, stores, largest })
}

impl<'p> Writer<'_, 'p> {
    fn program(&self) -> &'p Program {
        self.context.prepared.program()
    }

    fn model(&self) -> Model {
        self.context.options.model
    }

    fn function(&mut self) -> Result<(), Refusal> {
        let code = self.code;
        let function = &code.function;
        self.place = function.span;
        self.find_targets();
        for (i, &param) in function.params.iter().enumerate() {
            if code.uses[param.index()] > 0 {
                let mut statement = self.spare.text();
                self.register(&mut statement, param);
                statement.push_str(" = arg_");
                self.copies.add_number(&mut statement);
                put(&mut statement, format_args!("_{i};"));
                self.state(statement);
            }
        }
        for (position, &block) in code.order.iter().enumerate() {
            let next = code.order.get(position + 1).copied();
            if self.is_target[block.index()] {
                let label = self.next_label;
                self.text.line(|line| {
                    line.push('b');
                    digits(line, u64::from(block.0));
                    line.push_str(": ");
                    if label > 0 { guard(line, label) } else { line.push(';') }
                });
            }
            let content = function.block(block);
            for (index, instr) in content.instrs.iter().enumerate() {
                if !code.needed[(block, index)] {
                    continue;
                }
                self.place = self.context.prepared.place(self.id, block, instr.span);
                self.site = Site::new(self.id, block, index);
                self.label_due = self.labels.at(block, index);
                if !self.wait_with(block, index, &instr.kind) {
                    self.instr(&instr.kind)?;
                }
            }
            self.place = self.context.prepared.place(self.id, block, content.terminator.span);
            self.site = Site::new(self.id, block, content.instrs.len());
            self.label_due = self.labels.at(block, content.instrs.len());
            self.terminator(&content.terminator.kind, next);
        }
        // A function without any statement ends at label 1, not at the one that it begins with.
        if self.next_label == 0 {
            self.statement(";");
        }
        let end = if self.jumps_to_end { "end: " } else { "" };
        self.text.line(|line| {
            line.extend(["    ", end]);
            guard(line, self.next_label);
        });
        self.text.line(|line| put(line, format_args!("L{}: return;", self.next_label)));
        Ok(())
    }

    /// Blocks that are reached by more than falling into them.
    fn find_targets(&mut self) {
        for (position, &block) in self.code.order.iter().enumerate() {
            let next = self.code.order.get(position + 1).copied();
            let kind = &self.code.function.block(block).terminator.kind;
            let falls = match kind {
                TerminatorKind::Goto(_) | TerminatorKind::Branch { .. } => next,
                _ => None,
            };
            let targets = kind.successors().filter(|&target| Some(target) != falls);
            targets.for_each(|target| self.is_target[target.index()] = true);
        }
    }

    // Lines.

    /// A statement of the program, with its label if one is due.
    fn statement(&mut self, statement: &str) {
        self.calls.read(statement);
        let is_first = self.next_label == 0;
        if std::mem::take(&mut self.label_due) || is_first {
            let label = self.next_label;
            self.next_label += 1;
            let add_label = |line: &mut String| {
                // Nothing jumps to the first label.
                if is_first {
                    line.push_str("    J(");
                } else {
                    line.push('L');
                    digits(line, u64::from(label));
                    line.push_str(": J(");
                }
                digits(line, u64::from(label));
                line.push_str(", ");
                digits(line, u64::from(label + 1));
                line.push_str(") ");
            };
            self.text.labelled(self.place, add_label, statement);
        } else {
            self.text.more(self.place, statement);
        }
    }

    /// A statement whose text nobody needs any more.
    fn state(&mut self, statement: String) {
        self.statement(&statement);
        self.spare.give_back(statement);
    }

    // Instructions.

    fn instr(&mut self, kind: &InstrKind) -> Result<(), Refusal> {
        let function = &self.code.function;
        match *kind {
            InstrKind::Binary { dst, op, lhs, rhs } => {
                if op.divides() && !matches!(rhs, Operand::Const(Const { bits: 1.., .. })) {
                    let divisor = self.in_register(rhs);
                    self.statement(&format!("if ({divisor} == 0) fail(\"division by zero\");"));
                }
                let (ty, target) = (function.ty(dst), self.program().target);
                let (smallest, minus_one) = (1u64 << (ty.bits(target) - 1), ty.truncate(u64::MAX, target));
                let may_be_smallest = match lhs {
                    Operand::Const(Const { bits, .. }) => bits == smallest,
                    _ => true,
                };
                if op.divides_signed() && op.may_trap(rhs) && may_be_smallest {
                    let (dividend, divisor) = (self.in_register(lhs), self.in_register(rhs));
                    self.statement(&format!(
                        "if ({dividend} == {smallest:#x}u && {divisor} == {minus_one:#x}u) fail(\"division overflow\");"
                    ));
                }
                self.assign_value(dst, kind);
            }
            InstrKind::Copy { dst, .. }
            | InstrKind::Compare { dst, .. }
            | InstrKind::Unary { dst, .. }
            | InstrKind::Cast { dst, .. }
            | InstrKind::Select { dst, .. }
            | InstrKind::PtrAdd { dst, .. }
            | InstrKind::PtrDiff { dst, .. } => {
                self.assign_value(dst, kind);
            }
            InstrKind::Load { dst, addr, .. } => {
                let ty = function.ty(dst);
                let access = self.access(addr, ty);
                let mut value = self.spare.text();
                let (before, after) = from_memory(ty);
                value.push_str(before);
                access.read(&mut value, ty);
                value.push_str(after);
                self.assign(dst, &value);
                self.spare.give_back(value);
                self.spare.give_back(access.text);
            }
            InstrKind::Store { ty, addr, value, access } => self.store(ty, addr, value, access.order),
            InstrKind::Rmw { dst, op, addr, value, .. } => {
                let ty = function.ty(dst);
                let is_section = self.begin_update(addr);
                let access = self.access(addr, ty);
                let operand = to_memory(ty, self.operand_alone(value));
                let old = self.read_to_scratch(&access, ty);
                let mut new = String::with_capacity(USUAL_LENGTH);
                expr::rmw(&mut new, op, ty, old, &operand);
                self.write(&access, ty, &new);
                self.assign_old(dst, ty, old);
                self.end_update(is_section);
            }
            InstrKind::CompareExchange { dst, success, addr, expected, desired, .. } => {
                let ty = function.ty(dst);
                let is_section = self.begin_update(addr);
                let access = self.access(addr, ty);
                let expected = to_memory(ty, self.operand_alone(expected));
                let desired = to_memory(ty, self.operand_alone(desired));
                let old = self.read_to_scratch(&access, ty);
                let equal = self.scratch("_Bool", "previous_bool");
                self.statement(&format!("{equal} = {old} == {expected};"));
                let mut write = format!("if ({equal}) ");
                self.written(&mut write, &access, ty, &desired);
                self.statement(&write);
                self.assign_old(dst, ty, old);
                if self.code.uses[success.index()] > 0 {
                    self.assign(success, equal);
                }
                self.end_update(is_section);
            }
            InstrKind::Fence(kind) => self.fence(kind),
            InstrKind::SectionBegin(SectionKind::Atomic | SectionKind::Library) => {
                self.statement("sma_atomic_begin();")
            }
            InstrKind::SectionBegin(SectionKind::Read) => self.statement("sma_read_begin();"),
            InstrKind::SectionEnd => self.statement("sma_atomic_end();"),
            InstrKind::Await { spurious: true, .. } | InstrKind::Sync { .. } | InstrKind::Print { .. } => {}
            InstrKind::Await { cond, .. } | InstrKind::Assume { cond } => {
                let cond = self.operand_alone(cond);
                let mut statement = self.spare.text();
                statement.extend(["assume(", top(&cond), ");"]);
                self.state(statement);
                self.spare.give_back(cond);
            }
            InstrKind::Assert { cond, property, ref message } => {
                let cond = self.operand_alone(cond);
                let what = match property {
                    Property::Assertion => "assertion failed",
                    Property::ErrorCall => "error function called",
                    Property::ErrorLabel => "error label reached",
                    Property::Misuse => "misuse",
                };
                let text = if message.is_empty() { what.to_owned() } else { format!("{what}: {message}") };
                match cond.as_str() {
                    "0" => self.statement(&format!("fail({});", quoted(&text))),
                    "1" => {}
                    _ => {
                        let (open, close) = parentheses(&cond);
                        self.statement(&["if (!", open, &cond, close, ") fail(", &quoted(&text), ");"].concat());
                    }
                }
            }
            InstrKind::Nondet { dst, .. } => {
                let ty = function.ty(dst);
                let (before, after) = from_memory(ty);
                let c = if ty == Ty::Bool { "bool" } else { cell_type(ty) };
                self.assign(dst, &[before, "nondet(", c, ")", after].concat());
            }
            // What is left of a call through a pointer; the end that follows says what is wrong.
            InstrKind::Call { .. } => {}
            InstrKind::Spawn { dst, start, ref args } => self.spawn(dst, start, args)?,
            InstrKind::Join { dst, thread } => {
                let thread = self.operand_alone(thread);
                self.statement(&format!("join({});", top(&thread)));
                if let Some(dst) = dst.filter(|dst| self.code.uses[dst.index()] > 0) {
                    self.assign(dst, &format!("result[{}]", top(&thread)));
                }
            }
            InstrKind::ThreadSelf { dst } => {
                let mut number = String::new();
                let numbers = self.numbers(dst);
                self.add_constants(&mut number, &numbers);
                self.assign(dst, &number);
            }
            InstrKind::LocalEnter(local) => self.enter(local),
            InstrKind::LocalExit(_) => {
                if self.label_due {
                    self.statement("; /* the end of a shared object's life */");
                }
            }
            InstrKind::Alloc { dst, size, zeroed, ty, .. } => self.alloc(dst, size, zeroed, ty),
            InstrKind::Free { addr, .. } => {
                let addr = self.operand_alone(addr);
                self.statement(&format!("sma_free({});", top(&addr)));
            }
            InstrKind::ObjectSize { .. } => {
                return Err(self.refuse("the size of allocated memory is asked for at run time"));
            }
        }
        Ok(())
    }

    fn refuse(&self, message: &str) -> Refusal {
        Refusal::new(message, self.place)
    }
}

/// Guesses of the next context switch before a label are given up.
fn guard(line: &mut String, label: u32) {
    line.push_str("G(");
    digits(line, u64::from(label));
    line.push(')');
}

/// The parentheses that an expression lacks.
fn parentheses(text: &str) -> (&'static str, &'static str) {
    if top(text) == text { ("(", ")") } else { ("", "") }
}

/// What memory holds for a value.
fn to_memory(ty: Ty, value: String) -> String {
    match ty {
        Ty::F32 => format!("sma_bits32({})", top(&value)),
        Ty::F64 => format!("sma_bits64({})", top(&value)),
        _ => value,
    }
}

/// What stands before and after the content of memory to make it a value.
fn from_memory(ty: Ty) -> (&'static str, &'static str) {
    match ty {
        Ty::F32 => ("sma_f32(", ")"),
        Ty::F64 => ("sma_f64(", ")"),
        _ => ("", ""),
    }
}

/// An argument of another type than the parameter's: C programs cast function pointers.
fn converted(text: &str, given: Ty, wanted: Ty) -> String {
    match (given, wanted) {
        (Ty::Ptr, Ty::Ptr) => top(text).to_owned(),
        (_, Ty::Ptr) => format!("(address)(uptr){text}"),
        (Ty::Ptr, _) => format!("({})(uptr){text}", register_type(wanted)),
        _ if given == wanted => top(text).to_owned(),
        _ => format!("({}){text}", register_type(wanted)),
    }
}
