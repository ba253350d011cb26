//! What each engine can decide, as data: refusals, the choice of engines and the table of the README come from here.

use norn_verdict::outcome::Checks;
use norn_verdict::undecided::Unsought;

/// What an engine is able to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capabilities {
    pub name: &'static str,
    pub deadlock: Ability,
    pub data_race: Ability,
    pub termination: Ability,
    pub memory_leak: Ability,
    /// Whether it follows programs whose freed memory may be given out again.
    pub reuses_memory: bool,
    /// Whether it can say safe, or only finds violations.
    pub says_safe: bool,
    /// Whether there is a proof of a safe verdict to check.
    pub has_proofs: bool,
    /// Whether it can look for a counterexample of the fewest steps.
    pub finds_shortest: bool,
    /// Whether the number of rounds, their order and the width of integers mean anything to it.
    pub counts_rounds: bool,
}

/// How far an engine decides a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ability {
    Decides,
    No,
}

/// Properties beside those that every engine looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Property {
    Deadlock,
    DataRace,
    Termination,
    MemoryLeak,
}

impl Property {
    /// Data races, which engines lack most often, come first.
    pub const ALL: [Property; 4] =
        [Property::DataRace, Property::Deadlock, Property::Termination, Property::MemoryLeak];

    pub fn is_asked(self, checks: Checks) -> bool {
        match self {
            Property::Deadlock => checks.deadlock,
            Property::DataRace => checks.data_race,
            Property::Termination => checks.termination,
            Property::MemoryLeak => checks.memory_leak,
        }
    }

    fn unsought(self) -> Unsought {
        match self {
            Property::Deadlock => Unsought::Deadlocks,
            Property::DataRace => Unsought::DataRaces,
            Property::Termination => Unsought::Termination,
            Property::MemoryLeak => Unsought::MemoryLeaks,
        }
    }
}

impl Capabilities {
    pub fn ability(&self, property: Property) -> Ability {
        match property {
            Property::Deadlock => self.deadlock,
            Property::DataRace => self.data_race,
            Property::Termination => self.termination,
            Property::MemoryLeak => self.memory_leak,
        }
    }

    /// What is asked for and the engine never looks for.
    pub fn unsought(&self, checks: Checks) -> Option<Unsought> {
        let lacks = |property: &Property| property.is_asked(checks) && self.ability(*property) == Ability::No;
        Property::ALL.into_iter().find(lacks).map(Property::unsought)
    }
}

/// What all engines that look at states have in common.
const OF_STATES: Capabilities = Capabilities {
    name: "states",
    deadlock: Ability::Decides,
    data_race: Ability::Decides,
    termination: Ability::Decides,
    memory_leak: Ability::Decides,
    reuses_memory: true,
    says_safe: true,
    has_proofs: false,
    finds_shortest: true,
    counts_rounds: false,
};

pub const STATES: Capabilities = OF_STATES;

pub const ENUMERATE: Capabilities = Capabilities { name: "enumerate", ..OF_STATES };

pub const STATELESS: Capabilities =
    Capabilities { name: "stateless", termination: Ability::No, finds_shortest: false, ..OF_STATES };

pub const SAMPLE: Capabilities =
    Capabilities { name: "sample", termination: Ability::No, says_safe: false, finds_shortest: false, ..OF_STATES };

pub const EVENTS: Capabilities = Capabilities {
    name: "events",
    deadlock: Ability::Decides,
    data_race: Ability::Decides,
    termination: Ability::Decides,
    memory_leak: Ability::No,
    reuses_memory: false,
    says_safe: true,
    has_proofs: true,
    finds_shortest: false,
    counts_rounds: false,
};

pub const ROUNDS: Capabilities = Capabilities {
    name: "rounds",
    deadlock: Ability::No,
    data_race: Ability::No,
    termination: Ability::No,
    counts_rounds: true,
    ..EVENTS
};

/// The execution graphs of a program, under models that are axioms; the others know SC, TSO and PSO. Data races are looked for
/// where the model says what they are.
pub const GRAPHS: Capabilities = Capabilities {
    name: "graphs",
    deadlock: Ability::No,
    data_race: Ability::No,
    termination: Ability::No,
    memory_leak: Ability::No,
    reuses_memory: false,
    says_safe: true,
    has_proofs: false,
    finds_shortest: false,
    counts_rounds: false,
};

/// Those that know SC, TSO and PSO, in the order of the README's table.
pub const ALL: [&Capabilities; 6] = [&STATES, &STATELESS, &EVENTS, &ROUNDS, &ENUMERATE, &SAMPLE];
