//! The line that shows how far a search has come: on standard error, only on a terminal with escape
//! sequences, gone when the search ends.

use crate::output;
use norn_ir::number::toward_zero;
use norn_verdict::progress::{Progress, Report, Watcher};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Short searches show nothing.
const FIRST: Duration = Duration::from_millis(500);
const BETWEEN: Duration = Duration::from_millis(150);

/// A line on the terminal, if there is one.
pub struct ProgressLine(Option<Arc<Line>>);

struct Line {
    start: Instant,
    /// When it was shown last.
    shown: Mutex<Option<Instant>>,
}

impl ProgressLine {
    pub fn new() -> ProgressLine {
        let line = || Arc::new(Line { start: Instant::now(), shown: Mutex::new(None) });
        ProgressLine(output::has_styles().then(line))
    }

    /// For the limits of a search.
    pub fn progress(&self) -> Progress {
        match &self.0 {
            Some(line) => Progress::to(line.clone()),
            None => Progress::none(),
        }
    }

    /// Takes the line away, so that other text can be written.
    pub fn clear(&self) {
        if let Some(line) = &self.0
            && line.shown.lock().is_ok_and(|shown| shown.is_some())
        {
            write("");
        }
    }
}

impl Watcher for Line {
    fn see(&self, report: &Report<'_>) {
        // An engine that waits for the terminal would be slower for being watched.
        let Ok(mut shown) = self.shown.try_lock() else { return };
        let now = Instant::now();
        let due = shown.map_or(self.start + FIRST, |last| last + BETWEEN);
        if now >= due {
            *shown = Some(now);
            write(&text(report, now - self.start, output::width()));
        }
    }
}

fn write(text: &str) {
    output::say(&format!("\r\x1b[K{text}"));
}

/// For example `stateless: 120,000 executions, 300,000/s, about 12 % done`.
fn text(report: &Report<'_>, elapsed: Duration, width: usize) -> String {
    let (unit, count) = report.count;
    let rate = toward_zero(count as f64 / elapsed.as_secs_f64().max(1e-3));
    let mut text = format!("{}: {} {unit}, {}/s", report.engine, grouped(count), grouped(rate));
    for &(name, value) in report.figures {
        text += &format!(", {name} {}", grouped(value));
    }
    if let Some(done) = report.done {
        text += &format!(", {} done", share(done));
    }
    // A line that wraps could not be taken away.
    text.chars().take(width.saturating_sub(1)).collect()
}

/// A share in per cent, with a digit more where it is small.
pub fn share(done: f64) -> String {
    let percent = done.clamp(0.0, 1.0) * 100.0;
    if percent < 0.01 {
        "less than 0.01 %".to_owned()
    } else if percent < 10.0 {
        format!("about {percent:.2} %")
    } else {
        format!("about {percent:.0} %")
    }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(report: &Report<'_>, width: usize, expected: &str) {
        assert_eq!(text(report, Duration::from_secs(2), width), expected);
    }

    #[test]
    fn a_report_is_one_line() {
        let report = Report { engine: "stateless", count: ("executions", 1_234_567), figures: &[], done: Some(0.034) };
        check(&report, 100, "stateless: 1,234,567 executions, 617,283/s, about 3.40 % done");
        let report = Report { engine: "states", count: ("states", 900), figures: &[("frontier", 1000)], done: None };
        check(&report, 100, "states: 900 states, 450/s, frontier 1,000");
        check(&report, 12, "states: 900");
    }

    #[test]
    fn shares_are_rounded() {
        assert_eq!([0.0, 0.05, 0.5, 2.0].map(share), ["less than 0.01 %", "about 5.00 %", "about 50 %", "about 100 %"]);
    }
}
