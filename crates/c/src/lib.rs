//! Norn's C front end.

pub mod ast;
pub mod ctype;
pub mod intern;
pub mod lex;
pub mod library;
pub mod literal;
pub mod parse;
pub mod pp;
pub mod session;
pub mod token;
pub mod tree;
