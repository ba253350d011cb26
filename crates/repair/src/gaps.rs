//! Gaps: places in the user's text where another statement can stand without a change of what is there.
//!
//! Found in the syntax tree: before each statement and declaration of a block, and before the brace that ends it; and, in
//! braces, before and after a simple statement that is governed by an `if` or a loop without braces. A block whose braces come
//! from a macro has none. What a macro makes of them is not looked at here: who uses a gap reads the text again.

use crate::code::Code;
use crate::scan;
use norn_c::ast::{Block, BlockItem, Expr, ExprKind, Item, Stmt, StmtKind, TranslationUnit};
use norn_ir::source::{Loc, SourceId, SourceMap};
use std::path::PathBuf;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Gap {
    /// As it was opened.
    pub file: PathBuf,
    /// Where the other statement is to stand, in bytes.
    pub at: usize,
    pub kind: GapKind,
    /// How many loops are around it.
    pub loops: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GapKind {
    /// Before what stands there.
    Between,
    /// Before the brace that ends a block. Its last statement begins here; `None` if it is empty.
    End { last: Option<usize> },
    /// Before or after the statement that stands there and ends here: both need braces around them.
    Braced { end: usize, after: bool },
}

/// The gaps of the user's files, in their order, each once; with `library` also those of the system's files.
pub fn gaps(code: &Code, library: bool) -> Vec<Gap> {
    let mut gaps = Vec::new();
    code.for_each_tree(|tree, sources| {
        let mut walk = Walk { sources, gaps: &mut gaps, loops: 0, library };
        walk.unit(tree);
    });
    gaps.sort();
    gaps.dedup_by(|a, b| (&a.file, a.at, a.kind) == (&b.file, b.at, b.kind));
    gaps
}

struct Walk<'a> {
    sources: &'a SourceMap,
    gaps: &'a mut Vec<Gap>,
    loops: u32,
    library: bool,
}

impl Walk<'_> {
    fn unit(&mut self, unit: &TranslationUnit) {
        for item in &unit.items {
            if let Item::Function(function) = item {
                self.block(&function.body);
            }
        }
    }

    /// The text and the byte that a position is, if it is in a file of the user's.
    fn place(&self, loc: Loc) -> Option<(SourceId, usize)> {
        let source = self.sources.source_of(loc)?;
        let is_users = !self.sources.is_builtin(source) && (self.library || !self.sources.in_system_header(loc));
        is_users.then(|| (source, (loc.0 - self.sources.start(source).0) as usize))
    }

    fn add(&mut self, source: SourceId, at: usize, kind: GapKind) {
        let file = PathBuf::from(self.sources.name(source));
        self.gaps.push(Gap { file, at, kind, loops: self.loops });
    }

    fn block(&mut self, block: &Block) {
        let in_text = |place: Option<(SourceId, usize)>, brace: &str| {
            place.filter(|&(source, at)| self.sources.text(source)[at..].starts_with(brace))
        };
        let (begin, end) = (in_text(self.place(block.loc), "{"), in_text(self.place(block.end), "}"));
        let mut last = None;
        for item in &block.items {
            let loc = match item {
                BlockItem::Declaration(declaration) => declaration.loc,
                BlockItem::StaticAssert(_) => continue,
                BlockItem::Function(_) => continue,
                BlockItem::Statement(statement) => statement.loc,
            };
            if let (Some(begin), Some(end), Some((source, at))) = (begin, end, self.place(loc))
                && begin.0 == source
                && end.0 == source
                && (begin.1 + 1..end.1).contains(&at)
            {
                self.add(source, at, GapKind::Between);
                last = Some(at);
            }
            if let BlockItem::Statement(statement) = item {
                self.statement(statement);
            }
        }
        let jumps = |item: &BlockItem| match item {
            BlockItem::Statement(statement) => {
                matches!(statement.kind, StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue)
            }
            _ => false,
        };
        if let (Some(begin), Some(end)) = (begin, end)
            && begin.0 == end.0
            && !block.items.last().is_some_and(jumps)
        {
            self.add(end.0, end.1, GapKind::End { last });
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Block(block) => self.block(block),
            StmtKind::If { then, otherwise, .. } => {
                self.governed(then);
                otherwise.iter().for_each(|otherwise| self.governed(otherwise));
            }
            StmtKind::Switch { body, .. } => self.statement(body),
            // The frame of a macro is no loop.
            StmtKind::DoWhile { body, condition } if is_zero(self.sources, condition) => self.governed(body),
            StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => self.in_loop(body),
            StmtKind::For(parts) => self.in_loop(&parts.body),
            StmtKind::Labeled { body, .. } => {
                if let Some((source, at)) = self.place(body.loc) {
                    self.add(source, at, GapKind::Between);
                }
                self.statement(body);
            }
            StmtKind::Null
            | StmtKind::Expr(_)
            | StmtKind::Goto(_)
            | StmtKind::GotoComputed(_)
            | StmtKind::Continue
            | StmtKind::Break
            | StmtKind::Return(_)
            | StmtKind::Asm(_) => {}
        }
    }

    fn in_loop(&mut self, body: &Stmt) {
        self.loops += 1;
        self.governed(body);
        self.loops -= 1;
    }

    /// A statement that needs braces if it is to be more than one.
    fn governed(&mut self, statement: &Stmt) {
        let jumps =
            matches!(statement.kind, StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue);
        if jumps || matches!(statement.kind, StmtKind::Expr(_) | StmtKind::Asm(_)) {
            let place = self.place(statement.loc);
            if let Some((source, at, end)) = place
                .and_then(|(source, at)| Some((source, at, scan::end_of_statement(self.sources.text(source), at)?)))
            {
                self.add(source, at, GapKind::Braced { end, after: false });
                if !jumps {
                    self.add(source, at, GapKind::Braced { end, after: true });
                }
            }
        }
        self.statement(statement);
    }
}

/// Whether a condition is written as `0`.
fn is_zero(sources: &SourceMap, condition: &Expr) -> bool {
    let ExprKind::Number(_) = condition.kind else { return false };
    let Some(source) = sources.source_of(condition.loc) else { return false };
    scan::word_at(sources.text(source), (condition.loc.0 - sources.start(source).0) as usize) == "0"
}
