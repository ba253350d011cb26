//! Verdicts and traces for people and for scripts.
//!
//! - [`line`]: the verdict in one line, the last of a run
//! - [`table`]: a counterexample with one column per thread
//! - [`json`]: everything, for programs
//! - [`robust`]: the same for robustness
//!
//! All of them are functions from data to text; the binary decides what is printed.

pub mod json;
pub mod line;
pub mod robust;
pub mod table;

use norn_ir::program::Program;
use norn_ir::span::Span;

/// What a report needs to know about the program: the names of its files and, where it can be had, their text.
pub struct Sources<'a> {
    pub program: &'a Program,
    /// The text of a line of a file, if it is known.
    pub line_text: &'a dyn Fn(&str, u32) -> Option<String>,
}

impl Sources<'_> {
    /// `file:line`
    pub fn place(&self, span: Span) -> String {
        format!("{}:{}", self.program.file(span.file), span.line)
    }

    /// The source line, trimmed.
    pub fn text(&self, span: Span) -> Option<String> {
        if span == Span::NONE {
            return None;
        }
        let text = (self.line_text)(self.program.file(span.file), span.line)?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then_some(text)
    }
}
