//! Declarators: a name with pointers, arrays and functions around it.
//!
//! What is read of a declarator is collected on stacks that all declarators share, and leaves them as lists of just the
//! right size: headers are little else than declarators, and most have one or two parts.

use super::scope::Meaning;
use super::specifiers::Place;
use super::{Failed, Parsed, Parser};
use crate::ast::{
    ArraySize, Attribute, BasicType, Declarator, Derivation, Parameter, Parameters, Qualifiers, TypeSpecifier,
};
use crate::intern::Symbol;
use crate::token::{Keyword, Punct, TokenKind};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

/// Whether a declarator declares a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    Always,
    /// In a parameter.
    Perhaps,
    /// In a type name.
    Never,
}

/// A declarator under construction, without its derivations.
struct Draft {
    name: Option<Symbol>,
    loc: Loc,
    attributes: Vec<Attribute>,
}

/// The parts of the declarators that are being read, those of the innermost last.
#[derive(Default)]
pub(super) struct Parts {
    /// Unlike in the tree, in reading order, from the name outwards, so that they can be appended.
    derivations: Vec<Derivation>,
    /// The pointers before a name, which apply after what follows it.
    pointers: Vec<Qualifiers>,
    parameters: Vec<Parameter>,
}

impl Parser<'_> {
    pub(super) fn declarator(&mut self, naming: Naming) -> Parsed<Declarator> {
        let outer = self.begin_chain();
        let mut draft = Draft { name: None, loc: Loc::NONE, attributes: Vec::new() };
        let Parts { derivations, pointers, parameters } = &self.parts;
        let (first, pointers, parameters) = (derivations.len(), pointers.len(), parameters.len());
        if let Err(failed) = self.nested_declarator(naming, &mut draft) {
            self.parts.derivations.truncate(first);
            self.parts.pointers.truncate(pointers);
            self.parts.parameters.truncate(parameters);
            return Err(failed);
        }
        self.end_chain(outer);
        let derivations = self.parts.derivations.drain(first..).rev().collect();
        let Draft { name, loc, attributes } = draft;
        Ok(Declarator { name, derivations, attributes, loc })
    }

    fn nested_declarator(&mut self, naming: Naming, draft: &mut Draft) -> Parsed<()> {
        let first_pointer = self.parts.pointers.len();
        while self.accept(Punct::Star) {
            let mut qualifiers = Qualifiers::default();
            while self.qualifier(&mut qualifiers) || self.at_keyword(Keyword::Attribute) {
                self.attributes(&mut draft.attributes)?;
            }
            self.parts.pointers.push(qualifiers);
            self.grow_chain()?;
        }
        match self.peek() {
            TokenKind::Ident(name) if naming != Naming::Never => {
                draft.name = Some(name);
                draft.loc = self.advance().loc;
            }
            TokenKind::Punct(Punct::LParen) => self.parenthesis(naming, draft)?,
            _ if naming == Naming::Always => return Err(self.unexpected("a name to declare")),
            _ => draft.loc = self.loc(),
        }
        self.derivation_suffixes(draft)?;
        let pointers = self.parts.pointers.drain(first_pointer..).rev();
        self.parts.derivations.extend(pointers.map(Derivation::Pointer));
        Ok(())
    }

    /// `(` where a name is due: a declarator in parentheses, or the parameters of a function without a name.
    fn parenthesis(&mut self, naming: Naming, draft: &mut Draft) -> Parsed<()> {
        let open = self.advance().loc;
        self.attributes(&mut draft.attributes)?;
        let is_function = naming != Naming::Always
            && match self.peek() {
                TokenKind::Punct(Punct::RParen | Punct::Ellipsis) => true,
                kind => self.starts_declaration(kind),
            };
        if is_function {
            draft.loc = open;
            return self.function_suffix(open, draft);
        }
        self.enter()?;
        self.nested_declarator(naming, draft)?;
        self.leave();
        self.expect_closing(Punct::RParen, open)?;
        Ok(())
    }

    fn derivation_suffixes(&mut self, draft: &mut Draft) -> Parsed<()> {
        loop {
            match self.peek() {
                TokenKind::Punct(Punct::LBracket) => {
                    self.grow_chain()?;
                    let array = self.array_suffix()?;
                    self.parts.derivations.push(array);
                }
                TokenKind::Punct(Punct::LParen) => {
                    let open = self.advance().loc;
                    self.function_suffix(open, draft)?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn array_suffix(&mut self) -> Parsed<Derivation> {
        let loc = self.advance().loc;
        let mut qualifiers = Qualifiers::default();
        let mut is_static = false;
        loop {
            if self.accept_keyword(Keyword::Static) {
                is_static = true;
            } else if self.at_keyword(Keyword::Attribute) {
                self.attributes(&mut Vec::new())?;
            } else if !self.qualifier(&mut qualifiers) {
                break;
            }
        }
        let size = if self.at(Punct::RBracket) && is_static {
            return Err(self.unexpected("the length after 'static'"));
        } else if self.at(Punct::RBracket) {
            ArraySize::Unknown
        } else if self.at(Punct::Star) && self.peek_at(1) == TokenKind::Punct(Punct::RBracket) {
            self.advance();
            ArraySize::Star
        } else {
            self.enter()?;
            let size = self.assignment_expression()?;
            self.leave();
            ArraySize::Expr(Box::new(size))
        };
        self.expect_closing(Punct::RBracket, loc)?;
        Ok(Derivation::Array { qualifiers, is_static, size, loc })
    }

    /// The parameters after `(` and the closing parenthesis.
    fn function_suffix(&mut self, open: Loc, draft: &mut Draft) -> Parsed<()> {
        self.grow_chain()?;
        self.enter()?;
        let scope = self.names.mark();
        let parameters = self.parameters(open, draft.name)?;
        self.names.restore(scope);
        self.leave();
        self.parts.derivations.push(Derivation::Function(parameters));
        Ok(())
    }

    fn parameters(&mut self, open: Loc, function: Option<Symbol>) -> Parsed<Parameters> {
        if self.accept(Punct::RParen) {
            return Ok(Parameters::Unknown);
        }
        if let TokenKind::Ident(name) = self.peek()
            && self.names.meaning(name) != Meaning::Type
            && matches!(self.peek_at(1), TokenKind::Punct(Punct::Comma | Punct::RParen))
        {
            return self.parameter_names(open);
        }
        if let (TokenKind::Str(_) | TokenKind::Number(_), Some(function)) = (self.peek(), function) {
            self.undefined_macro(function);
            return Err(Failed);
        }
        let first = self.parts.parameters.len();
        let mut variadic = false;
        loop {
            if self.accept(Punct::Ellipsis) {
                variadic = true;
                break;
            }
            let parameter = self.parameter()?;
            self.parts.parameters.push(parameter);
            if self.at(Punct::Semi) && self.parameters_follow_semicolon() {
                let message = "parameters that are declared before the parameter list are not supported";
                self.report(Diagnostic::unsupported(self.loc(), message));
                self.advance();
                self.parts.parameters.truncate(first);
                continue;
            }
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.expect_closing(Punct::RParen, open)?;
        if let [only] = &self.parts.parameters[first..]
            && !variadic
            && is_void(only)
        {
            self.parts.parameters.truncate(first);
        }
        let params = self.parts.parameters.drain(first..).collect();
        Ok(Parameters::Prototype { params, variadic })
    }

    /// Whether the `;` here ends GNU C's forward declaration of a parameter, rather than a declaration that lacks its
    /// closing parenthesis.
    fn parameters_follow_semicolon(&mut self) -> bool {
        self.pos += 1;
        let follow = self.starts_declaration(self.peek()) && !self.next_is_on_new_line();
        self.pos -= 1;
        follow
    }

    fn parameter_names(&mut self, open: Loc) -> Parsed<Parameters> {
        let mut names = Vec::new();
        loop {
            names.push(self.expect_ident("the name of a parameter")?);
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.expect_closing(Punct::RParen, open)?;
        Ok(Parameters::Names(names))
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let loc = self.loc();
        let specifiers = self.specifiers(Place::Parameter)?;
        let mut declarator = self.declarator(Naming::Perhaps)?;
        self.attributes(&mut declarator.attributes)?;
        self.require_parameter_types(&declarator, false);
        if let Some(name) = declarator.name {
            self.names.declare(name, Meaning::Value);
        }
        Ok(Parameter { specifiers, declarator, loc })
    }

    /// Parameter names without types belong to the definition of the function that is declared; anywhere else the names
    /// are types that nobody declared.
    pub(super) fn require_parameter_types(&mut self, declarator: &Declarator, is_definition: bool) {
        let checked = declarator.derivations.len() - usize::from(is_definition && is_function(declarator));
        for derivation in &declarator.derivations[..checked] {
            if let Derivation::Function(Parameters::Names(names)) = derivation
                && let Some(&(name, loc)) = names.first()
            {
                self.unknown_type(name, loc);
            }
        }
    }

    /// Something like `DEFINE_THING(4);` at file scope, without a macro of that name.
    pub(super) fn undefined_macro(&mut self, name: Symbol) {
        let message = format!("'{}' is used like a macro, but no such macro is defined", self.name(name));
        self.error_here(message);
    }
}

/// Whether a declarator declares a function (rather than, say, a pointer to one).
pub(super) fn is_function(declarator: &Declarator) -> bool {
    matches!(declarator.derivations.last(), Some(Derivation::Function(_)))
}

/// Whether a parameter is the `void` of `(void)`.
fn is_void(parameter: &Parameter) -> bool {
    let specifiers = &parameter.specifiers;
    matches!(specifiers.ty, TypeSpecifier::Basic(BasicType::Void))
        && specifiers.qualifiers == Qualifiers::default()
        && specifiers.storage.is_none()
        && parameter.declarator.name.is_none()
        && parameter.declarator.derivations.is_empty()
}
