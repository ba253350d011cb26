//! Why a question stays open: one type for every stage that may have to say so.
//!
//! Code decides by the variant, never by the words: what an engine does next, and which of two reasons is shown, must not
//! depend on how a sentence is phrased.

use crate::limits::Exceeded;
use norn_ir::span::Span;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A question that was not answered: the reason, and the place in the source if it has one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Undecided {
    pub why: Why,
    pub place: Option<Span>,
}

/// The reason for which a question stays open.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Why {
    /// A limit on time or memory, or the user, ended the search after this much work.
    Limit { limit: Exceeded, after: Work },
    /// The engine does not look for violations of this kind.
    NotLookedFor(Unsought),
    /// The program comes to something that Norn gives no meaning, in these words.
    NoMeaning(Cow<'static, str>),
    /// The program is larger than a stage can handle, in these words.
    TooLarge(Cow<'static, str>),
    /// A nondeterministic value can be too many things; `source` is the function or variable that it comes from.
    TooManyValues { source: String },
    /// Only some of the nondeterministic values were tried.
    SomeValuesOnly,
    /// Nothing is violated within a bound that nobody gave.
    OwnBound(OwnBound),
    /// The answer depends on the numbers of addresses, which differ between executions.
    Addresses(Cow<'static, str>),
    /// Random executions show no violation, and cannot show that there is none. Some of them may have been left for a
    /// reason of their own.
    Sampled { executions: u64, left: Option<Box<Why>> },
    /// A proof, or a comparison of the formula with executions, is missing.
    NotProved(Cow<'static, str>),
    /// Something else than a limit of time or memory ended the search, in these words.
    EndedBy(Cow<'static, str>),
    /// There was nothing to search.
    NothingTried(Cow<'static, str>),
}

/// How far a search came before a limit ended it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Work {
    /// Nobody counted.
    Unknown,
    States(u64),
    /// Random executions without a violation.
    Samples(u64),
}

/// Violations that an engine does not look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Unsought {
    DataRaces,
    Deadlocks,
    /// Executions that never end.
    Termination,
    /// Deadlocks in which a thread waits in a section that has written before.
    DeadlocksAfterWrites,
    /// What goes wrong because freed memory is given out again.
    ReusedMemory,
    /// Memory that nothing points to any more.
    MemoryLeaks,
}

/// A bound that Norn chose by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum OwnBound {
    Loops,
    LibraryLoops,
    Rounds,
    Executions,
    Buffer,
    Depth,
    ObjectSize,
    /// The number of threads that were created.
    Threads(usize),
}

impl Undecided {
    /// A reason that belongs to no place.
    pub fn new(why: Why) -> Undecided {
        Undecided { why, place: None }
    }

    /// A reason at a place of the source, unless the place is unknown.
    pub fn at(why: Why, span: Span) -> Undecided {
        Undecided { why, place: (span != Span::NONE).then_some(span) }
    }

    /// A limit ended the search.
    pub fn limit(limit: Exceeded) -> Undecided {
        Undecided::new(limit.into())
    }

    /// The limit that ended the search, if it was one.
    pub fn exceeded(&self) -> Option<Exceeded> {
        match self.why {
            Why::Limit { limit, .. } => Some(limit),
            _ => None,
        }
    }
}

impl Why {
    pub fn no_meaning(words: impl Into<Cow<'static, str>>) -> Why {
        Why::NoMeaning(words.into())
    }

    pub fn too_large(words: impl Into<Cow<'static, str>>) -> Why {
        Why::TooLarge(words.into())
    }

    /// How much the reason tells the user: most what the program does, then that a limit was reached, least what an
    /// engine is not made for.
    pub fn weight(&self) -> u32 {
        match self {
            Why::NotLookedFor(_)
            | Why::TooManyValues { .. }
            | Why::SomeValuesOnly
            | Why::Sampled { .. }
            | Why::NothingTried(_) => 0,
            Why::Limit { .. } => 1,
            Why::NoMeaning(_)
            | Why::TooLarge(_)
            | Why::OwnBound(_)
            | Why::Addresses(_)
            | Why::NotProved(_)
            | Why::EndedBy(_) => 2,
        }
    }
}

impl From<Exceeded> for Why {
    fn from(limit: Exceeded) -> Why {
        Why::Limit { limit, after: Work::Unknown }
    }
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.why.fmt(f)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Limit { limit, after: Work::Unknown } => f.write_str(limit.reason()),
            Why::Limit { limit, after: Work::States(states) } => {
                write!(f, "{}, with {states} states stored", limit.reason())
            }
            Why::Limit { limit, after: Work::Samples(executions) } => {
                write!(f, "{}, with no violation in {executions} sampled executions", limit.reason())
            }
            Why::NotLookedFor(unsought) => f.write_str(unsought.words()),
            Why::NoMeaning(words)
            | Why::TooLarge(words)
            | Why::Addresses(words)
            | Why::NotProved(words)
            | Why::EndedBy(words)
            | Why::NothingTried(words) => f.write_str(words),
            Why::TooManyValues { source } => {
                write!(f, "the value of '{source}' is nondeterministic, with too many possibilities")
            }
            Why::SomeValuesOnly => f.write_str("nondeterministic values were tried with some values only"),
            Why::OwnBound(OwnBound::Threads(threads)) => {
                write!(f, "there are more than {threads} threads, and nothing is wrong with up to that many")
            }
            Why::OwnBound(bound) => f.write_str(bound.words()),
            Why::Sampled { executions, left: None } => {
                write!(f, "no violation in {executions} sampled executions")
            }
            Why::Sampled { executions, left: Some(left) } => {
                write!(f, "no violation in {executions} sampled executions; some were left: {left}")
            }
        }
    }
}

impl Unsought {
    fn words(self) -> &'static str {
        match self {
            Unsought::DataRaces => "this engine does not look for data races",
            Unsought::Deadlocks => "this engine does not look for deadlocks",
            Unsought::Termination => "this engine does not look for executions that never end",
            Unsought::DeadlocksAfterWrites => {
                "this engine does not look for deadlocks where an atomic section writes before it waits"
            }
            Unsought::ReusedMemory => "this engine does not follow memory that is given out again",
            Unsought::MemoryLeaks => "this engine does not look for memory leaks",
        }
    }
}

impl OwnBound {
    fn words(self) -> &'static str {
        match self {
            OwnBound::Loops => "larger bounds on loops were not tried",
            OwnBound::LibraryLoops => "a loop of the library has a bound of its own",
            OwnBound::Rounds => "more rounds were not tried",
            OwnBound::Executions => "more executions were not tried",
            OwnBound::Buffer => "a store buffer keeps growing",
            OwnBound::Depth => "deeper executions were not tried",
            OwnBound::ObjectSize => "larger objects were not tried",
            OwnBound::Threads(_) => "more threads were not tried",
        }
    }
}
