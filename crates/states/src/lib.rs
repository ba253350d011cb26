//! The engine `states`: every reachable state of a program, each once, so that loops without bound are decided for good.
//!
//! - `store`: exact tables; `live`, `encode`: what a state is, as bytes; `vector`: a state as a tree of shared parts
//! - `walk`: the executor and the vector together, and what may happen next
//! - `fair`: executions that never end, among the states and steps that were seen
//! - `search`: depth first; `reduce`, `future`: which step is enough; `shortest`: breadth first
//! - `absorb`, `along`: which accesses wait for the step behind them
//! - `engine`: from a program to a verdict; bounds on buffers

mod absorb;
mod along;
mod encode;
mod engine;
mod fair;
mod future;
mod live;
mod reduce;
mod search;
mod shortest;
mod store;
mod vector;
mod walk;

pub use engine::{Explored, States, explore};
pub use search::{AtEnd, Counts, Ended, Found};
pub use walk::Reductions;
