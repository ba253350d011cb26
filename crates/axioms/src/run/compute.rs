//! Instructions that compute, and the list of all.

use norn_ir::instr::{CastOp, InstrKind, Property};
use norn_ir::types::Ty;
use norn_machine::eval::{self, Fault};
use norn_verdict::outcome::ViolationKind;

use super::{Done, OpenSection, Run};
use crate::event::End;
use crate::value::Value;

impl Run<'_, '_> {
    pub(super) fn instr(&mut self, kind: &InstrKind) -> Done<()> {
        let target = self.world.base.program.target;
        let function = self.function();
        match *kind {
            InstrKind::Copy { dst, src } => self.set(dst, self.value(src)),
            InstrKind::Binary { dst, op, lhs, rhs } => {
                let (lhs, rhs) = (self.value(lhs), self.value(rhs));
                let mut result = Value { bits: None, object: None, taint: lhs.taint | rhs.taint };
                if let (Some(a), Some(b)) = (lhs.bits, rhs.bits) {
                    match eval::binary(op, function.ty(dst), target, a, b) {
                        Err(_) => self.stops(ViolationKind::DivisionByZero)?,
                        Ok((_, Some(Fault::Overflow))) if self.checks.overflow => {
                            self.stops(ViolationKind::Overflow)?;
                        }
                        Ok((_, Some(Fault::Overflow))) if op.divides() => {
                            self.stops(ViolationKind::DivisionOverflow)?;
                        }
                        Ok((bits, _)) => result.bits = Some(bits),
                    }
                }
                self.set(dst, result);
            }
            InstrKind::Compare { dst, op, ty, lhs, rhs } => {
                let (lhs, rhs) = (self.value(lhs), self.value(rhs));
                let holds = |(a, b)| u64::from(eval::compare(op, ty, target, a, b));
                let bits = lhs.bits.zip(rhs.bits).map(holds);
                self.set(dst, Value { bits, object: None, taint: lhs.taint | rhs.taint });
            }
            InstrKind::Unary { dst, op, src } => {
                let src = self.value(src);
                let bits = src.bits.map(|bits| eval::unary(op, function.ty(dst), target, bits));
                self.set(dst, Value { bits, object: None, taint: src.taint });
            }
            InstrKind::Cast { dst, op, from, src } => {
                let src = self.value(src);
                let bits = src.bits.map(|bits| eval::cast(op, from, function.ty(dst), target, bits));
                let object = match (op, bits) {
                    (CastOp::IntToPtr, Some(bits)) => self.object_at(bits),
                    _ => None,
                };
                self.set(dst, Value { bits, object, taint: src.taint });
            }
            InstrKind::Select { dst, cond, then, otherwise } => {
                let (cond, then, otherwise) = (self.value(cond), self.value(then), self.value(otherwise));
                let chosen = match cond.bits {
                    Some(0) => otherwise,
                    Some(_) => then,
                    None => Value::unknown(),
                };
                self.set(dst, chosen.with(cond.taint | then.taint | otherwise.taint));
            }
            InstrKind::PtrAdd { dst, base, index, scale } => {
                let (base, index) = (self.value(base), self.value(index));
                let sum = |(base, index): (u64, u64)| {
                    let index = eval::signed(index, Ty::Ptr.bits(target));
                    Ty::Ptr.truncate(base.wrapping_add_signed(index.wrapping_mul(scale)), target)
                };
                let bits = base.bits.zip(index.bits).map(sum);
                // A number taken as an address gets its object when it is used.
                self.set(dst, Value { bits, object: base.object, taint: base.taint | index.taint });
            }
            InstrKind::PtrDiff { dst, lhs, rhs } => {
                let (lhs, rhs) = (self.value(lhs), self.value(rhs));
                let difference = |(a, b): (u64, u64)| Ty::Ptr.truncate(a.wrapping_sub(b), target);
                let bits = lhs.bits.zip(rhs.bits).map(difference);
                self.set(dst, Value { bits, object: None, taint: lhs.taint | rhs.taint });
            }
            InstrKind::Load { dst, addr, access } => self.load(dst, self.value(addr), access.order)?,
            InstrKind::Store { ty, addr, value, access } => {
                self.store(ty, self.value(addr), self.value(value), access.order)?;
            }
            InstrKind::Rmw { dst, op, addr, value, order } => {
                self.rmw(dst, op, self.value(addr), self.value(value), order)?;
            }
            InstrKind::CompareExchange { dst, success, addr, expected, desired, order, failure } => {
                let values = (self.value(expected), self.value(desired));
                self.compare_exchange((dst, success), self.value(addr), values, (order, failure))?;
            }
            InstrKind::Fence(kind) => self.fence(kind)?,
            InstrKind::SectionBegin(kind) => self.begin_section(kind)?,
            InstrKind::SectionEnd => self.end_section()?,
            InstrKind::Await { cond, spurious } => {
                let holds = self.value(cond);
                if self.decided(holds)? == 0 && !spurious {
                    return Err(self.waits(self.section.as_ref().map_or(0, |section| section.first_event)));
                }
            }
            InstrKind::Assume { cond } => {
                let holds = self.value(cond);
                if self.decided(holds)? == 0 {
                    let waits = |section: &OpenSection| self.waits(section.first_event);
                    return Err(self.section.as_ref().map_or(End::Stopped, waits));
                }
            }
            InstrKind::Assert { cond, property, ref message } => {
                let holds = self.value(cond);
                if self.decided(holds)? == 0 {
                    let kind = match property {
                        Property::Assertion => ViolationKind::Assertion,
                        Property::ErrorCall => ViolationKind::ErrorCall,
                        Property::ErrorLabel => ViolationKind::ErrorLabel,
                        Property::Misuse => ViolationKind::Misuse,
                    };
                    self.wrong(kind, message.clone())?;
                }
            }
            InstrKind::Nondet { dst, ref source } => self.nondet(dst, source)?,
            InstrKind::Call { dst, callee, ref args } => self.call(dst, callee, args)?,
            InstrKind::Spawn { dst, start, ref args } => self.spawn(dst, start, args)?,
            InstrKind::Join { dst, thread } => self.join(dst, thread)?,
            InstrKind::ThreadSelf { dst } => self.set(dst, Value::int(self.thread as u64)),
            InstrKind::LocalEnter(local) => self.enter_local(local)?,
            InstrKind::LocalExit(local) => {
                if let Some(object) = self.local(local).take() {
                    self.end_object(object);
                }
            }
            InstrKind::Alloc { dst, size, align, zeroed, kind, ty, private } => {
                let (size, align) = (self.value(size), self.value(align));
                self.allocate(dst, (size, align), (kind, zeroed, ty, private))?;
            }
            InstrKind::Free { addr, kind } => self.free(self.value(addr), kind)?,
            InstrKind::ObjectSize { dst, addr } => self.object_size(dst, self.value(addr))?,
            InstrKind::Sync { kind, .. } => self.sync(kind)?,
            InstrKind::Print { .. } => {}
        }
        Ok(())
    }

    /// What goes wrong in arithmetic ends the run.
    fn stops(&mut self, kind: ViolationKind) -> Done<()> {
        self.wrong(kind, String::new())
    }
}
