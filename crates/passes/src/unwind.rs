//! The bounded form of a program: one function per thread start, without loops, its calls inlined.
//!
//! The meaning of a bound N, the same in every engine: the back edges of a loop are taken at most N times, all
//! together, per entry of the loop; a call is followed if the callee is active at most N times already (not counting
//! calls that are over). Where a loop or a recursion would go on there is a *cut*: the thread stops. Bounds can be
//! given for the loops and recursive functions of a source line; without that, those of the library have a bound of
//! their own.
//!
//! Functions keep their ids, so that addresses of functions mean what they meant. Functions that start no thread lose
//! their body.
//!
//! Of a call through a pointer one call is left: where the pointer is none of the functions that it was expanded to, and
//! before an end that is not supported. It asks whether there is a function at all.

use std::fmt;

use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{Terminator, TerminatorKind};
use norn_ir::program::{Block, Function, Origin, Program};
use norn_ir::span::Span;

use crate::Site;
use crate::inline::Inliner;
use crate::loops::{LoopId, loops};
use crate::points_to::PointsTo;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// For the loops and recursive functions of the user.
    pub default: u32,
    /// For those of the library.
    pub library: u32,
    /// For single loops and functions, of whomever.
    pub at: Vec<BoundAt>,
    /// Limit on the instructions of the result.
    pub max_instructions: usize,
}

/// The loops of the library that make the words of the command line and their characters. Nothing but this bounds them, and
/// what is made here costs whether it matters or not.
const COMMAND_LINE: [(&str, u32); 2] = [("<norn>/arguments.c", 4), ("<norn>/argument.c", 11)];

/// The bound of a loop that makes the command line, if there is such a loop at the place. It is the same always.
pub fn command_line(program: &Program, span: Span) -> Option<u32> {
    COMMAND_LINE.iter().find(|(file, _)| program.file(span.file) == *file).map(|&(_, bound)| bound)
}

/// `--unwind FILE:LINE=N`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundAt {
    /// As the program names the file, or the end of that name after a `/`.
    pub file: String,
    pub line: u32,
    pub bound: u32,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { default: 1, library: 64, at: Vec::new(), max_instructions: 2_000_000 }
    }
}

impl Bounds {
    /// The bound for a loop or recursive function that stands at `span`, in code of the given origin.
    pub fn of(&self, program: &Program, span: Span, origin: Origin) -> u32 {
        let own = self.at.iter().rev().find(|at| at.names(program, span));
        own.map_or_else(
            || if origin == Origin::Library { self.of_library(program, span) } else { self.default },
            |at| at.bound,
        )
    }

    /// The largest bound for what the user wrote.
    pub fn largest(&self) -> u32 {
        self.at.iter().map(|at| at.bound).fold(self.default, u32::max)
    }

    /// The same, but no bound for what the user wrote is larger than this.
    pub fn at_most(&self, bound: u32) -> Bounds {
        let at = self.at.iter().map(|at| BoundAt { bound: at.bound.min(bound), ..at.clone() });
        Bounds { default: self.default.min(bound), at: at.collect(), ..self.clone() }
    }

    fn of_library(&self, program: &Program, span: Span) -> u32 {
        command_line(program, span).map_or(self.library, |bound| bound.min(self.library))
    }

    /// The bounds that name no loop and no function of the program: worth a word to the user.
    pub fn unused(&self, program: &Program) -> Vec<&BoundAt> {
        let mut unused: Vec<&BoundAt> = self.at.iter().collect();
        for function in program.functions.iter().take_while(|_| !self.at.is_empty()) {
            let spans = loops(function).loops.into_iter().map(|l| l.span).chain([function.span]);
            spans.for_each(|span| unused.retain(|at| !at.names(program, span)));
        }
        unused
    }
}

impl BoundAt {
    pub fn names(&self, program: &Program, span: Span) -> bool {
        span.line != 0 && span.line == self.line && self.is_file(program.file(span.file))
    }

    /// The same for a place in a verdict.
    pub fn names_place(&self, file: &str, line: u32) -> bool {
        line == self.line && self.is_file(file)
    }

    fn is_file(&self, name: &str) -> bool {
        name.strip_suffix(&self.file).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    }
}

/// A program without loops and calls, and how it relates to the one that it was made from.
#[derive(Clone, PartialEq, Debug)]
pub struct Bounded {
    pub program: Program,
    /// The functions that threads start with: the entry function first, then ascending.
    pub roots: Vec<FuncId>,
    /// Where threads stop because of a bound, by function and block.
    pub cuts: Vec<Cut>,
    pub origins: Origins,
}

/// A block that ends by stopping the thread, because a bound would be exceeded behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    pub function: FuncId,
    pub block: BlockId,
    pub cause: CutCause,
    pub bound: u32,
    /// Where the loop or recursive function stands.
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CutCause {
    /// A loop of a function of the original program.
    Loop(FuncId, LoopId),
    /// The function was active too often to be called once more.
    Recursion(FuncId),
}

/// Where the blocks and instructions of a bounded program come from.
#[derive(Clone, PartialEq, Debug)]
pub struct Origins {
    contexts: Vec<Context>,
    /// The counts of [`Iterations`].
    iterations: Vec<u32>,
    /// By function; empty for functions that are no roots.
    functions: Vec<FunctionOrigins>,
}

/// The same for one function.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct FunctionOrigins {
    pub blocks: Vec<BlockOrigin>,
    /// What [`Origins::indices`] gives, those of one block together.
    pub indices: Vec<u32>,
}

norn_ir::ids! {
    /// A chain of calls that leads to a copy of a function.
    ContextId = "context";
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Context {
    /// The function that is called, of the original program.
    pub function: FuncId,
    /// Who calls it, from where and in which iterations of the loops around the call; `None` for a thread's start.
    pub caller: Option<(ContextId, Site, Iterations)>,
}

/// How often the back edges of the loops around a block have been taken: see [`Origins::iterations`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Iterations {
    pub(crate) first: u32,
    pub(crate) count: u32,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BlockOrigin {
    pub context: ContextId,
    /// A block of the context's function; for a cut the header of the loop, or the block with the call.
    pub block: BlockId,
    pub iterations: Iterations,
    /// Among the indices of its function.
    pub(crate) first_index: u32,
}

impl Origins {
    pub(crate) fn new(contexts: Vec<Context>, iterations: Vec<u32>, functions: Vec<FunctionOrigins>) -> Origins {
        Origins { contexts, iterations, functions }
    }

    pub fn context(&self, id: ContextId) -> &Context {
        &self.contexts[id.0 as usize]
    }

    pub fn block(&self, function: FuncId, block: BlockId) -> &BlockOrigin {
        &self.functions[function.index()].blocks[block.index()]
    }

    /// The counts of the loops around a block, from the outermost loop inwards.
    pub fn iterations(&self, iterations: Iterations) -> &[u32] {
        &self.iterations[iterations.first as usize..][..iterations.count as usize]
    }

    /// For each instruction of a block and then the terminator its index in the original block (the number of
    /// instructions there means the terminator). What passes arguments belongs to the call, what passes a result to the
    /// return. The list goes on with those of other blocks.
    fn indices(&self, function: FuncId, block: BlockId) -> &[u32] {
        let first = self.block(function, block).first_index;
        &self.functions[function.index()].indices[first as usize..]
    }

    /// The original of an instruction or terminator of the bounded program.
    pub fn site(&self, bounded: Site) -> Site {
        let block = self.block(bounded.function, bounded.block);
        let function = self.context(block.context).function;
        let index = self.indices(bounded.function, bounded.block)[bounded.index as usize];
        Site { function, block: block.block, index }
    }
}

/// The bounded program would be too large.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooLarge {
    pub limit: usize,
    /// The thread's start function.
    pub root: FuncId,
    /// The loop or function with the most copies.
    pub cause: TooLargeCause,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooLargeCause {
    Loop(FuncId, LoopId),
    Function(FuncId),
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.cause {
            TooLargeCause::Loop(..) => "a loop",
            TooLargeCause::Function(_) => "a function",
        };
        write!(f, "unwinding {what} needs more than {} instructions", self.limit)
    }
}

impl std::error::Error for TooLarge {}

/// `program` should be valid; the result is.
pub fn unwind(program: &Program, bounds: &Bounds) -> Result<Bounded, TooLarge> {
    let points_to = PointsTo::new(program);
    unwind_with(program, &points_to, bounds)
}

/// The same with the pointers of this very program at hand.
pub fn unwind_with(program: &Program, points_to: &PointsTo, bounds: &Bounds) -> Result<Bounded, TooLarge> {
    let mut unwinding = Unwinding::new(program, points_to, bounds);
    let entry = unwinding.inliner.build(program.entry)?;
    unwinding.build_others()?;
    Ok(unwinding.finish(entry))
}

/// The same for somebody who has something to do with the bounded entry function. If that is long, it is done while the
/// other functions are made.
pub fn unwind_beside<T: Send>(
    program: &Program,
    bounds: &Bounds,
    with_entry: impl FnOnce(&Function) -> T + Send,
) -> Result<(Bounded, T), TooLarge> {
    const LONG: usize = 500;
    let points_to = PointsTo::new(program);
    let mut unwinding = Unwinding::new(program, &points_to, bounds);
    let entry = unwinding.inliner.build(program.entry)?;
    let (done, others) = if unwinding.roots.len() > 1 && entry.0.blocks.len() >= LONG {
        std::thread::scope(|scope| {
            let beside = scope.spawn(|| with_entry(&entry.0));
            let others = unwinding.build_others();
            (beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), others)
        })
    } else {
        (with_entry(&entry.0), unwinding.build_others())
    };
    others?;
    Ok((unwinding.finish(entry), done))
}

/// A bounded program under construction.
struct Unwinding<'a> {
    program: &'a Program,
    roots: Vec<FuncId>,
    inliner: Inliner<'a>,
    functions: Vec<Function>,
    origins: Vec<FunctionOrigins>,
}

impl<'a> Unwinding<'a> {
    fn new(program: &'a Program, points_to: &'a PointsTo, bounds: &'a Bounds) -> Unwinding<'a> {
        let mut roots: Vec<FuncId> =
            points_to.call_sites().into_iter().filter(|site| site.1).flat_map(|site| site.2).collect();
        roots.sort_unstable();
        roots.dedup();
        roots.retain(|&root| root != program.entry);
        roots.insert(0, program.entry);
        let inliner = Inliner::new(program, points_to, bounds);
        let functions: Vec<Function> = program.functions.iter().map(without_body).collect();
        let origins = vec![FunctionOrigins::default(); functions.len()];
        Unwinding { program, roots, inliner, functions, origins }
    }

    /// The functions that threads start with, but for the entry function.
    fn build_others(&mut self) -> Result<(), TooLarge> {
        for root in &self.roots[1..] {
            (self.functions[root.index()], self.origins[root.index()]) = self.inliner.build(*root)?;
        }
        Ok(())
    }

    fn finish(self, entry: (Function, FunctionOrigins)) -> Bounded {
        let Unwinding { program, roots, inliner, mut functions, mut origins } = self;
        (functions[program.entry.index()], origins[program.entry.index()]) = entry;
        let (contexts, iterations, mut cuts) = inliner.finish();
        cuts.sort_by_key(|cut| (cut.function, cut.block));
        let bounded = Program {
            target: program.target,
            reuses_memory: program.reuses_memory,
            files: program.files.clone(),
            types: program.types.clone(),
            globals: program.globals.clone(),
            functions,
            entry: program.entry,
        };
        debug_assert_eq!(norn_ir::validate::validate(&bounded), Ok(()), "a bounded program should be valid");
        Bounded { program: bounded, roots, cuts, origins: Origins::new(contexts, iterations, origins) }
    }
}

/// Only its address is used.
fn without_body(function: &Function) -> Function {
    let registers = function.params.iter().map(|&param| function.registers[param.index()].clone()).collect();
    let terminator = Terminator { kind: TerminatorKind::Unreachable, span: function.span };
    Function {
        name: function.name.clone(),
        params: (0..function.params.len()).map(norn_ir::ids::Reg::new).collect(),
        result: function.result,
        registers,
        locals: Vec::new(),
        blocks: vec![Block { instrs: Vec::new(), terminator }],
        origin: function.origin,
        span: function.span,
    }
}
