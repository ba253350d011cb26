//! Memory orders of atomic operations: constants, or numbers that are known only when the program runs.
//!
//! Programs pass orders through inline functions. Then the order is computed, as the last of the arguments, and chooses among
//! one operation for each order that it may be: `(p = …, v = …, o = …, o == relaxed ? … : o == release ? … : seq_cst)`. The operands
//! wait in temporaries. A number that is no order, or none for this access, is undefined in C; compilers fall back on `seq_cst`,
//! and so does this.

use super::Call;
use crate::tree::{BinaryOp, CompareOp, Expr, ExprKind, VarId};
use norn_ir::diag::Diagnostic;
use norn_ir::instr::Order;

/// What an order is given for; not every order makes sense for each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Load,
    Store,
    Update,
    Failure,
    Fence,
}

impl Access {
    fn fits(self, order: Order) -> bool {
        match self {
            Access::Load | Access::Failure => !matches!(order, Order::Release | Order::AcqRel),
            Access::Store => !matches!(order, Order::Acquire | Order::AcqRel),
            Access::Update | Access::Fence => true,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Access::Load => "a load",
            Access::Store => "a store",
            Access::Update => "an update",
            Access::Failure => "a failed compare-exchange",
            Access::Fence => "a fence",
        }
    }
}

/// An order, as it is known when the call is checked.
#[derive(Clone, Copy)]
enum Known {
    Constant(Order),
    Computed(VarId, Access),
}

/// Bits above these are hints such as x86's lock elision.
const ORDER_BITS: i128 = 0xffff;

fn order_of_number(number: i128) -> Option<Order> {
    match number & ORDER_BITS {
        0 => Some(Order::Relaxed),
        1 | 2 => Some(Order::Acquire),
        3 => Some(Order::Release),
        4 => Some(Order::AcqRel),
        5 => Some(Order::SeqCst),
        _ => None,
    }
}

/// Makes an operation from its orders and operands.
type Make<'m, C, const M: usize, const N: usize> = dyn FnMut(&mut C, [Order; M], [Expr; N]) -> Expr + 'm;

impl Call<'_, '_, '_> {
    /// An operation whose order is argument `i`, on values that come before it.
    pub(super) fn with_order<const N: usize>(
        &mut self,
        i: usize,
        access: Access,
        values: [Expr; N],
        mut make: impl FnMut(&mut Self, Order, [Expr; N]) -> Expr,
    ) -> Expr {
        self.with_all_orders([(i, access)], values, &mut |call, [order], values| make(call, order, values))
    }

    /// A compare-exchange whose orders are arguments `i` and the next.
    pub(super) fn with_orders<const N: usize>(
        &mut self,
        i: usize,
        values: [Expr; N],
        mut make: impl FnMut(&mut Self, [Order; 2], [Expr; N]) -> Expr,
    ) -> Expr {
        let places = [(i, Access::Update), (i + 1, Access::Failure)];
        self.with_all_orders(places, values, &mut |call, orders, values| make(call, orders, values))
    }

    fn with_all_orders<const M: usize, const N: usize>(
        &mut self,
        places: [(usize, Access); M],
        values: [Expr; N],
        make: &mut Make<'_, Self, M, N>,
    ) -> Expr {
        if values.iter().any(|value| self.checker.is_error(value.ty)) {
            return self.checker.error_expr(self.loc);
        }
        let int = self.checker.int_type();
        let numbers = places.map(|(i, _)| self.arg_as(i, int));
        if numbers.iter().any(|number| self.checker.is_error(number.ty)) {
            return self.checker.error_expr(self.loc);
        }
        let mut fills = Vec::new();
        let mut known = Vec::new();
        for ((_, access), number) in places.into_iter().zip(numbers) {
            known.push(match self.constant_order(&number, access) {
                Some(order) => Known::Constant(order),
                None => {
                    let Some((fill, var)) = self.keep(number) else { return self.checker.error_expr(self.loc) };
                    fills.push(fill);
                    Known::Computed(var, access)
                }
            });
        }
        if fills.is_empty() {
            let orders = std::array::from_fn(|i| match known[i] {
                Known::Constant(order) => order,
                Known::Computed(..) => Order::SeqCst,
            });
            return make(self, orders, values);
        }
        let mut temporaries = Vec::new();
        for (at, value) in values.into_iter().enumerate() {
            let Some((fill, var)) = self.keep(value) else { return self.checker.error_expr(self.loc) };
            fills.insert(at, fill);
            temporaries.push(var);
        }
        let mut chosen = [Order::SeqCst; M];
        let kept = |call: &Self, i: usize| call.kept(temporaries[i]);
        let mut result = self.for_each_order(&known, 0, &mut chosen, &mut |call, orders| {
            let values = std::array::from_fn(|i| kept(call, i));
            make(call, orders, values)
        });
        while let Some(fill) = fills.pop() {
            result = self.checker.comma(fill, result);
        }
        result
    }

    /// A chain of conditional expressions over the orders from `at` on.
    fn for_each_order<const M: usize>(
        &mut self,
        known: &[Known],
        at: usize,
        chosen: &mut [Order; M],
        make: &mut dyn FnMut(&mut Self, [Order; M]) -> Expr,
    ) -> Expr {
        match known.get(at) {
            None => make(self, *chosen),
            Some(Known::Constant(order)) => {
                chosen[at] = *order;
                self.for_each_order(known, at + 1, chosen, make)
            }
            Some(&Known::Computed(var, access)) => {
                chosen[at] = Order::SeqCst;
                let mut result = self.for_each_order(known, at + 1, chosen, make);
                for number in (0..5).rev() {
                    let Some(order) = order_of_number(number).filter(|&order| access.fits(order)) else { continue };
                    chosen[at] = order;
                    let then = self.for_each_order(known, at + 1, chosen, make);
                    let condition = self.is_order(var, number);
                    let ty = then.ty;
                    let kind = ExprKind::Conditional {
                        condition: Box::new(condition),
                        then: Box::new(then),
                        otherwise: Box::new(result),
                    };
                    result = Expr { kind, ty, loc: self.loc };
                }
                result
            }
        }
    }

    /// Whether the computed order is this number.
    fn is_order(&mut self, var: VarId, number: i128) -> Expr {
        let int = self.checker.int_type();
        let mask = self.checker.int_constant(ORDER_BITS, int, self.loc);
        let bits = self.checker.arithmetic(BinaryOp::And, self.kept(var), mask, self.loc);
        let number = self.checker.int_constant(number, int, self.loc);
        self.checker.comparison(CompareOp::Eq, bits, number, self.loc)
    }

    /// The memory order that an argument gives, if it is a constant.
    fn constant_order(&mut self, number: &Expr, access: Access) -> Option<Order> {
        let loc = number.loc;
        let number = self.checker.evaluate_int(number).ok()?;
        let order = order_of_number(number);
        if let Some(order) = order.filter(|&order| access.fits(order)) {
            return Some(order);
        }
        let what = access.name();
        let message = match order {
            Some(order) => {
                format!("{what} cannot have the memory order '{}'; 'seq_cst' is used", order.mnemonic())
            }
            None => format!("{number} is no memory order; 'seq_cst' is used"),
        };
        self.checker.report(Diagnostic::warning(loc, message));
        Some(Order::SeqCst)
    }
}
