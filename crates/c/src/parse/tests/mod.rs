//! Tests of the parser, by subject. [`check`] compares trees, [`check_errors`] compares findings.

mod declarations;
mod depth;
mod dump;
mod errors;
mod expressions;
mod scopes;
mod statements;

use crate::ast::TranslationUnit;
use crate::pp::preprocess_text;
use crate::session::{Options, Session};
use norn_ir::diag::Severity;

fn parse_session(text: &str) -> (Session, TranslationUnit) {
    let mut session = Session::new(Options::default());
    let tokens = preprocess_text(&mut session, "test.c", text.to_owned(), false).expect("a test should be small");
    let unit = super::parse(&mut session, &tokens);
    (session, unit)
}

/// Parses a text; the tree and the findings as texts.
fn parse_text(text: &str) -> (String, String) {
    let (session, unit) = parse_session(text);
    (dump::dump(&session.symbols, &unit), findings(&session))
}

/// One finding per line: `line:column: message [also line:column: words] [help: words]`.
fn findings(session: &Session) -> String {
    let mut out = String::new();
    for diagnostic in &session.diagnostics {
        for (i, label) in diagnostic.labels.iter().enumerate() {
            let place = session.sources.presumed(label.loc).expect("a label should have a place");
            let words = if i == 0 { &diagnostic.message } else { &label.text };
            let also = if i == 0 { "" } else { " also " };
            let severity = match diagnostic.severity {
                Severity::Error => "",
                Severity::Unsupported => "unsupported: ",
                Severity::Warning => "warning: ",
            };
            let severity = if i == 0 { severity } else { "" };
            out += &format!("{also}{}:{}: {severity}{words}", place.line, place.column);
        }
        if let Some(help) = &diagnostic.help {
            out += &format!(" help: {help}");
        }
        out.push('\n');
    }
    out
}

/// The text parses without findings into the tree.
#[track_caller]
fn check(text: &str, expected: &str) {
    let (tree, findings) = parse_text(text);
    assert_eq!(findings, "", "findings in {text}");
    assert_eq!(tree, expected, "tree of {text}");
}

/// The statements of a function's body parse without findings into the trees.
#[track_caller]
fn check_body(statements: &str, expected: &str) {
    check(&format!("void f(void) {{ {statements} }}"), &format!("(fn void f fn(void) {{{expected}}})"));
}

/// The text has just these findings.
#[track_caller]
fn check_errors(text: &str, expected: &[&str]) {
    let (_, findings) = parse_text(text);
    assert_eq!(findings.lines().collect::<Vec<_>>(), expected, "findings in {text}");
}
