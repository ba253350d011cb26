//! The engine that tries random executions. It finds shallow bugs in a moment, and before a verdict of safe is shown it
//! looks for an execution that contradicts it. It never says safe.
//!
//! - [`mod@engine`]: verdicts, and the attack on one
//! - [`hunt`]: one execution after another, until something is found or the budget is spent
//! - [`execution`]: one execution on the fast executor, from a number
//! - [`schedules`]: who is next (priorities, walks, turns); [`commits`]: when buffered stores reach memory
//! - [`values`]: what nondeterministic values are; [`constants`]: the numbers that a program knows
//! - [`shrink`]: fewer switches for those who read the counterexample; [`claim`]: what lies within a verdict's bounds
//! - [`random`]: numbers from a seed
//!
//! It shares the executor with `states` and `stateless`, but none of their reductions, and with the symbolic engines nothing but
//! the program: passes over it, symbolic execution and formulas are what it checks.
//!
//! The same program gives the same executions in the same order. How many there are is counted in work; where time
//! counts besides, more of it only makes more executions.

pub mod claim;
pub mod commits;
pub mod constants;
pub mod engine;
pub mod execution;
pub mod hunt;
pub mod random;
pub mod schedules;
pub mod shrink;
pub mod values;

pub use engine::{Attack, Sample};
pub use hunt::Budget;
