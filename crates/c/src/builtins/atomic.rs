//! `__atomic_…` of GCC and `__c11_atomic_…` of clang: typed by what their first argument points to.
//!
//! `consume` is taken as `acquire`. A memory order that is not a constant is computed, and chooses among one access for each order
//! (`orders.rs`).

use super::Call;
use super::orders::Access;
use crate::ctype::{QualType, Type, TypeId};
use crate::sema::Context;
use crate::tree::{Builtin, CompareOp, Expected, Expr, ExprKind, UpdateResult};
use norn_ir::instr::{FenceKind, Order, RmwOp};

/// Where the two families differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Pointer arithmetic counts bytes; values may be passed through pointers.
    Gnu,
    /// Pointer arithmetic counts elements; compare-exchange says `strong` or `weak` in its name.
    C11,
}

impl Call<'_, '_, '_> {
    /// `name` comes without its prefix.
    pub(super) fn atomic(&mut self, name: &str, dialect: Dialect) -> Option<Expr> {
        let count = match name {
            "thread_fence" | "signal_fence" => 1,
            "load_n" | "always_lock_free" | "is_lock_free" | "init" | "test_and_set" | "clear" => 2,
            "load" if dialect == Dialect::C11 => 2,
            "compare_exchange_n" | "compare_exchange" => 6,
            "compare_exchange_strong" | "compare_exchange_weak" => 5,
            "exchange" if dialect == Dialect::Gnu => 4,
            _ => 3,
        };
        let update = update_op(name);
        let known = update.is_some()
            || matches!(
                name,
                "thread_fence"
                    | "signal_fence"
                    | "load_n"
                    | "load"
                    | "store_n"
                    | "store"
                    | "exchange_n"
                    | "exchange"
                    | "compare_exchange_n"
                    | "compare_exchange"
                    | "compare_exchange_strong"
                    | "compare_exchange_weak"
                    | "test_and_set"
                    | "clear"
                    | "always_lock_free"
                    | "is_lock_free"
                    | "init"
            );
        if !known {
            return None;
        }
        if self.name == "__c11_atomic_is_lock_free" {
            return Some(self.checker.int_constant(1, self.checker.int_type(), self.loc));
        }
        if let Err(wrong) = self.expect_args(count) {
            return Some(wrong);
        }
        Some(match name {
            "thread_fence" => self.thread_fence(),
            "signal_fence" => {
                let fence = self.make_void(Builtin::Fence(FenceKind::Compiler));
                let int = self.checker.int_type();
                let order = self.arg_as(0, int);
                if matches!(order.kind, ExprKind::Int(_)) { fence } else { self.checker.comma(order, fence) }
            }
            "always_lock_free" | "is_lock_free" => self.lock_free(name),
            "test_and_set" => self.test_and_set(),
            "clear" => self.clear(),
            _ => match (self.atomic_place(true), update) {
                (Err(wrong), _) => wrong,
                (Ok((pointer, ty)), update) => {
                    if let Err(wrong) = self.check_atomic_type(name, ty, update.is_some(), dialect) {
                        return Some(wrong);
                    }
                    match update {
                        Some((op, result)) => self.update(pointer, ty, op, result, dialect),
                        None => self.access(name, dialect, pointer, ty),
                    }
                }
            },
        })
    }

    /// GCC's functions that take values are for integers and pointers, arithmetic is not for `_Bool`.
    fn check_atomic_type(&mut self, name: &str, ty: QualType, is_update: bool, dialect: Dialect) -> Result<(), Expr> {
        let is_number = self.checker.is_integer(ty) && !(is_update && matches!(self.checker.kind(ty), Type::Bool));
        let by_value = is_update || name.ends_with("_n");
        let is_wrong = (dialect == Dialect::Gnu && by_value && !is_number && !self.checker.is_pointer(ty))
            || (is_update && self.checker.is_record(ty));
        if is_wrong {
            let text = self.checker.text(ty);
            self.checker.error(self.loc, format!("'{}' cannot access an object of type {text}", self.name));
            return Err(self.checker.error_expr(self.loc));
        }
        Ok(())
    }

    /// Whether an access of so many bytes needs no lock: as GCC for x86, which takes a pointer that is a number for the
    /// alignment of what it points to.
    fn lock_free(&mut self, name: &str) -> Expr {
        let (asked, place) = (self.arg(0), self.arg(1));
        let checker = &mut *self.checker;
        if !checker.is_error(place.ty) && !checker.is_integer(place.ty) && !checker.is_pointer(place.ty) {
            let message = format!("the place must be a pointer, but has type {}", checker.text(place.ty));
            checker.error(self.loc, message);
        }
        let size = checker.evaluate_int(&asked).ok();
        let align = checker.evaluate_int(&place).ok().map(|place| place & -place);
        if size.is_none() && name == "always_lock_free" {
            self.checker.error(self.loc, "the size that '__atomic_always_lock_free' is asked about must be constant");
        }
        let is_free = size
            .is_none_or(|size| matches!(size, 1 | 2 | 4 | 8) && align.is_none_or(|align| align == 0 || align >= size));
        let answer = self.checker.int_constant(i128::from(is_free), self.checker.int_type(), self.loc);
        let answer = if align.is_some() { answer } else { self.checker.comma(place, answer) };
        if size.is_some() { answer } else { self.checker.comma(asked, answer) }
    }

    fn access(&mut self, name: &str, dialect: Dialect, pointer: Expr, ty: QualType) -> Expr {
        match (name, dialect) {
            ("load_n", _) | ("load", Dialect::C11) => self.load(pointer, ty, 1),
            ("load", Dialect::Gnu) => {
                let value = self.load(pointer, ty, 2);
                self.write_through(1, value)
            }
            ("store_n", _) | ("store", Dialect::C11) => {
                let value = self.arg_as(1, ty);
                self.store(pointer, value, 2)
            }
            ("store", Dialect::Gnu) => {
                let value = self.read_through(1, ty);
                self.store(pointer, value, 2)
            }
            ("init", _) => {
                let value = self.arg_as(1, ty);
                if self.checker.is_error(value.ty) {
                    return value;
                }
                // No atomic access: another one at the same time is a data race.
                let place = self.checker.deref(pointer, self.loc);
                let place = Expr { ty, ..place };
                let assignment = self.checker.assignment(place, value, self.loc);
                let void = self.checker.void_type();
                self.checker.converted(assignment, void)
            }
            ("exchange_n", _) | ("exchange", Dialect::C11) => {
                let operand = self.arg_as(1, ty);
                self.exchange(pointer, operand, ty, 2)
            }
            ("exchange", Dialect::Gnu) => {
                let operand = self.read_through(1, ty);
                let old = self.exchange(pointer, operand, ty, 3);
                self.write_through(2, old)
            }
            _ => self.compare_exchange(name, pointer, ty),
        }
    }

    /// The pointer of an atomic access and the type that it accesses: a scalar or, if that is allowed, a struct or union.
    pub(super) fn atomic_place(&mut self, records: bool) -> Result<(Expr, QualType), Expr> {
        let pointer = self.arg(0);
        if self.checker.is_error(pointer.ty) {
            return Err(pointer);
        }
        let Some(pointee) = self.checker.pointee(pointer.ty) else {
            let text = self.checker.text(pointer.ty);
            let message = format!("the first argument of '{}' must be a pointer, but has type {text}", self.name);
            self.checker.error(pointer.loc, message);
            return Err(self.checker.error_expr(self.loc));
        };
        let ty = QualType::unqualified(pointee.ty);
        if self.checker.is_scalar(ty)
            && self.checker.unsupported_values(ty).is_none()
            && !self.checker.is_long_double(ty)
        {
            return Ok((pointer, ty));
        }
        if records && self.checker.is_record(ty) && self.checker.size_of(ty).is_some() {
            return Ok((pointer, ty));
        }
        if self.checker.is_record(ty) || self.checker.is_scalar(ty) {
            let text = self.checker.text(ty);
            return Err(self.unsupported(format!("an atomic access to {text}"), ty));
        }
        let text = self.checker.text(ty);
        self.checker.error(pointer.loc, format!("'{}' cannot access an object of type {text}", self.name));
        Err(self.checker.error_expr(self.loc))
    }

    fn load(&mut self, pointer: Expr, ty: QualType, order: usize) -> Expr {
        self.with_order(order, Access::Load, [pointer], |call, order, [pointer]| {
            call.make(Builtin::AtomicLoad { pointer, order }, ty)
        })
    }

    fn store(&mut self, pointer: Expr, value: Expr, order: usize) -> Expr {
        self.with_order(order, Access::Store, [pointer, value], |call, order, [pointer, value]| {
            call.make_void(Builtin::AtomicStore { pointer, value, order })
        })
    }

    fn exchange(&mut self, pointer: Expr, operand: Expr, ty: QualType, order: usize) -> Expr {
        self.read_modify_write(pointer, operand, ty, RmwOp::Exchange, UpdateResult::Old, order)
    }

    fn read_modify_write(
        &mut self,
        pointer: Expr,
        operand: Expr,
        ty: QualType,
        op: RmwOp,
        result: UpdateResult,
        order: usize,
    ) -> Expr {
        self.with_order(order, Access::Update, [pointer, operand], |call, order, [pointer, operand]| {
            call.make(Builtin::AtomicUpdate { op, pointer, operand, order, result }, ty)
        })
    }

    fn update(&mut self, pointer: Expr, ty: QualType, op: RmwOp, result: UpdateResult, dialect: Dialect) -> Expr {
        let operand = match *self.checker.kind(ty) {
            Type::Pointer(element) => {
                let ptrdiff = self.checker.ptrdiff_type();
                let count = self.arg_as(1, ptrdiff);
                match self.checker.size_of(element).filter(|_| dialect == Dialect::C11) {
                    Some(size) => {
                        let size = self.checker.int_constant(i128::from(size), ptrdiff, self.loc);
                        self.checker.arithmetic(crate::tree::BinaryOp::Mul, count, size, self.loc)
                    }
                    None => count,
                }
            }
            Type::Float(_) => return self.unsupported("atomic arithmetic on floating-point numbers", ty),
            _ => self.arg_as(1, ty),
        };
        self.read_modify_write(pointer, operand, ty, op, result, 2)
    }

    fn compare_exchange(&mut self, name: &str, pointer: Expr, ty: QualType) -> Expr {
        let first_order = if name.starts_with("compare_exchange_n") || name == "compare_exchange" { 4 } else { 3 };
        let expected_type = self.checker.pointer_to(ty);
        let expected = if name == "compare_exchange" { self.pointer_arg(1, ty) } else { self.arg_as(1, expected_type) };
        let desired = if name == "compare_exchange" { self.read_through(2, ty) } else { self.arg_as(2, ty) };
        let bool_type = QualType::unqualified(self.checker.types.intern(Type::Bool));
        let is_strong = match name {
            "compare_exchange_strong" => true,
            "compare_exchange_weak" => false,
            _ => self.args.get(3).and_then(|arg| self.checker.constant_int(arg)) == Some(0),
        };
        let (returns_success, weak) = (true, !is_strong);
        let values = [pointer, expected, desired];
        self.with_orders(first_order, values, |call, [success, failure], [pointer, expected, desired]| {
            let expected = Expected::Pointer(expected);
            let builtin =
                Builtin::AtomicCompareExchange { pointer, expected, desired, success, failure, returns_success, weak };
            call.make(builtin, bool_type)
        })
    }

    /// `__atomic_test_and_set(p, order)`: one byte becomes 1; was it set before?
    fn test_and_set(&mut self) -> Expr {
        let byte = QualType::unqualified(TypeId::of_int(crate::ctype::IntType::UnsignedChar));
        let ty = self.checker.pointer_to(byte);
        let pointer = self.arg_as(0, ty);
        let one = self.checker.int_constant(1, byte, self.loc);
        let old = self.exchange(pointer, one, byte, 1);
        if self.checker.is_error(old.ty) {
            return old;
        }
        let zero = self.checker.int_constant(0, byte, self.loc);
        let set = self.checker.comparison(CompareOp::Ne, old, zero, self.loc);
        let bool_type = QualType::unqualified(self.checker.types.intern(Type::Bool));
        self.checker.converted(set, bool_type)
    }

    fn clear(&mut self) -> Expr {
        let byte = QualType::unqualified(TypeId::of_int(crate::ctype::IntType::UnsignedChar));
        let ty = self.checker.pointer_to(byte);
        let pointer = self.arg_as(0, ty);
        let value = self.checker.int_constant(0, byte, self.loc);
        self.store(pointer, value, 1)
    }

    fn thread_fence(&mut self) -> Expr {
        self.with_order(0, Access::Fence, [], |call, order, []| match order {
            Order::Relaxed | Order::Plain => call.nothing(),
            Order::Acquire => call.make_void(Builtin::Fence(FenceKind::Acquire)),
            Order::Release => call.make_void(Builtin::Fence(FenceKind::Release)),
            Order::AcqRel => call.make_void(Builtin::Fence(FenceKind::AcqRel)),
            Order::SeqCst => call.make_void(Builtin::Fence(FenceKind::Full)),
        })
    }

    /// An argument that points to a value as large as the one that is accessed.
    fn pointer_arg(&mut self, i: usize, ty: QualType) -> Expr {
        let pointer = self.arg(i);
        if self.checker.is_error(pointer.ty) {
            return pointer;
        }
        let size = self.checker.pointee(pointer.ty).and_then(|pointee| self.checker.size_of(pointee));
        if size.is_none() || size != self.checker.size_of(ty) {
            let message = format!("argument {} of '{}' must point to a value of the same size", i + 1, self.name);
            self.checker.error(pointer.loc, message);
            return self.checker.error_expr(self.loc);
        }
        let pointer_type = self.checker.pointer_to(ty);
        self.checker.convert_to(pointer, pointer_type, Context::Passing(i + 1))
    }

    /// `*argument`, a plain load.
    fn read_through(&mut self, i: usize, ty: QualType) -> Expr {
        let pointer = self.pointer_arg(i, ty);
        if self.checker.is_error(pointer.ty) {
            return pointer;
        }
        let place = self.checker.deref(pointer, self.loc);
        self.checker.load(place)
    }

    /// `*argument = value`, a plain store; denotes nothing.
    fn write_through(&mut self, i: usize, value: Expr) -> Expr {
        if self.checker.is_error(value.ty) {
            return value;
        }
        let pointer = self.pointer_arg(i, value.ty);
        if self.checker.is_error(pointer.ty) {
            return pointer;
        }
        let place = self.checker.deref(pointer, self.loc);
        let assignment = self.checker.assignment(place, value, self.loc);
        let void = self.checker.void_type();
        self.checker.converted(assignment, void)
    }
}

/// `fetch_add`, `add_fetch` and their kin.
fn update_op(name: &str) -> Option<(RmwOp, UpdateResult)> {
    let (op, result) = match (name.strip_prefix("fetch_"), name.strip_suffix("_fetch")) {
        (Some(op), _) => (op, UpdateResult::Old),
        (_, Some(op)) => (op, UpdateResult::New),
        _ => return None,
    };
    Some((rmw_op(op)?, result))
}

pub(super) fn rmw_op(name: &str) -> Option<RmwOp> {
    Some(match name {
        "add" => RmwOp::Add,
        "sub" => RmwOp::Sub,
        "and" => RmwOp::And,
        "or" => RmwOp::Or,
        "xor" => RmwOp::Xor,
        "nand" => RmwOp::Nand,
        _ => return None,
    })
}
