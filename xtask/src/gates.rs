//! The gates: what must hold on the corpus before a capability counts as done.

mod axioms;
mod exact;
mod front_end;
mod litmus;
mod sequentialize;
mod verdicts;

use crate::norn::Norn;
use crate::{corpus, csmith, flow, torture};

/// How much of the corpus is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Full,
    /// A part that is always the same.
    Sample,
}

pub fn run(extent: Extent) -> Result<(), String> {
    let Some(corpus) = corpus::folder() else {
        println!("gates: no corpus here, nothing to run");
        return Ok(());
    };
    let norn = Norn::build()?;
    let mut failures = 0;
    failures += front_end::run(&norn, &corpus, extent)?;
    failures += litmus::run(&norn, &corpus, extent)?;
    failures += axioms::run(&norn, &corpus, extent)?;
    failures += exact::run(&corpus, extent)?;
    failures += verdicts::run(&norn, &corpus, extent)?;
    failures += sequentialize::run(&corpus, extent, None)?;
    if extent == Extent::Full {
        // Without the corpus; continuous integration runs fewer of them by themselves.
        let flow = |count, threads| flow::run(&flow::Plan { count, threads, ..flow::Plan::default() });
        let inputs = csmith::Plan::from_words(&["--inputs", "--count", "100"]).and_then(|plan| csmith::run(&plan));
        let torture = std::env::var("NORN_TORTURE").map_or(Ok(()), |folder| {
            torture::Plan::from_words(&["--dir", &folder]).and_then(|plan| torture::run(&plan))
        });
        for message in [flow(2000, false), flow(500, true), inputs, torture].into_iter().filter_map(Result::err) {
            println!("FAILED  {message}");
            failures += 1;
        }
    }
    match failures {
        0 => Ok(()),
        n => Err(format!("{n} failures")),
    }
}

/// The gate of the sequential programs alone, or a part of it.
pub fn sequentialize(extent: Extent, only: Option<&str>) -> Result<(), String> {
    let Some(corpus) = corpus::folder() else {
        println!("gates: no corpus here, nothing to run");
        return Ok(());
    };
    match sequentialize::run(&corpus, extent, only)? {
        0 => Ok(()),
        n => Err(format!("{n} failures")),
    }
}

/// Only the litmus tests under models that are axioms.
pub fn axioms(extent: Extent) -> Result<(), String> {
    let corpus = corpus::folder().ok_or("there is no corpus here")?;
    match axioms::run(&Norn::build()?, &corpus, extent)? {
        0 => Ok(()),
        n => Err(format!("{n} failures")),
    }
}

/// Only the comparison of traces, which needs no binary.
pub fn traces(extent: Extent) -> Result<(), String> {
    let corpus = corpus::folder().ok_or("there is no corpus here")?;
    match exact::run(&corpus, extent)? {
        0 => Ok(()),
        n => Err(format!("{n} failures")),
    }
}

impl Extent {
    /// All, or every eighth.
    fn of<T>(self, all: Vec<T>) -> Vec<T> {
        let step = match self {
            Extent::Full => 1,
            Extent::Sample => 8,
        };
        all.into_iter().step_by(step).collect()
    }
}
