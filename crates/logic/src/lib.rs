//! Terms over Booleans and bit-vectors, their translation to clauses, and the SAT solver that answers.
//!
//! The way of the data: [`terms::Terms`] builds and simplifies. Nothing here knows about threads, C or memory models.

pub mod terms;
