//! The program as the translation wants it: bounded, its threads listed, its functions simplified.

use crate::Refusal;
use crate::simplify::{Simplified, simplify};
use norn_ir::ids::{BlockId, FuncId, Reg};
use norn_ir::instr::InstrKind;
use norn_ir::program::{Function, Origin, Program};
use norn_ir::span::Span;
use norn_passes::points_to::PointsTo;
use norn_passes::threads::{ThreadInstance, thread_instances};
use norn_passes::unwind::{Bounded, Bounds, unwind};

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
    let bounded = unwind(program, bounds).map_err(|too_large| {
        let message = format!("the unrolled program would have more than {} instructions", too_large.limit);
        Refusal::new(message, too_large.span)
    })?;
    let results = bounded.roots.iter().any(|&root| asks_for_results(bounded.program.function(root)));
    let started = |id: FuncId| {
        let function = bounded.program.function(id);
        let keeps_result = results && id != bounded.program.entry;
        let call_places = function.block_ids().map(|block| call_place(program, &bounded, id, block)).collect();
        Started { code: simplify(function, bounded.program.target, keeps_result), call_places }
    };
    let mut functions: Vec<Option<Started>> = bounded.program.functions.iter().map(|_| None).collect();
    // Neither needs the other.
    let points_to = std::thread::scope(|scope| {
        let points_to = scope.spawn(|| PointsTo::new(&bounded.program));
        bounded.roots.iter().for_each(|&root| functions[root.index()] = Some(started(root)));
        points_to.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    let threads = thread_instances(&bounded.program, &points_to, MOST_THREADS).map_err(|too_many| {
        let site = too_many.site;
        let block = bounded.program.function(site.function).block(site.block);
        let span = block.instrs.get(site.index as usize).map_or(block.terminator.span, |instr| instr.span);
        Refusal::new(too_many.to_string(), span)
    })?;
    for thread in &threads {
        functions[thread.start.index()].get_or_insert_with(|| started(thread.start));
    }
    Ok(Prepared { results, bounded, points_to, threads, functions })
}

fn asks_for_results(function: &Function) -> bool {
    let mut asked: Vec<Reg> = Vec::new();
    let instrs = function.blocks.iter().flat_map(|block| &block.instrs);
    asked.extend(instrs.clone().filter_map(|instr| match instr.kind {
        InstrKind::Join { dst, .. } => dst,
        _ => None,
    }));
    asked.sort_unstable();
    let mut found = false;
    instrs.for_each(|instr| instr.kind.for_each_use(|reg| found |= asked.binary_search(&reg).is_ok()));
    for block in &function.blocks {
        block.terminator.kind.for_each_use(|reg| found |= asked.binary_search(&reg).is_ok());
    }
    found
}

fn call_place(program: &Program, bounded: &Bounded, function: FuncId, block: BlockId) -> Option<Span> {
    let mut context = bounded.origins.context(bounded.origins.block(function, block).context);
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
