//! What tests of stories share: violations found at random, and the fewest switches by a search without any reduction.

#![allow(dead_code, reason = "each test uses its part")]

use norn_explain::{Shortened, USUAL_STEPS, shorten};
use norn_ir::instr::FenceKind;
use norn_ir::program::Program;
use norn_machine::observe::{Happening, Observer, Scene};
use norn_machine::run::{RunEnd, run};
use norn_machine::{Choice, End, Inputs, Machine, Request, State, Stop, confirm};
use norn_verdict::claim::{Claim, Expected, Ruling};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Counterexample};
use norn_verdict::trace::ThreadIndex;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The counterexample of the first random execution that violates something.
pub fn found(program: &Program, model: Model, checks: Checks, seeds: std::ops::Range<u64>) -> Option<Counterexample> {
    const MOST_STEPS: u64 = 400;
    for seed in seeds {
        let ran = run(program, model, checks, seed, MOST_STEPS, &Limits::none());
        if let RunEnd::Done(End::Violation(violation)) = ran.end {
            let claim = Claim { schedule: ran.schedule, expected: vec![(&violation).into()] };
            match confirm(program, checks, claim) {
                Ruling::Holds(found) => return Some(*found),
                other => panic!("{other:?}"),
            }
        }
    }
    None
}

pub fn shortened(program: &Program, checks: Checks, found: &Counterexample) -> Shortened {
    let shorter = shorten(program, checks, found, USUAL_STEPS, &Limits::none());
    shorter.unwrap_or_else(|| panic!("there should be a story of {:?}\n{}", found.violation(), found.schedule()))
}

/// The fewest switches before the violation among all executions whose inputs are zero; `None` if there are too many states.
pub fn fewest(program: &Program, model: Model, checks: Checks, expected: Expected) -> Option<usize> {
    const MOST_STATES: usize = 60_000;
    let machine = Machine::new(program, model, checks);
    let mut queue: BTreeMap<usize, VecDeque<(State, Turns)>> = BTreeMap::new();
    let mut seen: BTreeSet<(Option<ThreadIndex>, Vec<u8>)> = BTreeSet::new();
    let mut best: Option<usize> = None;
    let mut turns = Turns::default();
    match machine.initial(&mut turns, &mut Zeros) {
        Ok(state) => queue.entry(turns.switches).or_default().push_back((state, turns)),
        Err(_) => return None,
    }
    while let Some((&switches, _)) = queue.first_key_value() {
        if best.is_some_and(|best| best <= switches) || seen.len() > MOST_STATES {
            break;
        }
        let Some((state, turns)) = queue.get_mut(&switches).and_then(VecDeque::pop_front) else {
            queue.remove(&switches);
            continue;
        };
        let mut bytes = Vec::new();
        machine.encode(&state, &mut bytes);
        if !seen.insert((turns.last, bytes)) {
            continue;
        }
        if machine.checks.deadlock && machine.is_deadlock(&state) && expected.fits(&machine.deadlock(&state)) {
            best = Some(best.map_or(turns.switches, |best| best.min(turns.switches)));
        }
        machine.for_each_candidate(&state, |choice: Choice| {
            let (mut next, mut turns) = (state.clone(), turns);
            match machine.step(&mut next, choice, &mut turns, &mut Zeros) {
                Ok(_) => queue.entry(turns.switches).or_default().push_back((next, turns)),
                Err(Stop::Violation(violation)) if expected.fits(&violation) => {
                    best = Some(best.map_or(turns.switches, |best| best.min(turns.switches)));
                }
                Err(_) => {}
            }
        });
    }
    best.filter(|_| seen.len() <= MOST_STATES)
}

struct Zeros;

impl Inputs for Zeros {
    fn next(&mut self, _name: &norn_verdict::schedule::ThreadName, _request: &Request) -> Option<u64> {
        Some(0)
    }
}

#[derive(Clone, Copy, Default)]
struct Turns {
    last: Option<ThreadIndex>,
    switches: usize,
}

impl Observer for Turns {
    fn happened(&mut self, scene: &Scene<'_>, what: &Happening<'_>) {
        let is_none = matches!(
            what,
            Happening::Commit { .. }
                | Happening::Call { .. }
                | Happening::Fence(FenceKind::Call | FenceKind::Compiler)
                | Happening::ObjectEnds { by_free: false, .. }
                | Happening::Assumed(_)
                | Happening::Checks { .. }
                | Happening::Print { .. }
        );
        if !is_none {
            self.switches += usize::from(self.last.is_some_and(|last| last != scene.thread));
            self.last = Some(scene.thread);
        }
    }
}
