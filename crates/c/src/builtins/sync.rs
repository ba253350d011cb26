//! `__sync_…`, GCC's older atomic operations: full barriers, except the two that make a lock.

use super::Call;
use super::atomic::rmw_op;
use crate::ctype::{QualType, Type};
use crate::tree::{Builtin, Expected, Expr, UpdateResult};
use norn_ir::instr::{FenceKind, Order, RmwOp};

impl Call<'_, '_, '_> {
    /// `name` comes without its prefix. Arguments beyond the ones that matter are allowed, as in GCC.
    pub(super) fn sync(&mut self, name: &str) -> Option<Expr> {
        if name == "synchronize" {
            if let Err(wrong) = self.expect_args(0) {
                return Some(wrong);
            }
            return Some(self.make_void(Builtin::Fence(FenceKind::Full)));
        }
        let name = without_size(name);
        let compare = match name {
            "bool_compare_and_swap" => Some(true),
            "val_compare_and_swap" => Some(false),
            _ => None,
        };
        let update = match (name.strip_prefix("fetch_and_"), name.strip_suffix("_and_fetch")) {
            (Some(op), _) => rmw_op(op).map(|op| (op, UpdateResult::Old)),
            (_, Some(op)) => rmw_op(op).map(|op| (op, UpdateResult::New)),
            _ => None,
        };
        let needed = match name {
            "lock_test_and_set" => 2,
            "lock_release" => 1,
            _ if compare.is_some() => 3,
            _ if update.is_some() => 2,
            _ => return None,
        };
        if let Err(wrong) = self.at_least_args(needed) {
            return Some(wrong);
        }
        let (pointer, ty) = match self.atomic_place(false) {
            Ok(place) => place,
            Err(wrong) => return Some(wrong),
        };
        let is_number = self.checker.is_integer(ty) && !matches!(self.checker.kind(ty), Type::Bool);
        if !is_number && !self.checker.is_pointer(ty) {
            let text = self.checker.text(ty);
            self.checker.error(self.loc, format!("'{}' cannot access an object of type {text}", self.name));
            return Some(self.checker.error_expr(self.loc));
        }
        Some(if let Some(returns_success) = compare {
            let expected = Expected::Value(self.arg_as(1, ty));
            let desired = self.arg_as(2, ty);
            let (success, failure) = (Order::SeqCst, Order::SeqCst);
            let weak = false;
            let result = match returns_success {
                true => QualType::unqualified(self.checker.types.intern(Type::Bool)),
                false => ty,
            };
            let builtin =
                Builtin::AtomicCompareExchange { pointer, expected, desired, success, failure, returns_success, weak };
            self.make(builtin, result)
        } else if let Some((op, result)) = update {
            let operand_type = if self.checker.is_pointer(ty) { self.checker.ptrdiff_type() } else { ty };
            let operand = self.arg_as(1, operand_type);
            self.make(Builtin::AtomicUpdate { op, pointer, operand, order: Order::SeqCst, result }, ty)
        } else if name == "lock_test_and_set" {
            let operand = self.arg_as(1, ty);
            let (op, order, result) = (RmwOp::Exchange, Order::Acquire, UpdateResult::Old);
            self.make(Builtin::AtomicUpdate { op, pointer, operand, order, result }, ty)
        } else {
            let value = self.checker.int_constant(0, ty, self.loc);
            self.make_void(Builtin::AtomicStore { pointer, value, order: Order::Release })
        })
    }
}

/// The same operation without the size that older compilers put at the end of the name.
fn without_size(name: &str) -> &str {
    ["_16", "_1", "_2", "_4", "_8"].iter().find_map(|size| name.strip_suffix(size)).unwrap_or(name)
}
