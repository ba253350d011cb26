//! Places in the source, as traces and verdicts show them.

use crate::ids::FileId;
use serde::{Deserialize, Serialize};

/// A place in a source file as the file itself names it (line markers are honoured). Line and column count from 1;
/// line 0 is no place at all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Span {
    pub file: FileId,
    pub line: u32,
    pub column: u32,
}

impl Span {
    pub const NONE: Span = Span { file: FileId(0), line: 0, column: 0 };
}
