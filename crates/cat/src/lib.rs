//! herd's language for memory models: reader, checker and evaluator, and the models that come with Norn.
//!
//! A model is a list of definitions of sets and relations of events and of checks that an execution must pass, after
//! Alglave, Cousot and Maranget, "Syntax and semantics of the weak consistency model specification language cat"
//! (2016). [`load`] reads the text of one ([`token`], [`parse`]) and what it includes, and [`compile`] checks it and makes
//! a graph of operations of it ([`model`]). [`eval`] evaluates these on an execution, with sets and relations as bit
//! matrices ([`relation`]). Which events there are and what the threads relate comes from outside ([`Execution`]).
//!
//! Deviations: `let rec` stands at the top level, defines relations and is monotone; the coherence order is always a
//! total order per cell that somebody else chooses, so `with co from …` says nothing. Left out, with an error: sets of
//! sets, `match`, `try`, `forall`, procedures, the declarations of bell files.

pub mod builtin;
mod compile;
pub mod eval;
mod load;
pub mod model;
mod parse;
mod parts;
pub mod relation;
mod token;
mod tree;
mod waiting;

pub use compile::Vocabulary;
pub use eval::{Evaluation, Execution, Failure};
pub use load::{Folder, MAX_BYTES, load, load_builtin};
pub use model::{Check, Model, Stage};
pub use relation::{Relation, Set};
pub use tree::Test;
