//! Jumps into the scope of something whose type is variably modified: its length would never have been computed (C11 6.8.6.1).
//!
//! Each declaration of such a thing gets a number, and the numbers in scope form a stack. A label may be reached from where all numbers
//! in scope at the label are in scope, too.

use super::Checker;
use crate::tree::LabelId;
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

/// Numbers of declarations, with where they are.
type Open = Vec<(u32, Loc)>;

#[derive(Default)]
pub(super) struct Jumps {
    next: u32,
    /// What is in scope here.
    open: Open,
    labels: Vec<(LabelId, Open)>,
    gotos: Vec<(LabelId, Open, Loc)>,
}

impl Jumps {
    pub(super) fn declare(&mut self, loc: Loc) {
        self.open.push((self.next, loc));
        self.next += 1;
    }

    /// How much is in scope; to be given to [`Jumps::close`] at the end of the block.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn close(&mut self, depth: usize) {
        self.open.truncate(depth);
    }

    pub(super) fn label(&mut self, label: LabelId) {
        if !self.open.is_empty() {
            self.labels.push((label, self.open.clone()));
        }
    }

    pub(super) fn goto(&mut self, label: LabelId, loc: Loc) {
        // Only functions with such declarations pay for this, but those may follow.
        self.gotos.push((label, self.open.clone(), loc));
    }

    /// Forgets labels that belong to something that is never evaluated: their numbers will be used again.
    pub(super) fn forget_labels_from(&mut self, first: usize) {
        self.labels.retain(|(label, _)| (label.0 as usize) < first);
        self.gotos.retain(|(label, ..)| (label.0 as usize) < first);
    }

    /// The innermost declaration, if there are more than at a `switch` around.
    pub(super) fn beyond(&self, depth: usize) -> Option<Loc> {
        self.open.get(depth).map(|(_, loc)| *loc)
    }

    /// Each jump that enters a scope, with the declaration that it passes.
    fn wrong(&self) -> Vec<(Loc, Loc)> {
        let mut wrong = Vec::new();
        for (target, open, loc) in &self.gotos {
            let Some((_, needed)) = self.labels.iter().find(|(label, _)| label == target) else { continue };
            let passed = needed.iter().find(|(number, _)| !open.iter().any(|(n, _)| n == number));
            wrong.extend(passed.map(|(_, declared)| (*loc, *declared)));
        }
        wrong
    }
}

impl Checker<'_> {
    pub(super) fn check_jumps(&mut self, jumps: &Jumps) {
        for (loc, declared) in jumps.wrong() {
            self.jumps_into_scope(loc, declared);
        }
    }

    pub(super) fn jumps_into_scope(&mut self, loc: Loc, declared: Loc) {
        let message = "a jump past the declaration of something whose type has a computed length";
        self.report(Diagnostic::error(loc, message).also(declared, "declared here"));
    }
}
