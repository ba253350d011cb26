//! The fewest switches before a violation, by a search of the reference machine without any reduction: the yardstick of stories.

use norn_ir::instr::FenceKind;
use norn_ir::program::Program;
use norn_machine::observe::{Happening, Observer, Scene};
use norn_machine::{Choice, Inputs, Machine, Request, State, Stop};
use norn_verdict::claim::Expected;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use norn_verdict::schedule::ThreadName;
use norn_verdict::trace::ThreadIndex;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

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
    fn next(&mut self, _name: &ThreadName, _request: &Request) -> Option<u64> {
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
