//! Why an execution comes to its violation: which stores wait past which accesses, and who does not see them; or, if none
//! waits, between which accesses of a thread another one came. And a fence that excludes the execution: it is put into the program,
//! and the schedule is tried.

use crate::player::{Budget, Player};
use crate::{values_of, word_of};
use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{FenceKind, Instr, InstrKind};
use norn_ir::program::Program;
use norn_machine::confirm;
use norn_verdict::claim::{Claim, Expected, Ruling};
use norn_verdict::limits::Limits;
use norn_verdict::outcome::{Checks, Counterexample};
use norn_verdict::place::Location;
use norn_verdict::schedule::{Schedule, fingerprint};
use norn_verdict::trace::{Event, EventIndex, EventKind, ThreadIndex, Trace};
use norn_verdict::why::{Between, Delay, Fence, Why};
use std::rc::Rc;

/// As much as is worth saying.
const MOST: usize = 2;

/// What there is to say about a counterexample. Of a program that needs no fence none is named.
pub fn why(program: &Program, checks: Checks, found: &Counterexample) -> Why {
    let trace = found.trace();
    let delays = delays(trace);
    let fence = delays.iter().find_map(|delay| fence(program, checks, found, delay));
    let between = if delays.is_empty() { between(trace) } else { Vec::new() };
    Why { delays, between, fence }
}

/// An access: where, and whether it writes.
fn access(event: &Event) -> Option<(&Location, bool)> {
    match &event.kind {
        EventKind::Read { location, .. } | EventKind::Update { location, new: None, .. } => Some((location, false)),
        EventKind::Write { location, .. } | EventKind::Update { location, .. } | EventKind::Commit { location, .. } => {
            Some((location, true))
        }
        _ => None,
    }
}

fn overlap(one: &Location, other: &Location) -> bool {
    one.object == other.object && one.offset < other.offset + other.size && other.offset < one.offset + one.size
}

fn conflict(one: &Event, other: &Event) -> bool {
    match (access(one), access(other)) {
        (Some((place, writes)), Some((other, other_writes))) => (writes || other_writes) && overlap(place, other),
        _ => false,
    }
}

/// The stores that wait while another thread has its turn, one for each thread.
fn delays(trace: &Trace) -> Vec<Delay> {
    let mut all: Vec<(bool, ThreadIndex, Delay)> = Vec::new();
    for (at, event) in trace.events.iter().enumerate() {
        let EventKind::Write { location, buffered: true, .. } = &event.kind else { continue };
        let is_commit = |other: &Event| matches!(other.kind, EventKind::Commit { write, .. } if write.index() == at);
        let until = trace.events.iter().position(is_commit).unwrap_or(trace.events.len());
        let waiting = || (at + 1..until).map(|index| (index, &trace.events[index]));
        let is_other = |(_, other): &(usize, &Event)| other.thread != event.thread && other.kind.is_turn();
        if !waiting().any(|other| is_other(&other)) {
            continue;
        }
        let past = overtaken(trace, event.thread, waiting);
        let reads = |other: &(usize, &Event)| {
            matches!(other.1.kind, EventKind::Read { .. } | EventKind::Update { .. })
                && access(other.1).is_some_and(|(place, _)| overlap(place, location))
        };
        let unseen_by = waiting().filter(is_other).rfind(reads).map(|(index, _)| EventIndex::new(index));
        let delay = Delay { store: EventIndex::new(at), past, unseen_by };
        if past.is_some() {
            all.push((unseen_by.is_none(), event.thread, delay));
        }
    }
    all.sort_by_key(|(is_unnoticed, _, delay)| (*is_unnoticed, delay.store));
    let mut named: Vec<ThreadIndex> = Vec::new();
    all.retain(|(_, thread, _)| {
        let is_new = !named.contains(thread);
        named.push(*thread);
        is_new
    });
    // What nobody failed to see is said only if there is nothing else.
    let has_noticed = all.iter().any(|(is_unnoticed, ..)| !is_unnoticed);
    all.retain(|(is_unnoticed, ..)| !has_noticed || !is_unnoticed);
    all.into_iter().map(|(_, _, delay)| delay).take(MOST).collect()
}

/// What takes effect while the store of a thread waits, though it comes later: a store that another thread reads, a load of what
/// another thread writes later, or any.
fn overtaken<'a, I: Iterator<Item = (usize, &'a Event)>>(
    trace: &Trace,
    thread: ThreadIndex,
    waiting: impl Fn() -> I,
) -> Option<EventIndex> {
    let own_commits = waiting().filter(|(_, event)| event.thread == thread).filter_map(|(_, event)| match event.kind {
        EventKind::Commit { write, .. } => Some(write),
        _ => None,
    });
    let first = waiting().next().map_or(0, |(index, _)| index);
    let mut stores = own_commits.filter(|write| write.index() >= first);
    if let Some(store) = stores.next() {
        return Some(store);
    }
    let is_load = |(_, event): &(usize, &Event)| {
        event.thread == thread
            && matches!(&event.kind, EventKind::Read { from, .. } if !matches!(from, norn_verdict::trace::ReadFrom::Event { forwarded: true, .. }))
    };
    let is_raced =
        |(_, load): &(usize, &Event)| trace.events.iter().any(|other| other.thread != thread && conflict(load, other));
    let index = |(index, _): (usize, &Event)| EventIndex::new(index);
    waiting().filter(is_load).find(is_raced).or_else(|| waiting().find(is_load)).map(index)
}

/// Where threads were interrupted by what conflicts with both sides, or with one of them; the last is the most telling.
fn between(trace: &Trace) -> Vec<Between> {
    let turns = trace.events.iter().enumerate().filter(|(_, event)| event.kind.is_turn());
    let turns = turns.map(|(index, event)| (index, event.thread)).collect::<Vec<_>>();
    let mut found: Vec<(usize, Between)> = Vec::new();
    for (position, pair) in turns.windows(2).enumerate() {
        let ((end, thread), (_, other)) = (pair[0], pair[1]);
        let Some(&(begin, _)) = turns[position + 1..].iter().find(|turn| turn.1 == thread) else { continue };
        if other == thread {
            continue;
        }
        let events = |from: usize, to: usize, own: bool| {
            let is_one = move |index: &usize| {
                let event = &trace.events[*index];
                event.kind.is_turn() && (event.thread == thread) == own && access(event).is_some()
            };
            (from..to).filter(is_one)
        };
        let until = turns[position + 1..].iter().skip_while(|turn| turn.1 != thread).find(|turn| turn.1 != thread);
        let until = until.map_or(trace.events.len(), |turn| turn.0);
        let best = events(end, begin, false).filter_map(|middle| {
            let meets = |index: &usize| conflict(&trace.events[*index], &trace.events[middle]);
            let before = events(0, end + 1, true).rfind(meets);
            let after = events(begin, until, true).find(meets);
            let score = usize::from(before.is_some()) + 2 * usize::from(after.is_some());
            let before = before.or_else(|| events(0, end + 1, true).next_back())?;
            let after = after.or_else(|| events(begin, until, true).next())?;
            let between = Between {
                before: EventIndex::new(before),
                other: EventIndex::new(middle),
                after: EventIndex::new(after),
            };
            (score > 0).then_some((score, between))
        });
        found.extend(best.max_by_key(|(score, between)| (*score, between.other)));
    }
    let best = found.iter().map(|(score, _)| *score).max();
    found.retain(|(score, _)| Some(*score) == best);
    found.into_iter().rev().map(|(_, between)| between).take(1).collect()
}

/// A fence after the store with which the schedule is none of the program any more.
fn fence(program: &Program, checks: Checks, found: &Counterexample, delay: &Delay) -> Option<Fence> {
    let (trace, schedule) = (found.trace(), found.schedule());
    let store = trace.event(delay.store)?;
    let at = instruction(program, checks, found, store)?;
    let past_store =
        delay.past.and_then(|past| trace.event(past)).is_some_and(|past| !matches!(past.kind, EventKind::Read { .. }));
    let shows = |kind: FenceKind| {
        let fenced = with_fence(program, at, kind);
        let schedule = Schedule { program: fingerprint(&fenced), ..schedule.clone() };
        let claim = Claim { schedule, expected: vec![Expected::from(found.violation())] };
        confirm(&fenced, checks, claim)
    };
    // A fence that does nothing shows that it is not the place that makes the difference.
    if !matches!(shows(FenceKind::Compiler), Ruling::Holds(_)) {
        return None;
    }
    let kinds = if past_store { &[FenceKind::Release, FenceKind::Full][..] } else { &[FenceKind::Full] };
    let excludes = |kind: &&FenceKind| matches!(shows(**kind), Ruling::Fails(_));
    kinds.iter().find(excludes).map(|&kind| Fence { kind, after: store.span })
}

/// The instruction that made a store.
fn instruction(
    program: &Program,
    checks: Checks,
    found: &Counterexample,
    store: &Event,
) -> Option<(FuncId, BlockId, u32)> {
    let schedule = found.schedule();
    let budget = Budget::new(u64::MAX, Limits::none());
    let player = Player::new(program, schedule.model, checks, Expected::from(found.violation()), &budget);
    let played = player.play(&word_of(schedule), &Rc::new(values_of(schedule)), None)?;
    let name = found.trace().name(store.thread)?;
    let is_it =
        |action: &crate::player::Action| *action.thread == name && Some(action.step) == store.step && !action.is_commit;
    played.done.iter().find(|done| is_it(&done.action))?.buffers
}

/// The program with a fence right after an instruction.
fn with_fence(program: &Program, (function, block, index): (FuncId, BlockId, u32), kind: FenceKind) -> Program {
    let mut program = program.clone();
    let instrs = &mut program.functions[function.index()].blocks[block.index()].instrs;
    let span = instrs[index as usize].span;
    instrs.insert(index as usize + 1, Instr { kind: InstrKind::Fence(kind), span });
    program
}
