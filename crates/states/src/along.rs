//! Steps with what is taken along: accesses that wait for them, and commits ([`crate::absorb`]).

use crate::walk::Walk;
use norn_exec::{Change, Mark, Status, Stop};
use norn_verdict::model::Model;
use norn_verdict::trace::ThreadIndex;

impl Walk<'_> {
    /// Takes the accesses of a thread that wait for its next step, and the step.
    pub(crate) fn run_with_waiting(&mut self, number: ThreadIndex, enough: bool) -> Result<(), Stop> {
        let thread = self.executor.identity(number);
        let Some(absorber) = &self.absorber else {
            self.run(thread)?;
            self.was_spurious = self.executor.was_spurious();
            return Ok(());
        };
        let mut waiting = if enough { 0 } else { absorber.waiting(number) };
        let mut taken = 0;
        while taken <= waiting {
            let point = self.point();
            let owner = self.executor.thread(thread);
            if owner.status != Status::Ready || taken > 0 && self.is_bounded(thread) {
                break;
            }
            let pc = owner.pc;
            if taken < waiting && self.absorber.as_ref().is_some_and(|a| a.is_marked(&self.executor, number)) {
                waiting = taken;
            }
            let result = self.run(thread);
            let Some(absorber) = &mut self.absorber else { break };
            match result {
                Ok(()) => {
                    if !absorber.follow(&self.executor, number, Some(pc), (taken < waiting, enough)) {
                        return Err(Stop::NotEnabled);
                    }
                }
                Err(stop) => {
                    absorber.look_for_conflicts(&self.executor, pc);
                    if taken == 0 || matches!(stop, Stop::Violation(_) | Stop::NeedInput(_)) {
                        return Err(stop);
                    }
                    self.back_to(point);
                    break;
                }
            }
            // Where nothing but a spurious wake-up is possible may be a deadlock, so nothing is taken along with one.
            if taken > 0 && self.executor.was_spurious() {
                self.back_to(point);
                break;
            }
            self.was_spurious = self.executor.was_spurious();
            taken += 1;
        }
        if let Some(absorber) = &mut self.absorber {
            absorber.along += taken.saturating_sub(1) as u64;
        }
        Ok(())
    }

    /// Takes the commits along that nobody else has a part in, until there are no more.
    pub(crate) fn take_commits_along(&mut self) -> Result<(), Stop> {
        if self.setting.model == Model::Sc || self.executor.exited().is_some() {
            return Ok(());
        }
        let Some(absorber) = &mut self.absorber else { return Ok(()) };
        absorber.look_ahead(&self.executor);
        let mut number = ThreadIndex::MAIN;
        while number.index() < self.executor.thread_count() {
            let Some(absorber) = &mut self.absorber else { break };
            let Some(index) = absorber.commit(&self.executor, number) else {
                number.0 += 1;
                continue;
            };
            let point = self.point();
            match self.commit(number, index) {
                Ok(()) => {}
                Err(Stop::Violation(violation)) => return Err(Stop::Violation(violation)),
                Err(_) => {
                    // It is left for later.
                    self.back_to(point);
                    number.0 += 1;
                    continue;
                }
            }
            if let Some(absorber) = &mut self.absorber
                && !absorber.follow(&self.executor, number, None, (true, false))
            {
                return Err(Stop::NotEnabled);
            }
            if let Some(absorber) = &mut self.absorber {
                absorber.along += 1;
            }
            // What it did silently may have brought others before a store.
            self.merge_stores()?;
            number = ThreadIndex::MAIN;
        }
        if let Some(absorber) = &mut self.absorber {
            absorber.forget(&self.executor);
        }
        Ok(())
    }

    /// Finds out what waits now, in the threads that have moved.
    pub(crate) fn look_ahead(&mut self, since: Mark) {
        let Some(absorber) = &mut self.absorber else { return };
        absorber.look_ahead(&self.executor);
        if self.executor.exited().is_some() {
            return;
        }
        if self.has_inputs {
            self.executor.forget_inputs();
        }
        let mut moved: Vec<ThreadIndex> = Vec::new();
        for change in self.executor.changes_since(since) {
            if let Change::Thread(thread) | Change::Buffer(thread) = change {
                let number = self.executor.thread(thread).number;
                if !moved.contains(&number) {
                    moved.push(number);
                }
            }
        }
        for number in moved {
            absorber.collect(&mut self.executor, number);
        }
    }
}
