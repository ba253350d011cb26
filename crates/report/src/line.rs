//! The verdict line: the last line of a run, in a form that a script can match.

use crate::Sources;
use crate::visible::visible;
use norn_ir::span::Span;
use norn_verdict::outcome::{Bound, Outcome, Verdict};
use norn_verdict::undecided::Undecided;

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
        Outcome::Safe { bounds } => format!("norn: safe ({model}){}{}", up_to(bounds), assuming(verdict, sources)),
        Outcome::Limited { bounds, undecided } => {
            let within = format!("no violation{}{}", up_to(bounds), assuming(verdict, sources));
            format!("norn: unknown ({model}): {within}; {}", why(undecided, sources))
        }
        Outcome::Unknown(undecided) => format!("norn: unknown ({model}): {}", why(undecided, sources)),
    }
}

/// The reason, and its place if it has one.
pub(crate) fn why(undecided: &Undecided, sources: &Sources<'_>) -> String {
    format!("{}{}", visible(&undecided.to_string()), place_of(undecided.place, sources))
}

/// What a result assumes, with a blank before; nothing if it assumes nothing. Of many assumptions some are named, JSON has all.
fn assuming(verdict: &Verdict, sources: &Sources<'_>) -> String {
    const MOST: usize = 8;
    let mut named: Vec<String> = Vec::new();
    for assumption in &verdict.remarks.assumptions {
        let text = format!("{}{}", assumption.phrase(), place_of(Some(assumption.span), sources));
        if !named.contains(&text) {
            named.push(text);
        }
    }
    let more = named.len().saturating_sub(MOST);
    named.truncate(MOST);
    if more > 0 {
        named.push(format!("{more} more like that"));
    }
    if named.is_empty() { String::new() } else { format!(" assuming {}", named.join(", ")) }
}

/// The bounds that limit a result, with a blank before; nothing if there are none.
pub(crate) fn up_to(bounds: &[Bound]) -> String {
    let open = bounds.iter().filter(|b| !b.exhausted).map(|b| visible(&b.to_string()).into_owned()).collect::<Vec<_>>();
    if open.is_empty() { String::new() } else { format!(" up to {}", open.join(", ")) }
}

/// A place, with a blank before; nothing if it is not known.
pub(crate) fn place_of(span: Option<Span>, sources: &Sources<'_>) -> String {
    let known = span.filter(|&span| span != Span::NONE);
    known.map(|span| format!(" at {}", sources.place(span))).unwrap_or_default()
}
