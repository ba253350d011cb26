//! Verdicts as they are written down and read back.
//!
//! A [`Verdict`] can be serialised. What is read back is a [`Record`], not a verdict: whoever wrote the text may have made
//! up the counterexample. [`Record::claim`] is what the reference machine needs to confirm it.

use crate::claim::{Claim, Expected};
use crate::model::Model;
use crate::outcome::{Bound, Outcome, Remarks, Verdict, Violation};
use crate::schedule::Schedule;
use crate::trace::Trace;
use crate::undecided::Undecided;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;

/// What a verdict said.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    pub model: Model,
    pub engine: String,
    pub outcome: Recorded,
    pub remarks: Remarks,
    pub stats: BTreeMap<String, f64>,
}

/// An outcome, in which unsafe is a claim.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Recorded {
    Unsafe { violation: Violation, schedule: Schedule, trace: Trace },
    Safe { bounds: Vec<Bound> },
    Limited { bounds: Vec<Bound>, undecided: Undecided },
    Unknown(Undecided),
}

impl Record {
    /// The claim that is to be confirmed, if the verdict was unsafe.
    pub fn claim(&self) -> Option<Claim> {
        match &self.outcome {
            Recorded::Unsafe { violation, schedule, .. } => {
                Some(Claim { schedule: schedule.clone(), expected: vec![Expected::from(violation)] })
            }
            Recorded::Safe { .. } | Recorded::Limited { .. } | Recorded::Unknown(_) => None,
        }
    }
}

impl From<&Verdict> for Record {
    fn from(verdict: &Verdict) -> Record {
        let outcome = match &verdict.outcome {
            Outcome::Unsafe(found) => Recorded::Unsafe {
                violation: found.violation().clone(),
                schedule: found.schedule().clone(),
                trace: found.trace().clone(),
            },
            Outcome::Safe { bounds } => Recorded::Safe { bounds: bounds.clone() },
            Outcome::Limited { bounds, undecided } => {
                Recorded::Limited { bounds: bounds.clone(), undecided: undecided.clone() }
            }
            Outcome::Unknown(undecided) => Recorded::Unknown(undecided.clone()),
        };
        Record {
            model: verdict.model,
            engine: verdict.engine.to_owned(),
            outcome,
            remarks: verdict.remarks.clone(),
            stats: verdict.stats.0.iter().map(|(&name, &value)| (name.to_owned(), value)).collect(),
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Record::from(self).serialize(serializer)
    }
}
