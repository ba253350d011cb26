//! Diagnostics as data. Crates report what they found; only the binary turns it into text.

use crate::source::Loc;

/// How bad a finding is; this decides how the run ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Worth knowing; the input is accepted.
    Warning,
    /// Valid C that Norn cannot handle: the verdict is unknown.
    Unsupported,
    /// The input is wrong, such as text that is not C.
    Error,
}

/// A stretch of source text with something to say about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub loc: Loc,
    /// Bytes covered; 0 is shown as a single caret.
    pub len: u32,
    /// Words beside the underlined text; may be empty.
    pub text: String,
}

/// One finding. The message makes sense on its own; the labels show where, the help says what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    /// The first is the primary one. May be empty (a missing file has no source line).
    pub labels: Vec<Label>,
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn new(severity: Severity, loc: Loc, message: impl Into<String>) -> Diagnostic {
        let labels = match loc {
            Loc::NONE => Vec::new(),
            loc => vec![Label { loc, len: 0, text: String::new() }],
        };
        Diagnostic { severity, message: message.into(), labels, help: None }
    }

    pub fn error(loc: Loc, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, loc, message)
    }

    pub fn warning(loc: Loc, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, loc, message)
    }

    pub fn unsupported(loc: Loc, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Unsupported, loc, message)
    }

    /// Underlines `len` bytes instead of showing a caret.
    pub fn covering(mut self, len: u32) -> Diagnostic {
        if let Some(label) = self.labels.first_mut() {
            label.len = len;
        }
        self
    }

    /// Words beside the primary label.
    pub fn saying(mut self, text: impl Into<String>) -> Diagnostic {
        if let Some(label) = self.labels.first_mut() {
            label.text = text.into();
        }
        self
    }

    /// A second place that matters, such as an earlier declaration.
    pub fn also(mut self, loc: Loc, text: impl Into<String>) -> Diagnostic {
        if loc != Loc::NONE {
            self.labels.push(Label { loc, len: 0, text: text.into() });
        }
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}
