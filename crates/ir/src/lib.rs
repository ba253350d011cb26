//! Norn's intermediate representation and the plain data that every stage shares.
//!
//! - [`program`]: a whole program, its objects and functions; [`instr`]: instructions; [`types`]: scalars and layout
//! - [`source`], [`span`], [`diag`]: texts, positions in them, and findings about them

pub mod diag;
pub mod ids;
pub mod instr;
pub mod program;
pub mod source;
pub mod span;
pub mod types;
