//! Diagnostics as text: the source line, what is wrong there, and what to do about it. Nothing of it can repaint a terminal
//! or fill it: see `norn_report::visible`.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use norn_ir::diag::{Diagnostic, Label, Severity};
use norn_ir::source::SourceMap;
use norn_report::visible::{source_text, visible};

/// Of a longer line (generated code) this many bytes around the place are shown.
const LONGEST_LINE: usize = 400;

/// Renders one diagnostic, with colours if asked for.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Warning => Level::WARNING,
        Severity::Unsupported => Level::ERROR.with_name("unsupported"),
        Severity::Error => Level::ERROR,
    };
    let mut group = level.primary_title(visible(&diagnostic.message)).elements(Vec::<Origin<'_>>::new());
    for (i, labels) in same_line(&diagnostic.labels, sources).into_iter().enumerate() {
        group = excerpt(group, &labels, i == 0, sources);
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(visible(help)));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group])
}

/// Labels of one line are shown under one excerpt.
fn same_line<'a>(labels: &'a [Label], sources: &SourceMap) -> Vec<Vec<&'a Label>> {
    let line_of = |label: &Label| sources.physical(label.loc).map(|(id, position)| (id, position.line));
    let mut groups: Vec<Vec<&Label>> = Vec::new();
    for label in labels {
        match groups.iter_mut().find(|group| line_of(group[0]) == line_of(label)) {
            Some(group) => group.push(label),
            None => groups.push(vec![label]),
        }
    }
    groups
}

fn excerpt<'a>(group: Group<'a>, labels: &[&'a Label], primary: bool, sources: &'a SourceMap) -> Group<'a> {
    let Some((id, position)) = sources.physical(labels[0].loc) else { return group };
    let line = sources.line_text(id, position.line);
    let presumed = sources.presumed(labels[0].loc).filter(|p| (p.file, p.line) != (position.file, position.line));
    let file = visible(position.file);
    let group = if line.len() > LONGEST_LINE {
        let (row, column) = (position.line as usize, position.column as usize);
        let around = around(line, sources.offset_in_line(labels[0].loc));
        let excerpt = format!("in a line of {} bytes: …{around}…", line.len());
        group.element(Origin::path(file).line(row).char_column(column)).element(Level::NOTE.message(excerpt))
    } else {
        let shown = source_text(line);
        // Characters stay characters, but may be of other sizes.
        let shown_offset = |offset: usize| {
            let before = line.char_indices().take_while(|&(at, _)| at < offset).count();
            shown.char_indices().nth(before).map_or(shown.len(), |(at, _)| at)
        };
        let spans = labels.iter().map(|label| {
            let start = sources.offset_in_line(label.loc).min(line.len());
            let end = (start + (label.len as usize).max(1)).min(line.len()).max(start);
            shown_offset(start)..shown_offset(end)
        });
        let spans = spans.collect::<Vec<_>>();
        let mut snippet = Snippet::source(shown).path(file).line_start(position.line as usize);
        for (i, (label, span)) in labels.iter().zip(spans).enumerate() {
            let kind = if primary && i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let text = (!label.text.is_empty()).then(|| visible(&label.text));
            snippet = snippet.annotation(kind.span(span).label(text));
        }
        group.element(snippet)
    };
    match presumed {
        Some(p) => {
            let message = format!("this is {}:{} of the original source", visible(p.file), p.line);
            group.element(Level::NOTE.message(message))
        }
        None => group,
    }
}

/// A part of a long line, from a little before the place on.
fn around(line: &str, offset: usize) -> String {
    const BEFORE: usize = 20;
    const ALL: usize = 60;
    let boundary = |at: usize| (0..=at.min(line.len())).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0);
    let start = boundary(offset.saturating_sub(BEFORE));
    source_text(&line[start..boundary(start + ALL)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use norn_ir::source::Loc;

    fn check(diagnostic: impl Fn(Loc) -> Diagnostic, expected: &str) {
        let mut sources = SourceMap::new();
        let id = sources.add("a.c", "int x;\nint y = z;\n".into(), false).unwrap();
        let text = render(&diagnostic(sources.start(id)), &sources, false);
        assert_eq!(text, expected);
    }

    #[test]
    fn shows_the_line_the_place_and_the_help() {
        check(
            |start| Diagnostic::error(start.offset(15), "undeclared name 'z'").covering(1).help("did you mean 'x'?"),
            "\
error: undeclared name 'z'
 --> a.c:2:9
  |
2 | int y = z;
  |         ^
  |
  = help: did you mean 'x'?",
        );
    }

    #[test]
    fn shows_a_second_place() {
        check(
            |start| {
                let here = Diagnostic::error(start.offset(11), "redefinition of 'x'").covering(1).saying("again here");
                here.also(start.offset(4), "first defined here")
            },
            "\
error: redefinition of 'x'
 --> a.c:2:5
  |
2 | int y = z;
  |     ^ again here
  |
 ::: a.c:1:5
  |
1 | int x;
  |     - first defined here",
        );
    }

    #[test]
    fn does_without_a_place() {
        check(|_| Diagnostic::error(Loc::NONE, "cannot read 'b.c'"), "error: cannot read 'b.c'");
    }

    fn shown(text: &str, message: &str, offset: u32) -> String {
        let mut sources = SourceMap::new();
        let id = sources.add("a\x1b[31m.c", text.into(), false).unwrap();
        sources.add_line_mark(sources.start(id), 7, Some("b.c\nnorn: safe (sc)"), false);
        let diagnostic = Diagnostic::error(sources.start(id).offset(offset), message).covering(1).help(message);
        render(&diagnostic, &sources, false)
    }

    #[test]
    fn nothing_repaints_the_terminal() {
        let text = shown("int\t\x1b[2J\u{9b}1m\u{202e} = \u{fc}z;\n", "no '\x1b]0;x\x07' or \n", 16);
        assert!(!text.contains(|c: char| norn_report::visible::is_hidden(c) && c != '\n'), "{text}");
        assert!(text.lines().all(|line| !line.starts_with("norn:")), "{text}");
        assert!(text.contains("error: no '\\x1b]0;x\\x07' or \\n"), "{text}");
        assert!(text.contains("a\\x1b[31m.c:1:14"), "{text}");
        assert!(text.contains("this is b.c\\nnorn: safe (sc):7"), "{text}");
        assert!(text.contains("| int \u{fffd}[2J\u{fffd}1m\u{fffd} = \u{fc}z;\n  |              ^"), "{text}");
    }

    #[test]
    fn what_is_very_long_is_cut() {
        let long = format!("int x = {}1;\n", "\u{fc}0".repeat(5_000_000));
        let text = shown(&long, &long, 5_000_001);
        assert!(text.len() < 3000 && text.contains("in a line of 15000010 bytes: …"), "{text}");
    }
}
