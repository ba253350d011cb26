//! `__attribute__((…))`.

use super::{Parsed, Parser};
use crate::ast::Attribute;
use crate::intern::Symbol;
use crate::token::{Keyword, Punct, Token, TokenKind};

/// Attributes whose arguments are numbers: a name among them is that of a constant, not a word of its own.
pub(crate) fn takes_numbers(attribute: &str) -> bool {
    const ATTRIBUTES: [&str; 14] = [
        "aligned",
        "alloc_align",
        "alloc_size",
        "assume_aligned",
        "constructor",
        "destructor",
        "format_arg",
        "init_priority",
        "nonnull",
        "regparm",
        "sentinel",
        "vector_size",
        "warn_if_not_aligned",
        "patchable_function_entry",
    ];
    ATTRIBUTES.contains(&attribute)
}

impl Parser<'_> {
    /// All attribute lists that stand here, if any.
    pub(super) fn attributes(&mut self, into: &mut Vec<Attribute>) -> Parsed<()> {
        while self.accept_keyword(Keyword::Attribute) {
            let outer = self.expect(Punct::LParen, "after '__attribute__'")?;
            let inner = self.expect(Punct::LParen, "after '__attribute__('")?;
            while !self.at(Punct::RParen) {
                if self.accept(Punct::Comma) {
                    continue;
                }
                let attribute = self.attribute()?;
                into.push(attribute);
                if !self.at(Punct::Comma) {
                    break;
                }
            }
            self.expect_closing(Punct::RParen, inner)?;
            self.expect_closing(Punct::RParen, outer)?;
        }
        Ok(())
    }

    fn attribute(&mut self) -> Parsed<Attribute> {
        let Token { kind, loc, .. } = self.peek_token();
        let name = match kind {
            TokenKind::Ident(name) => self.without_underscores(name),
            // `const` and others are keywords elsewhere.
            TokenKind::Keyword(keyword) => {
                let name = self.session.symbols.intern(keyword.spelling());
                self.without_underscores(name)
            }
            _ => return Err(self.unexpected("the name of an attribute")),
        };
        self.advance();
        let mut attribute = Attribute { name, ident: None, args: Vec::new(), loc };
        if self.at(Punct::LParen) {
            let open = self.advance().loc;
            self.enter()?;
            if let TokenKind::Ident(ident) = self.peek()
                && !takes_numbers(self.name(name))
                && matches!(self.peek_at(1), TokenKind::Punct(Punct::Comma | Punct::RParen))
            {
                attribute.ident = Some(ident);
                self.advance();
                self.accept(Punct::Comma);
            }
            while !self.at(Punct::RParen) {
                if self.starts_declaration(self.peek()) {
                    self.skip_argument();
                } else {
                    let arg = self.assignment_expression()?;
                    attribute.args.push(arg);
                }
                if !self.accept(Punct::Comma) {
                    break;
                }
            }
            self.leave();
            self.expect_closing(Punct::RParen, open)?;
        }
        Ok(attribute)
    }

    /// Moves to the comma or parenthesis that ends an argument which is no expression.
    fn skip_argument(&mut self) {
        let mut open = 0u32;
        loop {
            match self.peek() {
                TokenKind::Eof => return,
                TokenKind::Punct(Punct::Comma) if open == 0 => return,
                TokenKind::Punct(Punct::RParen) if open == 0 => return,
                TokenKind::Punct(Punct::LParen) => open += 1,
                TokenKind::Punct(Punct::RParen) => open -= 1,
                _ => {}
            }
            self.advance();
        }
    }

    fn without_underscores(&mut self, name: Symbol) -> Symbol {
        let spelling = self.name(name);
        let Some(bare) = spelling.strip_prefix("__") else { return name };
        let bare = bare.strip_suffix("__").unwrap_or(bare).to_owned();
        if bare.is_empty() { name } else { self.session.symbols.intern(&bare) }
    }
}
