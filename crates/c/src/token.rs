//! Tokens: what the preprocessor hands to the parser.

use crate::intern::Symbol;
use norn_ir::source::Loc;

pub use crate::spelling::{Keyword, Punct};

/// One token after preprocessing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: TokenKind,
    /// Where to point when something is wrong with it. A token of a macro's body stands where the macro was used;
    /// a token of a macro's argument stands where it was written.
    pub loc: Loc,
    /// Bytes that it covers at `loc` (the macro's name for tokens from a macro's body).
    pub len: u16,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenKind {
    /// An identifier that is not a keyword.
    Ident(Symbol),
    Keyword(Keyword),
    /// A preprocessing number, spelled as written; `literal` gives it a value.
    Number(Symbol),
    /// A character constant with its prefix and quotes, spelled as written.
    Char(Symbol),
    /// A string literal with its prefix and quotes, spelled as written. The parser joins adjacent ones.
    Str(Symbol),
    Punct(Punct),
    /// `#pragma` with the rest of its line. Only pragmas that matter to layout (`pack`) reach the parser.
    Pragma(Symbol),
    Eof,
}
