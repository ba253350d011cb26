//! The engine `stateless`: every execution of a terminating program up to the equivalence of Shasha and Snir, one of
//! each, under SC, TSO and PSO.
//!
//! - `explore`: the search, optimal dynamic partial-order reduction; `reversal`: sequences that are still to be explored; `wakeup`: the trees
//!   of these; `blocking`: locks and exits; `doubt`: what has no meaning
//! - `trace`: the happens-before relation of the current execution; `footprint`, `cells`: who depends on whom; `varying`: steps
//!   that access different cells in different executions
//! - `engine`: from a program to a verdict; `robust`, `cycle`: is every trace one of SC?
//!
//! Left out: threads that several threads create concurrently get numbers that depend on the interleaving; like the
//! reference machine's traces, the search does not tell executions apart by these numbers alone.

mod bits;
mod blocking;
mod cells;
mod cycle;
mod doubt;
mod engine;
mod explore;
mod footprint;
mod reversal;
mod robust;
mod trace;
mod varying;
mod wakeup;

pub use engine::{Explored, Stateless, explore, verdict_of};
pub use explore::Counts;
pub use robust::{robustness, without_assertions};
