//! Tokens of a litmus file, and a cursor over them.
//!
//! Everything after the opening brace of the initial state is cut into tokens once; the sections differ only in what
//! they make of them. Three dialects: in C, `(*x)` is an expression and `||` an operator; in assembly, `(*` always opens
//! a comment (they nest) and `||` is an empty cell of the table; `#` begins a comment, but for AArch64 a number.

use norn_ir::diag::Diagnostic;
use norn_ir::ids::FileId;
use norn_ir::number::narrow;
use norn_ir::source::Loc;
use norn_ir::span::Span;

/// Deeper nesting of parentheses, blocks or comments is refused.
pub(crate) const MAX_DEPTH: u32 = 200;

pub(crate) type Parsed<T> = Result<T, Diagnostic>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    Assembly,
    /// Assembly where `#` stands before numbers.
    AArch64,
    C,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// Letters, digits, `_`; in assembly also `.` (as in `stwcx.`).
    Word,
    Number,
    Punct,
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    /// Byte offset in the file.
    pub start: u32,
}

impl Token<'_> {
    pub fn is(&self, punct: &str) -> bool {
        self.kind == TokenKind::Punct && self.text == punct
    }

    pub fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text == word
    }
}

const SHARED: &[&str] = &["/\\", "\\/", "==", "!=", "<>", "=>"];
/// Conditions of C tests know these; the code itself is not read token by token.
const C_ONLY: &[&str] = &["&&", "||", "<<"];

/// Cuts `text[from..]` into tokens; the last one is `End`.
pub(crate) fn tokens<'a>(file: &File<'a>, from: usize, dialect: Dialect) -> Parsed<Vec<Token<'a>>> {
    let text = file.text;
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let rest = &bytes[at..];
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' | 0x0c => at += 1,
            _ if rest.starts_with(b"(*") && (opens_comment(rest, dialect) || after_condition(&found)) => {
                at = skip_comment(file, at)?;
            }
            _ if rest.starts_with(b"//") => at += line_length(rest),
            b'#' if dialect == Dialect::Assembly => at += line_length(rest),
            _ if rest.starts_with(b"/*") => match text[at + 2..].find("*/") {
                Some(length) => at += length + 4,
                None => return Err(file.error(start, 2, "this comment is never closed")),
            },
            b'"' => {
                // Quoted remarks between the sections say nothing about the test.
                let length = text[at + 1..].find(['"', '\n']).map_or(text.len() - at, |n| n + 2);
                at += length;
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                at += rest.iter().take_while(|&&b| is_word_byte(b, dialect)).count();
                found.push(Token { kind: TokenKind::Word, text: &text[start..at], start: narrow(start) });
            }
            b'0'..=b'9' => {
                at += rest.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
                found.push(Token { kind: TokenKind::Number, text: &text[start..at], start: narrow(start) });
            }
            0x21..=0x7e => {
                let long = |list: &[&str]| list.iter().find(|p| rest.starts_with(p.as_bytes())).map(|p| p.len());
                let of_c = if dialect == Dialect::C { long(C_ONLY) } else { None };
                at += long(SHARED).or(of_c).unwrap_or(1);
                found.push(Token { kind: TokenKind::Punct, text: &text[start..at], start: narrow(start) });
            }
            _ => {
                let c = text[at..].chars().next().unwrap_or(' ');
                let message = format!("unexpected character '{}'", c.escape_debug());
                return Err(file.error(start, c.len_utf8(), message));
            }
        }
    }
    found.push(Token { kind: TokenKind::End, text: "", start: narrow(text.len()) });
    Ok(found)
}

fn is_word_byte(byte: u8, dialect: Dialect) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || (byte == b'.' && dialect != Dialect::C)
}

/// In C, `(*p)` is an expression: a comment there has white space or another star after its opening.
fn opens_comment(rest: &[u8], dialect: Dialect) -> bool {
    dialect != Dialect::C || rest.get(2).is_none_or(|b| b.is_ascii_whitespace() || *b == b'*')
}

/// Whether the tokens end with a whole condition in parentheses. Only remarks follow, whatever they begin with.
fn after_condition(found: &[Token<'_>]) -> bool {
    if !found.last().is_some_and(|token| token.is(")")) {
        return false;
    }
    let mut open = 0_u32;
    for (index, token) in found.iter().enumerate().rev() {
        if token.is(")") {
            open += 1;
        } else if token.is("(") {
            open -= 1;
        }
        if open == 0 {
            return index > 0 && matches!(found[index - 1].text, "exists" | "forall");
        }
    }
    false
}

fn line_length(rest: &[u8]) -> usize {
    rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())
}

/// The offset after the comment `(* … *)` that begins at `start`.
pub(crate) fn skip_comment(file: &File<'_>, start: usize) -> Parsed<usize> {
    let bytes = file.text.as_bytes();
    let mut depth = 0_u32;
    let mut at = start;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"(*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*)") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Ok(at);
            }
        } else {
            at += 1;
        }
    }
    Err(file.error(start, 2, "this comment is never closed").help("comments '(* … *)' nest"))
}

/// The text of a file with what is needed to point into it.
pub(crate) struct File<'a> {
    pub text: &'a str,
    pub base: Loc,
    line_starts: Vec<u32>,
}

impl<'a> File<'a> {
    pub fn new(text: &'a str, base: Loc) -> File<'a> {
        let breaks = text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| narrow(i) + 1);
        File { text, base, line_starts: std::iter::once(0).chain(breaks).collect() }
    }

    pub fn loc(&self, offset: usize) -> Loc {
        self.base.offset(narrow(offset.min(self.text.len())))
    }

    /// Columns count characters, up to a length beyond which nobody counts them (keeps this cheap on endless lines).
    pub fn span(&self, offset: u32) -> Span {
        const LONG_LINE: u32 = 4096;
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts[line - 1];
        let column = if offset - start > LONG_LINE {
            offset - start
        } else {
            narrow(self.text.as_bytes()[start as usize..offset as usize].iter().filter(|&&b| b & 0xC0 != 0x80).count())
        };
        Span { file: FileId(0), line: narrow(line), column: column + 1 }
    }

    pub fn error(&self, offset: usize, length: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.loc(offset), message).covering(narrow(length))
    }

    pub fn error_at(&self, token: Token<'_>, message: impl Into<String>) -> Diagnostic {
        self.error(token.start as usize, token.text.len(), message)
    }

    pub fn unsupported_at(&self, token: Token<'_>, message: impl Into<String>) -> Diagnostic {
        self.unsupported_at_offset(token.start, message).covering(narrow(token.text.len()))
    }

    pub fn unsupported_at_offset(&self, start: u32, message: impl Into<String>) -> Diagnostic {
        Diagnostic::unsupported(self.loc(start as usize), message)
    }
}

/// A position in a list of tokens.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'t, 'a> {
    pub file: &'t File<'a>,
    tokens: &'t [Token<'a>],
    next: usize,
}

impl<'t, 'a> Cursor<'t, 'a> {
    /// `tokens` ends with `End`.
    pub fn new(file: &'t File<'a>, tokens: &'t [Token<'a>]) -> Cursor<'t, 'a> {
        Cursor { file, tokens, next: 0 }
    }

    /// How many tokens stand before the next one.
    pub fn position(&self) -> usize {
        self.next
    }

    pub fn peek(&self) -> Token<'a> {
        self.peek_at(0)
    }

    pub fn peek_at(&self, ahead: usize) -> Token<'a> {
        self.tokens[(self.next + ahead).min(self.tokens.len() - 1)]
    }

    pub fn bump(&mut self) -> Token<'a> {
        let token = self.peek();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    pub fn at_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }

    pub fn eat(&mut self, punct: &str) -> bool {
        let found = self.peek().is(punct);
        if found {
            self.bump();
        }
        found
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek().is_word(word);
        if found {
            self.bump();
        }
        found
    }

    pub fn expect(&mut self, punct: &str, place: &str) -> Parsed<Token<'a>> {
        if self.peek().is(punct) { Ok(self.bump()) } else { Err(self.unexpected(&format!("'{punct}' {place}"))) }
    }

    pub fn word(&mut self, what: &str) -> Parsed<Token<'a>> {
        if self.peek().kind == TokenKind::Word { Ok(self.bump()) } else { Err(self.unexpected(what)) }
    }

    /// What stands here is not `what`, which should stand here.
    pub fn unexpected(&self, what: &str) -> Diagnostic {
        let token = self.peek();
        match token.kind {
            TokenKind::End => self
                .file
                .error_at(token, format!("the file ends where {what} should stand"))
                .help("the file may have been cut off"),
            _ => self.file.error_at(token, format!("expected {what}, found '{}'", token.text)),
        }
    }

    /// A number without sign, decimal or hexadecimal.
    pub fn unsigned(&mut self) -> Parsed<u64> {
        let token = self.peek();
        if token.kind != TokenKind::Number {
            return Err(self.unexpected("a number"));
        }
        self.bump();
        number(self.file, token)
    }

    /// A number with an optional sign, as 64 bits in two's complement.
    pub fn integer(&mut self) -> Parsed<i64> {
        let negative = self.eat("-");
        if !negative {
            self.eat("+");
        }
        let value = self.unsigned()? as i64;
        Ok(if negative { value.wrapping_neg() } else { value })
    }
}

pub(crate) fn number(file: &File<'_>, token: Token<'_>) -> Parsed<u64> {
    let digits = token.text.trim_end_matches(['u', 'U', 'l', 'L']);
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    value.map_err(|_| {
        file.error_at(token, format!("'{}' is not a number of at most 64 bits", token.text))
            .help("numbers are decimal or begin with 0x")
    })
}
