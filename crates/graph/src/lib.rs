//! Execution graphs: programs under memory models that are given as axioms.
//!
//! [`program`] is the form of the programs, [`test`] the question about their final states.

pub mod program;
pub mod test;
