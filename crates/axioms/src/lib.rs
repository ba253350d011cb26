//! C programs under memory models that are axioms.
//!
//! For models that let loads overtake one another there is no small machine with buffers. Their definitions say which
//! execution graphs there are. Here these are graphs of the threads of a C program.
//!
//! **The trusted core**, which only `ir`, `cat` and the arithmetic of `machine` are below:
//!
//! - [`run`]: one thread alone, with what its reads read from given; [`value`], [`memory`], [`event`]: what it works on
//! - [`tables`]: what accesses and fences are in the words of a model
//! - [`world`]: all threads; [`graph`]: their execution graph; [`mod@confirm`]: the judge, the one place that makes an
//!   execution a counterexample
//!
//! The search, which the core does not rely on:
//!
//! - [`search`]: every execution within bounds; [`order`]: the order of the writes; [`loops`]: how far loops are followed;
//!   [`updates`], [`beside`]: which of their rounds only wait
//! - [`answer`]: growing bounds, and the answer to a question
//! - [`picture`]: executions as text, for Graphviz and as data

pub mod answer;
pub mod beside;
pub mod confirm;
pub mod event;
pub mod graph;
pub mod loops;
pub mod memory;
pub mod order;
pub mod picture;
pub mod run;
pub mod search;
pub mod tables;
pub mod thin_air;
pub mod updates;
pub mod value;
pub mod world;
