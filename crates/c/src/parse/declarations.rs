//! Declarations and function definitions.

use super::declarators::Naming;
use super::scope::Meaning;
use super::specifiers::Place;
use super::{Failed, Parsed, Parser};
use crate::ast::{
    Attribute, BlockItem, Declaration, Declarator, Derivation, FunctionDefinition, InitDeclarator, Item, Parameters,
    Qualifiers, Specifiers, StaticAssert, StorageClass, TranslationUnit, TypeSpecifier,
};
use crate::token::{Keyword, Punct, TokenKind};
use norn_ir::diag::Diagnostic;
use norn_ir::number::narrow;
use norn_ir::source::Loc;

/// What a declaration turned out to be.
enum Declared {
    Declaration(Declaration),
    Function(Box<FunctionDefinition>),
}

impl Parser<'_> {
    pub(super) fn translation_unit(mut self) -> TranslationUnit {
        let mut items = Vec::new();
        while self.peek() != TokenKind::Eof {
            let checkpoint = self.checkpoint();
            match self.item() {
                Ok(item) => items.extend(item),
                Err(Failed) => self.recover_at_file_scope(checkpoint),
            }
        }
        TranslationUnit { items }
    }

    /// Something at file scope; `None` if it means nothing.
    fn item(&mut self) -> Parsed<Option<Item>> {
        match self.peek() {
            TokenKind::Punct(Punct::Semi) => {
                self.advance();
                return Ok(None);
            }
            TokenKind::Punct(Punct::RBrace) => {
                self.error_here("this '}' closes nothing".to_owned());
                self.advance();
                return Ok(None);
            }
            TokenKind::Keyword(Keyword::StaticAssert) => return Ok(Some(Item::StaticAssert(self.static_assert()?))),
            TokenKind::Keyword(Keyword::Asm) => return Ok(Some(Item::Asm(self.asm_at_file_scope()?))),
            _ => {}
        }
        if self.diagnose_cplusplus() {
            return Err(Failed);
        }
        let loc = self.loc();
        let start = self.pos;
        let specifiers = self.specifiers(Place::Declaration)?;
        if self.pos == start && !self.begins_implicit_int() {
            return Err(self.not_a_declaration());
        }
        if self.at_keyword(Keyword::StaticAssert) || self.at_keyword(Keyword::Asm) {
            // After `__extension__`, which the specifiers took.
            return self.item();
        }
        match self.declaration_after(specifiers, loc, true)? {
            Declared::Function(function) => Ok(Some(Item::Function(function))),
            Declared::Declaration(declaration) if declares_nothing(&declaration) => Ok(None),
            Declared::Declaration(declaration) => Ok(Some(Item::Declaration(declaration))),
        }
    }

    /// `name(`, `name;`, `name = …` and `name[…` at file scope: a declaration whose type was left out.
    fn begins_implicit_int(&self) -> bool {
        let ends_name = matches!(
            self.peek_at(1),
            TokenKind::Punct(Punct::LParen | Punct::Semi | Punct::Assign | Punct::Comma | Punct::LBracket)
        );
        matches!(self.peek(), TokenKind::Ident(_)) && ends_name || self.at(Punct::Star)
    }

    fn not_a_declaration(&mut self) -> Failed {
        match self.peek() {
            TokenKind::Keyword(
                k @ (Keyword::If
                | Keyword::For
                | Keyword::While
                | Keyword::Do
                | Keyword::Switch
                | Keyword::Return
                | Keyword::Goto
                | Keyword::Else
                | Keyword::Break
                | Keyword::Continue),
            ) => {
                let token = self.peek_token();
                let message = format!("a '{}' statement outside of a function", k.spelling());
                let help = "perhaps a '}' too many closed the function before it";
                self.report(Diagnostic::error(token.loc, message).covering(u32::from(token.len)).help(help));
                Failed
            }
            _ => self.unexpected("a declaration"),
        }
    }

    /// A declaration in a block, with the attributes that were read before it.
    pub(super) fn block_declaration(&mut self, mut attributes: Vec<Attribute>) -> Parsed<BlockItem> {
        let loc = self.loc();
        while self.accept_keyword(Keyword::Extension) {}
        if self.at_keyword(Keyword::StaticAssert) {
            return Ok(BlockItem::StaticAssert(self.static_assert()?));
        }
        let mut specifiers = self.specifiers(Place::Declaration)?;
        specifiers.attributes.append(&mut attributes);
        match self.declaration_after(specifiers, loc, false)? {
            Declared::Declaration(declaration) => Ok(BlockItem::Declaration(declaration)),
            Declared::Function(function) => {
                self.nested_function(loc);
                Ok(BlockItem::Function(function))
            }
        }
    }

    /// Remembers a function inside of another one that begins at the margin: a brace may be missing before it.
    fn nested_function(&mut self, start: Loc) {
        let at_margin = self.session.sources.physical(start).is_some_and(|(_, place)| place.column == 1);
        if at_margin && self.misplaced_function.is_none() {
            self.misplaced_function = Some(start);
        }
    }

    /// A declaration that is nothing else: in a `for` statement or for the parameters of a K&R definition.
    pub(super) fn plain_declaration(&mut self) -> Parsed<Declaration> {
        let loc = self.loc();
        let specifiers = self.specifiers(Place::Declaration)?;
        match self.declaration_after(specifiers, loc, false)? {
            Declared::Declaration(declaration) => Ok(declaration),
            Declared::Function(function) => {
                let message = "a function cannot be defined here";
                self.report(Diagnostic::error(function.declarator.loc, message));
                Err(Failed)
            }
        }
    }

    fn declaration_after(&mut self, specifiers: Specifiers, loc: Loc, at_file_scope: bool) -> Parsed<Declared> {
        let meaning = match specifiers.storage {
            Some(StorageClass::Typedef) => Meaning::Type,
            _ => Meaning::Value,
        };
        if self.accept_semicolon() {
            return Ok(Declared::Declaration(Declaration { specifiers, declarators: Vec::new(), loc }));
        }
        // Most often there is one; room for more would be most of the memory that headers take.
        let mut declarators = Vec::with_capacity(1);
        loop {
            let mut leading = Vec::new();
            self.attributes(&mut leading)?;
            let mut declarator = self.declarator(Naming::Always)?;
            declarator.attributes.append(&mut leading);
            self.attributes(&mut declarator.attributes)?;
            let asm_label = self.asm_label()?;
            self.attributes(&mut declarator.attributes)?;
            if declarators.is_empty() && self.at_function_body(&declarator) {
                return Ok(Declared::Function(Box::new(self.function_definition(specifiers, declarator)?)));
            }
            if at_file_scope && self.is_undefined_macro(&specifiers, &declarator) {
                return Err(Failed);
            }
            self.require_parameter_types(&declarator, false);
            if let Some(name) = declarator.name {
                self.names.declare(name, meaning);
            }
            let initializer = if self.accept(Punct::Assign) { Some(self.initializer()?) } else { None };
            declarators.push(InitDeclarator { declarator, initializer, asm_label });
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.expect_semicolon("this declaration")?;
        Ok(Declared::Declaration(Declaration { specifiers, declarators, loc }))
    }

    /// After a declarator: whether the function's body, or its parameters in K&R style, come next.
    fn at_function_body(&self, declarator: &Declarator) -> bool {
        match declarator.derivations.last() {
            Some(Derivation::Function(parameters)) => {
                self.at(Punct::LBrace)
                    || matches!(parameters, Parameters::Names(_))
                        && self.starts_declaration(self.peek())
                        && !self.at_keyword(Keyword::StaticAssert)
            }
            _ => false,
        }
    }

    /// `NAME(other)` without any type is no declaration that anybody writes.
    fn is_undefined_macro(&mut self, specifiers: &Specifiers, declarator: &Declarator) -> bool {
        let has_names = matches!(declarator.derivations.last(), Some(Derivation::Function(Parameters::Names(_))));
        let no_type = matches!(specifiers.ty, TypeSpecifier::ImplicitInt) && specifiers.storage.is_none();
        if let (true, true, Some(name)) = (has_names, no_type, declarator.name) {
            let message = format!("'{}' is used like a macro, but no such macro is defined", self.name(name));
            self.report(Diagnostic::error(declarator.loc, message).covering(narrow(self.name(name).len())));
            return true;
        }
        false
    }

    fn function_definition(&mut self, specifiers: Specifiers, declarator: Declarator) -> Parsed<FunctionDefinition> {
        self.require_parameter_types(&declarator, true);
        if let Some(name) = declarator.name {
            self.names.declare(name, Meaning::Value);
        }
        let scope = self.names.mark();
        match declarator.derivations.last() {
            Some(Derivation::Function(Parameters::Prototype { params, .. })) => {
                for name in params.iter().filter_map(|p| p.declarator.name) {
                    self.names.declare(name, Meaning::Value);
                }
            }
            Some(Derivation::Function(Parameters::Names(names))) => {
                for &(name, _) in names {
                    self.names.declare(name, Meaning::Value);
                }
            }
            _ => {}
        }
        let mut old_style_params = Vec::new();
        while !self.at(Punct::LBrace) {
            if !self.starts_declaration(self.peek()) {
                self.names.restore(scope);
                return Err(self.unexpected("the body of the function"));
            }
            old_style_params.push(self.plain_declaration()?);
        }
        let body = self.block_in_scope();
        self.names.restore(scope);
        Ok(FunctionDefinition { specifiers, declarator, old_style_params, body: body? })
    }

    pub(super) fn static_assert(&mut self) -> Parsed<StaticAssert> {
        let loc = self.advance().loc;
        let open = self.expect(Punct::LParen, "after '_Static_assert'")?;
        let condition = self.constant_expression()?;
        let message = match self.accept(Punct::Comma) {
            true => Some(self.string_literal("a message as a string literal")?),
            false => None,
        };
        self.expect_closing(Punct::RParen, open)?;
        self.expect_semicolon("'_Static_assert'")?;
        Ok(StaticAssert { condition, message, loc })
    }
}

/// Whether a declaration without declarators says nothing at all, such as `__attribute__((x));`.
fn declares_nothing(declaration: &Declaration) -> bool {
    let specifiers = &declaration.specifiers;
    declaration.declarators.is_empty()
        && specifiers.storage.is_none()
        && specifiers.qualifiers == Qualifiers::default()
        && matches!(specifiers.ty, TypeSpecifier::ImplicitInt)
}
