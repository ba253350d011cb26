//! Edits of texts: what replaces which bytes, the text afterwards, and a unified diff that `patch` applies.

use crate::gaps::{Gap, GapKind};
use crate::scan;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Other text in place of some bytes of a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edit {
    pub start: usize,
    pub end: usize,
    pub text: String,
}

/// What a level does to the text of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// A statement in a gap.
    Insert { gap: Gap, statement: String },
    /// Other words where there are some.
    Replace { file: PathBuf, edits: Vec<Edit> },
}

impl Change {
    pub fn file(&self) -> &Path {
        match self {
            Change::Insert { gap, .. } => &gap.file,
            Change::Replace { file, .. } => file,
        }
    }
}

/// The edits that changes of one file are, in order, none of which overlap.
pub fn edits(text: &str, changes: &[&Change]) -> Vec<Edit> {
    // What stands in a gap comes before the statement behind it, whatever becomes of that.
    let mut edits: Vec<Edit> = Vec::new();
    let mut replaced: Vec<Edit> = Vec::new();
    let mut braced: Vec<(Range<usize>, [&str; 2])> = Vec::new();
    for change in changes {
        match change {
            Change::Replace { edits: own, .. } => replaced.extend(own.iter().cloned()),
            Change::Insert { gap, statement } => match gap.kind {
                GapKind::Braced { end, after } => {
                    let range = gap.at..end;
                    let index = braced.iter().position(|(other, _)| *other == range).unwrap_or_else(|| {
                        braced.push((range, [""; 2]));
                        braced.len() - 1
                    });
                    braced[index].1[usize::from(after)] = statement;
                }
                GapKind::Between => edits.push(own_line(text, gap.at, scan::indent(text, gap.at), statement)),
                GapKind::End { last } => {
                    let indent = match last {
                        Some(last) => scan::indent(text, last).to_owned(),
                        None => scan::indent(text, gap.at).to_owned() + "    ",
                    };
                    edits.push(own_line(text, gap.at, &indent, statement));
                }
            },
        }
    }
    for (range, [before, after]) in braced {
        let pad = |statement: &str, text: String| if statement.is_empty() { String::new() } else { text };
        let begin = format!("{{ {}", pad(before, format!("{before} ")));
        let end = format!("{} }}", pad(after, format!(" {after}")));
        edits.push(Edit { start: range.start, end: range.start, text: begin });
        edits.push(Edit { start: range.end, end: range.end, text: end });
    }
    edits.sort();
    edits.append(&mut replaced);
    edits.sort_by_key(|edit| (edit.start, edit.end));
    // What is taken away with more than itself need not be changed.
    let mut end = 0;
    edits.retain(|edit| {
        let is_free = edit.start >= end;
        end = end.max(edit.end);
        is_free
    });
    edits
}

/// A statement on a line of its own before what stands at a byte. Where that does not begin its line, the line is broken.
fn own_line(text: &str, at: usize, indent: &str, statement: &str) -> Edit {
    let start = scan::line_start(text, at);
    let line_break = if text[at..].lines().next().is_some() && ends_with_return(text, at) { "\r\n" } else { "\n" };
    let before = text[start..at].trim_end_matches([' ', '\t']);
    if before.is_empty() {
        return Edit { start, end: start, text: format!("{indent}{statement}{line_break}") };
    }
    let rest = scan::indent(text, at);
    // What stands behind an opening brace is further in.
    let deeper = if before.matches('{').count() > before.matches('}').count() { "    " } else { "" };
    let closes = text[at..].starts_with('}');
    let own = format!("{rest}{deeper}");
    let next = if closes { rest.to_owned() } else { own.clone() };
    let inserted = format!("{line_break}{own}{statement}{line_break}{next}");
    Edit { start: start + before.len(), end: at, text: inserted }
}

/// Whether the line of a byte ends as on Windows.
fn ends_with_return(text: &str, at: usize) -> bool {
    text[at..].split_once('\n').is_some_and(|(line, _)| line.ends_with('\r'))
}

/// The text after the edits, which are in order.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut result = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for edit in edits {
        result.push_str(&text[at..edit.start]);
        result.push_str(&edit.text);
        at = edit.end;
    }
    result + &text[at..]
}

/// Lines around a change.
const CONTEXT: usize = 3;

/// A unified diff of a file for `patch -p0`; empty if there are no edits.
pub fn unified(name: &str, text: &str, edits: &[Edit]) -> String {
    let old = text.split_inclusive('\n').collect::<Vec<_>>();
    let mut starts = vec![0];
    starts.extend(old.iter().scan(0, |at, line| {
        *at += line.len();
        Some(*at)
    }));
    let changes = changed_lines(text, &starts, edits);
    if changes.is_empty() {
        return String::new();
    }
    // A name with a blank ends with a tab, or `patch` would take a part of it.
    let tab = if name.contains(' ') { "\t" } else { "" };
    let mut diff = format!("--- {name}{tab}\n+++ {name}{tab}\n");
    let mut first = 0;
    let mut added = 0_isize;
    while first < changes.len() {
        let mut last = first;
        while last + 1 < changes.len() && changes[last + 1].0.start <= changes[last].0.end + 2 * CONTEXT {
            last += 1;
        }
        added += hunk(&mut diff, &old, &changes[first..=last], added);
        first = last + 1;
    }
    diff
}

/// Which lines, counted from 0, are replaced by which text.
fn changed_lines(text: &str, starts: &[usize], edits: &[Edit]) -> Vec<(Range<usize>, String)> {
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    let line_of = |at: usize| starts.partition_point(|&start| start <= at) - 1;
    let mut index = 0;
    while index < edits.len() {
        let first = &edits[index];
        let at_line = line_of(first.start);
        let whole_lines = |edit: &Edit| {
            let begins = |at: usize| starts.binary_search(&at).is_ok();
            begins(edit.start) && begins(edit.end) && (edit.text.is_empty() || edit.text.ends_with('\n'))
        };
        if whole_lines(first) {
            changes.push((at_line..line_of(first.end), first.text.clone()));
            index += 1;
            continue;
        }
        // All edits that touch these lines are one change of them.
        let (mut end, mut count) = (line_of(first.end) + 1, 1);
        while let Some(edit) = edits.get(index + count).filter(|edit| line_of(edit.start) < end) {
            end = end.max(line_of(edit.end) + 1);
            count += 1;
        }
        let end = end.min(starts.len() - 1);
        let (from, to) = (starts[at_line], starts[end]);
        let own = edits[index..index + count].iter().map(|edit| Edit {
            start: edit.start - from,
            end: edit.end - from,
            text: edit.text.clone(),
        });
        let changed = apply(&text[from..to], &own.collect::<Vec<_>>());
        // Lines that follow one another are one change, as people write patches.
        match changes.last_mut() {
            Some((range, before)) if range.start < range.end && range.end == at_line => {
                range.end = end;
                before.push_str(&changed);
            }
            _ => changes.push((at_line..end, changed)),
        }
        index += count;
    }
    changes
}

/// Writes one hunk, and says by how many lines the new text is longer.
fn hunk(diff: &mut String, old: &[&str], changes: &[(Range<usize>, String)], added: isize) -> isize {
    let begin = changes[0].0.start.saturating_sub(CONTEXT);
    let end = (changes[changes.len() - 1].0.end + CONTEXT).min(old.len());
    let mut body = String::new();
    let mut new_count = 0;
    let mut push = |sign: char, line: &str| {
        body.push(sign);
        body.push_str(line);
        if !line.ends_with('\n') {
            body.push_str("\n\\ No newline at end of file\n");
        }
        new_count += usize::from(sign != '-');
    };
    let mut at = begin;
    for (range, text) in changes {
        old[at..range.start].iter().for_each(|line| push(' ', line));
        old[range.clone()].iter().for_each(|line| push('-', line));
        text.split_inclusive('\n').for_each(|line| push('+', line));
        at = range.end;
    }
    old[at..end].iter().for_each(|line| push(' ', line));
    let old_count = end - begin;
    // A stretch without lines is named by the line before it.
    let start = |count: usize, at: usize| if count == 0 { at } else { at + 1 };
    let new_begin = begin.checked_add_signed(added).unwrap_or(0);
    let head = format!("@@ -{},{old_count} +{},{new_count} @@\n", start(old_count, begin), start(new_count, new_begin));
    diff.push_str(&head);
    diff.push_str(&body);
    new_count as isize - old_count as isize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(text: &str, before: &str, kind: impl Fn(usize) -> GapKind) -> Change {
        let at = text.find(before).expect("the text should have it");
        let gap = Gap { file: "a.c".into(), at, kind: kind(at), loops: 0 };
        Change::Insert { gap, statement: "F;".to_owned() }
    }

    fn changed(text: &str, changes: &[Change]) -> String {
        apply(text, &edits(text, &changes.iter().collect::<Vec<_>>()))
    }

    #[test]
    fn statements_stand_on_lines_of_their_own() {
        let between = |text: &str, before: &str| changed(text, &[insert(text, before, |_| GapKind::Between)]);
        assert_eq!(between("{\n  x = 1;\n}\n", "x"), "{\n  F;\n  x = 1;\n}\n");
        assert_eq!(between("{\n  x = 1; y = 2;\n}\n", "y"), "{\n  x = 1;\n  F;\n  y = 2;\n}\n");
        assert_eq!(between("{\r\n  x = 1;\r\n}\r\n", "x"), "{\r\n  F;\r\n  x = 1;\r\n}\r\n");
        assert_eq!(between("if (c) { x = 1; }\n", "x"), "if (c) {\n    F;\n    x = 1; }\n");
        let text = "{\n  x = 1;\n}\n";
        assert_eq!(changed(text, &[insert(text, "}", |_| GapKind::End { last: Some(4) })]), "{\n  x = 1;\n  F;\n}\n");
        assert_eq!(changed("{\n}\n", &[insert("{\n}\n", "}", |_| GapKind::End { last: None })]), "{\n    F;\n}\n");
    }

    #[test]
    fn a_statement_that_is_governed_gets_braces_once() {
        let text = "if (c) x = 1; else y = 1;\n";
        let braced = |after| insert(text, "x", move |at| GapKind::Braced { end: at + 6, after });
        assert_eq!(changed(text, &[braced(true)]), "if (c) { x = 1; F; } else y = 1;\n");
        assert_eq!(changed(text, &[braced(true), braced(false)]), "if (c) { F; x = 1; F; } else y = 1;\n");
    }

    #[test]
    fn hunks_have_context_and_count() {
        let text = (1..=30).map(|n| format!("{n}\n")).collect::<String>();
        let at = |line: &str| text.find(&format!("\n{line}\n")).expect("a line") + 1;
        let line = |n: &str| Edit { start: at(n), end: at(n), text: "new\n".to_owned() };
        let other = Edit { start: at("28"), end: at("28") + 1, text: "x".to_owned() };
        let diff = unified("a b.c", &text, &[line("5"), line("9"), other]);
        let expected = "--- a b.c\t\n+++ a b.c\t\n@@ -2,10 +2,12 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n 8\n+new\n 9\n 10\n 11\n\
                        @@ -25,6 +27,6 @@\n 25\n 26\n 27\n-28\n+x8\n 29\n 30\n";
        assert_eq!(diff, expected);
        let ends = Edit { start: 2, end: 3, text: "c".to_owned() };
        let expected =
            "--- a\n+++ a\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n";
        assert_eq!(unified("a", "a\nb", &[ends]), expected);
        assert_eq!(unified("a", "a\n", &[]), "");
    }
}
