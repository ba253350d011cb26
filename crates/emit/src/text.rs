//! Lines of C that know which line of the source they stand for.

use norn_ir::ids::FileId;
use norn_ir::span::Span;
use std::fmt::{Arguments, Write};

pub struct Text<'f> {
    /// By file: its name as a C string literal.
    files: &'f [String],
    text: String,
    /// How many lines it has.
    lines: usize,
    /// Where the last line begins.
    last: usize,
    /// Whether a statement may go on that line: what follows an `if` there looks as if it belonged to it.
    is_open: bool,
    /// The file and the line that the next line of text will be taken for.
    next: Option<(FileId, u32)>,
}

impl<'f> Text<'f> {
    /// A text that will have about so many bytes.
    pub fn new(files: &'f [String], bytes: usize) -> Text<'f> {
        Text { files, text: String::with_capacity(bytes), lines: 0, last: 0, is_open: false, next: None }
    }

    /// A line that something else writes; no statement goes on it.
    pub fn line(&mut self, write: impl FnOnce(&mut String)) {
        self.last = self.text.len();
        write(&mut self.text);
        self.end_line("");
    }

    /// A line that stands for a place and ends in a statement.
    pub fn labelled(&mut self, place: Span, label: impl FnOnce(&mut String), statement: &str) {
        self.place(place);
        self.last = self.text.len();
        label(&mut self.text);
        self.text.push_str(statement);
        self.end_line(statement);
    }

    /// A statement that goes on the line of the one before if that stands for the same place and has room.
    pub fn more(&mut self, place: Span, statement: &str) {
        const WIDEST: usize = 110;
        let stands_for = self.next == Some((place.file, place.line + 1));
        if stands_for && self.is_open && self.text.len() - self.last + statement.len() <= WIDEST {
            // The end of the line becomes a space.
            self.text.pop();
            self.text.extend([" ", statement, "\n"]);
            self.is_open = is_open_behind(statement);
        } else {
            self.labelled(place, |line| line.push_str("    "), statement);
        }
    }

    fn end_line(&mut self, statement: &str) {
        self.is_open = is_open_behind(statement);
        self.text.push('\n');
        self.lines += 1;
        if let Some((_, number)) = &mut self.next {
            *number += 1;
        }
    }

    /// What follows stands for this place.
    fn place(&mut self, place: Span) {
        if place.line == 0 || self.next == Some((place.file, place.line)) {
            return;
        }
        self.text.push_str("#line ");
        digits(&mut self.text, u64::from(place.line));
        let file = self.files.get(place.file.index()).map_or("\"\"", String::as_str);
        self.text.extend([" ", file, "\n"]);
        self.lines += 1;
        self.next = Some((place.file, place.line));
    }

    /// The text and how many lines it has.
    pub fn finish(self) -> (String, usize) {
        (self.text, self.lines)
    }
}

fn is_open_behind(statement: &str) -> bool {
    statement.ends_with(';') && !statement.starts_with("if (")
}

/// Adds to a text.
pub fn put(text: &mut String, what: Arguments<'_>) {
    text.write_fmt(what).expect("writing to a string should not fail");
}

/// Adds a number. Texts have very many of them; this takes a tenth of the time of formatting.
pub fn digits(text: &mut String, mut number: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    while number > 0 || first == digits.len() {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    text.push_str(std::str::from_utf8(&digits[first..]).unwrap_or_default());
}

/// A C string literal.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                quoted.push('\\');
                quoted.push(char::from(byte));
            }
            // A question mark could begin a trigraph.
            b' '..=b'~' if byte != b'?' => quoted.push(char::from(byte)),
            _ => put(&mut quoted, format_args!("\\{byte:03o}")),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_said_once() {
        let files = ["a.c", "b.c"].map(quoted);
        let mut text = Text::new(&files, 0);
        let place = |file, line| Span { file: FileId(file), line, column: 0 };
        text.labelled(place(0, 3), |_| (), "x;");
        text.labelled(place(0, 4), |_| (), "y;");
        text.labelled(place(0, 4), |line| line.push_str("L: "), "z;");
        text.more(place(0, 4), "if (a) goto b;");
        text.more(place(0, 4), "c;");
        text.more(place(1, 4), "d;");
        text.more(place(1, 4), "e;");
        let expected = "#line 3 \"a.c\"\nx;\ny;\n#line 4 \"a.c\"\nL: z; if (a) goto b;\n\
                        #line 4 \"a.c\"\n    c;\n#line 4 \"b.c\"\n    d; e;\n";
        assert_eq!(text.finish(), (expected.to_owned(), 9));
        let mut numbers = String::new();
        [0, 7, 10, u64::MAX].into_iter().for_each(|number| digits(&mut numbers, number));
        assert_eq!(numbers, format!("0710{}", u64::MAX));
        assert_eq!(quoted("a\"\n?"), "\"a\\\"\\012\\077\"");
    }
}
