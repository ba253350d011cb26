//! The engine `rounds`.

mod encode;
mod engine;
mod examine;
mod grow;
mod memory;
mod models;
mod narrow;
mod plan;
mod ranges;
mod shrink;
mod solve;
#[cfg(test)]
mod tests;

pub use engine::{ENGINE, Task, verdict};
