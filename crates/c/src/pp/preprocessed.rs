//! Files that were preprocessed before (`.i`): straight from the lexer to tokens.
//!
//! No macro is predefined or expanded. Of the directives only line markers, `#line`, `#pragma` and `#ident` may occur.

use super::directives::LineMarker;
use super::{begins_directive, leave, pragma};
use crate::lex::{Lexer, PpKind, PpToken};
use crate::session::{Session, Target};
use crate::token::{Token, TokenKind};
use norn_ir::diag::Diagnostic;
use norn_ir::number::narrow;
use norn_ir::source::SourceId;

/// The data model that a preprocessed text was made for, as its declaration of `size_t` tells.
pub fn target_of_preprocessed(text: &str) -> Option<Target> {
    let mut rest = text;
    while let Some(found) = rest.find("size_t") {
        let (before, after) = (&rest[..found], &rest[found + "size_t".len()..]);
        rest = after;
        let statement = &before[before.rfind([';', '}', '\n']).map_or(0, |end| end + 1)..];
        if !after.trim_start().starts_with(';') {
            continue;
        }
        let mut words = statement.split_ascii_whitespace().filter(|w| *w != "__extension__");
        if words.next() != Some("typedef") {
            continue;
        }
        // Any order and a redundant `int` are fine: what counts is whether it is long.
        let words: Vec<&str> = words.collect();
        if words.contains(&"unsigned") && words.iter().all(|w| matches!(*w, "unsigned" | "long" | "int")) {
            return Some(if words.contains(&"long") { Target::Lp64 } else { Target::Ilp32 });
        }
    }
    None
}

pub fn tokens(session: &mut Session, source: SourceId) -> Vec<Token> {
    let (text, base) = (session.sources.shared_text(source), session.sources.start(source));
    let mut output = Vec::with_capacity(text.len() / 4);
    let mut lexer = Lexer::new(&text, 0, base);
    loop {
        let token = lexer.next(session);
        if begins_directive(token) {
            lexer.set_in_directive(true);
            output.extend(directive(session, &mut lexer));
            lexer.skip_line(session);
            lexer.set_in_directive(false);
            continue;
        }
        if token.kind == PpKind::Eof || session.too_many_errors() {
            output.push(Token { kind: TokenKind::Eof, loc: base.offset(narrow(text.len())), len: 0 });
            return output;
        }
        output.extend(leave(session, token));
    }
}

/// Handles the directive whose `#` was just read. A pragma that the parser wants is a token.
fn directive(session: &mut Session, lexer: &mut Lexer<'_>) -> Option<Token> {
    let mut first = lexer.next(session);
    let name = match first.kind {
        PpKind::Eof => return None,
        PpKind::Number(_) => "line",
        PpKind::Ident(name) => match session.symbols.name(name) {
            "line" => {
                first = lexer.next(session);
                "line"
            }
            "pragma" => "pragma",
            "ident" | "sccs" => return None,
            _ => "",
        },
        _ => "",
    };
    let line_marker = name == "line";
    let mut tokens = if line_marker { vec![first] } else { Vec::new() };
    if !name.is_empty() {
        tokens.extend(rest_of_line(session, lexer));
    }
    if line_marker {
        match LineMarker::parse(&session.symbols, &tokens) {
            Ok(marker) => {
                lexer.skip_line(session);
                marker.record(session, lexer.next_line());
            }
            Err(message) => session.report(Diagnostic::error(first.loc, message).covering(u32::from(first.len))),
        }
        return None;
    }
    if name == "pragma" {
        let text = pragma::layout_pragma(&session.symbols, &tokens)?;
        let symbol = session.symbols.intern(&text);
        return Some(Token { kind: TokenKind::Pragma(symbol), loc: first.loc, len: first.len });
    }
    let spelling = first.spelling(&session.symbols);
    let message = format!("directive '#{spelling}' in a preprocessed file");
    session.report(
        Diagnostic::error(first.loc, message)
            .covering(u32::from(first.len))
            .help("files that end in '.i' are taken as already preprocessed; rename this one to '.c'"),
    );
    None
}

fn rest_of_line(session: &mut Session, lexer: &mut Lexer<'_>) -> Vec<PpToken> {
    std::iter::from_fn(|| Some(lexer.next(session)).filter(|t| t.kind != PpKind::Eof)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_t_tells_the_target() {
        let check = |text: &str, expected| assert_eq!(target_of_preprocessed(text), expected, "{text}");
        check("int x;\ntypedef long unsigned int size_t;\n", Some(Target::Lp64));
        check("typedef unsigned long size_t;", Some(Target::Lp64));
        check("typedef unsigned int size_t;", Some(Target::Ilp32));
        check("typedef unsigned size_t;", Some(Target::Ilp32));
        check("__extension__ typedef unsigned int size_t;", Some(Target::Ilp32));
        check("typedef long int __ssize_t; size_t f(size_t n);\ntypedef unsigned int size_t ;", Some(Target::Ilp32));
        check("typedef __ssize_t ssize_t;", None);
        check("extern int f(size_t);", None);
        check("", None);
    }
}
