//! Writes witnesses: YAML of the format 2.2 and GraphML of the format 1.0.
//!
//! The formats know sequential consistency only, so the verdict of that model is what is written. Same input, same output: the
//! identifier is made of the content, and the time is that of `SOURCE_DATE_EPOCH`, or the beginning of 1970.

use crate::sha256;
use crate::specification;
use crate::story::{Blame, Move, Story, What, story};
use crate::text::Texts;
use norn_ir::types::Target;
use norn_report::Sources;
use norn_report::format::{Answer, Finding, Format};
use norn_report::visible::is_hidden;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Counterexample, Outcome};
use std::fmt::Write;

/// In which form a witness is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Yaml,
    GraphMl,
}

impl Form {
    /// By the name of the file.
    pub fn of(name: &str) -> Form {
        if name.to_ascii_lowercase().ends_with(".graphml") { Form::GraphMl } else { Form::Yaml }
    }
}

/// What a witness is about.
pub struct Task<'a> {
    pub form: Form,
    /// The files as they were named, with their contents.
    pub files: &'a [(String, Vec<u8>)],
    pub texts: &'a Texts,
    pub checks: Checks,
    /// The text of the property file, if there was one.
    pub property: Option<&'a str>,
    pub entry: &'a str,
    /// Seconds since 1970.
    pub time: u64,
    /// Who is to blame for a violation.
    pub blames: &'a dyn Fn(&Counterexample) -> Vec<Blame>,
}

impl Format for Task<'_> {
    fn render(&self, findings: &[Finding<'_>], sources: &Sources<'_>) -> Option<String> {
        let verdict = findings.iter().find_map(|finding| match finding.answer {
            Answer::Safety(verdict) if verdict.model == Model::Sc => Some(verdict),
            _ => None,
        })?;
        match &verdict.outcome {
            Outcome::Unsafe(found) => {
                let story = story(found, &(self.blames)(found), sources.program, self.texts)?;
                let specification = self.specification(|| specification::written(found.violation().kind, self.entry));
                Some(match self.form {
                    Form::Yaml => {
                        self.yaml("violation_sequence", "2.2", &specification, &self.segments(&story), sources)
                    }
                    Form::GraphMl => self.graphml("violation_witness", &specification, &self.path(&story), sources),
                })
            }
            Outcome::Safe { .. } if verdict.outcome.is_complete() && verdict.remarks.assumptions.is_empty() => {
                let specification = self.specification(|| specification::all(self.checks, self.entry));
                let node = "  <node id=\"N0\">\n   <data key=\"entry\">true</data>\n  </node>\n";
                Some(match self.form {
                    Form::Yaml => self.yaml("invariant_set", "2.0", &specification, "  content: []\n", sources),
                    Form::GraphMl => self.graphml("correctness_witness", &specification, node, sources),
                })
            }
            _ => None,
        }
    }
}

impl Task<'_> {
    fn specification(&self, own: impl FnOnce() -> String) -> String {
        let given = self.property.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        given.unwrap_or_else(own)
    }

    fn yaml(&self, entry: &str, version: &str, specification: &str, content: &str, sources: &Sources<'_>) -> String {
        let model = match sources.program.target {
            Target::Ilp32 => "ILP32",
            Target::Lp64 => "LP64",
        };
        let mut task = String::from("      input_files:\n");
        for (name, _) in self.files {
            let _ = writeln!(task, "        - {}", yaml_text(name));
        }
        task += "      input_file_hashes:\n";
        for (name, bytes) in self.files {
            let _ = writeln!(task, "        {}: {}", yaml_text(name), sha256::hex(bytes));
        }
        let _ = write!(
            task,
            "      specification: {}\n      data_model: {model}\n      language: C\n",
            yaml_text(specification)
        );
        format!(
            "- entry_type: {entry}\n  metadata:\n    format_version: \"{version}\"\n    uuid: {}\n    creation_time: {}\n    \
             producer:\n      name: Norn\n      version: \"{}\"\n    task:\n{task}{content}",
            uuid(&(task.clone() + content)),
            date(self.time),
            env!("CARGO_PKG_VERSION"),
        )
    }

    /// The segments of the YAML form, one for each move.
    fn segments(&self, story: &Story) -> String {
        let mut text = String::from("  content:\n");
        let location = |line, number: u32, column: Option<u32>| {
            let column = column.map_or_else(String::new, |column| format!("\n              column: {column}"));
            format!(
                "            location:\n              file_name: {}\n              line: {number}{column}\n",
                yaml_text(self.texts.name(line))
            )
        };
        let waypoint = |kind: &str, thread: Option<u32>| {
            let thread = thread.map_or_else(String::new, |thread| format!("            thread_id: {thread}\n"));
            format!("        - waypoint:\n            type: {kind}\n            action: follow\n{thread}")
        };
        let constraint = |value: &str, format: &str| {
            format!(
                "            constraint:\n              value: {}\n              format: {format}\n",
                yaml_text(value)
            )
        };
        for Move { thread, line, what } in &story.moves {
            text += "    - segment:\n";
            match what {
                What::Creates { at, .. } => {
                    text += &waypoint("function_enter", Some(thread.0));
                    text += &location(*line, at.line, at.column);
                }
                What::Returns { value, at, .. } => {
                    text += &waypoint("function_return", Some(thread.0));
                    text += &location(*line, at.line, at.column);
                    text += &constraint(&format!("\\result == {value}"), "acsl_expression");
                }
                What::Holds { variable, value } => {
                    text += &waypoint("assumption", Some(thread.0));
                    text += &location(*line, line.number, None);
                    text += &constraint(&format!("{variable} == {value}"), "c_expression");
                }
            }
        }
        text += "    - segment:\n";
        for target in &story.targets {
            text += &waypoint("target", target.thread.map(|thread| thread.0));
            text += &location(target.line, target.line.number, None);
        }
        text
    }

    fn graphml(&self, kind: &str, specification: &str, graph: &str, sources: &Sources<'_>) -> String {
        let architecture = match sources.program.target {
            Target::Ilp32 => "32bit",
            Target::Lp64 => "64bit",
        };
        // Of several files the first is named.
        let (file, hash) =
            self.files.first().map_or_else(Default::default, |(name, bytes)| (name.clone(), sha256::hex(bytes)));
        let mut text = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
             <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n",
        );
        for (id, of, ty, default) in KEYS {
            let _ = write!(text, " <key attr.name=\"{id}\" attr.type=\"{ty}\" for=\"{of}\" id=\"{id}\"");
            text += &match default {
                Some(default) => format!(">\n  <default>{default}</default>\n </key>\n"),
                None => "/>\n".to_owned(),
            };
        }
        text += " <graph edgedefault=\"directed\">\n";
        let producer = format!("Norn {}", env!("CARGO_PKG_VERSION"));
        let time = date(self.time);
        for (key, value) in [
            ("witness-type", kind),
            ("sourcecodelang", "C"),
            ("producer", &producer),
            ("specification", specification),
            ("programfile", &file),
            ("programhash", &hash),
            ("architecture", architecture),
            ("creationtime", &time),
        ] {
            let _ = writeln!(text, "  <data key=\"{key}\">{}</data>", xml_text(value));
        }
        text + graph + " </graph>\n</graphml>\n"
    }

    /// The automaton of the GraphML form: one path.
    fn path(&self, story: &Story) -> String {
        let mut path = Path { text: String::new(), nodes: 0 };
        path.node("entry");
        path.edge(&[("threadId", "0".into()), ("createThread", "0".into()), ("enterFunction", self.entry.into())]);
        for Move { thread, line, what } in &story.moves {
            path.node("");
            let thread_id = ("threadId", thread.0.to_string());
            let line = ("startline", line.number.to_string());
            match what {
                What::Creates { thread: created, function, .. } => {
                    path.edge(&[thread_id, line, ("createThread", created.0.to_string())]);
                    path.node("");
                    path.edge(&[("threadId", created.0.to_string()), ("enterFunction", function.clone())]);
                }
                What::Returns { function, value, .. } => {
                    let assumption = ("assumption", format!("\\result == {value}"));
                    path.edge(&[thread_id, line, assumption, ("assumption.resultfunction", function.clone())]);
                }
                What::Holds { variable, value } => {
                    path.edge(&[thread_id, line, ("assumption", format!("{variable} == {value}"))]);
                }
            }
        }
        // Of a data race the later access, which shows it: the other is part of the way there.
        if let Some(target) = story.targets.last() {
            path.node("");
            let mut data = vec![("startline", target.line.number.to_string())];
            data.extend(target.thread.map(|thread| ("threadId", thread.0.to_string())));
            path.edge(&data);
        }
        path.node("violation");
        path.text
    }
}

/// The data of GraphML: key, what has it, its type, and its default.
const KEYS: [(&str, &str, &str, Option<&str>); 18] = [
    ("witness-type", "graph", "string", None),
    ("sourcecodelang", "graph", "string", None),
    ("producer", "graph", "string", None),
    ("specification", "graph", "string", None),
    ("programfile", "graph", "string", None),
    ("programhash", "graph", "string", None),
    ("architecture", "graph", "string", None),
    ("creationtime", "graph", "string", None),
    ("entry", "node", "boolean", Some("false")),
    ("violation", "node", "boolean", Some("false")),
    ("sink", "node", "boolean", Some("false")),
    ("threadId", "edge", "string", None),
    ("createThread", "edge", "string", None),
    ("enterFunction", "edge", "string", None),
    ("startline", "edge", "int", None),
    ("assumption", "edge", "string", None),
    ("assumption.resultfunction", "edge", "string", None),
    ("control", "edge", "string", None),
];

/// A path of nodes and edges in turn.
struct Path {
    text: String,
    nodes: usize,
}

impl Path {
    fn node(&mut self, mark: &str) {
        let _ = match mark {
            "" => writeln!(self.text, "  <node id=\"N{}\"/>", self.nodes),
            mark => {
                writeln!(self.text, "  <node id=\"N{}\">\n   <data key=\"{mark}\">true</data>\n  </node>", self.nodes)
            }
        };
        self.nodes += 1;
    }

    /// From the last node to the next.
    fn edge(&mut self, data: &[(&str, String)]) {
        let _ = writeln!(self.text, "  <edge source=\"N{}\" target=\"N{}\">", self.nodes - 1, self.nodes);
        for (key, value) in data {
            let _ = writeln!(self.text, "   <data key=\"{key}\">{}</data>", xml_text(value));
        }
        self.text += "  </edge>\n";
    }
}

/// A text in quotation marks.
fn yaml_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        let _ = match c {
            '"' | '\\' => write!(quoted, "\\{c}"),
            c if is_hidden(c) || c == '\n' => write!(quoted, "\\U{:08x}", u32::from(c)),
            c => write!(quoted, "{c}"),
        };
    }
    quoted + "\""
}

fn xml_text(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        let _ = match c {
            '&' => write!(escaped, "&amp;"),
            '<' => write!(escaped, "&lt;"),
            '>' => write!(escaped, "&gt;"),
            '"' => write!(escaped, "&quot;"),
            // XML has no way to say these.
            c if c.is_control() && !matches!(c, '\n' | '\t') => write!(escaped, "\u{fffd}"),
            c if is_hidden(c) => write!(escaped, "&#x{:x};", u32::from(c)),
            c => write!(escaped, "{c}"),
        };
    }
    escaped
}

/// An identifier made of a text: version 8 of RFC 9562, whose bits are one's own.
fn uuid(text: &str) -> String {
    let mut hex = sha256::hex(text.as_bytes());
    hex.truncate(32);
    hex.replace_range(12..13, "8");
    hex.replace_range(16..17, "8");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// ISO 8601, in UTC.
fn date(seconds: u64) -> String {
    const DAY: u64 = 24 * 60 * 60;
    let (mut days, time) = (seconds / DAY, seconds % DAY);
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = |year: u64| if is_leap(year) { 366 } else { 365 };
    // All years repeat after 400.
    const CYCLE: u64 = 146_097;
    let mut year = 1970 + days / CYCLE * 400;
    days %= CYCLE;
    while days >= length(year) {
        days -= length(year);
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01T00:00:00Z");
        assert_eq!(date(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(date(4_102_444_799), "2099-12-31T23:59:59Z");
        assert!(date(u64::MAX).ends_with('Z'));
    }

    #[test]
    fn texts_are_escaped() {
        assert_eq!(yaml_text("a\"\\\n\u{202e}ü"), "\"a\\\"\\\\\\U0000000a\\U0000202eü\"");
        assert_eq!(xml_text("<a&\"\u{202e}\u{1b}>"), "&lt;a&amp;&quot;&#x202e;\u{fffd}&gt;");
        assert_eq!(uuid("x").len(), 36);
    }
}
