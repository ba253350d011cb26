//! What engines, the reference machine and reports tell one another, as plain data.
//!
//! - [`model`]: the memory models
//! - [`claim`]: what an engine says before the reference machine has confirmed it
//! - [`schedule`]: which thread takes which step, as a versioned text; replay needs nothing else
//! - [`trace`]: what happened in one execution, step by step, for people
//! - [`place`]: objects of an execution, places in them, values
//! - [`outcome`]: what is checked, verdicts, violations, assumptions and bounds; [`undecided`]: why there is no verdict,
//!   and [`advice`]: what to do about it
//! - [`record`]: verdicts as they are written down and read back
//! - [`property`]: what a property file of SV-COMP asks
//! - [`why`]: how an execution could come to its violation
//! - [`robustness`]: whether a weak model shows more than SC does
//! - [`limits`]: time, memory and the stop token; [`progress`]: how far a search has come; [`pace`]: when it looks;
//!   [`turns`]: searches that take turns

pub mod advice;
pub mod claim;
pub mod limits;
pub mod model;
pub mod outcome;
pub mod pace;
pub mod place;
pub mod progress;
pub mod property;
pub mod record;
pub mod robustness;
pub mod schedule;
pub mod trace;
pub mod turns;
pub mod undecided;
pub mod why;
