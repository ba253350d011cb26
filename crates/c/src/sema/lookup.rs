//! What identifiers in expressions stand for.

use super::scope::Entity;
use super::{Checker, Linked, suggest};
use crate::ctype::{FunctionType, QualType, Type, TypeId};
use crate::intern::Symbol;
use crate::tree::{Expr, ExprKind, Function, FunctionId, Linkage, Symbolic};
use norn_ir::diag::Diagnostic;
use norn_ir::number::narrow;
use norn_ir::source::Loc;

impl Checker<'_> {
    pub(super) fn identifier(&mut self, name: Symbol, loc: Loc) -> Expr {
        let binding = self.scopes.name(name);
        match binding.map(|b| b.entity) {
            Some(Entity::Var(var)) => match self.owner(binding.map_or(0, |b| b.depth)) {
                Some(owner) => self.captured(owner, var, loc),
                None => self.var(var, loc),
            },
            Some(Entity::Object(id)) => {
                let ty = self.unit.objects[id.0 as usize].ty;
                Expr { kind: ExprKind::Object(id), ty, loc }
            }
            Some(Entity::Function(id)) => self.function_designator(id, loc),
            Some(Entity::Constant(bits, ty)) => self.int_constant(i128::from(bits), QualType::unqualified(ty), loc),
            Some(Entity::PrototypeParam(ty)) => self.unsupported("a parameter of a prototype", ty, loc),
            Some(Entity::Typedef(..)) => {
                let message = format!("'{}' is a type, but a value is needed here", self.name(name));
                self.error(loc, message);
                self.error_expr(loc)
            }
            Some(Entity::Error) => self.error_expr(loc),
            None if self.words.func.contains(&name) => self.function_name(name, loc),
            None => {
                self.undeclared(name, loc);
                self.error_expr(loc)
            }
        }
    }

    pub(super) fn function_designator(&self, id: FunctionId, loc: Loc) -> Expr {
        let ty = QualType::unqualified(self.unit.functions[id.0 as usize].ty);
        Expr { kind: ExprKind::Function(id), ty, loc }
    }

    /// `__func__` and its older names.
    fn function_name(&mut self, name: Symbol, loc: Loc) -> Expr {
        let Some(function) = &self.function else {
            let message = format!("'{}' is only defined inside of functions", self.name(name));
            self.error(loc, message);
            return self.error_expr(loc);
        };
        let text = self.name(function.name).to_owned();
        let object = self.string_object(&text, loc);
        let Type::Array { element, length } = *self.kind(object.ty) else { return object };
        let mut element = element;
        element.qualifiers.is_const = true;
        let ty = QualType::unqualified(self.types.intern(Type::Array { element, length }));
        Expr { ty, ..object }
    }

    fn undeclared(&mut self, name: Symbol, loc: Loc) {
        if !self.reported.insert(name) {
            return;
        }
        let text = self.name(name).to_owned();
        let diagnostic = Diagnostic::error(loc, format!("'{text}' is not declared")).covering(narrow(text.len()));
        let diagnostic = match self.declaration_hint(&text) {
            Some(hint) => diagnostic.help(hint),
            None => diagnostic,
        };
        self.report(diagnostic);
    }

    fn declaration_hint(&mut self, text: &str) -> Option<String> {
        if let Some(header) = suggest::header_of(text) {
            return Some(format!("it is declared in <{header}>: add '#include <{header}>'"));
        }
        self.hints_left = self.hints_left.checked_sub(1)?;
        let names = self.scopes.visible().map(|s| self.session.symbols.name(s)).filter(|n| !n.starts_with("__"));
        suggest::similar(text, names).map(|similar| format!("did you mean '{similar}'?"))
    }

    /// Declares `int name()` because it is called without any declaration.
    pub(super) fn implicit_function(&mut self, name: Symbol, loc: Loc) -> FunctionId {
        if let Some(Linked::Function(id)) = self.linked.get(&name) {
            return *id;
        }
        let text = self.name(name).to_owned();
        let diagnostic = Diagnostic::warning(loc, format!("'{text}' is called without a declaration"));
        let hint = self.declaration_hint(&text).unwrap_or_else(|| format!("'int {text}()' is assumed"));
        self.report(diagnostic.covering(narrow(text.len())).help(hint));
        let result = self.int_type();
        let ty = FunctionType { result, params: Vec::new(), variadic: false, prototyped: false };
        let ty = self.types.intern(Type::Function(ty));
        let id = self.linked_function(name, ty, loc);
        self.implicit.insert(id);
        self.scopes.bind_at_file_scope(name, Entity::Function(id), loc);
        // The block has the declaration: there the name can be nothing else.
        self.scopes.bind(name, Entity::Function(id), loc);
        id
    }

    /// The function of this name with linkage, made with the given type if nothing has declared it.
    pub(crate) fn linked_function(&mut self, name: Symbol, ty: TypeId, loc: Loc) -> FunctionId {
        if let Some(Linked::Function(id)) = self.linked.get(&name) {
            return *id;
        }
        self.add_function(Function {
            symbolic: Symbolic::default(),
            name,
            ty,
            linkage: Linkage::External,
            inline: false,
            inline_only: false,
            noreturn: false,
            constructor: None,
            destructor: None,
            body: None,
            loc,
        })
    }

    pub(super) fn add_function(&mut self, function: Function) -> FunctionId {
        let id = FunctionId::new(self.unit.functions.len());
        self.linked.insert(function.name, Linked::Function(id));
        self.unit.functions.push(function);
        id
    }
}
