//! Values: the registers as variables, static if they have to outlast a round, and the values that wait to be written
//! where they are used.

use super::{USUAL_LENGTH, Writer};
use crate::expr::{self, register_type, top};
use crate::simplify::evaluate;
use crate::text::{digits, put};
use norn_ir::ids::{BlockId, Reg};
use norn_ir::instr::{BinaryOp, CastOp, Const, InstrKind, Operand};
use std::rc::Rc;

/// A variable for a register.
#[derive(Clone)]
pub(super) struct Variable {
    name: Rc<str>,
    c_type: &'static str,
    /// The labels between which it is mentioned, by the one behind; none if a label stands between two mentions.
    group: Option<u32>,
}

impl Writer<'_, '_> {
    /// The label behind what is written now. Texts are made before the label that they may be due for.
    fn group(&self) -> u32 {
        (self.next_label + u32::from(self.label_due)).max(1)
    }

    pub(super) fn register(&mut self, reg: Reg) -> Rc<str> {
        let group = self.group();
        if let Some(variable) = &mut self.registers[reg.index()] {
            variable.group = variable.group.filter(|&known| known == group);
            return variable.name.clone();
        }
        let register = &self.code.function.registers[reg.index()];
        let name: Rc<str> = match register.name.as_str() {
            // No object has such a name.
            "" => {
                let mut name = String::from("r");
                digits(&mut name, u64::from(reg.0));
                name.into()
            }
            name => {
                let name = self.names.make(name);
                self.objects.avoid(name.clone());
                name
            }
        };
        let variable = Variable { name: name.clone(), c_type: register_type(register.ty), group: Some(group) };
        self.registers[reg.index()] = Some(variable);
        self.declared.push(reg);
        name
    }

    /// Adds an operand to a text.
    pub(super) fn operand(&mut self, text: &mut String, operand: Operand) {
        match operand {
            Operand::Reg(reg) => match (self.waiting.remove(&reg), self.known.get(&reg)) {
                (Some((waiting, reads)), _) => {
                    self.mention(&reads);
                    self.read.extend(reads);
                    text.push_str(&waiting);
                }
                (None, Some(&value)) => expr::constant(text, value, self.program().target),
                (None, None) => {
                    self.read.push(reg);
                    text.push_str(&self.register(reg));
                }
            },
            Operand::Const(value) => expr::constant(text, value, self.program().target),
            _ => text.push_str(&self.objects.address(operand, self.thread).unwrap_or_default()),
        }
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
            && let Some((text, reads)) = self.waiting.remove(&reg)
        {
            self.mention(&reads);
            self.read.extend(reads);
            return text;
        }
        let mut text = String::new();
        self.operand(&mut text, operand);
        text
    }

    /// Adds what an instruction without side effects computes; tells whether it is one.
    fn value(&mut self, text: &mut String, kind: &InstrKind) -> bool {
        let (function, target) = (&self.code.function, self.program().target);
        expr::value(text, kind, function, target, &mut |text, operand| self.operand(text, operand))
    }

    pub(super) fn assign(&mut self, dst: Reg, value: &str) {
        let mut statement = String::with_capacity(USUAL_LENGTH);
        match self.code.uses[dst.index()] {
            0 => statement.extend(["(void)", value, ";"]),
            _ => statement.extend([&*self.register(dst), " = ", top(value), ";"]),
        }
        self.statement(&statement);
    }

    /// Assigns what an instruction without side effects computes.
    pub(super) fn assign_value(&mut self, dst: Reg, kind: &InstrKind) {
        let mut value = String::with_capacity(USUAL_LENGTH);
        self.value(&mut value, kind);
        self.assign(dst, &value);
    }

    /// Keeps a value until it is used, if it is used once, in this block, and not too long.
    pub(super) fn wait_with(&mut self, block: BlockId, index: usize, kind: &InstrKind) -> bool {
        const LONGEST: usize = 100;
        let code = self.code;
        self.release_changed(kind);
        let Some(dst) = kind.defs().next() else { return false };
        if let Some(value) = self.known_from_number(dst, kind) {
            self.known.insert(dst, value);
            return true;
        }
        let is_temporary = code.function.registers[dst.index()].name.is_empty();
        if !is_temporary || divides(kind) || !code.is_used_once_soon(dst, block, index) {
            return false;
        }
        // Compilers see through such expressions, and warn where they know the result of a comparison.
        if has_known_range(kind) && code.is_compared_next(block, index) {
            return false;
        }
        self.read.clear();
        let mut text = String::with_capacity(USUAL_LENGTH);
        if !self.value(&mut text, kind) {
            return false;
        }
        if text.len() > LONGEST {
            self.assign(dst, &text);
        } else {
            self.waiting.insert(dst, (text, self.read.clone()));
        }
        true
    }

    /// What an instruction assigns, if that is the number of the thread or follows from it.
    fn known_from_number(&self, dst: Reg, kind: &InstrKind) -> Option<Const> {
        if self.code.defs[dst.index()] != 1 {
            return None;
        }
        let (function, target) = (&self.code.function, self.program().target);
        if matches!(kind, InstrKind::ThreadSelf { .. }) {
            return Some(Const { ty: function.ty(dst), bits: self.thread as u64 });
        }
        let mut is_known = false;
        if self.known.is_empty() {
            return None;
        }
        kind.for_each_use(|reg| is_known |= self.known.contains_key(&reg));
        if !is_known {
            return None;
        }
        let mut kind = kind.clone();
        kind.map_operands(|operand| match operand {
            Operand::Reg(reg) => self.known.get(&reg).map_or(operand, |&value| Operand::Const(value)),
            _ => operand,
        });
        match evaluate(&kind, |reg| function.ty(reg), target) {
            Some(Operand::Const(value)) => Some(value),
            _ => None,
        }
    }

    /// Writes out the values that wait and read a register which is about to change.
    fn release_changed(&mut self, kind: &InstrKind) {
        if self.waiting.is_empty() {
            return;
        }
        for changed in kind.defs() {
            let mut late: Vec<Reg> = Vec::new();
            let waiting = self.waiting.iter().filter(|(_, (_, reads))| reads.contains(&changed));
            late.extend(waiting.map(|(&reg, _)| reg));
            late.sort_unstable();
            for reg in late {
                // The instruction itself may be what uses it: then it is read before the change.
                let mut used = false;
                kind.for_each_use(|read| used |= read == reg);
                if !used && let Some((text, reads)) = self.waiting.remove(&reg) {
                    let due = std::mem::take(&mut self.label_due);
                    self.mention(&reads);
                    self.assign(reg, &text);
                    self.label_due = due;
                }
            }
        }
    }

    /// The text of an operand that is mentioned more than once.
    pub(super) fn kept(&mut self, operand: Operand) -> String {
        match operand {
            Operand::Reg(reg) if self.waiting.contains_key(&reg) => {
                let (text, reads) = self.waiting[&reg].clone();
                self.mention(&reads);
                text
            }
            _ => self.operand_alone(operand),
        }
    }

    /// An operand that does not wait any more.
    pub(super) fn in_register(&mut self, operand: Operand) -> String {
        if let Operand::Reg(reg) = operand
            && let Some((text, reads)) = self.waiting.remove(&reg)
        {
            self.mention(&reads);
            self.assign(reg, &text);
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
        let variables = || self.declared.iter().filter_map(|reg| self.registers[reg.index()].as_ref());
        let outlasts = |variable: &&Variable| variable.group.is_none();
        let typed = |variable: &'_ Variable| (variable.c_type, variable.name.clone());
        let mut text = String::new();
        declare(&mut text, "static ", variables().filter(outlasts).map(typed));
        let scratches = self.scratches.iter().map(|&(c_type, name)| (c_type, Rc::from(name)));
        let brief = variables().filter(|variable| !outlasts(variable)).map(typed);
        declare(&mut text, "", brief.chain(scratches));
        text
    }
}

/// `static u32 a, b;`: as many names on a line as it has room for.
fn declare(text: &mut String, storage: &str, variables: impl Iterator<Item = (&'static str, Rc<str>)>) {
    const WIDEST: usize = 110;
    let mut by_type: Vec<(&str, Vec<Rc<str>>)> = Vec::new();
    for (c_type, name) in variables {
        match by_type.iter_mut().find(|(known, _)| *known == c_type) {
            Some((_, names)) => names.push(name),
            None => by_type.push((c_type, vec![name])),
        }
    }
    for (c_type, names) in by_type {
        let mut begin = text.len();
        for name in names {
            if text.len() == begin {
                put(text, format_args!("    {storage}{c_type} {name}"));
            } else if text.len() - begin + name.len() < WIDEST {
                text.push_str(", ");
                text.push_str(&name);
            } else {
                text.push_str(";\n");
                begin = text.len();
                put(text, format_args!("    {storage}{c_type} {name}"));
            }
        }
        text.push_str(";\n");
    }
}

pub(super) fn divides(kind: &InstrKind) -> bool {
    use BinaryOp::{DivSigned, DivUnsigned, RemSigned, RemUnsigned};
    matches!(kind, InstrKind::Binary { op: DivSigned | DivUnsigned | RemSigned | RemUnsigned, .. })
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
