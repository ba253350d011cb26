//! Norn's C front end.

pub mod ast;
pub mod ctype;
pub mod intern;
pub mod library;
pub mod session;
pub mod token;
pub mod tree;
