//! Tokens of the text form. A line break is a token: an instruction ends with its line.

use std::str::Chars;

use super::ParseError;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// A word: mnemonics and ids. A dot belongs to it when a letter follows (`lt.s`).
    Word(&'a str),
    /// Begins with a digit; what it means depends on the type that is wanted.
    Number(&'a str),
    /// The bytes of a string, with its escapes resolved.
    String(Vec<u8>),
    Punct(char),
    /// `->`
    Arrow,
    LineEnd,
    End,
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    rest: Chars<'a>,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, rest: text.chars() }
    }

    /// The next token and the byte offset where it begins.
    pub fn next(&mut self) -> Result<(Token<'a>, usize), ParseError> {
        self.skip_blanks();
        let start = self.offset();
        let Some(first) = self.rest.next() else { return Ok((Token::End, start)) };
        let token = match first {
            '\n' => Token::LineEnd,
            '"' => Token::String(self.string(start)?),
            '-' if self.peek() == Some('>') => {
                self.rest.next();
                Token::Arrow
            }
            c if c.is_ascii_alphabetic() || c == '_' => Token::Word(self.word(start)),
            c if c.is_ascii_digit() => Token::Number(self.number(start)),
            c if c.is_ascii_punctuation() => Token::Punct(c),
            c => return Err(self.error(start, format!("the character '{}' means nothing here", c.escape_default()))),
        };
        Ok((token, start))
    }

    pub fn error(&self, offset: usize, message: impl Into<String>) -> ParseError {
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        ParseError {
            line: before.bytes().filter(|&b| b == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }

    fn offset(&self) -> usize {
        self.text.len() - self.rest.as_str().len()
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest.as_str();
            if rest.starts_with([' ', '\t', '\r']) {
                self.rest.next();
            } else if rest.starts_with("//") {
                let length = rest.find('\n').unwrap_or(rest.len());
                self.rest = rest[length..].chars();
            } else {
                return;
            }
        }
    }

    fn word(&mut self, start: usize) -> &'a str {
        loop {
            let mut ahead = self.rest.clone();
            match ahead.next() {
                Some(c) if c.is_ascii_alphanumeric() || c == '_' => {}
                Some('.') if ahead.next().is_some_and(|c| c.is_ascii_alphabetic()) => {}
                _ => return &self.text[start..self.offset()],
            }
            self.rest.next();
        }
    }

    fn number(&mut self, start: usize) -> &'a str {
        let is_hex = self.text[start..].starts_with("0x");
        let mut last = '0';
        while let Some(c) = self.peek() {
            let is_exponent_sign = !is_hex && matches!(last, 'e' | 'E') && matches!(c, '+' | '-');
            if !c.is_ascii_alphanumeric() && c != '.' && !is_exponent_sign {
                break;
            }
            last = c;
            self.rest.next();
        }
        &self.text[start..self.offset()]
    }

    /// The rest of a string after its opening quote.
    fn string(&mut self, start: usize) -> Result<Vec<u8>, ParseError> {
        let mut bytes = Vec::new();
        loop {
            let at = self.offset();
            match self.rest.next() {
                Some('"') => return Ok(bytes),
                None | Some('\n') => return Err(self.error(start, "the string is not closed on its line")),
                Some('\\') => match self.rest.next() {
                    Some('n') => bytes.push(b'\n'),
                    Some('t') => bytes.push(b'\t'),
                    Some('r') => bytes.push(b'\r'),
                    Some('0') => bytes.push(0),
                    Some('"') => bytes.push(b'"'),
                    Some('\\') => bytes.push(b'\\'),
                    Some('x') => {
                        let digits = self.rest.as_str().get(..2).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
                        let Some(byte) = digits.and_then(|d| u8::from_str_radix(d, 16).ok()) else {
                            return Err(self.error(at, "'\\x' takes two hexadecimal digits"));
                        };
                        bytes.push(byte);
                        self.rest.nth(1);
                    }
                    Some('u') => push_char(&mut bytes, self.unicode(at)?),
                    _ => return Err(self.error(at, "there is no such escape in a string")),
                },
                Some(c) => push_char(&mut bytes, c),
            }
        }
    }

    /// The rest of `\u{…}`.
    fn unicode(&mut self, at: usize) -> Result<char, ParseError> {
        let rest = self.rest.as_str();
        let digits = rest.strip_prefix('{').and_then(|r| r.split_once('}')).map(|(digits, _)| digits);
        let value = digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let value = value.and_then(|d| u32::from_str_radix(d, 16).ok()).and_then(char::from_u32);
        match (digits, value) {
            (Some(digits), Some(c)) => {
                self.rest = rest[digits.len() + 2..].chars();
                Ok(c)
            }
            _ => Err(self.error(at, "'\\u' takes the number of a character in braces")),
        }
    }
}

fn push_char(bytes: &mut Vec<u8>, c: char) {
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}
