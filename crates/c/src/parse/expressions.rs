//! Expressions with operators, by precedence climbing: one function handles every binary operator, so that a level of
//! parentheses costs few stack frames.

use super::{Parsed, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::token::{Keyword, Punct, Token, TokenKind};

/// How tightly an operator binds.
type Precedence = u8;

const COMMA: Precedence = 0;
const ASSIGNMENT: Precedence = 1;
const CONDITIONAL: Precedence = 2;

enum Infix {
    Comma,
    Assign(Option<BinaryOp>),
    Conditional,
    Binary(BinaryOp),
}

/// The infix operator that a token is, with its precedence.
fn infix(kind: TokenKind) -> Option<(Infix, Precedence)> {
    let TokenKind::Punct(punct) = kind else { return None };
    let assign = |op| Some((Infix::Assign(op), ASSIGNMENT));
    let binary = |op, precedence| Some((Infix::Binary(op), precedence));
    match punct {
        Punct::Comma => Some((Infix::Comma, COMMA)),
        Punct::Assign => assign(None),
        Punct::PlusAssign => assign(Some(BinaryOp::Add)),
        Punct::MinusAssign => assign(Some(BinaryOp::Sub)),
        Punct::StarAssign => assign(Some(BinaryOp::Mul)),
        Punct::SlashAssign => assign(Some(BinaryOp::Div)),
        Punct::PercentAssign => assign(Some(BinaryOp::Rem)),
        Punct::AmpAssign => assign(Some(BinaryOp::BitAnd)),
        Punct::PipeAssign => assign(Some(BinaryOp::BitOr)),
        Punct::CaretAssign => assign(Some(BinaryOp::BitXor)),
        Punct::ShlAssign => assign(Some(BinaryOp::Shl)),
        Punct::ShrAssign => assign(Some(BinaryOp::Shr)),
        Punct::Question => Some((Infix::Conditional, CONDITIONAL)),
        Punct::OrOr => binary(BinaryOp::Or, 3),
        Punct::AndAnd => binary(BinaryOp::And, 4),
        Punct::Pipe => binary(BinaryOp::BitOr, 5),
        Punct::Caret => binary(BinaryOp::BitXor, 6),
        Punct::Amp => binary(BinaryOp::BitAnd, 7),
        Punct::Eq => binary(BinaryOp::Eq, 8),
        Punct::Ne => binary(BinaryOp::Ne, 8),
        Punct::Lt => binary(BinaryOp::Lt, 9),
        Punct::Gt => binary(BinaryOp::Gt, 9),
        Punct::Le => binary(BinaryOp::Le, 9),
        Punct::Ge => binary(BinaryOp::Ge, 9),
        Punct::Shl => binary(BinaryOp::Shl, 10),
        Punct::Shr => binary(BinaryOp::Shr, 10),
        Punct::Plus => binary(BinaryOp::Add, 11),
        Punct::Minus => binary(BinaryOp::Sub, 11),
        Punct::Star => binary(BinaryOp::Mul, 12),
        Punct::Slash => binary(BinaryOp::Div, 12),
        Punct::Percent => binary(BinaryOp::Rem, 12),
        _ => None,
    }
}

impl Parser<'_> {
    /// An expression, commas included.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.expression_above(COMMA)
    }

    /// An expression in a list, where a comma separates.
    pub(super) fn assignment_expression(&mut self) -> Parsed<Expr> {
        self.expression_above(ASSIGNMENT)
    }

    /// An expression that must be constant, which its grammar does not say beyond leaving out assignments.
    pub(super) fn constant_expression(&mut self) -> Parsed<Expr> {
        self.expression_above(CONDITIONAL)
    }

    /// An expression whose operators bind at least as tightly as `least`.
    fn expression_above(&mut self, least: Precedence) -> Parsed<Expr> {
        let outer = self.begin_chain();
        let start = self.loc();
        let mut left = self.unary()?;
        while let Some((operator, precedence)) = infix(self.peek()) {
            if precedence < least {
                break;
            }
            let operator_loc = self.advance().loc;
            self.grow_chain()?;
            self.enter()?;
            left = match operator {
                Infix::Comma => {
                    let right = self.expression_above(ASSIGNMENT)?;
                    Expr { kind: ExprKind::Comma(Box::new(left), Box::new(right)), loc: operator_loc }
                }
                Infix::Assign(op) => {
                    let right = self.expression_above(ASSIGNMENT)?;
                    Expr { kind: ExprKind::Assign(op, Box::new(left), Box::new(right)), loc: operator_loc }
                }
                Infix::Conditional => {
                    let then = if self.at(Punct::Colon) { None } else { Some(Box::new(self.expression()?)) };
                    self.expect(Punct::Colon, "in a conditional expression")?;
                    let otherwise = Box::new(self.expression_above(CONDITIONAL)?);
                    Expr { kind: ExprKind::Conditional { condition: Box::new(left), then, otherwise }, loc: start }
                }
                Infix::Binary(op) => {
                    let right = self.expression_above(precedence + 1)?;
                    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), loc: operator_loc }
                }
            };
            self.leave();
        }
        self.end_chain(outer);
        Ok(left)
    }

    /// A prefix operator or cast with its operand, or a postfix expression.
    pub(super) fn unary(&mut self) -> Parsed<Expr> {
        let Token { kind, loc, .. } = self.peek_token();
        let op = match kind {
            TokenKind::Punct(Punct::Plus) => UnaryOp::Plus,
            TokenKind::Punct(Punct::Minus) => UnaryOp::Minus,
            TokenKind::Punct(Punct::Tilde) => UnaryOp::BitNot,
            TokenKind::Punct(Punct::Bang) => UnaryOp::Not,
            TokenKind::Punct(Punct::Star) => UnaryOp::Deref,
            TokenKind::Punct(Punct::Amp) => UnaryOp::AddressOf,
            TokenKind::Punct(Punct::PlusPlus) => UnaryOp::PreIncrement,
            TokenKind::Punct(Punct::MinusMinus) => UnaryOp::PreDecrement,
            TokenKind::Keyword(Keyword::Real) => UnaryOp::Real,
            TokenKind::Keyword(Keyword::Imag) => UnaryOp::Imag,
            TokenKind::Keyword(Keyword::Extension) => UnaryOp::Extension,
            TokenKind::Keyword(Keyword::Sizeof) => return self.sizeof(),
            TokenKind::Keyword(Keyword::Alignof) => return self.alignof(),
            TokenKind::Punct(Punct::AndAnd) => {
                self.advance();
                let (label, _) = self.expect_ident("a label after '&&'")?;
                return Ok(Expr { kind: ExprKind::LabelAddress(label), loc });
            }
            TokenKind::Punct(Punct::LParen) => return self.cast_or_parenthesized(),
            _ => return self.postfix(),
        };
        self.advance();
        self.enter()?;
        let operand = Box::new(self.unary()?);
        self.leave();
        Ok(Expr { kind: ExprKind::Unary(op, operand), loc })
    }

    /// `(T) x`, `(T){ … }`, `(x)` and `({ … })`.
    fn cast_or_parenthesized(&mut self) -> Parsed<Expr> {
        let loc = self.loc();
        if matches!(self.peek_at(1), TokenKind::Ident(_)) {
            self.pos += 1;
            self.diagnose_unknown_type_in_cast();
            self.pos = if self.stopped { self.pos } else { self.pos - 1 };
        }
        if !self.starts_type_name(self.peek_at(1)) {
            return self.postfix();
        }
        let ty = Box::new(self.parenthesized_type()?);
        if self.at(Punct::LBrace) {
            let outer = self.begin_chain();
            let list = self.initializer_list()?;
            let literal = Expr { kind: ExprKind::CompoundLiteral(ty, list), loc };
            let expression = self.postfix_operators(literal, loc)?;
            self.end_chain(outer);
            return Ok(expression);
        }
        self.enter()?;
        let operand = Box::new(self.unary()?);
        self.leave();
        Ok(Expr { kind: ExprKind::Cast(ty, operand), loc })
    }

    fn parenthesized_type(&mut self) -> Parsed<crate::ast::TypeName> {
        let open = self.advance().loc;
        let ty = self.type_name()?;
        self.expect_closing(Punct::RParen, open)?;
        Ok(ty)
    }

    fn sizeof(&mut self) -> Parsed<Expr> {
        let loc = self.advance().loc;
        let kind = match self.type_or_operand()? {
            TypeOrOperand::Type(ty) => ExprKind::SizeofType(Box::new(ty)),
            TypeOrOperand::Operand(operand) => ExprKind::SizeofExpr(Box::new(operand)),
        };
        Ok(Expr { kind, loc })
    }

    fn alignof(&mut self) -> Parsed<Expr> {
        let loc = self.advance().loc;
        let kind = match self.type_or_operand()? {
            TypeOrOperand::Type(ty) => ExprKind::AlignofType(Box::new(ty)),
            TypeOrOperand::Operand(operand) => ExprKind::AlignofExpr(Box::new(operand)),
        };
        Ok(Expr { kind, loc })
    }

    /// What `sizeof` is applied to. `sizeof (T){ … }` is that of a compound literal.
    fn type_or_operand(&mut self) -> Parsed<TypeOrOperand> {
        self.enter()?;
        if self.at(Punct::LParen) && matches!(self.peek_at(1), TokenKind::Ident(_)) {
            self.pos += 1;
            self.diagnose_unknown_type_in_cast();
            self.pos = if self.stopped { self.pos } else { self.pos - 1 };
        }
        let result = if self.at(Punct::LParen) && self.starts_type_name(self.peek_at(1)) {
            let loc = self.loc();
            let ty = self.parenthesized_type()?;
            if self.at(Punct::LBrace) {
                let outer = self.begin_chain();
                let list = self.initializer_list()?;
                let literal = Expr { kind: ExprKind::CompoundLiteral(Box::new(ty), list), loc };
                let operand = self.postfix_operators(literal, loc)?;
                self.end_chain(outer);
                TypeOrOperand::Operand(operand)
            } else {
                TypeOrOperand::Type(ty)
            }
        } else {
            TypeOrOperand::Operand(self.unary()?)
        };
        self.leave();
        Ok(result)
    }
}

enum TypeOrOperand {
    Type(crate::ast::TypeName),
    Operand(Expr),
}
