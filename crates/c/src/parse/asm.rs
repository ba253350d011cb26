//! `asm` in its three places: as a statement, at file scope, and after a declarator.

use super::{Parsed, Parser};
use crate::ast::{AsmOperand, AsmStatement, StringKind, StringLiteral};
use crate::intern::Symbol;
use crate::token::{Keyword, Punct, TokenKind};
use norn_ir::diag::Diagnostic;

impl Parser<'_> {
    /// `asm volatile ("template" : outputs : inputs : clobbers : labels)`, without its semicolon. Parts may be missing
    /// from the end.
    pub(super) fn asm_statement(&mut self) -> Parsed<AsmStatement> {
        self.advance();
        let mut qualifiers = Vec::new();
        while let TokenKind::Keyword(keyword @ (Keyword::Goto | Keyword::Volatile | Keyword::Inline)) = self.peek() {
            if qualifiers.contains(&keyword) {
                self.error_here(format!("'asm' is '{}' twice", keyword.spelling()));
            }
            qualifiers.push(keyword);
            self.advance();
        }
        let open = self.expect(Punct::LParen, "after 'asm'")?;
        let template = self.asm_text()?;
        let mut asm = AsmStatement {
            template,
            outputs: Vec::new(),
            inputs: Vec::new(),
            clobbers: Vec::new(),
            labels: Vec::new(),
            is_goto: qualifiers.contains(&Keyword::Goto),
            is_volatile: true,
        };
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
        if self.accept(Punct::Colon) && !self.at(Punct::RParen) {
            asm.labels.push(self.expect_ident("a label")?);
            while self.accept(Punct::Comma) {
                asm.labels.push(self.expect_ident("a label")?);
            }
        }
        self.expect_closing(Punct::RParen, open)?;
        asm.is_volatile = asm.outputs.is_empty() || qualifiers.contains(&Keyword::Volatile);
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

    fn asm_text(&mut self) -> Parsed<StringLiteral> {
        let text = self.string_literal("the assembler text as a string literal")?;
        if text.kind != StringKind::Plain {
            self.report(Diagnostic::error(text.loc, "the text of 'asm' cannot be a wide string"));
        }
        Ok(text)
    }

    /// `asm("text");` at file scope.
    pub(super) fn asm_at_file_scope(&mut self) -> Parsed<StringLiteral> {
        self.advance();
        let open = self.expect(Punct::LParen, "after 'asm'")?;
        let text = self.asm_text()?;
        self.expect_closing(Punct::RParen, open)?;
        self.expect_semicolon("'asm'")?;
        Ok(text)
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
