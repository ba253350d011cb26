//! Repairs for people: the verdict line, and why a fence is needed.

use crate::Sources;
use crate::json;
use crate::line::{place_of, up_to, why};
use crate::value::Writer;
use crate::visible::visible;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Bound, Violation};
use norn_verdict::place::Location;
use norn_verdict::trace::{Event, EventIndex, EventKind, Trace};
use norn_verdict::undecided::Undecided;
use serde_json::Value;

/// What became of a program that was to be changed.
#[derive(Clone, Debug)]
pub enum Outcome<'a> {
    /// It is as it should be, so changed (`3 insertions, cost 30`).
    Done { what: String, bounds: &'a [Bound] },
    /// It stays as it is not meant to be, and `but` says why nothing helps; `None`: it is not robust.
    Wrong { violation: Option<&'a Violation>, but: &'a str },
    /// With these bounds, if any, nothing is wrong with what was tried last.
    Unknown { undecided: &'a Undecided, bounds: &'a [Bound] },
}

/// For example `norn: repaired (tso): 2 insertions, cost 20`.
pub fn verdict_line(model: Model, outcome: &Outcome<'_>, sources: &Sources<'_>) -> String {
    match outcome {
        Outcome::Done { what, bounds } => format!("norn: {what}{}", up_to(bounds)),
        Outcome::Wrong { violation: Some(violation), but } => {
            let place = place_of(Some(violation.span), sources);
            format!("norn: unsafe ({model}): {}{place}{but}", violation.kind.phrase())
        }
        Outcome::Wrong { violation: None, but } => format!("norn: not robust ({model}){but}"),
        Outcome::Unknown { undecided, bounds } => {
            let within = match up_to(bounds) {
                within if within.is_empty() => within,
                within => format!("no violation{within}; "),
            };
            format!("norn: unknown ({model}): {within}{}", why(undecided, sources))
        }
    }
}

/// What a fence between a store and a later access would not let happen, such as
/// `main.1 reads x (a.c:7) before its write to y (a.c:6) is in memory`.
pub fn delay(trace: &Trace, store: EventIndex, past: EventIndex, sources: &Sources<'_>) -> String {
    let write = Writer::new(sources.program, trace);
    let at = |location: &Location| visible(&write.location(location)).into_owned();
    let access = |event: &Event, reads: &str, writes: &str, updates: &str| match &event.kind {
        EventKind::Read { location, .. } => format!("{reads} {}", at(location)),
        EventKind::Update { location, .. } => format!("{updates} {}", at(location)),
        EventKind::Write { location, .. } => format!("{writes} {}", at(location)),
        _ => String::new(),
    };
    let (Some(made), Some(later)) = (trace.event(store), trace.event(past)) else { return String::new() };
    let thread = trace.thread(made.thread).map(|thread| thread.name.to_string()).unwrap_or_default();
    format!(
        "{thread} {} ({}) before its {} ({}) is in memory",
        access(later, "reads", "writes", "updates"),
        sources.place(later.span),
        access(made, "read of", "write to", "update of"),
        sources.place(made.span)
    )
}

/// Places as JSON has them.
pub fn location(event: EventIndex, trace: &Trace, sources: &Sources<'_>) -> Value {
    trace.event(event).map_or(Value::Null, |event| json::location(event.span, sources))
}

/// A trace as JSON has it.
pub fn trace(trace: &Trace, sources: &Sources<'_>) -> Value {
    json::trace(trace, sources)
}

/// Bounds as JSON has them.
pub fn bounds(bounds: &[Bound]) -> Vec<Value> {
    json::bounds(bounds)
}

/// The bounds that limit a result, with a blank before; nothing if there are none.
pub fn within(bounds: &[Bound]) -> String {
    up_to(bounds)
}
