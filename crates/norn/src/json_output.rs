//! Standard output as JSON: one object, whatever happened. `docs/json.md` tells what it means; `docs/norn.schema.json` is its schema.

use norn_ir::diag::{Diagnostic, Severity};
use norn_ir::source::{Loc, SourceMap};
use norn_report::visible;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::args::ARGUMENTS;
use crate::exit::Exit;
use crate::output;

/// Raised when a key goes or means something else; new keys do not count.
const SCHEMA: u32 = 1;

/// Verdicts in the order in which one decides what is said of all models: a violation counts more than a gap.
const BY_WEIGHT: [&str; 4] = ["unsafe", "not robust", "not-robust", "unknown"];

/// The object was asked for and has not been written.
static IS_DUE: AtomicBool = AtomicBool::new(false);
static ERRORS: Mutex<Vec<Value>> = Mutex::new(Vec::new());

/// To be called before anything goes wrong: whether the command line asks for JSON.
pub fn expect(arguments: impl Iterator<Item = std::ffi::OsString>) {
    let is_asked =
        arguments.take_while(|argument| argument != "--" && argument != ARGUMENTS).any(|argument| argument == "--json");
    IS_DUE.store(is_asked, Ordering::Relaxed);
}

/// The text for verdicts, one per model in the order in which models were asked for: the keys of the one that decides, and the
/// others in a list.
pub fn text(mut values: Vec<Value>) -> String {
    IS_DUE.store(false, Ordering::Relaxed);
    let weight = |value: &Value| {
        let verdict = value["verdict"].as_str().unwrap_or_default();
        BY_WEIGHT.iter().position(|one| *one == verdict).unwrap_or(BY_WEIGHT.len())
    };
    let models: Vec<Value> =
        values.iter().map(|value| value["model"].clone()).filter(|model| !model.is_null()).collect();
    let decides = (0..values.len()).min_by_key(|&at| weight(&values[at]));
    let first = decides.map_or(Value::Null, |at| values.remove(at));
    let mut object = Map::from_iter([("schema".to_owned(), json!(SCHEMA))]);
    if !models.is_empty() {
        object.insert("models".to_owned(), Value::Array(models));
    }
    if let Value::Object(fields) = first {
        object.extend(fields);
    }
    if !values.is_empty() {
        object.insert("others".to_owned(), Value::Array(values));
    }
    visible::json(&Value::Object(object)) + "\n"
}

/// Keeps an error for the object.
pub fn note(diagnostic: &Diagnostic, sources: &SourceMap) {
    if diagnostic.severity != Severity::Error || !IS_DUE.load(Ordering::Relaxed) {
        return;
    }
    let place = diagnostic.labels.first().and_then(|label| sources.presumed(label.loc));
    let location = place.map(|at| json!({ "file": at.file, "line": at.line, "column": at.column }));
    let error = json!({ "message": diagnostic.message, "location": location, "help": diagnostic.help });
    ERRORS.lock().unwrap_or_else(PoisonError::into_inner).push(error);
}

/// The object for a command line that is wrong: what is said about it first.
pub fn usage(words: &str) {
    let message = words.lines().next().unwrap_or_default().trim_start_matches("error: ");
    note(&Diagnostic::error(Loc::NONE, message), &SourceMap::new());
    end(Exit::Usage);
}

/// The object for an end without a verdict, if one is due.
pub fn end(exit: Exit) {
    let has_ended_badly = matches!(exit, Exit::Usage | Exit::BadInput | Exit::Internal);
    if has_ended_badly && IS_DUE.swap(false, Ordering::Relaxed) {
        let errors = std::mem::take(&mut *ERRORS.lock().unwrap_or_else(PoisonError::into_inner));
        let object = json!({ "schema": SCHEMA, "verdict": "error", "exit": exit as u8, "errors": errors });
        output::print(&(visible::json(&object) + "\n"));
    }
}
