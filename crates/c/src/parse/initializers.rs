//! Initialisers: `= 1`, `= { 1, .x = 2, [3 ... 5] = 4, y: 5 }`.

use super::{Parsed, Parser};
use crate::ast::{Designator, Initializer, InitializerItem, InitializerList};
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    pub(super) fn initializer(&mut self) -> Parsed<Initializer> {
        if self.at(Punct::LBrace) {
            Ok(Initializer::List(self.initializer_list()?))
        } else {
            Ok(Initializer::Expr(self.assignment_expression()?))
        }
    }

    /// `{ … }`, which may be empty in GNU C.
    pub(super) fn initializer_list(&mut self) -> Parsed<InitializerList> {
        let loc = self.expect(Punct::LBrace, "to begin an initialiser")?;
        self.enter()?;
        let mut items = Vec::new();
        while !self.at(Punct::RBrace) {
            items.push(self.initializer_item()?);
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.leave();
        self.expect_closing(Punct::RBrace, loc)?;
        Ok(InitializerList { items, loc })
    }

    fn initializer_item(&mut self) -> Parsed<InitializerItem> {
        let loc = self.loc();
        let mut designators = Vec::new();
        match (self.peek(), self.peek_at(1)) {
            // The old GNU form `field: value`.
            (TokenKind::Ident(field), TokenKind::Punct(Punct::Colon)) => {
                self.advance();
                self.advance();
                designators.push(Designator::Field(field, loc));
            }
            (TokenKind::Punct(Punct::Dot | Punct::LBracket), _) => {
                designators = self.designators()?;
                // In an old GNU form nothing stands between `[index]` and the value.
                let may_end = matches!(designators.last(), Some(Designator::Index(_) | Designator::Range(..)));
                if !self.accept(Punct::Assign) && !may_end {
                    return Err(self.unexpected("'=' after the designator"));
                }
            }
            _ => {}
        }
        let initializer = self.initializer()?;
        Ok(InitializerItem { designators, initializer, loc })
    }

    /// `.a.b[3]`, possibly empty.
    pub(super) fn designators(&mut self) -> Parsed<Vec<Designator>> {
        let mut designators = Vec::new();
        loop {
            if self.accept(Punct::Dot) {
                let (field, loc) = self.expect_ident("the name of a member after '.'")?;
                designators.push(Designator::Field(field, loc));
            } else if self.at(Punct::LBracket) {
                let open = self.advance().loc;
                self.enter()?;
                let index = self.expression()?;
                let designator = if self.accept(Punct::Ellipsis) {
                    Designator::Range(index, self.expression()?)
                } else {
                    Designator::Index(index)
                };
                self.leave();
                self.expect_closing(Punct::RBracket, open)?;
                designators.push(designator);
            } else {
                return Ok(designators);
            }
        }
    }
}
