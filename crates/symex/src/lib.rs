//! Symbolic execution of a bounded program: every path of every thread at once, as guarded events. No memory model.
//!
//! - [`event`]: the event list, the interface to the engines

pub mod event;
mod guard;
mod trie;
mod value;

pub use event::*;
