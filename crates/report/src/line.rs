//! The verdict line: the last line of a run, in a form that a script can match.

use crate::Sources;
use crate::visible::visible;
use norn_ir::span::Span;
use norn_verdict::outcome::{Assumption, Bound, Outcome, Verdict, Violation};
use norn_verdict::undecided::Undecided;

/// What is said of a program under a model.
#[derive(Clone, Copy)]
pub enum Said<'a> {
    Unsafe(&'a Violation),
    Safe(&'a [Bound]),
    /// Nothing is violated within the bounds, and more is not known.
    Limited(&'a [Bound], &'a Undecided),
    Unknown(&'a Undecided),
}

/// For example `norn: safe (tso) up to unwind 3 at queue.c:12`.
pub fn verdict_line(verdict: &Verdict, sources: &Sources<'_>) -> String {
    let said = match &verdict.outcome {
        Outcome::Unsafe(counterexample) => Said::Unsafe(counterexample.violation()),
        Outcome::Safe { bounds } => Said::Safe(bounds),
        Outcome::Limited { bounds, undecided } => Said::Limited(bounds, undecided),
        Outcome::Unknown(undecided) => Said::Unknown(undecided),
    };
    said_of(verdict.model.name(), said, &verdict.remarks.assumptions, sources)
}

/// The same of any model.
pub fn said_of(model: &str, said: Said<'_>, assumptions: &[Assumption], sources: &Sources<'_>) -> String {
    let model = visible(model);
    match said {
        Said::Unsafe(violation) => {
            let place = match violation.span {
                Span::NONE => String::new(),
                span => format!(" at {}", sources.place(span)),
            };
            format!("norn: unsafe ({model}): {}{place}", violation.kind.phrase())
        }
        Said::Safe(bounds) => format!("norn: safe ({model}){}{}", up_to(bounds), assuming(assumptions, sources)),
        Said::Limited(bounds, undecided) => {
            let within = format!("no violation{}{}", up_to(bounds), assuming(assumptions, sources));
            format!("norn: unknown ({model}): {within}; {}", why(undecided, sources))
        }
        Said::Unknown(undecided) => format!("norn: unknown ({model}): {}", why(undecided, sources)),
    }
}

/// The reason, and its place if it has one.
pub(crate) fn why(undecided: &Undecided, sources: &Sources<'_>) -> String {
    format!("{}{}", visible(&undecided.to_string()), place_of(undecided.place, sources))
}

/// What a result assumes, with a blank before; nothing if it assumes nothing. Of many assumptions some are named, JSON has all.
fn assuming(assumptions: &[Assumption], sources: &Sources<'_>) -> String {
    const MOST: usize = 8;
    let mut named: Vec<String> = Vec::new();
    for assumption in assumptions {
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
