//! What a program has that executions should come to for a verdict to mean much: assertions, decisions about error functions
//! and labels, the functions in which threads start. A verdict within bounds that keep all executions from one of them says
//! less than it seems to.
//!
//! An error function is never called in a safe program. What counts is whether the decision to call it is reached: the
//! branch from which control may go there (without one, the call itself). [`mark_decisions`] puts an assertion that always
//! holds there, with the place of the call, so that engines need not know about decisions.

use std::collections::{BTreeMap, BTreeSet};

use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{Const, Instr, InstrKind, Operand, Property};
use norn_ir::program::{Function, Origin, Program};
use norn_ir::span::Span;

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

/// Puts an assertion that holds where it is decided whether an error function is called or a label reached.
pub fn mark_decisions(program: &mut Program) {
    for function in program.functions.iter_mut().filter(|function| function.origin == Origin::User) {
        let mut marks: BTreeMap<BlockId, BTreeSet<(Span, bool)>> = BTreeMap::new();
        let before = predecessors(function);
        for (index, block) in function.blocks.iter().enumerate() {
            for instr in &block.instrs {
                let is_call = match instr.kind {
                    InstrKind::Assert { property: Property::ErrorCall, .. } => true,
                    InstrKind::Assert { property: Property::ErrorLabel, .. } => false,
                    _ => continue,
                };
                for decision in decisions(function, &before, BlockId(index as u32)) {
                    marks.entry(decision).or_default().insert((instr.span, is_call));
                }
            }
        }
        for (block, spans) in marks {
            let property = |is_call| if is_call { Property::ErrorCall } else { Property::ErrorLabel };
            let mark = |(span, is_call)| Instr {
                kind: InstrKind::Assert {
                    cond: Operand::Const(Const::TRUE),
                    property: property(is_call),
                    message: String::new(),
                },
                span,
            };
            function.blocks[block.index()].instrs.extend(spans.into_iter().map(mark));
        }
    }
}

fn predecessors(function: &Function) -> Vec<Vec<BlockId>> {
    let mut before = vec![Vec::new(); function.blocks.len()];
    for (index, block) in function.blocks.iter().enumerate() {
        for next in block.terminator.kind.successors() {
            before[next.index()].push(BlockId(index as u32));
        }
    }
    before
}

/// The blocks at whose end control may turn towards a block.
fn decisions(function: &Function, before: &[Vec<BlockId>], block: BlockId) -> Vec<BlockId> {
    let mut found = Vec::new();
    let mut seen = vec![block];
    let mut work = vec![block];
    while let Some(block) = work.pop() {
        for &previous in &before[block.index()] {
            if function.block(previous).terminator.kind.successors().count() > 1 {
                found.push(previous);
            } else if !seen.contains(&previous) {
                seen.push(previous);
                work.push(previous);
            }
        }
    }
    found
}
