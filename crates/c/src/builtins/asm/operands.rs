//! The operands of an `asm` statement: evaluated once, in order, before the first instruction.

use super::constraint::{self, Direction, Kind};
use super::machine::{Machine, Register, Value};
use super::{Clobber, text_of};
use crate::ast::{self, AsmOperand};
use crate::ctype::{QualType, Type};
use crate::tree::{Expr, ExprKind, ObjectId, VarId};
use norn_ir::number::narrow;

/// An operand of the statement.
pub(super) struct Bound {
    pub name: Option<String>,
    pub direction: Direction,
    /// Bytes of its type: how wide the compiler prints a register.
    pub size: u64,
    pub slot: Slot,
    /// Whether the compiler may choose memory that others see, though it is taken for a register here.
    pub may_be_memory: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Slot {
    Register(usize),
    Memory(Place),
    Immediate(i128),
    Flag(super::flags::Condition),
}

/// An object that a statement names, with everything evaluated that leads to it.
#[derive(Clone, Copy)]
pub(super) struct Place {
    at: At,
    pub ty: QualType,
}

#[derive(Clone, Copy)]
enum At {
    /// A part of a variable; its address takes no register.
    Var(VarId, u64),
    Object(ObjectId, QualType, u64),
    Pointer(Value),
}

impl Place {
    pub fn has_fixed_address(&self) -> bool {
        !matches!(self.at, At::Pointer(_))
    }
}

impl Machine<'_, '_> {
    /// Evaluates all operands. `None` if any of them is not understood.
    pub fn bind(&mut self, outputs: &[AsmOperand], inputs: &[AsmOperand], clobbers: &[Clobber]) -> Option<()> {
        let names: Vec<_> = outputs.iter().chain(inputs).filter_map(|operand| operand.name).collect();
        if let Some(twice) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            let message = format!("there are two operands named '{}'", self.checker.name(names[twice]));
            self.checker.error(self.loc, message);
            return None;
        }
        for output in outputs {
            self.bind_output(output)?;
        }
        for input in inputs {
            self.bind_input(input, outputs)?;
        }
        // A compiler refuses an operand in a register that is clobbered.
        let is_clobbered = |r: &Register| r.letter.is_some_and(|l| clobbers.contains(&Clobber::Register(l)));
        (!self.registers.iter().any(is_clobbered)).then_some(())?;
        // What is clobbered is free to be used.
        for clobber in clobbers {
            if let Clobber::Register(letter) = *clobber
                && !self.registers.iter().any(|r| r.letter == Some(letter))
            {
                self.registers.push(Register {
                    value: None,
                    letter: Some(letter),
                    is_input: false,
                    is_output: true,
                    is_early: true,
                    is_zero_above: false,
                    home: None,
                });
            }
        }
        Some(())
    }

    fn bind_output(&mut self, output: &AsmOperand) -> Option<()> {
        let place = self.output_place(&output.expr)?;
        let constraint = constraint::read(&text_of(&output.constraint), true, self.is_arm)?;
        if self.checker.is_read_only(place.ty) {
            self.checker.error(output.expr.loc, "the output of an 'asm' statement cannot be assigned to");
            return None;
        }
        let place = self.hold_place(place)?;
        let size = self.checker.size_of(place.ty)?;
        let may_be_memory;
        let is_register = match &constraint.kind {
            Kind::Flag(condition) => {
                self.checker.is_integer(place.ty).then_some(())?;
                self.outputs.push((self.operands.len(), place));
                self.push(output, Direction::Write, size, Slot::Flag(*condition));
                return Some(());
            }
            Kind::Place(places) if places.register || places.fixed.is_some() => {
                may_be_memory = places.memory && !self.is_private(place);
                places.fixed
            }
            Kind::Place(_) => {
                self.push(output, constraint.direction, size, Slot::Memory(place));
                return Some(());
            }
            Kind::Tied(_) | Kind::TiedByName(_) => return None,
        };
        self.is_word(place.ty).then_some(())?;
        if is_register.is_some() && self.registers.iter().any(|r| r.letter == is_register) {
            return None;
        }
        let value = match constraint.direction {
            Direction::ReadWrite => {
                let value = self.checker.load(self.place_expr(place));
                Some(self.keep(value)?)
            }
            _ => None,
        };
        let is_input = value.is_some();
        self.registers.push(Register {
            value,
            letter: is_register,
            is_input,
            is_output: true,
            is_early: constraint.early,
            is_zero_above: false,
            home: None,
        });
        self.outputs.push((self.operands.len(), place));
        self.push(output, constraint.direction, size, Slot::Register(self.registers.len() - 1));
        self.mark_last(may_be_memory);
        Some(())
    }

    /// The object of an output. As in GCC, a cast of it to an integer or pointer of the same size is no more than a
    /// check of that size.
    fn output_place(&mut self, e: &ast::Expr) -> Option<Expr> {
        let ast::ExprKind::Cast(_, operand) = &e.kind else { return self.checker.place(e) };
        let place = self.output_place(operand)?;
        let asked = self.checker.unevaluated_expr(e).ty;
        if self.checker.is_error(asked) {
            return None;
        }
        let is_word = |ty| self.checker.is_integer(ty) || self.checker.is_pointer(ty);
        if !is_word(asked) || !is_word(place.ty) || self.checker.size_of(asked) != self.checker.size_of(place.ty) {
            let (asked, own) = (self.checker.text(asked), self.checker.text(place.ty));
            // As for GCC, a cast to anything else is a value.
            let message = format!("the output of an 'asm' statement is {own}, and cannot be cast to {asked}");
            self.checker.error(e.loc, message);
            return None;
        }
        Some(place)
    }

    fn bind_input(&mut self, input: &AsmOperand, outputs: &[AsmOperand]) -> Option<()> {
        let constraint = constraint::read(&text_of(&input.constraint), false, self.is_arm)?;
        let places = match &constraint.kind {
            Kind::Place(places) => places,
            Kind::Tied(number) => return self.bind_tied(input, *number),
            Kind::TiedByName(name) => {
                let is_named = |o: &AsmOperand| o.name.is_some_and(|n| self.checker.name(n) == name);
                let number = outputs.iter().position(is_named)?;
                return self.bind_tied(input, number);
            }
            Kind::Flag(_) => return None,
        };
        let in_register = places.register || places.fixed.is_some();
        if places.memory && !in_register && places.immediates.is_empty() {
            let place = self.checker.place(&input.expr)?;
            let place = self.hold_place(place)?;
            let size = self.checker.size_of(place.ty)?;
            self.push(input, Direction::Read, size, Slot::Memory(place));
            return Some(());
        }
        let value = self.checker.rvalue(&input.expr);
        if self.checker.is_error(value.ty) {
            return None;
        }
        let size = self.checker.size_of(value.ty)?;
        self.is_word(value.ty).then_some(())?;
        if let ExprKind::Int(bits) = value.kind
            && !self.checker.is_pointer(value.ty)
        {
            // A compiler keeps constants by the width of the type alone, and prints them with the sign that has.
            let unused = 128 - 8 * narrow(size);
            let number = (self.checker.number_of(bits, value.ty) << unused) >> unused;
            if places.takes_immediate(number) {
                self.push(input, Direction::Read, size, Slot::Immediate(number));
                return Some(());
            }
        }
        if !in_register {
            return None;
        }
        let may_be_memory = places.memory && self.is_seen_by_others(&value);
        let value = self.keep(value)?;
        let shared = match places.fixed {
            Some(letter) => self.registers.iter().position(|r| r.letter == Some(letter)),
            None => None,
        };
        let register = match shared {
            Some(register) => {
                self.fill(register, value)?;
                register
            }
            None => {
                let letter = places.fixed;
                let value = Some(value);
                self.registers.push(Register {
                    value,
                    letter,
                    is_input: true,
                    is_output: false,
                    is_early: false,
                    is_zero_above: false,
                    home: None,
                });
                self.registers.len() - 1
            }
        };
        self.push(input, Direction::Read, size, Slot::Register(register));
        self.mark_last(may_be_memory);
        Some(())
    }

    /// An input that starts in the register of an output.
    fn bind_tied(&mut self, input: &AsmOperand, number: usize) -> Option<()> {
        let Slot::Register(register) = self.operands.get(number)?.slot else { return None };
        if number >= self.number_of_outputs {
            return None;
        }
        let value = self.checker.rvalue(&input.expr);
        if self.checker.is_error(value.ty) {
            return None;
        }
        let size = self.checker.size_of(value.ty)?;
        self.is_word(value.ty).then_some(())?;
        let value = self.keep(value)?;
        self.registers[register].is_early = false;
        self.fill(register, value)?;
        let may_be_memory = self.operands[number].may_be_memory;
        self.push(input, Direction::Read, size, Slot::Register(register));
        self.mark_last(may_be_memory);
        Some(())
    }

    /// An output's register receives an input: there may be one, and none if it is written early.
    fn fill(&mut self, register: usize, value: Value) -> Option<()> {
        let register = &mut self.registers[register];
        if register.is_input || register.is_early {
            return None;
        }
        (register.value, register.is_input) = (Some(value), true);
        Some(())
    }

    fn push(&mut self, operand: &AsmOperand, direction: Direction, size: u64, slot: Slot) {
        let name = operand.name.map(|name| self.checker.name(name).to_owned());
        self.operands.push(Bound { name, direction, size, slot, may_be_memory: false });
    }

    fn mark_last(&mut self, may_be_memory: bool) {
        if let Some(operand) = self.operands.last_mut() {
            operand.may_be_memory = may_be_memory;
        }
    }

    /// Whether nobody but the statement can tell when a place is accessed: a local variable whose address nobody takes.
    fn is_private(&mut self, place: Place) -> bool {
        match place.at {
            At::Var(var, _) => self.checker.is_private(var, self.loc),
            At::Object(..) | At::Pointer(_) => false,
        }
    }

    /// Whether a value is read from a place that is not private.
    fn is_seen_by_others(&mut self, value: &Expr) -> bool {
        let ExprKind::Load(place) = &value.kind else { return false };
        match fixed_address(place) {
            Some(Some(At::Var(var, _))) => !self.checker.is_private(var, self.loc),
            _ => true,
        }
    }

    /// An integer, truth value or pointer of 1, 2, 4 or 8 bytes that fits a register.
    fn is_word(&self, ty: QualType) -> bool {
        let is_float = matches!(self.checker.kind(ty), Type::Float(_));
        let size = self.checker.size_of(ty).filter(|&size| size <= self.checker.pointer_size());
        self.checker.is_scalar(ty) && !is_float && matches!(size, Some(1 | 2 | 4 | 8))
    }

    /// Whether an access may have the type itself, instead of an integer of its width.
    pub fn is_word_of(&self, ty: QualType, size: u64) -> bool {
        self.is_word(ty) && self.checker.size_of(ty) == Some(size)
    }

    /// Evaluates what leads to a place. `None` for bit-fields.
    fn hold_place(&mut self, place: Expr) -> Option<Place> {
        let ty = place.ty;
        let at = match fixed_address(&place)? {
            Some(at) => at,
            None => {
                let pointer_type = self.checker.pointer_to(ty);
                let pointer = self.checker.address(place, pointer_type, self.loc);
                At::Pointer(self.keep(pointer)?)
            }
        };
        Some(Place { at, ty })
    }

    pub fn place_expr(&self, place: Place) -> Expr {
        let (root, offset) = match place.at {
            At::Pointer(pointer) => {
                let pointer = self.load(pointer);
                let place_again = self.checker.deref(pointer, self.loc);
                return Expr { ty: place.ty, ..place_again };
            }
            At::Var(var, offset) => (self.checker.var(var, self.loc), offset),
            At::Object(id, ty, offset) => (Expr { kind: ExprKind::Object(id), ty, loc: self.loc }, offset),
        };
        if offset == 0 && root.ty == place.ty {
            return root;
        }
        let kind = ExprKind::Member { base: Box::new(root), offset, bits: None };
        Expr { kind, ty: place.ty, loc: self.loc }
    }
}

/// A member of a variable; `Some(None)` if the address has to be computed, `None` for bit-fields.
fn fixed_address(place: &Expr) -> Option<Option<At>> {
    let mut offset = 0;
    let mut at = place;
    loop {
        match &at.kind {
            ExprKind::Member { bits: Some(_), .. } => return None,
            ExprKind::Member { base, offset: more, bits: None } => {
                offset += more;
                at = base;
            }
            ExprKind::Var(var) => return Some(Some(At::Var(*var, offset))),
            ExprKind::Object(id) => return Some(Some(At::Object(*id, at.ty, offset))),
            _ => return Some(None),
        }
    }
}
