//! What all stages of the front end share while one program is being read.

use crate::intern::{Interner, Symbol};
use norn_ir::diag::{Diagnostic, Severity};
use norn_ir::source::{Loc, SourceId, SourceMap};
use rustc_hash::{FxHashMap, FxHashSet};
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The data model of the target: sizes of `int`, `long` and pointers.
pub use norn_ir::types::Target;

/// The options that concern C, the same in every command that reads C.
#[derive(Clone, Debug)]
pub struct Options {
    pub target: Target,
    /// `-I`, in order.
    pub include_dirs: Vec<PathBuf>,
    /// `-iquote`, in order: for `#include "…"` only, before the others.
    pub quote_dirs: Vec<PathBuf>,
    /// `-D NAME[=VALUE]` and `-U NAME`, in order, as written after the flag.
    pub macros: Vec<MacroOption>,
    /// `-include FILE`, in order.
    pub forced_includes: Vec<PathBuf>,
    /// The headers and macros of a system, in place of the built-in ones.
    pub system: Option<System>,
    /// What to do where a header is missing that only a system has.
    pub header_help: Option<String>,
    /// Functions without body and model return nondeterministic values instead of making the verdict unknown.
    pub undefined_functions_return_nondet: bool,
    /// Each allocation may fail.
    pub malloc_may_fail: bool,
    /// To call `abort` is a violation, not an end like any other.
    pub abort_is_error: bool,
    /// Freed memory may be given out again.
    pub reuse_memory: bool,
    /// The arguments that the program is started with; `None` for any.
    pub arguments: Option<Vec<Vec<u8>>>,
    /// The function in which the program starts.
    pub entry: String,
    /// Texts that are read in place of the files of these names.
    pub texts: BTreeMap<PathBuf, Arc<str>>,
}

/// What one file is read with, where files differ: the options of the same names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileOptions {
    pub include_dirs: Vec<PathBuf>,
    pub quote_dirs: Vec<PathBuf>,
    pub macros: Vec<MacroOption>,
    pub forced_includes: Vec<PathBuf>,
}

/// What a C compiler of the system brings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct System {
    /// Where it looks for headers, in order, after all `-I`.
    pub include_dirs: Vec<PathBuf>,
    /// The macros that it defines before the first line, as `#define` directives.
    pub predefined: String,
}

impl Options {
    /// Exchanges what files are read with.
    pub fn swap(&mut self, file: &mut FileOptions) {
        std::mem::swap(&mut self.include_dirs, &mut file.include_dirs);
        std::mem::swap(&mut self.quote_dirs, &mut file.quote_dirs);
        std::mem::swap(&mut self.macros, &mut file.macros);
        std::mem::swap(&mut self.forced_includes, &mut file.forced_includes);
    }
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
            quote_dirs: Vec::new(),
            macros: Vec::new(),
            forced_includes: Vec::new(),
            system: None,
            header_help: None,
            undefined_functions_return_nondet: false,
            malloc_may_fail: false,
            abort_is_error: false,
            reuse_memory: false,
            arguments: None,
            entry: "main".to_owned(),
            texts: BTreeMap::new(),
        }
    }
}

/// After this many errors the rest is not reported.
pub const MAX_ERRORS: usize = 20;
/// After this many warnings and unsupported constructs the rest is not reported.
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

/// What was found before something that is looked at on its own.
#[derive(Debug)]
pub struct Findings {
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Session {
    /// Puts all findings aside, so that those of one file can be told from those of others.
    pub fn put_aside(&mut self) -> Findings {
        Findings {
            diagnostics: std::mem::take(&mut self.diagnostics),
            errors: std::mem::take(&mut self.errors),
            warnings: std::mem::take(&mut self.warnings),
        }
    }

    /// Takes up the findings that were put aside, and returns those that came since.
    pub fn take_up(&mut self, before: Findings) -> Vec<Diagnostic> {
        self.errors = before.errors;
        self.warnings = before.warnings;
        std::mem::replace(&mut self.diagnostics, before.diagnostics)
    }

    pub fn new(options: Options) -> Session {
        Session { options, ..Session::default() }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Warning && self.is_about_system(&diagnostic) {
            return;
        }
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
            if self.errors > MAX_ERRORS {
                return;
            }
        } else {
            // The first unsupported construct is reported even after many warnings.
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

    /// Whether a finding is about a header of the system, which a user cannot change.
    fn is_about_system(&self, found: &Diagnostic) -> bool {
        let Some(system) = &self.options.system else { return false };
        let source = found.labels.first().and_then(|label| self.sources.source_of(label.loc));
        let is_in = |path: &Path| system.include_dirs.iter().any(|folder| path.starts_with(folder));
        source.is_some_and(|source| is_in(Path::new(self.sources.name(source))))
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
