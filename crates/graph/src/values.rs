//! What each thread may do, whatever the others do: all its traces over the values that its reads may find.
//!
//! A cell may hold its initial value and what some thread writes to it in one of its traces; so values and traces grow
//! together, from the initial values up. Each round finds what is computed from the values of the round before. In an
//! execution in which no value comes out of thin air, a value is computed by a chain of writes in which none comes
//! twice, so as many rounds as there are writes are enough: values that counters would reach only with more writes
//! than there are do not appear.
//!
//! Models that order little allow values out of thin air: reads and writes that hand each other a value in a circle.
//! These are found from above: cells may hold any constant of the test and one more value, and what nobody writes is
//! taken away until nothing changes. That is tried where threads have few traces even so; values that would have to be
//! computed on the way round are not found.
//!
//! A thread that accesses no location has no trace: no final state is reached.

use std::collections::{BTreeMap, BTreeSet};

use norn_verdict::limits::Limits;

use crate::live::Heads;
use crate::program::{Cell, Expr, Instr, Program};
use crate::run::{Ask, End, Kind, Loops, Trace, run};
use crate::test::{Condition, Term};

/// Jumps back that a thread may take, besides those of rounds in which it only waits.
const ROUNDS: usize = 4;
/// Traces of one thread.
const MAX_TRACES: usize = 50_000;
/// Runs of one thread that values out of thin air are worth.
const MAX_RUNS_FOR_THIN_AIR: usize = 3000;

/// All traces of the threads.
pub struct Traces {
    /// Per thread, those that end well.
    pub threads: Vec<Vec<Trace>>,
    /// Why there may be more.
    pub incomplete: Option<String>,
}

/// The values that each cell may hold.
type Values = BTreeMap<Cell, BTreeSet<u64>>;

/// `wanted` is what a final state is asked for. `waits` says that rounds of loops in which a thread only waits can be
/// left out.
pub fn traces(program: &Program, wanted: &Condition, waits: bool, limits: &Limits) -> Traces {
    let heads: Vec<Option<Heads>> = program.threads.iter().map(|thread| waits.then(|| Heads::of(thread))).collect();
    let question = Question { program, heads: &heads, limits };
    let initial = initial(program);
    let mut values = initial.clone();
    let mut round = 0;
    loop {
        let found = match question.all(&values, MAX_TRACES) {
            Ok(found) => found,
            Err(reason) => return Traces { threads: Vec::new(), incomplete: Some(reason) },
        };
        let mut grew = false;
        for (&cell, written) in &found.written {
            for &value in written {
                grew |= values.entry(cell).or_default().insert(value);
            }
        }
        if !grew || round > found.longest_chain {
            return out_of_thin_air(&question, wanted, &initial, &values).unwrap_or(found.traces);
        }
        round += 1;
    }
}

fn initial(program: &Program) -> Values {
    let value = |(index, cell): (usize, &crate::program::CellInfo)| {
        (Cell::new(index), BTreeSet::from([cell.width.truncate(cell.init)]))
    };
    program.cells.iter().enumerate().map(value).collect()
}

/// The traces with values out of thin air, if there are any that are not among `values`.
fn out_of_thin_air(question: &Question<'_>, wanted: &Condition, initial: &Values, values: &Values) -> Option<Traces> {
    let program = question.program;
    let mut universe = BTreeSet::new();
    constants(program, wanted, &mut universe);
    // Small, so that it fits wherever it goes.
    universe.insert((2..).find(|value| !universe.contains(value))?);
    let mut possible = values.clone();
    for (cell, known) in &mut possible {
        known.extend(universe.iter().map(|&value| program.cells[cell.index()].width.truncate(value)));
    }
    loop {
        let found = question.all(&possible, MAX_RUNS_FOR_THIN_AIR).ok()?;
        let mut next = initial.clone();
        for (&cell, written) in &found.written {
            next.entry(cell).or_default().extend(written);
        }
        let mut shrank = false;
        for (cell, known) in &mut possible {
            let before = known.len();
            known.retain(|value| next[cell].contains(value));
            shrank |= known.len() < before;
        }
        let is_new = possible.iter().any(|(cell, known)| !known.is_subset(&values[cell]));
        if !is_new {
            return None;
        }
        if !shrank {
            return Some(found.traces);
        }
    }
}

/// The numbers that the test names.
fn constants(program: &Program, wanted: &Condition, found: &mut BTreeSet<u64>) {
    for step in program.threads.iter().flat_map(|thread| &thread.code) {
        let exprs: Vec<&Expr> = match &step.instr {
            Instr::Assign { value, .. } => vec![value],
            Instr::Store { value, .. } | Instr::StoreExclusive { value, .. } => vec![value],
            Instr::Rmw { value, when, .. } => when.iter().chain([value]).collect(),
            Instr::Branch { condition, .. } => vec![condition],
            _ => Vec::new(),
        };
        exprs.into_iter().for_each(|expr| numbers(expr, found));
    }
    asked(wanted, found);
}

fn numbers(expr: &Expr, found: &mut BTreeSet<u64>) {
    match expr {
        Expr::Const(value) => drop(found.insert(*value)),
        Expr::Reg(_) => {}
        Expr::Unary(_, inner) | Expr::Truncate(_, inner) | Expr::SignExtend(_, inner) => numbers(inner, found),
        Expr::Binary(_, lhs, rhs) => [lhs, rhs].into_iter().for_each(|side| numbers(side, found)),
        Expr::Select(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| numbers(part, found));
        }
    }
}

fn asked(condition: &Condition, found: &mut BTreeSet<u64>) {
    match condition {
        Condition::True | Condition::False => {}
        Condition::Equal(lhs, rhs, _) => {
            for term in [lhs, rhs] {
                if let Term::Const(value) = term {
                    found.insert(*value);
                }
            }
        }
        Condition::Not(inner) => asked(inner, found),
        Condition::And(parts) | Condition::Or(parts) => parts.iter().for_each(|part| asked(part, found)),
    }
}

/// What all threads may do if cells hold certain values.
struct Found {
    traces: Traces,
    written: Values,
    /// Writes of one execution, at most.
    longest_chain: usize,
}

/// What does not change while values and traces grow.
struct Question<'q> {
    program: &'q Program,
    /// Per thread, where it may wait.
    heads: &'q [Option<Heads>],
    limits: &'q Limits,
}

impl Question<'_> {
    fn all(&self, values: &Values, most: usize) -> Result<Found, String> {
        let traces = Traces { threads: Vec::new(), incomplete: None };
        let mut found = Found { traces, written: Values::new(), longest_chain: 0 };
        for thread in 0..self.program.threads.len() {
            self.of_thread(thread, values, most, &mut found)?;
        }
        Ok(found)
    }

    /// The traces of one thread, by trying all answers to what it asks in order: the answers given before the last
    /// question are kept, and the last one that has another is changed.
    fn of_thread(&self, thread: usize, values: &Values, most: usize, found: &mut Found) -> Result<(), String> {
        let loops = Loops { rounds: ROUNDS, heads: self.heads[thread].as_ref() };
        let none = BTreeSet::new();
        let mut traces = Vec::new();
        let mut most_writes = 0;
        // Per question, the answer and those that are still to be tried.
        let mut path: Vec<(u64, Vec<u64>)> = Vec::new();
        let mut runs = 0_usize;
        loop {
            let mut asked = 0;
            let trace = run(self.program, thread, loops, &mut |question| {
                asked += 1;
                if let Some((answer, _)) = path.get(asked - 1) {
                    return Some(*answer);
                }
                let mut open: Vec<u64> = match question {
                    Ask::Read(cell) => values.get(&cell).unwrap_or(&none).iter().copied().collect(),
                    Ask::Exclusive | Ask::Choice => vec![0, 1],
                };
                let answer = open.pop()?;
                path.push((answer, open));
                Some(answer)
            });
            let mut writes = 0;
            for event in trace.events.iter().filter(|event| event.kind == Kind::Write) {
                writes += 1;
                if let Some(cell) = event.cell {
                    found.written.entry(cell).or_default().insert(event.value);
                }
            }
            most_writes = most_writes.max(writes);
            let incomplete = match trace.end {
                End::Done => {
                    traces.push(trace);
                    None
                }
                End::Stopped | End::NoCell => None,
                End::Cut => Some("a loop was not followed to its end"),
                End::MixedSize => Some("an access touches a part of a location, or more than one"),
            };
            if let Some(reason) = incomplete {
                found.traces.incomplete = Some(reason.to_owned());
            }
            runs += 1;
            if traces.len() > most || runs > 100 * most {
                return Err(format!("a thread can behave in more than {most} ways"));
            }
            if runs.is_multiple_of(1024)
                && let Some(exceeded) = self.limits.exceeded()
            {
                return Err(exceeded.reason().to_owned());
            }
            while let Some((answer, open)) = path.last_mut() {
                match open.pop() {
                    Some(next) => {
                        *answer = next;
                        break;
                    }
                    None => drop(path.pop()),
                }
            }
            if path.is_empty() {
                found.traces.threads.push(traces);
                found.longest_chain += most_writes;
                return Ok(());
            }
        }
    }
}
