//! Directives: which one it is, and those that need few words.

use super::{Preprocessor, pragma};
use crate::intern::Interner;
use crate::lex::{Lexer, PpKind, PpToken};
use crate::literal;
use crate::session::Session;
use crate::token::Punct;
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

/// Room for the tokens of most lines.
const LIKELY_TOKENS: usize = 8;

/// What `#line` or a line marker says.
pub struct LineMarker {
    line: u32,
    name: Option<String>,
    system: bool,
}

impl LineMarker {
    /// Reads a line number, perhaps a file name, and the flags that compilers write behind it (3: a system header).
    pub fn parse(symbols: &Interner, tokens: &[PpToken]) -> Result<LineMarker, String> {
        let Some((PpKind::Number(line), rest)) = tokens.split_first().map(|(t, rest)| (t.kind, rest)) else {
            return Err("expected a line number".to_owned());
        };
        let line = symbols.name(line);
        let Some(line) = line.bytes().all(|b| b.is_ascii_digit()).then(|| line.parse().ok()).flatten() else {
            return Err(format!("'{line}' is not a line number"));
        };
        let Some((name, flags)) = rest.split_first() else { return Ok(LineMarker { line, name: None, system: false }) };
        let PpKind::Str(name) = name.kind else {
            return Err(format!("'{}' is not a file name", name.spelling(symbols)));
        };
        let name = file_name(symbols.name(name))?;
        if let Some(unknown) = flags.iter().find(|flag| !["1", "2", "3", "4"].contains(&flag.spelling(symbols))) {
            return Err(format!("'{}' is not a flag of a line marker", unknown.spelling(symbols)));
        }
        let system = flags.iter().any(|flag| flag.spelling(symbols) == "3");
        Ok(LineMarker { line, name: Some(name), system })
    }

    /// Makes it hold from the line that begins at `next_line`, if there is one.
    pub fn record(&self, session: &mut Session, next_line: Option<Loc>) {
        if let Some(start) = next_line {
            session.sources.add_line_mark(start, self.line, self.name.as_deref(), self.system);
        }
    }
}

/// The name that a string literal gives a file.
fn file_name(literal: &str) -> Result<String, String> {
    let plain = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    if let Some(plain) = plain.filter(|plain| !plain.contains('\\')) {
        return Ok(plain.to_owned());
    }
    let piece = literal::string(literal)?;
    Ok(literal::spelt(piece.kind, &piece.units))
}

impl Preprocessor<'_> {
    /// Carries out the directive whose `#` was just read.
    pub(super) fn directive(&mut self, hash: PpToken) {
        let token = self.lex_in_line();
        let name = match token.kind {
            PpKind::Eof => return,
            PpKind::Number(_) => {
                self.line_marker(token);
                return;
            }
            PpKind::Ident(name) => name,
            _ => {
                let message = format!("'{}' is not a preprocessing directive", self.spelling(token));
                self.error(token, message);
                self.finish_line();
                return;
            }
        };
        match self.session.symbols.name(name) {
            "if" | "ifdef" | "ifndef" => return self.open_conditional(token),
            "else" | "elif" | "elifdef" | "elifndef" => return self.end_group(token),
            "endif" => return self.end_conditional(token),
            "include" => return self.include(token, false),
            "include_next" => return self.include(token, true),
            "line" => return self.line_directive(token),
            "define" => self.define(token),
            "undef" => self.undefine(token),
            "pragma" => self.pragma_directive(token),
            "error" => {
                let message = self.message("#error");
                self.error(token, message);
            }
            "warning" => {
                let message = self.message("#warning");
                self.warning(token, message);
            }
            old @ ("ident" | "sccs" | "assert" | "unassert") => {
                let old = old.to_owned();
                self.check_old_directive(token, &old);
            }
            other => {
                let message = format!("unknown preprocessing directive '#{other}'");
                let len = token.loc.0 - hash.loc.0 + u32::from(token.len);
                self.session.report(Diagnostic::error(hash.loc, message).covering(len));
            }
        }
        self.finish_line();
    }

    /// Directives of old that mean nothing here, but have a form.
    fn check_old_directive(&mut self, token: PpToken, name: &str) {
        use PpKind::{Ident, Str};
        let kinds = self.rest_of_line().iter().map(|token| token.kind).collect::<Vec<_>>();
        let opens = kinds.get(1) == Some(&PpKind::Punct(Punct::LParen));
        // Nothing, or the beginning of an answer in parentheses; what comes behind one is ignored.
        let answers = opens && kinds.get(2).is_some_and(|kind| *kind != PpKind::Punct(Punct::RParen));
        let is_answer = answers && kinds[2..].contains(&PpKind::Punct(Punct::RParen));
        let is_right = match (name, kinds.as_slice()) {
            ("ident" | "sccs", kinds) => matches!(kinds, [Str(_)]),
            ("assert", kinds) => matches!(kinds, [Ident(_), ..]) && is_answer,
            (_, kinds) => matches!(kinds, [Ident(_)]) || (matches!(kinds, [Ident(_), ..]) && is_answer),
        };
        if !is_right {
            let form = match name {
                "ident" | "sccs" => "a string",
                "assert" => "PREDICATE(ANSWER)",
                _ => "PREDICATE or PREDICATE(ANSWER)",
            };
            self.error(token, format!("'#{name}' needs {form}"));
        }
    }

    /// The tokens up to the end of the line.
    pub(super) fn rest_of_line(&mut self) -> Vec<PpToken> {
        let mut tokens = Vec::with_capacity(LIKELY_TOKENS);
        self.append_rest_of_line(&mut tokens);
        tokens
    }

    fn append_rest_of_line(&mut self, tokens: &mut Vec<PpToken>) {
        loop {
            let token = self.lex_in_line();
            if token.kind == PpKind::Eof {
                return;
            }
            tokens.push(token);
        }
    }

    /// Goes to the end of the line.
    pub(super) fn finish_line(&mut self) {
        let Some(file) = self.files.last_mut() else { return };
        let mut lexer = Lexer::in_directive(&file.text, file.pos, file.base);
        lexer.skip_line(self.session);
        file.pos = lexer.pos();
    }

    /// The text of `#error` and `#warning`.
    fn message(&mut self, directive: &str) -> String {
        let tokens = self.rest_of_line();
        match pragma::joined(&self.session.symbols, &tokens) {
            text if text.is_empty() => directive.to_owned(),
            text => format!("{directive} {text}"),
        }
    }

    fn line_directive(&mut self, directive: PpToken) {
        let line = self.rest_of_line();
        let tokens = self.expand(&line);
        self.set_line(directive, &tokens);
    }

    fn line_marker(&mut self, first: PpToken) {
        let mut tokens = std::mem::take(&mut self.marker);
        tokens.clear();
        tokens.push(first);
        self.append_rest_of_line(&mut tokens);
        self.set_line(first, &tokens);
        self.marker = tokens;
    }

    fn set_line(&mut self, directive: PpToken, tokens: &[PpToken]) {
        match LineMarker::parse(&self.session.symbols, tokens) {
            Ok(marker) => {
                self.finish_line();
                if let Some(file) = self.files.last() {
                    let next_line = Lexer::new(&file.text, file.pos, file.base).next_line();
                    marker.record(self.session, next_line);
                }
            }
            Err(message) => {
                self.error(directive, message);
                self.finish_line();
            }
        }
    }
}
