//! The operators `#` and `##`.

use super::Preprocessor;
use crate::lex::{Flags, Lexer, PpKind, PpToken};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

impl Preprocessor<'_> {
    /// The string literal that spells `tokens`.
    pub(super) fn stringize(&mut self, tokens: &[PpToken], call: PpToken) -> PpToken {
        let mut string = String::from("\"");
        for (i, token) in tokens.iter().enumerate() {
            if i > 0 && token.space_before() {
                string.push(' ');
            }
            let spelling = token.spelling(&self.session.symbols);
            match token.kind {
                PpKind::Str(_) | PpKind::Char(_) => {
                    for c in spelling.chars() {
                        if matches!(c, '"' | '\\') {
                            string.push('\\');
                        }
                        string.push(c);
                    }
                }
                _ => string.push_str(spelling),
            }
        }
        // A lone backslash at the end would escape the closing quote.
        if string.bytes().rev().take_while(|&b| b == b'\\').count() % 2 == 1 {
            self.warning(call, "the argument of '#' ends in a backslash, which is dropped");
            string.pop();
        }
        string.push('"');
        self.charge_bytes(string.len(), call);
        let kind = PpKind::Str(self.session.symbols.intern(&string));
        PpToken { kind, loc: call.loc, len: call.len, flags: Flags::NONE }
    }

    /// Joins the tokens at `left` and `left + 1`. If that gives no token both stay, after an error.
    pub(super) fn paste_at(&mut self, left: usize, call: PpToken, tokens: &mut Vec<PpToken>) {
        let (a, b) = (tokens[left], tokens[left + 1]);
        let joined = format!("{}{}", self.spelling(a), self.spelling(b));
        if !self.charge_bytes(joined.len(), call) {
            return;
        }
        let mut lexer = Lexer::new(&joined, 0, Loc(1));
        let comment = joined.starts_with("//") || joined.starts_with("/*");
        let token = if comment { PpToken::EOF } else { lexer.next(self.session) };
        if lexer.pos() != joined.len() || matches!(token.kind, PpKind::Eof | PpKind::Stray(_)) {
            let message = format!("'##' cannot join '{}' and '{}' into one token", self.spelling(a), self.spelling(b));
            self.session.report(Diagnostic::error(call.loc, message).covering(u32::from(call.len)));
            return;
        }
        let mut flags = token.flags.without(Flags::LINE_START);
        if a.space_before() {
            flags = flags.with(Flags::SPACE);
        }
        tokens[left] = PpToken { kind: token.kind, loc: call.loc, len: call.len, flags };
        tokens.remove(left + 1);
    }
}
