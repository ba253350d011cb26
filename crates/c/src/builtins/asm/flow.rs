//! Jumps inside of a statement, and out of it to the labels of an `asm goto`.
//!
//! Where instructions jump, the contents of a register depend on the way that was taken. So each register that is written
//! gets a variable that holds its contents on all ways. What a flag is after a label is not known.

use super::machine::{Machine, Value};
use super::operands::Slot;
use super::template::{Operand, OperandName, Reference};
use crate::ctype::QualType;
use crate::tree::{Expr, LabelId, Stmt, StmtKind};
use norn_ir::source::Loc;

/// A part of what a statement does.
pub(super) enum Effect {
    Expr(Expr),
    Label(LabelId),
    /// `before` happens only if the jump is taken.
    Jump {
        condition: Option<Expr>,
        before: Vec<Expr>,
        target: LabelId,
    },
}

impl Machine<'_, '_> {
    /// Whether control flow is more than one instruction after the other.
    pub fn has_jumps(&self) -> bool {
        !self.template.labels.is_empty() || self.asm.is_goto
    }

    /// Makes the labels, and a home for each register that may be written.
    pub fn begin_flow(&mut self) -> Option<()> {
        if self.template.labels.is_empty() {
            return Some(());
        }
        for _ in &self.template.labels {
            let label = self.checker.asm_label(self.loc)?;
            self.labels.push(label);
        }
        for number in 0..self.registers.len() {
            if !self.registers[number].is_output {
                continue;
            }
            let own_type = self.outputs.iter().find_map(|&(operand, place)| match self.operands[operand].slot {
                Slot::Register(register) if register == number => Some(QualType::unqualified(place.ty.ty)),
                _ => None,
            });
            let ty = own_type.unwrap_or(self.unsigned(self.checker.pointer_size()));
            let home = Value { var: self.checker.temporary(ty, self.loc)?, ty };
            if let Some(value) = self.registers[number].value {
                self.registers[number].value = Some(self.bring_home(value, home, false)?);
            }
            self.registers[number].home = Some(home);
        }
        Some(())
    }

    /// Assigns a register's variable. What is above the value has to be known.
    pub fn bring_home(&mut self, value: Value, home: Value, is_zero_above: bool) -> Option<Value> {
        let (given, needed) = (self.size(value), self.size(home));
        if given < needed && !is_zero_above {
            return None;
        }
        let contents = match given < needed {
            true => {
                let low = self.load_as(value, self.unsigned(given));
                self.checker.converted(low, self.unsigned(needed))
            }
            false => self.load(value),
        };
        let value = self.keep(contents)?;
        let contents = self.load_as(value, home.ty);
        let place = self.checker.var(home.var, self.loc);
        let fill = self.checker.assignment(place, contents, self.loc);
        self.effects.push(Effect::Expr(fill));
        Some(home)
    }

    /// Comes to an instruction, or to the end: passes the labels before it.
    pub fn arrive(&mut self, number: usize) {
        self.current = number;
        let here = self.template.labels.iter().zip(&self.labels).filter(|((_, at), _)| *at == number);
        let here: Vec<LabelId> = here.map(|(_, &label)| label).collect();
        if !here.is_empty() {
            self.flags = super::flags::Flags::Unknown;
            self.exclusive = None;
        }
        self.effects.extend(here.into_iter().map(Effect::Label));
    }

    /// The instruction that a jump to a label of the text leads to, and the label.
    pub fn local_target(&self, target: &Operand) -> Option<(usize, LabelId)> {
        let Operand::Other(text) = target else { return None };
        let labels = self.template.labels.iter().zip(&self.labels);
        let number = text.strip_suffix(['b', 'f']).filter(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()));
        let mut found = match number {
            Some(number) if text.ends_with('b') => {
                labels.filter(|((name, at), _)| name == number && *at <= self.current).collect::<Vec<_>>()
            }
            Some(number) => {
                let mut ahead: Vec<_> = labels.filter(|((name, at), _)| name == number && *at > self.current).collect();
                ahead.truncate(1);
                ahead
            }
            // A name that the assembler would see twice is an error.
            None => labels.filter(|((name, _), _)| name == text).take(1).collect(),
        };
        found.pop().map(|((_, at), &label)| (*at, label))
    }

    /// Jumps, perhaps only on a condition.
    pub fn jump(&mut self, condition: Option<Expr>, target: &Operand) -> Option<()> {
        if let Some((at, target)) = self.local_target(target) {
            if at <= self.current {
                self.jumps_back.push((self.current, at));
            }
            self.effects.push(Effect::Jump { condition, before: Vec::new(), target });
            return Some(());
        }
        let Operand::Reference(Reference { modifier: Some('l'), name }) = target else { return None };
        let labels = &self.asm.labels;
        let label = match name {
            OperandName::Name(name) => labels.iter().find(|&&(label, _)| self.checker.name(label) == name)?,
            OperandName::Number(number) => {
                // An output that is read, too, counts as an input once more.
                let both = |o: &&crate::ast::AsmOperand| super::text_of(&o.constraint).contains('+');
                let operands = self.operands.len() + self.asm.outputs.iter().filter(both).count();
                labels.get(number.checked_sub(operands)?)?
            }
        };
        let (label, loc) = *label;
        let target = self.checker.goto_target(label, loc)?;
        // Of what is assigned at the label, all has to be known here.
        let condition = match condition {
            Some(condition) => {
                let kept = self.keep(condition)?;
                Some(self.load(kept))
            }
            None => None,
        };
        let before = self.assign_outputs()?;
        self.effects.push(Effect::Jump { condition, before, target });
        Some(())
    }
}

/// The statement that has these effects, one after the other; `None` if there are none.
pub(super) fn statement(effects: Vec<Effect>, join: impl Fn(Expr, Expr) -> Expr, loc: Loc) -> Option<StmtKind> {
    let mut stmts: Vec<Stmt> = Vec::new();
    let mut pending: Option<Expr> = None;
    let stmt = |kind| Stmt { kind, loc };
    for effect in effects {
        if let Effect::Expr(e) = effect {
            pending = Some(match pending {
                Some(before) => join(before, e),
                None => e,
            });
            continue;
        }
        stmts.extend(pending.take().map(|e| stmt(StmtKind::Expr(e))));
        match effect {
            Effect::Expr(_) => {}
            Effect::Label(label) => stmts.push(stmt(StmtKind::Label(label))),
            Effect::Jump { condition, before, target } => {
                let mut taken: Vec<Stmt> = before.into_iter().map(|e| stmt(StmtKind::Expr(e))).collect();
                taken.push(stmt(StmtKind::Goto(target)));
                let taken = StmtKind::Block { vars: Vec::new(), stmts: taken };
                stmts.push(stmt(match condition {
                    Some(condition) => StmtKind::If { condition, then: Box::new(stmt(taken)), otherwise: None },
                    None => taken,
                }));
            }
        }
    }
    if stmts.is_empty() {
        return pending.map(StmtKind::Expr);
    }
    stmts.extend(pending.map(|e| stmt(StmtKind::Expr(e))));
    Some(StmtKind::Block { vars: Vec::new(), stmts })
}
