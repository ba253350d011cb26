//! Passing over text that a condition excludes, without making tokens of it.

use super::Lexer;
use super::chars::{CLASS, SKIP_STOP};
use crate::session::Session;

impl Lexer<'_> {
    /// Goes line by line to the next one whose first token is `#`, and stands behind that. False at the end of the text.
    /// The lexer stands at the end of a line, or at the beginning of the text.
    pub fn skip_to_directive(&mut self, session: &mut Session) -> bool {
        loop {
            // Blanks and comments may stand before the `#`.
            self.in_directive = false;
            let flags = self.skip_blanks(session);
            if self.pos >= self.bytes.len() {
                return false;
            }
            if flags.has(super::Flags::LINE_START) {
                match self.byte(self.pos) {
                    b'#' => {
                        self.pos += 1;
                        return true;
                    }
                    b'%' if self.byte(self.pos + 1) == b':' => {
                        self.pos += 2;
                        return true;
                    }
                    _ => {}
                }
            }
            self.skip_line(session);
        }
    }

    /// Goes to the line break that ends the logical line.
    pub fn skip_line(&mut self, session: &mut Session) {
        while self.pos < self.bytes.len() {
            let byte = self.bytes[self.pos];
            if CLASS[byte as usize] & SKIP_STOP == 0 {
                self.pos += 1;
                continue;
            }
            match byte {
                b'\n' => return,
                b'"' | b'\'' => self.skip_quoted(byte),
                b'\\' => self.pos = self.splice(self.pos).unwrap_or(self.pos + 1),
                _ => match self.at(self.pos + 1) {
                    (b'/', after) => self.skip_line_comment(after),
                    (b'*', after) => self.skip_block_comment(session, after),
                    _ => self.pos += 1,
                },
            }
        }
    }

    /// Goes behind the closing quote, or to the end of the line if there is none (`don't` is common in skipped text).
    fn skip_quoted(&mut self, close: u8) {
        self.pos += 1;
        while self.pos < self.bytes.len() {
            match self.bytes[self.pos] {
                b'\n' => return,
                b'\\' => {
                    // What is escaped cannot close; splices go first.
                    let (escaped, after) = match self.splice(self.pos) {
                        Some(after) => (0, after),
                        None => self.at(self.pos + 1),
                    };
                    self.pos = if escaped == b'\n' { after - 1 } else { after.min(self.bytes.len()) };
                }
                byte => {
                    self.pos += 1;
                    if byte == close {
                        return;
                    }
                }
            }
        }
    }
}
