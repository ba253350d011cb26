//! Random executions of the reference machine, followed through an event list: is all that the machine does among what the
//! list says, and which values of the list's variables is it?
//!
//! - [`sample`]: one random execution, with any schedule or in rounds; `inputs`: what the program is given
//! - `told`: what the machine tells; `follower`: each thing that happens is matched with an event; `access`: reads and writes;
//!   `end`: what is compared once the execution is over
//! - [`campaign`]: many executions, within a share of the time
//!
//! It needs neither a solver nor a memory model, and shares no code with what made the list. A safe verdict leans on
//! it: each execution found here has to be a model of the formula that was refuted, but for the violation. That finds formulas
//! that are too strong. It does not find those that are too weak (replay does), nor what the sampled executions do not touch.
//!
//! Executions go as far as the event list does. A thread that comes to a bound stops there, and so does one that joins it.
//! Where a bound lies inside of a step the execution is of no use.

mod access;
pub mod campaign;
mod end;
mod follower;
mod inputs;
pub mod sample;
mod told;

pub use end::Followed;
pub use sample::{Form, Mismatch, Sampled, Setting};
