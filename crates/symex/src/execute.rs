//! From a program to its event list.

use norn_verdict::undecided::{Undecided, Unsought, Why};
use std::collections::HashMap;
use std::time::Instant;

use norn_ir::ids::FuncId;
use norn_passes::analysed::Analysed;
use norn_passes::unwind::{Bounded, Bounds};
use norn_verdict::limits::Limits;
use norn_verdict::outcome::Checks;

use crate::code::Code;
use crate::event::{EventKind, Mark, Object, Stats, Symbolic, Thread};
use crate::execution::Execution;
use crate::facts::Facts;

/// How far the execution goes before it gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    pub threads: usize,
    /// How often all threads are executed until nothing new is found.
    pub passes: usize,
}

impl Default for Limit {
    fn default() -> Limit {
        Limit { threads: 250, passes: 100 }
    }
}

/// Executes a program up to the given bounds. The program should be valid and its private objects be marked.
pub fn execute(code: &Analysed, bounds: &Bounds, checks: Checks, limits: &Limits) -> Result<Symbolic, Undecided> {
    execute_with(code, bounds, checks, limits, false)
}

/// Like [`execute`], but each visible step has a Boolean of its own that says whether its thread gets there, as if all
/// steps could wait. That adds executions in which some threads take fewer steps: so there is one for each violation
/// that comes before something undefined in another thread. It costs a variable for each step.
pub fn execute_stopping(
    code: &Analysed,
    bounds: &Bounds,
    checks: Checks,
    limits: &Limits,
) -> Result<Symbolic, Undecided> {
    execute_with(code, bounds, checks, limits, true)
}

fn execute_with(
    code: &Analysed,
    bounds: &Bounds,
    checks: Checks,
    limits: &Limits,
    may_stop: bool,
) -> Result<Symbolic, Undecided> {
    if code.reuses_memory {
        return Err(Undecided::new(Why::NotLookedFor(Unsought::ReusedMemory)));
    }
    let began = Instant::now();
    let bounded = code.unwound(bounds).map_err(|error| Undecided::at(Why::too_large(error.to_string()), error.span))?;
    let mut symbolic = execute_bounded(code, &bounded, checks, limits, may_stop)?;
    symbolic.stats.micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
    Ok(symbolic)
}

fn execute_bounded(
    program: &Analysed,
    bounded: &Bounded,
    checks: Checks,
    limits: &Limits,
    may_stop: bool,
) -> Result<Symbolic, Undecided> {
    let limit = Limit::default();
    let code: HashMap<FuncId, Code> = bounded.roots.iter().map(|&root| (root, Code::new(bounded, root))).collect();
    let mut facts = Facts::new(program);
    for passes in 1..=limit.passes {
        let mut exec = Execution::new(program, bounded, &code, checks, limits, &mut facts);
        exec.may_stop = may_stop;
        exec.execute(limit.threads)?;
        if !exec.facts.changed {
            return Ok(finish(exec, passes));
        }
    }
    Err(Undecided::new(Why::too_large("what shared memory can hold does not settle")))
}

fn finish(exec: Execution<'_>, passes: usize) -> Symbolic {
    let objects = exec.facts.objects.iter();
    let objects = objects
        .map(|object| Object { name: object.name.clone(), maker: object.maker(), shared: object.is_shared() })
        .collect();
    let count = |wanted: fn(&EventKind) -> bool| exec.events.iter().filter(|event| wanted(&event.kind)).count();
    let stats = Stats {
        threads: exec.threads.len(),
        events: exec.events.len(),
        reads: count(|kind| matches!(kind, EventKind::Read { .. })),
        writes: count(|kind| matches!(kind, EventKind::Write { .. })),
        cells: exec.cells.len(),
        terms: exec.terms.len(),
        instructions: exec.instructions,
        passes,
        micros: 0,
    };
    let mut marks = exec.marks;
    for thread in &exec.threads {
        if let (Some(function), Some((creator, event))) = (thread.function, thread.creator) {
            let span = exec.original.function(function).span;
            let (guard, position) = (thread.start, event.next());
            marks.push(Mark { thread: creator, guard, span, is_start: true, position });
        }
    }
    let entry = exec.bounded.program.entry;
    let zero = exec.threads[0].number;
    let threads = exec
        .threads
        .into_iter()
        .filter_map(|thread| {
            Some(Thread {
                function: thread.function.unwrap_or(entry),
                creator: thread.creator,
                start: thread.start,
                ended: thread.ended,
                events: thread.events,
                inputs: thread.inputs,
                number: thread.number.or(zero)?,
                result: thread.result,
            })
        })
        .collect();
    Symbolic {
        terms: exec.terms,
        threads,
        events: exec.events,
        sections: exec.sections,
        cells: exec.cells,
        objects,
        checks: exec.checks,
        cuts: exec.cuts,
        marks,
        constraints: exec.constraints,
        joined: exec.joined,
        watches_addresses: exec.watches_addresses,
        guesses_number: exec.guesses_number,
        observer: exec.observer,
        moments: exec.moments.list,
        stats,
    }
}
