//! The data of a page. Keys are short where there is one per step.

use super::listing::Listing;
use crate::Sources;
use crate::format::{Answer, Finding};
use crate::line::why;
use crate::steps::{Effect, Story, function_at, is_inside};
use crate::value::Writer;
use crate::visible::visible;
use norn_ir::span::Span;
use norn_verdict::advice::advice;
use norn_verdict::outcome::{Outcome, Verdict};
use norn_verdict::place::Location;
use norn_verdict::robustness::Robustness;
use norn_verdict::trace::{EventIndex, EventKind, Trace};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// `version`, `files` (see `Listing`), `findings`.
pub(super) fn page(findings: &[Finding<'_>], sources: &Sources<'_>) -> Value {
    let listing = Listing::new(findings.iter().flat_map(|finding| places(finding, sources)));
    let findings = findings.iter().map(|found| finding(found, &listing, sources)).collect::<Vec<_>>();
    json!({ "version": env!("CARGO_PKG_VERSION"), "files": listing.json(sources), "findings": findings })
}

/// Text of others, as it is shown.
pub(super) fn shown(text: &str) -> String {
    visible(text).into_owned()
}

fn places(finding: &Finding<'_>, sources: &Sources<'_>) -> Vec<Span> {
    let mut places = finding.trace().iter().flat_map(|trace| &trace.events).map(|e| e.span).collect::<Vec<_>>();
    if let Answer::Safety(verdict) = finding.answer {
        if let Outcome::Unsafe(found) = &verdict.outcome {
            places.push(found.violation().span);
        } else {
            places.extend(crate::cover::lines_with_code(sources.program));
        }
        places.extend(verdict.remarks.unreached.iter().map(|point| point.span));
        places.extend(verdict.remarks.assumptions.iter().map(|assumed| assumed.span));
    }
    places
}

/// `word`, `line`, `model`, `engine`, `remarks`, `place`; `story` if there is an execution, `cover` if what was covered is known.
fn finding(finding: &Finding<'_>, listing: &Listing, sources: &Sources<'_>) -> Value {
    let (word, engine, mut remarks, place, message) = match finding.answer {
        Answer::Safety(verdict) => {
            let (word, place, message) = match &verdict.outcome {
                Outcome::Unsafe(found) => {
                    let violation = found.violation();
                    let colon = if violation.message.is_empty() { "" } else { ": " };
                    let words = format!("{}{colon}{}", violation.kind.phrase(), shown(&violation.message));
                    ("unsafe", violation.span, words)
                }
                Outcome::Safe { .. } => ("safe", Span::NONE, String::new()),
                Outcome::Limited { undecided, .. } | Outcome::Unknown(undecided) => {
                    ("unknown", undecided.place.unwrap_or(Span::NONE), why(undecided, sources))
                }
            };
            (word, verdict.engine, remarks(verdict), place, message)
        }
        Answer::Robustness(verdict) => {
            let (word, message) = match &verdict.outcome {
                Robustness::Robust { .. } => ("robust", String::new()),
                Robustness::NotRobust(_) => ("not robust", String::new()),
                Robustness::Unknown(undecided) => ("unknown", why(undecided, sources)),
            };
            (word, verdict.engine, Vec::new(), Span::NONE, message)
        }
    };
    remarks.splice(0..0, finding.reasons(sources));
    remarks.splice(0..0, finding.about.map(str::to_owned));
    remarks.iter_mut().for_each(|remark| *remark = shown(remark));
    let cover = match finding.answer {
        Answer::Safety(verdict) => crate::cover::json(verdict, sources, &|span| listing.place(span)),
        Answer::Robustness(_) => Value::Null,
    };
    json!({
        "word": word,
        "line": finding.line(sources),
        "model": finding.model().name(),
        "engine": engine,
        "remarks": remarks,
        "place": listing.place(place),
        "message": message,
        "story": finding.trace().map(|trace| story(trace, finding, listing, sources)),
        "cover": cover,
    })
}

fn remarks(verdict: &Verdict) -> Vec<String> {
    let notes = verdict.remarks.notes.iter().map(|note| format!("{note}."));
    let help = advice(&verdict.outcome).into_iter().map(|advice| format!("Help: {advice}."));
    notes.chain(help).collect()
}

/// `threads`, `places` (names of places in memory), `initial`, `steps`, `cycle`.
fn story(trace: &Trace, finding: &Finding<'_>, listing: &Listing, sources: &Sources<'_>) -> Value {
    let story = Story::new(trace, sources.program);
    let mut memory = Memory { write: Writer::new(sources.program, trace), names: BTreeMap::new(), list: vec![] };
    let threads = trace.threads.iter();
    let threads = threads.map(|t| json!([t.name.to_string(), shown(&t.function)])).collect::<Vec<_>>();
    let mut initial: BTreeMap<usize, String> = BTreeMap::new();
    let mut known: Vec<bool> = Vec::new();
    let mut steps = Vec::new();
    for step in &story.steps {
        let mut effects = Vec::new();
        for effect in &step.effects {
            let (Effect::Reads { location, value, .. }
            | Effect::Sets { location, value }
            | Effect::Enters { location, value, .. }
            | Effect::Leaves { location, value, .. }) = *effect;
            let Some(place) = memory.place(location) else { continue };
            let value = shown(&memory.write.value(value));
            known.resize(memory.list.len().max(known.len()), false);
            let told = std::mem::replace(&mut known[place], true);
            effects.push(match *effect {
                Effect::Reads { from: None, .. } if !told => {
                    initial.insert(place, value.clone());
                    json!(["r", place, value])
                }
                Effect::Reads { from, forwarded, .. } => {
                    let source = from.and_then(|event| story.step_of(event));
                    json!(["r", place, value, source, forwarded])
                }
                Effect::Sets { .. } => json!(["s", place, value]),
                Effect::Enters { store, .. } => json!(["e", place, value, EventIndex::number(store)]),
                Effect::Leaves { store, .. } => {
                    json!(["l", place, value, EventIndex::number(store), story.step_of(store)])
                }
            });
        }
        let mut object = json!({
            "n": step.number,
            "t": step.event.thread.index(),
            "x": shown(&step.text),
            "k": kind(&step.event.kind),
            "p": listing.place(step.event.span),
        });
        if let (false, Value::Object(object)) = (effects.is_empty(), &mut object) {
            object.insert("e".to_owned(), Value::Array(effects));
        }
        if let Some(function) = function_at(sources.program, step.event.span) {
            object["f"] = json!(shown(function));
        }
        steps.push(object);
    }
    let cycle = finding.cycle.iter().map(|edge| {
        let ends = story.ends(edge);
        json!({
            "from": ends.map(|ends| ends.0), "to": ends.map(|ends| ends.1),
            "rel": edge.relation.name(), "phrase": edge.relation.phrase(),
            "place": sources.place(edge.from.span),
        })
    });
    let places = memory.list.iter().map(|name| shown(name)).collect::<Vec<_>>();
    json!({
        "threads": threads, "places": places, "initial": initial, "steps": steps,
        "cycle": cycle.collect::<Vec<_>>(),
        "lanes": if finding.model().name() == "pso" { "place" } else { "thread" },
    })
}

/// Places in memory by number, in the order in which the story comes to them.
struct Memory<'a> {
    write: Writer<'a>,
    names: BTreeMap<String, usize>,
    list: Vec<String>,
}

impl Memory<'_> {
    /// `None` for what is inside an object of the library's.
    fn place(&mut self, location: &Location) -> Option<usize> {
        let name = self.write.location(location);
        if is_inside(&name) {
            return None;
        }
        if let Some(&known) = self.names.get(&name) {
            return Some(known);
        }
        self.list.push(name.clone());
        self.names.insert(name, self.list.len() - 1);
        Some(self.list.len() - 1)
    }
}

fn kind(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::Read { .. } => "read",
        EventKind::Write { .. } => "write",
        EventKind::Update { .. } => "update",
        EventKind::Commit { .. } => "commit",
        EventKind::Fence(_) => "fence",
        EventKind::Create { .. } => "create",
        EventKind::Join { .. } => "join",
        EventKind::Call { .. } => "call",
        EventKind::Free { .. } => "free",
        EventKind::Input { .. } => "input",
        EventKind::End { .. } | EventKind::Exit { .. } => "end",
        EventKind::WakesUp => "wakes",
    }
}
