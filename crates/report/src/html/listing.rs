//! The source beside the steps: whole files if they are short, else what surrounds the lines that matter.

use crate::Sources;
use norn_ir::ids::FileId;
use norn_ir::program::Origin;
use norn_ir::span::Span;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use unicode_width::UnicodeWidthChar;

/// A file of at most this many lines is shown as a whole.
const WHOLE: u32 = 600;
/// How many lines around one that matters are shown of a longer file.
const AROUND: u32 = 6;
/// The most lines that are shown of all files.
const MOST: usize = 20_000;
/// The most characters of a line.
const LONGEST: usize = 1000;
const TAB: usize = 8;

/// The files that the places are in, by their index in the page's list.
pub(super) struct Listing {
    files: BTreeMap<FileId, BTreeSet<u32>>,
}

impl Listing {
    pub fn new(places: impl IntoIterator<Item = Span>) -> Listing {
        let mut files: BTreeMap<FileId, BTreeSet<u32>> = BTreeMap::new();
        for place in places.into_iter().filter(|&place| place != Span::NONE) {
            files.entry(place.file).or_default().insert(place.line);
        }
        Listing { files }
    }

    /// The index of the file and the line; null if there is no place.
    pub fn place(&self, span: Span) -> Value {
        let index = self.files.keys().position(|&file| file == span.file);
        index.filter(|_| span != Span::NONE).map_or(Value::Null, |index| json!([index, span.line]))
    }

    /// Each file with its name, its functions, and its lines in stretches that begin at a number.
    pub fn json(&self, sources: &Sources<'_>) -> Value {
        let mut left = MOST;
        let file = |(&id, lines): (&FileId, &BTreeSet<u32>)| {
            let name = sources.program.file(id);
            let shown = shown_lines(name, lines, sources, &mut left);
            let mut parts: Vec<(u32, Vec<String>)> = Vec::new();
            for (number, text) in shown {
                match parts.last_mut() {
                    Some((first, texts)) if u32::try_from(texts.len()) == Ok(number - *first) => texts.push(text),
                    _ => parts.push((number, vec![text])),
                }
            }
            let is_here = |f: &&norn_ir::program::Function| f.origin == Origin::User && f.span.file == id;
            let functions = sources.program.functions.iter().filter(is_here);
            let functions = functions.map(|f| json!([f.span.line, super::data::shown(&f.name)])).collect::<Vec<_>>();
            json!({ "name": super::data::shown(name), "functions": functions, "parts": parts })
        };
        self.files.iter().map(file).collect()
    }
}

/// The lines to show of a file, with their numbers.
fn shown_lines(name: &str, lines: &BTreeSet<u32>, sources: &Sources<'_>, left: &mut usize) -> Vec<(u32, String)> {
    let text = |line: u32| (sources.line_text)(name, line);
    let is_short = text(WHOLE + 1).is_none() && lines.iter().all(|&line| line <= WHOLE);
    let mut wanted: BTreeSet<u32> = BTreeSet::new();
    if is_short {
        wanted.extend(1..=WHOLE);
    } else {
        for &line in lines {
            wanted.extend(line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND));
        }
    }
    let known = wanted.into_iter().filter_map(|line| Some((line, text(line)?)));
    let mut shown = known.take(*left).map(|(line, text)| (line, fitting(&text))).collect::<Vec<_>>();
    while shown.last().is_some_and(|(line, text)| text.is_empty() && !lines.contains(line)) {
        shown.pop();
    }
    *left -= shown.len();
    shown
}

/// A line as it is shown: tabs are blanks, hidden characters are marks, and a very long line is cut.
fn fitting(text: &str) -> String {
    let mut all = String::new();
    let mut column = 0;
    for c in text.trim_end().chars().take(LONGEST) {
        if c == '\t' {
            let blanks = TAB - column % TAB;
            all.extend(std::iter::repeat_n(' ', blanks));
            column += blanks;
        } else {
            all.push(c);
            column += c.width().unwrap_or(1);
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        all.push('…');
    }
    crate::visible::source_text(&all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use norn_ir::program::Program;

    #[test]
    fn long_files_are_shown_around_the_places() {
        let program = Program { files: vec!["short.c".to_owned(), "long.c".to_owned()], ..Program::empty() };
        let line_text = |file: &str, line: u32| {
            let length = if file == "long.c" { 5000 } else { 3 };
            (line <= length).then(|| if line == 3 { String::new() } else { format!("\t{line}") })
        };
        let sources = Sources { program: &program, line_text: &line_text };
        let span = |file: u32, line: u32| Span { file: FileId(file), line, column: 1 };
        let listing = Listing::new([span(0, 1), span(1, 10), span(1, 4000), Span::NONE]);
        let files = listing.json(&sources);
        assert_eq!(files[0]["parts"], json!([[1, ["        1", "        2"]]]), "the last line is empty");
        assert_eq!(files[1]["parts"][0][0], 4);
        assert_eq!(files[1]["parts"][0][1].as_array().map(Vec::len), Some(13));
        assert_eq!(files[1]["parts"][1][0], 3994);
        assert_eq!(listing.place(span(1, 10)), json!([1, 10]));
        assert_eq!(listing.place(Span::NONE), Value::Null);
    }

    #[test]
    fn a_line_is_fitted() {
        assert_eq!(fitting("a\tb\u{202e}  "), "a       b\u{fffd}");
        assert_eq!(fitting(&"x".repeat(2000)).chars().count(), LONGEST + 1);
    }
}
