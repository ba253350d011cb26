//! From a program to a verdict: the bound on buffers grows until no store is cut, or until it costs too much.
//!
//! Store buffers have no bound in the model. A thread that stores in a loop without ever waiting for its buffer can fill
//! any buffer, so a search needs a bound: a store into a full buffer waits, and that it did is noted. A search without
//! such a store has seen everything. Else all executions were seen in which no thread has more stores waiting.
//!
//! Nor is there a bound on threads. Room for them is made as they come; with very many, the program is taken for one that
//! creates them for ever, and the search begins with few: a thread that would be one too many is not created, and that
//! it was not is noted. Then a few more are allowed, as long as there is time.

use crate::search::{AtEnd, Counts, Ended, Found, search};
use crate::shortest::shortest;
use crate::vector::Problem;
use crate::walk::{Reductions, Setting};
use norn_exec::compile;
use norn_ir::program::Program;
use norn_machine::replay::{ReplayMismatch, complete_inputs, confirm};
use norn_passes::unwind::Bounds;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Bound, BoundKind, Checks, Outcome, Stats, Verdict, unwind_bounds};
use std::cell::OnceCell;
use std::collections::BTreeMap;

pub const ENGINE: &str = "states";

/// A program and what is asked about it.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// Valid, with its private objects marked.
    pub program: &'a Program,
    pub model: Model,
    pub checks: Checks,
    /// Without them loops are followed for ever.
    pub bounds: Option<&'a Bounds>,
    pub limits: &'a Limits,
    pub reductions: Reductions,
    /// Breadth first, so that a violation has a shortest schedule.
    pub shortest: bool,
}

/// What was explored.
#[derive(Clone, PartialEq, Debug)]
pub struct Explored {
    /// The last search, or the last that ended.
    pub found: Found,
    /// The bound on buffers that it had.
    pub buffer: usize,
    /// The bound on threads, if creations were held.
    pub threads: usize,
    /// Of all searches together.
    pub searches: u64,
}

const FIRST_BUFFER: usize = 8;
/// With more states than this, a larger buffer is not tried.
const MOST_STATES_TO_GO_ON: u64 = 200_000;
const LARGEST_BUFFER: usize = 1 << 12;
/// A program that creates more threads is taken for one that does so for ever.
const MANY_THREADS: usize = 64;

/// Explores everything, or up to the first violation. `at_end` sees the final state of each complete execution.
pub fn explore(task: &Task<'_>, at_end: &mut AtEnd<'_>) -> Explored {
    let code = compile(task.program, task.bounds);
    let mut reductions = task.reductions;
    if task.shortest {
        (reductions.merge_stores, reductions.persistent) = (false, false);
    }
    let domains = OnceCell::new();
    let mut setting = Setting {
        program: task.program,
        code: &code,
        model: task.model,
        checks: task.checks,
        reductions,
        max_threads: 4,
        hold_creations: false,
        buffer: FIRST_BUFFER,
        domains: &domains,
    };
    let mut before: Option<Explored> = None;
    let mut searches = 0;
    loop {
        let mut found = match task.shortest {
            true => shortest(setting, task.limits, at_end),
            false => search(setting, task.limits, at_end),
        };
        searches += 1;
        match found.ended {
            // The shortest counterexample may need more threads than a longer one.
            Ended::Problem(Problem::Threads) if setting.max_threads >= MANY_THREADS && !task.shortest => {
                (setting.max_threads, setting.hold_creations) = (2, true);
                continue;
            }
            Ended::Problem(Problem::Threads) => {
                setting.max_threads *= 2;
                continue;
            }
            Ended::Problem(Problem::Observed) => {
                setting.reductions.rename = false;
                continue;
            }
            // What was complete up to a smaller bound is worth more than half of a search.
            Ended::Exceeded(_) | Ended::Problem(Problem::Full) if before.is_some() => break,
            _ => {}
        }
        if let Some(before) = &mut before {
            // A doubt stays one.
            found.incomplete = before.found.incomplete.take().or(found.incomplete);
        }
        let is_done = found.ended == Ended::Everything;
        let (is_in_doubt, is_cut) = (found.incomplete.is_some(), found.buffer_full);
        let is_small = found.counts.states <= MOST_STATES_TO_GO_ON;
        let more_threads = is_done && !is_in_doubt && found.threads_full;
        before = Some(Explored { found, buffer: setting.buffer, threads: setting.max_threads, searches });
        if more_threads {
            setting.max_threads += setting.max_threads.div_ceil(4);
        } else if is_done && is_small && is_in_doubt && setting.reductions.merge_stores && task.model != Model::Sc {
            // Where a store leads to something that has no meaning, so does the step before it that takes it along: what
            // lies between the two was not seen.
            setting.reductions.merge_stores = false;
        } else if is_done && is_small && !is_in_doubt && is_cut && setting.buffer < LARGEST_BUFFER {
            setting.buffer *= 2;
        } else {
            break;
        }
    }
    before.unwrap_or_else(|| unreachable!("a search is kept before the loop ends"))
}

/// The verdict. An error means that the search claimed what the machine could not replay.
pub fn verdict(task: &Task<'_>) -> Result<Verdict, ReplayMismatch> {
    let Task { program, model, checks, .. } = *task;
    let unknown =
        |reason: String, span, stats| Ok(Verdict::new(model, ENGINE, Outcome::Unknown { reason, span }, stats));
    if checks.data_race {
        return unknown("this engine does not look for data races".to_owned(), None, Stats::default());
    }
    let Explored { found, buffer, threads, .. } = explore(task, &mut |_| {});
    let stats = stats(&found.counts);
    let states = found.counts.states;
    match found.ended {
        Ended::Violation(violation, schedule) => {
            let schedule = complete_inputs(program, checks, schedule);
            return confirm(program, checks, schedule, &violation, ENGINE, stats);
        }
        Ended::Exceeded(exceeded) => {
            return unknown(format!("{}, with {states} states stored", exceeded.reason()), None, stats);
        }
        Ended::Problem(_) => return unknown(format!("the tables are full, with {states} states stored"), None, stats),
        Ended::Everything => {}
    }
    if let Some((reason, span)) = found.incomplete {
        return unknown(reason, span, stats);
    }
    if found.threads_full {
        let reason = format!("there are more than {threads} threads, and nothing is wrong with up to that many");
        return unknown(reason, None, stats);
    }
    let code = compile(program, task.bounds);
    let places = code.cuts.iter().zip(&found.cuts).map(|(cut, &reached)| (cut.span, cut.bound, reached));
    let mut bounds = unwind_bounds(program, places);
    let outcome = match found.buffer_full {
        true => {
            bounds.push(Bound { kind: BoundKind::Buffer, value: buffer as u64, exhausted: false });
            Outcome::Limited { bounds, reason: "a store buffer keeps growing".to_owned(), span: None }
        }
        false => Outcome::Safe { bounds },
    };
    Ok(Verdict::new(model, ENGINE, outcome, stats).assuming(found.assumptions).reaching(Some(found.reached)))
}

fn stats(counts: &Counts) -> Stats {
    Stats(BTreeMap::from([
        ("states", counts.states as f64),
        ("transitions", counts.transitions as f64),
        ("depth", counts.depth as f64),
        ("bytes", counts.bytes as f64),
        ("reduced", counts.reduced as f64),
    ]))
}
