//! Symbolic execution of a bounded program: every path of every thread at once, as guarded events. No memory model.
//!
//! - [`event`]: the event list, the interface to the engines

pub mod event;

pub use event::*;
