//! Tests of the type checker, through preprocessor and parser. Each subject has one helper.

mod accepted;
mod constants;
mod declarations;
mod errors;
mod initialisers;
mod layout;
mod nesting;
mod trees;

use crate::ctype::Types;
use crate::session::{Options, Session, Target};
use crate::tree::{Definition, Object, Unit};
use crate::{parse, pp};
use norn_ir::diag::Severity;

pub(super) struct Checked {
    pub(super) session: Session,
    pub(super) types: Types,
    pub(super) unit: Unit,
}

/// Checks a text that need not be correct.
pub(super) fn check_for(target: Target, text: &str) -> Checked {
    let mut session = Session::new(Options { target, ..Options::default() });
    let tokens = pp::preprocess_text(&mut session, "test.c", text.to_owned(), false).expect("tokens");
    let unit = parse::parse(&mut session, &tokens);
    let mut types = Types::new();
    let unit = super::check(&mut session, &mut types, unit);
    Checked { session, types, unit }
}

pub(super) fn check(text: &str) -> Checked {
    check_for(Target::Lp64, text)
}

/// Checks a text without errors.
pub(super) fn correct_for(target: Target, text: &str) -> Checked {
    let checked = check_for(target, text);
    let problems = checked.messages(Severity::Unsupported);
    assert!(problems.is_empty(), "{problems:#?}");
    checked
}

pub(super) fn correct(text: &str) -> Checked {
    correct_for(Target::Lp64, text)
}

impl Checked {
    /// Findings of at least the given severity as `line:column: message [help]`.
    pub(super) fn messages(&self, least: Severity) -> Vec<String> {
        let shown = self.session.diagnostics.iter().filter(|d| d.severity >= least);
        shown
            .map(|d| {
                let place = d.labels.first().and_then(|l| self.session.sources.presumed(l.loc));
                let place = place.map_or("?".to_owned(), |p| format!("{}:{}", p.line, p.column));
                match &d.help {
                    Some(help) => format!("{place}: {} [{help}]", d.message),
                    None => format!("{place}: {}", d.message),
                }
            })
            .collect()
    }

    pub(super) fn object(&self, name: &str) -> &Object {
        let found = self.unit.objects.iter().find(|o| o.name.as_deref() == Some(name));
        found.unwrap_or_else(|| panic!("there should be an object {name}"))
    }

    /// The parts of an object's static initialiser, as text.
    pub(super) fn parts(&self, name: &str) -> String {
        match &self.object(name).definition {
            Definition::Initialised(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| format!("{}: {:?}", p.offset, p.value)).collect();
                parts.join(", ")
            }
            other => format!("{other:?}"),
        }
    }
}
