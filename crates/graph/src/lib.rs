//! Execution graphs: programs under memory models that are given as axioms.
//!
//! For models that let loads overtake one another there is no small machine with buffers. Their definitions say which
//! execution graphs there are: events of all threads, with program order, dependencies, who reads from whom and the order of
//! the writes to each cell. [`program`] is the form of the programs and [`test`] the question about their final states.
//! [`run`] runs one thread alone, [`live`] says where it only waits, [`graph`] is the graph of all, and [`confirm`] is the judge: it computes everything
//! anew from what was chosen. [`answer`] enumerates all graphs of a program, by [`values`] and [`cells`]; it is the
//! reference for whoever searches in another way. [`model`] reads the models,
//! [`picture`] shows graphs.
//!
//! Left out: values out of thin air (see [`values`]), accesses to a part of a cell.

pub mod answer;
mod cells;
pub mod confirm;
pub mod graph;
mod judge;
pub mod live;
pub mod model;
pub mod picture;
pub mod program;
pub mod run;
pub mod test;
mod values;
