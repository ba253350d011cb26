//! Types from their syntax: specifiers, declarators, type names, attributes that change types.

use super::Checker;
use super::compat::union;
use super::rules::Declared;
use super::scope::{Entity, Tag};
use crate::ast::{self, ArraySize, BasicType, Derivation, Parameters, Qualifiers, TypeSpecifier};
use crate::ctype::{ArrayLength, Enum, FunctionType, IntType, QualType, Record, RecordId, Type, TypeId, VlaId};
use crate::intern::Symbol;
use crate::sema::max_object_size;
use norn_ir::diag::Diagnostic;
use norn_ir::number::narrow_to;
use norn_ir::source::Loc;

/// Larger vectors are not handled: what is done to a vector is done to each of its elements.
const MAX_VECTOR: i128 = 1024;

/// What specifiers say about all declarators after them.
#[derive(Clone, Copy)]
pub(super) struct Base {
    pub(super) ty: QualType,
    /// The alignment that `_Alignas`, an attribute or a typedef asks for.
    pub(super) align: Option<u64>,
    /// `__auto_type`: the type comes from the initialiser.
    pub(super) auto: bool,
}

impl Checker<'_> {
    /// The type that specifiers name. `declares` tells that nothing but the tag is declared (`struct s;`).
    pub(super) fn specifiers(&mut self, specifiers: &ast::Specifiers, declares: bool) -> Base {
        let mut align = None;
        let mut auto = false;
        let ty = match &specifiers.ty {
            TypeSpecifier::Basic(basic) => {
                let is_wide = matches!(basic, BasicType::Int128 | BasicType::UnsignedInt128);
                if is_wide && self.target.pointer_size() == 4 {
                    self.error(specifiers.loc, "there is no '__int128' where pointers have 32 bits");
                }
                if *basic == BasicType::LongDouble {
                    self.prepare_long_double();
                }
                QualType::unqualified(basic_type(*basic))
            }
            TypeSpecifier::Complex(part) => {
                if *part == BasicType::LongDouble {
                    self.prepare_long_double();
                }
                let part = basic_type(*part);
                QualType::unqualified(match part {
                    TypeId::HALF | TypeId::QUAD => part,
                    _ => self.types.intern(Type::Complex(part)),
                })
            }
            TypeSpecifier::Record(record) => self.record_specifier(record, declares),
            TypeSpecifier::Enum(specifier) => self.enum_specifier(specifier, declares),
            TypeSpecifier::Typedef(name) => match self.scopes.name(*name).map(|b| b.entity) {
                Some(Entity::Typedef(ty, typedef_align)) => {
                    align = typedef_align;
                    ty
                }
                _ => {
                    // The parser takes a name for an unknown type only after it has said so.
                    if !self.session.has_errors() && self.reported.insert(*name) {
                        let message = format!("unknown type '{}'", self.name(*name));
                        self.error(specifiers.loc, message);
                    }
                    QualType::unqualified(TypeId::ERROR)
                }
            },
            TypeSpecifier::TypeofExpr(e) => self.type_of(e),
            TypeSpecifier::TypeofType(name) => self.type_name(name),
            TypeSpecifier::Atomic(name) => {
                let ty = self.type_name(name);
                let atomic = Qualifiers { is_atomic: true, ..Qualifiers::default() };
                self.check_atomic_operand(ty, name.loc);
                self.check_qualifiers(ty, atomic, name.loc);
                self.qualified(ty, atomic)
            }
            TypeSpecifier::Auto => {
                auto = true;
                self.int_type()
            }
            TypeSpecifier::ImplicitInt => {
                self.warn(specifiers.loc, "a type is missing here; 'int' is assumed");
                self.int_type()
            }
        };
        self.check_qualifiers(ty, specifiers.qualifiers, specifiers.loc);
        let ty = self.qualified(ty, specifiers.qualifiers);
        let ty = self.type_attributes(ty, &specifiers.attributes);
        for alignment in &specifiers.alignments {
            let (asked, loc) = match alignment {
                ast::Alignment::Type(name) => {
                    let ty = self.type_name(name);
                    (Some(i128::from(self.types.member_align_of(ty, self.target))), name.loc)
                }
                ast::Alignment::Expr(e) => (self.required_int(e, "an alignment"), e.loc),
            };
            if let Some(asked) = asked {
                align = self.wider_align(align, asked, loc);
            }
        }
        let align = self.attribute_align(align, &specifiers.attributes);
        Base { ty, align, auto }
    }

    pub(super) fn wider_align(&mut self, before: Option<u64>, asked: i128, loc: Loc) -> Option<u64> {
        match u64::try_from(asked) {
            Ok(0) => before,
            Ok(n) if n.is_power_of_two() && n <= 1 << 28 => Some(before.map_or(n, |b| b.max(n))),
            _ => {
                self.error(loc, format!("an alignment must be a power of two, not {asked}"));
                before
            }
        }
    }

    /// The largest alignment that `aligned` attributes ask for.
    pub(super) fn attribute_align(&mut self, before: Option<u64>, attributes: &[ast::Attribute]) -> Option<u64> {
        let mut align = before;
        for attribute in attributes {
            if attribute.name == self.words.aligned {
                let asked = match attribute.args.first() {
                    Some(e) => self.required_int(e, "an alignment"),
                    None => Some(16),
                };
                if let Some(asked) = asked {
                    align = self.wider_align(align, asked, attribute.loc);
                }
            }
        }
        align
    }

    /// Attributes that make another type of a type: `mode` and `vector_size`.
    pub(super) fn type_attributes(&mut self, ty: QualType, attributes: &[ast::Attribute]) -> QualType {
        let mut ty = ty;
        for attribute in attributes {
            if attribute.name == self.words.mode {
                if let Some(mode) = attribute.ident {
                    ty = self.mode(ty, mode, attribute.loc);
                }
            } else if attribute.name == self.words.vector_size {
                ty.ty = self.vector_of(ty.ty, attribute);
            }
            self.check_arguments(attribute);
            // What an alignment or a priority is, others ask.
            let runs = attribute.name == self.words.constructor || attribute.name == self.words.destructor;
            if attribute.name != self.words.aligned && !runs {
                self.attribute_numbers(attribute);
            }
        }
        ty
    }

    /// The vector of the size that an attribute says. It is for the innermost type: `vector_size` before a pointer, an array or a
    /// function makes a pointer to a vector, an array of them, a function that returns one.
    fn vector_of(&mut self, ty: TypeId, attribute: &ast::Attribute) -> TypeId {
        match self.types.get(ty).clone() {
            Type::Pointer(pointee) => {
                let ty = self.vector_of(pointee.ty, attribute);
                return self.types.intern(Type::Pointer(QualType { ty, ..pointee }));
            }
            Type::Array { element, length } => {
                let ty = self.vector_of(element.ty, attribute);
                return self.types.intern(Type::Array { element: QualType { ty, ..element }, length });
            }
            Type::Function(function) => {
                let ty = self.vector_of(function.result.ty, attribute);
                let result = QualType { ty, ..function.result };
                return self.types.intern(Type::Function(FunctionType { result, ..function }));
            }
            Type::Error | Type::Half | Type::Quad => return ty,
            Type::Int(_) | Type::Float(_) => {}
            _ => {
                let text = self.text(QualType::unqualified(ty));
                self.error(attribute.loc, format!("there are no vectors of {text}"));
                return TypeId::ERROR;
            }
        }
        let [arg] = &attribute.args[..] else { return TypeId::ERROR };
        let Some(size) = self.required_int(arg, "the size of a vector") else { return TypeId::ERROR };
        let element = i128::from(self.size_of(QualType::unqualified(ty)).unwrap_or(1));
        if size <= 0 || size % element != 0 {
            self.error(attribute.loc, "the size of a vector is a multiple of the size of its elements");
            return TypeId::ERROR;
        }
        match u64::try_from(size / element) {
            Ok(length) if length.is_power_of_two() && size <= MAX_VECTOR => {
                self.types.intern(Type::Vector { element: ty, length })
            }
            Ok(length) if !length.is_power_of_two() => {
                self.error(attribute.loc, "the number of elements of a vector is a power of two");
                TypeId::ERROR
            }
            _ => {
                self.report(Diagnostic::unsupported(
                    attribute.loc,
                    format!("a vector of more than {MAX_VECTOR} bytes"),
                ));
                TypeId::ERROR
            }
        }
    }

    /// `section` takes a string, `packed` nothing.
    pub(super) fn check_arguments(&mut self, attribute: &ast::Attribute) {
        let is_wrong = match self.name(attribute.name) {
            "section" => !matches!(attribute.args[..], [ast::Expr { kind: ast::ExprKind::Str(_), .. }]),
            "packed" => !attribute.args.is_empty(),
            _ => false,
        };
        if is_wrong {
            let message = format!("wrong arguments of the attribute '{}'", self.name(attribute.name));
            self.error(attribute.loc, message);
        }
    }

    /// Arguments that have to be numbers are numbers, whatever Norn makes of the attribute.
    fn attribute_numbers(&mut self, attribute: &ast::Attribute) {
        if !crate::parse::takes_numbers(self.name(attribute.name)) {
            return;
        }
        for arg in &attribute.args {
            let what = format!("an argument of the attribute '{}'", self.name(attribute.name));
            self.required_int(arg, &what);
        }
    }

    fn mode(&mut self, ty: QualType, mode: Symbol, loc: Loc) -> QualType {
        let name = self.name(mode).trim_matches('_').to_owned();
        let int = match name.as_str() {
            "QI" | "byte" => IntType::SignedChar,
            "HI" => IntType::Short,
            "SI" => IntType::Int,
            "DI" if self.target.pointer_size() == 8 => IntType::Long,
            "DI" => IntType::LongLong,
            "word" | "pointer" | "unwind_word" => IntType::Long,
            "TI" => IntType::Int128,
            "SF" => return QualType { ty: TypeId::FLOAT, ..ty },
            "DF" => return QualType { ty: TypeId::DOUBLE, ..ty },
            "SC" => return QualType { ty: self.types.intern(Type::Complex(TypeId::FLOAT)), ..ty },
            "DC" => return QualType { ty: self.types.intern(Type::Complex(TypeId::DOUBLE)), ..ty },
            "TF" => return QualType { ty: TypeId::QUAD, ..ty },
            "XF" => {
                self.prepare_long_double();
                return QualType { ty: TypeId::LONG_DOUBLE, ..ty };
            }
            _ => {
                self.report(Diagnostic::unsupported(loc, format!("the machine mode '{name}'")));
                return ty;
            }
        };
        match self.types.int_type(ty.ty) {
            Some(given) => {
                let int = if given.is_signed() { int } else { int.to_unsigned() };
                QualType { ty: TypeId::of_int(int), ..ty }
            }
            None if matches!(self.kind(ty), Type::Float(_)) => {
                self.error(loc, format!("the machine mode '{name}' is for integers"));
                ty
            }
            None => ty,
        }
    }

    pub(crate) fn type_name(&mut self, name: &ast::TypeName) -> QualType {
        let base = self.specifiers(&name.specifiers, false);
        self.derived(base.ty, &name.declarator.derivations, name.loc)
    }

    /// The type of an expression that is not evaluated.
    pub(crate) fn type_of(&mut self, e: &ast::Expr) -> QualType {
        self.unevaluated_expr(e).ty
    }

    /// Applies the derivations of a declarator to the specifiers' type.
    pub(super) fn derived(&mut self, base: QualType, derivations: &[Derivation], loc: Loc) -> QualType {
        let mut ty = base;
        for derivation in derivations {
            ty = match derivation {
                Derivation::Pointer(qualifiers) => {
                    let pointer = self.pointer_to(ty);
                    self.check_qualifiers(pointer, *qualifiers, loc);
                    QualType { ty: pointer.ty, qualifiers: *qualifiers }
                }
                Derivation::Array { size, loc, .. } => {
                    self.check_array(derivation, false);
                    self.array(ty, size, *loc)
                }
                Derivation::Function(params) => self.function_type(ty, params, loc),
            };
        }
        ty
    }

    fn array(&mut self, element: QualType, size: &ArraySize, loc: Loc) -> QualType {
        let error = QualType::unqualified(TypeId::ERROR);
        if self.is_error(element) || !self.check_element(element, loc) {
            return error;
        }
        let length = match size {
            ArraySize::Unknown => ArrayLength::Unknown,
            ArraySize::Star => ArrayLength::Variable(self.new_vla()),
            ArraySize::Expr(e) => match self.array_length(e, element, loc) {
                Some(length) => length,
                None => return error,
            },
        };
        QualType::unqualified(self.types.intern(Type::Array { element, length }))
    }

    fn array_length(&mut self, e: &ast::Expr, element: QualType, loc: Loc) -> Option<ArrayLength> {
        let value = self.rvalue(e);
        if self.is_error(value.ty) {
            return None;
        }
        if !self.is_integer(value.ty) {
            let text = self.text(value.ty);
            self.error(e.loc, format!("the length of an array must be an integer, but has type {text}"));
            return None;
        }
        match self.evaluate_int(&value) {
            Ok(n) => {
                let limit = i128::from(max_object_size(self.target));
                let bytes = self.size_of(element).map_or(0, i128::from).checked_mul(n);
                if n < 0 {
                    self.error(e.loc, format!("an array cannot have a negative length ({n})"));
                    None
                } else if n > limit || bytes.is_none_or(|b| b > limit) {
                    self.error(e.loc, "the array is larger than the address space");
                    None
                } else {
                    Some(ArrayLength::Known(narrow_to(n)))
                }
            }
            Err(problem) if self.function.is_none() && self.scopes.depth() == 0 => {
                self.error(
                    problem.loc,
                    format!("the length of an array outside of functions must be constant: {}", problem.message),
                );
                None
            }
            Err(_) => Some(ArrayLength::Variable(self.variable_length(value, loc))),
        }
    }

    fn new_vla(&mut self) -> VlaId {
        let id = VlaId(self.types.vlas);
        self.types.vlas += 1;
        id
    }

    /// A dimension whose length is computed where the declaration is reached.
    fn variable_length(&mut self, length: crate::tree::Expr, loc: Loc) -> VlaId {
        let id = self.new_vla();
        if self.function.is_some() && !self.in_prototype() {
            let size_type = self.size_type();
            if let Some(var) = self.temporary(size_type, loc) {
                let length = self.converted(length, size_type);
                let place = self.var(var, loc);
                let assignment = self.assignment(place, length, loc);
                self.pending.push(assignment);
                if let Some(function) = &mut self.function {
                    function.vla_vars.insert(id, var);
                    function.vla_lengths.push((id, var));
                }
            }
        }
        id
    }

    fn function_type(&mut self, result: QualType, params: &Parameters, loc: Loc) -> QualType {
        let (params, variadic, prototyped) = match params {
            Parameters::Unknown | Parameters::Names(_) => (Vec::new(), false, false),
            Parameters::Prototype { params, variadic } => {
                self.enter_prototype();
                let types = params.iter().map(|p| self.prototype_param(p)).collect();
                self.leave_prototype();
                (types, *variadic, true)
            }
        };
        self.function_returning(result, params, variadic, prototyped, loc)
    }

    pub(super) fn function_returning(
        &mut self,
        result: QualType,
        params: Vec<QualType>,
        variadic: bool,
        prototyped: bool,
        loc: Loc,
    ) -> QualType {
        if matches!(self.kind(result), Type::Function(_) | Type::Array { .. }) {
            let text = self.text(result);
            self.error(loc, format!("a function cannot return {text}"));
            return QualType::unqualified(TypeId::ERROR);
        }
        if variadic && params.is_empty() {
            self.error(loc, "a function with '...' needs a parameter before it");
        }
        let result = QualType::unqualified(result.ty);
        let function = FunctionType { result, params, variadic, prototyped };
        QualType::unqualified(self.types.intern(Type::Function(function)))
    }

    fn prototype_param(&mut self, param: &ast::Parameter) -> QualType {
        let ty = self.param_type(param);
        if let Some(name) = param.declarator.name {
            let loc = param.declarator.loc;
            if let Some(earlier) = self.scopes.name_here(name) {
                let message = format!("there are two parameters named '{}'", self.name(name));
                self.report(Diagnostic::error(loc, message).also(earlier.loc, "the first one"));
            }
            self.scopes.bind(name, Entity::PrototypeParam(ty), loc);
        }
        QualType::unqualified(ty.ty)
    }

    /// The type of a parameter, adjusted: arrays and functions are pointers.
    pub(super) fn param_type(&mut self, param: &ast::Parameter) -> QualType {
        let base = self.specifiers(&param.specifiers, false);
        let loc = param.declarator.loc;
        let mut derivations = &param.declarator.derivations[..];
        let mut outer_array = None;
        // The outermost array becomes a pointer, so nobody needs its length; it is evaluated all the same.
        if let [inner @ .., outermost @ Derivation::Array { qualifiers, size, .. }] = derivations {
            self.check_array(outermost, true);
            derivations = inner;
            outer_array = Some((*qualifiers, size));
        }
        let ty = self.derived(base.ty, derivations, loc);
        let ty = self.type_attributes(ty, &param.declarator.attributes);
        self.check_specifiers(&param.specifiers, QualType::unqualified(TypeId::VOID), Declared::Parameter);
        if let Some((qualifiers, size)) = outer_array {
            if let ArraySize::Expr(e) = size {
                self.outermost_length(e);
            }
            if !self.check_element(ty, loc) {
                return QualType::unqualified(TypeId::ERROR);
            }
            let pointer = self.pointer_to(ty);
            return QualType { ty: pointer.ty, qualifiers };
        }
        if ty.ty == TypeId::VOID {
            self.error(loc, "a parameter cannot have type 'void'");
            return QualType::unqualified(TypeId::ERROR);
        }
        self.adjusted_param(ty)
    }

    /// The length of a parameter's outermost array: evaluated for its effects where the function begins.
    fn outermost_length(&mut self, e: &ast::Expr) {
        if self.function.is_none() || self.in_prototype() {
            self.unevaluated_expr(e);
            return;
        }
        let length = self.rvalue(e);
        if !self.is_error(length.ty) && self.evaluate_int(&length).is_err() {
            self.pending.push(length);
        }
    }

    pub(super) fn adjusted_param(&mut self, ty: QualType) -> QualType {
        match *self.kind(ty) {
            Type::Array { element, .. } => self.pointer_to(element),
            Type::Function(_) => self.pointer_to(ty),
            _ => ty,
        }
    }

    fn record_specifier(&mut self, specifier: &ast::RecordSpecifier, declares: bool) -> QualType {
        let id = match self.tag_for(specifier.tag, specifier.members.is_some() || declares, specifier.loc) {
            Some((Tag::Record(id), loc)) if self.types.record(id).is_union != specifier.is_union => {
                self.wrong_tag(specifier.tag, specifier.loc, loc);
                return QualType::unqualified(TypeId::ERROR);
            }
            Some((Tag::Record(id), _)) => id,
            Some((Tag::Enum(_), loc)) => {
                self.wrong_tag(specifier.tag, specifier.loc, loc);
                return QualType::unqualified(TypeId::ERROR);
            }
            None => {
                let id = RecordId::new(self.types.records.len());
                let (tag, is_union, loc) = (specifier.tag, specifier.is_union, specifier.loc);
                self.types.records.push(Record { tag, is_union, body: None, loc });
                if let Some(tag) = tag {
                    self.scopes.bind_tag(tag, Tag::Record(id), loc);
                }
                id
            }
        };
        if let Some(members) = &specifier.members {
            self.define_record(id, specifier, members);
        }
        QualType::unqualified(self.types.intern(Type::Record(id)))
    }

    /// The tag's meaning: a definition or `struct s;` concerns the innermost scope only.
    pub(super) fn tag_for(&self, tag: Option<Symbol>, here: bool, _loc: Loc) -> Option<(Tag, Loc)> {
        let tag = tag?;
        let binding = if here { self.scopes.tag_here(tag) } else { self.scopes.tag(tag) };
        binding.map(|b| (b.tag, b.loc))
    }

    pub(super) fn wrong_tag(&mut self, tag: Option<Symbol>, loc: Loc, earlier: Loc) {
        let name = tag.map_or("", |t| self.name(t)).to_owned();
        self.report(
            Diagnostic::error(loc, format!("'{name}' was declared as a different kind of tag"))
                .also(earlier, "declared here"),
        );
    }

    fn enum_specifier(&mut self, specifier: &ast::EnumSpecifier, declares: bool) -> QualType {
        let id = match self.tag_for(specifier.tag, specifier.enumerators.is_some() || declares, specifier.loc) {
            Some((Tag::Enum(id), _)) => id,
            Some((Tag::Record(_), loc)) => {
                self.wrong_tag(specifier.tag, specifier.loc, loc);
                return QualType::unqualified(TypeId::ERROR);
            }
            None => {
                let id = crate::ctype::EnumId::new(self.types.enums.len());
                let (tag, loc) = (specifier.tag, specifier.loc);
                self.types.enums.push(Enum { tag, underlying: None, loc });
                if let Some(tag) = tag {
                    self.scopes.bind_tag(tag, Tag::Enum(id), loc);
                }
                id
            }
        };
        if let Some(enumerators) = &specifier.enumerators {
            self.define_enum(id, specifier, enumerators);
        }
        QualType::unqualified(self.types.intern(Type::Enum(id)))
    }

    /// The qualifiers of an object that is reached through another one.
    pub(super) fn inherit(&mut self, ty: QualType, from: Qualifiers) -> QualType {
        let from = Qualifiers { is_restrict: false, is_atomic: false, ..from };
        self.qualified(ty, union(from, Qualifiers::default()))
    }
}

fn basic_type(basic: BasicType) -> TypeId {
    TypeId::of_int(match basic {
        BasicType::Void => return TypeId::VOID,
        BasicType::Bool => return TypeId::BOOL,
        BasicType::Float => return TypeId::FLOAT,
        BasicType::Double => return TypeId::DOUBLE,
        BasicType::LongDouble => return TypeId::LONG_DOUBLE,
        BasicType::Half => return TypeId::HALF,
        BasicType::Quad => return TypeId::QUAD,
        BasicType::Char => IntType::Char,
        BasicType::SignedChar => IntType::SignedChar,
        BasicType::UnsignedChar => IntType::UnsignedChar,
        BasicType::Short => IntType::Short,
        BasicType::UnsignedShort => IntType::UnsignedShort,
        BasicType::Int => IntType::Int,
        BasicType::UnsignedInt => IntType::UnsignedInt,
        BasicType::Long => IntType::Long,
        BasicType::UnsignedLong => IntType::UnsignedLong,
        BasicType::LongLong => IntType::LongLong,
        BasicType::UnsignedLongLong => IntType::UnsignedLongLong,
        BasicType::Int128 => IntType::Int128,
        BasicType::UnsignedInt128 => IntType::UnsignedInt128,
    })
}
