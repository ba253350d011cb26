//! Terms over Booleans and bit-vectors, their translation to clauses, and the SAT solver that answers.
//!
//! The way of the data: [`terms::Terms`] builds and simplifies, [`blast::Blaster`] translates into any
//! [`clauses::ClauseSink`], and [`cadical::CaDiCaL`] is the sink that solves, with a [`propagator::Propagator`]
//! for what is better said by code, and a [`proof::Checker`] for those who want more than its word. [`satisfied`] tells whether clauses hold
//! under given values, without a solver. Nothing here knows about threads, C or memory
//! models.

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
pub use terms::{Memo, Node, Partial, Sort, Term, Terms};
