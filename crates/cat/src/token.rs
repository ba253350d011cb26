//! Cuts the text of a model into tokens.

use norn_ir::diag::Diagnostic;
use norn_ir::number::narrow;
use norn_ir::source::Loc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Letters, digits, `_`, `.` and `-`: `po-loc`, `DMB.SY`.
    Name,
    /// `'mb`.
    Tag,
    /// In quotes; the text is what stands between them.
    Quoted,
    Punct,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub loc: Loc,
}

impl Token<'_> {
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Punct | Kind::Name) && self.text == text
    }
}

const LONG: [&str; 6] = ["^-1", "^+", "^*", "^?", "->", "||"];

/// `base` is where the text begins. The last token is the end.
pub(crate) fn tokens(text: &str, base: Loc) -> Result<Vec<Token<'_>>, Diagnostic> {
    let bytes = text.as_bytes();
    let loc = |at: usize| base.offset(narrow(at));
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let rest = &bytes[at..];
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            _ if rest.starts_with(b"//") => at += rest.iter().take_while(|&&b| b != b'\n').count(),
            _ if rest.starts_with(b"(*") => at = comment(bytes, at).ok_or_else(|| not_closed(loc(at), "comment"))?,
            b'"' => {
                let length = text[at + 1..].find('"').ok_or_else(|| not_closed(loc(start), "text in quotes"))?;
                found.push(Token { kind: Kind::Quoted, text: &text[at + 1..at + 1 + length], loc: loc(start) });
                at += length + 2;
            }
            b'\'' => {
                let length = name_length(&rest[1..]);
                if length == 0 {
                    return Err(Diagnostic::error(loc(start), "a tag is a quote and a name, such as 'acquire"));
                }
                at += 1 + length;
                found.push(Token { kind: Kind::Tag, text: &text[start + 1..at], loc: loc(start) });
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                at += name_length(rest);
                found.push(Token { kind: Kind::Name, text: &text[start..at], loc: loc(start) });
            }
            0x21..=0x7e => {
                at += LONG.iter().find(|long| rest.starts_with(long.as_bytes())).map_or(1, |long| long.len());
                found.push(Token { kind: Kind::Punct, text: &text[start..at], loc: loc(start) });
            }
            _ => {
                let c = text[at..].chars().next().unwrap_or(' ');
                let message = format!("unexpected character '{}'", c.escape_debug());
                return Err(Diagnostic::error(loc(at), message).covering(narrow(c.len_utf8())));
            }
        }
    }
    found.push(Token { kind: Kind::End, text: "", loc: loc(text.len()) });
    Ok(found)
}

/// A name has dots and dashes only before further letters, so that `r^-1` and the end of a sentence are none.
fn name_length(bytes: &[u8]) -> usize {
    let is_plain = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let mut length = 0;
    while let Some(b) = bytes.get(length) {
        let goes_on = is_plain(b) || (matches!(b, b'.' | b'-') && bytes.get(length + 1).is_some_and(is_plain));
        if !goes_on {
            break;
        }
        length += 1;
    }
    length
}

/// Comments nest. The place after the one that begins at `at`.
fn comment(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        let rest = bytes.get(at..)?;
        if rest.starts_with(b"(*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*)") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else if rest.is_empty() {
            return None;
        } else {
            at += 1;
        }
    }
}

fn not_closed(loc: Loc, what: &str) -> Diagnostic {
    Diagnostic::error(loc, format!("this {what} is never closed"))
}
