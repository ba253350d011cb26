//! What came out: a line per test, and how it compares with a table.

use super::{Answer, TestResult};
use crate::exit::Exit;
use crate::expectations::Expectations;
use crate::litmus_model::LitmusModel;
use crate::output;
use norn_ir::diag::Severity;
use norn_report::visible::visible;
use norn_verdict::limits::StopToken;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Reasons that are listed by themselves.
const MOST_REASONS: usize = 20;

#[derive(Default)]
struct Count {
    bad: usize,
    internal: usize,
    unknown: usize,
    different: usize,
    compared: usize,
    /// Tests that cannot be decided, by why not.
    refused: BTreeMap<String, usize>,
    /// Answers that were not found, by why not.
    undecided: BTreeMap<String, usize>,
}

/// No test is called like Norn's own words.
fn test_name(name: &str) -> String {
    let shown = visible(name);
    if shown.starts_with("norn:") { format!("'{shown}'") } else { shown.into_owned() }
}

pub fn report(
    results: &[TestResult],
    models: &[LitmusModel],
    expected: Option<&Expectations>,
    dot: Option<&Path>,
    stop: &StopToken,
) -> Exit {
    let mut text = String::new();
    let mut count = Count::default();
    for result in results {
        if let Some((diagnostics, sources)) = &result.problem {
            output::show(diagnostics, sources);
            count.bad += 1;
            if let Some(refusal) = diagnostics.iter().max_by_key(|finding| finding.severity) {
                let what = if refusal.severity == Severity::Error { "no test: " } else { "" };
                *count.refused.entry(format!("{what}{}", refusal.message)).or_default() += 1;
            }
            continue;
        }
        if let Some(message) = &result.internal {
            output::fail(&format!("internal error: {message}"), Exit::Internal);
            count.internal += 1;
        }
        text += &result.shown;
        let line = line(result, models, expected, &mut count);
        text += &line.unwrap_or_default();
    }
    if expected.is_some() {
        text += &reasons("refused", &count.refused);
        text += &reasons("unknown", &count.undecided);
        let Count { compared, different, unknown, bad, .. } = count;
        let _ = write!(text, "norn: {compared} answers compared, {different} different, {unknown} unknown");
        text += &if bad == 0 { "\n".to_owned() } else { format!(", {bad} tests refused\n") };
    }
    let mut written = output::print(&text);
    if let Some(path) = dot {
        let graphs: String = results.iter().map(|result| result.dot.as_str()).collect();
        written =
            [written, output::write(path, &graphs)].into_iter().find(|&exit| exit != Exit::Fine).unwrap_or(Exit::Fine);
    }
    let worst_first = [
        (written != Exit::Fine, written),
        (count.internal > 0, Exit::Internal),
        (stop.is_stopped(), Exit::Interrupted),
        (count.bad > 0, Exit::BadInput),
        (count.different > 0, Exit::Unsafe),
        (count.unknown > 0, Exit::Unknown),
    ];
    worst_first.into_iter().find(|&(holds, _)| holds).map_or(Exit::Fine, |(_, exit)| exit)
}

/// The line of a test. With a table to compare with, only what differs is worth one.
fn line(
    result: &TestResult,
    models: &[LitmusModel],
    expected: Option<&Expectations>,
    count: &mut Count,
) -> Option<String> {
    let answers = models.iter().zip(&result.answers).map(|(model, answer)| format!("{model} {}", answer.name()));
    let answers = answers.collect::<Vec<_>>().join("  ");
    let mut line = format!("{}  {answers}", test_name(&result.name));
    let mut is_notable = expected.is_none();
    for (index, (model, answer)) in models.iter().zip(&result.answers).enumerate() {
        if let Answer::Unknown(reason) = answer {
            count.unknown += 1;
            *count.undecided.entry(reason.clone()).or_default() += 1;
            is_notable = true;
            let _ = write!(line, "  ({model}: {})", visible(reason));
        }
        let Some(wanted) = expected.and_then(|table| table.of(&result.path, index)) else { continue };
        count.compared += 1;
        if wanted != answer.name() {
            count.different += 1;
            is_notable = true;
            let _ = write!(line, "  DIFFERENT: {model} should be {wanted}");
        }
    }
    line.push('\n');
    is_notable.then_some(line)
}

/// The most frequent reasons first.
fn reasons(what: &str, reasons: &BTreeMap<String, usize>) -> String {
    let mut sorted: Vec<(&String, usize)> = reasons.iter().map(|(reason, &count)| (reason, count)).collect();
    sorted.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let mut text = String::new();
    for (reason, count) in sorted.iter().take(MOST_REASONS) {
        let _ = writeln!(text, "{count} {what}: {}", visible(reason));
    }
    let rest: usize = sorted.iter().skip(MOST_REASONS).map(|(_, count)| count).sum();
    if rest > 0 {
        let _ = writeln!(text, "{rest} {what} for other reasons");
    }
    text
}
