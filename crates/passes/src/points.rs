//! What a program has that executions should come to for a verdict to mean much: assertions, decisions about error functions
//! and labels, the functions in which threads start. A verdict within bounds that keep all executions from one of them says
//! less than it seems to.
//!
//! An error function is never called in a safe program, and `assert` is a branch to a place that is never come to. What counts is
//! whether the decision is reached: the branch from which control may go there (without one, the call itself).
//! [`mark_decisions`] puts an assertion that always holds there, with the place of the call, so that engines need not know
//! about decisions.
//!
//! An assertion whose condition is a constant (`assert(0)`) decides nothing itself. A branch before it may (`if (x) assert(0);`), but the
//! end of a loop before it does not: such an assertion may well be what the loop keeps executions from.

use std::collections::{BTreeMap, BTreeSet};

use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{Const, Instr, InstrKind, Operand, Property};
use norn_ir::program::{Function, Origin, Program};
use norn_ir::span::Span;

use crate::loops::{LoopForest, loops};
use crate::points_to::PointsTo;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Point {
    /// Of the assertion, the call, the label or the function.
    pub span: Span,
    pub kind: PointKind,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PointKind {
    Assertion,
    ErrorFunction,
    ErrorLabel,
    /// With its name.
    ThreadFunction(String),
}

/// The points of the user's code that calls and creations lead to, in the order of their places.
pub fn points(program: &Program) -> Vec<Point> {
    let points_to = PointsTo::new(program);
    let mut points = BTreeSet::new();
    for index in 0..program.functions.len() {
        let id = FuncId::new(index);
        let function = program.function(id);
        if !points_to.reaches(id) {
            continue;
        }
        for (_, start) in points_to.spawns_of(id) {
            let started = program.function(start);
            if started.origin == Origin::User {
                let kind = PointKind::ThreadFunction(started.name.clone());
                points.insert(Point { span: started.span, kind });
            }
        }
        if function.origin == Origin::User {
            let instrs = function.blocks.iter().flat_map(|block| &block.instrs);
            points.extend(instrs.filter_map(|instr| Some(Point { span: instr.span, kind: kind(instr)? })));
        }
    }
    points.into_iter().collect()
}

fn kind(instr: &Instr) -> Option<PointKind> {
    match instr.kind {
        InstrKind::Assert { property: Property::Assertion, .. } => Some(PointKind::Assertion),
        InstrKind::Assert { property: Property::ErrorCall, .. } => Some(PointKind::ErrorFunction),
        InstrKind::Assert { property: Property::ErrorLabel, .. } => Some(PointKind::ErrorLabel),
        _ => None,
    }
}

/// Puts an assertion that holds where it is decided whether an assertion fails, an error function is called or a label reached.
pub fn mark_decisions(program: &mut Program) {
    for function in program.functions.iter_mut().filter(|function| function.origin == Origin::User) {
        let mut marks: BTreeMap<BlockId, Vec<(Span, Property)>> = BTreeMap::new();
        let flow = Flow { before: function.predecessors(), loops: loops(function), function };
        for (index, block) in function.blocks.iter().enumerate() {
            for instr in &block.instrs {
                let InstrKind::Assert { cond: Operand::Const(cond), property, ref message } = instr.kind else {
                    continue;
                };
                if cond.bits != 0 || property == Property::Misuse {
                    continue;
                }
                let is_constant = property == Property::Assertion && is_constant(message);
                for decision in flow.decisions(BlockId::new(index), is_constant) {
                    let marks = marks.entry(decision).or_default();
                    if !marks.contains(&(instr.span, property)) {
                        marks.push((instr.span, property));
                    }
                }
            }
        }
        for (block, marks) in marks {
            let mark = |(span, property)| Instr {
                kind: InstrKind::Assert { cond: Operand::Const(Const::TRUE), property, message: String::new() },
                span,
            };
            function.blocks[block.index()].instrs.extend(marks.into_iter().map(mark));
        }
    }
}

/// Whether the text of a condition names nothing: `0`, `!"not here"`, `false && "why"`.
fn is_constant(condition: &str) -> bool {
    let mut chars = condition.chars().peekable();
    let mut names_nothing = true;
    while let Some(c) = chars.next() {
        if c == '"' || c == '\'' {
            while let Some(inside) = chars.next().filter(|&inside| inside != c) {
                if inside == '\\' {
                    chars.next();
                }
            }
        } else if c == '_' || c.is_alphanumeric() {
            let mut word = String::from(c);
            while let Some(next) = chars.next_if(|&next| next == '_' || next.is_alphanumeric()) {
                word.push(next);
            }
            names_nothing &= c.is_ascii_digit() || ["false", "NULL"].contains(&&word[..]);
        }
    }
    names_nothing && !condition.is_empty()
}

/// How control flows in a function.
struct Flow<'a> {
    function: &'a Function,
    before: Vec<Vec<BlockId>>,
    loops: LoopForest,
}

impl Flow<'_> {
    /// The blocks at whose end control may turn towards a block. With `but_loops` the end of a loop is no decision.
    fn decisions(&self, block: BlockId, but_loops: bool) -> Vec<BlockId> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::from([block]);
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            for &previous in &self.before[block.index()] {
                if self.function.block(previous).terminator.kind.successors().count() > 1 {
                    if !(but_loops && self.leaves_loop(previous, block)) {
                        found.push(previous);
                    }
                } else if seen.insert(previous) {
                    work.push(previous);
                }
            }
        }
        found
    }

    fn leaves_loop(&self, from: BlockId, to: BlockId) -> bool {
        self.loops.around(from).any(|left| self.loops.around(to).all(|around| around != left))
    }
}

#[cfg(test)]
mod tests {
    use super::is_constant;

    #[test]
    fn constant_conditions_name_nothing() {
        for condition in ["0", "!\"it's x\"", "0 && \"a \\\" b\"", "false", "1 == 0x2u", "'a' == 3", "NULL"] {
            assert!(is_constant(condition), "{condition}");
        }
        for condition in ["", "x", "x && \"y\"", "_a", "f(1)", "a0 == 1", "sizeof(int) == 2"] {
            assert!(!is_constant(condition), "{condition}");
        }
    }
}
