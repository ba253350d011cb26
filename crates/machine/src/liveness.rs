//! Fair executions that never end: what they are, and how a replay recognises one. Here, and nowhere else.
//!
//! An execution is *fair* if
//!
//! 1. a thread that can take a step again and again takes one again and again (strong fairness: a lock that becomes free
//!    again and again is got some time by whoever waits for it; a thread that spins can always take a step),
//! 2. every store in a buffer reaches memory,
//! 3. threads wake up spuriously, and weak compare-exchanges fail for no reason, finitely often only.
//!
//! The program ends when `main` returns, when `exit` or `abort` is called, or when all threads have ended. An execution in
//! which a thread stops (a failed assumption, a bound, an error that nobody asked about) does not count: if the thread went
//! on, as fairness demands, there would be no such execution.
//!
//! So there are two ways never to end. *Stuck*: no thread can take a step and no store is pending, but for threads that run
//! silently for ever. *Endless*: the execution comes back to a state, and the steps in between, repeated for ever, are fair.
//! The latter holds if and only if these steps are at least one, each thread that can take a step somewhere in between
//! takes one, each store that is pending at the beginning has a store to the same bytes by the same thread committed (such
//! stores commit in their order, so after as many rounds as there are it is its turn), and nothing happens spuriously.

use crate::machine::{Choice, Inputs, Machine, Request, Stop};
use crate::memory::ObjectRef;
use crate::observe::Unobserved;
use crate::state::{Place, State, Status};
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_verdict::outcome::{Violation, ViolationKind};
use norn_verdict::schedule::ThreadName;
use norn_verdict::trace::{EventIndex, ThreadIndex};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The bytes that a store of a thread goes to.
pub(crate) type Pending = (ThreadIndex, ObjectRef, u64, u64);

/// A step of an execution, with the state before it.
pub(crate) struct Turn {
    pub before: State,
    pub choice: Choice,
    /// It does not happen for ever.
    pub spurious: bool,
    /// The first event of the trace that belongs to it, or to what comes after it.
    pub event: EventIndex,
}

/// Whether the execution may be one that never ends: neither has the program ended nor has a thread stopped.
pub(crate) fn may_go_on(state: &State) -> bool {
    let stopped = |status| status == Status::Stopped;
    !state.is_complete() && !state.main_returned && !state.threads.iter().any(|thread| stopped(thread.status))
}

/// Whether the thread can take a step that is no spurious one. Inputs that are no truth values are not tried: then the
/// answer is yes, which makes fewer executions fair.
pub(crate) fn can_step(machine: &Machine<'_>, state: &State, thread: ThreadIndex) -> bool {
    const MOST_INPUTS: usize = 8;
    let mut waiting = vec![Vec::new()];
    while let Some(values) = waiting.pop() {
        let mut given = Given { values: &values, taken: 0 };
        match machine.act(&mut state.clone(), Choice::Run(thread), &mut Unobserved, &mut given) {
            Ok(taken) if taken.spurious => {}
            Err(Stop::NotEnabled) => {}
            Err(Stop::NeedInput(Request { ty: Ty::Bool, .. })) if values.len() < MOST_INPUTS => {
                waiting.extend([0, 1].map(|value| values.iter().copied().chain([value]).collect()));
            }
            _ => return true,
        }
    }
    false
}

struct Given<'a> {
    values: &'a [u64],
    taken: usize,
}

impl Inputs for Given<'_> {
    fn next(&mut self, _name: &ThreadName, _request: &Request) -> Option<u64> {
        let value = self.values.get(self.taken).copied();
        self.taken += 1;
        value
    }
}

/// The threads that can take a step.
pub(crate) fn enabled(machine: &Machine<'_>, state: &State) -> BTreeSet<ThreadIndex> {
    state.indices().filter(|&thread| can_step(machine, state, thread)).collect()
}

/// The stores in the buffers.
pub(crate) fn pending(state: &State) -> BTreeSet<Pending> {
    let of_thread = |thread: ThreadIndex| {
        let entries = state.threads[thread.index()].buffer.iter();
        entries.map(move |entry| (thread, entry.object, entry.offset, entry.size))
    };
    state.indices().flat_map(of_thread).collect()
}

/// The store that a choice commits.
pub(crate) fn committed(state: &State, choice: Choice) -> Option<Pending> {
    let Choice::Commit { thread, step } = choice else { return None };
    let entry = state.threads[thread.index()].buffer.iter().find(|entry| entry.step == step)?;
    Some((thread, entry.object, entry.offset, entry.size))
}

/// Whether nothing will happen any more, though the program has not ended.
pub(crate) fn is_stuck(machine: &Machine<'_>, state: &State) -> bool {
    may_go_on(state) && pending(state).is_empty() && enabled(machine, state).is_empty()
}

/// A state as bytes, without what is known about its past: two states with the same bytes go on in the same ways.
fn bytes(machine: &Machine<'_>, state: &State) -> Vec<u8> {
    let mut out = Vec::new();
    machine.encode(&State { races: None, ..state.clone() }, &mut out);
    out
}

/// Where the shortest fair loop begins that ends in the last state: its first turn.
pub(crate) fn loop_of(machine: &Machine<'_>, turns: &[Turn], last: &State) -> Option<usize> {
    if !may_go_on(last) {
        return None;
    }
    let wanted = bytes(machine, last);
    let (mut moved, mut committed_here, mut enabled_here) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (at, Turn { before, choice, spurious, .. }) in turns.iter().enumerate().rev() {
        if *spurious {
            return None;
        }
        match *choice {
            Choice::Run(thread) => {
                moved.insert(thread);
            }
            commit @ Choice::Commit { .. } => committed_here.extend(committed(before, commit)),
        }
        enabled_here.extend(enabled(machine, before));
        // A thread that could go on and did not may do so earlier; all else is asked in the state itself.
        if enabled_here.is_subset(&moved)
            && pending(before).is_subset(&committed_here)
            && bytes(machine, before) == wanted
        {
            return Some(at);
        }
    }
    None
}

/// The violation that a stuck state is, or a loop that begins in the state; `moved` are the threads that go round in it.
pub(crate) fn violation(machine: &Machine<'_>, state: &State, moved: &BTreeSet<ThreadIndex>) -> Violation {
    let (mut message, mut first, mut waiting) = (String::new(), None, None);
    for (number, thread) in state.indices().zip(&state.threads).filter(|(_, thread)| thread.status != Status::Ended) {
        let Place { span: at, library } = thread.place(machine.program);
        let goes_round = moved.contains(&number) || thread.status == Status::Circling;
        let place = if goes_round { &mut first } else { &mut waiting };
        place.get_or_insert(at);
        let separator = if message.is_empty() { "" } else { ", " };
        let does = if goes_round { "goes round" } else { "waits" };
        let within = library.map_or(String::new(), |f| format!(" in '{}'", machine.program.function(f).name));
        let file = machine.program.file(at.file);
        write!(message, "{separator}{} {does} at {file}:{}{within}", thread.name, at.line)
            .expect("writing to a string should not fail");
    }
    let span = first.or(waiting).unwrap_or(Span::NONE);
    Violation { kind: ViolationKind::Nontermination, span, message }
}
