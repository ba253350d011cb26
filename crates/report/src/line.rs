//! The verdict line: the last line of a run, in a form that a script can match.

use crate::Sources;
use norn_ir::span::Span;
use norn_verdict::outcome::{Outcome, Verdict};

/// For example `norn: safe (tso) up to unwind 3 at queue.c:12`.
pub fn verdict_line(verdict: &Verdict, sources: &Sources<'_>) -> String {
    let model = verdict.model;
    match &verdict.outcome {
        Outcome::Unsafe(counterexample) => {
            let violation = counterexample.violation();
            let place = match violation.span {
                Span::NONE => String::new(),
                span => format!(" at {}", sources.place(span)),
            };
            format!("norn: unsafe ({model}): {}{place}", violation.kind.phrase())
        }
        Outcome::Safe { bounds } => {
            let open = bounds.iter().filter(|b| !b.exhausted).map(ToString::to_string).collect::<Vec<_>>();
            match open.is_empty() {
                true => format!("norn: safe ({model})"),
                false => format!("norn: safe ({model}) up to {}", open.join(", ")),
            }
        }
        Outcome::Unknown { reason, span } => {
            let place = span.filter(|&s| s != Span::NONE).map(|s| format!(" at {}", sources.place(s)));
            format!("norn: unknown ({model}): {reason}{}", place.unwrap_or_default())
        }
    }
}
