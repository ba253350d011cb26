//! Norn's C front end.
pub mod intern;
pub mod session;
pub mod token;
