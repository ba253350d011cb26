//! Expressions: which kind is checked where.

use super::Checker;
use super::convert::is_place;
use crate::ast::{self, ExprKind, UnaryOp};
use crate::ctype::{QualType, Type};
use crate::tree::{self, Expr, VarId};
use norn_ir::source::Loc;

impl Checker<'_> {
    /// Checks an expression. The result is a place or a value, of array or function type if that is what it denotes.
    pub(crate) fn expr(&mut self, e: &ast::Expr) -> Expr {
        let loc = e.loc;
        match &e.kind {
            ExprKind::Ident(name) => self.identifier(*name, loc),
            ExprKind::Number(text) => self.number(*text, loc),
            ExprKind::Char(text) => self.char_constant(*text, loc),
            ExprKind::Str(literal) => self.string(literal),
            ExprKind::Unary(UnaryOp::Extension, operand) => self.expr(operand),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, loc),
            ExprKind::Binary(op, lhs, rhs) => self.binary(*op, lhs, rhs, loc),
            ExprKind::Assign(None, place, value) => self.assign(place, value, loc),
            ExprKind::Assign(Some(op), place, value) => self.compound_assign(*op, place, value, loc),
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then.as_deref(), otherwise, loc)
            }
            ExprKind::Comma(first, second) => {
                let first = self.effect(first);
                let second = self.rvalue(second);
                let mut e = self.comma(first, second);
                e.loc = loc;
                e
            }
            ExprKind::Cast(name, operand) => self.cast_expr(name, operand, loc),
            ExprKind::CompoundLiteral(name, list) => self.compound_literal(name, list, loc),
            ExprKind::Call(callee, args) => self.call(callee, args, loc),
            ExprKind::Index(base, index) => self.index(base, index, loc),
            ExprKind::Member(base, name) => {
                let base = self.expr(base);
                self.member_of(base, *name, loc)
            }
            ExprKind::Arrow(base, name) => self.arrow(base, *name, loc),
            ExprKind::SizeofExpr(operand) => self.sizeof_expr(operand, loc),
            ExprKind::SizeofType(name) => self.sizeof_type(name, loc),
            ExprKind::AlignofExpr(operand) => {
                let e = self.unevaluated_expr(operand);
                if matches!(e.kind, tree::ExprKind::Member { bits: Some(_), .. }) {
                    self.error(loc, "a bit-field has no alignment");
                }
                match e.kind {
                    // What was asked for, if that is more than the type's own.
                    tree::ExprKind::Object(id) => {
                        let align = self.unit.objects[id.0 as usize].align;
                        match align > self.types.align_of(e.ty, self.target) {
                            true => self.int_constant(i128::from(align), self.size_type(), loc),
                            false => self.alignof(e.ty, loc),
                        }
                    }
                    _ if matches!(self.kind(e.ty), Type::Function(_)) => {
                        self.unsupported("the alignment of a function", self.size_type(), loc)
                    }
                    _ => self.alignof(e.ty, loc),
                }
            }
            ExprKind::AlignofType(name) => {
                let ty = self.type_name(name);
                self.alignof(ty, loc)
            }
            ExprKind::Generic { control, cases } => self.generic(control, cases, loc),
            ExprKind::StatementExpr(block) => self.statement_expr(block, loc),
            ExprKind::VaArg(list, name) => self.va_arg(list, name, loc),
            ExprKind::Offsetof(name, designators) => {
                let ty = self.type_name(name);
                self.offsetof(ty, designators, loc)
            }
            ExprKind::TypesCompatible(a, b) => {
                let (a, b) = (self.type_name(a), self.type_name(b));
                let same = self.compatible(a.ty, b.ty);
                self.int_constant(i128::from(same), self.int_type(), loc)
            }
            ExprKind::ChooseExpr(condition, then, otherwise) => {
                match self.required_int(condition, "the condition of '__builtin_choose_expr'") {
                    Some(0) => self.expr(otherwise),
                    Some(_) => self.expr(then),
                    None => self.error_expr(loc),
                }
            }
            ExprKind::LabelAddress(name) => self.label_address(*name, loc),
        }
    }

    /// The value of an expression: loaded, arrays and functions turned into pointers.
    pub(crate) fn rvalue(&mut self, e: &ast::Expr) -> Expr {
        let checked = self.expr(e);
        self.value_of(checked)
    }

    /// An expression that must denote an object.
    pub(crate) fn place(&mut self, e: &ast::Expr) -> Option<Expr> {
        let place = self.expr(e);
        if self.is_error(place.ty) {
            return None;
        }
        if !is_place(&place) {
            self.error(e.loc, "this does not denote an object");
            return None;
        }
        Some(place)
    }

    /// An expression whose value nobody uses.
    pub(super) fn effect(&mut self, e: &ast::Expr) -> Expr {
        let checked = self.expr(e);
        // Reading a whole struct for nothing would only be noise in a trace.
        if is_place(&checked) && (self.is_record(checked.ty) || self.size_of(checked.ty).is_none()) {
            return self.cast(checked, self.void_type(), e.loc);
        }
        self.value_of(checked)
    }

    /// Checks an expression that is not evaluated: `sizeof`, `typeof`, the control of `_Generic`.
    pub(crate) fn unevaluated_expr(&mut self, e: &ast::Expr) -> Expr {
        let since = self.pending.len();
        self.unevaluated += 1;
        let checked = self.expr(e);
        self.unevaluated -= 1;
        if !self.types.is_vla(checked.ty.ty) {
            self.pending.truncate(since);
        }
        checked
    }

    /// A new variable without a name, which lives as long as the innermost block.
    pub(crate) fn temporary(&mut self, ty: QualType, loc: Loc) -> Option<VarId> {
        match &mut self.function {
            Some(function) => Some(function.new_var(None, ty, loc)),
            None => {
                self.error(loc, "this is not allowed outside of functions");
                None
            }
        }
    }

    fn cast_expr(&mut self, name: &ast::TypeName, operand: &ast::Expr, loc: Loc) -> Expr {
        let since = self.pending.len();
        let ty = self.type_name(name);
        let operand = self.expr(operand);
        let e = self.cast(operand, ty, loc);
        self.after_pending(since, e)
    }

    fn statement_expr(&mut self, block: &ast::Block, loc: Loc) -> Expr {
        if self.function.is_none() {
            self.error(loc, "a statement expression is not allowed outside of functions");
            return self.error_expr(loc);
        }
        let outer = if self.unevaluated > 0 { self.function.as_mut().map(|f| f.isolate()) } else { None };
        let (block, value) = self.block_with_value(block);
        if let (Some(outer), Some(function)) = (outer, &mut self.function) {
            function.rejoin(outer);
        }
        let ty = value.as_ref().map_or(self.void_type(), |v| v.ty);
        let kind = tree::ExprKind::StatementExpr { block: Box::new(block), value: value.map(Box::new) };
        Expr { kind, ty, loc }
    }
}
