//! All reachable states, breadth first, so that the first violation has a shortest schedule.

use super::endless::{Edge, Graph};
use super::{Final, Finding, Link, Patience, Question, Tried, Ways, taken};
use crate::hash::FastMap;
use crate::liveness;
use crate::machine::{Choice, Machine, Stop};
use crate::observe::Noted;
use crate::replay::confirm;
use crate::state::State;
use norn_ir::ids::{BlockId, FuncId};
use norn_verdict::claim::{Claim, Mismatch};
use norn_verdict::outcome::{Outcome, Stats, Verdict};
use norn_verdict::schedule::ThreadName;
use norn_verdict::undecided::{Undecided, Why};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What was found. Without a violation, with nothing incomplete and nothing sampled the program is safe.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Explored {
    pub violation: Option<Finding>,
    pub incomplete: Option<Undecided>,
    pub states: usize,
    /// The number of steps that were tried and turned out to be possible.
    pub transitions: usize,
    /// Nondeterministic values were tried with those of the domain only.
    pub sampled: bool,
    /// The final contents of the executions in which every thread ended.
    pub finals: BTreeSet<Final>,
    pub noted: Noted,
    /// The blocks whose terminator `Stop` ended a thread: loops cut by their bounds.
    pub stops: BTreeSet<(FuncId, BlockId)>,
}

/// Explores until the first violation.
pub fn explore(question: &Question<'_>) -> Explored {
    let mut machine = Machine::new(question.program, question.model, question.checks);
    machine.goes_on_beside = true;
    let mut search = Search {
        question,
        machine: &machine,
        seen: FastMap::default(),
        ways: Ways::default(),
        frontier: VecDeque::new(),
        graph: question.checks.termination.then(Graph::default),
        found: Explored::default(),
        bytes: Vec::new(),
        patience: Patience::default(),
    };
    search.run();
    search.found
}

/// The verdict on a program; a violation is replayed.
pub fn verdict(question: &Question<'_>) -> Result<Verdict, Mismatch> {
    const ENGINE: &str = "enumerate";
    let found = explore(question);
    let (sampled, noted) = (found.sampled, found.noted);
    let figures = [("states", found.states as f64), ("transitions", found.transitions as f64)];
    let stats = Stats(BTreeMap::from(figures));
    let outcome = match (found.violation, found.incomplete) {
        (Some(Finding { violation, schedule }), _) => {
            let claim = Claim { schedule, expected: vec![(&violation).into()] };
            return confirm(question.program, question.checks, claim).verdict(question.model, ENGINE, stats);
        }
        (None, Some(undecided)) => Outcome::Unknown(undecided),
        (None, None) if sampled => Outcome::Unknown(Undecided::new(Why::SomeValuesOnly)),
        (None, None) => Outcome::Safe { bounds: Vec::new() },
    };
    Ok(Verdict::new(question.model, ENGINE, outcome, stats).assuming(noted.assumptions).reaching(Some(noted.reached)))
}

struct Search<'a> {
    question: &'a Question<'a>,
    machine: &'a Machine<'a>,
    /// By encoding, the number of the state.
    seen: FastMap<Box<[u8]>, usize>,
    ways: Ways,
    frontier: VecDeque<(State, usize)>,
    /// Everything that was seen, where termination is asked about.
    graph: Option<Graph>,
    found: Explored,
    bytes: Vec<u8>,
    patience: Patience,
}

impl Search<'_> {
    fn run(&mut self) {
        let (question, machine) = (self.question, self.machine);
        let mut noted = Noted::default();
        let tried = question.with_all_inputs(
            |script| machine.initial(&mut noted, script),
            |result, inputs| {
                self.reached(result, Link { before: None, step: None, inputs });
            },
        );
        self.found.noted.add(noted);
        self.note(tried);
        while self.found.violation.is_none()
            && let Some((state, way)) = self.frontier.pop_front()
        {
            if let Some(incomplete) = self.patience.exceeded(question.limits) {
                self.found.incomplete.get_or_insert(incomplete);
                break;
            }
            self.found.states += 1;
            self.expand(state, way);
        }
        if self.found.violation.is_none()
            && let Some(graph) = &self.graph
        {
            match graph.endless(question, machine, &self.ways) {
                Ok(finding) => self.found.violation = finding,
                Err(open) => {
                    self.found.incomplete.get_or_insert(open);
                }
            }
        }
    }

    fn expand(&mut self, state: State, way: usize) {
        if state.is_complete() {
            if !self.question.observed.is_empty() {
                self.found.finals.insert(self.question.observe(self.machine, &state));
            }
            if let Some(violation) = self.machine.leak(&state).filter(|_| self.found.violation.is_none()) {
                let link = Link { before: Some(way), step: None, inputs: Vec::new() };
                let schedule = self.ways.schedule(self.question, &link);
                self.found.violation = Some(Finding { violation, schedule });
            }
            return;
        }
        let mut goes_on = false;
        let machine = self.machine;
        machine.for_each_candidate(&state, |choice| {
            goes_on |= self.attempt(&state, way, choice);
        });
        if !goes_on && self.question.checks.deadlock && self.found.violation.is_none() && machine.is_deadlock(&state) {
            let link = Link { before: Some(way), step: None, inputs: Vec::new() };
            let schedule = self.ways.schedule(self.question, &link);
            self.found.violation = Some(Finding { violation: machine.deadlock(&state), schedule });
        }
        if self.graph.is_some() && self.found.violation.is_none() && liveness::is_stuck(machine, &state) {
            let link = Link { before: Some(way), step: None, inputs: Vec::new() };
            let schedule = self.ways.schedule(self.question, &link);
            let violation = liveness::violation(machine, &state, &BTreeSet::new());
            self.found.violation = Some(Finding { violation, schedule });
        }
    }

    /// Whether something other than a spurious wake-up can happen.
    fn attempt(&mut self, state: &State, way: usize, choice: Choice) -> bool {
        let (question, machine) = (self.question, self.machine);
        let mut noted = Noted::default();
        let mut goes_on = false;
        let is_spurious = Cell::new(false);
        let tried = question.with_all_inputs(
            |script| {
                let mut next = state.clone();
                let step = machine.step(&mut next, choice, &mut noted, script)?;
                is_spurious.set(script.is_spurious);
                Ok((next, step.spurious))
            },
            |result, inputs: Vec<(ThreadName, u64)>| {
                match result {
                    Err(Stop::NotEnabled) => return,
                    // With a larger bound it would go on.
                    Err(Stop::Cut { function, block }) => {
                        self.found.stops.insert((function, block));
                        goes_on = true;
                        return;
                    }
                    _ => {}
                }
                goes_on |= !matches!(result, Ok((_, true)));
                self.found.transitions += 1;
                let spurious = matches!(result, Ok((_, true))) || is_spurious.get();
                let values: Vec<u64> = inputs.iter().map(|input| input.1).collect();
                let link = Link { before: Some(way), step: Some(taken(state, choice)), inputs };
                let to = self.reached(result.map(|(next, _)| next), link);
                if let (Some(graph), Some(to)) = (&mut self.graph, to) {
                    let commits = liveness::committed(state, choice);
                    graph.edges.push(Edge { from: way, to, choice, commits, spurious, inputs: values });
                }
            },
        );
        goes_on |= tried.incomplete.is_some();
        self.found.noted.add(noted);
        self.note(tried);
        goes_on
    }

    /// The number of the state that was reached.
    fn reached(&mut self, result: Result<State, Stop>, link: Link) -> Option<usize> {
        match result {
            Ok(state) => {
                // Also for a state that is known: it may have been reached without a bound before.
                self.found.stops.extend(state.threads.iter().filter_map(|thread| thread.cut_at));
                if let Some(doubt) = state.threads.iter().find_map(|thread| thread.doubt.clone()) {
                    self.found.incomplete.get_or_insert(doubt);
                }
                self.bytes.clear();
                self.machine.encode(&state, &mut self.bytes);
                if let Some(&known) = self.seen.get(&self.bytes[..]) {
                    return Some(known);
                }
                self.patience.bytes += self.bytes.len();
                let way = self.ways.add(link);
                self.seen.insert(self.bytes[..].into(), way);
                if let Some(graph) = &mut self.graph {
                    graph.add(self.machine, &state);
                }
                self.frontier.push_back((state, way));
                Some(way)
            }
            Err(Stop::Violation(violation)) if self.found.violation.is_none() => {
                let schedule = self.ways.schedule(self.question, &link);
                self.found.violation = Some(Finding { violation, schedule });
                None
            }
            Err(Stop::Violation(_) | Stop::NotEnabled | Stop::Cut { .. } | Stop::NeedInput(_) | Stop::Ends(_)) => None,
            Err(Stop::Undecided(undecided)) => {
                self.found.incomplete.get_or_insert(undecided);
                None
            }
        }
    }

    /// The first reason is kept.
    fn note(&mut self, tried: Tried) {
        self.found.sampled |= tried.sampled;
        if let Some(incomplete) = tried.incomplete {
            self.found.incomplete.get_or_insert(incomplete);
        }
    }
}
