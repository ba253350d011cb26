//! One file per command.

mod changes;
pub mod check;
mod choices;
pub mod conclusion;
pub mod explain;
pub mod gather;
mod graphs;
pub mod ir;
pub mod litmus;
mod patch;
pub mod relax;
pub mod repair;
pub mod robust;
pub mod run;
pub mod sequentialize;
pub mod split;
pub mod validate;
pub mod work;
