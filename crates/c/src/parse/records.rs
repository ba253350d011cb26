//! `struct`, `union` and `enum` with their members.

use super::declarators::Naming;
use super::scope::Meaning;
use super::specifiers::Place;
use super::{Failed, Parsed, Parser};
use crate::ast::{EnumSpecifier, Enumerator, FieldDeclarator, Member, RecordSpecifier, TypeSpecifier};
use crate::intern::Symbol;
use crate::token::{Keyword, Punct, TokenKind};
use norn_ir::source::Loc;

impl Parser<'_> {
    pub(super) fn record_specifier(&mut self) -> Parsed<RecordSpecifier> {
        let keyword = self.advance();
        let is_union = keyword.kind == TokenKind::Keyword(Keyword::Union);
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.accept_tag();
        let mut pack = None;
        let members = if self.at(Punct::LBrace) {
            pack = self.pack_here();
            let members = self.members()?;
            self.attributes(&mut attributes)?;
            Some(members)
        } else if tag.is_none() {
            return Err(self.unexpected(if is_union {
                "a tag or '{' after 'union'"
            } else {
                "a tag or '{' after 'struct'"
            }));
        } else {
            None
        };
        Ok(RecordSpecifier { is_union, tag, members, attributes, pack, loc: keyword.loc })
    }

    fn accept_tag(&mut self) -> Option<Symbol> {
        match self.peek() {
            TokenKind::Ident(tag) => {
                self.advance();
                Some(tag)
            }
            _ => None,
        }
    }

    /// What `#pragma pack` says at this place.
    fn pack_here(&self) -> Option<u64> {
        let after = self.packs.partition_point(|change| change.pos <= self.pos);
        after.checked_sub(1).and_then(|last| self.packs[last].limit)
    }

    fn members(&mut self) -> Parsed<Vec<Member>> {
        let open = self.advance().loc;
        self.enter()?;
        let mut members = Vec::new();
        loop {
            match self.peek() {
                TokenKind::Punct(Punct::RBrace) => break,
                TokenKind::Punct(Punct::Semi) => {
                    self.advance();
                }
                TokenKind::Eof => {
                    self.unclosed(Punct::RBrace, open);
                    return Err(Failed);
                }
                TokenKind::Keyword(Keyword::Typedef | Keyword::Extern | Keyword::Static) if self.at_left_margin() => {
                    // No member begins like this: the record was left open, and this is the next declaration.
                    self.unclosed(Punct::RBrace, open);
                    return Err(Failed);
                }
                _ => {
                    let checkpoint = self.checkpoint();
                    match self.member() {
                        Ok(member) => members.push(member),
                        Err(Failed) => self.recover_in_braces(checkpoint),
                    }
                }
            }
        }
        self.advance();
        self.leave();
        Ok(members)
    }

    fn member(&mut self) -> Parsed<Member> {
        while self.accept_keyword(Keyword::Extension) {}
        if self.at_keyword(Keyword::StaticAssert) {
            return Ok(Member::StaticAssert(self.static_assert()?));
        }
        let loc = self.loc();
        let start = self.pos;
        let specifiers = self.specifiers(Place::Member)?;
        if self.pos == start {
            return Err(self.unexpected("a member declaration"));
        }
        if let Some(storage) = specifiers.storage {
            let name = format!("{storage:?}").to_lowercase();
            self.error_here(format!("a member cannot be '{name}'"));
            return Err(Failed);
        }
        let mut declarators = Vec::new();
        if !self.accept_semicolon() {
            loop {
                declarators.push(self.field_declarator(&specifiers.ty)?);
                if !self.accept(Punct::Comma) {
                    break;
                }
            }
            // The last semicolon of a member list may be missing in GNU C; nobody means to do that.
            self.expect_semicolon("this member")?;
        }
        Ok(Member::Field { specifiers, declarators, loc })
    }

    fn field_declarator(&mut self, ty: &TypeSpecifier) -> Parsed<FieldDeclarator> {
        let mut leading = Vec::new();
        self.attributes(&mut leading)?;
        let naming = if self.at(Punct::Colon) { Naming::Never } else { Naming::Always };
        let mut declarator = self.declarator(naming)?;
        self.require_parameter_types(&declarator, false);
        let bits = if self.accept(Punct::Colon) { Some(self.constant_expression()?) } else { None };
        self.attributes(&mut declarator.attributes)?;
        declarator.attributes.append(&mut leading);
        if bits.is_none() && matches!(ty, TypeSpecifier::ImplicitInt) {
            // `const x;` is implicit int in a declaration, but never was in a member.
            let name = declarator.name.map_or(String::new(), |n| format!(" before '{}'", self.name(n)));
            self.error_here(format!("expected a type{name}"));
            return Err(Failed);
        }
        Ok(FieldDeclarator { declarator, bits })
    }

    pub(super) fn enum_specifier(&mut self) -> Parsed<EnumSpecifier> {
        let loc = self.advance().loc;
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.accept_tag();
        let enumerators = if self.at(Punct::LBrace) {
            let open = self.advance().loc;
            let enumerators = self.enumerators(open)?;
            self.attributes(&mut attributes)?;
            Some(enumerators)
        } else if tag.is_none() {
            return Err(self.unexpected("a tag or '{' after 'enum'"));
        } else {
            None
        };
        Ok(EnumSpecifier { tag, enumerators, attributes, loc })
    }

    fn enumerators(&mut self, open: Loc) -> Parsed<Vec<Enumerator>> {
        let mut enumerators = Vec::new();
        loop {
            if self.at(Punct::RBrace) && !enumerators.is_empty() {
                break;
            }
            let (name, loc) = self.expect_ident("the name of an enumerator")?;
            self.attributes(&mut Vec::new())?;
            let value = if self.accept(Punct::Assign) { Some(self.constant_expression()?) } else { None };
            self.names.declare(name, Meaning::Value);
            enumerators.push(Enumerator { name, value, loc });
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.expect_closing(Punct::RBrace, open)?;
        Ok(enumerators)
    }
}
