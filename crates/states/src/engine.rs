//! From a program to a verdict: the bound on buffers grows until no store is cut, or until it costs too much.
//!
//! Store buffers have no bound in the model. A thread that stores in a loop without ever waiting for its buffer can fill
//! any buffer, so a search needs a bound: a store into a full buffer waits, and the search notes that one did. A
//! search without such a store has seen everything. Any other search has seen all executions in which no thread has
//! more stores waiting than the bound.
//!
//! Nor is there a bound on threads. Room for them is made as they come; with very many, the program is taken for one that
//! creates them for ever, and the search begins with few: a thread beyond the bound is not created, and the search
//! notes that one was not. Then a few more are allowed, as long as there is time.

use crate::absorb::Marks;
use crate::future::Futures;
use crate::search::{AtEnd, Counts, Ended, Found, search};
use crate::shortest::shortest;
use crate::vector::Problem;
use crate::walk::{Reductions, Setting};
use norn_engine::capabilities::{Capabilities, STATES};
use norn_engine::{Engine, Query};
use norn_exec::compile;
use norn_verdict::claim::{Claim, Expected, Mismatch, Referee, Ruling};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Bound, BoundKind, Outcome, Stats, Verdict, ViolationKind, unwind_bounds};
use norn_verdict::undecided::{OwnBound, Undecided, Why, Work};
use std::collections::BTreeMap;

/// The engine, with its options.
#[derive(Clone, Copy, Debug)]
pub struct States {
    pub reductions: Reductions,
    /// Breadth first, so that a violation has a shortest schedule.
    pub shortest: bool,
}

impl Default for States {
    fn default() -> States {
        States { reductions: Reductions::ALL, shortest: false }
    }
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
pub fn explore(engine: States, query: &Query<'_>, at_end: &mut AtEnd<'_>) -> Explored {
    let code = compile(query.program, query.bounds);
    let States { mut reductions, shortest: wants_shortest } = engine;
    // Loops are looked for depth first, and compared by addresses.
    let is_shortest = wants_shortest && !query.checks.termination;
    reductions.rename &= !query.checks.termination;
    // What nothing points to is part of a state where it may be what was lost, and so is every register that may point to it.
    if query.checks.memory_leak {
        (reductions.rename, reductions.live_only) = (false, false);
    }
    if is_shortest {
        (reductions.merge_stores, reductions.persistent) = (false, false);
    }
    // Loops are compared state by state, and reused memory is no cell of its own.
    reductions.absorb &= !is_shortest && !query.checks.termination && !query.program.reuses_memory;
    let mut marks = Marks::default();
    let futures = (reductions.persistent || reductions.absorb).then(|| Futures::new(query.program, &code)).flatten();
    let mut setting = Setting {
        program: query.program,
        code: &code,
        model: query.model,
        checks: query.checks,
        reductions,
        futures: futures.as_ref(),
        max_threads: 4,
        hold_creations: false,
        buffer: FIRST_BUFFER,
    };
    let mut before: Option<Explored> = None;
    let mut searches = 0;
    loop {
        let mut found = match is_shortest {
            true => shortest(setting, query.limits, at_end),
            false => search(setting, query.limits, &mut marks, at_end),
        };
        searches += 1;
        match found.ended {
            // The shortest counterexample may need more threads than a longer one.
            Ended::Problem(Problem::Threads) if setting.max_threads >= MANY_THREADS && !is_shortest => {
                (setting.max_threads, setting.hold_creations) = (2, true);
                continue;
            }
            Ended::Problem(Problem::Threads) => {
                setting.max_threads *= 2;
                continue;
            }
            Ended::Problem(Problem::Conflict) => {
                // Each time something more is marked. If not, it would never end.
                setting.reductions.absorb &= marks.grew();
                continue;
            }
            Ended::Problem(Problem::NotWorthIt) => {
                setting.reductions.absorb = false;
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
        } else if is_done && is_small && is_in_doubt && setting.reductions.merge_stores && query.model != Model::Sc {
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

impl Engine for States {
    fn capabilities(&self) -> &'static Capabilities {
        &STATES
    }

    fn run(&self, query: &Query<'_>, referee: &dyn Referee) -> Result<Verdict, Mismatch> {
        match query.refused(&STATES) {
            Some(refused) => Ok(refused),
            None => verdict(query, explore(*self, query, &mut |_| {}), referee),
        }
    }
}

/// What was explored, as a verdict.
fn verdict(query: &Query<'_>, explored: Explored, referee: &dyn Referee) -> Result<Verdict, Mismatch> {
    let unknown = |open, stats| Ok(query.unknown(STATES.name, open, stats));
    let Explored { found, buffer, threads, .. } = explored;
    let stats = stats(&found.counts);
    let states = found.counts.states;
    match found.ended {
        Ended::Violation(violation, schedule) => {
            let claim = Claim { schedule, expected: vec![(&violation).into()] };
            return referee.rule(query.program, query.checks, claim).verdict(query.model, STATES.name, stats);
        }
        Ended::Endless(schedules) => {
            let mut mismatch = None;
            for schedule in schedules {
                let expected = vec![Expected::anywhere(ViolationKind::Nontermination)];
                match referee.rule(query.program, query.checks, Claim { schedule, expected }) {
                    Ruling::Fails(fails) => mismatch = Some(fails),
                    ruling => return ruling.verdict(query.model, STATES.name, stats),
                }
            }
            return Err(mismatch.expect("there should be a schedule"));
        }
        Ended::Exceeded(exceeded) => {
            let why = Why::Limit { limit: exceeded, after: Work::States(states) };
            return unknown(Undecided::new(why), stats);
        }
        Ended::Problem(_) => {
            let why = Why::too_large(format!("the tables are full, with {states} states stored"));
            return unknown(Undecided::new(why), stats);
        }
        Ended::Everything => {}
    }
    if let Some(open) = found.incomplete {
        return unknown(open, stats);
    }
    if found.threads_full {
        return unknown(Undecided::new(Why::OwnBound(OwnBound::Threads(threads))), stats);
    }
    let code = compile(query.program, query.bounds);
    let places = code.cuts.iter().zip(&found.cuts).map(|(cut, &reached)| (cut.span, cut.bound, reached));
    let mut bounds = unwind_bounds(query.program, places);
    let outcome = match found.buffer_full {
        true => {
            bounds.push(Bound { kind: BoundKind::Buffer, value: buffer as u64, exhausted: false });
            Outcome::Limited { bounds, undecided: Undecided::new(Why::OwnBound(OwnBound::Buffer)) }
        }
        false => Outcome::Safe { bounds },
    };
    Ok(Verdict::new(query.model, STATES.name, outcome, stats).assuming(found.assumptions).reaching(Some(found.reached)))
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
