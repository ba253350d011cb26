//! Hash-consed Boolean and bit-vector terms that are simplified as they are built.
//!
//! A [`Term`] is a number; [`Terms`] is the arena that gives it meaning. Equal terms are the same number, and every constructor
//! first folds constants and rewrites towards a normal form, so that much of a formula is decided before a solver sees it:
//!
//! - negation is a bit of the term's number, disjunction is negated conjunction, `a <= b` is `!(b < a)`;
//! - operands of commutative operations are in order of creation, with a constant always on the right;
//! - additions carry at most one constant, shifts by constants are extracts and concatenations, signed division is made of
//!   unsigned division;
//! - every bit-vector term knows which of its bits are constant ([`known`]), and comparisons look there;
//! - operations on `ite` trees with constant leaves move into the leaves ([`select`]).
//!
//! No rule looks further than a bounded number of nodes, so that building a term takes constant time. There are no arrays and no
//! quantifiers: callers split memory into cells. Floats are bit-vectors with operations of their own ([`float`]).

mod arena;
mod arithmetic;
mod bitwise;
mod boolean;
mod compare;
mod digits;
mod evaluate;
mod float;
pub mod fold;
mod known;
mod partial;
mod select;
mod width;

pub use arena::{Node, Sort, Term, Terms};
pub use evaluate::Memo;
pub use float::{Conversion, FloatOp};
pub use known::Known;
pub use partial::Partial;

#[cfg(test)]
mod rule_tests;
#[cfg(test)]
pub(crate) mod tests;
