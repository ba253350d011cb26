//! Diagnostics as text: the source line, what is wrong there, and what to do about it.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use norn_ir::diag::{Diagnostic, Label, Severity};
use norn_ir::source::SourceMap;

/// A longer line (generated code) is named, not shown.
const LONGEST_LINE: usize = 400;

/// Renders one diagnostic, with colours if asked for.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Warning => Level::WARNING,
        Severity::Unsupported => Level::ERROR.with_name("unsupported"),
        Severity::Error => Level::ERROR,
    };
    let mut group = level.primary_title(&diagnostic.message).elements(Vec::<Origin<'_>>::new());
    for (i, labels) in same_line(&diagnostic.labels, sources).into_iter().enumerate() {
        group = excerpt(group, &labels, i == 0, sources);
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
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
    let group = if line.len() > LONGEST_LINE {
        let (row, column) = (position.line as usize, position.column as usize);
        group.element(Origin::path(position.file).line(row).char_column(column))
    } else {
        let mut snippet = Snippet::source(line).path(position.file).line_start(position.line as usize);
        for (i, label) in labels.iter().enumerate() {
            let kind = if primary && i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let start = sources.offset_in_line(label.loc).min(line.len());
            let end = (start + (label.len as usize).max(1)).min(line.len()).max(start);
            let text = (!label.text.is_empty()).then_some(label.text.as_str());
            snippet = snippet.annotation(kind.span(start..end).label(text));
        }
        group.element(snippet)
    };
    match presumed {
        Some(p) => group.element(Level::NOTE.message(format!("this is {}:{} of the original source", p.file, p.line))),
        None => group,
    }
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
}
