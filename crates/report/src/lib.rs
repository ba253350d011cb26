//! Verdicts and traces for people and for scripts.
//!
//! - [`line`]: the verdict in one line, the last of a run
//! - [`table`]: a counterexample with one column per thread
//! - [`json`]: everything, for programs
//! - [`value`]: places and values
//! - [`why`]: how an execution could come to its violation
//! - [`repair`]: why a fence is needed
//! - [`robust`]: the same for robustness
//! - [`mod@format`]: files for other tools and for browsers, of all that a run found out: [`html`], [`sarif`], [`dot`]
//! - [`visible`]: text of others, made fit to be shown
//!
//! All of them are functions from data to text; the binary decides what is printed.

mod cover;
pub mod dot;
pub mod format;
mod heap;
pub mod html;
pub mod json;
pub mod line;
pub mod repair;
pub mod robust;
mod rows;
pub mod sarif;
mod steps;
pub mod table;
pub mod value;
pub mod visible;
pub mod why;

use norn_ir::program::Program;
use norn_ir::span::Span;
use visible::{visible, visible_up_to};

/// The most characters of a source line that are shown: enough to recognize it.
const LONGEST_LINE: usize = 300;

/// What a report needs to know about the program: the names of its files and, if it can be read, their text.
pub struct Sources<'a> {
    pub program: &'a Program,
    /// The text of a line of a file, if it is known.
    pub line_text: &'a dyn Fn(&str, u32) -> Option<String>,
}

impl Sources<'_> {
    /// `file:line`
    pub fn place(&self, span: Span) -> String {
        format!("{}:{}", visible(self.program.file(span.file)), span.line)
    }

    /// The source line, trimmed.
    pub fn text(&self, span: Span) -> Option<String> {
        if span == Span::NONE {
            return None;
        }
        let text = (self.line_text)(self.program.file(span.file), span.line)?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then(|| visible_up_to(&text, LONGEST_LINE).into_owned())
    }
}
