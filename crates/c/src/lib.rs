//! Norn's C front end.

pub mod ast;
pub mod ctype;
pub mod intern;
pub mod link;
pub mod lower;
pub mod session;
pub mod token;
pub mod tree;
