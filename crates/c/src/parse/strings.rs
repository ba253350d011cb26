//! String literals: adjacent ones are one.

use super::{Failed, Parsed, Parser};
use crate::ast::{StringKind, StringLiteral};
use crate::intern::Symbol;
use crate::literal;
use crate::token::TokenKind;
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

impl Parser<'_> {
    /// One or more string literals in a row; `what` is how an error calls what was expected.
    pub(super) fn string_literal(&mut self, what: &str) -> Parsed<StringLiteral> {
        let loc = self.loc();
        let first = self.pos;
        let mut kind = StringKind::Plain;
        while let TokenKind::Str(text) = self.peek() {
            let own = kind_of(self.name(text));
            if own != StringKind::Plain {
                if kind != StringKind::Plain && kind != own {
                    self.error_here("string literals of different kinds cannot be joined".to_owned());
                    return Err(Failed);
                }
                kind = own;
            }
            self.advance();
        }
        if self.pos == first {
            return Err(self.unexpected(what));
        }
        let mut units = Vec::new();
        for i in first..self.pos {
            let token = self.tokens[i];
            if let TokenKind::Str(text) = token.kind {
                self.append_string(text, kind, token.loc, &mut units)?;
            }
        }
        Ok(StringLiteral { kind, units, loc })
    }

    /// Adds the units of one literal, read as if it had the prefix of the whole.
    fn append_string(&mut self, text: Symbol, kind: StringKind, loc: Loc, units: &mut Vec<u32>) -> Parsed<()> {
        let text = self.name(text);
        let piece = match kind {
            StringKind::Plain => literal::string(text),
            _ => literal::string(&format!("{}{}", prefix(kind), unprefixed(text))),
        };
        match piece {
            Ok(piece) => {
                units.extend(piece.units);
                Ok(())
            }
            Err(problem) => {
                self.report(Diagnostic::error(loc, problem));
                Err(Failed)
            }
        }
    }

    /// A string literal as a name, for `asm` labels.
    pub(super) fn string_as_name(&mut self) -> Parsed<Symbol> {
        let literal = self.string_literal("a string literal")?;
        Ok(self.session.symbols.intern(&literal.text()))
    }
}

fn kind_of(text: &str) -> StringKind {
    match text.as_bytes() {
        [b'L', ..] => StringKind::Wide,
        [b'u', b'8', ..] => StringKind::Plain,
        [b'u', ..] => StringKind::Char16,
        [b'U', ..] => StringKind::Char32,
        _ => StringKind::Plain,
    }
}

fn prefix(kind: StringKind) -> &'static str {
    match kind {
        StringKind::Plain => "",
        StringKind::Wide => "L",
        StringKind::Char16 => "u",
        StringKind::Char32 => "U",
    }
}

fn unprefixed(text: &str) -> &str {
    text.find('"').map_or(text, |quote| &text[quote..])
}
