//! Tokens with line splices, universal character names or characters outside ASCII: spelled into a buffer.

use super::chars::{CLASS, IDENT, in_identifier};
use super::{Flags, Lexer, PpKind, PpToken, is_literal_prefix};
use crate::session::Session;

impl Lexer<'_> {
    /// An identifier, a literal whose prefix is spliced, or a character that begins no token.
    pub(super) fn slow_identifier(&mut self, session: &mut Session, start: usize, flags: Flags) -> PpToken {
        let mut spelling = String::new();
        let mut end = start;
        loop {
            if let Some(after) = self.splice(end) {
                end = after;
                continue;
            }
            let byte = self.byte(end);
            if CLASS[byte as usize] & IDENT != 0 && !(spelling.is_empty() && byte.is_ascii_digit()) {
                spelling.push(char::from(byte));
                end += 1;
            } else if let Some((c, after)) = self.extended_char(end, spelling.is_empty()) {
                spelling.push(c);
                end = after;
            } else {
                break;
            }
        }
        if spelling.is_empty() {
            let width = self.text[start..].chars().next().map_or(1, char::len_utf8);
            let symbol = session.symbols.intern(&self.text[start..start + width]);
            return self.token(PpKind::Stray(symbol), start, start + width, flags);
        }
        if matches!(self.byte(end), b'"' | b'\'') && is_literal_prefix(&spelling) {
            return self.slow_quoted(session, start, flags);
        }
        let symbol = session.symbols.intern(&spelling);
        self.token(PpKind::Ident(symbol), start, end, flags)
    }

    /// A character of an identifier that is not ASCII or is written as a universal character name.
    fn extended_char(&self, pos: usize, first: bool) -> Option<(char, usize)> {
        let (c, after) = match self.byte(pos) {
            0x80.. => {
                let c = self.text[pos..].chars().next()?;
                (c, pos + c.len_utf8())
            }
            b'\\' => {
                let digits = match self.byte(pos + 1) {
                    b'u' => 4,
                    b'U' => 8,
                    _ => return None,
                };
                let end = pos + 2 + digits;
                let hex = self.bytes.get(pos + 2..end).and_then(|hex| std::str::from_utf8(hex).ok())?;
                if !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
                    return None;
                }
                (char::from_u32(u32::from_str_radix(hex, 16).ok()?)?, end)
            }
            _ => return None,
        };
        in_identifier(c, first).then_some((c, after))
    }

    pub(super) fn slow_number(&mut self, session: &mut Session, start: usize, flags: Flags) -> PpToken {
        let mut spelling = String::new();
        let mut end = start;
        loop {
            if let Some(after) = self.splice(end) {
                end = after;
                continue;
            }
            let byte = self.byte(end);
            let exponent = spelling.ends_with(['e', 'E', 'p', 'P']);
            if byte == b'.' || CLASS[byte as usize] & IDENT != 0 || (matches!(byte, b'+' | b'-') && exponent) {
                spelling.push(char::from(byte));
                end += 1;
            } else if let Some((c, after)) = self.extended_char(end, false) {
                spelling.push(c);
                end = after;
            } else {
                break;
            }
        }
        let symbol = session.symbols.intern(&spelling);
        self.token(PpKind::Number(symbol), start, end, flags)
    }

    /// A character constant or string literal that begins at `start` with its prefix.
    pub(super) fn slow_quoted(&mut self, session: &mut Session, start: usize, flags: Flags) -> PpToken {
        let mut spelling = String::new();
        let mut end = start;
        let mut close = None;
        let mut escaped = false;
        loop {
            if let Some(after) = self.splice(end) {
                end = after;
                continue;
            }
            let Some(c) = self.text[end..].chars().next().filter(|&c| c != '\n') else {
                let symbol = session.symbols.intern(spelling.trim_end());
                return self.token(PpKind::Stray(symbol), start, end, flags);
            };
            spelling.push(c);
            end += c.len_utf8();
            match close {
                None if matches!(c, '"' | '\'') => close = Some(c),
                None => {}
                Some(_) if escaped => escaped = false,
                Some(_) if c == '\\' => escaped = true,
                Some(close) if c == close => break,
                Some(_) => {}
            }
        }
        let symbol = session.symbols.intern(&spelling);
        let kind = if close == Some('"') { PpKind::Str(symbol) } else { PpKind::Char(symbol) };
        self.token(kind, start, end, flags)
    }
}
