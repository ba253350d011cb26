//! Searches that take turns: where a search looks at its limits it also waits until it is its turn.
//!
//! Nothing depends on who keeps the gate: a search that takes no turns gives the same result.

use crate::limits::Exceeded;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Keeps one of several searches that take turns.
pub trait Gate: Send + Sync {
    /// Returns when it is the search's turn, or why it has to end.
    fn pass(&self) -> Option<Exceeded>;

    /// The time that the search has had so far.
    fn used(&self) -> Duration;
}

/// The gate of a search, if it has one.
#[derive(Clone, Default)]
pub struct Turns(Option<Arc<dyn Gate>>);

impl Turns {
    /// The search has all the time for itself.
    pub fn none() -> Turns {
        Turns(None)
    }

    pub fn at(gate: Arc<dyn Gate>) -> Turns {
        Turns(Some(gate))
    }

    /// Waits for the search's turn, if it takes turns; or why it has to end.
    pub fn pass(&self) -> Option<Exceeded> {
        self.0.as_ref()?.pass()
    }

    /// The time that the search has had, if it takes turns.
    pub fn used(&self) -> Option<Duration> {
        self.0.as_ref().map(|gate| gate.used())
    }
}

impl fmt::Debug for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Turns(taken)" } else { "Turns(none)" })
    }
}
