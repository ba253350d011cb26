//! The engine `events`: every execution of a bounded program at once, as events with ordering axioms, solved by SAT.
//!
//! - `models`, `fixed_order`: the places of events in the global order and what program order and fences fix between them
//! - `symmetry`: threads that are copies of one another
//! - `pairs`: which write a read may read from; `encode`: the axioms as clauses
//! - `variables`, `order`, `theory`, `from_reads`: order variables and the propagator that keeps their order acyclic; `clocks`: the
//!   paper's bit-vectors instead (walcyrie-ppopp16); `certify`: that a learnt clause is a cycle; `sampled`: that executions
//!   of the machine are models
//! - `races`: what a data race is
//! - `question`: one formula and what is asked about it; `schedule`: from a model to a schedule; `engine`: to a verdict
//!
//! Left out: deadlocks are not looked for; the verdict is then unknown.

mod certify;
mod clocks;
mod encode;
mod engine;
mod fixed_order;
mod from_reads;
mod models;
mod order;
mod pairs;
mod question;
mod races;
mod sampled;
mod schedule;
mod symmetry;
#[cfg(test)]
mod tests;
mod theory;
mod variables;

pub use engine::{Encoding, Events};
