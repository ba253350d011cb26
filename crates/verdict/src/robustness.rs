//! Robustness: does a program show, under a weak memory model, only what it shows under sequential consistency?
//!
//! The trace of Shasha and Snir of an execution orders its accesses: those of a thread as in the program, those to one
//! location by who read from whom and who overwrote whom. An execution of SC has such a trace without a cycle, and a
//! trace without a cycle is one of SC. So a program is robust if none of its traces has a cycle.

use crate::model::Model;
use crate::outcome::{Bound, Stats};
use crate::schedule::{Schedule, StepNumber};
use crate::trace::{EventIndex, ThreadIndex, Trace};
use crate::undecided::Undecided;
use norn_ir::span::Span;

/// The answer to one question: is this program robust under this model?
#[derive(Clone, Debug)]
pub struct RobustnessVerdict {
    pub model: Model,
    pub engine: &'static str,
    pub outcome: Robustness,
    pub stats: Stats,
}

#[derive(Clone, Debug)]
pub enum Robustness {
    /// No trace has a cycle, within the bounds that are not exhausted; without such bounds, none at all.
    Robust {
        bounds: Vec<Bound>,
    },
    /// The reference machine has found the cycle.
    NotRobust(Box<CyclicTrace>),
    Unknown(Undecided),
}

impl Robustness {
    /// Whether the result holds for all executions.
    pub fn is_complete(&self) -> bool {
        match self {
            Robustness::Robust { bounds } => bounds.iter().all(|b| b.exhausted),
            Robustness::NotRobust(_) => true,
            Robustness::Unknown(_) => false,
        }
    }
}

/// Why one access comes before another in a trace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relation {
    ProgramOrder,
    /// The one thread created the other afterwards, or joined it before.
    ThreadOrder,
    ReadsFrom,
    /// The order in which writes reach memory.
    Coherence,
    /// A read before the write that overwrites what it read.
    FromRead,
    /// An access to an object before the end of its life.
    Lifetime,
}

impl Relation {
    /// As the literature abbreviates it.
    pub fn name(self) -> &'static str {
        match self {
            Relation::ProgramOrder => "po",
            Relation::ThreadOrder => "sync",
            Relation::ReadsFrom => "rf",
            Relation::Coherence => "co",
            Relation::FromRead => "fr",
            Relation::Lifetime => "life",
        }
    }

    pub fn phrase(self) -> &'static str {
        match self {
            Relation::ProgramOrder => "comes before, in program order,",
            Relation::ThreadOrder => "comes before, because its thread creates the other or is joined by it,",
            Relation::ReadsFrom => "writes the value for",
            Relation::Coherence => "is overwritten by",
            Relation::FromRead => "reads what was there before",
            Relation::Lifetime => "accesses the object before",
        }
    }
}

/// An access in a trace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point {
    /// `None`: the end of a scope, which is no event of the trace.
    pub event: Option<EventIndex>,
    pub thread: ThreadIndex,
    pub step: StepNumber,
    pub span: Span,
}

/// The step of `to` is the step of the next edge's `from`; they may be different accesses of an atomic section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CycleEdge {
    pub from: Point,
    pub relation: Relation,
    pub to: Point,
}

/// An execution with a cycle. Its fields are not public so that nothing but a replay makes one.
#[derive(Clone, Debug)]
pub struct CyclicTrace {
    schedule: Schedule,
    trace: Trace,
    cycle: Vec<CycleEdge>,
}

impl CyclicTrace {
    /// For the reference machine only, which has just run the schedule and found the cycle.
    pub fn replayed(schedule: Schedule, trace: Trace, cycle: Vec<CycleEdge>) -> CyclicTrace {
        CyclicTrace { schedule, trace, cycle }
    }

    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Each edge begins where the one before ends, the first where the last ends.
    pub fn cycle(&self) -> &[CycleEdge] {
        &self.cycle
    }
}
