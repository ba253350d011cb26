//! The texts that a program was read from, by the lines that they really have: witnesses count those, also in preprocessed files,
//! while traces follow the line markers.

use norn_ir::ids::FileId;
use norn_ir::span::Span;
use std::collections::BTreeMap;

/// The texts of the user's files.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    pub files: Vec<Text>,
    /// By the line that the text presumes to be: the file, and the line in it.
    pub lines: BTreeMap<(FileId, u32), Line>,
}

#[derive(Clone, Debug)]
pub struct Text {
    pub name: String,
    pub lines: Vec<String>,
    /// By line, the number of its statement: lines of one number belong together, as far as punctuation tells.
    statements: Vec<u32>,
}

/// A line of a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Line {
    pub file: usize,
    /// From 1.
    pub number: u32,
}

/// A place for a person: line and column from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    pub line: u32,
    pub column: Option<u32>,
}

impl Text {
    pub fn new(name: String, lines: Vec<String>) -> Text {
        let mut number = 0;
        let mut in_comment = false;
        let mut statements = Vec::with_capacity(lines.len());
        for line in &lines {
            let bare = without_comments(line, &mut in_comment);
            let bare = bare.trim();
            let stands_alone = bare.is_empty() || bare.starts_with('#');
            if stands_alone {
                number += 1;
            }
            statements.push(number);
            if stands_alone || bare.ends_with([';', '{', '}', ':']) {
                number += 1;
            }
        }
        Text { name, lines, statements }
    }

    fn line(&self, number: u32) -> Option<&str> {
        self.lines.get(index(number)?).map(String::as_str)
    }

    /// Whether two lines belong to one statement, as far as punctuation tells.
    pub fn is_one_statement(&self, one: u32, other: u32) -> bool {
        let statement = |line: u32| self.statements.get(index(line)?);
        one == other || matches!((statement(one), statement(other)), (Some(a), Some(b)) if a == b)
    }
}

fn index(line: u32) -> Option<usize> {
    usize::try_from(line).ok()?.checked_sub(1)
}

fn without_comments(line: &str, in_comment: &mut bool) -> String {
    let mut bare = String::new();
    let mut rest = line;
    loop {
        if *in_comment {
            let Some(end) = rest.find("*/") else { return bare };
            rest = &rest[end + 2..];
            *in_comment = false;
        }
        let (block, line_end) = (rest.find("/*"), rest.find("//"));
        match (block, line_end) {
            (_, Some(end)) if block.is_none_or(|block| end < block) => return bare + &rest[..end],
            (Some(begin), _) => {
                bare += &rest[..begin];
                rest = &rest[begin + 2..];
                *in_comment = true;
            }
            _ => return bare + rest,
        }
    }
}

impl Texts {
    /// Where a span really is.
    pub fn line(&self, span: Span) -> Option<Line> {
        self.lines.get(&(span.file, span.line)).copied()
    }

    pub fn name(&self, line: Line) -> &str {
        self.files.get(line.file).map_or("", |file| &file.name)
    }

    pub fn text(&self, line: Line) -> &str {
        self.files.get(line.file).and_then(|file| file.line(line.number)).unwrap_or_default()
    }

    pub fn is_one_statement(&self, one: Line, other: Line) -> bool {
        one.file == other.file
            && self.files.get(one.file).is_some_and(|file| file.is_one_statement(one.number, other.number))
    }

    /// The parenthesis that closes the call that begins at a place, if the text there looks like a call.
    pub fn closing_parenthesis(&self, span: Span) -> Option<Point> {
        const MOST_LINES: u32 = 200;
        let line = self.line(span)?;
        let file = self.files.get(line.file)?;
        let skipped = usize::try_from(span.column).ok()?.checked_sub(1)?;
        let mut depth = 0u32;
        let mut quote = None;
        for number in line.number..line.number.saturating_add(MOST_LINES) {
            let text = file.line(number)?;
            let from = if number == line.number { skipped } else { 0 };
            let mut column = 0u32;
            let mut characters = text.chars().peekable();
            while let Some(c) = characters.next() {
                column += 1;
                if (column as usize) <= from {
                    continue;
                }
                match (quote, c) {
                    (Some(_), '\\') => {
                        characters.next();
                        column += 1;
                    }
                    (Some(open), c) if c == open => quote = None,
                    (Some(_), _) => {}
                    (None, '/') if characters.peek() == Some(&'/') => break,
                    (None, '"' | '\'') if depth > 0 => quote = Some(c),
                    (None, '(') => depth += 1,
                    (None, ')') if depth == 1 => return Some(Point { line: number, column: Some(column) }),
                    (None, ')') => depth = depth.checked_sub(1)?,
                    (None, c) if depth == 0 && !(c.is_alphanumeric() || c == '_' || c.is_whitespace()) => return None,
                    _ => {}
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Texts {
        let lines = text.lines().map(str::to_owned).collect::<Vec<_>>();
        let count = u32::try_from(lines.len()).expect("a short text");
        let of = |number| ((FileId(0), number), Line { file: 0, number });
        Texts { files: vec![Text::new("a.c".to_owned(), lines)], lines: (1..=count).map(of).collect() }
    }

    #[test]
    fn statements_end_with_punctuation() {
        let texts = texts("int x; /* one\n two */\nf(a,\n  b); // ;\nif (a)\n  x = 1;\n\n}\n");
        let is_one = |a, b| texts.files[0].is_one_statement(a, b);
        assert!(is_one(3, 4) && is_one(5, 6));
        assert!(!is_one(1, 3) && !is_one(4, 5) && !is_one(6, 7) && !is_one(7, 8));
        assert!(!is_one(1, 99) && is_one(99, 99));
    }

    #[test]
    fn calls_end_with_a_parenthesis() {
        let texts = texts("x = f(a, \")\", (b));\ng(1,\n  h(2) // )\n  );\ny + 1;\n");
        let closing = |line, column| {
            let found = texts.closing_parenthesis(Span { file: FileId(0), line, column });
            found.map(|point| (point.line, point.column.expect("a column")))
        };
        assert_eq!(closing(1, 5), Some((1, 18)));
        assert_eq!(closing(2, 1), Some((4, 3)));
        assert_eq!(closing(3, 3), Some((3, 6)));
        assert_eq!(closing(5, 1), None);
        assert_eq!(closing(99, 1), None);
    }
}
