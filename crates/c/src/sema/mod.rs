//! The type checker: from the syntax tree to the typed tree, with every name resolved and every conversion explicit.
//!
//! It follows C11 with the GNU extensions that real and preprocessed code uses. What is not C is an error; one mistake
//! gives one message, because what is wrong gets the type [`Type::Error`](crate::ctype::Type::Error), about which
//! nothing further is said. Valid C whose meaning Norn does not model (values of `_Float16`, label
//! addresses) becomes an `Unsupported` node of the typed tree, so that it matters only where it is
//! reached.
//!
//! Constants are folded while the tree is built, except where folding would hide something from a later check (signed
//! overflow, division by zero, shifts out of range). `constant` evaluates what must be constant.
//!
//! Left out: warnings about style, `restrict`, and everything that only concerns optimisation.

mod abi;
mod aggregate;
mod assign;
mod call;
mod compat;
mod complex;
mod constant;
mod convert;
mod decl;
mod display;
mod elements;
mod enumeration;
mod expr;
mod fold;
mod function;
mod init;
mod jumps;
mod known;
mod long_double;
mod lookup;
mod member;
mod nested;
mod object;
mod operators;
mod primary;
mod record;
mod rules;
mod scope;
mod sizes;
mod static_init;
mod stmt;
mod suggest;
mod switch;
mod symbols;
mod types;
mod vector;
mod wide_field;

#[cfg(test)]
mod tests;

pub use abi::max_object_size;
pub(crate) use convert::Context;
pub use display::{declaration_text, type_text};
pub(crate) use static_init::x87_bytes;

use crate::ast;
use crate::ctype::{QualType, RecordId, Type, TypeId, Types};
use crate::intern::Symbol;
use crate::session::Session;
use crate::tree::{self, FunctionId, ObjectId};
use function::FunctionState;
use norn_ir::diag::{Diagnostic, Severity};
use norn_ir::source::Loc;
use norn_ir::types::Target;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Entity;
use scope::Scopes;

/// Checks a unit. Errors go to `session`; the tree is only meaningful when there are none.
pub fn check(session: &mut Session, types: &mut Types, unit: ast::TranslationUnit) -> tree::Unit {
    let mut checker = Checker::new(session, types);
    // Most of what stands at file scope of a large unit are declarations of functions.
    checker.unit.functions.reserve(unit.items.len() / 2);
    // Each item is given back before the next is checked: the typed tree takes its place in memory.
    for item in unit.items {
        if checker.session.too_many_errors() {
            break;
        }
        checker.item(&item);
    }
    checker.finish()
}

/// Looking for similar names takes time; after this many unknown names there are no more suggestions.
const MAX_HINTS: u32 = 50;

/// Something with linkage, whether or not its name is visible right now.
#[derive(Clone, Copy)]
enum Linked {
    Object(ObjectId),
    Function(FunctionId),
}

/// The state of checking one unit. `builtins` works on it too.
pub(crate) struct Checker<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) types: &'a mut Types,
    pub(crate) unit: tree::Unit,
    pub(crate) target: Target,
    scopes: Scopes,
    linked: FxHashMap<Symbol, Linked>,
    function: Option<Box<FunctionState>>,
    /// The functions around the current one, outermost first.
    outer: Vec<FunctionState>,
    /// Whether the body that was checked last needs the frame of a function around it.
    last_uses_chain: bool,
    long_double: long_double::Functions,
    /// The functions that are defined inside of others.
    nested: FxHashMap<FunctionId, nested::Nested>,
    strings: FxHashMap<(u8, Vec<u32>), ObjectId>,
    /// Assignments to the variables that hold array lengths, not yet part of the tree.
    pending: Vec<tree::Expr>,
    /// Inside how many operands of `sizeof`, `typeof` and the like we are.
    unevaluated: u32,
    /// Inside how many parameter lists of declarations that define nothing we are.
    prototypes: u32,
    transparent_unions: FxHashSet<RecordId>,
    /// Records with a const member, at any depth.
    const_records: FxHashSet<RecordId>,
    /// How many names may still be compared with all others to find a similar one.
    hints_left: u32,
    /// Functions that were called before any declaration of them.
    implicit: FxHashSet<FunctionId>,
    /// Undeclared names that were reported already.
    reported: FxHashSet<Symbol>,
    words: Words,
}

/// Names that the checker looks for.
struct Words {
    alias: Symbol,
    asm_label: Symbol,
    aligned: Symbol,
    cleanup: Symbol,
    constructor: Symbol,
    destructor: Symbol,
    mode: Symbol,
    noreturn: Symbol,
    packed: Symbol,
    transparent_union: Symbol,
    vector_size: Symbol,
    weak: Symbol,
    func: [Symbol; 3],
}

impl<'a> Checker<'a> {
    pub(crate) fn new(session: &'a mut Session, types: &'a mut Types) -> Checker<'a> {
        let target = session.options.target;
        let symbols = &mut session.symbols;
        let words = Words {
            alias: symbols.intern("alias"),
            asm_label: symbols.intern("(label of asm)"),
            aligned: symbols.intern("aligned"),
            cleanup: symbols.intern("cleanup"),
            constructor: symbols.intern("constructor"),
            destructor: symbols.intern("destructor"),
            mode: symbols.intern("mode"),
            noreturn: symbols.intern("noreturn"),
            packed: symbols.intern("packed"),
            transparent_union: symbols.intern("transparent_union"),
            vector_size: symbols.intern("vector_size"),
            weak: symbols.intern("weak"),
            func: [symbols.intern("__func__"), symbols.intern("__FUNCTION__"), symbols.intern("__PRETTY_FUNCTION__")],
        };
        let mut scopes: Scopes = session.kept.take().unwrap_or_default();
        let va_list = types.intern(Type::Pointer(QualType::unqualified(TypeId::VOID)));
        let built_in = [
            ("__builtin_va_list", va_list),
            ("__int128_t", TypeId::of_int(crate::ctype::IntType::Int128)),
            ("__uint128_t", TypeId::of_int(crate::ctype::IntType::UnsignedInt128)),
        ];
        // The wide integers are there where pointers have 64 bits.
        let there = if target.pointer_size() == 4 { 1 } else { built_in.len() };
        for (name, ty) in built_in.into_iter().take(there) {
            let entity = Entity::Typedef(QualType::unqualified(ty), None);
            scopes.bind(symbols.intern(name), entity, Loc::NONE);
        }
        Checker {
            session,
            types,
            unit: tree::Unit::default(),
            target,
            scopes,
            linked: FxHashMap::default(),
            function: None,
            outer: Vec::new(),
            last_uses_chain: false,
            long_double: None,
            nested: FxHashMap::default(),
            strings: FxHashMap::default(),
            pending: Vec::new(),
            unevaluated: 0,
            prototypes: 0,
            transparent_unions: FxHashSet::default(),
            const_records: FxHashSet::default(),
            hints_left: MAX_HINTS,
            implicit: FxHashSet::default(),
            reported: FxHashSet::default(),
            words,
        }
    }

    fn finish(mut self) -> tree::Unit {
        self.complete_objects();
        self.scopes.clear();
        self.session.kept.put(self.scopes);
        self.unit
    }

    // ---- messages

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Warning
            && let Some(label) = diagnostic.labels.first()
            && self.session.sources.in_system_header(label.loc)
        {
            return;
        }
        self.session.report(diagnostic);
    }

    pub(crate) fn error(&mut self, loc: Loc, message: impl Into<String>) {
        self.report(Diagnostic::error(loc, message));
    }

    pub(crate) fn warn(&mut self, loc: Loc, message: impl Into<String>) {
        self.report(Diagnostic::warning(loc, message));
    }

    pub(crate) fn name(&self, name: Symbol) -> &str {
        self.session.symbols.name(name)
    }

    /// A type as C writes it, in quotes.
    pub(crate) fn text(&self, ty: QualType) -> String {
        format!("'{}'", type_text(self.types, &self.session.symbols, ty))
    }

    // ---- types

    pub(crate) fn kind(&self, ty: QualType) -> &Type {
        self.types.get(ty.ty)
    }

    pub(crate) fn pointer_to(&mut self, pointee: QualType) -> QualType {
        QualType::unqualified(self.types.intern(Type::Pointer(pointee)))
    }

    /// What a pointer type points to.
    pub(crate) fn pointee(&self, ty: QualType) -> Option<QualType> {
        match self.kind(ty) {
            Type::Pointer(pointee) => Some(*pointee),
            _ => None,
        }
    }

    pub(crate) fn int_type(&self) -> QualType {
        QualType::unqualified(TypeId::INT)
    }

    pub(crate) fn void_type(&self) -> QualType {
        QualType::unqualified(TypeId::VOID)
    }

    pub(crate) fn size_type(&self) -> QualType {
        QualType::unqualified(match self.target {
            Target::Ilp32 => TypeId::UNSIGNED_INT,
            Target::Lp64 => TypeId::UNSIGNED_LONG,
        })
    }

    pub(crate) fn ptrdiff_type(&self) -> QualType {
        QualType::unqualified(match self.target {
            Target::Ilp32 => TypeId::INT,
            Target::Lp64 => TypeId::LONG,
        })
    }

    pub(crate) fn is_error(&self, ty: QualType) -> bool {
        ty.ty == TypeId::ERROR
    }

    pub(crate) fn is_integer(&self, ty: QualType) -> bool {
        matches!(self.kind(ty), Type::Bool | Type::Int(_) | Type::Enum(_))
    }

    pub(crate) fn is_arithmetic(&self, ty: QualType) -> bool {
        self.is_integer(ty) || matches!(self.kind(ty), Type::Float(_) | Type::Half | Type::Quad)
    }

    pub(crate) fn is_bool(&self, ty: QualType) -> bool {
        matches!(self.kind(ty), Type::Bool)
    }

    /// Bytes of a pointer.
    pub(crate) fn pointer_size(&self) -> u64 {
        self.target.pointer_size()
    }

    pub(crate) fn is_pointer(&self, ty: QualType) -> bool {
        matches!(self.kind(ty), Type::Pointer(_))
    }

    pub(crate) fn is_scalar(&self, ty: QualType) -> bool {
        self.is_arithmetic(ty) || self.is_pointer(ty)
    }

    pub(crate) fn is_record(&self, ty: QualType) -> bool {
        matches!(self.kind(ty), Type::Record(_))
    }

    pub(crate) fn size_of(&self, ty: QualType) -> Option<u64> {
        self.types.size_of(ty.ty, self.target)
    }

    /// Whether values of a type have 128 bits.
    pub(crate) fn is_wide(&self, ty: QualType) -> bool {
        matches!(self.kind(ty), Type::Int(crate::ctype::IntType::Int128 | crate::ctype::IntType::UnsignedInt128))
    }

    /// The name of a type whose values Norn cannot handle.
    pub(crate) fn unsupported_values(&self, ty: QualType) -> Option<&'static str> {
        match self.kind(ty) {
            Type::Half => Some("a value of half precision"),
            Type::Quad => Some("a value of type '_Float128'"),
            Type::Complex(part) | Type::Vector { element: part, .. } => {
                self.unsupported_values(QualType::unqualified(*part))
            }
            _ => None,
        }
    }
}
