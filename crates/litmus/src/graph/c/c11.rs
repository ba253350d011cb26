//! C11's `<stdatomic.h>`: every access and fence carries its memory order as a tag.

use norn_c::ast::{Expr as AstExpr, ExprKind};
use norn_graph::program::{Expr, Instr, Tags, UnaryOp};

use super::expr::Value;
use super::functions::{Call, Operation, RmwTags};
use super::thread::{Done, Lowering};
use crate::graph::Language;

const SEQ_CST: &str = "SC";

fn order_named(name: &str) -> Option<&'static str> {
    Some(match name {
        "memory_order_relaxed" => "RLX",
        "memory_order_consume" => "CON",
        "memory_order_acquire" => "ACQ",
        "memory_order_release" => "REL",
        "memory_order_acq_rel" => "ACQ_REL",
        "memory_order_seq_cst" => SEQ_CST,
        _ => return None,
    })
}

impl Lowering<'_> {
    /// What a call of C11 does: `None` if it is not one, else its value if it has one.
    pub(super) fn c11(&mut self, call: &Call<'_>) -> Done<Option<Option<Value>>> {
        if let Some(value) = self.mutex(call)? {
            return Ok(Some(value));
        }
        // herd's names.
        let name = match call.name {
            "SCAS" => "atomic_compare_exchange_strong",
            "WCAS" => "atomic_compare_exchange_weak",
            other => other,
        };
        let Some(name) = name.strip_prefix("atomic_") else { return Ok(None) };
        let (name, is_explicit) = match name.strip_suffix("_explicit") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let operation = name.strip_prefix("fetch_").and_then(Operation::named).filter(|op| *op != Operation::AndNot);
        let count = match name {
            "thread_fence" | "signal_fence" if !is_explicit => 1,
            "init" if !is_explicit => 2,
            "flag_clear" | "flag_test_and_set" | "load" => 1,
            "store" | "exchange" => 2,
            "compare_exchange_strong" | "compare_exchange_weak" => 3,
            _ if operation.is_some() && (is_explicit || self.begins_with_pointer(call)) => 2,
            _ => return Ok(None),
        };
        self.speaks(Language::C11, call)?;
        let orders = match (is_explicit, name) {
            (false, _) => 0,
            (true, "compare_exchange_strong" | "compare_exchange_weak") => 2,
            (true, _) => 1,
        };
        call.takes(count + orders)?;
        let (args, orders) = call.args.split_at(count);
        let order = orders.first().map_or(Ok(SEQ_CST), |order| self.order(order))?;
        let tags = Tags::of(&[order]);
        let both = RmwTags { read: tags.clone(), write: tags.clone(), failed: tags.clone() };
        let loc = call.loc;
        let value = match name {
            "thread_fence" => {
                let order = self.order(&args[0])?;
                // A relaxed fence is none.
                if order != "RLX" {
                    self.fence(order, loc);
                }
                None
            }
            // Orders nothing between threads.
            "signal_fence" => None,
            "load" => {
                self.refuse(call, order, &["REL", "ACQ_REL"])?;
                let object = self.object(&args[0])?;
                Some(self.load(object.addr, object.ty, tags, loc))
            }
            "store" | "init" | "flag_clear" => {
                self.refuse(call, order, &["ACQ", "CON", "ACQ_REL"])?;
                let object = self.object(&args[0])?;
                let expr = args.get(1).map_or(Ok(Expr::Const(0)), |value| self.operand(value, &object))?;
                let tags = if name == "init" { Tags::of(&["NA"]) } else { tags };
                self.store(object.addr, Value { expr, ty: object.ty }, tags, loc);
                None
            }
            "exchange" | "flag_test_and_set" => {
                let object = self.object(&args[0])?;
                let value = args.get(1).map_or(Ok(Expr::Const(1)), |value| self.operand(value, &object))?;
                Some(self.rmw(&object, both, |_| None, |_| value, loc))
            }
            "compare_exchange_strong" | "compare_exchange_weak" => {
                let failure = orders.get(1).map_or(Ok(SEQ_CST), |order| self.order(order))?;
                self.refuse(call, failure, &["REL", "ACQ_REL"])?;
                let tags = RmwTags { failed: Tags::of(&[failure]), ..both };
                let is_weak = name.ends_with("weak");
                let plain = Tags::of(&["NA"]);
                Some(self.compare_exchange([&args[0], &args[1], &args[2]], is_weak, tags, &plain, loc)?)
            }
            _ => {
                let Some(operation) = operation else { return Ok(None) };
                let object = self.object(&args[0])?;
                let operand = self.operand(&args[1], &object)?;
                let ty = object.ty;
                Some(self.rmw(&object, both, |_| None, |old| operation.of(Expr::Reg(old), operand, ty), loc))
            }
        };
        Ok(Some(value))
    }

    /// C11's locks: a location that is 0 while it is free.
    fn mutex(&mut self, call: &Call<'_>) -> Done<Option<Option<Value>>> {
        let loc = call.loc;
        if !matches!(call.name, "mtx_lock" | "mtx_unlock") {
            return Ok(None);
        }
        self.speaks(Language::C11, call)?;
        call.takes(1)?;
        let object = self.object(&call.args[0])?;
        if call.name == "mtx_unlock" {
            self.store(object.addr, Value { expr: Expr::Const(0), ty: object.ty }, Tags::of(&["REL"]), loc);
            return Ok(Some(None));
        }
        let tags = RmwTags { read: Tags::of(&["ACQ"]), write: Tags::of(&["ACQ"]), failed: Tags::of(&["ACQ"]) };
        let old = self.rmw(&object, tags, |_| None, |_| Expr::Const(1), loc);
        // Who finds it taken waits; only the acquisition shows.
        self.push(Instr::Assume(Expr::unary(UnaryOp::IsZero, old.expr)), loc);
        Ok(Some(None))
    }

    /// The kernel has functions of the same names, with the pointer last.
    fn begins_with_pointer(&mut self, call: &Call<'_>) -> bool {
        let is_pointer = |arg: &AstExpr, lowering: &mut Self| match &arg.kind {
            ExprKind::Ident(name) => lowering.is_pointer(*name),
            ExprKind::Cast(ty, _) => !ty.declarator.derivations.is_empty(),
            ExprKind::Unary(norn_c::ast::UnaryOp::AddressOf, _) => true,
            ExprKind::Binary(_, lhs, _) => matches!(&lhs.kind, ExprKind::Ident(name) if lowering.is_pointer(*name)),
            _ => false,
        };
        match call.args {
            [first, second] => is_pointer(first, self) || !is_pointer(second, self) && self.language == Language::C11,
            _ => self.language == Language::C11,
        }
    }

    fn order(&self, arg: &AstExpr) -> Done<&'static str> {
        let known = match &arg.kind {
            ExprKind::Ident(name) => order_named(self.start.session.symbols.name(*name)),
            _ => None,
        };
        known.ok_or_else(|| {
            self.unsupported(arg.loc, "this is not one of C11's memory orders").help("such as memory_order_relaxed")
        })
    }

    fn refuse(&self, call: &Call<'_>, order: &str, orders: &[&str]) -> Done<()> {
        if !orders.contains(&order) {
            return Ok(());
        }
        Err(call.error(format!("'{}' cannot have this memory order", call.name)))
    }
}
