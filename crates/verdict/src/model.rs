//! The memory models.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Model {
    /// Sequential consistency.
    Sc,
    /// Total store order: x86, SPARC.
    Tso,
    /// Partial store order: a buffer per location.
    Pso,
}

impl Model {
    pub const ALL: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];

    pub fn name(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::Tso => "tso",
            Model::Pso => "pso",
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Model {
    type Err = String;

    fn from_str(text: &str) -> Result<Model, String> {
        let known = Model::ALL.into_iter().find(|m| m.name() == text);
        known.ok_or_else(|| format!("'{text}' is not a memory model; there are sc, tso and pso"))
    }
}
