//! Work in pieces, as the commands `split`, `work`, `gather` and `check --on` share it.
//!
//! - [`args`]: their options
//! - [`cutting`]: from options to pieces
//! - [`folder`]: pieces and answers as files
//! - [`telling`]: what answers say together, as a verdict that is shown
//! - [`elsewhere`]: pieces on many machines, by schedulers that are there

pub mod args;
pub mod cutting;
pub mod elsewhere;
pub mod folder;
pub mod telling;
