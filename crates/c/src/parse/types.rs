//! Type names, and which tokens begin types and declarations.

use super::declarators::Naming;
use super::scope::Meaning;
use super::specifiers::Place;
use super::{Parsed, Parser};
use crate::ast::TypeName;
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// Whether a token begins a type name.
    pub(super) fn starts_type(&self, kind: TokenKind) -> bool {
        match kind {
            TokenKind::Ident(name) => self.names.meaning(name) == Meaning::Type,
            TokenKind::Keyword(keyword) => is_type_keyword(keyword),
            _ => false,
        }
    }

    /// Whether a token after `(` begins a type name. Where only types and expressions may stand, attributes do.
    pub(super) fn starts_type_name(&self, kind: TokenKind) -> bool {
        kind == TokenKind::Keyword(Keyword::Attribute) || self.starts_type(kind)
    }

    /// Whether a token begins declaration specifiers. `__attribute__` and `__extension__` are not among them, because
    /// they begin other things too.
    pub(super) fn starts_declaration(&self, kind: TokenKind) -> bool {
        match kind {
            TokenKind::Keyword(keyword) => is_type_keyword(keyword) || is_storage_keyword(keyword),
            _ => self.starts_type(kind),
        }
    }

    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        self.enter()?;
        let loc = self.loc();
        let specifiers = self.specifiers(Place::TypeName)?;
        let declarator = self.declarator(Naming::Never)?;
        self.require_parameter_types(&declarator, false);
        self.leave();
        Ok(TypeName { specifiers, declarator, loc })
    }
}

fn is_type_keyword(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Atomic
            | Keyword::AutoType
            | Keyword::Bool
            | Keyword::Char
            | Keyword::Complex
            | Keyword::Const
            | Keyword::Double
            | Keyword::Enum
            | Keyword::Float
            | Keyword::Float16
            | Keyword::Float64
            | Keyword::Float128
            | Keyword::Int
            | Keyword::Int128
            | Keyword::Long
            | Keyword::Restrict
            | Keyword::Short
            | Keyword::Signed
            | Keyword::Struct
            | Keyword::Typeof
            | Keyword::Union
            | Keyword::Unsigned
            | Keyword::Void
            | Keyword::Volatile
    )
}

fn is_storage_keyword(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Alignas
            | Keyword::Auto
            | Keyword::Extern
            | Keyword::Inline
            | Keyword::Noreturn
            | Keyword::Register
            | Keyword::Static
            | Keyword::StaticAssert
            | Keyword::Thread
            | Keyword::Typedef
    )
}
