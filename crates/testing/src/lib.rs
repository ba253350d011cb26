//! What tests share: random numbers and programs, a shrinker for those that fail, expectations in files, the corpus.
//!
//! Only tests, benchmarks and `xtask` use this crate. Unit tests of a crate that this one depends on see other types than
//! those that are named here: they keep to what names no types of Norn, such as [`Random`].

pub mod corpus;
pub mod golden;
pub mod programs;
pub mod shrink;

#[cfg(feature = "sequential")]
pub mod sequential;
#[cfg(feature = "switches")]
pub mod switches;

mod compile;
mod limits;
mod processor;
mod random;

pub use compile::{compile, compile_named, compile_reusing, compile_unmarked, prepare};
pub use limits::at_most;
pub use processor::{measured, processor_time};
pub use random::Random;
pub use shrink::checked;

/// A number that the environment gives for longer and other runs, such as `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED`.
pub fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
