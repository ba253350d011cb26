//! Terms over Booleans and bit-vectors, their translation to clauses, and the SAT solver that answers.
//!
//! The way of the data: [`terms::Terms`] builds and simplifies, [`blast::Blaster`] translates into any
//! [`clauses::ClauseSink`], and [`cadical::CaDiCaL`] is the sink that solves. Nothing here knows about threads, C or memory
//! models.

pub mod blast;
pub mod cadical;
pub mod clauses;
mod gates;
pub mod sat;
pub mod terms;

pub use blast::Blaster;
pub use cadical::CaDiCaL;
pub use clauses::{ClauseSink, Dimacs, Lit};
pub use sat::{Answer, Sat, SatStats};
pub use terms::{Memo, Node, Sort, Term, Terms};
