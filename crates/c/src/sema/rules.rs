//! Rules about specifiers and declarators that depend on what is declared (C11 6.7): a compiler rejects what breaks them.

use super::Checker;
use crate::ast::{self, Derivation, StorageClass};
use crate::ctype::{ArrayLength, QualType, Type};
use norn_ir::source::Loc;

/// What a declaration declares.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Declared {
    FileScope,
    Local,
    Parameter,
    Member,
}

impl Checker<'_> {
    /// `restrict` is for pointers to objects, `_Atomic` for neither arrays nor functions.
    pub(super) fn check_qualifiers(&mut self, ty: QualType, added: ast::Qualifiers, loc: Loc) {
        if self.is_error(ty) {
            return;
        }
        if added.is_restrict {
            let mut element = ty;
            while let Type::Array { element: inner, .. } = self.kind(element) {
                element = *inner;
            }
            let fits = self.pointee(element).is_some_and(|to| !matches!(self.kind(to), Type::Function(_)));
            if !fits && !self.is_error(element) {
                let text = self.text(ty);
                self.error(loc, format!("'restrict' is for pointers to objects, not for {text}"));
            }
        }
        if added.is_atomic && matches!(self.kind(ty), Type::Array { .. } | Type::Function(_)) {
            let text = self.text(ty);
            self.error(loc, format!("'_Atomic' cannot be applied to {text}"));
        }
    }

    /// The operand of `_Atomic(…)` is unqualified.
    pub(super) fn check_atomic_operand(&mut self, ty: QualType, loc: Loc) {
        if ty.qualifiers != ast::Qualifiers::default() && !self.is_error(ty) {
            let text = self.text(ty);
            self.error(loc, format!("'_Atomic' cannot be applied to the qualified type {text}"));
        }
    }

    /// Storage classes, `_Thread_local` and `_Alignas` where they do not belong.
    pub(super) fn check_specifiers(&mut self, specifiers: &ast::Specifiers, ty: QualType, declared: Declared) {
        let is_function = matches!(self.kind(ty), Type::Function(_));
        let (loc, storage) = (specifiers.loc, specifiers.storage);
        if declared == Declared::Parameter && storage.is_some_and(|class| class != StorageClass::Register) {
            self.error(loc, "a parameter has no storage class but 'register'");
        }
        let may_be_static = matches!(storage, Some(StorageClass::Static | StorageClass::Extern));
        let fits = match declared {
            _ if is_function => false,
            Declared::FileScope => storage.is_none() || may_be_static,
            Declared::Local => may_be_static,
            Declared::Parameter | Declared::Member => false,
        };
        if specifiers.thread_local && !fits {
            let help = match declared {
                Declared::Local => "a thread-local variable inside of a function needs 'static' or 'extern'",
                _ => "'_Thread_local' is for variables only",
            };
            self.error(loc, help);
        }
        if declared == Declared::Local && is_function && storage == Some(StorageClass::Static) {
            self.error(loc, "a function that is declared inside of a function cannot be 'static'");
        }
        let unalignable = is_function
            || declared == Declared::Parameter
            || matches!(storage, Some(StorageClass::Typedef | StorageClass::Register));
        if !specifiers.alignments.is_empty() && unalignable {
            self.error(loc, "'_Alignas' is for variables and members only");
        }
    }

    /// `_Alignas` cannot ask for less than the type needs.
    pub(super) fn check_alignment(&mut self, specifiers: &ast::Specifiers, ty: QualType, align: Option<u64>) {
        let natural = self.types.align_of(ty, self.target);
        if !specifiers.alignments.is_empty() && align.is_some_and(|asked| asked < natural) {
            let text = self.text(ty);
            self.error(specifiers.loc, format!("'_Alignas' asks for less than the alignment of {text}, {natural}"));
        }
    }

    /// `[static 3]`, `[const]` and `[*]` are for parameters, the first two for their outermost array.
    pub(super) fn check_array(&mut self, derivation: &Derivation, outermost_of_parameter: bool) {
        let Derivation::Array { qualifiers, is_static, size, loc } = derivation else { return };
        if !outermost_of_parameter && (*is_static || *qualifiers != ast::Qualifiers::default()) {
            self.error(*loc, "'static' and qualifiers are for the outermost array of a parameter");
        }
        if matches!(size, ast::ArraySize::Star) && !self.in_prototype() {
            self.error(*loc, "'[*]' is for the parameters of a declaration that is no definition");
        }
    }

    /// Whether an array can have such elements; says so if not.
    pub(super) fn check_element(&mut self, element: QualType, loc: Loc) -> bool {
        let bad = match self.kind(element) {
            Type::Error => return true,
            Type::Void | Type::Function(_) | Type::Array { length: ArrayLength::Unknown, .. } => true,
            _ => self.size_of(element).is_none() && !self.types.is_vla(element.ty),
        };
        if bad {
            let text = self.text(element);
            self.error(loc, format!("an array cannot have elements of type {text}"));
        }
        !bad
    }

    /// Whether a type is one of arrays whose length is computed, or leads to one.
    pub(super) fn is_variably_modified(&self, ty: QualType) -> bool {
        let mut ty = ty;
        loop {
            if self.types.is_vla(ty.ty) {
                return true;
            }
            match self.kind(ty) {
                Type::Pointer(to) => ty = *to,
                Type::Array { element, .. } => ty = *element,
                _ => return false,
            }
        }
    }

    /// Whether an enumeration that was declared still lacks its definition.
    pub(super) fn is_undefined_enum(&self, ty: QualType) -> bool {
        matches!(self.kind(ty), Type::Enum(id) if self.types.enumeration(*id).underlying.is_none())
    }
}
