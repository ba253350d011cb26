//! Reads a model and what it includes.
//!
//! A model names the files it includes by plain file names. They are those of the folder that the model is in, or
//! models that come with Norn, or the files of fences and filters that herd's models include ([`crate::builtin`]); nothing
//! else is opened. herd's `cos.cat` and `stdlib.cat` stand for nothing: what they define is there already.

use norn_ir::diag::Diagnostic;
use norn_ir::source::{Loc, SourceMap};

use crate::builtin;
use crate::compile::{Compiler, Vocabulary};
use crate::model::Model;
use crate::parse::parse;
use crate::tree::Statement;

/// Models are small; the limit keeps the work small on files that are no models.
pub const MAX_BYTES: u64 = 1 << 20;
const MAX_INCLUDES: usize = 32;

/// Where the text of an included file comes from: the folder of the model, or nowhere.
pub type Folder<'f> = &'f mut dyn FnMut(&str) -> Result<String, String>;

/// Reads a model. Its text is added to `sources`, and so are those that it includes, so that diagnostics can point
/// into them.
pub fn load(
    sources: &mut SourceMap,
    name: &str,
    text: String,
    vocabulary: Vocabulary<'_>,
    folder: Folder<'_>,
) -> Result<Model, Diagnostic> {
    let mut loader = Loader { sources, folder, compiler: Compiler::new(vocabulary), open: Vec::new(), included: 0 };
    let title = loader.file(name, text, Loc::NONE)?;
    let Loader { compiler, .. } = loader;
    let model = compiler.finish(title.unwrap_or_else(|| name.to_owned()));
    if model.checks.iter().all(|check| check.flag) {
        let message = format!("the model in '{name}' forbids nothing");
        return Err(
            Diagnostic::error(Loc::NONE, message).help("a model has checks such as 'acyclic po | rf | co | fr'")
        );
    }
    Ok(model)
}

/// Reads a model that comes with Norn.
pub fn load_builtin(
    sources: &mut SourceMap,
    name: &str,
    vocabulary: Vocabulary<'_>,
) -> Option<Result<Model, Diagnostic>> {
    let (name, text) = builtin::find(name)?;
    let mut nowhere = |_: &str| Err("a model that comes with Norn includes only such".to_owned());
    let model = load(sources, &format!("{name}.cat"), text.to_owned(), vocabulary, &mut nowhere);
    Some(model.map(|model| Model { builtin: Some(name), ..model }))
}

struct Loader<'l, 'v> {
    sources: &'l mut SourceMap,
    folder: Folder<'l>,
    compiler: Compiler<'v>,
    /// The files that are being read, each included by the one before it.
    open: Vec<String>,
    included: usize,
}

impl Loader<'_, '_> {
    fn file(&mut self, name: &str, text: String, from: Loc) -> Result<Option<String>, Diagnostic> {
        if text.len() as u64 > MAX_BYTES {
            return Err(Diagnostic::error(from, format!("'{name}' is too large for a model")));
        }
        let id = self
            .sources
            .add(name, text, false)
            .map_err(|_| Diagnostic::error(from, format!("'{name}' is too large to be read")))?;
        let text = self.sources.shared_text(id);
        let file = parse(&text, self.sources.start(id))?;
        self.open.push(name.to_owned());
        for statement in &file.statements {
            match statement {
                Statement::Include { name, loc } => self.include(name, *loc)?,
                other => self.compiler.statement(other)?,
            }
        }
        self.open.pop();
        Ok(file.title)
    }

    fn include(&mut self, name: &str, loc: Loc) -> Result<(), Diagnostic> {
        if name == "cos.cat" || name == "stdlib.cat" {
            // herd's own would need all of herd's language.
            return Ok(());
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
            return Err(Diagnostic::error(loc, "a model includes files of its own folder, by their plain names"));
        }
        if self.open.iter().any(|open| open == name) {
            return Err(Diagnostic::error(loc, format!("'{name}' includes itself")));
        }
        self.included += 1;
        if self.included > MAX_INCLUDES {
            return Err(Diagnostic::error(loc, format!("the model includes more than {MAX_INCLUDES} files")));
        }
        let text = match (self.folder)(name) {
            Ok(text) => text,
            Err(reason) => match name.strip_suffix(".cat").and_then(builtin::included) {
                Some(text) => text.to_owned(),
                None => return Err(Diagnostic::error(loc, format!("cannot read '{name}': {reason}"))),
            },
        };
        self.file(name, text, loc).map(drop)
    }
}
