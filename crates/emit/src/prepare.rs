//! The program as the translation wants it: bounded, its threads listed, its functions simplified.

use crate::Refusal;
use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::InstrKind;
use norn_ir::program::{Function, Origin, Program};
use norn_ir::span::Span;
use norn_passes::points_to::PointsTo;
use norn_passes::simplify::{Simplified, simplify};
use norn_passes::threads::{ThreadInstance, thread_instances};
use norn_passes::unwind::{Bounded, Bounds, ContextId, unwind_beside};
use std::sync::atomic::{AtomicUsize, Ordering};

const MOST_THREADS: usize = 200;

pub struct Prepared {
    pub bounded: Bounded,
    pub points_to: PointsTo,
    /// By their number in the translation. A thread's number is fixed here, not by the order of creation.
    pub threads: Vec<ThreadInstance>,
    /// Whether some thread asks what another returned.
    pub results: bool,
    /// By function; only those that threads may start with.
    functions: Vec<Option<Started>>,
}

struct Started {
    code: Simplified,
    /// By block of the bounded program: where the user called the library function that it belongs to.
    call_places: Vec<Option<Span>>,
}

pub fn prepare(program: &Program, bounds: &Bounds) -> Result<Prepared, Refusal> {
    let simplify_entry = |entry: &Function| simplify(entry, program.target, false);
    let (bounded, entry) = unwind_beside(program, bounds, simplify_entry).map_err(|too_large| {
        let message = format!("the unrolled program would have more than {} instructions", too_large.limit);
        Refusal::new(message, too_large.span)
    })?;
    let results = bounded.roots.iter().any(|&root| asks_for_results(bounded.program.function(root)));
    let started = |id: FuncId, code: Simplified| Started { code, call_places: call_places(program, &bounded, id) };
    // Nobody asks what the first thread returned.
    let other = |id: FuncId| started(id, simplify(bounded.program.function(id), bounded.program.target, results));
    let others = &bounded.roots[1..];
    let next = AtomicUsize::new(0);
    let take = || others.get(next.fetch_add(1, Ordering::Relaxed)).map(|&root| (root, other(root)));
    // Neither needs the other.
    let (points_to, simplified) = std::thread::scope(|scope| {
        let beside = scope.spawn(|| (PointsTo::new(&bounded.program), std::iter::from_fn(take).collect::<Vec<_>>()));
        let mut simplified: Vec<(FuncId, Started)> = std::iter::from_fn(take).collect();
        simplified.push((bounded.program.entry, started(bounded.program.entry, entry)));
        let (points_to, more) = beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        simplified.extend(more);
        (points_to, simplified)
    });
    let mut functions: Vec<Option<Started>> = bounded.program.functions.iter().map(|_| None).collect();
    simplified.into_iter().for_each(|(root, started)| functions[root.index()] = Some(started));
    let threads = thread_instances(&bounded.program, &points_to, MOST_THREADS).map_err(|too_many| {
        let site = too_many.site;
        let block = bounded.program.function(site.function).block(site.block);
        let span = block.instrs.get(site.index as usize).map_or(block.terminator.span, |instr| instr.span);
        Refusal::new(too_many.to_string(), span)
    })?;
    for thread in &threads {
        functions[thread.start.index()].get_or_insert_with(|| other(thread.start));
    }
    Ok(Prepared { results, bounded, points_to, threads, functions })
}

fn asks_for_results(function: &Function) -> bool {
    // By register, if there are any. Control only moves forward: what is asked for was asked for before it is read.
    let mut is_asked: Vec<bool> = Vec::new();
    let mut found = false;
    for block in &function.blocks {
        for instr in &block.instrs {
            if !is_asked.is_empty() {
                instr.kind.for_each_use(|reg| found |= is_asked[reg.index()]);
            }
            if let InstrKind::Join { dst: Some(dst), .. } = instr.kind {
                is_asked.resize(function.registers.len(), false);
                is_asked[dst.index()] = true;
            }
        }
        if !is_asked.is_empty() {
            block.terminator.kind.for_each_use(|reg| found |= is_asked[reg.index()]);
        }
        if found {
            return true;
        }
    }
    false
}

fn call_places(program: &Program, bounded: &Bounded, function: FuncId) -> Vec<Option<Span>> {
    let contexts = bounded.program.function(function).block_ids();
    let contexts = contexts.map(|block| bounded.origins.block(function, block).context);
    // Blocks with one context often come together.
    let mut last = None;
    let place = |context: ContextId| match last {
        Some((known, place)) if known == context => place,
        _ => {
            let place = call_place(program, bounded, context);
            last = Some((context, place));
            place
        }
    };
    contexts.map(place).collect()
}

/// Where the user called the library function that is copied there.
fn call_place(program: &Program, bounded: &Bounded, context: ContextId) -> Option<Span> {
    let mut context = bounded.origins.context(context);
    let mut place = None;
    while program.function(context.function).origin == Origin::Library
        && let Some((caller, site, _)) = &context.caller
    {
        let code = program.function(site.function).block(site.block);
        place = code.instrs.get(site.index as usize).map(|instr| instr.span);
        context = bounded.origins.context(*caller);
    }
    place
}

impl Prepared {
    pub fn program(&self) -> &Program {
        &self.bounded.program
    }

    /// The function that a thread starts with.
    pub fn function(&self, id: FuncId) -> &Simplified {
        &self.started_with(id).code
    }

    fn started_with(&self, id: FuncId) -> &Started {
        self.functions[id.index()].as_ref().expect("threads should start with functions that were simplified")
    }

    /// The functions that threads start with, each once, in order.
    pub fn started(&self) -> Vec<FuncId> {
        let mut started: Vec<FuncId> = self.threads.iter().map(|thread| thread.start).collect();
        started.sort_unstable();
        started.dedup();
        started
    }

    /// How many threads start with a function.
    pub fn instances(&self, id: FuncId) -> usize {
        self.threads.iter().filter(|thread| thread.start == id).count()
    }

    /// The place in the user's code for what stands at `span` in a block.
    pub fn place(&self, function: FuncId, block: BlockId, span: Span) -> Span {
        self.started_with(function).call_places[block.index()].unwrap_or(span)
    }
}
