//! Objects and functions with linkage or static storage: declarations of one name, merged.

use super::scope::Entity;
use super::{Checker, Linked};
use crate::ast::{self, StorageClass};
use crate::ctype::{ArrayLength, QualType, Type};
use crate::intern::Symbol;
use crate::tree::{Definition, Function, FunctionId, Linkage, Object, ObjectId, Symbolic};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

/// Whether a declaration of a function is a definition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Defines {
    No,
    /// The body is for inlining only; another definition may follow.
    ForInlining,
    Whole,
}

impl Checker<'_> {
    /// Declares an object with linkage; `None` if that contradicts an earlier declaration.
    pub(super) fn declare_object(
        &mut self,
        name: Symbol,
        ty: QualType,
        align: Option<u64>,
        specifiers: &ast::Specifiers,
        initialised: bool,
        loc: Loc,
    ) -> Option<ObjectId> {
        let is_extern = specifiers.storage == Some(StorageClass::Extern) && !initialised;
        let is_static = specifiers.storage == Some(StorageClass::Static);
        if !is_extern {
            let tentative_array =
                matches!(self.kind(ty), Type::Array { length: ArrayLength::Unknown, .. }) || self.is_record(ty);
            if !tentative_array && !self.check_variable_type(name, ty, initialised, loc) {
                self.scopes.bind(name, Entity::Error, loc);
                return None;
            }
        }
        if let Some(earlier) = self.scopes.name_here(name)
            && !matches!(earlier.entity, Entity::Object(_) | Entity::Error)
        {
            self.redeclared(name, "as something else", loc, earlier.loc);
            return None;
        }
        self.check_alignment(specifiers, ty, align);
        let natural = self.types.align_of(ty, self.target);
        let align = align.unwrap_or(1).max(natural);
        match self.linked.get(&name).copied() {
            Some(Linked::Object(id)) => {
                let earlier = &self.unit.objects[id.0 as usize];
                if earlier.thread_local != specifiers.thread_local {
                    let how = match specifiers.thread_local {
                        true => "as thread-local; it was not",
                        false => "without '_Thread_local'",
                    };
                    let earlier = earlier.loc;
                    self.redeclared(name, how, loc, earlier);
                }
                self.merge_object(id, name, ty, align, (is_extern, is_static, initialised), loc)
            }
            Some(Linked::Function(id)) => {
                let earlier = self.unit.functions[id.0 as usize].loc;
                self.redeclared(name, "as an object; it was a function", loc, earlier);
                None
            }
            None => {
                let definition = if is_extern { Definition::Declared } else { Definition::Tentative };
                let id = self.add_object(Object {
                    symbolic: Symbolic::default(),
                    name: Some(self.name(name).to_owned()),
                    ty,
                    align,
                    linkage: if is_static { Linkage::Internal } else { Linkage::External },
                    thread_local: specifiers.thread_local,
                    constant: self.is_constant_object(ty),
                    definition,
                    loc,
                });
                self.linked.insert(name, Linked::Object(id));
                Some(id)
            }
        }
    }

    fn merge_object(
        &mut self,
        id: ObjectId,
        name: Symbol,
        ty: QualType,
        align: u64,
        (is_extern, is_static, initialised): (bool, bool, bool),
        loc: Loc,
    ) -> Option<ObjectId> {
        let earlier = &self.unit.objects[id.0 as usize];
        let (earlier_ty, earlier_loc) = (earlier.ty, earlier.loc);
        if !self.compatible_qualified(earlier_ty, ty) {
            let how = format!("as {}; it was {}", self.text(ty), self.text(earlier_ty));
            self.redeclared(name, &how, loc, earlier_loc);
            return Some(id);
        }
        let earlier = &self.unit.objects[id.0 as usize];
        let was_static = earlier.linkage == Linkage::Internal;
        if (is_static && !was_static) || (!is_static && !is_extern && was_static) {
            let how = if is_static { "as 'static'; it was not" } else { "without 'static'" };
            self.redeclared(name, how, loc, earlier_loc);
        }
        if initialised && matches!(self.unit.objects[id.0 as usize].definition, Definition::Initialised(_)) {
            let message = format!("'{}' is initialised twice", self.name(name));
            self.report(Diagnostic::error(loc, message).also(earlier_loc, "initialised here before"));
        }
        let ty = QualType { ty: self.composite(earlier_ty.ty, ty.ty), qualifiers: earlier_ty.qualifiers };
        let object = &mut self.unit.objects[id.0 as usize];
        object.ty = ty;
        object.align = object.align.max(align);
        if !is_extern && matches!(object.definition, Definition::Declared) {
            object.definition = Definition::Tentative;
            object.loc = loc;
        }
        Some(id)
    }

    pub(super) fn initialise_object(&mut self, id: ObjectId, initializer: &ast::Initializer, loc: Loc) {
        let ty = self.unit.objects[id.0 as usize].ty;
        let (init, ty) = self.initializer(initializer, ty, loc);
        let parts = self.static_init(init, ty);
        let object = &mut self.unit.objects[id.0 as usize];
        object.ty = ty;
        object.loc = loc;
        object.definition = Definition::Initialised(parts);
    }

    /// A `static` variable of a function.
    pub(super) fn static_local(
        &mut self,
        name: Symbol,
        ty: QualType,
        align: Option<u64>,
        specifiers: &ast::Specifiers,
        init: &ast::InitDeclarator,
        loc: Loc,
    ) {
        if self.types.is_vla(ty.ty) {
            self.error(loc, "a static variable cannot be a variable-length array");
            self.scopes.bind(name, Entity::Error, loc);
            return;
        }
        self.check_alignment(specifiers, ty, align);
        let function = self.function.as_ref().map_or(String::new(), |f| self.name(f.name).to_owned());
        let natural = self.types.align_of(ty, self.target);
        let id = self.add_object(Object {
            symbolic: Symbolic::default(),
            name: Some(format!("{function}.{}", self.name(name))),
            ty,
            align: align.unwrap_or(1).max(natural),
            linkage: Linkage::Internal,
            thread_local: specifiers.thread_local,
            constant: self.is_constant_object(ty),
            definition: Definition::Initialised(Vec::new()),
            loc,
        });
        self.scopes.bind(name, Entity::Object(id), loc);
        if let Some(initializer) = &init.initializer {
            self.initialise_object(id, initializer, loc);
        }
    }

    /// Whether an object never changes: const, all the way into arrays, and not volatile.
    pub(super) fn is_constant_object(&self, ty: QualType) -> bool {
        match self.kind(ty) {
            Type::Array { element, .. } => self.is_constant_object(*element),
            _ => ty.qualifiers.is_const && !ty.qualifiers.is_volatile,
        }
    }

    /// Declares a function at file scope; `None` if that contradicts an earlier declaration.
    pub(super) fn declare_function(
        &mut self,
        name: Symbol,
        ty: QualType,
        specifiers: &ast::Specifiers,
        noreturn: bool,
        defines: Defines,
        loc: Loc,
    ) -> Option<FunctionId> {
        if self.is_error(ty) {
            self.scopes.bind_at_file_scope(name, Entity::Error, loc);
            return None;
        }
        let is_static = specifiers.storage == Some(StorageClass::Static);
        let earlier = match self.linked.get(&name).copied() {
            Some(Linked::Function(id)) => Some(id),
            Some(Linked::Object(id)) => {
                let earlier = self.unit.objects[id.0 as usize].loc;
                self.redeclared(name, "as a function; it was an object", loc, earlier);
                return None;
            }
            None => None,
        };
        let id = match earlier {
            None => {
                if let Some(binding) = self.scopes.name(name)
                    && binding.depth == 0
                    && !matches!(binding.entity, Entity::Error)
                {
                    self.redeclared(name, "as a function", loc, binding.loc);
                    return None;
                }
                self.add_function(Function {
                    symbolic: Symbolic::default(),
                    name,
                    ty: ty.ty,
                    linkage: if is_static { Linkage::Internal } else { Linkage::External },
                    inline: specifiers.inline,
                    inline_only: defines == Defines::ForInlining,
                    noreturn,
                    constructor: None,
                    destructor: None,
                    body: None,
                    loc,
                })
            }
            Some(id) => {
                self.merge_function(id, ty, specifiers, noreturn, defines, loc);
                id
            }
        };
        self.scopes.bind_at_file_scope(name, Entity::Function(id), loc);
        Some(id)
    }

    fn merge_function(
        &mut self,
        id: FunctionId,
        ty: QualType,
        specifiers: &ast::Specifiers,
        noreturn: bool,
        defines: Defines,
        loc: Loc,
    ) {
        let is_static = specifiers.storage == Some(StorageClass::Static);
        let earlier = &self.unit.functions[id.0 as usize];
        let (name, earlier_ty, earlier_loc) = (earlier.name, earlier.ty, earlier.loc);
        let was_static = earlier.linkage == Linkage::Internal;
        let implicit = self.implicit.contains(&id);
        // The real definition may follow one that is for inlining only, also if it is `static`.
        let is_real = is_static || !specifiers.inline;
        let replaces = defines == Defines::Whole && earlier.inline_only && is_real;
        let redefined = defines != Defines::No && earlier.body.is_some() && !replaces;
        let defines = (defines != Defines::No, defines == Defines::ForInlining);
        let merged = if self.compatible(earlier_ty, ty.ty) {
            self.composite(earlier_ty, ty.ty)
        } else {
            let how = format!("as {}; it was {}", self.text(ty), self.text(QualType::unqualified(earlier_ty)));
            if implicit {
                let message = format!("'{}' is declared {how} because it was called before", self.name(name));
                self.report(Diagnostic::warning(loc, message).also(earlier_loc, "called here without a declaration"));
            } else {
                self.redeclared(name, &how, loc, earlier_loc);
            }
            ty.ty
        };
        if is_static && !was_static && !implicit && !replaces {
            self.redeclared(name, "as 'static'; it was not", loc, earlier_loc);
        }
        if redefined {
            let message = format!("'{}' is defined twice", self.name(name));
            self.report(Diagnostic::error(loc, message).also(earlier_loc, "the first definition"));
        }
        if !implicit || defines.0 {
            self.implicit.remove(&id);
        }
        let function = &mut self.unit.functions[id.0 as usize];
        function.ty = merged;
        function.noreturn |= noreturn;
        function.inline = specifiers.inline || (!defines.0 && function.inline);
        if defines.0 {
            function.inline_only = defines.1;
        }
        if is_static {
            function.linkage = Linkage::Internal;
        }
        if defines.0 || implicit {
            function.loc = loc;
        }
    }

    /// Completes what only the end of the unit can complete: tentative definitions.
    pub(super) fn complete_objects(&mut self) {
        for index in 0..self.unit.objects.len() {
            let object = &self.unit.objects[index];
            let (ty, loc) = (object.ty, object.loc);
            if matches!(object.definition, Definition::Tentative) {
                let name = object.name.clone().unwrap_or_default();
                match *self.kind(ty) {
                    Type::Array { element, length: ArrayLength::Unknown } => {
                        self.warn(loc, format!("the array '{name}' is assumed to have one element"));
                        let length = ArrayLength::Known(1);
                        let ty = QualType::unqualified(self.types.intern(Type::Array { element, length }));
                        self.unit.objects[index].ty = ty;
                    }
                    Type::Record(id) if self.types.record(id).body.is_none() => {
                        let text = self.text(ty);
                        let declared = self.types.record(id).loc;
                        self.report(
                            Diagnostic::error(loc, format!("the variable '{name}' has the incomplete type {text}"))
                                .also(declared, "declared here, but not defined"),
                        );
                    }
                    Type::Enum(_) if self.is_undefined_enum(ty) => {
                        let text = self.text(ty);
                        self.error(loc, format!("the variable '{name}' has the incomplete type {text}"));
                    }
                    _ => {}
                }
            }
            let natural = self.types.align_of(self.unit.objects[index].ty, self.target);
            let object = &mut self.unit.objects[index];
            object.align = object.align.max(natural);
        }
    }
}
