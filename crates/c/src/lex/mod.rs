//! The lexer: preprocessing tokens of one text.
//!
//! It is driven by bytes and a table of character classes. Nothing is copied: a spelling is interned straight from the
//! text. Only a token with a line splice, a universal character name or a character outside ASCII takes the
//! slow way through a buffer. Keywords, values of literals and directives are not its business; trigraphs are not
//! translated, and raw strings (`R"…"`) are not known, as in GCC without a GNU dialect of C++.

mod chars;
mod skip;
mod slow;
#[cfg(test)]
mod tests;

use crate::intern::{Interner, Symbol};
use crate::session::Session;
use crate::token::Punct;
use chars::{BLANK, CLASS, DIGIT, GAP, IDENT, IDENT_START};
use norn_ir::diag::Diagnostic;
use norn_ir::number::narrow;
use norn_ir::source::Loc;

/// A preprocessing token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PpToken {
    pub kind: PpKind,
    pub loc: Loc,
    /// Bytes covered at `loc`, as far as they fit.
    pub len: u16,
    pub flags: Flags,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PpKind {
    Ident(Symbol),
    Number(Symbol),
    Char(Symbol),
    Str(Symbol),
    Punct(Punct),
    /// What stands between `<` and `>` where a header name is expected.
    Header(Symbol),
    /// A character that begins no token, or an unclosed quote with the rest of its line. An error only if it
    /// survives preprocessing.
    Stray(Symbol),
    /// The end of the text, of the line in a directive, or of the tokens being expanded.
    Eof,
}

/// What is known about a token besides its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags(u8);

impl Flags {
    pub const NONE: Flags = Flags(0);
    /// White space (or a line break) stands before it.
    pub const SPACE: Flags = Flags(1);
    /// It is the first on its line.
    pub const LINE_START: Flags = Flags(2);
    /// The name of a macro that was met inside its own expansion: never to be expanded again.
    pub const NO_EXPAND: Flags = Flags(4);
    /// Spelled as a digraph.
    pub const DIGRAPH: Flags = Flags(8);

    pub fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    pub fn with(self, flag: Flags) -> Flags {
        Flags(self.0 | flag.0)
    }

    pub fn without(self, flag: Flags) -> Flags {
        Flags(self.0 & !flag.0)
    }
}

impl PpToken {
    pub const EOF: PpToken = PpToken { kind: PpKind::Eof, loc: Loc::NONE, len: 0, flags: Flags::NONE };

    pub fn is(&self, punct: Punct) -> bool {
        self.kind == PpKind::Punct(punct)
    }

    pub fn space_before(&self) -> bool {
        self.flags.has(Flags::SPACE)
    }

    pub fn spelling<'a>(&self, symbols: &'a Interner) -> &'a str {
        match self.kind {
            PpKind::Ident(s) | PpKind::Number(s) | PpKind::Char(s) | PpKind::Str(s) | PpKind::Stray(s) => {
                symbols.name(s)
            }
            PpKind::Header(s) => symbols.name(s),
            PpKind::Punct(p) if self.flags.has(Flags::DIGRAPH) => digraph_spelling(p),
            PpKind::Punct(p) => p.spelling(),
            PpKind::Eof => "",
        }
    }
}

fn digraph_spelling(punct: Punct) -> &'static str {
    let mut spellings = Punct::SPELLINGS.iter().filter(|(_, p)| *p == punct);
    spellings.next_back().map_or(punct.spelling(), |(spelling, _)| spelling)
}

/// A reading position in a text. Cheap to make: whoever owns the text keeps `pos` and makes a lexer when needed.
pub struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    pos: usize,
    base: Loc,
    /// In a directive a line break is the end.
    in_directive: bool,
}

impl<'t> Lexer<'t> {
    /// A lexer that goes on at offset `pos` of a text that begins at `base`.
    pub fn new(text: &'t str, pos: usize, base: Loc) -> Lexer<'t> {
        Lexer { text, bytes: text.as_bytes(), pos, base, in_directive: false }
    }

    /// The same for a directive: the line break ends the tokens and is not consumed.
    pub fn in_directive(text: &'t str, pos: usize, base: Loc) -> Lexer<'t> {
        Lexer { in_directive: true, ..Lexer::new(text, pos, base) }
    }

    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Where the next line begins, when the lexer stands at the end of one. `None` at the end of the text.
    pub fn next_line(&self) -> Option<Loc> {
        (self.byte(self.pos) == b'\n').then(|| self.base.offset(narrow(self.pos) + 1))
    }

    /// From here on a line break is the end, or no longer is.
    pub fn set_in_directive(&mut self, in_directive: bool) {
        self.in_directive = in_directive;
    }

    /// The next token; `Eof` again and again at the end.
    #[inline]
    pub fn next(&mut self, session: &mut Session) -> PpToken {
        let flags = self.skip_blanks(session);
        let start = self.pos;
        let first = self.byte(start);
        let class = CLASS[first as usize];
        if class & IDENT_START != 0 {
            self.identifier(session, start, flags)
        } else if class & DIGIT != 0 {
            self.number(session, start, flags)
        } else {
            match first {
                b'"' | b'\'' => self.quoted(session, start, start, flags),
                b'\\' | 0x80.. => self.slow_identifier(session, start, flags),
                _ if start >= self.bytes.len() || first == b'\n' => self.token(PpKind::Eof, start, start, flags),
                _ => self.punctuator(session, start, flags),
            }
        }
    }

    /// A header name (`<…>`, or `"…"` without escapes) if one stands here on the same line; else nothing is consumed
    /// but white space.
    pub fn header_name(&mut self, session: &mut Session) -> Option<PpToken> {
        let flags = self.skip_blanks(session);
        let start = self.pos;
        let close = match self.byte(start) {
            b'<' => b'>',
            b'"' => b'"',
            _ => return None,
        };
        let rest = &self.bytes[start + 1..];
        let len = rest.iter().position(|&b| b == close || b == b'\n')?;
        if rest[len] == b'\n' {
            return None;
        }
        let end = start + len + 2;
        let kind = if close == b'>' {
            PpKind::Header(session.symbols.intern(&self.text[start + 1..end - 1]))
        } else {
            PpKind::Str(session.symbols.intern(&self.text[start..end]))
        };
        Some(self.token(kind, start, end, flags))
    }

    /// The byte at `pos`, 0 behind the end.
    #[inline]
    fn byte(&self, pos: usize) -> u8 {
        self.bytes.get(pos).copied().unwrap_or(0)
    }

    /// The byte at `pos` with line splices removed, and the position behind it.
    #[inline]
    fn at(&self, pos: usize) -> (u8, usize) {
        let byte = self.byte(pos);
        if byte != b'\\' {
            return (byte, pos + 1);
        }
        let mut pos = pos;
        while let Some(after) = self.splice(pos) {
            pos = after;
        }
        (self.byte(pos), pos + 1)
    }

    /// The position behind a line splice at `pos`: a backslash, perhaps blanks, and a line break.
    fn splice(&self, pos: usize) -> Option<usize> {
        if self.byte(pos) != b'\\' {
            return None;
        }
        let mut end = pos + 1;
        while CLASS[self.byte(end) as usize] & BLANK != 0 {
            end += 1;
        }
        (self.byte(end) == b'\n').then_some(end + 1)
    }

    #[inline]
    fn token(&mut self, kind: PpKind, start: usize, end: usize, flags: Flags) -> PpToken {
        self.pos = end;
        let len = u16::try_from(end - start).unwrap_or(u16::MAX);
        PpToken { kind, loc: self.base.offset(narrow(start)), len, flags }
    }

    #[inline]
    fn skip_blanks(&mut self, session: &mut Session) -> Flags {
        let flags = if self.pos == 0 { Flags::LINE_START } else { Flags::NONE };
        match CLASS[self.byte(self.pos) as usize] & GAP {
            0 => flags,
            _ => self.skip_gap(session, flags),
        }
    }

    /// Skips white space and comments, where there are any; adds to what is known about the token behind them.
    fn skip_gap(&mut self, session: &mut Session, mut flags: Flags) -> Flags {
        loop {
            let mut pos = self.pos;
            while let Some(&byte) = self.bytes.get(pos)
                && CLASS[byte as usize] & BLANK != 0
            {
                flags = flags.with(Flags::SPACE);
                pos += 1;
            }
            self.pos = pos;
            match self.byte(pos) {
                b'\n' if !self.in_directive => {
                    flags = flags.with(Flags::SPACE).with(Flags::LINE_START);
                    self.pos += 1;
                }
                b'/' => {
                    match self.at(self.pos + 1) {
                        (b'/', after) => self.skip_line_comment(after),
                        (b'*', after) => self.skip_block_comment(session, after),
                        _ => return flags,
                    }
                    flags = flags.with(Flags::SPACE);
                }
                b'\\' => match self.splice(self.pos) {
                    Some(after) => self.pos = after,
                    None => return flags,
                },
                _ => return flags,
            }
        }
    }

    /// Goes to the line break that ends a `//` comment; a splice makes it go on.
    fn skip_line_comment(&mut self, from: usize) {
        let mut pos = from;
        loop {
            match self.bytes.get(pos..).and_then(|rest| rest.iter().position(|&b| b == b'\n' || b == b'\\')) {
                None => {
                    self.pos = self.bytes.len();
                    return;
                }
                Some(n) if self.bytes[pos + n] == b'\n' => {
                    self.pos = pos + n;
                    return;
                }
                Some(n) => pos = self.splice(pos + n).unwrap_or(pos + n + 1),
            }
        }
    }

    fn skip_block_comment(&mut self, session: &mut Session, from: usize) {
        let start = self.pos;
        let mut pos = from;
        while let Some(n) = self.bytes.get(pos..).and_then(|rest| rest.iter().position(|&b| b == b'*')) {
            pos += n + 1;
            if let (b'/', after) = self.at(pos) {
                self.pos = after;
                return;
            }
        }
        self.pos = self.bytes.len();
        let loc = self.base.offset(narrow(start));
        session.report(Diagnostic::error(loc, "unterminated comment").covering(2).saying("it begins here"));
    }

    #[inline]
    fn identifier(&mut self, session: &mut Session, start: usize, flags: Flags) -> PpToken {
        let rest = &self.bytes[start + 1..];
        let len = rest.iter().position(|&byte| CLASS[byte as usize] & IDENT == 0).unwrap_or(rest.len());
        let end = start + 1 + len;
        match self.byte(end) {
            b'\\' | 0x80.. => self.slow_identifier(session, start, flags),
            b'"' | b'\'' if is_literal_prefix(&self.text[start..end]) => self.quoted(session, start, end, flags),
            _ => {
                let symbol = session.symbols.intern(&self.text[start..end]);
                self.token(PpKind::Ident(symbol), start, end, flags)
            }
        }
    }

    fn number(&mut self, session: &mut Session, start: usize, flags: Flags) -> PpToken {
        let mut end = start + 1;
        loop {
            let byte = self.byte(end);
            match byte {
                b'+' | b'-' if matches!(self.bytes[end - 1], b'e' | b'E' | b'p' | b'P') => end += 1,
                b'\\' | 0x80.. => return self.slow_number(session, start, flags),
                b'.' => end += 1,
                _ if CLASS[byte as usize] & IDENT != 0 => end += 1,
                _ => break,
            }
        }
        let symbol = session.symbols.intern(&self.text[start..end]);
        self.token(PpKind::Number(symbol), start, end, flags)
    }

    /// A character constant or string literal with its prefix in `start..quote`.
    fn quoted(&mut self, session: &mut Session, start: usize, quote: usize, flags: Flags) -> PpToken {
        let close = self.bytes[quote];
        let mut end = quote + 1;
        loop {
            match self.byte(end) {
                b'\\' if self.splice(end).is_some() || self.splice(end + 1).is_some() => {
                    return self.slow_quoted(session, start, flags);
                }
                b'\\' if self.byte(end + 1) != 0 => end += 2,
                b'\n' => break,
                _ if end >= self.bytes.len() => break,
                byte if byte == close => {
                    end += 1;
                    let symbol = session.symbols.intern(&self.text[start..end]);
                    let kind = if close == b'"' { PpKind::Str(symbol) } else { PpKind::Char(symbol) };
                    return self.token(kind, start, end, flags);
                }
                _ => end += 1,
            }
        }
        let symbol = session.symbols.intern(self.text[start..end].trim_end());
        self.token(PpKind::Stray(symbol), start, end, flags)
    }

    #[inline]
    fn punctuator(&mut self, session: &mut Session, start: usize, flags: Flags) -> PpToken {
        use Punct::*;
        let one = start + 1;
        let alone = match self.byte(start) {
            b'(' => Some(LParen),
            b')' => Some(RParen),
            b';' => Some(Semi),
            b',' => Some(Comma),
            b'{' => Some(LBrace),
            b'}' => Some(RBrace),
            b'[' => Some(LBracket),
            b']' => Some(RBracket),
            b'?' => Some(Question),
            b'~' => Some(Tilde),
            _ => None,
        };
        if let Some(punct) = alone {
            return self.token(PpKind::Punct(punct), start, one, flags);
        }
        let (second, two) = self.at(one);
        let assign = |with, without| if second == b'=' { (with, two) } else { (without, one) };
        let mut flags = flags;
        let (punct, end) = match self.byte(start) {
            b'=' => assign(Eq, Assign),
            b'*' => assign(StarAssign, Star),
            b'/' => assign(SlashAssign, Slash),
            b'^' => assign(CaretAssign, Caret),
            b'!' => assign(Ne, Bang),
            b'+' if second == b'+' => (PlusPlus, two),
            b'+' => assign(PlusAssign, Plus),
            b'-' if second == b'-' => (MinusMinus, two),
            b'-' if second == b'>' => (Arrow, two),
            b'-' => assign(MinusAssign, Minus),
            b'&' if second == b'&' => (AndAnd, two),
            b'&' => assign(AmpAssign, Amp),
            b'|' if second == b'|' => (OrOr, two),
            b'|' => assign(PipeAssign, Pipe),
            b'.' if CLASS[second as usize] & DIGIT != 0 && two == one + 1 => return self.number(session, start, flags),
            b'.' if CLASS[second as usize] & DIGIT != 0 => return self.slow_number(session, start, flags),
            b'.' => match (second, self.at(two)) {
                (b'.', (b'.', three)) => (Ellipsis, three),
                _ => (Dot, one),
            },
            b'<' => match (second, self.at(two)) {
                (b'<', (b'=', three)) => (ShlAssign, three),
                (b'<', _) => (Shl, two),
                (b':' | b'%', _) => {
                    flags = flags.with(Flags::DIGRAPH);
                    (if second == b':' { LBracket } else { LBrace }, two)
                }
                _ => assign(Le, Lt),
            },
            b'>' => match (second, self.at(two)) {
                (b'>', (b'=', three)) => (ShrAssign, three),
                (b'>', _) => (Shr, two),
                _ => assign(Ge, Gt),
            },
            b':' if second == b'>' => {
                flags = flags.with(Flags::DIGRAPH);
                (RBracket, two)
            }
            b':' => (Colon, one),
            b'%' if second == b'>' => {
                flags = flags.with(Flags::DIGRAPH);
                (RBrace, two)
            }
            b'%' if second == b':' => {
                flags = flags.with(Flags::DIGRAPH);
                match self.at(two) {
                    (b'%', three) => match self.at(three) {
                        (b':', four) => (HashHash, four),
                        _ => (Hash, two),
                    },
                    _ => (Hash, two),
                }
            }
            b'%' => assign(PercentAssign, Percent),
            b'#' if second == b'#' => (HashHash, two),
            b'#' => (Hash, one),
            _ => {
                let symbol = session.symbols.intern(&self.text[start..one]);
                return self.token(PpKind::Stray(symbol), start, one, flags);
            }
        };
        self.token(PpKind::Punct(punct), start, end, flags)
    }
}

/// What may stand directly before a quote and belong to the literal.
fn is_literal_prefix(text: &str) -> bool {
    matches!(text, "L" | "u" | "U" | "u8")
}
