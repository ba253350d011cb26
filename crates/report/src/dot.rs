//! An execution as a graph for Graphviz: its accesses, a column for each thread, program order, reads of writes, stores that
//! reach memory later, and the cycle in bold if the memory model is to blame.

use crate::Sources;
use crate::format::{Finding, Format};
use crate::steps::{Effect, Story};
use crate::visible::visible;
use norn_verdict::trace::{ThreadIndex, Trace};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub struct Dot;

impl Format for Dot {
    /// The first execution; nothing if there is none.
    fn render(&self, findings: &[Finding<'_>], sources: &Sources<'_>) -> Option<String> {
        let (finding, trace) = findings.iter().find_map(|finding| Some((finding, finding.trace()?)))?;
        Some(graph(finding, trace, sources))
    }
}

fn graph(finding: &Finding<'_>, trace: &Trace, sources: &Sources<'_>) -> String {
    let story = Story::new(trace, sources.program);
    let mut cycle: BTreeMap<(usize, usize), &str> = BTreeMap::new();
    for edge in finding.cycle {
        if let Some(ends) = story.ends(edge) {
            cycle.entry(ends).or_insert(edge.relation.name());
        }
    }
    let cyclic = cycle.keys().flat_map(|&(from, to)| [from, to]).collect::<BTreeSet<_>>();
    let mut columns: BTreeMap<ThreadIndex, Vec<usize>> = BTreeMap::new();
    for (index, step) in story.steps.iter().enumerate() {
        if !step.effects.is_empty() || cyclic.contains(&index) {
            columns.entry(step.event.thread).or_default().push(index);
        }
    }
    let mut text = format!(
        "digraph execution {{\n  rankdir=TB; newrank=true; fontname=\"sans-serif\"; labelloc=t; label={};\n  \
         node [shape=box, fontname=\"sans-serif\", fontsize=11]; edge [fontname=\"sans-serif\", fontsize=10];\n",
        quoted(&finding.line(sources))
    );
    for (thread, steps) in &columns {
        let info = trace.thread(*thread);
        let title = info.map(|info| format!("{} ({})", info.name, visible(&info.function))).unwrap_or_default();
        let _ =
            writeln!(text, "  subgraph cluster_{} {{\n    label={}; style=rounded;", thread.index(), quoted(&title));
        for &index in steps {
            let step = &story.steps[index];
            let place =
                if step.event.span.line > 0 { format!("\n{}", sources.place(step.event.span)) } else { String::new() };
            let label = format!("#{} {}", step.number, visible(&step.text));
            let is_commit = step.effects.iter().any(|effect| matches!(effect, Effect::Leaves { .. }));
            let style = match (is_commit, cyclic.contains(&index)) {
                (_, true) => ", penwidth=2.5, color=\"#c2185b\"",
                (true, _) => ", style=dashed",
                _ => "",
            };
            let _ = writeln!(text, "    e{index} [label={}{style}];", quoted(&format!("{label}{place}")));
        }
        for pair in steps.windows(2).filter(|pair| !cycle.contains_key(&(pair[0], pair[1]))) {
            let _ = writeln!(text, "    e{} -> e{} [label=\"po\", color=gray];", pair[0], pair[1]);
        }
        text.push_str("  }\n");
    }
    for (index, step) in story.steps.iter().enumerate() {
        for effect in &step.effects {
            let (source, style) = match *effect {
                Effect::Reads { from: Some(event), .. } => (event, "label=\"rf\", color=\"#0d8065\", constraint=false"),
                Effect::Leaves { store, .. } => {
                    (store, "label=\"reaches memory\", style=dashed, color=\"#2457c5\", constraint=false")
                }
                _ => continue,
            };
            let known = story.step_of(source).filter(|&from| from != index && !cycle.contains_key(&(from, index)));
            if let Some(from) = known {
                let _ = writeln!(text, "  e{from} -> e{index} [{style}];");
            }
        }
    }
    for ((from, to), relation) in &cycle {
        let style = "penwidth=3, color=\"#c2185b\", fontcolor=\"#c2185b\", constraint=false";
        let _ = writeln!(text, "  e{from} -> e{to} [label=\"{relation}\", {style}];");
    }
    text.push_str("}\n");
    text
}

/// A quoted string of the format: only quotes and backslashes are special, and line breaks are written out.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
