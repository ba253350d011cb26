//! Functions that have no C body: intrinsics of the models, SV-COMP's functions, atomic operations, compiler built-ins.

use super::calls::SLOT;
use super::function::FunctionBuilder;
use super::ir_types::{Passing, Scalar};
use super::pieces::Extent;
use crate::ctype::Type;
use crate::tree::{Builtin, Expected, Expr, UpdateResult};
use norn_ir::ids::{BlockId, Reg};
use norn_ir::instr::{
    Access, AllocKind, Const, InstrKind, NondetSource, Operand, Order, Property, RmwOp, SectionKind, SyncKind,
    TerminatorKind, UnaryOp,
};
use norn_ir::types::Ty;

impl<'a> FunctionBuilder<'_, 'a> {
    /// The value of a built-in of scalar or void type.
    pub fn builtin(&mut self, e: &'a Expr, builtin: &'a Builtin) -> Operand {
        let nothing = self.no_value(self.scalar_of(e));
        match builtin {
            Builtin::AtomicLoad { .. }
            | Builtin::AtomicStore { .. }
            | Builtin::AtomicUpdate { .. }
            | Builtin::AtomicCompareExchange { .. } => return self.atomic_builtin(e, builtin),
            Builtin::Fence(kind) => self.at(e, InstrKind::Fence(*kind)),
            Builtin::SectionBegin => self.at(e, InstrKind::SectionBegin(SectionKind::Atomic)),
            Builtin::SectionEnd => self.at(e, InstrKind::SectionEnd),
            Builtin::Await { condition, spurious } => {
                let cond = self.truth(condition, false);
                self.at(e, InstrKind::Await { cond, spurious: *spurious });
            }
            Builtin::ThreadSelf => {
                let dst = self.register(self.p.target.pointer_int());
                self.at(e, InstrKind::ThreadSelf { dst });
                return self.pointer_int_as(e, Operand::Reg(dst));
            }
            Builtin::Spawn { start, args } => {
                let start = self.value(start);
                let start = self.hold(start);
                let mut held = Vec::with_capacity(args.len());
                for arg in args {
                    let value = self.value(arg);
                    held.push(self.hold(value));
                }
                let start = self.release(start);
                let args = held.into_iter().map(|held| self.release(held)).collect();
                let dst = self.register(self.p.target.pointer_int());
                self.at(e, InstrKind::Spawn { dst, start, args });
                return self.pointer_int_as(e, Operand::Reg(dst));
            }
            Builtin::Join(thread) => {
                let thread = self.as_pointer_int(thread);
                let dst = self.register(Ty::Ptr);
                self.at(e, InstrKind::Join { dst: Some(dst), thread });
                return Operand::Reg(dst);
            }
            Builtin::ThreadExit(value) => {
                let value = self.as_pointer(value);
                self.set_loc(e.loc);
                self.terminate(TerminatorKind::ThreadExit(value));
            }
            Builtin::Acquire(pointer) => self.sync(e, SyncKind::Acquire, pointer),
            Builtin::Release(pointer) => self.sync(e, SyncKind::Release, pointer),
            Builtin::Assume(condition) => {
                let cond = self.truth(condition, false);
                self.at(e, InstrKind::Assume { cond });
            }
            Builtin::Assert { condition, property, message } => {
                let cond = self.truth(condition, false);
                if cond != Operand::Const(Const::TRUE) {
                    self.at(e, InstrKind::Assert { cond, property: *property, message: message.clone() });
                }
            }
            Builtin::Nondet(name) => {
                let scalar = self.expect_scalar(e);
                self.set_loc(e.loc);
                return self.nondet(scalar, NondetSource::Input(name.clone()));
            }
            Builtin::Unsupported(what) => {
                self.set_loc(e.loc);
                self.unsupported(what.clone());
            }
            Builtin::IsLinked(name) => {
                let scalar = self.expect_scalar(e);
                return self.constant(scalar.ty, u64::from(self.p.linked.is_linked(name)));
            }
            Builtin::Exit(status) => {
                let from = self.expect_scalar(status);
                let value = self.value(status);
                self.set_loc(e.loc);
                let value = self.convert(from, Scalar { ty: Ty::I32, signed: true, is_bool: false }, value);
                self.terminate(TerminatorKind::Exit(value));
            }
            Builtin::Abort => {
                self.set_loc(e.loc);
                if self.p.session.options.abort_is_error {
                    let (cond, property) = (Operand::Const(Const::FALSE), Property::Assertion);
                    self.at(e, InstrKind::Assert { cond, property, message: "abort() is called".to_owned() });
                }
                self.terminate(TerminatorKind::Abort);
            }
            Builtin::Unreachable => {
                self.set_loc(e.loc);
                self.unreachable();
            }
            Builtin::Alloc { size, count, align, zeroed, element } => {
                return self.heap(e, (size, count.as_ref(), align.as_ref()), *zeroed, *element);
            }
            Builtin::StackAlloc(size) => {
                let size = self.as_pointer_int(size);
                let align = Operand::Const(Const::usual_alignment(self.p.target));
                return self.alloc(e, (size, align), false, AllocKind::Stack, None);
            }
            Builtin::Free(pointer) => {
                let addr = self.as_pointer(pointer);
                self.at(e, InstrKind::Free { addr, kind: AllocKind::Heap });
            }
            Builtin::ObjectSize(pointer) => {
                let addr = self.as_pointer(pointer);
                let dst = self.register(self.p.target.pointer_int());
                self.at(e, InstrKind::ObjectSize { dst, addr });
                return self.pointer_int_as(e, Operand::Reg(dst));
            }
            Builtin::Print { stream, format, args, length, strings } => {
                let args = self.print(e, *stream, format, args, strings);
                return self.printed_length(e, length.as_ref(), &args);
            }
            Builtin::PrintList { stream, format, list } => self.print_list(e, *stream, format, list),
            Builtin::FormattedCall { call, .. } => return self.value(call),
            Builtin::VaStart(list) => {
                let place = self.place(list);
                self.set_loc(e.loc);
                match self.variable_arguments {
                    Some(reg) => self.write(place, Operand::Reg(reg)),
                    None => self.unsupported("va_start in a function without variable arguments".to_owned()),
                }
            }
            Builtin::VaCopy { to, from } => {
                let place = self.place(to);
                let value = self.value(from);
                self.set_loc(e.loc);
                self.write(place, value);
            }
            Builtin::VaArg(list) => match self.p.layouts.passing(e.ty.ty) {
                Passing::Scalar(scalar) => {
                    let address = self.next_slots(e, list, SLOT);
                    return self.load_at(scalar.ty, address, Access::PLAIN);
                }
                _ => self.unsupported_type(e),
            },
            Builtin::PopCount(value) => return self.bit_count(e, UnaryOp::PopCount, value),
            Builtin::LeadingZeros(value) => return self.bit_count(e, UnaryOp::LeadingZeros, value),
            Builtin::TrailingZeros(value) => return self.bit_count(e, UnaryOp::TrailingZeros, value),
            Builtin::ByteSwap(value) => return self.bit_count(e, UnaryOp::ByteSwap, value),
            Builtin::OverflowArithmetic { op, lhs, rhs, result } => {
                return self.overflow_arithmetic(e, *op, lhs, rhs, result);
            }
            Builtin::CopyObject { to, from, ty, may_overlap } => {
                let to = self.as_pointer(to);
                let held = self.hold(to);
                let from = self.as_pointer(from);
                let to = self.release(held);
                self.set_loc(e.loc);
                let ty = self.p.ir_type(*ty);
                if *may_overlap {
                    self.move_object(ty, to, from);
                } else {
                    self.copy_parts(ty, to, from, false, Extent::Bytes);
                }
                return if self.scalar_of(e).is_some() { to } else { nothing };
            }
            Builtin::ZeroObject { pointer, ty, count } => {
                let to = self.as_pointer(pointer);
                self.set_loc(e.loc);
                let ty = self.p.ir_type(*ty);
                if *count == 1 {
                    self.clear_object(ty, to, Extent::Bytes);
                } else {
                    self.clear_many(ty, to, *count, Extent::Bytes);
                }
                return if self.scalar_of(e).is_some() { to } else { nothing };
            }
        }
        nothing
    }

    /// A built-in of record type or of 128 bits: `va_arg` or an atomic access.
    pub fn aggregate_builtin(&mut self, e: &'a Expr, builtin: &'a Builtin) -> Operand {
        match builtin {
            Builtin::VaArg(list) => {
                let size = self.p.layouts.size_of(e.ty.ty).next_multiple_of(SLOT);
                self.next_slots(e, list, size)
            }
            Builtin::Unsupported(_) => {
                self.builtin(e, builtin);
                self.constant(Ty::Ptr, 0)
            }
            _ => match self.atomic_record_builtin(e, builtin) {
                Some(address) => address,
                None => {
                    self.unsupported_type(e);
                    self.constant(Ty::Ptr, 0)
                }
            },
        }
    }

    fn at(&mut self, e: &Expr, kind: InstrKind) {
        self.set_loc(e.loc);
        self.emit(kind);
    }

    fn sync(&mut self, e: &Expr, kind: SyncKind, pointer: &'a Expr) {
        let addr = self.as_pointer(pointer);
        self.at(e, InstrKind::Sync { kind, addr });
    }

    pub fn as_pointer(&mut self, e: &'a Expr) -> Operand {
        let from = self.expect_scalar(e);
        let value = self.value(e);
        self.convert(from, Scalar { ty: Ty::Ptr, signed: false, is_bool: false }, value)
    }

    pub fn as_pointer_int(&mut self, e: &'a Expr) -> Operand {
        let from = self.expect_scalar(e);
        let value = self.value(e);
        let ty = self.p.target.pointer_int();
        self.convert(from, Scalar { ty, signed: false, is_bool: false }, value)
    }

    fn pointer_int_as(&mut self, e: &Expr, value: Operand) -> Operand {
        let ty = self.p.target.pointer_int();
        match self.scalar_of(e) {
            Some(to) => self.convert(Scalar { ty, signed: false, is_bool: false }, to, value),
            None => value,
        }
    }

    pub fn alloc(
        &mut self,
        e: &Expr,
        (size, align): (Operand, Operand),
        zeroed: bool,
        kind: AllocKind,
        ty: Option<norn_ir::ids::TypeId>,
    ) -> Operand {
        let dst = self.register(Ty::Ptr);
        self.at(e, InstrKind::Alloc { dst, size, align, zeroed, kind, ty, private: false });
        Operand::Reg(dst)
    }

    /// The address of the next variable argument; the list moves on behind it.
    fn next_slots(&mut self, e: &Expr, list: &'a Expr, size: u64) -> Operand {
        let place = self.place(list);
        self.set_loc(e.loc);
        let current = self.read(place);
        let address = self.register(Ty::Ptr);
        self.emit(InstrKind::Copy { dst: address, src: current });
        let next = self.offset(Operand::Reg(address), size);
        self.write(place, next);
        Operand::Reg(address)
    }

    fn bit_count(&mut self, e: &Expr, op: UnaryOp, value: &'a Expr) -> Operand {
        let scalar = self.expect_scalar(value);
        let value = self.value(value);
        self.set_loc(e.loc);
        let count = self.unary(op, scalar.ty, value);
        let to = self.expect_scalar(e);
        self.convert(Scalar { signed: false, ..scalar }, to, count)
    }

    /// Whether the pointee of a pointer is volatile.
    fn points_to_volatile(&self, pointer: &Expr) -> bool {
        match self.p.types().get(pointer.ty.ty) {
            Type::Pointer(to) => to.qualifiers.is_volatile,
            _ => false,
        }
    }

    fn atomic_builtin(&mut self, e: &'a Expr, builtin: &'a Builtin) -> Operand {
        match builtin {
            Builtin::AtomicLoad { pointer, order } => {
                let scalar = self.expect_scalar(e);
                let addr = self.as_pointer(pointer);
                self.set_loc(e.loc);
                let access = Access { order: *order, volatile: self.points_to_volatile(pointer) };
                self.load_at(scalar.ty, addr, access)
            }
            Builtin::AtomicStore { pointer, value, order } if self.scalar_of(value).is_none() => {
                self.atomic_record_store(e, pointer, value, *order);
                self.no_value(self.scalar_of(e))
            }
            Builtin::AtomicStore { pointer, value, order } => {
                let scalar = self.expect_scalar(value);
                let (addr, value) = self.pointer_and_value(pointer, value);
                self.set_loc(e.loc);
                let access = Access { order: *order, volatile: self.points_to_volatile(pointer) };
                self.store_at(scalar.ty, addr, value, access);
                self.no_value(self.scalar_of(e))
            }
            Builtin::AtomicUpdate { op, pointer, operand, order, result } => {
                let scalar = self.expect_scalar(e);
                let (addr, value) = self.pointer_and_value(pointer, operand);
                self.set_loc(e.loc);
                if scalar.ty == Ty::Ptr && *op != RmwOp::Exchange {
                    return self.atomic_pointer_update(addr, value, *op, *order, *result);
                }
                if scalar.ty.is_float() && *op != RmwOp::Exchange {
                    self.unsupported("an atomic operation on a floating-point number".to_owned());
                    return self.no_value(Some(scalar));
                }
                let dst = self.register(scalar.ty);
                self.emit(InstrKind::Rmw { dst, op: *op, addr, value, order: *order });
                match result {
                    UpdateResult::Old => Operand::Reg(dst),
                    UpdateResult::New => self.after_rmw(*op, scalar.ty, Operand::Reg(dst), value),
                }
            }
            Builtin::AtomicCompareExchange { pointer, expected, desired, weak, .. }
                if self.scalar_of(desired).is_none() =>
            {
                let exchanged = self.atomic_record_compare_exchange(e, (pointer, expected, desired), *weak);
                let equal = exchanged.map_or(Operand::Const(Const::FALSE), |(equal, _)| equal);
                match self.scalar_of(e) {
                    Some(to) => self.bool_to(to.ty, equal),
                    None => equal,
                }
            }
            Builtin::AtomicCompareExchange { pointer, expected, desired, success, failure, returns_success, weak } => {
                let scalar = self.expect_scalar(desired);
                let addr = self.as_pointer(pointer);
                let addr = self.hold(addr);
                let (expected_value, expected_at) = match expected {
                    Expected::Value(value) => (self.value(value), None),
                    Expected::Pointer(pointer) => {
                        let at = self.as_pointer(pointer);
                        (self.load_at(scalar.ty, at, Access::PLAIN), Some(self.hold(at)))
                    }
                };
                let expected_value = self.hold(expected_value);
                let desired = self.value(desired);
                let (addr, expected) = (self.release(addr), self.release(expected_value));
                let expected_at = expected_at.map(|held| self.release(held));
                self.set_loc(e.loc);
                let (dst, flag) = (self.register(scalar.ty), self.register(Ty::Bool));
                let (order, failure) = (*success, *failure);
                let after = weak.then(|| self.spurious_failure((dst, flag), scalar.ty, addr, failure));
                self.emit(InstrKind::CompareExchange { dst, success: flag, addr, expected, desired, order, failure });
                if let Some(after) = after {
                    self.start(after);
                }
                if let Some(at) = expected_at {
                    let (failed, end) = (self.new_block(), self.new_block());
                    self.branch_on(Operand::Reg(flag), end, failed);
                    self.start_branch(failed);
                    self.store(scalar.ty, at, Operand::Reg(dst));
                    self.start(end);
                }
                match (returns_success, self.scalar_of(e)) {
                    (true, Some(to)) => self.bool_to(to.ty, Operand::Reg(flag)),
                    _ => Operand::Reg(dst),
                }
            }
            _ => self.no_value(None),
        }
    }

    /// A weak compare-exchange may fail for no reason: then it is a load, in one step that waits for the own buffer, as one
    /// that fails for a reason does. Goes on where it does not; both ways meet in the block that is returned.
    fn spurious_failure(&mut self, (dst, flag): (Reg, Reg), ty: Ty, addr: Operand, order: Order) -> BlockId {
        let source = NondetSource::Input(NondetSource::SPURIOUS_FAILURE.to_owned());
        let fails = self.register(Ty::Bool);
        self.emit(InstrKind::Nondet { dst: fails, source });
        let (spurious, regular, after) = (self.new_block(), self.new_block(), self.new_block());
        self.branch_on(Operand::Reg(fails), spurious, regular);
        self.start_branch(spurious);
        let value = self.section(|f| f.load_at(ty, addr, Access { order, volatile: false }));
        self.emit(InstrKind::Copy { dst, src: value });
        self.emit(InstrKind::Copy { dst: flag, src: Operand::Const(Const::FALSE) });
        self.goto(after);
        self.start_branch(regular);
        after
    }

    /// Adding to an atomic pointer: the IR has no read-modify-write for it, so it is a section.
    fn atomic_pointer_update(
        &mut self,
        addr: Operand,
        bytes: Operand,
        op: RmwOp,
        order: Order,
        result: UpdateResult,
    ) -> Operand {
        let scale = match op {
            RmwOp::Add => 1,
            RmwOp::Sub => -1,
            _ => {
                self.unsupported("an atomic bitwise operation on a pointer".to_owned());
                return Operand::Const(Const::NULL);
            }
        };
        let at = |order| Access { order, volatile: false };
        let (load, store) = match order {
            Order::Acquire => (Order::Acquire, Order::Relaxed),
            Order::Release => (Order::Relaxed, Order::Release),
            Order::AcqRel => (Order::Acquire, Order::Release),
            Order::Plain | Order::Relaxed | Order::SeqCst => (order, order),
        };
        self.section(|f| {
            let old = f.load_at(Ty::Ptr, addr, at(load));
            let new = f.pointer_add(old, bytes, scale);
            f.store_at(Ty::Ptr, addr, new, at(store));
            if result == UpdateResult::Old { old } else { new }
        })
    }

    fn pointer_and_value(&mut self, pointer: &'a Expr, value: &'a Expr) -> (Operand, Operand) {
        let addr = self.as_pointer(pointer);
        let addr = self.hold(addr);
        let value = self.value(value);
        (self.release(addr), value)
    }
}
