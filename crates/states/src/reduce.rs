//! Which step is enough.

use crate::walk::{Choice, Walk};
use norn_exec::op::Code;
use norn_ir::program::Program;
use norn_verdict::outcome::Checks;

pub struct Reducer<'a> {
    #[allow(dead_code)]
    code: &'a Code,
}

impl<'a> Reducer<'a> {
    pub fn new(_program: &'a Program, _code: &'a Code, _checks: Checks) -> Option<Reducer<'a>> {
        None
    }

    pub fn choose(&mut self, _walk: &mut Walk<'_>) -> Option<Choice> {
        None
    }
}
