//! What every engine is given, and what it gives back.
//!
//! - [`prepared`]: a program that is ready for engines, with what is known about it computed once
//! - [`query`]: a question about it, and the trait of those who answer
//! - [`capabilities`]: what each engine can decide, as data
//! - [`bounds`]: the bounds on loops that a user gives

pub mod bounds;
pub mod capabilities;
pub mod prepared;
pub mod query;

pub use bounds::GivenBounds;
pub use capabilities::{Ability, Capabilities, Property};
pub use prepared::Prepared;
pub use query::{Engine, Query};
