//! Which levels exclude an execution: the clause that a counterexample gives.
//!
//! The execution is first made *tidy*: each store reaches memory as early as it can while the execution still shows what it
//! shows. Then only delays that matter are left, and a fence in between excludes what matters. Then it is replayed with
//! each level that can have to do with it, and then with all together that do not exclude it alone. The machine has less
//! executions with more levels, so no subset of those excludes it: whoever does has one of the others, which are the clause.

use crate::question::{Question, Shown};
use crate::site::{Choice, Problem, Site};
use norn_ir::program::Program;
use norn_ir::span::Span;
use norn_verdict::schedule::{Schedule, Step, StepNumber, ThreadName};
use norn_verdict::trace::{Event, EventIndex, EventKind, ThreadIndex, Trace};
use std::collections::BTreeSet;

/// How many replays making an execution tidy may take.
const MOST_REPLAYS: usize = 400;

/// The same violation with stores that reach memory as early as they can.
pub fn tidy(question: &Question<'_>, program: &Program, schedule: &Schedule) -> Option<Shown> {
    let mut best = question.shows(program, schedule)?;
    let mut replays = 0;
    for (thread, store) in buffered_stores(&best.trace) {
        let steps = &best.schedule.steps;
        let run = Step::Run { thread: thread.clone(), step: store };
        let commit = Step::Commit { thread: thread.clone(), step: store };
        let Some(made) = steps.iter().position(|step| *step == run) else { continue };
        let arrives = steps.iter().position(|step| *step == commit).unwrap_or(steps.len());
        let mut without = steps.clone();
        without.retain(|step| *step != commit);
        // Right after a step of the thread, and right before its next.
        let is_own = |step: &Step| matches!(step, Step::Run { thread: other, .. } if *other == thread);
        let own = (made..without.len()).filter(|&at| is_own(&without[at])).collect::<Vec<_>>();
        let mut places = Vec::new();
        for (index, &at) in own.iter().enumerate() {
            places.push(at + 1);
            places.extend(own.get(index + 1));
        }
        // A store that nothing of its thread comes after is delayed past nothing.
        let matters = own.get(1).is_some_and(|&next| next < arrives);
        for place in places.into_iter().take_while(|&place| matters && place < arrives) {
            replays += 1;
            if replays > MOST_REPLAYS || question.limits.exceeded().is_some() {
                return Some(best);
            }
            let mut steps = without.clone();
            steps.insert(place, commit.clone());
            let moved = Schedule { steps, ..best.schedule.clone() };
            if let Some(shown) = question.shows(program, &moved) {
                best = shown;
                break;
            }
        }
    }
    Some(best)
}

/// The stores that wait in a buffer, in the order in which they are made.
fn buffered_stores(trace: &Trace) -> Vec<(ThreadName, StepNumber)> {
    let stores = trace.events.iter().filter(|event| matches!(event.kind, EventKind::Write { buffered: true, .. }));
    stores.filter_map(|event| Some((trace.name(event.thread)?, event.step?))).collect()
}

/// Stores that never reach memory do so in the end: then nothing waits for them any more.
fn drained(shown: &Shown) -> Schedule {
    let mut schedule = shown.schedule.clone();
    for (thread, step) in buffered_stores(&shown.trace) {
        let commit = Step::Commit { thread, step };
        if !schedule.steps.contains(&commit) {
            schedule.steps.push(commit);
        }
    }
    schedule
}

/// The levels that exclude an execution of the marked program with the levels that are chosen: a set of levels without any of
/// these has the execution. `None`: time is over.
pub fn clause(question: &Question<'_>, problem: &Problem, chosen: &[Choice], shown: &Shown) -> Option<Vec<Choice>> {
    let schedule = drained(shown);
    let met = met(&shown.trace);
    // Data races depend on orders everywhere, also on those of the steps that race, which are in no trace.
    let may_exclude = |site: &Site| question.looks_for_races() || site.spans.iter().any(|span| met.contains(span));
    let has = |levels: &[Choice]| question.shows(&problem.marked(levels), &schedule).is_some();
    let mut clause: Vec<Choice> = Vec::new();
    let mut others: Vec<Choice> = chosen.to_vec();
    for (index, site) in problem.sites.iter().enumerate().filter(|(_, site)| may_exclude(site)) {
        for level in 0..site.levels.len() {
            let choice = Choice { site: index, level };
            if question.limits.exceeded().is_some() {
                return None;
            }
            if problem.is_covered(choice, chosen) {
                continue;
            }
            // What a weaker level excludes, a stronger one does, too.
            let covers_one = clause.iter().any(|&other| problem.is_covered(other, &[choice]));
            let alone = || [chosen, &[choice]].concat();
            if covers_one || !has(&alone()) {
                clause.push(choice);
            } else {
                others.push(choice);
            }
        }
    }
    // All that do not exclude it alone do not exclude it together: so no subset of them does. Two that order something only
    // together, such as a release and an acquire that make a data race none, are the exception.
    if !has(&others) {
        let mut kept: Vec<Choice> = chosen.to_vec();
        for choice in others.drain(chosen.len()..) {
            if question.limits.exceeded().is_some() {
                return None;
            }
            kept.push(choice);
            if !has(&kept) {
                kept.pop();
                clause.push(choice);
            }
        }
        clause.sort();
    }
    Some(clause)
}

/// Places that an execution comes to while its thread has stores in its buffer, or at which it stores.
fn met(trace: &Trace) -> BTreeSet<Span> {
    let mut waiting = vec![0_usize; trace.threads.len()];
    let mut met = BTreeSet::new();
    for event in &trace.events {
        let own = &mut waiting[event.thread.index()];
        match event.kind {
            EventKind::Write { buffered: true, .. } => {
                *own += 1;
                met.insert(event.span);
            }
            EventKind::Commit { .. } => *own = own.saturating_sub(1),
            _ if *own > 0 => {
                met.insert(event.span);
            }
            _ => {}
        }
    }
    met
}

/// A store and an access of the same thread that it is delayed past, with a place between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delay {
    pub store: EventIndex,
    pub past: EventIndex,
}

/// What a fence at one of these places, or a stronger store, would not let happen in an execution.
pub fn delay_across(trace: &Trace, places: &[Span]) -> Option<Delay> {
    let is_access = |event: &Event| {
        matches!(event.kind, EventKind::Read { .. } | EventKind::Write { .. } | EventKind::Update { .. })
    };
    let mut waiting: Vec<(ThreadIndex, EventIndex)> = Vec::new();
    for (index, event) in trace.events.iter().enumerate() {
        match event.kind {
            EventKind::Write { buffered: true, .. } => waiting.push((event.thread, EventIndex::new(index))),
            EventKind::Commit { write, .. } => waiting.retain(|&(_, store)| store != write),
            _ => {}
        }
        if !places.contains(&event.span) {
            continue;
        }
        for &(thread, store) in waiting.iter().rev().filter(|(thread, _)| *thread == event.thread) {
            let later = trace.events.iter().enumerate().skip(index);
            let arrives = |event: &Event| matches!(event.kind, EventKind::Commit { write, .. } if write == store);
            let until = later.clone().find(|(_, event)| arrives(event)).map_or(usize::MAX, |(at, _)| at);
            let mut after = later.take_while(|(at, _)| *at < until);
            let past = after.find(|(at, e)| *at > store.index() && e.thread == thread && is_access(e));
            if let Some((at, _)) = past {
                return Some(Delay { store, past: EventIndex::new(at) });
            }
        }
    }
    None
}
