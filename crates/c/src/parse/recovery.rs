//! Reporting errors, and finding the place where parsing can go on.

use super::scope::ScopeMark;
use super::{Failed, Parser};
use crate::token::{Keyword, Punct, Token, TokenKind};
use norn_ir::diag::{Diagnostic, Severity};
use norn_ir::source::Loc;

/// The state to return to when what follows could not be parsed.
#[derive(Clone, Copy)]
pub(super) struct Checkpoint {
    depth: u32,
    scope: ScopeMark,
    pos: usize,
}

impl Parser<'_> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.stopped {
            return;
        }
        if diagnostic.severity == Severity::Error {
            if self.last_error == Some(self.pos) {
                return;
            }
            self.last_error = Some(self.pos);
        }
        self.session.report(diagnostic);
        if self.session.too_many_errors() {
            self.stop();
        }
    }

    /// Nothing after this is looked at or reported.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
        self.pos = self.tokens.len();
    }

    pub(super) fn error_here(&mut self, message: String) {
        let token = self.peek_token();
        self.report(Diagnostic::error(token.loc, message).covering(u32::from(token.len)));
    }

    /// The next token is none of those that may stand here.
    pub(super) fn unexpected(&mut self, wanted: &str) -> Failed {
        match self.peek() {
            TokenKind::Punct(Punct::Hash | Punct::HashHash) => self.stray_hash(),
            found => self.error_here(format!("expected {wanted}, found {}", self.describe(found))),
        }
        Failed
    }

    pub(super) fn stray_hash(&mut self) {
        let token = self.peek_token();
        let message = format!("stray {} in the program", self.describe(token.kind));
        let help = "a directive must begin its line; preprocessing is done by the time macros are expanded";
        self.report(Diagnostic::error(token.loc, message).covering(u32::from(token.len)).help(help));
    }

    /// `wanted` is not there. Points behind the previous token if the line ends there.
    pub(super) fn missing(&mut self, wanted: &str, after: &str) {
        if self.next_is_on_new_line() {
            let loc = self.end_of_previous();
            self.report(Diagnostic::error(loc, format!("expected {wanted} {after}")));
        } else {
            self.unexpected(&format!("{wanted} {after}"));
        }
    }

    /// The bracket opened at `open` should be closed here and is not.
    pub(super) fn unclosed(&mut self, closing: Punct, open: Loc) {
        let opening = match closing {
            Punct::RParen => "(",
            Punct::RBracket => "[",
            _ => "{",
        };
        if self.peek() == TokenKind::Eof {
            let mut diagnostic = Diagnostic::error(open, format!("this '{opening}' is never closed")).covering(1);
            if let Some(function) = self.misplaced_function {
                diagnostic = diagnostic.also(function, "a function begins here, inside of it");
            }
            self.report(diagnostic.also(self.eof.loc, "the file ends here"));
            return;
        }
        let found = self.peek_token();
        let message = format!("expected '{}', found {}", closing.spelling(), self.describe(found.kind));
        let diagnostic = match self.next_is_on_new_line() {
            true => Diagnostic::error(self.end_of_previous(), message),
            false => Diagnostic::error(found.loc, message).covering(u32::from(found.len)),
        };
        self.report(diagnostic.also(open, format!("to match this '{opening}'")));
    }

    /// The semicolon after `what`. If it was merely forgotten, parsing goes on as if it stood there.
    pub(super) fn expect_semicolon(&mut self, what: &str) -> Result<(), Failed> {
        if self.accept_semicolon() {
            return Ok(());
        }
        if matches!(self.peek(), TokenKind::Punct(Punct::Hash | Punct::HashHash)) {
            self.stray_hash();
            return Err(Failed);
        }
        let loc = self.end_of_previous();
        self.report(Diagnostic::error(loc, format!("expected ';' after {what}")));
        let forgotten = self.at(Punct::RBrace) || self.next_is_on_new_line() || self.begins_statement(self.peek());
        if forgotten { Ok(()) } else { Err(Failed) }
    }

    pub(super) fn end_of_previous(&self) -> Loc {
        self.previous().map_or(self.loc(), |t| t.loc.offset(u32::from(t.len)))
    }

    pub(super) fn next_is_on_new_line(&self) -> bool {
        let line = |token: Token| self.session.sources.physical(token.loc).map(|(id, p)| (id, p.line));
        self.previous().is_some_and(|previous| line(previous) != line(self.peek_token()))
    }

    pub(super) fn checkpoint(&self) -> Checkpoint {
        Checkpoint { depth: self.depth, scope: self.names.mark(), pos: self.pos }
    }

    /// After a failure: forgets what was entered since the checkpoint, but keeps what the current scope declared.
    fn return_to(&mut self, checkpoint: Checkpoint, keep_names: bool) {
        self.depth = checkpoint.depth;
        if !keep_names {
            self.names.restore(checkpoint.scope);
        }
    }

    /// Goes on after the declaration at file scope that could not be parsed: behind its semicolon or its body.
    pub(super) fn recover_at_file_scope(&mut self, checkpoint: Checkpoint) {
        self.return_to(checkpoint, true);
        let start = checkpoint.pos;
        loop {
            match self.peek() {
                TokenKind::Eof => return,
                TokenKind::Punct(Punct::Semi) => {
                    self.advance();
                    return;
                }
                TokenKind::Punct(brace @ (Punct::LBrace | Punct::RBrace)) => {
                    // A closing brace belongs to the braces in which the failure was.
                    if brace == Punct::LBrace {
                        self.skip_braces();
                    } else {
                        self.advance();
                    }
                    if self.accept(Punct::Semi) || self.next_is_on_new_line() || self.starts_declaration(self.peek()) {
                        return;
                    }
                }
                kind if self.pos > start && self.begins_file_scope_declaration(kind) => return,
                _ => {
                    self.advance();
                }
            }
        }
    }

    /// Only what stands at the left margin: inside a broken declaration the same words may mean anything.
    fn begins_file_scope_declaration(&self, kind: TokenKind) -> bool {
        self.starts_declaration(kind) && self.at_left_margin()
    }

    pub(super) fn at_left_margin(&self) -> bool {
        self.session.sources.physical(self.loc()).is_some_and(|(_, place)| place.column == 1)
    }

    /// Goes on after a statement, member or declaration inside of braces: behind its semicolon, or before the closing
    /// brace or a token that can only begin a statement.
    pub(super) fn recover_in_braces(&mut self, checkpoint: Checkpoint) {
        self.return_to(checkpoint, true);
        let start = checkpoint.pos;
        loop {
            match self.peek() {
                TokenKind::Eof | TokenKind::Punct(Punct::RBrace) => return,
                TokenKind::Punct(Punct::Semi) => {
                    self.advance();
                    return;
                }
                TokenKind::Punct(Punct::LBrace) => self.skip_braces(),
                TokenKind::Keyword(k) if self.pos > start && is_statement_keyword(k) => return,
                _ => {
                    self.advance();
                }
            }
        }
    }

    /// Moves behind the `}` that matches the `{` here.
    fn skip_braces(&mut self) {
        let mut open = 0u32;
        loop {
            match self.advance().kind {
                TokenKind::Punct(Punct::LBrace) => open += 1,
                TokenKind::Punct(Punct::RBrace) => open -= 1,
                TokenKind::Eof => return,
                _ => {}
            }
            if open == 0 {
                return;
            }
        }
    }

    /// Whether a token can only be the beginning of a new statement or declaration.
    fn begins_statement(&self, kind: TokenKind) -> bool {
        match kind {
            TokenKind::Keyword(k) => is_statement_keyword(k) || self.starts_declaration(kind),
            _ => false,
        }
    }
}

fn is_statement_keyword(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Break
            | Keyword::Case
            | Keyword::Continue
            | Keyword::Default
            | Keyword::Do
            | Keyword::Else
            | Keyword::For
            | Keyword::Goto
            | Keyword::If
            | Keyword::Return
            | Keyword::Switch
            | Keyword::While
    )
}
