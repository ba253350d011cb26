//! The engine `rounds`: lazy sequentialization. All executions of a bounded program in K round-robin rounds at once, as one
//! formula; under TSO and PSO the stores have commit rounds (lazycseq-cav14, lazysma-fmcad16).
//!
//! - `engine`: from a program to a verdict; `grow`: bounds that grow; `examine`: more and more rounds
//! - `plan`: where threads can be interrupted; `encode`, `memory`: the formula; `models`: the order of commits
//! - `ranges`, `narrow`: as few bits as values need
//! - `solve`: the solver's answer as an execution; `watch`: the limits while it is built;
//!   `sampled`: that executions of the machine are models; `size`: how large formulas are; `shrink`: the same with fewer context switches
//! - `tile`: the formula in pieces, for many machines
//!
//! What the formula leaves out, and what that relies on:
//!
//! - Context switches between steps that other threads cannot tell apart from one step: `plan` says which and why.
//! - Copies of memory: a cell that only one thread writes has none (its readers choose among its stores), a cell that
//!   nobody writes after the first thread was created is a constant, and slots in which a cell is not written share its
//!   value (`memory`). This relies on the event list naming every cell that an access may touch.
//! - Bits: a value has the width of what can be written to its cell (`ranges`), which relies on every write happening at
//!   most once.
//! - Reads that neither a step nor a check depends on.
//!
//! The entry thread begins alone; then come K rounds. The order of threads in a round is fixed: that of the event list,
//! which is the order of creation where one thread creates all others, with the entry thread at last; or the one that was
//! asked for. With several creators the machine's order of creation may vary from execution to execution; the numbers of
//! rounds may then differ from its own, but not what enough rounds can reach.
//!
//! Left out: deadlocks and data races (unknown), which are not properties of what threads read.

mod encode;
mod engine;
mod examine;
mod grow;
mod memory;
mod models;
mod narrow;
mod needed;
mod plan;
mod ranges;
mod sampled;
mod shrink;
mod size;
mod solve;
#[cfg(test)]
mod tests;
pub mod tile;
mod watch;

pub use engine::Rounds;
pub use size::sizes;
