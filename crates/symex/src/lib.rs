//! Symbolic execution of a bounded program: every path of every thread at once, as guarded events. No memory model.
//!
//! - [`event`]: the event list, the interface to the engines; [`schedule`]: from a model of a formula to a schedule
//! - `execute`: the way from a program to its event list; `facts`, `class`, `range`: what is known about the whole program
//! - `execution`: one execution of all threads; `run`: one thread; `instr`, `access`, `objects`, `threads`: its instructions
//! - `guard`, `value`, `trie`, `arith`, `convert`: conditions, values, states and arithmetic; `lifetime`: ends of lives
//! - `moment`: what data races depend on
//! - `code`: what is known about code before it runs

mod access;
mod arith;
mod bounds;
mod chains;
mod class;
mod code;
mod convert;
mod deadlock;
pub mod event;
mod execute;
mod execution;
mod facts;
mod guard;
mod instr;
mod lifetime;
mod moment;
mod objects;
mod print;
mod range;
mod run;
pub mod schedule;
mod strays;
mod threads;
mod trie;
mod value;

pub use bounds::bounds_of;
pub use event::*;
pub use execute::{Limit, execute, execute_stopping};
pub use moment::{Accessed, Moment, MomentKind};
