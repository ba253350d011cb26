//! The engine `rounds`.

mod encode;
mod memory;
mod models;
mod narrow;
mod plan;
mod ranges;
