//! The verdict as one JSON object.

use crate::Sources;
use crate::line::Said;
use crate::rows::describe;
use crate::value::Writer;
use norn_ir::span::Span;
use norn_verdict::advice::advice;
use norn_verdict::outcome::{Assumption, Bound, BoundKind, Outcome, Unreached, Verdict, Violation};
use norn_verdict::place::Location;
use norn_verdict::trace::{EventIndex, EventKind, ReadFrom, Trace};
use norn_verdict::undecided::Undecided;
use norn_verdict::why::{Between, Delay, Why};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// `verdict`, `complete`, `model`, `engine`, `property`, `message`, `location`, `bounds`, `assumptions`, `unreached`,
/// `notes`, `reason`, `advice`, `stats`, `why`, `trace`; a key that does not apply is null. The bounds of an unknown verdict are those
/// within which no violation was found.
pub fn verdict(verdict: &Verdict, sources: &Sources<'_>) -> Value {
    let (name, counterexample, open) = match &verdict.outcome {
        Outcome::Unsafe(counterexample) => ("unsafe", Some(&**counterexample), None),
        Outcome::Safe { .. } => ("safe", None, None),
        Outcome::Limited { undecided, .. } | Outcome::Unknown(undecided) => ("unknown", None, Some(undecided)),
    };
    let span = counterexample.map(|c| c.violation().span).or(open.and_then(|open| open.place));
    let stats = verdict.stats.0.iter().map(|(&name, &value)| (name.to_owned(), json!(value))).collect::<Map<_, _>>();
    json!({
        "verdict": name,
        "complete": verdict.outcome.is_complete(),
        "model": verdict.model.name(),
        "engine": verdict.engine,
        "property": counterexample.map(|c| c.violation().kind.name()),
        "message": counterexample.map(|c| c.violation().message.clone()),
        "location": span.map_or(Value::Null, |s| location(s, sources)),
        "bounds": bounds(verdict.outcome.bounds()),
        "assumptions": assumptions(&verdict.remarks.assumptions, sources),
        "unreached": unreached(&verdict.remarks.unreached, sources),
        "notes": verdict.remarks.notes,
        "reason": open.map(ToString::to_string),
        "advice": advice(&verdict.outcome).iter().map(ToString::to_string).collect::<Vec<_>>(),
        "stats": stats,
        "why": counterexample.and_then(|c| Some(why(verdict.remarks.why.as_deref()?, c.trace(), sources))),
        "trace": counterexample.map_or(Value::Null, |c| trace(c.trace(), sources)),
    })
}

/// The same keys for what is said under a model that is axioms. `graph` is the execution.
pub fn said_of(
    (model, engine): (&str, &str),
    said: Said<'_>,
    assumed: &[Assumption],
    stats: &BTreeMap<&'static str, f64>,
    graph: Value,
    sources: &Sources<'_>,
) -> Value {
    let (name, violation, known, open): (_, Option<&Violation>, &[Bound], Option<&Undecided>) = match said {
        Said::Unsafe(violation) => ("unsafe", Some(violation), &[], None),
        Said::Safe(bounds) => ("safe", None, bounds, None),
        Said::Limited(bounds, undecided) => ("unknown", None, bounds, Some(undecided)),
        Said::Unknown(undecided) => ("unknown", None, &[], Some(undecided)),
    };
    let span = violation.map(|violation| violation.span).or(open.and_then(|open| open.place));
    let complete = match said {
        Said::Unsafe(_) => true,
        Said::Safe(bounds) => bounds.iter().all(|bound| bound.exhausted),
        Said::Limited(..) | Said::Unknown(_) => false,
    };
    json!({
        "verdict": name,
        "complete": complete,
        "model": model,
        "engine": engine,
        "property": violation.map(|violation| violation.kind.name()),
        "message": violation.map(|violation| violation.message.clone()),
        "location": span.map_or(Value::Null, |span| location(span, sources)),
        "bounds": bounds(known),
        "assumptions": assumptions(assumed, sources),
        "unreached": [],
        "notes": [],
        "reason": open.map(ToString::to_string),
        "advice": [],
        "stats": stats,
        "why": null,
        "trace": null,
        "graph": graph,
    })
}

/// The sentences, and the numbers of the events that they are about.
fn why(why: &Why, trace: &Trace, sources: &Sources<'_>) -> Value {
    let number = |event: Option<EventIndex>| event.map(EventIndex::number);
    let delay = |delay: &Delay| json!({ "store": delay.store.number(), "past": number(delay.past), "unseen_by": number(delay.unseen_by) });
    let between = |between: &Between| json!({ "before": between.before.number(), "other": between.other.number(), "after": between.after.number() });
    json!({
        "lines": crate::why::lines(why, trace, sources),
        "delays": why.delays.iter().map(delay).collect::<Vec<_>>(),
        "between": why.between.iter().map(between).collect::<Vec<_>>(),
        "fence": why.fence.map(|fence| json!({ "kind": fence.kind.mnemonic(), "after": location(fence.after, sources) })),
    })
}

pub(crate) fn bounds(bounds: &[Bound]) -> Vec<Value> {
    let bound = |bound: &Bound| {
        let (kind, place) = match &bound.kind {
            BoundKind::Unwind(place) => ("unwind", (place.line != 0).then(|| place.to_string())),
            BoundKind::Rounds => ("rounds", None),
            BoundKind::Buffer => ("buffer", None),
            BoundKind::Depth => ("depth", None),
            BoundKind::Executions => ("executions", None),
            BoundKind::ObjectSize => ("object-size", None),
        };
        json!({ "kind": kind, "value": bound.value, "location": place, "exhausted": bound.exhausted })
    };
    bounds.iter().map(bound).collect()
}

fn unreached(unreached: &[Unreached], sources: &Sources<'_>) -> Vec<Value> {
    let one = |point: &Unreached| json!({ "what": point.what, "location": location(point.span, sources) });
    unreached.iter().map(one).collect()
}

fn assumptions(assumptions: &[Assumption], sources: &Sources<'_>) -> Vec<Value> {
    let one = |assumed: &Assumption| json!({ "what": assumed.phrase(), "location": location(assumed.span, sources) });
    assumptions.iter().map(one).collect()
}

pub fn location(span: Span, sources: &Sources<'_>) -> Value {
    if span == Span::NONE {
        return Value::Null;
    }
    json!({ "file": sources.program.file(span.file), "line": span.line, "column": span.column })
}

pub(crate) fn trace(trace: &Trace, sources: &Sources<'_>) -> Value {
    json!({
        "threads": trace.threads.iter().map(|t| json!({ "name": t.name.to_string(), "function": t.function })).collect::<Vec<_>>(),
        "switches": trace.switches(),
        "repeats_from": trace.repeats_from.map(|event| event.number()),
        "events": (0..trace.events.len()).map(|i| event(trace, i, sources)).collect::<Vec<_>>(),
    })
}

fn event(trace: &Trace, index: usize, sources: &Sources<'_>) -> Value {
    let event = &trace.events[index];
    let (kind, details) = details(&event.kind, Writer::new(sources.program, trace));
    let mut object = json!({
        "number": index + 1,
        "thread": trace.thread(event.thread).map(|t| t.name.to_string()),
        "step": event.step.map(|step| step.0),
        "location": location(event.span, sources),
        "library": event.library,
        "text": describe(event, Writer::new(sources.program, trace)),
        "kind": kind,
    });
    if let (Value::Object(object), Value::Object(details)) = (&mut object, details) {
        object.extend(details);
    }
    object
}

fn details(kind: &EventKind, write: Writer<'_>) -> (&'static str, Value) {
    let (at, shown) = (|location: &Location| write.location(location), |value| write.value(value));
    let from = |from: &ReadFrom| match from {
        ReadFrom::Initial => json!({ "initial": true }),
        ReadFrom::Event { event, forwarded } => json!({ "event": event.number(), "forwarded": forwarded }),
    };
    match kind {
        EventKind::Read { location, value, from: source } => {
            ("read", json!({ "object": at(location), "value": shown(value), "from": from(source) }))
        }
        EventKind::Write { location, value, buffered } => {
            ("write", json!({ "object": at(location), "value": shown(value), "buffered": buffered }))
        }
        EventKind::Update { location, old, new, from: source } => (
            "update",
            json!({ "object": at(location), "old": shown(old), "new": new.as_ref().map(shown), "from": from(source) }),
        ),
        EventKind::Commit { location, value, write } => {
            ("commit", json!({ "object": at(location), "value": shown(value), "of": write.number() }))
        }
        EventKind::Fence(kind) => ("fence", json!({ "fence": kind.mnemonic() })),
        EventKind::Create { thread } => ("create", json!({ "created": thread.0 })),
        EventKind::Join { thread } => ("join", json!({ "joined": thread.0 })),
        EventKind::WakesUp => ("wake-up", json!({})),
        EventKind::Call { function } => ("call", json!({ "function": function })),
        EventKind::Free { object } => ("free", json!({ "object": write.object(object) })),
        EventKind::Input { source, value } => ("input", json!({ "source": source, "value": shown(value) })),
        EventKind::End { stopped } => ("end", json!({ "stopped": stopped })),
        EventKind::Exit { status } => ("exit", json!({ "status": status })),
    }
}
