//! Instructions, one by one.

use super::{Done, Exec, Flow, Mode};
use crate::eval::{self, Fault, Value};
use crate::observe::Happening;
use crate::state::Status;
use norn_ir::instr::{FenceKind, InstrKind, PrintArgs, Property, SectionKind};
use norn_ir::types::Ty;
use norn_verdict::outcome::{Treatment, ViolationKind};
use std::rc::Rc;

impl<'p> Exec<'_, 'p> {
    pub(super) fn instr(&mut self, kind: &'p InstrKind) -> Done<Flow> {
        let target = self.machine.program.target;
        let function = self.function();
        match *kind {
            InstrKind::Copy { dst, src } => self.set(dst, self.value(src)),
            InstrKind::Binary { dst, op, lhs, rhs } => {
                let (lhs, rhs) = (self.value(lhs).bits, self.value(rhs).bits);
                match eval::binary(op, function.ty(dst), target, lhs, rhs) {
                    Err(_) => return Err(self.violation(ViolationKind::DivisionByZero, String::new())),
                    Ok((_, Some(Fault::Overflow))) if self.machine.checks.overflow => {
                        return Err(self.violation(ViolationKind::Overflow, String::new()));
                    }
                    Ok((_, Some(Fault::Overflow))) if op.divides() => {
                        return Err(self.violation(ViolationKind::DivisionOverflow, String::new()));
                    }
                    Ok((bits, _)) => self.set(dst, Value::int(bits)),
                }
            }
            InstrKind::Compare { dst, op, ty, lhs, rhs } => {
                let holds = eval::compare(op, ty, target, self.value(lhs).bits, self.value(rhs).bits);
                self.set(dst, Value::bool(holds));
            }
            InstrKind::Unary { dst, op, src } => {
                self.set(dst, Value::int(eval::unary(op, function.ty(dst), target, self.value(src).bits)));
            }
            InstrKind::Cast { dst, op, from, src } => {
                let to = function.ty(dst);
                let bits = eval::cast(op, from, to, target, self.value(src).bits);
                let value = self.made_of(to, bits);
                self.set(dst, value);
            }
            InstrKind::Select { dst, cond, then, otherwise } => {
                let chosen = if self.value(cond).is_true() { then } else { otherwise };
                self.set(dst, self.value(chosen));
            }
            InstrKind::PtrAdd { dst, base, index, scale } => {
                let Value { bits, object } = self.value(base);
                let index = eval::signed(self.value(index).bits, Ty::Ptr.bits(target));
                let bits = bits.wrapping_add_signed(index.wrapping_mul(scale));
                self.set(dst, Value { bits: Ty::Ptr.truncate(bits, target), object });
            }
            InstrKind::PtrDiff { dst, lhs, rhs } => {
                let difference = self.value(lhs).bits.wrapping_sub(self.value(rhs).bits);
                self.set(dst, Value::int(Ty::Ptr.truncate(difference, target)));
            }
            InstrKind::Load { dst, addr, access } => return self.load(dst, self.value(addr), access.order),
            InstrKind::Store { ty, addr, value, access } => {
                return self.store(ty, self.value(addr), self.value(value), access.order);
            }
            InstrKind::Rmw { dst, op, addr, value, order } => {
                let operand = self.value(value);
                return self.rmw(dst, op, self.value(addr), operand, order);
            }
            InstrKind::CompareExchange { dst, success, addr, expected, desired, order, failure } => {
                let (expected, desired) = (self.value(expected), self.value(desired));
                return self.compare_exchange((dst, success), self.value(addr), expected, desired, (order, failure));
            }
            InstrKind::Fence(kind) => return Ok(self.fence(kind)),
            InstrKind::SectionBegin(_) => match self.mode {
                Mode::Silent => return Ok(Flow::Visible),
                _ => return Err(self.no_meaning("a section inside a section")),
            },
            InstrKind::SectionEnd => return Ok(Flow::SectionEnds),
            InstrKind::Await { cond, spurious } => {
                if !matches!(self.mode, Mode::Section(_)) {
                    return Err(self.no_meaning("an await outside of a section"));
                }
                if !self.value(cond).is_true() {
                    if !spurious {
                        return Ok(Flow::Stops);
                    }
                    self.spurious = true;
                    self.tell(Happening::WakesUp);
                }
            }
            InstrKind::Assume { cond } => {
                if !self.value(cond).is_true() {
                    return Ok(Flow::Stops);
                }
            }
            InstrKind::Assert { cond, property, ref message } => {
                let frame = self.frame();
                let span = function.block(frame.block).instrs[frame.index as usize].span;
                self.tell(Happening::Checks { span });
                if !self.value(cond).is_true() {
                    let kind = match property {
                        Property::Assertion => ViolationKind::Assertion,
                        Property::ErrorCall => ViolationKind::ErrorCall,
                        Property::ErrorLabel => ViolationKind::ErrorLabel,
                        Property::Misuse => ViolationKind::Misuse,
                    };
                    if self.machine.checks.treatment(kind) != Treatment::Ignored {
                        return Err(self.violation(kind, message.clone()));
                    }
                }
            }
            InstrKind::Nondet { dst, ref source } => {
                let value = self.input(function.ty(dst), source)?;
                self.set(dst, value);
            }
            InstrKind::Call { dst, callee, ref args } => return self.call(dst, callee, args),
            InstrKind::Spawn { dst, start, ref args } => return self.spawn(dst, start, args),
            InstrKind::Join { dst, thread } => return self.join(dst, thread),
            InstrKind::ThreadSelf { dst } => self.set(dst, Value::int(u64::from(self.thread.0))),
            InstrKind::LocalEnter(local) => self.enter_local(local)?,
            InstrKind::LocalExit(local) => return self.leave_local(local),
            InstrKind::Alloc { dst, size, align, zeroed, kind, ty, private } => {
                return self.allocate(dst, (size, align), kind, zeroed, ty, private);
            }
            InstrKind::Free { addr, kind } => return self.free(self.value(addr), kind),
            InstrKind::ObjectSize { dst, addr } => {
                let size = self.object_size(self.value(addr))?;
                self.set(dst, Value::int(size));
            }
            InstrKind::Sync { kind, addr } => {
                let address = self.value(addr).bits;
                if let Some(races) = &mut self.state.races {
                    Rc::make_mut(races).sync(self.thread, kind, address);
                }
            }
            InstrKind::Print { stream, format, ref args } => {
                let args: Vec<(Ty, Value)> = match args {
                    PrintArgs::Values(values) => values.iter().map(|&(ty, arg)| (ty, self.value(arg))).collect(),
                    PrintArgs::List(list) => {
                        let slots = self.state.memory.slots_at(self.value(*list));
                        slots.into_iter().map(|value| (Ty::I64, value)).collect()
                    }
                };
                self.tell(Happening::Print { stream, format: self.value(format), args: &args });
            }
        }
        Ok(Flow::Next)
    }

    fn fence(&mut self, kind: FenceKind) -> Flow {
        let in_read_section = self.mode == Mode::Section(SectionKind::Read);
        match kind {
            FenceKind::Full | FenceKind::Call if !self.thread().buffer.is_empty() && !in_read_section => {
                return Flow::Waits(Status::WaitsForBuffer);
            }
            FenceKind::Release | FenceKind::AcqRel | FenceKind::StoreStore => self.raise_epoch(),
            FenceKind::Full | FenceKind::Call | FenceKind::Acquire | FenceKind::LoadLoad | FenceKind::Compiler => {}
        }
        if let Some(races) = &mut self.state.races {
            Rc::make_mut(races).fence(self.thread, kind);
        }
        self.tell(Happening::Fence(kind));
        Flow::Next
    }

    /// Later stores may not overtake those that are buffered now.
    pub(super) fn raise_epoch(&mut self) {
        if !self.thread().buffer.is_empty() {
            self.thread_mut().epoch += 1;
        }
    }
}
