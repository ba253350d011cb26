//! Declarations, at file scope and in blocks.

use super::Checker;
use super::convert::Context;
use super::object::Defines;
use super::rules::Declared;
use super::scope::Entity;
use super::types::Base;
use crate::ast::{self, StorageClass, TypeSpecifier};
use crate::builtins;
use crate::ctype::{ArrayLength, QualType, Type, TypeId};
use crate::intern::Symbol;
use crate::tree::{Init, Stmt, StmtKind, VarId};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

impl Checker<'_> {
    pub(super) fn item(&mut self, item: &ast::Item) {
        match item {
            ast::Item::Function(definition) => self.function_definition(definition),
            ast::Item::Declaration(declaration) => {
                let base = self.declaration_base(declaration);
                for init in &declaration.declarators {
                    self.file_declarator(declaration, base, init);
                }
                self.pending.clear();
            }
            ast::Item::StaticAssert(assertion) => self.static_assert(assertion),
            ast::Item::Asm(text) => {
                if !builtins::is_asm_without_effect(text) {
                    self.report(Diagnostic::unsupported(text.loc, "assembly outside of functions"));
                }
            }
        }
    }

    pub(super) fn static_assert(&mut self, assertion: &ast::StaticAssert) {
        let Some(0) = self.required_int(&assertion.condition, "the condition of a static assertion") else { return };
        let message = match &assertion.message {
            Some(message) => format!("static assertion failed: {}", message.text()),
            None => "static assertion failed".to_owned(),
        };
        self.error(assertion.loc, message);
    }

    fn declaration_base(&mut self, declaration: &ast::Declaration) -> Base {
        let specifiers = &declaration.specifiers;
        let alone = declaration.declarators.is_empty();
        let declares_tag = alone && specifiers.storage.is_none();
        let base = self.specifiers(specifiers, declares_tag);
        if alone
            && !matches!(specifiers.ty, TypeSpecifier::Record(_) | TypeSpecifier::Enum(_))
            && !self.is_error(base.ty)
        {
            self.warn(declaration.loc, "this declaration declares nothing");
        }
        let is_plain = |init: &ast::InitDeclarator| init.declarator.derivations.is_empty();
        if base.auto && (declaration.declarators.len() > 1 || !declaration.declarators.iter().all(is_plain)) {
            self.error(declaration.loc, "'__auto_type' declares one variable, by its name alone");
        }
        base
    }

    /// The type of a declarator with the attributes that change it, and the alignment asked for.
    fn declarator_type(&mut self, base: Base, declarator: &ast::Declarator) -> (QualType, Option<u64>) {
        let ty = self.derived(base.ty, &declarator.derivations, declarator.loc);
        let ty = self.type_attributes(ty, &declarator.attributes);
        (ty, self.attribute_align(base.align, &declarator.attributes))
    }

    fn file_declarator(&mut self, declaration: &ast::Declaration, base: Base, init: &ast::InitDeclarator) {
        let specifiers = &declaration.specifiers;
        let declarator = &init.declarator;
        let loc = declarator.loc;
        let Some(name) = declarator.name else { return };
        let (mut ty, align) = self.declarator_type(base, declarator);
        if base.auto {
            ty = self.auto_type(init, loc);
        }
        self.check_specifiers(specifiers, ty, Declared::FileScope);
        match specifiers.storage {
            Some(StorageClass::Typedef) => return self.typedef(name, ty, align, init, loc),
            Some(StorageClass::Auto | StorageClass::Register) => {
                self.error(specifiers.loc, "'auto' and 'register' variables only exist inside of functions");
            }
            _ => {}
        }
        if matches!(self.kind(ty), Type::Function(_)) {
            self.function_declarator(name, ty, specifiers, init, loc);
            return;
        }
        if self.is_error(ty) {
            self.scopes.bind(name, Entity::Error, loc);
            return;
        }
        let Some(id) = self.declare_object(name, ty, align, specifiers, init.initializer.is_some(), loc) else {
            return;
        };
        self.scopes.bind(name, Entity::Object(id), loc);
        self.object_symbol(id, name, specifiers, init);
        if let Some(initializer) = &init.initializer {
            self.initialise_object(id, initializer, loc);
        }
    }

    fn typedef(&mut self, name: Symbol, ty: QualType, align: Option<u64>, init: &ast::InitDeclarator, loc: Loc) {
        if init.initializer.is_some() {
            self.error(loc, "a typedef cannot be initialised");
        }
        if let Some(earlier) = self.scopes.name_here(name) {
            let same = match earlier.entity {
                Entity::Typedef(before, _) => self.compatible(before.ty, ty.ty),
                Entity::Error => true,
                _ => false,
            };
            if !same {
                self.redeclared(name, "with a different meaning", loc, earlier.loc);
                return;
            }
        }
        let is_transparent = init.declarator.attributes.iter().any(|a| a.name == self.words.transparent_union);
        if let (true, Type::Record(id)) = (is_transparent, self.kind(ty)) {
            let id = *id;
            self.transparent_unions.insert(id);
        }
        self.scopes.bind(name, Entity::Typedef(ty, align), loc);
    }

    pub(super) fn redeclared(&mut self, name: Symbol, how: &str, loc: Loc, earlier: Loc) {
        let message = format!("'{}' is declared again {how}", self.name(name));
        self.report(Diagnostic::error(loc, message).also(earlier, "declared here before"));
    }

    fn function_declarator(
        &mut self,
        name: Symbol,
        ty: QualType,
        specifiers: &ast::Specifiers,
        init: &ast::InitDeclarator,
        loc: Loc,
    ) {
        if init.initializer.is_some() {
            self.error(loc, "a function cannot be initialised");
        }
        let noreturn = specifiers.noreturn
            || self.is_noreturn(&specifiers.attributes)
            || self.is_noreturn(&init.declarator.attributes);
        let Some(id) = self.declare_function(name, ty, specifiers, noreturn, Defines::No, loc) else { return };
        self.function_attributes(id, &specifiers.attributes);
        self.function_attributes(id, &init.declarator.attributes);
        self.label_function(id, name, init.asm_label);
        if self.scopes.depth() > 0 {
            self.scopes.bind(name, Entity::Function(id), loc);
        }
    }

    /// The type of a variable declared with `__auto_type`.
    fn auto_type(&mut self, init: &ast::InitDeclarator, loc: Loc) -> QualType {
        match &init.initializer {
            Some(ast::Initializer::Expr(e)) => {
                let e = self.unevaluated_expr(e);
                self.unevaluated += 1;
                let ty = self.value_of(e).ty;
                self.unevaluated -= 1;
                ty
            }
            _ => {
                self.error(loc, "'__auto_type' needs an initialiser that is an expression");
                QualType::unqualified(TypeId::ERROR)
            }
        }
    }

    /// A declaration inside of a function.
    pub(super) fn local_declaration(&mut self, declaration: &ast::Declaration, out: &mut Vec<Stmt>) {
        let base = self.declaration_base(declaration);
        self.flush_pending(out, declaration.loc);
        for init in &declaration.declarators {
            self.local_declarator(declaration, base, init, out);
        }
    }

    fn local_declarator(
        &mut self,
        declaration: &ast::Declaration,
        base: Base,
        init: &ast::InitDeclarator,
        out: &mut Vec<Stmt>,
    ) {
        let specifiers = &declaration.specifiers;
        let declarator = &init.declarator;
        let loc = declarator.loc;
        let Some(name) = declarator.name else { return };
        let (mut ty, align) = self.declarator_type(base, declarator);
        self.flush_pending(out, loc);
        let mut checked = None;
        if base.auto {
            // Checked once: such declarations stand in statement expressions that macros nest.
            if let Some(ast::Initializer::Expr(e)) = &init.initializer
                && specifiers.storage.is_none()
            {
                let value = self.rvalue(e);
                ty = QualType::unqualified(value.ty.ty);
                checked = Some(value);
            } else {
                ty = self.auto_type(init, loc);
            }
            ty = self.qualified(ty, specifiers.qualifiers);
        }
        self.check_specifiers(specifiers, ty, Declared::Local);
        if self.is_variably_modified(ty)
            && let Some(function) = &mut self.function
        {
            function.jumps.declare(loc);
        }
        if specifiers.storage == Some(StorageClass::Typedef) {
            return self.typedef(name, ty, align, init, loc);
        }
        if matches!(self.kind(ty), Type::Function(_)) {
            if specifiers.storage == Some(StorageClass::Auto) {
                self.declare_nested(name, ty, loc);
                return;
            }
            return self.function_declarator(name, ty, specifiers, init, loc);
        }
        if specifiers.storage == Some(StorageClass::Extern) {
            if self.is_variably_modified(ty) {
                self.error(loc, "an 'extern' variable cannot have a type with a computed length");
            }
            if let Some(id) = self.declare_object(name, ty, align, specifiers, init.initializer.is_some(), loc) {
                if init.initializer.is_some() {
                    self.error(loc, "an 'extern' declaration inside of a function cannot be initialised");
                }
                self.scopes.bind(name, Entity::Object(id), loc);
                self.object_symbol(id, name, specifiers, init);
            }
            return;
        }
        if let Some(earlier) = self.scopes.name_here(name) {
            self.redeclared(name, "in the same scope", loc, earlier.loc);
            return;
        }
        if self.is_error(ty) || !self.check_variable_type(name, ty, init.initializer.is_some(), loc) {
            self.scopes.bind(name, Entity::Error, loc);
            return;
        }
        if specifiers.storage == Some(StorageClass::Static) || specifiers.thread_local {
            self.static_local(name, ty, align, specifiers, init, loc);
            return;
        }
        self.check_alignment(specifiers, ty, align);
        let Some(function) = &mut self.function else { return };
        let var = function.new_var(Some(name), ty, loc);
        function.vars[var.0 as usize].align = align.unwrap_or(1);
        if specifiers.storage == Some(StorageClass::Register) {
            function.registers.insert(var);
        }
        self.scopes.bind(name, Entity::Var(var), loc);
        if self.types.is_vla(ty.ty) {
            if init.initializer.is_some() {
                self.error(loc, "a variable-length array cannot be initialised");
            }
            let size = self.vla_size(ty, loc);
            out.push(Stmt { kind: StmtKind::Vla { var, size }, loc });
        } else if let Some(value) = checked {
            let init = Init::Expr(self.convert_to(value, ty, Context::Initialising));
            self.initialise_var(var, init, ty, loc, out);
        } else if let Some(initializer) = &init.initializer {
            let (init, complete) = self.initializer(initializer, ty, loc);
            self.initialise_var(var, init, complete, loc, out);
        }
        let attributes = specifiers.attributes.iter().chain(&declarator.attributes);
        if let Some(attribute) = attributes.into_iter().find(|a| a.name == self.words.cleanup) {
            self.cleanup(attribute, name, loc, out);
        }
    }

    /// What the attribute `cleanup(f)` of a variable asks for: `f(&variable)` when the block is left.
    fn cleanup(&mut self, attribute: &ast::Attribute, variable: Symbol, loc: Loc, out: &mut Vec<Stmt>) {
        let Some(function) = attribute.ident else {
            self.error(attribute.loc, "the attribute 'cleanup' needs the name of a function");
            return;
        };
        let expr = |kind| ast::Expr { kind, loc: attribute.loc };
        let named = |name| Box::new(expr(ast::ExprKind::Ident(name)));
        let address = expr(ast::ExprKind::Unary(ast::UnaryOp::AddressOf, named(variable)));
        let call = self.effect(&expr(ast::ExprKind::Call(named(function), vec![address])));
        out.push(Stmt { kind: StmtKind::Cleanup(call), loc });
    }

    fn initialise_var(&mut self, var: VarId, init: Init, complete: QualType, loc: Loc, out: &mut Vec<Stmt>) {
        if let (Init::List(parts), Some(size)) = (&init, self.size_of(complete))
            && parts.iter().any(|part| part.offset >= size && size > 0)
        {
            self.error(loc, "an array without a length is initialised in static objects only");
        }
        if let Some(function) = &mut self.function {
            function.vars[var.0 as usize].ty = complete;
        }
        self.flush_pending(out, loc);
        if let Init::Expr(e) = &init
            && self.is_error(e.ty)
        {
            return;
        }
        self.note_known(var, &init, complete);
        out.push(Stmt { kind: StmtKind::Init(var, init), loc });
    }

    /// Whether a variable can have the type; says why if not. An array of unknown length needs an initialiser.
    pub(super) fn check_variable_type(&mut self, name: Symbol, ty: QualType, initialised: bool, loc: Loc) -> bool {
        let incomplete = match self.kind(ty) {
            Type::Array { element, length: ArrayLength::Unknown } => !initialised || self.size_of(*element).is_none(),
            _ if self.function.is_some() && self.is_undefined_enum(ty) => true,
            _ => self.size_of(ty).is_none() && !self.types.is_vla(ty.ty),
        };
        if incomplete {
            let (text, name) = (self.text(ty), self.name(name).to_owned());
            let message = match self.kind(ty) {
                Type::Void => format!("the variable '{name}' cannot have type 'void'"),
                Type::Array { .. } => format!("the length of the array '{name}' is not known"),
                _ => format!("the variable '{name}' has the incomplete type {text}"),
            };
            let mut diagnostic = Diagnostic::error(loc, message);
            if let Type::Record(id) = self.kind(ty) {
                diagnostic = diagnostic.also(self.types.record(*id).loc, "declared here, but not defined");
            }
            self.report(diagnostic);
        }
        !incomplete
    }
}
