//! Tests of the preprocessor as a whole: input to spellings of tokens, and input to findings.

mod directives;
mod includes;
mod limits;
mod locations;
mod macros;

use super::preprocess_text;
use crate::session::{MacroOption, Options, Session};
use crate::token::{Token, TokenKind};

pub fn spelling(session: &Session, token: &Token) -> String {
    match token.kind {
        TokenKind::Ident(s) | TokenKind::Number(s) | TokenKind::Char(s) | TokenKind::Str(s) => {
            session.symbols.name(s).to_owned()
        }
        TokenKind::Keyword(k) => k.spelling().to_owned(),
        TokenKind::Punct(p) => p.spelling().to_owned(),
        TokenKind::Pragma(s) => format!("#pragma<{}>", session.symbols.name(s)),
        TokenKind::Eof => "<eof>".to_owned(),
    }
}

/// All spellings before the one `Eof`, with single spaces.
pub fn spellings(session: &Session, tokens: &[Token]) -> String {
    let (eof, tokens) = tokens.split_last().expect("there should be an end");
    assert_eq!(eof.kind, TokenKind::Eof);
    tokens.iter().map(|t| spelling(session, t)).collect::<Vec<_>>().join(" ")
}

/// Preprocesses a text; the session tells what was found.
pub fn run(options: Options, name: &str, input: &str) -> (Session, String) {
    let mut session = Session::new(options);
    let tokens = preprocess_text(&mut session, name, input.to_owned(), false).expect("there should be tokens");
    let result = spellings(&session, &tokens);
    (session, result)
}

pub fn messages(session: &Session) -> Vec<&str> {
    session.diagnostics.iter().map(|d| d.message.as_str()).collect()
}

/// The tokens of a C text without findings. Line breaks in `expected` are spaces.
#[track_caller]
pub fn check(input: &str, expected: &str) {
    let (session, result) = run(Options::default(), "t.c", input);
    assert_eq!(messages(&session), Vec::<&str>::new());
    assert_eq!(result, expected.lines().map(str::trim).collect::<Vec<_>>().join(" "));
}

/// The findings in a C text: `LINE:COLUMN MESSAGE` each, from the primary label.
#[track_caller]
pub fn check_findings(input: &str, expected: &[&str]) {
    let (session, _) = run(Options::default(), "t.c", input);
    let found: Vec<String> = session
        .diagnostics
        .iter()
        .map(|d| {
            let (_, at) = session.sources.physical(d.labels[0].loc).expect("it should have a place");
            format!("{}:{} {}", at.line, at.column, d.message)
        })
        .collect();
    assert_eq!(found, expected);
}

pub fn with_macros(macros: &[MacroOption]) -> Options {
    Options { macros: macros.to_vec(), ..Options::default() }
}
