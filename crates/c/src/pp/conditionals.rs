//! `#if` … `#endif`: which groups are read.

use super::Preprocessor;
use crate::lex::{Lexer, PpKind, PpToken};
use norn_ir::diag::Diagnostic;

/// A conditional that is open.
#[derive(Clone, Copy, Debug)]
pub struct Conditional {
    /// The name of the directive that opened it.
    opened_by: PpToken,
    /// Whether one of its groups was or is being read.
    taken: bool,
    else_seen: Option<PpToken>,
}

impl Conditional {
    pub fn unterminated(&self) -> Diagnostic {
        Diagnostic::error(self.opened_by.loc, "the conditional has no '#endif'")
            .covering(u32::from(self.opened_by.len))
            .saying("it begins here")
    }
}

impl Preprocessor<'_> {
    /// `#if`, `#ifdef`, `#ifndef`, named by `directive`, the rest of the line not yet read.
    pub(super) fn open_conditional(&mut self, directive: PpToken) {
        let taken = self.evaluate(directive);
        self.conditionals.push(Conditional { opened_by: directive, taken, else_seen: None });
        self.finish_line();
        if !taken {
            self.skip_group();
        }
    }

    /// `#else`, `#elif` and their like at the end of a group that was read.
    pub(super) fn end_group(&mut self, directive: PpToken) {
        if !self.in_conditional() {
            let message = format!("'#{}' without '#if'", self.spelling(directive));
            self.error(directive, message);
            self.finish_line();
            return;
        }
        self.takes_alternative(directive);
        self.finish_line();
        self.skip_group();
    }

    pub(super) fn end_conditional(&mut self, directive: PpToken) {
        if self.in_conditional() {
            self.conditionals.pop();
        } else {
            self.error(directive, "'#endif' without '#if'");
        }
        self.finish_line();
    }

    /// Whether the file that is being read has a conditional open.
    fn in_conditional(&self) -> bool {
        self.files.last().is_some_and(|file| self.conditionals.len() > file.conditionals)
    }

    /// Passes over a group and what is nested in it, up to and including the directive that ends it.
    fn skip_group(&mut self) {
        let mut depth = 0u32;
        while !self.stopped {
            let Some(file) = self.files.last_mut() else { return };
            let mut lexer = Lexer::new(&file.text, file.pos, file.base);
            let found = lexer.skip_to_directive(self.session);
            file.pos = lexer.pos();
            if !found {
                return;
            }
            let directive = self.lex_in_line();
            if let PpKind::Ident(name) = directive.kind {
                let name = self.session.symbols.name(name);
                let alternative = depth == 0 && matches!(name, "else" | "elif" | "elifdef" | "elifndef");
                match name {
                    "if" | "ifdef" | "ifndef" => depth += 1,
                    "endif" if depth > 0 => depth -= 1,
                    "endif" => {
                        self.end_conditional(directive);
                        return;
                    }
                    _ => {}
                }
                if alternative && self.takes_alternative(directive) {
                    self.finish_line();
                    return;
                }
            }
            self.finish_line();
        }
    }

    /// Whether the group that `directive` begins is to be read.
    fn takes_alternative(&mut self, directive: PpToken) -> bool {
        let is_else = self.spelling(directive) == "else";
        let Some(open) = self.conditionals.last_mut() else { return false };
        if let Some(earlier) = open.else_seen {
            let opened_by = open.opened_by.loc;
            let message = format!("'#{}' after '#else'", self.spelling(directive));
            let diagnostic = Diagnostic::error(directive.loc, message).covering(u32::from(directive.len));
            self.session.report(diagnostic.also(earlier.loc, "the '#else'").also(opened_by, "the conditional"));
            return false;
        }
        if is_else {
            open.else_seen = Some(directive);
        }
        if open.taken {
            return false;
        }
        let taken = is_else || self.evaluate(directive);
        if let Some(open) = self.conditionals.last_mut() {
            open.taken = taken;
        }
        taken
    }

    /// The truth of the condition behind the name of a directive.
    fn evaluate(&mut self, directive: PpToken) -> bool {
        let wanted = match self.spelling(directive) {
            "ifdef" | "elifdef" => true,
            "ifndef" | "elifndef" => false,
            _ => return self.condition(directive),
        };
        let token = self.lex_in_line();
        match self.macro_name(directive, token) {
            Ok(name) => self.macros.get(name).is_some() == wanted,
            Err((at, message)) => {
                self.error(at, message);
                false
            }
        }
    }
}
