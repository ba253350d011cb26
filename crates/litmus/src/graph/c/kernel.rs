//! The Linux kernel's accesses, barriers, atomics, locks and read-copy-update, as `Documentation/atomic_t.txt` and the
//! litmus tests of its memory model (tools/memory-model) use them.
//!
//! A read-modify-write that returns a value and names no order is a full barrier, which its two events carry as `Mb`;
//! one that fails is a read that orders nothing. `smp_read_barrier_depends` is nothing, as in kernels since 5.9.

use norn_graph::program::{BinaryOp, Expr, Instr, Tags, UnaryOp};

use super::expr::Value;
use super::functions::{Call, Object, Operation, RmwTags};
use super::thread::{Done, Lowering};
use super::types::wrap;
use crate::ctype::CType;
use crate::graph::Language;

const PLAIN: &str = "Plain";

/// What remains of a name without its order, and the tags of that order. Functions without an order in their name are
/// full barriers.
fn split_order(name: &str) -> (&str, RmwTags) {
    let tags = |read: &str, write: &str| RmwTags {
        read: Tags::of(&[read, "RMW"]),
        write: Tags::of(&[write, "RMW"]),
        failed: Tags::of(&["Once", "RMW"]),
    };
    let endings = [("_relaxed", "Once", "Once"), ("_acquire", "Acquire", "Once"), ("_release", "Once", "Release")];
    for (ending, read, write) in endings {
        if let Some(name) = name.strip_suffix(ending) {
            return (name, tags(read, write));
        }
    }
    (name, tags("Mb", "Mb"))
}

/// The tag of a function that is a fence and nothing else.
fn fence(name: &str) -> Option<&'static str> {
    Some(match name {
        "smp_mb" | "mb" => "Mb",
        "smp_rmb" | "rmb" => "Rmb",
        "smp_wmb" | "wmb" => "Wmb",
        "smp_mb__before_atomic" | "smp_mb__before_spinlock" => "Before-atomic",
        "smp_mb__after_atomic" => "After-atomic",
        "smp_mb__after_spinlock" => "After-spinlock",
        "smp_mb__after_unlock_lock" => "After-unlock-lock",
        "smp_mb__after_srcu_read_unlock" => "After-srcu-read-unlock",
        "barrier" => "Barrier",
        "rcu_read_lock" | "rcu_read_lock_sched" | "rcu_read_lock_bh" => "Rcu-lock",
        "rcu_read_unlock" | "rcu_read_unlock_sched" | "rcu_read_unlock_bh" => "Rcu-unlock",
        "synchronize_rcu"
        | "synchronize_rcu_expedited"
        | "synchronize_sched"
        | "synchronize_net"
        | "synchronize_rcu_bh" => "Sync-rcu",
        _ => return None,
    })
}

impl Lowering<'_> {
    /// What a call of the kernel's does: `None` if it is not one, else its value if it has one.
    pub(super) fn kernel(&mut self, call: &Call<'_>) -> Done<Option<Option<Value>>> {
        let Some(value) = self.kernel_call(call)? else { return Ok(None) };
        self.speaks(Language::Kernel, call)?;
        Ok(Some(value))
    }

    fn kernel_call(&mut self, call: &Call<'_>) -> Done<Option<Option<Value>>> {
        if let Some(tag) = fence(call.name) {
            call.takes(0)?;
            self.fence(tag, call.loc);
            return Ok(Some(None));
        }
        if let Some(value) = self.kernel_access(call)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.lock(call)? {
            return Ok(Some(value));
        }
        let atomic = ["atomic_long_", "atomic64_", "atomic_"].iter().find_map(|prefix| call.name.strip_prefix(prefix));
        let (name, tags) = split_order(atomic.unwrap_or(call.name));
        match name {
            "xchg" => {
                call.takes(2)?;
                let object = self.object(&call.args[0])?;
                let value = self.operand(&call.args[1], &object)?;
                Ok(Some(Some(self.rmw(&object, tags, |_| None, |_| value, call.loc))))
            }
            "cmpxchg" => {
                call.takes(3)?;
                let object = self.object(&call.args[0])?;
                let expected = self.operand(&call.args[1], &object)?;
                let desired = self.operand(&call.args[2], &object)?;
                let when = |old| Some(Expr::binary(BinaryOp::Equal, Expr::Reg(old), expected));
                Ok(Some(Some(self.rmw(&object, tags, when, |_| desired, call.loc))))
            }
            "try_cmpxchg" => {
                call.takes(3)?;
                let args = [&call.args[0], &call.args[1], &call.args[2]];
                Ok(Some(Some(self.compare_exchange(args, false, tags, &Tags::of(&[PLAIN]), call.loc)?)))
            }
            name if atomic.is_some() => self.arithmetic(call, name, tags),
            _ => Ok(None),
        }
    }

    fn kernel_access(&mut self, call: &Call<'_>) -> Done<Option<Option<Value>>> {
        let (name, loc) = (call.name, call.loc);
        let atomic = ["atomic_long_", "atomic64_", "atomic_"].iter().find_map(|prefix| name.strip_prefix(prefix));
        let value = match (name, atomic) {
            (
                "READ_ONCE"
                | "ACCESS_ONCE"
                | "lockless_dereference"
                | "rcu_dereference"
                | "rcu_dereference_raw"
                | "rcu_dereference_bh"
                | "rcu_dereference_sched"
                | "rcu_access_pointer"
                | "rcu_dereference_check"
                | "rcu_dereference_protected"
                | "srcu_dereference",
                _,
            ) => {
                // What else is given is a condition or a domain, which is for checkers of the kernel.
                let has_more = name.ends_with("check") || name.ends_with("protected") || name.starts_with("srcu");
                call.takes(if has_more { 2 } else { 1 })?;
                let object = self.named_object(&call.args[0])?;
                Some(self.load(object.addr, object.ty, Tags::of(&["Once"]), loc))
            }
            ("smp_load_acquire", _) | (_, Some("read" | "read_acquire")) => {
                call.takes(1)?;
                let object = self.object(&call.args[0])?;
                let tag = if name.ends_with("acquire") { "Acquire" } else { "Once" };
                Some(self.load(object.addr, object.ty, Tags::of(&[tag]), loc))
            }
            ("WRITE_ONCE" | "rcu_assign_pointer" | "RCU_INIT_POINTER" | "smp_store_mb", _) => {
                call.takes(2)?;
                let object = self.named_object(&call.args[0])?;
                let tag = if name == "rcu_assign_pointer" { "Release" } else { "Once" };
                self.write_object(&object, call, tag)?;
                if name == "smp_store_mb" {
                    self.fence("Mb", loc);
                }
                None
            }
            ("smp_store_release", _) | (_, Some("set" | "set_release")) => {
                call.takes(2)?;
                let object = self.object(&call.args[0])?;
                let tag = if name.ends_with("release") { "Release" } else { "Once" };
                self.write_object(&object, call, tag)?;
                None
            }
            ("smp_read_barrier_depends" | "cpu_relax", _) => {
                call.takes(0)?;
                None
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    fn write_object(&mut self, object: &Object, call: &Call<'_>, tag: &str) -> Done<()> {
        let expr = self.operand(&call.args[1], object)?;
        self.store(object.addr.clone(), Value { expr, ty: object.ty }, Tags::of(&[tag]), call.loc);
        Ok(())
    }

    fn lock(&mut self, call: &Call<'_>) -> Done<Option<Option<Value>>> {
        let loc = call.loc;
        let tags = || RmwTags { read: Tags::of(&["LKR"]), write: Tags::of(&["LKW"]), failed: Tags::of(&["LF"]) };
        let is_free = |old| Expr::unary(UnaryOp::IsZero, Expr::Reg(old));
        let value = match call.name {
            "spin_lock" | "spin_lock_irq" | "spin_lock_bh" | "raw_spin_lock" => {
                call.takes(1)?;
                let object = self.object(&call.args[0])?;
                let old = self.rmw(&object, tags(), |_| None, |_| Expr::Const(1), loc);
                // Who finds it taken waits; only the acquisition shows.
                self.push(Instr::Assume(Expr::unary(UnaryOp::IsZero, old.expr)), loc);
                None
            }
            "spin_trylock" => {
                call.takes(1)?;
                let object = self.object(&call.args[0])?;
                let old = self.rmw(&object, tags(), |old| Some(is_free(old)), |_| Expr::Const(1), loc);
                Some(Value { expr: Expr::unary(UnaryOp::IsZero, old.expr), ty: CType::INT })
            }
            "spin_unlock" | "spin_unlock_irq" | "spin_unlock_bh" | "raw_spin_unlock" => {
                call.takes(1)?;
                let object = self.object(&call.args[0])?;
                self.store(object.addr, Value { expr: Expr::Const(0), ty: object.ty }, Tags::of(&["UL"]), loc);
                None
            }
            "spin_is_locked" => {
                call.takes(1)?;
                let object = self.object(&call.args[0])?;
                Some(self.load(object.addr, CType::INT, Tags::of(&["Once"]), loc))
            }
            "srcu_read_lock" | "srcu_down_read" => {
                call.takes(1)?;
                let object = self.object(&call.args[0])?;
                Some(Value { ty: CType::INT, ..self.load(object.addr, object.ty, Tags::of(&["Srcu-lock"]), loc) })
            }
            "srcu_read_unlock" | "srcu_up_read" => {
                call.takes(2)?;
                let object = self.object(&call.args[0])?;
                self.write_object(&object, call, "Srcu-unlock")?;
                None
            }
            "synchronize_srcu" | "synchronize_srcu_expedited" => {
                call.takes(1)?;
                let addr = Some(self.object(&call.args[0])?.addr);
                self.push(Instr::Fence { addr, tags: Tags::of(&["Sync-srcu"]) }, loc);
                None
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// `atomic_add`, `atomic_fetch_or_relaxed`, `atomic_dec_and_test` and the like, by the name without `atomic_` and
    /// order.
    fn arithmetic(&mut self, call: &Call<'_>, name: &str, tags: RmwTags) -> Done<Option<Option<Value>>> {
        if let Some(value) = self.conditional_arithmetic(call, name, &tags)? {
            return Ok(Some(value));
        }
        let is_full = tags.read.has("Mb");
        let (operation, result) = match (name.strip_prefix("fetch_"), name.split_once('_')) {
            (Some(operation), _) => (operation, "fetch"),
            (None, Some((operation, result))) => (operation, result),
            (None, None) => (name, ""),
        };
        let (operation, counts) = match operation {
            "inc" => (Operation::Add, true),
            "dec" => (Operation::Sub, true),
            other => match Operation::named(other) {
                Some(operation) => (operation, false),
                None => return Ok(None),
            },
        };
        // Those without a value, and those that test it, have no orders.
        let returns = matches!(result, "fetch" | "return");
        let without_order = is_full && matches!(result, "" | "and_test" | "negative");
        if !returns && !without_order {
            return Ok(None);
        }
        call.takes(if counts { 1 } else { 2 })?;
        let object = self.object(&call.args[call.args.len() - 1])?;
        let operand = if counts { Expr::Const(1) } else { self.operand(&call.args[0], &object)? };
        let tags = match result {
            "" => {
                let read = Tags::of(&["Once", "Noreturn", "RMW"]);
                RmwTags { failed: read.clone(), read, write: Tags::of(&["Once", "RMW"]) }
            }
            _ => tags,
        };
        let ty = object.ty;
        let after = |old: Expr| operation.of(old, operand.clone(), ty);
        let old = self.rmw(&object, tags, |_| None, |old| after(Expr::Reg(old)), call.loc);
        let truth = |op: BinaryOp, expr: Expr| Value { expr: Expr::binary(op, expr, Expr::Const(0)), ty: CType::INT };
        Ok(Some(match result {
            "fetch" => Some(old),
            "return" => Some(Value { expr: after(old.expr), ty }),
            "and_test" => Some(truth(BinaryOp::Equal, after(old.expr))),
            "negative" => Some(truth(BinaryOp::LessSigned, after(old.expr))),
            _ => None,
        }))
    }

    /// Those that change the value only if it is not, or not below, another.
    fn conditional_arithmetic(&mut self, call: &Call<'_>, name: &str, tags: &RmwTags) -> Done<Option<Option<Value>>> {
        let count = match name {
            "add_unless" | "fetch_add_unless" => 3,
            "inc_not_zero" | "dec_if_positive" | "inc_unless_negative" | "dec_unless_positive" => 1,
            _ => return Ok(None),
        };
        call.takes(count)?;
        let object = self.object(&call.args[0])?;
        let (mut amount, mut except) = (Expr::Const(1), Expr::Const(0));
        if count == 3 {
            amount = self.operand(&call.args[1], &object)?;
            except = self.operand(&call.args[2], &object)?;
        }
        let added = |old: Expr| match name {
            "dec_if_positive" | "dec_unless_positive" => {
                wrap(object.ty, Expr::binary(BinaryOp::Sub, old, Expr::Const(1)))
            }
            _ => wrap(object.ty, Expr::binary(BinaryOp::Add, old, amount.clone())),
        };
        let allowed = |old: Expr| match name {
            "dec_if_positive" => Expr::binary(BinaryOp::LessSigned, Expr::Const(0), old),
            "inc_unless_negative" => Expr::binary(BinaryOp::LessEqualSigned, Expr::Const(0), old),
            "dec_unless_positive" => Expr::binary(BinaryOp::LessEqualSigned, old, Expr::Const(0)),
            _ => Expr::binary(BinaryOp::NotEqual, old, except.clone()),
        };
        let when = |old| Some(allowed(Expr::Reg(old)));
        let old = self.rmw(&object, tags.clone(), when, |old| added(Expr::Reg(old)), call.loc);
        Ok(Some(Some(match name {
            "fetch_add_unless" => old,
            "dec_if_positive" => Value { expr: added(old.expr), ty: object.ty },
            _ => Value { expr: allowed(old.expr), ty: CType::INT },
        })))
    }
}
