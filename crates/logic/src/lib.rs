//! Terms over Booleans and bit-vectors, their translation to clauses, and the SAT solver that answers.
//!
//! Data passes through these parts in order: [`terms::Terms`] builds and simplifies terms, [`blast::Blaster`]
//! translates them into clauses for any [`clauses::ClauseSink`], and [`cadical::CaDiCaL`] is the sink that solves. A
//! [`propagator::Propagator`] adds constraints that are code instead of clauses; a [`proof::Checker`] checks the
//! solver's proof. [`satisfied`] tells whether clauses hold under given values, without a solver. Nothing here knows
//! about threads, C or memory models.

pub mod blast;
pub mod cadical;
pub mod clauses;
mod gates;
pub mod proof;
pub mod propagator;
pub mod sat;
pub mod satisfied;
pub mod terms;
mod trace;

pub use blast::Blaster;
pub use cadical::{CaDiCaL, Options};
pub use clauses::{ClauseSink, Dimacs, Lit};
pub use proof::{Certificate, Damage};
pub use propagator::Propagator;
pub use sat::{Answer, Sat, SatStats};
pub use terms::{Conversion, FloatOp, Memo, Node, Partial, Sort, Term, Terms};
