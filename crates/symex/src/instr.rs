//! Instructions, one by one.

use norn_ir::ids::Reg;
use norn_ir::instr::{
    AllocKind, BinaryOp, Callee, CastOp, CompareOp, FenceKind, Instr, InstrKind, Operand, Property, SectionKind,
};
use norn_ir::number::narrow;
use norn_ir::types::Ty;
use norn_logic::terms::{Sort, Term};
use norn_passes::Site;
use norn_verdict::outcome::ViolationKind;

use crate::arith;
use crate::code::{Code, is_return};
use crate::event::{self, EventKind};
use crate::execution::Execution;
use crate::run::{Run, merge_values};
use crate::value::{Grid, Pointer, Value};

impl Run<'_, '_> {
    /// Executes an instruction of a block; gives how many were executed.
    pub fn instr(&mut self, code: &[Instr], index: usize) -> usize {
        match code[index].kind {
            InstrKind::Copy { dst, src } => {
                let value = self.value(src);
                let value = self.fit(dst, value);
                self.set(dst, value);
            }
            InstrKind::Binary { dst, op, lhs, rhs } => self.binary(dst, op, lhs, rhs),
            InstrKind::Compare { dst, op, ty, lhs, rhs } => self.compare(dst, op, ty, lhs, rhs),
            InstrKind::Unary { dst, op, src } => {
                let src = self.bits(src);
                let value = arith::unary(&mut self.exec.terms, op, src);
                self.set(dst, Value::Bits(value));
            }
            InstrKind::Cast { dst, op, from, src } => self.cast(dst, op, from, src),
            InstrKind::Select { dst, cond, then, otherwise } => {
                let cond = self.bits(cond);
                let (then, otherwise) = (self.value(then), self.value(otherwise));
                if let Some(value) = merge_values(self.exec, cond, Some(&then), Some(&otherwise)) {
                    self.set(dst, value);
                }
            }
            InstrKind::PtrAdd { dst, base, index, scale } => {
                let base = self.pointer(base);
                let index = self.bits(index);
                let value = self.moved(&base, index, scale);
                self.set(dst, Value::Pointer(value));
            }
            InstrKind::PtrDiff { dst, lhs, rhs } => {
                let (lhs, rhs) = (self.pointer(lhs), self.pointer(rhs));
                self.watch_order(&lhs, &rhs);
                let value = self.exec.difference(&lhs, &rhs);
                self.set(dst, Value::Bits(value));
            }
            InstrKind::Load { dst, addr, access } => {
                let addr = self.pointer(addr);
                self.load(dst, &addr, access);
            }
            InstrKind::Store { ty, addr, value, access } => {
                let (addr, value) = (self.pointer(addr), self.value(value));
                self.store(ty, &addr, &value, access);
            }
            InstrKind::Rmw { dst, op, addr, value, order } => {
                let (addr, value) = (self.pointer(addr), self.value(value));
                self.rmw(dst, op, &addr, &value, order);
            }
            InstrKind::CompareExchange { dst, success, addr, expected, desired, order, failure } => {
                let (addr, expected, desired) = (self.pointer(addr), self.value(expected), self.value(desired));
                self.compare_exchange((dst, success), &addr, &expected, &desired, (order, failure));
            }
            InstrKind::Fence(kind) => self.fence(kind),
            InstrKind::SectionBegin(kind) => self.begin_section(kind),
            InstrKind::SectionEnd => {
                if let Some(section) = self.state.section.take() {
                    self.exec.end_section(section);
                }
            }
            InstrKind::Await { spurious: true, cond } => {
                if self.observed.is_some() {
                    let cond = self.bits(cond);
                    self.observe_condition(cond);
                }
            }
            InstrKind::Await { cond, spurious: false } => {
                let cond = self.bits(cond);
                self.wait_for(cond);
            }
            InstrKind::Assume { cond } => {
                let cond = self.bits(cond);
                match self.state.section {
                    Some(_) => self.wait_for(cond),
                    None => self.assume(cond),
                }
            }
            InstrKind::Assert { cond, property, ref message } => {
                let kind = match property {
                    Property::Assertion => ViolationKind::Assertion,
                    Property::ErrorCall => ViolationKind::ErrorCall,
                    Property::ErrorLabel => ViolationKind::ErrorLabel,
                    Property::Misuse => ViolationKind::Misuse,
                };
                self.mark();
                let cond = self.bits(cond);
                self.violation(kind, message, !cond);
            }
            InstrKind::Nondet { dst, .. } => {
                let ty = self.function.ty(dst);
                let input = self.input(ty, Term::TRUE);
                let value = match ty {
                    Ty::Ptr => Value::Pointer(self.exec.pointer_from(input)),
                    _ => Value::Bits(input),
                };
                self.set(dst, value);
            }
            InstrKind::Call { callee: Callee::Direct(_), .. } => {
                self.undefined("a call that was not expanded", Term::TRUE);
            }
            // It is none of the functions that it could be.
            InstrKind::Call { callee: Callee::Indirect(pointer), .. } => {
                let pointer = self.pointer(pointer);
                self.no_function(pointer.places());
            }
            InstrKind::Spawn { dst, start, ref args } => self.spawn(dst, start, args),
            InstrKind::Join { dst, thread } => self.join(dst, thread),
            InstrKind::ThreadSelf { dst } => {
                let number = self.exec.threads[self.thread.0 as usize].number;
                let number = number.unwrap_or_else(|| self.exec.terms.bits(self.exec.pointer_bits, 0));
                self.set(dst, Value::Bits(number));
            }
            InstrKind::LocalEnter(local) => self.enter_local(local),
            InstrKind::LocalExit(_) | InstrKind::Free { kind: AllocKind::Stack, .. }
                if self.is_part_of_return(index) =>
            {
                let is_end = |instr: &&Instr| {
                    matches!(instr.kind, InstrKind::LocalExit(_) | InstrKind::Free { kind: AllocKind::Stack, .. })
                };
                let count = code[index..].iter().take_while(is_end).count();
                self.end_frame(&code[index..index + count]);
                return count;
            }
            InstrKind::LocalExit(local) => self.leave_local(local),
            InstrKind::Alloc { dst, size, align, zeroed, kind, ty, private } => {
                self.allocate(dst, (size, align), zeroed, kind, ty, private)
            }
            InstrKind::Free { addr, kind } => {
                let addr = self.pointer(addr);
                self.free(&addr, kind);
            }
            InstrKind::ObjectSize { dst, addr } => {
                let addr = self.pointer(addr);
                self.object_size(dst, &addr);
            }
            InstrKind::Sync { kind, addr } => self.note_sync(kind, addr),
            // Matters to output only.
            InstrKind::Print { .. } => {}
        }
        1
    }

    fn is_part_of_return(&self, index: usize) -> bool {
        let site = Site { index: narrow(index), ..self.site };
        is_return(self.exec.original, self.exec.bounded, site)
    }

    /// A value as the register's type has it: calls through pointers and returns may pass others.
    fn fit(&mut self, dst: Reg, value: Value) -> Value {
        match (self.function.ty(dst), &value) {
            (Ty::Ptr, Value::Bits(_)) | (Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64, Value::Pointer(_)) => {
                self.exec.of_type(&value, self.function.ty(dst))
            }
            _ => value,
        }
    }

    fn binary(&mut self, dst: Reg, op: BinaryOp, lhs: Operand, rhs: Operand) {
        let ty = self.function.ty(dst);
        let (lhs, rhs) = (self.bits(lhs), self.bits(rhs));
        if op.divides() {
            let zero = self.exec.terms.bits(self.exec.terms.width(rhs), 0);
            let by_zero = self.exec.terms.eq(rhs, zero);
            self.violation(ViolationKind::DivisionByZero, "", by_zero);
            if self.guard.is_none() {
                return;
            }
        }
        let (result, overflows) = arith::binary(&mut self.exec.terms, op, ty, lhs, rhs);
        if self.exec.checks_wanted.overflow {
            self.violation(ViolationKind::Overflow, "", overflows);
        } else if op.divides() {
            self.violation(ViolationKind::DivisionOverflow, "", overflows);
            if self.guard.is_none() {
                return;
            }
        }
        self.set(dst, Value::Bits(result));
    }

    fn compare(&mut self, dst: Reg, op: CompareOp, ty: Ty, lhs: Operand, rhs: Operand) {
        let result = if ty == Ty::Ptr {
            let (a, b) = (self.pointer(lhs), self.pointer(rhs));
            match op {
                CompareOp::Eq => self.exec.same_address(&a, &b),
                CompareOp::Ne => !self.exec.same_address(&a, &b),
                _ => {
                    self.watch_order(&a, &b);
                    let (a, b) = (self.exec.address(&a), self.exec.address(&b));
                    arith::compare(&mut self.exec.terms, op, ty, a, b)
                }
            }
        } else {
            let (a, b) = (self.bits(lhs), self.bits(rhs));
            arith::compare(&mut self.exec.terms, op, ty, a, b)
        };
        self.set(dst, Value::Bits(result));
    }

    /// The order of two objects in memory is a matter of addresses.
    fn watch_order(&mut self, a: &Pointer, b: &Pointer) {
        let object = |pointer: &Pointer| pointer.places()[0].object;
        let all_in = |pointer: &Pointer, object| pointer.places().iter().all(|place| place.object == object);
        let one = object(a);
        if (a.has_objects() || b.has_objects()) && !(all_in(a, one) && all_in(b, one)) {
            self.exec.watches_addresses.get_or_insert(self.span);
        }
    }

    fn cast(&mut self, dst: Reg, op: CastOp, from: Ty, src: Operand) {
        let to = self.function.ty(dst);
        let value = self.value(src);
        let result = match (op, &value) {
            (CastOp::PtrToInt, Value::Pointer(_)) => {
                Value::Bits(self.exec.bits_of(&value, to.bits(self.exec.original.target)))
            }
            (CastOp::IntToPtr, Value::Bits(bits)) => Value::Pointer(self.exec.pointer_from(*bits)),
            (_, Value::Bits(bits)) => {
                Value::Bits(arith::cast(&mut self.exec.terms, op, from, to, self.exec.original.target, *bits))
            }
            (_, Value::Pointer(_)) => self.exec.of_type(&value, to),
        };
        self.set(dst, result);
    }

    fn moved(&mut self, base: &Pointer, index: Term, scale: i64) -> Pointer {
        let width = self.exec.pointer_bits;
        let index = arith::resize(&mut self.exec.terms, index, width);
        let factor = self.exec.terms.bits(width, scale as u64);
        let bytes = self.exec.terms.mul(index, factor);
        let grid = match self.exec.terms.as_bits(bytes) {
            Some(constant) => Grid::constant(crate::value::sign_extended(constant, width)),
            None => {
                // Where the product may wrap, only powers of two stay on their grid.
                let known = self.exec.terms.known(index);
                let small = known.greatest(width) < 1 << 31 || self.is_extended(index);
                let scale = scale.unsigned_abs().max(1);
                Grid { first: 0, step: if small { scale } else { 1 << scale.trailing_zeros() } }
            }
        };
        base.plus(&mut self.exec.terms, bytes, grid)
    }

    /// Whether a term is a narrower one, extended.
    fn is_extended(&self, term: Term) -> bool {
        use norn_logic::terms::Node;
        matches!(self.exec.terms.node(term), Node::Sext(inner) | Node::Zext(inner) if self.exec.terms.width(inner) <= 32)
    }

    fn fence(&mut self, kind: FenceKind) {
        self.note_fence(kind);
        let in_section = self.state.section.map(|section| self.exec.sections[section.index()].kind);
        let matters = match (kind, in_section) {
            // Own buffers are empty inside.
            (_, Some(event::SectionKind::Atomic)) => false,
            (FenceKind::Full | FenceKind::Call, Some(_)) => false,
            _ => Execution::fence_matters(kind),
        };
        if matters {
            let guard = self.guard_term();
            self.event(EventKind::Fence(kind), guard, false);
        }
    }

    fn begin_section(&mut self, begun: SectionKind) {
        let kind = match begun {
            SectionKind::Atomic | SectionKind::Library => event::SectionKind::Atomic,
            SectionKind::Read => event::SectionKind::Read,
        };
        if self.state.section.is_some() {
            self.undefined("a section inside a section", Term::TRUE);
            return;
        }
        let may_stop = self.exec.facts.stops_at((self.thread, self.site));
        let (block, inside) = (self.site.block, self.site.index as usize + 1);
        let may_wait = self.exec.looks_for_waits() && Code::section_may_wait(self.function, block, inside);
        if !may_stop && !may_wait && !Code::section_waits(self.function, block, inside) {
            self.may_stop();
        } else {
            let ran = self.exec.terms.fresh(Sort::Bool);
            if may_wait {
                self.may_wait_for_section(ran);
            }
            self.assume(ran);
        }
        let (guard, span) = (self.guard_term(), self.user_place().span);
        let section = self.exec.add_section(self.thread, kind, guard, span);
        self.note_section(section, begun);
        self.exec.section_begins.insert(section.index(), (self.thread, self.site));
        self.state.section = Some(section);
    }

    /// Inside a section, which is not taken unless the condition holds.
    pub fn wait_for(&mut self, condition: Term) {
        if self.observed.is_some() {
            return self.observe_condition(condition);
        }
        let here = self.guard_term();
        let constraint = self.exec.terms.implies(here, condition);
        self.exec.constrain(constraint);
    }
}
