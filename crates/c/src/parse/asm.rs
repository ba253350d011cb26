//! `asm` in its three places: as a statement, at file scope, and after a declarator.

use super::{Parsed, Parser};
use crate::ast::{AsmOperand, AsmStatement};
use crate::intern::Symbol;
use crate::token::{Keyword, Punct, TokenKind};
use norn_ir::source::Loc;

impl Parser<'_> {
    /// `asm volatile ("template" : outputs : inputs : clobbers : labels)`, without its semicolon. Parts may be missing
    /// from the end.
    pub(super) fn asm_statement(&mut self) -> Parsed<AsmStatement> {
        self.advance();
        let mut is_goto = false;
        loop {
            match self.peek() {
                TokenKind::Keyword(Keyword::Goto) => is_goto = true,
                TokenKind::Keyword(Keyword::Volatile | Keyword::Inline | Keyword::Const) => {}
                _ => break,
            }
            self.advance();
        }
        let open = self.expect(Punct::LParen, "after 'asm'")?;
        let template = self.string_literal("the assembler text as a string literal")?;
        let mut asm = AsmStatement { template, outputs: Vec::new(), inputs: Vec::new(), clobbers: Vec::new(), is_goto };
        if self.accept(Punct::Colon) {
            asm.outputs = self.asm_operands()?;
        }
        if self.accept(Punct::Colon) {
            asm.inputs = self.asm_operands()?;
        }
        if self.accept(Punct::Colon) {
            while matches!(self.peek(), TokenKind::Str(_)) {
                asm.clobbers.push(self.string_literal("a clobbered register")?);
                if !self.accept(Punct::Comma) {
                    break;
                }
            }
        }
        // Where an `asm goto` may jump does not matter to anyone: it cannot be handled anyway.
        if self.accept(Punct::Colon) && !self.at(Punct::RParen) {
            self.expect_ident("a label")?;
            while self.accept(Punct::Comma) {
                self.expect_ident("a label")?;
            }
        }
        self.expect_closing(Punct::RParen, open)?;
        Ok(asm)
    }

    fn asm_operands(&mut self) -> Parsed<Vec<AsmOperand>> {
        let mut operands = Vec::new();
        while matches!(self.peek(), TokenKind::Str(_) | TokenKind::Punct(Punct::LBracket)) {
            let name = if self.at(Punct::LBracket) {
                let open = self.advance().loc;
                let (name, _) = self.expect_ident("the name of an operand")?;
                self.expect_closing(Punct::RBracket, open)?;
                Some(name)
            } else {
                None
            };
            let constraint = self.string_literal("a constraint as a string literal")?;
            let open = self.expect(Punct::LParen, "after the constraint")?;
            let expr = self.expression()?;
            self.expect_closing(Punct::RParen, open)?;
            operands.push(AsmOperand { name, constraint, expr });
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        Ok(operands)
    }

    /// `asm("text");` at file scope.
    pub(super) fn asm_at_file_scope(&mut self) -> Parsed<Loc> {
        let loc = self.loc();
        self.advance();
        while matches!(self.peek(), TokenKind::Keyword(Keyword::Volatile | Keyword::Inline)) {
            self.advance();
        }
        let open = self.expect(Punct::LParen, "after 'asm'")?;
        self.string_literal("the assembler text as a string literal")?;
        self.expect_closing(Punct::RParen, open)?;
        self.expect_semicolon("'asm'")?;
        Ok(loc)
    }

    /// `asm("name")` after a declarator.
    pub(super) fn asm_label(&mut self) -> Parsed<Option<Symbol>> {
        if !self.accept_keyword(Keyword::Asm) {
            return Ok(None);
        }
        let open = self.expect(Punct::LParen, "after 'asm'")?;
        let name = self.string_as_name()?;
        self.expect_closing(Punct::RParen, open)?;
        Ok(Some(name))
    }
}
