//! Reads witnesses: YAML of the formats 2.x, and GraphML of the format 1.0.
//!
//! Witnesses come from anybody. The readers know the parts of YAML and XML that witnesses need, limit depth and size, and say
//! where something is wrong.

mod graphml;
mod sequence;
mod xml;
mod yaml;

use crate::automaton::Automaton;
use std::fmt;

/// The largest witness that is read.
pub const MOST_BYTES: u64 = 64 << 20;
/// The deepest nesting of a file.
const DEEPEST: usize = 64;
/// The most edges of an automaton.
const MOST_EDGES: usize = 100_000;

/// A witness that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read {
    pub header: Header,
    pub content: Content,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    Violation(Automaton),
    /// A correctness witness with so many invariants.
    Correctness {
        invariants: usize,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    pub specification: String,
    /// Files with their hashes; GraphML has no name.
    pub hashes: Vec<(Option<String>, String)>,
    pub producer: String,
}

/// What is wrong with a file, and where: line and column from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    pub mark: Mark,
    pub message: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mark {
    pub line: usize,
    pub column: usize,
}

impl Mark {
    fn wrong(self, message: impl Into<String>) -> Wrong {
        Wrong { mark: self, message: message.into() }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.mark.line, self.mark.column, self.message)
    }
}

/// Reads a witness of either form: what begins with `<` is GraphML.
pub fn read(text: &str) -> Result<Read, Wrong> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.trim_start().starts_with('<') {
        true => graphml::read(&xml::parse(text)?),
        false => sequence::read(&yaml::parse(text)?),
    }
}
