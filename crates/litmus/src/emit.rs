//! Steps of a thread → a function of the IR.
//!
//! A machine register becomes up to two registers of the IR, one for numbers and one for addresses; which of them is
//! read is known at every point ([`crate::kinds`]). What is known to be constant is written as a constant, and
//! computations that only led there disappear, so that a test's loads, stores and fences remain.

use norn_ir::diag::Diagnostic;
use norn_ir::ids::{BlockId, GlobalId, Reg};
use norn_ir::instr::{
    Access, BinaryOp, CastOp, Const, InstrKind, NondetSource, Operand, Order, RmwOp, SectionKind, TerminatorKind,
};
use norn_ir::program::Function;
use norn_ir::span::Span;
use norn_ir::types::{Target, Ty};

use crate::Arch;
use crate::build::FunctionBuilder;
use crate::kinds::{Abstract, Kinds};
use crate::state::{Location, LocationId};
use crate::step::{Code, MachineReg, Place, Step, Val};
use crate::token::File;

/// Where a location lives in the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    pub global: GlobalId,
    /// The type of the location or of its elements.
    pub ty: Ty,
    pub bytes: u64,
}

/// A register whose final value is stored for the condition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FinalStore {
    pub reg: MachineReg,
    pub global: GlobalId,
    pub ty: Ty,
}

pub(crate) const RELAXED: Access = Access { order: Order::Relaxed, volatile: false };

/// What all threads of a test share.
pub(crate) struct Context<'c> {
    pub file: &'c File<'c>,
    pub arch: Arch,
    pub target: Target,
    pub kinds: &'c Kinds,
    pub locations: &'c [Location],
    pub homes: &'c [Home],
}

/// For each location, the widest access to it.
pub(crate) fn access_sizes(threads: &[Code<'_>], kinds: &Kinds) -> Vec<Option<Ty>> {
    let mut widest = vec![None; kinds.contents.len()];
    for (thread, code) in threads.iter().enumerate() {
        for block in &kinds.flows[thread].blocks {
            let Some(mut registers) = block.entry.clone() else { continue };
            for (step, _) in &code.steps[block.steps.clone()] {
                if let Step::Load { place, ty, .. }
                | Step::Store { place, ty, .. }
                | Step::Rmw { place, ty, .. }
                | Step::CompareExchange { place, ty, .. } = step
                {
                    for id in kinds.locations(&kinds.place(*place, &registers)) {
                        widest[id.index()] = widest[id.index()].max(Some(*ty));
                    }
                }
                kinds.step(step, &mut registers);
            }
        }
    }
    widest
}

/// What the registers of a thread hold at its end, if it has one.
pub(crate) fn final_registers(thread: usize, kinds: &Kinds) -> Option<&[Abstract]> {
    kinds.flows[thread].blocks.last()?.entry.as_deref()
}

/// The function of a thread.
pub(crate) fn thread(
    context: &Context<'_>,
    number: usize,
    code: &Code<'_>,
    finals: &[FinalStore],
) -> Result<Function, Vec<Diagnostic>> {
    let start = code.steps.first().map_or(Span::NONE, |&(_, start)| context.file.span(start));
    let builder = FunctionBuilder::new(&format!("P{number}"), None, start);
    let mut emitter = Emitter {
        context,
        thread: number,
        code,
        out: builder,
        registers: Vec::new(),
        numbers: vec![None; code.registers.len()],
        addresses: vec![None; code.registers.len()],
        findings: Vec::new(),
        at: 0,
    };
    emitter.initial_values();
    emitter.blocks(finals);
    if emitter.findings.is_empty() { Ok(emitter.out.finish()) } else { Err(emitter.findings) }
}

struct Emitter<'c> {
    context: &'c Context<'c>,
    thread: usize,
    code: &'c Code<'c>,
    out: FunctionBuilder,
    /// What the machine registers hold here.
    registers: Vec<Abstract>,
    numbers: Vec<Option<Reg>>,
    addresses: Vec<Option<Reg>>,
    findings: Vec<Diagnostic>,
    /// Byte offset of the instruction being turned into IR.
    at: u32,
}

impl Emitter<'_> {
    fn word(&self) -> Ty {
        self.context.target.pointer_int()
    }

    fn constant(&self, ty: Ty, n: i64) -> Operand {
        Operand::Const(Const { ty, bits: ty.truncate(n as u64, self.context.target) })
    }

    fn unsupported(&mut self, message: String) {
        let loc = self.context.file.loc(self.at as usize);
        self.findings.push(Diagnostic::unsupported(loc, message));
    }

    fn number_reg(&mut self, reg: MachineReg) -> Reg {
        let ty = self.word();
        let name = &self.code.registers[reg.index()].name;
        *self.numbers[reg.index()].get_or_insert_with(|| self.out.reg(ty, name))
    }

    fn address_reg(&mut self, reg: MachineReg) -> Reg {
        let name = &self.code.registers[reg.index()].name;
        *self.addresses[reg.index()].get_or_insert_with(|| self.out.reg(Ty::Ptr, name))
    }

    /// Registers that are written before they are read, as far as that is plain to see, need no initial value.
    fn initial_values(&mut self) {
        let kinds = self.context.kinds;
        let entry = &kinds.flows[self.thread].blocks[0];
        self.registers = entry.entry.clone().unwrap_or_default();
        let mut settled = vec![false; self.code.registers.len()];
        let mut needed = vec![false; self.code.registers.len()];
        for (step, _) in &self.code.steps[entry.steps.clone()] {
            for read in step.reads() {
                if let Val::Reg(reg) = read {
                    needed[reg.index()] |= !settled[reg.index()];
                }
            }
            if let Some(dst) = step.dst() {
                settled[dst.index()] = true;
            }
        }
        for index in 0..self.code.registers.len() {
            if needed[index] || !settled[index] {
                let reg = MachineReg::new(index);
                self.set(reg, Val::Reg(reg));
            }
        }
    }

    fn blocks(&mut self, finals: &[FinalStore]) {
        let kinds = self.context.kinds;
        let flow = &kinds.flows[self.thread];
        // The first block of the function is the first block of the flow.
        let mut ids = vec![BlockId(0)];
        ids.extend((1..flow.blocks.len()).map(|_| self.out.block()));
        for (index, block) in flow.blocks.iter().enumerate() {
            let Some(entry) = &block.entry else { continue };
            self.registers.clone_from(entry);
            self.out.go_on_in(ids[index]);
            for (step, start) in &self.code.steps[block.steps.clone()] {
                self.at = *start;
                self.out.span = self.context.file.span(*start);
                self.step(step);
                kinds.step(step, &mut self.registers);
            }
            if index + 1 == flow.blocks.len() {
                self.end(finals);
                continue;
            }
            let last = self.code.steps[block.steps.clone()].last().map(|(step, _)| step);
            let terminator = match kinds.successors(self.thread, index, last, &self.registers).as_slice() {
                [taken, next] => self.branch(last, ids[*taken], ids[*next]),
                [next] => TerminatorKind::Goto(ids[*next]),
                _ => TerminatorKind::Unreachable,
            };
            self.out.terminate(terminator);
        }
    }

    fn branch(&mut self, last: Option<&Step>, taken: BlockId, next: BlockId) -> TerminatorKind {
        let Some(Step::Branch { op, lhs, rhs, .. }) = last else { return TerminatorKind::Goto(next) };
        let (lhs, rhs) = (self.number(*lhs), self.number(*rhs));
        let cond = self.out.temporary(Ty::Bool);
        self.out.push(InstrKind::Compare { dst: cond, op: *op, ty: self.word(), lhs, rhs });
        TerminatorKind::Branch { cond: Operand::Reg(cond), then: taken, otherwise: next }
    }

    /// All final values in one step, so that observing them does not multiply the schedules.
    fn end(&mut self, finals: &[FinalStore]) {
        if !finals.is_empty() {
            self.out.push(InstrKind::SectionBegin(SectionKind::Atomic));
            for &FinalStore { reg, global, ty } in finals {
                let value = self.value_as(Val::Reg(reg), ty);
                let addr = Operand::Global(global, 0);
                self.out.push(InstrKind::Store { ty, addr, value, access: Access::PLAIN });
            }
            self.out.push(InstrKind::SectionEnd);
        }
        self.out.terminate(TerminatorKind::Return(None));
    }

    fn look(&self, value: Val) -> Abstract {
        self.context.kinds.value(value, &self.registers)
    }

    /// The value as a number of the registers' width.
    fn number(&mut self, value: Val) -> Operand {
        let known = self.look(value);
        if let Some(n) = known.as_constant() {
            return self.constant(self.word(), n);
        }
        if known.is_address() {
            let src = self.address(value);
            let dst = self.out.temporary(self.word());
            self.out.push(InstrKind::Cast { dst, op: CastOp::PtrToInt, from: Ty::Ptr, src });
            return Operand::Reg(dst);
        }
        match value {
            Val::Reg(reg) => Operand::Reg(self.number_reg(reg)),
            // Neither is a number that is not constant.
            Val::Number(n) => self.constant(self.word(), n),
            Val::Address(id) => Operand::Global(self.home(id).global, 0),
        }
    }

    fn home(&self, id: LocationId) -> Home {
        self.context.homes[id.index()]
    }

    fn address(&mut self, value: Val) -> Operand {
        let known = self.look(value);
        if let Some((id, offset)) = known.as_exact() {
            return Operand::Global(self.home(id).global, offset);
        }
        if let Some(n) = known.as_constant() {
            return self.constant(Ty::Ptr, n);
        }
        match value {
            Val::Reg(reg) if known.is_address() => Operand::Reg(self.address_reg(reg)),
            _ => {
                let src = self.number(value);
                let dst = self.out.temporary(Ty::Ptr);
                self.out.push(InstrKind::Cast { dst, op: CastOp::IntToPtr, from: self.word(), src });
                Operand::Reg(dst)
            }
        }
    }

    /// The value as it goes to memory.
    fn value_as(&mut self, value: Val, ty: Ty) -> Operand {
        if ty == Ty::Ptr {
            return self.address(value);
        }
        if let Some(n) = self.look(value).as_constant() {
            return self.constant(ty, n);
        }
        let src = self.number(value);
        self.truncated(src, ty)
    }

    fn truncated(&mut self, src: Operand, ty: Ty) -> Operand {
        if ty == self.word() {
            return src;
        }
        let dst = self.out.temporary(ty);
        self.out.push(InstrKind::Cast { dst, op: CastOp::Truncate, from: self.word(), src });
        Operand::Reg(dst)
    }

    /// Writes a number of type `ty` to a machine register.
    fn set_number(&mut self, dst: MachineReg, src: Operand, ty: Ty, signed: bool) {
        let reg = self.number_reg(dst);
        if ty == self.word() {
            self.out.push(InstrKind::Copy { dst: reg, src });
        } else {
            let op = if signed { CastOp::SignExtend } else { CastOp::ZeroExtend };
            self.out.push(InstrKind::Cast { dst: reg, op, from: ty, src });
        }
        self.number_as_address(dst);
    }

    /// Where ways join, a number may be needed as an address.
    fn number_as_address(&mut self, dst: MachineReg) {
        if self.context.kinds.flows[self.thread].joined[dst.index()] {
            let src = Operand::Reg(self.number_reg(dst));
            let reg = self.address_reg(dst);
            self.out.push(InstrKind::Cast { dst: reg, op: CastOp::IntToPtr, from: self.word(), src });
        }
    }

    fn set(&mut self, dst: MachineReg, src: Val) {
        let known = self.look(src);
        if known.is_address() {
            let src = self.address(src);
            let reg = self.address_reg(dst);
            self.out.push(InstrKind::Copy { dst: reg, src });
            return;
        }
        let number = self.number(src);
        let reg = self.number_reg(dst);
        self.out.push(InstrKind::Copy { dst: reg, src: number });
        if self.context.kinds.flows[self.thread].joined[dst.index()] {
            let src = self.address(src);
            let reg = self.address_reg(dst);
            self.out.push(InstrKind::Copy { dst: reg, src });
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Label(_) | Step::Jump(_) | Step::Branch { .. } => {}
            Step::Set { dst, src } => self.set(*dst, *src),
            Step::Zero { dst, .. } => self.set(*dst, Val::Number(0)),
            Step::Compute { dst, op, ty, lhs, rhs } => self.compute(*dst, *op, *ty, *lhs, *rhs),
            Step::Extend { dst, src, from, signed } => self.extend(*dst, *src, *from, *signed),
            Step::Load { dst, place, ty, signed } => {
                let Some((addr, ty)) = self.access(*place, *ty) else { return };
                let loaded = self.loaded(*dst, ty);
                self.out.push(InstrKind::Load { dst: loaded, addr, access: RELAXED });
                self.put(*dst, loaded, ty, *signed);
            }
            Step::Store { place, value, ty } => {
                let Some((addr, ty)) = self.access(*place, *ty) else { return };
                let value = self.value_as(*value, ty);
                self.out.push(InstrKind::Store { ty, addr, value, access: RELAXED });
            }
            Step::Rmw { dst, op, place, value, ty } => {
                let Some((addr, ty)) = self.access(*place, *ty) else { return };
                if ty == Ty::Ptr && *op != RmwOp::Exchange {
                    return self.unsupported("atomic arithmetic on an address is not supported".to_owned());
                }
                let value = self.value_as(*value, ty);
                let loaded = self.loaded(*dst, ty);
                self.out.push(InstrKind::Rmw { dst: loaded, op: *op, addr, value, order: Order::SeqCst });
                self.put(*dst, loaded, ty, false);
            }
            Step::CompareExchange { dst, place, expected, desired, ty } => {
                let Some((addr, ty)) = self.access(*place, *ty) else { return };
                let (expected, desired) = (self.value_as(*expected, ty), self.value_as(*desired, ty));
                let loaded = self.loaded(*dst, ty);
                let success = self.out.temporary(Ty::Bool);
                let (order, failure) = (Order::SeqCst, Order::SeqCst);
                let kind = InstrKind::CompareExchange { dst: loaded, success, addr, expected, desired, order, failure };
                self.out.push(kind);
                self.put(*dst, loaded, ty, false);
            }
            Step::Fence(kind) => self.out.push(InstrKind::Fence(*kind)),
            Step::Choose { dst } => {
                let choice = self.out.temporary(Ty::Bool);
                let source = NondetSource::Input("reservation lost".to_owned());
                self.out.push(InstrKind::Nondet { dst: choice, source });
                let reg = self.number_reg(*dst);
                self.out.push(InstrKind::Cast {
                    dst: reg,
                    op: CastOp::ZeroExtend,
                    from: Ty::Bool,
                    src: Operand::Reg(choice),
                });
                self.number_as_address(*dst);
            }
            Step::SectionBegin => self.out.push(InstrKind::SectionBegin(SectionKind::Atomic)),
            Step::SectionEnd => self.out.push(InstrKind::SectionEnd),
        }
    }

    /// The register that an access writes: the machine register itself if no extension is needed.
    fn loaded(&mut self, dst: MachineReg, ty: Ty) -> Reg {
        match ty {
            Ty::Ptr => self.address_reg(dst),
            ty if ty == self.word() => self.number_reg(dst),
            ty => self.out.temporary(ty),
        }
    }

    fn put(&mut self, dst: MachineReg, loaded: Reg, ty: Ty, signed: bool) {
        if ty == Ty::Ptr {
            return;
        }
        if ty == self.word() {
            self.number_as_address(dst);
        } else {
            self.set_number(dst, Operand::Reg(loaded), ty, signed);
        }
    }

    fn compute(&mut self, dst: MachineReg, op: BinaryOp, ty: Ty, lhs: Val, rhs: Val) {
        let (left, right) = (self.look(lhs), self.look(rhs));
        let result = self.context.kinds.compute(op, ty, &left, &right);
        if result.is_address() {
            let place = if op == BinaryOp::Sub { self.negated(lhs, rhs) } else { self.sum(lhs, rhs) };
            let reg = self.address_reg(dst);
            self.out.push(InstrKind::Copy { dst: reg, src: place });
            return;
        }
        if let Some(n) = result.as_constant() {
            return self.set(dst, Val::Number(n));
        }
        let (lhs, rhs) = (self.value_as(lhs, ty), self.value_as(rhs, ty));
        let value = if ty == self.word() { self.number_reg(dst) } else { self.out.temporary(ty) };
        self.out.push(InstrKind::Binary { dst: value, op, lhs, rhs });
        self.put(dst, value, ty, false);
    }

    fn negated(&mut self, base: Val, offset: Val) -> Operand {
        let (Some((id, start)), Some(n)) = (self.look(base).as_exact(), self.look(offset).as_constant()) else {
            let base = self.address(base);
            let offset = self.number(offset);
            let index = self.out.temporary(self.word());
            let zero = self.constant(self.word(), 0);
            self.out.push(InstrKind::Binary { dst: index, op: BinaryOp::Sub, lhs: zero, rhs: offset });
            let dst = self.out.temporary(Ty::Ptr);
            self.out.push(InstrKind::PtrAdd { dst, base, index: Operand::Reg(index), scale: 1 });
            return Operand::Reg(dst);
        };
        Operand::Global(self.home(id).global, start.wrapping_sub(n))
    }

    /// The sum of an address and a number, in either order.
    fn sum(&mut self, a: Val, b: Val) -> Operand {
        let (base, index) = if self.look(a).is_address() { (a, b) } else { (b, a) };
        let offset = self.look(index).as_constant();
        if let (Some((id, start)), Some(n)) = (self.look(base).as_exact(), offset) {
            return Operand::Global(self.home(id).global, start.wrapping_add(n));
        }
        let base = self.address(base);
        if offset == Some(0) {
            return base;
        }
        let index = self.number(index);
        let dst = self.out.temporary(Ty::Ptr);
        self.out.push(InstrKind::PtrAdd { dst, base, index, scale: 1 });
        Operand::Reg(dst)
    }

    fn extend(&mut self, dst: MachineReg, src: Val, from: Ty, signed: bool) {
        let known = self.look(src);
        if let Some(n) = known.as_constant() {
            return self.set(dst, Val::Number(crate::kinds::extend(n, from, signed)));
        }
        if known.is_address() {
            if !signed {
                return self.set(dst, src);
            }
            // An address is wider than a word, but whoever compares addresses means all of them.
            let number = self.number(src);
            return self.set_number(dst, number, self.word(), false);
        }
        let number = self.number(src);
        let part = self.truncated(number, from);
        self.set_number(dst, part, from, signed);
    }

    /// The address of an access and the type in which it is made.
    fn access(&mut self, place: Place, ty: Ty) -> Option<(Operand, Ty)> {
        let kinds = self.context.kinds;
        let target = kinds.place(place, &self.registers);
        if !target.is_address() {
            self.unsupported("this access has no location: its address is a number".to_owned());
            return None;
        }
        let hit = kinds.locations(&target);
        let ty = if kinds.content(&target).is_address() { Ty::Ptr } else { self.access_type(&hit, ty)? };
        if let Some((id, offset)) = target.as_exact() {
            let inside = u64::try_from(offset)
                .ok()
                .and_then(|o| o.checked_add(ty.size(self.context.target)))
                .is_some_and(|end| end <= self.home(id).bytes);
            if !inside {
                let name = &self.context.locations[id.index()].name;
                self.unsupported(format!("this access goes beyond the location '{name}'"));
                return None;
            }
        }
        Some((self.sum(place.base, place.index), ty))
    }

    fn access_type(&mut self, hit: &[LocationId], ty: Ty) -> Option<Ty> {
        for &id in hit {
            let Home { ty: whole, .. } = self.home(id);
            if whole == ty {
                continue;
            }
            let location = &self.context.locations[id.index()];
            if location.declared.is_some_and(|d| d.is_pointer()) {
                return Some(whole);
            }
            // Norn's memory is little endian, PPC's is not; on X86 a part of a location is what it is in Norn.
            let bytes = |ty: Ty| ty.size(self.context.target);
            if self.context.arch == Arch::Ppc || bytes(ty) > bytes(whole) {
                let message = format!(
                    "an access of {} bytes to '{}', which has {}, is not supported",
                    bytes(ty),
                    location.name,
                    bytes(whole)
                );
                self.unsupported(message);
                return None;
            }
        }
        Some(ty)
    }
}
