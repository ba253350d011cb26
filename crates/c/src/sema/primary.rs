//! Literals, `sizeof` and its kin, `_Generic`, compound literals, variable arguments.

use super::Checker;
use crate::ast::{self, StringKind, StringLiteral};
use crate::ctype::{ArrayLength, QualType, Type, TypeId};
use crate::intern::Symbol;
use crate::literal::{self, CharKind, FloatKind, Number};
use crate::tree::{Builtin, ConstInit, ConstValue, Definition, Expr, ExprKind, Linkage, Object, ObjectId, Symbolic};
use norn_ir::number::to_usize;
use norn_ir::source::Loc;
use norn_ir::types::Target;

impl Checker<'_> {
    pub(super) fn number(&mut self, text: Symbol, loc: Loc) -> Expr {
        let (number, is_imaginary) = match literal::number(self.session.symbols.name(text)) {
            Ok(number) => number,
            Err(problem) => {
                self.error(loc, problem);
                return self.error_expr(loc);
            }
        };
        let number = self.real_number(number, loc);
        if !is_imaginary {
            return number;
        }
        let ty = self.complex_of(number.ty);
        let zero = self.int_constant(0, self.int_type(), loc);
        let zero = self.converted(zero, number.ty);
        self.composed(vec![zero, number], ty, loc)
    }

    fn real_number(&mut self, number: Number, loc: Loc) -> Expr {
        match number {
            Number::Int { value, unsigned, long_rank, decimal } => {
                let ty = self.integer_literal_type(value, unsigned, long_rank, decimal);
                self.int_constant(i128::from(value), QualType::unqualified(ty), loc)
            }
            Number::Float { kind: FloatKind::LongDouble, extended, .. } => self.long_double_constant(extended, loc),
            Number::Float { kind: FloatKind::Quad, .. } => {
                self.unsupported("a value of type '_Float128'", QualType::unqualified(TypeId::QUAD), loc)
            }
            Number::Float { value, kind, .. } => {
                let ty = match kind {
                    FloatKind::Float => TypeId::FLOAT,
                    FloatKind::Double => TypeId::DOUBLE,
                    FloatKind::LongDouble | FloatKind::Quad => TypeId::LONG_DOUBLE,
                };
                Expr { kind: ExprKind::Float(value), ty: QualType::unqualified(ty), loc }
            }
        }
    }

    /// The first type of C11's table (6.4.4.1) that holds the value.
    fn integer_literal_type(&self, value: u64, unsigned: bool, long_rank: u8, decimal: bool) -> TypeId {
        let table = [
            (TypeId::INT, TypeId::UNSIGNED_INT),
            (TypeId::LONG, TypeId::UNSIGNED_LONG),
            (TypeId::LONG_LONG, TypeId::UNSIGNED_LONG_LONG),
        ];
        for (with_sign, without) in table.into_iter().skip(usize::from(long_rank)) {
            if !unsigned && self.fits(i128::from(value), QualType::unqualified(with_sign)) {
                return with_sign;
            }
            if (unsigned || !decimal) && self.fits(i128::from(value), QualType::unqualified(without)) {
                return without;
            }
        }
        TypeId::UNSIGNED_LONG_LONG
    }

    pub(super) fn char_constant(&mut self, text: Symbol, loc: Loc) -> Expr {
        match literal::char_constant(self.session.symbols.name(text)) {
            Ok(constant) => {
                let ty = match constant.kind {
                    CharKind::Plain => TypeId::INT,
                    CharKind::Wide => self.wide_char(),
                    CharKind::U8 => TypeId::UNSIGNED_CHAR,
                    CharKind::U16 => TypeId::UNSIGNED_SHORT,
                    CharKind::U32 => TypeId::UNSIGNED_INT,
                };
                self.int_constant(i128::from(constant.value), QualType::unqualified(ty), loc)
            }
            Err(problem) => {
                self.error(loc, problem);
                self.error_expr(loc)
            }
        }
    }

    pub(super) fn string(&mut self, literal: &StringLiteral) -> Expr {
        let id = self.string_literal_object(literal);
        let ty = self.unit.objects[id.0 as usize].ty;
        Expr { kind: ExprKind::Object(id), ty, loc: literal.loc }
    }

    /// A place that holds the given text.
    pub(crate) fn string_object(&mut self, text: &str, loc: Loc) -> Expr {
        let units = text.bytes().map(u32::from).collect();
        self.string(&StringLiteral { kind: StringKind::Plain, units, loc })
    }

    pub(super) fn string_element(&self, kind: StringKind) -> TypeId {
        match kind {
            StringKind::Plain => TypeId::CHAR,
            StringKind::Wide => self.wide_char(),
            StringKind::Char16 => TypeId::UNSIGNED_SHORT,
            StringKind::Char32 => TypeId::UNSIGNED_INT,
        }
    }

    /// `wchar_t`, which is `long` on i386.
    fn wide_char(&self) -> TypeId {
        match self.target {
            Target::Ilp32 => TypeId::LONG,
            Target::Lp64 => TypeId::INT,
        }
    }

    /// The object of a string literal; equal literals share one.
    fn string_literal_object(&mut self, literal: &StringLiteral) -> ObjectId {
        let key = (literal.kind as u8, literal.units.clone());
        if let Some(&id) = self.strings.get(&key) {
            return id;
        }
        let element = QualType::unqualified(self.string_element(literal.kind));
        let length = ArrayLength::Known(literal.units.len() as u64 + 1);
        let ty = QualType::unqualified(self.types.intern(Type::Array { element, length }));
        let size = self.size_of(element).unwrap_or(1);
        let mut bytes = string_bytes(&literal.units, size);
        bytes.resize(bytes.len() + to_usize(size), 0);
        let object = Object {
            symbolic: Symbolic::default(),
            name: None,
            ty,
            align: size,
            linkage: Linkage::Internal,
            thread_local: false,
            constant: true,
            definition: Definition::Initialised(vec![ConstInit { offset: 0, value: ConstValue::Bytes(bytes) }]),
            loc: literal.loc,
        };
        let id = self.add_object(object);
        self.strings.insert(key, id);
        id
    }

    pub(crate) fn add_object(&mut self, object: Object) -> ObjectId {
        let id = ObjectId::new(self.unit.objects.len());
        self.unit.objects.push(object);
        id
    }

    /// The bytes of a plain string literal that an expression is, if it is one.
    pub(crate) fn literal_text<'e>(&self, e: &'e ast::Expr) -> Option<&'e StringLiteral> {
        match &e.kind {
            ast::ExprKind::Str(literal) => Some(literal),
            ast::ExprKind::Unary(ast::UnaryOp::Extension, inner) => self.literal_text(inner),
            _ => None,
        }
    }

    pub(super) fn sizeof_expr(&mut self, operand: &ast::Expr, loc: Loc) -> Expr {
        let since = self.pending.len();
        let operand = self.unevaluated_expr(operand);
        if let ExprKind::Member { bits: Some(_), .. } = operand.kind {
            self.error(loc, "a bit-field has no size in bytes");
            return self.error_expr(loc);
        }
        let size = self.size_value(operand.ty, loc);
        self.after_pending(since, size)
    }

    pub(super) fn sizeof_type(&mut self, name: &ast::TypeName, loc: Loc) -> Expr {
        let since = self.pending.len();
        let ty = self.type_name(name);
        let size = self.size_value(ty, loc);
        self.after_pending(since, size)
    }

    pub(super) fn alignof(&mut self, ty: QualType, loc: Loc) -> Expr {
        if self.is_error(ty) {
            return self.error_expr(loc);
        }
        if self.is_record(ty) && self.size_of(ty).is_none() {
            let text = self.text(ty);
            self.error(loc, format!("the alignment of {text} is not known: the type is incomplete"));
            return self.error_expr(loc);
        }
        let align = self.types.member_align_of(ty, self.target);
        self.int_constant(i128::from(align), self.size_type(), loc)
    }

    pub(super) fn generic(&mut self, control: &ast::Expr, cases: &[ast::GenericCase], loc: Loc) -> Expr {
        let control = self.unevaluated_expr(control);
        self.unevaluated += 1;
        let ty = self.value_of(control).ty;
        self.unevaluated -= 1;
        if self.is_error(ty) {
            return self.error_expr(loc);
        }
        let mut default = None;
        let mut chosen = None;
        let mut types: Vec<QualType> = Vec::with_capacity(cases.len());
        for case in cases {
            match &case.ty {
                Some(name) => {
                    let case_ty = self.type_name(name);
                    if !self.is_error(case_ty) {
                        let text = self.text(case_ty);
                        let complete = case_ty.ty != TypeId::VOID && self.size_of(case_ty).is_some();
                        if !complete || self.is_variably_modified(case_ty) {
                            self.error(name.loc, format!("a case of '_Generic' cannot be for the type {text}"));
                        } else if types.iter().any(|&earlier| self.compatible_qualified(earlier, case_ty)) {
                            self.error(name.loc, format!("two cases of '_Generic' are for the type {text}"));
                        }
                    }
                    types.push(case_ty);
                    if chosen.is_none() && self.compatible_qualified(ty, case_ty) {
                        chosen = Some(&case.value);
                    }
                }
                None => {
                    if default.is_some() {
                        self.error(case.value.loc, "'_Generic' has two default cases");
                    }
                    default = Some(&case.value);
                }
            }
        }
        match chosen.or(default) {
            Some(value) => self.expr(value),
            None => {
                let text = self.text(ty);
                self.error(loc, format!("no case of '_Generic' is for the type {text}"));
                self.error_expr(loc)
            }
        }
    }

    pub(super) fn compound_literal(&mut self, name: &ast::TypeName, list: &ast::InitializerList, loc: Loc) -> Expr {
        let ty = self.type_name(name);
        if self.is_error(ty) {
            return self.error_expr(loc);
        }
        if self.types.is_vla(ty.ty) {
            self.error(loc, "a compound literal cannot be a variable-length array");
            return self.error_expr(loc);
        }
        let (init, ty) = self.initializer_list(list, ty, loc);
        if self.is_error(ty) || self.size_of(ty).is_none() {
            if !self.is_error(ty) {
                let text = self.text(ty);
                self.error(loc, format!("a compound literal cannot have the incomplete type {text}"));
            }
            return self.error_expr(loc);
        }
        if self.function.is_none() {
            let definition = Definition::Initialised(self.static_init(init, ty));
            let id = self.add_object(Object {
                symbolic: Symbolic::default(),
                name: None,
                ty,
                align: self.types.align_of(ty, self.target),
                linkage: Linkage::Internal,
                thread_local: false,
                constant: self.is_constant_object(ty),
                definition,
                loc,
            });
            return Expr { kind: ExprKind::Object(id), ty, loc };
        }
        match self.temporary(ty, loc) {
            Some(var) => Expr { kind: ExprKind::CompoundLiteral(var, Box::new(init)), ty, loc },
            None => self.error_expr(loc),
        }
    }

    pub(super) fn va_arg(&mut self, list: &ast::Expr, name: &ast::TypeName, loc: Loc) -> Expr {
        let list = self.place(list);
        let ty = self.type_name(name);
        let Some(list) = list else { return self.error_expr(loc) };
        if self.is_error(ty) {
            return self.error_expr(loc);
        }
        if !self.is_pointer(list.ty) {
            self.error(loc, "the first argument of 'va_arg' must be a 'va_list' object");
            return self.error_expr(loc);
        }
        if let Some(what) = self.unsupported_values(ty) {
            return self.unsupported(what, ty, loc);
        }
        if self.size_of(ty).is_none() || matches!(self.kind(ty), Type::Array { .. }) {
            let text = self.text(ty);
            self.error(loc, format!("an argument cannot have type {text}"));
            return self.error_expr(loc);
        }
        self.builtin(Builtin::VaArg(list), QualType::unqualified(ty.ty), loc)
    }
}

/// The bytes of code units of the given size, little endian.
pub(super) fn string_bytes(units: &[u32], size: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(units.len() * to_usize(size));
    for unit in units {
        bytes.extend_from_slice(&unit.to_le_bytes()[..to_usize(size)]);
    }
    bytes
}
