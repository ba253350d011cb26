//! Robustness for people and for scripts: the verdict line, the cycle in words, JSON.

use crate::Sources;
use crate::json::{bounds, location, trace};
use crate::line::{up_to, why};
use crate::rows::describe;
use crate::table::table;
use crate::value::Writer;
use crate::visible::visible;
use norn_verdict::robustness::{CyclicTrace, Point, Robustness, RobustnessVerdict};
use norn_verdict::trace::EventIndex;
use serde_json::{Map, Value, json};

/// For example `norn: not robust (tso): cycle of 4 accesses at sb.c:5, sb.c:6, sb.c:11, sb.c:12`.
pub fn verdict_line(verdict: &RobustnessVerdict, sources: &Sources<'_>) -> String {
    let model = verdict.model;
    match &verdict.outcome {
        Robustness::Robust { bounds } => format!("norn: robust ({model}){}", up_to(bounds)),
        Robustness::NotRobust(cyclic) => {
            let places = cyclic.cycle().iter().map(|edge| sources.place(edge.from.span)).collect::<Vec<_>>();
            format!("norn: not robust ({model}): cycle of {} accesses at {}", places.len(), places.join(", "))
        }
        Robustness::Unknown(open) => format!("norn: unknown ({model}): {}", why(open, sources)),
    }
}

/// The execution as a table, followed by its cycle, edge by edge.
pub fn cyclic_trace(cyclic: &CyclicTrace, sources: &Sources<'_>, width: usize) -> String {
    let mut text = table(cyclic.trace(), sources, width);
    let count = cyclic.cycle().len();
    text +=
        &format!("\nNo sequentially consistent execution has these {count} accesses in a circle (shortest found):\n");
    for (number, edge) in cyclic.cycle().iter().enumerate() {
        let (name, phrase) = (edge.relation.name(), edge.relation.phrase());
        let other = if number + 1 == count { "first" } else { "next" };
        text += &format!("  {}\n    {phrase} the {other} ({name})\n", access(edge.from, cyclic, sources));
    }
    text
}

/// For example `#9 main.1 at sb.c:5: writes x = 1`.
fn access(point: Point, cyclic: &CyclicTrace, sources: &Sources<'_>) -> String {
    let trace = cyclic.trace();
    let thread = trace.thread(point.thread).map(|thread| thread.name.to_string()).unwrap_or_default();
    let place = sources.place(point.span);
    match point.event.and_then(|event| Some((event, trace.event(event)?))) {
        Some((number, event)) => {
            format!(
                "#{} {thread} at {place}: {}",
                number.number(),
                visible(&describe(event, Writer::new(sources.program, trace)))
            )
        }
        None => format!("{thread} at {place}: leaves the scope of an object"),
    }
}

/// `verdict` (`robust`, `not robust`, `unknown`), `complete`, `model`, `engine`, `bounds`, `reason`, `location`,
/// `stats`, `cycle`, `trace`; a key that does not apply is null.
pub fn verdict(verdict: &RobustnessVerdict, sources: &Sources<'_>) -> Value {
    let (name, cyclic, open, limits) = match &verdict.outcome {
        Robustness::Robust { bounds } => ("robust", None, None, &bounds[..]),
        Robustness::NotRobust(cyclic) => ("not robust", Some(&**cyclic), None, &[][..]),
        Robustness::Unknown(open) => ("unknown", None, Some(open), &[][..]),
    };
    let span = open.and_then(|open| open.place);
    let stats = verdict.stats.0.iter().map(|(&name, &value)| (name.to_owned(), json!(value))).collect::<Map<_, _>>();
    json!({
        "verdict": name,
        "complete": verdict.outcome.is_complete(),
        "model": verdict.model.name(),
        "engine": verdict.engine,
        "location": span.map_or(Value::Null, |s| location(s, sources)),
        "bounds": bounds(limits),
        "reason": open.map(ToString::to_string),
        "stats": stats,
        "cycle": cyclic.map(|cyclic| cycle(cyclic, sources)),
        "trace": cyclic.map_or(Value::Null, |cyclic| trace(cyclic.trace(), sources)),
    })
}

fn cycle(cyclic: &CyclicTrace, sources: &Sources<'_>) -> Vec<Value> {
    let point = |point: Point| {
        json!({
            "event": point.event.map(EventIndex::number),
            "thread": cyclic.trace().thread(point.thread).map(|thread| thread.name.to_string()),
            "step": point.step.0,
            "location": location(point.span, sources),
        })
    };
    let edge = |edge: &norn_verdict::robustness::CycleEdge| json!({ "from": point(edge.from), "relation": edge.relation.name(), "to": point(edge.to) });
    cyclic.cycle().iter().map(edge).collect()
}
