//! Norn's C front end.

pub mod ast;
pub mod builtins;
pub mod ctype;
pub mod intern;
pub mod literal;
pub mod sema;
pub mod session;
pub mod token;
pub mod tree;
