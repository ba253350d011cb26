//! The state while a statement is executed in the checker: registers, flags, and the expression built so far.

use super::Clobber;
use super::constraint::Direction;
use super::flags::Flags;
use super::flow::Effect;
use super::operands::{Bound, Place, Slot};
use super::template::{Operand, OperandName, Reference, Template};
use crate::ast::AsmStatement;
use crate::ctype::{IntType, QualType, TypeId};
use crate::sema::Checker;
use crate::tree::{BinaryOp, Builtin, CompareOp, Expr, LabelId, VarId};
use norn_ir::instr::Order;
use norn_ir::source::Loc;

pub(super) struct Machine<'c, 'a> {
    pub checker: &'c mut Checker<'a>,
    pub asm: &'c AsmStatement,
    pub template: &'c Template,
    pub is_arm: bool,
    pub loc: Loc,
    /// The number of the instruction that is executed.
    pub current: usize,
    /// The labels of the text, and the jumps back with the instructions that they come from and lead to.
    pub labels: Vec<LabelId>,
    pub jumps_back: Vec<(usize, usize)>,
    /// What the last load-exclusive found, and where.
    pub exclusive: Option<(Operand, Value)>,
    /// The orders of the accesses to come.
    pub order: Order,
    pub update_order: Order,
    pub registers: Vec<Register>,
    pub operands: Vec<Bound>,
    pub number_of_outputs: usize,
    /// The outputs that are assigned to at the end, with their operands.
    pub outputs: Vec<(usize, Place)>,
    pub flags: Flags,
    pub effects: Vec<Effect>,
    /// Accesses to memory and fences so far.
    pub accesses: usize,
    /// The operands of the instructions so far that the compiler may put in memory.
    may_be_accesses: usize,
    /// `"memory"` is clobbered.
    sees_memory: bool,
    /// The registers that were written though they may be shared with inputs, by letter, before this instruction and by it.
    written: Vec<Option<char>>,
    written_now: Vec<Option<char>>,
    /// All reads of inputs and all such writes, by instruction.
    input_reads: Vec<(usize, Option<char>)>,
    shared_writes: Vec<(usize, Option<char>)>,
    /// The memory operands that were written, with the bytes from their beginning.
    stored: Vec<(usize, u64)>,
}

/// A register that the compiler chose; `letter` if the constraint names it.
pub(super) struct Register {
    /// What it holds, as far as that is known: nothing, or as many bytes as the type has.
    pub value: Option<Value>,
    pub letter: Option<char>,
    pub is_input: bool,
    pub is_output: bool,
    /// Shares nothing with inputs.
    pub is_early: bool,
    /// The upper half was set to 0 when the lower was written.
    pub is_zero_above: bool,
    /// Where instructions jump: the variable that holds the contents on all ways.
    pub home: Option<Value>,
}

/// A made-up variable that is assigned to once.
#[derive(Clone, Copy)]
pub(super) struct Value {
    pub var: VarId,
    pub ty: QualType,
}

/// Memory that an instruction names, by the place or by a pointer to it.
#[derive(Clone, Copy)]
pub(super) enum Memory {
    Place(usize, Place),
    Pointer(Value),
}

impl<'c, 'a> Machine<'c, 'a> {
    pub fn new(
        checker: &'c mut Checker<'a>,
        asm: &'c AsmStatement,
        template: &'c Template,
        clobbers: &[Clobber],
        loc: Loc,
    ) -> Option<Self> {
        let mut machine = Machine {
            checker,
            asm,
            template,
            is_arm: template.is_arm,
            loc,
            current: 0,
            labels: Vec::new(),
            jumps_back: Vec::new(),
            exclusive: None,
            order: Order::Relaxed,
            update_order: Order::SeqCst,
            registers: Vec::new(),
            operands: Vec::new(),
            number_of_outputs: asm.outputs.len(),
            outputs: Vec::new(),
            flags: Flags::Unknown,
            effects: Vec::new(),
            accesses: 0,
            may_be_accesses: 0,
            sees_memory: clobbers.contains(&Clobber::Memory),
            written: Vec::new(),
            written_now: Vec::new(),
            input_reads: Vec::new(),
            shared_writes: Vec::new(),
            stored: Vec::new(),
        };
        machine.bind(&asm.outputs, &asm.inputs, clobbers)?;
        machine.begin_flow()?;
        Some(machine)
    }

    /// Ends an instruction: what it wrote counts from now on.
    pub fn end_instruction(&mut self, operands: &[Operand]) {
        let is_either = |operand: &&Operand| match operand {
            Operand::Reference(reference) => self.bound(reference).is_some_and(|n| self.operands[n].may_be_memory),
            _ => false,
        };
        self.may_be_accesses += operands.iter().filter(is_either).count();
        let mut now = std::mem::take(&mut self.written_now);
        self.written.append(&mut now);
    }

    /// Assigns the outputs.
    pub fn finish(mut self) -> Option<Vec<Effect>> {
        // Which of several accesses comes first would be the compiler's choice.
        if self.may_be_accesses > 0 && self.may_be_accesses + self.accesses > 1 {
            return None;
        }
        for (number, operand) in self.operands.iter().enumerate() {
            let is_memory = matches!(operand.slot, Slot::Memory(_));
            let is_covered = self.stored.iter().any(|&(stored, bytes)| stored == number && bytes >= operand.size);
            // The compiler may have left out what was stored there before, unless it expects everything to be read.
            let is_lost = !is_covered || self.has_jumps();
            if is_memory && operand.direction == Direction::Write && is_lost && !self.sees_memory {
                return None;
            }
        }
        // What was written over an input before a jump back would be read as the input after it.
        for &(from, to) in &self.jumps_back {
            let is_inside = |at: usize| (to..=from).contains(&at);
            let reads = self.input_reads.iter().filter(|&&(at, _)| is_inside(at));
            let writes = || self.shared_writes.iter().filter(|&&(at, _)| is_inside(at));
            if reads.clone().any(|&(_, read)| writes().any(|&(_, written)| meets(written, read))) {
                return None;
            }
        }
        let assignments = self.assign_outputs()?;
        self.effects.extend(assignments.into_iter().map(Effect::Expr));
        Some(self.effects)
    }

    /// Assigns what the outputs are at this point.
    pub fn assign_outputs(&mut self) -> Option<Vec<Expr>> {
        let mut assignments = Vec::new();
        for i in 0..self.outputs.len() {
            let (number, place) = self.outputs[i];
            let value = match self.operands[number].slot {
                Slot::Flag(condition) => self.condition(condition)?,
                Slot::Register(register) => {
                    let size = self.operands[number].size;
                    let value = self.read_register_number(register, size)?;
                    self.load_as(value, place.ty)
                }
                _ => return None,
            };
            let place = self.place_expr(place);
            let value = self.checker.converted(value, place.ty);
            assignments.push(self.checker.assignment(place, value, self.loc));
        }
        Some(assignments)
    }

    // ---- values

    /// Computes a value now.
    pub fn keep(&mut self, value: Expr) -> Option<Value> {
        if self.checker.is_error(value.ty) {
            return None;
        }
        let ty = QualType::unqualified(value.ty.ty);
        let var = self.checker.temporary(ty, self.loc)?;
        let place = self.checker.var(var, self.loc);
        let fill = self.checker.assignment(place, value, self.loc);
        self.effects.push(Effect::Expr(fill));
        Some(Value { var, ty })
    }

    pub fn load(&self, value: Value) -> Expr {
        let place = self.checker.var(value.var, self.loc);
        self.checker.load(place)
    }

    /// The bits of a value as a type. A truth value has no room for others than 0 and 1.
    pub fn load_as(&mut self, value: Value, ty: QualType) -> Expr {
        let loaded = self.load(value);
        if !self.checker.is_bool(ty) || self.checker.is_bool(value.ty) {
            return self.checker.converted(loaded, ty);
        }
        let one = self.number(1, self.size(value));
        let fits = self.load_as(value, self.unsigned(self.size(value)));
        let fits = self.checker.comparison(CompareOp::Le, fits, one, self.loc);
        let other = "inline assembly that makes a '_Bool' neither 0 nor 1";
        let other = self.checker.unsupported(other, value.ty, self.loc);
        let truth = self.checker.choice(fits, loaded, other, self.loc);
        self.checker.converted(truth, ty)
    }

    pub fn size(&self, value: Value) -> u64 {
        self.checker.size_of(value.ty).unwrap_or(0)
    }

    /// The low bytes of a value; `None` if it has fewer.
    pub fn part(&mut self, value: Value, size: u64) -> Option<Value> {
        match self.size(value) {
            whole if whole == size => Some(value),
            whole if whole > size => {
                let part = self.load_as(value, self.unsigned(size));
                self.keep(part)
            }
            _ => None,
        }
    }

    pub fn unsigned(&self, size: u64) -> QualType {
        QualType::unqualified(TypeId::of_int(match size {
            1 => IntType::UnsignedChar,
            2 => IntType::UnsignedShort,
            4 => IntType::UnsignedInt,
            16 => IntType::UnsignedInt128,
            _ => IntType::UnsignedLongLong,
        }))
    }

    pub fn signed(&self, size: u64) -> QualType {
        QualType::unqualified(TypeId::of_int(match size {
            1 => IntType::SignedChar,
            2 => IntType::Short,
            4 => IntType::Int,
            _ => IntType::LongLong,
        }))
    }

    /// Arithmetic that wraps at the width of the left value; narrow values are computed as C does, in at least 32 bits.
    pub fn compute(&mut self, op: BinaryOp, left: Value, right: Value) -> Expr {
        let size = self.size(left);
        let wide = self.unsigned(size.max(4));
        let (left, right) = (self.load_as(left, self.unsigned(size)), self.load_as(right, self.unsigned(size)));
        let (left, right) = (self.checker.converted(left, wide), self.checker.converted(right, wide));
        let result = self.checker.arithmetic(op, left, right, self.loc);
        self.checker.converted(result, self.unsigned(size))
    }

    pub fn number(&self, value: i128, size: u64) -> Expr {
        self.checker.int_constant(value, self.unsigned(size), self.loc)
    }

    // ---- operands of instructions

    pub fn bound(&self, reference: &Reference) -> Option<usize> {
        match &reference.name {
            OperandName::Number(number) => Some(*number).filter(|&n| n < self.operands.len()),
            OperandName::Name(name) => self.operands.iter().position(|o| o.name.as_ref() == Some(name)),
        }
    }

    /// How wide a register is printed; `None` if the operand is none, or an unknown part of it is asked for.
    pub fn printed_width(&self, operand: &Operand) -> Option<u64> {
        let reference = match operand {
            Operand::Reference(reference) => reference,
            Operand::Named(_, width) | Operand::Zero(width) => return Some(*width),
            _ => return None,
        };
        let bound = &self.operands[self.bound(reference)?];
        let Slot::Register(_) = bound.slot else { return None };
        self.width_of(reference.modifier, if self.is_arm { 8 } else { bound.size })
    }

    pub fn register(&self, operand: &Operand, width: u64) -> Option<usize> {
        let reference = match operand {
            Operand::Reference(reference) => reference,
            Operand::Named(name, printed) if *printed == width => {
                return self.registers.iter().position(|r| r.letter == Some(name.0));
            }
            _ => return None,
        };
        match self.operands[self.bound(reference)?].slot {
            Slot::Register(register) if self.printed_width(operand) == Some(width) => Some(register),
            _ => None,
        }
    }

    pub fn memory(&mut self, operand: &Operand) -> Option<Memory> {
        match operand {
            Operand::Reference(reference) => {
                let number = self.bound(reference)?;
                let Slot::Memory(place) = self.operands[number].slot else { return None };
                // Modifiers for the width change nothing about memory.
                self.width_of(reference.modifier, 1)?;
                if !place.has_fixed_address() {
                    if !self.written.is_empty() {
                        return None;
                    }
                    self.input_reads.push((self.current, None));
                }
                Some(Memory::Place(number, place))
            }
            Operand::Indirect(base, bytes) if self.sees_memory => {
                let width = self.printed_width(base).filter(|&width| width == self.checker.pointer_size())?;
                let pointer = self.read_register(base, width)?;
                self.checker.is_pointer(pointer.ty).then_some(())?;
                if *bytes == 0 {
                    return Some(Memory::Pointer(pointer));
                }
                let offset = self.checker.int_constant(i128::from(*bytes), self.checker.ptrdiff_type(), self.loc);
                let byte = self.checker.pointer_to(self.unsigned(1));
                let start = self.load_as(pointer, byte);
                let moved = self.checker.pointer_add(start, offset, crate::tree::Size::Const(1), false, self.loc);
                Some(Memory::Pointer(self.keep(moved)?))
            }
            _ => None,
        }
    }

    /// What a register holds, at a width.
    pub fn read_register(&mut self, operand: &Operand, width: u64) -> Option<Value> {
        let number = self.register(operand, width)?;
        self.read_register_number(number, width)
    }

    pub fn read_register_number(&mut self, number: usize, width: u64) -> Option<Value> {
        let register = &self.registers[number];
        let (value, letter, is_zero_above) = (register.value?, register.letter, register.is_zero_above);
        let has_home = register.home.is_some();
        if !register.is_output {
            if self.written.iter().any(|&written| meets(written, letter)) {
                return None;
            }
            self.input_reads.push((self.current, letter));
        }
        if is_zero_above && width == 8 && self.size(value) == 4 {
            let whole = self.load_as(value, self.unsigned(4));
            let whole = self.checker.converted(whole, self.unsigned(8));
            return self.keep(whole);
        }
        match self.part(value, width)? {
            // The variable may be assigned to again.
            same if has_home && same.var == value.var => {
                let copy = self.load(same);
                self.keep(copy)
            }
            part => Some(part),
        }
    }

    /// A source operand that is no memory.
    pub fn read_simple(&mut self, operand: &Operand, width: u64) -> Option<Value> {
        let number = match operand {
            Operand::Immediate(number) => Some(*number),
            Operand::Zero(printed) if *printed == width => Some(0),
            Operand::Reference(reference) => match self.operands[self.bound(reference)?].slot {
                Slot::Immediate(number) => {
                    self.width_of(reference.modifier, 1)?;
                    Some(number)
                }
                _ => None,
            },
            _ => None,
        };
        match number {
            Some(number) => {
                let number = self.immediate(number, width)?;
                self.keep(number)
            }
            None => self.read_register(operand, width),
        }
    }

    /// A number in an instruction: 32 bits at most, extended by its sign, if it fits the width at all.
    fn immediate(&self, number: i128, width: u64) -> Option<Expr> {
        let bits = width * 8;
        let fits = match width {
            8 => i32::try_from(number).is_ok(),
            _ => number >= -(1 << (bits - 1)) && number < 1 << bits,
        };
        fits.then(|| self.number(number, width))
    }

    /// Writes a register that is an output. The low byte or half leaves the rest as it is.
    pub fn write_register(&mut self, operand: &Operand, value: Value) -> Option<()> {
        let width = self.size(value);
        let number = self.register(operand, width)?;
        self.write_register_number(number, value)
    }

    pub fn write_register_number(&mut self, number: usize, value: Value) -> Option<()> {
        let (width, register) = (self.size(value), &self.registers[number]);
        if !register.is_output {
            return None;
        }
        if !register.is_early {
            self.written_now.push(register.letter);
            self.shared_writes.push((self.current, register.letter));
        }
        // Writing the lower half of a register of 64 bits clears the upper half.
        let is_zero_above = width == 4 && self.checker.pointer_size() == 8;
        let new = match register.value {
            Some(before) if width < 4 && self.size(before) > width => {
                let size = self.size(before);
                let wide = self.unsigned(size.max(4));
                let before = self.load_as(before, self.unsigned(size));
                let before = self.checker.converted(before, wide);
                let mask = (1 << (size * 8)) - (1 << (width * 8));
                let mask = self.checker.int_constant(mask, wide, self.loc);
                let rest = self.checker.arithmetic(BinaryOp::And, before, mask, self.loc);
                let low = self.load_as(value, self.unsigned(width));
                let low = self.checker.converted(low, wide);
                let joined = self.checker.arithmetic(BinaryOp::Or, rest, low, self.loc);
                let joined = self.checker.converted(joined, self.unsigned(size));
                self.keep(joined)?
            }
            _ => value,
        };
        let (new, is_zero_above) = match self.registers[number].home {
            Some(home) => (self.bring_home(new, home, is_zero_above)?, false),
            None => (new, is_zero_above),
        };
        let register = &mut self.registers[number];
        (register.value, register.is_zero_above) = (Some(new), is_zero_above);
        Some(())
    }

    // ---- memory

    /// A pointer for an access of a width, and the type of the access: an integer, or the place's own type if `natural`.
    pub fn access(&mut self, memory: Memory, width: u64, natural: bool) -> Option<(Expr, QualType)> {
        let (pointer, pointee) = match memory {
            Memory::Pointer(pointer) => (self.load(pointer), self.checker.pointee(pointer.ty)?),
            Memory::Place(_, place) => {
                // What lies behind the operand may be accessed only if the compiler expects that.
                if self.checker.size_of(place.ty)? < width && !self.sees_memory {
                    return None;
                }
                let pointer_type = self.checker.pointer_to(place.ty);
                let place_expr = self.place_expr(place);
                (self.checker.address(place_expr, pointer_type, self.loc), place.ty)
            }
        };
        let ty = match natural && self.is_word_of(pointee, width) {
            true => QualType::unqualified(pointee.ty),
            false => self.unsigned(width),
        };
        let pointer_type = self.checker.pointer_to(ty);
        Some((self.checker.converted(pointer, pointer_type), ty))
    }

    /// Whether the compiler expects memory to be read here.
    pub fn may_read(&self, memory: Memory) -> Option<()> {
        let expected = match memory {
            Memory::Place(number, _) => self.operands[number].direction != Direction::Write,
            Memory::Pointer(_) => true,
        };
        (expected || self.sees_memory).then_some(())
    }

    /// Whether the compiler expects memory to be written here; notes how many bytes are.
    pub fn may_write(&mut self, memory: Memory, bytes: u64) -> Option<()> {
        let expected = match memory {
            Memory::Place(number, _) => {
                self.stored.push((number, bytes));
                self.operands[number].direction != Direction::Read
            }
            Memory::Pointer(_) => true,
        };
        (expected || self.sees_memory).then_some(())
    }

    pub fn load_memory(&mut self, memory: Memory, width: u64, natural: bool) -> Option<Value> {
        self.may_read(memory)?;
        let (pointer, ty) = self.access(memory, width, natural)?;
        self.accesses += 1;
        let order = self.order;
        let load = self.checker.builtin(Builtin::AtomicLoad { pointer, order }, ty, self.loc);
        self.keep(load)
    }

    pub fn store_memory(&mut self, memory: Memory, value: Value) -> Option<()> {
        let width = self.size(value);
        self.may_write(memory, width)?;
        self.accesses += 1;
        let (mut pointer, mut ty) = self.access(memory, width, true)?;
        if self.checker.is_pointer(ty) && !self.checker.is_pointer(value.ty) {
            (pointer, ty) = self.access(memory, width, false)?;
        }
        let value = self.load_as(value, ty);
        let void = self.checker.void_type();
        let builtin = Builtin::AtomicStore { pointer, value, order: self.order };
        let store = self.checker.builtin(builtin, void, self.loc);
        self.effects.push(Effect::Expr(store));
        Some(())
    }

    /// The width that a modifier asks for.
    fn width_of(&self, modifier: Option<char>, natural: u64) -> Option<u64> {
        match (modifier, self.is_arm) {
            (None, _) => Some(natural),
            (Some('w'), true) => Some(4),
            (Some('x'), true) => Some(8),
            (Some('b'), false) => Some(1),
            (Some('w'), false) => Some(2),
            (Some('k'), false) => Some(4),
            (Some('q'), false) => Some(8),
            (Some(_), _) => None,
        }
    }
}

/// Whether two registers may be the same; those without a letter may be any.
fn meets(a: Option<char>, b: Option<char>) -> bool {
    a.is_none() || b.is_none() || a == b
}
