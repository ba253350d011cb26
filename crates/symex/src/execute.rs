//! From a program to its event list.

use std::collections::HashMap;
use std::time::Instant;

use norn_ir::ids::FuncId;
use norn_ir::program::Program;
use norn_ir::types::Ty;
use norn_passes::unwind::{Bounded, Bounds, unwind};
use norn_verdict::limits::Limits;
use norn_verdict::outcome::Checks;

use crate::code::Code;
use crate::event::{EventId, EventKind, Mark, Object, Refusal, Stats, Symbolic, Thread};
use crate::facts::Facts;
use crate::pass::Pass;

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
pub fn execute(program: &Program, bounds: &Bounds, checks: Checks, limits: &Limits) -> Result<Symbolic, Refusal> {
    execute_with(program, bounds, checks, limits, false)
}

/// Like [`execute`], but each visible step has a Boolean of its own that says whether its thread gets there, as if all
/// steps could wait. That adds executions in which some threads take fewer steps: so there is one for each violation
/// that comes before something undefined in another thread. It costs a variable for each step.
pub fn execute_stopping(
    program: &Program,
    bounds: &Bounds,
    checks: Checks,
    limits: &Limits,
) -> Result<Symbolic, Refusal> {
    execute_with(program, bounds, checks, limits, true)
}

fn execute_with(
    program: &Program,
    bounds: &Bounds,
    checks: Checks,
    limits: &Limits,
    may_stop: bool,
) -> Result<Symbolic, Refusal> {
    let refuse = |reason: &str| Err(Refusal { reason: reason.to_owned(), span: None });
    if checks.deadlock {
        return refuse("deadlocks are not looked for symbolically");
    }
    if checks.leaks {
        return refuse("leaks are not looked for symbolically");
    }
    let began = Instant::now();
    let bounded =
        unwind(program, bounds).map_err(|error| Refusal { reason: error.to_string(), span: Some(error.span) })?;
    let mut symbolic = execute_bounded(program, &bounded, checks, limits, may_stop)?;
    symbolic.stats.micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
    Ok(symbolic)
}

fn execute_bounded(
    program: &Program,
    bounded: &Bounded,
    checks: Checks,
    limits: &Limits,
    may_stop: bool,
) -> Result<Symbolic, Refusal> {
    let limit = Limit::default();
    let code: HashMap<FuncId, Code> = bounded.roots.iter().map(|&root| (root, Code::new(bounded, root))).collect();
    let mut facts = Facts::new(program, Ty::Ptr.bits(program.target));
    for passes in 1..=limit.passes {
        let mut pass = Pass::new(program, bounded, &code, checks, limits, &mut facts);
        pass.may_stop = may_stop;
        pass.execute(limit.threads)?;
        if !pass.facts.changed {
            return Ok(finish(pass, passes));
        }
    }
    Err(Refusal { reason: "what shared memory can hold does not settle".to_owned(), span: None })
}

fn finish(pass: Pass<'_>, passes: usize) -> Symbolic {
    let objects = pass.facts.objects.iter();
    let objects = objects
        .map(|object| Object { name: object.name.clone(), maker: object.maker(), shared: object.is_shared() })
        .collect();
    let count = |wanted: fn(&EventKind) -> bool| pass.events.iter().filter(|event| wanted(&event.kind)).count();
    let stats = Stats {
        threads: pass.threads.len(),
        events: pass.events.len(),
        reads: count(|kind| matches!(kind, EventKind::Read { .. })),
        writes: count(|kind| matches!(kind, EventKind::Write { .. })),
        cells: pass.cells.len(),
        terms: pass.terms.len(),
        instructions: pass.instructions,
        passes,
        micros: 0,
    };
    let mut marks = pass.marks;
    for thread in &pass.threads {
        if let (Some(function), Some((creator, event))) = (thread.function, thread.creator) {
            let span = pass.original.function(function).span;
            let (guard, position) = (thread.start, EventId(event.0 + 1));
            marks.push(Mark { thread: creator, guard, span, is_start: true, position });
        }
    }
    let entry = pass.bounded.program.entry;
    let zero = pass.threads[0].number;
    let threads = pass
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
        terms: pass.terms,
        threads,
        events: pass.events,
        sections: pass.sections,
        cells: pass.cells,
        objects,
        checks: pass.checks,
        cuts: pass.cuts,
        marks,
        constraints: pass.constraints,
        joined: pass.joined,
        watches_addresses: pass.watches_addresses,
        moments: pass.moments.list,
        stats,
    }
}
