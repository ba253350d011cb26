//! The fast executor under the concrete engines: compiled IR, flat memory, store buffers, and an undo log that takes
//! back any number of steps.
//!
//! - [`mod@compile`], [`op`]: the dense form of a program, with the loop counters of `--unwind` on its edges
//! - [`state`], [`memory`], [`undo`]: threads, objects and their bytes; every change is logged
//! - [`executor`]: steps and commits; `run`: how a thread runs; `access`, `control`, `objects`: its instructions
//! - [`models`]: when a store reaches memory; [`arith`]: arithmetic
//! - [`races`]: data races; [`open`]: what of the past can still be part of one
//! - [`effect`]: what a step tells about itself; `observed`: whether it has looked at an address as a number
//! - `made`: pointers that are made of numbers
//!
//! The reference machine defines what a step is and what it does. This crate shares no code with the machine and is
//! tested against it step by step.
//!
//! Left out: output.

mod access;
pub mod arith;
pub mod compile;
mod control;
pub mod effect;
pub mod executor;
mod leak;
mod made;
pub mod memory;
pub mod models;
mod objects;
mod observed;
pub mod op;
pub mod open;
pub mod races;
mod run;
pub mod state;

pub mod undo;

pub use compile::compile;
pub use effect::Effect;
pub use executor::{Choice, Executor, Request, Script, Stop, Supplier};
pub use op::Code;
pub use state::{Status, ThreadIdentity};
pub use undo::{Change, Mark};
