//! The preprocessor: from a file to the tokens that the parser reads.
//!
//! Expansion follows the C standard (6.10.3) where it is precise and GCC where it is not: the tokens of an expansion are a
//! [`expand::Context`] on a stack, a macro is disabled while its context is on the stack, and a name that is met
//! while its macro is disabled is never expanded again. Files that end in `.i` take a short way of their own
//! ([`preprocessed`]).
//!
//! Every cap is a diagnostic: depth of inclusion, bytes included, tokens made by macros, depth of nested arguments
//! and of conditions. After one of those, and after a great many errors, preprocessing stops; after any other error it
//! goes on to find more.
//!
//! Left out: `#assert` and `#unassert` are ignored, `#import` and `#embed` are not known, comments are never kept.

mod condition;
mod conditionals;
mod directives;
mod expand;
mod include;
mod macros;
mod nearby;
mod paste;
mod pragma;
mod predefined;
mod preprocessed;
mod read;
#[cfg(test)]
mod tests;

use norn_ir::number::narrow;
pub use preprocessed::target_of_preprocessed;

use crate::intern::{Interner, Symbol};
use crate::lex::{Flags, Lexer, PpKind, PpToken};
use crate::session::Session;
use crate::token::{Punct, Token, TokenKind};
use conditionals::Conditional;
use expand::Expansion;
use include::Included;
use macros::MacroTable;
use macros::{Macro, Names};
use norn_ir::diag::Diagnostic;
use norn_ir::source::{Loc, SourceId};
pub(crate) use read::read_text;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Reads a file from disk and preprocesses it. A missing file is reported as a diagnostic without labels.
///
/// The tokens end with one `Eof`. `None` means that there was nothing to preprocess; other errors are reported and
/// still give the tokens that were found.
pub fn preprocess_file(session: &mut Session, path: &Path) -> Option<Vec<Token>> {
    match read::text_of_file(&session.options, path) {
        Ok(text) => {
            let directory = path.parent().map(Path::to_path_buf);
            preprocess(session, &path.display().to_string(), text, false, directory)
        }
        Err(error) => {
            session.report(error.diagnostic(Loc::NONE, path));
            None
        }
    }
}

/// The same for a text that is already in memory (built-in models, tests); `name` is what is shown.
pub fn preprocess_text(session: &mut Session, name: &str, text: String, builtin: bool) -> Option<Vec<Token>> {
    preprocess(session, name, read::without_byte_order_mark(text), builtin, None)
}

fn preprocess(
    session: &mut Session,
    name: &str,
    text: String,
    builtin: bool,
    directory: Option<PathBuf>,
) -> Option<Vec<Token>> {
    let Ok(source) = session.sources.add(name, text, builtin) else {
        session.report(read::ReadError::TooLarge.diagnostic(Loc::NONE, Path::new(name)));
        return None;
    };
    if name.ends_with(".i") {
        return Some(preprocessed::tokens(session, source));
    }
    // The macros that GCC predefines are read once: every text of the session begins with them.
    let predefined: Option<Predefined> = session.kept.take();
    let mut preprocessor = Preprocessor::new(session, source);
    match predefined {
        Some(Predefined { macros, builtin: whose }) if whose == builtin => preprocessor.macros = macros,
        _ => {
            preprocessor.macros = MacroTable::new(preprocessor.session);
            preprocessor.predefine();
            preprocessor.macros.keep();
        }
    }
    if !builtin {
        preprocessor.command_line();
        preprocessor.forced_includes();
    }
    preprocessor.push_file(File::new(preprocessor.session, source, directory, 0));
    preprocessor.run();
    Some(preprocessor.finish())
}

/// The macros that every text begins with. Those of a system are not for the library's own texts.
struct Predefined {
    macros: MacroTable,
    builtin: bool,
}

/// A text that is being read.
struct File {
    source: SourceId,
    text: Arc<str>,
    pos: usize,
    base: Loc,
    /// Where `#include "…"` looks first; built-in and in-memory texts have no directory.
    directory: Option<PathBuf>,
    /// How many places of the search path `#include_next` passes over: all up to the one where this file was found.
    search_from: usize,
    /// Where the `#include` is.
    included_at: Loc,
    /// The conditionals that were open before.
    conditionals: usize,
}

impl File {
    fn new(session: &Session, source: SourceId, directory: Option<PathBuf>, search_from: usize) -> File {
        let (text, base) = (session.sources.shared_text(source), session.sources.start(source));
        File { source, text, pos: 0, base, directory, search_from, included_at: Loc::NONE, conditionals: 0 }
    }
}

struct Preprocessor<'s> {
    session: &'s mut Session,
    main: SourceId,
    names: Names,
    macros: MacroTable,
    files: Vec<File>,
    conditionals: Vec<Conditional>,
    expansion: Expansion,
    included: Included,
    /// `#pragma push_macro`: what each name meant.
    pushed_macros: HashMap<Symbol, Vec<Option<Rc<Macro>>>>,
    /// The next value of `__COUNTER__`.
    counter: u32,
    /// In the expression of `#if`, where `defined` and its like have a meaning.
    in_condition: bool,
    /// A token that was read from the innermost file and is the next one.
    ahead: Option<PpToken>,
    /// A limit was reached: the rest of the input is not looked at.
    stopped: bool,
    output: Vec<Token>,
    /// Room for the tokens of a line marker; preprocessed texts have very many of them.
    marker: Vec<PpToken>,
}

impl<'s> Preprocessor<'s> {
    fn new(session: &'s mut Session, main: SourceId) -> Preprocessor<'s> {
        let names = Names::new(session);
        let output = Vec::with_capacity(session.sources.text(main).len() / 5);
        Preprocessor {
            session,
            main,
            names,
            macros: MacroTable::default(),
            files: Vec::new(),
            conditionals: Vec::new(),
            expansion: Expansion::default(),
            included: Included::default(),
            pushed_macros: HashMap::new(),
            counter: 0,
            in_condition: false,
            ahead: None,
            stopped: false,
            output,
            marker: Vec::new(),
        }
    }

    fn push_file(&mut self, mut file: File) {
        file.conditionals = self.conditionals.len();
        self.files.push(file);
    }

    /// Reads all open files to their ends.
    fn run(&mut self) {
        while !self.stopped {
            self.emit_plain();
            let token = self.next_expanded();
            match token.kind {
                PpKind::Eof => {
                    self.end_of_file();
                    if self.files.is_empty() {
                        return;
                    }
                }
                PpKind::Ident(symbol) if symbol == self.names.pragma_operator => self.pragma_operator(token),
                _ => self.emit(token),
            }
        }
    }

    /// Emits the tokens that come straight from the file, up to one that may be a macro or begin a directive. That is
    /// what most tokens are, so they take no other step.
    fn emit_plain(&mut self) {
        if self.ahead.is_some() || self.expansion.is_active() {
            return;
        }
        let Some(file) = self.files.last_mut() else { return };
        let mut lexer = Lexer::new(&file.text, file.pos, file.base);
        loop {
            let token = lexer.next(self.session);
            let kind = match token.kind {
                PpKind::Ident(name) if self.macros.get(name).is_none() && name != self.names.pragma_operator => {
                    word(name)
                }
                PpKind::Punct(punct) if !begins_directive(token) => TokenKind::Punct(punct),
                PpKind::Number(symbol) => TokenKind::Number(symbol),
                PpKind::Char(symbol) => TokenKind::Char(symbol),
                PpKind::Str(symbol) => TokenKind::Str(symbol),
                _ => {
                    self.ahead = Some(token);
                    break;
                }
            };
            self.output.push(Token { kind, loc: token.loc, len: token.len });
        }
        file.pos = lexer.pos();
    }

    fn end_of_file(&mut self) {
        let Some(file) = self.files.pop() else { return };
        for open in self.conditionals.drain(file.conditionals..) {
            // After a stop the rest was not looked at.
            if !self.stopped {
                self.session.report(open.unterminated());
            }
        }
    }

    fn finish(mut self) -> Vec<Token> {
        let end = narrow(self.session.sources.text(self.main).len());
        let loc = self.session.sources.start(self.main).offset(end);
        self.output.push(Token { kind: TokenKind::Eof, loc, len: 0 });
        self.macros.restore();
        let builtin = self.session.sources.is_builtin(self.main);
        self.session.kept.put(Predefined { macros: self.macros, builtin });
        self.output
    }

    fn emit(&mut self, token: PpToken) {
        if let Some(token) = leave(self.session, token) {
            self.output.push(token);
        }
    }

    /// The next token of the innermost file. Directives are not recognised here.
    fn lex(&mut self) -> PpToken {
        if let Some(token) = self.ahead.take() {
            return token;
        }
        let Some(file) = self.files.last_mut() else { return PpToken::EOF };
        let mut lexer = Lexer::new(&file.text, file.pos, file.base);
        let token = lexer.next(self.session);
        file.pos = lexer.pos();
        token
    }

    /// The next token of the line that a directive stands on; `Eof` at its end.
    fn lex_in_line(&mut self) -> PpToken {
        let Some(file) = self.files.last_mut() else { return PpToken::EOF };
        let mut lexer = Lexer::in_directive(&file.text, file.pos, file.base);
        let token = lexer.next(self.session);
        file.pos = lexer.pos();
        token
    }

    fn error(&mut self, at: PpToken, message: impl Into<String>) {
        self.session.report(Diagnostic::error(at.loc, message).covering(u32::from(at.len)));
        if self.session.too_many_errors() {
            self.stopped = true;
        }
    }

    fn warning(&mut self, at: PpToken, message: impl Into<String>) {
        self.session.report(Diagnostic::warning(at.loc, message).covering(u32::from(at.len)));
    }

    /// Reports a limit that was reached and ends preprocessing.
    fn stop(&mut self, diagnostic: Diagnostic) {
        if !self.stopped {
            self.session.report(diagnostic);
            self.stopped = true;
        }
    }

    fn spelling(&self, token: PpToken) -> &str {
        token.spelling(&self.session.symbols)
    }
}

/// A keyword or a name.
#[inline]
fn word(symbol: Symbol) -> TokenKind {
    match Interner::keyword(symbol) {
        Some(keyword) => TokenKind::Keyword(keyword),
        None => TokenKind::Ident(symbol),
    }
}

/// Turns a preprocessing token into a token of the language; a preprocessing token that is no token is an error.
fn leave(session: &mut Session, token: PpToken) -> Option<Token> {
    let kind = match token.kind {
        PpKind::Ident(symbol) => word(symbol),
        PpKind::Number(symbol) => TokenKind::Number(symbol),
        PpKind::Char(symbol) => TokenKind::Char(symbol),
        PpKind::Str(symbol) => TokenKind::Str(symbol),
        PpKind::Punct(punct) => TokenKind::Punct(punct),
        PpKind::Stray(symbol) | PpKind::Header(symbol) => {
            let message = stray_message(session.symbols.name(symbol));
            session.report(Diagnostic::error(token.loc, message).covering(u32::from(token.len)));
            return None;
        }
        PpKind::Eof => return None,
    };
    Some(Token { kind, loc: token.loc, len: token.len })
}

fn stray_message(spelling: &str) -> String {
    let quote = spelling.chars().find(|c| matches!(c, '"' | '\''));
    match (quote, spelling.chars().next()) {
        (Some('"'), _) => "unterminated string literal: the closing '\"' is missing".to_owned(),
        (Some(_), _) => "unterminated character constant: the closing \"'\" is missing".to_owned(),
        (None, Some(c)) if c.is_control() || c == '\u{FFFD}' => {
            format!("unexpected character U+{:04X} in the program", c as u32)
        }
        (None, _) => format!("unexpected character '{spelling}' in the program"),
    }
}

/// Whether a token begins a directive.
fn begins_directive(token: PpToken) -> bool {
    token.flags.has(Flags::LINE_START) && token.is(Punct::Hash)
}
