//! What an engine says before it is believed: a schedule, and the violations that it may end in.
//!
//! Only the reference machine makes a counterexample of a claim. Engines reach it through [`Referee`], so that they need
//! not know it.

use crate::model::Model;
use crate::outcome::{Checks, Counterexample, Outcome, Stats, Verdict, Violation, ViolationKind};
use crate::robustness::CyclicTrace;
use crate::schedule::Schedule;
use crate::undecided::Undecided;
use norn_ir::program::Program;
use norn_ir::span::Span;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A schedule that is said to end in a violation. Inputs that it lacks are zero.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Claim {
    pub schedule: Schedule,
    /// The execution ends in one of these: a schedule may hold several violations, and which one the machine meets first
    /// depends on details that an engine need not know.
    pub expected: Vec<Expected>,
}

/// A violation that a claim may end in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Expected {
    pub kind: ViolationKind,
    /// `None`: wherever it is.
    pub span: Option<Span>,
}

impl Expected {
    pub fn anywhere(kind: ViolationKind) -> Expected {
        Expected { kind, span: None }
    }

    /// The invalid accesses that a load can be. An engine that made one step of a spin loop sees them with that step; the
    /// machine sees them where the load stands, which may be earlier.
    pub fn invalid_loads() -> impl Iterator<Item = Expected> {
        use ViolationKind::{InvalidPointer, NullPointer, OutOfBounds, UseAfterFree};
        [OutOfBounds, NullPointer, InvalidPointer, UseAfterFree].into_iter().map(Expected::anywhere)
    }

    pub fn fits(&self, violation: &Violation) -> bool {
        self.kind == violation.kind && self.span.is_none_or(|span| span == violation.span)
    }
}

impl From<&Violation> for Expected {
    fn from(violation: &Violation) -> Expected {
        Expected { kind: violation.kind, span: Some(violation.span) }
    }
}

/// What the reference machine says about a claim.
#[derive(Clone, Debug)]
pub enum Ruling {
    Holds(Box<Counterexample>),
    /// The execution comes to something that the machine cannot decide before it comes to a violation.
    Open(Undecided),
    /// The machine does not see the violation.
    Fails(Mismatch),
}

impl Ruling {
    /// The verdict of an engine whose last word the claim is.
    pub fn verdict(self, model: Model, engine: &'static str, stats: Stats) -> Result<Verdict, Mismatch> {
        let outcome = match self {
            Ruling::Holds(counterexample) => Outcome::Unsafe(counterexample),
            Ruling::Open(undecided) => Outcome::Unknown(undecided),
            Ruling::Fails(mismatch) => return Err(mismatch),
        };
        Ok(Verdict::new(model, engine, outcome, stats))
    }
}

/// The reference machine, as engines see it.
pub trait Referee {
    fn rule(&self, program: &Program, checks: Checks, claim: Claim) -> Ruling;

    /// A trace of the program that is said to have a cycle.
    fn rule_on_cycle(&self, program: &Program, checks: Checks, schedule: Schedule) -> Result<CyclicTrace, Mismatch>;

    /// The engine tells what it knows so far, which is never safe: if it notices too late that its time is over, whoever ends
    /// it can say that much. (A SAT solver does not look at the clock while it explains a conflict.)
    fn hear(&self, _so_far: &Verdict) {}
}

/// An engine contradicts the reference machine: an error inside of Norn.
#[derive(Clone, PartialEq, Debug)]
pub enum Mismatch {
    /// The schedule of a claim cannot be run, for a reason in the machine's words.
    Refused(String),
    /// The schedule runs, but not to what was expected; what it comes to instead, in words.
    Other { expected: Vec<Expected>, found: String },
    /// The schedule runs, but its trace has no cycle.
    NoCycle,
    /// The formula of a safe verdict leaves out this execution of the machine.
    LeftOut { reason: String, schedule: Box<Schedule> },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Refused(error) => write!(f, "the schedule was refused: {error}"),
            Mismatch::Other { expected, found } => {
                let mut kinds: Vec<&str> = expected.iter().map(|one| one.kind.phrase()).collect();
                kinds.dedup();
                write!(f, "expected '{}', the machine finds '{found}'", kinds.join("' or '"))
            }
            Mismatch::NoCycle => f.write_str("the machine finds no cycle in the trace"),
            Mismatch::LeftOut { reason, .. } => {
                write!(f, "the formula of a safe verdict leaves out an execution of the machine: {reason}")
            }
        }
    }
}

impl std::error::Error for Mismatch {}
