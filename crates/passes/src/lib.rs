//! From IR to IR: the last steps of a front end, what can be known about a whole program before it runs, and the bounded
//! form that the symbolic engines start from. Nothing here knows a memory model.
//!
//! For front ends, in this order:
//!
//! - [`mod@tidy`], [`uninitialised`]: each function for itself
//! - [`unused_results`]: results that nobody looks at; [`sections`]: none nests; [`mod@absorb`]: the entry and the function in which
//!   the program starts; [`exits`]: ends of scopes; [`mod@prune`]: what nothing needs
//!
//! For a program that is complete:
//!
//! - [`points_to`]: which objects and functions an operand may point to; [`call_graph`]: who calls and starts whom
//! - [`analysed`]: a program with where its pointers lead, found once
//! - [`escape`]: marks the objects that only one thread can reach
//! - [`loops`]: the loops of a function, as `--show-loops` and `--unwind` name them
//! - [`mod@unwind`]: loops unrolled (`unroll`) and calls inlined (`inline`), so that control only moves forward
//! - [`inputs`]: nondeterministic values of which only a few matter
//! - [`leftover`]: locals that something may still point to when their scope begins again
//! - [`points`]: what executions should come to for a verdict to mean much
//! - [`assumptions`]: assumptions that are awaits
//! - [`mod@spin`]: spin loops that are awaits, or run through once
//! - [`threads`]: the threads that a bounded program can create; [`mod@simplify`]: its functions without what unwinding leaves behind
//! - [`mod@trips`]: loops that count
//! - [`by_instr`]: tables by instruction

pub mod absorb;
pub mod analysed;
pub mod assumptions;
pub mod by_instr;
pub mod call_graph;
pub mod escape;
pub mod exits;
mod inline;
pub mod inputs;
pub mod leftover;
pub mod loops;
pub mod points;
pub mod points_to;
pub mod prune;
pub mod sections;
pub mod simplify;
mod sparse_set;
pub mod spin;
pub mod threads;
pub mod tidy;
pub mod trips;
pub mod uninitialised;
mod unroll;
pub mod unused_results;
pub mod unwind;

use norn_ir::ids::{BlockId, FuncId};

/// An instruction of a program; as index, the number of instructions of the block names its terminator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    pub function: FuncId,
    pub block: BlockId,
    pub index: u32,
}

impl Site {
    pub fn new(function: FuncId, block: BlockId, index: usize) -> Site {
        Site { function, block, index: u32::try_from(index).expect("an index should fit into 32 bits") }
    }
}
