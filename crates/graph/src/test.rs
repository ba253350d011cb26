//! A litmus test over a small program: a question about its final states.

use crate::program::{Cell, Program, Reg, Width};

/// A program and what is asked about its final states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    pub name: String,
    pub program: Program,
    /// Executions whose final state does not satisfy it do not count.
    pub filter: Option<Condition>,
    pub quantifier: Quantifier,
    pub condition: Condition,
    /// What a table of final states shows, in this order.
    pub observed: Vec<Observed>,
}

/// The quantifier of the final condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    Exists,
    NotExists,
    /// Asks about the states that do *not* satisfy the condition.
    Forall,
}

/// What a final state has a value for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    Const(u64),
    Register {
        thread: usize,
        reg: Reg,
    },
    Cell(Cell),
    /// A value that lies in several cells of that width, the lowest bits first.
    Cells {
        first: Cell,
        count: usize,
        unit: Width,
    },
}

/// A condition on a final state. Comparisons look at the low bits of both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    True,
    False,
    Equal(Term, Term, Width),
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
}

/// A column of a table of final states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    /// `0:r1`, `x`.
    pub label: String,
    pub term: Term,
    pub width: Width,
    pub signed: bool,
}

impl Test {
    /// The condition on the states that the test asks about: it is allowed if one of them can be reached.
    pub fn wanted(&self) -> Condition {
        let body = self.condition.clone();
        let body = match self.quantifier {
            Quantifier::Exists | Quantifier::NotExists => body,
            Quantifier::Forall => Condition::Not(Box::new(body)),
        };
        match &self.filter {
            None => body,
            Some(filter) => Condition::And(vec![filter.clone(), body]),
        }
    }
}
