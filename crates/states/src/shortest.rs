//! Breadth first: the first violation has a shortest schedule. Nothing is reduced, or the shortest could be missed.
//!
//! Each state remembers the state and the choice that it was first reached from. To expand a state, the walk goes back to
//! where the ways to the last state and to this one part, and forward from there; states come in the order of the
//! states that they were reached from, so these ways are mostly short.

use crate::search::{AtEnd, Counts, Ended, Found, not_begun, pace, report, undecided};
use crate::walk::{Choice, Chosen, Halt, Point, Setting, Walk, next_values};
use norn_exec::Stop;
use norn_verdict::limits::Limits;
use norn_verdict::pace::{Due, Pace};
use norn_verdict::undecided::Undecided;

/// How a state was first reached.
struct Link {
    before: u32,
    /// How many states are before it.
    depth: u32,
    choice: Choice,
    chosen: Vec<Chosen>,
}

struct Search<'a, 'f> {
    walk: Walk<'a>,
    limits: &'a Limits,
    /// By state.
    links: Vec<Link>,
    /// The states on the way to the current one and where to go back to for each; first the beginning.
    way: Vec<(u32, Point)>,
    counts: Counts,
    incomplete: Option<Undecided>,
    pace: Pace,
    at_end: &'f mut AtEnd<'f>,
}

const BEGINNING: u32 = u32::MAX;

/// Searches all states of the setting.
pub fn shortest<'a, 'f>(setting: Setting<'a>, limits: &'a Limits, at_end: &'f mut AtEnd<'f>) -> Found {
    let walk = match Walk::new(setting) {
        Ok(walk) => walk,
        Err(halt) => return not_begun(halt, setting),
    };
    let way = vec![(BEGINNING, walk.point())];
    let counts = Counts::default();
    let pace = pace();
    let mut search = Search { walk, limits, links: Vec::new(), way, counts, incomplete: None, pace, at_end };
    let ended = search.run();
    let Search { walk, mut counts, incomplete, .. } = search;
    let incomplete = incomplete.or_else(|| walk.executor.doubt().cloned());
    counts.states = walk.vector.states() as u64;
    counts.bytes = walk.vector.size() as u64;
    let cuts = walk.executor.cuts().map(|(_, reached)| reached).collect();
    let assumptions = walk.executor.assumptions().collect();
    let reached = walk.executor.reached();
    let Walk { buffer_full, threads_full, .. } = walk;
    Found { ended, counts, incomplete, buffer_full, threads_full, cuts, assumptions, reached }
}

impl Search<'_, '_> {
    fn run(&mut self) -> Ended {
        let mut goes_on = false;
        if let Some(ended) = self.attempt(BEGINNING, Choice::Start, &mut goes_on) {
            return ended;
        }
        let mut state = 0u32;
        while (state as usize) < self.links.len() {
            let due = self.pace.step();
            if due == Due::Report {
                report(self.limits, self.links.len() as u64, "frontier", self.links.len() as u64 - u64::from(state));
            }
            if due != Due::Nothing
                && let Some(exceeded) = self.limits.exceeded()
            {
                return Ended::Exceeded(exceeded);
            }
            if let Err(ended) = self.go_to(state) {
                return ended;
            }
            self.counts.depth = self.counts.depth.max(self.way.len() as u64);
            if let Some(ended) = self.expand(state) {
                return ended;
            }
            state += 1;
        }
        Ended::Everything
    }

    fn expand(&mut self, state: u32) -> Option<Ended> {
        if self.walk.executor.is_complete() {
            if let Some(violation) = self.walk.executor.leak() {
                return Some(Ended::Violation(violation, self.walk.schedule()));
            }
            (self.at_end)(&self.walk.executor);
        }
        let mut goes_on = false;
        let mut last = None;
        while let Some(choice) = self.walk.next_candidate(last) {
            last = Some(choice);
            if let Some(ended) = self.attempt(state, choice, &mut goes_on) {
                return Some(ended);
            }
        }
        if !goes_on && self.walk.is_deadlock() {
            return Some(Ended::Violation(self.walk.executor.deadlock(), self.walk.schedule()));
        }
        None
    }

    /// Takes a choice with all its values, and goes back each time.
    fn attempt(&mut self, before: u32, choice: Choice, goes_on: &mut bool) -> Option<Ended> {
        let point = self.walk.point();
        let mut chosen = Vec::new();
        loop {
            match self.walk.step(choice, false, &mut chosen) {
                Ok(()) => {
                    self.counts.transitions += u64::from(choice != Choice::Start);
                    *goes_on |= !self.walk.was_spurious;
                    match self.walk.vector.state(&self.walk.executor, None) {
                        Ok((_, true)) => {
                            let depth = self.links.get(before as usize).map_or(0, |link| link.depth + 1);
                            self.links.push(Link { before, depth, choice, chosen: chosen.clone() });
                        }
                        Ok((_, false)) => {}
                        Err(problem) => return Some(Ended::Problem(problem)),
                    }
                }
                Err(Halt::Stop(Stop::NotEnabled)) => {}
                // With a larger bound it would go on.
                Err(Halt::Stop(Stop::Cut)) => *goes_on = true,
                Err(Halt::Stop(Stop::Violation(violation))) => {
                    return Some(Ended::Violation(*violation, self.walk.schedule()));
                }
                Err(Halt::Problem(problem)) => return Some(Ended::Problem(problem)),
                Err(halt) => {
                    *goes_on = true;
                    if matches!(halt, Halt::Wide { .. }) {
                        chosen.clear();
                    }
                    self.incomplete.get_or_insert_with(|| undecided(halt));
                }
            }
            self.walk.back_to(point);
            if !next_values(&mut chosen) {
                return None;
            }
        }
    }

    /// Brings the walk to a stored state.
    fn go_to(&mut self, state: u32) -> Result<(), Ended> {
        let mut ahead = vec![state];
        while let Some(&next) = ahead.last() {
            let Link { before, depth, .. } = self.links[next as usize];
            let at = depth as usize;
            if self.way.get(at).is_some_and(|&(known, _)| known == before) {
                let parting = self.way.get(at + 1).map(|&(_, point)| point);
                self.way.truncate(at + 1);
                if let Some(point) = parting {
                    self.walk.back_to(point);
                }
                break;
            }
            ahead.push(before);
        }
        while let Some(next) = ahead.pop() {
            let point = self.walk.point();
            let Link { choice, chosen, .. } = &self.links[next as usize];
            let mut chosen = chosen.clone();
            match self.walk.step(*choice, false, &mut chosen) {
                Ok(()) => self.way.push((next, point)),
                Err(Halt::Problem(problem)) => return Err(Ended::Problem(problem)),
                Err(_) => unreachable!("a step should be possible again where it was possible before"),
            }
        }
        Ok(())
    }
}
