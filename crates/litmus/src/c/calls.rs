//! The functions that threads of C litmus tests call: C11 atomics and those of the Linux kernel.
//!
//! Read-copy-update is refused: what it waits for is not a matter of memory accesses. Kernel read-modify-writes that
//! return nothing or are `_relaxed` are full barriers in these models all the same, like every read-modify-write.

use norn_ir::instr::{Access, CompareOp, FenceKind, InstrKind, Order, RmwOp, SectionKind};
use norn_ir::types::Ty;

use super::ast::{Expr, ExprKind};
use super::lower::{Lower, Typed};
use crate::token::{Parsed, Token};

fn with(order: Order) -> Access {
    Access { order, volatile: false }
}

/// The value that a read-modify-write gives back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Result {
    Nothing,
    Before,
    After,
    /// Whether the value after is 0.
    AfterIsZero,
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn call(&mut self, name: Token<'a>, args: &[Expr<'a>]) -> Parsed<Option<Typed>> {
        if let Some(kind) = barrier(name.text) {
            self.arguments(name, args, 0)?;
            self.out.push(InstrKind::Fence(kind));
            return Ok(None);
        }
        match name.text {
            "atomic_thread_fence" | "atomic_signal_fence" => self.fence(name, args),
            "READ_ONCE" | "ACCESS_ONCE" | "rcu_dereference" | "lockless_dereference" => {
                let [place] = self.arguments(name, args, 1)? else { return Ok(None) };
                let address = self.place(place)?;
                Ok(Some(self.load(address, with(Order::Relaxed))))
            }
            "WRITE_ONCE" | "rcu_assign_pointer" => {
                let [place, value] = self.arguments(name, args, 2)? else { return Ok(None) };
                let address = self.place(place)?;
                let value = self.value(value)?;
                let order = if name.text == "WRITE_ONCE" { Order::Relaxed } else { Order::Release };
                self.store(address, value, with(order));
                Ok(None)
            }
            "atomic_load" | "atomic_load_explicit" => {
                let order = self.order(name, args, 1)?;
                let address = self.pointer(&args[0])?;
                if matches!(order, Order::Release | Order::AcqRel) {
                    return Err(self.unsupported(name, "a load cannot have this memory order"));
                }
                Ok(Some(self.load(address, with(order))))
            }
            "atomic_store" | "atomic_store_explicit" | "atomic_init" => {
                let order = self.order(name, args, 2)?;
                let address = self.pointer(&args[0])?;
                let value = self.value(&args[1])?;
                if matches!(order, Order::Acquire | Order::AcqRel) {
                    return Err(self.unsupported(name, "a store cannot have this memory order"));
                }
                self.store(address, value, with(order));
                Ok(None)
            }
            "smp_load_acquire" | "atomic_read" | "atomic_read_acquire" => {
                let [pointer] = self.arguments(name, args, 1)? else { return Ok(None) };
                let address = self.pointer(pointer)?;
                let order = if name.text == "atomic_read" { Order::Relaxed } else { Order::Acquire };
                Ok(Some(self.load(address, with(order))))
            }
            "smp_store_release" | "atomic_set" | "atomic_set_release" | "smp_store_mb" | "set_mb" => {
                let [pointer, value] = self.arguments(name, args, 2)? else { return Ok(None) };
                let address = self.pointer(pointer)?;
                let value = self.value(value)?;
                let order = if name.text.ends_with("_release") { Order::Release } else { Order::Relaxed };
                self.store(address, value, with(order));
                if name.text.ends_with("_mb") {
                    self.out.push(InstrKind::Fence(FenceKind::Full));
                }
                Ok(None)
            }
            "spin_lock" | "spin_unlock" | "spin_trylock" | "spin_is_locked" | "lock" | "unlock" | "mtx_lock"
            | "mtx_unlock" => self.lock(name, args),
            _ => self.read_modify_write(name, args),
        }
    }

    fn arguments<'e>(&self, name: Token<'_>, args: &'e [Expr<'a>], count: usize) -> Parsed<&'e [Expr<'a>]> {
        if args.len() == count {
            return Ok(args);
        }
        let message = format!("'{}' takes {count} arguments, found {}", name.text, args.len());
        Err(self.locations.file.error_at(name, message))
    }

    /// The memory order after `count` arguments of a C11 function; `seq_cst` without `_explicit`.
    fn order(&self, name: Token<'_>, args: &[Expr<'a>], count: usize) -> Parsed<Order> {
        if !name.text.ends_with("_explicit") {
            self.arguments(name, args, count)?;
            return Ok(Order::SeqCst);
        }
        self.arguments(name, args, count + 1)?;
        self.memory_order(&args[count])
    }

    fn memory_order(&self, arg: &Expr<'a>) -> Parsed<Order> {
        Ok(match arg.token.text.trim_start_matches("memory_order_") {
            "relaxed" => Order::Relaxed,
            "consume" | "acquire" => Order::Acquire,
            "release" => Order::Release,
            "acq_rel" => Order::AcqRel,
            "seq_cst" => Order::SeqCst,
            _ => {
                let message = format!("'{}' is not a memory order", arg.token.text);
                return Err(self.locations.file.error_at(arg.token, message).help("such as 'memory_order_relaxed'"));
            }
        })
    }

    fn fence(&mut self, name: Token<'a>, args: &[Expr<'a>]) -> Parsed<Option<Typed>> {
        let [order] = self.arguments(name, args, 1)? else { return Ok(None) };
        let kind = match self.memory_order(order)? {
            _ if name.text == "atomic_signal_fence" => FenceKind::Compiler,
            Order::Acquire => FenceKind::Acquire,
            Order::Release => FenceKind::Release,
            Order::AcqRel => FenceKind::AcqRel,
            Order::SeqCst => FenceKind::Full,
            Order::Plain | Order::Relaxed => FenceKind::Compiler,
        };
        self.out.push(InstrKind::Fence(kind));
        Ok(None)
    }

    fn pointer(&mut self, expr: &Expr<'a>) -> Parsed<Typed> {
        let value = self.value(expr)?;
        if value.ty.is_pointer() {
            return Ok(value);
        }
        Err(self.unsupported(expr.token, "this argument should be a pointer to a location"))
    }

    fn rmw(&mut self, op: RmwOp, address: Typed, value: Typed, order: Order) -> Parsed<Typed> {
        let ty = Self::pointee(address);
        let value = self.convert(value, ty);
        let dst = self.out.temporary(ty.ty());
        self.out.push(InstrKind::Rmw { dst, op, addr: address.operand, value, order });
        Ok(Typed { operand: norn_ir::instr::Operand::Reg(dst), ty })
    }

    /// The value before and whether the exchange was made, as a `Bool`.
    fn compare_exchange(
        &mut self,
        address: Typed,
        [expected, desired]: [Typed; 2],
        order: Order,
        failure: Order,
    ) -> (Typed, norn_ir::instr::Operand) {
        let ty = Self::pointee(address);
        let (expected, desired) = (self.convert(expected, ty), self.convert(desired, ty));
        let dst = self.out.temporary(ty.ty());
        let success = self.out.temporary(Ty::Bool);
        let addr = address.operand;
        self.out.push(InstrKind::CompareExchange { dst, success, addr, expected, desired, order, failure });
        let operand = norn_ir::instr::Operand::Reg;
        (Typed { operand: operand(dst), ty }, operand(success))
    }

    fn read_modify_write(&mut self, name: Token<'a>, args: &[Expr<'a>]) -> Parsed<Option<Typed>> {
        let text = name.text;
        if text.starts_with("atomic_compare_exchange_") || text == "SCAS" || text == "WCAS" {
            return self.c11_compare_exchange(name, args).map(Some);
        }
        // The kernel's names end in their order, C11's in `_explicit`.
        let (base, order) = [("_relaxed", Order::Relaxed), ("_acquire", Order::Acquire), ("_release", Order::Release)]
            .iter()
            .find_map(|(suffix, order)| Some((text.strip_suffix(suffix)?, *order)))
            .unwrap_or((text, Order::SeqCst));
        match base {
            "atomic_exchange" | "atomic_exchange_explicit" => {
                let order = self.order(name, args, 2)?;
                let address = self.pointer(&args[0])?;
                let value = self.value(&args[1])?;
                self.rmw(RmwOp::Exchange, address, value, order).map(Some)
            }
            "xchg" | "atomic_xchg" => {
                let [pointer, value] = self.arguments(name, args, 2)? else { return Ok(None) };
                let address = self.pointer(pointer)?;
                let value = self.value(value)?;
                self.rmw(RmwOp::Exchange, address, value, order).map(Some)
            }
            "cmpxchg" | "atomic_cmpxchg" => {
                let [pointer, expected, desired] = self.arguments(name, args, 3)? else { return Ok(None) };
                let address = self.pointer(pointer)?;
                let values = [self.value(expected)?, self.value(desired)?];
                Ok(Some(self.compare_exchange(address, values, order, Order::Relaxed).0))
            }
            _ => self.arithmetic_rmw(name, base, order, args),
        }
    }

    fn c11_compare_exchange(&mut self, name: Token<'a>, args: &[Expr<'a>]) -> Parsed<Typed> {
        let (mut order, mut failure) = (Order::SeqCst, Order::SeqCst);
        if name.text.ends_with("_explicit") {
            self.arguments(name, args, 5)?;
            (order, failure) = (self.memory_order(&args[3])?, self.memory_order(&args[4])?);
            if matches!(failure, Order::Release | Order::AcqRel) {
                return Err(self.unsupported(args[4].token, "a failed exchange cannot have this memory order"));
            }
        } else {
            self.arguments(name, args, 3)?;
        }
        let address = self.pointer(&args[0])?;
        // `&r` of a variable, or a pointer to a location.
        let variable = match &args[1].kind {
            ExprKind::AddressOf(inner) if matches!(inner.kind, ExprKind::Name) => {
                self.variable(inner.token.text).map(|(reg, ty)| (inner.token.text, reg, ty))
            }
            _ => None,
        };
        let Some((variable, reg, ty)) = variable else {
            let expected_at = self.pointer(&args[1])?;
            let desired = self.value(&args[2])?;
            let expected = self.load(expected_at, Access::PLAIN);
            let (before, success) = self.compare_exchange(address, [expected, desired], order, failure);
            self.store_unless(success, expected_at, before);
            return Ok(self.truth(success));
        };
        let desired = self.value(&args[2])?;
        let expected = Typed { operand: norn_ir::instr::Operand::Reg(reg), ty };
        let (before, success) = self.compare_exchange(address, [expected, desired], order, failure);
        // If it succeeded, the variable held that value already.
        self.assign_variable(variable, before);
        Ok(self.truth(success))
    }

    fn store_unless(&mut self, cond: norn_ir::instr::Operand, address: Typed, value: Typed) {
        use norn_ir::instr::TerminatorKind::{Branch, Goto};
        let (failed, after) = (self.out.block(), self.out.block());
        self.out.terminate(Branch { cond, then: after, otherwise: failed });
        self.out.go_on_in(failed);
        self.store(address, value, Access::PLAIN);
        self.out.terminate(Goto(after));
        self.out.go_on_in(after);
    }

    /// `atomic_fetch_add(x, 1)` of C11, `atomic_add_return(1, x)`, `atomic_inc(x)` … of the kernel.
    fn arithmetic_rmw(
        &mut self,
        name: Token<'a>,
        base: &str,
        order: Order,
        args: &[Expr<'a>],
    ) -> Parsed<Option<Typed>> {
        let unknown = |lower: &Self| {
            let message = format!("the function '{}' is not known", name.text);
            let help = "known are C11's atomics and the kernel's accesses, barriers, atomics and spinlocks";
            lower.unsupported(name, message).help(help)
        };
        let explicit = base.ends_with("_explicit");
        let Some(rest) = base.trim_end_matches("_explicit").strip_prefix("atomic_") else { return Err(unknown(self)) };
        let (rest, result) = if let Some(rest) = rest.strip_prefix("fetch_") {
            (rest, Result::Before)
        } else if let Some(rest) = rest.strip_suffix("_return") {
            (rest, Result::After)
        } else if let Some(rest) = rest.strip_suffix("_and_test") {
            (rest, Result::AfterIsZero)
        } else {
            (rest, Result::Nothing)
        };
        let (op, sign, count) = match rest {
            "add" => (RmwOp::Add, "+", 2),
            "sub" => (RmwOp::Sub, "-", 2),
            "and" => (RmwOp::And, "&", 2),
            "or" => (RmwOp::Or, "|", 2),
            "xor" => (RmwOp::Xor, "^", 2),
            "inc" => (RmwOp::Add, "+", 1),
            "dec" => (RmwOp::Sub, "-", 1),
            _ => return Err(unknown(self)),
        };
        let order = if explicit { self.order(name, args, count)? } else { order };
        if !explicit {
            self.arguments(name, args, count)?;
        }
        let mut operands = Vec::with_capacity(2);
        for arg in &args[..count] {
            operands.push(self.value(arg)?);
        }
        // C11 has the pointer first, the kernel last.
        let (address, value) = match operands.as_slice() {
            [address] if address.ty.is_pointer() => (*address, Self::number(1)),
            [address, value] if address.ty.is_pointer() => (*address, *value),
            [value, address] if address.ty.is_pointer() => (*address, *value),
            _ => return Err(self.unsupported(name, "one argument should be a pointer to a location")),
        };
        if Self::pointee(address).is_pointer() {
            return Err(self.unsupported(name, "atomic arithmetic on an address is not supported"));
        }
        let before = self.rmw(op, address, value, order)?;
        if result == Result::Nothing {
            return Ok(None);
        }
        if result == Result::Before {
            return Ok(Some(before));
        }
        let after = self.arithmetic(sign, before, value, name)?;
        if result == Result::After {
            return Ok(Some(after));
        }
        let is_zero = self.compare(CompareOp::Eq, after, Self::number(0));
        Ok(Some(self.truth(is_zero)))
    }

    /// A lock is a location that is 0 while it is free.
    fn lock(&mut self, name: Token<'a>, args: &[Expr<'a>]) -> Parsed<Option<Typed>> {
        let [pointer] = self.arguments(name, args, 1)? else { return Ok(None) };
        let address = self.pointer(pointer)?;
        let (free, taken) = (Self::number(0), Self::number(1));
        match name.text {
            "spin_unlock" | "unlock" | "mtx_unlock" => self.store(address, free, with(Order::Release)),
            "spin_is_locked" => return Ok(Some(self.load(address, with(Order::Relaxed)))),
            "spin_trylock" => {
                let (_, success) = self.compare_exchange(address, [free, taken], Order::Acquire, Order::Relaxed);
                return Ok(Some(self.truth(success)));
            }
            _ => {
                self.out.push(InstrKind::SectionBegin(SectionKind::Atomic));
                let found = self.load(address, with(Order::Acquire));
                let cond = self.compare(CompareOp::Eq, found, free);
                self.out.push(InstrKind::Await { cond, spurious: false });
                self.store(address, taken, with(Order::Relaxed));
                self.out.push(InstrKind::SectionEnd);
            }
        }
        Ok(None)
    }
}

fn barrier(name: &str) -> Option<FenceKind> {
    match name {
        "smp_mb"
        | "mb"
        | "__sync_synchronize"
        | "smp_mb__before_atomic"
        | "smp_mb__after_atomic"
        | "smp_mb__after_spinlock"
        | "smp_mb__after_unlock_lock" => Some(FenceKind::Full),
        "smp_wmb" | "wmb" => Some(FenceKind::StoreStore),
        "smp_rmb" | "rmb" | "smp_read_barrier_depends" => Some(FenceKind::LoadLoad),
        "barrier" => Some(FenceKind::Compiler),
        _ => None,
    }
}
