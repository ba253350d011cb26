//! What each thread may do, whatever the others do: all its traces over the values that its reads may find.
//!
//! A cell may hold its initial value and what some thread writes to it in one of its traces; so values and traces grow
//! together, from the initial values up. Each round finds what is computed from the values of the round before. In an
//! execution in which no value comes out of thin air, a value is computed by a chain of writes in which none comes
//! twice, so as many rounds as there are writes are enough: values that counters would reach only with more writes
//! than there are do not appear.

use std::collections::{BTreeMap, BTreeSet};

use norn_verdict::limits::Limits;

use crate::program::{Cell, Program};
use crate::run::{Ask, End, Kind, Trace, run};

/// Jumps back that a thread may take.
const ROUNDS: usize = 3;
/// Traces of one thread.
const MAX_TRACES: usize = 50_000;

/// All traces of the threads.
pub struct Traces {
    /// Per thread, those that end well.
    pub threads: Vec<Vec<Trace>>,
    /// Why there may be more.
    pub incomplete: Option<String>,
}

/// The values that each cell may hold.
type Values = BTreeMap<Cell, BTreeSet<u64>>;

pub fn traces(program: &Program, limits: &Limits) -> Traces {
    let mut values = Values::new();
    for (index, cell) in program.cells.iter().enumerate() {
        values.entry(Cell::new(index)).or_default().insert(cell.width.truncate(cell.init));
    }
    let mut round = 0;
    loop {
        let mut found = Traces { threads: Vec::new(), incomplete: None };
        for thread in 0..program.threads.len() {
            match of_thread(program, thread, &values, limits) {
                Ok((traces, incomplete)) => {
                    found.threads.push(traces);
                    found.incomplete = found.incomplete.or(incomplete);
                }
                Err(reason) => return Traces { threads: Vec::new(), incomplete: Some(reason) },
            }
        }
        let mut grew = false;
        for trace in found.threads.iter().flatten() {
            for event in trace.events.iter().filter(|event| event.kind == Kind::Write) {
                if let Some(cell) = event.cell {
                    grew |= values.entry(cell).or_default().insert(event.value);
                }
            }
        }
        let writes = |trace: &Trace| trace.events.iter().filter(|event| event.kind == Kind::Write).count();
        let most = |traces: &Vec<Trace>| traces.iter().map(writes).max().unwrap_or(0);
        let longest_chain: usize = found.threads.iter().map(most).sum();
        if !grew || round > longest_chain {
            return found;
        }
        round += 1;
    }
}

/// The traces of one thread, by trying all answers to what it asks in order: the answers given before the last question
/// are kept, and the last one that has another is changed.
fn of_thread(
    program: &Program,
    thread: usize,
    values: &Values,
    limits: &Limits,
) -> Result<(Vec<Trace>, Option<String>), String> {
    let none = BTreeSet::new();
    let mut traces = Vec::new();
    let mut incomplete = None;
    // Per question, the answer and those that are still to be tried.
    let mut path: Vec<(u64, Vec<u64>)> = Vec::new();
    let mut runs = 0_usize;
    loop {
        let mut asked = 0;
        let trace = run(program, thread, ROUNDS, &mut |question| {
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
        match trace.end {
            End::Done => traces.push(trace),
            End::Stopped => {}
            End::Cut => incomplete = Some("a loop was not followed to its end".to_owned()),
            End::MixedSize => incomplete = Some("an access touches a part of a location, or more than one".to_owned()),
            End::NoCell => incomplete = Some("an access may be outside all locations".to_owned()),
        }
        if traces.len() > MAX_TRACES {
            return Err(format!("a thread can behave in more than {MAX_TRACES} ways"));
        }
        runs += 1;
        if runs.is_multiple_of(1024)
            && let Some(exceeded) = limits.exceeded()
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
            return Ok((traces, incomplete));
        }
    }
}
