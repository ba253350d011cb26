//! Verdicts, violations and bounds.

use crate::model::Model;
use crate::schedule::Schedule;
use crate::trace::Trace;
use crate::undecided::Undecided;
use crate::why::Why;
use norn_ir::program::{Function, Origin, Program};
use norn_ir::span::Span;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What is checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checks {
    pub basic: Basic,
    pub deadlock: bool,
    pub data_race: bool,
    pub memory_safety: bool,
    pub overflow: bool,
    /// Every fair execution ends.
    pub termination: bool,
    /// Memory of the heap that nothing points to any more at the end.
    pub memory_leak: bool,
}

/// What is checked of that which needs no looking for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Basic {
    /// Assertions, error functions and labels, misuse of mutexes and their kin, divisions that processors trap.
    #[default]
    All,
    /// Assertions, error functions and labels.
    Assertions,
    /// Error functions.
    ErrorFunctions,
    /// Only what the other fields of the checks say.
    Nothing,
}

/// What it means that something went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Treatment {
    Violation,
    /// Nobody asked, and what follows has no meaning: it is assumed not to happen. The thread that would do it stops for
    /// ever just before, as it may be slow in any execution, and the verdict names the assumption.
    Assumption,
    /// Nobody asked, and it ends the program, as `abort` does: the thread stops.
    Stop,
    /// Nobody asked, and it is nothing special.
    Ignored,
}

impl Checks {
    /// The default, as a constant.
    pub const DEFAULT: Checks = Checks {
        basic: Basic::All,
        deadlock: false,
        data_race: false,
        memory_safety: false,
        overflow: false,
        termination: false,
        memory_leak: false,
    };

    /// What is asked if nothing else is said.
    pub fn usual() -> Checks {
        Checks { memory_safety: true, ..Checks::default() }
    }

    pub fn treatment(self, kind: ViolationKind) -> Treatment {
        let or = |wanted: bool, other: Treatment| if wanted { Treatment::Violation } else { other };
        match kind {
            ViolationKind::Assertion => or(matches!(self.basic, Basic::All | Basic::Assertions), Treatment::Stop),
            ViolationKind::ErrorCall => or(self.basic != Basic::Nothing, Treatment::Stop),
            ViolationKind::ErrorLabel => or(matches!(self.basic, Basic::All | Basic::Assertions), Treatment::Ignored),
            ViolationKind::Misuse | ViolationKind::DivisionByZero | ViolationKind::DivisionOverflow => {
                or(self.basic == Basic::All, Treatment::Assumption)
            }
            ViolationKind::OutOfBounds
            | ViolationKind::NullPointer
            | ViolationKind::InvalidPointer
            | ViolationKind::UseAfterFree
            | ViolationKind::DoubleFree
            | ViolationKind::BadFree
            | ViolationKind::WriteToConstant => or(self.memory_safety, Treatment::Assumption),
            ViolationKind::Overflow => or(self.overflow, Treatment::Ignored),
            ViolationKind::Deadlock
            | ViolationKind::DataRace
            | ViolationKind::Nontermination
            | ViolationKind::MemoryLeak => Treatment::Violation,
        }
    }

    /// Whether something that goes wrong may be assumed not to happen, rather than be a violation.
    pub fn assumes(self) -> bool {
        self.basic != Basic::All || !self.memory_safety
    }
}

/// What a violated property is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum ViolationKind {
    Assertion,
    ErrorCall,
    ErrorLabel,
    Misuse,
    Deadlock,
    DataRace,
    /// A fair execution that never ends.
    Nontermination,
    /// At the end of the program, nothing points to memory of the heap any more.
    MemoryLeak,
    OutOfBounds,
    NullPointer,
    InvalidPointer,
    UseAfterFree,
    DoubleFree,
    BadFree,
    WriteToConstant,
    DivisionByZero,
    /// The smallest number divided by -1, where overflow is not looked for.
    DivisionOverflow,
    Overflow,
}

impl ViolationKind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::ErrorCall => "error-call",
            ViolationKind::ErrorLabel => "error-label",
            ViolationKind::Misuse => "misuse",
            ViolationKind::Deadlock => "deadlock",
            ViolationKind::DataRace => "data-race",
            ViolationKind::Nontermination => "nontermination",
            ViolationKind::MemoryLeak => "memory-leak",
            ViolationKind::OutOfBounds => "out-of-bounds",
            ViolationKind::NullPointer => "null-pointer",
            ViolationKind::InvalidPointer => "invalid-pointer",
            ViolationKind::UseAfterFree => "use-after-free",
            ViolationKind::DoubleFree => "double-free",
            ViolationKind::BadFree => "bad-free",
            ViolationKind::WriteToConstant => "write-to-constant",
            ViolationKind::DivisionByZero => "division-by-zero",
            ViolationKind::DivisionOverflow => "division-overflow",
            ViolationKind::Overflow => "overflow",
        }
    }

    /// The violation in a few words, as the verdict line says it.
    pub fn phrase(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion failed",
            ViolationKind::ErrorCall => "error function called",
            ViolationKind::ErrorLabel => "error label reached",
            ViolationKind::Misuse => "synchronisation misused",
            ViolationKind::Deadlock => "deadlock",
            ViolationKind::DataRace => "data race",
            ViolationKind::Nontermination => "execution never ends",
            ViolationKind::MemoryLeak => "memory leak",
            ViolationKind::OutOfBounds => "access out of bounds",
            ViolationKind::NullPointer => "null pointer dereferenced",
            ViolationKind::InvalidPointer => "invalid pointer dereferenced",
            ViolationKind::UseAfterFree => "use after free",
            ViolationKind::DoubleFree => "double free",
            ViolationKind::BadFree => "free of what malloc did not give",
            ViolationKind::WriteToConstant => "write to a constant object",
            ViolationKind::DivisionByZero => "division by zero",
            ViolationKind::DivisionOverflow => "division overflow",
            ViolationKind::Overflow => "integer overflow",
        }
    }
}

/// A violated property: what, where, and in which words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Violation {
    pub kind: ViolationKind,
    /// In the user's code where the library's is to blame only because it was called.
    pub span: Span,
    /// What was asserted, which object was touched, …; may be empty.
    pub message: String,
}

/// Something that would have had no meaning was met in some execution, and nobody had asked about it: the answer holds
/// if it does not happen there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Assumption {
    /// In the user's code.
    pub span: Span,
    pub kind: ViolationKind,
}

impl Assumption {
    /// What is assumed, as the verdict line says it.
    pub fn phrase(&self) -> &'static str {
        match self.kind {
            ViolationKind::DoubleFree | ViolationKind::BadFree => "a valid free",
            ViolationKind::Misuse => "synchronisation that is not misused",
            ViolationKind::DivisionByZero => "no division by zero",
            ViolationKind::DivisionOverflow => "no division overflow",
            _ => "a valid access",
        }
    }
}

/// Where some execution came to, among the user's code.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Reached {
    /// Assertions and the like, by their places.
    pub checks: BTreeSet<Span>,
    /// Functions in which threads started, by their places.
    pub threads: BTreeSet<Span>,
}

/// Where no execution within the bounds came to, though the program has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unreached {
    pub span: Span,
    /// In words, such as `the assertion`.
    pub what: String,
}

/// What there is to say beside the outcome.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Remarks {
    /// In the order of places, each once.
    pub assumptions: Vec<Assumption>,
    /// What executions came to, if that is known.
    pub reached: Option<Box<Reached>>,
    /// Of a verdict within bounds: what no execution came to.
    pub unreached: Vec<Unreached>,
    /// For people, each a sentence without a full stop.
    pub notes: Vec<String>,
    /// The engine put objects where the machine may not put them, and the program looks at an address as a number: a
    /// counterexample of another engine may depend on that, and contradicts nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_addresses: bool,
    /// Of a counterexample: what it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Box<Why>>,
}

/// Where a loop or a recursive function stands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct LoopPlace {
    pub file: String,
    /// 0 for what the front end made itself, such as the loop that sets a large array.
    pub line: u32,
    /// Whose code the loop is in.
    pub origin: Origin,
}

impl LoopPlace {
    pub fn new(program: &Program, span: Span) -> LoopPlace {
        let in_file = |function: &&Function| function.span.line != 0 && function.span.file == span.file;
        let mut origins = program.functions.iter().filter(in_file).map(|function| function.origin);
        // What the front end makes to start the program stands in the user's file.
        let is_library =
            span.line == 0 || (origins.next() == Some(Origin::Library) && origins.all(|o| o == Origin::Library));
        let origin = if is_library { Origin::Library } else { Origin::User };
        LoopPlace { file: program.file(span.file).to_owned(), line: span.line, origin }
    }
}

impl fmt::Display for LoopPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A limit within which a result holds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum BoundKind {
    /// The back edge of the loop, or the recursion, at this place was followed at most that often.
    Unwind(LoopPlace),
    Rounds,
    Buffer,
    Depth,
    /// Executions that were explored, one by one.
    Executions,
    /// Bytes of an object whose size is not known.
    ObjectSize,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Bound {
    pub kind: BoundKind,
    pub value: u64,
    /// The program could not go beyond it: the bound does not limit the result.
    pub exhausted: bool,
}

/// The bounds on loops, one per place and value; `cuts` gives each cut's place, its bound, and whether it was reached.
pub fn unwind_bounds(program: &Program, cuts: impl IntoIterator<Item = (Span, u32, bool)>) -> Vec<Bound> {
    let mut places: BTreeMap<(LoopPlace, u32), bool> = BTreeMap::new();
    for (span, bound, reached) in cuts {
        *places.entry((LoopPlace::new(program, span), bound)).or_default() |= reached;
    }
    let bound = |((place, value), reached): ((LoopPlace, u32), bool)| Bound {
        kind: BoundKind::Unwind(place),
        value: u64::from(value),
        exhausted: !reached,
    };
    places.into_iter().map(bound).collect()
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            BoundKind::Unwind(place) if place.line == 0 => {
                write!(f, "unwind {} in copies of large objects", self.value)
            }
            BoundKind::Unwind(place) => write!(f, "unwind {} at {place}", self.value),
            BoundKind::Rounds => write!(f, "{} rounds", self.value),
            BoundKind::Buffer => write!(f, "buffer {}", self.value),
            BoundKind::Depth => write!(f, "depth {}", self.value),
            BoundKind::Executions => write!(f, "{} executions", self.value),
            BoundKind::ObjectSize => write!(f, "objects of {} bytes", self.value),
        }
    }
}

/// The answer to one question: is this program safe under this model?
#[derive(Clone, Debug)]
pub struct Verdict {
    pub model: Model,
    pub engine: &'static str,
    pub outcome: Outcome,
    pub remarks: Remarks,
    pub stats: Stats,
}

impl Verdict {
    /// With nothing to remark.
    pub fn new(model: Model, engine: &'static str, outcome: Outcome, stats: Stats) -> Verdict {
        Verdict { model, engine, outcome, remarks: Remarks::default(), stats }
    }

    /// With what executions came to.
    pub fn reaching(mut self, reached: Option<Reached>) -> Verdict {
        self.remarks.reached = reached.map(Box::new);
        self
    }

    /// With the word whether it depends on where the engine put objects.
    pub fn with_own_addresses(mut self, own_addresses: bool) -> Verdict {
        self.remarks.own_addresses = own_addresses;
        self
    }

    /// With assumptions under which it holds.
    pub fn assuming(mut self, assumptions: impl IntoIterator<Item = Assumption>) -> Verdict {
        self.remarks.assumptions.extend(assumptions);
        self.remarks.assumptions.sort();
        self.remarks.assumptions.dedup();
        self
    }
}

#[derive(Clone, Debug)]
pub enum Outcome {
    /// Replayed by the reference machine.
    Unsafe(Box<Counterexample>),
    /// No violation, within the bounds that are not exhausted; without such bounds, none at all. All that are not
    /// exhausted were given by the user.
    Safe {
        bounds: Vec<Bound>,
    },
    /// No violation within these bounds, which nobody gave: a limit ended the search, or Norn has bounds of its own. To
    /// the user that is unknown.
    Limited {
        bounds: Vec<Bound>,
        undecided: Undecided,
    },
    Unknown(Undecided),
}

/// A violation with the execution that shows it. Its fields are not public so that nothing but a replay makes one.
#[derive(Clone, Debug)]
pub struct Counterexample {
    violation: Violation,
    schedule: Schedule,
    trace: Trace,
}

impl Counterexample {
    /// For the reference machine's replay only, which has just run the schedule to this violation. An engine that
    /// calls this breaks the promise that every counterexample was replayed.
    pub fn replayed(violation: Violation, schedule: Schedule, trace: Trace) -> Counterexample {
        Counterexample { violation, schedule, trace }
    }

    pub fn violation(&self) -> &Violation {
        &self.violation
    }

    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

impl Outcome {
    /// Whether the result holds for all executions (unsafe always does).
    pub fn is_complete(&self) -> bool {
        match self {
            Outcome::Unsafe(_) => true,
            Outcome::Safe { bounds } => bounds.iter().all(|b| b.exhausted),
            Outcome::Limited { .. } | Outcome::Unknown(_) => false,
        }
    }

    /// Why the question is open, if it is.
    pub fn undecided(&self) -> Option<&Undecided> {
        match self {
            Outcome::Limited { undecided, .. } | Outcome::Unknown(undecided) => Some(undecided),
            Outcome::Unsafe(_) | Outcome::Safe { .. } => None,
        }
    }

    /// The bounds within which nothing is violated; none if nothing is known.
    pub fn bounds(&self) -> &[Bound] {
        match self {
            Outcome::Safe { bounds } | Outcome::Limited { bounds, .. } => bounds,
            Outcome::Unsafe(_) | Outcome::Unknown(_) => &[],
        }
    }
}

/// Figures by name, in the order of the names.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stats(pub BTreeMap<&'static str, f64>);
