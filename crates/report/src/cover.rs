//! What executions came to, as far as a verdict knows it.

use norn_ir::program::{Origin, Program};
use norn_ir::span::Span;
use norn_verdict::outcome::Verdict;
use serde_json::{Value, json};
use std::collections::BTreeSet;

use crate::Sources;
use crate::visible::visible;

/// The lines of the user's functions that something is done on, each once; the column is that of the first thing.
pub(crate) fn lines_with_code(program: &Program) -> Vec<Span> {
    let functions = program.functions.iter().filter(|function| function.origin == Origin::User);
    let mut lines = BTreeSet::new();
    for function in functions {
        lines.insert(Span { column: 0, ..function.span });
        for block in &function.blocks {
            let spans = block.instrs.iter().map(|instr| instr.span).chain([block.terminator.span]);
            lines.extend(spans.filter(|&span| span != Span::NONE).map(|span| Span { column: 0, ..span }));
        }
    }
    lines.into_iter().collect()
}

/// What a verdict without a violation covered: `checks` and `threads` that were reached, and what was `missed`, as places.
pub(crate) fn json(verdict: &Verdict, _sources: &Sources<'_>, place: &dyn Fn(Span) -> Value) -> Value {
    let Some(reached) = &verdict.remarks.reached else { return Value::Null };
    let places =
        |spans: &BTreeSet<Span>| spans.iter().map(|&span| place(span)).filter(|p| !p.is_null()).collect::<Vec<_>>();
    let missed = verdict.remarks.unreached.iter();
    let missed = missed.map(|point| json!({ "what": visible(&point.what), "place": place(point.span) }));
    json!({ "checks": places(&reached.checks), "threads": places(&reached.threads), "missed": missed.collect::<Vec<_>>() })
}
