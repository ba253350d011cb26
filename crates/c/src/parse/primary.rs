//! Primary expressions and what may follow them: calls, subscripts, members, `++`.

use super::{Parsed, Parser};
use crate::ast::{Designator, Expr, ExprKind, GenericCase, UnaryOp};
use crate::token::{Keyword, Punct, Token, TokenKind};
use norn_ir::source::Loc;

impl Parser<'_> {
    pub(super) fn postfix(&mut self) -> Parsed<Expr> {
        let outer = self.begin_chain();
        let loc = self.loc();
        let base = self.primary()?;
        let expression = self.postfix_operators(base, loc)?;
        self.end_chain(outer);
        Ok(expression)
    }

    /// The operators after `base`, which began at `loc`.
    pub(super) fn postfix_operators(&mut self, mut base: Expr, loc: Loc) -> Parsed<Expr> {
        while let TokenKind::Punct(
            punct @ (Punct::LParen | Punct::LBracket | Punct::Dot | Punct::Arrow | Punct::PlusPlus | Punct::MinusMinus),
        ) = self.peek()
        {
            self.grow_chain()?;
            let operator = self.advance().loc;
            let left = Box::new(base);
            let kind = match punct {
                Punct::LParen => ExprKind::Call(left, self.arguments(operator)?),
                Punct::LBracket => {
                    self.enter()?;
                    let index = Box::new(self.expression()?);
                    self.leave();
                    self.expect_closing(Punct::RBracket, operator)?;
                    ExprKind::Index(left, index)
                }
                Punct::Dot => ExprKind::Member(left, self.expect_ident("the name of a member after '.'")?.0),
                Punct::Arrow => ExprKind::Arrow(left, self.expect_ident("the name of a member after '->'")?.0),
                Punct::PlusPlus => ExprKind::Unary(UnaryOp::PostIncrement, left),
                _ => ExprKind::Unary(UnaryOp::PostDecrement, left),
            };
            base = Expr { kind, loc };
        }
        Ok(base)
    }

    /// Arguments of a call after `(`, and the closing parenthesis.
    fn arguments(&mut self, open: Loc) -> Parsed<Vec<Expr>> {
        let mut arguments = Vec::new();
        if self.accept(Punct::RParen) {
            return Ok(arguments);
        }
        self.enter()?;
        loop {
            arguments.push(self.assignment_expression()?);
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.leave();
        self.expect_closing(Punct::RParen, open)?;
        Ok(arguments)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let Token { kind, loc, .. } = self.peek_token();
        let kind = match kind {
            TokenKind::Ident(name) if self.starts_type(kind) => {
                let message = format!("expected an expression, found the type '{}'", self.name(name));
                self.error_here(message);
                return Err(super::Failed);
            }
            TokenKind::Ident(name) => ExprKind::Ident(name),
            TokenKind::Number(spelling) => ExprKind::Number(spelling),
            TokenKind::Char(spelling) => ExprKind::Char(spelling),
            TokenKind::Str(_) => {
                let literal = self.string_literal("a string literal")?;
                return Ok(Expr { kind: ExprKind::Str(literal), loc });
            }
            TokenKind::Punct(Punct::LParen) => return self.parenthesized(),
            TokenKind::Keyword(Keyword::Generic) => return self.generic(),
            TokenKind::Keyword(
                keyword @ (Keyword::BuiltinVaArg
                | Keyword::BuiltinOffsetof
                | Keyword::BuiltinTypesCompatible
                | Keyword::BuiltinChooseExpr),
            ) => return self.builtin(keyword),
            _ => return Err(self.unexpected("an expression")),
        };
        self.advance();
        Ok(Expr { kind, loc })
    }

    /// `(x)`, which leaves no trace in the tree, and `({ … })`.
    fn parenthesized(&mut self) -> Parsed<Expr> {
        let open = self.advance().loc;
        self.enter()?;
        let expression = if self.at(Punct::LBrace) {
            Expr { kind: ExprKind::StatementExpr(self.block()?), loc: open }
        } else {
            self.expression()?
        };
        self.leave();
        self.expect_closing(Punct::RParen, open)?;
        Ok(expression)
    }

    fn generic(&mut self) -> Parsed<Expr> {
        let loc = self.advance().loc;
        let open = self.expect(Punct::LParen, "after '_Generic'")?;
        self.enter()?;
        let control = Box::new(self.assignment_expression()?);
        let mut cases = Vec::new();
        while self.accept(Punct::Comma) {
            let ty = if self.accept_keyword(Keyword::Default) { None } else { Some(self.type_name()?) };
            self.expect(Punct::Colon, "after the type of an association")?;
            let value = self.assignment_expression()?;
            cases.push(GenericCase { ty, value });
        }
        self.leave();
        self.expect_closing(Punct::RParen, open)?;
        Ok(Expr { kind: ExprKind::Generic { control, cases }, loc })
    }

    /// The built-in functions that take types.
    fn builtin(&mut self, keyword: Keyword) -> Parsed<Expr> {
        let loc = self.advance().loc;
        let open = self.expect(Punct::LParen, &format!("after '{}'", keyword.spelling()))?;
        self.enter()?;
        let kind = match keyword {
            Keyword::BuiltinVaArg => {
                let list = Box::new(self.assignment_expression()?);
                self.expect(Punct::Comma, "after the argument list")?;
                ExprKind::VaArg(list, Box::new(self.type_name()?))
            }
            Keyword::BuiltinOffsetof => {
                let record = Box::new(self.type_name()?);
                self.expect(Punct::Comma, "after the type")?;
                let (field, field_loc) = self.expect_ident("the name of a member")?;
                let mut designators = vec![Designator::Field(field, field_loc)];
                designators.append(&mut self.designators()?);
                ExprKind::Offsetof(record, designators)
            }
            Keyword::BuiltinTypesCompatible => {
                let first = Box::new(self.type_name()?);
                self.expect(Punct::Comma, "after the first type")?;
                ExprKind::TypesCompatible(first, Box::new(self.type_name()?))
            }
            _ => {
                let condition = Box::new(self.assignment_expression()?);
                self.expect(Punct::Comma, "after the condition")?;
                let first = Box::new(self.assignment_expression()?);
                self.expect(Punct::Comma, "after the second argument")?;
                ExprKind::ChooseExpr(condition, first, Box::new(self.assignment_expression()?))
            }
        };
        self.leave();
        self.expect_closing(Punct::RParen, open)?;
        Ok(Expr { kind, loc })
    }
}
