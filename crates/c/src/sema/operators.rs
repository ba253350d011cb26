//! Unary, binary and conditional operators.

use super::Checker;
use super::compat::union;
use super::convert::is_place;
use super::fold::truth;
use crate::ast::{self, UnaryOp};
use crate::ctype::{QualType, Type, TypeId};
use crate::tree::{BinaryOp, CompareOp, Expr, ExprKind, Init, UpdateResult};
use norn_ir::source::Loc;

impl Checker<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, operand: &ast::Expr, loc: Loc) -> Expr {
        match op {
            UnaryOp::PreIncrement => return self.step(operand, false, UpdateResult::New, loc),
            UnaryOp::PreDecrement => return self.step(operand, true, UpdateResult::New, loc),
            UnaryOp::PostIncrement => return self.step(operand, false, UpdateResult::Old, loc),
            UnaryOp::PostDecrement => return self.step(operand, true, UpdateResult::Old, loc),
            UnaryOp::AddressOf => return self.address_of(operand, loc),
            UnaryOp::Extension => return self.expr(operand),
            UnaryOp::Real | UnaryOp::Imag => {
                let e = self.expr(operand);
                if self.is_error(e.ty) {
                    return self.error_expr(loc);
                }
                return self.complex_part(e, op == UnaryOp::Imag, loc);
            }
            _ => {}
        }
        let e = self.rvalue(operand);
        if self.is_error(e.ty) {
            return self.error_expr(loc);
        }
        match op {
            UnaryOp::Minus | UnaryOp::BitNot | UnaryOp::Plus if self.is_vector(e.ty) => self.vector_unary(op, e, loc),
            UnaryOp::Minus | UnaryOp::BitNot | UnaryOp::Plus if self.is_complex(e.ty) => {
                let negates = [op == UnaryOp::Minus, op != UnaryOp::Plus];
                self.complex_unary(e, negates, loc)
            }
            UnaryOp::Not => {
                let e = self.condition(e, "the operand of '!'");
                self.not(e, loc)
            }
            UnaryOp::Deref => {
                if !self.is_pointer(e.ty) {
                    let text = self.text(e.ty);
                    self.error(loc, format!("'*' needs a pointer, but its operand has type {text}"));
                    return self.error_expr(loc);
                }
                self.dereferenced(e, loc)
            }
            _ => {
                let fits = if op == UnaryOp::BitNot { self.is_integer(e.ty) } else { self.is_arithmetic(e.ty) };
                if !fits && self.unsupported_values(e.ty).is_none() {
                    let (sign, text) = (unary_text(op), self.text(e.ty));
                    self.error(loc, format!("'{sign}' cannot be applied to a value of type {text}"));
                    return self.error_expr(loc);
                }
                let e = self.promoted(e);
                let width = self.wide_field(&e);
                match op {
                    UnaryOp::Minus => self.reduced(self.negation(e, loc), width),
                    UnaryOp::BitNot => self.reduced(self.complement(e, loc), width),
                    // `+e` is no place and no bit-field any more, but the promoted value says all of that.
                    _ => Expr { loc, ..e },
                }
            }
        }
    }

    /// What a pointer value points to; `*&x` is `x`.
    pub(crate) fn dereferenced(&mut self, pointer: Expr, loc: Loc) -> Expr {
        let pointee = self.pointee(pointer.ty).unwrap_or(QualType::unqualified(TypeId::ERROR));
        match pointer.kind {
            ExprKind::AddressOf(place) if place.ty == pointee => Expr { loc, ..*place },
            // A function's address designates the function again.
            ExprKind::Function(id) if matches!(self.kind(pointee), Type::Function(_)) => {
                Expr { kind: ExprKind::Function(id), ty: pointee, loc }
            }
            kind => self.deref(Expr { kind, ..pointer }, loc),
        }
    }

    fn address_of(&mut self, operand: &ast::Expr, loc: Loc) -> Expr {
        let e = self.expr(operand);
        if self.is_error(e.ty) {
            return self.error_expr(loc);
        }
        if matches!(self.kind(e.ty), Type::Function(_)) {
            return self.value_of(e);
        }
        if let ExprKind::Member { bits: Some(_), .. } = e.kind {
            self.error(loc, "a bit-field has no address");
            return self.error_expr(loc);
        }
        if !is_place(&e) {
            self.error(loc, "'&' needs an object, but its operand is only a value");
            return self.error_expr(loc);
        }
        if let Some(name) = self.register_of(&e) {
            self.error(loc, format!("'{name}' is declared 'register', so it has no address"));
            return self.error_expr(loc);
        }
        let ty = self.pointer_to(e.ty);
        self.address(e, ty, loc)
    }

    /// The variable declared with `register` that a place is a part of.
    fn register_of(&self, place: &Expr) -> Option<String> {
        let mut place = place;
        loop {
            match &place.kind {
                ExprKind::Member { base, .. } => place = base,
                ExprKind::Var(var) => {
                    let function = self.function.as_ref().filter(|f| f.registers.contains(var))?;
                    return Some(self.name(function.vars[var.0 as usize].name?).to_owned());
                }
                _ => return None,
            }
        }
    }

    pub(super) fn binary(&mut self, op: ast::BinaryOp, lhs: &ast::Expr, rhs: &ast::Expr, loc: Loc) -> Expr {
        let l = self.rvalue(lhs);
        let r = self.rvalue(rhs);
        if self.is_error(l.ty) || self.is_error(r.ty) {
            return self.error_expr(loc);
        }
        match kind_of(op) {
            OpKind::Comparison(_) | OpKind::Arithmetic(_) if self.is_vector(l.ty) || self.is_vector(r.ty) => {
                self.vector_operator(op, l, r, loc)
            }
            OpKind::Logical(is_or) => {
                let l = self.condition(l, "the left operand");
                let r = self.condition(r, "the right operand");
                self.logical(is_or, l, r, loc)
            }
            OpKind::Comparison(compare) => self.compare(compare, op, l, r, loc),
            OpKind::Arithmetic(arithmetic) => self.arithmetic_operator(arithmetic, op, l, r, loc),
        }
    }

    pub(crate) fn logical(&self, is_or: bool, l: Expr, r: Expr, loc: Loc) -> Expr {
        let ty = self.int_type();
        if self.is_error(l.ty) || self.is_error(r.ty) {
            return self.error_expr(loc);
        }
        if let (Some(l), Some(r)) = (truth(&l), truth(&r)) {
            let value = if is_or { l || r } else { l && r };
            return self.int_constant(i128::from(value), ty, loc);
        }
        let (l, r) = (Box::new(l), Box::new(r));
        let kind = if is_or { ExprKind::Or(l, r) } else { ExprKind::And(l, r) };
        Expr { kind, ty, loc }
    }

    /// Whether one of two numbers is complex.
    pub(super) fn with_complex(&self, l: QualType, r: QualType) -> bool {
        let is_number = |ty| self.is_arithmetic(ty) || self.is_complex(ty);
        (self.is_complex(l) || self.is_complex(r)) && is_number(l) && is_number(r)
    }

    pub(super) fn arithmetic_operator(
        &mut self,
        op: BinaryOp,
        written: ast::BinaryOp,
        l: Expr,
        r: Expr,
        loc: Loc,
    ) -> Expr {
        let integers = self.is_integer(l.ty) && self.is_integer(r.ty);
        let fine = match op {
            BinaryOp::Add if self.is_pointer(l.ty) && self.is_integer(r.ty) => {
                return self.pointer_sum(l, r, false, loc);
            }
            BinaryOp::Add if self.is_integer(l.ty) && self.is_pointer(r.ty) => {
                return self.pointer_sum(r, l, false, loc);
            }
            BinaryOp::Sub if self.is_pointer(l.ty) && self.is_integer(r.ty) => {
                return self.pointer_sum(l, r, true, loc);
            }
            BinaryOp::Sub if self.is_pointer(l.ty) && self.is_pointer(r.ty) => {
                return self.pointer_difference(l, r, loc);
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div if self.with_complex(l.ty, r.ty) => {
                return self.complex_arithmetic(op, l, r, loc);
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                self.is_arithmetic(l.ty) && self.is_arithmetic(r.ty)
            }
            _ => integers,
        };
        if let Some(what) = self.unsupported_values(l.ty).or(self.unsupported_values(r.ty)) {
            return self.unsupported(what, l.ty, loc);
        }
        if !fine {
            return self.invalid_operands(written, l.ty, r.ty, loc);
        }
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let (l, r) = (self.promoted(l), self.promoted(r));
            let width = self.wide_field(&l);
            return self.reduced(self.arithmetic(op, l, r, loc), width);
        }
        let width = self.operation_type(&l, &r).width;
        let (l, r) = self.usual_conversions(l, r);
        self.reduced(self.arithmetic(op, l, r, loc), width)
    }

    pub(super) fn invalid_operands(&mut self, op: ast::BinaryOp, l: QualType, r: QualType, loc: Loc) -> Expr {
        let (sign, l, r) = (binary_text(op), self.text(l), self.text(r));
        self.error(loc, format!("'{sign}' cannot be applied to values of type {l} and {r}"));
        self.error_expr(loc)
    }

    fn pointer_sum(&mut self, pointer: Expr, index: Expr, subtract: bool, loc: Loc) -> Expr {
        let Some(size) = self.pointee_size(pointer.ty, loc) else { return self.error_expr(loc) };
        let ty = self.ptrdiff_type();
        let index = self.converted(index, ty);
        self.pointer_add(pointer, index, size, subtract, loc)
    }

    fn pointer_difference(&mut self, l: Expr, r: Expr, loc: Loc) -> Expr {
        if let (Some(p), Some(q)) = (self.pointee(l.ty), self.pointee(r.ty))
            && !self.compatible(p.ty, q.ty)
        {
            let (l, r) = (self.text(l.ty), self.text(r.ty));
            self.error(loc, format!("pointers of different types {l} and {r} are subtracted"));
            return self.error_expr(loc);
        }
        let Some(size) = self.pointee_size(l.ty, loc) else { return self.error_expr(loc) };
        let r = self.converted(r, l.ty);
        let ty = self.ptrdiff_type();
        if let (&ExprKind::Int(a), &ExprKind::Int(b), crate::tree::Size::Const(n)) = (&l.kind, &r.kind, &size)
            && *n > 0
        {
            return self.int_constant((i128::from(a) - i128::from(b)) / i128::from(*n), ty, loc);
        }
        Expr { kind: ExprKind::PointerDiff { lhs: Box::new(l), rhs: Box::new(r), size }, ty, loc }
    }

    fn compare(&mut self, op: CompareOp, written: ast::BinaryOp, l: Expr, r: Expr, loc: Loc) -> Expr {
        if self.is_arithmetic(l.ty) && self.is_arithmetic(r.ty) {
            let (l, r) = self.usual_conversions(l, r);
            return self.comparison(op, l, r, loc);
        }
        if self.with_complex(l.ty, r.ty) && matches!(op, CompareOp::Eq | CompareOp::Ne) {
            return self.complex_comparison(op, l, r, loc);
        }
        let (l, r) = match (self.pointee(l.ty), self.pointee(r.ty)) {
            (Some(p), Some(q)) => {
                if !self.pointers_mix(p, q) && !self.is_null_constant(&l) && !self.is_null_constant(&r) {
                    let (l, r) = (self.text(l.ty), self.text(r.ty));
                    self.warn(loc, format!("pointers of different types {l} and {r} are compared"));
                }
                let r = self.converted(r, l.ty);
                (l, r)
            }
            (Some(_), None) if self.is_integer(r.ty) => {
                self.pointer_and_integer(&r, loc);
                let r = self.converted(r, l.ty);
                (l, r)
            }
            (None, Some(_)) if self.is_integer(l.ty) => {
                self.pointer_and_integer(&l, loc);
                let l = self.converted(l, r.ty);
                (l, r)
            }
            _ => return self.invalid_operands(written, l.ty, r.ty, loc),
        };
        self.comparison(op, l, r, loc)
    }

    fn pointer_and_integer(&mut self, integer: &Expr, loc: Loc) {
        if !self.is_null_constant(integer) {
            let text = self.text(integer.ty);
            self.warn(loc, format!("a pointer is compared with an integer of type {text}"));
        }
    }

    pub(super) fn conditional(
        &mut self,
        condition: &ast::Expr,
        then: Option<&ast::Expr>,
        otherwise: &ast::Expr,
        loc: Loc,
    ) -> Expr {
        let condition = self.expr(condition);
        if then.is_none() && (self.is_complex(condition.ty) || self.is_long_double(condition.ty)) {
            let ty = condition.ty;
            return self.unsupported("'?:' without a middle, of a complex number or a 'long double'", ty, loc);
        }
        let condition = self.condition(condition, "the condition");
        let Some(then) = then else { return self.elvis(condition, otherwise, loc) };
        let then = self.rvalue(then);
        let otherwise = self.rvalue(otherwise);
        self.choice(condition, then, otherwise, loc)
    }

    /// GNU `a ?: b`: the value of `a` is needed twice, but `a` is evaluated once.
    fn elvis(&mut self, condition: Expr, otherwise: &ast::Expr, loc: Loc) -> Expr {
        if self.is_error(condition.ty) {
            return self.error_expr(loc);
        }
        let then = match condition.kind {
            ExprKind::Int(bits) => Expr { kind: ExprKind::Int(bits), ty: condition.ty, loc },
            ExprKind::Float(value) => Expr { kind: ExprKind::Float(value), ty: condition.ty, loc },
            _ => {
                let Some(var) = self.temporary(condition.ty, loc) else { return self.error_expr(loc) };
                let (ty, at) = (condition.ty, condition.loc);
                let kind = ExprKind::CompoundLiteral(var, Box::new(Init::Expr(condition)));
                let condition = self.load(Expr { kind, ty, loc: at });
                let then = self.load(self.var(var, loc));
                let otherwise = self.rvalue(otherwise);
                return self.choice(condition, then, otherwise, loc);
            }
        };
        let otherwise = self.rvalue(otherwise);
        self.choice(condition, then, otherwise, loc)
    }

    /// `condition ? then : otherwise`, with the branches brought to one type.
    pub(crate) fn choice(&mut self, condition: Expr, then: Expr, otherwise: Expr, loc: Loc) -> Expr {
        if self.is_error(condition.ty) || self.is_error(then.ty) || self.is_error(otherwise.ty) {
            return self.error_expr(loc);
        }
        let (t, o) = (then.ty, otherwise.ty);
        let mut width = None;
        let (then, otherwise) = if self.is_arithmetic(t) && self.is_arithmetic(o) {
            width = self.operation_type(&then, &otherwise).width;
            self.usual_conversions(then, otherwise)
        } else {
            let ty = match self.complex_choice(&then, &otherwise) {
                Some(ty) => Some(ty),
                None if self.is_vector(t) && t.ty == o.ty => Some(t),
                None => None,
            };
            let ty = match ty {
                Some(ty) => ty,
                None => match (self.pointee(t), self.pointee(o)) {
                    _ if t.ty == TypeId::VOID || o.ty == TypeId::VOID => self.void_type(),
                    (Some(_), Some(_)) if self.is_null_constant(&otherwise) => t,
                    (Some(_), Some(_)) if self.is_null_constant(&then) => o,
                    (Some(p), Some(q)) => self.merged_pointers(t, o, p, q, loc),
                    (Some(_), None) if self.is_integer(o) => {
                        self.pointer_or_integer(&otherwise, loc);
                        t
                    }
                    (None, Some(_)) if self.is_integer(t) => {
                        self.pointer_or_integer(&then, loc);
                        o
                    }
                    _ if self.is_record(t) && self.compatible(t.ty, o.ty) => t,
                    _ => {
                        let (t, o) = (self.text(t), self.text(o));
                        self.error(
                            loc,
                            format!("the branches of '?:' have types {t} and {o}, which do not fit together"),
                        );
                        return self.error_expr(loc);
                    }
                },
            };
            (self.converted(then, ty), self.converted(otherwise, ty))
        };
        let ty = then.ty;
        if let Some(truth) = truth(&condition)
            && matches!(then.kind, ExprKind::Int(_) | ExprKind::Float(_))
            && matches!(otherwise.kind, ExprKind::Int(_) | ExprKind::Float(_))
        {
            return if truth { Expr { loc, ..then } } else { Expr { loc, ..otherwise } };
        }
        let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
        self.reduced(Expr { kind: ExprKind::Conditional { condition, then, otherwise }, ty, loc }, width)
    }

    fn merged_pointers(&mut self, t: QualType, o: QualType, p: QualType, q: QualType, loc: Loc) -> QualType {
        let qualifiers = union(p.qualifiers, q.qualifiers);
        let ty = if p.ty == TypeId::VOID || q.ty == TypeId::VOID {
            TypeId::VOID
        } else if self.compatible(p.ty, q.ty) {
            self.composite(p.ty, q.ty)
        } else {
            let (t, o) = (self.text(t), self.text(o));
            self.warn(loc, format!("the branches of '?:' are pointers of different types {t} and {o}"));
            TypeId::VOID
        };
        self.pointer_to(QualType { ty, qualifiers })
    }

    fn pointer_or_integer(&mut self, integer: &Expr, loc: Loc) {
        if !self.is_null_constant(integer) {
            self.warn(loc, "one branch of '?:' is a pointer, the other an integer");
        }
    }
}

pub(super) enum OpKind {
    Logical(bool),
    Comparison(CompareOp),
    Arithmetic(BinaryOp),
}

pub(super) fn kind_of(op: ast::BinaryOp) -> OpKind {
    OpKind::Arithmetic(match op {
        ast::BinaryOp::And => return OpKind::Logical(false),
        ast::BinaryOp::Or => return OpKind::Logical(true),
        ast::BinaryOp::Lt => return OpKind::Comparison(CompareOp::Lt),
        ast::BinaryOp::Gt => return OpKind::Comparison(CompareOp::Gt),
        ast::BinaryOp::Le => return OpKind::Comparison(CompareOp::Le),
        ast::BinaryOp::Ge => return OpKind::Comparison(CompareOp::Ge),
        ast::BinaryOp::Eq => return OpKind::Comparison(CompareOp::Eq),
        ast::BinaryOp::Ne => return OpKind::Comparison(CompareOp::Ne),
        ast::BinaryOp::Mul => BinaryOp::Mul,
        ast::BinaryOp::Div => BinaryOp::Div,
        ast::BinaryOp::Rem => BinaryOp::Rem,
        ast::BinaryOp::Add => BinaryOp::Add,
        ast::BinaryOp::Sub => BinaryOp::Sub,
        ast::BinaryOp::Shl => BinaryOp::Shl,
        ast::BinaryOp::Shr => BinaryOp::Shr,
        ast::BinaryOp::BitAnd => BinaryOp::And,
        ast::BinaryOp::BitXor => BinaryOp::Xor,
        ast::BinaryOp::BitOr => BinaryOp::Or,
    })
}

pub(super) fn binary_text(op: ast::BinaryOp) -> &'static str {
    match op {
        ast::BinaryOp::Mul => "*",
        ast::BinaryOp::Div => "/",
        ast::BinaryOp::Rem => "%",
        ast::BinaryOp::Add => "+",
        ast::BinaryOp::Sub => "-",
        ast::BinaryOp::Shl => "<<",
        ast::BinaryOp::Shr => ">>",
        ast::BinaryOp::Lt => "<",
        ast::BinaryOp::Gt => ">",
        ast::BinaryOp::Le => "<=",
        ast::BinaryOp::Ge => ">=",
        ast::BinaryOp::Eq => "==",
        ast::BinaryOp::Ne => "!=",
        ast::BinaryOp::BitAnd => "&",
        ast::BinaryOp::BitXor => "^",
        ast::BinaryOp::BitOr => "|",
        ast::BinaryOp::And => "&&",
        ast::BinaryOp::Or => "||",
    }
}

fn unary_text(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Minus => "-",
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "!",
        UnaryOp::Deref => "*",
        UnaryOp::AddressOf => "&",
        UnaryOp::PreIncrement | UnaryOp::PostIncrement => "++",
        UnaryOp::PreDecrement | UnaryOp::PostDecrement => "--",
        UnaryOp::Real => "__real__",
        UnaryOp::Imag => "__imag__",
        UnaryOp::Extension => "__extension__",
    }
}
