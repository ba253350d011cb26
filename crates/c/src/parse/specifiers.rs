//! Declaration specifiers: storage class, type, qualifiers and attributes, in any order.

use super::scope::Meaning;
use super::{Failed, Parsed, Parser};
use crate::ast::{Alignment, BasicType, Qualifiers, Specifiers, StorageClass, TypeSpecifier};
use crate::intern::Symbol;
use crate::token::{Keyword, Punct, TokenKind};
use norn_ir::diag::Diagnostic;

/// Where specifiers stand, which decides how an identifier that is no type is understood.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A declaration at file scope or in a block.
    Declaration,
    Member,
    Parameter,
    TypeName,
}

/// The keywords of an arithmetic type.
#[derive(Default)]
struct Words {
    base: Option<Keyword>,
    short: u8,
    long: u8,
    signed: u8,
    unsigned: u8,
    complex: u8,
}

impl Words {
    /// Counts one more keyword; `false` if it cannot be combined with the earlier ones.
    fn add(&mut self, keyword: Keyword) -> bool {
        match keyword {
            Keyword::Short => self.short += 1,
            Keyword::Long => self.long += 1,
            Keyword::Signed => self.signed += 1,
            Keyword::Unsigned => self.unsigned += 1,
            Keyword::Complex => self.complex += 1,
            _ if self.base.is_some() => return false,
            _ => self.base = Some(keyword),
        }
        self.basic_type().is_some()
    }

    fn any(&self) -> bool {
        self.base.is_some() || self.short + self.long + self.signed + self.unsigned + self.complex > 0
    }

    fn basic_type(&self) -> Option<BasicType> {
        if self.complex > 1 || self.signed > 1 || self.unsigned > 1 {
            return None;
        }
        if self.complex > 0 && self.base.is_none() && self.short + self.long + self.signed + self.unsigned == 0 {
            return Some(BasicType::Double);
        }
        let plain = match (self.base, self.short, self.long, self.signed, self.unsigned) {
            (Some(Keyword::Void), 0, 0, 0, 0) => BasicType::Void,
            (Some(Keyword::Bool), 0, 0, 0, 0) => BasicType::Bool,
            (Some(Keyword::Char), 0, 0, 0, 0) => BasicType::Char,
            (Some(Keyword::Char), 0, 0, 1, 0) => BasicType::SignedChar,
            (Some(Keyword::Char), 0, 0, 0, 1) => BasicType::UnsignedChar,
            (Some(Keyword::Float16), 0, 0, 0, 0) => BasicType::Half,
            (Some(Keyword::Float), 0, 0, 0, 0) => BasicType::Float,
            (Some(Keyword::Double | Keyword::Float64), 0, 0, 0, 0) => BasicType::Double,
            (Some(Keyword::Float128), 0, 0, 0, 0) => BasicType::Quad,
            (Some(Keyword::Double), 0, 1, 0, 0) => BasicType::LongDouble,
            (Some(Keyword::Int128), 0, 0, _, 0) => BasicType::Int128,
            (Some(Keyword::Int128), 0, 0, 0, 1) => BasicType::UnsignedInt128,
            (None | Some(Keyword::Int), 1, 0, _, 0) => BasicType::Short,
            (None | Some(Keyword::Int), 1, 0, 0, 1) => BasicType::UnsignedShort,
            (None | Some(Keyword::Int), 0, 0, _, 0) => BasicType::Int,
            (None | Some(Keyword::Int), 0, 0, 0, 1) => BasicType::UnsignedInt,
            (None | Some(Keyword::Int), 0, 1, _, 0) => BasicType::Long,
            (None | Some(Keyword::Int), 0, 1, 0, 1) => BasicType::UnsignedLong,
            (None | Some(Keyword::Int), 0, 2, _, 0) => BasicType::LongLong,
            (None | Some(Keyword::Int), 0, 2, 0, 1) => BasicType::UnsignedLongLong,
            _ => return None,
        };
        match plain {
            BasicType::Void | BasicType::Bool if self.complex > 0 => None,
            _ => Some(plain),
        }
    }
}

impl Parser<'_> {
    pub(super) fn specifiers(&mut self, place: Place) -> Parsed<Specifiers> {
        let mut specifiers = Specifiers {
            storage: None,
            thread_local: false,
            inline: false,
            noreturn: false,
            ty: TypeSpecifier::ImplicitInt,
            qualifiers: Qualifiers::default(),
            alignments: Vec::new(),
            attributes: Vec::new(),
            loc: self.loc(),
        };
        let mut words = Words::default();
        let mut other = None;
        loop {
            match self.peek() {
                TokenKind::Keyword(keyword) => {
                    if !self.keyword_specifier(keyword, &mut specifiers, &mut words, &mut other)? {
                        break;
                    }
                }
                TokenKind::Ident(name) => {
                    let has_type = other.is_some() || words.any();
                    if has_type {
                        if self.semicolon_forgotten_before_name(&other) {
                            self.assume_semicolon_after_record();
                        }
                        break;
                    }
                    if self.names.meaning(name) != Meaning::Type {
                        if !self.is_meant_as_type(place) {
                            break;
                        }
                        if self.diagnose_cplusplus() {
                            return Err(Failed);
                        }
                        self.assume_type(name);
                        if place != Place::Parameter && self.starts_declaration(self.peek_at(1)) {
                            // Something like `EXPORT int f(void)` with `EXPORT` undefined: the type is still to come.
                            self.advance();
                            continue;
                        }
                    }
                    self.advance();
                    other = Some(self.typedef_name(name));
                }
                _ => break,
            }
        }
        specifiers.ty = match other {
            Some(ty) => ty,
            None if words.any() => match words.basic_type() {
                Some(part) if words.complex > 0 => TypeSpecifier::Complex(part),
                Some(basic) => TypeSpecifier::Basic(basic),
                None => TypeSpecifier::ImplicitInt,
            },
            None => TypeSpecifier::ImplicitInt,
        };
        if matches!(specifiers.ty, TypeSpecifier::Auto) && place != Place::Declaration {
            let message = "'__auto_type' is for variables with an initialiser";
            self.report(Diagnostic::error(specifiers.loc, message));
        }
        if matches!(specifiers.ty, TypeSpecifier::ImplicitInt) && matches!(place, Place::TypeName | Place::Parameter) {
            let bare = specifiers.storage.is_none() && specifiers.qualifiers == Qualifiers::default();
            if bare {
                return Err(self.unexpected(if place == Place::TypeName { "a type" } else { "a parameter" }));
            }
        }
        Ok(specifiers)
    }

    fn typedef_name(&self, name: Symbol) -> TypeSpecifier {
        if name == self.names.uint128 {
            TypeSpecifier::Basic(BasicType::UnsignedInt128)
        } else {
            TypeSpecifier::Typedef(name)
        }
    }

    /// The identifier here is no type and none was seen so far: is it an unknown type, or the declared name?
    fn is_meant_as_type(&self, place: Place) -> bool {
        match place {
            Place::Parameter | Place::TypeName => true,
            Place::Declaration | Place::Member => match self.peek_at(1) {
                TokenKind::Ident(_) | TokenKind::Punct(Punct::Star) => true,
                TokenKind::Keyword(Keyword::Asm | Keyword::Attribute) => false,
                // In a K&R definition the parameters' declarations follow the closing parenthesis, not a name.
                kind => self.starts_declaration(kind),
            },
        }
    }

    /// `struct s { … }` without semicolon, followed by `name name`.
    fn semicolon_forgotten_before_name(&self, other: &Option<TypeSpecifier>) -> bool {
        self.follows_record_body(other) && matches!(self.peek_at(1), TokenKind::Ident(_))
    }

    fn follows_record_body(&self, other: &Option<TypeSpecifier>) -> bool {
        matches!(other, Some(TypeSpecifier::Record(_) | TypeSpecifier::Enum(_)))
            && self.previous().is_some_and(|t| t.kind == TokenKind::Punct(Punct::RBrace))
    }

    fn assume_semicolon_after_record(&mut self) {
        let loc = self.end_of_previous();
        self.report(Diagnostic::error(loc, "expected ';' after the closing brace of the type"));
        self.assumed_semicolon = Some(self.pos);
    }

    /// Parses the specifier that begins with `keyword`; `false` if it is none.
    fn keyword_specifier(
        &mut self,
        keyword: Keyword,
        specifiers: &mut Specifiers,
        words: &mut Words,
        other: &mut Option<TypeSpecifier>,
    ) -> Parsed<bool> {
        match keyword {
            Keyword::Typedef => self.storage_class(specifiers, StorageClass::Typedef)?,
            Keyword::Extern => self.storage_class(specifiers, StorageClass::Extern)?,
            Keyword::Static => self.storage_class(specifiers, StorageClass::Static)?,
            Keyword::Auto => self.storage_class(specifiers, StorageClass::Auto)?,
            Keyword::Register => self.storage_class(specifiers, StorageClass::Register)?,
            Keyword::Thread if specifiers.thread_local => {
                self.error_here("'_Thread_local' twice in a declaration".to_owned());
                return Err(Failed);
            }
            Keyword::Thread => specifiers.thread_local = self.skip(),
            Keyword::Inline => specifiers.inline = self.skip(),
            Keyword::Noreturn => specifiers.noreturn = self.skip(),
            Keyword::Extension => {
                self.skip();
            }
            Keyword::Attribute => self.attributes(&mut specifiers.attributes)?,
            Keyword::Alignas => {
                let alignment = self.alignment()?;
                specifiers.alignments.push(alignment);
            }
            Keyword::Atomic if self.peek_at(1) == TokenKind::Punct(Punct::LParen) => {
                if !self.one_type(words, other)? {
                    return Ok(false);
                }
                self.advance();
                let open = self.advance().loc;
                let ty = self.type_name()?;
                self.expect_closing(Punct::RParen, open)?;
                *other = Some(TypeSpecifier::Atomic(Box::new(ty)));
            }
            Keyword::Const | Keyword::Volatile | Keyword::Restrict | Keyword::Atomic => {
                self.qualifier(&mut specifiers.qualifiers);
            }
            Keyword::Struct | Keyword::Union => {
                if !self.one_type(words, other)? {
                    return Ok(false);
                }
                *other = Some(TypeSpecifier::Record(Box::new(self.record_specifier()?)));
            }
            Keyword::Enum => {
                if !self.one_type(words, other)? {
                    return Ok(false);
                }
                *other = Some(TypeSpecifier::Enum(Box::new(self.enum_specifier()?)));
            }
            Keyword::Typeof => {
                if !self.one_type(words, other)? {
                    return Ok(false);
                }
                *other = Some(self.typeof_specifier()?);
            }
            Keyword::AutoType => {
                if !self.one_type(words, other)? {
                    return Ok(false);
                }
                self.advance();
                *other = Some(TypeSpecifier::Auto);
            }
            Keyword::Void
            | Keyword::Bool
            | Keyword::Char
            | Keyword::Short
            | Keyword::Int
            | Keyword::Long
            | Keyword::Int128
            | Keyword::Float
            | Keyword::Float16
            | Keyword::Float64
            | Keyword::Float128
            | Keyword::Double
            | Keyword::Signed
            | Keyword::Unsigned
            | Keyword::Complex => {
                if self.follows_record_body(other) {
                    self.assume_semicolon_after_record();
                    return Ok(false);
                }
                if other.is_some() || !words.add(keyword) {
                    self.error_here(format!("'{}' cannot be combined with the type before it", keyword.spelling()));
                    return Err(Failed);
                }
                self.advance();
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Before a type specifier that does not combine with others. `false` if the declaration before it is over.
    fn one_type(&mut self, words: &Words, other: &Option<TypeSpecifier>) -> Parsed<bool> {
        if self.follows_record_body(other) {
            self.assume_semicolon_after_record();
            return Ok(false);
        }
        if words.any() || other.is_some() {
            self.error_here(format!("{} cannot be combined with the type before it", self.describe(self.peek())));
            return Err(Failed);
        }
        Ok(true)
    }

    fn skip(&mut self) -> bool {
        self.advance();
        true
    }

    fn storage_class(&mut self, specifiers: &mut Specifiers, class: StorageClass) -> Parsed<()> {
        if specifiers.storage.is_some() {
            self.error_here("more than one storage class in a declaration".to_owned());
            return Err(Failed);
        }
        specifiers.storage = Some(class);
        self.advance();
        Ok(())
    }

    /// Takes a qualifier if one is there.
    pub(super) fn qualifier(&mut self, qualifiers: &mut Qualifiers) -> bool {
        match self.peek() {
            TokenKind::Keyword(Keyword::Const) => qualifiers.is_const = true,
            TokenKind::Keyword(Keyword::Volatile) => qualifiers.is_volatile = true,
            TokenKind::Keyword(Keyword::Restrict) => qualifiers.is_restrict = true,
            TokenKind::Keyword(Keyword::Atomic) => qualifiers.is_atomic = true,
            _ => return false,
        }
        self.skip()
    }

    fn alignment(&mut self) -> Parsed<Alignment> {
        self.advance();
        let open = self.expect(Punct::LParen, "after '_Alignas'")?;
        let alignment = if self.starts_type_name(self.peek()) {
            Alignment::Type(self.type_name()?)
        } else {
            Alignment::Expr(self.constant_expression()?)
        };
        self.expect_closing(Punct::RParen, open)?;
        Ok(alignment)
    }

    fn typeof_specifier(&mut self) -> Parsed<TypeSpecifier> {
        self.advance();
        let open = self.expect(Punct::LParen, "after 'typeof'")?;
        self.enter()?;
        self.diagnose_unknown_type_in_cast();
        let specifier = if self.starts_type_name(self.peek()) {
            TypeSpecifier::TypeofType(Box::new(self.type_name()?))
        } else {
            TypeSpecifier::TypeofExpr(Box::new(self.expression()?))
        };
        self.leave();
        self.expect_closing(Punct::RParen, open)?;
        Ok(specifier)
    }
}
