//! Every execution up to the equivalence of Shasha and Snir.
//!
//! The trace of an execution: for each thread the sequence of its visible events and inputs, for each read the write
//! that every byte of it came from, for each byte the order in which writes reached memory. Events are named by thread
//! and number, so two executions with the same trace differ only in the order of what is independent. The search visits
//! states together with the traces that led to them, and counts the traces of executions that came to their end.
//! Executions in which a thread was stopped, or waits for ever, are counted apart; so are those that a violation ends.

use super::{Finding, Link, Patience, Question, Tried, Ways, taken};
use crate::encode::number;
use crate::hash::FastSet;
use crate::machine::{Machine, Stop};
use crate::memory::ObjectRef;
use crate::observe::{Happening, Observer, Scene, Spot};
use crate::state::State;
use norn_verdict::schedule::{StepNumber, ThreadName};
use norn_verdict::undecided::Undecided;
use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Counted {
    /// Executions in which every thread ended, or the program exited.
    pub complete: usize,
    /// Executions that came to rest with a thread stopped or waiting.
    pub blocked: usize,
    /// The first violation found. Executions that violate something are in neither number.
    pub violation: Option<Finding>,
    pub incomplete: Option<Undecided>,
    /// Nondeterministic values were tried with those of the domain only.
    pub sampled: bool,
    pub states: usize,
}

pub fn count(question: &Question<'_>) -> Counted {
    let machine = Machine::new(question.program, question.model, question.checks);
    let mut search = Search {
        question,
        machine: &machine,
        seen: FastSet::default(),
        complete: FastSet::default(),
        blocked: FastSet::default(),
        ways: Ways::default(),
        stack: Vec::new(),
        counted: Counted::default(),
        patience: Patience::default(),
    };
    search.run();
    let Search { complete, blocked, counted, .. } = search;
    Counted { complete: complete.len(), blocked: blocked.len(), ..counted }
}

struct Search<'a> {
    question: &'a Question<'a>,
    machine: &'a Machine<'a>,
    seen: FastSet<Vec<u8>>,
    complete: FastSet<Vec<u8>>,
    blocked: FastSet<Vec<u8>>,
    ways: Ways,
    stack: Vec<(State, Prefix, usize)>,
    counted: Counted,
    patience: Patience,
}

impl Search<'_> {
    fn run(&mut self) {
        let (question, machine) = (self.question, self.machine);
        let tried = question.with_all_inputs(
            |script| {
                let mut prefix = Prefix::default();
                let state = machine.initial(&mut prefix, script)?;
                Ok((state, prefix))
            },
            |result, inputs| self.reached(result, Link { before: None, step: None, inputs }),
        );
        self.note(tried);
        while let Some((state, prefix, way)) = self.stack.pop() {
            if let Some(incomplete) = self.patience.exceeded(question.limits) {
                self.counted.incomplete.get_or_insert(incomplete);
                return;
            }
            self.counted.states += 1;
            self.expand(&state, &prefix, way);
        }
    }

    fn expand(&mut self, state: &State, prefix: &Prefix, way: usize) {
        if state.is_complete() {
            self.complete.insert(prefix.encode());
            return;
        }
        let (question, machine) = (self.question, self.machine);
        let (mut goes_on, mut only_spurious) = (false, true);
        machine.for_each_candidate(state, |choice| {
            let tried = question.with_all_inputs(
                |script| {
                    let (mut next, mut prefix) = (state.clone(), prefix.clone());
                    prefix.step = None;
                    only_spurious &= machine.step(&mut next, choice, &mut prefix, script)?.spurious;
                    Ok((next, prefix))
                },
                |result, inputs| {
                    if !result.as_ref().is_err_and(|stop| matches!(stop, Stop::NotEnabled | Stop::Cut { .. })) {
                        goes_on = true;
                        let link = Link { before: Some(way), step: Some(taken(state, choice)), inputs };
                        self.reached(result, link);
                    }
                },
            );
            goes_on |= tried.incomplete.is_some();
            self.note(tried);
        });
        if !goes_on {
            self.blocked.insert(prefix.encode());
        }
        let may_be_deadlock = only_spurious && question.checks.deadlock && self.counted.violation.is_none();
        if may_be_deadlock && machine.is_deadlock(state) {
            let link = Link { before: Some(way), step: None, inputs: Vec::new() };
            let schedule = self.ways.schedule(question, &link);
            self.counted.violation = Some(Finding { violation: machine.deadlock(state), schedule });
        }
    }

    fn reached(&mut self, result: Result<(State, Prefix), Stop>, link: Link) {
        match result {
            Ok((state, prefix)) => {
                let mut bytes = Vec::new();
                self.machine.encode(&state, &mut bytes);
                let length = bytes.len() as u64;
                number(&mut bytes, length);
                // The encoding of a state does not name its threads, a trace does.
                state.threads.iter().for_each(|thread| encode_name(&mut bytes, &thread.name));
                bytes.extend(prefix.encode());
                self.patience.bytes += bytes.len();
                if self.seen.insert(bytes) {
                    let way = self.ways.add(link);
                    self.stack.push((state, prefix, way));
                }
            }
            Err(Stop::Violation(violation)) if self.counted.violation.is_none() => {
                let schedule = self.ways.schedule(self.question, &link);
                self.counted.violation = Some(Finding { violation, schedule });
            }
            Err(Stop::Violation(_) | Stop::NotEnabled | Stop::Cut { .. } | Stop::NeedInput(_) | Stop::Ends(_)) => {}
            Err(Stop::Undecided(undecided)) => {
                self.counted.incomplete.get_or_insert(undecided);
            }
        }
    }

    fn note(&mut self, tried: Tried) {
        self.counted.sampled |= tried.sampled;
        if let Some(incomplete) = tried.incomplete {
            self.counted.incomplete.get_or_insert(incomplete);
        }
    }
}

/// An event: thread, visible step, number of the access within it.
type EventId = (ThreadName, StepNumber, u32);
/// A byte of an object. Objects are named by the thread whose they are (`None`: a global object), because the numbers
/// of threads depend on the interleaving.
type Byte = (Option<ThreadName>, u32, u64);

/// The trace of an execution so far.
#[derive(Clone, Default)]
struct Prefix {
    /// What each thread did, encoded.
    threads: BTreeMap<ThreadName, Vec<u8>>,
    /// The writes to each byte in the order in which they reached memory.
    writes: BTreeMap<Byte, Vec<EventId>>,
    /// The step being taken and the accesses that it has made.
    step: Option<(StepNumber, u32)>,
}

impl Prefix {
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        number(&mut out, self.threads.len() as u64);
        for (name, events) in &self.threads {
            encode_name(&mut out, name);
            number(&mut out, events.len() as u64);
            out.extend(events);
        }
        for (byte, writes) in &self.writes {
            encode_byte(&mut out, byte);
            number(&mut out, writes.len() as u64);
            writes.iter().for_each(|write| encode_event(&mut out, write));
        }
        out
    }

    /// The name of the next access of the current step.
    fn next(&mut self, name: &ThreadName, step: Option<StepNumber>) -> EventId {
        let step = step.expect("a shared access should belong to a visible step");
        let count = match self.step {
            Some((current, count)) if current == step => count,
            _ => 0,
        };
        self.step = Some((step, count + 1));
        (name.clone(), step, count)
    }

    fn note(&mut self, name: &ThreadName, kind: u8, write: impl FnOnce(&mut Vec<u8>)) {
        let events = self.threads.entry(name.clone()).or_default();
        events.push(kind);
        write(events);
    }

    fn read_from(&self, bytes: &[Byte]) -> Vec<u8> {
        let mut out = Vec::new();
        for byte in bytes {
            match self.writes.get(byte).and_then(|writes| writes.last()) {
                Some(write) => {
                    out.push(1);
                    encode_event(&mut out, write);
                }
                None => out.push(0),
            }
        }
        out
    }

    fn written(&mut self, bytes: &[Byte], event: &EventId) {
        for byte in bytes {
            self.writes.entry(byte.clone()).or_default().push(event.clone());
        }
    }
}

impl Observer for Prefix {
    fn happened(&mut self, scene: &Scene<'_>, what: &Happening<'_>) {
        let name = &scene.state.threads[scene.thread.index()].name;
        let object_name = |object: ObjectRef| {
            let owner = object.arena.checked_sub(1);
            (owner.map(|thread| (*scene.state.threads[thread as usize].name).clone()), object.index)
        };
        let bytes = |spot: Spot| -> Vec<Byte> {
            let (owner, index) = object_name(spot.object);
            (spot.offset..spot.offset + spot.size).map(|at| (owner.clone(), index, at)).collect()
        };
        match *what {
            Happening::Read { spot, forwarded, .. } => {
                let bytes = bytes(spot);
                self.next(name, scene.step);
                // A forwarded value and the same value read from memory come from the same write.
                let from = match forwarded {
                    Some(step) => own_write(&((**name).clone(), step, 0), bytes.len()),
                    None => self.read_from(&bytes),
                };
                self.note(name, b'r', |out| {
                    bytes.iter().for_each(|byte| encode_byte(out, byte));
                    out.extend(from);
                });
            }
            Happening::Write { spot, value, buffered } => {
                let bytes = bytes(spot);
                let event = self.next(name, scene.step);
                if !buffered {
                    self.written(&bytes, &event);
                }
                self.note(name, b'w', |out| {
                    bytes.iter().for_each(|byte| encode_byte(out, byte));
                    number(out, value.bits);
                });
            }
            Happening::Update { spot, new, .. } => {
                let bytes = bytes(spot);
                let event = self.next(name, scene.step);
                let from = self.read_from(&bytes);
                if new.is_some() {
                    self.written(&bytes, &event);
                }
                self.note(name, b'u', |out| {
                    bytes.iter().for_each(|byte| encode_byte(out, byte));
                    out.extend(from);
                    out.push(u8::from(new.is_some()));
                });
            }
            Happening::Commit { spot, step, .. } => self.written(&bytes(spot), &((**name).clone(), step, 0)),
            Happening::ObjectEnds { object, .. } => {
                let (owner, index) = object_name(object);
                self.note(name, b'e', |out| encode_byte(out, &(owner, index, 0)));
            }
            Happening::Input { value, .. } => self.note(name, b'i', |out| number(out, value)),
            Happening::Exit { status } => {
                self.note(name, b'x', |out| number(out, u64::from(status.unwrap_or(-1) as u32)))
            }
            Happening::Fence(_)
            | Happening::Create { .. }
            | Happening::Join { .. }
            | Happening::WakesUp
            | Happening::Call { .. }
            | Happening::ThreadEnds { .. }
            | Happening::Assumed(_)
            | Happening::Checks { .. }
            | Happening::Print { .. } => {}
        }
    }
}

fn own_write(event: &EventId, bytes: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..bytes {
        out.push(1);
        encode_event(&mut out, event);
    }
    out
}

pub(super) fn encode_name(out: &mut Vec<u8>, name: &ThreadName) {
    number(out, name.0.len() as u64);
    name.0.iter().for_each(|&n| number(out, u64::from(n)));
}

fn encode_event(out: &mut Vec<u8>, (name, step, count): &EventId) {
    encode_name(out, name);
    number(out, u64::from(step.0));
    number(out, u64::from(*count));
}

fn encode_byte(out: &mut Vec<u8>, (owner, index, offset): &Byte) {
    match owner {
        None => out.push(0),
        Some(name) => {
            out.push(1);
            encode_name(out, name);
        }
    }
    number(out, u64::from(*index));
    number(out, *offset);
}
