//! Values of expressions. Evaluation is left to right everywhere.

use super::function::FunctionBuilder;
use super::ir_types::{Passing, Scalar};
use super::place::{Place, Where, is_place};
use super::wide::UpdateOperand;
use crate::ctype::BitField;
use crate::tree::walk::{Node, preorder};
use crate::tree::{BinaryOp, Builtin, Expr, ExprKind, Size, StmtKind, Update, UpdateResult};
use norn_ir::instr::{self, InstrKind, Operand};
use norn_ir::number::nearest_f32;
use norn_ir::types::Ty;

impl<'a> FunctionBuilder<'_, 'a> {
    pub fn scalar_of(&self, e: &Expr) -> Option<Scalar> {
        self.p.layouts.scalar(e.ty.ty)
    }

    /// The scalar type of an expression that should have one; else the point is not supported.
    pub fn expect_scalar(&mut self, e: &Expr) -> Scalar {
        self.scalar_of(e).unwrap_or_else(|| {
            self.unsupported_type(e);
            Scalar { ty: Ty::I32, signed: true, is_bool: false }
        })
    }

    pub fn unsupported_type(&mut self, e: &Expr) {
        self.set_loc(e.loc);
        let what = match self.p.types().get(e.ty.ty) {
            crate::ctype::Type::Quad => "a value of type '_Float128'",
            crate::ctype::Type::Half => "a value of half precision",
            _ => "a value of this type",
        };
        self.unsupported(what.to_owned());
    }

    /// Evaluates an expression for its effects.
    pub fn discard(&mut self, e: &'a Expr) {
        match &e.kind {
            ExprKind::Convert(inner) if !matches!(inner.kind, ExprKind::Load(_)) => {
                self.deeper(e, |f| f.discard(inner), |_| ());
            }
            ExprKind::Convert(inner) => {
                self.discard(inner);
            }
            ExprKind::Comma(a, b) => {
                self.discard(a);
                self.deeper(e, |f| f.discard(b), |_| ());
            }
            _ if self.is_computed_wide(e) => {
                self.wide(e);
            }
            ExprKind::Assign(place, value) => self.assignment(e, place, value, false),
            ExprKind::Update { place, update, result } => {
                self.update(e, place, update, *result, false);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let (yes, no, end) = (self.new_block(), self.new_block(), self.new_block());
                self.branch(condition, yes, no);
                self.start_branch(yes);
                self.deeper(e, |f| f.discard(then), |_| ());
                self.goto(end);
                self.start_branch(no);
                self.deeper(e, |f| f.discard(otherwise), |_| ());
                self.start(end);
            }
            ExprKind::Builtin(builtin) if let Builtin::Print { stream, format, args, strings, .. } = &**builtin => {
                self.print(e, *stream, format, args, strings);
            }
            ExprKind::Builtin(builtin) if let Builtin::FormattedCall { call, uncounted, first } = &**builtin => {
                self.uncounted(call, uncounted, *first);
            }
            ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Not(_) => {
                let end = self.new_block();
                self.branch(e, end, end);
                self.start(end);
            }
            ExprKind::StatementExpr { block, value } => {
                self.statement_expr(block, |f| {
                    if let Some(value) = value {
                        f.discard(value);
                    }
                });
            }
            _ => match self.p.layouts.passing(e.ty.ty) {
                // A struct or union that nobody looks at is not read.
                Passing::Memory if is_place(e) || matches!(e.kind, ExprKind::Load(_)) => {
                    let inner = if let ExprKind::Load(inner) = &e.kind { inner } else { e };
                    self.address(inner);
                }
                Passing::Memory => {
                    self.aggregate(e);
                }
                _ => {
                    self.value(e);
                }
            },
        }
    }

    /// Continues in a block that only an earlier branch leads to.
    pub fn start_branch(&mut self, block: norn_ir::ids::BlockId) {
        debug_assert!(!self.is_reachable(), "a branch should have ended the block before");
        self.start(block);
    }

    /// The value of a scalar (or void) expression.
    pub fn value(&mut self, e: &'a Expr) -> Operand {
        self.deeper(e, |f| f.value_inner(e), |f| f.no_value(None))
    }

    fn value_inner(&mut self, e: &'a Expr) -> Operand {
        match &e.kind {
            ExprKind::Int(bits) => {
                let scalar = self.expect_scalar(e);
                self.constant(scalar.ty, *bits)
            }
            ExprKind::Float(value) => {
                let scalar = self.expect_scalar(e);
                match scalar.ty {
                    Ty::F32 => self.constant(Ty::F32, u64::from(nearest_f32(*value).to_bits())),
                    _ => self.constant(Ty::F64, value.to_bits()),
                }
            }
            ExprKind::Elements(_) => {
                self.unsupported_type(e);
                self.no_value(None)
            }
            ExprKind::Function(id) => {
                let id = self.p.linked.resolve_function(self.unit, *id);
                match self.p.linked.is_null(self.p.session, id) {
                    true => self.constant(Ty::Ptr, 0),
                    false => Operand::Func(self.p.function(id)),
                }
            }
            ExprKind::Load(place) => self.load(place, e),
            ExprKind::Var(_) | ExprKind::Object(_) | ExprKind::Deref(_) | ExprKind::CompoundLiteral(..) => {
                self.load(e, e)
            }
            ExprKind::Member { .. } => self.load(e, e),
            ExprKind::AddressOf(place) => self.address(place),
            ExprKind::Convert(inner) => self.conversion(e, inner),
            ExprKind::Reduced(inner, width) => {
                let scalar = self.expect_scalar(e);
                let value = self.value(inner);
                self.set_loc(e.loc);
                self.extract(value, BitField { unit: 8, start: 0, width: *width }, scalar)
            }
            ExprKind::Negate(inner) => {
                let scalar = self.expect_scalar(e);
                let value = self.value(inner);
                self.set_loc(e.loc);
                self.negate(scalar, value)
            }
            ExprKind::BitNot(inner) => {
                let scalar = self.expect_scalar(e);
                let value = self.value(inner);
                self.set_loc(e.loc);
                let ones = self.constant(scalar.ty, u64::MAX);
                self.binary(instr::BinaryOp::Xor, scalar.ty, value, ones)
            }
            ExprKind::Not(_) | ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => {
                let cond = self.truth(e, false);
                let scalar = self.expect_scalar(e);
                self.bool_to(scalar.ty, cond)
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let scalar = self.expect_scalar(e);
                let left = self.value(lhs);
                let left = self.hold(left);
                let right = self.operand(*op, scalar, rhs);
                let left = self.release(left);
                self.set_loc(e.loc);
                self.arithmetic(*op, scalar, left, right)
            }
            ExprKind::PointerAdd { pointer, index, size, subtract } => {
                let base = self.value(pointer);
                let base = self.hold(base);
                let index = self.value(index);
                let (index, scale) = self.scaled(index, size);
                let base = self.release(base);
                self.set_loc(e.loc);
                self.step_pointer(base, index, scale, *subtract)
            }
            ExprKind::PointerDiff { lhs, rhs, size } => self.pointer_difference(e, lhs, rhs, size),
            ExprKind::Conditional { condition, then, otherwise } => self.conditional(e, condition, then, otherwise),
            ExprKind::Comma(a, b) => {
                self.discard(a);
                self.value(b)
            }
            ExprKind::Assign(place, value) => self.assignment_value(e, place, value),
            ExprKind::Update { place, update, result } => self.update(e, place, update, *result, true),
            ExprKind::Call { callee, args } => self.call(e, callee, args),
            ExprKind::Builtin(builtin) => self.builtin(e, builtin),
            ExprKind::StatementExpr { block, value } => {
                let nothing = self.no_value(self.scalar_of(e));
                self.statement_expr(block, |f| match value {
                    Some(value) if f.p.layouts.passing(value.ty.ty) == Passing::Nothing => {
                        f.discard(value);
                        nothing
                    }
                    Some(value) => {
                        let value = f.value(value);
                        f.without_scope(value)
                    }
                    None => nothing,
                })
            }
        }
    }

    /// The right operand of an operator; a shift's amount has a type of its own.
    fn operand(&mut self, op: BinaryOp, scalar: Scalar, e: &'a Expr) -> Operand {
        if self.is_wide(e.ty.ty) {
            let value = self.wide(e);
            let amount = self.amount_of(value);
            return self.shift_amount(Scalar { ty: Ty::I64, signed: false, is_bool: false }, scalar, amount);
        }
        let value = self.value(e);
        match op {
            BinaryOp::Shl | BinaryOp::Shr => {
                let from = self.expect_scalar(e);
                self.shift_amount(from, scalar, value)
            }
            _ => value,
        }
    }

    fn load(&mut self, place: &'a Expr, e: &'a Expr) -> Operand {
        if self.p.layouts.passing(place.ty.ty) == Passing::Nothing {
            // Reading `*p` of type void is evaluating `p`.
            self.address(place);
            return self.no_value(None);
        }
        let place = self.place(place);
        self.set_loc(e.loc);
        self.read(place)
    }

    fn conversion(&mut self, e: &'a Expr, inner: &'a Expr) -> Operand {
        let (from, to) = (self.p.layouts.passing(inner.ty.ty), self.p.layouts.passing(e.ty.ty));
        let (from, to) = match (from, to) {
            (_, Passing::Nothing) => {
                self.discard(inner);
                return self.no_value(None);
            }
            (_, Passing::Scalar(to)) if self.is_wide(inner.ty.ty) => {
                let value = self.wide(inner);
                self.set_loc(e.loc);
                let signed = self.p.layouts.wide(inner.ty.ty) == Some(true);
                return self.narrowed(value, signed, to);
            }
            (Passing::Scalar(from), Passing::Scalar(to)) => (from, to),
            _ => {
                self.unsupported_type(if from == Passing::Unsupported { inner } else { e });
                return self.no_value(self.scalar_of(e));
            }
        };
        if to.is_bool && !from.is_bool {
            let cond = self.truth(inner, false);
            return self.bool_to(Ty::I8, cond);
        }
        // A pointer that only passes through an integer stays a pointer.
        if to.ty == Ty::Ptr
            && let ExprKind::Convert(origin) = &inner.kind
            && from.ty.is_int()
            && !from.is_bool
            && from.ty.bits(self.p.target) >= Ty::Ptr.bits(self.p.target)
            && self.scalar_of(origin).is_some_and(|s| s.ty == Ty::Ptr)
        {
            return self.value(origin);
        }
        let value = self.value(inner);
        self.set_loc(e.loc);
        self.convert(from, to, value)
    }

    /// An index and the number of bytes that it counts.
    fn scaled(&mut self, index: Operand, size: &'a Size) -> (Operand, i64) {
        match size {
            Size::Const(size) => (index, *size as i64),
            Size::Computed(size) => {
                let index = self.hold(index);
                let size = self.value(size);
                let index = self.release(index);
                (self.binary(instr::BinaryOp::Mul, self.p.target.pointer_int(), index, size), 1)
            }
        }
    }

    fn step_pointer(&mut self, base: Operand, index: Operand, scale: i64, subtract: bool) -> Operand {
        self.pointer_add(base, index, if subtract { scale.wrapping_neg() } else { scale })
    }

    fn pointer_difference(&mut self, e: &'a Expr, lhs: &'a Expr, rhs: &'a Expr, size: &'a Size) -> Operand {
        let int = self.p.target.pointer_int();
        let left = self.value(lhs);
        let left = self.hold(left);
        let right = self.value(rhs);
        let left = self.release(left);
        self.set_loc(e.loc);
        let dst = self.register(int);
        self.emit(InstrKind::PtrDiff { dst, lhs: left, rhs: right });
        let size = match size {
            Size::Const(0 | 1) => return Operand::Reg(dst),
            Size::Const(size) => self.pointer_int(*size as i64),
            Size::Computed(size) => self.value(size),
        };
        self.binary(instr::BinaryOp::DivSigned, int, Operand::Reg(dst), size)
    }

    fn conditional(&mut self, e: &'a Expr, condition: &'a Expr, then: &'a Expr, otherwise: &'a Expr) -> Operand {
        if self.p.layouts.passing(e.ty.ty) == Passing::Nothing {
            self.discard(e);
            return self.no_value(None);
        }
        let scalar = self.expect_scalar(e);
        if self.is_pure(then) && self.is_pure(otherwise) {
            let cond = self.truth(condition, false);
            let (yes, no) = (self.value(then), self.value(otherwise));
            self.set_loc(e.loc);
            return self.select(scalar.ty, cond, yes, no);
        }
        let dst = self.register(scalar.ty);
        let (yes, no, end) = (self.new_block(), self.new_block(), self.new_block());
        self.branch(condition, yes, no);
        self.start_branch(yes);
        let value = self.value(then);
        self.assign(dst, value);
        self.goto(end);
        self.start_branch(no);
        let value = self.value(otherwise);
        self.assign(dst, value);
        self.start(end);
        Operand::Reg(dst)
    }

    pub fn statement_expr<R>(&mut self, block: &'a crate::tree::Stmt, value: impl FnOnce(&mut Self) -> R) -> R {
        let StmtKind::Block { vars, stmts } = &block.kind else {
            self.stmt(block);
            return value(self);
        };
        let outer = self.enter_scope(vars);
        self.stmts(stmts);
        let result = value(self);
        self.leave_scope(outer);
        result
    }

    // ---- assignments

    fn assignment(&mut self, e: &'a Expr, place: &'a Expr, value: &'a Expr, _wanted: bool) {
        if self.p.layouts.passing(place.ty.ty) == Passing::Memory {
            self.aggregate_assignment(e, place, value);
            return;
        }
        let (place, value) = self.assigned(place, value);
        self.set_loc(e.loc);
        self.write_maybe_atomic(place, value);
    }

    fn assignment_value(&mut self, e: &'a Expr, place: &'a Expr, value: &'a Expr) -> Operand {
        if self.p.layouts.passing(place.ty.ty) == Passing::Memory {
            return self.aggregate_assignment(e, place, value);
        }
        let (place, value) = self.assigned(place, value);
        self.set_loc(e.loc);
        self.write_maybe_atomic(place, value);
        match place.at {
            Where::Register(reg) => Operand::Reg(reg),
            _ => self.stored_value(place, value),
        }
    }

    /// Evaluates the place, then the value.
    fn assigned(&mut self, place: &'a Expr, value: &'a Expr) -> (Place, Operand) {
        let place = self.place(place);
        let held = place.address().map(|address| self.hold(address));
        let value = self.value(value);
        let place = match held {
            Some(held) => {
                let address = self.release(held);
                place.with_address(address)
            }
            None => place,
        };
        (place, value)
    }

    /// `op=`, `++` and `--`: the place is evaluated once. It is read before the operand is evaluated, unless the operand
    /// changes something: C leaves the order open, and compilers then read it late, so that `x += f()` adds to what `f` left in `x`.
    fn update(
        &mut self,
        e: &'a Expr,
        place: &'a Expr,
        update: &'a Update,
        result: UpdateResult,
        wanted: bool,
    ) -> Operand {
        let place = self.place(place);
        if place.is_atomic() {
            return self.atomic_update(e, place, update, result, wanted);
        }
        let held_address = place.address().map(|address| self.hold(address));
        self.set_loc(e.loc);
        let early = (!changes_something(update)).then(|| {
            let old = self.read(place);
            self.hold(old)
        });
        let operand = self.update_operand(update);
        let early = early.map(|held| self.release(held));
        let place = match held_address {
            Some(held) => {
                let address = self.release(held);
                place.with_address(address)
            }
            None => place,
        };
        self.set_loc(e.loc);
        let old = early.unwrap_or_else(|| self.read(place));
        // The variable is about to change, so its old value needs a register of its own.
        let old = match place.at {
            Where::Register(_) if wanted && result == UpdateResult::Old => {
                let dst = self.register(place.scalar.ty);
                self.emit(InstrKind::Copy { dst, src: old });
                Operand::Reg(dst)
            }
            _ => old,
        };
        let new = self.updated(place.scalar, old, update, operand);
        self.write(place, new);
        match (wanted, result, place.at) {
            (false, ..) | (true, UpdateResult::Old, _) => old,
            (true, UpdateResult::New, Where::Register(reg)) => Operand::Reg(reg),
            (true, UpdateResult::New, _) => self.stored_value(place, new),
        }
    }

    /// Evaluates the right side of an update: the operand, or the index with its scale.
    pub fn update_operand(&mut self, update: &'a Update) -> UpdateOperand {
        match update {
            Update::Arithmetic { op, operand, compute } => match self.p.layouts.scalar(compute.ty) {
                Some(scalar) => UpdateOperand::Scalar(self.operand(*op, scalar, operand), 1),
                None if self.is_wide(compute.ty) => UpdateOperand::Wide(self.wide_operand(operand)),
                None => {
                    self.unsupported_type(operand);
                    UpdateOperand::Scalar(self.no_value(None), 1)
                }
            },
            Update::Pointer { operand, size, .. } => {
                let index = self.value(operand);
                let (index, scale) = self.scaled(index, size);
                UpdateOperand::Scalar(index, scale)
            }
        }
    }

    /// What an update makes of the old value.
    pub fn updated(&mut self, place: Scalar, old: Operand, update: &'a Update, operand: UpdateOperand) -> Operand {
        match (update, operand) {
            (Update::Arithmetic { op, compute, .. }, UpdateOperand::Scalar(right, _)) => {
                let Some(compute) = self.p.layouts.scalar(compute.ty) else { return old };
                let left = self.convert(place, compute, old);
                let new = self.arithmetic(*op, compute, left, right);
                self.convert(compute, place, new)
            }
            (Update::Arithmetic { op, compute, .. }, UpdateOperand::Wide(right)) => {
                let signed = self.p.layouts.wide(compute.ty) == Some(true);
                let left = self.widen(place, old, signed);
                let new = self.wide_operation(*op, signed, left, right);
                self.narrowed(new, signed, place)
            }
            (Update::Pointer { subtract, .. }, UpdateOperand::Scalar(index, scale)) => {
                self.step_pointer(old, index, scale, *subtract)
            }
            (Update::Pointer { .. }, UpdateOperand::Wide(_)) => old,
        }
    }
}

/// Whether evaluating the operand of an update may change an object.
fn changes_something(update: &Update) -> bool {
    let (Update::Arithmetic { operand, .. } | Update::Pointer { operand, .. }) = update;
    let mut found = false;
    preorder(Node::Expr(operand), |node| {
        found |= match node {
            Node::Expr(e) => matches!(
                e.kind,
                ExprKind::Assign(..)
                    | ExprKind::Update { .. }
                    | ExprKind::Call { .. }
                    | ExprKind::Builtin(_)
                    | ExprKind::StatementExpr { .. }
            ),
            _ => false,
        };
        !found
    });
    found
}
