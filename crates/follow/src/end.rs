//! What is compared once an execution is over: the numbers of steps, the constraints, the findings.

use crate::follower::{Done, Follower};
use norn_logic::Term;
use norn_machine::Stop;
use norn_symex::schedule::Move;
use norn_symex::{Check, Condition, EventId, EventKind, EventRange, Finding, SectionKind, ThreadId};
use norn_verdict::schedule::Schedule;
use norn_verdict::undecided::Why;
use std::collections::BTreeMap;

/// An execution as the event list has it.
#[derive(Clone, Debug)]
pub struct Followed {
    /// Of variables that something was read into, that were asked for, or that say that a step was taken. If the execution is
    /// complete, other Booleans are false: who has not gone on waits for ever.
    pub values: BTreeMap<Term, u64>,
    /// By event.
    pub executed: Vec<bool>,
    /// The write that each executed read took its value from; `None` for what was there before all writes.
    pub sources: BTreeMap<EventId, Option<EventId>>,
    /// What happened, in order.
    pub moves: Vec<Move>,
    /// The rounds in which events were executed and stores committed; 0 if they were not counted.
    pub ran: BTreeMap<EventId, u32>,
    pub committed: BTreeMap<EventId, u32>,
    /// By thread: it ran to its end.
    pub ended: Vec<bool>,
    /// Cuts, by number, that a thread came to.
    pub cuts: Vec<usize>,
    /// Every thread went as far as it could.
    pub is_complete: bool,
    /// What is violated, or has no meaning, at its end.
    pub violation: Option<String>,
    /// What the machine did.
    pub schedule: Schedule,
    /// By thread: all inputs that the machine asked for.
    pub asked: Vec<Vec<u64>>,
}

/// How the end of an execution is to be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Nothing is violated.
    Fine,
    /// Something is violated or has no meaning, as the event list foresees.
    Foreseen(String),
    /// The same, but behind a bound.
    Beyond,
}

impl Follower<'_> {
    /// Whether a thread has executed everything before a position.
    fn reached(&mut self, thread: ThreadId, position: EventId) -> bool {
        if !self.threads.contains(&thread) {
            return false;
        }
        let symbolic = self.symbolic;
        let mut before = EventRange::new(symbolic.thread(thread).events.start, position).into_iter();
        before.all(|id| self.matched.contains_key(&id) || self.evaluate(symbolic.event(id).guard, 0) == 0)
    }

    /// Inputs that are asked for behind the last event.
    fn take_last_inputs(&mut self) {
        for t in 0..self.threads.len() {
            let thread = self.threads[t];
            let end = self.symbolic.thread(thread).events.end;
            loop {
                let position = self.next[thread.index()].min(end);
                if !self.reached(thread, position) || self.take_inputs(thread, position).is_err() || position == end {
                    break;
                }
                if self.evaluate(self.symbolic.event(position).guard, 0) == 1 {
                    break;
                }
                self.next[thread.index()] = position.next();
            }
        }
    }

    /// What the observer of deadlocks reads, where threads have not gone on: the machine has no such thread.
    fn observe(&mut self) -> Done<()> {
        let symbolic = self.symbolic;
        let Some(observer) = symbolic.observer else { return Ok(()) };
        for id in symbolic.thread(observer).events {
            let event = symbolic.event(id);
            if matches!(event.kind, EventKind::Read { .. }) && self.evaluate(event.guard, 0) == 1 {
                self.read_memory(id)?;
                self.matched.insert(id, None);
            }
        }
        Ok(())
    }

    /// If every thread went as far as it could, then all is done that the list says.
    fn all_done(&mut self) -> Done<()> {
        let symbolic = self.symbolic;
        for id in symbolic.event_ids() {
            if self.matched.contains_key(&id) {
                continue;
            }
            let event = symbolic.event(id);
            let is_told = match event.kind {
                EventKind::Read { .. } | EventKind::Write { .. } | EventKind::Create(_) | EventKind::Join(_) => true,
                EventKind::Fence(_) | EventKind::EndLife(_) | EventKind::Step => false,
            };
            if is_told && self.evaluate(event.guard, 0) == 1 {
                return Err(format!("{id:?} is not executed: {event:?}"));
            }
        }
        Ok(())
    }

    /// Compares what can be compared at the end.
    pub fn finish(&mut self, end: Option<&Stop>, is_complete: bool) -> Done<Ending> {
        self.take_last_inputs();
        if is_complete {
            self.observe()?;
            self.all_done()?;
        }
        let values = &self.values;
        let steps = self.symbolic.steps(&|variable| values.get(&variable).copied().unwrap_or(0));
        for (&id, &step) in &self.matched {
            if Some(self.symbolic.event(id).thread) == self.symbolic.observer {
                continue;
            }
            if steps.numbers[id.index()] != step {
                let event = self.symbolic.event(id);
                return Err(format!("{id:?} is step {step:?}, not {:?}: {event:?}", steps.numbers[id.index()]));
            }
        }
        for &constraint in &self.symbolic.constraints {
            if self.decided(constraint) == Some(0) {
                return Err(format!("a constraint does not hold: {}", self.symbolic.show(constraint)));
            }
        }
        self.findings(end)
    }

    fn findings(&mut self, end: Option<&Stop>) -> Done<Ending> {
        let symbolic = self.symbolic;
        let mut reached: Vec<&Check> = Vec::new();
        for check in &symbolic.checks {
            let Condition::Term(violated) = check.violated else { continue };
            // The step in which it is found out is not told by the machine.
            let position = match check.position.0.checked_sub(1).map(EventId) {
                Some(before) if matches!(symbolic.event(before).kind, EventKind::Step) => before,
                _ => check.position,
            };
            if self.evaluate(violated, 1) == 1
                && (self.reached(check.thread, position) || self.in_section(check.position))
            {
                reached.push(check);
            }
        }
        let is_foreseen = |fits: &dyn Fn(&Check) -> bool| {
            let after_end = |check: &Check| matches!(check.violated, Condition::AfterEnd { .. }) && fits(check);
            reached.iter().any(|check| fits(check)) || symbolic.checks.iter().any(after_end)
        };
        let (what, foreseen) = match end {
            Some(Stop::Violation(violation)) => {
                let fits = |check: &Check| matches!(&check.what, Finding::Violation(v) if v.kind == violation.kind && v.span == violation.span);
                let is_race = violation.kind == norn_verdict::outcome::ViolationKind::DataRace;
                (format!("{violation:?}"), is_race || is_foreseen(&fits))
            }
            Some(Stop::Undecided(open)) if matches!(open.why, Why::NoMeaning(_)) => {
                (format!("'{open}'"), is_foreseen(&|check: &Check| matches!(check.what, Finding::Undefined(_))))
            }
            _ => {
                // Where it is assumed not to happen, the machine just stops the thread.
                let is_assumed = |check: &Check| matches!(check.what, Finding::Assumed { .. });
                let wrong = reached.into_iter().find(|check| !is_assumed(check) && self.is_certain(check));
                return wrong.map_or(Ok(Ending::Fine), |check| Err(format!("the machine does not see {check:?}")));
            }
        };
        let may_be_beyond = (0..self.threads.len()).any(|t| self.is_behind_a_bound(self.threads[t]));
        match foreseen {
            _ if may_be_beyond => Ok(Ending::Beyond),
            true => Ok(Ending::Foreseen(what)),
            false => Err(format!("{what} was not foreseen: {reached:?}")),
        }
    }

    /// Whether the thread has come to a bound: what it does silently behind it is not in the list.
    fn is_behind_a_bound(&mut self, thread: ThreadId) -> bool {
        let symbolic = self.symbolic;
        let mut cuts = symbolic.cuts.iter().filter(|cut| cut.thread == thread);
        self.is_beyond[thread.0 as usize] || cuts.any(|cut| self.decided(cut.guard) == Some(1))
    }

    /// Whether a check is violated without any assumption about steps that were not taken.
    fn is_certain(&mut self, check: &Check) -> bool {
        match check.violated {
            Condition::Term(violated) => {
                self.decided(violated) == Some(1) && self.reached(check.thread, check.position)
            }
            Condition::AfterEnd { .. } => false,
        }
    }

    fn in_section(&self, position: EventId) -> bool {
        self.symbolic.sections.iter().any(|section| {
            section.kind != SectionKind::Group && section.events.start <= position && position <= section.events.end
        })
    }

    pub fn followed(
        mut self,
        ended: Vec<bool>,
        is_complete: bool,
        violation: Option<String>,
        schedule: Schedule,
    ) -> Followed {
        let symbolic = self.symbolic;
        let is_reached = |this: &mut Self, cut: &norn_symex::CutReached| {
            this.decided(cut.guard) == Some(1) && this.reached(cut.thread, cut.position)
        };
        let cuts = symbolic.cuts.iter().enumerate();
        let cuts = cuts.filter(|(_, cut)| is_reached(&mut self, cut)).map(|(index, _)| index).collect();
        Followed {
            executed: symbolic.event_ids().map(|id| self.matched.contains_key(&id)).collect(),
            cuts,
            values: self.values,
            sources: self.sources,
            moves: self.moves,
            ran: self.ran,
            committed: self.committed,
            ended,
            is_complete,
            violation,
            schedule,
            asked: self.asked,
        }
    }
}
