//! The shared memory abstractions: C texts of their own, and the numbers that they are made for.

use crate::cells::Cells;
use crate::objects::Location;
use crate::{DEFAULT_NODES, Model, Options, Sma};
use std::fmt::Write;

const SC: &str = include_str!("../templates/sc.c");

/// The text of the abstraction.
pub fn text(options: &Options, _locations: &[Location], _stores: u32, _cells: Option<&Cells>) -> String {
    match (options.model, options.sma) {
        (Model::Sc, _) => SC.to_owned(),
        _ => String::new(),
    }
}

/// What it is made for.
pub fn parameters(_options: &Options, _locations: &[Location], _stores: u32) -> String {
    String::new()
}

/// Its bounds, for people.
pub fn bounds(_options: &Options, _stores: u32) -> String {
    String::new()
}
