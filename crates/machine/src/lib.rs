//! The reference machine: what a program means under SC, TSO and PSO. The trusted core of Norn.
//!
//! - [`machine`]: which steps are possible and what they do; `exec`: how a thread runs; [`eval`]: arithmetic
//! - [`memory`], [`state`], [`mod@encode`]: what a state is; [`models`]: when a store reaches memory; [`race`]: data races
//! - [`observe`], [`mod@trace`], [`names`], [`mod@print`]: what an execution tells about itself
//! - [`mod@replay`]: from a schedule to an execution, the one place that makes a verdict unsafe; [`run`]: one random execution
//! - `liveness`: which executions are fair and never end
//! - [`cycle`]: whether a trace is one of SC, the one place that makes a program not robust
//! - [`nested`]: what a verdict under one model says about another
//! - [`enumerate`]: every execution of a tiny program, in three exact modes
//!
//! The machine knows no engine, no solver and no pass. It is meant to be read rather than to be fast: engines have an
//! executor of their own, which is checked against the machine.

pub mod cycle;
pub mod encode;
pub mod enumerate;
pub mod eval;
mod exec;
pub mod hash;
mod leak;
mod liveness;
pub mod machine;
pub mod memory;
pub mod models;
pub mod names;
pub mod nested;
pub mod observe;
pub mod print;
pub mod race;
#[cfg(test)]
mod record_tests;
pub mod replay;
pub mod run;
pub mod state;
#[cfg(test)]
mod testing;
pub mod trace;

pub use machine::{Choice, Inputs, Machine, NoInputs, Patience, Request, Stop, Taken};
pub use replay::{End, Reference, ReplayError, Replayed, confirm, replay};
pub use state::State;
