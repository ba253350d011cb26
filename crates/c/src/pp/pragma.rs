//! `#pragma` and `_Pragma`.
//!
//! `once`, `push_macro` and `pop_macro` are carried out, `pack` goes to the parser; all others are about warnings,
//! optimisation or tools, and are dropped.

use super::Preprocessor;
use crate::intern::{Interner, Symbol};
use crate::lex::{Lexer, PpKind, PpToken};
use crate::token::{Punct, Token, TokenKind};
use norn_ir::source::Loc;

/// The text of a pragma that concerns the layout of types, from the tokens behind `#pragma`.
pub fn layout_pragma(symbols: &Interner, tokens: &[PpToken]) -> Option<String> {
    let first = tokens.first()?;
    (first.spelling(symbols) == "pack").then(|| joined(symbols, tokens))
}

/// Tokens as a text with single spaces.
pub fn joined(symbols: &Interner, tokens: &[PpToken]) -> String {
    let mut text = String::new();
    for (i, token) in tokens.iter().enumerate() {
        if i > 0 && token.space_before() {
            text.push(' ');
        }
        text.push_str(token.spelling(symbols));
    }
    text
}

impl Preprocessor<'_> {
    /// `#pragma`, the rest of its line not yet read.
    pub(super) fn pragma_directive(&mut self, directive: PpToken) {
        let tokens = self.rest_of_line();
        self.pragma(directive, &tokens);
    }

    /// `_Pragma`, the parentheses not yet read.
    pub(super) fn pragma_operator(&mut self, operator: PpToken) {
        let (open, string, close) = (self.next_token(), self.next_token(), self.next_token());
        let PpKind::Str(literal) = string.kind else {
            self.error(operator, "'_Pragma' takes a string literal in parentheses");
            return;
        };
        if !open.is(Punct::LParen) || !close.is(Punct::RParen) {
            self.error(operator, "'_Pragma' takes a string literal in parentheses");
            return;
        }
        let text = destringized(self.session.symbols.name(literal));
        let mut lexer = Lexer::in_directive(&text, 0, Loc(1));
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next(self.session);
            if token.kind == PpKind::Eof {
                break;
            }
            tokens.push(PpToken { loc: operator.loc, len: operator.len, ..token });
        }
        self.pragma(operator, &tokens);
    }

    fn pragma(&mut self, at: PpToken, tokens: &[PpToken]) {
        let Some(PpKind::Ident(name)) = tokens.first().map(|t| t.kind) else { return };
        match self.session.symbols.name(name) {
            "once" => self.include_once(),
            "pack" => {
                let tokens = self.expand(tokens);
                let text = joined(&self.session.symbols, &tokens);
                let kind = TokenKind::Pragma(self.session.symbols.intern(&text));
                self.output.push(Token { kind, loc: at.loc, len: at.len });
            }
            "push_macro" => {
                if let Some(name) = self.macro_in_string(tokens) {
                    let definition = self.macros.get(name).cloned();
                    self.pushed_macros.entry(name).or_default().push(definition);
                }
            }
            "pop_macro" => {
                if let Some(name) = self.macro_in_string(tokens)
                    && let Some(definition) = self.pushed_macros.get_mut(&name).and_then(Vec::pop)
                {
                    match definition {
                        Some(definition) => self.macros.define(definition),
                        None => self.macros.remove(name),
                    }
                }
            }
            "GCC" => {
                if let [_, kind, message] = tokens
                    && kind.spelling(&self.session.symbols) == "error"
                    && let PpKind::Str(message) = message.kind
                {
                    let message = format!("#pragma GCC error {}", self.session.symbols.name(message));
                    self.error(at, message);
                }
            }
            _ => {}
        }
    }

    /// The name in `push_macro("name")`.
    fn macro_in_string(&mut self, tokens: &[PpToken]) -> Option<Symbol> {
        let PpKind::Str(literal) = tokens.get(2)?.kind else { return None };
        let name = self.session.symbols.name(literal).trim_matches('"').to_owned();
        Some(self.session.symbols.intern(&name))
    }
}

/// The text that a string literal spells, as `_Pragma` reads it.
fn destringized(literal: &str) -> String {
    let inner = literal.trim_start_matches(['L', 'u', 'U', '8']);
    let inner = inner.strip_prefix('"').and_then(|s| s.strip_suffix('"')).unwrap_or(inner);
    inner.replace("\\\"", "\"").replace("\\\\", "\\")
}
