//! How deep the tree is.
//!
//! Two numbers are kept. `depth` is the length of the path from the root to the node being parsed; it grows with
//! recursion. `deepest` is the largest depth inside the construct being parsed. Chains that nest to the left, such as
//! `a + b + c`, need the second: their first operand was parsed when nobody knew how deep it would end up, and each
//! further operator moves everything parsed so far one level down.

use super::{Failed, MAX_DEPTH, Parsed, Parser};
use norn_ir::diag::Diagnostic;

impl Parser<'_> {
    /// One level down. Where parsing fails in between, whoever takes up the text again restores the depth.
    pub(super) fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        if self.depth > MAX_DEPTH { self.too_deep() } else { Ok(()) }
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Begins a construct that may turn out to be the left end of a chain. The result is for `end_chain`.
    pub(super) fn begin_chain(&mut self) -> u32 {
        std::mem::replace(&mut self.deepest, self.depth)
    }

    /// What was parsed since `begin_chain` becomes the child of a new node.
    pub(super) fn grow_chain(&mut self) -> Parsed<()> {
        self.deepest += 1;
        if self.deepest > MAX_DEPTH { self.too_deep() } else { Ok(()) }
    }

    pub(super) fn end_chain(&mut self, outer: u32) {
        self.deepest = self.deepest.max(outer);
    }

    #[cold]
    fn too_deep(&mut self) -> Parsed<()> {
        let at = self.peek_token();
        let help = format!("Norn follows at most {MAX_DEPTH} levels of nesting, counting operators in a row");
        self.report(Diagnostic::error(at.loc, "nested too deeply").covering(u32::from(at.len)).help(help));
        self.stop();
        Err(Failed)
    }
}
