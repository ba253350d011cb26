//! Steps that cannot be reversed as they are: sections that may block, steps that may access something else when they
//! come earlier, and the end of the program.
//!
//! The step before which a section was not enabled cannot be reversed with it. There the search goes back to the last
//! event without which (and without what follows from it) the section is enabled. The same is done for threads that are
//! still blocked when nothing else can happen.
//!
//! The end of the program depends on everything, also on steps that never happened because of it.

use crate::bits;
use crate::cells::Cells;
use crate::explore::Search;
use crate::footprint::{Access, Footprint, Process, UNKNOWN};
use crate::reversal::Item;
use crate::trace::EventNumber;
use crate::varying::VaryingStep;
use norn_exec::{Effect, Stop};

impl Search<'_> {
    /// Reverses the step of a section, which may be event `end` or not have happened at all, with the events before
    /// `end` that it depends on.
    pub(crate) fn reverse_blocking(&mut self, process: Process, footprint: Footprint, past: &[u64], end: EventNumber) {
        let mut accesses: Vec<Access> = self.footprints.accesses(footprint).to_vec();
        let mut reversed: Vec<EventNumber> = Vec::new();
        for earlier in EventNumber::all(end.index()).rev() {
            let event = *self.trace.event(earlier);
            let known = self.footprints.number(&accesses).exiting_if(footprint.exits());
            let is_past = past.len() * 64 > earlier.index() && bits::has(past, earlier.index());
            if is_past
                || event.process.thread == process.thread
                || !self.footprints.depend((event.process, event.footprint), (process, known), |_, _| true)
                || reversed.iter().any(|&later| self.trace.happens_before(earlier, later))
            {
                continue;
            }
            match self.enabled_without(earlier, end, process) {
                Some(footprint) => {
                    self.reverse_step(earlier, end, (process, footprint), past);
                    reversed.push(earlier);
                }
                None => self.add_reads(&mut accesses),
            }
        }
    }

    /// The same for an event that does not block, but may access something else when it comes before `earlier`: a
    /// compare-and-exchange that succeeds there, say.
    pub(crate) fn reverse_varying(&mut self, earlier: EventNumber, later: EventNumber) {
        let process = self.trace.event(later).process;
        let past = self.trace.last_past().to_vec();
        if let Some(footprint) = self.enabled_without(earlier, later, process) {
            self.reverse_step(earlier, later, (process, footprint), &past);
        }
    }

    /// Whether the thread's step is enabled after the events before `end` but for `earlier` and what follows from it;
    /// if so, what it does there. If not, `last_attempt` says what it read.
    ///
    /// Effects name objects by numbers that other executions give to other objects, so they are made accesses right here.
    fn enabled_without(&mut self, earlier: EventNumber, end: EventNumber, process: Process) -> Option<Footprint> {
        let current = self.trace.next_event();
        self.executor.undo_to(self.trace.event(earlier).mark);
        let mut possible = true;
        for number in earlier.until(end) {
            if !self.trace.happens_before(earlier, number) {
                possible &= self.execute(self.trace.event(number).process).is_ok();
            }
        }
        let site = VaryingStep::of(&self.executor, process.thread);
        let wakes = self.may_wake(process);
        let attempt = self.executor.attempt_step(process.thread);
        let effects = self.executor.effects().to_vec();
        let accesses = self.accesses_of(&effects);
        let footprint = match attempt {
            _ if !possible => None,
            Ok(()) => Some(self.footprint_of(site, &accesses, wakes || effects.contains(&Effect::Exit))),
            Err(Stop::NotEnabled | Stop::Cut) => None,
            // What a step that goes wrong would have accessed is not known.
            Err(_) => Some(UNKNOWN),
        };
        self.executor.undo_to(self.trace.event(earlier).mark);
        for number in std::iter::once(earlier).chain(earlier.until(current)) {
            self.trace.events[number.index()].mark = self.executor.mark();
            let again = self.execute(self.trace.event(number).process);
            assert!(again.is_ok(), "an execution should run again as it ran before");
        }
        self.last_attempt = accesses;
        footprint
    }

    /// The footprint of a step that was tried.
    fn footprint_of(&mut self, site: Option<VaryingStep>, accesses: &[Access], mut exits: bool) -> Footprint {
        let mut accesses = accesses.to_vec();
        if let Some(site) = site {
            self.varying.learn(site, &accesses, exits);
            exits = self.varying.may_exit(site);
            let others = self.varying.others(site, &accesses);
            accesses
                .extend(others.iter().map(|&(cell, writes)| Access { happened: false, ..Access::new(cell, writes) }));
        }
        self.footprints.number(&accesses).exiting_if(exits)
    }

    pub(crate) fn accesses_of(&mut self, effects: &[Effect]) -> Vec<Access> {
        let mut accesses = Vec::new();
        for effect in effects {
            let (object, at, size, writes) = match *effect {
                Effect::Read { object, at, size, .. } => (object, at, size, false),
                Effect::Write { object, at, size, .. } => (object, at, size, true),
                Effect::Ends { object, .. } | Effect::Begins { object, .. } => {
                    let ends = matches!(effect, Effect::Ends { .. });
                    if let Some(cell) = self.cells.life(&self.executor, object) {
                        accesses.push(Access::new(cell, true));
                    }
                    if ends && Cells::is_given_back(&self.executor, object) {
                        let cell = self.cells.allocator();
                        accesses.push(Access::new(cell, false));
                    }
                    continue;
                }
                Effect::Allocates { .. } => {
                    let cell = self.cells.allocator();
                    accesses.push(Access::new(cell, true));
                    continue;
                }
                _ => continue,
            };
            if let Some(cell) = self.cells.life(&self.executor, object) {
                accesses.push(Access::new(cell, false));
            }
            self.cells.of(&self.executor, object, at, size, |cell| accesses.push(Access::new(cell, writes)));
        }
        accesses
    }

    fn add_reads(&mut self, accesses: &mut Vec<Access>) {
        for access in std::mem::take(&mut self.last_attempt) {
            if !accesses.contains(&access) {
                accesses.push(access);
            }
        }
    }

    /// Adds the other steps that could have happened before the program ended.
    pub(crate) fn branch_before_exit(&mut self, process: Process) {
        let Some(exit) = self.trace.pop() else { return };
        self.executor.undo_to(exit.mark);
        let depth = self.trace.len();
        let mut others = Vec::new();
        for number in self.executor.numbers() {
            let thread = self.executor.identity(number);
            others.extend(self.executor.commits(thread).map(|step| Process::commit(thread, step)));
            if thread != process.thread && self.executor.can_step(thread) {
                others.push(Process::run(thread));
            }
        }
        let mut others: Vec<(Vec<Process>, Process)> =
            others.into_iter().rev().map(|other| (Vec::new(), other)).collect();
        while let Some((before, other)) = others.pop() {
            self.sequence.clear();
            let start = self.executor.mark();
            let is_possible = before.into_iter().all(|process| self.append(process) == Some(false));
            // Steps that leave no trace are of interest for what follows them only.
            let leaves_trace = loop {
                if !is_possible || (other.is_thread() && !self.executor.can_step(other.thread)) {
                    break false;
                }
                match self.append(other) {
                    Some(false) => {}
                    Some(true) | None => break true,
                }
                // What follows may be a step of a thread that was created, or that waited for this one to end.
                let links = self.trace.links.iter().rev().take_while(|link| link.events == self.trace.len());
                let before: Vec<Process> = self.sequence.iter().map(|item| item.process).collect();
                others.extend(links.map(|link| (before.clone(), Process::run(link.after))));
            };
            while self.trace.len() > depth {
                self.trace.pop();
            }
            self.executor.undo_to(start);
            self.mask.clear();
            self.mask.resize(self.trace.words(), 0);
            self.last_row.clear();
            self.last_row.resize(self.trace.words(), 0);
            if leaves_trace {
                self.insert(depth);
            }
        }
        let again = self.carry_out(process);
        assert!(again.is_ok(), "the program should end again as it ended before");
    }

    /// Carries a process out and adds it to the sequence. Whether it leaves a trace; `None` if it goes wrong, which is
    /// found when the branch is explored.
    fn append(&mut self, process: Process) -> Option<bool> {
        let failed = self.carry_out(process).is_err();
        // What a step that went wrong would have accessed is not known.
        let footprint = if failed { UNKNOWN } else { self.trace.event(self.trace.last_event()).footprint };
        self.sequence.push(Item { process, footprint, event: None });
        (!failed).then(|| !self.footprints.is_empty(footprint))
    }
}
