//! Atomic sections of the program as a whole.

use super::prune::Roots;
use norn_ir::program::Program;

pub fn resolve(_program: &mut Program, _roots: &mut Roots) {}
