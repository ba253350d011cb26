//! Statements and blocks.

use super::{Failed, Parsed, Parser};
use crate::ast::{Attribute, Block, BlockItem, For, ForInit, Label, LabelKind, Stmt, StmtKind};
use crate::intern::Symbol;
use crate::token::{Keyword, Punct, Token, TokenKind};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

impl Parser<'_> {
    /// `{ … }` with a scope of its own.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let scope = self.names.mark();
        let block = self.block_in_scope();
        self.names.restore(scope);
        block
    }

    /// `{ … }` in the scope that the caller began: a function's body is in the scope of its parameters.
    pub(super) fn block_in_scope(&mut self) -> Parsed<Block> {
        let loc = self.expect(Punct::LBrace, "to begin a block")?;
        self.enter()?;
        let mut local_labels = Vec::new();
        while self.at_keyword(Keyword::Label) {
            self.local_labels(&mut local_labels)?;
        }
        let mut items = Vec::new();
        loop {
            match self.peek() {
                TokenKind::Punct(Punct::RBrace) => break,
                TokenKind::Eof => {
                    self.unclosed(Punct::RBrace, loc);
                    return Err(Failed);
                }
                _ => {
                    let checkpoint = self.checkpoint();
                    match self.block_item() {
                        Ok(item) => items.push(item),
                        Err(Failed) => self.recover_in_braces(checkpoint),
                    }
                }
            }
        }
        let end = self.advance().loc;
        self.leave();
        items.shrink_to_fit();
        Ok(Block { items, local_labels, loc, end })
    }

    fn local_labels(&mut self, labels: &mut Vec<(Symbol, Loc)>) -> Parsed<()> {
        self.advance();
        loop {
            labels.push(self.expect_ident("a label")?);
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.expect_semicolon("'__label__'")
    }

    fn block_item(&mut self) -> Parsed<BlockItem> {
        let loc = self.loc();
        let mut attributes = Vec::new();
        if self.at_keyword(Keyword::Attribute) {
            self.attributes(&mut attributes)?;
            if self.accept(Punct::Semi) {
                return Ok(BlockItem::Statement(Stmt { kind: StmtKind::Null, loc }));
            }
        }
        self.diagnose_unknown_type_in_block();
        if self.at_declaration() {
            self.block_declaration(attributes)
        } else {
            Ok(BlockItem::Statement(self.statement()?))
        }
    }

    /// Whether a declaration begins here. A typedef name before a colon is a label.
    fn at_declaration(&self) -> bool {
        match self.peek() {
            TokenKind::Keyword(Keyword::Extension) => {
                let ahead = (1..).find(|&i| self.peek_at(i) != TokenKind::Keyword(Keyword::Extension)).unwrap_or(1);
                self.starts_declaration(self.peek_at(ahead))
            }
            kind @ TokenKind::Ident(_) => {
                self.starts_declaration(kind) && self.peek_at(1) != TokenKind::Punct(Punct::Colon)
            }
            kind => self.starts_declaration(kind),
        }
    }

    pub(super) fn statement(&mut self) -> Parsed<Stmt> {
        self.enter()?;
        let loc = self.loc();
        let kind = self.statement_kind()?;
        self.leave();
        Ok(Stmt { kind, loc })
    }

    fn statement_kind(&mut self) -> Parsed<StmtKind> {
        match self.peek() {
            TokenKind::Punct(Punct::Semi) => {
                self.advance();
                Ok(StmtKind::Null)
            }
            TokenKind::Punct(Punct::LBrace) => Ok(StmtKind::Block(self.block()?)),
            TokenKind::Punct(Punct::RBrace) => Err(self.unexpected("a statement")),
            TokenKind::Ident(_) if self.peek_at(1) == TokenKind::Punct(Punct::Colon) => self.labeled(),
            TokenKind::Keyword(keyword) => self.keyword_statement(keyword),
            _ => self.expression_statement(),
        }
    }

    fn keyword_statement(&mut self, keyword: Keyword) -> Parsed<StmtKind> {
        match keyword {
            Keyword::Case | Keyword::Default => self.labeled(),
            Keyword::If => self.if_statement(),
            Keyword::Switch => {
                self.advance();
                let value = self.condition("switch")?;
                Ok(StmtKind::Switch { value, body: self.body()? })
            }
            Keyword::While => {
                self.advance();
                let condition = self.condition("while")?;
                Ok(StmtKind::While { condition, body: self.body()? })
            }
            Keyword::Do => self.do_statement(),
            Keyword::For => {
                let scope = self.names.mark();
                let statement = self.for_statement();
                self.names.restore(scope);
                statement
            }
            Keyword::Goto => self.goto_statement(),
            Keyword::Continue => {
                self.advance();
                self.expect_semicolon("'continue'")?;
                Ok(StmtKind::Continue)
            }
            Keyword::Break => {
                self.advance();
                self.expect_semicolon("'break'")?;
                Ok(StmtKind::Break)
            }
            Keyword::Return => {
                self.advance();
                let at_end = self.at(Punct::Semi) || self.at(Punct::RBrace);
                let value = if at_end { None } else { Some(self.expression()?) };
                self.expect_semicolon("'return'")?;
                Ok(StmtKind::Return(value))
            }
            Keyword::Asm => {
                let asm = self.asm_statement()?;
                self.expect_semicolon("'asm'")?;
                Ok(StmtKind::Asm(Box::new(asm)))
            }
            Keyword::Attribute => {
                self.attributes(&mut Vec::<Attribute>::new())?;
                self.statement_kind()
            }
            Keyword::Else => {
                let token = self.peek_token();
                let diagnostic = Diagnostic::error(token.loc, "'else' without an 'if'").covering(u32::from(token.len));
                self.report(diagnostic.help("an 'if' that governs several statements needs braces around them"));
                self.advance();
                self.statement_kind()
            }
            _ if self.at_declaration() => {
                let token = self.peek_token();
                let message = "a declaration cannot stand here without braces around it";
                self.report(Diagnostic::error(token.loc, message).covering(u32::from(token.len)));
                self.block_declaration(Vec::new())?;
                Ok(StmtKind::Null)
            }
            _ => self.expression_statement(),
        }
    }

    fn expression_statement(&mut self) -> Parsed<StmtKind> {
        let expression = self.expression()?;
        self.expect_semicolon("this expression")?;
        Ok(StmtKind::Expr(expression))
    }

    /// The statement that another one governs.
    fn body(&mut self) -> Parsed<Box<Stmt>> {
        if self.at_declaration() && matches!(self.peek(), TokenKind::Ident(_)) {
            self.error_here("a declaration cannot stand here without braces around it".to_owned());
            return Err(Failed);
        }
        Ok(Box::new(self.statement()?))
    }

    /// `( expression )` after a keyword.
    fn condition(&mut self, keyword: &str) -> Parsed<crate::ast::Expr> {
        let open = self.expect(Punct::LParen, &format!("after '{keyword}'"))?;
        let condition = self.expression()?;
        self.expect_closing(Punct::RParen, open)?;
        Ok(condition)
    }

    fn if_statement(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let condition = self.condition("if")?;
        let then = self.body()?;
        let otherwise = if self.accept_keyword(Keyword::Else) { Some(self.body()?) } else { None };
        Ok(StmtKind::If { condition, then, otherwise })
    }

    fn do_statement(&mut self) -> Parsed<StmtKind> {
        let start = self.advance().loc;
        let body = self.body()?;
        if !self.accept_keyword(Keyword::While) {
            let found = self.peek_token();
            let message = format!("expected 'while' after the body of 'do', found {}", self.describe(found.kind));
            let diagnostic = Diagnostic::error(found.loc, message).covering(u32::from(found.len));
            self.report(diagnostic.also(start, "this 'do'"));
            return Err(Failed);
        }
        let condition = self.condition("while")?;
        self.expect_semicolon("'do … while (…)'")?;
        Ok(StmtKind::DoWhile { body, condition })
    }

    fn for_statement(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let open = self.expect(Punct::LParen, "after 'for'")?;
        self.diagnose_unknown_type_in_block();
        let init = if self.accept(Punct::Semi) {
            ForInit::None
        } else if self.at_keyword(Keyword::Attribute) || self.at_declaration() {
            while self.accept_keyword(Keyword::Extension) {}
            ForInit::Declaration(self.plain_declaration()?)
        } else {
            let init = self.expression()?;
            self.expect(Punct::Semi, "after the first part of 'for'")?;
            ForInit::Expr(init)
        };
        let condition = if self.at(Punct::Semi) { None } else { Some(self.expression()?) };
        self.expect(Punct::Semi, "after the condition of 'for'")?;
        let step = if self.at(Punct::RParen) { None } else { Some(self.expression()?) };
        self.expect_closing(Punct::RParen, open)?;
        let body = self.body()?;
        Ok(StmtKind::For(Box::new(For { init, condition, step, body })))
    }

    fn goto_statement(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let kind = if self.accept(Punct::Star) {
            StmtKind::GotoComputed(self.expression()?)
        } else {
            StmtKind::Goto(self.expect_ident("a label after 'goto'")?.0)
        };
        self.expect_semicolon("'goto'")?;
        Ok(kind)
    }

    /// Labels in a row and the statement after them. A label before a declaration or a closing brace (as C23 allows)
    /// labels an empty statement.
    fn labeled(&mut self) -> Parsed<StmtKind> {
        let mut labels = Vec::new();
        while let Some(label) = self.label()? {
            labels.push(label);
            self.attributes(&mut Vec::new())?;
        }
        let loc = self.loc();
        let body = if self.at(Punct::RBrace) || self.at_declaration() {
            Stmt { kind: StmtKind::Null, loc }
        } else {
            self.statement()?
        };
        Ok(StmtKind::Labeled { labels, body: Box::new(body) })
    }

    fn label(&mut self) -> Parsed<Option<Label>> {
        let Token { kind, loc, .. } = self.peek_token();
        let kind = match kind {
            TokenKind::Ident(name) if self.peek_at(1) == TokenKind::Punct(Punct::Colon) => {
                self.advance();
                LabelKind::Name(name)
            }
            TokenKind::Keyword(Keyword::Case) => {
                self.advance();
                let low = self.constant_expression()?;
                match self.accept(Punct::Ellipsis) {
                    true => LabelKind::CaseRange(low, self.constant_expression()?),
                    false => LabelKind::Case(low),
                }
            }
            TokenKind::Keyword(Keyword::Default) => {
                self.advance();
                LabelKind::Default
            }
            _ => return Ok(None),
        };
        self.expect(Punct::Colon, "after the label")?;
        Ok(Some(Label { kind, loc }))
    }
}
