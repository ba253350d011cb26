//! Looking at tokens and moving over them.

use super::{Failed, Parsed, Parser};
use crate::intern::Symbol;
use crate::token::{Keyword, Punct, Token, TokenKind};
use norn_ir::source::Loc;

impl Parser<'_> {
    pub(super) fn peek_token(&self) -> Token {
        self.tokens.get(self.pos).copied().unwrap_or(self.eof)
    }

    pub(super) fn peek(&self) -> TokenKind {
        self.tokens.get(self.pos).map_or(TokenKind::Eof, |t| t.kind)
    }

    /// The kind of the token `ahead` places further on.
    pub(super) fn peek_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.pos + ahead).map_or(TokenKind::Eof, |t| t.kind)
    }

    pub(super) fn loc(&self) -> Loc {
        self.tokens.get(self.pos).map_or(self.eof.loc, |t| t.loc)
    }

    pub(super) fn previous(&self) -> Option<Token> {
        self.pos.checked_sub(1).and_then(|i| self.tokens.get(i)).copied()
    }

    /// Moves on; stays at the end of the text.
    pub(super) fn advance(&mut self) -> Token {
        let token = self.peek_token();
        if token.kind != TokenKind::Eof {
            self.pos += 1;
        }
        token
    }

    pub(super) fn at(&self, punct: Punct) -> bool {
        self.peek() == TokenKind::Punct(punct)
    }

    pub(super) fn at_keyword(&self, keyword: Keyword) -> bool {
        self.peek() == TokenKind::Keyword(keyword)
    }

    pub(super) fn accept(&mut self, punct: Punct) -> bool {
        let found = self.at(punct);
        self.pos += usize::from(found);
        found
    }

    pub(super) fn accept_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        self.pos += usize::from(found);
        found
    }

    /// The punctuator `punct`; `after` says in an error what it should have followed.
    pub(super) fn expect(&mut self, punct: Punct, after: &str) -> Parsed<Loc> {
        let loc = self.loc();
        if self.accept(punct) {
            return Ok(loc);
        }
        self.missing(&format!("'{}'", punct.spelling()), after);
        Err(Failed)
    }

    /// The bracket that closes the one at `open`.
    pub(super) fn expect_closing(&mut self, closing: Punct, open: Loc) -> Parsed<Loc> {
        let loc = self.loc();
        if self.accept(closing) {
            return Ok(loc);
        }
        self.unclosed(closing, open);
        Err(Failed)
    }

    pub(super) fn expect_ident(&mut self, what: &str) -> Parsed<(Symbol, Loc)> {
        match self.peek_token() {
            Token { kind: TokenKind::Ident(name), loc, .. } => {
                self.pos += 1;
                Ok((name, loc))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    pub(super) fn accept_semicolon(&mut self) -> bool {
        self.accept(Punct::Semi) || self.assumed_semicolon.take_if(|pos| *pos == self.pos).is_some()
    }

    pub(super) fn name(&self, symbol: Symbol) -> &str {
        self.session.symbols.name(symbol)
    }

    /// A token in the words of a message.
    pub(super) fn describe(&self, kind: TokenKind) -> String {
        match kind {
            TokenKind::Ident(s) | TokenKind::Number(s) => format!("'{}'", self.name(s)),
            TokenKind::Keyword(k) => format!("'{}'", k.spelling()),
            TokenKind::Punct(p) => format!("'{}'", p.spelling()),
            TokenKind::Char(s) => format!("the character constant {}", self.name(s)),
            TokenKind::Str(_) => "a string literal".to_owned(),
            TokenKind::Pragma(_) => "a pragma".to_owned(),
            TokenKind::Eof => "the end of the file".to_owned(),
        }
    }
}
