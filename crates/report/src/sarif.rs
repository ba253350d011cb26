//! SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format), for editors and for services that show results beside the
//! code.
//!
//! An execution is one code flow with one thread flow in which the steps of all threads stand in the order in which they
//! happened, since viewers show the first thread flow only; the thread is named in each message. What is not unsafe is a
//! result of another kind, `pass` or `open`, with the level `none`, as the standard asks.

use crate::Sources;
use crate::format::{Answer, Finding, Format};
use crate::line::why;
use crate::steps::{Effect, Story, function_at, is_inside};
use crate::value::Writer;
use crate::visible::visible;
use norn_ir::span::Span;
use norn_verdict::outcome::{Outcome, ViolationKind};
use norn_verdict::robustness::Robustness;
use norn_verdict::trace::Trace;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Where the schema of the format is published.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

pub struct Sarif;

impl Format for Sarif {
    fn render(&self, findings: &[Finding<'_>], sources: &Sources<'_>) -> Option<String> {
        let mut rules: Vec<(&str, &str)> = Vec::new();
        let results = findings.iter().map(|finding| result(finding, sources, &mut rules)).collect::<Vec<_>>();
        let rules =
            rules.iter().map(|(id, words)| json!({ "id": id, "shortDescription": { "text": sentence(words) } }));
        let log = json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "Norn", "version": env!("CARGO_PKG_VERSION"), "rules": rules.collect::<Vec<_>>(),
                } },
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        });
        Some(crate::visible::json(&log) + "\n")
    }
}

fn result<'r>(finding: &Finding<'_>, sources: &Sources<'_>, rules: &mut Vec<(&'r str, &'r str)>) -> Value {
    let (rule, kind, words, span) = match finding.answer {
        Answer::Safety(verdict) => match &verdict.outcome {
            Outcome::Unsafe(found) => {
                let violation = found.violation();
                let colon = if violation.message.is_empty() { "" } else { ": " };
                let words = format!("{}{colon}{}", violation.kind.phrase(), visible(&violation.message));
                (rule_of(violation.kind), "fail", words, violation.span)
            }
            Outcome::Safe { .. } => (SAFETY, "pass", "no execution violates what was checked".to_owned(), Span::NONE),
            Outcome::Limited { undecided, .. } | Outcome::Unknown(undecided) => {
                (SAFETY, "open", why(undecided, sources), undecided.place.unwrap_or(Span::NONE))
            }
        },
        Answer::Robustness(verdict) => match &verdict.outcome {
            Robustness::NotRobust(cyclic) => {
                let words = "the memory model shows what sequential consistency does not".to_owned();
                (ROBUSTNESS, "fail", words, cyclic.cycle().first().map_or(Span::NONE, |edge| edge.from.span))
            }
            Robustness::Robust { .. } => {
                (ROBUSTNESS, "pass", "every trace is one of sequential consistency".to_owned(), Span::NONE)
            }
            Robustness::Unknown(undecided) => {
                (ROBUSTNESS, "open", why(undecided, sources), undecided.place.unwrap_or(Span::NONE))
            }
        },
    };
    let index = rules.iter().position(|known| known.0 == rule.0).unwrap_or_else(|| {
        rules.push(rule);
        rules.len() - 1
    });
    let mut message = sentence(&format!("{words} ({})", finding.model()));
    for reason in finding.reasons(sources) {
        message += &format!(" {}", visible(&reason));
    }
    let mut result = json!({
        "ruleId": rule.0,
        "ruleIndex": index,
        "kind": kind,
        "level": if kind == "fail" { "error" } else { "none" },
        "message": { "text": message },
        "properties": { "model": finding.model().name(), "verdict": finding.line(sources) },
    });
    if let Some(location) = location(span, None, sources) {
        result["locations"] = json!([location]);
    }
    if let Some(trace) = finding.trace() {
        let flow = json!({ "id": "execution", "locations": flow(trace, sources) });
        let message = "The execution, all threads in the order in which they run.";
        result["codeFlows"] = json!([{ "message": { "text": message }, "threadFlows": [flow] }]);
    }
    result
}

const SAFETY: (&str, &str) = ("safe", "no execution goes wrong");
const ROBUSTNESS: (&str, &str) = ("not-robust", "the memory model shows more than sequential consistency");

fn rule_of(kind: ViolationKind) -> (&'static str, &'static str) {
    (kind.name(), kind.phrase())
}

/// The steps, each with what memory and the buffer of its thread hold where it changes them.
fn flow(trace: &Trace, sources: &Sources<'_>) -> Vec<Value> {
    let story = Story::new(trace, sources.program);
    let write = Writer::new(sources.program, trace);
    let mut locations = Vec::new();
    for (order, step) in story.steps.iter().enumerate() {
        let thread = trace.name(step.event.thread).map(|name| name.to_string()).unwrap_or_default();
        let text = format!("{thread}: {}", visible(&step.text));
        // A step without a place, such as the end of a thread, has a location all the same, since the format wants one.
        let location =
            location(step.event.span, Some(&text), sources).unwrap_or(json!({ "message": { "text": text } }));
        let mut state = Map::new();
        for effect in &step.effects {
            let (Effect::Sets { location, value } | Effect::Leaves { location, value, .. }) = *effect else { continue };
            let place = write.location(location);
            if !is_inside(&place) {
                state.insert(visible(&place).into_owned(), json!({ "text": visible(&write.value(value)) }));
            }
        }
        let mut one = json!({ "executionOrder": order + 1, "location": location });
        if !state.is_empty() {
            one["state"] = Value::Object(state);
        }
        locations.push(one);
    }
    locations
}

fn location(span: Span, message: Option<&str>, sources: &Sources<'_>) -> Option<Value> {
    if span == Span::NONE {
        return None;
    }
    let mut region = json!({ "startLine": span.line });
    if span.column > 0 {
        region["startColumn"] = json!(span.column);
    }
    let uri = uri(sources.program.file(span.file));
    let mut location = json!({ "physicalLocation": { "artifactLocation": { "uri": uri }, "region": region } });
    if let Some(function) = function_at(sources.program, span) {
        location["logicalLocations"] = json!([{ "name": visible(function), "kind": "function" }]);
    }
    if let Some(message) = message {
        location["message"] = json!({ "text": message });
    }
    Some(location)
}

/// A path as a reference: what such a reference may not hold, and all that is not ASCII, is written with `%`.
pub(crate) fn uri(path: &str) -> String {
    let mut uri = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    // What comes before a colon would be taken for a scheme.
    if !path.starts_with('/') && path.split('/').next().is_some_and(|first| first.contains(':')) {
        uri.push_str("./");
    }
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'-'
            | b'.'
            | b'_'
            | b'~'
            | b'/'
            | b':'
            | b'+'
            | b','
            | b'='
            | b'@' => {
                uri.push(char::from(byte));
            }
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

/// With a capital letter and a full stop, as messages of the format are.
fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("a b/ü.c"), "a%20b/%C3%BC.c");
        assert_eq!(uri("/x/y#1.c"), "file:///x/y%231.c");
        assert_eq!(uri("c:x.c"), "./c:x.c");
        assert_eq!(uri("a\"\n\u{1b}.c"), "a%22%0A%1B.c");
    }
}
