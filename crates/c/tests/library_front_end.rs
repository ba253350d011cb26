//! Norn's own front end accepts the built-in headers and the models, for both targets, without a word, and the examples
//! without an error.

use norn_c::ctype::Types;
use norn_c::library;
use norn_c::session::{Options, Session, Target};
use norn_c::{parse, pp, sema};
use norn_ir::diag::Severity;
use std::path::Path;

/// Takes a text as far as the typed tree, as a part of the library or of the program; nothing at least as bad as `worst` may
/// be found.
fn check(name: &str, text: &str, builtin: bool, worst: Severity) {
    for target in [Target::Lp64, Target::Ilp32] {
        let mut session = Session::new(Options { target, ..Options::default() });
        let mut types = Types::default();
        let tokens = pp::preprocess_text(&mut session, name, text.to_owned(), builtin);
        let tokens = tokens.unwrap_or_else(|| panic!("{name}: {:#?}", session.diagnostics));
        let unit = parse::parse(&mut session, &tokens);
        sema::check(&mut session, &mut types, unit);
        let said: Vec<_> =
            session.diagnostics.iter().filter(|found| found.severity >= worst).map(|found| &found.message).collect();
        assert!(said.is_empty(), "{name} for {target:?}: {said:#?}");
    }
}

#[test]
fn headers_are_accepted() {
    for name in library::header_names() {
        check(name, &format!("#define _GNU_SOURCE\n#include <{name}>\n#include <{name}>\n"), false, Severity::Warning);
    }
}

#[test]
fn models_are_accepted() {
    for name in library::model_names() {
        check(name, library::model_text(name).expect("a listed model has a text"), true, Severity::Warning);
    }
}

#[test]
fn examples_are_accepted() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for entry in examples.read_dir().expect("there should be examples") {
        let path = entry.expect("a folder can be listed").path();
        if path.extension().is_some_and(|extension| extension == "c") {
            let text = std::fs::read_to_string(&path).expect("an example can be read");
            check(&path.display().to_string(), &text, false, Severity::Unsupported);
        }
    }
}
