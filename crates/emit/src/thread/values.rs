//! Values: the registers as variables, static if they have to outlast a round, and the values that wait to be written
//! where they are used.

use super::{USUAL_LENGTH, Writer};
use crate::expr::{self, register_type, top};
use crate::text::{digits, put};
use norn_ir::ids::{BlockId, Reg};
use norn_ir::instr::{BinaryOp, CastOp, Const, InstrKind, Operand};
use norn_passes::simplify::evaluate;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A variable for a register.
#[derive(Clone)]
pub(super) struct Variable {
    /// The number of the register unless the source has a name for it.
    name: Option<Arc<str>>,
    c_type: &'static str,
    /// The labels between which it is mentioned, by the one behind; none if a label stands between two mentions.
    group: Option<u32>,
}

/// The text of a value, with the registers that it reads.
#[derive(Default)]
pub(super) struct Value {
    text: String,
    reads: Vec<Reg>,
}

/// Values that wait to be written where they are used.
#[derive(Default)]
pub(super) struct Waiting(FxHashMap<Reg, Value>);

/// Texts of parts of statements, to be used again: they are many, and each would be a piece of memory of its own.
#[derive(Default)]
pub(super) struct Spare {
    texts: Vec<String>,
    reads: Vec<Vec<Reg>>,
}

impl Spare {
    /// An empty text.
    pub(super) fn text(&mut self) -> String {
        self.texts.pop().unwrap_or_else(|| String::with_capacity(USUAL_LENGTH))
    }

    /// Nobody looks at a text any more.
    pub(super) fn give_back(&mut self, mut text: String) {
        text.clear();
        self.texts.push(text);
    }
}

impl Writer<'_, '_> {
    /// The label behind what is written now. Texts are made before the label that they may be due for.
    fn group(&self) -> u32 {
        (self.next_label + u32::from(self.label_due)).max(1)
    }

    /// Adds the variable of a register to a text.
    pub(super) fn register(&mut self, text: &mut String, reg: Reg) {
        let group = self.group();
        let variable = match &mut self.registers[reg.index()] {
            Some(variable) => {
                variable.group = variable.group.filter(|&known| known == group);
                variable
            }
            unnamed => {
                let register = &self.code.function.registers[reg.index()];
                // No object is called like an unnamed register.
                let name = (!register.name.is_empty()).then(|| self.names.make(&register.name));
                self.declared.push(reg);
                unnamed.insert(Variable { name, c_type: register_type(register.ty), group: Some(group) })
            }
        };
        add_name(text, variable, reg);
    }

    /// Adds an operand to a text.
    pub(super) fn operand(&mut self, text: &mut String, operand: Operand) {
        match operand {
            Operand::Reg(reg) => {
                if let Some(waited) = self.waited(reg) {
                    text.push_str(&waited);
                    self.spare.give_back(waited);
                } else if let Some(values) = self.known.get(&reg).cloned() {
                    self.add_constants(text, &values);
                } else {
                    self.read.push(reg);
                    self.register(text, reg);
                }
            }
            Operand::Const(value) => expr::constant(text, value, self.program().target),
            _ => self.objects.add_address(text, operand, &mut self.copies),
        }
    }

    /// The text of a value that has waited, mentioned now.
    fn waited(&mut self, reg: Reg) -> Option<String> {
        let Value { text, mut reads } = self.waiting.0.remove(&reg)?;
        self.mention(&reads);
        self.read.append(&mut reads);
        self.spare.reads.push(reads);
        Some(text)
    }

    /// Registers that were read when a value began to wait are mentioned where it is written.
    fn mention(&mut self, reads: &[Reg]) {
        let group = self.group();
        for reg in reads {
            if let Some(variable) = &mut self.registers[reg.index()] {
                variable.group = variable.group.filter(|&known| known == group);
            }
        }
    }

    /// An operand as a text of its own.
    pub(super) fn operand_alone(&mut self, operand: Operand) -> String {
        if let Operand::Reg(reg) = operand
            && let Some(text) = self.waited(reg)
        {
            return text;
        }
        let mut text = self.spare.text();
        self.operand(&mut text, operand);
        text
    }

    /// Adds what an instruction without side effects computes; tells whether it is one.
    fn value(&mut self, text: &mut String, kind: &InstrKind) -> bool {
        let (function, target) = (&self.code.function, self.program().target);
        expr::value(text, kind, function, target, &mut |text, operand| self.operand(text, operand))
    }

    pub(super) fn assign(&mut self, dst: Reg, value: &str) {
        let mut statement = self.spare.text();
        match self.code.uses[dst.index()] {
            0 => statement.extend(["(void)", value, ";"]),
            _ => {
                self.register(&mut statement, dst);
                statement.extend([" = ", top(value), ";"]);
            }
        }
        self.state(statement);
    }

    /// Assigns what an instruction without side effects computes.
    pub(super) fn assign_value(&mut self, dst: Reg, kind: &InstrKind) {
        let mut value = self.spare.text();
        self.value(&mut value, kind);
        self.assign(dst, &value);
        self.spare.give_back(value);
    }

    /// Keeps a value until it is used, if it is used once, in this block, and not too long.
    pub(super) fn wait_with(&mut self, block: BlockId, index: usize, kind: &InstrKind) -> bool {
        const LONGEST: usize = 100;
        let code = self.code;
        self.release_changed(kind);
        let Some(dst) = kind.defs().next() else { return false };
        if let Some(values) = self.known_from_number(dst, kind) {
            self.known.insert(dst, values);
            return true;
        }
        let is_temporary = code.function.registers[dst.index()].name.is_empty();
        let divides = matches!(kind, InstrKind::Binary { op, .. } if op.divides());
        if !is_temporary || divides || !code.is_used_once_soon(dst, block, index) {
            return false;
        }
        // Compilers see through such expressions, and warn where they know the result of a comparison.
        if has_known_range(kind) && code.is_compared_next(block, index) {
            return false;
        }
        self.read.clear();
        let mut text = self.spare.text();
        let is_value = self.value(&mut text, kind);
        if is_value && text.len() <= LONGEST {
            let mut reads = self.spare.reads.pop().unwrap_or_default();
            reads.append(&mut self.read);
            self.waiting.0.insert(dst, Value { text, reads });
            return true;
        }
        if is_value {
            self.assign(dst, &text);
        }
        self.spare.give_back(text);
        is_value
    }

    /// The numbers of the threads, for a register that takes them.
    pub(super) fn numbers(&self, dst: Reg) -> Vec<Const> {
        let ty = self.code.function.ty(dst);
        self.copies.threads.iter().map(|&thread| Const { ty, bits: thread as u64 }).collect()
    }

    /// Adds a constant, by copy.
    pub(super) fn add_constants(&mut self, text: &mut String, values: &[Const]) {
        let target = self.program().target;
        let word = |&value: &Const| {
            let mut word = String::new();
            expr::constant(&mut word, value, target);
            word
        };
        let words: Vec<String> = values.iter().map(word).collect();
        // Marks hide what constants may call.
        words.iter().for_each(|word| self.calls.read(word));
        self.copies.add(text, words);
    }

    /// What an instruction assigns, by copy, if that is the number of the thread or follows from it.
    fn known_from_number(&self, dst: Reg, kind: &InstrKind) -> Option<Vec<Const>> {
        if self.code.defs[dst.index()] != 1 {
            return None;
        }
        if matches!(kind, InstrKind::ThreadSelf { .. }) {
            return Some(self.numbers(dst));
        }
        let mut is_known = false;
        if self.known.is_empty() {
            return None;
        }
        kind.for_each_use(|reg| is_known |= self.known.contains_key(&reg));
        if !is_known {
            return None;
        }
        let (function, target) = (&self.code.function, self.program().target);
        let value = |copy: usize| {
            let mut kind = kind.clone();
            kind.map_operands(|operand| match operand {
                Operand::Reg(reg) => self.known.get(&reg).map_or(operand, |values| Operand::Const(values[copy])),
                _ => operand,
            });
            match evaluate(&kind, |reg| function.ty(reg), target) {
                Some(Operand::Const(value)) => Some(value),
                _ => None,
            }
        };
        (0..self.copies.threads.len()).map(value).collect()
    }

    /// Writes out the values that wait and read a register which is about to change.
    fn release_changed(&mut self, kind: &InstrKind) {
        if self.waiting.0.is_empty() {
            return;
        }
        for changed in kind.defs() {
            let mut late: Vec<Reg> = Vec::new();
            let waiting = self.waiting.0.iter().filter(|(_, value)| value.reads.contains(&changed));
            late.extend(waiting.map(|(&reg, _)| reg));
            late.sort_unstable();
            for reg in late {
                // The instruction itself may be what uses it: then it is read before the change.
                let mut used = false;
                kind.for_each_use(|read| used |= read == reg);
                if !used {
                    let due = std::mem::take(&mut self.label_due);
                    self.release(reg);
                    self.label_due = due;
                }
            }
        }
    }

    /// Assigns a value that waits to its variable.
    fn release(&mut self, reg: Reg) {
        if let Some(text) = self.waited(reg) {
            self.assign(reg, &text);
            self.spare.give_back(text);
        }
    }

    /// The text of an operand that is mentioned more than once.
    pub(super) fn kept(&mut self, operand: Operand) -> String {
        match operand {
            Operand::Reg(reg) if self.waiting.0.contains_key(&reg) => {
                let Value { text, reads } = &self.waiting.0[&reg];
                let (text, reads) = (text.clone(), reads.clone());
                self.mention(&reads);
                text
            }
            _ => self.operand_alone(operand),
        }
    }

    /// An operand that does not wait any more.
    pub(super) fn in_register(&mut self, operand: Operand) -> String {
        if let Operand::Reg(reg) = operand {
            self.release(reg);
        }
        self.operand_alone(operand)
    }

    /// A variable for a value within one statement.
    pub(super) fn scratch(&mut self, c_type: &'static str, name: &'static str) -> &'static str {
        if !self.scratches.contains(&(c_type, name)) {
            self.scratches.push((c_type, name));
        }
        name
    }

    /// The declarations of all variables. Those that are mentioned between two labels only need not outlast a round.
    pub(super) fn declarations(&self) -> String {
        let declared = |outlasts: bool| {
            let variables = self.declared.iter().filter_map(|&reg| Some((reg, self.registers[reg.index()].as_ref()?)));
            let variables = variables.filter(move |(_, variable)| variable.group.is_none() == outlasts);
            variables.map(|(reg, variable)| (variable.c_type, Declared::Register(reg, variable)))
        };
        let scratches = self.scratches.iter().map(|&(c_type, name)| (c_type, Declared::Scratch(name)));
        let mut text = String::new();
        declare(&mut text, "static ", declared(true));
        declare(&mut text, "", declared(false).chain(scratches));
        text
    }
}

enum Declared<'w> {
    Register(Reg, &'w Variable),
    Scratch(&'static str),
}

fn add_name(text: &mut String, variable: &Variable, reg: Reg) {
    match &variable.name {
        Some(name) => text.push_str(name),
        None => {
            text.push('r');
            digits(text, u64::from(reg.0));
        }
    }
}

/// `static u32 a, b;`: as many names on a line as it has room for.
fn declare<'w>(text: &mut String, storage: &str, variables: impl Iterator<Item = (&'static str, Declared<'w>)>) {
    const WIDEST: usize = 110;
    let mut by_type: Vec<(&str, Vec<Declared<'_>>)> = Vec::new();
    for (c_type, name) in variables {
        match by_type.iter_mut().find(|(known, _)| *known == c_type) {
            Some((_, names)) => names.push(name),
            None => by_type.push((c_type, vec![name])),
        }
    }
    for (c_type, names) in by_type {
        let mut begin = text.len();
        let mut name = String::new();
        for declared in names {
            name.clear();
            match declared {
                Declared::Register(reg, variable) => add_name(&mut name, variable, reg),
                Declared::Scratch(scratch) => name.push_str(scratch),
            }
            if text.len() == begin {
                put(text, format_args!("    {storage}{c_type} {name}"));
            } else if text.len() - begin + name.len() < WIDEST {
                text.extend([", ", &name]);
            } else {
                text.push_str(";\n");
                begin = text.len();
                put(text, format_args!("    {storage}{c_type} {name}"));
            }
        }
        text.push_str(";\n");
    }
}

/// Whether a value can be seen to have less than all values of its type.
fn has_known_range(kind: &InstrKind) -> bool {
    match kind {
        InstrKind::Binary { op: BinaryOp::And | BinaryOp::Or, lhs, rhs, .. } => {
            matches!(lhs, Operand::Const(_)) || matches!(rhs, Operand::Const(_))
        }
        InstrKind::Binary { op: BinaryOp::ShrUnsigned, .. } => true,
        InstrKind::Cast { op: CastOp::ZeroExtend | CastOp::SignExtend, .. } => true,
        _ => false,
    }
}
