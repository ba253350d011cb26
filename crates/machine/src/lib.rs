//! The reference machine.

pub mod eval;
