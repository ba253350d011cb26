//! Macros: their table and their definitions.

use super::Preprocessor;
use crate::intern::Symbol;
use crate::lex::{Flags, PpKind, PpToken};
use crate::session::Session;
use crate::token::Punct;
use norn_ir::diag::Diagnostic;
use norn_ir::number::{narrow, narrow_to};
use norn_ir::source::Loc;
use std::cell::Cell;
use std::rc::Rc;

/// A macro as defined.
#[derive(Debug)]
pub struct Macro {
    pub name: Symbol,
    pub kind: MacroKind,
    pub body: Vec<Item>,
    /// The name in its definition.
    pub loc: Loc,
    /// Whether the body is plain tokens only: neither parameters nor operators.
    pub plain: bool,
    /// Whether an expansion of it is being read.
    pub disabled: Cell<bool>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MacroKind {
    Object,
    Function { params: Vec<Symbol>, variadic: bool },
    Builtin(Builtin),
}

/// Macros whose expansion depends on where they are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    File,
    Line,
    BaseFile,
    IncludeLevel,
    Counter,
    /// These have a meaning in `#if` only.
    HasInclude,
    HasIncludeNext,
    HasAttribute,
    HasFunction,
    HasFeature,
}

impl Builtin {
    const SPELLINGS: &'static [(&'static str, Builtin)] = &[
        ("__FILE__", Builtin::File),
        ("__LINE__", Builtin::Line),
        ("__BASE_FILE__", Builtin::BaseFile),
        ("__INCLUDE_LEVEL__", Builtin::IncludeLevel),
        ("__COUNTER__", Builtin::Counter),
        ("__has_include", Builtin::HasInclude),
        ("__has_include_next", Builtin::HasIncludeNext),
        ("__has_attribute", Builtin::HasAttribute),
        ("__has_builtin", Builtin::HasFunction),
        ("__has_feature", Builtin::HasFeature),
        ("__has_extension", Builtin::HasFeature),
    ];

    pub fn only_in_conditions(self) -> bool {
        !matches!(self, Builtin::File | Builtin::Line | Builtin::BaseFile | Builtin::IncludeLevel | Builtin::Counter)
    }
}

/// One piece of a macro's body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Item {
    pub token: PpToken,
    pub role: Role,
    /// `##` follows.
    pub paste: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Token,
    Param(u16),
    /// `#` before a parameter.
    Stringize(u16),
    /// `__VA_OPT__`: its content is that many items that follow.
    VaOpt(u32),
    /// `#` before `__VA_OPT__`.
    StringizeVaOpt(u32),
}

/// The macros that are defined, by symbol. One text after the other uses the same table: the changes that a text makes are
/// logged and taken back at its end.
#[derive(Debug, Default)]
pub struct MacroTable {
    macros: Vec<Option<Rc<Macro>>>,
    /// What the names that were changed meant before.
    log: Vec<(Symbol, Option<Rc<Macro>>)>,
}

impl MacroTable {
    pub fn new(session: &mut Session) -> MacroTable {
        let mut table = MacroTable::default();
        for &(name, builtin) in Builtin::SPELLINGS {
            let name = session.symbols.intern(name);
            let kind = MacroKind::Builtin(builtin);
            table.define(Rc::new(Macro {
                name,
                kind,
                body: Vec::new(),
                loc: Loc::NONE,
                plain: false,
                disabled: false.into(),
            }));
        }
        table
    }

    #[inline]
    pub fn get(&self, name: Symbol) -> Option<&Rc<Macro>> {
        self.macros.get(name.0 as usize)?.as_ref()
    }

    pub fn define(&mut self, definition: Rc<Macro>) {
        let name = definition.name;
        let index = name.0 as usize;
        if index >= self.macros.len() {
            self.macros.resize_with(index + 1, || None);
        }
        let before = self.macros[index].replace(definition);
        self.log.push((name, before));
    }

    pub fn remove(&mut self, name: Symbol) {
        if let Some(before) = self.macros.get_mut(name.0 as usize).and_then(Option::take) {
            self.log.push((name, Some(before)));
        }
    }

    /// Makes the macros that are defined now the ones that every text begins with.
    pub fn keep(&mut self) {
        self.log.clear();
    }

    /// Goes back to the macros that were kept.
    pub fn restore(&mut self) {
        while let Some((name, before)) = self.log.pop() {
            self.macros[name.0 as usize] = before;
        }
    }
}

/// Names with a meaning of their own.
pub struct Names {
    pub defined: Symbol,
    pub va_args: Symbol,
    pub va_opt: Symbol,
    pub pragma_operator: Symbol,
}

impl Names {
    pub fn new(session: &mut Session) -> Names {
        let mut intern = |name| session.symbols.intern(name);
        Names {
            defined: intern("defined"),
            va_args: intern("__VA_ARGS__"),
            va_opt: intern("__VA_OPT__"),
            pragma_operator: intern("_Pragma"),
        }
    }
}

/// A problem in a definition, with the token to point at.
type Problem = (PpToken, String);

impl Preprocessor<'_> {
    /// `#define`, its name not yet read.
    pub(super) fn define(&mut self, directive: PpToken) {
        let line = self.rest_of_line();
        match self.parse_definition(directive, &line) {
            Ok(definition) => self.add_macro(line[0], definition),
            Err((at, message)) => self.error(at, message),
        }
    }

    /// `#undef`, its name not yet read.
    pub(super) fn undefine(&mut self, directive: PpToken) {
        let token = self.lex_in_line();
        match self.macro_name(directive, token) {
            Ok(name) => self.macros.remove(name),
            Err((at, message)) => self.error(at, message),
        }
    }

    /// Checks that a token names a macro; `directive` is what to blame if there is no token.
    pub(super) fn macro_name(&self, directive: PpToken, token: PpToken) -> Result<Symbol, Problem> {
        match token.kind {
            PpKind::Ident(name) if name == self.names.defined => {
                Err((token, "'defined' cannot be the name of a macro".to_owned()))
            }
            PpKind::Ident(name) => Ok(name),
            PpKind::Eof => Err((directive, format!("'#{}' without the name of a macro", self.spelling(directive)))),
            _ => Err((token, format!("'{}' cannot be the name of a macro", self.spelling(token)))),
        }
    }

    fn add_macro(&mut self, name: PpToken, definition: Macro) {
        if let Some(old) = self.macros.get(definition.name) {
            let same = old.kind == definition.kind
                && old.body.len() == definition.body.len()
                && old.body.iter().zip(&definition.body).all(|(a, b)| same_item(a, b));
            if !same {
                let message = format!("macro '{}' is defined again, and differently", self.spelling(name));
                let diagnostic = Diagnostic::warning(name.loc, message).covering(u32::from(name.len));
                self.session.report(diagnostic.also(old.loc, "the earlier definition"));
            }
        }
        self.macros.define(Rc::new(definition));
    }

    fn parse_definition(&self, directive: PpToken, line: &[PpToken]) -> Result<Macro, Problem> {
        let first = line.first().copied().unwrap_or(PpToken::EOF);
        let name = self.macro_name(directive, first)?;
        if name == self.names.va_args || name == self.names.va_opt {
            return Err((first, format!("'{}' cannot be the name of a macro", self.spelling(first))));
        }
        let mut rest = &line[1..];
        let kind = match rest.first() {
            Some(open) if open.is(Punct::LParen) && !open.space_before() => {
                let (kind, used) = self.parse_params(*open, &rest[1..])?;
                rest = &rest[1 + used..];
                kind
            }
            _ => MacroKind::Object,
        };
        let mut body = self.parse_body(&kind, rest)?;
        if let Some(first) = body.first_mut() {
            // White space around the body is not part of it.
            first.token.flags = first.token.flags.without(Flags::SPACE);
        }
        let plain = body.iter().all(|item| item.role == Role::Token && !item.paste);
        Ok(Macro { name, kind, body, loc: first.loc, plain, disabled: Cell::new(false) })
    }

    /// Parameters behind the `(`, and how many tokens they take including the `)`.
    fn parse_params(&self, open: PpToken, tokens: &[PpToken]) -> Result<(MacroKind, usize), Problem> {
        let mut params: Vec<Symbol> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut i = 0;
        let at = |i: usize| tokens.get(i).copied().unwrap_or(PpToken::EOF);
        if at(0).is(Punct::RParen) {
            return Ok((MacroKind::Function { params, variadic: false }, 1));
        }
        loop {
            let param = at(i);
            let mut variadic = false;
            let name = match param.kind {
                PpKind::Punct(Punct::Ellipsis) => {
                    variadic = true;
                    self.names.va_args
                }
                PpKind::Ident(name) if name != self.names.va_args => {
                    if at(i + 1).is(Punct::Ellipsis) {
                        variadic = true;
                        i += 1;
                    }
                    name
                }
                PpKind::Eof => return Err((open, "the list of macro parameters is not closed".to_owned())),
                _ => return Err((param, format!("expected a macro parameter, found '{}'", self.spelling(param)))),
            };
            if !seen.insert(name) {
                return Err((param, format!("macro parameter '{}' occurs twice", self.spelling(param))));
            }
            if params.len() == usize::from(u16::MAX) {
                return Err((param, "too many macro parameters".to_owned()));
            }
            params.push(name);
            let next = at(i + 1);
            i += 2;
            match next.kind {
                PpKind::Punct(Punct::RParen) => return Ok((MacroKind::Function { params, variadic }, i)),
                PpKind::Punct(Punct::Comma) if !variadic => {}
                PpKind::Eof => return Err((open, "the list of macro parameters is not closed".to_owned())),
                _ if variadic => return Err((next, "expected ')' after '...' in macro parameters".to_owned())),
                _ => {
                    let message = format!("expected ',' or ')' in macro parameters, found '{}'", self.spelling(next));
                    return Err((next, message));
                }
            }
        }
    }

    fn parse_body(&self, kind: &MacroKind, tokens: &[PpToken]) -> Result<Vec<Item>, Problem> {
        let (params, variadic) = match kind {
            MacroKind::Function { params, variadic } => (params.as_slice(), *variadic),
            _ => (&[][..], false),
        };
        let function = *kind != MacroKind::Object;
        let indices: std::collections::HashMap<Symbol, u16> =
            params.iter().enumerate().map(|(i, &param)| (param, narrow_to(i))).collect();
        let param = |token: PpToken| match token.kind {
            PpKind::Ident(name) => indices.get(&name).copied(),
            _ => None,
        };
        let is_va_opt = |token: PpToken| variadic && token.kind == PpKind::Ident(self.names.va_opt);
        let mut body: Vec<Item> = Vec::with_capacity(tokens.len());
        // The item before, and where the content of an open `__VA_OPT__` ends: `(its item, its closing token)`.
        let mut before: Option<usize> = None;
        let mut open: Option<(usize, usize)> = None;
        let mut i = 0;
        while i < tokens.len() {
            let token = tokens[i];
            if let Some((item, close)) = open
                && i == close
            {
                if before.is_some_and(|b| body[b].paste) {
                    return Err((token, "'##' cannot be at either end of '__VA_OPT__'".to_owned()));
                }
                let len = narrow(body.len() - item - 1);
                body[item].role = match body[item].role {
                    Role::StringizeVaOpt(_) => Role::StringizeVaOpt(len),
                    _ => Role::VaOpt(len),
                };
                (before, open) = (Some(item), None);
                i += 1;
                continue;
            }
            let mut role = Role::Token;
            match token.kind {
                PpKind::Punct(Punct::HashHash) => {
                    let Some(before) = before.filter(|_| i + 1 < tokens.len()) else {
                        return Err((token, "'##' cannot be at either end of a macro".to_owned()));
                    };
                    body[before].paste = true;
                    i += 1;
                    continue;
                }
                PpKind::Punct(Punct::Hash) if function => {
                    let operand = tokens.get(i + 1).copied().unwrap_or(PpToken::EOF);
                    role = match param(operand) {
                        Some(index) => Role::Stringize(index),
                        None if is_va_opt(operand) => Role::StringizeVaOpt(0),
                        None => return Err((token, "'#' is not followed by a macro parameter".to_owned())),
                    };
                    i += 1;
                }
                _ => {
                    if let Some(index) = param(token) {
                        role = Role::Param(index);
                    } else if is_va_opt(token) {
                        role = Role::VaOpt(0);
                    }
                }
            }
            body.push(Item { token, role, paste: false });
            before = Some(body.len() - 1);
            i += 1;
            if matches!(role, Role::VaOpt(_) | Role::StringizeVaOpt(_)) {
                if open.is_some() {
                    return Err((token, "'__VA_OPT__' cannot be nested".to_owned()));
                }
                let Some(close) = closing_paren(tokens, i) else {
                    return Err((token, "expected '(…)' after '__VA_OPT__'".to_owned()));
                };
                open = Some((body.len() - 1, close));
                before = None;
                i += 1;
            }
        }
        Ok(body)
    }
}

/// The index of the parenthesis that closes the one at `open`.
fn closing_paren(tokens: &[PpToken], open: usize) -> Option<usize> {
    if !tokens.get(open)?.is(Punct::LParen) {
        return None;
    }
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        if token.is(Punct::LParen) {
            depth += 1;
        } else if token.is(Punct::RParen) {
            depth -= 1;
            if depth == 0 {
                return Some(i);
            }
        }
    }
    None
}

/// Whether two definitions agree here: same spelling, and white space at the same places.
fn same_item(a: &Item, b: &Item) -> bool {
    let visible = |t: PpToken| t.flags.without(Flags::LINE_START);
    a.role == b.role && a.paste == b.paste && a.token.kind == b.token.kind && visible(a.token) == visible(b.token)
}
