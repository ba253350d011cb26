//! A tokenizer that is just good enough for tests, so that they say nothing about the preprocessor: no macros, no
//! comments; lines that begin with `#` are line markers (dropped) or `#pragma pack`.

use crate::session::Session;
use crate::token::{Keyword, Punct, Token, TokenKind};

pub(super) fn tokenize(session: &mut Session, text: &str) -> Vec<Token> {
    let id = session.sources.add("test.c", text.to_owned(), false).expect("a test should be small");
    let base = session.sources.start(id);
    let mut tokens = Vec::new();
    let mut puncts = Punct::SPELLINGS.to_vec();
    puncts.sort_by_key(|(spelling, _)| std::cmp::Reverse(spelling.len()));
    let keywords: std::collections::HashMap<&str, Keyword> = Keyword::SPELLINGS.iter().copied().collect();
    let bytes = text.as_bytes();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
    let mut i = 0;
    while i < bytes.len() {
        let start = i;
        let at_line_start = i == 0 || bytes[i - 1] == b'\n';
        let rest = &text[i..];
        let prefix = ["L", "u8", "u", "U"]
            .into_iter()
            .find(|p| rest.strip_prefix(p).is_some_and(|r| r.starts_with('"') || r.starts_with('\'')));
        let kind = if bytes[i].is_ascii_whitespace() {
            i += 1;
            continue;
        } else if bytes[i] == b'#' && at_line_start && bytes.get(i + 1) != Some(&b'#') {
            i += rest.find('\n').unwrap_or(rest.len());
            match text[start..i].strip_prefix("#pragma ") {
                Some(pragma) => TokenKind::Pragma(session.symbols.intern(pragma)),
                None => continue,
            }
        } else if bytes[i] == b'"' || bytes[i] == b'\'' || prefix.is_some() {
            i += prefix.map_or(0, str::len);
            let quote = bytes[i];
            i += 1;
            while i < bytes.len() && bytes[i] != quote {
                i += if bytes[i] == b'\\' { 2 } else { 1 };
            }
            i += 1;
            let spelling = session.symbols.intern(&text[start..i]);
            if quote == b'"' { TokenKind::Str(spelling) } else { TokenKind::Char(spelling) }
        } else if bytes[i].is_ascii_digit() || bytes[i] == b'.' && bytes.get(i + 1).is_some_and(u8::is_ascii_digit) {
            while i < bytes.len() && (is_word(bytes[i]) || bytes[i] == b'.') {
                i += 1;
            }
            TokenKind::Number(session.symbols.intern(&text[start..i]))
        } else if is_word(bytes[i]) {
            while i < bytes.len() && is_word(bytes[i]) {
                i += 1;
            }
            let word = &text[start..i];
            match keywords.get(word) {
                Some(&keyword) => TokenKind::Keyword(keyword),
                None => TokenKind::Ident(session.symbols.intern(word)),
            }
        } else {
            let (spelling, punct) =
                puncts.iter().find(|(s, _)| rest.starts_with(s)).expect("a test should consist of tokens");
            i += spelling.len();
            TokenKind::Punct(*punct)
        };
        tokens.push(Token { kind, loc: base.offset(start as u32), len: (i - start) as u16 });
    }
    tokens.push(Token { kind: TokenKind::Eof, loc: base.offset(text.len() as u32), len: 0 });
    tokens
}
