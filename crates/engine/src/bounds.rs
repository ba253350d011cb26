//! The bounds on loops that a user gives.

use norn_ir::program::Origin;
use norn_passes::unwind::{BoundAt, Bounds};
use norn_verdict::outcome::{Bound, BoundKind};

/// What `--unwind` says: a bound for all loops, and bounds for single ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GivenBounds {
    /// The last one that was given counts.
    pub default: Option<u32>,
    pub at: Vec<BoundAt>,
}

/// Loops of the library are not the user's business, but must end. Loops of the user for which no bound was given, while
/// others have one, get the same: small programs exhaust it.
const LIBRARY_BOUND: u32 = 64;
const MAX_INSTRUCTIONS: usize = 5_000_000;

impl GivenBounds {
    pub fn of_all_loops(bound: u32) -> GivenBounds {
        GivenBounds { default: Some(bound), at: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.default.is_none() && self.at.is_empty()
    }

    /// Whether a bound on a loop is one of these. Where time runs out, engines may stop at smaller ones. Loops of the library
    /// have bounds of their own.
    pub fn is_given(&self, bound: &Bound) -> bool {
        let BoundKind::Unwind(place) = &bound.kind else { return false };
        // What the front end made itself (to set a large array) stands on no line.
        if place.origin == Origin::Library || place.line == 0 {
            return false;
        }
        let at = self.at.iter().rev().find(|at| at.names_place(&place.file, place.line)).map(|at| at.bound);
        at.or(self.default).is_some_and(|given| bound.value >= u64::from(given))
    }

    /// As passes want them; nothing if no bound was given.
    pub fn bounds(&self) -> Option<Bounds> {
        (!self.is_empty()).then(|| self.or_usual())
    }

    /// As passes want them, with the usual ones where none was given.
    pub fn or_usual(&self) -> Bounds {
        Bounds {
            default: self.default.unwrap_or(LIBRARY_BOUND),
            library: LIBRARY_BOUND,
            at: self.at.clone(),
            max_instructions: MAX_INSTRUCTIONS,
        }
    }
}
