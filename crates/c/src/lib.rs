//! Norn's C front end: from files to a program in the IR.
//!
//! What the stages share is the [`session`]. They are, in order: [`pp`] (preprocessor, on [`lex`]) makes tokens, [`parse`] a syntax tree ([`ast`]), [`sema`] a
//! typed tree ([`tree`], with the types of [`ctype`] and the functions of `builtins`), [`link`] joins units, [`lower`]
//! makes IR. [`library`] holds the built-in headers and the models of library functions; [`driver`] runs it all. No stage
//! knows a later one (`tests/rooms.rs`).

pub mod ast;
mod builtins;
pub mod ctype;
pub mod driver;
pub mod intern;
pub mod lex;
pub mod library;
pub mod link;
pub mod literal;
pub mod lower;
pub mod parse;
pub mod pp;
pub mod sema;
pub mod session;
pub mod spelling;
pub mod token;
pub mod tree;
