//! The engine `rounds`.

mod encode;
mod memory;
mod models;
mod narrow;
mod plan;
mod ranges;
mod shrink;
mod solve;
#[cfg(test)]
mod tests;
