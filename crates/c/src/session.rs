//! What all stages of the front end share while one program is being read.

use crate::intern::{Interner, Symbol};
use norn_ir::diag::{Diagnostic, Severity};
use norn_ir::source::{Loc, SourceId, SourceMap};
use rustc_hash::{FxHashMap, FxHashSet};
use std::any::{Any, TypeId};
use std::path::PathBuf;

/// The data model of the target: sizes of `int`, `long` and pointers.
pub use norn_ir::types::Target;

/// The options that concern C, the same in every command that reads C.
#[derive(Clone, Debug)]
pub struct Options {
    pub target: Target,
    /// `-I`, in order.
    pub include_dirs: Vec<PathBuf>,
    /// `-D NAME[=VALUE]` and `-U NAME`, in order, as written after the flag.
    pub macros: Vec<MacroOption>,
    /// `-include FILE`, in order.
    pub forced_includes: Vec<PathBuf>,
    /// Functions without body and model return nondeterministic values instead of making the verdict unknown.
    pub undefined_functions_return_nondet: bool,
    /// The function in which the program starts.
    pub entry: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MacroOption {
    Define(String),
    Undefine(String),
}

impl Default for Options {
    fn default() -> Options {
        Options {
            target: Target::Lp64,
            include_dirs: Vec::new(),
            macros: Vec::new(),
            forced_includes: Vec::new(),
            undefined_functions_return_nondet: false,
            entry: "main".to_owned(),
        }
    }
}

/// After this many errors the rest is not reported.
pub const MAX_ERRORS: usize = 20;
/// The same for what is no error.
const MAX_WARNINGS: usize = 200;

/// Texts, names and findings of one run of the front end.
#[derive(Debug, Default)]
pub struct Session {
    pub options: Options,
    pub sources: SourceMap,
    pub symbols: Interner,
    pub diagnostics: Vec<Diagnostic>,
    /// Functions to which some unit of the program gives a body; known before the first unit is checked.
    pub defined_functions: FxHashSet<Symbol>,
    /// The built-in headers that have been read, by the name that is shown for them.
    pub(crate) builtin_headers: FxHashMap<String, SourceId>,
    pub(crate) kept: Kept,
    errors: usize,
    warnings: usize,
}

/// What a stage keeps from one text to the next, by its type: the session knows no stage.
#[derive(Debug, Default)]
pub(crate) struct Kept(FxHashMap<TypeId, Box<dyn Any>>);

impl Kept {
    pub(crate) fn take<T: Any>(&mut self) -> Option<T> {
        let kept = self.0.remove(&TypeId::of::<T>())?;
        kept.downcast().ok().map(|kept| *kept)
    }

    pub(crate) fn put<T: Any>(&mut self, kept: T) {
        self.0.insert(TypeId::of::<T>(), Box::new(kept));
    }
}

impl Session {
    pub fn new(options: Options) -> Session {
        Session { options, ..Session::default() }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
            if self.errors > MAX_ERRORS {
                return;
            }
        } else {
            // One of what is unsupported is enough to say so, whatever came before.
            let is_first_of_its_kind = diagnostic.severity == Severity::Unsupported && !self.has_unsupported();
            self.warnings += 1;
            if self.warnings == MAX_WARNINGS + 1 {
                let message = format!("there are more than {MAX_WARNINGS} warnings; the others are not shown");
                self.diagnostics.push(Diagnostic::warning(Loc::NONE, message));
            }
            if self.warnings > MAX_WARNINGS && !is_first_of_its_kind {
                return;
            }
        }
        self.diagnostics.push(diagnostic);
    }

    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Whether something was found that must not be ignored although it is C.
    pub fn has_unsupported(&self) -> bool {
        self.diagnostics.iter().any(|found| found.severity == Severity::Unsupported)
    }

    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether there is no point in looking for more errors.
    pub fn too_many_errors(&self) -> bool {
        self.errors >= MAX_ERRORS
    }
}
