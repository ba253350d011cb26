//! Lines of C that know which line of the source they stand for.

use std::fmt::{Arguments, Write};

#[derive(Default)]
pub struct Text {
    text: String,
    /// How many lines it has.
    lines: usize,
    /// Where the last line begins.
    last: usize,
    /// The file, as it is and as it is quoted, and the line that the next line of text will be taken for.
    next: Option<(String, String, u32)>,
}

impl Text {
    /// A text that will have about so many bytes.
    pub fn with_capacity(bytes: usize) -> Text {
        Text { text: String::with_capacity(bytes), ..Text::default() }
    }

    /// A line that something else writes.
    pub fn line(&mut self, write: impl FnOnce(&mut String)) {
        self.last = self.text.len();
        write(&mut self.text);
        self.end_line();
    }

    /// A statement that goes on the line of the one before if that stands for the same place and has room.
    pub fn more(&mut self, file: &str, line: u32, statement: &str) {
        const WIDEST: usize = 110;
        let last = self.text[self.last..].trim_end();
        let stands_for = self.next.as_ref().is_some_and(|(f, _, n)| *n == line + 1 && f == file);
        // What follows an `if` on its line looks as if it belonged to it.
        let has_room = || last.len() + statement.len() < WIDEST && last.ends_with(';') && !last.contains("if (");
        if stands_for && has_room() {
            self.text.truncate(self.last + last.len());
            self.text.extend([" ", statement, "\n"]);
        } else {
            self.place(file, line);
            self.last = self.text.len();
            self.text.extend(["    ", statement]);
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        self.text.push('\n');
        self.lines += 1;
        if let Some((_, _, number)) = &mut self.next {
            *number += 1;
        }
    }

    /// What follows stands for this place.
    pub fn place(&mut self, file: &str, line: u32) {
        if line == 0 {
            return;
        }
        if self.next.as_ref().is_none_or(|(known, _, _)| known != file) {
            self.next = Some((file.to_owned(), quoted(file), 0));
        }
        if let Some((_, quoted, number)) = &mut self.next
            && *number != line
        {
            self.text.push_str("#line ");
            digits(&mut self.text, u64::from(line));
            self.text.extend([" ", quoted, "\n"]);
            self.lines += 1;
            *number = line;
        }
    }

    /// The text and how many lines it has.
    pub fn finish(self) -> (String, usize) {
        (self.text, self.lines)
    }
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
        let mut text = Text::default();
        text.place("a.c", 3);
        text.line(|line| line.push_str("x;"));
        text.place("a.c", 4);
        text.line(|line| line.push_str("y;"));
        text.place("a.c", 4);
        text.line(|line| line.push_str("z;"));
        assert_eq!(text.finish(), ("#line 3 \"a.c\"\nx;\ny;\n#line 4 \"a.c\"\nz;\n".to_owned(), 5));
        let mut numbers = String::new();
        [0, 7, 10, u64::MAX].into_iter().for_each(|number| digits(&mut numbers, number));
        assert_eq!(numbers, format!("0710{}", u64::MAX));
        assert_eq!(quoted("a\"\n?"), "\"a\\\"\\012\\077\"");
    }
}
