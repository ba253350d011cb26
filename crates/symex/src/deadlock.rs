//! Deadlocks: threads that wait for ever, as one more check on the event list.
//!
//! A thread may stand before a step that waits: a section with an await (or an assumption) in it, or a join. It has a
//! Boolean for whether it takes that step. Where it does not, it may wait for ever: that depends on what memory holds in
//! the end. So an *observer*, a thread after the ends of all others, runs each such section once more, on the thread's own
//! registers and private memory, as far as the last condition that is waited for. A thread *waits* where it did not take
//! the step and the observer finds a condition that does not hold (a spurious wake-up does not help); it waits for a thread
//! that has not ended, in a join. There is a deadlock iff some thread waits, every thread that came to be has ended or
//! waits, and main has not returned. That is the definition of the machine: a thread that a bound or an assumption
//! stopped has not ended and does not wait, so it excuses the others; and no buffer is left to drain, because the
//! ends of threads come after all of their stores.
//!
//! The observer changes nothing, and finds nothing else: what is wrong in the section is wrong in the step itself,
//! which the thread could take there; the machine then counts the thread as one that can go on, and so do we. That holds for
//! objects whose lives have ended, too. Inputs are 0 for it, as they are for the machine when it asks who can go on.
//!
//! *Termination.* Where each loop that waits is an await, an execution that never ends either goes round some loop for ever, and
//! so beyond every bound, or comes to a point behind which threads only wait: this check, then, under another name. (A
//! mutex that is free again and again, and a thread that waits for it, need others that go round a loop.)
//!
//! The observer leaves out the writes of a section (an exchange that spins writes before it is known whether the step can be taken):
//! they are seen by nobody if the thread waits. A section that reads shared memory after it has written, and then waits, is given up.

use std::collections::{BTreeMap, BTreeSet};

use norn_ir::ids::{BlockId, FuncId};
use norn_ir::instr::{Instr, InstrKind};
use norn_logic::terms::Term;
use norn_passes::Site;
use norn_verdict::outcome::{Violation, ViolationKind};
use norn_verdict::undecided::{Undecided, Unsought, Why};

use crate::code::Code;
use crate::event::{Check, Condition, EventKind, EventRange, Finding, SectionKind, ThreadId};
use crate::execution::{Execution, ThreadRun};
use crate::guard::{Guard, Guards};
use crate::run::{Run, State};

/// A step that a thread may wait for.
pub struct Waiting {
    thread: ThreadId,
    /// The thread stands before the step and does not take it.
    here: Term,
    on: On,
    at: norn_ir::span::Span,
}

enum On {
    /// One of these to end, each under its condition.
    Threads(Vec<(ThreadId, Term)>),
    Section {
        function: FuncId,
        begin: Site,
        state: Box<State>,
    },
}

/// What the observer finds in one section.
#[derive(Clone, Copy)]
pub struct Observed {
    observer: ThreadId,
    /// A condition that is waited for does not hold.
    fails: Term,
    /// The section wrote to shared memory, which was left out.
    wrote: bool,
    /// What follows cannot be told: something that was left out may be read, or something else was changed.
    is_lost: bool,
}

impl Run<'_, '_> {
    /// The thread stands before a section and takes it iff `ran`.
    pub fn may_wait_for_section(&mut self, ran: Term) {
        let (function, begin, state) = (self.id, self.site, Box::new(self.state.clone()));
        self.may_wait(ran, On::Section { function, begin, state });
    }

    /// The thread stands before a join and takes it iff `ran`.
    pub fn may_wait_for_threads(&mut self, ran: Term, targets: &[(ThreadId, Term)]) {
        self.may_wait(ran, On::Threads(targets.to_vec()));
    }

    fn may_wait(&mut self, ran: Term, on: On) {
        if self.exec.looks_for_waits() && self.observed.is_none() {
            let (thread, at) = (self.thread, self.user_place().span);
            let before = self.guard_term();
            let here = self.exec.terms.and(before, !ran);
            self.exec.waits.push(Waiting { thread, here, on, at });
        }
    }

    /// The observer comes to a condition that is waited for.
    pub fn observe_condition(&mut self, condition: Term) {
        let here = self.guard_term();
        let fails = self.exec.terms.and(here, !condition);
        if let Some(observed) = &mut self.observed {
            observed.fails = self.exec.terms.or(observed.fails, fails);
        }
        self.assume(condition);
    }

    /// The thread that an event belongs to; the observer, if it runs.
    pub fn actor(&mut self, kind: &EventKind) -> ThreadId {
        match &mut self.observed {
            None => self.thread,
            Some(observed) => {
                observed.is_lost |= match kind {
                    EventKind::Read { .. } => observed.wrote,
                    EventKind::Fence(_) | EventKind::Step => false,
                    _ => true,
                };
                observed.observer
            }
        }
    }

    /// Whether the observer leaves an event out.
    pub fn leaves_out(&mut self, kind: &EventKind) -> bool {
        let Some(observed) = &mut self.observed else { return false };
        let is_write = matches!(kind, EventKind::Write { .. });
        observed.wrote |= is_write;
        is_write
    }

    /// Runs a section for the observer; whether a condition that is waited for does not hold there.
    fn observe(mut self, begin: Site, state: State) -> Result<Term, Undecided> {
        let inside = self.blocks_inside(begin);
        let mut arrivals: BTreeMap<BlockId, usize> = BTreeMap::new();
        for successors in inside.values() {
            successors.iter().for_each(|&to| *arrivals.entry(to).or_default() += 1);
        }
        let mut edges: BTreeMap<BlockId, Vec<(Guard, State)>> =
            BTreeMap::from([(begin.block, vec![(Guard::ROOT, state)])]);
        let mut ready = BTreeSet::from([begin.block]);
        while let Some(block) = ready.pop_first() {
            let from = if block == begin.block { begin.index as usize + 1 } else { 0 };
            let incoming = edges.remove(&block).unwrap_or_default();
            let outgoing = if incoming.is_empty() { Vec::new() } else { self.observe_block((block, from), incoming)? };
            for (to, guard, state) in outgoing {
                edges.entry(to).or_default().push((guard, state));
            }
            for &to in &inside[&block] {
                let left = arrivals.get_mut(&to).expect("blocks inside should be known");
                *left -= 1;
                if *left == 0 {
                    ready.insert(to);
                }
            }
        }
        Ok(self.observed.map_or(Term::FALSE, |observed| observed.fails))
    }

    /// The blocks of a section, with those that control goes on to before the section ends.
    fn blocks_inside(&self, begin: Site) -> BTreeMap<BlockId, Vec<BlockId>> {
        let mut inside = BTreeMap::new();
        let mut work = vec![(begin.block, begin.index as usize + 1)];
        while let Some((block, from)) = work.pop() {
            let code = self.function.block(block);
            let ends = code.instrs[from..].iter().any(|instr| instr.kind == InstrKind::SectionEnd);
            let next: Vec<BlockId> = if ends { Vec::new() } else { code.terminator.kind.successors().collect() };
            for &to in &next {
                if !inside.contains_key(&to) && !work.contains(&(to, 0)) {
                    work.push((to, 0));
                }
            }
            inside.insert(block, next);
        }
        inside
    }

    fn observe_block(
        &mut self,
        (block, from): (BlockId, usize),
        incoming: Vec<(Guard, State)>,
    ) -> Result<Vec<(BlockId, Guard, State)>, Undecided> {
        self.enter(block, incoming);
        let code: &[Instr] = &self.function.block(block).instrs;
        let mut index = from;
        while index < code.len() && self.guard.is_some() {
            if code[index].kind == InstrKind::SectionEnd || !Code::section_may_wait(self.function, block, index) {
                return Ok(Vec::new());
            }
            if self.observed.is_some_and(|observed| observed.is_lost) {
                return Err(Undecided::at(Why::NotLookedFor(Unsought::DeadlocksAfterWrites), self.user_place().span));
            }
            index += self.one_instr(block, code, index)?;
        }
        Ok(self.leave(block, index))
    }
}

impl Execution<'_> {
    /// Whether it matters who waits for ever.
    pub fn looks_for_waits(&self) -> bool {
        self.checks_wanted.deadlock || self.checks_wanted.termination
    }

    /// The observer's steps, and what they tell about each wait: the thread waits iff the term holds, but for joins and the
    /// ends of lives.
    pub fn observe_waits(&mut self) -> Result<Vec<(Waiting, Term, EventRange)>, Undecided> {
        let waits = std::mem::take(&mut self.waits);
        let observer = ThreadId::new(self.threads.len());
        let first = self.next_event();
        let mut found = Vec::new();
        for mut wait in waits {
            let begin = self.next_event();
            let mut waits = wait.here;
            if let On::Section { function, begin, state } = &mut wait.on {
                let section = self.add_section(observer, SectionKind::Atomic, wait.here, wait.at);
                let mut run = Run::new(self, wait.thread, *function);
                run.guards = Guards::new(wait.here);
                run.observed = Some(Observed { observer, fails: Term::FALSE, wrote: false, is_lost: false });
                let state = State { section: Some(section), ..std::mem::take(&mut **state) };
                waits = run.observe(*begin, state)?;
                self.end_section(section);
            }
            let events = EventRange::new(begin, self.next_event());
            found.push((wait, waits, events));
        }
        if !found.is_empty() {
            self.observer = Some(observer);
            self.threads.push(ThreadRun {
                start: Term::TRUE,
                ended: Term::TRUE,
                events: EventRange::new(first, self.next_event()),
                ..ThreadRun::waiting()
            });
        }
        Ok(found)
    }

    /// Adds the check for a deadlock.
    pub fn check_deadlock(&mut self, waits: Vec<(Waiting, Term, EventRange)>) {
        let Some(observer) = self.observer else { return };
        let mut rests: Vec<Term> =
            self.threads.iter().map(|thread| self.terms.or(!thread.start, thread.ended)).collect();
        let (mut some, mut place) = (Term::FALSE, None);
        for (wait, term, events) in waits {
            let waits = match &wait.on {
                On::Section { .. } => {
                    let ended = self.touches_ended(events);
                    self.terms.and(term, !ended)
                }
                On::Threads(targets) => {
                    let running = |exec: &mut Execution<'_>, &(thread, condition): &(ThreadId, Term)| {
                        let ended = exec.threads[thread.index()].ended;
                        exec.terms.and(condition, !ended)
                    };
                    let running: Vec<Term> = targets.iter().map(|target| running(self, target)).collect();
                    let running = self.terms.any(running);
                    self.terms.and(term, running)
                }
            };
            if waits != Term::FALSE {
                place.get_or_insert(wait.at);
                some = self.terms.or(some, waits);
                let rest = &mut rests[wait.thread.index()];
                *rest = self.terms.or(*rest, waits);
            }
        }
        let Some(span) = place else { return };
        let all = self.terms.all(rests);
        let violated = self.terms.all([some, all, !self.main_returned]);
        if violated != Term::FALSE {
            let kind =
                if self.checks_wanted.termination { ViolationKind::Nontermination } else { ViolationKind::Deadlock };
            let what = Finding::Violation(Violation { kind, span, message: String::new() });
            let position = self.next_event();
            let violated = Condition::Term(violated);
            self.checks.push(Check { what, thread: observer, position, violated, span });
        }
    }

    /// Whether one of the observer's reads touches an object whose life has ended.
    fn touches_ended(&mut self, reads: EventRange) -> Term {
        let mut ends = Vec::new();
        for event in &self.events[..reads.start.index()] {
            if let EventKind::EndLife(objects) = &event.kind {
                ends.extend(objects.iter().map(|&(object, condition)| (object, event.guard, condition)));
            }
        }
        let mut touches = Vec::new();
        for read in reads {
            let event = &self.events[read.index()];
            let EventKind::Read { targets, .. } = &event.kind else { continue };
            for &(cell, condition) in targets {
                let object = self.cells[cell.index()].object;
                for &(_, guard, ended) in ends.iter().filter(|end| end.0 == object) {
                    touches.push(self.terms.all([event.guard, condition, guard, ended]));
                }
            }
        }
        self.terms.any(touches)
    }
}
