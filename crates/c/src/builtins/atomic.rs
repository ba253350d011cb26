//! `__atomic_…` of GCC and `__c11_atomic_…` of clang: typed by what their first argument points to.
//!
//! Memory orders must be constants, as they are in practice; `consume` is taken as `acquire`. An atomic access to a
//! struct is not modelled.

use super::Call;
use crate::ast;
use crate::ctype::{QualType, Type, TypeId};
use crate::tree::{Builtin, CompareOp, Expected, Expr, UpdateResult};
use norn_ir::diag::Diagnostic;
use norn_ir::instr::{FenceKind, Order, RmwOp};

/// Where the two families differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Pointer arithmetic counts bytes; values may be passed through pointers.
    Gnu,
    /// Pointer arithmetic counts elements; compare-exchange says `strong` or `weak` in its name.
    C11,
}

/// Accesses for which not every memory order makes sense.
#[derive(Clone, Copy)]
enum Access {
    Load,
    Store,
    Failure,
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
            "signal_fence" => self.make_void(Builtin::Fence(FenceKind::Compiler)),
            "always_lock_free" | "is_lock_free" => self.lock_free(name),
            "test_and_set" => self.test_and_set(),
            "clear" => self.clear(),
            _ => match (self.atomic_place(), update) {
                (Err(wrong), _) => wrong,
                (Ok((pointer, ty)), Some((op, result))) => self.update(pointer, ty, op, result, dialect),
                (Ok((pointer, ty)), None) => self.access(name, dialect, pointer, ty),
            },
        })
    }

    /// Whether an access of so many bytes needs no lock: as GCC for x86, which takes a pointer that is a number for the
    /// alignment of what it points to.
    fn lock_free(&mut self, name: &str) -> Expr {
        let args = self.args;
        let size = args.first().and_then(|arg| self.checker.constant_int(arg));
        let align = args.get(1).and_then(|arg| self.checker.constant_int(arg)).map(|place| place & -place);
        if args.len() == 2 {
            let place = self.arg(1).ty;
            let checker = &mut *self.checker;
            if !checker.is_error(place) && !checker.is_integer(place) && !checker.is_pointer(place) {
                let message = format!("the place must be a pointer, but has type {}", checker.text(place));
                checker.error(self.loc, message);
            }
        }
        if size.is_none() && name == "always_lock_free" {
            self.checker.error(self.loc, "the size that '__atomic_always_lock_free' is asked about must be constant");
        }
        let is_free = size
            .is_none_or(|size| matches!(size, 1 | 2 | 4 | 8) && align.is_none_or(|align| align == 0 || align >= size));
        let answer = self.checker.int_constant(i128::from(is_free), self.checker.int_type(), self.loc);
        self.after_arguments(answer)
    }

    fn access(&mut self, name: &str, dialect: Dialect, pointer: Expr, ty: QualType) -> Expr {
        match (name, dialect) {
            ("load_n", _) | ("load", Dialect::C11) => match self.order_of(1, Access::Load) {
                Ok(order) => self.make(Builtin::AtomicLoad { pointer, order }, ty),
                Err(wrong) => wrong,
            },
            ("load", Dialect::Gnu) => match self.order_of(2, Access::Load) {
                Ok(order) => {
                    let value = self.make(Builtin::AtomicLoad { pointer, order }, ty);
                    self.write_through(1, value)
                }
                Err(wrong) => wrong,
            },
            ("store_n", _) | ("store", Dialect::C11) => match self.order_of(2, Access::Store) {
                Ok(order) => {
                    let value = self.arg_as(1, ty);
                    self.make_void(Builtin::AtomicStore { pointer, value, order })
                }
                Err(wrong) => wrong,
            },
            ("store", Dialect::Gnu) => match self.order_of(2, Access::Store) {
                Ok(order) => {
                    let value = self.read_through(1, ty);
                    self.make_void(Builtin::AtomicStore { pointer, value, order })
                }
                Err(wrong) => wrong,
            },
            ("init", _) => {
                let place = self.checker.deref(pointer, self.loc);
                let place = Expr { ty, ..place };
                let value = self.arg_as(1, ty);
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

    /// The pointer of an atomic access and the scalar type that it accesses.
    pub(super) fn atomic_place(&mut self) -> Result<(Expr, QualType), Expr> {
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
        if self.checker.is_scalar(ty) && self.checker.unsupported_values(ty).is_none() {
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

    fn exchange(&mut self, pointer: Expr, operand: Expr, ty: QualType, order: usize) -> Expr {
        match self.order(order) {
            Ok(order) => {
                let op = RmwOp::Exchange;
                self.make(Builtin::AtomicUpdate { op, pointer, operand, order, result: UpdateResult::Old }, ty)
            }
            Err(wrong) => wrong,
        }
    }

    fn update(&mut self, pointer: Expr, ty: QualType, op: RmwOp, result: UpdateResult, dialect: Dialect) -> Expr {
        let order = match self.order(2) {
            Ok(order) => order,
            Err(wrong) => return wrong,
        };
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
        self.make(Builtin::AtomicUpdate { op, pointer, operand, order, result }, ty)
    }

    fn compare_exchange(&mut self, name: &str, pointer: Expr, ty: QualType) -> Expr {
        let first_order = if name.starts_with("compare_exchange_n") || name == "compare_exchange" { 4 } else { 3 };
        let (success, failure) = match (self.order(first_order), self.order_of(first_order + 1, Access::Failure)) {
            (Ok(success), Ok(failure)) => (success, failure),
            (Err(wrong), _) | (_, Err(wrong)) => return wrong,
        };
        let expected_type = self.checker.pointer_to(ty);
        let expected = Expected::Pointer(self.arg_as(1, expected_type));
        let desired = if name == "compare_exchange" { self.read_through(2, ty) } else { self.arg_as(2, ty) };
        let bool_type = QualType::unqualified(self.checker.types.intern(Type::Bool));
        let is_strong = match name {
            "compare_exchange_strong" => true,
            "compare_exchange_weak" => false,
            _ => self.args.get(3).and_then(|arg| self.checker.constant_int(arg)) == Some(0),
        };
        let (returns_success, weak) = (true, !is_strong);
        let builtin =
            Builtin::AtomicCompareExchange { pointer, expected, desired, success, failure, returns_success, weak };
        self.make(builtin, bool_type)
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
        match self.order_of(1, Access::Store) {
            Ok(order) => {
                let value = self.checker.int_constant(0, byte, self.loc);
                self.make_void(Builtin::AtomicStore { pointer, value, order })
            }
            Err(wrong) => wrong,
        }
    }

    fn thread_fence(&mut self) -> Expr {
        match self.order(0) {
            Ok(Order::Relaxed | Order::Plain) => self.nothing(),
            Ok(Order::Acquire) => self.make_void(Builtin::Fence(FenceKind::Acquire)),
            Ok(Order::Release) => self.make_void(Builtin::Fence(FenceKind::Release)),
            Ok(Order::AcqRel) => self.make_void(Builtin::Fence(FenceKind::AcqRel)),
            Ok(Order::SeqCst) => self.make_void(Builtin::Fence(FenceKind::Full)),
            Err(wrong) => wrong,
        }
    }

    /// The memory order given by an argument, for an access that does not have them all. Another one is undefined
    /// behaviour in C; compilers fall back on `seq_cst`, and so does this.
    fn order_of(&mut self, i: usize, access: Access) -> Result<Order, Expr> {
        let order = self.order(i)?;
        let (fits, what) = match access {
            Access::Load => (!matches!(order, Order::Release | Order::AcqRel), "a load"),
            Access::Store => (!matches!(order, Order::Acquire | Order::AcqRel), "a store"),
            Access::Failure => (!matches!(order, Order::Release | Order::AcqRel), "a failed compare-exchange"),
        };
        if fits {
            return Ok(order);
        }
        let loc = self.args.get(i).map_or(self.loc, |arg| arg.loc);
        let message = format!("{what} cannot have the memory order '{}'; 'seq_cst' is used", order.mnemonic());
        self.checker.report(Diagnostic::warning(loc, message));
        Ok(Order::SeqCst)
    }

    /// The memory order given by an argument.
    fn order(&mut self, i: usize) -> Result<Order, Expr> {
        let number = self.args.get(i).and_then(|arg: &ast::Expr| self.checker.constant_int(arg));
        // Bits above the lowest 16 are hints such as x86's lock elision.
        match number.map(|n| n & 0xffff) {
            Some(0) => Ok(Order::Relaxed),
            Some(1 | 2) => Ok(Order::Acquire),
            Some(3) => Ok(Order::Release),
            Some(4) => Ok(Order::AcqRel),
            Some(5) => Ok(Order::SeqCst),
            _ => {
                let void = self.checker.void_type();
                Err(self.unsupported("a memory order that is not a constant", void))
            }
        }
    }

    /// `*argument`, a plain load.
    fn read_through(&mut self, i: usize, ty: QualType) -> Expr {
        let pointer_type = self.checker.pointer_to(ty);
        let pointer = self.arg_as(i, pointer_type);
        let place = self.checker.deref(pointer, self.loc);
        self.checker.load(place)
    }

    /// `*argument = value`, a plain store; denotes nothing.
    fn write_through(&mut self, i: usize, value: Expr) -> Expr {
        if self.checker.is_error(value.ty) {
            return value;
        }
        let pointer_type = self.checker.pointer_to(value.ty);
        let pointer = self.arg_as(i, pointer_type);
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
