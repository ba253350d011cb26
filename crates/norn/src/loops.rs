//! `--show-loops`, and whether bounds name loops that exist.

use crate::args::Unwind;
use crate::asking::given_bounds;
use norn_ir::program::{Origin, Program};
use norn_ir::span::Span;
use norn_passes::loops::loops;
use norn_report::visible::visible;
use std::collections::BTreeSet;

/// The loops of the user's code, one line each, in the form that `--unwind` takes.
pub fn listing(program: &Program) -> String {
    let mut lines = BTreeSet::new();
    for function in program.functions.iter().filter(|f| f.origin == Origin::User) {
        for found in loops(function).loops {
            if found.span != Span::NONE {
                let file = program.file(found.span.file).to_owned();
                lines.insert((file, found.span.line, function.name.clone(), found.depth));
            }
        }
    }
    let text = lines.into_iter().map(|(file, line, function, depth)| {
        let nested = if depth > 1 { format!(", nested {depth} deep") } else { String::new() };
        format!("{}:{line}  in {}{nested}\n", visible(&file), visible(&function))
    });
    let text = text.collect::<String>();
    if text.is_empty() { "the program has no loops\n".to_owned() } else { text }
}

/// A bound for a place without a loop is most likely a slip.
pub fn check_bounds(program: &Program, unwind: &[Unwind]) -> Result<(), String> {
    let bounds = given_bounds(unwind).or_usual();
    let unused = bounds.unused(program).into_iter().map(|at| format!("{}:{}", at.file, at.line)).collect::<Vec<_>>();
    if unused.is_empty() {
        return Ok(());
    }
    Err(format!("--unwind: there is no loop at {}; --show-loops lists them", unused.join(", ")))
}
